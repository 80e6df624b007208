//! Contact points of two convex bodies.

use glam::DVec3;

use crate::answer::contacts::{Contact, Contacts, ContactsOptions};
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::gjk::{GapBracket, Stop};
use crate::convex::manifold::{Manifold, Name};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::feature;
use crate::convex::pair::penetration::signed_gap;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::{enlarged, is_tiny};
use crate::convex::workspace::ConvexWorkspace;
use crate::math::bracket::Bracket;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{CONTACT_POINT, ROUND_UP, SECOND_ORDER, UNIT_ROUNDOFF};
use crate::shape::{Feature, Shape};

/// Contact points of two convex bodies.
#[allow(clippy::too_many_arguments, reason = "those of every query, and the answer to fill")]
pub(crate) fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
    out: &mut Contacts,
) {
    out.crossings.clear();
    let placed = Placed::new(a, pose_a, b, pose_b);
    if is_tiny(&placed)
        && let Some(large) = enlarged(a, pose_a, b, pose_b)
    {
        let options = ContactsOptions { margin: options.margin * large.factor, ..*options };
        contacts(&large.a, &large.pose_a, &large.b, &large.pose_b, &options, cache, workspace, out);
        return out.scale_by(1.0 / large.factor);
    }
    let margin = options.margin.max(0.0);
    out.points.clear();
    (out.margin, out.tilt, out.placement) = (margin, clamped_tilt(options), placed.placement);
    (out.witness.a.part, out.witness.b.part) = (0, 0);
    let stop = Stop { farther_than: placed.beyond((margin + placed.placement) + placed.radii()), tolerance: 0.0 };
    let Some((gap, features, method)) = signed_gap(&placed, stop, margin, cache, workspace) else {
        let normal = placed.half_space().map_or(DVec3::X, |pair| placed.world_normal(pair.normal.normalize()));
        out.normal = if placed.swapped { -normal } else { normal };
        (out.witness.a.point, out.witness.b.point) = (DVec3::ZERO, DVec3::ZERO);
        (out.gap.value, out.gap.lower, out.gap.upper, out.method) =
            (-f64::MAX, -f64::MAX, -f64::MAX, Method::ClosedForm);
        return;
    };
    let normal = placed.world_normal(gap.direction);
    (out.gap.lower, out.gap.upper) = (placed.lower(gap.lower), placed.upper(gap.upper));
    if gap.upper < 0.0 && out.gap.upper >= 0.0 {
        // For so small a depth the placement error undoes the polytope's proof: the two points prove the rest.
        let between = placed.map.place(gap.point_b).distance(gap.point_a);
        out.gap.upper = out.gap.upper.max(placed.upper(between + CONTACT_POINT * placed.reach));
    }
    out.gap.value = (gap.length - placed.radii()).max(out.gap.lower).min(out.gap.upper);
    (out.normal, out.method) = (normal, method);
    (out.witness.a.point, out.witness.b.point) = placed.surface_points(&gap, normal);
    if out.gap.lower <= margin {
        find(&placed, &gap, features, normal, options, workspace, out);
    }
    if let Some(most) = options.most {
        reduce(&mut out.points, most.max(1), placed.pose_a, placed.a.origin);
    }
    if placed.swapped {
        out.normal = -out.normal;
        std::mem::swap(&mut out.witness.a.point, &mut out.witness.b.point);
        out.points.iter_mut().for_each(|point| *point = point.swapped());
    }
}

/// The tilt of the options, clamped to its limits.
pub(crate) fn clamped_tilt(options: &ContactsOptions) -> f64 {
    if options.tilt > 0.0 { options.tilt.min(0.7) } else { 0.0 }
}

/// All contact points of a placed pair, plus the witness where none is as deep.
fn find(
    placed: &Placed<'_>,
    gap: &GapBracket,
    features: (Feature, Feature),
    normal: DVec3,
    options: &ContactsOptions,
    workspace: &mut ConvexWorkspace,
    out: &mut Contacts,
) {
    let tilt = clamped_tilt(options).sin();
    let ConvexWorkspace { manifold, .. } = workspace;
    manifold.find(&placed.a, &placed.b, &placed.map, placed.reach, gap.direction, tilt);
    for contact in found_touches(placed, manifold, gap.direction, normal) {
        if contact.gap.lower <= out.margin {
            out.points.push(contact);
        }
    }
    let (frame, parts) = (Frames::of(placed), (0, 0));
    let witness = frame.contact(gap.direction, normal, placed.surface_points(gap, normal), parts, features);
    if out.points.iter().all(|point| point.gap.lower > witness.gap.upper) {
        out.points.push(witness);
    }
}

/// The touches found between two placed bodies, as contacts in the caller's order.
fn found_touches<'m>(
    placed: &'m Placed<'_>,
    manifold: &'m Manifold,
    direction: DVec3,
    normal: DVec3,
) -> impl Iterator<Item = Contact> + 'm {
    let named = |shape: &Shape, name: Name, point: DVec3| match name {
        Name::Known(feature) => feature,
        // The point is on the surface, also where its corners share a face only up to rounding.
        Name::Corners(ids) => feature::of(shape, &ids, point),
    };
    manifold.touches.iter().map(move |touch| {
        let points = placed.own_frames(touch.point_a, touch.point_b);
        let feature_a = named(placed.shape_a, touch.name_a, touch.point_a);
        let feature_b = named(placed.shape_b, touch.name_b, touch.point_b);
        Frames::of(placed).contact(direction, normal, points, (0, 0), (feature_a, feature_b))
    })
}

/// The facing points of two convex bodies along a direction of the world, unit and from A to B, which need not be that
/// of their gap: from the patches of both bodies perpendicular to it. Added to `out`.
pub(crate) fn touches_along(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    normal: DVec3,
    tilt: f64,
    manifold: &mut Manifold,
    out: &mut Vec<Contact>,
) {
    let placed = Placed::new(a, pose_a, b, pose_b);
    let along = if placed.swapped { -normal } else { normal };
    let direction = (placed.pose_a.rotation().transpose() * along).normalize_or(DVec3::X);
    manifold.find_along(&placed.a, &placed.b, &placed.map, placed.reach, direction, tilt.sin());
    out.extend(found_touches(&placed, manifold, direction, along).map(|mut contact| {
        if placed.swapped {
            contact = contact.swapped();
        }
        contact
    }));
}

/// Two frames with the map between them: from B's, relative to a point of it, to A's, relative to a point of that.
#[derive(Clone, Copy)]
pub(crate) struct Frames<'p> {
    pub map: &'p Placement,
    pub origin_a: DVec3,
    pub origin_b: DVec3,
}

impl<'p> Frames<'p> {
    fn of(placed: &'p Placed<'_>) -> Frames<'p> {
        Frames { map: &placed.map, origin_a: placed.a.origin, origin_b: placed.b.origin }
    }

    /// A contact between two points, in own frames, with the bracket of its gap. `normal` is the world direction of
    /// `direction`, which is in the frame of A.
    ///
    /// The gap is computed in the frame of A, `d · v` with `v = M b + t - a` of the stored points `a`, `b` less the
    /// local origins. Against `n · w`, the same in the world:
    /// - placing `b`: `Placement::bound`; subtracting the local origins: `u` of `|a|` and `|b|`;
    /// - the difference `v` and the product: `u + 3u` of `|v|`; `d` and `n` are of unit length within `4u` each, and
    ///   `n` is `d` turned, off by `11u` (see `tolerances::LOWER_BOUND`): together `23u |v|`, counted as 24;
    /// - a frame that is not quite rigid stretches lengths: `stretch |v|`.
    pub fn contact(
        &self,
        direction: DVec3,
        normal: DVec3,
        (point_in_a, point_in_b): (DVec3, DVec3),
        (part_a, part_b): (u32, u32),
        (feature_a, feature_b): (Feature, Feature),
    ) -> Contact {
        let (a, b) = (point_in_a - self.origin_a, point_in_b - self.origin_b);
        let v = self.map.place(b) - a;
        let (size_a, size_b) = (a.length() * ROUND_UP, b.length() * ROUND_UP);
        let gap = direction.dot(v);
        let own = UNIT_ROUNDOFF * (size_a + size_b);
        let turned = (24.0 * UNIT_ROUNDOFF + self.map.stretch) * v.length();
        let doubt = (self.map.bound(size_b) + own + turned) * SECOND_ORDER;
        let (lower, upper) = (gap - doubt, gap + doubt);
        Contact {
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
            },
            normal,
            gap: Bracket { value: gap, lower, upper },
        }
    }
}

/// Keeps the deepest point and those that spread widest: the one farthest from it, the one that makes the largest
/// triangle with both, then repeatedly the one farthest from all kept so far. They come in this order.
pub(crate) fn reduce(points: &mut Vec<Contact>, most: usize, pose_a: &Pose, origin_a: DVec3) {
    if points.len() <= most {
        return;
    }
    let at = |point: &Contact| pose_a.rotation() * (point.witness.a.point - origin_a);
    // The chosen ones are moved to the front, by rotations that preserve the order of the rest.
    let deepest = first_best(points, |point| -point.gap.value);
    points[..=deepest].rotate_right(1);
    for chosen in 1..most {
        let (kept, rest) = points.split_at(chosen);
        let next = chosen
            + first_best(rest, |point| {
                let p = at(point);
                match kept {
                    [first] => p.distance_squared(at(first)),
                    [first, second] => (at(second) - at(first)).cross(p - at(first)).length_squared(),
                    _ => kept.iter().map(|k| p.distance_squared(at(k))).fold(f64::INFINITY, f64::min),
                }
            });
        points[chosen..=next].rotate_right(1);
    }
    points.truncate(most);
}

/// The first of the largest.
fn first_best(points: &[Contact], value: impl Fn(&Contact) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, point) in points.iter().enumerate() {
        let value = value(point);
        if value > best.1 {
            best = (index, value);
        }
    }
    best.0
}
