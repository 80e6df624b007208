//! How files are opened: those that a person names, and those that another file names.
//!
//! A person may name files and pipes (`<(zcat part.stl.gz)`, `/dev/stdin`); what has no end or no content, as devices
//! and folders, is refused before it is opened. Everything is read once, so that a hash of the bytes is a hash of what
//! was read.
//!
//! A file names another by plain components below its own folder, `%20` and the like resolved *before* that is tested:
//! nothing absolute, no `..`, no drive, no backslash. A symbolic link below the folder may stand for the file as long
//! as it leads to somewhere below the folder; one that leads out of it is refused, since the author of the folder
//! could name any file by it. Such files are regular files, tested before they are opened, since opening a pipe waits
//! for its other end. Hard links look like files. A URDF, whose meshes lie in packages and behind `..`, names
//! files of its own ([`read_regular`]): they are regular too, and what comes out of them is a mesh, or an error, which
//! quotes a word of them at most.

use std::fs::{File, FileType, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Place};
use crate::limits::too_long;

/// The bytes of a file or of a pipe that a person named, read once; see [`read_content`](crate::read_content()).
///
/// # Errors
/// [`Error::Io`] for what is neither a file nor a pipe (a device, a folder, a socket), and for what the system says;
/// [`Error::Limit`] for more than `most` bytes ([`Limits::file`](crate::Limits::file)).
///
/// ```
/// use clearance_files::{Error, read_input};
/// let folder = std::env::temp_dir();
/// let error = read_input(&folder, 100).unwrap_err();
/// assert!(error.to_string().ends_with("is a folder; a file or a pipe is needed"), "{error}");
/// ```
pub fn read_input(path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>, Error> {
    let path = path.as_ref();
    whole(path, most, &|kind| match kind {
        Kind::File | Kind::Pipe => Ok(()),
        Kind::Other(what) => Err(format!("is {what}; a file or a pipe is needed")),
    })
}

/// The bytes of a file that another file names: a regular file, tested before it is opened.
///
/// # Errors
/// As [`read_input`], and [`Error::Io`] for a pipe.
///
/// ```
/// use clearance_files::read_regular;
/// assert!(read_regular("no such file.stl", 100).is_err());
/// ```
pub fn read_regular(path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>, Error> {
    whole(path.as_ref(), most, &only_regular)
}

/// The bytes of a file as text.
///
/// # Errors
/// [`Error::Malformed`], which names the first byte that is not UTF-8.
///
/// ```
/// use clearance_files::utf8;
/// assert_eq!(utf8("a.urdf", b"<robot/>".to_vec()).unwrap(), "<robot/>");
/// let error = utf8("a.urdf", b"<robot name='\xff'/>".to_vec()).unwrap_err();
/// assert_eq!(error.to_string(), "a.urdf: byte 13: not UTF-8 text; save it as UTF-8");
/// ```
pub fn utf8(path: impl AsRef<Path>, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.utf8_error().valid_up_to() as u64);
        let problem = "not UTF-8 text; save it as UTF-8".into();
        Error::Malformed { path: path.as_ref().to_owned(), place, problem }
    })
}

/// What a name stands for.
enum Kind {
    File,
    Pipe,
    Other(&'static str),
}

impl Kind {
    fn of(file_type: FileType) -> Kind {
        if file_type.is_file() {
            return Kind::File;
        }
        if file_type.is_dir() {
            return Kind::Other("a folder");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            if file_type.is_fifo() {
                return Kind::Pipe;
            }
            if file_type.is_char_device() || file_type.is_block_device() {
                return Kind::Other("a device");
            }
        }
        Kind::Other("not a regular file")
    }
}

fn only_regular(kind: Kind) -> Result<(), String> {
    match kind {
        Kind::File => Ok(()),
        Kind::Pipe => Err("is a pipe; a file is needed".into()),
        Kind::Other(what) => Err(format!("is {what}; a file is needed")),
    }
}

fn io(path: &Path, problem: impl ToString) -> Error {
    Error::Io { path: path.to_owned(), problem: problem.to_string() }
}

/// Opens what is of a kind that is accepted: tested before, since opening may wait without end or do something, and
/// again after, of what was opened.
fn open(path: &Path, accept: &dyn Fn(Kind) -> Result<(), String>) -> Result<(File, Metadata), Error> {
    let before = std::fs::metadata(path).map_err(|error| io(path, error))?;
    accept(Kind::of(before.file_type())).map_err(|problem| io(path, problem))?;
    let file = File::open(path).map_err(|error| io(path, error))?;
    let opened = file.metadata().map_err(|error| io(path, error))?;
    accept(Kind::of(opened.file_type())).map_err(|problem| io(path, problem))?;
    Ok((file, opened))
}

/// All bytes, at most `most` of them.
fn whole(path: &Path, most: u64, accept: &dyn Fn(Kind) -> Result<(), String>) -> Result<Vec<u8>, Error> {
    let over = || Error::Limit { path: path.to_owned(), place: Place::File, problem: too_long(most).to_string() };
    let (file, metadata) = open(path, accept)?;
    if metadata.is_file() && metadata.len() > most {
        return Err(over());
    }
    let mut bytes = Vec::new();
    let length = if metadata.is_file() { metadata.len() as usize } else { 0 };
    bytes.try_reserve_exact(length).map_err(|_| io(path, format!("no memory for its {length} bytes")))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| io(path, error))?;
    if bytes.len() as u64 > most { Err(over()) } else { Ok(bytes) }
}

/// Appends to `bytes`, which are the first of a regular file, those that follow up to the number `end`.
pub(crate) fn read_on(path: &Path, bytes: &mut Vec<u8>, end: u64) -> Result<(), Error> {
    let (mut file, _) = open(path, &only_regular)?;
    let from = bytes.len() as u64;
    file.seek(SeekFrom::Start(from)).map_err(|error| io(path, error))?;
    file.take(end.saturating_sub(from)).read_to_end(bytes).map_err(|error| io(path, error))?;
    Ok(())
}

/// Where the file is that `uri` names, seen from a file in `folder`: below it, and nowhere else. Its full name without
/// symbolic links, so that two ways to name a file give the same.
///
/// # Errors
/// What is wrong with the name, without the place; words that follow it.
pub(crate) fn beside(folder: &Path, uri: &str) -> Result<PathBuf, String> {
    let name = percent_decoded(uri).ok_or("is not a file name")?;
    let mut below = PathBuf::new();
    let outside = "does not lie beside the file, or below: put it there, and name it by folders and `/` alone";
    // Backslashes and colons part folders and drives on some systems: one file means the same on all.
    if name.starts_with('/') || name.contains(['\\', ':']) {
        return Err(outside.into());
    }
    for component in name.split('/').filter(|component| !component.is_empty() && *component != ".") {
        let mut parts = Path::new(component).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(plain)), None) => below.push(plain),
            _ => return Err(outside.into()),
        }
    }
    if below.as_os_str().is_empty() {
        return Err("names no file".into());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let full = |path: &Path| path.canonicalize().map_err(|error| format!("cannot be opened: {error}"));
    let (folder, file) = (full(folder)?, full(&folder.join(below))?);
    if file.starts_with(&folder) {
        Ok(file)
    } else {
        Err("is a symbolic link that leads out of the folder of the file: put a copy there".into())
    }
}

/// `%20` and the like resolved; `None` where that is not UTF-8 or holds a zero byte.
fn percent_decoded(uri: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(uri.len()), uri.as_bytes());
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|name| !name.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_below_the_folder() {
        let folder = std::env::temp_dir().join(format!("clearance-beside-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("inner/deep")).unwrap();
        let inner = folder.join("inner");
        for file in ["outside.bin", "inner/a b.bin", "inner/deep/b.bin"] {
            std::fs::write(folder.join(file), "x").unwrap();
        }
        let root = inner.canonicalize().unwrap();
        for uri in ["a b.bin", "a%20b.bin", "./a%20b.bin", "%2E/a b.bin", ".//a%20b.bin"] {
            assert_eq!(beside(&inner, uri), Ok(root.join("a b.bin")), "{uri}");
        }
        assert_eq!(beside(&inner, "deep/b.bin"), Ok(root.join("deep/b.bin")));
        assert_eq!(beside(&inner, "deep%2Fb.bin"), Ok(root.join("deep/b.bin")));
        for uri in [
            "../outside.bin",
            "%2e%2e/outside.bin",
            "..%2Foutside.bin",
            "deep/../../outside.bin",
            "deep/../a b.bin",
            "..\\outside.bin",
            "..%5Coutside.bin",
            "/etc/passwd",
            "%2Fetc%2Fpasswd",
            "//etc/passwd",
            "C:/windows/win.ini",
            "C%3A%5Cwindows",
            "file:///etc/passwd",
            "http://example.org/a.bin",
            "a b.bin:stream",
        ] {
            let problem = beside(&inner, uri).unwrap_err();
            assert!(problem.contains("does not lie beside"), "{uri}: {problem}");
        }
        assert!(beside(&inner, "a%00.bin").is_err() && beside(&inner, "%ff").is_err());
        for uri in ["", ".", "./", "%2e"] {
            assert_eq!(beside(&inner, uri), Err("names no file".into()), "{uri}");
        }
        assert!(beside(&inner, "absent.bin").unwrap_err().contains("cannot be opened"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("deep/b.bin", inner.join("within")).unwrap();
            assert_eq!(beside(&inner, "within"), Ok(root.join("deep/b.bin")));
            symlink("../outside.bin", inner.join("out")).unwrap();
            symlink("/", inner.join("everything")).unwrap();
            for uri in ["out", "everything/etc/passwd"] {
                assert!(beside(&inner, uri).unwrap_err().contains("leads out"), "{uri}");
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn longer_than_the_limit() {
        let path = std::env::temp_dir().join(format!("clearance-long-{}", std::process::id()));
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(read_input(&path, 100).unwrap(), [7; 100]);
        assert!(matches!(read_input(&path, 99), Err(Error::Limit { .. })));
        let mut some = vec![7; 30];
        read_on(&path, &mut some, 60).unwrap();
        assert_eq!(some, [7; 60]);
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_pipes_only_where_a_person_names_them() {
        for device in ["/dev/zero", "/dev/null"] {
            let error = read_input(device, 100).unwrap_err().to_string();
            assert_eq!(error, format!("{device}: is a device; a file or a pipe is needed"));
        }
        let folder = std::env::temp_dir().join(format!("clearance-fifo-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let fifo = folder.join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo is a program of every Unix");
        // Nobody writes into it: opening it would wait without end.
        let error = read_regular(&fifo, 100).unwrap_err().to_string();
        assert!(error.ends_with("is a pipe; a file is needed"), "{error}");
        let writer = {
            let fifo = fifo.clone();
            std::thread::spawn(move || std::fs::write(fifo, "content").unwrap())
        };
        assert_eq!(read_input(&fifo, 100).unwrap(), b"content");
        writer.join().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
