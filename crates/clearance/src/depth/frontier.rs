//! The boundary of a union of convex sets of translations, as seen from the origin.
//!
//! Kim, Otaduy, Lin, Manocha, *Fast Penetration Depth Computation for Physically-based Animation* (2002), sections 4.3
//! and 5.5: the union of the Minkowski sums of convex pieces is rendered from the origin on the six faces of a cube,
//! and the least distance among the pixels is an estimate of the depth. In each direction the frontier starts at the
//! origin, and a sum that contains the frontier pushes it to where the ray leaves the sum; where nothing pushes it any
//! further, the boundary is visible.
//!
//! The paper draws all `m` sums `m` times, with a stencil, as a depth buffer holds one number per pixel. Here a pixel
//! holds a list, so each sum is drawn once. What is kept, and the departures:
//! - sums that contain the origin come first, and only the farthest of their far sides is kept (the maximum depth
//!   test);
//! - each other sum cuts an interval from the ray, nearest sums first. It is dropped if covered, merged if it contains
//!   the frontier, and otherwise added to the pixel's list; finally the lists are sorted and merged outward;
//! - the six views are drawn one after another, and sums farther than the best point found are not drawn (Lemma 5.1); a
//!   sum is culled from a view if its box is outside it;
//! - a buffer holds `w = 1/z`, which is linear over a plane in a view: a face is three numbers. Pixels are compared by
//!   distance, not by `z`;
//! - a view is one pixel wider all around, to distinguish local minima from the seams between views;
//! - a virtual far side of a sum (see `convex::minkowski`) is not a boundary: the ray continues to the next set. The
//!   paper does not draw such faces, which would leave the frontier inside the set;
//! - where no sum contains the origin, as when pieces cover the surface but not the interior of a solid, the boundary
//!   is where the ray leaves the first set it meets; [`Gaps::All`] yields all of them.
//!
//! The results are candidates: points on faces of sums, computed in single precision and only in the directions of
//! pixels. Gaps narrower than [`FRONTIER_NARROW`] of their distance are missed. Whether a candidate is on the boundary,
//! and the least distance, is for the caller to prove.

use fearless_simd::Level;
use glam::DVec3;

use crate::convex::minkowski::Sum;
use crate::math::simd::at_level;
use crate::math::tolerances::{FRONTIER_MAX_RESOLUTION, FRONTIER_NARROW, FRONTIER_PREFER_ORIGINAL, UNIT_ROUNDOFF};

/// A convex set of translations, with its closed surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumRef<'s> {
    pub points: &'s [DVec3],
    /// Counter-clockwise from outside.
    pub triangles: &'s [[u32; 3]],
    /// For each triangle whether it may be on the boundary of the union of interest.
    pub original: &'s [bool],
}

impl<'s> From<&'s Sum> for SumRef<'s> {
    fn from(sum: &'s Sum) -> Self {
        SumRef { points: &sum.points, triangles: &sum.triangles, original: &sum.original }
    }
}

/// Which ends of the union are returned in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// The first that is on an original face.
    FirstOriginal,
    /// All of them: wherever a ray from the origin leaves the union.
    All,
}

/// The parameters of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Pixels along a side of a view; at least 1. At most 4096 are used.
    pub resolution: u32,
    /// Points farther than this are ignored; may be infinite.
    pub bound: f64,
    /// The most points returned.
    pub most: usize,
    pub gaps: Gaps,
}

/// A visible point of the boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    /// On the given face, in the direction of a pixel.
    pub translation: DVec3,
    /// Its length.
    pub distance: f64,
    pub sum: u32,
    /// Triangle of the sum.
    pub face: u32,
    /// Whether that face is original.
    pub original: bool,
    /// Whether the union appears to cover everything from the origin to here.
    pub covered: bool,
}

/// Renders the boundary of a union as seen from the origin. Implemented by [`CpuView`]; a GPU version may follow.
pub(crate) trait BoundaryView {
    /// The points where the distance of the boundary is a minimum among neighbouring directions, nearest first;
    /// replaces the contents of `seen`.
    fn closest(&mut self, sums: &[SumRef], look: &Look, seen: &mut Vec<Seen>);
}

/// The orientation of a face of a sum as seen from the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Facing {
    /// The ray leaves the sum here.
    Leave,
    Enter,
    /// Edge-on within accuracy.
    Hidden,
}

/// The plane of a face: the ray in direction `d` meets it at `d / (slope · d)`.
#[derive(Clone, Copy, Debug)]
struct FacePlane {
    slope: DVec3,
    side: Facing,
}

#[derive(Clone, Copy, Debug)]
struct Outline {
    low: DVec3,
    high: DVec3,
    contains_origin: bool,
    /// The distance from the origin, a lower bound up to rounding.
    distance: f64,
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    enter: f32,
    leave: f32,
    face: u32,
    /// The next interval of the same pixel.
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Gap {
    distance: f32,
    face: u32,
    covered: bool,
}

const NONE: u32 = u32::MAX;

/// One view: along the axis `axis`, up or down.
#[derive(Clone, Copy, Debug)]
struct View {
    axis: usize,
    sign: f64,
}

const VIEWS: [View; 6] = [
    View { axis: 0, sign: 1.0 },
    View { axis: 0, sign: -1.0 },
    View { axis: 1, sign: 1.0 },
    View { axis: 1, sign: -1.0 },
    View { axis: 2, sign: 1.0 },
    View { axis: 2, sign: -1.0 },
];

impl View {
    /// Across, up, and away from the viewer.
    fn turned(&self, p: DVec3) -> DVec3 {
        let k = self.axis;
        DVec3::new(p[(k + 1) % 3], p[(k + 2) % 3], self.sign * p[k])
    }

    fn back(&self, p: DVec3) -> DVec3 {
        let mut to = [0.0; 3];
        let k = self.axis;
        (to[(k + 1) % 3], to[(k + 2) % 3], to[k]) = (p.x, p.y, self.sign * p.z);
        DVec3::from_array(to)
    }
}

/// The pixels of a view, with one extra on each side.
#[derive(Clone, Copy, Debug)]
struct Grid {
    resolution: f64,
    /// Pixels along a side.
    side: usize,
    /// The half-width of a view at depth one.
    half: f64,
}

impl Grid {
    fn new(resolution: u32) -> Grid {
        let resolution = resolution.clamp(1, FRONTIER_MAX_RESOLUTION);
        let wide = f64::from(resolution);
        Grid { resolution: wide, side: resolution as usize + 2, half: (wide + 2.0) / wide }
    }

    /// The centre of a pixel at depth one, along either axis of the view.
    fn at(&self, pixel: usize) -> f64 {
        -1.0 + (2.0 * pixel as f64 - 1.0) / self.resolution
    }

    /// The pixel of a position: the inverse of `at`.
    fn pixel(&self, at: f64) -> f64 {
        0.5 * (at + 1.0) * self.resolution + 0.5
    }
}

/// The view rendered by the CPU. Holds its scratch memory: nothing is allocated once warm.
#[derive(Debug)]
pub(crate) struct CpuView {
    level: Level,
    planes: Vec<FacePlane>,
    /// For each sum its first entry in `planes`.
    bases: Vec<u32>,
    outlines: Vec<Outline>,
    /// Sums in the order in which they are drawn.
    order: Vec<u32>,
    /// Per pixel `1 / z` of the frontier, infinite at the origin, and the face there.
    frontier: Vec<f32>,
    frontier_face: Vec<u32>,
    /// The sum being drawn; negative outside it.
    enter: Vec<f32>,
    leave: Vec<f32>,
    leave_face: Vec<u32>,
    /// Per pixel its first interval that does not touch the frontier.
    heads: Vec<u32>,
    intervals: Vec<Interval>,
    sorted: Vec<Interval>,
    /// Distance over depth of each pixel; the same for all views.
    stretch: Vec<f32>,
    stretch_for: usize,
    /// Gaps of each pixel: from `starts[p]` to `starts[p + 1]`.
    gaps: Vec<Gap>,
    starts: Vec<u32>,
    spans: Vec<[f64; 2]>,
}

impl CpuView {
    /// Uses the instructions of a level; all give the same numbers.
    pub fn new(level: Level) -> CpuView {
        CpuView {
            level,
            planes: Vec::new(),
            bases: Vec::new(),
            outlines: Vec::new(),
            order: Vec::new(),
            frontier: Vec::new(),
            frontier_face: Vec::new(),
            enter: Vec::new(),
            leave: Vec::new(),
            leave_face: Vec::new(),
            heads: Vec::new(),
            intervals: Vec::new(),
            sorted: Vec::new(),
            stretch: Vec::new(),
            stretch_for: 0,
            gaps: Vec::new(),
            starts: Vec::new(),
            spans: Vec::new(),
        }
    }
}

impl BoundaryView for CpuView {
    fn closest(&mut self, sums: &[SumRef], look: &Look, seen: &mut Vec<Seen>) {
        seen.clear();
        if look.most == 0 || look.bound.is_nan() || look.bound < 0.0 {
            return;
        }
        let grid = Grid::new(look.resolution);
        self.prepare(sums, &grid);
        let mut limit = look.bound;
        for view in &VIEWS {
            at_level!(self.level, _simd => self.draw(sums, look.gaps, view, &grid, limit));
            self.minima(sums, look, view, &grid, &mut limit, seen);
        }
    }
}

impl CpuView {
    /// Prepares everything independent of the view.
    fn prepare(&mut self, sums: &[SumRef], grid: &Grid) {
        self.planes.clear();
        self.bases.clear();
        self.outlines.clear();
        for sum in sums {
            self.bases.push(self.planes.len() as u32);
            let outline = prepare_sum(sum, &mut self.planes);
            self.outlines.push(outline);
        }
        self.order.clear();
        self.order.extend(0..sums.len() as u32);
        let outlines = &self.outlines;
        self.order.sort_unstable_by(|&a, &b| {
            let [x, y] = [a, b].map(|sum| &outlines[sum as usize]);
            y.contains_origin.cmp(&x.contains_origin).then(x.distance.total_cmp(&y.distance)).then(a.cmp(&b))
        });
        let count = grid.side * grid.side;
        if self.stretch_for != grid.side {
            self.stretch_for = grid.side;
            self.stretch.clear();
            for row in 0..grid.side {
                let y = grid.at(row);
                self.stretch.extend((0..grid.side).map(|k| (1.0 + y * y + grid.at(k) * grid.at(k)).sqrt() as f32));
            }
        }
        self.enter.clear();
        self.enter.resize(count, -1.0);
        self.leave.clear();
        self.leave.resize(count, -1.0);
        self.leave_face.resize(count, NONE);
        self.frontier_face.resize(count, NONE);
        self.spans.resize(grid.side, [0.0; 2]);
    }

    /// Draws one view: the gaps of each pixel up to `limit`.
    #[inline(always)]
    fn draw(&mut self, sums: &[SumRef], gaps: Gaps, view: &View, grid: &Grid, limit: f64) {
        let count = grid.side * grid.side;
        self.frontier.clear();
        self.frontier.resize(count, f32::INFINITY);
        self.heads.clear();
        self.heads.resize(count, NONE);
        self.intervals.clear();
        for k in 0..self.order.len() {
            let index = self.order[k] as usize;
            let outline = &self.outlines[index];
            if outline.distance > limit || outside(outline, view, grid) {
                continue;
            }
            if outline.contains_origin {
                self.draw_around(&sums[index], self.bases[index], view, grid);
            } else {
                self.draw_apart(&sums[index], self.bases[index], view, grid, limit);
            }
        }
        self.merge(sums, gaps, limit);
    }

    /// A sum that contains the origin: the farthest of all far sides is kept.
    #[inline(always)]
    fn draw_around(&mut self, sum: &SumRef, base: u32, view: &View, grid: &Grid) {
        let CpuView { planes, frontier, frontier_face, spans, .. } = self;
        for (k, triangle) in sum.triangles.iter().enumerate() {
            let plane = &planes[base as usize + k];
            if plane.side != Facing::Leave {
                continue;
            }
            let face = base + k as u32;
            let factor = if sum.original[k] { FRONTIER_PREFER_ORIGINAL } else { 1.0 };
            scan(
                triangle.map(|v| view.turned(sum.points[v as usize])),
                view.turned(plane.slope),
                grid,
                spans,
                |span| {
                    let at = span.row * grid.side;
                    let row = &mut frontier[at + span.from..at + span.to];
                    let faces = &mut frontier_face[at + span.from..at + span.to];
                    for (step, (known, known_face)) in (0i32..).zip(row.iter_mut().zip(faces)) {
                        let w = span.value(step) * factor;
                        let farther = w < *known;
                        *known = if farther { w } else { *known };
                        // A mask: the compiler turns a condition here into a choice between addresses.
                        let mask = u32::from(farther).wrapping_neg();
                        *known_face = (*known_face & !mask) | (face & mask);
                    }
                },
            );
        }
    }

    /// Any other sum: its interval in each pixel.
    #[inline(always)]
    fn draw_apart(&mut self, sum: &SumRef, base: u32, view: &View, grid: &Grid, limit: f64) {
        let CpuView { planes, spans, enter, leave, leave_face, .. } = self;
        // The rows and columns that were drawn.
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        for (k, triangle) in sum.triangles.iter().enumerate() {
            let plane = &planes[base as usize + k];
            if plane.side == Facing::Hidden {
                continue;
            }
            let leaves = plane.side == Facing::Leave;
            let face = base + k as u32;
            let factor = if leaves && sum.original[k] { FRONTIER_PREFER_ORIGINAL } else { 1.0 };
            let values: &mut [f32] = if leaves { leave } else { enter };
            scan(
                triangle.map(|v| view.turned(sum.points[v as usize])),
                view.turned(plane.slope),
                grid,
                spans,
                |span| {
                    low = [low[0].min(span.row), low[1].min(span.from)];
                    high = [high[0].max(span.row + 1), high[1].max(span.to)];
                    let at = span.row * grid.side;
                    for (step, value) in (0i32..).zip(&mut values[at + span.from..at + span.to]) {
                        *value = span.value(step) * factor;
                    }
                    if leaves {
                        leave_face[at + span.from..at + span.to].fill(face);
                    }
                },
            );
        }
        let limit = limit as f32 * (1.0 + FRONTIER_NARROW);
        for row in low[0]..high[0] {
            for pixel in row * grid.side + low[1]..row * grid.side + high[1] {
                let (enter, leave) = (self.enter[pixel], self.leave[pixel]);
                self.enter[pixel] = -1.0;
                self.leave[pixel] = -1.0;
                let frontier = self.frontier[pixel];
                let least = self.stretch[pixel] / limit;
                // Both sides visible, within the limit, the frontier not beyond it, and not covered yet.
                if leave <= 0.0 || enter < least || frontier < least || leave >= frontier {
                    continue;
                }
                let face = self.leave_face[pixel];
                if enter >= frontier * (1.0 - FRONTIER_NARROW) {
                    self.frontier[pixel] = leave;
                    self.frontier_face[pixel] = face;
                } else {
                    self.put(pixel, enter, leave, face);
                }
            }
        }
    }

    /// Adds an interval to the list of a pixel, merging it with one it overlaps so that lists stay short.
    #[inline(always)]
    fn put(&mut self, pixel: usize, enter: f32, leave: f32, face: u32) {
        let head = self.heads[pixel];
        let mut next = head;
        while let Some(known) = self.intervals.get_mut(next as usize) {
            if enter >= known.leave * (1.0 - FRONTIER_NARROW) && known.enter >= leave * (1.0 - FRONTIER_NARROW) {
                known.enter = known.enter.max(enter);
                if leave < known.leave {
                    (known.leave, known.face) = (leave, face);
                }
                return;
            }
            next = known.next;
        }
        self.heads[pixel] = self.intervals.len() as u32;
        self.intervals.push(Interval { enter, leave, face, next: head });
    }

    /// The gaps of each pixel, from its frontier and its intervals.
    #[inline(always)]
    fn merge(&mut self, sums: &[SumRef], gaps: Gaps, limit: f64) {
        let limit = limit as f32 * (1.0 + FRONTIER_NARROW);
        self.gaps.clear();
        self.starts.clear();
        for pixel in 0..self.frontier.len() {
            self.starts.push(self.gaps.len() as u32);
            let (mut end, mut face) = (self.frontier[pixel], self.frontier_face[pixel]);
            let mut covered = end.is_finite();
            self.sorted.clear();
            let mut next = self.heads[pixel];
            while let Some(interval) = self.intervals.get(next as usize) {
                self.sorted.push(*interval);
                next = interval.next;
            }
            if self.sorted.len() > 1 {
                // Nearest first.
                self.sorted.sort_unstable_by(|a, b| b.enter.total_cmp(&a.enter).then(a.face.cmp(&b.face)));
            }
            let mut rest = self.sorted.iter();
            loop {
                // Push the frontier as far as possible.
                let mut beyond = None;
                for interval in rest.by_ref() {
                    if interval.leave >= end {
                        continue;
                    }
                    if end.is_finite() && interval.enter < end * (1.0 - FRONTIER_NARROW) {
                        beyond = Some(interval);
                        break;
                    }
                    (end, face) = (interval.leave, interval.face);
                }
                let distance = self.stretch[pixel] / end;
                if !end.is_finite() || distance > limit {
                    break;
                }
                let original = || {
                    let (sum, face) = of_face(&self.bases, face);
                    sums[sum].original[face]
                };
                if gaps == Gaps::All || original() {
                    self.gaps.push(Gap { distance, face, covered });
                    if gaps == Gaps::FirstOriginal {
                        break;
                    }
                }
                covered = false;
                let Some(interval) = beyond else { break };
                (end, face) = (interval.leave, interval.face);
            }
        }
        self.starts.push(self.gaps.len() as u32);
    }

    fn gaps_of(&self, pixel: usize) -> &[Gap] {
        &self.gaps[self.starts[pixel] as usize..self.starts[pixel + 1] as usize]
    }

    /// Adds the gaps nearer than those of all neighbouring pixels to `seen`. Of several in a neighbour the one closest
    /// in distance counts, which follows layers of the boundary.
    fn minima(&self, sums: &[SumRef], look: &Look, view: &View, grid: &Grid, limit: &mut f64, seen: &mut Vec<Seen>) {
        for row in 1..grid.side - 1 {
            for column in 1..grid.side - 1 {
                let pixel = row * grid.side + column;
                for gap in self.gaps_of(pixel) {
                    if f64::from(gap.distance) > *limit || !self.is_least(grid, pixel, gap.distance) {
                        continue;
                    }
                    let direction = view.back(DVec3::new(grid.at(column), grid.at(row), 1.0));
                    let found = self.point(sums, gap, direction);
                    if found.distance <= *limit {
                        keep(found, look.most, 4.0 / grid.resolution, seen);
                    }
                    if seen.len() == look.most {
                        *limit = seen.last().map_or(*limit, |last| limit.min(last.distance));
                    }
                }
            }
        }
    }

    fn is_least(&self, grid: &Grid, pixel: usize, distance: f32) -> bool {
        let around = [pixel - grid.side, pixel, pixel + grid.side];
        for neighbour in around.into_iter().flat_map(|middle| middle - 1..middle + 2) {
            let mut nearest = f32::INFINITY;
            for gap in self.gaps_of(neighbour) {
                if (gap.distance - distance).abs() < (nearest - distance).abs() {
                    nearest = gap.distance;
                }
            }
            // Ties go to the first.
            if nearest < distance || (nearest == distance && neighbour < pixel) {
                return false;
            }
        }
        true
    }

    /// A gap as a point on its face, in double precision.
    fn point(&self, sums: &[SumRef], gap: &Gap, direction: DVec3) -> Seen {
        let (sum, face) = of_face(&self.bases, gap.face);
        let seen_at = f64::from(gap.distance) / direction.length();
        let depth = 1.0 / self.planes[gap.face as usize].slope.dot(direction);
        // The plane of a sliver is inaccurate; there the rendered value, clamped to the corners, is better.
        let depth = if (depth - seen_at).abs() <= 1e-4 * seen_at { depth } else { seen_at };
        let translation = depth * direction;
        Seen {
            translation,
            distance: translation.length(),
            sum: sum as u32,
            face: face as u32,
            original: sums[sum].original[face],
            covered: gap.covered,
        }
    }
}

/// Inserts a point in order, unless it is another view of one already in the list.
fn keep(found: Seen, most: usize, pixel: f64, seen: &mut Vec<Seen>) {
    let near = 2.0 * pixel * found.distance;
    let same =
        |s: &Seen| s.sum == found.sum && s.face == found.face && s.translation.distance(found.translation) <= near;
    if let Some(known) = seen.iter().position(same) {
        if seen[known].distance <= found.distance {
            return;
        }
        seen.remove(known);
    }
    let key = |s: &Seen| (s.distance, s.sum, s.face);
    let place = seen.partition_point(|s| key(s) <= key(&found));
    if place < most {
        seen.truncate(most - 1);
        seen.insert(place, found);
    }
}

/// The sum and its triangle, from the global index of a face.
fn of_face(bases: &[u32], face: u32) -> (usize, usize) {
    let sum = bases.partition_point(|&base| base <= face) - 1;
    (sum, (face - bases[sum]) as usize)
}

/// The planes and the outline of a sum.
fn prepare_sum(sum: &SumRef, planes: &mut Vec<FacePlane>) -> Outline {
    let low = sum.points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = sum.points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    let size = low.abs().max(high.abs()).length();
    let mut contains_origin = !sum.triangles.is_empty();
    let (mut farthest, mut towards) = (0.0, DVec3::ZERO);
    for triangle in sum.triangles {
        let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
        let (e, f) = (q - p, r - p);
        let normal = e.cross(f);
        let offset = normal.dot(p);
        let longest = e.length_squared().max(f.length_squared()).sqrt();
        // Corners are rounded, each coordinate to `u size`, so sides are off by `2√3 u size` and the normal by twice
        // that times the longest side; the offset by that times `size`: `4√3 u`, and the rounding of the products
        // another `6 u`.
        let known = offset.abs() > 16.0 * UNIT_ROUNDOFF * longest * size * size;
        let side = match (known, offset > 0.0) {
            (true, true) => Facing::Leave,
            (true, false) => Facing::Enter,
            _ => Facing::Hidden,
        };
        contains_origin &= side != Facing::Enter;
        let slope = if known { normal / offset } else { DVec3::ZERO };
        planes.push(FacePlane { slope, side });
        if side == Facing::Enter {
            let away = -offset / normal.length();
            if away > farthest {
                (farthest, towards) = (away, -normal / normal.length());
            }
        }
    }
    // By the box, and by the plane farthest from the origin, checked against all points since a sliver's normal may be
    // arbitrary.
    let by_box = low.max(-high).max(DVec3::ZERO).length();
    let by_plane = sum.points.iter().map(|p| -towards.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    Outline { low, high, contains_origin, distance: by_box.max(-by_plane) }
}

/// Whether the box of a sum is outside a view.
fn outside(outline: &Outline, view: &View, grid: &Grid) -> bool {
    let (a, b) = (view.turned(outline.low), view.turned(outline.high));
    let (low, high) = (a.min(b), a.max(b));
    let reach = grid.half * high.z;
    low.x > reach || -high.x > reach || low.y > reach || -high.y > reach
}

/// Part of a row of pixels that a face covers.
struct Span {
    row: usize,
    from: usize,
    to: usize,
    /// `1 / z` at `from`, and its step.
    start: f32,
    step: f32,
}

impl Span {
    #[inline(always)]
    fn value(&self, step: i32) -> f32 {
        self.start + self.step * step as f32
    }
}

/// The pixels whose centres a triangle covers, given in the frame of the view. Two triangles with a common edge share
/// no pixel there and miss none: the intersection of a row and an edge is computed from the edge's two ends alone, in
/// the same way.
#[inline(always)]
fn scan(triangle: [DVec3; 3], slope: DVec3, grid: &Grid, rows: &mut [[f64; 2]], mut draw: impl FnMut(&Span)) {
    let mut corners = [DVec3::ZERO; 8];
    let mut count = 3;
    corners[..3].copy_from_slice(&triangle);
    let inside = |plane: usize, p: DVec3| match plane {
        0 => grid.half * p.z - p.x,
        1 => grid.half * p.z + p.x,
        2 => grid.half * p.z - p.y,
        _ => grid.half * p.z + p.y,
    };
    for plane in 0..4 {
        let heights = triangle.map(|p| inside(plane, p));
        if heights.iter().all(|&height| height < 0.0) {
            return;
        }
        if heights.iter().any(|&height| height < 0.0) {
            count = cut(&mut corners, count, |p| inside(plane, p));
        }
    }
    if count < 3 {
        return;
    }
    // Convert to pixels, with `1 / z`.
    let (mut top, mut bottom, mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY, 0.0f64);
    for p in &mut corners[..count] {
        if p.z <= 0.0 {
            return; // The origin itself.
        }
        let w = 1.0 / p.z;
        *p = DVec3::new(grid.pixel(p.x * w), grid.pixel(p.y * w), w);
        (top, bottom, low, high) = (top.max(p.y), bottom.min(p.y), low.min(w), high.max(w));
    }
    let last = grid.side as f64;
    // Rounding up without a call to the library.
    let row_of = |y: f64| {
        let down = y.clamp(0.0, last) as i32;
        (down + i32::from(f64::from(down) < y.min(last))) as usize
    };
    let (first, end) = (row_of(bottom), row_of(top));
    if first >= end {
        return;
    }
    rows[first..end].fill([f64::INFINITY, f64::NEG_INFINITY]);
    for k in 0..count {
        let (p, q) = (corners[k], corners[if k + 1 == count { 0 } else { k + 1 }]);
        let (p, q) = if p.y <= q.y { (p, q) } else { (q, p) };
        let tilt = (q.x - p.x) / (q.y - p.y);
        for (row, span) in rows.iter_mut().enumerate().take(row_of(q.y)).skip(row_of(p.y)) {
            let x = p.x + (row as f64 - p.y) * tilt;
            *span = [if x < span[0] { x } else { span[0] }, if x > span[1] { x } else { span[1] }];
        }
    }
    let across = 2.0 * slope.x / grid.resolution;
    let up = 2.0 * slope.y / grid.resolution;
    let corner = slope.x * grid.at(0) + slope.y * grid.at(0) + slope.z;
    for (row, span) in rows.iter().enumerate().take(end).skip(first) {
        let [from, to] = [row_of(span[0]), row_of(span[1])];
        if from < to {
            let mut start = corner + across * from as f64 + up * row as f64;
            let mut step = across;
            let steps = (to - from - 1) as f64;
            let finish = start + across * steps;
            // Clamp to the corners: the plane of a sliver may be arbitrary.
            if start < low || start > high || finish < low || finish > high {
                start = start.clamp(low, high);
                step = if steps > 0.0 { (finish.clamp(low, high) - start) / steps } else { 0.0 };
            }
            draw(&Span { row, from, to, start: start as f32, step: step as f32 });
        }
    }
}

/// Clips a convex polygon by a half-space (Sutherland and Hodgman, 1974), each side from its inner to its outer end, so
/// that the polygons on both sides of an edge get the same points. Returns the number of remaining corners.
#[inline(always)]
fn cut(corners: &mut [DVec3; 8], count: usize, inside: impl Fn(DVec3) -> f64) -> usize {
    let old = *corners;
    let mut kept = 0;
    for k in 0..count {
        let (p, q) = (old[k], old[if k + 1 == count { 0 } else { k + 1 }]);
        let (hp, hq) = (inside(p), inside(q));
        let mut push = |p: DVec3| {
            if kept < corners.len() {
                corners[kept] = p;
                kept += 1;
            }
        };
        if hp >= 0.0 {
            push(p);
        }
        if (hp >= 0.0) != (hq >= 0.0) {
            let (a, b, ha, hb) = if hp >= 0.0 { (p, q, hp, hq) } else { (q, p, hq, hp) };
            push(a + (b - a) * (ha / (ha - hb)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use clearance_oracle::random::Random;

    use super::*;
    use crate::geom::hull::convex_hull;

    fn in_cube(random: &mut Random) -> DVec3 {
        DVec3::from_array(random.in_cube(1.0))
    }

    fn hull_of(points: Vec<DVec3>) -> Sum {
        let hull = convex_hull(&points).unwrap();
        let points: Vec<DVec3> = hull.vertices.iter().map(|&v| points[v as usize]).collect();
        let original = vec![true; hull.triangles.len()];
        Sum { from: vec![[0; 2]; points.len()], points, triangles: hull.triangles, original }
    }

    fn cuboid(low: DVec3, high: DVec3) -> Sum {
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1));
        hull_of((0..8).map(|k| low + corner(k) * (high - low)).collect())
    }

    fn random_sum(random: &mut Random, count: usize, reach: f64) -> Sum {
        let middle = in_cube(random) * reach;
        let mut sum = hull_of((0..count).map(|_| middle + in_cube(random)).collect());
        sum.original.iter_mut().for_each(|original| *original = random.uniform(0.0, 1.0) < 0.6);
        sum
    }

    fn refs(sums: &[Sum]) -> Vec<SumRef<'_>> {
        sums.iter().map(SumRef::from).collect()
    }

    fn look(sums: &[Sum], resolution: u32, bound: f64, gaps: Gaps) -> Vec<Seen> {
        let mut seen = Vec::new();
        CpuView::new(Level::new()).closest(&refs(sums), &Look { resolution, bound, most: 32, gaps }, &mut seen);
        assert!(seen.is_sorted_by(|a, b| a.distance <= b.distance));
        for point in &seen {
            let sum = &sums[point.sum as usize];
            assert!(point.distance <= bound && (point.translation.length() - point.distance).abs() <= 1e-12);
            assert_eq!(point.original, sum.original[point.face as usize]);
            let [p, q, r] = sum.triangles[point.face as usize].map(|v| sum.points[v as usize]);
            let normal = (q - p).cross(r - p).normalize();
            assert!(normal.dot(point.translation - p).abs() <= 1e-9 * (1.0 + point.distance));
        }
        seen
    }

    /// The interval of a ray inside a sum, by all its planes, and the face where it exits.
    fn interval(sum: &Sum, direction: DVec3) -> Option<(f64, f64, usize)> {
        let (mut enter, mut leave, mut face) = (0.0f64, f64::INFINITY, 0);
        for (k, triangle) in sum.triangles.iter().enumerate() {
            let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
            let normal = (q - p).cross(r - p);
            let (along, offset) = (normal.dot(direction), normal.dot(p));
            if along > 0.0 && offset / along < leave {
                (leave, face) = (offset / along, k);
            } else if along < 0.0 {
                enter = enter.max(offset / along);
            }
        }
        (enter <= leave).then_some((enter, leave, face))
    }

    /// The ends of the union along a ray: depth, whether on an original face, whether covered; `None` where two
    /// compared numbers are too close for single precision, or a face is barely grazed.
    fn brute_force(sums: &[Sum], direction: DVec3) -> Option<Vec<(f64, bool, bool)>> {
        let nudges = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * 1e-5);
        let mut intervals = Vec::new();
        for sum in sums {
            let here = interval(sum, direction);
            for nudge in nudges.iter().flat_map(|&n| [n, -n]) {
                match (here, interval(sum, direction + nudge)) {
                    (Some(a), Some(b)) if a.2 == b.2 => {}
                    (None, None) => {}
                    _ => return None,
                }
            }
            intervals.extend(here.map(|(enter, leave, face)| (enter, leave, sum.original[face])));
        }
        let mut values: Vec<f64> = intervals.iter().flat_map(|i| [i.0, i.1]).filter(|&x| x > 0.0).collect();
        values.sort_by(f64::total_cmp);
        if values.windows(2).any(|pair| pair[1] - pair[0] < 1e-4 * pair[1]) {
            return None;
        }
        intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ends: Vec<(f64, bool, bool)> = Vec::new();
        for (enter, leave, original) in intervals {
            match ends.last_mut() {
                Some(last) if enter <= last.0 => {
                    if leave > last.0 {
                        (last.0, last.1) = (leave, original);
                    }
                }
                last => {
                    let covered = last.is_none() && enter == 0.0;
                    ends.push((leave, original, covered));
                }
            }
        }
        Some(ends)
    }

    #[test]
    fn every_pixel_agrees_with_brute_force() {
        let mut random = Random::new(1);
        let (mut compared, mut skipped, mut several, mut hops) = (0, 0, 0, 0);
        for round in 0..60 {
            let reach = [0.5, 2.0, 4.0][round % 3];
            let sums: Vec<Sum> = (0..1 + round % 13).map(|_| random_sum(&mut random, 4 + round % 20, reach)).collect();
            let grid = Grid::new(12);
            let mut view = CpuView::new(Level::new());
            view.prepare(&refs(&sums), &grid);
            let bound = if round % 4 == 0 { 2.0 } else { f64::INFINITY };
            for gaps in [Gaps::All, Gaps::FirstOriginal] {
                for frame in &VIEWS {
                    view.draw(&refs(&sums), gaps, frame, &grid, bound);
                    for pixel in 0..grid.side * grid.side {
                        let (row, column) = (pixel / grid.side, pixel % grid.side);
                        let direction = frame.back(DVec3::new(grid.at(column), grid.at(row), 1.0));
                        let Some(mut ends) = brute_force(&sums, direction) else {
                            skipped += 1;
                            continue;
                        };
                        compared += 1;
                        several += usize::from(ends.len() > 1);
                        ends.retain(|end| end.0 * direction.length() <= bound);
                        if gaps == Gaps::FirstOriginal {
                            ends.retain(|end| end.1);
                            ends.truncate(1);
                        }
                        let found = view.gaps_of(pixel);
                        assert_eq!(found.len(), ends.len(), "round {round}: {found:?} {ends:?}");
                        for (gap, end) in found.iter().zip(&ends) {
                            let distance = end.0 * direction.length();
                            assert!((f64::from(gap.distance) - distance).abs() <= 1e-5 * distance);
                            let (sum, face) = of_face(&view.bases, gap.face);
                            assert_eq!((sums[sum].original[face], gap.covered), (end.1, end.2));
                            hops += usize::from(gap.covered && !view.outlines[sum].contains_origin);
                        }
                    }
                }
            }
        }
        assert!(skipped * 10 < compared, "{skipped} of {compared} were not compared");
        assert!(several > 1000 && hops > 1000, "{several} {hops}");
    }

    /// The situation of figure 5: the frontier passes from one sum into the next, and sums behind a gap are not
    /// reached.
    #[test]
    fn a_chain_of_sums_is_followed_in_any_order() {
        let link = |from: f64, to: f64| cuboid(DVec3::new(from, -1.0, -1.0), DVec3::new(to, 1.0, 1.0));
        let mut chain = vec![link(-1.0, 1.0), link(0.5, 3.0), link(2.0, 5.0), link(4.5, 9.0), link(20.0, 21.0)];
        for turn in 0..5 {
            chain.rotate_left(turn);
            let mut view = CpuView::new(Level::new());
            let grid = Grid::new(9);
            view.prepare(&refs(&chain), &grid);
            view.draw(&refs(&chain), Gaps::All, &VIEWS[0], &grid, f64::INFINITY);
            let middle = grid.side * (grid.side / 2) + grid.side / 2;
            let found: Vec<_> = view.gaps_of(middle).iter().map(|gap| (gap.distance.round(), gap.covered)).collect();
            assert_eq!(found, [(9.0, true), (21.0, false)]);
            // The nearest boundary is across the chain.
            let seen = look(&chain, 64, f64::INFINITY, Gaps::FirstOriginal);
            assert!((seen[0].distance - 1.0).abs() < 1e-3 && seen[0].covered);
        }
    }

    #[test]
    fn virtual_far_sides_are_passed() {
        let mut inner = cuboid(DVec3::splat(-1.0), DVec3::ONE);
        inner.original.fill(false);
        // A shell of six slabs around a hollow: pieces cover the surface, not the inside.
        let mut sums = vec![inner];
        for axis in DVec3::AXES {
            for sign in [1.0, -1.0] {
                let middle = axis * sign * 3.5;
                let half = DVec3::splat(4.0) - axis * 3.5;
                sums.push(cuboid(middle - half, middle + half));
            }
        }
        let seen = look(&sums, 64, f64::INFINITY, Gaps::FirstOriginal);
        assert!((seen[0].distance - 4.0).abs() < 4.0 * 1e-3, "{seen:?}");
        assert!(seen.iter().all(|point| point.original && !point.covered && point.sum > 0));
        let all = look(&sums, 64, f64::INFINITY, Gaps::All);
        assert!(!all[0].original && all[0].covered && (all[0].distance - 1.0).abs() < 1e-3);
        assert!(look(&sums, 64, 3.0, Gaps::FirstOriginal).is_empty());
    }

    #[test]
    fn the_origin_outside_all() {
        let sums = [
            cuboid(DVec3::new(2.0, -1.0, -1.0), DVec3::new(3.0, 1.0, 1.0)),
            cuboid(DVec3::splat(-9.0), DVec3::splat(-8.0)),
        ];
        let seen = look(&sums, 128, f64::INFINITY, Gaps::FirstOriginal);
        assert!(seen.iter().all(|point| !point.covered));
        assert!(seen.iter().any(|point| point.sum == 0) && seen.iter().any(|point| point.sum == 1));
        // Beside the near rim of the first: its corner is √5 away, and pixels are 1/64 apart at depth one.
        assert!((5f64.sqrt()..1.03 * 5f64.sqrt()).contains(&seen[0].distance) && seen[0].sum == 0);
        assert!(look(&sums, 128, 1.5, Gaps::All).is_empty());
        assert!(look(&[], 128, f64::INFINITY, Gaps::All).is_empty());
        let flat = [hull_of(vec![DVec3::ZERO, DVec3::X, DVec3::Y]), hull_of(vec![DVec3::Z])];
        assert!(look(&flat, 16, f64::INFINITY, Gaps::All).is_empty());
    }

    #[test]
    fn the_depth_of_one_polytope_within_a_pixel() {
        let mut random = Random::new(2);
        for round in 0..100 {
            let shift = in_cube(&mut random) * 0.3;
            let scale = [1.0, 1e-6, 1e6][round % 3];
            let sum = hull_of((0..6 + round % 50).map(|_| (in_cube(&mut random) + shift) * scale).collect());
            let planes = sum.triangles.iter().map(|triangle| {
                let [p, q, r] = triangle.map(|v| sum.points[v as usize]);
                (q - p).cross(r - p).normalize().dot(p)
            });
            let depth = planes.fold(f64::INFINITY, f64::min);
            if depth < 0.01 * scale {
                continue;
            }
            let mut seen = Vec::new();
            let ask = Look { resolution: 128, bound: f64::INFINITY, most: 8, gaps: Gaps::FirstOriginal };
            CpuView::new(Level::new()).closest(&[SumRef::from(&sum)], &ask, &mut seen);
            // The direction of the foot is within half a diagonal of a pixel, √2 / 128, of a pixel's middle; the ray
            // there meets the plane at depth / cos.
            let angle = std::f64::consts::SQRT_2 / 128.0;
            let worst = depth / angle.cos();
            assert!(
                seen[0].distance >= depth * (1.0 - 1e-9) && seen[0].distance <= worst,
                "{} {depth}",
                seen[0].distance
            );
            assert!(seen[0].covered);
        }
    }

    #[test]
    fn a_limit_on_points_keeps_the_nearest() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let sums: Vec<Sum> = (0..20).map(|_| random_sum(&mut random, 12, 1.0)).collect();
            for gaps in [Gaps::FirstOriginal, Gaps::All] {
                let all = look(&sums, 32, f64::INFINITY, gaps);
                let mut seen = Vec::new();
                let mut view = CpuView::new(Level::new());
                for most in [1, 3, 32] {
                    let ask = Look { resolution: 32, bound: f64::INFINITY, most, gaps };
                    view.closest(&refs(&sums), &ask, &mut seen);
                    let mut plainly = Vec::new();
                    CpuView::new(Level::baseline()).closest(&refs(&sums), &ask, &mut plainly);
                    assert_eq!(seen, plainly);
                    assert_eq!(seen.first().map(|s| s.distance), all.first().map(|s| s.distance));
                    assert!(seen.len() <= most);
                }
                assert_eq!(seen, all);
            }
        }
    }
}
