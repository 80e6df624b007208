//! Rays against meshes, in the caller's terms.

use fearless_simd::Level;

use crate::answer::ray::{Ray, RayHit, RayHitMode, RayOptions};
use crate::geom::ray_frame::Chain;
use crate::math::pose::Pose;
use crate::mesh::ray::{MeshHit, MeshLine, Range};
use crate::ray::crossing::Crossing;
use crate::ray::scratch::with_scratch;
use crate::shape::Mesh;

fn hit_of(hit: &MeshHit, chain: &Chain<'_>, options: &RayOptions) -> RayHit {
    let normal = chain.normal_to_world(hit.normal);
    Crossing::bracketed(hit.t, hit.point, normal, hit.feature, hit.entering).hit(options.from, options.to)
}

/// The first hit, or any.
pub(crate) fn first(mesh: &Mesh, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    let line = MeshLine::new(mesh, pose, ray.origin, ray.step());
    let range = Range { from: options.from, to: options.to };
    let hit = line.first(Level::new(), &range, options.hit == RayHitMode::Any)?;
    Some(hit_of(&hit, &Chain { outer: None, inner: pose }, options))
}

/// All hits, in order.
pub(crate) fn all(mesh: &Mesh, pose: &Pose, ray: &Ray, options: &RayOptions, hits: &mut Vec<RayHit>) {
    let line = MeshLine::new(mesh, pose, ray.origin, ray.step());
    let range = Range { from: options.from, to: options.to };
    let chain = Chain { outer: None, inner: pose };
    with_scratch(|scratch| {
        line.all(scratch.level, &mut scratch.crossings, &range, |hit| hits.push(hit_of(&hit, &chain, options)));
    });
}
