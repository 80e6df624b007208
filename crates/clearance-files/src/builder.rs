//! What all readers build with: geometries, parts, notes.
//!
//! A part's transform that is a rigid motion becomes a pose, kept bit for bit. Any other is baked: the geometry is
//! copied and its points transformed. To share as much as can be, only what a pose cannot hold is baked:
//! - a uniform scale, mirrored or not, times a rotation: the points are scaled, the rest is the pose. Scales that
//!   differ by no more than 64 units in the last place, as products of the same scale with different rotations do,
//!   share one copy, since what is left over (1.5e-14) goes into the matrix of the pose and is accounted for there;
//! - anything else: the linear part is baked, the translation is the pose.
//!
//! A transform that mirrors turns the winding round, so that what was outside stays outside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clearance::Pose;
use clearance::glam::{DMat3, DVec3};

use crate::assembly::{Assembly, Geometry, Part, Unit};
use crate::error::{Fault, Place};
use crate::limits::{Budget, Limits};
use crate::note::{NoteKind, Notes};

/// Scales this close, in units in the last place, share one copy.
const SAME_SCALE: u64 = 64;

/// An assembly in the making.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    /// The file; for messages, and for what lies beside it.
    pub path: &'a Path,
    /// True if files beside it may be opened.
    pub may_open: bool,
    /// Length of the file.
    pub length: usize,
    pub budget: Budget,
    pub notes: Notes,
    pub unit: Option<Unit>,
    geometries: Vec<Geometry>,
    parts: Vec<Part>,
    /// Copies that were scaled, by geometry, mirrored or not, and the bits of the scale.
    scaled: BTreeMap<(usize, bool, u64), usize>,
    /// Copies that were transformed, by geometry and the bits of the matrix.
    transformed: BTreeMap<(usize, [u64; 9]), usize>,
}

impl<'a> Builder<'a> {
    pub fn new(path: &'a Path, length: usize, limits: &Limits, may_open: bool) -> Builder<'a> {
        Builder {
            path,
            may_open,
            length,
            budget: Budget::new(limits, length),
            notes: Notes::new(path),
            unit: None,
            geometries: Vec::new(),
            parts: Vec::new(),
            scaled: BTreeMap::new(),
            transformed: BTreeMap::new(),
        }
    }

    /// The file's name without its ending.
    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Adds a geometry whose indices are in range and whose points are finite.
    pub fn geometry(&mut self, geometry: Geometry, place: Place) -> Result<usize, Fault> {
        let Geometry { points, triangles, .. } = &geometry;
        let (mut used, mut flat) = (vec![false; points.len()], 0);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| &points[corner as usize]);
            flat += u64::from(a == b || b == c || c == a);
            triangle.iter().for_each(|&corner| used[corner as usize] = true);
        }
        let unused = used.iter().filter(|&&used| !used).count() as u64;
        self.counted_geometry(geometry, flat, unused, place)
    }

    /// Adds a geometry as [`Builder::geometry`] does, of which the reader has counted the triangles with two corners at
    /// the same point and the points that no triangle uses.
    pub fn counted_geometry(
        &mut self,
        geometry: Geometry,
        flat: u64,
        unused: u64,
        place: Place,
    ) -> Result<usize, Fault> {
        let Geometry { points, triangles, .. } = &geometry;
        if u32::try_from(points.len()).is_err() || u32::try_from(triangles.len()).is_err() {
            return Err(Fault::unsupported(place, "more than 4294967295 points or triangles in one part"));
        }
        let what = "triangles with two corners at the same point; kept";
        self.notes.add(NoteKind::Degenerate, what, place.clone(), flat);
        self.notes.add(NoteKind::Ignored, "points that no triangle uses; kept", place, unused);
        self.geometries.push(geometry);
        Ok(self.geometries.len() - 1)
    }

    /// Adds a part of a geometry that is placed as it is.
    pub fn part(&mut self, name: String, geometry: usize, place: Place) -> Result<(), Fault> {
        self.placed(name, geometry, DMat3::IDENTITY, DVec3::ZERO, place)
    }

    /// Adds a part; its points are `linear * point + translation`.
    pub fn placed(
        &mut self,
        name: String,
        geometry: usize,
        linear: DMat3,
        translation: DVec3,
        place: Place,
    ) -> Result<(), Fault> {
        self.budget.name(name.len()).map_err(|over| over.at(&place))?;
        if !(linear.is_finite() && translation.is_finite()) {
            return Err(Fault::new(place, "a transform that is not finite"));
        }
        let too_large = |error: clearance::Error, place: &Place| {
            Fault::unsupported(place.clone(), format!("the engine refuses this transform: {error}"))
        };
        let (geometry, pose) = match Pose::new(linear, translation) {
            Ok(pose) => (geometry, pose),
            Err(clearance::Error::NotRigid { .. }) => {
                self.notes.add(NoteKind::Baked, "transforms that scale, shear or mirror", place.clone(), 1);
                match self.scaled(geometry, linear, translation, &place)? {
                    Some(found) => found,
                    None => {
                        let pose = Pose::from_translation(translation).map_err(|error| too_large(error, &place))?;
                        (self.transformed(geometry, linear, &place)?, pose)
                    }
                }
            }
            Err(error) => return Err(too_large(error, &place)),
        };
        self.parts.push(Part { name, geometry, pose });
        Ok(())
    }

    /// The scaled copy and the pose, if the matrix is a rotation times a scale.
    fn scaled(
        &mut self,
        geometry: usize,
        linear: DMat3,
        translation: DVec3,
        place: &Place,
    ) -> Result<Option<(usize, Pose)>, Fault> {
        let squares = [linear.x_axis, linear.y_axis, linear.z_axis].map(|column| column.length_squared());
        let scale = ((squares[0] + squares[1] + squares[2]) / 3.0).sqrt();
        if !scale.is_normal() || !scale.recip().is_normal() {
            return Ok(None);
        }
        let mirrored = linear.determinant() < 0.0;
        let (low, high) = (scale.to_bits().saturating_sub(SAME_SCALE), scale.to_bits().saturating_add(SAME_SCALE));
        let known = self.scaled.range((geometry, mirrored, low)..=(geometry, mirrored, high)).next();
        let known = known.map(|(&(_, _, bits), &copy)| (f64::from_bits(bits), copy));
        let size = known.map_or(scale, |(size, _)| size);
        let factor = if mirrored { -size } else { size };
        let Ok(pose) =
            Pose::new(DMat3::from_cols_array(&linear.to_cols_array().map(|entry| entry / factor)), translation)
        else {
            return Ok(None);
        };
        let copy = match known {
            Some((_, copy)) => copy,
            None => {
                let copy = self.copy(geometry, mirrored, |point| point * factor, place)?;
                self.scaled.insert((geometry, mirrored, size.to_bits()), copy);
                copy
            }
        };
        Ok(Some((copy, pose)))
    }

    /// The copy under a matrix that is not a rotation times a scale.
    fn transformed(&mut self, geometry: usize, linear: DMat3, place: &Place) -> Result<usize, Fault> {
        let key = (geometry, linear.to_cols_array().map(f64::to_bits));
        if let Some(&copy) = self.transformed.get(&key) {
            return Ok(copy);
        }
        let copy = self.copy(geometry, linear.determinant() < 0.0, |point| linear * point, place)?;
        self.transformed.insert(key, copy);
        Ok(copy)
    }

    /// A copy of a geometry with its points moved.
    fn copy(
        &mut self,
        geometry: usize,
        mirrored: bool,
        to: impl Fn(DVec3) -> DVec3,
        place: &Place,
    ) -> Result<usize, Fault> {
        let Geometry { name, points, triangles } = &self.geometries[geometry];
        self.budget.geometry(points.len(), triangles.len()).map_err(|over| over.at(place))?;
        let points: Vec<[f64; 3]> = points.iter().map(|&point| to(DVec3::from_array(point)).to_array()).collect();
        if points.iter().flatten().any(|part| !part.is_finite()) {
            return Err(Fault::new(place.clone(), "a transform that makes coordinates infinite"));
        }
        let turn = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = triangles.iter().map(turn).collect();
        let name = format!("{name}{}", if mirrored { " (mirrored)" } else { " (scaled)" });
        self.geometries.push(Geometry { name, points, triangles });
        Ok(self.geometries.len() - 1)
    }

    /// The assembly; `None` if there is no triangle in it.
    pub fn finish(mut self) -> Result<Assembly, Notes> {
        self.drop_unused();
        let Builder { mut notes, unit, geometries, mut parts, .. } = self;
        if parts.is_empty() {
            return Err(notes);
        }
        let renamed = make_unique(&mut parts);
        notes.add(NoteKind::Renamed, "parts with the name of another: `#2`, `#3` ... added", Place::File, renamed);
        let mut assembly = Assembly { geometries, parts, unit, notes: Vec::new() };
        if let Some(hint) = assembly.unit_hint() {
            notes.add(NoteKind::Unit, &format!("the file names none; {hint}"), Place::File, 1);
        }
        assembly.notes = notes.into_vec();
        Ok(assembly)
    }

    /// Drops geometries that no part shows (those that were only copied) or that have no triangles, with their parts.
    fn drop_unused(&mut self) {
        let geometries = &self.geometries;
        let before = self.parts.len();
        self.parts.retain(|part| !geometries[part.geometry].triangles.is_empty());
        let empty = before - self.parts.len();
        self.notes.add(NoteKind::Dropped, "parts without triangles", Place::File, empty as u64);
        let used: BTreeSet<usize> = self.parts.iter().map(|part| part.geometry).collect();
        let mut new = vec![0; self.geometries.len()];
        used.iter().enumerate().for_each(|(index, &old)| new[old] = index);
        self.parts.iter_mut().for_each(|part| part.geometry = new[part.geometry]);
        let mut index = 0;
        self.geometries.retain(|_| {
            index += 1;
            used.contains(&(index - 1))
        });
    }
}

/// Makes the names of the parts unique: the second of a name gets `#2`, unless a part is called that already. Returns
/// how many were changed.
fn make_unique(parts: &mut [Part]) -> u64 {
    let given: BTreeSet<String> = parts.iter().map(|part| part.name.clone()).collect();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    let mut renamed = 0;
    for part in parts {
        let Some(number) = last.get_mut(&part.name) else {
            last.insert(part.name.clone(), 1);
            continue;
        };
        let name = loop {
            *number += 1;
            let name = format!("{}#{number}", part.name);
            if !given.contains(&name) {
                break name;
            }
        };
        part.name = name;
        renamed += 1;
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_triangle() -> (Builder<'static>, usize) {
        let mut builder = Builder::new(Path::new("x.glb"), 100, &Limits::default(), false);
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let geometry = Geometry { name: "triangle".into(), points, triangles: vec![[0, 1, 2]] };
        let index = builder.geometry(geometry, Place::File).unwrap();
        (builder, index)
    }

    #[test]
    fn rigid_parts_share_and_keep_their_matrix() {
        let (mut builder, index) = with_triangle();
        let turn = DMat3::from_rotation_x(0.3);
        for step in 0..3 {
            builder.placed("bolt".into(), index, turn, DVec3::X * f64::from(step), Place::File).unwrap();
        }
        let assembly = builder.finish().unwrap();
        assert_eq!(assembly.geometries.len(), 1);
        assert_eq!(
            assembly.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(),
            ["bolt", "bolt#2", "bolt#3"]
        );
        assert!(assembly.parts.iter().all(|part| part.pose.rotation() == turn));
        assert_eq!(assembly.triangles(), 3);
    }

    #[test]
    fn one_scale_under_many_rotations_is_one_copy() {
        let (mut builder, index) = with_triangle();
        for step in 0..200 {
            let turn = DMat3::from_rotation_y(0.1 * f64::from(step)) * DMat3::from_rotation_x(f64::from(step));
            builder.placed("bolt".into(), index, turn * 0.001, DVec3::ZERO, Place::File).unwrap();
        }
        let assembly = builder.finish().unwrap();
        assert_eq!(assembly.geometries.len(), 1);
        assert!((assembly.geometries[0].points[2][1] - 0.002).abs() < 1e-17);
        assert!(assembly.parts.iter().all(|part| part.pose.defect() < 1e-13));
    }

    #[test]
    fn mirrors_turn_the_winding_and_shears_are_baked() {
        let (mut builder, index) = with_triangle();
        let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Z);
        for linear in [mirror, shear, shear, DMat3::ZERO] {
            builder.placed("part".into(), index, linear, DVec3::Y, Place::File).unwrap();
        }
        let assembly = builder.finish().unwrap();
        assert_eq!(assembly.geometries.len(), 3);
        assert_eq!(assembly.geometries[0].triangles, [[0, 2, 1]]);
        for (part, linear) in assembly.parts.iter().zip([mirror, shear, shear, DMat3::ZERO]) {
            let geometry = &assembly.geometries[part.geometry];
            for (point, original) in geometry.points.iter().zip([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]) {
                let world = part.pose.transform_point(DVec3::from_array(*point));
                assert_eq!(world, linear * DVec3::from_array(original) + DVec3::Y);
            }
        }
    }

    #[test]
    fn unfit_transforms_are_refused() {
        let (mut builder, index) = with_triangle();
        let mut refused =
            |linear, translation| builder.placed("part".into(), index, linear, translation, Place::File).is_err();
        assert!(refused(DMat3::from_diagonal(DVec3::splat(f64::NAN)), DVec3::ZERO));
        assert!(refused(DMat3::IDENTITY, DVec3::splat(1e80)));
        assert!(refused(DMat3::from_diagonal(DVec3::new(1.0, 1e308, 1.0)), DVec3::ZERO));
    }

    #[test]
    fn copies_are_limited() {
        let limits = Limits { geometry: 0, ..Limits::default() };
        let mut builder = Builder::new(Path::new("x.glb"), 10, &limits, false);
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let geometry = Geometry { name: "triangle".into(), points, triangles: vec![[0, 1, 2]] };
        let index = builder.geometry(geometry, Place::File).unwrap();
        let refused = (1..100).find(|&step| {
            let scale = DMat3::from_diagonal(DVec3::splat(1.0 + f64::from(step)));
            builder.placed("part".into(), index, scale, DVec3::ZERO, Place::File).is_err()
        });
        assert_eq!(refused, Some(8), "640 bytes hold seven copies of 84");
    }

    #[test]
    fn names_that_look_like_made_ones_stay() {
        let (mut builder, index) = with_triangle();
        for name in ["a", "a#2", "a", "a", "a#2"] {
            builder.part(name.into(), index, Place::File).unwrap();
        }
        let assembly = builder.finish().unwrap();
        let names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["a", "a#2", "a#3", "a#4", "a#2#2"]);
    }
}
