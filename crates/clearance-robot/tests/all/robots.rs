//! Forward kinematics by hand, robots that are none, and the robots of the data folder.

use std::f64::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};

use clearance::Mesh;
use clearance::glam::DVec3;
use clearance_oracle::{OracleBody, signed_distance};
use clearance_robot::{Allowed, CheckOptions, Checker, Error, LoadOptions, LoadedMesh, Robot, Srdf};

fn robot(inside: &str) -> Result<Robot, Error> {
    Robot::parse("r.urdf", &format!("<robot name='r'>{inside}</robot>"), &LoadOptions::default())
}

fn links(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| {
            format!("<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>")
        })
        .collect()
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, more: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{more}</joint>")
}

#[test]
fn every_kind_of_joint_moves_as_it_should() {
    let limit = "<limit lower='-9' upper='9'/>";
    let made = robot(
        &[
            links(&["a", "b", "c", "d", "e", "f", "g"]),
            joint("turn", "revolute", "a", "b", &format!("<origin xyz='1 0 0'/><axis xyz='0 0 2'/>{limit}")),
            joint("spin", "continuous", "b", "c", "<origin xyz='0 1 0' rpy='0 0 0'/><axis xyz='1 0 0'/>"),
            joint("slide", "prismatic", "c", "d", &format!("<axis xyz='0 1 0'/>{limit}")),
            joint("weld", "fixed", "d", "e", "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>"),
            joint("glide", "planar", "a", "f", "<axis xyz='0 0 1'/>"),
            joint("fly", "floating", "a", "g", "<origin xyz='5 0 0'/>"),
        ]
        .concat(),
    )
    .unwrap();
    let names: Vec<&str> = made.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names[..6], ["turn", "spin", "slide", "glide/x", "glide/y", "glide/theta"]);
    assert_eq!(
        names[6..],
        ["fly/trans_x", "fly/trans_y", "fly/trans_z", "fly/rot_x", "fly/rot_y", "fly/rot_z", "fly/rot_w"]
    );
    let half = 0.5_f64.sqrt();
    let q = [FRAC_PI_2, FRAC_PI_2, 2.0, 3.0, 4.0, FRAC_PI_2, 0.0, 1.0, 0.0, 0.0, 0.0, half, half];
    let poses = made.link_poses(&q).unwrap();
    let near = |link: usize, point: [f64; 3], expected: [f64; 3]| {
        let found = poses[link].transform_point(point.into());
        assert!(found.abs_diff_eq(DVec3::from(expected), 1e-14), "{link}: {found} {expected:?}");
    };
    near(0, [0.0; 3], [0.0; 3]);
    near(1, [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]);
    // b's y is -x of the world; then y of c is z of b.
    near(2, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    near(2, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    near(3, [0.0; 3], [0.0, 0.0, 2.0]);
    near(4, [0.0; 3], [1.0, 0.0, 2.0]);
    near(5, [1.0, 0.0, 0.0], [3.0, 5.0, 0.0]);
    near(6, [1.0, 0.0, 0.0], [5.0, 2.0, 0.0]);
    assert!(poses.iter().all(|pose| pose.defect() < 1e-14));
    let mut flat = q;
    flat[9..].fill(0.0);
    assert!(matches!(made.link_poses(&flat), Err(Error::NotAValue { .. })));
}

#[test]
fn joints_that_follow_others() {
    let limit = "<limit lower='0' upper='1'/>";
    let follows = |joint: &str| format!("{limit}<mimic joint='{joint}' multiplier='-2' offset='0.5'/>");
    let made = robot(
        &[
            links(&["a", "b", "c", "d"]),
            joint("third", "prismatic", "a", "d", &follows("second")),
            joint("second", "prismatic", "a", "c", &follows("first")),
            joint("first", "prismatic", "a", "b", limit),
        ]
        .concat(),
    )
    .unwrap();
    assert_eq!(made.variables().len(), 1);
    let poses = made.link_poses(&[0.25]).unwrap();
    assert_eq!([1, 2, 3].map(|link| poses[link].translation().x), [0.25, 0.0, 0.5]);
    let circle = robot(&[links(&["a", "b"]), joint("j", "prismatic", "a", "b", &follows("j"))].concat());
    assert!(circle.unwrap_err().to_string().contains("mimics itself"));
    let nobody = robot(&[links(&["a", "b"]), joint("j", "prismatic", "a", "b", &follows("k"))].concat());
    assert!(matches!(nobody, Err(Error::UnknownJoint { .. })));
}

#[test]
fn robots_that_are_none() {
    let problem = |inside: &str| robot(inside).unwrap_err().to_string();
    assert!(problem("<link name='a'/>").contains("no link has a <collision>"));
    assert!(problem("").contains("cycle") || problem("").contains("tree"), "{}", problem(""));
    let two = [links(&["a", "b"])].concat();
    assert!(problem(&two).contains("more than one root link: a, b"));
    let both = [links(&["a", "b", "c"]), joint("j", "fixed", "a", "c", ""), joint("k", "fixed", "b", "c", "")].concat();
    assert!(problem(&both).contains("link `c` is the child of both joint `j` and joint `k`"));
    let round =
        [links(&["a", "b", "c"]), joint("j", "fixed", "b", "c", ""), joint("k", "fixed", "c", "b", "")].concat();
    assert!(problem(&round).contains("cycle"));
    let missing =
        "<link name='a'><collision><geometry><mesh filename='package://p/m.stl'/></geometry></collision></link>";
    let text = problem(missing);
    assert!(text.contains("link `a`: mesh `package://p/m.stl` was not found") && text.contains("--package"), "{text}");
    assert!(text.lines().filter(|line| line.starts_with("  ")).count() > 2, "{text}");
}

/// The folder of data, if it is there.
fn data() -> Option<PathBuf> {
    let given = std::env::var_os("CLEARANCE_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    given.or(Some(beside)).map(|folder| folder.join("robots")).filter(|folder| folder.is_dir())
}

/// That a robot made of its meshes as bytes is the same, to the bit.
fn comes_back(robot: &Robot, path: &Path, text: &str, count: usize) -> Robot {
    let sent =
        |loaded: &LoadedMesh| LoadedMesh { mesh: Mesh::from_bytes(&loaded.mesh.to_bytes()).unwrap(), ..loaded.clone() };
    let options = LoadOptions { meshes: robot.meshes().iter().map(sent).collect(), ..LoadOptions::default() };
    let again = Robot::parse(path, text, &options).unwrap();
    assert_eq!((again.notes(), again.variables()), (robot.notes(), robot.variables()));
    assert_eq!((again.meshes(), again.description()), (robot.meshes(), robot.description()));
    let checker = |robot: &Robot| {
        Checker::new(robot.clone(), CheckOptions { allowed: Allowed::adjacent(robot), ..CheckOptions::default() })
            .unwrap()
    };
    let (here, there) = (checker(robot), checker(&again));
    let configurations = robot.random_configurations(5, count);
    assert_eq!(here.pairs(), there.pairs());
    assert_eq!(here.always(), there.always());
    assert_eq!(here.first_hits(&configurations), there.first_hits(&configurations));
    assert_eq!(here.distances_batch(&configurations), there.distances_batch(&configurations));
    again
}

#[test]
fn a_robot_comes_back_where_its_files_are_not() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("comes_back");
    std::fs::create_dir_all(&folder).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    std::fs::write(folder.join("shut.obj"), format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")).unwrap();
    std::fs::write(folder.join("open.obj"), format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\n")).unwrap();
    let part = |name: &str, file: &str, scale: &str| {
        format!(
            "<link name='{name}'><collision><geometry><mesh filename='{file}' scale='{scale}'/></geometry>\
             </collision></link>"
        )
    };
    // One file by two names, mirrored, and one that bounds no solid, twice.
    let text = format!(
        "<robot name='r'>{}{}{}{}{}{}{}{}{}</robot>",
        part("a", "shut.obj", "1 1 1"),
        part("b", "./shut.obj", "1 1 1"),
        part("c", "shut.obj", "1 -1 2"),
        part("d", "open.obj", "1 1 1"),
        part("e", "./open.obj", "1 1 1"),
        joint("j", "continuous", "a", "b", "<origin xyz='2 0 0'/><axis xyz='0 1 1'/>"),
        joint("k", "continuous", "b", "c", "<origin xyz='2 0 0'/><axis xyz='1 0 1'/>"),
        joint("l", "continuous", "c", "d", "<origin xyz='1 1 0'/><axis xyz='1 1 0'/>"),
        joint("m", "continuous", "d", "e", "<origin xyz='1 0 1'/>"),
    );
    let path = folder.join("r.urdf");
    let robot = Robot::parse(&path, &text, &LoadOptions::default()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(matches!(Robot::parse(&path, &text, &LoadOptions::default()), Err(Error::MissingMesh { .. })));
    let names: Vec<&str> = robot.meshes().iter().map(|mesh| mesh.uri.as_str()).collect();
    assert_eq!(names, ["shut.obj", "./shut.obj", "shut.obj", "open.obj", "./open.obj"]);
    // Two names of one file count once.
    let note = "1 of 2 mesh files is not a solid and is checked as a surface, without interior: open.obj";
    assert_eq!(robot.notes(), [note]);
    let open: Vec<bool> = robot.meshes().iter().map(|mesh| mesh.why_open().is_some()).collect();
    assert_eq!(open, [false, false, false, true, true]);
    let again = comes_back(&comes_back(&robot, &path, &text, 150), &path, &text, 150);
    // The scale is part of the name: with another one a file is looked for.
    let mut meshes = again.meshes().to_vec();
    meshes[2].scale = DVec3::ONE;
    let missing = Robot::parse(&path, &text, &LoadOptions { meshes, ..LoadOptions::default() });
    assert!(matches!(missing, Err(Error::MissingMesh { link, .. }) if link == "c"));
}

#[test]
fn the_robots_of_the_data_folder() {
    let Some(folder) = data() else {
        println!("SKIPPED: no folder of robots; CLEARANCE_DATA names the folder of data");
        return;
    };
    // The robot, its links, its variables (ten joints of the PR2 and twelve of Talos follow others), and pairs of the
    // SRDF.
    let expected = [
        ("panda/panda.urdf", Some("panda/panda.srdf"), 13, 7, Some(34)),
        ("ur10/urdf/ur10_robot.urdf", Some("ur10/ur10.srdf"), 11, 6, Some(11)),
        ("kuka_iiwa/model.urdf", None, 8, 7, None),
        ("pr2/urdf/pr2.urdf", Some("pr2/srdf/pr2.srdf"), 82, 20, Some(1163)),
        ("talos/robots/talos_full_v2.urdf", Some("talos/srdf/talos.srdf"), 60, 32, Some(459)),
    ];
    for (urdf, srdf, links, variables, disabled) in expected {
        let robot =
            Robot::load(folder.join(urdf), &LoadOptions::default()).unwrap_or_else(|error| panic!("{urdf}: {error}"));
        println!("{urdf}: {} links, {} variables", robot.description().links.len(), robot.variables().len());
        assert!(robot.description().links.len() >= links && robot.variables().len() >= variables, "{urdf}");
        let Some(srdf) = srdf.map(|srdf| Srdf::read(folder.join(srdf)).unwrap()) else { continue };
        assert_eq!(Some(srdf.disabled.len()), disabled, "{urdf}");
        let mut changed = srdf.clone();
        changed.disabled.reverse();
        let again = Srdf::parse("again.srdf", &changed.to_text()).unwrap();
        assert_eq!((again.disabled, &again.states), (changed.disabled, &srdf.states), "{urdf}");
        if urdf.starts_with("panda") {
            let text = std::fs::read_to_string(folder.join(urdf)).unwrap();
            comes_back(&robot, &folder.join(urdf), &text, 200);
            let allowed = Allowed::from_srdf(&robot, &srdf);
            let checker = Checker::new(robot, CheckOptions { allowed, ..CheckOptions::default() }).unwrap();
            let mut state = checker.state();
            let q = checker.robot().state(&srdf.states[0], &checker.robot().middle()).unwrap();
            assert_eq!((checker.pairs().len(), checker.first_hit(&mut state, &q)), (21, Ok(None)));
        }
    }
}

/// Why coal's distances of the panda's `link6` count as its errors: the file has 17 materials, and coal 3.0.3 reads an
/// OBJ of several materials with the triangles of all but the first at points of the first. Here it measures 4, as
/// Pinocchio 4.1.0 loads the mesh; with one material it says 1.
#[test]
fn triangles_of_a_second_material_are_where_the_file_says() {
    const SAID_BY_COAL: f64 = 3.99999999995;
    let text = "o part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 3\nv 0 1 3\nv 0 0 3\nusemtl a\nf 1 2 3\nusemtl b\nf 4 5 6\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("two_materials.obj"), text).unwrap();
    let urdf = "<robot name='r'>
        <link name='part'><collision><geometry><mesh filename='two_materials.obj'/></geometry></collision></link>
        <link name='lid'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
        <joint name='up' type='prismatic'><parent link='part'/><child link='lid'/><axis xyz='0 0 1'/>
        <limit lower='0' upper='9'/></joint></robot>";
    let robot = Robot::parse(folder.join("two_materials.urdf"), urdf, &LoadOptions::default()).unwrap();
    let checker = Checker::new(robot, CheckOptions { allowed: Allowed::none(), ..CheckOptions::default() }).unwrap();
    let mut state = checker.state();
    let found = checker.distances(&mut state, &[4.5]).unwrap()[0];
    let ([a, b], [pose_a, pose_b]) = checker.bodies(&mut state, &[4.5], 0).unwrap();
    found.verify(a, &pose_a, b, &pose_b).unwrap();
    // In rational arithmetic: the least of both triangles.
    let lid = OracleBody::cuboid([0.5; 3]).translated([0.0, 0.0, 4.5]);
    let triangles =
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0.0, 3.0], [0.0, 1.0, 3.0], [0.0, 0.0, 3.0]]];
    let exact = triangles.map(|triangle| signed_distance(&OracleBody::hull(triangle.to_vec()), &lid));
    assert!(exact[0].compare(4.0).is_eq() && exact[1].compare(1.0).is_eq());
    assert!(exact[1].compare(SAID_BY_COAL).is_lt());
    assert!(found.gap.lower <= 1.0 && 1.0 <= found.gap.upper && found.gap.upper < SAID_BY_COAL, "{found:?}");
}
