//! From a convex body and a ray to the crossings of its boundary: the dispatch over kinds of body.

use crate::answer::ray::Ray;
use crate::geom::ray_frame::Chain;
use crate::ray::advance::advance;
use crate::ray::crossing::Crossings;
use crate::ray::formula;
use crate::shape::Shape;

/// Finds where a line crosses the boundary of a body that is not a compound.
///
/// A kind of body that is not convex, such as a height field, has crossings of its own and is asked before this.
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
