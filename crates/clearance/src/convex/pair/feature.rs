//! From the vertices that span a witness point to the feature that contains it.

use glam::DVec3;

use crate::geom::closest::closest_on_triangle;
use crate::shape::Feature;
use crate::shape::{Hull, Shape};

/// The smallest feature of the body that has all of these core vertices. `point`, relative to the local origin, settles
/// the rare case that rounding picked vertices of several nearly coplanar faces.
#[inline]
pub(crate) fn of(shape: &Shape, vertices: &[u32], point: DVec3) -> Feature {
    match shape {
        Shape::Sphere(_) => Feature::Face(0),
        Shape::Cuboid(cuboid) => of_box(cuboid.half_extents(), vertices, point),
        Shape::Hull(hull) if vertices.len() <= 3 => of_hull(hull.hull(), vertices, point),
        Shape::Hull(hull) => of_four(hull.hull(), vertices, point),
        Shape::Segment(_) | Shape::Triangle(_) | Shape::Tetrahedron(_) => of_simplex(shape, vertices, point),
        Shape::Rounded(rounded) => of(rounded.core(), vertices, point),
        // The whole surface of a capsule is one face. The others have no vertices.
        _ => Feature::Face(0),
    }
}

/// Segments, triangles and tetrahedra: any set of corners is a feature.
#[inline(always)]
pub(crate) fn of_simplex(shape: &Shape, vertices: &[u32], point: DVec3) -> Feature {
    use Feature::{Edge, Face, Vertex};
    // By the bits of the corners. Tables, because the feature is unpredictable.
    const TRIANGLE: [Feature; 8] =
        [Feature::Interior, Vertex(0), Vertex(1), Edge(0), Vertex(2), Edge(2), Edge(1), Face(0)];
    const TETRAHEDRON: [Feature; 15] = [
        Feature::Interior,
        Vertex(0),
        Vertex(1),
        Edge(0),
        Vertex(2),
        Edge(1),
        Edge(3),
        Face(3),
        Vertex(3),
        Edge(2),
        Edge(4),
        Face(2),
        Edge(5),
        Face(1),
        Face(0),
    ];
    let corners = vertices.iter().fold(0usize, |bits, v| bits | 1 << v);
    match shape {
        Shape::Segment(_) => [Feature::Interior, Vertex(0), Vertex(1), Edge(0)][corners & 3],
        Shape::Triangle(_) => TRIANGLE[corners & 7],
        Shape::Tetrahedron(tetrahedron) => match TETRAHEDRON.get(corners) {
            Some(feature) => *feature,
            None => of_all_corners(&tetrahedron.corners().points, point),
        },
        _ => Feature::Interior,
    }
}

/// All corners of a tetrahedron, for bodies that only touch: the face whose triangle is nearest.
#[cold]
fn of_all_corners(corners: &[DVec3; 4], point: DVec3) -> Feature {
    let off = |face: usize| {
        let [p, q, r] = [1, 2, 3].map(|step| corners[(face + step) % 4]);
        closest_on_triangle(point, p, q, r).point.distance_squared(point)
    };
    let nearest = (0..4).min_by(|&i, &j| off(i).total_cmp(&off(j)));
    nearest.map_or(Feature::Interior, |face| Feature::Face(face as u32))
}

/// [`of`] for a GJK run that was stopped early: its vertices may share no feature, and the point then lies inside.
pub(crate) fn of_unfinished(shape: &Shape, vertices: &[u32], point: DVec3) -> Feature {
    let common = match shape {
        Shape::Sphere(_) => true,
        Shape::Cuboid(_) => vertices.iter().fold(0, |bits, v| bits | (v ^ vertices[0])) != 7,
        Shape::Tetrahedron(_) => vertices.iter().fold(0, |bits, v| bits | 1 << v) != 15,
        Shape::Hull(hull) => hull.dimension() < 3 || hull.hull().face_through(vertices).is_some(),
        Shape::Rounded(rounded) => return of_unfinished(rounded.core(), vertices, point),
        _ => true,
    };
    if common { of(shape, vertices, point) } else { Feature::Interior }
}

/// The features of a box by one of their corners and by the bits in which their corners differ; for all bits, none.
const BOX: [[Feature; 8]; 8] = {
    let mut features = [[Feature::Interior; 8]; 8];
    let mut first = 0;
    while first < 8 {
        features[first as usize][0] = Feature::Vertex(first);
        let mut axis = 0;
        while axis < 3 {
            features[first as usize][1 << axis] = Feature::Edge(box_edge(axis, first));
            features[first as usize][7 ^ (1 << axis)] = Feature::Face(2 * axis + (first >> axis & 1));
            axis += 1;
        }
        first += 1;
    }
    features
};

#[inline(always)]
pub(crate) fn of_box(half: DVec3, vertices: &[u32], point: DVec3) -> Feature {
    let first = vertices[0] & 7;
    let varying = vertices.iter().fold(0, |bits, v| bits | (v ^ first)) & 7;
    if varying == 7 {
        return of_diagonal(half, point);
    }
    BOX[first as usize][varying as usize]
}

/// The face of a box whose plane is nearest.
#[cold]
fn of_diagonal(half: DVec3, point: DVec3) -> Feature {
    let depth = (half - point.abs()).to_array();
    let axis = (0..3).min_by(|&i, &j| depth[i].total_cmp(&depth[j])).unwrap_or(0);
    Feature::Face(2 * axis as u32 + u32::from(point[axis] > 0.0))
}

/// The index of the edge of a box along an axis through a vertex.
const fn box_edge(axis: u32, vertex: u32) -> u32 {
    let (low, high) = match axis {
        0 => (1, 2),
        1 => (0, 2),
        _ => (0, 1),
    };
    4 * axis + (vertex >> low & 1) + 2 * (vertex >> high & 1)
}

/// `of_hull` for the four members of a flat tetrahedron, some of which may be the same vertex.
#[cold]
fn of_four(hull: &Hull, vertices: &[u32], point: DVec3) -> Feature {
    let mut different = [vertices[0]; 4];
    let mut count = 1;
    for &vertex in &vertices[1..] {
        if !different[..count].contains(&vertex) && count < 4 {
            different[count] = vertex;
            count += 1;
        }
    }
    if count <= 3 {
        return of_hull(hull, &different[..count], point);
    }
    let face = hull.face_through(&different).or_else(|| hull.nearest_face(point));
    face.map_or_else(|| of_hull(hull, &different[..3], point), Feature::Face)
}

#[inline(always)]
pub(crate) fn of_hull(hull: &Hull, vertices: &[u32], point: DVec3) -> Feature {
    // Up to three members, some of which may be the same vertex: `p` and `q` are two different ones if there are any.
    let p = vertices[0];
    let second = vertices.get(1).copied().unwrap_or(p);
    let third = vertices.get(2).copied().unwrap_or(p);
    let q = if second != p { second } else { third };
    if q == p {
        return Feature::Vertex(hull.mesh.vertices[p as usize]);
    }
    if let Some(edge) = hull.edge_between(p, q) {
        if third == p || third == q {
            return Feature::Edge(edge);
        }
        if let Some(face) = hull.face_beside(edge, third) {
            return Feature::Face(face);
        }
    }
    let face = hull.face_through(&[p, q, third]).or_else(|| hull.nearest_face(point));
    face.map_or_else(|| Feature::Vertex(hull.mesh.vertices[p as usize]), Feature::Face)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::corner;

    #[test]
    fn box_features_contain_their_vertices() {
        let half = DVec3::ONE;
        for v in 0..8u32 {
            assert_eq!(of_box(half, &[v], corner(half, v)), Feature::Vertex(v));
        }
        let mut edges = std::collections::BTreeSet::new();
        for v in 0..8u32 {
            for bit in [1, 2, 4] {
                let Feature::Edge(edge) = of_box(half, &[v, v ^ bit], DVec3::ZERO) else { panic!() };
                assert_eq!(of_box(half, &[v ^ bit, v], DVec3::ZERO), Feature::Edge(edge));
                assert_eq!(edge / 4, bit.trailing_zeros());
                edges.insert(edge);
            }
        }
        assert_eq!(edges.len(), 12);
        // All corners with x > 0.
        assert_eq!(of_box(half, &[1, 3, 5], DVec3::X), Feature::Face(1));
        assert_eq!(of_box(half, &[0, 6, 0], -DVec3::X), Feature::Face(0));
        assert_eq!(of_box(half, &[0, 7], DVec3::new(0.1, 0.9, 0.2)), Feature::Face(3));
    }
}
