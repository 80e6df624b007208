//! The curves along which two meshes meet. See [`crate::curves`].

use crate::math::pose::Pose;
use crate::mesh::curves::{self, ContactCurve, Met};
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::query::with_thread_workspace;
use crate::shape::{Mesh, Shape};

/// The curves along which the surfaces of two meshes meet: where they cross, outlines of areas where they lie on each other,
/// and places where they only touch. Ordered by their lowest pair of triangles; empty if no triangles meet, also where one
/// solid is inside the other.
///
/// Which segments there are and how they are linked is exact for the placed pair, so curves of closed surfaces in general
/// position are closed. Where surfaces end, curves are open.
///
/// ```
/// use clearance::{Mesh, Pose, contact_curves, glam::DVec3};
/// // A square in the plane z = 0, and the sides of a tetrahedron that stands in it with its tip below.
/// let square = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]];
/// let square = Mesh::new(&square, &[[0, 1, 2], [0, 2, 3]])?;
/// let spike = [[0.0, 0.0, -1.0], [1.0, -0.5, 1.0], [0.0, 1.5, 1.0], [-1.0, -0.5, 1.0]];
/// let spike = Mesh::new(&spike, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
/// let curves = contact_curves(&square, &Pose::IDENTITY, &spike, &Pose::IDENTITY);
/// assert_eq!(curves.len(), 1);
/// assert!(curves[0].closed && curves[0].points.iter().all(|p| p.z.abs() < 1e-15));
/// assert!((curves[0].normal.unwrap() - DVec3::Z).length() < 1e-12); // B's edges pierce A's face: along its normal
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn contact_curves(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<ContactCurve> {
    let (shape_a, shape_b) = (Shape::Mesh(a.clone()), Shape::Mesh(b.clone()));
    let Some(meshes) = Meshes::of(&shape_a, pose_a, &shape_b, pose_b) else { return Vec::new() };
    let (pair, map) = (&meshes.pair, &meshes.pair.map);
    let mut found = Vec::new();
    with_thread_workspace(|workspace| pair.all(workspace.level, usize::MAX, &mut workspace.reaches, &mut found));
    let met: Vec<Met> = found
        .iter()
        .map(|meeting| Met {
            triangles: [pair.a.ids[meeting.a as usize], pair.b.ids[meeting.b as usize]],
            corners: [pair.a.triangles[meeting.a as usize], pair.b.triangles[meeting.b as usize]],
            crossing: meeting.crossing,
        })
        .collect();
    let mut curves = curves::link(&met, |p| pair.a.points[p as usize], |p| map.place(pair.b.points[p as usize]));
    if meshes.swapped {
        let inverse = map.rotation.inverse();
        for curve in &mut curves {
            curve.mirror();
            curve.points.iter_mut().for_each(|point| *point = meshes.back(*point));
            curve.normal = curve.normal.and_then(|normal| (inverse * normal).try_normalize());
        }
        curves::in_order(&mut curves);
    } else {
        curves.iter_mut().flat_map(|curve| &mut curve.points).for_each(|point| *point = meshes.in_a(*point));
    }
    curves
}
