"""New experiments that leave nothing on the machine, and see nothing of it where they shall not."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from commands import REX, environment, run_rex
from rex.archive import Archive
from rex.tracer import ipcspace, native

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine runs live"),
              pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")]

LEAVES = """
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
int main(int argc, char **argv)
{
    if (argc < 2)
        return 0;
    int memory = shmget(KEY, 4096, IPC_CREAT | IPC_EXCL | 0600), queue = msgget(KEY, IPC_CREAT | IPC_EXCL | 0600);
    int semaphores = semget(KEY, 1, IPC_CREAT | IPC_EXCL | 0600);
    mqd_t posix = mq_open("/rex-test", O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
    int shared = shm_open("/rex-test", O_CREAT | O_EXCL | O_RDWR, 0600);
    printf("%d %d %d %d %d\\n", memory >= 0, queue >= 0, semaphores >= 0, posix >= 0, shared >= 0);
    return 0;
}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an archive: a program that makes objects of IPC if asked to, and a shell."""
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    work = tmp_path / "work"
    (work / "leaves.c").write_text(LEAVES)
    subprocess.run(["gcc", f"-DKEY={hash(str(tmp_path)) & 0x7fffffff}", "-o", "leaves", "leaves.c", "-lrt"], cwd=work, check=True)
    run_rex("record", "-q", "-l", "A", "-e", "leaves", "--", "./leaves", cwd=work)
    run_rex("record", "-q", "-l", "A", "-e", "shell", "--", "sh", "-c", "cat /dev/null; sleep 0", cwd=work)
    return work


def runnew(place: Path, *args: str, code: int | None = 0) -> "subprocess.CompletedProcess[str]":
    done = run_rex("runnew", "-l", "A", "--headless", *args, cwd=place, code=None)
    if "a sandbox cannot be made" in done.stderr:
        pytest.skip(done.stderr)
    assert code in (None, done.returncode), done.stderr + done.stdout
    return done


@pytest.mark.parametrize("options", [(), ("--record",), ("--sandbox",), ("--sandbox", "--record")], ids=" ".join)
def test_objects_of_ipc_end_with_the_run(place: Path, options: tuple[str, ...]) -> None:
    before = ipcspace.objects()
    for out in ("o1", "o2"):      # what the first made is not there for the second
        done = runnew(place, "-e", "leaves", "--args", "x", "-o", out, *options)
        if "ipcrm" in done.stderr:
            pytest.skip("the kernel lets us make no namespace; the run says so")
        assert done.stdout == "1 1 1 1 1\n" and (place / out / "dev" / "shm" / "rex-test").exists()
    assert ipcspace.objects() == before and not Path("/dev/shm/rex-test").exists()


def test_where_no_namespace_can_be_had_what_is_left_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rex.runnew import Changes, plan_run, start
    monkeypatch.chdir(place)
    monkeypatch.setattr(ipcspace, "entrance", lambda: lambda: None)
    before = ipcspace.objects()
    archive = Archive.open("A")
    experiment = archive.experiment("leaves")
    with open("out", "wb") as out:
        notes = start(plan_run(archive, experiment, Changes(args=("./leaves", "x")), str(place / "o")), stdout=out.fileno()).wait().notes
    left = ipcspace.objects() - before
    subprocess.run(["ipcrm", *[word for each in left for word in each.split()]], check=True)
    assert len(left) == 3 and any(all(each in note for each in left) and "ipcrm" in note for note in notes)


def test_a_sandboxed_run_sees_its_own_files_and_those_given(place: Path) -> None:
    here, there = place.parent / "here", place.parent / "there"
    here.write_text("given\n")
    there.write_text("not given\n")
    script = f"cat data; cat {there} || echo hidden; echo made > made; [ -e /etc/passwd ] || echo no passwd; [ -e {here} ] && echo x > {here} || echo kept"
    done = runnew(place, "-e", "shell", "-o", "out", "--sandbox", "--record=boxed", "--add", f"data={here}", "--", "sh", "-c", script)
    assert done.stdout.splitlines()[:2] == ["given", "hidden"] and "no passwd" in done.stdout
    assert Path(f"{place}/out{place}/made").read_text() == "made\n" and here.read_text() == "given\n"
    assert [path.name for path in place.iterdir() if path.name == "made"] == []
    run_rex("replay", "-l", "A", "-e", "boxed", "-o", "again", "--check", cwd=place)


def test_a_sandboxed_run_can_be_cancelled(place: Path) -> None:
    runnew(place, "-e", "shell", "-o", "first", "--sandbox")      # or skip
    with subprocess.Popen([*REX, "runnew", "-l", "A", "--headless", "-e", "shell", "-o", "out", "--sandbox", "--", "sh", "-c", "echo on; while :; do :; done"],
                          cwd=place, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "on\n"
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 130 and "cancelled" in said


def test_a_sandbox_that_cannot_be_made_is_refused_in_one_line(place: Path) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", "-r", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespace to forbid further ones in")
    command = f"echo 0 > /proc/sys/user/max_user_namespaces; exec {' '.join(REX)} runnew -l A --headless -e shell -o out --sandbox"
    done = subprocess.run(["unshare", "-r", "sh", "-c", command], cwd=place, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 125 and done.stdout == ""
    assert done.stderr.startswith("rex: a sandbox cannot be made here: ") and done.stderr.count("\n") == 1 and "see: rex doctor" in done.stderr
