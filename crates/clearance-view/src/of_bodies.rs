//! Bodies of any kind as a scene.

use clearance::glam::DVec3;
use clearance::shape::Aabb;
use clearance::{Mesh, Pose, Shape};
use clearance_check::Error;

use crate::facets::{facets, is_curved};
use crate::{Scene, ScenePart};

impl Scene {
    /// Bodies of any kind, each shown by any number of parts, whose `mesh` is the number of the body. Curved bodies are
    /// drawn with facets and half-spaces as far as the others reach, and notes say so.
    ///
    /// # Errors
    /// [`Error::Usage`] if a part names a body that is not there, or one that has no surface to draw.
    ///
    /// ```
    /// use clearance::{Pose, Shape};
    /// use clearance_view::{Scene, ScenePart};
    /// let part = ScenePart { name: "ball".into(), mesh: 0, pose: Pose::IDENTITY };
    /// let scene = Scene::of_bodies(&[Shape::sphere(1.0)?], vec![part])?;
    /// assert!(scene.meshes[0].triangle_count() > 100 && scene.notes.len() == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_bodies(shapes: &[Shape], parts: Vec<ScenePart>) -> Result<Scene, Error> {
        let extent = |part: &ScenePart| Some(shapes.get(part.mesh)?.bounds().posed(&part.pose));
        let is_bounded = |bounds: &Aabb| bounds.min.is_finite() && bounds.max.is_finite();
        let whole = parts.iter().filter_map(extent).filter(is_bounded).reduce(both);
        let whole = whole.unwrap_or_else(|| Aabb::new(-DVec3::ONE, DVec3::ONE));
        let mut meshes: Vec<Option<Mesh>> = vec![None; shapes.len()];
        for part in &parts {
            let Some(shape) = shapes.get(part.mesh) else {
                return Err(Error::Usage(format!("part `{}` is of body {}, which there is not", part.name, part.mesh)));
            };
            if meshes[part.mesh].is_none() {
                let mesh = facets(shape, &whole.posed(&back(&part.pose)?));
                let problem = || Error::Usage(format!("part `{}` has no surface to draw", part.name));
                meshes[part.mesh] = Some(mesh.ok_or_else(problem)?);
            }
        }
        let mut notes = Vec::new();
        if shapes.iter().any(is_curved) {
            notes.push("Curved bodies are drawn with facets; the numbers are of the bodies themselves.".into());
        }
        if shapes.iter().any(|shape| matches!(shape, Shape::HalfSpace(_))) {
            notes.push("Of half-spaces a piece of the plane is drawn.".into());
        }
        // Bodies that no part shows are left out.
        let numbers: Vec<usize> = meshes
            .iter()
            .scan(0, |next, mesh| {
                *next += usize::from(mesh.is_some());
                Some(*next)
            })
            .collect();
        let parts = parts.into_iter().map(|part| ScenePart { mesh: numbers[part.mesh] - 1, ..part }).collect();
        Ok(Scene { meshes: meshes.into_iter().flatten().collect(), parts, notes, ..Scene::default() })
    }
}

fn both(a: Aabb, b: Aabb) -> Aabb {
    Aabb::new(a.min.min(b.min), a.max.max(b.max))
}

/// From the world to the body, rounded.
fn back(pose: &Pose) -> Result<Pose, Error> {
    let rotation = pose.rotation().transpose();
    Pose::new(rotation, -(rotation * pose.translation())).map_err(Error::from)
}
