//! Building the convex hull of many points, raced against parry.
//!
//! Rows are arrangements of points: two that every builder likes and the ones that make builders with tolerances lose
//! points, fail or stop: exactly coplanar, nearly coplanar, flat, far from the origin. The last row builds a body
//! ready for queries. Every hull of ours is checked with exact predicates apart from the timing. A hull of parry's is
//! only described: how many of the same points lie outside it, and how far.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::median;
use crate::models::Random;
use crate::peers::{HOW_TO_ENABLE, ParryPoints};
use crate::plot::{Chart, Group, Plot};
use crate::report::{Peer, Provenance, Report, Row, rounded};
use clearance::Shape;
use clearance::glam::DVec3;
use clearance::math::{normal_axis, orient2d, orient3d};
use clearance::shape::convex_hull;
use clearance::shape::topology::{closed_and_oriented, euler_characteristic};
use indicatif::ProgressIterator;
use serde_json::json;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "hull-build",
    about: "convex hulls of 10^5 points, easy, coplanar, flat and far away, against parry (feature `peers`)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Points that are compared with every triangle of a hull.
const SAMPLE: usize = 2000;

/// How often each hull is timed.
const REPEATS: usize = 3;

/// How the points are arranged.
#[derive(Clone, Copy, Debug)]
enum Arrangement {
    /// Uniform in a ball.
    Ball,
    /// On a sphere: nearly every point is a vertex.
    Sphere,
    /// A grid on the surface of a cube: six faces of exactly coplanar points.
    CubeGrid,
    /// The same turned, so that rounding leaves the points of a face nearly coplanar.
    TurnedCubeGrid,
    /// In a disc: the hull is a polygon.
    Disc,
    /// On the two rims of a cylinder.
    CylinderRims,
    /// On a unit sphere 10^7 from the origin.
    FarSphere,
}

impl Arrangement {
    /// The name in a row.
    fn name(self) -> &'static str {
        match self {
            Arrangement::Ball => "in a ball",
            Arrangement::Sphere => "on a sphere",
            Arrangement::CubeGrid => "grid on a cube",
            Arrangement::TurnedCubeGrid => "grid on a turned cube",
            Arrangement::Disc => "in a flat disc",
            Arrangement::CylinderRims => "rims of a cylinder",
            Arrangement::FarSphere => "on a sphere at 1e7",
        }
    }

    /// About `count` points.
    fn points(self, count: usize, random: &mut Random) -> Vec<DVec3> {
        match self {
            Arrangement::Ball => (0..count).map(|_| random.direction() * random.between(0.0, 1.0).cbrt()).collect(),
            Arrangement::Sphere => (0..count).map(|_| random.direction()).collect(),
            Arrangement::CubeGrid => cube_grid(count),
            Arrangement::TurnedCubeGrid => {
                let turn = random.rotation();
                cube_grid(count).into_iter().map(|point| turn * point).collect()
            }
            Arrangement::Disc => {
                (0..count).map(|_| random.between(0.0, 1.0).sqrt() * circle(random).extend(0.0)).collect()
            }
            Arrangement::CylinderRims => {
                (0..count).map(|i| circle(random).extend(if i % 2 == 0 { -1.0 } else { 1.0 })).collect()
            }
            Arrangement::FarSphere => (0..count).map(|_| DVec3::splat(1e7) + random.direction()).collect(),
        }
    }
}

/// A point of the unit circle.
fn circle(random: &mut Random) -> clearance::glam::DVec2 {
    clearance::glam::DVec2::from_angle(random.between(0.0, TAU))
}

/// The points of a grid on the surface of a cube, about `count`: whole numbers.
fn cube_grid(count: usize) -> Vec<DVec3> {
    let last = (count as f64 / 6.0).sqrt().round().max(1.0) as i32;
    let mut points = Vec::with_capacity(count);
    for x in 0..=last {
        for y in 0..=last {
            let inside = (1..last).contains(&x) && (1..last).contains(&y);
            let step = if inside { last } else { 1 };
            for z in (0..=last).step_by(step as usize) {
                points.push(DVec3::new(f64::from(x), f64::from(y), f64::from(z)));
            }
        }
    }
    points
}

/// What a row builds.
#[derive(Clone, Copy, Debug)]
enum Builder {
    /// The hull alone.
    Hull,
    /// A body ready for queries, with what it needs to search fast.
    Body,
}

/// The table.
const TABLE: &[(Arrangement, Builder)] = &[
    (Arrangement::Ball, Builder::Hull),
    (Arrangement::Sphere, Builder::Hull),
    (Arrangement::CubeGrid, Builder::Hull),
    (Arrangement::TurnedCubeGrid, Builder::Hull),
    (Arrangement::Disc, Builder::Hull),
    (Arrangement::CylinderRims, Builder::Hull),
    (Arrangement::FarSphere, Builder::Hull),
    (Arrangement::Sphere, Builder::Body),
];

/// A hull as every builder can state it.
struct Surface {
    dimension: u8,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    edges: usize,
    faces: usize,
    answers: Digest,
}

impl Surface {
    /// Our hull of the points.
    fn build(points: &[DVec3], builder: Builder) -> Result<Surface, LabError> {
        match builder {
            Builder::Hull => {
                let mesh = convex_hull(points).map_err(|error| LabError::BadCall(error.to_string()))?;
                Ok(Surface {
                    answers: Digest::of(&mesh),
                    dimension: mesh.dimension,
                    vertices: mesh.vertices.iter().map(|&index| points[index as usize]).collect(),
                    triangles: mesh.triangles,
                    edges: mesh.edges.len(),
                    faces: mesh.faces.len(),
                })
            }
            Builder::Body => {
                let hull = clearance::shape::ConvexHull::new(&arrays(points))?;
                Ok(Surface {
                    answers: Digest::of(&hull),
                    dimension: hull.dimension(),
                    vertices: hull.vertices().collect(),
                    triangles: hull.triangles().to_vec(),
                    edges: hull.edges().len(),
                    faces: hull.faces().count(),
                })
            }
        }
    }

    /// The corners of a triangle.
    fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|corner| self.vertices[corner as usize])
    }

    /// How often each fault was found.
    fn faults(&self, sample: &[DVec3]) -> BTreeMap<&'static str, u64> {
        let euler = self.vertices.len() + self.faces == self.edges + if self.dimension == 3 { 2 } else { 1 };
        let topology = match self.dimension {
            3 => closed_and_oriented(&self.triangles).is_ok() && euler_characteristic(&self.triangles) == 2,
            _ => euler_characteristic(&self.triangles) == 1,
        };
        let outside = sample.iter().filter(|&&point| self.is_outside(point)).count() as u64;
        let found = [
            ("vertices, edges and faces do not add up", u64::from(!euler)),
            ("the surface is not closed and oriented", u64::from(!topology)),
            ("points outside", outside),
        ];
        found.into_iter().filter(|fault| fault.1 > 0).collect()
    }

    /// Whether a point is outside the hull, decided exactly.
    fn is_outside(&self, point: DVec3) -> bool {
        let mut triangles = self.triangles.iter().map(|&triangle| self.corners(triangle));
        if self.dimension == 3 {
            return triangles.any(|[a, b, c]| orient3d(a, b, c, point).is_positive());
        }
        // A polygon: in its plane, and in one of its triangles.
        !triangles.any(|[a, b, c]| {
            let Some((axis, sign)) = normal_axis(a, b, c) else { return false };
            let inside = |from, to| {
                let side = orient2d(axis, from, to, point);
                side.is_zero() || side == sign
            };
            orient3d(a, b, c, point).is_zero() && inside(a, b) && inside(b, c) && inside(c, a)
        })
    }
}

/// The points as the constructors of bodies take them.
fn arrays(points: &[DVec3]) -> Vec<[f64; 3]> {
    points.iter().map(|point| point.to_array()).collect()
}

/// What parry made of the points of a row.
struct Theirs {
    /// Vertices of its hull, or what it said or did instead.
    outcome: Result<usize, String>,
    /// Sampled points strictly outside its hull, and how far the farthest, relative to the extent of the points; not
    /// known for a body.
    outside: Option<(usize, f64)>,
}

impl Theirs {
    /// Builds once and inspects the result.
    fn look(peer: &ParryPoints, builder: Builder, sample: &[DVec3], extent: f64) -> Theirs {
        let built = match builder {
            Builder::Hull => peer.hull(),
            Builder::Body => peer.body().map(|vertices| (vertices, Vec::new())),
        };
        let (vertices, triangles) = match built {
            Ok(built) => built,
            Err(why) => return Theirs { outcome: Err(why), outside: None },
        };
        if triangles.is_empty() {
            return Theirs { outcome: Ok(vertices.len()), outside: None };
        }
        let excess = |point: DVec3| {
            let corners = triangles.iter().map(|triangle| triangle.map(|corner| vertices[corner as usize]));
            corners
                .filter(|[a, b, c]| orient3d(*a, *b, *c, point).is_positive())
                .map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero().dot(point - a) / extent)
                .fold(None, |farthest: Option<f64>, excess| Some(farthest.map_or(excess, |most| most.max(excess))))
        };
        let outside: Vec<f64> = sample.iter().filter_map(|&point| excess(point)).collect();
        let farthest = outside.iter().copied().fold(0.0, f64::max);
        Theirs { outcome: Ok(vertices.len()), outside: Some((outside.len(), farthest)) }
    }
}

/// How long parry may take for its first hull of a row.
const PEER_LIMIT: Duration = Duration::from_secs(20);

/// Whether parry comes to an end with the points of a row: run in a process of its own, which is killed at the limit,
/// because on some points its loop does not end and takes ever more memory.
fn ends_in_time(row: usize, count: usize, seed: u64) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let arguments = [row.to_string(), count.to_string(), seed.to_string()];
    let started = Command::new(program).arg("probe-hull").args(arguments).spawn();
    let mut child = started.map_err(|error| error.to_string())?;
    let begun = Instant::now();
    while begun.elapsed() < PEER_LIMIT {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("died ({status})")),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error.to_string()),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(format!("no end in {} s", PEER_LIMIT.as_secs()))
}

/// The work of the process that [`ends_in_time`] starts: one build by parry.
pub fn probe(row: usize, count: usize, seed: u64) {
    if let Some(&(arrangement, builder)) = TABLE.get(row)
        && let Some(peer) = ParryPoints::new(&arrangement.points(count, &mut Random::new(seed, arrangement as u64)))
    {
        match builder {
            Builder::Hull => drop(black_box(peer.hull())),
            Builder::Body => drop(black_box(peer.body())),
        }
    }
}

/// One row before it becomes text.
struct Measured {
    name: String,
    points: usize,
    surface: Surface,
    faults: BTreeMap<&'static str, u64>,
    /// Median milliseconds.
    our_time: f64,
    /// Median milliseconds; `None` without a peer, or where it built nothing.
    their_time: Option<f64>,
    theirs: Option<Theirs>,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let count = if options.quick { 10_000 } else { 100_000 };
    let measured = measure(count, REPEATS, options.seed, ends_in_time)?;
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    Ok(Report {
        experiment: EXPERIMENT.name,
        rows: measured.iter().map(row).collect(),
        cases: measured.len() as u64,
        more: vec![("points", json!(count)), ("points_checked", json!(SAMPLE.min(count)))],
        goals: Vec::new(),
        markdown: None,
        plot: Some(plot(&measured, count)),
        provenance: Provenance::here(1),
    })
}

/// Builds, checks and times every row.
/// Parry gets the points only where `ends` says that it comes to an end.
fn measure(
    count: usize,
    repeats: usize,
    seed: u64,
    ends: impl Fn(usize, usize, u64) -> Result<(), String>,
) -> Result<Vec<Measured>, LabError> {
    let row = |(row, &(arrangement, builder)): (usize, &(Arrangement, Builder))| {
        let mut random = Random::new(seed, arrangement as u64);
        let points = arrangement.points(count, &mut random);
        let sample: Vec<DVec3> =
            (0..SAMPLE.min(count)).map(|_| points[(random.bits() % points.len() as u64) as usize]).collect();
        let surface = Surface::build(&points, builder)?;
        let faults = surface.faults(&sample);
        let extent = surface.vertices.iter().map(|vertex| vertex.distance(points[0])).fold(0.0, f64::max);
        let peer = ParryPoints::new(&points);
        let theirs = peer.as_ref().map(|peer| match ends(row, count, seed) {
            Ok(()) => Theirs::look(peer, builder, &sample, extent),
            Err(why) => Theirs { outcome: Err(why), outside: None },
        });
        let racer = peer.as_ref().filter(|_| theirs.as_ref().is_some_and(|theirs| theirs.outcome.is_ok()));
        let (our_time, their_time) = time(&points, builder, racer, repeats);
        Ok(Measured {
            name: match builder {
                Builder::Hull => arrangement.name().into(),
                Builder::Body => format!("{}, body", arrangement.name()),
            },
            points: points.len(),
            surface,
            faults,
            our_time,
            their_time,
            theirs,
        })
    };
    TABLE.iter().enumerate().progress_count(TABLE.len() as u64).map(row).collect()
}

/// Median milliseconds of ours and of theirs, built in turn. Both were built once before, which warmed them up.
fn time(points: &[DVec3], builder: Builder, peer: Option<&ParryPoints>, repeats: usize) -> (f64, Option<f64>) {
    let coordinates = arrays(points);
    let ours = || match builder {
        Builder::Hull => drop(black_box(convex_hull(black_box(points)))),
        Builder::Body => drop(black_box(Shape::hull(black_box(&coordinates)))),
    };
    let theirs = |peer: &ParryPoints| match builder {
        Builder::Hull => drop(black_box(black_box(peer).hull())),
        Builder::Body => drop(black_box(black_box(peer).body())),
    };
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        our_times.push(milliseconds(ours));
        their_times.extend(peer.map(|peer| milliseconds(|| theirs(peer))));
    }
    (median(our_times), peer.map(|_| median(their_times)))
}

/// How long `work` takes.
fn milliseconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64() * 1e3
}

/// A row of the table.
fn row(measured: &Measured) -> Row {
    let Measured { name, points, surface, faults, our_time, their_time, theirs } = measured;
    let peer = their_time.map(|their_time| {
        let ratio = rounded(their_time / our_time, 3);
        Peer { name: ParryPoints::NAME, theirs: rounded(their_time, 3), ratio, worst_ratio: ratio }
    });
    let mut more =
        vec![("points", json!(points)), ("vertices", json!(surface.vertices.len())), ("faces", json!(surface.faces))];
    if let Some(Theirs { outcome, outside }) = theirs {
        more.push(("parry_vertices", outcome.as_ref().map_or_else(|why| json!(why), |vertices| json!(vertices))));
        more.push(("parry_outside", json!(outside.map(|outside| outside.0))));
        more.push(("parry_excess", json!(outside.map(|outside| outside.1))));
    }
    if !faults.is_empty() {
        more.push(("why", json!(faults)));
    }
    let wrong = faults.values().sum();
    Row { case: name.clone(), ours: rounded(*our_time, 3), unit: "ms", peer, wrong, answers: surface.answers, more }
}

/// The times as bars.
fn plot(measured: &[Measured], count: usize) -> Plot {
    let group = |measured: &Measured| {
        let theirs = measured.theirs.as_ref().map(|theirs| match (&theirs.outcome, measured.their_time) {
            (Ok(_), Some(time)) => Ok(time),
            (outcome, _) => Err(outcome.as_ref().err().cloned().unwrap_or_default()),
        });
        let bars = [Ok(measured.our_time)].into_iter().chain(theirs).collect();
        Group { label: measured.name.clone(), bars }
    };
    let peer = measured.first().and_then(|measured| measured.theirs.as_ref()).map(|_| ParryPoints::NAME.into());
    Plot {
        title: format!("Convex hull of about {count} points"),
        measure: "Median time in ms, on a logarithmic axis; shorter is faster".into(),
        chart: Chart::Bars {
            names: ["clearance".into()].into_iter().chain(peer).collect(),
            groups: measured.iter().map(group).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_of_every_arrangement_are_right() {
        for measured in measure(600, 1, 1, |_, _, _| Err("not asked".into())).unwrap() {
            assert!(measured.faults.is_empty(), "{}: {:?}", measured.name, measured.faults);
            assert_eq!(measured.theirs.is_some(), cfg!(feature = "peers"));
            let dimension = if measured.name.contains("disc") { 2 } else { 3 };
            assert_eq!(measured.surface.dimension, dimension, "{}", measured.name);
            assert_eq!(row(&measured).wrong, 0);
        }
    }

    #[test]
    fn a_grid_on_a_cube_has_no_point_twice_and_none_inside() {
        let mut points: Vec<[i64; 3]> =
            cube_grid(600).into_iter().map(|point| point.to_array().map(|x| x as i64)).collect();
        assert_eq!(points.len(), 602);
        assert!(points.iter().all(|point| point.iter().any(|&x| x == 0 || x == 10)));
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), 602);
    }

    #[test]
    fn a_damaged_hull_is_noticed() {
        let points = cube_grid(600);
        let mut open = Surface::build(&points, Builder::Hull).unwrap();
        assert!(open.faults(&points).is_empty() && open.is_outside(DVec3::splat(-1e-300)));
        open.triangles.pop();
        assert!(open.faults(&points).contains_key("the surface is not closed and oriented"));
        let cut = Surface::build(&points[..points.len() - 1], Builder::Hull).unwrap();
        assert_eq!(cut.faults(&points).get("points outside"), Some(&1));
        let disc = Arrangement::Disc.points(100, &mut Random::new(1, 1));
        let disc = Surface::build(&disc, Builder::Hull).unwrap();
        assert!(disc.is_outside(DVec3::Z * 1e-300) && disc.is_outside(DVec3::X * 2.0) && !disc.is_outside(DVec3::ZERO));
    }
}
