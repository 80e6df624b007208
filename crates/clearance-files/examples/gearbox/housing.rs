//! The housing: two halves that meet in the plane of the shafts, which run along y. Each half is a box with a flange
//! around its rim, seats for the bearings in bosses, and holes for all the bolts.

use crate::fasteners::{BOLT_HOLE, DOWEL_HOLE, SIDES as BOLT_SIDES};
use crate::solid::{Axis, Outline, Solid, around, hole, holes, rectangle, rim, ring, turn};

/// A shaft's place in the housing.
pub struct Seat {
    pub x: f64,
    /// Radius of the bearing's seat.
    pub radius: f64,
    /// Radius of the boss around it.
    pub boss: f64,
}

pub const SEATS: [Seat; 3] = [
    Seat { x: -130.0, radius: 31.0, boss: 47.0 },
    Seat { x: -22.0, radius: 31.0, boss: 47.0 },
    Seat { x: 100.5, radius: 40.0, boss: 56.0 },
];

impl Seat {
    /// Where the bolts of the cover are, in x and z.
    pub fn cover_bolts(&self) -> Vec<[f64; 2]> {
        ring([self.x, 0.0], (self.radius + self.boss) / 2.0, 16)
    }

    /// The lower half of the seat, from left to right.
    fn seat_arc(&self) -> Outline {
        let radius = around(self.radius, SIDES);
        (SIDES / 2..=SIDES).map(|step| turn(step, SIDES)).map(|[c, s]| [self.x + radius * c, radius * s]).collect()
    }

    /// What of the boss is below the flange, from left to right.
    fn boss_arc(&self) -> Outline {
        let half = (self.boss * self.boss - FLANGE * FLANGE).sqrt();
        let arc =
            (SIDES / 2..=SIDES).map(|step| turn(step, SIDES)).map(|[c, s]| [self.x + self.boss * c, self.boss * s]);
        let below = arc.filter(|&[_, z]| z < -FLANGE - 1.0);
        [[self.x - half, -FLANGE]].into_iter().chain(below).chain([[self.x + half, -FLANGE]]).collect()
    }
}

const SIDES: u32 = 48;
/// Thickness of the flange and of the foot.
pub const FLANGE: f64 = 14.0;
/// The box inside, outside, and the flange: least and greatest x, half of y.
const INSIDE: [f64; 3] = [-180.0, 202.0, 72.0];
pub const OUTSIDE: [f64; 3] = [-190.0, 212.0, 82.0];
const RIM: [f64; 3] = [-210.0, 232.0, 104.0];
/// Where bosses end and covers begin, along y.
pub const FRONT: f64 = RIM[2];
/// The floor, inside and outside, and the bottom of the foot, below the plane of the shafts.
const FLOOR: f64 = -100.0;
pub const BOTTOM: f64 = -110.0;
pub const FOOT: f64 = BOTTOM - FLANGE;
/// The middle of the roof's opening along x, and its half sides.
pub const OPENING: f64 = 30.0;
const OPENING_SIZE: [f64; 2] = [88.0, 43.0];
/// How deep holes go that do not go through, in walls and in bosses.
const DEPTH: f64 = 8.0;
const BOSS_DEPTH: f64 = 14.0;
/// The middle of the plates on the ends, below the plane of the shafts.
pub const END_PLATE: f64 = -64.0;

fn rectangle_of([x0, x1, y]: [f64; 3]) -> Outline {
    rectangle([x0, -y], [x1, y])
}

/// Where the flange is bolted, in x and y.
pub fn flange_bolts() -> Vec<[f64; 2]> {
    let along = [-184.0, -76.0, 34.75, 168.0, 186.0, 204.0].into_iter().flat_map(|x| [[x, -93.0], [x, 93.0]]);
    let ends = (-6..=6).filter(|&step| step != 0).flat_map(|step| [-200.0, 222.0].map(|x| [x, 15.5 * f64::from(step)]));
    along.chain(ends).collect()
}

/// Where dowel pins keep the halves in line, in x and y.
pub const DOWELS: [[f64; 2]; 2] = [[-200.0, 0.0], [222.0, 0.0]];

/// A place in the middle of a wall, below the bosses, where a pin was forgotten.
pub const FORGOTTEN: [f64; 3] = [36.0, 77.0, -70.0];

/// Where the foot is bolted down, in x and y.
pub fn foot_bolts() -> Vec<[f64; 2]> {
    rim([211.0, 94.0], [19, 4]).into_iter().map(|[x, y]| [x + 11.0, y]).collect()
}

/// Where the cover of the opening is bolted, about its middle.
pub fn opening_bolts() -> Vec<[f64; 2]> {
    rim([96.0, 51.0], [12, 6])
}

/// Where the plates on the ends are bolted, about their middle, in y and z.
pub fn end_plate_bolts() -> Vec<[f64; 2]> {
    rim([68.0, 29.0], [8, 3])
}

/// The opening itself, about its middle.
pub fn opening(x: f64) -> Outline {
    let [a, b] = OPENING_SIZE;
    rectangle([x - a, -b], [x + a, b])
}

/// The half with the foot.
pub fn lower() -> Solid {
    let mut solid = half();
    let (outline, bolts) = (rectangle_of(RIM), holes(&foot_bolts(), BOLT_HOLE, BOLT_SIDES));
    let around_box: Vec<Outline> = bolts.iter().cloned().chain([rectangle_of(OUTSIDE)]).collect();
    solid.face(Axis::Z, BOTTOM, &outline, &around_box);
    solid.face(Axis::Z, FOOT, &outline, &bolts);
    solid.wall(Axis::Z, &outline, FOOT, BOTTOM);
    bolts.iter().for_each(|bolt| solid.wall(Axis::Z, bolt, FOOT, BOTTOM));
    solid.face(Axis::Z, FLOOR, &rectangle_of(INSIDE), &[]);
    solid
}

/// The half with the opening.
pub fn upper() -> Solid {
    let mut solid = half();
    let places: Vec<[f64; 2]> = opening_bolts().into_iter().map(|[x, y]| [x + OPENING, y]).collect();
    let (opening, bolts) = (opening(OPENING), holes(&places, BOLT_HOLE, BOLT_SIDES));
    let all: Vec<Outline> = bolts.iter().cloned().chain([opening.clone()]).collect();
    solid.face(Axis::Z, BOTTOM, &rectangle_of(OUTSIDE), &all);
    solid.blind_holes(Axis::Z, &bolts, BOTTOM, BOTTOM + DEPTH);
    solid.wall(Axis::Z, &opening, BOTTOM, FLOOR);
    solid.face(Axis::Z, FLOOR, &rectangle_of(INSIDE), &[opening]);
    solid.mirrored()
}

/// What both halves have in common, below the plane of the shafts: all but floor and bottom.
fn half() -> Solid {
    let mut solid = Solid::default();
    let through: Vec<([f64; 2], Outline)> = flange_bolts()
        .into_iter()
        .map(|place| (place, hole(place, BOLT_HOLE, BOLT_SIDES)))
        .chain(DOWELS.map(|place| (place, hole(place, DOWEL_HOLE, 24))))
        .collect();
    through.iter().for_each(|(_, hole)| solid.wall(Axis::Z, hole, -FLANGE, 0.0));
    let seats = SEATS.map(|seat| seat.seat_arc());
    let bosses = SEATS.map(|seat| seat.boss_arc());
    // The rim is cut by what is round: by seats at the top, by bosses below the flange.
    for (arcs, z, inside) in [(&seats, 0.0, INSIDE), (&bosses, -FLANGE, OUTSIDE)] {
        for piece in rim_pieces(arcs, inside) {
            let held = through.iter().filter(|(place, _)| is_inside(&piece, *place)).map(|(_, hole)| hole.clone());
            solid.face(Axis::Z, z, &piece, &held.collect::<Vec<_>>());
        }
    }
    for side in [-1.0, 1.0] {
        // Between two levels, from left to right along the lower and back along the upper, each broken by its arcs.
        let outline = |[x0, x1, _]: [f64; 3], (low, below): (f64, &[Outline]), (high, above): (f64, &[Outline])| {
            let level =
                |z: f64, arcs: &[Outline]| -> Outline { [vec![[x0, z]], arcs.concat(), vec![[x1, z]]].concat() };
            level(low, below).into_iter().chain(level(high, above).into_iter().rev()).collect::<Outline>()
        };
        let front = outline(RIM, (-FLANGE, &bosses), (0.0, &seats));
        let outer = outline(OUTSIDE, (BOTTOM, &[]), (-FLANGE, &bosses));
        let inner = outline(INSIDE, (FLOOR, &[]), (0.0, &seats));
        let places: Vec<[f64; 2]> = SEATS.iter().flat_map(Seat::cover_bolts).filter(|place| place[1] < 0.0).collect();
        let bolts = holes(&places, BOLT_HOLE, BOLT_SIDES);
        solid.face(Axis::Y, side * FRONT, &front, &bolts);
        solid.blind_holes(Axis::Y, &bolts, side * FRONT, side * (FRONT - BOSS_DEPTH));
        solid.face(Axis::Y, side * OUTSIDE[2], &outer, &[]);
        solid.face(Axis::Y, side * INSIDE[2], &inner, &[]);
        seats.iter().for_each(|arc| solid.open_wall(Axis::Y, arc, side * INSIDE[2], side * FRONT));
        bosses.iter().for_each(|arc| solid.open_wall(Axis::Y, arc, side * OUTSIDE[2], side * FRONT));
    }
    for (end, inward) in [(0, 1.0), (1, -1.0)] {
        let places: Vec<[f64; 2]> = end_plate_bolts().into_iter().map(|[y, z]| [y, z + END_PLATE]).collect();
        let bolts = holes(&places, BOLT_HOLE, BOLT_SIDES);
        let wall = |half: f64, low: f64, high: f64| rectangle([-half, low], [half, high]);
        solid.face(Axis::X, RIM[end], &wall(RIM[2], -FLANGE, 0.0), &[]);
        solid.face(Axis::X, OUTSIDE[end], &wall(OUTSIDE[2], BOTTOM, -FLANGE), &bolts);
        solid.blind_holes(Axis::X, &bolts, OUTSIDE[end], OUTSIDE[end] + inward * DEPTH);
        solid.face(Axis::X, INSIDE[end], &wall(INSIDE[2], FLOOR, 0.0), &[]);
    }
    solid
}

/// The rim between a rectangle inside and the edge of the flange, cut in pieces where the arcs cross it.
fn rim_pieces(arcs: &[Outline; 3], [x0, x1, y]: [f64; 3]) -> Vec<Outline> {
    let starts = arcs.each_ref().map(|arc| arc[0][0]);
    let ends = arcs.each_ref().map(|arc| arc[arc.len() - 1][0]);
    let end_piece = |rim: f64, inside: f64, cut: f64| {
        vec![
            [rim, -RIM[2]],
            [cut, -RIM[2]],
            [cut, -y],
            [inside, -y],
            [inside, y],
            [cut, y],
            [cut, RIM[2]],
            [rim, RIM[2]],
        ]
    };
    let between =
        (0..2).flat_map(|i| [-1.0, 1.0].map(|side| rectangle([ends[i], side * y], [starts[i + 1], side * RIM[2]])));
    between.chain([end_piece(RIM[0], x0, starts[0]), end_piece(RIM[1], x1, ends[2])]).collect()
}

/// Whether a place is in an outline whose sides are along the axes.
fn is_inside(outline: &Outline, [x, y]: [f64; 2]) -> bool {
    let crossed = (0..outline.len()).filter(|&i| {
        let ([a, b], [c, d]) = (outline[i], outline[(i + 1) % outline.len()]);
        a == c && a > x && (b > y) != (d > y)
    });
    crossed.count() % 2 == 1
}
