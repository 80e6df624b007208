//! How far two bodies of a robot can move against each other while its joints stay within given bounds.
//!
//! Section 2.2 of Redon's notes: the frame of a link is the product of the matrices along its chain, and bounds of its points are
//! propagated from the link to the root, "right to left". Instead of interval matrices, whose boxes grow with every product, a single length is
//! propagated: by how much any point of the body may have moved, seen from the frame of the segment at hand. For a joint that turns by at
//! most `delta` about its axis, points that are at most `radius` from the axis now and have moved by at most `moved` move by at most
//! `delta (radius + moved)` more, and by no more than the chord of it; a joint that slides by at most `delta` adds that. This is to first order
//! what the motion is, for the ball about the body; an interval matrix would lose the sign of every product. What the two bodies hang on
//! in common does not move them against each other, so both chains end there.
//!
//! Rounding: the formula is evaluated upward by a factor, and forward kinematics itself, which is not exact either, is bounded by
//! [`Chains::slack`].

use crate::frame::Frame;
use crate::robot::{Ball, Body, Robot};
use crate::urdf::JointKind;

/// What rounding of a bound of some dozens of terms can take, with much to spare.
pub(crate) const UPWARD: f64 = 1.0 + 1e-10;

/// The segments that move two bodies against each other: of each from its own down to what both hang on. Only the ends
/// are kept: the segments of all pairs of a long chain would take memory with the cube of its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains {
    ends: [u32; 2],
    /// The highest segment that carries both, which moves both alike.
    common: u32,
}

impl Chains {
    pub fn new(robot: &Robot, a: &Body, b: &Body) -> Chains {
        let [mut one, mut other] = [a.segment, b.segment];
        // Parents have lower numbers than what hangs on them.
        while one != other {
            let higher = if one > other { &mut one } else { &mut other };
            *higher = robot.segments[*higher].parent;
        }
        Chains { ends: [a.segment as u32, b.segment as u32], common: one as u32 }
    }

    /// The segments of both, of each from its own on.
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

    /// By how much points of the bodies may have moved against each other when each variable has moved by at most what `delta` says of it
    /// from the configuration that the frames are of.
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

    /// How far forward kinematics in doubles is off for the two bodies: the entries of a joint's matrix by `8u` (sine and cosine within
    /// `u`, three products and sums), each product of the chain by `4u` more, an interpolated variable by `2u` of its size; all times how far
    /// the body is from the root. Doubled.
    pub fn slack(&self, robot: &Robot, frames: &[Frame], bodies: [&Body; 2], q: &[f64]) -> f64 {
        let largest = q.iter().fold(1.0_f64, |largest, value| largest.max(value.abs()));
        let count = robot.segments.len() as f64;
        // What hangs on the root is where it was said to be.
        let reach = |body: &Body| match body.segment {
            0 => 0.0,
            segment => frames[segment].translation.length() + body.ball.centre.length() + body.ball.radius,
        };
        32.0 * f64::EPSILON * count * largest * (reach(bodies[0]) + reach(bodies[1]))
    }
}

/// The ball about a body where it is placed.
fn placed(frames: &[Frame], body: &Body) -> Ball {
    Ball { centre: frames[body.segment].point(body.ball.centre), ..body.ball }
}

/// The motion of what is in a ball against what its chain hangs on, the chain given from the ball on. Tells of each variable what it
/// contributes.
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
        // The chord of a turn by so much, per unit of radius: an arc is longer, and no chord is longer than the diameter.
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
                // Unit quaternions whose chord is `c` are a turn of at most `pi c` apart, and the chord of two that are not of unit length is
                // at most twice their difference over the length of either.
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

    /// A chain of all kinds of joints with a ball at its end, and one beside it.
    fn chain() -> Robot {
        let ball = |name: &str| {
            format!(
                "<link name='{name}'><collision><origin xyz='0.2 0.1 0.3'/><geometry><sphere radius='0.15'/></geometry></collision></link>"
            )
        };
        let joint = |name: &str, kind: &str, parent: &str, child: &str| {
            format!(
                "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='0.3 -0.2 0.5' rpy='0.4 1.1 -0.3'/>\
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

    /// The largest part of the bound that a point was seen to move by, and that none moved farther.
    fn tightest(robot: &Robot, end: &Body, side: &Body) -> f64 {
        use clearance::glam::DVec3;
        let mut random = crate::random::Random::new(3);
        let (mut q, mut tightest) = (Vec::new(), 0.0_f64);
        let chains = Chains::new(robot, end, side);
        assert!(!chains.variables(robot).contains(&0), "what both hang on does not count");
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
        // A joint that flies has seven bounds, which no motion uses up at once.
        assert!(tightest(&robot, end, side) > 0.15);
        assert!(tightest(&robot, b, side) > 0.6, "{}", tightest(&robot, b, side));
    }
}
