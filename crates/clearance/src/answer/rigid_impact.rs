use glam::DVec3;

use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;

/// How the first contact of turning bodies is searched for. Both give the same kind of answer, with the same proof.
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
    /// Boxes and parts in the order of the times until which they are proved to be apart.
    Hierarchies,
    /// The distance of the whole bodies, and a step by how fast the gap can close; where steps become small, a window
    /// of time by `Hierarchies`. Between bodies of few parts, and over height fields, it is as above. Two orders of
    /// magnitude faster for meshes of 10,000 triangles, in `lab run rigid-ccd`.
    #[default]
    Advancement,
}

/// What to look for, and how near is near enough.
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
    /// How the contact is searched for.
    pub algorithm: RigidAlgorithm,
    /// Bodies no farther apart than this count as touching. Zero or less: only bodies with a common point.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// A length: bodies that are proved to be this near to contact are taken as in contact, and the answer need not
    /// touch. Zero or less: to the last digit.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// A time: where the proof gets on by less than this, contact is assumed. At least 1e-15.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub resolution: f64,
}

impl Default for RigidOptions {
    /// No margin, no tolerance, a resolution of 1e-12.
    fn default() -> RigidOptions {
        RigidOptions { algorithm: RigidAlgorithm::default(), margin: 0.0, tolerance: 0.0, resolution: 1e-12 }
    }
}

/// The first contact of two bodies that turn on their way.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, rigid_impact};
/// // A bar spins about the z axis by a quarter turn; a ball waits above its end.
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, std::f64::consts::FRAC_PI_2)?;
/// let ball = Shape::sphere(0.5)?;
/// let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0))?);
/// let impact = rigid_impact(&bar, &spinning, &ball, &waiting).unwrap();
/// // The side of the bar is 0.1 off its middle, so the ball is met when the sine of what is left is 0.6 / 1.5.
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
    /// The time of the first contact. Before its lower end, which is also the value, the bodies are proved to be
    /// farther apart than the margin. At its upper end they are proved to be within the margin (`touches`), or within
    /// the margin and `gap`.
    pub time: Bracket,
    /// True when contact is proved. False where it is not: the bodies graze, or the options ended the search.
    pub touches: bool,
    /// How far from contact the bodies are at most at `time.upper`, in world units. Zero when `touches`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub gap: f64,
    /// The margin that counts as contact.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// Where A is at `time.value`, rounded.
    pub pose_a: Pose,
    /// Where B is then, rounded.
    pub pose_b: Pose,
    /// The points that make contact, each in its body's own frame, with the part and the feature that hold them.
    pub witness: Witness,
    /// Unit, in the world, from A towards B, a moment before the contact. `None` for bodies that meet at the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// The bodies have a point in common at the start (with a margin: are within it).
    pub started_overlapping: bool,
    /// The parts of A and of B that prove the upper end of the time: deeper in each other than the poses are off.
    pub deep: [u32; 2],
    /// How it was found.
    pub algorithm: RigidAlgorithm,
    /// How often two parts, or the bodies, were looked at.
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
