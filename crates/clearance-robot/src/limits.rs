//! What bounds the reading of robots and the pairs that are checked, beside the budget of files
//! ([`clearance_files::Budget`]).

/// The longest name of a mesh in a URDF, in bytes: the longest path that Linux takes. No file has a longer one.
pub(crate) const LONGEST_NAME: usize = 4096;

/// How many ends of the path of a mesh are tried near the URDF. Packages are some ten folders deep.
pub(crate) const MOST_ENDS: usize = 64;

/// The most attributes of an XML element. The parser compares each with each; elements of URDF, SRDF and COLLADA have
/// some ten.
pub(crate) const MOST_ATTRIBUTES: usize = 1024;

/// How often an XML text may say `xmlns`. The parser copies all names in force to each element that adds one; files of
/// robots say it a few times.
pub(crate) const MOST_NAMESPACES: usize = 1024;

/// How many pairs of bodies a checker takes unless told otherwise. A pair takes about 100 bytes, and some 250 more for
/// each thread that finds it near: a million takes 100 to 350 MB. The largest robot of the data, with 90 bodies, has
/// 4,000; 50 bodies among 10,000 objects have 500,000.
pub(crate) const MOST_PAIRS: usize = 1_000_000;

/// How many pairs are looked at, allowed ones included, for each that a checker takes: below a second for a million.
pub(crate) const LOOKS_PER_PAIR: u64 = 64;

/// How many pairs are tried in all samples that decide the order of pairs: all samples for up to 262,144 pairs, fewer
/// for more. A try of balls takes some 5 ns.
pub(crate) const MOST_TRIES: u64 = 1 << 26;

/// The most segments that carry bodies, counted for each body, for which bodies are put in groups: lists of them take
/// 16 bytes for each on every level. Beyond, motions are looked at pair by pair, with the same answers.
pub(crate) const MOST_CARRIERS: usize = 1 << 20;

/// The most inputs of a COLLADA primitive, which its indices are taken by in turn. Exporters write two to eight.
pub(crate) const MOST_INPUTS: usize = 1024;

#[cfg(test)]
mod tests {
    use crate::check::Pair;
    use crate::motion_bound::Chains;
    use crate::pair_caches::Remembered;

    #[test]
    fn a_pair_takes_what_is_said() {
        // What `Checker` holds of a pair that moves: itself, where it would be still, chains, order, its number in
        // groups; and what a state holds of it before it is asked about.
        let held = size_of::<Pair>() + size_of::<usize>() + size_of::<Option<Chains>>() + size_of::<u32>();
        let held = held + size_of::<([u32; 2], u32)>() + size_of::<u32>();
        assert!((80..=100).contains(&held), "{held}");
        assert!((200..=260).contains(&size_of::<Remembered>()), "{}", size_of::<Remembered>());
    }
}
