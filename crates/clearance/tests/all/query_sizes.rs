//! Bodies of all sizes, and far from the origin: invalid ones are rejected, and every answer about valid ones is true,
//! narrow and accepted by `verify`.

use std::cmp::Ordering;

use clearance::answer::{RayHit, SignedDistance};
use clearance::glam::{DVec2, DVec3};
use clearance::query::ray_cast_all_with;
use clearance::query::{RayOptions, depth_along};
use clearance::{
    Bracket, Error, Mesh, Motion, Pose, Ray, RigidMotion, Shape, closest_point, contacts, distance, penetration,
    ray_cast, signed_distance, time_of_impact,
};
use clearance_oracle::generate::{axis_rotations, random_rotation};
use clearance_oracle::random::Random;
use clearance_oracle::rational::Rational;
use clearance_oracle::revolution::signed_distance_of_point;
use clearance_oracle::{
    ExactSigned, OracleBody, OraclePose, OracleShape, Placed, ShapeKind, rational, separation_along,
    signed_distance_placed,
};

use crate::common::{oracle_pose, oracle_shape, proof_of, scale};

/// A body by half its length and its radius.
type Maker = fn(f64, f64) -> Result<Shape, Error>;

/// The least size that constructors accept.
const LIMIT: f64 = 1e-60;

fn power_of_ten(random: &mut Random, low: f64, high: f64) -> f64 {
    10f64.powf(random.uniform(low, high))
}

/// A body of about a size that is at least `4 LIMIT`.
fn body(random: &mut Random, kind: ShapeKind, size: f64) -> OracleShape {
    let mut length = || (size * random.uniform(0.25, 1.0)).max(LIMIT);
    match kind {
        ShapeKind::Sphere => OracleShape::Sphere { radius: length() },
        ShapeKind::Capsule => OracleShape::Capsule { half_length: length(), radius: length() },
        ShapeKind::Cuboid => OracleShape::Cuboid { half_extents: [length(), length(), length()] },
        ShapeKind::Cylinder => OracleShape::Cylinder { half_length: length(), radius: length() },
        ShapeKind::Cone => OracleShape::Cone { half_length: length(), radius: length() },
        ShapeKind::Ellipsoid => OracleShape::Ellipsoid { semi_axes: [length(), length(), length()] },
        ShapeKind::HalfSpace => OracleShape::HalfSpace { normal: random.direction(), offset: size },
        ShapeKind::Segment => OracleShape::Segment { ends: points(random, size) },
        ShapeKind::Triangle => OracleShape::Triangle { corners: points(random, size) },
        ShapeKind::Tetrahedron => OracleShape::Tetrahedron { corners: points(random, size) },
        ShapeKind::Hull => OracleShape::Hull { points: points::<8>(random, size).to_vec() },
        ShapeKind::Rounded => {
            let cores: Vec<ShapeKind> = ShapeKind::ALL
                .into_iter()
                .filter(|kind| !matches!(kind, ShapeKind::Rounded | ShapeKind::HalfSpace))
                .collect();
            let radius = (size * power_of_ten(random, -3.0, 0.5)).max(LIMIT);
            let kind = cores[random.index(cores.len())];
            OracleShape::Rounded { core: Box::new(body(random, kind, size)), radius }
        }
    }
}

/// Points about the origin, two of them at least `LIMIT` apart.
fn points<const N: usize>(random: &mut Random, size: f64) -> [[f64; 3]; N] {
    let mut points = std::array::from_fn(|_| random.in_cube(0.5 * size));
    points[0][0] = 0.5 * size;
    points[1][0] = -0.5 * size;
    points
}

/// Random bodies in random poses: sizes from the least to 1e50, up to 1e15 sizes from the origin, the second body near
/// the first.
struct Case {
    a: OracleShape,
    pose_a: OraclePose,
    b: OracleShape,
    pose_b: OraclePose,
    size: f64,
    /// Queried as a compound of one part.
    in_parts: bool,
}

impl Case {
    fn new(seed: u64) -> Case {
        let random = &mut Random::new(seed);
        let size = power_of_ten(random, -59.3, 50.0);
        let ratio = if random.coin() { 1.0 } else { power_of_ten(random, -4.0, 4.0) };
        let kinds = [(); 2].map(|()| ShapeKind::ALL[random.index(ShapeKind::ALL.len())]);
        // Two half-spaces are tested in `half_space.rs`.
        let kinds = if kinds == [ShapeKind::HalfSpace; 2] { [ShapeKind::Cone, kinds[1]] } else { kinds };
        let a = body(random, kinds[0], size);
        let b = body(random, kinds[1], (size * ratio).max(4.0 * LIMIT));
        let rotation = |random: &mut Random| match random.index(3) {
            0 => axis_rotations()[random.index(24)],
            _ => random_rotation(random),
        };
        let far = match random.index(4) {
            0 => 0.0,
            1 => size * ratio.min(1.0) * 1e15,
            _ => size * ratio.min(1.0) * power_of_ten(random, 0.0, 15.0),
        };
        let base = random.direction().map(|x| (x * far).clamp(-9e59, 9e59));
        let apart = match random.index(4) {
            0 => 0.0,
            1 => power_of_ten(random, 0.0, 6.0),
            _ => random.uniform(0.0, 3.0),
        };
        let reach = apart * size.max(size * ratio);
        let offset = random.direction().map(|x| x * reach);
        let translation = std::array::from_fn(|k| (base[k] + offset[k]).clamp(-1e60, 1e60));
        let pose_a = OraclePose { rotation: rotation(random), translation: base };
        let pose_b = OraclePose { rotation: rotation(random), translation };
        let mut case = Case { a, pose_a, b, pose_b, size, in_parts: random.index(6) == 0 };
        if random.index(3) == 0 {
            case.close_up(random);
        }
        case
    }

    /// Moves B next to touching A, by the engine's own distance.
    fn close_up(&mut self, random: &mut Random) {
        let (a, pose_a, b, pose_b) = self.asked();
        let found = contacts(&a, &pose_a, &b, &pose_b);
        let wanted = self.size * [1.0, -1.0, 0.0][random.index(3)] * power_of_ten(random, -16.0, -1.0);
        let to = pose_b.translation() + found.normal * (wanted - found.gap.value);
        if found.gap.value.abs() < 1e30 * self.size && to.abs().max_element() <= 1e60 {
            self.pose_b.translation = to.to_array();
        }
    }

    /// The bodies as queried.
    fn asked(&self) -> (Shape, Pose, Shape, Pose) {
        let (a, b) = (oracle_shape(&self.a).unwrap(), oracle_shape(&self.b).unwrap());
        let a = match a {
            Shape::HalfSpace(_) => a,
            part if self.in_parts => Shape::compound(vec![(Pose::IDENTITY, part)]).unwrap(),
            whole => whole,
        };
        (a, oracle_pose(&self.pose_a), b, oracle_pose(&self.pose_b))
    }

    /// The exact signed distance, of hulls with a radius.
    fn truth(&self) -> Option<ExactSigned> {
        let (a, b) = (self.a.to_body(&self.pose_a)?, self.b.to_body(&self.pose_b)?);
        Some(signed_distance_placed(&a.placed(), &b.placed()))
    }
}

/// Adds a fault for a claim that does not hold.
struct Faults {
    context: String,
    found: Vec<String>,
}

impl Faults {
    fn expect(&mut self, holds: bool, what: &str, answer: &dyn std::fmt::Debug) {
        if !holds {
            self.found.push(format!("{what}\n  {answer:?}\n  {}", self.context));
        }
    }

    fn accepted<R: std::fmt::Display>(&mut self, verdict: Result<(), R>, what: &str, answer: &dyn std::fmt::Debug) {
        if let Err(refusal) = verdict {
            self.expect(false, &format!("{what}: verify: {refusal}"), answer);
        }
    }
}

/// A half-space has no size that a width could be relative to.
fn is_narrow(width: f64, allowed: f64) -> bool {
    width <= allowed || !allowed.is_finite()
}

/// Every query about a pair.
fn ask_pair(case: &Case, faults: &mut Faults) {
    let (a, pose_a, b, pose_b) = case.asked();
    let truth = case.truth();
    let within = |lower: f64, upper: f64| truth.as_ref().is_none_or(|truth| truth.is_within(lower, upper));
    let apart = truth.as_ref().map(|truth| truth.sign() == Ordering::Greater);
    let length = scale(&a, &pose_a, &b, &pose_b);
    let defect = pose_a.defect().max(pose_b.defect());
    let along = |normal: DVec3| {
        separation_along(&case.a, &case.pose_a, &case.b, &case.pose_b, normal.to_array()).map(|(low, _)| low)
    };

    let gap = distance(&a, &pose_a, &b, &pose_b);
    faults.accepted(gap.verify(&a, &pose_a, &b, &pose_b), "distance", &gap);
    let holds = if apart == Some(false) { gap.gap.lower == 0.0 } else { within(gap.gap.lower, gap.gap.upper) };
    faults.expect(holds, "distance: the bracket is false", &gap);
    let seen = gap.normal.and_then(along).unwrap_or(f64::NEG_INFINITY);
    faults.expect(seen <= gap.gap.upper, "distance: farther apart than `upper`", &gap);
    faults.expect(is_narrow(gap.gap.upper - gap.gap.lower, (1e-12 + defect) * length), "distance: wide", &gap);

    let proof = proof_of(&a, &pose_a, &b, &pose_b);
    faults.accepted(proof.verify(&a, &pose_a, &b, &pose_b), "relation", &proof);
    faults.expect(within(proof.gap.lower, proof.gap.upper), "relation: the bracket is false", &proof);

    if let Ok(deep) = penetration(&a, &pose_a, &b, &pose_b) {
        faults.accepted(deep.verify(&a, &pose_a, &b, &pose_b), "penetration", &deep);
        let holds =
            if apart == Some(true) { deep.depth.lower == 0.0 } else { within(-deep.depth.upper, -deep.depth.lower) };
        faults.expect(holds, "penetration: the bracket is false", &deep);
        let seen = along(deep.normal).unwrap_or(f64::NEG_INFINITY);
        faults.expect(
            deep.depth.lower <= (-seen).max(0.0),
            "penetration: a separating translation shorter than `lower`",
            &deep,
        );
        let narrow = is_narrow(deep.depth.upper - deep.depth.lower, (1e-9 + defect) * length);
        faults.expect(truth.is_none() || case.in_parts || narrow, "penetration: wide", &deep);
    } else {
        faults.expect(false, "penetration: an error", &(&a, &b));
    }

    let found = contacts(&a, &pose_a, &b, &pose_b);
    faults.accepted(found.verify(&a, &pose_a, &b, &pose_b), "contacts", &found);
    faults.expect(within(found.gap.lower, found.gap.upper), "contacts: the bracket is false", &found);
}

/// The tetrahedra among the bodies as meshes, surfaces and solids.
fn ask_meshes(case: &Case, faults: &mut Faults) {
    let (a, pose_a, b, pose_b) = case.asked();
    let mesh = |shape: &OracleShape, solid: bool| {
        let OracleShape::Tetrahedron { corners } = shape else { return None };
        let triangles = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let mesh = Mesh::new(corners, &triangles).unwrap();
        let turned = || Mesh::new(corners, &triangles.map(|[i, j, k]| [i, k, j])).unwrap().solid().unwrap();
        Some(Shape::Mesh(if solid { mesh.solid().unwrap_or_else(|_| turned()) } else { mesh }))
    };
    for solid in [false, true] {
        let (mesh_a, mesh_b) = (mesh(&case.a, solid), mesh(&case.b, solid));
        if mesh_a.is_none() && mesh_b.is_none() {
            return;
        }
        let (a, b) = (mesh_a.unwrap_or_else(|| a.clone()), mesh_b.unwrap_or_else(|| b.clone()));
        let gap = distance(&a, &pose_a, &b, &pose_b);
        faults.accepted(gap.verify(&a, &pose_a, &b, &pose_b), "distance of meshes", &gap);
        let proof = proof_of(&a, &pose_a, &b, &pose_b);
        faults.accepted(proof.verify(&a, &pose_a, &b, &pose_b), "relation of meshes", &proof);
    }
}

/// First contact of two bodies moving towards each other, fast or slowly.
fn ask_motion(case: &Case, random: &mut Random, faults: &mut Faults) {
    let (a, pose_a, b, pose_b) = case.asked();
    let way = (pose_a.translation() - pose_b.translation()) * random.uniform(0.5, 2.0);
    let own = DVec3::from_array(random.direction()) * case.size * [0.0, 1.0, 1e3][random.index(3)];
    let moving = |pose: Pose, way: DVec3| Motion::translation(pose, way);
    let (Ok(motion_a), Ok(motion_b)) = (moving(pose_a, own), moving(pose_b, own + way)) else { return };
    if let Ok(impact) = time_of_impact(&a, &motion_a, &b, &motion_b) {
        let verdict = impact.verify(&a, &motion_a, &b, &motion_b);
        faults.accepted(verdict, "impact", &(impact, motion_a, motion_b));
    }
}

/// Every query about a body and a point.
fn ask_point(case: &Case, random: &mut Random, faults: &mut Faults) {
    let (a, pose, ..) = case.asked();
    let reach = case.size * [0.3, 1.0, 3.0, 1e-20, 1e3][random.index(5)];
    let offset = DVec3::from_array(random.direction()) * reach;
    let point = (pose.translation() + offset).clamp(DVec3::splat(-1e60), DVec3::splat(1e60));
    let length = a.diameter() + (pose.transform_point(a.bounds().center()) - point).length();
    let allowed = (1e-12 + 2.0 * pose.defect()) * length;

    let signed = signed_distance(&a, &pose, point);
    faults.accepted(signed.verify(&a, &pose, point), "signed distance", &signed);
    let SignedDistance { distance: Bracket { lower, upper, .. }, .. } = signed;
    faults.expect(is_narrow(upper - lower, allowed), "signed distance: wide", &signed);
    let single = OracleBody::hull(vec![point.to_array()]).placed();
    if let Some(own) = case.a.to_body(&case.pose_a) {
        let truth = signed_distance_placed(&own.placed(), &single);
        // A flat body has no inside: a point of it is at distance 0.
        let holds = truth.is_within(lower, upper);
        faults.expect(holds, "signed distance: the bracket is false", &signed);
    }
    if let Some((low, high)) = signed_distance_of_point(&case.a, &case.pose_a, point.to_array()) {
        faults.expect(lower <= high && low <= upper, "signed distance: the bracket is false", &signed);
    }
    let nearest = closest_point(&a, &pose, point);
    faults.accepted(nearest.verify(&a, &pose, point), "closest point", &nearest);
    faults.expect(
        nearest.distance.lower <= upper.max(0.0) && lower.max(0.0) <= nearest.distance.upper,
        "closest point: not the distance",
        &nearest,
    );
}

/// A ray of any length at a point of the body, or past it.
fn ask_ray(case: &Case, random: &mut Random, faults: &mut Faults) {
    let (a, pose, ..) = case.asked();
    let reach = case.size * [2.0, 10.0, 1e4, 0.01][random.index(4)];
    let limit = DVec3::splat(1e60);
    let origin = (pose.translation() + DVec3::from_array(random.direction()) * reach).clamp(-limit, limit);
    let aside = case.size * [0.0, 0.2, 0.5, 2.0][random.index(4)];
    let target = pose.translation() + DVec3::from_array(random.direction()) * aside;
    let way = target - origin;
    if way == DVec3::ZERO {
        return;
    }
    // `t` must stay in range: the direction is at least 1e-200 of the distance.
    let least = (way.length().log10() - 200.0).max(-305.0);
    let unit = way / way.length();
    let direction = unit * power_of_ten(random, least, 55.0);
    let Ok(ray) = Ray::new(origin, direction) else { return };
    let options = RayOptions::line();
    let mut hits = Vec::new();
    ray_cast_all_with(&a, &pose, &ray, &options, &mut hits);
    for hit in &hits {
        faults.accepted(hit.verify(&a, &pose, &ray, &options), "ray", &(hit, ray));
        let length = a.diameter() + (pose.transform_point(a.bounds().center()) - origin).length();
        let width = (hit.t.upper - hit.t.lower) * ray.direction.abs().max_element();
        // Next to a tangent a crossing is known to the root of the accuracy.
        faults.expect(is_narrow(width, 1e-5 * length), "ray: wide", &(hit, ray));
    }
    let Some(own) = case.a.to_body(&case.pose_a) else { return };
    let own = own.placed();
    let side = |t: f64| signed_distance_placed(&own, &at(&ray, t)).sign();
    // Roughly where the line is nearest the target: inside, it must have been entered before and left after.
    let middle = (target - origin).dot(unit) / ray.direction.dot(unit);
    if side(middle) != Ordering::Less {
        return;
    }
    let [first, last] = hits.as_slice() else {
        faults.expect(false, "ray: a body is missed", &(&hits, ray));
        return;
    };
    let outside = |t: f64| side(t) != Ordering::Less;
    let inside = |t: f64| side(t) != Ordering::Greater;
    let is_true = |hit: &RayHit, outer: f64, inner: f64, beyond: bool| {
        outside(outer) && (beyond || inside(inner)) && hit.t.lower <= hit.t.upper
    };
    faults.expect(
        is_true(first, first.t.lower, first.t.upper, first.t.upper > middle),
        "ray: the entry is false",
        &(first, ray),
    );
    faults.expect(
        is_true(last, last.t.upper, last.t.lower, last.t.lower < middle),
        "ray: the exit is false",
        &(last, ray),
    );
}

/// The point of a ray at `t`, exactly.
fn at(ray: &Ray, t: f64) -> Placed {
    let (origin, step) =
        (rational::vector(ray.origin.to_array()).unwrap(), rational::vector(ray.direction.to_array()).unwrap());
    let t = Rational::from_f64(t).unwrap();
    Placed::from_points(&[rational::add(&origin, &rational::scale(&step, &t))])
}

#[test]
fn sizes_below_the_limit_are_refused() {
    let below = LIMIT.next_down();
    let too_small = |what: &'static str| Error::TooSmall { what, value: below, limit: LIMIT };
    assert_eq!(Shape::sphere(below), Err(too_small("radius")));
    assert!(Shape::sphere(LIMIT).is_ok());
    let makers: [Maker; 3] = [Shape::capsule, Shape::cylinder, Shape::cone];
    for make in makers {
        assert_eq!(make(below, 1.0), Err(too_small("half length")));
        assert_eq!(make(1.0, below), Err(too_small("radius")));
        assert!(make(LIMIT, 1e60).is_ok() && make(1e60, LIMIT).is_ok());
    }
    assert_eq!(Shape::cuboid(DVec3::new(1.0, below, 1.0)), Err(too_small("half extent y")));
    assert_eq!(Shape::ellipsoid(DVec3::new(1.0, 1.0, below)), Err(too_small("semi-axis z")));
    assert_eq!(Shape::rounded(Shape::sphere(1.0).unwrap(), below), Err(too_small("radius")));
    assert_eq!(Shape::half_space(DVec3::new(0.0, below, 0.0), 0.0), Err(too_small("length of the normal")));
    assert_eq!(Shape::height_field(2, 2, DVec2::new(1.0, below), vec![0.0; 4]), Err(too_small("spacing")));
    // Of points the largest extent counts: all equal is a point, and one coordinate may be as small as it likes.
    let o = DVec3::ZERO;
    for (extent, extra) in [(below, 0.0), (LIMIT, 0.0), (LIMIT, 1e-300), (0.0, 0.0)] {
        let (p, q, r) = (DVec3::X * extent, DVec3::new(0.0, extra, 0.0), DVec3::new(extent, extra, extra));
        let corners = [o, p, q, r].map(|point| point.to_array());
        let made = [
            ("size of the segment", Shape::segment(o, p)),
            ("size of the triangle", Shape::triangle(o, q, p)),
            ("size of the tetrahedron", Shape::tetrahedron([o, q, r, p])),
            ("size of the hull", Shape::flat_hull(&corners)),
            ("size of the mesh", Shape::mesh(&corners, &[[0, 1, 2], [1, 2, 3]])),
        ];
        for (what, made) in made {
            let expected = if extent == below { Some(too_small(what)) } else { None };
            assert_eq!(made.err(), expected, "{extent:e} {extra:e}");
        }
    }
    let mut sheet = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    let before = sheet.clone();
    let moved = sheet.move_points(&[[0.0; 3], [below, 0.0, 0.0], [0.0, below, 0.0]]);
    assert_eq!((moved, sheet), (Err(too_small("size of the mesh")), before));
    // An unused point does not make a mesh larger.
    let apart = [[0.0; 3], [below, 0.0, 0.0], [0.0, below, 0.0], [1.0; 3]];
    assert_eq!(Mesh::new(&apart, &[[0, 1, 2]]), Err(too_small("size of the mesh")));
    let message = too_small("radius").to_string();
    assert!(message.contains("radius") && message.contains("below 1e-60") && message.contains("scale"), "{message}");
}

/// The closest point of a body far smaller than one.
#[test]
fn witnesses_of_small_bodies() {
    for size in [1e-17, 1e-40, LIMIT, 1.0, 1e40] {
        let point = DVec3::new(3.0 * size, 0.0, 0.0);
        let shapes = [
            Shape::sphere(size).unwrap(),
            Shape::capsule(size, size).unwrap(),
            Shape::cylinder(size, size).unwrap(),
            Shape::ellipsoid(DVec3::splat(size)).unwrap(),
            Shape::cuboid(DVec3::splat(size)).unwrap(),
            Shape::rounded(Shape::segment(DVec3::ZERO, DVec3::ZERO).unwrap(), size).unwrap(),
        ];
        for shape in &shapes {
            let nearest = closest_point(shape, &Pose::IDENTITY, point);
            let off = (nearest.witness.point - DVec3::X * size).abs().max_element();
            assert!(off <= 1e-15 * size, "{nearest:?} of {shape:?}");
            assert!((nearest.distance.value - 2.0 * size).abs() <= 1e-15 * size, "{nearest:?} of {shape:?}");
            assert!(nearest.distance.upper - nearest.distance.lower <= 1e-12 * size, "{nearest:?} of {shape:?}");
            nearest.verify(shape, &Pose::IDENTITY, point).unwrap();
        }
        // At any distance from the centre of a ball there is one exit; at the centre itself any direction is one.
        for away in [5e-324, 1e-20 * size, 0.5 * size] {
            let found = signed_distance(&shapes[0], &Pose::IDENTITY, DVec3::new(0.0, 0.0, -away));
            assert!(found.normal.distance(-DVec3::Z) <= 1e-15, "{found:?}");
            assert!(found.witness.point.distance(DVec3::new(0.0, 0.0, -size)) <= 1e-15 * size, "{found:?}");
        }
        let middle = signed_distance(&shapes[0], &Pose::IDENTITY, DVec3::ZERO);
        assert_eq!((middle.distance.value, middle.witness.point.length()), (-size, size));
    }
}

/// Pure directions may have any nonzero length.
#[test]
fn directions_and_axes_of_any_length() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0)).unwrap();
    let along = |way: DVec3| depth_along(&cube, &Pose::IDENTITY, &cube, &into, way);
    let turning = |axis: DVec3| RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, axis, 1.0);
    for length in [5e-324, 1e-300, 1e-160, 1.0, 1e60] {
        let depth = along(DVec3::Y * length).unwrap();
        assert!(
            depth.depth.lower <= 1.75 && 1.75 <= depth.depth.upper && depth.depth.upper - depth.depth.lower < 1e-9,
            "{length:e} {depth:?}"
        );
        let turned = turning(DVec3::Z * length).unwrap().at(1.0).transform_point(DVec3::X);
        assert!(turned.distance(DVec3::new(1f64.cos(), 1f64.sin(), 0.0)) < 1e-14, "{length:e} {turned}");
    }
    assert!(along(DVec3::ZERO).is_err() && along(DVec3::NAN).is_err());
    assert!(turning(DVec3::ZERO).is_err() && turning(DVec3::NAN).is_err());
}

/// A ray's direction counts however short it is.
#[test]
fn rays_of_any_length() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let shapes = [
        Shape::rounded(cube.clone(), 1.0).unwrap(),
        Shape::cylinder(2.0, 2.0).unwrap(),
        Shape::cone(2.0, 4.0).unwrap(),
        Shape::capsule(1.0, 2.0).unwrap(),
        Shape::ellipsoid(DVec3::splat(2.0)).unwrap(),
        Shape::sphere(2.0).unwrap(),
        Shape::cuboid(DVec3::splat(2.0)).unwrap(),
        Shape::rounded(Shape::cylinder(1.0, 1.0).unwrap(), 1.0).unwrap(),
        Shape::compound(vec![(Pose::IDENTITY, Shape::rounded(cube, 1.0).unwrap())]).unwrap(),
        Shape::mesh(&[[-2.0, -9.0, -9.0], [-2.0, 9.0, -9.0], [-2.0, 0.0, 9.0]], &[[0, 1, 2]]).unwrap(),
    ];
    for length in [1e-305, 1e-300, 1e-160, 1e-30, 1.0, 1e30, 1e60] {
        for (shape, number) in shapes.iter().zip(0..) {
            let ray = Ray::new(DVec3::new(-5.0, 0.0, 0.0), DVec3::X * length).unwrap();
            let hit = ray_cast(shape, &Pose::IDENTITY, &ray).unwrap();
            let (lower, upper) = (hit.t.lower * length, hit.t.upper * length);
            assert!((lower - 3.0).abs() <= 1e-12 && (upper - 3.0).abs() <= 1e-12, "{number} {length:e} {hit:?}");
            hit.verify(shape, &Pose::IDENTITY, &ray, &RayOptions::default()).unwrap();
        }
    }
    // Bodies at the limit are not missed.
    for (half_length, radius) in [(LIMIT, LIMIT), (2.0 * LIMIT, 3.0 * LIMIT)] {
        let makers: [Maker; 3] = [Shape::cylinder, Shape::cone, Shape::capsule];
        for (k, make) in makers.into_iter().enumerate() {
            let shape = make(half_length, radius).unwrap();
            for length in [1e-305, LIMIT, 1.0, 1e60] {
                let ray = Ray::new(DVec3::new(-7.0 * radius, 0.0, 0.0), DVec3::X * length).unwrap();
                let hit = ray_cast(&shape, &Pose::IDENTITY, &ray).unwrap();
                let expected = if k == 1 { 6.5 * radius } else { 6.0 * radius } / length;
                assert!(((hit.t.value - expected) / expected).abs() <= 1e-14, "{shape:?} {hit:?}");
                hit.verify(&shape, &Pose::IDENTITY, &ray, &RayOptions::default()).unwrap();
            }
        }
    }
}

/// `CLEARANCE_CASES` sets the number of rounds, each with different bodies.
#[test]
fn all_sizes_and_far_poses() {
    let rounds = std::env::var("CLEARANCE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400u64);
    let mut faults = Faults { context: String::new(), found: Vec::new() };
    // The last two were refused when distances were relative to the world origin.
    for seed in (0..rounds).chain([1468, 2358]) {
        let case = Case::new(seed);
        let Case { a, pose_a, b, pose_b, .. } = &case;
        faults.context = format!("seed {seed}: {a:?} at {pose_a:?}\n  {b:?} at {pose_b:?}");
        ask_pair(&case, &mut faults);
        let mut random = Random::new(seed ^ 0x5eed);
        ask_point(&case, &mut random, &mut faults);
        ask_motion(&case, &mut random, &mut faults);
        ask_meshes(&case, &mut faults);
        ask_ray(&case, &mut random, &mut faults);
    }
    let count = faults.found.len();
    assert!(count == 0, "{count} faults in {rounds} cases:\n{}", faults.found.join("\n"));
}
