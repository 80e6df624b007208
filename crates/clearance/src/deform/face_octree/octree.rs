//! The query: its steps in order, and the memory that it keeps.

use super::input::{Flat, ListedFace, boxes_of, check};
use super::inside::{self, Contained};
use super::options::{BodyFaces, FaceBoxTest, FaceOctreeCounts, FaceOctreeOptions, FacePair};
use super::regions::Checklist;
use super::rigid::{self, RigidFaceOctree};
use super::subdivide::{Items, Task, subdivide};
use crate::bound::Aabb;
use crate::error::Error;
use crate::math::pose::Pose;

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
