//! Identifies pairs of parts that pose the same question: equal geometries in bit-identical relative placement under
//! the same limits are measured once.
//!
//! The result for a pair follows from the two bodies, their poses and the limits. Each pair is measured relative to the
//! origin of its first part if the difference of the two origins is exact: the same bodies, moved together. Pairs with
//! equal rotations and an equal offset are then one question, wherever they are, and each gets the finding it would
//! have alone, moved back to its place. If the offset is rounded, pairs are measured in place, and are one question if
//! their poses are equal. Pairs that are rotated as a whole are not: the product of two rotations is rounded, so they
//! match only approximately.
//!
//! Files have such pairs where a group of parts is repeated, or where components coincide by mistake: nine levels of
//! two components each are 512 parts in one spot, 130,816 pairs, and one question.

use std::collections::BTreeMap;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance_files::Geometry;
use sha2::{Digest, Sha256};

use crate::model::Model;
use crate::rules::Limits;
use crate::shard::AskedPair;

/// The distinct questions among the pairs of a check.
#[derive(Debug)]
pub(crate) struct Questions {
    /// For each question, the first pair that poses it.
    pub first: Vec<usize>,
    /// For each pair, its question.
    pub of_pairs: Vec<usize>,
}

/// The poses in which two parts are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// The poses of the parts, less `origin`.
    pub poses: [Pose; 2],
    /// The origin of the first part, or zero if the pair is measured in place.
    pub origin: DVec3,
}

impl Placement {
    pub fn new(a: &Pose, b: &Pose) -> Placement {
        let (origin, end) = (a.translation(), b.translation());
        let way = end - origin;
        // The rounding error of the difference, which is itself exact.
        let back = way - end;
        let rounded = (end - (way - back)) - (origin + back);
        let about_the_first = || {
            let [a, b] = [(a, DVec3::ZERO), (b, way)].map(|(pose, to)| Pose::new(pose.rotation(), to).ok());
            Some(Placement { poses: [a?, b?], origin })
        };
        let moved = if rounded == DVec3::ZERO { about_the_first() } else { None };
        moved.unwrap_or(Placement { poses: [*a, *b], origin: DVec3::ZERO })
    }

    /// What distinguishes pairs of the same bodies: the rotations and origins of both.
    fn bits(&self) -> [[u64; 12]; 2] {
        self.poses.map(|pose| {
            let (rotation, translation) = (pose.rotation().to_cols_array(), pose.translation());
            std::array::from_fn(|k| if k < 9 { rotation[k] } else { translation[k - 9] }.to_bits())
        })
    }
}

impl Questions {
    pub fn new(model: &Model, asked: &[AskedPair<'_>]) -> Questions {
        let (classes, members) = classes(model);
        // A hash of the placement, to save memory: a pair takes 64 bytes here.
        let mut known: BTreeMap<(u32, u32, *const Limits, [u8; 16]), usize> = BTreeMap::new();
        let (mut first, mut of_pairs) = (Vec::new(), Vec::with_capacity(asked.len()));
        for (number, &(a, b, _, limits)) in asked.iter().enumerate() {
            let placement = Placement::new(&model.parts[a].pose, &model.parts[b].pose);
            let (a, b) = (classes[a], classes[b]);
            let new = first.len();
            // A pair of unique bodies is always a question of its own.
            let is_alone = members[a as usize] == 1 && members[b as usize] == 1;
            let key = || (a, b, std::ptr::from_ref(limits), hash(&placement));
            let question = if is_alone { new } else { *known.entry(key()).or_insert(new) };
            if question == new {
                first.push(number);
            }
            of_pairs.push(question);
        }
        Questions { first, of_pairs }
    }
}

fn hash(placement: &Placement) -> [u8; 16] {
    let mut hasher = Sha256::new();
    placement.bits().iter().flatten().for_each(|bits| hasher.update(bits.to_le_bytes()));
    let whole: [u8; 32] = hasher.finalize().into();
    std::array::from_fn(|k| whole[k])
}

/// For each part the index of its class, and for each class its number of parts. Parts of a class have equal
/// geometries.
fn classes(model: &Model) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = BTreeMap::new();
    let mut members: Vec<u32> = Vec::new();
    let of_parts = model.parts.iter().map(|part| {
        let number = *numbers.entry(model.contents[part.body]).or_insert(members.len());
        if number == members.len() {
            members.push(0);
        }
        members[number] += 1;
        number as u32
    });
    (of_parts.collect(), members)
}

/// A hash of everything a body is made from: the bits of the points, and the triangles, in order.
pub(crate) fn content(geometry: &Geometry) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update((geometry.points.len() as u64).to_le_bytes());
    geometry.points.iter().flatten().for_each(|x| hasher.update(x.to_bits().to_le_bytes()));
    geometry.triangles.iter().flatten().for_each(|corner| hasher.update(corner.to_le_bytes()));
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use clearance::Pose;
    use clearance::glam::{DMat3, DVec3};

    use super::{Placement, Questions};
    use crate::model::{LoadOptions, Model};
    use crate::rules::{Limits, Reason};

    const REASON: Reason<'_> = Reason { rule: "default", set: None };

    #[test]
    fn equal_pairs_are_one_question() {
        let path = std::env::temp_dir().join(format!("clearance-reuse-{}.obj", std::process::id()));
        // Three triangles in one place, a longer one, and one with a zero of the other sign.
        let triangles = ["1 0", "1 0", "1 0", "2 0", "1 -0"];
        let object = |(number, x): (usize, &&str)| format!("o part{number}\nv 0 0 0\nv {x} 0\nv 0 1 0\nf -3 -2 -1\n");
        std::fs::write(&path, triangles.iter().enumerate().map(object).collect::<String>()).unwrap();
        let model = Model::load(std::slice::from_ref(&path), &LoadOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (limits, others) = (Limits::default(), Limits::default());
        let mut asked = Vec::new();
        for a in 0..5 {
            asked.extend((a + 1..5).map(|b| (a, b, REASON, &limits)));
        }
        let questions = Questions::new(&model, &asked);
        // Pairs: 01 02 03 04, 12 13 14, 23 24, 34.
        assert_eq!(questions.of_pairs, [0, 0, 1, 2, 0, 1, 2, 1, 2, 3]);
        assert_eq!(questions.first, [0, 2, 3, 9]);
        // Other limits are another question.
        asked[1].3 = &others;
        assert_eq!(Questions::new(&model, &asked).of_pairs[..2], [0, 1]);
    }

    /// Two geometries: a pair of parts, and the pair again elsewhere.
    #[test]
    fn pairs_that_lie_alike_are_one_question() {
        let path = std::env::temp_dir().join(format!("clearance-alike-{}.obj", std::process::id()));
        let object = |(number, x): (usize, &f64)| {
            format!("o part{number}\nv 0 0 0\nv {x} 0 0\nv 0 1 0\nv 0 0 1\nf -4 -3 -2\nf -4 -1 -3\n")
        };
        let sizes = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
        std::fs::write(&path, sizes.iter().enumerate().map(object).collect::<String>()).unwrap();
        let mut model = Model::load(std::slice::from_ref(&path), &LoadOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        // The third pair has the same offset up to rounding: 0.1 - 0.5 is rounded.
        let way = DVec3::new(0.25, 0.125, -0.5);
        let (far, farther) = (DVec3::new(1024.0, -2.0, 0.75), DVec3::new(2048.0, -4.0, 0.1));
        let turned = Pose::from_axis_angle(DVec3::X, 0.3, DVec3::ZERO).unwrap().rotation();
        let places = [DVec3::ZERO, way, far, far + way, farther, farther + way];
        for (part, at) in model.parts.iter_mut().zip(places) {
            part.pose = Pose::new(turned, at).unwrap();
        }
        let limits = Limits { clearance: 2.0, ..Limits::default() };
        let asked = [(0, 1), (2, 3), (4, 5)].map(|(a, b)| (a, b, REASON, &limits));
        let placement = |pair: usize| Placement::new(&model.parts[2 * pair].pose, &model.parts[2 * pair + 1].pose);
        assert_eq!(placement(0).bits(), placement(1).bits());
        assert_eq!((placement(1).origin, placement(2).origin), (far, DVec3::ZERO));
        assert_eq!(Questions::new(&model, &asked).of_pairs, [0, 0, 1]);
        // Rotated, they do not match.
        model.parts[3].pose = Pose::new(DMat3::IDENTITY, places[3]).unwrap();
        assert_eq!(Questions::new(&model, &asked).of_pairs[..2], [0, 1]);
    }

    /// Each pair has the finding it would have alone, in its place.
    #[test]
    fn places_of_findings_are_those_of_the_pair() {
        let way = Pose::from_translation(DVec3::new(3.0, 4.0, 5.0)).unwrap();
        let placement = Placement::new(&way, &Pose::from_translation(DVec3::new(3.5, 4.0, 5.0)).unwrap());
        assert_eq!(placement.origin, DVec3::new(3.0, 4.0, 5.0));
        assert_eq!(placement.poses[1].translation(), DVec3::new(0.5, 0.0, 0.0));
        // 1e16 - 1 takes more digits than a double has.
        let far = Pose::from_translation(DVec3::new(1e16, 0.0, 0.0)).unwrap();
        let near = Pose::from_translation(DVec3::new(-1.0, 0.0, 0.0)).unwrap();
        let placement = Placement::new(&near, &far);
        assert_eq!((placement.origin, placement.poses), (DVec3::ZERO, [near, far]));
    }
}
