//! Trajectories: timed sequences of configurations, with nothing missed between them.
//!
//! Every piece between two configurations is a motion ([`Checker::sweep`]), in which the joints are interpolated
//! linearly; its fraction becomes a time of the trajectory. The results of the pieces are kept, so that each can be
//! verified.

use clearance::verify::Refusal;

use crate::check::{Checker, State};
use crate::error::Error;
use crate::sweep::{MotionClearance, MotionImpact, Sweep, SweepOptions};

/// Result of a trajectory check.
///
/// ```
/// # use clearance_robot::*;
/// # let part = |name| format!(
/// #    "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
/// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let (points, times, options) = ([[8.0], [4.0], [0.0]], [10.0, 11.0, 15.0], SweepOptions::default());
/// let swept = checker.sweep_path(&mut checker.state(), &points, Some(&times), &options).unwrap();
/// let impact = swept.impact.as_ref().unwrap();
/// assert!(impact.lower <= 13.0 && 13.0 <= impact.upper + 1e-9 && impact.upper - impact.lower < 1e-4);
/// checker.verify_path(&swept, &points, Some(&times), &options).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PathSweep {
    /// The first impact, with times of the trajectory; `None` proves that there is none.
    pub impact: Option<MotionImpact>,
    /// The least clearance of a free trajectory, if requested, with its time on the trajectory.
    pub clearance: Option<MotionClearance>,
    /// Intervals examined.
    pub stretches: u64,
    /// The result of each piece, with times as fractions of the piece; the last one has the impact.
    pub pieces: Vec<Sweep>,
}

impl PathSweep {
    /// Combines the results of the pieces.
    fn of(pieces: Vec<Sweep>, times: &[f64]) -> PathSweep {
        let mut whole = PathSweep { impact: None, clearance: None, stretches: 0, pieces: Vec::new() };
        for (piece, times) in pieces.iter().zip(times.windows(2)) {
            // The end of a piece is its end time, to the bit.
            let time = |part: f64| if part == 1.0 { times[1] } else { times[0] + part * (times[1] - times[0]) };
            whole.stretches += piece.stretches;
            if let Some(impact) = &piece.impact {
                let (lower, upper) = (time(impact.lower), time(impact.upper));
                whole.impact = Some(MotionImpact { lower, upper, ..impact.clone() });
                whole.clearance = None;
                break;
            }
            if let Some(found) = piece.clearance {
                let found = MotionClearance { at: time(found.at), ..found };
                whole.clearance = Some(match whole.clearance {
                    Some(known) if known.upper <= found.upper => {
                        MotionClearance { lower: known.lower.min(found.lower), ..known }
                    }
                    Some(known) => MotionClearance { lower: known.lower.min(found.lower), ..found },
                    None => found,
                });
            }
        }
        whole.pieces = pieces;
        whole
    }
}

impl Checker {
    /// Checks a trajectory: the motion through configurations, with every joint interpolated linearly between them.
    /// `times` are the times of the configurations, strictly increasing; by default 0, 1, 2 and so on. Pieces after the
    /// first impact are not examined.
    ///
    /// # Errors
    /// [`Error::BadOption`] for fewer than two configurations, and for times that do not increase or do not match the
    /// configurations in number; otherwise as [`Checker::sweep`]. See [`PathSweep`] for an example.
    pub fn sweep_path<Q: AsRef<[f64]>>(
        &self,
        state: &mut State,
        points: &[Q],
        times: Option<&[f64]>,
        options: &SweepOptions,
    ) -> Result<PathSweep, Error> {
        let times = times_of(points.len(), times)?;
        points.iter().try_for_each(|point| self.robot().check_configuration(point.as_ref()))?;
        let mut pieces = Vec::with_capacity(points.len() - 1);
        for ends in points.windows(2) {
            let piece = self.sweep(state, ends[0].as_ref(), ends[1].as_ref(), options)?;
            let ends_here = piece.impact.is_some();
            pieces.push(piece);
            if ends_here {
                break;
            }
        }
        Ok(PathSweep::of(pieces, &times))
    }

    /// Verifies a result of [`Checker::sweep_path`]: every piece by [`Checker::verify_sweep`], and that the whole
    /// follows from the pieces.
    ///
    /// # Errors
    /// [`Error::Refused`] with the first claim that is false or could not be proved; otherwise as
    /// [`Checker::sweep_path`].
    pub fn verify_path<Q: AsRef<[f64]>>(
        &self,
        path: &PathSweep,
        points: &[Q],
        times: Option<&[f64]>,
        options: &SweepOptions,
    ) -> Result<(), Error> {
        let times = times_of(points.len(), times)?;
        let refused = || Error::Refused { what: "the trajectory".into(), why: Refusal::Verdict };
        let ends_early = path.pieces.last().is_some_and(|piece| piece.impact.is_some());
        let count = path.pieces.len();
        if count > points.len() - 1 || (count < points.len() - 1 && !ends_early) {
            return Err(refused());
        }
        for (piece, ends) in path.pieces.iter().zip(points.windows(2)) {
            self.verify_sweep(piece, ends[0].as_ref(), ends[1].as_ref(), options)?;
        }
        // Only the last piece may have an impact.
        let is_early = path.pieces.iter().rev().skip(1).any(|piece| piece.impact.is_some());
        if is_early || PathSweep::of(path.pieces.clone(), &times) != *path {
            return Err(refused());
        }
        Ok(())
    }
}

/// The times of `count` configurations.
fn times_of(count: usize, times: Option<&[f64]>) -> Result<Vec<f64>, Error> {
    let bad = |problem: String| Err(Error::BadOption { problem });
    if count < 2 {
        return bad(format!("a trajectory needs at least 2 configurations, got {count}"));
    }
    let Some(times) = times else { return Ok((0..count).map(|number| number as f64).collect()) };
    // Written so that NaN is rejected.
    let increase = times.windows(2).all(|two| two[0] < two[1]) && times.iter().all(|time| time.is_finite());
    if times.len() != count || !increase {
        return bad(format!(
            "times must increase, one per configuration: got {} for {count} configurations",
            times.len()
        ));
    }
    Ok(times.to_vec())
}
