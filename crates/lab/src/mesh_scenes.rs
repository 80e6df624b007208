//! Two meshes placed at a wanted distance, after the benchmark of Trenkel, Weller and Zachmann (*A benchmarking suite
//! for static collision detection algorithms*, WSCG 2007): one mesh stands still, the other has one of some
//! orientations and comes in along one of some directions until the surfaces are as far apart as wanted.
//!
//! The distance comes from the caller as a function of the moving mesh's pose. Moved by `s`, it changes by at most `s`,
//! so a step as long as what is too much of it never goes past the first place where it is as wanted. Such steps get
//! short where the surfaces slide along each other; there a step follows the line through the last two places, at most
//! ten times as far, and if that is too far, the place between is found by false position. The suite's authors search
//! on a grid instead.

use crate::models::Random;
use clearance::Pose;
use clearance::glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

/// How near to the wanted distance a placement has to be, relative to it.
const ACCURACY: f64 = 1e-3;
/// How many distances a search may ask for; some ten are usual.
const MOST_STEPS: usize = 2000;

/// How the moving mesh comes in: turned, along a line through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// The orientation of the moving mesh.
    pub rotation: DQuat,
    /// From the origin towards where the moving mesh comes from, of unit length.
    pub direction: DVec3,
}

impl Approach {
    /// The pose of the moving mesh at a distance of its origin from that of the other.
    fn at(&self, offset: f64) -> Result<Pose, clearance::Error> {
        Pose::from_quat(self.rotation, self.direction * offset)
    }
}

/// Every one of `orientations` with every one of `directions`. Orientations are random; directions lie on a spiral,
/// turned at random, so that few of them are spread well.
pub fn approaches(orientations: usize, directions: usize, random: &mut Random) -> Vec<Approach> {
    let rotations: Vec<DQuat> = (0..orientations).map(|_| random.rotation()).collect();
    let turn = random.rotation();
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let direction = |number: usize| {
        let height = 1.0 - (2 * number + 1) as f64 / directions as f64;
        let radius = (1.0 - height * height).sqrt();
        let (sin, cos) = ((number as f64 * golden) % TAU).sin_cos();
        (turn * DVec3::new(radius * cos, radius * sin, height)).normalize()
    };
    let along =
        |rotation: DQuat| (0..directions).map(move |number| Approach { rotation, direction: direction(number) });
    rotations.into_iter().flat_map(along).collect()
}

/// The pose at which the surfaces are `wanted` apart, to a thousandth, the first such place from outside as far as the
/// steps of the search can tell. `gap` gives the distance of the surfaces, 0 where they meet; `reach` is the sum of the
/// largest distances of the meshes' vertices from their origins. `None` if the mesh passes by, or the search takes too
/// long.
pub fn place_at_gap(
    approach: &Approach,
    reach: f64,
    wanted: f64,
    mut gap: impl FnMut(&Pose) -> f64,
) -> Result<Option<Pose>, clearance::Error> {
    Ok(match search(approach, reach, wanted, ACCURACY * wanted, &mut gap)? {
        Some(offset) => Some(approach.at(offset)?),
        None => None,
    })
}

/// A pose at which the surfaces meet, moved in by at most `depth` from a place where they do not. `None` as in
/// [`place_at_gap`].
pub fn place_overlapping(
    approach: &Approach,
    reach: f64,
    depth: f64,
    mut gap: impl FnMut(&Pose) -> f64,
) -> Result<Option<Pose>, clearance::Error> {
    // Where the surfaces pass each other at a slant one step does not close the rest of the gap: go on until they meet.
    let Some(mut offset) = search(approach, reach, 0.1 * depth, ACCURACY * depth, &mut gap)? else { return Ok(None) };
    for _ in 0..MOST_STEPS {
        offset -= depth;
        let pose = approach.at(offset)?;
        if gap(&pose) == 0.0 {
            return Ok(Some(pose));
        }
        if offset < -reach {
            break;
        }
    }
    Ok(None)
}

/// The pose at which so many pairs of triangles meet, found by halving the way in, on which pairs are taken to become
/// more; `None` if sixty halvings do not find it. `pairs` counts them.
pub fn place_with_pairs(
    approach: &Approach,
    reach: f64,
    wanted: RangeInclusive<u64>,
    mut pairs: impl FnMut(&Pose) -> u64,
) -> Result<Option<Pose>, clearance::Error> {
    let (mut near, mut far) = (0.0, reach);
    for _ in 0..60 {
        let offset = 0.5 * (near + far);
        let pose = approach.at(offset)?;
        let count = pairs(&pose);
        if wanted.contains(&count) {
            return Ok(Some(pose));
        }
        *(if count < *wanted.start() { &mut far } else { &mut near }) = offset;
    }
    Ok(None)
}

/// The offset at which the distance is `wanted` to within `accuracy`.
fn search(
    approach: &Approach,
    reach: f64,
    wanted: f64,
    accuracy: f64,
    gap: &mut impl FnMut(&Pose) -> f64,
) -> Result<Option<f64>, clearance::Error> {
    let mut excess = |offset: f64| -> Result<f64, clearance::Error> { Ok(gap(&approach.at(offset)?) - wanted) };
    // The last place that was too far out, and the one before.
    let mut outside = (reach + wanted, excess(reach + wanted)?);
    let mut before: Option<(f64, f64)> = None;
    let mut inside: Option<(f64, f64)> = None;
    for _ in 0..MOST_STEPS {
        if outside.1.abs() <= accuracy {
            return Ok(Some(outside.0));
        }
        if outside.1 < 0.0 || outside.0 < -reach {
            return Ok(None);
        }
        let next = match inside {
            None => {
                // As far as is safe, or to where the line through the last two places goes a little below the wanted
                // distance, but not ten times as far.
                let slope = before.map_or(1.0, |before: (f64, f64)| (before.1 - outside.1) / (before.0 - outside.0));
                outside.0 - (outside.1 + 0.5 * accuracy) / slope.clamp(0.1, 1.0)
            }
            Some(inside) if outside.0 - inside.0 <= f64::EPSILON * reach => return Ok(None),
            Some(inside) => {
                // False position, kept away from the ends: a distance of 0 says nothing about how deep the meshes
                // overlap, and one end would never move.
                let share = outside.1 / (outside.1 - inside.1);
                outside.0 - (outside.0 - inside.0) * share.clamp(0.1, 0.9)
            }
        };
        let found = (next, excess(next)?);
        if found.1.abs() <= accuracy {
            return Ok(Some(next));
        }
        if found.1 > 0.0 {
            before = Some(outside);
            outside = found;
        } else {
            inside = Some(found);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::{Shape, distance};

    fn pairs() -> Vec<[Shape; 2]> {
        let cuboid = Shape::cuboid(DVec3::new(0.5, 0.3, 0.2)).unwrap();
        let ball = Shape::sphere(0.4).unwrap();
        let pin = Shape::capsule(0.5, 1e-4).unwrap();
        vec![[cuboid.clone(), cuboid.clone()], [cuboid.clone(), ball], [pin, cuboid]]
    }

    #[test]
    fn meshes_are_placed_as_far_apart_as_wanted() {
        let (mut steps, mut placed) = (0, 0);
        for [a, b] in pairs() {
            for approach in approaches(6, 5, &mut Random::new(1, 0)) {
                for wanted in [0.3, 1e-2, 1e-5] {
                    let gap = |pose: &Pose| distance(&a, &Pose::IDENTITY, &b, pose).gap.value.max(0.0);
                    let counted = |pose: &Pose| {
                        steps += 1;
                        gap(pose)
                    };
                    let pose = place_at_gap(&approach, 2.0, wanted, counted).unwrap().unwrap();
                    assert!((gap(&pose) - wanted).abs() <= ACCURACY * wanted);
                    assert!(pose.translation().normalize().dot(approach.direction) > 1.0 - 1e-12);
                    placed += 1;
                }
            }
        }
        assert!(steps < 25 * placed, "{} a placement", steps as f64 / f64::from(placed));
    }

    #[test]
    fn the_first_place_from_outside_is_found() {
        // Three walls of no thickness, at 3, 1 and -1.
        let gap = |pose: &Pose| {
            let at = pose.translation().length() * pose.translation().x.signum();
            [3.0_f64, 1.0, -1.0].iter().map(|wall| (at - wall).abs()).fold(f64::INFINITY, f64::min)
        };
        let approach = Approach { rotation: DQuat::IDENTITY, direction: DVec3::X };
        let pose = place_at_gap(&approach, 9.0, 0.25, gap).unwrap().unwrap();
        assert!((pose.translation().x - 3.25).abs() < 1e-3);
        assert_eq!(place_at_gap(&approach, 9.0, 0.25, |_| 5.0).unwrap(), None);
    }

    #[test]
    fn overlaps_are_slight() {
        for [a, b] in pairs() {
            for approach in approaches(6, 5, &mut Random::new(2, 0)) {
                let gap = |pose: &Pose| distance(&a, &Pose::IDENTITY, &b, pose).gap.value.max(0.0);
                let pose = place_overlapping(&approach, 2.0, 1e-4, gap).unwrap().unwrap();
                assert_eq!(gap(&pose), 0.0);
                let back =
                    Pose::from_quat(approach.rotation, pose.translation() + approach.direction * 1.2e-4).unwrap();
                assert!(gap(&back) > 0.0);
            }
        }
        let approach = Approach { rotation: DQuat::IDENTITY, direction: DVec3::X };
        assert_eq!(place_overlapping(&approach, 2.0, 1e-3, |_| 1.0).unwrap(), None);
    }

    #[test]
    fn a_number_of_pairs_is_found() {
        let approach = Approach { rotation: DQuat::IDENTITY, direction: DVec3::Y };
        let pairs = |pose: &Pose| (10_000.0 * (1.0 - pose.translation().y).max(0.0)) as u64;
        let pose = place_with_pairs(&approach, 2.0, 2000..=4000, pairs).unwrap().unwrap();
        assert!((2000..=4000).contains(&pairs(&pose)));
        assert_eq!(place_with_pairs(&approach, 2.0, 20_000..=30_000, pairs).unwrap(), None);
    }

    #[test]
    fn directions_are_spread_and_repeatable() {
        let all = approaches(3, 40, &mut Random::new(3, 0));
        assert_eq!(all.len(), 120);
        assert_eq!(all, approaches(3, 40, &mut Random::new(3, 0)));
        let directions: Vec<DVec3> = all[..40].iter().map(|approach| approach.direction).collect();
        let near = |i: usize| {
            (0..40).filter(|&j| j != i).map(|j| directions[i].distance(directions[j])).fold(f64::INFINITY, f64::min)
        };
        assert!((0..40).all(|i| near(i) > 0.3), "{:?}", (0..40).map(near).fold(f64::INFINITY, f64::min));
    }
}
