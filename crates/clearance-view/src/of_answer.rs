//! Answers of the engine as findings: sentence, numbers and drawing.

use clearance::answer::{Contacts, DepthDirection, Distance, LocalDepth, RelationProof};
use clearance::{Pose, Relation, Shape};
use clearance_check::Loop;

use crate::of_pair::of_pair;
use crate::sentence::{apart, deep, in_common, proved, with_unit};
use crate::{Proved, SceneFinding, SceneKind};

/// The largest number of self-intersections drawn.
const DRAWN: usize = 5000;

/// What an answer says about the two parts of a finding. Lengths are in `unit`.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{Pose, Shape, distance};
/// use clearance_view::{SceneFinding, SceneKind};
/// let (ball, there) = (Shape::sphere(1.0)?, Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?);
/// let gap = distance(&ball, &Pose::IDENTITY, &ball, &there);
/// let finding = SceneFinding::new("gap", SceneKind::Measured, 0, 1).with_distance(&gap, Some("mm"));
/// assert!(finding.sentence.starts_with("1 mm apart, proved to within "));
/// let finding = finding.with_places((&ball, &Pose::IDENTITY), (&ball, &there));
/// assert_eq!(finding.points, Some([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]));
/// # Ok::<(), clearance::Error>(())
/// ```
impl SceneFinding {
    /// How far apart they are.
    pub fn with_distance(self, found: &Distance, unit: Option<&str>) -> SceneFinding {
        let gap = Proved::new(found.gap.value, found.gap.lower, found.gap.upper);
        let sentence = match found.normal {
            Some(_) => apart(gap, unit),
            None => "in contact: the distance is 0".to_owned(),
        };
        let details = [("on A", found.witness.a.feature), ("on B", found.witness.b.feature)];
        let details = details.map(|(name, feature)| (name.to_owned(), format!("{feature:?}"))).to_vec();
        SceneFinding { sentence, gap: Some(gap), details, ..self }
    }

    /// How deep they overlap, and the translation of B that separates them.
    pub fn with_depth(self, depth: Proved, way_out: [f64; 3], unit: Option<&str>) -> SceneFinding {
        SceneFinding {
            kind: SceneKind::Hard,
            sentence: deep(depth, unit),
            gap: Some(Proved::new(-depth.value, -depth.upper, -depth.lower)),
            depth: Some(depth),
            way_out: Some(way_out),
            ..self
        }
    }

    /// How far the surface of one reaches into the other, with the poses of A and B. The points are the deepest one and
    /// the nearest one of the other surface.
    pub fn with_local_depth(self, found: &LocalDepth, poses: [&Pose; 2], unit: Option<&str>) -> SceneFinding {
        let depth = Proved::new(found.depth.value, found.depth.lower, found.depth.upper);
        let Some(deepest) = found.deepest else {
            let sentence = format!("neither surface reaches more than {} into the other", with_unit(depth.upper, unit));
            return SceneFinding { sentence, depth: Some(depth), ..self };
        };
        let (surface, body) = match deepest.direction {
            DepthDirection::AInB => ("A", "B"),
            DepthDirection::BInA => ("B", "A"),
        };
        let reach = with_unit(depth.value, unit);
        SceneFinding {
            kind: SceneKind::Hard,
            sentence: format!("the surface of {surface} reaches {reach} into {body}, {}", proved(depth, unit)),
            depth: Some(depth),
            points: Some(deepest.witness.world_points(poses[0], poses[1]).map(|point| point.to_array())),
            ..self
        }
    }

    /// How much they have in common.
    pub fn with_volume(self, volume: Proved, unit: Option<&str>) -> SceneFinding {
        let kind = if volume.lower > 0.0 { SceneKind::Hard } else { self.kind };
        SceneFinding { kind, sentence: in_common(volume, unit), volume: Some(volume), ..self }
    }

    /// Where they touch, and how far apart or how deep they are.
    pub fn with_contacts(self, found: &Contacts, pose_a: &Pose, unit: Option<&str>) -> SceneFinding {
        let gap = Proved::new(found.gap.value, found.gap.lower, found.gap.upper);
        let (points, crossings) = (found.points.len(), found.crossings.len());
        let places = match (points, crossings) {
            (0, 0) => "no contact".to_owned(),
            (_, 0) => format!("{points} point{} of contact", if points == 1 { "" } else { "s" }),
            _ => format!("{crossings} pair{} of triangles", if crossings == 1 { "" } else { "s" }),
        };
        // Contacts of meshes do not tell the depth.
        let (kind, lie) = match () {
            () if crossings > 0 => (SceneKind::Measured, "they meet".to_owned()),
            () if gap.upper < 0.0 => (SceneKind::Hard, deep(Proved::new(-gap.value, -gap.upper, -gap.lower), unit)),
            () if gap.lower > 0.0 && gap.upper.is_finite() => (SceneKind::Measured, apart(gap, unit)),
            () if gap.lower > 0.0 => (SceneKind::Measured, "apart".to_owned()),
            () => (SceneKind::Touching, "touching".to_owned()),
        };
        // The points of a manifold are the corners of a polygon, in order.
        let corners: Vec<[f64; 3]> =
            found.points.iter().map(|contact| pose_a.transform_point(contact.witness.a.point).to_array()).collect();
        let outline = (corners.len() > 1).then_some(Loop { closed: corners.len() > 2, points: corners });
        SceneFinding {
            kind,
            sentence: format!("{lie}; {places}"),
            gap: Some(gap).filter(|gap| gap.lower.is_finite() && gap.upper.is_finite()),
            loops: outline.into_iter().collect(),
            ..self
        }
    }

    /// How they lie to each other.
    pub fn with_relation(self, found: &RelationProof, unit: Option<&str>) -> SceneFinding {
        let (kind, lie) = match found.relation {
            Relation::Separated => (SceneKind::Measured, "separated"),
            Relation::Touching => (SceneKind::Touching, "touching"),
            Relation::Overlapping => (SceneKind::Hard, "overlapping"),
        };
        let gap = Proved::new(0.0_f64.clamp(found.gap.lower, found.gap.upper), found.gap.lower, found.gap.upper);
        let gap = Some(gap).filter(|gap| gap.lower.is_finite() && gap.upper.is_finite());
        let bracket = gap.map_or_else(String::new, |gap| format!(": the gap is {}", proved(gap, unit)));
        SceneFinding { kind, sentence: format!("{lie}{bracket}"), gap, ..self }
    }

    /// When they first touch, in the points of A and of B in the world.
    pub fn with_impact(self, when: Proved, at_start: bool, points: [[f64; 3]; 2]) -> SceneFinding {
        let sentence = match at_start {
            true => "in contact at the start".to_owned(),
            false => format!("first contact at t = {}, {}", with_unit(when.value, None), proved(when, None)),
        };
        SceneFinding { kind: SceneKind::Touching, sentence, points: Some(points), ..self }
    }

    /// How near they come on their way, and when, in the points of A and of B in the world at that time.
    pub fn with_least_gap(self, gap: Proved, t: f64, points: [[f64; 3]; 2], unit: Option<&str>) -> SceneFinding {
        let at = with_unit(t, None);
        let sentence = match gap.lower > 0.0 {
            true => format!("nearest at t = {at}: {}", apart(gap, unit)),
            false => format!("they come within {} at t = {at}, and may touch", with_unit(gap.upper, unit)),
        };
        SceneFinding { sentence, gap: Some(gap), points: Some(points), ..self }
    }

    /// How far B, a point, is from A, whose nearest point is `nearest`; below zero inside.
    pub fn with_point(self, gap: Proved, nearest: [f64; 3], point: [f64; 3], unit: Option<&str>) -> SceneFinding {
        let sentence = match gap.upper < 0.0 {
            true => format!("inside, {} from the surface, {}", with_unit(-gap.value, unit), proved(gap, unit)),
            false => format!("{} away, {}", with_unit(gap.value, unit), proved(gap, unit)),
        };
        SceneFinding { sentence, gap: Some(gap), points: Some([nearest, point]), ..self }
    }

    /// Where B, a ray, crosses the boundary of A, in multiples of its direction.
    pub fn with_hit(self, t: Proved, at: [f64; 3]) -> SceneFinding {
        let sentence = format!("the ray crosses at t = {}, {}", with_unit(t.value, None), proved(t, None));
        SceneFinding { sentence, points: Some([at; 2]), ..self }
    }

    /// Where a mesh, which is both parts, meets itself: for each pair of triangles the segment that it has in common,
    /// in the world, and whether the two cross, rather than only touch with their rims.
    pub fn with_self_intersections(self, places: &[([[f64; 3]; 2], bool)]) -> SceneFinding {
        let crossing = places.iter().filter(|(_, crosses)| *crosses).count();
        let count = |count: usize| format!("{count} pair{} of triangles", if count == 1 { "" } else { "s" });
        let (kind, sentence) = match (places.len(), crossing) {
            (0, _) => (SceneKind::Measured, "the mesh does not meet itself".to_owned()),
            (all, 0) => (SceneKind::Touching, format!("the mesh touches itself: the rims of {} meet", count(all))),
            (all, some) => {
                let rims = if all > some { format!("; {} more by their rims", all - some) } else { String::new() };
                (SceneKind::Hard, format!("the mesh runs through itself: {} cross or overlap{rims}", count(some)))
            }
        };
        let along = |(ends, _): &([[f64; 3]; 2], bool)| Loop { closed: false, points: ends.to_vec() };
        let points = places.first().map(|(ends, _)| [ends[0]; 2]);
        let left_out =
            (places.len() > DRAWN).then(|| ("drawn".to_owned(), format!("the first {DRAWN} of {}", places.len())));
        let loops = places.iter().take(DRAWN).map(along).collect();
        SceneFinding { kind, sentence, loops, points, details: left_out.into_iter().collect(), ..self }
    }

    /// Where they are nearest or meet: the nearest points or a common one; of meshes the contact loops; of solid meshes
    /// what they have in common, and how much, if nothing was said about that.
    pub fn with_places(self, a: (&Shape, &Pose), b: (&Shape, &Pose)) -> SceneFinding {
        of_pair(a, b, self)
    }
}
