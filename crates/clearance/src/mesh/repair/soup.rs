//! The working state: triangles by point number, the triangle given that each comes from, and what became of points.

use glam::DVec3;

use crate::geom::topology::sorted_half_edges;
use crate::math::tolerances::ROUND_UP;

/// Comes from no triangle given: fills a hole.
pub(super) const FILL: u32 = u32::MAX;

/// Triangles whose points are joined and copied as the repair goes on.
pub(super) struct Soup {
    /// The local origin of the mesh given.
    pub local_origin: DVec3,
    /// Relative to it: the points given, then those added.
    pub places: Vec<DVec3>,
    /// How many points were given.
    pub given_points: usize,
    /// For each added point, the two given ones it is the midpoint of, or one twice.
    pub added: Vec<[u32; 2]>,
    /// The point that each given one was joined to; itself if to none.
    pub target: Vec<u32>,
    /// For each point, the greatest distance of the points joined to it.
    pub joined_reach: Vec<f64>,
    pub triangles: Vec<[u32; 3]>,
    /// The triangle given of each, or [`FILL`].
    pub origin: Vec<u32>,
    /// Where each corner was in the triangle given, before points were joined and sides bent. In these places the parts
    /// of a triangle still cover it up to rounding.
    pub before: Vec<[DVec3; 3]>,
    /// Parts that were dropped, in those places.
    pub lost: Vec<[DVec3; 3]>,
    /// The most nested cuts of any part: each cut rounds a place once.
    pub nested_cuts: u32,
}

/// The sides of all triangles, sorted by their edge: the packed ends of it, and the side as `3 t + k`.
pub(super) type Sides = Vec<(u64, u32)>;

impl Soup {
    pub fn new(local_origin: DVec3, places: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Soup {
        let count = places.len();
        Soup {
            local_origin,
            given_points: count,
            added: Vec::new(),
            target: (0..count as u32).collect(),
            joined_reach: vec![0.0; count],
            origin: (0..triangles.len() as u32).collect(),
            before: triangles.iter().map(|t| t.map(|p| places[p as usize])).collect(),
            lost: Vec::new(),
            nested_cuts: 0,
            places,
            triangles,
        }
    }

    pub fn sides(&self) -> Sides {
        sorted_half_edges(&self.triangles)
    }

    /// Start and end of a side.
    pub fn ends(&self, side: u32) -> [u32; 2] {
        let triangle = &self.triangles[side as usize / 3];
        [triangle[side as usize % 3], triangle[(side as usize + 1) % 3]]
    }

    /// The corner across from a side.
    pub fn across(&self, side: u32) -> u32 {
        self.triangles[side as usize / 3][(side as usize + 2) % 3]
    }

    pub fn place(&self, point: u32) -> DVec3 {
        self.places[point as usize]
    }

    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|p| self.places[p as usize])
    }

    /// The point given that a point is, or is a copy of; of one in the middle of two the first.
    pub fn given(&self, point: u32) -> u32 {
        match (point as usize).checked_sub(self.given_points) {
            None => point,
            Some(added) => self.added[added][0],
        }
    }

    /// The two points given in whose middle a point lies; one twice if it is that, or a copy of it.
    pub fn given_pair(&self, point: u32) -> [u32; 2] {
        (point as usize).checked_sub(self.given_points).map_or([point; 2], |added| self.added[added])
    }

    /// Adds a copy of a point.
    pub fn copy(&mut self, point: u32) -> u32 {
        self.add(self.place(point), self.given_pair(point))
    }

    /// Adds a point in the middle of two that were given, or of copies of such.
    pub fn middle(&mut self, p: u32, q: u32) -> u32 {
        // Its place once rounded as a point of a mesh.
        let place = (self.place(p) + self.place(q)) * 0.5 + self.local_origin - self.local_origin;
        self.add(place, [self.given(p), self.given(q)])
    }

    fn add(&mut self, place: DVec3, given: [u32; 2]) -> u32 {
        self.places.push(place);
        self.added.push(given);
        (self.places.len() - 1) as u32
    }

    /// Adds a triangle.
    pub fn push(&mut self, triangle: [u32; 3], origin: u32, before: [DVec3; 3]) {
        self.triangles.push(triangle);
        self.origin.push(origin);
        self.before.push(before);
    }

    /// Drops the triangles for which a condition does not hold.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for t in 0..self.triangles.len() {
            if keep(t) {
                self.triangles[kept] = self.triangles[t];
                self.origin[kept] = self.origin[t];
                self.before[kept] = self.before[t];
                kept += 1;
            } else if self.origin[t] != FILL {
                self.lost.push(self.before[t]);
            }
        }
        self.triangles.truncate(kept);
        self.origin.truncate(kept);
        self.before.truncate(kept);
    }

    /// Reverses a triangle.
    pub fn reverse(&mut self, triangle: usize) {
        self.triangles[triangle].swap(1, 2);
        self.before[triangle].swap(1, 2);
    }

    /// How far corners are, at most, from where they were in the triangles given. No point of a part is farther from
    /// the triangle given, nor any point of that from its parts: the affine map from one place of a part to the other
    /// moves no point farther than its corners.
    pub fn largest_move(&self) -> f64 {
        let of_triangle = |t: usize| {
            let [p, q] = [self.corners(t), self.before[t]];
            (0..3).map(|k| p[k].distance(q[k])).fold(0.0, f64::max)
        };
        let moved = (0..self.triangles.len()).filter(|&t| self.origin[t] != FILL).map(of_triangle);
        moved.fold(0.0, f64::max) * ROUND_UP
    }
}
