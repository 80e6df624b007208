//! The point of a simplex nearest the origin, by the cofactors of all its subsets: the sub-algorithm GJK was published
//! with.
//!
//! Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between complex objects in
//! three-dimensional space" (1988); Ericson, "The Gilbert-Johnson-Keerthi algorithm", section 3. The nearest point of
//! the affine hull of a subset `X` has the weights `Δ_i(X) / Σ Δ(X)`, and the cofactors follow from those of smaller
//! subsets: `Δ_i({i}) = 1`, `Δ_j(X ∪ {j}) = Σ_i Δ_i(X) w_i · (w_k - w_j)` for any fixed `k` of `X`. Subsets are tested
//! in order of size; the one sought has positive cofactors, and no further member improves it: `Δ_j(X ∪ {j}) <= 0`.
//!
//! Departures from the paper:
//! - Products are taken with differences of members, not as differences of products: they keep their digits near
//!   contact.
//! - Cofactors are of degree six in the coordinates, so members are first scaled by a power of two to about 1.
//! - Where rounding leaves no subset that passes both tests, the nearest of those with positive cofactors is taken. It
//!   is still a point of the simplex, and GJK proves its bracket from that alone.

use glam::DVec3;

use super::simplex::{NearestOnSimplex, Reduce, Simplex};

/// Johnson's sub-algorithm.
pub(crate) struct Johnson;

impl Reduce for Johnson {
    #[inline(always)]
    fn reduce(simplex: &mut Simplex) -> NearestOnSimplex {
        reduce(simplex)
    }
}

/// The subsets of four members as bit sets, in order of size.
const SUBSETS: [usize; 15] = [1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15];

/// Finds the point nearest the origin and reduces the simplex to the members that support it.
#[inline(never)]
fn reduce(simplex: &mut Simplex) -> NearestOnSimplex {
    let all = (1 << simplex.count) - 1;
    let cofactors = cofactors(&scaled(simplex), all);
    let members = |subset: usize| (0..4).filter(move |k| subset >> k & 1 == 1);
    let positive = |subset: usize| members(subset).all(|i| cofactors[subset][i] > 0.0);
    let complete = |subset: usize| members(all & !subset).all(|j| cofactors[subset | 1 << j][j] <= 0.0);
    let present = || SUBSETS.into_iter().filter(|subset| subset & !all == 0);
    if let Some(subset) = present().find(|&subset| positive(subset) && complete(subset)) {
        return cut_down(simplex, subset, &cofactors[subset]);
    }
    let whole = *simplex;
    let mut least = f64::INFINITY;
    for subset in present().filter(|&subset| subset != 15 && positive(subset)) {
        let mut part = whole;
        let nearest = cut_down(&mut part, subset, &cofactors[subset]);
        if let NearestOnSimplex::At(point) = nearest
            && point.dot(point) < least
        {
            least = point.dot(point);
            *simplex = part;
        }
    }
    // A single vertex is always positive, so something was found.
    NearestOnSimplex::At(point_of(simplex))
}

/// The members times a power of two that makes the largest coordinate about 1: directions and weights are unchanged.
fn scaled(simplex: &Simplex) -> [DVec3; 4] {
    let used = &simplex.w[..simplex.count];
    let largest = used.iter().map(|w| w.abs().max_element()).fold(0.0, f64::max);
    // The reciprocal of the largest power of two not above it: its exponent field is reflected about that of 1. Zero
    // and subnormal numbers still give a finite number, and then no product of members matters.
    let exponent = (largest.to_bits() >> 52 & 0x7ff).clamp(1, 2045);
    let factor = f64::from_bits((2046 - exponent) << 52);
    simplex.w.map(|w| w * factor)
}

/// The cofactors of each subset of `all` with respect to each of its members.
fn cofactors(w: &[DVec3; 4], all: usize) -> [[f64; 4]; 16] {
    let mut cofactors = [[0.0; 4]; 16];
    for subset in (1..=all).filter(|subset| subset & !all == 0) {
        for j in (0..4).filter(|j| subset >> j & 1 == 1) {
            // A smaller number, so already known.
            let others = subset & !(1 << j);
            cofactors[subset][j] = if others == 0 {
                1.0
            } else {
                let side = w[others.trailing_zeros() as usize & 3] - w[j];
                let term = |i: usize| if others >> i & 1 == 1 { cofactors[others][i] * w[i].dot(side) } else { 0.0 };
                (term(0) + term(1)) + (term(2) + term(3))
            };
        }
    }
    cofactors
}

/// Reduces the simplex to a subset, with the weights given by its cofactors.
fn cut_down(simplex: &mut Simplex, subset: usize, cofactors: &[f64; 4]) -> NearestOnSimplex {
    let mut members = [0; 4];
    let mut count = 0;
    for k in (0..4).filter(|k| subset >> k & 1 == 1) {
        members[count] = k;
        count += 1;
    }
    let [i, j, k, l] = members;
    let value = |member: usize| cofactors[member];
    match count {
        1 => simplex.keep([i], [1.0]),
        2 => {
            let sum = value(i) + value(j);
            simplex.keep([i, j], [i, j].map(|m| value(m) / sum));
        }
        3 => {
            let sum = (value(i) + value(j)) + value(k);
            simplex.keep([i, j, k], [i, j, k].map(|m| value(m) / sum));
        }
        _ => {
            let sum = (value(i) + value(j)) + (value(k) + value(l));
            simplex.weight = cofactors.map(|cofactor| cofactor / sum);
            return NearestOnSimplex::Inside;
        }
    }
    NearestOnSimplex::At(point_of(simplex))
}

/// The point given by the weights of a simplex of at most three members.
fn point_of(simplex: &Simplex) -> DVec3 {
    let [p, q, r, _] = simplex.weight;
    match simplex.count {
        1 => simplex.w[0],
        2 => simplex.w[0] * p + simplex.w[1] * q,
        _ => (simplex.w[0] * p + simplex.w[1] * q) + simplex.w[2] * r,
    }
}
