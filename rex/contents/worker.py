"""The process that reads contents of strangers: bounded in memory and time, it writes nothing and opens nothing but what it is given.

Run as `python -m rex.contents.worker MEMORY_BYTES LIMIT_BYTES SECONDS`: requests come as lines of JSON, verdicts go out so.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import resource
import signal
import sys
from typing import Any, TextIO

from rex.contents.compare import compare_data
from rex.contents.picture import draw
from rex.contents.reading import Reading, Unreadable
from rex.contents.rules import from_json
from rex.errors import RexError


def serve(answers: TextIO, limit_bytes: int, seconds: int) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        signal.alarm(seconds)    # nobody may be left to end us
        try:
            data = []
            for path in request["files"]:
                with open(path, "rb") as file:
                    data.append(file.read(limit_bytes + 1))
            answer = answer_to(request, data, limit_bytes)
        except MemoryError:
            answer = {"trouble": "that needs more memory than is allowed"}
        except Exception as error:   # a library met what it did not foresee
            answer = {"trouble": f"{type(error).__name__} {error}"[:300]}
        signal.alarm(0)
        print(json.dumps(answer), file=answers, flush=True)


def answer_to(request: dict[str, Any], data: list[bytes], limit_bytes: int) -> dict[str, Any]:
    """A verdict on two contents, or a picture of how they differ."""
    if not request.get("is_drawn"):
        return compare_data(request["name"], data[0], data[1], from_json(request["rules"], "the request"), limit_bytes).as_json()
    try:
        picture = draw(request["name"], data[0], data[1], Reading(limit_bytes))
    except (Unreadable, RexError) as error:
        return {"trouble": str(error)}
    return {"suffix": picture.suffix, "picture": base64.b64encode(picture.data).decode()}


def main() -> None:
    """Limit this process, then serve."""
    memory_bytes, limit_bytes, seconds = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir("/")
    gc.disable()     # it would walk over millions of values again and again
    with open(os.dup(1), "w", encoding="ascii") as answers, open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)     # what a library prints is no answer
        serve(answers, limit_bytes, seconds)


if __name__ == "__main__":
    main()
