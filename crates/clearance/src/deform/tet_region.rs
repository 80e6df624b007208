//! Where a mesh of tetrahedra reaches into another: vertices inside it, and regions of contact.
//!
//! **Vertices.** A vertex of a surface inside a tetrahedron makes each of its faces meet that tetrahedron, so the pairs
//! found name all candidates. Exact signs decide, and coordinates are ratios of volumes in integers.
//!
//! **Regions** (Joukhadar, Scheuer and Laugier 1999, who grow the "contour of collision" from a pair that is known).
//! From a face and a tetrahedron that meet, the search goes on to the faces that share a side with the face, with the
//! same tetrahedron, and to the tetrahedra that share a face with the tetrahedron, with the same face. It needs no tree
//! and touches nothing but the region and its rim.

use std::collections::BTreeSet;

use fearless_simd::Level;
use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::tet_mesh::TetMesh;
use super::tet_pairs::{Found, Sides};
use crate::geom::triangle_tetrahedron::tet_contains;
use crate::math::bracket::Bracket;
use crate::math::integer::{IntegerVec3, common_exponent, ratio};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// A vertex in a tetrahedron, with its coordinates there.
pub(crate) struct VertexInside {
    pub vertex: u32,
    pub tet: u32,
    pub coordinates: [Bracket; 4],
}

/// The vertices of faces that lie in tetrahedra they meet, each in the first; in ascending order.
pub(crate) fn vertices_inside(faces: &TetMesh, tets: &TetMesh, pairs: &[[u32; 2]]) -> Vec<VertexInside> {
    let corners = |&[face, tet]: &[u32; 2]| faces.layout.faces[face as usize].corners.map(|vertex| (vertex, tet));
    let mut candidates: Vec<(u32, u32)> = pairs.iter().flat_map(corners).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut inside: Vec<VertexInside> = Vec::new();
    for (vertex, tet) in candidates {
        if inside.last().is_some_and(|last| last.vertex == vertex) {
            continue;
        }
        let (point, corners) = (faces.points[vertex as usize], tets.corners(tet));
        if tet_contains(&corners, point) {
            inside.push(VertexInside { vertex, tet, coordinates: coordinates(&corners, point) });
        }
    }
    inside
}

/// The barycentric coordinates of a point in a tetrahedron that is not flat and contains it.
fn coordinates(corners: &[DVec3; 4], point: DVec3) -> [Bracket; 4] {
    let exponent = common_exponent(corners.iter().chain([&point]).flat_map(|p| p.to_array())).unwrap_or(0);
    let point = IntegerVec3::new(point, exponent);
    let corners = corners.map(|corner| IntegerVec3::new(corner, exponent));
    let volume = |[a, b, c, d]: [&IntegerVec3; 4]| -> BigInt { b.sub(a).cross(&c.sub(a)).dot(&d.sub(a)) };
    let whole = volume(corners.each_ref()).abs();
    std::array::from_fn(|k| {
        let mut part = corners.each_ref();
        part[k] = &point;
        let part = volume(part).abs();
        if part.is_zero() {
            return Bracket::exact(0.0);
        }
        if part == whole {
            return Bracket::exact(1.0);
        }
        // Off by at most 5u of itself.
        let value = ratio(&part, &whole).min(1.0);
        let off = 6.0 * UNIT_ROUNDOFF * value;
        Bracket { lower: (value - off).max(0.0), value, upper: (value + off + f64::MIN_POSITIVE).min(1.0) }
    })
}

/// The region of contact around a face and a tetrahedron, in ascending order; empty if these do not meet or do not
/// exist.
pub(crate) fn region(faces: &TetMesh, tets: &TetMesh, seed: [u32; 2]) -> Vec<[u32; 2]> {
    if seed[0] as usize >= faces.layout.faces.len() || seed[1] as usize >= tets.layout.tets.len() {
        return Vec::new();
    }
    let (pair, level, sides) = (Sides::new(faces, tets), Level::new(), faces.layout.sides());
    // Pairs that were tried, and sides whose faces all were, with a tetrahedron.
    let (mut seen, mut seen_sides) = (BTreeSet::from([seed]), BTreeSet::new());
    let (mut waiting, mut found) = (vec![seed], Found::default());
    let mut done = 0;
    while !waiting.is_empty() {
        pair.decide(level, &mut waiting, &mut found);
        let new = done..found.pairs.len();
        done = new.end;
        for &[face, tet] in &found.pairs[new] {
            for side in sides.of_faces[face as usize] {
                if seen_sides.insert([side, tet]) {
                    let next_faces = sides.faces_with(side).iter().map(|&next| [next, tet]);
                    waiting.extend(next_faces.filter(|&pair| seen.insert(pair)));
                }
            }
            let next_tets = tets.layout.neighbours(tet).map(|next| [face, next]);
            waiting.extend(next_tets.filter(|&pair| seen.insert(pair)));
        }
    }
    found.pairs.sort_unstable();
    found.pairs
}
