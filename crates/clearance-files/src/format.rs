//! Which format a file is in, and the way to its reader.

use std::path::Path;

use crate::assembly::Assembly;
use crate::builder::Builder;
use crate::error::{Error, Place};
use crate::input::read_input;
use crate::limits::Limits;
use crate::note::NoteKind;
use crate::text::without_mark;
use crate::{gltf, obj, off, ply, stl, threemf};

/// A file format.
///
/// ```
/// use clearance_files::Format;
/// use std::path::Path;
///
/// assert_eq!(Format::detect(b"ply\nformat ascii 1.0\n", Path::new("wrong.stl")), Some(Format::Ply));
/// assert_eq!(Format::detect(b"v 0 0 0\n", Path::new("a.obj")), Some(Format::Obj));
/// assert_eq!(Format::detect(b"hello", Path::new("a.txt")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Stereolithography, ASCII or binary.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// Polygon File Format, ASCII or binary.
    Ply,
    /// Object File Format, ASCII.
    Off,
    /// glTF 2.0, text or binary (GLB).
    Gltf,
    /// 3D Manufacturing Format.
    ThreeMf,
}

impl Format {
    /// The format by the content of a file, else by the ending of its name; `None` if neither says.
    ///
    /// ```
    /// use clearance_files::Format;
    /// assert_eq!(Format::detect(b"OFF\n0 0 0\n", "a".as_ref()), Some(Format::Off));
    /// ```
    pub fn detect(bytes: &[u8], path: &Path) -> Option<Format> {
        Format::by_content(bytes).or_else(|| Format::by_ending(path))
    }

    /// The format by the ending of a file's name.
    ///
    /// ```
    /// use clearance_files::Format;
    /// assert_eq!(Format::by_ending("part.STL".as_ref()), Some(Format::Stl));
    /// ```
    pub fn by_ending(path: &Path) -> Option<Format> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "stl" => Format::Stl,
            "obj" => Format::Obj,
            "ply" => Format::Ply,
            "off" => Format::Off,
            "gltf" | "glb" => Format::Gltf,
            "3mf" => Format::ThreeMf,
            _ => return None,
        })
    }

    /// The format by the first bytes, and for binary STL by the length. OBJ has nothing that tells it.
    fn by_content(bytes: &[u8]) -> Option<Format> {
        let text = without_mark(bytes);
        let first = text.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
        let is_off = std::str::from_utf8(first).is_ok_and(|line| off::keyword(line.trim()).is_some());
        match text {
            _ if bytes.starts_with(gltf::MAGIC) => Some(Format::Gltf),
            _ if bytes.starts_with(threemf::MAGIC) => Some(Format::ThreeMf),
            [b'p', b'l', b'y', b'\n' | b'\r', ..] => Some(Format::Ply),
            _ if stl::is_binary(bytes) || stl::is_ascii(bytes) => Some(Format::Stl),
            _ if is_off => Some(Format::Off),
            _ if text.trim_ascii_start().starts_with(b"{") => Some(Format::Gltf),
            _ => None,
        }
    }
}

/// Reads a file; its content says in which format, or else the ending of its name. With the default [`Limits`].
///
/// # Errors
/// [`Error`], which names the file and the place in it.
///
/// ```
/// let path = std::env::temp_dir().join(format!("clearance-files-{}.obj", std::process::id()));
/// std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
/// let assembly = clearance_files::read(&path).unwrap();
/// assert_eq!(assembly.triangles(), 1);
/// std::fs::remove_file(&path).unwrap();
/// assert!(clearance_files::read(&path).is_err());
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Assembly, Error> {
    read_with(path, &Limits::default())
}

/// [`read`] with limits of the caller's choice. A file or a pipe, read once; devices and folders are refused.
///
/// # Errors
/// As [`read`].
///
/// ```
/// use clearance_files::{Error, Limits, read_with};
/// assert!(matches!(read_with("no such file.stl", &Limits::default()), Err(Error::Io { .. })));
/// ```
pub fn read_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Assembly, Error> {
    let path = path.as_ref();
    read_content(&read_input(path, limits.file)?, path, limits)
}

/// [`read_with`] of a file whose bytes were read already ([`read_input`]): they say what is in it, and what is hashed
/// beside is what was read. Files that it names are opened, below the folder of `path`.
///
/// # Errors
/// As [`read`].
///
/// ```
/// use clearance_files::{Limits, read_content};
/// let bytes = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// assert_eq!(read_content(bytes, "part.obj", &Limits::default()).unwrap().triangles(), 1);
/// ```
pub fn read_content(bytes: &[u8], path: impl AsRef<Path>, limits: &Limits) -> Result<Assembly, Error> {
    let path = path.as_ref();
    let format = Format::detect(bytes, path).ok_or_else(|| Error::UnknownFormat { path: path.to_owned() })?;
    let mut builder = Builder::new(path, bytes.len(), limits, true);
    if Format::by_ending(path).is_some_and(|ending| ending != format) {
        let what = format!("file whose name ends otherwise: its content is {format:?}");
        builder.notes.add(NoteKind::Assumed, &what, Place::Byte(0), 1);
    }
    parse(bytes, format, builder)
}

/// Reads a file that is in memory already. `name` is what errors, notes and nameless parts call it. No other file is
/// opened: a glTF file whose buffers lie beside it is refused.
///
/// # Errors
/// As [`read`].
///
/// ```
/// use clearance_files::{Format, Limits, read_bytes};
///
/// let assembly = read_bytes(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "a.off", Format::Off, &Limits::default());
/// assert_eq!(assembly.unwrap().parts[0].name, "a");
/// ```
pub fn read_bytes(bytes: &[u8], name: impl AsRef<Path>, format: Format, limits: &Limits) -> Result<Assembly, Error> {
    parse(bytes, format, Builder::new(name.as_ref(), bytes.len(), limits, false))
}

fn parse(bytes: &[u8], format: Format, mut builder: Builder) -> Result<Assembly, Error> {
    let path = builder.path;
    let parsed = match format {
        Format::Stl => stl::parse(bytes, &mut builder),
        Format::Obj => obj::parse(bytes, &mut builder),
        Format::Ply => ply::parse(bytes, &mut builder),
        Format::Off => off::parse(bytes, &mut builder),
        Format::Gltf => gltf::parse(bytes, &mut builder),
        Format::ThreeMf => threemf::parse(bytes, &mut builder),
    };
    parsed.map_err(|fault| fault.in_file(path))?;
    builder.finish().map_err(|notes| Error::NoTriangles { path: path.to_owned(), found: notes.in_a_line() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_change_nothing() {
        let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
            element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        let off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        for (text, format, path) in
            [(ply, Format::Ply, "a"), (off, Format::Off, "a"), (obj, Format::Obj, "a.obj"), ("{}", Format::Gltf, "a")]
        {
            let marked = format!("\u{feff}{text}");
            assert_eq!(Format::detect(marked.as_bytes(), path.as_ref()), Some(format));
            let [plain, marked] = [text, &marked].map(|text| read_content(text.as_bytes(), path, &Limits::default()));
            match (plain, marked) {
                (Ok(plain), Ok(marked)) => assert_eq!(plain.geometries, marked.geometries),
                (plain, marked) => assert_eq!(plain.unwrap_err(), marked.unwrap_err()),
            }
        }
    }
}
