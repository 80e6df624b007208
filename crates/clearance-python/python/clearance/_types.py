"""Plain types of the package, and the exceptions. The extension module makes values of them."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from clearance._clearance import Distance


class Relation(IntEnum):
    """The relation of two bodies: the sign of the gap."""

    OVERLAPPING = -1
    """A negative gap is proved: the interiors meet."""
    TOUCHING = 0
    """The bracket of the gap contains zero: to the accuracy of the poses they touch."""
    SEPARATED = 1
    """A positive gap is proved."""


class FeatureKind(IntEnum):
    """The kind of a feature."""

    VERTEX = 0
    EDGE = 1
    FACE = 2
    INTERIOR = 3
    """A point that need not lie on the boundary."""


class Feature(NamedTuple):
    """A part of a body's boundary, in the caller's numbering; -1 for the interior.

    Of a mesh a vertex counts its vertices, a face its faces, and the edge ``3 * face + k`` runs from corner ``k`` of
    a face to the next.
    """

    kind: FeatureKind
    number: int


class PlaneSide(IntEnum):
    """On which side of the plane of another triangle a triangle lies."""

    BACK = -1
    IN = 0
    FRONT = 1
    BOTH = 2


class SelfIntersectionKind(IntEnum):
    """How two triangles of a mesh meet."""

    RIMS = 0
    """Only their edges and corners meet."""
    CROSSING = 1
    """In a point or a segment with points strictly inside one of them."""
    OVERLAP = 2
    """They are coplanar and share an area."""


class Bracket(NamedTuple):
    """A number with its proof: ``lower <= truth <= upper``."""

    value: float
    lower: float
    upper: float


class DepthLevel(NamedTuple):
    """The work of a level of the hull trees in a search for a depth."""

    level: int
    pairs: int
    kept: int
    depth: float


class TreeStatistics(NamedTuple):
    """Statistics of the tree of boxes over the triangles of a mesh."""

    nodes: int
    """Nodes of eight boxes."""
    leaves: int
    """Leaves of up to eight triangles."""
    depth: int
    """Nodes on the longest path from the root to a leaf."""
    cost: float
    """By the surface area heuristic: how many boxes a line that meets the box of the mesh meets on average."""


class Rim(NamedTuple):
    """The rim of a hole: edges of one triangle each, one after the other."""

    points: np.ndarray[Any, Any]
    """The points along it, as the mesh given numbers them."""
    is_closed: bool
    """Whether the last point is connected to the first."""
    length: float
    """The length of all its edges, rounded."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rim):
            return NotImplemented
        same = np.array_equal(self.points, other.points)
        return bool(same and self.is_closed == other.is_closed and self.length == other.length)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'Rim'")


class FilledHole(NamedTuple):
    """A hole that was closed."""

    rim: Rim
    """Its rim."""
    triangles: int
    """How many triangles close it."""


class Note(NamedTuple):
    """Something that a reader of a file changed or left out: what happened, how often, and where first."""

    kind: str
    path: str
    place: str | None
    times: int
    what: str

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        return f"{self.path}: {where}{self.kind}: {self.times} {self.what}"


class RobotCheck(NamedTuple):
    """Whether a configuration of a robot collides: true if it does."""

    pair: tuple[str, str] | None
    """The names of the pair found to meet; None if the configuration is free."""

    @property
    def free(self) -> bool:
        """Whether nothing meets."""
        return self.pair is None

    def __bool__(self) -> bool:
        return self.pair is not None


class RobotChecks(NamedTuple):
    """Which of many configurations of a robot are free, and which pair the others collide in."""

    free: NDArray[np.bool_]
    """(N,): whether nothing meets."""
    pair: NDArray[np.int64]
    """(N,): the index in ``Robot.pairs`` of the pair found to meet; -1 where none does."""


class RobotContact(NamedTuple):
    """Where two links of a robot meet, or a link and an object, padding included."""

    pair: tuple[str, str]
    """Their names."""
    point: NDArray[np.float64]
    """A common point, or halfway between the nearest where only the padding meets, in the world."""
    normal: NDArray[np.float64] | None
    """Unit, in the world, from the first towards the second; None where it is undefined."""


class LinkPair(NamedTuple):
    """Two links of a robot: whether they need a check, and how sure that is."""

    links: tuple[str, str]
    """Their names."""
    reason: str
    """Why they need no check, as an SRDF has it: ``Adjacent``, ``Default``, ``Always``, ``Never``; empty if they do."""
    met: int
    """In how many of the random configurations they met."""
    smallest_distance: float | None
    """The smallest distance seen, in metres, proved from below; None without trials."""
    proof: str
    """The outcome of the proof that they never meet: ``proved``; ``refuted``, as they meet, though no sample saw it;
    ``open``, as the budget ended or a joint has no limits; ``none`` was tried."""
    boxes: int
    """How many boxes of joint values the proof tested; 0 for links that do not move against each other."""
    meets_at: tuple[float, ...] | None
    """A configuration in which they meet, where the proof was refuted."""


class CollisionMatrix(NamedTuple):
    """The allowed-collision matrix of a robot."""

    pairs: tuple[LinkPair, ...]
    """Every two links that have geometry, in the order of the file."""
    trials: int
    """How many random configurations were tested."""
    seed: int
    """The seed of the first."""
    srdf: str
    """The text of an SRDF with the pairs that need no check, as ``Robot`` reads it from a file."""


class MotionBounds(NamedTuple):
    """Bounds on the motion of a body, from the time of the call until the next call. Angular numbers are bounds for
    that whole time, in radians."""

    radius: float = 0.0
    """No point of the body is farther from its centre of mass than this."""
    velocity: tuple[float, float, float] | NDArray[np.float64] = (0.0, 0.0, 0.0)
    """That of its centre of mass."""
    acceleration: float = 0.0
    """A bound on the length of that of its centre of mass."""
    angular_velocity: float = 0.0
    """A bound on it."""
    angular_acceleration: float = 0.0
    """A bound on it."""


class ScheduledContacts(NamedTuple):
    """What ``World.next_contacts`` found."""

    contacts: list[tuple[int, int, Distance]]
    """The pairs that are in contact, or not farther apart than the margin of their rule, by their handles."""
    looked_at: int
    """How many distances were computed."""


class FileWarning(UserWarning):
    """Geometry of a file was omitted."""


class ClearanceError(ValueError):
    """An invalid argument or request. ``argument`` names the argument at fault."""

    argument: str | None
    """The argument at fault, with its index if it is one of many."""

    def __init__(self, message: str, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__


class OutOfMemoryError(ClearanceError, MemoryError):
    """The call needs more memory than is free, or exceeds a limit of the engine. Nothing was done."""


class NotSolidError(ClearanceError):
    """A mesh does not bound a solid."""

    edges: NDArray[np.uint32]
    """The edges at fault, (K, 2): those that do not join two triangles wound alike."""
    triangles: tuple[int, int] | None
    """Two triangles that run through each other, if that is what is wrong."""
    volume: float | None
    """The volume, which is negative, of a mesh that is wound inside out."""

    def __init__(
        self,
        message: str,
        argument: str | None = None,
        edges: NDArray[np.uint32] | None = None,
        triangles: tuple[int, int] | None = None,
        volume: float | None = None,
    ) -> None:
        super().__init__(message, argument)
        self.edges = np.empty((0, 2), np.uint32) if edges is None else edges
        self.triangles = triangles
        self.volume = volume


class FileError(ClearanceError):
    """A file cannot be read."""

    path: str | None
    """The file."""
    place: str | None
    """Where in it: a line, a byte, a path of JSON."""

    def __init__(
        self, message: str, argument: str | None = None, path: str | None = None, place: str | None = None
    ) -> None:
        super().__init__(message, argument)
        self.path = path
        self.place = place


class NoSuchBodyError(ClearanceError):
    """An invalid handle: the body was removed, or belongs to another world."""


class NotProvedError(ClearanceError):
    """An answer that ``verify`` refuses."""

    index: int | None
    """Which of many answers."""

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


def triangles_of(body: Any) -> tuple[Any, Any] | None:
    """Vertices and faces of an object of trimesh, Open3D or PyVista, or of any other that has them; else None."""
    if hasattr(body, "vertices") and hasattr(body, "faces"):  # trimesh
        return np.asarray(body.vertices), np.asarray(body.faces)
    if hasattr(body, "vertices") and hasattr(body, "triangles"):  # Open3D
        return np.asarray(body.vertices), np.asarray(body.triangles)
    if hasattr(body, "to_legacy") and hasattr(body, "triangle"):  # Open3D, the geometry of tensors
        return triangles_of(body.to_legacy())
    if hasattr(body, "points") and hasattr(body, "faces"):  # PyVista: the size of each polygon, then its corners
        faces = np.asarray(body.faces)
        if faces.ndim == 2 and faces.shape[1] == 3:
            return np.asarray(body.points), faces
        if faces.size % 4 or (faces.reshape(-1, 4)[:, 0] != 3).any():
            raise ClearanceError("not all faces are triangles: call `triangulate()` first", "faces")
        return np.asarray(body.points), faces.reshape(-1, 4)[:, 1:]
    return None
