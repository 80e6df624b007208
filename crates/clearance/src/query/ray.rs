//! Where a ray meets a body.

use std::ops::ControlFlow;

use glam::DVec3;

use super::answer::Feature;
use super::ground;
use super::ray_hits::{Crossings, crossings};
use super::ray_mesh;
use crate::error::{Error, check_components};
use crate::geom::ray_frame::{Chain, Line, Step};
use crate::math::enclosed::Enclosed;
use crate::math::placement::difference;
use crate::math::pose::Pose;
use crate::shape::{Compound, Shape};

/// A ray, in the world: the points `origin + t direction`. Which `t` count is up to [`RayOptions`].
///
/// ```
/// use clearance::{Ray, glam::DVec3};
/// let ray = Ray::new(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0))?;
/// assert_eq!(ray.at(1.5), DVec3::new(0.0, 0.0, 3.0));
/// assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// The point at `t = 0`.
    pub origin: DVec3,
    /// The step of one `t`; of any length.
    pub direction: DVec3,
    /// What rounding took from the direction, where it is a difference of two: see
    /// [`ray_cast_moving`](crate::ray_cast_moving).
    low: DVec3,
}

impl Ray {
    /// A ray by its origin and its direction, used as given: `t` counts multiples of it.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`]; [`Error::NotPositive`] for a direction that is zero.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Ray, Error> {
        check_components("origin", origin)?;
        check_components("direction", direction)?;
        if direction == DVec3::ZERO {
            return Err(Error::NotPositive { what: "length of the direction", value: 0.0 });
        }
        Ok(Ray { origin, direction, low: DVec3::ZERO })
    }

    /// This ray as a body sees it that moves by `way` in one `t`: the same origin, and the exact difference of both steps. `None`
    /// if they are the same.
    pub(super) fn seen_by(&self, way: DVec3) -> Option<Ray> {
        let (direction, low) = difference(self.direction, way);
        (direction != DVec3::ZERO).then_some(Ray { origin: self.origin, direction, low })
    }

    /// The direction, exactly.
    pub(super) fn step(&self) -> Step {
        Step { high: self.direction, low: self.low }
    }

    /// The ray from `start` through `end`, which is at `t = 1`. The step `end - start` is rounded.
    ///
    /// # Errors
    /// As [`Ray::new`].
    ///
    /// ```
    /// use clearance::{Ray, glam::DVec3};
    /// let ray = Ray::between(DVec3::X, DVec3::new(3.0, 0.0, 0.0))?;
    /// assert_eq!(ray.direction, DVec3::new(2.0, 0.0, 0.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn between(start: DVec3, end: DVec3) -> Result<Ray, Error> {
        Ray::new(start, end - start)
    }

    /// The point at `t`, rounded.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

/// Which hit is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The one with the least `t`.
    #[default]
    Nearest,
    /// Any: enough to know that there is one. For a compound this saves work.
    Any,
}

/// What part of a ray counts, and which hit is wanted.
///
/// ```
/// use clearance::{Pose, Ray, RayOptions, Shape, glam::DVec3, ray_cast_with};
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::new(3.0, 0.0, 0.0), DVec3::X)?;
/// let ahead = ray_cast_with(&ball, &Pose::IDENTITY, &ray, &RayOptions::default());
/// assert!(ahead.is_none());
/// let line = ray_cast_with(&ball, &Pose::IDENTITY, &ray, &RayOptions::line()).unwrap();
/// assert_eq!(line.t, -4.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayOptions {
    /// The least `t` that counts, itself included. May be `-inf`.
    pub from: f64,
    /// The largest `t` that counts, itself included. May be `inf`.
    pub to: f64,
    /// Which hit is wanted.
    pub hit: Which,
}

impl Default for RayOptions {
    /// From the origin on: `t` from 0 to infinity, the nearest hit.
    fn default() -> RayOptions {
        RayOptions { from: 0.0, to: f64::INFINITY, hit: Which::Nearest }
    }
}

impl RayOptions {
    /// The whole line.
    ///
    /// ```
    /// use clearance::RayOptions;
    /// assert_eq!(RayOptions::line().from, f64::NEG_INFINITY);
    /// ```
    pub fn line() -> RayOptions {
        RayOptions { from: f64::NEG_INFINITY, ..RayOptions::default() }
    }

    /// The segment from the origin to the end of the direction: `t` from 0 to 1.
    ///
    /// ```
    /// use clearance::RayOptions;
    /// assert_eq!((RayOptions::segment().from, RayOptions::segment().to), (0.0, 1.0));
    /// ```
    pub fn segment() -> RayOptions {
        RayOptions { to: 1.0, ..RayOptions::default() }
    }
}

/// Where a ray crosses the boundary of a body.
///
/// ```
/// use clearance::{Feature, Pose, Ray, Shape, glam::DVec3, ray_cast};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let ray = Ray::new(DVec3::new(-5.0, 0.5, 0.0), DVec3::new(2.0, 0.0, 0.0))?;
/// let hit = ray_cast(&cube, &Pose::IDENTITY, &ray).unwrap();
/// assert!(hit.t == 2.0 && hit.lower <= 2.0 && 2.0 <= hit.upper && hit.upper - hit.lower < 1e-15);
/// assert_eq!((hit.normal, hit.feature, hit.entering), (-DVec3::X, Feature::Face(0), true));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The parameter of the crossing, in multiples of the ray's direction.
    pub t: f64,
    /// Proved: the crossing of the real-number body is at this `t` or later.
    pub lower: f64,
    /// Proved: the crossing of the real-number body is at this `t` or earlier.
    pub upper: f64,
    /// The point of the crossing, in the body's own frame (of a compound: in the compound's frame).
    pub point_in_body: DVec3,
    /// Unit, in the world, out of the body. On an edge, that of a face beside it; of a rounded or custom body perhaps one
    /// between those of its faces. A flat body shows the side that the ray comes from.
    pub normal: DVec3,
    /// The feature that holds the point; of a rounded body, that of its core.
    pub feature: Feature,
    /// The part of a compound; 0 for other bodies.
    pub part: u32,
    /// True where the ray enters the body; false where it leaves.
    pub entering: bool,
}

/// The first place where a ray crosses the boundary of a body: see [`ray_cast_with`].
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3, ray_cast};
/// let ball = Shape::sphere(1.0)?;
/// let inside = Ray::new(DVec3::ZERO, DVec3::X)?;
/// let hit = ray_cast(&ball, &Pose::IDENTITY, &inside).unwrap();
/// assert!(hit.t == 1.0 && !hit.entering);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast(shape: &Shape, pose: &Pose, ray: &Ray) -> Option<RayHit> {
    ray_cast_with(shape, pose, ray, &RayOptions::default())
}

/// The place with the least `t` from `from` to `to`, both included, where a ray crosses the boundary of a body.
///
/// - A ray that starts inside hits where it leaves, and `entering` is false.
/// - A ray that touches the body, at a vertex, along an edge or as a tangent, hits it: bodies are closed.
/// - A flat body (segment, triangle, flat hull) that is crossed has one hit, with `entering` true.
/// - A ray along the boundary of a half-space, or inside it all the way, crosses nothing.
/// - The ground below a height field is crossed at its surface alone: the sides below the edge of its footprint are no
///   hits. From above, the ray enters. A stretch along which the ray runs in the surface is one hit, its first point.
///
/// Whether there is a hit, and whether it is within the range, is decided exactly for balls, boxes, hulls, tetrahedra,
/// triangles, segments and half-spaces. For other bodies a hit counts when rounding leaves it open: to some 1e-30 of the
/// size for capsules, cylinders, cones and ellipsoids, to some 1e-14 for rounded and custom bodies. For a height field it is
/// decided exactly for the ray placed in the field's frame, which is rounded once; the bracket is that of the ray as given,
/// the surface continued beyond its edge by what the two differ.
///
/// For a mesh it is decided exactly, so a ray at an edge or vertex of a closed mesh never slips through. Every place where the ray
/// meets the mesh is one hit, however many triangles share it; of triangles that do, the lowest number names it. Of a surface
/// `entering` is true and the normal shows the side that the ray comes from; of a solid both follow its winding.
///
/// See [`RayOptions`] for an example.
pub fn ray_cast_with(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    match shape {
        Shape::Compound(compound) => in_compound(compound, pose, ray, options),
        Shape::Mesh(mesh) => ray_mesh::first(mesh, pose, ray, options),
        Shape::HeightField(field) => {
            let mut first = None;
            ground::crossings(field, pose, ray, options, |hit| {
                first = Some(hit);
                ControlFlow::Break(())
            });
            first
        }
        _ => {
            let found = crossings(shape, &Chain { outer: None, inner: pose }, ray);
            first(&found, options)
        }
    }
}

/// Every crossing of the boundary from `from` to `to`, in order of `t`: entry and exit of a convex body, those of every
/// part of a compound. `hits` is cleared first. A body that is touched has both an entry and an exit there; a flat body
/// that is crossed has only the entry.
///
/// Of a mesh, an edge or vertex that several triangles share gives one hit, not one each. The hits of a solid add up: there are
/// as many entries as exits on a whole line, each changes the winding number by one, and one that only touches is an entry
/// and an exit (from inside, an exit and an entry). A surface that the ray runs along has a hit where that starts, and one that is not `entering` where it
/// ends.
///
/// ```
/// use clearance::{Pose, Ray, RayOptions, Shape, glam::DVec3, ray_cast_all};
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::new(-3.0, 0.0, 0.0), DVec3::X)?;
/// let mut hits = Vec::new();
/// ray_cast_all(&ball, &Pose::IDENTITY, &ray, &RayOptions::default(), &mut hits);
/// assert_eq!(hits.iter().map(|hit| (hit.t, hit.entering)).collect::<Vec<_>>(), [(2.0, true), (4.0, false)]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast_all(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions, hits: &mut Vec<RayHit>) {
    hits.clear();
    match shape {
        Shape::Compound(compound) => {
            let Some(line) = near_compound(compound, pose, ray) else { return };
            for (index, (own, part)) in compound.parts().iter().enumerate() {
                if interval_of_box(&line, compound, index).is_some() {
                    let found = crossings(part, &Chain { outer: Some(pose), inner: own }, ray);
                    hits.extend(found.iter(options).map(|hit| of_part(hit, own, index)));
                }
            }
            // Stable: an entry stays before its exit, and a lower part before a higher one.
            hits.sort_by(|a, b| a.t.total_cmp(&b.t));
        }
        Shape::Mesh(mesh) => ray_mesh::all(mesh, pose, ray, options, hits),
        Shape::HeightField(field) => ground::crossings(field, pose, ray, options, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        }),
        _ => hits.extend(crossings(shape, &Chain { outer: None, inner: pose }, ray).iter(options)),
    }
}

fn first(found: &Crossings<'_>, options: &RayOptions) -> Option<RayHit> {
    found.iter(options).next()
}

fn of_part(hit: RayHit, own: &Pose, index: usize) -> RayHit {
    RayHit { part: index as u32, point_in_body: own.transform_point(hit.point_in_body), ..hit }
}

fn near_compound(compound: &Compound, pose: &Pose, ray: &Ray) -> Option<Line> {
    let bounds = compound.bounds();
    let extent = crate::shape::rounded_up_length(0.5 * bounds.size());
    Line::new(&Chain { outer: None, inner: pose }, ray.origin, ray.step(), bounds.center(), extent, true)
}

/// Where the line may be in the box of a part, in its own parameter; `None` if nowhere.
///
/// In the line's scale the compound has size one, and the line's origin is as near. So coordinates, quotients and
/// products err by a few `u`, and widening the box by 1e-12 of that scale covers them a hundred times.
fn interval_of_box(line: &Line, compound: &Compound, index: usize) -> Option<[f64; 2]> {
    let near = &line.near;
    let (bounds, center) = (compound.boxes().get(index)?, compound.bounds().center());
    let mut interval = [f64::NEG_INFINITY, f64::INFINITY];
    for k in 0..3 {
        let (o, d) = (near.o[k].to_f64(), near.d[k].to_f64());
        let low = (bounds.min[k] - center[k]) * near.scale - o - 1e-12;
        let high = (bounds.max[k] - center[k]) * near.scale - o + 1e-12;
        // Slower than this it moves less than the widening within any distance that matters.
        if d.abs() < 1e-16 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (low / d, high / d);
        interval = [interval[0].max(a.min(b)), interval[1].min(a.max(b))];
    }
    (interval[0] <= interval[1]).then_some(interval)
}

fn in_compound(compound: &Compound, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    let line = near_compound(compound, pose, ray)?;
    let mut best: Option<RayHit> = None;
    for (index, (own, part)) in compound.parts().iter().enumerate() {
        let Some([enters, _]) = interval_of_box(&line, compound, index) else { continue };
        // The box holds the part: nothing of the part comes before the box.
        if let Some(best) = &best
            && line.time(Enclosed::about(enters, 1e-15 * enters.abs())).lower() > best.upper
        {
            continue;
        }
        let found = crossings(part, &Chain { outer: Some(pose), inner: own }, ray);
        let Some(hit) = first(&found, options) else { continue };
        let hit = of_part(hit, own, index);
        if options.hit == Which::Any {
            return Some(hit);
        }
        best = Some(match best {
            None => hit,
            Some(best) => {
                // The least of several numbers lies between the least of their bounds. The part that may be met first is
                // named: then the bracket is within that part's own.
                let (lower, upper) = (best.lower.min(hit.lower), best.upper.min(hit.upper));
                let earlier = (hit.lower, hit.t) < (best.lower, best.t);
                let nearer = if earlier { hit } else { best };
                let t = nearer.t.min(upper);
                let along = pose.inverse_rotation() * (ray.direction * (t - nearer.t));
                let nearer = RayHit { t, point_in_body: nearer.point_in_body + along, ..nearer };
                RayHit { lower, upper, ..nearer }
            }
        });
    }
    best
}
