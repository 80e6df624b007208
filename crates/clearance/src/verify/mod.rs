//! Proves answers anew, by other code than that which found them.
//!
//! The room imports no search. It imports, and `cargo xtask house` lets it import nothing else:
//! - `math` and `geom`: arithmetic and kernels on bare points, of which it uses double-double, intervals, exact signs, the
//!   nearest point of one triangle, and the hull builder, whose faces it takes for candidates and measures itself;
//! - `bound`, `shape`, `answer` and `error`: what a box, a body and an answer are. Of a body it takes what a caller could
//!   read too: vertices, triangles, radii, support functions, heights. Four things a shape knows of itself are taken at
//!   its word: `Mesh::is_solid` (closed and consistently wound), whether its triangles run through or are folded onto each
//!   other and which of them lie inside the solid (found once for each mesh, by `mesh/`), and `HeightField::for_each_triangle_in` (which triangles lie over a
//!   window; where two fields of which one has more than 20,000 triangles are asked about);
//! - `motion/path.rs`, `motion/rigid_motion.rs` and `deform/mesh.rs`: how bodies and points move. A motion's enclosures of its
//!   own frame and speed are part of its description.
//!
//! Some proofs need a guess: a distance or a depth at some time, cubes that may prove the depth of solids. Whoever calls
//! hands in who guesses (`hint.rs`); each guess is proved before it is believed, so that a wrong one can make a true answer
//! be refused, and no false one be accepted. `query/proofs.rs` has the engine guess, and tests that have it lie.
//!
//! Where to look:
//! - `answer.rs` begins the proof of an answer about resting bodies; `distance.rs`, `penetration.rs`, `relation.rs`,
//!   `contacts.rs` (with `contacts_of_meshes.rs`), `solid_depth.rs`, `depth_along.rs` and `local_depth.rs` have the
//!   claims of each;
//! - `repaired.rs` compares a repaired mesh with the one given;
//! - `impact.rs`, `rigid.rs`, `elementary.rs`, `step.rs`, `rays.rs` (with `mesh_rays.rs`, `height_field.rs`,
//!   `ray_moving.rs` and, for rays that hit nothing, `no_hit.rs`) and `volume.rs` have those of the other questions;
//! - `contact_curves.rs`, `self_intersections.rs`, `mesh_health.rs` and `height_field_samples.rs` have those of lists about meshes and
//!   of height fields by themselves;
//! - `body.rs` takes a convex body apart, `curved.rs` knows curved ones, `parts.rs` bodies made of them, `posed.rs` and
//!   `bodies.rs` meshes; `truth.rs` and `depth.rs` bound the gap of two;
//! - `height_field_pair.rs` and `swept_height_field.rs` make bodies of terrain, `scale.rs` enlarges tiny ones, `apart.rs` and `witness.rs`
//!   serve moving ones; `boxes.rs`, `triangles.rs` and `project.rs` are the tools.

pub(crate) mod answer;
pub(crate) mod apart;
pub(crate) mod bodies;
pub(crate) mod body;
pub(crate) mod boxes;
pub(crate) mod contact_curves;
pub(crate) mod contacts;
pub(crate) mod contacts_of_meshes;
pub(crate) mod curved;
pub(crate) mod depth;
pub(crate) mod depth_along;
pub(crate) mod distance;
pub(crate) mod elementary;
pub(crate) mod height_field;
pub(crate) mod height_field_pair;
pub(crate) mod height_field_samples;
pub(crate) mod hint;
pub(crate) mod impact;
pub(crate) mod local_depth;
pub(crate) mod mesh_health;
pub(crate) mod mesh_rays;
pub(crate) mod no_hit;
pub(crate) mod parts;
pub(crate) mod penetration;
pub(crate) mod posed;
pub(crate) mod project;
pub(crate) mod ray_moving;
pub(crate) mod rays;
pub(crate) mod refusal;
pub(crate) mod relation;
pub(crate) mod repaired;
pub(crate) mod rigid;
pub(crate) mod scale;
pub(crate) mod self_intersections;
pub(crate) mod solid_depth;
pub(crate) mod step;
pub(crate) mod swept_height_field;
pub(crate) mod triangles;
pub(crate) mod truth;
pub(crate) mod volume;
pub(crate) mod witness;

use crate::math::pose::Pose;
use crate::shape::Shape;

pub use refusal::Refusal;

/// An answer about two resting bodies: [`Distance`](crate::answer::Distance),
/// [`Penetration`](crate::answer::Penetration), [`RelationProof`](crate::answer::RelationProof),
/// [`Contacts`](crate::answer::Contacts) and [`SolidDepth`](crate::answer::SolidDepth). For code that takes any of them;
/// each has [`verify`](Answer::verify) as a method of its own.
pub trait Answer: answer::Check {
    /// Proves the answer anew from the bodies and poses of the question.
    ///
    /// Slower than the question (it looks at every vertex and every face in double-double arithmetic); meant for tests and
    /// for answers that must not be wrong.
    ///
    /// # Errors
    /// The first claim that does not hold.
    fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal>;
}
