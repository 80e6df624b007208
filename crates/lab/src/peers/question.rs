//! What peers are asked about meshes and what they answer, as plain numbers.

use clearance::Pose;
use clearance::glam::DVec3;

/// A question about two meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the surfaces meet; the peer stops at the first contact it finds.
    FirstContact,
    /// How many pairs of triangles meet; the peer lists them all.
    AllContacts,
    /// How far the surfaces are apart.
    Distance,
}

/// One question about two placed meshes.
#[derive(Clone, Debug)]
pub struct Query {
    /// The meshes, by their numbers in the list that comes with the queries.
    pub models: [usize; 2],
    /// Where they are.
    pub poses: [Pose; 2],
    /// What is asked.
    pub question: Question,
}

/// What a peer answered to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// To [`Question::FirstContact`].
    Meets(bool),
    /// To [`Question::AllContacts`].
    Pairs(u64),
    /// To [`Question::Distance`]; what it is for surfaces that meet differs: 0, or a negative number.
    Distance(f64),
}

/// A peer's answer and its price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerAnswer {
    /// The answer.
    pub found: Found,
    /// Nanoseconds, the median over the repetitions, by the peer's own clock. The cost of an empty call is in it.
    pub nanoseconds: f64,
    /// The least over the repetitions: the two sides of a race in two processes do not meet the same neighbours, and of
    /// a busy machine this is the figure that is fair to the peer.
    pub least: f64,
}

/// What a peer in another process found.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerRun {
    /// The version it says it is.
    pub version: String,
    /// Nanoseconds of a call with next to no work: the overhead of calling the library, 0 for a native one.
    pub empty_call: f64,
    /// Nanoseconds to build each mesh with its tree.
    pub builds: Vec<f64>,
    /// One answer for each query.
    pub answers: Vec<PeerAnswer>,
}

/// A ray from `origin` along `direction`, without end; hits are given in multiples of `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshRay {
    /// Where it begins.
    pub origin: DVec3,
    /// Where it goes; not zero.
    pub direction: DVec3,
}

/// Where a ray first meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The point is `origin + t * direction`.
    pub t: f64,
    /// The triangle it meets.
    pub triangle: u32,
}

/// What a peer in another process said about rays.
#[derive(Clone, Debug, PartialEq)]
pub struct RayRun {
    /// The version it says it is.
    pub version: String,
    /// Nanoseconds of a call with one ray and nothing in its way: part of `singles`, for the overhead of calling it.
    pub empty_call: f64,
    /// Nanoseconds per ray of one call with all rays and nothing in their way: part of `batch`, for the same reason.
    pub empty_batch: f64,
    /// Nanoseconds to build the mesh with its tree.
    pub build: f64,
    /// Nanoseconds per ray when all are passed in one call: the median over the repetitions.
    pub batch: f64,
    /// Nanoseconds of each ray passed alone, median over the repetitions; of as many rays as the peer took.
    pub singles: Vec<f64>,
    /// The first hit of each ray, `None` where it meets nothing.
    pub hits: Vec<Option<RayHit>>,
}

/// What a tree over the triangles of a mesh costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeCost {
    /// Nanoseconds to build it from the triangles, on one thread.
    pub build: f64,
    /// Bytes of the tree alone, without the triangles.
    pub bytes: usize,
    /// Sum of the surface areas of the boxes of all inner nodes, the root's included, over that of the root: how many
    /// inner nodes a random line through the root's box meets on average.
    pub inner_area: f64,
    /// Sum over the leaves of surface area times triangles, over the surface area of the root's box: how many triangles
    /// such a line is tested against.
    pub leaf_area: f64,
}
