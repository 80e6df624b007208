//! Boxes that fall onto a floor: a loop that queries a `World` for touching pairs and their contacts.
//!
//! `cargo run -p clearance --example world`

use clearance::glam::DVec3;
use clearance::world::{Change, Finding, Interest, Question};
use clearance::{Pose, Shape, World};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The contacts of every pair of bodies within a millimetre.
    let mut world = World::new(Some(Interest { question: Question::Contacts, margin: 1e-3 }));
    let floor = world.insert(&Shape::half_space(DVec3::Z, 0.0)?, &Pose::IDENTITY, 0);
    let cube = Shape::cuboid(DVec3::splat(0.5))?;
    let mut boxes = Vec::new();
    for k in 0..5 {
        let start = DVec3::new(0.1 * f64::from(k), 0.0, 1.0 + 1.5 * f64::from(k));
        boxes.push((world.insert(&cube, &Pose::from_translation(start)?, 1), start, 0.0));
    }

    let (step, gravity) = (1.0 / 60.0, 9.81);
    let mut landed = 0;
    for frame in 0..120 {
        for (body, place, speed) in &mut boxes {
            *speed += gravity * step;
            place.z -= *speed * step;
            world.move_to(*body, &Pose::from_translation(*place)?)?;
        }
        for event in world.step() {
            let Some(Finding::Contacts(contacts)) = &event.finding else { continue };
            if event.change == Change::Began {
                landed += 1;
                let on = if event.a == floor { "the floor" } else { "a box" };
                println!("frame {frame}: a box lands on {on}, {} contact points", contacts.points.len());
            }
            // No dynamics here: a box that sank in is moved out along the normal and stops.
            let depth = -contacts.gap.lower;
            if let Some((_, place, speed)) = boxes.iter_mut().find(|(body, ..)| *body == event.b) {
                place.z += depth.max(0.0);
                *speed = 0.0;
            }
        }
    }
    assert_eq!(landed, 5);
    Ok(())
}
