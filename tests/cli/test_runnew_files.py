"""What a new run sees of files: what was refused to the experiment, and a folder in the place of another."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from commands import run_rex
from rex.archive import Archive
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine runs live")]
# Root is refused nothing: the recorded program becomes another user.
AS_USER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.geteuid() == 0 else []


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))


@pytest.mark.skipif(bool(AS_USER) and not shutil.which("setpriv"), reason="setpriv is not installed")
@pytest.mark.parametrize("later", ["gone", "readable"])
def test_a_refusal_stays_one(later: str) -> None:
    with tempfile.TemporaryDirectory() as top:     # those of pytest are closed to other users
        os.chmod(top, 0o755)
        _refuse(Path(top), later)


def _refuse(top: Path, later: str) -> None:
    work = top / "work"
    work.mkdir()
    for name, mode in (("secret", 0), ("fixed", 0o444), ("shut", 0o600)):
        (work / name).mkdir() if name == "shut" else (work / name).write_text(name)
        (work / name).chmod(mode)
    work.chmod(0o555)
    words = ("cat secret; test -r secret || echo unreadable; echo x > fixed; mkdir new; rm fixed; chmod 777 fixed; ls shut; cat shut/in; "
             "./secret; cd shut")
    told = run_rex("record", "-l", "../E", "--", *AS_USER, "sh", "-c", words, cwd=work, code=None)
    assert told.stderr.count("denied") >= 7 and "unreadable" in told.stdout
    work.chmod(0o755)
    for name in ("secret", "fixed", "shut"):
        if later == "gone":
            (work / name).rename(work / f"{name}.away")
        else:
            (work / name).chmod(0o777)
    ran = run_rex("runnew", "-q", "-l", "../E", "--headless", "-o", "../out", "--", "sh", "-c", words, cwd=work, code=None)
    assert ran.stdout == told.stdout
    assert ran.stderr.splitlines() == [line for line in told.stderr.splitlines() if not line.startswith("rex: ")]


def test_a_folder_stands_for_another(tmp_path: Path) -> None:
    for path, text in (("in/same", "1"), ("in/gone", "2"), ("in/sub/gone", "3"), ("new/same", "10"), ("new/more", "20"), ("new/deep/er", "30")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "new/empty").mkdir()
    words = "ls -R in; cat in/* in/*/* 2>/dev/null; echo; test -e in/gone && echo gone; echo made > in/made; ls in"
    run_rex("record", "-l", "E", "--", "sh", "-c", words, cwd=tmp_path)
    (tmp_path / "in/made").unlink()
    done = run_rex("runnew", "-l", "E", "-e", "exp0", "--headless", "--file", "in=new", "-o", "out", "--record", cwd=tmp_path)
    assert done.stdout.split() == [
        "in:", "deep", "empty", "more", "same", "in/deep:", "er", "in/empty:", "201030", "deep", "empty", "made", "more", "same"]
    assert f"the folder {tmp_path}/in is taken from {tmp_path}/new (3 files)" in run_rex("show", "E:exp1", cwd=tmp_path).stdout
    assert sorted(os.listdir(tmp_path / "new")) == ["deep", "empty", "more", "same"]
    shutil.rmtree(tmp_path / "new")
    assert "identical" in run_rex("replay", "-l", "E", "-e", "exp1", "--check", cwd=tmp_path).stderr


@pytest.mark.parametrize("local, why", [("E/rex-archive.json", "not a folder"), ("none", "there is no folder"), ("linked", "a link to a folder")])
def test_what_cannot_stand_for_a_folder(tmp_path: Path, local: str, why: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a").write_text("")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/in").symlink_to(tmp_path / "in")
    run_rex("record", "-l", "E", "--", "cat", "in/a", cwd=tmp_path)
    done = run_rex("runnew", "-l", "E", "--headless", "--file", f"in={local}", "-o", "out", cwd=tmp_path, code=125)
    assert why in done.stderr and not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", ["cat in | sort > out; wc -c < in; test -e flag; ls", "mkdir new; touch new/a; rm gone; ls -l /etc/hostname; ls new; ls"])
def test_a_run_with_nothing_changed_is_identical(tmp_path: Path, words: str) -> None:
    for name in ("in", "gone"):
        (tmp_path / name).write_text(name)
    run_rex("record", "-l", "E", "--", "sh", "-c", words, cwd=tmp_path)
    run_rex("runnew", "-l", "E", "--headless", "-o", "out1", "--record", cwd=tmp_path)
    done = run_rex("expdiff", "E:exp0", "E:exp1", cwd=tmp_path)
    assert "are the same" in done.stdout
    one, two = (Archive.open(tmp_path / "E").experiment(name).manifest.files for name in ("exp0", "exp1"))
    unwinder = {path for path in one if path.endswith("/libgcc_s.so.1")}
    assert unwinder <= two.keys()
