//! Measurements of a run: the true depths, whatever depth the run itself uses; energy; and where letters ended up.

use clearance::Workspace;
use clearance::answer::SolidDepth;
use clearance::glam::DVec3;
use clearance::query::SolidDepthOptions;
use clearance::query::solid_depth_with;
use clearance::{Shape, penetration};

use crate::bodies::{Body, Side, side_of_bowl};
use crate::meeting::{Depth, Lookout, Meeting};
use crate::step::{Counts, STEP, Simulation};

/// Steps between moments.
const APART: usize = 5;

/// Letters are hooked if their convex hulls overlap by more than this, in metres, and they themselves by less.
const HOOKED: f64 = 1e-3;

/// A moment of a run.
pub struct Moment {
    pub time: f64,
    /// The largest depth of any two bodies, in metres.
    pub deepest: f64,
    /// The total energy, in joules.
    pub energy: f64,
}

/// A moment in full.
pub struct Snapshot {
    pub time: f64,
    pub deepest: f64,
    pub bodies: Vec<Body>,
}

/// How a run ended.
pub struct Outcome {
    /// Proved bounds of the largest depth of two bodies, in metres.
    pub deepest: [f64; 2],
    /// The largest depth by the run's own definition.
    pub said: f64,
    pub kinetic_energy: f64,
    /// Letters with a corner on the far side of the bowl's wall.
    pub through: usize,
    /// Letters whose centre of mass is no longer in the bowl.
    pub out: usize,
    /// Pairs of letters with one extending into a hollow of the other.
    pub hooked: usize,
}

/// A run from start to end.
pub struct Run {
    pub depth: Depth,
    pub moments: Vec<Moment>,
    pub snapshots: Vec<Snapshot>,
    /// The largest rise of energy above its previous minimum.
    pub energy_gained: f64,
    pub end: Outcome,
    pub counts: Counts,
}

impl Run {
    /// Simulates bodies for a number of steps, with snapshots after some of them.
    pub fn new(bodies: Vec<Body>, depth: Depth, steps: usize, shown: &[usize]) -> Run {
        let mut truth = Lookout::new(&bodies, Depth::Global);
        let mut simulation = Simulation::new(bodies, depth);
        let (mut moments, mut snapshots) = (Vec::new(), Vec::new());
        let (mut least, mut energy_gained) = (f64::INFINITY, 0.0);
        for step in 0..=steps {
            if step > 0 {
                simulation.step();
            }
            let (time, energy) = (step as f64 * STEP, simulation.energy());
            least = energy.min(least);
            energy_gained = f64::max(energy_gained, energy - least);
            let is_shown = shown.contains(&step);
            if is_shown || step % APART == 0 {
                let deepest = deepest(&truth.look_around(&simulation.bodies, 0.0));
                moments.push(Moment { time, deepest, energy });
                if is_shown {
                    snapshots.push(Snapshot { time, deepest, bodies: simulation.bodies.clone() });
                }
            }
        }
        let seen = truth.look_around(&simulation.bodies, 0.0);
        let end = outcome(&simulation, &seen);
        Run { depth, moments, snapshots, energy_gained, end, counts: simulation.counts }
    }

    /// The largest depth at any of the moments.
    pub fn deepest(&self) -> f64 {
        self.moments.iter().map(|moment| moment.deepest).fold(0.0, f64::max)
    }
}

fn deepest(meetings: &[Meeting]) -> f64 {
    meetings.iter().map(|meeting| -meeting.gap).fold(0.0, f64::max)
}

/// Whether a letter extends through the wall of the bowl: has a corner on its far side.
pub fn is_through(body: &Body) -> bool {
    let pose = body.pose();
    body.corners().iter().any(|&corner| side_of_bowl(pose.transform_point(corner)) == Side::Out)
}

/// The depth of two bodies with its proof.
pub fn proved(a: &Body, b: &Body) -> SolidDepth {
    let all = SolidDepthOptions::default();
    solid_depth_with(&a.shape, &a.pose(), &b.shape, &b.pose(), &all, &mut Workspace::default(), |_, _| true)
        .expect("both are solids")
}

fn outcome(simulation: &Simulation, seen: &[Meeting]) -> Outcome {
    let bodies = &simulation.bodies;
    let letters = || bodies.iter().filter(|body| !body.is_fixed());
    let overlapping = seen.iter().filter(|meeting| meeting.gap < 0.0);
    let depths = overlapping.map(|meeting| {
        let [a, b] = meeting.pair.map(|k| &bodies[k]);
        let found = proved(a, b).penetration;
        [found.depth.lower, found.depth.upper]
    });
    let is_hooked = |meeting: &&Meeting| {
        let [a, b] = meeting.pair.map(|k| &bodies[k]);
        !a.is_fixed() && meeting.gap > -HOOKED && depth_of_hulls(a, b) > HOOKED
    };
    Outcome {
        deepest: depths.fold([0.0; 2], |most, found| if found[1] > most[1] { found } else { most }),
        said: deepest(&simulation.meetings),
        kinetic_energy: simulation.kinetic_energy(),
        through: letters().filter(|body| is_through(body)).count(),
        out: letters().filter(|body| side_of_bowl(body.position) != Side::In).count(),
        hooked: seen.iter().filter(is_hooked).count(),
    }
}

fn depth_of_hulls(a: &Body, b: &Body) -> f64 {
    let hull = |body: &Body| {
        let corners: Vec<[f64; 3]> = body.corners().iter().map(DVec3::to_array).collect();
        Shape::hull(&corners).expect("letters span space")
    };
    penetration(&hull(a), &a.pose(), &hull(b), &b.pose()).expect("hulls have a depth").depth.value
}
