//! Contacts of compounds: the union of the contacts of all pairs of parts.
//!
//! The descent of `parts.rs` finds the pairs of parts within the margin. Each pair yields its own contacts along its
//! own normal, since a solver needs one normal per point. Points are moved to the frames of the whole bodies and get
//! their brackets there, from the map between the two bodies. Points shared by several parts are reported once.
//!
//! Height fields. The prisms of a height field (`height_field.rs`) share walls that are not part of its surface. A
//! direction out of a prism is admitted only if it also leads out of the height field: if it is the normal of the
//! prism's triangle, or if no triangle incident to the point extends ahead of it (the polar cone of the height field at
//! that point, empty in a valley, all directions between the two slopes on a ridge). The shortest translation out of a
//! prism often leads through such a wall into the next prism. The points are then computed along the triangle's own
//! normal instead, and along the normal of the whole bodies; only the choice of normal differs, the points and their
//! gaps along it are true. A body so deep in a ridge that none of these is admitted gets its deepest points along the
//! normal of the whole bodies. Prisms under one flat face of the other body whose triangles are coplanar have one
//! contact region, of which only the corners of its hull are kept: between them the gap is linear, since both surfaces
//! are flat there.

use std::ops::ControlFlow;

use glam::{DVec2, DVec3};

use crate::answer::contacts::{Contact, Contacts, ContactsOptions};
use crate::answer::distance::DistanceOptions;
use crate::compound::parts::Parts;
use crate::compound::scratch::{ContactsScratch, PartsScratch};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::contacts::{self as convex, Frames, reduce, touches_along};
use crate::convex::workspace::ConvexWorkspace;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, CONTACT_SAME_DIRECTION, UNIT_ROUNDOFF};
use crate::shape::Feature;
use crate::shape::{HeightField, Shape};

/// A height field and the prisms that represent it in a pair.
#[derive(Clone, Copy)]
pub(crate) struct FieldPrisms<'g> {
    pub field: &'g HeightField,
    /// The triangle of each prism.
    pub triangles: &'g [u32],
}

impl Parts<'_> {
    /// See [`contacts`](crate::contacts()). `fields` says which bodies, in the caller's order, are height-field prisms.
    /// The gap of the whole bodies is already in `out`.
    pub fn contacts(
        &self,
        mut fields: [Option<FieldPrisms<'_>>; 2],
        options: &ContactsOptions,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
        out: &mut Contacts,
    ) {
        if out.gap.lower > out.margin || out.gap.lower == -f64::MAX {
            return;
        }
        if self.swapped {
            fields.reverse();
        }
        let PartsScratch { heap, contacts: memory, .. } = scratch;
        let mut spare: Option<Contact> = None;
        self.descend(heap, out.margin, |a, b, _| {
            self.add_pair((a, b), &fields, options, workspace, memory, &mut spare, out);
            ControlFlow::Continue(())
        });
        // The deepest pair of parts may have no admitted direction out of the height field while others, less deep,
        // have one. The required depth is known within the bracket of the whole bodies.
        let near = self.tolerance(if self.swapped {
            (out.witness.b.point, out.witness.a.point)
        } else {
            (out.witness.a.point, out.witness.b.point)
        });
        let deep_enough = out.gap.upper + (out.gap.upper - out.gap.lower) + near;
        let lacks_deepest = |out: &Contacts| out.points.iter().all(|point| point.gap.value > deep_enough);
        if lacks_deepest(out) {
            self.add_along_wholes(&fields, workspace, memory, out);
        }
        if lacks_deepest(out) {
            out.points.extend(spare);
        }
        self.tidy(&fields, memory, &mut out.points);
        if let Some(most) = options.most {
            reduce(&mut out.points, most.max(1), self.pose_a, self.middle_a);
        }
        if self.swapped {
            out.points.iter_mut().for_each(|point| *point = point.swapped());
        }
    }

    /// Adds the contacts of two parts, in the internal order of the bodies. `spare` is the deepest point that was not
    /// admitted or lies just beyond the margin.
    #[allow(clippy::too_many_arguments, reason = "one step of the descent and all its outputs")]
    fn add_pair(
        &self,
        (part_a, part_b): (u32, u32),
        fields: &[Option<FieldPrisms<'_>>; 2],
        options: &ContactsOptions,
        workspace: &mut ConvexWorkspace,
        memory: &mut ContactsScratch,
        spare: &mut Option<Contact>,
        out: &mut Contacts,
    ) {
        let pair = self.pair(part_a, part_b);
        // Points within the margin in the world are within this margin here.
        let wider = 2.0 * self.widening(&pair, out.margin);
        let margin = out.margin + if wider.is_finite() { wider } else { 0.0 };
        let ask = ContactsOptions { margin, most: None, ..*options };
        let found = &mut memory.pair;
        let (a, b) = ((&*pair.a, &pair.pose_a), (&*pair.b, &pair.pose_b));
        convex::contacts(a.0, a.1, b.0, b.1, &ask, &mut PairCache::default(), workspace, found);
        let within = out.margin;
        let finished = |direction: DVec3, point: &Contact| {
            let points = self.own_points(part_a, part_b, point.witness.a.point, point.witness.b.point);
            let normal = self.world_normal(direction);
            let features = (point.witness.a.feature, point.witness.b.feature);
            self.frames().contact(direction, normal, points, (part_a, part_b), features)
        };
        let witness = self.own_points(part_a, part_b, found.witness.a.point, found.witness.b.point);
        let direction = found.normal;
        let admitted = self.admits(fields, (part_a, part_b), direction, witness);
        for point in found.points.iter().map(|point| finished(direction, point)) {
            if admitted && point.gap.lower <= within {
                out.points.push(point);
            } else if spare.is_none_or(|spare| point.gap.value < spare.gap.value) {
                *spare = Some(point);
            }
        }
        if admitted {
            return;
        }
        // Only points inside the height field may leave it by other than the shortest translation.
        if found.gap.lower > self.tolerance(witness) {
            return;
        }
        let of_triangle = match fields {
            [Some(field), None] => field.normal(part_a),
            [None, Some(field)] => -self.map.turn(field.normal(part_b)),
            _ => return,
        };
        let of_wholes = self.pose_a.rotation().transpose() * if self.swapped { -out.normal } else { out.normal };
        for direction in [of_triangle, of_wholes].map(|direction| direction.normalize_or(DVec3::Z)) {
            memory.along.clear();
            touches_along(a, b, direction, out.tilt, &mut workspace.manifold, &mut memory.along);
            let before = out.points.len();
            out.points.extend(memory.along.iter().map(|point| finished(direction, point)).filter(|point| {
                let points = (point.witness.a.point, point.witness.b.point);
                point.gap.lower <= within && self.admits(fields, (part_a, part_b), direction, points)
            }));
            if out.points.len() > before {
                return;
            }
        }
    }

    /// For a body so deep in the height field that no triangle has a point of it right behind: the deepest points of
    /// the body, each paired with the point where the separating direction of the whole bodies leaves the height field.
    fn add_along_wholes(
        &self,
        fields: &[Option<FieldPrisms<'_>>; 2],
        workspace: &mut ConvexWorkspace,
        memory: &mut ContactsScratch,
        out: &mut Contacts,
    ) {
        let (field, in_b) = match fields {
            [Some(field), None] => (field, false),
            [None, Some(field)] => (field, true),
            _ => return,
        };
        // In the internal order of the bodies, from A to B; and from the height field to the body.
        let normal = if self.swapped { -out.normal } else { out.normal };
        let direction = (self.pose_a.rotation().transpose() * normal).normalize_or(DVec3::Z);
        let upwards = if in_b { -direction } else { direction };
        let part = if in_b == self.swapped { out.witness.b.part } else { out.witness.a.part };
        let pair = if in_b { self.pair(part, 0) } else { self.pair(0, part) };
        let body = if in_b { (&*pair.a, &pair.pose_a) } else { (&*pair.b, &pair.pose_b) };
        let Ok(plane) = Shape::half_space(upwards, 0.0) else { return };
        memory.along.clear();
        let (manifold, along) = (&mut workspace.manifold, &mut memory.along);
        touches_along((&plane, &Pose::IDENTITY), body, upwards, out.tilt, manifold, along);
        for point in along.iter() {
            let own = (if in_b { &self.a } else { &self.b }).part(part).0.transform_point(point.witness.b.point);
            let (start, up) = if in_b {
                let from = own - self.middle_a - self.map.translation;
                (self.map.turn_back(from) + self.middle_b, self.map.turn_back(upwards))
            } else {
                (self.map.place(own - self.middle_b) + self.middle_a, upwards)
            };
            let Ok(Some(hit)) = field.field.ray_cast(start, up, 0.0, f64::INFINITY) else { continue };
            let Ok(prism) = field.triangles.binary_search(&hit.triangle) else { continue };
            let prism = prism as u32;
            let exit = start + up * hit.t.value;
            let feature = match &*(if in_b { &self.b } else { &self.a }).part(prism).1 {
                Shape::Hull(hull) => hull.hull().nearest_face(exit - hull.hull().origin).map(Feature::Face),
                _ => None,
            };
            let Some(feature) = feature else { continue };
            let (points, parts, features) = if in_b {
                ((own, exit), (part, prism), (point.witness.b.feature, feature))
            } else {
                ((exit, own), (prism, part), (feature, point.witness.b.feature))
            };
            out.points.push(self.frames().contact(direction, normal, points, parts, features));
        }
    }

    fn frames(&self) -> Frames<'_> {
        Frames { map: &self.map, origin_a: self.middle_a, origin_b: self.middle_b }
    }

    /// How far apart two copies of a point may be, in own frames: the tolerance of a witness.
    fn tolerance(&self, (a, b): (DVec3, DVec3)) -> f64 {
        (ACCURACY + self.defect) * self.scale + 16.0 * UNIT_ROUNDOFF * (a.length() + b.length())
    }

    /// Whether a direction, from A to B in the frame of A, leads out of the height field between two points, in own
    /// frames.
    fn admits(
        &self,
        fields: &[Option<FieldPrisms<'_>>; 2],
        (part_a, part_b): (u32, u32),
        direction: DVec3,
        points: (DVec3, DVec3),
    ) -> bool {
        let near = self.tolerance(points);
        fields[0].is_none_or(|field| field.admits(part_a, direction, points.0, near))
            && fields[1].is_none_or(|field| {
                let back = -self.map.turn_back(direction);
                field.admits(part_b, back, points.1, near)
            })
    }

    /// Sorts by depth, deepest first, and removes duplicates and points between corners on one plane of the height
    /// field.
    fn tidy(&self, fields: &[Option<FieldPrisms<'_>>; 2], memory: &mut ContactsScratch, points: &mut Vec<Contact>) {
        points.sort_unstable_by(|p, q| {
            let coordinates = |c: &Contact| [c.witness.a.point.to_array(), c.witness.b.point.to_array()];
            let compare = |p: &Contact, q: &Contact| {
                let (p, q) = (coordinates(p), coordinates(q));
                let pairs = p.as_flattened().iter().zip(q.as_flattened());
                pairs.map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
            };
            p.gap
                .value
                .total_cmp(&q.gap.value)
                .then((p.witness.a.part, p.witness.b.part).cmp(&(q.witness.a.part, q.witness.b.part)))
                .then_with(|| compare(p, q))
        });
        self.drop_doubles(memory, points);
        if fields.iter().flatten().count() == 1 {
            self.drop_between(fields[1].is_some(), memory, points);
        }
    }

    /// Keeps the first of several points at one place with one normal.
    fn drop_doubles(&self, memory: &mut ContactsScratch, points: &mut Vec<Contact>) {
        let ContactsScratch { order, dropped, .. } = memory;
        order.clear();
        order.extend(0..points.len() as u32);
        order.sort_unstable_by(|&p, &q| {
            let x = |k: u32| points[k as usize].witness.a.point.x;
            x(p).total_cmp(&x(q)).then(p.cmp(&q))
        });
        dropped.clear();
        dropped.resize(points.len(), false);
        for (k, &first) in order.iter().enumerate() {
            let p = points[first as usize];
            let near = self.tolerance((p.witness.a.point, p.witness.b.point));
            for &second in &order[k + 1..] {
                let q = points[second as usize];
                if q.witness.a.point.x - p.witness.a.point.x > near {
                    break;
                }
                let same = q.witness.a.point.distance(p.witness.a.point) <= near
                    && q.witness.b.point.distance(p.witness.b.point) <= near
                    && q.normal.distance(p.normal) <= CONTACT_SAME_DIRECTION;
                if same {
                    dropped[first.max(second) as usize] = true;
                }
            }
        }
        keep(points, dropped);
    }

    /// Of the points between one part of the other body and one plane of the height field (B if `in_b`), with one
    /// normal, keeps only the corners of their hull.
    fn drop_between(&self, in_b: bool, memory: &mut ContactsScratch, points: &mut Vec<Contact>) {
        let ContactsScratch { order, dropped, settled, group, chain, .. } = memory;
        order.clear();
        order.extend(0..points.len() as u32);
        let key = |k: u32| points[k as usize].normal.x;
        order.sort_unstable_by(|&p, &q| key(p).total_cmp(&key(q)).then(p.cmp(&q)));
        settled.clear();
        settled.resize(points.len(), false);
        dropped.clear();
        dropped.resize(points.len(), false);
        for (k, &first) in order.iter().enumerate() {
            if settled[first as usize] {
                continue;
            }
            let p = points[first as usize];
            let near = self.tolerance((p.witness.a.point, p.witness.b.point));
            // In the frame of the height field, where the points are.
            let (own, at) = if in_b {
                (self.pose_b.rotation().transpose() * p.normal, p.witness.b.point)
            } else {
                (self.pose_a.rotation().transpose() * p.normal, p.witness.a.point)
            };
            let (x, y) = own.normalize_or(DVec3::Z).any_orthonormal_pair();
            group.clear();
            for &second in &order[k..] {
                let q = points[second as usize];
                if q.normal.x - p.normal.x > CONTACT_SAME_DIRECTION {
                    break;
                }
                let (place, other) = if in_b {
                    (q.witness.b.point, q.witness.a.part == p.witness.a.part)
                } else {
                    (q.witness.a.point, q.witness.b.part == p.witness.b.part)
                };
                let from = place - at;
                if other && q.normal.distance(p.normal) <= CONTACT_SAME_DIRECTION && own.dot(from).abs() <= near {
                    group.push((DVec2::new(x.dot(from), y.dot(from)), second));
                    settled[second as usize] = true;
                }
            }
            if group.len() < 3 {
                continue;
            }
            corners_of_hull(group, chain, near);
            for &(_, point) in group.iter() {
                dropped[point as usize] = true;
            }
            for &(_, point) in chain.iter() {
                dropped[point as usize] = false;
            }
        }
        keep(points, dropped);
    }
}

/// Removes the dropped points; the others keep their order.
fn keep(points: &mut Vec<Contact>, dropped: &[bool]) {
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        !dropped[index - 1]
    });
}

/// The corners of the hull of points in a plane, by a monotone chain (Andrew 1979); points within `near` of a side are
/// not corners.
fn corners_of_hull(points: &mut [(DVec2, u32)], chain: &mut Vec<(DVec2, u32)>, near: f64) {
    points.sort_unstable_by(|p, q| p.0.x.total_cmp(&q.0.x).then(p.0.y.total_cmp(&q.0.y)).then(p.1.cmp(&q.1)));
    chain.clear();
    let count = points.len();
    for backwards in [false, true] {
        let start = chain.len();
        for k in 0..count {
            let next = points[if backwards { count - 1 - k } else { k }];
            while chain.len() >= start + 2 {
                let (p, q) = (chain[chain.len() - 2].0, chain[chain.len() - 1].0);
                if (q - p).perp_dot(next.0 - p) > near * p.distance(next.0) {
                    break;
                }
                chain.pop();
            }
            chain.push(next);
        }
        // The last point of each chain is the first of the other.
        chain.pop();
    }
}

impl FieldPrisms<'_> {
    /// The upward normal of a prism's triangle.
    fn normal(&self, prism: u32) -> DVec3 {
        self.triangles.get(prism as usize).map_or(DVec3::Z, |&triangle| self.field.triangle_normal(triangle))
    }

    /// Whether a unit direction leads out of the height field at a point of a prism's surface known within `near`; see
    /// the module documentation.
    fn admits(&self, prism: u32, direction: DVec3, point: DVec3, near: f64) -> bool {
        if direction.distance(self.normal(prism)) <= CONTACT_SAME_DIRECTION {
            return true;
        }
        if direction.z < -CONTACT_SAME_DIRECTION {
            return false;
        }
        let Some(&triangle) = self.triangles.get(prism as usize) else { return false };
        let Some([first, ..]) = self.field.triangle(triangle) else { return false };
        let near = near + CONTACT_SAME_DIRECTION * self.field.spacing().min_element();
        // On a wall, below the surface, the height field continues above and below this point.
        let below = self.normal(prism).dot(point - first) < -near;
        if below && direction.z > CONTACT_SAME_DIRECTION {
            return false;
        }
        let place = point.truncate();
        let mut leads_out = true;
        let _ = self.field.for_each_triangle_in(place - near, place + near, f64::NEG_INFINITY, |_, corners| {
            let sides = [(0, 1), (1, 2), (2, 0)].map(|(p, q)| (corners[p].truncate(), corners[q].truncate()));
            if sides.iter().any(|(p, q)| (*q - *p).perp_dot(place - *p) < -near * p.distance(*q)) {
                return ControlFlow::Continue(());
            }
            let ahead = |corner: DVec3| {
                let to = if below { (corner - point).with_z(0.0) } else { corner - point };
                direction.dot(to) > CONTACT_SAME_DIRECTION * to.length() + near
            };
            if corners.into_iter().any(ahead) {
                leads_out = false;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        leads_out
    }
}

impl Parts<'_> {
    /// One point for each pair of parts within the margin.
    pub fn mesh_contacts(&self, workspace: &mut ConvexWorkspace, scratch: &mut PartsScratch, out: &mut Contacts) {
        let margin = out.margin;
        self.descend(&mut scratch.heap, margin, |part_a, part_b, _| {
            let ask = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
            let found = self.between(part_a, part_b, &ask, workspace);
            if found.gap.lower <= margin {
                let sign = if self.swapped { -1.0 } else { 1.0 };
                let normal = found.normal.map_or(out.normal, |normal| self.world_normal(normal) * sign);
                out.points.push(Contact::of_distance(&self.in_callers_terms(found), normal));
            }
            ControlFlow::Continue(())
        });
    }
}
