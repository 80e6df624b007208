//! The binary side of glTF: buffers, views of them, accessors.
//!
//! A count is held against the bytes it describes before anything is allocated for it. The one accessor that has none, a
//! sparse one over zeros, may not be longer than the file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::json::Json;
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::text::{finite, shortened};

/// Buffers that have been loaded.
pub(super) struct Buffers<'a> {
    root: Json<'a>,
    /// The binary chunk of a GLB file and where in the file it begins.
    chunk: Option<(&'a [u8], usize)>,
    loaded: BTreeMap<usize, Cow<'a, [u8]>>,
}

/// The numbers of an accessor or of a part of a sparse one: where they are, and how they are written.
struct Layout {
    buffer: usize,
    start: usize,
    stride: usize,
    count: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Component {
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
            other => return Err(code.fault(format!("{other} is no type of numbers"))),
        })
    }

    fn bytes(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// The number in the first bytes of `raw`, which has at least as many.
    fn value(self, raw: &[u8], normalized: bool) -> f64 {
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

/// What is said of an accessor without data.
const NO_DATA: &str = "no `bufferView`: the accessor has no data";

impl<'a> Buffers<'a> {
    pub fn new(root: Json<'a>, chunk: Option<(&'a [u8], usize)>) -> Buffers<'a> {
        Buffers { root, chunk, loaded: BTreeMap::new() }
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
        let accessor = self.root.entry("accessors", index, from)?;
        if accessor.text("type") != Some("SCALAR") {
            return Err(accessor.fault("`type` must be SCALAR"));
        }
        let component = Component::of(&accessor)?;
        let whole: fn(&[u8]) -> u32 = match component {
            Component::U8 => |raw| u8::from_le_bytes(first(raw)).into(),
            Component::U16 => |raw| u16::from_le_bytes(first(raw)).into(),
            Component::U32 => |raw| u32::from_le_bytes(first(raw)),
            _ => {
                let problem = "indices must be unsigned whole numbers: `componentType` 5121, 5123 or 5125";
                return Err(accessor.fault(problem));
            }
        };
        if accessor.member("sparse").is_some() {
            return Ok(self.numbers(&accessor, builder)?.into_iter().map(|[number]| number as u32).collect());
        }
        let count = accessor.needed("count")?.whole()?;
        if accessor.member("bufferView").is_none() {
            return Err(accessor.fault(NO_DATA));
        }
        let layout = self.layout(&accessor, count, component.bytes(), builder)?;
        builder.budget.geometry(count, 0, &accessor.place())?;
        Ok(self.elements(&layout, component.bytes()).map(|(_, raw)| whole(raw)).collect())
    }

    /// The numbers of an accessor, `N` to an element.
    fn numbers<const N: usize>(&mut self, accessor: &Json<'a>, builder: &mut Builder) -> Result<Vec<[f64; N]>, Fault> {
        let component = Component::of(accessor)?;
        let normalized = accessor.value.get("normalized").and_then(|value| value.as_bool()).unwrap_or(false);
        let count = accessor.needed("count")?.whole()?;
        let sparse = accessor.object("sparse")?;
        let mut numbers = match accessor.member("bufferView") {
            Some(_) => {
                let layout = self.layout(accessor, count, N * component.bytes(), builder)?;
                builder.budget.geometry(count, 0, &accessor.place())?;
                self.decode(&layout, component, normalized, accessor)?
            }
            None if sparse.is_some() && count <= builder.length => {
                builder.budget.geometry(count, 0, &accessor.place())?;
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
        let view = self.root.entry("bufferViews", member.whole()?, &member)?;
        let member = view.needed("buffer")?;
        let buffer = member.whole()?;
        self.load(buffer, &member, builder)?;
        let available = self.loaded.get(&buffer).map_or(0, |bytes| bytes.len());
        let (offset, length) = (view.number("byteOffset")?.unwrap_or(0), view.needed("byteLength")?.whole()?);
        if offset.checked_add(length).is_none_or(|end| end > available) {
            let problem = format!("bytes {offset} to {offset} + {length} of a buffer of {available}");
            return Err(view.fault(problem));
        }
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
        Ok(Layout { buffer, start: offset + inner, stride, count })
    }

    /// The elements of a layout, of `size` bytes each, with the byte where each begins.
    fn elements(&self, layout: &Layout, size: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let bytes = self.loaded.get(&layout.buffer).map_or(&[][..], |bytes| bytes);
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
        for (element, (start, raw)) in self.elements(layout, N * size).enumerate() {
            let mut number = [0.0; N];
            for (part, raw) in number.iter_mut().zip(raw.chunks_exact(size)) {
                *part = component.value(raw, normalized);
            }
            if let Some(part) = number.iter().position(|part| !part.is_finite()) {
                let problem = finite(number[part]).err().unwrap_or_default();
                return Err(self.at_byte(json, layout.buffer, start + part * size, element, problem));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// A problem of an element: by its byte in the file where it lies in the file, else by its accessor.
    fn at_byte(&self, json: &Json, buffer: usize, at: usize, element: usize, problem: String) -> Fault {
        match (self.chunk, self.loaded.get(&buffer)) {
            (Some((_, start)), Some(Cow::Borrowed(_))) => {
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
        let bytes: Cow<'a, [u8]> = match (buffer.text("uri"), self.chunk) {
            (None, Some((chunk, _))) if index == 0 => Cow::Borrowed(chunk),
            (None, _) => return Err(buffer.fault("no `uri`, and no binary chunk to take it from")),
            (Some(uri), _) if uri.starts_with("data:") => Cow::Owned(data_uri(uri, &buffer)?),
            (Some(uri), _) => Cow::Owned(beside(uri, length, &buffer, builder)?),
        };
        if bytes.len() < length {
            let problem = format!("{length} bytes are promised, {} are there: is the file cut short?", bytes.len());
            return Err(buffer.fault(problem));
        }
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(length);
                Cow::Owned(bytes)
            }
        };
        self.loaded.insert(index, bytes);
        Ok(())
    }
}

/// The bytes of a file beside the one that is read, at most `length` of them.
fn beside(uri: &str, length: usize, buffer: &Json, builder: &mut Builder) -> Result<Vec<u8>, Fault> {
    let unsupported = |problem: String| Fault::unsupported(buffer.place(), problem);
    if !builder.may_open {
        return Err(unsupported(format!(
            "the buffer `{}` is a file of its own, and none may be opened",
            shortened(uri)
        )));
    }
    if uri.starts_with('/') || uri.contains("://") || uri.contains('\\') {
        return Err(unsupported(format!("`{}` does not lie beside the file: put it there", shortened(uri))));
    }
    let name =
        percent_decoded(uri).ok_or_else(|| buffer.fault(format!("`{}` is no name of a file", shortened(uri))))?;
    let path = builder.path.parent().unwrap_or_else(|| "".as_ref()).join(name);
    let failed = |error: std::io::Error| buffer.fault(format!("{}: {error}", path.display()));
    let file = std::fs::File::open(&path).map_err(failed)?;
    // Something other than a file, a device say, might have no end.
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(buffer.fault(format!("{} is no file", path.display())));
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, length as u64), &mut bytes).map_err(failed)?;
    builder.length = builder.length.saturating_add(bytes.len());
    builder.budget.found_more(bytes.len());
    Ok(bytes)
}

/// `%20` and the like resolved; `None` where that is no UTF-8 or holds a zero byte.
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
            _ => return Err(buffer.fault(format!("letter {at} of the base64 text is none of base64"))),
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
