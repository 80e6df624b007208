//! Reads inputs other than part files: files and pipes, each once and up to a limit. Devices, which may be endless, and
//! folders are refused.

use std::io::Read;
use std::path::Path;

use clearance_check::Error;
use clearance_files::{Limits, read_input, utf8};

/// The text of a file or pipe; `-` is stdin.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    if path.as_os_str() != "-" {
        return Ok(utf8(path, read_input(path, Limits::default().file)?)?);
    }
    let (mut bytes, most) = (Vec::new(), Limits::default().file);
    let read = std::io::stdin().lock().take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| Error::io(path, source))?;
    match bytes.len() as u64 > most {
        true => Err(Error::format(path, format!("more than {most} bytes"))),
        false => Ok(utf8(path, bytes)?),
    }
}
