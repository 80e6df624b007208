//! Limits on the reading of robots and on the pairs that are checked, besides the budget of files
//! ([`clearance_files::Budget`]).

/// The longest mesh name in a URDF, in bytes: the longest path that Linux accepts.
pub(crate) const LONGEST_NAME: usize = 4096;

/// How many suffixes of a mesh path are tried near the URDF. Packages are some ten folders deep.
pub(crate) const MOST_ENDS: usize = 64;

/// The most attributes of an XML element. The parser compares them pairwise; elements of URDF, SRDF and COLLADA have
/// some ten.
pub(crate) const MOST_ATTRIBUTES: usize = 1024;

/// The most occurrences of `xmlns` in an XML text. The parser copies all namespaces in scope to each element that adds
/// one; robot files have a few.
pub(crate) const MOST_NAMESPACES: usize = 1024;

/// The default limit on pairs of bodies in a checker. A pair takes about 100 bytes, and some 250 more for each thread
/// that finds it near: a million takes 100 to 350 MB. The largest robot of the data, with 90 bodies, has 4,000; 50
/// bodies among 10,000 objects have 500,000.
pub(crate) const MOST_PAIRS: usize = 1_000_000;

/// How many pairs are examined, allowed ones included, for each that a checker accepts: below a second for a million.
pub(crate) const LOOKS_PER_PAIR: u64 = 64;

/// The most pair tests over all samples that decide the order of pairs: all samples for up to 262,144 pairs, fewer for
/// more. A sphere test takes some 5 ns.
pub(crate) const MOST_TRIES: u64 = 1 << 26;

/// The most carrying segments, summed over all bodies, for which bodies are grouped: their lists take 16 bytes per
/// entry on every level. Beyond, motions are examined pair by pair, with the same answers.
pub(crate) const MOST_CARRIERS: usize = 1 << 20;

/// The most inputs of a COLLADA primitive, which its indices cycle through. Exporters write two to eight.
pub(crate) const MOST_INPUTS: usize = 1024;

#[cfg(test)]
mod tests {
    use crate::check::Pair;
    use crate::motion_bound::Chains;
    use crate::pair_caches::Remembered;

    #[test]
    fn a_pair_takes_what_is_said() {
        // What `Checker` holds for a pair that moves: the pair, its `still` entry, chains, order, its index in groups;
        // and what a state holds for it before it is queried.
        let held = size_of::<Pair>() + size_of::<usize>() + size_of::<Option<Chains>>() + size_of::<u32>();
        let held = held + size_of::<([u32; 2], u32)>() + size_of::<u32>();
        assert!((80..=100).contains(&held), "{held}");
        assert!((200..=260).contains(&size_of::<Remembered>()), "{}", size_of::<Remembered>());
    }
}
