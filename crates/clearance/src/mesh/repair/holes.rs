//! The rims of holes, and triangles that close those that are narrow enough.
//!
//! A rim follows edges of one triangle each, against the direction of that triangle, and is split into loops where it
//! comes back to a point. A loop is closed by cutting off ears, the one with the shortest third side first, which
//! closes a slit from its ends like a zip. A hole is filled if every point of these triangles is within the tolerance
//! of its rim, and of the mesh given, and none of their new sides is an edge already. Being near the mesh alone does
//! not suffice: the outline of a flat sheet would be filled by a copy of the sheet.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::hausdorff::Measure;
use super::soup::{FILL, Sides, Soup};
use crate::geom::topology::pack;
use crate::math::tolerances::ROUND_UP;
use crate::shape::Mesh;

/// Points along a rim; whether the last is joined to the first.
pub(super) struct Loop {
    pub points: Vec<u32>,
    pub is_closed: bool,
}

/// All rims. An edge is in just one of them, once.
pub(super) fn rims(soup: &Soup) -> Vec<Loop> {
    // From each point to the next, against the triangles.
    let mut steps: Vec<[u32; 2]> = Vec::new();
    for uses in soup.sides().chunk_by(|a, b| a.0 == b.0) {
        if let [(_, side)] = *uses {
            let [from, to] = soup.ends(side);
            steps.push([to, from]);
        }
    }
    steps.sort_unstable();
    let mut is_taken = vec![false; steps.len()];
    // Open rims first, so that none is started in the middle.
    let mut balance: Vec<(u32, i32)> = steps.iter().flat_map(|&[p, q]| [(p, 1), (q, -1)]).collect();
    balance.sort_unstable();
    let mut starts: Vec<u32> = Vec::new();
    for own in balance.chunk_by(|p, q| p.0 == q.0) {
        let surplus: i32 = own.iter().map(|one| one.1).sum();
        (0..surplus).for_each(|_| starts.push(own[0].0));
    }
    starts.extend(steps.iter().map(|step| step[0]));
    let mut loops = Vec::new();
    // The position of each point on the current path.
    let mut place = vec![u32::MAX; soup.places.len()];
    let mut next_of: Vec<usize> = Vec::new();
    next_of.resize(soup.places.len(), usize::MAX);
    for (k, step) in steps.iter().enumerate().rev() {
        next_of[step[0] as usize] = k;
    }
    for start in starts {
        let mut way: Vec<u32> = vec![start];
        place[start as usize] = 0;
        while let Some(&last) = way.last() {
            let first = next_of[last as usize];
            let step = steps.get(first).filter(|step| step[0] == last && !is_taken[first]).copied();
            let Some([_, to]) = step else { break };
            is_taken[first] = true;
            next_of[last as usize] = first + 1;
            let back = place[to as usize];
            if back == u32::MAX {
                place[to as usize] = way.len() as u32;
                way.push(to);
            } else {
                let points: Vec<u32> = way.drain(back as usize..).collect();
                points.iter().for_each(|&p| place[p as usize] = u32::MAX);
                loops.push(Loop { points, is_closed: true });
                place[to as usize] = way.len() as u32;
                way.push(to);
            }
        }
        way.iter().for_each(|&p| place[p as usize] = u32::MAX);
        if way.len() > 1 {
            loops.push(Loop { points: way, is_closed: false });
        }
    }
    loops
}

/// Fills holes that are narrow enough; returns their rims, each with its number of triangles, and how far from the mesh
/// given these triangles are at most.
pub(super) fn fill_holes(soup: &mut Soup, given: &Measure<'_>, tolerance: f64) -> (Vec<(Vec<u32>, u32)>, f64) {
    let (mut filled, mut farthest) = (Vec::new(), 0.0f64);
    let all = rims(soup);
    // Zero-width slits are closed by cutting their sides.
    if all.is_empty() || tolerance == 0.0 {
        return (filled, 0.0);
    }
    let sides = soup.sides();
    let mut new_edges = BTreeSet::new();
    for hole in all {
        if !hole.is_closed || hole.points.len() < 3 {
            continue;
        }
        let Some(rim) = rim_surface(soup, &hole.points) else { continue };
        let near = Near {
            soup,
            rim: Measure { surface: rim.surface(), off: 0.0 },
            given,
            moved: rim_move(soup, &hole.points, &sides),
            tolerance,
        };
        if let Some((triangles, away)) = zip(&near, &hole.points, &sides, &mut new_edges) {
            farthest = farthest.max(away);
            filled.push((hole.points, triangles.len() as u32));
            for triangle in triangles {
                soup.push(triangle, FILL, triangle.map(|p| soup.place(p)));
            }
        }
    }
    (filled, farthest)
}

/// The edges of a rim as a surface of zero-area triangles.
fn rim_surface(soup: &Soup, points: &[u32]) -> Option<Mesh> {
    let places: Vec<[f64; 3]> = points.iter().map(|&p| soup.place(p).to_array()).collect();
    let count = points.len() as u32;
    let edges: Vec<[u32; 3]> = (0..count).map(|k| [k, (k + 1) % count, (k + 1) % count]).collect();
    Mesh::new(&places, &edges).ok()
}

/// How far the edges of a rim are, at most, from the mesh given.
fn rim_move(soup: &Soup, points: &[u32], sides: &Sides) -> f64 {
    let of_edge = |k: usize| {
        let key = pack(points[k], points[(k + 1) % points.len()]);
        let found = sides.binary_search_by_key(&key, |side| side.0).map(|found| sides[found].1 as usize);
        found.map_or(f64::INFINITY, |side| {
            let (now, before) = (soup.corners(side / 3), soup.before[side / 3]);
            [side % 3, (side + 1) % 3].map(|k| now[k].distance(before[k])).into_iter().fold(0.0, f64::max)
        })
    };
    (0..points.len()).map(of_edge).fold(0.0, f64::max) * ROUND_UP
}

/// What a triangle that closes a hole must be near.
struct Near<'n> {
    soup: &'n Soup,
    rim: Measure<'n>,
    given: &'n Measure<'n>,
    /// How far the rim is from the mesh given.
    moved: f64,
    tolerance: f64,
}

impl Near<'_> {
    /// How far from the mesh given a triangle is at most, if it is near enough to the rim and to that.
    fn distance(&self, triangle: [u32; 3]) -> Option<f64> {
        let corners = triangle.map(|p| self.soup.place(p));
        // The places of a rim are relative to the local origin of the soup, those of its surface to its own.
        let from_rim = self.rim.bound_within(corners.map(|p| p - self.rim.surface.origin), self.tolerance)?;
        let away = from_rim + self.moved;
        if away <= self.tolerance { Some(away) } else { self.given.bound_within(corners, self.tolerance) }
    }
}

/// Triangles that close a loop, if all of them are near enough, and how far they are from the mesh given.
fn zip(near: &Near<'_>, points: &[u32], sides: &Sides, new_edges: &mut BTreeSet<u64>) -> Option<(Vec<[u32; 3]>, f64)> {
    let soup = near.soup;
    let count = points.len();
    let mut next: Vec<usize> = (0..count).map(|k| (k + 1) % count).collect();
    let mut back: Vec<usize> = (0..count).map(|k| (k + count - 1) % count).collect();
    let mut version = vec![0u32; count];
    let is_edge =
        |key: u64, new: &BTreeSet<u64>| new.contains(&key) || sides.binary_search_by_key(&key, |side| side.0).is_ok();
    let length = |k: usize, back: &[usize], next: &[usize]| {
        let [p, q] = [points[back[k]], points[next[k]]];
        soup.place(p).distance_squared(soup.place(q))
    };
    // Nonnegative lengths are ordered like their bits.
    let mut corners: BinaryHeap<Reverse<(u64, usize, u32)>> =
        (0..count).map(|k| Reverse((length(k, &back, &next).to_bits(), k, 0))).collect();
    let mut own_edges = BTreeSet::new();
    let mut triangles = Vec::with_capacity(count - 2);
    let mut left = count;
    while left > 3 {
        let Reverse((_, k, made)) = corners.pop()?;
        if made != version[k] || next[k] == usize::MAX {
            continue;
        }
        let (before, after) = (back[k], next[k]);
        let [p, q, r] = [points[before], points[k], points[after]];
        let key = pack(p, r);
        if is_edge(key, new_edges) || own_edges.contains(&key) {
            continue;
        }
        own_edges.insert(key);
        triangles.push([p, q, r]);
        (next[before], back[after]) = (after, before);
        next[k] = usize::MAX;
        left -= 1;
        for end in [before, after] {
            version[end] += 1;
            corners.push(Reverse((length(end, &back, &next).to_bits(), end, version[end])));
        }
    }
    let first = (0..count).find(|&k| next[k] != usize::MAX)?;
    let last = [points[first], points[next[first]], points[back[first]]];
    triangles.push(last);
    // The last ones span the hole where it is widest: if it is too wide, one of these shows it.
    let mut farthest = 0.0f64;
    for &triangle in triangles.iter().rev() {
        farthest = farthest.max(near.distance(triangle)?);
    }
    new_edges.extend(own_edges);
    Some((triangles, farthest))
}
