//! The common region of two solids, as a surface for display.
//!
//! Its boundary is that of A inside B, and that of B inside A. Each triangle is cut along the segments where it meets
//! the other solid, so that every piece is entirely inside or outside; a piece is kept if its centroid is inside. Of
//! coplanar faces those of A are kept, and only if both solids are behind them.
//!
//! For display only: cuts are rounded. The volume that the pieces enclose is compared with a proved one, and a surface
//! that is off by more than [`OFF`] of it is not drawn.

use std::collections::BTreeMap;

use clearance::answer::{Contacts, PlaneSide};
use clearance::glam::DVec3;
use clearance::query::{ContactsOptions, contacts_with};
use clearance::shape::Aabb;
use clearance::{Mesh, PairCache, Pose, Shape, Workspace, signed_distance};

use crate::Proved;

/// The largest difference between the drawn and the proved volume, relative to it.
const OFF: f64 = 0.01;
/// The largest number of pieces of a triangle.
const PIECES: usize = 4096;
/// Lengths below this fraction of the size count as zero.
const NEAR: f64 = 1e-9;

type Placed<'m> = (&'m Mesh, &'m Pose);

/// The surface of the common region of two solids, in world coordinates scaled by a factor. `None` if they are not
/// solids, if it has too many triangles, or if it does not enclose the proved `volume`, in that unit.
pub(crate) fn common(a: Placed<'_>, b: Placed<'_>, scale: f64, volume: Proved, most: usize) -> Option<Mesh> {
    if !(a.0.is_solid() && b.0.is_solid() && volume.lower > 0.0) {
        return None;
    }
    let (shape_a, shape_b) = (Shape::Mesh(a.0.clone()), Shape::Mesh(b.0.clone()));
    let mut contacts = Contacts::default();
    let (options, mut cache, mut workspace) = (ContactsOptions::default(), PairCache::default(), Workspace::default());
    contacts_with(&shape_a, a.1, &shape_b, b.1, &options, &mut cache, &mut workspace, &mut contacts);
    let (mut cuts_a, mut cuts_b) = (Cuts::default(), Cuts::default());
    let (corners_a, corners_b) = (corners(a), corners(b));
    for crossing in &contacts.crossings {
        let (i, j) = (crossing.triangle_a, crossing.triangle_b);
        if (crossing.side_of_a, crossing.side_of_b) == (PlaneSide::In, PlaneSide::In) {
            let sides = |[p, q, r]: [DVec3; 3]| [[p, q], [q, r], [r, p]];
            cuts_a.entry(i).or_default().extend(sides(corners_b[j as usize]));
            cuts_b.entry(j).or_default().extend(sides(corners_a[i as usize]));
        } else {
            let ends = crossing.ends_in_a.map(|end| a.1.transform_point(end));
            cuts_a.entry(i).or_default().push(ends);
            cuts_b.entry(j).or_default().push(ends);
        }
    }
    let mut surface = Surface { most, ..Surface::default() };
    surface.add(&corners_a, &cuts_a, (&shape_b, b.1), true)?;
    surface.add(&corners_b, &cuts_b, (&shape_a, a.1), false)?;
    surface.points.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
    let enclosed = surface.volume();
    let room = OFF * volume.upper;
    if enclosed < volume.lower - room || enclosed > volume.upper + room {
        return None;
    }
    Mesh::new(&surface.points, &surface.triangles).ok()
}

/// For triangles the segments along which they are cut.
type Cuts = BTreeMap<u32, Vec<[DVec3; 2]>>;

/// The corners of all triangles in the world.
fn corners((mesh, pose): Placed<'_>) -> Vec<[DVec3; 3]> {
    let points: Vec<DVec3> = mesh.points().map(|point| pose.transform_point(point)).collect();
    mesh.triangles().iter().map(|triangle| triangle.map(|corner| points[corner as usize])).collect()
}

/// Triangles, equal points joined.
#[derive(Default)]
struct Surface {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    known: BTreeMap<[u64; 3], u32>,
    most: usize,
}

impl Surface {
    /// The pieces of one solid's surface that are in another.
    fn add(&mut self, corners: &[[DVec3; 3]], cuts: &Cuts, other: (&Shape, &Pose), is_first: bool) -> Option<()> {
        let bounds = other.0.bounds().posed(other.1);
        for (number, triangle) in (0..).zip(corners) {
            let Some(normal) = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).try_normalize() else {
                continue;
            };
            if is_clear(triangle, &bounds) {
                continue;
            }
            let cuts = cuts.get(&number).map_or(&[][..], Vec::as_slice);
            for piece in pieces(triangle, normal, cuts)? {
                if is_boundary(&piece, normal, other, is_first) {
                    self.fan(&piece)?;
                }
            }
        }
        Some(())
    }

    fn fan(&mut self, piece: &[DVec3]) -> Option<()> {
        let numbers: Vec<u32> = piece.iter().map(|point| self.number(*point)).collect();
        let [first, rest @ ..] = &numbers[..] else { return Some(()) };
        self.triangles.extend(rest.windows(2).map(|side| [*first, side[0], side[1]]));
        (self.triangles.len() <= self.most).then_some(())
    }

    fn number(&mut self, point: DVec3) -> u32 {
        let next = self.points.len() as u32;
        let number = *self.known.entry(point.to_array().map(f64::to_bits)).or_insert(next);
        if number == next {
            self.points.push(point.to_array());
        }
        number
    }

    /// What the surface encloses.
    fn volume(&self) -> f64 {
        let point = |corner: u32| DVec3::from_array(self.points[corner as usize]);
        let Some(origin) = self.points.first().map(|point| DVec3::from_array(*point)) else { return 0.0 };
        let of = |[p, q, r]: &[u32; 3]| (point(*p) - origin).dot((point(*q) - origin).cross(point(*r) - origin)) / 6.0;
        self.triangles.iter().map(of).sum()
    }
}

/// Whether a triangle is outside a box.
fn is_clear(triangle: &[DVec3; 3], bounds: &Aabb) -> bool {
    let (low, high) = (triangle[0].min(triangle[1]).min(triangle[2]), triangle[0].max(triangle[1]).max(triangle[2]));
    low.cmpgt(bounds.max).any() || high.cmplt(bounds.min).any()
}

/// Whether a piece of one solid's surface bounds what it has in common with the other.
fn is_boundary(piece: &[DVec3], normal: DVec3, (solid, pose): (&Shape, &Pose), is_first: bool) -> bool {
    let middle = piece.iter().sum::<DVec3>() / piece.len() as f64;
    let size = solid.bounds().size().length();
    let found = signed_distance(solid, pose, middle);
    if found.distance.value.abs() > NEAR * size {
        return found.distance.value < 0.0;
    }
    // Faces that lie on each other: a little behind this one, is it inside?
    is_first && signed_distance(solid, pose, middle - 100.0 * NEAR * size * normal).distance.value < 0.0
}

/// A triangle cut along segments: convex pieces with a common plane. `None` if there are too many.
fn pieces(triangle: &[DVec3; 3], normal: DVec3, cuts: &[[DVec3; 2]]) -> Option<Vec<Vec<DVec3>>> {
    let mut pieces = vec![triangle.to_vec()];
    let near = NEAR * (triangle[1] - triangle[0]).length().max((triangle[2] - triangle[0]).length());
    for &[from, to] in cuts {
        let along = to - from;
        let length = along.length();
        if length <= near {
            continue;
        }
        let across = normal.cross(along / length);
        let mut cut = Vec::with_capacity(pieces.len() + 1);
        for piece in pieces {
            if runs_through(&piece, normal, [from, to], near) {
                let off = |point: &DVec3| (*point - from).dot(across);
                cut.extend([1.0, -1.0].map(|side| half(&piece, |point| side * off(point), near)).into_iter().flatten());
            } else {
                cut.push(piece);
            }
        }
        if cut.len() > PIECES {
            return None;
        }
        pieces = cut;
    }
    Some(pieces)
}

/// Whether a segment has more than a point in common with the inside of a convex piece.
fn runs_through(piece: &[DVec3], normal: DVec3, [from, to]: [DVec3; 2], near: f64) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = piece.iter().zip(piece.iter().cycle().skip(1));
    for (p, q) in sides {
        let Some(inward) = normal.cross(q - p).try_normalize() else { continue };
        // Pulled in a little, so that a segment along a side does not cut.
        let (at_from, at_to) = ((from - p).dot(inward) - near, (to - p).dot(inward) - near);
        match (at_from > 0.0, at_to > 0.0) {
            (true, true) => {}
            (false, false) => return false,
            (false, true) => enter = enter.max(at_from / (at_from - at_to)),
            (true, false) => leave = leave.min(at_from / (at_from - at_to)),
        }
    }
    (leave - enter) * (to - from).length() > near
}

/// The part of a convex piece where a linear function is positive; `None` if there is none to speak of.
fn half(piece: &[DVec3], off: impl Fn(&DVec3) -> f64, near: f64) -> Option<Vec<DVec3>> {
    let mut kept = Vec::with_capacity(piece.len() + 1);
    for (p, q) in piece.iter().zip(piece.iter().cycle().skip(1)) {
        let (at_p, at_q) = (off(p), off(q));
        if at_p >= -near {
            kept.push(*p);
        }
        if (at_p > near && at_q < -near) || (at_p < -near && at_q > near) {
            kept.push(*p + at_p / (at_p - at_q) * (*q - *p));
        }
    }
    (kept.len() >= 3).then_some(kept)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use clearance::overlap_volume;

    use super::*;
    use crate::test_parts::cuboid;

    fn proved((mesh_a, pose_a): Placed<'_>, (mesh_b, pose_b): Placed<'_>) -> Proved {
        let (a, b) = (Shape::Mesh(mesh_a.clone()), Shape::Mesh(mesh_b.clone()));
        let volume = overlap_volume(&a, pose_a, &b, pose_b).unwrap();
        Proved::new(volume.volume.value, volume.volume.lower, volume.volume.upper)
    }

    /// The volume of what is drawn, as a share of what was proved.
    fn share(a: Placed<'_>, b: Placed<'_>) -> f64 {
        let volume = proved(a, b);
        let mesh = common(a, b, 1.0, volume, 100_000).unwrap_or_else(|| panic!("nothing is drawn of {volume:?}"));
        let mut surface = Surface { most: usize::MAX, ..Surface::default() };
        surface.points = mesh.points().map(|point| point.to_array()).collect();
        surface.triangles = mesh.triangles();
        surface.volume() / volume.value
    }

    /// A closed star with a hollow between any two of its points.
    fn star(points: u32, height: f64) -> Mesh {
        let count = 2 * points;
        let corner = |i: u32, z: f64| {
            let (angle, radius) = (TAU * f64::from(i) / f64::from(count), if i.is_multiple_of(2) { 2.0 } else { 0.8 });
            [radius * angle.cos(), radius * angle.sin(), z]
        };
        let mut corners: Vec<[f64; 3]> = (0..count).flat_map(|i| [corner(i, 0.0), corner(i, height)]).collect();
        corners.extend([[0.0; 3], [0.0, 0.0, height]]);
        let triangles: Vec<[u32; 3]> = (0..count)
            .flat_map(|i| {
                let (p, q) = (2 * i, 2 * ((i + 1) % count));
                [[p, q, q + 1], [p, q + 1, p + 1], [2 * count, q, p], [2 * count + 1, p + 1, q + 1]]
            })
            .collect();
        Mesh::new(&corners, &triangles).unwrap().solid().unwrap()
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_translation(DVec3::new(x, y, z)).unwrap()
    }

    #[test]
    fn the_surface_encloses_what_was_proved() {
        let (large, small) = (cuboid(DVec3::ONE), cuboid(DVec3::new(0.25, 0.5, 0.75)));
        let home = Pose::IDENTITY;
        let near = |share: f64| assert!((share - 1.0).abs() < 1e-9, "{share}");
        // A corner; through and through; inside; with faces in one plane, on the same side; twice the same.
        for place in [at(1.0, 1.1, 0.9), at(0.3, 0.2, 1.0), at(0.0, 0.1, 0.2), at(0.75, 0.0, 0.0)] {
            near(share((&large, &home), (&small, &place)));
            near(share((&small, &place), (&large, &home)));
        }
        near(share((&large, &home), (&large, &home)));
        let (stars, mut met) = ([star(5, 1.0), star(8, 0.7)], 0);
        for i in 0..12 {
            let i = f64::from(i);
            let axis = DVec3::new(i.sin(), (2.0 * i).cos(), 1.0).normalize();
            let turned = Pose::from_axis_angle(axis, 0.4 * i, DVec3::new(0.3, 0.1 * i, 0.2)).unwrap();
            for (a, b) in
                [((&stars[0], &home), (&stars[1], &turned)), ((&stars[1], &turned), (&small, &at(0.2, 0.0, 0.3)))]
            {
                if proved(a, b).lower > 0.0 {
                    near(share(a, b));
                    met += 1;
                }
            }
        }
        assert!(met >= 20, "{met}");
    }

    #[test]
    fn what_would_deceive_is_not_drawn() {
        let (large, home) = (cuboid(DVec3::ONE), Pose::IDENTITY);
        let beside = at(1.5, 0.0, 0.0);
        let volume = proved((&large, &home), (&large, &beside));
        assert!(common((&large, &home), (&large, &beside), 1.0, volume, 100).is_some());
        assert!(common((&large, &home), (&large, &beside), 1.0, volume, 3).is_none(), "too many triangles");
        let thousand = Proved::new(1e9 * volume.value, 1e9 * volume.lower, 1e9 * volume.upper);
        assert!(common((&large, &home), (&large, &beside), 1000.0, thousand, 100).is_some(), "in thousandths");
        let twice = Proved::new(2.0 * volume.value, 2.0 * volume.lower, 2.0 * volume.upper);
        assert!(common((&large, &home), (&large, &beside), 1.0, twice, 100).is_none(), "another volume");
        let touching = at(2.0, 0.0, 0.0);
        assert!(common((&large, &home), (&large, &touching), 1.0, Proved::new(0.0, 0.0, 0.0), 100).is_none());
        let open = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
        assert!(common((&large, &home), (&open, &home), 1.0, volume, 100).is_none(), "not a solid");
    }
}
