"""Batches of poses, pairs and robot configurations on a Ray cluster. Needs the package ``ray``, initialised.

>>> import ray  # doctest: +SKIP
>>> ray.init()  # doctest: +SKIP
>>> with Cluster() as cluster:  # doctest: +SKIP
...     cluster.distance_batch(part, fixture, poses).value.min()
"""

from __future__ import annotations

from typing import Any

import ray

from clearance.clusters._base import Body, answer
from clearance.clusters._base import Cluster as _Cluster

__all__ = ["Cluster"]


class _Worker:
    """Actor that keeps the bodies and robots sent to it; a Ray task would deserialise them on every call."""

    def __init__(self) -> None:
        self._bodies: dict[int, Body] = {}

    def keep(self, handle: int, body: Body) -> None:
        self._bodies[handle] = body

    def forget(self) -> None:
        self._bodies.clear()

    def answer(self, question: str, handles: list[int], arrays: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return answer(question, [self._bodies[handle] for handle in handles], arrays, options)


class Cluster(_Cluster):
    """The batch functions of the package, run on Ray actors.

    Each body or robot is put into the object store once, and every actor fetches it once. ``close`` kills the actors.

    Parameters
    ----------
    workers
        Number of actors; by default one per CPU of the cluster.
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__()
        count = workers or int(ray.cluster_resources().get("CPU", 1))
        worker_class = ray.remote(_Worker)
        self._actors = [worker_class.remote() for _ in range(count)]
        self._next = 0

    @property
    def workers(self) -> int:
        return len(self._actors)

    def _send(self, body: Body) -> int:
        stored = ray.put(body)
        self._next += 1
        # An actor runs its calls in order, so the body arrives before the first query that needs it.
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
        """Kill the actors."""
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
