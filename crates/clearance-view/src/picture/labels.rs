//! What is drawn over the image: rings at the marks, labels at the edges, the legend.

use std::fmt::Write;

use clearance::glam::{DVec2, DVec3};
use clearance_check::Kind;
use clearance_check::output::escape::markup;

use super::view::View;
use super::{LEGEND, Legend, Mark, colour};

/// The image with marks, labels and legend over it.
pub fn svg(image: &[u8], marks: &[Mark], legend: &Legend<'_>, view: &View) -> String {
    let DVec2 { x: width, y: height } = view.size;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" \
         font-family=\"ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
         <defs><clipPath id=\"page\"><rect width=\"{width}\" height=\"{height}\" rx=\"14\"/></clipPath></defs>\n\
         <g clip-path=\"url(#page)\"><rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <image width=\"{width}\" height=\"{height}\" href=\"data:image/png;base64,{}\"/>\n",
        base64(image)
    );
    for side in [-1.0, 1.0] {
        let on_side = |mark: &&Mark| (view.place(mark.point).x >= width / 2.0) == (side > 0.0);
        labels(&mut out, marks.iter().filter(on_side).collect(), side, view);
    }
    let mut x = 24.0;
    for &(kind, count) in legend.counts.iter().filter(|(_, count)| *count > 0) {
        let (y, text) = (height - LEGEND / 2.0, format!("{count} {}", kind.name()));
        let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"{}\"/>", hexadecimal(kind));
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#333\">{text}</text>", x + 12.0, y + 4.5);
        x += 40.0 + text_width(&text);
    }
    if let Some(note) = legend.note {
        let y = height - LEGEND / 2.0 + 4.5;
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#333\">{}</text>", markup(&shortened(note)));
    }
    out + "</g>\n</svg>\n"
}

/// From one line of a label to the next.
const LINE: f64 = 16.0;
/// Letters of a line.
const LONGEST: usize = 44;

/// Marks of one side, their labels in a column at the edge, from top to bottom as the marks are. Marks for whose labels
/// there is no room have none.
fn labels(out: &mut String, mut marks: Vec<&Mark>, side: f64, view: &View) {
    let DVec2 { x: width, y: height } = view.size;
    marks.sort_by(|a, b| view.place(a.point).y.total_cmp(&view.place(b.point).y));
    let tall = |mark: &Mark| LINE * mark.label.lines().count().max(1) as f64 + 14.0;
    let (top, bottom) = (10.0, height - LEGEND - 6.0);
    let mut total = 0.0;
    let fitting = marks.iter().take_while(|mark| {
        total += tall(mark);
        total <= bottom - top
    });
    let count = fitting.count();
    // Each label level with its mark, pushed down by those above, then up by the bottom.
    let mut tops: Vec<f64> = Vec::with_capacity(count);
    for mark in &marks[..count] {
        let wanted = view.place(mark.point).y - tall(mark) / 2.0;
        let above = tops.last().zip(marks.get(tops.len().wrapping_sub(1))).map_or(top, |(&y, above)| y + tall(above));
        tops.push(wanted.max(above));
    }
    let mut limit = bottom;
    for (y, mark) in tops.iter_mut().zip(&marks).rev() {
        *y = y.min(limit - tall(mark));
        limit = *y;
    }
    for (number, mark) in marks.iter().enumerate() {
        let (DVec3 { x, y, .. }, colour) = (view.place(mark.point), hexadecimal(mark.kind));
        if let Some(&label) = tops.get(number) {
            let middle = label + tall(mark) / 2.0;
            let lines: Vec<String> = mark.label.lines().map(shortened).collect();
            let longest = lines.iter().map(|line| text_width(line)).fold(0.0, f64::max);
            let edge = if side < 0.0 { 14.0 } else { width - 14.0 - longest - 16.0 };
            let start = if side < 0.0 { edge + longest + 16.0 } else { edge };
            let ring = if side < 0.0 { x - 11.0 } else { x + 11.0 };
            let path = format!("M{start:.1} {middle:.1}L{:.1} {middle:.1}L{ring:.1} {y:.1}", start - side * 16.0);
            let _ = writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"#fff\" stroke-width=\"4\" stroke-opacity=\"0.8\"/>"
            );
            let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>");
            let _ = writeln!(
                out,
                "<rect x=\"{edge:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"#fff\" \
                 fill-opacity=\"0.92\" \
                 stroke=\"{colour}\" stroke-width=\"1.2\"/>",
                label + 3.0,
                longest + 16.0,
                tall(mark) - 6.0
            );
            for (line, text) in lines.iter().enumerate() {
                let weight = if line == 0 { " font-weight=\"600\"" } else { "" };
                let (x, y) = (edge + 8.0, label + 19.0 + LINE * line as f64);
                let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#222\"{weight}>{}</text>", markup(text));
            }
        }
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"11\" fill=\"none\" stroke=\"#fff\" stroke-width=\"5\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"11\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.6\"/>"
        );
    }
}

/// A long line without its middle: both ends of a path say what it is.
fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= LONGEST {
        return text.to_owned();
    }
    let (head, tail) = (LONGEST / 3, LONGEST - LONGEST / 3 - 1);
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

/// About how wide a text is at 13 pixels.
fn text_width(text: &str) -> f64 {
    7.5 * text.chars().count() as f64
}

fn hexadecimal(kind: Kind) -> String {
    colour(kind).to_array().iter().fold(String::from("#"), |text, &part| text + &format!("{:02x}", part as u8))
}

/// Bytes as text.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0_u32, |word, (i, &byte)| word | u32::from(byte) << (16 - 8 * i));
        let letter =
            |i: usize| if i <= chunk.len() { LETTERS[(word >> (18 - 6 * i) & 63) as usize] as char } else { '=' };
        text.extend((0..4).map(letter));
    }
    text
}
