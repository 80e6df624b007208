"""Batches of poses, of pairs and of robots on the workers of a Dask cluster. Needs the package ``distributed``.

>>> from distributed import Client  # doctest: +SKIP
>>> cluster = Cluster(Client())  # doctest: +SKIP
>>> cluster.distance_batch(part, fixture, poses).value.min()  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from distributed import Client

from clearance._cluster import Body, answer
from clearance._cluster import Cluster as _Cluster

__all__ = ["Cluster"]


class Cluster(_Cluster):
    """The batches of the package, on the workers of a client. Bodies and robots are scattered to all, each once."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    @property
    def workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _send(self, body: Body) -> Any:
        return self._client.scatter(body, broadcast=True, hash=False)

    def _ask(self, parts: list[tuple[str, list[Any], tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
        # Futures in a list are replaced by what they stand for, on the worker.
        asked = [self._client.submit(answer, *part, pure=False) for part in parts]
        found: list[Any] = self._client.gather(asked)
        return found
