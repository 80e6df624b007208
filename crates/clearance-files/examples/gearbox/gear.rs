//! Spur gears with involute flanks.

use std::f64::consts::PI;

use crate::solid::{Axis, Outline, Solid, circle, cos_sin, hole, ring};

/// A gear about the z axis, in the middle of its width, a tooth in the direction of x.
pub struct Gear {
    /// Pitch diameter over number of teeth, in millimetres.
    pub module: f64,
    pub teeth: u32,
    pub width: f64,
    /// Radius of the hole for the shaft.
    pub bore: f64,
}

/// Cosine and sine of the angle of pressure, 20 degrees.
fn pressure() -> [f64; 2] {
    cos_sin(PI / 9.0)
}

/// What is between flanks of meshing gears on either side, along the line of action.
const PLAY: f64 = 0.15;
/// Straight pieces of a flank.
const PIECES: u32 = 6;
/// Sides of round holes and rims.
const SIDES: u32 = 48;

impl Gear {
    pub fn pitch_radius(&self) -> f64 {
        self.module * f64::from(self.teeth) / 2.0
    }

    /// Half of the angle between teeth.
    pub fn half_pitch(&self) -> f64 {
        PI / f64::from(self.teeth)
    }

    /// The teeth, around the z axis: flanks are involutes of the base circle, below it they go straight to the root.
    fn outline(&self) -> Outline {
        let [cos, sin] = pressure();
        let (pitch, addendum) = (self.pitch_radius(), self.module);
        let (base, tip, root) = (pitch * cos, pitch + addendum, pitch - 1.25 * self.module);
        // Half of a tooth at the base circle: half of the pitch less the play, and what the involute leans in until
        // there.
        let lean = sin / cos - PI / 9.0;
        let half = (self.module * PI / 4.0 - PLAY / 2.0 / cos) / pitch + lean;
        // The point of the flank at a radius, at its angle from the middle of the tooth.
        let flank = |radius: f64, side: f64| {
            let roll = ((radius / base) * (radius / base) - 1.0).max(0.0).sqrt();
            let ([c, s], [a, b]) = (cos_sin(roll), cos_sin(half));
            let (x, y) = (base * (c + roll * s), base * (s - roll * c));
            [x * a + y * b, side * (x * b - y * a)]
        };
        let start = base.max(root);
        let radius = |step: u32| start + (tip - start) * f64::from(step) / f64::from(PIECES);
        let mut tooth: Outline = Vec::new();
        if root < base {
            let [a, b] = cos_sin(half);
            tooth.push([root * a, -root * b]);
        }
        tooth.extend((0..=PIECES).map(|step| flank(radius(step), -1.0)));
        let mut other: Outline = tooth.iter().map(|&[x, y]| [x, -y]).collect();
        other.reverse();
        tooth.extend(other);
        let around = (0..self.teeth).flat_map(|number| {
            let [c, s] = cos_sin(2.0 * f64::from(number) * self.half_pitch());
            tooth.iter().map(move |&[x, y]| [x * c - y * s, x * s + y * c]).collect::<Vec<_>>()
        });
        around.collect()
    }

    /// A disc with teeth; a large one has a web, thinner than hub and rim, with holes in it.
    pub fn solid(&self) -> Solid {
        let mut solid = Solid::default();
        let (teeth, bore, half) = (self.outline(), hole([0.0; 2], self.bore, SIDES), self.width / 2.0);
        let (hub, rim) = (self.bore + 9.0, self.pitch_radius() - 3.25 * self.module);
        if rim < hub + 20.0 {
            solid.prism(Axis::Z, &teeth, &[bore], -half, half);
            return solid;
        }
        let web = half - 9.0;
        let (hub, rim) = (circle([0.0; 2], hub, SIDES), circle([0.0; 2], rim, SIDES));
        let middle = (self.bore + 9.0 + self.pitch_radius() - 3.25 * self.module) / 2.0;
        let lightened: Vec<Outline> =
            ring([0.0; 2], middle, 6).into_iter().map(|place| circle(place, 8.0, 24)).collect();
        solid.wall(Axis::Z, &teeth, -half, half);
        solid.wall(Axis::Z, &bore, -half, half);
        lightened.iter().for_each(|hole| solid.wall(Axis::Z, hole, -web, web));
        for side in [-1.0, 1.0] {
            solid.face(Axis::Z, side * half, &teeth, std::slice::from_ref(&rim));
            solid.face(Axis::Z, side * half, &hub, std::slice::from_ref(&bore));
            solid.wall(Axis::Z, &rim, side * web, side * half);
            solid.wall(Axis::Z, &hub, side * web, side * half);
            let inside: Vec<Outline> = lightened.iter().cloned().chain([hub.clone()]).collect();
            solid.face(Axis::Z, side * web, &rim, &inside);
        }
        solid
    }
}
