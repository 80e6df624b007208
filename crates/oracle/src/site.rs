//! Places on the surface of a core: the point, how it may slide, and which ball touches it from inside.
//!
//! All points and balls here lie in a body *for certain*: a place consists of exact parameters, and its point is in the
//! body whatever the parameters are, provided [`PlacedCore::contains`] confirms it. A well-chosen place affects only
//! the tightness of a bracket, never its truth.
//!
//! **Balls.** A ball of radius `rho` that touches the surface at `p` from inside, in the body's own frame, has a closed
//! form for each kind (at [`PlacedCore::inner_ball`]). The image of the body under `R` then contains a ball of radius
//! `rho * s_min^2 / s_max` that touches at the image of `p`, where `s` are the singular values of `R`. For the
//! pre-image of that world ball is an ellipsoid with semi-axes between `rho' / s_max` and `rho' / s_min`, whose radii
//! of curvature are at most `rho' s_max / s_min^2 = rho`, and by Blaschke's rolling theorem such a body lies in the
//! ball of radius `rho` that touches it where it touches the surface.
//!
//! **Pyramids.** Two edges, or a face and a point, span a facet of the difference `B - A`. With a point `q` of the
//! difference behind it they span a pyramid within the difference, and a ball that touches the facet from inside is
//! limited by the pyramid's other planes.
//!
//! **Rims.** A rim against a rim or an edge: see [`ball_at_rims`].

use crate::real::{self, Real, Vector};
use crate::shape::{Core, PlacedCore};

/// The part of a surface that a place is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A corner; the apex of a cone; the centre of a sphere.
    Vertex,
    /// A straight edge; the axis of a capsule.
    Edge,
    /// A flat face; the cap of a cylinder, the base of a cone.
    Face,
    /// The circle around a cap or a base.
    Rim,
    /// The curved side of a cylinder or a cone.
    Side,
    /// A point of an ellipsoid.
    Smooth,
    /// The plane of a half-space.
    Plane,
}

/// A point on the surface of a core, by exact parameters.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// `c0 + sum of weight k * (ck - c0)` over one to three corners.
    Corners { corners: Vec<[f64; 3]>, weights: Vec<Real> },
    /// On the circle at a height, in the direction `around`, which need not be unit.
    Rim { around: [Real; 2], height: f64 },
    /// On the straight line in the side, in the direction `around`: from the bottom (0) to the top (1) of a cylinder,
    /// from the apex (0) to the base (1) of a cone.
    Side { around: [Real; 2], fraction: Real },
    /// Within the circle at a height.
    Disk { at: [Real; 2], height: f64 },
    /// The point of an ellipsoid whose normal is along `direction`, of any length.
    Smooth { direction: Vector },
}

/// A ball inside the difference `B - A` next to a point `w` of it: its centre is `w + offset`.
pub(crate) struct InnerBall {
    pub(crate) offset: Vector,
    pub(crate) radius: Real,
}

/// A way in which a place may slide: the velocity, and for a circle the acceleration.
pub(crate) struct Slide {
    pub(crate) tangent: Vector,
    pub(crate) bend: Vector,
}

impl Place {
    /// A single corner.
    pub(crate) fn corner(corner: [f64; 3]) -> Place {
        Place::Corners { corners: vec![corner], weights: Vec::new() }
    }

    /// The part of the surface that the place is on.
    pub(crate) fn feature(&self) -> Feature {
        match self {
            Place::Corners { corners, .. } => [Feature::Vertex, Feature::Edge, Feature::Face][corners.len() - 1],
            Place::Rim { .. } => Feature::Rim,
            Place::Side { .. } => Feature::Side,
            Place::Disk { .. } => Feature::Face,
            Place::Smooth { .. } => Feature::Smooth,
        }
    }

    /// The place after sliding by `step` in the way of the given index.
    pub(crate) fn moved(&self, index: usize, step: f64, core: &Core) -> Place {
        let step = Real::from_f64(step);
        let mut place = self.clone();
        match &mut place {
            Place::Corners { weights, .. } => weights[index] = &weights[index] + &step,
            Place::Rim { around, .. } => {
                let radius = match core {
                    Core::Cylinder { radius, .. } | Core::Cone { radius, .. } => *radius,
                    _ => 1.0,
                };
                // An arc of `step`: `around / |around| + (step / radius) * tangent`. Only midpoints are used, so the
                // parameter is exact.
                let [x, y] = unit_in_plane(around);
                let arc = step.divided_by(&Real::from_f64(radius));
                *around = [(&x - &(&arc * &y)).midpoint(), (&y + &(&arc * &x)).midpoint()];
            }
            Place::Side { fraction, .. } => *fraction = &*fraction + &step,
            Place::Disk { at, .. } => at[index] = &at[index] + &step,
            Place::Smooth { .. } => {}
        }
        place
    }
}

fn unit_in_plane(around: &[Real; 2]) -> [Real; 2] {
    let length = (&(&around[0] * &around[0]) + &(&around[1] * &around[1])).sqrt();
    [around[0].divided_by(&length), around[1].divided_by(&length)]
}

/// The smaller of two non-negative numbers, as a proved lower bound.
fn least(limits: &[Real]) -> f64 {
    limits.iter().map(Real::positive_lower).fold(f64::INFINITY, f64::min)
}

impl PlacedCore {
    /// The point of a place, in the body's frame.
    pub(crate) fn point(&self, place: &Place) -> Vector {
        let number = Real::from_f64;
        let on_circle = |around: &[Real; 2], radius: &Real, height: Real| {
            let [x, y] = unit_in_plane(around);
            [&x * radius, &y * radius, height]
        };
        match (place, &self.core) {
            (Place::Corners { corners, weights }, _) => {
                let first = real::vector(corners[0]);
                corners[1..].iter().zip(weights).fold(first.clone(), |sum, (corner, weight)| {
                    real::add(&sum, &real::scale(&real::subtract(&real::vector(*corner), &first), weight))
                })
            }
            (Place::Rim { around, height }, Core::Cylinder { radius, .. } | Core::Cone { radius, .. }) => {
                on_circle(around, &number(*radius), number(*height))
            }
            (Place::Side { around, fraction }, Core::Cylinder { half_length, radius }) => {
                let height = &number(*half_length) * &(&fraction.twice() - &Real::one());
                on_circle(around, &number(*radius), height)
            }
            (Place::Side { around, fraction }, Core::Cone { half_length, radius }) => {
                let height = &number(*half_length) * &(&Real::one() - &fraction.twice());
                on_circle(around, &(&number(*radius) * fraction), height)
            }
            (Place::Disk { at, height }, _) => [at[0].clone(), at[1].clone(), number(*height)],
            (Place::Smooth { direction }, Core::Ellipsoid(semi_axes)) => {
                let stretched: Vector = std::array::from_fn(|axis| &direction[axis] * &number(semi_axes[axis]));
                let length = real::length(&stretched);
                std::array::from_fn(|axis| (&stretched[axis] * &number(semi_axes[axis])).divided_by(&length))
            }
            _ => unreachable!("a place of another kind of core"),
        }
    }

    /// Whether the point of the place is certainly in the body.
    pub(crate) fn contains(&self, place: &Place) -> bool {
        let not_negative = |value: &Real| value.bounds().0 >= 0.0;
        match (place, &self.core) {
            (Place::Corners { weights, .. }, _) => {
                let rest = weights.iter().fold(Real::one(), |rest, weight| &rest - weight);
                weights.iter().all(not_negative) && not_negative(&rest)
            }
            (Place::Side { fraction, .. }, _) => not_negative(fraction) && not_negative(&(&Real::one() - fraction)),
            (Place::Disk { at, .. }, Core::Cylinder { radius, .. } | Core::Cone { radius, .. }) => {
                let radius = Real::from_f64(*radius);
                let across = &(&at[0] * &at[0]) + &(&at[1] * &at[1]);
                not_negative(&(&(&radius * &radius) - &across))
            }
            _ => true,
        }
    }

    /// The ways in which a place may slide within the surface, in world axes.
    pub(crate) fn slides(&self, place: &Place) -> Vec<Slide> {
        let zero = || std::array::from_fn(|_| Real::zero());
        let straight = |tangent: Vector| Slide { tangent: self.turned(&tangent), bend: zero() };
        match (place, &self.core) {
            (Place::Corners { corners, .. }, _) => {
                let first = real::vector(corners[0]);
                let along = |corner: &[f64; 3]| straight(real::subtract(&real::vector(*corner), &first));
                corners[1..].iter().map(along).collect()
            }
            (Place::Rim { around, .. }, Core::Cylinder { radius, .. } | Core::Cone { radius, .. }) => {
                let [x, y] = unit_in_plane(around);
                let inward = Real::from_f64(-1.0).divided_by(&Real::from_f64(*radius));
                let bend = [&x * &inward, &y * &inward, Real::zero()];
                vec![Slide { tangent: self.turned(&[-&y, x, Real::zero()]), bend: self.turned(&bend) }]
            }
            (Place::Side { .. }, Core::Cylinder { half_length, .. }) => {
                vec![straight([Real::zero(), Real::zero(), Real::from_f64(*half_length).twice()])]
            }
            (Place::Side { around, .. }, Core::Cone { half_length, radius }) => {
                let [x, y] = unit_in_plane(around);
                let radius = Real::from_f64(*radius);
                vec![straight([&x * &radius, &y * &radius, -&Real::from_f64(*half_length).twice()])]
            }
            (Place::Disk { .. }, _) => {
                vec![straight(real::vector([1.0, 0.0, 0.0])), straight(real::vector([0.0, 1.0, 0.0]))]
            }
            _ => Vec::new(),
        }
    }

    /// A place where the support along `direction` (in the body's frame) is attained.
    pub(crate) fn support_place(&self, direction: &Vector) -> Place {
        let around = || {
            let around = [direction[0].midpoint(), direction[1].midpoint()];
            if around.iter().all(|part| part.to_f64() == 0.0) { [Real::one(), Real::zero()] } else { around }
        };
        match &self.core {
            Core::Points(points) => {
                let along = |point: &[f64; 3]| real::dot(direction, &real::vector(*point));
                let mut best = (along(&points[0]), points[0]);
                for point in &points[1..] {
                    let reach = along(point);
                    if best.0.midpoint_below(&reach) {
                        best = (reach, *point);
                    }
                }
                Place::corner(best.1)
            }
            Core::Cuboid(half_extents) => Place::corner(std::array::from_fn(|axis| {
                if direction[axis].to_f64() < 0.0 { -half_extents[axis] } else { half_extents[axis] }
            })),
            Core::Cylinder { half_length, .. } => {
                let height = if direction[2].to_f64() < 0.0 { -half_length } else { *half_length };
                Place::Rim { around: around(), height }
            }
            Core::Cone { half_length, radius } => {
                let across = (&(&direction[0] * &direction[0]) + &(&direction[1] * &direction[1])).sqrt();
                let apex = &direction[2] * &Real::from_f64(2.0 * half_length);
                if apex.midpoint_below(&(&across * &Real::from_f64(*radius))) {
                    Place::Rim { around: around(), height: -half_length }
                } else {
                    Place::corner([0.0, 0.0, *half_length])
                }
            }
            Core::Ellipsoid(_) => Place::Smooth { direction: std::array::from_fn(|axis| direction[axis].midpoint()) },
            Core::HalfSpace { .. } => unreachable!("the direction is that of the half-space"),
        }
    }

    /// The sum of the magnitudes of the entries of `R^T R - 1`, rounded up. It bounds the norm, so the squares of the
    /// singular values of `R` lie within `1 +- defect`.
    fn rigidity_defect(&self) -> f64 {
        let mut defect = Real::zero();
        let columns: [Vector; 3] = std::array::from_fn(|column| {
            let mut axis = real::vector([0.0; 3]);
            axis[column] = Real::one();
            self.turned(&axis)
        });
        for (index, one) in columns.iter().enumerate() {
            for (other_index, other) in columns.iter().enumerate() {
                let entry = real::dot(one, other);
                let entry = if index == other_index { &entry - &Real::one() } else { entry };
                defect = &defect + &entry.abs();
            }
        }
        defect.bounds().1
    }

    /// A lower bound on `s_min^2 / s_max` over the singular values of `R`: `(1 - e) / sqrt(1 + e) >= 1 - 2 e`.
    fn least_stretch(&self) -> f64 {
        (1.0 - 2.0 * self.rigidity_defect()).next_down().max(0.0)
    }

    /// A ball that lies in the body and touches its surface at the place: its radius and the unit outward normal there,
    /// both in the world. `None` if there is none, or if only a pyramid gives one.
    ///
    /// In the body's frame, with `p` the point:
    /// - face of a box: as far as the box extends on all sides, `min(h_normal, h_k - |p_k|)`;
    /// - side of a cylinder: `min(radius, distance to the caps)`; cap: `min(half the height, distance to the rim)`;
    /// - base of a cone, `q` from its axis: the centre `rho` above the base is `(2 h (r - q) - r rho) / s` from the
    ///   side, `s = sqrt(4 h^2 + r^2)`, so `rho = 2 h (r - q) / (s + r)`;
    /// - side of a cone, a fraction `f` of the way from the apex: the ball around a point of the axis that touches
    ///   along the circle through `p` has radius `f r s / (2 h)`, and smaller ones that touch at `p` lie in it; the
    ///   base is reached at `2 h (1 - f) s / (s + r)`;
    /// - ellipsoid: with the unit normal `n` at `p` and the support `k = |S n|`, the ball of radius `rho` around
    ///   `c = p - rho n` lies inside if `rho k <= s_min^2`: for then `|x - c|^2 - rho k (sum of x_i^2 / s_i^2 - 1)` is
    ///   convex and stationary at `p`, so no `x` of the surface is nearer to `c` than `p` is.
    pub(crate) fn inner_ball(&self, place: &Place) -> Option<(f64, Vector)> {
        let number = Real::from_f64;
        let from_axis = |at: &[Real; 2]| (&(&at[0] * &at[0]) + &(&at[1] * &at[1])).sqrt();
        let (radius, normal) = match (place, &self.core) {
            (Place::Corners { corners, .. }, Core::Cuboid(half_extents)) if corners.len() == 3 => {
                let same = |axis: &usize| corners.iter().all(|corner| corner[*axis] == corners[0][*axis]);
                let axis = (0..3).find(same)?;
                let point = self.point(place);
                let limits: [Real; 3] = std::array::from_fn(|k| {
                    let half = number(half_extents[k]);
                    if k == axis { half } else { &half - &point[k].abs() }
                });
                let mut normal = [0.0; 3];
                normal[axis] = corners[0][axis].signum();
                (least(&limits), real::vector(normal))
            }
            (Place::Side { around, fraction }, Core::Cylinder { half_length, radius }) => {
                let length = number(*half_length).twice();
                let limits = [number(*radius), &length * fraction, &length * &(&Real::one() - fraction)];
                (least(&limits), [around[0].clone(), around[1].clone(), Real::zero()])
            }
            (Place::Disk { at, height }, Core::Cylinder { half_length, radius }) => {
                let limits = [number(*half_length), &number(*radius) - &from_axis(at)];
                (least(&limits), real::vector([0.0, 0.0, height.signum()]))
            }
            (Place::Disk { at, .. }, Core::Cone { half_length, radius }) => {
                let (height, radius) = (number(*half_length).twice(), number(*radius));
                let slant = (&(&height * &height) + &(&radius * &radius)).sqrt();
                let limit = (&height * &(&radius - &from_axis(at))).divided_by(&(&slant + &radius));
                (least(&[limit]), real::vector([0.0, 0.0, -1.0]))
            }
            (Place::Side { around, fraction }, Core::Cone { half_length, radius }) => {
                let (height, radius) = (number(*half_length).twice(), number(*radius));
                let slant = (&(&height * &height) + &(&radius * &radius)).sqrt();
                let on_axis = (&(fraction * &radius) * &slant).divided_by(&height);
                let to_base = (&(&height * &(&Real::one() - fraction)) * &slant).divided_by(&(&slant + &radius));
                let [x, y] = unit_in_plane(around);
                (least(&[on_axis, to_base]), [&x * &height, &y * &height, radius])
            }
            (Place::Smooth { direction }, Core::Ellipsoid(semi_axes)) => {
                let smallest = number(semi_axes[0].min(semi_axes[1]).min(semi_axes[2]));
                let stretched: Vector = std::array::from_fn(|axis| &direction[axis] * &number(semi_axes[axis]));
                let reach = real::length(&stretched).divided_by(&real::length(direction));
                (least(&[(&smallest * &smallest).divided_by(&reach)]), direction.clone())
            }
            _ => return None,
        };
        let radius = (radius * self.least_stretch()).next_down();
        (radius > 0.0).then(|| (radius, self.world_normal(&normal)))
    }

    /// Points of the body far behind a surface whose outward normal in the body's frame is approximately `normal`: the
    /// farthest corner and the mean of the corners, or the origin, which every curved core contains.
    fn behind(&self, normal: &Vector) -> Vec<Vector> {
        let corners = match &self.core {
            Core::Points(points) => points.clone(),
            Core::Cuboid(_) | Core::Cylinder { .. } | Core::Cone { .. } | Core::Ellipsoid(_) => vec![[0.0; 3]],
            Core::HalfSpace { .. } => return Vec::new(),
        };
        if corners.len() == 1 {
            return vec![real::vector(corners[0])];
        }
        let sum = corners.iter().fold(real::vector([0.0; 3]), |sum, corner| real::add(&sum, &real::vector(*corner)));
        let share = Real::one().divided_by(&Real::from_f64(corners.len() as f64));
        let Place::Corners { corners: farthest, .. } = self.support_place(&real::negate(normal)) else {
            return vec![real::scale(&sum, &share)];
        };
        vec![real::vector(farthest[0]), real::scale(&sum, &share)]
    }
}

/// The ball in the difference `B - A` formed by a ball in each body, either of which may be missing.
pub(crate) fn ball_of_balls(a: &Option<(f64, Vector)>, b: &Option<(f64, Vector)>) -> Option<InnerBall> {
    let mut ball = InnerBall { offset: std::array::from_fn(|_| Real::zero()), radius: Real::zero() };
    for (part, sign) in [(a, 1.0), (b, -1.0)] {
        if let Some((radius, normal)) = part {
            ball.offset = real::add(&ball.offset, &real::scale(normal, &Real::from_f64(sign * radius)));
            ball.radius = &ball.radius + &Real::from_f64(*radius);
        }
    }
    (a.is_some() || b.is_some()).then_some(ball)
}

/// The ball that touches the facet of the difference `B - A` spanned by the places, from inside a pyramid over it.
/// `normal` is approximately the direction from A to B. `None` if the places span no facet, or nothing lies behind it.
pub(crate) fn ball_in_pyramid(
    a: (&PlacedCore, &Place),
    b: (&PlacedCore, &Place),
    normal: &Vector,
) -> Option<InnerBall> {
    let (point_a, point_b) = (a.0.point(a.1), b.0.point(b.1));
    // All relative to `w = b - a`.
    let from_a = |v: &Vector| a.0.turned(&real::subtract(&point_a, v));
    let from_b = |v: &Vector| b.0.turned(&real::subtract(v, &point_b));
    let corners = |place: &Place| match place {
        Place::Corners { corners, .. } => corners.iter().map(|corner| real::vector(*corner)).collect(),
        _ => Vec::new(),
    };
    let (corners_a, corners_b): (Vec<Vector>, Vec<Vector>) = (corners(a.1), corners(b.1));
    let base: Vec<Vector> = match (corners_a.len(), corners_b.len()) {
        (3, _) => corners_a.iter().map(from_a).collect(),
        (_, 3) => corners_b.iter().map(from_b).collect(),
        (2, 2) => {
            let (ends_a, ends_b) = (corners_a.iter().map(from_a), corners_b.iter().map(from_b));
            let (ends_a, ends_b): (Vec<Vector>, Vec<Vector>) = (ends_a.collect(), ends_b.collect());
            [(0, 0), (0, 1), (1, 1), (1, 0)].iter().map(|&(i, j)| real::add(&ends_a[i], &ends_b[j])).collect()
        }
        _ => return None,
    };
    let behind_a = a.0.behind(&a.0.body_direction(normal));
    let behind_b = b.0.behind(&b.0.body_direction(&real::negate(normal)));
    let candidates = behind_a.iter().map(from_a).flat_map(|one| {
        let beside = behind_b.iter().map(from_b).collect::<Vec<_>>();
        beside.into_iter().map(move |other| real::add(&one, &other))
    });
    let corners: Vec<[f64; 3]> = base.iter().map(real::rounded).collect();
    let (_, apex) = candidates
        .map(|apex| (rough_ball(&corners, real::rounded(&apex)), apex))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    pyramid_ball(&base, &apex)
}

/// How a rim or an edge curves away from its supporting plane at a place; see [`ball_at_rims`].
struct Germ {
    /// In world axes, along the rim or the edge.
    tangent: Vector,
    /// `phi(u) >= stiffness * (u . tangent)^2 / 2` for unit vectors `u`.
    stiffness: Real,
    /// An upper bound on `phi(u)` over unit vectors `u`.
    most: Real,
    /// For a rim, the columns of `R` across its axis times the radius.
    disk: Option<[Vector; 2]>,
}

impl PlacedCore {
    /// The germ of a rim or of an edge.
    ///
    /// With `p` the point and `h` the support function of the disk or the segment, `phi(u) = h(u) - p . u`.
    /// - Disk of radius `r`: `v` the part of `R^T u` in its plane, `v_x` along the radius to `p` and `v_t` across it,
    ///   then `phi = r (|v| - v_x) = r v_t^2 / (|v| + v_x) >= r v_t^2 / (2 |v|)`, `v_t = u . R t`, and `|v|` is at most
    ///   the largest singular value of `R`, `s <= 1 + defect`. At most `2 r s`.
    /// - Edge, `p` a fraction `f` along `e`: `phi = max((1 - f) e . u, -f e . u) >= g |e . u|`, `g` the lesser of `f`
    ///   and `1 - f`; and `|e . u| >= (e . u)^2 / |e|`. At most `|e|`.
    fn germ(&self, place: &Place) -> Option<Germ> {
        let number = Real::from_f64;
        let tangent = self.slides(place).into_iter().next()?.tangent;
        match (place, &self.core) {
            (Place::Rim { .. }, Core::Cylinder { radius, .. } | Core::Cone { radius, .. }) => {
                let largest = &Real::one() + &number(self.rigidity_defect());
                let radius = number(*radius);
                let column = |axis: [f64; 3]| real::scale(&self.turned(&real::vector(axis)), &radius);
                Some(Germ {
                    tangent,
                    stiffness: radius.divided_by(&largest),
                    most: &radius.twice() * &largest,
                    disk: Some([column([1.0, 0.0, 0.0]), column([0.0, 1.0, 0.0])]),
                })
            }
            (Place::Corners { corners, weights }, _) if corners.len() == 2 => {
                let length = real::length(&tangent);
                let lesser = least(&[weights[0].clone(), &Real::one() - &weights[0]]);
                let stiffness = number(lesser).twice().divided_by(&length);
                Some(Germ { tangent, stiffness, most: length, disk: None })
            }
            _ => None,
        }
    }
}

impl Germ {
    /// The width of the disk along a unit vector; zero for an edge across it.
    fn width(&self, n: &Vector) -> Real {
        let Some([x, y]) = &self.disk else {
            return Real::zero();
        };
        let (along_x, along_y) = (real::dot(x, n), real::dot(y, n));
        (&(&along_x * &along_x) + &(&along_y * &along_y)).sqrt().twice()
    }
}

/// The ball that touches the difference `B - A` at the places, one on a rim and the other on a rim or an edge.
///
/// Let `D` be the difference of the disks or segments alone, `N` its outward unit normal at `w` (perpendicular to both
/// tangents), and `phi(u) = h(u) - w . u` for unit `u` at the angle `t` from `N`. `phi` is sublinear, not negative, and
/// zero at `N`. The ball of radius `rho` around `w - rho N` lies in `D` if `phi(u) >= rho (1 - cos t)` for all `u`.
///
/// - By the germs, `phi(u) >= m sin^2 t / 2`, with `m` the least eigenvalue of their quadratic forms perpendicular to
///   `N`. Where `cos t >= 0`, `1 - cos t <= sin^2 t`: `rho <= m / 2` suffices.
/// - Where `cos t = -c < 0`, `phi(u) >= 2 rho` suffices. With `v` the unit vector perpendicular to `N` in the plane of
///   `u`, `u + c N = v sin t`, so `phi(u) >= phi(v) sin t >= (m / 2) sin t`. And `-c N = u - v sin t`, so
///   `phi(u) >= c F - M sin t`, with `F = phi(-N)` the width of `D` along `N`, and `M` an upper bound on `phi`. The
///   larger of the two is least where they are equal, at `tan t = F / (M + m / 2)`: `rho = (m / 4) sin t` for that `t`.
pub(crate) fn ball_at_rims(a: (&PlacedCore, &Place), b: (&PlacedCore, &Place), normal: &Vector) -> Option<InnerBall> {
    let (germ_a, germ_b) = (a.0.germ(a.1)?, b.0.germ(b.1)?);
    let across = real::unit(&real::cross(&germ_a.tangent, &germ_b.tangent));
    // From A to B is into the difference.
    let side = real::dot(&across, normal).certain_sign()?;
    let inward = if side > 0 { across } else { real::negate(&across) };
    // `w` is where the difference is supported: the rims lie on the side of their contacts.
    for (core, place, n) in [(a.0, a.1, inward.clone()), (b.0, b.1, real::negate(&inward))] {
        if let Place::Rim { around, .. } = place {
            let [x, y, _] = core.body_direction(&n);
            let along = &(&x * &around[0]) + &(&y * &around[1]);
            if along.certain_sign() != Some(1) {
                return None;
            }
        }
    }
    let square = |germ: &Germ| &germ.stiffness * &real::dot(&germ.tangent, &germ.tangent);
    let (square_a, square_b) = (square(&germ_a), square(&germ_b));
    let mixed = real::dot(&germ_a.tangent, &germ_b.tangent);
    let trace = &square_a + &square_b;
    let determinant = &(&square_a * &square_b) - &(&(&germ_a.stiffness * &germ_b.stiffness) * &(&mixed * &mixed));
    let root = (&(&trace * &trace) - &determinant.twice().twice()).sqrt();
    let least_eigenvalue = determinant.twice().divided_by(&(&trace + &root));
    let half = Real::from_f64(0.5);
    let width = &germ_a.width(&inward) + &germ_b.width(&inward);
    let most = &(&germ_a.most + &germ_b.most) + &(&least_eigenvalue * &half);
    let sine = width.divided_by(&(&(&width * &width) + &(&most * &most)).sqrt());
    let radius = least(&[&(&(&least_eigenvalue * &sine) * &half) * &half]);
    let number = Real::from_f64;
    (radius > 0.0).then(|| InnerBall { offset: real::scale(&inward, &number(radius)), radius: number(radius) })
}

/// The radius of the ball that touches the base at the origin and the plane through an edge of the base and the apex:
/// with `m` the outward normal of the plane, `n` that of the base and `d` the distance of the plane, the ball around
/// `-rho n` extends to `rho - rho (m . n)` along `m`, so `rho = d / (1 - m . n)`.
fn pyramid_ball(base: &[Vector], apex: &Vector) -> Option<InnerBall> {
    let normal = real::cross(&real::subtract(&base[1], &base[0]), &real::subtract(&base[2], &base[0]));
    let side = real::dot(&normal, &real::subtract(apex, &base[0])).certain_sign()?;
    let outward = real::unit(&if side > 0 { real::negate(&normal) } else { normal });
    let mut limits = Vec::with_capacity(base.len());
    for (index, start) in base.iter().enumerate() {
        let end = &base[(index + 1) % base.len()];
        let opposite = &base[(index + 2) % base.len()];
        let plane = real::cross(&real::subtract(end, start), &real::subtract(apex, start));
        let side = real::dot(&plane, &real::subtract(opposite, start)).certain_sign()?;
        let plane = real::unit(&if side > 0 { real::negate(&plane) } else { plane });
        let distance = real::dot(&plane, start);
        limits.push(distance.divided_by(&(&Real::one() - &real::dot(&plane, &outward))));
    }
    let radius = least(&limits);
    let number = Real::from_f64;
    (radius > 0.0).then(|| InnerBall { offset: real::scale(&outward, &number(-radius)), radius: number(radius) })
}

/// The same radius in doubles, for choosing among apexes; negative if there is none.
fn rough_ball(base: &[[f64; 3]], apex: [f64; 3]) -> f64 {
    let subtract = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let away_from = |v: [f64; 3], inside: [f64; 3]| {
        let length = dot(v, v).sqrt().copysign(-dot(v, inside));
        v.map(|x| x / length)
    };
    let outward = away_from(cross(subtract(base[1], base[0]), subtract(base[2], base[0])), subtract(apex, base[0]));
    let mut radius = f64::INFINITY;
    for (index, &start) in base.iter().enumerate() {
        let (end, opposite) = (base[(index + 1) % base.len()], base[(index + 2) % base.len()]);
        let plane = away_from(cross(subtract(end, start), subtract(apex, start)), subtract(opposite, start));
        let limit = dot(plane, start) / (1.0 - dot(plane, outward));
        radius = if limit.is_finite() { radius.min(limit) } else { -1.0 };
    }
    radius
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random_rotation;
    use crate::random::Random;
    use crate::shape::OraclePose;

    /// A matrix that is a rotation up to rounding, or visibly not one.
    fn pose(random: &mut Random) -> OraclePose {
        let mut rotation = random_rotation(random);
        if random.coin() {
            for entry in rotation.as_flattened_mut() {
                *entry += random.uniform(-0.01, 0.01);
            }
        }
        OraclePose { rotation, translation: random.in_cube(1.0) }
    }

    /// Asserts that a ball lies in a convex body: it does not extend beyond it along any direction. Along the normal at
    /// the contact it extends exactly as far, to 70 digits.
    fn lies_inside(
        support: impl Fn(&Vector) -> Real,
        centre: &Vector,
        radius: &Real,
        normal: &Vector,
        random: &mut Random,
    ) {
        let beyond = |n: &Vector| &(&real::dot(n, centre) + radius) - &support(n);
        assert!(beyond(normal).abs().bounds().1 < 1e-70, "the ball does not touch");
        let within = |n: &Vector| assert!(beyond(n).bounds().0 <= 0.0, "beyond by {:e}", beyond(n).to_f64());
        for round in 0..40 {
            within(&real::unit(&real::vector(random.direction())));
            // Closer and closer to the contact, where too small a curvature of the ball shows.
            let spread = 2.0 * 0.6_f64.powi(round);
            let aside = real::vector(random.direction().map(|x| x * spread));
            within(&real::unit(&real::add(normal, &aside)));
        }
    }

    fn places(random: &mut Random) -> Vec<(Core, Place)> {
        let number = Real::from_f64;
        let (half_length, radius) = (random.scale(-4, 0), random.scale(-4, 0));
        let fraction = || number(0.375);
        let direction = random.direction();
        let around = || [number(direction[0]), number(direction[1])];
        let at = || [number(direction[0] * radius), number(direction[1] * radius)];
        let half_extents: [f64; 3] = std::array::from_fn(|_| random.scale(-4, 0));
        let [x, y, z] = half_extents;
        let face = vec![[x, y, z], [x, -y, z], [x, y, -z]];
        vec![
            (Core::Cylinder { half_length, radius }, Place::Side { around: around(), fraction: fraction() }),
            (Core::Cylinder { half_length, radius }, Place::Disk { at: at(), height: -half_length }),
            (Core::Cone { half_length, radius }, Place::Side { around: around(), fraction: fraction() }),
            (Core::Cone { half_length, radius }, Place::Disk { at: at(), height: -half_length }),
            (Core::Ellipsoid(half_extents), Place::Smooth { direction: real::vector(direction) }),
            (Core::Cuboid(half_extents), Place::Corners { corners: face, weights: vec![number(0.25), number(0.5)] }),
        ]
    }

    #[test]
    fn balls_lie_in_their_bodies_and_touch() {
        let random = &mut Random::new(21);
        for _ in 0..40 {
            for (core, place) in places(random) {
                let body = PlacedCore::new(core, &pose(random));
                assert!(body.contains(&place));
                let (radius, normal) = body.inner_ball(&place).expect("a ball");
                let radius = Real::from_f64(radius);
                let contact = real::add(&body.turned(&body.point(&place)), &body.translation);
                let centre = real::subtract(&contact, &real::scale(&normal, &radius));
                lies_inside(|n| body.support(n), &centre, &radius, &normal, random);
            }
        }
    }

    #[test]
    fn balls_of_rigid_bodies_are_the_largest_possible() {
        let number = Real::from_f64;
        let radius = |core: Core, place: Place| {
            PlacedCore::new(core, &OraclePose::IDENTITY).inner_ball(&place).map(|(radius, _)| radius)
        };
        let close = |radius: Option<f64>, expected: f64| (radius.unwrap() - expected).abs() < 1e-15 * expected;
        let around = || [number(0.0), number(-2.0)];
        let side = || Place::Side { around: around(), fraction: number(0.5) };
        let cylinder = Core::Cylinder { half_length: 2.0, radius: 1.0 };
        assert!(close(radius(cylinder, side()), 1.0));
        // Height 4, radius 3, slant 5. On the axis: 1.5 * 5 / 4 = 1.875; the base: 2 * 5 / 8 = 1.25.
        let cone = || Core::Cone { half_length: 2.0, radius: 3.0 };
        assert!(close(radius(cone(), side()), 1.25));
        // The inscribed ball: the same from the middle of the base, 4 * 3 / 8.
        let base = Place::Disk { at: [Real::zero(), Real::zero()], height: -2.0 };
        assert!(close(radius(cone(), base), 1.5));
        let tip = Place::Smooth { direction: real::vector([1.0, 0.0, 0.0]) };
        assert!(close(radius(Core::Ellipsoid([4.0, 1.0, 2.0]), tip), 0.25));
        assert_eq!(radius(Core::Ellipsoid([1.0; 3]), Place::corner([0.0; 3])), None);
    }

    #[test]
    fn balls_of_pyramids_lie_in_the_difference_and_touch() {
        let random = &mut Random::new(22);
        let mut found = [0; 2];
        for round in 0..200 {
            let points = |count: usize, random: &mut Random| (0..count).map(|_| random.in_ball()).collect::<Vec<_>>();
            let (corners_a, corners_b) = (points(4, random), points(4 - round % 2, random));
            // An edge of each, or a face and a corner: of random tetrahedra, and triangles for B.
            let edges = round % 4 < 2;
            let taken = if edges { [2, 2] } else { [3, 1] };
            let place = |corners: &[[f64; 3]], count: usize| Place::Corners {
                corners: corners[..count].to_vec(),
                weights: (1..count).map(|_| Real::from_f64(0.3)).collect(),
            };
            let (place_a, place_b) = (place(&corners_a, taken[0]), place(&corners_b, taken[1]));
            let (a, b) = (
                PlacedCore::new(Core::Points(corners_a), &pose(random)),
                PlacedCore::new(Core::Points(corners_b), &pose(random)),
            );
            let (slides_a, slides_b) = (a.slides(&place_a), b.slides(&place_b));
            let other = if edges { &slides_b[0].tangent } else { &slides_a[1].tangent };
            let normal = real::unit(&real::cross(&slides_a[0].tangent, other));
            let world =
                |core: &PlacedCore, place: &Place| real::add(&core.turned(&core.point(place)), &core.translation);
            let w = real::subtract(&world(&b, &place_b), &world(&a, &place_a));
            let support = |n: &Vector| &b.support(n) + &a.support(&real::negate(n));
            for normal in [real::negate(&normal), normal] {
                let Some(ball) = ball_in_pyramid((&a, &place_a), (&b, &place_b), &normal) else {
                    continue;
                };
                let centre = real::add(&w, &ball.offset);
                let outward = real::negate(&real::unit(&ball.offset));
                // If the facet is one of the difference, the ball touches its surface; otherwise it is still inside.
                if (&support(&outward) - &real::dot(&outward, &w)).abs().bounds().1 < 1e-60 {
                    found[usize::from(edges)] += 1;
                    lies_inside(support, &centre, &ball.radius, &outward, random);
                } else {
                    for _ in 0..20 {
                        let n = real::vector(random.direction());
                        let reach = &real::dot(&n, &centre) + &(&ball.radius * &real::length(&n));
                        assert!((&reach - &support(&n)).bounds().0 <= 0.0);
                    }
                }
            }
        }
        assert!(found[0] > 20 && found[1] > 5, "{found:?}");
    }

    #[test]
    fn balls_at_rims_lie_in_the_difference_and_touch() {
        let random = &mut Random::new(24);
        let mut found = 0;
        for round in 0..200 {
            let a = PlacedCore::new(Core::Cylinder { half_length: 0.5, radius: random.scale(-3, 1) }, &pose(random));
            let b = match round % 3 {
                0 => Core::Cone { half_length: random.scale(-3, 1), radius: random.scale(-3, 1) },
                1 => Core::Cylinder { half_length: random.scale(-3, 1), radius: random.scale(-3, 1) },
                _ => Core::Points(vec![random.in_ball(), random.in_ball()]),
            };
            let b = PlacedCore::new(b, &pose(random));
            let direction = real::vector(random.direction());
            let (n, place_b) = if let Core::Points(ends) = &b.core {
                let weights = vec![Real::from_f64(random.uniform(0.1, 0.9))];
                let place = Place::Corners { corners: ends.clone(), weights };
                (real::unit(&real::cross(&direction, &b.slides(&place)[0].tangent)), place)
            } else {
                (direction.clone(), b.support_place(&b.body_direction(&real::negate(&direction))))
            };
            let place_a = a.support_place(&a.body_direction(&n));
            let Some(ball) = ball_at_rims((&a, &place_a), (&b, &place_b), &n) else {
                assert_eq!(place_b.feature(), Feature::Vertex);
                continue;
            };
            found += 1;
            let world =
                |core: &PlacedCore, place: &Place| real::add(&core.turned(&core.point(place)), &core.translation);
            let w = real::subtract(&world(&b, &place_b), &world(&a, &place_a));
            let support = |n: &Vector| &b.support(n) + &a.support(&real::negate(n));
            let outward = real::negate(&real::unit(&ball.offset));
            lies_inside(support, &real::add(&w, &ball.offset), &ball.radius, &outward, random);
        }
        assert!(found > 150, "{found}");
    }

    #[test]
    fn support_places_attain_the_support() {
        let random = &mut Random::new(23);
        let cores = [
            Core::Cylinder { half_length: 0.5, radius: 2.0 },
            Core::Cone { half_length: 1.5, radius: 1.0 },
            Core::Ellipsoid([1.0, 0.25, 3.0]),
            Core::Cuboid([1.0, 0.25, 3.0]),
            Core::Points((0..9).map(|_| random.in_ball()).collect()),
        ];
        for core in cores {
            let body = PlacedCore::new(core, &pose(random));
            for _ in 0..50 {
                let n = real::vector(random.direction());
                let place = body.support_place(&body.body_direction(&n));
                let point = real::add(&body.turned(&body.point(&place)), &body.translation);
                assert!((&real::dot(&n, &point) - &body.support(&n)).abs().bounds().1 < 1e-70);
            }
        }
    }
}
