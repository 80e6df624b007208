//! A place in a file of words and lines in which blocks of binary numbers may stand.

use crate::error::{Fault, Place};
use crate::text::{finite, shortened};

/// Reads words, lines and binary numbers from the start of a file to its end.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The line of the next byte, counted from 1, while no binary numbers were read.
    line: u64,
    /// Whether numbers are binary, so that places are bytes and not lines.
    pub binary: bool,
    /// Whether the first byte of a binary number is its highest.
    pub big_endian: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, line: 1, binary: false, big_endian: false }
    }

    /// Where the next byte is.
    pub fn place(&self) -> Place {
        if self.binary { Place::Byte(self.at as u64) } else { Place::Line(self.line) }
    }

    pub fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(self.place(), problem)
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn skip_white(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
    }

    /// The next word, if there is one. Moves to its start.
    pub fn peek(&mut self) -> Option<&'a str> {
        self.skip_white();
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        // What is not text is no word that any format knows.
        (end > 0).then(|| std::str::from_utf8(&rest[..end]).unwrap_or("\u{fffd}"))
    }

    /// Whether a word comes next, whatever its case. Moves nowhere: binary numbers may come instead.
    pub fn is_next(&self, word: &str) -> bool {
        let rest = self.bytes[self.at..].trim_ascii_start();
        rest.get(..word.len()).is_some_and(|next| next.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// The next word.
    pub fn word(&mut self, wanted: &str) -> Result<&'a str, Fault> {
        let word = self.peek().ok_or_else(|| self.fault(format!("the file ends before {wanted}")))?;
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        Ok(word)
    }

    /// The rest of the line, without its end.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += end;
        if self.at < self.bytes.len() {
            self.at += 1;
            self.line += 1;
        }
        let line = &rest[..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// A count or an index in words.
    pub fn whole(&mut self, wanted: &str) -> Result<u64, Fault> {
        let word = self.word(wanted)?;
        word.parse().map_err(|_| self.fault(format!("`{}` where {wanted} should stand", shortened(word))))
    }

    /// A coordinate in words.
    pub fn coordinate(&mut self) -> Result<f64, Fault> {
        let word = self.word("a coordinate")?;
        let number: f64 = word.parse().map_err(|_| self.fault(format!("`{}` is not a number", shortened(word))))?;
        finite(number).map_err(|problem| self.fault(problem))
    }

    /// So many bytes.
    pub fn take(&mut self, count: u64, wanted: &str) -> Result<&'a [u8], Fault> {
        let left = self.bytes.len() - self.at;
        if count > left as u64 {
            return Err(self.fault(format!("the file ends before {wanted}: {count} bytes are needed, {left} are left")));
        }
        let taken = &self.bytes[self.at..][..count as usize];
        self.at += count as usize;
        Ok(taken)
    }

    /// The bytes of a number, the lowest first.
    fn little<const N: usize>(&mut self, wanted: &str) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N as u64, wanted)?);
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub fn int32(&mut self, wanted: &str) -> Result<i32, Fault> {
        Ok(i32::from_le_bytes(self.little(wanted)?))
    }

    pub fn uint64(&mut self, wanted: &str) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.little(wanted)?))
    }

    pub fn single(&mut self, wanted: &str) -> Result<f64, Fault> {
        Ok(f32::from_le_bytes(self.little(wanted)?).into())
    }

    pub fn double(&mut self, wanted: &str) -> Result<f64, Fault> {
        Ok(f64::from_le_bytes(self.little(wanted)?))
    }

    /// Moves behind the next occurrence of some bytes; false, and nowhere, if there is none.
    pub fn skip_behind(&mut self, wanted: &[u8]) -> bool {
        let found = self.bytes[self.at..].windows(wanted.len()).position(|window| window == wanted);
        let Some(found) = found else { return false };
        let end = self.at + found + wanted.len();
        self.line += self.bytes[self.at..end].iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.at = end;
        true
    }
}
