//! Queries on one mesh: self-intersections; and on meshes whose vertices move independently: impacts during a step, and
//! proximity at its end.

use glam::DVec3;

use crate::answer::self_intersections::{SelfIntersection, SelfIntersectionsOptions};
use crate::answer::step::{NearPair, ProximityOptions, StepCollisions, StepOptions};
use crate::deform::DeformingMesh;
use crate::deform::curvature::{Curved, Moment};
use crate::deform::impacts::{Asked, impacts};
use crate::deform::meeting::meeting;
use crate::deform::near::near;
use crate::deform::self_meeting::self_meeting;
use crate::mesh::self_intersections as walk;
use crate::shape::Mesh;

/// All pairs of triangles of a mesh that meet in more than the corners and edges they share, in ascending order. Exact:
/// none is missing or spurious.
///
/// Corners are shared if their coordinates are equal, whatever their numbers, and an edge if both its ends are. So
/// neighbours count only if they are folded onto each other, and a duplicate counts as an overlap. Triangles that touch
/// without crossing count too; [`SelfIntersection::kind`] tells them apart. A zero-area triangle counts as the segment
/// or point it is.
///
/// ```
/// use clearance::{Mesh, glam::DVec3};
/// use clearance::answer::SelfIntersectionKind;
/// use clearance::query::{self_intersections};
/// // Two sheets of two triangles each; the second crosses the first.
/// let points = [
///     [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0],
///     [0.5, -2.0, -1.0], [0.5, 2.0, -1.0], [0.5, 2.0, 1.0], [0.5, -2.0, 1.0],
/// ];
/// let mesh = Mesh::new(&points, &[[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])?;
/// let found = self_intersections(&mesh);
/// assert_eq!(found.iter().map(|pair| pair.triangles).collect::<Vec<_>>(), [[0, 2], [0, 3], [1, 2]]);
/// assert!(found.iter().all(|pair| pair.kind == SelfIntersectionKind::Crossing));
/// assert!(found[0].segment.contains(&DVec3::new(0.5, 0.5, 0.0)));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn self_intersections(mesh: &Mesh) -> Vec<SelfIntersection> {
    self_intersections_with(mesh, &SelfIntersectionsOptions::default())
}

/// [`self_intersections`] with options. See [`SelfIntersectionsOptions`] for an example.
#[must_use]
pub fn self_intersections_with(mesh: &Mesh, options: &SelfIntersectionsOptions) -> Vec<SelfIntersection> {
    match Curved::of_mesh(mesh, options.culling) {
        Some(curved) => self_meeting(Asked::Curved(&curved), options.least, mesh.surface().origin),
        None => walk::self_intersections(mesh, options.least),
    }
}

/// All pairs of triangles of a deforming mesh that meet in more than the corners and edges they share, at the end of
/// its step: the same pairs as [`self_intersections`] of a mesh of these points, without building it. Corners are
/// shared if their coordinates are equal.
///
/// ```
/// use clearance::DeformingMesh;
/// use clearance::query::{SelfCulling, SelfIntersectionsOptions, frame_self_intersections};
/// // Two sheets of two triangles each; the second is moved into the first.
/// let apart = [
///     [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0],
///     [5.0, -2.0, -1.0], [5.0, 2.0, -1.0], [5.0, 2.0, 1.0], [5.0, -2.0, 1.0],
/// ];
/// let mut mesh = DeformingMesh::new(&apart, &[[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])?;
/// let options = SelfIntersectionsOptions { culling: SelfCulling::Curvature, ..SelfIntersectionsOptions::default() };
/// assert!(frame_self_intersections(&mesh, &options).is_empty());
/// let mut crossed = apart;
/// crossed[4..].iter_mut().for_each(|point| point[0] = 0.5);
/// mesh.move_to(&crossed)?;
/// let found = frame_self_intersections(&mesh, &options);
/// assert_eq!(found.iter().map(|pair| pair.triangles).collect::<Vec<_>>(), [[0, 2], [0, 3], [1, 2]]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn frame_self_intersections(mesh: &DeformingMesh, options: &SelfIntersectionsOptions) -> Vec<SelfIntersection> {
    let curved = Curved::new(mesh, Moment::End, options.culling);
    let asked = curved.as_ref().map_or(Asked::Itself(mesh), Asked::Curved);
    self_meeting(asked, options.least, DVec3::ZERO)
}

/// Self-collisions of a mesh during a step: all vertex-face and edge-edge impacts, and all pairs of triangles that
/// intersect at the start. Exact for the given numbers: nothing is missed and nothing is invented, over the closed step
/// and closed features.
///
/// Features that share a vertex are skipped: neighbours always touch, and a fold is not distinguished from a bend.
/// [`frame_self_intersections`] finds overlapping neighbours.
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
    let curved = Curved::new(mesh, Moment::Step, options.culling);
    let asked = curved.as_ref().map_or(Asked::Itself(mesh), Asked::Curved);
    let (impacts, mut counts) = impacts(asked, options.wanted);
    let mut intersecting = Vec::new();
    // What does not meet itself in the whole step does not meet itself at its start.
    if options.intersections && !curved.as_ref().is_some_and(Curved::is_clear) {
        let start = Curved::new(mesh, Moment::Start, options.culling);
        intersecting = meeting(start.as_ref().map_or(Asked::Itself(mesh), Asked::Curved));
        counts.visited += start.map_or(0, |start| start.visited());
    }
    counts.visited += curved.map_or(0, |curved| curved.visited());
    StepCollisions { impacts, intersecting, counts }
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
    let asked = Asked::Two(a, b);
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
