//! A picture of several runs as SVG: the start, a row of snapshots for each run, and depth and energy over time.

use std::fmt::Write;

use clearance::glam::{DVec2, DVec3};

use crate::bodies::Body;
use crate::chart::{self, Chart, Steps};
use crate::record::{Run, is_through};
use crate::visible::{FINE, Seen, View, Window};

/// Sizes of the snapshots, of the start, and of the space between them.
const SHOT: DVec2 = DVec2::new(190.0, 172.0);
const START: DVec2 = DVec2::new(190.0, 300.0);
const GAP: f64 = 8.0;
const MARGIN: f64 = 16.0;
/// Height of a title, and of the line below a snapshot.
const TITLE: f64 = 24.0;
const BELOW: f64 = 24.0;
/// Units of the picture for a metre.
const SCALE: f64 = 740.0;

/// Colours of letters (after Tol) and of runs (after Okabe and Ito), distinguishable for most readers.
const LETTERS: [[f64; 3]; 6] = [
    [68.0, 119.0, 170.0],
    [238.0, 102.0, 119.0],
    [34.0, 136.0, 51.0],
    [221.0, 190.0, 60.0],
    [102.0, 190.0, 225.0],
    [170.0, 51.0, 119.0],
];
pub const RUNS: [&str; 3] = ["#0072b2", "#d55e00", "#8a4fbe"];
const BOWL: [f64; 3] = [205.0, 213.0, 222.0];

/// Words below the first snapshot.
const WORDS: [&str; 9] = [
    "Letters of wood fall into a",
    "bowl with a wall of 1.5 mm.",
    "",
    "Forces, collisions and steps",
    "are the same in all rows; only",
    "what is taken for the depth of",
    "an overlap differs.",
    "",
    "Red: reaches through the wall.",
];

/// All runs in one picture. The first snapshot, common to all, is shown once.
pub fn picture(runs: &[Run]) -> String {
    let columns = runs.iter().map(|run| run.snapshots.len()).max().unwrap_or(1) as f64;
    let width = 2.0 * MARGIN + columns * (SHOT.x + GAP) - GAP;
    let row = TITLE + SHOT.y + BELOW;
    let charts = MARGIN + runs.len() as f64 * row + GAP;
    let height = charts + chart::HEIGHT + GAP;
    let mut page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#333\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let start = Frame { name: "start", size: START, middle: 0.135 };
    let later = Frame { name: "later", size: SHOT, middle: 0.058 };
    if let Some(shot) = runs.first().and_then(|run| run.snapshots.first()) {
        [&start, &later].iter().for_each(|frame| frame.define_bowl(&mut page, &shot.bodies));
        start.draw(&mut page, [MARGIN, MARGIN + TITLE], &shot.bodies);
        text(&mut page, [MARGIN, MARGIN + 15.0], "font-size=\"14\" font-weight=\"bold\"", "The start");
        for (number, words) in WORDS.iter().enumerate() {
            text(&mut page, [MARGIN, MARGIN + TITLE + START.y + 26.0 + 17.0 * number as f64], "", words);
        }
    }
    for (number, run) in runs.iter().enumerate() {
        let top = MARGIN + number as f64 * row;
        let style = format!("font-size=\"14\" font-weight=\"bold\" fill=\"{}\"", RUNS[number % RUNS.len()]);
        text(&mut page, [MARGIN + SHOT.x + GAP, top + 15.0], &style, run.depth.title());
        for (column, shot) in run.snapshots.iter().enumerate().skip(1) {
            let left = MARGIN + column as f64 * (SHOT.x + GAP);
            later.draw(&mut page, [left, top + TITLE], &shot.bodies);
            let said = format!("{:.2} s, deepest {} mm", shot.time, millimetres(shot.deepest));
            text(&mut page, [left + SHOT.x / 2.0, top + TITLE + SHOT.y + 15.0], "text-anchor=\"middle\"", &said);
        }
    }
    let wide = (width - 2.0 * MARGIN - 2.0 * GAP) / 2.0;
    let depth = Chart { title: "Deepest overlap, mm", steps: Steps::Tens, left: MARGIN, top: charts, wide };
    depth.draw(&mut page, runs, |moment| 1e3 * moment.deepest);
    let energy = Chart { title: "Energy, mJ", steps: Steps::Fifties, left: MARGIN + wide + 2.0 * GAP, ..depth };
    energy.draw(&mut page, runs, |moment| 1e3 * moment.energy);
    page + "</svg>\n"
}

/// A length in millimetres, to about two digits.
pub fn millimetres(metres: f64) -> String {
    let length = 1e3 * metres;
    let digits = if length >= 9.95 { 0 } else { 1 };
    format!("{length:.digits$}")
}

pub fn text(page: &mut String, [x, y]: [f64; 2], style: &str, words: &str) {
    let _ = writeln!(page, "<text x=\"{x:.0}\" y=\"{y:.0}\" {style}>{words}</text>");
}

/// The part of the world shown in a snapshot.
struct Frame {
    name: &'static str,
    size: DVec2,
    /// The world height at the centre.
    middle: f64,
}

impl Frame {
    fn view(&self, bodies: &[Body]) -> View {
        let window = Window { middle: self.middle * DVec3::Z, scale: SCALE, size: self.size };
        // The outside of the bowl: downward, or away from the axis.
        let is_glass = |body: &Body, out: DVec3, at: DVec3| {
            body.is_fixed() && (out.z < -0.01 || out.truncate().dot(at.truncate()) > 0.0)
        };
        View::new(bodies, is_glass, &window)
    }

    /// The bowl alone, inside and glass, shared by all snapshots.
    fn define_bowl(&self, page: &mut String, bodies: &[Body]) {
        let bowl: Vec<Body> = bodies.iter().filter(|body| body.is_fixed()).cloned().collect();
        let view = self.view(&bowl);
        let _ = writeln!(page, "<defs>\n<g id=\"inside-{}\">", self.name);
        for face in &view.faces {
            let fill = shaded(BOWL, face.normal);
            path(page, &face.path, &format!("fill=\"{fill}\" stroke=\"{fill}\""));
        }
        let glass = "fill-opacity=\".3\" stroke=\"#667\" stroke-opacity=\".35\" stroke-width=\"1.5\"";
        let _ = writeln!(page, "</g>\n<g id=\"glass-{}\" {glass}>", self.name);
        for face in &view.glass {
            path(page, &face.path, &format!("fill=\"{}\"", shaded(BOWL, face.normal)));
        }
        page.push_str("</g>\n</defs>\n");
    }

    /// Draws bodies. The bowl is drawn whole: letters cover it where they are in front.
    fn draw(&self, page: &mut String, [left, top]: [f64; 2], bodies: &[Body]) {
        let view = self.view(bodies);
        let _ = writeln!(
            page,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#f4f6f8\"/>\n\
             <g transform=\"translate({left} {top}) scale({})\" fill-rule=\"evenodd\" stroke-linejoin=\"round\">\n\
             <use href=\"#inside-{}\"/>",
            self.size.x,
            self.size.y,
            1.0 / FINE,
            self.name
        );
        for is_behind in [true, false] {
            let is_there = |face: &&Seen| face.is_behind == is_behind && !bodies[face.body].is_fixed();
            for face in view.faces.iter().filter(is_there) {
                let fill = shaded(LETTERS[(face.body - 1) % LETTERS.len()], face.normal);
                path(page, &face.path, &format!("fill=\"{fill}\" stroke=\"{fill}\""));
            }
            if is_behind {
                let _ = writeln!(page, "<use href=\"#glass-{}\"/>", self.name);
            }
        }
        for (body, rim) in view.rims.iter().filter(|(body, _)| !bodies[*body].is_fixed()) {
            let line = if is_through(&bodies[*body]) {
                "stroke=\"#e00000\" stroke-width=\"6\""
            } else {
                "stroke=\"#222\" stroke-opacity=\".55\" stroke-width=\"2\""
            };
            path(page, rim, &format!("fill=\"none\" {line}"));
        }
        page.push_str("</g>\n");
    }
}

fn path(page: &mut String, outline: &str, style: &str) {
    let _ = writeln!(page, "<path d=\"{outline}\" {style}/>");
}

/// A colour lit by a lamp at the upper left behind the eye.
fn shaded(colour: [f64; 3], normal: DVec3) -> String {
    let light = 0.62 + 0.42 * normal.dot(DVec3::new(-0.4, 0.7, 0.6)).max(0.0);
    let [r, g, b] = colour.map(|part| (part * light).min(255.0).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
