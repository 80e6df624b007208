//! Depth of overlapping solids with its separating translation. See [`crate::depth`].

use std::borrow::Cow;

use glam::DVec3;

use crate::answer::distance::DistanceOptions;
use crate::answer::method::Method;
use crate::answer::penetration::Penetration;
use crate::answer::solid_depth::{
    DepthAlong, DepthAlongOptions, DepthCube, DepthLabel, DepthLevel, DepthProof, DepthSearch, SolidDepth,
    SolidDepthOptions,
};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::pair::cache::PairCache;
use crate::depth::levels::LevelDone;
use crate::depth::lower_bound::{Goal, cover};
use crate::depth::polyhedron::Polyhedron;
use crate::depth::slide::slide;
use crate::depth::solids::{Solids, State};
use crate::depth::{along, search};
use crate::error::{Error, QueryError};
use crate::math::bracket::Bracket;
use crate::math::double_double::two_prod;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::mesh::pair::mesh_mesh;
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::workspace::MeshWorkspace;
use crate::shape::{Feature, Mesh, Shape};

/// The depth of two overlapping solids, at least one of them a mesh. See [`solid_depth`](crate::solid_depth).
pub(crate) fn solid_depth(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &SolidDepthOptions,
    progress: &mut dyn FnMut(f64, f64) -> bool,
    workspace: &mut MeshWorkspace,
) -> Result<SolidDepth, QueryError> {
    let is_mesh = [a, b].map(|shape| matches!(shape, Shape::Mesh(_)));
    let (a, b, label) = if options.estimate {
        let ((a, a_is_solid), (b, b_is_solid)) = (as_mesh(a)?, as_mesh(b)?);
        (a, b, if a_is_solid && b_is_solid { DepthLabel::Global } else { DepthLabel::Estimate })
    } else {
        (as_solid(a)?, as_solid(b)?, DepthLabel::Global)
    };
    let meshes = Meshes::new((&a, pose_a), (&b, pose_b));
    let two = Two::new(&meshes, pose_a, pose_b);
    let mut solids = two.solids(workspace);
    if let State::Apart = solids.state(DVec3::ZERO) {
        let penetration = apart(&meshes, workspace);
        return Ok(without_search(without_features(penetration, is_mesh), label, options));
    }
    let stretch = 1.0 + 2.0 * solids.map.stretch;
    let goal = Goal {
        relative: options.relative_tolerance.clamp(0.0, 1.0),
        absolute: options.tolerance.max(0.0) / stretch,
        // Nothing is proved for bodies without an interior.
        work: if label == DepthLabel::Estimate { 0 } else { options.work },
    };
    let start = options.near.filter(|near| near.is_finite() && near.length() > 0.0);
    let mut levels = Vec::new();
    let found = match start {
        None => {
            let first = match options.search {
                DepthSearch::Directions => search::by_directions(&mut solids),
                DepthSearch::Levels | DepthSearch::AllPieces => {
                    let every = options.search == DepthSearch::AllPieces;
                    let (found, done) = search::by_levels(&mut solids, workspace.level, every);
                    let of = |done: &LevelDone| DepthLevel {
                        level: done.level,
                        pairs: done.pairs,
                        kept: done.kept,
                        depth: done.depth,
                    };
                    levels = done.iter().map(of).collect();
                    found
                }
            };
            cover(&mut solids, first.ok_or(QueryError::NoDepth)?, &goal, progress)
        }
        Some(near) => {
            let near = two.in_frame(near);
            let direction = near.normalize_or_zero();
            let from = if solids.are_apart(near) {
                near
            } else {
                let most = solids.scale();
                along::way_out(&mut solids, near, direction, most, MOVES).ok_or(QueryError::NoDepth)?
            };
            let at = slide(&mut solids, from);
            // The lower bound comes from the first few points, without a search.
            let goal = Goal { work: if goal.work == 0 { 0 } else { solids.work + 256 }, ..goal };
            cover(&mut solids, at, &goal, progress)
        }
    };
    let (normal, upper, translation) = two.proved_upper(&mut solids, found.translation);
    // Lengths in the frame equal those in the world up to both defects, each bounded generously.
    let lower = found.lower * (1.0 - 4.0 * (solids.map.stretch + solids.stretch)) / ROUND_UP;
    let penetration =
        without_features(two.with_features(&mut solids, translation, normal, (lower.min(upper), upper)), is_mesh);
    let origin = meshes.pair.b.origin;
    let cubes =
        found.proof.iter().map(|cube| DepthCube { middle: cube.middle, half: cube.half, point: cube.point + origin });
    Ok(SolidDepth {
        penetration,
        label: labelled(label, options),
        interrupted: !found.complete,
        levels,
        proof: DepthProof { side: found.side, moves_a: meshes.swapped, cubes: cubes.collect() },
        work: solids.work,
    })
}

/// The body as a solid mesh, if it is one or has only flat faces. A mesh whose triangles cross each other bounds no
/// solid.
pub(crate) fn as_solid(shape: &Shape) -> Result<Cow<'_, Mesh>, QueryError> {
    let mesh = match shape {
        Shape::Mesh(mesh) if mesh.is_solid() => Cow::Borrowed(mesh),
        Shape::Mesh(mesh) => Cow::Owned(mesh.solid()?),
        other => {
            let polyhedron = Polyhedron::of(other).map_err(|_| QueryError::NoDepth)?;
            let (origin, points, triangles) = polyhedron.parts();
            let points: Vec<[f64; 3]> = points.iter().map(|&point| (point + origin).to_array()).collect();
            return Ok(Cow::Owned(Mesh::new(&points, triangles)?.solid()?));
        }
    };
    match mesh.self_crossing().crossing {
        Some((count, triangles)) => Err(Error::CrossesItself { count, triangles }.into()),
        None => Ok(mesh),
    }
}

/// The body as a mesh, whether it bounds a solid or not, and whether it does.
fn as_mesh(shape: &Shape) -> Result<(Cow<'_, Mesh>, bool), QueryError> {
    match (as_solid(shape), shape) {
        (Ok(mesh), _) => Ok((mesh, true)),
        (Err(_), Shape::Mesh(mesh)) => Ok((mesh.solid().map_or(Cow::Borrowed(mesh), Cow::Owned), false)),
        (Err(error), _) => Err(error),
    }
}

/// The answer for separated solids.
fn apart(meshes: &Meshes<'_>, workspace: &mut MeshWorkspace) -> Penetration {
    let found = meshes.distance(&DistanceOptions::default(), &mut PairCache::default(), workspace);
    Penetration {
        depth: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
        placement: found.placement,
        method: Method::Solids,
        witness: found.witness,
        normal: found.normal.unwrap_or(DVec3::X),
    }
}

/// Bodies that are not meshes have no triangles to report.
fn without_features(mut answer: Penetration, [a_is_mesh, b_is_mesh]: [bool; 2]) -> Penetration {
    if !a_is_mesh {
        (answer.witness.a.part, answer.witness.a.feature) = (0, Feature::Interior);
    }
    if !b_is_mesh {
        (answer.witness.b.part, answer.witness.b.feature) = (0, Feature::Interior);
    }
    answer
}

/// The label of an answer: an estimate stays one whichever search made it.
fn labelled(label: DepthLabel, options: &SolidDepthOptions) -> DepthLabel {
    if label == DepthLabel::Global && options.near.is_some() { DepthLabel::Local } else { label }
}

/// An answer that needs no search, and no proof besides itself.
pub(crate) fn without_search(penetration: Penetration, label: DepthLabel, options: &SolidDepthOptions) -> SolidDepth {
    SolidDepth {
        penetration,
        label: labelled(label, options),
        interrupted: false,
        levels: Vec::new(),
        proof: DepthProof { side: 1.0, moves_a: false, cubes: Vec::new() },
        work: 0,
    }
}

/// The most moves along a direction: each passes two intersecting triangles.
const MOVES: usize = DepthAlongOptions::MOVES;

/// Two solids in the order of the meshes, and their poses.
struct Two<'s> {
    meshes: &'s Meshes<'s>,
    /// In the order of the meshes.
    pose_a: &'s Pose,
    pose_b: &'s Pose,
}

impl<'s> Two<'s> {
    fn new(meshes: &'s Meshes<'s>, pose_a: &'s Pose, pose_b: &'s Pose) -> Two<'s> {
        let (pose_a, pose_b) = if meshes.swapped { (pose_b, pose_a) } else { (pose_a, pose_b) };
        Two { meshes, pose_a, pose_b }
    }

    fn solids(&self, workspace: &MeshWorkspace) -> Solids<'s> {
        let stretch = 0.5 * self.pose_b.defect() * (1.0 + self.pose_b.defect());
        Solids::new(self.meshes.a, self.meshes.b, self.meshes.pair.map, stretch, workspace.level)
    }

    /// A world translation of the caller's B, as one of the second body in the frame of the first.
    fn in_frame(&self, translation: DVec3) -> DVec3 {
        let translation = if self.meshes.swapped { -translation } else { translation };
        self.pose_a.inverse_rotation() * translation
    }

    /// A world translation proved to separate the real-number bodies, near one in the frame that does so up to
    /// rounding: its direction and length, and itself in the frame.
    fn proved_upper(&self, solids: &mut Solids<'_>, translation: DVec3) -> (DVec3, f64, DVec3) {
        let margin = solids.margin();
        let mut translation = translation;
        for attempt in 0..64 {
            let world = self.pose_a.rotation() * translation;
            let normal = world.try_normalize().unwrap_or(DVec3::X);
            // The direction is a unit vector up to rounding.
            let upper = world.length() * ROUND_UP;
            let (mut high, mut low) = (DVec3::ZERO, DVec3::ZERO);
            for k in 0..3 {
                (high[k], low[k]) = two_prod(upper, normal[k]);
            }
            let (there, error) = Placement::displacement(self.pose_a, high, low);
            if let State::Apart = solids.state_of(&solids.pair(there, error)) {
                return (normal, upper, there);
            }
            // Away from the nearest triangles, by increasing amounts.
            let away = near_direction(solids, translation).unwrap_or(normal);
            translation += away * (margin * 2f64.powi(attempt / 2));
        }
        // Past each other's diameters nothing meets.
        let world = solids.scale() * (1.0 + 2.0 * solids.map.stretch);
        let normal = (self.pose_a.rotation() * translation).try_normalize().unwrap_or(DVec3::X);
        (normal, world * ROUND_UP, self.pose_a.inverse_rotation() * (normal * world))
    }

    /// The answer with the points and features that touch after the translation.
    fn with_features(
        &self,
        solids: &mut Solids<'_>,
        translation: DVec3,
        normal: DVec3,
        (lower, upper): (f64, f64),
    ) -> Penetration {
        let (surface_a, surface_b) = (solids.surface_a(), solids.surface_b());
        let mut near = Vec::new();
        let mut within = 4.0 * solids.margin();
        for _ in 0..60 {
            solids.near(translation, within, &mut near);
            if !near.is_empty() {
                break;
            }
            within *= 2.0;
        }
        let least = near.iter().min_by(|p, q| {
            p.gap.value.total_cmp(&q.gap.value).then(
                (surface_a.ids[p.a as usize], surface_b.ids[p.b as usize])
                    .cmp(&(surface_a.ids[q.a as usize], surface_b.ids[q.b as usize])),
            )
        });
        let placement = self.meshes.placement;
        let mut answer = Penetration {
            depth: Bracket { value: upper, lower, upper },
            placement,
            method: Method::Solids,
            witness: Witness {
                a: WitnessPoint { point: surface_a.points[0] + surface_a.origin, part: 0, feature: Feature::Interior },
                b: WitnessPoint { point: surface_b.points[0] + surface_b.origin, part: 0, feature: Feature::Interior },
            },
            normal,
        };
        if let Some(found) = least {
            answer.witness.a.point = self.meshes.in_a(found.gap.point_a);
            answer.witness.b.point = solids.back(found.gap.point_b, translation) + surface_b.origin;
            (answer.witness.a.part, answer.witness.b.part) =
                (surface_a.ids[found.a as usize], surface_b.ids[found.b as usize]);
            answer.witness.a.feature = mesh_mesh::feature(surface_a, found.a, found.gap.on_a);
            answer.witness.b.feature = mesh_mesh::feature(surface_b, found.b, found.gap.on_b);
        }
        if self.meshes.swapped { answer.swapped() } else { answer }
    }
}

/// The direction from A to B between the triangles that are nearest after a translation, if any are near.
fn near_direction(solids: &mut Solids<'_>, translation: DVec3) -> Option<DVec3> {
    let mut near = Vec::new();
    let margin = 16.0 * solids.margin();
    solids.near(translation, margin, &mut near);
    let sum: DVec3 = near.iter().map(|found| found.gap.direction).sum();
    sum.try_normalize()
}

/// How far B must be moved along a unit direction until the interiors are disjoint. See
/// [`depth_along`](crate::query::depth_along).
pub(crate) fn depth_along(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    direction: DVec3,
    options: &DepthAlongOptions,
    workspace: &mut MeshWorkspace,
) -> Result<DepthAlong, QueryError> {
    let (a, b) = (as_solid(a)?, as_solid(b)?);
    let meshes = Meshes::new((&a, pose_a), (&b, pose_b));
    let two = Two::new(&meshes, pose_a, pose_b);
    let mut solids = two.solids(workspace);
    let way = two.in_frame(direction);
    let stretch = way.length();
    let (most, unit) = (2.0 * solids.scale(), way / stretch);
    if let State::Apart = solids.state(DVec3::ZERO) {
        return Ok(DepthAlong { depth: Bracket { value: 0.0, lower: 0.0, upper: 0.0 }, direction });
    }
    let out = along::way_out(&mut solids, DVec3::ZERO, unit, most, options.moves).ok_or(QueryError::NoDepth)?;
    let length = out.length();
    let proved = along::overlap_until(&mut solids, unit, length);
    // The world length is that in the frame divided by the length of the direction there, rounded.
    let margin = solids.margin();
    let mut upper = length / stretch * ROUND_UP;
    loop {
        let (mut high, mut low) = (DVec3::ZERO, DVec3::ZERO);
        let outward = if meshes.swapped { -direction } else { direction };
        for k in 0..3 {
            (high[k], low[k]) = two_prod(upper, outward[k]);
        }
        let (there, error) = Placement::displacement(two.pose_a, high, low);
        if let State::Apart = solids.state_of(&solids.pair(there, error)) {
            break;
        }
        if upper > 4.0 * most {
            return Err(QueryError::NoDepth);
        }
        upper = (upper + margin) * (1.0 + 4.0 * UNIT_ROUNDOFF);
    }
    let lower = (proved / stretch / ROUND_UP - margin).max(0.0);
    Ok(DepthAlong { depth: Bracket { value: length.max(lower).min(upper), lower, upper }, direction })
}
