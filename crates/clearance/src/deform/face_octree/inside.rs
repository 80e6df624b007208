//! Bodies inside others, which have no pair of triangles.
//!
//! A connected part of a surface that does not touch a closed surface lies on one side of it, so one of its points
//! decides: by the winding number, exactly ([`winding_of`]). Where many parts are to be decided against one body, its
//! triangles are put in a tree, and only those that a ray from the point may cross are summed.

use std::collections::BTreeMap;

use super::input::box_of;
use super::options::{BodyFaces, BoxStage, FacePair};
use super::regions::each_overlap;
use crate::bound::Aabb;
use crate::geom::topology::{Through, closed_and_oriented, components};
use crate::mesh::inside::winding_of;
use crate::tree::dynamic::DynamicTree;

/// A connected part of a body's surface inside another body. Ordered by the body, its face, the container.
///
/// ```
/// use clearance::deforming::Contained;
/// let part = Contained { body: 1, face: 0, container: 0 };
/// assert_eq!((part.body, part.container), (1, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Contained {
    /// The body whose surface has the part.
    pub body: u32,
    /// The lowest triangle of the part; it has all triangles that can be reached from it over common points.
    pub face: u32,
    /// The body that contains it.
    pub container: u32,
}

/// The connected parts of a body.
struct Parts {
    /// The part of each face.
    of_face: Vec<u32>,
    /// The lowest face of each part.
    lowest: Vec<u32>,
}

impl Parts {
    fn of(body: &BodyFaces<'_>) -> Parts {
        let found = components(body.triangles, Through::Vertices);
        let mut lowest = vec![u32::MAX; found.count as usize];
        for (face, &part) in found.of_triangle.iter().enumerate().rev() {
            lowest[part as usize] = face as u32;
        }
        Parts { of_face: found.of_triangle, lowest }
    }
}

/// All parts inside other bodies, given the boxes of the bodies and all pairs of faces that meet.
pub(super) fn contained(bodies: &[BodyFaces<'_>], boxes: &[Aabb], pairs: &[FacePair]) -> Vec<Contained> {
    // Candidates for each container.
    let mut near: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    each_overlap(BoxStage::Sorted, boxes, &mut Vec::new(), |a, b| {
        near.entry(a).or_default().push(b);
        near.entry(b).or_default().push(a);
    });
    // Who touches which body: the faces of a body, by the other one.
    let mut touching: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for pair in pairs {
        touching.entry((pair.body_a, pair.body_b)).or_default().push(pair.face_a);
        touching.entry((pair.body_b, pair.body_a)).or_default().push(pair.face_b);
    }
    let mut parts: Vec<Option<Parts>> = bodies.iter().map(|_| None).collect();
    let mut found = Vec::new();
    for (container, mut candidates) in near {
        let holder = &bodies[container];
        if closed_and_oriented(holder.triangles).is_err() {
            continue;
        }
        candidates.sort_unstable();
        let mut asked = Vec::new();
        for body in candidates {
            let own = parts[body].get_or_insert_with(|| Parts::of(&bodies[body]));
            let mut free = vec![true; own.lowest.len()];
            let faces = touching.get(&(body as u32, container as u32));
            faces.into_iter().flatten().for_each(|&face| free[own.of_face[face as usize] as usize] = false);
            for (&face, _) in own.lowest.iter().zip(free).filter(|(_, free)| *free) {
                let point = bodies[body].corners(face)[0];
                if boxes[container].contains(point) {
                    asked.push((body as u32, face, point));
                }
            }
        }
        let tree = (asked.len() > 1).then(|| {
            let mut tree = DynamicTree::default();
            let faces = 0..holder.triangles.len() as u32;
            tree.insert(&faces.map(|face| (face, box_of(&holder.corners(face)))).collect::<Vec<_>>());
            tree
        });
        for (body, face, point) in asked {
            let mut crossed: Vec<u32> = Vec::new();
            // A ray along x, as that of the winding number.
            let ray = |own: &Aabb| {
                let beside = |axis: usize| own.min[axis] <= point[axis] && point[axis] <= own.max[axis];
                beside(1) && beside(2) && point.x <= own.max.x
            };
            match &tree {
                Some(tree) => tree.each_passing(ray, |face| crossed.push(face)),
                None => crossed.extend(0..holder.triangles.len() as u32),
            }
            if winding_of(crossed.into_iter().map(|face| holder.corners(face)), point) != 0 {
                found.push(Contained { body, face, container: container as u32 });
            }
        }
    }
    found.sort_unstable();
    found
}
