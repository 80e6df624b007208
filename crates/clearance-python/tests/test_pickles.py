"""Every class of the package comes back from a pickle as it was, but for those that are named here."""

from __future__ import annotations

import enum
import inspect
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clearance
from bodies import cube, every_kind, moved, torus

# A world, an index and counts change as they work; an index is made of its mesh faster than it is read.
NOT_PICKLED = {"Index", "Stats", "World"}
# Tuples of arrays, which are not compared as a whole.
OF_ARRAYS = {"RobotChecks", "RobotContact"}
# Base classes without instances.
BASES = {"Shape"}


def instances() -> dict[str, Any]:
    """One of each class that is neither a kind of body nor an enum, by its name."""
    box, ball, solid, there = (
        clearance.Box(half_extents=[1, 1, 1]),
        clearance.Sphere(1),
        cube(),
        clearance.Pose(moved(1.5, 0.25)),
    )
    poses = np.stack([moved(1.5), moved(5)])
    flying, turning = clearance.Motion(moved(5), [-6, 0, 0]), clearance.RigidMotion(moved(5), [-8, 0, 0], [1, 0, 0], 2)
    passing = clearance.RigidMotion(moved(5, 0, 4), [-8, 0, 0], [1, 0, 0], 2)
    leaf, floor = np.array([[1.0, 1, 1], [2, 1, 1], [1, 2, 2]]), [[0, 0, 0], [9, 0, 0], [0, 9, 0]]
    falling = clearance.DeformingMesh(leaf, [[0, 1, 2]]).moved_to(leaf - [0, 0, 4])
    ground = clearance.DeformingMesh(floor, [[0, 1, 2]])
    corners = np.array([[[0.25, 0.25, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    fallen = corners - [[[0, 0, 2]] + 3 * [[0, 0, 0]]]
    crossing = clearance.Mesh(
        [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [0.5, 0.5, 1], [3, 3, 0]], [[0, 1, 2], [3, 4, 5]]
    )
    deep = clearance.solid_depth(solid, solid, pose_b=there, search="levels")
    world = clearance.World("distance", margin=2.0)
    world.insert(ball)
    world.insert(ball, clearance.Pose(moved(3)))
    part, note = clearance.Part("wheel", torus(), there), clearance.Note("left out", "wheel.obj", None, 3, "normals")
    ground_below = clearance.HeightField([[0, 1, 0], [0, 1, 0]], [1, 1])
    first = clearance.first_impact([box, ball], [None, turning])
    robot = _slider(("wall", box, moved(5)))
    matrix = robot.collision_matrix(trials=10)
    curves = clearance.contact_curves(solid, solid, pose_b=there)
    return {
        "Assembly": clearance.Assembly([part], "mm", (note,)),
        "Bracket": clearance.overlap_volume(solid, solid, pose_b=there).area,
        "Clearances": clearance.clearance_along(solid, solid, poses),
        "CollisionMatrix": matrix,
        "ClosestPoint": clearance.closest_point(solid, [5, 0, 0]),
        "ClosestPoints": clearance.closest_point_batch(solid, [[5, 0, 0], [0, 7, 0]]),
        "ContactCurve": curves[0],
        "Contacts": clearance.contacts(solid, solid, pose_b=there),
        "DeformingMesh": falling,
        "DepthAlong": clearance.depth_along(solid, solid, [0, 0, 1], pose_b=there),
        "DepthLevel": deep.levels[0],
        "Distance": clearance.distance(box, ball, pose_b=moved(5)),
        "Distances": clearance.distance_batch(box, ball, poses),
        "ElementaryImpact": clearance.elementary_impact_batch("vertex_face", corners, fallen)[0],
        "ElementaryImpacts": clearance.elementary_impact_batch("vertex_face", corners, fallen),
        "Feature": clearance.distance(box, ball, pose_b=moved(5)).feature_a,
        "FirstImpact": first,
        "HeightSample": ground_below.height_at(0.5, 0.5),
        "HeightSamples": ground_below.height_at_batch([[0.5, 0.5], [5, 5]]),
        "Impact": clearance.time_of_impact(box, ball, None, flying),
        "Impacts": clearance.time_of_impact_batch(box, ball, poses, [[-3, 0, 0], [3, 0, 0]]),
        "LeastClearance": clearance.least_clearance(box, ball, None, passing),
        "LeastClearances": clearance.least_clearance_batch(box, ball, [passing, turning]),
        "LinkPair": matrix.pairs[0],
        "LocalDepth": clearance.local_depth(solid, solid, pose_b=there),
        "LocalDepthEstimate": clearance.local_depth_estimate(solid, solid, pose_b=there),
        "MeshHealth": clearance.Mesh(*_damaged()).health(),
        "Motion": flying,
        "MotionBounds": clearance.MotionBounds(1.0, (1.0, 2.0, 3.0)),
        "NearPairs": clearance.proximity(falling, ground, 5.0),
        "NoHit": clearance.ray_cast(solid, [-5, 9, 0], [1, 0, 0]),
        "NoElementaryImpact": clearance.elementary_impact_batch("vertex_face", corners, corners + [0, 0, 0.5])[0],
        "NoImpact": clearance.rigid_impact(box, ball, None, passing),
        "Note": note,
        "Page": clearance.Page("<!doctype html>", 300),
        "PairEvent": world.step()[0],
        "Part": part,
        "Penetration": clearance.penetration(box, ball, pose_b=there),
        "Penetrations": clearance.penetration_batch(box, ball, poses),
        "Pose": there,
        "RayHit": clearance.ray_cast(solid, [-5, 0, 0], [1, 0, 0]),
        "RayHits": clearance.ray_cast_batch(solid, [[-5, 0, 0], [-5, 9, 0]], [[1, 0, 0], [1, 0, 0]]),
        "RelationProof": clearance.relation_proof(solid, solid, pose_b=there),
        "RelationProofs": clearance.relation_proof_batch(solid, solid, poses),
        "ScheduledContacts": world.next_contacts(0.0),
        "RepairReport": clearance.Mesh(*_damaged()).repaired(1e-3).report,
        "Repaired": clearance.Mesh(*_damaged()).repaired(1e-3),
        "Rim": clearance.Rim(np.array([0, 1, 2]), True, 3.0),
        "FilledHole": clearance.FilledHole(clearance.Rim(np.array([0, 1, 2]), True, 3.0), 1),
        "RigidImpact": clearance.rigid_impact(box, ball, None, turning),
        "RigidImpacts": clearance.rigid_impact_batch(box, ball, [passing, turning]),
        "RigidMotion": turning,
        "Robot": robot,
        "RobotCheck": robot.check([2]),
        "RobotChecks": robot.check_batch([[2], [4]]),
        "RobotContact": robot.contacts([4])[0],
        "RobotDistances": robot.distances_batch([[2], [4]]),
        "RobotSweep": robot.sweep([2], [4]),
        "RobotSweeps": robot.sweep_batch([[2], [2]], [[4], [2.5]], clearance=1e-3),
        "SelfIntersections": clearance.self_intersections(crossing),
        "SignedDistance": clearance.signed_distance(solid, [0.5, 0, 0]),
        "SignedDistances": clearance.signed_distance_batch(solid, [[0.5, 0, 0], [4, 0, 0]]),
        "SolidDepth": deep,
        "StepCollisions": clearance.step_collisions(falling, ground),
        "SurfaceHit": ground_below.ray_cast([0.5, 0.5, 3], [0, 0, -1]),
        "SurfaceHits": ground_below.ray_cast_batch([[0.5, 0.5, 3], [5, 5, 3]], [[0, 0, -1], [0, 0, -1]]),
        "SurfacePoint": ground_below.closest_point([0.5, 0.5, 3]),
        "SurfacePoints": ground_below.closest_point_batch([[0.5, 0.5, 3], [5, 5, 3]]),
        "SurfaceDistance": ground_below.signed_distance([0.5, 0.5, 3]),
        "SurfaceDistances": ground_below.signed_distance_batch([[0.5, 0.5, 3], [5, 5, -3]]),
        "TreeStatistics": solid.tree_statistics(),
        "Volume": clearance.overlap_volume(solid, solid, pose_b=there),
        "Volumes": clearance.overlap_volume_batch(solid, solid, poses),
        "WheelContact": ground_below.wheel_on_terrain([0.5, 0.5, 3], 0.5),
        "WheelContacts": ground_below.wheel_on_terrain_batch([[0.5, 0.5, 3], [5, 5, 3]], 0.5),
        **every_kind(),
    }


def _slider(wall: Any) -> clearance.Robot:
    """A cube that slides along x, in front of a wall. Its files are gone when it is returned."""
    corners, faces = cube().vertices, cube().faces
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cube.obj").write_text("\n".join(lines) + "\n")
        path = Path(folder) / "slider.urdf"
        path.write_text(
            '<robot name="slider"><link name="rail"><collision><origin xyz="0 9 0"/><geometry><sphere radius="1"/>'
            '</geometry></collision></link><link name="cube"><collision><geometry><mesh filename="cube.obj"/>'
            '</geometry></collision></link><joint name="x" type="prismatic"><parent link="rail"/><child link="cube"/>'
            '<limit lower="0" upper="9"/></joint></robot>'
        )
        return clearance.Robot(path, world=[wall])


def _damaged() -> tuple[Any, Any]:
    """A cube with a side missing, a triangle twice, one without area, and an unused point."""
    corners, faces = cube().vertices, cube().faces
    return np.vstack([corners, [[9, 9, 9]]]), np.vstack([faces[1:], faces[2:3], [[0, 0, 1]]])


def test_every_class_is_pickled() -> None:
    classes = {name: it for name in clearance.__all__ if inspect.isclass(it := getattr(clearance, name))}
    known = instances()
    assert set(known) == {
        name
        for name, it in classes.items()
        if not issubclass(it, (enum.Enum, Exception)) and name not in BASES | NOT_PICKLED
    }
    for name, one in known.items():
        assert type(one) is classes[name], name
        again = pickle.loads(pickle.dumps(one))
        assert type(again) is type(one), name
        if name in OF_ARRAYS:
            assert all(np.array_equal(x, y) for x, y in zip(again, one, strict=True))
        elif name == "Page":
            assert (again.html, again.height) == (one.html, one.height)
        else:
            assert again == one, name
    for name, it in classes.items():
        if issubclass(it, enum.Enum):
            assert all(pickle.loads(pickle.dumps(member)) is member for member in it), name


def test_what_was_found_in_a_mesh_comes_back_whole() -> None:
    health = instances()["MeshHealth"]
    again = pickle.loads(pickle.dumps(health))
    assert not again.watertight and again.unused_points == 1 and again.volume is None
    assert again.boundary_edges == health.boundary_edges > 0
    assert np.array_equal(again.degenerate, health.degenerate) and len(health.degenerate) == 1
    assert np.array_equal(again.duplicates, health.duplicates) and len(health.duplicates) == 1
    closed = cube().health()
    again = pickle.loads(pickle.dumps(closed))
    assert again == closed != health and again.volume == 8.0 and again.euler_characteristic == 2
    found = instances()["SelfIntersections"]
    again = pickle.loads(pickle.dumps(found))
    assert len(again) == 1 and again.kind.tolist() == [clearance.SelfIntersectionKind.CROSSING]
    assert np.array_equal(again.triangles, found.triangles) and np.array_equal(again.segments, found.segments)
    assert again == found and again.mesh == found.mesh
    with pytest.raises(RuntimeError, match="damaged"):
        type(health)._restore(b"")
    for state in (b"\x01\xff", b"\x09"):
        with pytest.raises(RuntimeError, match="damaged"):
            type(found)._restore(found.mesh, state)


def test_what_is_not_pickled_says_so() -> None:
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(clearance.World("distance"))
