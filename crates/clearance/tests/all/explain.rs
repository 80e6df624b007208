//! What a query of two indices did, as it is recorded: the counts of [`Stats`], the same answers, and visits that add
//! up, for every kind of tree.

use std::collections::BTreeMap;

use clearance::answer::Contacts;
use clearance::glam::DVec3;
use clearance::index::{
    Aabb, BoxTree, Descend, Explain, Index, IndexOptions, Kdop, Kind, NodeVisits, Obb, Rss, Sphere, Stats,
    SweptSpheres, VisitOutcome,
};
use clearance::query::{ContactsOptions, DistanceOptions, IntersectsOptions};
use clearance::{Mesh, Pose, Workspace};
use clearance_oracle::random::Random;

use crate::common::meshes::{bumpy_ball, random_pose};

/// All visits are kept.
const ALL: usize = usize::MAX;

fn meshes() -> [Mesh; 2] {
    let (large, small) = (bumpy_ball(6, 1.0, DVec3::ZERO, 0.2), bumpy_ball(4, 0.5, DVec3::X, 0.1));
    [large, small].map(|(points, triangles)| Mesh::new(&points, &triangles).unwrap())
}

fn poses() -> Vec<[Pose; 2]> {
    let mut random = Random::new(5);
    [0.7, 1.4, 2.0, 9.0].map(|distance| [random_pose(&mut random, 0.0), random_pose(&mut random, distance)]).to_vec()
}

/// Whether the record of a query agrees with itself and with the counts.
fn adds_up<K: Kind>(explain: &Explain, stats: Stats, indices: [&Index<K>; 2], descend: Descend, name: &str) {
    assert_eq!(explain.stats(), stats, "{name}");
    let sum = |of: fn(&clearance::index::ExplainedLevel) -> u64| explain.levels().iter().map(of).sum::<u64>();
    assert_eq!(sum(|level| level.visits), stats.volume_tests, "{name}");
    let first = u64::from(explain.first_triangles().is_some());
    assert_eq!(sum(|level| level.triangle_tests) + first, stats.triangle_tests, "{name}");
    let visits = explain.visits();
    assert_eq!((visits.len() as u64, explain.left_out()), (stats.volume_tests, 0), "{name}");
    let with = |outcome: VisitOutcome| visits.iter().filter(|visit| visit.outcome == outcome).count() as u64;
    assert_eq!(with(VisitOutcome::Pruned), sum(|level| level.pruned), "{name}");
    assert_eq!(with(VisitOutcome::Dropped), sum(|level| level.dropped), "{name}");
    // Every pair but the first is below one that was opened, and is visited once.
    let numbers: BTreeMap<[u32; 2], usize> = visits.iter().map(|visit| visit.nodes).zip(0..).collect();
    assert_eq!(numbers.len(), visits.len(), "{name}");
    let mut below = 0;
    for visit in &visits {
        let [a, b] = visit.nodes;
        let children = [indices[0].children(a), indices[1].children(b)];
        match visit.outcome {
            VisitOutcome::Opened => {
                below += if descend == Descend::Both && children.iter().all(Option::is_some) { 4 } else { 2 };
                let of = |k: usize| children[k].map_or_else(|| vec![visit.nodes[k]], |two| two.to_vec());
                let pairs = of(0).into_iter().flat_map(|a| of(1).into_iter().map(move |b| [a, b]));
                let either = children[0].into_iter().flatten().map(|a| [a, b]);
                let other = children[1].into_iter().flatten().map(|b| [a, b]);
                let some = pairs.chain(either).chain(other).any(|pair| numbers.contains_key(&pair));
                assert!(some, "{name}: nothing was visited below {visit:?}");
            }
            VisitOutcome::Pruned => assert!(visit.lower > visit.limit || visit.limit == 0.0, "{name}: {visit:?}"),
            VisitOutcome::Tested(count) => {
                assert_eq!(children, [None, None], "{name}: {visit:?}");
                let all = indices[0].triangles(a).len() * indices[1].triangles(b).len();
                assert!(count >= 1 && count as usize <= all, "{name}: {visit:?}");
            }
            VisitOutcome::Dropped | VisitOutcome::Waiting => {}
        }
        for (k, node) in visit.nodes.into_iter().enumerate() {
            let state = explain.nodes(k)[node as usize];
            assert!(
                state == NodeVisits::Passed || visit.outcome == VisitOutcome::Pruned,
                "{name}: {visit:?} {state:?}"
            );
            assert_eq!(explain.node_levels(k)[node as usize], visit.levels[k], "{name}");
        }
    }
    assert_eq!(below + 1, visits.len(), "{name}");
    for k in [0, 1] {
        let reached = explain.nodes(k).iter().filter(|state| **state != NodeVisits::None).count();
        let mut nodes: Vec<u32> = visits.iter().map(|visit| visit.nodes[k]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(reached, nodes.len(), "{name}");
    }
}

fn of_kind<K: Kind>(name: &str) {
    let [mesh_a, mesh_b] = meshes();
    let (mut workspace, nearest) = (Workspace::default(), DistanceOptions::default());
    for descend in [Descend::Larger, Descend::Both] {
        let options = IndexOptions { descend, leaf: 3, ..IndexOptions::default() };
        let (a, b) = (&Index::<K>::new(&mesh_a, &options), &Index::<K>::new(&mesh_b, &options));
        for [pose_a, pose_b] in poses() {
            // Both orders: the walk has an order of its own, and tells the caller's.
            for (a, pose_a, b, pose_b) in [(a, &pose_a, b, &pose_b), (b, &pose_b, a, &pose_a)] {
                let (mut stats, mut explain) = (Stats::default(), Explain::new(a, b, ALL));
                let plain = a.distance(pose_a, b, pose_b);
                let counted = a.distance_with(pose_a, b, pose_b, &nearest, &mut workspace, &mut stats);
                let told = a.distance_with(pose_a, b, pose_b, &nearest, &mut workspace, &mut explain);
                assert!(plain == counted && plain == told, "{name}: counting changes nothing");
                adds_up(&explain, stats, [a, b], descend, name);
                // Only a search that ends early, with triangles that meet, leaves pairs waiting.
                let waiting = explain.visits().iter().any(|visit| visit.outcome == VisitOutcome::Waiting);
                assert!(!waiting || plain.gap.value == 0.0, "{name}");
                // Kept or not, all is counted.
                let mut few = Explain::new(a, b, 7);
                assert!(a.distance_with(pose_a, b, pose_b, &nearest, &mut workspace, &mut few) == plain, "{name}");
                assert_eq!((few.stats(), few.levels()), (explain.stats(), explain.levels()), "{name}");
                assert_eq!((few.nodes(0), few.nodes(1)), (explain.nodes(0), explain.nodes(1)), "{name}");
                let kept = few.visits();
                assert_eq!(kept.len() as u64 + few.left_out(), stats.volume_tests, "{name}");
                assert!(kept.len() <= 7 && few.bytes() <= explain.bytes(), "{name}");
                let nodes = (a.node_count() + b.node_count()) * 10;
                let triangles = (mesh_a.triangle_count() + mesh_b.triangle_count()) * 4;
                let levels = size_of_val(explain.levels());
                assert!(few.bytes() <= nodes + triangles + levels + 7 * 68, "{name}: {}", few.bytes());

                let (mut stats, mut explain) = (Stats::default(), Explain::new(a, b, ALL));
                let options = IntersectsOptions::default();
                let meet = a.intersects_with(pose_a, b, pose_b, &options, &mut workspace, &mut stats);
                assert_eq!(a.intersects_with(pose_a, b, pose_b, &options, &mut workspace, &mut explain), meet);
                assert_eq!(explain.stats(), stats, "{name}");
                if !meet {
                    adds_up(&explain, stats, [a, b], descend, name);
                }

                let (mut found, mut again) = (Contacts::default(), Contacts::default());
                let mut explain = Explain::new(a, b, ALL);
                let options = ContactsOptions::default();
                a.contacts_with(pose_a, b, pose_b, &options, &mut workspace, &mut (), &mut found);
                a.contacts_with(pose_a, b, pose_b, &options, &mut workspace, &mut explain, &mut again);
                assert!(found == again, "{name}");
                if meet {
                    adds_up(&explain, explain.stats(), [a, b], descend, name);
                }
            }
        }
    }
}

#[test]
fn visits_add_up() {
    of_kind::<Aabb>("aabb");
    of_kind::<Obb>("obb");
    of_kind::<Sphere>("sphere");
    of_kind::<Rss>("rss");
    of_kind::<SweptSpheres>("swept spheres");
    of_kind::<Kdop<18>>("18-DOP");
    of_kind::<BoxTree>("box tree");
}
