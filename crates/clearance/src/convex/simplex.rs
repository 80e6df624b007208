//! The point of a simplex nearest the origin: the sub-algorithm of GJK, by Voronoi regions.
//!
//! Ericson, "The Gilbert-Johnson-Keerthi algorithm", section 3.1. Departs from the text in two places: edge regions of
//! a triangle are classified by triple products with the triangle's normal instead of products of dot products, and the
//! nearest point of a face is the projection of a vertex on the normal instead of a weighted sum of vertices. Both keep
//! their digits when the simplex is small and close to the origin, which is where near contact is decided.

use fearless_simd::Simd;
use glam::DVec3;

use super::core::Core;
use super::gjk::Pair;
use super::star::{Member, Star};

/// Up to four points `w = b - a` of the difference of two cores, with the vertices they came from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    pub count: usize,
    /// Vertex of A.
    pub a: [u32; 4],
    /// Vertex of B.
    pub b: [u32; 4],
    pub w: [DVec3; 4],
    /// Barycentric coordinates of the nearest point: they sum to 1, and are zero beyond `count`.
    pub weight: [f64; 4],
}

/// A method of finding the point of a simplex nearest the origin.
pub(crate) trait Reduce {
    /// Reduces the simplex to the members that support its nearest point, and sets their weights.
    fn reduce(simplex: &mut Simplex) -> NearestOnSimplex;

    /// Builds the initial simplex from up to four vertices by position, and the first vertex of all at the position
    /// after them; some may be dropped.
    #[inline(always)]
    fn first<S: Simd>(_simd: S, member: impl Fn(usize) -> Member, simplex: &mut Simplex) -> NearestOnSimplex {
        for (a, b, w) in [member(4), member(0), member(2)] {
            if !simplex.holds(a, b) {
                simplex.push(a, b, w);
            }
        }
        Self::reduce(simplex)
    }

    /// [`Reduce::reduce`] with one more vertex, whose product with the nearest point, `gap`, is less than the square of
    /// that point.
    #[inline(always)]
    fn extend<S: Simd, A: Core, B: Core>(
        _simd: S,
        _pair: &Pair<'_, A, B>,
        simplex: &mut Simplex,
        (a, b, w): Member,
        _gap: f64,
    ) -> NearestOnSimplex {
        simplex.push(a, b, w);
        Self::reduce(simplex)
    }
}

/// By Voronoi regions: [`Simplex::reduce`], and [`Simplex::extend`] when a vertex is added.
pub(crate) struct Voronoi;

impl Reduce for Voronoi {
    #[inline(always)]
    fn reduce(simplex: &mut Simplex) -> NearestOnSimplex {
        simplex.reduce()
    }

    #[inline(always)]
    fn first<S: Simd>(simd: S, member: impl Fn(usize) -> Member, simplex: &mut Simplex) -> NearestOnSimplex {
        let apex = member(4);
        let found = Star::nearest(simd, apex.2, [member(0).2, member(1).2, member(2).2, member(3).2]);
        simplex.adopt(&found, member(found.first), member(found.second), apex);
        NearestOnSimplex::At(found.point)
    }

    #[inline(always)]
    fn extend<S: Simd, A: Core, B: Core>(
        simd: S,
        pair: &Pair<'_, A, B>,
        simplex: &mut Simplex,
        vertex: Member,
        gap: f64,
    ) -> NearestOnSimplex {
        let [p, q] = simplex.across(vertex.0, vertex.1);
        let others = [(p.0, p.1, pair.difference(p.0, p.1)), (q.0, q.1, pair.difference(q.0, q.1))];
        simplex.extend(simd, vertex, gap, others)
    }
}

/// Where the origin lies relative to a simplex.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NearestOnSimplex {
    /// Outside: the nearest point. The simplex has been reduced to the sub-simplex that supports it.
    At(DVec3),
    /// Inside a tetrahedron; its weights are set.
    Inside,
}

impl Simplex {
    #[inline(always)]
    pub fn push(&mut self, a: u32, b: u32, w: DVec3) {
        let k = self.count;
        self.a[k] = a;
        self.b[k] = b;
        self.w[k] = w;
        self.count = k + 1;
    }

    /// The simplex for use with another pair of cores: entries beyond `count` might not be valid vertices there.
    pub fn trimmed(mut self) -> Simplex {
        for k in self.count..4 {
            (self.a[k], self.b[k], self.weight[k]) = (self.a[0], self.b[0], 0.0);
        }
        self
    }

    /// Sets the weights of a tetrahedron around the origin to those of the origin, more accurately than `reduce`: in a
    /// sliver the first solution is off by more than rounding, so it is solved again for the residual. Returns the
    /// distance of the weighted sum from the origin; NaN for coplanar corners.
    pub fn weigh_origin(&mut self) -> f64 {
        let [first, corners @ ..] = self.w;
        let [p, q, r] = corners.map(|w| w - first);
        let across = [q.cross(r), r.cross(p), p.cross(q)];
        let volume = p.dot(across[0]);
        let mut at = [0.0; 3];
        for _ in 0..3 {
            let left = first + ((p * at[0] + q * at[1]) + r * at[2]);
            for (weight, across) in at.iter_mut().zip(across) {
                *weight -= left.dot(across) / volume;
            }
        }
        // Next to a face the weights may be off by rounding.
        let kept = [((1.0 - at[0]) - at[1]) - at[2], at[0], at[1], at[2]].map(|x| x.max(0.0));
        let total = (kept[0] + kept[1]) + (kept[2] + kept[3]);
        self.weight = kept.map(|x| x / total);
        let [u, v, w, x] = self.weight;
        ((first * u + corners[0] * v) + (corners[1] * w + corners[2] * x)).length()
    }

    /// True when the simplex holds this pair of vertices. Branchless: a branch would be mispredicted.
    #[inline(always)]
    pub fn holds(&self, a: u32, b: u32) -> bool {
        let mut found = false;
        for k in 0..4 {
            found |= (k < self.count) & (self.a[k] == a) & (self.b[k] == b);
        }
        found
    }

    /// Reduces the simplex to the given members, in ascending order, with these weights.
    #[inline(always)]
    pub(super) fn keep<const N: usize>(&mut self, members: [usize; N], weights: [f64; N]) {
        for (to, from) in members.into_iter().enumerate() {
            self.a[to] = self.a[from];
            self.b[to] = self.b[from];
            self.w[to] = self.w[from];
        }
        // Zero weights beyond, so that sums over members do not depend on the count.
        self.weight = std::array::from_fn(|k| if k < N { weights[k] } else { 0.0 });
        self.count = N;
    }

    /// Finds the point nearest the origin and reduces the simplex to the members that support it.
    #[inline(always)]
    pub fn reduce(&mut self) -> NearestOnSimplex {
        match self.count {
            1 => {
                self.weight = [1.0, 0.0, 0.0, 0.0];
                NearestOnSimplex::At(self.w[0])
            }
            2 => NearestOnSimplex::At(self.reduce_to(
                0,
                1,
                1,
                TrianglePart::nearest(self.w[0], self.w[1]).of_first_two(),
            )),
            3 => NearestOnSimplex::At(self.reduce_to(
                0,
                1,
                2,
                TrianglePart::of_triangle(self.w[0], self.w[1], self.w[2]),
            )),
            _ => self.reduce_tetrahedron(),
        }
    }

    /// Reduces a simplex of three members to those of the given part.
    #[inline(always)]
    fn reduce_to(&mut self, i: usize, j: usize, k: usize, side: TrianglePart) -> DVec3 {
        let [p, q, r] = side.weights;
        match side.members {
            0b111 => self.keep([i, j, k], [p, q, r]),
            0b011 => self.keep([i, j], [p, q]),
            0b101 => self.keep([i, k], [p, r]),
            0b110 => self.keep([j, k], [q, r]),
            0b001 => self.keep([i], [p]),
            0b010 => self.keep([j], [q]),
            _ => self.keep([k], [r]),
        }
        side.point
    }

    /// Not inlined: GJK never continues from a tetrahedron.
    #[inline(never)]
    fn reduce_tetrahedron(&mut self) -> NearestOnSimplex {
        let [a, b, c, d] = self.w;
        // Volumes of the tetrahedra that the origin spans with each face; all have the sign of the whole when it is
        // inside.
        let bc = b.cross(c);
        let da = d.cross(a);
        let faces = [-d.dot(bc), da.dot(c), -da.dot(b), a.dot(bc)];
        // faces[m] is the volume opposite member m, with alternating orientation folded in.
        let total = faces[0] + faces[1] + faces[2] + faces[3];
        let outside = |m: usize| if total > 0.0 { faces[m] < 0.0 } else { faces[m] > 0.0 };
        let flat = total == 0.0;
        if !flat && !(0..4).any(outside) {
            let inverse = 1.0 / total;
            self.weight = faces.map(|f| f * inverse);
            return NearestOnSimplex::Inside;
        }
        const FACE: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
        let mut nearest: Option<(f64, [usize; 3], TrianglePart)> = None;
        for (m, face) in FACE.into_iter().enumerate() {
            if !flat && !outside(m) {
                continue;
            }
            let [p, q, r] = face.map(|k| self.w[k]);
            let side = TrianglePart::of_triangle(p, q, r);
            let squared = side.point.dot(side.point);
            if nearest.is_none_or(|(least, ..)| squared < least) {
                nearest = Some((squared, face, side));
            }
        }
        let (_, [i, j, k], side) =
            nearest.unwrap_or_else(|| (0.0, [0, 1, 2], TrianglePart::nearest(self.w[0], self.w[1]).of_first_two()));
        NearestOnSimplex::At(self.reduce_to(i, j, k, side))
    }
}

/// The part of a triangle that contains its point nearest the origin.
#[derive(Clone, Copy)]
struct TrianglePart {
    point: DVec3,
    /// One bit per corner of the part.
    members: u8,
    /// Per corner; zero for corners that are not in the part.
    weights: [f64; 3],
}

/// The part of a segment that contains its point nearest the origin.
struct End {
    point: DVec3,
    /// One bit per end of the part.
    members: u8,
    weights: [f64; 2],
}

impl End {
    /// As a part of the triangle whose first two corners are the ends.
    #[inline(always)]
    fn of_first_two(self) -> TrianglePart {
        TrianglePart { point: self.point, members: self.members, weights: [self.weights[0], self.weights[1], 0.0] }
    }

    /// As a part of the triangle whose first and third corners are the ends.
    #[inline(always)]
    fn of_first_and_third(self) -> TrianglePart {
        let members = self.members & 1 | (self.members & 2) << 1;
        TrianglePart { point: self.point, members, weights: [self.weights[0], 0.0, self.weights[1]] }
    }

    /// As a part of the triangle whose last two corners are the ends.
    #[inline(always)]
    fn of_last_two(self) -> TrianglePart {
        TrianglePart { point: self.point, members: self.members << 1, weights: [0.0, self.weights[0], self.weights[1]] }
    }
}

impl TrianglePart {
    #[inline(always)]
    fn nearest(p: DVec3, q: DVec3) -> End {
        let edge = q - p;
        let along = -p.dot(edge);
        if along <= 0.0 {
            return End { point: p, members: 1, weights: [1.0, 0.0] };
        }
        let length = edge.dot(edge);
        if along >= length {
            return End { point: q, members: 2, weights: [0.0, 1.0] };
        }
        let t = along / length;
        End { point: p + edge * t, members: 3, weights: [1.0 - t, t] }
    }

    #[inline(always)]
    fn of_triangle(a: DVec3, b: DVec3, c: DVec3) -> TrianglePart {
        let (ab, ac) = (b - a, c - a);
        let n = ab.cross(ac);
        let squared = n.dot(n);
        // Twice the areas that the projection of the origin spans with the sides at `a`, times the length of `n`:
        // `n · (c x a)` and `n · (a x b)`. The three add up to `n · n`.
        let across = a.cross(n);
        let (vb, vc) = (ac.dot(across), -ab.dot(across));
        let va = (squared - vb) - vc;
        // The usual case at the end of GJK.
        if va > 0.0 && vb > 0.0 && vc > 0.0 && squared > 0.0 {
            let inverse = 1.0 / squared;
            let weights = [va * inverse, vb * inverse, vc * inverse];
            return TrianglePart { point: n * (n.dot(a) * inverse), members: 0b111, weights };
        }
        TrianglePart::of_rim(a, b, c, ab, ac, [va, vb, vc], squared == 0.0)
    }

    /// [`TrianglePart::of_triangle`] where the nearest point is a corner or on an edge.
    #[inline(always)]
    fn of_rim(a: DVec3, b: DVec3, c: DVec3, ab: DVec3, ac: DVec3, [va, vb, vc]: [f64; 3], flat: bool) -> TrianglePart {
        if flat {
            return TrianglePart::of_line(a, b, c);
        }
        let corner = |point: DVec3, k: usize| {
            let mut weights = [0.0; 3];
            weights[k] = 1.0;
            TrianglePart { point, members: 1 << k, weights }
        };
        let (d1, d2) = (-ab.dot(a), -ac.dot(a));
        if d1 <= 0.0 && d2 <= 0.0 {
            return corner(a, 0);
        }
        let (d3, d4) = (-ab.dot(b), -ac.dot(b));
        if d3 >= 0.0 && d4 <= d3 {
            return corner(b, 1);
        }
        let (d5, d6) = (-ab.dot(c), -ac.dot(c));
        if d6 >= 0.0 && d5 <= d6 {
            return corner(c, 2);
        }
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return TrianglePart::nearest(a, b).of_first_two();
        }
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return TrianglePart::nearest(a, c).of_first_and_third();
        }
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return TrianglePart::nearest(b, c).of_last_two();
        }
        // Inconsistent because of rounding: a triangle of almost no area.
        TrianglePart::of_line(a, b, c)
    }

    /// The nearest point on one of the three sides of a triangle without area.
    #[cold]
    fn of_line(a: DVec3, b: DVec3, c: DVec3) -> TrianglePart {
        let sides = [
            TrianglePart::nearest(a, b).of_first_two(),
            TrianglePart::nearest(a, c).of_first_and_third(),
            TrianglePart::nearest(b, c).of_last_two(),
        ];
        let [first, rest @ ..] = sides;
        rest.into_iter().fold(first, |least, side| {
            if side.point.dot(side.point) < least.point.dot(least.point) { side } else { least }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::johnson::Johnson;
    use crate::geom::closest::{closest_on_segment, closest_on_tetrahedron, closest_on_triangle};
    use proptest::prelude::*;

    fn simplex(points: &[DVec3]) -> Simplex {
        let mut simplex = Simplex::default();
        for (k, p) in points.iter().enumerate() {
            simplex.push(k as u32, 0, *p);
        }
        simplex
    }

    fn check(points: &[DVec3], expected: f64) -> Result<(), TestCaseError> {
        check_by::<Voronoi>(points, expected, 1e-9)?;
        // Weights from cofactors lose digits as the square of the aspect ratio, so the error is larger for flat
        // simplices.
        check_by::<Johnson>(points, expected, 1e-6)?;
        // Scaled by powers of two to the ends of the range, the members and weights stay the same.
        for scale in [2f64.powi(-190), 2f64.powi(200)] {
            let (mut one, mut other) = (simplex(points), simplex(points));
            other.w = other.w.map(|w| w * scale);
            Johnson::reduce(&mut one);
            Johnson::reduce(&mut other);
            prop_assert_eq!((one.count, one.a, one.weight), (other.count, other.a, other.weight));
        }
        Ok(())
    }

    fn check_by<R: Reduce>(points: &[DVec3], expected: f64, tolerance: f64) -> Result<(), TestCaseError> {
        let mut s = simplex(points);
        let point = match R::reduce(&mut s) {
            NearestOnSimplex::At(point) => point,
            NearestOnSimplex::Inside => DVec3::ZERO,
        };
        let combined: DVec3 = (0..s.count).map(|k| s.w[k] * s.weight[k]).sum();
        prop_assert!((combined - point).length() < 1e-9, "{combined} {point}");
        prop_assert!((0..s.count).all(|k| s.weight[k] >= -1e-12));
        prop_assert!((point.length() - expected).abs() < tolerance, "{} {expected}", point.length());
        Ok(())
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        // Occasionally small integers, so that region boundaries are hit.
        prop_oneof![
            prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array),
            prop::array::uniform3(-2..=2i32).prop_map(|v| DVec3::from_array(v.map(f64::from))),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_the_closest_point_kernels(a in vector(), b in vector(), c in vector(), d in vector()) {
            let origin = DVec3::ZERO;
            check(&[a, b], closest_on_segment(origin, a, b).point.length())?;
            check(&[a, b, c], closest_on_triangle(origin, a, b, c).point.length())?;
            check(&[a, b, c, d], closest_on_tetrahedron(origin, a, b, c, d).point.length())?;
        }
    }
}
