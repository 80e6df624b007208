//! First contact of the features of deforming meshes in a step.
//!
//! Eberle, "Continuous Collision Detection for Deforming Triangle Meshes": boxes around the sweep of each triangle
//! prune, and the elementary tests decide. Departs from it in that
//! - features are paired, not triangles, so that no edge or vertex is tested twice (see [`mesh`](super::mesh));
//! - pairs are never listed: they come off the traversal four at a time into a filter that proves most of them
//!   separated, and the exact test decides the rest ([`elementary`](crate::motion::elementary));
//! - for the first impact, time is searched in windows. The boxes of a short window are little larger than the features
//!   themselves, so few pairs remain; the next window is opened only if nothing touches in the previous one. Within a
//!   window, pairs that cannot touch before the earliest impact so far are skipped. That bound is shared by all threads
//!   and only ever rejects strictly later impacts, so it changes the amount of work, not the result.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use fearless_simd::Simd;
use glam::DVec3;

use crate::answer::elementary::{ElementaryCounts, ElementaryImpact, ElementaryKind, ElementaryPair};
use crate::answer::step::{ImpactSelection, StepCounts, StepImpact};
use crate::bound::Aabb;
use crate::deform::boxes::{Boxes, When, frame_about};
use crate::deform::curvature::Curved;
use crate::deform::curvature::walk::RegionWalk;
use crate::deform::mesh::DeformingMesh;
use crate::deform::pairs::{Lanes, Pairs, Queue, Sides, Waiting};
use crate::geom::topology;
use crate::math::tolerances::FIRST_IMPACT_WINDOWS;
use crate::motion::elementary::{ElementaryOptions, FourPairs, unfiltered};
use crate::shape::Feature;

/// How many pairs of a kind are queued before they are filtered, four at a time.
const BATCH: usize = 64;

/// The kind of pair of each filter: first vertex and face, then two edges.
pub(crate) const FILTERS: [ElementaryKind; 2] = [ElementaryKind::VertexFace, ElementaryKind::EdgeEdge];

/// The meshes of a query.
#[derive(Clone, Copy)]
pub(crate) enum Asked<'m> {
    Itself(&'m DeformingMesh),
    /// A mesh and itself, culled by curvature.
    Curved(&'m Curved<'m>),
    Two(&'m DeformingMesh, &'m DeformingMesh),
}

impl Asked<'_> {
    /// Runs a search over boxes around a part of the step, widened by `reach`; returns the default if the meshes stay
    /// apart.
    pub fn with_boxes<R: Default>(&self, when: When, reach: f64, search: impl FnOnce(&Sides<'_>) -> R) -> R {
        match *self {
            Asked::Itself(mesh) => {
                let Some(frame) = frame_about(&mesh.bounds) else { return R::default() };
                let boxes = Boxes::fit(mesh, &frame, when, reach);
                search(&Sides::itself(mesh, &boxes))
            }
            Asked::Curved(curved) => {
                let mesh = &curved.mesh;
                let Some(frame) = frame_about(&mesh.bounds).filter(|_| !curved.is_clear()) else { return R::default() };
                let boxes = Boxes::fit(mesh, &frame, when, reach);
                let regions = RegionWalk::new(curved, &boxes);
                search(&Sides { regions: Some(&regions), ..Sides::itself(mesh, &boxes) })
            }
            Asked::Two(a, b) => {
                // The frame is that of the overlap of both: there boxes are as tight as single precision allows.
                let wide = |bounds: &Aabb| Aabb::new(bounds.min - reach, bounds.max + reach);
                let (of_a, of_b) = (wide(&a.bounds), wide(&b.bounds));
                let common = Aabb::new(of_a.min.max(of_b.min), of_a.max.min(of_b.max));
                let Some(frame) = frame_about(&common) else { return R::default() };
                let (boxes_a, boxes_b) = (Boxes::fit(a, &frame, when, reach), Boxes::fit(b, &frame, when, reach));
                search(&Sides { a: (a, &boxes_a), b: (b, &boxes_b), itself: false, regions: None })
            }
        }
    }
}

/// The selected impacts, in order.
pub(crate) fn impacts(asked: Asked<'_>, wanted: ImpactSelection) -> (Vec<StepImpact>, StepCounts) {
    match wanted {
        ImpactSelection::All => search(asked, 1.0, false),
        ImpactSelection::First => first(asked),
        ImpactSelection::NearFirst(within) => {
            let (first, mut counts) = first(asked);
            let Some(first) = first.first() else { return (Vec::new(), counts) };
            // NaN and negative margins count as zero.
            let latest = (first.time.upper + within.max(0.0)).min(1.0);
            let (mut found, more) = search(asked, latest, false);
            counts.add(&more);
            found.retain(|impact| impact.time.lower <= latest);
            (merged(asked, found), counts)
        }
    }
}

/// The first impact, window by window.
fn first(asked: Asked<'_>) -> (Vec<StepImpact>, StepCounts) {
    let mut counts = StepCounts::default();
    for until in FIRST_IMPACT_WINDOWS {
        let (found, more) = search(asked, until, true);
        counts.add(&more);
        if !found.is_empty() {
            return (found, counts);
        }
    }
    (Vec::new(), counts)
}

/// All impacts up to a time, or the first of them.
fn search(asked: Asked<'_>, until: f64, first_only: bool) -> (Vec<StepImpact>, StepCounts) {
    asked.with_boxes(When::Until(until), 0.0, |sides| {
        // Times are not negative, so their bits are ordered like their values.
        let bound = AtomicU64::new(until.to_bits());
        let start = || Stream {
            sides: *sides,
            bound: &bound,
            first_only,
            four: FILTERS.map(FourPairs::new),
            found: Vec::new(),
            counts: StepCounts::default(),
        };
        let parts = sides.features(start, |stream| (stream.found, stream.counts));
        let mut counts = StepCounts::default();
        let mut all = Vec::with_capacity(parts.iter().map(|part| part.0.len()).sum());
        for (found, more) in parts {
            all.extend(found);
            counts.add(&more);
        }
        all.sort_unstable_by(StepImpact::order);
        if first_only {
            all.truncate(1);
            counts.elementary = ElementaryCounts::default();
        }
        (all, counts)
    })
}

/// The features of a pair, and the mesh of each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    VertexFace,
    FaceVertex,
    EdgeEdge,
}

/// The queued pairs with their kinds.
#[inline(always)]
pub(crate) fn by_kind(waiting: &mut Waiting) -> [(Kind, &mut Queue); 3] {
    [
        (Kind::VertexFace, &mut waiting.vertex_face),
        (Kind::FaceVertex, &mut waiting.face_vertex),
        (Kind::EdgeEdge, &mut waiting.edge_edge),
    ]
}

/// Loads up to four pairs into the filter.
#[inline(always)]
pub(crate) fn set(scratch: &mut FourPairs, sides: &Sides<'_>, kind: Kind, pairs: &[[u32; 2]]) {
    for (lane, &pair) in pairs.iter().enumerate() {
        let corners = corners(sides, kind, pair);
        scratch.set(lane, &corners.map(|ends| ends[0]), &corners.map(|ends| ends[1]));
    }
}

/// Pairs on their way through the filter to the exact test.
struct Stream<'m, 's> {
    sides: Sides<'m>,
    /// The bits of the earliest proved time of impact, or of the end of the window.
    bound: &'s AtomicU64,
    first_only: bool,
    /// Scratch of the filter, by kind.
    four: [FourPairs; 2],
    found: Vec<StepImpact>,
    counts: StepCounts,
}

impl Pairs for Stream<'_, '_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, waiting: &mut Waiting, end: bool) {
        for (kind, pairs) in by_kind(waiting) {
            if pairs.pairs().len() >= BATCH || end {
                self.filter(simd, kind, pairs, end);
            }
        }
    }
}

impl Stream<'_, '_> {
    /// Filters pairs four at a time; a remainder stays queued, unless this is the end.
    #[inline(always)]
    fn filter<S: Simd>(&mut self, simd: S, kind: Kind, queue: &mut Queue, end: bool) {
        let pairs = queue.pairs();
        let whole = if end { pairs.len() } else { pairs.len() / 4 * 4 };
        for four in pairs[..whole].chunks(4) {
            let until = f64::from_bits(self.bound.load(Memory::Relaxed));
            let scratch = &mut self.four[usize::from(kind == Kind::EdgeEdge)];
            set(scratch, &self.sides, kind, four);
            let may_touch = u32::from(scratch.may_touch(simd, until)) & ((1 << four.len()) - 1);
            self.counts.candidates += four.len() as u64;
            self.counts.elementary.filtered += four.len() as u64 - u64::from(may_touch.count_ones());
            for lane in Lanes(may_touch) {
                self.decide(kind, four[lane as usize], until);
            }
        }
        queue.remove(whole);
    }

    /// Runs the exact test on a pair.
    #[inline(never)]
    fn decide(&mut self, kind: Kind, slots: [u32; 2], until: f64) {
        let exact = ExactPair::new(&self.sides, kind, slots);
        let options = ElementaryOptions { until, ..ElementaryOptions::default() };
        let Some(mut impact) = unfiltered(&exact.pair, &options, &mut self.counts.elementary) else {
            return;
        };
        if until < 1.0 {
            // The same digits, independent of the window.
            let (whole, mut uncounted) = (ElementaryOptions::default(), ElementaryCounts::default());
            impact = unfiltered(&exact.pair, &whole, &mut uncounted).unwrap_or(impact);
        }
        let impact = exact.impact(&impact);
        if self.first_only {
            self.bound.fetch_min(impact.time.upper.to_bits(), Memory::Relaxed);
            if self.found.first().is_some_and(|best| best.order(&impact).is_lt()) {
                return;
            }
            self.found.clear();
        }
        self.found.push(impact);
    }
}

/// The four corners of a pair at both ends of the step.
#[inline(always)]
fn corners(sides: &Sides<'_>, kind: Kind, [one, other]: [u32; 2]) -> [[DVec3; 2]; 4] {
    let (a, b) = (sides.a.0, sides.b.0);
    let vertex_face = |of_vertex: &DeformingMesh, of_face: &DeformingMesh| {
        let [p, q, r] = of_face.layout.faces[other as usize];
        let at = |vertex: u32| of_face.course[vertex as usize];
        [of_vertex.course[one as usize], at(p), at(q), at(r)]
    };
    match kind {
        Kind::VertexFace => vertex_face(a, b),
        Kind::FaceVertex => vertex_face(b, a),
        Kind::EdgeEdge => {
            let ([p, q], [r, s]) = (a.layout.edges[one as usize], b.layout.edges[other as usize]);
            [a.course[p as usize], a.course[q as usize], b.course[r as usize], b.course[s as usize]]
        }
    }
}

/// A pair as given to the exact test, and how its answer maps to the caller's.
pub(crate) struct ExactPair {
    pair: ElementaryPair,
    pub features: [Feature; 2],
    /// The first feature of the pair is the caller's second.
    swapped: bool,
}

impl ExactPair {
    pub fn new(sides: &Sides<'_>, kind: Kind, slots: [u32; 2]) -> ExactPair {
        let (a, b) = (&*sides.a.0.layout, &*sides.b.0.layout);
        let mut corners = corners(sides, kind, slots);
        let [one, other] = slots.map(|slot| slot as usize);
        let (elementary, features, swapped) = match kind {
            Kind::VertexFace => {
                let features = [Feature::Vertex(a.vertex_ids[one]), Feature::Face(b.face_ids[other])];
                (ElementaryKind::VertexFace, features, false)
            }
            Kind::FaceVertex => {
                let features = [Feature::Face(a.face_ids[other]), Feature::Vertex(b.vertex_ids[one])];
                (ElementaryKind::VertexFace, features, true)
            }
            Kind::EdgeEdge => {
                let (first, second) = (a.edge_ids[one], b.edge_ids[other]);
                // The order of two edges depends only on the edges themselves: within one mesh on their indices,
                // between two on their positions, so that the order of the arguments does not matter.
                let turned = if sides.itself { second < first } else { before(&corners[2..], &corners[..2]) };
                if turned {
                    corners.rotate_left(2);
                }
                let features = if sides.itself { [first.min(second), first.max(second)] } else { [first, second] };
                (ElementaryKind::EdgeEdge, features.map(Feature::Edge), turned && !sides.itself)
            }
        };
        let (start, end) = (corners.map(|ends| ends[0]), corners.map(|ends| ends[1]));
        ExactPair { pair: ElementaryPair { kind: elementary, start, end }, features, swapped }
    }

    /// The answer in the caller's terms.
    fn impact(&self, found: &ElementaryImpact) -> StepImpact {
        let [one, other] = found.coordinates;
        let turn_coordinates = self.swapped && self.pair.kind == ElementaryKind::EdgeEdge;
        StepImpact {
            features: self.features,
            time: found.time,
            point: found.point,
            normal: found.normal.map(|normal| if self.swapped { -normal } else { normal }),
            coordinates: if turn_coordinates { [other, one] } else { [one, other] },
        }
    }
}

/// Whether one edge precedes the other, by the coordinates of their ends.
fn before(one: &[[DVec3; 2]], other: &[[DVec3; 2]]) -> bool {
    let numbers = |ends: &[[DVec3; 2]]| -> Vec<f64> { ends.iter().flatten().flat_map(|p| p.to_array()).collect() };
    let (one, other) = (numbers(one), numbers(other));
    one.iter().zip(&other).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()) == Some(Ordering::Less)
}

/// The first impact of each contact: see [`ImpactSelection::NearFirst`]. Impacts are in order.
fn merged(asked: Asked<'_>, impacts: Vec<StepImpact>) -> Vec<StepImpact> {
    let (a, b) = match asked {
        Asked::Itself(mesh) => (mesh, mesh),
        Asked::Curved(curved) => (&curved.mesh, &curved.mesh),
        Asked::Two(a, b) => (a, b),
    };
    let lists = [a, b].map(|mesh| (mesh.triangles(), mesh.edges()));
    let points = |side: usize, feature: Feature| match feature {
        Feature::Vertex(point) => vec![point],
        Feature::Edge(edge) => lists[side].1[edge as usize].to_vec(),
        Feature::Face(face) => lists[side].0[face as usize].to_vec(),
        Feature::Interior => Vec::new(),
    };
    // Impacts keyed by the vertex or edge they share and a point of the feature it meets: a vertex and a point of the
    // face, an edge and an end of the other edge.
    let mut keys: Vec<((usize, Feature), u32, u32)> = Vec::new();
    for (number, impact) in impacts.iter().enumerate() {
        for side in 0..2 {
            let (own, other) = (impact.features[side], impact.features[1 - side]);
            if matches!(own, Feature::Face(_)) {
                continue;
            }
            // Within one mesh an edge has the same key on either side.
            let mesh = if matches!(asked, Asked::Two(..)) { side } else { 0 };
            keys.extend(points(1 - side, other).into_iter().map(|point| ((mesh, own), point, number as u32)));
        }
    }
    keys.sort_unstable();
    let mut parent: Vec<u32> = (0..impacts.len() as u32).collect();
    for pair in keys.windows(2) {
        if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) {
            topology::join(&mut parent, pair[0].2, pair[1].2);
        }
    }
    let is_first = |number: usize| parent[number] == number as u32;
    impacts.iter().enumerate().filter(|&(number, _)| is_first(number)).map(|(_, impact)| *impact).collect()
}
