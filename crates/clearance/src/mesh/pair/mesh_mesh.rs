//! Queries about two meshes. See [`crate::pair`].

use glam::DVec3;

use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::pair::cache::PairCache;
use crate::geom::triangle_triangle::{Crossing, Feature3, triangles_cross};
use crate::math::bracket::Bracket;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, CONTACT_POINT, UNIT_ROUNDOFF};
use crate::mesh::containment::contained_point;
use crate::mesh::pair::search::{MeshPair, NearestOptions, NearestTriangles, TriangleSearch};
use crate::shape::{Feature, Mesh, PairKind, Surface, is_frame_b, mesh_order};

/// Two meshes; A is the later one in the total order of bodies.
pub(crate) struct Meshes<'s> {
    pub a: &'s Mesh,
    pub b: &'s Mesh,
    pub pose_a: &'s Pose,
    /// The caller's A is our B.
    pub swapped: bool,
    pub pair: MeshPair<'s>,
    pub placement: f64,
}

impl<'s> Meshes<'s> {
    /// Two meshes, in any order.
    pub fn new((a, pose_a): (&'s Mesh, &'s Pose), (b, pose_b): (&'s Mesh, &'s Pose)) -> Meshes<'s> {
        let swapped = is_frame_b(PairKind::Meshes(a, b), mesh_order(a, pose_a, b, pose_b));
        let (a, pose_a, b, pose_b) = if swapped { (b, pose_b, a, pose_a) } else { (a, pose_a, b, pose_b) };
        let map = Placement::new(pose_a, a.surface().origin, pose_b, b.surface().origin);
        let pair = MeshPair::new(a.surface(), b.surface(), map);
        Meshes { a, b, pose_a, swapped, pair, placement: map.bound(b.surface().radius) }
    }

    /// `L` of the contract.
    fn scale(&self) -> f64 {
        self.pair.a.diameter + self.pair.b.diameter + self.pair.map.separation
    }

    /// Turns a bound of the placed pair into one of the real-number bodies.
    fn lower(&self, gap: f64) -> f64 {
        let gap = gap - self.placement;
        gap - gap.abs() * (self.pair.map.stretch + 4.0 * UNIT_ROUNDOFF)
    }

    fn upper(&self, gap: f64) -> f64 {
        let gap = gap + self.placement;
        gap + gap.abs() * (self.pair.map.stretch + 4.0 * UNIT_ROUNDOFF)
    }

    /// A length in the frame of A that is at least the given world length.
    pub fn in_frame(&self, length: f64) -> f64 {
        length * (1.0 + 2.0 * self.pair.map.stretch + 16.0 * UNIT_ROUNDOFF)
    }

    /// See [`distance`](crate::distance()).
    pub fn distance(
        &self,
        options: &DistanceOptions,
        cache: &mut PairCache,
        search: &mut impl TriangleSearch,
    ) -> Distance {
        let enough = options.farther_than.filter(|d| !d.is_nan()).map(|d| {
            // "Farther than zero" needs a nonzero bound, also where placement adds nothing.
            self.in_frame(d.max(0.0) + self.placement).max(f64::MIN_POSITIVE)
        });
        let limits = NearestOptions {
            tolerance: options.tolerance.max(0.0),
            relative: options.relative_tolerance.clamp(0.0, 1.0),
            within: enough,
            ..Default::default()
        };
        let nearest = search.nearest(&self.pair, self.start(cache), &limits);
        cache.store_triangles([nearest.a, nearest.b], self.swapped);
        let crossing = || triangles_cross(&self.pair.a.corners(nearest.a), &self.pair.placed(nearest.b));
        let answer = if nearest.gap.value == 0.0
            && let Some(crossing) = crossing()
        {
            self.meeting(nearest.a, nearest.b, &crossing)
        } else if let Some(point) = self.contained_point(search) {
            self.common(point, [nearest.a, nearest.b], [Feature::Interior; 2])
        } else {
            self.apart(&nearest, options)
        };
        if self.swapped { answer.swapped() } else { answer }
    }

    /// The triangles to start from, if cached.
    fn start(&self, cache: &PairCache) -> Option<[u32; 2]> {
        let counts = [self.pair.a.triangles.len(), self.pair.b.triangles.len()];
        cache.triangles(counts, self.swapped)
    }

    pub fn apart(&self, nearest: &NearestTriangles, options: &DistanceOptions) -> Distance {
        let gap = &nearest.gap;
        let lower = self.lower(nearest.lower).max(0.0);
        let upper = self.upper(gap.upper);
        let complete = upper - lower <= (ACCURACY + self.pose_a.defect()) * self.scale();
        let normal = (self.pose_a.inverse_rotation().transpose() * gap.direction).normalize();
        Distance {
            gap: Bracket { value: gap.value.max(f64::MIN_POSITIVE).max(lower).min(upper), lower, upper },
            placement: self.placement,
            method: if complete { Method::Mesh } else { Method::MeshStopped(options.why_stopped([lower, upper])) },
            witness: Witness {
                a: WitnessPoint {
                    point: self.in_a(gap.point_a),
                    part: self.pair.a.ids[nearest.a as usize],
                    feature: feature(self.pair.a, nearest.a, gap.on_a),
                },
                b: WitnessPoint {
                    point: self.in_b(gap.point_b, nearest.b, gap.on_b),
                    part: self.pair.b.ids[nearest.b as usize],
                    feature: feature(self.pair.b, nearest.b, gap.on_b),
                },
            },
            normal: Some(normal),
        }
    }

    /// The answer for two triangles that meet.
    pub fn meeting(&self, slot_a: u32, slot_b: u32, crossing: &Crossing) -> Distance {
        let features = [feature(self.pair.a, slot_a, crossing.on_a[0]), feature(self.pair.b, slot_b, crossing.on_b[0])];
        self.common(crossing.ends[0], [slot_a, slot_b], features)
    }

    /// The answer for bodies with a common point, given in the frame of A's points.
    fn common(&self, point: DVec3, [slot_a, slot_b]: [u32; 2], [feature_a, feature_b]: [Feature; 2]) -> Distance {
        let reach = 2.0 * (self.pair.a.radius + self.pair.b.radius) + self.pair.map.separation;
        let stretch = self.pair.map.stretch;
        Distance {
            gap: Bracket {
                value: 0.0,
                lower: 0.0,
                upper: (self.placement + CONTACT_POINT * reach) * (1.0 + stretch + 8.0 * UNIT_ROUNDOFF),
            },
            placement: self.placement,
            method: Method::Mesh,
            witness: Witness {
                a: WitnessPoint { point: self.in_a(point), part: self.pair.a.ids[slot_a as usize], feature: feature_a },
                b: WitnessPoint { point: self.back(point), part: self.pair.b.ids[slot_b as usize], feature: feature_b },
            },
            normal: None,
        }
    }

    pub fn in_a(&self, point: DVec3) -> DVec3 {
        point + self.pair.a.origin
    }

    /// Maps a point from the frame of A's points to B's own frame.
    pub fn back(&self, point: DVec3) -> DVec3 {
        let map = &self.pair.map;
        map.rotation.inverse() * (point - map.translation) + self.pair.b.origin
    }

    /// A point of a triangle of B, in B's own frame: bit-equal to a corner where it is one.
    fn in_b(&self, point: DVec3, slot: u32, on: Feature3) -> DVec3 {
        match on {
            Feature3::Vertex(k) => self.pair.b.corners(slot)[usize::from(k)] + self.pair.b.origin,
            _ => self.back(point),
        }
    }

    /// For bodies whose surfaces do not meet: a point, in the frame of A's points, of one that lies in the other.
    fn contained_point(&self, search: &impl TriangleSearch) -> Option<DVec3> {
        contained_point(search.level(), self.a, self.b, &self.pair)
    }

    /// See [`intersects`](crate::intersects()).
    pub fn intersects(
        &self,
        options: &IntersectsOptions,
        cache: &mut PairCache,
        search: &mut impl TriangleSearch,
    ) -> bool {
        if options.margin > 0.0 {
            // The traversal's bounds concern the placed pair, so a bound beyond the margin decides.
            let limits = NearestOptions { enough: options.margin, within: Some(options.margin), ..Default::default() };
            let nearest = search.nearest(&self.pair, self.start(cache), &limits);
            cache.store_triangles([nearest.a, nearest.b], self.swapped);
            return nearest.gap.value <= options.margin || self.contained_point(search).is_some();
        }
        match search.first(&self.pair, self.start(cache)) {
            Some(triangles) => {
                cache.store_triangles(triangles, self.swapped);
                true
            }
            None => self.contained_point(search).is_some(),
        }
    }
}

/// True if the boxes of two meshes are farther apart than `margin`. False is inconclusive.
///
/// The axes are the line between the box centres, then those of Gottschalk, Lin and Manocha, *OBBTree* (1996): the
/// sides of both boxes and their cross products. As for bounding spheres, the test is coarse enough that rounding does
/// not matter: `1e-9` of the sizes and `1e-12` of the coordinates are far above the errors of rounding and placement,
/// and rigidity defects, by which the columns of the matrices deviate from orthonormal, are counted several times. Axes
/// are no longer than 1 up to the defect, so a slack in lengths is one of gaps along them; for nearly parallel sides
/// the axis is short, the slack is not, and nothing is concluded.
#[inline]
pub(crate) fn boxes_are_apart((a, pose_a): (&Mesh, &Pose), (b, pose_b): (&Mesh, &Pose), margin: f64) -> bool {
    let boxed = |mesh: &Mesh, pose: &Pose| {
        let surface = mesh.surface();
        let (center, half) = (surface.origin + surface.bounds.center(), 0.5 * surface.bounds.size());
        (pose.rotation() * center + pose.translation(), half, center.abs().max_element())
    };
    let ((center_a, half_a, size_a), (center_b, half_b, size_b)) = (boxed(a, pose_a), boxed(b, pose_b));
    let (turn_a, turn_b) = (pose_a.rotation(), pose_b.rotation());
    let between = center_b - center_a;
    let coordinates = (center_a.abs() + center_b.abs()).element_sum() + 3.0 * (size_a + size_b);
    let sizes = (half_a + half_b).element_sum() + margin;
    let defect = pose_a.defect() + pose_b.defect();
    // The smallest number covers underflow.
    let slack = margin + sizes * (1e-9 + 8.0 * defect) + coordinates * (1e-12 + 8.0 * defect) + f64::MIN_POSITIVE;
    // Along the sides of either box.
    let along_a = DVec3::new(between.dot(turn_a.x_axis), between.dot(turn_a.y_axis), between.dot(turn_a.z_axis));
    let along_b = DVec3::new(between.dot(turn_b.x_axis), between.dot(turn_b.y_axis), between.dot(turn_b.z_axis));
    let reach = half_a.dot(along_a.abs()) + half_b.dot(along_b.abs());
    let square = between.dot(between);
    // The vector between the centres is not of unit length: both sides of this inequality are scaled by it.
    if square > reach && (square - reach) * (square - reach) > slack * slack * square * (1.0 + 1e-9) {
        return true;
    }
    // Row `i`, column `j`: side `i` of A by side `j` of B.
    let row = |side: DVec3| DVec3::new(side.dot(turn_b.x_axis), side.dot(turn_b.y_axis), side.dot(turn_b.z_axis));
    let rows = [row(turn_a.x_axis), row(turn_a.y_axis), row(turn_a.z_axis)];
    let sizes = [rows[0].abs(), rows[1].abs(), rows[2].abs()];
    let reach_of_b = DVec3::new(sizes[0].dot(half_b), sizes[1].dot(half_b), sizes[2].dot(half_b));
    let reach_of_a = sizes[0] * half_a.x + sizes[1] * half_a.y + sizes[2] * half_a.z;
    let gap_a = along_a.abs() - half_a - reach_of_b;
    let gap_b = along_b.abs() - half_b - reach_of_a;
    if gap_a.max(gap_b).max_element() > slack {
        return true;
    }
    for i in 0..3 {
        let (next, last) = ((i + 1) % 3, (i + 2) % 3);
        // Along the products of side `i` of A with the three of B.
        let apart = (rows[next] * along_a[last] - rows[last] * along_a[next]).abs();
        let of_a = sizes[last] * half_a[next] + sizes[next] * half_a[last];
        let size = sizes[i];
        let of_b = DVec3::new(
            size.z * half_b.y + size.y * half_b.z,
            size.x * half_b.z + size.z * half_b.x,
            size.y * half_b.x + size.x * half_b.y,
        );
        if (apart - of_a - of_b).max_element() > slack {
            return true;
        }
    }
    false
}

/// A feature of a triangle, as one of its mesh.
pub(crate) fn feature(surface: &Surface, slot: u32, on: Feature3) -> Feature {
    let id = surface.ids[slot as usize];
    match on {
        Feature3::Vertex(k) => Feature::Vertex(surface.triangles[slot as usize][usize::from(k)]),
        Feature3::Edge(k) => Feature::Edge(3 * id + u32::from(k)),
        Feature3::Face => Feature::Face(id),
    }
}
