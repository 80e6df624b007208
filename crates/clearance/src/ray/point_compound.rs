//! Distance from a point to a compound: the nearest part outside, an exit from all parts inside.

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::ray::{Ray, RayOptions};
use crate::answer::witness::WitnessPoint;
use crate::geom::ray_frame::Chain;
use crate::math::bracket::Bracket;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::tolerances::ROUND_UP;
use crate::ray::hits::crossings;
use crate::ray::point_convex;
use crate::shape::{Compound, Feature, Shape};

/// The first part of a compound that contains a point.
pub(crate) fn holder(compound: &Compound, pose: &Pose, point: DVec3) -> Option<u32> {
    let holds =
        |(own, part): &(Pose, Shape)| point_convex::holds(part, &Chain { outer: Some(pose), inner: own }, point);
    compound.parts().iter().position(holds).map(|index| index as u32)
}

/// Outside: the nearest part. Inside: at least as deep as in the deepest part; the exit from the union leads through
/// the nearest boundary point of some part that is in no other part.
pub(crate) fn signed_distance(compound: &Compound, pose: &Pose, p: DVec3) -> SignedDistance {
    let chain = |own| Chain { outer: Some(pose), inner: own };
    let of_part = |index: usize| {
        let (own, part) = &compound.parts()[index];
        let found = point_convex::signed_distance(part, &chain(own), p);
        SignedDistance {
            witness: WitnessPoint {
                point: own.transform_point(found.witness.point),
                part: index as u32,
                ..found.witness
            },
            ..found
        }
    };
    let query = pose.inverse_transform_point(p);
    let size = compound.bounds().size().length() + (query - compound.bounds().center()).length();
    let mut best: Option<SignedDistance> = None;
    for (index, bounds) in compound.boxes().iter().enumerate() {
        // A part cannot be nearer than its box; 1e-5 covers rounding and a stretched frame.
        let outside = (query - query.clamp(bounds.min, bounds.max)).length();
        if best.is_some_and(|best| outside > (best.distance.upper.max(0.0) + 1e-5 * size) * 1.00001) {
            continue;
        }
        let found = of_part(index);
        best = Some(match best {
            None => found,
            Some(best) => {
                let (lower, upper) =
                    (best.distance.lower.min(found.distance.lower), best.distance.upper.min(found.distance.upper));
                let nearer = if found.distance.value < best.distance.value { found } else { best };
                SignedDistance { distance: Bracket { lower, upper, ..nearer.distance }, ..nearer }
            }
        });
    }
    let Some(best) = best else {
        return SignedDistance::enclosed(Enclosed::about(0.0, f64::INFINITY), DVec3::ZERO, DVec3::X, Feature::Interior);
    };
    if best.distance.lower > 0.0 || compound.parts().len() == 1 {
        return best;
    }
    exit_of_union(compound, pose, p, best)
}

/// For a point in the union, or so near that this is undecided. `best` is the deepest part's answer: its `upper` holds
/// for the union. The lower bound needs a point outside: the first place along each part's normal and along the axes
/// where the line has left every part.
fn exit_of_union(compound: &Compound, pose: &Pose, p: DVec3, best: SignedDistance) -> SignedDistance {
    // The shortest exit found and its end point, and the length of the deepest part's own exit.
    let mut shortest = (f64::INFINITY, best);
    let mut own_way = f64::INFINITY;
    let axes = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    let normals = compound.parts().iter().enumerate().filter_map(|(index, (own, part))| {
        let chain = Chain { outer: Some(pose), inner: own };
        let near = point_convex::holds(part, &chain, p);
        near.then(|| (point_convex::signed_distance(part, &chain, p).normal, index))
    });
    let directions = normals.map(|(normal, _)| normal).chain(axes);
    for direction in directions {
        let Ok(ray) = Ray::new(p, direction) else { continue };
        let mut reached = 0.0f64;
        let mut last = None;
        // Each round leaves at least one part for good: a line meets a convex part in one interval.
        for _ in 0..=compound.parts().len() {
            let mut farther = None;
            for (index, (own, part)) in compound.parts().iter().enumerate() {
                let chain = Chain { outer: Some(pose), inner: own };
                let found = crossings(part, &chain, &ray);
                let options = RayOptions::line();
                let entry = found.iter(&options).find(|hit| hit.entering);
                let exit = found.iter(&options).find(|hit| !hit.entering);
                if let (Some(entry), Some(exit)) = (entry, exit)
                    && entry.t.lower <= reached
                    && exit.t.upper > reached
                {
                    farther = Some((exit, index));
                    reached = exit.t.upper;
                }
            }
            match farther {
                Some(found) => last = Some(found),
                None => break,
            }
        }
        let length = reached * direction.length() * ROUND_UP;
        if last.is_some_and(|(_, index)| index as u32 == best.witness.part) && direction == best.normal {
            own_way = length;
        }
        if length < shortest.0
            && let Some((exit, index)) = last
        {
            let own = &compound.parts()[index].0;
            let chain = Chain { outer: Some(pose), inner: own };
            let beyond = chain.rounded_to_body(direction * (reached - exit.t.value));
            let found = SignedDistance {
                // A wide bracket was left at its end.
                distance: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
                witness: WitnessPoint {
                    point: own.transform_point(exit.witness.point + beyond),
                    feature: exit.witness.feature,
                    part: index as u32,
                },
                normal: exit.normal,
            };
            shortest = (length, found);
        }
    }
    let (length, found) = shortest;
    if !length.is_finite() {
        // Only flat parts: the point is on them.
        return SignedDistance {
            distance: Bracket { lower: best.distance.lower.min(best.distance.upper), ..best.distance },
            ..best
        };
    }
    let lower = (-length).min(best.distance.upper);
    // The deepest part's own exit, if unobstructed: as long as that part's answer, within both brackets.
    let known = best.distance.upper - best.distance.lower;
    if own_way <= -best.distance.value * (1.0 + 1e-12) || -own_way >= best.distance.lower - 2.0 * known {
        return SignedDistance {
            distance: Bracket {
                lower: lower.min(best.distance.lower),
                value: best.distance.value.max(lower),
                ..best.distance
            },
            ..best
        };
    }
    SignedDistance { distance: Bracket { value: -length, lower, upper: best.distance.upper }, ..found }
}
