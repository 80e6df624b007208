//! Converts findings to another unit.

use clearance_files::Unit;

use crate::repair::LeftOpen;
use crate::report::{Bracket, Finding, LocalDepth, OpenGeometry, RepairedGeometry, Volume, WayOut};

/// A conversion between units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub factor: f64,
    /// The target unit.
    pub unit: Option<Unit>,
}

impl Scale {
    pub fn new(from: Option<Unit>, to: Option<Unit>) -> Scale {
        let factor = match (from, to) {
            (Some(from), Some(to)) if from != to => from.metres() / to.metres(),
            _ => 1.0,
        };
        Scale { factor, unit: to }
    }

    fn point(&self, point: [f64; 3]) -> [f64; 3] {
        point.map(|x| x * self.factor)
    }

    /// A number and its bounds, multiplied by the factor `times` times. Rounded outward: the factor and each product
    /// are rounded once.
    fn outward(&self, numbers: [f64; 3], times: u8) -> [f64; 3] {
        if self.factor == 1.0 {
            return numbers;
        }
        let [value, lower, upper] = numbers.map(|x| (0..times).fold(x, |x, _| x * self.factor));
        let room = |x: f64| 4.0 * f64::from(times) * f64::EPSILON * x.abs();
        [value, lower - room(lower), upper + room(upper)]
    }

    fn bracket(&self, gap: Bracket) -> Bracket {
        let [value, lower, upper] = self.outward([gap.value, gap.lower, gap.upper], 1);
        Bracket { value, lower, upper, ..gap }
    }

    fn way_out(&self, way_out: WayOut) -> WayOut {
        let [value, lower, upper] = self.outward([way_out.value, way_out.lower, way_out.upper], 1);
        WayOut { value, lower, upper, translation: self.point(way_out.translation), ..way_out }
    }

    fn local_depth(&self, depth: LocalDepth) -> LocalDepth {
        let [value, lower, upper] = match depth.numbers() {
            Some(numbers) => self.outward(numbers, 1).map(Some),
            None => [depth.value.map(|value| value * self.factor), None, None],
        };
        let (point, widened_by) = (depth.point.map(|point| self.point(point)), depth.widened_by * self.factor);
        LocalDepth { value, lower, upper, point, widened_by, ..depth }
    }

    fn volume(&self, volume: Volume) -> Volume {
        let [value, lower, upper] = self.outward([volume.value, volume.lower, volume.upper], 3);
        Volume { value, lower, upper, centroid: volume.centroid.map(|point| self.point(point)), ..volume }
    }

    /// A repaired geometry; the bound is rounded up.
    pub fn repaired(&self, geometry: RepairedGeometry) -> RepairedGeometry {
        let [_, _, distance] = self.outward([0.0, 0.0, geometry.distance], 1);
        RepairedGeometry { tolerance: geometry.tolerance * self.factor, distance, ..geometry }
    }

    /// An open geometry.
    pub fn open(&self, geometry: OpenGeometry) -> OpenGeometry {
        let tolerance = geometry.tolerance.map(|tolerance| tolerance * self.factor);
        let left = geometry.left.map(|left| LeftOpen { longest_rim: left.longest_rim * self.factor, ..left });
        OpenGeometry { tolerance, left, ..geometry }
    }

    /// A finding, with all its lengths, places and volumes.
    pub fn finding(&self, mut finding: Finding) -> Finding {
        for cluster in &mut finding.clusters {
            (cluster.min, cluster.max) = (self.point(cluster.min), self.point(cluster.max));
            cluster.local_depth = cluster.local_depth.take().map(|depth| self.local_depth(depth));
            cluster.loops.iter_mut().flat_map(|l| &mut l.points).for_each(|point| *point = self.point(*point));
        }
        Finding {
            gap: self.bracket(finding.gap),
            clearance: finding.clearance * self.factor,
            points: finding.points.map(|point| self.point(point)),
            local_depth: finding.local_depth.map(|depth| self.local_depth(depth)),
            way_out: finding.way_out.map(|way_out| self.way_out(way_out)),
            volume: finding.volume.map(|volume| self.volume(volume)),
            ..finding
        }
    }
}
