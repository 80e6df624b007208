//! The subdivision of space: steps 4 to 6.
//!
//! A part of space, a *cell*, holds a list of the triangles that meet it, by body. It is divided by the planes through
//! its middle, unless it is a *voxel*. A triangle whose box lies on one side of each plane goes to that child; one
//! whose box reaches across is tested against each child that its box meets. A child with triangles of one body only is
//! dropped. Lists of the cells from the first to the current one lie on one stack; nothing else is stored.
//!
//! At a fixed level a cell is a voxel by its size. At an automatic level it is one if its pairs of triangles of
//! different bodies are at most [`FEW_PAIRS`] times as many as its triangles, so that dividing costs more than
//! comparing the boxes of all pairs; if its children together would have as many pairs, as where triangles are larger
//! than cells; or if dividing has not made the list shorter three times in a row, as where many triangles share a
//! point. A child that has all the triangles of its parent is shrunk to their common box first, so a cluster in a
//! corner of a large cell is found in one step.
//!
//! With `n` triangles in a cell and `m` in its `c` children together, children have some `m²/c` pairs, the cell `n²`:
//! dividing pays if `m² < c n²`. So pairs become fewer from level to level, and cells are bounded by them.
//!
//! Pairs of a voxel whose boxes meet each other within it are *candidates*. A pair may be one in several voxels:
//! candidates are collected, sorted, and each distinct one is decided. Some [`CANDIDATES`] wait at a time.

use glam::DVec3;

use super::input::{joined, map_pieces, meets};
use super::options::{BodyFaces, Division, FaceOctreeCounts, FaceOctreeOptions, FacePair};
use crate::bound::Aabb;
use crate::math::cancel::Turns;
use crate::math::tolerances::{FACE_OCTREE_DEPTH, FACE_OCTREE_LEVELS};

/// An automatic level divides cells with more pairs than this times their triangles.
const FEW_PAIRS: u64 = 8;

/// Divisions in a row that do not shorten a list.
const STALE: u32 = 3;

/// Candidates that wait for their decision, in each piece of work.
const CANDIDATES: usize = 1 << 16;

/// With fewer items all is one piece of work.
const SERIAL: usize = 2048;

/// How many cells are opened before they are divided in parallel.
const PIECES: usize = 128;

/// What is subdivided: triangles, or boxes with triangles in them. Items are in the order of their bodies.
pub(super) trait Items: Sync {
    fn count(&self) -> usize;
    fn body(&self, item: u32) -> u32;
    /// The box of an item.
    fn bounds(&self, item: u32) -> &Aabb;
    /// Whether an item whose box meets a box may meet it itself.
    fn may_meet(&self, item: u32, bounds: &Aabb) -> bool;
    /// The pairs of triangles that two items stand for, the body of the first being the lower one.
    fn pairs(&self, a: u32, b: u32, push: &mut impl FnMut(FacePair));
}

/// What to divide, and how.
pub(super) struct Task<'a> {
    pub options: &'a FaceOctreeOptions,
    pub space: Aabb,
    pub bodies: &'a [BodyFaces<'a>],
}

/// A part of space.
#[derive(Clone, Copy)]
struct Cell {
    bounds: Aabb,
    /// How often space was divided on the way to it.
    depth: u32,
    /// How often in a row that did not shorten the list.
    stale: u32,
}

/// How a cell is divided.
struct Cut {
    /// The middle; infinite along axes that are not divided, so that all lies on the low side.
    middle: DVec3,
    /// A bit for each child that exists. Bits of a child's number: the high side of x, y, z.
    children: u8,
}

/// Children on the low side of each axis.
const LOW: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];

impl Cut {
    /// The children that a box meets, if it meets the cell.
    #[inline]
    fn met_by(&self, bounds: &Aabb) -> u8 {
        let mut met = self.children;
        for (axis, low) in LOW.into_iter().enumerate() {
            let middle = self.middle[axis];
            let below = if bounds.min[axis] <= middle { low } else { 0 };
            let above = if bounds.max[axis] >= middle { !low } else { 0 };
            met &= below | above;
        }
        met
    }

    fn child(&self, bounds: &Aabb, number: u32) -> Aabb {
        let mut child = *bounds;
        for axis in 0..3 {
            if number >> axis & 1 == 1 {
                child.min[axis] = self.middle[axis];
            } else {
                child.max[axis] = bounds.max[axis].min(self.middle[axis]);
            }
        }
        child
    }
}

impl Task<'_> {
    /// How a cell is divided; `None` if its sides are too short for their floats.
    fn cut(&self, bounds: &Aabb) -> Option<Cut> {
        let size = bounds.size();
        let longest = size.max_element();
        let mut cut = Cut { middle: DVec3::INFINITY, children: 1 };
        for axis in 0..3 {
            let middle = 0.5 * bounds.min[axis] + 0.5 * bounds.max[axis];
            let wanted = match self.options.division {
                Division::Octree => size[axis] > 0.5 * longest,
                Division::Bintree => size[axis] == longest && cut.children == 1,
            };
            if wanted && bounds.min[axis] < middle && middle < bounds.max[axis] {
                cut.middle[axis] = middle;
                cut.children |= cut.children << (1 << axis);
            }
        }
        (cut.children != 1).then_some(cut)
    }

    /// How a cell with a list is divided; `None` if it is a voxel.
    fn division<I: Items>(&self, items: &I, cell: &Cell, list: &[u32]) -> Option<Cut> {
        let is_voxel = match self.options.level {
            Some(level) => {
                // Sides are halves of halves, up to rounding: between one level and the next there is a factor of two.
                let limit = self.space.size().max_element() * 0.5f64.powi(level.min(FACE_OCTREE_LEVELS) as i32);
                cell.bounds.size().max_element() <= 1.5 * limit
            }
            None => {
                cell.depth >= FACE_OCTREE_DEPTH
                    || cell.stale >= STALE
                    || pairs(items, list) <= FEW_PAIRS * list.len() as u64
            }
        };
        if is_voxel { None } else { self.cut(&cell.bounds) }
    }

    /// Whether children together have fewer pairs than their parent: see the head of this file.
    fn pays(&self, cut: &Cut, masks: &[u8]) -> bool {
        let together = masks.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>() as f64;
        let (children, count) = (f64::from(cut.children.count_ones()), masks.len() as f64);
        self.options.level.is_some() || together * together < children * count * count
    }

    /// The children of each item of a list.
    fn distribute<I: Items>(
        &self,
        items: &I,
        bounds: &Aabb,
        cut: &Cut,
        list: &[u32],
        tests: &mut u64,
        out: &mut Vec<u8>,
    ) {
        let boxes: [Aabb; 8] = std::array::from_fn(|number| cut.child(bounds, number as u32));
        out.extend(list.iter().map(|&item| {
            let met = cut.met_by(items.bounds(item));
            if met.is_power_of_two() {
                return met;
            }
            let (mut left, mut kept) = (met, 0);
            while left != 0 {
                let number = left.trailing_zeros();
                left &= left - 1;
                *tests += 1;
                kept |= u8::from(items.may_meet(item, &boxes[number as usize])) << number;
            }
            kept
        }));
    }

    /// A child with its list, of a parent with a list of `before`.
    fn child<I: Items>(&self, items: &I, parent: &Cell, bounds: Aabb, before: usize, list: &[u32]) -> Cell {
        let depth = parent.depth + 1;
        if self.options.level.is_some() || 10 * list.len() <= 9 * before {
            return Cell { bounds, depth, stale: 0 };
        }
        // A common point of two items lies in the cell and in the boxes of both.
        let around = list.iter().fold(Aabb::EMPTY, |all, &item| joined(&all, items.bounds(item)));
        let shrunk = Aabb::new(bounds.min.max(around.min), bounds.max.min(around.max));
        let helped = shrunk.size().max_element() < 0.5 * bounds.size().max_element();
        Cell { bounds: shrunk, depth, stale: if helped { parent.stale } else { parent.stale + 1 } }
    }
}

/// Whether a list has items of two bodies.
fn of_two_bodies<I: Items>(items: &I, list: &[u32]) -> bool {
    match *list {
        [first, .., last] => items.body(first) != items.body(last),
        _ => false,
    }
}

/// How many pairs of items are of different bodies.
fn pairs<I: Items>(items: &I, list: &[u32]) -> u64 {
    let (mut count, mut body, mut run) = (0, u32::MAX, 0);
    for (place, &item) in list.iter().enumerate() {
        if items.body(item) != body {
            (body, run) = (items.body(item), 0);
        }
        count += place as u64 - run;
        run += 1;
    }
    count
}

/// Adds all pairs of triangles that meet, sorted, each once.
pub(super) fn subdivide<I: Items>(
    task: &Task<'_>,
    items: &I,
    found: &mut Vec<FacePair>,
    counts: &mut FaceOctreeCounts,
) {
    let all: Vec<u32> = (0..items.count() as u32).collect();
    if !of_two_bodies(items, &all) {
        return;
    }
    let first = Cell { bounds: task.space, depth: 0, stale: 0 };
    let cells = if all.len() < SERIAL { vec![(first, all)] } else { opened(task, items, (first, all), counts) };
    let parts = map_pieces(&cells, |(cell, list)| {
        let mut walk = Walk { task, items, lists: list.clone(), ..Walk::new(task, items) };
        walk.cell(*cell, 0);
        walk.decide();
        walk.found.sort_unstable();
        walk.found.dedup();
        (walk.found, walk.counts)
    });
    for (part, more) in parts {
        found.extend(part);
        counts.add(&more);
    }
    found.sort_unstable();
    found.dedup();
}

/// Divides cells, level by level, until there are enough of them for all cores.
fn opened<I: Items>(
    task: &Task<'_>,
    items: &I,
    first: (Cell, Vec<u32>),
    counts: &mut FaceOctreeCounts,
) -> Vec<(Cell, Vec<u32>)> {
    let (mut open, mut ready) = (vec![first], Vec::new());
    while !open.is_empty() && open.len() + ready.len() < PIECES {
        let opened = map_pieces(&open, |(cell, list)| {
            let cut = task.division(items, cell, list)?;
            let (mut masks, mut tests) = (Vec::with_capacity(list.len()), 0);
            task.distribute(items, &cell.bounds, &cut, list, &mut tests, &mut masks);
            if !task.pays(&cut, &masks) {
                return None;
            }
            let mut children = Vec::new();
            for number in 0..8 {
                let met = list.iter().zip(&masks).filter(|(_, mask)| **mask >> number & 1 == 1);
                let own: Vec<u32> = met.map(|(&item, _)| item).collect();
                if of_two_bodies(items, &own) {
                    let bounds = cut.child(&cell.bounds, number);
                    children.push((task.child(items, cell, bounds, list.len(), &own), own));
                }
            }
            Some((children, tests))
        });
        let mut next = Vec::new();
        for (cell, opened) in open.into_iter().zip(opened) {
            match opened {
                Some((children, tests)) => {
                    counts.cells += 1;
                    counts.face_box_tests += tests;
                    next.extend(children);
                }
                None => ready.push(cell),
            }
        }
        open = next;
    }
    ready.extend(open);
    ready
}

/// The subdivision of a cell, depth first.
struct Walk<'a, I> {
    task: &'a Task<'a>,
    items: &'a I,
    /// The lists of the cells from the first to the current one, and who goes to which child of them.
    lists: Vec<u32>,
    masks: Vec<u8>,
    /// Pairs of items, and the pairs of triangles that they stand for.
    candidates: Vec<[u32; 2]>,
    faces: Vec<FacePair>,
    found: Vec<FacePair>,
    counts: FaceOctreeCounts,
    turns: Turns,
}

impl<'a, I: Items> Walk<'a, I> {
    fn new(task: &'a Task<'a>, items: &'a I) -> Walk<'a, I> {
        Walk {
            task,
            items,
            lists: Vec::new(),
            masks: Vec::new(),
            candidates: Vec::new(),
            faces: Vec::new(),
            found: Vec::new(),
            counts: FaceOctreeCounts::default(),
            turns: Turns::default(),
        }
    }

    /// Divides a cell whose list is the end of the stack, from `start`.
    fn cell(&mut self, cell: Cell, start: usize) {
        self.turns.turn();
        self.counts.cells += 1;
        let Some(cut) = self.task.division(self.items, &cell, &self.lists[start..]) else {
            self.voxel(&cell.bounds, start);
            return;
        };
        let (end, first_mask) = (self.lists.len(), self.masks.len());
        let tests = &mut self.counts.face_box_tests;
        self.task.distribute(self.items, &cell.bounds, &cut, &self.lists[start..], tests, &mut self.masks);
        if !self.task.pays(&cut, &self.masks[first_mask..]) {
            self.masks.truncate(first_mask);
            self.voxel(&cell.bounds, start);
            return;
        }
        for number in 0..8 {
            for place in start..end {
                if self.masks[first_mask + place - start] >> number & 1 == 1 {
                    self.lists.push(self.lists[place]);
                }
            }
            if of_two_bodies(self.items, &self.lists[end..]) {
                let bounds = cut.child(&cell.bounds, number);
                let child = self.task.child(self.items, &cell, bounds, end - start, &self.lists[end..]);
                self.cell(child, end);
            }
            self.lists.truncate(end);
        }
        self.masks.truncate(first_mask);
    }

    /// Collects the pairs of a voxel.
    fn voxel(&mut self, bounds: &Aabb, start: usize) {
        self.counts.voxels += 1;
        let count = self.lists.len() - start;
        let mut next = 0;
        for place in 0..count {
            let item = self.lists[start + place];
            let body = self.items.body(item);
            next = next.max(place + 1);
            while next < count && self.items.body(self.lists[start + next]) == body {
                next += 1;
            }
            if next == count {
                break;
            }
            let own = self.items.bounds(item);
            let within = Aabb::new(own.min.max(bounds.min), own.max.min(bounds.max));
            for &other in &self.lists[start + next..] {
                if self.items.bounds(other).overlaps(&within) {
                    self.candidates.push([item, other]);
                }
            }
            if self.candidates.len() >= CANDIDATES {
                self.decide();
            }
        }
    }

    /// Decides all candidates.
    fn decide(&mut self) {
        self.candidates.sort_unstable();
        self.candidates.dedup();
        for place in 0..self.candidates.len() {
            let ([item, other], faces) = (self.candidates[place], &mut self.faces);
            self.items.pairs(item, other, &mut |pair| faces.push(pair));
            if self.faces.len() >= CANDIDATES {
                self.decide_faces();
            }
        }
        self.candidates.clear();
        self.decide_faces();
    }

    /// Decides the pairs of triangles that wait.
    fn decide_faces(&mut self) {
        self.faces.sort_unstable();
        self.faces.dedup();
        for pair in self.faces.drain(..) {
            self.turns.turn();
            self.counts.face_pair_tests += 1;
            if meets(self.task.bodies, &pair) {
                self.found.push(pair);
            }
        }
    }
}
