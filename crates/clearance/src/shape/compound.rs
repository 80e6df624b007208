//! Compounds: several convex bodies that move as one.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::any::Shape;
use super::mass::MassProperties;
use super::node::{Below, Node};
use crate::bound::Aabb;
use crate::error::Error;
use crate::math::pose::Pose;

/// The union of posed convex bodies.
///
/// A point belongs to the compound if it belongs to one of its parts, the real-number bodies `R (R_part v + t_part) +
/// t`. Parts may touch and overlap. Answers give the part together with the feature of that part.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// use clearance::shape::Compound;
/// let bar = Shape::capsule(1.0, 0.1)?;
/// let disc = Shape::cylinder(0.1, 0.5)?;
/// let at = |z| Pose::from_translation(DVec3::new(0.0, 0.0, z));
/// let dumbbell = Compound::new(vec![(at(0.0)?, bar), (at(-1.0)?, disc.clone()), (at(1.0)?, disc)])?;
/// assert_eq!(dumbbell.parts().len(), 3);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compound {
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    parts: Vec<(Pose, Shape)>,
    /// The bounding box of each part in the frame of the compound.
    boxes: Vec<Aabb>,
    bounds: Aabb,
    /// A binary bounding volume hierarchy over the parts; the root comes first.
    nodes: Vec<Node>,
}

impl Compound {
    /// The union of at least one part; poses are in the frame of the compound. Parts must be bounded and convex: no
    /// half-spaces, height fields, meshes or compounds (pass their parts instead).
    ///
    /// # Errors
    /// [`Error::NoParts`], [`Error::NotACore`], [`Error::TooMany`].
    pub fn new(parts: Vec<(Pose, Shape)>) -> Result<Compound, Error> {
        if parts.is_empty() {
            return Err(Error::NoParts);
        }
        if u32::try_from(parts.len()).is_err() {
            return Err(Error::TooMany { what: "parts", count: parts.len() });
        }
        for (_, shape) in &parts {
            if matches!(shape, Shape::HalfSpace(_) | Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_)) {
                return Err(Error::NotACore { kind: shape.kind_name() });
            }
        }
        Ok(Compound::from_valid(parts))
    }

    fn from_valid(parts: Vec<(Pose, Shape)>) -> Compound {
        let boxes: Vec<Aabb> = parts.iter().map(|(pose, shape)| part_box(pose, shape)).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, part| all.including(part.min).including(part.max));
        let mut nodes = Vec::with_capacity(2 * parts.len());
        let mut order: Vec<u32> = (0..parts.len() as u32).collect();
        grow(&mut nodes, &boxes, &mut order);
        Compound { data: Arc::new(Data { parts, boxes, bounds, nodes }) }
    }

    /// A node of the hierarchy; the root is node 0.
    pub(crate) fn node(&self, node: u32) -> Node {
        self.data.nodes[node as usize]
    }

    /// Whether both share the same data.
    pub(crate) fn is_same(&self, other: &Compound) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// The parts with their poses in the frame of the compound.
    #[must_use]
    pub fn parts(&self) -> &[(Pose, Shape)] {
        &self.data.parts
    }

    /// The bounding box of each part in the frame of the compound.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        &self.data.boxes
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.data.bounds
    }

    /// The compound scaled by a power of two; `None` if out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Compound> {
        let part = |(pose, shape): &(Pose, Shape)| {
            let pose = Pose::new(pose.rotation(), pose.translation() * factor).ok()?;
            Some((pose, shape.scaled(factor)?))
        };
        Some(Compound::from_valid(self.data.parts.iter().map(part).collect::<Option<Vec<_>>>()?))
    }

    /// The sum over the parts: the overlap of two parts counts twice.
    pub(crate) fn mass_properties(&self) -> MassProperties {
        let posed = self.data.parts.iter().map(|(pose, shape)| {
            let own = shape.mass_properties();
            let r = pose.rotation();
            let inertia = r * own.inertia * r.transpose();
            MassProperties { volume: own.volume, center: pose.transform_point(own.center), inertia }
        });
        let posed: Vec<MassProperties> = posed.collect();
        let volume: f64 = posed.iter().map(|part| part.volume).sum();
        if volume <= 0.0 {
            let center = posed.iter().map(|part| part.center).sum::<DVec3>() / posed.len() as f64;
            return MassProperties { volume: 0.0, center, inertia: DMat3::ZERO };
        }
        let reference = posed[0].center;
        let center =
            reference + posed.iter().map(|part| (part.center - reference) * part.volume).sum::<DVec3>() / volume;
        let mut inertia = DMat3::ZERO;
        for part in &posed {
            let d = part.center - center;
            let shift = DMat3::from_diagonal(DVec3::splat(d.dot(d))) - DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            inertia += part.inertia + shift * part.volume;
        }
        MassProperties { volume, center, inertia }
    }
}

/// The bounding box of a posed part. Radii are world lengths, so the rigidity defect of the pose must not shrink them.
fn part_box(pose: &Pose, shape: &Shape) -> Aabb {
    let own = shape.bounds();
    let rest = DVec3::splat(pose.defect() * own.size().max_element());
    let posed = own.posed(pose);
    Aabb { min: posed.min - rest, max: posed.max + rest }
}

/// Appends the tree over the parts in `order`, split at the median along the longest side of the box of their centres,
/// and returns its root. The depth is logarithmic in the number of parts.
fn grow(nodes: &mut Vec<Node>, boxes: &[Aabb], order: &mut [u32]) -> u32 {
    let root = nodes.len() as u32;
    let of = |part: u32| boxes[part as usize];
    let bounds = order.iter().fold(Aabb::EMPTY, |all, &part| all.including(of(part).min).including(of(part).max));
    if let [part] = *order {
        nodes.push(Node { bounds, below: Below::Part(part) });
        return root;
    }
    nodes.push(Node { bounds, below: Below::Nodes([0; 2]) });
    let middles = order.iter().fold(Aabb::EMPTY, |all, &part| all.including(of(part).center())).size();
    let axis = (0..3).max_by(|&i, &j| middles[i].total_cmp(&middles[j])).unwrap_or(0);
    order.sort_by(|&p, &q| of(p).center()[axis].total_cmp(&of(q).center()[axis]).then(p.cmp(&q)));
    let (low, high) = order.split_at_mut(order.len() / 2);
    let below = [grow(nodes, boxes, low), grow(nodes, boxes, high)];
    nodes[root as usize].below = Below::Nodes(below);
    root
}

impl PartialEq for Compound {
    fn eq(&self, other: &Compound) -> bool {
        Arc::ptr_eq(&self.data, &other.data) || self.data == other.data
    }
}
