//! The questions about two meshes. See [`crate::mesh::pair`].

use std::cmp::Ordering;

use glam::DVec3;

use super::answer::{Distance, Evidence, Feature, Method, Relation, RelationProof};
use super::distance::{DistanceOptions, distance_with};
use super::intersects::IntersectsOptions;
use super::overlap_of_solids::{Overlap, overlap};
use super::placed;
use super::relation::RelationOptions;
use super::workspace::{PairCache, Workspace};
use crate::geom::triangle_triangle::{Crossing, Feature3, triangles_cross};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, CONTACT_POINT, ROUND_UP, UNIT_ROUNDOFF};
use crate::mesh::inside::winding;
use crate::mesh::pair::{MeshPair, Nearest, NearestOptions};
use crate::shape::{Mesh, Shape, Surface};

/// Two meshes; A is the later one in the total order of bodies.
pub(super) struct Meshes<'s> {
    pub a: &'s Mesh,
    pub b: &'s Mesh,
    pub pose_a: &'s Pose,
    /// The caller's A is our B.
    pub swapped: bool,
    pub pair: MeshPair<'s>,
    pub placement: f64,
}

impl<'s> Meshes<'s> {
    /// `None` unless both bodies are meshes.
    #[inline]
    pub fn of(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Option<Meshes<'s>> {
        let (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) = (a, b) else { return None };
        let swapped = placed::order(a, pose_a, b, pose_b) == Ordering::Less;
        Some(if swapped {
            Meshes::new(mesh_b, pose_b, mesh_a, pose_a, true)
        } else {
            Meshes::new(mesh_a, pose_a, mesh_b, pose_b, false)
        })
    }

    fn new(a: &'s Mesh, pose_a: &'s Pose, b: &'s Mesh, pose_b: &'s Pose, swapped: bool) -> Meshes<'s> {
        let map = Placement::new(pose_a, a.surface().origin, pose_b, b.surface().origin);
        let pair = MeshPair::new(a.surface(), b.surface(), map);
        Meshes { a, b, pose_a, swapped, pair, placement: map.bound(b.surface().radius) }
    }

    /// `L` of the contract.
    fn scale(&self) -> f64 {
        self.pair.a.diameter + self.pair.b.diameter + self.pair.map.separation
    }

    /// A bound of the placed pair, as one of the real-number bodies.
    fn lower(&self, gap: f64) -> f64 {
        let gap = gap - self.placement;
        gap - gap.abs() * (self.pair.map.stretch + 4.0 * UNIT_ROUNDOFF)
    }

    fn upper(&self, gap: f64) -> f64 {
        let gap = gap + self.placement;
        gap + gap.abs() * (self.pair.map.stretch + 4.0 * UNIT_ROUNDOFF)
    }

    /// A length that is, in the frame of A, at least the given one of the world.
    pub fn in_frame(&self, length: f64) -> f64 {
        length * (1.0 + 2.0 * self.pair.map.stretch + 16.0 * UNIT_ROUNDOFF)
    }

    /// See [`distance`](super::distance()).
    pub fn distance(&self, options: &DistanceOptions, cache: &mut PairCache, workspace: &mut Workspace) -> Distance {
        let enough = options.farther_than.filter(|d| !d.is_nan()).map(|d| {
            // Farther than zero is a bound that is not zero, also where placement adds nothing.
            self.in_frame(d.max(0.0) + self.placement).max(f64::MIN_POSITIVE)
        });
        let search = NearestOptions { tolerance: options.tolerance.max(0.0), within: enough, ..Default::default() };
        let nearest = self.pair.nearest(workspace.level, self.start(cache), &search, &mut workspace.reaches);
        cache.store_triangles([nearest.a, nearest.b], self.swapped);
        let crossing = || triangles_cross(&self.pair.a.corners(nearest.a), &self.pair.placed(nearest.b));
        let answer = if nearest.gap.value == 0.0
            && let Some(crossing) = crossing()
        {
            self.meeting(nearest.a, nearest.b, &crossing)
        } else if let Some(point) = self.contained() {
            self.common(point, [nearest.a, nearest.b], [Feature::Interior; 2])
        } else {
            self.apart(&nearest)
        };
        if self.swapped { answer.mirrored() } else { answer }
    }

    /// The triangles to start with, if the cache knows any.
    fn start(&self, cache: &PairCache) -> Option<[u32; 2]> {
        let counts = [self.pair.a.triangles.len(), self.pair.b.triangles.len()];
        cache.triangles(counts, self.swapped)
    }

    pub fn apart(&self, nearest: &Nearest) -> Distance {
        let gap = &nearest.gap;
        let lower = self.lower(nearest.lower).max(0.0);
        let upper = self.upper(gap.upper);
        let complete = upper - lower <= (ACCURACY + self.pose_a.defect()) * self.scale();
        let normal = (self.pose_a.inverse_rotation().transpose() * gap.direction).normalize();
        Distance {
            value: gap.value.max(f64::MIN_POSITIVE).max(lower).min(upper),
            lower,
            upper,
            placement: self.placement,
            method: if complete { Method::Mesh } else { Method::MeshStopped },
            point_in_a: self.in_a(gap.point_a),
            point_in_b: self.in_b(gap.point_b, nearest.b, gap.on_b),
            part_a: self.pair.a.ids[nearest.a as usize],
            part_b: self.pair.b.ids[nearest.b as usize],
            feature_a: feature(self.pair.a, nearest.a, gap.on_a),
            feature_b: feature(self.pair.b, nearest.b, gap.on_b),
            normal: Some(normal),
        }
    }

    /// The answer for two triangles that meet.
    pub fn meeting(&self, slot_a: u32, slot_b: u32, crossing: &Crossing) -> Distance {
        let features = [feature(self.pair.a, slot_a, crossing.on_a[0]), feature(self.pair.b, slot_b, crossing.on_b[0])];
        self.common(crossing.ends[0], [slot_a, slot_b], features)
    }

    /// The answer for bodies with a common point, given in the frame of A's points.
    fn common(&self, point: DVec3, [slot_a, slot_b]: [u32; 2], [feature_a, feature_b]: [Feature; 2]) -> Distance {
        let reach = 2.0 * (self.pair.a.radius + self.pair.b.radius) + self.pair.map.separation;
        let stretch = self.pair.map.stretch;
        Distance {
            value: 0.0,
            lower: 0.0,
            upper: (self.placement + CONTACT_POINT * reach) * (1.0 + stretch + 8.0 * UNIT_ROUNDOFF),
            placement: self.placement,
            method: Method::Mesh,
            point_in_a: self.in_a(point),
            point_in_b: self.back(point),
            part_a: self.pair.a.ids[slot_a as usize],
            part_b: self.pair.b.ids[slot_b as usize],
            feature_a,
            feature_b,
            normal: None,
        }
    }

    pub fn in_a(&self, point: DVec3) -> DVec3 {
        point + self.pair.a.origin
    }

    /// A point of the frame of A's points, in B's own frame.
    pub fn back(&self, point: DVec3) -> DVec3 {
        let map = &self.pair.map;
        map.rotation.inverse() * (point - map.translation) + self.pair.b.origin
    }

    /// A point of a triangle of B, in B's own frame: bit for bit a corner where it is one.
    fn in_b(&self, point: DVec3, slot: u32, on: Feature3) -> DVec3 {
        match on {
            Feature3::Vertex(k) => self.pair.b.corners(slot)[usize::from(k)] + self.pair.b.origin,
            _ => self.back(point),
        }
    }

    /// For bodies whose surfaces do not meet: a point, in the frame of A's points, of one that lies in the other.
    fn contained(&self) -> Option<DVec3> {
        let (a, b) = (self.pair.a, self.pair.b);
        let map = &self.pair.map;
        if self.a.is_solid() {
            for &vertex in self.b.component_points() {
                let point = map.place(b.points[vertex as usize]);
                if winding(a, point) != 0 {
                    return Some(point);
                }
            }
        }
        if self.b.is_solid() {
            let inverse = map.rotation.inverse();
            for &vertex in self.a.component_points() {
                let point = a.points[vertex as usize];
                if winding(b, inverse * (point - map.translation)) != 0 {
                    return Some(point);
                }
            }
        }
        None
    }

    /// See [`intersects`](super::intersects()).
    pub fn intersects(&self, options: &IntersectsOptions, cache: &mut PairCache, workspace: &mut Workspace) -> bool {
        if options.margin > 0.0 {
            // The walk's bounds concern the placed pair, so a bound beyond the margin decides.
            let search = NearestOptions { enough: options.margin, within: Some(options.margin), ..Default::default() };
            let nearest = self.pair.nearest(workspace.level, self.start(cache), &search, &mut workspace.reaches);
            cache.store_triangles([nearest.a, nearest.b], self.swapped);
            return nearest.gap.value <= options.margin || self.contained().is_some();
        }
        match self.pair.first(workspace.level, self.start(cache), &mut workspace.reaches) {
            Some(triangles) => {
                cache.store_triangles(triangles, self.swapped);
                true
            }
            None => self.contained().is_some(),
        }
    }
}

/// See [`relation`](super::relation()), for a pair in which one body at least is a mesh. A surface has no inside, so it
/// touches and does not overlap. How deep solids that meet overlap is not known here: the bracket of the gap reaches from a
/// translation that certainly separates them to what proves that they meet, or overlap.
pub(super) fn relation(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &RelationOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> RelationProof {
    let band = options.touch_band.max(0.0);
    let ask = DistanceOptions { farther_than: Some(band), ..DistanceOptions::default() };
    let found = distance_with(a, pose_a, b, pose_b, &ask, cache, workspace);
    let overlap = if found.value == 0.0 { overlap((a, pose_a), (b, pose_b), &found, workspace) } else { None };
    let evidence = match overlap {
        Some(Overlap { point_in_a, point_in_b, .. }) => Evidence::Deep { point_in_a, point_in_b },
        None => Evidence::Points { point_in_a: found.point_in_a, point_in_b: found.point_in_b },
    };
    let proof = RelationProof {
        relation: Relation::Touching,
        // Where a distance is not proved, solids may overlap by the placement.
        lower: if found.lower == 0.0 { -longest_way_out(a, b) } else { found.lower },
        upper: overlap.map_or(found.upper, |overlap| -overlap.depth),
        placement: found.placement,
        touch_band: band,
        normal: found.normal.unwrap_or(DVec3::X),
        part_a: found.part_a,
        part_b: found.part_b,
        evidence,
    };
    proof.judged()
}

/// A translation of this length, in some direction, separates two bodies that meet: past each other's diameters. A surface has no
/// inside to be separated from.
pub(super) fn longest_way_out(a: &Shape, b: &Shape) -> f64 {
    let is_surface = |shape: &Shape| matches!(shape, Shape::Mesh(mesh) if !mesh.is_solid());
    if is_surface(a) || is_surface(b) {
        return 0.0;
    }
    ((a.diameter() + b.diameter()) * ROUND_UP).min(f64::MAX)
}

/// A feature of a triangle, as one of its mesh.
pub(super) fn feature(surface: &Surface, slot: u32, on: Feature3) -> Feature {
    let id = surface.ids[slot as usize];
    match on {
        Feature3::Vertex(k) => Feature::Vertex(surface.triangles[slot as usize][usize::from(k)]),
        Feature3::Edge(k) => Feature::Edge(3 * id + u32::from(k)),
        Feature3::Face => Feature::Face(id),
    }
}
