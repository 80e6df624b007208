//! Crossings of a ray with the boundary of a convex body: dispatch over the kinds of body.

use crate::answer::ray::Ray;
use crate::geom::ray_frame::Chain;
use crate::ray::advance::advance;
use crate::ray::crossing::Crossings;
use crate::ray::formula;
use crate::shape::Shape;

/// Finds where a line crosses the boundary of a body that is not a compound.
///
/// Bodies that are not convex, such as height fields, have their own crossings and are handled before this.
pub(crate) fn crossings<'a>(shape: &'a Shape, chain: &Chain<'a>, ray: &'a Ray) -> Crossings<'a> {
    let found = match shape {
        Shape::Rounded(rounded) => match rounded.simplified() {
            Some(simple) => formula::find(&simple, chain, ray),
            None => advance(shape, chain, ray),
        },
        Shape::Custom(_) => advance(shape, chain, ray),
        _ => formula::find(shape, chain, ray),
    };
    Crossings::of(chain, ray, found)
}
