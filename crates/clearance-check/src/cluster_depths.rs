//! The local depth at each of the places where two parts meet.
//!
//! The region of a place consists of the triangles of a part that meet the other there, and those reached from them
//! over shared edges through triangles that do not meet the other but lie inside it. The depth of a region is that of
//! its triangles, taken as a surface, in the other part; the depth of a place is the larger of the regions of both
//! parts. So two places of one dent, such as where a bar enters a plate and where it leaves, have the same depth, and a
//! dent elsewhere has its own. No region reaches deeper than the whole surface, so no place is deeper than the finding.
//!
//! Connected triangles that meet nothing are entirely inside or entirely outside: one point decides.

use std::collections::BTreeMap;

use clearance::answer::Contacts;
use clearance::glam::DVec3;
use clearance::query::{ContactsOptions, LocalDepthOptions, contacts_with, local_depth_with};
use clearance::{Bracket, Mesh, PairCache, Shape, Workspace, contains};

use crate::clusters::nearest;
use crate::measure::Placed;
use crate::report::{Cluster, LocalDepth, SearchOutcome};
use crate::searches::NO_WORK_LEFT;

/// A region costs one unit of work, besides its search, for every this many triangles of the parts.
const TRIANGLES_OF_WORK: u64 = 100;

/// Why a place has only the depth of the whole overlap.
const OF_THE_WHOLE: &str = "depth of the whole overlap: that of this place is unknown";

/// Searches the depth at each place of two parts, at least one of which is a solid; `whole` is the depth of the
/// finding. Returns the work spent.
pub(crate) fn search_places(
    a: Placed<'_>,
    b: Placed<'_>,
    clusters: &mut [Cluster],
    whole: &LocalDepth,
    work: u64,
    workspace: &mut Workspace,
) -> u64 {
    let Some([_, _, most]) = whole.numbers().filter(|_| clusters.len() > 1) else { return 0 };
    let triangles = (a.0.solid_mesh().triangle_count() + b.0.solid_mesh().triangle_count()) as u64;
    let fixed = triangles / TRIANGLES_OF_WORK + 1;
    let places = clusters.len() as u64;
    if work < fixed.saturating_mul(places + 1) {
        clusters.iter_mut().for_each(|cluster| cluster.local_depth = Some(LocalDepth::none(NO_WORK_LEFT.into())));
        return 0;
    }
    let mut took = fixed;
    let mut contacts = Contacts::default();
    let (shape_a, shape_b) = (a.0.solid_shape(), b.0.solid_shape());
    let (mut cache, options) = (PairCache::default(), ContactsOptions::default());
    contacts_with(shape_a, a.1, shape_b, b.1, &options, &mut cache, workspace, &mut contacts);
    // For each place, the triangles of A and of B that meet there.
    let mut met: Vec<[Vec<u32>; 2]> = vec![[Vec::new(), Vec::new()]; clusters.len()];
    for crossing in &contacts.crossings {
        let [p, q] = crossing.ends_in_a.map(|end| a.1.transform_point(end));
        if let Some(place) = nearest(clusters, 0.5 * (p + q)) {
            met[place][0].push(crossing.triangle_a);
            met[place][1].push(crossing.triangle_b);
        }
    }
    let regions = [Regions::new(a, b, met.iter().map(|of| &of[0])), Regions::new(b, a, met.iter().map(|of| &of[1]))];
    let mut known: BTreeMap<Vec<u32>, Option<Found>> = BTreeMap::new();
    for (number, cluster) in clusters.iter_mut().enumerate() {
        let share = work.saturating_sub(took) / (places - number as u64);
        let mut found: Option<Found> = None;
        for ((side, of), (surface, solid)) in
            [0, 1].into_iter().zip([(a, b), (b, a)]).map(|(k, of)| ((k, &regions[k]), of))
        {
            let Some(of) = of else { continue };
            let region = of.region(&met[number][side]);
            let key: Vec<u32> = std::iter::once(side as u32).chain(region.iter().copied()).collect();
            let depth = *known.entry(key).or_insert_with(|| {
                took += fixed;
                let depth = depth_of(surface, solid, &region, share / 2, workspace);
                took += depth.as_ref().map_or(0, |depth| depth.work);
                depth
            });
            found = deeper(found, depth);
        }
        cluster.local_depth = Some(found.map_or_else(
            || LocalDepth { lower: Some(0.0), point: None, why: Some(OF_THE_WHOLE.into()), ..whole.clone() },
            |found| found.told(whole, most),
        ));
    }
    took
}

/// The depth found for a region.
#[derive(Clone, Copy, Debug)]
struct Found {
    depth: Bracket,
    /// The deepest point, in world coordinates.
    point: Option<DVec3>,
    is_tight: bool,
    work: u64,
}

/// The deeper of two.
fn deeper(p: Option<Found>, q: Option<Found>) -> Option<Found> {
    let (Some(p), Some(q)) = (p, q) else { return p.or(q) };
    let (first, other) = if q.depth.value > p.depth.value { (q, p) } else { (p, q) };
    let depth = Bracket {
        lower: p.depth.lower.max(q.depth.lower),
        value: first.depth.value,
        upper: p.depth.upper.max(q.depth.upper),
    };
    Some(Found { depth, is_tight: p.is_tight && q.is_tight, work: first.work + other.work, ..first })
}

impl Found {
    /// As a report entry, widened as the whole is.
    fn told(&self, whole: &LocalDepth, most: f64) -> LocalDepth {
        let Bracket { lower, value, upper } = self.depth;
        let by = whole.widened_by;
        let (lower, upper) =
            if by > 0.0 { ((lower - by).next_down().max(0.0), (upper + by).next_up()) } else { (lower, upper) };
        let upper = upper.min(most).max(lower);
        LocalDepth {
            value: Some(value.clamp(lower, upper)),
            lower: Some(lower),
            upper: Some(upper),
            point: self.point.map(|point| point.to_array()),
            search: if self.is_tight { SearchOutcome::Complete } else { SearchOutcome::Interrupted },
            why: (!self.is_tight).then(|| "work limit per place reached".into()),
            widened_by: by,
        }
    }
}

/// The local depth of some triangles of a part, taken as a surface, in the other part.
fn depth_of(
    surface: Placed<'_>,
    solid: Placed<'_>,
    region: &[u32],
    work: u64,
    workspace: &mut Workspace,
) -> Option<Found> {
    let mesh = surface.0.solid_mesh();
    let (points, faces) = (mesh.points().collect::<Vec<_>>(), mesh.triangles());
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut kept: Vec<[f64; 3]> = Vec::new();
    let mut number = |corner: u32| {
        *numbers.entry(corner).or_insert_with(|| {
            kept.push(points[corner as usize].to_array());
            kept.len() as u32 - 1
        })
    };
    let faces: Vec<[u32; 3]> = region.iter().map(|&face| faces[face as usize].map(&mut number)).collect();
    let region = Shape::Mesh(Mesh::new(&kept, &faces).ok()?);
    let options = LocalDepthOptions { work, ..LocalDepthOptions::default() };
    let found =
        local_depth_with(&region, surface.1, solid.0.solid_shape(), solid.1, &options, workspace, |_, _| true).ok()?;
    let point = found.deepest.map(|deepest| surface.1.transform_point(deepest.witness.a.point));
    let is_tight = found.depth.upper - found.depth.lower <= options.relative_tolerance * found.depth.upper;
    Some(Found { depth: found.depth, point, is_tight, work: found.work })
}

/// The triangles of a part, classified against a solid.
struct Regions {
    /// For each triangle, the index of its piece: a connected set that does not meet the solid. `None` for triangles
    /// that do.
    piece: Vec<Option<u32>>,
    /// For each piece, its triangles if it lies inside; otherwise empty.
    inside: Vec<Vec<u32>>,
    /// For each triangle, those that share an edge with it.
    neighbours: Vec<Vec<u32>>,
}

impl Regions {
    /// `None` if the other part is not a solid, and so has no interior.
    fn new<'m>(surface: Placed<'_>, solid: Placed<'_>, met: impl Iterator<Item = &'m Vec<u32>>) -> Option<Regions> {
        if !solid.0.is_solid() {
            return None;
        }
        let mesh = surface.0.solid_mesh();
        let (points, faces) = (mesh.points().collect::<Vec<_>>(), mesh.triangles());
        let mut is_met = vec![false; faces.len()];
        met.flatten().for_each(|&face| is_met[face as usize] = true);
        let neighbours = neighbours(&faces);
        let (mut piece, mut inside) = (vec![None; faces.len()], Vec::new());
        for first in 0..faces.len() {
            if is_met[first] || piece[first].is_some() {
                continue;
            }
            let number = inside.len() as u32;
            piece[first] = Some(number);
            let mut members = vec![first as u32];
            let mut next = 0;
            while let Some(&face) = members.get(next) {
                next += 1;
                for &other in &neighbours[face as usize] {
                    if !is_met[other as usize] && piece[other as usize].is_none() {
                        piece[other as usize] = Some(number);
                        members.push(other);
                    }
                }
            }
            let middle = faces[first].map(|corner| points[corner as usize]).iter().sum::<DVec3>() / 3.0;
            let is_inside = contains(solid.0.solid_shape(), solid.1, surface.1.transform_point(middle));
            inside.push(if is_inside { members } else { Vec::new() });
        }
        Some(Regions { piece, inside, neighbours })
    }

    /// The triangles that meet the solid at a place, and those inside that are reached from them; ascending.
    fn region(&self, met: &[u32]) -> Vec<u32> {
        let mut region = met.to_vec();
        let next = met.iter().flat_map(|&face| &self.neighbours[face as usize]);
        let mut pieces: Vec<u32> = next.filter_map(|&face| self.piece[face as usize]).collect();
        pieces.sort_unstable();
        pieces.dedup();
        pieces.iter().for_each(|&piece| region.extend(&self.inside[piece as usize]));
        region.sort_unstable();
        region.dedup();
        region
    }
}

/// For each triangle, those that share an edge with it.
fn neighbours(faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (&[p, q, r], number) in faces.iter().zip(0..) {
        edges.extend([[p, q], [q, r], [r, p]].map(|[p, q]| ([p.min(q), p.max(q)], number)));
    }
    edges.sort_unstable();
    let mut found = vec![Vec::new(); faces.len()];
    for uses in edges.chunk_by(|p, q| p.0 == q.0) {
        for (number, &(_, face)) in uses.iter().enumerate() {
            // Around a non-manifold edge, each triangle gets the previous and the next one.
            let others = [number.checked_sub(1), Some(number + 1)].into_iter().flatten();
            found[face as usize].extend(others.filter_map(|other| uses.get(other)).map(|(_, other)| *other));
        }
    }
    found
}
