//! Small files of robots that ask for much memory or work: each is refused by the limit it exceeds, or read in
//! proportion to its length.

use std::fmt::Write;

use clearance_robot::{Allowed, CheckOptions, Checker, Description, Error, LoadOptions, Robot, Srdf};

use crate::common::Folder;

const BOX: &str = "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>";

/// So many links in a row, each with what is inside it, joined by what `joint` says of each.
fn row(links: usize, inside: &str, joint: impl Fn(usize) -> String) -> String {
    let mut text = String::from("<robot name='r'>");
    for link in 0..links {
        write!(text, "<link name='l{link}'>{inside}</link>").unwrap();
    }
    for child in 1..links {
        let ends = format!("<parent link='l{}'/><child link='l{child}'/>", child - 1);
        write!(text, "<joint name='j{child}' {}{ends}<origin xyz='0.2 0 0'/></joint>", joint(child)).unwrap();
    }
    text + "</robot>"
}

/// One link with a mesh.
fn with_mesh(name: &str) -> String {
    let geometry = format!("<collision><geometry><mesh filename='{name}'/></geometry></collision>");
    format!("<robot name='r'><link name='a'>{geometry}</link></robot>")
}

/// With entities that expand to six gigabytes.
fn laughing(text: &str) -> String {
    let declared = format!("<!DOCTYPE robot [<!ENTITY a \"{}\">]>", "x".repeat(100_000));
    format!("{declared}{}", text.replace("</robot>", &format!("<group>{}</group></robot>", "&a;".repeat(60_000))))
}

#[test]
fn entities_are_not_expanded() {
    let urdf = laughing("<robot name='r'><link name='a'/></robot>");
    let error = Description::parse("r.urdf", &urdf).unwrap_err();
    assert!(matches!(error, Error::Malformed { .. }), "{error}");
    assert!(error.to_string().contains("entities are not expanded: replace them by their text"), "{error}");
    let error = Srdf::parse("r.srdf", &laughing("<robot name='r'></robot>")).unwrap_err().to_string();
    assert!(error.contains("entities are not expanded"), "{error}");
}

#[test]
fn a_hundred_thousand_links_are_read_in_linear_time() {
    let text = row(100_000, "", |_| "type='revolute'><limit lower='-1' upper='1'/>".into());
    // One has geometry, at the far end.
    let text = text.replace("<link name='l99999'>", &format!("<link name='l99999'>{BOX}"));
    let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    assert_eq!((robot.variables().len(), robot.link("l99999", "")), (99_999, Ok(99_999)));
    assert!(Allowed::adjacent(&robot) == Allowed::none());
    let names: Vec<String> = (1..100_000).map(|joint| format!("j{joint}")).collect();
    let q = robot.configuration(names.iter().map(|name| (name.as_str(), 0.5)), &robot.middle()).unwrap();
    assert!(q.iter().all(|&value| value == 0.5));
    // Every link taken out as a whole: pairs are not written out one by one.
    let taken_out: String = (0..100_000).map(|link| format!("<disable_default_collisions link='l{link}'/>")).collect();
    let srdf = format!("<robot name='r'>{taken_out}<enable_collisions link1='l7' link2='l5'/></robot>");
    let allowed = Allowed::from_srdf(&robot, &Srdf::parse("r.srdf", &srdf).unwrap());
    assert!(allowed.contains(5, 8) && !allowed.contains(5, 7) && !allowed.contains(5, 5));
    // What is carried and what stands about, whose numbers are higher, is checked all the same.
    assert!(!allowed.contains(5, 100_000));
}

#[test]
fn thousands_of_joints_that_follow_each_other() {
    let follows = |child: usize| match child {
        3999 => "type='continuous'>".to_owned(),
        _ => format!("type='continuous'><mimic joint='j{}' multiplier='-1' offset='0.5'/>", child + 1),
    };
    let text = row(4000, "", follows).replace("<link name='l0'>", &format!("<link name='l0'>{BOX}"));
    let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    assert_eq!(robot.variables().len(), 1);
    // j3998 is 0.5 - j3999, j3997 is 0.5 - j3998 = j3999, and so on.
    let poses = robot.link_poses(&[0.3]).unwrap();
    let angle = |link: usize| {
        let turned = poses[link - 1].rotation().transpose() * poses[link].rotation();
        turned.y_axis.z.atan2(turned.y_axis.y)
    };
    assert!((angle(3999) - 0.3).abs() < 1e-9 && (angle(3998) - 0.2).abs() < 1e-9 && (angle(1) - 0.3).abs() < 1e-9);
    let round = text
        .replace("<joint name='j3999' type='continuous'>", "<joint name='j3999' type='continuous'><mimic joint='j1'/>");
    let error = Robot::parse("r.urdf", &round, &LoadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::NotATree { .. }) && error.to_string().contains("mimics itself"), "{error}");
}

#[test]
fn mesh_names_of_thousands_of_folders() {
    let mesh = |name: &str| Robot::parse("r.urdf", &with_mesh(name), &LoadOptions::default()).unwrap_err();
    let error = mesh(&format!("package://{}a.stl", "folder/".repeat(5000)));
    assert!(error.to_string().contains("<mesh>: `filename` has 35015 bytes, more than 4096"), "{error}");
    let Error::MissingMesh { tried, .. } = mesh(&format!("package://{}a.stl", "f/".repeat(1000))) else { panic!() };
    assert!(tried.len() < 300, "{}", tried.len());
}

#[test]
fn three_thousand_bodies_are_refused_with_the_figure() {
    let text = row(3000, BOX, |_| "type='revolute'><limit lower='-1' upper='1'/>".into());
    let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    let error = Checker::new(robot.clone(), CheckOptions::default()).unwrap_err();
    assert_eq!(error, Error::TooManyPairs { bodies: 3000, pairs: 4_498_500, most: 1_000_000 });
    let message = error.to_string();
    for part in ["3000 bodies make 4498500 pairs", "more than 1000000", "disable_collisions", "CheckOptions::max_pairs"]
    {
        assert!(message.contains(part), "{message}");
    }
    let allowed = Allowed::adjacent(&robot);
    let error = Checker::new(robot.clone(), CheckOptions { allowed, ..CheckOptions::default() }).unwrap_err();
    assert_eq!(error, Error::TooManyPairs { bodies: 3000, pairs: 4_498_500 - 2999, most: 1_000_000 });
    // All but few taken out: what is left is checked.
    let taken_out: String = (0..3000).map(|link| format!("<disable_default_collisions link='l{link}'/>")).collect();
    let srdf = format!("<robot name='r'>{taken_out}<enable_collisions link1='l0' link2='l9'/></robot>");
    let allowed = Allowed::from_srdf(&robot, &Srdf::parse("r.srdf", &srdf).unwrap());
    let checker = Checker::new(robot, CheckOptions { allowed, ..CheckOptions::default() }).unwrap();
    assert_eq!(checker.pairs().len(), 1);
}

#[test]
fn more_bodies_than_pairs_can_be_counted() {
    let text = row(20_000, BOX, |_| "type='fixed'>".into());
    let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    let error = Checker::new(robot, CheckOptions::default()).unwrap_err();
    assert_eq!(error, Error::TooManyPairs { bodies: 20_000, pairs: 199_990_000, most: 1_000_000 });
}

#[test]
fn one_file_by_many_names_and_scales_is_read_once_and_limited() {
    let folder = Folder::new("scales");
    // A strip of 20,000 triangles.
    let mut text = String::new();
    for step in 0..20_002 {
        writeln!(text, "v {} {} 0", step / 2, step % 2).unwrap();
    }
    for step in 1..=20_000 {
        writeln!(text, "f {step} {} {}", step + 1, step + 2).unwrap();
    }
    let length = text.len();
    std::fs::write(folder.0.join("strip.obj"), text).unwrap();
    let urdf = |count: usize, scale: &dyn Fn(usize) -> String| {
        let mut text = String::from("<robot name='r'><link name='a'>");
        for number in 0..count {
            let name = format!("{}strip.obj", "./".repeat(number % 7));
            let geometry = format!("<mesh filename='{name}' scale='{}'/>", scale(number));
            write!(text, "<collision><geometry>{geometry}</geometry></collision>").unwrap();
        }
        text + "</link></robot>"
    };
    let path = folder.0.join("r.urdf");
    // So little may be read that the file fits once.
    let mut options = LoadOptions::default();
    options.limits.file = length as u64;
    let robot = Robot::parse(&path, &urdf(14, &|_| "1 1 1".into()), &options).unwrap();
    assert_eq!(robot.meshes().len(), 7);
    // So little may be held that some scales of it fit: a strip takes 0.7 MB, and the file is worth 43 MB.
    options.limits.geometry = 1 << 20;
    let error = Robot::parse(&path, &urdf(3000, &|number| format!("1 1 {}", 1 + number)), &options).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
    assert!(error.to_string().contains("link `a`") && error.to_string().contains("Limits::geometry"), "{error}");
}

#[test]
fn a_mesh_whose_parts_multiply_is_limited() {
    let folder = Folder::new("parts");
    // One triangle per node, of one mesh of many points.
    let count = 20_000;
    let nodes: Vec<String> = (0..5000).map(|node| format!("{{\"mesh\":0,\"translation\":[{node},0,0]}}")).collect();
    let shown: Vec<String> = (0..5000).map(|node| node.to_string()).collect();
    let text = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[{}]}}],\"nodes\":[{}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":{count}}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":{bytes}}}],\
         \"buffers\":[{{\"uri\":\"p.bin\",\"byteLength\":{bytes}}}]}}",
        shown.join(","),
        nodes.join(","),
        bytes = 12 * count,
    );
    std::fs::write(folder.0.join("m.gltf"), text).unwrap();
    std::fs::write(folder.0.join("p.bin"), vec![0; 12 * count]).unwrap();
    let error = Robot::parse(folder.0.join("r.urdf"), &with_mesh("m.gltf"), &LoadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_meshes() {
    let folder = Folder::new("fifo");
    assert!(std::process::Command::new("mkfifo").arg(folder.0.join("m.stl")).status().unwrap().success());
    for name in ["m.stl", "file:///dev/zero", "/dev/zero"] {
        // Nobody writes into the pipe, and the device has no end: opening either would wait.
        let error = Robot::parse(folder.0.join("r.urdf"), &with_mesh(name), &LoadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::MissingMesh { .. }), "{name}: {error}");
    }
    let error = Description::read("/dev/zero").unwrap_err().to_string();
    assert_eq!(error, "/dev/zero: is a device; a file or a pipe is needed");
}
