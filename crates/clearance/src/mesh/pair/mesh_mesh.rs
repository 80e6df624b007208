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
use crate::mesh::pair::boxes_apart::oriented_boxes_are_apart;
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

/// Two meshes in the order in which they are compared, and the map from B's points to A's.
#[derive(Clone, Copy)]
pub(crate) struct Ordered<'s> {
    a: (&'s Mesh, &'s Pose),
    b: &'s Mesh,
    swapped: bool,
    map: Placement,
}

impl<'s> Ordered<'s> {
    /// Two meshes, in any order.
    pub fn new((a, pose_a): (&'s Mesh, &'s Pose), (b, pose_b): (&'s Mesh, &'s Pose)) -> Ordered<'s> {
        let swapped = is_frame_b(PairKind::Meshes(a, b), mesh_order(a, pose_a, b, pose_b));
        let (a, pose_a, b, pose_b) = if swapped { (b, pose_b, a, pose_a) } else { (a, pose_a, b, pose_b) };
        let map = Placement::new(pose_a, a.surface().origin, pose_b, b.surface().origin);
        Ordered { a: (a, pose_a), b, swapped, map }
    }

    /// True if oriented boxes prove that the meshes are farther apart than a margin.
    pub fn are_apart(&self, margin: f64) -> bool {
        oriented_boxes_are_apart(self.a.0.surface(), self.b.surface(), &self.map, in_frame(&self.map, margin))
    }
}

impl<'s> From<Ordered<'s>> for Meshes<'s> {
    #[inline]
    fn from(Ordered { a: (a, pose_a), b, swapped, map }: Ordered<'s>) -> Meshes<'s> {
        let pair = MeshPair::new(a.surface(), b.surface(), map);
        Meshes { a, b, pose_a, swapped, pair, placement: map.bound(b.surface().radius) }
    }
}

impl<'s> Meshes<'s> {
    /// Two meshes, in any order.
    pub fn new(a: (&'s Mesh, &'s Pose), b: (&'s Mesh, &'s Pose)) -> Meshes<'s> {
        Ordered::new(a, b).into()
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
        in_frame(&self.pair.map, length)
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

fn in_frame(map: &Placement, length: f64) -> f64 {
    length * (1.0 + 2.0 * map.stretch + 16.0 * UNIT_ROUNDOFF)
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
