//! Spheres inside a solid and extreme points of a surface: a quick proof that two bodies meet deeply.
//!
//! A traversal over triangles has to find two that cross, and where a part with many small triangles is deep inside
//! another, most of them cross nothing. But then a sphere inside one contains a point of the other, or meets a sphere
//! inside it. These are the inner spheres of Weller and Zachmann, *Inner Sphere Trees for Proximity and Penetration
//! Queries* (2009); here they are few and not in a tree, since they need not fill the body: what they leave undecided
//! goes to the triangles.
//!
//! Two solids with a common inner point meet: if their surfaces do not cross, one lies inside the other. The same holds
//! for a surface and a solid that contains one of its points.

use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Shape, signed_distance};

use crate::robot::Ball;

/// The most spheres in a solid.
const BALLS: usize = 16;

/// The most surface points.
const TIPS: usize = 32;

/// The approximate number of candidate sphere centres in the bounding box of a solid.
const TRIED: f64 = 1500.0;

/// Spheres are shrunk by this factor: far more than poses stretch lengths, a millionth.
const SMALLER: f64 = 1.0 - 1e-3;

/// A sphere whose centre is closer to that of a larger one than this fraction of its radius adds little.
const BESIDE: f64 = 0.6;

/// Error bound of a distance, relative to the coordinates and sizes that enter. Single precision, with `u = 2⁻²⁴`:
/// stored positions and the map are off by `u` each, three products and sums by `4u`, differences by `u`, along three
/// axes and for both positions; squares, their sum and that of the radii by `6u` of the distance: less than `32u`. And
/// the transpose of a pose's matrix is its inverse up to the rigidity defect, a millionth: `17u`.
const OFF: f32 = 128.0 / 16_777_216.0;

/// Spheres in structure-of-arrays layout: coordinates axis by axis, radii. Unused entries have negative radii.
#[derive(Clone, Copy, Debug)]
struct Row<const N: usize> {
    centres: [[f32; N]; 3],
    radii: [f32; N],
}

impl<const N: usize> Row<N> {
    const NONE: Row<N> = Row { centres: [[0.0; N]; 3], radii: [f32::NEG_INFINITY; N] };

    fn set(&mut self, place: usize, ball: Ball) {
        for axis in 0..3 {
            self.centres[axis][place] = ball.centre[axis] as f32;
        }
        self.radii[place] = (ball.radius as f32).next_down();
    }

    /// In another frame.
    #[inline]
    fn placed(&self, columns: &[[f32; 3]; 3], translation: [f32; 3]) -> Row<N> {
        let mut placed = *self;
        for axis in 0..3 {
            for k in 0..N {
                let [x, y, z] = [self.centres[0][k], self.centres[1][k], self.centres[2][k]];
                placed.centres[axis][k] =
                    (columns[0][axis] * x + columns[1][axis] * y) + (columns[2][axis] * z + translation[axis]);
            }
        }
        placed
    }

    /// Whether some sphere is closer to the given one than the sum of their radii. NaN counts as no.
    #[inline]
    fn meets(&self, centre: [f32; 3], radius: f32) -> bool {
        let mut meets = false;
        for k in 0..N {
            let (x, y, z) =
                (self.centres[0][k] - centre[0], self.centres[1][k] - centre[1], self.centres[2][k] - centre[2]);
            let reach = (self.radii[k] + radius).max(0.0);
            meets |= (x * x + y * y) + z * z < reach * reach;
        }
        meets
    }
}

/// What is known to be inside a mesh, in its frame, relative to the centre of its box.
#[derive(Clone, Debug)]
pub(crate) struct InnerBalls {
    middle: DVec3,
    /// Bound on the magnitude of coordinates and radii.
    size: f32,
    /// Set for solids only; the largest first.
    balls: Row<BALLS>,
    count: usize,
    /// Points of the surface, as spheres of radius zero.
    tips: Row<TIPS>,
}

impl InnerBalls {
    /// `outermost` are extreme vertices of the mesh, `low` and `high` the corners of its box.
    pub fn new(mesh: &Mesh, (low, high): (DVec3, DVec3), outermost: &[DVec3]) -> InnerBalls {
        let (middle, size) = (0.5 * (low + high), (0.5 * (high - low)).max_element() as f32 * 1.001);
        let mut known = InnerBalls { middle, size, balls: Row::NONE, count: 0, tips: Row::NONE };
        // Sizes whose squares overflow or vanish in single precision.
        if !(1e-12..1e12).contains(&size) {
            return known;
        }
        if mesh.is_solid() {
            for ball in balls_in(&Shape::Mesh(mesh.clone()), low, high) {
                known.balls.set(known.count, Ball { centre: ball.centre - middle, ..ball });
                known.count += 1;
            }
        }
        for (place, tip) in spread(outermost, middle).into_iter().enumerate() {
            known.tips.set(place, Ball { centre: tip - middle, radius: 0.0 });
        }
        known
    }

    /// True if two bodies are shown to meet, deeper than any rounding could undo. False is inconclusive.
    pub fn meet(&self, pose: &Pose, other: &InnerBalls, pose_of_other: &Pose) -> bool {
        if self.count == 0 && other.count == 0 {
            return false;
        }
        // From the frame of the other to this one; the rigidity defect of the pose is covered by the shrunk radii.
        let back = pose.rotation().transpose();
        let turn = back * pose_of_other.rotation();
        let between = back * (pose_of_other.transform_point(other.middle) - pose.transform_point(self.middle));
        let columns = [turn.x_axis, turn.y_axis, turn.z_axis].map(|column| column.as_vec3().to_array());
        let translation = between.as_vec3().to_array();
        // World positions are rounded in double precision.
        let far = (pose.translation().abs() + pose_of_other.translation().abs()).element_sum();
        let slack = OFF * (2.0 * (self.size + other.size) + between.abs().element_sum() as f32) + 1e-12 * far as f32;
        let placed = (other.balls.placed(&columns, translation), other.tips.placed(&columns, translation));
        let each = |row: &Row<BALLS>, count: usize, meets: &dyn Fn([f32; 3], f32) -> bool| {
            (0..count).any(|k| {
                let centre = [row.centres[0][k], row.centres[1][k], row.centres[2][k]];
                meets(centre, row.radii[k] - slack)
            })
        };
        each(&self.balls, self.count, &|centre, radius| {
            placed.0.meets(centre, radius) || placed.1.meets(centre, radius)
        }) || each(&placed.0, other.count, &|centre, radius| self.tips.meets(centre, radius))
    }
}

/// Spheres in a solid: about points of a grid, as large as possible, the largest first and each apart from the others.
fn balls_in(solid: &Shape, low: DVec3, high: DVec3) -> Vec<Ball> {
    let size = high - low;
    let step = (size.x * size.y * size.z / TRIED).cbrt();
    if !(step > 0.0 && step.is_finite()) {
        return Vec::new();
    }
    let counts = size.to_array().map(|side| (side / step).ceil().clamp(1.0, 64.0) as usize);
    let mut found = Vec::new();
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let part = |place: usize, count: usize| (place as f64 + 0.5) / count as f64;
                let part = DVec3::new(part(x, counts[0]), part(y, counts[1]), part(z, counts[2]));
                let centre = low + part * size;
                let radius = -signed_distance(solid, &Pose::IDENTITY, centre).distance.upper * SMALLER;
                if radius > 0.0 && radius.is_finite() {
                    found.push(Ball { centre, radius });
                }
            }
        }
    }
    // Ties keep the order of the grid.
    found.sort_by(|one, other| other.radius.total_cmp(&one.radius));
    let mut chosen: Vec<Ball> = Vec::new();
    for ball in found {
        if chosen.iter().all(|other| other.centre.distance(ball.centre) > BESIDE * other.radius) {
            chosen.push(ball);
            if chosen.len() == BALLS {
                break;
            }
        }
    }
    chosen
}

/// Some of the points, each the farthest from those before it; the first is the farthest from `from`.
fn spread(points: &[DVec3], from: DVec3) -> Vec<DVec3> {
    let mut chosen = Vec::new();
    let mut distances: Vec<f64> = points.iter().map(|point| point.distance_squared(from)).collect();
    while chosen.len() < TIPS {
        let farthest = (0..points.len()).fold(None, |best: Option<usize>, point| match best {
            Some(best) if distances[best] >= distances[point] => Some(best),
            _ => Some(point),
        });
        let Some(farthest) = farthest.filter(|&farthest| chosen.is_empty() || distances[farthest] > 0.0) else { break };
        let place = points[farthest];
        let first = chosen.is_empty();
        chosen.push(place);
        for (distance, point) in distances.iter_mut().zip(points) {
            let near = point.distance_squared(place);
            *distance = if first { near } else { distance.min(near) };
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::intersects;

    /// A box as a mesh.
    fn solid_box(half: DVec3) -> Mesh {
        let (points, triangles) = clearance_oracle::lists::cuboid((-half).to_array(), half.to_array());
        Mesh::new(&points, &triangles).unwrap().solid().unwrap()
    }

    fn known_of(mesh: &Mesh, half: DVec3) -> InnerBalls {
        let points: Vec<DVec3> = mesh.points().collect();
        InnerBalls::new(mesh, (-half, half), &points)
    }

    #[test]
    fn what_is_seen_to_meet_does() {
        let halves = [DVec3::new(1.0, 0.3, 0.2), DVec3::new(0.4, 0.5, 0.6)];
        let meshes = halves.map(solid_box);
        let known = [known_of(&meshes[0], halves[0]), known_of(&meshes[1], halves[1])];
        assert!(known.iter().all(|known| known.count > 3));
        let shapes = meshes.map(Shape::Mesh);
        let mut random = crate::random::Random::new(3);
        let (mut met, mut seen) = (0, 0);
        for _ in 0..2000 {
            let mut number = || 2.0 * random.unit() - 1.0;
            let axis = DVec3::new(number(), number(), number()) + DVec3::splat(1e-3);
            let pose = Pose::from_axis_angle(axis, 3.0 * number(), DVec3::new(number(), number(), number())).unwrap();
            let meet = intersects(&shapes[0], &Pose::IDENTITY, &shapes[1], &pose);
            let by_balls = known[0].meet(&Pose::IDENTITY, &known[1], &pose);
            let other_way = known[1].meet(&pose, &known[0], &Pose::IDENTITY);
            assert!(meet || !by_balls && !other_way, "{pose:?}");
            met += u32::from(meet);
            seen += u32::from(by_balls);
        }
        assert!(met > 400 && 3 * seen > met, "{seen} of {met}");
    }

    #[test]
    fn surfaces_have_no_inside() {
        let half = DVec3::ONE;
        let solid = solid_box(half);
        let points: Vec<[f64; 3]> = solid.points().map(|point| point.to_array()).collect();
        let surface = Mesh::new(&points, &solid.triangles()).unwrap();
        let known = known_of(&surface, half);
        assert_eq!(known.count, 0);
        assert!(!known.meet(&Pose::IDENTITY, &known, &Pose::IDENTITY));
        // A corner of the surface inside the solid.
        let moved = Pose::from_translation(DVec3::splat(0.9)).unwrap();
        assert!(known.meet(&moved, &known_of(&solid, half), &Pose::IDENTITY));
    }
}
