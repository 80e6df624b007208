//! Arbitrary numbers into every constructor: invalid input is rejected by name, accepted bodies are sound.
//!
//! An accepted body has bounds, mass and diameter without NaN, finite unless documented to be infinite; queries about
//! it give answers without NaN whose brackets contain their values.

use clearance::glam::DVec3;
use clearance::query::{RayOptions, ray_cast_with, sweeps_meet};
use clearance::{
    Motion, Pose, Ray, Shape, closest_point, contains, distance, intersects, signed_distance, time_of_impact,
};

use crate::decode::Decoder;
use crate::ordered;

/// Decodes the bytes, constructs the bodies, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    let shape = match decoder.wild_shape(2) {
        Ok(shape) => Some(shape),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    };
    let poses = [decoder.wild_pose(), decoder.wild_pose()].map(|pose| match pose {
        Ok(pose) => {
            assert!(pose.rotation().is_finite() && pose.translation().is_finite(), "{pose:?}");
            assert!((0.0..=1e-6).contains(&pose.defect()), "{pose:?}");
            Some(pose)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    });
    if let [Some(from), Some(to)] = poses
        && let Ok(between) = from.interpolate(&to, decoder.wild())
    {
        assert!(between.rotation().is_finite() && between.translation().is_finite(), "{from:?} {to:?} {between:?}");
    }
    let ray = if decoder.choice(2) == 0 {
        Ray::new(decoder.wild_vector(), decoder.wild_vector())
    } else {
        Ray::between(decoder.wild_vector(), decoder.wild_vector())
    };
    if let Ok(ray) = &ray {
        assert!(ray.origin.is_finite() && ray.direction.is_finite() && ray.direction != DVec3::ZERO, "{ray:?}");
    }
    let pose = poses[0].or(poses[1]).unwrap_or(Pose::IDENTITY);
    let motion = Motion::translation(pose, decoder.wild_vector()).unwrap_or(Motion::still(pose));
    assert!(motion.at(decoder.wild()).translation().is_finite(), "{motion:?}");
    let Some(shape) = shape else { return };
    sound(&shape);
    one_body(&shape, &pose, decoder.wild_vector(), ray.ok(), &[decoder.wild(), decoder.wild()]);
    let ball = Shape::sphere(1.0).expect("a valid radius");
    two_bodies(&shape, &motion, &ball);
}

/// Bounds, mass and diameter of an accepted body.
fn sound(shape: &Shape) {
    let bounds = shape.bounds();
    let mass = shape.mass_properties();
    let diameter = shape.diameter();
    assert!(!bounds.min.is_nan() && !bounds.max.is_nan(), "{bounds:?} {shape:?}");
    assert!(bounds.min.cmple(bounds.max).all(), "{bounds:?} {shape:?}");
    assert!(!mass.center.is_nan() && !mass.inertia.is_nan() && mass.volume >= 0.0, "{mass:?} {shape:?}");
    assert!(diameter >= 0.0, "{diameter} {shape:?}");
    if !matches!(shape, Shape::HalfSpace(_) | Shape::HeightField(_)) {
        assert!(bounds.min.is_finite() && bounds.max.is_finite(), "{bounds:?} {shape:?}");
        assert!(mass.volume.is_finite() && mass.center.is_finite() && mass.inertia.is_finite(), "{mass:?} {shape:?}");
        assert!(diameter.is_finite(), "{diameter} {shape:?}");
    }
}

/// Queries about one body, with numbers that may be invalid.
fn one_body(shape: &Shape, pose: &Pose, point: DVec3, ray: Option<Ray>, limits: &[f64; 2]) {
    let context = || format!("{shape:?} {pose:?} {point:?} {ray:?} {limits:?}");
    if let Shape::HeightField(field) = shape {
        if let Ok(found) = field.closest_point(point) {
            assert!(
                ordered(found.distance.lower, found.distance.value, found.distance.upper),
                "{found:?} {}",
                context()
            );
        }
        if let Ok(found) = field.signed_distance(point) {
            assert!(
                ordered(found.distance.lower, found.distance.value, found.distance.upper),
                "{found:?} {}",
                context()
            );
        }
        if let Some(found) = field.height_at(point.x, point.y) {
            assert!(ordered(found.height.lower, found.height.value, found.height.upper), "{found:?} {}", context());
        }
        if let Some(ray) = ray
            && let Ok(Some(hit)) = field.ray_cast(ray.origin, ray.direction, limits[0], limits[1])
        {
            assert!(ordered(hit.t.lower, hit.t.value, hit.t.upper), "{hit:?} {}", context());
        }
        return;
    }
    let signed = signed_distance(shape, pose, point);
    assert!(ordered(signed.distance.lower, signed.distance.value, signed.distance.upper), "{signed:?} {}", context());
    assert!(signed.witness.point.is_finite() && signed.normal.is_finite(), "{signed:?} {}", context());
    let nearest = closest_point(shape, pose, point);
    assert!(
        ordered(nearest.distance.lower, nearest.distance.value, nearest.distance.upper),
        "{nearest:?} {}",
        context()
    );
    if contains(shape, pose, point) {
        assert!(nearest.distance.lower == 0.0 && signed.distance.lower <= 0.0, "{nearest:?} {signed:?} {}", context());
    }
    if let Some(ray) = ray {
        let options = RayOptions { from: limits[0], to: limits[1], ..RayOptions::default() };
        if let Ok(hit) = ray_cast_with(shape, pose, &ray, &options) {
            assert!(ordered(hit.t.lower, hit.t.value, hit.t.upper), "{hit:?} {}", context());
            assert!(hit.witness.point.is_finite() && hit.normal.is_finite(), "{hit:?} {}", context());
        }
    }
}

/// Queries about an accepted body and a ball at the origin.
fn two_bodies(shape: &Shape, motion: &Motion, ball: &Shape) {
    if matches!(shape, Shape::Compound(_) | Shape::HeightField(_)) {
        return;
    }
    let (pose, still) = (motion.start(), Motion::still(Pose::IDENTITY));
    let answer = distance(shape, &pose, ball, &Pose::IDENTITY);
    assert!(ordered(answer.gap.lower, answer.gap.value, answer.gap.upper), "{answer:?} {shape:?} {pose:?}");
    assert!(answer.witness.a.point.is_finite() && answer.witness.b.point.is_finite(), "{answer:?} {shape:?} {pose:?}");
    if intersects(shape, &pose, ball, &Pose::IDENTITY) {
        assert!(answer.gap.lower <= 1e-12 * shape.diameter(), "{answer:?} {shape:?} {pose:?}");
    }
    let _ = sweeps_meet(shape, motion, ball, &still);
    if let Ok(impact) = time_of_impact(shape, motion, ball, &still) {
        assert!(ordered(impact.time.lower, impact.time.value, impact.time.upper), "{impact:?} {shape:?} {motion:?}");
    }
}
