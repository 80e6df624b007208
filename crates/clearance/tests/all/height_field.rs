//! Height fields against brute force in exact rational arithmetic: every triangle, no tolerance.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use clearance::glam::{DVec2, DVec3};
use clearance::query::RayOptions;
use clearance::shape::{HeightField, SurfaceHit, Wheel};
use clearance::{Error, Ray};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;

fn rational(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

type Exact3 = [Rational; 3];

fn exact(v: DVec3) -> Exact3 {
    v.to_array().map(rational)
}

/// `d x (p - o)` projected from above.
fn side(o: &Exact3, d: &Exact3, p: &Exact3) -> Rational {
    &(&d[0] * &(&p[1] - &o[1])) - &(&d[1] * &(&p[0] - &o[0]))
}

/// The parameters at which a line meets a closed triangle that is not vertical: none, one, or an interval.
fn line_in_triangle(o: &Exact3, d: &Exact3, corners: &[Exact3; 3]) -> Option<(Rational, Rational)> {
    let sides = [0, 1, 2].map(|k| side(o, d, &corners[k]));
    let vertical = d[0].is_zero() && d[1].is_zero();
    if !vertical && (sides.iter().all(|s| s > &Rational::zero()) || sides.iter().all(Rational::is_negative)) {
        return None;
    }
    let [a, b, c] = corners;
    let edge = |p: &Exact3, q: &Exact3| [0, 1, 2].map(|k| &q[k] - &p[k]);
    let (e, f) = (edge(a, b), edge(a, c));
    let cross = |e: &Exact3, f: &Exact3| {
        [&(&e[1] * &f[2]) - &(&e[2] * &f[1]), &(&e[2] * &f[0]) - &(&e[0] * &f[2]), &(&e[0] * &f[1]) - &(&e[1] * &f[0])]
    };
    let dot = |a: &Exact3, b: &Exact3| &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2]);
    let normal = cross(&e, &f);
    let (above, speed) = (dot(&normal, &edge(o, a)), dot(&normal, d));
    if !speed.is_zero() {
        let t = &above / &speed;
        let at = [0, 1, 2].map(|k| &o[k] + &(&t * &d[k]));
        let inside = [(a, b), (b, c), (c, a)].iter().all(|(p, q)| !side(p, &edge(p, q), &at).is_negative());
        return inside.then(|| (t.clone(), t));
    }
    if !above.is_zero() {
        return None;
    }
    // In the plane: clip by the three edges, projected from above, counter-clockwise.
    let (mut from, mut to): (Option<Rational>, Option<Rational>) = (None, None);
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let along = edge(p, q);
        let start = side(p, &along, o);
        let speed = &(&along[0] * &d[1]) - &(&along[1] * &d[0]);
        if speed.is_zero() {
            if start.is_negative() {
                return None;
            }
            continue;
        }
        let t = &(-&start) / &speed;
        if speed.is_negative() {
            to = Some(to.map_or(t.clone(), |old| old.min(t)));
        } else {
            from = Some(from.map_or(t.clone(), |old| old.max(t)));
        }
    }
    let (from, to) = (from.unwrap(), to.unwrap());
    (from <= to).then_some((from, to))
}

/// The intervals of a line on the surface within a range of parameters, in order; a crossing is an interval of length
/// zero.
fn stretches(field: &HeightField, o: DVec3, d: DVec3, t_min: f64, t_max: f64) -> Vec<(Rational, Rational)> {
    let (o, d) = (exact(o), exact(d));
    let mut found: Vec<_> = (0..field.triangle_count() as u32)
        .filter_map(|k| line_in_triangle(&o, &d, &field.triangle(k).unwrap().map(exact)))
        .filter_map(|(from, to)| {
            let from = if t_min.is_finite() { from.max(rational(t_min)) } else { from };
            let to = if t_max.is_finite() { to.min(rational(t_max)) } else { to };
            (from <= to).then_some((from, to))
        })
        .collect();
    found.sort();
    let mut merged: Vec<(Rational, Rational)> = Vec::new();
    for (from, to) in found {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.clone().max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

fn all_hits(field: &HeightField, o: DVec3, d: DVec3, t_min: f64, t_max: f64) -> Vec<SurfaceHit> {
    let mut hits = Vec::new();
    field
        .ray_cast_all(o, d, t_min, t_max, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        })
        .unwrap();
    hits
}

/// Checks every form of the cast against brute force; returns the number of hits.
fn check_ray(field: &HeightField, o: DVec3, d: DVec3, t_min: f64, t_max: f64) -> usize {
    let expected = stretches(field, o, d, t_min, t_max);
    let hits = all_hits(field, o, d, t_min, t_max);
    let context = || format!("{field:?} {:?} o {o:?} d {d:?} t {t_min}..{t_max} {hits:?}", field.heights());
    assert_eq!(hits.len(), expected.len(), "{}", context());
    for (hit, (from, _)) in hits.iter().zip(&expected) {
        assert!(rational(hit.t.lower) <= *from && *from <= rational(hit.t.upper), "{}", context());
        assert!(hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper);
        // Two steps at most: the quotient rounded, and one on each side.
        assert!(hit.t.lower.next_up().next_up() >= hit.t.upper, "{}", context());
        let corners = field.triangle(hit.triangle).unwrap().map(exact);
        let (enter, leave) =
            line_in_triangle(&exact(o), &exact(d), &corners).unwrap_or_else(|| panic!("{}", context()));
        assert!(enter <= *from && *from <= leave, "{}", context());
        // Rising or falling relative to the triangle's plane, exactly.
        let [a, b, c] = &corners;
        let late = rational(1.0);
        let after = [0, 1, 2].map(|k| &a[k] + &(&late * &rational(d[k])));
        let rises = orient(a, b, c, &after) == Ordering::Greater;
        assert_eq!(hit.from_below, rises, "{}", context());
        assert!((hit.normal.length() - 1.0).abs() < 1e-15 && hit.normal.z >= 0.0);
        let ray = Ray::new(o, d).unwrap();
        let options = RayOptions { from: t_min, to: t_max, ..RayOptions::default() };
        assert_eq!(hit.verify(field, &ray, &options), Ok(()), "{}", context());
    }
    let first = field.ray_cast(o, d, t_min, t_max).unwrap();
    assert_eq!(first, hits.first().copied());
    assert_eq!(field.ray_hits(o, d, t_min, t_max).unwrap(), first.is_some());
    hits.len()
}

fn orient(a: &Exact3, b: &Exact3, c: &Exact3, p: &Exact3) -> Ordering {
    let from = |q: &Exact3| [0, 1, 2].map(|k| &q[k] - &a[k]);
    let (e, f, g) = (from(b), from(c), from(p));
    let x = &(&(&e[1] * &f[2]) - &(&e[2] * &f[1])) * &g[0];
    let y = &(&(&e[2] * &f[0]) - &(&e[0] * &f[2])) * &g[1];
    let z = &(&(&e[0] * &f[1]) - &(&e[1] * &f[0])) * &g[2];
    (&(&x + &y) + &z).cmp(&Rational::zero())
}

/// Fields of every kind, small enough for brute force.
fn field(random: &mut Random, kind: usize) -> HeightField {
    let (columns, rows) = (2 + random.index(5), 2 + random.index(5));
    let spacings =
        [DVec2::ONE, DVec2::new(0.25, 2.0), DVec2::new(0.1, 0.3), DVec2::new(1e-3, 1.0), DVec2::new(30.0, 0.03)];
    let spacing = spacings[random.index(spacings.len())];
    let heights = (0..columns * rows)
        .map(|k| {
            let (i, j) = ((k % columns) as f64, (k / columns) as f64);
            let height = match kind {
                0 => 0.0,
                1 => random.integer(-2, 2) as f64,
                2 => random.uniform(-1.0, 1.0),
                3 => f64::from(random.index(6) == 0) * 1e6,
                4 => (i - 2.0) * (j - 2.0),
                5 => i + 2.0 * j,
                6 => random.uniform(-1e6, 1e6),
                7 => random.uniform(-1e-6, 1e-6),
                8 => random.uniform(-1.0, 1.0) * random.scale(-60, 60),
                _ => f64::from(i > 1.0),
            };
            height as f32
        })
        .collect();
    HeightField::new(columns, rows, spacing, heights).unwrap()
}
const FIELD_KINDS: usize = 10;

/// A grid point, an edge midpoint, or a random point, perhaps moved along z.
fn place(random: &mut Random, field: &HeightField) -> DVec3 {
    let corners = field.triangle(random.index(field.triangle_count()) as u32).unwrap();
    let point = match random.index(4) {
        0 | 1 => corners[random.index(3)],
        2 => 0.5 * (corners[0] + corners[1 + random.index(2)]),
        _ => corners[0] + random.uniform(0.3, 1.0) * (corners[1] - corners[0]) + 0.3 * (corners[2] - corners[1]),
    };
    let bounds = field.surface_bounds();
    let point = point.clamp(bounds.min, bounds.max);
    let size = bounds.size().z.max(bounds.size().x * 0.1);
    match random.index(4) {
        0 => point + DVec3::Z * size * random.uniform(-2.0, 2.0),
        1 => point + DVec3::Z * random.integer(-2, 2) as f64,
        _ => point,
    }
}

fn ray(random: &mut Random, field: &HeightField) -> (DVec3, DVec3) {
    let (a, b) = (place(random, field), place(random, field));
    let spacing = field.spacing();
    let (origin, direction) = match random.index(8) {
        0 => (a, DVec3::new(random.integer(-1, 1) as f64, random.integer(-1, 1) as f64, random.integer(-1, 1) as f64)),
        1 => (a, DVec3::new(spacing.x, spacing.y, random.integer(-1, 1) as f64)),
        2 => (a, DVec3::new(-spacing.x, spacing.y, random.integer(-1, 1) as f64 * 0.5)),
        3 => (a, DVec3::from_array(random.direction())),
        4 => (a + (a - b), b - a),
        5 => (a, DVec3::new(b.x - a.x, b.y - a.y, 0.0)),
        6 => (a, DVec3::new(1e-9, 1.0, random.uniform(-1.0, 1.0))),
        _ => (a, b - a),
    };
    if direction == DVec3::ZERO { (origin, -DVec3::Z) } else { (origin, direction) }
}

#[test]
fn rays_agree_with_brute_force() {
    let mut random = Random::new(0x7e44);
    let (mut hits, mut rays) = (0, 0);
    for round in 0..700 {
        let field = field(&mut random, round % FIELD_KINDS);
        for _ in 0..2 {
            let (o, d) = ray(&mut random, &field);
            let ranges = [(0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY), (0.0, 1.0), (-1.0, 0.5)];
            let (t_min, t_max) = ranges[random.index(ranges.len())];
            hits += check_ray(&field, o, d, t_min, t_max);
            rays += 1;
        }
    }
    assert!(hits > rays / 2, "{hits} hits of {rays} rays");
}

/// Ranges that begin or end at a hit, or between two hits.
#[test]
fn ends_of_the_range_are_decided_exactly() {
    let mut random = Random::new(0xe2d5);
    let mut tried = 0;
    for round in 0..200 {
        let field = field(&mut random, round % FIELD_KINDS);
        let (o, d) = ray(&mut random, &field);
        for hit in all_hits(&field, o, d, f64::NEG_INFINITY, f64::INFINITY).iter().take(2) {
            for t in [hit.t.lower, hit.t.value, hit.t.upper] {
                check_ray(&field, o, d, t, f64::INFINITY);
                check_ray(&field, o, d, f64::NEG_INFINITY, t);
                check_ray(&field, o, d, t, t);
                tried += 3;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

/// Larger than a block, so that blocks are skipped and entered again.
#[test]
fn rays_over_many_blocks_agree_with_brute_force() {
    let mut random = Random::new(0xb10c);
    let mut hits = 0;
    for round in 0..40 {
        let (columns, rows) = (12 + random.index(30), 9 + random.index(12));
        let heights = (0..columns * rows)
            .map(|_| match round % 4 {
                0 => random.uniform(-1.0, 1.0) as f32,
                1 => (random.index(9) == 0) as u8 as f32,
                2 => 0.0,
                _ => random.integer(0, 1) as f32,
            })
            .collect();
        let field = HeightField::new(columns, rows, DVec2::new(0.5, 1.0), heights).unwrap();
        for _ in 0..4 {
            let (o, d) = ray(&mut random, &field);
            hits += check_ray(&field, o, d, f64::NEG_INFINITY, f64::INFINITY);
        }
        let corner = field.surface_bounds().max;
        hits += check_ray(&field, DVec3::new(-1.0, -2.0, 0.5), DVec3::new(corner.x, corner.y, -0.01), 0.0, 9.0);
        hits += check_ray(&field, DVec3::new(-1.0, 4.0, 0.0), DVec3::X, 0.0, f64::INFINITY);
        hits += check_ray(&field, DVec3::new(4.0, 400.0, 0.0), -DVec3::Y, 0.0, f64::INFINITY);
    }
    assert!(hits > 400, "{hits}");
}

/// Along the edge of the footprint, and over its corners alone.
#[test]
fn rays_along_the_edge_of_the_footprint() {
    let field = HeightField::new(4, 3, DVec2::ONE, (0..12).map(|k| (k * k % 5) as f32).collect()).unwrap();
    for z in [-0.5, 0.0, 1.0, 2.5, 4.0] {
        for (x, y, direction) in [
            (-1.0, 0.0, DVec3::X),
            (-1.0, 2.0, DVec3::X),
            (5.0, 0.0, -DVec3::X),
            (5.0, 2.0, -DVec3::X),
            (0.0, -1.0, DVec3::Y),
            (3.0, -1.0, DVec3::Y),
            (0.0, 3.0, -DVec3::Y),
            (3.0, 3.0, -DVec3::Y),
            (-1.0, 1.0, DVec3::new(1.0, -1.0, 0.0)),
            (1.0, -1.0, DVec3::new(-1.0, 1.0, 0.0)),
            (2.0, -1.0, DVec3::new(1.0, 1.0, 0.0)),
            (4.0, 1.0, DVec3::new(-1.0, -1.0, 0.0)),
            (-1.0, 1.0, DVec3::new(1.0, 1.0, 0.0)),
            (4.0, 1.0, DVec3::new(-1.0, 1.0, 0.0)),
        ] {
            for tilt in [0.0, 0.25, -0.5] {
                check_ray(&field, DVec3::new(x, y, z), direction + tilt * DVec3::Z, f64::NEG_INFINITY, f64::INFINITY);
            }
        }
    }
}

#[test]
fn a_ray_far_away_or_nearly_vertical_is_not_lost() {
    let field = HeightField::new(5, 5, DVec2::ONE, (0..25).map(|k| (k * 7 % 4) as f32).collect()).unwrap();
    let target = DVec3::new(1.3, 2.6, 1.0);
    for distance in [1e3, 1e7, 1e15, 1e40] {
        for direction in [DVec3::new(1.0, 0.5, -0.25), DVec3::new(-1.0, 1e-3, -1e-3), DVec3::new(1e-9, 0.0, -1.0)] {
            check_ray(&field, target - distance * direction, direction, f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    for tiny in [1e-20, 1e-100, 1e-300, 5e-324] {
        for direction in [DVec3::new(tiny, 0.0, -1.0), DVec3::new(-tiny, tiny, -1.0), DVec3::new(0.0, -tiny, 1.0)] {
            assert_eq!(check_ray(&field, target, direction, f64::NEG_INFINITY, f64::INFINITY), 1);
            check_ray(&field, DVec3::new(2.0, 1.0, 9.0), direction, f64::NEG_INFINITY, f64::INFINITY);
        }
        check_ray(&field, target, DVec3::new(1.0, tiny, 0.0), f64::NEG_INFINITY, f64::INFINITY);
        check_ray(&field, DVec3::new(0.5, 2.0, 1.0), DVec3::new(1.0, -tiny, tiny), f64::NEG_INFINITY, f64::INFINITY);
    }
    check_ray(&field, target, 1e-59 * DVec3::new(1.0, 1.0, -1.0), f64::NEG_INFINITY, f64::INFINITY);
    check_ray(&field, target, 1e60 * DVec3::new(1.0, -0.5, -0.1), f64::NEG_INFINITY, f64::INFINITY);
}

#[test]
fn heights_and_containment_agree_with_exact_arithmetic() {
    let mut random = Random::new(0x41e9);
    for round in 0..1000 {
        let field = field(&mut random, round % FIELD_KINDS);
        let point = place(&mut random, &field);
        let sample = field.height_at(point.x, point.y).unwrap();
        let [a, b, c] = field.triangle(sample.triangle).unwrap().map(exact);
        let at = |z: f64| exact(DVec3::new(point.x, point.y, z));
        assert_ne!(orient(&a, &b, &c, &at(sample.height.lower)), Ordering::Greater);
        assert_ne!(orient(&a, &b, &c, &at(sample.height.upper)), Ordering::Less);
        assert!(sample.height.lower.next_up().next_up() >= sample.height.upper);
        assert_eq!(sample.verify(&field, point.x, point.y), Ok(()), "{sample:?} {point:?} {field:?}");
        assert_eq!(field.contains(point), orient(&a, &b, &c, &exact(point)) != Ordering::Greater);
        let outside = DVec3::new(-f64::MIN_POSITIVE, point.y, point.z);
        assert!(!field.contains(outside) && field.height_at(outside.x, outside.y).is_none());
    }
}

/// The square of the exact distance from a point to a triangle.
fn squared_distance(q: &Exact3, corners: &[Exact3; 3]) -> Rational {
    let sub = |p: &Exact3, q: &Exact3| [0, 1, 2].map(|k| &p[k] - &q[k]);
    let dot = |a: &Exact3, b: &Exact3| &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2]);
    let cross = |e: &Exact3, f: &Exact3| {
        [&(&e[1] * &f[2]) - &(&e[2] * &f[1]), &(&e[2] * &f[0]) - &(&e[0] * &f[2]), &(&e[0] * &f[1]) - &(&e[1] * &f[0])]
    };
    let [a, b, c] = corners;
    let normal = cross(&sub(b, a), &sub(c, a));
    let inside =
        [(a, b), (b, c), (c, a)].iter().all(|(p, r)| !dot(&cross(&sub(r, p), &sub(q, p)), &normal).is_negative());
    if inside {
        let height = dot(&normal, &sub(q, a));
        return &height.squared() / &dot(&normal, &normal);
    }
    [(a, b), (b, c), (c, a)]
        .iter()
        .map(|(p, r)| {
            let (along, to) = (sub(r, p), sub(q, p));
            let t = &dot(&along, &to) / &dot(&along, &along);
            let t = t.clamp(Rational::zero(), rational(1.0));
            let rest = [0, 1, 2].map(|k| &to[k] - &(&t * &along[k]));
            dot(&rest, &rest)
        })
        .min()
        .unwrap()
}

fn query(random: &mut Random, field: &HeightField) -> DVec3 {
    let bounds = field.surface_bounds();
    let size = bounds.size();
    match random.index(5) {
        0 => place(random, field),
        1 => place(random, field) + 1e-6 * size.max_element() * DVec3::from_array(random.direction()),
        2 => bounds.center() + size * 0.5 * DVec3::from_array(random.in_cube(1.0)),
        3 => bounds.center() + size * DVec3::from_array(random.in_cube(3.0)),
        _ => bounds.center() + 1e4 * size.max_element() * DVec3::from_array(random.in_cube(1.0)),
    }
}

#[test]
fn closest_points_agree_with_exact_arithmetic() {
    let mut random = Random::new(0xc105);
    let mut widest: f64 = 0.0;
    for round in 0..400 {
        let field = field(&mut random, round % FIELD_KINDS);
        let q = query(&mut random, &field);
        let found = field.closest_point(q).unwrap();
        assert_eq!(found.verify(&field, q), Ok(()), "{found:?} {q:?} {field:?}");
        let exact_q = exact(q);
        let truth = (0..field.triangle_count() as u32)
            .map(|k| squared_distance(&exact_q, &field.triangle(k).unwrap().map(exact)))
            .min()
            .unwrap();
        let context = || format!("{field:?} {:?} {q:?} {found:?} {}", field.heights(), truth.to_f64().sqrt());
        assert!(rational(found.distance.lower).squared() <= truth, "{}", context());
        assert!(truth <= rational(found.distance.upper).squared(), "{}", context());
        assert!(found.distance.lower <= found.distance.value && found.distance.value <= found.distance.upper);
        let scale = field.surface_bounds().size().length() + found.distance.upper;
        widest = widest.max((found.distance.upper - found.distance.lower) / scale);
        assert!(found.distance.upper - found.distance.lower <= 1e-12 * scale, "{}", context());
        let named = squared_distance(&exact(found.point), &field.triangle(found.triangle).unwrap().map(exact));
        assert!(named.to_f64().sqrt() <= 1e-12 * (scale + found.point.length()), "{}", context());
    }
    // As stated in `docs/shape.md`.
    assert!(widest <= 1e-14, "{widest:e}");
}

/// The square of the exact distance to the boundary of the solid.
fn squared_distance_to_boundary(field: &HeightField, q: DVec3) -> Rational {
    let exact_q = exact(q);
    let mut best = (0..field.triangle_count() as u32)
        .map(|k| squared_distance(&exact_q, &field.triangle(k).unwrap().map(exact)))
        .min()
        .unwrap();
    // Each side is split into rectangles below the edges of the surface, extended down far enough that nothing nearer
    // is cut off: two triangles each.
    let floor = rational(f64::from(field.heights().iter().copied().fold(f32::MAX, f32::min)).min(q.z) - 1e9);
    let (columns, rows) = (field.columns(), field.rows());
    let point = |i: usize, j: usize| {
        let spacing = field.spacing();
        let height = f64::from(field.heights()[j * columns + i]);
        exact(DVec3::new(i as f64 * spacing.x, j as f64 * spacing.y, height))
    };
    let along_x = [0, rows - 1].into_iter().flat_map(|j| (1..columns).map(move |i| ((i - 1, j), (i, j))));
    let along_y = [0, columns - 1].into_iter().flat_map(|i| (1..rows).map(move |j| ((i, j - 1), (i, j))));
    for ((i, j), (k, l)) in along_x.chain(along_y) {
        let (a, b) = (point(i, j), point(k, l));
        let down = |p: &Exact3| [p[0].clone(), p[1].clone(), floor.clone()];
        let (c, d) = (down(&a), down(&b));
        for corners in [[a.clone(), b.clone(), c.clone()], [b, d, c]] {
            best = best.min(squared_distance(&exact_q, &corners));
        }
    }
    best
}

#[test]
fn signed_distances_agree_with_exact_arithmetic() {
    let mut random = Random::new(0x516d);
    let (mut inside, mut walls) = (0, 0);
    for round in 0..300 {
        let field = field(&mut random, round % FIELD_KINDS);
        let q = query(&mut random, &field);
        let found = field.signed_distance(q).unwrap();
        assert_eq!(found.verify(&field, q), Ok(()), "{found:?} {q:?} {field:?}");
        let truth = squared_distance_to_boundary(&field, q);
        let contained = field.contains(q);
        let (lower, upper) = if contained {
            (-found.distance.upper, -found.distance.lower)
        } else {
            (found.distance.lower, found.distance.upper)
        };
        let context = || format!("{field:?} {:?} {q:?} {found:?} {}", field.heights(), truth.to_f64().sqrt());
        assert!(lower >= 0.0, "{}", context());
        assert!(rational(lower).squared() <= truth && truth <= rational(upper).squared(), "{}", context());
        assert!(found.distance.lower <= found.distance.value && found.distance.value <= found.distance.upper);
        let scale = field.surface_bounds().size().length() + upper;
        assert!(upper - lower <= 1e-12 * scale, "{}", context());
        inside += usize::from(contained);
        walls += usize::from(found.triangle.is_none());
    }
    assert!(inside > 30 && walls > 20, "{inside} {walls}");
}

/// A field much farther away than its size: the search ends quickly and its bracket is true.
#[test]
fn closest_point_of_a_far_query() {
    let field = HeightField::new(1001, 1001, DVec2::ONE, vec![0.0; 1001 * 1001]).unwrap();
    for distance in [1e9, 1e20, 1e50] {
        let found = field.closest_point(DVec3::new(-distance, 0.0, distance)).unwrap();
        assert!(found.distance.lower <= distance * 2.0_f64.sqrt() * (1.0 + 1e-15));
        assert!(found.distance.upper >= distance * 2.0_f64.sqrt() * (1.0 - 1e-15));
        assert!(found.distance.upper - found.distance.lower <= 1e-14 * distance);
    }
}

#[test]
fn windows_visit_what_they_touch_and_nothing_low() {
    let mut random = Random::new(0x717d);
    for _ in 0..300 {
        let (columns, rows) = (2 + random.index(60), 2 + random.index(60));
        let spacing = DVec2::new(0.5, 0.3);
        let heights = (0..columns * rows).map(|_| random.integer(-4, 4) as f32).collect();
        let field = HeightField::new(columns, rows, spacing, heights).unwrap();
        let coordinate = |random: &mut Random, count: usize, spacing: f64| {
            if random.coin() {
                random.integer(-1, count as i64) as f64 * spacing
            } else {
                random.uniform(-1.0, count as f64) * spacing
            }
        };
        let (a, b) = [0, 1]
            .map(|_| DVec2::new(coordinate(&mut random, columns, spacing.x), coordinate(&mut random, rows, spacing.y)))
            .into();
        let (min, max) = (a.min(b), a.max(b));
        let z_min = random.integer(-6, 5) as f64;
        let mut visited = Vec::new();
        let _ = field.for_each_triangle_in(min, max, z_min, |triangle, corners| {
            assert_eq!(field.triangle(triangle), Some(corners));
            visited.push(triangle);
            ControlFlow::Continue(())
        });
        visited.sort_unstable();
        let expected: Vec<u32> = (0..field.triangle_count() as u32)
            .filter(|&triangle| {
                let corners = field.triangle(triangle).unwrap();
                let low = corners.iter().fold(DVec3::INFINITY, |low, &corner| low.min(corner));
                let high = corners.iter().fold(DVec3::NEG_INFINITY, |high, &corner| high.max(corner));
                low.x <= max.x && min.x <= high.x && low.y <= max.y && min.y <= high.y && high.z >= z_min
            })
            .collect();
        assert_eq!(visited, expected, "{columns} x {rows} {min} {max} {z_min}");
    }
}

#[test]
fn wheels_above_below_and_off_the_terrain() {
    let slope = HeightField::new(3, 3, DVec2::ONE, vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0]).unwrap();
    // Upright: the ground below the centre is at height x.
    for (z, expected) in [(3.0, 1.0), (1.5, -0.5), (1.0, -1.0), (0.0, -2.0), (-4.0, -6.0)] {
        let wheel = Wheel { center: DVec3::new(1.0, 1.0, z), radius: 1.0 };
        let contact = slope.wheel_on_terrain(&wheel, DVec3::Z).unwrap().unwrap();
        assert_eq!(contact.clearance.value, expected);
        assert_eq!(contact.verify(&slope, &wheel, DVec3::Z), Ok(()));
        assert!(
            contact.clearance.lower <= expected
                && expected <= contact.clearance.upper
                && contact.clearance.upper - contact.clearance.lower < 4e-15
        );
        assert_eq!(contact.point, DVec3::new(1.0, 1.0, 1.0));
    }
    // Upright relative to the slope: up is the normal, of any length.
    let up = 7.0 * DVec3::new(-1.0, 0.0, 1.0);
    let wheel = Wheel { center: DVec3::new(1.0, 0.5, 1.5), radius: 0.25 };
    let contact = slope.wheel_on_terrain(&wheel, up).unwrap().unwrap();
    let truth = 0.5 / 2.0_f64.sqrt() - 0.25;
    assert!(
        (contact.clearance.value - truth).abs() < 1e-15
            && contact.clearance.lower <= truth
            && truth <= contact.clearance.upper
    );
    assert!(contact.clearance.upper - contact.clearance.lower < 1e-14);
    let wheels = [DVec3::new(1.0, 1.0, 2.0), DVec3::new(-1.0, 1.0, 2.0)].map(|center| Wheel { center, radius: 0.5 });
    let [on, off] = slope.wheels_on_terrain(&wheels, DVec3::Z).unwrap();
    assert_eq!((on.map(|contact| contact.clearance.value), off), (Some(0.5), None));
    let negative = Wheel { center: DVec3::ZERO, radius: -1.0 };
    assert_eq!(slope.wheel_on_terrain(&negative, DVec3::Z), Err(Error::NotPositive { what: "radius", value: -1.0 }));
}

#[test]
fn bad_input_is_named() {
    let new = |columns, rows, x, y, count| HeightField::new(columns, rows, DVec2::new(x, y), vec![0.0; count]);
    assert_eq!(new(1, 2, 1.0, 1.0, 2), Err(Error::TooFew { what: "columns", least: 2, count: 1 }));
    assert_eq!(new(2, 0, 1.0, 1.0, 0), Err(Error::TooFew { what: "rows", least: 2, count: 0 }));
    assert_eq!(new(2, 2, 1.0, 1.0, 5), Err(Error::WrongCount { what: "heights", expected: 4, count: 5 }));
    assert!(matches!(new(usize::MAX, 3, 1.0, 1.0, 5), Err(Error::WrongCount { .. })));
    assert_eq!(new(2, 2, 1.0, f64::NAN, 4), Err(Error::NotFinite { what: "spacing", index: 1 }));
    assert_eq!(new(2, 2, -1.0, 1.0, 4), Err(Error::NotPositive { what: "spacing", value: -1.0 }));
    assert!(matches!(new(2, 2, 1e-61, 1.0, 4), Err(Error::TooSmall { what: "spacing", .. })));
    assert!(new(3, 2, 1.0, 1e60, 6).is_ok());
    assert!(matches!(new(3, 2, 1e60, 1.0, 6), Err(Error::TooLarge { index: 0, .. })));
    let field = new(2, 2, 1.0, 1.0, 4).unwrap();
    let cast = |o: DVec3, d: DVec3, from: f64, to: f64| field.ray_cast(o, d, from, to);
    assert_eq!(cast(DVec3::NAN, DVec3::X, 0.0, 1.0), Err(Error::NotFinite { what: "origin", index: 0 }));
    assert_eq!(cast(DVec3::ZERO, DVec3::INFINITY, 0.0, 1.0), Err(Error::NotFinite { what: "direction", index: 0 }));
    assert!(matches!(cast(DVec3::ZERO, DVec3::ZERO, 0.0, 1.0), Err(Error::TooSmall { .. })));
    assert!(matches!(cast(DVec3::ZERO, DVec3::splat(1e61), 0.0, 1.0), Err(Error::TooLarge { .. })));
    assert_eq!(cast(DVec3::ZERO, DVec3::X, 0.0, f64::NAN), Err(Error::NotFinite { what: "parameter", index: 1 }));
    assert_eq!(cast(DVec3::ZERO, DVec3::X, 1.0, 0.0), Ok(None));
    assert!(field.closest_point(DVec3::NAN).is_err() && field.signed_distance(DVec3::INFINITY).is_err());
    assert!(field.height_at(f64::NAN, 0.0).is_none() && !field.contains(DVec3::NAN));
    let mut visits = 0;
    let _ = field.for_each_triangle_in(DVec2::NAN, DVec2::ONE, 0.0, |_, _| {
        visits += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(visits, 0);
}
