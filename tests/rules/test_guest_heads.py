"""What guests say of themselves holds: folders, calls, sources, and why the reference engine leaves some out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "guest_runs"))

from guests import GUESTS, INSTRUCTIONS, MODULES, SOURCES, all_guests, read_guest  # noqa: E402
from rex.syscalls import BY_NAME, CALLS, Policy  # noqa: E402
from rex.tracer.reference.limits import NOT_FOLLOWED, REFUSED  # noqa: E402

MAX_WORDS = 25
THREADS = re.compile(r"pthread_create|run_threads|guest_pace|SIGEV_THREAD\b|import (asyncio|threading)|concurrent\.futures|multiprocessing")


def source_of(name: str) -> str:
    """A guest's source, with what it includes of ours, without comments."""
    source = (GUESTS / name).read_text()
    for header in re.findall(r'#include "(?!guest\.h)([\w.]+)"', source):
        path = next(path for path in (GUESTS / "include" / header, (GUESTS / name).parent / header) if path.exists())
        source += path.read_text()
    return re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)


def test_guests_are_in_folders_of_modules() -> None:
    engine = GUESTS.parents[1] / "rex" / "native"
    assert not [name for name in MODULES if not (engine / name).is_dir() and not (engine / "replay" / name).is_dir()]
    assert {path.name for path in GUESTS.iterdir()} == {*MODULES, "include"}
    assert all(path.suffix == ".h" for path in (GUESTS / "include").iterdir())


@pytest.mark.parametrize("name", all_guests())
def test_guest_says_what_it_shows(name: str) -> None:
    guest = all_guests()[name]
    assert guest.text and guest.shows and guest.sources
    assert not {call for call in guest.shows if call not in BY_NAME} - INSTRUCTIONS
    assert not set(guest.sources) - set(SOURCES)
    sentences = re.split(r"(?<=[.!?]) ", guest.text)
    assert len(sentences) <= 3 and max(len(sentence.split()) for sentence in sentences) <= MAX_WORDS


def test_every_source_has_a_guest() -> None:
    assert {source for guest in all_guests().values() for source in guest.sources} == set(SOURCES)


def test_every_supported_call_has_a_guest() -> None:
    shown = {call for guest in all_guests().values() for call in guest.shows}
    supported = {call.name for call in CALLS.values() if call.policy is not Policy.REFUSE}
    assert not supported - shown


@pytest.mark.parametrize("name", [name for name, guest in all_guests().items() if guest.native_reason])
def test_native_guest_names_what_the_reference_engine_leaves_out(name: str) -> None:
    reason = all_guests()[name].native_reason
    assert reason in REFUSED or reason in NOT_FOLLOWED
    assert bool(THREADS.search(source_of(name))) == (reason == "threads")


def test_every_limit_of_the_reference_engine_has_a_guest() -> None:
    assert {guest.native_reason for guest in all_guests().values()} == {"", *REFUSED, *NOT_FOLLOWED}


def test_guest_of_contributing_is_one(tmp_path: Path) -> None:
    page = (GUESTS.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    source = re.findall(r"^```c\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)[0]
    guest = read_guest("clock/uptime.c", source)
    assert guest.shows == ("sysinfo",) and not set(guest.sources) - set(SOURCES)
    (tmp_path / "uptime.c").write_text(source, encoding="utf-8")
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", GUESTS / "include", tmp_path / "uptime.c"], check=True)


@pytest.mark.parametrize("head, error", [
    ("int main(void) {}", "its first comment should say"),
    ("/* It runs.\n *\n * run: walking\n */", "'walking' is not known"),
    ("/* It runs.\n *\n * run: status=high\n */", "'high'"),
    ("/* It runs.\n *\n * engine: other\n */", "'other' is not known"),
])
def test_wrong_heads_are_named(head: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        read_guest("clock/one.c", head)


def test_head_is_read() -> None:
    guest = read_guest("net/one.py", '"""It asks.\n\nrun: racing, outside=servers\nlive: yes, differs=a b\nengine: native (threads)\n'
                                     'shows: read, poll\nsource: signals; timers\n"""\n')
    assert (guest.text, guest.shows, guest.sources) == ("It asks.", ("read", "poll"), ("signals", "timers"))
    assert guest.run.is_racing and guest.run.outside == "servers" and guest.native_reason == "threads"
    assert guest.is_live and guest.differs == {b"a", b"b"} and not guest.not_live
