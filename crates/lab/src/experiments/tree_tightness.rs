//! How tightly the volumes of each level of a tree fit: boxes along the coordinate axes, oriented boxes, spheres.
//!
//! Reproduces figures 3, 4 and 9 of Gottschalk, Lin, Manocha, *OBBTree* (SIGGRAPH 1996). Of each volume: the
//! *tightness*, the largest distance of one of its points from the geometry inside; the *diameter* of that geometry;
//! the *aspect ratio*, tightness over diameter. On surfaces of low curvature the tightness of oriented boxes is
//! expected to be quadratic in the diameter (an arc of radius `r` and diameter `d` has a tightness of `d² / 8r`), that
//! of the others linear: `slopes_*` in the summary are the exponents that fit the levels.
//!
//! The tightness is bracketed: `ours` is the mean over a level of the distances attained by corners of boxes, or by
//! points in 26 directions of spheres; `above` is the mean of upper bounds, by the one triangle that all of the volume
//! is nearest to. The figure shows the levels 1 to 6 of a torus.
//!
//! `wrong` counts volumes that do not hold the geometry they are about, and brackets that are none.

use clearance::Mesh;
use clearance::glam::DVec3;
use clearance::index::{Aabb, Bound, Index, IndexOptions, Obb, Sphere};
use serde_json::json;

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::meshes::Model;
use crate::meshes::generate::{sphere, torus};
use crate::plot::{Chart, Panel, Plot};
use crate::report::{Goal, Report, Row};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "tree-tightness",
    about: "tightness, diameter and aspect ratio of the volumes of each level of trees of boxes and spheres",
    flags: &[Flag::Quick],
    run,
};

/// The levels that slopes are fitted to: volumes about many triangles, and small beside the surface.
const FITTED: std::ops::RangeInclusive<usize> = 3..=7;

/// The levels that are drawn.
const DRAWN: std::ops::RangeInclusive<usize> = 1..=6;

/// A volume whose tightness can be bracketed.
trait Measured: Bound {
    const NAME: &'static str;

    /// Points of the volume, among them those farthest from what it holds.
    fn samples(&self) -> Vec<DVec3>;

    /// An upper bound of the distance of all of the volume from a triangle.
    fn farthest_from(&self, triangle: &[DVec3; 3]) -> f64 {
        // The distance from a convex set is largest at a corner.
        self.samples().iter().map(|&p| distance_to_triangle(p, triangle)).fold(0.0, f64::max)
    }
}

impl Measured for Aabb {
    const NAME: &'static str = "aabb";

    fn samples(&self) -> Vec<DVec3> {
        let pick = |k: usize, axis: usize| if k >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
        (0..8).map(|k| DVec3::new(pick(k, 0), pick(k, 1), pick(k, 2))).collect()
    }
}

impl Measured for Obb {
    const NAME: &'static str = "obb";

    fn samples(&self) -> Vec<DVec3> {
        self.corners().to_vec()
    }
}

impl Measured for Sphere {
    const NAME: &'static str = "sphere";

    fn samples(&self) -> Vec<DVec3> {
        let coordinate = |k: usize| [-1.0, 0.0, 1.0][k % 3];
        let directions = (0..27).map(|k| DVec3::new(coordinate(k), coordinate(k / 3), coordinate(k / 9)));
        let directions = directions.filter(|direction| *direction != DVec3::ZERO);
        directions.map(|direction| self.center + direction.normalize() * self.radius).collect()
    }

    fn farthest_from(&self, triangle: &[DVec3; 3]) -> f64 {
        distance_to_triangle(self.center, triangle) + self.radius
    }
}

/// The distance of a point from a triangle.
fn distance_to_triangle(p: DVec3, &[a, b, c]: &[DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(q, r)| (r - q).cross(p - q).dot(normal) >= 0.0);
    if inside && normal != DVec3::ZERO {
        return (p - a).dot(normal).abs() / normal.length();
    }
    let to_edge = |q: DVec3, r: DVec3| {
        let (along, away) = (r - q, p - q);
        let squared = along.length_squared();
        let s = if squared > 0.0 { (away.dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
        (away - along * s).length()
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// The means over a level.
#[derive(Clone, Debug, Default)]
struct Level {
    volumes: usize,
    tightness: f64,
    above: f64,
    diameter: f64,
    aspect_ratio: f64,
    wrong: u64,
    answers: Digest,
}

/// The figures of every level of a tree, and its volumes as they are drawn.
fn measure<B: Measured>(model: &Model) -> Result<(Vec<Level>, Vec<Vec<B>>), LabError> {
    let mesh = Mesh::new(&model.points, &model.triangles)?;
    let index = Index::<B>::new(&mesh, &IndexOptions::default());
    let (volumes, origin) = (index.volumes(), index.origin());
    let (mut levels, mut drawn) = (Vec::new(), Vec::new());
    for nodes in index.levels().into_iter().take(1 + FITTED.end()) {
        let mut level = Level::default();
        for &node in &nodes {
            let volume = &volumes[node as usize];
            let triangles: Vec<[DVec3; 3]> = below(&index, node)
                .into_iter()
                .map(|t| model.corners(t as usize).map(|p| DVec3::from_array(p) - origin))
                .collect();
            level.add(volume, &triangles);
        }
        level.finish();
        drawn.push(nodes.iter().map(|&node| volumes[node as usize].clone()).collect());
        levels.push(level);
    }
    Ok((levels, drawn))
}

/// The triangles below a node.
fn below<B: Bound>(index: &Index<B>, node: u32) -> Vec<u32> {
    let (mut stack, mut triangles) = (vec![node], Vec::new());
    while let Some(node) = stack.pop() {
        match index.children(node) {
            Some(children) => stack.extend(children),
            None => triangles.extend(index.triangles(node)),
        }
    }
    triangles
}

impl Level {
    fn add<B: Measured>(&mut self, volume: &B, triangles: &[[DVec3; 3]]) {
        let nearest = |p: &DVec3| triangles.iter().map(|t| distance_to_triangle(*p, t)).fold(f64::INFINITY, f64::min);
        let tightness = volume.samples().iter().map(nearest).fold(0.0, f64::max);
        let above = triangles.iter().map(|t| volume.farthest_from(t)).fold(f64::INFINITY, f64::min);
        let points: Vec<DVec3> = triangles.iter().flatten().copied().collect();
        let apart = |(k, p): (usize, &DVec3)| points[k..].iter().map(|q| p.distance(*q)).fold(0.0, f64::max);
        let diameter = points.iter().enumerate().map(apart).fold(0.0, f64::max);
        let holds = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(1.0, -2.0, 0.5)].iter().all(|&direction| {
            [direction, -direction].iter().all(|&d| points.iter().all(|p| p.dot(d) <= volume.support(d) + 1e-15))
        });
        self.wrong += u64::from(!holds || tightness > above * (1.0 + 1e-12));
        self.volumes += 1;
        self.tightness += tightness;
        self.above += above;
        self.diameter += diameter;
        self.aspect_ratio += tightness / diameter;
        self.answers.push(&tightness);
    }

    fn finish(&mut self) {
        let count = self.volumes.max(1) as f64;
        for sum in [&mut self.tightness, &mut self.above, &mut self.diameter, &mut self.aspect_ratio] {
            *sum /= count;
        }
    }
}

/// The exponent of the power of the diameter that fits the tightness best.
fn slope(levels: &[Level]) -> f64 {
    let fitted: Vec<(f64, f64)> = levels
        .iter()
        .enumerate()
        .filter(|(number, _)| FITTED.contains(number))
        .map(|(_, level)| (level.diameter.ln(), level.tightness.ln()))
        .collect();
    let count = fitted.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| fitted.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let products: f64 = fitted.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    products / fitted.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

/// The rows of a tree, its slope, and its levels as panels.
fn examine<B: Measured>(
    model: &Model,
    colour: usize,
    outline: impl Fn(&B) -> Vec<(f64, f64)>,
) -> Result<(Vec<Row>, f64, Vec<Panel>), LabError> {
    let (levels, drawn) = measure::<B>(model)?;
    let slope = slope(&levels);
    let rows = levels.into_iter().enumerate().map(|(number, level)| Row {
        case: format!("{}, {}, level {number}", model.name, B::NAME),
        ours: level.tightness,
        unit: "of the radius",
        peer: None,
        wrong: level.wrong,
        answers: level.answers,
        more: vec![
            ("volumes", json!(level.volumes)),
            ("above", json!(level.above)),
            ("diameter", json!(level.diameter)),
            ("aspect_ratio", json!(level.aspect_ratio)),
        ],
    });
    let panels = drawn.iter().enumerate().filter(|(number, _)| DRAWN.contains(number)).map(|(number, volumes)| Panel {
        label: format!("{}, level {number}", B::NAME),
        colour,
        outlines: volumes.iter().map(&outline).collect(),
    });
    Ok((rows.collect(), slope, panels.collect()))
}

/// The outline of the hull of points, seen from above at an angle.
fn outline(corners: &[DVec3]) -> Vec<(f64, f64)> {
    let mut seen: Vec<(f64, f64)> = corners.iter().map(|p| (p.x, 0.5 * p.y + 0.75f64.sqrt() * p.z)).collect();
    seen.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    let half = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut chain: Vec<(f64, f64)> = Vec::new();
        for r in points {
            while let [.., p, q] = chain[..] {
                if (q.0 - p.0) * (r.1 - p.1) > (q.1 - p.1) * (r.0 - p.0) {
                    break;
                }
                chain.pop();
            }
            chain.push(r);
        }
        chain.pop();
        chain
    };
    let mut around = half(&mut seen.iter().copied());
    around.extend(half(&mut seen.iter().rev().copied()));
    around
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let triangles = if options.quick { 2_048 } else { 16_384 };
    let (mut rows, mut more, mut goals, mut figure) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for model in [sphere(triangles), torus(triangles)] {
        let drawn = model.name == "torus";
        let mut slopes = Vec::new();
        let (found, slope, panels) = examine::<Aabb>(&model, 1, |bound| outline(&bound.samples()))?;
        rows.extend(found);
        slopes.push((Aabb::NAME, slope, 1.0));
        figure.extend(panels.into_iter().filter(|_| drawn));
        let (found, slope, panels) = examine::<Obb>(&model, 0, |bound| outline(&bound.samples()))?;
        rows.extend(found);
        slopes.push((Obb::NAME, slope, 2.0));
        figure.extend(panels.into_iter().filter(|_| drawn));
        let (found, slope, _) = examine::<Sphere>(&model, 2, |_| Vec::new())?;
        rows.extend(found);
        slopes.push((Sphere::NAME, slope, 1.0));
        for (name, slope, expected) in &slopes {
            goals.push(Goal {
                goal: format!(
                    "{}, {name}: tightness grows with the power {expected} of the diameter, within 0.3",
                    model.name
                ),
                seen: json!(slope),
                met: (slope - expected).abs() <= 0.3,
            });
        }
        let slopes: serde_json::Map<String, serde_json::Value> =
            slopes.into_iter().map(|(name, slope, _)| (name.to_owned(), json!(slope))).collect();
        more.push((if drawn { "slopes_torus" } else { "slopes_sphere" }, json!(slopes)));
    }
    let cases = rows.iter().map(|row| row.answers.count).sum();
    let mut report = Report::plain(EXPERIMENT.name, rows, cases, 1);
    report.more = more;
    report.goals = goals;
    report.plot = Some(Plot {
        title: "A torus in boxes along the coordinate axes and in oriented boxes".into(),
        measure: format!("levels {} to {} of the trees, as many boxes in each", DRAWN.start(), DRAWN.end()),
        chart: Chart::Panels { columns: DRAWN.count(), panels: figure },
    });
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert_eq!(report.rows.len(), 2 * 3 * (1 + FITTED.end()));
        let Chart::Panels { panels, .. } = report.plot.unwrap().chart else { panic!("panels are expected") };
        assert_eq!(panels.len(), 2 * DRAWN.count());
        assert!(panels.iter().all(|panel| panel.outlines.len() > 1));
    }

    #[test]
    fn distances_from_a_triangle() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        for (p, distance) in [
            (DVec3::new(0.2, 0.2, 3.0), 3.0),
            (DVec3::new(-1.0, 0.5, 0.0), 1.0),
            (DVec3::new(1.0, 1.0, 0.0), 0.5f64.sqrt()),
            (DVec3::new(4.0, 0.0, 4.0), 5.0),
        ] {
            assert!((distance_to_triangle(p, &triangle) - distance).abs() < 1e-15, "{p}");
        }
        assert_eq!(distance_to_triangle(DVec3::Z, &[DVec3::ZERO; 3]), 1.0);
    }
}
