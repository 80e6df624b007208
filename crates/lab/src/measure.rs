//! Times two sides of a race in one process.
//!
//! The queries are split into batches; each batch is timed once per repeat for either side, one directly after the
//! other and with the order changing from repeat to repeat, so that a change of clock frequency or a busy machine
//! affects both. The figure of a batch is its median over the repeats; a side's figure is the median over the batches.

use std::time::Instant;

/// How a race is cut up.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Queries in all, numbered from 0.
    pub queries: usize,
    /// Queries per batch.
    pub batch: usize,
    /// How often each batch is timed.
    pub repeats: usize,
}

/// The time of one side, in nanoseconds per query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideTime {
    /// Median over the batches.
    pub median: f64,
    /// The slowest batch.
    pub worst: f64,
}

/// The outcome of a race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Our time.
    pub ours: SideTime,
    /// The peer's; `None` without a peer.
    pub theirs: Option<Theirs>,
}

/// The peer's side of a race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theirs {
    /// Their time.
    pub side: SideTime,
    /// Their median / our median.
    pub ratio: f64,
    /// The least of their time / our time over the batches.
    pub worst_ratio: f64,
}

/// Times `ours` and `theirs`, which run one query each, by its number. Before each batch the queries ahead of it are
/// run untimed, so that code, data and a cache kept between queries are as they would be in the middle of a long run:
/// the other side has just pushed ours out of the processor's caches. (With one query instead, hulls of 4096 vertices
/// took up to 1.8 times as long as when nobody else ran.)
pub fn race(plan: Plan, mut ours: impl FnMut(usize), theirs: Option<impl FnMut(usize)>) -> Timing {
    let starts: Vec<usize> = (0..plan.queries).step_by(plan.batch.max(1)).collect();
    let mut our_times = vec![Vec::with_capacity(plan.repeats); starts.len()];
    let mut their_times = our_times.clone();
    let mut theirs = theirs;
    for repeat in 0..plan.repeats {
        for (i, &start) in starts.iter().enumerate() {
            let end = (start + plan.batch).min(plan.queries);
            let we_begin = repeat % 2 == 0;
            if we_begin {
                our_times[i].push(time_batch(start, end, &mut ours));
            }
            if let Some(theirs) = &mut theirs {
                their_times[i].push(time_batch(start, end, theirs));
            }
            if !we_begin {
                our_times[i].push(time_batch(start, end, &mut ours));
            }
        }
    }
    let our_batches: Vec<f64> = our_times.into_iter().map(median).collect();
    let ours = side(&our_batches);
    let theirs = theirs.is_some().then(|| {
        let their_batches: Vec<f64> = their_times.into_iter().map(median).collect();
        let ratios = their_batches.iter().zip(&our_batches).map(|(theirs, ours)| theirs / ours);
        let side = side(&their_batches);
        Theirs { side, ratio: side.median / ours.median, worst_ratio: ratios.fold(f64::INFINITY, f64::min) }
    });
    Timing { ours, theirs }
}

/// What one query costs, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Median over the repeats.
    pub median: f64,
    /// The least over the repeats.
    pub least: f64,
}

/// Times each query alone, as peers in other processes do (`peers/wire.rs`): all are asked once to warm up, then
/// `repeats` times over, in order. A query shorter than two microseconds is asked several times between two clock
/// readings, one longer than a second is not repeated. Once `seconds` are spent no further query is begun; `None` for
/// those left out.
pub fn each(queries: usize, repeats: usize, seconds: f64, mut ask: impl FnMut(usize)) -> Vec<Option<Cost>> {
    let begun = Instant::now();
    let late = || begun.elapsed().as_secs_f64() > seconds;
    let firsts: Vec<f64> = (0..queries).map_while(|number| (!late()).then(|| 1e9 * timed(|| ask(number)).1)).collect();
    let mut times = vec![Vec::with_capacity(repeats); firsts.len()];
    for _ in 0..repeats {
        for (number, &first) in firsts.iter().enumerate() {
            if first > 1e9 || late() {
                continue;
            }
            let rounds = (2e3 / first.max(1.0)).ceil().clamp(1.0, 1000.0) as u32;
            let ((), spent) = timed(|| (0..rounds).for_each(|_| ask(number)));
            times[number].push(1e9 * spent / f64::from(rounds));
        }
    }
    let costs = times.into_iter().zip(&firsts).map(|(mut times, &first)| {
        if times.is_empty() {
            times.push(first);
        }
        Some(Cost { least: times.iter().copied().fold(f64::INFINITY, f64::min), median: median(times) })
    });
    let mut costs: Vec<Option<Cost>> = costs.collect();
    costs.resize(queries, None);
    costs
}

/// Runs `work` once and says how many seconds it took: for a single slow case, not for a race.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// Nanoseconds per query of one batch.
fn time_batch(start: usize, end: usize, query: &mut impl FnMut(usize)) -> f64 {
    warm_up(start, end, query);
    let begun = Instant::now();
    for number in start..end {
        query(number);
    }
    begun.elapsed().as_secs_f64() * 1e9 / (end - start).max(1) as f64
}

/// As many queries as the batch has, ending next to its first one. The first batch has none ahead of it and is run
/// backwards instead, so that a path followed with a cache has no jump.
fn warm_up(start: usize, end: usize, query: &mut impl FnMut(usize)) {
    if start == 0 {
        (start..end).rev().for_each(query);
    } else {
        (start.saturating_sub(end - start)..start).for_each(query);
    }
}

/// Median and worst of the batches.
fn side(batches: &[f64]) -> SideTime {
    SideTime { median: median(batches.to_vec()), worst: batches.iter().copied().fold(0.0, f64::max) }
}

/// The middle value, the mean of the middle two for an even count; NaN when there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn every_query_is_timed_on_both_sides() {
        let plan = Plan { queries: 23, batch: 5, repeats: 3 };
        let (mut ours, mut theirs) = (vec![0; 23], vec![0; 23]);
        let timing = race(plan, |number| ours[number] += 1, Some(|number: usize| theirs[number] += 1));
        assert!(ours.iter().chain(&theirs).all(|&runs| runs >= 3));
        assert!(timing.theirs.is_some());
    }

    #[test]
    fn a_path_is_followed_without_jumps() {
        for (start, end) in [(0, 5), (5, 10), (20, 23)] {
            let mut path = Vec::new();
            time_batch(start, end, &mut |number| path.push(number));
            assert_eq!(path.len(), 2 * (end - start));
            assert!(path.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1), "{path:?}");
        }
    }

    #[test]
    fn queries_are_timed_alone_until_time_is_up() {
        let mut asked = vec![0; 5];
        let costs = each(5, 3, 60.0, |number| asked[number] += 1);
        assert!(asked.iter().all(|&times| times > 3), "a short query is asked several times a look: {asked:?}");
        assert!(costs.iter().flatten().all(|cost| 0.0 < cost.least && cost.least <= cost.median));
        assert_eq!(costs.iter().flatten().count(), 5);
        let slow = |_| std::thread::sleep(std::time::Duration::from_millis(20));
        let costs = each(100, 3, 0.05, slow);
        let answered = costs.iter().take_while(|cost| cost.is_some()).count();
        assert!((1..=3).contains(&answered) && costs.len() == 100, "{answered}");
        assert!(costs[0].is_some_and(|cost| cost.least >= 2e7));
    }

    #[test]
    fn the_slower_side_loses() {
        let work = |rounds: u64| {
            black_box((0..rounds).fold(0_u64, |sum, i| sum ^ black_box(i)));
        };
        let plan = Plan { queries: 40, batch: 10, repeats: 5 };
        let timing = race(plan, |_| work(100), Some(|_: usize| work(5000)));
        let theirs = timing.theirs.unwrap();
        assert!(theirs.ratio > 2.0 && theirs.worst_ratio <= theirs.ratio * 1.001, "{timing:?}");
        assert!(timing.ours.worst >= timing.ours.median);
    }

    #[test]
    fn without_a_peer_there_is_no_ratio() {
        let timing = race(Plan { queries: 4, batch: 2, repeats: 1 }, |_| (), None::<fn(usize)>);
        assert_eq!(timing.theirs, None);
    }
}
