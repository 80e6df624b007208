//! Set-up and tests of this repository: `cargo xtask test` is the one test command.
//!
//! It needs only a Rust toolchain. What else it needs (crates, the wasm32 target; Node.js, Chromium, Python and its
//! packages) it fetches itself, each download tried three times, with a message.

mod book;
mod clock;
mod deny;
mod house;
mod python;
mod readme;
mod release;
mod viewer;

use std::process::{Command, ExitCode};

use clock::Clock;

const USAGE: &str = "\
Usage: cargo xtask <COMMAND>

Commands:
  test     set up and run all checks: format, rooms and imports, links, lints, unit, integration and doc tests,
           examples, the engine on wasm32, pages of `clearance --html` in Chromium, the Python package; that the
           committed page is up to date with viewer/; the dependency policy where cargo-deny is installed
  house    report the rooms of the engine: files, imports, circles, long files, functions and lines; fails if a rule
           is broken (--draw draws docs/rooms.svg, --long lists the long lines)
  book     build the documentation as one searchable site in target/book/html and check its links; installs mdBook
  deny     check the dependencies against deny.toml: licences, versions, sources, advisories; installs cargo-deny
  viewer   build the page of `clearance --html` into crates/clearance-view/page; needs Node.js
  python   test only the Python package: environment, wheel, tests, types
  readme   rerun the experiments in docs/benchmarks.md and update their tables; takes minutes, needs a quiet machine
  release  make the files of a release in target/release-files: the command with completions and manual pages, the
           wheel, the source distribution, checksums
  publish  dry-run publishing of every library crate; uploads nothing
  setup    only set up: fetch the locked crates and the components that the tests need
  help     print this help
";

/// How often a download is tried before it counts as failed.
const DOWNLOAD_TRIES: u32 = 3;
/// Features of the engine that are off by default. All tests run with them, so that the engine is built once; the
/// wasm32 check runs without them.
const FEATURES: [&str; 2] = ["--features", "clearance/serde,clearance/mint,clearance/nalgebra"];
const WASM_TARGET: &str = "wasm32-unknown-unknown";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_else(|| "help".into());
    let result = match command.as_str() {
        "test" => test(),
        "book" => book::build(),
        "deny" => deny::run(),
        "house" => house::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "python" => python::setup().and_then(|environment| python::test(&environment)),
        "readme" => readme::update(),
        "release" => release::run(),
        "publish" => release::publish_dry_run(),
        "viewer" => viewer::build(),
        "setup" => setup().map(|_| ()),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command `{other}`\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What the set-up found or made available.
struct Tools {
    /// Node.js and the packages of the viewer.
    node: bool,
    wasm: bool,
    python: python::Environment,
}

fn setup() -> Result<Tools, String> {
    step("fetch the crates of Cargo.lock", || download(&["fetch", "--locked"]))?;
    for component in ["rustfmt", "clippy"] {
        let probe = if component == "rustfmt" { "fmt" } else { component };
        if !succeeds("cargo", &[probe, "--version"]) {
            println!("xtask: installing the component {component}");
            retry("rustup", &["component", "add", component])?;
        }
    }
    let node = viewer::setup()?;
    let wasm = wasm_target();
    let python = step("what the tests of the Python package need", python::setup)?;
    Ok(Tools { node, wasm, python })
}

/// True when the engine can be checked for wasm32: the target is installed, or could be added.
fn wasm_target() -> bool {
    let installed =
        Command::new("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]).output().is_ok_and(|out| {
            out.status.success() && std::path::Path::new(String::from_utf8_lossy(&out.stdout).trim()).is_dir()
        });
    if installed {
        return true;
    }
    println!("xtask: installing the target {WASM_TARGET}");
    retry("rustup", &["target", "add", WASM_TARGET]).is_ok()
}

fn test() -> Result<(), String> {
    let clock = Clock::start();
    let tools = setup()?;
    step("rustfmt", || cargo(&["fmt", "--all", "--check"]))?;
    step("the house", house::test)?;
    step("links of the documentation", book::check_links)?;
    deny::test()?;
    if tools.node {
        viewer::compare()?;
    }
    // The whole workspace is built at once: building parts of it would build crates again wherever fewer of their
    // features are enabled.
    step("lints; unit, integration and doc tests, examples", || {
        cargo(&[&["test", "--locked", "--workspace"], &FEATURES[..]].concat())
    })?;
    if tools.wasm {
        step("the engine on wasm32", || {
            cargo(&["check", "--locked", "--package", "clearance", "--target", WASM_TARGET])
        })?;
    } else {
        println!("xtask: SKIPPED the engine on wasm32: the target cannot be installed here");
    }
    if tools.node {
        viewer::test()?;
    }
    step("the Python package", || python::test(&tools.python))?;
    println!("xtask: all green in {clock}");
    Ok(())
}

/// Runs a named step and prints how long it took.
fn step<T>(name: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    println!("xtask: {name}");
    let clock = Clock::start();
    let done = run().map_err(|message| format!("{name}: {message}"))?;
    println!("xtask: {name}: {clock}");
    Ok(done)
}

fn cargo(args: &[&str]) -> Result<(), String> {
    execute("cargo", args)
}

fn download(args: &[&str]) -> Result<(), String> {
    retry("cargo", args)
}

fn retry(program: &str, args: &[&str]) -> Result<(), String> {
    let mut last = String::new();
    for attempt in 1..=DOWNLOAD_TRIES {
        match execute(program, args) {
            Ok(()) => return Ok(()),
            Err(message) => {
                println!("xtask: try {attempt} of {DOWNLOAD_TRIES}: {message}");
                last = message;
            }
        }
    }
    Err(last)
}

fn execute(program: &str, args: &[&str]) -> Result<(), String> {
    // The same cases on every machine; a seed set by the user, and plain `cargo test`, draw others.
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| "1".into());
    let mut command = Command::new(program);
    command.args(args).env("PROPTEST_RNG_SEED", seed);
    // Clippy is the compiler, with its lints: it builds what it checks, so that nothing is compiled twice. The
    // variables are those that `cargo clippy -- -D warnings` sets.
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    if !is_incremental() {
        // Fewer codegen units build faster from scratch; more of them rebuild faster.
        command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "4");
    }
    let status = command.status();
    let status = status.map_err(|error| format!("cannot start {program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}` failed ({status})", args.join(" "))) }
}

/// Whether there is an earlier incremental build of the engine to reuse. Where there is none, as on a fresh machine,
/// creating one takes a good part of the total time.
fn is_incremental() -> bool {
    let kept = std::fs::read_dir(python::target().join("debug").join("incremental"));
    kept.is_ok_and(|kept| kept.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("clearance-")))
}

fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|out| out.status.success())
}
