//! What readers of text have in common.

use std::borrow::Cow;

use crate::error::{Fault, Place};
use crate::note::{NoteKind, Notes};

/// The byte-order mark that some programs put before text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a text without the byte-order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// The text; bytes that are not UTF-8 are replaced and noted. Names and comments may well be in an old encoding; in a
/// number the replacement is an error by itself.
pub(crate) fn decode<'a>(bytes: &'a [u8], notes: &mut Notes) -> Cow<'a, str> {
    let bytes = without_mark(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let place = Place::Byte(error.valid_up_to() as u64);
            notes.add(NoteKind::Assumed, "file not in UTF-8: other bytes replaced", place, 1);
            String::from_utf8_lossy(bytes)
        }
    }
}

/// A coordinate; what is wrong with it otherwise, without the place.
pub(crate) fn coordinate(word: Option<&str>) -> Result<f64, String> {
    let word = word.ok_or("a coordinate is missing")?;
    let number: f64 = word.parse().map_err(|_| format!("`{}` is not a number", shortened(word)))?;
    finite(number)
}

/// Three coordinates on a line.
pub(crate) fn point<'a>(words: &mut impl Iterator<Item = &'a str>, line: usize) -> Result<[f64; 3], Fault> {
    let mut point = [0.0; 3];
    for part in &mut point {
        *part = coordinate(words.next()).map_err(|problem| Fault::line(line, problem))?;
    }
    Ok(point)
}

/// The number, if it is finite.
pub(crate) fn finite(number: f64) -> Result<f64, String> {
    if number.is_finite() { Ok(number) } else { Err(format!("the coordinate {number} is not finite")) }
}

/// A word of the file for a message: not longer than a line.
pub(crate) fn shortened(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}...", &word[..end])),
        None => Cow::Borrowed(word),
    }
}
