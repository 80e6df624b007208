//! Support mapping of polytopes: the vertex farthest along a direction.
//!
//! Two techniques, which together evaluate few vertices, eight at a time:
//! - **Candidates.** The cube of directions is divided into cells, and each cell has a list of the vertices that can be
//!   farthest along one of its directions. A list typically holds five to ten vertices, however many the hull has.
//!   Small hulls have one list of all vertices.
//! - **Single precision.** The dot products of a list with the direction are formed in `f32`, about the hull's local
//!   origin and scaled so that coordinates are at most 1. The vertices that rounding to `f32` cannot distinguish from
//!   the farthest remain: usually one, or the corners of a face or an edge. They are compared in `f64`.
//!
//! The vertex found is exactly the one that a scan of all vertices in `f64` finds: the first with the largest
//! `direction.dot(vertex)`. Lists are built so that an omitted vertex is beaten by more than rounding ([`Builder`]),
//! and `f32` rejects no vertex that could come first ([`NARROW`]). So no proof based on support vertices depends on how
//! they were found, and the result is the same on every instruction set.

use fearless_simd::{Simd, f32x8, f64x4, prelude::*, u32x8};
use glam::DVec3;

use crate::math::placement::widened;
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The unit roundoff of `f32`.
const UNIT_ROUNDOFF_F32: f32 = f32::EPSILON / 2.0;

/// How far below the largest product in `f32`, relative to `|d|₁`, the product of the vertex that is largest in `f64`
/// can be. With `u` the unit roundoff of `f32`: coordinates (at most 1) and direction are rounded, `u` each, then one
/// product and two sums, so a dot product is off by `5u |d|₁`, and two are compared: `10u`. The sum of the three
/// components, the product with this constant and the difference in which it is used contribute `u` of the product; the
/// rest is of second order. Numbers below the range of `f32` are off by up to 2⁻¹⁴⁹, which [`LEAST_NARROW`] makes
/// negligible.
const NARROW: f32 = 12.0 * UNIT_ROUNDOFF_F32;

/// Directions whose threshold is outside these limits are too short or too long for `f32`: all vertices are then
/// compared in `f64`. Products, at most `|d|₁`, stay below 1e37.
const LEAST_NARROW: f32 = 1e-30;
const MOST_NARROW: f32 = 1e30;

/// Limit on the candidates in all lists together, per vertex of the hull; beyond it, cells are made larger. Hulls such
/// as discs and long prisms, whose vertices have long and narrow ranges of directions, reach it.
const CANDIDATES_PER_VERTEX: usize = 32;

/// The ends of the cube, in cells, are moved outward by this fraction, so that the last cell is certain to contain
/// them.
const BEYOND: f32 = 1.0 / 4096.0;

/// Eight vertices in the scale of `f32`, as a structure of arrays.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Packet {
    x: [f32; 8],
    y: [f32; 8],
    z: [f32; 8],
}

impl Packet {
    fn gather(vertices: &[DVec3], scale: f64, numbers: &[u32; 8]) -> Packet {
        let of = |axis: usize| numbers.map(|n| (vertices[n as usize][axis] * scale) as f32);
        Packet { x: of(0), y: of(1), z: of(2) }
    }

    #[inline(always)]
    fn dot<S: Simd>(&self, simd: S, [x, y, z]: [f32x8<S>; 3]) -> f32x8<S> {
        let px = f32x8::simd_from(simd, self.x);
        let py = f32x8::simd_from(simd, self.y);
        let pz = f32x8::simd_from(simd, self.z);
        (px * x + py * y) + pz * z
    }
}

/// A direction in `f32`.
struct Narrowed {
    components: [f32; 3],
    /// How far below the largest product that of the farthest vertex can be.
    within: f32,
}

impl Narrowed {
    /// `None` for directions that are too short, too long or NaN.
    #[inline(always)]
    fn new(direction: DVec3) -> Option<Narrowed> {
        let components = direction.to_array().map(|c| c as f32);
        let [x, y, z] = components.map(f32::abs);
        let within = NARROW * ((x + y) + z);
        // Positive floats are ordered as their bits, and a NaN is above them all.
        let place = within.to_bits().wrapping_sub(LEAST_NARROW.to_bits());
        (place < const { MOST_NARROW.to_bits() - LEAST_NARROW.to_bits() }).then_some(Narrowed { components, within })
    }

    #[inline(always)]
    fn splat<S: Simd>(&self, simd: S) -> [f32x8<S>; 3] {
        // Not a closure, which would be compiled as a separate function without the instruction set.
        let [x, y, z] = self.components;
        [f32x8::splat(simd, x), f32x8::splat(simd, y), f32x8::splat(simd, z)]
    }
}

/// Bit mask, in order, of the products of `N` packets that are within `within` of the largest.
#[inline(always)]
fn nearest_the_largest<S: Simd, const N: usize>(simd: S, products: [f32x8<S>; N], within: f32) -> u32 {
    let top = products[1..].iter().fold(products[0], |top, &product| top.max(product));
    let least = f32x8::splat(simd, top.reduce_max() - within);
    let mut near = 0;
    for (k, product) in products.into_iter().enumerate() {
        near |= (product.simd_ge(least).to_bitmask() as u32) << (8 * k);
    }
    near
}

/// The places of the three largest products of `N` packets, up to the last five bits of `f32`, which hold the places
/// during the search. Repeated products may come up again.
#[inline(always)]
fn places_of_three_largest<S: Simd, const N: usize>(simd: S, products: [f32x8<S>; N]) -> [u32; 3] {
    const { assert!(N <= 4) };
    const LANES: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let (lanes, rest) = (u32x8::simd_from(simd, LANES), u32x8::splat(simd, !31));
    let lowest = f32x8::splat(simd, f32::NEG_INFINITY);
    // Loops, not closures, which would be compiled as separate functions without the instruction set.
    let mut keys = products;
    for (k, key) in keys.iter_mut().enumerate() {
        let place = lanes | u32x8::splat(simd, 8 * k as u32);
        *key = (key.bitcast::<u32x8<S>>() & rest | place).bitcast();
    }
    let mut places = [0; 3];
    for place in &mut places {
        let top = keys[1..].iter().fold(keys[0], |top, &key| top.max(key)).reduce_max();
        *place = top.to_bits() & 31;
        let top = f32x8::splat(simd, top);
        for key in &mut keys {
            *key = key.simd_lt(top).select(*key, lowest);
        }
    }
    places
}

/// Finds the farthest of a fixed set of vertices.
pub(crate) trait Farthest {
    /// Vertex `id`, which must be in the set.
    #[inline(always)]
    fn vertex(&self, vertices: &[DVec3], id: u32) -> DVec3 {
        vertices[id as usize]
    }
    /// The same in four lanes, the last of them zero.
    #[inline(always)]
    fn wide_vertex<S: Simd>(&self, simd: S, vertices: &[DVec3], id: u32) -> f64x4<S> {
        widened(simd, vertices[id as usize])
    }
    /// The first of the vertices with the largest computed `direction.dot(vertex)`.
    fn support<S: Simd>(&self, simd: S, vertices: &[DVec3], direction: DVec3) -> u32;
    /// Three vertices far along `direction`, possibly repeated, as a start for a search: the three farthest of those
    /// evaluated, up to rounding to `f32`.
    fn three_far<S: Simd>(&self, simd: S, vertices: &[DVec3], direction: DVec3) -> [u32; 3];
}

/// All vertices of a hull of at most 32.
#[derive(Clone, Debug)]
pub(crate) struct FewVertices {
    packets: [Packet; 4],
    /// A copy of the vertices next to the packets, in an array of fixed length. Unused entries of it and of the packets
    /// repeat the first.
    points: [Point; 32],
    /// A bit for each vertex.
    present: u32,
}

/// A vertex padded with a zero to one vector of four lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Point([f64; 4]);

impl FewVertices {
    /// The largest number of vertices.
    pub const MOST: usize = 32;

    /// From a hull's vertices, relative to a point near them; `None` if there are too many, or none.
    #[must_use]
    pub fn new(vertices: &[DVec3]) -> Option<FewVertices> {
        if vertices.is_empty() || vertices.len() > FewVertices::MOST {
            return None;
        }
        let scale = scale_of(vertices);
        let number = |k: usize| if k < vertices.len() { k as u32 } else { 0 };
        let packet =
            |k: usize| Packet::gather(vertices, scale, &std::array::from_fn::<u32, 8, _>(|lane| number(8 * k + lane)));
        let points = std::array::from_fn(|k| {
            let [x, y, z] = vertices[number(k) as usize].to_array();
            Point([x, y, z, 0.0])
        });
        Some(FewVertices { packets: std::array::from_fn(packet), points, present: u32::MAX >> (32 - vertices.len()) })
    }
}

impl Farthest for FewVertices {
    #[inline(always)]
    fn vertex(&self, _vertices: &[DVec3], id: u32) -> DVec3 {
        let Point([x, y, z, _]) = self.points[id as usize % FewVertices::MOST];
        DVec3::new(x, y, z)
    }

    #[inline(always)]
    fn wide_vertex<S: Simd>(&self, simd: S, _vertices: &[DVec3], id: u32) -> f64x4<S> {
        f64x4::simd_from(simd, self.points[id as usize % FewVertices::MOST].0)
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, vertices: &[DVec3], direction: DVec3) -> u32 {
        let Some(narrowed) = Narrowed::new(direction) else { return farthest(vertices, direction) };
        let d = narrowed.splat(simd);
        let [one, two, three, four] = &self.packets;
        let near = if self.present <= 0xffff {
            nearest_the_largest(simd, [one.dot(simd, d), two.dot(simd, d)], narrowed.within)
        } else {
            let products = [one.dot(simd, d), two.dot(simd, d), three.dot(simd, d), four.dot(simd, d)];
            nearest_the_largest(simd, products, narrowed.within)
        };
        let near = near & self.present;
        if near & near.wrapping_sub(1) != 0 { farthest_of(vertices, near, direction) } else { near.trailing_zeros() }
    }

    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, _vertices: &[DVec3], direction: DVec3) -> [u32; 3] {
        let Some(narrowed) = Narrowed::new(direction) else { return [0; 3] };
        let d = narrowed.splat(simd);
        let [one, two, three, four] = &self.packets;
        let places = if self.present <= 0xffff {
            places_of_three_largest(simd, [one.dot(simd, d), two.dot(simd, d)])
        } else {
            places_of_three_largest(simd, [one.dot(simd, d), two.dot(simd, d), three.dot(simd, d), four.dot(simd, d)])
        };
        places.map(|place| if self.present >> place & 1 != 0 { place } else { 0 })
    }
}

/// Eight candidates of a cell: two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Eight {
    packet: Packet,
    numbers: [u32; 8],
}

/// The vertices that can be farthest, for each cell of directions.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// Base-2 logarithm of the number of cells per side of the grid over the cube of directions: 0 if all share one
    /// list.
    level: u32,
    /// Half the number of cells per side.
    half: f32,
    /// For each cell, its first packet and the number of candidates. Cells inside the cube are never used.
    lists: Vec<[u32; 2]>,
    packets: Vec<Eight>,
}

impl Candidates {
    /// The lists of a hull's vertices, relative to a point near them.
    #[must_use]
    pub fn new(vertices: &[DVec3]) -> Candidates {
        let (side, lists) = Builder::lists(vertices, cells_a_side(vertices.len()));
        let scale = scale_of(vertices);
        let (level, half) = (side.trailing_zeros(), 0.5 * side as f32);
        let mut candidates = Candidates { level, half, lists: Vec::with_capacity(lists.len()), packets: Vec::new() };
        for list in lists {
            candidates.lists.push([candidates.packets.len() as u32, list.len() as u32]);
            for eight in list.chunks(8) {
                // Unused lanes repeat the first.
                let numbers = std::array::from_fn(|lane| eight.get(lane).copied().unwrap_or(eight[0]));
                candidates.packets.push(Eight { packet: Packet::gather(vertices, scale, &numbers), numbers });
            }
        }
        candidates
    }

    /// The cell of a direction: its place in a grid over the cube onto whose surface it is scaled. Branch-free, because
    /// directions are unpredictable.
    #[inline(always)]
    fn cell(&self, direction: [f32; 3]) -> usize {
        let [x, y, z] = direction.map(f32::abs);
        let scale = self.half * (1.0 - BEYOND) / x.max(y).max(z);
        // Adding 1.5 * 2^23 leaves the rounded sum in the lowest bits.
        const TO_BITS: f32 = 12_582_912.0;
        let last = (1 << self.level) - 1;
        let [x, y, z] = direction.map(|c| (c * scale + (self.half - 0.5) + TO_BITS).to_bits() & last);
        ((x << self.level | y) << self.level | z) as usize
    }
}

impl Farthest for Candidates {
    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, vertices: &[DVec3], direction: DVec3) -> u32 {
        let Some(narrowed) = Narrowed::new(direction) else { return farthest(vertices, direction) };
        let [start, count] = self.lists[self.cell(narrowed.components)];
        let candidates = &self.packets[start as usize..];
        let d = narrowed.splat(simd);
        let near = match (count, candidates) {
            (1..=8, [one, ..]) => nearest_the_largest(simd, [one.packet.dot(simd, d)], narrowed.within),
            (9..=16, [one, two, ..]) => {
                let products = [one.packet.dot(simd, d), two.packet.dot(simd, d)];
                nearest_the_largest(simd, products, narrowed.within)
            }
            _ => return farthest_of_many(simd, candidates, &narrowed, count, vertices, direction),
        };
        let near = near & (u32::MAX >> (32 - count));
        if near & near.wrapping_sub(1) != 0 {
            return farthest_of_listed(vertices, candidates, near, direction);
        }
        let lane = near.trailing_zeros() as usize;
        candidates[lane / 8 % 2].numbers[lane % 8]
    }

    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, vertices: &[DVec3], direction: DVec3) -> [u32; 3] {
        let Some(narrowed) = Narrowed::new(direction) else { return [0; 3] };
        let [start, count] = self.lists[self.cell(narrowed.components)];
        let d = narrowed.splat(simd);
        let candidates = &self.packets[start as usize..];
        let places = match (count, candidates) {
            (1..=8, [one, ..]) => places_of_three_largest(simd, [one.packet.dot(simd, d)]),
            (9..=16, [one, two, ..]) => {
                places_of_three_largest(simd, [one.packet.dot(simd, d), two.packet.dot(simd, d)])
            }
            _ => return [farthest_of_many(simd, candidates, &narrowed, count, vertices, direction); 3],
        };
        places.map(|place| candidates[place as usize / 8 % 2].numbers[place as usize % 8])
    }
}

/// The farthest of any number of candidates, as a separate function: few lists are that long.
#[inline(never)]
fn farthest_of_many<S: Simd>(
    simd: S,
    candidates: &[Eight],
    narrowed: &Narrowed,
    count: u32,
    vertices: &[DVec3],
    direction: DVec3,
) -> u32 {
    simd.vectorize(
        #[inline(always)]
        || among_many(simd, candidates, narrowed, count, vertices, direction),
    )
}

#[inline(always)]
fn among_many<S: Simd>(
    simd: S,
    candidates: &[Eight],
    narrowed: &Narrowed,
    count: u32,
    vertices: &[DVec3],
    direction: DVec3,
) -> u32 {
    let candidates = &candidates[..count.div_ceil(8) as usize];
    let d = narrowed.splat(simd);
    let mut top = f32x8::splat(simd, f32::NEG_INFINITY);
    for eight in candidates {
        top = top.max(eight.packet.dot(simd, d));
    }
    let least = f32x8::splat(simd, top.reduce_max() - narrowed.within);
    let near = candidates.iter().flat_map(|eight| {
        let near = eight.packet.dot(simd, d).simd_ge(least).to_bitmask() as u32;
        places(near).map(|lane| eight.numbers[lane as usize % 8])
    });
    first_farthest(vertices, near, direction)
}

/// The farthest of the candidates of the first two packets whose bit is set.
#[inline(never)]
fn farthest_of_listed(vertices: &[DVec3], candidates: &[Eight], near: u32, direction: DVec3) -> u32 {
    let numbers = places(near).map(|lane| candidates[lane as usize / 8].numbers[lane as usize % 8]);
    first_farthest(vertices, numbers, direction)
}

/// The farthest of the vertices whose bit is set.
#[inline(never)]
fn farthest_of(vertices: &[DVec3], near: u32, direction: DVec3) -> u32 {
    first_farthest(vertices, places(near), direction)
}

/// The farthest of all vertices.
#[cold]
#[inline(never)]
fn farthest(vertices: &[DVec3], direction: DVec3) -> u32 {
    first_farthest(vertices, 0..vertices.len() as u32, direction)
}

/// The places of the set bits, lowest first.
#[inline(always)]
fn places(mut bits: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The first of these vertices with the largest computed `direction.dot(vertex)`.
#[inline(always)]
fn first_farthest(vertices: &[DVec3], numbers: impl Iterator<Item = u32>, direction: DVec3) -> u32 {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for number in numbers {
        let value = direction.dot(vertices[number as usize]);
        if value > most {
            (best, most) = (number, value);
        }
    }
    best
}

/// Number of cells per side for a hull of this many vertices. Measured: see `docs/convex.md`.
fn cells_a_side(vertices: usize) -> u32 {
    match vertices {
        0..=128 => 4,
        129..=1024 => 8,
        1025..=16384 => 16,
        _ => 32,
    }
}

/// The largest coordinate in magnitude.
fn largest_coordinate(vertices: &[DVec3]) -> f64 {
    vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max)
}

/// A power of two that scales all coordinates to at most 1, the largest to more than a quarter.
fn scale_of(vertices: &[DVec3]) -> f64 {
    let largest = largest_coordinate(vertices);
    if largest == 0.0 {
        return 1.0;
    }
    // Tiny numbers are scaled up less than they could be, which costs only digits of `f32`.
    let exponent = largest.log2().ceil().clamp(-1000.0, 1000.0) as i32;
    let scale = 2f64.powi(-exponent);
    if largest * scale > 1.0 { 0.5 * scale } else { scale }
}

/// Builds the lists: each face of the cube is repeatedly halved both ways, and a vertex is dropped from a part if
/// another is farther along all of the part's directions.
///
/// Proof that no vertex is lost. The directions of a part are the sums `Σ λ c` over its four corners `c` with `λ >= 0`.
/// Let `m` be the largest coordinate of a vertex. A corner has `|c|₁ < 3.001`, so a computed product with it is off by
/// at most `3u |c|₁ m`, and the difference of two by `20u m`. If `w` is computed to be ahead of `v` by more than
/// `BEATEN m` = `40u m` at each corner, then it truly is by more than `20u m`, and along `d = Σ λ c` by more than
/// `20u m Σ λ`, while the two products that a full scan would compare are off by `6u |d|₁ m <= 18.1u m Σ λ`. So the
/// scan finds `w` ahead of `v`. Being ahead is a strict order, so every dropped vertex is behind one that is kept.
///
/// The cell of a direction is computed in `f32`: its components and their quotient by the largest, scaled and shifted,
/// are off by at most six roundings relative to the side of the cube, so cells extend `OVERLAP` = 16 roundings beyond
/// their borders.
struct Builder<'a> {
    vertices: &'a [DVec3],
    /// A vertex is beaten if another is ahead by more than this.
    margin: f64,
}

const BEATEN: f64 = 40.0 * UNIT_ROUNDOFF;
const OVERLAP: f64 = 16.0 * UNIT_ROUNDOFF_F32 as f64;

/// A cell is halved this many more times, so that its list is the union of tighter ones.
const HALVED_WITHIN: u32 = 1;

/// A part of a face of the cube: a cell of a grid of `2^level` per side.
#[derive(Clone, Copy)]
struct Part {
    axis: usize,
    positive: bool,
    level: u32,
    row: u32,
    column: u32,
}

impl Builder<'_> {
    /// The number of cells per side, at most `side`, and their lists.
    fn lists(vertices: &[DVec3], side: u32) -> (u32, Vec<Vec<u32>>) {
        let builder = Builder { vertices, margin: BEATEN * largest_coordinate(vertices) };
        let all: Vec<u32> = (0..vertices.len() as u32).collect();
        let most = CANDIDATES_PER_VERTEX * vertices.len();
        let mut parts = Vec::new();
        for axis in 0..3 {
            for positive in [false, true] {
                let part = Part { axis, positive, level: 0, row: 0, column: 0 };
                parts.push((part, builder.not_beaten(part, &all)));
            }
        }
        let mut level = 0;
        while level < side.trailing_zeros() + HALVED_WITHIN {
            let Some(halved) = builder.halved(&parts, most) else { break };
            parts = halved;
            level += 1;
        }
        if level <= HALVED_WITHIN {
            return (1, vec![all]);
        }
        let side = 1 << (level - HALVED_WITHIN);
        let mut lists = vec![Vec::new(); (side * side * side) as usize];
        for (part, candidates) in parts {
            lists[part.cell(side)].extend(candidates);
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        (side, lists)
    }

    /// The quarters of all parts; `None` if they have more than `most` candidates together.
    fn halved(&self, parts: &[(Part, Vec<u32>)], most: usize) -> Option<Vec<(Part, Vec<u32>)>> {
        let mut total = 0;
        let mut halved = Vec::with_capacity(4 * parts.len());
        for (part, candidates) in parts {
            for (down, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (row, column) = (2 * part.row + down, 2 * part.column + right);
                let quarter = Part { level: part.level + 1, row, column, ..*part };
                let kept = self.not_beaten(quarter, candidates);
                total += kept.len();
                halved.push((quarter, kept));
            }
            if total > most {
                return None;
            }
        }
        Some(halved)
    }

    /// The candidates that no other is ahead of in the whole part.
    fn not_beaten(&self, part: Part, candidates: &[u32]) -> Vec<u32> {
        let corners = part.corners();
        let products: Vec<[f64; 4]> =
            candidates.iter().map(|&k| corners.map(|corner| corner.dot(self.vertices[k as usize]))).collect();
        // Those farthest at the corners and in the middle are likely to be ahead of others.
        let mut strong = [[f64::NEG_INFINITY; 4]; 5];
        let mut most = [f64::NEG_INFINITY; 5];
        for product in &products {
            let [p, q, r, s] = *product;
            for (k, value) in [p, q, r, s, (p + q) + (r + s)].into_iter().enumerate() {
                if value > most[k] {
                    (most[k], strong[k]) = (value, *product);
                }
            }
        }
        let beats = |w: &[f64; 4], v: &[f64; 4]| w.iter().zip(v).all(|(w, v)| w - v > self.margin);
        let kept = candidates.iter().zip(&products).filter(|(_, v)| !strong.iter().any(|w| beats(w, v)));
        kept.map(|(&candidate, _)| candidate).collect()
    }
}

impl Part {
    /// The index of the cell that contains the part, in a grid of `side` per side.
    fn cell(&self, side: u32) -> usize {
        let mut cell = [if self.positive { side - 1 } else { 0 }; 3];
        cell[(self.axis + 1) % 3] = self.row >> HALVED_WITHIN;
        cell[(self.axis + 2) % 3] = self.column >> HALVED_WITHIN;
        ((cell[0] * side + cell[1]) * side + cell[2]) as usize
    }

    /// The corners of a part, or of a slightly larger one.
    fn corners(&self) -> [DVec3; 4] {
        let parts = f64::from(1u32 << self.level);
        let beyond = 1.0 / (1.0 - f64::from(BEYOND));
        let low = |k: u32| (2.0 * f64::from(k) / parts - 1.0) * beyond - OVERLAP;
        let high = |k: u32| (2.0 * f64::from(k + 1) / parts - 1.0) * beyond + OVERLAP;
        let at = |row: f64, column: f64| {
            let mut corner = DVec3::splat(if self.positive { 1.0 } else { -1.0 });
            corner[(self.axis + 1) % 3] = row;
            corner[(self.axis + 2) % 3] = column;
            corner
        };
        let (top, bottom, left, right) = (low(self.row), high(self.row), low(self.column), high(self.column));
        [at(top, left), at(top, right), at(bottom, left), at(bottom, right)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::at_level;
    use fearless_simd::Level;

    /// Pseudo-random numbers in -1..1, the same in every run.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> DVec3 {
            DVec3::new(self.next(), self.next(), self.next())
        }

        fn direction(&mut self) -> DVec3 {
            loop {
                let v = self.vector();
                if (1e-2..1.0).contains(&v.length()) {
                    return v.normalize();
                }
            }
        }
    }

    /// Directions along which the farthest vertex is hard to find: perpendicular to two and three vertices, along them,
    /// on borders of cells, slightly tilted, too short or too long for `f32`.
    fn directions(vertices: &[DVec3], numbers: &mut Numbers) -> Vec<DVec3> {
        let pick = |numbers: &mut Numbers| vertices[((numbers.next() + 1.0) * 0.5 * vertices.len() as f64) as usize];
        let mut all = vec![DVec3::ZERO, DVec3::NAN, DVec3::MAX, DVec3::splat(1e-300), DVec3::new(0.0, -1e-40, 1e-45)];
        for _ in 0..60 {
            let (p, q, r) = (pick(numbers), pick(numbers), pick(numbers));
            let across = (q - p).cross(r - p);
            let tilted = across + numbers.vector() * 1e-7 * across.length();
            let border = DVec3::new(numbers.next(), numbers.next().signum(), (numbers.next() * 16.0).round() / 16.0);
            all.extend([across, -across, tilted, (q - p).cross(numbers.vector()), p, p + q, q - p, border]);
            all.extend([numbers.direction(), numbers.direction() * 1e-28, numbers.direction() * 1e35]);
        }
        for x in -1..=1 {
            for y in -1..=1 {
                for z in -1..=1 {
                    all.push(DVec3::new(f64::from(x), f64::from(y), f64::from(z)));
                }
            }
        }
        all
    }

    fn check(name: &str, vertices: &[DVec3]) {
        let mut numbers = Numbers(vertices.len() as u64);
        let candidates = Candidates::new(vertices);
        let few = FewVertices::new(vertices);
        assert_eq!(few.is_some(), vertices.len() <= FewVertices::MOST);
        for direction in directions(vertices, &mut numbers) {
            let expected = farthest(vertices, direction);
            for level in [Level::new(), Level::baseline()] {
                let found = at_level!(level, simd => candidates.support(simd, vertices, direction));
                assert_eq!(found, expected, "{name}, {} vertices, along {direction:?}", vertices.len());
                let three = at_level!(level, simd => candidates.three_far(simd, vertices, direction));
                let baseline = candidates.three_far(crate::math::simd::plain(), vertices, direction);
                assert!(
                    three == baseline && three.iter().all(|&v| (v as usize) < vertices.len()),
                    "{name} {direction:?}"
                );
                if let Some(few) = &few {
                    let three = at_level!(level, simd => few.three_far(simd, vertices, direction));
                    let baseline = few.three_far(crate::math::simd::plain(), vertices, direction);
                    assert!(
                        three == baseline && three.iter().all(|&v| (v as usize) < vertices.len()),
                        "{name} {direction:?}"
                    );
                    let found = at_level!(level, simd => few.support(simd, vertices, direction));
                    assert_eq!(found, expected, "{name}, {} vertices, along {direction:?}", vertices.len());
                }
            }
        }
    }

    /// Points of a ball, a flat and a needle-like ellipsoid, a prism, a double cone, a polygon, a segment, a grid.
    fn bodies(count: usize) -> Vec<(&'static str, Vec<DVec3>)> {
        let mut numbers = Numbers(7);
        let ball: Vec<DVec3> = (0..count).map(|_| numbers.direction()).collect();
        let turn = |k: usize| (k as f64 / count as f64 * std::f64::consts::TAU).sin_cos();
        let ring = |k: usize, z: f64| DVec3::new(turn(k).1, turn(k).0, z);
        let side = (count as f64).cbrt().ceil() as usize;
        let place = |k: usize| DVec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64);
        vec![
            ("flat", ball.iter().map(|v| *v * DVec3::new(1.0, 1e-6, 1.0)).collect()),
            ("needle", ball.iter().map(|v| *v * DVec3::new(1e-6, 1e-6, 1.0)).collect()),
            ("tiny", ball.iter().map(|v| *v * 1e-60).collect()),
            ("huge", ball.iter().map(|v| *v * 1e60).collect()),
            ("away from its origin", ball.iter().map(|v| *v * 0.01 + DVec3::new(0.7, -0.2, 0.9)).collect()),
            ("cluster", ball.iter().map(|v| if v.x > 0.8 { *v } else { -DVec3::X + *v * 1e-9 }).collect()),
            ("prism", (0..count).map(|k| ring(k, if k % 2 == 0 { 1.0 } else { -1.0 })).collect()),
            (
                "two tips",
                (0..count).map(|k| if k < 2 { DVec3::Z * (2.0 * k as f64 - 1.0) } else { ring(k, 0.0) }).collect(),
            ),
            ("segment", (0..count).map(|k| DVec3::new(1.0, 2.0, 3.0) * k as f64).collect()),
            ("grid", (0..count).map(place).collect()),
            ("one point", vec![DVec3::ZERO; count]),
            ("ball", ball),
        ]
    }

    #[test]
    fn finds_the_same_vertex_as_a_full_scan() {
        for count in [1, 2, 3, 8, 9, 16, 17, 24, 25, 32, 33, 40, 64, 100, 200, 500, 1000] {
            for (name, vertices) in bodies(count) {
                check(name, &vertices);
            }
        }
    }

    #[test]
    fn lists_stay_short() {
        for (count, longest) in [(64, 24), (256, 24), (1024, 24), (4096, 24)] {
            for (name, vertices) in bodies(count) {
                let candidates = Candidates::new(&vertices);
                let total: u32 = candidates.lists.iter().map(|list| list[1]).sum();
                assert!(candidates.level == 0 || total as usize <= CANDIDATES_PER_VERTEX * count, "{name} {count}");
                if name == "ball" {
                    let most = candidates.lists.iter().map(|list| list[1]).max();
                    assert!(most <= Some(longest), "{count}: {most:?}");
                }
            }
        }
    }
}
