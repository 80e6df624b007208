//! How far each point of a mesh may move before anything can meet.
//!
//! Let `d` be a lower bound of the distance of two features. If every corner of either moves by less than `d / 2`, so
//! does every point of either, since the displacement of a point is a mean of those of the corners around it; two
//! points that were `d` apart then stay apart, at every time on the way. So a point may move by half the least bound of
//! the pairs whose features have it as a corner. Pairs that are not in the list of near ones are farther apart than the
//! distance of the search, of which a half is the most that is given.

use super::mesh::DeformingMesh;
use crate::answer::step::NearPair;
use crate::shape::Feature;

/// Bounds for the points of each mesh, given all pairs of features within a distance. `near` has features of the first
/// mesh first; with one mesh, both.
pub(crate) fn safe<const N: usize>(meshes: [&DeformingMesh; N], near: &[NearPair], distance: f64) -> [Vec<f64>; N] {
    // As in the search: NaN and negative distances count as zero.
    let most = half(distance.max(0.0));
    let corners = meshes.map(|mesh| (mesh.triangles(), mesh.edges()));
    let mut bounds = meshes.map(|mesh| vec![most; mesh.point_count()]);
    for pair in near {
        let bound = half(pair.distance.lower);
        for (side, feature) in pair.features.into_iter().enumerate() {
            let (triangles, edges) = &corners[side % N];
            let mut lower = |points: &[u32]| {
                for &point in points {
                    let own = &mut bounds[side % N][point as usize];
                    *own = own.min(bound);
                }
            };
            match feature {
                Feature::Vertex(point) => lower(&[point]),
                Feature::Edge(edge) => lower(&edges[edge as usize]),
                Feature::Face(face) => lower(&triangles[face as usize]),
                Feature::Interior => {}
            }
        }
    }
    bounds
}

/// Half a length, not rounded up: halves of subnormal numbers may be.
fn half(length: f64) -> f64 {
    if length < f64::MIN_POSITIVE * 2.0 { 0.0 } else { 0.5 * length }
}
