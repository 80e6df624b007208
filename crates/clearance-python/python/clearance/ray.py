"""Batches of poses, of pairs and of robots on the workers of a Ray cluster. Needs the package ``ray``, initialised.

>>> import ray  # doctest: +SKIP
>>> ray.init()  # doctest: +SKIP
>>> with Cluster() as cluster:  # doctest: +SKIP
...     cluster.distance_batch(part, fixture, poses).value.min()
"""

from __future__ import annotations

from typing import Any

import ray

from clearance._cluster import Body, answer
from clearance._cluster import Cluster as _Cluster

__all__ = ["Cluster"]


class _Worker:
    """An actor, which keeps the bodies and robots it was sent: a task of Ray would unpack them anew each time."""

    def __init__(self) -> None:
        self._bodies: dict[int, Body] = {}

    def keep(self, handle: int, body: Body) -> None:
        self._bodies[handle] = body

    def forget(self) -> None:
        self._bodies.clear()

    def answer(self, question: str, handles: list[int], arrays: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return answer(question, [self._bodies[handle] for handle in handles], arrays, options)


class Cluster(_Cluster):
    """The batches of the package, on actors: one for each processor of the cluster, or as many as asked for.

    A body or a robot is put into the object store once, from which every actor takes it once. ``close`` ends them.
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__()
        count = workers or int(ray.cluster_resources().get("CPU", 1))
        made = ray.remote(_Worker)
        self._actors = [made.remote() for _ in range(count)]
        self._next = 0

    @property
    def workers(self) -> int:
        return len(self._actors)

    def _send(self, body: Body) -> int:
        stored = ray.put(body)
        self._next += 1
        # An actor works off its calls in order, so a body is there before the first question about it.
        for actor in self._actors:
            actor.keep.remote(self._next, stored)
        return self._next

    def forget(self) -> None:
        super().forget()
        ray.get([actor.forget.remote() for actor in self._actors])

    def _ask(self, parts: list[tuple[str, list[Any], tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
        pool = ray.util.ActorPool(self._actors)
        found: list[Any] = list(pool.map(lambda actor, part: actor.answer.remote(*part), parts))
        return found

    def close(self) -> None:
        """Ends the actors."""
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
