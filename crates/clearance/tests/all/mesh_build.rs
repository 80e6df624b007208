//! Building meshes: rejected input, moved points, bytes, and the same tree on any number of threads.

use clearance::glam::DVec3;
use clearance::{Error, Mesh, Pose, Shape, distance};
use clearance_oracle::random::Random;

const CUBE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, 1.0, 1.0],
];

const SIDES: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

fn wavy(n: u32) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let height = |x: f64, y: f64| (0.4 * x).sin() + (0.3 * y).cos();
    let points = (0..n * n).map(|k| (f64::from(k / n), f64::from(k % n))).map(|(x, y)| [x, y, height(x, y)]).collect();
    let cells = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| n * i + j));
    (points, cells.flat_map(|at| [[at, at + n, at + n + 1], [at, at + n + 1, at + 1]]).collect())
}

#[test]
fn bad_input_is_named() {
    assert_eq!(Mesh::new(&CUBE, &[]).unwrap_err(), Error::NoTriangles);
    let wrong = Mesh::new(&CUBE, &[[0, 1, 2], [0, 9, 2]]).unwrap_err();
    assert_eq!(wrong, Error::NoSuchPoint { triangle: 1, point: 9, points: 8 });
    let mut points = CUBE;
    points[3][1] = f64::NAN;
    assert_eq!(Mesh::new(&points, &SIDES).unwrap_err(), Error::NotFinite { what: "point", index: 3 });
    points[3][1] = 1e61;
    assert_eq!(Mesh::new(&points, &SIDES).unwrap_err(), Error::TooLarge { what: "point", index: 3, value: 1e61 });
    let mesh = Mesh::new(&CUBE, &SIDES).unwrap();
    assert!(matches!(mesh.moved(&CUBE[..7]), Err(Error::WrongCount { .. })));
}

#[test]
fn solids_are_closed_and_wound_outward() {
    let cube = Mesh::new(&CUBE, &SIDES).unwrap();
    assert!(!cube.is_solid() && cube.solid().unwrap().is_solid());
    assert!((Shape::Mesh(cube.solid().unwrap()).mass_properties().volume - 1.0).abs() < 1e-15);
    assert_eq!(Shape::Mesh(cube).mass_properties().volume, 0.0);
    let open = Mesh::new(&CUBE, &SIDES[1..]).unwrap();
    assert!(matches!(open.solid(), Err(Error::NotSolid { edges: 3, .. })));
    let mut flipped = SIDES;
    flipped[4].swap(0, 1);
    assert!(matches!(Mesh::new(&CUBE, &flipped).unwrap().solid(), Err(Error::NotSolid { edges: 3, .. })));
    let inside_out = SIDES.map(|[a, b, c]| [a, c, b]);
    assert!(matches!(Mesh::new(&CUBE, &inside_out).unwrap().solid(), Err(Error::InsideOut { volume: -1.0 })));
}

#[test]
fn points_and_triangles_come_back_as_given() {
    let (points, triangles) = wavy(20);
    let shifted: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + 1e9, p[1] - 3e8, p[2]]).collect();
    let mesh = Mesh::new(&shifted, &triangles).unwrap();
    assert_eq!(mesh.triangles(), triangles);
    assert!(mesh.points().map(|p| p.to_array()).eq(shifted));
    assert!(mesh.tree_statistics().depth <= 5);
}

#[test]
fn moved_points_answer_like_a_rebuilt_mesh() {
    let (points, triangles) = wavy(25);
    let mesh = Mesh::new(&points, &triangles).unwrap();
    let mut random = Random::new(3);
    let moved: Vec<[f64; 3]> =
        points.iter().map(|p| [2.0 * p[0] + 5.0, p[1] + random.uniform(-0.2, 0.2), 3.0 * p[2] - 1.0]).collect();
    let (fitted, built) = (Shape::Mesh(mesh.moved(&moved).unwrap()), Shape::mesh(&moved, &triangles).unwrap());
    let ball = Shape::Mesh(Mesh::new(&CUBE, &SIDES).unwrap());
    for k in 0..20 {
        let at = DVec3::new(random.uniform(0.0, 50.0), random.uniform(0.0, 25.0), random.uniform(-8.0, 8.0));
        let pose = Pose::from_axis_angle(DVec3::ONE, f64::from(k), at).unwrap();
        let (p, q) =
            (distance(&fitted, &Pose::IDENTITY, &ball, &pose), distance(&built, &Pose::IDENTITY, &ball, &pose));
        assert!((p.gap.value - q.gap.value).abs() < 1e-13, "{} {}", p.gap.value, q.gap.value);
    }
}

#[test]
fn only_points_move_in_place() {
    let (mut points, triangles) = wavy(25);
    // The last one is not a corner of any triangle.
    points.push([1e50, -3.0, 1e-50]);
    for points in [points.clone(), points[..points.len() - 1].to_vec()] {
        let mut mesh = Mesh::new(&points, &triangles).unwrap();
        let shift = |p: &[f64; 3]| [0.25 * p[0] + 1e6, p[1] - 2e6, p[2] * (1.0 + 0.01 * p[0])];
        let moved: Vec<[f64; 3]> = points.iter().map(shift).collect();
        let before = mesh.clone();
        mesh.move_points(&moved).unwrap();
        assert!(before.points().map(|p| p.to_array()).eq(points.iter().copied()));
        assert!(mesh.points().map(|p| p.to_array()).eq(moved.iter().copied()));
        assert_eq!(mesh.triangles(), triangles);
        assert_ne!(mesh, before);
        // Shared or not, the bytes are the same, and back again they are what they were.
        assert!(before.moved(&moved).unwrap().to_bytes() == mesh.to_bytes());
        assert_eq!(Shape::Mesh(mesh.clone()).bounds(), Shape::mesh(&moved, &triangles).unwrap().bounds());
        mesh.move_points(&points).unwrap();
        assert!(mesh == before && mesh.to_bytes() == before.to_bytes());
        // Rejected input changes nothing.
        let mut wrong = moved.clone();
        wrong[7][1] = f64::INFINITY;
        assert_eq!(mesh.move_points(&wrong).unwrap_err(), Error::NotFinite { what: "point", index: 7 });
        assert!(matches!(mesh.move_points(&moved[1..]), Err(Error::WrongCount { .. })));
        assert!(mesh.to_bytes() == before.to_bytes());
    }
    let mut cube = Mesh::new(&CUBE, &SIDES).unwrap().solid().unwrap();
    let mirrored = CUBE.map(|[x, y, z]| [-x, y, z]);
    assert!(matches!(cube.move_points(&mirrored), Err(Error::InsideOut { volume: -1.0 })));
    assert!(cube.points().map(|p| p.to_array()).eq(CUBE));
    cube.move_points(&CUBE.map(|[x, y, z]| [2.0 * x, y, z + 5.0])).unwrap();
    assert!(cube.is_solid() && (Shape::Mesh(cube).mass_properties().volume - 2.0).abs() < 1e-14);
}

#[test]
fn a_mesh_takes_few_bytes() {
    for n in [23, 71, 224] {
        let (points, triangles) = wavy(n);
        let mesh = Mesh::new(&points, &triangles).unwrap();
        let bytes = mesh.bytes() as f64 / triangles.len() as f64;
        assert!(bytes <= 64.0, "{bytes} a triangle of {}", triangles.len());
    }
}

#[test]
fn bytes_round_trip_and_invalid_bytes_are_harmless() {
    let (points, triangles) = wavy(12);
    let mesh = Mesh::new(&points, &triangles).unwrap();
    let bytes = mesh.to_bytes();
    assert_eq!(Mesh::from_bytes(&bytes).unwrap(), mesh);
    let cube = Mesh::new(&CUBE, &SIDES).unwrap().solid().unwrap();
    assert!(Mesh::from_bytes(&cube.to_bytes()).unwrap().is_solid());
    // A mirrored surface has coordinates of -0.
    let mirrored: Vec<[f64; 3]> = points.iter().map(|&[x, y, z]| [-x, y, z]).collect();
    let around: Vec<[f64; 3]> = points.iter().chain(&mirrored).copied().collect();
    let count = points.len() as u32;
    let both: Vec<[u32; 3]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [a, c, b].map(|point| point + count)]).collect();
    assert!(around.iter().flatten().any(|x| *x == 0.0 && x.is_sign_negative()));
    let mesh = Mesh::new(&around, &both).unwrap();
    assert_eq!(Mesh::from_bytes(&mesh.to_bytes()).unwrap(), mesh);
    for end in [0, 7, 16, 20, 100, bytes.len() - 1] {
        assert!(matches!(Mesh::from_bytes(&bytes[..end]), Err(Error::BadBytes { .. })));
    }
    let mut random = Random::new(11);
    for _ in 0..200 {
        let mut broken = bytes.clone();
        broken[random.index(bytes.len())] ^= 1 << random.index(8);
        assert!(Mesh::from_bytes(&broken).is_err());
    }
}

#[test]
fn nearest_points_follow_moved_points() {
    let (points, triangles) = wavy(12);
    let mut mesh = Mesh::new(&points, &triangles).unwrap();
    let at = DVec3::new(5.0, 5.0, 40.0);
    // Data built for closest points follows when the points move.
    let _ = clearance::closest_point(&Shape::Mesh(mesh.clone()), &Pose::IDENTITY, at);
    let lifted: Vec<[f64; 3]> = points.iter().map(|&[x, y, z]| [x + 3.0 * z, y - 2.0 * x, 7.0 * z + x * y]).collect();
    mesh.move_points(&lifted).unwrap();
    let fresh = Shape::Mesh(Mesh::new(&lifted, &triangles).unwrap());
    let moved = Shape::Mesh(mesh);
    for k in 0..200 {
        let at = DVec3::new(f64::from(k % 20), f64::from(k / 10) - 20.0, f64::from(k % 7) * 10.0);
        let [one, other] = [&moved, &fresh].map(|mesh| clearance::closest_point(mesh, &Pose::IDENTITY, at));
        assert!(
            one.distance.lower <= other.distance.upper && other.distance.lower <= one.distance.upper,
            "{at}: {one:?}, {other:?}"
        );
    }
}

/// The checksum of a mesh as bytes: Fowler, Noll and Vo's hash, eight bytes at a time, turned.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 8);
    let sum = bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    });
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// A mesh as bytes with some of them changed, and a checksum that is right.
fn forged(mesh: &Mesh, at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = mesh.to_bytes();
    bytes[at..at + new.len()].copy_from_slice(new);
    with_checksum(bytes)
}

/// The offsets of the sections in the bytes of a mesh.
fn places(points: usize, triangles: usize) -> [usize; 5] {
    let corners = 32 + 24 * points + 8;
    let ids = corners + 12 * triangles;
    // The flag, the points, the corners, the numbers of triangles, the nodes.
    [20, 32, corners, ids, ids + 4 * triangles + 8]
}

#[test]
fn forged_bytes_are_not_a_solid() {
    let [flag, points, corners, ..] = places(8, 12);
    let solid = Mesh::new(&CUBE, &SIDES).unwrap().solid().unwrap();
    assert_eq!(Mesh::from_bytes(&forged(&solid, flag, &[1])).unwrap(), solid);
    assert!(!Mesh::from_bytes(&forged(&solid, flag, &[0])).unwrap().is_solid());
    assert!(matches!(Mesh::from_bytes(&forged(&solid, flag, &[2])), Err(Error::BadBytes { .. })));
    let open = Mesh::new(&CUBE, &SIDES[1..]).unwrap();
    assert!(matches!(Mesh::from_bytes(&forged(&open, flag, &[1])), Err(Error::NotSolid { edges: 3, .. })));
    let inside_out = Mesh::new(&CUBE, &SIDES.map(|[a, b, c]| [a, c, b])).unwrap();
    assert!(matches!(Mesh::from_bytes(&forged(&inside_out, flag, &[1])), Err(Error::InsideOut { .. })));
    // A solid with one corner changed to another point: it then has a hole.
    for corner in 0..36 {
        let bytes = solid.to_bytes();
        let named = bytes[corners + 4 * corner];
        let other = forged(&solid, corners + 4 * corner, &[(named + 1) % 8]);
        assert!(matches!(Mesh::from_bytes(&other), Err(Error::NotSolid { .. })), "corner {corner}");
    }
    // A solid whose points come to lie mirrored.
    let mirrored: Vec<u8> = CUBE.iter().flat_map(|&[x, y, z]| [-x, y, z]).flat_map(f64::to_le_bytes).collect();
    assert!(matches!(Mesh::from_bytes(&forged(&solid, points, &mirrored)), Err(Error::InsideOut { .. })));
    let infinite = f64::INFINITY.to_le_bytes();
    assert!(matches!(Mesh::from_bytes(&forged(&solid, points, &infinite)), Err(Error::BadBytes { .. })));
    let huge = 1e61f64.to_le_bytes();
    assert!(matches!(Mesh::from_bytes(&forged(&solid, points, &huge)), Err(Error::TooLarge { index: 0, .. })));
}

#[test]
fn forged_bytes_have_no_wrong_tree() {
    let (points, triangles) = wavy(12);
    let mesh = Mesh::new(&points, &triangles).unwrap();
    let bytes = mesh.to_bytes();
    let [_, at_points, _, ids, nodes] = places(points.len(), triangles.len());
    // A duplicate triangle index, and one out of range.
    for id in [&bytes[ids + 4..ids + 8], &(triangles.len() as u32).to_le_bytes()] {
        assert!(matches!(Mesh::from_bytes(&forged(&mesh, ids, id)), Err(Error::BadBytes { .. })));
    }
    // Every word of the tree: the children of a lane, and the triangles of a leaf.
    for word in (nodes..bytes.len() - 8).step_by(4) {
        let old = bytes[word..word + 4].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        for new in [old ^ 1, old.wrapping_add(16), u32::MAX] {
            let read = Mesh::from_bytes(&forged(&mesh, word, &new.to_le_bytes()));
            assert!(matches!(read, Err(Error::BadBytes { .. })), "word {word}: {read:?}");
        }
    }
    // More after the end, and fewer nodes than there are.
    let mut longer = mesh.to_bytes();
    longer.extend([0; 8]);
    assert!(matches!(Mesh::from_bytes(&with_checksum(longer)), Err(Error::BadBytes { .. })));
    assert!(matches!(Mesh::from_bytes(&forged(&mesh, nodes - 8, &[1])), Err(Error::BadBytes { .. })));
    // A point far from where the tree was built: the boxes follow, and queries find it.
    let far: Vec<u8> = [5.0, 5.0, 90.0f64].into_iter().flat_map(f64::to_le_bytes).collect();
    let read = Mesh::from_bytes(&forged(&mesh, at_points + 24 * 65, &far)).unwrap();
    let mut moved = points.clone();
    moved[65] = [5.0, 5.0, 90.0];
    assert_eq!(read, mesh.moved(&moved).unwrap());
    let ball = Shape::sphere(1.0).unwrap();
    let there = Pose::from_translation(DVec3::new(5.0, 5.0, 92.0)).unwrap();
    let found = distance(&Shape::Mesh(read), &Pose::IDENTITY, &ball, &there);
    assert!(found.gap.lower <= 1.0 && 1.0 <= found.gap.upper, "{found:?}");
}

#[cfg(feature = "parallel")]
#[test]
fn the_tree_is_the_same_on_any_number_of_threads() {
    let (points, triangles) = wavy(150);
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Mesh::new(&points, &triangles).unwrap().to_bytes())
    };
    let one = build(1);
    assert!(one == build(2) && one == build(7));
    let lifted: Vec<[f64; 3]> = points.iter().map(|p| [p[0], p[1], 3.0 * p[2]]).collect();
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut mesh = Mesh::new(&points, &triangles).unwrap();
        pool.install(|| mesh.move_points(&lifted).unwrap());
        mesh.to_bytes()
    };
    let one = fit(1);
    assert!(one == fit(2) && one == fit(7));
}
