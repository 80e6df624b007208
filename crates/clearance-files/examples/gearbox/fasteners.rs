//! What holds it together: M6 bolts, washers, nuts, and dowel pins. The axis is z; what they sit on is at 0, below
//! them.

use crate::solid::{Axis, Outline, Solid, around, circle, hole, turn};

/// Radius of a bolt.
const BOLT: f64 = 3.0;
/// Radius of the holes for bolts.
pub const BOLT_HOLE: f64 = 3.3;
/// Sides of bolts and of their holes.
pub const SIDES: u32 = 12;
/// Thickness of a washer.
pub const WASHER: f64 = 1.6;
/// Radius of a dowel pin, and of the holes for them.
pub const DOWEL: f64 = 3.0;
pub const DOWEL_HOLE: f64 = 3.05;

/// A hexagon, ten millimetres from side to side.
fn hexagon() -> Outline {
    (0..6).map(|step| turn(step, 6).map(|part| around(5.0, 6) * part)).collect()
}

/// A bolt; its shank goes down from 0, its head up.
pub fn bolt(length: f64) -> Solid {
    let mut solid = Solid::default();
    let (shank, end) = (circle([0.0; 2], BOLT, SIDES), circle([0.0; 2], BOLT - 0.8, SIDES));
    solid.face(Axis::Z, 0.0, &hexagon(), std::slice::from_ref(&shank));
    solid.wall(Axis::Z, &hexagon(), 0.0, 4.0);
    solid.face(Axis::Z, 4.0, &hexagon(), &[]);
    solid.wall(Axis::Z, &shank, 0.0, 0.8 - length);
    solid.taper(Axis::Z, (&shank, 0.8 - length), (&end, -length));
    solid.face(Axis::Z, -length, &end, &[]);
    solid
}

pub fn washer() -> Solid {
    let mut solid = Solid::default();
    solid.prism(Axis::Z, &circle([0.0; 2], 6.0, 24), &[hole([0.0; 2], BOLT_HOLE, SIDES)], 0.0, WASHER);
    solid
}

pub fn nut() -> Solid {
    let mut solid = Solid::default();
    solid.prism(Axis::Z, &hexagon(), &[hole([0.0; 2], BOLT + 0.2, SIDES)], 0.0, 5.0);
    solid
}

/// A pin about the origin.
pub fn dowel() -> Solid {
    let mut solid = Solid::default();
    let (end, side) = (DOWEL - 0.5, DOWEL);
    solid.revolve(&[[0.0, -12.0], [end, -12.0], [side, -11.5], [side, 11.5], [end, 12.0], [0.0, 12.0]], 24);
    solid
}
