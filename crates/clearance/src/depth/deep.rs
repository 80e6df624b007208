//! Points that are deep in two solids at once: each proves that the solids overlap for a ball of translations.
//!
//! If a point is `r` deep in A and `s` deep in B, the interiors meet as long as B is moved by less than `r + s`: the
//! ball about the point in B meets the ball about it in A. A point outside one solid by less than its depth in the
//! other counts too, with the difference: the nearest point of that solid's surface is as deep, and has interior next
//! to it. (Not where a surface is folded onto itself: there only points inside that solid count.)
//!
//! Good points are found by ascent: away from the surfaces of both, starting from places where surfaces meet. Since the
//! sum is constant between opposite walls, and from outside a solid to its wall, being inside both counts as well.

use glam::DVec3;

use crate::depth::solids::{Solids, State};
use crate::math::placement::Placement;
use crate::math::tolerances::{DEEP_FRESH, DEEP_PROBES, DEEP_STARTS, ROUND_UP, UNIT_ROUNDOFF};
use crate::mesh::pair::search::Meeting;

/// A point of B, in the frame of B's stored points, with a lower bound of its depth in B; negative outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    pub point: DVec3,
    pub room: f64,
}

/// The points found so far.
#[derive(Default)]
pub(crate) struct Deep {
    pub anchors: Vec<Anchor>,
    /// The radius proved by each point found at the start.
    pub first: Vec<(f64, u32)>,
}

impl Deep {
    /// The initial points: from places where surfaces meet at zero translation, or from a solid contained in the other.
    pub fn new(solids: &mut Solids<'_>) -> Deep {
        let mut deep = Deep::default();
        let size = solids.surface_a().diameter.min(solids.surface_b().diameter);
        for point in starts(solids, DVec3::ZERO, DEEP_STARTS, 0.03 * size) {
            let (anchor, value) = climb(solids, DVec3::ZERO, point, f64::INFINITY);
            let number = deep.keep(anchor);
            deep.first.push((value, number));
        }
        deep
    }

    pub fn keep(&mut self, anchor: Anchor) -> u32 {
        self.anchors.push(anchor);
        (self.anchors.len() - 1) as u32
    }

    /// The radius about a translation within which the solids are proved to overlap, `wanted` if possible.
    pub fn reach(&mut self, solids: &mut Solids<'_>, translation: DVec3, wanted: f64) -> f64 {
        let moved = solids.map.moved(1.0, translation, 0.0);
        let mut best = f64::NEG_INFINITY;
        let mut from = None;
        // The latest were found nearest to here.
        for &anchor in self.anchors.iter().rev().take(DEEP_STARTS) {
            let value = reach_of(solids, &moved, &anchor);
            if value > best {
                (best, from) = (value, Some(anchor.point));
            }
            if best >= wanted {
                return best;
            }
        }
        let mut from: Vec<DVec3> = from.into_iter().collect();
        if best < wanted {
            from.extend(starts(solids, translation, DEEP_FRESH, wanted));
        }
        for start in from {
            let (anchor, value) = climb(solids, translation, start, wanted);
            self.keep(anchor);
            best = best.max(value);
            if best >= wanted {
                break;
            }
        }
        best
    }
}

/// Starting points after a translation, in the frame of B's stored points: between places where surfaces meet, and
/// `step` inward of such places; or a point of a contained solid. None if the solids are separated.
pub(crate) fn starts(solids: &mut Solids<'_>, translation: DVec3, count: usize, step: f64) -> Vec<DVec3> {
    let mut meeting: Vec<Meeting> = Vec::new();
    solids.meeting(translation, 16 * count, &mut meeting);
    if meeting.is_empty() {
        return match solids.state(translation) {
            State::Held(point) => vec![solids.back(point, translation)],
            State::Apart | State::Meeting(_) => Vec::new(),
        };
    }
    let moved = solids.map.moved(1.0, translation, 0.0);
    let (surface_a, surface_b) = (solids.surface_a(), solids.surface_b());
    let outward = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p).normalize_or_zero();
    let every = meeting.len().div_ceil(count).max(1);
    let rim: Vec<(DVec3, DVec3)> = meeting
        .iter()
        .step_by(every)
        .map(|found| {
            let middle = 0.5 * (found.crossing.ends[0] + found.crossing.ends[1]);
            let out = outward(surface_a.corners(found.a)) + moved.turn(outward(surface_b.corners(found.b)));
            (middle, middle - out.normalize_or_zero() * step)
        })
        .collect();
    let center = rim.iter().map(|place| place.0).sum::<DVec3>() / rim.len() as f64;
    // If the overlap is one lump, its centre is between the places on its rim.
    let opposite = rim.iter().skip(rim.len() / 2).chain(&rim);
    let between = rim.iter().zip(opposite).map(|(p, q)| 0.5 * (p.0 + q.0)).chain([center]);
    let mut highest = |places: &mut dyn Iterator<Item = DVec3>| {
        let mut valued: Vec<(f64, DVec3)> = places
            .map(|place| {
                let point = solids.back(place, translation);
                let (in_a, in_b) = (solids.room_in_a(moved.place(point)).least, solids.room_in_b(point).least);
                (height(in_a, in_b), point)
            })
            .collect();
        valued.sort_by(|p, q| q.0.total_cmp(&p.0));
        valued.truncate(count.div_ceil(6).max(2));
        valued.into_iter().map(|(_, point)| point).collect::<Vec<_>>()
    };
    let mut starts = highest(&mut between.into_iter());
    starts.extend(highest(&mut rim.iter().map(|place| place.1)));
    starts
}

/// The function that is ascended towards a point deep in both.
fn height(room_in_a: f64, room_in_b: f64) -> f64 {
    room_in_a + room_in_b + 0.5 * room_in_a.min(room_in_b)
}

/// The radius about a translation within which a point proves that the solids overlap.
pub(crate) fn reach_of(solids: &mut Solids<'_>, moved: &Placement, anchor: &Anchor) -> f64 {
    let room = solids.room_in_a(moved.place(anchor.point)).least;
    proved(solids, moved, room, anchor)
}

/// What the depths of a point in both solids prove. Lengths are in the frame of A; in B's own frame they differ by the
/// stretch of both poses. A placed point is off by the bound of its placement, and sums are rounded.
fn proved(solids: &Solids<'_>, moved: &Placement, room_in_a: f64, anchor: &Anchor) -> f64 {
    if (room_in_a < 0.0 && solids.folded[0]) || (anchor.room < 0.0 && solids.folded[1]) {
        return f64::NEG_INFINITY;
    }
    let stretched = 2.0 * (moved.stretch + solids.stretch) + 4.0 * UNIT_ROUNDOFF;
    let room_in_b = anchor.room - anchor.room.abs() * stretched;
    let sum = room_in_a + room_in_b - moved.bound(anchor.point.length() * ROUND_UP);
    sum - 4.0 * UNIT_ROUNDOFF * (room_in_a.abs() + room_in_b.abs())
}

/// Ascends from a point of B, after a translation, until it proves `wanted` or nothing more is gained.
pub(crate) fn climb(solids: &mut Solids<'_>, translation: DVec3, start: DVec3, wanted: f64) -> (Anchor, f64) {
    let moved = solids.map.moved(1.0, translation, 0.0);
    let ask = |solids: &mut Solids<'_>, point: DVec3| {
        let in_b = solids.room_in_b(point);
        let in_a = solids.room_in_a(moved.place(point));
        let anchor = Anchor { point, room: in_b.least };
        let value = proved(solids, &moved, in_a.least, &anchor);
        (anchor, value, height(in_a.least, in_b.least), [in_a.growth, moved.turn(in_b.growth)])
    };
    let (mut anchor, mut value, mut high, mut ways) = ask(solids, start);
    let mut best = (anchor, value);
    let size = solids.surface_a().diameter.min(solids.surface_b().diameter);
    let mut step = if wanted.is_finite() { 0.75 * wanted.max(value.abs()) } else { 0.0625 * size };
    let mut tried = 0;
    for _ in 0..DEEP_PROBES {
        if value >= wanted {
            break;
        }
        let uphill = ways[0] + ways[1];
        // Between opposite walls moving nearer to either gains nothing, nor does moving away from one wall in a corner:
        // then try away from one alone, and along both.
        let way = match tried {
            0 => uphill,
            1 => ways[0].cross(ways[1]),
            2 => -ways[0].cross(ways[1]),
            3 => ways[0],
            _ => ways[1],
        };
        let blocked = way.length_squared() < 0.01;
        let better = (!blocked).then(|| ask(solids, anchor.point + moved.turn_back(way.normalize()) * step));
        if let Some((there, worth, higher, next)) = better.filter(|(_, _, higher, _)| *higher > high) {
            (anchor, value, high, ways, tried) = (there, worth, higher, next, 0);
            step *= 1.5;
            if value > best.1 {
                best = (anchor, value);
            }
        } else if tried < 4 {
            tried += 1;
        } else {
            (step, tried) = (0.4 * step, 0);
        }
    }
    best
}
