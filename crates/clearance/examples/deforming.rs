//! A cloth that folds onto itself in one time step: first contact of all features, exactly.
//!
//! `cargo run -p clearance --example deforming`

use clearance::query::{ImpactSelection, StepOptions, self_collisions_with, self_proximity};
use clearance::{DeformingMesh, self_collisions};

const SIDE: usize = 9;

/// A square sheet, flat (`fold` = 0) or with its right half folded over the left one (`fold` = 1).
fn sheet(fold: f64) -> Vec<[f64; 3]> {
    let angle = fold * 3.3;
    let point = |k: usize| {
        let (x, y) = ((k % SIDE) as f64 - 4.0, (k / SIDE) as f64);
        if x <= 0.5 { [x, y, 0.0] } else { [0.5 + (x - 0.5) * angle.cos(), y + 0.1 * fold, (x - 0.5) * angle.sin()] }
    };
    (0..SIDE * SIDE).map(point).collect()
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cell = |k: usize| {
        let a = (k / (SIDE - 1) * SIDE + k % (SIDE - 1)) as u32;
        let (b, c, d) = (a + 1, a + SIDE as u32, a + SIDE as u32 + 1);
        [[a, b, d], [a, d, c]]
    };
    let triangles: Vec<[u32; 3]> = (0..(SIDE - 1) * (SIDE - 1)).flat_map(cell).collect();
    let mut cloth = DeformingMesh::new(&sheet(0.8), &triangles)?;
    println!("{} pairs of features within 2 before the step", self_proximity(&cloth, 2.0).len());

    // Points move in straight lines to the end of the step.
    cloth.move_to(&sheet(1.0))?;
    let first = self_collisions_with(&cloth, &StepOptions { wanted: ImpactSelection::First, ..StepOptions::default() });
    for impact in &first.impacts {
        println!("first contact at {}: {:?} and {:?}", impact.time, impact.features[0], impact.features[1]);
    }
    let all = self_collisions(&cloth);
    println!("{} impacts in the step", all.impacts.len());
    all.verify_self(&StepOptions::default(), &cloth)?;
    assert!(!first.impacts.is_empty() && all.impacts[0] == first.impacts[0]);
    Ok(())
}
