//! Face octrees against all pairs of triangles, with every option: soups, contact within a plane and along voxel walls,
//! zero areas, containment, scales, many bodies; rigid octrees; errors.

use clearance::deforming::{
    BodyFaces, BoxStage, Contained, DividedSpace, Division, FaceBoxTest, FaceOctree, FaceOctreeOptions, FacePair,
    RigidFaceOctree,
};
use clearance::glam::DVec3;
use clearance::query::{ImpactSelection, StepOptions, step_collisions_with};
use clearance::{DeformingMesh, Error, Pose, QueryError, Shape};
use clearance_oracle::random::Random;

use crate::common::meshes::{Lists, box_lists, bumpy_ball, random_point, random_pose, soup};

pub fn faces(bodies: &[Lists]) -> Vec<BodyFaces<'_>> {
    bodies.iter().map(|(points, triangles)| BodyFaces { points, triangles }).collect()
}

/// All pairs of triangles of different bodies that meet, one by one: of two meshes of a triangle each, whose points are
/// taken as given.
pub fn brute_force(bodies: &[Lists]) -> Vec<FacePair> {
    let triangles = |(points, triangles): &Lists| -> Vec<(DeformingMesh, [DVec3; 2])> {
        let made = |corners: &[u32; 3]| {
            let corners = corners.map(|point| points[point as usize]);
            let [a, b, c] = corners.map(DVec3::from_array);
            (DeformingMesh::new(&corners, &[[0, 1, 2]]).unwrap(), [a.min(b).min(c), a.max(b).max(c)])
        };
        triangles.iter().map(made).collect()
    };
    let options = StepOptions { wanted: ImpactSelection::First, intersections: true, ..StepOptions::default() };
    let all: Vec<Vec<(DeformingMesh, [DVec3; 2])>> = bodies.iter().map(triangles).collect();
    let mut found = Vec::new();
    for (body_a, of_a) in all.iter().enumerate() {
        for (body_b, of_b) in all.iter().enumerate().skip(body_a + 1) {
            for (face_a, (a, box_a)) in of_a.iter().enumerate() {
                for (face_b, (b, box_b)) in of_b.iter().enumerate() {
                    let near = box_a[0].cmple(box_b[1]).all() && box_b[0].cmple(box_a[1]).all();
                    if near && !step_collisions_with(a, b, &options).intersecting.is_empty() {
                        let [body_a, face_a, body_b, face_b] = [body_a, face_a, body_b, face_b].map(|n| n as u32);
                        found.push(FacePair { body_a, face_a, body_b, face_b });
                    }
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// Each option by itself, and some together.
fn every_option() -> Vec<FaceOctreeOptions> {
    let mut all = Vec::new();
    for level in [None, Some(0), Some(2), Some(4)] {
        for (boxes, space) in [
            (BoxStage::AllPairs, DividedSpace::World),
            (BoxStage::Sorted, DividedSpace::Regions),
            (BoxStage::Skipped, DividedSpace::Regions),
        ] {
            for face_box in [FaceBoxTest::Boxes, FaceBoxTest::Clipping, FaceBoxTest::Axes] {
                for division in [Division::Octree, Division::Bintree] {
                    all.push(FaceOctreeOptions { level, boxes, face_box, division, space });
                }
            }
        }
    }
    all
}

/// The answer is that of brute force, with every option.
fn check(bodies: &[Lists]) -> Vec<FacePair> {
    let expected = brute_force(bodies);
    for options in every_option() {
        let mut octree = FaceOctree::new(&options);
        assert_eq!(octree.pairs(&faces(bodies)).unwrap(), expected, "{options:?}");
        // Again, with what is left of the first query.
        assert_eq!(octree.pairs(&faces(bodies)).unwrap().len(), expected.len());
    }
    expected
}

fn mapped((points, triangles): &Lists, map: impl Fn(DVec3) -> DVec3) -> Lists {
    (points.iter().map(|&point| map(DVec3::from_array(point)).to_array()).collect(), triangles.clone())
}

#[test]
fn soups_with_zero_areas_and_duplicates() {
    let mut random = Random::new(11);
    let mut met = 0;
    for bodies in [1, 2, 3, 7] {
        let lists: Vec<Lists> = (0..bodies)
            .map(|_| {
                let offset = random_point(&mut random, 0.5);
                mapped(&soup(&mut random, 25, 1.0), |point| point + offset)
            })
            .collect();
        met += check(&lists).len();
    }
    assert!(met > 20, "{met}");
}

/// Corners on a coarse grid: most contacts are coplanar, along edges or at corners, and many lie on voxel walls.
#[test]
fn soups_on_a_grid() {
    let mut random = Random::new(12);
    for round in 0..4 {
        let lists: Vec<Lists> = (0..3)
            .map(|_| {
                let mut number = || random.integer(0, 4) as f64 / if round % 2 == 0 { 4.0 } else { 3.0 };
                let points = (0..30).map(|_| [number(), number(), number()]).collect();
                let mut corner = || random.index(30) as u32;
                (points, (0..20).map(|_| [corner(), corner(), corner()]).collect())
            })
            .collect();
        assert!(check(&lists).len() > 50);
    }
}

#[test]
fn touching_and_coplanar_faces() {
    let unit = box_lists(DVec3::ZERO, DVec3::ONE);
    for (offset, least) in [
        // Side on side, flush; edge on edge; corner on corner; the same box.
        (DVec3::X, 20),
        (DVec3::new(1.0, 1.0, 0.0), 10),
        (DVec3::ONE, 9),
        (DVec3::ZERO, 80),
        (DVec3::new(0.25, 0.5, 1.0), 8),
    ] {
        let pairs = check(&[unit.clone(), mapped(&unit, |point| point + offset)]);
        assert!(pairs.len() >= least, "{offset}: {}", pairs.len());
    }
    // Off by one unit in the last place.
    let apart = mapped(&unit, |point| point + DVec3::X * (1.0 + f64::EPSILON));
    assert!(check(&[unit.clone(), apart]).is_empty());
    // Flat bodies in one plane, on the walls of voxels.
    let sheet = |x: f64| -> Lists {
        let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| [u + x, v, 0.5]).to_vec();
        (points, vec![[0, 1, 2], [0, 2, 3]])
    };
    assert_eq!(check(&[sheet(0.0), sheet(0.5), sheet(1.0)]).len(), 3 + 3 + 3);
}

#[test]
fn one_face_and_none() {
    let one: Lists = (vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
    let none: Lists = (vec![], vec![]);
    let unused: Lists = (vec![[0.1, 0.1, 0.0]], vec![]);
    let point: Lists = (vec![[0.25, 0.25, 0.0]], vec![[0, 0, 0]]);
    assert!(check(&[]).is_empty() && check(std::slice::from_ref(&one)).is_empty());
    assert!(check(&[none.clone(), none.clone()]).is_empty());
    assert!(check(&[one.clone(), none.clone(), unused]).is_empty());
    assert_eq!(check(&[one.clone(), none, point.clone(), one.clone(), point]).len(), 6);
}

#[test]
fn tiny_huge_and_far_from_the_origin() {
    let mut random = Random::new(13);
    let ball = bumpy_ball(4, 1.0, DVec3::ZERO, 0.2);
    let other = mapped(&soup(&mut random, 20, 1.0), |point| point + DVec3::new(0.8, 0.3, 0.1));
    let expected = check(&[ball.clone(), other.clone()]).len();
    assert!(expected > 3, "{expected}");
    for scale in [1e-12, 1e12, 1e-57, 1e57] {
        let scaled = [&ball, &other].map(|lists| mapped(lists, |point| point * scale));
        check(&scaled);
    }
    let far = DVec3::new(1e7, -3e7, 2e7);
    check(&[&ball, &other].map(|lists| mapped(lists, |point| point + far)));
    // A speck on a plate of a million million times its size.
    let plate: Lists = (vec![[-1e12, -1e12, 0.0], [1e12, -1e12, 0.0], [0.0, 2e12, 0.0]], vec![[0, 1, 2]]);
    assert!(!check(&[plate, ball]).is_empty());
}

#[test]
fn many_bodies_on_one() {
    // More regions than are kept as boxes, and triangles of the plate that meet none.
    let mut random = Random::new(14);
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..13u32 {
        for j in 0..13u32 {
            points.push([f64::from(i), f64::from(j), 0.1 * f64::from((i * j) % 3)]);
            if i < 12 && j < 12 {
                let a = i * 13 + j;
                triangles.extend([[a, a + 13, a + 14], [a, a + 14, a + 1]]);
            }
        }
    }
    let mut bodies = vec![(points, triangles)];
    for _ in 0..24 {
        let middle = DVec3::new(random.uniform(0.0, 12.0), random.uniform(0.0, 6.0), random.uniform(-0.2, 0.4));
        bodies.push(bumpy_ball(3, 0.3, middle, 0.1));
    }
    assert!(check(&bodies).len() > 100);
    let mut octree = FaceOctree::default();
    octree.pairs(&faces(&bodies)).unwrap();
    let listed = octree.counts().checklist;
    assert!(listed < 288 + 24 * 12 && octree.counts().regions > 24, "{listed}");
}

/// Enough triangles for parallel pieces: against the contacts of meshes at rest.
#[test]
fn large_bodies_as_meshes_find_them() {
    let ball = bumpy_ball(60, 1.0, DVec3::ZERO, 0.1);
    let other = bumpy_ball(55, 0.9, DVec3::new(0.7, 0.2, 0.1), 0.15);
    let third = bumpy_ball(30, 0.5, DVec3::new(-0.3, 0.9, 0.4), 0.15);
    let bodies = [ball, other, third];
    let mut expected = Vec::new();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let [one, two] = [a, b].map(|body: usize| Shape::mesh(&bodies[body].0, &bodies[body].1).unwrap());
        let contacts = clearance::contacts(&one, &Pose::IDENTITY, &two, &Pose::IDENTITY);
        expected.extend(contacts.crossings.iter().map(|crossing| FacePair {
            body_a: a as u32,
            face_a: crossing.triangle_a,
            body_b: b as u32,
            face_b: crossing.triangle_b,
        }));
    }
    expected.sort_unstable();
    assert!(expected.len() > 300);
    let mut before = None;
    for options in every_option().into_iter().filter(|options| options.level.is_none_or(|level| level > 3)) {
        let options = FaceOctreeOptions { level: options.level.map(|_| 6), ..options };
        let mut octree = FaceOctree::new(&options);
        assert_eq!(octree.pairs(&faces(&bodies)).unwrap(), expected, "{options:?}");
        if options == FaceOctreeOptions::default() {
            before = Some(*octree.counts());
        }
    }
    // The same work, not only the same answer, on one thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut octree = FaceOctree::default();
    let alone = pool.install(|| octree.pairs(&faces(&bodies)).unwrap().to_vec());
    assert_eq!((alone, Some(*octree.counts())), (expected, before));
    assert_eq!(before.unwrap().regions, 3);
}

#[test]
fn topology_changes_from_frame_to_frame() {
    let mut random = Random::new(15);
    let mut octree = FaceOctree::default();
    for _ in 0..30 {
        let count = random.integer(0, 5);
        let lists: Vec<Lists> = (0..count)
            .map(|_| {
                let (triangles, offset) = (random.integer(0, 30) as u32, random_point(&mut random, 0.6));
                mapped(&soup(&mut random, triangles, 1.0), |point| point + offset)
            })
            .collect();
        assert_eq!(octree.pairs(&faces(&lists)).unwrap(), brute_force(&lists));
    }
}

/// Triangles that share a point cannot be separated by dividing; slivers reach through many voxels.
#[test]
fn fans_and_slivers() {
    let fan = |height: f64, count: u32| -> Lists {
        let mut points = vec![[0.0, 0.0, 0.0]];
        for k in 0..=count {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(count)).sin_cos();
            points.push([cos, sin, height]);
        }
        (points, (1..=count).map(|k| [0, k, k + 1]).collect())
    };
    // All pairs meet at the common tip.
    let pairs = FaceOctree::default().pairs(&faces(&[fan(1.0, 150), fan(-1.0, 150)])).unwrap().len();
    assert_eq!(pairs, 150 * 150);
    let slivers = |tilt: f64, count: u32| -> Lists {
        let points = (0..count).flat_map(|k| {
            let y = f64::from(k) / f64::from(count);
            [[0.0, y, 0.0], [1.0, y + tilt, 0.02], [1.0, y + tilt + 1e-4, 0.02]]
        });
        (points.collect(), (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
    };
    let crossing = [slivers(0.0, 60), slivers(0.3, 60)];
    assert_eq!(FaceOctree::default().pairs(&faces(&crossing)).unwrap(), brute_force(&crossing));
}

#[test]
fn bodies_inside_others() {
    let outer = bumpy_ball(8, 2.0, DVec3::ZERO, 0.1);
    let inner = box_lists(DVec3::splat(-0.5), DVec3::splat(0.5));
    // One box inside, one outside, one across the surface, as one body.
    let mut three = inner.clone();
    for offset in [DVec3::new(5.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0)] {
        let first = three.0.len() as u32;
        let (points, triangles) = mapped(&inner, |point| point + offset);
        three.0.extend(points);
        three.1.extend(triangles.iter().map(|triangle| triangle.map(|point| point + first)));
    }
    let mut octree = FaceOctree::default();
    let found = |body, face, container| Contained { body, face, container };
    assert_eq!(octree.contained(&faces(&[outer.clone(), inner.clone()])).unwrap(), [found(1, 0, 0)]);
    assert_eq!(octree.contained(&faces(&[inner.clone(), outer.clone()])).unwrap(), [found(0, 0, 1)]);
    assert_eq!(octree.contained(&faces(&[outer.clone(), three])).unwrap(), [found(1, 0, 0)]);
    // An open surface, and one with a hole, contain nothing but may be contained.
    let sheet: Lists = (vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], vec![[0, 1, 2]]);
    let open: Lists = (outer.0.clone(), outer.1[1..].to_vec());
    assert_eq!(octree.contained(&faces(&[sheet.clone(), outer.clone()])).unwrap(), [found(0, 0, 1)]);
    assert!(octree.contained(&faces(&[sheet.clone(), open])).unwrap().is_empty());
    // Inside out, it still contains; touching from within it does not.
    let turned: Lists = (outer.0.clone(), outer.1.iter().map(|&[a, b, c]| [a, c, b]).collect());
    assert_eq!(octree.contained(&faces(&[turned, inner.clone()])).unwrap(), [found(1, 0, 0)]);
    let room = box_lists(DVec3::splat(-0.5), DVec3::new(4.0, 4.0, 4.0));
    assert!(octree.contained(&faces(&[room, inner])).unwrap().is_empty());
    // Nested: each part in all that surround it, many parts at once.
    let shells: Vec<Lists> = (1..=4).map(|k| bumpy_ball(6, f64::from(k), DVec3::ZERO, 0.01)).collect();
    assert_eq!(octree.contained(&faces(&shells)).unwrap().len(), 3 + 2 + 1);
    let dust = soup(&mut Random::new(5), 60, 0.5);
    let truth = octree.contained(&faces(&[outer, dust])).unwrap();
    assert!(truth.len() > 40 && truth.iter().all(|part| (part.body, part.container) == (1, 0)));
}

#[test]
fn rigid_octrees_find_the_same() -> Result<(), QueryError> {
    let mut random = Random::new(16);
    let lists = [
        bumpy_ball(6, 1.0, DVec3::ZERO, 0.2),
        soup(&mut random, 40, 0.8),
        box_lists(DVec3::splat(-0.4), DVec3::new(0.4, 0.5, 0.6)),
        (vec![[0.3, 0.3, 0.3]], vec![[0, 0, 0]]),
        (vec![], vec![]),
    ];
    let mut met = 0;
    for level in [0, 2, 4] {
        let octrees: Vec<RigidFaceOctree> =
            faces(&lists).iter().map(|body| RigidFaceOctree::new(body, level)).collect::<Result<_, _>>()?;
        for round in 0..4 {
            let far = if round % 4 == 3 { 1e6 } else { 0.0 };
            let poses: Vec<Pose> = lists
                .iter()
                .map(|_| {
                    let pose = random_pose(&mut random, 0.7);
                    Pose::new(pose.rotation(), pose.translation() + far)
                })
                .collect::<Result<_, _>>()?;
            let placed: Vec<Lists> =
                lists.iter().zip(&poses).map(|(list, pose)| mapped(list, |p| pose.transform_point(p))).collect();
            let bodies: Vec<(&RigidFaceOctree, &Pose)> = octrees.iter().zip(&poses).collect();
            let expected = FaceOctree::default().pairs(&faces(&placed))?.to_vec();
            if round == 0 {
                assert_eq!(expected, brute_force(&placed));
            }
            for options in every_option().iter().step_by(11) {
                let found = FaceOctree::new(options).rigid_pairs(&bodies)?.to_vec();
                assert_eq!(found, expected, "{options:?}");
            }
            met += expected.len();
        }
        assert!(octrees[0].node_count() >= 4usize.pow(level) / 2 && octrees[0].bytes() > 0);
    }
    assert!(met > 300, "{met}");
    Ok(())
}

#[test]
fn bad_input_names_the_body_and_the_element() {
    let good = box_lists(DVec3::ZERO, DVec3::ONE);
    let broken = |index: usize, value: f64| {
        let mut lists = good.clone();
        lists.0[index][1] = value;
        lists
    };
    let outside: Lists = (good.0.clone(), vec![[0, 1, 2], [0, 1, 8]]);
    let mut octree = FaceOctree::default();
    for (lists, expected) in [
        (broken(3, f64::NAN), Error::NotFinite { what: "point", index: 3 }),
        (broken(5, f64::INFINITY), Error::NotFinite { what: "point", index: 5 }),
        (broken(0, -1e61), Error::TooLarge { what: "point", index: 0, value: -1e61 }),
        (outside, Error::NoSuchPoint { triangle: 1, point: 8, points: 8 }),
    ] {
        let bodies = [good.clone(), lists.clone()];
        let error = Error::InBody { body: 1, error: Box::new(expected.clone()) };
        assert_eq!(octree.pairs(&faces(&bodies)).unwrap_err(), error);
        assert_eq!(octree.contained(&faces(&bodies)).unwrap_err(), error);
        assert_eq!(RigidFaceOctree::new(&faces(&[lists])[0], 4).unwrap_err(), expected);
    }
    // A large body reports its first fault, and the octree can be used again.
    let mut large = bumpy_ball(80, 1.0, DVec3::ZERO, 0.1);
    (large.0[12_000][2], large.0[9_000][0]) = (f64::NAN, f64::NAN);
    let error = octree.pairs(&faces(&[good.clone(), large])).unwrap_err().to_string();
    assert!(error.contains("body 1") && error.contains("point 9000"), "{error}");
    assert!(!octree.pairs(&faces(&[good.clone(), good])).unwrap().is_empty());
}
