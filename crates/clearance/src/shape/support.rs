//! Support mapping of polytopes: the vertex farthest along a direction.
//!
//! Two ways, both four vertices at a time:
//! - a **scan** over all vertices, for small hulls and where a proof needs it;
//! - **hill climbing** over the neighbours of a vertex (Ericson, "The Gilbert-Johnson-Keerthi algorithm", section 2.3),
//!   for large hulls. It starts from a hint, or from a table that holds a good start for each cell of a grid of
//!   directions, so its length does not grow with the number of vertices.
//!
//! A climb compares stored *differences* `w - v`, whose dot products are accurate relative to the edge's length, not to
//! the body's size. It can still stop early where a corner is so blunt that rounding hides the ascent. Two things
//! keep that from mattering:
//! - blunt vertices get **artificial neighbours**: the far vertices that a climb along their own normal should reach;
//! - each vertex carries a proved bound on what a climb that stops there may have missed ([`Climb::slack`]); where that
//!   is too much for the caller, a scan is made.
//!
//! The arithmetic is mul and add only, in a fixed order, and ties go to the lowest index, so every instruction set gives
//! the same vertex.

use fearless_simd::{Simd, f64x4, prelude::*};
use glam::DVec3;

use crate::geom::topology::Csr;
use crate::math::simd::at_level;
use crate::math::tolerances::{CLIMB_STEP, SECOND_ORDER};

/// Hulls with at most this many vertices are scanned, larger ones climbed. Measured: see `docs/convex.md`.
pub(crate) const SCAN_LIMIT: usize = 64;

/// Cells a side of the grid of start vertices: a power of two. 16 KiB a hull.
const CELLS: usize = 16;

/// A climb that has not arrived after this many steps gives up and scans: rounding can make a climb go in circles.
const CLIMB_LIMIT: usize = 256;

/// A vertex whose neighbours lie within this angle (as a sine) of its tangent plane is blunt: it gets artificial
/// neighbours. Below it, the slack of a stopped climb in the worst case exceeds 6e-13 of the diameter.
const BLUNT: f64 = 1e-3;

/// Four points, coordinates side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Packet {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
}

impl Packet {
    fn gather(points: impl Fn(usize) -> DVec3) -> Packet {
        let p: [DVec3; 4] = std::array::from_fn(points);
        Packet { x: p.map(|q| q.x), y: p.map(|q| q.y), z: p.map(|q| q.z) }
    }

    /// Point `lane`, 0 to 3.
    #[inline(always)]
    fn point(&self, lane: usize) -> DVec3 {
        DVec3::new(self.x[lane], self.y[lane], self.z[lane])
    }

    #[inline(always)]
    fn dot<S: Simd>(&self, simd: S, [x, y, z]: [f64x4<S>; 3]) -> f64x4<S> {
        let px = f64x4::simd_from(simd, self.x);
        let py = f64x4::simd_from(simd, self.y);
        let pz = f64x4::simd_from(simd, self.z);
        (px * x + py * y) + pz * z
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, direction: DVec3) -> [f64x4<S>; 3] {
    direction.to_array().map(|c| f64x4::splat(simd, c))
}

/// All vertices of a hull in packets of four, an even number of packets; what is left over repeats vertex 0.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    packets: Vec<[Packet; 2]>,
}

impl Scan {
    pub fn new(vertices: &[DVec3]) -> Scan {
        let vertex = |k: usize| vertices[if k < vertices.len() { k } else { 0 }];
        let packets = (0..vertices.len().div_ceil(8))
            .map(|k| [0, 4].map(|start| Packet::gather(|lane| vertex(8 * k + start + lane))))
            .collect();
        Scan { packets }
    }

    /// The vertex with the largest computed dot product; of equal ones the first.
    #[inline(always)]
    pub fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        let d = splat(simd, direction);
        let lowest = f64x4::splat(simd, f64::NEG_INFINITY);
        let (mut best_even, mut best_odd) = (lowest, lowest);
        let mut start_even = f64x4::splat(simd, 0.0);
        let mut start_odd = start_even;
        let mut start = start_even;
        let eight = f64x4::splat(simd, 8.0);
        for [even, odd] in &self.packets {
            let (even, odd) = (even.dot(simd, d), odd.dot(simd, d));
            let better_even = even.simd_gt(best_even);
            let better_odd = odd.simd_gt(best_odd);
            best_even = better_even.select(even, best_even);
            best_odd = better_odd.select(odd, best_odd);
            start_even = better_even.select(start, start_even);
            start_odd = better_odd.select(start, start_odd);
            start += eight;
        }
        let index_even = start_even + f64x4::simd_from(simd, [0.0, 1.0, 2.0, 3.0]);
        let index_odd = start_odd + f64x4::simd_from(simd, [4.0, 5.0, 6.0, 7.0]);
        let odd_wins = best_odd.simd_gt(best_even);
        let tie = best_odd.simd_eq(best_even);
        let best = odd_wins.select(best_odd, best_even);
        let index = odd_wins.select(index_odd, tie.select(index_even.min(index_odd), index_even));
        // The padding repeats vertex 0, which then has won already with the lower index.
        first_of_largest(simd, best, index).1
    }
}

/// The largest lane of `values` and its number; of equal ones the lowest number. Without branches: which lane wins is
/// anyone's guess. Lanes that are NaN never win.
#[inline(always)]
fn first_of_largest<S: Simd>(simd: S, values: f64x4<S>, numbers: f64x4<S>) -> (f64, u32) {
    let v: [f64; 4] = values.into();
    let largest = v[0].max(v[1]).max(v[2].max(v[3]));
    let losing = f64x4::splat(simd, f64::INFINITY);
    let n: [f64; 4] = values.simd_eq(f64x4::splat(simd, largest)).select(numbers, losing).into();
    (largest, n[0].min(n[1]).min(n[2].min(n[3])) as u32)
}

/// Four neighbours of a vertex: differences to it, and their numbers (as floats, so that lanes can be selected alike).
#[derive(Clone, Copy, Debug)]
struct Star {
    differences: Packet,
    numbers: [f64; 4],
}

/// What hill climbing needs: 128 bytes per four neighbours, 24 bytes per vertex, and the table of starts.
#[derive(Clone, Debug)]
pub(crate) struct Climb {
    /// For each vertex the range of its stars.
    offsets: Vec<u32>,
    stars: Vec<Star>,
    /// Per vertex: the length of its longest true edge.
    reach: Vec<f64>,
    /// Per vertex: what a climb that stopped there may have missed, for a unit direction.
    slack: Vec<f64>,
    /// Bounds the body.
    diameter: f64,
    /// Start vertices by direction: a grid of `CELLS` cells a side over the cube of directions.
    starts: Vec<u32>,
}

impl Climb {
    /// `neighbours` are the ends of the edges at each vertex (more are harmless), `diameter` bounds the body.
    pub fn new(vertices: &[DVec3], neighbours: &Csr, scan: &Scan, diameter: f64) -> Climb {
        let corners: Vec<Corner> = vertices
            .iter()
            .enumerate()
            .map(|(index, &vertex)| Corner::new(vertices, vertex, neighbours.get(index)))
            .collect();
        let plain = Climb::with_neighbours(vertices, neighbours, &corners, scan, diameter);
        if corners.iter().all(|corner| corner.sharpness >= BLUNT) {
            return plain;
        }
        let rings = corners.iter().enumerate().map(|(index, corner)| {
            let mut ring = neighbours.get(index).to_vec();
            if corner.sharpness < BLUNT {
                plain.add_artificial_neighbours(&mut ring, index as u32, corner.inward, scan);
            }
            ring
        });
        Climb::with_neighbours(vertices, &Csr::from_lists(rings), &corners, scan, diameter)
    }

    fn with_neighbours(vertices: &[DVec3], neighbours: &Csr, corners: &[Corner], scan: &Scan, diameter: f64) -> Climb {
        let mut offsets = vec![0];
        let mut stars = Vec::new();
        for (index, &vertex) in vertices.iter().enumerate() {
            for four in neighbours.get(index).chunks(4) {
                // Empty lanes are NaN: they compare as false, so they never win and are never open.
                let difference = |lane: usize| four.get(lane).map_or(DVec3::NAN, |&n| vertices[n as usize] - vertex);
                stars.push(Star {
                    differences: Packet::gather(difference),
                    numbers: std::array::from_fn(|lane| four.get(lane).map_or(f64::NAN, |&n| f64::from(n))),
                });
            }
            offsets.push(stars.len() as u32);
        }
        let mut climb = Climb {
            offsets,
            stars,
            reach: corners.iter().map(|corner| corner.reach).collect(),
            slack: corners.iter().map(|corner| CLIMB_STEP * diameter / corner.sharpness * SECOND_ORDER).collect(),
            diameter,
            starts: Vec::new(),
        };
        climb.fill_starts(scan);
        climb
    }

    /// Adds to `ring` the vertices that climbs from a blunt vertex should reach: the farthest along its own outward
    /// direction and along four directions tilted a little from it, as found from elsewhere.
    fn add_artificial_neighbours(&self, ring: &mut Vec<u32>, vertex: u32, inward: DVec3, scan: &Scan) {
        let outward = -inward;
        let side = outward.any_orthonormal_vector();
        let other = outward.cross(side);
        let level = fearless_simd::Level::new();
        for tilt in [DVec3::ZERO, side, -side, other, -other] {
            let direction = outward + tilt * BLUNT;
            let start = self.start(direction);
            let far = at_level!(level, simd => self.support(simd, direction, start, scan));
            if far != vertex && !ring.contains(&far) {
                ring.push(far);
            }
        }
    }

    /// The vertex where a climb ends that starts at `start`.
    #[inline(always)]
    pub fn support<S: Simd>(&self, simd: S, direction: DVec3, start: u32, scan: &Scan) -> u32 {
        let d = splat(simd, direction);
        let mut vertex = start;
        for _ in 0..CLIMB_LIMIT {
            let (gain, neighbour) = self.best_neighbour(simd, d, vertex);
            if gain <= 0.0 {
                return vertex;
            }
            vertex = neighbour;
        }
        scan.support(simd, direction)
    }

    /// The largest computed gain over the neighbours of `vertex`, and the neighbour.
    #[inline(always)]
    fn best_neighbour<S: Simd>(&self, simd: S, d: [f64x4<S>; 3], vertex: u32) -> (f64, u32) {
        let range = self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize;
        let mut best = f64x4::splat(simd, f64::NEG_INFINITY);
        let mut best_number = f64x4::splat(simd, f64::from(vertex));
        for star in &self.stars[range] {
            let value = star.differences.dot(simd, d);
            let better = value.simd_gt(best);
            best = better.select(value, best);
            best_number = better.select(f64x4::simd_from(simd, star.numbers), best_number);
        }
        first_of_largest(simd, best, best_number)
    }

    /// How much farther than `vertex` the body may reach along `direction`, of length `length`, given that a climb along
    /// this very vector stopped at `vertex`. (Proved for a unit vector; the comparisons scale with its length.)
    ///
    /// Proof. A direction `d'` is in the normal cone of `v` (nothing of the body lies farther along it) when
    /// `d' · (w - v) <= 0` for every edge at `v`; then along a `d` within `e` of it the body reaches at most
    /// `e diameter` farther than `v`. Let `s = CLIMB_STEP`. A climb stops when each computed `d · (w - v)` is at most 0, so
    /// each true one is at most `s |w - v|`; where the computed one is below `-4 s` times the longest edge, the true one
    /// is below `-3 s |w - v|`. Call the other edges *open*.
    /// - None open: `d` itself is in the cone.
    /// - One open, along the unit vector `p`: `d - s p` is in the cone.
    /// - Two open, along `p` and `q` with `p · q >= -7/9`: `d - s (p + q) / (1 + p · q)` is in the cone, at most `3 s` off.
    /// - Otherwise: with a unit vector `q` such that `q · (w - v) >= h |w - v|` for each edge (`h` is the corner's
    ///   sharpness), `d - (s / h) q` is.
    #[inline(always)]
    pub fn slack<S: Simd>(&self, simd: S, direction: DVec3, length: f64, vertex: u32) -> f64 {
        let d = splat(simd, direction);
        let stars = &self.stars[self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize];
        let limit = f64x4::splat(simd, -4.0 * CLIMB_STEP * SECOND_ORDER * length * self.reach[vertex as usize]);
        let zero = f64x4::splat(simd, 0.0);
        let mut open = [DVec3::ZERO; 2];
        let mut count = 0;
        let mut ascends = false;
        for star in stars {
            let gain = star.differences.dot(simd, d);
            ascends |= gain.simd_gt(zero).any_true();
            let mut lanes = gain.simd_gt(limit).to_bitmask();
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize & 3;
                lanes &= lanes - 1;
                open[count & 1] = star.differences.point(lane);
                count += 1;
            }
        }
        if ascends {
            return f64::INFINITY;
        }
        let step = CLIMB_STEP * self.diameter * SECOND_ORDER;
        match count {
            0 => 0.0,
            1 => step,
            2 if angle_is_moderate(open[0], open[1]) => 3.0 * step,
            _ => self.slack[vertex as usize],
        }
    }

    /// A good vertex to start from when nothing is known.
    #[inline(always)]
    pub fn start(&self, direction: DVec3) -> u32 {
        self.starts[cell(direction)]
    }

    fn fill_starts(&mut self, scan: &Scan) {
        let n = CELLS as u32;
        self.starts = vec![0; CELLS * CELLS * CELLS];
        let level = fearless_simd::Level::new();
        let at = |c: u32| (f64::from(c) + 0.5) / f64::from(n) * 2.0 - 1.0;
        let outer = |c: u32| c == 0 || c == n - 1;
        let mut vertex = 0;
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    // Directions are scaled to the surface of the cube, so they never fall into an inner cell.
                    if outer(x) || outer(y) || outer(z) {
                        let direction = DVec3::new(at(x), at(y), at(z));
                        vertex = at_level!(level, simd => self.support(simd, direction, vertex, scan));
                        self.starts[((x * n + y) * n + z) as usize] = vertex;
                    }
                }
            }
        }
    }
}

/// True when the angle between two vectors is at most about 141 degrees: its cosine is at least -7/9.
#[inline(always)]
fn angle_is_moderate(p: DVec3, q: DVec3) -> bool {
    let dot = p.dot(q);
    // Rounded away from the limit: 0.6 < (7/9)² = 0.6049.
    dot >= 0.0 || dot * dot <= 0.6 * (p.dot(p) * q.dot(q))
}

/// The shape of the polytope at one vertex.
struct Corner {
    /// A unit vector into the body.
    inward: DVec3,
    /// The smallest sine of the angle between an edge and the plane across `inward`; at least a tiny positive number,
    /// which makes the slack useless (and a scan necessary) but finite.
    sharpness: f64,
    /// The longest edge.
    reach: f64,
}

impl Corner {
    fn new(vertices: &[DVec3], vertex: DVec3, ring: &[u32]) -> Corner {
        let edges: Vec<DVec3> = ring.iter().map(|&n| vertices[n as usize] - vertex).collect();
        let reach = edges.iter().map(|e| e.length()).fold(0.0, f64::max) * SECOND_ORDER;
        let units: Vec<DVec3> = edges.iter().map(|e| e.normalize_or_zero()).collect();
        let sharpness = |q: DVec3| units.iter().map(|e| q.dot(*e)).fold(1.0, f64::min);
        // Start from the mean edge and turn towards the flattest edge until that no longer helps.
        let mut inward = units.iter().sum::<DVec3>().normalize_or_zero();
        let mut best = sharpness(inward);
        let mut step = 0.5;
        for _ in 0..24 {
            let flattest = units.iter().copied().min_by(|p, q| inward.dot(*p).total_cmp(&inward.dot(*q)));
            let Some(flattest) = flattest else { break };
            let trial = (inward + flattest * step).normalize_or_zero();
            let value = sharpness(trial);
            if value > best {
                (inward, best) = (trial, value);
            } else {
                step *= 0.5;
            }
        }
        Corner { inward, sharpness: (best / SECOND_ORDER - 4.0 * f64::EPSILON).max(1e-300), reach }
    }
}

/// The cell of a direction in a grid of `CELLS³` cells over the cube to whose surface it is scaled. No branches: which way a
/// direction points is anyone's guess. Any cell would do as a start, so rounding needs no care, only a valid index.
#[inline(always)]
fn cell(direction: DVec3) -> usize {
    let a = direction.abs();
    let half = 0.5 * CELLS as f64;
    // A little less than what maps the largest component to the end of the last cell.
    let scale = half * (1.0 - 1e-9) / a.x.max(a.y).max(a.z);
    // Adding 1.5 * 2^52 leaves the rounded sum in the lowest bits of the number; the mask also takes care of NaN.
    const TO_BITS: f64 = 6_755_399_441_055_744.0;
    let index = |c: f64| (c * scale + (half - 0.5) + TO_BITS).to_bits() as usize & (CELLS - 1);
    (index(direction.x) * CELLS + index(direction.y)) * CELLS + index(direction.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_has_a_cell_of_the_surface() {
        for (x, y, z) in [(1.0, 0.3, -0.2), (-1.0, -1.0, -1.0), (0.1, 0.0, 1e-300), (5.0, -7.0, 6.9), (-3.0, 3.0, 0.0)]
        {
            let index = cell(DVec3::new(x, y, z));
            let coordinates = [index / (CELLS * CELLS), index / CELLS % CELLS, index % CELLS];
            assert!(coordinates.iter().any(|&c| c == 0 || c == CELLS - 1), "{coordinates:?}");
            let largest = [x, y, z].map(f64::abs).into_iter().fold(0.0, f64::max);
            for (c, component) in coordinates.into_iter().zip([x, y, z]) {
                let middle = (c as f64 + 0.5) / CELLS as f64 * 2.0 - 1.0;
                assert!((middle - component / largest).abs() < 1.1 / CELLS as f64, "{coordinates:?}");
            }
        }
        assert!(cell(DVec3::ZERO) < CELLS * CELLS * CELLS);
        assert!(cell(DVec3::NAN) < CELLS * CELLS * CELLS);
        assert!(cell(DVec3::new(f64::INFINITY, 1.0, -f64::INFINITY)) < CELLS * CELLS * CELLS);
    }

    #[test]
    fn angles_are_told_apart() {
        let at = |degrees: f64| DVec3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0) * 3.0;
        assert!(angle_is_moderate(DVec3::X, at(0.0)) && angle_is_moderate(DVec3::X, at(140.0)));
        assert!(!angle_is_moderate(DVec3::X, at(142.0)) && !angle_is_moderate(DVec3::X, at(180.0)));
    }
}
