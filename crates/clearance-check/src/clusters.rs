//! Groups the contacts of two parts into places: curves whose bounding boxes meet belong together.

use clearance::Pose;
use clearance::answer::{ContactCurve, Crossing};
use clearance::glam::DVec3;

use crate::report::{Cluster, Loop};

/// The places where two parts meet, in the order of their curves.
pub(crate) fn clusters(curves: &[ContactCurve], crossings: &[Crossing], pose_a: &Pose) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    for curve in curves {
        let points: Vec<DVec3> = curve.points.iter().map(|point| pose_a.transform_point(*point)).collect();
        let Some((min, max)) = bounds(&points) else { continue };
        let mut cluster = Cluster {
            triangle_pairs: 0,
            min: min.to_array(),
            max: max.to_array(),
            loops: vec![Loop { closed: curve.closed, points: points.iter().map(|p| p.to_array()).collect() }],
            local_depth: None,
        };
        // A box that grew may meet others that it did not meet before.
        while let Some(near) = clusters.iter().position(|other| overlap(other, &cluster)) {
            let other = clusters.remove(near);
            cluster = joined(other, cluster);
        }
        clusters.push(cluster);
    }
    if clusters.is_empty() {
        clusters.extend(whole(crossings, pose_a));
    }
    for crossing in crossings {
        let [p, q] = crossing.ends_in_a.map(|end| pose_a.transform_point(end));
        if let Some(nearest) = nearest(&clusters, 0.5 * (p + q)) {
            clusters[nearest].triangle_pairs += 1;
        }
    }
    clusters
}

/// The index of the place that the midpoint of a contact segment belongs to: it lies on one of its curves, or within
/// the outline of an area; rounding is negligible here.
pub(crate) fn nearest(clusters: &[Cluster], middle: DVec3) -> Option<usize> {
    let off = |cluster: &Cluster| {
        let (min, max) = (DVec3::from_array(cluster.min), DVec3::from_array(cluster.max));
        (min - middle).max(middle - max).max_element()
    };
    (0..clusters.len()).min_by(|&s, &t| off(&clusters[s]).total_cmp(&off(&clusters[t])))
}

/// One place for all crossings: surfaces that coincide everywhere share an area without an outline.
fn whole(crossings: &[Crossing], pose_a: &Pose) -> Option<Cluster> {
    let ends: Vec<DVec3> = crossings.iter().flat_map(|c| c.ends_in_a.map(|end| pose_a.transform_point(end))).collect();
    let (min, max) = bounds(&ends)?;
    let (min, max) = (min.to_array(), max.to_array());
    Some(Cluster { triangle_pairs: 0, min, max, loops: Vec::new(), local_depth: None })
}

fn bounds(points: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(min, max), point| (min.min(*point), max.max(*point))))
}

fn overlap(a: &Cluster, b: &Cluster) -> bool {
    (0..3).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

fn joined(mut a: Cluster, b: Cluster) -> Cluster {
    for axis in 0..3 {
        a.min[axis] = a.min[axis].min(b.min[axis]);
        a.max[axis] = a.max[axis].max(b.max[axis]);
    }
    a.loops.extend(b.loops);
    a
}
