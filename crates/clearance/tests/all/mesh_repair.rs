//! Repair of dirty variants of clean solids: each becomes the solid again, `verify` agrees, and the bound on the
//! Hausdorff distance holds against dense samples and brute force.

use clearance::answer::Repaired;
use clearance::glam::DVec3;
use clearance::verify::Refusal;
use clearance::{Error, Mesh, Shape};
use clearance_oracle::random::Random;
use proptest::prelude::*;

use crate::common::meshes::{Lists, bumpy_ball};
use crate::common::random_bodies::vector;

fn mesh((points, triangles): &Lists) -> Mesh {
    Mesh::new(points, triangles).unwrap()
}

/// A cube of side 2 about the origin with `n` by `n` squares a side, closed and facing outward.
fn cube(n: u32) -> Lists {
    let (mut points, mut triangles): Lists = (Vec::new(), Vec::new());
    let mut number = |place: [u32; 3]| -> u32 {
        let place = place.map(|k| 2.0 * f64::from(k) / f64::from(n) - 1.0);
        points.iter().position(|p| *p == place).unwrap_or_else(|| {
            points.push(place);
            points.len() - 1
        }) as u32
    };
    for axis in 0..3 {
        for (side, i, j) in (0..2).flat_map(|side| (0..n * n).map(move |k| (side, k / n, k % n))) {
            let at = |u: u32, v: u32| {
                let mut place = [0; 3];
                place[axis] = side * n;
                place[(axis + 1) % 3] = i + u;
                place[(axis + 2) % 3] = j + v;
                place
            };
            let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(&mut number);
            let square = if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
            triangles.extend(square);
        }
    }
    (points, triangles)
}

fn volume(mesh: &Mesh) -> f64 {
    Shape::Mesh(mesh.clone()).mass_properties().volume
}

fn scaled((points, triangles): &Lists, factor: f64, by: f64) -> Lists {
    (points.iter().map(|p| p.map(|x| x * factor + by)).collect(), triangles.clone())
}

/// Every triangle with its own points, each moved by at most `jitter`.
fn split(lists: &Lists, random: &mut Random, jitter: f64) -> Lists {
    let (points, triangles) = lists;
    let corners: Vec<u32> = triangles.iter().flatten().copied().collect();
    let mut moved = |p: u32| (DVec3::from(points[p as usize]) + vector(random, jitter)).to_array();
    let places = corners.iter().map(|&p| moved(p)).collect();
    (places, (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

/// The distance of a point from a triangle: from its plane above its interior, otherwise from the nearest side.
fn distance_to([p, q, r]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (q - p).cross(r - p);
    let sides = [(p, q), (q, r), (r, p)];
    let is_above = sides.iter().all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    if is_above && normal != DVec3::ZERO {
        return (point - p).dot(normal).abs() / normal.length();
    }
    let to_side = |(from, to): (DVec3, DVec3)| {
        let along = to - from;
        let t = ((point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + along * t - point).length()
    };
    sides.into_iter().map(to_side).fold(f64::INFINITY, f64::min)
}

fn triangles_of(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let points: Vec<DVec3> = mesh.points().collect();
    mesh.triangles().iter().map(|t| t.map(|p| points[p as usize])).collect()
}

/// The largest distance of a sample of one mesh from the other, by brute force.
fn sampled(from: &Mesh, to: &Mesh, grid: u32) -> f64 {
    let faces = triangles_of(to);
    let mut largest = 0.0_f64;
    for [p, q, r] in triangles_of(from) {
        for (i, j) in (0..=grid).flat_map(|i| (0..=grid - i).map(move |j| (i, j))) {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(grid));
            let sample = p + (q - p) * u + (r - p) * v;
            largest = largest.max(faces.iter().map(|&face| distance_to(face, sample)).fold(f64::INFINITY, f64::min));
        }
    }
    largest
}

/// Verifies a repair, and checks its bounds against samples.
fn check(given: &Mesh, repaired: &Repaired) {
    assert_eq!(repaired.verify(given), Ok(()), "{:?}", repaired.report);
    let report = &repaired.report;
    assert_eq!(report.is_solid, repaired.mesh.is_solid());
    // Samples are rounded, at the size of the coordinates.
    let size = given.points().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let rounding = 64.0 * f64::EPSILON * size;
    let grid = if given.triangle_count() > 60 { 3 } else { 9 };
    assert!(sampled(given, &repaired.mesh, grid) <= report.given_to_used + rounding, "{report:?}");
    assert!(sampled(&repaired.mesh, given, grid) <= report.used_to_given + rounding, "{report:?}");
    assert_eq!(report.distance, report.given_to_used.max(report.used_to_given));
}

fn repaired(lists: &Lists, tolerance: f64) -> Repaired {
    let given = mesh(lists);
    let repaired = given.repaired(tolerance).unwrap();
    check(&given, &repaired);
    repaired
}

/// Repairs a mesh that must become a solid of a volume known up to the bound.
fn becomes_solid(lists: &Lists, tolerance: f64, expected: f64, area: f64) -> Repaired {
    let found = repaired(lists, tolerance);
    assert!(found.report.is_solid, "{:?}", found.report);
    let off = area * found.report.distance * 1.5 + 1e-9 * expected;
    assert!(
        (volume(&found.mesh) - expected).abs() <= off,
        "{} not {expected}: {:?}",
        volume(&found.mesh),
        found.report
    );
    found
}

#[test]
fn clean_solids_stay_as_they_are() {
    for lists in [cube(1), cube(3), bumpy_ball(6, 1.0, DVec3::ZERO, 0.2)] {
        for given in [mesh(&lists), mesh(&lists).solid().unwrap()] {
            for tolerance in [0.0, 1e-3, 10.0] {
                let found = given.repaired(tolerance).unwrap();
                assert!(found.report.is_unchanged() && found.report.is_solid && found.report.distance == 0.0);
                assert_eq!(found.mesh.to_bytes(), given.solid().unwrap().to_bytes());
                check(&given, &found);
            }
        }
    }
}

#[test]
fn split_and_jittered_points_are_joined() {
    let mut random = Random::new(7);
    let clean = cube(2);
    for (factor, by) in [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e7)] {
        let equal = scaled(&split(&clean, &mut random, 0.0), factor, by);
        let found = repaired(&equal, 0.0);
        assert!(found.report.is_solid && found.report.distance == 0.0, "{:?}", found.report);
        assert_eq!(found.report.joined.len(), 144 - 26);
        // Far from the origin jittered points are rounded too.
        let jitter = 1e-4;
        let dirty = scaled(&split(&clean, &mut random, jitter), factor, by);
        let found = becomes_solid(&dirty, 8.0 * jitter * factor, 8.0 * factor.powi(3), 24.0 * factor * factor);
        assert!(found.report.moved <= 8.0 * jitter * factor * (1.0 + 1e-12) && found.report.moved > 0.0);
        assert!(!repaired(&dirty, 0.0).report.is_solid);
    }
}

#[test]
fn t_junctions_are_cut() {
    // The top is split in quarters, its neighbours are not.
    let (mut points, triangles) = cube(1);
    let at = |points: &[[f64; 3]], place: [f64; 3]| points.iter().position(|p| *p == place).unwrap() as u32;
    for off in [0.0, 1e-5] {
        let mut kept: Vec<[u32; 3]> =
            triangles.iter().copied().filter(|t| t.iter().any(|&p| points[p as usize][2] < 0.0)).collect();
        assert_eq!(kept.len(), 10);
        points.truncate(8);
        let rim =
            [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, 1.0], [-1.0, 0.0]];
        let rim: Vec<u32> = rim
            .iter()
            .enumerate()
            .map(|(k, &[x, y])| {
                if k % 2 == 0 {
                    return at(&points, [x, y, 1.0]);
                }
                points.push([x, y, 1.0 + off]);
                points.len() as u32 - 1
            })
            .collect();
        points.push([0.0, 0.0, 1.0]);
        let middle = points.len() as u32 - 1;
        kept.extend((0..8).map(|k| [rim[k], rim[(k + 1) % 8], middle]));
        let found = becomes_solid(&(points.clone(), kept), 10.0 * off, 8.0, 24.0);
        assert_eq!(found.report.split.len(), 4);
        assert!(found.report.distance <= 1.1 * off + 1e-12 && found.report.joined.is_empty());
    }
}

#[test]
fn cracks_are_closed() {
    // Both halves of a cube end in rims of their own, a little apart.
    let (points, triangles) = cube(2);
    let mut all = points.clone();
    let is_upper = |t: &[u32; 3]| t.iter().any(|&p| points[p as usize][2] > 0.0);
    let mut parts = Vec::new();
    for t in &triangles {
        parts.push(if is_upper(t) { t.map(|p| p + points.len() as u32) } else { *t });
    }
    all.extend(points.iter().map(|&[x, y, z]| [x, y, z + 1e-5]));
    let found = becomes_solid(&(all.clone(), parts.clone()), 1e-4, 8.0, 24.0);
    assert_eq!(found.report.joined.len(), 8);
    assert!(found.report.moved <= 1.1e-5);
    let open = repaired(&(all, parts), 1e-6);
    assert!(!open.report.is_solid && open.report.holes.len() == 2 && open.report.holes.iter().all(|rim| rim.is_closed));
}

#[test]
fn flipped_faces_are_reversed_and_named() {
    let (points, mut triangles) = cube(2);
    for t in [3, 17, 30] {
        triangles[t].swap(0, 1);
    }
    let found = becomes_solid(&(points.clone(), triangles.clone()), 0.0, 8.0, 24.0);
    assert_eq!(found.report.flipped, [3, 17, 30]);
    assert_eq!(found.report.distance, 0.0);
    // All inside out.
    let inside_out = cube(2).1.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let found = becomes_solid(&(points, inside_out), 0.0, 8.0, 24.0);
    assert_eq!(found.report.flipped.len(), 48);
}

#[test]
fn duplicates_and_zero_area_triangles_are_dropped() {
    let (mut points, mut triangles) = cube(2);
    let count = triangles.len() as u32;
    let [a, b, c] = triangles[5];
    triangles.push([b, c, a]);
    triangles.push([a, c, b]);
    triangles.push([a, a, b]);
    let middle = (DVec3::from(points[a as usize]) + DVec3::from(points[b as usize])) * 0.5;
    points.push(middle.to_array());
    triangles.push([a, b, points.len() as u32 - 1]);
    let found = becomes_solid(&(points, triangles), 0.0, 8.0, 24.0);
    assert_eq!(found.report.duplicates, [[5, count], [5, count + 1]]);
    assert_eq!(found.report.zero_area, [count + 2, count + 3]);
    assert!(found.report.distance < 1e-12);
}

#[test]
fn narrow_holes_are_filled_and_wide_ones_named() {
    let (mut points, triangles) = cube(1);
    // The first triangle is split around its centroid, leaving a small triangular hole.
    let [a, b, c] = triangles[0].map(|p| DVec3::from(points[p as usize]));
    let middle = (a + b + c) / 3.0;
    let small = [a, b, c].map(|p| (middle + (p - middle) * 1e-3).to_array());
    let first = points.len() as u32;
    points.extend(small);
    let mut open = triangles[1..].to_vec();
    for k in 0..3 {
        let (p, q) = (triangles[0][k], triangles[0][(k + 1) % 3]);
        let (u, v) = (first + k as u32, first + (k as u32 + 1) % 3);
        open.extend([[p, q, v], [p, v, u]]);
    }
    let lists = (points, open);
    let found = becomes_solid(&lists, 1e-2, 8.0, 24.0);
    assert!(!found.report.is_unchanged() && found.report.holes.is_empty());
    let left = repaired(&lists, 1e-6);
    assert!(!left.report.is_solid && left.report.filled.is_empty());
    assert_eq!(left.report.holes.len(), 1);
    assert_eq!(left.report.holes[0].points.len(), 3);
    // A missing face is far too wide.
    let (points, mut triangles) = cube(1);
    triangles.truncate(10);
    let found = repaired(&(points, triangles), 1e-3);
    assert!(!found.report.is_solid && found.report.holes.len() == 1 && found.report.holes[0].points.len() == 4);
    assert!((found.report.holes[0].length - 8.0).abs() < 1e-12);
}

#[test]
fn sheets_do_not_become_empty_solids() {
    let square: Lists = (vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2], [0, 2, 3]]);
    let triangle: Lists = (square.0[..3].to_vec(), vec![[0, 1, 2]]);
    for lists in [square, triangle] {
        for tolerance in [0.0, 1e-6, 1e-2] {
            let found = repaired(&lists, tolerance);
            assert!(!found.report.is_solid && found.report.is_unchanged(), "{:?}", found.report);
            assert_eq!(found.report.holes.len(), 1);
        }
    }
}

#[test]
fn solids_that_touch_are_separated() {
    // Two cubes that share an edge, then a whole face, by the same points.
    for by in [[2.0, 2.0, 0.0], [2.0, 0.0, 0.0]] {
        let (mut points, mut triangles) = cube(1);
        let mut place = |p: [f64; 3]| -> u32 {
            points.iter().position(|q| *q == p).unwrap_or_else(|| {
                points.push(p);
                points.len() - 1
            }) as u32
        };
        let (others, faces) = cube(1);
        let moved: Vec<u32> = others.iter().map(|p| place([0, 1, 2].map(|k| p[k] + by[k]))).collect();
        triangles.extend(faces.iter().map(|t| t.map(|p| moved[p as usize])));
        let found = becomes_solid(&(points, triangles), 0.0, 16.0, 48.0);
        assert!(!found.report.parted_edges.is_empty() && found.report.non_manifold_edges.is_empty());
        assert!(found.report.distance < 1e-12);
    }
}

#[test]
fn cavities_stay_cavities() {
    let (mut points, mut triangles) = cube(1);
    let (inner, faces) = scaled(&cube(1), 0.5, 0.0);
    let first = points.len() as u32;
    points.extend(inner);
    triangles.extend(faces.iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    let found = becomes_solid(&(points.clone(), triangles.clone()), 0.0, 7.0, 30.0);
    assert!(found.report.is_unchanged());
    let dirty = split(&(points, triangles), &mut Random::new(3), 0.0);
    becomes_solid(&dirty, 0.0, 7.0, 30.0);
}

#[test]
fn surfaces_that_bound_nothing_are_reported() {
    // A Moebius strip.
    let count = 12_u32;
    let points = (0..2 * count)
        .map(|k| {
            let (turn, side) = (f64::from(k / 2) / f64::from(count), if k % 2 == 0 { -0.3 } else { 0.3 });
            let (a, h) = (turn * std::f64::consts::TAU, turn * std::f64::consts::PI);
            [(1.0 + side * h.cos()) * a.cos(), (1.0 + side * h.cos()) * a.sin(), side * h.sin()]
        })
        .collect();
    let strip = |k: u32| {
        let [p, q] = [2 * k, 2 * k + 1];
        let [r, s] = if k + 1 == count { [1, 0] } else { [p + 2, q + 2] };
        [[p, r, q], [q, r, s]]
    };
    let found = repaired(&(points, (0..count).flat_map(strip).collect()), 1e-3);
    assert!(!found.report.is_solid && found.report.holes.iter().map(|rim| rim.points.len()).sum::<usize>() >= 24);
    // Three triangles at one edge.
    let fan: Lists = (
        vec![[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0]],
        vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]],
    );
    let found = repaired(&fan, 1e-3);
    assert!(!found.report.is_solid && found.report.non_manifold_edges == [[0, 1]]);
    // Only zero-area triangles.
    let flat: Lists = (vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], vec![[0, 1, 2], [0, 0, 1], [2, 2, 2]]);
    let found = repaired(&flat, 1.0);
    assert!(!found.report.is_solid && found.report.is_unchanged() && found.mesh.triangle_count() == 3);
    // A solid with a needle far from it.
    let (mut points, mut triangles) = cube(1);
    points.extend([[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]]);
    triangles.push([8, 9, 9]);
    let found = repaired(&(points, triangles), 1e-3);
    assert!(!found.report.is_solid && found.report.stray == [12]);
}

#[test]
fn a_tolerance_beyond_the_part_is_harmless() {
    let mut random = Random::new(9);
    for lists in [cube(2), split(&cube(1), &mut random, 0.0), split(&cube(1), &mut random, 1e-3), {
        let (points, triangles) = cube(2);
        (points, triangles[..40].to_vec())
    }] {
        for tolerance in [10.0, 1e9] {
            repaired(&lists, tolerance);
        }
    }
    assert!(repaired(&split(&cube(1), &mut random, 0.0), 1e9).report.distance == 0.0);
}

#[test]
fn bad_tolerances_are_rejected() {
    let given = mesh(&cube(1));
    assert!(matches!(given.repaired(f64::NAN), Err(Error::NotFinite { what: "tolerance", .. })));
    assert!(matches!(given.repaired(f64::INFINITY), Err(Error::NotFinite { what: "tolerance", .. })));
    assert!(matches!(given.repaired(-1e-9), Err(Error::Negative { what: "tolerance", .. })));
    assert!(matches!(given.repaired(1e70), Err(Error::TooLarge { what: "tolerance", .. })));
}

/// A mesh with everything in it: jitter, a T-junction, duplicates, zero area, a flipped face, a slit, a hole, a shared
/// edge.
fn everything() -> Lists {
    let mut random = Random::new(11);
    let (mut points, mut triangles) = split(&cube(2), &mut random, 1e-5);
    triangles[7].swap(0, 1);
    triangles.push(triangles[4]);
    triangles.push([0, 1, 1]);
    // Two cubes that share an edge.
    let first = points.len();
    let (corners, faces) = cube(1);
    for by in [4.0, 6.0] {
        let mut place = |p: [f64; 3]| {
            let known = points[first..].iter().position(|q| *q == p).map(|k| first + k);
            known.unwrap_or_else(|| {
                points.push(p);
                points.len() - 1
            }) as u32
        };
        let own: Vec<u32> = corners.iter().map(|p| place([p[0] + by, p[1] + by, p[2]])).collect();
        triangles.extend(faces.iter().map(|t| t.map(|p| own[p as usize])));
    }
    // An open square beside it all.
    let start = points.len() as u32;
    points.extend([[9.0, 9.0, 9.0], [10.0, 9.0, 9.0], [9.0, 10.0, 9.0], [30.0, 0.0, 0.0], [31.0, 0.0, 0.0]]);
    triangles.push([start, start + 1, start + 2]);
    triangles.push([start + 3, start + 4, start + 4]);
    // A slit in the side of the first of the two.
    let [a, b, c] = triangles[50].map(|p| DVec3::from(points[p as usize]));
    let slit = [a.lerp(b, 0.3), a.lerp(b, 0.6)].map(|p| (p + (c - p) * 1e-5).to_array());
    points.extend(slit);
    let (p, [u, v, w]) = (points.len() as u32 - 2, triangles[50]);
    triangles[50] = [u, p, w];
    triangles.extend([[p, p + 1, w], [p + 1, v, w]]);
    (points, triangles)
}

#[test]
fn every_false_field_is_refused() {
    let given = mesh(&everything());
    let good = given.repaired(1e-3).unwrap();
    check(&given, &good);
    let report = &good.report;
    assert!(!report.joined.is_empty() && !report.zero_area.is_empty() && !report.duplicates.is_empty());
    assert!(!report.flipped.is_empty() && !report.parted_edges.is_empty() && !report.holes.is_empty());
    assert!(!report.stray.is_empty() && !report.added_points.is_empty() && !report.split.is_empty(), "{report:?}");
    let refuses = |label: &str, change: &dyn Fn(&mut Repaired)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(bad.verify(&given).is_err(), "{label}");
    };
    refuses("tolerance", &|bad| bad.report.tolerance *= 1e-3);
    refuses("tolerance", &|bad| bad.report.tolerance = f64::NAN);
    refuses("distance", &|bad| bad.report.distance *= 0.5);
    refuses("distance", &|bad| bad.report.distance *= 2.0);
    refuses("given_to_used", &|bad| {
        bad.report.given_to_used *= 0.25;
        bad.report.distance = bad.report.given_to_used.max(bad.report.used_to_given);
    });
    refuses("used_to_given", &|bad| {
        bad.report.used_to_given *= 0.25;
        bad.report.distance = bad.report.given_to_used.max(bad.report.used_to_given);
    });
    refuses("used_to_given", &|bad| bad.report.used_to_given = -1.0);
    refuses("moved", &|bad| bad.report.moved *= 0.5);
    refuses("moved", &|bad| bad.report.moved *= 2.0);
    refuses("joined", &|bad| _ = bad.report.joined.pop());
    refuses("joined", &|bad| bad.report.joined[0][1] += 1);
    refuses("joined", &|bad| bad.report.joined[0][0] = u32::MAX);
    refuses("zero_area", &|bad| bad.report.zero_area.clear());
    refuses("zero_area", &|bad| bad.report.zero_area.push(1_000_000));
    refuses("duplicates", &|bad| bad.report.duplicates.clear());
    refuses("duplicates", &|bad| bad.report.duplicates[0][0] += 1);
    refuses("collapsed", &|bad| bad.report.collapsed.push(3));
    refuses("stray", &|bad| bad.report.stray.push(3));
    refuses("stray", &|bad| bad.report.stray.clear());
    refuses("split", &|bad| bad.report.split.clear());
    refuses("split", &|bad| bad.report.split.insert(0, 0));
    refuses("flipped", &|bad| bad.report.flipped.clear());
    refuses("flipped", &|bad| bad.report.flipped = vec![0, 7]);
    refuses("parted_edges", &|bad| bad.report.parted_edges.clear());
    refuses("parted_edges", &|bad| bad.report.parted_edges.push([1, 2_000]));
    refuses("non_manifold_edges", &|bad| bad.report.non_manifold_edges.push([0, 1]));
    refuses("holes", &|bad| bad.report.holes.clear());
    refuses("holes", &|bad| bad.report.holes[0].length *= 1.001);
    refuses("holes", &|bad| bad.report.holes[0].is_closed ^= true);
    refuses("holes", &|bad| _ = bad.report.holes[0].points.pop());
    refuses("is_solid", &|bad| bad.report.is_solid ^= true);
    refuses("origin", &|bad| _ = bad.report.origin.pop());
    refuses("origin", &|bad| bad.report.origin[0] = Some(20));
    refuses("origin", &|bad| bad.report.origin[0] = None);
    refuses("added_points", &|bad| _ = bad.report.added_points.pop());
    refuses("added_points", &|bad| bad.report.added_points[0] = [0, 1]);
    // And of the mesh: a point elsewhere, a triangle less, another corner, another order.
    let (points, triangles): Lists = (good.mesh.points().map(|p| p.to_array()).collect(), good.mesh.triangles());
    let other = |label: &str, points: &[[f64; 3]], triangles: &[[u32; 3]]| {
        let bad = Repaired { mesh: Mesh::new(points, triangles).unwrap(), report: report.clone() };
        assert!(bad.verify(&given).is_err(), "{label}");
    };
    let mut moved = points.clone();
    moved[0][0] += 1e-6;
    other("point", &moved, &triangles);
    other("triangle", &points, &triangles[1..]);
    let mut turned = triangles.clone();
    turned[0].swap(0, 1);
    other("turned", &points, &turned);
    // Of a filled hole.
    let (slit_points, slit_triangles) = slit();
    let given = Mesh::new(&slit_points, &slit_triangles).unwrap();
    let good = given.repaired(1e-2).unwrap();
    check(&given, &good);
    if let Some(hole) = good.report.filled.first() {
        let mut bad = good.clone();
        bad.report.filled[0].triangles = hole.triangles + 1;
        assert_eq!(bad.verify(&given), Err(Refusal::Repair { field: "filled" }));
        let mut bad = good.clone();
        bad.report.filled.clear();
        assert!(bad.verify(&given).is_err());
    }
}

/// A cube with a lens-shaped slit: an arc tessellated with other points on its two sides.
fn slit() -> Lists {
    let arc = |t: f64| [t, -1.0 + 4e-3 * (1.0 - t * t), 1.0];
    let (points, triangles) = cube(1);
    let is_front = |t: &&[u32; 3]| t.iter().all(|&p| points[p as usize][1] < 0.0);
    let is_top = |t: &&[u32; 3]| t.iter().all(|&p| points[p as usize][2] > 0.0);
    let mut kept: Vec<[u32; 3]> = triangles.iter().filter(|t| !is_front(t) && !is_top(t)).copied().collect();
    let mut all = points.clone();
    let corner = |x: f64, y: f64, z: f64| points.iter().position(|p| *p == [x, y, z]).unwrap() as u32;
    let mut line = |count: u32| -> Vec<u32> {
        let mut own = vec![corner(-1.0, -1.0, 1.0)];
        for k in 1..count {
            all.push(arc(2.0 * f64::from(k) / f64::from(count) - 1.0));
            own.push(all.len() as u32 - 1);
        }
        own.push(corner(1.0, -1.0, 1.0));
        own
    };
    let (upper, lower) = (line(3), line(4));
    let fan =
        |line: &[u32], apex: u32| -> Vec<[u32; 3]> { line.windows(2).map(|two| [two[0], two[1], apex]).collect() };
    kept.extend(fan(&upper, corner(-1.0, 1.0, 1.0)));
    kept.push([corner(1.0, -1.0, 1.0), corner(1.0, 1.0, 1.0), corner(-1.0, 1.0, 1.0)]);
    let reversed: Vec<u32> = lower.iter().rev().copied().collect();
    kept.extend(fan(&reversed, corner(-1.0, -1.0, -1.0)));
    kept.push([corner(1.0, -1.0, -1.0), corner(1.0, -1.0, 1.0), corner(-1.0, -1.0, -1.0)]);
    (all, kept)
}

#[test]
fn arcs_with_other_points_on_both_sides_are_closed() {
    let lists = slit();
    assert!(mesh(&lists).solid().is_err());
    let found = repaired(&lists, 1e-2);
    assert!(found.report.is_solid, "{:?}", found.report);
    assert!((volume(&found.mesh) - 8.0).abs() < 0.02 && found.report.distance < 4e-3);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let given = mesh(&everything());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let four = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let [a, b] = [one, four].map(|pool| pool.install(|| given.repaired(1e-3).unwrap()));
    assert_eq!(a.report, b.report);
    assert_eq!(a.mesh.to_bytes(), b.mesh.to_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_dirt_is_repaired_or_reported(
        seed in 0u64..1_000_000, kind in 0u32..4, exponent in -7.0f64..0.5, jitter in -8.0f64..-1.0, far in 0u32..3,
    ) {
        let mut random = Random::new(seed);
        let clean = match kind {
            0 => cube(1),
            1 => cube(2),
            _ => bumpy_ball(3, 1.0, DVec3::ZERO, 0.3),
        };
        let mut dirty = split(&clean, &mut random, 10f64.powf(jitter));
        // Some triangles are gone, some there twice, some reversed, some without area.
        let count = dirty.1.len();
        for k in 0..count {
            match random.index(24) {
                0 => dirty.1[k].swap(0, 2),
                1 => dirty.1.push(dirty.1[k]),
                2 => { let [a, b, _] = dirty.1[k]; dirty.1.push([a, b, b]); }
                3 if kind == 3 => dirty.1[k] = dirty.1[0],
                _ => {}
            }
        }
        let lists = scaled(&dirty, [1.0, 1e-6, 1e6][far as usize], [0.0, 0.0, 1e7][far as usize]);
        let size = [1.0, 1e-6, 1e6][far as usize];
        let given = mesh(&lists);
        let found = given.repaired(10f64.powf(exponent) * size).unwrap();
        check(&given, &found);
        prop_assert!(found.report.moved <= found.report.tolerance * (1.0 + 1e-12));
    }
}
