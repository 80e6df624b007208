//! Which triangles meet a region where the boxes of two bodies overlap: steps 2 and 3.
//!
//! A body with few regions keeps them as boxes, and its triangles are compared with each. A body with more of them,
//! such as a floor with a thousand things on it, draws them into a grid of bits over its own box; a triangle is kept if
//! a cell that its box covers is set. Cells are numbered by a monotone function of the coordinates, so a triangle and a
//! region with a common point have a common cell, without any slack.

use super::input::{Flat, ListedFace, box_of, joined, map_pieces};
use super::options::{BodyFaces, BoxStage, DividedSpace, FaceOctreeCounts, FaceOctreeOptions};
use crate::bound::Aabb;

/// Regions that a body keeps as boxes; with more of them it has a grid.
const FEW: usize = 8;

/// Cells along a side of a grid.
const SIDE: usize = 16;

/// The triangles that meet a region of their body.
#[derive(Clone, Debug, Default)]
pub(super) struct Checklist {
    /// In order of bodies and of faces.
    pub faces: Vec<ListedFace>,
    /// The bodies in the order of the sort, kept for the memory.
    order: Vec<u32>,
    /// The regions of each body.
    kept: Vec<Kept>,
}

/// The regions of a body.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// Around all of them.
    all: Option<Aabb>,
    few: Vec<Aabb>,
    grid: Option<Box<Grid>>,
    count: usize,
}

/// Which cells of a body's box meet a region.
#[derive(Clone, Debug)]
struct Grid {
    own: Aabb,
    /// By z and y; one bit for each x.
    rows: [[u16; SIDE]; SIDE],
}

impl Grid {
    /// The first and the last cell that a box covers, along an axis: not decreasing in the coordinates.
    fn cells(&self, bounds: &Aabb, axis: usize) -> (usize, usize) {
        let (low, size) = (self.own.min[axis], self.own.max[axis] - self.own.min[axis]);
        let cell = |x: f64| {
            // Of a flat box all is in the first cell. The conversion takes negative numbers to 0.
            let share = if size > 0.0 { (x - low) / size * SIDE as f64 } else { 0.0 };
            (share as usize).min(SIDE - 1)
        };
        (cell(bounds.min[axis]), cell(bounds.max[axis]))
    }

    /// The rows that a box covers, and the bits in each.
    fn span(&self, bounds: &Aabb) -> ([(usize, usize); 2], u16) {
        let (first, last) = self.cells(bounds, 0);
        let bits = (u32::MAX >> (31 - last as u32)) & !((1u32 << first) - 1);
        ([self.cells(bounds, 2), self.cells(bounds, 1)], bits as u16)
    }

    fn set(&mut self, bounds: &Aabb) {
        let ([z, y], bits) = self.span(bounds);
        for plane in &mut self.rows[z.0..=z.1] {
            plane[y.0..=y.1].iter_mut().for_each(|row| *row |= bits);
        }
    }

    fn meets(&self, bounds: &Aabb) -> bool {
        let ([z, y], bits) = self.span(bounds);
        self.rows[z.0..=z.1].iter().any(|plane| plane[y.0..=y.1].iter().any(|row| row & bits != 0))
    }
}

impl Kept {
    /// Adds a region. `own` is the box of the body.
    fn add(&mut self, region: &Aabb, own: &Aabb) {
        self.all = Some(self.all.map_or(*region, |all| joined(&all, region)));
        self.count += 1;
        if let Some(grid) = &mut self.grid {
            grid.set(region);
        } else {
            self.few.push(*region);
            if self.few.len() > FEW {
                let mut grid = Box::new(Grid { own: *own, rows: [[0; SIDE]; SIDE] });
                self.few.drain(..).for_each(|region| grid.set(&region));
                self.grid = Some(grid);
            }
        }
    }
}

impl Checklist {
    /// Fills the list and returns the box to divide; `None` if no two bodies can meet.
    pub fn fill(
        &mut self,
        options: &FaceOctreeOptions,
        bodies: &[BodyFaces<'_>],
        flat: &Flat,
        boxes: &[Aabb],
        counts: &mut FaceOctreeCounts,
    ) -> Option<Aabb> {
        self.faces.clear();
        let space = self.find_regions(options, boxes, counts)?;
        let skipped = options.boxes == BoxStage::Skipped;
        let kept = &self.kept;
        let parts = map_pieces(&flat.pieces(), |&piece| {
            let mut listed = Vec::new();
            flat.runs(piece, |body, start, end| {
                let Kept { all: Some(all), few, grid, .. } = &kept[body] else { return };
                for face in start..end {
                    let corners = bodies[body].corners(face);
                    let bounds = box_of(&corners);
                    let passes = skipped
                        || bounds.overlaps(all)
                            && match grid {
                                Some(grid) => grid.meets(&bounds),
                                None => few.iter().any(|region| options.face_box.may_meet(&corners, &bounds, region)),
                            };
                    if passes {
                        listed.push(ListedFace { bounds, body: body as u32, face });
                    }
                }
            });
            listed
        });
        self.faces.reserve(parts.iter().map(Vec::len).sum());
        parts.into_iter().for_each(|part| self.faces.extend(part));
        counts.checklist = self.faces.len() as u64;
        Some(space)
    }

    /// Finds the regions of all bodies; returns the box to divide.
    fn find_regions(
        &mut self,
        options: &FaceOctreeOptions,
        boxes: &[Aabb],
        counts: &mut FaceOctreeCounts,
    ) -> Option<Aabb> {
        self.kept.clear();
        self.kept.resize(boxes.len(), Kept::default());
        let world = boxes.iter().fold(Aabb::EMPTY, |all, own| joined(&all, own));
        let mut around: Option<Aabb> = None;
        let kept = &mut self.kept;
        match options.boxes {
            BoxStage::Skipped => {
                let occupied = |own: &&Aabb| own.min.cmple(own.max).all();
                if boxes.iter().filter(occupied).count() < 2 {
                    return None;
                }
                kept.iter_mut().zip(boxes).for_each(|(kept, own)| kept.all = Some(*own));
                around = Some(world);
            }
            BoxStage::AllPairs | BoxStage::Sorted => {
                each_overlap(options.boxes, boxes, &mut self.order, |a, b| {
                    let region = Aabb::new(boxes[a].min.max(boxes[b].min), boxes[a].max.min(boxes[b].max));
                    kept[a].add(&region, &boxes[a]);
                    kept[b].add(&region, &boxes[b]);
                    around = Some(around.map_or(region, |all| joined(&all, &region)));
                    counts.regions += 1;
                });
            }
        }
        around.map(|around| match options.space {
            DividedSpace::Regions => around,
            DividedSpace::World => cube_around(&world),
        })
    }
}

/// Visits every pair of boxes that overlap, each once. `order` is scratch.
pub(super) fn each_overlap(stage: BoxStage, boxes: &[Aabb], order: &mut Vec<u32>, mut visit: impl FnMut(usize, usize)) {
    order.clear();
    order
        .extend((0..boxes.len() as u32).filter(|&body| boxes[body as usize].min.cmple(boxes[body as usize].max).all()));
    let at = |body: u32| &boxes[body as usize];
    if stage == BoxStage::AllPairs {
        for (k, &a) in order.iter().enumerate() {
            order[k + 1..].iter().filter(|&&b| at(a).overlaps(at(b))).for_each(|&b| visit(a as usize, b as usize));
        }
        return;
    }
    // Along the axis on which all boxes together are longest, relative to their mean length.
    let count = order.len().max(1) as f64;
    let all = order.iter().fold(Aabb::EMPTY, |all, &body| joined(&all, at(body)));
    let spread = |axis: usize| {
        let mean = order.iter().map(|&body| at(body).size()[axis] / count).sum::<f64>();
        let whole = all.max[axis] - all.min[axis];
        if whole > 0.0 { whole / mean.max(f64::MIN_POSITIVE) } else { 0.0 }
    };
    let spreads = [0, 1, 2].map(spread);
    let axis = (1..3).fold(0, |best, axis| if spreads[axis] > spreads[best] { axis } else { best });
    order.sort_unstable_by(|&a, &b| at(a).min[axis].total_cmp(&at(b).min[axis]).then(a.cmp(&b)));
    for (k, &a) in order.iter().enumerate() {
        let end = at(a).max[axis];
        for &b in order[k + 1..].iter().take_while(|&&b| at(b).min[axis] <= end) {
            if at(a).overlaps(at(b)) {
                visit(a.min(b) as usize, a.max(b) as usize);
            }
        }
    }
}

/// A cube that contains a box, up to rounding at its far sides, where it is enlarged.
fn cube_around(bounds: &Aabb) -> Aabb {
    let longest = bounds.size().max_element();
    Aabb::new(bounds.min, bounds.max.max(bounds.min + longest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_oracle::random::Random;
    use glam::DVec3;

    #[test]
    fn a_grid_keeps_whatever_overlaps_a_region() {
        let mut random = Random::new(3);
        let mut kept_of_apart = 0;
        for round in 0..400 {
            let flat = round % 4 == 0;
            let mut random_box = |size: f64| {
                let mut point = |size: f64| {
                    let z = random.uniform(-size, size);
                    DVec3::new(random.uniform(-size, size), random.uniform(-size, size), if flat { 0.0 } else { z })
                };
                let (middle, half) = (point(1.0 - size), point(size).abs());
                Aabb::new(middle - half, middle + half)
            };
            let own = Aabb::new(DVec3::NEG_ONE, DVec3::ONE);
            let own = if flat { Aabb::new(DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 0.0)) } else { own };
            let mut kept = Kept::default();
            let regions: Vec<Aabb> = (0..12).map(|_| random_box(0.1)).collect();
            regions.iter().for_each(|region| kept.add(region, &own));
            let grid = kept.grid.unwrap();
            for _ in 0..50 {
                let face = random_box(0.1);
                let truth = regions.iter().any(|region| region.overlaps(&face));
                assert!(grid.meets(&face) || !truth, "{regions:?} {face:?}");
                kept_of_apart += usize::from(grid.meets(&face) && !truth);
            }
        }
        assert!(kept_of_apart < 6_000, "{kept_of_apart} of 20,000");
    }

    #[test]
    fn sorted_boxes_overlap_as_all_pairs_do() {
        let mut random = Random::new(4);
        for round in 0..50 {
            let boxes: Vec<Aabb> = (0..40)
                .map(|k| {
                    let mut point = |size: f64| DVec3::from_array(random.in_cube(size));
                    let (middle, half) = (point(if round % 2 == 0 { 1.0 } else { 0.0 }), point(0.2).abs());
                    if k % 9 == 0 { Aabb::EMPTY } else { Aabb::new(middle - half, middle + half) }
                })
                .collect();
            let all = |stage| {
                let mut found = Vec::new();
                each_overlap(stage, &boxes, &mut Vec::new(), |a, b| found.push((a, b)));
                found.sort_unstable();
                found
            };
            assert_eq!(all(BoxStage::AllPairs), all(BoxStage::Sorted));
        }
    }
}
