//! Which triangles of a solid lie on its boundary, proved one by one.
//!
//! A point is inside where the winding number is at least one. So a triangle, or a part of it that no other one
//! touches, is on the boundary exactly if the winding number just in front of it is zero: behind it is one more.
//! Elsewhere both sides are inside, as where shells overlap, or both are outside.
//!
//! That number is constant over connected triangles: across an edge shared by exactly two, by coordinates, that nothing
//! else touches except in points. One triangle of such a group decides for all, exactly ([`winding`]), at a point
//! nearer its centroid than any other triangle.
//!
//! A triangle that others cross or overlap is split in four recursively, and parts clear of the others are decided on
//! their own. Parts next to them remain undecided.

use std::rc::Rc;

use glam::DVec3;

use crate::answer::self_intersections::SelfIntersectionKind;
use crate::geom::closest::closest_on_triangle;
use crate::geom::piece::{are_apart, distance_from};
use crate::geom::ray_polytope::rounded_normal;
use crate::geom::topology::{find, join};
use crate::geom::triangle_triangle::{Crossing, Feature3, triangles_cross};
use crate::math::predicates::{collinear, orient3d};
use crate::math::tolerances::{
    OUTER_FACES_ALL_PARTS, OUTER_FACES_PARTS, OUTER_FACES_ROUNDING, OUTER_FACES_SPLITS, OUTER_FACES_TRIED,
    UNIT_ROUNDOFF,
};
use crate::mesh::inside::winding;
use crate::mesh::same_points::lowest_of_equal;
use crate::mesh::self_intersections::self_intersections;
use crate::mesh::walk_faces::{Waiting, walk_near};
use crate::shape::{Mesh, OuterFaces, SomeFaces, Surface};

/// What is known of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Outer,
    Buried,
    Undecided,
}

impl Mesh {
    /// Which triangles of the solid bound it; `None` if all do. Found once.
    pub(crate) fn outer_faces(&self) -> Option<&OuterFaces> {
        self.surface().outer_faces(|| find_outer(self))
    }
}

fn find_outer(mesh: &Mesh) -> Option<OuterFaces> {
    let surface = mesh.surface();
    let count = surface.triangles.len();
    let mut meetings = Vec::new();
    let (mut is_cut, mut has_rims) = (vec![false; count], vec![false; count]);
    if mesh.self_crossing().somewhere {
        meetings = vec![Vec::new(); count];
        let mut slots = vec![0u32; count];
        surface.ids.iter().zip(0..).for_each(|(&id, slot)| slots[id as usize] = slot);
        for pair in self_intersections(mesh) {
            let [p, q] = pair.triangles.map(|id| slots[id as usize]);
            let crossing = triangles_cross(&surface.corners(p), &surface.corners(q));
            let overlap = pair.kind == SelfIntersectionKind::Overlap;
            for (one, other, first) in [(p, q, true), (q, p, false)] {
                match touch(crossing.as_ref(), first) {
                    Touch::Point if !overlap => {}
                    Touch::Rim if !overlap => has_rims[one as usize] = true,
                    _ => {
                        is_cut[one as usize] = true;
                        meetings[one as usize].push(other);
                    }
                }
            }
        }
    }
    let mut known = by_groups(surface, &is_cut, &has_rims);
    // Zero-area triangles bound nothing.
    for (slot, known) in (0..).zip(&mut known) {
        let [a, b, c] = surface.corners(slot);
        if collinear(a, b, c) {
            *known = Known::Buried;
        }
    }
    if known.iter().all(|&known| known == Known::Outer) {
        return None;
    }
    Some(collect(mesh, &known, &meetings))
}

/// How another triangle meets a given one.
enum Touch {
    /// In a point.
    Point,
    /// Along an edge.
    Rim,
    /// In the interior.
    Inside,
}

fn touch(crossing: Option<&Crossing>, first: bool) -> Touch {
    let Some(crossing) = crossing else { return Touch::Inside };
    if crossing.on_a[0] == crossing.on_a[1] && crossing.on_b[0] == crossing.on_b[1] {
        return Touch::Point;
    }
    let on = if first { crossing.on_a } else { crossing.on_b };
    let holds = |edge: u8, feature: Feature3| match feature {
        Feature3::Vertex(k) => k == edge || k == (edge + 1) % 3,
        Feature3::Edge(k) => k == edge,
        Feature3::Face => false,
    };
    if (0..3).any(|edge| on.into_iter().all(|feature| holds(edge, feature))) { Touch::Rim } else { Touch::Inside }
}

/// Decides each triangle, by slot, that no other one cuts.
fn by_groups(surface: &Surface, is_cut: &[bool], has_rims: &[bool]) -> Vec<Known> {
    let count = surface.triangles.len();
    let numbers: Vec<u32> = (0..surface.points.len() as u32).collect();
    let lowest = lowest_of_equal(&numbers, |p| surface.points[p as usize]);
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * count);
    for (triangle, slot) in surface.triangles.iter().zip(0u32..) {
        for k in 0..3 {
            let [p, q] = [triangle[k], triangle[(k + 1) % 3]].map(|p| lowest[p as usize]);
            edges.push(([p.min(q), p.max(q)], slot));
        }
    }
    edges.sort_unstable();
    let stands_alone = |slot: u32| is_cut[slot as usize] || has_rims[slot as usize];
    let mut groups: Vec<u32> = (0..count as u32).collect();
    for shared in edges.chunk_by(|p, q| p.0 == q.0) {
        if let [(_, one), (_, other)] = *shared
            && !stands_alone(one)
            && !stands_alone(other)
        {
            join(&mut groups, one, other);
        }
    }
    drop(edges);
    let mut members: Vec<(u32, f64, u32)> = (0..count as u32)
        .map(|slot| {
            let [a, b, c] = surface.corners(slot);
            (find(&mut groups, slot), (b - a).cross(c - a).length_squared(), slot)
        })
        .collect();
    members.sort_unstable_by(|p, q| p.0.cmp(&q.0).then(q.1.total_cmp(&p.1)).then(p.2.cmp(&q.2)));
    let mut known = vec![Known::Undecided; count];
    let mut waiting = Waiting::new();
    for group in members.chunk_by(|p, q| p.0 == q.0) {
        if is_cut[group[0].2 as usize] {
            continue;
        }
        let asked = group.iter().take(OUTER_FACES_TRIED).find_map(|&(_, _, slot)| {
            let [a, b, c] = surface.corners(slot);
            in_front(surface, slot, (a + b + c) / 3.0, &mut waiting)
        });
        if let Some(around) = asked {
            group.iter().for_each(|&(_, _, slot)| known[slot as usize] = of_winding(around));
        }
    }
    known
}

fn of_winding(in_front: i64) -> Known {
    if in_front == 0 { Known::Outer } else { Known::Buried }
}

/// The winding number just in front of a triangle, next to a point of it; `None` where others are too near to tell.
fn in_front(surface: &Surface, slot: u32, place: DVec3, waiting: &mut Waiting) -> Option<i64> {
    let corners = surface.corners(slot);
    let [a, b, c] = corners;
    let normal = rounded_normal(corners).try_normalize()?;
    let size = (b - a).abs().max((c - a).abs()).max_element();
    // The distance to the other triangles, at most the size of the triangle.
    let mut room = size;
    walk_near(surface, &[place], size, waiting, |other| {
        if other != slot {
            room = room.min(distance_from(place, surface.corners(other)).0);
        }
        room
    });
    let step = 0.5 * room;
    let front = place + normal * step;
    // The segment from the triangle's closest point to the one in front meets no other triangle: all of it is this
    // near.
    let off = closest_on_triangle(place, a, b, c).distance;
    let reach = off + (front - place).length();
    let is_clear = reach + 64.0 * UNIT_ROUNDOFF * (size + place.length()) < room;
    (is_clear && orient3d(a, b, c, front).is_positive()).then(|| winding(surface, front))
}

/// The triangles proved to be outer, and those that may be, with the parts of those that were split.
fn collect(mesh: &Mesh, known: &[Known], meetings: &[Vec<u32>]) -> OuterFaces {
    let surface = mesh.surface();
    let mut points: Vec<[f64; 3]> = mesh.points().map(|p| p.to_array()).collect();
    let (mut sure, mut possible) = (Vec::new(), Vec::new());
    let (mut undecided, mut looked_at) = (0, 0);
    let mut waiting = Waiting::new();
    for (slot, &state) in (0u32..).zip(known) {
        let id = surface.ids[slot as usize];
        let triangle = surface.triangles[slot as usize];
        match state {
            Known::Buried => {}
            Known::Outer => {
                sure.push((triangle, (id, true)));
                possible.push((triangle, (id, true)));
            }
            Known::Undecided => {
                let others = meetings.get(slot as usize).map_or(&[][..], |others| &others[..]);
                let most = OUTER_FACES_PARTS.min(OUTER_FACES_ALL_PARTS.saturating_sub(looked_at));
                let parts = parts_of(surface, slot, others, most, &mut waiting);
                looked_at += parts.len();
                undecided += u32::from(parts.iter().any(|part| part.1 == Known::Undecided));
                for (corners, state) in parts {
                    if state == Known::Buried {
                        continue;
                    }
                    let first = points.len() as u32;
                    points.extend(corners.map(|p| (p + surface.origin).to_array()));
                    let triangle = [first, first + 1, first + 2];
                    possible.push((triangle, (id, state == Known::Outer)));
                    if state == Known::Outer {
                        sure.push((triangle, (id, true)));
                    }
                }
            }
        }
    }
    let faces = |of: &[([u32; 3], (u32, bool))]| {
        let triangles: Vec<[u32; 3]> = of.iter().map(|&(triangle, _)| triangle).collect();
        let mesh = Mesh::new(&points, &triangles).ok()?;
        Some(SomeFaces { mesh, parents: of.iter().map(|&(_, parent)| parent).collect() })
    };
    let all = faces(&possible);
    OuterFaces { sure: if undecided == 0 { all.clone() } else { faces(&sure) }, possible: all, undecided }
}

/// Parts of a triangle that others meet, and what is known of each.
fn parts_of(
    surface: &Surface,
    slot: u32,
    others: &[u32],
    most: usize,
    waiting: &mut Waiting,
) -> Vec<([DVec3; 3], Known)> {
    let whole = surface.corners(slot);
    let mut done = Vec::new();
    // What a part is clear of, its own parts are clear of too: each is tested against what is left of its parent.
    let all: Rc<[u32]> = others.into();
    let mut open = std::collections::VecDeque::from([(whole, 0, all)]);
    while let Some((corners, cuts, near)) = open.pop_front() {
        let [a, b, c] = corners;
        let margin = OUTER_FACES_ROUNDING * surface.radius;
        let is_near = |other: &u32| !are_apart(&corners, &surface.corners(*other), margin);
        let near: Rc<[u32]> = near.iter().copied().filter(is_near).collect();
        let is_clear = near.is_empty();
        let around =
            if is_clear && !others.is_empty() { in_front(surface, slot, (a + b + c) / 3.0, waiting) } else { None };
        if let Some(around) = around {
            done.push((corners, of_winding(around)));
        } else if cuts == OUTER_FACES_SPLITS || others.is_empty() || is_clear || done.len() + open.len() + 4 > most {
            done.push((corners, Known::Undecided));
        } else {
            let [d, e, f] = [(b + c) / 2.0, (c + a) / 2.0, (a + b) / 2.0];
            open.extend([[a, f, e], [f, b, d], [e, d, c], [d, e, f]].map(|part| (part, cuts + 1, near.clone())));
        }
    }
    done
}
