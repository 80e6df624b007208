//! Decodes buffer views that are compressed as `EXT_meshopt_compression` says: the three bitstreams of its appendix A,
//! and the filters of its appendix B that positions, indices and instances can have.
//!
//! Written from the specification. Every read is checked by [`Reader`], and the output grows with the input consumed,
//! so memory does not depend on the count alone.

/// The bitstream of a view.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    /// Elements of any kind, of at most 256 bytes, a multiple of 4.
    Attributes,
    /// Indices, three to a triangle, of 2 or 4 bytes.
    Triangles,
    /// Indices of 2 or 4 bytes.
    Indices,
}

/// The transform applied to decoded elements.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Filter {
    None,
    /// Unit quaternions of four 16-bit integers, without their largest component.
    Quaternion,
    /// Floats as an exponent of 8 bits and a mantissa of 24.
    Exponential,
}

/// The most bytes of an element.
const LARGEST_ELEMENT: usize = 256;
/// Bytes of all elements of a block, and the most elements of one.
const BLOCK: (usize, usize) = (8192, 256);
/// Elements that share how their differences are written.
const GROUP: usize = 16;
/// Bytes after the last block: the first element, with zeros before it where it is shorter.
const TAIL: usize = 32;
/// Exponents of the exponential filter.
const EXPONENTS: std::ops::RangeInclusive<i32> = -100..=100;

/// The bytes of `count` elements of `stride` bytes.
///
/// # Errors
/// What is wrong with the stream.
pub(super) fn decode(
    data: &[u8],
    (mode, filter): (Mode, Filter),
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, String> {
    let fits = match mode {
        Mode::Attributes => stride > 0 && stride <= LARGEST_ELEMENT && stride.is_multiple_of(4),
        Mode::Triangles | Mode::Indices => (stride == 2 || stride == 4) && filter == Filter::None,
    };
    if !fits || (filter == Filter::Quaternion && stride != 8) {
        return Err(format!("a `byteStride` of {stride} does not go with this `mode` and `filter`"));
    }
    match mode {
        Mode::Attributes => {
            let mut bytes = attributes(data, count, stride)?;
            match filter {
                Filter::None => {}
                Filter::Quaternion => quaternions(&mut bytes),
                Filter::Exponential => exponentials(&mut bytes)?,
            }
            Ok(bytes)
        }
        Mode::Triangles => triangles(data, count, stride),
        Mode::Indices => indices(data, count, stride),
    }
}

/// Takes bytes from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The bytes between the first, which must be `header`, and the last `tail` bytes; and the tail.
    fn new(data: &'a [u8], header: u8, tail: usize) -> Result<(Reader<'a>, &'a [u8]), String> {
        match data.split_first() {
            Some((&first, rest)) if first == header => {
                let (body, tail) = rest.split_at_checked(rest.len().wrapping_sub(tail)).ok_or(SHORT)?;
                Ok((Reader(body), tail))
            }
            Some((first, _)) => Err(format!("the stream begins with byte {first:#04x}, expected {header:#04x}")),
            None => Err(SHORT.into()),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// A number of seven bits to a byte, least first, of which each but the last has its highest bit set.
    fn varint(&mut self) -> Result<u32, String> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("an index of more than five bytes".into())
    }

    /// Checks that nothing is left over.
    fn end(&self) -> Result<(), String> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(format!("{left} bytes are left over: do `count` and `byteStride` fit the stream?")),
        }
    }
}

const SHORT: &str = "the stream ends early: do `count`, `byteStride` and `byteLength` fit it?";

/// The difference that a zigzag code stands for.
fn unzigzag(code: u32) -> u32 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}

fn attributes(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, String> {
    let (mut reader, tail) = Reader::new(data, 0xa0, stride.max(TAIL))?;
    let mut last = tail[tail.len() - stride..].to_vec();
    let mut bytes: Vec<u8> = Vec::new();
    let most = (BLOCK.0 / stride / GROUP * GROUP).min(BLOCK.1);
    let mut left = count;
    while left > 0 {
        let elements = left.min(most);
        left -= elements;
        let groups = elements.div_ceil(GROUP);
        let start = bytes.len();
        for (at, last) in last.iter_mut().enumerate() {
            let modes = reader.take(groups.div_ceil(4))?;
            // Allocated only once the stream has the first bytes of the block.
            bytes.resize(start + elements * stride, 0);
            let mut column = bytes[start + at..].iter_mut().step_by(stride);
            for group in 0..groups {
                let deltas = deltas(&mut reader, modes[group / 4] >> (2 * (group % 4)) & 3)?;
                // The column ends at the last element; the rest of the group is padding.
                for (byte, delta) in column.by_ref().take(GROUP).zip(deltas) {
                    *last = last.wrapping_add(unzigzag(delta.into()) as u8);
                    *byte = *last;
                }
            }
        }
    }
    reader.end()?;
    Ok(bytes)
}

/// The codes of the differences of a group, none, 2, 4 or 8 bits each; those that do not fit follow as bytes.
fn deltas(reader: &mut Reader, mode: u8) -> Result<[u8; GROUP], String> {
    let mut codes = [0; GROUP];
    let bits = match mode {
        0 => return Ok(codes),
        3 => {
            codes.copy_from_slice(reader.take(GROUP)?);
            return Ok(codes);
        }
        mode => 2 * u32::from(mode),
    };
    let packed = reader.take(GROUP * bits as usize / 8)?;
    let (per_byte, sentinel) = (8 / bits as usize, (1 << bits) - 1);
    for (at, code) in codes.iter_mut().enumerate() {
        let shift = 8 - bits * (at % per_byte + 1) as u32;
        *code = packed[at / per_byte] >> shift & sentinel;
        if *code == sentinel {
            *code = reader.byte()?;
        }
    }
    Ok(codes)
}

/// The last sixteen values, of which 0 is the last.
struct Recent<T> {
    values: [T; 16],
    next: usize,
}

impl<T: Copy> Recent<T> {
    fn new(value: T) -> Recent<T> {
        Recent { values: [value; 16], next: 0 }
    }

    fn get(&self, back: u8) -> T {
        self.values[self.next.wrapping_sub(1 + usize::from(back)) % 16]
    }

    fn push(&mut self, value: T) {
        self.values[self.next % 16] = value;
        self.next += 1;
    }
}

/// Appends an index of `stride` bytes.
fn push_index(bytes: &mut Vec<u8>, index: u32, stride: usize) -> Result<(), String> {
    match (stride, u16::try_from(index)) {
        (2, Ok(index)) => bytes.extend(index.to_le_bytes()),
        (2, Err(_)) => return Err(format!("index {index} does not fit in 2 bytes")),
        _ => bytes.extend(index.to_le_bytes()),
    }
    Ok(())
}

fn triangles(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, String> {
    if !count.is_multiple_of(3) {
        return Err(format!("{count} indices are not a whole number of triangles"));
    }
    let (mut reader, table) = Reader::new(data, 0xe1, 16)?;
    let codes = reader.take(count / 3)?;
    // Entries that were never pushed are not a valid index.
    let (mut edges, mut vertices) = (Recent::new([u32::MAX; 2]), Recent::new(u32::MAX));
    let (mut next, mut last) = (0_u32, 0_u32);
    fn fresh(next: &mut u32) -> u32 {
        *next = next.wrapping_add(1);
        next.wrapping_sub(1)
    }
    fn explicit(last: &mut u32, reader: &mut Reader) -> Result<u32, String> {
        *last = last.wrapping_add(unzigzag(reader.varint()?));
        Ok(*last)
    }
    let mut bytes = Vec::with_capacity(count * stride);
    for &code in codes {
        let (high, low) = (code >> 4, code & 15);
        let triangle = if high < 15 {
            let [a, b] = edges.get(high);
            let c = match low {
                0 => fresh(&mut next),
                1..=12 => vertices.get(low),
                13 | 14 => {
                    last = if low == 13 { last.wrapping_sub(1) } else { last.wrapping_add(1) };
                    last
                }
                _ => explicit(&mut last, &mut reader)?,
            };
            if !(1..=12).contains(&low) {
                vertices.push(c);
            }
            [a, b, c]
        } else {
            let more = if low < 14 { table[usize::from(low)] } else { reader.byte()? };
            if low >= 14 && more == 0 {
                next = 0;
            }
            let a = if low < 15 { fresh(&mut next) } else { explicit(&mut last, &mut reader)? };
            let mut other = |nibble: u8| match nibble {
                0 => Ok(fresh(&mut next)),
                15 if low >= 14 => explicit(&mut last, &mut reader),
                _ => Ok(vertices.get(nibble - 1)),
            };
            let (b, c) = (other(more >> 4)?, other(more & 15)?);
            let is_new = |nibble: u8| nibble == 0 || (nibble == 15 && low >= 14);
            edges.push([b, a]);
            vertices.push(a);
            [(b, more >> 4), (c, more & 15)]
                .into_iter()
                .filter(|&(_, nibble)| is_new(nibble))
                .for_each(|(vertex, _)| vertices.push(vertex));
            [a, b, c]
        };
        let [a, b, c] = triangle;
        edges.push([c, b]);
        edges.push([a, c]);
        for corner in triangle {
            push_index(&mut bytes, corner, stride)?;
        }
    }
    reader.end()?;
    Ok(bytes)
}

fn indices(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, String> {
    let (mut reader, _) = Reader::new(data, 0xd1, 4)?;
    let mut last = [0_u32; 2];
    let mut bytes = Vec::new();
    for _ in 0..count {
        let code = reader.varint()?;
        let last = &mut last[(code & 1) as usize];
        *last = last.wrapping_add(unzigzag(code >> 1));
        push_index(&mut bytes, *last, stride)?;
    }
    reader.end()?;
    Ok(bytes)
}

/// Three components of a quaternion, and the fourth so that its length is 1.
fn quaternions(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<2>().0.as_chunks_mut::<4>().0 {
        let [x, y, z, scale] = element.map(i16::from_le_bytes);
        // The two lowest bits say which component is missing.
        let range = std::f32::consts::FRAC_1_SQRT_2 / f32::from(scale | 3);
        let [x, y, z] = [x, y, z].map(|part| f32::from(part) * range);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        for (step, part) in [w, x, y, z].into_iter().enumerate() {
            element[((scale & 3) as usize + step) % 4] = ((part * 32767.0).round() as i16).to_le_bytes();
        }
    }
}

/// Numbers as `mantissa * 2^exponent`.
fn exponentials(bytes: &mut [u8]) -> Result<(), String> {
    for (at, number) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let bits = i32::from_le_bytes(*number);
        let (exponent, mantissa) = (bits >> 24, bits << 8 >> 8);
        if !EXPONENTS.contains(&exponent) {
            return Err(format!("number {at} has the exponent {exponent}, which must be from -100 to 100"));
        }
        // A power of two within the normal numbers; the product is exact.
        let power = f32::from_bits(((127 + exponent) as u32) << 23);
        *number = (mantissa as f32 * power).to_le_bytes();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_four_bits_and_those_that_do_not_fit() {
        let mut reader = Reader(&[0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5, 9]);
        let deltas = deltas(&mut reader, 2).unwrap().map(|code| unzigzag(code.into()) as i8);
        assert_eq!(deltas, [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]);
        assert_eq!(reader.0, [9]);
    }

    #[test]
    fn two_triangles_by_their_codes() {
        // Three new points, then an edge of theirs and a fourth.
        let plain = [&[0xe1, 0xf0, 0x10][..], &[0; 16]].concat();
        let bytes = decode(&plain, (Mode::Triangles, Filter::None), 6, 2).unwrap();
        let corners: Vec<u8> = bytes.chunks(2).map(|index| index[0]).collect();
        assert_eq!(corners, [0, 1, 2, 2, 1, 3]);
        // An edge before there is one: no index of any mesh, which does not fit in two bytes.
        let early = [&[0xe1, 0x00][..], &[0; 16]].concat();
        let error = decode(&early, (Mode::Triangles, Filter::None), 3, 2).unwrap_err();
        assert_eq!(error, "index 4294967295 does not fit in 2 bytes");
        assert!(decode(&early, (Mode::Triangles, Filter::None), 3, 4).is_ok(), "the count of points refuses it");
        let long = [&[0xe1, 0xff][..], &[0xff; 9], &[0; 16]].concat();
        let error = decode(&long, (Mode::Triangles, Filter::None), 3, 4).unwrap_err();
        assert_eq!(error, "an index of more than five bytes");
    }

    #[test]
    fn numbers_with_exponents() {
        let number = |exponent: i32, mantissa: i32| ((exponent << 24) | (mantissa & 0xff_ffff)).to_le_bytes();
        let mut bytes = [number(-3, 5), number(2, -7), number(-100, 0), number(100, 8_388_607)].concat();
        exponentials(&mut bytes).unwrap();
        let found: Vec<f32> = bytes.as_chunks().0.iter().map(|&raw| f32::from_le_bytes(raw)).collect();
        assert_eq!(found, [0.625, -28.0, 0.0, 8_388_607.0 * 2.0_f32.powi(100)]);
        let error = exponentials(&mut number(101, 1).to_vec()).unwrap_err();
        assert_eq!(error, "number 0 has the exponent 101, which must be from -100 to 100");
    }
}
