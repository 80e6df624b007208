//! A hash table over the cells of a grid: which faces of one mesh of tetrahedra may meet which tetrahedra of another.
//!
//! Teschner, Heidelberger, Müller, Pomeranets and Gross, *Optimized Spatial Hashing for Collision Detection of
//! Deformable Objects* (2003): cells of about the size of a tetrahedron, tetrahedra stored by the hash of each cell
//! that their boxes reach, nothing kept from frame to frame. Departures:
//! - faces are looked up, not vertices: the answer is about surface in volume;
//! - only what reaches into the intersection of both meshes' boxes is stored and looked up;
//! - an entry holds its cell beside the tetrahedron, so cells of equal hash do not mix, and a pair is passed on in the
//!   cell of the low corner of the intersection of both boxes only: once;
//! - cells are enlarged until there are at most [`ENTRIES`] of them to a tetrahedron, and to a face, on average, which
//!   bounds memory and work for tetrahedra of very different sizes.

use std::ops::RangeInclusive;

use fearless_simd::Level;
use glam::DVec3;

use super::tet_mesh::TetMesh;
use super::tet_pairs::{Found, Sides, are_neighbours};
use crate::answer::tets::TetNeighbours;
use crate::bound::Aabb;
use crate::parallel;

/// How many cells a box may reach into on average.
const ENTRIES: u64 = 32;

/// The most cells along an axis: three numbers of cells make a key of 63 bits.
const MOST_CELLS: f64 = (1u32 << 20) as f64;

/// How many candidates wait before they are decided.
const WAITING: usize = 2048;

/// How many faces are one piece of work.
const PIECE: usize = 512;

type Cell = [u32; 3];

/// A regular grid over a box.
#[derive(Clone, Copy)]
struct Grid {
    bounds: Aabb,
    /// Cells to a unit of length.
    density: f64,
}

impl Grid {
    /// The cell of a point, moved into the box. Monotone along each axis.
    #[inline]
    fn cell(&self, point: DVec3) -> Cell {
        let place = (point.clamp(self.bounds.min, self.bounds.max) - self.bounds.min) * self.density;
        [place.x as u32, place.y as u32, place.z as u32]
    }

    #[inline]
    fn range(&self, bounds: &Aabb) -> [RangeInclusive<u32>; 3] {
        let (low, high) = (self.cell(bounds.min), self.cell(bounds.max));
        [low[0]..=high[0], low[1]..=high[1], low[2]..=high[2]]
    }

    fn reached(&self, boxes: &[(u32, Aabb)]) -> u64 {
        let cells = |(_, bounds): &(u32, Aabb)| -> u64 {
            self.range(bounds).iter().map(|range| u64::from(range.end() - range.start()) + 1).product()
        };
        boxes.iter().map(cells).sum()
    }
}

/// The tetrahedra by the hash of their cells.
struct Table {
    /// Where the entries of a hash begin, and one more.
    starts: Vec<u32>,
    /// The key of a cell, and a tetrahedron by its place in the list.
    entries: Vec<(u64, u32)>,
}

impl Table {
    fn new(grid: &Grid, tets: &[(u32, Aabb)], count: u64) -> Table {
        let slots = (count as usize).next_power_of_two();
        let mut starts = vec![0u32; slots + 1];
        for (_, bounds) in tets {
            for_cells(&grid.range(bounds), |cell| starts[slot(key(cell), slots) + 1] += 1);
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut entries = vec![(0, 0); count as usize];
        let mut next = starts.clone();
        for (place, (_, bounds)) in tets.iter().enumerate() {
            for_cells(&grid.range(bounds), |cell| {
                let next = &mut next[slot(key(cell), slots)];
                entries[*next as usize] = (key(cell), place as u32);
                *next += 1;
            });
        }
        Table { starts, entries }
    }

    #[inline]
    fn at(&self, cell: Cell) -> impl Iterator<Item = u32> {
        let key = key(cell);
        let slot = slot(key, self.starts.len() - 1);
        let own = &self.entries[self.starts[slot] as usize..self.starts[slot + 1] as usize];
        own.iter().filter(move |entry| entry.0 == key).map(|entry| entry.1)
    }
}

#[inline]
fn key([x, y, z]: Cell) -> u64 {
    u64::from(x) | u64::from(y) << 21 | u64::from(z) << 42
}

/// Fibonacci hashing. `slots` is a power of two.
#[inline]
fn slot(key: u64, slots: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) as usize & (slots - 1)
}

#[inline]
fn for_cells([xs, ys, zs]: &[RangeInclusive<u32>; 3], mut visit: impl FnMut(Cell)) {
    for z in zs.clone() {
        for y in ys.clone() {
            for x in xs.clone() {
                visit([x, y, z]);
            }
        }
    }
}

fn box_of(points: &[DVec3]) -> Aabb {
    points.iter().fold(Aabb::EMPTY, |bounds, &point| bounds.including(point))
}

/// All pairs, in parts. Of one mesh with itself a relation of neighbours, which are left out.
pub(super) fn pairs(sides: &Sides<'_>, itself: Option<TetNeighbours>) -> Vec<Found> {
    let (of_faces, of_tets) = (&sides.faces.bounds, &sides.tets.bounds);
    let common = Aabb::new(of_faces.min.max(of_tets.min), of_faces.max.min(of_tets.max));
    let count = |mesh: &TetMesh| (mesh.layout.tets.len() as u32, mesh.layout.faces.len() as u32);
    let near = |(_, bounds): &(u32, Aabb)| bounds.overlaps(&common);
    let tets = (0..count(sides.tets).0).map(|tet| (tet, box_of(&sides.tets.corners(tet))));
    let tets: Vec<(u32, Aabb)> = tets.filter(near).collect();
    let faces = (0..count(sides.faces).1).map(|face| (face, box_of(&sides.faces.face_corners(face))));
    let faces: Vec<(u32, Aabb)> = faces.filter(near).collect();
    if tets.is_empty() || faces.is_empty() {
        return Vec::new();
    }
    let edge = tets.iter().map(|(_, bounds)| bounds.size().max_element()).sum::<f64>() / tets.len() as f64;
    let edge = edge.max(common.size().max_element() / MOST_CELLS);
    let mut grid = Grid { bounds: common, density: if edge > 0.0 { 1.0 / edge } else { 0.0 } };
    let mut cells = grid.reached(&tets);
    while cells > ENTRIES * tets.len() as u64 + 64 || grid.reached(&faces) > ENTRIES * faces.len() as u64 + 64 {
        grid.density *= 0.5;
        cells = grid.reached(&tets);
    }
    let table = Table::new(&grid, &tets, cells);
    let level = Level::new();
    parallel::map_pieces(&faces, PIECE, |faces| {
        let (mut found, mut waiting) = (Found::default(), Vec::new());
        for (face, bounds) in faces {
            let own = sides.faces.layout.faces[*face as usize].tet;
            for_cells(&grid.range(bounds), |cell| {
                for place in table.at(cell) {
                    let (tet, other) = &tets[place as usize];
                    let is_once = bounds.overlaps(other) && grid.cell(bounds.min.max(other.min)) == cell;
                    let neighbours =
                        || itself.is_some_and(|relation| are_neighbours(&sides.tets.layout, relation, own, *tet));
                    if is_once && !neighbours() {
                        waiting.push([*face, *tet]);
                    }
                }
            });
            if waiting.len() >= WAITING {
                sides.decide(level, &mut waiting, &mut found);
            }
        }
        sides.decide(level, &mut waiting, &mut found);
        found
    })
}
