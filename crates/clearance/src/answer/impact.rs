use std::fmt;

use glam::DVec3;

use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;
use crate::math::tolerances::LARGEST_MARGIN;

/// How to search for the first contact. All end with the same proof and differ only in the search. For bodies that are
/// not polytopes with a radius, `Conservative` is used, except for a sphere against a half-space.
///
/// Gap evaluations per contact found, over 500 random motions of each pair:
///
/// | | sphere, sphere | sphere, box | sphere, capsule | sphere, half-space | box, box | hulls of 32 | hulls of 256 |
/// |---|---|---|---|---|---|---|---|
/// | `Conservative` | 6.4 | 4.7 | 6.2 | 3.1 | 3.6 | 3.8 | 3.9 |
/// | `ClosedForm` | 2.6 | 2.2 | 2.5 | 2.0 | as above | as above | as above |
/// | `IntervalHalving` | 23 | 23 | 23 | as above | 22 | 22 | 22 |
/// | `Brent` | 12 | 14 | 12 | as above | 22 | 23 | 23 |
///
/// ```
/// use clearance::query::{ImpactAlgorithm, ImpactOptions};
/// assert_eq!(ImpactOptions::default().algorithm, ImpactAlgorithm::Conservative);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ImpactAlgorithm {
    /// Conservative advancement: each step is as long as the separating plane allows.
    #[default]
    Conservative,
    /// Bisection on whether the swept volumes so far intersect; see [`sweeps_meet`](crate::query::sweeps_meet).
    IntervalHalving,
    /// Brent's root finder on the distance minus a small length.
    Brent,
    /// A closed form where one core is a point and the other a point, a segment, a box (spheres, capsules, boxes and
    /// their rounded forms) or a half-space; otherwise as `Conservative`.
    ClosedForm,
    /// For two meshes without a margin, feature by feature: the elementary tests
    /// ([`elementary_impact`](crate::query::elementary_impact)) find which vertex and face, or which two edges, touch
    /// first; otherwise as `Conservative`. It visits all triangles of both meshes and all pairs whose swept boxes
    /// overlap, so long motions are expensive. A copy of a mesh that flies past all of it takes 415 ms against 2.4 ms
    /// for `Conservative` at 24,242 triangles, 238 ms against 0.3 ms at 18,484, and 23 s against 1.1 ms for a rod of
    /// 79,864. Its purpose is an independent second route to the same answer.
    Elementary,
}

/// What counts as contact, and how to search for it.
///
/// ```
/// use clearance::{Motion, PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{ImpactOptions, time_of_impact_with};
/// let ball = Shape::sphere(1.0)?;
/// let start = Pose::from_translation(DVec3::new(-12.0, 0.0, 0.0))?;
/// let flying = Motion::translation(start, DVec3::new(10.0, 0.0, 0.0))?;
/// let still = Motion::still(Pose::IDENTITY);
/// // When do they come within 1 of each other?
/// let options = ImpactOptions { margin: 1.0, ..ImpactOptions::default() };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let impact = time_of_impact_with(&ball, &flying, &ball, &still, &options, &mut cache, &mut workspace).unwrap();
/// assert!((impact.time.value - 0.9).abs() < 1e-14);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ImpactOptions {
    /// The search algorithm.
    pub algorithm: ImpactAlgorithm,
    /// Stop as soon as the bodies are proved to be this close to contact, in world units; the answer may then be short
    /// of contact. Zero or less: search to full precision.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Bodies no farther apart than this count as touching, in world units. Zero or less: only bodies with a common
    /// point. Values above 1e62, the largest possible distance, are clamped to it.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
}

/// Pairs of vertices (of A, of B; in the numbering of the bodies' cores) whose differences prove a contact.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::DVec3, time_of_impact};
/// let ball = Shape::sphere(1.0)?;
/// let flying = Motion::translation(Pose::from_translation(DVec3::new(-5.0, 0.0, 0.0))?, DVec3::new(6.0, 0.0, 0.0))?;
/// let impact = time_of_impact(&ball, &flying, &ball, &Motion::still(Pose::IDENTITY)).unwrap();
/// // The core of a sphere is its centre.
/// assert_eq!(impact.evidence.as_slice(), [[0, 0]]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactPairs {
    count: usize,
    pairs: [[u32; 2]; ContactPairs::MOST],
}

impl ContactPairs {
    /// Capacity. In three dimensions, six points are enough to enclose another.
    const MOST: usize = 16;

    /// Builds the set from pairs, dropping duplicates; `None` if more than 16 remain. For restoring a stored answer.
    ///
    /// ```
    /// use clearance::answer::ContactPairs;
    /// assert_eq!(ContactPairs::of_pairs(&[[0, 1], [2, 3], [0, 1]]).unwrap().as_slice(), [[0, 1], [2, 3]]);
    /// assert!(ContactPairs::of_pairs(&[0, 1, 2].map(|k| [k; 2]).repeat(9)).is_some());
    /// assert!(ContactPairs::of_pairs(&(0..17).map(|k| [k; 2]).collect::<Vec<_>>()).is_none());
    /// ```
    #[must_use]
    pub fn of_pairs(pairs: &[[u32; 2]]) -> Option<ContactPairs> {
        let mut made = ContactPairs::default();
        pairs.iter().all(|&pair| made.add(pair)).then_some(made)
    }

    /// The pairs.
    #[must_use]
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.pairs[..self.count]
    }

    /// Adds a pair unless already present; false if the set is full.
    pub(crate) fn add(&mut self, pair: [u32; 2]) -> bool {
        if self.as_slice().contains(&pair) {
            return true;
        }
        if self.count == ContactPairs::MOST {
            return false;
        }
        self.pairs[self.count] = pair;
        self.count += 1;
        true
    }

    pub(crate) fn swapped(mut self) -> ContactPairs {
        self.pairs.iter_mut().for_each(|pair| pair.swap(0, 1));
        self
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for ContactPairs {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ContactPairs {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ContactPairs, D::Error> {
        let pairs = Vec::deserialize(deserializer)?;
        let refused = || serde::de::Error::custom(format!("a contact has at most {} pairs", ContactPairs::MOST));
        ContactPairs::of_pairs(&pairs).ok_or_else(refused)
    }
}

/// The first contact of two moving bodies.
///
/// Times are fractions of the step. The accuracy in time is that of the gap, about 1e-15 of the bodies' size and
/// distance, divided by their closing speed along `normal`; a grazing motion has a wide bracket.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::DVec3, time_of_impact};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let start = Pose::from_translation(DVec3::new(-10.0, 0.5, 0.25))?;
/// let flying = Motion::translation(start, DVec3::new(16.0, 0.0, 0.0))?;
/// let still = Motion::still(Pose::IDENTITY);
/// let impact = time_of_impact(&cube, &flying, &cube, &still).unwrap();
/// assert!(impact.time.contains(0.5) && impact.time.width() < 1e-13);
/// assert!(impact.touches);
/// assert_eq!(impact.normal, Some(DVec3::X));
/// impact.verify(&cube, &flying, &cube, &still).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Impact {
    /// The time of the first contact, as a fraction of the step. Before the lower end the real-number bodies are proved
    /// to be farther apart than the margin, by the supporting planes perpendicular to `normal`. By the upper end, at
    /// most 1, they are proved to have come within the margin (`touches`), or to be within margin plus `gap` at that
    /// time.
    pub time: Bracket,
    /// True if contact is proved. False if rounding leaves it open, because the motion grazes or starts or ends at the
    /// contact, or if the options ended the search early.
    pub touches: bool,
    /// Upper bound on the remaining distance to contact at `time.upper`, in world units. Zero if `touches`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub gap: f64,
    /// The margin that counts as contact, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// Bound on the distance of a placed vertex from its exact position at the contact, in world units; included in the
    /// bracket.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// The contact points, each in its body's local frame, with the part and the feature that contain them.
    pub witness: Witness,
    /// Unit vector from A towards B, in world coordinates; the supporting planes perpendicular to it prove the lower
    /// end of the time. `None` for bodies that intersect at the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// Whether the placed bodies have a point in common at the start (with a margin: are within it); touching counts.
    pub started_overlapping: bool,
    /// Proves the upper end of the time. Empty for bodies that are not polytopes with a radius.
    pub evidence: ContactPairs,
    /// Proves the upper end for all other bodies: a point of each core, in the frames of the two parts. At `time.upper`
    /// one of them lies in the other core, or their distance is at most the sum of radii, margin and `gap`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub deep: Option<[DVec3; 2]>,
    /// The algorithm used.
    pub algorithm: ImpactAlgorithm,
    /// Number of times at which the gap was evaluated.
    pub steps: u32,
}

impl Impact {
    /// The answer with A and B swapped.
    pub(crate) fn swapped(self) -> Impact {
        Impact {
            witness: self.witness.swapped(),
            normal: self.normal.map(|n| -n),
            evidence: self.evidence.swapped(),
            deep: self.deep.map(|[a, b]| [b, a]),
            ..self
        }
    }

    /// The answer scaled by a power of two. Times are unchanged.
    pub(crate) fn scaled(self, factor: f64) -> Impact {
        let up = |x: f64| {
            let scaled = x * factor;
            if scaled.is_normal() || x == 0.0 { scaled } else { scaled.next_up() }
        };
        Impact {
            gap: up(self.gap),
            margin: (self.margin * factor).min(LARGEST_MARGIN),
            placement: up(self.placement),
            witness: self.witness.scaled(factor),
            deep: self.deep.map(|points| points.map(|p| p * factor)),
            ..self
        }
    }
}

/// The answer that two moving bodies do not touch: they stay farther apart than a margin throughout the step. It can be
/// verified like any other answer.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, rigid_impact};
/// use clearance::answer::NoImpact;
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 30.0)?;
/// let post = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 2.2, 0.0))?);
/// let ball = Shape::sphere(0.1)?;
/// let none = rigid_impact(&bar, &spinning, &ball, &post).unwrap_err();
/// assert_eq!(none, NoImpact { margin: 0.0, until: 1.0 });
/// assert_eq!(none.verify(&bar, &spinning, &ball, &post), Ok(()));
/// // They do come within 0.1 of each other.
/// assert!(NoImpact { margin: 0.1, until: 1.0 }.verify(&bar, &spinning, &ball, &post).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NoImpact {
    /// The bodies stay farther apart than this, in world units. Zero or less: they have no common point.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// The claim holds before this time, a fraction of the step; 1 means throughout the step, end included.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub until: f64,
}

impl fmt::Display for NoImpact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.margin > 0.0 {
            write!(f, "no contact: the bodies stay more than {} apart until time {}", self.margin, self.until)
        } else {
            write!(f, "no contact until time {}", self.until)
        }
    }
}

impl std::error::Error for NoImpact {}
