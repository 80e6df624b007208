//! Where a ray meets a body.

use std::ops::ControlFlow;

use crate::answer::ray::{Ray, RayHit, RayOptions, Which};
use crate::geom::ray_frame::{Chain, Line};
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::ray::hits::{Crossings, crossings};
use crate::ray::{height_field, mesh};
use crate::shape::{Compound, Shape};

/// The first place where a ray crosses the boundary of a body: see [`ray_cast_with`].
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3, ray_cast};
/// let ball = Shape::sphere(1.0)?;
/// let inside = Ray::new(DVec3::ZERO, DVec3::X)?;
/// let hit = ray_cast(&ball, &Pose::IDENTITY, &inside).unwrap();
/// assert!(hit.t == 1.0 && !hit.entering);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast(shape: &Shape, pose: &Pose, ray: &Ray) -> Option<RayHit> {
    ray_cast_with(shape, pose, ray, &RayOptions::default())
}

/// The place with the least `t` from `from` to `to`, both included, where a ray crosses the boundary of a body.
///
/// - A ray that starts inside hits where it leaves, and `entering` is false.
/// - A ray that touches the body, at a vertex, along an edge or as a tangent, hits it: bodies are closed.
/// - A flat body (segment, triangle, flat hull) that is crossed has one hit, with `entering` true.
/// - A ray along the boundary of a half-space, or inside it all the way, crosses nothing.
/// - The ground below a height field is crossed at its surface alone: the sides below the edge of its footprint are no
///   hits. From above, the ray enters. A stretch along which the ray runs in the surface is one hit, its first point.
///
/// Whether there is a hit, and whether it is within the range, is decided exactly for balls, boxes, hulls, tetrahedra,
/// triangles, segments and half-spaces. For other bodies a hit counts when rounding leaves it open: to some 1e-30 of the
/// size for capsules, cylinders, cones and ellipsoids, to some 1e-14 for rounded and custom bodies. For a height field it is
/// decided exactly for the ray placed in the field's frame, which is rounded once; the bracket is that of the ray as given,
/// the surface continued beyond its edge by what the two differ.
///
/// For a mesh it is decided exactly, so a ray at an edge or vertex of a closed mesh never slips through. Every place where the ray
/// meets the mesh is one hit, however many triangles share it; of triangles that do, the lowest number names it. Of a surface
/// `entering` is true and the normal shows the side that the ray comes from; of a solid both follow its winding.
///
/// See [`RayOptions`] for an example.
pub fn ray_cast_with(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    match shape {
        Shape::Compound(compound) => in_compound(compound, pose, ray, options),
        Shape::Mesh(mesh) => mesh::first(mesh, pose, ray, options),
        Shape::HeightField(field) => {
            let mut first = None;
            height_field::crossings(field, pose, ray, options, |hit| {
                first = Some(hit);
                ControlFlow::Break(())
            });
            first
        }
        _ => {
            let found = crossings(shape, &Chain { outer: None, inner: pose }, ray);
            first(&found, options)
        }
    }
}

/// Every crossing of the boundary from `from` to `to`, in order of `t`: entry and exit of a convex body, those of every
/// part of a compound. `hits` is cleared first. A body that is touched has both an entry and an exit there; a flat body
/// that is crossed has only the entry.
///
/// Of a mesh, an edge or vertex that several triangles share gives one hit, not one each. The hits of a solid add up: there are
/// as many entries as exits on a whole line, each changes the winding number by one, and one that only touches is an entry
/// and an exit (from inside, an exit and an entry). A surface that the ray runs along has a hit where that starts, and one that is not `entering` where it
/// ends.
///
/// ```
/// use clearance::{Pose, Ray, RayOptions, Shape, glam::DVec3, ray_cast_all};
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::new(-3.0, 0.0, 0.0), DVec3::X)?;
/// let mut hits = Vec::new();
/// ray_cast_all(&ball, &Pose::IDENTITY, &ray, &RayOptions::default(), &mut hits);
/// assert_eq!(hits.iter().map(|hit| (hit.t, hit.entering)).collect::<Vec<_>>(), [(2.0, true), (4.0, false)]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast_all(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions, hits: &mut Vec<RayHit>) {
    hits.clear();
    match shape {
        Shape::Compound(compound) => {
            let Some(line) = near_compound(compound, pose, ray) else { return };
            for (index, (own, part)) in compound.parts().iter().enumerate() {
                if interval_of_box(&line, compound, index).is_some() {
                    let found = crossings(part, &Chain { outer: Some(pose), inner: own }, ray);
                    hits.extend(found.iter(options).map(|hit| of_part(hit, own, index)));
                }
            }
            // Stable: an entry stays before its exit, and a lower part before a higher one.
            hits.sort_by(|a, b| a.t.total_cmp(&b.t));
        }
        Shape::Mesh(mesh) => mesh::all(mesh, pose, ray, options, hits),
        Shape::HeightField(field) => height_field::crossings(field, pose, ray, options, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        }),
        _ => hits.extend(crossings(shape, &Chain { outer: None, inner: pose }, ray).iter(options)),
    }
}

fn first(found: &Crossings<'_>, options: &RayOptions) -> Option<RayHit> {
    found.iter(options).next()
}

fn of_part(hit: RayHit, own: &Pose, index: usize) -> RayHit {
    RayHit { part: index as u32, point_in_body: own.transform_point(hit.point_in_body), ..hit }
}

fn near_compound(compound: &Compound, pose: &Pose, ray: &Ray) -> Option<Line> {
    let bounds = compound.bounds();
    let extent = crate::shape::rounded_up_length(0.5 * bounds.size());
    Line::new(&Chain { outer: None, inner: pose }, ray.origin, ray.step(), bounds.center(), extent, true)
}

/// Where the line may be in the box of a part, in its own parameter; `None` if nowhere.
///
/// In the line's scale the compound has size one, and the line's origin is as near. So coordinates, quotients and
/// products err by a few `u`, and widening the box by 1e-12 of that scale covers them a hundred times.
fn interval_of_box(line: &Line, compound: &Compound, index: usize) -> Option<[f64; 2]> {
    let near = &line.near;
    let (bounds, center) = (compound.boxes().get(index)?, compound.bounds().center());
    let mut interval = [f64::NEG_INFINITY, f64::INFINITY];
    for k in 0..3 {
        let (o, d) = (near.o[k].to_f64(), near.d[k].to_f64());
        let low = (bounds.min[k] - center[k]) * near.scale - o - 1e-12;
        let high = (bounds.max[k] - center[k]) * near.scale - o + 1e-12;
        // Slower than this it moves less than the widening within any distance that matters.
        if d.abs() < 1e-16 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (low / d, high / d);
        interval = [interval[0].max(a.min(b)), interval[1].min(a.max(b))];
    }
    (interval[0] <= interval[1]).then_some(interval)
}

fn in_compound(compound: &Compound, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    let line = near_compound(compound, pose, ray)?;
    let mut best: Option<RayHit> = None;
    for (index, (own, part)) in compound.parts().iter().enumerate() {
        let Some([enters, _]) = interval_of_box(&line, compound, index) else { continue };
        // The box holds the part: nothing of the part comes before the box.
        if let Some(best) = &best
            && line.time(Enclosed::about(enters, 1e-15 * enters.abs())).lower() > best.upper
        {
            continue;
        }
        let found = crossings(part, &Chain { outer: Some(pose), inner: own }, ray);
        let Some(hit) = first(&found, options) else { continue };
        let hit = of_part(hit, own, index);
        if options.hit == Which::Any {
            return Some(hit);
        }
        best = Some(match best {
            None => hit,
            Some(best) => {
                // The least of several numbers lies between the least of their bounds. The part that may be met first is
                // named: then the bracket is within that part's own.
                let (lower, upper) = (best.lower.min(hit.lower), best.upper.min(hit.upper));
                let earlier = (hit.lower, hit.t) < (best.lower, best.t);
                let nearer = if earlier { hit } else { best };
                let t = nearer.t.min(upper);
                let along = pose.inverse_rotation() * (ray.direction * (t - nearer.t));
                let nearer = RayHit { t, point_in_body: nearer.point_in_body + along, ..nearer };
                RayHit { lower, upper, ..nearer }
            }
        });
    }
    best
}
