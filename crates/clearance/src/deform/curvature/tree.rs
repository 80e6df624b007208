//! Regions of a surface: a tree over its triangles, built on the topology, and what the walk needs of each region.
//!
//! Volino, "Collision Detection for Deformable Objects" (course notes, 2004): groups of triangles are merged level by
//! level across the edge whose union is roundest, by `sqrt(area) / contour length`; first pairs, then what is left over
//! joins a pair. The tree depends on the surface at rest only. Departs from the notes in that
//! - what has no neighbour left to merge with (other components, the arms of a star) is merged in the order of the
//!   triangles wherever a level would otherwise shrink too little, so no input makes the tree deep;
//! - a leaf holds up to eight triangles, which are compared with those of another leaf all at once.
//!
//! **Contour** of a region: its half-edges whose twin is not in it. Only edges of exactly two triangles that agree on
//! their winding have twins, so edges of three triangles, flipped ones and rims are part of every contour.
//!
//! **Stored vertices.** Two regions that exist side by side are adjacent if and only if they share a stored vertex. The
//! notes store the vertices of a region where two other regions of its level meet, the outside counting as one. That is
//! enough where the common contour ends somewhere. It is completed here as follows.
//! - A vertex whose triangles do not form one closed fan counts as touching the outside, so it is stored wherever two
//!   regions meet, even if these share no edge.
//! - Two regions that share edges but no stored vertex have a common contour without an end, a disc in a ring: both
//!   store one vertex of it.
//! - A region may last for several levels. Levels only merge, so what is stored at its first is enough for all, once
//!   the former point is done at each level. Two regions are comparable if they exist at one level; the walk descends
//!   the one created later, or both, which keeps it so.
//! - A leaf stores all vertices of its contour. So it can be compared with all that follows from regions of its level.

use std::ops::Range;

use glam::DVec3;

use crate::geom::topology::{EdgeMap, NONE, half_edge, pack, unpack};
use crate::math::cancel::Turns;
use crate::tree::wide::WIDTH;

/// A connected piece of surface, or several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Region {
    /// Its triangles are consecutive: the first place and the count.
    pub first: u32,
    pub count: u32,
    /// The first child; the others follow. For a leaf its number among the leaves, in the order of places.
    child: u32,
    /// 2 or 3; 0 for a leaf.
    children: u8,
    /// The level at which it was created.
    pub level: u8,
    contour: (u32, u32),
    stored: (u32, u32),
}

impl Region {
    /// The children, none for a leaf.
    pub fn children(&self) -> Range<u32> {
        self.child..self.child + u32::from(self.children)
    }

    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// The number of a leaf.
    pub fn leaf(&self) -> u32 {
        self.child
    }

    /// Whether a place is in the region.
    #[inline(always)]
    fn holds(&self, place: u32) -> bool {
        place.wrapping_sub(self.first) < self.count
    }
}

/// The tree. Triangles are known by place: their position in the order of the regions.
#[derive(Debug, Default)]
pub(super) struct RegionTree {
    /// Parents before children; the root is the first. Empty without triangles.
    pub regions: Vec<Region>,
    /// The triangle at each place.
    pub order: Vec<u32>,
    /// For half-edge `3 * place + i` that on the other side, or [`NONE`].
    pub twins: Vec<u32>,
    contours: Vec<u32>,
    stored: Vec<u32>,
}

impl RegionTree {
    /// Builds the tree over triangles with vertices numbered densely, by the shape at rest.
    pub fn new(triangles: &[[u32; 3]], at: impl Fn(u32) -> DVec3) -> RegionTree {
        if triangles.is_empty() {
            return RegionTree::default();
        }
        let twins = EdgeMap::new(triangles).twin;
        let mut build = Build::new(triangles, &twins, at);
        while build.area.len() > 1 {
            build.merge_level();
        }
        let mut tree = build.tree();
        let mut leaves: Vec<usize> = (0..tree.regions.len()).filter(|&k| tree.regions[k].is_leaf()).collect();
        leaves.sort_unstable_by_key(|&k| tree.regions[k].first);
        leaves.into_iter().zip(0..).for_each(|(region, number)| tree.regions[region].child = number);
        tree.with_contours(triangles, &twins, &build)
    }

    /// The half-edges of the contour of a region.
    pub fn contour(&self, region: &Region) -> &[u32] {
        &self.contours[region.contour.0 as usize..region.contour.1 as usize]
    }

    /// The contour of two regions together.
    pub fn contour_of_both<'t>(&'t self, a: &'t Region, b: &'t Region) -> impl Iterator<Item = u32> + 't {
        let rest_of = move |one: &'t Region, other: &'t Region| {
            let open = move |&&h: &&u32| self.twins[h as usize] == NONE || !other.holds(self.twins[h as usize] / 3);
            self.contour(one).iter().filter(open).copied()
        };
        rest_of(a, b).chain(rest_of(b, a))
    }

    /// Whether two different regions that exist side by side share a vertex.
    pub fn adjacent(&self, a: &Region, b: &Region) -> bool {
        meet(
            &self.stored[a.stored.0 as usize..a.stored.1 as usize],
            &self.stored[b.stored.0 as usize..b.stored.1 as usize],
        )
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = self.order.len() + self.twins.len() + self.contours.len() + self.stored.len();
        size_of_val(&self.regions[..]) + 4 * numbers
    }

    /// Adds twins, contours and stored vertices to a tree that has regions and order.
    fn with_contours(mut self, triangles: &[[u32; 3]], twins: &[u32], build: &Build) -> RegionTree {
        let mut places = vec![0; triangles.len()];
        self.order.iter().zip(0..).for_each(|(&triangle, place)| places[triangle as usize] = place);
        let by_place = |h: u32| if h == NONE { NONE } else { 3 * places[h as usize / 3] + h % 3 };
        self.twins = self.order.iter().flat_map(|&t| (3 * t..3 * t + 3).map(|h| by_place(twins[h as usize]))).collect();
        for number in (0..self.regions.len()).rev() {
            let region = self.regions[number];
            let start = self.contours.len();
            let is_open = |twins: &[u32], h: u32| {
                let twin = twins[h as usize];
                twin == NONE || !region.holds(twin / 3)
            };
            if region.is_leaf() {
                let sides = 3 * region.first..3 * (region.first + region.count);
                self.contours.extend(sides.filter(|&h| is_open(&self.twins, h)));
                let at = self.stored.len();
                for place in region.first..region.first + region.count {
                    let triangle = self.order[place as usize];
                    for i in 0..3 {
                        let [one, other] = half_edge(triangles, 3 * triangle + i);
                        let open = is_open(&self.twins, 3 * place + i);
                        if open || build.outside[one as usize] {
                            push_once(&mut self.stored, at, one);
                        }
                        if open {
                            push_once(&mut self.stored, at, other);
                        }
                    }
                }
                self.regions[number].stored = (at as u32, self.stored.len() as u32);
            } else {
                for child in region.children() {
                    let (from, to) = self.regions[child as usize].contour;
                    for k in from..to {
                        let h = self.contours[k as usize];
                        if is_open(&self.twins, h) {
                            self.contours.push(h);
                        }
                    }
                }
            }
            self.regions[number].contour = (start as u32, self.contours.len() as u32);
        }
        self.contours.shrink_to_fit();
        self.stored.shrink_to_fit();
        self
    }
}

/// Whether two short lists have a common entry.
fn meet(a: &[u32], b: &[u32]) -> bool {
    a.iter().any(|vertex| b.contains(vertex))
}

/// Appends an item to the list that begins at a position, unless it is in it.
fn push_once(list: &mut Vec<u32>, from: usize, item: u32) {
    if !list[from..].contains(&item) {
        list.push(item);
    }
}

/// Two groups with a common contour: the groups packed, its length, and one of its vertices.
#[derive(Clone, Copy)]
struct Border {
    groups: u64,
    length: f32,
    vertex: u32,
}

/// A group that was merged from others.
struct Merged {
    /// Nodes; unused ones are [`NONE`].
    children: [u32; 3],
    count: u32,
    level: u8,
    stored: (u32, u32),
}

/// The merging of groups, level by level. A node is a triangle, or after those a merged group.
struct Build<'b> {
    triangles: &'b [[u32; 3]],
    level: u8,
    /// Of each group of the level: its node, area, contour length, and list of stored vertices.
    node: Vec<u32>,
    area: Vec<f32>,
    rim: Vec<f32>,
    stored: Vec<(u32, u32)>,
    borders: Vec<Border>,
    /// The groups around each vertex that more than one group touches: the vertex, and the end of its list.
    active: Vec<(u32, u32)>,
    around: Vec<u32>,
    /// Whether the triangles of a vertex do not form one closed fan.
    outside: Vec<bool>,
    merged: Vec<Merged>,
    lists: Vec<u32>,
}

impl<'b> Build<'b> {
    /// Each triangle a group.
    fn new(triangles: &'b [[u32; 3]], twins: &[u32], at: impl Fn(u32) -> DVec3) -> Build<'b> {
        let count = triangles.len();
        let vertices = triangles.iter().flatten().max().map_or(0, |&v| v as usize + 1);
        let lengths = |t: &[u32; 3]| [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (at(t[j]) - at(t[i])).length() as f32);
        let area = |t: &[u32; 3]| (0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).length()) as f32;
        // The triangles around each vertex.
        let mut ends = vec![0u32; vertices + 1];
        triangles.iter().flatten().for_each(|&v| ends[v as usize + 1] += 1);
        (0..vertices).for_each(|v| ends[v + 1] += ends[v]);
        let mut next = ends.clone();
        let mut around = vec![0; 3 * count];
        for (triangle, corners) in triangles.iter().enumerate() {
            for &v in corners {
                around[next[v as usize] as usize] = triangle as u32;
                next[v as usize] += 1;
            }
        }
        let outside = (0..vertices).map(|v| {
            let all = &around[ends[v] as usize..ends[v + 1] as usize];
            all.first().is_some_and(|&triangle| !is_closed_fan(triangles, twins, v as u32, triangle, all.len()))
        });
        let outside = outside.collect();
        let mut borders = Vec::with_capacity(twins.len() / 2);
        for (h, &twin) in twins.iter().enumerate() {
            if twin != NONE && h < twin as usize && h / 3 != twin as usize / 3 {
                let [p, q] = half_edge(triangles, h as u32);
                let length = (at(q) - at(p)).length() as f32;
                borders.push(Border { groups: pack(h as u32 / 3, twin / 3), length, vertex: p.min(q) });
            }
        }
        merge_equal(&mut borders);
        Build {
            triangles,
            level: 0,
            node: (0..count as u32).collect(),
            area: triangles.iter().map(area).collect(),
            rim: triangles.iter().map(|t| lengths(t).iter().sum()).collect(),
            stored: (0..count as u32).map(|t| (3 * t, 3 * t + 3)).collect(),
            borders,
            active: (0..vertices as u32).map(|v| (v, ends[v as usize + 1])).collect(),
            around,
            outside,
            merged: Vec::with_capacity(count),
            lists: triangles.iter().flatten().copied().collect(),
        }
    }

    /// Merges the groups of a level into those of the next.
    fn merge_level(&mut self) {
        crate::math::cancel::checkpoint();
        self.level += 1;
        let (into, count) = self.matched();
        let mut sizes = vec![0u8; count];
        into.iter().for_each(|&group| sizes[group as usize] += 1);
        let (mut area, mut rim) = (vec![0.0; count], vec![0.0; count]);
        let (mut node, mut stored) = (vec![NONE; count], vec![(0, 0); count]);
        for (old, &group) in into.iter().enumerate() {
            let (group, own) = (group as usize, self.node[old]);
            area[group] += self.area[old];
            rim[group] += self.rim[old];
            if sizes[group] == 1 {
                (node[group], stored[group]) = (own, self.stored[old]);
                continue;
            }
            let size = self.count(own);
            if node[group] == NONE {
                node[group] = (self.triangles.len() + self.merged.len()) as u32;
                let children = [own, NONE, NONE];
                self.merged.push(Merged { children, count: size, level: self.level, stored: (0, 0) });
            } else {
                let merged = &mut self.merged[node[group] as usize - self.triangles.len()];
                merged.count += size;
                if let Some(free) = merged.children.iter_mut().find(|child| **child == NONE) {
                    *free = own;
                }
            }
        }
        (self.area, self.rim, self.node) = (area, rim, node);
        self.join_borders(&into);
        self.store_vertices(&into, &sizes, &mut stored);
        self.stored = stored;
        // Also of groups that last, whose lists may have grown.
        for (&node, &stored) in self.node.iter().zip(&self.stored) {
            if let Some(number) = (node as usize).checked_sub(self.triangles.len()) {
                self.merged[number].stored = stored;
            }
        }
    }

    /// The number of triangles of a node.
    fn count(&self, node: u32) -> u32 {
        (node as usize).checked_sub(self.triangles.len()).map_or(1, |number| self.merged[number].count)
    }

    /// The new group of each group, and how many there are. New groups are in the order of their first members.
    fn matched(&self) -> (Vec<u32>, usize) {
        let groups = self.node.len();
        // Roundest first, then in order. Scores are not negative, so their bits are ordered like their values.
        let score = |border: &Border| {
            let [a, b] = unpack(border.groups).map(|group| group as usize);
            let rim = self.rim[a] + self.rim[b] - 2.0 * border.length;
            let roundness = (self.area[a] + self.area[b]).max(0.0).sqrt() / rim.max(f32::MIN_POSITIVE);
            if roundness.is_nan() { 0.0 } else { roundness }
        };
        let key = |(number, border): (usize, &Border)| u64::from(!score(border).to_bits()) << 32 | number as u64;
        let mut order: Vec<u64> = self.borders.iter().enumerate().map(key).collect();
        order.sort_unstable();
        let ordered = || order.iter().map(|&key| unpack(self.borders[key as u32 as usize].groups).map(|g| g as usize));
        let mut into = vec![NONE; groups];
        let mut sizes: Vec<u8> = Vec::with_capacity(groups / 2);
        let mut turns = Turns::default();
        for [a, b] in ordered() {
            turns.turn();
            if into[a] == NONE && into[b] == NONE {
                (into[a], into[b]) = (sizes.len() as u32, sizes.len() as u32);
                sizes.push(2);
            }
        }
        for [a, b] in ordered() {
            for (single, other) in [(a, b), (b, a)] {
                if into[single] == NONE && into[other] != NONE && sizes[into[other] as usize] == 2 {
                    into[single] = into[other];
                    sizes[into[other] as usize] = 3;
                }
            }
        }
        let mut left: Vec<(u32, u32)> =
            (0..groups as u32).filter(|&group| into[group as usize] == NONE).map(|group| (NONE, group)).collect();
        if 4 * (sizes.len() + left.len()) > 3 * groups {
            // Next to each other are those around one new group.
            let mut hub = vec![NONE; groups];
            for [a, b] in ordered() {
                (hub[a], hub[b]) = (hub[a].min(into[b]), hub[b].min(into[a]));
            }
            left.iter_mut().for_each(|(by, group)| *by = hub[*group as usize]);
            left.sort_unstable();
            for pair in left.chunks_exact(2) {
                pair.iter().for_each(|&(_, group)| into[group as usize] = sizes.len() as u32);
                sizes.push(2);
            }
        }
        let mut names = vec![NONE; sizes.len()];
        let mut count = 0;
        for group in &mut into {
            let mut single = NONE;
            let name = if *group == NONE { &mut single } else { &mut names[*group as usize] };
            if *name == NONE {
                *name = count;
                count += 1;
            }
            *group = *name;
        }
        (into, count as usize)
    }

    /// The borders between the new groups; those within one shorten its contour.
    fn join_borders(&mut self, into: &[u32]) {
        let mut borders = std::mem::take(&mut self.borders);
        borders.retain_mut(|border| {
            let [a, b] = unpack(border.groups).map(|group| into[group as usize]);
            if a == b {
                self.rim[a as usize] = (self.rim[a as usize] - 2.0 * border.length).max(0.0);
            }
            border.groups = pack(a, b);
            a != b
        });
        merge_equal(&mut borders);
        self.borders = borders;
    }

    /// Stores vertices for the new groups, and drops vertices that are within one.
    fn store_vertices(&mut self, into: &[u32], sizes: &[u8], stored: &mut [(u32, u32)]) {
        let (mut kept, mut from, mut to) = (0, 0, 0);
        let mut found: Vec<(u32, u32)> = Vec::new();
        for k in 0..self.active.len() {
            let (vertex, end) = self.active[k];
            let start = to;
            for at in from..end as usize {
                let group = into[self.around[at] as usize];
                if !self.around[start..to].contains(&group) {
                    self.around[to] = group;
                    to += 1;
                }
            }
            from = end as usize;
            let groups = &self.around[start..to];
            if groups.len() + usize::from(self.outside[vertex as usize]) > 2 {
                found.extend(groups.iter().filter(|&&g| sizes[g as usize] > 1).map(|&g| (g, vertex)));
            }
            if groups.len() > 1 {
                self.active[kept] = (vertex, to as u32);
                kept += 1;
            } else {
                to = start;
            }
        }
        self.active.truncate(kept);
        self.around.truncate(to);
        // By group, a counting sort.
        let mut counts = vec![0u32; sizes.len()];
        found.iter().for_each(|&(group, _)| counts[group as usize] += 1);
        let mut start = self.lists.len() as u32;
        for (group, &size) in sizes.iter().enumerate() {
            if size > 1 {
                stored[group] = (start, start);
                start += counts[group];
            }
        }
        self.lists.resize(start as usize, 0);
        for (group, vertex) in found {
            let end = &mut stored[group as usize].1;
            self.lists[*end as usize] = vertex;
            *end += 1;
        }
        for border in &self.borders {
            let groups = unpack(border.groups).map(|group| group as usize);
            let [a, b] = groups.map(|group| &self.lists[stored[group].0 as usize..stored[group].1 as usize]);
            if !meet(a, b) {
                for group in groups {
                    let start = self.lists.len() as u32;
                    self.lists.extend_from_within(stored[group].0 as usize..stored[group].1 as usize);
                    self.lists.push(border.vertex);
                    stored[group] = (start, self.lists.len() as u32);
                }
            }
        }
    }

    /// The regions and the order of triangles; the last merged group, or the only triangle, is the root.
    fn tree(&self) -> RegionTree {
        let triangles = self.triangles.len();
        let mut tree = RegionTree { order: vec![0; triangles], ..RegionTree::default() };
        let mut nodes = vec![self.node[0]];
        tree.regions.push(Region { count: triangles as u32, ..Region::default() });
        let mut below = Vec::new();
        let mut number = 0;
        while number < nodes.len() {
            let own = (nodes[number] as usize).checked_sub(triangles).map(|k| &self.merged[k]);
            let region = &mut tree.regions[number];
            region.level = own.map_or(0, |own| own.level);
            let mut first = region.first;
            match own {
                Some(own) if region.count as usize > WIDTH => {
                    let at = tree.stored.len() as u32;
                    tree.stored.extend_from_slice(&self.lists[own.stored.0 as usize..own.stored.1 as usize]);
                    region.stored = (at, tree.stored.len() as u32);
                    region.child = nodes.len() as u32;
                    let children = own.children.iter().filter(|&&child| child != NONE);
                    region.children = children.clone().count() as u8;
                    for &child in children {
                        let count = self.count(child);
                        nodes.push(child);
                        tree.regions.push(Region { first, count, ..Region::default() });
                        first += count;
                    }
                }
                _ => {
                    below.push(nodes[number]);
                    while let Some(node) = below.pop() {
                        match (node as usize).checked_sub(triangles) {
                            Some(k) => below.extend(self.merged[k].children.iter().rev().filter(|&&c| c != NONE)),
                            None => {
                                tree.order[first as usize] = node;
                                first += 1;
                            }
                        }
                    }
                }
            }
            number += 1;
        }
        tree
    }
}

/// Whether all triangles of a vertex form one closed fan, to which a triangle belongs.
fn is_closed_fan(triangles: &[[u32; 3]], twins: &[u32], vertex: u32, triangle: u32, count: usize) -> bool {
    let Some(corner) = triangles[triangle as usize].iter().position(|&v| v == vertex) else { return false };
    let start = 3 * triangle + corner as u32;
    let mut h = start;
    for step in 1..=count {
        // The side before the one that leaves the vertex ends there; its twin leaves it.
        let before = h - h % 3 + (h + 2) % 3;
        h = twins[before as usize];
        if h == NONE {
            return false;
        }
        if h == start {
            return step == count;
        }
    }
    false
}

/// Sorts borders and joins those of the same two groups.
fn merge_equal(borders: &mut Vec<Border>) {
    borders.sort_unstable_by_key(|border| (border.groups, border.vertex, border.length.to_bits()));
    borders.dedup_by(|later, first| {
        let same = later.groups == first.groups;
        if same {
            first.length += later.length;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of cells, each split in two; closed along an axis where the last points are the first.
    fn grid([columns, rows]: [u32; 2], closed: [bool; 2]) -> Vec<[u32; 3]> {
        let size = [columns + u32::from(!closed[0]), rows + u32::from(!closed[1])];
        let corner = |i: u32, j: u32| j % size[1] * size[0] + i % size[0];
        let cell = |i: u32, j: u32| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        (0..rows).flat_map(|j| (0..columns).flat_map(move |i| cell(i, j))).collect()
    }

    /// Positions that make regions of all shapes.
    fn anywhere(vertex: u32) -> DVec3 {
        let x = f64::from(vertex);
        DVec3::new((x * 0.7).sin() * 9.0, (x * 1.3).cos() * 5.0, (x * 0.11).sin())
    }

    fn models() -> Vec<Vec<[u32; 3]>> {
        let mut pierced = grid([15, 15], [false; 2]);
        // A hole, triangles turned over, an edge of three, a vertex of two fans, two without area.
        pierced.retain(|t| !t.contains(&100) && !t.contains(&56));
        (0..pierced.len()).step_by(17).for_each(|k| pierced[k].swap(0, 1));
        pierced.extend([[3, 4, 300], [3, 4, 301], [20, 302, 303], [7, 7, 8], [9, 9, 9]]);
        let soup: Vec<[u32; 3]> = (0..50).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        // Two closed surfaces with one vertex in common, and a star of strips about one triangle.
        let mut two = grid([8, 8], [true; 2]);
        two.extend(grid([8, 6], [true; 2]).iter().map(|t| t.map(|v| if v == 0 { 0 } else { v + 100 })));
        let fans: Vec<[u32; 3]> = (0..60).map(|k| [0, 2 * k + 1, 2 * k + 2]).collect();
        let cone: Vec<[u32; 3]> = (0..60).map(|k| [0, k + 1, (k + 1) % 60 + 1]).collect();
        vec![
            vec![[0, 1, 2]],
            grid([2, 2], [false; 2]),
            grid([30, 21], [false; 2]),
            grid([200, 1], [false; 2]),
            grid([24, 5], [true, false]),
            grid([16, 12], [true; 2]),
            pierced,
            soup,
            two,
            fans,
            cone,
        ]
    }

    fn parents(tree: &RegionTree) -> Vec<Option<usize>> {
        let mut parents = vec![None; tree.regions.len()];
        for (number, region) in tree.regions.iter().enumerate() {
            region.children().for_each(|child| parents[child as usize] = Some(number));
        }
        parents
    }

    fn vertices(triangles: &[[u32; 3]], tree: &RegionTree, region: &Region) -> Vec<u32> {
        let places = region.first..region.first + region.count;
        let mut all: Vec<u32> = places.flat_map(|p| triangles[tree.order[p as usize] as usize]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn every_triangle_is_in_one_leaf_and_contours_are_those_of_the_definition() {
        for (number, triangles) in models().iter().enumerate() {
            for at in [anywhere, |_| DVec3::ZERO] {
                let tree = RegionTree::new(triangles, at);
                let mut order = tree.order.clone();
                order.sort_unstable();
                assert!(order.into_iter().eq(0..triangles.len() as u32));
                let map = EdgeMap::new(triangles).twin;
                let parents = parents(&tree);
                let depth =
                    |mut region: usize| std::iter::from_fn(|| parents[region].inspect(|&up| region = up)).count();
                for (k, region) in tree.regions.iter().enumerate() {
                    assert!(depth(k) as u32 <= 3 * (triangles.len().ilog2() + 1), "model {number}");
                    let children: u32 = region.children().map(|child| tree.regions[child as usize].count).sum();
                    assert!(region.is_leaf() && region.count as usize <= WIDTH || children == region.count);
                    assert!(region.children().all(|child| tree.regions[child as usize].level < region.level));
                    let within = |t: u32| tree.order[region.first as usize..][..region.count as usize].contains(&t);
                    let mut expected: Vec<[u32; 2]> = (0..3 * triangles.len() as u32)
                        .filter(|&h| within(h / 3) && (map[h as usize] == NONE || !within(map[h as usize] / 3)))
                        .map(|h| half_edge(triangles, h))
                        .collect();
                    let by_place = |&h: &u32| half_edge(triangles, 3 * tree.order[h as usize / 3] + h % 3);
                    let mut contour: Vec<[u32; 2]> = tree.contour(region).iter().map(by_place).collect();
                    expected.sort_unstable();
                    contour.sort_unstable();
                    assert_eq!(contour, expected, "model {number}");
                }
            }
        }
        assert!(RegionTree::new(&[], anywhere).regions.is_empty());
    }

    #[test]
    fn adjacency_is_that_of_brute_force() {
        for (number, triangles) in models().iter().enumerate() {
            let tree = RegionTree::new(triangles, anywhere);
            let parents = parents(&tree);
            let all: Vec<Vec<u32>> = tree.regions.iter().map(|region| vertices(triangles, &tree, region)).collect();
            let lasts = |k: usize| parents[k].map_or(u8::MAX, |up| tree.regions[up].level - 1);
            for (a, one) in tree.regions.iter().enumerate() {
                for (b, other) in tree.regions.iter().enumerate().skip(a + 1) {
                    let apart = one.first + one.count <= other.first || other.first + other.count <= one.first;
                    // Side by side at one level; or one a leaf, and the other from a region beside it.
                    let beside = one.level.max(other.level) <= lasts(a).min(lasts(b));
                    let below_leaf =
                        one.is_leaf() && other.level <= one.level || other.is_leaf() && one.level <= other.level;
                    if !apart || !beside && !below_leaf {
                        continue;
                    }
                    let share = all[a].iter().any(|vertex| all[b].binary_search(vertex).is_ok());
                    assert_eq!(tree.adjacent(one, other), share, "model {number}: {a} and {b}");
                }
            }
            let most = tree.regions.iter().map(|region| region.stored.1 - region.stored.0).max().unwrap_or(0);
            if number == 2 {
                assert!(most <= 20, "{most} stored vertices");
            }
        }
    }
}
