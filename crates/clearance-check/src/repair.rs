//! Parts that are not closed, made solids within a tolerance: whether that is wanted, and what was done.
//!
//! A repaired body has two sets of triangles. Those of the file decide whether and where surfaces meet, and how far apart they
//! are. The repaired solid says what is inside, how deep, how much, and which way out. No point of the one set is farther than
//! `d` from the other, which is proved ([`Mesh::repaired`]), so a local depth taken from repaired solids is off by at most
//! `d_A + d_B`:
//!
//! Let `x` be a point of A's triangles that lies inside the solid B, at a distance `s` from B's triangles. A point `x'` of the
//! repaired surface of A is within `d_A` of it, and the repaired surface of B is no nearer to `x'` than `s - d_A - d_B`. If that
//! is positive, no surface of B lies between `x` and `x'`: both are inside. So the repaired solids are at least so deep in each
//! other. The same holds with the two sets exchanged.

use std::fmt;
use std::str::FromStr;

use clearance::glam::DVec3;
use clearance::{Mesh, Shape};
use clearance_files::Unit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::REPAIR_OF_SIZE;
use crate::output::count;
use crate::quantity::Length;

/// Whether parts that are not closed are repaired, and within what tolerance.
///
/// ```
/// use clearance_check::Repair;
/// assert_eq!(Repair::default(), Repair::Off);
/// assert_eq!("auto".parse(), Ok(Repair::Auto));
/// let within: Repair = "0.5mm".parse()?;
/// assert_eq!(within.to_string(), "0.5 mm");
/// assert!("some".parse::<Repair>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Repair {
    /// Not at all: they are surfaces.
    #[default]
    Off,
    /// Within a thousandth of the diagonal of the box about each part.
    Auto,
    /// Within this length. Without a unit of its own it is in that of the parts.
    Within(Length),
}

impl Repair {
    /// What becomes of a mesh that is no solid, whose points are in `unit`; nothing if it is not to be repaired.
    ///
    /// # Errors
    /// Where the length has a unit and the mesh has none, or the engine refuses it.
    ///
    /// ```
    /// use clearance::Mesh;
    /// use clearance_check::Repair;
    /// // A tetrahedron, one face of which is oriented the wrong way round.
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let given = Mesh::new(&points, &[[0, 1, 2], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    /// let outcome = Repair::Auto.of(&given, None)?.unwrap();
    /// assert_eq!((outcome.solid.unwrap().distance, outcome.counts.flipped), (0.0, 1));
    /// assert!(Repair::Off.of(&given, None)?.is_none());
    /// # Ok::<(), String>(())
    /// ```
    pub fn of(self, mesh: &Mesh, unit: Option<Unit>) -> Result<Option<RepairOutcome>, String> {
        self.tolerance(mesh, unit)?.map(|tolerance| repair(mesh, tolerance)).transpose()
    }

    /// Within what length a mesh is repaired, in the unit of the parts; nothing if it is not.
    fn tolerance(self, mesh: &Mesh, unit: Option<Unit>) -> Result<Option<f64>, String> {
        match self {
            Repair::Off => Ok(None),
            Repair::Auto => Ok(Some(REPAIR_OF_SIZE * Shape::Mesh(mesh.clone()).bounds().size().length())),
            Repair::Within(length) => length.in_unit(unit).map(Some),
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::Off => f.write_str("off"),
            Repair::Auto => f.write_str("auto"),
            Repair::Within(length) => length.fmt(f),
        }
    }
}

impl FromStr for Repair {
    type Err = String;

    fn from_str(text: &str) -> Result<Repair, String> {
        match text {
            "off" => Ok(Repair::Off),
            "auto" => Ok(Repair::Auto),
            _ => {
                let wrong = |problem| format!("expected `off`, `auto` or a length: {problem}");
                text.parse().map(Repair::Within).map_err(wrong)
            }
        }
    }
}

impl TryFrom<String> for Repair {
    type Error = String;

    fn try_from(text: String) -> Result<Repair, String> {
        text.parse()
    }
}

impl From<Repair> for String {
    fn from(repair: Repair) -> String {
        repair.to_string()
    }
}

/// What a repair did to a geometry, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepairCounts {
    /// Points joined to others.
    pub joined: u64,
    /// Triangles dropped: without area, there twice, or collapsed as points were joined.
    pub dropped: u64,
    /// Triangles cut at points of others next to their edges.
    pub split: u64,
    /// Triangles turned over, so that all are consistently oriented, and shells outward.
    pub flipped: u64,
    /// Edges of several shells that were separated.
    pub parted: u64,
    /// Holes closed by new triangles.
    pub filled: u64,
}

/// What keeps a geometry from being a solid after a repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOpen {
    /// Holes too wide to be closed.
    pub holes: u64,
    /// The length of the rim of the largest of them.
    pub longest_rim: f64,
    /// Edges of three or more triangles.
    pub non_manifold_edges: u64,
    /// Triangles without area, too far from all others to be dropped.
    pub stray_triangles: u64,
}

impl LeftOpen {
    /// What is left to do, in words, if it is anything.
    pub(crate) fn words(&self) -> Option<String> {
        let counted = [
            (self.holes, "hole", ""),
            (self.non_manifold_edges, "edge", " of three or more triangles"),
            (self.stray_triangles, "stray triangle", " without area"),
        ];
        let counted = counted.into_iter().filter(|(number, ..)| *number > 0);
        let words: Vec<String> = counted.map(|(number, what, of)| count(number, what) + of).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// What became of a body that was not closed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairOutcome {
    /// Within what length it was repaired, in the unit of the parts.
    pub tolerance: f64,
    /// The repaired solid, if it is one. Where it covers the same points as the triangles given, [`Body`](crate::Body) has it in their
    /// place, and nothing here.
    pub solid: Option<RepairedSolid>,
    /// What was done. A body that stays open is used as it was given.
    pub counts: RepairCounts,
    /// What is left to do.
    pub left: LeftOpen,
}

/// The solid that is used in place of triangles that are not closed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairedSolid {
    /// Its triangles.
    pub mesh: Mesh,
    /// The same, as the engine is asked about it.
    pub shape: Shape,
    /// Proved: no point of the triangles given is farther from those used, nor the other way round.
    pub distance: f64,
}

/// Thinner than this part of its size, what a repair closed is nothing but a sheet with two sides, and rounding.
const THIN_OF_SIZE: f64 = 1e-9;

/// Whether a solid is thicker than a repair moved a point: what is not bounds nothing that was given. The volume of a plate is its thickness
/// times half its surface.
fn is_thick(solid: &Mesh, distance: f64) -> bool {
    let points: Vec<DVec3> = solid.points().collect();
    let origin = points.first().copied().unwrap_or_default();
    let (mut volume, mut area) = (0.0, 0.0);
    for face in solid.triangles() {
        let [a, b, c] = face.map(|corner| points[corner as usize] - origin);
        let normal = (b - a).cross(c - a);
        volume += a.dot(normal) / 6.0;
        area += 0.5 * normal.length();
    }
    let size = Shape::Mesh(solid.clone()).bounds().size().length();
    volume > 0.5 * area * (distance + THIN_OF_SIZE * size)
}

/// A mesh repaired.
///
/// # Errors
/// The engine's words for a tolerance it refuses.
fn repair(mesh: &Mesh, tolerance: f64) -> Result<RepairOutcome, String> {
    let repaired = mesh.repaired(tolerance).map_err(|error| error.to_string())?;
    let report = &repaired.report;
    let count = |list: usize| list as u64;
    let counts = RepairCounts {
        joined: count(report.joined.len()),
        dropped: count(report.zero_area.len() + report.duplicates.len() + report.collapsed.len()),
        split: count(report.split.len()),
        flipped: count(report.flipped.len()),
        parted: count(report.parted_edges.len()),
        filled: count(report.filled.len()),
    };
    let distance = report.distance;
    let is_solid = repaired.mesh.is_solid() && is_thick(&repaired.mesh, distance);
    // What closes a sheet lies on it: its rim is a hole all the same.
    let filled = report.filled.iter().filter(|_| !is_solid).map(|hole| &hole.rim);
    let rims: Vec<f64> = report.holes.iter().chain(filled).map(|rim| rim.length).collect();
    let left = LeftOpen {
        holes: count(rims.len()),
        longest_rim: rims.into_iter().fold(0.0, f64::max),
        non_manifold_edges: count(report.non_manifold_edges.len()),
        stray_triangles: count(report.stray.len()),
    };
    let solid =
        is_solid.then(|| RepairedSolid { shape: Shape::Mesh(repaired.mesh.clone()), mesh: repaired.mesh, distance });
    Ok(RepairOutcome { tolerance, solid, counts, left })
}
