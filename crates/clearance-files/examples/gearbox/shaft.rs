//! What turns: stepped shafts, the bearings they run in, and the collars that keep those in place. The axis is z.

use crate::solid::{Solid, around, turn};

const SIDES: u32 = 48;
/// Between a shaft and what sits on it, and between a bearing and its seat. Circles are polygons here: those of shafts
/// are inside of theirs, those of holes outside, so this is the least there is.
pub const FIT: f64 = 0.05;

/// Steps as the place where one ends and its radius, from `start` on.
pub fn shaft(start: f64, steps: &[[f64; 2]]) -> Solid {
    let mut solid = Solid::default();
    let mut profile = vec![[0.0, start]];
    let mut from = start;
    for &[to, radius] in steps {
        profile.extend([[radius, from], [radius, to]]);
        from = to;
    }
    profile.push([0.0, from]);
    // Ends that would cut a finger are chamfered.
    let last = profile.len() - 2;
    let [first, end] = [profile[1], profile[last]];
    profile[1] = [first[0], first[1] + 1.5];
    profile.insert(1, [first[0] - 1.5, first[1]]);
    profile[last + 1] = [end[0], end[1] - 1.5];
    profile.insert(last + 2, [end[0] - 1.5, end[1]]);
    solid.revolve(&profile, SIDES);
    solid
}

/// A ring about the origin.
fn ring(solid: &mut Solid, inner: f64, outer: f64, half: f64) {
    let inner = around(inner, SIDES);
    solid.revolve(
        &[
            [inner, -half],
            [outer - 0.8, -half],
            [outer, 0.8 - half],
            [outer, half - 0.8],
            [outer - 0.8, half],
            [inner, half],
        ],
        SIDES,
    );
}

/// A ball bearing: two rings and ten balls, none of which touch.
pub fn bearing(bore: f64, outside: f64, width: f64) -> Solid {
    let mut solid = Solid::default();
    let third = (outside - bore) * 0.32;
    ring(&mut solid, bore, bore + third, width / 2.0);
    ring(&mut solid, outside - third, outside - FIT, width / 2.0);
    let middle = (bore + outside) / 2.0;
    for step in 0..10 {
        let [c, s] = turn(step, 10);
        solid.ball([middle * c, middle * s, 0.0], (outside - bore) / 2.0 - third - 0.1);
    }
    solid
}

pub fn collar(bore: f64, outside: f64, width: f64) -> Solid {
    let mut solid = Solid::default();
    ring(&mut solid, bore, outside, width / 2.0);
    solid
}
