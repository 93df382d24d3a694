"""The archive that a program is recorded into is not there for the program."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

from commands import REX, environment, run_rex
from rex.archive import Archive
from rex.archive.check import check
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")]
LOOKS = Path(__file__).with_name("own_archive_looks.py")
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may write."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


def fill(place: Path) -> None:
    """What own_archive_looks.py wants."""
    (place / "sub").mkdir()
    (place / "file").write_text("x\n")
    (place / "link").symlink_to("A")
    (place / "inner").symlink_to("A/experiments")


def is_whole(place: Path, name: str = "A") -> bool:
    return not [problem for problem in check(Archive.open(place / name)) if not problem.is_harmless]


def record(place: Path, *command: str, archive: str = "A") -> str:
    """Record, check that a replay is identical and that the archive is whole; what Rex wrote."""
    done = run_rex("record", "-l", archive, "--", *command, cwd=place)
    experiment = Archive.open(place / archive).experiments()[-1].name
    run_rex("replay", "-l", archive, "-e", experiment, "--check", cwd=place)
    assert is_whole(place, archive)
    return done.stdout + done.stderr


@pytest.mark.parametrize("times", [1, 20], ids=["at stops", "without stops"])
def test_no_call_finds_it_by_any_name(tmp_path: Path, times: int) -> None:
    place = tmp_path / "w"
    place.mkdir()
    fill(place)
    told = record(place, sys.executable, str(LOOKS), "A", str(times))
    assert told.startswith("['file', 'inner', 'link', 'sub']\ndone\n"), told
    assert told.count(f"rex: {place}/A is Rex's own and hidden from the program, whose calls there failed\n") == 1


def test_no_call_finds_it_with_one_task_at_a_time(tmp_path: Path) -> None:
    place = tmp_path / "w"
    place.mkdir()
    fill(place)
    done = run_rex("record", "--serialize", "-l", "A", "--", sys.executable, str(LOOKS), "A", "1", cwd=place)
    assert done.stdout == "['file', 'inner', 'link', 'sub']\ndone\n"
    run_rex("replay", "-l", "A", "-e", "exp0", "--check", cwd=place)


def test_an_ordinary_user_does_not_find_it(open_folder: Path) -> None:
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("needs root, to become another user")
    if subprocess.run([*NOBODY, *REX, "--version"], env=environment(), capture_output=True, check=False).returncode:
        pytest.skip("another user may not read Rex")
    fill(open_folder)
    (open_folder / "looks.py").write_text(LOOKS.read_text().replace('"link", "sub"', '"link", "looks.py", "sub"'))
    os.chown(open_folder / "file", 65534, 65534)
    done = subprocess.run([*NOBODY, *REX, "record", "-l", "A", "--", "/usr/bin/env", "python3", "looks.py", "A", "20"], cwd=open_folder, capture_output=True,
                          text=True, env=environment(REX_CACHE=str(open_folder / "sub/cache"), PYTHONDONTWRITEBYTECODE="1"), timeout=120, check=False)
    assert done.returncode == 0 and done.stdout == "['file', 'inner', 'link', 'looks.py', 'sub']\ndone\n", done.stdout + done.stderr
    assert is_whole(open_folder)


def test_programs_that_walk_through_a_folder_leave_it_alone(tmp_path: Path) -> None:
    place = tmp_path / "w"
    place.mkdir()
    for number in range(30):
        (place / f"dir{number}").mkdir()
        (place / f"dir{number}" / "file").write_text("word\n")
    told = record(place, "sh", "-c", "tar cf ../all.tar . && tar tf ../all.tar | grep -c A; grep -rc word . | wc -l; chmod -R u+r .; find . -name packs; "
                  "find . -delete; ls")
    assert told.startswith("0\n30\n"), told
    assert told.count(f"{place}/A") == 1 and f"hid {place}/A from listings" in told


def test_a_directory_that_holds_it_stays(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    told = record(tmp_path, "sh", "-c", "mv w moved; rm -rf w; ls -a w; mkdir other; mv -T other w; ls", archive="w/A")
    assert "Device or resource busy" in told and "Directory not empty" in told, told
    assert told.startswith(".\n..\n") and told.count("is Rex's own and hidden") == 1


def test_a_cache_that_the_recording_makes_is_hidden_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    told = record(tmp_path, "sh", "-c", "ls; ls cache; find . -name cache; rm -rf cache/*; chmod -R 000 cache/.; true")
    assert "cannot access 'cache'" in told and not told.startswith("cache\n") and "./cache\n" not in told, told
    assert os.listdir(tmp_path / "cache")


def test_a_descriptor_of_it_is_not_inherited(tmp_path: Path) -> None:
    Archive.create(tmp_path / "A")
    looks = "import os\nfor n in (8, 9):\n try: print(os.listdir(n))\n except OSError as e: print(e.strerror)"
    command = f'exec {shlex.join(REX)} record -l A -- {shlex.quote(sys.executable)} -c {shlex.quote(looks)} 8<A/packs 9<A'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "Bad file descriptor\nBad file descriptor\n", done.stdout + done.stderr


def test_only_its_listing_is_mentioned_in_the_summary(tmp_path: Path) -> None:
    place = tmp_path / "w"
    place.mkdir()
    told = record(place, "ls")
    assert f"hid {place}/A from listings" in told and len(told.splitlines()) == 1, told


@pytest.mark.parametrize("command", ["ls {}", "cat {}/rex-archive.json", "rm -rf {}; ls {}"])
def test_a_mount_does_not_lead_there(tmp_path: Path, command: str) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "mounted").mkdir()
    Archive.create(tmp_path / "w" / "A")
    script = f"mount --bind w/A mounted && exec {' '.join(REX)} record -l w/A -- sh -c '{command.format('mounted', 'mounted')}'"
    unshare = ["unshare", "-m", "--propagation", "private"]
    if not shutil.which("unshare") or subprocess.run([*unshare, "mount", "--bind", tmp_path, tmp_path], capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount")
    done = subprocess.run([*unshare, "sh", "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert "No such file or directory" in done.stderr and "mounted is Rex's own" in done.stderr, done.stderr
    assert is_whole(tmp_path / "w") and Archive.open(tmp_path / "w/A").experiments()


def test_a_program_that_begins_in_it_sees_it(tmp_path: Path) -> None:
    Archive.create(tmp_path / "A")
    done = run_rex("record", "-l", ".", "--", "ls", cwd=tmp_path / "A")
    assert "rex-archive.json" in done.stdout and "the program began in the archive, which it can see and change" in done.stderr


def test_a_new_experiment_does_not_find_it_either(tmp_path: Path) -> None:
    record(tmp_path, "ls", "/dev/null")
    done = run_rex("runnew", "-l", "A", "--headless", "-e", "exp0", "--args", f"{tmp_path} {tmp_path}/A", "-o", "out", "--record", "new",
                   cwd=tmp_path, code=2)
    assert f"cannot access '{tmp_path}/A'" in done.stderr and "\nA\n" not in done.stdout, done.stdout + done.stderr
    run_rex("replay", "-l", "A", "-e", "new", "--check", cwd=tmp_path)
