//! Meshes of tetrahedra: topology, and every search for pairs against brute force.

use clearance::answer::{TetDepth, TetHealth, TetPairs};
use clearance::glam::{DMat3, DVec3};
use clearance::math::Sign;
use clearance::query::{
    BucketMapping, TetAlgorithm, TetNeighbours, TetOptions, TetWorkspace, tet_depths, tet_pairs_with, tet_region,
    tet_self_pairs_with, triangle_tet_batch,
};
use clearance::{Bracket, Error, QueryError, TetMesh, tet_pairs, tet_self_pairs};
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, intersects};

/// Points and tetrahedra.
#[derive(Clone)]
struct Scene {
    points: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
}

impl Scene {
    fn mesh(&self) -> TetMesh {
        TetMesh::new(&self.points, &self.tets).unwrap()
    }

    fn mapped(&self, map: impl Fn(DVec3) -> DVec3) -> Scene {
        let points = self.points.iter().map(|&p| map(DVec3::from(p)).to_array()).collect();
        Scene { points, tets: self.tets.clone() }
    }

    fn with(&self, other: &Scene) -> Scene {
        let first = self.points.len() as u32;
        let others = other.tets.iter().map(|tet| tet.map(|point| point + first));
        Scene {
            points: [&self.points[..], &other.points].concat(),
            tets: self.tets.iter().copied().chain(others).collect(),
        }
    }
}

/// A block of unit cubes, six tetrahedra each.
fn block(counts: [u32; 3]) -> Scene {
    let [nx, ny, nz] = counts.map(|n| n + 1);
    let number = |[x, y, z]: [u32; 3]| x + nx * (y + ny * z);
    let mut scene = Scene { points: Vec::new(), tets: Vec::new() };
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                scene.points.push([x, y, z].map(f64::from));
                if [x + 1 < nx, y + 1 < ny, z + 1 < nz].contains(&false) {
                    continue;
                }
                for (order, odd) in [
                    ([0, 1, 2], false),
                    ([1, 2, 0], false),
                    ([2, 0, 1], false),
                    ([0, 2, 1], true),
                    ([2, 1, 0], true),
                    ([1, 0, 2], true),
                ] {
                    let mut at = [x, y, z];
                    let mut corners = [number(at); 4];
                    for (axis, corner) in order.into_iter().zip(&mut corners[1..]) {
                        at[axis] += 1;
                        *corner = number(at);
                    }
                    if odd {
                        corners.swap(2, 3);
                    }
                    scene.tets.push(corners);
                }
            }
        }
    }
    scene
}

fn turn(angle: f64) -> DMat3 {
    DMat3::from_axis_angle(DVec3::new(0.36, 0.48, 0.8), angle)
}

/// Every face against every tetrahedron.
fn brute(a: &TetMesh, b: &TetMesh, skip: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    let (mut pairs, mut triangles, mut tets) = (Vec::new(), Vec::new(), Vec::new());
    for (face, own) in a.surface_faces().iter().enumerate() {
        let triangle = own.corners.map(|point| a.points()[point as usize]);
        for (tet, corners) in b.tets().iter().enumerate() {
            if !skip(own.tet, tet as u32) {
                pairs.push([face as u32, tet as u32]);
                triangles.push(triangle);
                tets.push(corners.map(|point| b.points()[point as usize]));
            }
        }
    }
    let meet = triangle_tet_batch(&triangles, &tets).unwrap();
    pairs.into_iter().zip(meet).filter(|(_, meet)| *meet).map(|(pair, _)| pair).collect()
}

fn brute_self(mesh: &TetMesh, relation: TetNeighbours) -> Vec<[u32; 2]> {
    brute(mesh, mesh, |one, other| match relation {
        TetNeighbours::Face => one == other || mesh.neighbours(one).contains(&Some(other)),
        _ => mesh.tets()[one as usize].iter().any(|point| mesh.tets()[other as usize].contains(point)),
    })
}

/// All ways to ask.
fn ways() -> Vec<TetOptions> {
    let mut ways = Vec::new();
    for neighbours in [TetNeighbours::Point, TetNeighbours::Face] {
        for algorithm in [TetAlgorithm::SpatialHash, TetAlgorithm::WideTree] {
            ways.push(TetOptions { algorithm, neighbours, ..TetOptions::default() });
        }
        for mapping in [BucketMapping::Direct, BucketMapping::Sorting] {
            for tets_per_bucket in [1.0, 2.0, 4.0, 0.05] {
                let algorithm = TetAlgorithm::BucketTree;
                ways.push(TetOptions { algorithm, mapping, tets_per_bucket, neighbours });
            }
        }
    }
    ways
}

/// Every way against brute force; returns the pairs.
fn check(a: &Scene, b: &Scene) -> TetPairs {
    let (a, b) = (a.mesh(), b.mesh());
    let expected = [brute(&a, &b, |_, _| false), brute(&b, &a, |_, _| false)];
    for options in ways() {
        let found = tet_pairs_with(&a, &b, &options, &mut TetWorkspace::default());
        assert_eq!([found.faces_of_a, found.faces_of_b], expected, "{options:?}");
        let found = tet_pairs_with(&b, &a, &options, &mut TetWorkspace::default());
        assert_eq!([found.faces_of_b, found.faces_of_a], expected, "{options:?}");
    }
    let mut found = tet_pairs(&a, &b);
    assert_eq!(found.verify(&a, &b), Ok(()));
    if let Some(pair) = found.faces_of_a.pop() {
        assert!(found.verify(&a, &b).is_err());
        found.faces_of_a.extend([pair, pair]);
        assert!(found.verify(&a, &b).is_err());
        found.faces_of_a.pop();
    }
    found
}

/// The same of a mesh with itself; returns how many pairs there are.
fn check_self(scene: &Scene) -> usize {
    let mesh = scene.mesh();
    let [by_point, by_face] = [TetNeighbours::Point, TetNeighbours::Face].map(|relation| brute_self(&mesh, relation));
    for options in ways() {
        let found = tet_self_pairs_with(&mesh, &options, &mut TetWorkspace::default());
        let expected = if options.neighbours == TetNeighbours::Point { &by_point } else { &by_face };
        assert_eq!(&found.pairs, expected, "{options:?}");
        assert_eq!(found.verify(&mesh, options.neighbours), Ok(()));
    }
    by_point.len()
}

#[test]
fn blocks_that_cross_touch_and_lie_apart() {
    let a = block([4, 3, 2]);
    let crossing = a.mapped(|p| turn(0.7) * p + DVec3::new(0.3, 0.4, 0.2));
    assert!(!check(&a, &crossing).faces_of_a.is_empty());
    // Side by side: whole sides touch. Coincident: every face touches. Shifted by half a cube: coplanar sides.
    for shift in [DVec3::X * 4.0, DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(4.0, 3.0, 2.0)] {
        let beside = a.mapped(|p| p + shift);
        assert!(!check(&a, &beside).faces_of_b.is_empty());
    }
    let apart = check(&a, &a.mapped(|p| p + DVec3::X * 4.001));
    assert!(apart.faces_of_a.is_empty() && apart.faces_of_b.is_empty());
    // One deep inside the other: only the surface of the inner one meets something.
    let inner = block([1, 1, 1]).mapped(|p| 0.1 * p + DVec3::new(1.45, 1.45, 0.95));
    let found = check(&a, &inner);
    assert!(found.faces_of_a.is_empty() && found.faces_of_b.len() >= 12);
}

#[test]
fn far_tiny_and_huge() {
    let a = block([3, 2, 2]);
    for (scale, far) in [(1.0, 1e7), (1e-6, 0.0), (1e-6, 1e5), (1e40, 0.0), (1e-50, 0.0), (1e-9, 1.0)] {
        let place = |p: DVec3| scale * p + DVec3::new(far, -far, 0.5 * far);
        let b = a.mapped(|p| turn(0.4) * p + DVec3::new(0.7, 0.1, 0.4));
        assert!(!check(&a.mapped(place), &b.mapped(place)).faces_of_a.is_empty());
    }
    // A grain in a block, and one tetrahedron around many.
    check(&a, &a.mapped(|p| 1e-9 * p + DVec3::new(1.5, 1.0, 1.0)));
    let large = Scene {
        points: vec![[-1e6, -1e6, -1e6], [1e6, 0.0, 0.0], [0.0, 1e6, 0.0], [0.0, 0.0, 1e6]],
        tets: vec![[0, 1, 2, 3]],
    };
    check(&a, &large);
    check_self(&a.with(&large));
    check(&a.with(&large), &a.mapped(|p| p + DVec3::splat(0.25)));
}

#[test]
fn degenerate_elements() {
    let mut random = Random::new(7);
    for round in 0..12 {
        let mut a = block([2, 2, 2]);
        // Points on a coarse lattice: inverted and flat tetrahedra, coincident points, touching of every kind.
        for point in &mut a.points {
            *point = point.map(|x| x + random.integer(-1, 1) as f64);
        }
        let b = a.mapped(|p| p + DVec3::new(f64::from(round % 3), 1.0, 0.0));
        check(&a, &b);
        assert!(check_self(&a) > 0);
        let health = a.mesh().health();
        assert!(!health.flat.is_empty() || !health.inverted.is_empty());
    }
    // All in one plane, on one line, in one point.
    for flat in [DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO] {
        let a = block([2, 1, 1]).mapped(|p| p * flat);
        assert_eq!(a.mesh().health().flat.len(), 12);
        assert!(!check(&a, &a.mapped(|p| p + 0.5 * flat)).faces_of_a.is_empty());
        check_self(&a);
    }
}

#[test]
fn exact_arithmetic_agrees_on_small_meshes() {
    let mut random = Random::new(11);
    for _ in 0..4 {
        let mut scene = || {
            let mut scene = block([1, 1, 1]);
            scene.points.iter_mut().for_each(|p| *p = p.map(|x| 2.0 * x + random.integer(-1, 1) as f64));
            scene
        };
        let (a, b) = (scene().mesh(), scene().mesh());
        let found = tet_pairs(&a, &b).faces_of_a;
        let body = |points: &[DVec3]| OracleBody::hull(points.iter().map(|p| p.to_array()).collect());
        for (face, own) in a.surface_faces().iter().enumerate() {
            let triangle = own.corners.map(|point| a.points()[point as usize]);
            for (tet, corners) in b.tets().iter().enumerate() {
                let tet_points = corners.map(|point| b.points()[point as usize]);
                let expected = intersects(&body(&triangle), &body(&tet_points));
                assert_eq!(found.contains(&[face as u32, tet as u32]), expected, "{triangle:?} {tet_points:?}");
            }
        }
    }
}

#[test]
fn a_mesh_folded_onto_itself() {
    // A bar bent until its ends overlap.
    let bar = block([16, 2, 1]);
    let bent = |angle: f64| {
        bar.mapped(|p| {
            let (turn, out) = (p.x / 16.0 * angle, 2.6 + p.y);
            DVec3::new(out * turn.sin(), out * turn.cos(), p.z + 0.01 * p.x)
        })
    };
    assert_eq!(check_self(&bent(5.5)), 0);
    assert!(check_self(&bent(6.6)) > 20);
}

#[test]
fn a_workspace_changes_no_answer() {
    let (a, b) = (block([6, 3, 2]), block([3, 3, 3]));
    for options in ways() {
        let mut workspace = TetWorkspace::default();
        let (mut moving, still) = (a.mesh(), b.mesh());
        for frame in 0..6 {
            // The last frames jump, and shrink to a plane and back.
            let size = if frame == 4 { 0.0 } else { 1.0 };
            let step = [0.0, 0.1, 0.2, 40.0, 0.3, -1.0][frame];
            let points = a.mapped(|p| turn(step) * p * DVec3::new(1.0, 1.0, size) + DVec3::splat(0.1)).points;
            moving.move_points(&points).unwrap();
            let found = tet_pairs_with(&moving, &still, &options, &mut workspace);
            let fresh = tet_pairs(&moving, &still);
            assert_eq!((&found.faces_of_a, &found.faces_of_b), (&fresh.faces_of_a, &fresh.faces_of_b), "{options:?}");
            let found = tet_self_pairs_with(&moving, &options, &mut workspace);
            assert_eq!(found.pairs, brute_self(&moving, options.neighbours), "{options:?}");
        }
        // Another mesh in the same workspace.
        let found = tet_pairs_with(&still, &moving, &options, &mut workspace);
        assert_eq!(found.faces_of_b, tet_pairs(&still, &moving).faces_of_b);
    }
}

#[test]
fn threads_change_nothing() {
    let a = block([12, 12, 3]).mesh();
    let b = block([12, 12, 3]).mapped(|p| turn(0.1) * p + DVec3::new(0.1, 0.2, 1.3)).mesh();
    for options in ways() {
        let ask = || {
            let mut workspace = TetWorkspace::default();
            let pairs = tet_pairs_with(&a, &b, &options, &mut workspace);
            (pairs, tet_self_pairs_with(&b, &options, &mut workspace))
        };
        let in_pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(ask);
        let found = in_pool(1);
        assert_eq!(found, in_pool(3), "{options:?}");
        assert!(found.0.faces_of_a.len() > 500, "{}", found.0.faces_of_a.len());
    }
}

#[test]
fn regions_are_the_pairs() {
    // Two prongs reach into a block.
    let fork = block([2, 2, 3]).with(&block([2, 2, 3]).mapped(|p| p + DVec3::X * 6.0));
    let a = fork.mapped(|p| 0.9 * p + DVec3::new(0.3, 0.4, 1.5)).mesh();
    let b = block([9, 3, 2]).mesh();
    let all = tet_pairs(&a, &b).faces_of_a;
    let (mut left, mut sizes) = (all.clone(), Vec::new());
    while let Some(&seed) = left.first() {
        let region = tet_region(&a, &b, seed);
        assert!(region.contains(&seed) && region.iter().all(|pair| left.contains(pair)));
        assert_eq!(tet_region(&a, &b, region[region.len() - 1]), region);
        left.retain(|pair| !region.contains(pair));
        sizes.push(region.len());
    }
    assert!(sizes.len() == 2 && sizes.iter().sum::<usize>() == all.len(), "{sizes:?}");
    assert!(tet_region(&a, &b, [u32::MAX, 0]).is_empty() && tet_region(&a, &b, [0, 9999]).is_empty());
}

#[test]
fn depths_of_vertices() {
    let a = block([3, 3, 3]).mapped(|p| turn(0.3) * p * 0.9 + DVec3::new(0.4, 0.3, 0.2)).mesh();
    let b = block([3, 2, 2]).mesh();
    let found = tet_depths(&a, &b).unwrap();
    let inside = |p: DVec3| p.cmpge(DVec3::ZERO).all() && p.cmple(DVec3::new(3.0, 2.0, 2.0)).all();
    let on_surface = |v: u32| a.surface_faces().iter().any(|face| face.corners.contains(&v));
    let expected: Vec<u32> =
        (0..a.points().len() as u32).filter(|&v| inside(a.points()[v as usize]) && on_surface(v)).collect();
    assert_eq!(found.iter().map(|depth| depth.vertex).collect::<Vec<_>>(), expected);
    assert!(found.len() > 5);
    for depth in &found {
        let corners = b.tets()[depth.tet as usize].map(|point| b.points()[point as usize]);
        let again: DVec3 = corners.iter().zip(&depth.coordinates).map(|(&corner, c)| corner * c.value).sum();
        let point = a.points()[depth.vertex as usize];
        assert!(again.distance(point) < 1e-14, "{depth:?}");
        let sums = [depth.coordinates.map(|c| c.lower), depth.coordinates.map(|c| c.upper)].map(|c| c.iter().sum());
        let [low, high]: [f64; 2] = sums;
        assert!(low <= 1.0 && high >= 1.0 && high - low < 1e-14, "{depth:?}");
        let expected = point.min_element().min((DVec3::new(3.0, 2.0, 2.0) - point).min_element());
        assert!(depth.surface.distance.contains(expected), "{depth:?} {expected}");
    }
    assert_eq!(TetDepth::verify_all(&found, &a, &b), Ok(()));
    assert!(TetDepth::verify_all(&found[1..], &a, &b).is_err());
    type Change = fn(&mut TetDepth);
    let changes: [Change; 7] = [
        |depth| depth.tet += 1,
        |depth| depth.vertex += 1,
        |depth| depth.coordinates[1].upper = 1.0,
        |depth| depth.coordinates[0].lower = depth.coordinates[0].upper.next_up(),
        |depth| depth.coordinates.iter_mut().for_each(|c| *c = Bracket::exact(c.value * 0.999)),
        |depth| depth.surface.distance.lower = depth.surface.distance.upper * 1.001,
        |depth| depth.surface.witness.point.x += 1e-3,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut wrong = found.clone();
        change(&mut wrong[2]);
        assert!(TetDepth::verify_all(&wrong, &a, &b).is_err(), "{number}");
    }
    // A vertex on a corner, and on the boundary between tetrahedra.
    let touching = block([1, 1, 1]).mapped(|p| p + DVec3::new(3.0, 2.0, 2.0)).mesh();
    let before = found.len();
    let found = tet_depths(&touching, &b).unwrap();
    assert_eq!(TetDepth::verify_all(&found, &touching, &b), Ok(()));
    assert_eq!((found.len(), found[0].vertex, found[0].surface.distance.value), (1, 0, 0.0));
    assert!(found[0].coordinates.iter().any(|c| c.lower == 1.0));
    // Turned inside out, and too small to have a surface.
    let mut mirrored = block([3, 2, 2]);
    mirrored.tets.iter_mut().for_each(|tet| tet.swap(0, 1));
    assert_eq!(tet_depths(&a, &mirrored.mesh()).unwrap().len(), before);
    let tiny = block([1, 1, 1]).mapped(|p| 1e-70 * p).mesh();
    assert!(matches!(tet_depths(&tiny, &tiny), Err(QueryError::Body(Error::TooSmall { .. }))));
}

#[test]
fn topology() {
    let mesh = block([3, 2, 2]).mesh();
    assert_eq!((mesh.tets().len(), mesh.surface_faces().len()), (72, 2 * 2 * (6 + 6 + 4)));
    assert_eq!(mesh.health(), TetHealth::default());
    assert!(mesh.health().is_sound() && mesh.surface().unwrap().solid().is_ok() && mesh.bytes() > 72 * 32);
    for tet in 0..72 {
        assert_eq!(mesh.orientation(tet), Sign::Positive);
        for (k, next) in mesh.neighbours(tet).into_iter().enumerate() {
            let Some(next) = next else { continue };
            assert!(mesh.neighbours(next).contains(&Some(tet)));
            let mut shared = mesh.tets()[tet as usize].to_vec();
            let opposite = shared.remove(k);
            assert!(shared.iter().all(|point| mesh.tets()[next as usize].contains(point)));
            assert!(!mesh.tets()[next as usize].contains(&opposite));
        }
    }
    // Corners in another order: the faces still look outward, and every tetrahedron is inverted.
    let mut scene = block([3, 2, 2]);
    scene.tets.iter_mut().for_each(|tet| tet.swap(1, 3));
    let mirrored = scene.mesh();
    assert!(mirrored.surface().unwrap().solid().is_ok() && mirrored.health().inverted.len() == 72);
    // A tetrahedron twice has no surface.
    let twice = Scene { points: block([1, 1, 1]).points, tets: vec![[0, 1, 2, 4]; 2] }.mesh();
    assert!(twice.surface_faces().is_empty() && twice.surface().is_err() && twice.health().crowded.is_empty());
    assert!(tet_self_pairs(&twice).pairs.is_empty());
    let found = tet_pairs(&twice, &mesh);
    assert!(found.faces_of_a.is_empty() && !found.faces_of_b.is_empty());
    for options in ways() {
        let again = tet_pairs_with(&twice, &mesh, &options, &mut TetWorkspace::default());
        assert_eq!(again.faces_of_b, found.faces_of_b);
    }
}

#[test]
fn invalid_input_is_named() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let refused = |points: &[[f64; 3]], tets: &[[u32; 4]]| TetMesh::new(points, tets).unwrap_err();
    assert_eq!(refused(&points, &[]), Error::NoTets);
    assert_eq!(refused(&points, &[[0, 1, 2, 4]]), Error::NoSuchCorner { tet: 0, point: 4, points: 4 });
    assert_eq!(refused(&points, &[[0, 1, 2, 3], [3, 1, 2, 3]]), Error::RepeatedCorner { tet: 1, point: 3 });
    let mut wrong = points;
    wrong[3][1] = f64::INFINITY;
    assert_eq!(refused(&wrong, &[[0, 1, 2, 3]]), Error::NotFinite { what: "point", index: 3 });
    wrong[3][1] = 1e61;
    assert!(matches!(refused(&wrong, &[[0, 1, 2, 3]]), Error::TooLarge { index: 3, .. }));
    let mut mesh = TetMesh::new(&points, &[[0, 1, 2, 3]]).unwrap();
    assert!(matches!(mesh.move_points(&points[1..]), Err(Error::WrongCount { expected: 4, count: 3, .. })));
    assert!(mesh.move_points(&wrong).is_err());
    assert!(mesh.points().iter().zip(points).all(|(p, q)| p.to_array() == q));
    // Points that nothing uses may be anywhere.
    let far = [&points[..], &[[1e60, 1e60, -1e60]]].concat();
    let mesh = TetMesh::new(&far, &[[0, 1, 2, 3]]).unwrap();
    for options in ways() {
        let found = tet_pairs_with(&mesh, &mesh, &options, &mut TetWorkspace::default());
        assert_eq!(found.faces_of_a.len(), 4);
    }
    let (triangle, tet) = ([DVec3::ZERO; 3], [DVec3::ZERO; 4]);
    assert_eq!(triangle_tet_batch(&[triangle], &[tet]), Ok(vec![true]));
    assert!(matches!(triangle_tet_batch(&[triangle], &[]), Err(Error::WrongCount { .. })));
    let error = triangle_tet_batch(&[triangle; 2], &[tet, [DVec3::NAN; 4]]).unwrap_err();
    assert_eq!(error, Error::NotFinite { what: "tetrahedron", index: 1 });
}

#[test]
fn a_long_thin_mesh_fills_many_levels() {
    // More buckets along an edge than are stored for all nodes: they are found by a hash table.
    let a = block([220, 1, 1]);
    let b = a.mapped(|p| DVec3::new(p.x + 0.3, p.z + 0.2, -p.y + 0.5));
    let (a, b) = (a.mesh(), b.mesh());
    let expected = brute(&a, &b, |_, _| false);
    for tets_per_bucket in [0.2, 1.0] {
        for mapping in [BucketMapping::Direct, BucketMapping::Sorting] {
            let options =
                TetOptions { algorithm: TetAlgorithm::BucketTree, mapping, tets_per_bucket, ..TetOptions::default() };
            let found = tet_pairs_with(&a, &b, &options, &mut TetWorkspace::default());
            assert_eq!(found.faces_of_a, expected);
        }
    }
}
