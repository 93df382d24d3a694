"""What a program in a sandbox can see and do, tried by a program that wants out."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

from rex import elf
from rex.tracer import native
from rex.tracer.plan import Plan
from rex.tracer.sandbox import REFUSED, Sandbox

ROOT = Path(__file__).resolve().parents[3]


def sandbox(tmp_path: Path, read_only: list[str]) -> Sandbox:
    for name in ("root", "out"):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / "refusal").write_bytes(b"")
    program = os.path.realpath(sys._base_executable)  # type: ignore[attr-defined]
    dynload = sysconfig.get_config_var("DESTSHARED")
    parts = [program, *(str(p) for p in Path(dynload).glob("_ctypes.*"))]
    libraries = {name: os.path.realpath(path) for part in parts
                 for name, path in elf.resolve_needed(part, {}).found.items()}
    facts = elf.read(program)
    assert facts
    return Sandbox(str(tmp_path / "root"), [str(tmp_path / "out")], read_only, program, os.path.realpath(facts.interpreter),
                   libraries, [], str(tmp_path / "refusal"))


def run(box: Sandbox, code: str) -> Any:
    """What a Python program says in there, as JSON."""
    box.arguments = ["-S", "-E", "-c", "import json, os, sys\n" + code]
    done = subprocess.run(box.command(), capture_output=True, text=True, timeout=30, check=False,
                          env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "PYTHONHOME": ""})
    if done.returncode == REFUSED:
        pytest.skip("no sandbox here: " + Path(box.refusal).read_text())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def box() -> Iterator[Sandbox]:
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "given").mkdir()
        (Path(work) / "given" / "file").write_text("given")
        stdlib = sysconfig.get_path("stdlib")
        yield sandbox(Path(work), [str(Path(work) / "given"), os.path.realpath(stdlib)])


def test_nothing_else_is_there(box: Sandbox) -> None:
    work = os.path.dirname(box.root)
    told = run(box, f"""
tops = {{os.path.dirname(p).split("/")[1] for p in {[box.writable[0], *box.read_only]!r}}}
print(json.dumps({{"/": sorted(set(os.listdir("/")) - tops), "work": sorted(os.listdir({work!r})),
    "given": open({work!r} + "/given/file").read(), "pids": [p for p in os.listdir("/proc") if p.isdigit()],
    "dev": sorted(os.listdir("/dev")), "passwd": os.path.exists("/etc/passwd"),
    "cwd": os.getcwd(), "up": os.listdir("/..") == os.listdir("/")}}))""")
    assert told["/"] == [".rex", "dev", "proc"] and told["work"] == ["given", "out"]
    assert told["given"] == "given" and not told["passwd"] and told["cwd"] == "/" and told["up"]
    assert len(told["pids"]) == 2
    assert told["dev"] == ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero"]


def test_only_what_is_writable_can_be_written(box: Sandbox) -> None:
    work = os.path.dirname(box.root)
    told = run(box, f"""
def tries(path):
    try:
        open(path, "w").write("x")
        return "written"
    except OSError as error:
        return error.errno
print(json.dumps([tries({work!r} + name) for name in ("/out/x", "/given/file", "/given/new", "/new")]
    + [tries("/x"), tries("/.rex/x"), tries("/dev/x")]))""")
    assert told[0] == "written" and Path(work, "out", "x").read_text() == "x"
    assert "written" not in told[1:] and Path(work, "given", "file").read_text() == "given"


def test_there_is_no_way_out(box: Sandbox) -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    hidden = socket.socket(socket.AF_UNIX)
    hidden.bind(f"\0rex-test-{os.getpid()}")
    hidden.listen()
    told = run(box, f"""
import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    return libc[name](*args)
def connects(family, address):
    try:
        socket.socket(family).connect(address)
        return True
    except OSError:
        return False
given = {box.read_only[0]!r}.encode()
status = dict(line.rstrip().split(":", 1) for line in open("/proc/self/status"))
print(json.dumps({{
    "remount": call("mount", b"none", given, None, 32 | 4096, None), "umount": call("umount2", given, 2),
    "mount": call("mount", b"none", given, b"tmpfs", 0, None), "mknod": call("mknod", b"/x", 0o20666, 259),
    "kill": call("kill", {os.getpid()}, 0), "setns": call("setns", 0, 0), "chroot": call("chroot", given),
    "tcp": connects(socket.AF_INET, {listener.getsockname()!r}),
    "unix": connects(socket.AF_UNIX, "\\0rex-test-{os.getpid()}"),
    "capabilities": [status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    "new_privs": status["NoNewPrivs"].strip(), "terminal": os.path.exists("/dev/tty")}}))
# A namespace of its own gives capabilities in it, and mounts that stay locked.
if libc.unshare(0x10000000 | 0x00020000) == 0:
    assert libc.mount(b"none", given, None, 32 | 4096, None) == -1
""")
    listener.close()
    hidden.close()
    assert {told[name] for name in ("remount", "umount", "mount", "mknod", "kill", "setns", "chroot")} == {-1}
    assert not told["tcp"] and not told["unix"] and not told["terminal"]
    assert set(told["capabilities"]) == {"0" * 16} and told["new_privs"] == "1"


def test_an_own_loopback(box: Sandbox) -> None:
    assert run(box, """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b"hello")
print(json.dumps(client.recv(9).decode()))""") == "hello"


def test_all_ends_with_the_first_process(box: Sandbox) -> None:
    box.arguments = ["-S", "-E", "-c", "import os, time; os.fork(); print(1, flush=True); time.sleep(60)"]
    with subprocess.Popen(box.command(), stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}) as process:
        assert process.stdout
        if not process.stdout.readline():
            pytest.skip("no sandbox here")
        process.kill()
        process.stdout.read()   # ends only when all who hold the pipe are gone
        assert process.wait(10) == -9


def test_exit_status(box: Sandbox) -> None:
    for code, expected in (("raise SystemExit(7)", 7), ("os.kill(os.getpid(), 9)", 137)):
        box.arguments = ["-S", "-E", "-c", "import os\n" + code]
        done = subprocess.run(box.command(), env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=30, check=False)
        if done.returncode == REFUSED:
            pytest.skip("no sandbox here")
        assert done.returncode == expected


def test_an_engine_that_is_linked_statically_needs_no_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = tmp_path / "engine"
    if subprocess.run(["cc", "-static", "-x", "c", "-", "-o", engine], input=b"int main(void) { return 7; }", capture_output=True,
                      check=False).returncode:
        pytest.skip("no static program can be made here")
    for name in ("root", "out"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(native, "PATH", str(engine))
    plan = Plan("replay", "", b"/x", [], [], str(tmp_path / "report"))
    box = native._box_of(plan, Sandbox(str(tmp_path / "root"), [str(tmp_path / "out")], []))
    done = subprocess.run(box.command(), env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=30, check=False)
    if done.returncode == REFUSED and "namespaces" in Path(box.refusal).read_text():
        pytest.skip("no sandbox here")
    assert (box.loader, done.returncode) == ("", 7), Path(box.refusal).read_text()


def test_a_program_that_cannot_run_has_a_reason(box: Sandbox) -> None:
    box.loader, box.program = "", box.refusal
    done = subprocess.run(box.command(), env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=30, check=False)
    assert done.returncode == REFUSED and Path(box.refusal).read_text()


def test_a_refusal_has_a_reason(tmp_path: Path) -> None:
    box = sandbox(tmp_path, [str(tmp_path / "not there")])
    done = subprocess.run(box.command(), env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=30, check=False)
    assert done.returncode == REFUSED and (tmp_path / "refusal").read_text()
