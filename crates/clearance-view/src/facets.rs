//! Facets for bodies that are not meshes, for display only. Polyhedra are drawn as they are. A curved convex body is
//! the hull of its support points on parallels and meridians about its axis: inside the body, and off by less than a
//! hundredth of its size. An unbounded body is clipped.

use std::f64::consts::{PI, TAU};

use clearance::glam::DVec3;
use clearance::shape::{Aabb, ConvexHull};
use clearance::{Mesh, Shape};

/// Directions around the axis, and from one pole to the other.
const MERIDIANS: u32 = 48;
const PARALLELS: u32 = 24;

/// The thickness of a drawn segment, relative to its length.
const THICK: f64 = 0.004;

/// A mesh to draw a body by, in the body's frame; `near` is the box in that frame to which an unbounded body is
/// clipped. `None` if the shape of the body is unknown.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::Shape;
/// use clearance::shape::Aabb;
/// use clearance_view::facets;
/// let near = Aabb::new(-DVec3::ONE, DVec3::ONE);
/// let ball = facets(&Shape::sphere(1.0)?, &near).unwrap();
/// assert!(ball.points().all(|point| (point.length() - 1.0).abs() < 1e-12));
/// assert_eq!(facets(&Shape::cuboid(DVec3::ONE)?, &near).unwrap().triangle_count(), 12);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn facets(shape: &Shape, near: &Aabb) -> Option<Mesh> {
    match shape {
        Shape::Mesh(mesh) => Some(mesh.clone()),
        Shape::HeightField(field) => {
            let triangles = (0..u32::try_from(field.triangle_count()).ok()?).map(|k| field.triangle(k));
            of_corners(&triangles.collect::<Option<Vec<_>>>()?.concat())
        }
        Shape::HalfSpace(half_space) => {
            let normal = half_space.normal();
            let (u, v) = normal.any_orthonormal_pair();
            let middle = near.center() - (near.center().dot(normal) - half_space.offset()) * normal;
            let reach = near.size().length().max(f64::MIN_POSITIVE);
            let corner = |s: f64, t: f64| middle + reach * (s * u + t * v);
            let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            of_corners(&[a, b, c, a, c, d])
        }
        Shape::Compound(compound) => {
            let parts = compound.parts().iter().map(|(pose, part)| {
                let mesh = facets(part, near)?;
                let points: Vec<DVec3> = mesh.points().map(|point| pose.transform_point(point)).collect();
                Some(mesh.triangles().into_iter().flatten().map(|corner| points[corner as usize]).collect::<Vec<_>>())
            });
            of_corners(&parts.collect::<Option<Vec<_>>>()?.concat())
        }
        Shape::Segment(segment) => {
            let [start, end] = segment.points();
            let along = end - start;
            let (u, v) = along.try_normalize()?.any_orthonormal_pair();
            let around = (0..3).map(|k| (f64::from(k) * TAU / 3.0).sin_cos());
            let around = around.map(|(sine, cosine)| THICK * along.length() * (cosine * u + sine * v));
            hull(around.flat_map(|off| [start + off, end + off]))
        }
        _ => match corners(shape) {
            Some(corners) => hull(corners.into_iter()),
            None => {
                let farthest: Option<Vec<DVec3>> = directions().map(|direction| support(shape, direction)).collect();
                hull(farthest?.into_iter())
            }
        },
    }
}

/// Whether facets are not the body itself.
pub(crate) fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::HalfSpace(_) | Shape::Segment(_) => false,
        Shape::Compound(compound) => compound.parts().iter().any(|(_, part)| is_curved(part)),
        _ => corners(shape).is_none(),
    }
}

/// Unit directions, the poles along z; each pole once for each meridian.
fn directions() -> impl Iterator<Item = DVec3> {
    (0..=PARALLELS).flat_map(|parallel| {
        let (radius, height) = (f64::from(parallel) * PI / f64::from(PARALLELS)).sin_cos();
        (0..MERIDIANS).map(move |meridian| {
            let (sine, cosine) = (f64::from(meridian) * TAU / f64::from(MERIDIANS)).sin_cos();
            DVec3::new(radius * cosine, radius * sine, height)
        })
    })
}

/// The corners of a convex polyhedron.
fn corners(shape: &Shape) -> Option<Vec<DVec3>> {
    Some(match shape {
        Shape::Cuboid(cuboid) => (0..8).map(|k| cuboid.vertex(k)).collect(),
        Shape::Hull(hull) => hull.vertices().collect(),
        Shape::Segment(segment) => segment.points().to_vec(),
        Shape::Triangle(triangle) => triangle.points().to_vec(),
        Shape::Tetrahedron(tetrahedron) => tetrahedron.points().to_vec(),
        _ => return None,
    })
}

/// The farthest point of a convex body in a direction.
fn support(shape: &Shape, direction: DVec3) -> Option<DVec3> {
    let across = DVec3::new(direction.x, direction.y, 0.0).normalize_or(DVec3::X);
    Some(match shape {
        Shape::Sphere(sphere) => sphere.radius() * direction,
        Shape::Capsule(capsule) => {
            DVec3::Z * capsule.half_length().copysign(direction.z) + capsule.radius() * direction
        }
        Shape::Cylinder(cylinder) => {
            DVec3::Z * cylinder.half_length().copysign(direction.z) + cylinder.radius() * across
        }
        Shape::Cone(cone) => {
            let (apex, rim) = (DVec3::Z * cone.half_length(), cone.radius() * across - DVec3::Z * cone.half_length());
            if apex.dot(direction) > rim.dot(direction) { apex } else { rim }
        }
        Shape::Ellipsoid(ellipsoid) => {
            let axes = ellipsoid.semi_axes();
            axes * (axes * direction).normalize_or(DVec3::X)
        }
        Shape::Rounded(rounded) => support(rounded.core(), direction)? + rounded.radius() * direction,
        _ => corners(shape)?.into_iter().max_by(|p, q| p.dot(direction).total_cmp(&q.dot(direction)))?,
    })
}

/// The hull of points that have an area at least.
fn hull(points: impl Iterator<Item = DVec3>) -> Option<Mesh> {
    let points: Vec<[f64; 3]> = points.map(|point| point.to_array()).collect();
    let hull = ConvexHull::flat(&points).ok()?;
    let vertices: Vec<[f64; 3]> = hull.vertices().map(|point| point.to_array()).collect();
    Mesh::new(&vertices, hull.triangles()).ok()
}

/// A mesh of triangles by their corners.
fn of_corners(corners: &[DVec3]) -> Option<Mesh> {
    let points: Vec<[f64; 3]> = corners.iter().map(|point| point.to_array()).collect();
    let numbers: Vec<u32> = (0..u32::try_from(points.len()).ok()?).collect();
    Mesh::new(&points, numbers.as_chunks::<3>().0).ok()
}

#[cfg(test)]
mod tests {
    use clearance::glam::DVec3;
    use clearance::shape::Aabb;
    use clearance::{Pose, Shape, signed_distance};

    use super::{facets, is_curved};

    /// The corners of the facets lie on the bodies, and the facets fill nearly all of them.
    #[test]
    fn facets_are_those_of_the_body() -> Result<(), clearance::Error> {
        let near = Aabb::new(-DVec3::ONE, DVec3::ONE);
        let box_shape = Shape::cuboid(DVec3::new(0.5, 0.4, 0.3))?;
        let bodies = [
            (Shape::sphere(0.5)?, true),
            (box_shape.clone(), false),
            (Shape::capsule(0.5, 0.2)?, true),
            (Shape::cylinder(0.5, 0.3)?, true),
            (Shape::cone(0.5, 0.4)?, true),
            (Shape::ellipsoid(DVec3::new(0.5, 0.3, 0.2))?, true),
            (Shape::rounded(box_shape.clone(), 0.1)?, true),
            (Shape::rounded(Shape::cylinder(0.5, 0.3)?, 0.1)?, true),
            (Shape::tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?, false),
        ];
        for (shape, curved) in &bodies {
            let mesh = facets(shape, &near).unwrap();
            assert_eq!(is_curved(shape), *curved, "{shape:?}");
            for point in mesh.points() {
                let off = signed_distance(shape, &Pose::IDENTITY, point);
                assert!(off.distance.value.abs() < 1e-9, "{shape:?}: {point} is off by {}", off.distance.value);
            }
            let (drawn, whole) = (mesh.solid()?.health().volume.unwrap(), shape.mass_properties().volume);
            assert!(drawn <= whole * (1.0 + 1e-12) && drawn > 0.98 * whole, "{shape:?}: {drawn} of {whole}");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_end_or_no_inside() -> Result<(), clearance::Error> {
        let near = Aabb::new(DVec3::splat(2.0), DVec3::splat(4.0));
        let ground = facets(&Shape::half_space(DVec3::Z, 1.0)?, &near).unwrap();
        assert!(ground.points().all(|point| point.z == 1.0) && ground.triangle_count() == 2);
        let reach = ground.points().fold(0.0, |reach: f64, point| reach.max(point.x));
        assert!((4.0..20.0).contains(&reach), "{reach}");
        let pair = vec![
            (Pose::from_translation(DVec3::X)?, Shape::sphere(1.0)?),
            (Pose::IDENTITY, Shape::cuboid(DVec3::ONE)?),
        ];
        let pair = facets(&Shape::compound(pair)?, &near).unwrap();
        assert!(pair.points().any(|point| (point.x - 2.0).abs() < 1e-12));
        assert!(facets(&Shape::segment(DVec3::ZERO, DVec3::X)?, &near).unwrap().triangle_count() > 0);
        assert_eq!(facets(&Shape::triangle(DVec3::ZERO, DVec3::X, DVec3::Y)?, &near).unwrap().triangle_count(), 1);
        Ok(())
    }
}
