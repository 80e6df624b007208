//! A scene: the content of a page as plain data, and the page filled with it.

use clearance::{Mesh, Pose};
use clearance_check::output::escape::markup;
use clearance_check::{Error, Kind, Loop};
use serde::Serialize;

use crate::SceneTrees;
use crate::pack;

/// The page with slots for title, data and geometry. `cargo xtask viewer` builds it.
const PAGE: &str = include_str!("../page/viewer.html");

/// What a page shows.
///
/// ```
/// use clearance::{Mesh, Pose};
/// use clearance_view::{Budget, Scene, ScenePart};
///
/// let triangle = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let part = ScenePart { name: "a triangle".into(), mesh: 0, pose: Pose::IDENTITY };
/// let scene = Scene { title: "One part".into(), meshes: vec![triangle], parts: vec![part], ..Scene::default() };
/// let page = scene.page(&Budget::default())?;
/// assert!(page.starts_with("<!doctype html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    /// The title, such as the name of a file.
    pub title: String,
    /// The verdict, in one line.
    pub verdict: String,
    /// Statistics, line by line.
    pub summary: Vec<String>,
    /// Notes for the reader: what was left out, and why.
    pub notes: Vec<String>,
    /// Tables below the list of findings: what is allowed, what was repaired, and the like.
    pub tables: Vec<SceneTable>,
    /// The unit of the lengths of findings.
    pub unit: Option<String>,
    /// The factor from lengths of meshes and poses to the unit of the findings.
    pub scale: f64,
    /// The vertical axis: 0, 1 or 2.
    pub up: usize,
    /// The meshes of the parts, each once, as they were tested.
    pub meshes: Vec<Mesh>,
    /// The parts.
    pub parts: Vec<ScenePart>,
    /// The findings, worst first.
    pub findings: Vec<SceneFinding>,
    /// The motion of parts, if any.
    pub timeline: Option<Timeline>,
    /// Parts that deform over the timeline.
    pub deformations: Vec<Deformation>,
    /// Trees over the parts, and what a query visited of them, if that is shown.
    pub trees: Option<SceneTrees>,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            title: String::new(),
            verdict: String::new(),
            summary: Vec::new(),
            notes: Vec::new(),
            tables: Vec::new(),
            unit: None,
            scale: 1.0,
            up: 2,
            meshes: Vec::new(),
            parts: Vec::new(),
            findings: Vec::new(),
            timeline: None,
            deformations: Vec::new(),
            trees: None,
        }
    }
}

/// A table of text.
///
/// ```
/// use clearance_view::{Scene, SceneTable};
/// let rows = vec![vec!["bolt".into(), "2 holes".into()]];
/// let table = SceneTable { title: "Open parts".into(), columns: vec!["part".into(), "why".into()], rows };
/// assert_eq!(Scene { tables: vec![table], ..Scene::default() }.tables[0].rows.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneTable {
    /// The title.
    pub title: String,
    /// The column headers.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// A part of a scene.
#[derive(Clone, Debug)]
pub struct ScenePart {
    /// Its name.
    pub name: String,
    /// The number of its mesh in the scene.
    pub mesh: usize,
    /// From mesh to world; of a moving part, in the first frame.
    pub pose: Pose,
}

/// The kind of a finding, for colours and filters.
///
/// ```
/// use clearance_check::Kind;
/// use clearance_view::SceneKind;
/// assert_eq!(SceneKind::from(Kind::Hard), SceneKind::Hard);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SceneKind {
    /// An overlap.
    Hard,
    /// The same geometry in the same place.
    Duplicate,
    /// Too close.
    Clearance,
    /// In contact.
    Touching,
    /// A measurement, not a fault.
    Measured,
}

impl From<Kind> for SceneKind {
    fn from(kind: Kind) -> SceneKind {
        match kind {
            Kind::Hard => SceneKind::Hard,
            Kind::Duplicate => SceneKind::Duplicate,
            Kind::Clearance => SceneKind::Clearance,
            Kind::Touching => SceneKind::Touching,
        }
    }
}

/// A number and its proof: `lower <= truth <= upper`.
///
/// ```
/// use clearance_view::Proved;
/// assert_eq!(Proved::new(2.5, 2.0, 3.0).upper, 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proved {
    /// The number.
    pub value: f64,
    /// Not less than this.
    pub lower: f64,
    /// Not more than this.
    pub upper: f64,
}

impl Proved {
    /// A number between its bounds.
    pub fn new(value: f64, lower: f64, upper: f64) -> Proved {
        Proved { value, lower, upper }
    }
}

/// A finding about two parts. Lengths and points are in world coordinates, in the unit of the scene.
#[derive(Clone, Debug)]
pub struct SceneFinding {
    /// Unique and stable from run to run; links to the finding end in it.
    pub id: String,
    /// What it is.
    pub kind: SceneKind,
    /// The number of the part that is A.
    pub a: usize,
    /// The number of the part that is B.
    pub b: usize,
    /// Findings with equal groups are shown together.
    pub group: String,
    /// The finding in one sentence.
    pub sentence: String,
    /// The signed gap; negative if they overlap.
    pub gap: Option<Proved>,
    /// How deep they overlap.
    pub depth: Option<Proved>,
    /// How much they have in common.
    pub volume: Option<Proved>,
    /// A point of A and a point of B: the nearest, or a common one.
    pub points: Option<[[f64; 3]; 2]>,
    /// Where the surfaces meet.
    pub loops: Vec<Loop>,
    /// Moving B by this separates the parts.
    pub way_out: Option<[f64; 3]>,
    /// What the parts have in common.
    pub overlap: Option<Mesh>,
    /// The frame of the timeline it belongs to.
    pub frame: Option<usize>,
    /// Further details: names and values.
    pub details: Vec<(String, String)>,
}

impl SceneFinding {
    /// An empty finding about two parts.
    ///
    /// ```
    /// use clearance_view::{SceneFinding, SceneKind}; let finding = SceneFinding { sentence: "too close".into(),
    /// ..SceneFinding::new("pin-plate", SceneKind::Clearance, 0, 1) }; assert_eq!((finding.a, finding.b, finding.gap),
    /// (0, 1, None));
    /// ```
    pub fn new(id: impl Into<String>, kind: SceneKind, a: usize, b: usize) -> SceneFinding {
        SceneFinding {
            id: id.into(),
            kind,
            a,
            b,
            group: String::new(),
            sentence: String::new(),
            gap: None,
            depth: None,
            volume: None,
            points: None,
            loops: Vec::new(),
            way_out: None,
            overlap: None,
            frame: None,
            details: Vec::new(),
        }
    }
}

/// The motion of parts: the poses in each frame. Nothing is shown between frames.
///
/// ```
/// use clearance::Pose;
/// use clearance_view::{Timeline, Track};
/// let track = Track { part: 0, poses: vec![Pose::IDENTITY; 3] };
/// let timeline = Timeline { label: "s".into(), times: vec![0.0, 0.5, 1.0], tracks: vec![track] };
/// assert_eq!(timeline.tracks[0].poses.len(), timeline.times.len());
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The label of the times: `t`, `s`.
    pub label: String,
    /// The time of each frame, ascending.
    pub times: Vec<f64>,
    /// The parts that move.
    pub tracks: Vec<Track>,
}

/// A part that moves.
#[derive(Clone, Debug)]
pub struct Track {
    /// The number of the part.
    pub part: usize,
    /// Its pose in each frame.
    pub poses: Vec<Pose>,
}

/// A part whose points move on straight lines, from those of its mesh at time 0 to these at time 1. No other part may
/// use the mesh, and the times of the timeline are between 0 and 1.
///
/// ```
/// use clearance_view::Deformation;
/// let lifted = Deformation { part: 0, end: vec![[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]] };
/// assert_eq!(lifted.end.len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Deformation {
    /// The number of the part.
    pub part: usize,
    /// The points at time 1, in the order of the mesh.
    pub end: Vec<[f64; 3]>,
}

/// The size limits of a page. What exceeds them is left out of the view or the list, and a note on the page says so.
///
/// ```
/// use clearance_view::Budget;
/// assert!(Budget { findings: 10, ..Budget::default() }.triangles > 1_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Triangles of distinct meshes.
    pub triangles: usize,
    /// Triangles drawn, counting instances.
    pub drawn: usize,
    /// Findings, worst first.
    pub findings: usize,
    /// Corners of contact loops and triangles of overlaps, in all.
    pub marks: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { triangles: 2_000_000, drawn: 10_000_000, findings: 5_000, marks: 1_000_000 }
    }
}

impl Scene {
    /// The page.
    ///
    /// # Errors
    /// [`Error::Usage`] if a finding, a part or a track refers to something missing, or a number is not finite.
    pub fn page(&self, budget: &Budget) -> Result<String, Error> {
        self.page_in(PAGE, budget)
    }

    /// The page with the slots of a template filled, each once and in this order.
    fn page_in(&self, template: &str, budget: &Budget) -> Result<String, Error> {
        let packed = pack::pack(self, budget)?;
        let slots = [("@@title@@", markup(&self.title)), ("@@data@@", packed.data), ("@@geometry@@", packed.geometry)];
        let mut page = String::with_capacity(template.len() + slots.iter().map(|(_, text)| text.len()).sum::<usize>());
        let mut rest = template;
        for (slot, text) in &slots {
            let problem =
                || Error::Usage(format!("the page template has no {slot}: rebuild it with `cargo xtask viewer`"));
            let (before, after) = rest.split_once(slot).ok_or_else(problem)?;
            page += before;
            page += text;
            rest = after;
        }
        Ok(page + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_this_crate_has_every_slot_once() {
        assert!(PAGE.starts_with("<!doctype html>") && !PAGE.contains('\r'));
        for slot in ["@@title@@", "@@data@@", "@@geometry@@"] {
            assert_eq!(PAGE.matches(slot).count(), 1, "{slot}");
        }
        assert!(Scene::default().page(&Budget::default()).is_ok());
    }

    #[test]
    fn slots_are_filled_in_order_and_text_is_escaped() {
        let scene = Scene { title: "<b> & \"c\"".into(), ..Scene::default() };
        let template = "<title>@@title@@</title><data>@@data@@</data><bytes>@@geometry@@</bytes>end";
        let page = scene.page_in(template, &Budget::default()).unwrap();
        assert!(
            page.starts_with("<title>&lt;b&gt; &amp; &quot;c&quot;</title><data>{") && page.ends_with("</bytes>end")
        );
        let damaged = scene.page_in("@@title@@", &Budget::default()).unwrap_err();
        assert!(damaged.to_string().contains("@@data@@"), "{damaged}");
    }
}
