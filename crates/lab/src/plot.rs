//! Charts as SVG, with logarithmic axes. Plain text: no font or drawing library is needed.

use std::fmt::Write;

/// A figure.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Written above the chart.
    pub title: String,
    /// Under the title: what is drawn, with its unit.
    pub measure: String,
    /// The chart itself.
    pub chart: Chart,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub enum Chart {
    /// Lines over a number.
    Lines {
        /// What x is, with its unit.
        x_label: String,
        /// The lines.
        series: Vec<Series>,
    },
    /// Horizontal bars, in groups.
    Bars {
        /// Whose bars they are, in the order in which they stand in a group.
        names: Vec<String>,
        /// The groups, from top to bottom.
        groups: Vec<Group>,
    },
    /// Figures one below the other.
    Stack(Vec<Plot>),
    /// Outlines in rows of panels, all at one scale.
    Panels {
        /// How many stand side by side.
        columns: usize,
        /// Row by row.
        panels: Vec<Panel>,
    },
}

/// One drawing among others.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Written below it.
    pub label: String,
    /// Which colour.
    pub colour: usize,
    /// Closed outlines by their corners, y upward.
    pub outlines: Vec<Vec<(f64, f64)>>,
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// Written at the end of the line.
    pub name: String,
    /// Which colour: lines of one library share theirs.
    pub colour: usize,
    /// Whether the line is dashed.
    pub dashed: bool,
    /// Points (x, y), both positive, x ascending.
    pub points: Vec<(f64, f64)>,
}

/// The bars of one case.
#[derive(Clone, Debug)]
pub struct Group {
    /// The case.
    pub label: String,
    /// A positive length for each name, or why there is none.
    pub bars: Vec<Result<f64, String>>,
}

const WIDTH: f64 = 760.0;
/// Where the drawing begins, below the title.
const TOP: f64 = 64.0;
/// Room for the numbers of the x axis, its label and the line with the provenance.
const BOTTOM: f64 = 70.0;
/// Height of the drawing of a line chart.
const LINES_HEIGHT: f64 = 320.0;
/// Height of one bar, and the gap between groups.
const BAR: f64 = 15.0;
const BAR_GAP: f64 = 10.0;
/// Least distance between the names at the ends of two lines.
const LABEL_STEP: f64 = 15.0;
/// As many numbers as fit below a line chart.
const MOST_TICKS: usize = 11;
/// Distinguishable for readers with colour vision deficiency (Okabe and Ito).
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];

impl Plot {
    /// The figure as the text of an SVG file; `provenance` stands small below it.
    pub fn to_svg(&self, provenance: &str) -> String {
        let mut page = Page(String::new());
        let height = self.draw(&mut page);
        page.text(16.0, height - 10.0, "font-size=\"10\" fill=\"#777777\"", provenance);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n{}</svg>\n",
            page.0
        )
    }

    /// Draws the figure and returns its height.
    fn draw(&self, page: &mut Page) -> f64 {
        page.text(16.0, 26.0, "font-size=\"17\" font-weight=\"bold\"", &self.title);
        page.text(16.0, 46.0, "fill=\"#555555\"", &self.measure);
        match &self.chart {
            Chart::Lines { x_label, series } => lines(page, x_label, series),
            Chart::Bars { names, groups } => bars(page, names, groups),
            Chart::Panels { columns, panels } => drawings(page, *columns, panels),
            Chart::Stack(panels) => {
                let mut top = TOP;
                for panel in panels {
                    page.push(&format!("<g transform=\"translate(0 {top})\">"));
                    top += panel.draw(page);
                    page.push("</g>");
                }
                top + BOTTOM - 50.0
            }
        }
    }
}

/// Draws a line chart and returns the height of the figure.
fn lines(page: &mut Page, x_label: &str, series: &[Series]) -> f64 {
    let (left, right, bottom) = (68.0, WIDTH - 180.0, TOP + LINES_HEIGHT);
    let points = || series.iter().flat_map(|series| series.points.iter());
    let twos = Axis::around(points().map(|point| point.0), &[1.0, 2.0, 4.0, 8.0], 16.0);
    // Over many powers of two the numbers would not fit side by side.
    let x_axis =
        if twos.ticks.len() <= MOST_TICKS { twos } else { Axis::around(points().map(|point| point.0), &[1.0], 10.0) };
    let y_axis = Axis::around(points().map(|point| point.1), &[1.0, 2.0, 5.0], 10.0);
    let x_of = |x: f64| left + x_axis.fraction(x) * (right - left);
    let y_of = |y: f64| bottom - y_axis.fraction(y) * LINES_HEIGHT;
    for &tick in &x_axis.ticks {
        page.line((x_of(tick), TOP), (x_of(tick), bottom), GRID);
        page.text(x_of(tick), bottom + 18.0, "text-anchor=\"middle\"", &number(tick));
    }
    for &tick in &y_axis.ticks {
        page.line((left, y_of(tick)), (right, y_of(tick)), GRID);
        page.text(left - 6.0, y_of(tick) + 4.0, "text-anchor=\"end\"", &number(tick));
    }
    page.text((left + right) / 2.0, bottom + 38.0, "text-anchor=\"middle\"", x_label);
    for Series { colour, dashed, points, .. } in series {
        let (colour, dash) = (colour_of(*colour), if *dashed { " stroke-dasharray=\"6 4\"" } else { "" });
        let path: Vec<String> = points.iter().map(|&(x, y)| format!("{:.1},{:.1}", x_of(x), y_of(y))).collect();
        let path = path.join(" ");
        page.push(&format!("<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash} points=\"{path}\"/>"));
        for &(x, y) in points {
            let (x, y) = (x_of(x), y_of(y));
            page.push(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        }
    }
    // Names at the ends of the lines, from the top, none on top of another.
    let mut ends: Vec<(f64, &Series)> =
        series.iter().filter_map(|series| Some((y_of(series.points.last()?.1) + 4.0, series))).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut above = f64::NEG_INFINITY;
    for (y, series) in ends {
        let y = y.max(above + LABEL_STEP);
        page.text(right + 10.0, y, &format!("fill=\"{}\"", colour_of(series.colour)), &series.name);
        above = y;
    }
    bottom + BOTTOM
}

/// Draws panels and returns the height of the figure.
fn drawings(page: &mut Page, columns: usize, panels: &[Panel]) -> f64 {
    let columns = columns.max(1);
    let side = (WIDTH - 32.0) / columns as f64;
    let corners = || panels.iter().flat_map(|panel| panel.outlines.iter().flatten());
    let (mut low, mut high) = ((0.0, 0.0), (0.0, 0.0));
    for &(x, y) in corners() {
        low = (f64::min(low.0, x), f64::min(low.1, y));
        high = (f64::max(high.0, x), f64::max(high.1, y));
    }
    let size = f64::max(high.0 - low.0, high.1 - low.1);
    let scale = if size > 0.0 { 0.92 * side / size } else { 1.0 };
    let height = (high.1 - low.1) * scale + 30.0;
    for (number, panel) in panels.iter().enumerate() {
        let (column, row) = ((number % columns) as f64, (number / columns) as f64);
        let (left, top) = (16.0 + column * side, TOP + row * height);
        let colour = colour_of(panel.colour);
        for outline in &panel.outlines {
            let place =
                |&(x, y): &(f64, f64)| format!("{:.1},{:.1}", left + (x - low.0) * scale, top + (high.1 - y) * scale);
            let corners: Vec<String> = outline.iter().map(place).collect();
            let corners = corners.join(" ");
            page.push(&format!(
                "<polygon points=\"{corners}\" fill=\"{colour}\" fill-opacity=\"0.08\" stroke=\"{colour}\" \
                 stroke-width=\"0.6\"/>"
            ));
        }
        page.text(left + 0.46 * side, top + height - 14.0, "text-anchor=\"middle\"", &panel.label);
    }
    TOP + height * panels.len().div_ceil(columns) as f64 + 30.0
}

/// Draws a bar chart and returns the height of the figure.
fn bars(page: &mut Page, names: &[String], groups: &[Group]) -> f64 {
    let (left, right) = (190.0, WIDTH - 80.0);
    let lengths = groups.iter().flat_map(|group| group.bars.iter().flatten().copied());
    let axis = Axis::around(lengths, &[1.0], 10.0);
    let x_of = |x: f64| left + axis.fraction(x) * (right - left);
    let group_height = BAR * names.len() as f64 + BAR_GAP;
    let bottom = TOP + 20.0 + group_height * groups.len() as f64;
    for &tick in &axis.ticks {
        page.line((x_of(tick), TOP + 16.0), (x_of(tick), bottom), GRID);
        page.text(x_of(tick), bottom + 18.0, "text-anchor=\"middle\"", &number(tick));
    }
    for (i, name) in names.iter().enumerate() {
        let x = left + 140.0 * i as f64;
        page.bar((x, TOP - 6.0), (10.0, 10.0), colour_of(i));
        page.text(x + 16.0, TOP + 3.0, "", name);
    }
    for (row, Group { label, bars }) in groups.iter().enumerate() {
        let top = TOP + 20.0 + BAR_GAP / 2.0 + group_height * row as f64;
        page.text(left - 8.0, top + BAR * bars.len() as f64 / 2.0 + 4.0, "text-anchor=\"end\"", label);
        for (i, bar) in bars.iter().enumerate() {
            let y = top + BAR * i as f64;
            match bar {
                Ok(length) => {
                    page.bar((left, y), (x_of(*length) - left, BAR - 2.0), colour_of(i));
                    page.text(x_of(*length) + 5.0, y + 11.0, "font-size=\"11\"", &number(*length));
                }
                Err(why) => page.text(left + 5.0, y + 11.0, "font-size=\"11\" font-style=\"italic\"", why),
            }
        }
    }
    page.line((left, TOP + 16.0), (left, bottom), "#777777");
    bottom + BOTTOM - 20.0
}

/// Colour of the lines of the grid.
const GRID: &str = "#dddddd";

/// The colour of that number.
fn colour_of(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

/// A number as it stands in a chart: three significant digits, thousands apart.
fn number(value: f64) -> String {
    if value < 100.0 {
        let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{value:.decimals$}");
        return if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text };
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 && digits.len() > 4 {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// The elements of a figure so far.
struct Page(String);

impl Page {
    /// Adds an element.
    fn push(&mut self, element: &str) {
        let _ = writeln!(self.0, "{element}");
    }

    /// Adds a text.
    fn text(&mut self, x: f64, y: f64, attributes: &str, content: &str) {
        let content = content.replace('&', "&amp;").replace('<', "&lt;");
        self.push(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{content}</text>"));
    }

    /// Adds a thin line.
    fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(&format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"));
    }

    /// Adds a filled rectangle.
    fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        self.push(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        ));
    }
}

/// A logarithmic axis from its first tick to its last.
struct Axis {
    /// Ascending, at least two.
    ticks: Vec<f64>,
}

impl Axis {
    /// The least axis that holds all positive, finite values. Ticks are `steps`, which begin with 1 and ascend, times
    /// the powers of `base`.
    fn around(values: impl Iterator<Item = f64>, steps: &[f64], base: f64) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| *value > 0.0 && value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return Axis { ticks: vec![1.0, base] };
        }
        let powers = low.log(base).floor() as i32 - 1..=high.log(base).ceil() as i32 + 1;
        let all: Vec<f64> = powers.flat_map(|power| steps.iter().map(move |step| step * base.powi(power))).collect();
        let first = all.iter().rposition(|&tick| tick <= low).unwrap_or(0);
        let last = all.iter().position(|&tick| tick >= high).unwrap_or(all.len() - 1).max(first + 1);
        Axis { ticks: all[first..=last].to_vec() }
    }

    /// Where a value is, 0 at the start of the axis, 1 at its end.
    fn fraction(&self, value: f64) -> f64 {
        let (first, last) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        (value / first).ln() / (last / first).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(chart: Chart) -> String {
        Plot { title: "t".into(), measure: "ns".into(), chart }.to_svg("commit")
    }

    #[test]
    fn draws_every_point_of_a_line_and_its_name() {
        let points = vec![(16.0, 80.0), (32.0, 120.0), (4096.0, 90000.0)];
        let series = |name: &str| Series { name: name.into(), colour: 0, dashed: true, points: points.clone() };
        let svg = plot(Chart::Lines { x_label: "vertices".into(), series: vec![series("a < b"), series("c")] });
        assert_eq!(svg.matches("<circle").count(), 6);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && !svg.contains("inf"));
        // The two names end at the same point and stand one below the other.
        let height = |name: &str| {
            let line = svg.lines().find(|line| line.contains(name)).unwrap();
            line.split('"').nth(3).unwrap().parse::<f64>().unwrap()
        };
        assert!((height(">c<") - height("&lt;")).abs() >= LABEL_STEP);
    }

    #[test]
    fn draws_every_bar_or_why_there_is_none() {
        let group = Group { label: "disc".into(), bars: vec![Ok(3.5), Err("refused".into())] };
        let svg = plot(Chart::Bars { names: vec!["ours".into(), "theirs".into()], groups: vec![group] });
        // The background, two squares of the legend, one bar.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains("refused") && svg.contains(">3.5<"));
    }

    #[test]
    fn stacked_figures_stand_one_below_the_other() {
        let chart = || Chart::Lines { x_label: "x".into(), series: vec![] };
        let panel = |title: &str| Plot { title: title.into(), measure: String::new(), chart: chart() };
        let svg = plot(Chart::Stack(vec![panel("one"), panel("two")]));
        let tops: Vec<f64> =
            svg.split("translate(0 ").skip(1).map(|rest| rest.split(')').next().unwrap().parse().unwrap()).collect();
        assert!(tops.len() == 2 && tops[1] - tops[0] > LINES_HEIGHT, "{tops:?}");
        assert!(svg.contains(">one<") && svg.contains(">two<") && svg.matches("</g>").count() == 2);
    }

    #[test]
    fn draws_every_outline_and_its_label() {
        let panel = |label: &str| Panel {
            label: label.into(),
            colour: 0,
            outlines: vec![vec![(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]; 2],
        };
        let svg = plot(Chart::Panels { columns: 2, panels: vec![panel("one"), panel("two"), panel("three")] });
        assert_eq!(svg.matches("<polygon").count(), 6);
        assert!(svg.contains(">three<") && !svg.contains("NaN"));
        assert!(!plot(Chart::Panels { columns: 0, panels: Vec::new() }).contains("NaN"));
    }

    #[test]
    fn an_empty_chart_is_still_a_chart() {
        let svg = plot(Chart::Lines { x_label: String::new(), series: vec![] });
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        assert!(plot(Chart::Bars { names: vec![], groups: vec![] }).ends_with("</svg>\n"));
    }

    #[test]
    fn an_axis_spans_its_values() {
        let axis = Axis::around([20.0, 900.0].into_iter(), &[1.0], 10.0);
        assert_eq!(axis.ticks, [10.0, 100.0, 1000.0]);
        assert_eq!(axis.fraction(100.0), 0.5);
        assert_eq!(Axis::around([3.0].into_iter(), &[1.0, 2.0, 5.0], 10.0).ticks, [2.0, 5.0]);
        assert_eq!(
            Axis::around([16.0, 128.0].into_iter(), &[1.0, 2.0, 4.0, 8.0], 16.0).ticks,
            [16.0, 32.0, 64.0, 128.0]
        );
    }

    #[test]
    fn numbers_in_a_chart() {
        for (value, text) in [(0.05, "0.05"), (2.0, "2"), (21.37, "21.4"), (0.333, "0.333"), (4096.0, "4096")] {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(123456.0), "123\u{2009}456");
    }
}
