//! Where two bodies touch.

use crate::answer::contact_curve::ContactCurve;
use crate::answer::contact_curve::ContactCurvesOptions;
use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::mesh::pair::contact_curves as mesh;
use crate::pair;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::{Mesh, Shape};

/// Where two bodies touch: all points that are not apart. Faces that lie on each other give the corners of the polygon they
/// have in common, an edge on a face two points, everything else one. Convex bodies touch along one normal. Of compounds
/// every two parts that touch give their points, each with its own normal, and points that several parts have in common come
/// once; a height field gives the points on all triangles below the other body, and none on the seams between them.
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

/// [`contacts`] with options, a cache and a workspace, into an answer made before. Allocates nothing once warm, except where
/// exact arithmetic decides, and for the prisms of height fields. See [`ContactsOptions`] for an example.
#[allow(clippy::too_many_arguments, reason = "those of every question, and the answer to fill")]
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

/// The curves along which the surfaces of two meshes meet: where they cross, outlines of areas where they lie on each other,
/// and places where they only touch. Ordered by their lowest pair of triangles; empty if no triangles meet, also where one
/// solid is inside the other.
///
/// Which segments there are and how they are linked is exact for the placed pair, so curves of closed surfaces in general
/// position are closed. Where surfaces end, curves are open.
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
