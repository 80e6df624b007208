//! The two methods against each other, and against the properties of a sum.

use std::collections::{BTreeMap, BTreeSet};

use clearance_oracle::random::Random;
use glam::{DQuat, DVec3, EulerRot};

use super::expansion::expand;
use super::original::{extent, largest};
use super::vertex_sums::by_vertex_sums;
use super::*;
use crate::geom::hull::convex_hull;
use crate::geom::topology::{closed_and_oriented, euler_characteristic};
use crate::math::tolerances::UNIT_ROUNDOFF;

fn in_cube(random: &mut Random) -> DVec3 {
    DVec3::from_array(random.in_cube(1.0))
}

fn on_sphere(random: &mut Random) -> DVec3 {
    DVec3::from_array(random.direction())
}

fn turn(random: &mut Random) -> DQuat {
    let angles = in_cube(random) * 3.0;
    DQuat::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z)
}

#[derive(Clone)]
struct Owned {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    original: Vec<bool>,
}

impl Owned {
    fn hull_of(points: Vec<DVec3>) -> Owned {
        let hull = convex_hull(&points).unwrap();
        let points = hull.vertices.iter().map(|&v| points[v as usize]).collect();
        let original = vec![true; hull.triangles.len()];
        Owned { points, triangles: hull.triangles, original }
    }

    fn cuboid(half: DVec3) -> Owned {
        let signs = (0..8).map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)));
        Owned::hull_of(signs.map(|s| (2.0 * s - 1.0) * half).collect())
    }

    fn sphere(random: &mut Random, count: usize) -> Owned {
        Owned::hull_of((0..count).map(|_| on_sphere(random)).collect())
    }

    /// The points placed and rounded, the triangles unchanged.
    fn placed(mut self, turn: DQuat, shift: DVec3) -> Owned {
        self.points.iter_mut().for_each(|p| *p = turn * *p + shift);
        self
    }

    fn view(&self) -> Polytope<'_> {
        Polytope { points: &self.points, triangles: &self.triangles, original: &self.original }
    }
}

fn support(points: &[DVec3], direction: DVec3) -> f64 {
    points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
}

/// Checks everything a sum promises except its marks.
fn check(sum: &Sum, a: &Owned, b: &Owned) {
    assert_eq!(sum.points.len(), sum.from.len());
    assert_eq!(sum.triangles.len(), sum.original.len());
    for (point, &[i, j]) in sum.points.iter().zip(&sum.from) {
        assert_eq!(*point, a.points[i as usize] - b.points[j as usize]);
    }
    let size = largest(&a.points) + largest(&b.points);
    let rounding = 2.0 * UNIT_ROUNDOFF * size;
    let mut random = Random::new(99);
    for k in 0..60 {
        let direction = if k < 6 { DVec3::AXES[k / 2] * (1.0 - 2.0 * (k % 2) as f64) } else { on_sphere(&mut random) };
        let expected = support(&a.points, direction) + support(&b.points, -direction);
        // Vertices are rounded once; each of three products and two sums of the three dot products, and their sum,
        // is off by a unit of a sum of magnitudes of at most √3 size.
        let off = (support(&sum.points, direction) - expected).abs();
        assert!(off <= rounding + 8.0 * 2.0 * UNIT_ROUNDOFF * size, "{off:e}");
    }
    if sum.triangles.is_empty() {
        return;
    }
    assert_eq!(closed_and_oriented(&sum.triangles), Ok(()));
    assert_eq!(euler_characteristic(&sum.triangles), 2);
    let used: BTreeSet<u32> = sum.triangles.iter().flatten().copied().collect();
    assert_eq!(used.len(), sum.points.len());
    let diameter = extent(&a.points) + extent(&b.points);
    for triangle in &sum.triangles {
        let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
        let normal = (q - p).cross(r - p);
        let longest = (q - p).length().max((r - p).length()).max((q - r).length());
        let width = normal.length() / longest;
        let above = support(&a.points, normal) + support(&b.points, -normal) - normal.dot(p);
        // As in `Marks::original`.
        let slack = 4.0 * rounding * (1.0 + 3.0 * diameter / width) * normal.length();
        assert!(above <= slack || normal.length() == 0.0, "{above:e} {slack:e}");
    }
}

fn volume(sum: &Sum) -> f64 {
    let Some(&base) = sum.points.first() else { return 0.0 };
    let six = sum.triangles.iter().map(|t| {
        let [p, q, r] = t.map(|v| sum.points[v as usize] - base);
        p.cross(q).dot(r)
    });
    six.sum::<f64>() / 6.0
}

/// Runs and checks both methods; they agree. Returns the expansion.
fn both(a: &Owned, b: &Owned) -> Sum {
    let hull = by_vertex_sums(&a.view(), &b.view());
    let expanded = by_surface_expansion(&a.view(), &b.view());
    check(&hull, a, b);
    check(&expanded, a, b);
    let (v, w) = (volume(&hull), volume(&expanded));
    let size = extent(&a.points) + extent(&b.points) + largest(&a.points) + largest(&b.points);
    assert!((v - w).abs() <= 1e-13 * size * size * size, "{v} {w}");
    expanded
}

/// The features that made a triangle of a [`Sum`], as vertices in the caller's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Features {
    /// Three corners of a face of A against a vertex of B.
    FaceVertex([u32; 3], u32),
    /// A vertex of A against three corners of a face of B.
    VertexFace(u32, [u32; 3]),
    /// An edge of A (or a diagonal of a face) against one of B.
    EdgeEdge([u32; 2], [u32; 2]),
    /// Parallel faces, or a face and a parallel edge: for each corner of the triangle the vertices of A and B.
    Parallel([u32; 3], [u32; 3]),
}

impl Sum {
    /// The features that made a triangle.
    fn features(&self, triangle: usize) -> Features {
        let corners = self.triangles[triangle].map(|v| self.from[v as usize]);
        let a = corners.map(|corner| corner[0]);
        let b = corners.map(|corner| corner[1]);
        match (distinct(a), distinct(b)) {
            ((_, 3), (b, 1)) => Features::FaceVertex(a, b[0]),
            ((a, 1), (_, 3)) => Features::VertexFace(a[0], b),
            ((a, 2), (b, 2)) => Features::EdgeEdge([a[0], a[1]], [b[0], b[1]]),
            _ => Features::Parallel(a, b),
        }
    }
}

/// The distinct numbers first, ascending, and their count.
fn distinct(mut of: [u32; 3]) -> ([u32; 3], usize) {
    of.sort_unstable();
    if of[0] == of[1] {
        of = [of[1], of[2], of[0]];
        return (of, if of[0] == of[1] { 1 } else { 2 });
    }
    (of, if of[1] == of[2] { 2 } else { 3 })
}

#[test]
fn axis_aligned_boxes_sum_to_a_box() {
    let (a, b) = (Owned::cuboid(DVec3::new(1.0, 2.0, 3.0)), Owned::cuboid(DVec3::new(0.5, 0.25, 2.0)));
    let b = b.placed(DQuat::IDENTITY, DVec3::new(4.0, 0.0, 1.0));
    let sum = both(&a, &b);
    assert!(expand(&a.view(), &b.view()).is_some());
    assert_eq!((sum.points.len(), sum.triangles.len()), (8, 12));
    assert_eq!(volume(&sum), 3.0 * 4.5 * 10.0);
    assert!((0..12).all(|t| matches!(sum.features(t), Features::Parallel(..))));
    assert_eq!(both(&a, &a).points.len(), 8);
}

#[test]
fn rotated_boxes() {
    let mut random = Random::new(5);
    for round in 0..200 {
        let a = Owned::cuboid(DVec3::new(1.0, 2.0, 3.0));
        let turn = match round % 4 {
            0 => DQuat::from_rotation_z(random.uniform(0.0, 1.0)),
            1 => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
            _ => turn(&mut random),
        };
        let b = Owned::cuboid(in_cube(&mut random) + 1.5).placed(turn, in_cube(&mut random));
        let a = if round % 2 == 0 { a } else { a.placed(turn, DVec3::ZERO) };
        assert!(expand(&a.view(), &b.view()).is_some(), "round {round}");
        both(&a, &b);
    }
}

#[test]
fn random_polytopes_of_all_sizes_places_and_scales() {
    let mut random = Random::new(1);
    for round in 0..300 {
        let (n, m) = (4 + round % 17, 4 + round / 17);
        let scale = [1.0, 1e-6, 1e6, 1e-3][round % 4];
        let shift = in_cube(&mut random) * [0.0, 3.0, 1e7][round % 3];
        let cloud = |random: &mut Random, count: usize| (0..count).map(|_| in_cube(random)).collect::<Vec<DVec3>>();
        let a = Owned::hull_of(cloud(&mut random, n));
        let mut b = Owned::hull_of(cloud(&mut random, m));
        b.points.iter_mut().for_each(|p| *p = *p * scale + shift);
        assert!(expand(&a.view(), &b.view()).is_some(), "round {round}");
        both(&a, &b);
    }
}

#[test]
fn needles_of_aspect_ratio_one_million() {
    let mut random = Random::new(2);
    for _ in 0..60 {
        let stretch = DVec3::new(1e6, 1.0, 1e-3);
        let a = Owned::hull_of((0..12).map(|_| in_cube(&mut random) * stretch).collect());
        let b = Owned::hull_of((0..9).map(|_| turn(&mut random) * (in_cube(&mut random) * stretch)).collect());
        assert!(expand(&a.view(), &b.view()).is_some());
        both(&a, &b);
    }
}

#[test]
fn grid_points_with_all_coincidences() {
    let mut random = Random::new(3);
    let mut flat = 0;
    for round in 0..1500 {
        let size = 2.0 + (round % 3) as f64;
        let mut cloud = |count: usize| {
            let points = (0..count).map(|_| {
                (DVec3::new(random.uniform(0.0, 1.0), random.uniform(0.0, 1.0), random.uniform(0.0, 1.0)) * size)
                    .floor()
            });
            Owned::hull_of(points.collect())
        };
        let (a, b) = (cloud(1 + round % 9), cloud(1 + round / 9 % 9));
        let sum = both(&a, &b);
        // Exact arithmetic on small integers: both methods give the same corners.
        let corners = |sum: &Sum| sum.points.iter().map(|p| p.to_array().map(|x| x as i64)).collect::<BTreeSet<_>>();
        assert_eq!(corners(&sum), corners(&by_vertex_sums(&a.view(), &b.view())), "round {round}");
        if expand(&a.view(), &b.view()).is_none() {
            flat += 1;
            assert_eq!(volume(&sum), 0.0);
        } else {
            assert!(volume(&sum) > 0.0);
        }
    }
    assert!(flat > 100 && flat < 700, "{flat}");
}

#[test]
fn flat_pieces() {
    let triangle = Owned::hull_of(vec![DVec3::ZERO, DVec3::X, DVec3::Y]);
    let segment = Owned::hull_of(vec![DVec3::ZERO, DVec3::Z]);
    let point = Owned::hull_of(vec![DVec3::new(1.0, 2.0, 3.0)]);
    let turned = triangle.clone().placed(DQuat::from_rotation_x(0.7), DVec3::ONE);
    let hexagon = both(&triangle, &triangle);
    assert_eq!((hexagon.points.len(), hexagon.triangles.len(), volume(&hexagon)), (6, 8, 0.0));
    assert!(hexagon.original.iter().all(|&original| original));
    let prism = both(&triangle, &segment);
    assert_eq!((prism.points.len(), prism.triangles.len(), volume(&prism)), (6, 8, 0.5));
    assert!(expand(&segment.view(), &triangle.view()).is_some());
    both(&triangle, &turned);
    assert!(expand(&triangle.view(), &turned.view()).is_some());
    assert_eq!(both(&triangle, &point).triangles.len(), 2);
    assert_eq!(both(&segment, &segment).points.len(), 2);
    assert_eq!(both(&point, &point).points, [DVec3::ZERO]);
    let sphere = Owned::sphere(&mut Random::new(4), 40);
    for flat in [&triangle, &segment, &point, &turned] {
        assert!(expand(&sphere.view(), &flat.view()).is_some() && expand(&flat.view(), &sphere.view()).is_some());
        both(&sphere, flat);
        both(flat, &sphere);
    }
    let empty = Polytope { points: &[], triangles: &[], original: &[] };
    assert_eq!(minkowski(&empty, &sphere.view()), Sum::default());
}

#[test]
fn spheres_and_a_sphere_with_itself() {
    let mut random = Random::new(6);
    let (a, b) = (Owned::sphere(&mut random, 220), Owned::sphere(&mut random, 200));
    let sum = both(&a, &b.clone().placed(turn(&mut random), DVec3::X));
    assert!(sum.points.len() > 420);
    assert!(expand(&a.view(), &a.view()).is_some());
    both(&a, &a);
    let turned = a.clone().placed(turn(&mut random), DVec3::ONE);
    both(&turned, &turned);
    // Every edge and every face is parallel to one of the other.
    let opposite = Owned { points: a.points.iter().map(|&p| -p).collect(), ..a.clone() };
    assert_eq!(by_surface_expansion(&a.view(), &opposite.view()).points.len(), a.points.len());
    check(&by_surface_expansion(&a.view(), &opposite.view()), &a, &opposite);
}

#[test]
fn swapping_negates_the_difference() {
    let mut random = Random::new(7);
    let (a, b) = (Owned::sphere(&mut random, 30), Owned::cuboid(DVec3::ONE).placed(turn(&mut random), DVec3::X));
    for way in [by_vertex_sums, by_surface_expansion] {
        let bits = |p: &DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
        let there: BTreeSet<_> = way(&a.view(), &b.view()).points.iter().map(bits).collect();
        let back: BTreeSet<_> = way(&b.view(), &a.view()).points.iter().map(|&p| bits(&-p)).collect();
        assert_eq!(there, back);
    }
}

/// The features of each face, and whether it is original.
fn faces(sum: &Sum) -> BTreeMap<(Vec<u32>, Vec<u32>), bool> {
    let sorted = |list: &[u32]| list.iter().copied().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    (0..sum.triangles.len())
        .map(|t| {
            let (a, b) = match sum.features(t) {
                Features::FaceVertex(a, b) => (sorted(&a), vec![b]),
                Features::VertexFace(a, b) => (vec![a], sorted(&b)),
                Features::EdgeEdge(a, b) => (sorted(&a), sorted(&b)),
                Features::Parallel(a, b) => (sorted(&a), sorted(&b)),
            };
            ((a, b), sum.original[t])
        })
        .collect()
}

#[test]
fn original_marks_follow_the_features() {
    let mut random = Random::new(8);
    for round in 0..200 {
        let mut solid = |count: usize| {
            let mut body = Owned::hull_of((0..count).map(|_| in_cube(&mut random)).collect());
            body.original.iter_mut().for_each(|original| *original = random.uniform(0.0, 1.0) < 0.4);
            body
        };
        let (a, b) = (solid(4 + round % 7), solid(4 + round % 5));
        let has = |body: &Owned, corners: &[u32]| {
            body.triangles.iter().zip(&body.original).any(|(t, &o)| o && corners.iter().all(|v| t.contains(v)))
        };
        let (hull, expanded) = (by_vertex_sums(&a.view(), &b.view()), by_surface_expansion(&a.view(), &b.view()));
        assert_eq!(faces(&hull), faces(&expanded));
        for ((p, q), original) in faces(&expanded) {
            let expected = match (p.len(), q.len()) {
                (3, 1) => has(&a, &p),
                (1, 3) => has(&b, &q),
                (2, 2) => has(&a, &p) && has(&b, &q),
                other => panic!("points in general position: {other:?}"),
            };
            assert_eq!(original, expected, "round {round}");
        }
    }
}

#[test]
fn marks_of_parallel_faces_and_of_placed_boxes() {
    // A box with a virtual top.
    let mut lid = Owned::cuboid(DVec3::ONE);
    for (triangle, original) in lid.triangles.iter().zip(&mut lid.original) {
        *original = triangle.iter().any(|&v| lid.points[v as usize].z < 0.0);
    }
    assert_eq!(lid.original.iter().filter(|&&original| !original).count(), 2);
    let mut random = Random::new(9);
    for round in 0..50 {
        let (turn, shift) =
            if round == 0 { (DQuat::IDENTITY, DVec3::ZERO) } else { (turn(&mut random), in_cube(&mut random)) };
        let placed = lid.clone().placed(turn, shift);
        let other = Owned::sphere(&mut random, 12);
        let up = turn * DVec3::Z;
        for way in [by_vertex_sums, by_surface_expansion] {
            let sum = way(&placed.view(), &other.view());
            for (triangle, &original) in sum.triangles.iter().zip(&sum.original) {
                let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
                let normal = (q - p).cross(r - p);
                // Slivers due to rounding have arbitrary normals, and are original.
                if normal.length() > 1e-6 {
                    assert_eq!(original, normal.normalize().dot(up) < 1.0 - 1e-9, "round {round}");
                }
            }
        }
    }
    // Against an original parallel face, the virtual top may be on the boundary; against a virtual one it may not.
    for way in [by_vertex_sums, by_surface_expansion] {
        let top = |sum: &Sum| {
            let high = |t: &[u32; 3]| t.iter().all(|&v| sum.points[v as usize].z == 2.0);
            sum.triangles.iter().zip(&sum.original).filter(|(t, _)| high(t)).map(|(_, &o)| o).collect::<Vec<_>>()
        };
        assert_eq!(top(&way(&lid.view(), &Owned::cuboid(DVec3::ONE).view())), [true; 2]);
        let upside_down = lid.clone().placed(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), DVec3::ZERO);
        let sum = way(&lid.view(), &upside_down.view());
        // Edges of both tops have original sides, so edge against edge is original there.
        assert_eq!(top(&sum), [true; 2]);
        let bare = Owned { original: vec![false; 12], ..upside_down };
        assert_eq!(top(&way(&lid.view(), &bare.view())), [false; 2]);
    }
}
