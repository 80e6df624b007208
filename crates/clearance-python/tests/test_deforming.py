"""Meshes whose points move each on its own: known answers, proofs and pickles, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import clearance
from bodies import check, cube_arrays, moved, torus, torus_arrays
from clearance import DeformingMesh, FeatureKind

VERTEX, EDGE, FACE = (int(kind) for kind in (FeatureKind.VERTEX, FeatureKind.EDGE, FeatureKind.FACE))
FLOOR = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 0]])
LEAF = np.array([[1.0, 1, 1], [2, 1, 1], [1, 2, 2]])
DOWN = np.array([0.0, 0, -4])


def falling() -> DeformingMesh:
    """A leaf that falls through a floor, as one mesh."""
    start = np.vstack([FLOOR, LEAF])
    return DeformingMesh(start, [[0, 1, 2], [3, 4, 5]], np.vstack([FLOOR, LEAF + DOWN]))


def wavy(count: int, phase: float, height: float) -> NDArray[np.float64]:
    x, y = np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 1, count), indexing="ij")
    z = height + 0.1 * np.sin(9 * x + phase) * np.cos(7 * y)
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)


def squares(count: int) -> NDArray[np.uint32]:
    x, y = np.meshgrid(np.arange(count - 1), np.arange(count - 1), indexing="ij")
    corner = (x * count + y).reshape(-1, 1)
    return np.vstack([corner + [0, count, 1], corner + [1, count, count + 1]]).astype(np.uint32)


def test_a_mesh_and_itself() -> None:
    found = clearance.self_collisions(falling())
    assert found.value.tolist() == [0.25, 0.25, 0.5] and len(found) == 3
    assert found.features[:, 0].tolist() == [[VERTEX, 3], [VERTEX, 4], [VERTEX, 5]]
    assert found.features[:, 1].tolist() == [[FACE, 0]] * 3
    assert found.points[0].tolist() == [1, 1, 0] and found.normals[0].tolist() == [0, 0, -1]
    assert np.allclose(found.coordinates[0], [1 / 9, 1 / 9])
    assert found.intersecting.shape == (0, 2) and found.candidates >= 3 and sum(found.decided) == found.candidates
    check(found)
    first = clearance.self_collisions(falling(), wanted="first")
    assert len(first) == 1 and first.value[0] == 0.25
    check(first)
    near = clearance.self_collisions(falling(), wanted="first", within=0.3, intersections=False)
    assert near.features[:, 0, 1].tolist() == [3, 4, 5]
    check(near)
    assert found != first and found == clearance.self_collisions(falling())


def test_culling_by_curvature_gives_the_same() -> None:
    by_boxes, by_curvature = (clearance.self_collisions(falling(), culling=how) for how in ("boxes", "curvature"))
    assert by_curvature.value.tolist() == by_boxes.value.tolist()
    assert by_curvature.features.tolist() == by_boxes.features.tolist()
    check(by_curvature)
    with pytest.raises(clearance.ClearanceError, match="culling"):
        clearance.self_collisions(falling(), culling="boxen")  # type: ignore[arg-type]


def test_two_meshes_and_steps_one_after_the_other() -> None:
    floor, leaf = DeformingMesh(FLOOR, [[0, 1, 2]]), DeformingMesh(LEAF, [[0, 1, 2]])
    assert len(clearance.step_collisions(leaf, floor)) == 0
    step = leaf.moved_to(LEAF + DOWN)
    found = clearance.step_collisions(step, floor)
    assert found.value.tolist() == [0.25, 0.25, 0.5]
    check(found)
    turned = clearance.step_collisions(floor, step)
    assert turned.features[:, ::-1].tolist() == found.features.tolist()
    # The next step begins where the last one ended; and one that is given whole.
    assert (step.moved_to(LEAF).start == LEAF + DOWN).all()
    assert leaf.with_step(LEAF, LEAF + DOWN) == step != leaf
    assert step.rebuilt() == step and clearance.step_collisions(step.rebuilt(), floor).value.tolist() == [
        0.25,
        0.25,
        0.5,
    ]
    assert pickle.loads(pickle.dumps(step)) == step
    assert step.edges.tolist() == [[0, 1], [0, 2], [1, 2]] and step.faces.tolist() == [[0, 1, 2]]
    assert step.nbytes > 0 and repr(step) == "DeformingMesh(3 vertices, 1 faces)"


def test_what_meets_at_the_start_is_told_apart() -> None:
    standing = np.array([[1.0, 1, -1], [2, 1, -1], [1, 1, 1]])
    still = clearance.step_collisions(DeformingMesh(standing, [[0, 1, 2]]), DeformingMesh(FLOOR, [[0, 1, 2]]))
    assert len(still) == 0 and still.intersecting.tolist() == [[0, 0]]
    check(still)


def test_sheets_through_each_other() -> None:
    count = 12
    a = DeformingMesh(wavy(count, 0, 0), squares(count), wavy(count, 2, 0.5))
    b = DeformingMesh(wavy(count, 1, 0.5), squares(count), wavy(count, 0, 0))
    found = clearance.step_collisions(a, b)
    assert (
        len(found) > 100
        and (np.diff(found.upper) >= 0).all()
        and {VERTEX, EDGE, FACE} == set(found.features[..., 0].flat)
    )
    check(found)
    first = clearance.step_collisions(a, b, wanted="first", intersections=False)
    assert first.features.tolist() == found.features[:1].tolist()
    # Points are where the brackets say: on both features at that time.
    edges = (found.features[:, :, 0] == EDGE).all(axis=1)
    for mesh, side in ((a, 0), (b, 1)):
        ends = mesh.edges[found.features[edges, side, 1]]
        t = found.lower[edges, None, None]
        where = mesh.start[ends] * (1 - t) + mesh.end[ends] * t
        along = found.coordinates[edges, side, None]
        assert np.allclose(where[:, 0] * (1 - along) + where[:, 1] * along, found.points[edges], atol=1e-12)


def test_near_features() -> None:
    floor, leaf = DeformingMesh(FLOOR, [[0, 1, 2]]), DeformingMesh(LEAF - [0, 0, 0.5], [[0, 1, 2]])
    near = clearance.proximity(leaf, floor, 0.5)
    assert near.features.tolist() == [[[VERTEX, 0], [FACE, 0]], [[VERTEX, 1], [FACE, 0]]]
    assert np.allclose(near.value, 0.5) and near.points[0].tolist() == [[1, 1, 0.5], [1, 1, 0]]
    check(near)
    assert len(clearance.proximity(leaf, floor, 0.4)) == 0
    itself = clearance.self_proximity(falling(), 3.5)
    assert len(itself) > 3 and itself != near
    check(itself)


def test_time_of_impact_of_meshes_by_features() -> None:
    ring, box = torus(), clearance.Mesh(*cube_arrays(0.2))
    flying = clearance.Motion(clearance.Pose(moved(-4, 0.1, 0.05)), [6, 0.3, 0])
    (slow, fast) = (clearance.time_of_impact(box, ring, flying, algorithm=it) for it in ("conservative", "elementary"))
    assert slow and fast and slow.lower <= fast.upper and fast.lower <= slow.upper
    assert fast.algorithm == "elementary"
    check(fast)


def test_elementary() -> None:
    corners = np.array([[0.25, 0.25, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    start = np.stack([corners, corners + [[5, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]])
    end = start.copy()
    end[:, 0, 2] = -1
    found = clearance.elementary_impact_batch("vertex_face", start, end)
    assert found.hit.tolist() == [True, False] and found.value.tolist() == [0.5, np.inf]
    assert found.point[0].tolist() == [0.25, 0.25, 0] and found.normal[0].tolist() == [0, 0, -1]
    assert found.coordinates[0].tolist() == [0.25, 0.25] and found.normal[1].tolist() == [0, 0, 0]
    check(found)
    assert isinstance(found[1], clearance.NoElementaryImpact) and not found[1] and found[1].until == 1
    assert found[0] and found[0].value == 0.5 and repr(found[1]) == "NoElementaryImpact(until=1.0)"
    check(found[0])
    check(found[1])
    edges = np.array([[[0.0, 0, 0], [1, 0, 0], [0.5, -1, 1], [0.5, 1, 1]]])
    later = edges.copy()
    later[:, 2:, 2] = -1
    for solver in ("exact", "inclusion", "cubic", "bisection"):
        crossing = clearance.elementary_impact_batch("edge_edge", edges, later, solver=solver)
        assert abs(crossing.value[0] - 0.5) < 1e-5
    assert not clearance.elementary_impact_batch("edge_edge", edges, later, until=0.4).hit[0]
    apart = clearance.elementary_impact_batch("edge_edge", edges, edges, solver="inclusion", minimum_separation=1.5)
    assert apart.hit[0]
    assert len(clearance.elementary_impact_batch("edge_edge", np.zeros((0, 4, 3)), np.zeros((0, 4, 3)))) == 0


def test_a_mesh_under_a_motion() -> None:
    sheet = clearance.Mesh(FLOOR, [[0, 1, 2]])
    there = clearance.Motion(moved(1, 1, 1), DOWN)
    step = DeformingMesh.moving(sheet, there)
    assert np.array_equal(step.start, FLOOR + 1) and np.array_equal(step.end, FLOOR + 1 + DOWN)
    assert np.array_equal(step.faces, sheet.faces)
    resting = DeformingMesh.moving(sheet, clearance.Pose())
    assert resting == DeformingMesh(FLOOR, [[0, 1, 2]])
    found = clearance.step_collisions(step, resting, wanted="first")
    check(found)
    assert found.value.tolist() == [0.25]
    impact = clearance.time_of_impact(sheet, sheet, there)
    assert impact and impact.lower <= 0.25 <= impact.upper
    for mesh, motion, argument in (
        (clearance.Sphere(1), there, "mesh"),
        (sheet, "down", "motion"),
        (clearance.Mesh(FLOOR * 1e59, [[0, 1, 2]]), clearance.Motion(None, [2e59, 0, 0]), "mesh, motion"),
    ):
        with pytest.raises(clearance.ClearanceError) as caught:
            DeformingMesh.moving(mesh, motion)
        assert caught.value.argument == argument


def test_what_is_refused() -> None:
    points, faces = torus_arrays()
    mesh = DeformingMesh(points, faces)
    bad = points.copy()
    bad[4, 1] = np.nan
    four = np.zeros((1, 4, 3))
    refusals: list[tuple[str, Any]] = [
        ("vertices", lambda: DeformingMesh(bad, faces)),
        ("faces", lambda: DeformingMesh(points, [[0, 1, 9999]])),
        ("end", lambda: DeformingMesh(points, faces, points[1:])),
        ("vertices", lambda: mesh.moved_to(bad)),
        ("start", lambda: mesh.with_step(bad, points)),
        ("end", lambda: mesh.with_step(points, bad)),
        ("wanted", lambda: clearance.self_collisions(mesh, wanted="some")),  # type: ignore[arg-type]
        ("within", lambda: clearance.self_collisions(mesh, within=0.1)),
        ("within", lambda: clearance.self_collisions(mesh, wanted="first", within=np.nan)),
        ("distance", lambda: clearance.self_proximity(mesh, np.nan)),
        ("kind", lambda: clearance.elementary_impact_batch("face_face", four, four)),  # type: ignore[arg-type]
        ("start", lambda: clearance.elementary_impact_batch("edge_edge", four[:, :3], four)),
        ("end", lambda: clearance.elementary_impact_batch("edge_edge", four, np.zeros((2, 4, 3)))),
        (
            "solver",
            lambda: clearance.elementary_impact_batch("edge_edge", four, four, solver="?"),  # type: ignore[arg-type]
        ),
        ("start[0], end[0]", lambda: clearance.elementary_impact_batch("edge_edge", four * np.inf, four)),
    ]
    for argument, ask in refusals:
        with pytest.raises(clearance.ClearanceError) as caught, np.errstate(invalid="ignore"):
            ask()
        assert caught.value.argument == argument, argument
