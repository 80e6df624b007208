//! The picture of the rooms: boxes from left to right, and above them an arc from each room to each one that it
//! imports.
//!
//! Arcs leave from the left part of a box's top and arrive at the right part, ordered so that those of one box do not
//! cross: the nearest leaves farthest left and arrives farthest right. An import to the right runs below the boxes.
//! Colours are of middle lightness and there is no background, so that the picture stands on white and on black alike.

use std::fmt::Write;

/// A room.
pub struct Box {
    /// Its name.
    pub name: &'static str,
    /// What it is for, which is set in lines below it.
    pub purpose: &'static str,
    /// How many files it has.
    pub files: usize,
}

/// Imports of one room by another, each by its place from the left.
#[derive(Clone, Copy)]
pub struct Arrow {
    /// The room that imports.
    pub from: usize,
    /// The room that is imported.
    pub to: usize,
    /// How many pairs of files.
    pub count: usize,
}

/// How wide an arrow is: up to this many imports, this many pixels; and how the legend says it.
const WIDTHS: [(usize, f64, &str); 5] =
    [(1, 1.0, "1"), (5, 1.8, "2-5"), (20, 3.2, "6-20"), (100, 5.0, "21-100"), (usize::MAX, 8.0, "over 100")];

const MARGIN: f64 = 12.0;
const GAP: f64 = 12.0;
const BOX_WIDTH: f64 = 80.0;
const BOX_HEIGHT: f64 = 48.0;
/// Room for the arcs above the boxes.
const SKY: f64 = 330.0;
/// Height of a line of small text.
const LINE: f64 = 14.0;
/// Characters of small text that fit below a box.
const CHARACTERS: usize = 13;
/// Of text, and of lines that belong to no room: as far from black as from white.
const GREY: &str = "#767676";

/// The picture as SVG.
pub fn draw(boxes: &[Box], arrows: &[Arrow]) -> String {
    let ends = ends(boxes, arrows);
    let purposes: Vec<Vec<String>> = boxes.iter().map(|room| lines(room.purpose, CHARACTERS)).collect();
    let deepest = purposes.iter().map(Vec::len).max().unwrap_or(0);
    let width = left(boxes.len()) - GAP + MARGIN;
    let height = SKY + BOX_HEIGHT + 24.0 + LINE * (deepest + 2) as f64 + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" \
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
         <title>The rooms of the engine and their imports</title>\n"
    );
    legend(&mut svg);
    for (&arrow, &(start, end)) in arrows.iter().zip(&ends) {
        let rise = 1.5 * (SKY - 40.0) * ((start - end).abs() / width).powf(0.75);
        draw_arrow(arrow, (start, end), rise, boxes, &mut svg);
    }
    for (k, (room, purpose)) in boxes.iter().zip(&purposes).enumerate() {
        draw_box(room, purpose, left(k), &colour(k, boxes.len()), &mut svg);
    }
    if arrows.iter().any(|arrow| arrow.to > arrow.from) {
        let y = height - MARGIN;
        let words = "Dashed: imports to the right, still to be removed.";
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{GREY}\">{words}</text>");
    }
    svg + "</svg>\n"
}

fn draw_box(room: &Box, purpose: &[String], left: f64, colour: &str, svg: &mut String) {
    let middle = left + BOX_WIDTH / 2.0;
    let files = if room.files == 1 { "1 file".to_owned() } else { format!("{} files", room.files) };
    let text = |svg: &mut String, y: f64, style: &str, words: &str| {
        let _ = writeln!(svg, "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" {style}>{words}</text>");
    };
    let _ = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{SKY}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"6\" fill=\"{colour}\"/>"
    );
    text(svg, SKY + 21.0, "font-size=\"15\" font-weight=\"600\" fill=\"#fff\"", room.name);
    text(svg, SKY + 38.0, "fill=\"#fff\"", &files);
    for (k, line) in purpose.iter().enumerate() {
        let y = SKY + BOX_HEIGHT + 32.0 + LINE * k as f64;
        text(svg, y, &format!("font-size=\"11.5\" fill=\"{GREY}\""), line);
    }
}

fn draw_arrow(arrow: Arrow, (start, end): (f64, f64), rise: f64, boxes: &[Box], svg: &mut String) {
    let width = width(arrow.count);
    let is_right = arrow.to > arrow.from;
    let colour = colour(arrow.from, boxes.len());
    let tip = width / 2.0 + 3.0;
    // Above the boxes and downward, or the other way round.
    let (edge, up) = if is_right { (SKY + BOX_HEIGHT, 1.0) } else { (SKY, -1.0) };
    let rise = if is_right { 18.0 } else { rise };
    let (near, far) = (edge + up * tip * 1.4, edge + up * (tip * 1.4 + rise));
    let dashed = if is_right { " stroke-dasharray=\"4 3\"" } else { "" };
    let _ = writeln!(
        svg,
        "<g opacity=\"0.8\"><title>{} imports {}: {}</title>\
         <path d=\"M{start:.1} {edge:.1}C{start:.1} {far:.1} {end:.1} \
         {far:.1} {end:.1} {near:.1}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashed}/>\
         <path d=\"M{end:.1} {edge:.1}L{:.1} {near:.1}L{:.1} {near:.1}z\" fill=\"{colour}\"/></g>",
        boxes[arrow.from].name,
        boxes[arrow.to].name,
        step(arrow.count).2,
        end - tip,
        end + tip,
    );
}

fn legend(svg: &mut String) {
    let line = |svg: &mut String, y: f64, style: &str, words: &str| {
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{GREY}\" {style}>{words}</text>");
    };
    line(svg, 28.0, "font-size=\"17\" font-weight=\"600\"", "Rooms of the engine");
    line(svg, 48.0, "", "An arrow leads from a room");
    line(svg, 64.0, "", "to one whose files it imports.");
    let mut y = 88.0;
    for (_, width, words) in WIDTHS {
        let words = format!("{words}{}", if words == "1" { " file imports another" } else { "" });
        let _ = writeln!(
            svg,
            "<path d=\"M{MARGIN} {:.1}h26\" stroke=\"{GREY}\" stroke-width=\"{width}\"/>\
             <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{GREY}\">{words}</text>",
            y - 4.0,
            MARGIN + 34.0
        );
        y += 17.0;
    }
}

/// Where a box begins.
fn left(k: usize) -> f64 {
    MARGIN + k as f64 * (BOX_WIDTH + GAP)
}

/// Where each arrow begins and ends.
fn ends(boxes: &[Box], arrows: &[Arrow]) -> Vec<(f64, f64)> {
    let mut ends = vec![(0.0, 0.0); arrows.len()];
    for k in 0..boxes.len() {
        place(k, arrows, false, &mut ends);
        place(k, arrows, true, &mut ends);
    }
    ends
}

/// Sets the ends of arrows at one box: at its top or, for imports to the right, at its bottom.
fn place(k: usize, arrows: &[Arrow], at_bottom: bool, ends: &mut [(f64, f64)]) {
    let mut ports: Vec<(bool, usize)> = (0..arrows.len())
        .filter(|&index| (arrows[index].to > arrows[index].from) == at_bottom)
        .flat_map(|index| [(true, index), (false, index)])
        .filter(|&(leaves, index)| k == if leaves { arrows[index].from } else { arrows[index].to })
        .collect();
    // At the top what leaves stands left of what arrives, the rooms of either from right to left; below it is the other
    // way.
    ports.sort_by_key(|&(leaves, index)| {
        let other = if leaves { arrows[index].to } else { arrows[index].from };
        (leaves == at_bottom, std::cmp::Reverse(other))
    });
    let need = |index: usize| width(arrows[index].count) + 2.5;
    let sum: f64 = ports.iter().map(|&(_, index)| need(index)).sum();
    let scale = ((BOX_WIDTH - 8.0) / sum).min(1.6);
    let mut x = left(k) + (BOX_WIDTH - sum * scale) / 2.0;
    for (leaves, index) in ports {
        let half = need(index) * scale / 2.0;
        let end = if leaves { &mut ends[index].0 } else { &mut ends[index].1 };
        *end = x + half;
        x += 2.0 * half;
    }
}

fn step(count: usize) -> (usize, f64, &'static str) {
    WIDTHS.into_iter().find(|&(most, ..)| count <= most).unwrap_or(WIDTHS[WIDTHS.len() - 1])
}

fn width(count: usize) -> f64 {
    step(count).1
}

/// A room's colour: the hue goes round once from left to right; green is made darker and blue lighter, to look alike.
fn colour(k: usize, count: usize) -> String {
    let hue = 360 * k / count.max(1);
    let lightness = match hue {
        45..200 => 38,
        215..285 => 54,
        _ => 47,
    };
    format!("hsl({hue} 45% {lightness}%)")
}

/// Words in lines of so many characters; a longer word has a line to itself.
fn lines(words: &str, length: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= length => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes() -> Vec<Box> {
        ["math", "shape", "query"].map(|name| Box { name, purpose: "what it is for", files: 1 }).into()
    }

    #[test]
    fn arrows_of_a_box_do_not_cross() {
        let arrow = |from, to| Arrow { from, to, count: 1 };
        let arrows = [arrow(1, 0), arrow(2, 0), arrow(2, 1)];
        let ends = ends(&boxes(), &arrows);
        // In math the nearer room arrives farther right; from query the nearer one leaves farther left.
        assert!(ends[1].1 < ends[0].1 && ends[2].0 < ends[1].0);
        // In shape what leaves stands left of what arrives.
        assert!(ends[0].0 < ends[2].1);
    }

    #[test]
    fn only_steps_of_the_counts_show() {
        let drawn = |count| draw(&boxes(), &[Arrow { from: 2, to: 0, count }]);
        assert_eq!(drawn(2), drawn(5));
        assert_ne!(drawn(5), drawn(6));
        assert_eq!(width(1_000_000), 8.0);
    }

    #[test]
    fn purposes_are_set_in_lines() {
        assert_eq!(lines("poses, exact signs", 12), ["poses, exact", "signs"]);
    }
}
