//! One of two bodies, in the world: a mesh with all its points, or decomposed parts; with its own box tree.

use glam::DVec3;

use crate::geom::topology::{Through, components};
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Feature;
use crate::shape::{Mesh, Shape};
use crate::verify::body::Part;
use crate::verify::boxes::Boxes;
use crate::verify::parts::{box_about, parts};
use crate::verify::project::project_on_triangle;
use crate::verify::triangles::{PointSide, Triangle, side_of};
use crate::verify::witness::feature_of_triangle;

/// A mesh in the world.
pub(crate) struct Posed<'s> {
    pub mesh: &'s Mesh,
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub world: Vec<DoubleDoubleVec3>,
}

impl Posed<'_> {
    pub fn own(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|p| self.points[p as usize])
    }

    pub fn world(&self, triangle: u32) -> Triangle {
        self.triangles[triangle as usize].map(|p| self.world[p as usize])
    }

    pub fn side_of(&self, point: DVec3) -> PointSide {
        side_of((0..self.triangles.len() as u32).map(|t| self.own(t)), point)
    }
}

pub(crate) enum Kind<'s> {
    Mesh(Posed<'s>),
    /// Not a mesh.
    Parts(Vec<Part>),
}

/// One of the two bodies.
pub(crate) struct Body<'s> {
    pub shape: &'s Shape,
    pub pose: Pose,
    pub shift: DVec3,
    pub translation: DVec3,
    pub kind: Kind<'s>,
    pub boxes: Boxes,
}

impl<'s> Body<'s> {
    pub fn new(
        shape: &'s Shape,
        pose: &Pose,
        (shift, translation): (DVec3, DVec3),
        reference: DoubleDoubleVec3,
    ) -> Body<'s> {
        let (kind, boxes) = match shape {
            Shape::Mesh(mesh) => {
                let points: Vec<DVec3> = mesh.points().collect();
                let at = |p: &DVec3| to_world(*p, pose, shift, translation);
                let posed = Posed { mesh, world: points.iter().map(at).collect(), points, triangles: mesh.triangles() };
                let about = |t: u32| {
                    let corners = posed.world(t).map(|p| (p - reference).to_vec3());
                    // Rounded once.
                    let widened = |v: DVec3| v.abs() * (2.0 * UNIT_ROUNDOFF);
                    let low = corners.into_iter().map(|v| v - widened(v)).fold(DVec3::INFINITY, DVec3::min);
                    let high = corners.into_iter().map(|v| v + widened(v)).fold(DVec3::NEG_INFINITY, DVec3::max);
                    [low, high]
                };
                let boxes: Vec<_> = (0..posed.triangles.len() as u32).map(about).collect();
                (Kind::Mesh(posed), Boxes::new(&boxes))
            }
            other => {
                let mut own = parts(other, pose);
                own.iter_mut().for_each(|part| (part.shift, part.translation) = (shift, translation));
                let boxes: Vec<_> = own.iter().map(|part| box_about(part, reference)).collect();
                (Kind::Parts(own), Boxes::new(&boxes))
            }
        };
        Body { shape, pose: *pose, shift, translation, kind, boxes }
    }

    pub fn mesh(&self) -> Option<&Posed<'s>> {
        match &self.kind {
            Kind::Mesh(posed) => Some(posed),
            Kind::Parts(_) => None,
        }
    }

    /// The mesh, if it is a solid.
    pub fn solid(&self) -> Option<&Posed<'s>> {
        self.mesh().filter(|posed| posed.mesh.is_solid())
    }

    pub fn is_surface(&self) -> bool {
        self.mesh().is_some_and(|posed| !posed.mesh.is_solid())
    }

    /// Whether the body has interior points: it is a solid, or has a part with an interior.
    pub fn has_interior(&self) -> bool {
        match &self.kind {
            Kind::Mesh(posed) => posed.mesh.is_solid(),
            Kind::Parts(parts) => parts.iter().any(Part::has_interior),
        }
    }

    pub fn placed(&self, mut part: Part) -> Part {
        (part.shift, part.translation) = (self.shift, self.translation);
        part
    }

    /// A part by number; for a mesh, a triangle. `None` if there is no such part.
    pub fn part(&self, number: u32) -> Option<Part> {
        let part = match (&self.kind, self.shape) {
            (Kind::Mesh(posed), _) => {
                let known = (number as usize) < posed.triangles.len();
                known.then(|| Part::of_triangle(posed.own(number), &self.pose))?
            }
            (Kind::Parts(_), Shape::Compound(compound)) => {
                let (inner, shape) = compound.parts().get(number as usize)?;
                Part::of_compound(shape, inner, &self.pose)
            }
            (Kind::Parts(_), whole) => (number == 0).then(|| Part::new(whole, &self.pose))?,
        };
        Some(self.placed(part))
    }

    /// A feature of the numbered part, in the part's own numbering. `None` if it does not belong to that part.
    pub fn feature(&self, number: u32, feature: Feature) -> Option<Feature> {
        let Kind::Mesh(posed) = &self.kind else { return Some(feature) };
        feature_of_triangle(posed.triangles.get(number as usize)?, number, feature)
    }

    pub fn world(&self, point: DVec3) -> DoubleDoubleVec3 {
        to_world(point, &self.pose, self.shift, self.translation)
    }

    /// A world point in the body's local frame, rounded.
    pub fn own(&self, world: DoubleDoubleVec3) -> DVec3 {
        let offset = world - DoubleDoubleVec3::from(self.translation);
        self.pose.inverse_rotation() * offset.to_vec3() + self.shift
    }

    /// Distance from a world point to the nearest part, and that part's number.
    pub fn nearest(&self, point: DoubleDoubleVec3, reference: DoubleDoubleVec3) -> (f64, u32) {
        self.boxes.nearest((point - reference).to_vec3(), |number| match &self.kind {
            Kind::Mesh(posed) => {
                let [p, q, r] = posed.world(number);
                (project_on_triangle(point, p, q, r) - point).length().to_f64()
            }
            Kind::Parts(parts) => {
                let part = &parts[number as usize];
                if let Some(plane) = part.world_plane() {
                    return plane.above(point).to_f64().max(0.0);
                }
                let core = part.nearest(part.own(point), 0.0).project(point);
                ((core - point).length().to_f64() - part.radius).max(0.0)
            }
        })
    }

    /// The maximum of `direction · x`, in the world; half-spaces are ignored.
    pub fn support(&self, direction: DoubleDoubleVec3) -> DoubleDouble {
        let larger = |x: DoubleDouble, y: DoubleDouble| if y > x { y } else { x };
        let least = DoubleDouble::from(f64::NEG_INFINITY);
        match &self.kind {
            Kind::Mesh(posed) => {
                let corners = posed.triangles.iter().flatten().map(|&p| direction.dot(posed.world[p as usize]));
                corners.fold(least, larger)
            }
            Kind::Parts(parts) => {
                let reach = |part: &Part| part.support_along(direction) + DoubleDouble::from(part.radius);
                parts.iter().map(reach).fold(least, larger)
            }
        }
    }

    pub fn has_plane(&self) -> bool {
        matches!(&self.kind, Kind::Parts(parts) if parts.iter().any(|part| part.world_plane().is_some()))
    }

    /// Points of the body, at least one in each connected component.
    pub fn components(&self) -> Vec<Vec<DoubleDoubleVec3>> {
        match &self.kind {
            Kind::Mesh(posed) => {
                let found = components(&posed.triangles, Through::Vertices);
                let mut points = vec![Vec::new(); found.count as usize];
                for (triangle, &component) in posed.triangles.iter().zip(&found.of_triangle) {
                    points[component as usize].extend(triangle.map(|p| posed.world[p as usize]));
                }
                points
            }
            // An unbounded part is inside no solid.
            Kind::Parts(parts) => {
                let bounded = parts.iter().filter(|part| part.world_plane().is_none());
                bounded.map(|part| vec![part.world(part.vertices[0])]).collect()
            }
        }
    }
}

/// A point of a body's frame in the world, which is relative to `translation` at the point `shift` of the frame.
pub(crate) fn to_world(point: DVec3, pose: &Pose, shift: DVec3, translation: DVec3) -> DoubleDoubleVec3 {
    DoubleDoubleVec3::from_difference(point, shift).transformed_by(&pose.rotation())
        + DoubleDoubleVec3::from(translation)
}

impl Body<'_> {
    /// The radius of a sphere about a point, in the body's local frame, that lies in the body: for a mesh the distance
    /// to its surface. Negative outside: minus the distance. For other bodies the point is only required to belong to
    /// the body.
    pub fn ball_about(&self, point: DVec3, reference: DoubleDoubleVec3) -> f64 {
        let (distance, _) = self.nearest(self.world(point), reference);
        match self.solid() {
            Some(posed) if posed.side_of(point) == PointSide::Inside => distance,
            _ => -distance,
        }
    }
}
