//! Local depths of small solids against brute force: every triangle is sampled on a grid, and each sample's depth in
//! the other solid is its distance from all of its faces, one by one.
//!
//! A depth changes by no more than one moves, so the truth exceeds the deepest sample by at most the spacing of the
//! grid.

use super::Options;
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::Model;
use crate::meshes::generate::{bumpy_sphere, sphere, torus_of};
use crate::models::Random;
use crate::report::{Row, rounded};
use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Shape, local_depth};
use serde_json::json;

/// How many samples a side of a triangle has.
const GRID: u32 = 12;

/// What rounding does to a sample, relative to the size of the solids.
const ROUNDING: f64 = 1e-12;

/// Random pairs of solids: how many answers brute force contradicts, and what an answer takes.
pub fn row(options: &Options) -> Result<Row, LabError> {
    let pairs = if options.quick { 24 } else { 400 };
    let mut random = Random::new(options.seed, 0xDEE9);
    let solids = [tetrahedron(), cube(), sphere(80), bumpy_sphere(80), torus_of(9, 6, 0.7, 0.3)];
    let (mut times, mut wrong, mut answers, mut deep) = (Vec::new(), 0, Digest::default(), 0);
    for pair in 0..pairs {
        let [a, b] = [0, 1].map(|side| &solids[(pair / if side == 0 { 1 } else { solids.len() }) % solids.len()]);
        let pose = Pose::from_quat(random.rotation(), random.direction() * random.between(0.2, 1.6))?;
        let (shape_a, shape_b) = (solid(a)?, solid(b)?);
        let here = Pose::IDENTITY;
        let (answer, seconds) = timed(|| local_depth(&shape_a, &here, &shape_b, &pose));
        let answer = answer.map_err(|error| LabError::BadCall(format!("{} in {}: {error}", a.name, b.name)))?;
        times.push(seconds);
        answers.push(&answer);
        let placed = |model: &Model, pose: &Pose| -> Vec<[DVec3; 3]> {
            let corner = |point: [f64; 3]| pose.transform_point(point.into());
            (0..model.triangles.len()).map(|triangle| model.corners(triangle).map(corner)).collect()
        };
        let (placed_a, placed_b) = (placed(a, &here), placed(b, &pose));
        let (sampled, spacing) = deepest_sample(&placed_a, &placed_b);
        let (other, other_spacing) = deepest_sample(&placed_b, &placed_a);
        let (sampled, spacing) = (sampled.max(other), spacing.max(other_spacing));
        let depth = answer.depth;
        deep += u64::from(depth.lower > 0.0);
        let holds = sampled <= depth.upper + ROUNDING && depth.lower <= sampled + spacing + ROUNDING;
        let proved = answer.verify(&shape_a, &here, &shape_b, &pose);
        if !holds || proved.is_err() {
            let (a, b) = (&a.name, &b.name);
            eprintln!("lab: pair {pair}, {a} and {b}: {depth:?}, sampled {sampled} by {spacing}, verify: {proved:?}");
            wrong += 1;
        }
    }
    Ok(Row {
        case: "local depth of small solids".into(),
        ours: rounded(1e3 * median(times), 3),
        unit: "ms",
        peer: None,
        wrong,
        answers,
        more: vec![("pairs", json!(pairs)), ("deep", json!(deep))],
    })
}

fn solid(model: &Model) -> Result<Shape, clearance::Error> {
    Ok(Shape::Mesh(Mesh::new(&model.points, &model.triangles)?.solid()?))
}

fn tetrahedron() -> Model {
    let points = vec![[0.6, 0.6, 0.6], [0.6, -0.6, -0.6], [-0.6, 0.6, -0.6], [-0.6, -0.6, 0.6]];
    Model { name: "tetrahedron".into(), points, triangles: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] }
}

fn cube() -> Model {
    let corner = |k: usize| std::array::from_fn(|axis| if k >> axis & 1 == 0 { -0.5 } else { 0.5 });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    Model { name: "cube".into(), points: (0..8).map(corner).collect(), triangles }
}

/// The largest depth of a sample of one surface in the other solid, and how far any point of the surface is from a
/// sample.
fn deepest_sample(surface: &[[DVec3; 3]], solid: &[[DVec3; 3]]) -> (f64, f64) {
    let (mut deepest, mut spacing) = (0.0_f64, 0.0_f64);
    for &[p, q, r] in surface {
        let side = (q - p).length().max((r - q).length()).max((p - r).length());
        spacing = spacing.max(side / f64::from(GRID));
        for i in 0..=GRID {
            for j in 0..=GRID - i {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(GRID));
                let sample = p + (q - p) * u + (r - p) * v;
                if is_inside(solid, sample) {
                    let distance = solid.iter().map(|&face| distance_to(face, sample)).fold(f64::INFINITY, f64::min);
                    deepest = deepest.max(distance);
                }
            }
        }
    }
    (deepest, spacing)
}

/// By the sum of the solid angles of all faces.
fn is_inside(solid: &[[DVec3; 3]], point: DVec3) -> bool {
    let angle = |&[p, q, r]: &[DVec3; 3]| {
        let [a, b, c] = [p - point, q - point, r - point];
        let [la, lb, lc] = [a.length(), b.length(), c.length()];
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    solid.iter().map(angle).sum::<f64>() > 2.0 * std::f64::consts::PI
}

/// The distance of a point from a triangle: from its plane above its inside, else from the nearest side.
fn distance_to([p, q, r]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (q - p).cross(r - p);
    let is_above =
        [(p, q), (q, r), (r, p)].iter().all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    if is_above && normal != DVec3::ZERO {
        return (point - p).dot(normal).abs() / normal.length();
    }
    let to_side = |from: DVec3, to: DVec3| {
        let along = to - from;
        let t = ((point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + along * t - point).length()
    };
    to_side(p, q).min(to_side(q, r)).min(to_side(r, p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brute_force_agrees() {
        let row = row(&Options { quick: true, ..Options::default() }).unwrap();
        assert_eq!(row.wrong, 0);
        // Most pairs overlap: there is something to compare.
        assert!(row.more.contains(&("pairs", json!(24))) && row.answers.count == 24);
    }

    #[test]
    fn samples_see_a_known_depth() {
        let placed = |model: &Model, by: DVec3| -> Vec<[DVec3; 3]> {
            (0..model.triangles.len()).map(|k| model.corners(k).map(|point| DVec3::from(point) + by)).collect()
        };
        let (cube, far) = (cube(), DVec3::new(0.75, 0.0, 0.0));
        // The left face of the one is a quarter inside the other, its corners lie on that one's sides.
        let (depth, spacing) = deepest_sample(&placed(&cube, far), &placed(&cube, DVec3::ZERO));
        assert!((0.25 - 1e-12..=0.25 + 1e-15).contains(&depth) && spacing < 0.12, "{depth} {spacing}");
        assert_eq!(deepest_sample(&placed(&cube, DVec3::X * 2.0), &placed(&cube, DVec3::ZERO)).0, 0.0);
    }
}
