//! Lines over time, as a part of an SVG.

use std::fmt::Write;

use crate::picture::{RUNS, text};
use crate::record::{Moment, Run};

/// Height of the whole chart, of the title, and of the plot.
pub const HEIGHT: f64 = TITLE + LINES + 24.0;
const TITLE: f64 = 24.0;
const LINES: f64 = 150.0;
/// Space for the numbers at the left, and for half of the last time label at the right.
const NUMBERS: f64 = 40.0;
const RIGHT: f64 = 16.0;

/// The spacing of the numbers on an axis.
#[derive(Clone, Copy, PartialEq)]
pub enum Steps {
    /// Powers of ten, from a hundredth on.
    Tens,
    /// 0, 50, 100 and so on.
    Fifties,
}

impl Steps {
    fn of(self, value: f64) -> f64 {
        match self {
            Steps::Tens => value.max(0.01).log10() + 2.0,
            Steps::Fifties => value / 50.0,
        }
    }

    fn value(self, step: i32) -> f64 {
        match self {
            Steps::Tens => 10f64.powi(step - 2),
            Steps::Fifties => 50.0 * f64::from(step),
        }
    }
}

/// The position and the labels of a chart.
#[derive(Clone, Copy)]
pub struct Chart {
    pub title: &'static str,
    pub steps: Steps,
    pub left: f64,
    pub top: f64,
    pub wide: f64,
}

impl Chart {
    /// Draws a line for each run.
    pub fn draw(&self, page: &mut String, runs: &[Run], value: impl Fn(&Moment) -> f64) {
        let moments = || runs.iter().flat_map(|run| &run.moments);
        let last = moments().map(|moment| moment.time).fold(f64::MIN_POSITIVE, f64::max);
        let most = moments().map(|moment| self.steps.of(value(moment)).ceil()).fold(1.0, f64::max);
        let (left, top, wide) = (self.left + NUMBERS, self.top + TITLE, self.wide - NUMBERS - RIGHT);
        let high = |value: f64| top + LINES * (1.0 - self.steps.of(value) / most);
        text(page, [self.left, self.top + 14.0], "font-size=\"14\" font-weight=\"bold\"", self.title);
        for step in 0..=most as i32 {
            let value = self.steps.value(step);
            let _ = writeln!(page, "<path d=\"M{left} {:.1}h{wide}\" stroke=\"#ddd\"/>", high(value));
            text(page, [left - 6.0, high(value) + 4.0], "text-anchor=\"end\"", &format!("{value}"));
        }
        for fifth in 0..=(last * 5.0).floor() as u32 {
            let time = f64::from(fifth) / 5.0;
            let at = [left + wide * time / last, top + LINES + 17.0];
            text(page, at, "text-anchor=\"middle\"", &format!("{time:.1} s"));
        }
        for (run, colour) in runs.iter().zip(RUNS) {
            let at = |moment: &Moment| (left + wide * moment.time / last, high(value(moment)));
            let line: Vec<String> = run.moments.iter().map(at).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"");
            let _ = writeln!(page, "<path d=\"M{}\" {style}/>", line.join("L"));
            if let (Some((x, y)), Steps::Tens) = (run.moments.last().map(at), self.steps) {
                let style = format!("text-anchor=\"end\" fill=\"{colour}\"");
                text(page, [x, y - 6.0], &style, run.depth.name());
            }
        }
    }
}
