//! Queries on one mesh: self-intersections; on meshes whose vertices move independently: impacts during a step, and
//! proximity at its end; and where tetrahedra meet.

use fearless_simd::Level;
use glam::DVec3;

use crate::answer::self_intersections::{SelfIntersection, SelfIntersectionsOptions};
use crate::answer::step::{NearPair, ProximityOptions, StepCollisions, StepOptions};
use crate::answer::tets::{TetDepth, TetOptions, TetPairs, TetSelfPairs};
use crate::deform::curvature::{Curved, Moment};
use crate::deform::impacts::{Asked, impacts};
use crate::deform::meeting::meeting;
use crate::deform::near::near;
use crate::deform::safe::safe;
use crate::deform::self_meeting::self_meeting;
use crate::deform::{DeformingMesh, TetMesh, TetWorkspace, tet_pairs as search, tet_region as regions};
use crate::error::{Error, MAX_COORDINATE, QueryError, check_coordinates};
use crate::geom::triangle_tetrahedron::{decide_all, unit_scale};
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::mesh::self_intersections as walk;
use crate::parallel;
use crate::ray::point::closest_point;
use crate::shape::{Mesh, Shape};

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
/// use clearance::query::self_intersections;
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

/// Where two meshes of tetrahedra meet: faces of the surface of each that share a point with tetrahedra of the other.
/// Exact for the given points: no pair is missing and none is invented; touching counts.
///
/// Both are in world coordinates. Inverted and flat tetrahedra are the sets of points between their corners. A surface
/// that is all inside the other mesh meets it too, which surfaces alone would not show.
///
/// Cost: see [`TetAlgorithm`](crate::query::TetAlgorithm); a pair whose boxes meet takes some 20 ns.
///
/// ```
/// use clearance::{TetMesh, tet_pairs};
/// let corner = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let large = TetMesh::new(&corner, &[[0, 1, 2, 3]])?;
/// // A small one inside it.
/// let small = TetMesh::new(&corner.map(|point| point.map(|x| 0.5 + 0.1 * x)), &[[0, 1, 2, 3]])?;
/// let found = tet_pairs(&large, &small);
/// assert!(found.faces_of_a.is_empty());
/// assert_eq!(found.faces_of_b, [[0, 0], [1, 0], [2, 0], [3, 0]]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn tet_pairs(a: &TetMesh, b: &TetMesh) -> TetPairs {
    tet_pairs_with(a, b, &TetOptions::default(), &mut TetWorkspace::default())
}

/// [`tet_pairs`] with options, and what the last frame left. See [`TetOptions`] for an example.
#[must_use]
pub fn tet_pairs_with(a: &TetMesh, b: &TetMesh, options: &TetOptions, workspace: &mut TetWorkspace) -> TetPairs {
    search::pairs(a, b, options, workspace)
}

/// Where a mesh of tetrahedra meets itself: faces of its surface that share a point with a tetrahedron that is no
/// neighbour of the face's own. Exact, as [`tet_pairs`].
///
/// ```
/// use clearance::{TetMesh, tet_self_pairs};
/// let corner = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let mut points = corner.to_vec();
/// points.extend(corner.map(|[x, y, z]| [x + 9.0, y, z]));
/// let mut mesh = TetMesh::new(&points, &[[0, 1, 2, 3], [4, 5, 6, 7]])?;
/// assert!(tet_self_pairs(&mesh).pairs.is_empty());
/// // One touches the other with a corner.
/// points.iter_mut().skip(4).for_each(|point| point[0] -= 5.0);
/// mesh.move_points(&points)?;
/// assert_eq!(tet_self_pairs(&mesh).pairs, [[0, 1], [2, 1], [3, 1], [5, 0], [6, 0], [7, 0]]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn tet_self_pairs(mesh: &TetMesh) -> TetSelfPairs {
    tet_self_pairs_with(mesh, &TetOptions::default(), &mut TetWorkspace::default())
}

/// [`tet_self_pairs`] with options, and what the last frame left. See [`TetOptions`] for an example.
#[must_use]
pub fn tet_self_pairs_with(mesh: &TetMesh, options: &TetOptions, workspace: &mut TetWorkspace) -> TetSelfPairs {
    search::self_pairs(mesh, options, workspace)
}

/// The vertices of the surface of one mesh of tetrahedra that lie in another, and how deep: in which tetrahedron, with
/// which barycentric coordinates, how far from the surface. In ascending order, each once.
///
/// Which vertices are listed is exact, boundaries included. A flat tetrahedron contains none.
///
/// # Errors
/// [`QueryError::Body`] where the surface of the second mesh is smaller than a [`Mesh`](crate::Mesh) may be, or every
/// face has a neighbour.
///
/// ```
/// use clearance::TetMesh;
/// use clearance::query::tet_depths;
/// let corner = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let body = TetMesh::new(&corner, &[[0, 1, 2, 3]])?;
/// // Its tip is one inside.
/// let thorn = TetMesh::new(&[[1.0, 1.0, 1.0], [9.0, 1.0, 1.0], [9.0, 2.0, 1.0], [9.0, 1.0, 2.0]], &[[0, 1, 2, 3]])?;
/// let found = tet_depths(&thorn, &body)?;
/// assert_eq!((found.len(), found[0].vertex, found[0].tet), (1, 0, 0));
/// assert!(found[0].coordinates.iter().all(|coordinate| coordinate.contains(0.25)));
/// assert!((found[0].surface.distance.value - 1.0 / 3f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), clearance::QueryError>(())
/// ```
pub fn tet_depths(a: &TetMesh, b: &TetMesh) -> Result<Vec<TetDepth>, QueryError> {
    let inside = regions::vertices_inside(a, b, &tet_pairs(a, b).faces_of_a);
    if inside.is_empty() {
        return Ok(Vec::new());
    }
    let surface = Shape::Mesh(b.surface()?);
    Ok(parallel::map_with(
        &inside,
        16,
        || (),
        |(), found| TetDepth {
            vertex: found.vertex,
            tet: found.tet,
            coordinates: found.coordinates,
            surface: closest_point(&surface, &Pose::IDENTITY, a.points()[found.vertex as usize]),
        },
    ))
}

/// The region of contact around a pair that is known: grown from a face of the surface of `a` and a tetrahedron of `b`
/// over faces that share a side and tetrahedra that share a face, as far as they meet. In ascending order; empty if the
/// two do not meet or do not exist.
///
/// It needs no tree, and its work is that of the region. Where two regions touch in a corner only they are two. Regions
/// from all of [`TetPairs::faces_of_a`] together are that list.
///
/// ```
/// use clearance::TetMesh;
/// use clearance::query::tet_region;
/// let corner = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let large = TetMesh::new(&corner, &[[0, 1, 2, 3]])?;
/// let small = TetMesh::new(&corner.map(|point| point.map(|x| 0.5 + 0.1 * x)), &[[0, 1, 2, 3]])?;
/// assert_eq!(tet_region(&small, &large, [2, 0]), [[0, 0], [1, 0], [2, 0], [3, 0]]);
/// assert!(tet_region(&large, &small, [2, 0]).is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn tet_region(a: &TetMesh, b: &TetMesh, seed: [u32; 2]) -> Vec<[u32; 2]> {
    regions::region(a, b, seed)
}

/// How many pairs of a triangle and a tetrahedron are one piece of work.
const PAIRS: usize = 512;

/// For each triangle and the tetrahedron at its place whether they share a point; touching counts. Exact, for
/// degenerate ones too. Eight pairs at a time by separating axes in single precision, and in exact arithmetic where
/// that leaves it open; on all cores.
///
/// # Errors
/// [`Error::WrongCount`]; [`Error::NotFinite`] and [`Error::TooLarge`] name the triangle or the tetrahedron.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::query::triangle_tet_batch;
/// let tet = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let inside = [DVec3::splat(0.1), DVec3::new(0.2, 0.1, 0.1), DVec3::new(0.1, 0.2, 0.1)];
/// let beside = inside.map(|point| point + DVec3::X);
/// assert_eq!(triangle_tet_batch(&[inside, beside], &[tet, tet])?, [true, false]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn triangle_tet_batch(triangles: &[[DVec3; 3]], tets: &[[DVec3; 4]]) -> Result<Vec<bool>, Error> {
    if tets.len() != triangles.len() {
        return Err(Error::WrongCount { what: "tetrahedra", expected: triangles.len(), count: tets.len() });
    }
    let level = Level::new();
    let in_piece = |&start: &usize| {
        let end = (start + PAIRS).min(triangles.len());
        let all = || triangles[start..end].iter().flatten().chain(tets[start..end].iter().flatten());
        // The sum is NaN once any coordinate is NaN or infinite, otherwise zero.
        let (mut low, mut high, mut sum) = (DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ZERO);
        for &point in all() {
            (low, high, sum) = (low.min(point), high.max(point), sum + 0.0 * point);
        }
        if sum != DVec3::ZERO || low.abs().max(high.abs()).max_element() > MAX_COORDINATE {
            for index in start..end {
                triangles[index].iter().try_for_each(|&point| check_coordinates("triangle", index, point))?;
                tets[index].iter().try_for_each(|&point| check_coordinates("tetrahedron", index, point))?;
            }
        }
        let (mut meet, scale) = (vec![false; end - start], unit_scale((high - low).max_element()));
        let pair = |i: usize| (triangles[start + i], tets[start + i]);
        at_level!(level, simd => decide_all(simd, end - start, scale, pair, |i| meet[i] = true));
        Ok(meet)
    };
    if triangles.len() <= PAIRS {
        return in_piece(&0);
    }
    let starts: Vec<usize> = (0..triangles.len()).step_by(PAIRS).collect();
    let mut all = Vec::with_capacity(triangles.len());
    for piece in parallel::map(&starts, in_piece) {
        all.extend(piece?);
    }
    Ok(all)
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
