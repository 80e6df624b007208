//! Scenes whose bodies move, deform, change their triangles, break and vanish, against brute force in each frame.

use clearance::Error;
use clearance::deforming::{BodyFaces, FaceOctree, FacePair, Scene};
use clearance::glam::DVec3;
use clearance_oracle::random::Random;
use std::collections::BTreeMap;

use crate::common::meshes::{Lists, box_lists, bumpy_ball, random_point, soup};
use crate::face_octree::brute_force;

/// The bodies by number, and what the scene says of them.
#[derive(Default)]
struct Mirror {
    scene: Scene,
    bodies: BTreeMap<u32, Lists>,
}

impl Mirror {
    fn insert(&mut self, lists: Lists) -> u32 {
        let number = self.scene.insert(&lists.0, &lists.1).unwrap();
        self.bodies.insert(number, lists);
        number
    }

    fn numbered(&self, pairs: &[FacePair]) -> Vec<FacePair> {
        let numbers: Vec<u32> = self.bodies.keys().copied().collect();
        let number = |body: u32| numbers[body as usize];
        pairs.iter().map(|p| FacePair { body_a: number(p.body_a), body_b: number(p.body_b), ..*p }).collect()
    }

    /// The scene says what brute force finds, or for large bodies a face octree.
    fn check(&mut self, by_brute_force: bool) -> usize {
        let lists: Vec<Lists> = self.bodies.values().cloned().collect();
        let expected = if by_brute_force {
            brute_force(&lists)
        } else {
            let bodies: Vec<BodyFaces<'_>> =
                lists.iter().map(|(points, triangles)| BodyFaces { points, triangles }).collect();
            FaceOctree::default().pairs(&bodies).unwrap().to_vec()
        };
        let expected = self.numbered(&expected);
        assert_eq!(self.scene.pairs(), expected);
        assert!(self.scene.numbers().eq(self.bodies.keys().copied()));
        let counts = self.scene.counts();
        assert!(counts.meeting_pairs <= counts.near_pairs && counts.near_pairs <= counts.box_pairs);
        expected.len()
    }

    fn break_up(&mut self, body: u32, piece_of_face: &[u32]) -> Vec<u32> {
        let (points, triangles) = self.bodies.remove(&body).unwrap();
        let pieces = self.scene.break_up(body, piece_of_face).unwrap();
        assert_eq!(pieces.iter().map(|piece| piece.faces.len()).sum::<usize>(), triangles.len());
        for piece in &pieces {
            let own = self.scene.body(piece.body).unwrap();
            for (&face, corners) in piece.faces.iter().zip(own.triangles) {
                assert_eq!(corners.map(|point| piece.points[point as usize]), triangles[face as usize]);
            }
            let expected: Vec<[f64; 3]> = piece.points.iter().map(|&point| points[point as usize]).collect();
            assert_eq!(own.points, expected);
            self.bodies.insert(piece.body, (expected, own.triangles.to_vec()));
        }
        pieces.iter().map(|piece| piece.body).collect()
    }
}

/// Pieces by the nearest of some points.
fn nearest(lists: &Lists, seeds: &[DVec3]) -> Vec<u32> {
    let centre = |corners: &[u32; 3]| {
        corners.iter().map(|&point| DVec3::from_array(lists.0[point as usize])).sum::<DVec3>() / 3.0
    };
    let nearest = |at: DVec3| (0..seeds.len()).min_by(|&a, &b| seeds[a].distance(at).total_cmp(&seeds[b].distance(at)));
    lists.1.iter().map(|corners| nearest(centre(corners)).unwrap() as u32).collect()
}

#[test]
fn every_frame_is_that_of_all_pairs() {
    let mut random = Random::new(21);
    let mut mirror = Mirror::default();
    let (mut met, mut broken) = (0, 0);
    for _ in 0..60 {
        for _ in 0..2 {
            let numbers: Vec<u32> = mirror.bodies.keys().copied().collect();
            let offset = random_point(&mut random, 0.8);
            let fresh = |random: &mut Random| -> Lists {
                let count = random.integer(1, 14) as u32;
                let (points, triangles) = soup(random, count, 1.0);
                (points.iter().map(|&p| (DVec3::from_array(p) + offset).to_array()).collect(), triangles)
            };
            let chosen = if numbers.is_empty() { None } else { Some(numbers[random.index(numbers.len())]) };
            match (random.index(6), chosen) {
                (0 | 1, Some(body)) => {
                    let lists = mirror.bodies.get_mut(&body).unwrap();
                    // Not as one: a deformation.
                    for point in &mut lists.0 {
                        *point = (DVec3::from_array(*point) + random_point(&mut random, 0.2)).to_array();
                    }
                    mirror.scene.move_to(body, &lists.0).unwrap();
                }
                (2, Some(body)) if mirror.bodies.len() < 12 => {
                    let pieces = random.integer(1, 4);
                    let faces = mirror.bodies[&body].1.len();
                    let of_face: Vec<u32> = (0..faces).map(|_| random.integer(0, pieces) as u32 * 7).collect();
                    mirror.break_up(body, &of_face);
                    broken += 1;
                }
                (3, Some(body)) => {
                    let lists = fresh(&mut random);
                    mirror.scene.replace(body, &lists.0, &lists.1).unwrap();
                    mirror.bodies.insert(body, lists);
                }
                (4, Some(body)) if mirror.bodies.len() > 4 => {
                    mirror.scene.remove(body).unwrap();
                    mirror.bodies.remove(&body);
                }
                _ => {
                    let lists = fresh(&mut random);
                    mirror.insert(lists);
                }
            }
        }
        met += mirror.check(true);
    }
    assert!(met > 500 && broken > 3, "{met} {broken}");
}

#[test]
fn one_body_becomes_hundreds() {
    let mut random = Random::new(22);
    let mut mirror = Mirror::default();
    let ball = mirror.insert(bumpy_ball(40, 1.0, DVec3::ZERO, 0.1));
    let hammer = mirror.insert(bumpy_ball(12, 0.4, DVec3::new(1.1, 0.0, 0.0), 0.1));
    let rest = mirror.insert(box_lists(DVec3::splat(5.0), DVec3::splat(6.0)));
    let also = mirror.insert(box_lists(DVec3::splat(6.0), DVec3::splat(7.0)));
    mirror.check(false);
    let seeds: Vec<DVec3> = (0..200).map(|_| random_point(&mut random, 1.0)).collect();
    let of_face = nearest(&mirror.bodies[&ball], &seeds);
    let pieces = mirror.break_up(ball, &of_face);
    assert!(pieces.len() > 100, "{}", pieces.len());
    // Pieces touch their neighbours along common edges.
    assert!(mirror.check(false) > 1000);
    // They fly apart; the hammer and what rests are not compared again.
    for frame in 0..4 {
        for &piece in &pieces {
            let lists = mirror.bodies.get_mut(&piece).unwrap();
            let out = DVec3::from_array(lists.0[0]) * 0.02 * f64::from(frame);
            lists.0.iter_mut().for_each(|point| *point = (DVec3::from_array(*point) + out).to_array());
            mirror.scene.move_to(piece, &lists.0).unwrap();
        }
        mirror.check(false);
        assert_eq!(mirror.scene.counts().fitted_bodies, pieces.len() as u64);
    }
    let before = mirror.scene.pairs().to_vec();
    assert_eq!((mirror.scene.counts().fitted_bodies, mirror.scene.counts().walked_pairs), (0, 0));
    let resting = before.iter().filter(|pair| (pair.body_a, pair.body_b) == (rest, also)).count();
    assert!(resting > 0 && mirror.bodies.contains_key(&hammer));
}

#[test]
fn answers_do_not_depend_on_threads_or_the_frame() {
    let bodies = [
        bumpy_ball(50, 1.0, DVec3::ZERO, 0.1),
        bumpy_ball(45, 0.9, DVec3::new(0.7, 0.2, 0.1), 0.15),
        bumpy_ball(9, 0.5, DVec3::new(-0.6, 0.3, 0.1), 0.1),
    ];
    let answer = || {
        let mut mirror = Mirror::default();
        for lists in &bodies {
            mirror.insert(lists.clone());
        }
        let first = mirror.scene.pairs().to_vec();
        (first, *mirror.scene.counts())
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let expected = answer();
    assert!(expected.0.len() > 300);
    assert_eq!(pool.install(answer), expected);
    // A body far away takes another frame, and again when it is gone.
    let mut mirror = Mirror::default();
    for lists in &bodies {
        mirror.insert(lists.clone());
    }
    let far = mirror.insert(box_lists(DVec3::splat(1e6), DVec3::splat(1e6 + 1.0)));
    mirror.check(false);
    mirror.scene.remove(far).unwrap();
    mirror.bodies.remove(&far);
    mirror.check(false);
    assert_eq!(mirror.scene.counts().fitted_bodies, 3);
}

#[test]
fn touching_scales_and_flat_bodies() {
    for scale in [1.0, 1e-12, 1e12] {
        for offset in [DVec3::ZERO, DVec3::splat(1e5 * scale)] {
            let mut mirror = Mirror::default();
            for corner in [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE, DVec3::splat(3.0)] {
                mirror.insert(box_lists(corner * scale + offset, (corner + 1.0) * scale + offset));
            }
            let flat = [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 2.0, 1.0]];
            let placed = flat.map(|point| (DVec3::from_array(point) * scale + offset).to_array());
            mirror.insert((placed.to_vec(), vec![[0, 1, 2], [0, 0, 1], [2, 2, 2]]));
            assert!(mirror.check(true) > 20);
        }
    }
}

#[test]
fn errors_name_the_element_and_change_nothing() {
    let mut scene = Scene::default();
    let (points, triangles) = box_lists(DVec3::ZERO, DVec3::ONE);
    let body = scene.insert(&points, &triangles).unwrap();
    let mut bad = points.clone();
    bad[3][0] = f64::NAN;
    let not_finite = Error::NotFinite { what: "point", index: 3 };
    assert_eq!(scene.insert(&bad, &triangles), Err(not_finite.clone()));
    assert_eq!(scene.move_to(body, &bad), Err(not_finite.clone()));
    assert_eq!(scene.replace(body, &bad, &triangles), Err(not_finite.clone()));
    let list = [&points, &bad].map(|points| BodyFaces { points, triangles: &triangles });
    assert_eq!(scene.insert_all(&list), Err(Error::InBody { body: 1, error: Box::new(not_finite) }));
    assert_eq!(scene.insert(&points, &[]), Err(Error::NoTriangles));
    let count = Error::WrongCount { what: "pieces of triangles", expected: 12, count: 2 };
    assert_eq!(scene.break_up(body, &[0, 1]), Err(count));
    for error in [
        scene.remove(7).unwrap_err(),
        scene.move_to(7, &points).unwrap_err(),
        scene.replace(7, &points, &triangles).unwrap_err(),
        scene.break_up(7, &[]).unwrap_err(),
        scene.body(7).unwrap_err(),
    ] {
        assert_eq!(error, Error::NoBody { body: 7 });
    }
    assert_eq!((scene.len(), scene.is_empty(), scene.body(body).unwrap().points), (1, false, &points[..]));
    // A number is never used again, and an empty scene has no pairs.
    scene.remove(body).unwrap();
    assert!(scene.pairs().is_empty() && scene.is_empty());
    assert_eq!(scene.insert_all(&list[..1]).unwrap(), [body + 1]);
    let own = bumpy_ball(6, 1.0, DVec3::ZERO, 0.1);
    assert_eq!(scene.insert(&own.0, &own.1).unwrap(), body + 2);
    assert!(!scene.pairs().is_empty());
}
