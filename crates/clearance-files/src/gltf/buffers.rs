//! The binary side of glTF: buffers, views of them, accessors.
//!
//! A count is held against the bytes it describes before anything is allocated for it. The one accessor that has none,
//! a sparse one over zeros, may not be longer than the file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::draco::{self, Problem, Surface};
use super::json::Json;
use super::meshopt::{self, Filter, Mode};
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::input::{beside, read_on};
use crate::text::{finite, shortened};

/// Bytes of an index in memory.
pub(super) const INDEX: u64 = 4;

/// Buffers that have been loaded. A file that several of them name is read once.
pub(super) struct Buffers<'a> {
    root: Json<'a>,
    /// The binary chunk of a GLB file and where in the file it begins.
    chunk: Option<(&'a [u8], usize)>,
    loaded: BTreeMap<usize, Buffer<'a>>,
    /// The first bytes of files, by their full names: as many as the longest buffer that is in each.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Views that were compressed.
    decoded: BTreeMap<usize, Vec<u8>>,
}

/// Where bytes are taken from.
#[derive(Clone, Copy)]
enum Source {
    Buffer(usize),
    /// A view that was compressed.
    View(usize),
}

/// Where the bytes of a buffer are.
enum Buffer<'a> {
    Chunk(&'a [u8]),
    Data(Vec<u8>),
    File(PathBuf, usize),
}

/// The numbers of an accessor or of a part of a sparse one: where they are, and how they are written.
struct Layout {
    source: Source,
    start: usize,
    stride: usize,
    count: usize,
}

/// The type of a number.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(json: &Json) -> Result<Component, Fault> {
        let code = json.needed("componentType")?;
        Ok(match code.whole()? {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            other => return Err(code.fault(format!("{other} is not a component type"))),
        })
    }

    pub fn bytes(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// The number in the first bytes of `raw`, which has at least as many.
    pub fn value(self, raw: &[u8], normalized: bool) -> f64 {
        let (value, most) = match self {
            Component::I8 => (f64::from(i8::from_le_bytes(first(raw))), 127.0),
            Component::U8 => (f64::from(u8::from_le_bytes(first(raw))), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes(first(raw))), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes(first(raw))), 65535.0),
            Component::U32 => (f64::from(u32::from_le_bytes(first(raw))), 4294967295.0),
            Component::F32 => return f64::from(f32::from_le_bytes(first(raw))),
        };
        if normalized { f64::max(value / most, -1.0) } else { value }
    }
}

/// The first bytes of `raw`, which has at least as many.
fn first<const N: usize>(raw: &[u8]) -> [u8; N] {
    raw.first_chunk().copied().unwrap_or([0; N])
}

/// Appends triangles of indices of `N` bytes, with `first` added to each; returns the greatest index in the file.
fn append<const N: usize>(
    bytes: &[u8],
    number: impl Fn([u8; N]) -> u32,
    first: u32,
    triangles: &mut Vec<[u32; 3]>,
) -> Option<u32> {
    let raw = bytes.as_chunks::<N>().0.as_chunks::<3>().0;
    let mut greatest = 0;
    triangles.extend(raw.iter().map(|raw| {
        let [a, b, c] = raw.map(&number);
        greatest = greatest.max(a.max(b).max(c));
        // May wrap; the caller checks the greatest index and drops the triangles.
        [a, b, c].map(|corner| first.wrapping_add(corner))
    }));
    (!raw.is_empty()).then_some(greatest)
}

/// The extension of views that are compressed.
pub(super) const MESHOPT: &str = "EXT_meshopt_compression";

/// An extension of a value, if it has that.
pub(super) fn extension<'a>(json: &Json<'a>, name: &str) -> Result<Option<Json<'a>>, Fault> {
    match json.object("extensions")? {
        Some(extensions) => extensions.object(name),
        None => Ok(None),
    }
}

/// What is said of an accessor without data.
const NO_DATA: &str = "no `bufferView`: the accessor has no data";

impl<'a> Buffers<'a> {
    pub fn new(root: Json<'a>, chunk: Option<(&'a [u8], usize)>) -> Buffers<'a> {
        Buffers { root, chunk, loaded: BTreeMap::new(), files: BTreeMap::new(), decoded: BTreeMap::new() }
    }

    /// The bytes of a buffer that is loaded, or of a view that is decoded.
    fn bytes(&self, source: Source) -> &[u8] {
        let buffer = match source {
            Source::Buffer(buffer) => buffer,
            Source::View(view) => return self.decoded.get(&view).map_or(&[], Vec::as_slice),
        };
        match self.loaded.get(&buffer) {
            Some(Buffer::Chunk(bytes)) => bytes,
            Some(Buffer::Data(bytes)) => bytes,
            Some(Buffer::File(path, length)) => {
                self.files.get(path).and_then(|file| file.get(..*length)).unwrap_or(&[])
            }
            None => &[],
        }
    }

    /// The vectors of an accessor.
    pub fn vectors<const N: usize>(
        &mut self,
        index: usize,
        from: &Json,
        builder: &mut Builder,
    ) -> Result<Vec<[f64; N]>, Fault> {
        let accessor = self.root.entry("accessors", index, from)?;
        let wanted = format!("VEC{N}");
        if accessor.text("type") != Some(&wanted) {
            return Err(accessor.fault(format!("`type` must be {wanted}")));
        }
        self.numbers(&accessor, builder)
    }

    /// The whole numbers of an accessor.
    pub fn indices(&mut self, index: usize, from: &Json, builder: &mut Builder) -> Result<Vec<u32>, Fault> {
        let accessor = self.index_accessor(index, from)?;
        if accessor.member("sparse").is_some() {
            return Ok(self.numbers(&accessor, builder)?.into_iter().map(|[number]| number as u32).collect());
        }
        let (layout, component) = self.index_layout(&accessor, builder)?;
        builder.budget.bytes(layout.count as u64 * INDEX).map_err(|over| over.at(&accessor.place()))?;
        let whole: fn(&[u8]) -> u32 = match component {
            Component::U8 => |raw| u8::from_le_bytes(first(raw)).into(),
            Component::U16 => |raw| u16::from_le_bytes(first(raw)).into(),
            _ => |raw| u32::from_le_bytes(first(raw)),
        };
        Ok(self.elements(&layout, component.bytes()).map(|(_, raw)| whole(raw)).collect())
    }

    /// Appends the triangles of an index accessor to `triangles`, with `first` added to each index. Appends nothing and
    /// returns false if the indices are sparse, not contiguous, not a multiple of three, or not all below `most`.
    pub fn triangles(
        &mut self,
        index: usize,
        from: &Json,
        (first, most): (u32, u32),
        triangles: &mut Vec<[u32; 3]>,
        builder: &mut Builder,
    ) -> Result<bool, Fault> {
        let accessor = self.index_accessor(index, from)?;
        if accessor.member("sparse").is_some() {
            return Ok(false);
        }
        let (layout, component) = self.index_layout(&accessor, builder)?;
        let size = component.bytes();
        let bytes = self.bytes(layout.source).get(layout.start..).and_then(|rest| rest.get(..layout.count * size));
        let Some(bytes) = bytes.filter(|_| layout.stride == size && layout.count % 3 == 0) else { return Ok(false) };
        builder.budget.geometry(0, layout.count / 3).map_err(|over| over.at(&from.place()))?;
        let before = triangles.len();
        let greatest = match component {
            Component::U8 => append(bytes, |[corner]| u8::into(corner), first, triangles),
            Component::U16 => append(bytes, |raw| u16::from_le_bytes(raw).into(), first, triangles),
            _ => append(bytes, u32::from_le_bytes, first, triangles),
        };
        if greatest.is_some_and(|greatest| greatest >= most) {
            triangles.truncate(before);
            return Ok(false);
        }
        Ok(true)
    }

    fn index_accessor(&self, index: usize, from: &Json) -> Result<Json<'a>, Fault> {
        let accessor = self.root.entry("accessors", index, from)?;
        if accessor.text("type") != Some("SCALAR") {
            return Err(accessor.fault("`type` must be SCALAR"));
        }
        if !matches!(Component::of(&accessor)?, Component::U8 | Component::U16 | Component::U32) {
            let problem = "indices must be unsigned whole numbers: `componentType` 5121, 5123 or 5125";
            return Err(accessor.fault(problem));
        }
        Ok(accessor)
    }

    /// The layout of an index accessor, and the type of its indices.
    fn index_layout(&mut self, accessor: &Json<'a>, builder: &mut Builder) -> Result<(Layout, Component), Fault> {
        let component = Component::of(accessor)?;
        let count = accessor.needed("count")?.whole()?;
        if accessor.member("bufferView").is_none() {
            return Err(accessor.fault(NO_DATA));
        }
        let layout = self.layout(accessor, count, component.bytes(), builder)?;
        Ok((layout, component))
    }

    /// The numbers of an accessor, `N` to an element.
    fn numbers<const N: usize>(&mut self, accessor: &Json<'a>, builder: &mut Builder) -> Result<Vec<[f64; N]>, Fault> {
        let component = Component::of(accessor)?;
        let normalized = accessor.value.get("normalized").and_then(|value| value.as_bool()).unwrap_or(false);
        let count = accessor.needed("count")?.whole()?;
        let sparse = accessor.object("sparse")?;
        let held = (count as u64).saturating_mul(8 * N as u64);
        let mut numbers = match accessor.member("bufferView") {
            Some(_) => {
                let layout = self.layout(accessor, count, N * component.bytes(), builder)?;
                builder.budget.bytes(held).map_err(|over| over.at(&accessor.place()))?;
                self.decode(&layout, component, normalized, accessor)?
            }
            None if sparse.is_some() && count <= builder.length => {
                builder.budget.bytes(held).map_err(|over| over.at(&accessor.place()))?;
                vec![[0.0; N]; count]
            }
            None if sparse.is_some() => {
                return Err(accessor.fault(format!("{count} zeros, more than the file has bytes")));
            }
            None => return Err(accessor.fault(NO_DATA)),
        };
        if let Some(sparse) = sparse {
            let replaced = sparse.needed("count")?.whole()?;
            let (places, values) = (sparse.needed("indices")?, sparse.needed("values")?);
            let place_type = Component::of(&places)?;
            if !matches!(place_type, Component::U8 | Component::U16 | Component::U32) {
                return Err(places.fault("indices must be unsigned whole numbers"));
            }
            let layout = self.layout(&places, replaced, place_type.bytes(), builder)?;
            let indices = self.decode(&layout, place_type, false, &places)?;
            let layout = self.layout(&values, replaced, N * component.bytes(), builder)?;
            let values = self.decode(&layout, component, normalized, &values)?;
            for ([index], value) in indices.into_iter().zip(values) {
                let problem = || places.fault(format!("element {index}, but there are {count}, counted from 0"));
                *numbers.get_mut(index as usize).ok_or_else(problem)? = value;
            }
        }
        Ok(numbers)
    }

    /// Where elements of `size` bytes are, after making sure that they are there.
    fn layout(&mut self, json: &Json<'a>, count: usize, size: usize, builder: &mut Builder) -> Result<Layout, Fault> {
        let member = json.needed("bufferView")?;
        let index = member.whole()?;
        let view = self.root.entry("bufferViews", index, &member)?;
        let (source, offset, length) = match extension(&view, MESHOPT)? {
            Some(extension) => {
                self.decompress(index, &extension, builder)?;
                (Source::View(index), 0, self.bytes(Source::View(index)).len())
            }
            None => self.range(&view, builder)?,
        };
        let stride = match view.number("byteStride")? {
            None | Some(0) => size,
            Some(stride) if stride >= size => stride,
            Some(stride) => return Err(view.fault(format!("a stride of {stride} for elements of {size} bytes"))),
        };
        let inner = json.number("byteOffset")?.unwrap_or(0);
        let end = match count {
            0 => Some(inner),
            _ => (count - 1).checked_mul(stride).and_then(|last| last.checked_add(size)?.checked_add(inner)),
        };
        if end.is_none_or(|end| end > length) {
            let problem = format!("{count} elements of {size} bytes from byte {inner}, in a view of {length} bytes");
            return Err(json.fault(problem));
        }
        Ok(Layout { source, start: offset + inner, stride, count })
    }

    /// The source, offset and length of the bytes of a view, or of its compressed bytes if `view` is the extension;
    /// checked against the length of the buffer.
    fn range(&mut self, view: &Json<'a>, builder: &mut Builder) -> Result<(Source, usize, usize), Fault> {
        let member = view.needed("buffer")?;
        let buffer = member.whole()?;
        self.load(buffer, &member, builder)?;
        let available = self.bytes(Source::Buffer(buffer)).len();
        let (offset, length) = (view.number("byteOffset")?.unwrap_or(0), view.needed("byteLength")?.whole()?);
        if offset.checked_add(length).is_none_or(|end| end > available) {
            let problem = format!("bytes {offset} to {offset} + {length} of a buffer of {available}");
            return Err(view.fault(problem));
        }
        Ok((Source::Buffer(buffer), offset, length))
    }

    /// Makes sure that a compressed view is decoded.
    fn decompress(&mut self, index: usize, extension: &Json<'a>, builder: &mut Builder) -> Result<(), Fault> {
        if self.decoded.contains_key(&index) {
            return Ok(());
        }
        let (count, stride) = (extension.needed("count")?.whole()?, extension.needed("byteStride")?.whole()?);
        let mode = match extension.needed("mode")?.value.as_str() {
            Some("ATTRIBUTES") => Mode::Attributes,
            Some("TRIANGLES") => Mode::Triangles,
            Some("INDICES") => Mode::Indices,
            _ => return Err(extension.fault("`mode` must be ATTRIBUTES, TRIANGLES or INDICES")),
        };
        let filter = match extension.text("filter") {
            None | Some("NONE") => Filter::None,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some(other) => {
                let problem = format!("the filter `{}` is not one for positions or indices", shortened(other));
                return Err(Fault::unsupported(extension.place(), problem));
            }
        };
        let (source, offset, length) = self.range(extension, builder)?;
        let held = (count as u64).saturating_mul(stride as u64);
        builder.budget.bytes(held).map_err(|over| over.at(&extension.place()))?;
        let compressed = self.bytes(source).get(offset..offset + length).unwrap_or(&[]);
        let bytes = meshopt::decode(compressed, (mode, filter), count, stride);
        self.decoded.insert(index, bytes.map_err(|problem| extension.fault(problem))?);
        Ok(())
    }

    /// The surface of a primitive that Draco has compressed; `accessor` is that of its positions.
    pub fn surface(
        &mut self,
        extension: &Json<'a>,
        accessor: usize,
        from: &Json,
        builder: &mut Builder,
    ) -> Result<Surface, Fault> {
        let accessor = self.root.entry("accessors", accessor, from)?;
        let normalized = accessor.value.get("normalized").and_then(|value| value.as_bool()).unwrap_or(false);
        let attributes = extension.object("attributes")?;
        let attributes = attributes.ok_or_else(|| extension.fault("`attributes` is missing"))?;
        let member = attributes.needed("POSITION")?;
        let positions = u32::try_from(member.whole()?).map_err(|_| member.fault("not the number of an attribute"))?;
        let member = extension.needed("bufferView")?;
        let view = self.root.entry("bufferViews", member.whole()?, &member)?;
        let (source, offset, length) = self.range(&view, builder)?;
        let bytes = self.bytes(source).get(offset..offset + length).unwrap_or(&[]);
        draco::decode(bytes, positions, normalized, &mut builder.budget).map_err(|problem| match problem {
            Problem::Malformed(problem) => view.fault(problem),
            Problem::Unsupported(problem) => Fault::unsupported(view.place(), problem),
            Problem::Limit(problem) => Fault::limit(view.place(), problem),
        })
    }

    /// The elements of a layout, of `size` bytes each, with the byte where each begins.
    fn elements(&self, layout: &Layout, size: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let bytes = self.bytes(layout.source);
        let (start, stride) = (layout.start, layout.stride);
        // The layout has made sure that they are there.
        (0..layout.count).map(move |element| {
            let at = start + element * stride;
            (at, bytes.get(at..at + size).unwrap_or(&[]))
        })
    }

    fn decode<const N: usize>(
        &self,
        layout: &Layout,
        component: Component,
        normalized: bool,
        json: &Json,
    ) -> Result<Vec<[f64; N]>, Fault> {
        let size = component.bytes();
        let mut numbers = Vec::with_capacity(layout.count);
        if component == Component::F32 && layout.stride == N * size {
            let bytes = self.bytes(layout.source).get(layout.start..).unwrap_or(&[]);
            let elements = &bytes.as_chunks::<4>().0.as_chunks::<N>().0;
            let mut all_finite = true;
            numbers.extend(elements.iter().take(layout.count).map(|element| {
                let number = element.map(|raw| f64::from(f32::from_le_bytes(raw)));
                // A few values of single precision cannot overflow a double: the sum is finite if and only if all are.
                all_finite &= number.iter().sum::<f64>().is_finite();
                number
            }));
            if all_finite {
                return Ok(numbers);
            }
            numbers.clear();
        }
        for (element, (start, raw)) in self.elements(layout, N * size).enumerate() {
            let mut number = [0.0; N];
            for (part, raw) in number.iter_mut().zip(raw.chunks_exact(size)) {
                *part = component.value(raw, normalized);
            }
            if let Some(part) = number.iter().position(|part| !part.is_finite()) {
                let problem = finite(number[part]).err().unwrap_or_default();
                return Err(self.at_byte(json, layout.source, start + part * size, element, problem));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// A problem of an element: by its byte in the file where it lies in the file, else by its accessor.
    fn at_byte(&self, json: &Json, source: Source, at: usize, element: usize, problem: String) -> Fault {
        let Source::Buffer(buffer) = source else {
            return json.fault(format!("element {element}: {problem}"));
        };
        match (self.chunk, self.loaded.get(&buffer)) {
            (Some((_, start)), Some(Buffer::Chunk(_))) => {
                let place = Place::Byte((start + at) as u64);
                Fault::new(place, format!("{}, element {element}: {problem}", json.path))
            }
            _ => json.fault(format!("element {element} (byte {at} of buffers[{buffer}]): {problem}")),
        }
    }

    /// Makes sure that a buffer is loaded.
    fn load(&mut self, index: usize, from: &Json, builder: &mut Builder) -> Result<(), Fault> {
        if self.loaded.contains_key(&index) {
            return Ok(());
        }
        let buffer = self.root.entry("buffers", index, from)?;
        let length = buffer.needed("byteLength")?.whole()?;
        let promised = |available: usize| match available < length {
            true => Err(buffer.fault(format!("expected {length} bytes, got {available}: is the file cut short?"))),
            false => Ok(()),
        };
        let loaded = match (buffer.text("uri"), self.chunk) {
            (None, Some((chunk, _))) if index == 0 => {
                promised(chunk.len())?;
                Buffer::Chunk(&chunk[..length])
            }
            (None, _) => return Err(buffer.fault("no `uri`, and no binary chunk to take it from")),
            (Some(uri), _) if uri.starts_with("data:") => {
                let mut bytes = data_uri(uri, &buffer)?;
                promised(bytes.len())?;
                bytes.truncate(length);
                Buffer::Data(bytes)
            }
            (Some(uri), _) => {
                let path = self.read_beside(uri, length, &buffer, builder)?;
                promised(self.files.get(&path).map_or(0, Vec::len))?;
                Buffer::File(path, length)
            }
        };
        self.loaded.insert(index, loaded);
        Ok(())
    }

    /// Makes sure that the first `length` bytes of a file beside the one that is read are there, if it has so many. Its
    /// full name.
    fn read_beside(
        &mut self,
        uri: &str,
        length: usize,
        buffer: &Json,
        builder: &mut Builder,
    ) -> Result<PathBuf, Fault> {
        let unsupported =
            |problem: &str| Fault::unsupported(buffer.place(), format!("the buffer `{}` {problem}", shortened(uri)));
        if !builder.may_open {
            return Err(unsupported("is a file of its own, and none may be opened"));
        }
        let folder = builder.path.parent().unwrap_or_else(|| "".as_ref());
        let path = beside(folder, uri).map_err(|problem| unsupported(&problem))?;
        let bytes = self.files.entry(path.clone()).or_default();
        if bytes.len() < length {
            let (before, most) = (bytes.len(), builder.budget.unread().saturating_add(bytes.len() as u64));
            // One more than is allowed, so that a file that has it is refused below.
            let end = (length as u64).min(most.saturating_add(1));
            read_on(&path, bytes, end).map_err(|error| buffer.fault(error.to_string()))?;
            let new = bytes.len() - before;
            builder.budget.read(new).map_err(|over| over.at(&buffer.place()))?;
            builder.length = builder.length.saturating_add(new);
        }
        Ok(path)
    }
}

/// The bytes in `data:application/octet-stream;base64,...`.
fn data_uri(uri: &str, buffer: &Json) -> Result<Vec<u8>, Fault> {
    let Some((_, text)) = uri.split_once(";base64,") else {
        return Err(Fault::unsupported(buffer.place(), "a data URI that is not in base64"));
    };
    let text = text.trim_end_matches('=');
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len() / 4 * 3 + 2), 0_u32, 0);
    for (at, letter) in text.bytes().enumerate() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Err(buffer.fault(format!("character {at} is not base64"))),
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Ok(bytes)
}
