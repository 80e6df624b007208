//! Configurations: every answer against the engine's own about the same bodies where forward kinematics puts them.

use crate::common;

use clearance::glam::DVec3;
use clearance::{Pose, Shape, distance};
use clearance_robot::{Against, Allowed, Attached, CheckOptions, Checker, Error, Object};
use common::{Folder, arm};

/// The bodies of the arm in the frames of their links, by hand.
fn bodies(checker: &Checker) -> Vec<(usize, Shape, Pose)> {
    let description = checker.robot().description().clone();
    let mut bodies = Vec::new();
    for (link, described) in description.links.iter().enumerate() {
        for collision in &described.collisions {
            use clearance_robot::Geometry::{Box, Mesh, Sphere};
            let shape = match &collision.geometry {
                Box { size } => Shape::cuboid(0.5 * *size).unwrap(),
                Sphere { radius } => Shape::sphere(*radius).unwrap(),
                Mesh { scale, .. } => {
                    let whole = clearance_files::read(description.path.with_file_name("hook.obj")).unwrap().as_one();
                    let mut scaled = whole;
                    scaled.points.iter_mut().for_each(|point| *point = (DVec3::from_array(*point) * *scale).to_array());
                    if scale.y < 0.0 {
                        scaled.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
                    }
                    // Answers number points that are joined.
                    clearance_files::weld(&mut scaled, 0.0).unwrap();
                    Shape::mesh(&scaled.points, &scaled.triangles).unwrap()
                }
                other => panic!("{other:?}"),
            };
            bodies.push((link, shape, collision.origin));
        }
    }
    bodies
}

#[test]
fn distances_are_those_of_the_engine() {
    let folder = Folder::new("distances");
    let checker = Checker::new(arm(&folder), CheckOptions::default()).unwrap();
    let bodies = bodies(&checker);
    let mut state = checker.state();
    let (mut meeting, mut apart) = (0, 0);
    for q in checker.robot().random_configurations(1, 40) {
        let poses = checker.robot().link_poses(&q).unwrap();
        let found = checker.distances(&mut state, &q).unwrap();
        let hits = checker.hits(&mut state, &q).unwrap();
        assert_eq!(found.len(), 10);
        let mut least = f64::INFINITY;
        for (number, (pair, answer)) in checker.pairs().iter().zip(&found).enumerate() {
            let place = |link: usize| {
                let (_, shape, origin) = bodies.iter().find(|(owner, ..)| *owner == link).unwrap();
                let pose = poses[link];
                let pose = Pose::new(pose.rotation() * origin.rotation(), pose.transform_point(origin.translation()));
                (shape, pose.unwrap())
            };
            let ((a, pose_a), (b, pose_b)) = (place(pair.a), place(pair.b));
            let expected = distance(a, &pose_a, b, &pose_b);
            if expected.gap.value > 0.0 {
                // Solids hold what is in them, and surfaces do not: none is in another here.
                assert!(
                    (answer.gap.value - expected.gap.value).abs() < 1e-12,
                    "{q:?} {pair:?} {answer:?} {expected:?}"
                );
                assert!(
                    answer.gap.lower <= expected.gap.upper + 1e-13 && expected.gap.lower <= answer.gap.upper + 1e-13
                );
                assert!(answer.gap.upper - answer.gap.lower < 1e-11, "{answer:?}");
                // What never moves was measured in the frame of its segment, and its placement says by how much that
                // may differ.
                let never_moves = (checker.name(pair.a), checker.name(pair.b)) == ("tip", "pad");
                if !never_moves {
                    answer.verify(a, &pose_a, b, &pose_b).unwrap_or_else(|refusal| panic!("{refusal} {answer:?}"));
                }
                apart += 1;
            } else {
                assert_eq!(answer.gap.value, 0.0);
                meeting += 1;
            }
            assert_eq!(hits.contains(&number), answer.gap.value == 0.0);
            least = least.min(answer.gap.value);
        }
        let nearest = checker.nearest(&mut state, &q, Against::All).unwrap().unwrap();
        assert!((nearest.value - least).abs() < 1e-12 && nearest.lower <= least && least <= nearest.upper + 1e-12);
        assert_eq!(checker.first_hit(&mut state, &q).unwrap().is_some(), least == 0.0);
    }
    assert!(meeting > 20 && apart > 200, "{meeting} {apart}");
}

#[test]
fn batches_are_the_same_on_any_number_of_threads() {
    let folder = Folder::new("batches");
    let checker = Checker::new(arm(&folder), CheckOptions::default()).unwrap();
    let many = checker.robot().random_configurations(2, 150);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let hits = checker.first_hits(&many).unwrap();
            (hits, checker.distances_batch(&many).unwrap(), checker.nearest_batch(&many, Against::Itself).unwrap())
        })
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    let mut state = checker.state();
    for (q, hit) in many.iter().zip(&one.0) {
        assert_eq!(checker.first_hit(&mut state, q).unwrap().is_some(), hit.is_some());
    }
    assert!(matches!(checker.first_hits(&[vec![0.0; 2]]), Err(Error::WrongLength { given: 2, .. })));
    let error = checker.first_hit(&mut state, &[0.0, f64::NAN, 0.0]).unwrap_err();
    assert_eq!(error.to_string(), "`bc` = NaN is not a valid joint value");
}

#[test]
fn worlds_attached_objects_and_padding() {
    let folder = Folder::new("worlds");
    let robot = arm(&folder);
    let object = |name: &str, shape: Shape, at: DVec3| Object {
        name: name.into(),
        shape,
        pose: Pose::from_translation(at).unwrap(),
    };
    let carried = Attached {
        name: "can".into(),
        link: "pad".into(),
        touch_links: vec!["tip".into()],
        shape: Shape::cylinder(0.1, 0.05).unwrap(),
        pose: Pose::from_translation(DVec3::new(0.0, 0.0, 0.1)).unwrap(),
    };
    let world = vec![
        object("ball", Shape::sphere(0.25).unwrap(), DVec3::new(0.0, 0.0, 6.0)),
        object("floor", Shape::half_space(DVec3::Z, -0.5).unwrap(), DVec3::ZERO),
    ];
    let mut allowed = Allowed::adjacent(&robot);
    for (one, other) in [(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4)] {
        allowed.insert(one, other);
    }
    let options = CheckOptions { allowed, world, attached: vec![carried], ..CheckOptions::default() };
    let checker = Checker::new(robot.clone(), options.clone()).unwrap();
    let named: Vec<[&str; 2]> =
        checker.pairs().iter().map(|pair| [checker.name(pair.a), checker.name(pair.b)]).collect();
    assert!(named.contains(&["a", "can"]) && named.contains(&["can", "ball"]) && named.contains(&["a", "floor"]));
    assert!(!named.contains(&["pad", "can"]) && !named.contains(&["tip", "can"]));
    assert!(!named.contains(&["ball", "floor"]));
    let mut state = checker.state();
    let q = [0.0, 0.0, 0.0];
    // By hand: the tip of what is carried, and the ball.
    let nearest = checker.nearest(&mut state, &q, Against::World).unwrap().unwrap();
    let pair = checker.pairs()[nearest.pair];
    assert!(pair.with_world, "{pair:?}");
    let floor =
        checker.pairs().iter().position(|pair| checker.name(pair.a) == "a" && checker.name(pair.b) == "floor").unwrap();
    let to_floor = checker.distances(&mut state, &q).unwrap()[floor];
    assert!(to_floor.gap.value > 0.0 && checker.always().is_empty());
    // Thicker than the gap to the floor, which never changes: met in every configuration.
    let thick = CheckOptions { link_padding: vec![("a".into(), to_floor.gap.value + 0.01)], ..options.clone() };
    let padded = Checker::new(robot.clone(), thick).unwrap();
    assert_eq!(padded.always(), [floor]);
    assert_eq!(padded.first_hit(&mut padded.state(), &q), Ok(Some(floor)));
    let nearest = padded.nearest(&mut padded.state(), &q, Against::World).unwrap().unwrap();
    assert!((nearest.value + 0.01).abs() < 1e-12 && nearest.lower <= -0.01 && -0.01 <= nearest.upper + 1e-12);
    let unknown = CheckOptions { link_padding: vec![("nothing".into(), 0.1)], ..options.clone() };
    assert!(matches!(Checker::new(robot.clone(), unknown), Err(Error::UnknownLink { .. })));
    let negative = CheckOptions { padding: -1.0, ..options };
    assert!(matches!(Checker::new(robot, negative), Err(Error::BadOption { .. })));
}

#[test]
fn what_is_inside_a_solid_meets_it() {
    let folder = Folder::new("inside");
    // A ball of radius 0.05 in the corner of the hook, which is 0.3 thick.
    let at = arm(&folder).description().links[0].collisions[0].origin.transform_point(DVec3::new(0.15, 0.0, 0.15));
    let world = vec![Object {
        name: "seed".into(),
        shape: Shape::sphere(0.05).unwrap(),
        pose: Pose::from_translation(at).unwrap(),
    }];
    let checker = Checker::new(arm(&folder), CheckOptions { world, ..CheckOptions::default() }).unwrap();
    let with_seed: Vec<&str> = checker.always().iter().map(|&pair| checker.name(checker.pairs()[pair].b)).collect();
    assert_eq!(with_seed, ["seed"]);
    // The other hooks come from outside and move.
    let mesh = Shape::mesh(
        &[[0.0, 0.0, 0.0], [0.02, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.02]],
        &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    )
    .unwrap();
    let carried = Attached {
        name: "crumb".into(),
        link: "b".into(),
        touch_links: Vec::new(),
        shape: mesh,
        // Where the inside of the first hook is while the joint is at zero.
        pose: {
            let poses = checker.robot().link_poses(&[0.0; 3]).unwrap();
            let inverse = poses[1].rotation().transpose();
            Pose::new(inverse, inverse * (at - poses[1].translation())).unwrap()
        },
    };
    let checker =
        Checker::new(arm(&folder), CheckOptions { attached: vec![carried], ..CheckOptions::default() }).unwrap();
    let pair =
        checker.pairs().iter().position(|pair| checker.name(pair.b) == "crumb" && checker.name(pair.a) == "a").unwrap();
    let mut state = checker.state();
    assert!(checker.hits(&mut state, &[0.0; 3]).unwrap().contains(&pair));
    assert_eq!(checker.distances(&mut state, &[0.0; 3]).unwrap()[pair].gap.value, 0.0);
    assert!(checker.distances(&mut state, &[2.0, 0.0, 0.0]).unwrap()[pair].gap.value > 0.0);
}

#[test]
fn worlds_of_thousands_of_objects_are_as_tried_one_by_one() {
    let folder = Folder::new("thousands");
    let robot = arm(&folder);
    // Boxes on a lattice about the arm, with a gap where it mostly is, turned each another way; a floor without bounds
    // among them.
    let object = |number: usize| {
        let cell =
            DVec3::new((number % 25) as f64 - 12.0, (number / 25 % 20) as f64 - 10.0, (number / 500) as f64 - 2.0);
        let half = DVec3::new(0.05, 0.08, 0.02 + 0.01 * (number % 5) as f64);
        let place = cell * 0.7 + DVec3::new(0.31, 0.17, 0.05);
        Object {
            name: format!("box {number}"),
            shape: Shape::cuboid(half).unwrap(),
            pose: Pose::from_axis_angle(DVec3::new(1.0, 0.3, -0.5), number as f64, place).unwrap(),
        }
    };
    let mut world: Vec<Object> = (0..5000).map(object).collect();
    world[100].shape = Shape::half_space(DVec3::Z, -30.0).unwrap();
    world[100].pose = Pose::IDENTITY;
    let allowed = Allowed::adjacent(&robot);
    let options = CheckOptions { allowed, world: world.clone(), padding: 0.01, ..CheckOptions::default() };
    let checker = Checker::new(robot.clone(), options.clone()).unwrap();
    // The same objects by forties, which are tried one by one.
    let parts: Vec<Checker> = (world.chunks(40))
        .map(|part| Checker::new(robot.clone(), CheckOptions { world: part.to_vec(), ..options.clone() }).unwrap())
        .collect();
    let mut state = checker.state();
    let mut states: Vec<_> = parts.iter().map(Checker::state).collect();
    let (mut free, mut meeting) = (0, 0);
    for q in robot.random_configurations(3, 40) {
        let named = |checker: &Checker, hits: &[usize]| -> std::collections::BTreeSet<[String; 2]> {
            let name =
                |pair: usize| [checker.pairs()[pair].a, checker.pairs()[pair].b].map(|it| checker.name(it).into());
            hits.iter().map(|&pair| name(pair)).collect()
        };
        let hits = checker.hits(&mut state, &q).unwrap();
        assert!(hits.windows(2).all(|two| two[0] < two[1]));
        let mut expected = std::collections::BTreeSet::new();
        for (part, state) in parts.iter().zip(&mut states) {
            let hits = part.hits(state, &q).unwrap();
            expected.extend(named(part, &hits));
        }
        assert_eq!(named(&checker, &hits), expected);
        let first = checker.first_hit(&mut state, &q).unwrap();
        assert_eq!(first.is_some(), !hits.is_empty());
        assert!(first.is_none_or(|first| hits.contains(&first)));
        *(if hits.is_empty() { &mut free } else { &mut meeting }) += 1;
    }
    assert!(meeting > 5, "{free} {meeting}");
}
