//! Two boxes by their fifteen axes: intersection test and penetration depth.
//!
//! The separating axis theorem (Gottschalk, Lin and Manocha, "OBBTree", 1996): the difference `B - A` of two boxes is a
//! zonotope, a sum of six segments, and each of its faces is spanned by two of them. So its face normals are the three
//! axes of A, the three of B and the nine products of an axis of A with one of B. The gap along the unit normal `n` is
//! `|t · n| - h(n)` with `h` the half width of the difference; the origin lies inside exactly when all of these are
//! negative, and the depth is then the least of their magnitudes.
//!
//! Departures from the paper:
//! - No axis is skipped or fudged for near-parallel edges. The columns of `M` are taken as they are, not as a rotation:
//!   face normals of B are products of two columns (the cofactors of `M`), and the width of B along `e_i x m_j` is made
//!   of the same cofactors. Each term is then accurate relative to the length of the axis, so short axes need no
//!   special case. An axis of length zero is not a face normal.
//! - Each gap is compared with its rounding bound. Pairs proved neither separated nor overlapping are left undecided.
//! - The axis that separated last is tried first (the paper's temporal coherence).

use glam::{DMat3, DVec3};

use super::gjk::GapBracket;
use super::simplex::Simplex;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    BOX_AXIS_DEPTH, BOX_AXIS_GAP_IN_EITHER_FRAME, BOX_CONTACT_TIE, BOX_PARALLEL_EDGES, LOWER_BOUND, SMALLEST_REACH,
};
use crate::shape::corner;

/// The number of axes: 0 to 2 the faces of A, 3 to 5 those of B, `6 + 3 i + j` the product of axis `i` of A and `j` of
/// B.
const AXES: u8 = 15;

/// The verdict of the axes on two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict<Axis = u8> {
    /// Separated by this axis.
    Apart(Axis),
    /// The interiors intersect.
    Overlapping,
    /// Undecided because of rounding.
    Undecided,
}

/// Two boxes in the frame of the first.
struct Boxes {
    a: [f64; 3],
    b: [f64; 3],
    /// Columns: the axes of B.
    m: [[f64; 3]; 3],
    /// Columns: cofactors of `m`, normals of the faces of B.
    c: [[f64; 3]; 3],
    t: [f64; 3],
    /// The determinant of `m`.
    volume: f64,
}

impl Boxes {
    #[inline(always)]
    fn new(a: DVec3, b: DVec3, rotation: &DMat3, translation: DVec3) -> Boxes {
        let [x, y, z] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let c = [y.cross(z), z.cross(x), x.cross(y)];
        Boxes {
            a: a.to_array(),
            b: b.to_array(),
            m: [x, y, z].map(|v| v.to_array()),
            volume: x.dot(c[0]),
            c: c.map(|v| v.to_array()),
            t: translation.to_array(),
        }
    }

    /// The gap along axis `k` of A.
    #[inline(always)]
    fn face_a(&self, k: usize) -> f64 {
        let [x, y, z] = &self.m;
        let width = (self.b[0] * x[k].abs() + self.b[1] * y[k].abs()) + self.b[2] * z[k].abs();
        (self.t[k].abs() - self.a[k]) - width
    }

    /// The gap along the normal of face `k` of B, times its length.
    #[inline(always)]
    fn face_b(&self, k: usize) -> f64 {
        let (n, t, a) = (&self.c[k], &self.t, &self.a);
        let apart = ((t[0] * n[0] + t[1] * n[1]) + t[2] * n[2]).abs();
        let width = (a[0] * n[0].abs() + a[1] * n[1].abs()) + a[2] * n[2].abs();
        (apart - self.b[k] * self.volume) - width
    }

    /// The gap along `e_i x m_j`, times its length, and a bound on its length.
    #[inline(always)]
    fn edges(&self, i: usize, j: usize) -> (f64, f64) {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        // The axis has the components `-m2` along `i1` and `m1` along `i2`.
        let (m1, m2) = (self.m[j][i1], self.m[j][i2]);
        let apart = (self.t[i2] * m1 - self.t[i1] * m2).abs();
        let (m1, m2) = (m1.abs(), m2.abs());
        let width_a = self.a[i1] * m2 + self.a[i2] * m1;
        let width_b = self.b[j1] * self.c[j2][i].abs() + self.b[j2] * self.c[j1][i].abs();
        (apart - (width_a + width_b), m1 + m2)
    }

    /// The gap along an axis times its length, and a bound on its length.
    #[inline(always)]
    fn gap(&self, axis: u8) -> (f64, f64) {
        let k = usize::from(axis);
        match axis {
            0..3 => (self.face_a(k), 1.0),
            3..6 => (self.face_b(k - 3), 1.0),
            _ => self.edges((k - 6) / 3, (k - 6) % 3),
        }
    }

    /// Tests the fifteen axes, `hint` first. `error` bounds the error of a gap along a unit axis.
    #[inline(always)]
    fn verdict(&self, error: f64, hint: u8) -> Verdict {
        if hint < AXES {
            let (gap, length) = self.gap(hint);
            if gap > error * length && length >= BOX_PARALLEL_EDGES {
                return Verdict::Apart(hint);
            }
        }
        let mut deep = true;
        for k in 0..3 {
            let gap = self.face_a(k);
            if gap > error {
                return Verdict::Apart(k as u8);
            }
            deep &= gap < -error;
        }
        for k in 0..3 {
            let gap = self.face_b(k);
            if gap > error {
                return Verdict::Apart(3 + k as u8);
            }
            deep &= gap < -error;
        }
        for i in 0..3 {
            for j in 0..3 {
                let (gap, length) = self.edges(i, j);
                let parallel = length < BOX_PARALLEL_EDGES;
                if gap > error * length && !parallel {
                    return Verdict::Apart(6 + 3 * i as u8 + j as u8);
                }
                deep &= gap < -error * length || parallel;
            }
        }
        if deep { Verdict::Overlapping } else { Verdict::Undecided }
    }
}

/// The verdict of the axes on two boxes in the caller's order: valid for the placed pair in the frame of either box.
#[inline(always)]
pub(crate) fn verdict(a: DVec3, pose_a: &Pose, b: DVec3, pose_b: &Pose, hint: u8) -> Verdict {
    let inverse = pose_a.inverse_rotation();
    let t = inverse * (pose_b.translation() - pose_a.translation());
    // Sums of magnitudes are upper bounds of the lengths.
    let reach = 2.0 * ((a.x + a.y + a.z) + (b.x + b.y + b.z)) + (t.x.abs() + t.y.abs() + t.z.abs());
    if reach < SMALLEST_REACH {
        return Verdict::Undecided;
    }
    let boxes = Boxes::new(a, b, &(inverse * pose_b.rotation()), t);
    boxes.verdict(BOX_AXIS_GAP_IN_EITHER_FRAME * reach, hint)
}

/// A bracket of the signed gap of two placed boxes that overlap, from the axis of least overlap; `None` unless the
/// overlap is proved. The simplex holds the vertices that span the witness points.
///
/// The depth of the placed pair is the least overlap along the fifteen axes (those of exactly zero length are not face
/// normals), so both sides of the bracket come from it; `gap.lower` also holds along the published normal.
pub(crate) fn depth(a: DVec3, b: DVec3, map: &Placement, reach: f64) -> Option<(GapBracket, Simplex)> {
    let boxes = Boxes::new(a, b, &map.rotation, map.translation);
    let error = BOX_AXIS_DEPTH * reach;
    let overlaps = boxes.overlaps();
    let least = overlaps.iter().copied().fold(f64::INFINITY, f64::min);
    // Written so that NaN proves nothing.
    if !overlaps.iter().all(|overlap| *overlap > error) {
        return None;
    }
    // Among axes that tie within rounding, the first whose features touch, so that faces precede edges nearly parallel
    // to them.
    let mut best: Option<(f64, u8, Touching)> = None;
    for axis in (0..AXES).filter(|&axis| overlaps[usize::from(axis)] <= least + 2.0 * error) {
        let touching = boxes.touching(axis, BOX_CONTACT_TIE * reach);
        let between = boxes.place(touching.point_b) - touching.point_a;
        let off = (between + touching.direction * overlaps[usize::from(axis)]).length();
        if best.as_ref().is_none_or(|(smallest, ..)| off < *smallest) {
            best = Some((off, axis, touching));
        }
        if off <= 2.0 * BOX_CONTACT_TIE * reach {
            break;
        }
    }
    let (_, axis, Touching { direction, point_a, point_b, members }) = best?;
    let overlap = overlaps[usize::from(axis)];
    let mut simplex = Simplex::default();
    for (k, (vertex_a, vertex_b, weight)) in members.into_iter().enumerate() {
        simplex.push(vertex_a, vertex_b, map.place(corner(b, vertex_b)) - corner(a, vertex_a));
        simplex.weight[k] = weight;
    }
    let gap = GapBracket {
        lower: -overlap - LOWER_BOUND * reach,
        upper: error - least,
        length: -overlap,
        direction,
        point_a,
        point_b,
    };
    Some((gap, simplex))
}

impl Boxes {
    /// The overlap of the boxes along each axis; infinite for parallel edges.
    #[inline(always)]
    fn overlaps(&self) -> [f64; AXES as usize] {
        let mut overlaps = [f64::INFINITY; AXES as usize];
        for k in 0..3 {
            overlaps[k] = -self.face_a(k);
            overlaps[3 + k] = -self.face_b(k) / DVec3::from_array(self.c[k]).length();
        }
        for i in 0..3 {
            for j in 0..3 {
                let (gap, bound) = self.edges(i, j);
                if bound >= BOX_PARALLEL_EDGES {
                    overlaps[6 + 3 * i + j] = -gap / self.edges_length(i, j);
                }
            }
        }
        overlaps
    }

    /// The length of `e_i x m_j`. Squares of axes above `BOX_PARALLEL_EDGES` do not underflow.
    #[inline(always)]
    fn edges_length(&self, i: usize, j: usize) -> f64 {
        let (m1, m2) = (self.m[j][(i + 1) % 3], self.m[j][(i + 2) % 3]);
        (m1 * m1 + m2 * m2).sqrt()
    }

    /// The unit vector along an axis, from A to B.
    fn direction(&self, axis: u8) -> DVec3 {
        let k = usize::from(axis);
        let unit = match axis {
            0..3 => DVec3::AXES[k],
            3..6 => {
                let normal = DVec3::from_array(self.c[k - 3]);
                normal / normal.length()
            }
            _ => {
                let (i, j) = ((k - 6) / 3, (k - 6) % 3);
                DVec3::AXES[i].cross(DVec3::from_array(self.m[j])) / self.edges_length(i, j)
            }
        };
        if unit.dot(DVec3::from_array(self.t)) < 0.0 { -unit } else { unit }
    }

    fn touching(&self, axis: u8, tie: f64) -> Touching {
        let direction = self.direction(axis);
        let contact = Contact { boxes: self, a: DVec3::from_array(self.a), b: DVec3::from_array(self.b), tie };
        let (point_a, point_b, members) = match axis {
            0..3 => contact.on_face_of_a(usize::from(axis), direction),
            3..6 => contact.on_face_of_b(usize::from(axis) - 3, direction),
            _ => contact.between_edges(usize::from(axis - 6) / 3, usize::from(axis - 6) % 3, direction),
        };
        Touching { direction, point_a, point_b, members }
    }

    /// A point of B's frame in the frame of A.
    fn place(&self, p: DVec3) -> DVec3 {
        self.turn(p) + DVec3::from_array(self.t)
    }

    fn turn(&self, p: DVec3) -> DVec3 {
        let [x, y, z] = self.m.map(DVec3::from_array);
        x * p.x + y * p.y + z * p.z
    }

    /// A point of A's frame in the frame of B: by the true inverse of `M`.
    fn place_back(&self, p: DVec3) -> DVec3 {
        let v = p - DVec3::from_array(self.t);
        let [x, y, z] = self.c.map(DVec3::from_array);
        DVec3::new(x.dot(v), y.dot(v), z.dot(v)) / self.volume
    }

    /// A direction of A's frame as a direction of B's: its products with B's vertices are the same.
    fn turn_back(&self, n: DVec3) -> DVec3 {
        let [x, y, z] = self.m.map(DVec3::from_array);
        DVec3::new(x.dot(n), y.dot(n), z.dot(n))
    }
}

/// Pairs of vertices (of A, of B) with their weights.
type Members = [(u32, u32, f64); 4];

/// The points at which two boxes touch once B is moved out along an axis.
struct Touching {
    direction: DVec3,
    point_a: DVec3,
    point_b: DVec3,
    members: Members,
}

/// The contact of two boxes once one is moved out along the axis of least overlap.
struct Contact<'b> {
    boxes: &'b Boxes,
    a: DVec3,
    b: DVec3,
    tie: f64,
}

/// The contact of a feature of one box with a face of the other.
enum Touch {
    /// A vertex of the other box, and its position on the face.
    Vertex { vertex: u32, on_face: DVec3 },
    /// A point of an edge of the other box (along `axis`, through `vertex`) on the border of the face, which runs along
    /// `border` there.
    Edge { vertex: u32, axis: usize, on_edge: DVec3, border: usize, on_face: DVec3 },
    /// A corner of the face, and its position on the other box.
    Corner { corner: u32, on_other: DVec3, face: usize },
}

impl Contact<'_> {
    fn on_face_of_a(&self, k: usize, direction: DVec3) -> (DVec3, DVec3, Members) {
        let down = self.boxes.turn_back(-direction);
        let place = |p| self.boxes.place(p);
        let back = |p| self.boxes.place_back(p);
        match self.touch((self.a, k, direction[k] > 0.0), (self.b, down), place, back) {
            Touch::Vertex { vertex, on_face } => {
                let members = face_weights(self.a, k, on_face).map(|(v, weight)| (v, vertex, weight));
                (on_face, corner(self.b, vertex), members)
            }
            Touch::Edge { vertex, axis, on_edge, border, on_face } => {
                let (first, second) =
                    (edge_weights(self.a, border, on_face), edge_weights_at(self.b, axis, vertex, on_edge));
                (on_face, on_edge, products(first, second))
            }
            Touch::Corner { corner: c, on_other, face } => {
                let members = face_weights(self.b, face, on_other).map(|(v, weight)| (c, v, weight));
                (corner(self.a, c), on_other, members)
            }
        }
    }

    fn on_face_of_b(&self, k: usize, direction: DVec3) -> (DVec3, DVec3, Members) {
        let own = self.boxes.turn_back(-direction);
        let place = |p| self.boxes.place_back(p);
        let back = |p| self.boxes.place(p);
        match self.touch((self.b, k, own[k] > 0.0), (self.a, direction), place, back) {
            Touch::Vertex { vertex, on_face } => {
                let members = face_weights(self.b, k, on_face).map(|(v, weight)| (vertex, v, weight));
                (corner(self.a, vertex), on_face, members)
            }
            Touch::Edge { vertex, axis, on_edge, border, on_face } => {
                let (first, second) =
                    (edge_weights_at(self.a, axis, vertex, on_edge), edge_weights(self.b, border, on_face));
                (on_edge, on_face, products(first, second))
            }
            Touch::Corner { corner: c, on_other, face } => {
                let members = face_weights(self.a, face, on_other).map(|(v, weight)| (v, c, weight));
                (on_other, corner(self.b, c), members)
            }
        }
    }

    /// Where the part of a box farthest along `down` touches face `k` (the positive one or not) of the other. `place`
    /// maps points of the former into the frame of the latter, `back` does the reverse.
    fn touch(
        &self,
        (half, k, positive): (DVec3, usize, bool),
        (other, down): (DVec3, DVec3),
        place: impl Fn(DVec3) -> DVec3,
        back: impl Fn(DVec3) -> DVec3,
    ) -> Touch {
        let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
        let level = if positive { half[k] } else { -half[k] };
        let onto_face = |p: DVec3| {
            let mut q = p.clamp(-half, half);
            q[k] = level;
            q
        };
        let lowest = support(down);
        // The edges of the other box that lie in the plane, flattest first, at most two.
        let rise = (down * other).abs() * 2.0;
        let steepest = if rise.x > rise.y.max(rise.z) { 0 } else { 1 + usize::from(rise.z >= rise.y) };
        let (next, last) = ((steepest + 1) % 3, (steepest + 2) % 3);
        let axes = if rise[next] <= rise[last] { [next, last, steepest] } else { [last, next, steepest] };
        let flat = axes[..2].iter().filter(|&&x| rise[x] <= self.tie).count();
        let corners: [u32; 4] = {
            let (first, second) = (1 << axes[0], 1 << axes[1]);
            [lowest, lowest ^ first, lowest ^ first ^ second, lowest ^ second]
        };
        let count = [1, 2, 4][flat];
        let mut best = (f64::INFINITY, lowest, DVec3::ZERO);
        for &vertex in &corners[..count] {
            let p = place(corner(other, vertex));
            let on_face = onto_face(p);
            let off = (on_face[k1] - p[k1]).abs().max((on_face[k2] - p[k2]).abs());
            if off < best.0 {
                best = (off, vertex, on_face);
            }
        }
        let nearest = Touch::Vertex { vertex: best.1, on_face: best.2 };
        if flat == 0 || best.0 <= self.tie {
            return nearest;
        }
        // No vertex lies on the face: an edge that crosses it enters through its border.
        let edges = if flat == 1 { 1 } else { 4 };
        for side in 0..edges {
            let (from, to) = (corners[side], corners[(side + 1) % 4]);
            let (p, q) = (place(corner(other, from)), place(corner(other, to)));
            if let Some((s, border)) = enters(half, [k1, k2], p, q) {
                let along = axes[side % 2];
                let mut on_edge = corner(other, from);
                on_edge[along] *= 1.0 - 2.0 * s;
                let mut on_face = onto_face(p + (q - p) * s);
                // The border runs along one axis of the face and lies at the end of the other.
                let across = if border == k1 { k2 } else { k1 };
                on_face[across] = half[across].copysign(on_face[across]);
                return Touch::Edge { vertex: from, axis: along, on_edge, border, on_face };
            }
        }
        if flat == 1 {
            return nearest;
        }
        // The face lies within the face of the other box.
        let c = if positive { 1 << k } else { 0 };
        let face = axes[2];
        let mut on_other = back(corner(half, c)).clamp(-other, other);
        on_other[face] = if lowest >> face & 1 == 1 { other[face] } else { -other[face] };
        Touch::Corner { corner: c, on_other, face }
    }

    /// The closest points of the lines of two edges, clamped to the edges.
    fn between_edges(&self, i: usize, j: usize, direction: DVec3) -> (DVec3, DVec3, Members) {
        let low_bits = |bits: u32, axis: usize| bits & !(1 << axis);
        let edge_a = low_bits(support(direction), i);
        let edge_b = low_bits(support(self.boxes.turn_back(-direction)), j);
        let mut point_a = corner(self.a, edge_a);
        let mut point_b = corner(self.b, edge_b);
        point_a[i] = 0.0;
        point_b[j] = 0.0;
        let w = self.boxes.place(point_b) - point_a;
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let m = self.boxes.m[j];
        // Perpendicular to the edge of A, the line of B passes the origin of the edge where this vanishes.
        let (m1, m2) = (m[i1], m[i2]);
        let r = -(w[i1] * m1 + w[i2] * m2) / (m1 * m1 + m2 * m2);
        point_b[j] = r.clamp(-self.b[j], self.b[j]);
        point_a[i] = (w[i] + point_b[j] * m[i]).clamp(-self.a[i], self.a[i]);
        let first = edge_weights_at(self.a, i, edge_a, point_a);
        (point_a, point_b, products(first, edge_weights_at(self.b, j, edge_b, point_b)))
    }
}

/// The vertex of a box farthest along a direction.
fn support(direction: DVec3) -> u32 {
    u32::from(direction.x >= 0.0) | u32::from(direction.y >= 0.0) << 1 | u32::from(direction.z >= 0.0) << 2
}

/// Where the segment from `p` to `q` enters the rectangle `|x| <= half` over two axes: the fraction along the segment,
/// and the axis along which the border runs there. `None` if it misses it, or starts inside.
fn enters(half: DVec3, axes: [usize; 2], p: DVec3, q: DVec3) -> Option<(f64, usize)> {
    let (mut from, mut to) = (0.0, 1.0);
    let mut border = None;
    for (n, axis) in axes.into_iter().enumerate() {
        let step = q[axis] - p[axis];
        if step == 0.0 {
            if p[axis].abs() > half[axis] {
                return None;
            }
            continue;
        }
        let near = (-half[axis].copysign(step) - p[axis]) / step;
        let far = (half[axis].copysign(step) - p[axis]) / step;
        if near > from {
            (from, border) = (near, Some(axes[1 - n]));
        }
        to = far.min(to);
    }
    border.filter(|_| from <= to).map(|along| (from, along))
}

/// The corners of face `k` that span a point on it, with bilinear weights.
fn face_weights(half: DVec3, k: usize, point: DVec3) -> [(u32, f64); 4] {
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
    let base = if point[k] > 0.0 { 1 << k } else { 0 };
    let [(low1, high1), (low2, high2)] = [k1, k2].map(|axis| shares(half[axis], point[axis]));
    let (bit1, bit2) = (1 << k1, 1 << k2);
    [(base, low1 * low2), (base | bit1, high1 * low2), (base | bit2, low1 * high2), (base | bit1 | bit2, high1 * high2)]
}

/// The weights of the two ends of `-half..half` at `x`.
fn shares(half: f64, x: f64) -> (f64, f64) {
    let high = (0.5 + 0.5 * (x / half)).clamp(0.0, 1.0);
    (1.0 - high, high)
}

/// The ends of the edge along `axis` that contains a point whose other coordinates are at their ends.
fn edge_weights(half: DVec3, axis: usize, point: DVec3) -> [(u32, f64); 2] {
    edge_weights_at(half, axis, support(point), point)
}

/// The ends of the edge along `axis` through `vertex`, with the weights of a point on it.
fn edge_weights_at(half: DVec3, axis: usize, vertex: u32, point: DVec3) -> [(u32, f64); 2] {
    let (low, high) = shares(half[axis], point[axis]);
    [(vertex & !(1 << axis), low), (vertex | 1 << axis, high)]
}

fn products(a: [(u32, f64); 2], b: [(u32, f64); 2]) -> Members {
    [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| (a[i].0, b[j].0, a[i].1 * b[j].1))
}

#[cfg(test)]
mod tests {
    use clearance_oracle::random::Random;
    use clearance_oracle::{OracleBody, Scenario, generate, pair, signed_distance};

    use super::*;
    use crate::convex::core::AnyCore;
    use crate::convex::{exact, gjk};
    use crate::math::tolerances::ACCURACY;
    use crate::math::tolerances::UNIT_ROUNDOFF;
    use crate::shape::rounded_up_length;

    fn posed(body: &OracleBody) -> Option<(DVec3, Pose)> {
        let rows = body.rotation.map(DVec3::from_array);
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        Some((DVec3::from_array(body.as_cuboid()?), Pose::new(rotation, DVec3::from_array(body.translation)).ok()?))
    }

    /// Checks all results of the axes for a pair; returns the verdict, and whether a depth was found.
    fn check(a: &OracleBody, b: &OracleBody) -> Option<(Verdict, bool)> {
        let ((half_a, pose_a), (half_b, pose_b)) = (posed(a)?, posed(b)?);
        let found = verdict(half_a, &pose_a, half_b, &pose_b, u8::MAX);
        for hint in 0..AXES {
            let hinted = verdict(half_a, &pose_a, half_b, &pose_b, hint);
            assert_eq!(matches!(hinted, Verdict::Apart(_)), matches!(found, Verdict::Apart(_)));
        }
        let (core_a, core_b) = (AnyCore::Box(half_a), AnyCore::Box(half_b));
        let map = Placement::new(&pose_a, DVec3::ZERO, &pose_b, DVec3::ZERO);
        let back = Placement::new(&pose_b, DVec3::ZERO, &pose_a, DVec3::ZERO);
        let reach = 2.0 * (rounded_up_length(half_a) + rounded_up_length(half_b)) + map.separation;
        let one = gjk::Pair { a: core_a, b: core_b, placement: &map, reach };
        let other = gjk::Pair { a: core_b, b: core_a, placement: &back, reach };
        let gaps = [&one, &other].map(|pair| exact::gap(pair, &Simplex::default()).gap);
        match found {
            Verdict::Apart(_) => assert!(gaps[0] > 0.0 && gaps[1] > 0.0, "{a:?} {b:?}"),
            Verdict::Overlapping => assert_eq!(gaps, [0.0, 0.0], "{a:?} {b:?}"),
            Verdict::Undecided => {}
        }
        let Some((gap, simplex)) = depth(half_a, half_b, &map, reach) else { return Some((found, false)) };
        assert_eq!(gaps[0], 0.0);
        let placement = map.bound(rounded_up_length(half_b));
        let defect = pose_a.defect().max(pose_b.defect());
        let doubt = placement + 2.0 * defect * gap.length.abs();
        assert!(signed_distance(a, b).is_within(gap.lower - doubt, gap.upper + doubt), "{gap:?} {a:?} {b:?}");
        assert!(gap.upper - gap.lower <= 80.0 * UNIT_ROUNDOFF * reach);
        // The witness points belong to the boxes and are one depth apart, against the direction.
        let inside = |p: DVec3, half: DVec3| p.abs().cmple(half).all();
        assert!(inside(gap.point_a, half_a) && inside(gap.point_b, half_b));
        let between = map.place(gap.point_b) - gap.point_a;
        let off = (between - gap.direction * gap.length).length();
        assert!(off <= (ACCURACY + 4.0 * defect) * reach, "{off:e} {gap:?}\n{simplex:?}\n{a:?}\n{b:?}");
        let (point_a, point_b) = {
            let sum = |of: &dyn Fn(usize) -> DVec3| (0..4).map(|k| of(k) * simplex.weight[k]).sum::<DVec3>();
            (sum(&|k| corner(half_a, simplex.a[k])), sum(&|k| corner(half_b, simplex.b[k])))
        };
        let near = |p: DVec3, q: DVec3| (p - q).length() <= 16.0 * UNIT_ROUNDOFF * reach;
        assert!(near(point_a, gap.point_a) && near(point_b, gap.point_b), "{gap:?} {simplex:?} {point_a} {point_b}");
        Some((found, true))
    }

    #[test]
    fn agrees_with_exact_arithmetic() {
        let mut open = 0;
        let (mut apart, mut overlapping, mut deep) = (0, 0, 0);
        for scenario in Scenario::ALL {
            for seed in 0..30 {
                let (a, b) = pair(scenario, seed);
                match check(&a, &b) {
                    Some((Verdict::Apart(_), _)) => apart += 1,
                    Some((Verdict::Overlapping, found)) => {
                        overlapping += 1;
                        deep += usize::from(found);
                    }
                    Some((Verdict::Undecided, _)) => open += 1,
                    None => {}
                }
            }
        }
        assert!(apart > 60 && overlapping > 40, "{apart} {overlapping} {open}");
        // Pairs that certainly overlap in either frame overlap in this one.
        assert_eq!(deep, overlapping);
    }

    /// Overlapping boxes at every depth and tilt from clearly skew to nearly parallel: none is left undecided except
    /// for contact within rounding.
    #[test]
    fn near_parallel_edges_are_decided() {
        let mut random = Random::new(7);
        for case in 0..400 {
            let tilt = 10f64.powi(-(case % 20));
            let axis = if case % 3 == 0 { DVec3::Z } else { DVec3::from_array(random.direction()) };
            let pose = Pose::from_axis_angle(axis, tilt, DVec3::ZERO).unwrap();
            let rows = pose.rotation().transpose();
            let rotation = [rows.x_axis, rows.y_axis, rows.z_axis].map(|v| v.to_array());
            let half = [1.0, random.uniform(0.1, 1.0), random.uniform(1e-6, 1.0)];
            let mut translation = random.in_cube(0.5);
            // Deep, shallow, and past each other.
            translation[case as usize % 3] = 2.0 * half[case as usize % 3] * (1.0 - 10f64.powi(-(case % 9)));
            let frame = generate::random_rotation(&mut random);
            let (a, b) = match case % 4 {
                0 => (OracleBody::cuboid(half), OracleBody::cuboid(half).rotated(rotation).translated(translation)),
                1 => (OracleBody::cuboid(half).rotated(rotation), OracleBody::cuboid(half).translated(translation)),
                2 => {
                    let far = translation.map(|x| x + 1e7);
                    (
                        OracleBody::cuboid(half).rotated(frame).translated([1e7; 3]),
                        OracleBody::cuboid(half).translated(far),
                    )
                }
                _ => (OracleBody::cuboid(half).rotated(frame), OracleBody::cuboid(half).rotated(frame)),
            };
            let (found, deep) = check(&a, &b).unwrap();
            let (low, high) = signed_distance(&a, &b).enclosure();
            if !(-1e-13..=1e-13).contains(&low) {
                assert_ne!(found, Verdict::Undecided, "{low:e} {tilt:e}");
                assert_eq!(deep, high < 0.0);
            }
        }
    }
}
