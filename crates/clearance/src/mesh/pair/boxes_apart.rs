//! Whether two meshes are apart by the boxes about each of them, before anything is set up for their trees.
//!
//! First the boxes along their own axes, then boxes along the axes of their covariance (Gottschalk, Lin and Manocha,
//! *OBBTree*, 1996), where these are tighter.

use glam::DVec3;

use crate::bound::{Bound, RelativePose};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::shape::{Mesh, Surface};

/// True if oriented boxes about two meshes, placed by `map`, are farther apart than `margin`, in the frame of A. False is
/// inconclusive. Not inlined: on first use it computes the boxes.
#[inline(never)]
pub(crate) fn oriented_boxes_are_apart(a: &Surface, b: &Surface, map: &Placement, margin: f64) -> bool {
    let (of_a, of_b) = (a.oriented_box(), b.oriented_box());
    if !of_a.tighter && !of_b.tighter {
        return false;
    }
    let widened = if margin > 0.0 { of_a.bound.widened(margin) } else { of_a.bound };
    let frame = RelativePose::of_placement(map, widened.reach(), of_b.bound.reach());
    !widened.overlaps(&of_b.bound, &frame)
}

/// True if the boxes along the axes of two meshes are farther apart than `margin`. False is inconclusive.
///
/// The axes are the line between the box centres, then those of Gottschalk, Lin and Manocha, *OBBTree* (1996): the
/// sides of both boxes and their cross products. As for bounding spheres, the test is coarse enough that rounding does
/// not matter: `1e-9` of the sizes and `1e-12` of the coordinates are far above the errors of rounding and placement,
/// and rigidity defects, by which the columns of the matrices deviate from orthonormal, are counted several times. Axes
/// are no longer than 1 up to the defect, so a slack in lengths is one of gaps along them; for nearly parallel sides
/// the axis is short, the slack is not, and nothing is concluded.
#[inline]
pub(crate) fn boxes_are_apart((a, pose_a): (&Mesh, &Pose), (b, pose_b): (&Mesh, &Pose), margin: f64) -> bool {
    let boxed = |mesh: &Mesh, pose: &Pose| {
        let surface = mesh.surface();
        let (center, half) = (surface.origin + surface.bounds.center(), 0.5 * surface.bounds.size());
        (pose.rotation() * center + pose.translation(), half, center.abs().max_element())
    };
    let ((center_a, half_a, size_a), (center_b, half_b, size_b)) = (boxed(a, pose_a), boxed(b, pose_b));
    let (turn_a, turn_b) = (pose_a.rotation(), pose_b.rotation());
    let between = center_b - center_a;
    let coordinates = (center_a.abs() + center_b.abs()).element_sum() + 3.0 * (size_a + size_b);
    let sizes = (half_a + half_b).element_sum() + margin;
    let defect = pose_a.defect() + pose_b.defect();
    // The smallest number covers underflow.
    let slack = margin + sizes * (1e-9 + 8.0 * defect) + coordinates * (1e-12 + 8.0 * defect) + f64::MIN_POSITIVE;
    // Along the sides of either box.
    let along_a = DVec3::new(between.dot(turn_a.x_axis), between.dot(turn_a.y_axis), between.dot(turn_a.z_axis));
    let along_b = DVec3::new(between.dot(turn_b.x_axis), between.dot(turn_b.y_axis), between.dot(turn_b.z_axis));
    let reach = half_a.dot(along_a.abs()) + half_b.dot(along_b.abs());
    let square = between.dot(between);
    // The vector between the centres is not of unit length: both sides of this inequality are scaled by it.
    if square > reach && (square - reach) * (square - reach) > slack * slack * square * (1.0 + 1e-9) {
        return true;
    }
    // Row `i`, column `j`: side `i` of A by side `j` of B.
    let row = |side: DVec3| DVec3::new(side.dot(turn_b.x_axis), side.dot(turn_b.y_axis), side.dot(turn_b.z_axis));
    let rows = [row(turn_a.x_axis), row(turn_a.y_axis), row(turn_a.z_axis)];
    let sizes = [rows[0].abs(), rows[1].abs(), rows[2].abs()];
    let reach_of_b = DVec3::new(sizes[0].dot(half_b), sizes[1].dot(half_b), sizes[2].dot(half_b));
    let reach_of_a = sizes[0] * half_a.x + sizes[1] * half_a.y + sizes[2] * half_a.z;
    let gap_a = along_a.abs() - half_a - reach_of_b;
    let gap_b = along_b.abs() - half_b - reach_of_a;
    if gap_a.max(gap_b).max_element() > slack {
        return true;
    }
    for i in 0..3 {
        let (next, last) = ((i + 1) % 3, (i + 2) % 3);
        // Along the products of side `i` of A with the three of B.
        let apart = (rows[next] * along_a[last] - rows[last] * along_a[next]).abs();
        let of_a = sizes[last] * half_a[next] + sizes[next] * half_a[last];
        let size = sizes[i];
        let of_b = DVec3::new(
            size.z * half_b.y + size.y * half_b.z,
            size.x * half_b.z + size.z * half_b.x,
            size.y * half_b.x + size.x * half_b.y,
        );
        if (apart - of_a - of_b).max_element() > slack {
            return true;
        }
    }
    false
}
