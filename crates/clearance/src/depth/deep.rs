//! Points that are deep in two solids at once: each proves that the solids overlap for a whole ball of translations.
//!
//! A point that is `r` inside of A and `s` inside of B stays inside of something of the other as long as B is moved by less than
//! `r + s`: the ball about it in B reaches into the ball about it in A. A point outside of one of the solids by less than it is inside
//! of the other counts as well, with the difference: the point of that solid's surface next to it is as deep, and has inside next to it. (Not
//! so where a surface is folded onto itself: there only points inside of that solid count.)
//!
//! Good points are found uphill: away from the surfaces of both. Where to begin is known from places where surfaces meet. As between
//! opposite walls, and from outside of one solid to its wall, the sum does not change, being inside of both counts as well.

use glam::DVec3;

use crate::depth::solids::{Solids, State};
use crate::math::placement::Placement;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::mesh::pair::search::Meeting;

/// A point of B, as B's points are stored, and at least how deep it is in B; negative for one outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    pub point: DVec3,
    pub room: f64,
}

/// Points asked about, at most, to find one that is deeper than the one at hand.
const CLIMB: usize = 24;

/// Places where surfaces meet that are looked at for a translation that known points prove nothing about.
pub(crate) const FRESH: usize = 8;

/// Places where surfaces meet that are looked at in the beginning.
const STARTS: usize = 24;

/// The points that were found so far.
#[derive(Default)]
pub(crate) struct Deep {
    pub anchors: Vec<Anchor>,
    /// How far each of those that were found in the beginning reached.
    pub first: Vec<(f64, u32)>,
}

impl Deep {
    /// Points to begin with: from places where surfaces meet without any translation, or of what one solid holds.
    pub fn new(solids: &mut Solids<'_>) -> Deep {
        let mut deep = Deep::default();
        let size = solids.surface_a().diameter.min(solids.surface_b().diameter);
        for point in starts(solids, DVec3::ZERO, STARTS, 0.03 * size) {
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

    /// How far about a translation the solids are proved to overlap, if possible as much as is wanted.
    pub fn reach(&mut self, solids: &mut Solids<'_>, translation: DVec3, wanted: f64) -> f64 {
        let moved = solids.map.moved(1.0, translation, 0.0);
        let mut best = f64::NEG_INFINITY;
        let mut from = None;
        // The last ones were found nearest to here.
        for &anchor in self.anchors.iter().rev().take(STARTS) {
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
            from.extend(starts(solids, translation, FRESH, wanted));
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

/// Points to begin from after a translation, as B's points are stored: between places where surfaces meet, and `step` inward of such places;
/// or a point of what one solid holds. None if the solids are apart.
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
    // Where two solids overlap in a lump, the middle of the lump is between the places on its rim.
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

/// What goes uphill on the way to a point that is deep in both.
fn height(room_in_a: f64, room_in_b: f64) -> f64 {
    room_in_a + room_in_b + 0.5 * room_in_a.min(room_in_b)
}

/// How far about a translation a point proves that the solids overlap.
pub(crate) fn reach_of(solids: &mut Solids<'_>, moved: &Placement, anchor: &Anchor) -> f64 {
    let room = solids.room_in_a(moved.place(anchor.point)).least;
    proved(solids, moved, room, anchor)
}

/// What the rooms about a point in both solids prove. Lengths in the frame of A; in B's own frame they differ by the stretch of both
/// poses. A placed point is off by the bound of its placement, and sums are rounded.
fn proved(solids: &Solids<'_>, moved: &Placement, room_in_a: f64, anchor: &Anchor) -> f64 {
    if (room_in_a < 0.0 && solids.folded[0]) || (anchor.room < 0.0 && solids.folded[1]) {
        return f64::NEG_INFINITY;
    }
    let stretched = 2.0 * (moved.stretch + solids.stretch) + 4.0 * UNIT_ROUNDOFF;
    let room_in_b = anchor.room - anchor.room.abs() * stretched;
    let sum = room_in_a + room_in_b - moved.bound(anchor.point.length() * ROUND_UP);
    sum - 4.0 * UNIT_ROUNDOFF * (room_in_a.abs() + room_in_b.abs())
}

/// From a point of B uphill, after a translation, until it proves as much as is wanted or no more is gained.
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
    for _ in 0..CLIMB {
        if value >= wanted {
            break;
        }
        let uphill = ways[0] + ways[1];
        // Between opposite walls nothing is gained by going nearer to either, and in a corner by going away from one wall:
        // then from one alone, and along both.
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
