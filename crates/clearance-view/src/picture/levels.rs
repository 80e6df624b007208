//! The volumes of trees, level by level: the parts, drawn once, and over each copy the outlines of a level.

use std::fmt::Write;

use clearance::glam::{DVec2, DVec3};
use clearance_check::Error;
use clearance_check::output::escape::markup;

use super::labels::base64;
use super::sheets::Scene as Sheets;
use super::view::View;
use super::{Body, Class, encoded};
use crate::{NodeState, Scene, SceneTree};

/// One panel, in pixels, and how many stand side by side at most.
const PANEL: [u32; 2] = [340, 260];
const ACROSS: usize = 4;
/// The space around the parts in a panel, in all, and below for the caption.
const AROUND: DVec2 = DVec2::new(28.0, 20.0);
const CAPTION: f64 = 26.0;
/// The height of the title and of a line of the legend.
const TITLE: f64 = 56.0;
const LINE: f64 = 22.0;
/// The colours of the first and the second tree: on the page, A and B.
const COLOURS: [&str; 2] = ["#d6303a", "#2467d6"];
/// A segment is tested for being seen every so many pixels.
const STEP: f64 = 3.0;

impl Scene {
    /// A picture of some levels of the trees of a scene, as SVG: a panel for each. Where a query visited the trees, only
    /// volumes that it reached are drawn, those that it pruned fainter. Leaves are drawn at their own level and below.
    ///
    /// # Errors
    /// [`Error::Usage`] if the scene has no trees, a reference is not valid, or the image cannot be encoded.
    ///
    /// ```
    /// use clearance::{Mesh, Pose};
    /// use clearance_view::{NodeState, Scene, ScenePart, SceneNode, SceneTree, SceneTrees};
    /// let triangle = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let part = ScenePart { name: "a triangle".into(), mesh: 0, pose: Pose::IDENTITY };
    /// let outline = vec![[[0.0; 3], [1.0, 1.0, 0.0]]];
    /// let root = SceneNode { level: 0, is_leaf: true, state: NodeState::Unreached, outline };
    /// let trees = vec![SceneTree { part: 0, name: "one box".into(), nodes: vec![root] }];
    /// let trees = Some(SceneTrees { trees, visits: Vec::new() });
    /// let scene = Scene { meshes: vec![triangle], parts: vec![part], trees, ..Scene::default() };
    /// let picture = scene.draw_levels(&[0])?;
    /// assert!(picture.starts_with("<svg") && picture.contains("level 0: 1 volume<"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw_levels(&self, levels: &[u32]) -> Result<String, Error> {
        let missing = || Error::Usage("the picture: the scene has no trees".into());
        let trees = self.trees.as_ref().ok_or_else(missing)?;
        crate::pack::check(self)?;
        let with_tree = |part: usize| trees.trees.iter().any(|tree| tree.part == part);
        let triangles: Vec<Vec<[u32; 3]>> = self.meshes.iter().map(clearance::Mesh::triangles).collect();
        let bodies: Vec<Body<'_>> = (self.parts.iter().zip(0..))
            .filter(|(_, number)| with_tree(*number))
            .map(|(part, _)| Body {
                points: self.meshes[part.mesh].points().map(|it| part.pose.transform_point(it).to_array()).collect(),
                triangles: &triangles[part.mesh],
                class: Class::Plain,
            })
            .collect();
        let of_level = |tree: &SceneTree, level: u32| -> Vec<([DVec3; 2], NodeState)> {
            let pose = &self.parts[tree.part].pose;
            let shown = tree.nodes.iter().filter(|node| node.level == level || node.is_leaf && node.level < level);
            let placed = |ends: [[f64; 3]; 2]| ends.map(|end| pose.transform_point(DVec3::from_array(end)));
            shown.flat_map(|node| node.outline.iter().map(move |&ends| (placed(ends), node.state))).collect()
        };
        let was_visited = !trees.visits.is_empty();
        let mut points: Vec<DVec3> = super::points(&bodies).collect();
        for &level in levels {
            points.extend(trees.trees.iter().flat_map(|tree| of_level(tree, level)).flat_map(|(ends, _)| ends));
        }
        let size = DVec2::new(f64::from(PANEL[0]), f64::from(PANEL[1]));
        let view = View::around(&points, &[], self.up, size, AROUND, CAPTION);
        let mut sheets = Sheets::new(PANEL[0], PANEL[1]);
        bodies.iter().enumerate().for_each(|(number, body)| sheets.add(body, number, false, &view));
        let image = encoded(&sheets, PANEL).map_err(|error| Error::Usage(format!("the picture: {error}")))?;

        let columns = levels.len().clamp(1, ACROSS);
        let wide = size.x * columns as f64;
        let high = TITLE + size.y * levels.len().div_ceil(columns) as f64 + LINE * trees.trees.len() as f64 + 14.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" \
             height=\"{high}\" \
             font-family=\"ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
             <defs><image id=\"parts\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/></defs>\n\
             <rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>\n\
             <text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"600\" fill=\"#16191d\">{}</text>\n\
             <text x=\"16\" y=\"44\" fill=\"#58616c\">{}</text>\n",
            PANEL[0],
            PANEL[1],
            base64(&image),
            markup(&self.title),
            markup(&self.verdict),
        );
        for (number, &level) in levels.iter().enumerate() {
            let at = DVec2::new((number % columns) as f64, (number / columns) as f64) * size + DVec2::new(0.0, TITLE);
            let _ = writeln!(out, "<g transform=\"translate({} {})\"><use href=\"#parts\"/>", at.x, at.y);
            let mut counts = Vec::new();
            for (tree, colour) in trees.trees.iter().zip(COLOURS) {
                let segments = of_level(tree, level);
                let shown = tree.nodes.iter().filter(|node| node.level == level || node.is_leaf && node.level < level);
                counts.push(shown.filter(|node| !was_visited || node.state != NodeState::Unreached).count());
                let faint = if was_visited { 0.5 } else { 1.0 };
                for (state, opacity) in
                    [(NodeState::Pruned, faint), (NodeState::Opened, 1.0), (NodeState::Unreached, 1.0)]
                {
                    if state == NodeState::Unreached && was_visited {
                        continue;
                    }
                    let own = segments.iter().filter(|(_, of)| *of == state).map(|(ends, _)| *ends);
                    lines(&mut out, own, colour, opacity, &view, &sheets);
                }
            }
            if let Some([p, q]) = self.findings.first().and_then(|finding| finding.points) {
                witness(&mut out, [p, q].map(|point| view.place(point).truncate()));
            }
            let all: usize = counts.iter().sum();
            let counted = counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" + ");
            let (reached, volumes) =
                (if was_visited { " reached" } else { "" }, if all == 1 { "volume" } else { "volumes" });
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#333\">level {level}: {counted} {volumes}{reached}\
                 </text></g>",
                size.x / 2.0,
                size.y - 8.0
            );
        }
        for (number, (tree, colour)) in trees.trees.iter().zip(COLOURS).enumerate() {
            let y = high - 14.0 - LINE * (trees.trees.len() - number) as f64 + LINE / 2.0;
            let _ = writeln!(
                out,
                "<rect x=\"16\" y=\"{}\" width=\"16\" height=\"10\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>\
                 <text x=\"40\" y=\"{}\" fill=\"#333\">{}</text>",
                y - 5.0,
                y + 4.5,
                markup(&tree.name)
            );
        }
        Ok(out + "</svg>\n")
    }
}

/// Segments as two paths: what is in front of the parts, and, hardly seen, what is behind.
fn lines(
    out: &mut String,
    segments: impl Iterator<Item = [DVec3; 2]>,
    colour: &str,
    opacity: f64,
    view: &View,
    sheets: &Sheets,
) {
    let mut paths = [String::new(), String::new()];
    for ends in segments {
        let [from, to] = ends.map(|end| view.place(end.to_array()));
        let steps = ((to - from).truncate().length() / STEP).ceil().clamp(1.0, 400.0) as u32;
        let at = |k: u32| from.lerp(to, f64::from(k) / f64::from(steps));
        let is_seen = |k: u32| sheets.is_seen(0.5 * (at(k) + at(k + 1)));
        let mut start = 0;
        for k in 1..=steps {
            if k == steps || is_seen(k) != is_seen(start) {
                let (p, q) = (at(start), at(k));
                let path = &mut paths[usize::from(!is_seen(start))];
                let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", p.x, p.y, q.x, q.y);
                start = k;
            }
        }
    }
    for (path, share) in paths.iter().zip([1.0, 0.18]).filter(|(path, _)| !path.is_empty()) {
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.9\" stroke-opacity=\"{:.2}\"/>",
            0.9 * share * opacity
        );
    }
}

/// The points of the answer, and the line between them.
fn witness(out: &mut String, [p, q]: [DVec2; 2]) {
    let line = format!("M{:.1} {:.1}L{:.1} {:.1}", p.x, p.y, q.x, q.y);
    for (colour, width) in [("#fff", 5.0), ("#101317", 2.2)] {
        let _ = write!(
            out,
            "<path d=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\"/>"
        );
    }
    for DVec2 { x, y } in [p, q] {
        let _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"#101317\"/>");
    }
    out.push('\n');
}
