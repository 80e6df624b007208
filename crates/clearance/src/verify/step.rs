//! Verifies the contacts in a step of deforming meshes, with independent code.
//!
//! Features are listed from the given triangles, with boxes in double precision, as exact as the points; lists are
//! sorted along an axis and swept. Every pair whose boxes overlap is decided in integers, as in `elementary.rs`: those
//! that the answer names must be as stated, and none of the others may touch, or none of the requested kind. Triangles
//! at the start are tested by the exact predicate of `triangles.rs`, and near features by its distances in
//! double-double.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::elementary::{ElementaryImpact, ElementaryKind, ElementaryPair};
use crate::answer::step::{ImpactSelection, NearPair, StepCollisions, StepImpact, StepOptions};
use crate::bound::Aabb;
use crate::deform::DeformingMesh;
use crate::math::bracket::Bracket;
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Feature;
use crate::verify::elementary::{first_touch, verify_elementary};
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::triangles::{TwoTriangles, meet};

/// Verifies an answer of [`self_collisions`](crate::self_collisions). Much slower than the query: every pair whose
/// boxes overlap is decided in integers.
pub(crate) fn verify_self_collisions(
    answer: &StepCollisions,
    options: &StepOptions,
    mesh: &DeformingMesh,
) -> Result<(), Refusal> {
    Step::new(mesh, None).check(answer, options)
}

/// Verifies an answer of [`step_collisions`](crate::step_collisions), like `verify_self_collisions`.
pub(crate) fn verify_step_collisions(
    answer: &StepCollisions,
    options: &StepOptions,
    a: &DeformingMesh,
    b: &DeformingMesh,
) -> Result<(), Refusal> {
    Step::new(a, Some(b)).check(answer, options)
}

/// Verifies an answer of [`self_proximity`](crate::query::self_proximity) (no `other`) or
/// [`proximity`](crate::query::proximity): distances in double-double, and that nothing is missing.
pub(crate) fn verify_proximity(
    answer: &[NearPair],
    distance: f64,
    mesh: &DeformingMesh,
    other: Option<&DeformingMesh>,
) -> Result<(), Refusal> {
    Step::new(mesh, other).check_near(answer, distance.max(0.0))
}

/// The features of a mesh.
struct MovingSurface {
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    used: Vec<u32>,
}

impl MovingSurface {
    fn new(mesh: &DeformingMesh) -> MovingSurface {
        let triangles = mesh.triangles();
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .filter(|[p, q]| p != q)
            .map(|[p, q]| [p.min(q), p.max(q)])
            .collect();
        used.sort_unstable();
        used.dedup();
        edges.sort_unstable();
        edges.dedup();
        MovingSurface { start: mesh.start().collect(), end: mesh.end().collect(), triangles, edges, used }
    }

    /// The corners of a feature; `None` if there is no such feature.
    fn corners(&self, feature: Feature) -> Option<&[u32]> {
        match feature {
            Feature::Vertex(point) => self.used.binary_search(&point).ok().map(|at| &self.used[at..=at]),
            Feature::Edge(edge) => self.edges.get(edge as usize).map(<[u32; 2]>::as_slice),
            Feature::Face(face) => self.triangles.get(face as usize).map(<[u32; 3]>::as_slice),
            Feature::Interior => None,
        }
    }

    /// All vertices, edges or faces with their boxes, in order of the lowest x.
    fn boxes(&self, kind: Kind, when: When, reach: f64) -> Vec<(Aabb, Feature)> {
        let features: Vec<Feature> = match kind {
            Kind::Vertices => self.used.iter().map(|&point| Feature::Vertex(point)).collect(),
            Kind::Edges => (0..self.edges.len() as u32).map(Feature::Edge).collect(),
            Kind::Faces => (0..self.triangles.len() as u32).map(Feature::Face).collect(),
        };
        let mut boxes: Vec<(Aabb, Feature)> = features
            .into_iter()
            .map(|feature| {
                let corners = self.corners(feature).unwrap_or_default();
                let ends = corners.iter().flat_map(|&corner| {
                    let (start, end) = (self.start[corner as usize], self.end[corner as usize]);
                    match when {
                        When::Step => [start, end],
                        When::Start => [start; 2],
                        When::End => [end; 2],
                    }
                });
                let own = ends.fold(Aabb::EMPTY, |bounds, point| bounds.including(point));
                // Sums are rounded: the next float is beyond.
                let wide = |x: f64, way: f64| {
                    if reach > 0.0 && way < 0.0 {
                        (x - reach).next_down()
                    } else if reach > 0.0 {
                        (x + reach).next_up()
                    } else {
                        x
                    }
                };
                let min = DVec3::from_array(own.min.to_array().map(|x| wide(x, -1.0)));
                let max = DVec3::from_array(own.max.to_array().map(|x| wide(x, 1.0)));
                (Aabb::new(min, max), feature)
            })
            .collect();
        boxes.sort_by(|one, other| one.0.min.x.total_cmp(&other.0.min.x));
        boxes
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Vertices,
    Edges,
    Faces,
}

/// What boxes enclose.
#[derive(Clone, Copy)]
enum When {
    Step,
    Start,
    End,
}

/// The meshes of an answer; without a second one the first against itself.
struct Step {
    a: MovingSurface,
    b: Option<MovingSurface>,
}

impl Step {
    fn new(a: &DeformingMesh, b: Option<&DeformingMesh>) -> Step {
        Step { a: MovingSurface::new(a), b: b.map(MovingSurface::new) }
    }

    fn second(&self) -> &MovingSurface {
        self.b.as_ref().unwrap_or(&self.a)
    }

    /// Whether features of one mesh share a vertex.
    fn neighbours(&self, [one, other]: [Feature; 2]) -> bool {
        let corners = |feature: Feature| self.a.corners(feature).unwrap_or_default();
        self.b.is_none() && corners(one).iter().any(|corner| corners(other).contains(corner))
    }

    /// All vertex-face and edge-edge pairs that may be in an answer, in its order.
    fn pairs(&self, when: When, reach: f64) -> Vec<[Feature; 2]> {
        let of = |side: &MovingSurface, kind: Kind| side.boxes(kind, when, reach);
        let (a, b) = (&self.a, self.second());
        let mut pairs = Vec::new();
        overlapping(&of(a, Kind::Vertices), &of(b, Kind::Faces), |pair| pairs.push(pair));
        if self.b.is_some() {
            overlapping(&of(a, Kind::Faces), &of(b, Kind::Vertices), |pair| pairs.push(pair));
        }
        overlapping(&of(a, Kind::Edges), &of(b, Kind::Edges), |pair| {
            if self.b.is_some() || pair[0] < pair[1] {
                pairs.push(pair);
            }
        });
        pairs.retain(|&pair| !self.neighbours(pair));
        pairs
    }

    /// Two features at both ends of the step, and whether they are swapped.
    fn pair(&self, features: [Feature; 2]) -> Result<(ElementaryPair, bool), Refusal> {
        let sides = [&self.a, self.second()];
        let swapped = matches!(features, [Feature::Face(_), Feature::Vertex(_)]);
        let kind = match features {
            [Feature::Edge(_), Feature::Edge(_)] => ElementaryKind::EdgeEdge,
            [Feature::Vertex(_), Feature::Face(_)] => ElementaryKind::VertexFace,
            [Feature::Face(_), Feature::Vertex(_)] if self.b.is_some() => ElementaryKind::VertexFace,
            _ => return Err(Refusal::Feature { body: "A" }),
        };
        let (mut start, mut end) = (Vec::with_capacity(4), Vec::with_capacity(4));
        for number in if swapped { [1, 0] } else { [0, 1] } {
            let body = ["A", "B"][number];
            let side = sides[number];
            for &corner in side.corners(features[number]).ok_or(Refusal::Feature { body })? {
                start.push(side.start[corner as usize]);
                end.push(side.end[corner as usize]);
            }
        }
        let whole = |points: Vec<DVec3>| <[DVec3; 4]>::try_from(points).map_err(|_| Refusal::Feature { body: "A" });
        Ok((ElementaryPair { kind, start: whole(start)?, end: whole(end)? }, swapped))
    }

    fn check(&self, answer: &StepCollisions, options: &StepOptions) -> Result<(), Refusal> {
        if answer.impacts.windows(2).any(|two| !in_order(&two[0], &two[1])) {
            return Err(Refusal::Disordered);
        }
        for impact in &answer.impacts {
            self.check_impact(impact)?;
        }
        self.check_all(answer, options.wanted)?;
        let counted = answer.counts.elementary;
        let decided = counted.filtered + counted.certified + counted.exact;
        let all = options.wanted == ImpactSelection::All;
        if decided > answer.counts.candidates || all && decided != answer.counts.candidates {
            return Err(Refusal::NoNumber { field: "counts" });
        }
        let expected = if options.intersections { self.intersecting() } else { Vec::new() };
        if answer.intersecting == expected { Ok(()) } else { Err(Refusal::Verdict) }
    }

    /// An impact is as stated.
    fn check_impact(&self, impact: &StepImpact) -> Result<(), Refusal> {
        if self.neighbours(impact.features) {
            return Err(Refusal::Feature { body: "B" });
        }
        if self.b.is_none() && matches!(impact.features, [Feature::Edge(p), Feature::Edge(q)] if q < p) {
            return Err(Refusal::Disordered);
        }
        let (pair, swapped) = self.pair(impact.features)?;
        let claim = ElementaryImpact {
            time: impact.time,
            point: impact.point,
            normal: impact.normal.map(|normal| if swapped { -normal } else { normal }),
            coordinates: impact.coordinates,
        };
        verify_elementary(&pair, &claim)
    }

    /// Nothing is missing.
    fn check_all(&self, answer: &StepCollisions, wanted: ImpactSelection) -> Result<(), Refusal> {
        let first = answer.impacts.first();
        let until = match (wanted, first) {
            (ImpactSelection::First, Some(first)) => first.time.upper,
            (ImpactSelection::NearFirst(within), Some(first)) => (first.time.upper + within.max(0.0)).min(1.0),
            _ => 1.0,
        };
        if wanted == ImpactSelection::First && answer.impacts.len() > 1 {
            return Err(Refusal::Verdict);
        }
        if let Some(late) = answer.impacts.iter().find(|impact| impact.time.lower > until) {
            return Err(Refusal::Upper { claimed: until, proved: late.time.lower });
        }
        let mut named: Vec<[Feature; 2]> = answer.impacts.iter().map(|impact| impact.features).collect();
        named.sort_unstable();
        let mut merged: Vec<StepImpact> = Vec::new();
        for features in self.pairs(When::Step, 0.0) {
            if named.binary_search(&features).is_ok() {
                continue;
            }
            let Some((lower, upper)) = first_touch(&self.pair(features)?.0, until) else { continue };
            let found = StepImpact {
                features,
                time: Bracket::between(lower, upper),
                point: DVec3::ZERO,
                normal: None,
                coordinates: [0.0; 2],
            };
            match (wanted, first) {
                (ImpactSelection::First, Some(first)) if in_order(first, &found) => {}
                (ImpactSelection::NearFirst(_), Some(first)) if in_order(first, &found) => merged.push(found),
                _ => {
                    return Err(Refusal::Before {
                        claimed: first.map_or(1.0, |first| first.time.lower),
                        proved: lower,
                    });
                }
            }
        }
        match wanted {
            ImpactSelection::NearFirst(_) => self.check_merged(&answer.impacts, merged),
            _ => Ok(()),
        }
    }

    /// Every contact is reported once, by its first impact.
    fn check_merged(&self, named: &[StepImpact], mut all: Vec<StepImpact>) -> Result<(), Refusal> {
        all.extend(named);
        all.sort_by(order);
        // The lowest number connected to each.
        let mut label: Vec<usize> = (0..all.len()).collect();
        loop {
            let before = label.clone();
            for i in 0..all.len() {
                for j in 0..i {
                    if label[i] != label[j] && self.one_contact(&all[i], &all[j]) {
                        let least = label[i].min(label[j]);
                        (label[i], label[j]) = (least, least);
                    }
                }
            }
            if label == before {
                break;
            }
        }
        let firsts = all.iter().zip(&label).enumerate().filter(|(number, (_, label))| number == *label);
        let same = firsts.map(|(_, (impact, _))| impact.features).eq(named.iter().map(|impact| impact.features));
        if same { Ok(()) } else { Err(Refusal::Verdict) }
    }

    /// Whether two impacts share a vertex or an edge, and the opposite features share a point.
    fn one_contact(&self, one: &StepImpact, other: &StepImpact) -> bool {
        let sides = [&self.a, self.second()];
        let corners = |side: usize, feature: Feature| sides[side].corners(feature).unwrap_or_default();
        let ways: &[[usize; 2]] = if self.b.is_some() { &[[0, 0], [1, 1]] } else { &[[0, 0], [1, 1], [0, 1], [1, 0]] };
        ways.iter().any(|&[i, j]| {
            let own = one.features[i];
            let (met, met_other) = (corners(1 - i, one.features[1 - i]), corners(1 - j, other.features[1 - j]));
            own == other.features[j]
                && !matches!(own, Feature::Face(_))
                && met.iter().any(|corner| met_other.contains(corner))
        })
    }

    /// The triangles that meet at the start.
    fn intersecting(&self) -> Vec<[u32; 2]> {
        let (a, b) = (&self.a, self.second());
        let mut found = Vec::new();
        let of = |side: &MovingSurface| side.boxes(Kind::Faces, When::Start, 0.0);
        overlapping(&of(a), &of(b), |pair| {
            let [Feature::Face(one), Feature::Face(other)] = pair else { return };
            if self.b.is_none() && one >= other || self.neighbours(pair) {
                return;
            }
            let corners = |side: &MovingSurface, face: u32| {
                side.triangles[face as usize].map(|corner| side.start[corner as usize])
            };
            if meet(&corners(a, one), &corners(b, other)) {
                found.push([one, other]);
            }
        });
        found.sort_unstable();
        found
    }

    fn check_near(&self, answer: &[NearPair], distance: f64) -> Result<(), Refusal> {
        if answer.windows(2).any(|two| two[0].features >= two[1].features) {
            return Err(Refusal::Disordered);
        }
        for pair in answer {
            self.check_near_pair(pair, distance)?;
        }
        for features in self.pairs(When::End, 0.5 * distance) {
            if answer.binary_search_by(|pair| pair.features.cmp(&features)).is_ok() {
                continue;
            }
            let two = Two::new(self, features)?;
            // Omitted pairs are proved to be farther, up to the resolution of double-double.
            let claimed = distance * two.factor;
            let proved = two.proved(claimed, DVec3::ZERO);
            if proved < claimed - two.unseen {
                return Err(Refusal::Lower { claimed: distance, proved });
            }
        }
        Ok(())
    }

    fn check_near_pair(&self, pair: &NearPair, distance: f64) -> Result<(), Refusal> {
        let NearPair { features, distance: Bracket { lower, value, upper }, points: [p, q] } = *pair;
        check_numbers(&[("lower", lower), ("upper", upper)])?;
        if !(0.0 <= lower && lower <= value && value <= upper) {
            return Err(Refusal::Disordered);
        }
        if lower > distance {
            return Err(Refusal::Verdict);
        }
        if self.neighbours(features)
            || self.b.is_none() && matches!(features, [Feature::Edge(p), Feature::Edge(q)] if q < p)
        {
            return Err(Refusal::Feature { body: "B" });
        }
        let two = Two::new(self, features)?;
        let [lower, upper] = [lower, upper].map(|length| length * two.factor);
        let [p, q] = [p, q].map(|point| point * two.factor);
        let proved = two.proved(lower, q - p);
        if lower > 0.0 && proved < lower - two.unseen {
            return Err(Refusal::Lower { claimed: lower, proved });
        }
        let proved = two.at_most();
        if proved > upper + two.unseen {
            return Err(Refusal::Upper { claimed: upper, proved });
        }
        let allowed = 1e-13 * two.size + f64::MIN_POSITIVE;
        if upper - lower > allowed {
            return Err(Refusal::TooWide { width: upper - lower, allowed });
        }
        two.check_points([p, q], upper, allowed)
    }
}

/// Two features at the end of the step, as triangles with coincident corners, times a power of two: squares of the
/// smallest coordinates would underflow.
struct Two {
    own: [[DVec3; 3]; 2],
    factor: f64,
    size: f64,
    /// The resolution of double-double.
    unseen: f64,
}

impl Two {
    fn new(step: &Step, features: [Feature; 2]) -> Result<Two, Refusal> {
        step.pair(features)?;
        let of = |side: &MovingSurface, feature: Feature| {
            let corners = side.corners(feature).unwrap_or_default();
            let at = |k: usize| side.end[corners[k.min(corners.len() - 1)] as usize];
            [at(0), at(1), at(2)]
        };
        let own = [of(&step.a, features[0]), of(step.second(), features[1])];
        let size = own.iter().flatten().fold(0.0f64, |size, corner| size.max(corner.abs().max_element()));
        let factor = if size < 1e-100 { 2f64.powi(600) } else { 1.0 };
        let own = own.map(|corners| corners.map(|corner| corner * factor));
        let size = size * factor;
        Ok(Two { own, factor, size, unseen: 1e-28 * size + f64::MIN_POSITIVE })
    }

    fn with<R>(&self, ask: impl FnOnce(TwoTriangles<'_>) -> R) -> R {
        let [a, b] = self.own.map(|corners| corners.map(DoubleDoubleVec3::from));
        ask(TwoTriangles { a: &a, b: &b, rounding: 1e-30 * self.size })
    }

    fn proved(&self, claimed: f64, normal: DVec3) -> f64 {
        self.with(|two| two.gap(claimed, normal, || !meet(&self.own[0], &self.own[1])))
    }

    fn at_most(&self) -> f64 {
        if meet(&self.own[0], &self.own[1]) { 0.0 } else { self.with(|two| two.at_most()) }
    }

    /// The points are on the features and as far apart as stated.
    fn check_points(&self, points: [DVec3; 2], upper: f64, allowed: f64) -> Result<(), Refusal> {
        for (k, body) in ["A", "B"].into_iter().enumerate() {
            let [own, point] = [self.own[k], [points[k]; 3]].map(|corners| corners.map(DoubleDoubleVec3::from));
            let off = TwoTriangles { a: &own, b: &point, rounding: 1e-30 * self.size }.at_most();
            // NaN is at no distance.
            if !(points[k].is_finite() && off <= allowed + 8.0 * UNIT_ROUNDOFF * self.size) {
                return Err(Refusal::Witness { body, off });
            }
        }
        let off = (points[0].distance(points[1]) - upper).abs();
        let rounding = allowed + 16.0 * UNIT_ROUNDOFF * self.size;
        if off <= rounding { Ok(()) } else { Err(Refusal::Witness { body: "A and B", off }) }
    }
}

/// Earlier impacts first.
fn order(one: &StepImpact, other: &StepImpact) -> Ordering {
    let key = |impact: &StepImpact| (impact.time.upper, impact.time.lower);
    let ((u, l), (v, m)) = (key(one), key(other));
    u.total_cmp(&v).then(l.total_cmp(&m)).then(one.features.cmp(&other.features))
}

fn in_order(one: &StepImpact, other: &StepImpact) -> bool {
    order(one, other).is_lt()
}

/// The pairs of two lists, in order of the lowest x, whose boxes overlap.
fn overlapping(a: &[(Aabb, Feature)], b: &[(Aabb, Feature)], mut take: impl FnMut([Feature; 2])) {
    let mut later = |list: &[(Aabb, Feature)], from: usize, one: &(Aabb, Feature), swapped: bool| {
        for other in list[from..].iter().take_while(|other| other.0.min.x <= one.0.max.x) {
            if one.0.overlaps(&other.0) {
                take(if swapped { [other.1, one.1] } else { [one.1, other.1] });
            }
        }
    };
    let (mut i, mut j) = (0, 0);
    // Each box with those of the other list that begin with it or later; on ties the first list comes first.
    while i < a.len() && j < b.len() {
        if a[i].0.min.x <= b[j].0.min.x {
            later(b, j, &a[i], false);
            i += 1;
        } else {
            later(a, i, &b[j], true);
            j += 1;
        }
    }
}
