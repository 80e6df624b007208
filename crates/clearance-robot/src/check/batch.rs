//! Queries about many configurations, on all cores. Work is split into pieces of fixed size, each with its own state,
//! so that no answer depends on the number of threads.

use clearance::answer::Distance;
use clearance::parallel;

use super::{Against, Checker, NearestPair, State};
use crate::error::Error;

impl Checker {
    /// Configurations per piece of a batch; each piece has its own state. Independent of the number of threads, so that
    /// caches, and with them the last digits of answers, are too. Splitting a batch at a multiple of this gives the
    /// same bits.
    ///
    /// ```
    /// assert_eq!(clearance_robot::Checker::PIECE, 64);
    /// ```
    pub const PIECE: usize = 64;

    /// [`Checker::first_hit`] for many configurations, on all cores. Answers do not depend on the number of cores.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`](crate::Robot::check_configuration), for the first invalid configuration.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert_eq!(checker.first_hits(&[[1.0], [3.0]]).unwrap(), [Some(0), None]);
    /// ```
    pub fn first_hits<Q: AsRef<[f64]> + Sync>(&self, configurations: &[Q]) -> Result<Vec<Option<usize>>, Error> {
        self.each(configurations, |state, q| self.first_hit(state, q))
    }

    /// [`Checker::nearest`] for many configurations, on all cores.
    ///
    /// # Errors
    /// As [`Checker::distances`], for the first invalid configuration.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let nearest = checker.nearest_batch(&[[4.0], [5.0]], Against::All).unwrap();
    /// assert_eq!(nearest[1].unwrap().value, 3.0);
    /// ```
    pub fn nearest_batch<Q: AsRef<[f64]> + Sync>(
        &self,
        configurations: &[Q],
        against: Against,
    ) -> Result<Vec<Option<NearestPair>>, Error> {
        self.each(configurations, |state, q| self.nearest(state, q, against))
    }

    /// [`Checker::distances`] for many configurations, on all cores.
    ///
    /// # Errors
    /// As [`Checker::distances`], for the first invalid configuration.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert_eq!(checker.distances_batch(&[[4.0], [5.0]]).unwrap()[0][0].gap.value, 2.0);
    /// ```
    pub fn distances_batch<Q: AsRef<[f64]> + Sync>(&self, configurations: &[Q]) -> Result<Vec<Vec<Distance>>, Error> {
        self.each(configurations, |state, q| self.distances(state, q))
    }

    /// Runs a query for all configurations, in pieces of fixed size with a state each.
    fn each<Q: AsRef<[f64]> + Sync, T: Send>(
        &self,
        configurations: &[Q],
        ask: impl Fn(&mut State, &[f64]) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let in_piece = |piece: &[Q]| {
            let mut state = self.state();
            piece.iter().map(|q| ask(&mut state, q.as_ref())).collect::<Result<Vec<T>, Error>>()
        };
        let mut answers = Vec::with_capacity(configurations.len());
        for piece in parallel::map_pieces(configurations, Checker::PIECE, in_piece) {
            answers.extend(piece?);
        }
        Ok(answers)
    }
}
