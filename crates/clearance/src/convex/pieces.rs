//! Which pieces of its surface a core may touch another with: guesses, for [`patch`](super::patch) to settle.

use glam::DVec3;

use super::core::{AnyCore, Core, Smooth};
use super::patch::{Piece, Spot};
use super::smooth::Sampled;
use crate::geom::closest::closest_on_triangle;
use crate::math::tolerances::SMOOTH_ACCEPT;
use crate::shape::{Feature, Hull};

/// Up to four vertices of a polytope, repeated where there are fewer.
pub(crate) type Members = [u32; 4];

/// A piece that comes into question, with the vertices that span it if it is one of a polytope.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub piece: Piece,
    pub members: Members,
}

/// The first vertices of a list, repeated.
pub(super) fn members(ids: &[u32; 4], count: usize) -> Members {
    std::array::from_fn(|k| if k < count { ids[k] } else { ids[0] })
}

impl Smooth<'_> {
    /// The pieces that a point seen along `outward` may lie on, the likeliest first. `tilt` is how far the direction
    /// may be off.
    fn pieces(&self, outward: DVec3, tilt: f64) -> [Option<Piece>; 3] {
        let across = outward.truncate().length();
        match *self {
            Smooth::Cylinder { half_length, radius } => {
                let height = if outward.z >= 0.0 { half_length } else { -half_length };
                let rim = Some(Piece::Rim { height, radius });
                if outward.z.abs() <= tilt {
                    [Some(Piece::Tube { half_length, radius }), rim, None]
                } else if across <= tilt {
                    [Some(Piece::Disc { height, radius }), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Smooth::Cone { half_length, radius } => {
                let apex = Some(Piece::Point(DVec3::new(0.0, 0.0, half_length)));
                let rim = Some(Piece::Rim { height: -half_length, radius });
                // Positive when seen from beyond the side's normal towards the apex. Of a flat cone the base lies opposite.
                let slant = DVec3::new(2.0 * half_length, 0.0, radius).normalize_or_zero();
                let over = slant.x * outward.z - slant.z * across;
                let ahead = slant.x * across + slant.z * outward.z > 0.0;
                if over.abs() <= tilt && ahead {
                    [Some(Piece::Slope { half_length, radius }), apex, rim]
                } else if over > 0.0 && ahead {
                    [apex, None, None]
                } else if across <= tilt {
                    [Some(Piece::Disc { height: -half_length, radius }), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Smooth::Ellipsoid(axes) => [Some(Piece::Ellipsoid(axes)), None, None],
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => [None; 3],
        }
    }

    /// The feature that holds a surface point, seen along `outward`: of those that come into question the nearest.
    pub fn feature_at(&self, point: DVec3, outward: DVec3) -> Feature {
        // Where the direction is nearly along the axis, the point itself tells the side better.
        let around = if point.truncate().length_squared() > 0.0 { point.with_z(0.0) } else { outward };
        let off = |spot: &Spot| spot.point().distance_squared(point);
        let nearest = |pieces: &mut dyn Iterator<Item = Piece>| {
            let spots = pieces.flat_map(|piece| [outward, around].map(|seen| Spot::near(piece, point, seen)));
            spots.min_by(|p, q| off(p).total_cmp(&off(q)))
        };
        let likely = nearest(&mut self.pieces(outward, 1e-2).into_iter().flatten());
        let found = likely.filter(|spot| off(spot) <= (SMOOTH_ACCEPT * point.length()).powi(2));
        let found = found.or_else(|| nearest(&mut self.all_pieces().into_iter()));
        found.map_or(Feature::Face(0), |spot| self.feature(&spot))
    }

    /// The feature that a spot of the core lies on.
    fn feature(&self, spot: &Spot) -> Feature {
        match (*self, spot.piece) {
            (_, Piece::Point(_)) => Feature::Vertex(0),
            (Smooth::Cylinder { .. }, Piece::Rim { height, .. }) => Feature::Edge(u32::from(height > 0.0)),
            (Smooth::Cylinder { .. }, Piece::Disc { height, .. }) => Feature::Face(u32::from(height > 0.0)),
            (Smooth::Cylinder { .. }, _) => Feature::Face(2),
            (Smooth::Cone { .. }, Piece::Rim { .. }) => Feature::Edge(0),
            (Smooth::Cone { .. }, Piece::Slope { .. }) => Feature::Face(1),
            _ => Feature::Face(0),
        }
    }
}

impl Sampled<'_> {
    /// The pieces that come into question, the likeliest first. Of a polytope: what the members of the simplex span, and
    /// what is left when the members that count least are dropped.
    pub(super) fn pieces(&self, ids: &[u32], weights: &[f64], outward: DVec3, tilt: f64) -> [Option<Candidate>; 3] {
        if let AnyCore::Smooth(smooth) = self.core {
            return smooth.pieces(outward, tilt).map(|piece| piece.map(|piece| Candidate { piece, members: [0; 4] }));
        }
        // The different vertices, the heaviest first.
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
                // The face that is seen best.
                varying &= !(1 << outward.abs().max_position());
            }
            let axes = |bits: u32| (0..3usize).filter(move |axis| bits & 1 << axis != 0);
            // Which corners these are follows from where the spot comes to lie.
            let with_first = |piece: Piece| Some(Candidate { piece, members: [distinct[0].0; 4] });
            let part = |free: [usize; 2], count: usize| with_first(Piece::BoxPart { half, free, count });
            let mut free = axes(varying);
            return match (free.next(), free.next()) {
                (Some(p), Some(q)) => [part([p, q], 2), part([p, p], 1), part([q, q], 1)],
                (Some(p), None) => [part([p, p], 1), with_first(Piece::Point(vertex(0))), None],
                _ => [with_first(Piece::Point(vertex(0))), None, None],
            };
        }
        let heaviest = distinct.map(|entry| entry.0);
        let spanned = |piece: Piece, count: usize| Some(Candidate { piece, members: members(&heaviest, count) });
        let point = spanned(Piece::Point(vertex(0)), 1);
        let edge = || spanned(Piece::Edge { from: vertex(0), along: vertex(1) - vertex(0) }, 2);
        match count {
            0 | 1 => [point, None, None],
            2 => [edge(), point, None],
            _ => {
                let (corner, first, second) = (vertex(0), vertex(1) - vertex(0), vertex(2) - vertex(0));
                [spanned(Piece::Triangle { corner, first, second }, 3), edge(), point]
            }
        }
    }

    /// The feature of a spot, for curved cores.
    pub(super) fn feature(&self, spot: &Spot) -> Option<Feature> {
        match self.core {
            AnyCore::Smooth(smooth) => Some(smooth.feature(spot)),
            _ => None,
        }
    }
}

/// Where a first guess did not settle: all that may come into question, without order. Cold, so it may allocate.
impl Sampled<'_> {
    /// The pieces near a point of the surface seen along `outward`, each with a point to start from.
    pub(super) fn all_pieces(&self, point: DVec3, outward: DVec3) -> Vec<(Candidate, DVec3)> {
        let plain = |piece: Piece| (Candidate { piece, members: [0; 4] }, point);
        let by_height = |ids: &mut Vec<u32>| {
            let height = |id: &u32| outward.dot(self.vertex(*id));
            ids.sort_by(|p, q| height(q).total_cmp(&height(p)));
        };
        match self.core {
            AnyCore::Smooth(smooth) => smooth.all_pieces().into_iter().map(plain).collect(),
            AnyCore::Box(half) => {
                let corner = outward.cmplt(DVec3::ZERO);
                let corner = !corner.bitmask() & 7;
                let part = |free: [usize; 2], count: usize| {
                    let mut start = point;
                    for axis in (0..3).filter(|axis| !free[..count].contains(axis)) {
                        start[axis] = half[axis].copysign(outward[axis]);
                    }
                    (Candidate { piece: Piece::BoxPart { half, free, count }, members: [corner; 4] }, start)
                };
                let faces = [[0, 1], [0, 2], [1, 2]].map(|free| part(free, 2));
                let edges = [0, 1, 2].map(|axis| part([axis, axis], 1));
                let at = (Candidate { piece: Piece::Point(self.vertex(corner)), members: [corner; 4] }, point);
                faces.into_iter().chain(edges).chain([at]).collect()
            }
            AnyCore::Hull(hull) => {
                let mut triangles = near_triangles(hull, point, outward);
                let mut found: Vec<_> = triangles.iter().map(|t| (self.spanned(t), point)).collect();
                for triangle in &mut triangles {
                    triangle.sort_unstable();
                }
                let mut edges: Vec<_> = triangles.iter().flat_map(|&[p, q, r]| [[p, q], [p, r], [q, r]]).collect();
                edges.sort_unstable();
                edges.dedup();
                found.extend(edges.iter().map(|edge| (self.spanned(edge), point)));
                let mut corners: Vec<u32> = triangles.concat();
                corners.sort_unstable();
                corners.dedup();
                by_height(&mut corners);
                found.extend(corners.iter().take(2).map(|&v| (self.spanned(&[v]), point)));
                found
            }
            AnyCore::Point | AnyCore::Rod(_) | AnyCore::Points(_) => {
                let mut ids: Vec<u32> = (0..self.vertex_count() as u32).collect();
                by_height(&mut ids);
                let lists: [&[usize]; 9] =
                    [&[0, 1, 2], &[0, 1, 3], &[0, 2, 3], &[0, 1], &[0, 2], &[1, 2], &[0, 3], &[0], &[1]];
                let exist = lists.into_iter().filter(|list| list.iter().all(|&k| k < ids.len()));
                exist.map(|list| (self.spanned(&list.iter().map(|&k| ids[k]).collect::<Vec<_>>()), point)).collect()
            }
        }
    }

    /// The piece that one to three vertices span.
    fn spanned(&self, ids: &[u32]) -> Candidate {
        let corner = self.vertex(ids[0]);
        let to = |k: usize| self.vertex(ids[k]) - corner;
        let piece = match ids.len() {
            1 => Piece::Point(corner),
            2 => Piece::Edge { from: corner, along: to(1) },
            _ => Piece::Triangle { corner, first: to(1), second: to(2) },
        };
        Candidate { piece, members: std::array::from_fn(|k| ids.get(k).copied().unwrap_or(ids[0])) }
    }
}

impl Smooth<'_> {
    fn all_pieces(&self) -> Vec<Piece> {
        match *self {
            Smooth::Cylinder { half_length, radius } => {
                let (up, down) = (half_length, -half_length);
                let (rim, disc) = (|height| Piece::Rim { height, radius }, |height| Piece::Disc { height, radius });
                vec![Piece::Tube { half_length, radius }, disc(up), disc(down), rim(up), rim(down)]
            }
            Smooth::Cone { half_length, radius } => vec![
                Piece::Slope { half_length, radius },
                Piece::Rim { height: -half_length, radius },
                Piece::Point(DVec3::new(0.0, 0.0, half_length)),
                Piece::Disc { height: -half_length, radius },
            ],
            Smooth::Ellipsoid(axes) => vec![Piece::Ellipsoid(axes)],
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => Vec::new(),
        }
    }
}

/// Some triangles of a hull: the nearest to a point, and those that face `outward` best.
fn near_triangles(hull: &Hull, point: DVec3, outward: DVec3) -> Vec<[u32; 3]> {
    let corners = |t: &[u32; 3]| t.map(|i| hull.vertices[i as usize]);
    let off = |t: &[u32; 3]| {
        let [p, q, r] = corners(t);
        closest_on_triangle(point, p, q, r).point.distance_squared(point)
    };
    let turned = |t: &[u32; 3]| {
        let [p, q, r] = corners(t);
        -(q - p).cross(r - p).normalize_or_zero().dot(outward)
    };
    let mut found = Vec::new();
    for rank in [&off as &dyn Fn(&[u32; 3]) -> f64, &turned] {
        let mut ranked: Vec<_> = hull.mesh.triangles.iter().map(|t| (rank(t), *t)).collect();
        ranked.sort_by(|p, q| p.0.total_cmp(&q.0));
        found.extend(ranked.iter().take(3).map(|(_, t)| *t));
    }
    found.sort_unstable();
    found.dedup();
    found
}
