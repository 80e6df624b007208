//! The four scenes of Kim, Otaduy, Lin and Manocha (*Fast Penetration Depth Computation Using Rasterization Hardware
//! and Hierarchical Refinement*, 2002, figure 9), rebuilt from what the paper says of them: kinds and numbers of faces,
//! and the depths of its table 2. Sizes are not given there; they are chosen so that the known way out is as long as
//! the published depth.

use crate::error::LabError;
use crate::meshes::generate::torus_of;
use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Shape};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A level of the paper's table 2: number, per cent of the pairs culled, depth.
pub type Published = (u32, f64, f64);

/// Two solids that overlap, and what the paper reports.
pub struct Scene {
    pub name: &'static str,
    pub a: Shape,
    pub b: Shape,
    pub pose_b: Pose,
    /// The depth that the scene is built to have, as far as it is known, with the error that flat faces make.
    pub known: Option<(f64, f64)>,
    pub published: &'static [Published],
    pub published_seconds: f64,
}

type Lists = (Vec<[f64; 3]>, Vec<[u32; 3]>);

fn solid((points, triangles): &Lists) -> Result<Shape, LabError> {
    let mesh = Mesh::new(points, triangles).and_then(|mesh| mesh.solid()).map_err(LabError::from)?;
    Ok(Shape::Mesh(mesh))
}

/// A flat band between two lines of points, seen counter-clockwise as first the outer line and then the inner one
/// backwards; closed into a ring or not; with a thickness along z. `4 n - 4` triangles for `n` points of a band, `4 n`
/// of a ring.
fn band(outer: &[[f64; 2]], inner: &[[f64; 2]], ring: bool, thickness: f64) -> Lists {
    let count = outer.len() + inner.len();
    let mut points: Vec<[f64; 3]> = Vec::new();
    for z in [0.0, thickness] {
        points.extend(outer.iter().chain(inner).map(|&[x, y]| [x, y, z]));
    }
    let (n, m) = (outer.len(), inner.len());
    let inside = |k: usize| n + k % m;
    // Across, from the first two points on, always the shorter way.
    let mut flat: Vec<[usize; 3]> = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (ends_outer, ends_inner) = if ring { (n, m) } else { (n - 1, m - 1) };
    while i < ends_outer || j < ends_inner {
        let outer_first = j == ends_inner || (i < ends_outer && (i + 1) * ends_inner <= (j + 1) * ends_outer);
        if outer_first {
            flat.push([i % n, (i + 1) % n, inside(j)]);
            i += 1;
        } else {
            flat.push([i % n, inside(j + 1), inside(j)]);
            j += 1;
        }
    }
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in flat {
        triangles.push([a, c, b].map(|k| k as u32));
        triangles.push([a, b, c].map(|k| (k + count) as u32));
    }
    let mut wall = |from: usize, to: usize| {
        let [a, b] = [from, to].map(|k| k as u32);
        let up = count as u32;
        triangles.extend([[a, b, b + up], [a, b + up, a + up]]);
    };
    (0..ends_outer).for_each(|k| wall(k, (k + 1) % n));
    (0..ends_inner).for_each(|k| wall(inside(k + 1), inside(k)));
    if !ring {
        wall(n - 1, inside(m - 1));
        wall(inside(0), 0);
    }
    (points, triangles)
}

/// Points of an arc about a middle.
fn arc(count: usize, radius: f64, from: f64, to: f64) -> Vec<[f64; 2]> {
    let angle = |k: usize| from + (to - from) * k as f64 / (count - 1) as f64;
    (0..count).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect()
}

/// Points of a whole circle.
fn circle(count: usize, radius: f64) -> Vec<[f64; 2]> {
    (0..count)
        .map(|k| TAU * k as f64 / count as f64)
        .map(|angle| [radius * angle.cos(), radius * angle.sin()])
        .collect()
}

/// A grate: plates side by side on a base, standing along z, as long in y as all are wide in x. `16 prongs - 4`
/// triangles.
fn grate(prongs: usize, width: f64, height: f64) -> Lists {
    let pitch = width / (prongs as f64 - 0.5);
    let mut outline: Vec<[f64; 2]> = vec![[0.0, -0.5]];
    outline.push([width, -0.5]);
    for k in (0..prongs).rev() {
        let left = k as f64 * pitch;
        outline.push([left + 0.5 * pitch, height]);
        outline.push([left, height]);
        if k > 0 {
            outline.push([left, 0.0]);
            outline.push([left - 0.5 * pitch, 0.0]);
        }
    }
    let count = outline.len() as u32;
    let mut points: Vec<[f64; 3]> = Vec::new();
    for y in [0.0, width] {
        points.extend(outline.iter().map(|&[x, z]| [x, y, z]));
    }
    let triangles = ears(&outline);
    let mut all: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in triangles {
        all.push([a, b, c]);
        all.push([a + count, c + count, b + count]);
    }
    for k in 0..count {
        let (from, to) = (k, (k + 1) % count);
        all.extend([[from, to + count, to], [from, from + count, to + count]]);
    }
    (points, all)
}

/// Triangles of a polygon, by cutting off ears.
fn ears(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..outline.len() as u32).collect();
    let mut triangles = Vec::new();
    let turn = |a: u32, b: u32, c: u32| {
        let [p, q, r] = [a, b, c].map(|k| outline[k as usize]);
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    };
    while left.len() > 2 {
        let n = left.len();
        let ear = (0..n).find(|&k| {
            let [a, b, c] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
            let inside = |p: u32| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && !left.iter().any(|&p| p != a && p != b && p != c && inside(p))
        });
        let k = ear.unwrap_or(0);
        triangles.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
        left.remove(k);
    }
    triangles
}

/// All four.
pub fn scenes() -> Result<Vec<Scene>, LabError> {
    let pose = |axis: DVec3, angle: f64, to: DVec3| Pose::from_axis_angle(axis, angle, to).map_err(LabError::from);
    let tori = torus_of(50, 20, 1.0, 0.25);
    let tori = (tori.points, tori.triangles);
    let hook = band(&arc(19, 1.0, 0.25 * PI, 1.75 * PI), &arc(18, 0.7, 0.25 * PI, 1.75 * PI), false, 0.3);
    let ring = band(&circle(20, 1.0), &circle(18, 0.7), true, 0.3);
    Ok(vec![
        Scene {
            name: "interlocked tori",
            a: solid(&tori)?,
            b: solid(&tori)?,
            // Tubes of radius 0.25 right through each other.
            pose_b: pose(DVec3::X, FRAC_PI_2, DVec3::new(2.0, 0.0, 0.0))?,
            known: Some((0.5, 0.02)),
            published: &[(3, 31.2, 0.99), (5, 96.7, 0.53), (7, 98.3, 0.50)],
            published_seconds: 3.7,
        },
        Scene {
            name: "touching tori",
            a: solid(&tori)?,
            b: solid(&tori)?,
            pose_b: pose(DVec3::Z, 0.0, DVec3::new(2.21, 0.0, 0.0))?,
            known: Some((0.29, 0.06)),
            published: &[(3, 98.4, 0.29), (7, 99.9, 0.29)],
            published_seconds: 0.3,
        },
        Scene {
            name: "grates",
            a: solid(&grate(28, 10.0, 1.5))?,
            b: solid(&grate(71, 10.0, 1.5))?,
            // Upside down and across, the prongs 0.63 deep between each other.
            pose_b: {
                let down =
                    clearance::glam::DQuat::from_rotation_z(FRAC_PI_2) * clearance::glam::DQuat::from_rotation_x(PI);
                Pose::from_quat(down, DVec3::new(0.0, 0.0, 3.0 - 0.63)).map_err(LabError::from)?
            },
            known: Some((0.63, 1e-9)),
            published: &[(3, 0.0, 6.41), (7, 96.9, 0.63), (9, 99.9, 0.63)],
            published_seconds: 1.9,
        },
        Scene {
            name: "letters",
            a: solid(&hook)?,
            b: solid(&ring)?,
            // A C and an O around it, across each other, the wall of the O's hole in the back of the C.
            pose_b: pose(DVec3::X, FRAC_PI_2, DVec3::new(-0.316, 0.15, 0.15))?,
            known: None,
            published: &[(2, 50.0, 0.06), (4, 56.2, 0.03), (6, 97.6, 0.01)],
            published_seconds: 0.4,
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_as_many_as_in_the_paper() {
        let faces = |shape: &Shape| match shape {
            Shape::Mesh(mesh) => mesh.triangle_count(),
            _ => 0,
        };
        let counts: Vec<_> = scenes().unwrap().iter().map(|scene| (faces(&scene.a), faces(&scene.b))).collect();
        // Of the second grate the paper has 1134, which no grate of this kind can have.
        assert_eq!(counts, [(2000, 2000), (2000, 2000), (444, 1132), (144, 152)]);
    }
}
