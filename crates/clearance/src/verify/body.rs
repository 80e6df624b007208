//! A convex body decomposed into core vertices, faces and radius, placed in the world in double-double arithmetic: no
//! placement error, and rounding of some 1e-31 of the coordinates.

use glam::DVec3;

use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::predicates::{orient3d, span_space};
use crate::math::tolerances::ACCURACY;
use crate::shape::Feature;
use crate::shape::Shape;
use crate::verify::curved::Round;
use crate::verify::project::{project_on_segment, project_on_triangle};

/// A decomposed body: core vertices, features and radius, with its pose.
pub(crate) struct Part {
    pub pose: Pose,
    /// Core vertices in the body's frame.
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    pub faces: Vec<Vec<u32>>,
    /// The caller's number of each vertex.
    pub numbers: Vec<u32>,
    /// True when the triangles enclose a solid.
    pub solid: bool,
    pub radius: f64,
    /// The points with `normal · x <= offset`, for a half-space.
    pub plane: Option<(DVec3, f64)>,
    /// True when the whole surface is one face.
    pub one_face: bool,
    /// The core, if curved: the vertices are then some of its points.
    pub round: Option<Round>,
    /// Where the placement function takes the stored vertices to be relative to.
    pub origin: DVec3,
    /// The point of the body's frame that world coordinates are relative to, and its position.
    pub shift: DVec3,
    pub translation: DVec3,
    /// How far it has moved from there.
    pub moved: DoubleDoubleVec3,
    /// For a part of a compound: its pose in the frame of the compound, which `pose` places in the world.
    pub inner: Option<Pose>,
}

impl Part {
    pub fn empty(pose: &Pose) -> Part {
        Part {
            pose: *pose,
            vertices: Vec::new(),
            triangles: Vec::new(),
            edges: Vec::new(),
            faces: Vec::new(),
            numbers: Vec::new(),
            solid: false,
            radius: 0.0,
            plane: None,
            one_face: false,
            round: None,
            origin: DVec3::ZERO,
            shift: DVec3::ZERO,
            translation: pose.translation(),
            moved: DoubleDoubleVec3::from(DVec3::ZERO),
            inner: None,
        }
    }

    pub fn new(shape: &Shape, pose: &Pose) -> Part {
        let empty = Part::empty(pose);
        match shape {
            Shape::Sphere(sphere) => {
                Part { vertices: vec![DVec3::ZERO], numbers: vec![0], radius: sphere.radius(), one_face: true, ..empty }
            }
            Shape::Cuboid(cuboid) => {
                let vertices = (0..8).map(|i| cuboid.vertex(i)).collect();
                let mut faces = Vec::new();
                for axis in 0..3u32 {
                    let (next, last) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                    faces.push(vec![0, last, last | next, next]);
                    faces.push([0, next, next | last, last].map(|v| v | 1 << axis).to_vec());
                }
                let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
                let mut edges = Vec::new();
                for axis in 0..3u32 {
                    let (low, high) = [(1, 2), (0, 2), (0, 1)][axis as usize];
                    edges.extend((0..4u32).map(|j| {
                        let start = (j & 1) << low | (j >> 1) << high;
                        [start, start | 1 << axis]
                    }));
                }
                Part { vertices, triangles, edges, faces, numbers: (0..8).collect(), solid: true, ..empty }
            }
            Shape::Hull(hull) => Part {
                vertices: hull.vertices().collect(),
                triangles: hull.triangles().to_vec(),
                edges: hull.edges().to_vec(),
                faces: hull.faces().map(<[u32]>::to_vec).collect(),
                numbers: (0..hull.vertex_count()).map(|v| hull.input_index(v)).collect(),
                solid: hull.dimension() == 3,
                origin: hull.hull().origin,
                ..empty
            },
            Shape::Capsule(capsule) => {
                let end = DVec3::new(0.0, 0.0, capsule.half_length());
                let one_face = true;
                let radius = capsule.radius();
                Part { vertices: vec![-end, end], edges: vec![[0, 1]], numbers: vec![0, 1], radius, one_face, ..empty }
            }
            Shape::Segment(segment) => {
                let origin = segment.corners().origin;
                let vertices = segment.points().to_vec();
                Part { vertices, edges: vec![[0, 1]], numbers: vec![0, 1], origin, ..empty }
            }
            Shape::Triangle(triangle) => {
                let origin = triangle.corners().origin;
                Part { origin, ..Part::of_triangle(triangle.points(), pose) }
            }
            Shape::Tetrahedron(tetrahedron) => {
                let origin = tetrahedron.corners().origin;
                let vertices = tetrahedron.points().to_vec();
                let mut triangles = vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
                let side = orient3d(vertices[1], vertices[2], vertices[3], vertices[0]);
                if side.is_positive() {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                let faces = triangles.iter().map(|t| t.to_vec()).collect();
                let edges = vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
                let (numbers, solid) = (vec![0, 1, 2, 3], !side.is_zero());
                Part { vertices, triangles, edges, faces, numbers, solid, origin, ..empty }
            }
            Shape::Rounded(rounded) => {
                let core = Part::new(rounded.core(), pose);
                Part { radius: core.radius + rounded.radius(), ..core }
            }
            Shape::HalfSpace(half_space) => {
                // The projection of the origin on the plane; together with the origin it gives the body a size.
                let (normal, offset) = (half_space.normal(), half_space.offset());
                let foot = normal * (offset / normal.length_squared());
                let (vertices, plane) = (vec![foot, DVec3::ZERO], Some((normal, offset)));
                Part { vertices, plane, numbers: vec![0, 1], one_face: true, ..empty }
            }
            _ => {
                let round = Round::of(shape);
                let vertices = round.as_ref().map_or_else(|| vec![DVec3::ZERO], Round::outposts);
                Part { vertices, round, ..empty }
            }
        }
    }

    /// A triangle by its corners.
    pub fn of_triangle(corners: [DVec3; 3], pose: &Pose) -> Part {
        let (vertices, numbers) = (corners.to_vec(), vec![0, 1, 2]);
        let (edges, faces) = (vec![[0, 1], [1, 2], [2, 0]], vec![vec![0, 1, 2]]);
        Part { vertices, triangles: vec![[0, 1, 2]], edges, faces, numbers, ..Part::empty(pose) }
    }

    pub fn world(&self, point: DVec3) -> DoubleDoubleVec3 {
        self.world_of(DoubleDoubleVec3::from(point))
    }

    /// A point in the frame of the whole body, of which this may be a part, in the world.
    pub fn world_of_whole(&self, point: DVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3::from_difference(point, self.shift).transformed_by(&self.pose.rotation())
            + DoubleDoubleVec3::from(self.translation)
            + self.moved
    }

    /// Makes world coordinates relative to another point; the other body's part must use the same one. The common
    /// offset drops out, so bodies far from the origin are resolved as finely as near it. The difference is exact: the
    /// rounding of the translation goes into `moved`.
    pub fn measure_from(&mut self, start: DVec3) {
        let offset = DoubleDoubleVec3::from_difference(self.pose.translation(), start);
        self.translation = offset.to_vec3();
        self.moved = offset - DoubleDoubleVec3::from(self.translation);
    }

    /// A point in the frame of the whole body, in that of this part, rounded.
    pub fn in_own_frame(&self, point: DVec3) -> DVec3 {
        self.inner.map_or(point, |inner| inner.inverse_transform_point(point))
    }

    /// A part of a compound at `pose`.
    pub fn of_compound(shape: &Shape, inner: &Pose, pose: &Pose) -> Part {
        Part { inner: Some(*inner), ..Part::new(shape, pose) }
    }

    /// The rigidity defect of both poses together.
    pub fn defect(&self) -> f64 {
        self.pose.defect() + self.inner.map_or(0.0, |inner| inner.defect())
    }

    /// How far apart two combinations of support points of a custom body may be: each falls short of the surface by its
    /// slack, and the search for the nearest point stops within that.
    pub fn slack(&self) -> f64 {
        if let Some(Round::Custom(custom)) = &self.round { 4.0 * custom.slack() } else { 0.0 }
    }

    /// A world direction in the frame of the part, rounded.
    pub fn turned_back(&self, direction: DVec3) -> DVec3 {
        let own = self.pose.inverse_rotation() * direction;
        self.inner.map_or(own, |inner| inner.inverse_rotation() * own)
    }

    /// A direction in the part's frame, in the world, rounded.
    pub fn turned(&self, direction: DVec3) -> DVec3 {
        self.pose.rotation() * self.inner.map_or(direction, |inner| inner.rotation() * direction)
    }

    /// The core point that a surface point is offset from, given the outward world normal there; rounded.
    pub fn core_below(&self, point: DVec3, normal: DVec3) -> DVec3 {
        if self.radius == 0.0 { point } else { point - self.turned_back(normal * self.radius) }
    }

    /// A core point close to the support point along a world direction.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        let mut local = self.pose.rotation().transpose() * direction;
        if let Some(inner) = &self.inner {
            local = inner.rotation().transpose() * local;
        }
        if let Some(round) = &self.round {
            return round.support_point(local);
        }
        let shift = if self.inner.is_some() { DVec3::ZERO } else { self.shift };
        let mut best = (0, f64::NEG_INFINITY);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let value = local.dot(*vertex - shift);
            if value > best.1 {
                best = (index, value);
            }
        }
        self.vertices[best.0]
    }

    /// A core point in the world: the closest one to a point that rounding may have put outside.
    pub fn world_of_core(&self, point: DVec3) -> DoubleDoubleVec3 {
        self.world_of(match &self.round {
            // Taken unchecked.
            None | Some(Round::Custom(_)) => DoubleDoubleVec3::from(point),
            Some(round) => round.inside(point),
        })
    }

    /// A world point in the frame of the part, rounded.
    pub fn own(&self, world: DoubleDoubleVec3) -> DVec3 {
        let offset = world - self.moved - DoubleDoubleVec3::from(self.translation);
        let local = self.pose.inverse_rotation() * offset.to_vec3() + self.shift;
        self.inner.map_or(local, |inner| inner.inverse_transform_point(local))
    }

    pub fn world_of(&self, point: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        let point = match &self.inner {
            Some(inner) => point.transformed_by(&inner.rotation()) + DoubleDoubleVec3::from(inner.translation()),
            None => point,
        };
        (point - DoubleDoubleVec3::from(self.shift)).transformed_by(&self.pose.rotation())
            + DoubleDoubleVec3::from(self.translation)
            + self.moved
    }

    /// The plane of a half-space in the world, in double-double.
    pub fn world_plane(&self) -> Option<HalfSpaceBound> {
        let (normal, offset) = self.plane?;
        let r = self.pose.rotation();
        let [x, y, z] = [r.x_axis, r.y_axis, r.z_axis].map(DoubleDoubleVec3::from);
        // A plane `n · v = d` of the frame is `cofactors(R) n · w = d det R` in the world.
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        let [a, b, c] = [normal.x, normal.y, normal.z].map(DoubleDouble::from);
        let outward = cofactors[0].scale(a) + cofactors[1].scale(b) + cofactors[2].scale(c);
        let length = outward.length();
        let unit = outward.scale(DoubleDouble::ONE / length);
        let level = DoubleDouble::from(offset) * x.dot(cofactors[0]) / length;
        // The origin of the frame, minus the shift of the world.
        let start = DoubleDoubleVec3::from(self.translation) - DoubleDoubleVec3::from(self.shift).transformed_by(&r);
        Some(HalfSpaceBound { normal: unit, level: level + unit.dot(start + self.moved) })
    }

    pub fn corner(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// The maximum of `direction · x` over the core, in the world.
    pub fn support(&self, direction: DVec3) -> DoubleDouble {
        self.support_along(DoubleDoubleVec3::from(direction))
    }

    pub fn support_along(&self, direction: DoubleDoubleVec3) -> DoubleDouble {
        let local = direction.transformed_by(&self.pose.rotation().transpose());
        let mut offset = direction.dot(DoubleDoubleVec3::from(self.translation) + self.moved);
        let (local, shift) = match &self.inner {
            Some(inner) => {
                offset = offset + local.dot(DoubleDoubleVec3::from_difference(inner.translation(), self.shift));
                (local.transformed_by(&inner.rotation().transpose()), DVec3::ZERO)
            }
            None => (local, self.shift),
        };
        if let Some(round) = &self.round {
            return round.support(local) - local.dot(DoubleDoubleVec3::from(shift)) + offset;
        }
        let mut best = DoubleDouble::from(f64::NEG_INFINITY);
        for &vertex in &self.vertices {
            let value = local.dot(DoubleDoubleVec3::from_difference(vertex, shift));
            if value > best {
                best = value;
            }
        }
        best + offset
    }

    /// Centre of the vertices' box, in the body's frame, and the box's diagonal.
    pub fn extent(&self) -> (DVec3, f64) {
        let (min, max) = self
            .vertices
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), v| (min.min(*v), max.max(*v)));
        (0.5 * (min + max), (max - min).length())
    }

    /// Size of the body's local coordinates: a point in its frame cannot be stored more finely than this times `2u`.
    pub fn own_coordinates(&self) -> f64 {
        let inner = self.inner.map_or(0.0, |inner| 2.0 * inner.translation().length());
        inner + self.vertices.iter().map(|v| v.length()).fold(self.radius, f64::max)
    }

    /// Bound on the vertices' distance from the reference point of world coordinates.
    pub fn world_coordinates(&self) -> f64 {
        let reach = self.vertices.iter().map(|v| (*v - self.shift).length()).fold(self.radius, f64::max);
        let inner = self.inner.map_or(0.0, |inner| inner.translation().length() + self.shift.length());
        reach + inner + self.translation.length()
    }

    /// A piece of the core near a point of the body's frame: for a point inside, a sphere about it no larger than
    /// `within`; otherwise the nearest piece of the surface.
    pub fn nearest(&self, point: DVec3, within: f64) -> CorePiece {
        if let Some(round) = &self.round {
            return CorePiece::Point(self.world_of(round.inside(point)));
        }
        if self.solid && self.triangles.iter().all(|t| self.is_below(t, point)) {
            let room = if within > 0.0 { self.room_about(point).min(within) } else { 0.0 };
            return CorePiece::Ball(self.world(point), DoubleDouble::from(room));
        }
        self.nearest_surface(point)
    }

    /// True for a rounded polytope: a core of numbered vertices.
    pub fn has_vertices(&self) -> bool {
        self.round.is_none() && self.plane.is_none()
    }

    /// Whether the body has interior points, not only a surface.
    pub fn has_interior(&self) -> bool {
        // For a custom core, judged by some surface points.
        let curved = match &self.round {
            Some(Round::Custom(_)) => span_space(&self.vertices),
            other => other.is_some(),
        };
        self.solid || self.radius > 0.0 || self.plane.is_some() || curved
    }

    /// The radius, in the world, of a sphere about an inner point that lies in the body.
    pub fn room_about(&self, point: DVec3) -> f64 {
        let mut room = f64::INFINITY;
        for triangle in &self.triangles {
            let [p, q, r] = triangle.map(|v| self.corner(v));
            let [e, f, d] = [q, r, point].map(|to| DoubleDoubleVec3::from_difference(to, p));
            let n = e.cross(f);
            // The cross product is off by some 1e-31 of the product of the lengths.
            let doubt = 1e-30 * e.length().to_f64() * f.length().to_f64() * d.length().to_f64();
            let distance = (n.dot(d).abs().to_f64() - doubt) / n.length().to_f64();
            room = if distance > 0.0 { room.min(distance) } else { 0.0 };
        }
        room * (1.0 - 2.0 * self.defect() - ACCURACY)
    }

    pub fn is_below(&self, triangle: &[u32; 3], point: DVec3) -> bool {
        let [p, q, r] = triangle.map(|v| self.corner(v));
        !orient3d(p, q, r, point).is_positive()
    }

    /// The piece of the core's surface nearest to a point of the body's frame.
    pub fn nearest_surface(&self, point: DVec3) -> CorePiece {
        let by_distance = |x: &(f64, CorePiece), y: &(f64, CorePiece)| x.0.total_cmp(&y.0);
        let triangles = self.triangles.iter().map(|t| {
            let [p, q, r] = t.map(|v| self.corner(v));
            let squared = closest_on_triangle(point, p, q, r).point.distance_squared(point);
            (squared, CorePiece::Triangle([p, q, r].map(|v| self.world(v))))
        });
        if let Some((_, triangle)) = triangles.min_by(by_distance) {
            return triangle;
        }
        let segments = self.edges.iter().map(|e| {
            let [p, q] = e.map(|v| self.corner(v));
            (
                closest_on_segment(point, p, q).point.distance_squared(point),
                CorePiece::Segment([p, q].map(|v| self.world(v))),
            )
        });
        if let Some((_, segment)) = segments.min_by(by_distance) {
            return segment;
        }
        CorePiece::Point(self.world(self.vertices[0]))
    }

    /// The triangles of the core's surface within `within` of a point of the body's frame, in the world: nearest first,
    /// and only a few. For a core without faces, its edges or its corner. Empty for a curved core.
    pub fn triangles_near(&self, point: DVec3, within: f64) -> Vec<[DoubleDoubleVec3; 3]> {
        const MOST: usize = 16;
        let all: Vec<[u32; 3]> = match (&self.round, &self.triangles[..], &self.edges[..]) {
            (Some(_), ..) => Vec::new(),
            (None, [], []) => vec![[0; 3]],
            (None, [], edges) => edges.iter().map(|&[p, q]| [p, q, q]).collect(),
            (None, triangles, _) => triangles.to_vec(),
        };
        let here = self.world(point);
        let placed = all.iter().map(|triangle| triangle.map(|v| self.world(self.corner(v))));
        let measured = placed.map(|[p, q, r]| {
            let off = (project_on_triangle(here, p, q, r) - here).length().to_f64() - self.radius;
            (off, [p, q, r])
        });
        let mut near: Vec<(f64, [DoubleDoubleVec3; 3])> = measured.filter(|(off, _)| *off <= within).collect();
        near.sort_by(|x, y| x.0.total_cmp(&y.0));
        near.into_iter().take(MOST).map(|(_, triangle)| triangle).collect()
    }

    /// Distance in the body's frame from a point to a feature; `None` if there is no such feature.
    pub fn distance_to(&self, feature: Feature, point: DVec3) -> Option<f64> {
        if self.one_face {
            return (feature == Feature::Face(0)).then_some(0.0);
        }
        if let Some(round) = &self.round {
            return round.distance_to(feature, point).map(|off| off - self.radius);
        }
        let nearest = match feature {
            Feature::Vertex(number) => {
                let vertex = self.numbers.iter().position(|&n| n == number)?;
                self.vertices[vertex]
            }
            Feature::Edge(edge) => {
                let [p, q] = self.edges.get(edge as usize)?.map(|v| self.corner(v));
                closest_on_segment(point, p, q).point
            }
            Feature::Face(face) => {
                let corners = self.faces.get(face as usize)?;
                let fan = corners.windows(2).skip(1).map(|pair| {
                    let [p, q, r] = [corners[0], pair[0], pair[1]].map(|v| self.corner(v));
                    closest_on_triangle(point, p, q, r).point
                });
                fan.min_by(|x, y| x.distance_squared(point).total_cmp(&y.distance_squared(point)))?
            }
            Feature::Interior => return None,
        };
        // The witness of a rounded body lies off the feature by the radius.
        Some(nearest.distance(point) - self.radius)
    }
}

/// The points `w` of the world with `normal · w <= level`.
pub(crate) struct HalfSpaceBound {
    pub normal: DoubleDoubleVec3,
    pub level: DoubleDouble,
}

impl HalfSpaceBound {
    /// Height of a point above the plane.
    pub fn above(&self, point: DoubleDoubleVec3) -> DoubleDouble {
        self.normal.dot(point) - self.level
    }

    /// Height above the plane of the lowest of some points.
    pub fn above_lowest(&self, points: impl Iterator<Item = DoubleDoubleVec3>) -> DoubleDouble {
        let first = DoubleDouble::from(f64::INFINITY);
        points.map(|p| self.above(p)).fold(first, |low, x| if x < low { x } else { low })
    }
}

/// A piece of a core in the world, entirely part of the body.
pub(crate) enum CorePiece {
    Ball(DoubleDoubleVec3, DoubleDouble),
    Point(DoubleDoubleVec3),
    Segment([DoubleDoubleVec3; 2]),
    Triangle([DoubleDoubleVec3; 3]),
}

impl CorePiece {
    /// Height above a plane of the lowest point of the piece.
    pub fn above(&self, plane: &HalfSpaceBound) -> DoubleDouble {
        match self {
            CorePiece::Ball(centre, radius) => plane.above(*centre) - *radius,
            CorePiece::Point(p) => plane.above(*p),
            CorePiece::Segment(corners) => plane.above_lowest(corners.iter().copied()),
            CorePiece::Triangle(corners) => plane.above_lowest(corners.iter().copied()),
        }
    }

    /// The point of the piece nearest to `point`.
    pub fn project(&self, point: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        match *self {
            CorePiece::Ball(centre, radius) => {
                let length = (point - centre).length();
                if length <= radius { point } else { centre + (point - centre).scale(radius / length) }
            }
            CorePiece::Point(p) => p,
            CorePiece::Segment([p, q]) => project_on_segment(point, p, q),
            CorePiece::Triangle([p, q, r]) => project_on_triangle(point, p, q, r),
        }
    }
}
