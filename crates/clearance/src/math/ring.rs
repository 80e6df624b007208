//! One formula, two arithmetics: the operations a sum of products needs of its numbers.
//!
//! A predicate that is the sign of a polynomial is written once, over a [`Ring`]. It is evaluated first with
//! [`Enclosed`](super::enclosed::Enclosed) numbers (double-double with an error bound), which may leave the sign
//! undecided, and then with [`Dyadic`](super::dyadic::Dyadic) ones, which never do.

use std::cmp::Ordering;

/// Numbers that can be added, multiplied and, where precision allows, compared with zero.
pub(crate) trait Ring: Clone {
    /// A finite float, exactly.
    fn of(x: f64) -> Self;
    /// A float times a power of two.
    fn scaled(x: f64, power: f64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// How the number compares with zero; `None` if undecided.
    fn sign(&self) -> Option<Ordering>;
}

/// A vector over a ring.
pub(crate) type Vector<N> = [N; 3];

/// A point, exactly.
pub(crate) fn vector<N: Ring>(point: glam::DVec3) -> Vector<N> {
    point.to_array().map(N::of)
}

pub(crate) fn add<N: Ring>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| a[k].plus(&b[k]))
}

pub(crate) fn subtract<N: Ring>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

pub(crate) fn scale<N: Ring>(a: &Vector<N>, factor: &N) -> Vector<N> {
    std::array::from_fn(|k| a[k].times(factor))
}

pub(crate) fn dot<N: Ring>(a: &Vector<N>, b: &Vector<N>) -> N {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

pub(crate) fn cross<N: Ring>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    let entry = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [entry(1, 2), entry(2, 0), entry(0, 1)]
}

/// True when each component is zero; `None` if undecided.
pub(crate) fn is_zero<N: Ring>(a: &Vector<N>) -> Option<bool> {
    let mut open = false;
    for component in a {
        match component.sign() {
            Some(Ordering::Equal) => {}
            Some(_) => return Some(false),
            None => open = true,
        }
    }
    if open { None } else { Some(true) }
}
