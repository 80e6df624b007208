//! Proof that a surface overlaps a solid: a point of the surface that lies in the solid's interior.
//!
//! The boundary of the solid divides the surface into regions, each entirely inside or outside the solid. So a point of
//! each region decides:
//! - triangles of the surface that meet no triangle of the solid and share points are part of one region, represented
//!   by a corner clear of the solid's boundary;
//! - for a triangle that meets some, [`sample_regions`] gives a point of each region, exactly.
//!
//! A triangle in front of all triangles it meets, or in their planes, need not be cut: from a point in front of them,
//! the faces around a point of contact reduce the solid angle of the solid there, so the winding number is zero (for a
//! boundary that does not cross itself). In a solid of several shells it may be inside another one, with all its
//! regions: the corners decide.
//!
//! A point counts if a ball about it is in the solid, which bounds the depth from below as for solids. It may lie so
//! near the boundary that rounding leaves no ball, though the region is deep elsewhere: a sheet in the plane of a wall,
//! moved slightly below it by rounding, that continues beyond the wall's edge. So triangles whose points are not clear
//! are halved where they may be deepest, by the distance of their centroid from the boundary and their size, for some
//! steps. A region nowhere deeper than rounding is not proved to be inside; the bracket of the gap then contains zero.
//!
//! Convex bodies are tested with each triangle near them: a translation that moves the surface out of the body moves
//! every triangle out.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::depth::deep_points::Open;
use crate::depth::overlap_of_solids::{Overlap, Solid};
use crate::geom::topology::{find, join};
use crate::geom::triangle_regions::sample_regions;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::tolerances::{CONTACT_POINT, OVERLAP_PAIRS, REGION_CUTTERS, REGION_PROBES, UNIT_ROUNDOFF};
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::pair::search::Meeting;
use crate::mesh::same_points::lowest_of_equal;
use crate::mesh::workspace::MeshWorkspace;
use crate::shape::Feature;
use crate::shape::Surface;

/// A surface that meets a solid.
struct SurfaceAndSolid<'m, 's> {
    meshes: &'m Meshes<'s>,
    solid: Solid<'s>,
    surface: &'s Surface,
    solid_is_a: bool,
    /// The solid has shells that may overlap.
    has_shells: bool,
    /// A bound on the distance of a point where triangles meet from both.
    off: f64,
    /// The depth at which the search ends.
    enough: f64,
    best: Option<Overlap>,
    /// Slots of triangles with a point that is not clear of the solid's boundary.
    undecided: Vec<u32>,
}

/// A proof that a surface overlaps a solid, in the order of the meshes; `found` says that they meet. The search ends
/// with the first point deeper than `enough`.
pub(crate) fn overlap(
    meshes: &Meshes<'_>,
    [pose_a, pose_b]: [&Pose; 2],
    found: &Distance,
    enough: f64,
    workspace: &mut MeshWorkspace,
) -> Option<Overlap> {
    let solid_is_a = meshes.a.is_solid();
    let (solid, pose_solid, surface, pose_surface) =
        if solid_is_a { (meshes.a, pose_a, meshes.b, pose_b) } else { (meshes.b, pose_b, meshes.a, pose_a) };
    let surface = surface.surface();
    let reach = 2.0 * (meshes.pair.a.radius + meshes.pair.b.radius) + meshes.pair.map.separation;
    let mut search = SurfaceAndSolid {
        meshes,
        solid: Solid::new(solid, pose_solid, pose_surface, surface.origin),
        surface,
        solid_is_a,
        has_shells: solid.component_count() > 1,
        off: CONTACT_POINT * reach,
        enough,
        best: None,
        undecided: Vec::new(),
    };
    let mut meeting = Vec::new();
    // If the solid contains the component with the common point, no triangles meet.
    if (found.witness.a.feature, found.witness.b.feature) != (Feature::Interior, Feature::Interior) {
        meshes.pair.all(workspace.level, usize::MAX, &mut workspace.reaches, &mut meeting);
    }
    let _ = search.visit(&meeting);
    search.best.map(|best| if solid_is_a { best } else { best.swapped() })
}

impl SurfaceAndSolid<'_, '_> {
    fn visit(&mut self, meeting: &[Meeting]) -> ControlFlow<()> {
        self.near_crossings(meeting)?;
        let mut pairs: Vec<(u32, u32)> =
            meeting.iter().map(|pair| if self.solid_is_a { (pair.b, pair.a) } else { (pair.a, pair.b) }).collect();
        pairs.sort_unstable();
        self.away_from_the_solid(&pairs)?;
        pairs.chunk_by(|p, q| p.0 == q.0).try_for_each(|of_one| self.next_to_the_solid(of_one))?;
        if self.best.is_none() { self.halve_undecided() } else { ControlFlow::Continue(()) }
    }

    fn doubt(&mut self, slot: u32) {
        if self.undecided.len() < REGION_PROBES {
            self.undecided.push(slot);
        }
    }

    /// Records what a point of the surface proves; breaks if that is enough.
    fn take(&mut self, found: Option<Overlap>) -> ControlFlow<()> {
        if let Some(found) = found
            && self.best.is_none_or(|best| found.depth > best.depth)
        {
            self.best = Some(found);
        }
        match self.best {
            Some(best) if best.depth > self.enough => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    /// A point of the frame of the placed pair, relative to the surface's origin.
    fn own(&self, point: DVec3) -> DVec3 {
        if self.solid_is_a { self.meshes.back(point) - self.surface.origin } else { point }
    }

    /// Where surfaces cross: corners and points on the way to them, which usually suffice.
    fn near_crossings(&mut self, meeting: &[Meeting]) -> ControlFlow<()> {
        let step = meeting.len().div_ceil(OVERLAP_PAIRS).max(1);
        for pair in meeting.iter().step_by(step) {
            let place = self.own(0.5 * (pair.crossing.ends[0] + pair.crossing.ends[1]));
            let slot = if self.solid_is_a { pair.b } else { pair.a };
            self.take(self.solid.deepest(place, self.off, self.surface.corners(slot)))?;
        }
        ControlFlow::Continue(())
    }

    /// Triangles that meet nothing: one clear corner for each group that shares points.
    fn away_from_the_solid(&mut self, pairs: &[(u32, u32)]) -> ControlFlow<()> {
        let surface = self.surface;
        let numbers: Vec<u32> = (0..surface.points.len() as u32).collect();
        let mut groups = lowest_of_equal(&numbers, |number| surface.points[number as usize]);
        let mut met = vec![false; surface.triangles.len()];
        pairs.iter().for_each(|&(slot, _)| met[slot as usize] = true);
        let free = || (0..).zip(&surface.triangles).filter(|&(slot, _): &(u32, _)| !met[slot as usize]);
        for (_, &[p, q, r]) in free() {
            join(&mut groups, p, q);
            join(&mut groups, q, r);
        }
        // Decided groups, queried points, and how many of those were inconclusive.
        let (mut known, mut asked, mut unclear) =
            (vec![false; surface.points.len()], vec![false; surface.points.len()], 0);
        for (slot, triangle) in free() {
            let group = find(&mut groups, triangle[0]) as usize;
            for &p in triangle {
                if known[group] || asked[p as usize] || unclear > REGION_PROBES {
                    continue;
                }
                asked[p as usize] = true;
                let probe = self.solid.probe(surface.points[p as usize], 0.0);
                known[group] = probe.is_clear;
                unclear += usize::from(!probe.is_clear);
                self.take(probe.overlap)?;
            }
            if !known[group] {
                self.doubt(slot);
            }
        }
        ControlFlow::Continue(())
    }

    /// A triangle of the surface that meets some of the solid's, by slot.
    fn next_to_the_solid(&mut self, pairs: &[(u32, u32)]) -> ControlFlow<()> {
        let meshes = self.meshes;
        let pair = &meshes.pair;
        let corners = |of_a: bool, slot: u32| if of_a { pair.a.corners(slot) } else { pair.placed(slot) };
        let slot = pairs[0].0;
        let triangle = corners(!self.solid_is_a, slot);
        let met: Vec<[DVec3; 3]> = pairs.iter().map(|&(_, solid)| corners(self.solid_is_a, solid)).collect();
        let is_in_front = |[a, b, c]: &[DVec3; 3]| triangle.iter().all(|&p| !orient3d(*a, *b, *c, p).is_negative());
        if met.iter().all(is_in_front) {
            let own = if self.has_shells { &self.surface.corners(slot)[..] } else { &[] };
            return own.iter().try_for_each(|&corner| self.take(self.solid.overlap(corner, 0.0)));
        }
        let met = &met[..met.len().min(REGION_CUTTERS)];
        let (mut done, mut is_clear) = (ControlFlow::Continue(()), true);
        sample_regions(&triangle, met, |point| {
            // Coordinates are rounded by up to 5u each.
            let probe = self.solid.probe(self.own(point), self.off + 16.0 * UNIT_ROUNDOFF * point.length());
            is_clear &= probe.is_clear;
            done = self.take(probe.overlap);
            done
        });
        if !is_clear {
            self.doubt(slot);
        }
        done
    }

    /// Searches for a point clear of the solid's boundary in triangles with points that are not: where it may be
    /// deepest.
    fn halve_undecided(&mut self) -> ControlFlow<()> {
        let mut open: BinaryHeap<Open<[DVec3; 3]>> = BinaryHeap::new();
        let mut probes = 0;
        let mut next: Vec<[DVec3; 3]> = self.undecided.iter().map(|&slot| self.surface.corners(slot)).collect();
        loop {
            for corners in next.drain(..) {
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                let size = corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max);
                // Halves and thirds of sums, in up to as many steps as there are digits.
                let reach = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
                let probe = self.solid.probe(middle, self.off + 64.0 * UNIT_ROUNDOFF * reach);
                self.take(probe.overlap)?;
                if self.best.is_some() {
                    return ControlFlow::Break(());
                }
                probes += 1;
                open.push(Open { bound: probe.depth + size, number: probes, piece: corners });
            }
            match open.pop() {
                // Nothing is deeper than rounding anywhere.
                Some(Open { bound, piece: [a, b, c], .. }) if bound > self.off && probes < REGION_PROBES => {
                    let [d, e, f] = [(b + c) / 2.0, (c + a) / 2.0, (a + b) / 2.0];
                    next.extend([[a, f, e], [f, b, d], [e, d, c], [d, e, f]]);
                }
                _ => return ControlFlow::Continue(()),
            }
        }
    }
}
