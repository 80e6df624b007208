//! parry's approximate convex decomposition (V-HACD) with its default parameters: what users of convex libraries make
//! of a mesh.

use clearance::glam::DVec3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

/// The corners of the convex parts that parry makes of a closed mesh; `None` when parry is not built.
pub fn convex_parts(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Option<Vec<Vec<DVec3>>> {
    let points: Vec<Vector> = points.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
    let made = VHACD::decompose(&VHACDParameters::default(), &points, triangles, true);
    let parts = made.compute_exact_convex_hulls(&points, triangles);
    Some(parts.iter().map(|(corners, _)| corners.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect()).collect())
}
