//! Verifies answers, with code independent of the searches that found them.
//!
//! This module imports no search. `cargo xtask house` allows it these imports only:
//! - `math` and `geom`: arithmetic and kernels on bare points. It uses double-double, intervals, exact signs, the
//!   nearest point of one triangle, and the hull builder, whose faces are only candidates and are measured here;
//! - `bound`, `shape`, `answer` and `error`: the definitions of boxes, bodies and answers. From a body it reads what a
//!   caller could read too: vertices, triangles, radii, support functions, heights. Four facts are taken from the shape
//!   unchecked: `Mesh::is_solid` (closed and consistently wound), whether its triangles cross or are folded onto each
//!   other and which of them lie inside the solid (computed once per mesh, by `mesh/`), and
//!   `HeightField::for_each_triangle_in` (which triangles lie over a window; used for two height fields of which one
//!   has more than 20,000 triangles);
//! - `motion/path.rs`, `motion/rigid_motion.rs` and `deform/mesh.rs`: how bodies and points move. A motion's enclosures
//!   of its frame and speed are part of its definition.
//!
//! Some proofs need a guess: a distance or a depth at some time, or cubes that may prove the depth of solids. The
//! caller supplies the source of guesses (`hint.rs`). Every guess is proved before use, so a wrong one can cause a true
//! answer to be refused but never a false one to be accepted. `query/proofs.rs` uses the engine for guesses; its tests
//! make the engine lie.
//!
//! Where to look:
//! - `answer.rs` is the entry point for answers about resting bodies; `distance.rs`, `penetration.rs`, `relation.rs`,
//!   `contacts.rs` (with `contacts_of_meshes.rs`), `solid_depth.rs`, `depth_along.rs` and `local_depth.rs` check the
//!   claims of each;
//! - `repaired.rs` compares a repaired mesh with the original;
//! - `impact.rs`, `rigid.rs`, `elementary.rs`, `step.rs`, `rays.rs` (with `mesh_rays.rs`, `height_field.rs`,
//!   `ray_moving.rs` and, for rays that miss, `no_hit.rs`) and `volume.rs` cover the other queries;
//! - `contact_curves.rs`, `self_intersections.rs`, `mesh_health.rs` and `height_field_samples.rs` cover lists about
//!   meshes and queries on a single height field;
//! - `body.rs` decomposes a convex body, `curved.rs` handles curved ones, `parts.rs` compounds, `posed.rs` and
//!   `bodies.rs` meshes; `truth.rs` and `depth.rs` bound the gap of a pair;
//! - `height_field_pair.rs` and `swept_height_field.rs` turn height fields into compounds of prisms, `scale.rs`
//!   enlarges tiny bodies, `apart.rs` and `witness.rs` serve moving ones; `boxes.rs`, `triangles.rs` and `project.rs`
//!   are the tools.

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
mod methods;
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
pub(crate) mod tets;
pub(crate) mod triangles;
pub(crate) mod truth;
pub(crate) mod volume;
pub(crate) mod witness;

use crate::math::pose::Pose;
use crate::shape::Shape;

pub use refusal::Refusal;

/// An answer about two resting bodies: [`Distance`](crate::answer::Distance),
/// [`Penetration`](crate::answer::Penetration), [`RelationProof`](crate::answer::RelationProof),
/// [`Contacts`](crate::answer::Contacts) or [`SolidDepth`](crate::answer::SolidDepth). For code that is generic over
/// them; each also has [`verify`](Answer::verify) as an inherent method.
pub trait Answer: answer::Check {
    /// Verifies the answer from the bodies and poses of the query.
    ///
    /// Slower than the query itself (it visits every vertex and every face in double-double arithmetic); intended for
    /// tests and for answers that must not be wrong.
    ///
    /// # Errors
    /// The first claim that does not hold.
    fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal>;
}
