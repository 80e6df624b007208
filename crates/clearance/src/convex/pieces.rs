//! Candidate pieces of a core's surface for contact with another core: guesses, for [`patch`](super::patch) to refine.

use std::cmp::Ordering;

use glam::DVec3;

use super::core::{AnyCore, Core, Smooth};
use super::patch::{Spot, SurfacePatch};
use super::smooth::Sampled;
use crate::geom::closest::closest_on_triangle;
use crate::math::tolerances::SMOOTH_ACCEPT;
use crate::shape::{Feature, Hull};

/// Up to four vertices of a polytope, repeated where there are fewer.
pub(crate) type Members = [u32; 4];

/// A candidate piece, with the vertices that span it if it belongs to a polytope.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub piece: SurfacePatch,
    pub members: Members,
}

impl Candidate {
    /// The part of the piece's border that `point` is beyond, or the nearest part if it is beyond none; for a straight
    /// piece, in that case, the end farther along `outward`. `None` for a piece without a border.
    pub fn border(&self, point: DVec3, outward: DVec3) -> Option<Candidate> {
        let Candidate { piece, members } = *self;
        let bare = |piece: SurfacePatch| Candidate { piece, members };
        let ids = |ids: [u32; 2]| [ids[0], ids[1], ids[0], ids[0]];
        Some(match piece {
            SurfacePatch::Edge { from, along } => {
                let beyond = Spot::coordinate(point, from, along);
                let last = if (0.0..=1.0).contains(&beyond) { along.dot(outward) > 0.0 } else { beyond > 0.5 };
                let (end, id) = if last { (from + along, members[1]) } else { (from, members[0]) };
                Candidate { piece: SurfacePatch::Point(end), members: [id; 4] }
            }
            SurfacePatch::Tube { half_length, radius } => {
                let beyond = if point.z.abs() > half_length { point.z } else { outward.z };
                bare(SurfacePatch::Rim { height: half_length.copysign(beyond), radius })
            }
            SurfacePatch::Slope { half_length, radius } => {
                let over = 2.0 * half_length * outward.z - radius * outward.truncate().length();
                let beyond = if point.z.abs() > half_length { point.z } else { over };
                if beyond > 0.0 {
                    bare(SurfacePatch::Point(DVec3::Z * half_length))
                } else {
                    bare(SurfacePatch::Rim { height: -half_length, radius })
                }
            }
            SurfacePatch::Disc { height, radius } => bare(SurfacePatch::Rim { height, radius }),
            SurfacePatch::BoxPart { half, free: [axis, _], count: 1 } => {
                let beyond = if point[axis].abs() > half[axis] { point[axis] } else { outward[axis] };
                let mut corner = point;
                corner[axis] = beyond;
                let end = half.copysign(corner);
                let id = !end.cmplt(DVec3::ZERO).bitmask() & 7;
                Candidate { piece: SurfacePatch::Point(end), members: [id; 4] }
            }
            SurfacePatch::BoxPart { half, free: [p, q], .. } => {
                let beyond = |axis: usize| point[axis].abs() - half[axis];
                let kept = if beyond(p) > beyond(q) { q } else { p };
                bare(SurfacePatch::BoxPart { half, free: [kept; 2], count: 1 })
            }
            SurfacePatch::Triangle { corner, first, second } => {
                let (x, y) = Spot::coordinates(point, corner, first, second)?;
                let weights = DVec3::new((1.0 - x) - y, x, y);
                let (from, along, members) = match weights.min_position() {
                    0 => (corner + first, second - first, [members[1], members[2]]),
                    1 => (corner, second, [members[0], members[2]]),
                    _ => (corner, first, [members[0], members[1]]),
                };
                Candidate { piece: SurfacePatch::Edge { from, along }, members: ids(members) }
            }
            SurfacePatch::Point(_) | SurfacePatch::Rim { .. } | SurfacePatch::Ellipsoid(_) => return None,
        })
    }
}

/// The first `count` vertices of a list, repeated.
pub(super) fn members(ids: &[u32; 4], count: usize) -> Members {
    std::array::from_fn(|k| if k < count { ids[k] } else { ids[0] })
}

impl Smooth<'_> {
    /// The pieces that a point seen along `outward` may lie on, the likeliest first. `tilt` is the error of the
    /// direction.
    fn pieces(&self, outward: DVec3, tilt: f64) -> [Option<SurfacePatch>; 3] {
        let across = outward.truncate().length();
        match *self {
            Smooth::Cylinder { half_length, radius } => {
                let height = if outward.z >= 0.0 { half_length } else { -half_length };
                let rim = Some(SurfacePatch::Rim { height, radius });
                if outward.z.abs() <= tilt {
                    [Some(SurfacePatch::Tube { half_length, radius }), rim, None]
                } else if across <= tilt {
                    [Some(SurfacePatch::Disc { height, radius }), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Smooth::Cone { half_length, radius } => {
                let apex = Some(SurfacePatch::Point(DVec3::new(0.0, 0.0, half_length)));
                let rim = Some(SurfacePatch::Rim { height: -half_length, radius });
                // Positive on the apex side of the slope's normal. On a flat cone the base lies opposite.
                let slant = DVec3::new(2.0 * half_length, 0.0, radius).normalize_or_zero();
                let over = slant.x * outward.z - slant.z * across;
                let ahead = slant.x * across + slant.z * outward.z > 0.0;
                if over.abs() <= tilt && ahead {
                    [Some(SurfacePatch::Slope { half_length, radius }), apex, rim]
                } else if over > 0.0 && ahead {
                    [apex, None, None]
                } else if across <= tilt {
                    [Some(SurfacePatch::Disc { height: -half_length, radius }), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Smooth::Ellipsoid(axes) => [Some(SurfacePatch::Ellipsoid(axes)), None, None],
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => [None; 3],
        }
    }

    /// The feature that contains a surface point seen along `outward`: the nearest of the candidates.
    pub fn feature_at(&self, point: DVec3, outward: DVec3) -> Feature {
        // Where the direction is nearly along the axis, the point itself indicates the side more reliably.
        let around = if point.truncate().length_squared() > 0.0 { point.with_z(0.0) } else { outward };
        let off = |spot: &Spot| spot.point().distance_squared(point);
        let nearest = |pieces: &mut dyn Iterator<Item = SurfacePatch>| {
            let spots = pieces.flat_map(|piece| [outward, around].map(|seen| Spot::near(piece, point, seen)));
            spots.min_by(|p, q| off(p).total_cmp(&off(q)))
        };
        let likely = nearest(&mut self.pieces(outward, 1e-2).into_iter().flatten());
        let found = likely.filter(|spot| off(spot) <= (SMOOTH_ACCEPT * point.length()).powi(2));
        let found = found.or_else(|| nearest(&mut self.all_pieces()));
        found.map_or(Feature::Face(0), |spot| self.feature(&spot.piece))
    }

    /// The feature that a piece of the core's surface belongs to.
    #[inline(always)]
    pub(super) fn feature(&self, piece: &SurfacePatch) -> Feature {
        match (*self, piece) {
            (_, SurfacePatch::Point(_)) => Feature::Vertex(0),
            (Smooth::Cylinder { .. }, SurfacePatch::Rim { height, .. }) => Feature::Edge(u32::from(*height > 0.0)),
            (Smooth::Cylinder { .. }, SurfacePatch::Disc { height, .. }) => Feature::Face(u32::from(*height > 0.0)),
            (Smooth::Cylinder { .. }, _) => Feature::Face(2),
            (Smooth::Cone { .. }, SurfacePatch::Rim { .. }) => Feature::Edge(0),
            (Smooth::Cone { .. }, SurfacePatch::Slope { .. }) => Feature::Face(1),
            _ => Feature::Face(0),
        }
    }
}

impl Sampled<'_> {
    /// The candidate pieces, the likeliest first. For a polytope: the span of the simplex's members, then the spans
    /// without the members of least weight.
    pub(super) fn pieces(&self, ids: &[u32], weights: &[f64], outward: DVec3, tilt: f64) -> [Option<Candidate>; 3] {
        if let AnyCore::Smooth(smooth) = self.core {
            return smooth.pieces(outward, tilt).map(|piece| piece.map(|piece| Candidate { piece, members: [0; 4] }));
        }
        // The distinct vertices, the heaviest first.
        let mut distinct = [(0, f64::NEG_INFINITY); 4];
        let mut count = 0;
        for (&id, &weight) in ids.iter().zip(weights) {
            match distinct[..count].iter_mut().find(|entry| entry.0 == id) {
                Some(entry) => entry.1 += weight,
                None => {
                    distinct[count] = (id, weight);
                    count += 1;
                }
            }
        }
        distinct[..count].sort_by(|p, q| q.1.total_cmp(&p.1));
        let vertex = |k: usize| self.vertex(distinct[k].0);
        if let AnyCore::Box(half) = self.core {
            let mut varying = distinct[..count].iter().fold(0, |bits, entry| bits | (entry.0 ^ distinct[0].0));
            if varying == 7 {
                // The face most aligned with the direction.
                varying &= !(1 << outward.abs().max_position());
            }
            let axes = |bits: u32| (0..3usize).filter(move |axis| bits & 1 << axis != 0);
            // The corners follow from where the spot ends up.
            let with_first = |piece: SurfacePatch| Some(Candidate { piece, members: [distinct[0].0; 4] });
            let part = |free: [usize; 2], count: usize| with_first(SurfacePatch::BoxPart { half, free, count });
            let mut free = axes(varying);
            return match (free.next(), free.next()) {
                (Some(p), Some(q)) => [part([p, q], 2), part([p, p], 1), part([q, q], 1)],
                (Some(p), None) => [part([p, p], 1), with_first(SurfacePatch::Point(vertex(0))), None],
                _ => [with_first(SurfacePatch::Point(vertex(0))), None, None],
            };
        }
        let heaviest = distinct.map(|entry| entry.0);
        let spanned = |piece: SurfacePatch, count: usize| Some(Candidate { piece, members: members(&heaviest, count) });
        let point = spanned(SurfacePatch::Point(vertex(0)), 1);
        let edge = || spanned(SurfacePatch::Edge { from: vertex(0), along: vertex(1) - vertex(0) }, 2);
        match count {
            0 | 1 => [point, None, None],
            2 => [edge(), point, None],
            _ => {
                let (corner, first, second) = (vertex(0), vertex(1) - vertex(0), vertex(2) - vertex(0));
                [spanned(SurfacePatch::Triangle { corner, first, second }, 3), edge(), point]
            }
        }
    }

    /// The piece that the members of a simplex indicate, regardless of the direction; `at` is their weighted mean.
    pub(super) fn likely(&self, ids: &[u32], weights: &[f64], at: DVec3) -> Option<Candidate> {
        let (mut up, mut down) = (false, false);
        let mut mark_ends = || {
            for &id in ids {
                let height = self.vertex(id).z;
                up |= height > 0.0;
                down |= height < 0.0;
            }
        };
        // Rim points all around indicate the disc.
        let is_within = |radius: f64| at.truncate().length_squared() < 0.8 * (radius * radius);
        let piece = match self.core {
            AnyCore::Smooth(Smooth::Cylinder { half_length, radius }) => {
                mark_ends();
                let height = if up { half_length } else { -half_length };
                match (up && down, is_within(radius)) {
                    (true, _) => SurfacePatch::Tube { half_length, radius },
                    (_, true) => SurfacePatch::Disc { height, radius },
                    _ => SurfacePatch::Rim { height, radius },
                }
            }
            AnyCore::Smooth(Smooth::Cone { half_length, radius }) => {
                mark_ends();
                match (up, down, is_within(radius)) {
                    (true, true, _) => SurfacePatch::Slope { half_length, radius },
                    (true, ..) => SurfacePatch::Point(DVec3::Z * half_length),
                    (_, _, true) => SurfacePatch::Disc { height: -half_length, radius },
                    _ => SurfacePatch::Rim { height: -half_length, radius },
                }
            }
            AnyCore::Smooth(Smooth::Ellipsoid(axes)) => SurfacePatch::Ellipsoid(axes),
            AnyCore::Smooth(_) => return None,
            _ => return self.pieces(ids, weights, DVec3::ZERO, 0.0)[0],
        };
        Some(Candidate { piece, members: [0; 4] })
    }

    /// The feature of a spot, for curved cores.
    pub(super) fn feature(&self, spot: &Spot) -> Option<Feature> {
        match self.core {
            AnyCore::Smooth(smooth) => Some(smooth.feature(&spot.piece)),
            _ => None,
        }
    }
}

/// A list of candidate pieces, each with a starting point.
pub(super) struct Tries {
    list: [Option<(Candidate, DVec3)>; 24],
    count: usize,
}

impl Tries {
    fn new() -> Tries {
        Tries { list: [None; 24], count: 0 }
    }

    /// Adds a piece if there is room.
    fn push(&mut self, candidate: Candidate, start: DVec3) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = Some((candidate, start));
            self.count += 1;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Candidate, DVec3)> {
        self.list.iter().flatten()
    }
}

/// The fallback where a first guess did not converge: all candidates, unordered.
impl Sampled<'_> {
    /// The pieces near a point of the surface seen along `outward`.
    pub(super) fn all_pieces(&self, point: DVec3, outward: DVec3) -> Tries {
        let mut tries = Tries::new();
        match self.core {
            AnyCore::Smooth(smooth) => {
                smooth.all_pieces().for_each(|piece| tries.push(Candidate { piece, members: [0; 4] }, point));
            }
            AnyCore::Box(half) => {
                let corner = !outward.cmplt(DVec3::ZERO).bitmask() & 7;
                let mut part = |free: [usize; 2], count: usize| {
                    let mut start = point;
                    for axis in (0..3).filter(|axis| !free[..count].contains(axis)) {
                        start[axis] = half[axis].copysign(outward[axis]);
                    }
                    tries.push(
                        Candidate { piece: SurfacePatch::BoxPart { half, free, count }, members: [corner; 4] },
                        start,
                    );
                };
                [[0, 1], [0, 2], [1, 2]].into_iter().for_each(|free| part(free, 2));
                (0..3).for_each(|axis| part([axis, axis], 1));
                tries.push(self.spanned(&[corner]), point);
            }
            AnyCore::Hull(hull) => {
                let triangles = near_triangles(hull, point, outward);
                for triangle in triangles.into_iter().flatten() {
                    tries.push(self.spanned(&triangle), point);
                }
                for [p, q, r] in triangles.into_iter().flatten() {
                    [[p, q], [q, r], [r, p]].into_iter().for_each(|edge| tries.push(self.spanned(&edge), point));
                }
                let highest = |t: [u32; 3]| t.into_iter().max_by(|&p, &q| self.by_height(outward, p, q));
                for vertex in triangles.into_iter().flatten().filter_map(highest) {
                    tries.push(self.spanned(&[vertex]), point);
                }
            }
            AnyCore::Point | AnyCore::Rod(_) | AnyCore::Points(_) => {
                let count = self.vertex_count().min(4);
                let mut ids = [0, 1, 2, 3];
                ids[..count].sort_by(|&p, &q| self.by_height(outward, q, p));
                const LISTS: [&[usize]; 9] =
                    [&[0, 1, 2], &[0, 1, 3], &[0, 2, 3], &[0, 1], &[0, 2], &[1, 2], &[0, 3], &[0], &[1]];
                for list in LISTS.into_iter().filter(|list| list.iter().all(|&k| k < count)) {
                    let mut vertices = [0; 3];
                    vertices.iter_mut().zip(list).for_each(|(vertex, &k)| *vertex = ids[k]);
                    tries.push(self.spanned(&vertices[..list.len()]), point);
                }
            }
        }
        tries
    }

    /// Compares two vertices by their height along `outward`.
    fn by_height(&self, outward: DVec3, p: u32, q: u32) -> Ordering {
        outward.dot(self.vertex(p)).total_cmp(&outward.dot(self.vertex(q)))
    }

    /// The piece spanned by one to three vertices.
    fn spanned(&self, ids: &[u32]) -> Candidate {
        let corner = self.vertex(ids[0]);
        let to = |k: usize| self.vertex(ids[k]) - corner;
        let piece = match ids.len() {
            1 => SurfacePatch::Point(corner),
            2 => SurfacePatch::Edge { from: corner, along: to(1) },
            _ => SurfacePatch::Triangle { corner, first: to(1), second: to(2) },
        };
        Candidate { piece, members: std::array::from_fn(|k| ids.get(k).copied().unwrap_or(ids[0])) }
    }
}

impl Smooth<'_> {
    fn all_pieces(&self) -> impl Iterator<Item = SurfacePatch> {
        let pieces = match *self {
            Smooth::Cylinder { half_length, radius } => {
                let (up, down) = (half_length, -half_length);
                let (rim, disc) =
                    (|height| SurfacePatch::Rim { height, radius }, |height| SurfacePatch::Disc { height, radius });
                [
                    Some(SurfacePatch::Tube { half_length, radius }),
                    Some(disc(up)),
                    Some(disc(down)),
                    Some(rim(up)),
                    Some(rim(down)),
                ]
            }
            Smooth::Cone { half_length, radius } => [
                Some(SurfacePatch::Slope { half_length, radius }),
                Some(SurfacePatch::Rim { height: -half_length, radius }),
                Some(SurfacePatch::Point(DVec3::new(0.0, 0.0, half_length))),
                Some(SurfacePatch::Disc { height: -half_length, radius }),
                None,
            ],
            Smooth::Ellipsoid(axes) => [Some(SurfacePatch::Ellipsoid(axes)), None, None, None, None],
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => [None; 5],
        };
        pieces.into_iter().flatten()
    }
}

/// Four triangles of a hull: the two nearest to a point, and the two that face `outward` best.
fn near_triangles(hull: &Hull, point: DVec3, outward: DVec3) -> [Option<[u32; 3]>; 4] {
    let corners = |t: &[u32; 3]| t.map(|i| hull.vertices[i as usize]);
    let off = |t: &[u32; 3]| {
        let [p, q, r] = corners(t);
        closest_on_triangle(point, p, q, r).point.distance_squared(point)
    };
    let turned = |t: &[u32; 3]| {
        let [p, q, r] = corners(t);
        -(q - p).cross(r - p).normalize_or_zero().dot(outward)
    };
    let mut found = [None; 4];
    for (start, rank) in [(0, &off as &dyn Fn(&[u32; 3]) -> f64), (2, &turned)] {
        let mut least = [f64::INFINITY; 2];
        let known = found;
        for triangle in hull.mesh.triangles.iter().filter(|t| !known.contains(&Some(**t))) {
            let value = rank(triangle);
            if value < least[0] {
                (least[1], found[start + 1]) = (least[0], found[start]);
                (least[0], found[start]) = (value, Some(*triangle));
            } else if value < least[1] {
                (least[1], found[start + 1]) = (value, Some(*triangle));
            }
        }
    }
    found
}
