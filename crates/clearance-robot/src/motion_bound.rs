//! Bounds how far two bodies of a robot can move relative to each other while its joints stay within given bounds.
//!
//! Section 2.2 of Redon's notes: the frame of a link is the product of the matrices along its chain, and bounds on its
//! points are propagated from the link to the root, "right to left". Instead of interval matrices, whose boxes grow
//! with every product, a single length is propagated: how far any point of the body may have moved, seen from the frame
//! of the current segment. For a joint that rotates by at most `delta` about its axis, points that are at most `radius`
//! from the axis now and have moved by at most `moved` move by at most `delta (radius + moved)` more, and by no more
//! than its chord; a joint that slides by at most `delta` adds that. To first order this is the actual motion, for the
//! bounding sphere of the body; an interval matrix would lose the sign of every product. Segments that carry both
//! bodies do not move them relative to each other, so both chains end there.
//!
//! Rounding: the formula is evaluated upward by a factor, and forward kinematics itself, which is not exact either, is
//! bounded by [`Chains::slack`].

use crate::frame::Frame;
use crate::robot::{Ball, Body, Robot};
use crate::urdf::JointKind;

/// Covers the rounding of a bound of some dozens of terms with a wide margin.
pub(crate) const UPWARD: f64 = 1.0 + 1e-10;

/// The segments that move two bodies relative to each other: for each, from its own to the common one. Only the ends
/// are stored: the segments of all pairs of a long chain would take memory cubic in its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains {
    ends: [u32; 2],
    /// The highest segment that carries both.
    common: u32,
}

impl Chains {
    pub fn new(robot: &Robot, a: &Body, b: &Body) -> Chains {
        let [mut one, mut other] = [a.segment, b.segment];
        // Parents have lower indices than their children.
        while one != other {
            let higher = if one > other { &mut one } else { &mut other };
            *higher = robot.segments[*higher].parent;
        }
        Chains { ends: [a.segment as u32, b.segment as u32], common: one as u32 }
    }

    /// The segments of both, each from its own upwards.
    pub fn segments<'r>(&self, robot: &'r Robot) -> [impl Iterator<Item = usize> + use<'r>; 2] {
        let common = self.common as usize;
        self.ends.map(|end| {
            let up = move |segment: &usize| Some(robot.segments[*segment].parent);
            std::iter::successors(Some(end as usize), up).take_while(move |segment| *segment != common)
        })
    }

    /// The variables that move them, in order.
    pub fn variables(&self, robot: &Robot) -> Vec<usize> {
        let segments = self.segments(robot).into_iter().flatten().map(|segment| &robot.segments[segment]);
        let mut variables: Vec<usize> =
            segments.flat_map(|segment| segment.variable..segment.variable + segment.kind.variables()).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Bounds how far points of the bodies may have moved relative to each other when each variable has moved by at
    /// most `delta` from the configuration of the frames.
    pub fn bound(&self, robot: &Robot, frames: &[Frame], bodies: [&Body; 2], q: &[f64], delta: &[f64]) -> f64 {
        let moved: f64 = (self.segments(robot).into_iter().zip(bodies))
            .map(|(chain, body)| moved(robot, frames, chain, &placed(frames, body), q, delta, &mut |_, _| ()))
            .sum();
        moved * UPWARD
    }

    /// The variable whose bound contributes most to the motion.
    pub fn widest(
        &self,
        robot: &Robot,
        frames: &[Frame],
        bodies: [&Body; 2],
        q: &[f64],
        delta: &[f64],
    ) -> Option<usize> {
        let mut parts = vec![0.0; q.len()];
        for (chain, body) in self.segments(robot).into_iter().zip(bodies) {
            let tell = &mut |variable: usize, part: f64| parts[variable] += part;
            moved(robot, frames, chain, &placed(frames, body), q, delta, tell);
        }
        // The first of the largest.
        let larger = |&x: &usize, &y: &usize| parts[x].total_cmp(&parts[y]).then(y.cmp(&x));
        self.variables(robot).into_iter().max_by(larger)
    }

    /// Error of forward kinematics in doubles for the two bodies: the entries of a joint's matrix to `8u` (sine and
    /// cosine within `u`, three products and sums), each product of the chain `4u` more, an interpolated variable `2u`
    /// of its size; all times the distance of the body from the root. Doubled.
    pub fn slack(&self, robot: &Robot, frames: &[Frame], bodies: [&Body; 2], q: &[f64]) -> f64 {
        let largest = q.iter().fold(1.0_f64, |largest, value| largest.max(value.abs()));
        let count = robot.segments.len() as f64;
        // Bodies of the root segment are placed exactly.
        let reach = |body: &Body| match body.segment {
            0 => 0.0,
            segment => frames[segment].translation.length() + body.ball.centre.length() + body.ball.radius,
        };
        32.0 * f64::EPSILON * count * largest * (reach(bodies[0]) + reach(bodies[1]))
    }
}

/// The bounding sphere of a body at its placement.
fn placed(frames: &[Frame], body: &Body) -> Ball {
    Ball { centre: frames[body.segment].point(body.ball.centre), ..body.ball }
}

/// Bounds the motion of what is inside a sphere relative to the end of its chain, given from the sphere on. Reports the
/// contribution of each variable.
pub(crate) fn moved(
    robot: &Robot,
    frames: &[Frame],
    chain: impl Iterator<Item = usize>,
    ball: &Ball,
    q: &[f64],
    delta: &[f64],
    tell: &mut dyn FnMut(usize, f64),
) -> f64 {
    let Ball { centre, radius } = *ball;
    let mut moved = 0.0;
    for number in chain {
        let (segment, frame) = (&robot.segments[number], &frames[number]);
        let from_origin = centre - frame.translation;
        let axis = frame.rotation * segment.axis;
        let by = |which: usize| delta[segment.variable + which];
        // The chord of a rotation, per unit of radius: the arc is longer, and no chord exceeds the diameter.
        let chord = |angle: f64| angle.min(2.0);
        let about_axis = axis.cross(from_origin).length() + radius;
        match segment.kind {
            JointKind::Fixed => {}
            JointKind::Revolute | JointKind::Continuous => {
                let part = chord(segment.multiplier.abs() * by(0)) * (about_axis + moved);
                tell(segment.variable, part);
                moved += part;
            }
            JointKind::Prismatic => {
                let part = segment.multiplier.abs() * by(0);
                tell(segment.variable, part);
                moved += part;
            }
            JointKind::Planar => {
                let part = chord(by(2)) * (about_axis + moved);
                tell(segment.variable + 2, part);
                moved += part;
                for which in 0..2 {
                    tell(segment.variable + which, by(which));
                    moved += by(which);
                }
            }
            JointKind::Floating => {
                // Unit quaternions whose chord is `c` are a rotation of at most `pi c` apart, and the chord of two that
                // are not of unit length is at most twice their difference over the length of either.
                let turn = &q[segment.variable + 3..segment.variable + 7];
                let length = turn.iter().map(|part| part * part).sum::<f64>().sqrt();
                for which in 3..7 {
                    let angle = 2.0 * std::f64::consts::PI * by(which) / length;
                    let part = chord(angle) * (from_origin.length() + radius + moved);
                    tell(segment.variable + which, part);
                    moved += part;
                }
                for which in 0..3 {
                    tell(segment.variable + which, by(which));
                    moved += by(which);
                }
            }
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::LoadOptions;

    /// A chain of all joint types with a sphere at its end, and one beside it.
    fn chain() -> Robot {
        let ball = |name: &str| {
            format!(
                "<link name='{name}'><collision><origin xyz='0.2 0.1 0.3'/><geometry><sphere radius='0.15'/></geometry>\
                </collision></link>"
            )
        };
        let joint = |name: &str, kind: &str, parent: &str, child: &str| {
            format!(
                "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>\
                <origin xyz='0.3 -0.2 0.5' rpy='0.4 1.1 -0.3'/>\
                 <axis xyz='0.3 1 -0.2'/><limit lower='-2' upper='2'/></joint>"
            )
        };
        let text = [
            "<robot name='r'>".to_owned(),
            ["root", "a", "b", "c", "d", "e", "side"].map(ball).concat(),
            joint("j1", "revolute", "root", "a"),
            joint("j2", "prismatic", "a", "b"),
            joint("j3", "planar", "b", "c"),
            joint("j4", "floating", "c", "d"),
            joint("j5", "continuous", "d", "e"),
            joint("j6", "revolute", "a", "side"),
            "</robot>".to_owned(),
        ];
        Robot::parse("r.urdf", &text.concat(), &LoadOptions::default()).unwrap()
    }

    /// The largest fraction of the bound that a point was seen to move by; asserts that none moved farther.
    fn tightest(robot: &Robot, end: &Body, side: &Body) -> f64 {
        use clearance::glam::DVec3;
        let mut random = crate::random::Random::new(3);
        let (mut q, mut tightest) = (Vec::new(), 0.0_f64);
        let chains = Chains::new(robot, end, side);
        assert!(!chains.variables(robot).contains(&0), "common segments do not count");
        for round in 0..2000 {
            random.configuration(robot.variables(), &mut q);
            let width = [0.01, 0.1, 1.0, 4.0][round % 4];
            let delta: Vec<f64> = q.iter().map(|_| width * random.unit() * random.unit()).collect();
            let (mut frames, mut after) = (Vec::new(), Vec::new());
            robot.forward(&q, &mut frames);
            let bound = chains.bound(robot, &frames, [end, side], &q, &delta);
            let other: Vec<f64> = q.iter().zip(&delta).map(|(q, by)| q + by * (2.0 * random.unit() - 1.0)).collect();
            robot.forward(&other, &mut after);
            let apart = |frames: &[Frame], direction: DVec3| {
                let point = |body: &Body| frames[body.segment].point(body.ball.centre + body.ball.radius * direction);
                point(end).distance(point(side))
            };
            for direction in [DVec3::X, DVec3::Y, DVec3::NEG_Z] {
                let moved = (apart(&frames, direction) - apart(&after, direction)).abs();
                assert!(moved <= bound + 1e-12, "{moved} {bound}");
                tightest = tightest.max(moved / bound);
            }
        }
        tightest
    }

    #[test]
    fn no_point_moves_farther_than_the_bound() {
        let robot = chain();
        let [b, end, side] = [2, 5, 6].map(|body| &robot.bodies[body]);
        // A floating joint has seven bounds, which no motion exhausts at once.
        assert!(tightest(&robot, end, side) > 0.15);
        assert!(tightest(&robot, b, side) > 0.6, "{}", tightest(&robot, b, side));
    }
}
