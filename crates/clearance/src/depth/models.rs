//! Solids shared by the tests of this module.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use crate::Mesh;
use crate::math::predicates::orient3d;

/// Points and triangles, as constructors take them.
pub(super) type Lists = (Vec<[f64; 3]>, Vec<[u32; 3]>);

pub(super) fn solid((points, triangles): &Lists) -> Mesh {
    Mesh::new(points, triangles).unwrap().solid().unwrap()
}

pub(super) fn turned((points, triangles): &Lists) -> Lists {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.7);
    let place = |&p: &[f64; 3]| (turn * DVec3::from_array(p) + DVec3::new(0.1, 7.0, -3.0)).to_array();
    (points.iter().map(place).collect(), triangles.clone())
}

pub(super) fn both(one: &Lists, other: &Lists, by: DVec3) -> Lists {
    let (mut points, mut triangles) = one.clone();
    let first = points.len() as u32;
    points.extend(other.0.iter().map(|&p| (DVec3::from_array(p) + by).to_array()));
    triangles.extend(other.1.iter().map(|t| t.map(|v| v + first)));
    (points, triangles)
}

pub(super) fn tetrahedron() -> Lists {
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    (points, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
}

/// A closed surface of `m` by `n` points, each quad split in two.
fn ring(m: u32, n: u32, point: impl Fn(f64, f64) -> DVec3) -> Lists {
    let angle = |i: u32, of: u32| 2.0 * PI * f64::from(i) / f64::from(of);
    let pairs = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
    let at = |i: u32, j: u32| (i % m) * n + j % n;
    let points = pairs().map(|(i, j)| point(angle(i, m), angle(j, n)).to_array()).collect();
    let quads = pairs().map(|(i, j)| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
    (points, quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

pub(super) fn torus(m: u32, n: u32) -> Lists {
    ring(m, n, |a, b| {
        let r = 1.0 + 0.4 * b.cos();
        DVec3::new(r * a.cos(), r * a.sin(), 0.4 * b.sin())
    })
}

/// Each quad, given as two triangles, split along the diagonal that is not concave.
pub(super) fn with_convex_diagonals((points, mut triangles): Lists) -> Lists {
    let at = |v: u32| DVec3::from_array(points[v as usize]);
    for quad in triangles.chunks_exact_mut(2) {
        let ([a, b, c], d) = (quad[0], quad[1][2]);
        if orient3d(at(a), at(b), at(c), at(d)).is_positive() {
            quad.copy_from_slice(&[[a, b, d], [b, c, d]]);
        }
    }
    (points, triangles)
}

/// A profile from axis to axis, revolved in `n` steps.
pub(super) fn revolved(profile: &[[f64; 2]], n: u32) -> Lists {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let last = profile.len() - 1;
    points.push([0.0, 0.0, profile[0][1]]);
    for &[r, z] in &profile[1..last] {
        for j in 0..n {
            let angle = 2.0 * PI * f64::from(j) / f64::from(n);
            points.push([r * angle.cos(), r * angle.sin(), z]);
        }
    }
    points.push([0.0, 0.0, profile[last][1]]);
    let end = points.len() as u32 - 1;
    let at = |i: u32, j: u32| 1 + i * n + j % n;
    let rows = last as u32 - 1;
    for j in 0..n {
        triangles.push([0, at(0, j + 1), at(0, j)]);
        for i in 0..rows - 1 {
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
        }
        triangles.push([end, at(rows - 1, j), at(rows - 1, j + 1)]);
    }
    (points, triangles)
}

pub(super) fn cup(n: u32) -> Lists {
    revolved(&[[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.8, 2.0], [0.8, 0.2], [0.0, 0.2]], n)
}

/// A ball with bumps, of about `4 n n` triangles.
pub(super) fn bumpy_ball(n: u32, bumps: f64) -> Lists {
    let angle = |i: u32| PI * f64::from(i) / f64::from(n);
    let profile: Vec<[f64; 2]> = (0..=n).map(|i| [angle(i).sin(), -angle(i).cos()]).collect();
    let (points, triangles) = revolved(&profile, 2 * n);
    let bump = |&p: &[f64; 3]| {
        let p = DVec3::from_array(p);
        let wave = (5.0 * p.x).sin() * (4.0 * p.y).cos() + (6.0 * p.z + p.x).sin();
        (p * (1.0 + bumps * wave)).to_array()
    };
    (points.iter().map(bump).collect(), triangles)
}

/// A plate of unit cells where the rows have `#`, two thick. Cells may not touch by a corner alone.
pub(super) fn plate(rows: &[&str]) -> Lists {
    let filled = |x: i32, y: i32| {
        let row = usize::try_from(y).ok().and_then(|y| rows.get(y));
        row.zip(usize::try_from(x).ok()).is_some_and(|(row, x)| row.as_bytes().get(x) == Some(&b'#'))
    };
    let (mut points, mut triangles): Lists = (Vec::new(), Vec::new());
    let mut quad = |corners: [[i32; 3]; 4]| {
        let [a, b, c, d] = corners.map(|p| {
            let p = p.map(f64::from);
            let known = points.iter().position(|&q| q == p);
            known.unwrap_or_else(|| {
                points.push(p);
                points.len() - 1
            }) as u32
        });
        triangles.extend([[a, b, c], [a, c, d]]);
    };
    for (y, row) in (0..).zip(rows) {
        for x in (0..row.len() as i32).filter(|&x| filled(x, y)) {
            quad([[x, y, 2], [x + 1, y, 2], [x + 1, y + 1, 2], [x, y + 1, 2]]);
            quad([[x, y, 0], [x, y + 1, 0], [x + 1, y + 1, 0], [x + 1, y, 0]]);
            for (dx, dy, from, to) in
                [(1, 0, [1, 0], [1, 1]), (-1, 0, [0, 1], [0, 0]), (0, 1, [1, 1], [0, 1]), (0, -1, [0, 0], [1, 0])]
            {
                if !filled(x + dx, y + dy) {
                    let [from, to] = [from, to].map(|[dx, dy]| [x + dx, y + dy]);
                    let at = |[x, y]: [i32; 2], z: i32| [x, y, z];
                    quad([at(from, 0), at(to, 0), at(to, 2), at(from, 2)]);
                }
            }
        }
    }
    (points, triangles)
}

/// The solids that every claim of this module is tested on.
pub(super) fn all() -> Vec<(&'static str, Lists)> {
    let l = plate(&["##", "#.", "#."]);
    let h = plate(&["#..#", "#..#", "####", "#..#", "#..#"]);
    let p = plate(&["####", "#..#", "####", "#...", "#..."]);
    let grate = plate(&["#######", "#.#.#.#", "#######", "#.#.#.#", "#######"]);
    let frame = plate(&["####", "#..#", "#..#", "####"]);
    let bar = plate(&["########"]);
    let torus = torus(16, 10);
    vec![
        ("tetrahedron", tetrahedron()),
        ("box", plate(&["#"])),
        ("bar", bar.clone()),
        ("bar turned", turned(&bar)),
        ("L", l.clone()),
        ("L turned", turned(&l)),
        ("H", h),
        ("P", p.clone()),
        ("P turned", turned(&p)),
        ("frame", frame),
        ("grate", grate.clone()),
        ("grate turned", turned(&grate)),
        ("cup", cup(24)),
        ("ball", bumpy_ball(8, 0.0)),
        ("bumpy ball", bumpy_ball(8, 0.1)),
        ("two", both(&l, &torus, DVec3::new(0.3, 0.2, 0.9))),
        ("apart", both(&bumpy_ball(6, 0.0), &p, DVec3::new(5.0, 0.0, 0.0))),
        ("touching", both(&plate(&["##"]), &plate(&["#", "#"]), DVec3::new(0.5, 1.0, 0.0))),
        ("torus", torus),
    ]
}
