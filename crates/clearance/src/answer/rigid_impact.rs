use glam::DVec3;

use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;

/// How to search for the first contact of rotating bodies. Both give the same kind of answer, with the same proof.
///
/// ```
/// use clearance::query::{RigidAlgorithm, RigidOptions};
/// assert_eq!(RigidOptions::default().algorithm, RigidAlgorithm::Advancement);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RigidAlgorithm {
    /// Traverses boxes and parts in the order of the times until which they are proved apart.
    Hierarchies,
    /// Conservative advancement: steps by the distance of the whole bodies over the speed at which the gap can close;
    /// where steps become small, a time window is searched by `Hierarchies`. Bodies of few parts and height fields use
    /// `Hierarchies` throughout. Two orders of magnitude faster for meshes of 10,000 triangles, in `lab run rigid-ccd`.
    #[default]
    Advancement,
}

/// What counts as contact, and how precisely to search for it.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, Workspace, glam::DVec3};
/// use clearance::query::{RigidOptions, rigid_impact_with};
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 3.0)?;
/// let post = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0))?);
/// // When do they come within 0.05 of each other?
/// let options = RigidOptions { margin: 0.05, ..RigidOptions::default() };
/// let mut workspace = Workspace::default();
/// let ball = Shape::sphere(0.1)?;
/// let near = rigid_impact_with(&bar, &spinning, &ball, &post, &options, &mut workspace).unwrap();
/// let touch = rigid_impact_with(&bar, &spinning, &ball, &post, &RigidOptions::default(), &mut workspace);
/// assert!(near.time.upper < touch.unwrap().time.lower);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RigidOptions {
    /// The search algorithm.
    pub algorithm: RigidAlgorithm,
    /// Bodies no farther apart than this count as touching, in world units. Zero or less: only bodies with a common
    /// point.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// Bodies proved to be this close to contact are taken to be in contact, in world units; the answer may then be
    /// short of contact. Zero or less: search to full precision.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Where the proof advances by less than this time, a fraction of the step, contact is assumed. At least 1e-15.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub resolution: f64,
}

impl Default for RigidOptions {
    /// No margin, no tolerance, a resolution of 1e-12.
    fn default() -> RigidOptions {
        RigidOptions { algorithm: RigidAlgorithm::default(), margin: 0.0, tolerance: 0.0, resolution: 1e-12 }
    }
}

/// The first contact of two bodies that rotate as they move.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, rigid_impact};
/// // A bar spins about the z axis by a quarter turn; a sphere rests above its end.
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, std::f64::consts::FRAC_PI_2)?;
/// let ball = Shape::sphere(0.5)?;
/// let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0))?);
/// let impact = rigid_impact(&bar, &spinning, &ball, &waiting).unwrap();
/// // The side of the bar is 0.1 off its axis, so they touch when the sine of the remaining angle is 0.6 / 1.5.
/// let truth = 1.0 - 0.4f64.asin() / std::f64::consts::FRAC_PI_2;
/// assert!(impact.time.contains(truth) && impact.time.width() < 1e-9);
/// assert!(impact.touches);
/// impact.verify(&bar, &spinning, &ball, &waiting).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RigidImpact {
    /// The time of the first contact, as a fraction of the step. Before the lower end, which is also the value, the
    /// bodies are proved to be farther apart than the margin. At the upper end they are proved to be within the margin
    /// (`touches`), or within margin plus `gap`.
    pub time: Bracket,
    /// True if contact is proved. False if the bodies graze, or if the options ended the search early.
    pub touches: bool,
    /// Upper bound on the remaining distance to contact at `time.upper`, in world units. Zero if `touches`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub gap: f64,
    /// The margin that counts as contact, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// The pose of A in the world at `time.value`, rounded.
    pub pose_a: Pose,
    /// The pose of B in the world at `time.value`, rounded.
    pub pose_b: Pose,
    /// The contact points, each in its body's local frame, with the part and the feature that contain them.
    pub witness: Witness,
    /// Unit vector from A towards B, in world coordinates, just before the contact. `None` for bodies that intersect at
    /// the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// Whether the bodies have a point in common at the start (with a margin: are within it).
    pub started_overlapping: bool,
    /// The parts of A and of B that prove the upper end of the time: they overlap by more than the error of the poses.
    pub deep: [u32; 2],
    /// The algorithm used.
    pub algorithm: RigidAlgorithm,
    /// Number of times two parts, or the two bodies, were tested.
    pub steps: u32,
}

impl RigidImpact {
    pub(crate) fn swapped(self) -> RigidImpact {
        RigidImpact {
            pose_a: self.pose_b,
            pose_b: self.pose_a,
            witness: self.witness.swapped(),
            normal: self.normal.map(|n| -n),
            deep: [self.deep[1], self.deep[0]],
            ..self
        }
    }
}
