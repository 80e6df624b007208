//! What the command opens: files and pipes, read once; devices and folders are refused.

use std::io::Write;
use std::process::{Command, Stdio};

use clearance_check::Report;

use crate::common::{Folder, clearance, code, stderr};

const TRIANGLE: &str = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_hashed_as_it_was_read() {
    let folder = Folder::new("pipe");
    let file = folder.file("a.off", TRIANGLE);
    let of_file = clearance(&["check", file.to_str().unwrap(), "--json"]);
    let mut piped = Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(["check", "/dev/stdin", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    piped.stdin.take().unwrap().write_all(TRIANGLE.as_bytes()).unwrap();
    let of_pipe = piped.wait_with_output().unwrap();
    let [of_file, of_pipe] = [of_file, of_pipe].map(|output| {
        let report: Report = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        (report.inputs[0].sha256.clone(), report.inputs[0].triangles)
    });
    assert_eq!(of_file, of_pipe);
    // The SHA-256 of the text above, by `sha256sum`.
    assert_eq!(of_pipe.0, "fb24d942999fec35fed007b5f84ca44064f763225bc01c58ef70e281a1eff083");
}

#[cfg(unix)]
#[test]
fn devices_and_folders_are_refused() {
    let folder = Folder::new("devices");
    let robot = "<robot name='r'><link name='b'/><link name='a'><collision><geometry><box size='1 1 1'/></geometry>\
        </collision></link><joint name='j' type='continuous'><parent link='b'/><child link='a'/></joint></robot>";
    let (part, robot) = (folder.file("a.off", TRIANGLE), folder.file("r.urdf", robot));
    let (part, robot, folder) = (part.to_str().unwrap(), robot.to_str().unwrap(), folder.0.to_str().unwrap());
    for (arguments, what) in [
        (&["check", "/dev/zero"][..], "/dev/zero: is a device; a file or a pipe is needed"),
        (&["check", folder], "is a folder; a file or a pipe is needed"),
        (&["info", "/dev/zero"], "is a device"),
        (&["check", part, "--rules", "/dev/zero"], "is a device"),
        (&["diff", "/dev/zero", "/dev/zero"], "is a device"),
        (&["robot", "check", "/dev/zero"], "is a device"),
        (&["robot", "check", robot, "--srdf", "/dev/zero"], "is a device"),
        (&["robot", "check", robot, "--q", "0", "--world", "/dev/zero"], "is a device"),
        (&["robot", "check", robot, "--configs", "/dev/zero", "--world", part], "is a device"),
    ] {
        let output = clearance(arguments);
        assert!(code(&output) == 2 && stderr(&output).contains(what), "{arguments:?}: {}", stderr(&output));
    }
}
