//! Verifies the report of a mesh repair.
//!
//! Distances: triangles common to both meshes, by coordinates, need no proof. Every other triangle is cut until all
//! corners of each piece are within the bound of one face of the other mesh; no other point of the piece is then
//! farther. The report's lists are derived again: every given triangle is used, or dropped for exactly one reason;
//! points are where the report says; the remaining holes and edges are those of the repaired mesh.

use glam::DVec3;

use crate::answer::repaired::{RepairReport, Repaired, Rim};
use crate::geom::closest::closest_on_triangle;
use crate::geom::piece::{POLYGON_CUT_ERROR, Polygon, farthest_of};
use crate::geom::topology::{closed_and_oriented, pack, sorted_half_edges, unpack};
use crate::geom::volume::signed_volume;
use crate::math::cancel::Turns;
use crate::math::predicates::collinear;
use crate::math::tolerances::{REPAIR_LIMIT, UNIT_ROUNDOFF, VERIFY_LENGTHS, VERIFY_REPAIR_PIECES};
use crate::shape::Mesh;
use crate::verify::boxes::Boxes;
use crate::verify::refusal::{Refusal, check_numbers};

/// Verifies the claims about a repaired mesh, from it and the given one.
pub(crate) fn verify_repaired(answer: &Repaired, given: &Mesh) -> Result<(), Refusal> {
    let claims = Claims::new(answer, given);
    check_report_numbers(&answer.report)?;
    claims.check_points()?;
    claims.check_triangles()?;
    claims.check_winding()?;
    claims.check_edges()?;
    claims.check_solid()?;
    claims.check_distances()
}

fn wrong(field: &'static str) -> Refusal {
    Refusal::Repair { field }
}

fn ensure(holds: bool, field: &'static str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(wrong(field)) }
}

fn check_report_numbers(report: &RepairReport) -> Result<(), Refusal> {
    let numbers = [
        ("tolerance", report.tolerance),
        ("distance", report.distance),
        ("given_to_used", report.given_to_used),
        ("used_to_given", report.used_to_given),
        ("moved", report.moved),
    ];
    check_numbers(&numbers)?;
    if let Some(&(field, _)) = numbers.iter().find(|number| number.1 < 0.0) {
        return Err(Refusal::NoNumber { field });
    }
    ensure(report.distance == report.given_to_used.max(report.used_to_given), "distance")
}

fn ascends<T: Ord>(list: &[T]) -> bool {
    list.windows(2).all(|two| two[0] < two[1])
}

/// Both meshes, relative to the local origin of the given one, and the claims about them.
struct Claims<'c> {
    report: &'c RepairReport,
    mesh: &'c Mesh,
    given: IndexedTriangles,
    used: IndexedTriangles,
    /// The given point that each became, according to the report.
    target: Vec<u32>,
    /// The largest coordinate.
    size: f64,
}

struct IndexedTriangles {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl IndexedTriangles {
    fn new(mesh: &Mesh, about: DVec3) -> IndexedTriangles {
        IndexedTriangles { points: mesh.points().map(|p| p - about).collect(), triangles: mesh.triangles() }
    }

    fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|p| self.points[p as usize])
    }

    /// The largest coordinate of a corner.
    fn size(&self) -> f64 {
        let corners = self.triangles.iter().flatten().map(|&p| self.points[p as usize]);
        corners.map(|p| p.abs().max_element()).fold(0.0, f64::max)
    }

    fn all(&self) -> Vec<[DVec3; 3]> {
        (0..self.triangles.len()).map(|t| self.corners(t)).collect()
    }
}

impl<'c> Claims<'c> {
    fn new(answer: &'c Repaired, given: &Mesh) -> Claims<'c> {
        let about = given.surface().origin;
        let (given, used) = (IndexedTriangles::new(given, about), IndexedTriangles::new(&answer.mesh, about));
        // Corners only: points that no triangle uses may be anywhere.
        let size = given.size().max(used.size());
        let mut target: Vec<u32> = (0..given.points.len() as u32).collect();
        for &[p, q] in &answer.report.joined {
            if let Some(target) = target.get_mut(p as usize) {
                *target = q;
            }
        }
        Claims { report: &answer.report, mesh: &answer.mesh, given, used, target, size }
    }

    /// How far rounding may have displaced points.
    fn rounding(&self) -> f64 {
        64.0 * UNIT_ROUNDOFF * self.size
    }

    /// The given points come first, unmoved, then copies and midpoints; joined points are no longer used, and were
    /// close enough.
    fn check_points(&self) -> Result<(), Refusal> {
        let (report, given, used) = (self.report, &self.given.points, &self.used.points);
        let count = given.len();
        ensure(used.len() == count + report.added_points.len() && used[..count] == given[..], "added_points")?;
        for (&[p, q], &place) in report.added_points.iter().zip(&used[count..]) {
            let (Some(&p), Some(&q)) = (given.get(p as usize), given.get(q as usize)) else {
                return Err(wrong("added_points"));
            };
            let off = if p == q { 0.0 } else { self.rounding() };
            ensure(place.distance((p + q) * 0.5) <= off, "added_points")?;
        }
        let exists = |&[p, q]: &[u32; 2]| (p as usize) < count && (q as usize) < count && p != q;
        ensure(report.joined.iter().all(exists), "joined")?;
        ensure(report.joined.windows(2).all(|two| two[0][0] < two[1][0]), "joined")?;
        ensure(report.joined.iter().all(|&[_, q]| self.target[q as usize] == q), "joined")?;
        let is_joined = |p: u32| self.target.get(p as usize).is_some_and(|&target| target != p);
        ensure(!self.used.triangles.iter().flatten().any(|&p| is_joined(p)), "joined")?;
        let away = |&[p, q]: &[u32; 2]| given[p as usize].distance(given[q as usize]);
        let most = report.joined.iter().map(away).fold(0.0, f64::max);
        let rounding = 64.0 * UNIT_ROUNDOFF;
        ensure(report.moved >= most * (1.0 - rounding) && report.moved <= most * (1.0 + rounding), "moved")?;
        ensure(report.moved <= report.tolerance * (1.0 + rounding), "tolerance")
    }

    /// The given point that a used point is, or is a copy of; two of them for a midpoint.
    fn given_points(&self, point: u32) -> [u32; 2] {
        match (point as usize).checked_sub(self.given.points.len()) {
            None => [point; 2],
            Some(added) => self.report.added_points[added],
        }
    }

    fn joined_corners(&self, triangle: u32) -> [u32; 3] {
        self.given.triangles[triangle as usize].map(|p| self.target[p as usize])
    }

    /// Each given triangle is used, or dropped for one reason; pieces of a triangle are close to it.
    fn check_triangles(&self) -> Result<(), Refusal> {
        let report = self.report;
        let count = self.given.triangles.len();
        ensure(report.origin.len() == self.used.triangles.len(), "origin")?;
        ensure(report.origin.iter().flatten().all(|&t| (t as usize) < count), "origin")?;
        let mut parts = vec![0u32; count];
        report.origin.iter().flatten().for_each(|&t| parts[t as usize] += 1);
        let dropped: Vec<u32> = report.duplicates.iter().map(|pair| pair[1]).collect();
        let lists = [
            ("zero_area", &report.zero_area),
            ("duplicates", &dropped),
            ("collapsed", &report.collapsed),
            ("stray", &report.stray),
            ("split", &report.split),
            ("flipped", &report.flipped),
        ];
        for (field, list) in lists {
            ensure(ascends(list) && list.iter().all(|&t| (t as usize) < count), field)?;
        }
        let mut times = parts.iter().map(|&parts| parts.min(1)).collect::<Vec<u32>>();
        for (field, list) in &lists[..3] {
            for &t in *list {
                ensure(parts[t as usize] == 0, field)?;
                times[t as usize] += 1;
            }
        }
        ensure(times.iter().all(|&times| times == 1), "origin")?;
        // Cut: in several pieces, or in one with other corners.
        let mut split = Vec::new();
        for (part, origin) in report.origin.iter().enumerate() {
            let Some(t) = *origin else { continue };
            let mut own = self.used.triangles[part].map(|p| self.given_points(p));
            own.sort_unstable();
            if parts[t as usize] > 1 || own != sorted(self.joined_corners(t)).map(|p| [p; 2]) {
                split.push(t);
            }
        }
        split.sort_unstable();
        split.dedup();
        ensure(split == report.split, "split")?;
        ensure(report.flipped.iter().all(|t| parts[*t as usize] == 1 && split.binary_search(t).is_err()), "flipped")?;
        let is_flat = |t: &u32| {
            let [a, b, c] = self.given.corners(*t as usize);
            collinear(a, b, c)
        };
        ensure(report.zero_area.iter().all(is_flat), "zero_area")?;
        // Where something had to be repaired, no other degenerate triangle remains, unless all are degenerate.
        let flat: Vec<u32> = (0..count as u32).filter(is_flat).collect();
        let is_dirty = closed_and_oriented(&self.given.triangles).is_err() && flat.len() < count;
        let left = flat.into_iter().filter(|&t| is_dirty && parts[t as usize] > 0);
        ensure(left.eq(report.stray.iter().copied()), "stray")?;
        for &[kept, t] in &report.duplicates {
            ensure((kept as usize) < count && kept != t, "duplicates")?;
            ensure(sorted(self.joined_corners(kept)) == sorted(self.joined_corners(t)), "duplicates")?;
        }
        // Corners are joined to others, then edges are cut at nearby points, which may be joined again.
        let most = (REPAIR_LIMIT + 1.0) * report.tolerance + self.rounding();
        for (t, origin) in report.origin.iter().enumerate() {
            let Some(origin) = *origin else { continue };
            let [a, b, c] = self.given.corners(origin as usize);
            let is_near = |&p: &DVec3| closest_on_triangle(p, a, b, c).distance <= most;
            ensure(self.used.corners(t).iter().all(is_near), "origin")?;
        }
        Ok(())
    }

    /// Whether triangles that still have their corners were reversed.
    fn check_winding(&self) -> Result<(), Refusal> {
        for (t, origin) in self.report.origin.iter().enumerate() {
            let Some(origin) = *origin else { continue };
            let corners = self.used.triangles[t].map(|p| self.given_points(p)[0]);
            let before = self.joined_corners(origin);
            let is_split = self.report.split.binary_search(&origin).is_ok();
            if is_split || before[0] == before[1] || before[1] == before[2] || before[2] == before[0] {
                continue;
            }
            let is_same_way = (0..3).any(|k| corners == [before[k], before[(k + 1) % 3], before[(k + 2) % 3]]);
            let is_flipped = self.report.flipped.binary_search(&origin).is_ok();
            ensure(is_same_way != is_flipped, "flipped")?;
        }
        Ok(())
    }

    /// The remaining holes and edges, and those that were filled and separated.
    fn check_edges(&self) -> Result<(), Refusal> {
        let report = self.report;
        let edge = |p: u32, q: u32| pack(self.given_points(p)[0], self.given_points(q)[0]);
        let (mut rim, mut crowded) = (Vec::new(), Vec::new());
        for uses in sorted_half_edges(&self.used.triangles).chunk_by(|a, b| a.0 == b.0) {
            let [p, q] = unpack(uses[0].0);
            match uses.len() {
                1 => rim.push(edge(p, q)),
                2 => {}
                _ if p == q => {}
                _ => crowded.push(edge(p, q)),
            }
        }
        rim.sort_unstable();
        crowded.sort_unstable();
        crowded.dedup();
        let mut left = Vec::new();
        for hole in &report.holes {
            left.extend(self.rim_edges(hole, "holes")?);
        }
        left.sort_unstable();
        ensure(left == rim, "holes")?;
        let named: Vec<u64> = report.non_manifold_edges.iter().map(|&[p, q]| pack(p, q)).collect();
        ensure(report.non_manifold_edges.iter().all(|[p, q]| p < q) && named == crowded, "non_manifold_edges")?;
        self.check_parted(&crowded)?;

        let fills = || (0..self.used.triangles.len()).filter(|&t| report.origin[t].is_none());
        let told: usize = report.filled.iter().map(|hole| hole.triangles as usize).sum();
        ensure(told == fills().count(), "filled")?;
        let mut sides: Vec<u64> = fills()
            .flat_map(|t| {
                let [a, b, c] = self.used.triangles[t];
                [edge(a, b), edge(b, c), edge(c, a)]
            })
            .collect();
        sides.sort_unstable();
        for hole in &report.filled {
            let own = self.rim_edges(&hole.rim, "filled")?;
            let is_filled = hole.rim.is_closed && own.iter().all(|edge| sides.binary_search(edge).is_ok());
            ensure(is_filled && own.len() == hole.triangles as usize + 2, "filled")?;
        }
        Ok(())
    }

    /// The edges along a rim.
    fn rim_edges(&self, rim: &Rim, field: &'static str) -> Result<Vec<u64>, Refusal> {
        ensure(rim.points.iter().all(|&p| (p as usize) < self.given.points.len()), field)?;
        let steps = rim.points.windows(2).map(|two| [two[0], two[1]]);
        let ends = rim.points.last().zip(rim.points.first()).filter(|_| rim.is_closed).map(|(&p, &q)| [p, q]);
        let steps: Vec<[u32; 2]> = steps.chain(ends).collect();
        let away = |&[p, q]: &[u32; 2]| self.given.points[p as usize].distance(self.given.points[q as usize]);
        let length: f64 = steps.iter().map(away).sum();
        ensure((rim.length - length).abs() <= VERIFY_LENGTHS * length, field)?;
        Ok(steps.into_iter().map(|[p, q]| pack(p, q)).collect())
    }

    /// Edges where shells were separated are, by given points, edges of more than two triangles; and all such edges are
    /// listed.
    fn check_parted(&self, crowded: &[u64]) -> Result<(), Refusal> {
        let named: Vec<u64> = self.report.parted_edges.iter().map(|&[p, q]| pack(p, q)).collect();
        ensure(ascends(&named) && self.report.parted_edges.iter().all(|[p, q]| p < q), "parted_edges")?;
        if named.is_empty() && self.report.added_points.is_empty() {
            return Ok(());
        }
        // By given points; the halves of an edge with a midpoint count as the edge.
        let mut edges: Vec<(u64, bool)> = Vec::new();
        for (t, origin) in self.report.origin.iter().enumerate().filter(|(_, origin)| origin.is_some()) {
            let _ = origin;
            let own = self.used.triangles[t].map(|p| self.given_points(p));
            for k in 0..3 {
                let (p, q) = (own[k], own[(k + 1) % 3]);
                match (p[0] == p[1], q[0] == q[1]) {
                    (true, true) => edges.push((pack(p[0], q[0]), true)),
                    (true, false) if q.contains(&p[0]) => edges.push((pack(q[0], q[1]), false)),
                    (false, true) if p.contains(&q[0]) => edges.push((pack(p[0], p[1]), false)),
                    _ => {}
                }
            }
        }
        edges.sort_unstable();
        let mut many = Vec::new();
        for same in edges.chunk_by(|p, q| p.0 == q.0) {
            let whole = same.iter().filter(|edge| edge.1).count();
            if whole + (same.len() - whole) / 2 > 2 {
                many.push((same[0].0, whole > 2));
            }
        }
        let is_many = |edge: &u64| many.binary_search_by_key(edge, |one| one.0).is_ok();
        let is_told = |edge: &u64| named.binary_search(edge).is_ok() || crowded.binary_search(edge).is_ok();
        ensure(named.iter().all(is_many), "parted_edges")?;
        ensure(many.iter().filter(|edge| edge.1).all(|(edge, _)| is_told(edge)), "parted_edges")
    }

    fn check_solid(&self) -> Result<(), Refusal> {
        let triangles = &self.used.triangles;
        let is_solid = closed_and_oriented(triangles).is_ok() && signed_volume(&self.used.points, triangles) >= 0.0;
        ensure(self.report.is_solid == is_solid && self.mesh.is_solid() == is_solid, "is_solid")
    }

    fn check_distances(&self) -> Result<(), Refusal> {
        let report = self.report;
        let (given, used) = (self.given.all(), self.used.all());
        let [only_given, only_used] = differences(&given, &used);
        // Most triangles are close to the one they come from, or a piece of it.
        let of_used = |&t: &usize| (used[t], report.origin[t]);
        if !only_used.is_empty() {
            let given = Faces::new(&given, self.size);
            let all: Vec<_> = only_used.iter().map(of_used).collect();
            given.check(&all, report.used_to_given)?;
            let fills: Vec<_> = only_used.iter().filter(|&&t| report.origin[t].is_none()).map(of_used).collect();
            given.check(&fills, report.tolerance + self.rounding())?;
        }
        if !only_given.is_empty() {
            let mut part_of = vec![None; given.len()];
            for (part, origin) in (0..).zip(&report.origin) {
                origin.iter().for_each(|&t| part_of[t as usize] = Some(part));
            }
            let all: Vec<_> = only_given.iter().map(|&t| (given[t], part_of[t])).collect();
            Faces::new(&used, self.size).check(&all, report.given_to_used)?;
        }
        Ok(())
    }
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// The triangles of each of two lists that are not in the other, by the coordinates of their corners in any order.
fn differences(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> [Vec<usize>; 2] {
    type Key = [[f64; 3]; 3];
    let by = |p: &[f64; 3], q: &[f64; 3]| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]));
    let by_all = |p: &Key, q: &Key| by(&p[0], &q[0]).then(by(&p[1], &q[1])).then(by(&p[2], &q[2]));
    let keys = |list: &[[DVec3; 3]]| {
        let mut keys: Vec<(Key, usize)> = list
            .iter()
            .enumerate()
            .map(|(t, corners)| {
                // Adding zero makes both zeros equal.
                let mut key = corners.map(|p| (p + DVec3::ZERO).to_array());
                key.sort_unstable_by(by);
                (key, t)
            })
            .collect();
        keys.sort_unstable_by(|p, q| by_all(&p.0, &q.0).then(p.1.cmp(&q.1)));
        keys
    };
    let (of_a, of_b) = (keys(a), keys(b));
    let missing = |own: &[(Key, usize)], other: &[(Key, usize)]| {
        let is_missing = |key: &Key| other.binary_search_by(|one| by_all(&one.0, key)).is_err();
        let mut missing: Vec<usize> = own.iter().filter(|one| is_missing(&one.0)).map(|one| one.1).collect();
        missing.sort_unstable();
        missing
    };
    [missing(&of_a, &of_b), missing(&of_b, &of_a)]
}

/// Faces that distances are measured to.
struct Faces<'f> {
    faces: &'f [[DVec3; 3]],
    boxes: Boxes,
    size: f64,
}

/// A piece still to be bounded.
struct OpenPolygon {
    shape: Polygon,
    cuts: u32,
    /// The face that best bounded the piece it was cut from.
    face: Option<u32>,
}

impl<'f> Faces<'f> {
    /// Requires at least one face.
    fn new(faces: &'f [[DVec3; 3]], size: f64) -> Faces<'f> {
        let about = |[p, q, r]: &[DVec3; 3]| [p.min(*q).min(*r), p.max(*q).max(*r)];
        let boxes: Vec<_> = faces.iter().map(about).collect();
        Faces { faces, boxes: Boxes::new(&boxes), size }
    }

    /// No point of the triangles is farther than `upper`. Each comes with a face that may be near it.
    fn check(&self, triangles: &[([DVec3; 3], Option<u32>)], upper: f64) -> Result<(), Refusal> {
        let mut turns = Turns::default();
        let mut open = Vec::new();
        for &(corners, face) in triangles {
            open.clear();
            open.push(OpenPolygon { shape: Polygon::of_triangle(corners), cuts: 0, face });
            let mut count = 0;
            while let Some(piece) = open.pop() {
                turns.turn();
                count += 1;
                let off = POLYGON_CUT_ERROR * UNIT_ROUNDOFF * (3.0 * f64::from(piece.cuts) + 1.0) * self.size;
                let corners = piece.shape.corners();
                let of_face = |face: u32| farthest_of(corners, self.faces[face as usize]) + off;
                if piece.face.is_some_and(|face| of_face(face) <= upper) {
                    continue;
                }
                // No farther from the centre than from some corner.
                let (found, face) = self.boxes.nearest(piece.shape.middle(), of_face);
                if found <= upper {
                    continue;
                }
                if count > VERIFY_REPAIR_PIECES || !self.cut(&piece, face, upper, off, &mut open) {
                    return Err(Refusal::Upper { claimed: upper, proved: found });
                }
            }
        }
        Ok(())
    }

    /// Cuts a piece; false if it cannot be cut, or its centre is farther than the upper end.
    fn cut(&self, piece: &OpenPolygon, face: u32, upper: f64, off: f64, open: &mut Vec<OpenPolygon>) -> bool {
        let middle = piece.shape.middle();
        let (away, near) = self.boxes.nearest(middle, |face| farthest_of(&[middle], self.faces[face as usize]));
        if away > upper + 64.0 * UNIT_ROUNDOFF * self.size + 2.0 * off {
            return false;
        }
        let nearest = self.faces[near as usize];
        let [p, q, r] = nearest;
        let before = open.len();
        let mut add = |shape: Polygon| open.push(OpenPolygon { shape, cuts: piece.cuts + 1, face: Some(face) });
        let normal = (q - p).normalize_or_zero().cross((r - p).normalize_or_zero()).try_normalize();
        // Every other time, as a sliver may stay beside the plane.
        if let Some(normal) = normal.filter(|_| piece.cuts.is_multiple_of(2)) {
            let (left, others) = piece.shape.carved(|corner| corner, nearest, normal);
            if left.is_some() && others.iter().any(Option::is_some) {
                left.into_iter().chain(others.into_iter().flatten()).for_each(&mut add);
            }
        }
        if open.len() == before {
            let add = |shape: Polygon| open.push(OpenPolygon { shape, cuts: piece.cuts + 1, face: Some(face) });
            piece.shape.halves().into_iter().flatten().for_each(add);
        }
        open.len() > before
    }
}
