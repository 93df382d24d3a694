"""What a panel, TAB and a question mark get from a real kernel; loading in each new kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest

pytest.importorskip("ipykernel")
pytest.importorskip("jupyter_client")
pytest.importorskip("cloudpickle")

from commands import run_rex  # noqa: E402

from .kernels import TIMEOUT_S, Kernel  # noqa: E402


class FrontEnd:
    """A panel's end of the comm."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.send("comm_open", {"target_name": "rex.notebook", "data": {"format": 1}})

    def send(self, kind: str, content: dict[str, Any]) -> None:
        """A message of the comm."""
        client = self.kernel.client
        client.shell_channel.send(client.session.msg(kind, {"comm_id": "panel", **content}))

    def hear(self) -> Any:
        """What the kernel says next; "closed" where it ends the comm."""
        while True:
            message = self.kernel.client.get_iopub_msg(timeout=TIMEOUT_S)
            if message["msg_type"] == "comm_close":
                return "closed"
            if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == "panel":
                return message["content"]["data"]

    def ask(self, question: Any) -> Any:
        """The answer to a question."""
        self.send("comm_msg", {"data": question})
        return self.hear()


def run_and_hear(front: FrontEnd, code: str) -> Any:
    """Run a cell; the state that the panel is told after it."""
    client = front.kernel.client
    client.execute(code)
    return front.hear()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with Kernel(tmp_path_factory.mktemp("panel"), load=False) as running:
        assert "rex: on; cells are kept in __default" in running.run("%load_ext rex.notebook").stdout
        yield running


def test_the_panel_is_told_each_new_cell_once(kernel: Kernel) -> None:
    front = FrontEnd(kernel)
    state = front.hear()
    assert state["is_on"] and state["first"] == 0 and [node["number"] for node in state["nodes"]] == [1]
    state = run_and_hear(front, "a = 1\nb = [a]")
    assert state["first"] == 1 and state["head"] == 2 and state["branches"] == {"main": 2}
    assert [(node["number"], node["parent"], node["variables"]) for node in state["nodes"]] == [(2, 1, ["a", "b"])]
    state = run_and_hear(front, "b.append(2); del a")
    assert [(node["number"], node["removed"]) for node in state["nodes"]] == [(3, ["a"])]
    answer = front.ask({"kind": "diff", "id": 7, "one": 2, "other": 3})
    assert answer["id"] == 7 and [(each["name"], each["kind"]) for each in answer["changes"]] == [("a", "removed"), ("b", "changed")]
    state = run_and_hear(front, "%rex checkout 2")
    assert state["head"] == 2 and state["nodes"] == []


@pytest.mark.parametrize("question", [{"kind": "diff", "id": 1, "one": 2, "other": 999}, {"kind": "format"}, [], None, {"kind": "diff", "one": "x"}])
def test_a_bad_question_gets_one_line(kernel: Kernel, question: Any) -> None:
    front = FrontEnd(kernel)
    front.hear()
    answer = front.ask(question)
    assert answer["kind"] == "error" and answer["text"] and "\n" not in answer["text"]


def completions(kernel: Kernel, line: str) -> list[str]:
    """What TAB offers at the end of a line."""
    client = kernel.client
    identity = client.complete(line)
    while True:
        reply = client.get_shell_msg(timeout=TIMEOUT_S)
        if reply["parent_header"].get("msg_id") == identity:
            return [str(each) for each in reply["content"]["matches"]]


def test_tab_completes_commands_states_and_variables(kernel: Kernel) -> None:
    kernel.run("frame = 5")
    kernel.run("%rex tag good")
    assert "checkout" in completions(kernel, "%rex ch") and "log" in completions(kernel, "%rex ")
    assert "good" in completions(kernel, "%rex checkout g") and "--cells" in completions(kernel, "%rex checkout 1 --c")
    kernel.run("del frame")
    assert "frame" in completions(kernel, "%rex show good:fr") and "frame" not in completions(kernel, "fr")
    assert "good" not in completions(kernel, "%rex log g")


def test_help_shows_one_command_and_is_no_cell(kernel: Kernel) -> None:
    before = kernel.run("%rex log").text
    assert "puts" not in before
    shown = kernel.run("%rex checkout?").text
    assert "%rex checkout ID" in shown and "%rex undo" not in shown
    kernel.run("frame?")
    kernel.run("%rex?")
    assert "no command nonsense" in kernel.run("%rex nonsense?").text
    assert kernel.run("%rex log").text == before


def test_a_kernel_without_rex_closes_the_comm(tmp_path: Path) -> None:
    with Kernel(tmp_path, load=False) as kernel:
        assert FrontEnd(kernel).hear() == "closed"


def test_enable_loads_it_in_each_new_kernel(tmp_path: Path) -> None:
    environment = {"IPYTHONDIR": str(tmp_path / ".ipython")}
    assert "written: " in run_rex("notebook", "enable", cwd=tmp_path, **environment).stdout
    with Kernel(tmp_path, load=False, **environment) as kernel:
        kernel.run("kept = 1")
        assert "kept" in kernel.run("%rex log").text
        assert not kernel.run("_load_rex").text.startswith("<function")
    assert "removed: " in run_rex("notebook", "disable", cwd=tmp_path, **environment).stdout
    assert "it was not enabled" in run_rex("notebook", "disable", cwd=tmp_path, **environment).stdout
    with Kernel(tmp_path, load=False, **environment) as kernel:
        assert "not found" in kernel.run("%rex log").text
