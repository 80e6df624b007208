//! Stand-ins for the models of Gottschalk, Lin and Manocha (*OBBTree*, 1996), which cannot be had any more: the same
//! numbers of triangles and the same traits, made by formula. Every one has exactly the published number of triangles.

use super::Model;
use super::generate::torus_of;
use crate::models::Random;
use clearance::glam::{DQuat, DVec2, DVec3};
use std::collections::BTreeSet;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Triangles of the pipes.
pub const PIPES: usize = 143_690;

/// A sphere about the origin of so many slices about the z axis and stacks along it: `2 slices (stacks - 1)` triangles.
pub fn uv_sphere(slices: u32, stacks: u32, radius: f64) -> Model {
    let profile = |stack: u32| {
        let (sin, cos) = (PI * f64::from(stack) / f64::from(stacks)).sin_cos();
        DVec2::new(-radius * cos, radius * sin)
    };
    let mut soup = Soup::default();
    let profile: Vec<DVec2> = (1..stacks).map(profile).collect();
    soup.revolve([DVec3::Z, DVec3::X], DVec3::ZERO, slices, &profile, [-radius, radius]);
    soup.into_model("uv-sphere")
}

/// Points and triangles while a model grows.
#[derive(Default)]
pub(super) struct Soup {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    pub fn into_model(self, name: &str) -> Model {
        Model { name: name.into(), points: self.points, triangles: self.triangles }
    }

    /// A ring of points about `centre` in the plane of two unit vectors; the number of the first.
    fn ring(&mut self, centre: DVec3, across: [DVec3; 2], radius: f64, sides: u32) -> u32 {
        let first = self.points.len() as u32;
        for side in 0..sides {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
            self.points.push((centre + radius * (across[0] * cos + across[1] * sin)).to_array());
        }
        first
    }

    /// The wall between two rings, wound outwards where the second is farther along the axis they turn about.
    fn wall(&mut self, from: u32, to: u32, sides: u32) {
        for side in 0..sides {
            let next = (side + 1) % sides;
            self.triangles.push([from + side, from + next, to + next]);
            self.triangles.push([from + side, to + next, to + side]);
        }
    }

    /// A body of revolution about the first axis, wound outwards; `profile` has place along the axis and radius, and
    /// ascends between the two tips.
    pub fn revolve(&mut self, [axis, side]: [DVec3; 2], centre: DVec3, sides: u32, profile: &[DVec2], tips: [f64; 2]) {
        let across = [side, axis.cross(side)];
        let rings: Vec<u32> =
            profile.iter().map(|point| self.ring(centre + axis * point.x, across, point.y, sides)).collect();
        rings.windows(2).for_each(|pair| self.wall(pair[0], pair[1], sides));
        for (end, ring) in [rings.first(), rings.last()].into_iter().enumerate() {
            let Some(&ring) = ring else { continue };
            let apex = self.points.len() as u32;
            self.points.push((centre + axis * tips[end]).to_array());
            for side in 0..sides {
                let [near, far] = [side, (side + 1) % sides].map(|side| ring + side);
                self.triangles.push(if end == 0 { [apex, far, near] } else { [apex, near, far] });
            }
        }
    }

    /// A box, twelve triangles.
    pub fn cuboid(&mut self, centre: DVec3, half: DVec3) {
        let first = self.points.len() as u32;
        for corner in 0..8 {
            let sign = |axis: u32| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            self.points.push((centre + half * DVec3::new(sign(0), sign(1), sign(2))).to_array());
        }
        for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            self.triangles.extend([[a, b, c], [a, c, d]].map(|face| face.map(|corner: u32| first + corner)));
        }
    }
}

/// Cells of the lattice along a side of the cube of pipes.
const LATTICE: i32 = 13;
/// Sides of a pipe, and pieces of a bend.
const PIPE_SIDES: u32 = 16;
const BEND_PIECES: u32 = 12;

/// A cube from -1 to 1 full of pipes, which run along the lines of a lattice without meeting, the first from the middle:
/// straight parts of long thin triangles, bends of small ones. The last pipe ends where the number of triangles is reached.
pub fn pipes(triangles: usize, seed: u64) -> Model {
    let mut random = Random::new(seed, 7001);
    let cell = 2.0 / f64::from(LATTICE);
    let (radius, bend) = (0.2 * cell, 0.5 * cell);
    let middle = |place: [i32; 3]| DVec3::from(place.map(|part| (f64::from(part) + 0.5) * cell - 1.0));
    let mut soup = Soup::default();
    let mut taken = BTreeSet::new();
    while soup.triangles.len() < triangles {
        // Once the lattice is full the pipes begin again inside each other: a soup of polygons may.
        let start = (soup.triangles.is_empty()).then_some([LATTICE / 2; 3]);
        let way = way_of_a_pipe(start, &mut random, &mut taken);
        let [Some(&first), Some(&second)] = [way.first(), way.get(1)] else {
            taken.clear();
            continue;
        };
        let step = |from: [i32; 3], to: [i32; 3]| (middle(to) - middle(from)).normalize();
        let mut along = step(first, second);
        let mut across = [along.any_orthonormal_vector(), along.cross(along.any_orthonormal_vector())];
        let mut ring = soup.ring(middle(first), across, radius, PIPE_SIDES);
        for window in way.windows(3) {
            let next = step(window[1], window[2]);
            if next == along {
                continue;
            }
            // Straight to where the bend begins, and round it.
            let start = middle(window[1]) - along * bend;
            let end = soup.ring(start, across, radius, PIPE_SIDES);
            soup.wall(ring, end, PIPE_SIDES);
            ring = end;
            let (pivot, axis) = (start + next * bend, along.cross(next));
            for piece in 1..=BEND_PIECES {
                let angle = FRAC_PI_2 * f64::from(piece) / f64::from(BEND_PIECES);
                let turn = DQuat::from_axis_angle(axis, angle);
                let turned = across.map(|vector| turn * vector);
                let bent = soup.ring(pivot + turn * (start - pivot), turned, radius, PIPE_SIDES);
                soup.wall(ring, bent, PIPE_SIDES);
                ring = bent;
            }
            let turn = DQuat::from_axis_angle(axis, FRAC_PI_2);
            across = across.map(|vector| turn * vector);
            along = next;
        }
        let end = soup.ring(middle(way[way.len() - 1]), across, radius, PIPE_SIDES);
        soup.wall(ring, end, PIPE_SIDES);
    }
    soup.triangles.truncate(triangles);
    soup.into_model("pipes")
}

/// Free cells one beside the other, of which straight runs have two to five.
fn way_of_a_pipe(start: Option<[i32; 3]>, random: &mut Random, taken: &mut BTreeSet<[i32; 3]>) -> Vec<[i32; 3]> {
    let whole = |random: &mut Random, count: i32| (random.between(0.0, f64::from(count)) as i32).min(count - 1);
    let inside = |place: [i32; 3]| place.iter().all(|part| (0..LATTICE).contains(part));
    let mut place = start.unwrap_or_else(|| [0; 3].map(|_: i32| whole(random, LATTICE)));
    if !taken.insert(place) {
        return Vec::new();
    }
    let mut way = vec![place];
    let mut before = None;
    for _ in 0..24 {
        let axis = whole(random, 3) as usize;
        let sign = 2 * whole(random, 2) - 1;
        if before == Some(axis) {
            continue;
        }
        for _ in 0..2 + whole(random, 4) {
            let mut next = place;
            next[axis] += sign;
            if !inside(next) || !taken.insert(next) {
                break;
            }
            way.push(next);
            place = next;
            before = Some(axis);
        }
    }
    way
}

/// A torus about the z axis, twisted and wrinkled: `2 ring tube` triangles.
pub fn wrinkled_torus(ring: u32, tube: u32) -> Model {
    let (major, minor) = (1.0, 0.3);
    let mut model = torus_of(ring, tube, major, minor);
    for (number, point) in model.points.iter_mut().enumerate() {
        let (i, j) = (number as u32 / tube, number as u32 % tube);
        let around = TAU * f64::from(i) / f64::from(ring);
        let angle = TAU * f64::from(j) / f64::from(tube);
        // Five lobes along the tube, which turn three times about it, and fine wrinkles across.
        let lobes = 0.18 * (5.0 * angle + 3.0 * around).cos();
        let wrinkles = 0.05 * (23.0 * around).sin() * (2.0 * angle).cos();
        let radius = minor * (1.0 + lobes + wrinkles);
        let (sin, cos) = around.sin_cos();
        let out = major + radius * angle.cos();
        *point = [out * cos, out * sin, radius * angle.sin()];
    }
    model.name = "wrinkled-torus".into();
    model
}

/// A landscape over the square from -3 to 3, `2 columns rows` triangles: dimples, teeth, and a stalagmite in the middle
/// that a torus of radii 1 and 0.3 fits round.
pub fn landscape(columns: u32, rows: u32) -> Model {
    let mut soup = Soup::default();
    let side = rows + 1;
    for i in 0..=columns {
        for j in 0..=rows {
            let [x, y] = [(i, columns), (j, rows)].map(|(step, of)| 6.0 * f64::from(step) / f64::from(of) - 3.0);
            soup.points.push([x, y, height(x, y)]);
            if i < columns && j < rows {
                let corner = i * side + j;
                let [a, b, c, d] = [corner, corner + side, corner + side + 1, corner + 1];
                soup.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    soup.into_model("landscape")
}

/// The height of the landscape.
fn height(x: f64, y: f64) -> f64 {
    let dimple = -0.08 * (1.0 + (9.0 * x).sin() * (9.0 * y).cos());
    // A tooth in the middle of every cell, steep, its tip a tenth of the cell wide.
    let (u, v) = ((0.9 * x).sin() * (0.9 * y).sin(), (2.7 * x).cos() * (2.7 * y).cos());
    let tooth = 0.35 * (v.abs().powi(8)) * (0.5 + 0.5 * u);
    let stalagmite = 2.2 * (-6.0 * (x * x + y * y)).exp();
    dimple + tooth + stalagmite
}

/// A torpedo along the x axis, of length 6 and radius 0.25: a hull of revolution, four fins and a lug.
pub fn torpedo() -> Model {
    let mut soup = Soup::default();
    let stacks = 119;
    let profile = |stack: u32| {
        let share = f64::from(stack) / f64::from(stacks);
        let along = 3.0 - 6.0 * share;
        // Round nose, straight body, tapered tail.
        let nose = (1.0 - ((0.12 - share) / 0.12).max(0.0).powi(2)).max(0.0).sqrt();
        let tail = (1.0 - 0.8 * ((share - 0.8) / 0.2).max(0.0).powi(2)).max(0.0);
        DVec2::new(along, 0.25 * nose.min(tail))
    };
    let profile: Vec<DVec2> = (1..stacks).rev().map(profile).collect();
    soup.revolve([DVec3::X, DVec3::Y], DVec3::ZERO, 20, &profile, [-3.0, 3.0]);
    for (y, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = DVec3::new(0.2, 0.01 + 0.09 * f64::abs(y), 0.01 + 0.09 * f64::abs(z));
        soup.cuboid(DVec3::new(-2.7, 0.2 * y, 0.2 * z), half);
    }
    soup.cuboid(DVec3::new(0.0, 0.0, 0.26), DVec3::new(0.08, 0.02, 0.03));
    soup.into_model("torpedo")
}

/// Rollers in pairs along the x axis, in which a [`torpedo`] rests, on a frame of boxes with a few bare triangles.
pub fn pivot() -> Model {
    let mut soup = Soup::default();
    // A roller is a drum with rounded ends, tilted so that each pair makes a trough.
    let stacks = 32;
    let profile = |stack: u32| {
        let share = 2.0 * f64::from(stack) / f64::from(stacks) - 1.0;
        DVec2::new(0.2 * share, 0.1 * (1.0 - share.powi(6)).sqrt())
    };
    let profile: Vec<DVec2> = (1..stacks).map(profile).collect();
    for number in 0..12 {
        let x = 5.0 * f64::from(number) / 11.0 - 2.5;
        for sign in [-1.0, 1.0] {
            let axis = DVec3::new(0.0, 1.0, sign).normalize();
            let centre = DVec3::new(x, 0.25 * sign, -0.25);
            soup.revolve([axis, DVec3::X], centre, 30, &profile, [-0.2, 0.2]);
        }
    }
    for number in 0..11 {
        let x = 5.0 * (f64::from(number) + 0.5) / 11.0 - 2.5;
        soup.cuboid(DVec3::new(x, -0.45, -0.6), DVec3::new(0.05, 0.05, 0.3));
        soup.cuboid(DVec3::new(x, 0.45, -0.6), DVec3::new(0.05, 0.05, 0.3));
    }
    soup.cuboid(DVec3::new(0.0, 0.0, -0.95), DVec3::new(2.7, 0.6, 0.05));
    // Gusset plates without thickness.
    for number in 0..5 {
        let (x, first) = (f64::from(number) - 2.0, soup.points.len() as u32);
        soup.points.extend([[x, -0.5, -0.9], [x, 0.5, -0.9], [x, 0.0, -0.7]]);
        soup.triangles.push([first, first + 1, first + 2]);
    }
    soup.into_model("pivot")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_have_the_published_numbers_of_triangles() {
        let counts = [
            (uv_sphere(200, 81, 1.0), 32_000),
            (pipes(PIPES, 1), PIPES),
            (wrinkled_torus(200, 50), 20_000),
            (landscape(250, 196), 98_000),
            (torpedo(), 4_780),
            (pivot(), 44_921),
        ];
        for (model, wanted) in counts {
            assert_eq!(model.triangles.len(), wanted, "{}", model.name);
            assert!(model.triangles.iter().flatten().all(|&vertex| (vertex as usize) < model.points.len()));
            assert!(model.points.iter().flatten().all(|part| part.is_finite()), "{}", model.name);
        }
    }

    #[test]
    fn closed_models_are_wound_outwards() {
        for (model, least, most) in [(uv_sphere(200, 81, 1.0), 4.18, 4.19), (torpedo(), 1.0, 1.2)] {
            let six_volumes = |number| {
                let [a, b, c] = model.corners(number).map(DVec3::from);
                a.dot(b.cross(c))
            };
            let volume = (0..model.triangles.len()).map(six_volumes).sum::<f64>() / 6.0;
            assert!((least..most).contains(&volume), "{}: {volume}", model.name);
        }
    }

    #[test]
    fn pipes_are_long_and_thin_in_their_straight_parts() {
        let model = pipes(20_000, 1);
        let shape = |number: usize| {
            let [a, b, c] = model.corners(number).map(DVec3::from);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            longest * longest / (b - a).cross(c - a).length()
        };
        let thin = (0..model.triangles.len()).filter(|&number| shape(number) > 5.0).count();
        let share = thin as f64 / model.triangles.len() as f64;
        assert!((0.02..0.5).contains(&share), "{share}");
        assert!(model.points.iter().flatten().all(|part| part.abs() <= 1.0));
    }

    #[test]
    fn the_torus_fits_round_the_stalagmite() {
        let model = wrinkled_torus(200, 50);
        let nearest = model.points.iter().map(|[x, y, _]| x.hypot(*y)).fold(f64::INFINITY, f64::min);
        assert!((0.55..0.75).contains(&nearest), "{nearest}");
        // Where it passes, the stalagmite is lower than a tooth.
        assert!(height(0.0, 0.0) > 1.9 && height(0.6, 0.0) < 0.5);
    }
}
