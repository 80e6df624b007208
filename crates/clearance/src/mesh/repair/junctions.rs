//! Cuts rim edges at points of other rims next to them, so that both sides of a crack have the same points.
//!
//! Candidates are the points of rim edges within the tolerance of the inside of another rim edge. A point cuts the edge
//! only if a rim edge at that point runs along it: a rim that merely touches another one is left alone. The triangle at
//! the edge becomes a fan about its opposite corner, and the fan's outer sides bend to the points, by no more than the
//! tolerance.

use glam::DVec3;

use super::near::PointTree;
use super::soup::{FILL, Soup};
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::geom::topology::unpack;
use crate::math::predicates::collinear;
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The criterion for points that cut an edge.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Within this distance of the edge.
    pub distance: f64,
    /// Within this distance of the triangle given that is cut.
    pub limit: f64,
    /// Farther than this from both ends of the edge.
    pub from_ends: f64,
}

/// Cuts edges at points next to them; returns whether any were cut.
pub(super) fn cut_at_junctions(
    soup: &mut Soup,
    given: &dyn Fn(u32) -> [DVec3; 3],
    Reach { distance, limit, from_ends }: Reach,
    size: f64,
) -> bool {
    let mut rims: Vec<u32> =
        soup.sides().chunk_by(|a, b| a.0 == b.0).filter(|uses| uses.len() == 1).map(|uses| uses[0].1).collect();
    if rims.is_empty() {
        return false;
    }
    rims.sort_unstable();
    // Each point of a rim with the points next to it there.
    let mut steps: Vec<[u32; 2]> = rims
        .iter()
        .flat_map(|&side| {
            let [p, q] = soup.ends(side);
            [[p, q], [q, p]]
        })
        .collect();
    steps.sort_unstable();
    let mut points: Vec<u32> = steps.iter().map(|step| step[0]).collect();
    points.dedup();
    let tree = PointTree::new(&points, |p| soup.place(p));
    // Points exactly on an edge are found in spite of rounding.
    let reach = distance.max(16.0 * UNIT_ROUNDOFF * size);
    let mut found = Vec::new();
    let mut cuts: Vec<(u32, Vec<u32>)> = Vec::new();
    for &side in &rims {
        let ([u, v], across) = (soup.ends(side), soup.across(side));
        let [from, to] = [u, v].map(|p| soup.place(p));
        let is_near = |p: u32, ends: [u32; 2]| {
            let [from, to] = ends.map(|p| soup.place(p));
            let away = closest_on_segment(soup.place(p), from, to).distance;
            away <= distance || (away <= reach && collinear(soup.place(p), from, to))
        };
        tree.near([from, to], reach, &mut found);
        let along = |p: u32| (soup.place(p) - from).dot(to - from);
        let whole = (to - from).length_squared();
        let mut chosen: Vec<(f64, u32)> = Vec::new();
        for &(_, w) in &found {
            let at = along(w);
            if w == u || w == v || w == across || !(at > 0.0 && at < whole) || !is_near(w, [u, v]) {
                continue;
            }
            if [from, to].iter().any(|&end| soup.place(w).distance(end) < from_ends) {
                continue;
            }
            let first = steps.partition_point(|step| step[0] < w);
            let runs_along = steps[first..]
                .iter()
                .take_while(|step| step[0] == w)
                .any(|&[_, x]| x == u || x == v || is_near(x, [u, v]) || is_near(u, [w, x]) || is_near(v, [w, x]));
            let origin = soup.origin[side as usize / 3];
            let is_close = origin == FILL || {
                let [a, b, c] = given(origin);
                closest_on_triangle(soup.place(w), a, b, c).distance <= limit
            };
            if runs_along && (is_close || distance == 0.0) {
                chosen.push((at, w));
            }
        }
        if !chosen.is_empty() {
            chosen.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
            cuts.push((side, chosen.into_iter().map(|(_, w)| w).collect()));
        }
    }
    if cuts.is_empty() {
        cuts = cuts_at_odd_edges(soup, &steps, distance);
    }
    cut_sides(soup, &cuts);
    !cuts.is_empty()
}

/// Where two rim edges run beside an edge with an odd number of triangles, three or more, one of these triangles is cut
/// at the point between the two, so that each edge has an even number. Of the triangles that run along the edge in the
/// majority direction, the one whose given triangle is nearest.
fn cuts_at_odd_edges(soup: &Soup, steps: &[[u32; 2]], distance: f64) -> Vec<(u32, Vec<u32>)> {
    let next_to = |p: u32| {
        let first = steps.partition_point(|step| step[0] < p);
        steps[first..].iter().take_while(move |step| step[0] == p).map(|step| step[1])
    };
    let mut cuts: Vec<(u32, Vec<u32>)> = Vec::new();
    for uses in soup.sides().chunk_by(|a, b| a.0 == b.0) {
        let [u, v] = unpack(uses[0].0);
        if uses.len() < 3 || uses.len().is_multiple_of(2) || u == v {
            continue;
        }
        let [from, to] = [u, v].map(|p| soup.place(p));
        let away = |p: u32| closest_on_segment(soup.place(p), from, to).distance;
        let between = next_to(u).filter(|&w| next_to(v).any(|x| x == w) && away(w) <= distance);
        let Some(w) = between.min_by(|&p, &q| away(p).total_cmp(&away(q)).then(p.cmp(&q))) else { continue };
        let forward = uses.iter().filter(|side| soup.ends(side.1)[0] == u).count();
        let start = if 2 * forward > uses.len() { u } else { v };
        let offset = |side: u32| {
            let [a, b, c] = soup.before[side as usize / 3];
            closest_on_triangle(soup.place(w), a, b, c).distance
        };
        let sides =
            uses.iter().map(|side| side.1).filter(|&side| soup.ends(side)[0] == start && soup.across(side) != w);
        if let Some(side) = sides.min_by(|&p, &q| offset(p).total_cmp(&offset(q)).then(p.cmp(&q))) {
            cuts.push((side, vec![w]));
        }
    }
    cuts.sort_unstable();
    cuts
}

/// Cuts triangles at points along their sides; the sides ascend.
pub(super) fn cut_sides(soup: &mut Soup, cuts: &[(u32, Vec<u32>)]) {
    if !cuts.is_empty() {
        // One after the other along up to three sides.
        soup.nested_cuts += 3;
    }
    for own in cuts.chunk_by(|p, q| p.0 / 3 == q.0 / 3) {
        let number = own[0].0 as usize / 3;
        let (whole, origin) = (soup.triangles[number], soup.origin[number]);
        let mut parts = vec![(whole, soup.before[number])];
        for (side, points) in own {
            let k = *side as usize % 3;
            let [u, v] = [whole[k], whole[(k + 1) % 3]];
            // Exactly one part still has the whole side.
            let found = parts.iter().position(|(part, _)| (0..3).any(|j| part[j] == u && part[(j + 1) % 3] == v));
            let Some(place) = found else { continue };
            let part = parts.swap_remove(place);
            parts.extend(fan(soup, part, [u, v], points));
        }
        (soup.triangles[number], soup.before[number]) = parts[0];
        parts[1..].iter().for_each(|&(part, before)| soup.push(part, origin, before));
    }
}

type Part = ([u32; 3], [DVec3; 3]);

/// The fan about the corner opposite a side that is cut at some points, which ascend along it.
fn fan(soup: &Soup, (part, before): Part, [u, v]: [u32; 2], points: &[u32]) -> Vec<Part> {
    let k = (0..3).find(|&k| part[k] == u && part[(k + 1) % 3] == v).unwrap_or(0);
    let apex = part[(k + 2) % 3];
    let [start, end, across] = [0, 1, 2].map(|j| before[(k + j) % 3]);
    let (from, way) = (soup.place(u), soup.place(v) - soup.place(u));
    let length_squared = way.length_squared();
    let mut last = (u, start);
    let mut parts = Vec::with_capacity(points.len() + 1);
    for &point in points.iter().filter(|&&point| point != apex) {
        let share = (way.dot(soup.place(point) - from) / length_squared).clamp(0.0, 1.0);
        let next = (point, start + (end - start) * share);
        parts.push(([last.0, next.0, apex], [last.1, next.1, across]));
        last = next;
    }
    parts.push(([last.0, v, apex], [last.1, end, across]));
    parts
}

/// Whether some edge has an odd number of triangles.
pub(super) fn has_rim(soup: &Soup) -> bool {
    soup.sides()
        .chunk_by(|a, b| a.0 == b.0)
        .any(|uses| uses.len() % 2 == 1 && unpack(uses[0].0)[0] != unpack(uses[0].0)[1])
}
