//! Verifies where meshes of tetrahedra meet, with independent code.
//!
//! Boxes in double precision, as exact as the points, are sorted along x and swept: no tree, no grid. A face and a
//! tetrahedron whose boxes overlap meet if the face meets one of its four sides, by the exact predicate of
//! `triangles.rs`, or has a corner inside. All that meet must be in the list, and nothing else.
//!
//! Vertices inside a mesh are looked for in every tetrahedron; their coordinates are compared with ratios of volumes
//! exactly, and the nearest points of the surface as those of [`closest_point`](crate::closest_point()) are.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::tets::{TetDepth, TetNeighbours, TetPairs, TetSelfPairs};
use crate::bound::Aabb;
use crate::deform::TetMesh;
use crate::math::bracket::Bracket;
use crate::math::dyadic::Dyadic;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::ring::{self, Ring};
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Shape;
use crate::verify::rays::verify_point;
use crate::verify::refusal::Refusal;
use crate::verify::triangles::meet;

/// Verifies an answer of [`tet_pairs`](crate::tet_pairs()).
pub(crate) fn verify_pairs(answer: &TetPairs, a: &TetMesh, b: &TetMesh) -> Result<(), Refusal> {
    check(&answer.faces_of_a, "faces_of_a", a, b, |_, _| false)?;
    check(&answer.faces_of_b, "faces_of_b", b, a, |_, _| false)
}

/// Verifies an answer of [`tet_self_pairs`](crate::tet_self_pairs()).
pub(crate) fn verify_self_pairs(answer: &TetSelfPairs, mesh: &TetMesh, relation: TetNeighbours) -> Result<(), Refusal> {
    let points = |tet: u32| mesh.tets()[tet as usize];
    check(&answer.pairs, "pairs", mesh, mesh, |one, other| match relation {
        TetNeighbours::Point => points(one).iter().any(|point| points(other).contains(point)),
        TetNeighbours::Face => one == other || mesh.neighbours(one).contains(&Some(other)),
    })
}

/// Checks that a list is that of all faces and tetrahedra that meet, in order, apart from those left out.
fn check(
    claimed: &[[u32; 2]],
    field: &'static str,
    faces: &TetMesh,
    tets: &TetMesh,
    left_out: impl Fn(u32, u32) -> bool,
) -> Result<(), Refusal> {
    let triangle = |face: usize| faces.surface_faces()[face].corners.map(|point| faces.points()[point as usize]);
    let corners = |tet: usize| tets.tets()[tet].map(|point| tets.points()[point as usize]);
    let of_faces = sorted((0..faces.surface_faces().len()).map(|face| box_of(&triangle(face))));
    let of_tets = sorted((0..tets.tets().len()).map(|tet| box_of(&corners(tet))));
    // Those that begin before the end of a face and have not ended before its beginning, by x.
    let (mut found, mut open, mut next) = (Vec::new(), Vec::<(u32, Aabb)>::new(), 0);
    for (face, bounds) in &of_faces {
        while let Some(&(tet, own)) = of_tets.get(next).filter(|(_, own)| own.min.x <= bounds.max.x) {
            open.push((tet, own));
            next += 1;
        }
        // Faces come by their beginnings, so what has ended stays ended.
        open.retain(|(_, own)| own.max.x >= bounds.min.x);
        for (tet, own) in &open {
            let of = faces.surface_faces()[*face as usize].tet;
            if own.overlaps(bounds)
                && !left_out(of, *tet)
                && triangle_meets(&triangle(*face as usize), &corners(*tet as usize))
            {
                found.push([*face, *tet]);
            }
        }
    }
    found.sort_unstable();
    if found == claimed { Ok(()) } else { Err(Refusal::Count { field }) }
}

fn box_of(points: &[DVec3]) -> Aabb {
    points.iter().fold(Aabb::EMPTY, |bounds, &point| bounds.including(point))
}

fn sorted(boxes: impl Iterator<Item = Aabb>) -> Vec<(u32, Aabb)> {
    let mut boxes: Vec<(u32, Aabb)> = boxes.enumerate().map(|(index, bounds)| (index as u32, bounds)).collect();
    boxes.sort_by(|one, other| one.1.min.x.total_cmp(&other.1.min.x));
    boxes
}

fn triangle_meets(triangle: &[DVec3; 3], [a, b, c, d]: &[DVec3; 4]) -> bool {
    let sides = [[*b, *c, *d], [*a, *d, *c], [*a, *b, *d], [*a, *c, *b]];
    if sides.iter().any(|side| meet(triangle, side)) {
        return true;
    }
    let whole = orient3d(*a, *b, *c, *d);
    !whole.is_zero() && sides.iter().all(|[p, q, r]| orient3d(*p, *q, *r, triangle[0]) == -whole)
}

/// The largest width of a bracket of a coordinate, which is at most 1: two roundings of six units in the last place.
const COORDINATE_WIDTH: f64 = 16.0 * UNIT_ROUNDOFF;

/// Verifies an answer of [`tet_depths`](crate::query::tet_depths).
pub(crate) fn verify_depths(answer: &[TetDepth], a: &TetMesh, b: &TetMesh) -> Result<(), Refusal> {
    let corners = |tet: u32| b.tets()[tet as usize].map(|point| b.points()[point as usize]);
    let boxes: Vec<Aabb> = (0..b.tets().len() as u32).map(|tet| box_of(&corners(tet))).collect();
    let mut vertices: Vec<u32> = a.surface_faces().iter().flat_map(|face| face.corners).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let inside = |&vertex: &u32| {
        let point = a.points()[vertex as usize];
        let mut near = (0..boxes.len() as u32).filter(|&tet| boxes[tet as usize].contains(point));
        near.find(|&tet| holds(&corners(tet), point)).map(|tet| (vertex, tet))
    };
    if !vertices.iter().filter_map(inside).eq(answer.iter().map(|found| (found.vertex, found.tet))) {
        return Err(Refusal::Count { field: "vertex, tet" });
    }
    if answer.is_empty() {
        return Ok(());
    }
    let surface = Shape::Mesh(b.surface().map_err(|_| Refusal::Part)?);
    for found in answer {
        let point = a.points()[found.vertex as usize];
        check_coordinates(found, &corners(found.tet), point)?;
        verify_point(&found.surface, &surface, &Pose::IDENTITY, point)?;
    }
    Ok(())
}

/// Whether a tetrahedron that is not flat contains a point.
fn holds([a, b, c, d]: &[DVec3; 4], point: DVec3) -> bool {
    let whole = orient3d(*a, *b, *c, *d);
    let parts = [[point, *b, *c, *d], [*a, point, *c, *d], [*a, *b, point, *d], [*a, *b, *c, point]];
    !whole.is_zero() && parts.iter().all(|[p, q, r, s]| orient3d(*p, *q, *r, *s) != -whole)
}

fn check_coordinates(found: &TetDepth, corners: &[DVec3; 4], point: DVec3) -> Result<(), Refusal> {
    // Positive: the point is inside, so all parts have the sign of the whole.
    let volume = |corners: &[DVec3; 4]| -> Dyadic {
        let [a, b, c, d] = corners.map(ring::vector::<Dyadic>);
        let volume = ring::dot(&ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a)), &ring::subtract(&d, &a));
        if volume.sign() == Some(Ordering::Less) { Dyadic::of(0.0).minus(&volume) } else { volume }
    };
    let whole = volume(corners);
    for (k, coordinate) in found.coordinates.iter().enumerate() {
        let mut part = *corners;
        part[k] = point;
        let part = volume(&part);
        let Bracket { lower, value, upper } = *coordinate;
        if !(0.0 <= lower && lower <= value && value <= upper && upper <= 1.0) {
            return Err(Refusal::Disordered);
        }
        let above = |claimed: f64| part.minus(&whole.times(&Dyadic::of(claimed))).sign();
        if above(lower) == Some(Ordering::Less) {
            return Err(Refusal::Lower { claimed: lower, proved: part.ratio(&whole) });
        }
        if above(upper) == Some(Ordering::Greater) {
            return Err(Refusal::Upper { claimed: upper, proved: part.ratio(&whole) });
        }
        if upper - lower > COORDINATE_WIDTH {
            return Err(Refusal::TooWide { width: upper - lower, allowed: COORDINATE_WIDTH });
        }
    }
    Ok(())
}
