//! A picture of an assembly with its findings marked: an SVG with the rendered scene as an image and marks drawn over
//! it.
//!
//! Three layers of pixels, each with its own depth buffer: parts with findings, other parts, and shells, the large
//! parts around findings. Findings are solid in their colours and show through what is in front of them; shells are
//! glass. Lines are drawn where a layer changes part, bends, or jumps in depth, with shading where something is close
//! in front. Only plain arithmetic, without functions that differ between systems: same input, same bytes.

mod findings;
mod labels;
mod levels;
mod sheets;
mod view;

use clearance::glam::{DVec2, DVec3, Vec3};

pub use self::findings::draw;
pub(crate) use self::labels::base64;
use self::sheets::Scene;
use self::view::{View, bounds, points};
use clearance_check::Kind;

/// The colour of a kind: red, green and blue.
fn colour(kind: Kind) -> Vec3 {
    match kind {
        Kind::Hard => Vec3::new(214.0, 45.0, 32.0),
        Kind::Clearance => Vec3::new(232.0, 150.0, 0.0),
        Kind::Touching => Vec3::new(138.0, 79.0, 190.0),
        Kind::Duplicate => Vec3::new(0.0, 114.0, 178.0),
    }
}

/// How a body is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Grey; as glass if it is large and a mark is inside its box.
    Plain,
    /// As glass.
    Faint,
    /// In the colour of the kind; as glass if it is large and another mark is inside its box.
    Colour(Kind),
}

/// A surface, its points in the world.
struct Body<'a> {
    points: Vec<[f64; 3]>,
    /// By corners, each an index into `points`. Those out of range are not drawn.
    triangles: &'a [[u32; 3]],
    class: Class,
}

/// A place to point at.
struct Mark {
    point: [f64; 3],
    /// One line or more; the first is set bold.
    label: String,
    kind: Kind,
}

/// The legend below the image.
struct Legend<'l> {
    /// The number of findings of each kind.
    counts: &'l [(Kind, usize)],
    /// A note, in one line.
    note: Option<&'l str>,
}

/// The smallest fraction of the overall bounding box that a shell fills.
const SHELL: f64 = 0.2;
/// The width of the label columns, and the free space at the top and bottom, in pixels.
const MARGIN: f64 = 190.0;
const FREE: f64 = 26.0;
/// The legend's height.
const LEGEND: f64 = 40.0;

/// An SVG of the given size in pixels, with `up` (0, 1, 2 for x, y, z) vertical.
///
/// # Errors
/// That of the encoder, for an image without pixels.
fn picture(
    bodies: &[Body],
    marks: &[Mark],
    legend: &Legend<'_>,
    up: usize,
    [width, height]: [u32; 2],
) -> Result<String, png::EncodingError> {
    let view = View::new(bodies, marks, up, DVec2::new(f64::from(width), f64::from(height)));
    let mut scene = Scene::new(width, height);
    let all = bounds(points(bodies));
    for (number, body) in bodies.iter().enumerate() {
        scene.add(body, number, is_shell(body, marks, all), &view);
    }
    Ok(labels::svg(&encoded(&scene, [width, height])?, marks, legend, &view))
}

/// The pixels of a scene as PNG.
fn encoded(scene: &Scene, [width, height]: [u32; 2]) -> Result<Vec<u8>, png::EncodingError> {
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    // Few colours, much repeated: differences of neighbours would be longer.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&scene.pixels())?;
    Ok(image)
}

/// Whether a body is drawn as glass: marked so, or large and around a mark.
fn is_shell(body: &Body, marks: &[Mark], [least, most]: [DVec3; 2]) -> bool {
    let [low, high] = bounds(points(std::slice::from_ref(body)));
    let share = ((high - low) / (most - least).max(DVec3::splat(f64::MIN_POSITIVE))).element_product();
    let around = |mark: &Mark| {
        let point = DVec3::from_array(mark.point);
        low.cmple(point).all() && point.cmple(high).all()
    };
    body.class == Class::Faint || share > SHELL && marks.iter().any(around)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLES: [[u32; 3]; 12] = [
        [0, 2, 1],
        [0, 3, 2],
        [4, 5, 6],
        [4, 6, 7],
        [0, 1, 5],
        [0, 5, 4],
        [1, 2, 6],
        [1, 6, 5],
        [2, 3, 7],
        [2, 7, 6],
        [3, 0, 4],
        [3, 4, 7],
    ];

    fn cuboid(middle: [f64; 3], half: f64, class: Class) -> Body<'static> {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let at = |[x, y]: [f64; 2], z: f64| [middle[0] + half * x, middle[1] + half * y, middle[2] + half * z];
        let points = [-1.0, 1.0].into_iter().flat_map(|z| corners.map(|corner| at(corner, z))).collect();
        Body { points, triangles: &TRIANGLES, class }
    }

    fn mark(point: [f64; 3], label: &str) -> Mark {
        Mark { point, label: label.into(), kind: Kind::Hard }
    }

    /// How many pixels are more red than anything else.
    fn red(bodies: &[Body], marks: &[Mark]) -> usize {
        let view = View::new(bodies, marks, 2, DVec2::new(600.0, 300.0));
        let (mut scene, all) = (Scene::new(600, 300), bounds(points(bodies)));
        for (number, body) in bodies.iter().enumerate() {
            scene.add(body, number, is_shell(body, marks, all), &view);
        }
        let pixels = scene.pixels();
        pixels.chunks(3).filter(|pixel| u32::from(pixel[0]) > u32::from(pixel[1]) + 40).count()
    }

    #[test]
    fn what_is_inside_a_shell_is_seen() {
        let found = || cuboid([0.0; 3], 0.4, Class::Colour(Kind::Hard));
        let marks = [mark([0.0; 3], "inside")];
        let alone = red(&[cuboid([0.0; 3], 1.0, Class::Faint), found()], &marks);
        assert!(alone > 1000, "{alone}");
        assert_eq!(
            red(&[cuboid([0.0; 3], 1.0, Class::Plain), found()], &marks),
            alone,
            "a plain box around it is glass"
        );
        assert_eq!(red(&[cuboid([0.0; 3], 1.0, Class::Plain)], &marks), 0);
        // Small parts in front are not shells: the finding shows through.
        let behind = red(&[cuboid([0.0; 3], 0.5, Class::Plain), cuboid([9.0; 3], 0.4, Class::Plain), found()], &marks);
        assert!(behind > 10, "{behind}");
    }

    #[test]
    fn labels_do_not_lie_on_each_other() {
        let bodies = [cuboid([0.0; 3], 1.0, Class::Plain)];
        let marks: Vec<Mark> =
            (0..9).map(|i| mark([0.05 * f64::from(i), -0.9, 0.1], &format!("number {i}\n<a> & \u{1}b"))).collect();
        let legend = Legend { counts: &[(Kind::Hard, 9)], note: Some("rules of <\u{1b}>") };
        let text = picture(&bodies, &marks, &legend, 2, [700, 500]).unwrap();
        assert!(text.contains(">rules of &lt;\\u{1b}&gt;</text>") && !text.contains('\u{1b}'));
        assert_eq!(text, picture(&bodies, &marks, &legend, 2, [700, 500]).unwrap());
        assert_eq!(text.matches("&lt;a&gt; &amp; ").count(), 9);
        assert!(!text.contains('\u{1}'));
        let number = |line: &str, key: &str| -> f64 {
            line.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let boxes: Vec<[f64; 4]> = text
            .lines()
            .filter(|line| line.starts_with("<rect x="))
            .map(|line| ["x", "y", "width", "height"].map(|key| number(line, key)))
            .collect();
        assert_eq!(boxes.len(), 9);
        for (i, [x, y, width, height]) in boxes.iter().enumerate() {
            assert!(*x >= 0.0 && *y >= 0.0 && x + width <= 700.0 && y + height <= 500.0);
            for [a, b, wide, high] in &boxes[..i] {
                assert!(x + width <= *a || a + wide <= *x || y + height <= *b || b + high <= *y);
            }
        }
    }

    #[test]
    fn odd_input_is_drawn() {
        let (legend, none) = (Legend { counts: &[(Kind::Hard, 1)], note: None }, Legend { counts: &[], note: None });
        let far = mark([1e9, -1e9, 1e9], "far away");
        assert!(picture(&[], &[far], &legend, 1, [300, 200]).unwrap().contains("1 hard"));
        let bad = Body { points: vec![[1.0; 3]], triangles: &[[0, 0, 0], [0, 1, 2]], class: Class::Plain };
        assert!(picture(&[bad], &[], &none, 0, [300, 200]).unwrap().ends_with("</svg>\n"));
        assert!(picture(&[], &[], &none, 2, [0, 0]).is_err());
    }
}
