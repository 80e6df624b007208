//! Overlap volume of two solids.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::method::Method;
use crate::answer::volume::Volume;
use crate::depth::polyhedron::Polyhedron;
use crate::depth::volume::{SolidSurface, measure};
use crate::error::QueryError;
use crate::math::bracket::Bracket;
use crate::math::double_double::{DoubleDoubleVec3, two_sum};
use crate::math::enclosed::Enclosed;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::scaling::times_power_of_two;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::shape::{Shape, order, rounded_up_length};

/// The overlap volume of two solids. See [`overlap_volume`](crate::overlap_volume); `scratch` is reusable memory.
pub(crate) fn overlap_volume(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    scratch: &mut [SolidSurface; 2],
) -> Result<Volume, QueryError> {
    if let (Shape::Sphere(p), Shape::Sphere(q)) = (a, b) {
        let swapped = order(a, pose_a, b, pose_b) == Ordering::Greater;
        let (p, q) = ((p.radius(), pose_a.translation()), (q.radius(), pose_b.translation()));
        return Ok(if swapped { of_balls(q, p) } else { of_balls(p, q) });
    }
    if has_no_volume(a) || has_no_volume(b) {
        return Ok(nothing(Method::ClosedForm));
    }
    let (kind_a, kind_b) = (Polyhedron::of(a)?, Polyhedron::of(b)?);
    let swapped = order(a, pose_a, b, pose_b) == Ordering::Greater;
    let (first, second) = ((kind_a, pose_a), (kind_b, pose_b));
    Ok(if swapped { of_polyhedra(second, first, scratch) } else { of_polyhedra(first, second, scratch) })
}

/// Whether a body lies in a plane.
fn has_no_volume(shape: &Shape) -> bool {
    match shape {
        Shape::Segment(_) | Shape::Triangle(_) => true,
        Shape::Hull(hull) => hull.dimension() < 3,
        Shape::Tetrahedron(tetrahedron) => {
            let [p, q, r, s] = tetrahedron.corners().points;
            orient3d(p, q, r, s).is_zero()
        }
        _ => false,
    }
}

fn nothing(method: Method) -> Volume {
    let area = Bracket { value: 0.0, lower: 0.0, upper: 0.0 };
    Volume {
        volume: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
        placement: 0.0,
        centroid: None,
        centroid_off: 0.0,
        area,
        method,
    }
}

/// Two solids in order, in the frame of the first.
fn of_polyhedra(
    (a, pose_a): (Polyhedron<'_>, &Pose),
    (b, pose_b): (Polyhedron<'_>, &Pose),
    scratch: &mut [SolidSurface; 2],
) -> Volume {
    let (origin_a, points_a, triangles_a) = a.parts();
    let (origin_b, points_b, triangles_b) = b.parts();
    let map = Placement::new(pose_a, origin_a, pose_b, origin_b);
    let radius = points_b.iter().map(|&p| rounded_up_length(p)).fold(0.0, f64::max);
    let placement = exact_placement(&map, points_b).unwrap_or_else(|| map.bound(radius));
    let sides = scratch;
    fill(&mut sides[0], points_a.iter().copied(), triangles_a);
    fill(&mut sides[1], points_b.iter().map(|&p| map.place(p)), triangles_b);
    // Scale to coordinates below 2, by a power of two.
    let size = sides.iter().flat_map(|s| &s.points).fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    let power = -exponent(size.max(placement));
    for point in sides.iter_mut().flat_map(|s| &mut s.points) {
        *point = scaled(*point, power);
    }
    let slack = times_power_of_two(placement, power).next_up();
    let slack = if placement == 0.0 { 0.0 } else { slack };
    let found = measure(sides, slack);
    if found.shared.is_none() && found.moved == 0.0 {
        return Volume { placement, ..nothing(Method::Columns) };
    }

    // Volumes in the world are those in the frame times the determinant of its matrix, off by `26u²` of products of
    // entries that add up to less than 6, which is as much as `160u²` of itself; areas within the square of its
    // stretch.
    let columns = pose_a.rotation();
    let [x, y, z] = [columns.x_axis, columns.y_axis, columns.z_axis].map(DoubleDoubleVec3::from);
    let determinant = x.dot(y.cross(z));
    let swept = slack * found.moved * ROUND_UP;
    let volume_off = (found.volume_off + swept) * ROUND_UP;
    let volume = found.volume * determinant;
    let seen = if found.volume.hi() > found.volume_off { volume.to_f64() } else { 0.0 };
    let off = (volume_off * determinant.hi().abs()) * ROUND_UP + 1.01 * UNIT_ROUNDOFF * volume.hi().abs();
    let to_volume = |x: f64| times_power_of_two(x, -3 * power);
    let lower = to_volume((volume.hi() - off).next_down()).next_down().max(0.0);
    let upper = to_volume((volume.hi().max(0.0) + off).next_up()).next_up();

    let stretch = 1.0 + map.stretch;
    let (least, most) = (found.area - found.area_off, found.area + found.area_off);
    let to_area = |x: f64| times_power_of_two(x, -2 * power);
    let area = Bracket {
        value: to_area(found.area),
        lower: to_area(least - (stretch * stretch - 1.0 + 8.0 * UNIT_ROUNDOFF) * least.abs()).next_down().max(0.0),
        upper: to_area(most * (stretch * stretch) * ROUND_UP).next_up(),
    };
    let lower_in_frame = (found.volume.hi() - volume_off) * (1.0 - 4.0 * UNIT_ROUNDOFF);
    let (centroid, centroid_off) = match found.shared {
        Some((low, high)) if lower > 0.0 && lower_in_frame > 0.0 => {
            let from = found.first / found.volume.hi();
            let in_frame = (found.about + from).clamp(low, high);
            // The moments are off by their error in each of three components plus the volume swept by the placement
            // error, which is in the common box, times the distance there; the volume likewise, times the distance to
            // the centre.
            let reach = 0.5 * (high - low).length() + 2.0 * slack;
            let wrong = (1.74 * found.first_off + swept * reach + from.length() * volume_off) / lower_in_frame;
            let frame_off = wrong.min(2.0 * reach) * ROUND_UP + 8.0 * UNIT_ROUNDOFF * in_frame.length();
            let local = scaled(in_frame, -power);
            let own = local + origin_a;
            let world = pose_a.transform_point(own);
            // Rounding: the sum with the local origin, three products and sums per component, at most `5.2u`, and a
            // sum.
            let rounded =
                8.0 * UNIT_ROUNDOFF * (local.length() + own.length() + pose_a.translation().length() + world.length());
            let off = times_power_of_two(frame_off, -power) * stretch * ROUND_UP + rounded;
            (Some(world), off.next_up())
        }
        _ => (None, 0.0),
    };
    let lower = if centroid.is_some() { lower } else { 0.0 };
    let value = to_volume(seen).clamp(lower, upper);
    let area = Bracket { value: area.value.clamp(area.lower, area.upper), ..area };
    Volume { volume: Bracket { value, lower, upper }, placement, centroid, centroid_off, area, method: Method::Columns }
}

/// The placement error of the points, if known for each: where placement is an exact translation.
fn exact_placement(map: &Placement, points: &[DVec3]) -> Option<f64> {
    let off = |p: &DVec3| {
        let of = |k: usize| two_sum(p[k], map.translation[k]).1;
        rounded_up_length(DVec3::new(of(0), of(1), of(2)))
    };
    (map.unturned && map.translation_error == 0.0).then(|| points.iter().map(off).fold(0.0, f64::max))
}

fn fill(side: &mut SolidSurface, points: impl Iterator<Item = DVec3>, triangles: &[[u32; 3]]) {
    side.clear();
    side.points.extend(points);
    side.triangles.extend_from_slice(triangles);
}

/// The exponent of a number, clamped to a useful range.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) as i32 - 1023).max(-1000)
}

fn scaled(p: DVec3, power: i32) -> DVec3 {
    DVec3::from_array(p.to_array().map(|x| times_power_of_two(x, power)))
}

/// Two balls, by radius and centre: the lens between two caps. Each number carries its error.
fn of_balls((r, p): (f64, DVec3), (s, q): (f64, DVec3)) -> Volume {
    // Scale to numbers near 1; balls far smaller than their distance do not overlap.
    let power = -exponent(r.max(s).max((q - p).abs().max_element()));
    let (r_scaled, s_scaled) = (times_power_of_two(r, power), times_power_of_two(s, power));
    let [p_scaled, q_scaled] = [scaled(p, power), scaled(q, power)];
    let lens = Lens::new((r_scaled, p_scaled), (s_scaled, q_scaled));
    let outward = |x: Enclosed, power: i32| {
        let (low, high) = x.bounds();
        let lower = times_power_of_two(low, power);
        let upper = times_power_of_two(high, power);
        let exact = low == high && low == 0.0;
        let (lower, upper) = if exact { (0.0, 0.0) } else { (lower.next_down().max(0.0), upper.next_up().max(0.0)) };
        (times_power_of_two(x.to_f64(), power).clamp(lower, upper), lower, upper)
    };
    let (value, lower, upper) = outward(lens.volume, -3 * power);
    let (area, area_lower, area_upper) = outward(lens.area, -2 * power);
    let area = Bracket { value: area, lower: area_lower, upper: area_upper };
    let method = Method::ClosedForm;
    let (centroid, centroid_off) = if lower > 0.0 {
        // From the first centre towards the second.
        let (share, off) = (lens.share.to_f64(), lens.share.error());
        let way = q - p;
        let world = p + way * share;
        let rounded = 4.0 * UNIT_ROUNDOFF * (p.length() + way.length() * (1.0 + share.abs()) + world.length());
        let unsure = times_power_of_two(lens.off, -power);
        (Some(world), (off * way.length() * ROUND_UP + unsure + rounded).next_up())
    } else {
        (None, 0.0)
    };
    let value = if centroid.is_some() { value } else { 0.0 };
    Volume { volume: Bracket { value, lower, upper }, placement: 0.0, centroid, centroid_off, area, method }
}

/// The intersection of two balls.
struct Lens {
    volume: Enclosed,
    area: Enclosed,
    /// The position of its centroid between the two centres, as a fraction of the way.
    share: Enclosed,
    /// An additional error of the centroid, as a length.
    off: f64,
}

impl Lens {
    fn new((r, p): (f64, DVec3), (s, q): (f64, DVec3)) -> Lens {
        let number = |x: f64| Enclosed::about(x, 0.0);
        // π to double-double.
        let pi = Enclosed::difference(std::f64::consts::PI, -1.224_646_799_147_353_2e-16).widened(3e-32);
        let difference = |k: usize| Enclosed::difference(q[k], p[k]);
        let squared = difference(0).squared() + difference(1).squared() + difference(2).squared();
        let distance = squared.sqrt();
        let (r, s) = (number(r), number(s));
        let nothing = Lens { volume: Enclosed::ZERO, area: Enclosed::ZERO, share: Enclosed::ZERO, off: 0.0 };
        let overlap = r + s - distance;
        if overlap.is_negative() || overlap.bounds() == (0.0, 0.0) {
            return nothing;
        }
        let ball = |x: Enclosed| (x * x * x * pi * number(4.0) / number(3.0), x * x * pi * number(4.0));
        // One inside the other, or almost.
        let (inner, outer, share) = if r.to_f64() <= s.to_f64() { (r, s, 0.0) } else { (s, r, 1.0) };
        let inside = outer - inner - distance;
        let (volume, area) = ball(inner);
        // How far the inner one protrudes at most.
        let out = (-inside).upper();
        if out <= 0.0 {
            return Lens { volume, area, share: number(share), off: 0.0 };
        }
        if !inside.is_negative() {
            // Then the concentric ball smaller by that is in both, and the part cut off is in the shell between: its
            // share of the volume is at most `3 out / inner`, and its points are within two radii of the centroid.
            let (_, whole) = area.bounds();
            let area_off = 2.0 * whole * out / inner.to_f64();
            return Lens {
                volume: volume.widened(whole * out),
                area: area.widened(area_off),
                share: number(share),
                off: 8.0 * out,
            };
        }
        // Caps of heights `h` and `k`; `h = (s - r + d) (s + r - d) / (2 d)`.
        let twice = distance * number(2.0);
        let h = (s - r + distance) * overlap / twice;
        let k = (r - s + distance) * overlap / twice;
        let cap = |h: Enclosed, r: Enclosed| h * h * (r * number(3.0) - h) * pi / number(3.0);
        let (cap_r, cap_s) = (cap(h, r), cap(k, s));
        let lens_volume = cap_r + cap_s;
        let lens_area = (r * h + s * k) * pi * number(2.0);
        // The centroid of a cap is `3 (2r - h)² / (4 (3r - h))` from its ball's centre.
        let from = |h: Enclosed, r: Enclosed| {
            let across = r * number(2.0) - h;
            across * across * number(3.0) / ((r * number(3.0) - h) * number(4.0))
        };
        let moment = cap_r * from(h, r) + cap_s * (distance - from(k, s));
        let lens_share = moment / (lens_volume * distance);
        Lens { volume: lens_volume, area: lens_area, share: lens_share, off: 0.0 }
    }
}
