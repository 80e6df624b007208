//! The bucket tree: a full octree into whose leaves, the buckets, tetrahedra are mapped anew in every frame.
//!
//! Erleben and Sporring, *Collision Detection of Deformable Volumetric Meshes* (2004), after Ganovelli, Dingliana and
//! O'Sullivan, *BucketTree* (2000):
//! 1. The level rule: with `r` the radius of a ball of the mean volume, buckets of the deepest level have an edge of at
//!    least `n` times `2 r`.
//! 2. Each point is mapped to the bucket that contains it, by a multiplication or by coordinate sorting; a tetrahedron
//!    goes into all buckets between the lowest and the highest of its corners along each axis.
//! 3. Non-empty buckets get a time stamp and a flag if there is surface in them, and hand both up to the root.
//! 4. Two trees are descended together, wherever stamps are new, one of two nodes has surface and boxes overlap; what
//!    two buckets hold is tested. Within a tree a tetrahedron is tested against those that are in its bucket already.
//!
//! Departures:
//! - points are mapped, not the ends of boxes: there are several times fewer, and the bucket of an end is that of a
//!   corner;
//! - both mappings compare coordinates with one list of limits, and so give the same buckets: that of `x` is the last
//!   whose limit is not above `x`. Limits of a coarser level are limits of a finer one, to the bit;
//! - the root is a cube over the low corner of the mesh with its longest edge, in each frame: a root as flat as the
//!   mesh would have flat buckets, and a bar would fill as many of them across as along;
//! - of two meshes only the tetrahedra that reach into the box that both share are mapped, and that box is the root of
//!   both trees: buckets of both are then the same or lie in each other, and each overlaps few;
//! - a pair is tested in one place, where the low corner of the intersection of both boxes lies, so nothing has to be
//!   remembered to report it once;
//! - of two tetrahedra the faces of each are tested against the other, whichever was added first;
//! - tetrahedra with surface are added first: two without need no test, and stand at the end of their buckets;
//! - buckets lie one behind the other in one list, filled after counting;
//! - where a few large tetrahedra would fill many small buckets, levels are left out until all of them fill at most
//!   [`ENTRIES`] buckets each on average, which bounds the memory;
//! - beyond seven levels, nodes are found by a hash table instead of by their place.

use std::ops::Range;

use glam::DVec3;

use super::tet_mesh::TetMesh;
use crate::answer::tets::BucketMapping;
use crate::bound::Aabb;

/// How many buckets a tetrahedron may fill on average.
const ENTRIES: u64 = 32;

/// The exponent of the most buckets along an edge: cells are numbered in 16 bits. 17 levels.
const MOST_LEAF: u32 = 16;

/// The exponent of the most buckets along an edge for which all nodes are stored: seven levels, 300,000 nodes.
const DENSE_LEAF: u32 = 6;

/// How many moves a point may take in a list that is nearly sorted, on average, before it is sorted from scratch.
const MOVES: usize = 16;

/// The number of a node along each axis, on its level.
type Cell = [u16; 3];

/// A tree over the tetrahedra of one mesh.
#[derive(Debug)]
pub(super) struct BucketTree {
    /// The least edge of a bucket, by the level rule.
    least: f64,
    /// The box that the root encloses in this frame.
    root: Aabb,
    /// The exponent of the number of buckets along an edge in this frame.
    leaf: u32,
    /// The stamp of this frame.
    now: u32,
    /// Along each axis the limits of the buckets, one more than there are buckets.
    limits: [Vec<f64>; 3],
    /// Along each axis the points in ascending order, where they were sorted.
    order: [Vec<u32>; 3],
    /// The bucket of each point.
    cells: Vec<[u16; 4]>,
    /// The box of each tetrahedron.
    boxes: Vec<[DVec3; 2]>,
    /// Those of the tetrahedra with surface, by their place in `surface_tets`.
    surface_boxes: Vec<[DVec3; 2]>,
    /// The tetrahedra that are mapped: those with surface, by their place in `surface_tets`, and others.
    surface: Vec<u32>,
    inner: Vec<u32>,
    nodes: Nodes,
    /// The buckets that are not empty.
    buckets: Vec<Bucket>,
    /// What they hold, bucket by bucket: first tetrahedra with surface, by their place in `surface_tets`, then others.
    entries: Vec<u32>,
}

/// What a tetrahedron that is added sees of the tree.
#[derive(Clone, Copy)]
struct Shared<'t> {
    limits: &'t [Vec<f64>; 3],
    boxes: &'t [[DVec3; 2]],
    surface_boxes: &'t [[DVec3; 2]],
}

/// A bucket that is not empty.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    cell: Cell,
    /// Its first entry, how many there are, and how many of them have surface.
    start: u32,
    count: u32,
    surface: u32,
}

/// A node of the octree.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The frame in which something was last below it.
    stamp: u32,
    /// Whether that had surface.
    surface: bool,
    /// Of a bucket: its place.
    bucket: u32,
}

/// The nodes of all levels.
#[derive(Debug, Default)]
struct Nodes {
    list: Vec<Node>,
    /// Where nodes stand, if not all are stored.
    places: Option<Places>,
}

/// A hash table with open addressing from nodes to their places.
#[derive(Debug, Default)]
struct Places {
    /// Key and place; the key is [`Places::EMPTY`] where there is none.
    slots: Vec<(u64, u32)>,
}

impl Places {
    const EMPTY: u64 = u64::MAX;

    fn key(level: u32, [x, y, z]: Cell) -> u64 {
        u64::from(level) << 48 | u64::from(z) << 32 | u64::from(y) << 16 | u64::from(x)
    }

    /// The slot of a key, or the empty one where it belongs. There must be slots, not all of them taken.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Fibonacci hashing: the upper bits of the product are mixed best.
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & mask;
        while self.slots[slot].0 != key && self.slots[slot].0 != Places::EMPTY {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

impl Nodes {
    /// The number of nodes above a level.
    fn above(level: u32) -> usize {
        ((1usize << (3 * level)) - 1) / 7
    }

    /// Makes room for a tree with so many buckets along an edge, as an exponent.
    fn prepare(&mut self, leaf: u32, buckets_before: usize) {
        if leaf <= DENSE_LEAF {
            self.places = None;
            self.list.resize(Nodes::above(leaf + 1), Node::default());
            return;
        }
        // Nodes of earlier frames stay until there are several times as many as one frame needs.
        if self.places.is_none() || self.list.len() > 8 * buckets_before + 1024 {
            self.list.clear();
            self.places = Some(Places { slots: vec![(Places::EMPTY, 0); 1024] });
        }
    }

    fn dense(level: u32, [x, y, z]: Cell) -> usize {
        Nodes::above(level) + (usize::from(x) | usize::from(y) << level | usize::from(z) << (2 * level))
    }

    fn find(&self, level: u32, cell: Cell) -> Option<&Node> {
        match &self.places {
            None => self.list.get(Nodes::dense(level, cell)),
            Some(places) => {
                let (key, place) = places.slots[places.slot(Places::key(level, cell))];
                (key != Places::EMPTY).then(|| &self.list[place as usize])
            }
        }
    }

    #[inline]
    fn find_or_add(&mut self, level: u32, cell: Cell) -> &mut Node {
        let Some(places) = &mut self.places else {
            return &mut self.list[Nodes::dense(level, cell)];
        };
        let key = Places::key(level, cell);
        let mut slot = places.slot(key);
        if places.slots[slot].0 == Places::EMPTY {
            if 2 * self.list.len() >= places.slots.len() {
                let larger = vec![(Places::EMPTY, 0); 2 * places.slots.len()];
                for kept in std::mem::replace(&mut places.slots, larger) {
                    if kept.0 != Places::EMPTY {
                        let slot = places.slot(kept.0);
                        places.slots[slot] = kept;
                    }
                }
                slot = places.slot(key);
            }
            places.slots[slot] = (key, self.list.len() as u32);
            self.list.push(Node::default());
        }
        &mut self.list[places.slots[slot].1 as usize]
    }
}

/// A tetrahedron in a bucket.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub tet: u32,
    /// Its faces of the surface.
    pub faces: Range<u32>,
    bounds: [DVec3; 2],
}

impl Entry {
    fn surface(mesh: &TetMesh, boxes: &[[DVec3; 2]], place: u32) -> Entry {
        let [(tet, first), (_, end)] = [0, 1].map(|next| mesh.layout.surface_tets[place as usize + next]);
        Entry { tet, faces: first..end, bounds: boxes[tet as usize] }
    }

    fn inner(boxes: &[[DVec3; 2]], tet: u32) -> Entry {
        Entry { tet, faces: 0..0, bounds: boxes[tet as usize] }
    }
}

/// The part of space in which pairs are tested: pairs of boxes whose intersection has its low corner there, the upper
/// limits excluded.
#[derive(Clone, Copy)]
struct Window {
    low: DVec3,
    high: DVec3,
}

impl Window {
    #[inline]
    fn owns(&self, one: &[DVec3; 2], other: &[DVec3; 2]) -> bool {
        // Most pairs fail along the first axis or the second.
        (0..3).all(|k| {
            let corner = one[0][k].max(other[0][k]);
            corner <= one[1][k].min(other[1][k]) && self.low[k] <= corner && corner < self.high[k]
        })
    }

    #[inline]
    fn touches(&self, bounds: &[DVec3; 2]) -> bool {
        (bounds[0].cmplt(self.high) & bounds[1].cmpge(self.low)).all()
    }
}

/// The faces of an entry whose boxes meet that of another.
#[inline]
pub(super) fn faces_near(mesh: &TetMesh, of: &Entry, other: &Entry, mut near: impl FnMut(u32)) {
    for face in of.faces.clone() {
        let [p, q, r] = mesh.face_corners(face);
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        if (low.cmple(other.bounds[1]) & high.cmpge(other.bounds[0])).all() {
            near(face);
        }
    }
}

impl BucketTree {
    /// A tree whose buckets have at least `size` tetrahedra along their edges, by the mean volume of the mesh as it is.
    pub fn new(mesh: &TetMesh, size: f64) -> BucketTree {
        let size = if size > 0.0 { size } else { 2.0 };
        let volume = |tet: u32| {
            let [a, b, c, d] = mesh.corners(tet);
            ((b - a).cross(c - a).dot(d - a) / 6.0).abs()
        };
        let count = mesh.layout.tets.len();
        let mean = (0..count as u32).map(volume).sum::<f64>() / count as f64;
        let radius = (3.0 * mean / (4.0 * std::f64::consts::PI)).cbrt();
        BucketTree {
            least: 2.0 * radius * size,
            root: Aabb::EMPTY,
            leaf: 0,
            now: 0,
            limits: Default::default(),
            order: Default::default(),
            cells: Vec::new(),
            boxes: Vec::new(),
            surface_boxes: Vec::new(),
            surface: Vec::new(),
            inner: Vec::new(),
            nodes: Nodes::default(),
            buckets: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Maps the tetrahedra to the buckets: all, or those whose boxes reach into a box, which is then the root.
    pub fn remap(&mut self, mesh: &TetMesh, mapping: BucketMapping, within: Option<&Aabb>) {
        self.prepare(mesh, mapping, within);
        self.fill(mesh, |_, _, _, _| {});
        self.hand_up();
    }

    /// Maps all tetrahedra to the buckets. `added` receives each with those that are in a bucket before it, where one
    /// of both has surface and their boxes meet; each two once.
    pub fn remap_against_itself(
        &mut self,
        mesh: &TetMesh,
        mapping: BucketMapping,
        mut added: impl FnMut(&Entry, &Entry),
    ) {
        self.prepare(mesh, mapping, None);
        self.fill(mesh, |own, bucket, before, tree| {
            // Of two without surface none meets the other's: those with surface come first.
            let before = if own.faces.is_empty() { &before[..bucket.surface as usize] } else { before };
            let window = window(tree.limits, bucket.cell);
            for &other in before {
                if window.owns(&own.bounds, &tree.surface_boxes[other as usize]) {
                    added(own, &Entry::surface(mesh, tree.boxes, other));
                }
            }
        });
        self.hand_up();
    }

    /// Finds the bucket of each point, and how many entries each bucket has.
    fn prepare(&mut self, mesh: &TetMesh, mapping: BucketMapping, within: Option<&Aabb>) {
        self.root = within.copied().unwrap_or(mesh.bounds);
        self.set_limits();
        self.cells.resize(mesh.points.len(), [0; 4]);
        match mapping {
            BucketMapping::Direct => self.map_directly(mesh),
            BucketMapping::Sorting => self.map_by_sorting(mesh),
        }
        self.fit_boxes(mesh, within);
        self.limit_entries(mesh);
        self.count(mesh);
        let mut first = 0;
        for bucket in &mut self.buckets {
            bucket.start = first;
            first += bucket.count;
            bucket.count = 0;
        }
        // Every place is written by `fill`.
        self.entries.resize(first as usize, 0);
    }

    /// Adds each tetrahedron to its buckets, those with surface first. `before` sees it, the bucket, and what is in the
    /// bucket already.
    fn fill(&mut self, mesh: &TetMesh, mut before: impl FnMut(&Entry, &Bucket, &[u32], Shared<'_>)) {
        let mut add = |tree: &mut BucketTree, own: &Entry, entry: u32| {
            let (low, high) = tree.range(mesh, own.tet);
            for_cells(low, high, |cell| {
                let Some(node) = tree.nodes.find(tree.leaf, cell) else { return };
                let bucket = &mut tree.buckets[node.bucket as usize];
                let entries = &mut tree.entries[bucket.start as usize..];
                let (boxes, surface_boxes) = (&tree.boxes[..], &tree.surface_boxes[..]);
                let shared = Shared { limits: &tree.limits, boxes, surface_boxes };
                before(own, bucket, &entries[..bucket.count as usize], shared);
                entries[bucket.count as usize] = entry;
                bucket.count += 1;
            });
        };
        for k in 0..self.surface.len() {
            let place = self.surface[k];
            let own = Entry::surface(mesh, &self.boxes, place);
            add(self, &own, place);
        }
        for k in 0..self.inner.len() {
            let tet = self.inner[k];
            let own = Entry::inner(&self.boxes, tet);
            add(self, &own, tet);
        }
    }

    /// The levels of the tree in this frame.
    #[cfg(test)]
    fn levels(&self) -> u32 {
        self.leaf + 1
    }

    fn side(&self) -> usize {
        1 << self.leaf
    }

    /// The limits of the buckets, and how many there are.
    fn set_limits(&mut self) {
        let edge = self.root.size().max_element();
        // Flat meshes have as many levels as there may be; entries bound them.
        let leaf = (edge / self.least).log2().floor();
        self.leaf = if leaf.is_nan() { 0 } else { leaf.clamp(0.0, f64::from(MOST_LEAF)) as u32 };
        let side = self.side();
        for (axis, limits) in self.limits.iter_mut().enumerate() {
            limits.clear();
            // The product with a fraction of a power of two is the same for the same limit of all levels.
            limits.extend((0..=side).map(|i| self.root.min[axis] + i as f64 / side as f64 * edge));
        }
    }

    /// Each coordinate by a multiplication, checked against the limits.
    fn map_directly(&mut self, mesh: &TetMesh) {
        let side = self.side();
        let low = self.root.min;
        let scale = side as f64 / self.root.size().max_element();
        for (cell, &point) in self.cells.iter_mut().zip(&mesh.points) {
            let guess = (point - low) * scale;
            for axis in 0..3 {
                let (limits, x) = (&self.limits[axis][..side], point[axis]);
                let near = (guess[axis] as usize).min(side - 1);
                let is_right = limits[near] <= x && limits.get(near + 1).is_none_or(|&next| x < next);
                let found = if is_right { near } else { limits.partition_point(|&limit| limit <= x).max(1) - 1 };
                cell[axis] = found as u16;
            }
        }
    }

    /// By merging the sorted coordinates with the limits.
    fn map_by_sorting(&mut self, mesh: &TetMesh) {
        let side = self.side();
        for axis in 0..3 {
            let order = &mut self.order[axis];
            let value = |point: u32| mesh.points[point as usize][axis];
            if order.len() != mesh.points.len() {
                order.clear();
                order.extend(0..mesh.points.len() as u32);
                sort(order, value);
            } else if !insertion_sort(order, value) {
                sort(order, value);
            }
            let (limits, mut i) = (&self.limits[axis][..side], 0);
            for &point in &*order {
                let x = value(point);
                while i + 1 < side && x >= limits[i + 1] {
                    i += 1;
                }
                self.cells[point as usize][axis] = i as u16;
            }
        }
    }

    /// Boxes of all tetrahedra, and which of them are mapped.
    fn fit_boxes(&mut self, mesh: &TetMesh, within: Option<&Aabb>) {
        self.boxes.clear();
        self.boxes.extend(mesh.layout.tets.iter().map(|corners| {
            let [a, b, c, d] = corners.map(|point| mesh.points[point as usize]);
            [a.min(b).min(c.min(d)), a.max(b).max(c.max(d))]
        }));
        let (boxes, layout) = (&self.boxes, &mesh.layout);
        let surface_tets = &layout.surface_tets[..layout.surface_tets.len() - 1];
        self.surface_boxes.clear();
        self.surface_boxes.extend(surface_tets.iter().map(|(tet, _)| boxes[*tet as usize]));
        let is_near = |tet: u32| {
            let [low, high] = boxes[tet as usize];
            within.is_none_or(|within| (low.cmple(within.max) & high.cmpge(within.min)).all())
        };
        self.surface.clear();
        self.surface.extend(
            surface_tets.iter().enumerate().filter(|(_, (tet, _))| is_near(*tet)).map(|(place, _)| place as u32),
        );
        self.inner.clear();
        self.inner.extend(layout.inner_tets.iter().copied().filter(|&tet| is_near(tet)));
    }

    /// The tetrahedra that are mapped, and whether each has surface; those with surface first.
    fn mapped(&self, mesh: &TetMesh) -> impl Iterator<Item = (u32, bool)> {
        let surface_tets = &mesh.layout.surface_tets;
        let surface = self.surface.iter().map(|&place| (surface_tets[place as usize].0, true));
        surface.chain(self.inner.iter().map(|&tet| (tet, false)))
    }

    /// The lowest and the highest bucket of a tetrahedron along each axis.
    #[inline]
    fn range(&self, mesh: &TetMesh, tet: u32) -> (Cell, Cell) {
        let [a, b, c, d] = mesh.layout.tets[tet as usize].map(|point| self.cells[point as usize]);
        let low = [0, 1, 2].map(|k| a[k].min(b[k]).min(c[k].min(d[k])));
        let high = [0, 1, 2].map(|k| a[k].max(b[k]).max(c[k].max(d[k])));
        (low, high)
    }

    /// Leaves levels out while tetrahedra would fill too many buckets.
    fn limit_entries(&mut self, mesh: &TetMesh) {
        let most = ENTRIES * (self.surface.len() + self.inner.len()) as u64 + 64;
        let mut shift = 0;
        loop {
            let filled = |tet: u32| {
                let (low, high) = self.range(mesh, tet);
                [0, 1, 2].map(|k| u64::from((high[k] >> shift) - (low[k] >> shift)) + 1).iter().product::<u64>()
            };
            if self.mapped(mesh).map(|(tet, _)| filled(tet)).sum::<u64>() <= most {
                break;
            }
            shift += 1;
        }
        if shift > 0 {
            self.leaf -= shift;
            self.cells.iter_mut().flatten().for_each(|cell| *cell >>= shift);
            for limits in &mut self.limits {
                let kept: Vec<f64> = limits.iter().copied().step_by(1 << shift).collect();
                *limits = kept;
            }
        }
    }

    /// Finds the buckets that are not empty, and how many tetrahedra each holds.
    fn count(&mut self, mesh: &TetMesh) {
        self.nodes.prepare(self.leaf, self.buckets.len());
        if self.now == u32::MAX {
            self.nodes.list.iter_mut().for_each(|node| *node = Node::default());
            self.now = 0;
        }
        self.now += 1;
        self.buckets.clear();
        let (mut nodes, mut buckets) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.buckets));
        for (tet, has_surface) in self.mapped(mesh) {
            let (low, high) = self.range(mesh, tet);
            for_cells(low, high, |cell| {
                let node = nodes.find_or_add(self.leaf, cell);
                if node.stamp != self.now {
                    // Surface comes first, so the first says whether there is any.
                    *node = Node { stamp: self.now, surface: has_surface, bucket: buckets.len() as u32 };
                    buckets.push(Bucket { cell, start: 0, count: 0, surface: 0 });
                }
                let bucket = &mut buckets[node.bucket as usize];
                bucket.count += 1;
                bucket.surface += u32::from(has_surface);
            });
        }
        (self.nodes, self.buckets) = (nodes, buckets);
    }

    /// Hands stamps and flags from the buckets to all nodes above them.
    fn hand_up(&mut self) {
        for bucket in &self.buckets {
            let (mut level, mut cell) = (self.leaf, bucket.cell);
            let surface = bucket.surface > 0;
            while level > 0 {
                (level, cell) = (level - 1, cell.map(|x| x >> 1));
                let node = self.nodes.find_or_add(level, cell);
                if node.stamp == self.now {
                    if node.surface || !surface {
                        break;
                    }
                    node.surface = true;
                } else {
                    (node.stamp, node.surface) = (self.now, surface);
                }
            }
        }
    }

    /// The node in this frame, if there is something below it.
    fn node(&self, level: u32, cell: Cell) -> Option<Place> {
        let node = self.nodes.find(level, cell)?;
        (node.stamp == self.now).then_some(Place { level, cell, surface: node.surface, bucket: node.bucket })
    }

    /// The box of a node, its upper limits excluded; the last along an axis has no end.
    fn node_box(&self, place: &Place) -> [DVec3; 2] {
        let shift = self.leaf - place.level;
        let at = |up: usize| {
            let limit = |axis: usize| match (usize::from(place.cell[axis]) + up) << shift {
                last if last == self.side() => f64::INFINITY,
                inner => self.limits[axis][inner],
            };
            DVec3::new(limit(0), limit(1), limit(2))
        };
        [at(0), at(1)]
    }

    /// All pairs of buckets of two trees with one root that may hold something that meets: one of them has surface, and
    /// their boxes overlap.
    pub fn bucket_pairs(&self, other: &BucketTree) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        let mut waiting = Vec::new();
        waiting.extend(self.node(0, [0; 3]).zip(other.node(0, [0; 3])));
        while let Some((a, b)) = waiting.pop() {
            if !a.surface && !b.surface {
                continue;
            }
            let ([low_a, high_a], [low_b, high_b]) = (self.node_box(&a), other.node_box(&b));
            if !(low_a.cmplt(high_b) & low_b.cmplt(high_a)).all() {
                continue;
            }
            let (ends_a, ends_b) = (a.level == self.leaf, b.level == other.leaf);
            if ends_a && ends_b {
                pairs.push([a.bucket, b.bucket]);
                continue;
            }
            // Both have one root, so the one on the higher level is larger.
            let opens_a = ends_b || !ends_a && a.level <= b.level;
            let (tree, node) = if opens_a { (self, &a) } else { (other, &b) };
            for child in 0..8_u16 {
                let cell = [0, 1, 2].map(|k| 2 * node.cell[k] + (child >> k & 1));
                if let Some(child) = tree.node(node.level + 1, cell) {
                    waiting.push(if opens_a { (child, b) } else { (a, child) });
                }
            }
        }
        pairs
    }

    /// The entries of a bucket that reach into a window.
    fn gather(&self, mesh: &TetMesh, bucket: &Bucket, window: &Window, into: &mut Vec<Entry>) {
        into.clear();
        let own = &self.entries[bucket.start as usize..][..bucket.count as usize];
        let (surface, inner) = own.split_at(bucket.surface as usize);
        let surface = surface.iter().map(|&place| Entry::surface(mesh, &self.boxes, place));
        let all = surface.chain(inner.iter().map(|&tet| Entry::inner(&self.boxes, tet)));
        into.extend(all.filter(|entry| window.touches(&entry.bounds)));
    }
}

/// Visits the tetrahedra of two buckets of two trees, where one of both has surface and their boxes meet; of all pairs
/// of buckets, in one.
pub(super) fn for_pairs_of_buckets(
    [a, b]: [(&BucketTree, &TetMesh); 2],
    pair: [u32; 2],
    scratch: &mut [Vec<Entry>; 2],
    mut visit: impl FnMut(&Entry, &Entry),
) {
    let (bucket_a, bucket_b) = (a.0.buckets[pair[0] as usize], b.0.buckets[pair[1] as usize]);
    let (of_a, of_b) = (window(&a.0.limits, bucket_a.cell), window(&b.0.limits, bucket_b.cell));
    let window = Window { low: of_a.low.max(of_b.low), high: of_a.high.min(of_b.high) };
    let [in_a, in_b] = scratch;
    a.0.gather(a.1, &bucket_a, &window, in_a);
    if in_a.is_empty() {
        return;
    }
    b.0.gather(b.1, &bucket_b, &window, in_b);
    for one in &*in_a {
        for other in &*in_b {
            if (!one.faces.is_empty() || !other.faces.is_empty()) && window.owns(&one.bounds, &other.bounds) {
                visit(one, other);
            }
        }
    }
}

/// A node met on the way down.
#[derive(Clone, Copy)]
struct Place {
    level: u32,
    cell: Cell,
    surface: bool,
    bucket: u32,
}

/// The points of which a bucket is the one; the last along an axis has no end.
fn window(limits: &[Vec<f64>; 3], cell: Cell) -> Window {
    let low = |axis: usize| limits[axis][usize::from(cell[axis])];
    let high = |axis: usize| match usize::from(cell[axis]) + 1 {
        next if next + 1 == limits[axis].len() => f64::INFINITY,
        next => limits[axis][next],
    };
    Window { low: DVec3::new(low(0), low(1), low(2)), high: DVec3::new(high(0), high(1), high(2)) }
}

#[inline]
fn for_cells(low: Cell, high: Cell, mut visit: impl FnMut(Cell)) {
    for z in low[2]..=high[2] {
        for y in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                visit([x, y, z]);
            }
        }
    }
}

fn sort(order: &mut [u32], value: impl Fn(u32) -> f64) {
    order.sort_unstable_by(|&p, &q| value(p).total_cmp(&value(q)));
}

/// Sorts what is nearly sorted; false, half-way, if that takes too long.
fn insertion_sort(order: &mut [u32], value: impl Fn(u32) -> f64) -> bool {
    let mut moves = MOVES * order.len();
    for end in 1..order.len() {
        let (point, mut place) = (order[end], end);
        let x = value(point);
        while place > 0 && value(order[place - 1]) > x {
            order[place] = order[place - 1];
            place -= 1;
        }
        order[place] = point;
        let Some(left) = moves.checked_sub(end - place) else { return false };
        moves = left;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of cubes along x, one tetrahedron in each, `size` apart.
    fn row(count: u32, size: f64) -> TetMesh {
        let corner = [[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 0.9]];
        let place = |i: u32| corner.map(|[x, y, z]| [size * (x + f64::from(i)), size * y, size * z]);
        let points: Vec<[f64; 3]> = (0..count).flat_map(place).collect();
        let tets: Vec<[u32; 4]> = (0..count).map(|i| [0, 1, 2, 3].map(|k| 4 * i + k)).collect();
        TetMesh::new(&points, &tets).unwrap()
    }

    #[test]
    fn the_level_rule() {
        // The volume is 0.9³ / 6, so r = 0.307 and the edge of 50 is 81 times 2 r.
        let mesh = row(50, 1.0);
        for (size, levels) in [(1.0, 7), (2.0, 6), (4.0, 5), (81.0, 1), (1e9, 1), (f64::NAN, 6), (-1.0, 6)] {
            let mut tree = BucketTree::new(&mesh, size);
            tree.remap(&mesh, BucketMapping::Direct, None);
            assert_eq!(tree.levels(), levels, "{size}");
        }
    }

    #[test]
    fn mappings_agree_and_every_point_is_in_its_bucket() {
        for (count, size, far) in [(50, 1.0, 0.0), (300, 0.3, 1e9), (1000, 1.0, 0.0), (40, 1e-7, 1.0)] {
            let mut mesh = row(count, size);
            for frame in 0..3 {
                let bent = |p: &DVec3| [p.x + far, p.y + f64::from(frame) * (0.1 * p.x).sin() - far, p.z];
                let points: Vec<[f64; 3]> = mesh.points.iter().map(bent).collect();
                mesh.move_points(&points).unwrap();
                let [mut one, mut other] = [(); 2].map(|()| BucketTree::new(&mesh, 0.7));
                one.remap(&mesh, BucketMapping::Direct, None);
                other.remap(&mesh, BucketMapping::Sorting, None);
                assert_eq!((&one.cells, &one.entries), (&other.cells, &other.entries));
                for (point, cell) in mesh.points.iter().zip(&one.cells) {
                    let window = window(&one.limits, [cell[0], cell[1], cell[2]]);
                    assert!(point.cmpge(window.low).all() && point.cmplt(window.high).all());
                }
                let whole = one.node_box(&one.node(0, [0; 3]).unwrap());
                assert_eq!(whole, [mesh.bounds.min, DVec3::INFINITY]);
            }
        }
    }

    #[test]
    fn stamps_outlive_no_frame() {
        let near = row(30, 1.0);
        let mut tree = BucketTree::new(&near, 1.0);
        tree.remap(&near, BucketMapping::Direct, None);
        let before = tree.buckets.len();
        // Of a mesh that gathers at one end, with one element left at the other, most buckets are empty.
        let mut mesh = near.clone();
        let points: Vec<[f64; 3]> =
            near.points.iter().map(|p| [if p.x < 28.95 { 0.01 * p.x } else { p.x }, p.y, p.z]).collect();
        mesh.move_points(&points).unwrap();
        tree.remap(&mesh, BucketMapping::Direct, None);
        let now = tree.buckets.iter().filter(|bucket| tree.node(tree.leaf, bucket.cell).is_some()).count();
        assert!(now == tree.buckets.len() && 2 * now < before, "{now} {before}");
        assert!(tree.node(tree.leaf, [10, 0, 0]).is_none());
    }
}
