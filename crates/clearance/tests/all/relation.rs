//! `relation`: its proof, and surfaces and solids. A surface overlaps a solid exactly if a point of it is in the
//! solid's interior: sheets that touch, cross, lie in walls, in cavities and inside, against solid meshes, convex
//! bodies, compounds and terrain; thousands of them on a grid, where rational arithmetic knows the truth.

use std::sync::Arc;

use clearance::Error;
use clearance::QueryError;
use clearance::answer::{Contacts, Evidence, RelationProof};
use clearance::glam::{DVec2, DVec3};
use clearance::query::{ContactsOptions, RelationOptions, contacts_with, relation_with};
use clearance::shape::{Aabb, Compound, HeightField, Support};
use clearance::verify::Refusal;
use clearance::{
    Bracket, Mesh, PairCache, Pose, Relation, Shape, Workspace, distance, intersects, penetration, relation,
};
use clearance_oracle::body::IDENTITY;
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, Rational, signed_distance};

use crate::common::false_claims::Case;
use crate::common::meshes::{Lists, box_lists, solid, surface};
use crate::common::{proof_of, shape_and_pose};
use crate::distance::{check_both_orders, tetrahedron, turned};

type Point = [i64; 3];

fn floats(point: Point) -> [f64; 3] {
    point.map(|x| x as f64)
}

/// A surface of triangles that share points of equal coordinates.
fn sheet(triangles: &[[Point; 3]]) -> Shape {
    let mut points: Vec<Point> = triangles.iter().flatten().copied().collect();
    points.sort_unstable();
    points.dedup();
    let number = |p: &Point| points.binary_search(p).unwrap() as u32;
    let numbers: Vec<[u32; 3]> = triangles.iter().map(|t| t.each_ref().map(number)).collect();
    surface(&(points.iter().copied().map(floats).collect(), numbers))
}

/// Two triangles: the rectangle of a corner and two edge vectors.
fn rectangle(corner: Point, u: Point, v: Point) -> [[Point; 3]; 2] {
    let at = |s: i64, t: i64| [0, 1, 2].map(|k| corner[k] + s * u[k] + t * v[k]);
    [[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]]
}

/// Cubes of side 2 on a grid.
struct Cubes {
    filled: Vec<Point>,
}

impl Cubes {
    fn has(&self, cube: Point) -> bool {
        self.filled.contains(&cube)
    }

    /// The faces between filled and empty cubes.
    fn lists(&self) -> Lists {
        let mut quads: Vec<[Point; 4]> = Vec::new();
        for cube in &self.filled {
            for axis in 0..3 {
                for way in [0, 1] {
                    let mut beside = *cube;
                    beside[axis] += 2 * way - 1;
                    if self.has(beside) {
                        continue;
                    }
                    let mut corner = *cube;
                    corner[axis] += way;
                    let (mut u, mut v) = ([0; 3], [0; 3]);
                    (u[(axis + 1) % 3], v[(axis + 2) % 3]) = (1, 1);
                    let at = |s: i64, t: i64| [0, 1, 2].map(|k| 2 * (corner[k] + s * u[k] + t * v[k]));
                    let quad = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                    quads.push(if way == 1 { quad } else { [quad[0], quad[3], quad[2], quad[1]] });
                }
            }
        }
        let mut points: Vec<Point> = quads.iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        let number = |p: &Point| points.binary_search(p).unwrap() as u32;
        let triangles = quads.iter().flat_map(|q| {
            let [a, b, c, d] = q.each_ref().map(number);
            [[a, b, c], [a, c, d]]
        });
        (points.iter().copied().map(floats).collect(), triangles.collect())
    }

    /// Whether a point of a triangle is in the interior: in an open cube, or in a face, an edge or a corner with
    /// nothing but filled cubes about it.
    fn hold_a_point_of(&self, triangle: &[Point; 3]) -> bool {
        let low = [0, 1, 2].map(|k| triangle.iter().map(|p| p[k]).min().unwrap());
        let high = [0, 1, 2].map(|k| triangle.iter().map(|p| p[k]).max().unwrap());
        // Cells by their doubled centres: odd along an axis between grid planes, even on one.
        let range = |k: usize| low[k] - 1..=high[k] + 1;
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    if self.is_inner([x, y, z]) && meets_cell(triangle, [x, y, z]) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether all cubes about a cell are filled.
    fn is_inner(&self, cell: Point) -> bool {
        let about = |k: usize| {
            if cell[k].rem_euclid(2) == 1 { vec![cell[k].div_euclid(2)] } else { vec![cell[k] / 2 - 1, cell[k] / 2] }
        };
        about(0).iter().all(|&x| about(1).iter().all(|&y| about(2).iter().all(|&z| self.has([x, y, z]))))
    }
}

type RationalPoint = [Rational; 3];

/// Clips a polygon by a plane.
fn clipped(polygon: &[RationalPoint], above: &dyn Fn(&RationalPoint) -> Rational) -> Vec<RationalPoint> {
    let mut kept = Vec::new();
    for (i, p) in polygon.iter().enumerate() {
        let q = &polygon[(i + 1) % polygon.len()];
        let (of_p, of_q) = (above(p), above(q));
        if !of_p.is_negative() {
            kept.push(p.clone());
        }
        if of_p.is_negative() != of_q.is_negative() && !of_p.is_zero() && !of_q.is_zero() {
            let share = &of_p / &(&of_p - &of_q);
            kept.push([0, 1, 2].map(|k| &p[k] + &(&share * &(&q[k] - &p[k]))));
        }
    }
    kept
}

fn middle(polygon: &[RationalPoint]) -> RationalPoint {
    let count = Rational::from(polygon.len() as i64);
    [0, 1, 2].map(|k| &polygon.iter().fold(Rational::zero(), |sum, p| &sum + &p[k]) / &count)
}

fn rational(triangle: &[Point; 3]) -> Vec<RationalPoint> {
    triangle.iter().map(|p| p.map(Rational::from)).collect()
}

/// Whether a triangle meets an open cell: the intersection with the closed cell is convex, and its centroid is in the
/// open cell if any point is.
fn meets_cell(triangle: &[Point; 3], cell: Point) -> bool {
    let sides = cell.map(|x| if x.rem_euclid(2) == 1 { [x - 1, x + 1] } else { [x, x] }.map(Rational::from));
    let mut polygon = rational(triangle);
    for k in 0..3 {
        for (side, sign) in sides[k].iter().zip([1, -1]) {
            polygon = clipped(&polygon, &|p| &Rational::from(sign) * &(&p[k] - side));
            if polygon.is_empty() {
                return false;
            }
        }
    }
    let middle = middle(&polygon);
    (0..3).all(|k| sides[k][0] == sides[k][1] || (sides[k][0] < middle[k] && middle[k] < sides[k][1]))
}

/// Queries in both orders, verifies, and compares with the other queries; returns the proof.
fn ask(label: &str, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> RelationProof {
    let proof = proof_of(a, pose_a, b, pose_b);
    let context = || format!("{label}: {proof:?}");
    proof.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
    let other = proof_of(b, pose_b, a, pose_a);
    other.verify(b, pose_b, a, pose_a).unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
    assert_eq!(
        (proof.relation, proof.gap.lower, proof.gap.upper),
        (other.relation, other.gap.lower, other.gap.upper),
        "{}",
        context()
    );
    let apart = distance(a, pose_a, b, pose_b);
    if proof.relation == Relation::Overlapping {
        assert!(apart.gap.value == 0.0 && intersects(a, pose_a, b, pose_b), "{}", context());
    }
    let contacts = contacts_of(a, pose_a, b, pose_b);
    // Where faces of two frames are coplanar up to rounding, the ends of their intersection are arbitrary.
    if pose_a == pose_b {
        let checked = contacts.verify(a, pose_a, b, pose_b);
        checked.unwrap_or_else(|refusal| panic!("{refusal}\n{contacts:?}\n{}", context()));
    }
    assert!(
        contacts.gap.lower <= proof.gap.upper && proof.gap.lower <= contacts.gap.upper,
        "{contacts:?} {}",
        context()
    );
    proof
}

fn contacts_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Contacts {
    let mut contacts = Contacts::default();
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    contacts_with(a, pose_a, b, pose_b, &ContactsOptions::default(), &mut cache, &mut workspace, &mut contacts);
    contacts
}

/// The identity, and a pose that rounds.
fn poses() -> [Pose; 2] {
    [Pose::IDENTITY, Pose::from_axis_angle(DVec3::new(1.0, -2.0, 0.5), 0.8, DVec3::new(3.0, -1.0, 7.0)).unwrap()]
}

fn expect(label: &str, solid: &Shape, sheet: &Shape, relation: Relation) {
    for pose in poses() {
        let proof = ask(label, solid, &pose, sheet, &pose);
        assert_eq!(proof.relation, relation, "{label}: {proof:?}");
        // The sheet in its own frame, in the same place up to rounding.
        let turned = Pose::from_axis_angle(DVec3::new(0.3, 1.0, 0.2), 1.1, DVec3::new(0.5, 0.25, -2.0)).unwrap();
        let moved = Shape::Mesh(in_frame_of(sheet, &turned));
        let there = composed(&pose, &turned);
        let proof = ask(label, solid, &pose, &moved, &there);
        assert_eq!(proof.relation, relation, "{label}, in another frame: {proof:?}");
    }
}

/// The points of a mesh expressed in the frame of a pose.
fn in_frame_of(shape: &Shape, pose: &Pose) -> Mesh {
    let Shape::Mesh(mesh) = shape else { panic!("{shape:?}") };
    let points: Vec<[f64; 3]> = mesh.points().map(|p| pose.inverse_transform_point(p).to_array()).collect();
    let moved = Mesh::new(&points, &mesh.triangles()).unwrap();
    if mesh.is_solid() { moved.solid().unwrap() } else { moved }
}

fn composed(outer: &Pose, inner: &Pose) -> Pose {
    let rotation = outer.rotation() * inner.rotation();
    Pose::new(rotation, outer.transform_point(inner.translation())).unwrap()
}

fn cube() -> Shape {
    solid(&box_lists(DVec3::ZERO, DVec3::splat(4.0)))
}

#[test]
fn sheets_and_a_cube() {
    use Relation::{Overlapping, Separated, Touching};
    let (x, y) = ([4, 0, 0], [0, 4, 0]);
    let cases: [(&str, Vec<[Point; 3]>, Relation); 19] = [
        ("across, all edges on the walls", rectangle([0, 0, 2], x, y).to_vec(), Overlapping),
        ("one triangle of that", rectangle([0, 0, 2], x, y)[..1].to_vec(), Overlapping),
        ("strictly inside", rectangle([1, 1, 2], [2, 0, 0], [0, 2, 0]).to_vec(), Overlapping),
        ("inside, one edge on a wall", rectangle([0, 1, 2], [2, 0, 0], [0, 2, 0]).to_vec(), Overlapping),
        ("inside, one corner on a wall", vec![[[0, 2, 2], [1, 1, 2], [1, 3, 2]]], Overlapping),
        ("inside, corners on three edges", vec![[[0, 0, 2], [4, 2, 0], [2, 4, 4]]], Overlapping),
        ("inside, corners in corners", vec![[[0, 0, 0], [4, 4, 0], [4, 0, 4]]], Overlapping),
        ("through a wall", rectangle([2, 1, 2], x, [0, 2, 0]).to_vec(), Overlapping),
        ("through all of it", rectangle([-2, -2, 1], [8, 0, 0], [0, 8, 0]).to_vec(), Overlapping),
        (
            "one triangle inside, one in a wall",
            vec![[[0, 0, 0], [0, 4, 0], [0, 0, 4]], [[0, 0, 0], [0, 4, 0], [3, 1, 2]]],
            Overlapping,
        ),
        ("in a wall", rectangle([0, 1, 1], [0, 2, 0], [0, 0, 2]).to_vec(), Touching),
        ("a wall and more", rectangle([4, -3, -3], [0, 9, 0], [0, 0, 9]).to_vec(), Touching),
        ("outside, an edge on a wall", rectangle([4, 1, 1], [3, 0, 1], [0, 2, 0]).to_vec(), Touching),
        ("outside, a corner on a wall", vec![[[4, 2, 2], [6, 1, 1], [6, 3, 1]]], Touching),
        ("outside, along an edge", rectangle([2, -2, 4], [4, 4, 0], [1, -1, 2]).to_vec(), Touching),
        (
            "outside, at a corner",
            vec![[[12, 0, 0], [0, 12, 0], [0, 0, 12]], [[4, 4, 4], [8, 8, 9], [5, 8, 8]]],
            Touching,
        ),
        ("apart", rectangle([5, 1, 1], [3, 0, 1], [0, 2, 0]).to_vec(), Separated),
        ("without area, through it", vec![[[-1, 2, 2], [5, 2, 2], [3, 2, 2]]], Overlapping),
        (
            "without area, along a wall",
            vec![[[0, 1, 2], [0, 3, 2], [0, 2, 2]], [[4, 4, 4], [4, 4, 4], [4, 4, 4]]],
            Touching,
        ),
    ];
    for (label, triangles, relation) in &cases {
        expect(label, &cube(), &sheet(triangles), *relation);
    }
    // The sheet of four triangles of which one alone is inside.
    let bent = vec![
        [[0, 0, 0], [0, 4, 0], [-3, 2, 1]],
        [[0, 0, 0], [0, 4, 0], [0, 2, 3]],
        [[0, 4, 0], [0, 2, 3], [0, 4, 3]],
        [[0, 0, 0], [0, 2, 3], [1, 1, 1]],
    ];
    expect("one of four", &cube(), &sheet(&bent), Overlapping);
    expect("three of four", &cube(), &sheet(&bent[..3]), Touching);
    // Without area and inside: a segment between two walls, and a point.
    expect("a segment", &cube(), &sheet(&[[[0, 2, 2], [4, 3, 1], [0, 2, 2]]]), Overlapping);
    expect("a point", &cube(), &sheet(&[[[2, 2, 2]; 3]]), Overlapping);
    expect("a point of a wall", &cube(), &sheet(&[[[2, 2, 4]; 3]]), Touching);
}

#[test]
fn sheets_and_a_cavity() {
    use Relation::{Overlapping, Touching};
    let all = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|&cube| cube != [1, 1, 1]).collect();
    let hollow = solid(&Cubes { filled: all }.lists());
    let across = |low: i64, side: i64| sheet(&rectangle([low, low, 3], [side, 0, 0], [0, side, 0]));
    expect("all of the cavity", &hollow, &across(2, 2), Touching);
    expect("more than the cavity", &hollow, &across(1, 4), Overlapping);
    expect("a wall of the cavity", &hollow, &sheet(&rectangle([2, 2, 2], [2, 0, 0], [0, 2, 0])), Touching);
    expect("beyond a wall", &hollow, &sheet(&rectangle([2, 2, 2], [2, 0, 0], [0, 3, 0])), Overlapping);
    expect(
        "in the material, an edge on the cavity",
        &hollow,
        &sheet(&[[[3, 4, 2], [3, 4, 4], [3, 6, 3]]]),
        Overlapping,
    );
    expect("a corner on it from inside", &hollow, &sheet(&[[[3, 3, 4], [3, 2, 3], [2, 3, 3]]]), Touching);
    let loose = Shape::mesh(&[[2.5, 2.5, 3.0], [3.5, 2.5, 3.0], [2.5, 3.5, 3.0]], &[[0, 1, 2]]).unwrap();
    let proof = ask("in the cavity", &hollow, &Pose::IDENTITY, &loose, &Pose::IDENTITY);
    assert!(proof.relation == Relation::Separated && proof.gap.upper >= 0.5, "{proof:?}");
}

/// A solid of cubes, if its surface is manifold: each edge between two faces.
fn random_cubes(random: &mut Random) -> Cubes {
    let shapes: [Vec<Point>; 4] = [
        vec![[0, 0, 0]],
        vec![[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|&cube| cube != [1, 1, 1]).collect(),
        vec![[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 1], [2, 0, 1], [0, 1, 0]],
    ];
    let mut filled = shapes[random.index(4)].clone();
    if random.coin() {
        let more = [random.integer(0, 2), random.integer(0, 2), random.integer(0, 2)];
        if !filled.contains(&more) {
            filled.push(more);
        }
    }
    Cubes { filled }
}

#[test]
fn sheets_on_a_grid_against_solids_of_cubes() {
    let mut random = Random::new(22);
    let (mut inside, mut touching, mut apart) = (0, 0, 0);
    for round in 0..3_000 {
        let cubes = random_cubes(&mut random);
        let (points, triangles) = cubes.lists();
        let Ok(solid) = Mesh::new(&points, &triangles).unwrap().solid() else { continue };
        let solid = Shape::Mesh(solid);
        let count = 1 + random.index(3);
        let most = if random.coin() { 6 } else { 4 };
        // Often in one of the planes of the grid.
        let flat = random.coin().then(|| (random.index(3), random.integer(0, 6)));
        let sheets: Vec<[Point; 3]> = (0..count)
            .map(|_| {
                [(); 3].map(|()| {
                    let mut point = [(); 3].map(|()| random.integer(0, most));
                    if let Some((axis, at)) = flat {
                        point[axis] = at;
                    }
                    point
                })
            })
            .collect();
        let label = format!("round {round}: {:?} {sheets:?}", cubes.filled);
        let truth = sheets.iter().any(|triangle| cubes.hold_a_point_of(triangle));
        let pose = poses()[round % 2];
        let proof = ask(&label, &solid, &pose, &sheet(&sheets), &pose);
        assert_eq!(proof.relation == Relation::Overlapping, truth, "{label}: {proof:?}");
        match proof.relation {
            Relation::Overlapping => inside += 1,
            Relation::Touching => touching += 1,
            Relation::Separated => apart += 1,
        }
    }
    assert!(inside > 800 && touching > 250 && apart > 80, "{inside} {touching} {apart}");
}

/// The corners of a tetrahedron on a grid and its faces, seen counter-clockwise from outside; `None` if it is flat.
fn random_tetrahedron(random: &mut Random) -> Option<Lists> {
    let points = [(); 4].map(|()| [(); 3].map(|()| random.integer(0, 6) as f64));
    let [p, q, r, s] = points.map(DVec3::from_array);
    let side = (q - p).cross(r - p).dot(s - p);
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let turned = faces.map(|[a, b, c]| [a, c, b]);
    (side != 0.0).then(|| (points.to_vec(), if side > 0.0 { faces } else { turned }.to_vec()))
}

#[test]
fn triangles_on_a_grid_against_tetrahedra_of_every_kind() {
    let mut random = Random::new(23);
    let (mut inside, mut touching) = (0, 0);
    for round in 0..1_500 {
        let Some(lists) = random_tetrahedron(&mut random) else { continue };
        let triangle = [(); 3].map(|()| [(); 3].map(|()| random.integer(0, 6)));
        // In a face, along an edge, or with a corner in one, often.
        let corner = |k: usize| lists.0[k].map(|x| x as i64);
        let triangle = match round % 4 {
            0 => [corner(0), triangle[1], triangle[2]],
            1 => [corner(0), corner(1), triangle[2]],
            2 => [corner(0), corner(1), corner(2)].map(|p| [0, 1, 2].map(|k| 2 * p[k] - corner(0)[k])),
            _ => triangle,
        };
        let as_hull = |points: Vec<[f64; 3]>| OracleBody::hull(points);
        let truth = signed_distance(&as_hull(lists.0.clone()), &as_hull(triangle.map(floats).to_vec()));
        let surface = sheet(&[triangle]);
        let corners = lists.0.iter().copied().map(DVec3::from_array).collect::<Vec<_>>();
        let kinds = [
            ("solid mesh", solid(&lists)),
            ("tetrahedron", Shape::tetrahedron([corners[0], corners[1], corners[2], corners[3]]).unwrap()),
            ("hull", Shape::hull(&lists.0).unwrap()),
        ];
        for (kind, body) in kinds {
            let label = format!("round {round}: {kind} {:?} {triangle:?}", lists.0);
            let proof = ask(&label, &body, &Pose::IDENTITY, &surface, &Pose::IDENTITY);
            assert!(truth.is_within(proof.gap.lower, proof.gap.upper), "{label}: {truth:?} {proof:?}");
            assert_eq!(proof.relation == Relation::Overlapping, truth.sign().is_lt(), "{label}: {proof:?}");
            inside += u32::from(proof.relation == Relation::Overlapping);
            touching += u32::from(proof.relation == Relation::Touching);
        }
    }
    assert!(inside > 500 && touching > 500, "{inside} {touching}");
}

/// A sheet across the plane z = `height`, of two triangles.
fn level(height: f64, half: f64) -> Shape {
    let at = |x: f64, y: f64| [x * half, y * half, height];
    Shape::mesh(&[at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)], &[[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// A ball by its support mapping.
#[derive(Debug)]
struct Ball;

impl Support for Ball {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize_or_zero()
    }
    fn slack(&self) -> f64 {
        1e-15
    }
    fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::splat(-1.0), DVec3::ONE)
    }
}

/// The same, flattened.
#[derive(Debug)]
struct Disc;

impl Support for Disc {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.with_z(0.0).normalize_or_zero()
    }
    fn slack(&self) -> f64 {
        1e-15
    }
    fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 0.0))
    }
}

#[test]
fn sheets_through_convex_bodies_overlap_them() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    // All reach from -1 to 1 along z.
    let bodies = [
        Shape::sphere(1.0).unwrap(),
        cube.clone(),
        Shape::capsule(0.5, 0.5).unwrap(),
        Shape::cylinder(1.0, 0.75).unwrap(),
        Shape::cone(1.0, 0.75).unwrap(),
        Shape::ellipsoid(DVec3::new(0.5, 0.75, 1.0)).unwrap(),
        Shape::rounded(Shape::cuboid(DVec3::splat(0.75)).unwrap(), 0.25).unwrap(),
        Shape::tetrahedron([
            DVec3::Z,
            DVec3::new(1.0, 0.0, -1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(-1.0, -1.0, -1.0),
        ])
        .unwrap(),
        Shape::hull(&[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 0.0, -1.0]]).unwrap(),
        Shape::custom(Arc::new(Ball)).unwrap(),
        Shape::Compound(
            Compound::new(vec![
                (Pose::from_translation(DVec3::X * 9.0).unwrap(), cube.clone()),
                (Pose::IDENTITY, cube),
            ])
            .unwrap(),
        ),
    ];
    for body in &bodies {
        // As large as the body, far larger, and small, all of it inside.
        for half in [1.0, 64.0, 0.03125] {
            for pose in poses() {
                let through = ask("through", body, &pose, &level(0.25, half), &pose);
                assert_eq!(through.relation, Relation::Overlapping, "{body:?} {half}: {through:?}");
                let above = ask("above", body, &pose, &level(1.5, half), &pose);
                assert_eq!(above.relation, Relation::Separated, "{body:?} {half}: {above:?}");
            }
            let touching = ask("at the top", body, &Pose::IDENTITY, &level(1.0, half), &Pose::IDENTITY);
            assert_eq!(touching.relation, Relation::Touching, "{body:?} {half}: {touching:?}");
            assert!(touching.gap.lower < 0.0, "{touching:?}");
        }
    }
    // Half-spaces and terrain are solid below.
    let ground = HeightField::new(3, 3, DVec2::ONE, vec![0.0; 9]).unwrap();
    let field_at = Pose::from_translation(DVec3::new(-1.0, -1.0, 0.0)).unwrap();
    let below = [(Shape::half_space(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY), (Shape::HeightField(ground), field_at)];
    for (body, pose) in &below {
        for (height, relation) in [(-0.5, Relation::Overlapping), (0.0, Relation::Touching), (0.5, Relation::Separated)]
        {
            let proof = ask("ground", body, pose, &level(height, 0.5), &Pose::IDENTITY);
            assert_eq!(proof.relation, relation, "{body:?} {height}: {proof:?}");
        }
    }
}

#[test]
fn flat_bodies_only_touch_a_surface() {
    let flat = [
        Shape::segment(DVec3::new(0.1, 0.2, -1.0), DVec3::new(0.1, 0.2, 1.0)).unwrap(),
        Shape::triangle(DVec3::NEG_Z, DVec3::Z, DVec3::X).unwrap(),
        Shape::flat_hull(&[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.0]]).unwrap(),
        level(0.25, 0.5),
        Shape::mesh(&[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.0]], &[[0, 1, 2]]).unwrap(),
    ];
    for body in &flat {
        let proof = ask("flat", body, &Pose::IDENTITY, &level(0.25, 1.0), &Pose::IDENTITY);
        assert_eq!((proof.relation, proof.gap.lower), (Relation::Touching, 0.0), "{body:?}: {proof:?}");
    }
    // A disc upright through the sheet.
    let upright = Pose::from_axis_angle(DVec3::X, 1.5, DVec3::ZERO).unwrap();
    let disc = Shape::custom(Arc::new(Disc)).unwrap();
    let proof = ask("disc", &disc, &upright, &level(0.25, 1.0), &Pose::IDENTITY);
    assert_eq!(proof.relation, Relation::Touching, "{proof:?}");
}

#[test]
fn a_sheet_gives_the_same_as_a_mesh_and_as_a_flat_hull() {
    // The unit cube, and the sheet at half its height over all of it.
    let cube = solid(&box_lists(DVec3::ZERO, DVec3::ONE));
    let corners = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.0, 1.0, 0.5]];
    let mesh = Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let hull = Shape::flat_hull(&corners).unwrap();
    let here = Pose::IDENTITY;
    let proofs = [&mesh, &hull].map(|sheet| ask("unit cube", &cube, &here, sheet, &here));
    for proof in &proofs {
        assert_eq!(proof.relation, Relation::Overlapping, "{proof:?}");
        // Up or down by one half separates.
        assert!(proof.gap.lower <= -0.5 && -0.5 <= proof.gap.upper, "{proof:?}");
        assert!(proof.gap.upper <= -0.1, "{proof:?}");
    }
    // The depth is undefined: a surface bounds nothing.
    assert!(matches!(penetration(&cube, &here, &mesh, &here), Err(QueryError::Body(Error::NotSolid { edges: 4, .. }))));
    assert_eq!(relation(&cube, &here, &mesh, &here), Relation::Overlapping);
    // Against the box the bracket of the convex question holds.
    let cuboid = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let middle = Pose::from_translation(DVec3::splat(0.5)).unwrap();
    let proof = ask("box", &cuboid, &middle, &mesh, &here);
    assert!(proof.relation == Relation::Overlapping && proof.gap.lower <= -0.5 && -0.5 <= proof.gap.upper, "{proof:?}");
}

#[test]
fn a_touch_band_counts_on_top() {
    // One unit deep: within a band of 2, beyond one of a half.
    let shallow = sheet(&rectangle([0, 0, 1], [4, 0, 0], [0, 4, 0]));
    let here = Pose::IDENTITY;
    for body in [cube(), Shape::hull(&box_lists(DVec3::ZERO, DVec3::splat(4.0)).0).unwrap()] {
        let case = Case::new("band", &body, &here, &shallow, &here);
        for (band, relation) in [(0.5, Relation::Overlapping), (2.0, Relation::Touching)] {
            let proof = case.proof(band);
            case.accepts("band", &proof);
            assert_eq!(proof.relation, relation, "{proof:?}");
        }
    }
}

/// Every field of a true proof that a surface overlaps, made false.
fn perturb(case: &Case) {
    let good = case.proof(0.0);
    case.accepts("proof", &good);
    let RelationProof {
        relation,
        gap: Bracket { lower, upper, .. },
        placement,
        touch_band,
        normal,
        witness,
        ref evidence,
    } = good;
    assert_eq!((relation, touch_band), (Relation::Overlapping, 0.0), "{good:?}");
    let with = |change: &dyn Fn(&mut RelationProof)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof.relation = if proof.gap.upper < 0.0 { relation } else { Relation::Touching };
        proof
    };
    case.refuses("relation", &RelationProof { relation: Relation::Touching, ..good.clone() });
    let scale = case.scale();
    for wrong in [f64::NAN, f64::INFINITY, 0.0, upper, upper.next_up(), -1e-3 * scale] {
        case.refuses("lower", &with(&|proof| proof.gap.lower = wrong));
    }
    for wrong in [f64::NAN, lower, 8.0 * upper, -0.75 * scale] {
        case.refuses("upper", &with(&|proof| proof.gap.upper = wrong));
    }
    // Two points, of a body with a radius, prove that too.
    if !matches!(evidence, Evidence::Points) {
        for wrong in [1e-9, 0.0] {
            case.refuses("upper", &with(&|proof| proof.gap.upper = wrong));
        }
    }
    for wrong in [f64::NAN, -1.0, placement + scale] {
        case.refuses("placement", &with(&|proof| proof.placement = wrong));
    }
    for wrong in [f64::NAN, -1.0, -upper] {
        case.refuses("touch_band", &RelationProof { touch_band: wrong, ..good.clone() });
    }
    for wrong in [DVec3::ZERO, 2.0 * normal, DVec3::NAN] {
        case.refuses("normal", &with(&|proof| proof.normal = wrong));
    }
    let (part_b, point_in_a, point_in_b) = (witness.b.part, witness.a.point, witness.b.point);
    for wrong in [witness.a.part + 1000, u32::MAX] {
        case.refuses("part_a", &with(&|proof| proof.witness.a.part = wrong));
        case.refuses("part_b", &with(&|proof| proof.witness.b.part = part_b.saturating_add(wrong)));
    }
    let by = |evidence: Evidence, point_in_a, point_in_b| {
        with(&|proof| {
            (proof.witness.a.point, proof.witness.b.point) = (point_in_a, point_in_b);
            proof.evidence = evidence.clone();
        })
    };
    let points = |point_in_a, point_in_b| by(Evidence::Points, point_in_a, point_in_b);
    let deep = |point_in_a, point_in_b| by(Evidence::Deep, point_in_a, point_in_b);
    case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Polytope { pairs: Vec::new() }));
    match evidence {
        Evidence::Deep => {
            let far = DVec3::new(0.0, 0.0, scale);
            for (p, q) in [(far, DVec3::ZERO), (DVec3::ZERO, far), (far, far), (DVec3::NAN, DVec3::ZERO)] {
                case.refuses("evidence", &deep(point_in_a + p, point_in_b + q));
            }
            case.refuses("evidence", &points(point_in_a, point_in_b));
        }
        Evidence::Polytope { pairs } => {
            for gone in 0..pairs.len().min(4) {
                let mut fewer = pairs.clone();
                fewer.truncate(gone);
                case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Polytope { pairs: fewer.clone() }));
            }
            case.refuses("evidence", &points(DVec3::ZERO, DVec3::ZERO));
        }
        Evidence::Points => {
            let far = DVec3::new(scale, scale, scale);
            case.refuses("evidence", &points(point_in_a + far, point_in_b));
            case.refuses("evidence", &points(point_in_a, point_in_b + far));
        }
    }
}

#[test]
fn false_proofs_are_refused() {
    let across = sheet(&rectangle([0, 0, 2], [4, 0, 0], [0, 4, 0]));
    let cuboid = Shape::cuboid(DVec3::splat(2.0)).unwrap();
    let middle = Pose::from_translation(DVec3::splat(2.0)).unwrap();
    let ball = Shape::sphere(2.0).unwrap();
    let turned = Pose::from_axis_angle(DVec3::ONE, 0.4, DVec3::new(0.5, 0.0, 0.25)).unwrap();
    for (body, pose) in [(cube(), Pose::IDENTITY), (cube(), turned), (cuboid, middle), (ball, middle)] {
        perturb(&Case::new("solid and sheet", &body, &pose, &across, &Pose::IDENTITY));
        perturb(&Case::new("sheet and solid", &across, &Pose::IDENTITY, &body, &pose));
    }
    // For a sheet that touches from outside none of these is true.
    let outside = sheet(&rectangle([4, 1, 1], [3, 0, 1], [0, 2, 0]));
    let here = Pose::IDENTITY;
    for (body, pose) in [(cube(), here), (Shape::cuboid(DVec3::splat(2.0)).unwrap(), middle)] {
        let case = Case::new("outside", &body, &pose, &outside, &here);
        let good = case.proof(0.0);
        assert_eq!(good.relation, Relation::Touching);
        case.accepts("touching", &good);
        assert_eq!(good.evidence, Evidence::Points);
        for evidence in [Evidence::Deep, Evidence::Points] {
            let claim = RelationProof {
                relation: Relation::Overlapping,
                gap: Bracket { upper: -1e-6, ..good.gap },
                evidence,
                ..good.clone()
            };
            case.refuses("upper", &claim);
        }
        // A bracket that leaves no room for an overlap is not proved.
        case.refuses("lower", &RelationProof { gap: Bracket { lower: 0.0, ..good.gap }, ..good.clone() });
    }
}

#[test]
fn flat_bodies_with_all_edges_on_walls_overlap_a_solid() {
    let here = Pose::IDENTITY;
    let corners = [DVec3::new(0.0, 0.0, 2.0), DVec3::new(4.0, 0.0, 2.0), DVec3::new(0.0, 4.0, 2.0)];
    let flat = [
        Shape::triangle(corners[0], corners[1], corners[2]).unwrap(),
        Shape::triangle(corners[1], corners[2], corners[0]).unwrap(),
        Shape::flat_hull(&corners.map(|p| p.to_array())).unwrap(),
        Shape::segment(corners[1], corners[2]).unwrap(),
    ];
    for body in &flat {
        let proof = ask("flat", &cube(), &here, body, &here);
        assert_eq!(proof.relation, Relation::Overlapping, "{body:?}: {proof:?}");
    }
    // A box that fills the solid.
    let middle = Pose::from_translation(DVec3::splat(2.0)).unwrap();
    let filled = ask("filled", &cube(), &here, &Shape::cuboid(DVec3::splat(2.0)).unwrap(), &middle);
    assert!(
        filled.relation == Relation::Overlapping && filled.gap.lower <= -4.0 && -4.0 <= filled.gap.upper,
        "{filled:?}"
    );
}

#[test]
fn sheets_below_a_height_field_beside_a_hill() {
    let mut heights = vec![0.0f32; 25];
    heights[5 + 2] = 10.0;
    let hill = Shape::HeightField(HeightField::new(5, 5, DVec2::ONE, heights).unwrap());
    let here = Pose::IDENTITY;
    let at = |z: f64| Pose::from_translation(DVec3::new(0.5, 0.5, z)).unwrap();
    let small = level(0.0, 0.25);
    for (z, relation) in [(-0.5, Relation::Overlapping), (0.0, Relation::Touching), (0.5, Relation::Separated)] {
        let proof = ask("beside a hill", &hill, &here, &small, &at(z));
        assert_eq!(proof.relation, relation, "{proof:?}");
    }
    // In the hill, above the plain.
    let proof = ask("in the hill", &hill, &here, &small, &Pose::from_translation(DVec3::new(2.0, 1.0, 3.0)).unwrap());
    assert_eq!(proof.relation, Relation::Overlapping, "{proof:?}");
    // A solid in the same place.
    let solid = solid(&box_lists(DVec3::splat(-0.25), DVec3::splat(0.25)));
    ask("a solid beside a hill", &hill, &here, &solid, &at(-0.5));
}

#[test]
fn the_value_of_a_relation_is_the_number_of_its_bracket_nearest_zero() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let cylinder = Shape::cylinder(1.0, 1.0).unwrap();
    let mesh = Shape::mesh(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]]).unwrap();
    for (a, b) in [(&cube, &cube), (&cylinder, &cube), (&mesh, &cube)] {
        for x in [-0.5, 1.0, 2.0, 7.0] {
            let at = Pose::from_translation(DVec3::new(x, 0.25, 0.5)).unwrap();
            let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
            let options = RelationOptions::default();
            let proof = relation_with(a, &Pose::IDENTITY, b, &at, &options, &mut cache, &mut workspace);
            let check = |proof: &RelationProof| proof.verify(a, &Pose::IDENTITY, b, &at);
            assert_eq!(check(&proof), Ok(()), "{proof:?}");
            assert_eq!(proof.gap, Bracket::between(proof.gap.lower, proof.gap.upper));
            let off = Bracket { value: proof.gap.value + 1e-3, ..proof.gap };
            assert_eq!(check(&RelationProof { gap: off, ..proof }), Err(Refusal::Disordered));
        }
    }
}

#[test]
fn a_small_tetrahedron_inside_a_needle() {
    let needle = OracleBody::hull(vec![[-1.0, 0.0, 0.0], [1.0, 1e-4, 0.0], [1.0, -1e-4, 1e-4], [1.0, 0.0, -1e-4]]);
    for rotation in [IDENTITY, turned(0.3, 0.9)] {
        for (x, inside) in [(0.9, true), (0.5, true), (-1.5, false)] {
            let place = |size: f64| {
                let at = std::array::from_fn(|k| rotation[k][0] * x);
                tetrahedron(size).rotated(rotation).translated(at)
            };
            for size in [1e-5, 1e-7, 1e-9] {
                let (a, b) = (needle.clone().rotated(rotation), place(size));
                check_both_orders("needle", &a, &b);
                let ((shape_a, pose_a), (shape_b, pose_b)) = (shape_and_pose(&a), shape_and_pose(&b));
                let expected = if inside { Relation::Overlapping } else { Relation::Separated };
                assert_eq!(relation(&shape_a, &pose_a, &shape_b, &pose_b), expected, "{size:e} at {x}");
            }
        }
    }
}
