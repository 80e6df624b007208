"""Every kind of body: its numbers, its pickle, what it refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import clearance
from bodies import cube, cube_arrays, every_kind, moved, torus, torus_arrays

KINDS = every_kind()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_numbers_and_comes_back_from_a_pickle(kind: str) -> None:
    body = KINDS[kind]
    assert type(body).__name__ == kind and repr(body).startswith(kind + "(")
    low, high = body.bounds
    assert (low <= high).all() and body.diameter > 0
    again = pickle.loads(pickle.dumps(body))
    assert again == body and type(again) is type(body) and repr(again) == repr(body)
    assert copy.deepcopy(body) == body
    assert all(other != body for name, other in KINDS.items() if name != kind)
    # The same answers to the bit.
    ball = clearance.Sphere(0.25)
    before, after = (clearance.distance(it, ball, None, moved(2, 1, 3)) for it in (body, again))
    assert before == after
    before.verify()


def test_numbers_are_kept_as_given() -> None:
    assert clearance.Sphere(0.1).radius == 0.1
    assert clearance.Box(half_extents=[1, 2, 3]).half_extents.tolist() == [1, 2, 3]
    assert (clearance.Cone(half_length=2, radius=3).half_length, clearance.Cone(half_length=2, radius=3).radius) == (
        2,
        3,
    )
    plane = clearance.HalfSpace([0, 0, 3], 0.7)
    assert plane.normal.tolist() == [0, 0, 3] and plane.offset == 0.7
    assert clearance.Segment([[0, 0, 0.1], [1, 2, 3]]).points.tolist() == [[0, 0, 0.1], [1, 2, 3]]
    (part, pose), _ = clearance.Compound([(clearance.Sphere(1), moved(1)), (clearance.Sphere(2), None)]).parts
    assert part == clearance.Sphere(1) and pose.translation.tolist() == [1, 0, 0]
    rounded = clearance.Rounded(clearance.Box(half_extents=[1, 1, 1]), 0.5)
    assert rounded.core == clearance.Box(half_extents=[1, 1, 1]) and rounded.radius == 0.5


def test_mass() -> None:
    box = clearance.Box(half_extents=[1, 2, 3])
    assert box.volume == 48 and box.center.tolist() == [0, 0, 0]
    assert np.allclose(np.diag(box.inertia), 48 / 3 * np.array([13, 10, 5]))
    assert clearance.HalfSpace([0, 0, 1], 0).volume == np.inf
    assert abs(cube().volume - 8) < 1e-12


def test_hull_names_what_it_was_given() -> None:
    corners, _ = cube_arrays()
    hull = clearance.Hull(np.concatenate([[[0.0, 0.0, 0.0]], corners]))
    assert sorted(hull.corners) == list(range(1, 9)) and hull.faces.shape == (12, 3) and hull.faces.min() == 1
    with pytest.raises(clearance.ClearanceError, match="span only a plane"):
        clearance.Hull(corners[:4])
    assert clearance.Hull(corners[:4], flat=True).volume == 0
    assert hull.dimension == 3 and clearance.Hull(corners[:4], flat=True).dimension == 2
    # Edges and faces by the numbers that features have.
    assert hull.edges.shape == (12, 2) and sorted(map(len, hull.polygons)) == [4] * 6
    ball = clearance.Sphere(0.5)
    for place, kind in (([3, 0.2, 0.1], "FACE"), ([3, 3, 0.1], "EDGE"), ([3, 3, 3], "VERTEX")):
        found = clearance.distance(hull, ball, pose_b=moved(*place))
        feature = found.feature_a
        assert feature.kind == clearance.FeatureKind[kind]
        named = {"FACE": lambda: hull.polygons, "EDGE": lambda: hull.edges, "VERTEX": lambda: np.arange(9)}[kind]()
        at = np.atleast_1d(named[feature.number])
        free = {"FACE": 2, "EDGE": 1, "VERTEX": 0}[kind]
        # The corners agree with the nearest point wherever it is at the end of its range.
        assert np.array_equal(np.ptp(hull.points[at], axis=0), [0] * (3 - free) + [2] * free)
        assert (hull.points[at][:, : 3 - free] == found.point_in_a[: 3 - free]).all()


def test_box_names_its_corners() -> None:
    box = clearance.Box(half_extents=[1, 2, 3])
    assert box.vertices[0b101].tolist() == [1, -2, 3] and box.vertices.shape == (8, 3)
    found = clearance.distance(box, clearance.Sphere(0.5), pose_b=moved(5, -5, 5))
    assert found.feature_a == (clearance.FeatureKind.VERTEX, 0b101)
    assert np.array_equal(box.vertices[found.feature_a.number], found.point_in_a)


def test_height_field() -> None:
    field = clearance.HeightField(np.array([[0, 1, 0], [0, 1, 0]]), [1, 2])
    assert field.heights.dtype == np.float32 and field.heights.shape == (2, 3) and field.spacing.tolist() == [1, 2]
    assert clearance.contains_batch(field, [[1, 1, 0.9], [1, 1, 1.1]]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: clearance.Sphere(-1), "radius"),
        (lambda: clearance.Sphere(np.nan), "radius"),
        (lambda: clearance.Box(half_extents=[1, 0, 1]), "half_extents"),
        (lambda: clearance.Box(half_extents=[1, 1]), "half_extents"),
        (lambda: clearance.Box(half_extents="large"), "half_extents"),
        (lambda: clearance.Capsule(half_length=1, radius=0), "half_length, radius"),
        (lambda: clearance.HalfSpace([0, 0, 0], 1), "normal, offset"),
        (lambda: clearance.Segment([[0, 0, 0]]), "points"),
        (lambda: clearance.Triangle([[0, 0, 0], [1, 0, 0], [0, np.inf, 0]]), "points"),
        (lambda: clearance.Hull(np.empty((0, 3))), "points"),
        (lambda: clearance.Hull([0.0, 1.0]), "points"),
        (lambda: clearance.Rounded(clearance.HalfSpace([0, 0, 1], 0), 1), "core, radius"),
        (lambda: clearance.Rounded(3, 1), "core"),
        (lambda: clearance.Compound([]), "parts"),
        (lambda: clearance.Compound([clearance.Sphere(1)]), "parts[0]"),
        (lambda: clearance.HeightField([[0, 1]], [1, 1]), "heights, spacing"),
        (lambda: clearance.HeightField([0, 1], [1, 1]), "heights"),
        (lambda: clearance.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]]), "faces"),
        (lambda: clearance.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, -1]]), "faces[0, 2]"),
        (lambda: clearance.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 1.5]]), "faces"),
        (
            lambda: clearance.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.array([[0, 1, 2**40]], np.uint64)),
            "faces[0, 2]",
        ),
        (lambda: clearance.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.empty((0, 3), int)), "faces"),
        (lambda: clearance.Mesh([[0, 0, np.nan], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "vertices"),
        (lambda: clearance.Mesh([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]]), "vertices"),
        (lambda: clearance.Mesh("bunny"), "vertices"),
    ],
)
def test_what_is_refused_names_the_argument(make: object, argument: str) -> None:
    with pytest.raises(clearance.ClearanceError) as caught:
        make()
    assert caught.value.argument == argument
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.args == caught.value.args and again.argument == argument


def test_mesh_arrays() -> None:
    points, faces = torus_arrays()
    mesh = clearance.Mesh(points, faces.astype(np.uint32))
    assert np.array_equal(mesh.vertices, points) and np.array_equal(mesh.faces, faces)
    assert mesh.vertices is mesh.vertices and not mesh.vertices.flags.writeable
    # Whatever numbers and layouts are given, the mesh is the same.
    for other in (
        clearance.Mesh(points.tolist(), faces.tolist()),
        clearance.Mesh(np.asfortranarray(points), faces.astype(np.int16)),
        clearance.Mesh(points[::1], np.asfortranarray(faces.astype(np.uint32))),
    ):
        assert other == mesh
    single = clearance.Mesh(points.astype(np.float32), faces)
    assert np.array_equal(single.vertices, points.astype(np.float32).astype(float))


def test_solid() -> None:
    surface = clearance.Mesh(*cube_arrays())
    assert (
        not surface.is_solid
        and surface.solid().is_solid
        and repr(surface.solid()) == "Mesh(8 vertices, 12 faces, solid)"
    )
    points, faces = cube_arrays()
    with pytest.raises(clearance.NotSolidError) as caught:
        clearance.Mesh(points, faces[1:]).solid()
    assert sorted(map(sorted, caught.value.edges.tolist())) == [[0, 1], [0, 2], [1, 2]]
    assert isinstance(caught.value, ValueError)
    assert pickle.loads(pickle.dumps(caught.value)).edges.shape == (3, 2)
    with pytest.raises(clearance.NotSolidError, match=r"inside out.*flip the winding") as caught:
        clearance.Mesh(points, faces[:, ::-1]).solid()
    assert caught.value.volume == -8 and caught.value.edges.shape == (0, 2)


def test_moved() -> None:
    mesh = torus()
    lifted = mesh.moved(mesh.vertices + [0, 0, 3])
    assert lifted.is_solid and lifted.bounds[0, 2] == mesh.bounds[0, 2] + 3
    with pytest.raises(clearance.ClearanceError, match="vertices: expected 288 points, got 3"):
        mesh.moved(np.zeros((3, 3)))


def test_bytes_and_trees() -> None:
    mesh = torus()
    assert clearance.Mesh.from_bytes(mesh.to_bytes()) == mesh and clearance.Mesh.from_bytes(mesh.to_bytes()).is_solid
    damaged = bytearray(mesh.to_bytes())
    damaged[40] ^= 1
    for bad, problem in ((bytes(damaged), "checksum"), (b"", "too short"), (b"solid part" * 4, "signature is missing")):
        with pytest.raises(clearance.ClearanceError, match=problem) as caught:
            clearance.Mesh.from_bytes(bad)
        assert caught.value.argument == "bytes"
    tree = mesh.tree_statistics()
    assert tree.leaves >= len(mesh.faces) / 8 and 1 <= tree.depth <= tree.nodes and tree.cost > 0
    assert clearance.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).tree_statistics().depth == 1


def test_components_hang_together_by_points() -> None:
    points, faces = cube_arrays()
    assert mesh_of_two(points, faces, 3).component_count == 2 and cube().component_count == 1
    # Two triangles with one corner in common: one part by points, two by edges.
    bow = clearance.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, 1, 0]], [[0, 1, 2], [0, 3, 4]])
    assert bow.component_count == 1 and bow.health().components == 2


def mesh_of_two(points: np.ndarray, faces: np.ndarray, apart: float) -> clearance.Mesh:
    there = points + [apart, 0, 0]
    return clearance.Mesh(np.concatenate([points, there]), np.concatenate([faces, faces + len(points)]))


def test_health() -> None:
    health = torus().health()
    assert health.watertight and health.euler_characteristic == 0 and health.volume is not None and health.volume > 0
    points, faces = cube_arrays()
    health = clearance.Mesh(points, np.concatenate([faces[1:], faces[-1:]])).health()
    assert not health.watertight and health.volume is None and health.duplicates.tolist() == [[10, 11]]
    assert health == clearance.Mesh(points, np.concatenate([faces[1:], faces[-1:]])).health() != torus().health()


def test_self_intersections() -> None:
    points, faces = cube_arrays()
    two = clearance.Mesh(np.concatenate([points, points + [1.5, 0.3, 0.2]]), np.concatenate([faces, faces + 8]))
    found = clearance.self_intersections(two)
    assert len(found) > 0 and set(found.kind) <= {
        clearance.SelfIntersectionKind.CROSSING,
        clearance.SelfIntersectionKind.RIMS,
    }
    assert found.triangles.shape == (len(found), 2) and found.segments.shape == (len(found), 2, 3)
    assert (found.triangles[:, 0] < 12).all() and (found.triangles[:, 1] >= 12).all()
    assert clearance.self_intersections(two, culling="curvature") == found
    assert len(clearance.self_intersections(cube())) == 0


class Trimesh:
    def __init__(self) -> None:
        self.vertices, self.faces = torus_arrays()


class Open3d:
    def __init__(self) -> None:
        self.vertices, self.triangles = torus_arrays()


class Tensors:
    triangle: object = None

    def to_legacy(self) -> Open3d:
        return Open3d()


class PolyData:
    def __init__(self) -> None:
        self.points, faces = torus_arrays()
        self.faces = np.column_stack([np.full(len(faces), 3), faces]).ravel()


@pytest.mark.parametrize("kind", [Trimesh, Open3d, Tensors, PolyData])
def test_objects_of_other_libraries(kind: type) -> None:
    assert clearance.Mesh(kind()) == clearance.Mesh(*torus_arrays())
    assert clearance.intersects(kind(), clearance.Sphere(0.1), pose_b=moved(2)) is False
    assert clearance.intersects(kind(), clearance.Sphere(0.1), pose_b=moved(2.5))


def test_polygons_of_pyvista_are_refused() -> None:
    quads = PolyData()
    quads.faces = np.array([4, 0, 1, 2, 3])
    with pytest.raises(clearance.ClearanceError, match="triangulate"):
        clearance.Mesh(quads)
    with pytest.raises(clearance.ClearanceError, match="a dict is not a body"):
        clearance.distance({}, clearance.Sphere(1))
