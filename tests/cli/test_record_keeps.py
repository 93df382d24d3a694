"""What a recording keeps, leaves out and warns of, as a user sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import REX, environment, run_rex
from pace import first
from rex.archive import Archive
from rex.archive.check import check
from rex.tracer import native

pytestmark = pytest.mark.usefixtures("tracing")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))


def test_excluded_files_stay_out_and_replay_names_them(tmp_path: Path) -> None:
    for name in ("secret.txt", "open.txt", "my.key"):
        (tmp_path / name).write_text(f"content of {name}\n")
    done = run_rex("record", "-l", "A", "--exclude", "secret.txt", "--exclude", "*.key", "--", "sh", "-c",
                   "cat secret.txt | wc -c; cat open.txt; cat my.key > copy.key", cwd=tmp_path)
    assert done.returncode == 0 and "left out " in done.stderr and "secret.txt" in done.stderr
    archive = Archive.open(tmp_path / "A")
    files = archive.experiment().manifest.files
    assert files[f"{tmp_path}/open.txt"].contents()
    for name in ("secret.txt", "my.key", "copy.key"):
        assert not files[f"{tmp_path}/{name}"].contents()
    everything = b"".join(archive.store.read_object(d) for p in archive.store.packs() for d in p.places)
    assert b"content of secret.txt" not in everything and b"content of my.key" not in everything
    assert check(archive) == []
    replayed = run_rex("replay", "-l", "A", "-o", "out", cwd=tmp_path, code=None)
    assert f"rex: {tmp_path}/secret.txt is missing: it was kept out of the archive" in replayed.stderr
    assert f"{tmp_path}/my.key is missing" in replayed.stderr and "copy.key is missing" not in replayed.stderr


def test_a_replay_that_diverged_says_so_in_its_last_line_and_status(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("text")
    run_rex("record", "-l", "A", "--exclude", "in", "--", "sh", "-c", "cat in && mkdir new; exit 3", cwd=tmp_path, code=3)
    done = run_rex("replay", "-l", "A", "-o", "one", cwd=tmp_path, code=20)
    assert "diverged" in done.stderr.splitlines()[-1] and "rex: replayed" not in done.stderr
    run_rex("replay", "-q", "-l", "A", "-o", "two", cwd=tmp_path, code=20)
    run_rex("replay", "-l", "A", "-o", "three", "--lenient", cwd=tmp_path, code=3)
    run_rex("replay", "-l", "A", "--check", "--lenient", cwd=tmp_path, code=20)


WRITER = """import os, sys
def out(data):
    while data:
        data = data[os.write(1, data):]
try:
    open("in").close()
    out(b"short\\n")
except OSError:
    for each in sys.argv[1:]:
        out(each.encode() * 9 + b"\\n")
out(b"end\\n")
"""


@pytest.mark.parametrize("words", [["long text"], ["a"], ["long text", "more"]])
@pytest.mark.parametrize("engine", first(1, ["native", "reference"]))
def test_a_replay_that_diverged_writes_everything_once(tmp_path: Path, engine: str, words: list[str]) -> None:
    """Also where the program writes more than the log has of it, and again what it is told was not written."""
    if engine == "native" and not native.is_built():
        pytest.skip("the native engine is not built")
    (tmp_path / "in").write_text("")
    (tmp_path / "p.py").write_text(WRITER)
    run_rex("record", "-l", "A", "--exclude", "in", "--", sys.executable, "-S", "p.py", *words, cwd=tmp_path)
    done = run_rex("replay", "-l", "A", "-o", "out", cwd=tmp_path, code=20, REX_ENGINE=engine)
    assert done.stdout == "".join(f"{word * 9}\n" for word in words) + "end\n"


@pytest.mark.parametrize("engine", first(1, ["native", "reference"]))
@pytest.mark.parametrize("script", ["cat in", "cat in || echo none", "test -s in && echo some; echo end"])
def test_a_replay_without_a_file_does_not_pass_for_identical(tmp_path: Path, script: str, engine: str) -> None:
    """Neither where it says less than when it was recorded, nor where it says more."""
    if engine == "native" and not native.is_built():
        pytest.skip("the native engine is not built")
    (tmp_path / "in").write_text("content\n")
    run_rex("record", "-q", "-l", "A", "--exclude", "in", "--", "sh", "-c", script, cwd=tmp_path)
    done = run_rex("replay", "-l", "A", "-o", "out", "--check", cwd=tmp_path, code=None, REX_ENGINE=engine)
    if script.startswith("test"):    # its size is known
        assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "rex: A:exp0: identical")
    else:
        assert done.returncode == 20 and "differs at event" in done.stderr.splitlines()[-1], done.stderr


def test_an_excluded_standard_input(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("secret\n")
    with open(tmp_path / "in", encoding="utf-8") as stdin:
        done = subprocess.run([*REX, "record", "-l", "A", "--json", "--exclude", "in", "--", "wc", "-c"],
                              cwd=tmp_path, stdin=stdin, capture_output=True, text=True, env=environment(), timeout=60)
    assert json.loads(done.stderr)["excluded"] == [f"{tmp_path}/in"]
    assert Archive.open(tmp_path / "A").experiment().manifest.attachments == {}
    assert f"{tmp_path}/in is missing" in run_rex("replay", "-l", "A", "-o", "out", cwd=tmp_path, code=None).stderr


def test_keys_are_warned_of(tmp_path: Path) -> None:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text("aws_secret_access_key = x\n")
    done = run_rex("record", "-l", "A", "--", "cat", ".aws/credentials", cwd=tmp_path)
    assert f"{tmp_path}/.aws/credentials looks like a key or a password" in done.stderr
    assert Archive.open(tmp_path / "A").experiment().manifest.warnings
    assert "looks like" not in run_rex("record", "-l", "A", "--exclude", ".aws", "--", "cat", ".aws/credentials",
                                       cwd=tmp_path).stderr


def test_variables_that_are_kept_and_dropped(tmp_path: Path) -> None:
    given = {"MY_TOKEN": "t0ken-value", "OTHER_TOKEN": "kept-value", "HARMLESS": "dropped-value", "PLAIN": "plain"}
    done = run_rex("record", "-l", "A", "--keep-env", "OTHER_*", "--drop-env", "HARM*", "--", "sh", "-c", "true",
                   cwd=tmp_path, **given)
    assert "MY_TOKEN" in done.stderr and "HARMLESS" in done.stderr
    experiment = Archive.open(tmp_path / "A").experiment()
    kept = experiment.manifest.environment
    assert kept["OTHER_TOKEN"] == "kept-value" and kept["PLAIN"] == "plain"
    assert "MY_TOKEN" not in kept and "HARMLESS" not in kept
    assert {"MY_TOKEN", "HARMLESS"} <= set(experiment.manifest.withheld)
    log = experiment.open_log().read()
    assert b"t0ken-value" not in log and b"dropped-value" not in log and b"kept-value" in log


def test_credentials_are_found_by_value(tmp_path: Path) -> None:
    (tmp_path / "app.ini").write_text("password = hunter22x\n")
    given = {"PROXY": "http://me:q8w7e6@proxy:3128", "PLAIN_PROXY": "http://proxy:3128"}
    done = run_rex("record", "-l", "A", "--", "sh", "-c", "cat app.ini; echo $2", "sh", "--token", "q8w7e6r5", cwd=tmp_path, **given)
    assert "argument 5 of sh looks like a credential by its name and is in the archive; " in done.stderr
    assert f"{tmp_path}/app.ini holds what looks like a credential by its name" in done.stderr
    experiment = Archive.open(tmp_path / "A").experiment()
    assert "PROXY" in experiment.manifest.withheld and experiment.manifest.environment["PLAIN_PROXY"] == given["PLAIN_PROXY"]
    assert experiment.manifest.command[5] == "q8w7e6r5"      # replay needs it
    run_rex("replay", "-l", "A", "-o", "out", "--check", cwd=tmp_path)
    found = run_rex("check", "--secrets", "A:exp0", cwd=tmp_path, code=1).stdout
    assert "exp0: argument 5 of sh looks like" in found and "app.ini" in found and "q8w7e6r5" not in found and "hunter22x" not in found
    kept = run_rex("record", "-l", "A", "--keep-env", "PROXY", "--", "true", cwd=tmp_path, **given)
    assert "withheld" not in kept.stderr
    assert "the variable PROXY looks like a password in a URL" in run_rex("check", "--secrets", "A:exp1", cwd=tmp_path, code=1).stdout


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_redacted_recording_replays_with_placeholders(tmp_path: Path, engine: str) -> None:
    if engine == "native" and not native.is_built():
        pytest.skip("the native engine is not built")
    given = {"COPY": "q8w7e6r5", "REX_ENGINE": engine}
    script = "echo $2 $COPY; cat /proc/$$/cmdline | wc -c; sh -c 'echo child $0' $2; exit 3"
    done = run_rex("record", "-l", "A", "--redact", "--", "sh", "-c", script, "sh", "--token", "q8w7e6r5", cwd=tmp_path, code=3, **given)
    assert "q8w7e6r5 q8w7e6r5\n" in done.stdout and "child q8w7e6r5\n" in done.stdout and "; redacted argument 5;" in done.stderr
    experiment = Archive.open(tmp_path / "A").experiment()
    assert b"q8w7e6r5" not in experiment.open_log().read() and "q8w7e6r5" not in repr(experiment.manifest)
    assert "q8w7e6r5" not in json.dumps(experiment.begun)
    assert experiment.manifest.command[5] == experiment.manifest.environment["COPY"] == "REDACTED"
    run_rex("replay", "-l", "A", "-o", "out", "--check", cwd=tmp_path, REX_ENGINE=engine)
    again = run_rex("replay", "-l", "A", "-o", "out2", cwd=tmp_path, code=3, REX_ENGINE=engine)
    assert again.stdout == done.stdout.replace("q8w7e6r5", "REDACTED")
    assert run_rex("check", "--secrets", "A", cwd=tmp_path).stdout == "A: 1 experiment, no credentials found\n"


def test_a_redacted_recording_that_is_killed_leaves_no_credential(tmp_path: Path) -> None:
    with subprocess.Popen([*REX, "record", "-l", "A", "--redact", "--", "sh", "-c", "echo $1; exec sleep 60", "sh", "--token=q8w7e6r5"],
                          cwd=tmp_path, env=environment(), stdout=subprocess.PIPE) as recorder:
        assert recorder.stdout is not None and recorder.stdout.readline() == b"--token=q8w7e6r5\n"
        recorder.kill()
    assert not [path for path in (tmp_path / "A").rglob("*") if path.is_file() and b"q8w7e6r5" in path.read_bytes()]


def test_a_replay_that_misses_a_password_says_so(tmp_path: Path) -> None:
    given = {"MY_PASSWORD": "open sesame", "MY_PASSWORD_FILE": "/run/password", "LIB_PATH": "x"}
    uses = "echo $MY_PASSWORD_FILE; [ \"$MY_PASSWORD\" = 'open sesame' ] && echo right"
    for script, is_told in ((uses, True), ("echo $MY_PASSWORD_FILE", False)):
        run_rex("record", "-l", "A", "--", "sh", "-c", script, cwd=tmp_path, **given)
        again = run_rex("replay", "-l", "A", "-o", "out", cwd=tmp_path, code=None)
        assert "/run/password\n" in again.stdout
        assert ("withheld as it was recorded: MY_PASSWORD;" in again.stderr) == is_told
        run_rex("rm", "A:exp0", cwd=tmp_path)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_first_and_last_states(tmp_path: Path, engine: str) -> None:
    (tmp_path / "data").write_text("first")
    (tmp_path / "read").write_text("r")
    os.link(tmp_path / "read", tmp_path / "read2")
    (tmp_path / "gone").write_text("was here")
    script = ("cat data read read2 gone > /dev/null; for i in 1 2 3 4 5 6 7 8 9; do echo $i > data; done; "
              "rm gone; mkdir empty; cat data")
    done = run_rex("record", "-l", "A", "--", "sh", "-c", script, cwd=tmp_path, REX_ENGINE=engine)
    if "not built" in done.stderr:
        pytest.skip("the native engine is not built")
    archive = Archive.open(tmp_path / "A")
    files = archive.experiment().manifest.files

    def content(state: object) -> bytes:
        return archive.read(state.content)  # type: ignore[attr-defined]

    data, gone = files[f"{tmp_path}/data"], files[f"{tmp_path}/gone"]
    assert (content(data.initial), content(data.final)) == (b"first", b"9\n")
    assert content(gone.initial) == b"was here" and gone.final is None
    empty = files[f"{tmp_path}/empty"]
    assert empty.initial is None and empty.final and empty.final.type == "dir"
    linked = files[f"{tmp_path}/read2"].initial
    assert linked and linked.link_of == f"{tmp_path}/read" and content(linked) == b"r"
    run_rex("replay", "-l", "A", "--check", "-o", "out", cwd=tmp_path, REX_ENGINE=engine)


def test_a_sandboxed_replay(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("b\na\n")
    run_rex("record", "-l", "A", "--", "sh", "-c", "sort in > out; cat out; exit 3", cwd=tmp_path, code=3)
    done = run_rex("replay", "-l", "A", "-o", "o", "--sandbox", cwd=tmp_path, code=None)
    if "a sandbox cannot be made" in done.stderr:
        assert done.returncode == 125 and "see: rex doctor" in done.stderr
        pytest.skip(done.stderr)
    assert (done.returncode, done.stdout) == (3, "a\nb\n"), done.stderr
    assert Path(f"{tmp_path}/o{tmp_path}/out").read_text() == "a\nb\n"
    run_rex("replay", "-l", "A", "-o", "o2", "--sandbox", "--check", cwd=tmp_path)
    refused = run_rex("replay", "-l", "A", "-o", "o3", "--sandbox", cwd=tmp_path, code=None, REX_ENGINE="reference")
    assert refused.returncode == 125 and "--sandbox needs the native engine" in refused.stderr
    assert not [name for name in os.listdir(tmp_path / "cache") if name.startswith("replay-")]


SPINS = """
import threading
turns, is_over = 0, False
def spin():
    global turns
    while not is_over:
        turns += 1
thread = threading.Thread(target=spin)
thread.start()
for _ in range(200000):
    pass
is_over = True
thread.join()
print("." * (turns % 4001), end="")
"""


@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
def test_a_replay_whose_threads_say_less_or_more_tells_it(tmp_path: Path) -> None:
    """What they do depends on their order, which is not that of the log."""
    recorded = run_rex("record", "-q", "-l", "A", "--", sys.executable, "-I", "-S", "-c", SPINS, cwd=tmp_path, REX_ENGINE="native")
    for number in range(4):
        done = run_rex("replay", "-q", "-l", "A", "-o", f"out{number}", "--json", cwd=tmp_path, code=None, REX_ENGINE="native")
        said, _, report = done.stdout.rpartition('{"archive": ')
        is_same = said == recorded.stdout
        assert json.loads('{"archive": ' + report)["check"] == (0 if is_same else 20), done.stderr
        assert is_same or "diverged at event" in done.stderr


def test_what_a_recorded_program_is_refused_is_told_once(tmp_path: Path) -> None:
    if not native.is_built():
        pytest.skip("the native engine is not built")
    script = "import os\nfor _ in range(2):\n    try:\n        os.chroot('/')\n    except OSError as error:\n        print(error.errno)"
    done = run_rex("record", "-l", "A", "--", sys.executable, "-c", script, cwd=tmp_path, REX_ENGINE="native")
    assert (done.returncode, done.stdout) == (0, "1\n1\n")
    assert done.stderr.count("asked for chroot, which is refused to recorded programs") == 1
    run_rex("replay", "-l", "A", "-o", "out", "--check", cwd=tmp_path)
