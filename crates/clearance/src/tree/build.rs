//! Building the wide tree: top down by the surface area heuristic, over clusters and then over triangles.
//!
//! MacDonald and Booth's cost model (1990) over binned centroids (Wald 2007): the items of a range are counted into
//! bins along the widest axis, and the range is split where the sum of area times number of leaves is least. Most of
//! the time of such a build goes into the upper levels, where it matters little which single triangle goes where. So
//! triangles are first sorted along the Morton curve (as in Lauterbach and others 2009), and the upper levels are built
//! over the cells of the curve's grid that hold up to [`CLUSTER_TRIANGLES`], as in Garanzha, Pantaleoni and
//! McAllister's HLBVH (2011), but with cells fitted to the triangles. Departs from the papers in four places:
//! - a node of eight is built at once: its range is split in two, then the part with the largest area, until there are
//!   eight or nothing is left to split; a range that fills a few nodes of leaves is split into those, not into eight
//!   half-empty ones;
//! - a leaf costs the same time and memory whether full or not, so parts are measured in leaves, not in triangles;
//! - below [`sah_depth`], and where all centroids coincide, ranges are split into halves of equal number, so no input
//!   makes the tree deep;
//! - areas, not volumes: the volume of a flat box is zero whatever its size.
//!
//! Only indices are moved, boxes stay in place. The work is split by ranges, not by threads, so the tree is the same to
//! the bit on any number of them.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Level, Simd, f32x8, prelude::*};
use glam::{DVec3, Vec3A, Vec4};

use super::packet::Packet;
use super::wide::{Bounds, Frame, Node, WIDTH, WideTree, sah_depth};
use crate::math::cancel::{Carried, Turns, checkpoint};
use crate::math::simd::at_level;
use crate::parallel;

/// How many bins the centroids of a range are counted into: a power of two.
const BINS: usize = 16;

/// Cells with more triangles than this are divided, as far as the grid allows.
const CLUSTER_TRIANGLES: usize = 16;

/// Number of triangles that fill the leaves of one node.
const FILLED: usize = 56;

/// Ranges of up to this many triangles are split by triangles, not by clusters.
const SMALL: usize = 128;

/// So are ranges of fewer clusters than this.
const FEW_CLUSTERS: usize = 16;

/// Bits per coordinate of the curve's grid, and per pass of the sort.
const GRID_BITS: u32 = 8;
const DIGIT_BITS: u32 = 12;

/// Ranges with more triangles than this become a task of their own.
const TASK: usize = 8192;

/// The box of a triangle or of a cluster: the lowest corner, its index, the highest corner negated, and its number of
/// triangles. So the union of two boxes is the component-wise minimum.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Item([f32; 8]);

impl Item {
    const EMPTY: Item = Item([f32::INFINITY; 8]);

    /// Bits of the float 2.
    const TWO: u32 = 0x4000_0000;

    fn new(min: Vec3A, max: Vec3A, number: u32, triangles: u32) -> Item {
        // Indices are below 2²⁸: as floats they range from 2 to 2³³, so no operation is slowed by denormals.
        let (number, triangles) = (f32::from_bits(Item::TWO | number), f32::from_bits(Item::TWO | triangles));
        let (min, max) = (min.extend(number).to_array(), (-max).extend(triangles).to_array());
        Item([min[0], min[1], min[2], min[3], max[0], max[1], max[2], max[3]])
    }

    #[inline(always)]
    fn number(&self) -> u32 {
        self.0[3].to_bits() - Item::TWO
    }

    #[inline(always)]
    fn triangles(&self) -> u32 {
        self.0[7].to_bits() - Item::TWO
    }

    /// Twice the centre along an axis.
    #[inline(always)]
    fn along(&self, axis: usize) -> f32 {
        self.0[axis & 3] - self.0[4 + (axis & 3)]
    }

    /// The side along an axis.
    #[inline(always)]
    fn side(&self, axis: usize) -> f32 {
        -(self.0[axis & 3] + self.0[4 + (axis & 3)])
    }

    #[inline(always)]
    fn half_area(&self) -> f32 {
        let (x, y, z) = (self.side(0), self.side(1), self.side(2));
        x * y + (x + y) * z
    }
}

/// The box of a triangle.
#[inline(always)]
fn box_of(points: &[Vec4], triangle: &[u32; 3]) -> (Vec3A, Vec3A) {
    let a = Vec3A::from_vec4(points[triangle[0] as usize]);
    let b = Vec3A::from_vec4(points[triangle[1] as usize]);
    let c = Vec3A::from_vec4(points[triangle[2] as usize]);
    (a.min(b).min(c), a.max(b).max(c))
}

/// Items from `first` to `end` of a list, with their number of triangles and their box.
#[derive(Clone, Copy)]
struct Range {
    first: usize,
    end: usize,
    triangles: usize,
    bounds: Item,
}

impl Range {
    fn over(items: &[Item], first: usize, end: usize) -> Range {
        let (mut bounds, mut triangles) = (Item::EMPTY, 0);
        for item in &items[first..end] {
            bounds = Item(std::array::from_fn(|k| bounds.0[k].min(item.0[k])));
            triangles += item.triangles() as usize;
        }
        Range { first, end, triangles, bounds }
    }

    fn items(&self) -> usize {
        self.end - self.first
    }
}

/// A splitting plane between two bins of centroids.
#[derive(Clone, Copy)]
struct SplitPlane {
    axis: usize,
    /// Half a bin below the first.
    low: f32,
    per_unit: f32,
    /// The last bin below.
    last: u32,
}

impl SplitPlane {
    /// Floats of this size have a spacing of 1: adding it leaves the bin number in the low bits.
    const WHOLE: f32 = 12_582_912.0;

    /// Bins along an axis from `low` on, for doubled centres.
    #[inline(always)]
    fn bins(axis: usize, low: f32, extent: f32) -> SplitPlane {
        SplitPlane {
            axis,
            low: low + extent * (0.5 / BINS as f32),
            per_unit: BINS as f32 * (1.0 - 1e-4) / extent,
            last: 0,
        }
    }

    /// The bin number, rounded to nearest. In range for any input.
    #[inline(always)]
    fn bin(&self, item: &Item) -> u32 {
        ((item.along(self.axis) - self.low) * self.per_unit + SplitPlane::WHOLE).to_bits() & (BINS as u32 - 1)
    }
}

/// A split of a range in two.
#[derive(Clone, Copy)]
struct Cut {
    plane: SplitPlane,
    below: (Item, u32),
    above: (Item, u32),
}

/// The number of leaves that `triangles` triangles fill.
#[inline(always)]
fn leaves(triangles: u32) -> f32 {
    ((triangles + 7) / WIDTH as u32) as i32 as f32
}

/// The cheapest split along an axis, between two bins; `None` where all centroids are in one bin.
#[inline(always)]
fn least_cut<S: Simd>(simd: S, items: &[Item], plane: SplitPlane) -> Option<Cut> {
    let empty = f32x8::splat(simd, f32::INFINITY);
    let mut bins = [empty; BINS];
    let mut counts = [0u32; BINS];
    for item in items {
        let bin = plane.bin(item) as usize;
        bins[bin] = bins[bin].min(f32x8::simd_from(simd, item.0));
        counts[bin] += item.triangles();
    }
    // Boxes, counts and costs of everything above each bin. The area of an empty box is infinite, and times zero NaN.
    let mut above = [(empty, 0, f32::NAN); BINS];
    let (mut bounds, mut count) = (empty, 0);
    for k in (1..BINS).rev() {
        bounds = bounds.min(bins[k]);
        count += counts[k];
        above[k] = (bounds, count, Item(bounds.into()).half_area() * leaves(count));
    }
    let mut best = (f32::INFINITY, 0, empty, 0);
    let (mut bounds, mut count) = (empty, 0);
    for k in 0..BINS - 1 {
        bounds = bounds.min(bins[k]);
        count += counts[k];
        // NaN compares false, so both sides have triangles.
        let cost = Item(bounds.into()).half_area() * leaves(count) + above[k + 1].2;
        if cost < best.0 {
            best = (cost, k, bounds, count);
        }
    }
    let (cost, last, below, count) = best;
    if cost == f32::INFINITY {
        return None;
    }
    let (rest, others, _) = above[last + 1];
    Some(Cut {
        plane: SplitPlane { last: last as u32, ..plane },
        below: (Item(below.into()), count),
        above: (Item(rest.into()), others),
    })
}

/// The widest of three, ties go to the first.
#[inline(always)]
fn widest(extent: [f32; 3]) -> usize {
    if extent[0] >= extent[1] && extent[0] >= extent[2] {
        0
    } else if extent[1] >= extent[2] {
        1
    } else {
        2
    }
}

/// Items being sorted, with scratch space to move them.
struct Sorter<'s> {
    items: &'s mut [Item],
    spare: &'s mut [Item],
    /// See [`sah_depth`].
    sah_depth: usize,
}

/// Smaller extents count as zero, so that quotients stay finite.
const LEAST: f32 = 1e-30;

impl Sorter<'_> {
    /// Splits a range of at least two items in two, where area times number of leaves is least.
    #[inline(always)]
    fn cut<S: Simd>(&mut self, simd: S, range: &Range, depth: usize) -> [Range; 2] {
        if depth < self.sah_depth {
            // Doubled centres lie between the doubled ends.
            let bounds = &range.bounds;
            let low = [2.0 * bounds.0[0], 2.0 * bounds.0[1], 2.0 * bounds.0[2]];
            let extent = [2.0 * bounds.side(0), 2.0 * bounds.side(1), 2.0 * bounds.side(2)];
            if let Some(parts) = self.cut_between(simd, range, low, extent) {
                return parts;
            }
        }
        // All centres coincide, or nearly: use their own bounds.
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for item in &self.items[range.first..range.end] {
            for k in 0..3 {
                low[k] = low[k].min(item.along(k));
                high[k] = high[k].max(item.along(k));
            }
        }
        let extent = [high[0] - low[0], high[1] - low[1], high[2] - low[2]];
        if depth < self.sah_depth
            && let Some(parts) = self.cut_between(simd, range, low, extent)
        {
            return parts;
        }
        self.halves(range, widest(extent))
    }

    /// The best binned split in a box.
    #[inline(always)]
    fn cut_between<S: Simd>(&mut self, simd: S, range: &Range, low: [f32; 3], extent: [f32; 3]) -> Option<[Range; 2]> {
        let axis = widest(extent);
        if extent[axis] <= LEAST {
            return None;
        }
        let plane = SplitPlane::bins(axis, low[axis], extent[axis]);
        let cut = least_cut(simd, &self.items[range.first..range.end], plane)?;
        Some(self.partition(range, &cut))
    }

    /// Partitions the items by a plane, those below first.
    #[inline(always)]
    fn partition(&mut self, range: &Range, cut: &Cut) -> [Range; 2] {
        let items = &mut self.items[range.first..range.end];
        let spare = &mut self.spare[..items.len()];
        let (mut below, mut above) = (0, items.len());
        for item in items.iter() {
            let is_above = cut.plane.bin(item) > cut.plane.last;
            above -= usize::from(is_above);
            if let Some(place) = spare.get_mut(if is_above { above } else { below }) {
                *place = *item;
            }
            below += usize::from(!is_above);
        }
        items.copy_from_slice(spare);
        let middle = range.first + below;
        let part =
            |first, end, (bounds, triangles): (Item, u32)| Range { first, end, triangles: triangles as usize, bounds };
        [part(range.first, middle, cut.below), part(middle, range.end, cut.above)]
    }

    /// Halves of equal numbers of items along an axis.
    #[inline(never)]
    fn halves(&mut self, range: &Range, axis: usize) -> [Range; 2] {
        let items = &mut self.items[range.first..range.end];
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |p, q| {
            p.along(axis).total_cmp(&q.along(axis)).then(p.number().cmp(&q.number()))
        });
        // Sorted by index within each half, whatever order the selection left.
        items[..middle].sort_unstable_by_key(Item::number);
        items[middle..].sort_unstable_by_key(Item::number);
        let cut = range.first + middle;
        [Range::over(self.items, range.first, cut), Range::over(self.items, cut, range.end)]
    }

    /// Splits a range into the lanes of a node: parts with more triangles than a leaf holds are split, the largest
    /// first.
    #[inline(never)]
    fn parts<S: Simd>(&mut self, simd: S, range: Range, depth: usize, parts: &mut [Range; WIDTH]) -> usize {
        simd.vectorize(
            #[inline(always)]
            || {
                // A range of few triangles that does not fit into one node is split into parts that fill a node each.
                let most = if range.triangles > FILLED && range.triangles <= WIDTH * FILLED { FILLED } else { WIDTH };
                parts[0] = range;
                let mut count = 1;
                while count < WIDTH {
                    let mut largest = (-1.0, WIDTH);
                    for k in 0..count {
                        let area = parts[k].bounds.half_area();
                        if parts[k].triangles > most && parts[k].items() > 1 && area > largest.0 {
                            largest = (area, k);
                        }
                    }
                    let (_, k) = largest;
                    if k == WIDTH {
                        break;
                    }
                    let part = parts[k];
                    let [left, right] = self.cut(simd, &part, depth);
                    parts.copy_within(k + 1..count, k + 2);
                    parts[k] = left;
                    parts[k + 1] = right;
                    count += 1;
                }
                count
            },
        )
    }
}

/// A node without boxes over parts of the given triangle counts, starting at a slot. Child indices are still to be set.
fn node_over(counts: impl Iterator<Item = usize>, mut slot: usize) -> Node {
    let mut node = Node::EMPTY;
    for (lane, count) in counts.enumerate() {
        if count <= WIDTH {
            node.leaf[lane] = (slot as u32) << 4 | count as u32;
        }
        slot += count;
    }
    node
}

/// Triangles consecutive on the curve.
#[derive(Clone, Copy)]
struct Cluster {
    first: u32,
    count: u32,
}

/// The input of the build.
#[derive(Clone, Copy)]
struct BuildInput<'g> {
    points: &'g [Vec4],
    triangles: &'g [[u32; 3]],
    /// Triangle indices along the curve.
    curve: &'g [u32],
    clusters: &'g [Cluster],
    sah_depth: usize,
}

/// Scratch space for the triangles of a small range.
#[derive(Default)]
struct Room {
    items: Vec<Item>,
    spare: Vec<Item>,
}

impl BuildInput<'_> {
    /// Appends the node over some clusters and its subtree, and writes the indices of their triangles, in leaf order,
    /// to `ids`. The first of these has the slot `slot`.
    #[inline(never)]
    fn grow<S: Simd>(
        &self,
        simd: S,
        (items, spare): (&mut [Item], &mut [Item]),
        range: Range,
        (slot, depth): (usize, usize),
        ids: &mut [u32],
        (nodes, room): (&mut Vec<Node>, &mut Room),
    ) {
        checkpoint();
        if range.triangles <= SMALL || range.items() < FEW_CLUSTERS || depth >= self.sah_depth {
            return self.grow_singly(simd, items, range, (slot, depth), ids, (nodes, room));
        }
        let number = nodes.len();
        let mut parts = [range; WIDTH];
        let mut sorter = Sorter { items, spare, sah_depth: self.sah_depth };
        let count = sorter.parts(simd, range, depth, &mut parts);
        nodes.push(node_over(parts[..count].iter().map(|part| part.triangles), slot));
        let mut tasks = Vec::with_capacity(WIDTH);
        let (mut items, mut spare, mut ids, mut slot) = (items, spare, ids, slot);
        for part in &parts[..count] {
            let (own_items, own_spare, own_ids);
            (own_items, items) = items.split_at_mut(part.items());
            (own_spare, spare) = spare.split_at_mut(part.items());
            (own_ids, ids) = ids.split_at_mut(part.triangles);
            tasks.push(((own_items, own_spare), Range { first: 0, end: part.items(), ..*part }, slot, own_ids));
            slot += part.triangles;
        }
        if cfg!(feature = "parallel") && parts[..count].iter().any(|part| part.triangles > TASK) {
            let carried = Carried::here();
            let grown = parallel::map_owned(tasks, |(items, range, slot, ids)| {
                let (mut nodes, mut room) = (Vec::new(), Room::default());
                if range.triangles > WIDTH {
                    let into = (&mut nodes, &mut room);
                    carried.within(|| self.grow(simd, items, range, (slot, depth + 1), ids, into));
                } else {
                    self.write(items.0, ids);
                }
                nodes
            });
            for (lane, mut grown) in grown.into_iter().enumerate().filter(|(_, grown)| !grown.is_empty()) {
                let base = nodes.len() as u32;
                nodes[number].below[lane] = base;
                for below in grown.iter_mut().flat_map(|node| &mut node.below) {
                    *below += if *below != 0 { base } else { 0 };
                }
                nodes.append(&mut grown);
            }
            return;
        }
        for (lane, (items, range, slot, ids)) in tasks.into_iter().enumerate() {
            if range.triangles > WIDTH {
                nodes[number].below[lane] = nodes.len() as u32;
                self.grow(simd, items, range, (slot, depth + 1), ids, (nodes, room));
            } else {
                self.write(items.0, ids);
            }
        }
    }

    /// Writes the indices of the triangles of some clusters.
    fn write(&self, clusters: &[Item], mut ids: &mut [u32]) {
        for item in clusters {
            let Cluster { first, count } = self.clusters[item.number() as usize];
            let (own, rest) = ids.split_at_mut(count as usize);
            own.copy_from_slice(&self.curve[first as usize..][..count as usize]);
            ids = rest;
        }
    }

    /// As [`BuildInput::grow`], over triangles.
    #[inline(never)]
    fn grow_singly<S: Simd>(
        &self,
        simd: S,
        clusters: &[Item],
        range: Range,
        (slot, depth): (usize, usize),
        ids: &mut [u32],
        (nodes, room): (&mut Vec<Node>, &mut Room),
    ) {
        room.items.clear();
        room.items.reserve(range.triangles);
        for item in clusters {
            let Cluster { first, count } = self.clusters[item.number() as usize];
            for &number in &self.curve[first as usize..][..count as usize] {
                let (min, max) = box_of(self.points, &self.triangles[number as usize]);
                room.items.push(Item::new(min, max, number, 1));
            }
        }
        if room.spare.len() < range.triangles {
            room.spare.resize(range.triangles, Item::EMPTY);
        }
        let mut sorter = Sorter { items: &mut room.items, spare: &mut room.spare, sah_depth: self.sah_depth };
        sorter.grow(simd, Range { first: 0, end: range.triangles, ..range }, (slot, depth), nodes);
        ids.iter_mut().zip(&room.items).for_each(|(id, item)| *id = item.number());
    }
}

impl Sorter<'_> {
    /// Appends the node over a range of triangles and its subtree. The first triangle of the list has the slot `slot`.
    #[inline(never)]
    fn grow<S: Simd>(&mut self, simd: S, range: Range, (slot, depth): (usize, usize), nodes: &mut Vec<Node>) {
        checkpoint();
        let number = nodes.len();
        let mut parts = [range; WIDTH];
        let count = self.parts(simd, range, depth, &mut parts);
        nodes.push(node_over(parts[..count].iter().map(|part| part.triangles), slot + range.first));
        for (lane, part) in parts[..count].iter().enumerate() {
            if part.triangles > WIDTH {
                nodes[number].below[lane] = nodes.len() as u32;
                self.grow(simd, *part, (slot, depth + 1), nodes);
            }
        }
    }
}

/// The bits of a grid coordinate, spread with two zero bits in between.
const SPREAD: [u32; 1 << GRID_BITS] = {
    let mut spread = [0; 1 << GRID_BITS];
    let mut k = 0;
    while k < spread.len() {
        let mut bit = 0;
        while bit < GRID_BITS {
            spread[k] |= ((k as u32 >> bit) & 1) << (3 * bit);
            bit += 1;
        }
        k += 1;
    }
    spread
};

/// Positions of triangles on the curve with their indices in the low bits, sorted by both.
fn along_curve(points: &[Vec4], triangles: &[[u32; 3]], (low, high): (Vec3A, Vec3A)) -> Vec<u64> {
    const DIGITS: usize = 1 << DIGIT_BITS;
    let extent = (high - low).max_element();
    // Doubled centres, scaled to 0 to 255; all equal for an extent of zero.
    let per_unit = if extent > LEAST { 0.5 * 254.9 / extent } else { 0.0 };
    let low = low + low;
    let mut counts = [[0u32; DIGITS]; 2];
    let mut places = Vec::with_capacity(triangles.len());
    let mut turns = Turns::default();
    for (number, triangle) in triangles.iter().enumerate() {
        turns.turn();
        let (min, max) = box_of(points, triangle);
        let cell = ((min + max) - low) * per_unit + Vec3A::splat(SplitPlane::WHOLE);
        let of = |x: f32| SPREAD[x.to_bits() as u8 as usize];
        let code = of(cell.x) << 2 | of(cell.y) << 1 | of(cell.z);
        counts[0][code as usize % DIGITS] += 1;
        counts[1][(code >> DIGIT_BITS) as usize % DIGITS] += 1;
        places.push(u64::from(code) << 32 | number as u64);
    }
    let mut sorted = vec![0; places.len()];
    for (digit, counts) in counts.iter_mut().enumerate() {
        let mut sum = 0;
        for count in counts.iter_mut() {
            (sum, *count) = (sum + *count, sum);
        }
        checkpoint();
        for &place in &places {
            let next = &mut counts[(place >> (32 + digit as u32 * DIGIT_BITS)) as usize % DIGITS];
            sorted[*next as usize] = place;
            *next += 1;
        }
        std::mem::swap(&mut places, &mut sorted);
    }
    places
}

/// Divides part of the curve into cells of up to [`CLUSTER_TRIANGLES`], or a single position; appends their ends.
fn divide(places: &[u64], first: usize, bit: u32, ends: &mut Vec<u32>) {
    if places.len() <= CLUSTER_TRIANGLES || bit < 32 {
        if !places.is_empty() {
            ends.push((first + places.len()) as u32);
        }
        return;
    }
    let middle = places.partition_point(|place| place >> bit & 1 == 0);
    divide(&places[..middle], first, bit - 1, ends);
    divide(&places[middle..], first + middle, bit - 1, ends);
}

/// The tree over some triangles, with points in the tree's frame, without boxes and packets; and the triangle indices
/// in leaf order.
fn topology(points: &[Vec4], triangles: &[[u32; 3]], (low, high): (Vec3A, Vec3A)) -> (Vec<Node>, Vec<u32>) {
    let places = along_curve(points, triangles, (low, high));
    let mut ends = Vec::with_capacity(triangles.len() / 4 + 1);
    divide(&places, 0, 32 + 3 * GRID_BITS - 1, &mut ends);
    let curve: Vec<u32> = places.iter().map(|&place| place as u32).collect();
    drop(places);
    let mut clusters = Vec::with_capacity(ends.len());
    let mut items = Vec::with_capacity(ends.len());
    let mut first = 0;
    let mut turns = Turns::default();
    for end in ends {
        turns.turn();
        let (mut min, mut max) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        for &triangle in &curve[first as usize..end as usize] {
            let (lowest, highest) = box_of(points, &triangles[triangle as usize]);
            (min, max) = (min.min(lowest), max.max(highest));
        }
        items.push(Item::new(min, max, clusters.len() as u32, end - first));
        clusters.push(Cluster { first, count: end - first });
        first = end;
    }
    let mut spare = vec![Item::EMPTY; items.len()];
    let mut ids = vec![0; triangles.len()];
    let mut nodes = Vec::with_capacity(triangles.len() / 20 + 1);
    let ground =
        BuildInput { points, triangles, curve: &curve, clusters: &clusters, sah_depth: sah_depth(triangles.len()) };
    let bounds = Item::new(low, high, 0, 0);
    let range = Range { first: 0, end: clusters.len(), triangles: triangles.len(), bounds };
    let room = (&mut items[..], &mut spare[..]);
    let into = (&mut nodes, &mut Room::default());
    at_level!(Level::new(), simd => ground.grow(simd, room, range, (0, 0), &mut ids, into));
    (nodes, ids)
}

/// A tree, with its triangles and their indices in leaf order.
pub(crate) struct Built {
    pub tree: WideTree,
    pub triangles: Vec<[u32; 3]>,
    pub ids: Vec<u32>,
}

/// The tree over some triangles, whose corners lie between `low` and `high`.
pub(crate) fn build(points: &[DVec3], triangles: &[[u32; 3]], (low, high): (DVec3, DVec3)) -> Built {
    let frame = Frame::about(low, high);
    let points: Vec<Vec4> = points.iter().map(|&p| frame.single(p)).collect();
    let bounds = (frame.of(low).as_vec3a(), frame.of(high).as_vec3a());
    let (mut nodes, ids) = topology(&points, triangles, bounds);
    // Packets in the order of the nodes that refer to them.
    let mut leaves = 0;
    for node in &mut nodes {
        for lane in 0..WIDTH {
            if node.leaf[lane] != 0 {
                node.below[lane] = leaves;
                leaves += 1;
            }
        }
    }
    checkpoint();
    let triangles: Vec<[u32; 3]> = ids.iter().map(|&id| triangles[id as usize]).collect();
    checkpoint();
    let packets = vec![Packet::EMPTY; leaves as usize];
    let mut tree = WideTree { frame, nodes, packets, bounds: Bounds::EMPTY };
    tree.fit(&points, &triangles);
    Built { tree, triangles, ids }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::wide::{Below, MAX_DEPTH};

    fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
        let of = |choose: fn(DVec3, DVec3) -> DVec3| points.iter().copied().reduce(choose).unwrap();
        (of(DVec3::min), of(DVec3::max))
    }

    /// Checks that every triangle is in exactly one leaf, all boxes above it contain its corners, and packets are
    /// within their error bounds.
    fn check(points: &[DVec3], triangles: &[[u32; 3]]) -> WideTree {
        let Built { tree, ids, .. } = build(points, triangles, bounds(points));
        let mut seen = vec![false; triangles.len()];
        let mut stack = vec![(0u32, tree.bounds)];
        while let Some((number, above)) = stack.pop() {
            let node = &tree.nodes[number as usize];
            for lane in 0..node.count() {
                let bounds = node.lane(lane);
                for k in 0..3 {
                    assert!(above.min[k] <= bounds.min[k] && bounds.max[k] <= above.max[k]);
                }
                match node.below(lane) {
                    Below::Node(below) => {
                        assert!(below > number);
                        stack.push((below, bounds));
                    }
                    Below::Leaf(leaf) => {
                        let decoded = tree.packets[leaf.packet as usize].decode(crate::math::simd::plain(), &bounds);
                        let off = Packet::off(&bounds);
                        for i in 0..leaf.count {
                            let id = ids[(leaf.first + i) as usize] as usize;
                            assert!(!std::mem::replace(&mut seen[id], true));
                            for (corner, &p) in triangles[id].iter().enumerate() {
                                let x = tree.frame.of(points[p as usize]);
                                for k in 0..3 {
                                    assert!(f64::from(bounds.min[k]) <= x[k] && x[k] <= f64::from(bounds.max[k]));
                                    let near: f32 = decoded.corners[corner][k][i as usize];
                                    assert!((f64::from(near) - x[k]).abs() <= f64::from(off[k]));
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
        assert!(tree.depth() <= MAX_DEPTH);
        tree
    }

    fn grid(n: u32, at: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let points = (0..n * n).map(|k| at(f64::from(k / n), f64::from(k % n))).collect();
        let cells = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| n * i + j));
        let triangles = cells.flat_map(|at| [[at, at + n, at + n + 1], [at, at + n + 1, at + 1]]).collect();
        (points, triangles)
    }

    #[test]
    fn boxes_contain_their_triangles() {
        let (points, triangles) = grid(60, |x, y| DVec3::new(x, y, (0.3 * x).sin() * (0.2 * y).cos()));
        let tree = check(&points, &triangles);
        assert!(tree.depth() <= 6, "{}", tree.depth());
        let far = points.iter().map(|&p| p * 1e-3 + DVec3::new(1e7, -3e7, 5e6)).collect::<Vec<_>>();
        check(&far, &triangles);
        for scale in [1e-200, 1e-30, 1e50] {
            check(&points.iter().map(|&p| p * scale).collect::<Vec<_>>(), &triangles);
        }
    }

    #[test]
    fn no_input_yields_a_deep_tree() {
        // All in one place; a line of ever smaller triangles; needles; one large triangle among small ones.
        check(&[DVec3::ZERO, DVec3::X, DVec3::Y], &vec![[0, 1, 2]; 5000]);
        check(&[DVec3::ONE], &vec![[0, 0, 0]; 100]);
        let shrinking: Vec<DVec3> =
            (0..3000).map(|k| DVec3::splat(0.98f64.powi(k)) + DVec3::X * f64::from(k % 2)).collect();
        let triangles: Vec<[u32; 3]> = (0..2998).map(|k| [k, k + 1, k + 2]).collect();
        let tree = check(&shrinking, &triangles);
        assert!(tree.depth() <= sah_depth(2998) + 5, "{}", tree.depth());
        let needles: Vec<DVec3> = (0..6000).map(|k| DVec3::new(f64::from(k % 2) * 1e6, f64::from(k), 0.0)).collect();
        let triangles: Vec<[u32; 3]> = (0..5998).map(|k| [k, k + 1, k + 2]).collect();
        check(&needles, &triangles);
    }

    #[test]
    fn detail_of_any_size_is_split() {
        // A whole sheet, except for one large triangle, in one grid cell; and the same a thousand times smaller.
        for scale in [1e-3, 1e-6] {
            let (mut points, mut triangles) = grid(40, |x, y| DVec3::new(x, y, (0.3 * x).sin()) * scale);
            let first = points.len() as u32;
            points.extend([DVec3::ZERO, DVec3::X * 1e3, DVec3::Y * 1e3]);
            triangles.push([first, first + 1, first + 2]);
            let tree = check(&points, &triangles);
            let leaves: Vec<Bounds> = tree
                .nodes
                .iter()
                .flat_map(|node| (0..node.count()).map(|lane| (node.below(lane), node.lane(lane))).collect::<Vec<_>>())
                .filter_map(|(below, bounds)| matches!(below, Below::Leaf(_)).then_some(bounds))
                .collect();
            // Apart from single-precision rounding at 1e-9 of the size, leaves are small parts of the sheet.
            let small = leaves.iter().filter(|bounds| bounds.size() < 40.0 * scale as f32 / 1024.0 + 1e-6).count();
            assert!(small + 2 >= leaves.len(), "{small} of {}", leaves.len());
            assert!(leaves.len() < triangles.len() / 5, "{}", leaves.len());
        }
    }

    #[test]
    fn few_triangles_need_few_leaves() {
        for count in 1..200 {
            let points: Vec<DVec3> =
                (0..count + 2).map(|k| DVec3::new(f64::from(k), f64::from(k * k % 7), f64::from(k % 3))).collect();
            let triangles: Vec<[u32; 3]> = (0..count as u32).map(|k| [k, k + 1, k + 2]).collect();
            let tree = check(&points, &triangles);
            assert!(tree.packets.len() <= triangles.len().div_ceil(WIDTH) * 2, "{count}: {}", tree.packets.len());
        }
    }

    #[test]
    fn fitting_gives_the_boxes_of_the_moved_points() {
        let (points, triangles) = grid(30, |x, y| DVec3::new(x, y, 0.0));
        let mut built = build(&points, &triangles, bounds(&points));
        let before = built.tree.clone();
        let singles = |points: &[DVec3]| {
            let (low, high) = bounds(points);
            points.iter().map(|&p| Frame::about(low, high).single(p)).collect::<Vec<_>>()
        };
        let away: Vec<DVec3> = points.iter().map(|&p| DVec3::new(7.0 * p.y, 2.0 * p.z, -p.x)).collect();
        built.tree.fit(&singles(&away), &built.triangles);
        assert_ne!(built.tree.packets, before.packets);
        built.tree.fit(&singles(&points), &built.triangles);
        assert_eq!(built.tree.packets, before.packets);
        for (a, b) in built.tree.nodes.iter().zip(&before.nodes) {
            assert_eq!((a.min, a.max), (b.min, b.max));
        }
    }
}
