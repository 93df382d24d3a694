"""The cache of facts: each log is read once (docs/formats/steps.md)."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from typing import TYPE_CHECKING, Any

from rex.cacheplace import cache_root
from rex.archive.locks import write_atomically
from rex.trees.facts import ProcessFacts, RunFacts, Standard, Use
from rex.trees.reader import read_facts

if TYPE_CHECKING:
    from rex.archive import Experiment

FORMAT = 12
_MAX_BYTES = 1 << 28


def load_facts(experiment: "Experiment") -> RunFacts:
    """The facts of a finished experiment: from the cache, or from its log.

    Raises:
        NotFound: it is unfinished or has no log.
        Damaged, TooNew: it cannot be read.
    """
    path = os.path.join(cache_root(), "steps", f"{experiment.identity}.json.gz")
    try:
        with gzip.open(path, "rb") as file:
            found = decode(json.loads(file.read(_MAX_BYTES)))
        if found:
            return found
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):    # none yet, or a crash cut it
        pass
    facts = read_facts(experiment)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_atomically(path, gzip.compress(json.dumps(encode(facts)).encode(), 3), is_durable=False)
    except OSError:        # without a cache it is read again
        pass
    return facts


def encode(facts: RunFacts) -> dict[str, Any]:
    """The form that is kept."""
    return {"format": FORMAT, "processes": [{**vars(each), "standard": [vars(one) for one in each.standard]} for each in facts.processes.values()],
            "uses": [[use.at, use.process, use.kind, use.path, use.value, use.name] for use in facts.uses],
            "environments": facts.environments, "ties": facts.ties, "linked": facts.linked}


def decode(data: dict[str, Any]) -> RunFacts | None:
    """What `encode` made; None of another format.

    Raises:
        KeyError, TypeError, ValueError: it is no such thing.
    """
    if data["format"] != FORMAT:
        return None
    processes = {}
    for each in data["processes"]:
        standard = [Standard(**one) for one in each.pop("standard")]
        printed = [(int(at), int(stream), str(text)) for at, stream, text in each.pop("printed")]
        processes[each["task"]] = ProcessFacts(**each, standard=standard, printed=printed)
    return RunFacts(processes, [Use(*use) for use in data["uses"]], data["environments"],
                    [(one, two) for one, two in data["ties"]], [str(path) for path in data["linked"]])
