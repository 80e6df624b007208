//! A robot as a scene: its bodies as they were tested, those of its links, of what they carry and of what stands about
//! it, in a frame for each configuration.

use clearance::answer::Distance;
use clearance::{Pose, Shape, distance};
use clearance_check::Error;
use clearance_robot::{Checker, PlacedBody, State};

use crate::{Scene, ScenePart, Timeline, Track};

/// The unit of robots.
pub(crate) const UNIT: Option<&str> = Some("m");

/// A configuration that is shown, and the time of its frame.
pub(crate) struct Frame {
    pub time: f64,
    pub q: Vec<f64>,
}

/// The robot in all frames, which are in the order of their times, with nothing said about it yet. Its parts are the
/// bodies of the checker.
pub(crate) fn scene(checker: &Checker, label: &str, frames: &[Frame]) -> Result<Scene, Error> {
    let mut state = checker.state();
    let (mut shapes, mut parts, mut tracks) = (Shapes::default(), Vec::new(), Vec::<Track>::new());
    for frame in frames {
        let bodies = checker.placed_bodies(&mut state, &frame.q).map_err(Error::from)?;
        if parts.is_empty() {
            let mut part = |(name, body): (String, &PlacedBody<'_>)| {
                let (mesh, pose) = (shapes.number(body.shape), body.pose);
                ScenePart { name, mesh, pose }
            };
            parts = names(checker, &bodies).into_iter().zip(&bodies).map(&mut part).collect();
            tracks = (0..bodies.len()).map(|part| Track { part, poses: Vec::with_capacity(frames.len()) }).collect();
        }
        tracks.iter_mut().zip(&bodies).for_each(|(track, body)| track.poses.push(body.pose));
    }
    tracks.retain(|track| track.poses.iter().any(|pose| *pose != track.poses[0]));
    let mut scene = Scene::of_bodies(&shapes.0, parts)?;
    let robot = checker.robot();
    scene.title.clone_from(&robot.description().name);
    scene.unit = UNIT.map(str::to_owned);
    scene.notes.extend_from_slice(robot.notes());
    let times = frames.iter().map(|frame| frame.time).collect();
    scene.timeline = Some(Timeline { label: label.into(), times, tracks });
    Ok(scene)
}

/// The names of all bodies: those of what they belong to, with a number if it has several.
pub(crate) fn names(checker: &Checker, bodies: &[PlacedBody<'_>]) -> Vec<String> {
    let name = |number: usize| {
        let owner = bodies[number].owner;
        let is_same = |other: &&PlacedBody<'_>| other.owner == owner;
        let name = checker.name(owner);
        match bodies.iter().filter(is_same).count() {
            1 => name.to_owned(),
            _ => format!("{name} ({})", bodies[..=number].iter().filter(is_same).count()),
        }
    };
    (0..bodies.len()).map(name).collect()
}

/// The values of all joints, in words.
pub(crate) fn configuration(checker: &Checker, q: &[f64]) -> (String, String) {
    let variables = checker.robot().variables();
    let values: Vec<String> = variables.iter().zip(q).map(|(of, value)| format!("{} = {value}", of.name)).collect();
    ("configuration".into(), values.join(", "))
}

/// The two bodies of a pair in a configuration.
pub(crate) struct Sides<'c> {
    /// Their numbers among the parts of the scene.
    pub parts: [usize; 2],
    pub shapes: [&'c Shape; 2],
    pub poses: [Pose; 2],
}

impl Sides<'_> {
    pub fn of<'c>(checker: &'c Checker, state: &mut State, q: &[f64], pair: usize) -> Result<Sides<'c>, Error> {
        let (shapes, poses) = checker.bodies(state, q, pair).map_err(Error::from)?;
        Ok(Sides { parts: checker.pairs()[pair].bodies(), shapes, poses })
    }

    /// How far apart they are, without padding, and where they are nearest.
    pub fn nearest(&self) -> (Distance, [[f64; 3]; 2]) {
        let found = distance(self.shapes[0], &self.poses[0], self.shapes[1], &self.poses[1]);
        let points = found.world_points(&self.poses[0], &self.poses[1]);
        (found, points.map(|point| point.to_array()))
    }
}

/// Shapes, each once.
#[derive(Default)]
struct Shapes(Vec<Shape>);

impl Shapes {
    fn number(&mut self, shape: &Shape) -> usize {
        self.0.iter().position(|known| known == shape).unwrap_or_else(|| {
            self.0.push(shape.clone());
            self.0.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use clearance::glam::DVec3;
    use clearance_robot::{Allowed, Attached, CheckOptions, LoadOptions, Object, Robot};

    use super::*;

    /// A hand that slides on a base, with two fingers alike that have no joint of their own.
    const HAND: &str = "<robot name='hand'>
      <link name='base'><collision><geometry><box size='1 1 0.2'/></geometry></collision></link>
      <link name='palm'>
        <collision><origin xyz='0 0.2 0'/><geometry><box size='0.1 0.1 0.4'/></geometry></collision>
        <collision><origin xyz='0 -0.2 0'/><geometry><box size='0.1 0.1 0.4'/></geometry></collision>
      </link>
      <joint name='slide' type='prismatic'><parent link='base'/><child link='palm'/>
        <origin xyz='0 0 1'/><axis xyz='0 1 0'/>
        <limit lower='-1' upper='1'/></joint>
    </robot>";

    #[test]
    fn bodies_are_shown_where_they_were_checked() {
        let robot = Robot::parse("hand.urdf", HAND, &LoadOptions::default()).unwrap();
        let ball = Object {
            name: "ball".into(),
            shape: Shape::sphere(0.1).unwrap(),
            pose: Pose::from_translation(DVec3::new(0.0, -0.5, 1.0)).unwrap(),
        };
        let can = Attached {
            name: "can".into(),
            link: "palm".into(),
            touch_links: Vec::new(),
            shape: Shape::sphere(0.05).unwrap(),
            pose: Pose::from_translation(DVec3::new(0.0, 0.0, 0.3)).unwrap(),
        };
        let (allowed, attached) = (Allowed::adjacent(&robot), vec![can]);
        let options = CheckOptions { allowed, world: vec![ball], attached, ..CheckOptions::default() };
        let checker = Checker::new(robot, options).unwrap();
        let frames = [0.0, 0.25, 0.5].map(|time| Frame { time, q: vec![-time] });
        let scene = scene(&checker, "t =", &frames).unwrap();
        let names: Vec<&str> = scene.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((scene.title.as_str(), names), ("hand", vec!["base", "palm (1)", "palm (2)", "can", "ball"]));
        // Fingers alike have one mesh; what rests has no track.
        assert_eq!((scene.parts[1].mesh, scene.meshes.len()), (scene.parts[2].mesh, 4));
        let timeline = scene.timeline.unwrap();
        let moving: Vec<usize> = timeline.tracks.iter().map(|track| track.part).collect();
        assert_eq!((moving, &timeline.times[..]), (vec![1, 2, 3], &[0.0, 0.25, 0.5][..]));
        assert_eq!(timeline.tracks[1].poses[2].translation(), DVec3::new(0.0, -0.7, 1.0));
        // The ball is nearer to the second finger; the pair names the very body.
        let mut state = checker.state();
        let parts: Vec<[usize; 2]> = (0..checker.pairs().len())
            .map(|pair| Sides::of(&checker, &mut state, &frames[1].q, pair).unwrap().parts)
            .collect();
        assert_eq!(parts, [[0, 3], [0, 4], [1, 4], [2, 4], [3, 4]]);
        let (nearest, [point, _]) = Sides::of(&checker, &mut state, &[0.0], 3).unwrap().nearest();
        assert!((nearest.gap.value - 0.15).abs() < 1e-12 && (point[1] + 0.25).abs() < 1e-12, "{nearest:?}");
        assert_eq!(configuration(&checker, &[0.5]), ("configuration".to_owned(), "slide = 0.5".to_owned()));
    }
}
