"""The cluster adapters in this process, and on local Dask and Ray clusters where those packages are installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clearance
from bodies import cube, moved, random_poses, ring_robot, torus
from clearance.clusters._base import Body, Cluster

pytestmark = pytest.mark.filterwarnings("default")


class Here(Cluster):
    """A cluster within this process: tests the base class, and counts how often a body is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0

    @property
    def workers(self) -> int:
        return 3

    def _send(self, body: Body) -> Body:
        self.sent += 1
        return body

    def _ask(self, parts: list[Any]) -> list[Any]:
        from clearance.clusters._base import answer

        return [answer(*part) for part in parts]


@pytest.fixture(scope="module", params=["here", "dask", "ray"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    if request.param == "here":
        yield Here()
    elif request.param == "dask":
        distributed = pytest.importorskip("distributed")
        from clearance.clusters.dask import Cluster as Dask

        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
            distributed.Client(local) as client,
        ):
            yield Dask(client)
    else:
        ray = pytest.importorskip("ray")
        from clearance.clusters.ray import Cluster as Ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        with Ray() as made:
            yield made
        ray.shutdown()


def test_poses(cluster: Cluster) -> None:
    a, b, poses, first = torus(), cube(), random_poses(50, 2.5), random_poses(50, 0.5, seed=2)
    for pose_a in (None, first, clearance.Pose(first[0])):
        assert cluster.distance_batch(a, b, poses, pose_a) == clearance.distance_batch(a, b, poses, pose_a)
        assert np.array_equal(
            cluster.intersects_batch(a, b, poses, pose_a, margin=0.1),
            clearance.intersects_batch(a, b, poses, pose_a, margin=0.1),
        )
    assert np.array_equal(cluster.relation_batch(a, b, poses, part=7), clearance.relation_batch(a, b, poses))
    found = cluster.overlap_volume_batch(a, b, poses)
    assert found == clearance.overlap_volume_batch(a, b, poses)
    found.verify()
    box, ball = clearance.Box(half_extents=[1, 1, 1]), clearance.Sphere(1)
    assert cluster.penetration_batch(box, ball, poses) == clearance.penetration_batch(box, ball, poses)
    ways = random_poses(50, 5.0, seed=3)[:, :3, 3]
    assert cluster.time_of_impact_batch(box, ball, poses, ways) == clearance.time_of_impact_batch(
        box, ball, poses, ways
    )
    assert np.array_equal(
        cluster.sweeps_meet_batch(box, ball, poses, ways, margin=0.1, part=9),
        clearance.sweeps_meet_batch(box, ball, poses, ways, margin=0.1),
    )
    assert len(cluster.distance_batch(a, b, np.empty((0, 4, 4)))) == 0
    assert len(cluster.intersects_batch(a, b, np.empty((0, 4, 4)))) == 0


def test_motions(cluster: Cluster) -> None:
    box, ball = clearance.Box(half_extents=[1, 1, 1]), clearance.Sphere(1)
    starts, ways = random_poses(30, 5.0), random_poses(30, 5.0, seed=3)[:, :3, 3]
    motions = [
        clearance.RigidMotion(start, way, [0, 1, 2], 0.1 * turn)
        for turn, (start, way) in enumerate(zip(starts, ways, strict=True))
    ]
    motions[0] = clearance.Motion(starts[0], ways[0])  # type: ignore[call-overload]
    turning = clearance.RigidMotion(None, [0, 0, 1], [1, 0, 0], 2.0)
    for motion_a in (None, turning, clearance.Pose(starts[1])):
        impacts = cluster.rigid_impact_batch(box, ball, motions, motion_a, margin=0.01)
        assert impacts == clearance.rigid_impact_batch(box, ball, motions, motion_a, margin=0.01)
        assert impacts.hit.any() and not impacts.hit.all()
    impacts.verify()
    gaps = cluster.least_clearance_batch(box, ball, iter(motions), turning, part=4, relative_tolerance=0.01)
    assert gaps == clearance.least_clearance_batch(box, ball, motions, turning, relative_tolerance=0.01)
    gaps.verify()
    assert len(cluster.rigid_impact_batch(box, ball, [])) == len(cluster.least_clearance_batch(box, ball, [])) == 0
    assert len(cluster.sweeps_meet_batch(box, ball, np.empty((0, 4, 4)), np.empty((0, 3)))) == 0


def test_pairs(cluster: Cluster) -> None:
    shapes = [
        torus(),
        cube(),
        clearance.Box(half_extents=[1, 1, 1]),
        clearance.Sphere(1),
        clearance.Hull(cube().vertices),
    ]
    poses = random_poses(5, 2.0)
    pairs = np.array([[i, j] for i in range(5) for j in range(i)])
    for name in ("relation_pair_batch", "intersects_pair_batch", "distance_pair_batch"):
        ours, theirs = (
            getattr(cluster, name)(shapes, pairs, poses, part=3),
            getattr(clearance, name)(shapes, pairs, poses),
        )
        assert np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == theirs
    convex = [[1, 0], [2, 0], [2, 1]]
    assert cluster.penetration_pair_batch(shapes[2:], convex) == clearance.penetration_pair_batch(shapes[2:], convex)
    assert cluster.overlap_volume_pair_batch(shapes, [[1, 2]], poses) == clearance.overlap_volume_pair_batch(
        shapes, [[1, 2]], poses
    )
    with pytest.raises(clearance.ClearanceError, match="out of range"):
        cluster.distance_pair_batch(shapes, [[0, 5]], poses)


def test_robots(cluster: Cluster, tmp_path: Path) -> None:
    robot = clearance.Robot(ring_robot(tmp_path), world=[("block", cube(0.1), moved(0.5, 0.3))])
    lower, upper = robot.limits.T
    q = np.random.default_rng(1).uniform(lower, upper, (300, 3))
    here, there = robot.check_batch(q), cluster.check_batch(robot, q)
    assert isinstance(there, clearance.RobotChecks) and here.free.any() and not here.free.all()
    assert np.array_equal(here.free, there.free) and np.array_equal(here.pair, there.pair)
    # Bit-identical, wherever the batch is split.
    for part in (None, 1, 100):
        gaps = cluster.distances_batch(robot, q, part=part)
        assert gaps == robot.distances_batch(q)
    gaps.verify()
    swept = cluster.sweep_batch(robot, q[:40], q[40:80], part=7)
    assert swept == robot.sweep_batch(q[:40], q[40:80]) and swept[0] == robot.sweep(q[0], q[40])
    with_gaps = cluster.sweep_batch(robot, q[:9], q[9:18], clearance=1e-2, resolution=1e-3)
    assert with_gaps == robot.sweep_batch(q[:9], q[9:18], clearance=1e-2, resolution=1e-3)
    none = q[:0]
    assert len(cluster.check_batch(robot, none).free) == len(cluster.sweep_batch(robot, none, none)) == 0
    assert cluster.distances_batch(robot, none).value.shape == (0, len(robot.pairs))
    refusals: list[tuple[str, Any]] = [
        ("q", lambda: cluster.check_batch(robot, q[0])),
        ("q[299]", lambda: cluster.distances_batch(robot, np.vstack([q[:299], np.full((1, 3), np.nan)]))),
        ("end", lambda: cluster.sweep_batch(robot, q[:3], q[:2])),
        ("resolution", lambda: cluster.sweep_batch(robot, q[:3], q[:3], resolution=0)),
    ]
    for argument, ask in refusals:
        with pytest.raises(clearance.ClearanceError) as caught:
            ask()
        assert caught.value.argument == argument


def test_errors_keep_their_type(cluster: Cluster) -> None:
    opened = clearance.Mesh(cube().vertices, cube().faces[1:])
    with pytest.raises(clearance.NotSolidError) as caught:
        cluster.penetration_batch(clearance.Box(half_extents=[1, 1, 1]), opened, random_poses(3, 0.1))
    assert caught.value.edges.shape == (3, 2)


def test_a_body_is_sent_once() -> None:
    here, body, other = Here(), torus(), cube()
    here.distance_batch(body, other, random_poses(20, 2.0))
    here.distance_pair_batch([body, other, body], [[0, 1], [1, 2]], random_poses(3, 2.0))
    assert here.sent == 2
    here.forget()
    here.intersects_batch(body, other, random_poses(20, 2.0))
    assert here.sent == 4


def test_a_robot_is_sent_once(tmp_path: Path) -> None:
    here, robot = Here(), clearance.Robot(ring_robot(tmp_path))
    q = np.zeros((50, 3))
    here.check_batch(robot, q)
    here.distances_batch(robot, q)
    here.sweep_batch(robot, q, q + 0.1)
    assert here.sent == 1
