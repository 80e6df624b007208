//! Ray casts: dispatch over the kinds of body, and the parts of a compound.

use std::ops::ControlFlow;

use crate::answer::ray::{Ray, RayHit, RayHitMode, RayOptions};
use crate::answer::witness::WitnessPoint;
use crate::geom::ray_frame::{Chain, Line};
use crate::math::bracket::Bracket;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::ray::hits::crossings;
use crate::ray::{height_field, mesh};
use crate::shape::{Compound, Shape};

/// The first hit, or any: see [`ray_cast_with`](crate::query::ray_cast_with).
#[inline(always)]
pub(crate) fn first(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
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
            found.iter(options).next()
        }
    }
}

/// All hits, in order of `t`: see [`ray_cast_all`](crate::query::ray_cast_all). `hits` is cleared first.
pub(crate) fn all(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions, hits: &mut Vec<RayHit>) {
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
            hits.sort_by(|a, b| a.t.value.total_cmp(&b.t.value));
        }
        Shape::Mesh(mesh) => mesh::all(mesh, pose, ray, options, hits),
        Shape::HeightField(field) => height_field::crossings(field, pose, ray, options, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        }),
        _ => hits.extend(crossings(shape, &Chain { outer: None, inner: pose }, ray).iter(options)),
    }
}

fn of_part(hit: RayHit, own: &Pose, index: usize) -> RayHit {
    RayHit {
        witness: WitnessPoint { part: index as u32, point: own.transform_point(hit.witness.point), ..hit.witness },
        ..hit
    }
}

fn near_compound(compound: &Compound, pose: &Pose, ray: &Ray) -> Option<Line> {
    let bounds = compound.bounds();
    let extent = crate::shape::rounded_up_length(0.5 * bounds.size());
    Line::new(&Chain { outer: None, inner: pose }, ray.origin, ray.step(), bounds.center(), extent, true)
}

/// The interval of the line's own parameter in the box of a part; `None` if it misses.
///
/// In the line's scale the compound has size one, and the line's origin is as near. So coordinates, quotients and
/// products err by a few `u`, and widening the box by 1e-12 of that scale covers them a hundred times over.
fn interval_of_box(line: &Line, compound: &Compound, index: usize) -> Option<[f64; 2]> {
    let near = &line.near;
    let (bounds, center) = (compound.boxes().get(index)?, compound.bounds().center());
    let mut interval = [f64::NEG_INFINITY, f64::INFINITY];
    for k in 0..3 {
        let (o, d) = (near.o[k].to_f64(), near.d[k].to_f64());
        let low = (bounds.min[k] - center[k]) * near.scale - o - 1e-12;
        let high = (bounds.max[k] - center[k]) * near.scale - o + 1e-12;
        // Slower than this, the line moves less than the widening within any relevant distance.
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
        // The box contains the part, so the part cannot be hit before the box.
        if let Some(best) = &best
            && line.time(Enclosed::about(enters, 1e-15 * enters.abs())).lower() > best.t.upper
        {
            continue;
        }
        let found = crossings(part, &Chain { outer: Some(pose), inner: own }, ray);
        let Some(hit) = found.iter(options).next() else { continue };
        let hit = of_part(hit, own, index);
        if options.hit == RayHitMode::Any {
            return Some(hit);
        }
        best = Some(match best {
            None => hit,
            Some(best) => {
                // The minimum of several numbers lies between the minima of their bounds. The part that may be hit
                // first is reported: then the bracket is within that part's own.
                let (lower, upper) = (best.t.lower.min(hit.t.lower), best.t.upper.min(hit.t.upper));
                let earlier = (hit.t.lower, hit.t.value) < (best.t.lower, best.t.value);
                let nearer = if earlier { hit } else { best };
                let t = nearer.t.value.min(upper);
                let along = pose.inverse_rotation() * (ray.direction * (t - nearer.t.value));
                let nearer = RayHit {
                    t: Bracket { value: t, ..nearer.t },
                    witness: WitnessPoint { point: nearer.witness.point + along, ..nearer.witness },
                    ..nearer
                };
                RayHit { t: Bracket { lower, upper, ..nearer.t }, ..nearer }
            }
        });
    }
    best
}
