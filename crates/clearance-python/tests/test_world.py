"""Many bodies: handles, events, pairs, rays."""

from __future__ import annotations

import pickle
import threading
from typing import Any

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


def test_queries_and_groups() -> None:
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
    with pytest.raises(clearance.ClearanceError, match="expected one of 'intersects'"):
        clearance.World("collide")


def test_many_bodies() -> None:
    world, poses = clearance.World(), random_poses(60, 6.0)
    bodies = [world.insert(torus() if k % 2 else BALL) for k in range(60)]
    world.move_batch(bodies, poses)
    assert world.pose(bodies[7]) == clearance.Pose(poses[7])
    met = {(event.a, event.b) for event in world.step()}
    all_pairs = np.array([(i, j) for i in range(60) for j in range(i + 1, 60)])
    shapes = [world.shape(body) for body in bodies]
    expected = all_pairs[clearance.intersects_pair_batch(shapes, all_pairs, poses)]
    assert met == set(map(tuple, expected.tolist())) and met
    assert met <= set(map(tuple, world.pairs_within(0.0).tolist()))
    assert met <= set(map(tuple, world.near_pairs().tolist()))
    with pytest.raises(clearance.ClearanceError, match="59 poses for 60 bodies"):
        world.move_batch(bodies, poses[:-1])


def test_rays_and_places() -> None:
    world = clearance.World()
    near, far = world.insert(BALL, moved(4)), world.insert(BALL, moved(8))
    hit = world.ray_cast([0, 0, 0], [1, 0, 0])
    assert hit and hit[0] == near and hit[1].value == 3
    hit[1].verify()
    hits = world.ray_cast_batch([[0, 0, 0], [12, 0, 0], [0, 9, 0]], [[1, 0, 0], [-1, 0, 0], [1, 0, 0]])
    assert [it[0] if it else None for it in hits] == [near, far, None]
    none = world.ray_cast([0, 0, 0], [1, 0, 0], t_to=2)
    assert isinstance(none, clearance.NoHit) and len(none.shapes) == 2 and isinstance(hits[2], clearance.NoHit)
    none.verify()
    hits[2].verify()
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


def test_pairs_are_looked_at_when_they_are_due() -> None:
    """A falling ball and many at rest: as every step of all pairs finds them, with few distances asked for."""
    rng = np.random.default_rng(5)
    places = rng.uniform([-20, -3, -3], [20, 3, 3], (30, 3))
    world, rests = clearance.World("distance"), [cube(0.5)] * 15 + [BALL] * 15
    for shape, place in zip(rests, places, strict=True):
        world.insert(shape, moved(*place))
    flies = world.insert(BALL, moved(30, 0, 0))
    motion = clearance.MotionBounds(1.0, (-1.0, 0.0, 0.0))
    asked, met = 0, 0
    for now in range(50):
        world.move_to(flies, moved(30.0 - now, 0, 0))
        found = world.next_contacts(float(now), {flies: motion})
        asked += found.looked_at
        near = {(a, b) for a, b, _ in found.contacts}
        truth = {
            (a, b)
            for b in world.bodies
            for a in range(b)
            if clearance.intersects(world.shape(a), world.shape(b), world.pose(a), world.pose(b))
        }
        assert near == truth
        for _, _, distance in found.contacts:
            assert distance.value == 0
            distance.verify()
        met += len(near)
    assert met > 0 and asked < 50 * 30 * 31 / 2 / 4
    # It turns back: said, all its pairs are due at once.
    world.disturb(flies)
    assert world.next_due == -np.inf
    assert world.next_contacts(50.0, {flies: motion._replace(velocity=(1, 0, 0))}).looked_at >= 30
    wrong: list[tuple[Any, str]] = [
        ({flies: 3}, f"motions[{flies}]"),
        ({flies: motion._replace(radius=-1.0)}, f"motions[{flies}]"),
        ({"a": motion}, "motions"),
    ]
    for motions, argument in wrong:
        with pytest.raises(clearance.ClearanceError) as caught:
            world.next_contacts(51.0, motions)
        assert caught.value.argument == argument
    with pytest.raises(clearance.NoSuchBodyError):
        world.disturb(999)


def test_time_to_contact() -> None:
    rests, flies = clearance.MotionBounds(), clearance.MotionBounds(velocity=(4.0, 0.0, 0.0))
    assert abs(clearance.time_to_contact(2.0, rests, flies) - 0.5) < 1e-12
    assert clearance.time_to_contact(2.0, rests, rests) == np.inf
    spins = clearance.MotionBounds(2.0, angular_velocity=1.0)
    assert clearance.time_to_contact(2.0, rests, spins) < 1.0
