//! The shell parts of the GitHub Action and the pre-commit hook, with a path and with an archive as a release has it, by
//! `file://` and by `https://`.

use crate::common;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use clearance_check::Report;

use common::{Folder, boxes, code, stderr, stdout};

const BINARY: &str = env!("CARGO_BIN_EXE_clearance");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// An archive as `cargo xtask release` makes it, with a script in place of the command, which is large: its address and
/// its SHA-256.
fn archive(folder: &Folder, name: &str) -> (String, String) {
    let inside = folder.0.join(name);
    std::fs::create_dir_all(inside.join("man/man1")).unwrap();
    let program = inside.join("clearance");
    std::fs::write(&program, format!("#!/bin/sh\nexec '{BINARY}' \"$@\"\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(inside.join("README.md"), "").unwrap();
    let archive = folder.0.join(format!("{name}.tar.gz"));
    let tar = Command::new("tar").args(["-czf", path(&archive), name]).current_dir(&folder.0).status().unwrap();
    assert!(tar.success());
    let sum = Command::new("sh").args(["-c", "sha256sum \"$0\" || shasum -a 256 \"$0\"", path(&archive)]).output();
    let sum = stdout(&sum.unwrap()).split(' ').next().unwrap().to_owned();
    (format!("file://{}", path(&archive)), sum)
}

/// The script of the only step of the action.
fn step() -> String {
    let action = read("action.yml");
    let (_, script) = action.split_once("      run: |\n").unwrap();
    let lines = script.lines().map(|line| line.strip_prefix("        ").unwrap_or_else(|| panic!("{line:?}")));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Runs the step as the runner does: the inputs are in the environment.
fn act(folder: &Folder, inputs: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step()]).current_dir(&folder.0);
    // All of them are set, empty if not given.
    for name in ["FILES", "ARGUMENTS", "BINARY", "ADDRESS", "SHA256"] {
        let value = inputs.iter().find(|(input, _)| *input == name).map_or("", |(_, value)| value);
        assert!(read("action.yml").contains(&format!("CLEARANCE_{name}: ${{{{ inputs.{} }}}}", name.to_lowercase())));
        command.env(format!("CLEARANCE_{name}"), value);
    }
    command.env("CLEARANCE", root().join("ci/clearance.sh")).env("CLEARANCE_CACHE", folder.0.join("cache"));
    for name in ["RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        command.env(name, folder.0.join(name));
    }
    std::fs::create_dir_all(folder.0.join("RUNNER_TEMP")).unwrap();
    for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        std::fs::write(folder.0.join(name), "").unwrap();
    }
    command.output().unwrap()
}

/// An assembly with a clash, and a clean one.
fn assemblies(folder: &Folder) {
    folder.file("a clash.obj", boxes(&[("base", [0.0; 3], [10.0; 3]), ("pin", [2.0, 2.0, 9.0], [3.0, 3.0, 12.0])]));
    folder.file("clean.obj", boxes(&[("base", [0.0; 3], [10.0; 3]), ("pin", [2.0, 2.0, 11.0], [3.0, 3.0, 12.0])]));
}

#[test]
fn the_action_checks_and_reports() {
    let folder = Folder::new("action");
    assemblies(&folder);
    let (address, sha256) = archive(&folder, "clearance-0.1.0-some-target");
    let sources = [
        vec![("BINARY", BINARY)],
        vec![("ADDRESS", address.as_str())],
        vec![("ADDRESS", address.as_str()), ("SHA256", sha256.as_str())],
        // The archive is unpacked by now, and not fetched again.
        vec![("ADDRESS", address.as_str()), ("SHA256", sha256.as_str())],
    ];
    for (number, source) in sources.iter().enumerate() {
        let run = |more: &[(&str, &str)]| act(&folder, &[&source[..], more].concat());
        let found = run(&[("FILES", "a clash.obj\n"), ("ARGUMENTS", "--unit\nmm\r\n")]);
        assert_eq!(code(&found), 1, "{number}: {}", stderr(&found));
        assert!(stdout(&found).contains("1 finding: 1 hard"), "{}", stdout(&found));
        let summary = std::fs::read_to_string(folder.0.join("GITHUB_STEP_SUMMARY")).unwrap();
        assert!(summary.starts_with("## Clearance: 1 finding"), "{summary}");
        let output = std::fs::read_to_string(folder.0.join("GITHUB_OUTPUT")).unwrap();
        let report = output.trim().strip_prefix("report=").unwrap();
        let report = Report::parse(report, &std::fs::read_to_string(report).unwrap()).unwrap();
        assert_eq!((report.findings.len(), report.unit.as_deref()), (1, Some("mm")));
        assert_eq!(code(&run(&[("FILES", "clean.obj")])), 0);
        let wrong = run(&[("FILES", "none.obj")]);
        assert!(code(&wrong) == 2 && stderr(&wrong).contains("none.obj"), "{}", stderr(&wrong));
        assert_eq!(std::fs::read_to_string(folder.0.join("GITHUB_OUTPUT")).unwrap(), "");
        if number == 2 {
            std::fs::remove_file(address.strip_prefix("file://").unwrap()).unwrap();
        }
    }
}

#[test]
fn binaries_that_cannot_be_had() {
    let folder = Folder::new("action-bad");
    assemblies(&folder);
    let (address, _) = archive(&folder, "clearance-0.1.0-some-target");
    let empty = folder.0.join("empty.tar.gz");
    let made = Command::new("tar").args(["-czf", path(&empty), "clean.obj"]).current_dir(&folder.0).status().unwrap();
    assert!(made.success());
    let text = folder.file("text.tar.gz", "no archive");
    let of = |file: &Path| format!("file://{}", path(file));
    let (empty, text, missing) = (of(&empty), of(&text), of(&folder.0.join("missing.tar.gz")));
    for (inputs, words) in [
        (vec![("BINARY", "no/such/clearance")], "no/such/clearance is not an executable file"),
        (vec![("ADDRESS", missing.as_str())], "cannot fetch file://"),
        (vec![("ADDRESS", text.as_str())], "not a .tar.gz archive"),
        (vec![("ADDRESS", empty.as_str())], "no `clearance` in the archive"),
        (vec![("ADDRESS", address.as_str()), ("SHA256", "00ff")], "expected 00ff"),
        (vec![("ADDRESS", "ftp://somewhere/x.tar.gz")], "expected https:// or file://, got ftp://"),
    ] {
        // Twice: what failed leaves nothing behind that would pass.
        for _ in 0..2 {
            let output = act(&folder, &[&inputs[..], &[("FILES", "clean.obj")]].concat());
            assert_eq!(code(&output), 2, "{inputs:?}: {}", stderr(&output));
            assert!(stderr(&output).contains(words), "{inputs:?}: {}", stderr(&output));
        }
    }
}

#[test]
fn the_hook_checks_each_file_on_its_own() {
    let folder = Folder::new("hook");
    assemblies(&folder);
    // Two clean files that would clash as one assembly.
    folder.file("clean too.STL.obj", boxes(&[("other", [5.0; 3], [6.0; 3])]));
    let (address, sha256) = archive(&folder, "clearance-0.1.0-some-target");
    let hooks = read(".pre-commit-hooks.yaml");
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: ")).unwrap();
    assert!(hooks.contains("language: script") && hooks.contains("require_serial: true"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(root().join(entry));
        command.args(arguments).current_dir(&folder.0).env("CLEARANCE_CACHE", folder.0.join("cache"));
        for name in ["CLEARANCE_BINARY", "CLEARANCE_ADDRESS", "CLEARANCE_SHA256"] {
            command.env_remove(name);
        }
        command.output().unwrap()
    };
    let (binary, address) = (format!("--binary={BINARY}"), format!("--address={address}"));
    for source in [vec![binary.as_str()], vec![&address], vec![&address, &format!("--sha256={sha256}")]] {
        let run = |more: &[&str]| run(&[&source[..], more].concat());
        let clean = run(&["clean.obj", "clean too.STL.obj"]);
        assert_eq!(code(&clean), 0, "{}{}", stdout(&clean), stderr(&clean));
        let found = run(&["--unit", "mm", "clean.obj", "a clash.obj", "clean too.STL.obj"]);
        assert_eq!(code(&found), 1, "{}", stderr(&found));
        assert_eq!(stdout(&found).matches("no findings").count(), 2, "{}", stdout(&found));
        assert!(stdout(&found).contains(" mm deep"), "{}", stdout(&found));
        assert_eq!(code(&run(&["a clash.obj", "none.obj", "clean.obj"])), 2);
        assert_eq!(code(&run(&["--no-such-option", "clean.obj"])), 2);
    }
    assert_eq!(code(&run(&[&binary])), 0, "no files are nothing to check");
}

/// A server of a folder's files by https, on this machine, with a certificate of its own. It ends with this.
struct Server {
    process: Child,
    address: String,
    certificate: PathBuf,
}

impl Server {
    /// None where OpenSSL is missing, or does not tell its port.
    fn of(folder: &Folder) -> Option<Server> {
        let certificate = folder.0.join("certificate.pem");
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "certificate.pem"])
            .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .current_dir(&folder.0)
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            return None;
        }
        let mut process = Command::new("openssl")
            .args(["s_server", "-WWW", "-key", "key.pem", "-cert", "certificate.pem", "-accept", "127.0.0.1:0"])
            .current_dir(&folder.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let output = process.stdout.take();
        let mut server = Server { process, address: String::new(), certificate };
        let port = BufReader::new(output?).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.strip_prefix("ACCEPT")?.rsplit_once(':')?;
            port.trim().parse::<u16>().ok()
        });
        server.address = format!("https://localhost:{}", port?);
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn archives_are_fetched_by_https() {
    let folder = Folder::new("action-https");
    assemblies(&folder);
    let (_, sha256) = archive(&folder, "clearance-0.1.0-some-target");
    let curl = Command::new("curl").arg("--version").output().is_ok_and(|output| output.status.success());
    let Some(server) = Server::of(&folder).filter(|_| curl) else {
        println!("SKIPPED: no openssl with `s_server`, or no curl");
        return;
    };
    let address = format!("{}/clearance-0.1.0-some-target.tar.gz", server.address);
    let certificate = server.certificate.clone();
    let hook = |trusted: bool, sha256: &str| {
        let mut command = Command::new(root().join("ci/pre-commit.sh"));
        command.args([&format!("--address={address}"), &format!("--sha256={sha256}"), "a clash.obj"]);
        command.current_dir(&folder.0).env("CLEARANCE_CACHE", folder.0.join("cache")).env("no_proxy", "localhost");
        // What else curl would believe: nothing that a machine is set up with knows this certificate.
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "CLEARANCE_BINARY"] {
            command.env_remove(name);
        }
        if trusted {
            command.env("CURL_CA_BUNDLE", &certificate);
        }
        command.output().unwrap()
    };
    let refused = hook(false, &sha256);
    assert_eq!(code(&refused), 2, "{}", stdout(&refused));
    assert!(stderr(&refused).contains("cannot fetch https://localhost:"), "{}", stderr(&refused));
    let other = hook(true, "00ff");
    assert!(code(&other) == 2 && stderr(&other).contains("expected 00ff"), "{}", stderr(&other));
    let found = hook(true, &sha256);
    assert_eq!(code(&found), 1, "{}", stderr(&found));
    assert!(stdout(&found).contains("1 finding: 1 hard"), "{}", stdout(&found));
    // Unpacked by now: no server is asked.
    drop(server);
    assert_eq!(code(&hook(false, &sha256)), 1);
}
