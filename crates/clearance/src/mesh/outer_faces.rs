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
//! A triangle that others cross or overlap is split in four recursively. Parts clear of the others that share sides form
//! regions, and one part of a region decides for all. Parts next to the others remain undecided.

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
        for pair in self_intersections(mesh, SelfIntersectionKind::Rims) {
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

/// A part of a triangle.
#[derive(Clone, Copy)]
struct Part {
    corners: [DVec3; 3],
    /// The corners on a grid of the finest parts: weights of the triangle's second and third corner.
    on_grid: [[u16; 2]; 3],
}

impl Part {
    /// A whole triangle.
    fn of_triangle(corners: [DVec3; 3]) -> Part {
        const SIDE: u16 = 1 << OUTER_FACES_SPLITS;
        Part { corners, on_grid: [[0, 0], [SIDE, 0], [0, SIDE]] }
    }

    /// The four triangles between corners and midpoints of sides.
    fn quarters(&self) -> [Part; 4] {
        let ([a, b, c], [p, q, r]) = (self.corners, self.on_grid);
        let [d, e, f] = [(b + c) / 2.0, (c + a) / 2.0, (a + b) / 2.0];
        let between = |p: [u16; 2], q: [u16; 2]| [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
        let [u, v, w] = [between(q, r), between(r, p), between(p, q)];
        let part = |corners: [DVec3; 3], on_grid: [[u16; 2]; 3]| Part { corners, on_grid };
        [part([a, f, e], [p, w, v]), part([f, b, d], [w, q, u]), part([e, d, c], [v, u, r]), part([d, e, f], [u, v, w])]
    }

    /// The lines of the grid along its sides, each with where the side begins and ends on it.
    fn sides(&self) -> [([u16; 2], [u16; 2]); 3] {
        [0, 1, 2].map(|k| {
            let ([u, v], [s, t]) = (self.on_grid[k], self.on_grid[(k + 1) % 3]);
            match () {
                () if u == s => ([0, u], [v.min(t), v.max(t)]),
                () if v == t => ([1, v], [u.min(s), u.max(s)]),
                () => ([2, u + v], [u.min(s), u.max(s)]),
            }
        })
    }
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
    if others.is_empty() {
        return vec![(whole, Known::Undecided)];
    }
    let (mut clear, mut undecided) = (Vec::new(), Vec::new());
    // What a part is clear of, its own parts are clear of too: each is tested against what is left of its parent.
    let all: Rc<[u32]> = others.into();
    let mut open = std::collections::VecDeque::from([(Part::of_triangle(whole), 0, all)]);
    while let Some((part, cuts, near)) = open.pop_front() {
        let margin = OUTER_FACES_ROUNDING * surface.radius;
        let is_near = |other: &u32| !are_apart(&part.corners, &surface.corners(*other), margin);
        let near: Rc<[u32]> = near.iter().copied().filter(is_near).collect();
        if near.is_empty() {
            clear.push(part);
        } else if cuts == OUTER_FACES_SPLITS || clear.len() + undecided.len() + open.len() + 4 > most {
            undecided.push(part);
        } else {
            open.extend(part.quarters().map(|quarter| (quarter, cuts + 1, near.clone())));
        }
    }
    let mut regions = regions(&clear);
    let mut known: Vec<Option<Known>> = vec![None; clear.len()];
    let mut tried = vec![0; clear.len()];
    // Large parts come first.
    for (number, part) in clear.iter().enumerate() {
        let region = find(&mut regions, number as u32) as usize;
        if known[region].is_none() && tried[region] < OUTER_FACES_TRIED {
            tried[region] += 1;
            let [a, b, c] = part.corners;
            known[region] = in_front(surface, slot, (a + b + c) / 3.0, waiting).map(of_winding);
        }
    }
    let state = |number: usize| known[find(&mut regions, number as u32) as usize].unwrap_or(Known::Undecided);
    let decided: Vec<Known> = (0..clear.len()).map(state).collect();
    let decided = clear.iter().map(|part| part.corners).zip(decided);
    decided.chain(undecided.iter().map(|part| (part.corners, Known::Undecided))).collect()
}

/// The number of the region of each part of a triangle: those that share more than a point of their sides are in one.
/// Where no other triangle meets them, the winding number in front is the same in all of a region.
fn regions(parts: &[Part]) -> Vec<u32> {
    let mut sides: Vec<([u16; 2], [u16; 2], u32)> = Vec::with_capacity(3 * parts.len());
    for (part, number) in parts.iter().zip(0..) {
        sides.extend(part.sides().map(|(line, ends)| (line, ends, number)));
    }
    sides.sort_unstable();
    let mut regions: Vec<u32> = (0..parts.len() as u32).collect();
    for on_line in sides.chunk_by(|p, q| p.0 == q.0) {
        // Parts do not overlap: sides that do are on the two sides of the line.
        let (_, [_, mut end], mut last) = on_line[0];
        for &(_, [from, to], number) in &on_line[1..] {
            if from < end {
                join(&mut regions, last, number);
            }
            if to > end {
                (end, last) = (to, number);
            }
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diagonal of the finest grid cuts a triangle in two: parts on either side of it are in two regions.
    #[test]
    fn regions_of_parts() {
        let whole = Part::of_triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let is_left = |part: &Part| part.corners.iter().all(|p| p.x + p.y <= 0.5);
        let mut parts: Vec<Part> = whole.quarters().to_vec();
        for _ in 0..2 {
            let quarter = |part: &Part| if is_left(part) { vec![*part] } else { part.quarters().to_vec() };
            parts = parts.iter().flat_map(quarter).collect();
        }
        // Without the parts between x + y = 1/2 and 3/4 the others are apart.
        parts.retain(|part| is_left(part) || part.corners.iter().all(|p| p.x + p.y >= 0.75));
        let mut regions = regions(&parts);
        let names: Vec<u32> = (0..parts.len() as u32).map(|number| find(&mut regions, number)).collect();
        let of = |left: bool| {
            let own = parts.iter().zip(&names).filter(|(part, _)| is_left(part) == left);
            own.map(|(_, &name)| name).collect::<std::collections::BTreeSet<u32>>()
        };
        assert_eq!((of(true).len(), of(false).len()), (1, 1), "{names:?}");
        assert_ne!(of(true), of(false));
        // Parts of different sizes that share a part of a side are in one region.
        let [first, .., middle] = whole.quarters();
        let small = [&[first], &middle.quarters()[..]].concat();
        let mut joined = super::regions(&small);
        assert!((0..5).all(|number| find(&mut joined, number) == 0), "{joined:?}");
    }
}
