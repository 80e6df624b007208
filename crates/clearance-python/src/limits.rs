//! What limits this crate: how long it is deaf to signals, and how much memory is asked for without a look at what
//! there is.

use std::time::Duration;

/// So often a call that takes long looks whether a signal arrived, Ctrl-C above all. Checkpoints of the engine are some
/// milliseconds apart, so that a fifth of a second is enough to be heard.
pub const LISTEN: Duration = Duration::from_millis(50);

/// Work on no more elements than this (triangles, points) is brief, some milliseconds: it is not worth a thread of its
/// own, which takes some tens of microseconds to begin.
pub const BRIEF: usize = 1 << 14;

/// What a step of a world does for each body, in such elements.
pub const WORK_OF_BODY: usize = 256;

/// What a check of a robot does for each configuration, in such elements.
pub const WORK_OF_CONFIGURATION: usize = 256;

/// Less than this, in bytes, is asked for without a look at what is free: a look takes some tens of microseconds.
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
