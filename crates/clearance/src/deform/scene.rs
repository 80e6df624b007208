//! Bodies that move, deform, change their triangles and break, with all triangles of different bodies that meet.
//!
//! The breaking scenes of Govindaraju, Lin and Manocha (*Fast and Reliable Collision Culling using Graphics Hardware*,
//! 2004): one body becomes hundreds in a frame. Everything is kept by body, so a frame costs what changed in it:
//!
//! - each body has a tree of its own, built when it is inserted, its triangles replaced, or it is a piece of another;
//!   a body whose points move is refitted, in time proportional to its triangles;
//! - a dynamic tree of boxes ([`DynamicTree`]) holds the bodies: each change costs a logarithm;
//! - the triangles of two bodies that meet are kept with the pair, until one of the two changes or is gone.
//!
//! So bodies that rest cost nothing but the copy of their pairs into the answer.
//!
//! Trees of two bodies are walked in one frame ([`SameFramePair`]): all boxes are in single precision, in a frame about
//! all bodies, by one monotone map, so triangles that meet have boxes that overlap without any widening (see
//! [`boxes`](super::boxes)). If the bodies spread to four times the size of the frame, or gather in a quarter of it, a
//! new frame is taken and all bodies are refitted. Triangles are decided exactly, on their points as given.

use std::collections::{BTreeMap, BTreeSet};

use fearless_simd::{Level, Simd};
use glam::DVec3;

use super::boxes::Block;
use super::face_octree::{BodyFaces, FacePair};
use crate::bound::Aabb;
use crate::error::Error;
use crate::geom::triangle_triangle::triangles_meet;
use crate::math::cancel::Carried;
use crate::math::simd::at_level;
use crate::parallel;
use crate::shape::{Mesh, checked_bounds};
use crate::tree::dynamic::DynamicTree;
use crate::tree::traverse_same_frame::{Places, SameFramePair, boxes_meeting};
use crate::tree::wide::{Below, Bounds, Frame, Leaf, Node, WIDTH, fit_nodes};

/// Two bodies with more triangles than this in all are walked in pieces, on all cores.
const LARGE: usize = 4096;

/// How many pieces the walk of two large bodies is split into.
const PIECES: usize = 32;

/// How far bodies may spread or gather, relative to the frame, before a new one is taken.
const FRAME_RATIO: f64 = 4.0;

/// Bodies whose triangles may change in any way, and all pairs of triangles of different bodies that meet.
///
/// Bodies are named by numbers, in the order in which they are inserted; a number is never used twice. Points are in
/// world coordinates. Takes some 80 bytes per triangle, and for each pair of bodies whose boxes overlap some 100 bytes
/// and 8 for each pair of triangles that meet.
///
/// If most bodies change their triangles in each frame, [`FaceOctree`](crate::deforming::FaceOctree) answers the same
/// without trees. For impacts in a step, see [`DeformingMesh`](crate::DeformingMesh).
///
/// ```
/// use clearance::deforming::{FacePair, Scene};
/// let mut scene = Scene::default();
/// // A plate of two triangles, and a spike through the second.
/// let plate = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
/// let plate = scene.insert(&plate, &[[0, 1, 2], [0, 2, 3]])?;
/// let spike = scene.insert(&[[1.0, 3.0, -1.0], [1.2, 3.0, 1.0], [1.0, 3.2, 1.0]], &[[0, 1, 2]])?;
/// assert_eq!(scene.pairs(), [FacePair { body_a: plate, face_a: 1, body_b: spike, face_b: 0 }]);
///
/// // The plate breaks into its triangles, which stay where they are.
/// let pieces = scene.break_up(plate, &[0, 1])?;
/// let pair = FacePair { body_a: spike, face_a: 0, body_b: pieces[1].body, face_b: 0 };
/// // The pieces touch along the edge they had in common.
/// let seam = FacePair { body_a: pieces[0].body, face_a: 0, body_b: pieces[1].body, face_b: 0 };
/// assert_eq!(scene.pairs(), [pair, seam]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene {
    bodies: BTreeMap<u32, Body>,
    /// The number of the next body; as wide as to count past the last one.
    next: u64,
    /// The bodies by their items of the tree, and items that are free.
    items: Vec<u32>,
    free: Vec<u32>,
    tree: DynamicTree,
    /// The frame of all boxes, and half its size.
    frame: Option<(Frame, f64)>,
    /// Every pair of bodies whose boxes overlap, the lower number first.
    pairs: BTreeMap<(u32, u32), BodyPair>,
    found: Vec<FacePair>,
    counts: SceneCounts,
}

/// What the last [`Scene::pairs`] did and found. The same on any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneCounts {
    /// Bodies whose boxes were fitted.
    pub fitted_bodies: u64,
    /// Pairs of bodies whose triangles were compared; others are kept from before.
    pub walked_pairs: u64,
    /// Exact tests of two triangles.
    pub face_pair_tests: u64,
    /// Pairs of bodies whose boxes overlap: all that boxes alone tell.
    pub box_pairs: u64,
    /// Pairs of bodies with triangles whose boxes overlap.
    pub near_pairs: u64,
    /// Pairs of bodies that meet.
    pub meeting_pairs: u64,
}

/// A piece of a body that was broken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenePiece {
    /// The number of the new body.
    pub body: u32,
    /// For each of its points, the point of the broken body.
    pub points: Vec<u32>,
    /// For each of its triangles, the triangle of the broken body, in ascending order.
    pub faces: Vec<u32>,
}

/// Two bodies whose boxes overlap.
#[derive(Clone, Debug, Default)]
struct BodyPair {
    /// Whether boxes of triangles overlap.
    near: bool,
    /// The triangles that meet, in ascending order.
    faces: Vec<[u32; 2]>,
}

/// A body with its tree.
#[derive(Clone, Debug)]
struct Body {
    points: Vec<[f64; 3]>,
    /// As given.
    triangles: Vec<[u32; 3]>,
    /// In the order of the leaves, and the number of each.
    slots: Vec<[u32; 3]>,
    ids: Vec<u32>,
    /// In the frame of the scene, once fitted.
    nodes: Vec<Node>,
    /// The boxes of the triangles of each leaf.
    leaves: Vec<Block>,
    bounds: Aabb,
    item: u32,
    /// Since the last query.
    changed: bool,
}

impl Body {
    fn new(body: &BodyFaces<'_>) -> Result<Body, Error> {
        let mesh = Mesh::new(body.points, body.triangles)?;
        let surface = mesh.surface();
        let empty = Block { min: [[f32::INFINITY; WIDTH]; 3], max: [[f32::NEG_INFINITY; WIDTH]; 3] };
        let mut made = Body {
            points: body.points.to_vec(),
            triangles: body.triangles.to_vec(),
            slots: surface.triangles.clone(),
            ids: surface.ids.clone(),
            nodes: surface.tree.nodes.clone(),
            leaves: vec![empty; surface.tree.packets.len()],
            bounds: Aabb::EMPTY,
            item: 0,
            changed: true,
        };
        made.measure();
        Ok(made)
    }

    /// The box of the points in use.
    fn measure(&mut self) {
        let corners = self.slots.iter().flatten().map(|&point| DVec3::from_array(self.points[point as usize]));
        self.bounds = corners.fold(Aabb::EMPTY, |all, corner| all.including(corner));
    }

    fn corners(&self, slot: u32) -> [DVec3; 3] {
        self.slots[slot as usize].map(|point| DVec3::from_array(self.points[point as usize]))
    }

    /// Fits all boxes. One map for all coordinates, which never decreases.
    #[inline(always)]
    fn fit<S: Simd>(&mut self, simd: S, frame: &Frame) {
        let within = DVec3::splat(f64::from(f32::MAX));
        let place = |&point: &[f64; 3]| frame.of(DVec3::from_array(point)).clamp(-within, within).as_vec3().to_array();
        let placed: Vec<[f32; 3]> = self.points.iter().map(place).collect();
        for node in &mut self.nodes {
            for lane in 0..WIDTH {
                let Below::Leaf(leaf) = node.below(lane) else { continue };
                let block = &mut self.leaves[leaf.packet as usize];
                for k in 0..leaf.count as usize {
                    let [a, b, c] = self.slots[leaf.first as usize + k].map(|point| placed[point as usize]);
                    for axis in 0..3 {
                        block.min[axis][k] = a[axis].min(b[axis]).min(c[axis]);
                        block.max[axis][k] = a[axis].max(b[axis]).max(c[axis]);
                    }
                }
                node.set_lane(lane, &Bounds::of_lanes(simd, &block.min, &block.max));
            }
        }
        fit_nodes(simd, &mut self.nodes);
    }

    fn faces(&self) -> BodyFaces<'_> {
        BodyFaces { points: &self.points, triangles: &self.triangles }
    }
}

/// A part of the comparison of two bodies.
struct Walk<'s> {
    a: &'s Body,
    b: &'s Body,
    places: Vec<Places>,
}

/// What a part found.
#[derive(Default)]
struct Walked {
    pair: BodyPair,
    tests: u64,
}

impl Walk<'_> {
    fn run(&self) -> Walked {
        let mut walked = Walked::default();
        let mut stack = Vec::new();
        let trees = SameFramePair { a: &self.a.nodes, b: &self.b.nodes, itself: false };
        at_level!(Level::new(), simd => {
            for &places in &self.places {
                trees.walk(simd, places, &mut stack, #[inline(always)] |(a, _), (b, _)| {
                    self.leaves(simd, a, b, &mut walked);
                });
            }
        });
        walked
    }

    #[inline(always)]
    fn leaves<S: Simd>(&self, simd: S, a: &Leaf, b: &Leaf, walked: &mut Walked) {
        let (of_a, of_b) = (&self.a.leaves[a.packet as usize], &self.b.leaves[b.packet as usize]);
        for lane in 0..a.count {
            let mut near = boxes_meeting(simd, &of_b.min, &of_b.max, &of_a.lane(lane as usize));
            while near != 0 {
                let (one, other) = (a.first + lane, b.first + near.trailing_zeros());
                near &= near - 1;
                walked.pair.near = true;
                walked.tests += 1;
                if triangles_meet(&self.a.corners(one), &self.b.corners(other)) {
                    walked.pair.faces.push([self.a.ids[one as usize], self.b.ids[other as usize]]);
                }
            }
        }
    }
}

impl Scene {
    /// Adds a body and returns its number. Builds its tree.
    ///
    /// # Errors
    /// As [`Mesh::new`](crate::Mesh::new). The scene is then unchanged.
    ///
    /// ```
    /// use clearance::deforming::Scene;
    /// let mut scene = Scene::default();
    /// let sheet = scene.insert(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// assert_eq!((sheet, scene.len()), (0, 1));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn insert(&mut self, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<u32, Error> {
        let body = Body::new(&BodyFaces { points, triangles })?;
        Ok(self.adopt(vec![body])?[0])
    }

    /// Adds several bodies and returns their numbers. Trees are built on all cores.
    ///
    /// # Errors
    /// [`Error::InBody`], as [`Scene::insert`] for the first body at fault. The scene is then unchanged.
    ///
    /// ```
    /// use clearance::deforming::{BodyFaces, Scene};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let sheet = BodyFaces { points: &points, triangles: &[[0, 1, 2]] };
    /// assert_eq!(Scene::default().insert_all(&[sheet, sheet])?, [0, 1]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn insert_all(&mut self, bodies: &[BodyFaces<'_>]) -> Result<Vec<u32>, Error> {
        let made = built(bodies)?;
        self.adopt(made)
    }

    /// Removes a body.
    ///
    /// # Errors
    /// [`Error::NoBody`].
    ///
    /// ```
    /// use clearance::{Error, deforming::Scene};
    /// let mut scene = Scene::default();
    /// let sheet = scene.insert(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// scene.remove(sheet)?;
    /// assert_eq!(scene.remove(sheet), Err(Error::NoBody { body: sheet }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn remove(&mut self, body: u32) -> Result<(), Error> {
        let gone = self.bodies.remove(&body).ok_or(Error::NoBody { body })?;
        self.tree.remove(gone.item);
        self.free.push(gone.item);
        self.forget(&BTreeSet::from([body]));
        Ok(())
    }

    /// Moves the points of a body. Its tree is refitted by the next [`Scene::pairs`]; [`Scene::replace`] builds a new
    /// one, which pays when triangles that were near each other no longer are.
    ///
    /// # Errors [`Error::NoBody`], [`Error::WrongCount`], [`Error::NotFinite`], [`Error::TooLarge`]. The scene is then
    /// unchanged.
    ///
    /// ```
    /// use clearance::{Error, deforming::Scene};
    /// let mut scene = Scene::default();
    /// let sheet = scene.insert(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// scene.move_to(sheet, &[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0]])?;
    /// assert!(matches!(scene.move_to(sheet, &[]), Err(Error::WrongCount { expected: 3, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn move_to(&mut self, body: u32, points: &[[f64; 3]]) -> Result<(), Error> {
        let own = self.bodies.get_mut(&body).ok_or(Error::NoBody { body })?;
        if points.len() != own.points.len() {
            return Err(Error::WrongCount { what: "points", expected: own.points.len(), count: points.len() });
        }
        checked_bounds(points)?;
        own.points.copy_from_slice(points);
        own.measure();
        own.changed = true;
        Ok(())
    }

    /// Gives a body other points and triangles. Builds its tree.
    ///
    /// # Errors
    /// [`Error::NoBody`], or as [`Scene::insert`]. The scene is then unchanged.
    ///
    /// ```
    /// use clearance::deforming::Scene;
    /// let mut scene = Scene::default();
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.4, 0.0]];
    /// let sheet = scene.insert(&points, &[[0, 1, 2]])?;
    /// scene.replace(sheet, &points, &[[0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// assert_eq!(scene.body(sheet)?.triangles.len(), 3);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn replace(&mut self, body: u32, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<(), Error> {
        let own = self.bodies.get_mut(&body).ok_or(Error::NoBody { body })?;
        let item = own.item;
        *own = Body { item, ..Body::new(&BodyFaces { points, triangles })? };
        Ok(())
    }

    /// Breaks a body into pieces, given the piece of each of its triangles by any numbers: the body is removed, and a
    /// new body is made of the triangles of each number, in ascending order of these. Trees are built on all cores.
    ///
    /// # Errors
    /// [`Error::NoBody`]; [`Error::WrongCount`] if there are not as many numbers as triangles; [`Error::InBody`] with
    /// the place of a piece that is too small for [`Scene::insert`]. The scene is then unchanged.
    ///
    /// ```
    /// use clearance::deforming::Scene;
    /// let mut scene = Scene::default();
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    /// let sheet = scene.insert(&points, &[[0, 1, 2], [1, 3, 2]])?;
    /// let pieces = scene.break_up(sheet, &[9, 4])?;
    /// assert_eq!((pieces[0].body, &pieces[0].faces[..], &pieces[0].points[..]), (1, &[1][..], &[1, 2, 3][..]));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn break_up(&mut self, body: u32, piece_of_face: &[u32]) -> Result<Vec<ScenePiece>, Error> {
        let own = self.bodies.get(&body).ok_or(Error::NoBody { body })?;
        if piece_of_face.len() != own.triangles.len() {
            let (expected, count) = (own.triangles.len(), piece_of_face.len());
            return Err(Error::WrongCount { what: "pieces of triangles", expected, count });
        }
        let mut order: Vec<u32> = (0..own.triangles.len() as u32).collect();
        order.sort_by_key(|&face| piece_of_face[face as usize]);
        let mut lists = Vec::new();
        for faces in order.chunk_by(|&a, &b| piece_of_face[a as usize] == piece_of_face[b as usize]) {
            let mut used: Vec<u32> = faces.iter().flat_map(|&face| own.triangles[face as usize]).collect();
            used.sort_unstable();
            used.dedup();
            let place = |point: u32| used.binary_search(&point).unwrap_or(0) as u32;
            let triangles: Vec<[u32; 3]> = faces.iter().map(|&face| own.triangles[face as usize].map(place)).collect();
            let points: Vec<[f64; 3]> = used.iter().map(|&point| own.points[point as usize]).collect();
            lists.push((faces.to_vec(), used, points, triangles));
        }
        let bodies: Vec<BodyFaces<'_>> =
            lists.iter().map(|(_, _, points, triangles)| BodyFaces { points, triangles }).collect();
        let made = built(&bodies)?;
        let numbers = self.adopt(made)?;
        self.remove(body)?;
        let pieces = numbers.into_iter().zip(lists);
        Ok(pieces.map(|(body, (faces, points, ..))| ScenePiece { body, points, faces }).collect())
    }

    /// All pairs of triangles of different bodies that share a point, decided exactly for the given numbers, each pair
    /// once, in ascending order. Touching counts. Surfaces only: see [`FaceOctree::contained`] for bodies inside
    /// others.
    ///
    /// [`FaceOctree::contained`]: crate::deforming::FaceOctree::contained
    ///
    /// ```
    /// use clearance::deforming::Scene;
    /// let mut scene = Scene::default();
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// scene.insert(&points, &[[0, 1, 2]])?;
    /// let other = scene.insert(&points, &[[0, 1, 2]])?;
    /// assert_eq!(scene.pairs().len(), 1);
    /// scene.move_to(other, &points.map(|[x, y, z]| [x, y, z + 1.0]))?;
    /// assert!(scene.pairs().is_empty());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn pairs(&mut self) -> &[FacePair] {
        let changed: Vec<u32> =
            self.bodies.iter().filter(|(_, body)| body.changed).map(|(&number, _)| number).collect();
        self.counts = SceneCounts::default();
        self.fit();
        let mut wanted = BTreeSet::new();
        for &number in &changed {
            let body = &self.bodies[&number];
            self.tree.update(body.item, &body.bounds);
        }
        for &number in &changed {
            self.tree.each_overlapping(&self.bodies[&number].bounds, |item| {
                let other = self.items[item as usize];
                if other != number {
                    wanted.insert((number.min(other), number.max(other)));
                }
            });
        }
        self.forget(&changed.iter().copied().collect());
        self.walk(&wanted);
        for number in changed {
            if let Some(body) = self.bodies.get_mut(&number) {
                body.changed = false;
            }
        }
        self.collect();
        &self.found
    }

    /// What the last [`Scene::pairs`] did.
    #[must_use]
    pub fn counts(&self) -> &SceneCounts {
        &self.counts
    }

    /// The points and triangles of a body, as given.
    ///
    /// # Errors
    /// [`Error::NoBody`].
    ///
    /// ```
    /// use clearance::deforming::Scene;
    /// assert!(Scene::default().body(0).is_err());
    /// ```
    pub fn body(&self, body: u32) -> Result<BodyFaces<'_>, Error> {
        self.bodies.get(&body).map(Body::faces).ok_or(Error::NoBody { body })
    }

    /// The numbers of the bodies, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.bodies.keys().copied()
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Numbers new bodies and puts them into the tree.
    fn adopt(&mut self, made: Vec<Body>) -> Result<Vec<u32>, Error> {
        let after = self.next + made.len() as u64;
        if after > u64::from(u32::MAX) {
            return Err(Error::TooMany { what: "bodies", count: after as usize });
        }
        let mut numbers = Vec::with_capacity(made.len());
        let mut inserted = Vec::with_capacity(made.len());
        for mut body in made {
            let number = self.next as u32;
            self.next += 1;
            body.item = self.free.pop().unwrap_or_else(|| {
                self.items.push(number);
                self.items.len() as u32 - 1
            });
            self.items[body.item as usize] = number;
            inserted.push((body.item, body.bounds));
            numbers.push(number);
            self.bodies.insert(number, body);
        }
        self.tree.insert(&inserted);
        Ok(numbers)
    }

    /// Forgets all pairs of some bodies.
    fn forget(&mut self, bodies: &BTreeSet<u32>) {
        if !bodies.is_empty() {
            self.pairs.retain(|(a, b), _| !bodies.contains(a) && !bodies.contains(b));
        }
    }

    /// Fits the bodies that changed; all of them in a new frame.
    fn fit(&mut self) {
        let joined = |all: Aabb, own: &Aabb| Aabb::new(all.min.min(own.min), all.max.max(own.max));
        let all = self.bodies.values().fold(Aabb::EMPTY, |all, body| joined(all, &body.bounds));
        if self.bodies.is_empty() {
            return;
        }
        let half = 0.5 * all.size().max_element();
        let keeps = self.frame.is_some_and(|(frame, size)| {
            let reach = (all.max - frame.origin).abs().max((all.min - frame.origin).abs()).max_element();
            reach <= FRAME_RATIO * size && size <= FRAME_RATIO * half
        });
        if !keeps {
            self.frame = Some((Frame::about(all.min, all.max), half));
        }
        let Some((frame, _)) = self.frame else { return };
        let bodies: Vec<&mut Body> = self.bodies.values_mut().filter(|body| body.changed || !keeps).collect();
        self.counts.fitted_bodies = bodies.len() as u64;
        let level = Level::new();
        parallel::map_owned(bodies, |body| at_level!(level, simd => body.fit(simd, &frame)));
    }

    /// Compares the triangles of pairs of bodies.
    fn walk(&mut self, wanted: &BTreeSet<(u32, u32)>) {
        let mut walks = Vec::new();
        for &(a, b) in wanted {
            let (of_a, of_b) = (&self.bodies[&a], &self.bodies[&b]);
            let trees = SameFramePair { a: &of_a.nodes, b: &of_b.nodes, itself: false };
            let is_large = of_a.slots.len() + of_b.slots.len() > LARGE;
            let places = trees.pieces(if is_large { PIECES } else { 1 });
            let size = if is_large { places.len().div_ceil(PIECES).max(1) } else { places.len().max(1) };
            walks
                .extend(places.chunks(size).map(|places| ((a, b), Walk { a: of_a, b: of_b, places: places.to_vec() })));
        }
        let carried = Carried::here();
        let work = |(_, walk): &((u32, u32), Walk<'_>)| carried.within(|| walk.run());
        let walked = if walks.len() <= 1 { walks.iter().map(work).collect() } else { parallel::map(&walks, work) };
        let mut pairs: BTreeMap<(u32, u32), BodyPair> =
            wanted.iter().map(|&pair| (pair, BodyPair::default())).collect();
        for ((key, _), part) in walks.iter().zip(walked) {
            let pair = pairs.entry(*key).or_default();
            pair.near |= part.pair.near;
            pair.faces.extend(part.pair.faces);
            self.counts.face_pair_tests += part.tests;
        }
        pairs.values_mut().for_each(|pair| pair.faces.sort_unstable());
        self.counts.walked_pairs = pairs.len() as u64;
        self.pairs.append(&mut pairs);
    }

    /// Puts the answer together.
    fn collect(&mut self) {
        self.found.clear();
        for (&(body_a, body_b), pair) in &self.pairs {
            self.counts.near_pairs += u64::from(pair.near);
            self.counts.meeting_pairs += u64::from(!pair.faces.is_empty());
            self.found.extend(pair.faces.iter().map(|&[face_a, face_b]| FacePair { body_a, face_a, body_b, face_b }));
        }
        self.counts.box_pairs = self.pairs.len() as u64;
        self.found.sort_unstable();
    }
}

/// Bodies with their trees.
fn built(bodies: &[BodyFaces<'_>]) -> Result<Vec<Body>, Error> {
    let in_body = |(number, made): (usize, Result<Body, Error>)| {
        made.map_err(|error| Error::InBody { body: number as u32, error: Box::new(error) })
    };
    parallel::map(bodies, Body::new).into_iter().enumerate().map(in_body).collect()
}
