"""The collision manager of trimesh, on Clearance: the same methods and return values.

Replace ``from trimesh.collision import CollisionManager`` by ``from clearance.trimesh import CollisionManager``. As
there, a convex mesh is a solid and any other mesh is a surface. ``docs/python.md`` lists the differences.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import clearance
from clearance._clearance import ContactData, _contact_data, _distance_data, _Manager, _Nearest

__all__ = ["CollisionManager", "ContactData", "DistanceData"]

Floats = NDArray[np.float64]

EXTERNAL = "__external"
"""The name of a mesh that is not in a manager."""

FARTHEST = float(np.finfo(np.float64).max)
"""The distance of a manager without objects, as in trimesh."""


class DistanceData:
    """The distance of two objects, and their nearest points."""

    __slots__ = ("_distance", "_indices", "_names", "_points")

    def __init__(self, names: tuple[str, str], indices: tuple[int, int], points: Floats, distance: float) -> None:
        self._names = names
        self._indices = indices
        self._points = points
        self._distance = distance

    @property
    def names(self) -> set[str]:
        """The names of the two objects."""
        return set(self._names)

    @property
    def distance(self) -> float:
        """The distance; minus the penetration depth for convex objects that overlap."""
        return self._distance

    def index(self, name: str) -> int:
        """The nearest face of an object; -1 for a convex object."""
        return self._indices[self._place(name)]

    def point(self, name: str) -> Floats:
        """The nearest point of an object, in the world."""
        point: Floats = self._points[self._place(name)]
        return point

    def _place(self, name: str) -> int:
        if name not in self._names:
            raise KeyError(name)
        return self._names.index(name)


class _Body:
    """The body of a mesh: the hull of a convex mesh, a solid; the surface of any other."""

    __slots__ = ("_surface", "is_convex", "shape")

    def __init__(self, source: Any) -> None:
        self._surface: clearance.Mesh | None = None
        self.is_convex = bool(getattr(source, "is_convex", False))
        self.shape: clearance.Shape
        if self.is_convex:
            self.shape = clearance.Hull(source.vertices, flat=True)
        else:
            self.shape = self._surface = source if isinstance(source, clearance.Mesh) else clearance.Mesh(source)

    def surface(self, source: Any) -> clearance.Mesh:
        """The surface of the mesh, even if it is convex."""
        if self._surface is None:
            self._surface = clearance.Mesh(source)
        return self._surface


_bodies: dict[int, tuple[weakref.ref[Any], int, _Body]] = {}
"""The bodies of meshes that are still in use, by their ``id``; with a hash of their content."""


def _body(source: Any) -> _Body:
    """The body of a mesh: the one made earlier, if the hash of the mesh is that of its content and has not changed."""
    known = _bodies.get(id(source))
    if known is not None and known[0]() is source and known[1] == hash(source):
        return known[2]
    made, its_hash = _Body(source), getattr(type(source), "__hash__", None)
    if its_hash not in (None, object.__hash__) and hasattr(source, "__weakref__"):
        key = id(source)

        def forget(reference: weakref.ref[Any]) -> None:
            if key in _bodies and _bodies[key][0] is reference:
                del _bodies[key]

        _bodies[key] = weakref.ref(source, forget), hash(source), made
    return made


class _Object:
    """An object with its pose, for the data of contacts and distances."""

    __slots__ = ("body", "name", "pose", "source")

    def __init__(self, name: str, source: Any, body: _Body, pose: clearance.Pose) -> None:
        self.name = name
        self.source = source
        self.body = body
        self.pose = pose


def _external(source: Any, body: _Body, transform: ArrayLike | None) -> _Object:
    return _Object(EXTERNAL, source, body, clearance.Pose(transform))


def _contacts(a: _Object, b: _Object) -> list[ContactData]:
    names, poses = (a.name, b.name), (a.pose, b.pose)
    if a.body.is_convex and b.body.is_convex:
        return _contact_data(names, (a.body.shape, b.body.shape), poses, True)
    found = _contact_data(names, (a.body.surface(a.source), b.body.surface(b.source)), poses, False)
    if found:
        return found
    # One is inside the other, which is a convex solid.
    inside = _distance_data((a.body.shape, b.body.shape), poses)
    return [ContactData(names, _faces(a, b, *inside[1:3]), inside[3][0], [0.0, 0.0, 1.0], 0.0)]


def _faces(a: _Object, b: _Object, part_a: int, part_b: int) -> tuple[int, int]:
    return -1 if a.body.is_convex else part_a, -1 if b.body.is_convex else part_b


def _data(a: _Object, b: _Object, near: _Nearest) -> DistanceData:
    points = near.points
    if points is not None:
        return DistanceData((a.name, b.name), (-1, -1), points, near.value)
    shapes, poses = (a.body.shape, b.body.shape), (a.pose, b.pose)
    value, part_a, part_b, points = _distance_data(shapes, poses)
    return DistanceData((a.name, b.name), _faces(a, b, part_a, part_b), points, value)


class CollisionManager:
    """Many meshes by name: their collisions and distances.

    Results are kept until one of the objects moves, so a call costs what changed since the last one.
    """

    def __init__(self) -> None:
        self._manager = _Manager()
        self._places: dict[str, int] = {}
        self._objects: dict[int, tuple[str, Any, _Body]] = {}

    def add_object(self, name: str, mesh: Any, transform: ArrayLike | None = None) -> None:
        """Adds an object, or replaces the one of this name."""
        body = _body(mesh)
        place = self._manager.put(name, body.shape, body.is_convex, transform, self._places.get(name))
        self._places[name] = place
        self._objects[place] = name, mesh, body

    def remove_object(self, name: str) -> None:
        """Removes an object."""
        place = self._place(name)
        self._manager.remove(place)
        del self._places[name], self._objects[place]

    def set_transform(self, name: str, transform: ArrayLike) -> None:
        """Moves an object to another pose."""
        try:
            place = self._places[name]
        except KeyError:
            raise _unknown(name) from None
        self._manager.move_to(place, transform)

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise _unknown(name)
        return self._places[name]

    def _at(self, place: int) -> _Object:
        return _Object(*self._objects[place], self._manager.pose(place))

    def _name(self, place: int) -> str:
        return self._objects[place][0]

    def in_collision_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether a mesh collides with an object; with the names of those, and a list of ``ContactData``."""
        body = _body(mesh)
        if not return_names and not return_data:
            return self._manager.any_meets(body.shape, body.is_convex, transform)
        found = self._manager.meeting_with(body.shape, body.is_convex, transform)
        answer: list[Any] = [bool(found)]
        if return_names:
            answer.append({self._name(place) for place in found})
        if return_data:
            single = _external(mesh, body, transform)
            answer.append([contact for place in found for contact in _contacts(self._at(place), single)])
        return tuple(answer)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two objects collide; with the pairs of their names, each sorted, and ``ContactData``."""
        if not return_names and not return_data:
            return self._manager.any_meet()
        if not return_data:
            pairs = self._manager.meeting_names()
            return bool(pairs), pairs
        found = self._manager.meeting()
        answer: list[Any] = [bool(found)]
        if return_names:
            names = [(self._name(a), self._name(b)) for a, b in found]
            answer.append({(a, b) if a <= b else (b, a) for a, b in names})
        answer.append([contact for a, b in found for contact in _contacts(self._at(a), self._at(b))])
        return tuple(answer)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether an object collides with one of another manager; with the pairs of names, and ``ContactData``."""
        if not return_names and not return_data:
            return self._manager.any_meet_of(other_manager._manager)
        if not return_data:
            pairs = self._manager.meeting_names_of(other_manager._manager)
            return bool(pairs), pairs
        found, other = self._manager.meeting_of(other_manager._manager), other_manager
        answer: list[Any] = [bool(found)]
        if return_names:
            answer.append({(self._name(a), other._name(b)) for a, b in found})
        answer.append([contact for a, b in found for contact in _contacts(self._at(a), other._at(b))])
        return tuple(answer)

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of a mesh to the nearest object; with its name, and ``DistanceData``."""
        body = _body(mesh)
        found = self._manager.nearest_to(body.shape, body.is_convex, transform)
        if not return_name and not return_data:
            return FARTHEST if found is None else found.value
        if found is None:
            return _distances(FARTHEST, None, None, return_name, return_data)
        data = _data(self._at(found.a), _external(mesh, body, transform), found) if return_data else None
        return _distances(found.value, self._name(found.a), data, return_name, return_data)

    def min_distance_internal(
        self, name: str | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of the nearest two objects, or of one to that nearest it; with names, and ``DistanceData``."""
        found = self._manager.nearest(None if name is None else self._place(name))
        if not return_names and not return_data:
            return FARTHEST if found is None else found.value
        if found is None:
            return _distances(FARTHEST, None, None, return_names, return_data)
        names = tuple(sorted((self._name(found.a), self._name(found.b))))
        data = _data(self._at(found.a), self._at(found.b), found) if return_data else None
        return _distances(found.value, names, data, return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of the nearest objects of two managers; with their names, and ``DistanceData``."""
        found = self._manager.nearest_of(other_manager._manager)
        if not return_names and not return_data:
            return FARTHEST if found is None else found.value
        if found is None:
            return _distances(FARTHEST, None, None, return_names, return_data)
        names = self._name(found.a), other_manager._name(found.b)
        data = _data(self._at(found.a), other_manager._at(found.b), found) if return_data else None
        return _distances(found.value, names, data, return_names, return_data)


def _unknown(name: str) -> ValueError:
    return ValueError(f"{name} not in collision manager!")


def _distances(distance: float, names: Any, data: DistanceData | None, return_names: bool, return_data: bool) -> Any:
    answer: list[Any] = [distance]
    if return_names:
        answer.append(names)
    if return_data:
        answer.append(data)
    return tuple(answer)
