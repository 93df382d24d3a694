"""The process that reads contents of strangers: bounded in memory and time, it writes nothing and opens nothing but what it is given.

Run as `python -m rex.contents.worker MEMORY_BYTES LIMIT_BYTES SECONDS`: requests come as lines of JSON, verdicts go out so.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
from typing import TextIO

from rex.contents.compare import Verdict, compare_data
from rex.contents.rules import from_json
from rex.contents.tally import DIFFERENT


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
            verdict = compare_data(request["name"], data[0], data[1], from_json(request["rules"], "the request"), limit_bytes)
        except MemoryError:
            verdict = Verdict(DIFFERENT, "not compared by meaning: that needs more memory than is allowed")
        except Exception as error:   # a library met what it did not foresee
            verdict = Verdict(DIFFERENT, f"not compared by meaning: {type(error).__name__} {error}"[:300])
        signal.alarm(0)
        print(json.dumps(verdict.as_json()), file=answers, flush=True)


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
