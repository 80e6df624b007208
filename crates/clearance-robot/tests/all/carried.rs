//! What links carry, paddings, contacts, trajectories, and what an SRDF takes out and puts in, each with answers known
//! by hand.

use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_robot::{
    Allowed, Attached, CheckOptions, Checker, Error, LoadOptions, MotionImpact, Object, PathSweep, Robot, Srdf,
    SweepOptions,
};

use crate::common::Folder;

/// An arm of a metre that turns about z, with a hand at its end that slides along it.
fn arm() -> Robot {
    let text = "<robot name='r'><link name='base'/>
      <link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
      <link name='hand'><collision><geometry><box size='0.1 0.2 0.2'/></geometry></collision></link>
      <joint name='turn' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint>
      <joint name='reach' type='prismatic'><parent link='arm'/><child link='hand'/><origin xyz='1.2 0 0'/>\
        <axis xyz='1 0 0'/>
        <limit lower='0' upper='1'/></joint></robot>";
    Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn carried(name: &str, link: &str, touch_links: &[&str], x: f64) -> Attached {
    Attached {
        name: name.into(),
        link: link.into(),
        touch_links: touch_links.iter().map(|&link| link.into()).collect(),
        shape: Shape::sphere(0.1).unwrap(),
        pose: at(x, 0.0, 0.0),
    }
}

fn post(x: f64, y: f64) -> Object {
    Object { name: "post".into(), shape: Shape::sphere(0.1).unwrap(), pose: at(x, y, 0.0) }
}

#[test]
fn what_is_carried_is_padded_as_its_link_and_may_touch_what_is_beside_it() {
    // Two balls in one hand that overlap, and one on the arm.
    let attached = vec![
        carried("left", "hand", &[], 0.2),
        carried("right", "hand", &["arm"], 0.3),
        carried("badge", "arm", &[], 0.5),
    ];
    let options = CheckOptions {
        allowed: Allowed::adjacent(&arm()),
        world: vec![post(0.0, 2.0)],
        attached,
        padding: 0.01,
        link_padding: vec![("hand".into(), 0.03)],
        ..CheckOptions::default()
    };
    let checker = Checker::new(arm(), options.clone()).unwrap();
    let named: Vec<([&str; 2], f64)> = (checker.pairs().iter())
        .map(|pair| ([checker.name(pair.a), checker.name(pair.b)], (100.0 * pair.padding).round()))
        .collect();
    let expected = [
        (["arm", "left"], 4.0),
        (["arm", "post"], 1.0),
        (["hand", "badge"], 4.0),
        (["hand", "post"], 3.0),
        (["left", "badge"], 4.0),
        (["left", "post"], 3.0),
        (["right", "badge"], 4.0),
        (["right", "post"], 3.0),
        (["badge", "post"], 1.0),
    ];
    assert_eq!(named, expected);
    // The outer ball reaches from 1.4 to 1.6, stretched by 0.4 the post at 2, from which its padding of 0.03 is off; a
    // quarter of a turn on.
    let mut state = checker.state();
    let (from, to) = ([0.0, 0.45], [3.0, 0.45]);
    let sweep = checker.sweep(&mut state, &from, &to, &SweepOptions::default()).unwrap();
    checker.verify_sweep(&sweep, &from, &to, &SweepOptions::default()).unwrap();
    let MotionImpact { pair, lower, upper, met, .. } = *sweep.impact.as_ref().unwrap();
    assert_eq!((checker.name(checker.pairs()[pair].a), met), ("right", true));
    // Two balls at 1.95 and 2 from the axis that are 0.23 apart.
    let cosine = (1.95_f64.powi(2) + 4.0 - 0.23_f64.powi(2)) / (2.0 * 1.95 * 2.0);
    let expected = (std::f64::consts::FRAC_PI_2 - cosine.acos()) / 3.0;
    assert!(
        lower <= expected + 1e-12 && expected <= upper + 1e-12 && upper - lower < 2e-5,
        "{lower} {upper} {expected}"
    );
    // Without its own padding the hand's is what all have.
    let thinner = Checker::new(arm(), CheckOptions { link_padding: Vec::new(), ..options }).unwrap();
    let later = thinner.sweep(&mut thinner.state(), &from, &to, &SweepOptions::default()).unwrap().impact.unwrap();
    assert!(later.lower > upper);
}

#[test]
fn trajectories_are_their_pieces() {
    let options =
        CheckOptions { world: vec![post(0.0, 1.25)], allowed: Allowed::adjacent(&arm()), ..Default::default() };
    let checker = Checker::new(arm(), options).unwrap();
    let options = SweepOptions { clearance: Some(1e-3), ..SweepOptions::default() };
    let points = [[-1.0, 0.0], [0.0, 0.0], [0.5, 0.0], [2.0, 0.0]];
    let times = [-2.0, 3.0, 3.5, 10.0];
    let mut state = checker.state();
    let whole = checker.sweep_path(&mut state, &points, Some(&times), &options).unwrap();
    checker.verify_path(&whole, &points, Some(&times), &options).unwrap();
    assert_eq!(whole.pieces.len(), 3);
    let impact = whole.impact.as_ref().unwrap();
    let part = whole.pieces[2].impact.as_ref().unwrap();
    assert_eq!((impact.lower, &impact.q, impact.pair), (3.5 + part.lower * 6.5, &part.q, part.pair));
    assert_eq!((whole.clearance, whole.stretches), (None, whole.pieces.iter().map(|piece| piece.stretches).sum()));
    // Until there it is free, with the least clearance of both pieces, at the end of the second.
    let free = checker.sweep_path(&mut state, &points[..3], Some(&times[..3]), &options).unwrap();
    checker.verify_path(&free, &points[..3], Some(&times[..3]), &options).unwrap();
    let least = free.clearance.unwrap();
    assert!(free.impact.is_none() && (least.at - 3.5).abs() < 0.01, "{least:?}");
    assert_eq!(
        least.lower,
        free.pieces.iter().map(|piece| piece.clearance.unwrap().lower).fold(f64::INFINITY, f64::min)
    );
    // The times are optional, and what is changed is refused.
    let untimed = checker.sweep_path(&mut checker.state(), &points, None, &options).unwrap();
    let impact = untimed.impact.as_ref().unwrap();
    assert!(2.0 <= impact.lower && impact.upper <= 3.0);
    let refused = |path: &PathSweep, times: &[f64]| {
        matches!(checker.verify_path(path, &points, Some(times), &options), Err(Error::Refused { .. }))
    };
    // Taken apart without `..`: a new field does not compile until it is perturbed below.
    let PathSweep { impact: Some(_), clearance: None, stretches: _, pieces: _ } = &whole else { panic!("{whole:?}") };
    assert!(refused(&whole, &[-2.0, 3.0, 3.5, 11.0]));
    assert!(refused(&PathSweep { clearance: free.clearance, ..whole.clone() }, &times));
    assert!(refused(&PathSweep { stretches: whole.stretches + 1, ..whole.clone() }, &times));
    assert!(refused(&PathSweep { impact: None, ..whole.clone() }, &times));
    assert!(refused(&PathSweep { pieces: whole.pieces[..2].to_vec(), ..whole.clone() }, &times));
    let later = MotionImpact { lower: impact.lower + 1.0, ..impact.clone() };
    assert!(refused(&PathSweep { impact: Some(later), ..whole.clone() }, &times));
    for (count, times) in
        [(1, None), (3, Some(&times[..2])), (2, Some(&[1.0, 1.0][..])), (2, Some(&[0.0, f64::NAN][..]))]
    {
        let wrong = checker.sweep_path(&mut state, &points[..count], times, &options);
        assert!(matches!(wrong, Err(Error::BadOption { .. })), "{count} {times:?}");
    }
}

#[test]
fn contacts_of_every_kind() {
    let folder = Folder::new("contacts");
    std::fs::write(folder.0.join("cube.dae"), cube_of_millimetres()).unwrap();
    let mesh = |name: &str| {
        format!("<link name='{name}'><collision><geometry><mesh filename='cube.dae'/></geometry></collision></link>")
    };
    let text = format!(
        "<robot name='r'>{}{}<joint name='x' type='prismatic'><parent link='a'/><child link='b'/>\
         <limit lower='-9' upper='9'/></joint></robot>",
        mesh("a"),
        mesh("b")
    );
    let robot = Robot::parse(folder.0.join("r.urdf"), &text, &LoadOptions::default()).unwrap();
    assert!(robot.notes().is_empty(), "{:?}", robot.notes());
    let ball = |radius: f64, x: f64| Object {
        name: "ball".into(),
        shape: Shape::sphere(radius).unwrap(),
        pose: at(x, 1.0, 1.5),
    };
    let contact = |world: Vec<Object>, padding: f64, q: f64, a: &str, b: &str| {
        let checker = Checker::new(robot.clone(), CheckOptions { world, padding, ..Default::default() }).unwrap();
        let is_it = |pair: &clearance_robot::Pair| checker.name(pair.a) == a && checker.name(pair.b) == b;
        let pair = checker.pairs().iter().position(is_it).unwrap();
        let found = checker.first_contact(&mut checker.state(), &[q], pair).unwrap();
        assert_eq!(found.is_some(), checker.hits(&mut checker.state(), &[q]).unwrap().contains(&pair));
        found
    };
    // Meshes that cross: the point is on the face of one, in both boxes, and the normal is that of a face.
    let crossed = contact(Vec::new(), 0.0, 0.75, "a", "b").unwrap();
    assert!(crossed.point.x > 0.75 - 1e-9 && crossed.point.x < 1.0 + 1e-9, "{crossed:?}");
    assert_eq!(contact(Vec::new(), 0.0, 1.5, "a", "b"), None);
    // Apart, and within the padding of both.
    let near = contact(Vec::new(), 0.26, 1.5, "a", "b").unwrap();
    assert!((near.point.x - 1.25).abs() < 1e-9 && near.normal.unwrap().abs_diff_eq(DVec3::X, 1e-9), "{near:?}");
    // A ball that pokes through the face at x = 1.
    let poked = contact(vec![ball(0.3, 1.2)], 0.0, 0.0, "a", "ball").unwrap();
    assert!((poked.point.x - 1.0).abs() < 0.11 && poked.normal.unwrap().dot(DVec3::X) > 0.9, "{poked:?}");
    // Wholly inside there is a common point, and no direction.
    let inside = contact(vec![ball(0.1, 0.5)], 0.0, 5.0, "a", "ball").unwrap();
    assert!((inside.point - DVec3::new(0.5, 1.0, 1.5)).length() < 0.6, "{inside:?}");
}

/// A box of 1000, 2000 and 3000 units of a millimetre from the origin, in polygons.
fn cube_of_millimetres() -> String {
    let mut points = String::new();
    for corner in 0..8 {
        let end = |axis: u32, length: u32| if corner >> axis & 1 == 1 { length } else { 0 };
        points += &format!("{} {} {} ", end(0, 1000), end(1, 2000), end(2, 3000));
    }
    format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema'><asset>\
         <unit name='millimeter' meter='0.001'/></asset>
         <library_geometries><geometry id='g'><mesh><source id='s'><float_array id='f' count='24'>{points}</float_array>
           <technique_common><accessor source='#f' count='8' stride='3'/></technique_common></source>
         <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>
         <polylist count='6'><input semantic='VERTEX' source='#v' offset='0'/><vcount>4 4 4 4 4 4</vcount>
           <p>0 4 6 2  1 3 7 5  0 1 5 4  2 6 7 3  0 2 3 1  4 5 7 6</p></polylist></mesh></geometry></library_geometries>
         <library_visual_scenes><visual_scene id='scene'><node><instance_geometry url='#g'/></node></visual_scene>\
           </library_visual_scenes>
         <scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
    )
}

#[test]
fn a_mirrored_mesh_of_collada_in_millimetres() {
    let folder = Folder::new("collada");
    std::fs::write(folder.0.join("cube.dae"), cube_of_millimetres()).unwrap();
    // Mirrored in x and twice as high: from -1 to 0, 0 to 2, 0 to 6; moved by 10 along y.
    let text = "<robot name='r'><link name='a'><collision><origin xyz='0 10 0'/><geometry>
        <mesh filename='cube.dae' scale='-1 1 2'/></geometry></collision></link></robot>";
    let robot = Robot::parse(folder.0.join("r.urdf"), text, &LoadOptions::default()).unwrap();
    assert!(robot.notes().is_empty(), "not a solid: {:?}", robot.notes());
    let ball =
        |x: f64, y: f64, z: f64| Object { name: "ball".into(), shape: Shape::sphere(0.5).unwrap(), pose: at(x, y, z) };
    let world = vec![ball(1.5, 11.0, 1.5), ball(-0.5, 11.0, 8.0), ball(-2.5, 11.0, 3.0), ball(-0.5, 11.0, 3.0)];
    let checker = Checker::new(robot, CheckOptions { world, ..CheckOptions::default() }).unwrap();
    let found = checker.distances(&mut checker.state(), &[]).unwrap();
    for (found, expected) in found.iter().zip([1.0, 1.5, 1.0, 0.0]) {
        assert!((found.gap.value - expected).abs() < 1e-12, "{found:?} {expected}");
    }
    // The last is inside, which a solid meets.
    assert_eq!(checker.always(), [3]);
}

#[test]
fn links_are_taken_out_as_a_whole_and_pairs_put_in_again() {
    let part = |name: &str| {
        format!("<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>")
    };
    let joint = |parent: &str, child: &str| {
        format!(
            "<joint name='{child}' type='continuous'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='1 0 0'/></joint>"
        )
    };
    let text = format!(
        "<robot name='r'>{}{}</robot>",
        ["a", "b", "c", "d"].map(part).concat(),
        [("a", "b"), ("b", "c"), ("c", "d")].map(|(parent, child)| joint(parent, child)).concat()
    );
    let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    let pairs = |inside: &str| {
        let srdf = Srdf::parse("r.srdf", &format!("<robot name='r'>{inside}</robot>"))?;
        let allowed = Allowed::from_srdf(&robot, &srdf);
        let checker = Checker::new(robot.clone(), CheckOptions { allowed, ..CheckOptions::default() })?;
        let name = |pair: &clearance_robot::Pair| [checker.name(pair.a), checker.name(pair.b)].concat();
        Ok::<Vec<String>, Error>(checker.pairs().iter().map(name).collect())
    };
    let out = "<disable_default_collisions link='b'/>";
    let [again, never] = [("enable", "d"), ("disable", "c")]
        .map(|(what, other)| format!("<{what}_collisions link1='{other}' link2='b' reason='User'/>"));
    assert_eq!(pairs(out).unwrap(), ["ac", "ad", "cd"]);
    assert_eq!(pairs(&format!("{again}{out}")).unwrap(), ["ac", "ad", "bd", "cd"]);
    // What is disabled one by one stays so, whatever is enabled.
    assert_eq!(
        pairs(&format!("{never}{out}{again}{}", never.replace("disable", "enable"))).unwrap(),
        ["ac", "ad", "bd", "cd"]
    );
    assert_eq!(pairs(&again).unwrap().len(), 6);
    // Links that the robot does not have change nothing, and are listed once each.
    let unknown = "<disable_default_collisions link='leg'/><disable_collisions link1='leg' link2='a'/>
        <enable_collisions link1='b' link2='foot'/>";
    assert_eq!(pairs(unknown).unwrap().len(), 6);
    let warnings =
        |inside: &str| Srdf::parse("r.srdf", &format!("<robot name='r'>{inside}</robot>")).unwrap().warnings(&robot);
    assert_eq!(warnings(unknown), ["r.srdf: ignored 2 links that the robot does not have: foot, leg"]);
    assert_eq!(warnings(out), [""; 0]);
    let [other] = &warnings("<disable_default_collisions link='leg'/>")[..] else { panic!() };
    assert!(other.ends_with("does not have: leg; it has none of them: is this its SRDF?"), "{other}");
    assert!(matches!(pairs("<enable_collisions link1='a'/>"), Err(Error::Malformed { .. })));
}

#[test]
fn seen_but_not_checked_is_noted() {
    let text = "<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/></geometry></visual></link>
        <link name='b'><visual><geometry><sphere radius='1'/></geometry></visual>
          <collision><geometry><sphere radius='1'/></geometry></collision></link><link name='c'/>
        <joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint>
        <joint name='bc' type='fixed'><parent link='b'/><child link='c'/></joint></robot>";
    let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    assert_eq!(robot.notes(), ["links with <visual> but no <collision>, which are not checked: a"]);
}
