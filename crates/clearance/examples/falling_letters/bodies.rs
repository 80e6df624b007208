//! The bodies: letters and the bowl they fall into, built here as closed solids with flat faces.

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::{Mesh, Pose, Shape};

use crate::solid::{Axis, Outline, Solid, cos_sin, turn};

/// Kilograms for a cubic metre: wood.
const DENSITY: f64 = 700.0;

/// How thick letters are, in millimetres.
const THICK: f64 = 10.0;

/// The bowl inside and outside, from the axis to the rim: radii and heights in millimetres. A wall of sheet metal.
const INSIDE: [[f64; 2]; 3] = [[0.0, 0.0], [73.5, 25.5], [105.0, 85.0]];
const OUTSIDE: [[f64; 2]; 3] = [[0.0, -1.5], [74.4, 23.85], [106.5, 85.0]];

/// Corners around the bowl: with its four rings that makes 176 triangles, as many as the paper's bowl has.
const AROUND: u32 = 22;

/// The word that falls, in lines of three letters.
const WORD: &str = "CLEARANCE";

/// A rigid body. The origin of its shape is its centre of mass, so `position` is both.
#[derive(Clone)]
pub struct Body {
    pub shape: Shape,
    /// Of a sphere about the centre of mass.
    pub radius: f64,
    /// Zero for the bowl, which is fixed.
    pub inverse_mass: f64,
    /// Inverse of the inertia about the centre of mass, in the body's own frame; zero for the bowl.
    inverse_inertia: DMat3,
    pub position: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    /// Angular momentum in the world: constant in free fall, unlike the angular velocity.
    pub momentum: DVec3,
}

impl Body {
    /// A body at rest where it was drawn.
    fn new(solid: Solid, is_fixed: bool) -> Body {
        let (points, triangles) = solid.finish();
        let of = |points: &[[f64; 3]]| {
            Shape::Mesh(
                Mesh::new(points, &triangles).and_then(|mesh| mesh.solid()).expect("what is drawn here is closed"),
            )
        };
        let middle = of(&points).mass_properties().center;
        let points: Vec<[f64; 3]> = points.iter().map(|&point| (DVec3::from(point) - middle).to_array()).collect();
        let shape = of(&points);
        let whole = shape.mass_properties();
        let (inverse_mass, inverse_inertia) = if is_fixed {
            (0.0, DMat3::ZERO)
        } else {
            ((whole.volume * DENSITY).recip(), (whole.inertia * DENSITY).inverse())
        };
        Body {
            shape,
            radius: points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max),
            inverse_mass,
            inverse_inertia,
            position: middle,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            momentum: DVec3::ZERO,
        }
    }

    pub fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0
    }

    /// Body to world.
    pub fn pose(&self) -> Pose {
        self.pose_moved(DVec3::ZERO)
    }

    /// The pose after a translation.
    pub fn pose_moved(&self, by: DVec3) -> Pose {
        Pose::from_quat(self.rotation, self.position + by).expect("rotations are kept unit, and places finite")
    }

    /// Inverse of the inertia, in the world.
    pub fn inverse_inertia(&self) -> DMat3 {
        let rotation = DMat3::from_quat(self.rotation);
        rotation * self.inverse_inertia * rotation.transpose()
    }

    /// Angular velocity, in the world.
    pub fn spin(&self) -> DVec3 {
        self.inverse_inertia() * self.momentum
    }

    /// The velocity of the body's point at a world position.
    pub fn velocity_at(&self, place: DVec3) -> DVec3 {
        self.velocity + self.spin().cross(place - self.position)
    }

    /// Rotates the body about its centre of mass by a small angle, by the Cayley map: it only needs a square root,
    /// which is the same on every system.
    pub fn turn(&mut self, by: DVec3) {
        let half = by / 2.0;
        self.rotation = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * self.rotation).normalize();
    }

    pub fn kinetic_energy(&self) -> f64 {
        if self.is_fixed() {
            return 0.0;
        }
        (self.velocity.length_squared() / self.inverse_mass + self.spin().dot(self.momentum)) / 2.0
    }

    /// The corners of its surface, in its own frame.
    pub fn corners(&self) -> Vec<DVec3> {
        match &self.shape {
            Shape::Mesh(mesh) => mesh.points().collect(),
            _ => Vec::new(),
        }
    }

    /// Triangles by their corners.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        match &self.shape {
            Shape::Mesh(mesh) => mesh.triangles(),
            _ => Vec::new(),
        }
    }
}

/// Which side of the bowl's wall a point is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In the bowl, or above it.
    In,
    /// In the wall.
    Wall,
    /// Below the wall, or beside the bowl.
    Out,
}

/// The side of a point, treating the bowl as round.
pub fn side_of_bowl(point: DVec3) -> Side {
    let is_above = |profile: &[[f64; 2]; 3]| {
        let radius = 1e3 * point.truncate().length();
        let part = profile.windows(2).find(|part| radius <= part[1][0]);
        part.is_some_and(|part| {
            let [[r, z], [s, w]] = [part[0], part[1]];
            1e3 * point.z >= z + (w - z) * (radius - r) / (s - r)
        })
    };
    if is_above(&INSIDE) {
        Side::In
    } else if is_above(&OUTSIDE) {
        Side::Wall
    } else {
        Side::Out
    }
}

fn bowl() -> Body {
    let profile: Outline = INSIDE.into_iter().chain(OUTSIDE.into_iter().rev()).collect();
    let mut solid = Solid::default();
    solid.revolve(&profile, AROUND);
    Body::new(solid, true)
}

/// An arc about a centre, from one angle to another in eighths of a turn.
fn arc([u, v]: [f64; 2], radius: f64, [from, to]: [f64; 2], count: u32) -> Outline {
    let angle = |k: u32| (from + (to - from) * f64::from(k) / f64::from(count - 1)) * std::f64::consts::FRAC_PI_4;
    (0..count).map(|k| cos_sin(angle(k))).map(|[c, s]| [u + radius * c, v + radius * s]).collect()
}

/// The outline of a letter and its holes: 60 millimetres high, strokes 12 wide.
fn outlines(letter: char) -> (Outline, Vec<Outline>) {
    match letter {
        'L' => (vec![[0.0, 0.0], [38.0, 0.0], [38.0, 12.0], [12.0, 12.0], [12.0, 60.0], [0.0, 60.0]], vec![]),
        'E' => {
            let lower = [[0.0, 0.0], [38.0, 0.0], [38.0, 12.0], [12.0, 12.0], [12.0, 24.0], [32.0, 24.0]];
            let upper = lower.into_iter().rev().map(|[x, y]| [x, 60.0 - y]);
            (lower.into_iter().chain(upper).collect(), vec![])
        }
        'A' => {
            let legs = [[0.0, 0.0], [12.5, 0.0], [16.5, 14.0], [31.5, 14.0], [35.5, 0.0], [48.0, 0.0]];
            let outer = legs.into_iter().chain([[31.0, 60.0], [17.0, 60.0]]).collect();
            (outer, vec![vec![[19.4, 24.0], [28.6, 24.0], [24.0, 40.0]]])
        }
        'R' => {
            let legs = [[0.0, 0.0], [12.0, 0.0], [12.0, 24.0], [17.0, 24.0], [28.0, 0.0], [42.0, 0.0]];
            let bow = arc([24.0, 42.0], 18.0, [-1.5, 2.0], 8);
            let hole = [[12.0, 34.0]].into_iter().chain(arc([24.0, 42.0], 8.0, [-2.0, 2.0], 6)).chain([[12.0, 50.0]]);
            (legs.into_iter().chain(bow).chain([[0.0, 60.0]]).collect(), vec![hole.collect()])
        }
        'N' => {
            let half = [[0.0, 0.0], [12.0, 0.0], [12.0, 38.0], [32.0, 0.0], [44.0, 0.0]];
            (half.into_iter().chain(half.map(|[x, y]| [44.0 - x, 60.0 - y])).collect(), vec![])
        }
        _ => {
            let back = arc([30.0, 30.0], 18.0, [7.0, 1.0], 13);
            (arc([30.0, 30.0], 30.0, [1.0, 7.0], 15).into_iter().chain(back).collect(), vec![])
        }
    }
}

/// A letter, read along y.
fn letter(name: char) -> Body {
    let (outer, holes) = outlines(name);
    let mut solid = Solid::default();
    solid.prism(Axis::Y, &outer, &holes, -THICK / 2.0, THICK / 2.0);
    Body::new(solid, false)
}

/// The bowl, and above it the first letters of the word in lines of three, the last line lowest, each letter slightly
/// rotated.
pub fn scene(letters: usize) -> Vec<Body> {
    let mut bodies = vec![bowl()];
    let lines = letters.div_ceil(3);
    for (number, name) in WORD.chars().take(letters).enumerate() {
        let mut body = letter(name);
        let [column, above] = [(number % 3) as f64 - 1.0, (lines - 1 - number / 3) as f64];
        body.position =
            DVec3::new(0.056 * column + 0.006 * (1.0 - above), 0.012 * column * (1.0 - above), 0.14 + 0.075 * above);
        // Up to a twentieth of a turn, in a different direction for each.
        let [c, s] = turn(5 * number as u32, 9);
        body.turn(DVec3::new(0.35 * c, 0.25 * s, 0.2 * c * s));
        bodies.push(body);
    }
    bodies
}
