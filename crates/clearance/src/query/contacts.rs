//! Contact points of two bodies.

use crate::answer::contact_curve::ContactCurve;
use crate::answer::contact_curve::ContactCurvesOptions;
use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::mesh::pair::contact_curves as mesh;
use crate::pair;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::{Mesh, Shape};

/// Contact points of two bodies: every pair of surface points not proved to be apart. Faces in contact give the corners
/// of their common polygon, an edge on a face two points, everything else one. Convex bodies have a single contact
/// normal. In compounds every pair of parts in contact gives its points, each with its own normal, and points shared by
/// several parts are reported once. A height field gives points on all triangles below the other body, and none on the
/// seams between them.
///
/// For meshes the result lists pairs of triangles with their segments; it has no depth. Cost: that of
/// [`distance`](crate::distance) or [`penetration`](crate::penetration), plus clipping the two faces in contact.
///
/// See [`Contacts`] for an example.
#[must_use]
pub fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Contacts {
    let mut found = Contacts::default();
    with_thread_workspace(|workspace| {
        let options = ContactsOptions::default();
        contacts_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace, &mut found);
    });
    found
}

/// [`contacts`] with options, a cache and a workspace, written to a reusable answer. Allocates nothing once warm,
/// except where exact arithmetic decides and for the prisms of height fields. See [`ContactsOptions`] for an example.
#[allow(clippy::too_many_arguments, reason = "the arguments of every query, and the answer to fill")]
pub fn contacts_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    pair::contacts::contacts(a, pose_a, b, pose_b, options, cache, workspace, out);
}

/// The curves along which the surfaces of two meshes meet: where they cross, the outlines of areas where they coincide,
/// and places where they only touch. Ordered by their lowest pair of triangles. Empty if no triangles meet, even if one
/// solid is inside the other.
///
/// The set of segments and their connectivity are exact for the placed pair, so curves of closed surfaces in general
/// position are closed. At the boundary of an open surface, curves end.
///
/// Meshes only. Cost: proportional to the number of triangle pairs whose boxes overlap.
///
/// ```
/// use clearance::{Mesh, Pose, glam::DVec3};
/// use clearance::query::contact_curves;
/// // A square in the plane z = 0, and the sides of a tetrahedron that stands in it with its tip below.
/// let square = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]];
/// let square = Mesh::new(&square, &[[0, 1, 2], [0, 2, 3]])?;
/// let spike = [[0.0, 0.0, -1.0], [1.0, -0.5, 1.0], [0.0, 1.5, 1.0], [-1.0, -0.5, 1.0]];
/// let spike = Mesh::new(&spike, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
/// let curves = contact_curves(&square, &Pose::IDENTITY, &spike, &Pose::IDENTITY);
/// assert_eq!(curves.len(), 1);
/// assert!(curves[0].closed && curves[0].points.iter().all(|p| p.z.abs() < 1e-15));
/// assert!((curves[0].normal.unwrap() - DVec3::Z).length() < 1e-12); // B's edges pierce A's face: along its normal
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn contact_curves(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<ContactCurve> {
    with_thread_workspace(|workspace| {
        contact_curves_with(a, pose_a, b, pose_b, &ContactCurvesOptions::default(), workspace)
    })
}

/// [`contact_curves`] with options and a workspace. See [`ContactCurvesOptions`] for an example.
#[must_use]
pub fn contact_curves_with(
    a: &Mesh,
    pose_a: &Pose,
    b: &Mesh,
    pose_b: &Pose,
    options: &ContactCurvesOptions,
    workspace: &mut Workspace,
) -> Vec<ContactCurve> {
    mesh::contact_curves(a, pose_a, b, pose_b, options, &mut workspace.mesh)
}
