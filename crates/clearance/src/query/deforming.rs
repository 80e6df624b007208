//! Queries on meshes whose vertices move independently: impacts during a step, and proximity at its end.

use crate::answer::step::{NearPair, ProximityOptions, StepCollisions, StepOptions};
use crate::deform::DeformingMesh;
use crate::deform::impacts::{Asked, impacts};
use crate::deform::meeting::meeting;
use crate::deform::near::near;
use crate::deform::safe::safe;

/// Self-collisions of a mesh during a step: all vertex-face and edge-edge impacts, and all pairs of triangles that
/// intersect at the start. Exact for the given numbers: nothing is missed and nothing is invented, over the closed step
/// and closed features.
///
/// Features that share a vertex are skipped: neighbours always touch, and a fold is not distinguished from a bend.
/// [`self_intersections`](crate::query::self_intersections) finds overlapping neighbours.
///
/// Cost: a broad phase over swept boxes, then a float filter per candidate pair; only pairs the filter leaves open are
/// decided in integers.
///
/// ```
/// use clearance::{DeformingMesh, self_collisions};
/// use clearance::shape::Feature;
/// // A small triangle falls through a large one, flat.
/// let before = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 2.0]];
/// let mut after = before;
/// after[3..].iter_mut().for_each(|point| point[2] -= 4.0);
/// let mut mesh = DeformingMesh::new(&before, &[[0, 1, 2], [3, 4, 5]])?;
/// mesh.move_to(&after)?;
/// let found = self_collisions(&mesh);
/// let times: Vec<_> = found.impacts.iter().map(|impact| (impact.features[0], impact.time.lower)).collect();
/// assert_eq!(times, [(Feature::Vertex(3), 0.25), (Feature::Vertex(4), 0.25), (Feature::Vertex(5), 0.5)]);
/// assert!(found.intersecting.is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn self_collisions(mesh: &DeformingMesh) -> StepCollisions {
    self_collisions_with(mesh, &StepOptions::default())
}

/// [`self_collisions`] with options. See [`StepOptions`] for an example.
#[must_use]
pub fn self_collisions_with(mesh: &DeformingMesh, options: &StepOptions) -> StepCollisions {
    ask(Asked::Itself(mesh), options)
}

/// Collisions of two meshes during a step: as [`self_collisions`], for features of one mesh against those of the other.
/// Nothing is skipped. The vertices of both are in world coordinates.
///
/// ```
/// use clearance::{DeformingMesh, step_collisions};
/// use clearance::shape::Feature;
/// let floor = DeformingMesh::new(&[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]])?;
/// let mut leaf = DeformingMesh::new(&[[1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [1.0, 2.0, 2.0]], &[[0, 1, 2]])?;
/// leaf.move_to(&[[1.0, 1.0, -1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]])?;
/// let found = step_collisions(&leaf, &floor);
/// assert_eq!(found.impacts.len(), 1);
/// assert_eq!(found.impacts[0].features, [Feature::Vertex(0), Feature::Face(0)]);
/// assert_eq!((found.impacts[0].time.lower, found.impacts[0].time.upper), (0.5, 0.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn step_collisions(a: &DeformingMesh, b: &DeformingMesh) -> StepCollisions {
    step_collisions_with(a, b, &StepOptions::default())
}

/// [`step_collisions`] with options. See [`StepOptions`] for an example.
#[must_use]
pub fn step_collisions_with(a: &DeformingMesh, b: &DeformingMesh, options: &StepOptions) -> StepCollisions {
    ask(Asked::Two(a, b), options)
}

fn ask(asked: Asked<'_>, options: &StepOptions) -> StepCollisions {
    let (impacts, counts) = impacts(asked, options.wanted);
    let intersecting = if options.intersections { meeting(asked) } else { Vec::new() };
    StepCollisions { impacts, intersecting, counts }
}

/// The features of a mesh that are near each other at the end of its step: all vertex-face and edge-edge pairs that
/// share no vertex and are at most `distance` apart. Only pairs proved to be farther apart are left out, so a pair
/// whose bracket contains `distance` is in the list.
///
/// ```
/// use clearance::DeformingMesh;
/// use clearance::query::{self_proximity};
/// use clearance::shape::Feature;
/// let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [1.0, 1.0, 0.5], [1.0, 1.0, 3.0], [1.0, 2.0, 3.0]];
/// let mesh = DeformingMesh::new(&points, &[[0, 1, 2], [3, 4, 5]])?;
/// let near = self_proximity(&mesh, 0.6);
/// assert_eq!(near.len(), 1);
/// assert_eq!(near[0].features, [Feature::Vertex(3), Feature::Face(0)]);
/// assert!(near[0].distance.contains(0.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn self_proximity(mesh: &DeformingMesh, distance: f64) -> Vec<NearPair> {
    self_proximity_with(mesh, &ProximityOptions { distance })
}

/// [`self_proximity`] with options. See [`ProximityOptions`] for an example.
#[must_use]
pub fn self_proximity_with(mesh: &DeformingMesh, options: &ProximityOptions) -> Vec<NearPair> {
    near(Asked::Itself(mesh), options.distance)
}

/// The features of two meshes that are near each other at the end of their steps: as [`self_proximity`], one feature of
/// each.
///
/// ```
/// use clearance::DeformingMesh;
/// use clearance::query::proximity;
/// let floor = DeformingMesh::new(&[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]])?;
/// let leaf = DeformingMesh::new(&[[1.0, 1.0, 0.5], [2.0, 1.0, 2.0], [1.0, 2.0, 2.0]], &[[0, 1, 2]])?;
/// assert_eq!(proximity(&leaf, &floor, 0.5).len(), 1);
/// assert_eq!(proximity(&leaf, &floor, 0.4), []);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn proximity(a: &DeformingMesh, b: &DeformingMesh, distance: f64) -> Vec<NearPair> {
    proximity_with(a, b, &ProximityOptions { distance })
}

/// [`proximity`] with options. See [`ProximityOptions`] for an example.
#[must_use]
pub fn proximity_with(a: &DeformingMesh, b: &DeformingMesh, options: &ProximityOptions) -> Vec<NearPair> {
    near(Asked::Two(a, b), options.distance)
}

/// How far each point of a mesh may move from the end of its step before anything of the mesh can meet: for each point,
/// in the order given, half the least proved distance of two features that share no vertex and of which one has the
/// point as a corner, at most half of `distance`.
///
/// If every point moves on a straight line by *less* than its bound, no vertex touches a face and no edge an edge at
/// any time, but for features that share a vertex: [`self_collisions`] of that step is empty. Points of features that
/// touch have a bound of 0. A solver can move by these bounds without any test, then ask again.
///
/// Where several meshes are near, take the least bound of each point: from this and from
/// [`safe_displacements_between`]. Costs what [`self_proximity`] of that distance does.
///
/// ```
/// use clearance::{DeformingMesh, query::safe_displacements};
/// let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [1.0, 1.0, 0.5], [1.0, 1.0, 3.0], [1.0, 2.0, 3.0]];
/// let mesh = DeformingMesh::new(&points, &[[0, 1, 2], [3, 4, 5]])?;
/// let bounds = safe_displacements(&mesh, 4.0);
/// // A corner half a unit above the other triangle.
/// assert!(bounds[3] <= 0.25 && bounds[3] > 0.249 && bounds[0] == bounds[3] && bounds[4] > 0.5);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn safe_displacements(mesh: &DeformingMesh, distance: f64) -> Vec<f64> {
    let [bounds] = safe([mesh], &near(Asked::Itself(mesh), distance), distance);
    bounds
}

/// How far each point of two meshes may move from the ends of their steps before the two can meet: as
/// [`safe_displacements`], for features of one and of the other. If every point of both moves by less than its bound,
/// [`step_collisions`] of that step has no impacts.
///
/// ```
/// use clearance::{DeformingMesh, query::safe_displacements_between};
/// let floor = DeformingMesh::new(&[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]])?;
/// let leaf = DeformingMesh::new(&[[1.0, 1.0, 0.5], [2.0, 1.0, 2.0], [1.0, 2.0, 2.0]], &[[0, 1, 2]])?;
/// let [of_leaf, of_floor] = safe_displacements_between(&leaf, &floor, 0.7);
/// assert!(of_leaf[0] <= 0.25 && of_leaf[0] > 0.249 && of_leaf[1] == 0.35 && of_floor[0] == of_leaf[0]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn safe_displacements_between(a: &DeformingMesh, b: &DeformingMesh, distance: f64) -> [Vec<f64>; 2] {
    safe([a, b], &near(Asked::Two(a, b), distance), distance)
}
