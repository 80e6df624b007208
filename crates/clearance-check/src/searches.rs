//! The searches for overlapping pairs, and how they share the work budget.
//!
//! Each slot of pairs ([`crate::shard`]) has an equal share of the budget, which pays for all its searches, volumes
//! included. First come those the verdict depends on: the local depth of each overlap, and, where they decide it, the
//! way out or the volume. The remaining work goes to the findings, deepest first: their depth at each place, ways out
//! and volumes. Each pair may use its share of the remaining work, and leaves the unused rest to the next. Identical
//! questions are searched once per slot. Slots are independent, so they run in parallel, on different machines too.

use clearance::Workspace;

use crate::cluster_depths::search_places;
use crate::limits::{LOCAL_DEPTH_WORK, LOCAL_DEPTH_WORK_OF_TRIANGLE};
use crate::local_depth::local_depth;
use crate::measure::{Measured, Placed, Scratch, places};
use crate::overlap::{Overlap, common_volume, flaw_of_pair, volume_work};
use crate::report::{How, Kind, SearchOutcome};
use crate::rules::Limits;

/// The least work worth spending on a way out: with less, the search ends before the first one is refined.
const LEAST_WORK: u64 = 2_000;

/// The share of a pair's work for the depths at its places is one in this many; the rest is for the way out, which uses
/// all it gets.
const PLACES_SHARE: u64 = 4;

/// Why a search was skipped or cut short.
pub(crate) const NO_WORK_LEFT: &str = "the search budget is spent: see --budget";

/// Why no way out was searched for repaired solids.
const OF_REPAIRED: &str = "a part was repaired: searched only if an allowed way out depends on it";

/// Two overlapping parts with their limits, and the result so far.
#[derive(Debug)]
pub(crate) struct Clash<'m> {
    pub a: Placed<'m>,
    pub b: Placed<'m>,
    pub limits: &'m Limits,
    pub found: Measured,
}

/// Searches the pairs of a slot, given in part order, as far as the work allows; ways out and volumes that decide
/// nothing only if `ways_out` is set. `done` is called with the index of each.
pub(crate) fn search_all(clashes: &mut [Clash<'_>], work: u64, ways_out: bool, done: &(dyn Fn(usize) + Sync)) {
    let mut left = work;
    // Ties stay in part order.
    let mut order: Vec<usize> = (0..clashes.len()).collect();
    let gap = |clashes: &[Clash<'_>], number: usize| clashes[number].found.gap;
    order.sort_by(|&p, &q| {
        let (p, q) = (gap(clashes, p), gap(clashes, q));
        p.upper.total_cmp(&q.upper).then(p.lower.total_cmp(&q.lower))
    });
    let mut scratch = Scratch::default();
    for (&number, others) in order.iter().zip((0..order.len() as u64).rev()) {
        left = left.saturating_sub(decide(&mut clashes[number], left / (others + 1), ways_out));
    }
    let (mut at_fault, others): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|&number| clashes[number].is_at_fault());
    let depth = |number: &usize| clashes[*number].found.local_depth.as_ref().and_then(|depth| depth.value);
    at_fault.sort_by(|p, q| depth(q).unwrap_or(-1.0).total_cmp(&depth(p).unwrap_or(-1.0)));
    for (&number, others) in at_fault.iter().zip((0..at_fault.len() as u64).rev()) {
        clashes[number].find_places(&mut scratch);
        left = left.saturating_sub(clashes[number].search_places(left / (others + 1) / PLACES_SHARE));
        if ways_out {
            left = left.saturating_sub(find_way_out(&mut clashes[number], left / (others + 1), left));
        }
        done(number);
    }
    for number in others {
        clashes[number].find_places(&mut scratch);
        done(number);
    }
}

impl Clash<'_> {
    /// Whether it is an overlap that is not allowed.
    fn is_at_fault(&self) -> bool {
        self.found.kind == Kind::Hard && !self.found.is_allowed_overlap(self.limits)
    }

    /// Searches the depth at each of its places; returns the work spent.
    fn search_places(&mut self, work: u64) -> u64 {
        let Some(whole) = &mut self.found.local_depth else { return 0 };
        let work = work.min(LOCAL_DEPTH_WORK);
        let took = search_places(self.a, self.b, &mut self.found.clusters, whole, work, &mut Workspace::default());
        // A deeper point at one place also bounds the whole.
        for place in self.found.clusters.iter().filter_map(|cluster| cluster.local_depth.as_ref()) {
            if place.value > whole.value {
                (whole.value, whole.point) = (place.value, place.point);
            }
            if place.lower > whole.lower {
                whole.lower = place.lower;
            }
        }
        took
    }

    fn find_places(&mut self, scratch: &mut Scratch) {
        // Places of allowed findings are not reported.
        let is_allowed = self.limits.allow.contains(&self.found.kind) || self.found.is_allowed_overlap(self.limits);
        if self.found.clusters.is_empty() && !is_allowed {
            self.found.clusters = places(self.a, self.b, scratch);
        }
    }
}

/// Runs the searches that the verdict on a pair depends on; returns the work spent.
fn decide(clash: &mut Clash<'_>, work: u64, ways_out: bool) -> u64 {
    let Clash { a, b, limits, found } = clash;
    let (a, b) = (*a, *b);
    let mut took = 0;
    // A translation that separates repaired solids need not separate the triangles as given, and only the latter counts
    // as grazing.
    let is_repaired = a.0.is_repaired() || b.0.is_repaired();
    let grazing = matches!(found.how, How::Crossing | How::Overlapping) && !is_repaired;
    let undecided = |lower: f64, upper: f64| {
        let between = |limit: f64| lower <= limit && limit < upper;
        (grazing && between(limits.touch_band())) || limits.allowed_way_out.is_some_and(between)
    };
    let is_open = found.way_out.as_ref().is_some_and(|way| undecided(way.lower, way.upper));
    if ways_out && is_open {
        took += search(a, b, found, work, |lower, upper| !undecided(lower, upper));
    }
    if grazing && found.way_out.as_ref().is_some_and(|way| way.upper <= limits.touch_band()) {
        (found.kind, found.how, found.way_out) = (Kind::Touching, How::Grazing, None);
        return took;
    }
    if limits.allow.contains(&Kind::Hard) {
        return took;
    }
    let room = work.saturating_sub(took);
    // A point at some depth stays inside until it is moved that far: the local depth is at most the shortest way out.
    let most = found.way_out.as_ref().map_or(f64::INFINITY, |way| way.upper);
    let most_work = local_depth_work(a, b);
    let (mut depth, is_fit, more) =
        local_depth(a, b, limits.allowed_depth, most, room.min(most_work), &mut Workspace::default());
    if depth.search == SearchOutcome::Interrupted && room < most_work {
        depth.why = Some(NO_WORK_LEFT.into());
    }
    (found.local_depth, found.is_fit) = (Some(depth), is_fit);
    took += more;
    if limits.allowed_volume.is_some() && found.volume.is_none() {
        found.volume = common_volume(a, b);
        took += volume_work(a, b);
    }
    took
}

/// The most work for the local depth of a pair.
fn local_depth_work(a: Placed<'_>, b: Placed<'_>) -> u64 {
    if a.0.is_repaired() || b.0.is_repaired() {
        return LOCAL_DEPTH_WORK;
    }
    let triangles = (a.0.mesh.triangle_count() + b.0.mesh.triangle_count()) as u64;
    LOCAL_DEPTH_WORK + LOCAL_DEPTH_WORK_OF_TRIANGLE * triangles
}

/// Searches the way out and the volume of a finding with its share of the work left in the slot; returns the work
/// spent. The way out of repaired solids, which are large and numerous in files that need repair, is searched only if
/// it decides.
fn find_way_out(clash: &mut Clash<'_>, work: u64, left: u64) -> u64 {
    let Clash { a, b, found, .. } = clash;
    let (a, b) = (*a, *b);
    let Some(way_out) = &mut found.way_out else { return 0 };
    if let Some(why) = flaw_of_pair(a.0, b.0) {
        way_out.why = Some(why);
        return 0;
    }
    let volume = volume_work(a, b);
    // A slot with few pairs has plenty for each; in one with many, the deepest may take more than their share.
    let share = work.max(LEAST_WORK + volume);
    if share > left {
        if way_out.search == SearchOutcome::None {
            way_out.why = Some(NO_WORK_LEFT.into());
        }
        return 0;
    }
    let mut took = 0;
    if found.volume.is_none() {
        found.volume = common_volume(a, b);
        took += volume;
    }
    match &mut found.way_out {
        Some(way_out) if way_out.of_repaired && way_out.search == SearchOutcome::None => {
            way_out.why = Some(OF_REPAIRED.into());
        }
        Some(way_out) if way_out.search != SearchOutcome::Complete => {
            took += search(a, b, found, share - took, |_, _| false);
        }
        _ => {}
    }
    took
}

/// Searches the shortest way out of a pair until `enough` accepts its bracket; returns the work spent.
pub(crate) fn search(
    a: Placed<'_>,
    b: Placed<'_>,
    found: &mut Measured,
    work: u64,
    enough: impl Fn(f64, f64) -> bool,
) -> u64 {
    let Some((way_out, direction)) = found.way_out.take().zip(found.normal) else { return 0 };
    let mut overlap = Overlap { way_out, direction, gap: found.gap };
    let took = overlap.search(a, b, work, enough);
    (found.gap, found.normal, found.way_out) = (overlap.gap, Some(overlap.direction), Some(overlap.way_out));
    took
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use clearance::Pose;
    use clearance::glam::DVec3;

    use super::{Clash, LEAST_WORK, NO_WORK_LEFT, search_all};
    use crate::measure::{Measured, Scratch, measure};
    use crate::model::Body;
    use crate::report::SearchOutcome;
    use crate::rules::Limits;
    use crate::test_parts::cuboid;

    /// Rotated cubes in a cube, each deeper than the one before, searched with this work for all.
    fn searched(count: u8, work: u64, ways_out: bool) -> Vec<Measured> {
        let mesh = cuboid(DVec3::ONE);
        let body = Body::from(mesh);
        let pose = |k: u8| {
            Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.5, DVec3::X * (1.05 - 0.1 * f64::from(k))).unwrap()
        };
        let (here, poses): (Pose, Vec<Pose>) = (Pose::IDENTITY, (0..count).map(pose).collect());
        let (limits, mut scratch) = (Limits::default(), Scratch::default());
        let mut clashes: Vec<Clash<'_>> = (poses.iter())
            .map(|pose| {
                let (a, b) = ((&body, &here), (&body, pose));
                Clash { a, b, limits: &limits, found: measure(a, b, &limits, &mut scratch).unwrap() }
            })
            .collect();
        let done = AtomicUsize::new(0);
        search_all(&mut clashes, work, ways_out, &|_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), usize::from(count));
        clashes.into_iter().map(|clash| clash.found).collect()
    }

    #[test]
    fn work_is_shared_and_what_is_left_goes_on() {
        // One alone needs less than its share; the rest goes to the next.
        for found in searched(3, 1_000_000, true) {
            let (depth, way_out) = (found.local_depth.unwrap(), found.way_out.unwrap());
            assert!(depth.search == SearchOutcome::Complete && depth.why.is_none(), "{depth:?}");
            assert!(way_out.search == SearchOutcome::Complete && way_out.why.is_none(), "{way_out:?}");
            assert!(found.volume.is_some() && !found.clusters.is_empty());
        }
        // Without work, brackets are wide but valid, and say why.
        for found in searched(3, 0, true) {
            let (depth, way_out) = (found.local_depth.unwrap(), found.way_out.unwrap());
            assert!(
                depth.search == SearchOutcome::Interrupted && depth.why.as_deref() == Some(NO_WORK_LEFT),
                "{depth:?}"
            );
            assert!(
                way_out.search == SearchOutcome::None && way_out.why.as_deref() == Some(NO_WORK_LEFT),
                "{way_out:?}"
            );
            assert!(found.volume.is_none());
        }
        // Deciding searches are made whether or not ways out are wanted.
        for found in searched(3, 1_000_000, false) {
            let (depth, way_out) = (found.local_depth.unwrap(), found.way_out.unwrap());
            assert_eq!(
                (depth.search, way_out.search, way_out.why),
                (SearchOutcome::Complete, SearchOutcome::None, None)
            );
            assert!(found.volume.is_none() && !found.clusters.is_empty());
        }
        // Work for some: the deepest gets a way out.
        let little = searched(3, 3 * LEAST_WORK, true);
        let depth = |found: &Measured| found.local_depth.as_ref().unwrap().value.unwrap();
        let deepest = little.iter().max_by(|p, q| depth(p).total_cmp(&depth(q))).unwrap();
        assert_ne!(deepest.way_out.as_ref().unwrap().search, SearchOutcome::None, "{little:?}");
    }
}
