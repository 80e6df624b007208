//! A polygon with holes into triangles: holes are joined to the outline by the shortest bridges, then ears are cut, the
//! one with the best form first. Signs are exact, so nothing here depends on a tolerance.

use robust::{Coord, orient2d};

/// Twice the signed area of a triangle; its sign is exact.
fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

fn squared([a, b]: [f64; 2], [c, d]: [f64; 2]) -> f64 {
    (a - c) * (a - c) + (b - d) * (b - d)
}

/// Triangles of a polygon whose corners are indices into `points`.
pub fn triangulate(points: &[[f64; 2]], outer: Vec<u32>, holes: Vec<Vec<u32>>) -> Vec<[u32; 3]> {
    let polygon = Polygon { points };
    let mut outline = polygon.turned(outer, true);
    let mut holes: Vec<Vec<u32>> = holes.into_iter().map(|hole| polygon.turned(hole, false)).collect();
    while !holes.is_empty() {
        polygon.bridge(&mut outline, &mut holes);
    }
    polygon.ears(outline)
}

struct Polygon<'a> {
    points: &'a [[f64; 2]],
}

impl Polygon<'_> {
    fn at(&self, corner: u32) -> [f64; 2] {
        self.points[corner as usize]
    }

    fn area(&self, corners: [u32; 3]) -> f64 {
        area(corners.map(|corner| self.at(corner)))
    }

    /// The outline, turned to the left or to the right.
    fn turned(&self, mut outline: Vec<u32>, left: bool) -> Vec<u32> {
        let sum: f64 = (1..outline.len() - 1).map(|i| self.area([outline[0], outline[i], outline[i + 1]])).sum();
        if (sum > 0.0) != left {
            outline.reverse();
        }
        outline
    }

    /// Joins a hole to the outline by the shortest way that is clear.
    fn bridge(&self, outline: &mut Vec<u32>, holes: &mut Vec<Vec<u32>>) {
        let mut shortest: Option<(f64, usize, usize, usize)> = None;
        for (which, hole) in holes.iter().enumerate() {
            for (from, &p) in outline.iter().enumerate() {
                for (to, &q) in hole.iter().enumerate() {
                    let way = squared(self.at(p), self.at(q));
                    if shortest.is_none_or(|it| way < it.0)
                        && self.looks_inside(outline, from, q)
                        && self.looks_inside(hole, to, p)
                        && std::iter::once(&*outline).chain(&*holes).all(|it| self.is_clear(it, p, q))
                    {
                        shortest = Some((way, from, which, to));
                    }
                }
            }
        }
        let (_, from, which, to) = shortest.expect("a hole inside of the outline can be reached");
        let mut hole = holes.swap_remove(which);
        hole.rotate_left(to);
        let (p, q) = (outline[from], hole[0]);
        outline.splice(from + 1..from + 1, hole.into_iter().chain([q, p]));
    }

    /// Whether the way from a corner to a point starts on the inside.
    fn looks_inside(&self, outline: &[u32], corner: usize, to: u32) -> bool {
        let count = outline.len();
        let (before, here, after) =
            (outline[(corner + count - 1) % count], outline[corner], outline[(corner + 1) % count]);
        let (left, right) = (self.area([here, after, to]) > 0.0, self.area([before, here, to]) > 0.0);
        if self.area([before, here, after]) > 0.0 { left && right } else { left || right }
    }

    /// Whether a segment meets an outline at most at its own ends.
    fn is_clear(&self, outline: &[u32], p: u32, q: u32) -> bool {
        (0..outline.len()).all(|i| {
            let (a, b) = (outline[i], outline[(i + 1) % outline.len()]);
            let ends = [a, b].iter().filter(|&&it| it == p || it == q).count();
            match ends {
                0 => !self.meet([p, q], [a, b]),
                1 => {
                    let other = if a == p || a == q { b } else { a };
                    !(self.area([p, q, other]) == 0.0 && self.is_between(p, q, other))
                }
                _ => false,
            }
        })
    }

    /// Whether a point of the line is within the box of two others.
    fn is_between(&self, p: u32, q: u32, other: u32) -> bool {
        let ([p, q], other) = ([p, q].map(|it| self.at(it)), self.at(other));
        (0..2).all(|k| p[k].min(q[k]) <= other[k] && other[k] <= p[k].max(q[k]))
    }

    /// Whether two segments have a point in common.
    fn meet(&self, [p, q]: [u32; 2], [a, b]: [u32; 2]) -> bool {
        let (c, d) = (self.area([p, q, a]), self.area([p, q, b]));
        let (e, f) = (self.area([a, b, p]), self.area([a, b, q]));
        let on = |value: f64, [p, q]: [u32; 2], it: u32| value == 0.0 && self.is_between(p, q, it);
        let crossed = |x: f64, y: f64| x > 0.0 && y < 0.0 || x < 0.0 && y > 0.0;
        crossed(c, d) && crossed(e, f) || on(c, [p, q], a) || on(d, [p, q], b) || on(e, [a, b], p) || on(f, [a, b], q)
    }

    /// Cuts ears until nothing is left.
    fn ears(&self, mut left: Vec<u32>) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(left.len());
        let mut forms: Vec<f64> = (0..left.len()).map(|i| self.form(&left, i)).collect();
        while left.len() > 3 {
            let best =
                |forms: &[f64]| (0..forms.len()).fold(0, |best, i| if forms[i] > forms[best] { i } else { best });
            let mut ear = best(&forms);
            if forms[ear] <= 0.0 {
                forms = (0..left.len()).map(|i| self.form(&left, i)).collect();
                ear = best(&forms);
                assert!(forms[ear] > 0.0, "an outline that does not cross itself has an ear");
            }
            triangles.push(corners(&left, ear));
            left.remove(ear);
            forms.remove(ear);
            let count = left.len();
            for i in [(ear + count - 1) % count, ear % count] {
                forms[i] = self.form(&left, i);
            }
        }
        triangles.push([left[0], left[1], left[2]]);
        triangles
    }

    /// How good an ear a corner is: its area against its longest side, 0 if it is none.
    fn form(&self, left: &[u32], i: usize) -> f64 {
        let triangle @ [a, b, c] = corners(left, i);
        let area = self.area(triangle);
        if area <= 0.0 {
            return 0.0;
        }
        let points = triangle.map(|corner| self.at(corner));
        let is_in = |other: u32| {
            !triangle.contains(&other)
                && self.area([a, b, other]) >= 0.0
                && self.area([b, c, other]) >= 0.0
                && self.area([c, a, other]) >= 0.0
        };
        let (low, high): ([f64; 2], [f64; 2]) = (
            std::array::from_fn(|k| points[0][k].min(points[1][k]).min(points[2][k])),
            std::array::from_fn(|k| points[0][k].max(points[1][k]).max(points[2][k])),
        );
        let in_box = |[x, y]: [f64; 2]| x >= low[0] && x <= high[0] && y >= low[1] && y <= high[1];
        if left.iter().any(|&other| in_box(self.at(other)) && is_in(other)) {
            return 0.0;
        }
        let [p, q, r] = points;
        area / squared(p, q).max(squared(q, r)).max(squared(r, p))
    }
}

/// A corner between its neighbours.
fn corners(left: &[u32], i: usize) -> [u32; 3] {
    let count = left.len();
    [left[(i + count - 1) % count], left[i], left[(i + 1) % count]]
}
