//! Proves lower bounds of depths: by a point of one core deep in the other, or by a polytope of points of the
//! difference `B - A` that contains the origin.

use glam::DVec3;

use crate::geom::closest::closest_on_triangle;
use crate::geom::hull::convex_hull;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::predicates::orient3d;
use crate::math::tolerances::{
    SECOND_ORDER, UNIT_ROUNDOFF, VERIFY_ARC_HALVINGS, VERIFY_ARC_PIECES, VERIFY_POLYTOPE_FACES, VERIFY_POLYTOPE_ROUNDS,
};
use crate::verify::body::Part;
use crate::verify::curved::Round;
use crate::verify::refusal::Refusal;
use crate::verify::truth::Truth;

impl Truth {
    /// The depth is at least the distance from the origin to the surface of the polytope of these differences, plus the
    /// radii.
    pub(crate) fn check_polytope(&self, claimed: f64, pairs: &[[u32; 2]]) -> Result<(), Refusal> {
        let mut differences = Differences { truth: self, pairs: Vec::new(), points: Vec::with_capacity(pairs.len()) };
        for &[a, b] in pairs {
            let (Some(&a), Some(&b)) = (self.a.vertices.get(a as usize), self.b.vertices.get(b as usize)) else {
                return Err(Refusal::NoNumber { field: "evidence" });
            };
            differences.points.push(self.b.world(b) - self.a.world(a));
        }
        let least = differences.faces().map(|faces| faces.depth());
        let proved = least.map_or(DoubleDouble::from(f64::INFINITY), |least| -(least + self.radii()));
        let holds = proved <= DoubleDouble::from(claimed);
        if holds { Ok(()) } else { Err(Refusal::Upper { claimed, proved: proved.to_f64() }) }
    }

    /// The depth is at least `claimed`, which is positive: by two core points below the given surface points, or by a
    /// polytope about the origin.
    pub(crate) fn check_depth(
        &self,
        claimed: f64,
        point_a: DVec3,
        point_b: DVec3,
        normal: DVec3,
    ) -> Result<(), Refusal> {
        if self.check_upper_along(-claimed, point_a, point_b, normal).is_ok() {
            return Ok(());
        }
        self.check_deep(claimed, self.a.core_below(point_a, normal), self.b.core_below(point_b, -normal))
    }

    /// The depth is at least `claimed`: by one of two core points that lies deep in the other core, or by a polytope
    /// about the origin.
    pub(crate) fn check_deep(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        let wanted = DoubleDouble::from(claimed) - self.radii();
        let by_points = self.a.depth_of(point_a, &self.b, point_b).max(self.b.depth_of(point_b, &self.a, point_a));
        if DoubleDouble::from(by_points - self.rounding) >= wanted {
            return Ok(());
        }
        if self.a.is_about(&self.b, wanted) || self.b.is_about(&self.a, wanted) {
            return Ok(());
        }
        let mut differences = Differences { truth: self, pairs: Vec::new(), points: Vec::new() };
        for k in 0..27i32 {
            let direction = DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
            differences.add_farthest(direction);
        }
        let mut proved = f64::NEG_INFINITY;
        for _ in 0..VERIFY_POLYTOPE_ROUNDS {
            let mut grown = false;
            match differences.faces() {
                Some(faces) => {
                    let depth = faces.depth();
                    if depth >= wanted {
                        return Ok(());
                    }
                    proved = (depth + self.radii()).to_f64();
                    // Curved bodies produce ever more faces: only the nearest are pushed out, and the rounds are
                    // limited.
                    for normal in faces.nearer_than(wanted).take(VERIFY_POLYTOPE_FACES) {
                        grown |= differences.add_farthest(normal);
                    }
                }
                None => {
                    let normal = differences.normal_of_flat();
                    grown |= differences.add_farthest(normal);
                    grown |= differences.add_farthest(-normal);
                }
            }
            if !grown {
                break;
            }
        }
        Err(Refusal::Lower { claimed, proved })
    }
}

impl Part {
    /// Least ratio of a vector's world length to its length in this frame: the defect `e` bounds `RᵀR - I`, so the
    /// ratio is at least `√(1 - e)`, which is above `1 - e (1 + e) / 2`. Includes a few roundings.
    fn shrunk(&self) -> f64 {
        1.0 - 0.5 * self.defect() * (1.0 + self.defect()) - 8.0 * UNIT_ROUNDOFF
    }

    /// A lower bound on the depth of a core point of another part in this core, in the world; `own` is a point of this
    /// surface near it.
    fn depth_of(&self, own: DVec3, other: &Part, point: DVec3) -> f64 {
        let world = other.nearest(point, 0.0).project(other.world(point));
        let local = self.own(world);
        // The effect of rounding and of the rigidity defect is measured.
        let off = (world - self.world(local)).length().to_f64();
        let depth = match &self.round {
            Some(round) => round.depth_of(local, own),
            None if self.solid && self.triangles.iter().all(|t| self.is_below(t, local)) => self.room_about(local),
            None => return f64::NEG_INFINITY,
        };
        depth * self.shrunk() - off
    }
}

impl Part {
    /// Whether this is a cylinder or cone in which the other core is deeper than `wanted`, using all points of the
    /// other core at once: for a small body next to the axis no single point is as deep as the body.
    ///
    /// Let `ν` be the normal of the side at an azimuth, `c` its distance from the origin, `z` the direction up or down,
    /// and `d` the end of the generator there, upper or lower. Any unit normal `n` at this azimuth is `x ν + y z` with
    /// `x, y >= 0`. For a point `b` of the other core, `d - b` is in the difference, and `n · (d - b) = x s + y e` with
    /// `s = c - ν · b`, and `e` the height between `b` and the end. With `κ = 1 - ν · z`, `(x + y)² = 1 + 2 x y κ`, so
    /// `x + y - 1 = 2 x y κ / (x + y + 1)`, which is at least `κ / 2` times the lesser of `x` and `y`. So
    /// `n · (d - b) >= ρ` for all `n` with `x >= y` if `s >= ρ` and `e >= (1 - κ / 2) ρ`, and for those with `y >= x`
    /// if `e >= ρ` and `s >= (1 - κ / 2) ρ`. If such a `b` exists for each azimuth and each end, the difference
    /// contains the sphere of radius `ρ`. One `b` covers an arc of the circle: over it, `ν · b` is largest at an end of
    /// the arc, or in the direction of `b`.
    fn is_about(&self, other: &Part, wanted: DoubleDouble) -> bool {
        let (half_length, slope) = match self.round {
            Some(Round::Cylinder { half_length, radius }) => (half_length, (1.0, 0.0, radius)),
            Some(Round::Cone { half_length, radius }) => {
                let slant = (2.0 * half_length).hypot(radius);
                (half_length, (2.0 * half_length / slant, radius / slant, half_length * (radius / slant)))
            }
            _ => return false,
        };
        let (out, up, distance) = slope;
        let needed = wanted.to_f64() / self.shrunk() * (1.0 + 4.0 * UNIT_ROUNDOFF);
        // A support point of the other core along a direction of this frame, in this frame, and the error from rounding
        // and the rigidity defect.
        let farthest = |direction: DVec3| {
            let world = other.world_of_core(other.farthest(self.turned(direction)));
            let local = self.own(world);
            let off = (world - self.world(local)).length().to_f64() * SECOND_ORDER;
            let size = half_length + distance + local.abs().element_sum();
            // Slope and products below: less than 16 roundings, of numbers no larger than these.
            (local, off + 32.0 * UNIT_ROUNDOFF * size)
        };
        let (enough_up, enough_down) = (needed * (0.5 + 0.5 * up), needed * (0.5 - 0.5 * up));
        // The two ends.
        for (sign, enough) in [(1.0, enough_up), (-1.0, enough_down)] {
            let (local, doubt) = farthest(DVec3::Z * -sign);
            let side = distance - out * local.x.hypot(local.y) - up * local.z;
            if half_length - sign * local.z - doubt < needed || side - doubt < enough {
                return false;
            }
        }
        let serves = |start: f64, end: f64| {
            let middle = 0.5 * (start + end);
            let normal = DVec3::new(out * middle.cos(), out * middle.sin(), up);
            let (local, doubt) = farthest(-normal);
            let along = |angle: f64| local.x * angle.cos() + local.y * angle.sin();
            let across = local.x.hypot(local.y);
            // The direction of `b`, if it may be in the arc: then it is no farther from the middle than the ends.
            let ahead = along(middle) >= across * ((0.5 * (end - start)).cos() - 1e-12);
            let most = if ahead { across } else { along(start).max(along(end)) };
            let side = distance - out * most - up * local.z;
            let (above, below) = (half_length - local.z - doubt, half_length + local.z - doubt);
            side - doubt >= needed && above >= enough_up && below >= enough_down
        };
        let eighth = std::f64::consts::FRAC_PI_4;
        let mut open: Vec<(f64, f64, u32)> =
            (0..8).map(|k| (f64::from(k) * eighth, f64::from(k + 1) * eighth, 0)).collect();
        for _ in 0..VERIFY_ARC_PIECES {
            let Some((start, end, halved)) = open.pop() else { return true };
            if serves(start, end) {
                continue;
            }
            if halved == VERIFY_ARC_HALVINGS {
                return false;
            }
            let middle = 0.5 * (start + end);
            open.extend([(start, middle, halved + 1), (middle, end, halved + 1)]);
        }
        false
    }
}

/// Points of the difference of both cores, in the world: some of its vertices.
struct Differences<'t> {
    truth: &'t Truth,
    /// The points of A and B, in local frames.
    pairs: Vec<[DVec3; 2]>,
    points: Vec<DoubleDoubleVec3>,
}

impl Differences<'_> {
    /// Adds the vertex farthest along a direction; true if it is new.
    fn add_farthest(&mut self, direction: DVec3) -> bool {
        let (a, b) = (&self.truth.a, &self.truth.b);
        let pair = [a.farthest(-direction), b.farthest(direction)];
        let new = !self.pairs.contains(&pair);
        if new {
            self.pairs.push(pair);
            self.points.push(b.world_of_core(pair[1]) - a.world_of_core(pair[0]));
        }
        new
    }

    /// The faces of their hull; `None` if it is flat.
    fn faces(&self) -> Option<Faces> {
        // The hull builder accepts coordinates up to `MAX_COORDINATE`; a power of two changes no topology.
        let rounded: Vec<DVec3> = self.points.iter().map(|p| p.to_vec3()).collect();
        let reduced: Vec<DVec3> = rounded.iter().map(|p| *p * 0.0625).collect();
        let mesh = convex_hull(&reduced).ok().filter(|mesh| mesh.dimension == 3)?;
        // Exact: then the surface surrounds the origin, and only each triangle's distance matters, on whichever side.
        let inside = mesh.triangles.iter().all(|triangle| {
            let [p, q, r] = triangle.map(|i| reduced[mesh.vertices[i as usize] as usize]);
            orient3d(p, q, r, DVec3::ZERO).is_negative()
        });
        let mut faces = Vec::with_capacity(mesh.triangles.len());
        for triangle in &mesh.triangles {
            let corners = triangle.map(|i| mesh.vertices[i as usize] as usize);
            let exact = corners.map(|i| self.points[i]);
            let [p, q, r] = corners.map(|i| rounded[i]);
            // A triangle is at least as far as its nearest corner along any direction.
            let along = |direction: DoubleDoubleVec3| {
                let unit = direction.scale(DoubleDouble::ONE / direction.length());
                let heights = exact.map(|p| unit.dot(p));
                let nearest = heights.into_iter().fold(heights[0], |least, d| if d < least { d } else { least });
                let finite = heights.iter().all(|d| d.hi().is_finite());
                finite.then_some((nearest, unit.to_vec3()))
            };
            let farther = |one: Option<(DoubleDouble, DVec3)>, other: Option<(DoubleDouble, DVec3)>| match (one, other)
            {
                (Some(one), Some(other)) => Some(if one.0 < other.0 { other } else { one }),
                (one, other) => one.or(other),
            };
            let normal_of = |[p, q, r]: [DoubleDoubleVec3; 3]| (q - p).cross(r - p);
            let by_normal = farther(along(normal_of([p, q, r].map(DoubleDoubleVec3::from))), along(normal_of(exact)));
            // Slivers have no accurate normal, or none: the direction of their nearest point gives the distance.
            let by_point = along(closest_on_triangle(DVec3::ZERO, p, q, r).point.into());
            let none = (DoubleDouble::from(f64::NEG_INFINITY), DVec3::ZERO);
            let (distance, _) = if inside { farther(by_normal, by_point) } else { by_normal }.unwrap_or(none);
            let (_, normal) = by_normal.or(by_point).unwrap_or(none);
            faces.push((distance, normal));
        }
        faces.sort_by(|p, q| p.0.hi().total_cmp(&q.0.hi()).then(p.0.lo().total_cmp(&q.0.lo())));
        let moved = |(point, rounded): (&DoubleDoubleVec3, &DVec3)| (*point - (*rounded).into()).length().to_f64();
        let displaced = self.points.iter().zip(&rounded).map(moved).fold(0.0, f64::max) * SECOND_ORDER;
        Some(Faces { faces, rounding: self.truth.rounding, displaced })
    }

    /// A direction across points that are coplanar, up to rounding. In double-double: across a needle, a direction
    /// tilted towards it by one rounding finds only its ends.
    fn normal_of_flat(&self) -> DVec3 {
        let first = self.points[0];
        let farthest = |from: &dyn Fn(DoubleDoubleVec3) -> DoubleDoubleVec3| {
            let ways = self.points.iter().map(|p| (from(*p - first).length_squared().to_f64(), *p - first));
            let best = ways.max_by(|x, y| x.0.total_cmp(&y.0));
            best.map_or(DoubleDoubleVec3::from(DVec3::ZERO), |best| best.1)
        };
        let along = farthest(&|way| way);
        let beside = farthest(&|way| along.cross(way));
        let across = along.cross(beside);
        // Collinear points deviate from their line by rounding.
        let flat = across.length().to_f64() <= 1e3 * self.truth.rounding * along.length().to_f64();
        let unit = |way: DoubleDoubleVec3| way.scale(DoubleDouble::ONE / way.length()).to_vec3();
        let across_line = || unit(along).try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector();
        Some(across).filter(|_| !flat).map(unit).filter(|normal| normal.is_finite()).unwrap_or_else(across_line)
    }
}

/// A closed surface of triangles with corners in the difference: the hull of the rounded points, with every corner at
/// its true position.
struct Faces {
    /// A lower bound on each face's distance from the origin, nearest first, and its outward normal.
    faces: Vec<(DoubleDouble, DVec3)>,
    rounding: f64,
    /// The largest displacement of a corner by rounding.
    displaced: f64,
}

impl Faces {
    /// The radius of a sphere about the origin that lies in the hull of the corners.
    ///
    /// The surface of the rounded hull winds around the origin once, as the origin is below all its planes: by a
    /// predicate, or where the least distance along normals is positive. Every corner moves by at most `displaced` to
    /// its true position; if the surface stays clear of the origin meanwhile, it still winds around it once, and around
    /// every point of a sphere that no triangle meets. A point that a surface winds around lies in the hull of its
    /// corners.
    fn depth(&self) -> DoubleDouble {
        let least = self.faces[0].0 - DoubleDouble::from(self.rounding);
        let clear = least.to_f64() > 2.0 * self.displaced;
        // Otherwise by the rounded hull: its faces may be nearer, and so may its corners be to the true ones.
        if clear { least } else { least - DoubleDouble::from(2.0 * self.displaced) }
    }

    /// The normals of the faces that are too near, nearest first.
    fn nearer_than(&self, wanted: DoubleDouble) -> impl Iterator<Item = DVec3> {
        let bound = wanted + DoubleDouble::from(self.rounding);
        self.faces.iter().filter(move |face| face.0 < bound).map(|face| face.1)
    }
}
