//! What a file holds: parts, each a geometry and where it is.

use clearance::Pose;
use clearance::glam::DVec3;

use crate::error::{Error, Place};
use crate::note::{Note, NoteKind};
use crate::weld::weld;

/// A unit of length.
///
/// ```
/// use clearance_files::Unit;
/// assert_eq!(Unit::Inch.metres(), 0.0254);
/// assert_eq!("mm".parse(), Ok(Unit::Millimetre));
/// assert_eq!(Unit::Millimetre.to_string(), "mm");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// A millionth of a metre.
    Micrometre,
    /// A thousandth of a metre.
    Millimetre,
    /// A hundredth of a metre.
    Centimetre,
    /// 0.0254 metres.
    Inch,
    /// 0.3048 metres.
    Foot,
    /// The metre.
    Metre,
}

impl Unit {
    const ALL: [(Unit, &'static str, f64); 6] = [
        (Unit::Micrometre, "um", 1e-6),
        (Unit::Millimetre, "mm", 1e-3),
        (Unit::Centimetre, "cm", 1e-2),
        (Unit::Inch, "in", 0.0254),
        (Unit::Foot, "ft", 0.3048),
        (Unit::Metre, "m", 1.0),
    ];

    fn entry(self) -> (Unit, &'static str, f64) {
        Unit::ALL[self as usize]
    }

    /// How long it is, in metres.
    ///
    /// ```
    /// assert_eq!(clearance_files::Unit::Millimetre.metres(), 0.001);
    /// ```
    pub fn metres(self) -> f64 {
        self.entry().2
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.entry().1)
    }
}

impl std::str::FromStr for Unit {
    type Err = String;

    fn from_str(word: &str) -> Result<Unit, String> {
        let found = Unit::ALL.iter().find(|(_, name, _)| *name == word);
        found.map(|&(unit, ..)| unit).ok_or_else(|| format!("`{word}` is not a unit; expected um, mm, cm, in, ft or m"))
    }
}

/// A surface of triangles, in a frame of its own. What the file said is kept: triangles without extent, points that no
/// triangle uses and points that lie on one another are all there, and reported in [`Assembly::notes`].
///
/// ```
/// use clearance::{Mesh, Shape};
/// use clearance_files::Geometry;
///
/// let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let geometry = Geometry { name: "triangle".into(), points, triangles: vec![[0, 1, 2]] };
/// let mesh = Mesh::new(&geometry.points, &geometry.triangles).unwrap();
/// assert_eq!(geometry.bounds(), Some([[0.0; 3], [1.0, 1.0, 0.0]]));
/// # let _ = mesh;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// What the file calls it; not always unique, may be empty.
    pub name: String,
    /// Points, all finite.
    pub points: Vec<[f64; 3]>,
    /// Triangles by their corners, each an index into `points`.
    pub triangles: Vec<[u32; 3]>,
}

impl Geometry {
    /// The least and the greatest coordinates; `None` without points.
    ///
    /// ```
    /// assert_eq!(clearance_files::Geometry::default().bounds(), None);
    /// ```
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        bounds(self.points.iter().copied())
    }

    /// Removes triangles with two corners on the same point, as welding can make them, and says how many there were.
    ///
    /// ```
    /// use clearance_files::Geometry;
    /// let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mut geometry = Geometry { name: String::new(), points, triangles: vec![[0, 1, 2], [0, 1, 1]] };
    /// assert_eq!(geometry.remove_collapsed(), 1);
    /// assert_eq!(geometry.triangles, [[0, 1, 2]]);
    /// ```
    pub fn remove_collapsed(&mut self) -> u64 {
        let before = self.triangles.len();
        self.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        (before - self.triangles.len()) as u64
    }
}

fn bounds(mut points: impl Iterator<Item = [f64; 3]>) -> Option<[[f64; 3]; 2]> {
    let first = points.next()?;
    // None is NaN, so that plain comparisons do.
    let least = |a: f64, b: f64| if a < b { a } else { b };
    let greatest = |a: f64, b: f64| if a > b { a } else { b };
    Some(points.fold([first, first], |[low, high], point| {
        [
            std::array::from_fn(|axis| least(point[axis], low[axis])),
            std::array::from_fn(|axis| greatest(point[axis], high[axis])),
        ]
    }))
}

/// One instance of a geometry.
///
/// ```
/// use clearance::Pose;
/// use clearance_files::Part;
/// let part = Part { name: "gearbox/bolt#2".into(), geometry: 0, pose: Pose::IDENTITY };
/// assert_eq!(part.name, "gearbox/bolt#2");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Unique in the assembly, and the same whenever the same file is read: the names of the nodes from the root to the
    /// part with `/` between them. The second part of one name ends in `#2`, the third in `#3`.
    pub name: String,
    /// Index of its geometry in [`Assembly::geometries`].
    pub geometry: usize,
    /// From the frame of the geometry to that of the assembly.
    pub pose: Pose,
}

/// What a file holds.
///
/// ```
/// use clearance_files::{Format, Limits, read_bytes};
///
/// let text = b"o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 2 0 0\nf 2 4 3\n";
/// let assembly = read_bytes(text, "two.obj", Format::Obj, &Limits::default()).unwrap();
/// let names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
/// assert_eq!(names, ["left", "right"]);
/// assert_eq!(assembly.unit, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// The surfaces. Each is there once, however many parts show it.
    pub geometries: Vec<Geometry>,
    /// The parts, in the order of the file.
    pub parts: Vec<Part>,
    /// The unit of all lengths, if the file or its format names one: never a guess. See [`Assembly::unit_hint`].
    pub unit: Option<Unit>,
    /// All that was not passed on as it stands in the file.
    pub notes: Vec<Note>,
}

impl Assembly {
    /// How many triangles all parts have together, each instance counted.
    ///
    /// ```
    /// assert_eq!(clearance_files::Assembly::default().triangles(), 0);
    /// ```
    pub fn triangles(&self) -> u64 {
        self.parts
            .iter()
            .filter_map(|part| self.geometries.get(part.geometry))
            .map(|it| it.triangles.len() as u64)
            .sum()
    }

    /// All parts as one mesh, placed where they are, in their order. Parts share no points, even where those coincide.
    ///
    /// ```
    /// use clearance_files::{Format, Limits, read_bytes};
    /// let text = b"o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 2 0 0\nf 2 4 3\n";
    /// let whole = read_bytes(text, "two.obj", Format::Obj, &Limits::default()).unwrap().as_one();
    /// assert_eq!((whole.points.len(), whole.triangles.len()), (6, 2));
    /// ```
    pub fn as_one(&self) -> Geometry {
        let mut whole = Geometry::default();
        for part in &self.parts {
            let Some(geometry) = self.geometries.get(part.geometry) else { continue };
            let first = whole.points.len() as u32;
            let placed = |&point: &[f64; 3]| part.pose.transform_point(DVec3::from_array(point)).to_array();
            whole.points.extend(geometry.points.iter().map(placed));
            whole.triangles.extend(geometry.triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        }
        whole
    }

    /// A box around the parts: around the placed boxes of their geometries, so exact where parts are not turned. `None`
    /// without parts.
    ///
    /// ```
    /// assert_eq!(clearance_files::Assembly::default().bounds(), None);
    /// ```
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let boxes: Vec<_> = self.geometries.iter().map(Geometry::bounds).collect();
        let corners = self.parts.iter().filter_map(|part| Some((part, (*boxes.get(part.geometry)?)?))).flat_map(
            |(part, [low, high])| {
                (0..8).map(move |corner: usize| {
                    let point =
                        std::array::from_fn(|axis| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] });
                    part.pose.transform_point(DVec3::from_array(point)).to_array()
                })
            },
        );
        bounds(corners)
    }

    /// Where the file names no unit: how large the whole is and what that looks like, for a person to decide.
    ///
    /// ```
    /// use clearance_files::{Format, Limits, read_bytes};
    ///
    /// let text = b"v 0 0 0\nv 412 0 0\nv 412 230 77\nf 1 2 3\n";
    /// let assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
    /// assert_eq!(assembly.unit_hint().unwrap(), "box 412 x 230 x 77: looks like mm; use --unit");
    /// ```
    pub fn unit_hint(&self) -> Option<String> {
        if self.unit.is_some() {
            return None;
        }
        let [low, high] = self.bounds()?;
        let [x, y, z] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let longest = f64::max(x, f64::max(y, z));
        let guess = match longest {
            _ if longest >= 100.0 => "looks like mm",
            _ if longest <= 5.0 => "looks like m",
            _ => "could be mm, cm, in or m",
        };
        Some(format!("box {} x {} x {}: {guess}; use --unit", short(x), short(y), short(z)))
    }

    /// Welds every geometry (see [`weld`]) and notes what that joined.
    ///
    /// # Errors
    /// [`Error::BadTolerance`].
    ///
    /// ```
    /// use clearance_files::{Format, Limits, NoteKind, read_bytes};
    ///
    /// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 4 5 6\n";
    /// let mut assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
    /// assembly.weld(0.0).unwrap();
    /// assert_eq!(assembly.geometries[0].triangles, [[0, 1, 2], [2, 1, 3]]);
    /// assert!(assembly.notes.iter().any(|note| note.kind == NoteKind::Welded && note.count == 2));
    /// ```
    pub fn weld(&mut self, tolerance: f64) -> Result<(), Error> {
        let (mut merged, mut collapsed) = (0, 0);
        for geometry in &mut self.geometries {
            let welded = weld(geometry, tolerance)?;
            merged += welded.merged;
            collapsed += welded.collapsed;
        }
        let path = self.notes.first().map(|note| note.path.clone()).unwrap_or_default();
        let mut note = |kind, count, what: String| {
            if count > 0 {
                self.notes.push(Note { kind, path: path.clone(), place: Place::File, count, what });
            }
        };
        note(NoteKind::Welded, merged, format!("points joined with others at a tolerance of {tolerance}"));
        note(NoteKind::Degenerate, collapsed, "triangles with two corners joined by welding; kept".into());
        Ok(())
    }
}

/// A length with four digits that count, as short as it can be written.
fn short(length: f64) -> String {
    let rounded: f64 = format!("{length:.3e}").parse().unwrap_or(length);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded) { format!("{rounded}") } else { format!("{rounded:e}") }
}
