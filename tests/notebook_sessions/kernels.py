"""A real Jupyter kernel, driven as a front end does."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.manager import KernelManager

TIMEOUT_S = 60.0


class Cell:
    """What came back from one cell."""

    def __init__(self) -> None:
        self.stdout = self.stderr = ""
        self.results: list[dict[str, Any]] = []
        self.updates: list[dict[str, Any]] = []     # of widgets
        self.error = ""
        self.count = 0

    @property
    def text(self) -> str:
        """Streams, displays and results as text."""
        return self.stdout + self.stderr + "\n".join(
            data.get("text/plain", "") for data in self.results) + self.error


class Kernel:
    """A kernel with our extension, whose cells go to an archive."""

    def __init__(self, folder: Path, load: bool = True, **environment: str) -> None:
        self.folder = folder
        self.manager = KernelManager(kernel_name="python3")
        root = str(Path(__file__).parents[2])
        env = {**os.environ, "PYTHONPATH": root, "IPYTHONDIR": str(folder / ".ipython"), **environment}
        env.pop("JPY_SESSION_NAME", None)
        env |= {k: v for k, v in environment.items()}
        self.manager.start_kernel(cwd=str(folder), env=env)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT_S)
        if load:
            self.run("%load_ext rex.notebook")

    def run(self, code: str, cell_id: str | None = None, **options: Any) -> Cell:
        """Execute a cell and gather what it shows."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": False, **options}
        message = self.client.session.msg("execute_request", content)
        if cell_id:
            message["metadata"]["cellId"] = cell_id
        self.client.shell_channel.send(message)
        return self._gather(message["header"]["msg_id"])

    def _gather(self, identity: str) -> Cell:
        cell = Cell()
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT_S)
            if message["parent_header"].get("msg_id") != identity:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                setattr(cell, content["name"], getattr(cell, content["name"]) + content["text"])
            elif kind in ("execute_result", "display_data"):
                cell.results.append(content["data"])
            elif kind == "comm_msg":
                cell.updates.append(content["data"])
            elif kind == "error":
                cell.error = f"{content['ename']}: {content['evalue']}"
            elif kind == "status" and content["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=TIMEOUT_S)
            if reply["parent_header"].get("msg_id") == identity:
                cell.count = reply["content"].get("execution_count", 0)
                return cell

    def value(self, expression: str) -> Any:
        """The value of an expression of plain values, without leaving a trace."""
        cell = self.run(f"print(repr(({expression})))", store_history=False)
        assert not cell.error, cell.error
        return eval(cell.stdout)

    def kill(self) -> None:
        """kill -9."""
        pid = self.manager.provisioner.pid
        os.kill(pid, signal.SIGKILL)
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def close(self) -> None:
        """Shut it down as a front end does."""
        try:
            self.client.shutdown(reply=True, timeout=TIMEOUT_S)
        except (TimeoutError, Empty, RuntimeError):
            pass
        self.client.stop_channels()
        self.manager.finish_shutdown(waittime=TIMEOUT_S)   # by default a kernel that writes for long is killed

    def __enter__(self) -> "Kernel":
        return self

    def __exit__(self, *_: object) -> None:
        if self.manager.is_alive():
            self.close()
