//! Falling rigid bodies: forces where they rest on each other, impulses where they collide.
//!
//! After section 7.1 of Kim, Otaduy, Lin and Manocha (2002). Overlapping bodies are pushed apart by `k d n` (their
//! equation 4), spread over the places that touch, with damping and friction. Fast bodies that were separated and
//! overlap after a step have collided: the step then ends at the time of contact, the two get impulses, and the rest of
//! the step follows.

use clearance::Workspace;
use clearance::glam::DVec3;

use crate::bodies::Body;
use crate::meeting::{Depth, Lookout, Meeting};
use crate::time_of_contact::{End, Guess, time_of_contact};

/// The length of a step, in seconds.
pub const STEP: f64 = 1e-3;
/// Metres per second squared.
const GRAVITY: f64 = 9.81;
/// Newtons per metre of depth: a letter resting on one place is a fifth of a millimetre deep.
pub const STIFFNESS: f64 = 700.0;
/// As a fraction of critical damping.
const DAMPING: f64 = 0.5;
const FRICTION: f64 = 0.35;
/// Friction of slow slipping is viscous: the fraction of the slip it may remove per step.
const GRIP: f64 = 0.2;
/// The fraction of the collision speed that remains.
const RESTITUTION: f64 = 0.2;
/// Slower bodies do not collide but come to rest, in metres per second.
const REST: f64 = 0.1;
/// A gap or depth up to this counts as contact, in metres.
const TOUCH: f64 = 2e-6;
/// The most collisions in one step; more are left to the forces.
const MOST_COLLISIONS: usize = 32;

/// Counts of the work done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub collisions: u64,
    /// Evaluations of pairs to find times of contact: by cubics, and what lines and halving would have needed.
    pub looks: [u64; 3],
}

/// Bodies and their relations.
pub struct Simulation {
    pub bodies: Vec<Body>,
    pub meetings: Vec<Meeting>,
    pub counts: Counts,
    lookout: Lookout,
}

/// Force and torque.
type Load = [DVec3; 2];

impl Simulation {
    pub fn new(bodies: Vec<Body>, depth: Depth) -> Simulation {
        let mut lookout = Lookout::new(&bodies, depth);
        let meetings = lookout.look_around(&bodies, margin(&bodies));
        Simulation { bodies, meetings, counts: Counts::default(), lookout }
    }

    /// Advances all bodies by one step.
    pub fn step(&mut self) {
        let mut left = STEP;
        for collision in 0..=MOST_COLLISIONS {
            let loads = self.loads();
            let at = |bodies: &[Body], time: f64| -> Vec<Body> {
                bodies.iter().zip(&loads).map(|(body, load)| moved(body, load, time)).collect()
            };
            let after = at(&self.bodies, left);
            let meetings = self.lookout.look_around(&after, margin(&after));
            let first = if collision < MOST_COLLISIONS { self.first_collision(&loads, &meetings, left) } else { None };
            let Some((pair, time)) = first else {
                (self.bodies, self.meetings) = (after, meetings);
                return;
            };
            self.bodies = at(&self.bodies, time);
            self.meetings = self.lookout.look_around(&self.bodies, margin(&self.bodies));
            if let Some(meeting) = self.meetings.iter().find(|meeting| meeting.pair == pair) {
                collide(&mut self.bodies, meeting);
            }
            left -= time;
        }
    }

    /// The first two bodies that collide if all move for a time, given their relations afterwards; and when.
    fn first_collision(&mut self, loads: &[Load], after: &[Meeting], left: f64) -> Option<([usize; 2], f64)> {
        let mut workspace = Workspace::default();
        let mut first: Option<([usize; 2], f64, [u32; 3])> = None;
        for end in after.iter().filter(|end| end.gap < -TOUCH) {
            let pair = end.pair;
            let Some(start) = self.meetings.iter().find(|start| start.pair == pair) else { continue };
            if start.gap <= TOUCH || start.rate.min(end.rate) > -REST {
                continue;
            }
            let of = |meeting: &Meeting, time: f64| End { time, gap: meeting.gap, rate: meeting.rate };
            let mut search = |guess: Guess| {
                time_of_contact(guess, [of(start, 0.0), of(end, left)], TOUCH, |time| {
                    let [a, b] = pair.map(|k| moved(&self.bodies[k], &loads[k], time));
                    of(&self.lookout.look(pair, [&a, &b], &mut workspace), time)
                })
            };
            let contact = search(Guess::Cubic);
            if first.is_none_or(|(_, time, _)| contact.time < time) {
                let looks = [contact.looks, search(Guess::Line).looks, search(Guess::Middle).looks];
                first = Some((pair, contact.time, looks));
            }
        }
        let (pair, time, looks) = first?;
        self.counts.collisions += 1;
        self.counts.looks.iter_mut().zip(looks).for_each(|(sum, looks)| *sum += u64::from(looks));
        Some((pair, time))
    }

    /// Forces and torques on all bodies.
    fn loads(&self) -> Vec<Load> {
        let mut loads: Vec<Load> = self.bodies.iter().map(|body| [-weight(body) * DVec3::Z, DVec3::ZERO]).collect();
        for meeting in self.meetings.iter().filter(|meeting| meeting.gap < 0.0) {
            let [a, b] = meeting.pair.map(|k| &self.bodies[k]);
            let mass = (a.inverse_mass + b.inverse_mass).recip();
            let damping = 2.0 * DAMPING * (STIFFNESS * mass).sqrt();
            for place in &meeting.places {
                let velocity = b.velocity_at(place.at) - a.velocity_at(place.at);
                let along = velocity.dot(place.normal);
                let push = place.share * (-STIFFNESS * meeting.gap - damping * along).max(0.0);
                let slip = velocity - along * place.normal;
                let drag = (FRICTION * push).min(place.share * GRIP * mass / STEP * slip.length());
                let force = push * place.normal - drag * slip.normalize_or_zero();
                for (k, force) in meeting.pair.into_iter().zip([-force, force]) {
                    loads[k][0] += force;
                    loads[k][1] += (place.at - self.bodies[k].position).cross(force);
                }
            }
        }
        loads
    }

    pub fn kinetic_energy(&self) -> f64 {
        self.bodies.iter().map(Body::kinetic_energy).sum()
    }

    /// Total energy: kinetic, potential and elastic.
    pub fn energy(&self) -> f64 {
        let high: f64 = self.bodies.iter().map(|body| weight(body) * body.position.z).sum();
        let pressed = self.meetings.iter().map(|meeting| STIFFNESS * meeting.gap.min(0.0).powi(2) / 2.0);
        self.kinetic_energy() + high + pressed.sum::<f64>()
    }
}

/// The largest gap of bodies that could meet in a step.
fn margin(bodies: &[Body]) -> f64 {
    let fastest = bodies.iter().map(|body| body.velocity.length() + body.radius * body.spin().length());
    4.0 * STEP * fastest.fold(1.0, f64::max)
}

fn weight(body: &Body) -> f64 {
    if body.is_fixed() { 0.0 } else { GRAVITY / body.inverse_mass }
}

/// A body after a time, by the semi-implicit Euler method: velocities first, then positions with the new ones.
fn moved(body: &Body, [force, torque]: &Load, time: f64) -> Body {
    let mut moved = body.clone();
    if !body.is_fixed() {
        moved.velocity += *force * body.inverse_mass * time;
        moved.momentum += *torque * time;
        moved.position += moved.velocity * time;
        moved.turn(moved.spin() * time);
    }
    moved
}

/// Applies the impulses of a collision to two touching bodies, with friction.
fn collide(bodies: &mut [Body], meeting: &Meeting) {
    let Some(place) = meeting.places.first() else { return };
    let [a, b] = meeting.pair.map(|k| &bodies[k]);
    let velocity = b.velocity_at(place.at) - a.velocity_at(place.at);
    let along = velocity.dot(place.normal);
    if along >= 0.0 {
        return;
    }
    // The change of the relative velocity along a unit impulse.
    let gain = |way: DVec3| -> f64 {
        let of = |body: &Body| {
            let arm = place.at - body.position;
            body.inverse_mass + (body.inverse_inertia() * arm.cross(way)).cross(arm).dot(way)
        };
        of(a) + of(b)
    };
    let push = -(1.0 + RESTITUTION) * along / gain(place.normal);
    let slip = velocity - along * place.normal;
    let drag = slip.try_normalize().map_or(0.0, |way| (FRICTION * push).min(slip.length() / gain(way)));
    let impulse = push * place.normal - drag * slip.normalize_or_zero();
    for (k, impulse) in meeting.pair.into_iter().zip([-impulse, impulse]) {
        let body = &mut bodies[k];
        if !body.is_fixed() {
            body.velocity += impulse * body.inverse_mass;
            body.momentum += (place.at - body.position).cross(impulse);
        }
    }
}
