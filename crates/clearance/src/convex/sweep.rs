//! The set swept by a translating core, as a core.
//!
//! Xavier (1997), as described by Ericson, "GJK for moving objects": a convex polytope that moves by `d` sweeps the
//! convex hull of its vertices at the start and at the end, so whether two moving bodies ever meet becomes a query
//! about two static convex sets. Two forms of the support function:
//! - [`Swept`]: the farthest vertex along `n` is that of the core, at the end if `n · d` is positive, otherwise at the
//!   start;
//! - [`Doubled`]: a scan of all vertices at both ends. Twice the work; the reference for the first.
//!
//! Vertices `0..count` are those at the start, `count..2 count` those at the end, rounded once: `v + d`. That rounding
//! is at most `u` of the swept set's reach and counts as placement. A wrong choice between start and end where `n · d`
//! is all rounding falls short by at most `3u |n| |d|`, which `tolerances::LOWER_BOUND` covers like any wrong choice of
//! vertex, with the reach of the swept set.

use fearless_simd::Simd;
use glam::DVec3;

use super::core::Core;

/// A core and its positions along a translation.
#[derive(Clone, Copy)]
pub(crate) struct Swept<C> {
    pub core: C,
    pub displacement: DVec3,
}

/// The same set, with the vertices at both ends listed.
#[derive(Clone, Copy)]
pub(crate) struct Doubled<C>(pub Swept<C>);

impl<C: Core> Swept<C> {
    /// The core vertex that a vertex of the swept set is a translate of.
    #[inline(always)]
    fn own(&self, id: u32) -> (u32, bool) {
        let count = self.core.vertex_count() as u32;
        if id < count { (id, false) } else { (id - count, true) }
    }

    #[inline(always)]
    fn of(&self, direction: DVec3, own: u32) -> u32 {
        if direction.dot(self.displacement) > 0.0 { own + self.core.vertex_count() as u32 } else { own }
    }
}

impl<C: Core> Core for Swept<C> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        let (own, at_end) = self.own(id);
        let start = self.core.vertex(own);
        if at_end { start + self.displacement } else { start }
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        2 * self.core.vertex_count()
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        let own = self.core.support(simd, direction);
        self.of(direction, own)
    }

    #[inline(always)]
    fn slack(&self) -> f64 {
        self.core.slack()
    }
}

impl<C: Core> Core for Doubled<C> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        self.0.vertex(id)
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        self.0.vertex_count()
    }

    #[inline(always)]
    fn support<S: Simd>(&self, _simd: S, direction: DVec3) -> u32 {
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for id in 0..self.vertex_count() as u32 {
            let value = direction.dot(self.vertex(id));
            if value > top {
                (best, top) = (id, value);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::core::AnyCore;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn both_forms_have_the_same_support() {
        let swept = Swept { core: AnyCore::Box(DVec3::new(1.0, 2.0, 0.5)), displacement: DVec3::new(3.0, -1.0, 0.25) };
        let level = Level::new();
        for k in 0..200 {
            let x = f64::from(k);
            let direction = DVec3::new((x * 0.7).sin(), (x * 1.3).cos(), (x * 0.31).sin());
            let (one, other) = dispatch!(level, simd => {
                (swept.support(simd, direction), Doubled(swept).support(simd, direction))
            });
            let (one, other) = (direction.dot(swept.vertex(one)), direction.dot(swept.vertex(other)));
            assert!((one - other).abs() < 1e-14, "{direction}: {one} {other}");
        }
        assert_eq!(swept.vertex(8), swept.vertex(0) + swept.displacement);
        assert_eq!(swept.vertex_count(), 16);
    }
}
