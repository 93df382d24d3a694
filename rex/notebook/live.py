"""Reach the kernel of a session that is going on, from another process."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from queue import Empty
from typing import Any

from rex.archive import RECORDING, Experiment
from rex.errors import NotFound, RexError, UsageError
from rex.extras import missing

_ANSWER_S = 600.0
_START_S = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command showed in the kernel."""

    text: str
    error: str = ""


def connection_of(experiment: Experiment) -> str | None:
    """The connection file of a session's kernel; None where nobody can talk to it.

    An archive may be a stranger's: only a kernel that holds the session's lock on this machine, and
    whose connection file is ours and leads to this machine, is spoken to.
    """
    if experiment.state != RECORDING:
        return None
    facts = experiment.begun.get("notebook")
    if not isinstance(facts, dict):
        return None
    pid, path = facts.get("pid"), facts.get("connection")
    if not isinstance(pid, int) or not isinstance(path, str) or not path:
        return None
    try:
        if os.stat(f"/proc/{pid}").st_uid != os.getuid() or os.stat(path).st_uid != os.getuid():
            return None
        with open(path, "rb") as file:
            connection = json.loads(file.read(1 << 16))
        is_here = connection.get("transport") == "ipc" or connection.get("ip") in (
            "127.0.0.1", "::1", "localhost")
    except (OSError, ValueError, AttributeError):
        return None
    return path if is_here else None


def ask(connection: str, line: str) -> Answer:
    """Run a `%rex` command in a kernel and wait for its end; a busy kernel runs its cell first.

    Raises:
        RexError: the kernel cannot be reached, or does not answer.
    """
    try:
        from jupyter_client.blocking.client import BlockingKernelClient
    except ImportError as error:
        raise missing("notebook", "cannot talk to the kernel") from error
    client = BlockingKernelClient(connection_file=connection)
    client.load_connection_file()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=_START_S)
        return _gather(client, client.execute(f"%rex {line}", store_history=False))
    except (RuntimeError, Empty) as error:
        raise RexError("the kernel does not answer", str(error), "is it busy with a cell?") from error
    finally:
        client.stop_channels()


def _gather(client: Any, identity: str) -> Answer:
    text, error = "", ""
    deadline_s = time.monotonic() + _ANSWER_S
    while True:
        message = client.get_iopub_msg(timeout=max(0.1, deadline_s - time.monotonic()))
        if message["parent_header"].get("msg_id") != identity:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "stream" and content["name"] == "stderr":
            error += content["text"]
        elif kind == "stream":
            text += content["text"]
        elif kind in ("execute_result", "display_data"):
            text += content["data"].get("text/plain", "") + "\n"
        elif kind == "error":
            error += f"{content['ename']}: {content['evalue']}"
        elif kind == "status" and content["execution_state"] == "idle":
            break
    told = error.strip().removeprefix("UsageError:").strip().removeprefix("rex:").strip()
    return Answer(text.rstrip("\n"), told)


def check_answer(answer: Answer) -> str:
    """The text of an answer.

    Raises:
        NotFound, UsageError: the command failed in the kernel.
    """
    if answer.error and not answer.text:
        kind = NotFound if answer.error.startswith("no ") else UsageError
        raise kind(answer.error)
    return answer.text
