//! The `verify` methods of answers whose proofs need no guesses: features, meshes and height fields.

use glam::DVec3;

use crate::answer::contact_curve::{ContactCurve, ContactCurvesOptions};
use crate::answer::elementary::{ElementaryImpact, ElementaryPair, NoElementaryImpact};
use crate::answer::mesh_health::MeshHealth;
use crate::answer::ray::{Ray, RayOptions};
use crate::answer::repaired::Repaired;
use crate::answer::self_intersections::{SelfIntersection, SelfIntersectionsOptions};
use crate::answer::step::{NearPair, StepCollisions, StepOptions};
use crate::answer::tets::{TetDepth, TetNeighbours, TetPairs, TetSelfPairs};
use crate::deform::{DeformingMesh, TetMesh};
use crate::math::pose::Pose;
use crate::shape::{HeightField, HeightSample, Mesh, SurfaceDistance, SurfaceHit, SurfacePoint, Wheel, WheelContact};
use crate::verify::{Refusal, contact_curves, elementary, height_field_samples, mesh_health, repaired};
use crate::verify::{self_intersections, step, tets};

impl Repaired {
    /// Verifies the repair against the given mesh: the distance bounds, by a branch and bound of its own; whether
    /// the mesh is a solid, and what is left open if not; and what became of each point and triangle. Slower than the
    /// repair.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Mesh, verify::Refusal};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 1e-6, 0.0]];
    /// let given = Mesh::new(&points, &[[0, 2, 4], [4, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let mut repaired = given.repaired(1e-5)?;
    /// assert_eq!(repaired.verify(&given), Ok(()));
    /// repaired.report.split.clear();
    /// assert_eq!(repaired.verify(&given), Err(Refusal::Repair { field: "split" }));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, given: &Mesh) -> Result<(), Refusal> {
        repaired::verify_repaired(self, given)
    }
}

impl ElementaryImpact {
    /// Proves the first contact of two moving features independently, as found by
    /// [`ElementarySolver::Exact`](crate::query::ElementarySolver::Exact).
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::glam::DVec3;
    /// use clearance::query::{ElementaryKind, ElementaryPair, elementary_impact};
    /// let start = [DVec3::new(0.25, 0.25, 1.0), DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let end = [DVec3::new(0.25, 0.25, -2.0), DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let pair = ElementaryPair::new(ElementaryKind::VertexFace, start, end)?;
    /// let mut impact = elementary_impact(&pair).unwrap();
    /// assert_eq!(impact.verify(&pair), Ok(()));
    /// impact.point.x += 1e-9;
    /// assert!(impact.verify(&pair).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, pair: &ElementaryPair) -> Result<(), Refusal> {
        elementary::verify_elementary(pair, self)
    }
}

impl NoElementaryImpact {
    /// Proves again that two moving features do not touch, in integers.
    ///
    /// # Errors
    /// [`Refusal::Before`] with the time at which they do; [`Refusal::NoNumber`] for a time outside of the step.
    pub fn verify(&self, pair: &ElementaryPair) -> Result<(), Refusal> {
        elementary::verify_no_elementary(pair, self)
    }
}

impl StepCollisions {
    /// Proves an answer of [`step_collisions`](crate::step_collisions) independently. Much slower than the query: every
    /// pair whose boxes meet is decided in integers.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{DeformingMesh, step_collisions};
    /// use clearance::query::StepOptions;
    /// let floor = DeformingMesh::new(&[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]])?;
    /// let mut leaf = DeformingMesh::new(&[[1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [1.0, 2.0, 2.0]], &[[0, 1, 2]])?;
    /// leaf.move_to(&[[1.0, 1.0, -1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]])?;
    /// let found = step_collisions(&leaf, &floor);
    /// assert_eq!(found.verify(&StepOptions::default(), &leaf, &floor), Ok(()));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, options: &StepOptions, a: &DeformingMesh, b: &DeformingMesh) -> Result<(), Refusal> {
        step::verify_step_collisions(self, options, a, b)
    }

    /// Proves an answer of [`self_collisions`](crate::self_collisions) independently, like [`StepCollisions::verify`].
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{DeformingMesh, self_collisions};
    /// use clearance::query::StepOptions;
    /// let ground = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]];
    /// let before = [ground, [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 2.0]]].concat();
    /// let mut after = before.clone();
    /// after[3..].iter_mut().for_each(|point| point[2] -= 4.0);
    /// let mut mesh = DeformingMesh::new(&before, &[[0, 1, 2], [3, 4, 5]])?;
    /// mesh.move_to(&after)?;
    /// let mut found = self_collisions(&mesh);
    /// assert_eq!(found.verify_self(&StepOptions::default(), &mesh), Ok(()));
    /// found.impacts.pop();
    /// assert!(found.verify_self(&StepOptions::default(), &mesh).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_self(&self, options: &StepOptions, mesh: &DeformingMesh) -> Result<(), Refusal> {
        step::verify_self_collisions(self, options, mesh)
    }
}

impl TetPairs {
    /// Proves an answer of [`tet_pairs`](crate::tet_pairs()) again by a sweep and other predicates: each pair meets,
    /// and no other does. Much slower than the query.
    ///
    /// # Errors
    /// [`Refusal::Count`] with the list that is wrong.
    ///
    /// ```
    /// use clearance::{TetMesh, tet_pairs};
    /// let corner = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let a = TetMesh::new(&corner, &[[0, 1, 2, 3]])?;
    /// let b = TetMesh::new(&corner.map(|[x, y, z]| [x + 0.5, y, z]), &[[0, 1, 2, 3]])?;
    /// let mut found = tet_pairs(&a, &b);
    /// assert_eq!(found.verify(&a, &b), Ok(()));
    /// found.faces_of_b.pop();
    /// assert!(found.verify(&a, &b).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, a: &TetMesh, b: &TetMesh) -> Result<(), Refusal> {
        tets::verify_pairs(self, a, b)
    }
}

impl TetSelfPairs {
    /// Proves an answer of [`tet_self_pairs`](crate::tet_self_pairs()) again, like [`TetPairs::verify`], with the
    /// neighbours that were left out.
    ///
    /// # Errors
    /// [`Refusal::Count`].
    ///
    /// ```
    /// use clearance::query::TetNeighbours;
    /// use clearance::{TetMesh, tet_self_pairs};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
    /// let mesh = TetMesh::new(&points, &[[0, 1, 2, 3], [1, 2, 3, 4]])?;
    /// assert_eq!(tet_self_pairs(&mesh).verify(&mesh, TetNeighbours::Point), Ok(()));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, mesh: &TetMesh, neighbours: TetNeighbours) -> Result<(), Refusal> {
        tets::verify_self_pairs(self, mesh, neighbours)
    }
}

impl TetDepth {
    /// Proves an answer of [`tet_depths`](crate::query::tet_depths) again: which vertices are inside, by every
    /// tetrahedron; coordinates in integers; nearest points as those of [`closest_point`](crate::closest_point()).
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::TetMesh;
    /// use clearance::answer::TetDepth;
    /// use clearance::query::tet_depths;
    /// let corner = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let body = TetMesh::new(&corner, &[[0, 1, 2, 3]])?;
    /// let thorn = TetMesh::new(&corner.map(|point| point.map(|x| x + 1.0)), &[[0, 1, 2, 3]])?;
    /// let mut found = tet_depths(&thorn, &body)?;
    /// assert_eq!(TetDepth::verify_all(&found, &thorn, &body), Ok(()));
    /// found[0].coordinates[2].lower = 0.26;
    /// assert!(TetDepth::verify_all(&found, &thorn, &body).is_err());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn verify_all(found: &[TetDepth], a: &TetMesh, b: &TetMesh) -> Result<(), Refusal> {
        tets::verify_depths(found, a, b)
    }
}

impl NearPair {
    /// Proves an answer of [`self_proximity`](crate::query::self_proximity) (no `other`) or
    /// [`proximity`](crate::query::proximity) independently: distances in double-double, and completeness.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::DeformingMesh;
    /// use clearance::answer::NearPair;
    /// use clearance::query::self_proximity;
    /// let ground = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]];
    /// let points = [ground, [[1.0, 1.0, 0.5], [1.0, 1.0, 3.0], [1.0, 2.0, 3.0]]].concat();
    /// let mesh = DeformingMesh::new(&points, &[[0, 1, 2], [3, 4, 5]])?;
    /// let near = self_proximity(&mesh, 0.6);
    /// assert_eq!(NearPair::verify_all(&near, 0.6, &mesh, None), Ok(()));
    /// assert!(NearPair::verify_all(&[], 0.6, &mesh, None).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_all(
        pairs: &[NearPair],
        distance: f64,
        mesh: &DeformingMesh,
        other: Option<&DeformingMesh>,
    ) -> Result<(), Refusal> {
        step::verify_proximity(pairs, distance, mesh, other)
    }
}

impl ContactCurve {
    /// Proves an answer of [`contact_curves`](crate::query::contact_curves) independently: each segment lies in the
    /// triangles it names, which meet exactly, and a curve passes wherever an edge clearly pierces a triangle.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::answer::ContactCurve;
    /// use clearance::query::{ContactCurvesOptions, contact_curves};
    /// use clearance::{Mesh, Pose};
    /// let sheet = Mesh::new(&[[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0]], &[[0, 1, 2]])?;
    /// let spike = [[0.0, 0.0, -1.0], [1.0, -0.5, 1.0], [0.0, 1.5, 1.0], [-1.0, -0.5, 1.0]];
    /// let spike = Mesh::new(&spike, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
    /// let (still, options) = (Pose::IDENTITY, ContactCurvesOptions::default());
    /// let mut curves = contact_curves(&sheet, &still, &spike, &still);
    /// let verified = |curves: &[ContactCurve]| ContactCurve::verify_all(curves, &sheet, &still, &spike, &still, &options);
    /// assert_eq!(verified(&curves), Ok(()));
    /// assert!(verified(&[curves.clone(), curves.clone()].concat()).is_err());
    /// curves[0].points[0].z += 0.01;
    /// assert!(verified(&curves).is_err() && verified(&[]).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_all(
        curves: &[ContactCurve],
        a: &Mesh,
        pose_a: &Pose,
        b: &Mesh,
        pose_b: &Pose,
        options: &ContactCurvesOptions,
    ) -> Result<(), Refusal> {
        contact_curves::verify_contact_curves(curves, (a, pose_a), (b, pose_b), options)
    }
}

impl SelfIntersection {
    /// Proves an answer of [`self_intersections`](crate::query::self_intersections) again, in integers: each pair meets
    /// as its kind says, and no other pair of triangles does. Much slower than the question.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::Mesh;
    /// use clearance::answer::SelfIntersection;
    /// use clearance::query::{SelfIntersectionsOptions, self_intersections};
    /// let points = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.5, 0.0, 1.0], [-0.5, 0.0, 1.0]];
    /// let mesh = Mesh::new(&points, &[[0, 1, 2], [3, 4, 5]])?;
    /// let (found, options) = (self_intersections(&mesh), SelfIntersectionsOptions::default());
    /// assert_eq!(SelfIntersection::verify_all(&found, &mesh, &options), Ok(()));
    /// assert!(SelfIntersection::verify_all(&[], &mesh, &options).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_all(
        found: &[SelfIntersection],
        mesh: &Mesh,
        options: &SelfIntersectionsOptions,
    ) -> Result<(), Refusal> {
        self_intersections::verify_self_intersections(found, mesh, options)
    }
}

impl MeshHealth {
    /// Proves a mesh health report independently: everything is counted by separate code, and the volume summed in
    /// integers.
    ///
    /// # Errors
    /// [`Refusal::Count`] with the first field that is wrong; [`Refusal::Upper`] for the volume.
    ///
    /// ```
    /// use clearance::Mesh;
    /// use clearance::verify::Refusal;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let mut health = mesh.health();
    /// assert_eq!(health.verify(&mesh), Ok(()));
    /// health.components = 2;
    /// assert_eq!(health.verify(&mesh), Err(Refusal::Count { field: "components" }));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, mesh: &Mesh) -> Result<(), Refusal> {
        mesh_health::verify_health(self, mesh)
    }
}

impl HeightSample {
    /// Proves the height of a field at a place again, in integers.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::glam::DVec2;
    /// use clearance::shape::HeightField;
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 1.0])?;
    /// let mut sample = field.height_at(0.25, 0.5).unwrap();
    /// assert_eq!(sample.verify(&field, 0.25, 0.5), Ok(()));
    /// sample.height.lower = 0.3;
    /// assert!(sample.verify(&field, 0.25, 0.5).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, field: &HeightField, x: f64, y: f64) -> Result<(), Refusal> {
        height_field_samples::verify_sample(self, field, x, y)
    }
}

impl SurfaceHit {
    /// Proves again that a ray of the field's frame meets the surface where the answer says, within the range of the
    /// options. That it is the first place is not proved.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::query::RayOptions;
    /// use clearance::{Ray, shape::HeightField};
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 1.0])?;
    /// let ray = Ray::new(DVec3::new(0.25, 0.5, 2.0), DVec3::NEG_Z)?;
    /// let mut hit = field.ray_cast(ray.origin, ray.direction, 0.0, f64::INFINITY)?.unwrap();
    /// assert_eq!(hit.verify(&field, &ray, &RayOptions::default()), Ok(()));
    /// hit.from_below = true;
    /// assert!(hit.verify(&field, &ray, &RayOptions::default()).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, field: &HeightField, ray: &Ray, options: &RayOptions) -> Result<(), Refusal> {
        height_field_samples::verify_surface_hit(self, field, ray, options)
    }
}

impl SurfacePoint {
    /// Proves again that no point of the surface is nearer to a point of the field's frame. Looks at every triangle.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 1.0])?;
    /// let query = DVec3::new(0.25, 0.5, 2.0);
    /// let mut found = field.closest_point(query)?;
    /// assert_eq!(found.verify(&field, query), Ok(()));
    /// found.point.x += 1e-6;
    /// assert!(found.verify(&field, query).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, field: &HeightField, query: DVec3) -> Result<(), Refusal> {
        height_field_samples::verify_surface_point(self, field, query)
    }
}

impl SurfaceDistance {
    /// Proves again how far a point of the field's frame is from the solid ground. Looks at every triangle.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 1.0])?;
    /// let query = DVec3::new(0.25, 0.5, -0.2);
    /// let mut found = field.signed_distance(query)?;
    /// assert_eq!(found.verify(&field, query), Ok(()));
    /// found.distance.upper -= 0.5;
    /// assert!(found.verify(&field, query).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, field: &HeightField, query: DVec3) -> Result<(), Refusal> {
        height_field_samples::verify_terrain_distance(self, field, query)
    }
}

impl WheelContact {
    /// Proves again where the line through a wheel's centre meets the ground and how far that is along `up`.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::{HeightField, Wheel};
    /// let field = HeightField::new(2, 2, DVec2::splat(8.0), vec![0.0, 8.0, 0.0, 8.0])?;
    /// let wheel = Wheel { center: DVec3::new(3.0, 4.0, 4.5), radius: 0.5 };
    /// let mut contact = field.wheel_on_terrain(&wheel, DVec3::Z)?.unwrap();
    /// assert_eq!(contact.verify(&field, &wheel, DVec3::Z), Ok(()));
    /// contact.clearance.upper -= 0.5;
    /// assert!(contact.verify(&field, &wheel, DVec3::Z).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, field: &HeightField, wheel: &Wheel, up: DVec3) -> Result<(), Refusal> {
        height_field_samples::verify_wheel(self, field, wheel, up)
    }
}
