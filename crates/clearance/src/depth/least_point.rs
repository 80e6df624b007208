//! The point nearest the origin in an intersection of half-spaces.
//!
//! At most three half-spaces are active, so: start at the origin; take the half-space that the point violates most;
//! among it and the active ones, find the subset whose planes meet nearest the origin at a point in all of them;
//! repeat. The length grows with each step and there are finitely many subsets, so it terminates; against rounding
//! there is a step limit.

use crate::math::tolerances::LEAST_POINT_STEPS;
use glam::{DMat3, DVec3};

/// All `x` with `normal · x >= offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpace {
    pub normal: DVec3,
    pub offset: f64,
}

/// The point nearest the origin in all half-spaces, up to `tolerance`; `None` if none was found.
pub(crate) fn least_point(spaces: &[HalfSpace], tolerance: f64) -> Option<DVec3> {
    let mut point = DVec3::ZERO;
    let mut active: Vec<usize> = Vec::with_capacity(4);
    for _ in 0..LEAST_POINT_STEPS {
        let short = |space: &HalfSpace| space.offset - space.normal.dot(point);
        let worst = spaces.iter().enumerate().max_by(|p, q| short(p.1).total_cmp(&short(q.1)));
        let Some((worst, _)) = worst.filter(|(_, space)| short(space) > tolerance) else { return Some(point) };
        if !active.contains(&worst) {
            active.push(worst);
        }
        let mut best: Option<(f64, DVec3, Vec<usize>)> = None;
        for mask in 1u32..1 << active.len() {
            if mask.count_ones() > 3 {
                continue;
            }
            let subset: Vec<usize> = (0..active.len()).filter(|k| mask >> k & 1 == 1).map(|k| active[k]).collect();
            let Some(candidate) = on_planes(&subset.iter().map(|&k| spaces[k]).collect::<Vec<_>>()) else { continue };
            let inside = |&k: &usize| spaces[k].normal.dot(candidate) >= spaces[k].offset - tolerance;
            let length = candidate.length();
            if active.iter().all(inside) && best.as_ref().is_none_or(|(least, ..)| length < *least) {
                best = Some((length, candidate, subset));
            }
        }
        (point, active) = best.map(|(_, candidate, subset)| (candidate, subset))?;
    }
    None
}

/// The point nearest the origin on one, two or three planes.
fn on_planes(planes: &[HalfSpace]) -> Option<DVec3> {
    match *planes {
        [p] => Some(p.normal * (p.offset / p.normal.length_squared())),
        [p, q] => {
            let across = p.normal.dot(q.normal);
            let (pp, qq) = (p.normal.length_squared(), q.normal.length_squared());
            let determinant = pp * qq - across * across;
            let by_p = (p.offset * qq - q.offset * across) / determinant;
            let by_q = (q.offset * pp - p.offset * across) / determinant;
            (determinant > 1e-14 * pp * qq).then(|| p.normal * by_p + q.normal * by_q)
        }
        [p, q, r] => {
            let rows = DMat3::from_cols(p.normal, q.normal, r.normal).transpose();
            let size = p.normal.length() * q.normal.length() * r.normal.length();
            (rows.determinant().abs() > 1e-9 * size).then(|| rows.inverse() * DVec3::new(p.offset, q.offset, r.offset))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By all subsets of up to three planes: the nearest of the points in all half-spaces.
    fn by_all_subsets(spaces: &[HalfSpace]) -> Option<DVec3> {
        let all = |x: DVec3| spaces.iter().all(|s| s.normal.dot(x) >= s.offset - 1e-9);
        let mut best: Option<DVec3> = Some(DVec3::ZERO).filter(|&x| all(x));
        let n = spaces.len();
        for i in 0..n {
            for j in i..n {
                for k in j..n {
                    let mut subset = vec![spaces[i]];
                    (j > i).then(|| subset.push(spaces[j]));
                    (k > j).then(|| subset.push(spaces[k]));
                    let Some(x) = on_planes(&subset) else { continue };
                    if all(x) && best.is_none_or(|b| x.length() < b.length()) {
                        best = Some(x);
                    }
                }
            }
        }
        best
    }

    #[test]
    fn finds_the_nearest_of_all_corners() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for _ in 0..300 {
            // Around a point that is in all of them.
            let inside = DVec3::new(random(), random(), random()) * 3.0;
            let spaces: Vec<HalfSpace> = (0..9)
                .map(|_| {
                    let normal = DVec3::new(random(), random(), random()).normalize();
                    HalfSpace { normal, offset: normal.dot(inside) - random().abs() }
                })
                .collect();
            let found = least_point(&spaces, 1e-12).unwrap();
            let truth = by_all_subsets(&spaces).unwrap();
            assert!((found.length() - truth.length()).abs() < 1e-9, "{found} {truth}");
        }
    }
}
