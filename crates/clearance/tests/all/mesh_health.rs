//! Mesh health and self-intersections: against known counts, against plain definitions in rational arithmetic, and on
//! real models.

use crate::mesh_files;

use clearance::answer::{MeshHealth, SelfIntersection, SelfIntersectionKind};
use clearance::glam::DVec3;
use clearance::query::SelfIntersectionsOptions;
use clearance::{Error, Mesh};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;
use clearance_oracle::rational::{Vector, add, cross, dot, scale, subtract, vector};
use mesh_files::{Model, cuboid, models_in, moved, say, soup, together, torus};

fn mesh((points, triangles): &Model) -> Mesh {
    Mesh::new(points, triangles).unwrap()
}

/// The list of a mesh, verified unless the mesh is large.
fn self_intersections(mesh: &Mesh) -> Vec<SelfIntersection> {
    let found = clearance::query::self_intersections(mesh);
    if mesh.triangle_count() <= 1000 {
        assert_eq!(SelfIntersection::verify_all(&found, mesh, &SelfIntersectionsOptions::default()), Ok(()));
    }
    found
}

/// The health report of a mesh, verified.
fn health_of(mesh: &Mesh) -> MeshHealth {
    let health = mesh.health();
    assert_eq!(health.verify(mesh), Ok(()), "{health:?}");
    health
}

/// The intersection of two closed triangles beyond equal corners: none, or how they meet. By definition: one triangle
/// is clipped to the other in rational arithmetic.
fn truth(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> Option<SelfIntersectionKind> {
    let [corners_a, corners_b] = [a, b].map(|t| t.map(|p| vector(p).unwrap()));
    let mut common: Vec<Vector> = corners_a.to_vec();
    for (normal, corner) in half_spaces(&corners_b) {
        common = clipped(&common, &normal, &corner);
        if common.is_empty() {
            return None;
        }
    }
    common.sort();
    common.dedup();
    let is_shared = |p: &Vector| corners_a.contains(p) && corners_b.contains(p);
    let spans_area = common.len() > 2
        && common[1..].windows(2).any(|pair| {
            let (u, v) = (subtract(&pair[0], &common[0]), subtract(&pair[1], &common[0]));
            cross(&u, &v).iter().any(|x| !x.is_zero())
        });
    if spans_area {
        return Some(SelfIntersectionKind::Overlap);
    }
    // On a line: the ends are the first and the last by coordinates.
    let ends = [common.first()?, common.last()?];
    if ends.into_iter().all(is_shared) {
        return None;
    }
    let middle = scale(&add(ends[0], ends[1]), &Rational::ratio(1, 2));
    let inside = |t: &[Vector; 3]| {
        let normal = cross(&subtract(&t[1], &t[0]), &subtract(&t[2], &t[0]));
        (0..3).all(|k| {
            let inward = cross(&normal, &subtract(&t[(k + 1) % 3], &t[k]));
            Rational::zero() < dot(&inward, &subtract(&middle, &t[k]))
        })
    };
    let crossing = inside(&corners_a) || inside(&corners_b);
    Some(if crossing { SelfIntersectionKind::Crossing } else { SelfIntersectionKind::Rims })
}

/// Half-spaces `normal · (x - corner) >= 0` whose intersection is the triangle.
fn half_spaces(t: &[Vector; 3]) -> Vec<(Vector, Vector)> {
    let edges = [0, 1, 2].map(|k| subtract(&t[(k + 1) % 3], &t[k]));
    let normal = cross(&edges[0], &edges[1]);
    let both = |n: &Vector, p: &Vector| [(n.clone(), p.clone()), (n.each_ref().map(|x| -x), p.clone())];
    if normal.iter().any(|x| !x.is_zero()) {
        let mut planes = both(&normal, &t[0]).to_vec();
        planes.extend((0..3).map(|k| (cross(&normal, &edges[k]), t[k].clone())));
        return planes;
    }
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis: [i64; 3]| axis.map(Rational::from));
    let mut ends = t.to_vec();
    ends.sort();
    let along = subtract(&ends[2], &ends[0]);
    if along.iter().all(Rational::is_zero) {
        return axes.iter().flat_map(|axis| both(axis, &t[0])).collect();
    }
    let mut planes: Vec<_> = axes.iter().flat_map(|axis| both(&cross(axis, &along), &ends[0])).collect();
    planes.push((along.clone(), ends[0].clone()));
    planes.push((along.each_ref().map(|x| -x), ends[2].clone()));
    planes
}

/// The part of a convex polygon in a half-space.
fn clipped(polygon: &[Vector], normal: &Vector, corner: &Vector) -> Vec<Vector> {
    let height = |p: &Vector| dot(normal, &subtract(p, corner));
    let mut kept = Vec::new();
    for (i, p) in polygon.iter().enumerate() {
        let q = &polygon[(i + 1) % polygon.len()];
        let (from, to) = (height(p), height(q));
        if !from.is_negative() {
            kept.push(p.clone());
        }
        if (from.is_negative() && Rational::zero() < to) || (to.is_negative() && Rational::zero() < from) {
            kept.push(add(p, &scale(&subtract(q, p), &(&from / &(&from - &to)))));
        }
    }
    kept
}

/// Every pair whose boxes meet, by definition; for a large model, only pairs with every n-th triangle.
fn brute((points, triangles): &Model, every: usize) -> Vec<([u32; 2], SelfIntersectionKind)> {
    let corners: Vec<[[f64; 3]; 3]> = triangles.iter().map(|t| t.map(|p| points[p as usize])).collect();
    let bounds: Vec<[[f64; 2]; 3]> = corners
        .iter()
        .map(|t| {
            [0, 1, 2].map(|k| {
                let x = t.map(|p| p[k]);
                [x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2])]
            })
        })
        .collect();
    let mut order: Vec<usize> = (0..corners.len()).collect();
    order.sort_by(|&i, &j| bounds[i][0][0].total_cmp(&bounds[j][0][0]));
    let mut found = Vec::new();
    for (place, &i) in order.iter().enumerate() {
        for &j in order[place + 1..].iter().take_while(|&&j| bounds[j][0][0] <= bounds[i][0][1]) {
            let apart = (1..3).any(|k| bounds[i][k][0] > bounds[j][k][1] || bounds[j][k][0] > bounds[i][k][1]);
            if !apart
                && (i.is_multiple_of(every) || j.is_multiple_of(every))
                && let Some(kind) = truth(corners[i], corners[j])
            {
                found.push(([i.min(j) as u32, i.max(j) as u32], kind));
            }
        }
    }
    found.sort();
    found
}

/// Compares the result with brute force; each segment must lie on both triangles, up to rounding.
fn check(label: &str, model: &Model) -> Vec<SelfIntersection> {
    let found = self_intersections(&mesh(model));
    let every = model.1.len().div_ceil(500);
    let asked = |pair: &&SelfIntersection| pair.triangles.iter().any(|&t| (t as usize).is_multiple_of(every));
    let pairs: Vec<_> = found.iter().filter(asked).map(|pair| (pair.triangles, pair.kind)).collect();
    assert_eq!(pairs, brute(model, every), "{label}");
    let size = model.0.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    for pair in &found {
        for triangle in pair.triangles {
            let corners = model.1[triangle as usize].map(|p| DVec3::from_array(model.0[p as usize]));
            for point in pair.segment {
                let off = distance_to_triangle(point, corners);
                assert!(off <= 1e-11 * size, "{label}: {pair:?} is {off:e} off triangle {triangle}");
            }
        }
    }
    found
}

/// Good to some digits, of a point near the triangle.
fn distance_to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let to_segment = |a: DVec3, b: DVec3| {
        let along = b - a;
        let t = if along == DVec3::ZERO { 0.0 } else { ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0) };
        (p - (a + t * along)).length()
    };
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].into_iter().all(|(q, r)| normal.cross(r - q).dot(p - q) >= 0.0);
    let edges = to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a));
    if inside && normal != DVec3::ZERO { edges.min((p - a).dot(normal.normalize()).abs()) } else { edges }
}

#[test]
fn sound_models_are_sound() {
    for (model, euler) in [(cuboid([-1.0; 3], [1.0, 2.0, 3.0]), 2), (torus(3.0, 1.0, 16, 8), 0)] {
        let health = health_of(&mesh(&model));
        assert!(health.watertight && health.consistently_wound);
        assert_eq!((health.boundary_edges, health.flipped_edges, health.non_manifold_edges), (0, 0, 0));
        assert_eq!((health.components, health.euler_characteristic), (1, euler));
        assert_eq!((health.non_manifold_points, health.unused_points, health.coincident_points), (0, 0, 0));
        assert!(health.degenerate.is_empty() && health.duplicates.is_empty());
        assert!(check("sound", &model).is_empty());
        mesh(&model).solid().unwrap();
    }
    assert_eq!(mesh(&cuboid([-1.0; 3], [1.0, 2.0, 3.0])).health().volume, Some(24.0));
}

#[test]
fn every_defect_is_counted() {
    let cube = cuboid([0.0; 3], [1.0; 3]);

    let mut open = cube.clone();
    open.1.remove(3);
    let health = health_of(&mesh(&open));
    assert_eq!((health.boundary_edges, health.watertight, health.consistently_wound), (3, false, true));
    assert_eq!((health.volume, health.euler_characteristic), (None, 1));

    let mut flipped = cube.clone();
    flipped.1[5].swap(0, 1);
    let health = health_of(&mesh(&flipped));
    assert_eq!((health.flipped_edges, health.watertight, health.consistently_wound), (3, true, false));
    assert_eq!(health.volume, None);

    let inside_out: Model = (cube.0.clone(), cube.1.iter().map(|&[a, b, c]| [a, c, b]).collect());
    assert_eq!(health_of(&mesh(&inside_out)).volume, Some(-1.0));
    assert_eq!(mesh(&inside_out).solid().unwrap_err(), Error::InsideOut { volume: -1.0 });

    // A fin on an edge, a duplicate triangle, one on a line, one on a point, unused points.
    let mut bad = cube.clone();
    bad.0.extend([[0.5, 2.0, 2.0], [9.0; 3], [9.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]);
    let [a, b, c] = bad.1[4];
    bad.1.extend([[b, c, 8], [c, b, a], [0, 12, 11], [2, 2, 2]]);
    let health = health_of(&mesh(&bad));
    assert_eq!(health.unused_points, 2);
    assert_eq!(health.coincident_points, 2);
    assert_eq!(health.degenerate, [14, 15]);
    assert_eq!(health.duplicates, [[4, 13]]);
    assert_eq!(health.non_manifold_edges, 3);
    assert!(!health.watertight);

    // Two cubes that share one point only, by number.
    let mut pinched = together(&cube, &cuboid([1.0; 3], [2.0; 3]));
    for p in pinched.1.iter_mut().flatten() {
        if *p == 8 {
            *p = 7;
        }
    }
    let health = health_of(&mesh(&pinched));
    assert!(health.watertight);
    assert_eq!((health.components, health.non_manifold_points, health.unused_points), (2, 1, 1));
    assert_eq!(health.euler_characteristic, 3);

    let health = health_of(&mesh(&soup(&cube)));
    assert_eq!((health.boundary_edges, health.components, health.coincident_points), (36, 12, 28));
    assert!(check("soup", &soup(&cube)).is_empty());
}

#[test]
fn hand_made_self_intersections() {
    use SelfIntersectionKind::{Crossing, Overlap, Rims};
    let kinds = |model: &Model| -> Vec<_> { check("hand-made", model).iter().map(|p| (p.triangles, p.kind)).collect() };
    let square = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    let with = |more: &[[f64; 3]], triangles: &[[u32; 3]]| -> Model {
        (square.iter().chain(more).copied().collect(), triangles.to_vec())
    };
    // Neighbours: flat, folded up, folded back onto each other, at a corner only.
    assert!(kinds(&with(&[], &[[0, 1, 2], [0, 2, 3]])).is_empty());
    assert!(kinds(&with(&[[3.0, 1.0, 5.0]], &[[0, 1, 2], [0, 2, 4]])).is_empty());
    assert_eq!(kinds(&with(&[[3.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 4]])), [([0, 1], Overlap)]);
    assert!(kinds(&with(&[[-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]], &[[0, 1, 2], [0, 4, 5]])).is_empty());
    assert_eq!(kinds(&with(&[[3.0, 1.0, 0.0], [9.0, 2.0, 0.0]], &[[0, 1, 2], [0, 4, 5]])), [([0, 1], Overlap)]);
    // One corner shared, and the opposite edge goes through.
    assert_eq!(kinds(&with(&[[3.0, 1.0, 1.0], [3.0, 1.0, -1.0]], &[[0, 1, 2], [0, 4, 5]])), [([0, 1], Crossing)]);
    // One corner shared, and an edge lies in the other.
    assert_eq!(kinds(&with(&[[3.0, 1.0, 0.0], [3.0, 1.0, 5.0]], &[[0, 1, 2], [0, 4, 5]])), [([0, 1], Crossing)]);
    // A T-junction; and collinear edges that only touch at a corner they share.
    assert_eq!(kinds(&with(&[[2.0, 0.0, 0.0], [1.0, -3.0, 0.0]], &[[0, 1, 2], [0, 5, 4]])), [([0, 1], Rims)]);
    assert!(kinds(&with(&[[-2.0, 0.0, 0.0], [-1.0, -3.0, 0.0]], &[[0, 1, 2], [0, 4, 5]])).is_empty());
    // A corner on a face; on an edge.
    assert_eq!(
        kinds(&with(&[[3.0, 1.0, 0.0], [3.0, 1.0, 5.0], [4.0, 1.0, 5.0]], &[[0, 1, 2], [4, 5, 6]])),
        [([0, 1], Crossing)]
    );
    assert_eq!(
        kinds(&with(&[[2.0, 0.0, 0.0], [3.0, 1.0, 5.0], [4.0, 1.0, 5.0]], &[[0, 1, 2], [4, 5, 6]])),
        [([0, 1], Rims)]
    );
    // A duplicate, by number and by coordinates.
    assert_eq!(kinds(&with(&[], &[[0, 1, 2], [2, 1, 0]])), [([0, 1], Overlap)]);
    assert_eq!(kinds(&with(&square[..3], &[[0, 1, 2], [5, 4, 6]])), [([0, 1], Overlap)]);
    // Without area: along an edge with two corners of its own, and with one shared; a point inside.
    assert_eq!(kinds(&with(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2], [4, 5, 4]])), [([0, 1], Rims)]);
    assert_eq!(kinds(&with(&[[1.0, 0.0, 0.0]], &[[0, 1, 2], [0, 4, 4]])), [([0, 1], Rims)]);
    assert!(kinds(&with(&[[1.0, 0.0, 0.0]], &[[0, 1, 2], [0, 4, 1]])).is_empty());
    assert_eq!(kinds(&with(&[[3.0, 1.0, 0.0]], &[[0, 1, 2], [4, 4, 4]])), [([0, 1], Crossing)]);
    // Three corners on a line, a part of which is an edge of the other: named by a corner and the edge across from it.
    let line = [[0.0, 0.5, 0.0], [0.0, 1.25, 0.0], [0.0, 1.0, 0.0], [0.25, 0.75, 0.0], [0.0, 0.75, 0.0]];
    assert_eq!(kinds(&(line.to_vec(), vec![[0, 1, 2], [2, 3, 4]])), [([0, 1], Rims)]);
}

#[test]
fn two_bodies_in_one_mesh() {
    // A box through a box: no corner inside the other, so only sides meet sides.
    let crossed = together(&cuboid([-3.0, -1.0, -1.0], [3.0, 1.0, 1.0]), &cuboid([-0.5, -0.75, -4.0], [0.5, 0.5, 4.0]));
    let found = check("crossed boxes", &crossed);
    assert!(!found.is_empty() && found.iter().all(|pair| pair.kind == SelfIntersectionKind::Crossing));
    assert!(found.iter().all(|pair| pair.triangles[0] < 12 && pair.triangles[1] >= 12));
    // Face on face: areas in common, sides that touch.
    let stacked = together(&cuboid([0.0; 3], [2.0; 3]), &cuboid([1.0, 1.0, 2.0], [3.0, 3.0, 4.0]));
    assert!(check("stacked boxes", &stacked).iter().any(|pair| pair.kind == SelfIntersectionKind::Overlap));
    let rings = together(&torus(3.0, 1.0, 16, 8), &moved(&torus(3.0, 1.0, 16, 8), [2.5, 0.1, 0.3]));
    assert!(check("rings", &rings).len() > 40);
    // Far from the origin, tiny and huge: the same pairs.
    let known: Vec<_> = found.iter().map(|pair| (pair.triangles, pair.kind)).collect();
    for factor in [2f64.powi(-195), 2f64.powi(-20), 2f64.powi(170)] {
        let scaled = (crossed.0.iter().map(|p| p.map(|x| x * factor)).collect(), crossed.1.clone());
        let far = moved(&scaled, [1e6 * factor, 0.0, -2e6 * factor]);
        for model in [scaled, far] {
            let pairs: Vec<_> = self_intersections(&mesh(&model)).iter().map(|p| (p.triangles, p.kind)).collect();
            assert_eq!(pairs, known, "{factor:e}");
        }
    }
}

/// Coordinates from a small grid make every kind of coincidence.
#[test]
fn random_triangles_on_a_grid() {
    let mut random = Random::new(11);
    for round in 0..24 {
        let (reach, count, triangles) = [(1, 8, 14), (2, 14, 30), (3, 30, 60), (6, 60, 90)][round % 4];
        let points: Vec<[f64; 3]> =
            (0..count).map(|_| [(); 3].map(|()| random.integer(-reach, reach) as f64 * 0.125)).collect();
        let triangles = (0..triangles).map(|_| [(); 3].map(|()| random.index(points.len()) as u32)).collect();
        check(&format!("grid {round}"), &(points, triangles));
    }
}

#[test]
fn random_triangles_anywhere() {
    let mut random = Random::new(12);
    for round in 0..6 {
        let mut model: Model = (Vec::new(), Vec::new());
        for t in 0..150u32 {
            let middle = random.in_cube(1.0);
            for _ in 0..3 {
                let corner = random.in_cube(0.3);
                model.0.push([0, 1, 2].map(|k| middle[k] + corner[k]));
            }
            model.1.push([3 * t, 3 * t + 1, 3 * t + 2]);
        }
        let far = moved(&model, [1e7, -1e7, 3e6]);
        assert!(check(&format!("anywhere {round}"), &model).len() > 10);
        check(&format!("far {round}"), &far);
    }
}

/// Game levels have cracks, crossing faces and coplanar overlaps; scanned models are merely large.
#[test]
fn real_models_agree_with_brute_force() {
    for folder in ["drake", "levels", "meshes"] {
        for (name, model) in models_in(folder) {
            let health = health_of(&mesh(&model));
            let found = check(&name, &model);
            let of = |kind| found.iter().filter(|pair| pair.kind == kind).count();
            say(&format!(
                "{folder}/{name}: {} triangles, watertight {}, {} rims, {} crossings, {} overlaps",
                model.1.len(),
                health.watertight,
                of(SelfIntersectionKind::Rims),
                of(SelfIntersectionKind::Crossing),
                of(SelfIntersectionKind::Overlap),
            ));
            assert_eq!(mesh(&model).solid().is_ok(), health.volume.is_some_and(|volume| volume >= 0.0), "{name}");
            let duplicates: Vec<[u32; 2]> = health.duplicates;
            let overlaps: Vec<[u32; 2]> = found.iter().map(|pair| pair.triangles).collect();
            let without_area = |t: u32| health.degenerate.binary_search(&t).is_ok();
            assert!(duplicates.iter().all(|pair| without_area(pair[0]) || overlaps.contains(pair)), "{name}");
            match name.as_str() {
                "octahedron" => assert!(health.watertight && health.consistently_wound && found.is_empty()),
                "bad_geometry_volume_zero" => assert!(!health.consistently_wound),
                "two_inverted_faces" => assert_eq!((health.components, health.boundary_edges), (2, 8)),
                "single_triangle" => assert_eq!((health.components, health.boundary_edges), (1, 3)),
                _ => {}
            }
        }
    }
}
