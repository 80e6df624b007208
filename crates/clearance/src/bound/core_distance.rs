//! A proved lower bound of the distance of two cores: points, segments, triangles, rectangles, in any combination.
//!
//! After Larsen, Gottschalk, Lin, Manocha, *Fast Proximity Queries with Swept Sphere Volumes* (TR99-018, 1999), who
//! find the distance of two rectangles from the 16 pairs of their edges and, where none attains it, from corners over
//! faces. Departs from the paper in two places:
//! - one routine serves every pair of cores, as each is a list of corners, of edges, and perhaps a face. Edges beyond
//!   which the other core does not reach are skipped: they attain no distance;
//! - the nearest points found only give a direction; the result is the gap of the two cores along it. So rounding, or a
//!   pair of points that is not the nearest, makes the result smaller, never too large.

use glam::DVec3;

use crate::math::tolerances::FLAT_FACE;

/// A convex core of at most four corners: a point, a segment, a triangle or a rectangle, by their number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    corners: [DVec3; 4],
    count: usize,
}

impl Core {
    pub fn point(p: DVec3) -> Core {
        Core { corners: [p; 4], count: 1 }
    }

    pub fn segment(p: DVec3, q: DVec3) -> Core {
        Core { corners: [p, q, p, p], count: 2 }
    }

    /// The rectangle about a centre, with half edges at right angles.
    pub fn rectangle(center: DVec3, half: [DVec3; 2]) -> Core {
        let (sum, difference) = (half[0] + half[1], half[0] - half[1]);
        Core { corners: [center + sum, center - difference, center - sum, center + difference], count: 4 }
    }

    /// The core with its corners moved.
    pub fn map(&self, place: impl Fn(DVec3) -> DVec3) -> Core {
        let mut moved = *self;
        for corner in &mut moved.corners[..self.count] {
            *corner = place(*corner);
        }
        moved
    }

    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn has_face(&self) -> bool {
        self.count > 2
    }

    fn edge_count(&self) -> usize {
        if self.count > 2 { self.count } else { 1 }
    }

    /// From a corner to the next; that of a point is the point.
    fn edge(&self, k: usize) -> [DVec3; 2] {
        [self.corners[k], self.corners[if k + 1 == self.count { 0 } else { k + 1 }]]
    }

    /// The largest product of a corner with a direction.
    fn support(&self, direction: DVec3) -> f64 {
        self.corners().iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Where the corners of another core lie relative to the edges of one.
struct Sides {
    /// Bit `k`: some corner is beyond edge `k`, in the plane's outward direction.
    edges: u8,
    /// Bit `j`: corner `j` is beyond none of the edges, so it is over the face.
    over: u8,
    normal: DVec3,
}

impl Sides {
    fn new(face: &Core, other: &Core) -> Sides {
        let (along, across) = (face.corners[1] - face.corners[0], face.corners[2] - face.corners[1]);
        let normal = along.cross(across);
        let longest = along.length_squared().max(across.length_squared());
        if !face.has_face() || normal.length_squared() <= FLAT_FACE * longest * longest {
            return Sides { edges: (1 << face.edge_count()) - 1, over: 0, normal: DVec3::ZERO };
        }
        let (mut edges, mut over) = (0, (1 << other.count) - 1);
        for k in 0..face.count {
            let [p, q] = face.edge(k);
            let outward = (q - p).cross(normal);
            let limit = outward.dot(p);
            for (j, corner) in other.corners().iter().enumerate() {
                if outward.dot(*corner) > limit {
                    edges |= 1 << k;
                    over &= !(1 << j);
                }
            }
        }
        Sides { edges, over, normal }
    }
}

/// The candidate for the shortest vector from A to B.
struct Shortest {
    vector: DVec3,
    squared: f64,
}

impl Shortest {
    fn try_vector(&mut self, vector: DVec3) {
        let squared = vector.length_squared();
        if squared < self.squared {
            *self = Shortest { vector, squared };
        }
    }
}

/// A lower bound of the distance of two cores in one frame, zero where they meet; rounding is left to the caller's
/// slack.
pub(super) fn distance_below(a: &Core, b: &Core) -> f64 {
    let mut shortest = Shortest { vector: DVec3::ZERO, squared: f64::INFINITY };
    if a.count == 1 && b.count == 1 {
        return (b.corners[0] - a.corners[0]).length();
    }
    let (of_a, of_b) = (Sides::new(a, b), Sides::new(b, a));
    for i in (0..a.edge_count()).filter(|i| of_a.edges >> i & 1 == 1) {
        for j in (0..b.edge_count()).filter(|j| of_b.edges >> j & 1 == 1) {
            shortest.try_vector(between_segments(a.edge(i), b.edge(j)));
        }
    }
    for (face, sides, other, sign) in [(a, &of_a, b, 1.0), (b, &of_b, a, -1.0)] {
        let squared = sides.normal.length_squared();
        if squared == 0.0 {
            continue;
        }
        for j in (0..other.count).filter(|j| sides.over >> j & 1 == 1) {
            let height = sides.normal.dot(other.corners[j] - face.corners[0]) / squared;
            shortest.try_vector(sides.normal * (sign * height));
        }
    }
    // From the direction alone: the length has no digits where the cores meet.
    let Some(normal) = shortest.vector.try_normalize() else { return 0.0 };
    (-b.support(-normal) - a.support(normal)).max(0.0)
}

/// The shortest vector from one segment to another, either of which may be a point.
fn between_segments([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> DVec3 {
    let (d, e, r) = (p_end - p, q_end - q, q - p);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let (dr, er) = (d.dot(r), e.dot(r));
    let clamped = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
    let determinant = dd * ee - de * de;
    let s = if determinant > 0.0 { clamped((dr * ee - er * de) / determinant) } else { 0.0 };
    let t = clamped((de * s - er) / ee);
    let s = clamped((de * t + dr) / dd);
    r + e * t - d * s
}
