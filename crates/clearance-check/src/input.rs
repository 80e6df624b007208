//! Reading input: files and pipes, each read once and up to a limit, so that a hash is that of the bytes used. Devices,
//! which may be endless, and directories are refused.

use std::path::Path;

use clearance_files::{Limits, read_input, utf8};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::model::hexadecimal;

/// The bytes of a file or pipe.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    Ok(read_input(path, Limits::default().file)?)
}

/// The text of a file or pipe.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    Ok(utf8(path, read_bytes(path)?)?)
}

/// The text of a file or pipe, and its hash.
pub(crate) fn read_text_and_hash(path: &Path) -> Result<(String, String), Error> {
    let bytes = read_bytes(path)?;
    let hash = hash(&bytes);
    Ok((utf8(path, bytes)?, hash))
}

/// The SHA-256 of bytes, in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_the_bytes() {
        assert_eq!(hash(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let path = std::env::temp_dir().join(format!("clearance-input-{}", std::process::id()));
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_text_and_hash(&path).unwrap(), ("abc".into(), hash(b"abc")));
        std::fs::write(&path, b"ab\xff").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().contains("byte 2: not UTF-8"));
        std::fs::remove_file(&path).unwrap();
    }
}
