//! Compounds: all parts of both bodies, decomposed.
//!
//! Separation of the whole bodies is proved pair by pair: by the boxes of the parts, by planes across the answer's
//! normal, or by separating planes searched for here, with the plainest form of GJK (Gilbert, Johnson and Keerthi) in
//! double-double arithmetic (four points of the difference, of which the triangle nearest to the origin is kept).

use glam::DVec3;

use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::{UNIT_ROUNDOFF, VERIFY_PLANE_STEPS};
use crate::shape::Shape;
use crate::verify::body::Part;
use crate::verify::project::project_on_triangle;

/// All parts of two bodies.
pub(crate) struct Whole {
    pub a: Vec<Part>,
    pub b: Vec<Part>,
    boxes_a: Vec<[DVec3; 2]>,
    boxes_b: Vec<[DVec3; 2]>,
}

/// Sizes of two compounds.
pub(crate) struct Measured {
    pub scale: f64,
    pub defect: f64,
    /// Sizes of coordinates in the world and in the bodies' local frames.
    pub coordinates: f64,
    pub own_coordinates: f64,
}

/// The parts of a body that is not a mesh; a single convex body is its own only part.
pub(crate) fn parts(shape: &Shape, pose: &Pose) -> Vec<Part> {
    match shape {
        Shape::Compound(compound) => {
            compound.parts().iter().map(|(inner, shape)| Part::of_compound(shape, inner, pose)).collect()
        }
        whole => vec![Part::new(whole, pose)],
    }
}

/// The box of a part, relative to a world point; unbounded for a half-space.
pub(crate) fn box_about(part: &Part, reference: DoubleDoubleVec3) -> [DVec3; 2] {
    if part.world_plane().is_some() {
        return [DVec3::NEG_INFINITY, DVec3::INFINITY];
    }
    let along = |axis: DVec3| {
        let direction = DoubleDoubleVec3::from(axis);
        let far = (part.support_along(direction) - direction.dot(reference)).to_f64() + part.radius;
        far + 4.0 * UNIT_ROUNDOFF * (far.abs() + part.radius)
    };
    [
        -DVec3::new(along(DVec3::NEG_X), along(DVec3::NEG_Y), along(DVec3::NEG_Z)),
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)),
    ]
}

impl Whole {
    pub fn new(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Whole {
        Whole::of(parts(a, pose_a), parts(b, pose_b))
    }

    /// Two lists of parts that are already placed.
    pub fn of(a: Vec<Part>, b: Vec<Part>) -> Whole {
        Whole { a, b, boxes_a: Vec::new(), boxes_b: Vec::new() }
    }

    /// Every part.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Part> {
        self.a.iter_mut().chain(self.b.iter_mut())
    }

    /// Computes the boxes of all parts, relative to a point of A, and the sizes.
    pub fn measure(&mut self) -> Measured {
        let reference = self.a[0].world(self.a[0].vertices[0]);
        let box_about = |part: &Part| box_about(part, reference);
        self.boxes_a = self.a.iter().map(box_about).collect();
        self.boxes_b = self.b.iter().map(box_about).collect();
        let joined = |boxes: &[[DVec3; 2]]| {
            let finite = boxes.iter().filter(|b| b[0].is_finite());
            finite.fold(None, |all: Option<[DVec3; 2]>, b| {
                Some(all.map_or(*b, |all| [all[0].min(b[0]), all[1].max(b[1])]))
            })
        };
        let [joined_a, joined_b] = [joined(&self.boxes_a), joined(&self.boxes_b)];
        let size = |b: Option<[DVec3; 2]>| b.map_or(0.0, |[min, max]| (max - min).length());
        let middle = |b: Option<[DVec3; 2]>| b.map(|[min, max]| 0.5 * (min + max));
        let apart = match (middle(joined_a), middle(joined_b)) {
            (Some(p), Some(q)) => p.distance(q),
            // The plane of a half-space has no size, only the position of its frame.
            _ => (self.b[0].world(self.b[0].vertices[0]) - reference).length().to_f64(),
        };
        let all = || self.a.iter().chain(&self.b);
        let defect = |parts: &[Part]| parts.iter().map(Part::defect).fold(0.0, f64::max);
        Measured {
            scale: size(joined_a) + size(joined_b) + apart,
            defect: defect(&self.a).max(defect(&self.b)),
            coordinates: 2.0 * all().map(Part::world_coordinates).fold(0.0, f64::max),
            own_coordinates: 2.0 * all().map(Part::own_coordinates).fold(0.0, f64::max),
        }
    }

    /// With B moved by `by` along the normal, every two parts are at least `claimed` apart; the error is the shortfall.
    pub fn check_apart(&self, claimed: f64, normal: DVec3, by: f64, rounding: f64) -> Result<(), f64> {
        // Nothing is claimed.
        if by >= f64::MAX {
            return Ok(());
        }
        let moved = DoubleDoubleVec3::from(normal).scale(DoubleDouble::from(by));
        self.check_pairs(claimed, normal, (moved, DoubleDoubleVec3::from(DVec3::ZERO)), rounding)
    }

    /// Along its whole path, B is at least `claimed` apart from A, part by part; the error is the shortfall.
    pub fn check_clear(&self, claimed: f64, normal: DVec3, way: DoubleDoubleVec3, rounding: f64) -> Result<(), f64> {
        self.check_pairs(claimed, normal, (DoubleDoubleVec3::from(DVec3::ZERO), way), rounding)
    }

    /// Every two parts are apart with B moved, and from there along its path.
    fn check_pairs(
        &self,
        claimed: f64,
        normal: DVec3,
        (moved, way): (DoubleDoubleVec3, DoubleDoubleVec3),
        rounding: f64,
    ) -> Result<(), f64> {
        let (first, last) = (moved.to_vec3(), (moved + way).to_vec3());
        let (low, high) = (first.min(last), first.max(last));
        for (a, box_a) in self.a.iter().zip(&self.boxes_a) {
            for (b, box_b) in self.b.iter().zip(&self.boxes_b) {
                let gap = (box_b[0] + low - box_a[1]).max(box_a[0] - (box_b[1] + high)).max(DVec3::ZERO).length();
                // Sums, differences and the length, and the rounded steps.
                let sizes = [box_a[0], box_a[1], box_b[0], box_b[1], low, high].map(|v| v.abs().max_element());
                let doubt = 16.0 * UNIT_ROUNDOFF * sizes.into_iter().fold(0.0, f64::max);
                // Unbounded boxes give NaN and prove nothing.
                if gap.is_finite() && gap - doubt > claimed {
                    continue;
                }
                Two { a, b, moved, way, rounding }.check(claimed, normal)?;
            }
        }
        Ok(())
    }
}

/// Two parts at rest are at least `claimed` apart; the error is the shortfall. The search starts at the normal.
pub(crate) fn check_two(a: &Part, b: &Part, claimed: f64, normal: DVec3, rounding: f64) -> Result<(), f64> {
    let still = DoubleDoubleVec3::from(DVec3::ZERO);
    Two { a, b, moved: still, way: still, rounding }.check(claimed, normal)
}

/// Two parts, the second moved, then moving along a path: it sweeps the hull of its end positions.
struct Two<'w> {
    a: &'w Part,
    b: &'w Part,
    moved: DoubleDoubleVec3,
    way: DoubleDoubleVec3,
    rounding: f64,
}

impl Two<'_> {
    /// The signed gap between the planes across a direction.
    fn gap_along(&self, direction: DoubleDoubleVec3) -> f64 {
        let length = direction.length();
        let reach = self.a.support_along(direction) + self.b.support_along(-direction) - self.nearest_end(direction);
        self.less_radii(-reach / length)
    }

    /// The displacement of B along a direction at the end of its path where it is least.
    fn nearest_end(&self, direction: DoubleDoubleVec3) -> DoubleDouble {
        let (start, way) = (direction.dot(self.moved), direction.dot(self.way));
        if way < DoubleDouble::ZERO { start + way } else { start }
    }

    fn less_radii(&self, gap: DoubleDouble) -> f64 {
        let radii = DoubleDouble::from_sum(self.a.radius, self.b.radius);
        (gap - radii - DoubleDouble::from(self.rounding)).to_f64().next_down()
    }

    fn check(&self, claimed: f64, normal: DVec3) -> Result<(), f64> {
        let planes = (self.a.world_plane(), self.b.world_plane());
        let by_plane = match planes {
            (Some(plane), _) => {
                Some(-self.b.support_along(-plane.normal) + self.nearest_end(plane.normal) - plane.level)
            }
            (_, Some(plane)) => {
                Some(-self.a.support_along(-plane.normal) + self.nearest_end(-plane.normal) - plane.level)
            }
            _ => None,
        };
        if let Some(gap) = by_plane {
            let proved = self.less_radii(gap);
            return if proved >= claimed { Ok(()) } else { Err(claimed - proved) };
        }
        let mut proved = self.gap_along(DoubleDoubleVec3::from(normal));
        let difference = |direction: DVec3| {
            let (p, q) = (self.a.farthest(-direction), self.b.farthest(direction));
            let ahead = DoubleDoubleVec3::from(direction).dot(self.way) > DoubleDouble::ZERO;
            let moved = if ahead { self.moved + self.way } else { self.moved };
            self.b.world(q) + moved - self.a.world(p)
        };
        let mut corners = [difference(-normal); 3];
        let zero = DoubleDoubleVec3::from(DVec3::ZERO);
        let mut nearest = corners[0];
        for _ in 0..VERIFY_PLANE_STEPS {
            if proved >= claimed {
                return Ok(());
            }
            let length = nearest.length();
            if length <= DoubleDouble::ZERO {
                break;
            }
            // From A to B.
            let direction = nearest.scale(DoubleDouble::ONE / length).to_vec3();
            proved = proved.max(self.gap_along(DoubleDoubleVec3::from(direction)));
            let new = difference(-direction);
            if corners.contains(&new) {
                break;
            }
            let triangles =
                [[corners[0], corners[1], new], [corners[1], corners[2], new], [corners[2], corners[0], new]];
            let mut best = (length, corners, nearest);
            for triangle in triangles {
                let point = project_on_triangle(zero, triangle[0], triangle[1], triangle[2]);
                if point.length() < best.0 {
                    best = (point.length(), triangle, point);
                }
            }
            if best.0 >= length {
                break;
            }
            (_, corners, nearest) = best;
        }
        if proved >= claimed { Ok(()) } else { Err(claimed - proved) }
    }
}
