//! A hash of our answers, one for each row of an experiment: what moving and renaming code must not change.
//!
//! An answer is a sequence of numbers: its *meaning*. Each number is eight bytes, little endian: the bits of a float (0
//! and -0 differ, every NaN is the same), an index or a count, 0 or 1 for a bool. What may be absent has a 0 or a 1
//! before it, a list its length. No name of a type or field enters, nor a text made of one, nor a time taken.
//!
//! The order is the same for all answers: lower, value, upper; times; points of A and of B; the normal; parts of A and
//! of B; features of A and of B, each the number of its kind and its index; the rest. Where an answer has none of one
//! sort, the next follows. A kind of something (a feature, a method, a verdict) is a number that is given once and
//! stays.
//!
//! Left out is what says how much work an answer took (steps, readings, candidates, stretches, boxes): that is a cost.
//!
//! The hash of an answer is SHA-256 of the place that it has in its row and of its meaning, the first 16 bytes as a
//! number; that of a row is the sum of these modulo 2^128. So threads may find answers in any order, and two answers
//! that swap places change the hash.
//!
//! What the answers of the engine mean stands in `answers.rs`, the one file that changes when their fields are renamed.

mod answers;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance::shape::Aabb;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The answers of a row: how many, and the sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Answers noted.
    pub count: u64,
    /// Sum of their hashes modulo 2^128.
    pub hash: u128,
}

impl Digest {
    /// Of one answer alone.
    pub fn of(answer: &(impl Meaning + ?Sized)) -> Digest {
        let mut digest = Digest::default();
        digest.push(answer);
        digest
    }

    /// Of answers whose place is their position.
    pub fn of_all(answers: impl IntoIterator<Item: Meaning>) -> Digest {
        let mut digest = Digest::default();
        answers.into_iter().for_each(|answer| digest.push(&answer));
        digest
    }

    /// Takes in the answer at a place of the row: a number, or whatever else distinguishes the queries of a row.
    pub fn note(&mut self, place: &(impl Meaning + ?Sized), answer: &(impl Meaning + ?Sized)) {
        let mut bits = Bits(Sha256::new());
        place.feed(&mut bits);
        answer.feed(&mut bits);
        self.add(Digest { count: 1, hash: bits.hash() });
    }

    /// Takes in the next answer of a row whose answers come one after the other.
    pub fn push(&mut self, answer: &(impl Meaning + ?Sized)) {
        let place = self.count;
        self.note(&place, answer);
    }

    /// Takes in what was noted elsewhere.
    pub fn add(&mut self, other: Digest) {
        self.count += other.count;
        self.hash = self.hash.wrapping_add(other.hash);
    }

    /// As a row has it.
    pub fn to_json(self) -> Value {
        json!({ "count": self.count, "hash": format!("{:032x}", self.hash) })
    }

    /// Of a row; `None` if it has none.
    pub fn from_json(value: &Value) -> Option<Digest> {
        let hash = u128::from_str_radix(value.get("hash")?.as_str()?, 16).ok()?;
        Some(Digest { count: value.get("count")?.as_u64()?, hash })
    }
}

/// Takes in the numbers of one answer.
pub struct Bits(Sha256);

impl Bits {
    fn word(&mut self, word: u64) {
        self.0.update(word.to_le_bytes());
    }

    /// Of something that is bytes already.
    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.0.update(bytes);
    }

    /// What is proved from both sides, and the value between.
    fn bracket(&mut self, lower: f64, value: f64, upper: f64) {
        [lower, value, upper].feed(self);
    }

    fn hash(self) -> u128 {
        let mut first = [0; 16];
        first.copy_from_slice(&self.0.finalize()[..16]);
        u128::from_le_bytes(first)
    }
}

/// What an answer says, as numbers in the order that the head of this file gives.
pub trait Meaning {
    /// Feeds them.
    fn feed(&self, into: &mut Bits);
}

impl<T: Meaning + ?Sized> Meaning for &T {
    fn feed(&self, into: &mut Bits) {
        (**self).feed(into);
    }
}

impl Meaning for f64 {
    fn feed(&self, into: &mut Bits) {
        into.word(if self.is_nan() { f64::NAN.to_bits() } else { self.to_bits() });
    }
}

impl Meaning for u64 {
    fn feed(&self, into: &mut Bits) {
        into.word(*self);
    }
}

impl Meaning for u32 {
    fn feed(&self, into: &mut Bits) {
        into.word(u64::from(*self));
    }
}

impl Meaning for usize {
    fn feed(&self, into: &mut Bits) {
        into.word(*self as u64);
    }
}

/// Of several answers about one question, hashed where they were found.
impl Meaning for Digest {
    fn feed(&self, into: &mut Bits) {
        let Digest { count, hash } = self;
        (count, [*hash as u64, (hash >> 64) as u64]).feed(into);
    }
}

impl Meaning for bool {
    fn feed(&self, into: &mut Bits) {
        into.word(u64::from(*self));
    }
}

/// For names in data, as those of parts; never for names in the code.
impl Meaning for str {
    fn feed(&self, into: &mut Bits) {
        into.bytes(self.as_bytes());
    }
}

impl<T: Meaning> Meaning for Option<T> {
    fn feed(&self, into: &mut Bits) {
        self.is_some().feed(into);
        if let Some(answer) = self {
            answer.feed(into);
        }
    }
}

/// That a query failed is an answer; the wording of the error is not.
impl<T: Meaning, E> Meaning for Result<T, E> {
    fn feed(&self, into: &mut Bits) {
        self.as_ref().ok().feed(into);
    }
}

impl<T: Meaning> Meaning for [T] {
    fn feed(&self, into: &mut Bits) {
        self.len().feed(into);
        self.iter().for_each(|answer| answer.feed(into));
    }
}

impl<T: Meaning> Meaning for Vec<T> {
    fn feed(&self, into: &mut Bits) {
        self.as_slice().feed(into);
    }
}

impl<T: Meaning, const N: usize> Meaning for [T; N] {
    fn feed(&self, into: &mut Bits) {
        self.iter().for_each(|answer| answer.feed(into));
    }
}

impl<A: Meaning, B: Meaning> Meaning for (A, B) {
    fn feed(&self, into: &mut Bits) {
        self.0.feed(into);
        self.1.feed(into);
    }
}

impl<A: Meaning, B: Meaning, C: Meaning> Meaning for (A, B, C) {
    fn feed(&self, into: &mut Bits) {
        ((&self.0, &self.1), &self.2).feed(into);
    }
}

impl<A: Meaning, B: Meaning, C: Meaning, D: Meaning> Meaning for (A, B, C, D) {
    fn feed(&self, into: &mut Bits) {
        ((&self.0, &self.1), (&self.2, &self.3)).feed(into);
    }
}

impl Meaning for DVec3 {
    fn feed(&self, into: &mut Bits) {
        self.to_array().feed(into);
    }
}

impl Meaning for Pose {
    fn feed(&self, into: &mut Bits) {
        (self.rotation().to_cols_array(), self.translation()).feed(into);
    }
}

impl Meaning for Aabb {
    fn feed(&self, into: &mut Bits) {
        [self.min, self.max].feed(into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::answer::{Distance, Evidence, Method, Stopped};
    use clearance::query::RelationOptions;
    use clearance::shape::Feature;
    use clearance::{PairCache, Relation, Shape, Workspace};
    use clearance_robot::{MotionClearance, MotionImpact, Sweep};

    fn distances() -> Vec<Distance> {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let away = |k: i32| Pose::from_translation(DVec3::new(3.0 + f64::from(k), 0.5, 0.25)).unwrap();
        (0..12).map(|k| clearance::distance(&cube, &Pose::IDENTITY, &cube, &away(k))).collect()
    }

    /// What changes of an answer, one after the other: each has to change its hash.
    fn all_differ<T: Meaning + Clone>(answer: &T, changes: &[fn(&mut T)]) {
        let mut seen = vec![Digest::of(answer)];
        for (number, change) in changes.iter().enumerate() {
            let mut other = answer.clone();
            change(&mut other);
            let digest = Digest::of(&other);
            assert!(!seen.contains(&digest), "change {number}");
            seen.push(digest);
        }
        assert_eq!(Digest::of(&answer.clone()), seen[0]);
    }

    /// The neighbour of a number: one bit of it is another.
    fn flip(x: &mut f64) {
        *x = f64::from_bits(x.to_bits() ^ 1);
    }

    #[test]
    fn the_order_and_the_threads_do_not_matter_but_the_places_do() {
        let answers = distances();
        let whole = Digest::of_all(&answers);
        assert_eq!(whole.count, 12);
        let mut backwards = Digest::default();
        answers.iter().enumerate().rev().for_each(|(place, answer)| backwards.note(&place, answer));
        assert_eq!(whole, backwards);
        for threads in [1, 2, 5] {
            let mut total = Digest::default();
            std::thread::scope(|scope| {
                let work = |thread: usize| {
                    let mut mine = Digest::default();
                    let own = answers.iter().enumerate().skip(thread).step_by(threads);
                    own.for_each(|(place, answer)| mine.note(&place, answer));
                    mine
                };
                let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
                workers.into_iter().for_each(|worker| total.add(worker.join().unwrap()));
            });
            assert_eq!(whole, total, "{threads} threads");
        }
        let mut exchanged = answers.clone();
        exchanged.swap(3, 7);
        assert_ne!(whole, Digest::of_all(&exchanged));
        assert_ne!(whole, Digest::of_all(&answers[1..]));
        assert_eq!(Digest::from_json(&whole.to_json()), Some(whole));
        assert_eq!(Digest::from_json(&json!({ "count": 1 })), None);
    }

    #[test]
    fn one_bit_of_any_meaning_changes_the_hash() {
        all_differ(
            &distances()[0],
            &[
                |answer| flip(&mut answer.gap.lower),
                |answer| flip(&mut answer.gap.value),
                |answer| flip(&mut answer.gap.upper),
                |answer| flip(&mut answer.placement),
                |answer| flip(&mut answer.witness.a.point.x),
                |answer| flip(&mut answer.witness.a.point.z),
                |answer| flip(&mut answer.witness.b.point.y),
                |answer| std::mem::swap(&mut answer.witness.a.point, &mut answer.witness.b.point),
                |answer| flip(&mut answer.normal.as_mut().unwrap().x),
                |answer| answer.normal = None,
                |answer| answer.witness.a.part = 1,
                |answer| answer.witness.b.part = 1,
                |answer| answer.witness.a.feature = Feature::Vertex(9),
                |answer| answer.witness.a.feature = Feature::Edge(9),
                |answer| answer.witness.b.feature = Feature::Edge(9),
                |answer| answer.witness.b.feature = Feature::Interior,
                |answer| answer.method = Method::ClosedForm,
                |answer| answer.method = Method::GjkStopped(Stopped::FartherThan(1.0)),
                |answer| answer.method = Method::GjkStopped(Stopped::FartherThan(1.0_f64.next_up())),
            ],
        );
        let (cube, into) = (Shape::cuboid(DVec3::ONE).unwrap(), DVec3::new(1.75, 0.25, 0.0));
        let into = Pose::from_translation(into).unwrap();
        let depth = clearance::penetration(&cube, &Pose::IDENTITY, &cube, &into).unwrap();
        all_differ(
            &depth,
            &[
                |answer| flip(&mut answer.depth.lower),
                |answer| flip(&mut answer.depth.value),
                |answer| flip(&mut answer.depth.upper),
                |answer| flip(&mut answer.normal.y),
                |answer| flip(&mut answer.witness.b.point.z),
                |answer| answer.witness.b.feature = Feature::Face(77),
            ],
        );
        let contacts = clearance::contacts(&cube, &Pose::IDENTITY, &cube, &into);
        all_differ(
            &contacts,
            &[
                |answer| flip(&mut answer.gap.value),
                |answer| flip(&mut answer.margin),
                |answer| answer.points.swap(0, 1),
                |answer| flip(&mut answer.points[1].witness.a.point.x),
                |answer| flip(&mut answer.points[2].gap.lower),
                |answer| answer.points.truncate(1),
            ],
        );
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let options = RelationOptions::default();
        let proof =
            clearance::query::relation_with(&cube, &Pose::IDENTITY, &cube, &into, &options, &mut cache, &mut workspace);
        all_differ(
            &proof,
            &[
                |answer| flip(&mut answer.gap.lower),
                |answer| flip(&mut answer.gap.upper),
                |answer| answer.relation = Relation::Touching,
                |answer| answer.evidence = Evidence::Polytope { pairs: vec![[0, 1]] },
                |answer| answer.evidence = Evidence::Polytope { pairs: vec![[1, 0]] },
            ],
        );
    }

    #[test]
    fn times_hits_and_sweeps_are_told_apart_but_not_the_work() {
        let ball = Shape::sphere(1.0).unwrap();
        let ray = clearance::Ray::new(DVec3::X * -5.0, DVec3::X).unwrap();
        let hit = clearance::ray_cast(&ball, &Pose::IDENTITY, &ray).unwrap();
        all_differ(
            &hit,
            &[
                |answer| flip(&mut answer.t.value),
                |answer| flip(&mut answer.witness.point.x),
                |answer| answer.entering = !answer.entering,
                |answer| answer.witness.part = 5,
            ],
        );
        let way = |from: f64, by: f64| {
            clearance::Motion::translation(Pose::from_translation(DVec3::X * from).unwrap(), DVec3::X * by).unwrap()
        };
        let impact = clearance::time_of_impact(&ball, &way(-5.0, 9.0), &ball, &way(0.0, 0.0)).unwrap();
        all_differ(
            &impact,
            &[
                |answer| flip(&mut answer.time.value),
                |answer| flip(&mut answer.gap),
                |answer| answer.touches = !answer.touches,
                |answer| answer.normal = None,
                |answer| answer.deep = Some([DVec3::ZERO; 2]),
            ],
        );
        let mut longer = impact;
        longer.steps += 1;
        assert_eq!(Digest::of(&impact), Digest::of(&longer));
        let met = MotionImpact { pair: 1, lower: 0.25, upper: 0.5, met: true, point: DVec3::ZERO, q: vec![1.0, 2.0] };
        let sweep = Sweep { impact: Some(met), clearance: None, stretches: 9 };
        all_differ(
            &sweep,
            &[
                |answer| answer.impact.as_mut().unwrap().pair = 2,
                |answer| flip(&mut answer.impact.as_mut().unwrap().q[1]),
                |answer| answer.impact = None,
                |answer| answer.clearance = Some(MotionClearance { lower: 1.0, upper: 2.0, pair: 0, at: 0.5 }),
            ],
        );
        assert_eq!(Digest::of(&sweep), Digest::of(&Sweep { stretches: 1, ..sweep.clone() }));
    }

    #[test]
    fn numbers_lists_and_what_is_absent() {
        let differ = |one: &dyn Fn() -> Digest, other: &dyn Fn() -> Digest| assert_ne!(one(), other());
        differ(&|| Digest::of(&0.0), &|| Digest::of(&-0.0));
        assert_eq!(Digest::of(&f64::NAN), Digest::of(&-f64::NAN));
        differ(&|| Digest::of(&None::<f64>), &|| Digest::of(&Some(0.0)));
        differ(&|| Digest::of(&vec![vec![1_u32], vec![]]), &|| Digest::of(&vec![vec![], vec![1_u32]]));
        differ(&|| Digest::of(&("ab", "c")), &|| Digest::of(&("a", "bc")));
        differ(&|| Digest::of(&Ok::<u32, ()>(1)), &|| Digest::of(&Err::<u32, ()>(())));
        // The hash is that of the head of this file: SHA-256 of place 0 and the number, 16 bytes in all.
        let bytes = Sha256::digest([0_u64.to_le_bytes(), 1.5_f64.to_le_bytes()].concat());
        let mut first = [0; 16];
        first.copy_from_slice(&bytes[..16]);
        assert_eq!(Digest::of(&1.5), Digest { count: 1, hash: u128::from_le_bytes(first) });
    }
}
