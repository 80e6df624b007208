/// Why a bracket is wider than the accuracy contract. It still contains the true value.
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
    /// The options allowed a bracket this wide, in world units.
    Tolerance(#[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))] f64),
    /// The options only asked whether the bodies are farther apart than this, in world units. They are: the lower end
    /// of the gap proves it.
    FartherThan(#[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))] f64),
    /// The work limit was reached: curved bodies deep inside each other, or unions whose overlapping parts have no
    /// common separating translation. Never for two convex polyhedra, with or without radii.
    Budget,
}

impl Stopped {
    /// The reason why a search that was allowed to end early did so with this proved lower bound on the gap.
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

/// How an answer was computed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Method {
    /// GJK (Gilbert, Johnson and Keerthi) run to the accuracy of the contract, in exact arithmetic where rounding left
    /// a decision open. For spheres, capsules and segments a closed form gives the closest points before the first
    /// step.
    Gjk,
    /// As above, but stopped early: the bracket is true but wider than the contract allows.
    GjkStopped(Stopped),
    /// Expanding polytope (EPA) run to the accuracy of the contract, in exact arithmetic where rounding left it
    /// unfinished.
    Epa,
    /// As above, but stopped early: the bracket is true but wider than the contract allows.
    EpaStopped(Stopped),
    /// Curved bodies: GJK or the expanding polytope first, then Newton's method on the surfaces, to the accuracy of the
    /// contract.
    Newton,
    /// As above, but stopped early: the bracket is true but wider than the contract allows.
    NewtonStopped(Stopped),
    /// A closed form for this pair of kinds, to the accuracy of the contract.
    ClosedForm,
    /// Bodies made of parts: part against part, nearest boxes first, to the accuracy of the contract.
    Parts,
    /// As above, but stopped early: the bracket is true but wider than the contract allows.
    PartsStopped(Stopped),
    /// Two meshes: triangle against triangle over two bounding volume hierarchies, to the accuracy of the contract.
    Mesh,
    /// As above, but stopped early: the bracket is true but wider than the contract allows.
    MeshStopped(Stopped),
    /// Depth of solids: a separating translation verified against all triangles, and a proof that no translation in a
    /// ball about the origin separates. The bracket is true and as wide as the options allow, see
    /// [`SolidDepth`](crate::answer::SolidDepth).
    Solids,
    /// Two solids: the columns under pairs of their triangles, summed with a bound on every rounding error.
    Columns,
}

impl Method {
    /// Why the bracket is wider than the accuracy contract; `None` if it is not.
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

    /// The method with its lengths scaled by a power of two.
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
