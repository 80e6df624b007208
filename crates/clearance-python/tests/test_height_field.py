"""Terrain: what only a height field is asked, against exact arithmetic and against the mesh of the same triangles."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import clearance
from bodies import check

Floats = NDArray[np.float64]
Point = tuple[Fraction, Fraction, Fraction]


def rough(columns: int = 6, rows: int = 5, seed: int = 2, spacing: tuple[float, float] = (0.3, 0.7)) -> Any:
    """Hills that no two triangles share a plane of."""
    heights = np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)
    return clearance.HeightField(heights, spacing)


def stepped(columns: int = 6, rows: int = 5, seed: int = 3) -> Any:
    """Heights and spacings that are whole numbers, so that lines meet edges and grid points; many cells are flat."""
    return clearance.HeightField(np.random.default_rng(seed).integers(0, 3, (rows, columns)), [1, 1])


def corners_of(field: Any) -> Floats:
    """The triangles by the words of the documentation, (N, 3, 3)."""
    columns, rows = field.columns, field.rows
    x, y = np.arange(columns) * field.spacing[0], np.arange(rows) * field.spacing[1]

    def vertex(i: int, j: int) -> list[float]:
        return [x[i], y[j], float(field.heights[j, i])]

    triangles = []
    for j, i in product(range(rows - 1), range(columns - 1)):
        triangles.append([vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)])
        triangles.append([vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)])
    return np.array(triangles)


def mesh_of(field: Any) -> clearance.Mesh:
    return clearance.Mesh(corners_of(field).reshape(-1, 3), np.arange(3 * field.triangle_count).reshape(-1, 3))


def exact(numbers: Any) -> Any:
    return tuple(Fraction(float(number)) for number in numbers)


def normal_of(corners: tuple[Point, Point, Point]) -> Point:
    """Upwards, not of unit length."""
    a, b, c = corners
    (ux, uy, uz), (vx, vy, vz) = ([q - p for p, q in zip(a, end, strict=True)] for end in (b, c))
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


def over(corners: tuple[Point, Point, Point], x: Fraction, y: Fraction) -> bool:
    """Whether a place lies over a triangle, its rim included."""
    turns = ((corners[k], corners[(k + 1) % 3]) for k in range(3))
    return all((q[0] - p[0]) * (y - p[1]) >= (q[1] - p[1]) * (x - p[0]) for p, q in turns)


class Truth:
    """What is true of a field, in fractions, by looking at every triangle."""

    def __init__(self, field: Any) -> None:
        self.corners = [tuple(map(exact, triangle)) for triangle in corners_of(field)]
        self.normals = [normal_of(triangle) for triangle in self.corners]

    def height(self, x: float, y: float) -> tuple[Fraction | None, set[int]]:
        """The height at a place, and the triangles there."""
        u, v = exact((x, y))
        there = {k for k, triangle in enumerate(self.corners) if over(triangle, u, v)}
        heights = set()
        for k in there:
            (a, _, _), n = self.corners[k], self.normals[k]
            heights.add(a[2] - (n[0] * (u - a[0]) + n[1] * (v - a[1])) / n[2])
        assert len(heights) <= 1, "neighbours agree"
        return (heights.pop() if heights else None), there

    def hits(self, origin: Any, direction: Any) -> dict[Fraction, dict[int, bool]] | None:
        """Where a line meets the surface: the triangles at each parameter, and whether it comes from below. None for a
        line that lies in the plane of a triangle."""
        o, d = exact(origin), exact(direction)
        found: dict[Fraction, dict[int, bool]] = {}
        for k, (triangle, n) in enumerate(zip(self.corners, self.normals, strict=True)):
            rise = sum(p * q for p, q in zip(n, d, strict=True))
            gap = sum(p * (q - r) for p, q, r in zip(n, triangle[0], o, strict=True))
            if rise == 0:
                if gap == 0:
                    return None
                continue
            t = gap / rise
            if over(triangle, o[0] + t * d[0], o[1] + t * d[1]):
                found.setdefault(t, {})[k] = rise > 0
        return found


def holds(answer: Any, truth: Fraction) -> bool:
    """A bracket, and that it is as narrow as the documentation says of heights and rays: two steps of a double."""
    step = np.spacing(max(abs(answer.lower), abs(answer.upper)))
    return answer.lower <= truth <= answer.upper and answer.upper - answer.lower <= 2 * step


def same(many: Any, ones: list[Any]) -> None:
    """A batch holds the single answers, to the bit, in its items and in its arrays, and comes back from a pickle."""
    assert len(many) == len(ones) and list(many) == ones and [many[k] for k in range(len(ones))] == ones
    for name in ("value", "lower", "upper", "point", "normal", "from_below", "triangle"):
        if hasattr(many, name):
            column = getattr(many, name)
            assert len(column) == len(ones)
            for row, one in zip(column, ones, strict=True):
                if one is not None:
                    single = getattr(one, name)
                    assert np.array_equal(row, -1 if single is None else single)
                elif name in ("value", "lower", "upper"):
                    assert row == np.inf
                else:
                    assert (row == (-1 if name == "triangle" else 0)).all()
    if hasattr(many, "hit"):
        assert many.hit.tolist() == [one is not None for one in ones]
    again = pickle.loads(pickle.dumps(many))
    assert again == many and type(again) is type(many)
    for one in ones:
        assert one is None or pickle.loads(pickle.dumps(one)) == one
    assert repr(many) == f"{type(many).__name__}({len(ones)})"


def test_the_grid_and_its_triangles() -> None:
    field = rough()
    assert (field.columns, field.rows, field.triangle_count) == (6, 5, 40)
    corners = corners_of(field)
    assert np.array_equal(field.triangle_batch(np.arange(40)), corners)
    assert np.array_equal(field.triangle(7), corners[7]) and field.triangle_batch([]).shape == (0, 3, 3)
    assert np.array_equal(field.surface_bounds, [corners.min((0, 1)), corners.max((0, 1))])
    assert np.array_equal(field.surface_bounds, mesh_of(field).bounds)
    assert field.bounds[0, 2] == -np.inf and np.array_equal(field.bounds[1], field.surface_bounds[1])


@pytest.mark.parametrize("field", [rough(), stepped()])
def test_heights(field: Any) -> None:
    truth, (low, high) = Truth(field), field.surface_bounds
    random = np.random.default_rng(4)
    places = random.uniform(low[:2] - 0.3, high[:2] + 0.3, (80, 2))
    # Grid points, the middles of edges and diagonals, and the border.
    halves = np.array(list(product(np.arange(0, 11) / 2, np.arange(0, 9) / 2))) * field.spacing
    places = np.concatenate([places, halves, np.clip(places, low[:2], high[:2])])
    samples = field.height_at_batch(places)
    same(samples, [field.height_at(x, y) for x, y in places])
    assert 0 < samples.hit.sum() < len(places)
    for (x, y), sample in zip(places, samples, strict=True):
        height, there = truth.height(x, y)
        assert (sample is None) == (height is None)
        if sample is not None:
            assert holds(sample, height) and sample.lower <= sample.value <= sample.upper and sample.triangle in there
            normal = np.array([float(k) for k in truth.normals[sample.triangle]])
            assert np.allclose(sample.normal, normal / np.linalg.norm(normal), atol=1e-14)


def test_heights_at_the_border_and_beyond() -> None:
    field = clearance.HeightField([[0, 1], [2, 5]], [1, 1])
    corners = field.height_at_batch([[0, 0], [1, 0], [0, 1], [1, 1]])
    assert corners.value.tolist() == [0, 1, 2, 5] and corners.hit.all()
    outside = [[np.nextafter(1, 2), 0.5], [-5e-324, 0.5], [0.5, -1], [0.5, 1.5], [np.nan, 0], [0, np.inf]]
    samples = field.height_at_batch(outside)
    same(samples, [None] * 6)
    assert field.height_at(0.5, 1.5) is None and samples[-1] is None
    with pytest.raises(IndexError):
        samples[6]
    sample = field.height_at(0.75, 0.25)
    assert repr(sample) == f"HeightSample(value=1.75, lower={sample.lower!r}, upper={sample.upper!r})"
    empty = field.height_at_batch(np.empty((0, 2)))
    same(empty, [])
    assert empty.normal.shape == (0, 3)


def test_a_flat_cell() -> None:
    flat = clearance.HeightField([[3, 3], [3, 3]], [1, 1])
    sample = flat.height_at(0.5, 0.25)
    assert sample is not None and (sample.value, sample.triangle) == (3, 0) and sample.normal.tolist() == [0, 0, 1]
    # On the diagonal, which belongs to the triangle on its right.
    assert flat.height_at_batch([[0.5, 0.5], [0.25, 0.5]]).triangle.tolist() == [0, 1]
    # Along the surface, in it: one hit, the first point; beside it none.
    along = flat.ray_cast_all([-1, 0.5, 3], [1, 0, 0])
    assert along.value.tolist() == [1] and along.from_below.tolist() == [False]
    assert flat.ray_cast_all([0.25, 0.5, 3], [1, 0, 0]).point.tolist() == [[0.25, 0.5, 3]]
    assert len(flat.ray_cast_all([-1, 1.5, 3], [1, 0, 0])) == 0
    # Along the border, and through a corner alone.
    assert flat.ray_hits([-1, 0, 3], [1, 0, 0]) and flat.ray_hits([-1, 1, 3], [1, -1, 0]) is True
    found = flat.closest_point([0.5, 0.25, 3])
    assert (found.value, found.lower) == (0, 0) and flat.signed_distance([0.5, 0.25, 3]).value == 0


def test_in_the_ground_or_not() -> None:
    field = rough()
    truth, (low, high) = Truth(field), field.surface_bounds
    random = np.random.default_rng(5)
    points = random.uniform(low - 0.2, high + 0.2, (60, 3))
    # On the surface as near as a double can be, and a step above and below.
    heights = field.height_at_batch(points[:, :2])
    near = np.column_stack([points[:, :2], heights.value])[heights.hit]
    for steps in (-np.inf, np.inf):
        points = np.concatenate([points, near, np.column_stack([near[:, :2], np.nextafter(near[:, 2], steps)])])
    points = np.concatenate([points, corners_of(field).reshape(-1, 3), [[0, 0, -1e30]]])
    inside = field.contains_batch(points)
    assert inside.tolist() == [field.contains(point) for point in points]
    assert inside.tolist() == clearance.contains_batch(field, points).tolist()
    for point, is_in in zip(points, inside, strict=True):
        height, _ = truth.height(point[0], point[1])
        assert is_in == (height is not None and Fraction(float(point[2])) <= height)
    assert field.contains_batch([[0, 0, np.nan], [np.inf, 0, 0]]).tolist() == [False, False]


def lines(field: Any, count: int, seed: int) -> tuple[Floats, Floats]:
    """Rays of every kind over a field: random ones, vertical ones, along axes, through grid points."""
    random, (low, high) = np.random.default_rng(seed), field.surface_bounds
    origins = random.uniform(low - 1, high + 1, (count, 3))
    directions = random.uniform(low - 1, high + 1, (count, 3)) - origins
    grid = corners_of(field).reshape(-1, 3)
    through = grid[random.integers(0, len(grid), count)]
    whole = np.floor(origins) + [0, 0, 2]
    vertical = np.tile([0.0, 0.0, -1.0], (count, 1)) * random.choice([-2.0, 0.5, 1.0], (count, 1))
    axes = np.eye(3)[random.integers(0, 2, count)] * random.choice([-1.0, 1.0], (count, 1))
    shifted = np.concatenate([origins, through + [0, 0, 4], whole, origins, grid[:count] + [0, 0, 1]])
    return shifted, np.concatenate([directions, vertical, through - whole, axes, random.integers(-2, 3, (count, 3))])


@pytest.mark.parametrize("field", [rough(), stepped(), stepped(9, 2, 6)])
@pytest.mark.parametrize("t_from", [0.0, -np.inf, 0.25])
def test_rays(field: Any, t_from: float) -> None:
    truth, to = Truth(field), 1.5 if t_from == 0.25 else np.inf
    origins, directions = lines(field, 25, 7)
    origins, directions = (it[(directions != 0).any(1)] for it in (origins, directions))
    first = field.ray_cast_batch(origins, directions, t_from=t_from, t_to=to)
    rays = list(zip(origins, directions, strict=True))
    same(first, [field.ray_cast(*ray, t_from=t_from, t_to=to) for ray in rays])
    everywhere = field.ray_cast_all_batch(origins, directions, t_from=t_from, t_to=to)
    assert everywhere == [field.ray_cast_all(*ray, t_from=t_from, t_to=to) for ray in rays]
    hit = field.ray_hits_batch(origins, directions, t_from=t_from, t_to=to)
    assert hit.tolist() == [field.ray_hits(*ray, t_from=t_from, t_to=to) for ray in rays] == first.hit.tolist()
    assert 0 < hit.sum() < len(hit)
    asked = 0
    for (origin, direction), one, every in zip(rays, first, everywhere, strict=True):
        assert (one is None) == (len(every) == 0) and (one is None or one == every[0])
        expected = truth.hits(origin, direction)
        if expected is None:
            continue
        asked += 1
        within = sorted(t for t in expected if t_from <= t <= to)
        assert len(every) == len(within)
        for found, t in zip(every, within, strict=True):
            assert found is not None and holds(found, t) and found.lower <= found.value <= found.upper
            assert found.triangle in expected[t] and found.from_below is expected[t][found.triangle]
            assert np.allclose(found.point, origin + found.value * direction, atol=1e-12) and found.normal[2] > 0
    assert asked > len(rays) / 2


def test_rays_against_the_mesh() -> None:
    field = rough(20, 16, 8)
    origins, directions = lines(field, 100, 9)
    keep = (directions != 0).any(1)
    ours, mesh = (field.ray_cast_batch(origins[keep], directions[keep]), mesh_of(field))
    theirs = clearance.ray_cast_batch(mesh, origins[keep], directions[keep])
    theirs.verify()
    assert ours.hit.tolist() == theirs.hit.tolist()
    assert (ours.lower[ours.hit] <= theirs.upper[ours.hit]).all() and (theirs.lower <= ours.upper).all()
    # And the field as a body of a query.
    body = clearance.ray_cast_batch(field, origins[keep], directions[keep])
    check(body)
    assert (
        body.hit.tolist() == ours.hit.tolist() and (body.lower <= ours.upper).all() and (ours.lower <= body.upper).all()
    )


def test_vertical_rays() -> None:
    ridge = clearance.HeightField([[0, 1, 0], [0, 1, 0]], [1, 1])
    down = ridge.ray_cast([0.5, 0.25, 2], [0, 0, -1])
    assert down is not None and (down.value, down.triangle, down.from_below) == (1.5, 0, False)
    assert down.point.tolist() == [0.5, 0.25, 0.5]
    assert repr(down) == f"SurfaceHit(value=1.5, lower={down.lower!r}, upper={down.upper!r})"
    up = ridge.ray_cast([0.5, 0.25, -1], [0, 0, 3])
    assert up is not None and (up.value, up.from_below) == (0.5, True)
    assert ridge.ray_cast([0.5, 0.25, 2], [0, 0, 1]) is None
    behind = ridge.ray_cast([0.5, 0.25, 2], [0, 0, 1], t_from=-np.inf)
    assert behind is not None and behind.value == -1.5
    # From a point of the crest, above it, above a corner of the footprint; a step beside that is a miss.
    origins = [[1, 0.5, 1], [1, 1, 3], [2, 1, 3], [np.nextafter(2, 3), 1, 3]]
    assert ridge.ray_cast_batch(origins, [[0, 0, -1]] * 4).value.tolist() == [0, 2, 3, np.inf]
    assert not ridge.ray_hits([np.nextafter(2, 3), 1, 3], [0, 0, -1])
    # The range is closed.
    assert ridge.ray_hits([0.5, 0, 2], [0, 0, -1], t_to=1.5) and not ridge.ray_hits([0.5, 0, 2], [0, 0, -1], t_to=1.4)
    assert not ridge.ray_hits([0.5, 0, 2], [0, 0, -1], t_from=2, t_to=1)


@pytest.mark.parametrize("field", [rough(20, 16, 10), stepped()])
def test_nearest_points(field: Any) -> None:
    (low, high), corners = field.surface_bounds, corners_of(field)
    random = np.random.default_rng(11)
    points = np.concatenate([random.uniform(low - 3, high + 3, (150, 3)), corners[:40].mean(1), corners[:20, 0]])
    found = field.closest_point_batch(points)
    same(found, [field.closest_point(point) for point in points])
    of_mesh = clearance.closest_point_batch(mesh_of(field), points)
    of_mesh.verify()
    assert (found.lower <= of_mesh.upper).all() and (of_mesh.lower <= found.upper).all()
    assert (found.lower <= found.value).all() and (found.value <= found.upper).all()
    assert (found.upper - found.lower < 1e-13).all()
    assert np.allclose(np.linalg.norm(points - found.point, axis=1), found.value, atol=1e-13)
    # The point lies on the triangle that is named.
    for point, number in zip(found.point, found.triangle, strict=True):
        triangle = clearance.Triangle(field.triangle(number))
        assert clearance.closest_point(triangle, point).value < 1e-13


@pytest.mark.parametrize("field", [rough(20, 16, 12), stepped()])
def test_signed_distances(field: Any) -> None:
    low, high = field.surface_bounds
    points = np.random.default_rng(13).uniform(low - 3, high + 3, (200, 3))
    found = field.signed_distance_batch(points)
    same(found, [field.signed_distance(point) for point in points])
    solid = clearance.signed_distance_batch(field, points)
    solid.verify()
    assert (found.lower <= solid.upper).all() and (solid.lower <= found.upper).all()
    assert ((found.value < 0) == field.contains_batch(points)).all()
    surface = field.closest_point_batch(points)
    assert (np.abs(found.value) <= surface.upper).all()
    # Where the surface is nearest the answers are the same; elsewhere the point is on a side, at the query's height.
    aside = found.triangle == -1
    assert 0 < aside.sum() < len(points)
    assert np.array_equal(found.triangle[~aside], surface.triangle[~aside])
    assert np.array_equal(np.abs(found.value[~aside]), surface.value[~aside])
    assert np.array_equal(found.point[aside, 2], points[aside, 2])
    assert (((found.point == low) | (found.point == high))[aside, :2]).any(1).all()


def test_beside_and_below_the_ground() -> None:
    flat = clearance.HeightField(np.zeros((9, 9)), [1, 1])
    beside = flat.signed_distance([11, 4, -7])
    assert (beside.value, beside.triangle) == (3, None) and beside.point.tolist() == [8, 4, -7]
    below = flat.signed_distance([4, 4, -2])
    assert (below.value, below.triangle is None) == (-2, False) and below.lower <= -2 <= below.upper
    near_a_side = flat.signed_distance([1, 4, -2])
    assert (near_a_side.value, near_a_side.triangle) == (-1, None)
    # The surface alone has no sides.
    assert flat.closest_point([11, 4, -4]).value == 5 and flat.closest_point([11, 4, -4]).point.tolist() == [8, 4, 0]
    assert repr(below) == f"SurfaceDistance(value=-2.0, lower={below.lower!r}, upper={below.upper!r})"


@pytest.mark.parametrize("field", [rough(7, 6, 14), stepped(20, 11, 15)])
def test_triangles_in_windows(field: Any) -> None:
    corners, (low, high) = corners_of(field), field.surface_bounds
    random = np.random.default_rng(16)
    ends = np.sort(random.uniform(low[:2] - 1, high[:2] + 1, (2, 60, 2)), axis=0)
    # On grid lines, where the cells of both sides are touched; points; all; nothing.
    lined = np.round(ends / field.spacing) * field.spacing
    least = np.concatenate([ends[0], lined[0], lined[0], [[-np.inf] * 2, [2, 2], high[:2] + 0.1]])
    greatest = np.concatenate([ends[1], lined[1], lined[0], [[np.inf] * 2, [1, 1], high[:2] + 0.2]])
    z_min = random.uniform(low[2] - 1, high[2] + 0.2, len(least))
    cells = corners.reshape(-1, 6, 3)
    for heights in (None, 0.5, z_min):
        found = field.triangles_in_batch(least, greatest, z_min=heights)
        assert len(found) == len(least)
        for k, triangles in enumerate(found):
            reach = -np.inf if heights is None else np.broadcast_to(heights, len(least))[k]
            at_all = least[k] <= greatest[k]
            touched = (cells.min(1)[:, :2] <= greatest[k]) & (cells.max(1)[:, :2] >= least[k]) & at_all
            expected = np.repeat(touched.all(1), 2) & (corners[:, :, 2].max(1) >= reach)
            assert triangles.dtype == np.uint32 and triangles.tolist() == np.flatnonzero(expected).tolist()
            one = field.triangles_in(least[k], greatest[k], z_min=float(reach))
            assert np.array_equal(one, triangles)
    assert len(field.triangles_in([-9, -9], [99, 99])) == field.triangle_count
    assert len(field.triangles_in([2, 2], [1, 1])) == 0


def test_wheels() -> None:
    slope = clearance.HeightField([[0, 8], [0, 8]], [8, 8])
    contacts = slope.wheel_on_terrain_batch([[3, 4, 4.5], [5, 4, 4.5], [4, 4, 4.5], [9, 4, 4.5]], 0.5)
    same(contacts, [slope.wheel_on_terrain([x, 4, 4.5], 0.5) for x in (3, 5, 4, 9)])
    assert contacts.hit.tolist() == [True, True, True, False]
    assert contacts.value[:3].tolist() == [1, -1, 0] and contacts.point[0].tolist() == [3, 4, 3]
    assert np.allclose(contacts.normal[:3], [-np.sqrt(0.5), 0, np.sqrt(0.5)])
    sunk = slope.wheel_on_terrain([5, 4, 2], 0.5)
    assert sunk is not None and sunk.value == -3.5 and sunk.lower <= -3.5 <= sunk.upper
    assert repr(sunk).startswith("WheelContact(value=-3.5, lower=")
    # Radii and directions for each; a direction of any length. Square to the slope it is the distance less the radius.
    ups = [[0, 0, 1], [0, 0, 7], [-1, 0, 1]]
    tilted = slope.wheel_on_terrain_batch([[4, 4, 6]] * 3, [0.5, 0.25, 0], ups)
    assert tilted.value[:2].tolist() == [1.5, 1.75] and abs(tilted.value[2] - np.sqrt(2)) < 1e-15
    assert tilted.lower[2] <= np.sqrt(2) * (1 + 1e-15) and np.sqrt(2) * (1 - 1e-15) <= tilted.upper[2]
    assert slope.wheel_on_terrain([4, 4, 6], 0, [-1, 0, 1]) == tilted[2]
    same(slope.wheel_on_terrain_batch(np.empty((0, 3)), []), [])


@pytest.mark.parametrize("field", [rough(), stepped()])
def test_upright_wheels_in_exact_arithmetic(field: Any) -> None:
    truth, (low, high) = Truth(field), field.surface_bounds
    random = np.random.default_rng(17)
    centers, radii = random.uniform(low - 0.5, high + 0.5, (80, 3)), random.uniform(0, 1, 80)
    contacts = field.wheel_on_terrain_batch(centers, radii)
    same(contacts, [field.wheel_on_terrain(center, radius) for center, radius in zip(centers, radii, strict=True)])
    for center, radius, contact in zip(centers, radii, contacts, strict=True):
        height, there = truth.height(center[0], center[1])
        assert (contact is None) == (height is None)
        if contact is not None:
            gap = Fraction(float(center[2])) - height - Fraction(float(radius))
            assert contact.lower <= gap <= contact.upper and contact.upper - contact.lower < 1e-14
            assert contact.lower <= contact.value <= contact.upper and contact.triangle in there


FIELD = clearance.HeightField(np.zeros((3, 3)), [1, 1])
NAN = np.nan


@pytest.mark.parametrize(
    ("ask", "argument"),
    [
        (lambda: FIELD.triangle(8), "number"),
        (lambda: FIELD.triangle(-1), "number"),
        (lambda: FIELD.triangle_batch([0, 8]), "numbers[1]"),
        (lambda: FIELD.triangle_batch([0, -1]), "numbers[1]"),
        (lambda: FIELD.triangle_batch([[0]]), "numbers"),
        (lambda: FIELD.triangle_batch([0.5]), "numbers"),
        (lambda: FIELD.height_at_batch([0, 1]), "places"),
        (lambda: FIELD.height_at_batch([[0, 1, 2]]), "places"),
        (lambda: FIELD.contains([0, 1]), "point"),
        (lambda: FIELD.contains_batch([0, 1, 2]), "points"),
        (lambda: FIELD.closest_point([0, 1, NAN]), "point"),
        (lambda: FIELD.closest_point_batch([[0, 1, 1], [0, 1e61, 1]]), "points[1]"),
        (lambda: FIELD.signed_distance([0, 1, np.inf]), "point"),
        (lambda: FIELD.signed_distance_batch([[0, 1, 1], [0, 1, NAN]]), "points[1]"),
        (lambda: FIELD.ray_cast([0, 0, NAN], [0, 0, 1]), "origin"),
        (lambda: FIELD.ray_cast([0, 0, 1], [0, 0, 0]), "direction"),
        (lambda: FIELD.ray_cast([0, 0, 1], [0, 0, 1], t_from=NAN), "t_from"),
        (lambda: FIELD.ray_hits([0, 0, 1], [0, 0, 1e-61]), "direction"),
        (lambda: FIELD.ray_hits([0, 0, 1], [0, 0, 1], t_to=NAN), "t_to"),
        (lambda: FIELD.ray_cast_all([0, 0, 1e61], [0, 0, 1]), "origin"),
        (lambda: FIELD.ray_cast_batch([[0, 0, 1]] * 2, [[0, 0, 1], [0, 0, 0]]), "directions[1]"),
        (lambda: FIELD.ray_cast_batch([[0, 0, 1]] * 2, [[0, 0, 1]]), "directions"),
        (lambda: FIELD.ray_hits_batch([[0, 0, 1], [0, NAN, 1]], [[0, 0, 1]] * 2), "origins[1]"),
        (lambda: FIELD.ray_cast_all_batch([[0, 0, 1]], [[0, 0, 0]]), "directions[0]"),
        (lambda: FIELD.triangles_in([0], [1, 1]), "least"),
        (lambda: FIELD.triangles_in([0, NAN], [1, 1]), "least"),
        (lambda: FIELD.triangles_in([0, 0], [1, NAN]), "greatest"),
        (lambda: FIELD.triangles_in([0, 0], [1, 1], z_min=NAN), "z_min"),
        (lambda: FIELD.triangles_in_batch([[0, 0]], [[1, 1]] * 2), "greatest"),
        (lambda: FIELD.triangles_in_batch([[0, 0]], [[1, 1]], z_min=[0, 1]), "z_min"),
        (lambda: FIELD.triangles_in_batch([[0, 0]], [[1, 1]], z_min=NAN), "z_min"),
        (lambda: FIELD.triangles_in_batch([[0, 0]], [[1, 1]], z_min=[NAN]), "z_min[0]"),
        (lambda: FIELD.triangles_in_batch([[0, 0], [0, NAN]], [[1, 1]] * 2), "least[1]"),
        (lambda: FIELD.wheel_on_terrain([0, 0, NAN], 1), "center"),
        (lambda: FIELD.wheel_on_terrain([0, 0, 1], -1), "radius"),
        (lambda: FIELD.wheel_on_terrain([0, 0, 1], NAN), "radius"),
        (lambda: FIELD.wheel_on_terrain([0, 0, 1], 1, [0, 0, 0]), "up"),
        (lambda: FIELD.wheel_on_terrain([0, 0, 1], 1, [0, 0, NAN]), "up"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1], [0, 0, NAN]], 1), "centers[1]"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1]] * 2, [1, -1]), "radii[1]"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1]] * 2, -1), "radii"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1]] * 2, [1]), "radii"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1]] * 2, 1, [0, 0, 0]), "up"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1]] * 2, 1, [[0, 0, 1], [0, 0, 0]]), "up[1]"),
        (lambda: FIELD.wheel_on_terrain_batch([[0, 0, 1]] * 2, 1, [[0, 0, 1]]), "up"),
    ],
)
def test_what_is_refused_names_the_argument(ask: Callable[[], object], argument: str) -> None:
    with pytest.raises(clearance.ClearanceError) as caught:
        ask()
    assert caught.value.argument == argument and str(caught.value).startswith(argument.split("[")[0])


def test_answers_are_plain() -> None:
    field = rough()
    sample, other = field.height_at(0.5, 0.5), field.height_at(0.6, 0.5)
    assert sample == field.height_at(0.5, 0.5) != other
    with pytest.raises(AttributeError):
        sample.value = 1.0
    with pytest.raises(TypeError, match="unhashable"):
        hash(sample)
    with pytest.raises(RuntimeError, match="damaged"):
        type(sample)._restore(b"\x01")
    with pytest.raises(RuntimeError, match="damaged"):
        type(field.height_at_batch([[0, 0]]))._restore(b"\x01\xff")
