"""Runs one guest through record and replay, and says what was not the same.

A guest (guests.py) runs in a directory of its own, with the files of INPUTS; then the directory
is moved away, and the replay must do without it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from commands import REX, ROOT
from guests import GUESTS, Run
from outside import callers, servers

TOKEN = b"guest done"
TIMEOUT_S = 60
LONG_AGO_S = 10 ** 9
COMPILER = ("gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-pthread", f"-I{GUESTS / 'include'}")

INPUTS = {
    "in.txt": b"one\ntwo\nthree\n",
    "data/a.txt": b"first file\n",
    "data/b.txt": b"second file\n",
    "data/sub/c.txt": b"third file\n",
    "outer": b"#!./middle -x\nneither of us reads this line\n",
    "middle": b"#!/bin/sh\necho \"middle: $*\"\n",
    "tool.sh": b"#!/bin/sh\necho \"tool: $*\"\n",
}
SCRIPTS = ("outer", "middle", "tool.sh")
LINKS = {"link": "in.txt"}


@dataclass
class Result:
    """A finished process."""

    status: int
    stdout: bytes
    stderr: bytes
    command: str = field(repr=False)


def spawn(command: list[str], cwd: Path, env: dict[str, str], stdin: BinaryIO | int | None = None,
          text: bytes | None = None, stdout_limit: int | None = None, timeout_s: float = TIMEOUT_S) -> Result:
    """Run a command in a session of its own, so that a hang can be ended as a whole."""
    source = subprocess.PIPE if text is not None else stdin
    process = subprocess.Popen(command, cwd=cwd, env=env, stdin=source, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    words = " ".join(f"{key}={shlex.quote(value)}" for key, value in env.items())
    shown = f"cd {shlex.quote(str(cwd))} && env -i {words} {shlex.join(command)}"
    try:
        if stdout_limit is not None:
            assert process.stdout
            head = process.stdout.read(stdout_limit)
            process.stdout.close()
            process.stdout = None
            _, err = process.communicate(timeout=timeout_s)
            return Result(process.returncode, head, err, shown)
        out, err = process.communicate(text, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"no end after {timeout_s} s: {shown}\n{tail(err)}") from None
    return Result(process.returncode, out, err, shown)


def tail(text: bytes) -> str:
    """The end of an output, for messages."""
    return text[-2000:].decode(errors="backslashreplace")


Entry = tuple[str, int, bytes]


def entries(top: Path) -> dict[bytes, Entry]:
    """All below a directory by relative path: type, mode, and content or target."""
    found: dict[bytes, Entry] = {}
    base = os.fsencode(top)
    for where, dirs, files, fd in os.fwalk(base):       # paths may be longer than the kernel takes
        for name in dirs + files:
            mode = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            content = b""
            if stat.S_ISLNK(mode):
                content = os.readlink(name, dir_fd=fd)
            elif stat.S_ISREG(mode):
                with contextlib.suppress(PermissionError), open(os.open(name, os.O_RDONLY, dir_fd=fd), "rb") as file:     # only root reads all
                    content = file.read()
            found[os.path.relpath(os.path.join(where, name), base)] = (stat.filemode(mode)[0], stat.S_IMODE(mode), content)
    return found


def states(top: Path) -> dict[str, tuple[int, int, int, int]]:
    """All below a directory by path: number, mode, size and time, which change with whatever is written."""
    found = {}
    for where, dirs, files in os.walk(top):
        for path in (os.path.join(where, name) for name in dirs + files):
            info = os.lstat(path)
            found[path] = (info.st_ino, info.st_mode, info.st_size, info.st_mtime_ns)
    return found


def prepare(directory: Path) -> None:
    """The directory of a guest, with its inputs as they were long ago."""
    directory.mkdir(parents=True)
    for name, content in INPUTS.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if name in SCRIPTS else 0o644)
        os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    for name, target in LINKS.items():
        (directory / name).symlink_to(target)


def command_of(guest: Path, directory: Path, program: Path, run: Run) -> list[str]:
    """Put a guest's program into its directory: the command that runs it."""
    name = guest.stem if guest.suffix == ".c" else guest.name
    (directory / name).write_bytes(program.read_bytes())
    (directory / name).chmod(0o755)
    start = [sys.executable, "-I", "-S"] if guest.suffix == ".py" else []
    return [*start, f"./{name}", *run.args]


@dataclass
class Trial:
    """One guest under one engine, in a directory of its own."""

    guest: Path
    engine: str
    program: Path
    run: Run
    place: Path
    shared: Path               # archive and cache, for all guests of this engine
    timeout_s: float = TIMEOUT_S
    fast: str = "1"              # "0": every recorded call stops

    @property
    def directory(self) -> Path:
        return self.place / "exp"

    @property
    def archive(self) -> Path:
        return self.shared / "archive"

    @property
    def name(self) -> str:
        return f"{self.guest.stem}{self.guest.suffix}.{self.place.name}"[-99:].lstrip(".-+")

    def rex(self, env: dict[str, str], cwd: Path, *args: str, redirections: str = "", **how: Any) -> Result:
        """Run the command line under this engine, and with nothing else from our environment."""
        env = {"HOME": str(self.shared), "REX_CACHE": str(self.shared / "cache"), "REX_ENGINE": self.engine, "REX_FAST": self.fast,
               "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **env}
        shell = ["sh", "-c", f'exec "$@" {redirections}', "sh"] if redirections else []
        return spawn([*shell, *REX, *args], cwd, env, timeout_s=self.timeout_s, **how)

    def outside(self) -> contextlib.AbstractContextManager[int]:
        """What the guest talks to, while that runs: its port, 0 = nothing does."""
        return {"servers": servers, "callers": callers}.get(self.run.outside, lambda: contextlib.nullcontext(0))()

    def record(self) -> Result:
        """Record it, and see that it ran as it should."""
        prepare(self.directory)
        command = command_of(self.guest, self.directory, self.program, self.run)
        self.before = entries(self.directory)
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GUEST_VARIABLE": "one 'and' \"two\""}
        options = ("--serialize",) if self.run.is_serialized else ()
        args = ("record", "-q", *options, "-l", str(self.archive), "-e", self.name, "--", *command)
        with self.outside() as port:
            done = self._recorded({**env, "GUEST_PORT": str(port)} if port else env, *args)
        self.after = entries(self.directory)
        self.directory.rename(self.place / "away")
        said = f"{done.command}\n{tail(done.stdout)}\n{tail(done.stderr)}"
        assert done.status == self.run.status, f"recorded with status {done.status}: {said}"
        if self.run.has_token:
            assert done.stdout.splitlines()[-1:] == [TOKEN], f"the guest did not finish: {said}"
        return done

    def _recorded(self, env: dict[str, str], *args: str) -> Result:
        if not self.run.is_stdin_file:
            return self.rex(env, self.directory, *args, redirections=self.run.redirections, text=self.run.stdin,
                            stdout_limit=self.run.stdout_limit)
        source = self.place / "stdin"
        source.write_bytes(self.run.stdin)
        with open(source, "rb") as file:
            done = self.rex(env, self.directory, *args, stdin=file)
        source.unlink()
        return done

    def replay(self, recorded: Result, label: str = "out", is_alone: bool = False) -> None:
        """Replay it and compare all that can be seen; twice at once, once with --check, unless it is to be alone."""
        elsewhere = self.place / f"elsewhere-{label}"
        elsewhere.mkdir()
        kept = states(self.archive)
        target = ("-q", "-l", str(self.archive), "-e", self.name)
        with ThreadPoolExecutor(2) as pool:       # twice at once: one must not disturb the other
            plain = pool.submit(self.rex, {}, elsewhere, "replay", *target, "-o", label, "--json",
                                stdin=subprocess.DEVNULL)
            check = None if is_alone else pool.submit(
                self.rex, {}, elsewhere, "replay", *target, "-o", f"{label}-check", "--check", "--json", stdin=subprocess.DEVNULL)
        self.compare(recorded, plain.result(), elsewhere / label)
        if check:
            self._compare_check(check.result())
        assert sorted(os.listdir(elsewhere)) == [label, f"{label}-check"][:1 + bool(check)], "written beside OUTDIR"
        assert not self.directory.exists(), "the recorded directory is back"
        assert states(self.archive) == kept, "the replay changed the archive"

    def compare(self, recorded: Result, again: Result, outdir: Path) -> None:
        how = f"\nreplay with: {again.command}\n{tail(again.stderr)}"
        stdout, report = split_report(again.stdout)
        assert stdout[:self.run.stdout_limit] == recorded.stdout, \
            f"another standard output: {first_difference(recorded.stdout, stdout)}{how}"
        own = _without_ours(again.stderr)
        assert own == _without_ours(recorded.stderr), f"another standard error{how}"
        assert again.status == recorded.status, f"status {again.status}{how}"
        assert report["verdict"] == "identical" and report["divergences"] == 0, f"{report}{how}"
        self._compare_files(outdir, how)

    def _compare_check(self, check: Result) -> None:
        how = f"\nreplay with: {check.command}\n{tail(check.stderr)}"
        report = json.loads(check.stdout.splitlines()[-1])
        assert check.status == 0 and report["verdict"] == "identical", f"{report}{how}"
        assert report["divergences"] == 0 and not report["differing"], f"{report}{how}"

    def _compare_files(self, outdir: Path, how: str) -> None:
        inside = outdir / str(self.directory).lstrip("/")
        there = entries(inside) if inside.exists() else {}
        for path, entry in self.after.items():
            if self.before.get(path) != entry:
                assert there.get(path) == entry, f"{path!r} is {there.get(path)}, was {entry}{how}"
        for path, entry in there.items():
            expected = self.after.get(path)
            assert expected == entry, f"{path!r} is {entry}, was {expected}{how}"
        prefix = os.fsencode(str(self.directory).lstrip("/"))
        strays = [path for path, entry in entries(outdir).items()
                  if not path.startswith(prefix) and entry[0] != "d"]
        assert not strays, f"written elsewhere in OUTDIR: {strays}{how}"


def split_report(stdout: bytes) -> tuple[bytes, dict[str, Any]]:
    """The program's output, and the report that `--json` adds to it."""
    at = stdout.rfind(b'{"archive": ')
    assert at >= 0, f"no report: {tail(stdout)}"
    return stdout[:at], json.loads(stdout[at:])


def _without_ours(stderr: bytes) -> list[bytes]:
    return [line for line in stderr.splitlines() if not line.startswith(b"rex: ")]


def first_difference(was: bytes, now: bytes) -> str:
    """The first line in which two outputs differ."""
    old, new = was.splitlines(), now.splitlines()
    for number, (one, two) in enumerate(zip(old, new), 1):
        if one != two:
            return f"line {number} was {one[:300]!r}, is {two[:300]!r}"
    return f"{len(old)} lines before, {len(new)} now, beginning with {(old + new)[min(len(old), len(new)):][:1]}"
