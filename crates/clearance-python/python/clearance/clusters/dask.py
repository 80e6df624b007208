"""Batches of poses, pairs and robot configurations on a Dask cluster. Needs the package ``distributed``.

>>> from distributed import Client  # doctest: +SKIP
>>> cluster = Cluster(Client())  # doctest: +SKIP
>>> cluster.distance_batch(part, fixture, poses).value.min()  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from distributed import Client

from clearance.clusters._base import Body, answer
from clearance.clusters._base import Cluster as _Cluster

__all__ = ["Cluster"]


class Cluster(_Cluster):
    """The batch functions of the package, run on the workers of a Dask client.

    Each body or robot is scattered once, to all workers.

    Parameters
    ----------
    client
        A connected Dask client.
    """

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    @property
    def workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _send(self, body: Body) -> Any:
        return self._client.scatter(body, broadcast=True, hash=False)

    def _ask(self, parts: list[tuple[str, list[Any], tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
        # Dask replaces futures inside a list by their values on the worker.
        asked = [self._client.submit(answer, *part, pure=False) for part in parts]
        found: list[Any] = self._client.gather(asked)
        return found
