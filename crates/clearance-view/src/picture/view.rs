//! From the world to the image: a three-quarter view from above, in mild perspective.

use clearance::glam::{DVec2, DVec3};

use super::{Body, FREE, LEGEND, MARGIN, Mark};

/// How far the eye is from the middle, in radii of the box around everything.
const EYE: f64 = 4.2;
/// Marks that are so far apart, in pixels, do not gain by being farther.
const APART: f64 = 60.0;

/// The least and the greatest coordinates.
pub fn bounds(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], point| [low.min(point), high.max(point)])
}

/// All points there are.
pub fn points<'a>(bodies: &'a [Body]) -> impl Iterator<Item = DVec3> + 'a {
    bodies.iter().flat_map(|body| &body.points).map(|&point| DVec3::from_array(point))
}

#[derive(Clone, Copy)]
pub struct View {
    /// Of the image, in pixels.
    pub size: DVec2,
    /// To the right, upward, towards the eye.
    pub axes: [DVec3; 3],
    middle: DVec3,
    radius: f64,
    scale: f64,
    shift: DVec2,
}

impl View {
    /// Of four views the one where marks are near and not upon each other.
    pub fn new(bodies: &[Body], marks: &[Mark], up: usize, size: DVec2) -> View {
        let around = DVec2::new(2.0 * MARGIN, 2.0 * FREE);
        View::around(&points(bodies).collect::<Vec<_>>(), marks, up, size, around, LEGEND)
    }

    /// The same with some space around the points, in all, and some below.
    pub fn around(points: &[DVec3], marks: &[Mark], up: usize, size: DVec2, around: DVec2, below: f64) -> View {
        let [low, high] = bounds(points.iter().copied());
        let (middle, radius) =
            if low.x <= high.x { ((low + high) / 2.0, (high - low).length() / 2.0) } else { (DVec3::ZERO, 1.0) };
        let upward = DVec3::AXES[up % 3];
        let (right, towards) = (DVec3::AXES[(up + 2) % 3], DVec3::AXES[(up + 1) % 3]);
        let views = [[0.55, 0.85], [-0.55, 0.85], [0.55, -0.85], [-0.55, -0.85]].map(|[x, y]| {
            let back = (x * right + y * towards + 0.62 * upward).normalize();
            let side = upward.cross(back).normalize();
            let axes = [side, back.cross(side), back];
            View { size, axes, middle, radius: radius.max(f64::MIN_POSITIVE), scale: 1.0, shift: DVec2::ZERO }
                .fitted(points, around, below)
        });
        let merits = views.each_ref().map(|view| view.merit(marks));
        let best = (1..4).fold(0, |best, i| if merits[i] > merits[best] { i } else { best });
        views[best]
    }

    /// How well marks are seen: how near they are in the mean, and how far apart in the image those are that are
    /// nearest to each other.
    fn merit(&self, marks: &[Mark]) -> f64 {
        let places: Vec<DVec2> = marks.iter().map(|mark| self.place(mark.point).truncate()).collect();
        let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let least = pairs.map(|(i, j)| places[i].distance(places[j])).fold(APART, f64::min);
        let near: f64 = marks.iter().map(|mark| self.axes[2].dot(DVec3::from_array(mark.point) - self.middle)).sum();
        least / APART + near / self.radius / marks.len().max(1) as f64
    }

    /// The same, scaled and moved so that all is seen.
    fn fitted(self, points: &[DVec3], around: DVec2, below: f64) -> View {
        let places = points.iter().map(|point| self.place(point.to_array()));
        let [low, high] = bounds(places).map(DVec3::truncate);
        if low.x > high.x {
            return self;
        }
        let room = (self.size - around - DVec2::new(0.0, below)).max(DVec2::ONE);
        let scale = (room / (high - low).max(DVec2::splat(1e-9))).min_element();
        let centre = (self.size - DVec2::new(0.0, below)) / 2.0;
        View { scale, shift: centre - scale * (low + high) / 2.0, ..self }
    }

    /// Where a point is in the image, to the right and down, and how near: the inverse of its depth.
    pub fn place(&self, point: [f64; 3]) -> DVec3 {
        let [right, upward, towards] =
            self.axes.map(|axis| axis.dot(DVec3::from_array(point) - self.middle) / self.radius);
        // A mark may be outside of all bodies; what is drawn is never behind the eye.
        let near = 1.0 / (EYE - towards).max(0.1);
        DVec3::new(self.scale * right * near + self.shift.x, self.shift.y - self.scale * upward * near, near)
    }
}
