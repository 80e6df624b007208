//! Mass and bounds of every kind of body, against a grid of points.

use clearance::glam::{DMat3, DVec3};
use clearance::{Pose, Shape, signed_distance};

fn bodies() -> Vec<Shape> {
    let corners = [DVec3::ZERO, DVec3::new(1.0, 0.1, 0.0), DVec3::new(0.2, 0.9, 0.1), DVec3::new(0.3, 0.2, 1.1)];
    let turned = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.8, DVec3::new(3.0, 0.5, -0.2)).unwrap();
    let mut bodies = vec![
        Shape::sphere(0.8).unwrap(),
        Shape::cuboid(DVec3::new(0.4, 0.6, 0.9)).unwrap(),
        Shape::capsule(0.6, 0.4).unwrap(),
        Shape::cylinder(0.8, 0.5).unwrap(),
        Shape::cone(0.7, 0.6).unwrap(),
        Shape::ellipsoid(DVec3::new(0.4, 0.6, 0.9)).unwrap(),
        Shape::tetrahedron(corners).unwrap(),
        Shape::rounded(Shape::cone(0.7, 0.6).unwrap(), 0.1).unwrap(),
    ];
    let cone = Shape::cone(0.7, 0.6).unwrap();
    bodies.push(Shape::compound(vec![(Pose::IDENTITY, Shape::sphere(0.8).unwrap()), (turned, cone)]).unwrap());
    bodies
}

/// Volume, centre and inertia by grid cells; the share of a cell is estimated from its distance to the surface,
/// relative to its width.
fn counted(shape: &Shape, cells: usize, width: impl Fn(DVec3) -> f64) -> (f64, DVec3, DMat3) {
    let bounds = shape.bounds();
    let step = bounds.size() / cells as f64;
    let width = width(step);
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for k in 0..cells * cells * cells {
        let index = DVec3::new((k % cells) as f64, (k / cells % cells) as f64, (k / cells / cells) as f64);
        let p = bounds.min + (index + DVec3::splat(0.5)) * step;
        let share = (0.5 - signed_distance(shape, &Pose::IDENTITY, p).distance.value / width).clamp(0.0, 1.0);
        let inside = share * step.x * step.y * step.z;
        volume += inside;
        first += p * inside;
        second += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * inside;
    }
    let center = first / volume;
    let covariance = second - DMat3::from_cols(center * center.x, center * center.y, center * center.z) * volume;
    let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
    (volume, center, DMat3::from_diagonal(DVec3::splat(trace)) - covariance)
}

#[test]
fn mass_agrees_with_a_count_of_cells() {
    for shape in bodies() {
        let found = shape.mass_properties();
        let (volume, center, inertia) = counted(&shape, 32, |step| step.element_sum() / 3.0);
        assert!((found.volume - volume).abs() < 0.02 * volume, "{shape:?} {found:?} {volume}");
        assert!((found.center - center).length() < 0.01 * shape.diameter(), "{shape:?} {found:?} {center}");
        for k in 0..3 {
            let off = (found.inertia.col(k) - inertia.col(k)).length();
            assert!(off < 0.03 * inertia.col(k).length(), "{shape:?} {found:?} {inertia:?}");
        }
    }
}

#[test]
fn mass_of_rounded_bodies_agrees_with_a_count_of_cells() {
    let points = [DVec3::ZERO, DVec3::new(1.0, 0.1, 0.0), DVec3::new(0.2, 0.9, 0.1), DVec3::new(0.3, 0.2, 1.1)];
    let [a, b, c, _] = points;
    let cores = [
        Shape::cylinder(0.8, 0.5).unwrap(),
        Shape::cone(0.7, 0.6).unwrap(),
        Shape::ellipsoid(DVec3::new(0.4, 0.6, 0.9)).unwrap(),
        Shape::tetrahedron(points).unwrap(),
        Shape::triangle(a, b, c).unwrap(),
        Shape::flat_hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0, 1.0], [0.0, 1.0, 0.5]]).unwrap(),
    ];
    for core in cores {
        let shape = Shape::rounded(core, 0.35).unwrap();
        let found = shape.mass_properties();
        let (volume, center, inertia) = counted(&shape, 30, |step| step.x);
        // Spreading the surface over the width w of a cell adds w² / 24 of the volume's second derivative in the
        // radius: some 0.2 % of it here, and three times that of the inertia, which grows with the fifth power.
        let tolerance = 8e-3;
        let size = (inertia.x_axis.length() / volume).sqrt();
        assert!((found.volume - volume).abs() <= tolerance * volume, "{shape:?} {found:?} {volume}");
        assert!((found.center - center).length() <= tolerance * size, "{shape:?} {found:?} {center}");
        for k in 0..3 {
            let off = (found.inertia.col(k) - inertia.col(k)).length();
            let largest = inertia.x_axis.length().max(inertia.z_axis.length());
            assert!(off <= tolerance * largest, "{shape:?} {found:?} {inertia:?}");
        }
    }
}

#[test]
fn boxes_contain_their_bodies_and_are_tight() {
    for shape in bodies() {
        let bounds = shape.bounds();
        let away = 1e5;
        for axis in 0..3 {
            for end in [bounds.min, bounds.max] {
                // From far away above the centre of a face of the box, the body is no nearer than that face; and if the
                // face touches it, farther by at most the obliquity: w² / 2D.
                let mut point = bounds.center();
                point[axis] = end[axis] + away * (end - bounds.center())[axis].signum();
                let found = signed_distance(&shape, &Pose::IDENTITY, point);
                let askew = bounds.size().length_squared() / (2.0 * away);
                assert!(found.distance.upper >= away * (1.0 - 1e-15), "{shape:?} {found:?}");
                // The box of a compound encloses its parts' rotated boxes: not the smallest.
                let tight = !matches!(shape, Shape::Compound(_));
                assert!(!tight || found.distance.lower <= away + askew, "{shape:?} {found:?}");
            }
        }
    }
}
