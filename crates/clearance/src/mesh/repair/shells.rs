//! Separates shells that touch along an edge: each gets points of its own there.
//!
//! Around an edge of four or more triangles, an even number, neighbours by angle with the inside between them belong to
//! one shell (the cutting step of Guéziec et al., *Cutting and stitching*, 2001). The triangles around a point then
//! fall into fans connected by edges of two triangles, and each fan gets its own copy of the point. Where both ends of
//! the edge stay shared, because the fans are connected elsewhere, all shells but the first get a point in the middle
//! of the edge.

use std::f64::consts::TAU;

use super::junctions::cut_sides;
use super::soup::Soup;
use crate::geom::topology::{find, join, unpack};

/// Separates shells at edges of four or more triangles; returns these edges, by the points given.
pub(super) fn separate_shells(soup: &mut Soup) -> Vec<[u32; 2]> {
    let sides = soup.sides();
    // Sides that belong together, and the edges where that took a choice.
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    let mut chosen: Vec<(u64, Vec<[u32; 2]>)> = Vec::new();
    for uses in sides.chunk_by(|a, b| a.0 == b.0) {
        match *uses {
            [_] => {}
            [(_, g), (_, h)] => pairs.push([g, h]),
            _ if uses.len() % 2 == 1 => {
                // An odd number: no pairing is right, so they stay together.
                uses.windows(2).for_each(|two| pairs.push([two[0].1, two[1].1]));
            }
            _ => {
                let own = by_angle(soup, uses);
                pairs.extend(&own);
                chosen.push((uses[0].0, own));
            }
        }
    }
    drop(sides);
    if chosen.is_empty() {
        return Vec::new();
    }
    let parted = chosen.iter().map(|(key, _)| {
        let [p, q] = unpack(*key).map(|p| soup.given(p));
        [p.min(q), p.max(q)]
    });
    let mut parted: Vec<[u32; 2]> = parted.collect();
    parted.sort_unstable();
    parted.dedup();
    copy_points(soup, &pairs, &chosen);
    add_middles(soup, &chosen);
    parted
}

/// The sides about an edge in pairs, next to each other by angle.
fn by_angle(soup: &Soup, uses: &[(u64, u32)]) -> Vec<[u32; 2]> {
    let [low, high] = unpack(uses[0].0).map(|p| soup.place(p));
    let axis = (high - low).normalize_or_zero();
    let x = axis.any_orthonormal_vector();
    let y = axis.cross(x);
    let low_point = unpack(uses[0].0)[0];
    // Along the edge: the angle, and whether the inside is towards larger angles. Of coincident triangles the one that
    // ends an inside range comes first.
    let mut around: Vec<(f64, bool, u32)> = uses
        .iter()
        .map(|&(_, side)| {
            let way = soup.place(soup.across(side)) - low;
            (y.dot(way).atan2(x.dot(way)), soup.ends(side)[0] != low_point, side)
        })
        .collect();
    around.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)).then(p.2.cmp(&q.2)));
    let count = around.len();
    let pair = |first: usize, k: usize| (around[(first + 2 * k) % count], around[(first + 2 * k + 1) % count]);
    // How many pairs have the inside between them, and how much of the full angle is between pairs.
    let score = |first: usize| {
        let pairs = (0..count / 2).map(|k| pair(first, k));
        pairs.fold((0, 0.0), |(fits, sum), (p, q)| {
            let turn = if q.0 >= p.0 { q.0 - p.0 } else { q.0 - p.0 + TAU };
            (fits + usize::from(p.1 && !q.1), sum + turn)
        })
    };
    let (even, odd) = (score(0), score(1));
    let first = usize::from(odd.0 > even.0 || (odd.0 == even.0 && odd.1 < even.1));
    (0..count / 2).map(|k| pair(first, k)).map(|(p, q)| [p.2, q.2]).collect()
}

/// Gives each fan of triangles around a point of a separated edge its own point.
fn copy_points(soup: &mut Soup, pairs: &[[u32; 2]], chosen: &[(u64, Vec<[u32; 2]>)]) {
    let mut is_end = vec![false; soup.places.len()];
    for (key, _) in chosen {
        unpack(*key).iter().for_each(|&p| is_end[p as usize] = true);
    }
    // Corners, identified by the sides that start there, are connected across paired sides.
    let mut fans: Vec<u32> = (0..3 * soup.triangles.len() as u32).collect();
    let next = |side: u32| if side % 3 == 2 { side - 2 } else { side + 1 };
    for &[g, h] in pairs {
        let (mut own, mut other) = (h, next(h));
        if soup.ends(own)[0] != soup.ends(g)[0] {
            std::mem::swap(&mut own, &mut other);
        }
        join(&mut fans, g, own);
        join(&mut fans, next(g), other);
    }
    let corner = |soup: &Soup, side: u32| soup.ends(side)[0];
    let mut corners: Vec<(u32, u32, u32)> = (0..3 * soup.triangles.len() as u32)
        .filter(|&side| is_end[corner(soup, side) as usize])
        .map(|side| (corner(soup, side), side))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(point, side)| (point, find(&mut fans, side), side))
        .collect();
    corners.sort_unstable();
    for about in corners.chunk_by(|p, q| p.0 == q.0) {
        for fan in about.chunk_by(|p, q| p.1 == q.1).skip(1) {
            let copy = soup.copy(about[0].0);
            for &(_, _, side) in fan {
                soup.triangles[side as usize / 3][side as usize % 3] = copy;
            }
        }
    }
}

/// Where shells still share an edge, all but one get a point in its middle.
fn add_middles(soup: &mut Soup, chosen: &[(u64, Vec<[u32; 2]>)]) {
    let mut owned: Vec<([u32; 2], [u32; 2])> = chosen
        .iter()
        .flat_map(|(_, pairs)| pairs)
        .map(|&[g, h]| {
            let [p, q] = soup.ends(g);
            ([p.min(q), p.max(q)], [g, h])
        })
        .collect();
    owned.sort_unstable();
    let mut cuts: Vec<(u32, Vec<u32>)> = Vec::new();
    for same in owned.chunk_by(|a, b| a.0 == b.0) {
        for &([p, q], sides) in &same[1..] {
            let middle = soup.middle(p, q);
            sides.iter().for_each(|&side| cuts.push((side, vec![middle])));
        }
    }
    cuts.sort_unstable();
    cut_sides(soup, &cuts);
}
