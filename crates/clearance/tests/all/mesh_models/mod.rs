//! Shared by the mesh tests: meshes to query, and the truth about single triangles in rational arithmetic.

use std::collections::HashMap;

use clearance::glam::DVec3;
use clearance::{Mesh, Pose};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;
use clearance_oracle::rational::{self, Vector};

/// Points and triangles.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    pub fn surface(&self) -> Mesh {
        Mesh::new(&self.points, &self.triangles).unwrap()
    }

    pub fn solid(&self) -> Mesh {
        self.surface().solid().unwrap()
    }

    pub fn moved(mut self, by: DVec3, times: f64) -> Soup {
        for p in &mut self.points {
            *p = (DVec3::from_array(*p) * times + by).to_array();
        }
        self
    }

    pub fn and(mut self, other: &Soup) -> Soup {
        let first = self.points.len() as u32;
        self.points.extend(&other.points);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|p| p + first)));
        self
    }

    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|p| DVec3::from_array(self.points[p as usize]))
    }
}

/// A cube from 0 to `n` along each axis, each side `n` by `n` squares of two triangles.
pub fn cube(n: i64) -> Soup {
    let mut soup = Soup::default();
    let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
    let mut number = |soup: &mut Soup, p: [i64; 3]| {
        *numbers.entry(p).or_insert_with(|| {
            soup.points.push(p.map(|x| x as f64));
            soup.points.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for side in [0, n] {
            for i in 0..n {
                for j in 0..n {
                    let at = |i: i64, j: i64| {
                        let mut p = [0; 3];
                        (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, i, j);
                        p
                    };
                    let [a, b, c, d] =
                        [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)].map(|p| number(&mut soup, p));
                    if side == 0 {
                        soup.triangles.extend([[a, c, b], [a, d, c]]);
                    } else {
                        soup.triangles.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
    }
    soup
}

/// A tetrahedron, wound outward; `None` if it is flat.
pub fn tetrahedron(p: [[f64; 3]; 4]) -> Option<Soup> {
    let v = p.map(DVec3::from_array);
    let volume = (v[1] - v[0]).cross(v[2] - v[0]).dot(v[3] - v[0]);
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let flipped = triangles.iter().map(|t: &[u32; 3]| [t[0], t[2], t[1]]).collect();
    (volume != 0.0).then(|| Soup { points: p.to_vec(), triangles: if volume > 0.0 { triangles } else { flipped } })
}

/// A unit sphere from an icosahedron, each triangle split in four `times` times.
pub fn sphere(times: u32) -> Soup {
    let g = (1.0 + 5f64.sqrt()) / 2.0;
    let mut points = Vec::new();
    for s in [-1.0, 1.0] {
        for t in [-g, g] {
            points.extend([[0.0, s, t], [s, t, 0.0], [t, 0.0, s]]);
        }
    }
    let mut triangles = Vec::new();
    let of = |i: usize| DVec3::from_array(points[i]);
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let close = |a: usize, b: usize| of(a).distance(of(b)) < 2.1;
                if close(i, j) && close(j, k) && close(k, i) {
                    let out = (of(j) - of(i)).cross(of(k) - of(i)).dot(of(i)) > 0.0;
                    triangles.push(if out { [i as u32, j as u32, k as u32] } else { [i as u32, k as u32, j as u32] });
                }
            }
        }
    }
    let mut soup = Soup { points, triangles };
    for p in &mut soup.points {
        *p = DVec3::from_array(*p).normalize().to_array();
    }
    for _ in 0..times {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut finer = Vec::new();
        for &[a, b, c] in &soup.triangles.clone() {
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let p = DVec3::from_array(soup.points[a as usize]) + DVec3::from_array(soup.points[b as usize]);
                    soup.points.push(p.normalize().to_array());
                    soup.points.len() as u32 - 1
                })
            };
            let (d, e, f) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
        }
        soup.triangles = finer;
    }
    soup
}

/// Random triangles: ordinary, needles, zero-area, duplicated.
pub fn soup(random: &mut Random, count: usize) -> Soup {
    let mut soup = Soup::default();
    for _ in 0..count {
        let first = soup.points.len() as u32;
        let a = DVec3::from_array(random.in_cube(1.0));
        let length = [0.3, 0.05, 1.0][random.index(3)];
        let b = a + DVec3::from_array(random.direction()) * length;
        let c = match random.index(6) {
            0 => a + (b - a) * random.uniform(-0.5, 1.5) + DVec3::from_array(random.direction()) * 1e-6 * length,
            1 => b,
            2 => a + (b - a) * 0.5,
            _ => a + DVec3::from_array(random.direction()) * length,
        };
        soup.points.extend([a, b, c].map(|p| p.to_array()));
        soup.triangles.push([first, first + 1, first + 2]);
        if random.index(10) == 0 {
            soup.triangles.push([first + 1, first, first + 2]);
        }
    }
    soup
}

pub fn exact(v: DVec3) -> Vector {
    rational::vector(v.to_array()).unwrap()
}

/// A point of a body in the world, exactly.
pub fn posed(pose: &Pose, point: DVec3) -> Vector {
    let r = pose.rotation();
    let rows = [r.row(0), r.row(1), r.row(2)].map(exact);
    rational::add(&rational::matrix_times(&rows, &exact(point)), &exact(pose.translation()))
}

fn is_zero(v: &Vector) -> bool {
    v.iter().all(Rational::is_zero)
}

/// Where a line meets a segment: an interval of parameters.
fn line_and_segment(o: &Vector, d: &Vector, a: &Vector, b: &Vector) -> Option<(Rational, Rational)> {
    use rational::{cross, dot, subtract};
    let at = |p: &Vector| &dot(&subtract(p, o), d) / &dot(d, d);
    let (m, k) = (cross(&subtract(a, o), d), cross(&subtract(b, a), d));
    if is_zero(&k) {
        let (s, t) = (at(a), at(b));
        return is_zero(&m).then(|| if s <= t { (s, t) } else { (t, s) });
    }
    let i = (0..3).find(|&i| !k[i].is_zero()).unwrap();
    let share = -&(&m[i] / &k[i]);
    let on_line = is_zero(&rational::add(&m, &rational::scale(&k, &share)));
    if !on_line || share.is_negative() || share > Rational::from(1) {
        return None;
    }
    let t = at(&rational::add(a, &rational::scale(&subtract(b, a), &share)));
    Some((t.clone(), t))
}

/// Where a line meets a closed triangle: an interval of parameters.
pub fn line_and_triangle(o: &Vector, d: &Vector, corners: &[Vector; 3]) -> Option<(Rational, Rational)> {
    use rational::{cross, dot, subtract};
    let [a, b, c] = corners;
    let n = cross(&subtract(b, a), &subtract(c, a));
    let speed = dot(&n, d);
    if !speed.is_zero() {
        let t = &dot(&n, &subtract(a, o)) / &speed;
        let x = rational::add(o, &rational::scale(d, &t));
        let inside = [(a, b), (b, c), (c, a)]
            .iter()
            .all(|(p, q)| !dot(&cross(&subtract(q, p), &subtract(&x, p)), &n).is_negative());
        return inside.then(|| (t.clone(), t));
    }
    if !dot(&n, &subtract(a, o)).is_zero() {
        return None;
    }
    [(a, b), (b, c), (c, a)]
        .iter()
        .filter_map(|(p, q)| line_and_segment(o, d, p, q))
        .reduce(|x, y| (x.0.min(y.0), x.1.max(y.1)))
}

/// The squared distance from a point to a triangle.
pub fn squared_distance(q: &Vector, corners: &[Vector; 3]) -> Rational {
    use rational::{cross, dot, subtract};
    let [a, b, c] = corners;
    let n = cross(&subtract(b, a), &subtract(c, a));
    let squared = dot(&n, &n);
    if !squared.is_zero() {
        let inside = [(a, b), (b, c), (c, a)]
            .iter()
            .all(|(p, r)| !dot(&cross(&subtract(r, p), &subtract(q, p)), &n).is_negative());
        if inside {
            return &dot(&n, &subtract(q, a)).squared() / &squared;
        }
    }
    let to_segment = |p: &Vector, r: &Vector| {
        let (way, side) = (subtract(q, p), subtract(r, p));
        let length = dot(&side, &side);
        let share = if length.is_zero() { Rational::zero() } else { &dot(&way, &side) / &length };
        let share = share.max(Rational::zero()).min(Rational::from(1));
        let off = subtract(&way, &rational::scale(&side, &share));
        dot(&off, &off)
    };
    to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a))
}

/// The winding number about a point, from the solid angles of all triangles (van Oosterom and Strackee 1983).
pub fn winding(soup: &Soup, q: DVec3) -> f64 {
    let mut sum = 0.0;
    for k in 0..soup.triangles.len() {
        let [a, b, c] = soup.corners(k).map(|p| p - q);
        let (x, y, z) = (a.length(), b.length(), c.length());
        sum += 2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y);
    }
    sum / (4.0 * std::f64::consts::PI)
}

/// A point with whole coordinates.
pub fn integer_point(random: &mut Random, low: i64, high: i64) -> DVec3 {
    DVec3::new(random.integer(low, high) as f64, random.integer(low, high) as f64, random.integer(low, high) as f64)
}

/// One to four tetrahedra with small whole coordinates, overlapping and touching each other; flat ones are skipped.
pub fn heap(random: &mut Random) -> Soup {
    let mut soup = Soup::default();
    for _ in 0..random.index(4) + 1 {
        let p: [[f64; 3]; 4] = std::array::from_fn(|_| integer_point(random, -2, 2).to_array());
        if let Some(one) = tetrahedron(p) {
            soup = soup.and(&one);
        }
    }
    soup
}
