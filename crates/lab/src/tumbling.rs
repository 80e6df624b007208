//! A body that falls, tumbles and bounces in a standing environment: the motions of the experiments of Gottschalk, Lin
//! and Manocha (*OBBTree*, 1996), whose recordings cannot be had any more.
//!
//! As in the paper, each step finds all contacts and applies an impulse at each before the clock advances. What moves
//! is a ball in its inertia. The environment's triangles, wound outwards, give the normals of contacts; at least a small
//! speed away from each keeps the body from sinking in.

use crate::meshes::Model;
use clearance::answer::Crossing;
use clearance::glam::{DQuat, DVec3};
use clearance::{Error, Pose};

/// A motion to be recorded.
pub struct Motion {
    /// Where the body begins.
    pub place: DVec3,
    /// Its first velocity.
    pub velocity: DVec3,
    /// Its first angular velocity.
    pub spin: DVec3,
    /// Its acceleration, where it is.
    pub gravity: fn(DVec3) -> DVec3,
    /// The radius of the ball that it is for its inertia.
    pub radius: f64,
    /// How much of the speed towards a contact comes back.
    pub restitution: f64,
    /// How many steps.
    pub steps: usize,
    /// The time of a step.
    pub step: f64,
}

/// Speeds are limited to this many radii a step, so that nothing is passed through.
const MOST_RADII: f64 = 0.05;
/// The least speed away from a contact, in radii a step.
const LEAST_RADII: f64 = 1e-3;

/// The poses of the body, one for each step, as `crossings` tells the contacts of a pose.
pub fn record(
    motion: &Motion,
    environment: &Model,
    mut crossings: impl FnMut(&Pose) -> Vec<Crossing>,
) -> Result<Vec<Pose>, Error> {
    let Motion { radius, step, .. } = *motion;
    let (mut place, mut rotation) = (motion.place, DQuat::IDENTITY);
    let (mut velocity, mut spin) = (motion.velocity, motion.spin);
    let inertia = 0.4 * radius * radius;
    let (most, least) = (MOST_RADII * radius / step, LEAST_RADII * radius / step);
    let mut poses = Vec::with_capacity(motion.steps);
    for _ in 0..motion.steps {
        let pose = Pose::from_quat(rotation, place)?;
        for crossing in crossings(&pose) {
            let [a, b, c] = environment.corners(crossing.triangle_a as usize).map(DVec3::from);
            let point = 0.5 * (crossing.ends_in_a[0] + crossing.ends_in_a[1]);
            let arm = point - place;
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            let towards = -(velocity + spin.cross(arm)).dot(normal);
            if towards < -least {
                continue;
            }
            let lever = arm.cross(normal);
            let change = (1.0 + motion.restitution) * towards.max(0.0) + least;
            let impulse = change / (1.0 + lever.length_squared() / inertia);
            velocity += impulse * normal;
            spin += lever * (impulse / inertia);
        }
        poses.push(pose);
        velocity = (velocity + (motion.gravity)(place) * step).clamp_length_max(most);
        spin = spin.clamp_length_max(most / radius);
        place += velocity * step;
        rotation = (DQuat::from_scaled_axis(spin * step) * rotation).normalize();
    }
    Ok(poses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::generate::sphere;
    use crate::meshes::scenery::landscape;
    use clearance::{Shape, contacts};

    #[test]
    fn a_ball_bounces_on_a_landscape() {
        let (ground, mut ball) = (landscape(60, 60), sphere(128));
        ball.points.iter_mut().for_each(|point| *point = point.map(|part| 0.4 * part));
        let [floor, body] = [&ground, &ball].map(|model| Shape::mesh(&model.points, &model.triangles).unwrap());
        let motion = Motion {
            place: DVec3::new(1.5, 1.5, 1.0),
            velocity: DVec3::ZERO,
            spin: DVec3::X,
            gravity: |_| DVec3::new(0.0, 0.0, -1.0),
            radius: 0.4,
            restitution: 0.5,
            steps: 400,
            step: 0.01,
        };
        let mut met = 0;
        let poses = record(&motion, &ground, |pose| {
            let found = contacts(&floor, &Pose::IDENTITY, &body, pose).crossings;
            met += usize::from(!found.is_empty());
            found
        })
        .unwrap();
        let heights: Vec<f64> = poses.iter().map(|pose| pose.translation().z).collect();
        assert_eq!(poses.len(), 400);
        assert!(met > 5 && met < 300, "{met}");
        assert!(heights.iter().all(|height| (-0.1..=1.0).contains(height)), "{heights:?}");
        // It came back up.
        assert!(heights.windows(2).any(|two| two[1] > two[0]));
    }
}
