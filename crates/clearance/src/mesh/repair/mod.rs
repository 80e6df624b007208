//! Repairs a mesh within a tolerance, and reports what it did.
//!
//! Most files of real parts are closed except for a few cracks, T-junctions, and zero-area or duplicate triangles. The
//! steps, after Guéziec, Taubin, Lazarus and Horn, *Cutting and stitching: converting sets of polygons to manifold
//! surfaces*, 2001, and Borodin, Novotni and Klein, *Progressive gap closing for mesh repairing*, 2002:
//! 1. triangles without area are dropped (`faces.rs`);
//! 2. in stages of growing tolerance, rim points are joined (`join.rs`), rim edges are cut at points of other rims
//!    close to them (`junctions.rs`), and duplicates that this makes are dropped; the stages end as soon as no rim is
//!    left;
//! 3. shells that touch along edges are separated (`shells.rs`);
//! 4. triangles are oriented consistently, shells outward (`orient.rs`);
//! 5. holes that are narrow enough are filled (`holes.rs`).
//!
//! Only rims change: where a mesh is closed it stays as given, to the bit. Departs from these papers in proving a bound
//! on the Hausdorff distance between what was given and what is used. Each corner of a triangle used remembers where it
//! was in the triangle given (`soup.rs`); the affine map between the two places moves no point farther than a corner,
//! which bounds both directions at once. Only what was dropped or filled needs a search (`hausdorff.rs`).

mod faces;
mod hausdorff;
mod holes;
mod join;
mod junctions;
mod near;
mod orient;
mod shells;
mod soup;

use glam::DVec3;

use self::hausdorff::Measure;
use self::holes::Loop;
use self::junctions::Reach;
use self::soup::{FILL, Soup};
use crate::answer::repaired::{FilledHole, RepairReport, Repaired, Rim};
use crate::error::{Error, check_coordinates};
use crate::geom::piece::POLYGON_CUT_ERROR;
use crate::geom::topology::{closed_and_oriented, unpack};
use crate::math::double_double::two_diff;
use crate::math::tolerances::{
    REPAIR_LARGEST, REPAIR_LIMIT, REPAIR_PASSES, REPAIR_ROUNDING, REPAIR_SPREAD, REPAIR_STAGES, ROUND_UP, UNIT_ROUNDOFF,
};
use crate::shape::{Mesh, Surface};

impl Mesh {
    /// The mesh repaired within a tolerance, in the unit of its points, with a report: a solid if it can be made one,
    /// and a proved bound on the Hausdorff distance between the mesh given and the mesh used. No query repairs by
    /// itself.
    ///
    /// Points on the rims of holes and cracks are joined if they are within the tolerance, and edges there are cut at
    /// points next to them (T-junctions). Zero-area and duplicate triangles are dropped. Shells that share an edge are
    /// separated. Triangles are oriented consistently and shells outward; a shell inside another that faces inward
    /// stays a cavity. Holes are filled if every point of the filling is within the tolerance of the mesh given: slits
    /// and pinholes. Wider holes are left and named, and the mesh is then a surface.
    ///
    /// The tolerance is tried in stages, small first, so points move no farther than closing the mesh needs; one above
    /// a sixteenth of the mesh's diameter works like that. A mesh without defects is returned as it is, to the bit. The
    /// cost is a few times that of building the mesh.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`] or [`Error::Negative`] for the tolerance, and [`Error::TooMany`] if
    /// there are too many triangles once some are cut.
    ///
    /// ```
    /// use clearance::Mesh;
    /// // A corner of a box, whose floor is cut in two at a point just beside an edge of its wall: a crack.
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 1e-6, 0.0]];
    /// let given = Mesh::new(&points, &[[0, 2, 4], [4, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// assert!(given.solid().is_err());
    /// let repaired = given.repaired(1e-5)?;
    /// assert!(repaired.mesh.is_solid());
    /// assert_eq!(repaired.report.split, [2]); // the wall
    /// assert!(repaired.report.distance >= 1e-6 && repaired.report.distance < 1.1e-6);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn repaired(&self, tolerance: f64) -> Result<Repaired, Error> {
        check_coordinates("tolerance", 0, DVec3::splat(tolerance))?;
        if tolerance < 0.0 {
            return Err(Error::Negative { what: "tolerance", value: tolerance });
        }
        let surface = self.surface();
        let triangles = self.triangles();
        let given = |t: u32| triangles[t as usize].map(|p| surface.points[p as usize]);
        let mut soup = Soup::new(surface.origin, surface.points.clone(), triangles.clone());
        let mut report = empty_report(tolerance);
        if closed_and_oriented(&triangles).is_err() {
            close_rims(&mut soup, &mut report, &given, surface);
        }
        if soup.triangles.is_empty() {
            // All triangles have zero area: dropping them would leave nothing.
            soup = Soup::new(surface.origin, surface.points.clone(), triangles.clone());
            report = empty_report(tolerance);
        }
        let before = soup.triangles.clone();
        orient::orient_faces(&mut soup);
        let turned = (0..before.len()).filter(|&t| before[t] != soup.triangles[t]).map(|t| soup.origin[t]);
        report.flipped = turned.filter(|&t| t != FILL).collect();
        report.flipped.sort_unstable();
        report.flipped.dedup();
        drop(before);
        let widest = tolerance.min(REPAIR_LARGEST * surface.diameter);
        let (filled, fill_distance) = holes::fill_holes(&mut soup, &Measure { surface, off: 0.0 }, widest);
        for (points, count) in filled {
            let rim = rim(&soup, &Loop { points, is_closed: true });
            report.filled.push(FilledHole { rim, triangles: count });
        }
        let mut mesh = built(self, &mut soup)?;
        if restore_strays(&mut soup, &mut report, &triangles, &mesh, surface) {
            mesh = built(self, &mut soup)?;
        }
        account(&soup, &mut report, &triangles);
        if report.is_unchanged() {
            mesh = if self.is_solid() { self.clone() } else { self.solid().unwrap_or_else(|_| self.clone()) };
        } else {
            mesh = mesh.solid().unwrap_or(mesh);
            measure_both(&soup, &mut report, (surface, &mesh), fill_distance);
        }
        report.is_solid = mesh.is_solid();
        Ok(Repaired { mesh, report })
    }
}

fn empty_report(tolerance: f64) -> RepairReport {
    RepairReport {
        tolerance,
        distance: 0.0,
        given_to_used: 0.0,
        used_to_given: 0.0,
        moved: 0.0,
        joined: Vec::new(),
        zero_area: Vec::new(),
        duplicates: Vec::new(),
        collapsed: Vec::new(),
        stray: Vec::new(),
        split: Vec::new(),
        flipped: Vec::new(),
        parted_edges: Vec::new(),
        non_manifold_edges: Vec::new(),
        filled: Vec::new(),
        holes: Vec::new(),
        is_solid: false,
        origin: Vec::new(),
        added_points: Vec::new(),
    }
}

/// Joins, cuts and drops in stages, and separates shells.
fn close_rims(soup: &mut Soup, report: &mut RepairReport, given: &dyn Fn(u32) -> [DVec3; 3], surface: &Surface) {
    let tolerance = report.tolerance.min(REPAIR_LARGEST * surface.diameter);
    report.zero_area = faces::drop_zero_area(soup);
    report.duplicates = faces::drop_duplicates(soup);
    for part in REPAIR_STAGES {
        let distance = part * tolerance;
        if (part > 0.0 && distance == 0.0) || !junctions::has_rim(soup) {
            break;
        }
        for _ in 0..REPAIR_PASSES {
            let mut has_changed = false;
            while join::join_points(soup, distance, tolerance) {
                has_changed = true;
            }
            let collapsed = faces::drop_collapsed(soup);
            let duplicates = faces::drop_duplicates(soup);
            has_changed |= !collapsed.is_empty() || !duplicates.is_empty();
            report.collapsed.extend(collapsed);
            report.duplicates.extend(duplicates);
            // Points that a later stage may join to an end of the edge do not cut it before.
            let from_ends = if part == 0.0 || part == 1.0 { 0.0 } else { tolerance };
            let reach = Reach { distance, limit: REPAIR_LIMIT * tolerance, from_ends };
            has_changed |= junctions::cut_at_junctions(soup, given, reach, surface.radius);
            if !has_changed {
                break;
            }
        }
    }
    report.parted_edges = shells::separate_shells(soup);
}

/// The triangles as a mesh, in the order of those given that they come from.
fn built(given: &Mesh, soup: &mut Soup) -> Result<Mesh, Error> {
    let mut order: Vec<u32> = (0..soup.triangles.len() as u32).collect();
    order.sort_by_key(|&t| soup.origin[t as usize]);
    soup.triangles = order.iter().map(|&t| soup.triangles[t as usize]).collect();
    soup.before = order.iter().map(|&t| soup.before[t as usize]).collect();
    soup.origin = order.iter().map(|&t| soup.origin[t as usize]).collect();
    let mut points: Vec<[f64; 3]> = given.points().map(|p| p.to_array()).collect();
    points.extend(soup.places[soup.given_points..].iter().map(|&p| (p + soup.local_origin).to_array()));
    Mesh::new(&points, &soup.triangles)
}

/// Puts back zero-area triangles that are far from all triangles used; returns whether there are any.
fn restore_strays(
    soup: &mut Soup,
    report: &mut RepairReport,
    triangles: &[[u32; 3]],
    used: &Mesh,
    surface: &Surface,
) -> bool {
    if report.zero_area.is_empty() {
        return false;
    }
    let (shift, off) = shift(surface, used.surface());
    let measure = Measure { surface: used.surface(), off };
    // Exactly on an edge is near enough, whatever the tolerance.
    let limit = REPAIR_LIMIT * report.tolerance + 256.0 * UNIT_ROUNDOFF * (surface.radius + used.surface().radius);
    let at = |p: u32| surface.points[p as usize] + shift;
    let is_far = |t: u32| measure.bound_within(triangles[t as usize].map(at), limit).is_none();
    (report.stray, report.zero_area) = std::mem::take(&mut report.zero_area).into_iter().partition(|&t| is_far(t));
    for &t in &report.stray {
        let corners = triangles[t as usize];
        soup.push(corners.map(|p| soup.target[p as usize]), t, corners.map(|p| surface.points[p as usize]));
    }
    !report.stray.is_empty()
}

/// The translation from the frame of one surface to that of the other, and a bound on its rounding error.
fn shift(from: &Surface, to: &Surface) -> (DVec3, f64) {
    let (mut way, mut off) = (DVec3::ZERO, 0.0);
    for k in 0..3 {
        let (rounded, rest) = two_diff(from.origin[k], to.origin[k]);
        way[k] = rounded;
        off += rest.abs();
    }
    if way == DVec3::ZERO {
        return (way, 0.0);
    }
    let size = from.radius + to.radius + way.length();
    (way, (off + 4.0 * UNIT_ROUNDOFF * size) * ROUND_UP)
}

/// Fills in what became of each element, in the caller's numbering.
fn account(soup: &Soup, report: &mut RepairReport, triangles: &[[u32; 3]]) {
    report.origin = soup.origin.iter().map(|&t| (t != FILL).then_some(t)).collect();
    report.added_points = soup.added.clone();
    let mut is_named = vec![false; soup.given_points];
    triangles.iter().flatten().for_each(|&p| is_named[p as usize] = true);
    let joined = (0..soup.given_points as u32).filter(|&p| is_named[p as usize] && soup.target[p as usize] != p);
    report.joined = joined.map(|p| [p, soup.target[p as usize]]).collect();
    let away = |&[p, q]: &[u32; 2]| soup.place(p).distance(soup.place(q)) * ROUND_UP;
    report.moved = report.joined.iter().map(away).fold(0.0, f64::max);

    let mut parts = vec![0u32; triangles.len()];
    soup.origin.iter().filter(|&&t| t != FILL).for_each(|&t| parts[t as usize] += 1);
    let corners = |t: u32| {
        let mut corners = triangles[t as usize].map(|p| soup.target[p as usize]);
        corners.sort_unstable();
        corners
    };
    // Of a cut triangle all parts but one may be gone: that one has other corners.
    let is_other = |t: usize| {
        let mut own = soup.triangles[t].map(|p| soup.given_pair(p));
        own.sort_unstable();
        own != corners(soup.origin[t]).map(|p| [p; 2])
    };
    let mut split: Vec<u32> = (0..soup.triangles.len())
        .filter(|&t| soup.origin[t] != FILL && (parts[soup.origin[t] as usize] > 1 || is_other(t)))
        .map(|t| soup.origin[t])
        .collect();
    split.sort_unstable();
    split.dedup();
    report.flipped.retain(|t| split.binary_search(t).is_err());
    report.split = split;
    let is_gone = |t: u32| parts[t as usize] == 0;
    let (mut duplicates, mut others): (Vec<[u32; 2]>, Vec<[u32; 2]>) = std::mem::take(&mut report.duplicates)
        .into_iter()
        .filter(|&[_, t]| is_gone(t))
        .partition(|&[kept, t]| kept != t && corners(kept) == corners(t));
    duplicates.sort_unstable_by_key(|&[kept, t]| (t, kept));
    duplicates.dedup_by_key(|pair| pair[1]);
    // Parts of one triangle may have been dropped for different reasons.
    report.collapsed.extend(others.drain(..).map(|[_, t]| t));
    report.collapsed.sort_unstable();
    report.collapsed.dedup();
    let is_duplicate = |t: u32| duplicates.binary_search_by_key(&t, |pair| pair[1]).is_ok();
    report.collapsed.retain(|&t| is_gone(t) && !is_duplicate(t));
    report.duplicates = duplicates;

    let mut edges: Vec<[u32; 2]> = Vec::new();
    for uses in soup.sides().chunk_by(|a, b| a.0 == b.0).filter(|uses| uses.len() > 2) {
        let [p, q] = unpack(uses[0].0).map(|p| soup.given(p));
        edges.push([p.min(q), p.max(q)]);
    }
    edges.sort_unstable();
    edges.dedup();
    report.non_manifold_edges = edges.into_iter().filter(|[p, q]| p != q).collect();
    report.holes = holes::rims(soup).iter().map(|own| rim(soup, own)).collect();
}

fn rim(soup: &Soup, own: &Loop) -> Rim {
    let places: Vec<DVec3> = own.points.iter().map(|&p| soup.place(p)).collect();
    let mut length = places.windows(2).map(|two| two[0].distance(two[1])).sum();
    if let (true, Some(first), Some(last)) = (own.is_closed, places.first(), places.last()) {
        length += first.distance(*last);
    }
    Rim { points: own.points.iter().map(|&p| soup.given(p)).collect(), is_closed: own.is_closed, length }
}

/// Bounds the distance both ways: parts by how far their corners were moved, what was dropped and filled by search.
fn measure_both(soup: &Soup, report: &mut RepairReport, (surface, used): (&Surface, &Mesh), fill_distance: f64) {
    // With slack for a proof with other pieces.
    let with_room =
        |distance: f64, off: f64| (distance * REPAIR_SPREAD + (off + REPAIR_ROUNDING) * surface.radius) * ROUND_UP;
    let mut moved = soup.largest_move();
    if moved > 0.0 || soup.nested_cuts > 0 {
        let cuts = POLYGON_CUT_ERROR * UNIT_ROUNDOFF * f64::from(soup.nested_cuts);
        moved = with_room(moved, cuts);
    }
    let filled = if report.filled.is_empty() { 0.0 } else { with_room(fill_distance, 0.0) };
    report.used_to_given = moved.max(filled);
    let (way, off) = shift(surface, used.surface());
    let lost: Vec<[DVec3; 3]> = soup.lost.iter().map(|corners| corners.map(|p| p + way)).collect();
    report.given_to_used = moved.max(Measure { surface: used.surface(), off }.largest(&lost));
    report.distance = report.given_to_used.max(report.used_to_given);
}
