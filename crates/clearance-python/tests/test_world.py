"""Many bodies: handles, events, pairs, rays."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import clearance
from bodies import cube, moved, random_poses, torus

BALL = clearance.Sphere(1.0)


def test_events() -> None:
    world = clearance.World("distance", 2.0)
    left, right = world.insert(BALL), world.insert(BALL, moved(9))
    assert world.step() == [] and len(world) == 2 and left in world and world.bodies == [left, right]
    world.move_to(right, moved(3))
    (event,) = world.step()
    assert (event.a, event.b, event.change) == (left, right, "began")
    assert isinstance(event.finding, clearance.Distance) and event.finding.value == 1
    event.finding.verify()
    assert pickle.loads(pickle.dumps(event)) == event
    assert [it.change for it in world.step()] == ["persists"]
    world.remove(left)
    (event,) = world.step()
    assert (event.a, event.b, event.change, event.finding) == (left, right, "ended", None)
    assert world.insert(BALL) not in (left, right)
    for call in (world.pose, world.shape, world.group, world.remove):
        with pytest.raises(clearance.NoSuchBodyError):
            call(left)


def test_questions_and_groups() -> None:
    world = clearance.World(None)
    world.set_interest(0, 1, "contacts")
    world.set_interest(1, 1, "relation", 0.5)
    a, b = world.insert(cube(), group=0), world.insert(torus(), moved(2), group=1)
    c = world.insert(torus(), moved(4), group=1)
    assert (world.group(a), world.group(b), world.shape(b)) == (0, 1, torus())
    findings = {(event.a, event.b): event.finding for event in world.step()}
    assert isinstance(findings[a, b], clearance.Contacts) and isinstance(findings[b, c], clearance.RelationProof)
    for finding in findings.values():
        assert finding is not None
        finding.verify()
    world.ignore(a, b)
    assert [(event.a, event.b) for event in world.step() if event.change == "ended"] == [(a, b)]
    with pytest.raises(clearance.ClearanceError, match="none of 'intersects'"):
        clearance.World("collide")


def test_many_bodies() -> None:
    world, poses = clearance.World(), random_poses(60, 6.0)
    bodies = [world.insert(torus() if k % 2 else BALL) for k in range(60)]
    world.move_many(bodies, poses)
    assert world.pose(bodies[7]) == clearance.Pose(poses[7])
    met = {(event.a, event.b) for event in world.step()}
    all_pairs = np.array([(i, j) for i in range(60) for j in range(i + 1, 60)])
    shapes = [world.shape(body) for body in bodies]
    expected = all_pairs[clearance.intersects_pairs(shapes, all_pairs, poses)]
    assert met == set(map(tuple, expected.tolist())) and met
    assert met <= set(map(tuple, world.pairs_within(0.0).tolist()))
    assert met <= set(map(tuple, world.near_pairs().tolist()))
    with pytest.raises(clearance.ClearanceError, match="59 poses for 60 bodies"):
        world.move_many(bodies, poses[:-1])


def test_rays_and_places() -> None:
    world = clearance.World()
    near, far = world.insert(BALL, moved(4)), world.insert(BALL, moved(8))
    hit = world.ray_cast([0, 0, 0], [1, 0, 0])
    assert hit is not None and hit[0] == near and hit[1].value == 3
    hit[1].verify()
    hits = world.ray_cast_many([[0, 0, 0], [12, 0, 0], [0, 9, 0]], [[1, 0, 0], [-1, 0, 0], [1, 0, 0]])
    assert [None if it is None else it[0] for it in hits] == [near, far, None]
    assert world.ray_cast([0, 0, 0], [1, 0, 0], t_to=2) is None
    assert world.bodies_at([4.5, 0, 0]) == [near] and world.bodies_in([6, -1, -1], [20, 1, 1]) == [far]


def test_a_world_is_shared_by_threads() -> None:
    world = clearance.World()
    bodies = [world.insert(torus(), pose) for pose in random_poses(40, 3.0)]

    def shake(seed: int) -> None:
        for pose in random_poses(10, 3.0, seed):
            world.move_to(bodies[seed], pose)
            world.step()

    threads = [threading.Thread(target=shake, args=(seed,)) for seed in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.step()) > 0
