//! First contact of two rotating bodies.
//!
//! Two ways to the contact, [`rigid_search`](super::rigid_search) and [`rigid_advance`](super::rigid_advance), and one
//! proof of it: shortly afterwards, two convex parts overlap deeper than the errors of poses and rounding. A convex set
//! whose points all move by less than the depth still meets the other.

use crate::answer::distance::DistanceOptions;
use crate::answer::intersects::IntersectsOptions;
use crate::answer::rigid_impact::{RigidAlgorithm, RigidImpact, RigidOptions};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::PartsOf;
use crate::convex::pair::cache::PairCache;
use crate::impact::moving::sanitized_margin;
use crate::impact::rigid_advance::advance;
use crate::impact::rigid_pair::{At, bounding_sphere, carried, in_other_order, parts_meet};
use crate::impact::rigid_search::{Limits, Next, RigidSearch, Touch};
use crate::math::bracket::Bracket;
use crate::math::cancel::checkpoint;
use crate::math::tolerances::{RIGID_FEW_PAIRS, RIGID_PROOF_DELAYS, RIGID_PROOFS, RIGID_WINDOW, ROUND_UP};
use crate::motion::RigidMotion;
use crate::motion::relative::{Relative, Spot, advanced};
use crate::pair::distance::distance;
use crate::pair::intersects::intersects;
use crate::pair::workspace::Workspace;
use crate::shape::{Feature, Shape};

/// The first contact, or `None`: see [`rigid_impact`](crate::rigid_impact).
pub(crate) fn first_contact(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    options: &RigidOptions,
    workspace: &mut Workspace,
) -> Option<RigidImpact> {
    if in_other_order((a, motion_a), (b, motion_b)) {
        return ordered(b, motion_b, a, motion_a, options, workspace).map(RigidImpact::swapped);
    }
    ordered(a, motion_a, b, motion_b, options, workspace)
}

/// The same, with the bodies in internal order.
fn ordered(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    options: &RigidOptions,
    workspace: &mut Workspace,
) -> Option<RigidImpact> {
    let limits = Limits {
        margin: sanitized_margin(options.margin),
        tolerance: options.tolerance.max(0.0),
        resolution: options.resolution.max(1e-15),
    };
    Question {
        a,
        b,
        relative: Relative { a: motion_a, b: motion_b },
        limits,
        reaches: [a.reach(), b.reach()],
        workspace,
    }
    .answer(options.algorithm)
}

/// The state of one query.
struct Question<'q> {
    a: &'q Shape,
    b: &'q Shape,
    relative: Relative<'q>,
    limits: Limits,
    reaches: [f64; 2],
    workspace: &'q mut Workspace,
}

impl Question<'_> {
    fn answer(&mut self, algorithm: RigidAlgorithm) -> Option<RigidImpact> {
        let start = At::new(&self.relative, 0.0, self.reaches);
        let endless = !self.reaches[0].is_finite() && !self.reaches[1].is_finite();
        let started_overlapping = self.meet(&start);
        if started_overlapping || endless {
            return Some(self.at_start(&start, algorithm, started_overlapping));
        }
        let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        if (is_field(self.a) || is_field(self.b)) && self.reaches[1].is_finite() {
            return self.over_height_field();
        }
        let search = |q: &Self, window| RigidSearch::new(q.a, q.b, q.relative, q.reaches, q.limits, window);
        if algorithm == RigidAlgorithm::Hierarchies || part_count(self.a) * part_count(self.b) <= RIGID_FEW_PAIRS {
            let whole = search(self, [0.0, 1.0]);
            return self.contact(whole, 1.0, algorithm, 0);
        }
        let (mut from, mut steps) = (0.0, 0);
        while from < 1.0 {
            checkpoint();
            let (a, b) = (self.a, self.b);
            let (near, readings) = advance((a, b), &self.relative, self.reaches, &self.limits, from, self.workspace)?;
            let until = (near + RIGID_WINDOW).min(1.0);
            steps += readings;
            let window = search(self, [near, until]);
            if let Some(found) = self.contact(window, until, algorithm, steps) {
                return Some(found);
            }
            from = until;
        }
        None
    }

    /// Over a height field the path is split into pieces, each with the prisms that the other body can reach in it.
    fn over_height_field(&mut self) -> Option<RigidImpact> {
        let (middle, radius) = bounding_sphere(self.b);
        let (mut t, mut steps) = (0.0, 0);
        let cell = match (self.a, self.b) {
            (Shape::HeightField(field), _) | (_, Shape::HeightField(field)) => field.spacing().min_element(),
            _ => 0.0,
        };
        while t < 1.0 {
            checkpoint();
            let at = At::new(&self.relative, t, self.reaches);
            let spot = Spot { place: at.turned(middle), reach: middle.length() * ROUND_UP + radius, radius };
            // As long as the body or a cell of the grid: a cell has two prisms, however small the body is.
            let piece = self.reaches[1].max(cell);
            let until = advanced(t, 1.0, |to| piece / self.relative.field(t, to).speed(&spot));
            let until = until.max(t + self.limits.resolution).min(1.0);
            let near = self.limits.margin + 4.0 * at.noise + 1.01 * piece;
            let ground = HeightFieldPair::within(self.a, &at.a.pose, self.b, &at.b.pose, near);
            let reaches = [ground.a().reach(), ground.b().reach()];
            let search = RigidSearch::new(ground.a(), ground.b(), self.relative, reaches, self.limits, [t, until]);
            if let Some(found) = self.contact(search, until, RigidAlgorithm::Hierarchies, steps) {
                let (part_a, part_b) = ground.triangles_of((found.witness.a.part, found.witness.b.part));
                let deep = ground.triangles_of((found.deep[0], found.deep[1]));
                return Some(RigidImpact {
                    witness: found.witness.with_parts(part_a, part_b),
                    deep: [deep.0, deep.1],
                    ..found
                });
            }
            steps += 1;
            t = until;
        }
        None
    }

    /// Whether the bodies meet at the start, or are within the margin.
    fn meet(&mut self, start: &At) -> bool {
        let (pose_a, pose_b) = (&start.a.pose, &start.b.pose);
        let mut cache = PairCache::default();
        if self.limits.margin > 0.0 {
            let options = DistanceOptions { farther_than: Some(self.limits.margin), ..DistanceOptions::default() };
            return distance(self.a, pose_a, self.b, pose_b, &options, &mut cache, self.workspace).gap.lower
                <= self.limits.margin;
        }
        let options = IntersectsOptions::default();
        intersects(self.a, pose_a, self.b, pose_b, &options, &mut cache, self.workspace)
    }

    /// The answer for bodies that meet at the start, or for which nothing more is claimed.
    fn at_start(&mut self, start: &At, algorithm: RigidAlgorithm, started_overlapping: bool) -> RigidImpact {
        let (pose_a, pose_b) = (start.a.pose, start.b.pose);
        let options = DistanceOptions::default();
        let mut cache = PairCache::default();
        let reading = distance(self.a, &pose_a, self.b, &pose_b, &options, &mut cache, self.workspace);
        RigidImpact {
            time: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
            touches: started_overlapping,
            gap: if started_overlapping { 0.0 } else { (reading.gap.upper - self.limits.margin).max(0.0) },
            margin: self.limits.margin,
            pose_a,
            pose_b,
            witness: reading.witness,
            normal: reading.normal.filter(|_| !started_overlapping),
            started_overlapping,
            deep: [reading.witness.a.part, reading.witness.b.part],
            algorithm,
            steps: 1,
        }
    }

    /// The contact that a search finds until a time, with a proof of it if there is one soon after.
    fn contact(
        &mut self,
        mut search: RigidSearch<'_>,
        until: f64,
        algorithm: RigidAlgorithm,
        before: u32,
    ) -> Option<RigidImpact> {
        let first = match search.next(until, self.workspace) {
            Next::Clear => return None,
            Next::Touch(touch) => touch,
            Next::CutOff(touch) => touch,
        };
        let proof = self.proof(&mut search, &first, until);
        let at = At::new(&self.relative, first.t, self.reaches);
        let Touch { t, parts, reading } = first;
        let (own_a, own_b) = (search.part(0, parts.a).0, search.part(1, parts.b).0);
        let (part_a, feature_a) = search.side(0).named(parts.a, reading.witness.a.feature);
        let (part_b, feature_b) = search.side(1).named(parts.b, reading.witness.b.feature);
        let (upper, deep) = proof.unwrap_or((t, [part_a, part_b]));
        let gap = if proof.is_some() { 0.0 } else { (reading.gap.upper + at.noise - self.limits.margin).max(0.0) };
        Some(RigidImpact {
            time: Bracket { value: t, lower: t, upper },
            touches: gap == 0.0,
            gap,
            margin: self.limits.margin,
            pose_a: at.a.pose,
            pose_b: at.b.pose,
            witness: Witness {
                a: WitnessPoint {
                    point: own_a.transform_point(reading.witness.a.point),
                    part: part_a,
                    feature: feature_a,
                },
                b: WitnessPoint {
                    point: own_b.transform_point(reading.witness.b.point),
                    part: part_b,
                    feature: feature_b,
                },
            },
            normal: reading.normal,
            started_overlapping: false,
            deep,
            algorithm,
            steps: search.steps + before,
        })
    }

    /// A time at which two parts provably meet, soon after the first touch, and their indices.
    fn proof(&mut self, search: &mut RigidSearch<'_>, first: &Touch, until: f64) -> Option<(f64, [u32; 2])> {
        let mut touching = vec![first.parts];
        for power in RIGID_PROOF_DELAYS {
            let t = (first.t + 2f64.powi(power)).min(1.0);
            while touching.len() < RIGID_PROOFS {
                match search.next(t.min(until), self.workspace) {
                    Next::Touch(touch) => touching.push(touch.parts),
                    Next::Clear | Next::CutOff(_) => break,
                }
            }
            let at = At::new(&self.relative, t, self.reaches);
            for parts in &touching {
                let (part_a, part_b) = (search.part(0, parts.a), search.part(1, parts.b));
                let placed =
                    [(&*part_a.1, carried(&at.a.pose, &part_a.0)), (&*part_b.1, carried(&at.b.pose, &part_b.0))];
                if parts_meet(placed, at.noise, self.limits.margin, self.workspace) {
                    let none = Feature::Interior;
                    let names = [search.side(0).named(parts.a, none).0, search.side(1).named(parts.b, none).0];
                    return Some((t, names));
                }
            }
            if t >= 1.0 {
                break;
            }
        }
        None
    }
}

/// How many convex parts a body has.
fn part_count(shape: &Shape) -> usize {
    match PartsOf::of(shape) {
        PartsOf::Whole(_) => 1,
        PartsOf::Compound(compound) => compound.parts().len(),
        PartsOf::Mesh(mesh) => mesh.triangle_count(),
    }
}
