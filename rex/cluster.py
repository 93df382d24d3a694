"""A Dask cluster that does independent work; the only importer of distributed."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from rex.errors import UsageError
from rex.extras import missing

_PATIENCE_S = 30


def connect(address: str) -> Any:
    """A client of the cluster, which has at least one worker; close it after use.

    Raises:
        UsageError: there is no such cluster, it has no workers, or Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise missing("dask", "--dask needs Dask") from error
    try:
        client = Client(address, timeout="5s")
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"no Dask scheduler at {address}", str(error), "start one with: dask scheduler") from error
    try:
        client.wait_for_workers(1, timeout=_PATIENCE_S)
    except TimeoutError as error:
        client.close()
        raise UsageError(f"the Dask cluster at {address} has no workers", "",
                         "start one with: dask worker") from error
    return client


def worker_count(client: Any) -> int:
    """How many workers a cluster has."""
    return len(client.scheduler_info(n_workers=-1)["workers"])


def in_order(client: Any, work: Callable[[Any], Any], jobs: list[Any]) -> Iterator[Any]:
    """What a function gives for each job, in order, computed side by side.

    Raises:
        UsageError: the cluster cannot run it.
    """
    futures = [client.submit(work, job, pure=False) for job in jobs]
    try:
        for future in futures:
            yield future.result()
    except (RuntimeError, ImportError) as error:
        raise UsageError("the Dask cluster cannot run Rex", str(error).strip().splitlines()[0],
                         "its scheduler and workers need the same Rex and Python") from error
    finally:
        client.cancel(futures)
