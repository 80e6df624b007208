//! Turning parts that are not closed into solids within a tolerance: the setting, and the outcome.
//!
//! A repaired body has two sets of triangles. Those of the file decide whether and where surfaces meet, and how far
//! apart they are. The repaired solid determines what is inside, how deep, the common volume and the way out. No point
//! of either set is farther than `d` from the other, which is proved ([`Mesh::repaired`]), so a local depth computed on
//! repaired solids is off by at most `d_A + d_B`:
//!
//! Let `x` be a point of A's triangles inside the solid B, at distance `s` from B's triangles. A point `x'` of the
//! repaired surface of A is within `d_A` of it, and the repaired surface of B is no closer to `x'` than `s - d_A -
//! d_B`. If that is positive, no surface of B lies between `x` and `x'`: both are inside. So the repaired solids
//! overlap at least that deeply. The same holds with the two sets swapped.

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

/// Whether parts that are not closed are repaired, and within which tolerance.
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
    /// No repair: they are surfaces.
    #[default]
    Off,
    /// Within a thousandth of the diagonal of each part's bounding box.
    Auto,
    /// Within this length; in the unit of the parts unless it has its own.
    Within(Length),
}

impl Repair {
    /// Repairs a mesh that is not a solid, whose points are in `unit`; `None` if it is not to be repaired.
    ///
    /// # Errors
    /// The length has a unit and the mesh has none, or the engine refuses it.
    ///
    /// ```
    /// use clearance::Mesh;
    /// use clearance_check::Repair;
    /// // A tetrahedron with one face wound the wrong way round.
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

    /// The tolerance for a mesh, in the unit of the parts; `None` if it is not to be repaired.
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
    /// Points merged with others.
    pub joined: u64,
    /// Triangles dropped: without area, duplicate, or collapsed by merging points.
    pub dropped: u64,
    /// Triangles split at points of others next to their edges.
    pub split: u64,
    /// Triangles flipped, so that all are consistently wound and shells face outward.
    pub flipped: u64,
    /// Edges of several shells that were separated.
    pub parted: u64,
    /// Holes closed by new triangles.
    pub filled: u64,
}

/// What keeps a geometry from being a solid after repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOpen {
    /// Holes too wide to fill.
    pub holes: u64,
    /// The length of the longest rim among them.
    pub longest_rim: f64,
    /// Edges shared by three or more triangles.
    pub non_manifold_edges: u64,
    /// Triangles without area, too far from all others to be dropped.
    pub stray_triangles: u64,
}

impl LeftOpen {
    /// The remaining defects in words, if any.
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

/// The outcome of repairing a body that was not closed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairOutcome {
    /// The tolerance, in the unit of the parts.
    pub tolerance: f64,
    /// The repaired solid, if it is one. If it covers the same points as the triangles given, [`Body`](crate::Body)
    /// uses it in their place, and this is `None`.
    pub solid: Option<RepairedSolid>,
    /// What was repaired. A body that stays open is used as given.
    pub counts: RepairCounts,
    /// The remaining defects.
    pub left: LeftOpen,
}

/// The solid that replaces triangles that are not closed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairedSolid {
    /// Its triangles.
    pub mesh: Mesh,
    /// The same, as an engine shape.
    pub shape: Shape,
    /// Proved: no point of the triangles as given is farther than this from these, nor vice versa.
    pub distance: f64,
}

/// A closed mesh thinner than this fraction of its size is a two-sided sheet, up to rounding.
const THIN_OF_SIZE: f64 = 1e-9;

/// Whether a solid is thicker than the repair distance: a thinner one bounds nothing that was given. The volume of a
/// plate is its thickness times half its surface area.
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

/// Repairs a mesh.
///
/// # Errors
/// The engine's message for a tolerance it refuses.
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
    // The fill of a sheet lies on it: its rim still counts as a hole.
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
