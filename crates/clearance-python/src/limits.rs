//! The limits of this crate: how often it checks for signals, and how much memory it takes without checking what
//! there is.

use std::time::Duration;

/// How often a long call checks for signals, Ctrl-C above all. Checkpoints of the engine are some
/// milliseconds apart, so a signal is handled within a fifth of a second.
pub const LISTEN: Duration = Duration::from_millis(50);

/// Work on no more elements than this (triangles, points) is brief, some milliseconds: it is not worth a thread of its
/// own, which takes some tens of microseconds to begin.
pub const BRIEF: usize = 1 << 14;

/// The work of a step of a world for each body, in such elements.
pub const WORK_OF_BODY: usize = 256;

/// The work of a robot check for each configuration, in such elements.
pub const WORK_OF_CONFIGURATION: usize = 256;

/// Less than this, in bytes, is allocated without checking free memory, which takes some tens of microseconds.
pub const FREELY: u128 = 64 << 20;

/// The most that building a mesh takes at a time for each triangle, in bytes: 60 for the mesh itself, 12 for the
/// triangles in the order of leaves, 20 for the places on the curve and their numbers, some 10 for clusters; the rest
/// is room.
pub const MESH_TRIANGLE: u128 = 128;

/// The same for each point: 24 for the point, 16 in single precision, 1 for whether it is used.
pub const MESH_POINT: u128 = 48;

/// The most that a deforming mesh takes for each triangle beside its build: 75 that it keeps, 137 for a question, edges
/// in the making.
pub const DEFORMING_TRIANGLE: u128 = 384;

/// The same for each point: both ends of the step, in the order given and in that of the tree.
pub const DEFORMING_POINT: u128 = 160;

/// The most that the hull of points takes for each of them, if all are corners: two triangles with their planes and
/// neighbours while it is found, polygons, edges, and the lists of support points.
pub const HULL_POINT: u128 = 512;

/// The most that a height field takes for each height: what is given, a copy, and the pyramid of least and greatest
/// heights.
pub const HEIGHT: u128 = 32;

/// So many pairs of a collision manager are tested on the caller's thread alone: most take less than a microsecond, and
/// the pool takes some tens of them to wake.
pub const ALONE_PAIRS: usize = 64;

/// Where more bodies of a collision manager than this have moved, all boxes are swept; the boxes of fewer are each held
/// against all others, a nanosecond a pair.
pub const SWEPT: usize = 256;

/// The same for the nearest two, where all others take some microseconds for each body.
pub const SWEPT_FOR_NEAREST: usize = 16;
