//! The translations for which two convex polytopes meet: the Minkowski difference `A ⊕ -B`, as a polytope.
//!
//! Kim, Otaduy, Lin, Manocha, *Fast Penetration Depth Computation for Physically-based Animation* (2002), section 4.2,
//! name two ways, and both are here:
//! - [`by_vertex_sums`]: the convex hull of all differences of vertices; it also does what is flat;
//! - [`by_surface_expansion`] (after Kaul and Rossignac, *Solid-Interpolating Deformations*, 1992): from one face of the
//!   difference over its edges to the next. For an outward normal `u` the face of a sum is the sum of the faces that its
//!   terms have there, so a face is a pair of features: face and vertex, vertex and face, edge and edge, or, where the
//!   terms have parallel edges or faces, any other pair.
//!
//! The expansion departs from the paper in how it treats coplanar faces, which are the normal case (boxes along the axes):
//! there is no special case for them. It turns the plane of a face about one of its edges until it touches something
//! again, exactly: what it may touch first are the neighbours of the two vertices that make the edge, and which comes first
//! is the sign of a determinant of three differences of given points. All that it touches at once belongs to the new face,
//! whose outline is the outlines of the two features merged by direction (again by exact signs). So faces are polygons that
//! meet edge to edge. A polygon is a polytope with two faces, a segment one with none.
//!
//! The signs are those of the *given* points; the vertices of the difference are rounded, so its triangles are coplanar and
//! convex only up to half a unit in the last place of each coordinate. The given triangles are not relied upon for shape:
//! points that were placed by a rounded pose are not exactly convex any more, so the polytopes are made anew as exact hulls
//! of their points.

use std::cmp::Ordering;

use glam::DVec3;

use crate::geom::hull::{HullMesh, MAX_COORDINATE, convex_hull};
use crate::geom::topology::{Csr, NONE, neighbours_of_edges};
use crate::math::double_double::two_diff;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::predicates::{
    Axis, ORIENT2D_BOUND, ORIENT3D_BOUND, Sign, TINY_PRODUCT, TINY_RESULT, orient2d, orient3d,
};
use crate::math::ring::{self, Ring};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// A convex polytope: its points and its surface. It may be flat, and points need not be corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polytope<'p> {
    /// At least one; finite, below [`MAX_COORDINATE`].
    pub points: &'p [DVec3],
    /// Counter-clockwise seen from outside. For a flat polytope one side or both.
    pub triangles: &'p [[u32; 3]],
    /// For each triangle whether it lies on the surface of the solid that the polytope is a piece of. The others are
    /// virtual: they close the piece.
    pub original: &'p [bool],
}

/// The translations `t` for which A and B + t meet, as a convex polytope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    /// Differences, point of A minus point of B, rounded.
    pub points: Vec<DVec3>,
    /// For each point the vertices of A and of B that made it, in the caller's numbering.
    pub from: Vec<[u32; 2]>,
    /// Counter-clockwise seen from outside; a closed surface. A flat sum has both sides, a segment or point none.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle whether it may lie on the boundary of the sum of the solids.
    ///
    /// A face is original if one of its two features is an original face, or if both have an edge with an original face
    /// on at least one side. What this means: let the pieces lie in their solids, and let the surfaces of the solids be
    /// covered by the original faces of the pieces. Then the boundary of the sum of the solids is covered by the original
    /// faces of the sums of pieces, so a search for it may leave out all others.
    ///
    /// Proof. But for finitely many lines, a translation `t = x - y` on the boundary has a face of a solid against a
    /// vertex, or two crossing edges. Say `x` lies inside a face of solid A. It is on an original face `f` of a piece C, and
    /// `y` in a piece D. As `t` is on the boundary of the sum of the solids it is on that of C and D, at the normal of `f`,
    /// the only one that C has at `x`: on a face of the sum one of whose features is `f`. Now let `x` and `y` lie inside
    /// edges. Again `x` is on an original face of a piece C; C is in the solid, which is a wedge there, so `x` is on
    /// the rim of that face, on an edge of C that has the face on one side; and so is `y`. The rest follows as the covered part
    /// is closed.
    pub original: Vec<bool>,
}

/// The Minkowski difference, by the way that is faster.
///
/// That is the expansion at every size. The two on random polytopes inscribed in a sphere, all faces original (half of them
/// virtual), in microseconds, with 4, 10, 20, 50, 100, 300 vertices each: hull 11 (11), 34 (41), 76 (120), 450 (740), 1660
/// (2720), 28000 (37000); expansion 9 (9), 37 (36), 79 (83), 260 (310), 640 (690), 2300 (2500). Two boxes along the axes: 19 and
/// 13; one turned: 38 and 29; both turned alike, so that edges are parallel but for rounding: 84 and 63. The paper found the hull
/// faster below 50 vertices.
pub(crate) fn minkowski(a: &Polytope, b: &Polytope) -> Sum {
    by_surface_expansion(a, b)
}

/// The hull of all differences of vertices: exactly that of the rounded differences.
pub(crate) fn by_vertex_sums(a: &Polytope, b: &Polytope) -> Sum {
    let mut differences = Vec::with_capacity(a.points.len() * b.points.len());
    for &p in a.points {
        differences.extend(b.points.iter().map(|&q| p - q));
    }
    // Differences may be twice as large as the coordinates that a hull may have. Halving changes no sign.
    let hull = if differences.iter().all(|p| p.abs().max_element() <= MAX_COORDINATE) {
        convex_hull(&differences)
    } else {
        convex_hull(&differences.iter().map(|&p| 0.5 * p).collect::<Vec<_>>())
    };
    // There is no hull of nothing, or of what is not finite.
    let Ok(hull) = hull else { return Sum::default() };
    let columns = b.points.len() as u32;
    let mut sum = Sum {
        points: hull.vertices.iter().map(|&v| differences[v as usize]).collect(),
        from: hull.vertices.iter().map(|&v| [v / columns, v % columns]).collect(),
        ..Sum::default()
    };
    let mut marks = Marks::new(a, b);
    for loop_ in hull.faces.iter() {
        let original = marks.original(&sum.points, loop_);
        sum.push(loop_, original);
        if hull.dimension == 2 {
            sum.push_back(loop_, original);
        }
    }
    sum
}

impl Sum {
    /// A face as a fan.
    fn push(&mut self, corners: &[u32], original: bool) {
        for k in 2..corners.len() {
            self.triangles.push([corners[0], corners[k - 1], corners[k]]);
            self.original.push(original);
        }
    }

    /// The other side of a flat sum: a fan from the next corner, so that no diagonal is used on both sides.
    fn push_back(&mut self, corners: &[u32], original: bool) {
        let mut back: Vec<u32> = corners.iter().rev().copied().collect();
        back.rotate_right(2);
        self.push(&back, original);
    }
}

/// Whether faces of the hull of differences are original, from their planes.
struct Marks<'m, 'p> {
    polytopes: [&'m Polytope<'p>; 2],
    /// Everything is original.
    all: bool,
    /// Bound on the rounding of a difference.
    rounding: f64,
    touched: [Vec<bool>; 2],
}

impl<'m, 'p> Marks<'m, 'p> {
    fn new(a: &'m Polytope<'p>, b: &'m Polytope<'p>) -> Self {
        let size: f64 = [a, b].iter().map(|body| largest(body.points)).sum();
        Marks {
            polytopes: [a, b],
            all: a.original.iter().chain(b.original).all(|&original| original),
            // Half an ulp of each coordinate, which is at most `UNIT_ROUNDOFF * size`; √3 < 2 of them in length.
            rounding: 2.0 * UNIT_ROUNDOFF * size,
            touched: [a, b].map(|body| vec![false; body.points.len()]),
        }
    }

    /// Whether a face of the hull is original, with the features taken as all vertices that are in its plane up to
    /// rounding. More of them than there are only make more faces original.
    fn original(&mut self, points: &[DVec3], corners: &[u32]) -> bool {
        if self.all {
            return true;
        }
        // The widest triangle of the fan has the best known plane.
        let at = |k: usize| points[corners[k] as usize];
        let (mut normal, mut width) = (DVec3::ZERO, 0.0);
        for k in 2..corners.len() {
            let (p, q) = (at(k - 1) - at(0), at(k) - at(0));
            let longest = p.length().max(q.length()).max((p - q).length());
            let cross = p.cross(q);
            let length = cross.length();
            if length > width * longest {
                (normal, width) = (cross / length, length / longest);
            }
        }
        if width == 0.0 {
            return true;
        }
        // The plane through three points that are off by `r` each is off by `r` times the sum of magnitudes of the
        // barycentric coordinates: for a point of the sum, at most `3 D / width` with D the diameter. The height of a
        // vertex is computed within a few `r` too: four times as much for all.
        let [a, b] = self.polytopes;
        let diameter: f64 = [a, b].iter().map(|body| extent(body.points)).sum();
        let slack = 4.0 * self.rounding * (1.0 + 3.0 * diameter / width);
        let mut face = [false; 2];
        let mut edge = [false; 2];
        for (k, (body, direction)) in [(a, normal), (b, -normal)].into_iter().enumerate() {
            let highest = body.points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            for (touched, p) in self.touched[k].iter_mut().zip(body.points) {
                *touched = highest - p.dot(direction) <= slack;
            }
            (face[k], edge[k]) = touched_originals(body, &self.touched[k]);
        }
        face[0] || face[1] || (edge[0] && edge[1])
    }
}

/// Whether an original triangle has all its corners among the vertices touched, and whether one has two. What has no
/// triangles has nothing virtual.
fn touched_originals(body: &Polytope, touched: &[bool]) -> (bool, bool) {
    if body.triangles.is_empty() {
        return (false, true);
    }
    let (mut face, mut edge) = (false, false);
    for (triangle, _) in body.triangles.iter().zip(body.original).filter(|(_, original)| **original) {
        let count = triangle.iter().filter(|&&v| touched[v as usize]).count();
        face |= count == 3;
        edge |= count >= 2;
    }
    (face, edge)
}

/// The largest magnitude of a coordinate.
fn largest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

/// The diagonal of the box around points: not less than their diameter.
fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    (high - low).length()
}

/// The difference by surface expansion; by the hull of differences where it is flat.
pub(crate) fn by_surface_expansion(a: &Polytope, b: &Polytope) -> Sum {
    expand(a, b).unwrap_or_else(|| by_vertex_sums(a, b))
}

/// The expansion; `None` where the sum is flat, and, as far as a proof in exact arithmetic can be trusted, nowhere else.
fn expand(a: &Polytope, b: &Polytope) -> Option<Sum> {
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
                return None; // A side that is used twice.
            }
            if !sides.contains(key(corners[next], corners[k])) {
                open.push([face.corners[k], face.corners[next]]);
            }
        }
        sum.push(&corners, expansion.original(&face));
        // The next side that has nothing beyond it yet.
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

/// One term of the sum: an exact polytope, with what lies around its vertices.
struct Term {
    points: Vec<DVec3>,
    /// The caller's number of each point.
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

/// Which faces of the hull lie on the surface of the solid: those with a given original triangle in them.
fn original_faces(of: &Polytope, given: &[DVec3], hull: &HullMesh) -> Vec<bool> {
    let count = hull.faces.len();
    if of.original.iter().all(|&original| original) || hull.dimension < 3 {
        return vec![of.original.is_empty() || of.original.iter().any(|&original| original); count];
    }
    let sorted = |mut triangle: [u32; 3]| {
        triangle.sort_unstable();
        triangle
    };
    let mut known: Vec<([u32; 3], bool)> =
        of.triangles.iter().zip(of.original).map(|(&triangle, &original)| (sorted(triangle), original)).collect();
    known.sort_unstable();
    let mut original = vec![false; count];
    let mut open = vec![false; count];
    for (triangle, &face) in hull.triangles.iter().zip(&hull.face_of_triangle) {
        let ids = sorted(triangle.map(|v| hull.vertices[v as usize]));
        match known.binary_search_by(|entry| entry.0.cmp(&ids)) {
            Ok(found) => original[face as usize] |= known[found].1,
            Err(_) => open[face as usize] = true,
        }
    }
    // Faces that are cut up otherwise than the given ones, or whose corners were moved by rounding: what is in their plane?
    // A triangle counts where moving all points by `r`, a few units of rounding, could put it there. With `e`, `f` two
    // sides of the face and `w` from it to a corner, moving points by `r` moves each of the three by `2r`, and their
    // determinant by `2r (|e||f| + |f||w| + |w||e|)` and terms of second order.
    let r = 8.0 * UNIT_ROUNDOFF * largest(given);
    for face in (0..count).filter(|&face| open[face]) {
        let outline = hull.faces.get(face);
        let corner = |k: usize| given[hull.vertices[outline[k] as usize] as usize];
        let base = corner(0);
        let (e, f) = (corner(1) - base, corner(outline.len() - 1) - base);
        let normal = e.cross(f);
        let (e, f) = (e.length(), f.length());
        let near = |&v: &u32| {
            let w = given[v as usize] - base;
            normal.dot(w).abs() <= 4.0 * r * (e * f + (e + f) * w.length())
        };
        let mut any = false;
        for (triangle, &mark) in of.triangles.iter().zip(of.original) {
            if triangle.iter().all(near) {
                any = true;
                original[face] |= mark;
            }
        }
        original[face] |= !any;
    }
    original
}

/// What a term of the sum contributes to a face.
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

    /// How many sides there are: an edge has two, there and back.
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

    /// The next side, if any is left.
    fn side(&self, term: &Term) -> Option<Span> {
        let k = self.start + self.taken;
        (self.taken < self.len()).then(|| term.span(self.corner(k), self.corner(k + 1)))
    }
}

struct Expansion<'t> {
    terms: &'t [Term; 2],
}

impl Expansion<'_> {
    /// A first face: that on a face of one of the terms. `None` if the sum is flat.
    fn first(&self, face: &mut Face) -> Option<()> {
        let one = (0..2).find(|&k| !self.terms[k].faces.is_empty())?;
        let (term, other) = (&self.terms[one], &self.terms[1 - one]);
        let outline = term.faces.get(0);
        let (e, f) = (term.span(outline[0], outline[1]), term.span(outline[0], outline[outline.len() - 1]));
        let height = |from: u32, to: u32| determinant(&e, &f, &other.span(from, to));
        let count = other.points.len() as u32;
        let highest = (1..count).fold(0, |best, v| if height(best, v).is_positive() { v } else { best });
        // A polygon has nothing above or below it; if the other has neither, the sum is flat.
        if term.faces.len() == 2 && (0..count).all(|v| height(highest, v).is_zero()) {
            return None;
        }
        let plane = Plane::of(&e, &f)?;
        let part = self.part_at(1 - one, highest, &plane, |v| height(highest, v).is_zero())?;
        // Where the outline of the other begins: at its side that turns least from the first side here.
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

    /// The face beyond a side of a known face.
    fn beyond(&self, [a, b]: [[u32; 2]; 2], face: &mut Face) -> Option<()> {
        // The new face is to the left of the side taken backwards.
        let moved = if a[0] != b[0] { 0 } else { 1 };
        let side = self.terms[moved].span(b[moved], a[moved]);
        // What the plane through the side, turned outwards from the new face, meets last, it meets first from the old one.
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
        let plane = Plane::of(&side, &best)?;
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

    /// The feature of a term that has a vertex and those of its neighbours that are touched, seen from outside `plane`.
    fn part_at(&self, term: usize, vertex: u32, plane: &Plane, touched: impl Fn(u32) -> bool) -> Option<Part> {
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

    /// The outline of a face: the outlines of its parts, from given corners, merged by direction. `side` is the direction
    /// of the first side, to which all angles are taken.
    fn merge(&self, face: &mut Face, from: [u32; 2], side: &Span, plane: &Plane) -> Option<()> {
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

    /// Whether an edge has an original face on one side.
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

    /// What rounding lost.
    fn rest(&self) -> DVec3 {
        let lost = |a: f64, b: f64| two_diff(a, b).1;
        let (a, b) = (self.to, self.from);
        DVec3::new(lost(a.x, b.x), lost(a.y, b.y), lost(a.z, b.z))
    }

    /// In another arithmetic.
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
    // Placed bodies have edges that are all but parallel: double-double settles most of them.
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

/// The plane of a face, for what is decided in it.
struct Plane {
    /// Along which the outward normal is not zero.
    axis: Axis,
    /// The sign of the normal along it.
    sign: Sign,
}

impl Plane {
    /// The plane whose outward normal is `u x v`.
    fn of(u: &Span, v: &Span) -> Option<Plane> {
        [Axis::Z, Axis::Y, Axis::X]
            .into_iter()
            .map(|axis| Plane { axis, sign: cross_component(axis, u, v) })
            .find(|plane| !plane.sign.is_zero())
    }

    /// Positive if `v` is to the left of `u`, seen from outside.
    fn turn(&self, u: &Span, v: &Span) -> Sign {
        let sign = cross_component(self.axis, u, v);
        if self.sign.is_positive() { sign } else { -sign }
    }

    /// Which of two directions in the plane comes first, counter-clockwise from the direction `from`, itself included.
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

/// A map from numbers to numbers: open addressing, and the same every time.
#[derive(Default)]
struct Table {
    /// Key and value; `FREE` where there is none.
    slots: Vec<(u64, u32)>,
    count: usize,
}

/// A key that no pair of vertices has.
const FREE: u64 = u64::MAX;

impl Table {
    /// Where a key is or would be.
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Multiplicative hashing (Knuth) by 2^64 over the golden ratio.
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].0 != key && self.slots[at].0 != FREE {
            at = (at + 1) & mask;
        }
        at
    }

    /// The value of a key, and whether it was put in now.
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use glam::{DQuat, EulerRot};

    use super::*;
    use crate::geom::topology::{closed_and_oriented, euler_characteristic};

    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn in_cube(&mut self) -> DVec3 {
            DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
        }

        fn on_sphere(&mut self) -> DVec3 {
            loop {
                let p = self.in_cube();
                if (0.01..1.0).contains(&p.length_squared()) {
                    return p.normalize();
                }
            }
        }

        fn turn(&mut self) -> DQuat {
            let angles = self.in_cube() * 3.0;
            DQuat::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z)
        }
    }

    #[derive(Clone)]
    struct Owned {
        points: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        original: Vec<bool>,
    }

    impl Owned {
        fn hull_of(points: Vec<DVec3>) -> Owned {
            let hull = convex_hull(&points).unwrap();
            let points = hull.vertices.iter().map(|&v| points[v as usize]).collect();
            let original = vec![true; hull.triangles.len()];
            Owned { points, triangles: hull.triangles, original }
        }

        fn cuboid(half: DVec3) -> Owned {
            let signs = (0..8).map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)));
            Owned::hull_of(signs.map(|s| (2.0 * s - 1.0) * half).collect())
        }

        fn sphere(random: &mut Random, count: usize) -> Owned {
            Owned::hull_of((0..count).map(|_| random.on_sphere()).collect())
        }

        /// The points rounded, the triangles as they were.
        fn placed(mut self, turn: DQuat, shift: DVec3) -> Owned {
            self.points.iter_mut().for_each(|p| *p = turn * *p + shift);
            self
        }

        fn view(&self) -> Polytope<'_> {
            Polytope { points: &self.points, triangles: &self.triangles, original: &self.original }
        }
    }

    fn support(points: &[DVec3], direction: DVec3) -> f64 {
        points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// All that a sum promises but for its marks.
    fn check(sum: &Sum, a: &Owned, b: &Owned) {
        assert_eq!(sum.points.len(), sum.from.len());
        assert_eq!(sum.triangles.len(), sum.original.len());
        for (point, &[i, j]) in sum.points.iter().zip(&sum.from) {
            assert_eq!(*point, a.points[i as usize] - b.points[j as usize]);
        }
        let size = largest(&a.points) + largest(&b.points);
        let rounding = 2.0 * UNIT_ROUNDOFF * size;
        let mut random = Random(99);
        for k in 0..60 {
            let direction = if k < 6 { DVec3::AXES[k / 2] * (1.0 - 2.0 * (k % 2) as f64) } else { random.on_sphere() };
            let expected = support(&a.points, direction) + support(&b.points, -direction);
            // Vertices are rounded once; each of three products and two sums of the three dot products, and their sum,
            // is off by a unit of a sum of magnitudes of at most √3 size.
            let off = (support(&sum.points, direction) - expected).abs();
            assert!(off <= rounding + 8.0 * 2.0 * UNIT_ROUNDOFF * size, "{off:e}");
        }
        if sum.triangles.is_empty() {
            return;
        }
        assert_eq!(closed_and_oriented(&sum.triangles), Ok(()));
        assert_eq!(euler_characteristic(&sum.triangles), 2);
        let used: BTreeSet<u32> = sum.triangles.iter().flatten().copied().collect();
        assert_eq!(used.len(), sum.points.len());
        let diameter = extent(&a.points) + extent(&b.points);
        for triangle in &sum.triangles {
            let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
            let normal = (q - p).cross(r - p);
            let longest = (q - p).length().max((r - p).length()).max((q - r).length());
            let width = normal.length() / longest;
            let above = support(&a.points, normal) + support(&b.points, -normal) - normal.dot(p);
            // As in `Marks::original`.
            let slack = 4.0 * rounding * (1.0 + 3.0 * diameter / width) * normal.length();
            assert!(above <= slack || normal.length() == 0.0, "{above:e} {slack:e}");
        }
    }

    fn volume(sum: &Sum) -> f64 {
        let Some(&base) = sum.points.first() else { return 0.0 };
        let six = sum.triangles.iter().map(|t| {
            let [p, q, r] = t.map(|v| sum.points[v as usize] - base);
            p.cross(q).dot(r)
        });
        six.sum::<f64>() / 6.0
    }

    /// Both ways, checked; they agree. Returns the expansion.
    fn both(a: &Owned, b: &Owned) -> Sum {
        let hull = by_vertex_sums(&a.view(), &b.view());
        let expanded = by_surface_expansion(&a.view(), &b.view());
        check(&hull, a, b);
        check(&expanded, a, b);
        let (v, w) = (volume(&hull), volume(&expanded));
        let size = extent(&a.points) + extent(&b.points) + largest(&a.points) + largest(&b.points);
        assert!((v - w).abs() <= 1e-13 * size * size * size, "{v} {w}");
        expanded
    }

    /// Which features made a triangle of a [`Sum`], as vertices in the caller's numbering.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Features {
        /// Three corners of a face of A against a vertex of B.
        FaceVertex([u32; 3], u32),
        /// A vertex of A against three corners of a face of B.
        VertexFace(u32, [u32; 3]),
        /// An edge of A (or a diagonal of a face) against one of B.
        EdgeEdge([u32; 2], [u32; 2]),
        /// Faces, or a face and an edge, that are parallel: for each corner of the triangle the vertices of A and B.
        Parallel([u32; 3], [u32; 3]),
    }

    impl Sum {
        /// The features that made a triangle.
        fn features(&self, triangle: usize) -> Features {
            let corners = self.triangles[triangle].map(|v| self.from[v as usize]);
            let a = corners.map(|corner| corner[0]);
            let b = corners.map(|corner| corner[1]);
            match (distinct(a), distinct(b)) {
                ((_, 3), (b, 1)) => Features::FaceVertex(a, b[0]),
                ((a, 1), (_, 3)) => Features::VertexFace(a[0], b),
                ((a, 2), (b, 2)) => Features::EdgeEdge([a[0], a[1]], [b[0], b[1]]),
                _ => Features::Parallel(a, b),
            }
        }
    }

    /// The distinct numbers first, ascending, and how many there are.
    fn distinct(mut of: [u32; 3]) -> ([u32; 3], usize) {
        of.sort_unstable();
        if of[0] == of[1] {
            of = [of[1], of[2], of[0]];
            return (of, if of[0] == of[1] { 1 } else { 2 });
        }
        (of, if of[1] == of[2] { 2 } else { 3 })
    }

    #[test]
    fn boxes_along_the_axes_make_a_box() {
        let (a, b) = (Owned::cuboid(DVec3::new(1.0, 2.0, 3.0)), Owned::cuboid(DVec3::new(0.5, 0.25, 2.0)));
        let b = b.placed(DQuat::IDENTITY, DVec3::new(4.0, 0.0, 1.0));
        let sum = both(&a, &b);
        assert!(expand(&a.view(), &b.view()).is_some());
        assert_eq!((sum.points.len(), sum.triangles.len()), (8, 12));
        assert_eq!(volume(&sum), 3.0 * 4.5 * 10.0);
        assert!((0..12).all(|t| matches!(sum.features(t), Features::Parallel(..))));
        assert_eq!(both(&a, &a).points.len(), 8);
    }

    #[test]
    fn boxes_turned() {
        let mut random = Random(5);
        for round in 0..200 {
            let a = Owned::cuboid(DVec3::new(1.0, 2.0, 3.0));
            let turn = match round % 4 {
                0 => DQuat::from_rotation_z(random.unit()),
                1 => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
                _ => random.turn(),
            };
            let b = Owned::cuboid(random.in_cube() + 1.5).placed(turn, random.in_cube());
            let a = if round % 2 == 0 { a } else { a.placed(turn, DVec3::ZERO) };
            assert!(expand(&a.view(), &b.view()).is_some(), "round {round}");
            both(&a, &b);
        }
    }

    #[test]
    fn random_polytopes_of_all_sizes_places_and_scales() {
        let mut random = Random(1);
        for round in 0..300 {
            let (n, m) = (4 + round % 17, 4 + round / 17);
            let scale = [1.0, 1e-6, 1e6, 1e-3][round % 4];
            let shift = random.in_cube() * [0.0, 3.0, 1e7][round % 3];
            let cloud =
                |random: &mut Random, count: usize| (0..count).map(|_| random.in_cube()).collect::<Vec<DVec3>>();
            let a = Owned::hull_of(cloud(&mut random, n));
            let mut b = Owned::hull_of(cloud(&mut random, m));
            b.points.iter_mut().for_each(|p| *p = *p * scale + shift);
            assert!(expand(&a.view(), &b.view()).is_some(), "round {round}");
            both(&a, &b);
        }
    }

    #[test]
    fn needles_of_aspect_a_million() {
        let mut random = Random(2);
        for _ in 0..60 {
            let stretch = DVec3::new(1e6, 1.0, 1e-3);
            let a = Owned::hull_of((0..12).map(|_| random.in_cube() * stretch).collect());
            let b = Owned::hull_of((0..9).map(|_| random.turn() * (random.in_cube() * stretch)).collect());
            assert!(expand(&a.view(), &b.view()).is_some());
            both(&a, &b);
        }
    }

    #[test]
    fn points_on_a_grid_with_all_coincidences() {
        let mut random = Random(3);
        let mut flat = 0;
        for round in 0..1500 {
            let size = 2.0 + (round % 3) as f64;
            let mut cloud = |count: usize| {
                let points =
                    (0..count).map(|_| (DVec3::new(random.unit(), random.unit(), random.unit()) * size).floor());
                Owned::hull_of(points.collect())
            };
            let (a, b) = (cloud(1 + round % 9), cloud(1 + round / 9 % 9));
            let sum = both(&a, &b);
            // Exact arithmetic on small integers: the two ways have the same corners.
            let corners =
                |sum: &Sum| sum.points.iter().map(|p| p.to_array().map(|x| x as i64)).collect::<BTreeSet<_>>();
            assert_eq!(corners(&sum), corners(&by_vertex_sums(&a.view(), &b.view())), "round {round}");
            if expand(&a.view(), &b.view()).is_none() {
                flat += 1;
                assert_eq!(volume(&sum), 0.0);
            } else {
                assert!(volume(&sum) > 0.0);
            }
        }
        assert!(flat > 100 && flat < 700, "{flat}");
    }

    #[test]
    fn flat_pieces() {
        let triangle = Owned::hull_of(vec![DVec3::ZERO, DVec3::X, DVec3::Y]);
        let segment = Owned::hull_of(vec![DVec3::ZERO, DVec3::Z]);
        let point = Owned::hull_of(vec![DVec3::new(1.0, 2.0, 3.0)]);
        let turned = triangle.clone().placed(DQuat::from_rotation_x(0.7), DVec3::ONE);
        let hexagon = both(&triangle, &triangle);
        assert_eq!((hexagon.points.len(), hexagon.triangles.len(), volume(&hexagon)), (6, 8, 0.0));
        assert!(hexagon.original.iter().all(|&original| original));
        let prism = both(&triangle, &segment);
        assert_eq!((prism.points.len(), prism.triangles.len(), volume(&prism)), (6, 8, 0.5));
        assert!(expand(&segment.view(), &triangle.view()).is_some());
        both(&triangle, &turned);
        assert!(expand(&triangle.view(), &turned.view()).is_some());
        assert_eq!(both(&triangle, &point).triangles.len(), 2);
        assert_eq!(both(&segment, &segment).points.len(), 2);
        assert_eq!(both(&point, &point).points, [DVec3::ZERO]);
        let sphere = Owned::sphere(&mut Random(4), 40);
        for flat in [&triangle, &segment, &point, &turned] {
            assert!(expand(&sphere.view(), &flat.view()).is_some() && expand(&flat.view(), &sphere.view()).is_some());
            both(&sphere, flat);
            both(flat, &sphere);
        }
        let empty = Polytope { points: &[], triangles: &[], original: &[] };
        assert_eq!(minkowski(&empty, &sphere.view()), Sum::default());
    }

    #[test]
    fn spheres_and_a_sphere_with_itself() {
        let mut random = Random(6);
        let (a, b) = (Owned::sphere(&mut random, 220), Owned::sphere(&mut random, 200));
        let sum = both(&a, &b.clone().placed(random.turn(), DVec3::X));
        assert!(sum.points.len() > 420);
        assert!(expand(&a.view(), &a.view()).is_some());
        both(&a, &a);
        let turned = a.clone().placed(random.turn(), DVec3::ONE);
        both(&turned, &turned);
        // Every edge is parallel to one of the other, every face to one.
        let opposite = Owned { points: a.points.iter().map(|&p| -p).collect(), ..a.clone() };
        assert_eq!(by_surface_expansion(&a.view(), &opposite.view()).points.len(), a.points.len());
        check(&by_surface_expansion(&a.view(), &opposite.view()), &a, &opposite);
    }

    #[test]
    fn swapping_mirrors() {
        let mut random = Random(7);
        let (a, b) = (Owned::sphere(&mut random, 30), Owned::cuboid(DVec3::ONE).placed(random.turn(), DVec3::X));
        for way in [by_vertex_sums, by_surface_expansion] {
            let bits = |p: &DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
            let there: BTreeSet<_> = way(&a.view(), &b.view()).points.iter().map(bits).collect();
            let back: BTreeSet<_> = way(&b.view(), &a.view()).points.iter().map(|&p| bits(&-p)).collect();
            assert_eq!(there, back);
        }
    }

    /// Which features make which faces, and whether they are original.
    fn faces(sum: &Sum) -> BTreeMap<(Vec<u32>, Vec<u32>), bool> {
        let sorted = |list: &[u32]| list.iter().copied().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
        (0..sum.triangles.len())
            .map(|t| {
                let (a, b) = match sum.features(t) {
                    Features::FaceVertex(a, b) => (sorted(&a), vec![b]),
                    Features::VertexFace(a, b) => (vec![a], sorted(&b)),
                    Features::EdgeEdge(a, b) => (sorted(&a), sorted(&b)),
                    Features::Parallel(a, b) => (sorted(&a), sorted(&b)),
                };
                ((a, b), sum.original[t])
            })
            .collect()
    }

    #[test]
    fn marks_follow_the_features() {
        let mut random = Random(8);
        for round in 0..200 {
            let mut solid = |count: usize| {
                let mut body = Owned::hull_of((0..count).map(|_| random.in_cube()).collect());
                body.original.iter_mut().for_each(|original| *original = random.unit() < 0.4);
                body
            };
            let (a, b) = (solid(4 + round % 7), solid(4 + round % 5));
            let has = |body: &Owned, corners: &[u32]| {
                body.triangles.iter().zip(&body.original).any(|(t, &o)| o && corners.iter().all(|v| t.contains(v)))
            };
            let (hull, expanded) = (by_vertex_sums(&a.view(), &b.view()), by_surface_expansion(&a.view(), &b.view()));
            assert_eq!(faces(&hull), faces(&expanded));
            for ((p, q), original) in faces(&expanded) {
                let expected = match (p.len(), q.len()) {
                    (3, 1) => has(&a, &p),
                    (1, 3) => has(&b, &q),
                    (2, 2) => has(&a, &p) && has(&b, &q),
                    other => panic!("points in general position: {other:?}"),
                };
                assert_eq!(original, expected, "round {round}");
            }
        }
    }

    #[test]
    fn marks_of_parallel_faces_and_of_placed_boxes() {
        // A box whose top alone is virtual.
        let mut lid = Owned::cuboid(DVec3::ONE);
        for (triangle, original) in lid.triangles.iter().zip(&mut lid.original) {
            *original = triangle.iter().any(|&v| lid.points[v as usize].z < 0.0);
        }
        assert_eq!(lid.original.iter().filter(|&&original| !original).count(), 2);
        let mut random = Random(9);
        for round in 0..50 {
            let (turn, shift) =
                if round == 0 { (DQuat::IDENTITY, DVec3::ZERO) } else { (random.turn(), random.in_cube()) };
            let placed = lid.clone().placed(turn, shift);
            let other = Owned::sphere(&mut random, 12);
            let up = turn * DVec3::Z;
            for way in [by_vertex_sums, by_surface_expansion] {
                let sum = way(&placed.view(), &other.view());
                for (triangle, &original) in sum.triangles.iter().zip(&sum.original) {
                    let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
                    let normal = (q - p).cross(r - p);
                    // Slivers that rounding makes have any normal, and are original.
                    if normal.length() > 1e-6 {
                        assert_eq!(original, normal.normalize().dot(up) < 1.0 - 1e-9, "round {round}");
                    }
                }
            }
        }
        // Against a parallel face that is original, the virtual top may be on the boundary; against one that is not, not.
        for way in [by_vertex_sums, by_surface_expansion] {
            let top = |sum: &Sum| {
                let high = |t: &[u32; 3]| t.iter().all(|&v| sum.points[v as usize].z == 2.0);
                sum.triangles.iter().zip(&sum.original).filter(|(t, _)| high(t)).map(|(_, &o)| o).collect::<Vec<_>>()
            };
            assert_eq!(top(&way(&lid.view(), &Owned::cuboid(DVec3::ONE).view())), [true; 2]);
            let upside_down = lid.clone().placed(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), DVec3::ZERO);
            let sum = way(&lid.view(), &upside_down.view());
            // Edges of both tops have original sides, so edge against edge is original there.
            assert_eq!(top(&sum), [true; 2]);
            let bare = Owned { original: vec![false; 12], ..upside_down };
            assert_eq!(top(&way(&lid.view(), &bare.view())), [false; 2]);
        }
    }
}
