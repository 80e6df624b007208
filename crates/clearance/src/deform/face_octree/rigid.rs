//! Face octrees of rigid bodies, made once and moved: what the paper compares its method with.
//!
//! Kitamura, Smith, Takemura and Kishino, *Optimization and Parallelization of Octree-Based Collision Detection*
//! (1994), as described in section 5.2 of the paper named in [`face_octree`](super): each body has a complete face
//! octree in its own frame, and each black node the list of triangles that meet it. In a query nodes take the place of
//! triangles: those that meet a region where boxes of bodies overlap are moved with the body and compared with the
//! parts of space; at a voxel all triangles of two nodes are paired. Slower than the triangles themselves, in the paper
//! by a factor of 15: nodes are more, and larger than what is in them.
//!
//! Departures: a moved node is compared with a part of space by the six axes of both boxes, with slack for rounding, so
//! nothing that meets is lost; decisions are about the moved points, each rounded once.

use glam::DVec3;

use super::input::{box_of, check, joined};
use super::options::{BodyFaces, BoxStage, DividedSpace, FaceBoxTest, FaceOctreeCounts, FaceOctreeOptions, FacePair};
use super::regions;
use super::subdivide::{Items, Task, subdivide};
use crate::bound::{Aabb, Bound, RelativePose};
use crate::error::{Error, check_coordinates};
use crate::math::pose::Pose;
use crate::math::tolerances::{FACE_OCTREE_LEVELS, MAX_TRIANGLES, UNIT_ROUNDOFF};

/// A rigid body with its face octree, for [`FaceOctree::rigid_pairs`](crate::deforming::FaceOctree::rigid_pairs).
///
/// Takes 24 bytes per point, 12 per triangle, 60 per node and 4 for each triangle of each node; a closed surface has
/// some `4^level` nodes, of which each triangle meets at least one.
///
/// ```
/// use clearance::deforming::{BodyFaces, RigidFaceOctree};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let octree = RigidFaceOctree::new(&BodyFaces { points: &points, triangles: &[[0, 1, 2]] }, 3)?;
/// // A triangle in the middle plane of its cube: half of the 8 x 8 nodes on either side of it, and those on the diagonal.
/// assert!((72..=128).contains(&octree.node_count()));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RigidFaceOctree {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// The black nodes, and where the list of each begins; one entry more than nodes.
    nodes: Vec<Aabb>,
    first: Vec<u32>,
    faces: Vec<u32>,
    /// The largest distance of a node's point from the origin of the body's frame.
    reach: f64,
}

impl RigidFaceOctree {
    /// The octree of a body to a level, at most 20; larger levels count as that. The root is the cube around the body.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::NoSuchPoint`]; [`Error::TooMany`] if the lists of the nodes
    /// have more than 2²⁸ entries: take a lower level.
    ///
    /// ```
    /// use clearance::Error;
    /// use clearance::deforming::{BodyFaces, RigidFaceOctree};
    /// let none = RigidFaceOctree::new(&BodyFaces { points: &[], triangles: &[[0, 1, 2]] }, 6);
    /// assert_eq!(none.unwrap_err(), Error::NoSuchPoint { triangle: 0, point: 0, points: 0 });
    /// ```
    pub fn new(body: &BodyFaces<'_>, level: u32) -> Result<RigidFaceOctree, Error> {
        check(std::slice::from_ref(body)).map_err(|error| match error {
            Error::InBody { error, .. } => *error,
            other => other,
        })?;
        let mut octree = RigidFaceOctree {
            points: body.points.to_vec(),
            triangles: body.triangles.to_vec(),
            nodes: Vec::new(),
            first: vec![0],
            faces: Vec::new(),
            reach: 0.0,
        };
        let boxes: Vec<Aabb> = (0..body.triangles.len() as u32).map(|face| box_of(&body.corners(face))).collect();
        let all = boxes.iter().fold(Aabb::EMPTY, |all, own| joined(&all, own));
        if !boxes.is_empty() {
            let half = 0.5 * all.size().max_element();
            let centre = all.center();
            // Contains the box in spite of rounding.
            let cube = joined(&Aabb::new(centre - half, centre + half), &all);
            octree.grow(body, &boxes, cube, (0..boxes.len() as u32).collect(), level.min(FACE_OCTREE_LEVELS))?;
        }
        octree.reach = octree.nodes.iter().map(Bound::reach).fold(0.0, f64::max);
        Ok(octree)
    }

    /// Adds the nodes below a cell.
    fn grow(
        &mut self,
        body: &BodyFaces<'_>,
        boxes: &[Aabb],
        cell: Aabb,
        list: Vec<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let middle = cell.center();
        // Cells of a body without extent, or too small for their floats, are not divided.
        let divides = (0..3).all(|axis| cell.min[axis] < middle[axis] && middle[axis] < cell.max[axis]);
        if level == 0 || !divides {
            self.faces.extend(list);
            let count = self.faces.len();
            if count > MAX_TRIANGLES {
                return Err(Error::TooMany { what: "triangles in nodes of the octree", count });
            }
            self.first.push(count as u32);
            self.nodes.push(cell);
            return Ok(());
        }
        for number in 0..8 {
            let mut child = cell;
            for axis in 0..3 {
                let end = if number >> axis & 1 == 1 { &mut child.min } else { &mut child.max };
                end[axis] = middle[axis];
            }
            let meets = |&&face: &&u32| FaceBoxTest::Axes.may_meet(&body.corners(face), &boxes[face as usize], &child);
            let own: Vec<u32> = list.iter().filter(meets).copied().collect();
            if !own.is_empty() {
                self.grow(body, boxes, child, own, level - 1)?;
            }
        }
        Ok(())
    }

    /// The number of black nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.points[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.nodes[..])
            + 4 * (self.first.len() + self.faces.len())
    }

    fn faces_of(&self, node: u32) -> &[u32] {
        &self.faces[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

/// A node of the checklist, moved.
struct ListedNode {
    bounds: Aabb,
    body: u32,
    node: u32,
}

/// The nodes of the checklist as what is subdivided.
struct Nodes<'a> {
    bodies: &'a [(&'a RigidFaceOctree, &'a Pose)],
    /// From a frame at the origin of the world to that of each body.
    poses: &'a [RelativePose],
    checklist: Vec<ListedNode>,
    test: FaceBoxTest,
}

impl Items for Nodes<'_> {
    fn count(&self) -> usize {
        self.checklist.len()
    }

    fn body(&self, item: u32) -> u32 {
        self.checklist[item as usize].body
    }

    fn bounds(&self, item: u32) -> &Aabb {
        &self.checklist[item as usize].bounds
    }

    fn may_meet(&self, item: u32, bounds: &Aabb) -> bool {
        let ListedNode { body, node, .. } = self.checklist[item as usize];
        let own = &self.bodies[body as usize].0.nodes[node as usize];
        self.test == FaceBoxTest::Boxes || Bound::overlaps(bounds, own, &self.poses[body as usize])
    }

    fn pairs(&self, a: u32, b: u32, push: &mut impl FnMut(FacePair)) {
        let (a, b) = (&self.checklist[a as usize], &self.checklist[b as usize]);
        for &face_a in self.bodies[a.body as usize].0.faces_of(a.node) {
            for &face_b in self.bodies[b.body as usize].0.faces_of(b.node) {
                push(FacePair { body_a: a.body, face_a, body_b: b.body, face_b });
            }
        }
    }
}

/// Adds all pairs of triangles that meet.
pub(super) fn pairs(
    options: &FaceOctreeOptions,
    bodies: &[(&RigidFaceOctree, &Pose)],
    boxes: &mut Vec<Aabb>,
    found: &mut Vec<FacePair>,
    counts: &mut FaceOctreeCounts,
) -> Result<(), Error> {
    if u32::try_from(bodies.len()).is_err() {
        return Err(Error::TooMany { what: "bodies", count: bodies.len() });
    }
    let mut placed = Vec::with_capacity(bodies.len());
    boxes.clear();
    for (number, (octree, pose)) in bodies.iter().enumerate() {
        let mut points = Vec::with_capacity(octree.points.len());
        for (index, &point) in octree.points.iter().enumerate() {
            let moved = pose.transform_point(DVec3::from_array(point));
            let in_body = |error| Error::InBody { body: number as u32, error: Box::new(error) };
            check_coordinates("moved point", index, moved).map_err(in_body)?;
            points.push(moved.to_array());
        }
        placed.push(points);
    }
    let faces: Vec<BodyFaces<'_>> = bodies
        .iter()
        .zip(&placed)
        .map(|((octree, _), points)| BodyFaces { points, triangles: &octree.triangles })
        .collect();
    boxes.extend(faces.iter().map(|body| {
        let faces = (0..body.triangles.len() as u32).map(|face| box_of(&body.corners(face)));
        faces.fold(Aabb::EMPTY, |all, own| joined(&all, &own))
    }));
    let mut lists: Vec<Vec<Aabb>> = vec![Vec::new(); bodies.len()];
    let mut space: Option<Aabb> = None;
    let stage = if options.boxes == BoxStage::AllPairs { BoxStage::AllPairs } else { BoxStage::Sorted };
    regions::each_overlap(stage, boxes, &mut Vec::new(), |a, b| {
        let region = Aabb::new(boxes[a].min.max(boxes[b].min), boxes[a].max.min(boxes[b].max));
        lists[a].push(region);
        lists[b].push(region);
        space = Some(space.map_or(region, |all| joined(&all, &region)));
        counts.regions += 1;
    });
    let Some(space) = space else { return Ok(()) };
    let space = match options.space {
        DividedSpace::Regions => space,
        DividedSpace::World => boxes.iter().fold(Aabb::EMPTY, |all, own| joined(&all, own)),
    };
    let reach = space.reach();
    // Twice the reach of a body doubles the slack, which then covers the rounding of moved points too: a few units
    // against hundreds.
    let poses: Vec<RelativePose> = bodies
        .iter()
        .map(|(octree, pose)| RelativePose::new(&Pose::IDENTITY, pose, 2.0 * reach, 2.0 * octree.reach))
        .collect();
    let mut checklist = Vec::new();
    for (number, ((octree, pose), regions)) in bodies.iter().zip(&lists).enumerate() {
        if regions.is_empty() {
            continue;
        }
        let off = 16.0 * UNIT_ROUNDOFF * (octree.reach + pose.translation().abs().max_element());
        for (node, own) in octree.nodes.iter().enumerate() {
            let moved = own.posed(pose);
            let bounds = Aabb::new(moved.min - off, moved.max + off);
            let meets = |region: &Aabb| bounds.overlaps(region) && Bound::overlaps(region, own, &poses[number]);
            if regions.iter().any(meets) {
                checklist.push(ListedNode { bounds, body: number as u32, node: node as u32 });
            }
        }
    }
    counts.checklist = checklist.len() as u64;
    let nodes = Nodes { bodies, poses: &poses, checklist, test: options.face_box };
    subdivide(&Task { options, space, bodies: &faces }, &nodes, found, counts);
    Ok(())
}
