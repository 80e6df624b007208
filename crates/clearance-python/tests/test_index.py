"""Trees of bounding volumes of the caller's choice: the same answers, what they took, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clearance
from bodies import check, cube, moved, torus, torus_arrays
from clearance import Index, Stats

TREES = [
    *("aabb", "obb", "sphere", "lss", "rss", "swept", "swept-all"),
    *("kdop6", "kdop12", "kdop14", "kdop18", "kdop26", "kdop32", "kdop62", "box-tree"),
]
BUILDS = [
    *("mean", "median", "sah", "least-volume", "bottom-up"),
    *("spheres-by-tiling", "spheres-by-vertices", "spheres-by-octree"),
]
APART, CLOSE, CROSSING = moved(5.25, 0.5, 0.25), moved(4.5, 0.25, 0.75), moved(2.0, 0.5, 0.25)


@pytest.mark.parametrize("tree", TREES)
def test_every_tree_gives_the_same_answers(tree: Any) -> None:
    mesh, stats = torus(), Stats()
    index = Index(mesh, tree)
    for pose in (APART, CLOSE, CROSSING):
        one, other = (
            clearance.distance(index, index, pose_b=pose, stats=stats),
            clearance.distance(mesh, mesh, pose_b=pose),
        )
        assert abs(one.value - other.value) <= 1e-12 and max(one.lower, other.lower) <= min(one.upper, other.upper)
        check(one)
        assert one.a is mesh and one.b is mesh
        meet = clearance.intersects(mesh, mesh, pose_b=pose)
        assert clearance.intersects(index, index, pose_b=pose, stats=stats) is meet
        assert clearance.intersects(index, index, pose_b=pose, margin=1.0) == clearance.intersects(
            mesh, mesh, pose_b=pose, margin=1.0
        )
        where = clearance.contacts(index, index, pose_b=pose, stats=stats)
        assert (where.triangles == clearance.contacts(mesh, mesh, pose_b=pose).triangles).all()
        check(where)
    near = clearance.contacts(index, index, pose_b=CLOSE, margin=1.0)
    assert len(near) == len(clearance.contacts(mesh, mesh, pose_b=CLOSE, margin=1.0)) > 0
    assert stats.nv > 0 and stats.np > 0 and stats.nu == 0


@pytest.mark.parametrize("build", BUILDS)
def test_every_build_gives_the_same_answers(build: Any) -> None:
    mesh = torus()
    index = Index(mesh, "obb", build=build, fit="vertices", leaf=4, descend="both")
    found = clearance.distance(index, index, pose_b=APART)
    assert found.value == pytest.approx(clearance.distance(mesh, mesh, pose_b=APART).value, abs=1e-12)
    check(found)


def test_what_an_index_says() -> None:
    mesh = torus()
    index = Index(mesh)
    count = len(mesh.faces)
    assert index.tree == "obb" and index.mesh is mesh and index.node_count == 2 * count - 1
    assert index.level_count >= np.log2(count) + 1 and index.bytes > 100 * index.node_count
    assert repr(index) == f"Index({count} triangles, tree='obb', build='mean', {2 * count - 1} volumes)"
    assert Index(mesh, "box-tree").bytes < index.bytes / 4
    assert Index(mesh, leaf=8).node_count < index.node_count


def test_stats_are_added_up() -> None:
    index, stats = Index(torus(), "rss"), Stats()
    assert stats == Stats() and repr(stats) == "Stats(nv=0, np=0, nu=0)"
    clearance.distance(index, index, pose_b=APART, stats=stats)
    nv, np_ = stats.nv, stats.np
    clearance.distance(index, index, pose_b=APART, stats=stats)
    assert (stats.nv, stats.np) == (2 * nv, 2 * np_) and stats != Stats()


def test_refit() -> None:
    vertices, faces = torus_arrays()
    mesh = clearance.Mesh(vertices, faces)
    index, still, stats = Index(mesh, "kdop18"), Index(mesh, "kdop18"), Stats()
    there = mesh.moved(vertices * [1.0, 1.0, 1.5] + [6.0, 0.0, 0.0])
    assert index.refit(there, stats=stats) is None  # type: ignore[func-returns-value]
    assert stats.nu == index.node_count and index.mesh is there
    found = clearance.distance(still, index)
    assert found.value == pytest.approx(clearance.distance(mesh, there).value, abs=1e-12)
    check(found)
    for other, what in [
        (
            clearance.Mesh(vertices, faces[:-1]),
            r"mesh: the index is of another mesh: it has \d+ triangles, the mesh \d+",
        ),
        (
            clearance.Mesh(vertices, faces[:, ::-1]),
            r"mesh: the index is of another mesh: triangle \d+ has other points",
        ),
        (clearance.Sphere(1.0), "mesh: not a mesh"),
    ]:
        with pytest.raises(clearance.ClearanceError, match=what) as caught:
            index.refit(other)
        assert caught.value.argument == "mesh" and index.mesh is there
    assert clearance.distance(still, index).value == found.value


def test_what_is_refused() -> None:
    mesh = cube()
    index = Index(mesh)

    def refused(what: str, argument: str, *arguments: Any, **options: Any) -> None:
        with pytest.raises(clearance.ClearanceError, match=what) as caught:
            clearance.distance(*arguments, **options)
        assert caught.value.argument == argument

    refused("b: expected an Index with the tree 'obb', as the other body is one, got a Mesh", "b", index, mesh)
    refused("a: expected an Index with the tree 'obb', as the other body is one, got a Mesh", "a", mesh, index)
    refused(
        "b: expected an Index with the tree .obb., as the other body is one, got a Sphere",
        "b",
        index,
        clearance.Sphere(1.0),
    )
    refused("b: an index with the tree 'rss', but a has 'obb'", "b", index, Index(mesh, "rss"))
    refused("stats: only queries of two clearance.Index are counted", "stats", mesh, mesh, stats=Stats())
    with pytest.raises(clearance.ClearanceError, match="a: an Index is accepted by intersects, distance and contacts"):
        clearance.penetration(index, index)  # type: ignore[arg-type]
    with pytest.raises(clearance.ClearanceError, match="a: an Index is accepted by"):
        clearance.distance_batch(index, index, [APART])  # type: ignore[arg-type]
    for arguments, argument in [
        ({"tree": "octree"}, "tree"),
        ({"build": "best"}, "build"),
        ({"fit": "tight"}, "fit"),
        ({"descend": "smaller"}, "descend"),
        ({"leaf": 0}, "leaf"),
    ]:
        with pytest.raises(clearance.ClearanceError, match=f"^{argument}: ") as caught:
            Index(mesh, **arguments)
        assert caught.value.argument == argument
    with pytest.raises(clearance.ClearanceError, match="mesh: not a mesh"):
        Index(clearance.Sphere(1.0))


def test_small_and_flat_meshes() -> None:
    for vertices, faces in [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
        ([[0, 0, 0]], [[0, 0, 0]] * 5),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], [[0, 1, 2], [1, 2, 3], [0, 2, 3]]),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]]),
    ]:
        mesh = clearance.Mesh(vertices, faces)
        for tree in TREES:
            index: Index = Index(mesh, tree)  # type: ignore[arg-type]
            found = clearance.distance(index, index, pose_b=moved(0, 0, 2))
            assert found.value == 2.0
            check(found)
