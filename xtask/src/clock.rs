//! How long something takes: wall-clock time, and CPU time of this program and of all programs it waited for.

use std::fmt;
use std::time::{Duration, Instant};

/// The length of a tick of `/proc/self/stat`: the kernel reports times in hundredths of a second, whatever its internal
/// resolution.
const TICK: Duration = Duration::from_millis(10);

/// Runs from its creation; displays the elapsed time.
pub struct Clock {
    begun: Instant,
    /// Unknown on systems other than Linux.
    processors: Option<Duration>,
}

impl Clock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self { begun: Instant::now(), processors: processors() }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{:.0} s", self.begun.elapsed().as_secs_f64())?;
        match processors().zip(self.processors) {
            Some((now, then)) => write!(formatter, ", {:.0} s of CPU", now.saturating_sub(then).as_secs_f64()),
            None => Ok(()),
        }
    }
}

/// The CPU time used so far.
fn processors() -> Option<Duration> {
    of_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The sum of `utime`, `stime`, `cutime` and `cstime` of a line as proc(5) describes it. The second field, the name of
/// the program, is in parentheses and can contain anything: counting starts after it.
fn of_stat(line: &str) -> Option<Duration> {
    let (_, fields) = line.rsplit_once(')')?;
    // The first of these is the third field of the line; `utime` is the fourteenth.
    let times: Vec<u32> = fields.split_ascii_whitespace().skip(11).take(4).flat_map(str::parse).collect();
    (times.len() == 4).then(|| TICK * times.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_times_are_summed() {
        let line = "7 (a) name) S 1 7 7 0 -1 4194560 10 20 30 40 100 20 3000 400 20 0 1 0 99 1000 200";
        assert_eq!(of_stat(line), Some(Duration::from_millis(35_200)));
        assert_eq!(of_stat("7 (name) S 1 7 7 0 -1 4194560 10 20 30 40 100 20 3000"), None);
        assert_eq!(of_stat(""), None);
    }
}
