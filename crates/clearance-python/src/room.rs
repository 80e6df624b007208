//! Memory: the need of a call is estimated before anything is allocated, and a shortage is a `MemoryError`.
//!
//! In Rust a failed allocation ends the process, so it must not come to that. Small calls are not checked. Of
//! others the whole estimate is allocated once, and freed: that finds a limit of the process (`ulimit -v`). Most
//! systems overcommit, so on Linux it is also compared with the free memory of the machine and of the
//! control group.

use std::fmt::Display;

use pyo3::prelude::*;

use crate::error::out_of_memory;
use crate::limits::FREELY;

/// Refuses what takes more memory than there is: an argument, what is made of it, and the most bytes that takes at a
/// time.
pub fn room(py: Python<'_>, argument: &str, what: impl Display, bytes: u128) -> PyResult<()> {
    if bytes <= FREELY {
        return Ok(());
    }
    let free = free();
    let asked = usize::try_from(bytes).ok().filter(|_| free.is_none_or(|free| bytes <= free));
    let given = asked.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if given {
        return Ok(());
    }
    let there_is = free.map_or_else(String::new, |free| format!(", and {} are free", amount(free)));
    let problem = format!("{what} would take up to {} of memory{there_is}: give fewer at a time", amount(bytes));
    Err(out_of_memory(py, argument, problem))
}

/// For so many things of some bytes each.
pub fn room_for(py: Python<'_>, argument: &str, count: usize, what: &str, bytes: u128) -> PyResult<()> {
    room(py, argument, format_args!("{count} {what}"), count as u128 * bytes)
}

/// A number of bytes for a message.
fn amount(bytes: u128) -> String {
    match bytes {
        0..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}

/// The free memory in bytes, where known.
#[cfg(target_os = "linux")]
fn free() -> Option<u128> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| {
        let kilobytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim_start_matches(':').trim().split(' ').next()?.parse::<u128>().ok()
        };
        Some(1024 * (kilobytes("MemAvailable")? + kilobytes("SwapFree").unwrap_or(0)))
    });
    // Of a container; "max" if it has no limit.
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse::<u128>().ok());
    match (machine, group) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (one, other) => one.or(other),
    }
}

#[cfg(not(target_os = "linux"))]
fn free() -> Option<u128> {
    None
}
