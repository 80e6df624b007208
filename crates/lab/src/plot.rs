//! A line chart as SVG, both axes logarithmic. Plain text: no font or drawing library is needed.

use std::fmt::Write;

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y), both positive, x ascending.
    pub points: Vec<(f64, f64)>,
}

/// A line chart.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Written above the chart.
    pub title: String,
    /// What x is, with its unit.
    pub x_label: String,
    /// What y is, with its unit.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 55.0;
/// Told apart also by readers who do not see red and green as different (Okabe and Ito).
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];

impl Plot {
    /// The chart as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let xs = self.series.iter().flat_map(|series| series.points.iter().map(|point| point.0));
        let ys = self.series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
        let (x_axis, y_axis) = (Axis::around(xs, 2.0), Axis::around(ys, 10.0));
        let x_of = |x: f64| LEFT + x_axis.fraction(x) * (WIDTH - LEFT - RIGHT);
        let y_of = |y: f64| HEIGHT - BOTTOM - y_axis.fraction(y) * (HEIGHT - TOP - BOTTOM);

        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        let mut text = |x: f64, y: f64, attributes: &str, content: &str| {
            let content = content.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{content}</text>");
        };
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        text(middle, 22.0, "text-anchor=\"middle\" font-size=\"15\"", &self.title);
        text(middle, HEIGHT - 12.0, "text-anchor=\"middle\"", &self.x_label);
        let centre = (TOP + HEIGHT - BOTTOM) / 2.0;
        let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 16 {centre:.1})\"");
        text(16.0, centre, &turned, &self.y_label);
        for tick in x_axis.ticks() {
            text(x_of(tick), HEIGHT - BOTTOM + 18.0, "text-anchor=\"middle\"", &format!("{tick}"));
        }
        for tick in y_axis.ticks() {
            text(LEFT - 6.0, y_of(tick) + 4.0, "text-anchor=\"end\"", &format!("{tick}"));
        }
        for (i, series) in self.series.iter().enumerate() {
            let colour = format!("fill=\"{}\"", COLOURS[i % COLOURS.len()]);
            text(LEFT + 12.0, TOP + 16.0 + 16.0 * i as f64, &colour, &series.name);
        }
        for tick in x_axis.ticks() {
            line(&mut svg, (x_of(tick), TOP), (x_of(tick), HEIGHT - BOTTOM));
        }
        for tick in y_axis.ticks() {
            line(&mut svg, (LEFT, y_of(tick)), (WIDTH - RIGHT, y_of(tick)));
        }
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let points: Vec<(f64, f64)> = series.points.iter().map(|&(x, y)| (x_of(x), y_of(y))).collect();
            let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
                path.join(" ")
            );
            for (x, y) in points {
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// A line of the grid.
fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
        from.0, from.1, to.0, to.1
    );
}

/// A logarithmic axis from one power of `base` to another.
struct Axis {
    base: f64,
    first: i32,
    last: i32,
}

impl Axis {
    /// The least axis that holds all positive, finite values.
    fn around(values: impl Iterator<Item = f64>, base: f64) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| *value > 0.0 && value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return Axis { base, first: 0, last: 1 };
        }
        let first = low.log(base).floor() as i32;
        Axis { base, first, last: (high.log(base).ceil() as i32).max(first + 1) }
    }

    /// Where a value is, 0 at the start of the axis, 1 at its end.
    fn fraction(&self, value: f64) -> f64 {
        (value.log(self.base) - f64::from(self.first)) / f64::from(self.last - self.first)
    }

    /// The powers of the base on the axis.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|exponent| self.base.powi(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_every_point_inside_the_frame() {
        let series = Series { name: "a < b".into(), points: vec![(16.0, 80.0), (32.0, 120.0), (4096.0, 90000.0)] };
        let plot = Plot { title: "t".into(), x_label: "vertices".into(), y_label: "ns".into(), series: vec![series] };
        let svg = plot.to_svg();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn an_empty_chart_is_still_a_chart() {
        let plot = Plot { title: String::new(), x_label: String::new(), y_label: String::new(), series: vec![] };
        assert!(plot.to_svg().ends_with("</svg>\n"));
    }

    #[test]
    fn an_axis_spans_its_values() {
        let axis = Axis::around([20.0, 900.0].into_iter(), 10.0);
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [10.0, 100.0, 1000.0]);
        assert_eq!(axis.fraction(100.0), 0.5);
    }
}
