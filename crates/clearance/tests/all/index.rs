//! Every kind of index, built in every way, against the queries about meshes: the same answers, each verified.

use clearance::answer::{Contacts, Distance, Witness, WitnessPoint};
use clearance::glam::DVec3;
use clearance::index::{
    Aabb, BoxTree, Build, Count, Descend, Fit, Index, IndexOptions, Kdop, Kind, Lss, Obb, Rss, Sphere, Stats,
    SweptSphere, SweptSpheres, VolumeTest,
};
use clearance::query::{ContactsOptions, DistanceOptions, IntersectsOptions, contacts_with, distance_with};
use clearance::{Bracket, Error, Mesh, PairCache, Pose, Shape, Workspace};
use clearance_oracle::random::Random;

use crate::common::meshes::{Lists, bumpy_ball, random_pose, soup};

const I: Pose = Pose::IDENTITY;

/// Two meshes, and the poses of the second.
struct Scene {
    name: &'static str,
    a: Mesh,
    b: Mesh,
    poses: Vec<[Pose; 2]>,
}

fn surface((points, triangles): &Lists) -> Mesh {
    Mesh::new(points, triangles).unwrap()
}

fn moved(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: DVec3, angle: f64, x: f64) -> Pose {
    Pose::from_axis_angle(axis, angle, DVec3::new(x, 0.2, 0.1)).unwrap()
}

/// Triangles on three points each.
fn of_corners(corners: &[[[f64; 3]; 3]]) -> Mesh {
    let points: Vec<[f64; 3]> = corners.iter().flatten().copied().collect();
    let triangles: Vec<[u32; 3]> = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::new(&points, &triangles).unwrap()
}

fn scenes() -> Vec<Scene> {
    let mut random = Random::new(27);
    let ball = bumpy_ball(6, 1.0, DVec3::ZERO, 0.2);
    let small = bumpy_ball(4, 0.5, DVec3::new(0.2, 0.0, 0.1), 0.1);
    let solid = |lists: &Lists| surface(lists).solid().unwrap();
    let mut pair = |distance: f64| [random_pose(&mut random, 0.0), random_pose(&mut random, distance)];
    let poses = vec![pair(0.9), pair(1.4), pair(1.9), pair(40.0)];
    let inside = vec![[I, I], [turned(DVec3::ONE, 0.4, 3.0), turned(DVec3::ONE, 0.4, 3.0)]];
    let tangled = vec![[I, I], pair(0.3), pair(3.0)];
    let far = 1e7;
    let away = bumpy_ball(4, 1.0, DVec3::new(far, -far, 0.5 * far), 0.1);
    let back = turned(DVec3::ZERO + DVec3::Z, 0.0, 0.0);
    let (from, to) = (DVec3::new(-far, far, -0.5 * far), DVec3::new(2.2, 0.3, 0.0));
    let beside = Pose::from_translation(from + to).unwrap();
    let home = Pose::from_translation(from + back.translation()).unwrap();
    let one = of_corners(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
    let alike = of_corners(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 9]);
    let flat: Vec<[[f64; 3]; 3]> = (0..30)
        .map(|k| {
            let (x, y) = (f64::from(k % 6), f64::from(k / 6));
            [[x, y, 0.0], [x + 1.0, y, 0.0], [x, y + 1.0, 0.0]]
        })
        .collect();
    let line: Vec<[[f64; 3]; 3]> =
        (0..20).map(f64::from).map(|x| [[x, x, x], [x + 0.5, x + 0.5, x + 0.5], [x + 1.0, x + 1.0, x + 1.0]]).collect();
    let needles: Vec<[[f64; 3]; 3]> = (0..40)
        .map(|k| f64::from(k) * 0.1)
        .map(|x| [[x, -5.0, x.sin()], [x + 1e-9, -5.0, x.sin()], [x, 5.0, x.cos()]])
        .collect();
    let point = of_corners(&[[[0.5, 0.25, 0.0]; 3]]);
    let standing = turned(DVec3::X, std::f64::consts::FRAC_PI_2, 0.1);
    vec![
        Scene { name: "surfaces", a: surface(&ball), b: surface(&small), poses: poses.clone() },
        Scene { name: "solids", a: solid(&ball), b: solid(&small), poses: [poses, inside].concat() },
        Scene {
            name: "soups",
            a: surface(&soup(&mut random, 60, 1.0)),
            b: surface(&soup(&mut random, 40, 1.0)),
            poses: tangled,
        },
        Scene {
            name: "tiny",
            a: surface(&soup(&mut random, 30, 1e-30)),
            b: surface(&soup(&mut random, 30, 1e-30)),
            poses: vec![[I, I], [I, moved(5e-30, 0.0, 0.0)]],
        },
        Scene { name: "far from the origin", a: surface(&away), b: surface(&away), poses: vec![[home, beside]] },
        Scene {
            name: "one triangle",
            a: one.clone(),
            b: one.clone(),
            poses: vec![[I, I], [I, moved(0.0, 0.0, 1.0)], [I, moved(-1.0, 0.0, 0.0)], [standing, I]],
        },
        Scene {
            name: "all alike",
            a: alike.clone(),
            b: one.clone(),
            poses: vec![[I, I], [I, moved(0.0, 0.0, 1.0)], [I, moved(3.0, 1.0, 0.0)]],
        },
        Scene {
            name: "flat",
            a: of_corners(&flat),
            b: of_corners(&flat),
            poses: vec![[I, moved(0.0, 0.0, 0.5)], [I, standing], [I, moved(7.0, 0.0, 0.0)]],
        },
        Scene {
            name: "collinear",
            a: of_corners(&line),
            b: of_corners(&flat),
            poses: vec![[I, moved(0.0, 0.0, -0.5)], [I, moved(0.0, 3.0, 0.5)], [standing, I]],
        },
        Scene {
            name: "needles",
            a: of_corners(&needles),
            b: of_corners(&needles),
            poses: vec![[I, standing], [I, moved(0.01, 0.0, 2.5)]],
        },
        Scene { name: "a point", a: point, b: alike, poses: vec![[I, I], [I, moved(0.0, 0.0, -2.0)]] },
    ]
}

/// What the queries about meshes answer.
struct Expected {
    distance: Distance,
    contacts: Contacts,
    near: Contacts,
    margin: f64,
}

fn expected(scene: &Scene, [pose_a, pose_b]: &[Pose; 2], workspace: &mut Workspace) -> Expected {
    let (a, b) = (Shape::Mesh(scene.a.clone()), Shape::Mesh(scene.b.clone()));
    let (a, b) = (&a, &b);
    let cache = &mut PairCache::default();
    let distance = distance_with(a, pose_a, b, pose_b, &DistanceOptions::default(), cache, workspace);
    // A margin that some pairs of triangles are within, and not at the end of a bracket.
    let margin = 1.37 * distance.gap.value + 0.013 * (a.diameter() + b.diameter());
    let mut list = |margin: f64| {
        let mut found = Contacts::default();
        let options = ContactsOptions { margin, ..ContactsOptions::default() };
        contacts_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace, &mut found);
        found
    };
    Expected { distance, contacts: list(0.0), near: list(margin), margin }
}

fn overlap(p: Bracket, q: Bracket) -> bool {
    p.lower <= q.upper && q.lower <= p.upper
}

fn parts(contacts: &Contacts) -> Vec<(u32, u32)> {
    contacts.points.iter().map(|point| (point.witness.a.part, point.witness.b.part)).collect()
}

/// The bits of an answer, those of B first where the arguments were swapped.
fn bits(found: &Distance, swapped: bool) -> impl PartialEq + std::fmt::Debug + use<> {
    let place = |at: WitnessPoint| (at.point.to_array().map(f64::to_bits), at.part, at.feature);
    let Witness { a, b } = found.witness;
    let [a, b] = if swapped { [b, a] } else { [a, b] };
    ([found.gap.lower, found.gap.value, found.gap.upper].map(f64::to_bits), place(a), place(b))
}

fn check<K: Kind>(
    scene: &Scene,
    poses: &[Pose; 2],
    expected: &Expected,
    indices: [&Index<K>; 2],
    workspace: &mut Workspace,
) {
    let ([a, b], [pose_a, pose_b]) = (indices, poses);
    let (shape_a, shape_b) = (&Shape::Mesh(scene.a.clone()), &Shape::Mesh(scene.b.clone()));
    let case = format!("{}, {:?}, {poses:?}", scene.name, a.options());
    let margin = expected.margin;
    for (margin, answer) in [
        (0.0, expected.distance.gap.value == 0.0),
        (margin, true),
        (0.9 * expected.distance.gap.value, expected.distance.gap.value == 0.0),
    ] {
        let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
        assert_eq!(
            a.intersects_with(pose_a, b, pose_b, &options, workspace, &mut ()),
            answer,
            "{case}, margin {margin}"
        );
    }
    let limits = [
        DistanceOptions::default(),
        DistanceOptions { tolerance: 0.1 * expected.distance.gap.value, ..DistanceOptions::default() },
        DistanceOptions { relative_tolerance: 0.3, ..DistanceOptions::default() },
        DistanceOptions { farther_than: Some(0.5 * expected.distance.gap.value), ..DistanceOptions::default() },
    ];
    for (number, options) in limits.iter().enumerate() {
        let found = a.distance_with(pose_a, b, pose_b, options, workspace, &mut ());
        assert!(overlap(found.gap, expected.distance.gap), "{case}: {found:?} but {:?}", expected.distance);
        found
            .verify(shape_a, pose_a, shape_b, pose_b)
            .unwrap_or_else(|refusal| panic!("{case}, {options:?}: {refusal:?} of {found:?}"));
        if number == 0 {
            assert_eq!(found.method, expected.distance.method, "{case}");
        }
        let back = b.distance_with(pose_b, a, pose_a, options, workspace, &mut ());
        assert_eq!(bits(&found, false), bits(&back, true), "{case}: swapped");
    }
    for (margin, expected) in [(0.0, &expected.contacts), (margin, &expected.near)] {
        let (mut found, mut back) = (Contacts::default(), Contacts::default());
        let options = ContactsOptions { margin, ..ContactsOptions::default() };
        a.contacts_with(pose_a, b, pose_b, &options, workspace, &mut (), &mut found);
        assert_eq!(found.crossings, expected.crossings, "{case}");
        // Of several equally near pairs any may be named where only one is.
        if margin > 0.0 {
            assert_eq!(parts(&found), parts(expected), "{case}");
        }
        assert!(overlap(found.gap, expected.gap), "{case}: {found:?} but {expected:?}");
        found
            .verify(shape_a, pose_a, shape_b, pose_b)
            .unwrap_or_else(|refusal| panic!("{case}, margin {margin}: {refusal:?}"));
        b.contacts_with(pose_b, a, pose_a, &options, workspace, &mut (), &mut back);
        assert_eq!((back.crossings.len(), back.points.len()), (found.crossings.len(), found.points.len()), "{case}");
        assert_eq!(back.gap, found.gap, "{case}: swapped");
    }
}

/// All scenes, with every way to build on the plainer ones.
fn conforms<K: Kind>() {
    let mut workspace = Workspace::default();
    for scene in scenes() {
        let known: Vec<Expected> = scene.poses.iter().map(|poses| expected(&scene, poses, &mut workspace)).collect();
        for (number, build) in Build::ALL.into_iter().enumerate() {
            let options = IndexOptions {
                build,
                leaf: [1, 4][number % 2],
                descend: [Descend::Larger, Descend::Both][number / 2 % 2],
                fit: [Fit::HullSurface, Fit::Vertices, Fit::HullVertices][number % 3],
            };
            let (a, b) = (Index::<K>::new(&scene.a, &options), Index::<K>::new(&scene.b, &options));
            for (poses, expected) in scene.poses.iter().zip(&known) {
                check(&scene, poses, expected, [&a, &b], &mut workspace);
            }
        }
    }
}

#[test]
fn spheres_answer_as_meshes_do() {
    conforms::<Sphere>();
}

#[test]
fn boxes_answer_as_meshes_do() {
    conforms::<Aabb>();
}

#[test]
fn oriented_boxes_answer_as_meshes_do() {
    conforms::<Obb>();
}

#[test]
fn polytopes_of_6_planes_answer_as_meshes_do() {
    conforms::<Kdop<6>>();
}

#[test]
fn polytopes_of_12_planes_answer_as_meshes_do() {
    conforms::<Kdop<12>>();
}

#[test]
fn polytopes_of_14_planes_answer_as_meshes_do() {
    conforms::<Kdop<14>>();
}

#[test]
fn polytopes_of_18_planes_answer_as_meshes_do() {
    conforms::<Kdop<18>>();
}

#[test]
fn polytopes_of_26_planes_answer_as_meshes_do() {
    conforms::<Kdop<26>>();
}

#[test]
fn polytopes_of_32_planes_answer_as_meshes_do() {
    conforms::<Kdop<32>>();
}

#[test]
fn polytopes_of_62_planes_answer_as_meshes_do() {
    conforms::<Kdop<62>>();
}

#[test]
fn line_swept_spheres_answer_as_meshes_do() {
    conforms::<Lss>();
}

#[test]
fn rectangle_swept_spheres_answer_as_meshes_do() {
    conforms::<Rss>();
}

#[test]
fn swept_spheres_chosen_when_built_answer_as_meshes_do() {
    conforms::<SweptSphere>();
}

#[test]
fn swept_spheres_chosen_when_compared_answer_as_meshes_do() {
    conforms::<SweptSpheres>();
}

#[test]
fn box_trees_answer_as_meshes_do() {
    conforms::<BoxTree>();
}

/// Builds on one thread and on several, and refits.
fn same_on_any_number_of_threads<K: Kind>() {
    let mesh = surface(&bumpy_ball(60, 1.0, DVec3::ZERO, 0.2));
    let wavy = |p: DVec3| (p + 0.1 * DVec3::new((3.0 * p.y).sin(), 0.0, p.x * p.x)).to_array();
    let points: Vec<[f64; 3]> = mesh.points().map(wavy).collect();
    let later = mesh.moved(&points).unwrap();
    for build in Build::ALL {
        let options = IndexOptions { build, ..IndexOptions::default() };
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut index = pool.install(|| Index::<K>::new(&mesh, &options));
            let fresh = format!("{:?} {:?}", index.levels(), index.volumes());
            index.refit(&later).unwrap();
            (fresh, format!("{:?}", index.volumes()))
        };
        assert!(of(1) == of(3), "{build:?}");
    }
}

#[test]
fn threads_change_nothing() {
    same_on_any_number_of_threads::<Sphere>();
    same_on_any_number_of_threads::<Obb>();
    same_on_any_number_of_threads::<BoxTree>();
}

/// Every triangle is in exactly one leaf, and the tree is not deep.
fn is_a_tree<K: Kind>(mesh: &Mesh, options: &IndexOptions) {
    let index = Index::<K>::new(mesh, options);
    let levels = index.levels();
    assert_eq!(levels.iter().map(Vec::len).sum::<usize>(), index.node_count());
    let leaves = levels.iter().flatten().filter(|&&node| index.children(node).is_none());
    let mut triangles: Vec<u32> = leaves.flat_map(|&node| index.triangles(node)).collect();
    triangles.sort_unstable();
    assert!(triangles.iter().copied().eq(0..mesh.triangle_count() as u32), "{options:?}");
    assert!(levels.len() < 90, "{options:?}: {} levels", levels.len());
    assert_eq!(index.volumes().len(), index.node_count());
    assert_eq!((index.children(u32::MAX), index.triangles(u32::MAX)), (None, Vec::new()));
}

#[test]
fn trees_hold_every_triangle_once() {
    // Ever smaller and nearer to a corner: a plane through the mean cuts off few.
    let shrinking: Vec<[[f64; 3]; 3]> =
        (0..190).map(|k| 0.5f64.powi(k)).map(|x| [[x, 0.0, 0.0], [1.1 * x, 0.0, 0.0], [x, 0.1 * x, 0.0]]).collect();
    let alike = vec![[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 3000];
    let meshes = [of_corners(&shrinking), of_corners(&alike), surface(&bumpy_ball(50, 1.0, DVec3::ZERO, 0.1))];
    for mesh in &meshes {
        for build in Build::ALL {
            for leaf in [0, 1, 5, u32::MAX] {
                let options = IndexOptions { build, leaf, ..IndexOptions::default() };
                is_a_tree::<Sphere>(mesh, &options);
                is_a_tree::<Obb>(mesh, &options);
                is_a_tree::<BoxTree>(mesh, &options);
            }
        }
    }
}

#[test]
fn an_index_of_another_mesh_is_refused() {
    let lists = bumpy_ball(5, 1.0, DVec3::ZERO, 0.1);
    let mesh = surface(&lists);
    let mut index = Index::<Aabb>::new(&mesh, &IndexOptions::default());
    let fewer = Mesh::new(&lists.0, &lists.1[1..]).unwrap();
    let count = lists.1.len();
    let refused = Err(Error::OtherMesh { triangle: None, triangles: count, found: count - 1 });
    assert_eq!(index.refit(&fewer), refused);
    let mut other = lists.clone();
    other.1[7].swap(0, 1);
    let error = index.refit(&surface(&other)).unwrap_err();
    assert_eq!(error, Error::OtherMesh { triangle: Some(7), triangles: count, found: count });
    assert_eq!(index.mesh(), &mesh);
    // The same triangles on other points, in a mesh with a tree of its own.
    let larger: Vec<[f64; 3]> = lists.0.iter().map(|p| [2.0 * p[2], p[0], -p[1]]).collect();
    let larger = Mesh::new(&larger, &lists.1).unwrap();
    let mut stats = Stats::default();
    index.refit_with(&larger, &mut stats).unwrap();
    assert_eq!(stats.updates, index.node_count() as u64);
    let fresh = Index::<Aabb>::new(&larger, &IndexOptions::default());
    let pose = moved(2.5, 0.1, 0.3);
    assert!(overlap(index.distance(&I, &fresh, &pose).gap, fresh.distance(&I, &index, &pose).gap));
}

/// What a traversal reported.
#[derive(Default)]
struct Record {
    stats: Stats,
    pruned: Vec<(u32, u32)>,
    kept: Vec<(u32, u32)>,
}

impl Count for Record {
    fn volumes(&mut self, test: VolumeTest) {
        self.stats.volumes(test);
        let list = if test.pruned { &mut self.pruned } else { &mut self.kept };
        list.push((test.a, test.b));
    }

    fn triangles(&mut self, a: u32, b: u32) {
        self.stats.triangles(a, b);
    }
}

#[test]
fn what_a_traversal_reports() {
    let a = surface(&bumpy_ball(8, 1.0, DVec3::ZERO, 0.1));
    let b = surface(&bumpy_ball(5, 0.6, DVec3::ZERO, 0.1));
    let options = IndexOptions::default();
    let (a, b) = (Index::<Sphere>::new(&a, &options), Index::<Sphere>::new(&b, &options));
    let (pose, mut workspace) = (moved(1.2, 0.4, 0.2), Workspace::default());
    let (mut record, mut stats, mut back, mut out) =
        (Record::default(), Stats::default(), Record::default(), Contacts::default());
    let options = ContactsOptions::default();
    a.contacts_with(&I, &b, &pose, &options, &mut workspace, &mut record, &mut out);
    a.contacts_with(&I, &b, &pose, &options, &mut workspace, &mut stats, &mut out);
    b.contacts_with(&pose, &a, &I, &options, &mut workspace, &mut back, &mut out);
    assert!(!out.crossings.is_empty() && record.pruned.len() > 20 && record.stats.triangle_tests > 50);
    assert_eq!((record.stats, back.stats.volume_tests), (stats, stats.volume_tests));
    assert!(record.kept.iter().all(|&(p, q)| (p as usize) < a.node_count() && (q as usize) < b.node_count()));
    // In the caller's order, whichever mesh is the frame.
    assert_eq!(back.kept.iter().map(|&(q, p)| (p, q)).collect::<Vec<_>>(), record.kept);
}
