//! The gap of two triangles against exact arithmetic.

use super::*;
use clearance_oracle::random::Random;
use clearance_oracle::{Cores, ExactSigned, OracleBody, signed_distance};

type Triangle = [DVec3; 3];

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

fn diameter(t: &Triangle) -> f64 {
    (0..3).map(|k| length(t[(k + 1) % 3] - t[k])).fold(0.0, f64::max)
}

/// A length whose squares neither underflow nor overflow.
fn length(v: DVec3) -> f64 {
    let most = v.abs().max_element();
    if most == 0.0 { 0.0 } else { (v / most).length() * most }
}

/// Which arithmetic produced the answer: floats, double-double, integers; or the triangles meet.
#[derive(Default, Debug)]
struct Taken {
    floats: u32,
    double_doubles: u32,
    integers: u32,
    meet: u32,
    /// The widest bracket relative to (diameters + distance).
    widest: f64,
}

impl Taken {
    fn count(&mut self, a: &Triangle, b: &Triangle, gap: &TriangleGap) {
        let pair = Pair::new(a, b);
        let frame = Frame::new(&pair.a, &pair.b);
        let figure = Figure::<f64>::new(&pair);
        let found = figure.search();
        let rough = pair.certify(&frame, &found.spots(), found.directions(&figure).map(DVec3::from));
        let fine = || pair.fine_gap(&frame, rough, |gap| frame.is_narrow(gap.lower, gap.upper));
        if gap.value == 0.0 {
            self.meet += 1;
        } else if pair.renumbered(rough) == *gap {
            self.floats += 1;
        } else if fine().map(|gap| pair.renumbered(gap)) == Some(*gap) {
            self.double_doubles += 1;
        } else {
            assert_eq!(pair.renumbered(pair.exact_gap()), *gap);
            self.integers += 1;
        }
    }
}

fn is_on(point: DVec3, feature: Feature3, t: &Triangle) -> bool {
    match feature {
        Feature3::Vertex(k) => point == t[k as usize],
        Feature3::Edge(k) => k < 3,
        Feature3::Face => true,
    }
}

fn check(a: &Triangle, b: &Triangle, taken: &mut Taken) {
    let body = |t: &Triangle| OracleBody::hull(t.iter().map(|p| p.to_array()).collect());
    let truth = signed_distance(&body(a), &body(b));
    let gap = triangle_gap(a, b, 0.0);
    let context = || format!("{a:?} {b:?} {gap:?} truth {}", truth.to_decimal(20));
    let size = diameter(a) + diameter(b) + gap.upper;
    if truth.cores == Cores::Apart {
        assert!(truth.is_within(gap.lower, gap.upper), "{}", context());
        assert!(gap.value > 0.0 && gap.lower <= gap.value && gap.value <= gap.upper, "{}", context());
        assert!(gap.upper - gap.lower <= 1e-14 * size + 1e-300, "{}", context());
        assert!((gap.direction.length() - 1.0).abs() <= 8.0 * UNIT_ROUNDOFF, "{}", context());
        let coordinates = a.iter().chain(b).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let between = length(gap.point_b - gap.point_a);
        let slack = 1e-14 * size + 8.0 * UNIT_ROUNDOFF * coordinates + 1e-300;
        assert!((between - gap.value).abs() <= slack, "{}", context());
        taken.widest = taken.widest.max((gap.upper - gap.lower) / size);
    } else {
        assert_eq!((gap.value, gap.lower, gap.upper), (0.0, 0.0, 0.0), "{}", context());
        assert_eq!((gap.point_a, gap.direction), (gap.point_b, DVec3::ZERO), "{}", context());
    }
    assert!(is_on(gap.point_a, gap.on_a, a) && is_on(gap.point_b, gap.on_b, b), "{}", context());
    taken.count(a, b, &gap);
    check_mirrored(a, b, &gap);
    check_below(a, b, &gap, &truth);
}

fn check_mirrored(a: &Triangle, b: &Triangle, gap: &TriangleGap) {
    let bits = |gap: &TriangleGap| {
        let scalars = [gap.value, gap.lower, gap.upper];
        let vectors = [gap.point_a, gap.point_b, gap.direction].map(|v| v.to_array().map(f64::to_bits));
        (scalars.map(f64::to_bits), vectors)
    };
    let back = triangle_gap(b, a, 0.0);
    let swapped = TriangleGap {
        point_a: back.point_b,
        point_b: back.point_a,
        direction: DVec3::ZERO - back.direction,
        on_a: back.on_b,
        on_b: back.on_a,
        ..back
    };
    assert_eq!(bits(gap), bits(&swapped), "{a:?} {b:?}");
    assert_eq!((gap.on_a, gap.on_b), (swapped.on_a, swapped.on_b), "{a:?} {b:?}");
    for order in ORDERS {
        let other = triangle_gap(&order.map(|k| a[k]), b, 0.0);
        assert_eq!(bits(gap), bits(&other), "{a:?} {b:?} {order:?}");
        assert_eq!(gap.on_b, other.on_b);
    }
}

fn check_below(a: &Triangle, b: &Triangle, gap: &TriangleGap, truth: &ExactSigned) {
    let bounds = [0.0, 0.5, 0.9, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 2.0].map(|factor| factor * gap.value);
    for bound in bounds.into_iter().chain([f64::INFINITY]) {
        match triangle_gap_below(a, b, bound, 0.0) {
            Some(found) => {
                assert!(gap.lower <= bound, "{a:?} {b:?} {gap:?} is beyond {bound:e}");
                assert_eq!(found, *gap);
            }
            None => {
                assert!(truth.cores == Cores::Apart && truth.compare(bound).is_gt(), "{a:?} {b:?} {bound:e}");
            }
        }
    }
    let far = triangle_gap_below(a, b, 0.5 * gap.lower, 0.0);
    assert!(far.is_none() || gap.lower <= 1e-290, "{a:?} {b:?}");
}

fn triangle(mut point: impl FnMut() -> [f64; 3]) -> Triangle {
    std::array::from_fn(|_| DVec3::from(point()))
}

fn moved(t: &Triangle, by: DVec3) -> Triangle {
    t.map(|corner| corner + by)
}

#[test]
fn small_integers() {
    let mut random = Random::new(11);
    let mut taken = Taken::default();
    for round in 0..4000 {
        let size = 1 + round % 3;
        let mut small = || triangle(|| std::array::from_fn(|_| random.integer(-size, size) as f64));
        let (a, b) = (small(), small());
        let aside = DVec3::from([random.integer(-1, 2) as f64, 0.0, random.integer(0, 1) as f64]);
        check(&a, &moved(&b, aside), &mut taken);
    }
    assert!(taken.floats > 300 && taken.meet > 200, "{taken:?}");
}

#[test]
fn anywhere() {
    let mut random = Random::new(12);
    let mut taken = Taken::default();
    for round in 0..5000 {
        let scale = [1.0, 1e-6, 1e6, 1.0][round % 4];
        let spread = [0.3, 1.0, 4.0][round % 3];
        let a = triangle(|| random.in_cube(scale));
        let b = moved(&triangle(|| random.in_cube(scale)), DVec3::from(random.in_cube(spread * scale)));
        let far = [DVec3::ZERO, DVec3::new(1e7, -2e7, 1e6), DVec3::splat(1e12)][round / 4 % 3];
        check(&moved(&a, far), &moved(&b, far), &mut taken);
    }
    // Falling back from floats is rare.
    assert!(taken.floats > 3000 && taken.double_doubles < 50 && taken.integers == 0, "{taken:?}");
}

#[test]
fn needles_and_parallels() {
    let mut random = Random::new(13);
    let mut taken = Taken::default();
    for round in 0..4000 {
        let mut needle = |thin: f64| {
            let mut t = triangle(|| random.in_cube(1.0));
            t[2] = t[0].lerp(t[1], random.uniform(-0.2, 1.2)) + DVec3::from(random.in_cube(thin));
            t
        };
        let thin = [1e-6, 1e-3, 1e-9, 1e-15][round % 4];
        let (mut a, mut b) = (needle(thin), needle(1.0));
        match round / 4 % 4 {
            // Both thin.
            0 => b = needle(thin),
            // An edge of one along an edge of the other, beside it.
            1 => b[1] = b[0] + (a[1] - a[0]) * random.uniform(-1.5, 1.5),
            // The same triangle, beside itself.
            2 => b = moved(&a, DVec3::from(random.in_cube([1.0, 1e-6, 1e-13][round % 3]))),
            // A rectangle's two halves, moved apart.
            _ => {
                let (x, y) = (random.uniform(0.1, 2.0), random.uniform(0.1, 2.0));
                a = [DVec3::ZERO, DVec3::X * x, DVec3::new(x, y, 0.0)];
                b = [DVec3::ZERO, DVec3::new(x, y, 0.0), DVec3::Y * y];
                b = moved(&b, DVec3::new(0.0, random.uniform(0.0, 1e-9), random.uniform(-1e-3, 1e-3)));
            }
        }
        check(&a, &b, &mut taken);
    }
    assert!(taken.floats > 1000 && taken.double_doubles > 100, "{taken:?}");
}

#[test]
fn nearly_touching() {
    let mut random = Random::new(14);
    let mut taken = Taken::default();
    for round in 0..6000 {
        let mut a = triangle(|| random.in_cube(1.0));
        let mut b = triangle(|| random.in_cube(1.0));
        if round / 12 % 2 == 1 {
            // A needle.
            a[2] = a[0].lerp(a[1], 0.7) + DVec3::from(random.in_cube([1e-6, 1e-2, 1e-12][round / 24 % 3]));
        }
        let weights = [[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.3, 0.3, 0.4]][round % 3];
        let normal = (a[1] - a[0]).cross(a[2] - a[0]).normalize();
        let aside = 10f64.powi(-(random.integer(3, 24) as i32));
        let touch = weights[0] * a[0] + weights[1] * a[1] + weights[2] * a[2];
        let over = |p: DVec3| touch + (p - touch) + normal * (aside - (p - touch).dot(normal)).max(0.0);
        match round / 3 % 4 {
            // Above A's plane, a corner almost on it.
            0 => {
                b = b.map(over);
                b[0] = touch + normal * aside;
            }
            // An edge almost on it.
            1 => {
                b = b.map(over);
                (b[0], b[1]) =
                    (touch + b[2].cross(normal) + normal * aside, touch - b[2].cross(normal) + normal * aside);
            }
            // Beside an edge of A, in A's plane up to rounding.
            2 => {
                let out = (a[1] - a[0]).cross(normal).normalize();
                b = [0.1, 0.5, 0.3].map(|s| a[0].lerp(a[1], s + weights[2]) + out * aside);
                b[2] += out * random.uniform(0.0, 1.0);
            }
            // One unit in the last place off.
            _ => {
                b[0] = touch;
                b[0].x = if random.coin() { touch.x.next_up() } else { touch.x };
            }
        }
        check(&a, &b, &mut taken);
    }
    assert!(taken.floats + taken.double_doubles > 300 && taken.meet > 100, "{taken:?}");
}

#[test]
fn without_area() {
    let mut random = Random::new(15);
    let mut taken = Taken::default();
    for round in 0..3000 {
        let a = triangle(|| random.in_cube(1.0));
        let mut b = triangle(|| random.in_cube(1.0));
        match round % 5 {
            0 => b = [b[0]; 3],
            1 => b[1] = b[0],
            2 => b[2] = b[0] + (b[1] - b[0]) * 0.5,
            3 => b = [b[0], b[0] + (a[1] - a[0]), b[0]],
            _ => b = [a[0] + 1e-3 * (a[1] - a[0]), a[0], a[0] + (a[1] - a[0]) * random.uniform(0.0, 1e-12)],
        }
        let a = if round % 3 == 0 { [a[0], a[1], a[0]] } else { a };
        check(&a, &b, &mut taken);
    }
    assert!(taken.floats > 300, "{taken:?}");
}

#[test]
fn tiny_and_huge() {
    let mut random = Random::new(16);
    let mut taken = Taken::default();
    for round in 0..600 {
        let scale = [1e-30, 1e-70, 1e-150, 1e-305, 1e30, 5e59][round % 6];
        let mut one = || triangle(|| random.in_cube(scale));
        let (a, b) = (one(), one());
        check(&a, &b, &mut taken);
        check(&a, &b.map(|p| p * 1e-12), &mut taken);
    }
    let least = DVec3::X * 5e-324;
    let gap = triangle_gap(&[DVec3::ZERO; 3], &[least; 3], 0.0);
    assert!(gap.value > 0.0 && gap.lower <= 5e-324 && gap.upper >= 5e-324, "{gap:?}");
    assert!(taken.floats > 50 && taken.integers > 50, "{taken:?}");
}
