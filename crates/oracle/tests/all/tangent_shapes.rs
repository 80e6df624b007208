//! The enclosures of pairs of shapes against independent methods: exact rational arithmetic where a core is a polytope,
//! and for every kind a search over directions and points by code that shares nothing with the generator.

use clearance_oracle::random::Random;
use clearance_oracle::tangent_shapes::Feature;
use clearance_oracle::{
    Gap, OraclePose, OracleShape, ShapeKind, Situation, TangentShapes, separation_along, signed_distance,
    tangent_shapes,
};

type Point = [f64; 3];

/// Visits every pair of kinds, gap and situation once, with the given seed; the order of the kinds depends on it.
fn every_case(seed: u64, mut visit: impl FnMut(&str, &TangentShapes)) {
    for (index, &one) in ShapeKind::ALL.iter().enumerate() {
        for &other in &ShapeKind::ALL[index..] {
            let (a, b) = if seed.is_multiple_of(2) { (one, other) } else { (other, one) };
            for gap in Gap::ALL {
                for situation in Situation::ALL {
                    let name = format!("{} {} {} {} {seed}", a.name(), b.name(), gap.name(), situation.name());
                    match tangent_shapes(a, b, gap, situation, seed) {
                        Some(pair) => visit(&name, &pair),
                        None => {
                            assert_eq!((a, b), (ShapeKind::Segment, ShapeKind::Segment), "{name}");
                            assert!(gap.fraction() < 0.0, "{name}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_pair_of_kinds_has_tight_enclosures_of_both_signs() {
    let mut count = 0;
    every_case(1, |name, pair| {
        count += 1;
        assert!(pair.lower <= pair.upper, "{name}");
        let width = pair.upper - pair.lower;
        assert!(width <= pair.scale * 2.3e-16 || pair.upper == pair.lower.next_up(), "{name}: {width:e}");
        let length = pair.normal.iter().map(|x| x * x).sum::<f64>();
        assert!((length - 1.0).abs() < 1e-14, "{name}: {:?}", pair.normal);
        let deep = name.contains("deep"); // "deepest" too
        let touching = name.contains("touching");
        assert!(touching || if deep { pair.upper < 0.0 } else { pair.lower > 0.0 }, "{name}");
        if touching {
            // Rounding moves a coordinate by half a unit in its last place: at most 2^-53 of 10^6 sizes.
            assert!(
                pair.lower.abs().max(pair.upper.abs()) < 1e-9 * pair.scale,
                "{name}: {} {}",
                pair.lower,
                pair.upper
            );
        }
    });
    assert_eq!(count, 78 * 13 * 6 - 6 * 6);
}

#[test]
fn seeds_are_reproducible_and_distinct() {
    let make = |seed| tangent_shapes(ShapeKind::Hull, ShapeKind::Cone, Gap::Apart6, Situation::Mixed, seed);
    assert_eq!(make(5), make(5));
    assert_ne!(make(5), make(6));
}

#[test]
fn every_feature_of_every_kind_occurs() {
    use Feature::{Edge, Face, Plane, Rim, Side, Smooth, Vertex};
    let expected: [(ShapeKind, &[Feature]); 11] = [
        (ShapeKind::Sphere, &[Vertex]),
        (ShapeKind::Capsule, &[Vertex, Edge]),
        (ShapeKind::Cuboid, &[Vertex, Edge, Face]),
        (ShapeKind::Cylinder, &[Face, Rim, Side]),
        (ShapeKind::Cone, &[Vertex, Face, Rim, Side]),
        (ShapeKind::Ellipsoid, &[Smooth]),
        (ShapeKind::HalfSpace, &[Plane]),
        (ShapeKind::Segment, &[Vertex, Edge]),
        (ShapeKind::Triangle, &[Vertex, Edge, Face]),
        (ShapeKind::Tetrahedron, &[Vertex, Edge, Face]),
        (ShapeKind::Hull, &[Vertex, Edge, Face]),
    ];
    for (kind, features) in expected {
        for gap in [Gap::Overlapping3, Gap::Apart9] {
            let mut seen: Vec<Feature> = (0..160)
                .filter_map(|seed| tangent_shapes(kind, ShapeKind::Ellipsoid, gap, Situation::Unit, seed))
                .map(|pair| pair.features.0)
                .collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen, features, "{} {}", kind.name(), gap.name());
        }
    }
    // Features that meet only if both bodies are rotated for it, both signs.
    let crossed = [
        (ShapeKind::Cuboid, ShapeKind::Tetrahedron, (Edge, Edge)),
        (ShapeKind::Cylinder, ShapeKind::Cone, (Rim, Rim)),
        (ShapeKind::Cylinder, ShapeKind::Hull, (Rim, Edge)),
        (ShapeKind::Cylinder, ShapeKind::Segment, (Side, Edge)),
        (ShapeKind::Triangle, ShapeKind::Triangle, (Face, Vertex)),
    ];
    for (a, b, features) in crossed {
        for gap in [Gap::Overlapping6, Gap::Apart6] {
            let pairs = (0..240).filter_map(|seed| tangent_shapes(a, b, gap, Situation::Unit, seed));
            let count = pairs.filter(|pair| pair.features == features).count();
            assert!(count >= 5, "{} {} {}: {count}", a.name(), b.name(), gap.name());
        }
    }
}

/// Exact rational arithmetic, by enumeration of features, against the enclosure: it contains the truth, for both signs.
#[test]
fn enclosures_contain_the_exact_answer_for_polytope_cores() {
    let mut count = 0;
    every_case(0, |name, pair| {
        let (Some(a), Some(b)) = (pair.a.to_body(&pair.pose_a), pair.b.to_body(&pair.pose_b)) else {
            return;
        };
        // Brute force is fast for few points only.
        if a.core_vertices.len() * b.core_vertices.len() > 70 {
            return;
        }
        count += 1;
        let truth = signed_distance(&a, &b);
        assert!(
            truth.is_within(pair.lower, pair.upper),
            "{name}: {} is not within {:e} and {:e}\n{pair:?}",
            truth.to_decimal(25),
            pair.lower,
            pair.upper
        );
    });
    assert!(count > 1200, "{count}");
}

// ---------------------------------------------------------------------------------------------------------------
// Support points once more, in doubles

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: Point) -> Point {
    let length = dot(v, v).sqrt();
    v.map(|x| x / length)
}

/// The farthest point of a shape in its own frame along `d`, without the radius, and the radius.
fn farthest(shape: &OracleShape, d: Point) -> (Point, f64) {
    let of = |points: &[Point]| {
        let best = points.iter().copied().max_by(|p, q| dot(*p, d).total_cmp(&dot(*q, d)));
        (best.unwrap(), 0.0)
    };
    let across = (d[0] * d[0] + d[1] * d[1]).sqrt();
    let rim = |radius: f64, height: f64| {
        let (x, y) = if across > 0.0 { (d[0] / across, d[1] / across) } else { (1.0, 0.0) };
        [radius * x, radius * y, height]
    };
    match shape {
        OracleShape::Sphere { radius } => ([0.0; 3], *radius),
        OracleShape::Capsule { half_length, radius } => ([0.0, 0.0, half_length.copysign(d[2])], *radius),
        OracleShape::Cuboid { half_extents } => (std::array::from_fn(|axis| half_extents[axis].copysign(d[axis])), 0.0),
        OracleShape::Cylinder { half_length, radius } => (rim(*radius, half_length.copysign(d[2])), 0.0),
        OracleShape::Cone { half_length, radius } => {
            let (apex, base) = ([0.0, 0.0, *half_length], rim(*radius, -half_length));
            (if dot(apex, d) > dot(base, d) { apex } else { base }, 0.0)
        }
        OracleShape::Ellipsoid { semi_axes } => {
            let stretched: Point = std::array::from_fn(|axis| semi_axes[axis] * d[axis]);
            let length = dot(stretched, stretched).sqrt();
            (std::array::from_fn(|axis| semi_axes[axis] * stretched[axis] / length), 0.0)
        }
        OracleShape::HalfSpace { .. } => panic!("a half-space has no farthest point"),
        OracleShape::Segment { ends } => of(ends),
        OracleShape::Triangle { corners } => of(corners),
        OracleShape::Tetrahedron { corners } => of(corners),
        OracleShape::Hull { points } => of(points),
        OracleShape::Rounded { core, radius } => {
            let (point, inner) = farthest(core, d);
            (point, inner + radius)
        }
    }
}

/// `R p` and the radius at the farthest point along the world direction `n`.
fn reach(shape: &OracleShape, pose: &OraclePose, n: Point) -> (Point, f64) {
    let r = &pose.rotation;
    let d = std::array::from_fn(|column| r[0][column] * n[0] + r[1][column] * n[1] + r[2][column] * n[2]);
    let (point, radius) = farthest(shape, d);
    (std::array::from_fn(|row| dot(r[row], point)), radius)
}

/// The gap between supporting planes along the unit vector `n`, and the distance between the two support points less
/// radii.
fn gap_and_distance(pair: &TangentShapes, n: Point) -> (f64, f64) {
    let (point_a, radius_a) = reach(&pair.a, &pair.pose_a, n);
    let (point_b, radius_b) = reach(&pair.b, &pair.pose_b, n.map(|x| -x));
    let between = std::array::from_fn(|axis| {
        (pair.pose_b.translation[axis] - pair.pose_a.translation[axis]) + (point_b[axis] - point_a[axis])
    });
    (dot(between, n) - radius_a - radius_b, dot(between, between).sqrt() - radius_a - radius_b)
}

/// No direction, over the whole sphere or near the best one found, has a wider gap between supporting planes than
/// `upper`: the bodies are not farther apart, and no shorter translation separates overlapping ones. The normal attains
/// `lower`. And no two points of separated bodies are closer than `lower`.
#[test]
fn no_direction_beats_an_enclosure_and_no_points_undercut_it() {
    let random = &mut Random::new(2);
    let mut nearest_miss = f64::INFINITY;
    every_case(3, |name, pair| {
        if [&pair.a, &pair.b].iter().any(|shape| matches!(shape, OracleShape::HalfSpace { .. })) {
            return;
        }
        // The rounding of the search in doubles: a dozen operations on numbers of the size of the scale.
        let rounding = 4e-15 * pair.scale;
        let check = |n: Point| {
            let (gap, distance) = gap_and_distance(pair, n);
            assert!(gap <= pair.upper + rounding, "{name}: {n:?} {gap:e} {:e}\n{pair:?}", pair.upper);
            assert!(pair.lower <= 0.0 || distance >= pair.lower - rounding, "{name}: {n:?} {distance:e}");
            gap
        };
        let along_normal = check(pair.normal);
        assert!(along_normal >= pair.lower - rounding, "{name}: {along_normal:e} {:e}", pair.lower);
        let mut best = (along_normal, pair.normal);
        for _ in 0..24 {
            let n = random.direction();
            check(n);
        }
        // A climb from the normal and one from a nearby direction, by trial steps that shrink.
        for start in [0.0, 0.5] {
            let offset = random.in_cube(start);
            let mut here = unit(std::array::from_fn(|axis| pair.normal[axis] + offset[axis]));
            let mut value = check(here);
            let mut step = 0.25_f64;
            while step > 1e-13 {
                let trial = random.in_cube(step);
                let n = unit(std::array::from_fn(|axis| here[axis] + trial[axis]));
                let gap = check(n);
                if gap > value {
                    (here, value) = (n, gap);
                } else {
                    step *= 0.7;
                }
            }
            if value > best.0 {
                best = (value, here);
            }
        }
        // The best direction found, to the last place.
        let (below, above) =
            separation_along(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, best.1).expect("bounded bodies");
        assert!(below <= pair.upper, "{name}: {below:e} {:e}\n{pair:?}", pair.upper);
        assert!((above - best.0).abs() <= rounding, "{name}: {above:e} {:e}", best.0);
        nearest_miss = nearest_miss.min((pair.upper - below) / pair.scale);
    });
    assert!(nearest_miss < 1e-16, "the search never came close: {nearest_miss:e}");
}

/// The distance of a half-space is the height of the other body's lowest point: closed form in doubles.
#[test]
fn half_spaces_by_heights() {
    every_case(4, |name, pair| {
        let OracleShape::HalfSpace { normal, offset } = pair.b else {
            return;
        };
        let r = &pair.pose_b.rotation;
        // The matrix is a rotation up to rounding: it maps normals as it maps vectors.
        let n = unit(std::array::from_fn(|row| dot(r[row], normal)));
        let length = dot(normal, normal).sqrt();
        let rounding = 8e-15 * pair.scale;
        if matches!(pair.a, OracleShape::HalfSpace { .. }) {
            assert!(dot(n, pair.normal) < -0.999_999, "{name}");
            return;
        }
        let (lowest, radius) = reach(&pair.a, &pair.pose_a, n.map(|x| -x));
        let from_plane: Point =
            std::array::from_fn(|axis| (pair.pose_a.translation[axis] - pair.pose_b.translation[axis]) + lowest[axis]);
        let height = dot(from_plane, n) - offset / length - radius;
        assert!((height - pair.lower).abs() <= rounding, "{name}: {height:e} {:e}", pair.lower);
        // A single double, or if the truth equals one up to 10^-77, its neighbours.
        assert!(pair.upper <= pair.lower.next_up().next_up(), "{name}");
    });
}
