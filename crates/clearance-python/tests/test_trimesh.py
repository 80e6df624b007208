"""The manager of `clearance.trimesh` against that of trimesh: the same calls, the same answers."""

from __future__ import annotations

import gc
import itertools
import pickle
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


CONVEX = {name: mesh for name, mesh in BODIES.items() if mesh.is_convex} | {"cube": BOX, "pearl": BALL}


def same_kind(ours: Any, theirs: Any) -> None:
    """Contacts, or distances: the same names, and numbers of the same types and shapes."""
    assert ours.names == theirs.names and len(ours.names) == 2
    kinds = [
        [type(it.index(name)) for name in sorted(it.names)]
        + [type(it.point(name)) if callable(it.point) else type(it.point) for name in sorted(it.names)]
        for it in (ours, theirs)
    ]
    assert kinds[0] == kinds[1] == [int, int, np.ndarray, np.ndarray]
    for it in (ours, theirs):
        points = [it.point(name) for name in it.names] if callable(it.point) else [it.point, it.normal]
        assert all(point.shape == (3,) and point.dtype == np.float64 for point in points)
        assert type(it.depth if hasattr(it, "depth") else it.distance) is float


def on_face(mesh: Any, pose: Any, face: int, point: Any) -> bool:
    """Whether a point is on a face, to the accuracy of trimesh."""
    triangle = clearance.Triangle(mesh.vertices[mesh.faces[face]])
    return clearance.closest_point(triangle, point, pose).value < 1e-5


@pytest.mark.parametrize("seed", range(8))
def test_contact_data_of_convex_meshes(seed: int) -> None:
    theirs, ours = CollisionManager(), clearance.trimesh.CollisionManager()
    poses = dict(zip(CONVEX, random_poses(len(CONVEX), 1.6, seed), strict=True))
    for manager in (theirs, ours):
        for name, mesh in CONVEX.items():
            manager.add_object(name, mesh)
            manager.set_transform(name, poses[name])
    single = random_poses(1, 0.5, seed + 20)[0]
    alone = CollisionManager(), clearance.trimesh.CollisionManager()
    for manager in alone:
        manager.add_object("single", BALL)
        manager.set_transform("single", single)
    compared = 0
    for expected, found, signed in (
        (theirs.in_collision_internal(False, True), ours.in_collision_internal(False, True), False),
        (
            theirs.in_collision_single(BALL, single, False, True),
            ours.in_collision_single(BALL, single, False, True),
            True,
        ),
        (theirs.in_collision_other(alone[0], False, True), ours.in_collision_other(alone[1], False, True), True),
        (alone[0].in_collision_other(theirs, False, True), alone[1].in_collision_other(ours, False, True), True),
    ):
        assert expected[0] is found[0] is True
        assert {frozenset(it.names) for it in expected[1]} == {frozenset(it.names) for it in found[1]}
        for contact in expected[1]:
            (own, *more) = (it for it in found[1] if it.names == contact.names)
            same_kind(own, contact)
            assert all(it.index(name) == -1 for it in (own, contact) for name in it.names)
            assert all(it.depth == own.depth and np.array_equal(it.normal, own.normal) for it in more)
            assert np.linalg.norm(own.normal) == pytest.approx(1) and own.depth > 0
            # The least depth is ours, and proved; that of trimesh may be along another direction, and then is longer.
            assert contact.depth > own.depth - 1e-4
            if contact.depth < own.depth + 1e-4 and unique(own, poses, single):
                cosine = contact.normal @ own.normal
                # Between two objects of one manager trimesh has the order of its tree, we that of adding them.
                assert (cosine if signed else abs(cosine)) > 1 - 1e-3
                compared += 1
            # Where they meet is in both, no deeper than they are.
            for it in (own, contact, *more):
                for name in it.names:
                    body, pose = (BALL, single) if name in ("single", "__external") else (CONVEX[name], poses[name])
                    solid = clearance.Hull(body.vertices)
                    assert clearance.closest_point(solid, it.point, pose).value < it.depth + 1e-4
    assert compared >= 3


def unique(own: Any, poses: Any, single: Any) -> bool:
    """Whether no other separating direction of two convex meshes is nearly as short, of many that are tried."""
    names = sorted(own.names)
    bodies = [(BALL, single) if name in ("single", "__external") else (CONVEX[name], poses[name]) for name in names]
    (a, pose_a), (b, pose_b) = bodies
    hulls = clearance.Hull(a.vertices), clearance.Hull(b.vertices)
    deep = clearance.penetration(*hulls, pose_a, pose_b)
    ways = random_poses(400, 1.0)[:, :3, 0]
    others = ways[np.abs(ways @ deep.normal) < 0.999]
    # The depth along a direction is the sum of how far both reach.
    placed = [np.asarray(body.vertices) @ pose[:3, :3].T + pose[:3, 3] for body, pose in bodies]
    reach = (others @ placed[0].T).max(axis=1) - (others @ placed[1].T).min(axis=1)
    return bool(reach.min() > deep.value + 1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_distance_data_of_what_is_apart(seed: int) -> None:
    theirs, ours = CollisionManager(), clearance.trimesh.CollisionManager()
    poses = dict(zip(BODIES, random_poses(len(BODIES), 0.5, seed), strict=True))
    for place, name in enumerate(BODIES):
        poses[name][0, 3] += 6.5 * place
        for manager in (theirs, ours):
            manager.add_object(name, BODIES[name])
            manager.set_transform(name, poses[name])
    single = random_poses(1, 0.5, seed + 20)[0] + moved(3.2, 4.5) - np.eye(4)
    alone = CollisionManager(), clearance.trimesh.CollisionManager()
    for manager in alone:
        manager.add_object("single", BALL)
        manager.set_transform("single", single)
    bodies = {name: (mesh, poses[name]) for name, mesh in BODIES.items()}
    bodies |= {"single": (BALL, single), "__external": (BALL, single)}
    assert not theirs.in_collision_internal()
    calls = [
        (theirs.min_distance_internal, ours.min_distance_internal, ()),
        (theirs.min_distance_internal, ours.min_distance_internal, ("can",)),
        (theirs.min_distance_single, ours.min_distance_single, (BALL, single)),
        (
            lambda *more: theirs.min_distance_other(alone[0], *more),
            lambda *more: ours.min_distance_other(alone[1], *more),
            (),
        ),
        (
            lambda *more: alone[0].min_distance_other(theirs, *more),
            lambda *more: alone[1].min_distance_other(ours, *more),
            (),
        ),
    ]
    for asked, asks, arguments in calls:
        internal = asked == theirs.min_distance_internal
        arguments = arguments or ((None,) if internal else ())
        expected, found = (ask(*arguments, True, True) for ask in (asked, asks))
        assert len(expected) == len(found) == 3 and type(found[0]) is float
        assert found[0] == pytest.approx(expected[0], abs=1e-5) == asks(*arguments)
        assert found[1] == expected[1] and type(found[1]) is type(expected[1])
        # The forms with one of the two have the same in their places.
        assert asks(*arguments, True) == found[:2] and len(asked(*arguments, True)) == 2
        assert asks(*arguments, False, True)[1].distance == found[0] == found[2].distance
        same_kind(found[2], expected[2])
        for name in found[2].names:
            mesh, pose = bodies[name]
            ends = [it.point(name) for it in (found[2], expected[2])]
            if mesh.is_convex:
                assert found[2].index(name) == expected[2].index(name) == -1
                hull = clearance.Hull(mesh.vertices)
                assert all(clearance.closest_point(hull, end, pose).value < 1e-4 for end in ends)
            else:
                # An edge is on two faces, so the numbers may differ; either has its point.
                assert on_face(mesh, pose, found[2].index(name), ends[0])
                assert on_face(mesh, pose, expected[2].index(name), ends[1])
        a, b = (np.stack([it.point(name) for name in sorted(it.names)]) for it in (found[2], expected[2]))
        assert np.linalg.norm(a[0] - a[1]) == pytest.approx(np.linalg.norm(b[0] - b[1]), abs=1e-4)
        if "ball" in found[2].names or "single" in found[2].names or "__external" in found[2].names:
            # A corner, or nearly one, is nearest: there is one such point.
            assert np.abs(a - b).max() < 0.05


def test_points_and_normals_that_are_known() -> None:
    """A ball in the middle of a side: one contact, one pair of nearest points."""
    for place, depth in ((1.7, 0.3), (1.95, 0.05)):
        there = moved(place, 0.1, 0.2)
        theirs, ours = CollisionManager(), clearance.trimesh.CollisionManager()
        for manager in (theirs, ours):
            manager.add_object("box", BOX)
        (expected,), (found,) = (manager.in_collision_single(BALL, there, False, True)[1] for manager in (theirs, ours))
        np.testing.assert_allclose(found.point, expected.point, atol=1e-5)
        np.testing.assert_allclose(found.normal, expected.normal, atol=1e-5)
        assert found.depth == pytest.approx(expected.depth, abs=1e-5) == pytest.approx(depth)
    there = moved(3.0, 0.1, 0.2)
    data = [manager.min_distance_single(BALL, there, False, True)[1] for manager in (theirs, ours)]
    for name in ("box", "__external"):
        np.testing.assert_allclose(data[1].point(name), data[0].point(name), atol=1e-5)
    np.testing.assert_allclose(data[1].point("box"), [1, 0.1, 0.2], atol=1e-9)


def test_contact_data_of_surfaces() -> None:
    """Of surfaces the pairs of faces, the points on both; depths of triangles trimesh has, and we do not."""
    there = moved(2.2, 0.3, 0.1)
    theirs, ours = CollisionManager(), clearance.trimesh.CollisionManager()
    for manager in (theirs, ours):
        manager.add_object("ring", TORUS)
    expected, found = (manager.in_collision_single(TORUS, there, True, True) for manager in (theirs, ours))
    assert expected[:2] == found[:2] == (True, {"ring"})
    names = ("ring", "__external")
    assert {tuple(map(it.index, names)) for it in expected[2]} == {tuple(map(it.index, names)) for it in found[2]}
    for it in found[2]:
        same_kind(it, expected[2][0])
        assert on_face(TORUS, None, it.index("ring"), it.point) and on_face(
            TORUS, there, it.index("__external"), it.point
        )
        assert it.depth == 0 and np.linalg.norm(it.normal) == pytest.approx(1)


def brute_force(objects: dict[str, tuple[Any, Any]]) -> tuple[set[tuple[str, str]], dict[tuple[str, str], float]]:
    """The pairs that meet, and the signed distance of every pair, one query at a time."""
    bodies = {
        name: (clearance.Hull(mesh.vertices) if mesh.is_convex else clearance.Mesh(mesh), pose)
        for name, (mesh, pose) in objects.items()
    }
    distances = {}
    for a, b in itertools.combinations(sorted(objects), 2):
        pair = bodies[a][0], bodies[b][0], bodies[a][1], bodies[b][1]
        distances[a, b] = clearance.distance(*pair).value
        if distances[a, b] == 0 and objects[a][0].is_convex and objects[b][0].is_convex:
            distances[a, b] = -clearance.penetration(*pair).value
    return {pair for pair, value in distances.items() if value <= 0}, distances


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_between_calls_is_right(seed: int) -> None:
    """Objects come, go and move in any order; every answer is that of a manager that was never asked before."""
    random = np.random.default_rng(seed)
    small = [BOX, BALL, TORUS.copy().apply_scale(0.5), trimesh.creation.box((0.5, 0.5, 3.0))]
    manager, objects = clearance.trimesh.CollisionManager(), {}
    other, fixed = clearance.trimesh.CollisionManager(), {}
    for k, pose in enumerate(random_poses(5, 3.0, seed + 9)):
        fixed[f"fixed {k}"] = small[k % 4], pose
        other.add_object(f"fixed {k}", *fixed[f"fixed {k}"])
    met = apart = 0
    for turn, pose in enumerate(random_poses(120, 6.0, seed + 10)):
        name = f"object {random.integers(9)}"
        kind = random.integers(10)
        if name in objects and kind == 0:
            manager.remove_object(name)
            del objects[name]
        elif name in objects and kind < 8:
            manager.set_transform(name, pose)
            objects[name] = objects[name][0], pose
        else:
            objects[name] = small[random.integers(4)], pose
            manager.add_object(name, *objects[name])
        if turn == 60:  # All at once, so that boxes are swept.
            for moved_name, (mesh, pose) in list(objects.items()):
                objects[moved_name] = mesh, np.linalg.inv(pose)
                manager.set_transform(moved_name, objects[moved_name][1])
        if random.integers(3) == 0:
            continue
        meeting, distances = brute_force(objects)
        if random.integers(2):
            assert manager.in_collision_internal() is bool(meeting)
        else:
            assert manager.in_collision_internal(True) == (bool(meeting), meeting)
        if distances and random.integers(2):
            gap, pair = manager.min_distance_internal(None, True)
            assert gap == min(distances.values()) == distances[pair]
            one = next(iter(objects))
            assert manager.min_distance_internal(one) == min(v for p, v in distances.items() if one in p)
        met, apart = met + bool(meeting), apart + (not meeting)
        if turn % 5 == 0:
            across, gaps = brute_force(objects | fixed)
            across = {pair for pair in across if (pair[0] in fixed) != (pair[1] in fixed)}
            gaps = {pair: value for pair, value in gaps.items() if (pair[0] in fixed) != (pair[1] in fixed)}
            for _ in range(2):
                assert manager.in_collision_other(other) is bool(across)
                found = manager.in_collision_other(other, True)
                assert found == (bool(across), {pair[::-1] for pair in across})
                assert manager.min_distance_other(other) == min(gaps.values(), default=clearance.trimesh.FARTHEST)
    assert met > 10 and apart > 3


def test_many_objects_move_at_once() -> None:
    """More than are held against the others one by one."""
    manager = clearance.trimesh.CollisionManager()
    places = np.array(list(itertools.product(range(7), repeat=3))) * 3.0
    for k, place in enumerate(places):
        manager.add_object(str(k), BOX, moved(*place))
    assert manager.in_collision_internal() is False and manager.min_distance_internal() == 1
    for k, place in enumerate(places):
        manager.set_transform(str(k), moved(*(place * (2 / 3 - 1e-3))))
    assert manager.in_collision_internal() is True
    expected = {
        tuple(sorted(map(str, pair)))
        for pair in itertools.combinations(range(len(places)), 2)
        if np.abs(places[pair[0]] - places[pair[1]]).max() <= 3
    }
    assert manager.in_collision_internal(True) == (True, expected)
    # A mesh that is in contact with many, and one with itself in another manager.
    assert len(manager.in_collision_single(trimesh.creation.box((40, 40, 40)), None, True)[1]) == len(places)
    assert manager.in_collision_other(manager) is True


def test_a_mesh_is_converted_again_once_it_changed() -> None:
    manager, mesh = clearance.trimesh.CollisionManager(), BOX.copy()
    manager.add_object("box", BOX)
    assert manager.min_distance_single(mesh, moved(5)) == pytest.approx(3)
    assert manager.min_distance_single(mesh, moved(5)) == pytest.approx(3)
    mesh.apply_scale(2)
    assert manager.min_distance_single(mesh, moved(5)) == pytest.approx(2)
    kept = len(clearance.trimesh._bodies)
    key = id(mesh)
    assert key in clearance.trimesh._bodies
    del mesh
    gc.collect()
    assert key not in clearance.trimesh._bodies and len(clearance.trimesh._bodies) < kept


def test_contact_data_is_pickled() -> None:
    manager = clearance.trimesh.CollisionManager()
    manager.add_object("box", BOX)
    (contact, *_) = manager.in_collision_single(BOX, moved(1.5), False, True)[1]
    again = pickle.loads(pickle.dumps(contact))
    assert (again.names, again.depth) == (contact.names, contact.depth) == ({"box", "__external"}, 0.5)
    assert np.array_equal(again.point, contact.point) and np.array_equal(again.normal, contact.normal)
    assert repr(contact) == "ContactData('box', '__external', depth=0.5)"
    with pytest.raises(KeyError, match="ring"):
        contact.index("ring")


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
