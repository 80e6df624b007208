//! Intersection curves of two meshes. See [`curves`](crate::mesh::curves).

use crate::answer::contact_curve::ContactCurve;
use crate::answer::contact_curve::ContactCurvesOptions;
use crate::math::pose::Pose;
use crate::mesh::curves::{self, Met};
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::workspace::MeshWorkspace;
use crate::shape::Mesh;

/// Intersection curves of two meshes. See [`contact_curves`](crate::query::contact_curves).
pub(crate) fn contact_curves(
    a: &Mesh,
    pose_a: &Pose,
    b: &Mesh,
    pose_b: &Pose,
    options: &ContactCurvesOptions,
    workspace: &mut MeshWorkspace,
) -> Vec<ContactCurve> {
    let meshes = Meshes::new((a, pose_a), (b, pose_b));
    let (pair, map) = (&meshes.pair, &meshes.pair.map);
    let mut found = Vec::new();
    pair.all(workspace.level, options.most_pairs, &mut workspace.reaches, &mut found);
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
