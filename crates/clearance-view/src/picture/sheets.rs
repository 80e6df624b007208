//! The scene as pixels: three sheets, each with a depth of its own, shaded and laid over each other.

use clearance::glam::{DVec2, DVec3, Vec3};

use super::view::View;
use super::{Body, Class, colour};

/// Pixels of the sheets for one of the image, along each side.
const FINE: usize = 2;
/// Colours are multiples of this: hardly seen, and the file is two thirds as long.
const STEP: f32 = 6.0;
/// What is not found fault with.
const GREY: Vec3 = Vec3::new(212.0, 217.0, 224.0);
/// Lines of glass.
const RIM: Vec3 = Vec3::new(70.0, 80.0, 95.0);

/// A triangle as it is drawn.
struct Face {
    body: u32,
    /// To the right, upward, towards the eye.
    normal: Vec3,
    colour: Vec3,
}

/// What is so little behind a surface, as a share of its distance, is on it.
const ON_SURFACE: f32 = 2e-3;
/// No triangle.
const NOTHING: u32 = u32::MAX;
/// Numbers of the sheets.
const FOUND: usize = 0;
const PLAIN: usize = 1;
const GLASS: usize = 2;

/// Sheets of pixels: how near the nearest triangle is, and its number.
pub struct Scene {
    wide: usize,
    high: usize,
    faces: Vec<Face>,
    sheets: [Vec<(f32, u32)>; 3],
}

impl Scene {
    /// An empty one for an image of the given size.
    pub fn new(width: u32, height: u32) -> Scene {
        let (wide, high) = (width as usize * FINE, height as usize * FINE);
        Scene { wide, high, faces: Vec::new(), sheets: std::array::from_fn(|_| vec![(0.0, NOTHING); wide * high]) }
    }

    /// Draws a body.
    pub fn add(&mut self, body: &Body, number: usize, shell: bool, view: &View) {
        let (base, sheet) = match body.class {
            Class::Colour(kind) if !shell => (colour(kind), FOUND),
            _ => (GREY, if shell { GLASS } else { PLAIN }),
        };
        let places: Vec<DVec3> = body.points.iter().map(|&point| view.place(point)).collect();
        for triangle in body.triangles {
            let corner =
                |&corner: &u32| Some((DVec3::from_array(*body.points.get(corner as usize)?), places[corner as usize]));
            let [Some((a, p)), Some((b, q)), Some((c, r))] = triangle.each_ref().map(corner) else { continue };
            let out = (b - a).cross(c - a).normalize_or_zero();
            let seen = DVec3::from_array(view.axes.map(|axis| axis.dot(out)));
            let seen = if seen.z < 0.0 { -seen } else { seen };
            // A lamp at the upper left behind the eye, a softer one at the right, and light from all around.
            let lamps = [(0.40, DVec3::new(-0.45, 0.75, 0.48)), (0.14, DVec3::new(0.80, 0.10, 0.60))];
            let light = lamps.iter().fold(0.56, |sum, (power, from)| sum + power * seen.dot(*from).max(0.0));
            let colour = (base * light as f32).min(Vec3::splat(255.0));
            self.faces.push(Face { body: number as u32, normal: seen.as_vec3(), colour });
            let fine = DVec3::new(FINE as f64, FINE as f64, 1.0);
            self.fill(sheet, self.faces.len() as u32 - 1, [p * fine, q * fine, r * fine]);
        }
    }

    /// Enters a triangle where it is nearest. `near` is linear over the image.
    fn fill(&mut self, sheet: usize, face: u32, [p, q, r]: [DVec3; 3]) {
        let doubled = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
        let [a, b, c] = [p, q, r].map(DVec3::truncate);
        let area = doubled(a, b, c);
        if area.is_nan() || area.abs() <= 1e-12 {
            return;
        }
        let first = (a.min(b).min(c) - 0.5).ceil().max(DVec2::ZERO);
        let last =
            ((a.max(b).max(c) - 0.5).floor() + 1.0).clamp(DVec2::ZERO, DVec2::new(self.wide as f64, self.high as f64));
        for y in first.y as usize..last.y as usize {
            for x in first.x as usize..last.x as usize {
                let at = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let shares = DVec3::new(doubled(at, b, c), doubled(at, c, a), doubled(at, a, b)) / area;
                if shares.min_element() < 0.0 {
                    continue;
                }
                let near = shares.dot(DVec3::new(p.z, q.z, r.z)) as f32;
                let pixel = &mut self.sheets[sheet][y * self.wide + x];
                if near > pixel.0 {
                    *pixel = (near, face);
                }
            }
        }
    }

    /// How dark the line through a pixel of a sheet is: where the part ends, where its surface bends or jumps.
    fn line(&self, sheet: usize, x: usize, y: usize) -> f32 {
        let pixels = &self.sheets[sheet];
        let (near, face) = pixels[y * self.wide + x];
        // Rims are drawn on what is in front, all around; bends once, between a pixel and those to its right and below.
        let beside = [(x + 1, y), (x, y + 1), (x.wrapping_sub(1), y), (x, y.wrapping_sub(1))];
        let mut dark = 0.0_f32;
        for (side, (x, y)) in beside.into_iter().enumerate().filter(|(_, (x, y))| *x < self.wide && *y < self.high) {
            let (other_near, other) = pixels[y * self.wide + x];
            if other == face || face == NOTHING {
                continue;
            }
            if other == NOTHING {
                dark = dark.max(0.85);
                continue;
            }
            let (a, b) = (&self.faces[face as usize], &self.faces[other as usize]);
            let jump = 1.0 / other_near - 1.0 / near;
            if jump > 0.03 || a.body != b.body && (jump > 0.0 || side < 2) {
                dark = dark.max(0.7);
            } else if a.body == b.body && side < 2 && a.normal.dot(b.normal) < 0.8 {
                dark = dark.max(0.45);
            }
        }
        dark
    }

    /// How much light the surroundings keep from a pixel of a sheet: the share of samples around it that something is
    /// close in front of.
    fn hollow(&self, sheet: usize, x: usize, y: usize) -> f32 {
        let pixels = &self.sheets[sheet];
        let near = pixels[y * self.wide + x].0;
        let mut blocked = 0.0;
        for (ring, reach) in [(0, 5_isize), (1, 11), (2, 20)] {
            for (dx, dy) in [(2, 0), (1, 1), (0, 2), (-1, 1), (-2, 0), (-1, -1), (0, -2), (1, -1)] {
                let (dx, dy) = if ring == 1 { (dx + dy, dy - dx) } else { (dx, dy) };
                let (sx, sy) = (x as isize + dx * reach / 2, y as isize + dy * reach / 2);
                if sx < 0 || sy < 0 || sx >= self.wide as isize || sy >= self.high as isize {
                    continue;
                }
                let other = pixels[sy as usize * self.wide + sx as usize];
                let step = 1.0 / near - 1.0 / other.0.max(1e-6);
                if other.1 != NOTHING && step > 0.01 {
                    blocked += 1.0 / (1.0 + (step / 0.12) * (step / 0.12));
                }
            }
        }
        (blocked / 24.0_f32).min(1.0)
    }

    /// The colour of a pixel of a sheet with its hollows and lines; `None` where there is nothing.
    fn shaded(&self, sheet: usize, x: usize, y: usize, lines: f32) -> Option<Vec3> {
        let (_, face) = self.sheets[sheet][y * self.wide + x];
        let colour = self.faces.get(face as usize)?.colour;
        Some(colour * (1.0 - 0.75 * self.hollow(sheet, x, y)) * (1.0 - lines * self.line(sheet, x, y)))
    }

    /// What is seen through one pixel of the sheets.
    fn seen(&self, x: usize, y: usize) -> Vec3 {
        let near = |sheet: usize| self.sheets[sheet][y * self.wide + x].0;
        let mut colour = self.shaded(PLAIN, x, y, 0.8).unwrap_or(Vec3::splat(255.0));
        if let Some(found) = self.shaded(FOUND, x, y, 0.9) {
            // Behind other parts it shines through them.
            colour = if near(FOUND) >= near(PLAIN) { found } else { colour.lerp(found, 0.62) };
        }
        if near(GLASS) > near(FOUND).max(near(PLAIN))
            && let Some(glass) = self.shaded(GLASS, x, y, 0.0)
        {
            colour = colour.lerp(glass, 0.26).lerp(RIM, 0.7 * self.line(GLASS, x, y));
        }
        colour
    }

    /// Whether a point of the image is in front of everything that is not glass, or as near up to rounding.
    pub fn is_seen(&self, place: DVec3) -> bool {
        let at = (place.truncate() * FINE as f64).floor();
        if at.x < 0.0 || at.y < 0.0 || at.x >= self.wide as f64 || at.y >= self.high as f64 {
            return true;
        }
        let pixel = at.y as usize * self.wide + at.x as usize;
        let nearest = [FOUND, PLAIN].map(|sheet| self.sheets[sheet][pixel].0).into_iter().fold(0.0, f32::max);
        place.z as f32 >= nearest * (1.0 - ON_SURFACE)
    }

    /// Rows of red, green and blue.
    pub fn pixels(&self) -> Vec<u8> {
        let (width, height) = (self.wide / FINE, self.high / FINE);
        let mut rows = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let sum: Vec3 = (0..FINE * FINE).map(|k| self.seen(x * FINE + k % FINE, y * FINE + k / FINE)).sum();
                let stepped = (sum / (FINE * FINE) as f32 / STEP).round() * STEP;
                rows.extend(stepped.to_array().map(|part| part as u8));
            }
        }
        rows
    }
}
