//! Containment of one mesh in another when their surfaces do not meet. Exact for the placed pair.

use fearless_simd::Level;
use glam::DVec3;

use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::mesh::closest::{PlacedPoint, closest};
use crate::mesh::inside::{winding, winding_of};
use crate::mesh::pair::search::MeshPair;
use crate::shape::Mesh;

/// For two meshes whose surfaces do not meet: a point of one, in the frame of A's points, that lies inside the other,
/// if that is a solid. One component of a mesh is enough to lie inside.
pub(crate) fn contained_point(level: Level, a: &Mesh, b: &Mesh, pair: &MeshPair<'_>) -> Option<DVec3> {
    let map = &pair.map;
    if a.is_solid() {
        for &vertex in b.component_points() {
            let point = map.place(pair.b.points[vertex as usize]);
            if winding(pair.a, point) != 0 {
                return Some(point);
            }
        }
    }
    if b.is_solid() {
        let points = a.component_points().iter().map(|&vertex| pair.a.points[vertex as usize]);
        return points.into_iter().find(|&point| is_in_b(level, pair, point));
    }
    None
}

/// Whether a point, in the frame of A's points, is inside the placed solid B. The point is mapped back to B's own
/// frame, where the tree is; where B's surface is nearer than the rounding of that map, all placed triangles are
/// tested.
fn is_in_b(level: Level, pair: &MeshPair<'_>, point: DVec3) -> bool {
    let (b, map) = (pair.b, &pair.map);
    let back = map.rotation.inverse() * (point - map.translation);
    // Placed points are off by the bound; that of the point itself is measured.
    let off = (map.place(back) - point).length() + 2.0 * map.bound(b.radius + back.length());
    let off = off * (1.0 + 2.0 * map.stretch) * ROUND_UP + 4.0 * UNIT_ROUNDOFF * (back + b.origin).length();
    let outside = (b.bounds.min - back).max(back - b.bounds.max).max_element();
    if outside > off {
        return false;
    }
    if closest(level, b, &PlacedPoint::local(back)).lower > off {
        return winding(b, back) != 0;
    }
    winding_of((0..b.triangles.len() as u32).map(|slot| pair.placed(slot)), point) != 0
}
