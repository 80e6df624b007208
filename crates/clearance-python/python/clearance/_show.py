"""Pages to look at: bodies and answers in three dimensions, as ``clearance --html`` shows them."""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Iterable
from typing import Any, Literal, overload

from clearance import _clearance
from clearance._clearance import Assembly, Mesh, NoElementaryImpact, NoHit, NoImpact, Part, Pose, Shape
from clearance._types import ClearanceError, triangles_of

_AXES = {"x": 0, "y": 1, "z": 2}

_ANSWERS = (
    _clearance.ClosestPoint,
    _clearance.Contacts,
    _clearance.DepthAlong,
    _clearance.Distance,
    _clearance.FirstImpact,
    _clearance.Impact,
    _clearance.LeastClearance,
    _clearance.LocalDepth,
    _clearance.PairEvent,
    _clearance.Penetration,
    _clearance.RayHit,
    _clearance.RelationProof,
    _clearance.RigidImpact,
    _clearance.RobotSweep,
    _clearance.SelfIntersections,
    _clearance.SignedDistance,
    _clearance.SolidDepth,
    _clearance.StepCollisions,
    _clearance.Volume,
)


class Page:
    """A page to look at: one HTML document that fetches nothing. In a notebook it shows itself."""

    html: str
    """The document."""
    height: int
    """How high it is in a notebook, in pixels."""

    def __init__(self, html: str, height: int = 600) -> None:
        self.html = html
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the document to a file."""
        path = pathlib.Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def open(self) -> pathlib.Path:
        """Writes the document to a temporary file, which stays, and opens it in the browser."""
        folder = tempfile.mkdtemp(prefix="clearance-")
        path = self.save(pathlib.Path(folder) / "page.html")
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        """What a notebook shows: the document in a frame of its own."""
        document = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{document}" sandbox="allow-scripts allow-popups" title="clearance" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Page({len(self.html)} characters)"


_Body = tuple[str | None, Shape, Pose]


def _is_body(thing: Any) -> bool:
    return isinstance(thing, Shape) or triangles_of(thing) is not None


def _shape_of(thing: Any) -> Shape:
    return thing if isinstance(thing, Shape) else Mesh(thing)


def _pose_of(pose: Any) -> Pose:
    return pose if isinstance(pose, Pose) else Pose(pose)


def _collect(thing: Any, bodies: list[_Body], answers: list[Any]) -> None:
    """Adds a thing, or everything in it, to the bodies or the answers."""
    # Nothing to be seen: a ray that misses, bodies that do not touch.
    if thing is None or isinstance(thing, NoHit | NoImpact | NoElementaryImpact):
        return
    if isinstance(thing, _ANSWERS):
        answers.append(thing)
    elif isinstance(thing, Part):
        bodies.append((thing.name, thing.mesh, thing.pose))
    elif isinstance(thing, Assembly):
        _collect(thing.parts, bodies, answers)
    elif isinstance(thing, tuple) and len(thing) in (2, 3) and isinstance(thing[0], str) and _is_body(thing[1]):
        bodies.append((thing[0], _shape_of(thing[1]), _pose_of(thing[2] if len(thing) == 3 else None)))
    elif isinstance(thing, tuple) and len(thing) == 2 and _is_body(thing[0]) and not isinstance(thing[1], _ANSWERS):
        bodies.append((None, _shape_of(thing[0]), _pose_of(thing[1])))
    elif _is_body(thing):
        bodies.append((None, _shape_of(thing), Pose()))
    elif isinstance(thing, Iterable) and not isinstance(thing, (str, bytes)):
        for each in thing:
            _collect(each, bodies, answers)
    else:
        raise ClearanceError(
            f"things: a {type(thing).__name__} cannot be shown: give bodies, pairs of a body and a pose, and answers",
            "things",
        )


@overload
def show(
    *things: Any,
    path: None = None,
    title: str = ...,
    unit: str | None = ...,
    up: Literal["x", "y", "z"] = ...,
    open: bool = ...,
    height: int = ...,
) -> Page: ...


@overload
def show(
    *things: Any,
    path: str | os.PathLike[str],
    title: str = ...,
    unit: str | None = ...,
    up: Literal["x", "y", "z"] = ...,
    open: bool = ...,
    height: int = ...,
) -> pathlib.Path: ...


def show(
    *things: Any,
    path: str | os.PathLike[str] | None = None,
    title: str = "clearance",
    unit: str | None = None,
    up: Literal["x", "y", "z"] = "z",
    open: bool = False,
    height: int = 600,
) -> Page | pathlib.Path:
    """Shows bodies and answers in three dimensions, on the page that ``clearance --html`` writes.

    ``things`` are bodies, ``(body, pose)``, ``(name, body)``, ``(name, body, pose)``, a ``Part`` or an ``Assembly``,
    answers, and lists or batches of these. An answer brings its bodies along; one that is shown already, the same
    object at the same pose, is not shown twice. What an answer says stands beside the picture with its bracket, and
    its points, contact loops, separating translation and overlap volume are drawn.

    With ``path`` the page is written there, and the path returned. Without, the ``Page`` is returned, which shows
    itself in a notebook. ``open`` opens it in the browser. ``unit`` is the unit of all lengths, for the words; ``up``
    the axis that is upward.

    Raises ``ClearanceError`` if the package was built without the page, and names the command that makes it.
    """
    if up not in _AXES:
        raise ClearanceError(f"up: {up!r} is not an axis: give 'x', 'y' or 'z'", "up")
    bodies: list[_Body] = []
    answers: list[Any] = []
    for thing in things:
        _collect(thing, bodies, answers)
    if not bodies and not answers:
        raise ClearanceError("things: nothing to show", "things")
    page = Page(_clearance._page(title, unit, _AXES[up], bodies, answers), height)
    if path is None:
        if open:
            page.open()
        return page
    written = page.save(path)
    if open:
        webbrowser.open(written.resolve().as_uri())
    return written
