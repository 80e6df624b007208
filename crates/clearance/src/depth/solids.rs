//! Two solids with B translated: separation, surface intersection, containment, and depth of points in both.

use fearless_simd::Level;
use glam::DVec3;

use crate::geom::ray_polytope::rounded_normal;
use crate::math::placement::Placement;
use crate::math::tolerances::{SOLIDS_HINTS, SOLIDS_PAIR_WORK, UNIT_ROUNDOFF};
use crate::mesh::closest::{self, PlacedPoint};
use crate::mesh::containment::contained_point;
use crate::mesh::inside::winding;
use crate::mesh::oriented_bounds::OrientedBounds;
use crate::mesh::pair::search::{Meeting, MeshPair, NearestOptions, NearestTriangles};
use crate::shape::{Mesh, Surface};

/// Two solids, B placed in the frame of A. Counts its work.
pub(crate) struct Solids<'m> {
    pub a: &'m Mesh,
    pub b: &'m Mesh,
    /// The placement of B before translation.
    pub map: Placement,
    /// How much lengths in B's own frame differ from those in the world, see [`Placement::stretch`].
    pub stretch: f64,
    level: Level,
    reaches: OrientedBounds,
    /// Whether each has coincident parts of its surface, so that a point of the surface need not have interior next to
    /// it.
    pub folded: [bool; 2],
    /// Triangles that met last, to be tested first.
    met: Option<[u32; 2]>,
    /// The work so far: one per point query, [`SOLIDS_PAIR_WORK`] per pair of surfaces.
    pub work: u64,
}

/// The relation of two solids after a translation.
pub(crate) enum State {
    /// Proved: the surfaces do not meet, and neither solid contains a part of the other.
    Apart,
    /// Two triangles, by slot, meet or are too close to decide.
    Meeting([u32; 2]),
    /// The surfaces do not meet; this point is in both solids.
    Held(DVec3),
}

/// The position of a point in a solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// A lower bound of the distance to the surface, negative for points outside.
    pub least: f64,
    /// The direction in which it grows, unit or zero: away from the surface inside, towards it outside.
    pub growth: DVec3,
    /// The closest point of the surface.
    pub nearest: DVec3,
}

impl<'m> Solids<'m> {
    pub fn new(a: &'m Mesh, b: &'m Mesh, map: Placement, stretch: f64, level: Level) -> Solids<'m> {
        let folded = [a, b].map(|mesh| mesh.self_crossing().folded);
        Solids { folded, a, b, map, stretch, level, reaches: OrientedBounds::default(), met: None, work: 0 }
    }

    /// A bound on the distance of two points of the solids; the unit of tolerances.
    pub fn scale(&self) -> f64 {
        self.surface_a().diameter + self.surface_b().diameter + self.map.separation
    }

    /// Far enough above rounding that a gap of this size is recognised, and far below practical lengths.
    pub fn margin(&self) -> f64 {
        let reach = self.surface_a().radius + self.surface_b().radius + self.map.separation;
        4.0 * self.map.bound(self.surface_b().radius) + 1024.0 * UNIT_ROUNDOFF * reach
    }

    pub fn surface_a(&self) -> &'m Surface {
        self.a.surface()
    }

    pub fn surface_b(&self) -> &'m Surface {
        self.b.surface()
    }

    /// The surfaces after a translation with an error of at most `error`.
    pub fn pair(&self, translation: DVec3, error: f64) -> MeshPair<'m> {
        MeshPair::new(self.a.surface(), self.b.surface(), self.map.moved(1.0, translation, error))
    }

    /// The relation of the solids after a translation.
    pub fn state(&mut self, translation: DVec3) -> State {
        self.state_of(&self.pair(translation, 0.0))
    }

    /// The same for a pair translated by the caller.
    pub fn state_of(&mut self, pair: &MeshPair<'m>) -> State {
        self.work += SOLIDS_PAIR_WORK;
        if let Some(met) = pair.first(self.level, self.met, &mut self.reaches) {
            self.met = Some(met);
            return State::Meeting(met);
        }
        if let Some(point) = contained_point(self.level, self.a, self.b, pair) {
            return State::Held(point);
        }
        let off = pair.map.bound(self.surface_b().radius);
        let search = NearestOptions { enough: off, within: Some(2.0 * off), ..Default::default() };
        let nearest = pair.nearest(self.level, self.met, &search, &mut self.reaches);
        if nearest.lower > off { State::Apart } else { State::Meeting([nearest.a, nearest.b]) }
    }

    /// A lower bound of the distance of the surfaces after a translation, regardless of containment, and the direction
    /// from A to B between the nearest triangles.
    pub fn surface_gap(&mut self, translation: DVec3) -> (f64, DVec3) {
        self.work += SOLIDS_PAIR_WORK;
        let search = NearestOptions { relative: 0.1, ..Default::default() };
        let nearest = self.pair(translation, 0.0).nearest(self.level, self.met, &search, &mut self.reaches);
        (nearest.lower, nearest.gap.direction)
    }

    /// Whether the solids are proved separated after a translation.
    pub fn are_apart(&mut self, translation: DVec3) -> bool {
        matches!(self.state(translation), State::Apart)
    }

    /// Triangles that meet after a translation: all, or `most` of them.
    pub fn meeting(&mut self, translation: DVec3, most: usize, found: &mut Vec<Meeting>) {
        self.work += SOLIDS_PAIR_WORK;
        found.clear();
        self.pair(translation, 0.0).all(self.level, most, &mut self.reaches, found);
    }

    /// Pairs of triangles within a margin after a translation: all, or the first [`SOLIDS_HINTS`].
    pub fn near(&mut self, translation: DVec3, margin: f64, found: &mut Vec<NearestTriangles>) {
        self.work += SOLIDS_PAIR_WORK;
        found.clear();
        self.pair(translation, 0.0).within(self.level, margin, SOLIDS_HINTS, &mut self.reaches, found);
    }

    /// The position in A of a point in the frame of A's points.
    pub fn room_in_a(&mut self, point: DVec3) -> Room {
        self.work += 1;
        room(self.level, self.a.surface(), point)
    }

    /// The position in B of a point in the frame of B's stored points.
    pub fn room_in_b(&mut self, point: DVec3) -> Room {
        self.work += 1;
        room(self.level, self.b.surface(), point)
    }

    /// Maps a point from the frame of A to that of B's stored points, after a translation.
    pub fn back(&self, point: DVec3, translation: DVec3) -> DVec3 {
        self.map.rotation.inverse() * (point - translation - self.map.translation)
    }
}

fn room(level: Level, surface: &Surface, point: DVec3) -> Room {
    let nearest = closest::closest(level, surface, &PlacedPoint::local(point));
    let inside = winding(surface, point) > 0;
    let away = point - nearest.point;
    // Right at the surface the vector to it has no direction: go inward.
    let growth = if away.length() > 1e-9 * (surface.radius + point.length()) {
        if inside { away.normalize_or_zero() } else { -away.normalize_or_zero() }
    } else {
        -rounded_normal(surface.corners(nearest.slot))
    };
    let least = if inside { nearest.lower } else { -nearest.upper };
    Room { least, growth, nearest: nearest.point }
}
