//! Bounding volumes against exact arithmetic: they enclose what they were fitted to, what they call apart is apart, and
//! their distances are lower bounds.

use clearance::Pose;
use clearance::glam::{DMat3, DVec3};
use clearance::index::{
    Aabb, Bound, ClimbingKdop, Directions, FatRay, Fit, Frustum, Kdop, Lss, Obb, RelativePose, Rss, Slab, Sphere,
    SweptSphere, SweptSpheres,
};
use clearance_oracle::random::Random;
use clearance_oracle::rational::{self, Rational};
use clearance_oracle::{Cores, OracleBody, generate, signed_distance};
use std::cmp::Ordering;

const FITS: [Fit; 3] = [Fit::Vertices, Fit::HullVertices, Fit::HullSurface];

fn exact(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

fn vector(p: DVec3) -> rational::Vector {
    rational::vector(p.to_array()).unwrap()
}

/// The exact product of two vectors.
fn dot(p: DVec3, q: DVec3) -> Rational {
    rational::dot(&vector(p), &vector(q))
}

/// Whether a volume contains a point, decided exactly.
trait Contains: Bound {
    fn contains_exactly(&self, p: DVec3) -> bool;
}

impl Contains for Aabb {
    fn contains_exactly(&self, p: DVec3) -> bool {
        self.contains(p)
    }
}

impl Contains for Sphere {
    fn contains_exactly(&self, p: DVec3) -> bool {
        let away = rational::subtract(&vector(p), &vector(self.center));
        rational::dot(&away, &away) <= exact(self.radius).squared()
    }
}

impl Contains for Obb {
    fn contains_exactly(&self, p: DVec3) -> bool {
        let away = rational::subtract(&vector(p), &vector(self.center()));
        (0..3).all(|k| {
            let along = rational::dot(&away, &vector(self.rotation().col(k)));
            along.abs() <= exact(self.half_extents()[k])
        })
    }
}

impl<const K: usize> Contains for Kdop<K>
where
    Kdop<K>: Directions,
{
    fn contains_exactly(&self, p: DVec3) -> bool {
        (0..K).all(|k| dot(Self::direction(k), p) <= exact(self.planes()[k]))
    }
}

/// Whether a point lies within a distance of the hull of some corners.
fn is_within(corners: &[DVec3], radius: f64, p: DVec3) -> bool {
    let core = OracleBody::hull(corners.iter().map(|c| c.to_array()).collect());
    let truth = signed_distance(&core, &OracleBody::hull(vec![p.to_array()]));
    truth.cores != Cores::Apart || truth.core_squared <= exact(radius).squared()
}

impl Contains for Lss {
    fn contains_exactly(&self, p: DVec3) -> bool {
        is_within(&self.ends(), self.radius(), p)
    }
}

impl Contains for Rss {
    fn contains_exactly(&self, p: DVec3) -> bool {
        is_within(&self.corners(), self.radius(), p)
    }
}

impl Contains for SweptSphere {
    fn contains_exactly(&self, p: DVec3) -> bool {
        match self {
            SweptSphere::Point(sphere) => sphere.contains_exactly(p),
            SweptSphere::Line(line) => line.contains_exactly(p),
            SweptSphere::Rectangle(rectangle) => rectangle.contains_exactly(p),
        }
    }
}

impl Contains for SweptSpheres {
    fn contains_exactly(&self, p: DVec3) -> bool {
        self.point().contains_exactly(p) && self.line().contains_exactly(p) && self.rectangle().contains_exactly(p)
    }
}

/// Runs a generic function for every kind of volume.
macro_rules! for_every_bound {
    ($function:ident ( $($argument:expr),* )) => {{
        $function::<Aabb>("Aabb", $($argument),*);
        $function::<Sphere>("Sphere", $($argument),*);
        $function::<Obb>("Obb", $($argument),*);
        $function::<Kdop<6>>("Kdop<6>", $($argument),*);
        $function::<Kdop<14>>("Kdop<14>", $($argument),*);
        $function::<Kdop<18>>("Kdop<18>", $($argument),*);
        $function::<Kdop<26>>("Kdop<26>", $($argument),*);
        $function::<Kdop<12>>("Kdop<12>", $($argument),*);
        $function::<Kdop<32>>("Kdop<32>", $($argument),*);
        $function::<Kdop<62>>("Kdop<62>", $($argument),*);
        $function::<Lss>("Lss", $($argument),*);
        $function::<Rss>("Rss", $($argument),*);
        $function::<SweptSphere>("SweptSphere", $($argument),*);
        $function::<SweptSpheres>("SweptSpheres", $($argument),*);
    }};
}

fn in_cube(random: &mut Random, half: f64) -> DVec3 {
    DVec3::from_array(random.in_cube(half))
}

fn rotation(random: &mut Random) -> DMat3 {
    let [x, y, z] = generate::random_rotation(random).map(DVec3::from_array);
    DMat3::from_cols(x, y, z).transpose()
}

/// The kinds of point sets.
const SETS: usize = 16;

/// Corners of triangles, ordinary or not.
fn corners(random: &mut Random, set: usize) -> Vec<DVec3> {
    let count = 3 * (1 + random.index(6));
    let turn = rotation(random);
    let mut spread =
        |stretch: DVec3| -> Vec<DVec3> { (0..count).map(|_| turn * (in_cube(random, 1.0) * stretch)).collect() };
    match set {
        0 => spread(DVec3::ONE),
        1 => spread(DVec3::new(1.0, 0.3, 0.1)),
        2 => vec![spread(DVec3::ONE)[0]; 3],
        3 => vec![DVec3::ZERO; 3],
        4 => {
            let two = spread(DVec3::ONE);
            (0..count).map(|k| two[k % 2]).collect()
        }
        5 => spread(DVec3::new(1.0, 0.0, 0.0)),
        6 => spread(DVec3::new(1.0, 0.7, 0.0)),
        7 => spread(DVec3::new(1e-60, 1e-60, 2e-61)),
        8 => spread(DVec3::new(1e50, 3e50, 2e50)),
        9 => spread(DVec3::new(1e59, 3e59, 2e59)),
        10 => spread(DVec3::ONE).into_iter().map(|p| p + DVec3::new(1e9, -2e9, 3.0)).collect(),
        11 => spread(DVec3::new(1.0, 1e-9, 1e-12)),
        12 => spread(DVec3::splat(1e-300)),
        13 => spread(DVec3::ONE).into_iter().map(|p| p.signum()).collect(),
        14 => spread(DVec3::ONE).into_iter().map(|p| DVec3::new(p.x.round(), p.y.round(), 5.0)).collect(),
        _ => spread(DVec3::ONE).into_iter().map(|p| p.normalize_or_zero() + DVec3::X).collect(),
    }
}

fn check_enclosure<B: Contains>(name: &str, first: &[DVec3], second: &[DVec3], case: &str) {
    for how in FITS {
        let (a, b) = (B::fit(first, how), B::fit(second, how));
        let merged = B::merge(&a, &b);
        let twice = B::merge(&merged, &B::fit(&second[..1], how));
        for (bound, points) in [(&a, first), (&merged, first), (&merged, second), (&twice, first), (&twice, second)] {
            let directions = [DVec3::X, DVec3::new(-0.3, 0.7, 0.2), DVec3::new(1e-3, -2.0, -5.0)];
            let supports = directions.map(|d| exact(bound.support(d)));
            let reach = exact(bound.reach()).squared();
            for &p in points {
                assert!(bound.contains_exactly(p), "{name} {how:?} of {case}: {p} outside {bound:?}");
                for (d, support) in directions.iter().zip(&supports) {
                    assert!(dot(*d, p) <= *support, "{name} {how:?} of {case}: support along {d}");
                }
                assert!(dot(p, p) <= reach, "{name} {how:?} of {case}: reach");
            }
            for size in [bound.volume(), bound.surface(), bound.longest()] {
                assert!(size >= 0.0 && !size.is_nan(), "{name} {how:?} of {case}: size {size}");
            }
        }
        if let Some([x, y, z]) = a.axes() {
            assert!(x.dot(y).abs() + y.dot(z).abs() + z.dot(x).abs() < 1e-14, "{name} {how:?} of {case}");
        }
    }
}

#[test]
fn every_volume_encloses_its_points() {
    let mut random = Random::new(1);
    for set in 0..SETS {
        for round in 0..3 {
            let (first, second) = (corners(&mut random, set), corners(&mut random, (set + round) % SETS));
            for_every_bound!(check_enclosure(&first, &second, &format!("set {set}, round {round}")));
        }
    }
}

fn check_empty<B: Contains>(name: &str) {
    for how in FITS {
        assert!(B::fit(&[], how).contains_exactly(DVec3::ZERO), "{name}");
    }
}

#[test]
fn no_points_make_the_origin() {
    for_every_bound!(check_empty());
}

/// How often two volumes were told apart, of how many disjoint pairs.
fn check_apart<B: Contains>(name: &str, a: &[DVec3], b: &[DVec3], poses: [&Pose; 2], case: &str) {
    let body = |points: &[DVec3], pose: &Pose| {
        let r = pose.rotation().transpose();
        let rows = [r.x_axis, r.y_axis, r.z_axis].map(|row| row.to_array());
        OracleBody::hull(points.iter().map(|p| p.to_array()).collect())
            .rotated(rows)
            .translated(pose.translation().to_array())
    };
    let truth = signed_distance(&body(a, poses[0]), &body(b, poses[1]));
    for how in FITS {
        let (of_a, of_b) = (B::fit(a, how), B::fit(b, how));
        let relation = B::relation(&RelativePose::new(poses[0], poses[1], of_a.reach(), of_b.reach()));
        let below = of_a.distance_below(&of_b, &relation);
        assert!(below >= 0.0 && below.is_finite(), "{name} {how:?} of {case}: {below}");
        // Lengths in the frame of A are those in the world up to its rigidity defect.
        let in_world = below * (1.0 - poses[0].defect());
        assert!(
            below == 0.0 || truth.compare(in_world) != Ordering::Less,
            "{name} {how:?} of {case}: {below} is no lower bound of {}",
            truth.to_decimal(20)
        );
        let apart = truth.cores == Cores::Apart;
        assert!(of_a.overlaps(&of_b, &relation) || apart, "{name} {how:?} of {case}: not apart");
        let sizes = of_a.longest() + of_b.longest();
        let far = apart && truth.enclosure().0 > 8.0 * sizes;
        assert!(!far || !of_a.overlaps(&of_b, &relation), "{name} {how:?} of {case}: apart");
        // Along one of three orthogonal axes the gap is at least 1/√3 of the distance, less the sizes.
        assert!(!far || below >= 0.4 * truth.enclosure().0, "{name} {how:?} of {case}: {below} far too small");
    }
}

#[test]
fn what_volumes_prove_is_true() {
    let mut random = Random::new(2);
    for round in 0..20 * SETS {
        let (set_a, set_b) = (round % SETS, (round / 3) % SETS);
        let (a, b) = (corners(&mut random, set_a), corners(&mut random, set_b));
        let size = b.iter().chain(&a).map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let pose = |random: &mut Random, turned: bool, away: f64| {
            let turn = if turned { rotation(random) } else { DMat3::IDENTITY };
            Pose::new(turn, in_cube(random, away * size.min(1e58))).unwrap()
        };
        let away = [0.3, 1.0, 1.6, 3.0, 20.0][random.index(5)];
        let pose_a = if round % 4 == 0 { pose(&mut random, true, 1.0) } else { Pose::IDENTITY };
        let pose_b = pose(&mut random, round % 5 != 0, away);
        for_every_bound!(check_apart(&a, &b, [&pose_a, &pose_b], &format!("sets {set_a} {set_b}, round {round}")));
    }
}

/// Boxes, rectangles and segments are their own volumes, so these are told apart exactly, up to rounding.
#[test]
fn boxes_are_told_apart_exactly() {
    let mut random = Random::new(3);
    let (mut apart, mut meeting) = (0, 0);
    for round in 0..600 {
        let half = |random: &mut Random| {
            let all = DVec3::new(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0), random.uniform(0.1, 1.0));
            [all, all * DVec3::new(1.0, 1.0, 0.0), all * DVec3::new(1.0, 0.0, 0.0), DVec3::ZERO][round % 4]
        };
        let (half_a, half_b) = (half(&mut random), half(&mut random));
        let pose = Pose::new(rotation(&mut random), in_cube(&mut random, 1.5)).unwrap();
        let (a, b) = (Obb::new(&Pose::IDENTITY, half_a).unwrap(), Obb::new(&Pose::IDENTITY, half_b).unwrap());
        let relation = RelativePose::new(&Pose::IDENTITY, &pose, a.reach(), b.reach());
        let r = pose.rotation().transpose();
        let rows = [r.x_axis, r.y_axis, r.z_axis].map(|row| row.to_array());
        let hull = |b: &Obb| OracleBody::hull(b.corners().map(|p| p.to_array()).to_vec());
        let placed = hull(&b).rotated(rows).translated(pose.translation().to_array());
        let truth = signed_distance(&hull(&a), &placed);
        // Three spans of the cases have volume; flat ones need directions that the 15 do not have.
        let decided = round % 4 == 0 || truth.cores != Cores::Apart;
        if decided {
            assert_eq!(a.overlaps(&b, &relation), truth.cores != Cores::Apart, "round {round}");
        }
        let count = if truth.cores == Cores::Apart { &mut apart } else { &mut meeting };
        *count += 1;
    }
    assert!(apart > 100 && meeting > 50, "{apart} {meeting}");
}

/// The distance of two cores is exact up to rounding: segments, rectangles, triangles and points.
#[test]
fn cores_measure_their_distance() {
    let mut random = Random::new(4);
    for round in 0..600 {
        let core = |random: &mut Random, kind: usize| -> Vec<DVec3> {
            let (x, y) = (random.uniform(0.2, 2.0), random.uniform(0.05, 0.15));
            match kind {
                0 => vec![in_cube(random, 1.0)],
                1 => vec![DVec3::X * -x, DVec3::X * x],
                _ => [[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec(),
            }
        };
        let (a, b) = (core(&mut random, round % 3), core(&mut random, round / 3 % 3));
        let pose = Pose::new(rotation(&mut random), in_cube(&mut random, 2.0)).unwrap();
        let r = pose.rotation().transpose();
        let rows = [r.x_axis, r.y_axis, r.z_axis].map(|row| row.to_array());
        let hull = |points: &[DVec3]| OracleBody::hull(points.iter().map(|p| p.to_array()).collect());
        let truth = signed_distance(&hull(&a), &hull(&b).rotated(rows).translated(pose.translation().to_array()));
        let (of_a, of_b) = (Rss::fit(&a, Fit::default()), Rss::fit(&b, Fit::default()));
        let relation = RelativePose::new(&Pose::IDENTITY, &pose, of_a.reach(), of_b.reach());
        let below = of_a.distance_below(&of_b, &relation);
        let distance = if truth.cores == Cores::Apart { truth.enclosure().1 } else { 0.0 };
        assert!(below <= distance && below > distance - 1e-12, "round {round}: {below} of {distance}");
    }
}

fn in_box(random: &mut Random, bound: &Obb) -> DVec3 {
    bound.center() + bound.rotation() * (in_cube(random, 0.999) * bound.half_extents())
}

/// A point inside both a box and a region: the region may not be called apart.
#[test]
fn regions_meet_what_they_hold_a_point_of() {
    let mut random = Random::new(5);
    let (mut rays, mut slabs, mut views) = ([0; 2], [0; 2], [0; 2]);
    for round in 0..4000 {
        let size = [1.0, 1e-3, 1e6][round % 3];
        let pose = Pose::new(rotation(&mut random), in_cube(&mut random, 2.0 * size)).unwrap();
        let half = (in_cube(&mut random, 0.5) + DVec3::splat(0.5)) * size;
        let bound = Obb::new(&pose, half).unwrap();
        let inside = in_box(&mut random, &bound);

        let normal = DVec3::from_array(random.direction());
        let near = normal.dot(inside) + size * random.uniform(-4.0, 4.0);
        let slab = Slab::new(normal, near, near + size).unwrap();
        let holds = normal.dot(inside) > near && normal.dot(inside) < near + size;
        assert!(!holds || slab.may_meet(&bound), "round {round}");
        slabs[usize::from(slab.may_meet(&bound))] += 1;

        let direction = DVec3::from_array(random.direction());
        let radius = size * random.uniform(0.0, 0.2);
        let origin = inside - direction * (size * random.uniform(0.0, 5.0));
        let hitting = FatRay::new(origin, direction * random.uniform(0.1, 9.0), radius).unwrap();
        assert!(hitting.may_meet(&bound) && hitting.up_to((inside - origin).length() * 1.001).may_meet(&bound));
        let other = FatRay::new(origin + in_cube(&mut random, size), direction, radius).unwrap();
        rays[usize::from(other.may_meet(&bound))] += 1;
        // Sampled: a point of the box that is within the radius of the ray.
        for _ in 0..20 {
            let point = in_box(&mut random, &bound);
            let away = point - (origin + in_cube(&mut random, 0.5 * size));
            let along = away.dot(direction).max(0.0);
            let start = point - away;
            let near_ray = FatRay::new(start, direction, (away - direction * along).length() * 1.000001).unwrap();
            assert!(near_ray.may_meet(&bound), "round {round}");
        }

        // Every other eye looks at the point, from either end.
        let turn = rotation(&mut random);
        let away = [in_cube(&mut random, 5.0 * size), turn.z_axis * (size * random.uniform(-5.0, 5.0))];
        let eye = Pose::new(turn, away[round % 2] + inside * (round % 2) as f64).unwrap();
        let view = Frustum::new(&eye, [0.6, 0.4], 0.1 * size, [6.0 * size, f64::INFINITY][round % 2]).unwrap();
        let seen = eye.inverse_transform_point(inside);
        let depth = -seen.z;
        let holds = depth > 0.1 * size && (depth < 6.0 * size || round % 2 == 1);
        let holds = holds && seen.x.abs() < 0.6 * depth && seen.y.abs() < 0.4 * depth;
        assert!(!holds || view.may_meet(&bound), "round {round}");
        views[usize::from(view.may_meet(&bound))] += 1;
    }
    for (kind, counts) in [("rays", rays), ("slabs", slabs), ("views", views)] {
        assert!(counts[0] > 500 && counts[1] > 500, "{kind}: {counts:?}");
    }
}

/// The fat ray against a box, compared with the exact distance of a segment.
#[test]
fn fat_rays_that_miss_are_apart() {
    let mut random = Random::new(6);
    let mut missed = 0;
    for round in 0..400 {
        let half = in_cube(&mut random, 0.5) + DVec3::splat(0.5);
        let bound = Obb::new(&Pose::IDENTITY, half).unwrap();
        let (start, end) = (in_cube(&mut random, 3.0), in_cube(&mut random, 3.0));
        let segment = OracleBody::hull(vec![start.to_array(), end.to_array()]);
        let truth = signed_distance(&OracleBody::cuboid(half.to_array()), &segment).enclosure();
        let ray = FatRay::new(start, end - start, 0.0).unwrap().up_to((end - start).length());
        assert!(truth.1 > 0.0 || ray.may_meet(&bound), "round {round}");
        // Without a radius the directions suffice, so a miss is seen.
        assert!(truth.0 <= 1e-12 || !ray.may_meet(&bound), "round {round}: {truth:?}");
        missed += usize::from(truth.0 > 0.0);
    }
    assert!(missed > 50);
}

#[test]
fn regions_reject_what_defines_none() {
    assert!(Slab::new(DVec3::NAN, 0.0, 1.0).is_err() && Slab::new(DVec3::X, f64::NAN, 1.0).is_err());
    assert!(
        Slab::new(DVec3::X, f64::NEG_INFINITY, 1.0).unwrap().may_meet(&Sphere { center: DVec3::ZERO, radius: 1.0 })
    );
    assert!(FatRay::new(DVec3::ZERO, DVec3::ZERO, 1.0).is_err() && FatRay::new(DVec3::ZERO, DVec3::X, -1.0).is_err());
    let identity = Pose::IDENTITY;
    for (slopes, near, far) in [([0.0, 1.0], 0.1, 1.0), ([1.0, 1.0], 2.0, 1.0), ([1.0, f64::NAN], 0.0, 1.0)] {
        assert!(Frustum::new(&identity, slopes, near, far).is_err());
    }
    assert!(Obb::new(&identity, DVec3::NAN).is_err() && Obb::new(&identity, -DVec3::X).is_err());
}

fn check_climbing<const K: usize>(points: &[DVec3], random: &mut Random)
where
    Kdop<K>: Directions,
{
    let mut climbing = ClimbingKdop::<K>::new(points).unwrap();
    for step in 0..12 {
        // Small turns, and a jump.
        let turn = if step % 6 == 5 { rotation(random) } else { DMat3::from_rotation_z(0.1 * f64::from(step)) };
        let size = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        let pose = Pose::new(turn, in_cube(random, size.min(1e59))).unwrap();
        let bound = climbing.update(&pose);
        let rows = turn.transpose();
        let rows = [rows.x_axis, rows.y_axis, rows.z_axis].map(vector);
        let translation = vector(pose.translation());
        for k in 0..K {
            let direction = vector(Kdop::<K>::direction(k));
            let placed = |p: &DVec3| rational::add(&rational::matrix_times(&rows, &vector(*p)), &translation);
            let farthest = points.iter().map(|p| rational::dot(&direction, &placed(p))).max().unwrap();
            let plane = exact(bound.planes()[k]);
            assert!(farthest <= plane, "plane {k} of {K}, step {step}");
            let off = exact(1e-13 * (size + pose.translation().length()) + 1e-290);
            assert!(&plane - &farthest <= off, "plane {k} of {K}, step {step}: loose");
        }
    }
}

/// A polytope climbed to is the tightest up to rounding, flat and needle-like hulls included.
#[test]
fn climbing_finds_the_farthest_vertices() {
    let mut random = Random::new(7);
    for set in 0..SETS {
        let points = corners(&mut random, set);
        check_climbing::<6>(&points, &mut random);
        check_climbing::<26>(&points, &mut random);
        check_climbing::<62>(&points, &mut random);
    }
    assert!(ClimbingKdop::<6>::new(&[]).is_err() && ClimbingKdop::<6>::new(&[DVec3::NAN]).is_err());
}
