//! Visible outlines of bodies: every visible flat face becomes a path of an SVG.
//!
//! Faces are rasterised into fine pixels, where the nearest wins; then the borders of the visible parts are traced and
//! straightened. So nothing needs sorting, however bodies interlock, and a picture has no more corners than it shows.

use std::collections::BTreeMap;
use std::fmt::Write;

use clearance::glam::{DVec2, DVec3, I64Vec2};

use crate::bodies::Body;

/// Fine pixels for one unit of the picture. Paths are in fine pixels.
pub const FINE: f64 = 4.0;

/// How far a border may be moved to straighten it, in fine pixels: a slanted one has steps of one.
const STRAIGHT: f64 = 1.25;

/// Towards the eye, which is far away.
const EYE: DVec3 = DVec3::new(0.28, -0.92, 0.27);

/// The part of the world that is shown.
pub struct Window {
    /// In the middle of the picture.
    pub middle: DVec3,
    /// Units of the picture for a metre.
    pub scale: f64,
    /// Width and height, in units of the picture.
    pub size: DVec2,
}

/// The visible part of a face.
pub struct Seen {
    /// The index of the body.
    pub body: usize,
    /// The outward unit normal: to the right, upward, towards the eye.
    pub normal: DVec3,
    /// Whether glass is in front of it.
    pub is_behind: bool,
    /// The outline, as the `d` of a path.
    pub path: String,
}

/// Everything visible through a window.
pub struct View {
    /// Visible faces, except of glass.
    pub faces: Vec<Seen>,
    /// The bodies of these faces, by index, and the visible outline of each.
    pub rims: Vec<(usize, String)>,
    /// Faces of glass, which hide nothing, including where something is in front of them.
    pub glass: Vec<Seen>,
}

impl View {
    /// Renders bodies. `is_glass` decides by body, normal and place.
    pub fn new(bodies: &[Body], is_glass: impl Fn(&Body, DVec3, DVec3) -> bool, window: &Window) -> View {
        let towards = EYE.normalize();
        let right = DVec3::Z.cross(towards).normalize();
        let axes = [right, towards.cross(right), towards];
        // The body and the normal of each face.
        let mut faces: Vec<(usize, DVec3)> = Vec::new();
        let size = window.size * FINE;
        let [mut solid, mut glass] = [(); 2].map(|()| Sheet::new(size.x as usize, size.y as usize));
        for (number, body) in bodies.iter().enumerate() {
            let pose = body.pose();
            let corners: Vec<DVec3> = body.corners().iter().map(|&corner| pose.transform_point(corner)).collect();
            // Coplanar triangles form one face.
            let mut planes: BTreeMap<[i64; 4], usize> = BTreeMap::new();
            for triangle in body.triangles() {
                let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
                let out = (b - a).cross(c - a).normalize_or_zero();
                let normal = DVec3::from_array(axes.map(|axis| axis.dot(out)));
                if normal.z <= 0.0 {
                    continue;
                }
                let key = [out.x, out.y, out.z, 1e2 * out.dot(a)].map(|part| (part * 1e5).round() as i64);
                let face = *planes.entry(key).or_insert_with(|| {
                    faces.push((number, normal));
                    faces.len() - 1
                });
                let place = |point: DVec3| {
                    let [x, y, z] = axes.map(|axis| axis.dot(point - window.middle) * window.scale * FINE);
                    DVec3::new(size.x / 2.0 + x, size.y / 2.0 - y, z)
                };
                let sheet = if is_glass(body, out, (a + b + c) / 3.0) { &mut glass } else { &mut solid };
                sheet.fill(face as u32, [a, b, c].map(place));
            }
        }
        // Even numbers: behind glass.
        for (pixel, glass) in solid.pixels.iter_mut().zip(&glass.pixels) {
            if pixel.1 != NOTHING {
                pixel.1 = 2 * pixel.1 + u32::from(glass.0 < pixel.0);
            }
        }
        let seen = |face: u32, is_behind: bool, path: String| {
            let (body, normal) = faces[face as usize];
            Seen { body, normal, is_behind, path }
        };
        let shown = solid.outlines(|number| number).into_iter();
        let rims = solid.outlines(|number| faces[(number / 2) as usize].0 as u32).into_iter();
        let panes = glass.outlines(|number| number).into_iter();
        View {
            faces: shown.map(|(number, path)| seen(number / 2, number % 2 == 0, path)).collect(),
            rims: rims.map(|(body, path)| (body as usize, path)).collect(),
            glass: panes.map(|(face, path)| seen(face, false, path)).collect(),
        }
    }
}

const NOTHING: u32 = u32::MAX;
const EMPTY: (f64, u32) = (f64::NEG_INFINITY, NOTHING);

/// Fine pixels: the depth of the nearest face, and its index.
struct Sheet {
    wide: usize,
    high: usize,
    pixels: Vec<(f64, u32)>,
}

impl Sheet {
    fn new(wide: usize, high: usize) -> Sheet {
        Sheet { wide, high, pixels: vec![EMPTY; wide * high] }
    }

    /// Draws a triangle where it is nearest: to the right, down, towards the eye.
    fn fill(&mut self, face: u32, corners: [DVec3; 3]) {
        let [a, b, c] = corners.map(DVec3::truncate);
        let area = (b - a).perp_dot(c - a);
        if area.abs() < 1e-9 {
            return;
        }
        let end = DVec2::new(self.wide as f64, self.high as f64);
        let [low, high] = [a.min(b).min(c), a.max(b).max(c)].map(|corner| corner.round().clamp(DVec2::ZERO, end));
        for y in low.y as usize..high.y as usize {
            for x in low.x as usize..high.x as usize {
                let at = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let shares = [[b, c], [c, a], [a, b]].map(|[from, to]| (to - from).perp_dot(at - from) / area);
                let near = shares.iter().zip(corners).map(|(share, corner)| share * corner.z).sum();
                let pixel = &mut self.pixels[y * self.wide + x];
                if shares.iter().all(|&share| share >= 0.0) && near > pixel.0 {
                    *pixel = (near, face);
                }
            }
        }
    }

    /// The outlines of all regions of equal index, after renaming the faces.
    fn outlines(&self, name: impl Fn(u32) -> u32) -> Vec<(u32, String)> {
        let at = |x: i64, y: i64| {
            let is_in = x >= 0 && y >= 0 && x < self.wide as i64 && y < self.high as i64;
            let face = if is_in { self.pixels[y as usize * self.wide + x as usize].1 } else { NOTHING };
            if face == NOTHING { NOTHING } else { name(face) }
        };
        // Borders between pixels, each from corner to corner with its region on the right, by region and start.
        let mut borders: BTreeMap<u32, BTreeMap<[i64; 2], Vec<I64Vec2>>> = BTreeMap::new();
        for y in 0..=self.high as i64 {
            for x in 0..=self.wide as i64 {
                let (here, left, above) = (at(x, y), at(x - 1, y), at(x, y - 1));
                let (corner, across, down) = (I64Vec2::new(x, y), I64Vec2::new(x + 1, y), I64Vec2::new(x, y + 1));
                let sides = [(here, above, corner, across), (above, here, across, corner)];
                let more = [(left, here, corner, down), (here, left, down, corner)];
                for (region, other, from, to) in sides.into_iter().chain(more) {
                    if region != other && region != NOTHING {
                        borders.entry(region).or_default().entry([from.x, from.y]).or_default().push(to);
                    }
                }
            }
        }
        // Where three regions meet, each keeps its corner, so that neighbours stay adjacent.
        let is_fixed = |corner: I64Vec2| {
            let (x, y) = (corner.x, corner.y);
            let mut around = [at(x - 1, y - 1), at(x, y - 1), at(x - 1, y), at(x, y)];
            around.sort_unstable();
            around.windows(2).filter(|two| two[0] != two[1]).count() > 1
        };
        let outline = |mut ways: BTreeMap<[i64; 2], Vec<I64Vec2>>| {
            let mut path = String::new();
            while let Some((&start, _)) = ways.first_key_value() {
                let mut ring = vec![I64Vec2::from_array(start)];
                while let Some(ends) = ways.get_mut(&ring[ring.len() - 1].to_array()) {
                    let from = ring[ring.len() - 1].to_array();
                    let next = ends.pop();
                    if ends.is_empty() {
                        ways.remove(&from);
                    }
                    ring.extend(next);
                    if ring[ring.len() - 1].to_array() == start {
                        break;
                    }
                }
                write_ring(&mut path, &straightened(ring, is_fixed));
            }
            path
        };
        let outlines = borders.into_iter().map(|(region, ways)| (region, outline(ways)));
        outlines.filter(|(_, path)| !path.is_empty()).collect()
    }
}

/// A ring without redundant corners; its first corner is also its last.
fn straightened(mut ring: Vec<I64Vec2>, is_fixed: impl Fn(I64Vec2) -> bool) -> Vec<I64Vec2> {
    ring.pop();
    if let Some(first) = ring.iter().position(|&corner| is_fixed(corner)) {
        ring.rotate_left(first);
    }
    ring.push(ring[0]);
    // The corner farthest from the first is also kept, so that a ring without fixed corners does not vanish.
    let far = (0..ring.len()).max_by_key(|&k| (ring[k] - ring[0]).length_squared()).unwrap_or(0);
    let mut kept: Vec<usize> =
        (0..ring.len()).filter(|&k| k == 0 || k == ring.len() - 1 || is_fixed(ring[k])).collect();
    if let Err(place) = kept.binary_search(&far) {
        kept.insert(place, far);
    }
    let mut k = 0;
    while k + 1 < kept.len() {
        let [from, to] = [kept[k], kept[k + 1]];
        let [start, way] = [ring[from].as_dvec2(), (ring[to] - ring[from]).as_dvec2()];
        let off = |i: usize| {
            let share = (ring[i].as_dvec2() - start).dot(way) / way.length_squared().max(1.0);
            ring[i].as_dvec2().distance(start + way * share.clamp(0.0, 1.0))
        };
        match (from + 1..to).max_by(|&i, &j| off(i).total_cmp(&off(j))) {
            Some(farthest) if off(farthest) > STRAIGHT => kept.insert(k + 1, farthest),
            _ => k += 1,
        }
    }
    kept.into_iter().map(|k| ring[k]).collect()
}

/// Adds a ring to a path, by differences. Rings that enclose nothing are skipped.
fn write_ring(path: &mut String, ring: &[I64Vec2]) {
    if ring.len() < 4 {
        return;
    }
    let _ = write!(path, "M{} {}", ring[0].x, ring[0].y);
    for (k, two) in ring.windows(2).enumerate().take(ring.len() - 2) {
        let by = two[1] - two[0];
        let _ = write!(
            path,
            "{}{}{}{}",
            if k == 0 {
                "l"
            } else if by.x < 0 {
                ""
            } else {
                " "
            },
            by.x,
            if by.y < 0 { "" } else { " " },
            by.y
        );
    }
    path.push('z');
}
