//! Distance of two convex bodies.

use fearless_simd::Level;
use glam::DVec3;

use crate::answer::distance::{Distance, DistanceOptions, SubAlgorithm};
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::AnyCore;
use crate::convex::gjk::{GapBracket, Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::{enlarged, is_tiny};
use crate::convex::pair::{far_apart, fast_distance, segment_convex, segment_segment, sphere_convex, sphere_sphere};
use crate::convex::simplex::Simplex;
use crate::convex::workspace::{ConvexWorkspace, with_convex_workspace};
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, CONTACT_POINT, SMOOTH_POINT, UNIT_ROUNDOFF};
use crate::shape::{Feature, Shape};

/// The distance of two convex bodies.
#[inline(always)]
pub(crate) fn distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> Distance {
    let by_formula = options.sub_algorithm == SubAlgorithm::Voronoi;
    if by_formula && options.farther_than.is_none() {
        let (level, tolerance) = (workspace.level, options.tolerance.max(0.0));
        let mut otherwise = |cache: Option<&mut PairCache>| {
            let mut unknown = PairCache::default();
            by_placed_pair(a, pose_a, b, pose_b, options, cache.unwrap_or(&mut unknown), workspace)
        };
        if let (Shape::Hull(hull_a), Shape::Hull(hull_b)) = (a, b) {
            let (a, b) = ((a, hull_a, pose_a), (b, hull_b, pose_b));
            return fast_distance::distance_of_hulls(a, b, tolerance, level, Some(cache), &mut otherwise);
        }
        if fast_distance::are_known(a, b) {
            return fast_distance::distance((a, pose_a), (b, pose_b), tolerance, level, Some(cache), &mut otherwise);
        }
    }
    let mut otherwise = || by_placed_pair(a, pose_a, b, pose_b, options, cache, workspace);
    match (a, b) {
        (Shape::Sphere(_), Shape::Sphere(_)) => sphere_sphere::distance(a, pose_a, b, pose_b).unwrap_or_else(otherwise),
        (Shape::Sphere(_), _) | (_, Shape::Sphere(_)) if by_formula => {
            sphere_convex::distance(a, pose_a, b, pose_b, otherwise)
        }
        (Shape::Segment(_) | Shape::Capsule(_), Shape::Segment(_) | Shape::Capsule(_)) if by_formula => {
            segment_segment::distance(a, pose_a, b, pose_b).unwrap_or_else(otherwise)
        }
        _ => {
            if let Some(farther_than) = options.farther_than
                && let Some(answer) = far_apart::distance(a, pose_a, b, pose_b, farther_than.max(0.0))
            {
                return answer;
            }
            if by_formula && let Some(answer) = segment_convex::distance(a, pose_a, b, pose_b) {
                return answer;
            }
            otherwise()
        }
    }
}

/// [`distance`] without a cache, and with a workspace only in the rare case that one is needed.
#[inline(always)]
pub(crate) fn distance_once(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Distance {
    let options = DistanceOptions::default();
    let mut otherwise = |cache: Option<&mut PairCache>| {
        let mut unknown = PairCache::default();
        let cache = cache.unwrap_or(&mut unknown);
        with_convex_workspace(|workspace| by_placed_pair(a, pose_a, b, pose_b, &options, cache, workspace))
    };
    if let (Shape::Hull(hull_a), Shape::Hull(hull_b)) = (a, b) {
        let (level, a, b) = (Level::new(), (a, hull_a, pose_a), (b, hull_b, pose_b));
        return fast_distance::distance_of_hulls(a, b, 0.0, level, None, &mut otherwise);
    }
    if fast_distance::are_known(a, b) {
        return fast_distance::distance((a, pose_a), (b, pose_b), 0.0, Level::new(), None, &mut otherwise);
    }
    with_convex_workspace(|workspace| distance(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace))
}

/// The answer for all convex bodies, from the placed pair.
#[inline(never)]
pub(crate) fn by_placed_pair(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> Distance {
    let placed = Placed::new(a, pose_a, b, pose_b);
    if is_tiny(&placed)
        && let Some(large) = enlarged(a, pose_a, b, pose_b)
    {
        let options = DistanceOptions {
            farther_than: options.farther_than.map(|d| d * large.factor),
            tolerance: options.tolerance * large.factor,
            sub_algorithm: options.sub_algorithm,
            relative_tolerance: options.relative_tolerance,
        };
        let answer = distance(&large.a, &large.pose_a, &large.b, &large.pose_b, &options, cache, workspace);
        return answer.scaled(1.0 / large.factor);
    }
    if let Some(pair) = placed.half_space() {
        return crate::convex::pair::half_space::distance(&placed, &pair, workspace);
    }
    let radii = placed.radii();
    let stop = Stop {
        // NaN never compares as larger, so it stops nothing.
        farther_than: options
            .farther_than
            .map_or(f64::INFINITY, |d| placed.beyond((d.max(0.0) + placed.placement) + radii)),
        tolerance: options.tolerance.max(0.0),
    };
    if placed.is_smooth() {
        return smooth_answer(&placed, options, stop, cache, workspace);
    }
    let proposal = placed.proposal();
    if let Some(proposal) = &proposal
        && radii > 0.0
        && placed.bridges(radii * (1.0 - 8.0 * UNIT_ROUNDOFF), proposal)
    {
        return meeting_between(&placed, proposal.point_a, proposal.point_b);
    }
    let mut simplex = Simplex::default();
    let walk = match options.sub_algorithm {
        SubAlgorithm::Voronoi => placed.walk_unless(proposal.as_ref(), workspace.level, stop, cache, &mut simplex),
        SubAlgorithm::Johnson => placed.walk_by_johnson(stop, cache, &mut simplex),
    };
    match walk {
        Walk::Apart(apart) if radii == 0.0 || apart.lower > radii * (1.0 + 4.0 * UNIT_ROUNDOFF) => {
            separated(&placed, &apart, &simplex, options, cache)
        }
        Walk::Apart(apart) if apart.upper < radii * (1.0 - 4.0 * UNIT_ROUNDOFF) => meeting(&placed, &simplex),
        Walk::Inside => meeting(&placed, &placed.with_accurate_weights(simplex, cache, workspace)),
        Walk::Undecided(_) if placed.is_bridged(&simplex, radii * (1.0 - 4.0 * UNIT_ROUNDOFF)) => {
            meeting(&placed, &simplex)
        }
        Walk::Apart(_) | Walk::Undecided(_) => exact_answer(&placed, &simplex, options, cache, workspace),
    }
}

/// The answer where floating point leaves it undecided whether the placed bodies intersect.
#[cold]
fn exact_answer(
    placed: &Placed<'_>,
    start: &Simplex,
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> Distance {
    let exact = placed.exact_gap(start, cache, workspace);
    if exact.compare(&[placed.a.radius, placed.b.radius]).is_le() {
        return meeting(placed, &exact.simplex);
    }
    let answer = separated(placed, &placed.exactly_apart(&exact), &exact.simplex, options, cache);
    // The placed bodies are separated, though the gap may be far below the last digit of any coordinate.
    let value = (exact.gap - placed.radii()).max(f64::MIN_POSITIVE);
    Distance { gap: Bracket { value: value.max(answer.gap.lower).min(answer.gap.upper), ..answer.gap }, ..answer }
}

/// The answer where a core is curved.
#[cold]
fn smooth_answer(
    placed: &Placed<'_>,
    options: &DistanceOptions,
    stop: Stop,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> Distance {
    let found = placed.signed_gap(stop, placed.radii() * (1.0 - 8.0 * UNIT_ROUNDOFF), cache, workspace);
    let gap = found.gap;
    let method = |lower: f64, upper: f64| {
        let complete = upper - lower <= placed.accuracy();
        if complete { Method::Newton } else { Method::NewtonStopped(options.why_stopped([lower, upper])) }
    };
    let upper = placed.upper(gap.upper);
    if gap.length > placed.radii() {
        let method = method(placed.lower(gap.lower).max(0.0), upper);
        let features = if method == Method::Newton {
            placed.curved_features(&found)
        } else {
            placed.unfinished_curved_features(&found)
        };
        return with_features(placed, &gap, features, method);
    }
    let cores_meet = gap.length <= 0.0;
    let (point_a, point_b) =
        if cores_meet { placed.common_point(&found, workspace) } else { (gap.point_a, gap.point_b) };
    let answer = meeting_between(placed, point_a, point_b);
    // Points of curved cores have rounding errors too.
    let of_points = answer.gap.upper + 2.0 * SMOOTH_POINT * placed.reach;
    let upper = if cores_meet { of_points + placed.map.place(point_b).distance(point_a) } else { upper.max(of_points) };
    Distance { method: method(0.0, upper), gap: Bracket { upper, ..answer.gap }, ..answer }
}

/// The answer for separated placed bodies.
#[inline(always)]
fn separated(
    placed: &Placed<'_>,
    apart: &GapBracket,
    simplex: &Simplex,
    options: &DistanceOptions,
    cache: &mut PairCache,
) -> Distance {
    let bracket = placed.world_bracket(apart);
    let complete = placed.is_complete(bracket[1] - bracket[0]);
    let features =
        if complete { placed.features(simplex, apart, cache) } else { placed.unfinished_features(simplex, apart) };
    let method = if complete { Method::Gjk } else { Method::GjkStopped(options.why_stopped(bracket)) };
    with_world_bracket(placed, apart, bracket, features, method)
}

/// The answer for separated placed bodies, with its features.
#[inline(always)]
pub(crate) fn with_features(
    placed: &Placed<'_>,
    apart: &GapBracket,
    features: (Feature, Feature),
    method: Method,
) -> Distance {
    with_world_bracket(placed, apart, placed.world_bracket(apart), features, method)
}

/// [`with_features`] where the bracket in the world is known.
#[inline(always)]
pub(crate) fn with_world_bracket(
    placed: &Placed<'_>,
    apart: &GapBracket,
    [lower, upper]: [f64; 2],
    (feature_a, feature_b): (Feature, Feature),
    method: Method,
) -> Distance {
    let value = (apart.length - placed.radii()).max(f64::MIN_POSITIVE).max(lower).min(upper);
    let normal = placed.world_normal(apart.direction);
    let (point_a, point_b) = placed.surface_points(apart, normal);
    let swapped = placed.swapped;
    Distance {
        gap: Bracket { value, lower, upper },
        placement: placed.placement,
        method,
        witness: Witness {
            a: WitnessPoint {
                point: if swapped { point_b } else { point_a },
                part: 0,
                feature: if swapped { feature_b } else { feature_a },
            },
            b: WitnessPoint {
                point: if swapped { point_a } else { point_b },
                part: 0,
                feature: if swapped { feature_a } else { feature_b },
            },
        },
        normal: Some(if swapped { -normal } else { normal }),
    }
}

/// The answer for placed bodies that share the point of this simplex, or whose radii bridge the remaining gap.
fn meeting(placed: &Placed<'_>, simplex: &Simplex) -> Distance {
    let (point_a, point_b) = placed.witness(simplex);
    meeting_between(placed, point_a, point_b)
}

/// The answer for placed bodies that intersect between two points of their cores.
fn meeting_between(placed: &Placed<'_>, mut point_a: DVec3, mut point_b: DVec3) -> Distance {
    let radii = placed.radii();
    if radii > 0.0 {
        // Divide the remaining gap between the cores in proportion to the radii.
        let between = placed.map.place(point_b) - point_a;
        let share = placed.a.radius / radii;
        point_a += between * share;
        let back = placed.pose_b.inverse_rotation() * (placed.pose_a.rotation() * between);
        point_b -= back * (1.0 - share);
    }
    touching(placed, point_a, point_b)
}

/// The answer for placed bodies with a common point, given relative to both local origins.
pub(crate) fn touching(placed: &Placed<'_>, point_a: DVec3, point_b: DVec3) -> Distance {
    let (point_a, point_b) = placed.own_frames(point_a, point_b);
    Distance {
        gap: Bracket { value: 0.0, lower: 0.0, upper: placed.contact_upper() },
        placement: placed.placement,
        method: Method::Gjk,
        witness: Witness {
            a: WitnessPoint {
                point: if placed.swapped { point_b } else { point_a },
                part: 0,
                feature: Feature::Interior,
            },
            b: WitnessPoint {
                point: if placed.swapped { point_a } else { point_b },
                part: 0,
                feature: Feature::Interior,
            },
        },
        normal: None,
    }
}

impl Placed<'_> {
    /// The bracket width that the contract allows.
    #[inline(always)]
    pub(crate) fn accuracy(&self) -> f64 {
        (ACCURACY + self.pose_a.defect()) * self.scale()
    }

    /// The bracket of the bodies from that of the placed cores, neither end below zero.
    #[inline(always)]
    pub(crate) fn world_bracket(&self, apart: &GapBracket) -> [f64; 2] {
        [self.lower(apart.lower).max(0.0), self.upper(apart.upper)]
    }

    /// Whether a bracket of this width fulfils the contract, with enough to spare that it also holds for another
    /// measure of the pair's size than `L` as computed here, such as one by the bodies' centres. A GJK run that was not
    /// stopped early leaves a narrower one: [`GJK_ACCEPT`](crate::math::GJK_ACCEPT) of the reach, which is at most four
    /// times `L`.
    #[inline(always)]
    pub(crate) fn is_complete(&self, width: f64) -> bool {
        width <= (0.25 * ACCURACY + self.pose_a.defect()) * self.scale()
    }

    /// How far apart the real-number bodies can be when the placed ones intersect: the displacement of the vertices,
    /// and the rounding between the two copies of the common point.
    #[inline]
    pub(crate) fn contact_upper(&self) -> f64 {
        let radii = self.radii();
        let cores = self.placement + CONTACT_POINT * (self.reach + 2.0 * radii);
        // Where the radii bridge the gap of the cores, the comparison was made in the frame of A.
        (cores + self.map.stretch * radii) * (1.0 + self.map.stretch + 8.0 * UNIT_ROUNDOFF)
    }

    /// The features of a GJK run that was stopped early; not worth caching.
    #[cold]
    pub(crate) fn unfinished_features(&self, simplex: &Simplex, apart: &GapBracket) -> (Feature, Feature) {
        let count = simplex.count;
        (
            crate::convex::pair::feature::of_unfinished(self.shape_a, &simplex.a[..count], apart.point_a),
            crate::convex::pair::feature::of_unfinished(self.shape_b, &simplex.b[..count], apart.point_b),
        )
    }

    #[inline(always)]
    pub(crate) fn features(&self, simplex: &Simplex, apart: &GapBracket, cache: &mut PairCache) -> (Feature, Feature) {
        let find = || {
            let count = simplex.count;
            (
                crate::convex::pair::feature::of(self.shape_a, &simplex.a[..count], apart.point_a),
                crate::convex::pair::feature::of(self.shape_b, &simplex.b[..count], apart.point_b),
            )
        };
        match (self.a.core, self.b.core) {
            (AnyCore::Hull(a), AnyCore::Hull(b)) => cache.features((a.hash, b.hash), find),
            _ => find(),
        }
    }
}
