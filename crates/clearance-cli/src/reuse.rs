//! Which pairs of parts are one question: equal geometries in bit-equal poses under the same limits are measured once.
//!
//! What is found about a pair follows from the two bodies, their poses and what is asked, and from nothing else: where
//! all of these are equal bit by bit, so are the answers, world points included, and each pair has the finding that it
//! would have alone. Equal poses relative to each other are not enough for that: which body's frame a query works in
//! follows the bits of the poses, and ways out and places are found in the world, so the same two parts elsewhere may
//! differ in the last digits.
//!
//! Files have such pairs where components are repeated in one place, by mistake or on purpose: nine levels of two
//! components each are 512 parts on one spot, 130,816 pairs, and one question.

use std::collections::BTreeMap;

use clearance_files::Geometry;
use sha2::{Digest, Sha256};

use crate::model::Model;
use crate::rules::Limits;
use crate::shard::AskedPair;

/// The pairs of a check as questions that differ.
#[derive(Debug)]
pub(crate) struct Questions {
    /// For each question the first pair that asks it.
    pub first: Vec<usize>,
    /// For each pair its question.
    pub of_pairs: Vec<usize>,
}

impl Questions {
    pub fn new(model: &Model, asked: &[AskedPair<'_>]) -> Questions {
        let (classes, members) = classes(model);
        let mut known: BTreeMap<(usize, usize, *const Limits), usize> = BTreeMap::new();
        let (mut first, mut of_pairs) = (Vec::new(), Vec::with_capacity(asked.len()));
        for (number, &(a, b, _, limits)) in asked.iter().enumerate() {
            let (a, b) = (classes[a], classes[b]);
            let new = first.len();
            // Two parts that are like no other are a question of their own.
            let is_alone = members[a] == 1 && members[b] == 1;
            let key = (a, b, std::ptr::from_ref(limits));
            let question = if is_alone { new } else { *known.entry(key).or_insert(new) };
            if question == new {
                first.push(number);
            }
            of_pairs.push(question);
        }
        Questions { first, of_pairs }
    }
}

/// For each part the number of its class, and for each class how many parts it has. Parts of a class have equal
/// geometries in bit-equal poses.
fn classes(model: &Model) -> (Vec<usize>, Vec<usize>) {
    let mut numbers = BTreeMap::new();
    let mut members = Vec::new();
    let mut class = |key| {
        let number = *numbers.entry(key).or_insert(members.len());
        if number == members.len() {
            members.push(0);
        }
        members[number] += 1;
        number
    };
    let of_parts = model.parts.iter().map(|part| {
        let rotation = part.pose.rotation().to_cols_array().map(f64::to_bits);
        let translation = part.pose.translation().to_array().map(f64::to_bits);
        class((model.contents[part.body], rotation, translation))
    });
    (of_parts.collect(), members)
}

/// A hash of all that a body is made from: points, bit by bit, and triangles, in their order.
pub(crate) fn content(geometry: &Geometry) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update((geometry.points.len() as u64).to_le_bytes());
    geometry.points.iter().flatten().for_each(|x| hasher.update(x.to_bits().to_le_bytes()));
    geometry.triangles.iter().flatten().for_each(|corner| hasher.update(corner.to_le_bytes()));
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::Questions;
    use crate::model::{LoadOptions, Model};
    use crate::rules::Limits;

    #[test]
    fn equal_pairs_are_one_question() {
        let path = std::env::temp_dir().join(format!("clearance-reuse-{}.obj", std::process::id()));
        // Three triangles in one place, a longer one, and one with a zero of another sign.
        let triangles = ["1 0", "1 0", "1 0", "2 0", "1 -0"];
        let object = |(number, x): (usize, &&str)| format!("o part{number}\nv 0 0 0\nv {x} 0\nv 0 1 0\nf -3 -2 -1\n");
        std::fs::write(&path, triangles.iter().enumerate().map(object).collect::<String>()).unwrap();
        let model = Model::load(std::slice::from_ref(&path), &LoadOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (limits, others) = (Limits::default(), Limits::default());
        let mut asked = Vec::new();
        for a in 0..5 {
            asked.extend((a + 1..5).map(|b| (a, b, "default", &limits)));
        }
        let questions = Questions::new(&model, &asked);
        // Pairs: 01 02 03 04, 12 13 14, 23 24, 34.
        assert_eq!(questions.of_pairs, [0, 0, 1, 2, 0, 1, 2, 1, 2, 3]);
        assert_eq!(questions.first, [0, 2, 3, 9]);
        // What is asked otherwise is another question.
        asked[1].3 = &others;
        assert_eq!(Questions::new(&model, &asked).of_pairs[..2], [0, 1]);
    }
}
