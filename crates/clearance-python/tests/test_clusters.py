"""The adapters on a local cluster of each kind, where `distributed` and `ray` are installed: no other test needs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clearance
from bodies import cube, moved, random_poses, ring_robot, torus
from clearance._cluster import Body, Cluster

pytestmark = pytest.mark.filterwarnings("default")


class Here(Cluster):
    """A cluster of this process: what the adapters share, and how often a body is sent."""

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
        from clearance._cluster import answer

        return [answer(*part) for part in parts]


@pytest.fixture(scope="module", params=["here", "dask", "ray"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    if request.param == "here":
        yield Here()
    elif request.param == "dask":
        distributed = pytest.importorskip("distributed")
        from clearance.dask import Cluster as Dask

        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
            distributed.Client(local) as client,
        ):
            yield Dask(client)
    else:
        ray = pytest.importorskip("ray")
        from clearance.ray import Cluster as Ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        with Ray() as made:
            yield made
        ray.shutdown()


def test_poses(cluster: Cluster) -> None:
    a, b, poses, first = torus(), cube(), random_poses(50, 2.5), random_poses(50, 0.5, seed=2)
    for pose_a in (None, first, clearance.Pose(first[0])):
        assert cluster.distance_many(a, b, poses, pose_a) == clearance.distance_many(a, b, poses, pose_a)
        assert np.array_equal(
            cluster.intersects_many(a, b, poses, pose_a, margin=0.1),
            clearance.intersects_many(a, b, poses, pose_a, margin=0.1),
        )
    assert np.array_equal(cluster.relation_many(a, b, poses, part=7), clearance.relation_many(a, b, poses))
    found = cluster.overlap_volume_many(a, b, poses)
    assert found == clearance.overlap_volume_many(a, b, poses)
    found.verify()
    box, ball = clearance.Box([1, 1, 1]), clearance.Sphere(1)
    assert cluster.penetration_many(box, ball, poses) == clearance.penetration_many(box, ball, poses)
    ways = random_poses(50, 5.0, seed=3)[:, :3, 3]
    assert cluster.time_of_impact_many(box, ball, poses, ways) == clearance.time_of_impact_many(box, ball, poses, ways)
    assert np.array_equal(
        cluster.sweeps_meet_many(box, ball, poses, ways, margin=0.1, part=9),
        clearance.sweeps_meet_many(box, ball, poses, ways, margin=0.1),
    )
    assert len(cluster.distance_many(a, b, np.empty((0, 4, 4)))) == 0
    assert len(cluster.intersects_many(a, b, np.empty((0, 4, 4)))) == 0


def test_motions(cluster: Cluster) -> None:
    box, ball = clearance.Box([1, 1, 1]), clearance.Sphere(1)
    starts, ways = random_poses(30, 5.0), random_poses(30, 5.0, seed=3)[:, :3, 3]
    motions = [
        clearance.RigidMotion(start, way, [0, 1, 2], 0.1 * turn)
        for turn, (start, way) in enumerate(zip(starts, ways, strict=True))
    ]
    motions[0] = clearance.Motion(starts[0], ways[0])  # type: ignore[call-overload]
    turning = clearance.RigidMotion(None, [0, 0, 1], [1, 0, 0], 2.0)
    for motion_a in (None, turning, clearance.Pose(starts[1])):
        impacts = cluster.rigid_impact_many(box, ball, motions, motion_a, margin=0.01)
        assert impacts == clearance.rigid_impact_many(box, ball, motions, motion_a, margin=0.01)
        assert impacts.hit.any() and not impacts.hit.all()
    impacts.verify()
    gaps = cluster.least_clearance_many(box, ball, iter(motions), turning, part=4, relative_tolerance=0.01)
    assert gaps == clearance.least_clearance_many(box, ball, motions, turning, relative_tolerance=0.01)
    gaps.verify()
    assert len(cluster.rigid_impact_many(box, ball, [])) == len(cluster.least_clearance_many(box, ball, [])) == 0
    assert len(cluster.sweeps_meet_many(box, ball, np.empty((0, 4, 4)), np.empty((0, 3)))) == 0


def test_pairs(cluster: Cluster) -> None:
    shapes = [torus(), cube(), clearance.Box([1, 1, 1]), clearance.Sphere(1), clearance.Hull(cube().vertices)]
    poses = random_poses(5, 2.0)
    pairs = np.array([[i, j] for i in range(5) for j in range(i)])
    for name in ("relation_pairs", "intersects_pairs", "distance_pairs"):
        ours, theirs = (
            getattr(cluster, name)(shapes, pairs, poses, part=3),
            getattr(clearance, name)(shapes, pairs, poses),
        )
        assert np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == theirs
    convex = [[1, 0], [2, 0], [2, 1]]
    assert cluster.penetration_pairs(shapes[2:], convex) == clearance.penetration_pairs(shapes[2:], convex)
    assert cluster.overlap_volume_pairs(shapes, [[1, 2]], poses) == clearance.overlap_volume_pairs(
        shapes, [[1, 2]], poses
    )
    with pytest.raises(clearance.ClearanceError, match="not there"):
        cluster.distance_pairs(shapes, [[0, 5]], poses)


def test_robots(cluster: Cluster, tmp_path: Path) -> None:
    robot = clearance.Robot(ring_robot(tmp_path), world=[("block", cube(0.1), moved(0.5, 0.3))])
    lower, upper = robot.limits.T
    q = np.random.default_rng(1).uniform(lower, upper, (300, 3))
    here, there = robot.check_many(q), cluster.check_many(robot, q)
    assert isinstance(there, clearance.RobotChecks) and here.free.any() and not here.free.all()
    assert np.array_equal(here.free, there.free) and np.array_equal(here.pair, there.pair)
    # To the bit, wherever it is cut.
    for part in (None, 1, 100):
        gaps = cluster.distances_many(robot, q, part=part)
        assert gaps == robot.distances_many(q)
    gaps.verify()
    swept = cluster.sweep_many(robot, q[:40], q[40:80], part=7)
    assert swept == robot.sweep_many(q[:40], q[40:80]) and swept[0] == robot.sweep(q[0], q[40])
    with_gaps = cluster.sweep_many(robot, q[:9], q[9:18], clearance=1e-2, resolution=1e-3)
    assert with_gaps == robot.sweep_many(q[:9], q[9:18], clearance=1e-2, resolution=1e-3)
    none = q[:0]
    assert len(cluster.check_many(robot, none).free) == len(cluster.sweep_many(robot, none, none)) == 0
    assert cluster.distances_many(robot, none).value.shape == (0, len(robot.pairs))
    refusals: list[tuple[str, Any]] = [
        ("q", lambda: cluster.check_many(robot, q[0])),
        ("q[299]", lambda: cluster.distances_many(robot, np.vstack([q[:299], np.full((1, 3), np.nan)]))),
        ("end", lambda: cluster.sweep_many(robot, q[:3], q[:2])),
        ("resolution", lambda: cluster.sweep_many(robot, q[:3], q[:3], resolution=0)),
    ]
    for argument, ask in refusals:
        with pytest.raises(clearance.ClearanceError) as caught:
            ask()
        assert caught.value.argument == argument


def test_what_is_refused_comes_back_as_itself(cluster: Cluster) -> None:
    opened = clearance.Mesh(cube().vertices, cube().faces[1:])
    with pytest.raises(clearance.NotSolidError) as caught:
        cluster.penetration_many(clearance.Box([1, 1, 1]), opened, random_poses(3, 0.1))
    assert caught.value.edges.shape == (3, 2)


def test_a_body_is_sent_once() -> None:
    here, body, other = Here(), torus(), cube()
    here.distance_many(body, other, random_poses(20, 2.0))
    here.distance_pairs([body, other, body], [[0, 1], [1, 2]], random_poses(3, 2.0))
    assert here.sent == 2
    here.forget()
    here.intersects_many(body, other, random_poses(20, 2.0))
    assert here.sent == 4


def test_a_robot_is_sent_once(tmp_path: Path) -> None:
    here, robot = Here(), clearance.Robot(ring_robot(tmp_path))
    q = np.zeros((50, 3))
    here.check_many(robot, q)
    here.distances_many(robot, q)
    here.sweep_many(robot, q, q + 0.1)
    assert here.sent == 1
