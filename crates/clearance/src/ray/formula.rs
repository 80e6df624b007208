//! Ray casts against convex bodies bounded by surfaces with a closed-form intersection, by kind of body.

use glam::DVec3;

use crate::answer::ray::Ray;
use crate::geom::ray::{self, End, Span};
use crate::geom::ray_frame::{Chain, Line, unit};
use crate::geom::ray_polytope::{self, Decider, Flat, Solid};
use crate::math::enclosed::Enclosed;
use crate::math::predicates::orient3d;
use crate::ray::crossing::{Crossing, Frame, feature_of};
use crate::shape::{Corners, Hull, Shape, rounded_up_length};

/// Both crossings of a body bounded by surfaces with a closed-form intersection; `None` for a line that misses, and for
/// any other kind of body.
pub(crate) fn find(shape: &Shape, chain: &Chain<'_>, ray: &Ray) -> Option<[Option<Crossing>; 2]> {
    let in_body = |center: DVec3, extent: f64| Line::new(chain, ray.origin, ray.step(), center, extent, true);
    let in_world = |extent: f64| Line::new(chain, ray.origin, ray.step(), DVec3::ZERO, extent, false);
    let curved = |line: Line, span: Span| ends(chain, &line, span, Frame::Body(DVec3::ZERO));
    match shape {
        Shape::Sphere(sphere) => self::sphere(chain, ray, sphere.radius()),
        Shape::Capsule(c) => {
            let line = in_world((c.half_length() + c.radius()) * 1.001)?;
            let axis = chain.turned::<Enclosed>(DVec3::new(0.0, 0.0, c.half_length()));
            let axis = axis.map(|x| x.times_power(line.near.scale));
            let span = ray::capsule(&line.near, &axis, c.radius());
            Some(ends(chain, &line, span, Frame::World))
        }
        Shape::Cuboid(cuboid) => {
            let line = in_body(DVec3::ZERO, cuboid.radius())?;
            let exact = || chain.exact_line(ray.origin, ray.step(), DVec3::ZERO);
            let span = ray_polytope::cuboid(&Decider::new(&line.near, &exact), cuboid.half_extents());
            Some(ends(chain, &line, span, Frame::Body(DVec3::ZERO)))
        }
        Shape::Cylinder(c) => {
            let line = in_body(DVec3::ZERO, rounded_up_length(DVec3::new(c.radius(), 0.0, c.half_length())))?;
            let span = ray::cylinder(&line.near, c.half_length(), c.radius());
            Some(curved(line, span))
        }
        Shape::Cone(c) => {
            let line = in_body(DVec3::ZERO, rounded_up_length(DVec3::new(c.radius(), 0.0, c.half_length())))?;
            let span = ray::cone(&line.near, c.half_length(), c.radius());
            Some(curved(line, span))
        }
        Shape::Ellipsoid(ellipsoid) => {
            let line = in_body(DVec3::ZERO, ellipsoid.semi_axes().max_element())?;
            let span = ray::ellipsoid(&line.near, ellipsoid.semi_axes());
            Some(curved(line, span))
        }
        Shape::HalfSpace(plane) => {
            let line = Line::unbounded(chain, ray.origin, ray.step());
            let span = ray::half_space(&line.near, plane.normal(), plane.offset());
            Some(curved(line, span))
        }
        Shape::Hull(hull) => {
            let hull = hull.hull();
            let line = in_body(hull.origin, hull.radius)?;
            let exact = || chain.exact_line(ray.origin, ray.step(), hull.origin);
            let span = of_hull(&Decider::new(&line.near, &exact), hull);
            Some(ends(chain, &line, span, Frame::Body(hull.origin)))
        }
        Shape::Segment(segment) => of_corners(chain, ray, segment.corners(), |decider, points| {
            simplex_face(decider, &[0, 1], points, &|_, _| 0, 0)
        }),
        Shape::Triangle(triangle) => of_corners(chain, ray, triangle.corners(), |decider, points| {
            simplex_face(decider, &[0, 1, 2], points, &|from, _| from, 0)
        }),
        Shape::Tetrahedron(tetrahedron) => of_corners(chain, ray, tetrahedron.corners(), of_tetrahedron),
        Shape::Rounded(_) | Shape::Custom(_) | Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_) => None,
    }
}

fn sphere(chain: &Chain<'_>, ray: &Ray, radius: f64) -> Option<[Option<Crossing>; 2]> {
    let line = Line::new(chain, ray.origin, ray.step(), DVec3::ZERO, radius, false)?;
    let hit = ray::ball_discriminant(&line.near, radius)
        .or_else(|| ray::ball_discriminant(&chain.exact_world_line(ray.origin, ray.step()), radius));
    let span = ray::ball(&line.near, radius, hit.map(|sign| sign.is_ge()));
    Some(ends(chain, &line, span, Frame::World))
}
/// The ends of a span as crossings in the caller's terms.
fn ends(chain: &Chain<'_>, line: &Line, span: Span, frame: Frame) -> [Option<Crossing>; 2] {
    let crossing = |end: End, entering: bool| {
        let point = line.point(end.tau);
        let (point_in_body, normal) = match frame {
            Frame::Body(center) => (point + center, chain.normal_to_world(end.normal)),
            Frame::World => (chain.rounded_to_body(point), unit(end.normal)),
        };
        let feature = feature_of(end.spot);
        Crossing { t: line.time(end.tau), place: end.place, frame, point_in_body, normal, feature, entering }
    };
    match span {
        Span::Nothing => [None, None],
        Span::Crossing(end) | Span::Entering(end) => [Some(crossing(end, true)), None],
        Span::Leaving(end) => [Some(crossing(end, false)), None],
        Span::Through(start, end) => {
            let (mut start, mut end) = (crossing(start, true), crossing(end, false));
            if start.t.to_f64() > end.t.to_f64() {
                // Touching, up to rounding: both crossings are at one place.
                let t = start.t.or(end.t);
                (start.t, end.t) = (t, t);
            }
            [Some(start), Some(end)]
        }
    }
}

impl Solid for Hull {
    fn face_count(&self) -> usize {
        self.mesh.faces.len()
    }

    fn face(&self, face: usize) -> &[u32] {
        self.mesh.faces.get(face)
    }

    fn vertex(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    fn across(&self, face: usize, from: u32, to: u32) -> usize {
        self.face_across(face as u32, from, to).map_or(face, |other| other as usize)
    }

    fn vertex_number(&self, vertex: u32) -> u32 {
        self.mesh.vertices[vertex as usize]
    }

    fn edge_number(&self, from: u32, to: u32) -> u32 {
        self.edge_between(from, to).unwrap_or(0)
    }
}

fn of_hull(decider: &Decider<'_>, hull: &Hull) -> Span {
    if hull.mesh.dimension == 3 {
        return ray_polytope::solid(decider, hull);
    }
    // A polygon has one face; a segment and a point have none, and their vertices are the corners.
    let polygon: &[u32] = if hull.mesh.faces.is_empty() { &[0, 1] } else { hull.mesh.faces.get(0) };
    let count = polygon.len().min(hull.vertices.len());
    let flat = Flat {
        count,
        corner: &|k| hull.vertices[polygon[k] as usize],
        vertex_number: &|k| hull.mesh.vertices[polygon[k] as usize],
        side_number: &|k| hull.edge_number(polygon[k], polygon[(k + 1) % count]),
        face: 0,
    };
    ray_polytope::flat(decider, &flat)
}

fn of_corners<const N: usize>(
    chain: &Chain<'_>,
    ray: &Ray,
    corners: &Corners<N>,
    meet: impl FnOnce(&Decider<'_>, &[DVec3; N]) -> Span,
) -> Option<[Option<Crossing>; 2]> {
    let line = Line::new(chain, ray.origin, ray.step(), corners.origin, corners.radius, true)?;
    let exact = || chain.exact_line(ray.origin, ray.step(), corners.origin);
    let span = meet(&Decider::new(&line.near, &exact), &corners.points);
    Some(ends(chain, &line, span, Frame::Body(corners.origin)))
}

/// A face of a simplex as a flat body: a segment or a triangle by the indices of its points.
fn simplex_face(
    decider: &Decider<'_>,
    face: &[u32],
    points: &[DVec3],
    edge: &dyn Fn(u32, u32) -> u32,
    number: u32,
) -> Span {
    let flat = Flat {
        count: face.len(),
        corner: &|k| points[face[k] as usize],
        vertex_number: &|k| face[k],
        side_number: &|k| edge(face[k], face[(k + 1) % face.len()]),
        face: number,
    };
    ray_polytope::flat(decider, &flat)
}

/// A tetrahedron as a solid, its faces counter-clockwise.
struct Four<'a> {
    points: &'a [DVec3; 4],
    faces: [[u32; 3]; 4],
}

/// The index of the edge between two of four points.
fn edge_of_four(from: u32, to: u32) -> u32 {
    match (from.min(to), from.max(to)) {
        (0, high) => high - 1,
        (1, high) => high + 1,
        _ => 5,
    }
}

impl Solid for Four<'_> {
    fn face_count(&self) -> usize {
        4
    }

    fn face(&self, face: usize) -> &[u32] {
        &self.faces[face]
    }

    fn vertex(&self, vertex: u32) -> DVec3 {
        self.points[vertex as usize]
    }

    fn across(&self, face: usize, from: u32, to: u32) -> usize {
        // Face k lacks point k: the faces at an edge are those opposite the two other points.
        (0..4).find(|&k| k != face && k != from as usize && k != to as usize).unwrap_or(face)
    }

    fn vertex_number(&self, vertex: u32) -> u32 {
        vertex
    }

    fn edge_number(&self, from: u32, to: u32) -> u32 {
        edge_of_four(from, to)
    }
}

fn of_tetrahedron(decider: &Decider<'_>, points: &[DVec3; 4]) -> Span {
    let mut faces = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    // Counter-clockwise from outside if point 0 lies behind the plane of 1, 2, 3.
    let order = orient3d(points[1], points[2], points[3], points[0]);
    if order.is_zero() {
        let spans = faces.iter().zip(0..).map(|(face, k)| simplex_face(decider, face, points, &edge_of_four, k));
        return spans.fold(Span::Nothing, joined);
    }
    if order.is_positive() {
        faces.iter_mut().for_each(|face| face.swap(1, 2));
    }
    ray_polytope::solid(decider, &Four { points, faces })
}

/// The union of a line's intersections with two pieces of one flat convex body.
fn joined(a: Span, b: Span) -> Span {
    let ends = |span: Span| match span {
        Span::Crossing(end) => Some((end, end)),
        Span::Through(start, end) => Some((start, end)),
        _ => None,
    };
    match (ends(a), ends(b)) {
        (None, _) => b,
        (_, None) => a,
        (Some((a_start, a_end)), Some((b_start, b_end))) => {
            let start = if b_start.tau.to_f64() < a_start.tau.to_f64() { b_start } else { a_start };
            let end = if b_end.tau.to_f64() > a_end.tau.to_f64() { b_end } else { a_end };
            if matches!((a, b), (Span::Crossing(_), Span::Crossing(_))) && start.tau.to_f64() == end.tau.to_f64() {
                return Span::Crossing(start);
            }
            Span::Through(start, end)
        }
    }
}
