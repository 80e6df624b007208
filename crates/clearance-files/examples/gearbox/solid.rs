//! A kit for solids of flat faces: faces with holes, walls between outlines, bodies of revolution.
//!
//! Lengths go in as millimetres and are kept as the metres that a GLB file will hold: rounded to single precision at
//! once, so what is cut into triangles is what is read back, and points that should coincide do. Faces may be given in
//! any order and turned either way: [`Solid::finish`] makes sure that they close and turns them outward.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use crate::triangulate::triangulate;

/// An outline in a plane, in millimetres, without its first point repeated.
pub type Outline = Vec<[f64; 2]>;

/// Millimetres to the metres of the file. Lengths are taken to the nanometre first, so that rounding in what led to
/// them (a cosine of a right angle, say) does not show.
pub fn metres(millimetres: f64) -> f64 {
    let snapped = (millimetres * 1e6).round() / 1e6;
    f64::from((snapped * 1e-3) as f32) + 0.0
}

/// Which axis a plane is square to. Its points have the two other coordinates, in their order.
#[derive(Clone, Copy)]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    fn lift(self, [u, v]: [f64; 2], w: f64) -> [f64; 3] {
        match self {
            Axis::X => [w, u, v],
            Axis::Y => [u, w, v],
            Axis::Z => [u, v, w],
        }
    }

    fn drop([x, y, z]: [f64; 3], axis: Axis) -> [f64; 2] {
        match axis {
            Axis::X => [y, z],
            Axis::Y => [x, z],
            Axis::Z => [x, y],
        }
    }
}

/// A closed surface in the making.
#[derive(Default)]
pub struct Solid {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    numbers: BTreeMap<[u64; 3], u32>,
}

impl Solid {
    /// The number of a point, the same for equal ones.
    fn point(&mut self, point: [f64; 3]) -> u32 {
        let point = point.map(metres);
        let next = self.points.len() as u32;
        let number = *self.numbers.entry(point.map(f64::to_bits)).or_insert(next);
        if number == next {
            self.points.push(point);
        }
        number
    }

    /// A flat face.
    pub fn face(&mut self, axis: Axis, at: f64, outer: &[[f64; 2]], holes: &[Outline]) {
        let mut numbers = |outline: &[[f64; 2]]| -> Vec<u32> {
            outline.iter().map(|&point| self.point(axis.lift(point, at))).collect()
        };
        let outer = numbers(outer);
        let holes: Vec<Vec<u32>> = holes.iter().map(|hole| numbers(hole)).collect();
        let flat: Vec<[f64; 2]> = self.points.iter().map(|&point| Axis::drop(point, axis)).collect();
        self.triangles.extend(triangulate(&flat, outer, holes));
    }

    /// The wall between an outline and another, of as many points, at two places along the axis.
    fn skin(&mut self, axis: Axis, from: (&[[f64; 2]], f64), to: (&[[f64; 2]], f64), closed: bool) {
        let count = from.0.len();
        for i in 0..if closed { count } else { count - 1 } {
            let j = (i + 1) % count;
            let [a, b] = [i, j].map(|k| self.point(axis.lift(from.0[k], from.1)));
            let [c, d] = [j, i].map(|k| self.point(axis.lift(to.0[k], to.1)));
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// The wall of a closed outline.
    pub fn wall(&mut self, axis: Axis, outline: &[[f64; 2]], from: f64, to: f64) {
        self.skin(axis, (outline, from), (outline, to), true);
    }

    /// The wall of an open one.
    pub fn open_wall(&mut self, axis: Axis, outline: &[[f64; 2]], from: f64, to: f64) {
        self.skin(axis, (outline, from), (outline, to), false);
    }

    /// The wall between two closed outlines.
    pub fn taper(&mut self, axis: Axis, from: (&[[f64; 2]], f64), to: (&[[f64; 2]], f64)) {
        self.skin(axis, from, to, true);
    }

    /// Walls and bottoms of holes that end in the material.
    pub fn blind_holes(&mut self, axis: Axis, holes: &[Outline], from: f64, to: f64) {
        for hole in holes {
            self.wall(axis, hole, from, to);
            self.face(axis, to, hole, &[]);
        }
    }

    /// A prism with holes through it.
    pub fn prism(&mut self, axis: Axis, outer: &[[f64; 2]], holes: &[Outline], from: f64, to: f64) {
        self.face(axis, from, outer, holes);
        self.face(axis, to, outer, holes);
        self.wall(axis, outer, from, to);
        holes.iter().for_each(|hole| self.wall(axis, hole, from, to));
    }

    /// A profile of radii and heights turned about the z axis. Closed in itself, or from the axis to the axis.
    pub fn revolve(&mut self, profile: &[[f64; 2]], count: u32) {
        let closed = profile[0][0] > 0.0;
        for i in 0..if closed { profile.len() } else { profile.len() - 1 } {
            let ([r, z], [s, w]) = (profile[i], profile[(i + 1) % profile.len()]);
            for k in 0..count {
                let [[c, d], [e, f]] = [k, k + 1].map(|step| turn(step, count));
                let a = self.point([r * c, r * d, z]);
                let b = self.point([r * e, r * f, z]);
                let c_ = self.point([s * e, s * f, w]);
                let d_ = self.point([s * c, s * d, w]);
                self.triangles
                    .extend([[a, b, c_], [a, c_, d_]].into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
            }
        }
    }

    /// A ball: an icosahedron, each face cut in four.
    pub fn ball(&mut self, centre: [f64; 3], radius: f64) {
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let corner = |i: usize| {
            let (s, t) = (if i & 1 == 0 { 1.0 } else { -1.0 }, if i & 2 == 0 { golden } else { -golden });
            [[0.0, s, t], [s, t, 0.0], [t, 0.0, s]][i / 4]
        };
        let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let middle = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|i| a[i] + b[i]);
        let near = |i: usize, j: usize| length(std::array::from_fn(|k| corner(i)[k] - corner(j)[k])) < 2.1;
        for (i, j, k) in (0..12).flat_map(|i| (i + 1..12).flat_map(move |j| (j + 1..12).map(move |k| (i, j, k)))) {
            if !(near(i, j) && near(j, k) && near(k, i)) {
                continue;
            }
            let [a, b, c] = [corner(i), corner(j), corner(k)];
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            for triangle in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
                let numbers = triangle.map(|v| {
                    let scale = radius / length(v);
                    self.point(std::array::from_fn(|axis| centre[axis] + scale * v[axis]))
                });
                self.triangles.push(numbers);
            }
        }
    }

    /// The same, upside down.
    pub fn mirrored(mut self) -> Solid {
        self.points.iter_mut().for_each(|point| point[2] = 0.0 - point[2]);
        self
    }

    /// Points in metres and triangles, all turned outward. Panics if the faces do not close: then the drawing is wrong.
    pub fn finish(self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let Solid { points, mut triangles, .. } = self;
        let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (number, triangle) in triangles.iter().enumerate() {
            for i in 0..3 {
                let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
                sides.entry([a.min(b), a.max(b)]).or_default().push(number);
            }
        }
        for (edge, two) in &sides {
            assert_eq!(two.len(), 2, "an open edge at {:?}", edge.map(|point| points[point as usize]));
        }
        let mut seen = vec![false; triangles.len()];
        for start in 0..triangles.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            let (mut piece, mut next) = (vec![start], 0);
            while next < piece.len() {
                let number = piece[next];
                next += 1;
                for i in 0..3 {
                    let (a, b) = (triangles[number][i], triangles[number][(i + 1) % 3]);
                    let two = &sides[&[a.min(b), a.max(b)]];
                    let other = if two[0] == number { two[1] } else { two[0] };
                    if !std::mem::replace(&mut seen[other], true) {
                        piece.push(other);
                        let along = (0..3).any(|k| triangles[other][k] == a && triangles[other][(k + 1) % 3] == b);
                        if along {
                            triangles[other].swap(1, 2);
                        }
                    }
                }
            }
            let volume: f64 =
                piece.iter().map(|&number| six_volumes(triangles[number].map(|p| points[p as usize]))).sum();
            if volume < 0.0 {
                piece.iter().for_each(|&number| triangles[number].swap(1, 2));
            }
        }
        (points, triangles)
    }
}

/// Six times the volume of a triangle and the origin.
fn six_volumes([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Cosine and sine, by their series: those of the standard library differ from one system to another in the last bit,
/// and the files must not.
pub fn cos_sin(angle: f64) -> [f64; 2] {
    let quarters = (angle / FRAC_PI_2).round();
    rotated(angle - quarters * FRAC_PI_2, quarters as i64)
}

/// Cosine and sine of `step` of `count` steps of a whole turn; exact at quarters.
pub fn turn(step: u32, count: u32) -> [f64; 2] {
    let quarters = (4 * step + count / 2) / count;
    let rest = (4 * i64::from(step) - i64::from(quarters) * i64::from(count)) as f64 / f64::from(count);
    rotated(rest * FRAC_PI_2, i64::from(quarters))
}

/// Cosine and sine of an angle of at most an eighth of a turn and a number of quarters.
fn rotated(rest: f64, quarters: i64) -> [f64; 2] {
    let (mut cos, mut sin, mut term) = (0.0, 0.0, 1.0);
    for n in 0..24 {
        let sign = if n % 4 < 2 { 1.0 } else { -1.0 };
        *(if n % 2 == 0 { &mut cos } else { &mut sin }) += sign * term;
        term *= rest / f64::from(n + 1);
    }
    match quarters.rem_euclid(4) {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

/// A circle with its corners on the radius: a body that must not be thicker.
pub fn circle([u, v]: [f64; 2], radius: f64, count: u32) -> Outline {
    (0..count).map(|step| turn(step, count)).map(|[c, s]| [u + radius * c, v + radius * s]).collect()
}

/// A circle with its sides on the radius: a hole that must not be narrower.
pub fn hole(centre: [f64; 2], radius: f64, count: u32) -> Outline {
    circle(centre, around(radius, count), count)
}

/// Holes at places.
pub fn holes(places: &[[f64; 2]], radius: f64, count: u32) -> Vec<Outline> {
    places.iter().map(|&place| hole(place, radius, count)).collect()
}

/// How far out the corners of a polygon are whose sides are on the radius.
pub fn around(radius: f64, count: u32) -> f64 {
    radius / cos_sin(PI / f64::from(count))[0]
}

/// From corner to corner.
pub fn rectangle([u0, v0]: [f64; 2], [u1, v1]: [f64; 2]) -> Outline {
    vec![[u0, v0], [u1, v0], [u1, v1], [u0, v1]]
}

/// Places along the rim of a rectangle about the origin, so many steps along each side.
pub fn rim([half_u, half_v]: [f64; 2], [steps_u, steps_v]: [u32; 2]) -> Vec<[f64; 2]> {
    let along = |half: f64, step: u32, steps: u32| half * (2.0 * f64::from(step) / f64::from(steps) - 1.0);
    let u = (0..=steps_u).flat_map(|step| [-half_v, half_v].map(|v| [along(half_u, step, steps_u), v]));
    let v = (1..steps_v).flat_map(|step| [-half_u, half_u].map(|u| [u, along(half_v, step, steps_v)]));
    u.chain(v).collect()
}

/// Places on a circle, none of them level with the middle.
pub fn ring([u, v]: [f64; 2], radius: f64, count: u32) -> Vec<[f64; 2]> {
    (0..count).map(|step| turn(2 * step + 1, 2 * count)).map(|[c, s]| [u + radius * c, v + radius * s]).collect()
}
