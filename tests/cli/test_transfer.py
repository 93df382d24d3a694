"""Experiments that travel, by the commands as a user runs them, to real servers on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, Iterator

import pytest

from commands import REX, environment
from rex.cli.doctor_command import trace_child, why_not

WHY_NOT = why_not(trace_child)
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}")

S3_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}


def run(*args: str, cwd: Path, code: int = 0, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run rex; what it said."""
    done = subprocess.run([*REX, *args], cwd=cwd, capture_output=True, input=stdin,
                          env=environment(**env), timeout=120, check=False)
    assert done.returncode == code, done.stderr.decode()
    assert b"Traceback" not in done.stderr and (code == 0 or done.stderr.count(b"\n") <= 1)
    return done


def rex(*args: str, cwd: Path, code: int = 0, **env: str) -> str:
    """Run rex; its standard output."""
    return run(*args, cwd=cwd, code=code, **env).stdout.decode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archive A of two recordings."""
    base = tmp_path_factory.mktemp("transfer")
    (base / "in").write_text("b\na\n")
    run("record", "-q", "-l", "A", "--", "sh", "-c", "sort in > out; cat out", cwd=base)
    run("record", "-q", "-l", "A", "--", "sh", "-c", "cat in; exit 3", cwd=base, code=3)
    return base


def replays(place: Path, archive: str) -> None:
    """Both experiments of an archive are what was recorded."""
    for name in ("exp0", "exp1"):
        rex("replay", "-l", archive, "-e", name, "-o", f"{archive}-out-{name}", "--check", cwd=place)
    assert rex("check", archive, cwd=place).endswith("2 experiments, every finished experiment is whole\n")


def test_export_and_import(place: Path) -> None:
    told = json.loads(rex("export", "A", "-o", "a.rex", "--json", cwd=place))
    assert told["experiments"] == ["exp0", "exp1"] and told["size_bytes"] == (place / "a.rex").stat().st_size
    assert run("export", "A", "-o", "-", cwd=place).stdout == (place / "a.rex").read_bytes()
    assert rex("import", "a.rex", "-l", "B", cwd=place) == "added B:exp0\nadded B:exp1\n"
    replays(place, "B")
    run("import", "-", "-l", "B2", cwd=place, stdin=(place / "a.rex").read_bytes())
    rex("export", "B2", "-o", "b.rex", cwd=place)
    assert (place / "a.rex").read_bytes() == (place / "b.rex").read_bytes()
    assert "already there as B:exp0" in rex("import", "b.rex", "-l", "B", cwd=place)
    assert rex("check", "a.rex", cwd=place).startswith("a.rex: 2 experiments, every finished")


def test_export_refuses(place: Path) -> None:
    rex("export", "A:exp1", "-o", "one.rex", cwd=place)
    rex("export", "A", "-o", "one.rex", cwd=place, code=2)
    rex("export", "A", "-o", "one.rex", "--force", cwd=place)
    rex("export", "A", "-o", "x.rex", "-e", "nope", cwd=place, code=10)
    rex("export", "nope", "-o", "x.rex", cwd=place, code=10)
    rex("export", "A", "-o", "missing/x.rex", cwd=place, code=2)
    rex("export", "A", "-o", "-", "--sign", "k", cwd=place, code=2)
    rex("export", "A", "-o", "d", "--format", "dir", "--no-log", cwd=place, code=2)
    assert not (place / "x.rex").exists() and not [n for n in os.listdir(place) if n.startswith(".tmp-")]


def test_import_refuses(place: Path) -> None:
    (place / "bad.rex").write_bytes(b"REXFILE\n\x02\0\0\0\0\0\0\0")
    rex("import", "bad.rex", "-l", "C", cwd=place, code=12)
    (place / "bad.rex").write_bytes(b"something else")
    rex("import", "bad.rex", "-l", "C", cwd=place, code=13)
    rex("import", "none.rex", "-l", "C", cwd=place, code=2)
    rex("check", "bad.rex", cwd=place, code=1)
    rex("check", "bad.rex", "--repair", cwd=place, code=2)


def test_without_a_log(place: Path) -> None:
    rex("export", "A:exp0", "-o", "nolog.rex", "--no-log", cwd=place)
    rex("import", "nolog.rex", "-l", "N", cwd=place)
    rex("check", "N", cwd=place)
    rex("log", "N:exp0", cwd=place, code=10)


def test_signatures(place: Path) -> None:
    if not shutil.which("ssh-keygen"):
        pytest.skip("no ssh-keygen here")
    for name in ("mine", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / name], check=True)
    rex("export", "A", "-o", "s.rex", "--sign", "mine", cwd=place)
    assert "signed by mine.pub" in rex("check", "s.rex", "--signed-by", "mine.pub", cwd=place)
    rex("check", "s.rex", "--signed-by", "other.pub", cwd=place, code=13)
    rex("import", "s.rex", "-l", "S", "--signed-by", "other.pub", cwd=place, code=13)
    assert not (place / "S").exists()
    rex("import", "s.rex", "-l", "S", "--signed-by", "mine.pub", cwd=place)
    rex("check", "A", "--signed-by", "mine.pub", cwd=place, code=2)


def test_a_root_directory_that_runs(place: Path) -> None:
    rex("export", "A:exp0", "-o", "root", "--format", "dir", cwd=place)
    if subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces here")
    done = subprocess.run([place / "root/run.sh"], cwd="/", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"a\nb\n"), done.stderr
    assert Path(f"{place}/root/root{place}/out").read_text() == "a\nb\n"
    done = subprocess.run([place / "root/run.sh", "/usr/bin/cat", "/etc/hostname"], capture_output=True, check=False)
    assert done.returncode == 1   # nothing of this machine is there


@pytest.mark.parametrize("kind, names", [
    ("docker", {"Dockerfile", "root.tar"}), ("apptainer", {"exp0.def", "root.tar"}),
    ("rocrate", {"experiment.rex", "inputs", "outputs", "ro-crate-metadata.json", "workflow.sh"})])
def test_other_formats(place: Path, kind: str, names: set[str]) -> None:
    rex("export", "A:exp0", "-o", kind, "--format", kind, cwd=place)
    assert set(os.listdir(place / kind)) == names
    rex("export", "A:exp0", "-o", kind, "--format", kind, cwd=place, code=2)


def test_an_image_is_built_and_runs(place: Path) -> None:
    """By buildah, which needs no service, where it is installed."""
    if not shutil.which("buildah"):
        pytest.skip("no buildah here")
    rex("export", "A:exp0", "-o", "context", "--format", "docker", cwd=place)
    buildah = ["buildah", "--root", str(place / "layers"), "--runroot", str(place / "state"), "--storage-driver", "vfs"]

    def run_it(*args: str) -> str:
        done = subprocess.run([*buildah, *args], cwd=place, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode and "permitted" in done.stderr:
            pytest.skip(done.stderr[-200:])
        assert done.returncode == 0, done.stderr
        return done.stdout

    run_it("bud", "--isolation", "chroot", "-t", "exp0", "context")
    container = run_it("from", "--pull-never", "exp0").strip()
    command = json.loads(run_it("inspect", container))["OCIv1"]["config"]["Cmd"]
    assert run_it("run", "--isolation", "chroot", container, "--", *command) == "a\nb\n"


def exchange(place: Path, url: str, name: str, *options: str, **env: str) -> None:
    """Push one experiment and then both, pull, and replay."""
    if options:
        options = tuple(part for option in options for part in ("--option", option))
    pytest.importorskip("fsspec")
    first = json.loads(rex("push", "A", url, "-e", "exp0", "--json", *options, cwd=place, **env))
    second = json.loads(rex("push", "A", url, "--json", *options, cwd=place, **env))
    assert [e["is_new"] for e in second["experiments"]] == [False, True]
    assert second["size_bytes"] < first["size_bytes"] / 2
    assert json.loads(rex("push", "A", url, "--json", *options, cwd=place, **env))["size_bytes"] == 0
    rex("pull", url, "-l", name, *options, cwd=place, **env)
    replays(place, name)
    rex("pull", url, "-l", name, "-e", "nope", *options, cwd=place, code=10, **env)
    rex("pull", url + "/not/there", "-l", "none", *options, cwd=place, code=10, **env)


def test_a_folder(place: Path) -> None:
    exchange(place, str(place / "remote"), "from-folder")
    replays(place, "remote")   # it is an archive itself
    rex("push", "A", "nope://x/y", cwd=place, code=2)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an S3 server with a bucket."""
    for name, value in S3_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    server_of = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    url = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    filesystem = s3fs.S3FileSystem(key="a", secret="b", endpoint_url=url, skip_instance_cache=True)
    if not filesystem.exists("bucket"):   # the server's memory outlives it
        filesystem.mkdir("bucket")
    yield url
    server.stop()


def test_s3(place: Path, s3: str) -> None:
    exchange(place, "s3://bucket/some/exp", "from-s3", f"endpoint_url={s3}")


def test_s3_with_two_pushers(place: Path, s3: str) -> None:
    (place / "in2").write_text("another\n")
    run("record", "-q", "-l", "A2", "--", "cat", "in2", cwd=place)
    option = ["--option", f"endpoint_url={s3}"]
    pushers = [subprocess.Popen([*REX, "push", name, "s3://bucket/two", *option],
                                cwd=place, env=environment(), stdout=subprocess.DEVNULL) for name in ("A", "A2", "A")]
    assert [pusher.wait(120) for pusher in pushers] == [0, 0, 0]
    run("pull", "s3://bucket/two", "-l", "from-two", *option, cwd=place)
    assert rex("check", "from-two", cwd=place).endswith("3 experiments, every finished experiment is whole\n")


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[str]:
    """The URL of an ssh server's folder."""
    asyncssh = pytest.importorskip("asyncssh")
    pytest.importorskip("paramiko")
    (tmp_path / "ssh").mkdir()
    is_ready, ports, loops = threading.Event(), [], []

    class Server(asyncssh.SSHServer):  # type: ignore[misc, name-defined]
        def begin_auth(self, username: str) -> bool:
            return True

        def password_auth_supported(self) -> bool:
            return True

        def validate_password(self, username: str, password: str) -> bool:
            return password == "word"

    async def serve() -> None:
        def sftp(channel: Any) -> Any:
            return asyncssh.SFTPServer(channel, chroot=str(tmp_path / "ssh"))
        server = await asyncssh.listen("127.0.0.1", 0, server_factory=Server, sftp_factory=sftp,
                                       server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")])
        ports.append(server.sockets[0].getsockname()[1])
        loops.append((asyncio.get_running_loop(), end := asyncio.Event()))
        is_ready.set()
        await end.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert is_ready.wait(20)
    yield f"ssh://me:word@127.0.0.1:{ports[0]}/some/exp"
    loop, end = loops[0]
    loop.call_soon_threadsafe(end.set)
    thread.join(5)


def test_ssh(place: Path, ssh: str) -> None:
    exchange(place, ssh, "from-ssh")
    done = run("pull", ssh.replace("word", "wrong"), "-l", "none", cwd=place, code=2)
    assert b"wrong" not in done.stderr and (b"Permission denied" in done.stderr or b"Authentication failed" in done.stderr)
