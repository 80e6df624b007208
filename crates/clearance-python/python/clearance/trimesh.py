"""The collision manager of trimesh, on Clearance: the same methods and return values.

Replace ``from trimesh.collision import CollisionManager`` by ``from clearance.trimesh import CollisionManager``. As
there, a convex mesh is a solid and any other mesh is a surface. What differs is told in ``docs/python.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import clearance

__all__ = ["CollisionManager", "ContactData", "DistanceData"]

Floats = NDArray[np.float64]

EXTERNAL = "__external"
"""What a mesh that is in no manager is called."""


class ContactData:
    """One contact of two objects."""

    def __init__(
        self, names: tuple[str, str], indices: tuple[int, int], point: Floats, normal: Floats, depth: float
    ) -> None:
        self.names = set(names)
        self._indices = dict(zip(names, indices, strict=True))
        self._point = point
        self._normal = normal
        self._depth = depth

    @property
    def normal(self) -> Floats:
        """The way from the first object to the second, unit, in the world."""
        return self._normal

    @property
    def point(self) -> Floats:
        """Where they meet, in the world."""
        return self._point

    @property
    def depth(self) -> float:
        """How deep two convex objects overlap; 0 if one of them is a surface, which has no depth."""
        return self._depth

    def index(self, name: str) -> int:
        """The face of an object that is in contact; -1 for the contacts of two convex objects."""
        return self._indices[name]


class DistanceData:
    """How far apart two objects are, and where."""

    def __init__(self, names: tuple[str, str], indices: tuple[int, int], points: Floats, distance: float) -> None:
        self.names = set(names)
        self._indices = dict(zip(names, indices, strict=True))
        self._points = dict(zip(names, points, strict=True))
        self._distance = distance

    @property
    def distance(self) -> float:
        """How far apart they are; less than zero by the depth for convex objects that overlap."""
        return self._distance

    def index(self, name: str) -> int:
        """The face of an object that is nearest; -1 for a convex object."""
        return self._indices[name]

    def point(self, name: str) -> Floats:
        """The nearest point of an object, in the world."""
        point: Floats = self._points[name]
        return point


@dataclass(frozen=True, eq=False)
class _Object:
    """An object of a manager."""

    source: Any
    pose: clearance.Pose

    @cached_property
    def is_convex(self) -> bool:
        return bool(getattr(self.source, "is_convex", False))

    @cached_property
    def mesh(self) -> clearance.Mesh:
        return self.source if isinstance(self.source, clearance.Mesh) else clearance.Mesh(self.source)

    @cached_property
    def body(self) -> clearance.Shape:
        """The hull of a convex mesh, a solid; the surface of any other."""
        return clearance.Hull(self.source.vertices, flat=True) if self.is_convex else self.mesh

    @cached_property
    def box(self) -> Floats:
        """A box about it in the world, (2, 3), with room for rounding."""
        corners = self.body.bounds[list(product((0, 1), repeat=3)), range(3)]
        placed = self.pose.transform(corners)
        room = 1e-12 * np.abs(placed).max()
        return np.stack([placed.min(axis=0) - room, placed.max(axis=0) + room])

    def at(self, pose: clearance.Pose) -> _Object:
        moved = _Object(self.source, pose)
        for made in ("is_convex", "mesh", "body"):
            if made in self.__dict__:
                moved.__dict__[made] = self.__dict__[made]
        return moved


def _pose(transform: ArrayLike | None) -> clearance.Pose:
    if transform is None:
        return clearance.Pose()
    matrix = np.asarray(transform, dtype=np.float64)
    if matrix.shape != (4, 4):
        raise clearance.ClearanceError("transform: must be (4, 4)", "transform")
    return clearance.Pose(matrix)


_Named = tuple[str, _Object]


def _gaps(firsts: list[_Named], seconds: list[_Named], pairs: NDArray[np.intp]) -> Floats:
    """How far apart the boxes of pairs are: the objects are no nearer."""
    if not len(pairs):
        return np.empty(0)
    a = np.stack([item.box for _, item in firsts])[pairs[:, 0]]
    b = np.stack([item.box for _, item in seconds])[pairs[:, 1]]
    apart = np.maximum(np.maximum(a[:, 0] - b[:, 1], b[:, 0] - a[:, 1]), 0.0)
    gaps: Floats = np.sqrt((apart**2).sum(axis=1))
    return gaps


def _all_pairs(first: int, second: int | None) -> NDArray[np.intp]:
    """Every object of the one list with every one of the other; None: of one list, each pair once."""
    if second is None:
        return np.stack(np.triu_indices(first, 1), axis=1)
    return np.stack(np.meshgrid(range(first), range(second), indexing="ij"), axis=-1).reshape(-1, 2).astype(np.intp)


def _bodies(firsts: list[_Named], seconds: list[_Named]) -> tuple[list[clearance.Shape], list[clearance.Pose]]:
    both = [item for _, item in firsts + seconds]
    return [item.body for item in both], [item.pose for item in both]


def _colliding(firsts: list[_Named], seconds: list[_Named] | None, every: bool) -> list[tuple[_Named, _Named]]:
    """The pairs that meet; only the first found unless every one is wanted."""
    others = firsts if seconds is None else seconds
    pairs = _all_pairs(len(firsts), None if seconds is None else len(seconds))
    pairs = pairs[_gaps(firsts, others, pairs) == 0.0]
    shapes, poses = _bodies(firsts, [] if seconds is None else others)
    offset = 0 if seconds is None else len(firsts)
    found: list[tuple[_Named, _Named]] = []
    for chunk in [pairs] if every else np.array_split(pairs, range(64, len(pairs), 64)):
        if len(chunk):
            meet = clearance.intersects_pair_batch(shapes, chunk + [0, offset], poses)
            found += [(firsts[i], others[j]) for i, j in chunk[meet]]
        if found and not every:
            break
    return found


def _contacts(first: _Named, second: _Named) -> list[ContactData]:
    (name_a, a), (name_b, b) = first, second
    names = (name_a, name_b)
    if a.is_convex and b.is_convex:
        found = clearance.contacts(a.body, b.body, a.pose, b.pose)
        depth = max(0.0, -found.value)
        each = zip(found.points.mean(axis=1), found.normals, strict=True)
        return [ContactData(names, (-1, -1), point, normal, depth) for point, normal in each]
    crossings = clearance.contacts(a.mesh, b.mesh, a.pose, b.pose)
    if len(crossings.triangles):
        middles = crossings.segments.mean(axis=1)
        each_pair = zip(crossings.triangles.tolist(), middles, strict=True)
        return [ContactData(names, (i, j), point, crossings.normal, 0.0) for (i, j), point in each_pair]
    # One is inside the other, which is a convex solid.
    inside = clearance.distance(a.body, b.body, a.pose, b.pose)
    indices = (-1 if a.is_convex else inside.part_a, -1 if b.is_convex else inside.part_b)
    return [ContactData(names, indices, inside.witness[0], np.array([0.0, 0.0, 1.0]), 0.0)]


def _nearest(firsts: list[_Named], seconds: list[_Named] | None) -> tuple[_Named, _Named, clearance.Distance] | None:
    """The nearest pair: pairs are asked in the order of the gaps of their boxes, until no other can be nearer."""
    others = firsts if seconds is None else seconds
    pairs = _all_pairs(len(firsts), None if seconds is None else len(seconds))
    least = _gaps(firsts, others, pairs)
    order = np.argsort(least, kind="stable")
    shapes, poses = _bodies(firsts, [] if seconds is None else others)
    offset = 0 if seconds is None else len(firsts)
    best: tuple[float, int, clearance.Distance] | None = None
    start, size = 0, 8
    while start < len(order):
        chunk = order[start : start + size]
        if best is not None:
            chunk = chunk[least[chunk] < best[0]]
        if not len(chunk):
            break
        answers = clearance.distance_pair_batch(shapes, pairs[chunk] + [0, offset], poses)
        signed = answers.value.copy()
        for meets in np.flatnonzero(signed == 0.0):
            i, j = pairs[chunk[meets]]
            signed[meets] = -_depth(firsts[i][1], others[j][1])
        place = int(signed.argmin())
        if best is None or signed[place] < best[0]:
            best = (float(signed[place]), int(chunk[place]), answers[place])
        start, size = start + size, 2 * size
    if best is None:
        return None
    i, j = pairs[best[1]]
    return firsts[i], others[j], best[2]


def _depth(a: _Object, b: _Object) -> float:
    return clearance.penetration(a.body, b.body, a.pose, b.pose).value if a.is_convex and b.is_convex else 0.0


def _distance_data(first: _Named, second: _Named, found: clearance.Distance) -> DistanceData:
    (name_a, a), (name_b, b) = first, second
    indices = (-1 if a.is_convex else found.part_a, -1 if b.is_convex else found.part_b)
    points, value = found.witness, found.value
    if value == 0.0 and a.is_convex and b.is_convex:
        deep = clearance.penetration(a.body, b.body, a.pose, b.pose)
        points, value = deep.witness, -deep.value
    return DistanceData((name_a, name_b), indices, points, value)


class CollisionManager:
    """Many meshes by name: which of them collide, and how near they are."""

    def __init__(self) -> None:
        self._objects: dict[str, _Object] = {}

    def add_object(self, name: str, mesh: Any, transform: ArrayLike | None = None) -> None:
        """Adds an object, in place of one of the same name."""
        item = _Object(mesh, _pose(transform))
        _ = item.body  # what is wrong with a mesh is told here
        self._objects[name] = item

    def remove_object(self, name: str) -> None:
        """Takes an object out."""
        self._known(name)
        del self._objects[name]

    def set_transform(self, name: str, transform: ArrayLike) -> None:
        """Gives an object another pose."""
        self._objects[name] = self._known(name).at(_pose(transform))

    def _known(self, name: str) -> _Object:
        if name not in self._objects:
            raise ValueError(f"{name} not in collision manager!")
        return self._objects[name]

    def _items(self) -> list[_Named]:
        return list(self._objects.items())

    def in_collision_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether a mesh collides with an object; with the names of those, and a list of ``ContactData``."""
        single = (EXTERNAL, _Object(mesh, _pose(transform)))
        found = _colliding(self._items(), [single], return_names or return_data)
        return _collisions(found, {name for (name, _), _ in found}, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two objects collide; with the pairs of their names, each sorted, and ``ContactData``."""
        found = _colliding(self._items(), None, return_names or return_data)
        return _collisions(found, {tuple(sorted((a, b))) for (a, _), (b, _) in found}, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether an object collides with one of another manager; with the pairs of names, and ``ContactData``."""
        found = _colliding(self._items(), other_manager._items(), return_names or return_data)
        return _collisions(found, {(a, b) for (a, _), (b, _) in found}, return_names, return_data)

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """How far a mesh is from the nearest object; with its name, and ``DistanceData``."""
        nearest = _nearest(self._items(), [(EXTERNAL, _Object(mesh, _pose(transform)))])
        return _distances(nearest, None if nearest is None else nearest[0][0], return_name, return_data)

    def min_distance_internal(
        self, name: str | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """How far apart the nearest two objects are, or one and that nearest it; with names, and ``DistanceData``."""
        if name is None:
            nearest = _nearest(self._items(), None)
        else:
            item = self._known(name)
            nearest = _nearest([(name, item)], [other for other in self._items() if other[0] != name])
        names = None if nearest is None else tuple(sorted((nearest[0][0], nearest[1][0])))
        return _distances(nearest, names, return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """How far the nearest objects of two managers are apart; with their names, and ``DistanceData``."""
        nearest = _nearest(self._items(), other_manager._items())
        names = None if nearest is None else (nearest[0][0], nearest[1][0])
        return _distances(nearest, names, return_names, return_data)


def _collisions(found: list[tuple[_Named, _Named]], names: set[Any], return_names: bool, return_data: bool) -> Any:
    answer: list[Any] = [bool(found)]
    if return_names:
        answer.append(names)
    if return_data:
        answer.append([contact for first, second in found for contact in _contacts(first, second)])
    return answer[0] if len(answer) == 1 else tuple(answer)


def _distances(
    nearest: tuple[_Named, _Named, clearance.Distance] | None, names: Any, return_names: bool, return_data: bool
) -> Any:
    data = None if nearest is None else _distance_data(*nearest)
    answer: list[Any] = [np.finfo(np.float64).max if data is None else data.distance]
    if return_names:
        answer.append(names)
    if return_data:
        answer.append(data)
    return answer[0] if len(answer) == 1 else tuple(answer)
