//! Two moving triangles: the fifteen elementary tests of Eberle's listing A.1.
//!
//! Each corner of either triangle against the other, and each edge against each edge: two triangles that come into
//! contact do so in one of these pairs. Departs from the listing in that results *later* than the first one are left
//! out where the first is asked for (its comparison is inverted), and that each is decided exactly.

use glam::DVec3;

use super::impact::elementary_impact_batch;
use super::options::ElementaryOptions;
use crate::answer::elementary::{ElementaryKind, ElementaryPair, TriangleImpact};
use crate::answer::step::ImpactSelection;
use crate::error::{Error, check_coordinates};
use crate::shape::Feature;

/// The contacts of two triangles whose corners move on straight lines, each corner given at time 0 and at time 1: up to
/// six of a corner and a face, and nine of two edges, each at the first time at which the two touch. Exact, closed: see
/// [`elementary_impact`](crate::query::elementary_impact()).
///
/// Ordered by time, ties by features. [`ImpactSelection::First`] leaves the first, [`ImpactSelection::NearFirst`] all
/// up to so much later, each pair of features by itself. Triangles that have crossed before time 0 need not touch.
///
/// # Errors
/// [`Error::NotFinite`] or [`Error::TooLarge`] with the index of the corner: 0 to 5 at time 0, 6 to 11 at time 1, those
/// of the first triangle first.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::query::{ImpactSelection, triangle_impacts};
/// use clearance::shape::Feature;
/// let floor = [DVec3::new(-9.0, -9.0, 0.0), DVec3::new(9.0, -9.0, 0.0), DVec3::new(0.0, 9.0, 0.0)];
/// let leaf = |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z + 1.0), DVec3::new(0.0, 1.0, z + 2.0)];
/// let found = triangle_impacts([leaf(1.0), leaf(-3.0)], [floor, floor], ImpactSelection::All)?;
/// let times: Vec<_> = found.iter().map(|impact| (impact.features[0], impact.impact.time.lower)).collect();
/// assert_eq!(times, [(Feature::Vertex(0), 0.25), (Feature::Vertex(1), 0.5), (Feature::Vertex(2), 0.75)]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn triangle_impacts(
    a: [[DVec3; 3]; 2],
    b: [[DVec3; 3]; 2],
    selection: ImpactSelection,
) -> Result<Vec<TriangleImpact>, Error> {
    for (index, &corner) in [a[0], b[0], a[1], b[1]].iter().flatten().enumerate() {
        check_coordinates("corner", index, corner)?;
    }
    let (pairs, features): (Vec<ElementaryPair>, Vec<[Feature; 2]>) = features(&a, &b).into_iter().unzip();
    let (impacts, _) = elementary_impact_batch(&pairs, &ElementaryOptions::default());
    let found = features.into_iter().zip(impacts);
    let mut found: Vec<TriangleImpact> =
        found.filter_map(|(features, impact)| Some(TriangleImpact { features, impact: impact.ok()? })).collect();
    found.sort_by(TriangleImpact::order);
    match (selection, found.first()) {
        (ImpactSelection::First, _) => found.truncate(1),
        (ImpactSelection::NearFirst(within), Some(first)) => {
            // NaN and negative margins count as zero.
            let latest = (first.impact.time.upper + within.max(0.0)).min(1.0);
            found.retain(|other| other.impact.time.lower <= latest);
        }
        (ImpactSelection::All | ImpactSelection::NearFirst(_), _) => {}
    }
    Ok(found)
}

/// The fifteen pairs of features.
fn features(a: &[[DVec3; 3]; 2], b: &[[DVec3; 3]; 2]) -> Vec<(ElementaryPair, [Feature; 2])> {
    let pair = |kind, at: &dyn Fn(usize) -> [DVec3; 4]| ElementaryPair { kind, start: at(0), end: at(1) };
    let face = Feature::Face(0);
    let mut all = Vec::with_capacity(15);
    for k in 0..3 {
        let vertex = Feature::Vertex(k as u32);
        let of_a = |end: usize| [a[end][k], b[end][0], b[end][1], b[end][2]];
        let of_b = |end: usize| [b[end][k], a[end][0], a[end][1], a[end][2]];
        all.push((pair(ElementaryKind::VertexFace, &of_a), [vertex, face]));
        all.push((pair(ElementaryKind::VertexFace, &of_b), [face, vertex]));
        for l in 0..3 {
            let edges = |end: usize| [a[end][k], a[end][(k + 1) % 3], b[end][l], b[end][(l + 1) % 3]];
            let features = [Feature::Edge(k as u32), Feature::Edge(l as u32)];
            all.push((pair(ElementaryKind::EdgeEdge, &edges), features));
        }
    }
    all
}
