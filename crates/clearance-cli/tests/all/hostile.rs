//! Files and conditions that are not kind: names with all that can be in them, outputs that are inputs, no place to
//! print, bombs.

use crate::common;

use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use clearance_check::{Finding, Report};
use common::{Folder, boxes, clearance, code, report, stderr, stdout};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Bytes as glTF has them in its text.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_eq!(bytes.len() % 3, 0);
    let word = |three: &[u8]| three.iter().fold(0_usize, |word, &byte| word << 8 | usize::from(byte));
    let letters = |word: usize| [18, 12, 6, 0].map(|by| char::from(LETTERS[word >> by & 63]));
    bytes.chunks(3).flat_map(|three| letters(word(three))).collect()
}

/// A glTF whose nodes are unit cubes, each with a name and a place along x.
fn cubes(nodes: impl Iterator<Item = (String, f64)>) -> String {
    let corners = (0..8_u8).flat_map(|k| [0, 1, 2].map(|axis| f32::from(k >> axis & 1)));
    let mut bytes: Vec<u8> = corners.flat_map(f32::to_le_bytes).collect();
    for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5_u16]] {
        bytes.extend([a, b, c, a, c, d].into_iter().flat_map(u16::to_le_bytes));
    }
    let nodes: Vec<serde_json::Value> =
        nodes.map(|(name, x)| serde_json::json!({"name": name, "mesh": 0, "translation": [x, 0.0, 0.0]})).collect();
    serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": (0..nodes.len()).collect::<Vec<_>>()}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
        "buffers": [{"byteLength": 168, "uri": format!("data:application/octet-stream;base64,{}", base64(&bytes))}]
    })
    .to_string()
}

/// Names that colour a line, erase one, forge a verdict, set a title, turn the order of text, end a span of code or a
/// cell, or are formulas.
const NAMES: [&str; 5] = [
    "=cmd|'/c calc'!A1\u{1b}[31m\nno findings\r",
    "\u{1b}]0;title\u{7}\u{9b}2J\u{7f}`a` \\| b | **c** <img src=x>",
    "\r@sum(1)\u{202e}txt\u{2066}\u{2028}\u{2029}\u{85}",
    "## heading\n| **hard** | `x` | `y` | 1 | forged | | `0` |",
    "\t+1\u{feff}",
];

/// What no output may hold but as line ends.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn assert_harmless(what: &str, text: &str, line_end: &str) {
    for line in text.split(line_end) {
        assert!(!line.contains(is_harmful), "{what}: {line:?}");
        assert!(!line.starts_with("no findings") && !line.starts_with("## heading"), "{what}: {text}");
    }
}

/// Every output of every command, of parts whose names do harm, in a file whose name does as well.
#[test]
fn names_do_no_harm() {
    let folder = Folder::new("hostile-names");
    // No two pairs are alike, so that each is a group of its own.
    let at = |k: f64| 0.75 * k + 0.01 * k * k;
    let content = cubes(NAMES.iter().zip(0..).map(|(name, k)| ((*name).to_owned(), at(f64::from(k)))));
    // Not every system has files of such names.
    let name = if cfg!(unix) { "a\u{1b}[31m|`*b*`\nno findings\u{9b}.gltf" } else { "a.gltf" };
    let file = folder.file(name, &content);
    let rules = folder
        .file("clearance.toml", "version = 1\n[[rule]]\nname = \"r|\\u001b[2J\\nno findings\"\nparts = [\"*\"]\n");
    let run = |what: &str, arguments: &[&str], expected: i32| -> String {
        let output = clearance(arguments);
        assert_eq!(code(&output), expected, "{what}: {}", stderr(&output));
        let line_end = if what.ends_with("csv") { "\r\n" } else { "\n" };
        assert_harmless(what, &stdout(&output), line_end);
        assert_harmless(&format!("{what}, stderr"), &stderr(&output), "\n");
        stdout(&output)
    };
    let path = text(&file);
    let plain = run("text", &["check", path], 1);
    assert!(plain.contains("           =cmd|'/c calc'!A1\\u{1b}[31m\\nno findings\\r  x  "), "{plain}");
    assert!(plain.contains("rule r|\\u{1b}[2J\\nno findings"), "{plain}");

    let table = run("md", &["check", path, "--md"], 1);
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 2 + 4, "{table}");
    for row in rows {
        assert_eq!(row.matches('|').count(), 8, "{row}");
        assert!(!row.contains("<img") && row.matches('`').count() % 2 == 0 && !row.contains("\\|"), "{row}");
    }
    assert!(table.contains("<code>") && !table.contains("*b*"), "{table}");

    let values = run("csv", &["check", path, "--csv"], 1);
    assert_eq!(values.matches("\r\n").count(), 5, "{values}");
    for line in values.split("\r\n") {
        assert!(
            !line.contains([',']) || line.split(',').all(|cell| !cell.trim_matches('"').starts_with(['=', '@'])),
            "{line}"
        );
    }
    assert!(values.contains(",'=cmd|") && values.contains(",'\\r@sum") && values.contains(",'\\t+1"), "{values}");
    run("junit", &["check", path, "--junit"], 1);
    let json = run("json", &["check", path, "--json"], 1);
    let whole: Report = serde_json::from_str(&json).unwrap();
    for name in NAMES {
        let is_named = whole.findings.iter().any(|found| found.a == name || found.b == name);
        assert!(is_named, "JSON says the names themselves: {name:?}");
    }
    run("info", &["info", path], 0);
    for command in ["distance", "depth", "volume"] {
        run(command, &[command, path, path, "--part-a", "*sum*", "--part-b", "*title*"], 0);
    }
    let poses = folder.file("poses", "0 0 0\n0 0 1\n");
    run("path", &["depth", path, path, "--part-a", "*sum*", "--part-b", "*cmd*", "--path", text(&poses)], 0);
    run("sweep", &["sweep", path, path, "--to", "0 0 1"], 1);
    run("nothing matches", &["distance", path, path, "--part-a", "none"], 2);

    let shards: Vec<_> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            let output = clearance(&["check", path, "--json", "--shard", shard]);
            folder.file(&shard.replace('/', "-"), output.stdout)
        })
        .collect();
    let merged = run("merge", &["merge", text(&shards[0]), text(&shards[1])], 1);
    assert_eq!(merged, plain);
    run("one shard", &["diff", text(&shards[0]), text(&shards[1])], 2);

    let old = folder.file("old.json", json.replace("\"findings\": [", "\"findings\": [],\n  \"was\": ["));
    let new = folder.file("new.json", &json);
    run("diff", &["diff", text(&old), text(&new)], 1);
    let table = run("diff md", &["diff", text(&old), text(&new), "--md"], 1);
    assert!(table.lines().filter(|line| line.starts_with('|')).all(|row| row.matches('|').count() == 6), "{table}");
    run("diff json", &["diff", text(&old), text(&new), "--json"], 1);

    // Rules that are suggested say the names themselves, and hold.
    let suggested = run("suggest", &["suggest", text(&new), "--all"], 0);
    std::fs::write(&rules, suggested).unwrap();
    assert_eq!(code(&clearance(&["check", path])), 0);

    // What is wrong with a file, or with the command line, repeats names.
    std::fs::write(&rules, "version = 1\n\"a\\u001b\\u009b\\nno findings\" = 1\n").unwrap();
    run("rules", &["check", path], 2);
    run("missing", &["check", "nowhere\u{1b}[2J\nno findings.stl"], 2);
    run("usage", &["check", path, "--solid", "x\u{1b}[2J\nno findings"], 2);
    run("usage=", &["check", path, "--solid=x\u{9b}2J\nno findings"], 2);
    let damaged = folder.file("damaged.gltf", content.replace("\"mesh\":0", "\"mesh\":7"));
    run("damaged", &["check", text(&damaged)], 2);

    let picture = folder.0.join("all.svg");
    run("picture", &["check", path, "--no-rules", "--picture", text(&picture)], 1);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(!picture.replace('\n', "").contains(is_harmful) && !picture.contains("<img"));
    assert!(!picture.contains(">no findings"), "a name is one line of a label");
}

#[test]
fn names_of_robots_do_no_harm() {
    let folder = Folder::new("hostile-robot");
    let arm = |mesh: &str| {
        format!(
            "<robot name='r&#10;free&#x9b;2J'>
  <link name='a&#10;0: free&#x202e;'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
  <link name='b'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
  <link name='c&#13;&#x85;'><collision><geometry>{mesh}</geometry></collision></link>
  <joint name='j&#10;k' type='continuous'><parent link='a&#10;0: free&#x202e;'/><child link='b'/></joint>
  <joint name='l' type='continuous'><parent link='b'/><child link='c&#13;&#x85;'/></joint>
</robot>"
        )
    };
    let whole = folder.file("arm.urdf", arm("<box size='1 1 1'/>"));
    let broken = folder.file("broken.urdf", arm("<mesh filename='package://x&#10;no findings/&#x9b;.stl'/>"));
    let path = folder.file("path.csv", "0,0\n1,1\n");
    for (arguments, expected) in [
        (vec!["check", text(&whole), "--q", "0 0"], 1),
        (vec!["check", text(&whole), "--q", "0"], 2),
        (vec!["check", text(&whole), "--q", "0 0", "--allow", "b,a\nno findings"], 2),
        (vec!["sweep", text(&whole), "--trajectory", text(&path)], 1),
        (vec!["acm", text(&whole), "--trials", "10", "--budget", "10"], 0),
        (vec!["check", text(&broken), "--q", "0 0"], 2),
    ] {
        let output = clearance(&[&["robot"], &arguments[..]].concat());
        assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
        assert_harmless("robot", &stdout(&output), "\n");
        assert_harmless("robot, stderr", &stderr(&output), "\n");
        assert!(!stdout(&output).lines().any(|line| line.starts_with("free") || line.starts_with("0: free")));
    }
    let output = clearance(&["robot", "check", text(&broken), "--q", "0 0"]);
    assert!(stderr(&output).lines().count() > 2, "paths that were tried have lines of their own: {}", stderr(&output));
}

/// What a command does where nothing can be printed: never a panic, and the exit code that says what was found.
#[cfg(unix)]
#[test]
fn nowhere_to_print() {
    use std::fs::{File, OpenOptions};
    use std::process::Stdio;

    let folder = Folder::new("nowhere");
    let (a, b) = (("a", [0.0; 3], [2.0; 3]), ("b", [1.0; 3], [3.0; 3]));
    let file = folder.file("two.obj", boxes(&[a, b]));
    let other = folder.file("other.obj", boxes(&[("c", [0.5; 3], [1.0; 3])]));
    let (two, other) = (text(&file), text(&other));
    let full = || -> Stdio { OpenOptions::new().write(true).open("/dev/full").unwrap().into() };
    // A pipe that nobody reads any more.
    let gone = || -> Stdio { std::io::pipe().unwrap().1.into() };
    let nothing = || -> Stdio { File::open("/dev/null").unwrap().into() };
    let command = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearance"));
        command.args(arguments);
        command
    };
    let commands: [(&[&str], i32); 8] = [
        (&["check", two], 1),
        (&["check", two, "--exit-zero", "--threads", "100000"], 0),
        (&["check", "nowhere.stl"], 2),
        (&["check"], 2),
        (&["--help"], 0),
        (&["depth", other, two], 0),
        (&["info", two], 0),
        (&["robot", "check", "nowhere.urdf", "--q", "0"], 2),
    ];
    for (arguments, expected) in commands {
        // Nobody hears the notes: the answer is what it is.
        for stderr in [full(), gone(), nothing()] {
            let output = command(arguments).stderr(stderr).output().unwrap();
            assert_eq!(code(&output), expected, "{arguments:?}");
            assert_eq!(output.stdout.is_empty(), expected == 2, "{arguments:?}");
        }
        // A reader that went away has seen enough.
        let output = command(arguments).stdout(gone()).output().unwrap();
        assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
        let output = command(arguments).stdout(gone()).stderr(gone()).output().unwrap();
        assert_eq!(code(&output), expected, "{arguments:?}");
        // Both closed.
        let mut shell = Command::new("sh");
        shell.args(["-c", "\"$0\" \"$@\" >&- 2>&-", env!("CARGO_BIN_EXE_clearance")]).args(arguments);
        assert_eq!(shell.status().unwrap().code(), Some(expected), "{arguments:?}");
        // A result that is lost is an error, and said, if there is anybody to tell.
        if expected < 2 && arguments != ["--help"] {
            let output = command(arguments).stdout(full()).output().unwrap();
            assert_eq!((code(&output), stderr(&output).contains("clearance: stdout: ")), (2, true), "{arguments:?}");
            let output = command(arguments).stdout(full()).stderr(full()).output().unwrap();
            assert_eq!(code(&output), 2, "{arguments:?}");
        }
    }
}

#[test]
fn threads_are_capped() {
    let folder = Folder::new("threads");
    let file = folder.file("two.obj", boxes(&[("a", [0.0; 3], [2.0; 3]), ("b", [1.0; 3], [3.0; 3])]));
    let run = |more: &[&str]| clearance(&[&["check", text(&file)], more].concat());
    let (one, many) = (run(&["--threads", "1"]), run(&["--threads", "100000"]));
    assert_eq!((code(&many), stdout(&many)), (1, stdout(&one)));
    assert!(stderr(&many).contains("--threads 100000: ") && !stderr(&one).contains("--threads"), "{}", stderr(&many));
    let quiet = run(&["--threads", "18446744073709551615", "--quiet"]);
    assert_eq!((code(&quiet), stderr(&quiet).as_str()), (1, ""));
}

/// No output replaces a file that the command reads, by whatever name, nor one that is plainly something else.
#[test]
fn inputs_are_not_overwritten() {
    let folder = Folder::new("overwrite");
    let content = boxes(&[("a", [0.0; 3], [2.0; 3]), ("b", [1.0; 3], [3.0; 3])]);
    let (file, other) = (folder.file("two.obj", &content), folder.file("other.obj", &content));
    let rules = folder.file("rules.toml", "version = 1\n");
    let beside = folder.file("clearance.toml", "version = 1\n");
    let poses = folder.file("poses", "0 0 0\n");
    let buffer = folder.file("buffer.bin", [0_u8, 1, 2, 3]);
    let urdf = folder.file("arm.urdf", "<robot name='r'><link name='a'/><link name='b'/></robot>");
    let srdf = folder.file("arm.srdf", "<robot name='r'/>");
    let mesh = folder.file("mesh.dae", "<COLLADA/>");
    let mut names = vec![
        text(&file).to_owned(),
        folder.0.join("../").join(folder.0.file_name().unwrap()).join("two.obj").display().to_string(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&file, folder.0.join("link")).unwrap();
        std::fs::hard_link(&file, folder.0.join("hard.svg")).unwrap();
        names.extend(["link", "hard.svg"].map(|name| folder.0.join(name).display().to_string()));
    }
    let shards: Vec<_> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            let output = clearance(&["check", text(&file), "--json", "--no-rules", "--shard", shard]);
            folder.file(&format!("{}.json", shard.replace('/', "-")), output.stdout)
        })
        .collect();
    let (one, two) = (text(&shards[0]), text(&shards[1]));
    let (path, other, poses, urdf, srdf) = (text(&file), text(&other), text(&poses), text(&urdf), text(&srdf));
    let note = folder.file("notes.md", "# Notes\n");
    let mut wrong: Vec<Vec<&str>> = vec![
        vec!["check", path, "--rules", text(&rules), "--picture", text(&rules)],
        vec!["check", path, "--picture", text(&beside)],
        vec!["check", path, "--html", text(&beside)],
        vec!["check", path, "--picture", text(&buffer)],
        vec!["check", path, "--html", text(&buffer)],
        vec!["merge", one, two, "--output", one],
        vec!["check", path, "--rules", text(&rules), "-o", text(&note)],
        vec!["merge", one, two, "--picture", path],
        vec!["merge", one, two, "--html", two],
        vec!["distance", path, other, "--html", other],
        vec!["depth", path, other, "--write", other],
        vec!["depth", path, other, "--html", other],
        vec!["depth", path, other, "--path", poses, "--html", poses],
        vec!["volume", path, other, "--html", path],
        vec!["sweep", path, other, "--html", other],
        vec!["sweep", path, other, "--to", "0 0 1", "--html", path],
        vec!["robot", "check", urdf, "--srdf", srdf, "--q", "0", "--html", srdf],
        vec!["robot", "check", urdf, "--configs", poses, "--html", poses],
        vec!["robot", "check", urdf, "--q", "0", "--world", path, "--html", path],
        vec!["robot", "sweep", urdf, "--trajectory", poses, "--html", poses],
        vec!["robot", "acm", urdf, "-o", urdf],
        vec!["robot", "acm", urdf, "-o", text(&mesh)],
    ];
    wrong.extend(names.iter().flat_map(|name| {
        [["--picture", name], ["--html", name]].map(|[option, name]| vec!["check", path, option, name])
    }));
    // Links whose ending names a format.
    #[cfg(unix)]
    let links = ["link.json", "link.svg"].map(|name| {
        std::fs::hard_link(&file, folder.0.join(name)).unwrap();
        folder.0.join(name).display().to_string()
    });
    #[cfg(unix)]
    for link in &links {
        wrong.extend([vec!["merge", one, two, "-o", link], vec!["check", path, "-o", link]]);
    }
    let all = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let mut files: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    };
    let before = all();
    for arguments in wrong {
        let output = clearance(&arguments);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{arguments:?}: {}", stderr(&output));
        let said = stderr(&output);
        let expected = ["this file is read by this command", "remove it first"];
        assert!(expected.iter().any(|why| said.contains(why)), "{arguments:?}: {said}");
        assert!(all() == before, "{arguments:?} changed a file");
    }
    let picture = folder.0.join("picture.svg");
    for _ in 0..2 {
        // What was written before is replaced.
        assert_eq!(code(&clearance(&["check", path, "--picture", text(&picture)])), 1);
    }
    let twice = clearance(&["merge", one, two, "--output", "new.json", "--picture", "new.json"]);
    assert!(code(&twice) == 2 && stderr(&twice).contains("two outputs"), "{}", stderr(&twice));
}

/// Rules that nobody named are named, in every form and however quiet.
#[test]
fn rules_beside_the_file_are_named() {
    let folder = Folder::new("beside");
    let file = folder.file("two.obj", boxes(&[("a", [0.0; 3], [2.0; 3]), ("b", [1.0; 3], [3.0; 3])]));
    let rules = folder.file("clearance.toml", "version = 1\n");
    let named = text(&rules);
    for form in [&[][..], &["--md"], &["--csv"], &["--junit"], &["--json"]] {
        let output = clearance(&[&["check", text(&file), "-q"], form].concat());
        assert_eq!(code(&output), 1);
        assert!(
            stdout(&output).contains(&named.replace('\\', "\\\\")) || stdout(&output).contains(named),
            "{form:?}: {}",
            stdout(&output)
        );
        assert_eq!(stderr(&output), format!("rules from {named}\n"), "{form:?}");
        let none = clearance(&[&["check", text(&file), "-q", "--no-rules"], form].concat());
        assert!(!stdout(&none).contains("clearance.toml") && stderr(&none).is_empty(), "{form:?}");
    }
    let given = clearance(&["check", text(&file), "-q", "--rules", named]);
    assert!(stdout(&given).contains(&format!("rules from {named}\n")) && stderr(&given).is_empty());
    let picture = folder.0.join("two.svg");
    assert_eq!(code(&clearance(&["check", text(&file), "-q", "--picture", text(&picture)])), 1);
    assert!(std::fs::read_to_string(&picture).unwrap().contains("clearance.toml</text>"));
}

/// More pairs than memory has room for are refused before they are held, with the figure and what to do.
#[test]
fn more_pairs_than_memory() {
    let folder = Folder::new("pairs");
    let node = |k: usize| (format!("cube{k}"), 0.0);
    let file = folder.file("bomb.gltf", cubes((0..20_000).map(node)));
    let run = |more: &[&str]| clearance(&[&["check", text(&file), "--no-depth"], more].concat());
    let output = run(&[]);
    let said = stderr(&output);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{said}");
    for part in ["more than 10,000,000 pairs", "20,000 parts, 199,990,000 pairs", "--pairs", "split", "--max-pairs"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // What it says to do helps.
    let few = folder.file("few.gltf", cubes((0..3_000).map(node)));
    let run = |more: &[&str]| clearance(&[&["check", text(&few), "--max-pairs", "20"], more].concat());
    let some = run(&["--pairs", "cube7:cube77*", "--json"]);
    assert_eq!(code(&some), 1, "{}", stderr(&some));
    let report: Report = serde_json::from_str(&stdout(&some)).unwrap();
    assert_eq!((report.counts.tested, report.findings.len()), (11, 11));
    assert_eq!(report.counts.skipped[0].pairs, 4_498_500 - 11);
    // Few pairs, too many findings.
    let small = folder.file("small.gltf", cubes((0..60).map(node)));
    let run = |more: &[&str]| clearance(&[&["check", text(&small)], more].concat());
    assert_eq!(code(&run(&["--max-pairs", "1770", "--max-findings", "1770"])), 1);
    let output = run(&["--max-pairs", "1769"]);
    assert!(code(&output) == 2 && stderr(&output).contains("more than 1,769 pairs"), "{}", stderr(&output));
    let output = run(&["--max-findings", "1769"]);
    assert!(code(&output) == 2 && stderr(&output).contains("more than 1,769 findings"), "{}", stderr(&output));
    // The same for two files, every part of the one with every part of the other.
    let output = clearance(&["distance", text(&file), text(&file)]);
    assert!(code(&output) == 2 && stderr(&output).contains("400,000,000 pairs"), "{}", stderr(&output));
    let output = clearance(&["sweep", text(&file), text(&file), "--to", "0 0 1"]);
    assert!(code(&output) == 2 && stderr(&output).contains("400,000,000 pairs"), "{}", stderr(&output));
}

/// A 3MF of a model.
fn threemf(resources: &str, build: &str) -> Vec<u8> {
    use std::io::Write;
    let model = format!(
        "<?xml version=\"1.0\"?><model unit=\"millimeter\" \
         xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">\
         <resources>{resources}</resources><build>{build}</build></model>"
    );
    let entries = [
        (
            "[Content_Types].xml",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>\
             </Types>",
        ),
        (
            "_rels/.rels",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
             <Relationship Target=\"/3D/3dmodel.model\" Id=\"rel0\" \
             Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>",
        ),
        ("3D/3dmodel.model", model.as_str()),
    ];
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A unit cube as an object of a 3MF.
fn cube_object(id: u32) -> String {
    let corners = (0..8_u8).map(|k| format!("<vertex x=\"{}\" y=\"{}\" z=\"{}\"/>", k & 1, k >> 1 & 1, k >> 2 & 1));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangle = |[a, b, c]: [u8; 3]| format!("<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
    let triangles = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).map(triangle);
    format!(
        "<object id=\"{id}\" name=\"cube{id}\" type=\"model\"><mesh><vertices>{}</vertices>\
         <triangles>{}</triangles></mesh></object>",
        corners.collect::<String>(),
        triangles.collect::<String>()
    )
}

/// Components that double nine times: 512 cubes on one spot.
#[test]
fn components_that_double() {
    let folder = Folder::new("doubling");
    let mut resources = cube_object(1);
    for id in 2..=10 {
        let component = format!("<component objectid=\"{}\"/>", id - 1);
        resources +=
            &format!("<object id=\"{id}\" type=\"model\"><components>{component}{component}</components></object>");
    }
    let file = folder.file("doubling.3mf", threemf(&resources, "<item objectid=\"10\"/>"));
    let output = clearance(&["check", text(&file)]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("130,816 tested") && stdout(&output).contains("130816 duplicate"),
        "{}",
        stdout(&output)
    );
    let json = clearance(&["check", text(&file), "--json"]);
    let now = folder.file("now.json", &json.stdout);
    assert_eq!(code(&clearance(&["suggest", text(&now)])), 0);
    let report: Report = serde_json::from_str(&stdout(&json)).unwrap();
    let first = &report.findings[0];
    let alike = |finding: &Finding| {
        (finding.gap, finding.points, &finding.clusters, finding.normal)
            == (first.gap, first.points, &first.clusters, first.normal)
    };
    assert!(report.findings.len() == 130_816 && report.findings.iter().all(alike));
}

/// Pairs that are measured once have, each, what they have alone, to the bit.
#[test]
fn what_is_reused_is_what_a_pair_has_alone() {
    let folder = Folder::new("reuse");
    // Three cubes that cross and touch, turned, each there three times; the third geometry is a copy of the first with
    // a name of its own.
    let places = [
        "0.8 0.6 0 -0.6 0.8 0 0 0 1 0.1 0.2 0.3",
        "1 0 0 0 0.6 0.8 0 -0.8 0.6 0.7 0.4 0.55",
        "1 0 0 0 1 0 0 0 1 -0.9 0.35 0.3",
    ];
    let item = |k: usize| format!("<item objectid=\"{}\" transform=\"{}\"/>", [1, 2, 3][k], places[k]);
    let resources = cube_object(1) + &cube_object(2) + &cube_object(3);
    let all: String = (0..9).map(|k| item(k % 3)).collect();
    let whole = report(&folder.file("all.3mf", threemf(&resources, &all)), &["--threads", "3", "--clearance", "0.75"]);
    let same = report(&folder.file("all.3mf", threemf(&resources, &all)), &["--threads", "1", "--clearance", "0.75"]);
    assert_eq!(whole, same);
    for pair in [[0, 1], [0, 2], [1, 2], [0, 0]] {
        let build: String = pair.iter().map(|&k| item(k)).collect();
        let alone = report(&folder.file("alone.3mf", threemf(&resources, &build)), &["--clearance", "0.75"]);
        let [expected] = &alone.findings[..] else { panic!("{pair:?}: {:?}", alone.findings) };
        let family = |name: &str| name.split('#').next().unwrap().to_owned();
        let of = |finding: &Finding| [family(&finding.a), family(&finding.b)];
        let found: Vec<&Finding> = whole.findings.iter().filter(|finding| of(finding) == of(expected)).collect();
        assert!(found.len() >= 3, "{pair:?}: {found:?}");
        for finding in found {
            let named =
                Finding { id: expected.id.clone(), a: expected.a.clone(), b: expected.b.clone(), ..finding.clone() };
            assert_eq!(&named, expected, "{pair:?}");
        }
    }
}
