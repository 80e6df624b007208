//! Large meshes, judged by the oracle's tree and exact arithmetic.

use crate::common;

use clearance::glam::DVec3;
use clearance::{Pose, Shape, contacts, distance, intersects};
use clearance_oracle::MeshJudge;
use clearance_oracle::random::Random;
use common::meshes::{Lists, bumpy_ball, random_pose, soup, surface};

fn judge((points, triangles): &Lists, pose: &Pose) -> MeshJudge {
    let rows = pose.rotation().transpose().to_cols_array_2d();
    MeshJudge::new(points, triangles, rows, pose.translation().to_array())
}

/// Checks every answer about two meshes against the judge; returns how many pairs of triangles meet.
fn check(label: &str, a: (&Lists, &Shape, &Pose), b: (&Lists, &Shape, &Pose)) -> usize {
    let (of_a, of_b) = (judge(a.0, a.2), judge(b.0, b.2));
    let found = contacts(a.1, a.2, b.1, b.2);
    let pairs: Vec<_> = found.crossings.iter().map(|c| (c.triangle_a, c.triangle_b)).collect();
    assert_eq!(pairs, of_a.meeting_pairs(&of_b), "{label}");
    assert_eq!(intersects(a.1, a.2, b.1, b.2), !pairs.is_empty(), "{label}");
    let (low, high) = of_a.distance(&of_b);
    let answer = distance(a.1, a.2, b.1, b.2);
    assert!(answer.gap.lower <= high && low <= answer.gap.upper, "{label}: {answer:?}, but {low:e} to {high:e}");
    let scale = common::scale(a.1, a.2, b.1, b.2);
    assert!(answer.gap.upper - answer.gap.lower <= 1e-12 * scale, "{label}: {answer:?}");
    answer.verify(a.1, a.2, b.1, b.2).unwrap_or_else(|refusal| panic!("{label}: {refusal}\n{answer:?}"));
    pairs.len()
}

#[test]
fn large_meshes_agree_with_the_oracle() {
    let mut random = Random::new(31);
    let (mut meeting, mut apart) = (0, 0);
    for (round, size) in [1.0, 1e-3, 1e3].into_iter().enumerate() {
        let (large, small) =
            (bumpy_ball(90, size, DVec3::ZERO, 0.2), bumpy_ball(60, 0.6 * size, DVec3::new(0.1, 0.2, 0.0) * size, 0.3));
        assert!(large.1.len() > 30_000);
        let (a, b) = (surface(&large), surface(&small));
        for far in [0.9, 1.4, 1.75, 2.1, 6.0] {
            let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, far * size));
            let pairs = check(&format!("{round} {far}"), (&large, &a, &pose_a), (&small, &b, &pose_b));
            (meeting, apart) = if pairs > 0 { (meeting + 1, apart) } else { (meeting, apart + 1) };
        }
    }
    assert!(meeting >= 5 && apart >= 5, "{meeting} {apart}");
}

#[test]
fn a_heap_of_triangles_against_a_ball() {
    let mut random = Random::new(32);
    let heap = soup(&mut random, 3000, 1.0);
    let ball = bumpy_ball(40, 0.3, DVec3::ZERO, 0.2);
    let (a, b) = (surface(&heap), surface(&ball));
    for far in [0.2, 1.6, 3.0] {
        let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, far));
        let pairs = check(&format!("{far}"), (&heap, &a, &pose_a), (&ball, &b, &pose_b));
        assert!(far > 1.0 || pairs > 100, "{pairs}");
    }
}
