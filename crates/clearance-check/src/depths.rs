//! How deep the pairs overlap that clash: they share the work there is.
//!
//! Each slot of pairs ([`crate::shard`]) has the same part of the work. In a slot the pairs that seem worst come first; each may do its part
//! of what is left, and what it does not need goes to the next. Where there are so many that a part would be worth nothing, only the worst
//! are searched. None of this depends on other slots, so slots are done side by side, on other machines too.

use rayon::prelude::*;

use crate::measure::{Measured, Placed};
use crate::overlap::{Overlap, common_volume, flaw_of_pair};
use crate::report::Search;

/// Less work than this on a depth is not worth its while: it ends before the first way out is closed in on.
const LEAST_WORK: u64 = 2_000;

/// Two parts that clash, and what was found out about them so far.
pub(crate) type ClashingPair<'m, 'f> = (Placed<'m>, Placed<'m>, &'f mut Measured);

/// Finds out how deep and how much the pairs of a slot overlap, in the order of the parts, as well as the work allows. `done` is told of each.
pub(crate) fn deepen(mut clashes: Vec<ClashingPair<'_, '_>>, work: u64, done: &(dyn Fn() + Sync)) {
    // Those that seem equally bad stay in the order of the parts.
    clashes.sort_by(|(.., p), (.., q)| p.gap.upper.total_cmp(&q.gap.upper).then(p.gap.lower.total_cmp(&q.gap.lower)));
    let (mut searched, mut known) = (Vec::new(), Vec::new());
    for (a, b, found) in clashes {
        let open = found.depth.as_mut().filter(|depth| depth.search != Search::Complete);
        let is_searched = open.is_some_and(|depth| {
            depth.why = flaw_of_pair(a.0, b.0);
            depth.why.is_none()
        });
        (if is_searched { &mut searched } else { &mut known }).push((a, b, found));
    }
    let most = usize::try_from(work / LEAST_WORK).unwrap_or(usize::MAX);
    let left_out = searched.split_off(most.min(searched.len()));
    let (mut work, count) = (work, searched.len() as u64);
    for ((a, b, found), others) in searched.iter_mut().zip((0..count).rev()) {
        work = work.saturating_sub(search(*a, *b, found, work / (others + 1)));
    }
    let why = match (most, most + left_out.len()) {
        (0, _) => "there is too little work for any: see --depth-budget".to_owned(),
        (most, all) => format!(
            "of {all} clashes that share a fortieth of the work only the {most} that seem worst were searched: see --depth-budget"
        ),
    };
    for (.., found) in left_out {
        found.depth.iter_mut().for_each(|depth| depth.why = Some(why.clone()));
        done();
    }
    searched.append(&mut known);
    searched.into_par_iter().for_each(|(a, b, found)| {
        found.volume = found.volume.or_else(|| common_volume(a, b));
        done();
    });
}

/// Searches for the depth of a pair that clashes; returns the work it took.
pub(crate) fn search(a: Placed<'_>, b: Placed<'_>, found: &mut Measured, work: u64) -> u64 {
    let Some((depth, direction)) = found.depth.take().zip(found.normal) else { return 0 };
    let mut overlap = Overlap { depth, direction, gap: found.gap };
    let took = overlap.search(a, b, work, |_, _| false);
    (found.gap, found.normal, found.depth) = (overlap.gap, Some(overlap.direction), Some(overlap.depth));
    took
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use clearance::glam::DVec3;
    use clearance::{Pose, Shape};

    use super::{LEAST_WORK, deepen};
    use crate::measure::{Asked, Measured, Scratch, measure};
    use crate::model::Body;
    use crate::report::Search;
    use crate::rules::Limits;
    use crate::test_parts::cuboid;

    /// Turned cubes in a cube, each deeper than the one before, with so much work for all; what became of each.
    fn depths(count: u8, work: u64) -> Vec<Measured> {
        let mesh = cuboid(DVec3::ONE);
        let body = Body { shape: Shape::Mesh(mesh.clone()), mesh, open: None };
        let pose = |k: u8| {
            Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.5, DVec3::X * (1.05 - 0.1 * f64::from(k))).unwrap()
        };
        let (here, poses): (Pose, Vec<Pose>) = (Pose::IDENTITY, (0..count).map(pose).collect());
        let (limits, mut scratch) = (Limits::default(), Scratch::default());
        let asked = Asked { limits: &limits, depth_work: 0 };
        let mut found: Vec<Measured> =
            poses.iter().map(|pose| measure((&body, &here), (&body, pose), &asked, &mut scratch).unwrap()).collect();
        let clashes = found.iter_mut().zip(&poses).map(|(found, pose)| ((&body, &here), (&body, pose), found));
        let done = AtomicUsize::new(0);
        deepen(clashes.collect(), work, &|| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), usize::from(count));
        found
    }

    #[test]
    fn work_is_shared_and_what_is_left_goes_on() {
        // Alone, one needs less than it may take; the next may have what is left.
        let searched = depths(3, 1_000_000);
        for found in &searched {
            let depth = found.depth.as_ref().unwrap();
            assert!(depth.search == Search::Complete && depth.why.is_none() && found.volume.is_some(), "{depth:?}");
        }
        // Too little work for any says what seems, and leaves it as it is.
        let seems = depths(3, LEAST_WORK - 1);
        assert!(seems.iter().all(|found| found.depth.as_ref().unwrap().why.is_some()));
        let least = (0..3).max_by(|&p, &q| seems[p].gap.upper.total_cmp(&seems[q].gap.upper)).unwrap();
        // Work for two: all but the one that seems least are searched, and that one says why not.
        let little = depths(3, 2 * LEAST_WORK);
        for (number, found) in little.iter().enumerate() {
            assert_eq!(found.depth.as_ref().unwrap().search != Search::None, number != least, "{number}: {found:?}");
        }
        let why = little[least].depth.as_ref().unwrap().why.as_ref().unwrap();
        assert!(why.contains("of 3 clashes") && why.contains("only the 2 that seem worst"), "{why}");
    }
}
