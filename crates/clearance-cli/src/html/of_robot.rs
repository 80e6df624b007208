//! A robot as a scene: the collision bodies of its links as they were tested, in a frame for each configuration, and what stands about it.

use clearance::glam::DVec3;
use clearance::{Distance, Pose, Shape, distance};
use clearance_robot::{Allowed, CheckOptions, Checker, Object, Robot, State};

use super::{Scene, ScenePart, Timeline, Track};
use crate::error::Error;
use crate::robot::Surrounding;

/// The unit of robots.
pub(crate) const UNIT: Option<&str> = Some("m");

/// A robot to be shown, and its surroundings.
pub(crate) struct Stage {
    /// Its pairs are all bodies of links and of what they carry, each against one marker: it tells what they are and where.
    bodies: Checker,
    world: Vec<Object>,
    /// How many things are carried.
    carried: usize,
}

/// A configuration that is shown, and the time of its frame.
pub(crate) struct Frame {
    pub time: f64,
    pub q: Vec<f64>,
}

/// The two bodies of a pair in a configuration.
pub(crate) struct Sides<'c> {
    /// Their numbers among the parts of the scene.
    pub parts: [usize; 2],
    pub shapes: [&'c Shape; 2],
    pub poses: [Pose; 2],
}

impl Sides<'_> {
    /// How far apart they are, without padding, and where they are nearest.
    pub fn nearest(&self) -> (Distance, [[f64; 3]; 2]) {
        let found = distance(self.shapes[0], &self.poses[0], self.shapes[1], &self.poses[1]);
        let points = found.world_points(&self.poses[0], &self.poses[1]);
        (found, points.map(|point| point.to_array()))
    }
}

impl Stage {
    pub fn new(robot: Robot, surrounding: Surrounding) -> Result<Stage, Error> {
        let Surrounding { objects: world, attached } = surrounding;
        let (links, carried) = (robot.description().links.len(), attached.len());
        let mut allowed = Allowed::none();
        // What is carried counts on after the links.
        for one in 0..links + carried {
            (one + 1..links + carried).for_each(|other| allowed.insert(one, other));
        }
        // So far away that comparing balls settles every pair.
        let marker = Object {
            name: String::new(),
            shape: Shape::sphere(1.0).map_err(Error::usage)?,
            pose: Pose::from_translation(DVec3::splat(1e6)).map_err(Error::usage)?,
        };
        let options = CheckOptions { allowed, world: vec![marker], attached, ..CheckOptions::default() };
        let bodies = Checker::new(robot, options).map_err(Error::robot)?;
        Ok(Stage { bodies, world, carried })
    }

    /// The robot in all frames, which are in the order of their times, with nothing said about it yet.
    pub fn scene(&self, label: &str, frames: &[Frame]) -> Result<Scene, Error> {
        let mut state = self.bodies.state();
        let (mut shapes, mut parts, mut tracks) = (Shapes::default(), Vec::new(), Vec::new());
        for (number, pair) in self.bodies.pairs().iter().enumerate() {
            let mut poses = Vec::with_capacity(frames.len());
            for frame in frames {
                let ([shape, _], [pose, _]) = self.bodies.bodies(&mut state, &frame.q, number).map_err(Error::robot)?;
                if poses.is_empty() {
                    parts.push(ScenePart { name: self.name(number, pair.a), mesh: shapes.number(shape), pose });
                }
                poses.push(pose);
            }
            if poses.iter().any(|pose| *pose != poses[0]) {
                tracks.push(Track { part: number, poses });
            }
        }
        parts.extend(self.world.iter().map(|object| ScenePart {
            name: object.name.clone(),
            mesh: shapes.number(&object.shape),
            pose: object.pose,
        }));
        let mut scene = Scene::of_bodies(&shapes.0, parts)?;
        let robot = self.bodies.robot();
        scene.title.clone_from(&robot.description().name);
        scene.unit = UNIT.map(str::to_owned);
        scene.notes.extend_from_slice(robot.notes());
        let times = frames.iter().map(|frame| frame.time).collect();
        scene.timeline = Some(Timeline { label: label.into(), times, tracks });
        Ok(scene)
    }

    /// The bodies of a pair that a checker of the same robot and world has.
    pub fn sides<'c>(
        &self,
        checker: &'c Checker,
        state: &mut State,
        q: &[f64],
        pair: usize,
    ) -> Result<Sides<'c>, Error> {
        let (shapes, poses) = checker.bodies(state, q, pair).map_err(Error::robot)?;
        let pair = &checker.pairs()[pair];
        let parts = [self.part(q, pair.a, shapes[0], &poses[0])?, self.part(q, pair.b, shapes[1], &poses[1])?];
        Ok(Sides { parts, shapes, poses })
    }

    /// The values of all joints, in words.
    pub fn configuration(&self, q: &[f64]) -> (String, String) {
        let variables = self.bodies.robot().variables();
        let values: Vec<String> = variables.iter().zip(q).map(|(of, value)| format!("{} = {value}", of.name)).collect();
        ("configuration".into(), values.join(", "))
    }

    /// The part of a link or an object that has this shape there.
    fn part(&self, q: &[f64], owner: usize, shape: &Shape, pose: &Pose) -> Result<usize, Error> {
        let first_object = self.bodies.robot().description().links.len() + self.carried;
        if owner >= first_object {
            return Ok(self.bodies.pairs().len() + owner - first_object);
        }
        let mut state = self.bodies.state();
        for (number, _) in self.bodies.pairs().iter().enumerate().filter(|(_, pair)| pair.a == owner) {
            let ([own, _], [place, _]) = self.bodies.bodies(&mut state, q, number).map_err(Error::robot)?;
            if place == *pose && own == shape {
                return Ok(number);
            }
        }
        Err(Error::Usage(format!("the page: no body of `{}` is where it was checked", self.bodies.name(owner))))
    }

    /// The name of a body: that of its link, with a number if the link has several.
    fn name(&self, number: usize, link: usize) -> String {
        let is_same = |other: &&clearance_robot::Pair| other.a == link;
        let pairs = self.bodies.pairs();
        let name = self.bodies.name(link);
        match pairs.iter().filter(is_same).count() {
            1 => name.to_owned(),
            _ => format!("{name} ({})", pairs[..=number].iter().filter(is_same).count()),
        }
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
    use clearance_robot::{Attached, LoadOptions};

    use super::*;

    /// A hand that slides on a base, with two fingers alike that have no joint of their own.
    const HAND: &str = "<robot name='hand'>
      <link name='base'><collision><geometry><box size='1 1 0.2'/></geometry></collision></link>
      <link name='palm'>
        <collision><origin xyz='0 0.2 0'/><geometry><box size='0.1 0.1 0.4'/></geometry></collision>
        <collision><origin xyz='0 -0.2 0'/><geometry><box size='0.1 0.1 0.4'/></geometry></collision>
      </link>
      <joint name='slide' type='prismatic'><parent link='base'/><child link='palm'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/>
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
        let surrounding = Surrounding { objects: vec![ball.clone()], attached: vec![can.clone()] };
        let stage = Stage::new(robot.clone(), surrounding).unwrap();
        let frames = [0.0, 0.25, 0.5].map(|time| Frame { time, q: vec![-time] });
        let scene = stage.scene("t =", &frames).unwrap();
        let names: Vec<&str> = scene.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((scene.title.as_str(), names), ("hand", vec!["base", "palm (1)", "palm (2)", "can", "ball"]));
        // Fingers alike have one mesh; what rests has no track, and is shown although nothing is checked against it.
        assert_eq!((scene.parts[1].mesh, scene.meshes.len()), (scene.parts[2].mesh, 4));
        let timeline = scene.timeline.unwrap();
        let moving: Vec<usize> = timeline.tracks.iter().map(|track| track.part).collect();
        assert_eq!((moving, &timeline.times[..]), (vec![1, 2, 3], &[0.0, 0.25, 0.5][..]));
        assert_eq!(timeline.tracks[1].poses[2].translation(), DVec3::new(0.0, -0.7, 1.0));
        // The ball is nearer to the second finger; the pair names the very body.
        let (allowed, attached) = (Allowed::adjacent(&robot), vec![can]);
        let options = CheckOptions { allowed, world: vec![ball], attached, ..CheckOptions::default() };
        let checker = Checker::new(robot, options).unwrap();
        let mut state = checker.state();
        let parts: Vec<[usize; 2]> = (0..checker.pairs().len())
            .map(|pair| stage.sides(&checker, &mut state, &frames[1].q, pair).unwrap().parts)
            .collect();
        assert_eq!(parts, [[0, 3], [0, 4], [1, 4], [2, 4], [3, 4]]);
        let (nearest, [point, _]) = stage.sides(&checker, &mut state, &[0.0], 3).unwrap().nearest();
        assert!((nearest.value - 0.15).abs() < 1e-12 && (point[1] + 0.25).abs() < 1e-12, "{nearest:?}");
        assert_eq!(stage.configuration(&[0.5]), ("configuration".to_owned(), "slide = 0.5".to_owned()));
    }
}
