//! Oriented boxes.
//!
//! Gottschalk, Lin, Manocha, *OBBTree: A Hierarchical Structure for Rapid Interference Detection* (SIGGRAPH 1996): a
//! box along the principal axes of what it encloses ([`axes`](super::axes)), and the test of two boxes by the 15
//! directions that can separate them: 3 normals of faces of the first, 3 of the second, 9 cross products of edges.
//! Departs from the paper in that the user's tolerance is replaced by a proved slack, which also covers nearly parallel
//! edges, whose cross product has no digits: there, too, `false` is proved.

use glam::{DMat3, DVec3};

use super::axes::principal_axes;
use super::extent::rounded_up_length;
use super::sealed::Sealed;
use super::{Bound, Fit, RelativePose, longest_first, turned_back};
use crate::error::Error;
use crate::math::eigen::frame;
use crate::math::pose::Pose;
use crate::math::tolerances::{BOUND_FIT, BOUND_MERGE, CROSS_ROUND_UP, LEAST_CROSS, ROUND_UP};

/// A box along axes of its own, closed: the points `p` with `|axis · (p - center)| <= half` for each of the three axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Orthogonal unit vectors, within a few roundings.
    axes: DMat3,
    center: DVec3,
    /// Half the extents along the axes.
    half: DVec3,
}

impl Obb {
    /// The box at a pose, of the given half extents; zero makes a rectangle, a segment or a point.
    ///
    /// The axes are those of the pose, made orthogonal within rounding where it has a rigidity defect.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], and [`Error::NotPositive`] for a negative half extent.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3, index::Obb};
    /// let upright = Pose::from_axis_angle(DVec3::Z, 0.5, DVec3::ZERO)?;
    /// let plate = Obb::new(&upright, DVec3::new(2.0, 1.0, 0.0))?;
    /// assert_eq!(plate.half_extents(), DVec3::new(2.0, 1.0, 0.0));
    /// assert!(Obb::new(&upright, DVec3::NEG_ONE).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn new(pose: &Pose, half_extents: DVec3) -> Result<Obb, Error> {
        crate::error::check_components("half extent", half_extents)?;
        if let Some(value) = half_extents.to_array().into_iter().find(|&value| value < 0.0) {
            return Err(Error::NotPositive { what: "half extent", value });
        }
        let r = pose.rotation();
        Ok(Obb { axes: frame(r.x_axis, r.y_axis), center: pose.translation(), half: half_extents })
    }

    /// The centre.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The directions of the edges, orthogonal unit vectors as columns.
    #[must_use]
    pub fn rotation(&self) -> DMat3 {
        self.axes
    }

    /// Half the lengths of the edges.
    #[must_use]
    pub fn half_extents(&self) -> DVec3 {
        self.half
    }

    /// The box with every face moved outward by a margin, rounded outward. The margin counts for
    /// [`Bound::reach`](super::Bound::reach) too.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3, index::Obb};
    /// let plate = Obb::new(&Pose::IDENTITY, DVec3::new(2.0, 1.0, 0.0))?.widened(0.5);
    /// assert!(plate.half_extents().z >= 0.5 && plate.half_extents().z < 0.5 + 1e-15);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn widened(&self, margin: f64) -> Obb {
        Obb { half: (self.half + DVec3::splat(margin.max(0.0))) * ROUND_UP, ..*self }
    }

    /// The smallest box along orthogonal axes about the points, each face moved outward by `off` times their largest
    /// distance from the origin.
    fn along(axes: DMat3, points: &[DVec3], off: f64) -> Obb {
        let (mut low, mut high, mut size) = (DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ZERO);
        for &p in points {
            let q = turned_back(&axes, p);
            low = low.min(q);
            high = high.max(q);
            size = size.max(p.abs());
        }
        if points.is_empty() {
            (low, high) = (DVec3::ZERO, DVec3::ZERO);
        }
        let off = off * rounded_up_length(size);
        Obb { axes, center: axes * (0.5 * low + 0.5 * high), half: 0.5 * (high - low) + DVec3::splat(off) }
    }

    /// The eight corners, rounded.
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            self.center + self.axes * (self.half * DVec3::new(sign(0), sign(1), sign(2)))
        })
    }

    /// The vector between the centres and the axes of B, both in the axes of A.
    #[inline(always)]
    fn relative(&self, b: &Obb, pose: &RelativePose) -> (DVec3, [DVec3; 3]) {
        let apart = pose.rotation * b.center + pose.translation - self.center;
        let column = |axis: DVec3| turned_back(&self.axes, pose.rotation * axis);
        let columns = [column(b.axes.x_axis), column(b.axes.y_axis), column(b.axes.z_axis)];
        (turned_back(&self.axes, apart), columns)
    }
}

/// The gap along the cross product of axis `i` of A and axis `j` of B, from the vector between the centres, the axes of
/// B in the axes of A and their absolute values. It is to be divided by the length of the cross product.
#[inline(always)]
fn edge_gap(i: usize, j: usize, t: DVec3, (r, abs): (&[DVec3; 3], &[DVec3; 3]), half_a: DVec3, half_b: DVec3) -> f64 {
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
    let apart = (t[i2] * r[j][i1] - t[i1] * r[j][i2]).abs();
    let of_a = half_a[i1] * abs[j][i2] + half_a[i2] * abs[j][i1];
    let of_b = half_b[j1] * abs[j2][i] + half_b[j2] * abs[j1][i];
    apart - (of_a + of_b)
}

impl Sealed for Obb {}

impl Bound for Obb {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], how: Fit) -> Obb {
        Obb::along(principal_axes(corners, how), corners, BOUND_FIT)
    }

    /// About the corners of both, along the axes of the one, of the other, or of the corners, whichever is smallest.
    fn merge(a: &Obb, b: &Obb) -> Obb {
        let mut corners = [DVec3::ZERO; 16];
        corners[..8].copy_from_slice(&a.corners());
        corners[8..].copy_from_slice(&b.corners());
        let own = principal_axes(&corners, Fit::Vertices);
        let boxes = [a.axes, b.axes, own].map(|axes| Obb::along(axes, &corners, BOUND_MERGE));
        boxes.into_iter().min_by(|p, q| p.surface().total_cmp(&q.surface())).unwrap_or(boxes[0])
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    /// By 15 axes, until one separates.
    fn overlaps(&self, b: &Obb, pose: &RelativePose) -> bool {
        let (t, r) = self.relative(b, pose);
        let abs = r.map(DVec3::abs);
        let (half_a, half_b) = (self.half, b.half);
        let slack = pose.slack;
        let faces_of_a = t.abs() - half_a - (abs[0] * half_b.x + abs[1] * half_b.y + abs[2] * half_b.z);
        if faces_of_a.max_element() > slack {
            return false;
        }
        for j in 0..3 {
            if r[j].dot(t).abs() - (half_b[j] + abs[j].dot(half_a)) > slack {
                return false;
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                if edge_gap(i, j, t, (&r, &abs), half_a, half_b) > slack {
                    return false;
                }
            }
        }
        true
    }

    /// The largest of 11 bounds: the distance of each box from the other one's box along its axes, and the gaps along
    /// the cross products of edges.
    fn distance_below(&self, b: &Obb, pose: &RelativePose) -> f64 {
        let (t, r) = self.relative(b, pose);
        let abs = r.map(DVec3::abs);
        let (half_a, half_b) = (self.half, b.half);
        let faces_of_a = t.abs() - half_a - (abs[0] * half_b.x + abs[1] * half_b.y + abs[2] * half_b.z);
        let along_b = DVec3::new(r[0].dot(t), r[1].dot(t), r[2].dot(t)).abs();
        let of_a = DVec3::new(abs[0].dot(half_a), abs[1].dot(half_a), abs[2].dot(half_a));
        let faces_of_b = along_b - half_b - of_a;
        let squared = |gaps: DVec3| gaps.max(DVec3::ZERO).length_squared();
        let mut best = squared(faces_of_a).max(squared(faces_of_b)).sqrt() - pose.slack;
        for i in 0..3 {
            for j in 0..3 {
                let gap = edge_gap(i, j, t, (&r, &abs), half_a, half_b) - pose.slack;
                let (p, q) = (r[j][(i + 1) % 3], r[j][(i + 2) % 3]);
                let length = p * p + q * q;
                // A division only where it may matter: the cross product is no longer than 1.
                if gap > 0.0 && length > LEAST_CROSS && gap * gap > best.max(0.0) * best * length {
                    best = best.max(gap / (length.sqrt() * CROSS_ROUND_UP));
                }
            }
        }
        best.max(0.0)
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        let m = &self.axes;
        Some(longest_first(self.half, [m.x_axis, m.y_axis, m.z_axis]))
    }

    fn volume(&self) -> f64 {
        8.0 * self.half.element_product()
    }

    fn surface(&self) -> f64 {
        let h = self.half;
        8.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
    }

    fn longest(&self) -> f64 {
        2.0 * self.half.max_element()
    }

    fn support(&self, direction: DVec3) -> f64 {
        let size = (rounded_up_length(self.center) + rounded_up_length(self.half)) * rounded_up_length(direction);
        self.center.dot(direction) + self.half.dot(turned_back(&self.axes, direction).abs()) + BOUND_MERGE * size
    }

    fn reach(&self) -> f64 {
        (rounded_up_length(self.center) + rounded_up_length(self.half)) * (1.0 + BOUND_MERGE)
    }
}
