//! Drops triangles that bound nothing: zero-area, collapsed and duplicate ones.

use super::soup::{FILL, Soup};
use crate::geom::topology::{find, join, unpack};
use crate::math::predicates::collinear;

/// Drops triangles whose corners lie exactly on a line; returns their numbers.
pub(super) fn drop_zero_area(soup: &mut Soup) -> Vec<u32> {
    let is_flat: Vec<bool> = (0..soup.triangles.len())
        .map(|t| {
            let [a, b, c] = soup.corners(t);
            collinear(a, b, c)
        })
        .collect();
    let dropped = (0..is_flat.len()).filter(|&t| is_flat[t]).map(|t| soup.origin[t]).collect();
    soup.retain(|t| !is_flat[t]);
    dropped
}

/// Drops triangles two of whose corners were joined; returns the triangles given that they come from.
pub(super) fn drop_collapsed(soup: &mut Soup) -> Vec<u32> {
    let names_twice = |[a, b, c]: [u32; 3]| a == b || b == c || c == a;
    let is_gone: Vec<bool> = soup.triangles.iter().map(|&t| names_twice(t)).collect();
    let dropped = (0..is_gone.len()).filter(|&t| is_gone[t]).map(|t| soup.origin[t]).collect();
    soup.retain(|t| !is_gone[t]);
    dropped
}

/// Drops triangles with the same corners as another; returns the one kept and the one dropped, as triangles given.
///
/// Two duplicates that face opposite ways are both kept where both are needed: between two shells that share a wall.
/// Duplicates connected by edges are decided together: an edge on the outline of such a group with an odd number of
/// other triangles needs one layer, an edge with an even number needs both.
pub(super) fn drop_duplicates(soup: &mut Soup) -> Vec<[u32; 2]> {
    let mut named: Vec<([u32; 3], u32)> = soup
        .triangles
        .iter()
        .zip(0..)
        .map(|(&t, number)| {
            let mut corners = t;
            corners.sort_unstable();
            (corners, number)
        })
        .collect();
    named.sort_unstable();
    let is_even = |t: u32| {
        let [a, b, c] = soup.triangles[t as usize];
        (a < b) as u8 + (b < c) as u8 + (c < a) as u8 == 2
    };
    // For each triangle the first of its group, and of that the first that faces the other way.
    let count = soup.triangles.len();
    let mut first_of: Vec<u32> = (0..count as u32).collect();
    let mut other_of = vec![FILL; count];
    let mut is_multiple = vec![false; count];
    let mut any = false;
    for equal in named.chunk_by(|s, t| s.0 == t.0).filter(|equal| equal.len() > 1) {
        any = true;
        let first = equal[0].1;
        for &(_, t) in equal {
            first_of[t as usize] = first;
            is_multiple[t as usize] = true;
            if is_even(t) != is_even(first) && other_of[first as usize] == FILL {
                other_of[first as usize] = t;
            }
        }
    }
    if !any {
        return Vec::new();
    }
    drop(named);
    let sides = soup.sides();
    let mut groups: Vec<u32> = (0..count as u32).collect();
    // How many edges at the rim of a group need one of each triangle, less those that need two.
    let mut votes = vec![0i64; count];
    for pass in 0..2 {
        for uses in sides.chunk_by(|a, b| a.0 == b.0) {
            if unpack(uses[0].0)[0] == unpack(uses[0].0)[1] {
                continue;
            }
            let mut multiples = uses.iter().map(|side| side.1 / 3).filter(|&t| is_multiple[t as usize]);
            let Some(one) = multiples.next() else { continue };
            if pass == 0 {
                join(&mut groups, first_of[one as usize], one);
                multiples.for_each(|t| join(&mut groups, one, t));
            } else {
                let singles = uses.iter().filter(|side| !is_multiple[side.1 as usize / 3]).count();
                let group = find(&mut groups, one) as usize;
                votes[group] += match singles {
                    0 => 0,
                    n if n % 2 == 1 => 1,
                    _ => -1,
                };
            }
        }
    }
    let mut dropped = Vec::new();
    let mut is_dropped = vec![false; count];
    for t in 0..count {
        let first = first_of[t];
        if first as usize == t {
            continue;
        }
        let group = find(&mut groups, t as u32) as usize;
        let is_needed = votes[group] < 0 && other_of[first as usize] == t as u32;
        if !is_needed {
            is_dropped[t] = true;
            dropped.push([soup.origin[first as usize], soup.origin[t]]);
        }
    }
    soup.retain(|t| !is_dropped[t]);
    dropped
}
