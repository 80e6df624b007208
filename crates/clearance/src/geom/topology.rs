//! Connectivity of a list of triangles: twins, neighbours, defects, components.
//!
//! Everything works on bare `&[[u32; 3]]`. Half-edge `3 * t + i` runs from corner `i` to corner `(i + 1) % 3` of
//! triangle `t`. All maps come from one sort of the half-edges by (low vertex, high vertex, half-edge): a counting sort
//! on the low vertex where the indices are dense, a comparison sort otherwise. No hashing, so results depend on the
//! input alone. The examples use the closed surface of a tetrahedron.

use crate::math::cancel::Turns;

/// No half-edge: the twin of a half-edge that has none.
pub const NONE: u32 = u32::MAX;

/// Many short lists in two allocations (compressed sparse rows).
///
/// ```
/// use clearance::shape::topology::Csr;
/// let lists = Csr::from_lists([vec![3, 1], vec![], vec![7]]);
/// assert_eq!(lists.len(), 3);
/// assert_eq!(lists.get(0), [3, 1]);
/// assert_eq!(lists.iter().map(<[u32]>::len).sum::<usize>(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    /// List `i` is `indices[offsets[i]..offsets[i + 1]]`; one entry more than there are lists.
    offsets: Vec<u32>,
    indices: Vec<u32>,
}

impl Default for Csr {
    fn default() -> Self {
        Csr { offsets: vec![0], indices: Vec::new() }
    }
}

impl Csr {
    /// Collects lists, with fewer than 2^32 entries in all.
    ///
    /// ```
    /// assert!(clearance::shape::topology::Csr::from_lists::<[u32; 0]>([]).is_empty());
    /// ```
    #[must_use]
    pub fn from_lists<L: AsRef<[u32]>>(lists: impl IntoIterator<Item = L>) -> Self {
        let mut csr = Csr::default();
        for list in lists {
            csr.push(list.as_ref());
        }
        csr
    }

    /// Appends a list.
    ///
    /// ```
    /// let mut lists = clearance::shape::topology::Csr::default();
    /// lists.push(&[4, 5]);
    /// assert_eq!(lists.get(0), [4, 5]);
    /// ```
    pub fn push(&mut self, list: &[u32]) {
        self.indices.extend_from_slice(list);
        self.offsets.push(self.indices.len() as u32);
    }

    /// Number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// List `i`; empty if there is no such list.
    #[must_use]
    pub fn get(&self, i: usize) -> &[u32] {
        match self.offsets.get(i..i.saturating_add(2)) {
            Some(&[start, end]) => &self.indices[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The lists in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.offsets.windows(2).map(|range| &self.indices[range[0] as usize..range[1] as usize])
    }

    /// All entries, list after list.
    #[must_use]
    pub fn entries(&self) -> &[u32] {
        &self.indices
    }
}

/// Start and end vertex of half-edge `3 * t + i`, which must be a side of one of the triangles (else this panics, as
/// indexing does).
///
/// ```
/// assert_eq!(clearance::shape::topology::half_edge(&[[4, 5, 6]], 2), [6, 4]);
/// ```
#[inline]
#[must_use]
pub fn half_edge(triangles: &[[u32; 3]], half_edge: u32) -> [u32; 2] {
    let triangle = triangles[half_edge as usize / 3];
    let i = half_edge as usize % 3;
    [triangle[i], triangle[(i + 1) % 3]]
}

/// What keeps an edge from joining exactly two triangles that agree on their winding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefectKind {
    /// Only one triangle uses the edge: the surface has a rim here.
    Boundary,
    /// Two triangles use the edge in the same direction: one of them has the wrong winding.
    Flipped,
    /// Three or more triangles use the edge.
    NonManifold,
    /// Both ends are the same vertex: a triangle uses a vertex twice.
    Degenerate,
}

/// An edge that keeps a surface from being closed and consistently wound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeDefect {
    /// The vertices, lower first.
    pub edge: [u32; 2],
    /// What is wrong.
    pub kind: DefectKind,
    /// The lowest-numbered triangle that uses the edge.
    pub triangle: u32,
    /// How many triangle sides use the edge.
    pub uses: u32,
}

/// The edges of a triangle list and how they connect its triangles.
///
/// ```
/// use clearance::shape::topology::EdgeMap;
/// let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// let map = EdgeMap::new(&tetrahedron);
/// assert_eq!(map.edges.len(), 6);
/// assert!(map.defects.is_empty()); // closed and consistently wound
/// assert_eq!(map.twin[0], 3 * 3); // side 0 -> 2 of triangle 0 is side 2 -> 0 of triangle 3
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeMap {
    /// The half-edge on the other side, for edges used exactly twice, in opposite directions; else [`NONE`].
    pub twin: Vec<u32>,
    /// Every edge once, as (low, high), sorted. Includes `[v, v]` if a triangle uses `v` twice.
    pub edges: Vec<[u32; 2]>,
    /// The edges at which the surface is not closed or not consistently wound, in the order of `edges`.
    pub defects: Vec<EdgeDefect>,
}

impl EdgeMap {
    /// Sorts the sides of the triangles; linear for dense vertex numbers. For fewer than 2^32 / 3 triangles.
    ///
    /// ```
    /// use clearance::shape::topology::{DefectKind, EdgeMap};
    /// let map = EdgeMap::new(&[[0, 1, 2], [1, 2, 3]]);
    /// assert_eq!(map.defects.iter().filter(|defect| defect.kind == DefectKind::Boundary).count(), 4);
    /// let flipped = map.defects.iter().find(|defect| defect.kind == DefectKind::Flipped).unwrap();
    /// assert_eq!(flipped.edge, [1, 2]);
    /// ```
    #[must_use]
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let sides = sorted_half_edges(triangles);
        let mut map = EdgeMap {
            twin: vec![NONE; 3 * triangles.len()],
            edges: Vec::with_capacity(sides.len() / 2),
            defects: Vec::new(),
        };
        let mut turns = Turns::default();
        for uses in sides.chunk_by(|a, b| a.0 == b.0) {
            turns.turn();
            let edge = unpack(uses[0].0);
            map.edges.push(edge);
            let kind = match *uses {
                _ if edge[0] == edge[1] => DefectKind::Degenerate,
                [_] => DefectKind::Boundary,
                [(_, g), (_, h)] if half_edge(triangles, g) != half_edge(triangles, h) => {
                    map.twin[g as usize] = h;
                    map.twin[h as usize] = g;
                    continue;
                }
                [_, _] => DefectKind::Flipped,
                _ => DefectKind::NonManifold,
            };
            map.defects.push(EdgeDefect { edge, kind, triangle: uses[0].1 / 3, uses: uses.len() as u32 });
        }
        map
    }
}

pub(crate) fn pack(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

pub(crate) fn unpack(key: u64) -> [u32; 2] {
    [(key >> 32) as u32, key as u32]
}

/// Every half-edge as (low and high vertex packed, half-edge), sorted.
pub(crate) fn sorted_half_edges(triangles: &[[u32; 3]]) -> Vec<(u64, u32)> {
    let sides = |t: usize| {
        let [a, b, c] = triangles[t];
        let first = 3 * t as u32;
        [(pack(a, b), first), (pack(b, c), first + 1), (pack(c, a), first + 2)]
    };
    let largest = triangles.iter().flatten().copied().max().unwrap_or(0) as usize;
    if largest >= 6 * triangles.len() {
        let mut sorted: Vec<_> = (0..triangles.len()).flat_map(sides).collect();
        sorted.sort_unstable();
        return sorted;
    }
    // Counting sort on the low vertex, then each vertex's few edges.
    let mut start = vec![0u32; largest + 2];
    let mut turns = Turns::default();
    for (key, _) in (0..triangles.len()).flat_map(sides) {
        turns.turn();
        start[(key >> 32) as usize + 1] += 1;
    }
    for i in 1..start.len() {
        start[i] += start[i - 1];
    }
    let mut cursor = start.clone();
    let mut sorted = vec![(0u64, 0u32); 3 * triangles.len()];
    for side in (0..triangles.len()).flat_map(sides) {
        turns.turn();
        let slot = &mut cursor[(side.0 >> 32) as usize];
        sorted[*slot as usize] = side;
        *slot += 1;
    }
    for range in start.windows(2) {
        turns.turn();
        sorted[range[0] as usize..range[1] as usize].sort_unstable();
    }
    sorted
}

/// Whether the surface is closed and consistently wound: every edge joins exactly two triangles, in opposite
/// directions. If not, the defective edges.
///
/// ```
/// use clearance::shape::topology::closed_and_oriented;
/// let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// assert!(closed_and_oriented(&tetrahedron).is_ok());
/// assert_eq!(closed_and_oriented(&tetrahedron[1..]).unwrap_err().len(), 3); // without its floor
/// ```
pub fn closed_and_oriented(triangles: &[[u32; 3]]) -> Result<(), Vec<EdgeDefect>> {
    let defects = EdgeMap::new(triangles).defects;
    if defects.is_empty() { Ok(()) } else { Err(defects) }
}

/// A triangle that refers to a vertex outside the vertex list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexOutOfRange {
    /// The first such triangle.
    pub triangle: usize,
}

impl std::fmt::Display for VertexOutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "triangle {} refers to a vertex outside the vertex list", self.triangle)
    }
}

impl std::error::Error for VertexOutOfRange {}

/// For each vertex the vertices it shares an edge with, ascending, each once.
///
/// ```
/// use clearance::shape::topology::vertex_neighbours;
/// let neighbours = vertex_neighbours(5, &[[0, 1, 2], [2, 1, 3]]).unwrap();
/// assert_eq!(neighbours.get(1), [0, 2, 3]);
/// assert!(neighbours.get(4).is_empty()); // in no triangle
/// ```
pub fn vertex_neighbours(vertex_count: usize, triangles: &[[u32; 3]]) -> Result<Csr, VertexOutOfRange> {
    if let Some(triangle) = triangles.iter().position(|t| t.iter().any(|&v| v as usize >= vertex_count)) {
        return Err(VertexOutOfRange { triangle });
    }
    Ok(neighbours_of_edges(vertex_count, &EdgeMap::new(triangles).edges))
}

/// For each vertex the vertices it shares an edge with, from a sorted list of distinct edges (low, high), such as
/// [`EdgeMap::edges`] or a hull's edges. Edges with a vertex outside the list, or with twice the same vertex, are
/// skipped.
///
/// ```
/// use clearance::shape::topology::neighbours_of_edges;
/// let path = neighbours_of_edges(3, &[[0, 1], [1, 2]]);
/// assert_eq!(path.get(1), [0, 2]);
/// ```
#[must_use]
pub fn neighbours_of_edges(vertex_count: usize, edges: &[[u32; 2]]) -> Csr {
    let valid = || edges.iter().filter(|[a, b]| a != b && (*a.max(b) as usize) < vertex_count);
    let mut offsets = vec![0u32; vertex_count + 1];
    for edge in valid() {
        for &v in edge {
            offsets[v as usize + 1] += 1;
        }
    }
    for i in 0..vertex_count {
        offsets[i + 1] += offsets[i];
    }
    // In sorted order every vertex meets its lower neighbours before its higher ones, each group ascending.
    let mut cursor = offsets.clone();
    let mut indices = vec![0u32; offsets[vertex_count] as usize];
    let mut add = |v: u32, neighbour: u32| {
        indices[cursor[v as usize] as usize] = neighbour;
        cursor[v as usize] += 1;
    };
    for &[a, b] in valid() {
        add(a, b);
        add(b, a);
    }
    Csr { offsets, indices }
}

/// Vertices minus edges plus triangles, counting only vertices in use: 2 for a sphere, 0 for a torus, 1 for a disc;
/// summed over components.
///
/// ```
/// use clearance::shape::topology::euler_characteristic;
/// assert_eq!(euler_characteristic(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]), 2);
/// ```
#[must_use]
pub fn euler_characteristic(triangles: &[[u32; 3]]) -> i64 {
    let edges = EdgeMap::new(triangles).edges;
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices.len() as i64 - edges.len() as i64 + triangles.len() as i64
}

/// What joins two triangles into one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// A common edge, whatever its direction and however many triangles share it.
    Edges,
    /// A common vertex.
    Vertices,
}

/// The connected components of a triangle list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Component of each triangle; components are numbered by their first triangle.
    pub of_triangle: Vec<u32>,
    /// Number of components.
    pub count: u32,
}

/// Finds the connected components.
///
/// ```
/// use clearance::shape::topology::{Through, components};
/// let bow_tie = [[0, 1, 2], [2, 3, 4]];
/// assert_eq!(components(&bow_tie, Through::Edges).of_triangle, [0, 1]);
/// assert_eq!(components(&bow_tie, Through::Vertices).count, 1);
/// ```
#[must_use]
pub fn components(triangles: &[[u32; 3]], through: Through) -> Components {
    let mut parent: Vec<u32> = (0..triangles.len() as u32).collect();
    match through {
        Through::Edges => {
            for pair in sorted_half_edges(triangles).windows(2) {
                if pair[0].0 == pair[1].0 {
                    join(&mut parent, pair[0].1 / 3, pair[1].1 / 3);
                }
            }
        }
        Through::Vertices => {
            let corner = |(t, triangle): (usize, &[u32; 3])| triangle.map(|v| u64::from(v) << 32 | t as u64);
            let mut corners: Vec<u64> = triangles.iter().enumerate().flat_map(corner).collect();
            corners.sort_unstable();
            for pair in corners.windows(2) {
                if pair[0] >> 32 == pair[1] >> 32 {
                    join(&mut parent, pair[0] as u32, pair[1] as u32);
                }
            }
        }
    }
    let mut components = Components { of_triangle: vec![0; triangles.len()], count: 0 };
    for t in 0..triangles.len() {
        let root = find(&mut parent, t as u32) as usize;
        // The root is the lowest triangle of its component, so it is numbered first.
        if root == t {
            components.of_triangle[t] = components.count;
            components.count += 1;
        } else {
            components.of_triangle[t] = components.of_triangle[root];
        }
    }
    components
}

/// The vertices at which a surface touches itself in a point: their triangles form several fans that no edge at the
/// vertex joins. Ascending.
///
/// ```
/// use clearance::shape::topology::pinched_vertices;
/// assert_eq!(pinched_vertices(&[[0, 1, 2], [2, 3, 4]]), [2]); // a bow tie
/// assert!(pinched_vertices(&[[0, 1, 2], [2, 1, 3]]).is_empty());
/// ```
#[must_use]
pub fn pinched_vertices(triangles: &[[u32; 3]]) -> Vec<u32> {
    // Corners, named as the half-edges that start there, are connected where triangles share an edge.
    let mut parent: Vec<u32> = (0..3 * triangles.len() as u32).collect();
    let next = |h: u32| if h % 3 == 2 { h - 2 } else { h + 1 };
    let start = |h: u32| triangles[h as usize / 3][h as usize % 3];
    for uses in sorted_half_edges(triangles).chunk_by(|a, b| a.0 == b.0) {
        let (edge, first) = (unpack(uses[0].0), uses[0].1);
        if edge[0] == edge[1] {
            join(&mut parent, first, next(first));
        }
        for &(_, h) in &uses[1..] {
            let (mut own, mut other) = (h, next(h));
            if start(own) != start(first) {
                std::mem::swap(&mut own, &mut other);
            }
            join(&mut parent, first, own);
            join(&mut parent, next(first), other);
        }
    }
    let mut fans: Vec<u32> = (0..parent.len() as u32).filter(|&h| find(&mut parent, h) == h).map(start).collect();
    fans.sort_unstable();
    let mut pinched: Vec<u32> = fans.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    pinched.dedup();
    pinched
}

/// The lowest item of an item's group. Groups are trees of parents; initially each item is its own parent.
pub(crate) fn find(parent: &mut [u32], mut item: u32) -> u32 {
    while parent[item as usize] != item {
        let above = parent[parent[item as usize] as usize];
        parent[item as usize] = above;
        item = above;
    }
    item
}

/// Merges the groups of two items.
pub(crate) fn join(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// A torus of `m` by `n` squares, each split in two.
    fn torus(m: u32, n: u32) -> Vec<[u32; 3]> {
        let vertex = |i: u32, j: u32| (i % m) * n + j % n;
        let quads = (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
        quads
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect()
    }

    #[test]
    fn a_torus_is_closed_and_has_a_hole() {
        let torus = torus(7, 5);
        assert_eq!(closed_and_oriented(&torus), Ok(()));
        assert_eq!(euler_characteristic(&torus), 0);
        assert_eq!(components(&torus, Through::Edges).count, 1);
        let neighbours = vertex_neighbours(35, &torus).unwrap();
        assert!(neighbours.iter().all(|list| list.len() == 6));
    }

    #[test]
    fn each_kind_of_defect_is_reported() {
        let kinds = |triangles: &[[u32; 3]]| -> Vec<_> {
            EdgeMap::new(triangles).defects.iter().map(|defect| (defect.edge, defect.kind, defect.uses)).collect()
        };
        use DefectKind::*;
        let boundary = |edge| (edge, Boundary, 1);
        assert_eq!(kinds(&[[0, 1, 2]]), [[0, 1], [0, 2], [1, 2]].map(boundary));
        assert!(kinds(&[[0, 1, 2], [0, 1, 3]]).contains(&([0, 1], Flipped, 2)));
        assert!(kinds(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]).contains(&([0, 1], NonManifold, 3)));
        assert!(kinds(&[[0, 0, 1]]).contains(&([0, 0], Degenerate, 1)));
        assert!(kinds(&[[7, 7, 7]]).contains(&([7, 7], Degenerate, 3)));
        assert!(kinds(&[]).is_empty());
    }

    #[test]
    fn sparse_and_dense_numbering_agree() {
        let dense = torus(4, 6);
        let spread = |v: u32| v * 150_000_000 + 7;
        let sparse: Vec<_> = dense.iter().map(|t| t.map(spread)).collect();
        let (dense, sparse) = (EdgeMap::new(&dense), EdgeMap::new(&sparse));
        assert_eq!(dense.twin, sparse.twin);
        assert_eq!(dense.edges.iter().map(|e| e.map(spread)).collect::<Vec<_>>(), sparse.edges);
    }

    #[test]
    fn indices_out_of_range_are_rejected_or_harmless() {
        assert_eq!(vertex_neighbours(2, &[[0, 1, 1], [0, 1, 2]]), Err(VertexOutOfRange { triangle: 1 }));
        assert_eq!(euler_characteristic(&[[0, 1, u32::MAX]]), 1);
        assert_eq!(neighbours_of_edges(2, &[[0, 1], [1, 9]]).get(1), [0]);
        assert_eq!(Csr::default().get(usize::MAX), [0u32; 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn agrees_with_the_plain_definition(triangles in prop::collection::vec(prop::array::uniform3(0u32..9), 0..20)) {
            let mut uses: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
            for h in 0..3 * triangles.len() as u32 {
                let [a, b] = half_edge(&triangles, h);
                uses.entry([a.min(b), a.max(b)]).or_default().push(h);
            }
            let map = EdgeMap::new(&triangles);
            prop_assert_eq!(&map.edges, &uses.keys().copied().collect::<Vec<_>>());
            for (edge, list) in &uses {
                let good = list.len() == 2 && edge[0] != edge[1]
                    && half_edge(&triangles, list[0]) != half_edge(&triangles, list[1]);
                prop_assert_eq!(good, !map.defects.iter().any(|defect| defect.edge == *edge));
                for &h in list {
                    let twin = if good { list[0] + list[1] - h } else { NONE };
                    prop_assert_eq!(map.twin[h as usize], twin);
                }
            }
            let neighbours = vertex_neighbours(9, &triangles).unwrap();
            for v in 0..9u32 {
                let around = triangles.iter().filter(|t| t.contains(&v));
                let expected: BTreeSet<u32> = around.flatten().copied().filter(|&w| w != v).collect();
                prop_assert_eq!(neighbours.get(v as usize), expected.into_iter().collect::<Vec<_>>());
            }
            let mut pinched = Vec::new();
            for v in 0..9u32 {
                // Fans grow by triangles that share the vertex and another one with a member. A triangle that uses the
                // vertex twice shares the edge from it to itself with others of its kind.
                let around: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| t.contains(&v)).collect();
                let twice = |t: &[u32; 3]| t.iter().filter(|&&w| w == v).count() > 1;
                let joined = |s: &[u32; 3], t: &[u32; 3]| {
                    s.iter().any(|w| *w != v && t.contains(w)) || (twice(s) && twice(t))
                };
                let mut reached = vec![false; around.len()];
                let mut fans = 0;
                for first in 0..around.len() {
                    if !reached[first] {
                        fans += 1;
                        let mut open = vec![first];
                        while let Some(i) = open.pop() {
                            if !std::mem::replace(&mut reached[i], true) {
                                open.extend((0..around.len()).filter(|&j| joined(&around[i], &around[j])));
                            }
                        }
                    }
                }
                if fans > 1 {
                    pinched.push(v);
                }
            }
            prop_assert_eq!(pinched_vertices(&triangles), pinched);
            for through in [Through::Edges, Through::Vertices] {
                let found = components(&triangles, through);
                // Spread the lowest label until nothing changes.
                let shared = |s: &[u32; 3], t: &[u32; 3]| match through {
                    Through::Vertices => s.iter().any(|v| t.contains(v)),
                    Through::Edges => (0..3).any(|i| (0..3).any(|j| {
                        let (mut e, mut f) = ([s[i], s[(i + 1) % 3]], [t[j], t[(j + 1) % 3]]);
                        e.sort_unstable();
                        f.sort_unstable();
                        e == f
                    })),
                };
                let mut label: Vec<usize> = (0..triangles.len()).collect();
                for _ in 0..triangles.len() {
                    for i in 0..label.len() {
                        for j in 0..label.len() {
                            if shared(&triangles[i], &triangles[j]) {
                                label[i] = label[i].min(label[j]);
                            }
                        }
                    }
                }
                for i in 0..label.len() {
                    for j in 0..label.len() {
                        prop_assert_eq!(label[i] == label[j], found.of_triangle[i] == found.of_triangle[j]);
                    }
                }
                prop_assert_eq!(found.count as usize, label.iter().collect::<BTreeSet<_>>().len());
            }
        }
    }
}
