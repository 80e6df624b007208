//! Making meshes: what is refused, moved points, bytes, and the same tree on any number of threads.

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
fn moved_points_answer_like_a_mesh_built_anew() {
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
        assert!((p.value - q.value).abs() < 1e-13, "{} {}", p.value, q.value);
    }
}

#[test]
fn points_move_in_place_and_nothing_else_does() {
    let (mut points, triangles) = wavy(25);
    // The last is no corner of anything.
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
        // What is refused changes nothing.
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
fn bytes_come_back_and_no_bytes_do_harm() {
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
