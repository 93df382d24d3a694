"""Damaged input is refused with one line, whatever the damage."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from rex.errors import UsageError
from rex.workflow.dag import dag_as_json, read_dag, read_schedule
from rex.workflow.shapes import random_dag
from rex.workflow.wfcommons import Storage, is_wfcommons, read_wfcommons

JUNK: tuple[Any, ...] = (None, True, -1, 0, 1e400, "x", "", [], {}, [[]], [None], {"id": 3}, "é\n")


def damage(data: Any, draw: random.Random) -> Any:
    """A copy with one random value replaced, removed or doubled."""
    data = copy.deepcopy(data)
    place, places = data, []
    while isinstance(place, (dict, list)) and place:
        key = draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
        places.append((place, key))
        place = place[key]
    holder, key = draw.choice(places)
    how = draw.randrange(3)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.append(holder[key])
    else:
        holder[key] = draw.choice(JUNK)
    return data


def wfcommons_examples() -> list[dict[str, Any]]:
    new = {"workflow": {
        "specification": {"tasks": [{"id": "a", "parents": [], "outputFiles": ["f"]},
                                    {"id": "b", "parents": ["a"], "outputFiles": []}],
                          "files": [{"id": "f", "sizeInBytes": 3}]},
        "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 2}]}}}
    old = {"workflow": {"tasks": [{"name": "a", "runtime": 1, "parents": [],
                                   "files": [{"link": "output", "name": "f", "size": 3}]},
                                  {"name": "b", "runtime": 2, "parents": ["a"], "files": []}]}}
    return [new, old]


def test_damaged_input_never_ends_in_a_traceback() -> None:
    draw = random.Random(5)
    dag = random_dag(5, draw)
    ours, schedule = dag_as_json(dag), {"order": list(dag.ids), "checkpointed": ["t1"]}
    refused = 0
    for _ in range(1500):
        for read, data in ((read_dag, ours), (lambda d: read_schedule(d, dag), schedule),
                           *((read_instance, data) for data in wfcommons_examples())):
            broken = damage(data, draw)
            if draw.random() < 0.3 and broken:
                broken = damage(broken, draw)
            try:
                read(json.loads(json.dumps(broken)))
            except UsageError as error:
                refused += 1
                assert "\n" not in str(error)
    assert refused > 1000


def read_instance(data: Any) -> None:
    if is_wfcommons(data):
        read_wfcommons(data, Storage())
