"""A Dask cluster that does independent work; the only importer of distributed."""

from __future__ import annotations

import time
from asyncio import CancelledError as AsyncCancelledError
from concurrent.futures import CancelledError
from typing import Any, Callable, Iterator, Sequence

from rex.errors import OwnFailure, UsageError
from rex.extras import missing

TASKS_PER_WORKER = 2
_PATIENCE_S, _LOOK_S = 30, 1
_WORTH = 0.9           # a split must make the longest task shorter by a tenth


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


def ended(client: Any, work: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """The number of each job and what a function gave for it, as they end. What a lost worker did is done again by another.

    Raises:
        UsageError: the cluster cannot run it.
        OwnFailure: it lost its workers.
    """
    numbers = {client.submit(work, job, pure=False): number for number, job in enumerate(jobs)}
    try:
        while numbers:
            for future in _some_ended(client, list(numbers)):
                yield numbers.pop(future), _result(future)
    finally:
        client.cancel(list(numbers))


def in_order(client: Any, work: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[Any]:
    """As `ended`, but in the order of the jobs."""
    found: dict[int, Any] = {}
    at = 0
    for number, result in ended(client, work, jobs):
        found[number] = result
        while at in found:
            yield found.pop(at)
            at += 1


def _some_ended(client: Any, futures: list[Any]) -> Any:
    """At least one future that has ended."""
    from distributed import wait
    last_seen = time.monotonic()
    while True:
        try:
            return wait(futures, timeout=_LOOK_S, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            now = time.monotonic()
            last_seen = now if worker_count(client) else last_seen
            if now - last_seen > _PATIENCE_S:
                raise OwnFailure("the Dask cluster lost all its workers", "", "start some, and run the command again") from None
        except (CancelledError, AsyncCancelledError) as error:
            raise _lost() from error


def _result(future: Any) -> Any:
    from distributed import KilledWorker
    try:
        return future.result()
    except KilledWorker as error:
        raise OwnFailure("workers of the Dask cluster died, one after the other, with the same job", "", "see their logs; they may lack memory") from error
    except (CancelledError, AsyncCancelledError) as error:
        raise _lost() from error
    except (RuntimeError, ImportError) as error:
        raise UsageError("the Dask cluster cannot run Rex", str(error).strip().splitlines()[0],
                         "its scheduler and workers need the same Rex and Python") from error


def _lost() -> OwnFailure:
    return OwnFailure("the connection to the Dask scheduler was lost", "", "see its log, and run the command again")


def share_out(whole: list[str], count: int, cost_s: Callable[[list[str]], float], halve: Callable[[list[str]], list[list[str]]]) -> list[list[str]]:
    """Names in up to `count` groups, so that the longest group is short and little is run twice; the longest group comes first.

    Args:
        cost_s: seconds for a group, what its members share counted once.
        halve: two groups of one, or none if that makes no sense.
    """
    groups = [whole]
    while len(groups) < count:
        longest = max(groups, key=cost_s)
        halves = halve(longest)
        if not halves or max(map(cost_s, halves)) > _WORTH * cost_s(longest):
            break
        groups.remove(longest)
        groups += halves
    return sorted(groups, key=lambda group: -cost_s(group))
