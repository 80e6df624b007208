//! The directions of discrete oriented polytopes.

use super::kdop::Kdop;
use super::sealed::Sealed;

/// The golden ratio.
const GOLDEN: f64 = 1.618_033_988_749_895;

/// A set of directions: one of each pair of opposite ones. They need not be of unit length.
pub trait Directions: Sealed {
    /// Half of the directions; the other half are the opposite ones.
    const HALF: &'static [[f64; 3]];
}

/// The directions of the faces, corners and edges of a cube: 3 + 4 + 6.
const CUBE: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, -1.0],
];

/// The same without the corners.
const CUBE_EDGES: [[f64; 3]; 9] = [CUBE[0], CUBE[1], CUBE[2], CUBE[7], CUBE[8], CUBE[9], CUBE[10], CUBE[11], CUBE[12]];

/// The directions of the faces, corners and edges of a regular dodecahedron: 6 + 10 + 15.
const DODECAHEDRON: [[f64; 3]; 31] = [
    [0.0, 1.0, GOLDEN],
    [0.0, -1.0, GOLDEN],
    [GOLDEN, 0.0, 1.0],
    [GOLDEN, 0.0, -1.0],
    [1.0, GOLDEN, 0.0],
    [-1.0, GOLDEN, 0.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, GOLDEN, GOLDEN - 1.0],
    [0.0, GOLDEN, 1.0 - GOLDEN],
    [GOLDEN - 1.0, 0.0, GOLDEN],
    [1.0 - GOLDEN, 0.0, GOLDEN],
    [GOLDEN, GOLDEN - 1.0, 0.0],
    [GOLDEN, 1.0 - GOLDEN, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, GOLDEN, GOLDEN + 1.0],
    [1.0, GOLDEN, -1.0 - GOLDEN],
    [1.0, -GOLDEN, GOLDEN + 1.0],
    [-1.0, GOLDEN, GOLDEN + 1.0],
    [GOLDEN, GOLDEN + 1.0, 1.0],
    [GOLDEN, GOLDEN + 1.0, -1.0],
    [GOLDEN, -1.0 - GOLDEN, 1.0],
    [-GOLDEN, GOLDEN + 1.0, 1.0],
    [GOLDEN + 1.0, 1.0, GOLDEN],
    [GOLDEN + 1.0, 1.0, -GOLDEN],
    [GOLDEN + 1.0, -1.0, GOLDEN],
    [-1.0 - GOLDEN, 1.0, GOLDEN],
];

/// The first directions of a list, as a list of its own.
const fn first(list: &'static [[f64; 3]], count: usize) -> &'static [[f64; 3]] {
    list.split_at(count).0
}

impl Directions for Kdop<6> {
    const HALF: &'static [[f64; 3]] = first(&CUBE, 3);
}

impl Directions for Kdop<14> {
    const HALF: &'static [[f64; 3]] = first(&CUBE, 7);
}

impl Directions for Kdop<18> {
    const HALF: &'static [[f64; 3]] = &CUBE_EDGES;
}

impl Directions for Kdop<26> {
    const HALF: &'static [[f64; 3]] = &CUBE;
}

impl Directions for Kdop<12> {
    const HALF: &'static [[f64; 3]] = first(&DODECAHEDRON, 6);
}

impl Directions for Kdop<32> {
    const HALF: &'static [[f64; 3]] = first(&DODECAHEDRON, 16);
}

impl Directions for Kdop<62> {
    const HALF: &'static [[f64; 3]] = &DODECAHEDRON;
}
