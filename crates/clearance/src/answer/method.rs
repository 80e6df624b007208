/// Why a bracket is wider than the contract's accuracy. It is true all the same.
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::answer::{Method, Stopped};
/// use clearance::query::{DistanceOptions, distance_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let away = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(9.0, 2.0, 1.0))?;
/// let options = DistanceOptions { farther_than: Some(1.0), ..DistanceOptions::default() };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let answer = distance_with(&cube, &Pose::IDENTITY, &cube, &away, &options, &mut cache, &mut workspace);
/// assert_eq!(answer.method, Method::GjkStopped(Stopped::FartherThan(1.0)));
/// assert!(answer.gap.lower >= 1.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Stopped {
    /// The options asked for a bracket no narrower than this, in world units.
    Tolerance(#[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))] f64),
    /// The options asked only whether the bodies are farther apart than this, in world units: they are, and the
    /// lower end of the gap proves it.
    FartherThan(#[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))] f64),
    /// The work is capped: curved bodies deep in each other, and unions whose overlapping parts have no way out in
    /// common. Never for two convex polyhedra, with or without radii.
    Budget,
}

impl Stopped {
    /// The reason, where a search that was allowed to end early did so with this proved lower bound of the gap.
    pub(crate) fn reason(farther_than: f64, tolerance: f64, lower: f64) -> Stopped {
        if lower >= farther_than {
            Stopped::FartherThan(farther_than)
        } else if tolerance > 0.0 {
            Stopped::Tolerance(tolerance)
        } else {
            Stopped::Budget
        }
    }

    fn scaled(self, factor: f64) -> Stopped {
        match self {
            Stopped::Tolerance(tolerance) => Stopped::Tolerance(tolerance * factor),
            Stopped::FartherThan(distance) => Stopped::FartherThan(distance * factor),
            Stopped::Budget => Stopped::Budget,
        }
    }
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Method {
    /// Gilbert, Johnson and Keerthi's algorithm run to the accuracy of the contract, with the exact form of it where
    /// rounding left a question open. For balls, capsules and segments a formula finds the nearest points before the
    /// first step.
    Gjk,
    /// The same, ended early: the bracket is true but wider than the contract's.
    GjkStopped(Stopped),
    /// The expanding polytope run to the accuracy of the contract, with the exact form of it where rounding left it
    /// unfinished.
    Epa,
    /// The same, ended early: the bracket is true but wider than the contract's.
    EpaStopped(Stopped),
    /// Curved bodies: an approach by GJK or the expanding polytope, finished by Newton's method on the surfaces, to the
    /// accuracy of the contract.
    Newton,
    /// The same with a bracket wider than the contract's, though true.
    NewtonStopped(Stopped),
    /// A formula for the kinds of body at hand, to the accuracy of the contract.
    ClosedForm,
    /// Bodies made of parts: part against part, the nearest boxes first, to the accuracy of the contract.
    Parts,
    /// The same with a bracket wider than the contract's, though true.
    PartsStopped(Stopped),
    /// Two meshes: triangle against triangle, over two trees of boxes, to the accuracy of the contract.
    Mesh,
    /// The same with a bracket wider than the contract's, though true.
    MeshStopped(Stopped),
    /// Depth of solids: a way out that all triangles were tested for, and translations about the origin proved not to
    /// be one. The bracket is true and as wide as the options allow, see [`SolidDepth`](crate::answer::SolidDepth).
    Solids,
    /// Two solids: the columns under pairs of their triangles, summed with a bound on every rounding.
    Columns,
}

impl Method {
    /// Why the bracket is wider than the contract's accuracy; `None` where it is not.
    #[must_use]
    pub fn stopped(self) -> Option<Stopped> {
        match self {
            Method::GjkStopped(reason)
            | Method::EpaStopped(reason)
            | Method::NewtonStopped(reason)
            | Method::PartsStopped(reason)
            | Method::MeshStopped(reason) => Some(reason),
            Method::Gjk
            | Method::Epa
            | Method::Newton
            | Method::ClosedForm
            | Method::Parts
            | Method::Mesh
            | Method::Solids
            | Method::Columns => None,
        }
    }

    /// The method of the same search at another scale.
    pub(crate) fn scaled(self, factor: f64) -> Method {
        match self {
            Method::GjkStopped(reason) => Method::GjkStopped(reason.scaled(factor)),
            Method::EpaStopped(reason) => Method::EpaStopped(reason.scaled(factor)),
            Method::NewtonStopped(reason) => Method::NewtonStopped(reason.scaled(factor)),
            Method::PartsStopped(reason) => Method::PartsStopped(reason.scaled(factor)),
            Method::MeshStopped(reason) => Method::MeshStopped(reason.scaled(factor)),
            complete => complete,
        }
    }
}
