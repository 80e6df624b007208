//! The feature `serde`: values round-trip to the bit, as text and as bytes, bodies read back answer with the same bits,
//! and data that no constructor accepts is rejected.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use clearance::answer::{
    ClosestPoint, ContactPairs, Contacts, DepthLabel, Evidence, Method, NoImpact, PlaneSide, SelfIntersectionKind,
    Stopped,
};
use clearance::glam::{DMat3, DVec2, DVec3};
use clearance::math::Interval;
use clearance::motion::Profile;
use clearance::query::{
    ClearanceOptions, ContactCurvesOptions, ContactsOptions, ContainsOptions, DepthAlongOptions, DepthSearch,
    DistanceOptions, ElementaryKind, ElementaryOptions, ElementaryPair, ElementarySolver, ImpactAlgorithm,
    ImpactOptions, ImpactSelection, IntersectsAlgorithm, IntersectsOptions, LeastClearanceOptions, LocalDepthOptions,
    PenetrationOptions, PointOptions, ProximityOptions, RayHitMode, RayOptions, RelationOptions, RigidAlgorithm,
    RigidOptions, SelfCulling, SelfIntersectionsOptions, SolidDepthOptions, StepOptions, SubAlgorithm, SweepAlgorithm,
    SweepOptions, VolumeOptions, clearance_along, contact_curves, depth_along, distance_with, elementary_impact,
    relation_with, self_intersections, self_proximity, solid_depth_with,
};
use clearance::shape::{Aabb, ConvexHull, Feature, HeightField, Support, Wheel};
use clearance::world::{Change, Interest, MotionBounds, Question, Schedule, first_impact};
use clearance::*;
use clearance_oracle::random::Random;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::common::meshes::{bumpy_ball, soup};
use crate::common::random_bodies;

/// Serialises with postcard, which keeps every bit of every number.
fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_extend(value, Vec::new()).unwrap()
}

fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

fn from_text<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Bit equality: `Debug` distinguishes all numbers except NaNs, and the bytes hold every bit.
fn assert_same<T: Serialize + Debug>(a: &T, b: &T) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
    assert!(bytes(a) == bytes(b), "{a:?}");
}

/// Writes and reads as text, as a tree of values, and as bytes.
fn check<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    assert_same(value, &from_text(&text(value)));
    assert_same(value, &serde_json::from_value(serde_json::to_value(value).unwrap()).unwrap());
    assert_same(value, &postcard::from_bytes(&bytes(value)).unwrap());
}

/// The error of reading a text.
fn refusal<T: DeserializeOwned + Debug>(text: &str) -> String {
    serde_json::from_str::<T>(text).expect_err(text).to_string()
}

/// Checks that the text is rejected with these words.
fn assert_refused<T: DeserializeOwned + Debug>(text: &str, words: &str) {
    let message = refusal::<T>(text);
    assert!(message.contains(words), "{text}: {message}");
}

const SMALLEST: f64 = 5e-324;

/// Bodies of all kinds, with easily lost digits.
fn bodies() -> Vec<Shape> {
    let v = DVec3::new;
    let at = |x, y, z| Pose::from_axis_angle(v(1.0, 2.0, 3.0), 0.7, v(x, y, z)).unwrap();
    let grid = |k: u32| [f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)];
    let cube: Vec<[f64; 3]> = (0..27).map(grid).collect();
    let corner = [[0.0, -0.0, 0.0], [1.0, SMALLEST, -0.0], [-0.0, 1.0, -1e-310], [0.1, 0.1, 1.0]];
    let far = corner.map(|[x, y, z]| [1e6 + x, y, -3e7 + z]);
    let mut random = Random::new(5);
    let ball = bumpy_ball(6, 1.0, v(0.1, -0.0, 0.3), 0.1);
    let many: Vec<[f64; 3]> = ball.0.iter().copied().chain([[0.0; 3]]).collect();
    let unused: Vec<[f64; 3]> = [[-0.0, 7.0, 1e9]].into_iter().chain(far).chain([[5.0; 3]]).collect();
    let pieces = soup(&mut random, 9, 0.5);
    let mut bodies = vec![
        Shape::sphere(0.1),
        Shape::sphere(1e60),
        Shape::sphere(1e-60),
        Shape::cuboid(v(0.1, 1.0 / 3.0, 2.0)),
        Shape::capsule(0.7, 1e-9),
        Shape::cylinder(0.3, 1.1),
        Shape::cone(0.3, 1.1),
        Shape::ellipsoid(v(0.1, 0.7, 1.3)),
        Shape::half_space(v(-0.0, 0.3, SMALLEST), -0.0),
        Shape::segment(v(0.0, -0.0, 0.1), v(1.0, SMALLEST, -0.0)),
        Shape::segment(v(1e8, 0.1, 0.0), v(1e8 + 1.0, 0.3, 0.0)),
        Shape::triangle(v(-0.0, 0.0, 0.0), v(1.0, 0.0, -0.0), v(0.0, 0.3, 1e-320)),
        Shape::tetrahedron([v(0.0, 0.0, -0.0), v(-0.0, 1.0, 0.0), v(1.0, 0.0, 0.0), v(0.1, 0.1, 0.9)]),
        Shape::hull(&corner),
        Shape::hull(&far),
        Shape::hull(&cube),
        Shape::hull(&many),
        Shape::flat_hull(&cube[..9]),
        Shape::flat_hull(&[[0.5; 3], [0.0; 3], [1.0; 3]]),
        Shape::flat_hull(&[[0.25, -0.0, 1.0]; 2]),
        Shape::rounded(Shape::hull(&corner).unwrap(), 0.1),
        Shape::rounded(Shape::rounded(Shape::cone(0.3, 1.1).unwrap(), 0.1).unwrap(), 0.2),
        Shape::compound(vec![
            (at(0.0, -0.0, 1.0), Shape::rounded(Shape::cuboid(v(0.1, 0.2, 0.3)).unwrap(), 0.01).unwrap()),
            (Pose::IDENTITY, Shape::sphere(0.5).unwrap()),
            (at(-1.0, 0.5, 0.1), Shape::hull(&cube).unwrap()),
        ]),
        Shape::height_field(3, 2, DVec2::new(0.7, 1.3), vec![0.1, -0.0, 1e-45, -0.3, 0.7, f32::MAX]),
        Shape::height_field(3, 3, DVec2::new(1.0, 0.3), vec![1.0, 0.1, 0.9, 1.1, 0.0, -0.2, 1.0, 0.3, 0.7]),
        Shape::mesh(&corner, &[[0, 1, 2], [2, 1, 0], [3, 3, 1]]),
        Shape::mesh(&unused, &[[1, 2, 3], [4, 2, 1]]),
        Shape::mesh(&pieces.0, &pieces.1),
        Mesh::new(&ball.0, &ball.1).and_then(|mesh| mesh.solid()).map(Shape::Mesh),
    ]
    .into_iter()
    .collect::<Result<Vec<_>, _>>()
    .unwrap();
    bodies.extend((0..20).map(|kind| random_bodies::bounded(&mut random, kind)));
    // Custom bodies cannot be serialised.
    bodies.retain(|body| serde_json::to_string(body).is_ok());
    bodies
}

fn poses() -> Vec<Pose> {
    let mut random = Random::new(11);
    let mut poses: Vec<Pose> =
        (0..20).map(|_| random_bodies::pose(&mut random, DVec3::new(0.3, -0.0, SMALLEST))).collect();
    // With nearly the largest rigidity defect, and preserved as such.
    poses.extend((0..20).map(|_| random_bodies::skewed(&mut random, 5e-7, DVec3::new(1e60, -1e60, 1e-60))));
    poses.push(Pose::IDENTITY);
    let quarter = DMat3::from_cols(DVec3::new(-0.0, 1.0, 0.0), DVec3::new(-1.0, 0.0, -0.0), DVec3::Z);
    poses.push(Pose::new(quarter, DVec3::new(-0.0, 0.0, 1e-310)).unwrap());
    poses
}

/// Each body as it is and as it was read, from text and from bytes.
fn read_bodies() -> Vec<[Shape; 3]> {
    bodies()
        .into_iter()
        .map(|body| [from_text(&text(&body)), postcard::from_bytes(&bytes(&body)).unwrap(), body])
        .collect()
}

#[test]
fn every_body_is_read_to_the_bit() {
    for body in bodies() {
        check(&body);
        assert_eq!(from_text::<Shape>(&text(&body)), body);
        assert_same(&body.bounds(), &from_text::<Shape>(&text(&body)).bounds());
    }
}

#[test]
fn bodies_by_themselves_have_the_same_forms() {
    for body in bodies() {
        let form = serde_json::to_value(&body).unwrap();
        let (_, inner) = form.as_object().unwrap().iter().next().unwrap();
        let own = match &body {
            Shape::Sphere(own) => serde_json::to_value(own),
            Shape::Cuboid(own) => serde_json::to_value(own),
            Shape::Hull(own) => serde_json::to_value(own),
            Shape::Capsule(own) => serde_json::to_value(own),
            Shape::Cylinder(own) => serde_json::to_value(own),
            Shape::Cone(own) => serde_json::to_value(own),
            Shape::Ellipsoid(own) => serde_json::to_value(own),
            Shape::Rounded(own) => serde_json::to_value(own),
            Shape::HalfSpace(own) => serde_json::to_value(own),
            Shape::Segment(own) => serde_json::to_value(own),
            Shape::Triangle(own) => serde_json::to_value(own),
            Shape::Tetrahedron(own) => serde_json::to_value(own),
            Shape::Compound(own) => serde_json::to_value(own),
            Shape::HeightField(own) => serde_json::to_value(own),
            Shape::Mesh(own) => serde_json::to_value(own),
            other => panic!("{other:?}"),
        };
        assert_eq!(&own.unwrap(), inner);
    }
}

#[test]
fn hulls_keep_the_numbers_of_their_points() {
    let points = [[0.2, 0.2, 0.2], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let hull = ConvexHull::new(&points).unwrap();
    let read: ConvexHull = from_text(&text(&hull));
    assert_eq!([0, 1, 2, 3].map(|k| read.input_index(k)), [1, 2, 4, 5]);
    assert_eq!(serde_json::to_value(&hull).unwrap()["indices"], serde_json::json!([1, 2, 4, 5]));
}

/// The answers of every query about one or two bodies, as text.
fn answers(a: &Shape, b: &Shape, pose_a: &Pose, pose_b: &Pose) -> String {
    let direction = DVec3::new(0.3, -1.0, 0.2);
    let ray = Ray::new(pose_a.translation() - 5.0 * direction, direction).unwrap();
    let motion = Motion::translation(*pose_b, pose_a.translation() - pose_b.translation()).unwrap();
    format!(
        "{:?}",
        (
            (a.bounds(), a.mass_properties(), a.diameter()),
            (closest_point(a, pose_a, DVec3::ONE), contains(a, pose_a, DVec3::splat(0.1)), ray_cast(a, pose_a, &ray)),
            distance(a, pose_a, b, pose_b),
            relation(a, pose_a, b, pose_b),
            contacts(a, pose_a, b, pose_b),
            penetration(a, pose_a, b, pose_b),
            time_of_impact(a, &Motion::still(*pose_a), b, &motion),
        )
    )
}

#[test]
fn bodies_read_back_answer_with_the_same_bits() {
    let all = read_bodies();
    let poses: Vec<Pose> = poses().into_iter().filter(|pose| pose.translation().length() < 100.0).collect();
    let mut random = Random::new(3);
    for k in 0..50 {
        let [a, b] = [0, 1].map(|_| &all[random.index(all.len())]);
        let [pose_a, pose_b] = [&poses[k % poses.len()], &poses[(7 * k + 3) % poses.len()]];
        let truth = answers(&a[2], &b[2], pose_a, pose_b);
        assert_eq!(answers(&a[0], &b[1], pose_a, pose_b), truth);
        assert_eq!(answers(&a[1], &b[0], pose_a, pose_b), truth);
    }
}

#[test]
fn poses_are_read_to_the_bit() {
    for pose in poses() {
        check(&pose);
        assert_eq!(from_text::<Pose>(&text(&pose)).defect().to_bits(), pose.defect().to_bits());
    }
}

#[test]
fn motions_are_read_to_the_bit() {
    let v = DVec3::new;
    let start = Pose::from_axis_angle(v(0.1, 0.2, -0.7), 2.0, v(-0.0, 0.3, 1e-310)).unwrap();
    let end = Pose::from_axis_angle(v(-0.3, 0.2, 0.1), 1.0, v(4.0, -0.7, 0.1)).unwrap();
    let moving = Motion::translation(start, v(0.1, -0.0, SMALLEST)).unwrap();
    check(&moving);
    check(&Motion::still(end));
    let motions = [
        Ok(RigidMotion::still(start)),
        Ok(RigidMotion::from(moving)),
        RigidMotion::turning(start, v(0.1, 0.2, 0.3), v(1e-200, 0.0, 3e-200), 100.0),
        RigidMotion::turning_about(start, v(0.5, 0.1, -0.0), v(0.1, 0.2, 0.3), v(0.0, 0.0, 7.0), -0.3),
        RigidMotion::between(start, end),
        RigidMotion::between_about(start, end, v(0.1, 0.1, 0.1)),
        RigidMotion::screw(start, v(0.1, 0.7, 0.3), v(1.0, 1.0, 0.1), 3.0, 0.7),
        RigidMotion::screw_between(start, end),
        RigidMotion::screw_between(start, start),
        RigidMotion::screw_of_velocities(start, v(0.1, 0.2, 0.3), v(1.0, -2.0, 0.1)),
        RigidMotion::screw_of_velocities(start, v(0.1, 0.2, 0.3), v(0.0, 0.0, 0.0)),
        RigidMotion::polynomial(start, &[v(0.1, 0.2, 0.3), v(1.0, -0.0, 0.7)], v(0.0, 1.0, 1.0), &[0.1, -0.7, 0.3]),
    ];
    let bar = Shape::cuboid(v(2.0, 0.1, 0.1)).unwrap();
    let post = (Shape::cylinder(1.0, 0.1).unwrap(), RigidMotion::still(end));
    for motion in motions.map(Result::unwrap) {
        check(&motion);
        let read: RigidMotion = from_text(&text(&motion));
        let ask = |motion| format!("{:?}", rigid_impact(&bar, motion, &post.0, &post.1));
        assert_eq!(ask(&read), ask(&motion));
    }
}

/// A custom body and a custom profile.
#[derive(Debug)]
struct Code;

impl Support for Code {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize()
    }

    fn slack(&self) -> f64 {
        1e-15
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::NEG_ONE, DVec3::ONE)
    }
}

impl Profile for Code {
    fn value(&self, time: Interval) -> Interval {
        time
    }

    fn slope(&self, _: Interval) -> Interval {
        Interval::ONE
    }
}

#[test]
fn custom_code_is_not_serialised() {
    let custom = Shape::custom(Arc::new(Code)).unwrap();
    let rounded = Shape::rounded(custom.clone(), 0.1).unwrap();
    let compound = Shape::compound(vec![(Pose::IDENTITY, custom.clone())]).unwrap();
    for body in [custom, rounded, compound] {
        let message = serde_json::to_string(&body).unwrap_err().to_string();
        assert!(message.contains("support function"), "{message}");
        assert!(postcard::to_extend(&body, Vec::new()).is_err());
    }
    let turning = RigidMotion::turning(Pose::IDENTITY, DVec3::X, DVec3::Z, 1.0).unwrap();
    let profiled = turning.with_profiles(Code, Code).unwrap();
    assert!(serde_json::to_string(&profiled).unwrap_err().to_string().contains("profiles"));
    for text in [r#"{"custom": {}}"#, r#"{"rounded": {"core": {"custom": 1}, "radius": 1.0}}"#] {
        assert_refused::<Shape>(text, "support function");
    }
}

#[test]
fn answers_are_read_to_the_bit() {
    let bodies = bodies();
    let poses: Vec<Pose> = poses().into_iter().filter(|pose| pose.translation().length() < 100.0).collect();
    let ray = Ray::new(DVec3::new(0.1, 0.2, 9.0), DVec3::new(0.01, -0.0, -1.0)).unwrap();
    check(&ray);
    let mut random = Random::new(7);
    for k in 0..60 {
        let [a, b] = [0, 1].map(|_| &bodies[random.index(bodies.len())]);
        let [pose_a, pose_b] = [&poses[k % poses.len()], &poses[(7 * k + 3) % poses.len()]];
        check(&a.bounds());
        check(&a.mass_properties());
        check(&closest_point(a, pose_a, DVec3::ONE));
        check(&signed_distance(a, pose_a, DVec3::ONE));
        check(&ray_cast(a, pose_a, &ray));
        check(&distance(a, pose_a, b, pose_b));
        check(&relation(a, pose_a, b, pose_b));
        check(&contacts(a, pose_a, b, pose_b));
        check(&penetration(a, pose_a, b, pose_b).ok());
        check(&overlap_volume(a, pose_a, b, pose_b).ok());
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let options = RelationOptions { touch_band: 0.01 };
        check(&relation_with(a, pose_a, b, pose_b, &options, &mut cache, &mut workspace));
        let options = DistanceOptions { farther_than: Some(1e-3), ..DistanceOptions::default() };
        check(&distance_with(a, pose_a, b, pose_b, &options, &mut cache, &mut workspace));
        let motion = Motion::translation(*pose_b, pose_a.translation() - pose_b.translation()).unwrap();
        check(&time_of_impact(a, &Motion::still(*pose_a), b, &motion));
    }
}

#[test]
fn answers_about_solids_and_terrain_are_read_to_the_bit() {
    let lists = bumpy_ball(6, 1.0, DVec3::ZERO, 0.1);
    let mesh = Mesh::new(&lists.0, &lists.1).unwrap().solid().unwrap();
    let aside = Pose::from_translation(DVec3::new(1.3, 0.1, 0.2)).unwrap();
    let solid = Shape::Mesh(mesh.clone());
    let options = SolidDepthOptions { near: Some(DVec3::X), ..SolidDepthOptions::default() };
    check(&options);
    let workspace = &mut Workspace::default();
    check(&solid_depth_with(&solid, &Pose::IDENTITY, &solid, &aside, &options, workspace, |_, _| true).unwrap());
    let limits = LocalDepthOptions { at_least: Some(f64::INFINITY), at_most: Some(0.5), ..Default::default() };
    check(&limits);
    check(&local_depth(&solid, &Pose::IDENTITY, &solid, &aside).unwrap());
    check(&depth_along(&solid, &Pose::IDENTITY, &solid, &aside, DVec3::X).unwrap());
    check(&clearance_along(&solid, &Pose::IDENTITY, &solid, &[aside]).unwrap());
    check(&contact_curves(&mesh, &Pose::IDENTITY, &mesh, &aside));
    check(&mesh.health());
    check(&mesh.tree_statistics());
    let pieces = soup(&mut Random::new(2), 20, 2.0);
    check(&Mesh::new(&pieces.0, &pieces.1).unwrap().repaired(0.1).unwrap());
    let pieces = Mesh::new(&pieces.0, &pieces.1).unwrap();
    check(&pieces.health());
    check(&self_intersections(&pieces));
    let field = HeightField::new(3, 2, DVec2::new(0.7, 1.3), vec![0.1, -0.0, 0.3, -0.3, 0.7, 0.2]).unwrap();
    check(&field.height_at(0.3, 0.4));
    check(&field.ray_cast(DVec3::new(0.3, 0.4, 9.0), DVec3::NEG_Z, 0.0, f64::INFINITY).unwrap());
    check(&field.closest_point(DVec3::new(0.3, 0.4, 9.0)).unwrap());
    check(&field.signed_distance(DVec3::new(0.3, 0.4, 9.0)).unwrap());
    let wheel = Wheel { center: DVec3::new(0.3, 0.4, 0.5), radius: 0.2 };
    check(&wheel);
    check(&field.wheel_on_terrain(&wheel, DVec3::Z).unwrap());
}

#[test]
fn answers_about_motion_and_worlds_are_read_to_the_bit() {
    let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1)).unwrap();
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.1, -0.0)).unwrap();
    let turning = |x: f64| RigidMotion::turning(at(x), DVec3::X * 0.2, DVec3::Z, 6.0).unwrap();
    let moving = [(bar.clone(), turning(-4.5)), (bar.clone(), RigidMotion::still(at(-1.0)))];
    check(&rigid_impact(&bar, &moving[0].1, &bar, &moving[1].1));
    check(&least_clearance(&bar, &turning(-9.0), &bar, &moving[1].1).unwrap());
    check(&first_impact(&moving, |_, _| true));
    check(&NoImpact { margin: f64::NEG_INFINITY, until: 0.3 });
    let mut world = World::new(Some(Interest { question: Question::Contacts, margin: 0.5 }));
    world.insert(&bar, &at(0.0), 0);
    let removed = world.insert(&bar, &at(0.3), 0);
    check(&world.step().to_vec());
    world.remove(removed).unwrap();
    world.insert(&bar, &at(0.7), 0);
    check(&world.step().to_vec());
    check(&world.next_contacts(&mut Schedule::default(), 0.0, |_| MotionBounds::default()));
    let start = [[0.0, -0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 1.0], [1.0, 0.1, 1.0], [0.1, 1.0, 1.0]];
    let mut cloth = DeformingMesh::new(&start, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    let end = start.map(|[x, y, z]| [x, y + 0.01, if z > 0.0 { -0.3 } else { z }]);
    cloth.move_to(&end).unwrap();
    check(&cloth);
    let read: DeformingMesh = from_text(&text(&cloth));
    assert_same(&self_collisions(&read), &self_collisions(&cloth));
    check(&self_collisions(&cloth));
    check(&self_proximity(&cloth, 0.7));
    let corners = [DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
    let pair = ElementaryPair::new(ElementaryKind::VertexFace, corners, corners.map(|p| -p)).unwrap();
    check(&pair);
    check(&elementary_impact(&pair));
}

#[test]
fn options_are_read_to_the_bit_and_may_be_given_in_part() {
    check(&ContactsOptions { margin: f64::INFINITY, most: Some(3), tilt: -0.0 });
    check(&DistanceOptions { farther_than: Some(f64::NEG_INFINITY), ..DistanceOptions::default() });
    check(&RayOptions::default());
    check(&ImpactOptions { tolerance: SMALLEST, algorithm: ImpactAlgorithm::Brent, margin: -0.0 });
    check(&IntersectsOptions { margin: 0.1, algorithm: IntersectsAlgorithm::SeparatingAxes });
    check(&LeastClearanceOptions::default());
    check(&PenetrationOptions { tolerance: 0.1 });
    check(&RelationOptions { touch_band: 0.1 });
    check(&RigidOptions { algorithm: RigidAlgorithm::Hierarchies, ..RigidOptions::default() });
    let culling = SelfCulling::Curvature;
    check(&StepOptions { wanted: ImpactSelection::NearFirst(0.1), intersections: false, culling });
    check(&SweepOptions { margin: 0.1, algorithm: SweepAlgorithm::PointDuplication });
    check(&ElementaryOptions { solver: ElementarySolver::Inclusion, ..ElementaryOptions::default() });
    check(&SelfIntersectionsOptions { least: SelfIntersectionKind::Crossing, culling });
    check(&(
        ContactCurvesOptions { most_pairs: 7 },
        DepthAlongOptions { moves: 3 },
        ProximityOptions { distance: -0.0 },
    ));
    check(&(VolumeOptions::default(), PointOptions::default(), ContainsOptions { margin: SMALLEST }));
    check(&ClearanceOptions::default());
    check(&MotionBounds { radius: f64::INFINITY, ..MotionBounds::default() });
    let read: DistanceOptions = from_text(r#"{"tolerance": 1e-3, "sub_algorithm": "johnson"}"#);
    let meant = DistanceOptions { tolerance: 1e-3, sub_algorithm: SubAlgorithm::Johnson, ..DistanceOptions::default() };
    assert_eq!(read, meant);
    assert_refused::<DistanceOptions>(r#"{"tolerence": 1e-3}"#, "unknown field `tolerence`");
}

#[test]
fn rare_answers_are_read_to_the_bit() {
    let methods =
        [Stopped::Tolerance(0.1), Stopped::FartherThan(f64::INFINITY), Stopped::Budget].map(Method::MeshStopped);
    check(&(methods, Method::Gjk, Method::Columns, Feature::Interior, Feature::Vertex(u32::MAX), Feature::Edge(0)));
    check(&Evidence::Polytope { pairs: vec![[1, 2], [3, 4]] });
    check(&[Evidence::Deep, Evidence::Points]);
    check(&(
        Relation::Touching,
        PlaneSide::Both,
        RayHitMode::Any,
        Change::Ended,
        DepthLabel::Estimate,
        DepthSearch::Levels,
    ));
    check(&[Bracket::exact(f64::NEG_INFINITY), Bracket { lower: -0.0, value: 0.0, upper: f64::INFINITY }]);
}

proptest! {
    /// A box is plain data, and so may hold any numbers.
    #[test]
    fn every_number_is_read_to_the_bit(bits in prop::array::uniform3(any::<u64>())) {
        let corner = DVec3::from_array(bits.map(f64::from_bits));
        let given = Aabb::new(corner, -corner);
        let read: Aabb = postcard::from_bytes(&bytes(&given)).unwrap();
        prop_assert!(bytes(&read) == bytes(&given));
        let read: Aabb = from_text(&text(&given));
        prop_assert_eq!(format!("{read:?}"), format!("{given:?}"));
    }
}

#[test]
fn numbers_that_are_not_finite_are_words_in_text() {
    let all = Aabb::new(DVec3::new(f64::NEG_INFINITY, -0.0, 1.5), DVec3::new(f64::INFINITY, f64::NAN, 2.0));
    assert_eq!(text(&all), r#"{"min":["-inf",-0.0,1.5],"max":["inf","nan",2.0]}"#);
    check(&Aabb::EMPTY);
    let whole: Aabb = from_text(r#"{"min": [-1, 0, 1], "max": [9007199254740993, 18446744073709551615, 1e3]}"#);
    assert_eq!(whole.max, DVec3::new(9007199254740992.0, 18446744073709551616.0, 1000.0));
    // What a visitor gets with the feature `arbitrary_precision` of serde_json.
    let digits = r#"{"$serde_json::private::Number": "0.1"}"#;
    assert_eq!(from_text::<Bracket>(&[r#"{"lower": 0, "value": "#, digits, r#", "upper": 1}"#].concat()).value, 0.1);
    assert_refused::<Bracket>(r#"{"lower": {"a": "0"}, "value": 0, "upper": 0}"#, "a number");
    assert_refused::<Aabb>(r#"{"min": ["infinity", 0, 0], "max": [0, 0, 0]}"#, r#""inf", "-inf" or "nan""#);
    assert_refused::<Aabb>(r#"{"min": [null, 0, 0], "max": [0, 0, 0]}"#, "a number");
    assert_refused::<Aabb>(r#"{"min": [0, 0], "max": [0, 0, 0]}"#, "a list of 3");
    assert_refused::<Aabb>(r#"{"min": [0, 0, 0, 0], "max": [0, 0, 0]}"#, "");
}

#[test]
fn bodies_that_no_constructor_accepts_are_rejected() {
    for (text, words) in [
        (r#"{"sphere": {"radius": -1.0}}"#, "radius is -1"),
        (r#"{"sphere": {"radius": "nan"}}"#, "radius 0 is not finite"),
        (r#"{"sphere": {"radius": 1e61}}"#, "radius 0 is 1e61"),
        (r#"{"sphere": {"radius": 1e-61}}"#, "radius is 1e-61"),
        (r#"{"sphere": {"radius": 1.0, "colour": 3}}"#, "unknown field `colour`"),
        (r#"{"sphere": {}}"#, "missing field `radius`"),
        (r#"{"ball": {"radius": 1.0}}"#, "unknown variant `ball`, expected one of `sphere`"),
        (r#"{"cuboid": {"half_extents": [1.0, 0.0, 1.0]}}"#, "half extent y is 0"),
        (r#"{"ellipsoid": {"semi_axes": [1.0, 1.0, "inf"]}}"#, "semi-axis 2 is not finite"),
        (r#"{"half_space": {"normal": [0, 0, 0], "offset": 0}}"#, "length of the normal is 0"),
        (r#"{"segment": {"start": [0, 0, 0], "end": [0, 1e-70, 0]}}"#, "size of the segment"),
        (r#"{"triangle": {"points": [[0, 0, 0], [0, 1, 0], [0, 1, "nan"]]}}"#, "point 2 is not finite"),
        (r#"{"hull": {"points": [[0, 0, 0], [0, 1, 0], [1, 0, 0]]}}"#, "span only a plane"),
        (r#"{"hull": {"points": []}}"#, "at least one point"),
        (r#"{"hull": {"points": [[0, 0, 0], [0, 1, 0]], "indices": [3], "flat": true}}"#, "expected 2 indices, got 1"),
        (r#"{"hull": {"points": [[0, 0, 0], [0, 1, 0]], "indices": [3, 3], "flat": true}}"#, "index 1 of the hull"),
        (
            r#"{"hull": {"points": [[0, 0, 0], [0, 1, 0], [0, 2, 0]], "indices": [3, 4, 5], "flat": true}}"#,
            "point 1 is not a vertex",
        ),
        (r#"{"rounded": {"core": {"half_space": {}}, "radius": 1}}"#, "a half-space cannot be rounded"),
        (r#"{"rounded": {"core": {"mesh": {}}, "radius": 1}}"#, "a mesh cannot be rounded"),
        (r#"{"rounded": {"core": {"rounded": {}}, "radius": 1}}"#, "sum of both radii"),
        (r#"{"rounded": {"core": {"sphere": {"radius": 1}}, "radius": 0}}"#, "radius is 0"),
        (r#"{"compound": {"parts": []}}"#, "at least one part"),
        (
            r#"{"compound": {"parts": [{
                "pose": {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [0, 0, 0]},
                "shape": {"compound": {}}
            }]}}"#,
            "a compound cannot be rounded or be a part",
        ),
        (
            r#"{"height_field": {"columns": 2, "rows": 2, "spacing": [1, 1], "heights": [0, 0, 1e39, 0]}}"#,
            "out of range",
        ),
        (r#"{"height_field": {"columns": 2, "rows": 2, "spacing": [1, 1], "heights": [0]}}"#, "heights, got 1"),
        (r#"{"height_field": {"columns": -2, "rows": 2, "spacing": [1, 1], "heights": [0]}}"#, "-2"),
        (r#"{"mesh": {"points": [[0, 0, 0]], "triangles": [[0, 0, 1]]}}"#, "triangle 0 refers to point 1"),
        (r#"{"mesh": {"points": [[0, 0, 0], [1, 0, 0], [0, "inf", 0]], "triangles": [[0, 1, 2]]}}"#, "point 2 is not"),
        (
            r#"{"mesh": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]], "solid": true}}"#,
            "does not bound a solid",
        ),
    ] {
        assert_refused::<Shape>(text, words);
    }
    let lists = bumpy_ball(4, 1.0, DVec3::ZERO, 0.0);
    let solid = Mesh::new(&lists.0, &lists.1).unwrap().solid().unwrap();
    let mut form = serde_json::to_value(&solid).unwrap();
    form["triangles"].as_array_mut().unwrap().iter_mut().for_each(|corners| corners.as_array_mut().unwrap().swap(0, 1));
    assert!(serde_json::from_value::<Mesh>(form).unwrap_err().to_string().contains("inside out"));
}

#[test]
fn poses_and_motions_that_no_constructor_accepts_are_rejected() {
    let pose = |rotation: &str, x: &str| format!(r#"{{"rotation": {rotation}, "translation": [{x}, 0, 0]}}"#);
    let still = "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    assert_eq!(from_text::<Pose>(&pose(still, "-0.0")).translation().x.to_bits(), (-0.0f64).to_bits());
    assert_refused::<Pose>(&pose("[[1, 0, 0], [0, 1, 0], [0, 0, 1.001]]", "0"), "not a rotation");
    assert_refused::<Pose>(&pose("[[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "0"), "not a rotation");
    assert_refused::<Pose>(&pose("[[1, 0, 0], [0, 1, 0], [0, \"nan\", 1]]", "0"), "rotation column 1 is not finite");
    assert_refused::<Pose>(&pose(still, "1e61"), "translation 0 is 1e61");
    assert_refused::<Pose>(&pose(still, "1").replace("translation", "position"), "unknown field `position`");
    // Rows, not columns.
    let turned: Pose = from_text(&pose("[[0, -1, 0], [1, 0, 0], [0, 0, 1]]", "0"));
    assert_eq!(turned.transform_point(DVec3::X), DVec3::Y);
    let at = pose(still, "9e59");
    assert_refused::<Motion>(&format!(r#"{{"start": {at}, "displacement": [2e59, 0, 0]}}"#), "end of the motion 0");
    let turning = |axis: &str| {
        format!(r#"{{"turning": {{"start": {at}, "displacement": [0, 0, 0], "axis": {axis}, "angle": 1}}}}"#)
    };
    from_text::<RigidMotion>(&turning("[0, 0, 1]"));
    assert_refused::<RigidMotion>(&turning("[0, 0, 0]"), "length of the axis");
    assert_refused::<RigidMotion>(&turning("[0, 0, \"inf\"]"), "axis 2 is not finite");
    assert_refused::<RigidMotion>(&turning("[0, 0, 1]").replace("\"angle\"", "\"angel\""), "unknown field `angel`");
    assert_refused::<Ray>(r#"{"origin": [0, 0, 0], "direction": [0, 0, 0]}"#, "length of the direction");
    let wrong = r#"{"kind": "edge_edge", "start": [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, "nan", 0]], "end": "#;
    let zeros = "[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]}";
    assert_refused::<ElementaryPair>(&format!("{wrong}{zeros}"), "corner 3 is not finite");
}

#[test]
fn impossible_answers_are_rejected() {
    let bracket =
        |lower: &str, value: &str, upper: &str| format!(r#"{{"lower": {lower}, "value": {value}, "upper": {upper}}}"#);
    from_text::<Bracket>(&bracket("1", "1", "\"inf\""));
    for text in [
        bracket("1", "0.5", "2"),
        bracket("1", "2.5", "2"),
        bracket("\"nan\"", "1", "2"),
        bracket("1", "\"nan\"", "2"),
        bracket("1", "1", "\"nan\""),
    ] {
        assert_refused::<Bracket>(&text, "of a bracket are not in order");
    }
    let pairs: Vec<[u32; 2]> = (0..17).map(|k| [k; 2]).collect();
    from_text::<ContactPairs>(&text(&pairs[..16].to_vec()));
    assert_refused::<ContactPairs>(&text(&pairs), "at most 16 pairs");
    let ball = Shape::sphere(1.0).unwrap();
    let mut answer = serde_json::to_value(closest_point(&ball, &Pose::IDENTITY, DVec3::splat(3.0))).unwrap();
    answer["proved"] = true.into();
    assert!(serde_json::from_value::<ClosestPoint>(answer).unwrap_err().to_string().contains("unknown field `proved`"));
}

/// A number as postcard writes lengths.
fn length(mut number: u64) -> Vec<u8> {
    let mut written = Vec::new();
    while number > 127 {
        written.push(number as u8 | 128);
        number >>= 7;
    }
    written.push(number as u8);
    written
}

#[test]
fn false_lengths_allocate_no_memory() {
    // A hull, a compound, a height field and a mesh, each with the largest possible length prefix.
    let most = length(u64::MAX);
    let field = [length(2), length(2), vec![0; 16]].concat();
    for start in [vec![2], vec![13], [vec![14], field].concat(), vec![15]] {
        let claim = [start, most.clone(), vec![0; 100]].concat();
        assert!(postcard::from_bytes::<Shape>(&claim).is_err());
    }
    assert!(postcard::from_bytes::<ContactPairs>(&[most.clone(), vec![0; 100]].concat()).is_err());
    // All that stands before the points, as written.
    let before = bytes(&Contacts::default()).len() - 2;
    let claim = [bytes(&Contacts::default())[..before].to_vec(), most, vec![0; 100]].concat();
    assert!(postcard::from_bytes::<Contacts>(&claim).is_err());
}

#[test]
fn nesting_of_bodies_is_limited() {
    // Rounded bodies in rounded bodies, and compounds in compounds, as deep as the bytes allow.
    assert!(postcard::from_bytes::<Shape>(&vec![7; 1 << 24]).is_err());
    let mut part = vec![13, 1];
    part.extend(
        [[1.0f64, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]
            .as_flattened()
            .iter()
            .flat_map(|x| x.to_le_bytes()),
    );
    assert!(postcard::from_bytes::<Shape>(&part.repeat(1 << 16)).is_err());
}

/// The consecutive values in a text.
fn all_of<T: DeserializeOwned>(text: &str) -> Vec<T> {
    serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().unwrap()
}

/// The kind of a body.
fn kind(body: &Shape) -> String {
    serde_json::to_value(body).unwrap().as_object().unwrap().keys().next().unwrap().clone()
}

#[test]
fn the_documentation_is_right() {
    let page = include_str!("../../../../docs/interop.md");
    let blocks: Vec<&str> = page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [shown, motions, answer] = blocks[..] else { panic!("{} blocks", blocks.len()) };
    let shown: Vec<Shape> = all_of(shown);
    shown.iter().for_each(check);
    let kinds = |bodies: &[Shape]| bodies.iter().map(kind).collect::<BTreeSet<String>>();
    assert_eq!(kinds(&shown), kinds(&bodies()));
    all_of::<RigidMotion>(motions).iter().for_each(check);
    let ball = Shape::sphere(1.0).unwrap();
    let away = Pose::from_translation(DVec3::new(0.0, 0.0, 5.0)).unwrap();
    let asked = distance(&ball, &Pose::IDENTITY, &ball, &away);
    assert_eq!(from_text::<serde_json::Value>(answer), serde_json::to_value(asked).unwrap());
}
