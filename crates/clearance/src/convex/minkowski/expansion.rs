//! The difference of two polytopes by surface expansion, from one face across its edges to the next.

use std::cmp::Ordering;

use glam::DVec3;

use super::original::original_faces;
use super::sum::{Polytope, Sum};
use super::vertex_sums::by_vertex_sums;
use crate::geom::hull::convex_hull;
use crate::geom::topology::{Csr, NONE, neighbours_of_edges};
use crate::math::double_double::two_diff;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::predicates::{
    Axis, ORIENT2D_BOUND, ORIENT3D_BOUND, Sign, TINY_PRODUCT, TINY_RESULT, orient2d, orient3d,
};
use crate::math::ring::{self, Ring};

/// The difference by surface expansion; by the hull of differences where it is flat.
pub(crate) fn by_surface_expansion(a: &Polytope, b: &Polytope) -> Sum {
    expand(a, b).unwrap_or_else(|| by_vertex_sums(a, b))
}

/// The expansion; `None` only where the sum is flat.
pub(super) fn expand(a: &Polytope, b: &Polytope) -> Option<Sum> {
    let terms = [Term::new(a, false)?, Term::new(b, true)?];
    let expansion = Expansion { terms: &terms };
    let mut sum = Sum::default();
    let mut vertices = Table::default();
    let mut sides = Table::default();
    let mut open: Vec<[[u32; 2]; 2]> = Vec::new();
    let mut face = Face::default();
    expansion.first(&mut face)?;
    let mut corners = Vec::new();
    loop {
        corners.clear();
        for &[i, j] in &face.corners {
            let next = sum.points.len() as u32;
            let (index, new) = vertices.insert(u64::from(i) << 32 | u64::from(j), next);
            if new {
                let from = [terms[0].ids[i as usize], terms[1].ids[j as usize]];
                sum.points.push(a.points[from[0] as usize] - b.points[from[1] as usize]);
                sum.from.push(from);
            }
            corners.push(index);
        }
        for k in 0..corners.len() {
            let next = (k + 1) % corners.len();
            if !sides.insert(key(corners[k], corners[next]), 0).1 {
                return None; // A side used twice.
            }
            if !sides.contains(key(corners[next], corners[k])) {
                open.push([face.corners[k], face.corners[next]]);
            }
        }
        sum.push(&corners, expansion.original(&face));
        // The next side without a face beyond it.
        let side = loop {
            let Some(side) = open.pop() else { return Some(sum) };
            let [from, to] = side.map(|[i, j]| vertices.get(u64::from(i) << 32 | u64::from(j)).unwrap_or(NONE));
            if !sides.contains(key(to, from)) {
                break side;
            }
        };
        expansion.beyond(side, &mut face)?;
    }
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// One term of the sum: an exact polytope with its adjacency.
struct Term {
    points: Vec<DVec3>,
    /// The caller's index of each point.
    ids: Vec<u32>,
    /// Outlines, counter-clockwise from outside. A polygon has two.
    faces: Csr,
    original: Vec<bool>,
    /// Neighbours of each vertex along edges.
    neighbours: Csr,
    /// For each entry of `neighbours` the face to the left of the side from the vertex to the neighbour, and where in
    /// its outline the side begins; `NONE` for a segment.
    left: Vec<[u32; 2]>,
    /// Start of each vertex in `left`.
    starts: Vec<u32>,
    /// For a segment or a point: whether it counts as an edge with an original face.
    original_edge: bool,
}

impl Term {
    fn new(of: &Polytope, negated: bool) -> Option<Term> {
        let negative: Vec<DVec3>;
        let given = if negated {
            negative = of.points.iter().map(|&p| -p).collect();
            &negative
        } else {
            of.points
        };
        let mut hull = convex_hull(given).ok()?;
        if hull.dimension == 2 {
            let back: Vec<u32> = hull.faces.get(0).iter().rev().copied().collect();
            hull.faces.push(&back);
        }
        let original = original_faces(of, given, &hull);
        let neighbours = neighbours_of_edges(hull.vertices.len(), &hull.edges);
        let mut starts = Vec::with_capacity(hull.vertices.len());
        let mut count = 0;
        for list in neighbours.iter() {
            starts.push(count);
            count += list.len() as u32;
        }
        let mut term = Term {
            points: hull.vertices.iter().map(|&v| given[v as usize]).collect(),
            ids: hull.vertices,
            faces: hull.faces,
            original,
            neighbours,
            left: vec![[NONE; 2]; count as usize],
            starts,
            original_edge: of.triangles.is_empty() || of.original.iter().any(|&original| original),
        };
        for face in 0..term.faces.len() {
            let outline = term.faces.get(face);
            for (k, &v) in outline.iter().enumerate() {
                let slot = term.slot(v, outline[(k + 1) % outline.len()])?;
                term.left[slot] = [face as u32, k as u32];
            }
        }
        Some(term)
    }

    fn slot(&self, from: u32, to: u32) -> Option<usize> {
        let within = self.neighbours.get(from as usize).iter().position(|&v| v == to)?;
        Some(self.starts[from as usize] as usize + within)
    }

    /// The face to the left of a side, and where in its outline the side begins.
    fn left_of(&self, from: u32, to: u32) -> Option<[u32; 2]> {
        self.slot(from, to).map(|slot| self.left[slot]).filter(|left| left[0] != NONE)
    }

    fn span(&self, from: u32, to: u32) -> Span {
        Span { from: self.points[from as usize], to: self.points[to as usize] }
    }
}

/// The feature that a term contributes to a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Vertex(u32),
    /// Two neighbours.
    Edge(u32, u32),
    Facet(u32),
}

/// A face of the sum: its features, and its outline as pairs of vertices of the terms.
struct Face {
    parts: [Part; 2],
    corners: Vec<[u32; 2]>,
}

impl Default for Face {
    fn default() -> Self {
        Face { parts: [Part::Vertex(0); 2], corners: Vec::new() }
    }
}

/// The outline of a part from one of its corners on.
struct Outline<'t> {
    part: Part,
    facet: &'t [u32],
    start: usize,
    taken: usize,
}

impl<'t> Outline<'t> {
    fn new(term: &'t Term, part: Part, from: u32) -> Option<Outline<'t>> {
        let facet = match part {
            Part::Facet(face) => term.faces.get(face as usize),
            _ => &[],
        };
        let mut outline = Outline { part, facet, start: 0, taken: 0 };
        outline.start = (0..outline.len().max(1)).find(|&k| outline.corner(k) == from)?;
        Some(outline)
    }

    /// The number of sides: an edge has two, one in each direction.
    fn len(&self) -> usize {
        match self.part {
            Part::Vertex(_) => 0,
            Part::Edge(..) => 2,
            Part::Facet(_) => self.facet.len(),
        }
    }

    fn corner(&self, k: usize) -> u32 {
        match self.part {
            Part::Vertex(v) => v,
            Part::Edge(v, w) => [v, w][k % 2],
            Part::Facet(_) => self.facet[k % self.facet.len()],
        }
    }

    fn here(&self) -> u32 {
        self.corner(self.start + self.taken)
    }

    /// The next side, if there is one.
    fn side(&self, term: &Term) -> Option<Span> {
        let k = self.start + self.taken;
        (self.taken < self.len()).then(|| term.span(self.corner(k), self.corner(k + 1)))
    }
}

struct Expansion<'t> {
    terms: &'t [Term; 2],
}

impl Expansion<'_> {
    /// An initial face, on a face of one of the terms. `None` if the sum is flat.
    fn first(&self, face: &mut Face) -> Option<()> {
        let one = (0..2).find(|&k| !self.terms[k].faces.is_empty())?;
        let (term, other) = (&self.terms[one], &self.terms[1 - one]);
        let outline = term.faces.get(0);
        let (e, f) = (term.span(outline[0], outline[1]), term.span(outline[0], outline[outline.len() - 1]));
        let height = |from: u32, to: u32| determinant(&e, &f, &other.span(from, to));
        let count = other.points.len() as u32;
        let highest = (1..count).fold(0, |best, v| if height(best, v).is_positive() { v } else { best });
        // A polygon has no extent across its plane; if the other term has none either, the sum is flat.
        if term.faces.len() == 2 && (0..count).all(|v| height(highest, v).is_zero()) {
            return None;
        }
        let plane = ProjectionPlane::of(&e, &f)?;
        let part = self.part_at(1 - one, highest, &plane, |v| height(highest, v).is_zero())?;
        // The outline of the other term starts at the side that turns least from the first side here.
        let mut start = highest;
        if part != Part::Vertex(highest) {
            let mut sides = Outline::new(other, part, highest)?;
            let mut least: Option<Span> = None;
            while let Some(side) = sides.side(other) {
                if least.as_ref().is_none_or(|least| plane.order(&e, &side, least).is_lt()) {
                    (least, start) = (Some(side), sides.here());
                }
                sides.taken += 1;
            }
        }
        face.parts[one] = Part::Facet(0);
        face.parts[1 - one] = part;
        let mut from = [start; 2];
        from[one] = outline[0];
        self.merge(face, from, &e, &plane)
    }

    /// The face across a side of a known face.
    fn beyond(&self, [a, b]: [[u32; 2]; 2], face: &mut Face) -> Option<()> {
        // The new face is to the left of the side taken backwards.
        let moved = if a[0] != b[0] { 0 } else { 1 };
        let side = self.terms[moved].span(b[moved], a[moved]);
        // The last vertex met by the plane rotating about the side, outwards from the new face, is the first met from
        // the old one.
        let mut best: Option<Span> = None;
        let mut candidate = |span: Span| {
            if best.as_ref().is_none_or(|best| determinant(&side, best, &span).is_positive()) {
                best = Some(span);
            }
        };
        let mut next = [None; 2];
        for k in 0..2 {
            let term = &self.terms[k];
            if a[k] == b[k] {
                term.neighbours.get(a[k] as usize).iter().for_each(|&v| candidate(term.span(a[k], v)));
            } else if let Some([facet, place]) = term.left_of(b[k], a[k]) {
                let outline = term.faces.get(facet as usize);
                let third = outline[(place as usize + 2) % outline.len()];
                next[k] = Some((facet, third));
                candidate(term.span(a[k], third));
            }
        }
        let best = best?;
        let plane = ProjectionPlane::of(&side, &best)?;
        for k in 0..2 {
            let term = &self.terms[k];
            let touched = |v: u32| determinant(&side, &best, &term.span(a[k], v)).is_zero();
            face.parts[k] = match next[k] {
                _ if a[k] == b[k] => self.part_at(k, a[k], &plane, touched)?,
                Some((facet, third)) if touched(third) => Part::Facet(facet),
                _ => Part::Edge(b[k], a[k]),
            };
        }
        self.merge(face, b, &side, &plane)?;
        (face.corners.get(1) == Some(&a)).then_some(())
    }

    /// The feature of a term that consists of a vertex and those of its neighbours in the plane, seen from outside
    /// `plane`.
    fn part_at(
        &self,
        term: usize,
        vertex: u32,
        plane: &ProjectionPlane,
        touched: impl Fn(u32) -> bool,
    ) -> Option<Part> {
        let term = &self.terms[term];
        let mut found = term.neighbours.get(vertex as usize).iter().copied().filter(|&v| touched(v));
        match (found.next(), found.next(), found.next()) {
            (None, ..) => Some(Part::Vertex(vertex)),
            (Some(v), None, _) => Some(Part::Edge(vertex, v)),
            (Some(v), Some(w), None) => {
                let turn = plane.turn(&term.span(vertex, v), &term.span(vertex, w));
                let out = if turn.is_positive() { v } else { w };
                term.left_of(vertex, out).map(|left| Part::Facet(left[0]))
            }
            _ => None,
        }
    }

    /// The outline of a face: the outlines of its parts, from given corners, merged by direction. `side` is the
    /// direction of the first side, the reference for all angles.
    fn merge(&self, face: &mut Face, from: [u32; 2], side: &Span, plane: &ProjectionPlane) -> Option<()> {
        let [p, q] = self.terms;
        let mut first = Outline::new(p, face.parts[0], from[0])?;
        let mut second = Outline::new(q, face.parts[1], from[1])?;
        face.corners.clear();
        loop {
            let here = [first.here(), second.here()];
            let order = match (first.side(p), second.side(q)) {
                (None, None) => return (here == from).then_some(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => plane.order(side, &a, &b),
            };
            face.corners.push(here);
            first.taken += usize::from(order.is_le());
            second.taken += usize::from(order.is_ge());
        }
    }

    fn original(&self, face: &Face) -> bool {
        let mut facet = [false; 2];
        let mut edge = [false; 2];
        for k in 0..2 {
            let term = &self.terms[k];
            (facet[k], edge[k]) = match face.parts[k] {
                Part::Vertex(_) => (false, false),
                Part::Edge(..) if term.faces.is_empty() => (false, term.original_edge),
                Part::Edge(v, w) => (false, self.on_original(k, v, w)),
                Part::Facet(f) => {
                    let outline = term.faces.get(f as usize);
                    let rim = || {
                        (0..outline.len()).any(|i| self.on_original(k, outline[i], outline[(i + 1) % outline.len()]))
                    };
                    (term.original[f as usize], term.original[f as usize] || rim())
                }
            };
        }
        facet[0] || facet[1] || (edge[0] && edge[1])
    }

    /// Whether an edge has an original face on either side.
    fn on_original(&self, term: usize, v: u32, w: u32) -> bool {
        let term = &self.terms[term];
        [term.left_of(v, w), term.left_of(w, v)].into_iter().flatten().any(|left| term.original[left[0] as usize])
    }
}

/// A difference of two given points.
#[derive(Clone, Copy)]
struct Span {
    from: DVec3,
    to: DVec3,
}

impl Span {
    /// Rounded; each component has the true sign.
    fn rounded(&self) -> DVec3 {
        self.to - self.from
    }

    /// The rounding error.
    fn rest(&self) -> DVec3 {
        let lost = |a: f64, b: f64| two_diff(a, b).1;
        let (a, b) = (self.to, self.from);
        DVec3::new(lost(a.x, b.x), lost(a.y, b.y), lost(a.z, b.z))
    }

    /// Converts to another arithmetic.
    fn over<N: Ring>(&self) -> ring::Vector<N> {
        ring::subtract(&ring::vector(self.to), &ring::vector(self.from))
    }
}

/// The exact sign of `(u x v) · w`.
fn determinant(u: &Span, v: &Span, w: &Span) -> Sign {
    let (a, b, c) = (u.rounded(), v.rounded(), w.rounded());
    // The terms, and so the bound, of `predicates::orient3d`: there too the entries are rounded differences.
    let (bxcy, cxby) = (b.x * c.y, c.x * b.y);
    let (cxay, axcy) = (c.x * a.y, a.x * c.y);
    let (axby, bxay) = (a.x * b.y, b.x * a.y);
    let value = a.z * (bxcy - cxby) + b.z * (cxay - axcy) + c.z * (axby - bxay);
    let permanent = (bxcy.abs() + cxby.abs() + TINY_PRODUCT) * a.z.abs()
        + (cxay.abs() + axcy.abs() + TINY_PRODUCT) * b.z.abs()
        + (axby.abs() + bxay.abs() + TINY_PRODUCT) * c.z.abs();
    if value.abs() > ORIENT3D_BOUND * permanent + TINY_RESULT {
        return Sign::from(value);
    }
    determinant_slow([u, v, w])
}

#[cold]
#[inline(never)]
fn determinant_slow(spans: [&Span; 3]) -> Sign {
    let rounded = spans.map(Span::rounded);
    let zero = DVec3::ZERO;
    let [a, b, c] = rounded;
    if (a.cmpeq(zero) & b.cmpeq(zero) & c.cmpeq(zero)).any() {
        return Sign::Zero;
    }
    let rest = spans.map(Span::rest);
    if rest == [zero; 3] {
        return orient3d(zero, a, b, c);
    }
    let same = |i: usize, j: usize| {
        (rounded[i] == rounded[j] && rest[i] == rest[j]) || (rounded[i] == -rounded[j] && rest[i] == -rest[j])
    };
    if same(0, 1) || same(1, 2) || same(2, 0) {
        return Sign::Zero;
    }
    // Placed bodies have many nearly parallel edges: double-double arithmetic settles most of them.
    let sign = determinant_over::<Enclosed>(spans).or_else(|| determinant_over::<Dyadic>(spans));
    sign.map_or(Sign::Zero, Sign::from)
}

fn determinant_over<N: Ring>(spans: [&Span; 3]) -> Option<Ordering> {
    let [u, v, w] = spans.map(Span::over::<N>);
    ring::dot(&ring::cross(&u, &v), &w).sign()
}

/// The exact sign of one component of `u x v`.
fn cross_component(axis: Axis, u: &Span, v: &Span) -> Sign {
    let ([ax, ay], [bx, by]) = (axis.project(u.rounded()), axis.project(v.rounded()));
    let (left, right) = (ax * by, ay * bx);
    let value = left - right;
    // As in `predicates::orient2d`.
    if value.abs() > ORIENT2D_BOUND * (left.abs() + right.abs()) + TINY_RESULT {
        return Sign::from(value);
    }
    cross_component_slow(axis, u, v)
}

#[cold]
#[inline(never)]
fn cross_component_slow(axis: Axis, u: &Span, v: &Span) -> Sign {
    let (a, b) = (u.rounded(), v.rounded());
    let ([ax, ay], [bx, by]) = (axis.project(a), axis.project(b));
    if (ax == 0.0 && bx == 0.0) || (ay == 0.0 && by == 0.0) {
        return Sign::Zero;
    }
    let (p, q) = (u.rest(), v.rest());
    if p == DVec3::ZERO && q == DVec3::ZERO {
        return orient2d(axis, DVec3::ZERO, a, b);
    }
    if (a == b && p == q) || (a == -b && p == -q) {
        return Sign::Zero;
    }
    let sign = cross_component_over::<Enclosed>(axis, u, v).or_else(|| cross_component_over::<Dyadic>(axis, u, v));
    sign.map_or(Sign::Zero, Sign::from)
}

fn cross_component_over<N: Ring>(axis: Axis, u: &Span, v: &Span) -> Option<Ordering> {
    let (i, j) = match axis {
        Axis::X => (1, 2),
        Axis::Y => (2, 0),
        Axis::Z => (0, 1),
    };
    let (u, v) = (u.over::<N>(), v.over::<N>());
    u[i].times(&v[j]).minus(&u[j].times(&v[i])).sign()
}

/// The projection of a face's plane, for predicates within it.
struct ProjectionPlane {
    /// The axis along which the outward normal is not zero.
    axis: Axis,
    /// The sign of the normal along it.
    sign: Sign,
}

impl ProjectionPlane {
    /// The plane whose outward normal is `u x v`.
    fn of(u: &Span, v: &Span) -> Option<ProjectionPlane> {
        [Axis::Z, Axis::Y, Axis::X]
            .into_iter()
            .map(|axis| ProjectionPlane { axis, sign: cross_component(axis, u, v) })
            .find(|plane| !plane.sign.is_zero())
    }

    /// Positive if `v` is to the left of `u`, seen from outside.
    fn turn(&self, u: &Span, v: &Span) -> Sign {
        let sign = cross_component(self.axis, u, v);
        if self.sign.is_positive() { sign } else { -sign }
    }

    /// Compares two directions in the plane, counter-clockwise from the direction `from`, itself included.
    fn order(&self, from: &Span, u: &Span, v: &Span) -> Ordering {
        let beyond_half = |side: &Span| match self.turn(from, side) {
            Sign::Positive => false,
            Sign::Negative => true,
            Sign::Zero => !same_way(from, side),
        };
        beyond_half(u).cmp(&beyond_half(v)).then_with(|| self.turn(v, u).to_ordering())
    }
}

/// Whether two parallel differences point the same way: the signs of rounded components are true.
fn same_way(u: &Span, v: &Span) -> bool {
    let (u, v) = (u.rounded(), v.rounded());
    u.cmpgt(DVec3::ZERO) == v.cmpgt(DVec3::ZERO) && u.cmplt(DVec3::ZERO) == v.cmplt(DVec3::ZERO)
}

/// A hash map from integers to integers: open addressing, deterministic.
#[derive(Default)]
struct Table {
    /// Key and value; `FREE` for an empty slot.
    slots: Vec<(u64, u32)>,
    count: usize,
}

/// A key that is not a pair of vertices.
const FREE: u64 = u64::MAX;

impl Table {
    /// The slot of a key, occupied or not.
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Multiplicative hashing (Knuth) by 2^64 over the golden ratio.
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].0 != key && self.slots[at].0 != FREE {
            at = (at + 1) & mask;
        }
        at
    }

    /// The value of a key, and whether it was inserted now.
    fn insert(&mut self, key: u64, value: u32) -> (u32, bool) {
        if 2 * self.count >= self.slots.len() {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![(FREE, 0); (2 * old.len()).max(256)];
            for entry in old.into_iter().filter(|entry| entry.0 != FREE) {
                let at = self.find(entry.0);
                self.slots[at] = entry;
            }
        }
        let at = self.find(key);
        if self.slots[at].0 == key {
            return (self.slots[at].1, false);
        }
        self.slots[at] = (key, value);
        self.count += 1;
        (value, true)
    }

    fn get(&self, key: u64) -> Option<u32> {
        let slot = self.slots.get(if self.slots.is_empty() { 0 } else { self.find(key) })?;
        (slot.0 == key).then_some(slot.1)
    }

    fn contains(&self, key: u64) -> bool {
        self.get(key).is_some()
    }
}
