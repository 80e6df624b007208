//! Shared by the tests of rays and points: exact membership in rational arithmetic, and bodies and poses to query.

use std::cmp::Ordering;

use clearance::glam::DVec3;
use clearance::shape::{Aabb, Support};
use clearance::{Pose, Shape};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;
use clearance_oracle::rational::{self, Vector};

pub fn exact(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

pub fn vector(v: DVec3) -> Vector {
    rational::vector(v.to_array()).unwrap()
}

/// The point `origin + t direction`.
pub fn along(origin: DVec3, direction: DVec3, t: f64) -> Vector {
    rational::add(&vector(origin), &rational::scale(&vector(direction), &exact(t)))
}

/// A world point in the body's frame.
pub fn into_body(pose: &Pose, point: &Vector) -> Vector {
    let r = pose.rotation();
    let (x, y, z) = (vector(r.x_axis), vector(r.y_axis), vector(r.z_axis));
    let rows = [rational::cross(&y, &z), rational::cross(&z, &x), rational::cross(&x, &y)];
    let determinant = rational::dot(&rows[0], &x);
    let turned = rational::matrix_times(&rows, &rational::subtract(point, &vector(pose.translation())));
    turned.map(|c| &c / &determinant)
}

fn sign(x: &Rational) -> Ordering {
    x.cmp(&Rational::zero())
}

/// Outside (greater), on the boundary (equal) or inside (less), for the real-number body `R v + t`. Flat bodies have no
/// inside.
pub fn side(shape: &Shape, pose: &Pose, point: &Vector) -> Ordering {
    match shape {
        Shape::Compound(compound) => {
            compound.parts().iter().map(|(own, part)| side_of_part(part, own, pose, point)).min().unwrap()
        }
        _ => side_of_part(shape, &Pose::IDENTITY, pose, point),
    }
}

/// The same for a body in the frame of another: `R (R_own v + t_own) + t`.
pub fn side_of_part(shape: &Shape, own: &Pose, pose: &Pose, point: &Vector) -> Ordering {
    // Radii are lengths in the world.
    let rows = |pose: &Pose| [0, 1, 2].map(|k| vector(pose.rotation().row(k)));
    let (radius, half_length) = match shape {
        Shape::Sphere(s) => (s.radius(), 0.0),
        Shape::Capsule(c) => (c.radius(), c.half_length()),
        _ => return side_in_body(shape, &into_body(own, &into_body(pose, point))),
    };
    let center =
        rational::add(&rational::matrix_times(&rows(pose), &vector(own.translation())), &vector(pose.translation()));
    let p = rational::subtract(point, &center);
    let e = rational::scale(&vector(own.rotation().z_axis), &exact(half_length));
    let e = rational::matrix_times(&rows(pose), &e);
    let length = rational::dot(&e, &e);
    let off = if length.is_zero() {
        p
    } else {
        let share = &rational::dot(&p, &e) / &length;
        let share = share.clamp(Rational::from(-1), Rational::from(1));
        rational::subtract(&p, &rational::scale(&e, &share))
    };
    sign(&(&rational::dot(&off, &off) - &exact(radius).squared()))
}

fn side_in_body(shape: &Shape, p: &Vector) -> Ordering {
    let squared = |r: f64| exact(r).squared();
    let across = || &p[0].squared() + &p[1].squared();
    match shape {
        Shape::Cuboid(c) => {
            let h = c.half_extents();
            (0..3).map(|k| sign(&(&p[k].abs() - &exact(h[k])))).max().unwrap()
        }
        Shape::Cylinder(c) => {
            let cap = sign(&(&p[2].abs() - &exact(c.half_length())));
            cap.max(sign(&(&across() - &squared(c.radius()))))
        }
        Shape::Cone(c) => {
            let (h, r) = (exact(c.half_length()), exact(c.radius()));
            let below = &h - &p[2];
            if below.is_negative() {
                return Ordering::Greater;
            }
            let base = sign(&-&(&p[2] + &h));
            // 2h ρ <= r (h - z)
            let side = &(&across() * &(&h + &h).squared()) - &(&r * &below).squared();
            base.max(sign(&side))
        }
        Shape::Ellipsoid(e) => {
            let a = e.semi_axes();
            let sum = (0..3).map(|k| &p[k].squared() / &squared(a[k])).fold(Rational::from(-1), |s, x| &s + &x);
            sign(&sum)
        }
        Shape::HalfSpace(h) => sign(&(&rational::dot(&vector(h.normal()), p) - &exact(h.offset()))),
        Shape::Hull(hull) => {
            let vertices: Vec<Vector> = hull.vertices().map(vector).collect();
            let of = |t: &[u32; 3]| plane_side(t.map(|i| &vertices[i as usize]), p);
            hull.triangles().iter().map(of).max().unwrap()
        }
        Shape::Tetrahedron(t) => {
            let v = t.points().map(vector);
            let volume = plane_side([&v[0], &v[1], &v[2]], &v[3]);
            let faces = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
            assert_ne!(volume, Ordering::Equal);
            let of = |[a, b, c, d]: [usize; 4]| {
                let plane = [&v[a], &v[b], &v[c]];
                let inner = plane_side(plane, &v[d]);
                let own = plane_side(plane, p);
                if inner == Ordering::Less { own } else { own.reverse() }
            };
            faces.into_iter().map(of).max().unwrap()
        }
        _ => unreachable!("no exact membership"),
    }
}

fn plane_side([a, b, c]: [&Vector; 3], p: &Vector) -> Ordering {
    let n = rational::cross(&rational::subtract(b, a), &rational::subtract(c, a));
    sign(&rational::dot(&n, &rational::subtract(p, a)))
}

/// Solid bodies of about the given size; with `thin`, up to a million times thinner than long.
pub fn solid(random: &mut Random, size: f64, thin: bool) -> Shape {
    let mut length = || size * if thin { 10f64.powf(random.uniform(-6.0, 0.0)) } else { random.uniform(0.3, 1.0) };
    let v = DVec3::new(length(), length(), length());
    let points = |random: &mut Random, count: usize| -> Vec<[f64; 3]> {
        (0..count).map(|_| (DVec3::from_array(random.in_cube(1.0)) * v).to_array()).collect()
    };
    match random.index(9) {
        0 => Shape::sphere(v.x),
        1 => Shape::cuboid(v),
        2 => Shape::capsule(v.x, v.y),
        3 => Shape::cylinder(v.x, v.y),
        4 => Shape::cone(v.x, v.y),
        5 => Shape::ellipsoid(v),
        6 => {
            let p = points(random, 4);
            Shape::tetrahedron([0, 1, 2, 3].map(|k| DVec3::from_array(p[k])))
        }
        7 => Shape::hull(&points(random, 12)),
        _ => Shape::hull(&(0..80).map(|_| (DVec3::from_array(random.direction()) * v).to_array()).collect::<Vec<_>>()),
    }
    .unwrap()
}

pub fn pose(random: &mut Random, far: f64) -> Pose {
    let at = DVec3::from_array(random.in_cube(far));
    match random.index(3) {
        0 => Pose::from_translation(at).unwrap(),
        _ => Pose::from_axis_angle(DVec3::from_array(random.direction()), random.uniform(-3.0, 3.0), at).unwrap(),
    }
}

/// A point of the body's bounding box in the world, rounded.
pub fn point_near(random: &mut Random, shape: &Shape, pose: &Pose, reach: f64) -> DVec3 {
    let b = shape.bounds();
    let local = b.center() + DVec3::from_array(random.in_cube(reach)) * 0.5 * b.size();
    pose.transform_point(local)
}

/// An ellipsoid as a custom body.
#[derive(Debug)]
pub struct Egg(pub DVec3);

impl Support for Egg {
    fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = direction * self.0;
        self.0 * scaled.normalize_or(DVec3::X)
    }
    fn slack(&self) -> f64 {
        4e-16 * self.0.max_element()
    }
    fn bounds(&self) -> Aabb {
        Aabb::new(-self.0, self.0)
    }
}
