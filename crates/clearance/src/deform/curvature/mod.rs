//! Which parts of a surface cannot meet because it is flat enough: self-collision by curvature.
//!
//! Volino, "Collision Detection for Deformable Objects" (course notes, 2004, section 3.2): a piece of surface whose
//! triangles all face one direction, and whose contour does not cross itself in projection along it, does not intersect
//! itself. So neighbours, which always touch and which boxes never tell apart, need not be tested where a surface is
//! not folded.
//!
//! [`tree`] is the tree of regions and what is stored with them, [`directions`] what a region faces, [`contour`] and
//! [`swept`] the test of contours, which the notes leave out, at one time and over a step, with proofs. [`walk`] is the
//! traversal. What it does not cull goes, two leaves at a time, through the same filters and exact tests as the pairs
//! that boxes leave. So answers are the same; only the work differs.

mod contour;
mod directions;
mod swept;
mod tree;
pub(crate) mod walk;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fearless_simd::Level;
use glam::DVec3;

use self::contour::{Plane, Sweep};
use self::directions::{ALL, Set, facing, facing_throughout, middle};
use self::swept::SweptSweep;
use self::tree::{Region, RegionTree};
use super::boxes::{self, frame_about};
use super::mesh::{DeformingMesh, Layout};
use crate::answer::self_intersections::SelfCulling;
use crate::bound::Aabb;
use crate::geom::topology::{EdgeMap, NONE};
use crate::math::simd::at_level;
use crate::math::tolerances::RIM_SINES;
use crate::mesh::same_points::lowest_of_equal;
use crate::parallel::map_owned;
use crate::shape::Mesh;

/// The features of a mesh by regions: what does not change from step to step.
#[derive(Debug)]
pub(crate) struct CurvedLayout {
    /// Leaves are those of the tree of regions; there are no nodes.
    layout: Arc<Layout>,
    tree: RegionTree,
    /// For each vertex where its position is in the mesh.
    source: Vec<u32>,
}

impl CurvedLayout {
    /// The regions of triangles, with corners among `points` points, by the shape in which these are at `at`.
    fn new(
        triangles: &[[u32; 3]],
        ids: &[u32],
        (points, edges): (usize, Vec<[u32; 2]>),
        at: impl Fn(u32) -> DVec3,
    ) -> Self {
        let tree = RegionTree::new(triangles, at);
        let mut leaves: Vec<&Region> = tree.regions.iter().filter(|region| region.is_leaf()).collect();
        leaves.sort_unstable_by_key(|leaf| leaf.leaf());
        let leaves: Vec<(u32, u32)> = leaves.into_iter().map(|leaf| (leaf.first, leaf.count)).collect();
        let ordered: Vec<[u32; 3]> = tree.order.iter().map(|&k| triangles[k as usize]).collect();
        let ids: Vec<u32> = tree.order.iter().map(|&k| ids[k as usize]).collect();
        let layout = Layout::of_leaves(Vec::new(), &leaves, &ordered, &ids, (points, edges));
        let source = layout.vertex_ids.clone();
        CurvedLayout { layout: Arc::new(layout), tree, source }
    }

    /// The regions of a deforming mesh, by its shape at the start of the step.
    fn of_deforming(mesh: &DeformingMesh) -> CurvedLayout {
        let own = &*mesh.layout;
        let triangles: Vec<[u32; 3]> = own.faces.iter().map(|t| t.map(|v| own.vertex_ids[v as usize])).collect();
        let mut places = vec![0; own.vertex_ids.len()];
        own.vertex_ids.iter().zip(0..).for_each(|(&id, vertex)| places[id as usize] = vertex);
        let frame = frame_about(&mesh.bounds);
        let at = |id: u32| {
            let point = mesh.course[places[id as usize] as usize][0];
            frame.as_ref().map_or(point, |frame| frame.of(point))
        };
        let mut regions = CurvedLayout::new(&triangles, &own.face_ids, (places.len(), mesh.edges()), at);
        regions.source.iter_mut().for_each(|id| *id = places[*id as usize]);
        regions
    }

    /// The regions of a mesh at rest, corners with equal coordinates being one.
    fn of_mesh(mesh: &Mesh) -> CurvedLayout {
        let surface = mesh.surface();
        let numbers: Vec<u32> = (0..surface.points.len() as u32).collect();
        let mut lowest = lowest_of_equal(&numbers, |point| surface.points[point as usize]);
        // Zeros of different signs stay apart: answers are the same to the bit.
        let bits = |point: u32| surface.points[point as usize].to_array().map(f64::to_bits);
        for (&number, lowest) in numbers.iter().zip(&mut lowest) {
            *lowest = if bits(number) == bits(*lowest) { *lowest } else { number };
        }
        let triangles: Vec<[u32; 3]> = surface.triangles.iter().map(|t| t.map(|p| lowest[p as usize])).collect();
        let edges = EdgeMap::new(&triangles).edges;
        let frame = frame_about(&surface.bounds);
        let at = |id: u32| {
            let point = surface.points[id as usize];
            frame.as_ref().map_or(point, |frame| frame.of(point))
        };
        CurvedLayout::new(&triangles, &surface.ids, (numbers.len(), edges), at)
    }

    /// Whether few regions of a sample face any direction, given the positions of the vertices of the mesh.
    fn is_crumpled(&self, at: impl Fn(u32) -> [DVec3; 2], moment: Moment) -> bool {
        if self.tree.order.len() < SAMPLED {
            return false;
        }
        let sizes = self.tree.regions.iter().filter(|region| SAMPLE_SIZES.contains(&region.count));
        let step = (sizes.clone().count() / SAMPLE).max(1);
        let (mut all, mut facing) = (0, 0);
        for region in sizes.step_by(step) {
            let set = faced_by(&self.layout, region, moment, |vertex| at(self.source[vertex as usize]), |_| 0.0);
            all += 1;
            facing += usize::from(set != 0);
        }
        SAMPLE_SHARE * facing < all
    }

    /// Memory in bytes: what is kept, and what a query takes.
    pub fn bytes(&self) -> [usize; 2] {
        let regions = &self.tree.regions;
        let kept = self.layout.bytes() + self.tree.bytes() + size_of_val(&self.source[..]);
        let positions = self.source.len() * size_of::<[DVec3; 2]>();
        let of_regions = regions.len() * (size_of::<Set>() + size_of::<crate::tree::wide::Bounds>());
        [kept, positions + of_regions + boxes::bytes(&self.layout)]
    }
}

/// When surfaces are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// At the start or the end of the step.
    Start,
    End,
    /// At every time of it.
    Step,
}

/// A mesh at a moment or over a step, with the directions that its regions face.
pub(crate) struct Curved<'m> {
    regions: Regions<'m>,
    /// The mesh, its features in the order of the regions.
    pub mesh: DeformingMesh,
    moment: Moment,
    /// False: contours are not tested, so that something may be missed.
    tests_contours: bool,
    sets: Vec<Set>,
    clear: bool,
    /// How many pairs of regions have been compared.
    visited: AtomicU64,
}

/// The directions that all triangles of a region face, given the positions of vertices and by how much normals of
/// places are widened.
#[inline(always)]
fn faced_by(
    layout: &Layout,
    region: &Region,
    moment: Moment,
    at: impl Fn(u32) -> [DVec3; 2],
    sine: impl Fn(u32) -> f64,
) -> Set {
    (region.first..region.first + region.count).fold(ALL, |set, place| {
        let corners = layout.faces[place as usize].map(&at);
        let sine = sine(place);
        set & match moment {
            Moment::Start => facing(corners.map(|ends| ends[0]), sine),
            Moment::End => facing(corners.map(|ends| ends[1]), sine),
            Moment::Step => facing_throughout(corners, sine),
        }
    })
}

/// Regions that a mesh keeps, or that were made for one query.
enum Regions<'m> {
    Kept(&'m CurvedLayout),
    Own(Box<CurvedLayout>),
}

/// From so many triangles on, a sample tells whether a surface is crumpled, and boxes are faster.
const SAMPLED: usize = 4096;
/// The sizes of the regions of the sample, their number, and the share of them that have to face some direction. Below
/// a quarter, what culling by curvature saves is less than what it costs.
const SAMPLE_SIZES: Range<u32> = 32..128;
const SAMPLE: usize = 64;
const SAMPLE_SHARE: usize = 4;

/// How many vertices or regions are one piece of work.
const PIECE: usize = 4096;

impl<'m> Curved<'m> {
    /// Prepares a deforming mesh; `None` if boxes are asked for, or faster because the surface is crumpled.
    pub fn new(mesh: &'m DeformingMesh, moment: Moment, culling: SelfCulling) -> Option<Curved<'m>> {
        if culling == SelfCulling::Boxes {
            return None;
        }
        let regions = mesh.layout.regions.get_or_init(|| CurvedLayout::of_deforming(mesh));
        let course = |vertex: u32| mesh.course[vertex as usize];
        if culling == SelfCulling::Curvature && regions.is_crumpled(course, moment) {
            return None;
        }
        Some(Curved::prepared(Regions::Kept(regions), course, mesh.bounds, moment, culling))
    }

    /// Prepares a mesh at rest, relative to its origin; `None` if boxes are asked for.
    pub fn of_mesh(mesh: &'m Mesh, culling: SelfCulling) -> Option<Curved<'m>> {
        if culling == SelfCulling::Boxes {
            return None;
        }
        let surface = mesh.surface();
        let regions = Regions::Own(Box::new(CurvedLayout::of_mesh(mesh)));
        let course = |point: u32| [surface.points[point as usize]; 2];
        Some(Curved::prepared(regions, course, surface.bounds, Moment::End, culling))
    }

    fn prepared(
        regions: Regions<'m>,
        course: impl Fn(u32) -> [DVec3; 2] + Sync,
        bounds: Aabb,
        moment: Moment,
        culling: SelfCulling,
    ) -> Curved<'m> {
        let fixed = regions.get();
        let mut own = vec![[DVec3::ZERO; 2]; fixed.source.len()];
        map_owned(fixed.source.chunks(PIECE).zip(own.chunks_mut(PIECE)).collect(), |(source, own)| {
            source.iter().zip(own).for_each(|(&vertex, ends)| *ends = course(vertex));
        });
        let mesh = DeformingMesh { layout: fixed.layout.clone(), course: own, bounds };
        let tests_contours = culling == SelfCulling::Curvature;
        let visited = AtomicU64::new(0);
        let mut curved = Curved { regions, mesh, moment, tests_contours, sets: Vec::new(), clear: false, visited };
        curved.sets = curved.directions();
        curved.clear = curved.tree().regions.first().is_none_or(|root| curved.is_flat(&mut Sweeps::default(), root, 0));
        curved
    }

    /// Whether the whole surface is proved not to meet itself.
    pub fn is_clear(&self) -> bool {
        self.clear
    }

    /// How many pairs of regions have been compared so far, a region with itself included.
    pub fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed).max(1)
    }

    fn tree(&self) -> &RegionTree {
        &self.regions.get().tree
    }

    /// The directions that each region faces: leaves first, on all cores, then the rest from the last to the first.
    fn directions(&self) -> Vec<Set> {
        let tree = self.tree();
        let mut sets = vec![ALL; tree.regions.len()];
        let level = Level::new();
        let pieces = tree.regions.chunks(PIECE).zip(sets.chunks_mut(PIECE)).collect();
        map_owned(pieces, |(regions, sets): (&[Region], &mut [Set])| {
            at_level!(level, _simd => self.fit(regions, sets));
        });
        for (number, region) in tree.regions.iter().enumerate().rev() {
            for child in region.children() {
                sets[number] &= sets[child as usize];
            }
        }
        sets
    }

    /// The directions of leaves among some regions.
    #[inline(always)]
    fn fit(&self, regions: &[Region], sets: &mut [Set]) {
        let at = |vertex: u32| self.mesh.course[vertex as usize];
        let sine = |place| if self.tests_contours { 0.0 } else { self.rim_sine(place) };
        for (region, set) in regions.iter().zip(sets).filter(|(region, _)| region.is_leaf()) {
            *set = faced_by(&self.mesh.layout, region, self.moment, at, sine);
        }
    }

    /// The angle by which the normal of a triangle is widened, as its sine: more if a rim of the surface turns inwards
    /// at one of its sides.
    fn rim_sine(&self, place: u32) -> f64 {
        let tree = self.tree();
        let rims = (0..3).filter(|i| tree.twins[(3 * place + i) as usize] == NONE).count();
        match rims {
            0 => {
                // A triangle without a side at a rim that has a corner there: rims turn inwards at such corners if at
                // all, since one triangle cannot fill more than half a turn.
                let corner_at_rim = (0..3).any(|i| {
                    let mut h = 3 * place + i;
                    // Around the corner, as far as there are triangles.
                    for _ in 0..64 {
                        let before = h - h % 3 + (h + 2) % 3;
                        let next = tree.twins[before as usize];
                        if next == NONE || next / 3 == place {
                            return next == NONE;
                        }
                        h = next;
                    }
                    true
                });
                if corner_at_rim { RIM_SINES[1] } else { 0.0 }
            }
            _ => RIM_SINES[0],
        }
    }

    /// The start or the end, for a moment.
    #[inline(always)]
    fn at(&self, vertex: u32) -> DVec3 {
        self.mesh.course[vertex as usize][usize::from(self.moment == Moment::End)]
    }

    /// Whether a region of a number does not meet itself.
    fn is_flat(&self, sweeps: &mut Sweeps, region: &Region, number: usize) -> bool {
        self.passes(sweeps, self.sets[number], || self.tree().contour(region).iter().copied())
    }

    /// Whether a piece of surface that faces some directions and has a contour does not meet itself.
    fn passes<I: Iterator<Item = u32>>(&self, sweeps: &mut Sweeps, set: Set, contour: impl Fn() -> I) -> bool {
        let Some(direction) = middle(set) else { return false };
        if !self.tests_contours {
            return true;
        }
        let plane = Plane::new(direction);
        let faces = &self.mesh.layout.faces;
        let edges = || {
            contour().map(|h| {
                let (face, i) = (faces[h as usize / 3], h as usize % 3);
                [face[i], face[(i + 1) % 3]]
            })
        };
        sweeps.fixed.is_simple(&plane, edges(), |vertex| self.at(vertex))
            && (self.moment != Moment::Step
                || sweeps.moving.stays_clear(&plane, edges(), |vertex| self.mesh.course[vertex as usize]))
    }
}

/// Scratch memory of the tests of contours.
#[derive(Default)]
pub(crate) struct Sweeps {
    fixed: Sweep,
    moving: SweptSweep,
}

impl Regions<'_> {
    fn get(&self) -> &CurvedLayout {
        match self {
            Regions::Kept(layout) => layout,
            Regions::Own(layout) => layout,
        }
    }
}
