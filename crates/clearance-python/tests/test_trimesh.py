"""The manager of `clearance.trimesh` against that of trimesh: the same calls, the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clearance
import clearance.trimesh
from bodies import moved, random_poses

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")

from trimesh.collision import CollisionManager  # noqa: E402

BOX = trimesh.creation.box((2, 2, 2))
TORUS = trimesh.creation.torus(2.0, 0.5, major_sections=24, minor_sections=12)
BALL = trimesh.creation.icosphere(2)
BODIES = {"box": BOX, "torus": TORUS, "ball": BALL, "ring": TORUS, "can": trimesh.creation.cylinder(0.7, 2.0)}


def both(seed: int) -> tuple[Any, clearance.trimesh.CollisionManager]:
    theirs, ours = CollisionManager(), clearance.trimesh.CollisionManager()
    # trimesh rounds poses to single precision when it takes them; both get what it keeps.
    for (name, mesh), pose in zip(BODIES.items(), random_poses(len(BODIES), 3.0, seed), strict=True):
        for manager in (theirs, ours):
            manager.add_object(name, mesh)
            manager.set_transform(name, pose)
    return theirs, ours


@pytest.mark.parametrize("seed", range(8))
def test_the_same_collisions(seed: int) -> None:
    theirs, ours = both(seed)
    assert ours.in_collision_internal() == theirs.in_collision_internal()
    result, names, data = ours.in_collision_internal(return_names=True, return_data=True)
    expected, expected_names, expected_data = theirs.in_collision_internal(return_names=True, return_data=True)
    assert (result, names) == (expected, expected_names)
    assert {frozenset(it.names) for it in data} == {frozenset(it.names) for it in expected_data}
    # Of two surfaces the pairs of triangles that meet are the same.
    for pair in (it for it in names if not {"box", "ball", "can"} & set(it)):
        of = [
            {tuple(it.index(name) for name in pair) for it in all_ if it.names == set(pair)}
            for all_ in (data, expected_data)
        ]
        assert of[0] == of[1] and of[0]
    single = random_poses(1, 3.0, seed + 100)[0]
    for mesh in (BOX, TORUS):
        assert ours.in_collision_single(mesh, single) == theirs.in_collision_single(mesh, single)
        assert ours.in_collision_single(mesh, single, True) == theirs.in_collision_single(mesh, single, True)
    other_theirs, other_ours = both(seed + 50)
    assert ours.in_collision_other(other_ours, True) == theirs.in_collision_other(other_theirs, True)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_distances(seed: int) -> None:
    theirs, ours = both(seed)
    met = {name for pair in theirs.in_collision_internal(return_names=True)[1] for name in pair}
    for name in BODIES:
        # The numbers of trimesh for what overlaps are those of single triangles.
        if name not in met:
            gap, names, data = ours.min_distance_internal(name, return_names=True, return_data=True)
            expected, expected_names = theirs.min_distance_internal(name, return_names=True)
            assert gap == pytest.approx(expected, abs=1e-5) and names == expected_names
            assert data.distance == gap and data.names == set(names)
            assert np.linalg.norm(data.point(names[0]) - data.point(names[1])) == pytest.approx(gap)
    single = moved(9, 1, 2)
    gap, name = ours.min_distance_single(BALL, single, return_name=True)
    assert (gap, name) == (
        pytest.approx(theirs.min_distance_single(BALL, single), abs=1e-5),
        theirs.min_distance_single(BALL, single, return_name=True)[1],
    )
    other_theirs, other_ours = both(seed + 50)
    for name in BODIES:
        for manager in (other_theirs, other_ours):
            pose = moved(12, 1)
            manager.set_transform(name, pose)
    gap, names = ours.min_distance_other(other_ours, return_names=True)
    expected, expected_names = theirs.min_distance_other(other_theirs, return_names=True)
    assert gap == pytest.approx(expected, abs=1e-4) and names[0] == expected_names[0]


def test_depth_of_convex_meshes() -> None:
    theirs, ours = CollisionManager(), clearance.trimesh.CollisionManager()
    for manager in (theirs, ours):
        manager.add_object("a", BOX)
        manager.add_object("b", BOX, moved(1.5, 0.125, 0.25))
    gap, data = ours.min_distance_internal(return_data=True)
    assert gap == pytest.approx(theirs.min_distance_internal()) == -0.5 == data.distance
    _, (contact, *_) = ours.in_collision_internal(return_data=True)
    assert contact.depth == pytest.approx(0.5) and contact.normal.tolist() == [1, 0, 0] and contact.index("a") == -1
    # Inside a convex mesh is in collision, as it is a solid.
    for manager in (theirs, ours):
        manager.add_object("b", trimesh.creation.box((0.2, 0.2, 0.2)), moved(0.1))
        assert manager.in_collision_internal()
        manager.add_object("b", TORUS.copy().apply_scale(0.1), moved(0.1))
        assert manager.in_collision_internal()
    assert ours.in_collision_internal(return_data=True)[1]


def test_names() -> None:
    manager = clearance.trimesh.CollisionManager()
    assert manager.in_collision_internal() is False and manager.in_collision_internal(True, True) == (False, set(), [])
    assert manager.min_distance_single(BOX) == CollisionManager().min_distance_single(BOX)
    for call in (manager.remove_object, lambda name: manager.set_transform(name, np.eye(4))):
        with pytest.raises(ValueError, match="not in collision manager"):
            call("box")
    manager.add_object("box", BOX)
    manager.remove_object("box")
    assert manager.in_collision_single(BOX) is False
    with pytest.raises(ValueError, match=r"must be \(4, 4\)"):
        manager.add_object("box", BOX, np.eye(3))


def test_real_objects_of_trimesh_are_bodies() -> None:
    assert np.array_equal(clearance.Mesh(TORUS).faces, TORUS.faces) and clearance.Mesh(TORUS).solid().is_solid
    assert clearance.intersects(TORUS, BOX, pose_b=moved(2))
