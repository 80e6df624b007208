//! Pairs of triangles of many bodies that meet, without any tree: face octrees.
//!
//! Kitamura, Smith, Takemura and Kishino, *A Real-Time Algorithm for Accurate Collision Detection for Deformable
//! Polyhedral Objects* (Presence 7, 1998). Nothing is known of the triangles before a query and nothing is kept after
//! it, so they may deform, break, appear and vanish from one frame to the next. The steps:
//!
//! 1. the box of each body;
//! 2. all pairs of boxes that overlap; their intersection is a *region* of both bodies;
//! 3. the triangles that meet a region of their body, the *checklist* ([`regions`]);
//! 4. a box around all regions is halved along its axes, and again each part that has triangles of two bodies, by the
//!    triangles of the part alone ([`subdivide`]);
//! 5. in the smallest parts, the *voxels*, all pairs of triangles of different bodies, each pair once;
//! 6. each pair is decided, exactly.
//!
//! Nothing that meets is lost: a common point of two triangles lies in the region of their bodies, in some part at each
//! step, and every test of a triangle and a box accepts a triangle that has a point in the box, borders included
//! ([`face_box`]). So the answer is that of all pairs, whatever the options.
//!
//! Departures:
//! - the last test is exact ([`triangles_meet`](crate::geom::triangle_triangle::triangles_meet)), the paper's is not;
//! - the box that is halved may be the one around the regions, not a cube around the world: nothing is outside. It is
//!   halved only along axes that are longer than half the longest;
//! - the level may be automatic: a part with few pairs of triangles is a voxel;
//! - regions of a body with many are drawn into a grid of bits, so step 3 does not grow with their number;
//! - parts are independent and run on all cores;
//! - a body inside another has no pair of triangles, and the paper's method does not see it. [`FaceOctree::contained`]
//!   does, by winding numbers ([`inside`]).
//!
//! [`rigid`] is the variant for rigid bodies that the paper compares with: octrees made once, their nodes moved.

mod face_box;
mod inside;
mod regions;
mod rigid;
mod subdivide;

pub use inside::Contained;
pub use rigid::RigidFaceOctree;

use glam::DVec3;

use self::regions::Checklist;
use self::subdivide::{Items, Task, subdivide};
use crate::bound::Aabb;
use crate::error::{Error, check_coordinates};
use crate::geom::triangle_triangle::triangles_meet;
use crate::math::pose::Pose;
use crate::parallel;

/// The triangles of a body in the world, as they are at the moment.
///
/// Points that no triangle uses are checked but otherwise ignored. Degenerate triangles and duplicates are legal, and
/// so is a body without triangles.
///
/// ```
/// use clearance::deforming::{BodyFaces, FaceOctree};
/// let sheet = BodyFaces { points: &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], triangles: &[[0, 1, 2]] };
/// assert!(FaceOctree::default().pairs(&[sheet])?.is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFaces<'a> {
    /// World coordinates.
    pub points: &'a [[f64; 3]],
    /// Corners as indices into the points.
    pub triangles: &'a [[u32; 3]],
}

impl BodyFaces<'_> {
    fn corners(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|point| DVec3::from_array(self.points[point as usize]))
    }
}

/// Two triangles of different bodies that share a point. Ordered by the first body, its face, the second body, its
/// face.
///
/// ```
/// use clearance::deforming::FacePair;
/// let pair = FacePair { body_a: 0, face_a: 7, body_b: 2, face_b: 1 };
/// assert!(pair < FacePair { face_a: 8, ..pair });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FacePair {
    /// The body with the lower number.
    pub body_a: u32,
    /// A triangle of it.
    pub face_a: u32,
    /// The body with the higher number.
    pub body_b: u32,
    /// A triangle of it.
    pub face_b: u32,
}

/// How overlapping boxes of bodies are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BoxStage {
    /// All pairs are compared, as in the paper.
    AllPairs,
    /// Boxes are sorted along an axis, and only those that overlap along it are compared.
    #[default]
    Sorted,
    /// The stage is skipped: all triangles of all bodies go to the subdivision.
    Skipped,
}

/// How a triangle is compared with a box. All accept what meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FaceBoxTest {
    /// By the box of the triangle: approximate.
    Boxes,
    /// By clipping the triangle, as in the paper.
    Clipping,
    /// By separating axes.
    #[default]
    Axes,
}

/// Into what a part of space is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Division {
    /// Eight parts: a face octree. Fewer where the part is flat or long.
    #[default]
    Octree,
    /// Two parts, across the longest axis: a face bintree.
    Bintree,
}

/// What is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum DividedSpace {
    /// The cube around all bodies, in place of the paper's fixed cube around the world.
    World,
    /// The box around all regions in which boxes of bodies overlap.
    #[default]
    Regions,
}

/// Options of a [`FaceOctree`]. They affect time and memory, never the answer.
///
/// The defaults are what measured fastest (`lab run kitamura-deform`).
///
/// ```
/// use clearance::deforming::{BoxStage, DividedSpace, FaceBoxTest, FaceOctreeOptions};
/// // As in the paper.
/// let published = FaceOctreeOptions {
///     level: Some(6),
///     boxes: BoxStage::AllPairs,
///     face_box: FaceBoxTest::Clipping,
///     space: DividedSpace::World,
///     ..FaceOctreeOptions::default()
/// };
/// assert_eq!(FaceOctreeOptions::default().level, None);
/// # let _ = published;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FaceOctreeOptions {
    /// The level of voxels: the longest side of a voxel is at most that of the divided space over `2^level`. At most
    /// 20; larger levels count as that. `None`: a part is divided as long as it has many more pairs of triangles than
    /// triangles, and dividing separates them.
    pub level: Option<u32>,
    /// How overlapping boxes of bodies are found.
    pub boxes: BoxStage,
    /// How a triangle is compared with a box.
    pub face_box: FaceBoxTest,
    /// Into what a part of space is divided.
    pub division: Division,
    /// What is divided.
    pub space: DividedSpace,
}

/// What a query of a [`FaceOctree`] did. The same on any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceOctreeCounts {
    /// Pairs of bodies whose boxes overlap; 0 where that stage is skipped.
    pub regions: u64,
    /// Triangles, or nodes of rigid bodies, that reached the subdivision.
    pub checklist: u64,
    /// Parts of space that had triangles of two bodies.
    pub cells: u64,
    /// Those of them that were not divided further.
    pub voxels: u64,
    /// Comparisons of a triangle or node with a box in the subdivision, beyond those of its box.
    pub face_box_tests: u64,
    /// Exact tests of two triangles. Some pairs are tested more than once where there are very many.
    pub face_pair_tests: u64,
}

impl FaceOctreeCounts {
    fn add(&mut self, other: &FaceOctreeCounts) {
        self.regions += other.regions;
        self.checklist += other.checklist;
        self.cells += other.cells;
        self.voxels += other.voxels;
        self.face_box_tests += other.face_box_tests;
        self.face_pair_tests += other.face_pair_tests;
    }
}

/// Finds all pairs of triangles of different bodies that meet, of bodies that may change in any way between queries.
///
/// Holds options, and memory that is reused from query to query: 56 bytes for each triangle that meets a region where
/// boxes overlap, 4 for each part of space that has it (some 8 to 20 at once), and the answer. Nothing of the bodies is
/// kept.
///
/// For bodies of which most stay as they are, [`Scene`](crate::deforming::Scene) keeps trees and answers.
///
/// ```
/// use clearance::deforming::{BodyFaces, FaceOctree, FacePair};
/// let floor = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]];
/// let spike = [[1.0, 1.0, -1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]];
/// let bodies = [&floor, &spike].map(|points| BodyFaces { points, triangles: &[[0, 1, 2]] });
/// let mut octree = FaceOctree::default();
/// assert_eq!(octree.pairs(&bodies)?, [FacePair { body_a: 0, face_a: 0, body_b: 1, face_b: 0 }]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FaceOctree {
    options: FaceOctreeOptions,
    counts: FaceOctreeCounts,
    found: Vec<FacePair>,
    checklist: Checklist,
    /// Boxes of the bodies of a query.
    boxes: Vec<Aabb>,
}

impl FaceOctree {
    /// With options.
    ///
    /// ```
    /// use clearance::deforming::{FaceOctree, FaceOctreeOptions};
    /// let octree = FaceOctree::new(&FaceOctreeOptions { level: Some(6), ..FaceOctreeOptions::default() });
    /// assert_eq!(octree.options().level, Some(6));
    /// ```
    #[must_use]
    pub fn new(options: &FaceOctreeOptions) -> FaceOctree {
        FaceOctree { options: *options, ..FaceOctree::default() }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &FaceOctreeOptions {
        &self.options
    }

    /// What the last query did.
    #[must_use]
    pub fn counts(&self) -> &FaceOctreeCounts {
        &self.counts
    }

    /// All pairs of triangles of different bodies that share a point, decided exactly for the given numbers, each pair
    /// once, in ascending order. Touching counts.
    ///
    /// Surfaces only: a body that lies inside another without touching it has no pair. See [`FaceOctree::contained`].
    ///
    /// # Errors
    /// [`Error::InBody`] with the body and [`Error::NotFinite`], [`Error::TooLarge`] or [`Error::NoSuchPoint`];
    /// [`Error::TooMany`] for more than 2³² triangles.
    ///
    /// ```
    /// use clearance::Error;
    /// use clearance::deforming::{BodyFaces, FaceOctree};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, f64::NAN, 0.0]];
    /// let bad = BodyFaces { points: &points, triangles: &[[0, 1, 2]] };
    /// let error = FaceOctree::default().pairs(&[bad]).unwrap_err();
    /// assert!(matches!(error, Error::InBody { body: 0, .. }) && error.to_string().contains("point 2"));
    /// ```
    pub fn pairs(&mut self, bodies: &[BodyFaces<'_>]) -> Result<&[FacePair], Error> {
        let flat = Flat::new(bodies)?;
        check(bodies)?;
        let FaceOctree { options, counts, found, checklist, boxes } = self;
        *counts = FaceOctreeCounts::default();
        found.clear();
        boxes_of(bodies, &flat, boxes);
        let Some(space) = checklist.fill(options, bodies, &flat, boxes, counts) else { return Ok(found) };
        let faces = Faces { bodies, checklist: &checklist.faces, test: options.face_box };
        subdivide(&Task { options, space, bodies }, &faces, found, counts);
        Ok(found)
    }

    /// The same for rigid bodies, each with an octree of its own made once, at poses: the variant that the paper
    /// compares with. Answers are those of [`FaceOctree::pairs`] for the points moved by
    /// [`Pose::transform_point`](crate::Pose::transform_point), each rounded once.
    ///
    /// # Errors
    /// [`Error::InBody`] with [`Error::TooLarge`] for a pose that takes a point out of range.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// use clearance::deforming::{BodyFaces, FaceOctree, RigidFaceOctree};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let sheet = RigidFaceOctree::new(&BodyFaces { points: &points, triangles: &[[0, 1, 2]] }, 4)?;
    /// let turned = Pose::from_axis_angle(DVec3::X, 1.0, DVec3::new(0.1, 0.1, 0.0))?;
    /// let mut octree = FaceOctree::default();
    /// assert_eq!(octree.rigid_pairs(&[(&sheet, &Pose::IDENTITY), (&sheet, &turned)])?.len(), 1);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn rigid_pairs(&mut self, bodies: &[(&RigidFaceOctree, &Pose)]) -> Result<&[FacePair], Error> {
        let FaceOctree { options, counts, found, boxes, .. } = self;
        *counts = FaceOctreeCounts::default();
        found.clear();
        rigid::pairs(options, bodies, boxes, found, counts)?;
        Ok(found)
    }

    /// Connected parts of surfaces that lie inside another body without touching its surface: what no pair of triangles
    /// shows. The other body has to be closed and consistently wound by its point indices; others contain nothing.
    /// Exact, by winding numbers; a body wound inside out contains what lies within it too.
    ///
    /// Asks [`FaceOctree::pairs`] first. Costs a sort of the triangles of every body whose box overlaps another one's,
    /// and for each part a ray through the other body.
    ///
    /// # Errors
    /// As [`FaceOctree::pairs`].
    ///
    /// ```
    /// use clearance::deforming::{BodyFaces, Contained, FaceOctree};
    /// let outer = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
    /// let inner = [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]];
    /// let outer = BodyFaces { points: &outer, triangles: &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] };
    /// let inner = BodyFaces { points: &inner, triangles: &[[0, 1, 2]] };
    /// let mut octree = FaceOctree::default();
    /// assert!(octree.pairs(&[outer, inner])?.is_empty());
    /// assert_eq!(octree.contained(&[outer, inner])?, [Contained { body: 1, face: 0, container: 0 }]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn contained(&mut self, bodies: &[BodyFaces<'_>]) -> Result<Vec<Contained>, Error> {
        self.pairs(bodies)?;
        Ok(inside::contained(bodies, &self.boxes, &self.found))
    }
}

/// How many triangles are one piece of work where each costs little.
const PIECE: usize = 8192;

/// The triangles of all bodies, counted through.
struct Flat {
    /// The number of the first triangle of each body, and one more entry: how many there are.
    first: Vec<u32>,
}

impl Flat {
    fn new(bodies: &[BodyFaces<'_>]) -> Result<Flat, Error> {
        let mut first = Vec::with_capacity(bodies.len() + 1);
        let mut count = 0usize;
        for body in bodies {
            first.push(count as u32);
            count = count.saturating_add(body.triangles.len());
        }
        first.push(count as u32);
        for (what, count) in [("triangles", count), ("bodies", bodies.len())] {
            if u32::try_from(count).is_err() {
                return Err(Error::TooMany { what, count });
            }
        }
        Ok(Flat { first })
    }

    /// Pieces of about equal size, as ranges of triangles counted through.
    fn pieces(&self) -> Vec<[u32; 2]> {
        let count = self.first.last().copied().unwrap_or(0);
        (0..count).step_by(PIECE).map(|start| [start, count.min(start.saturating_add(PIECE as u32))]).collect()
    }

    /// Visits the runs of triangles of a piece: body, first face, end.
    fn runs(&self, [start, end]: [u32; 2], mut visit: impl FnMut(usize, u32, u32)) {
        let mut body = self.first.partition_point(|&first| first <= start).saturating_sub(1);
        while body + 1 < self.first.len() && self.first[body] < end {
            let [first, next] = [self.first[body], self.first[body + 1]];
            if next > first {
                visit(body, start.max(first) - first, end.min(next) - first);
            }
            body += 1;
        }
    }
}

/// Maps pieces, on the calling thread if there is only one.
fn map_pieces<Q: Sync, A: Send>(pieces: &[Q], answer: impl Fn(&Q) -> A + Sync) -> Vec<A> {
    if pieces.len() <= 1 { pieces.iter().map(answer).collect() } else { parallel::map(pieces, answer) }
}

/// Checks all points and all indices.
fn check(bodies: &[BodyFaces<'_>]) -> Result<(), Error> {
    // Pieces of the lists of one body: points, then triangles.
    let mut pieces = Vec::new();
    let mut together = 0;
    for (number, body) in bodies.iter().enumerate() {
        let most = body.points.len().max(body.triangles.len());
        for start in (0..most).step_by(PIECE) {
            together += PIECE.min(most - start);
            pieces.push((number, start));
        }
    }
    let of_piece = |&(number, start): &(usize, usize)| {
        let body = &bodies[number];
        let part = |length: usize| start.min(length)..(start + PIECE).min(length);
        let in_body = |error| Error::InBody { body: number as u32, error: Box::new(error) };
        for (index, &point) in body.points[part(body.points.len())].iter().enumerate() {
            check_coordinates("point", start + index, DVec3::from_array(point)).map_err(in_body)?;
        }
        for (index, triangle) in body.triangles[part(body.triangles.len())].iter().enumerate() {
            if let Some(&point) = triangle.iter().find(|&&point| point as usize >= body.points.len()) {
                let (triangle, points) = (start + index, body.points.len());
                return Err(in_body(Error::NoSuchPoint { triangle, point, points }));
            }
        }
        Ok(())
    };
    if together <= PIECE {
        return pieces.iter().try_for_each(of_piece);
    }
    map_pieces(&pieces, of_piece).into_iter().collect()
}

/// The box of a triangle.
fn box_of(corners: &[DVec3; 3]) -> Aabb {
    let [a, b, c] = *corners;
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

fn joined(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb::new(a.min.min(b.min), a.max.max(b.max))
}

/// The box of each body: of the points that its triangles use.
fn boxes_of(bodies: &[BodyFaces<'_>], flat: &Flat, boxes: &mut Vec<Aabb>) {
    boxes.clear();
    boxes.resize(bodies.len(), Aabb::EMPTY);
    let parts = map_pieces(&flat.pieces(), |&piece| {
        let mut parts = Vec::new();
        flat.runs(piece, |body, start, end| {
            let faces = (start..end).map(|face| box_of(&bodies[body].corners(face)));
            parts.push((body, faces.fold(Aabb::EMPTY, |all, own| joined(&all, &own))));
        });
        parts
    });
    for (body, part) in parts.into_iter().flatten() {
        boxes[body] = joined(&boxes[body], &part);
    }
}

/// A triangle of the checklist.
#[derive(Clone, Copy, Debug)]
struct ListedFace {
    bounds: Aabb,
    body: u32,
    face: u32,
}

/// The triangles of the checklist as what is subdivided.
struct Faces<'a> {
    bodies: &'a [BodyFaces<'a>],
    checklist: &'a [ListedFace],
    test: FaceBoxTest,
}

impl Items for Faces<'_> {
    fn count(&self) -> usize {
        self.checklist.len()
    }

    fn body(&self, item: u32) -> u32 {
        self.checklist[item as usize].body
    }

    fn bounds(&self, item: u32) -> &Aabb {
        &self.checklist[item as usize].bounds
    }

    fn may_meet(&self, item: u32, bounds: &Aabb) -> bool {
        if self.test == FaceBoxTest::Boxes {
            return true;
        }
        let ListedFace { bounds: own, body, face } = &self.checklist[item as usize];
        self.test.may_meet(&self.bodies[*body as usize].corners(*face), own, bounds)
    }

    fn pairs(&self, a: u32, b: u32, push: &mut impl FnMut(FacePair)) {
        let (a, b) = (&self.checklist[a as usize], &self.checklist[b as usize]);
        push(FacePair { body_a: a.body, face_a: a.face, body_b: b.body, face_b: b.face });
    }
}

/// Whether two triangles share a point.
fn meets(bodies: &[BodyFaces<'_>], pair: &FacePair) -> bool {
    let a = bodies[pair.body_a as usize].corners(pair.face_a);
    let b = bodies[pair.body_b as usize].corners(pair.face_b);
    triangles_meet(&a, &b)
}
