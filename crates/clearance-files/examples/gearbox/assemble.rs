//! Where everything goes.

use std::collections::BTreeMap;

use clearance::Pose;
use clearance::glam::{DMat3, DVec3};
use clearance_files::{Assembly, Geometry, Part, Unit};

use crate::fasteners::{WASHER, bolt, dowel, nut, washer};
use crate::gear::Gear;
use crate::housing::{
    BOTTOM, DOWELS, END_PLATE, FLANGE, FOOT, FORGOTTEN, FRONT, OPENING, OUTSIDE, SEATS, end_plate_bolts, flange_bolts,
    foot_bolts, lower, opening_bolts, upper,
};
use crate::plates::{
    COOLING_PLATE, COVER, GASKET, OPENING_COVER, base_plate, bearing_cover, cooling_plate, opening_cover,
    opening_gasket, sensor, sensor_gasket,
};
use crate::shaft::{FIT, bearing, collar, shaft};
use crate::solid::{Solid, cos_sin, metres};

/// Which of the two is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    Faulty,
    Repaired,
}

/// Where a part's own z axis points.
#[derive(Clone, Copy)]
enum Axis {
    Left,
    Right,
    Back,
    Front,
    Down,
    Up,
}

impl Axis {
    /// The rotation: made of zeros and ones, so faces along the axes stay where they are to the last bit.
    fn rotation(self) -> DMat3 {
        let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
        match self {
            Axis::Right => DMat3::from_cols(y, z, x),
            Axis::Left => DMat3::from_cols(-y, z, -x),
            Axis::Back => DMat3::from_cols(x, -z, y),
            Axis::Front => DMat3::from_cols(x, z, -y),
            Axis::Up => DMat3::IDENTITY,
            Axis::Down => DMat3::from_cols(x, -y, -z),
        }
    }
}

/// A pose: the part's own z axis up as said, turned about it by an angle, moved to a place given in millimetres.
///
/// A coordinate is a sum: each of its terms is rounded as the points of a file are, and their sum is exact. So a part
/// that stands on two others, one upon the other, stands on them exactly.
fn pose(up: Axis, angle: f64, place: [&[f64]; 3]) -> Pose {
    let [c, s] = cos_sin(angle);
    let turned = DMat3::from_cols(DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0), DVec3::Z);
    let translation = place.map(|terms| terms.iter().map(|&term| metres(term)).sum());
    Pose::new(up.rotation() * turned, DVec3::from_array(translation)).expect("a rotation")
}

/// The assembly in the making; each geometry goes in once.
#[derive(Default)]
struct Tree {
    assembly: Assembly,
    geometries: BTreeMap<String, usize>,
}

impl Tree {
    /// Adds a part. The geometry is drawn if there is none of its name yet.
    fn add(&mut self, path: &str, geometry: &str, draw: impl FnOnce() -> Solid, pose: Pose) {
        let next = self.geometries.len();
        let index = *self.geometries.entry(geometry.to_owned()).or_insert(next);
        if index == next {
            let (points, triangles) = draw().finish();
            self.assembly.geometries.push(Geometry { name: geometry.to_owned(), points, triangles });
        }
        // Drawn with z upward; in glTF that is y.
        let upright = DMat3::from_cols(DVec3::X, -DVec3::Z, DVec3::Y);
        let pose = Pose::new(upright * pose.rotation(), upright * pose.translation()).expect("a rotation");
        self.assembly.parts.push(Part { name: format!("gearbox/{path}"), geometry: index, pose });
    }

    /// A bolt and its washer on a face. `place` holds, along the axis, the terms whose sum is the face.
    fn bolt(&mut self, group: &str, length: u32, up: Axis, place: [&[f64]; 3], axis: usize) {
        let name = format!("m6x{length}");
        // Bolts end where they are tight: no two are turned alike.
        let angle = 0.7 * self.assembly.parts.len() as f64;
        let outward = if up.rotation().z_axis.to_array()[axis] > 0.0 { WASHER } else { -WASHER };
        let raised: Vec<f64> = place[axis].iter().copied().chain([outward]).collect();
        let mut head = place;
        head[axis] = &raised;
        self.add(&format!("bolts/{group}/washer"), "washer", washer, pose(up, 0.0, place));
        self.add(&format!("bolts/{group}/{name}"), &name, || bolt(f64::from(length)), pose(up, angle, head));
    }
}

/// The gearbox.
pub fn gearbox(state: State) -> Assembly {
    let mut tree = Tree { assembly: Assembly { unit: Some(Unit::Metre), ..Assembly::default() }, ..Tree::default() };
    housing(&mut tree, state);
    shafts(&mut tree, state);
    covers(&mut tree);
    flange(&mut tree);
    tree.assembly
}

/// The halves, what is bolted to them other than covers of bearings, dowel pins, the sensor.
fn housing(tree: &mut Tree, state: State) {
    let here = Pose::IDENTITY;
    let roof = -BOTTOM;
    tree.add("housing/lower", "lower", lower, here);
    tree.add("housing/upper", "upper", upper, here);
    tree.add("housing/base-plate", "base-plate", base_plate, pose(Axis::Up, 0.0, [&[], &[], &[FOOT]]));
    for [x, y] in foot_bolts() {
        tree.bolt("foot", 20, Axis::Up, [&[x], &[y], &[BOTTOM]], 2);
    }
    let middle = pose(Axis::Up, 0.0, [&[OPENING], &[], &[roof]]);
    tree.add("gaskets/inspection", "inspection-gasket", opening_gasket, middle);
    let middle = pose(Axis::Up, 0.0, [&[OPENING], &[], &[roof, GASKET]]);
    tree.add("housing/inspection-cover", "inspection-cover", opening_cover, middle);
    for [x, y] in opening_bolts() {
        tree.bolt("inspection", 14, Axis::Up, [&[x, OPENING], &[y], &[roof, GASKET, OPENING_COVER]], 2);
    }
    let mut number = 0;
    for height in [END_PLATE, -END_PLATE] {
        for (up, x, outward) in [(Axis::Left, OUTSIDE[0], -COOLING_PLATE), (Axis::Right, OUTSIDE[1], COOLING_PLATE)] {
            number += 1;
            let place = pose(up, 0.0, [&[x], &[], &[height]]);
            tree.add(&format!("housing/cooling-plate-{number}"), "cooling-plate", cooling_plate, place);
            for [y, z] in end_plate_bolts() {
                tree.bolt("cooling", 14, up, [&[x, outward], &[y], &[height, z]], 0);
            }
        }
    }
    // A fault: the second pin was left where it was drawn, in the middle of a wall.
    let [a, b] = DOWELS.map(|[x, y]| [x, y, 0.0]);
    let second = if state == State::Faulty { FORGOTTEN } else { b };
    for (number, [x, y, z]) in [(1, a), (2, second)] {
        tree.add(&format!("dowels/dowel-{number}"), "dowel", dowel, pose(Axis::Up, 0.0, [&[x], &[y], &[z]]));
    }
    // A fault: the sensor stands on the bare cover, its gasket was forgotten.
    let cover = [roof, GASKET, OPENING_COVER];
    let on_gasket = [roof, GASKET, OPENING_COVER, GASKET];
    if state == State::Repaired {
        tree.add("gaskets/oil-level", "sensor-gasket", sensor_gasket, pose(Axis::Up, 0.0, [&[OPENING], &[], &cover]));
    }
    let height: &[f64] = if state == State::Faulty { &cover } else { &on_gasket };
    tree.add("sensors/oil-level", "sensor", sensor, pose(Axis::Up, 0.0, [&[OPENING], &[], height]));
}

/// Shafts, gears, bearings and the collar.
fn shafts(tree: &mut Tree, state: State) {
    let along = |x: f64, y: f64, angle: f64| pose(Axis::Back, angle, [&[x], &[y], &[]]);
    let [first, second, third] = SEATS.map(|seat| seat.x);
    let seat = 15.0 - FIT;
    let ends = [[-79.0, seat], [79.0, 20.0], [102.0, seat]];
    let input = || shaft(-170.0, &[[-103.0, 13.0], ends[0], ends[1], ends[2]]);
    let between = || shaft(-102.0, &[ends[0], [79.0, 22.0], ends[2]]);
    let output = || shaft(-102.0, &[[-78.0, 20.0 - FIT], [78.0, 27.0], [103.0, 20.0 - FIT], [175.0, 18.0]]);
    tree.add("shaft-1/shaft", "shaft-1", input, along(first, 0.0, 0.0));
    tree.add("shaft-2/shaft", "shaft-2", between, along(second, 0.0, 0.0));
    tree.add("shaft-3/shaft", "shaft-3", output, along(third, 0.0, 0.0));
    let a = Gear { module: 3.0, teeth: 24, width: 34.0, bore: 20.0 + FIT };
    let b = Gear { module: 3.0, teeth: 48, width: 30.0, bore: 22.0 + FIT };
    let c = Gear { module: 3.5, teeth: 20, width: 44.0, bore: 22.0 + FIT };
    let d = Gear { module: 3.5, teeth: 50, width: 40.0, bore: 27.0 + FIT };
    // A fault: the first gear is a quarter of a pitch off, its teeth run into those of the second.
    let off = if state == State::Faulty { a.half_pitch() / 2.0 } else { 0.0 };
    tree.add("shaft-1/gear-a", "gear-a", || a.solid(), along(first, -40.0, off));
    tree.add("shaft-2/gear-b", "gear-b", || b.solid(), along(second, -40.0, b.half_pitch()));
    tree.add("shaft-2/gear-c", "gear-c", || c.solid(), along(second, 38.0, 0.0));
    tree.add("shaft-3/gear-d", "gear-d", || d.solid(), along(third, 38.0, d.half_pitch()));
    for (number, x) in [(1, first), (2, second), (3, third)] {
        for (side, y) in [("left", -88.0), ("right", 88.0)] {
            let path = format!("shaft-{number}/bearing-{side}");
            if number == 3 {
                tree.add(&path, "bearing-40", || bearing(20.0, 40.0, 18.0), along(x, y, 0.0));
            } else {
                tree.add(&path, "bearing-30", || bearing(15.0, 31.0, 16.0), along(x, y, 0.0));
            }
        }
    }
    // A fault: this bearing is there twice.
    if state == State::Faulty {
        let again = along(second, 88.0, 0.0);
        tree.add("shaft-2/bearing-right", "bearing-30", || bearing(15.0, 31.0, 16.0), again);
    }
    // A fault: the collar is 0.2 mm from the cover, where half a millimetre is asked for.
    let (width, gap) = (5.0, if state == State::Faulty { 0.2 } else { 1.0 });
    let collar = || collar(15.0, 22.0, width);
    tree.add("shaft-1/collar", "collar", collar, along(first, FRONT - gap - width / 2.0, 0.0));
}

/// Covers of bearings, with their bolts.
fn covers(tree: &mut Tree) {
    for (index, seat) in SEATS.iter().enumerate() {
        for (up, side, y, outward) in [(Axis::Front, "left", -FRONT, -COVER), (Axis::Back, "right", FRONT, COVER)] {
            let through = match (index, up) {
                (0, Axis::Front) => Some(("cover-input", 14.0)),
                (2, Axis::Back) => Some(("cover-output", 19.0)),
                _ => None,
            };
            let closed = if index == 2 { "cover-large" } else { "cover" };
            let (geometry, hole) = through.map_or((closed, None), |(name, radius)| (name, Some(radius)));
            let path = format!("housing/cover-{}-{side}", index + 1);
            tree.add(&path, geometry, || bearing_cover(seat, hole), pose(up, 0.0, [&[seat.x], &[y], &[]]));
            for [x, z] in seat.cover_bolts() {
                tree.bolt("covers", 20, up, [&[x], &[y, outward], &[z]], 1);
            }
        }
    }
}

/// The bolts that hold the halves together, with nuts.
fn flange(tree: &mut Tree) {
    for [x, y] in flange_bolts() {
        tree.bolt("flange", 40, Axis::Up, [&[x], &[y], &[FLANGE]], 2);
        tree.add("bolts/flange/washer", "washer", washer, pose(Axis::Down, 0.0, [&[x], &[y], &[-FLANGE]]));
        let angle = 0.7 * tree.assembly.parts.len() as f64;
        let below = pose(Axis::Down, angle, [&[x], &[y], &[-FLANGE, -WASHER]]);
        tree.add("bolts/flange/nut", "nut", nut, below);
    }
}
