//! Triangle intersection against exact arithmetic and known crossings.

use super::*;
use clearance_oracle::random::Random;
use clearance_oracle::rational::{self, Vector};
use clearance_oracle::{OracleBody, Rational, intersects};

use crate::math::tolerances::UNIT_ROUNDOFF;

type Triangle = [DVec3; 3];

fn exact(point: DVec3) -> Vector {
    rational::vector(point.to_array()).unwrap()
}

fn between(p: &Vector, q: &Vector, t: &Rational) -> Vector {
    rational::add(p, &rational::scale(&rational::subtract(q, p), t))
}

fn is_zero(v: &Vector) -> bool {
    v.iter().all(Rational::is_zero)
}

fn normal(t: &[Vector; 3]) -> Vector {
    rational::cross(&rational::subtract(&t[1], &t[0]), &rational::subtract(&t[2], &t[0]))
}

/// Where a rational point lies on a triangle, by the definition of [`Feature3`].
fn locate(point: &Vector, t: &[Vector; 3]) -> Option<Feature3> {
    if let Some(k) = t.iter().position(|corner| corner == point) {
        return Some(Feature3::Vertex(k as u8));
    }
    let mut on_edges: Vec<(Rational, u8)> = vec![];
    for k in 0..3 {
        let (p, q) = (&t[k], &t[(k + 1) % 3]);
        let (along, to) = (rational::subtract(q, p), rational::subtract(point, p));
        let (squared, product) = (rational::dot(&along, &along), rational::dot(&along, &to));
        if is_zero(&rational::cross(&along, &to)) && product > Rational::zero() && product < squared {
            on_edges.push((squared, k as u8));
        }
    }
    // Among equally long edges, the one between the lowest corners.
    let lowest = |k: u8| [k, (k + 1) % 3].iter().all(|&i| !t[..usize::from(i)].contains(&t[usize::from(i)]));
    if let Some((_, k)) = on_edges.into_iter().max_by_key(|(squared, k)| (squared.clone(), lowest(*k))) {
        return Some(Feature3::Edge(k));
    }
    let normal = normal(t);
    let flat = rational::dot(&normal, &rational::subtract(point, &t[0])).is_zero();
    let inside = (0..3).all(|k| {
        let along = rational::subtract(&t[(k + 1) % 3], &t[k]);
        rational::dot(&rational::cross(&along, &rational::subtract(point, &t[k])), &normal) > Rational::zero()
    });
    (flat && inside).then_some(Feature3::Face)
}

/// All points where a corner lies in the other triangle, or an edge meets the line of an edge or the plane of a face in
/// one point that is in both triangles; sorted, without duplicates.
fn candidates(a: &[Vector; 3], b: &[Vector; 3]) -> Vec<Vector> {
    let mut points: Vec<Vector> = a.iter().chain(b).cloned().collect();
    for (mine, other) in [(a, b), (b, a)] {
        let normal = normal(other);
        for k in 0..3 {
            let (p, q) = (&mine[k], &mine[(k + 1) % 3]);
            let along = rational::subtract(q, p);
            let slope = rational::dot(&normal, &along);
            if !slope.is_zero() {
                let height = rational::dot(&normal, &rational::subtract(&other[0], p));
                points.push(between(p, q, &(&height / &slope)));
            }
            for j in 0..3 {
                let (r, s) = (&other[j], &other[(j + 1) % 3]);
                let line = rational::subtract(s, r);
                let across = rational::cross(&along, &line);
                let squared = rational::dot(&across, &across);
                let apart = rational::subtract(r, p);
                if !squared.is_zero() && rational::dot(&apart, &across).is_zero() {
                    let t = &rational::dot(&rational::cross(&apart, &line), &across) / &squared;
                    points.push(between(p, q, &t));
                }
            }
        }
    }
    points.retain(|point| locate(point, a).is_some() && locate(point, b).is_some());
    points.sort();
    points.dedup();
    points
}

/// The exact point that two features share: the candidate that lies on both.
fn point_on<'p>(points: &'p [Vector], a: (&[Vector; 3], Feature3), b: (&[Vector; 3], Feature3)) -> &'p Vector {
    let mut on_both = points.iter().filter(|p| locate(p, a.0) == Some(a.1) && locate(p, b.0) == Some(b.1));
    let found = on_both.next().unwrap_or_else(|| panic!("no common point has these features: {a:?} {b:?}"));
    assert!(on_both.next().is_none(), "two common points have these features");
    found
}

fn longest_edge(a: &Triangle, b: &Triangle) -> f64 {
    [a, b].into_iter().flat_map(|t| (0..3).map(|k| t[k].distance(t[(k + 1) % 3]))).fold(0.0, f64::max)
}

fn assert_close(rounded: DVec3, truth: &Vector, slack: f64) {
    for (x, y) in rounded.to_array().into_iter().zip(truth) {
        let error = (&Rational::from_f64(x).unwrap() - y).to_f64().abs();
        let size = y.to_f64().abs();
        assert!(error <= slack + 2.0 * UNIT_ROUNDOFF * size + 1e-300, "{rounded:?} is off by {error:e}");
    }
}

#[derive(Default, Debug)]
struct Seen {
    apart: u32,
    points: u32,
    segments: u32,
    polygons: [u32; 7],
}

fn check(a: &Triangle, b: &Triangle, seen: &mut Seen) {
    let body = |t: &Triangle| OracleBody::hull(t.iter().map(|p| p.to_array()).collect());
    let truth = intersects(&body(a), &body(b));
    assert_eq!(triangles_meet(a, b), truth, "{a:?} {b:?}");
    assert_eq!(triangles_meet(b, a), truth, "{b:?} {a:?}");
    let (found, swapped) = (triangles_cross(a, b), triangles_cross(b, a));
    assert_eq!(found.is_some(), truth, "{a:?} {b:?}");
    let (Some(found), Some(swapped)) = (found, swapped) else {
        assert!(swapped.is_none());
        seen.apart += 1;
        return;
    };
    let context = format!("{a:?} {b:?} {found:?}");
    let (exact_a, exact_b) = (a.map(exact), b.map(exact));
    let points = candidates(&exact_a, &exact_b);
    let slack = TRIANGLE_CORNER_ERROR * longest_edge(a, b);
    let truths = [0, 1].map(|k| point_on(&points, (&exact_a, found.on_a[k]), (&exact_b, found.on_b[k])));
    for (end, truth) in found.ends.into_iter().zip(truths) {
        assert_close(end, truth, slack);
    }
    let (normal_a, normal_b) = (normal(&exact_a), normal(&exact_b));
    let line = rational::cross(&normal_a, &normal_b);
    let extremes = [points.first().unwrap(), points.last().unwrap()];
    match found.kind {
        CrossingKind::Segment => {
            assert!(truths == extremes || [truths[1], truths[0]] == extremes, "{context}");
            let point = truths[0] == truths[1];
            assert_eq!(point, found.on_a[0] == found.on_a[1] && found.on_b[0] == found.on_b[1], "{context}");
            if !is_zero(&line) {
                let along = rational::dot(&line, &rational::subtract(truths[1], truths[0]));
                assert!(point || along > Rational::zero(), "{context}");
                assert_eq!(swapped.ends, [found.ends[1], found.ends[0]], "{context}");
                assert_eq!(swapped.on_a, [found.on_b[1], found.on_b[0]], "{context}");
                assert_eq!(swapped.on_b, [found.on_a[1], found.on_a[0]], "{context}");
            } else {
                assert_eq!(swapped.ends, found.ends, "{context}");
                assert_eq!((swapped.on_a, swapped.on_b), (found.on_b, found.on_a), "{context}");
            }
            *(if point { &mut seen.points } else { &mut seen.segments }) += 1;
        }
        CrossingKind::Coplanar(polygon) => {
            assert!(!is_zero(&normal_a) && !is_zero(&normal_b) && is_zero(&line), "{context}");
            let exacts: Vec<&Vector> = polygon
                .corners()
                .iter()
                .map(|corner| {
                    let truth = point_on(&points, (&exact_a, corner.on_a), (&exact_b, corner.on_b));
                    assert_close(corner.point, truth, slack);
                    truth
                })
                .collect();
            let mut in_order = exacts.clone();
            in_order.sort();
            assert_eq!(in_order, points.iter().collect::<Vec<_>>(), "{context}");
            let count = exacts.len();
            // Strictly convex and counter-clockwise seen from the first axis that is not parallel to the plane.
            if count > 2 {
                let axis = (0..3).rev().find(|&axis| !normal_a[axis].is_zero()).unwrap();
                for k in 0..count {
                    let corner = [exacts[k], exacts[(k + 1) % count], exacts[(k + 2) % count]].map(Clone::clone);
                    assert!(normal(&corner)[axis] > Rational::zero(), "{context}");
                }
            }
            let CrossingKind::Coplanar(other) = swapped.kind else { panic!("{context}") };
            let swapped: Vec<_> = other.corners().iter().map(|c| (c.point, c.on_b, c.on_a)).collect();
            let own: Vec<_> = polygon.corners().iter().map(|c| (c.point, c.on_a, c.on_b)).collect();
            assert_eq!(own, swapped, "{context}");
            seen.polygons[count] += 1;
        }
    }
    check_orders(a, b, &found);
}

/// Any order of the corners gives the same points, bit for bit, on the same features.
fn check_orders(a: &Triangle, b: &Triangle, found: &Crossing) {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let renamed = |feature: Feature3, order: [usize; 3]| match feature {
        Feature3::Vertex(k) => Feature3::Vertex(order[k as usize] as u8),
        Feature3::Edge(k) => {
            let (p, q) = (order[k as usize], order[(k as usize + 1) % 3]);
            Feature3::Edge(if (p + 1) % 3 == q { p } else { q } as u8)
        }
        Feature3::Face => Feature3::Face,
    };
    // Features are unique only where no corner is repeated.
    let distinct = |t: &Triangle| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    for order in ORDERS {
        let turned = order.map(|k| a[k]);
        let other = triangles_cross(&turned, b).unwrap();
        let ends = |crossing: &Crossing, order: [usize; 3]| {
            let mut ends = [0, 1].map(|k| {
                let bits = crossing.ends[k].to_array().map(f64::to_bits);
                let names = distinct(a).then(|| (renamed(crossing.on_a[k], order), crossing.on_b[k]));
                (bits, names)
            });
            ends.sort();
            ends
        };
        assert_eq!(ends(found, [0, 1, 2]), ends(&other, order), "{a:?} {b:?} {order:?}");
    }
}

fn triangle(mut point: impl FnMut() -> [f64; 3]) -> Triangle {
    std::array::from_fn(|_| DVec3::from(point()))
}

fn small(random: &mut Random, size: i64) -> Triangle {
    triangle(|| std::array::from_fn(|_| random.integer(-size, size) as f64))
}

#[test]
fn small_integers_have_every_degeneracy() {
    let mut random = Random::new(1);
    let mut seen = Seen::default();
    for round in 0..2500 {
        let size = 1 + round % 3;
        check(&small(&mut random, size), &small(&mut random, size), &mut seen);
    }
    assert!(seen.apart > 300 && seen.points > 300 && seen.segments > 300, "{seen:?}");
}

#[test]
fn coplanar() {
    let mut random = Random::new(2);
    let mut seen = Seen::default();
    for round in 0..2000 {
        let size = [2, 3, 40][round % 3];
        // Points s u + t v of one plane, exactly.
        let (u, v) = (random.in_cube(8.0).map(f64::round), random.in_cube(8.0).map(f64::round));
        let mut flat = || {
            triangle(|| {
                let (s, t) = (random.integer(-size, size) as f64, random.integer(-size, size) as f64);
                std::array::from_fn(|k| s * u[k] + t * v[k])
            })
        };
        let (a, b) = (flat(), flat());
        check(&a, &b, &mut seen);
    }
    assert!(seen.polygons[1..].iter().all(|&count| count > 10), "{seen:?}");
}

#[test]
fn random_and_needles_and_far() {
    let mut random = Random::new(3);
    let mut seen = Seen::default();
    for round in 0..800 {
        let far = if round % 5 == 4 { DVec3::new(1e7, -1e7, 3e6) } else { DVec3::ZERO };
        let scale = [1.0, 1e-6, 1e6, 1e-80, 1e58][random.index(5)];
        let mut a = triangle(|| random.in_cube(1.0));
        let b = triangle(|| random.in_cube(1.0));
        if round % 3 == 0 {
            a[2] = a[0].lerp(a[1], 0.3) + DVec3::from(random.in_cube(1e-6));
        }
        let placed = |t: Triangle| t.map(|p| p * scale + far);
        check(&placed(a), &placed(b), &mut seen);
    }
    assert!(seen.apart > 100 && seen.segments > 60, "{seen:?}");
}

#[test]
fn touching_by_construction() {
    let mut random = Random::new(4);
    let mut seen = Seen::default();
    for round in 0..1000 {
        let a = triangle(|| random.in_cube(64.0).map(f64::round));
        let mut b = triangle(|| random.in_cube(64.0).map(f64::round));
        // A point of A in exact arithmetic: weights in eighths.
        let weights = [[8, 0, 0], [4, 4, 0], [0, 2, 6], [2, 2, 4], [1, 6, 1]][round % 5];
        let on_a = (a[0] * weights[0] as f64 + a[1] * weights[1] as f64 + a[2] * weights[2] as f64) / 8.0;
        match round / 5 % 4 {
            0 => b[0] = on_a,
            1 => (b[0], b[1]) = (on_a + (b[2] - on_a), on_a - (b[2] - on_a)),
            2 => (b[0], b[1]) = (on_a, a[round % 3]),
            _ => b[1] = on_a + (on_a - b[0]),
        }
        // Some are moved aside by one unit in the last place.
        if round % 3 == 2 {
            b[0].x = b[0].x.next_up();
        }
        check(&a, &b, &mut seen);
    }
    assert!(seen.apart > 20 && seen.points > 100 && seen.segments > 100, "{seen:?}");
}

/// A strip of triangles around a ring cut by a plane: each segment ends where the next one starts, in the same bits and
/// on the same edge.
#[test]
fn neighbours_agree() {
    let mut random = Random::new(5);
    for _ in 0..60 {
        let blade = [DVec3::new(-50.0, -50.0, 0.1), DVec3::new(50.0, -50.0, 0.2), DVec3::new(0.0, 70.0, -0.1)];
        let count = 12;
        let ring: Vec<[DVec3; 2]> = (0..count)
            .map(|k| {
                let angle = k as f64 / count as f64 * std::f64::consts::TAU;
                let around = DVec3::new(angle.cos(), angle.sin(), 0.0);
                [-1.0, 1.0].map(|z| around * random.uniform(1.0, 2.0) + DVec3::Z * z * random.uniform(0.5, 1.0))
            })
            .collect();
        let mut crossings = vec![];
        for k in 0..count {
            let (near, far) = (ring[k], ring[(k + 1) % count]);
            for t in [[near[0], far[0], near[1]], [far[0], far[1], near[1]]] {
                let crossing = triangles_cross(&t, &blade).unwrap();
                assert_eq!(crossing.on_b, [Feature3::Face; 2]);
                crossings.push(crossing);
            }
        }
        for (k, crossing) in crossings.iter().enumerate() {
            let next = &crossings[(k + 1) % crossings.len()];
            let bits = |p: DVec3| p.to_array().map(f64::to_bits);
            let linked = bits(crossing.ends[1]) == bits(next.ends[0]) || bits(crossing.ends[0]) == bits(next.ends[1]);
            assert!(linked, "{crossing:?} {next:?}");
        }
    }
}

#[test]
fn known_crossings() {
    let a = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
    let b = [DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(-3.0, 1.0, 0.0)];
    let found = triangles_cross(&a, &b).unwrap();
    // Along z x -y = x.
    assert_eq!(found.ends, [DVec3::new(0.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 0.0)]);
    assert_eq!((found.on_a, found.on_b), ([Feature3::Edge(2), Feature3::Face], [Feature3::Face, Feature3::Edge(0)]));
    let hexagon = [DVec3::new(3.0, 3.0, 0.0), DVec3::new(-2.0, 3.0, 0.0), DVec3::new(3.0, -2.0, 0.0)];
    let CrossingKind::Coplanar(polygon) = triangles_cross(&a, &hexagon).unwrap().kind else { panic!() };
    assert_eq!(polygon.corners().len(), 6);
    let point = [DVec3::ONE; 3];
    assert!(triangles_meet(&point, &point));
    assert!(!triangles_meet(&point, &a));
    assert!(triangles_meet(&[DVec3::X; 3], &a));
}
