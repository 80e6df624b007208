//! Seeded moving vertices, faces and edges, random and adversarial, listed by [`MovingScenario`].
//!
//! Most are made on a small grid, where coincidences are frequent: the numbers are small integers, so every combination
//! is exact. They are then transformed by an integer matrix of determinant one, translated and scaled by powers of two,
//! which preserves every coincidence; half of them have one coordinate moved by a few units in the last place, which
//! breaks it by the smallest amount possible.

use crate::moving::MovingFeatures;
use crate::random::Random;
use crate::rational::power_of_two;

/// A situation for which moving features are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MovingScenario {
    /// Corners anywhere in a cube at both times.
    Anywhere,
    /// Small motions past each other.
    Passing,
    /// Corners on a grid of three points a side.
    CoarseGrid,
    /// Corners on a grid of nine points a side.
    FineGrid,
    /// A corner on the other feature, or its boundary, at time 0 or 1.
    TouchingAtTheEnd,
    /// A corner that crosses the other feature's edge or corner, or just misses it, at a time that is not a double.
    AcrossTheBoundary,
    /// The volume has a double root.
    Grazing,
    /// The volume has two roots, close or not.
    DoubleCrossing,
    /// Edges, or sides of a face, that are or become parallel.
    Parallel,
    /// All corners coplanar, on a grid.
    InOnePlane,
    /// All corners coplanar, anywhere in the plane.
    InOnePlaneAnywhere,
    /// All corners collinear.
    OnOneLine,
    /// Faces without area, edges without length, corners that coincide.
    Degenerate,
    /// Nothing moves.
    Still,
    /// A common translation.
    Together,
    /// Far from the origin.
    Far,
    /// Sizes near the smallest doubles.
    Tiny,
    /// Sizes near the largest allowed.
    Huge,
    /// Coordinates of very different magnitude.
    Mixed,
    /// Long thin features.
    Needles,
}

impl MovingScenario {
    /// All scenarios.
    pub const ALL: [MovingScenario; 20] = [
        MovingScenario::Anywhere,
        MovingScenario::Passing,
        MovingScenario::CoarseGrid,
        MovingScenario::FineGrid,
        MovingScenario::TouchingAtTheEnd,
        MovingScenario::AcrossTheBoundary,
        MovingScenario::Grazing,
        MovingScenario::DoubleCrossing,
        MovingScenario::Parallel,
        MovingScenario::InOnePlane,
        MovingScenario::InOnePlaneAnywhere,
        MovingScenario::OnOneLine,
        MovingScenario::Degenerate,
        MovingScenario::Still,
        MovingScenario::Together,
        MovingScenario::Far,
        MovingScenario::Tiny,
        MovingScenario::Huge,
        MovingScenario::Mixed,
        MovingScenario::Needles,
    ];
}

/// Corners at time 0, then at time 1.
type Corners = [[f64; 3]; 8];

/// The features of a scenario and a seed.
///
/// ```
/// use clearance_oracle::moving_pairs::{MovingScenario, moving_features};
/// let features = moving_features(MovingScenario::Grazing, false, 7);
/// assert_eq!(features, moving_features(MovingScenario::Grazing, false, 7));
/// ```
#[must_use]
pub fn moving_features(scenario: MovingScenario, edges: bool, seed: u64) -> MovingFeatures {
    let random = &mut Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(scenario as u64 * 2 + u64::from(edges)));
    let corners = match scenario {
        MovingScenario::Anywhere => anywhere(random),
        MovingScenario::Passing => passing(random),
        MovingScenario::CoarseGrid => disguised(grid(random, 1), random),
        MovingScenario::FineGrid => disguised(grid(random, 4), random),
        MovingScenario::TouchingAtTheEnd => disguised(touching_at_the_end(edges, random), random),
        MovingScenario::AcrossTheBoundary => disguised(across_the_boundary(edges, random), random),
        MovingScenario::Grazing => disguised(two_roots(edges, random, true), random),
        MovingScenario::DoubleCrossing => disguised(two_roots(edges, random, false), random),
        MovingScenario::Parallel => disguised(parallel(edges, random), random),
        MovingScenario::InOnePlane => disguised(flat(grid(random, 2), 2), random),
        MovingScenario::InOnePlaneAnywhere => flat(anywhere(random), random.index(3)),
        MovingScenario::OnOneLine => disguised(flat(flat(grid(random, 3), 2), 1), random),
        MovingScenario::Degenerate => degenerate(random),
        MovingScenario::Still => {
            let mut corners = disguised(grid(random, 2), random);
            corners.copy_within(0..4, 4);
            corners
        }
        MovingScenario::Together => together(random),
        MovingScenario::Far => {
            let offset = [1e3, 1e7, 1e12][random.index(3)];
            let at: [f64; 3] = std::array::from_fn(|_| random.uniform(-offset, offset));
            passing(random).map(|p| std::array::from_fn(|k| p[k] + at[k]))
        }
        MovingScenario::Tiny => {
            let scale = power_of_two(random.integer(-1022, -300));
            disguised(grid(random, 3), random).map(|p| p.map(|x| x * scale))
        }
        MovingScenario::Huge => passing(random).map(|p| p.map(|x| x * power_of_two(196))),
        MovingScenario::Mixed => anywhere(random).map(|p| p.map(|x| x * random.scale(-60, 60))),
        MovingScenario::Needles => needles(random),
    };
    let [a, b, c, d, e, f, g, h] = corners;
    MovingFeatures { edges, start: [a, b, c, d], end: [e, f, g, h] }
}

fn anywhere(random: &mut Random) -> Corners {
    std::array::from_fn(|_| random.in_cube(1.0))
}

/// Small features that move by about their size: many touch.
fn passing(random: &mut Random) -> Corners {
    let start: [[f64; 3]; 4] = std::array::from_fn(|_| random.in_cube(0.5));
    let way = random.in_cube(1.0);
    std::array::from_fn(|k| {
        let wobble = random.in_cube(0.3);
        let way = if k % 4 == 0 { way } else { [0.0; 3] };
        if k < 4 { start[k] } else { std::array::from_fn(|axis| start[k - 4][axis] + way[axis] + wobble[axis]) }
    })
}

fn grid(random: &mut Random, half: i64) -> Corners {
    std::array::from_fn(|_| std::array::from_fn(|_| random.integer(-half, half) as f64))
}

fn flat(mut corners: Corners, axis: usize) -> Corners {
    for corner in &mut corners {
        corner[axis] = 0.0;
    }
    corners
}

/// A weight of a corner, in quarters: on the boundary, inside or outside.
fn quarters(random: &mut Random) -> f64 {
    random.integer(-1, 5) as f64 * 0.25
}

/// A point of the second feature (or of its line or plane) at time 0 or 1, given the other corners.
fn on_feature(edges: bool, corners: &[[f64; 3]], weights: [f64; 2]) -> [f64; 3] {
    std::array::from_fn(|k| {
        if edges {
            corners[2][k] + (corners[3][k] - corners[2][k]) * weights[0]
        } else {
            let [a, b, c] = [1, 2, 3].map(|i: usize| corners[i][k]);
            a + (b - a) * weights[0] + (c - a) * weights[1]
        }
    })
}

fn touching_at_the_end(edges: bool, random: &mut Random) -> Corners {
    let mut corners = grid(random, 3);
    let weights = [quarters(random), if random.coin() { 0.0 } else { quarters(random) }];
    let from = if random.coin() { 0 } else { 4 };
    // In two cases of three, the weights are those of a point of the face.
    let sum = weights[0] + weights[1];
    let weights = if sum > 1.0 && random.coin() { [weights[0], 1.0 - weights[0]] } else { weights };
    corners[from] = on_feature(edges, &corners[from..from + 4], weights);
    corners
}

/// The first corner keeps a fixed position relative to the second feature, except for a motion across it.
fn across_the_boundary(edges: bool, random: &mut Random) -> Corners {
    let mut corners = grid(random, 3);
    let weights = [quarters(random), if random.coin() { 0.0 } else { quarters(random) }];
    let across = random.in_cube(4.0).map(f64::round);
    let (before, after) = (random.integer(0, 5) as f64, random.integer(0, 5) as f64);
    let start = on_feature(edges, &corners[..4], weights);
    let end = on_feature(edges, &corners[4..], weights);
    corners[0] = std::array::from_fn(|k| start[k] - across[k] * before);
    corners[4] = std::array::from_fn(|k| end[k] + across[k] * after);
    corners
}

/// With `x = x0 + x1 (t - 1/2)` the volume is `(t - 1/2) (k - s x0 - s x1 (t - 1/2))`: a double root for `k = s x0`.
fn two_roots(edges: bool, random: &mut Random, double: bool) -> Corners {
    let mut some = |half: i64| random.integer(-half, half) as f64;
    let (s, x0, x1, y0, y1) = (2.0 * some(3), some(4) * 0.25, some(4) * 0.5, some(4) * 0.25, some(2) * 0.5);
    let k = s * x0 + if double { 0.0 } else { some(4) * 0.125 };
    let end = |half: f64| {
        let (u, v) = ([1.0, 0.0, s * half], [0.0, 1.0, 0.0]);
        let w = [x0 + x1 * half, y0 + y1 * half, k * half];
        if edges {
            // The second edge starts a quarter before the point where it would meet the first.
            let back = [w[0], w[1] - 0.25, w[2]];
            [[0.0; 3], u, back, std::array::from_fn(|axis| back[axis] + v[axis])]
        } else {
            [w, [0.0; 3], u, v]
        }
    };
    let ([a, b, c, d], [e, f, g, h]) = (end(-0.5), end(0.5));
    [a, b, c, d, e, f, g, h].map(|p| p.map(|x| x * 64.0))
}

/// Sides that are parallel at time 0, at time 1, at both or in between.
fn parallel(edges: bool, random: &mut Random) -> Corners {
    let mut corners = grid(random, 2);
    let sides = if edges { [[0, 1], [2, 3]] } else { [[1, 2], [1, 3]] };
    let which = random.index(4);
    for (time, from) in [(1, 0), (2, 4)] {
        if which & time == 0 && which != 3 {
            continue;
        }
        let factor = random.integer(-2, 2) as f64;
        let [[a, b], [c, d]] = sides.map(|side| side.map(|k: usize| k + from));
        corners[d] = std::array::from_fn(|k| corners[c][k] + factor * (corners[b][k] - corners[a][k]));
    }
    if which == 0 {
        // Parallel halfway: the change of one is minus twice what it would have to lose.
        let [[a, b], [c, d]] = sides;
        let side = |from: usize, to: usize| -> [f64; 3] { std::array::from_fn(|k| corners[to][k] - corners[from][k]) };
        let [first, last, second] = [side(a, b), side(a + 4, b + 4), side(c, d)];
        corners[d + 4] = std::array::from_fn(|k| corners[c + 4][k] + first[k] + last[k] - second[k]);
    }
    corners
}

fn degenerate(random: &mut Random) -> Corners {
    let mut corners = grid(random, 2);
    for _ in 0..random.integer(1, 3) {
        let (from, to) = (random.index(4), random.index(4));
        corners[to] = corners[from];
        if random.coin() {
            corners[to + 4] = corners[from + 4];
        }
    }
    disguised(corners, random)
}

fn together(random: &mut Random) -> Corners {
    let mut corners = disguised(grid(random, 2), random);
    let way = random.in_cube(3.0).map(f64::round);
    for k in 0..4 {
        corners[k + 4] = std::array::from_fn(|axis| corners[k][axis] + way[axis]);
    }
    corners
}

fn needles(random: &mut Random) -> Corners {
    let thin = [1e-3, 1e-8, 1e-14][random.index(3)];
    passing(random).map(|p| [p[0], p[1] * thin, p[2] * if random.coin() { thin } else { 1.0 }])
}

/// Transformed by an integer matrix of determinant one, translated and scaled by powers of two: exact for small
/// integers and quarters. In half of the cases, one coordinate is moved by a few units in the last place.
fn disguised(corners: Corners, random: &mut Random) -> Corners {
    let mut out = corners;
    for _ in 0..random.integer(0, 3) {
        let (to, from) = (random.index(3), random.index(3));
        if to != from {
            let factor = random.integer(-2, 2) as f64;
            out = out.map(|mut p| {
                p[to] += factor * p[from];
                p
            });
        }
    }
    let offset: [f64; 3] = std::array::from_fn(|_| random.integer(-8, 8) as f64);
    let scale = power_of_two(random.integer(-20, 20));
    let mut out = out.map(|p| std::array::from_fn(|k| (p[k] + offset[k]) * scale));
    if random.coin() {
        let x = &mut out[random.index(8)][random.index(3)];
        for _ in 0..random.integer(1, 3) {
            *x = if random.coin() { x.next_up() } else { x.next_down() };
        }
    }
    out
}
