//! What is bolted to the housing: covers of the bearings, the cover of the opening, plates with fins that cool the
//! ends, the plate below, gaskets, and the sensor of the oil's level. Each sits on what is at 0, below it along z.

use crate::fasteners::{BOLT_HOLE, SIDES as BOLT_SIDES};
use crate::housing::{Seat, end_plate_bolts, foot_bolts, opening, opening_bolts};
use crate::solid::{Axis, Outline, Solid, circle, hole, holes, rectangle};

/// Thicknesses.
pub const COVER: f64 = 8.0;
pub const COOLING_PLATE: f64 = 6.0;
pub const OPENING_COVER: f64 = 6.0;
pub const GASKET: f64 = 1.0;
const BASE: f64 = 12.0;

/// The cover of a bearing, about the axis of the shaft; with a hole if the shaft goes through.
pub fn bearing_cover(seat: &Seat, shaft: Option<f64>) -> Solid {
    let mut solid = Solid::default();
    let places: Vec<[f64; 2]> = seat.cover_bolts().into_iter().map(|[x, z]| [x - seat.x, z]).collect();
    let (rim, hub) = (circle([0.0; 2], seat.boss - 1.0, 48), circle([0.0; 2], seat.radius - 4.0, 48));
    let bolts = holes(&places, BOLT_HOLE, BOLT_SIDES);
    let bore: Vec<Outline> = shaft.map(|radius| hole([0.0; 2], radius, 48)).into_iter().collect();
    let below: Vec<Outline> = bolts.iter().chain(&bore).cloned().collect();
    let above: Vec<Outline> = bolts.iter().cloned().chain([hub.clone()]).collect();
    let top = COVER + 5.0;
    solid.face(Axis::Z, 0.0, &rim, &below);
    solid.wall(Axis::Z, &rim, 0.0, COVER);
    solid.face(Axis::Z, COVER, &rim, &above);
    solid.wall(Axis::Z, &hub, COVER, top);
    solid.face(Axis::Z, top, &hub, &bore);
    bolts.iter().for_each(|bolt| solid.wall(Axis::Z, bolt, 0.0, COVER));
    bore.iter().for_each(|bore| solid.wall(Axis::Z, bore, 0.0, top));
    solid
}

pub fn opening_cover() -> Solid {
    let mut solid = Solid::default();
    let outline = rectangle([-105.0, -60.0], [105.0, 60.0]);
    solid.prism(Axis::Z, &outline, &holes(&opening_bolts(), BOLT_HOLE, BOLT_SIDES), 0.0, OPENING_COVER);
    solid
}

/// What lies below the cover of the opening.
pub fn opening_gasket() -> Solid {
    let mut solid = Solid::default();
    let outline = rectangle([-105.0, -60.0], [105.0, 60.0]);
    let mut inside = holes(&opening_bolts(), BOLT_HOLE, BOLT_SIDES);
    inside.push(opening(0.0));
    solid.prism(Axis::Z, &outline, &inside, 0.0, GASKET);
    solid
}

/// A plate with fins for the end of a half; y and z of the housing are its x and y.
pub fn cooling_plate() -> Solid {
    let mut solid = Solid::default();
    let outline = rectangle([-75.0, -36.0], [75.0, 36.0]);
    let bolts = holes(&end_plate_bolts(), BOLT_HOLE, BOLT_SIDES);
    let fins: Vec<Outline> =
        (-4..=4).map(|step| 13.0 * f64::from(step)).map(|u| rectangle([u - 2.0, -20.0], [u + 2.0, 20.0])).collect();
    let above: Vec<Outline> = bolts.iter().chain(&fins).cloned().collect();
    solid.face(Axis::Z, 0.0, &outline, &bolts);
    solid.wall(Axis::Z, &outline, 0.0, COOLING_PLATE);
    solid.face(Axis::Z, COOLING_PLATE, &outline, &above);
    bolts.iter().for_each(|bolt| solid.wall(Axis::Z, bolt, 0.0, COOLING_PLATE));
    for fin in &fins {
        solid.wall(Axis::Z, fin, COOLING_PLATE, COOLING_PLATE + 12.0);
        solid.face(Axis::Z, COOLING_PLATE + 12.0, fin, &[]);
    }
    solid
}

/// The plate that the foot stands on; its top is at 0.
pub fn base_plate() -> Solid {
    let mut solid = Solid::default();
    let outline = rectangle([-225.0, -120.0], [247.0, 120.0]);
    let bolts = holes(&foot_bolts(), BOLT_HOLE, BOLT_SIDES);
    solid.face(Axis::Z, 0.0, &outline, &bolts);
    solid.blind_holes(Axis::Z, &bolts, 0.0, -8.0);
    solid.wall(Axis::Z, &outline, -BASE, 0.0);
    solid.face(Axis::Z, -BASE, &outline, &[]);
    solid
}

pub fn sensor() -> Solid {
    let mut solid = Solid::default();
    let profile = [
        [0.0, 0.0],
        [16.0, 0.0],
        [16.0, 4.0],
        [11.0, 4.0],
        [11.0, 30.0],
        [9.0, 32.0],
        [6.0, 32.0],
        [6.0, 42.0],
        [0.0, 42.0],
    ];
    solid.revolve(&profile, 32);
    solid
}

pub fn sensor_gasket() -> Solid {
    let mut solid = Solid::default();
    solid.prism(Axis::Z, &circle([0.0; 2], 16.0, 32), &[hole([0.0; 2], 8.0, 24)], 0.0, GASKET);
    solid
}
