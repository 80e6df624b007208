//! The meanings of the engine's answers, one type after the other, in the order that `digest/mod.rs` gives.
//!
//! **This file alone changes when a field of an answer is renamed or moved**: the new field is fed where the old one
//! was. Answers are taken apart in full where their crate allows it, so the compiler names what is new or gone.

use clearance::answer::{
    ClosestPoint, Contact, ContactCurve, Contacts, Crossing, DeepestPoint, DepthAlong, DepthCube, DepthDirection,
    DepthLabel, DepthLevel, DepthProof, Distance, ElementaryImpact, Evidence, Impact, LeastClearance, LocalDepth,
    Method, NearPair, Penetration, PlaneSide, RayHit, RelationProof, Repaired, RigidImpact, SelfIntersection,
    SelfIntersectionKind, SignedDistance, SolidDepth, StepCollisions, StepImpact, Stopped, Volume, Witness,
    WitnessPoint,
};
use clearance::glam::DVec3;
use clearance::query::{ImpactAlgorithm, RigidAlgorithm};
use clearance::shape::HullMesh;
use clearance::shape::{ConvexHull, Feature, HeightSample, SurfaceHit, SurfacePoint, TreeStatistics, WheelContact};
use clearance::world::FirstImpact;
use clearance::{Bracket, Mesh, Relation};
use clearance_files::{Assembly, Geometry, Part};
use clearance_robot::{LinkPair, MotionClearance, MotionImpact, NearestPair, Proof, Reason, Sweep};

use super::{Bits, Meaning};

/// The number of a kind that was not known when this was written.
const OTHER: u64 = u64::MAX;

impl Meaning for Feature {
    fn feed(&self, into: &mut Bits) {
        let (kind, index) = match *self {
            Feature::Vertex(index) => (0_u64, index),
            Feature::Edge(index) => (1, index),
            Feature::Face(index) => (2, index),
            Feature::Interior => (3, 0),
        };
        (kind, index).feed(into);
    }
}

impl Meaning for Stopped {
    fn feed(&self, into: &mut Bits) {
        let (kind, number) = match *self {
            Stopped::Tolerance(tolerance) => (0, tolerance),
            Stopped::FartherThan(distance) => (1, distance),
            Stopped::Budget => (2, 0.0),
            _ => (OTHER, 0.0),
        };
        (kind, number).feed(into);
    }
}

impl Meaning for Method {
    fn feed(&self, into: &mut Bits) {
        let kind = match self {
            Method::Gjk => 0,
            Method::GjkStopped(_) => 1,
            Method::Epa => 2,
            Method::EpaStopped(_) => 3,
            Method::Newton => 4,
            Method::NewtonStopped(_) => 5,
            Method::ClosedForm => 6,
            Method::Parts => 7,
            Method::PartsStopped(_) => 8,
            Method::Mesh => 9,
            Method::MeshStopped(_) => 10,
            Method::Solids => 11,
            Method::Columns => 12,
            _ => OTHER,
        };
        (kind, self.stopped()).feed(into);
    }
}

impl Meaning for Relation {
    fn feed(&self, into: &mut Bits) {
        into.word(match self {
            Relation::Separated => 0,
            Relation::Touching => 1,
            Relation::Overlapping => 2,
        });
    }
}

impl Meaning for Distance {
    fn feed(&self, into: &mut Bits) {
        let Distance {
            gap: Bracket { value, lower, upper },
            placement,
            method,
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                    b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
                },
            normal,
        } = self;
        into.bracket(*lower, *value, *upper);
        ([point_in_a, point_in_b], normal, [part_a, part_b], [feature_a, feature_b]).feed(into);
        (placement, method).feed(into);
    }
}

impl Meaning for Penetration {
    fn feed(&self, into: &mut Bits) {
        let Penetration {
            depth: Bracket { value: depth, lower, upper },
            placement,
            method,
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                    b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
                },
            normal,
        } = self;
        into.bracket(*lower, *depth, *upper);
        ([point_in_a, point_in_b], normal, [part_a, part_b], [feature_a, feature_b]).feed(into);
        (placement, method).feed(into);
    }
}

impl Meaning for RelationProof {
    fn feed(&self, into: &mut Bits) {
        let RelationProof {
            relation,
            gap: Bracket { lower, upper, .. },
            placement,
            touch_band,
            normal,
            witness,
            evidence,
        } = self;
        let Witness { a, b } = witness;
        ([lower, upper], normal, [a.part, b.part]).feed(into);
        (placement, relation, touch_band).feed(into);
        // Features are not determined; nor are points, where there is a polytope.
        match evidence {
            Evidence::Points => (0_u64, a.point, b.point).feed(into),
            Evidence::Polytope { pairs } => (1_u64, pairs).feed(into),
            Evidence::Deep => (2_u64, a.point, b.point).feed(into),
        }
    }
}

impl Meaning for Contact {
    fn feed(&self, into: &mut Bits) {
        let Contact {
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                    b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
                },
            normal,
            gap: Bracket { value: gap, lower, upper },
        } = self;
        into.bracket(*lower, *gap, *upper);
        ([point_in_a, point_in_b], normal, [part_a, part_b], [feature_a, feature_b]).feed(into);
    }
}

impl Meaning for PlaneSide {
    fn feed(&self, into: &mut Bits) {
        into.word(match self {
            PlaneSide::In => 0,
            PlaneSide::Front => 1,
            PlaneSide::Back => 2,
            PlaneSide::Both => 3,
        });
    }
}

impl Meaning for Crossing {
    fn feed(&self, into: &mut Bits) {
        let Crossing { triangle_a, triangle_b, ends_in_a, normals, side_of_a, side_of_b } = self;
        (ends_in_a, normals, [triangle_a, triangle_b], [side_of_a, side_of_b]).feed(into);
    }
}

impl Meaning for Contacts {
    fn feed(&self, into: &mut Bits) {
        let Contacts {
            normal,
            gap: Bracket { value: gap, lower, upper },
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, .. },
                    b: WitnessPoint { point: point_in_b, part: part_b, .. },
                },
            margin,
            tilt,
            placement,
            method,
            points,
            crossings,
        } = self;
        into.bracket(*lower, *gap, *upper);
        ([point_in_a, point_in_b], normal, [part_a, part_b]).feed(into);
        (placement, method, [margin, tilt]).feed(into);
        (points, crossings).feed(into);
    }
}

impl Meaning for ContactCurve {
    fn feed(&self, into: &mut Bits) {
        (&self.points, &self.normal, self.closed, &self.pairs).feed(into);
    }
}

impl Meaning for SelfIntersection {
    fn feed(&self, into: &mut Bits) {
        let kind = match self.kind {
            SelfIntersectionKind::Rims => 0_u64,
            SelfIntersectionKind::Crossing => 1,
            SelfIntersectionKind::Overlap => 2,
        };
        (self.segment, self.triangles, kind).feed(into);
    }
}

impl Meaning for ClosestPoint {
    fn feed(&self, into: &mut Bits) {
        let ClosestPoint {
            distance: Bracket { value: distance, lower, upper },
            witness: WitnessPoint { point: point_in_body, feature, part },
        } = self;
        into.bracket(*lower, *distance, *upper);
        (point_in_body, part, feature).feed(into);
    }
}

impl Meaning for SignedDistance {
    fn feed(&self, into: &mut Bits) {
        let SignedDistance {
            distance: Bracket { value, lower, upper },
            witness: WitnessPoint { point: point_in_body, feature, part },
            normal,
        } = self;
        into.bracket(*lower, *value, *upper);
        (point_in_body, normal, part, feature).feed(into);
    }
}

impl Meaning for RayHit {
    fn feed(&self, into: &mut Bits) {
        let RayHit {
            t: Bracket { value: t, lower, upper },
            witness: WitnessPoint { point: point_in_body, feature, part },
            normal,
            entering,
        } = self;
        into.bracket(*lower, *t, *upper);
        (point_in_body, normal, part, feature).feed(into);
        entering.feed(into);
    }
}

impl Meaning for SurfaceHit {
    fn feed(&self, into: &mut Bits) {
        let SurfaceHit { t: Bracket { value: t, lower, upper }, triangle, point, normal, from_below } = self;
        into.bracket(*lower, *t, *upper);
        (point, normal, triangle, from_below).feed(into);
    }
}

impl Meaning for SurfacePoint {
    fn feed(&self, into: &mut Bits) {
        let SurfacePoint { distance: Bracket { value: distance, lower, upper }, point, triangle } = self;
        into.bracket(*lower, *distance, *upper);
        (point, triangle).feed(into);
    }
}

impl Meaning for HeightSample {
    fn feed(&self, into: &mut Bits) {
        let HeightSample { height: Bracket { value: height, lower, upper }, triangle, normal } = self;
        into.bracket(*lower, *height, *upper);
        (normal, triangle).feed(into);
    }
}

impl Meaning for WheelContact {
    fn feed(&self, into: &mut Bits) {
        let WheelContact { clearance: Bracket { value: clearance, lower, upper }, point, normal, triangle } = self;
        into.bracket(*lower, *clearance, *upper);
        (point, normal, triangle).feed(into);
    }
}

impl Meaning for ImpactAlgorithm {
    fn feed(&self, into: &mut Bits) {
        into.word(match self {
            ImpactAlgorithm::Conservative => 0,
            ImpactAlgorithm::IntervalHalving => 1,
            ImpactAlgorithm::Brent => 2,
            ImpactAlgorithm::ClosedForm => 3,
            ImpactAlgorithm::Elementary => 4,
            _ => OTHER,
        });
    }
}

impl Meaning for Impact {
    fn feed(&self, into: &mut Bits) {
        let Impact {
            time: Bracket { value: t, lower, upper },
            touches,
            gap,
            margin,
            placement,
            started_overlapping,
            evidence,
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                    b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
                },
            normal,
            deep,
            algorithm,
            steps: _,
        } = self;
        into.bracket(*lower, *t, *upper);
        ([point_in_a, point_in_b], normal, [part_a, part_b], [feature_a, feature_b]).feed(into);
        (placement, gap, margin, algorithm).feed(into);
        (touches, started_overlapping, evidence.as_slice(), deep).feed(into);
    }
}

impl Meaning for RigidAlgorithm {
    fn feed(&self, into: &mut Bits) {
        into.word(match self {
            RigidAlgorithm::Hierarchies => 0,
            RigidAlgorithm::Advancement => 1,
            _ => OTHER,
        });
    }
}

impl Meaning for RigidImpact {
    fn feed(&self, into: &mut Bits) {
        let RigidImpact {
            time: Bracket { value: t, lower, upper },
            touches,
            gap,
            margin,
            pose_a,
            pose_b,
            started_overlapping,
            deep,
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                    b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
                },
            normal,
            algorithm,
            steps: _,
        } = self;
        into.bracket(*lower, *t, *upper);
        ([point_in_a, point_in_b], normal, [part_a, part_b], [feature_a, feature_b]).feed(into);
        ([pose_a, pose_b], gap, margin, algorithm).feed(into);
        (touches, started_overlapping, deep).feed(into);
    }
}

impl Meaning for FirstImpact {
    fn feed(&self, into: &mut Bits) {
        let FirstImpact { a, b, impact, poses } = self;
        (impact, [a, b], poses).feed(into);
    }
}

impl Meaning for LeastClearance {
    fn feed(&self, into: &mut Bits) {
        let LeastClearance {
            time: t,
            gap: Bracket { lower, upper, .. },
            witness: Witness { a: WitnessPoint { point: point_in_a, .. }, b: WitnessPoint { point: point_in_b, .. } },
            readings: _,
        } = self;
        ([lower, upper], t, [point_in_a, point_in_b]).feed(into);
    }
}

impl Meaning for DepthLevel {
    fn feed(&self, into: &mut Bits) {
        let DepthLevel { level, pairs, kept, depth } = self;
        (depth, level, pairs, kept).feed(into);
    }
}

impl Meaning for DepthCube {
    fn feed(&self, into: &mut Bits) {
        let DepthCube { middle, half, point } = self;
        (middle, point, half).feed(into);
    }
}

impl Meaning for DepthProof {
    fn feed(&self, into: &mut Bits) {
        let DepthProof { side, moves_a, cubes } = self;
        (side, moves_a, cubes).feed(into);
    }
}

impl Meaning for SolidDepth {
    fn feed(&self, into: &mut Bits) {
        let SolidDepth { penetration, label, interrupted, levels, proof, work: _ } = self;
        let label = match label {
            DepthLabel::Global => 0,
            DepthLabel::Local => 1,
            DepthLabel::Estimate => 2,
            _ => OTHER,
        };
        (penetration, label, interrupted).feed(into);
        (levels, proof).feed(into);
    }
}

impl Meaning for Repaired {
    fn feed(&self, into: &mut Bits) {
        let report = &self.report;
        [report.distance, report.given_to_used, report.used_to_given, report.moved].feed(into);
        report.is_solid.feed(into);
        for point in self.mesh.points().skip(self.mesh.point_count() - report.added_points.len()) {
            point.feed(into);
        }
        self.mesh.triangles().iter().flatten().for_each(|p| p.feed(into));
        report.origin.iter().for_each(|origin| origin.map(u64::from).feed(into));
    }
}

impl Meaning for LocalDepth {
    fn feed(&self, into: &mut Bits) {
        let LocalDepth { depth, deepest, ended: _, undecided_faces, work: _ } = self;
        depth.feed(into);
        undecided_faces.map(u64::from).feed(into);
        let deepest = deepest.map(|DeepestPoint { witness: Witness { a, b }, direction }| {
            (u64::from(direction == DepthDirection::AInB), (a.point, a.part), (b.point, b.part))
        });
        deepest.feed(into);
    }
}

impl Meaning for DepthAlong {
    fn feed(&self, into: &mut Bits) {
        let DepthAlong { depth: Bracket { value, lower, upper }, direction } = self;
        into.bracket(*lower, *value, *upper);
        direction.feed(into);
    }
}

impl Meaning for Bracket {
    fn feed(&self, into: &mut Bits) {
        into.bracket(self.lower, self.value, self.upper);
    }
}

impl Meaning for Volume {
    fn feed(&self, into: &mut Bits) {
        let Volume { volume: Bracket { value, lower, upper }, placement, centroid, centroid_off, area, method } = self;
        into.bracket(*lower, *value, *upper);
        (centroid, placement, method).feed(into);
        (centroid_off, area).feed(into);
    }
}

impl Meaning for ElementaryImpact {
    fn feed(&self, into: &mut Bits) {
        let ElementaryImpact { time: Bracket { lower, upper, .. }, point, normal, coordinates } = self;
        ([lower, upper], point, normal, coordinates).feed(into);
    }
}

impl Meaning for StepImpact {
    fn feed(&self, into: &mut Bits) {
        let StepImpact { features, time: Bracket { lower, upper, .. }, point, normal, coordinates } = self;
        ([lower, upper], point, normal, (features, coordinates)).feed(into);
    }
}

impl Meaning for StepCollisions {
    fn feed(&self, into: &mut Bits) {
        let StepCollisions { impacts, intersecting, counts: _ } = self;
        (impacts, intersecting).feed(into);
    }
}

impl Meaning for NearPair {
    fn feed(&self, into: &mut Bits) {
        let NearPair { features, distance: Bracket { lower, upper, .. }, points } = self;
        ([lower, upper], points, features).feed(into);
    }
}

impl Meaning for HullMesh {
    fn feed(&self, into: &mut Bits) {
        let HullMesh { dimension, vertices, triangles, face_of_triangle, faces, edges } = self;
        (vertices, triangles, edges, u64::from(*dimension)).feed(into);
        (face_of_triangle, faces.iter().collect::<Vec<_>>()).feed(into);
    }
}

impl Meaning for ConvexHull {
    fn feed(&self, into: &mut Bits) {
        let (vertices, faces): (Vec<DVec3>, Vec<&[u32]>) = (self.vertices().collect(), self.faces().collect());
        (vertices, self.triangles(), self.edges(), u64::from(self.dimension())).feed(into);
        faces.feed(into);
    }
}

impl Meaning for TreeStatistics {
    fn feed(&self, into: &mut Bits) {
        let TreeStatistics { nodes, leaves, depth, cost } = self;
        (cost, nodes, leaves, depth).feed(into);
    }
}

/// As it is saved: points, triangles and tree.
impl Meaning for Mesh {
    fn feed(&self, into: &mut Bits) {
        into.bytes(&self.to_bytes());
    }
}

impl Meaning for Geometry {
    fn feed(&self, into: &mut Bits) {
        let Geometry { name, points, triangles } = self;
        (points, triangles, name.as_str()).feed(into);
    }
}

impl Meaning for Part {
    fn feed(&self, into: &mut Bits) {
        let Part { name, geometry, pose } = self;
        (pose, geometry, name.as_str()).feed(into);
    }
}

/// Its unit and the remarks about the file are texts and left out.
impl Meaning for Assembly {
    fn feed(&self, into: &mut Bits) {
        (&self.geometries, &self.parts).feed(into);
    }
}

impl Meaning for NearestPair {
    fn feed(&self, into: &mut Bits) {
        let NearestPair { pair, value, lower, upper, distance } = self;
        into.bracket(*lower, *value, *upper);
        (pair, distance).feed(into);
    }
}

impl Meaning for MotionImpact {
    fn feed(&self, into: &mut Bits) {
        let MotionImpact { pair, lower, upper, met, point, q } = self;
        ([lower, upper], point, pair, (met, q)).feed(into);
    }
}

impl Meaning for MotionClearance {
    fn feed(&self, into: &mut Bits) {
        let MotionClearance { lower, upper, pair, at } = self;
        ([lower, upper], at, pair).feed(into);
    }
}

impl Meaning for Sweep {
    fn feed(&self, into: &mut Bits) {
        let Sweep { impact, clearance, stretches: _ } = self;
        (impact, clearance).feed(into);
    }
}

impl Meaning for LinkPair {
    fn feed(&self, into: &mut Bits) {
        let LinkPair { links, reason, met, smallest, proof } = self;
        let reason = match reason {
            Reason::Adjacent => 0_u64,
            Reason::Default => 1,
            Reason::Always => 2,
            Reason::Never => 3,
            Reason::Checked => 4,
        };
        (smallest, links, met, reason).feed(into);
        match proof {
            Proof::NotTried => 0_u64.feed(into),
            Proof::Proved { boxes: _ } => 1_u64.feed(into),
            Proof::Refuted { q } => (2_u64, q).feed(into),
            Proof::Open { boxes: _ } => 3_u64.feed(into),
        }
    }
}

/// Findings of `clearance check`: the names are those of the parts; identifiers and sentences are left out.
impl Meaning for clearance_check::Finding {
    fn feed(&self, into: &mut Bits) {
        let clearance_check::Finding {
            kind,
            how,
            a,
            b,
            gap,
            clearance,
            points,
            normal,
            way_out,
            volume,
            triangle_pairs,
            clusters,
            id: _,
            rule: _,
            set: _,
            status: _,
            comment: _,
            // Newer than the digests that others are compared with.
            local_depth: _,
            likeness: _,
        } = self;
        let kind = match kind {
            clearance_check::Kind::Hard => 0_u64,
            clearance_check::Kind::Duplicate => 1,
            clearance_check::Kind::Clearance => 2,
            clearance_check::Kind::Touching => 3,
        };
        into.bracket(gap.lower, gap.value, gap.upper);
        (points, normal, [a.as_str(), b.as_str()]).feed(into);
        (kind, how, clearance, (way_out, volume)).feed(into);
        (triangle_pairs, clusters).feed(into);
    }
}

impl Meaning for clearance_check::How {
    fn feed(&self, into: &mut Bits) {
        into.word(match self {
            clearance_check::How::Crossing => 0,
            clearance_check::How::Overlapping => 1,
            clearance_check::How::AInsideB => 2,
            clearance_check::How::BInsideA => 3,
            clearance_check::How::Same => 4,
            clearance_check::How::Apart => 5,
            clearance_check::How::Coplanar => 6,
            clearance_check::How::Points => 7,
            clearance_check::How::Grazing => 8,
        });
    }
}

impl Meaning for clearance_check::WayOut {
    fn feed(&self, into: &mut Bits) {
        let clearance_check::WayOut { value, lower, upper, translation, search, why: _, of_repaired: _ } = self;
        let search = match search {
            clearance_check::SearchOutcome::Complete => 0_u64,
            clearance_check::SearchOutcome::Interrupted => 1,
            clearance_check::SearchOutcome::None => 2,
            clearance_check::SearchOutcome::Estimate => 3,
        };
        into.bracket(*lower, *value, *upper);
        (translation, search).feed(into);
    }
}

impl Meaning for clearance_check::Volume {
    fn feed(&self, into: &mut Bits) {
        let clearance_check::Volume { value, lower, upper, centroid, of_repaired: _ } = self;
        into.bracket(*lower, *value, *upper);
        centroid.feed(into);
    }
}

impl Meaning for clearance_check::Cluster {
    fn feed(&self, into: &mut Bits) {
        let clearance_check::Cluster { triangle_pairs, min, max, loops, local_depth: _ } = self;
        ([min, max], triangle_pairs, loops).feed(into);
    }
}

impl Meaning for clearance_check::Loop {
    fn feed(&self, into: &mut Bits) {
        let clearance_check::Loop { closed, points } = self;
        (points, closed).feed(into);
    }
}

impl Meaning for clearance_check::Allowed {
    fn feed(&self, into: &mut Bits) {
        // A local depth is newer than the digests that others are compared with.
        let clearance_check::Allowed { how, a, b, way_out, volume, id: _, rule: _, set: _, why: _, local_depth: _ } =
            self;
        ([a.as_str(), b.as_str()], how, way_out, volume).feed(into);
    }
}

impl Meaning for clearance_check::Report {
    fn feed(&self, into: &mut Bits) {
        let verdict = match self.verdict {
            clearance_check::Verdict::Clean => 0_u64,
            clearance_check::Verdict::Findings => 1,
            clearance_check::Verdict::Failed => 2,
        };
        (verdict, &self.findings, &self.allowed).feed(into);
    }
}

impl Meaning for clearance_check::NearMiss<'_> {
    fn feed(&self, into: &mut Bits) {
        let clearance_check::NearMiss { a, b, gap } = self;
        (gap, a, b).feed(into);
    }
}
