//! What goes into a face octree and what comes out: plain data.

use glam::DVec3;

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
    /// The corners of a triangle.
    pub(crate) fn corners(&self, face: u32) -> [DVec3; 3] {
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

/// Options of a [`FaceOctree`](crate::deforming::FaceOctree). They affect time and memory, never the answer.
///
/// `lab run kitamura-deform` times them beside each other.
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

/// What a query of a [`FaceOctree`](crate::deforming::FaceOctree) did. The same on any number of threads.
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
    pub(super) fn add(&mut self, other: &FaceOctreeCounts) {
        self.regions += other.regions;
        self.checklist += other.checklist;
        self.cells += other.cells;
        self.voxels += other.voxels;
        self.face_box_tests += other.face_box_tests;
        self.face_pair_tests += other.face_pair_tests;
    }
}
