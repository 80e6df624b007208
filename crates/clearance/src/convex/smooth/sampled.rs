//! Curved cores by their support points, which are numbered on request as if they were vertices.

use std::cell::RefCell;

use fearless_simd::Simd;
use glam::DVec3;

use crate::convex::core::{AnyCore, Core, Smooth};
use crate::math::simd::plain;
use crate::math::tolerances::{EPA_STEPS, SMOOTH_POINT};

/// Capacity for the support points of a query: two for each step of the longest expansion.
const SAMPLES: usize = 2 * EPA_STEPS;

/// A core whose support points are numbered in the order of the queries.
#[derive(Clone, Copy)]
pub(crate) struct Sampled<'a> {
    pub(in crate::convex) core: AnyCore<'a>,
    extent: f64,
    points: &'a RefCell<Vec<DVec3>>,
}

impl<'a> Sampled<'a> {
    /// `points` is scratch, and is cleared; `extent` bounds the core's distance from its local origin.
    pub fn new(core: AnyCore<'a>, extent: f64, points: &'a RefCell<Vec<DVec3>>) -> Sampled<'a> {
        let mut scratch = points.borrow_mut();
        scratch.clear();
        scratch.reserve(SAMPLES);
        drop(scratch);
        Sampled { core, extent, points }
    }
}

impl Core for Sampled<'_> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        match self.core {
            AnyCore::Smooth(_) => self.points.borrow().get(id as usize).copied().unwrap_or(DVec3::ZERO),
            core => core.vertex(id),
        }
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        match self.core {
            AnyCore::Smooth(_) => self.points.borrow().len(),
            core => core.vertex_count(),
        }
    }

    #[inline(always)]
    fn support<S: Simd>(&self, _simd: S, direction: DVec3) -> u32 {
        self.find(direction)
    }

    #[inline(always)]
    fn slack(&self) -> f64 {
        match self.core {
            AnyCore::Smooth(Smooth::Custom(custom)) => custom.slack() + SMOOTH_POINT * self.extent,
            AnyCore::Smooth(_) => SMOOTH_POINT * self.extent,
            _ => 0.0,
        }
    }
}

/// Curved bodies leave little to vectorise: this is compiled once, not inlined into every caller.
impl Sampled<'_> {
    #[inline(never)]
    pub(super) fn find(&self, direction: DVec3) -> u32 {
        match self.core {
            AnyCore::Smooth(smooth) => {
                let mut points = self.points.borrow_mut();
                points.push(smooth.farthest(direction));
                points.len() as u32 - 1
            }
            core => core.support(plain(), direction),
        }
    }
}

impl Smooth<'_> {
    /// A support point of the core along `direction`, up to rounding: see `tolerances::SMOOTH_POINT`.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        let ring = |radius: f64, height: f64| {
            let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
            if across > 0.0 {
                DVec3::new(radius * (direction.x / across), radius * (direction.y / across), height)
            } else {
                DVec3::new(0.0, 0.0, height)
            }
        };
        match *self {
            Smooth::Cylinder { half_length, radius } => {
                ring(radius, if direction.z >= 0.0 { half_length } else { -half_length })
            }
            Smooth::Cone { half_length, radius } => {
                let apex = DVec3::new(0.0, 0.0, half_length);
                let rim = ring(radius, -half_length);
                if direction.dot(apex) > direction.dot(rim) { apex } else { rim }
            }
            Smooth::Ellipsoid(axes) => {
                let scaled = axes * direction;
                let length = scaled.length();
                if length > 0.0 { axes * (scaled / length) } else { DVec3::ZERO }
            }
            Smooth::HalfSpace { normal, offset } => normal * (offset / normal.dot(normal)),
            Smooth::Custom(custom) => custom.support(direction),
        }
    }
}
