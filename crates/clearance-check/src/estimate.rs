//! An estimate of the local depth of two parts neither of which is closed.
//!
//! A shell with a hole has no interior, though it appears to have one. The engine counts points of each surface as
//! inside where the winding number of the other exceeds one half ([`local_depth_estimate`]); for a flat sheet no point
//! does. Nothing is proved: neither that no other point is deeper, nor that these are inside.

use clearance::answer::{DeepestPoint, DepthDirection};
use clearance::glam::DVec3;
use clearance::query::local_depth_estimate;

use crate::measure::Placed;
use crate::overlap::volume_work;

/// The depth, and the point that has it, in world coordinates.
pub(crate) type Estimate = (f64, DVec3);

/// The estimated local depth of two parts that are not solids, if any point tried is inside; and the work spent. It
/// costs about as much as a volume.
pub(crate) fn estimate(a: Placed<'_>, b: Placed<'_>, work: u64) -> (Option<Estimate>, u64) {
    let price = volume_work(a, b);
    if price > work {
        return (None, 0);
    }
    let found = local_depth_estimate(&a.0.shape, a.1, &b.0.shape, b.1).ok();
    let deepest = found.and_then(|found| Some((found.value, found.deepest?)));
    let in_world = |(depth, deepest): (f64, DeepestPoint)| {
        let point = match deepest.direction {
            DepthDirection::AInB => a.1.transform_point(deepest.witness.a.point),
            DepthDirection::BInA => b.1.transform_point(deepest.witness.b.point),
        };
        (depth, point)
    };
    (deepest.map(in_world), price)
}

#[cfg(test)]
mod tests {
    use clearance::glam::DVec3;
    use clearance::{Mesh, Pose};

    use super::estimate;
    use crate::model::Body;
    use crate::test_parts::cuboid;

    /// A cuboid about the origin without the two triangles of its last face.
    fn open_box(half: DVec3) -> Body {
        let whole = cuboid(half);
        let points: Vec<[f64; 3]> = whole.points().map(|point| point.to_array()).collect();
        Body::from(Mesh::new(&points, &whole.triangles()[..10]).unwrap())
    }

    #[test]
    fn a_shell_in_a_shell() {
        let (large, small) = (open_box(DVec3::splat(2.0)), open_box(DVec3::splat(0.5)));
        let (here, there) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(-1.0, 0.0, 0.0)).unwrap());
        let (found, took) = estimate((&large, &here), (&small, &there), 10_000);
        let (depth, point) = found.unwrap();
        // The far face of the small box lies 1.5 inside.
        assert!((depth - 1.5).abs() < 1e-12 && took > 0, "{depth} at {point}");
        assert_eq!(estimate((&large, &here), (&small, &there), 0), (None, 0));
        // A sheet has no interior.
        let sheet = Mesh::new(&[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]]).unwrap();
        let sheet = Body::from(sheet);
        let tilted = Pose::from_axis_angle(DVec3::X, 1.0, DVec3::ZERO).unwrap();
        assert_eq!(estimate((&sheet, &here), (&sheet, &tilted), 10_000).0, None);
    }
}
