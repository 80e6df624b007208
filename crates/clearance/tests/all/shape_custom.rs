//! Custom bodies that use all of their stated slack: brackets still contain the truth.

use clearance::glam::DVec3;
use clearance::shape::{Aabb, Support};
use clearance::{Pose, Shape, distance};
use std::sync::Arc;

/// The unit ball, by points that fall short of its surface by varying amounts up to the slack.
#[derive(Debug)]
struct Ragged(f64);

impl Support for Ragged {
    fn support(&self, direction: DVec3) -> DVec3 {
        let unit = direction.normalize_or(DVec3::X);
        unit * (1.0 - self.0 * (0.5 + 0.49 * (1000.0 * unit.y).sin()))
    }

    fn slack(&self) -> f64 {
        self.0 + 1e-15
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::NEG_ONE, DVec3::ONE)
    }
}

#[test]
fn a_body_may_be_farther_than_its_points() {
    for slack in [1e-13, 1e-10, 1e-6, 1e-3] {
        let ragged = Shape::custom(Arc::new(Ragged(slack))).unwrap();
        for (other, radius) in [(Shape::sphere(0.5).unwrap(), 0.5), (Shape::cuboid(DVec3::ONE).unwrap(), 1.0)] {
            for step in 0..40 {
                // In front of the box's face.
                let at = DVec3::new(2.1 + 0.03 * f64::from(step), 0.021 * f64::from(step), -0.4);
                let place = Pose::from_translation(at).unwrap();
                let truth = if radius == 0.5 { at.length() - 1.5 } else { at.x - 2.0 };
                let answer = distance(&other, &Pose::IDENTITY, &ragged, &place);
                assert!(answer.gap.lower <= truth && truth <= answer.gap.upper, "{slack:e} {truth} {answer:?}");
                answer.verify(&other, &Pose::IDENTITY, &ragged, &place).unwrap();
            }
        }
    }
}
