//! The triangles of all bodies: checked, counted through, their boxes, and the last test.

use glam::DVec3;

use super::options::{BodyFaces, FacePair};
use crate::bound::Aabb;
use crate::error::{Error, check_coordinates};
use crate::geom::triangle_triangle::triangles_meet;
use crate::parallel;

/// How many triangles are one piece of work where each costs little.
const PIECE: usize = 8192;

/// The triangles of all bodies, counted through.
pub(super) struct Flat {
    /// The number of the first triangle of each body, and one more entry: how many there are.
    pub first: Vec<u32>,
}

impl Flat {
    pub fn new(bodies: &[BodyFaces<'_>]) -> Result<Flat, Error> {
        let mut first = Vec::with_capacity(bodies.len() + 1);
        let mut count = 0usize;
        for body in bodies {
            first.push(count as u32);
            count = count.saturating_add(body.triangles.len());
        }
        first.push(count as u32);
        for (what, count) in [("triangles", count), ("bodies", bodies.len())] {
            if u32::try_from(count).is_err() {
                return Err(Error::TooMany { what, count });
            }
        }
        Ok(Flat { first })
    }

    /// Pieces of about equal size, as ranges of triangles counted through.
    pub fn pieces(&self) -> Vec<[u32; 2]> {
        let count = self.first.last().copied().unwrap_or(0);
        (0..count).step_by(PIECE).map(|start| [start, count.min(start.saturating_add(PIECE as u32))]).collect()
    }

    /// Visits the runs of triangles of a piece: body, first face, end.
    pub fn runs(&self, [start, end]: [u32; 2], mut visit: impl FnMut(usize, u32, u32)) {
        let mut body = self.first.partition_point(|&first| first <= start).saturating_sub(1);
        while body + 1 < self.first.len() && self.first[body] < end {
            let [first, next] = [self.first[body], self.first[body + 1]];
            if next > first {
                visit(body, start.max(first) - first, end.min(next) - first);
            }
            body += 1;
        }
    }
}

/// Maps pieces, on the calling thread if there is only one.
pub(super) fn map_pieces<Q: Sync, A: Send>(pieces: &[Q], answer: impl Fn(&Q) -> A + Sync) -> Vec<A> {
    if pieces.len() <= 1 { pieces.iter().map(answer).collect() } else { parallel::map(pieces, answer) }
}

/// Checks all points and all indices.
pub(super) fn check(bodies: &[BodyFaces<'_>]) -> Result<(), Error> {
    // Pieces of the lists of one body: points, then triangles.
    let mut pieces = Vec::new();
    let mut together = 0;
    for (number, body) in bodies.iter().enumerate() {
        let most = body.points.len().max(body.triangles.len());
        for start in (0..most).step_by(PIECE) {
            together += PIECE.min(most - start);
            pieces.push((number, start));
        }
    }
    let of_piece = |&(number, start): &(usize, usize)| {
        let body = &bodies[number];
        let part = |length: usize| start.min(length)..(start + PIECE).min(length);
        let in_body = |error| Error::InBody { body: number as u32, error: Box::new(error) };
        for (index, &point) in body.points[part(body.points.len())].iter().enumerate() {
            check_coordinates("point", start + index, DVec3::from_array(point)).map_err(in_body)?;
        }
        for (index, triangle) in body.triangles[part(body.triangles.len())].iter().enumerate() {
            if let Some(&point) = triangle.iter().find(|&&point| point as usize >= body.points.len()) {
                let (triangle, points) = (start + index, body.points.len());
                return Err(in_body(Error::NoSuchPoint { triangle, point, points }));
            }
        }
        Ok(())
    };
    if together <= PIECE {
        return pieces.iter().try_for_each(of_piece);
    }
    map_pieces(&pieces, of_piece).into_iter().collect()
}

/// The box of a triangle.
pub(super) fn box_of(corners: &[DVec3; 3]) -> Aabb {
    let [a, b, c] = *corners;
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

pub(super) fn joined(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb::new(a.min.min(b.min), a.max.max(b.max))
}

/// The box of each body: of the points that its triangles use.
pub(super) fn boxes_of(bodies: &[BodyFaces<'_>], flat: &Flat, boxes: &mut Vec<Aabb>) {
    boxes.clear();
    boxes.resize(bodies.len(), Aabb::EMPTY);
    let parts = map_pieces(&flat.pieces(), |&piece| {
        let mut parts = Vec::new();
        flat.runs(piece, |body, start, end| {
            let faces = (start..end).map(|face| box_of(&bodies[body].corners(face)));
            parts.push((body, faces.fold(Aabb::EMPTY, |all, own| joined(&all, &own))));
        });
        parts
    });
    for (body, part) in parts.into_iter().flatten() {
        boxes[body] = joined(&boxes[body], &part);
    }
}

/// A triangle of the checklist.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedFace {
    pub bounds: Aabb,
    pub body: u32,
    pub face: u32,
}

/// Whether two triangles share a point.
pub(super) fn meets(bodies: &[BodyFaces<'_>], pair: &FacePair) -> bool {
    let a = bodies[pair.body_a as usize].corners(pair.face_a);
    let b = bodies[pair.body_b as usize].corners(pair.face_b);
    triangles_meet(&a, &b)
}
