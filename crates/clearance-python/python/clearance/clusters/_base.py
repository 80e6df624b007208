"""Base class of the cluster adapters: batches are split into parts; bodies and robots are sent to each worker once.

A part is small: the name of the query, the handles of its bodies, and poses. The results hold no bodies either, so a
mesh and its tree travel to each worker once and never back. The answers are bit-identical to those of one process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import clearance

Body = clearance.Shape | clearance.Robot
"""What is sent to workers and kept there."""

CLASSES: dict[str, Any] = {
    "distance": clearance.Distances,
    "penetration": clearance.Penetrations,
    "overlap_volume": clearance.Volumes,
    "time_of_impact": clearance.Impacts,
    "rigid_impact": clearance.RigidImpacts,
    "least_clearance": clearance.LeastClearances,
}
"""Result classes of the queries that do not return plain arrays."""

MOTION_QUERIES = ("rigid_impact", "least_clearance")
"""Queries that take lists of motions."""

ROBOT_QUERIES = ("check_batch", "distances_batch", "sweep_batch")
"""Queries that are methods of ``Robot``."""

PARTS_PER_WORKER = 4
"""Parts per worker that a batch is split into; more parts balance the load better."""


def answer(question: str, bodies: Sequence[Body], arrays: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Answer one part on a worker. Arrays are returned as they are, other results without their inputs."""
    if question in ROBOT_QUERIES:
        found = getattr(bodies[0], question)(*arrays, **options)
    elif question.endswith("_pair_batch"):
        found = getattr(clearance, question)(bodies, *arrays, **options)
    else:
        found = getattr(clearance, question)(*bodies, *arrays, **options)
    return found if isinstance(found, (np.ndarray, clearance.RobotChecks)) else found._state()


def _matrices(poses: Any) -> NDArray[np.float64]:
    if isinstance(poses, list) and poses and isinstance(poses[0], clearance.Pose):
        return np.stack([pose.matrix for pose in poses])
    matrices = np.asarray(poses, dtype=np.float64)
    if matrices.ndim != 3:
        raise clearance.ClearanceError(f"poses: the shape is {matrices.shape}, not (N, 4, 4) or (N, 3, 4)", "poses")
    return matrices


class Cluster(ABC):
    """Batch queries on many workers.

    The methods take the arguments of the functions of the same names in ``clearance``, and those of the methods of
    ``clearance.Robot``, plus ``part``: the number of queries per part (default: four parts per worker).
    """

    def __init__(self) -> None:
        # Keyed by `id`. Holding the body keeps its id from being reused.
        self._sent: dict[int, tuple[Body, Any]] = {}

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of workers."""

    @abstractmethod
    def _send(self, body: Body) -> Any:
        """Send a body or a robot to all workers and return its handle."""

    @abstractmethod
    def _ask(self, parts: list[tuple[str, list[Any], tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
        """Answer all parts (query, body handles, arrays, options) on the workers; results in the order of the parts."""

    def handle(self, body: Body) -> Any:
        """Return the handle of a body or a robot, sending it to the workers if it is new."""
        if id(body) not in self._sent:
            self._sent[id(body)] = (body, self._send(body))
        return self._sent[id(body)][1]

    def forget(self) -> None:
        """Drop all bodies and robots that were sent."""
        self._sent.clear()

    def _slices(self, count: int, part: int | None, step: int = 1) -> list[slice]:
        size = part or max(1, -(-count // (PARTS_PER_WORKER * max(1, self.workers))))
        size = -(-size // step) * step
        return [slice(start, min(start + size, count)) for start in range(0, count, size)]

    def _batch(
        self,
        question: str,
        bodies: tuple[clearance.Shape, clearance.Shape],
        along: list[Any],
        last: Any,
        part: int | None,
        options: dict[str, Any],
    ) -> Any:
        """Run a batch. ``along`` has one row per query; ``last`` is shared, or an array with one row per query."""

        def restored(answers: Any) -> Any:
            return answers._of_motions if question in MOTION_QUERIES else answers._of_poses

        each = last is not None and getattr(last, "ndim", 0) == 3
        handles = [self.handle(body) for body in bodies]
        parts = [
            (
                question + "_batch",
                handles,
                (*(rows[rows_of] for rows in along), last[rows_of] if each else last),
                options,
            )
            for rows_of in self._slices(len(along[0]), part)
        ]
        return self._joined(question, self._ask(parts), restored, (*bodies, *along, last))

    def _pair_batch(
        self,
        question: str,
        shapes: Iterable[clearance.Shape],
        pairs: ArrayLike,
        poses: Any,
        part: int | None,
        options: dict[str, Any],
    ) -> Any:
        bodies, numbers = list(shapes), np.asarray(pairs).reshape(-1, 2)
        places = np.tile(np.eye(4), (len(bodies), 1, 1)) if poses is None else _matrices(poses)
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < len(bodies)):
            raise clearance.ClearanceError("pairs: index out of range", "pairs")
        parts = []
        for rows in self._slices(len(numbers), part):
            # Send only the bodies of this part, with indices into that subset.
            used, own = np.unique(numbers[rows], return_inverse=True)
            handles = [self.handle(bodies[body]) for body in used]
            parts.append((question + "_pair_batch", handles, (own.reshape(-1, 2), places[used]), options))
        return self._joined(question, self._ask(parts), lambda it: it._of_pairs, (bodies, numbers, places))

    def _robot_batch(
        self,
        question: str,
        robot: clearance.Robot,
        along: list[Any],
        part: int | None,
        options: dict[str, Any],
        step: int = 1,
    ) -> list[Any]:
        """Query a robot for arrays of configurations; the size of a part is a multiple of ``step``."""
        handles = [self.handle(robot)]
        return self._ask(
            [
                (question, handles, tuple(rows[rows_of] for rows in along), options)
                for rows_of in self._slices(len(along[0]), part, step)
            ]
        )

    @staticmethod
    def _joined(question: str, found: list[Any], restore: Any, asked: tuple[Any, ...]) -> Any:
        if question in CLASSES:
            return restore(CLASSES[question])(found, *asked)
        return np.concatenate(found) if found else np.empty(0, np.int8 if question == "relation" else np.bool_)

    def relation_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        poses: ArrayLike,
        pose_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> NDArray[np.int8]:
        found: NDArray[np.int8] = self._batch("relation", (a, b), [_matrices(poses)], pose_a, part, options)
        return found

    def intersects_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        poses: ArrayLike,
        pose_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._batch("intersects", (a, b), [_matrices(poses)], pose_a, part, options)
        return found

    def distance_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        poses: ArrayLike,
        pose_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.Distances:
        found: clearance.Distances = self._batch("distance", (a, b), [_matrices(poses)], pose_a, part, options)
        return found

    def penetration_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        poses: ArrayLike,
        pose_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.Penetrations:
        found: clearance.Penetrations = self._batch("penetration", (a, b), [_matrices(poses)], pose_a, part, options)
        return found

    def overlap_volume_batch(
        self, a: clearance.Shape, b: clearance.Shape, poses: ArrayLike, pose_a: Any = None, *, part: int | None = None
    ) -> clearance.Volumes:
        found: clearance.Volumes = self._batch("overlap_volume", (a, b), [_matrices(poses)], pose_a, part, {})
        return found

    def time_of_impact_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        poses: ArrayLike,
        displacements: ArrayLike,
        motion_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.Impacts:
        along = [_matrices(poses), np.asarray(displacements, dtype=np.float64)]
        found: clearance.Impacts = self._batch("time_of_impact", (a, b), along, motion_a, part, options)
        return found

    def sweeps_meet_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        poses: ArrayLike,
        displacements: ArrayLike,
        motion_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> NDArray[np.bool_]:
        along = [_matrices(poses), np.asarray(displacements, dtype=np.float64)]
        found: NDArray[np.bool_] = self._batch("sweeps_meet", (a, b), along, motion_a, part, options)
        return found

    def rigid_impact_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        motions: Iterable[Any],
        motion_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.RigidImpacts:
        found: clearance.RigidImpacts = self._batch("rigid_impact", (a, b), [list(motions)], motion_a, part, options)
        return found

    def least_clearance_batch(
        self,
        a: clearance.Shape,
        b: clearance.Shape,
        motions: Iterable[Any],
        motion_a: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.LeastClearances:
        along = [list(motions)]
        found: clearance.LeastClearances = self._batch("least_clearance", (a, b), along, motion_a, part, options)
        return found

    def relation_pair_batch(
        self,
        shapes: Iterable[clearance.Shape],
        pairs: ArrayLike,
        poses: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> NDArray[np.int8]:
        found: NDArray[np.int8] = self._pair_batch("relation", shapes, pairs, poses, part, options)
        return found

    def intersects_pair_batch(
        self,
        shapes: Iterable[clearance.Shape],
        pairs: ArrayLike,
        poses: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._pair_batch("intersects", shapes, pairs, poses, part, options)
        return found

    def distance_pair_batch(
        self,
        shapes: Iterable[clearance.Shape],
        pairs: ArrayLike,
        poses: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.Distances:
        found: clearance.Distances = self._pair_batch("distance", shapes, pairs, poses, part, options)
        return found

    def penetration_pair_batch(
        self,
        shapes: Iterable[clearance.Shape],
        pairs: ArrayLike,
        poses: Any = None,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.Penetrations:
        found: clearance.Penetrations = self._pair_batch("penetration", shapes, pairs, poses, part, options)
        return found

    def overlap_volume_pair_batch(
        self, shapes: Iterable[clearance.Shape], pairs: ArrayLike, poses: Any = None, *, part: int | None = None
    ) -> clearance.Volumes:
        found: clearance.Volumes = self._pair_batch("overlap_volume", shapes, pairs, poses, part, {})
        return found

    def check_batch(self, robot: clearance.Robot, q: ArrayLike, *, part: int | None = None) -> clearance.RobotChecks:
        rows = robot._checked(q, "q")
        found = self._robot_batch("check_batch", robot, [rows], part, {})
        if not found:
            return robot.check_batch(rows)
        return clearance.RobotChecks(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def distances_batch(
        self, robot: clearance.Robot, q: ArrayLike, *, part: int | None = None
    ) -> clearance.RobotDistances:
        rows = robot._checked(q, "q")
        # Split where a single process starts a new piece: the last digits depend on the cache of the previous query.
        found = self._robot_batch("distances_batch", robot, [rows], part, {}, robot._PIECE)
        return clearance.RobotDistances._restore(robot, rows, found)

    def sweep_batch(
        self,
        robot: clearance.Robot,
        start: ArrayLike,
        end: ArrayLike,
        *,
        part: int | None = None,
        **options: Any,
    ) -> clearance.RobotSweeps:
        first, last = robot._checked(start, "start"), robot._checked(end, "end")
        if len(first) != len(last):
            raise clearance.ClearanceError(f"end: expected {len(first)} rows, as in start, got {len(last)}", "end")
        found = self._robot_batch("sweep_batch", robot, [first, last], part, options)
        return clearance.RobotSweeps._restore(robot, first, last, found, **options)
