//! Verifies which triangles of a mesh meet beyond their shared vertices and edges, independently of the search.
//!
//! Every two triangles whose boxes overlap are examined, in order of their lowest x; no tree. Unless they lie on one
//! side of each other's planes, their intersection is computed exactly: the corners of one, as fractions with one
//! denominator each, are clipped by the plane and the three sides of the other, in integers. A degenerate triangle is
//! clipped by the conditions of the segment or point that it is. The intersection exceeds the shared features if it has
//! an area, or an end that is not a shared corner.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::self_intersections::{SelfIntersection, SelfIntersectionKind, SelfIntersectionsOptions};
use crate::bound::Aabb;
use crate::geom::triangle_triangle::TRIANGLE_CORNER_ERROR;
use crate::math::dyadic::Dyadic;
use crate::math::predicates::orient3d;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Mesh;
use crate::verify::mesh_rays::sign;
use crate::verify::refusal::Refusal;

/// A point as a fraction: `v / w`, with a positive denominator.
#[derive(Clone)]
pub(crate) struct Place {
    v: Vector<Dyadic>,
    w: Dyadic,
}

impl Place {
    fn of(point: DVec3) -> Place {
        Place { v: ring::vector(point), w: Dyadic::of(1.0) }
    }

    pub(crate) fn to_point(&self) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.v[k].ratio(&self.w)))
    }

    /// From one point to another, times both denominators.
    fn way(&self, to: &Place) -> Vector<Dyadic> {
        ring::subtract(&ring::scale(&to.v, &self.w), &ring::scale(&self.v, &to.w))
    }

    fn is(&self, point: DVec3) -> bool {
        ring::is_zero(&self.way(&Place::of(point))) == Some(true)
    }

    /// By x, then y, then z.
    fn compare(&self, other: &Place) -> Ordering {
        // From the other to this one: the first non-zero sign decides.
        let way = other.way(self);
        way.iter().map(sign).find(|sign| sign.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Whether it lies on the segment between two points, ends included.
    fn is_between(&self, p: DVec3, q: DVec3) -> bool {
        let (to_p, to_q) = (self.way(&Place::of(p)), self.way(&Place::of(q)));
        ring::is_zero(&ring::cross(&to_p, &to_q)) == Some(true) && sign(&ring::dot(&to_p, &to_q)).is_le()
    }
}

/// A half-space: `normal · x >= offset`.
struct Half {
    normal: Vector<Dyadic>,
    offset: Dyadic,
}

impl Half {
    /// The half-space beyond a point along a direction, and the one before it.
    fn both(normal: Vector<Dyadic>, through: &Vector<Dyadic>) -> [Half; 2] {
        let back = ring::scale(&normal, &Dyadic::of(-1.0));
        [Half::beyond(normal, through), Half::beyond(back, through)]
    }

    fn beyond(normal: Vector<Dyadic>, through: &Vector<Dyadic>) -> Half {
        let offset = ring::dot(&normal, through);
        Half { normal, offset }
    }

    /// The height of a point, times its denominator.
    fn height(&self, place: &Place) -> Dyadic {
        ring::dot(&self.normal, &place.v).minus(&self.offset.times(&place.w))
    }

    /// The part of a convex polygon that lies in the half-space.
    fn clip(&self, polygon: &[Place]) -> Vec<Place> {
        let heights: Vec<Dyadic> = polygon.iter().map(|place| self.height(place)).collect();
        let mut kept = Vec::new();
        for (k, place) in polygon.iter().enumerate() {
            let next = (k + 1) % polygon.len();
            let (own, other) = (sign(&heights[k]), sign(&heights[next]));
            if own.is_ge() {
                kept.push(place.clone());
            }
            if own == other.reverse() && own.is_ne() {
                // With heights times denominators `h w` and `-g z`, the point is `(g z v + h w u)`, over the same sum.
                let (mut h, mut g) = (heights[k].clone(), heights[next].clone());
                if own == Ordering::Less {
                    (h, g) = (h.times(&Dyadic::of(-1.0)), g);
                } else {
                    g = g.times(&Dyadic::of(-1.0));
                }
                let u = &polygon[next];
                let v = ring::add(&ring::scale(&place.v, &g), &ring::scale(&u.v, &h));
                kept.push(Place { v, w: place.w.times(&g).plus(&u.w.times(&h)) });
            }
        }
        kept
    }
}

/// The half-spaces whose intersection is a triangle.
fn halves([a, b, c]: &[DVec3; 3]) -> Vec<Half> {
    let corners = [*a, *b, *c];
    let places = corners.map(ring::vector::<Dyadic>);
    let side = |k: usize| ring::subtract(&places[(k + 1) % 3], &places[k]);
    let normal = ring::cross(&side(0), &side(1));
    if ring::is_zero(&normal) != Some(true) {
        let mut all = Vec::from(Half::both(normal.clone(), &places[0]));
        all.extend((0..3).map(|k| Half::beyond(ring::cross(&normal, &side(k)), &places[k])));
        return all;
    }
    // The segment between the two corners that are farthest apart.
    let longest = (0..3).max_by(|&j, &k| {
        let square = |k: usize| ring::dot(&side(k), &side(k));
        sign(&square(j).minus(&square(k)))
    });
    let k = longest.unwrap_or(0);
    let (start, along) = (&places[k], side(k));
    let mut all = Vec::new();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let axis = ring::vector::<Dyadic>(axis);
        // A point has no direction: use each of its coordinates.
        let across = if ring::is_zero(&along) == Some(true) { axis } else { ring::cross(&along, &axis) };
        all.extend(Half::both(across, start));
    }
    all.push(Half::beyond(along.clone(), start));
    all.push(Half::beyond(ring::scale(&along, &Dyadic::of(-1.0)), &places[(k + 1) % 3]));
    all
}

/// The corners of the intersection of two triangles, exactly; perhaps with more of its points.
pub(crate) fn common(a: &[DVec3; 3], b: &[DVec3; 3]) -> Vec<Place> {
    let beside = |plane: &[DVec3; 3], other: &[DVec3; 3]| {
        let sides = other.map(|corner| orient3d(plane[0], plane[1], plane[2], corner));
        sides.iter().all(|side| side.is_positive()) || sides.iter().all(|side| side.is_negative())
    };
    if beside(a, b) || beside(b, a) {
        return Vec::new();
    }
    halves(b).iter().fold(a.map(Place::of).to_vec(), |polygon, half| half.clip(&polygon))
}

/// How two triangles meet beyond their shared features, and the first and last point of the intersection by
/// coordinates.
fn meeting(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<(SelfIntersectionKind, [Place; 2])> {
    let places = common(a, b);
    let first = places.iter().min_by(|p, q| p.compare(q))?;
    let last = places.iter().max_by(|p, q| p.compare(q))?;
    let ends = [first.clone(), last.clone()];
    let along = first.way(last);
    let has_area = places.iter().any(|place| ring::is_zero(&ring::cross(&along, &first.way(place))) != Some(true));
    if has_area {
        return Some((SelfIntersectionKind::Overlap, ends));
    }
    let is_shared = |place: &Place| a.iter().any(|&corner| b.contains(&corner) && place.is(corner));
    if ends.iter().all(is_shared) {
        return None;
    }
    let on_one_edge = |t: &[DVec3; 3]| (0..3).any(|k| ends.iter().all(|end| end.is_between(t[k], t[(k + 1) % 3])));
    let on_rims = on_one_edge(a) && on_one_edge(b);
    Some((if on_rims { SelfIntersectionKind::Rims } else { SelfIntersectionKind::Crossing }, ends))
}

/// The pairs of boxes with a common point, by number, the lower first.
pub(crate) fn boxes_that_meet(boxes: &[Aabb], mut take: impl FnMut(u32, u32)) {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    order.sort_by(|&i, &j| boxes[i as usize].min.x.total_cmp(&boxes[j as usize].min.x).then(i.cmp(&j)));
    for (place, &i) in order.iter().enumerate() {
        let own = &boxes[i as usize];
        for &j in order[place + 1..].iter().take_while(|&&j| boxes[j as usize].min.x <= own.max.x) {
            if own.overlaps(&boxes[j as usize]) {
                take(i.min(j), i.max(j));
            }
        }
    }
}

/// Verifies a list of a mesh's self-intersections: each is as stated, and none is missing.
pub(crate) fn verify_self_intersections(
    found: &[SelfIntersection],
    mesh: &Mesh,
    options: &SelfIntersectionsOptions,
) -> Result<(), Refusal> {
    if found.windows(2).any(|two| two[0].triangles >= two[1].triangles) {
        return Err(Refusal::Disordered);
    }
    let points: Vec<DVec3> = mesh.points().collect();
    let triangles = mesh.triangles();
    let corners = |t: u32| triangles[t as usize].map(|p| points[p as usize]);
    for pair in found {
        let [a, b] = pair.triangles;
        if a >= b || b as usize >= triangles.len() {
            return Err(Refusal::Part);
        }
        check_pair(pair, &corners(a), &corners(b), options)?;
    }
    let of = |t: u32| corners(t).iter().fold(Aabb::EMPTY, |bounds, &corner| bounds.including(corner));
    let boxes: Vec<Aabb> = (0..triangles.len() as u32).map(of).collect();
    let mut missing = false;
    boxes_that_meet(&boxes, |a, b| {
        let is_listed = || found.binary_search_by_key(&[a, b], |pair| pair.triangles).is_ok();
        missing |= meeting(&corners(a), &corners(b)).is_some_and(|(kind, _)| kind >= options.least) && !is_listed();
    });
    if missing { Err(Refusal::Verdict) } else { Ok(()) }
}

fn check_pair(
    pair: &SelfIntersection,
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    options: &SelfIntersectionsOptions,
) -> Result<(), Refusal> {
    match meeting(a, b) {
        Some((kind, ends)) if kind == pair.kind && kind >= options.least => {
            let ends = ends.map(|end| end.to_point());
            let off = |from: DVec3, to: DVec3| {
                let off = from.distance(to);
                if off.is_nan() { f64::INFINITY } else { off }
            };
            let along = off(pair.segment[0], ends[0]).max(off(pair.segment[1], ends[1]));
            let back = off(pair.segment[0], ends[1]).max(off(pair.segment[1], ends[0]));
            // The first and the last corner of an area; a segment may be given from either end.
            let off = if kind == SelfIntersectionKind::Overlap { along } else { along.min(back) };
            let all = || a.iter().chain(b);
            let edges = [a, b].map(|t| (0..3).map(|k| t[k].distance(t[(k + 1) % 3])).fold(0.0, f64::max));
            let largest = all().fold(0.0, |largest: f64, corner| largest.max(corner.abs().max_element()));
            let allowed =
                TRIANGLE_CORNER_ERROR * edges[0].max(edges[1]) + 8.0 * UNIT_ROUNDOFF * largest + f64::MIN_POSITIVE;
            if off <= allowed { Ok(()) } else { Err(Refusal::Witness { body: "A", off }) }
        }
        _ => Err(Refusal::Verdict),
    }
}
