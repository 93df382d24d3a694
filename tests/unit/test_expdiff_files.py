"""Which files belong together."""

from __future__ import annotations

from rex.archive import APPARATUS, INPUT, OUTPUT, ElfFacts, FileEntry, FileState, Manifest
from rex.expdiff.files import final_state, has_role, is_removed, match, state_for

HERE, THERE = FileState("file", size=1), FileState("file", size=2)


def pairs(cwd: str, ours: list[str], other: str, theirs: list[str]) -> list[tuple[str, str, str]]:
    """Names and paths of the pairs of two sets of inputs."""
    left, right = (Manifest((), cwd=at, files={p: FileEntry(HERE, roles=(INPUT,)) for p in paths})
                   for at, paths in ((cwd, ours), (other, theirs)))
    return [(pair.name, pair.left_path, pair.right_path) for pair in match(left, right, INPUT)]


def test_states_and_roles() -> None:
    unchanged, removed = FileEntry(HERE, None), FileEntry(HERE, None, True, (INPUT,))
    changed = FileEntry(HERE, THERE, True, (INPUT, OUTPUT))
    assert final_state(unchanged) == HERE and final_state(removed) is None and final_state(changed) == THERE
    assert is_removed(removed) and not is_removed(unchanged) and not is_removed(changed)
    assert has_role(removed, OUTPUT) and not has_role(unchanged, OUTPUT)
    assert state_for(changed, INPUT) == HERE and state_for(changed, OUTPUT) == THERE


def test_by_absolute_path() -> None:
    assert pairs("/w", ["/a", "/w/b"], "/w", ["/a", "/w/c"]) == [
        ("/a", "/a", "/a"), ("/w/b", "/w/b", ""), ("/w/c", "", "/w/c")]


def test_by_path_from_directories_that_differ() -> None:
    assert pairs("/v", ["/v/x", "/v/only", "/a"], "/w/", ["/w/x", "/a"]) == [
        ("/a", "/a", "/a"), ("/v/only", "/v/only", ""), ("x", "/v/x", "/w/x")]


def test_from_the_root_directory() -> None:
    assert pairs("/", ["/usr/lib/x", "/in"], "/w", ["/usr/lib/x", "/w/in"]) == [
        ("/usr/lib/x", "/usr/lib/x", "/usr/lib/x"), ("in", "/in", "/w/in")]


def test_one_directory_inside_the_other() -> None:
    assert pairs("/p", ["/p/in", "/p/s/in"], "/p/s", ["/p/s/in"]) == [
        ("/p/s/in", "/p/s/in", ""), ("in", "/p/in", "/p/s/in")]


def test_libraries_by_soname_unless_ambiguous() -> None:
    def manifest(*paths: str) -> Manifest:
        elf = ElfFacts(soname="l.so")
        return Manifest((), files={p: FileEntry(HERE, roles=(APPARATUS,), elf=elf) for p in paths})

    assert [(p.left_path, p.right_path) for p in match(manifest("/l.1"), manifest("/l.2"), APPARATUS)] == [
        ("/l.1", "/l.2")]
    assert [(p.left_path, p.right_path) for p in match(manifest("/l.1", "/l.2"), manifest("/l.3"), APPARATUS)] == [
        ("/l.1", ""), ("/l.2", ""), ("", "/l.3")]


def made(ours: list[str], theirs: list[str]) -> list[tuple[str, str, bool]]:
    """Paths of the pairs of what two experiments made in /a and /b, and whether only a number tells them apart."""
    left, right = (Manifest((), cwd=at, files={p: FileEntry(None, HERE, True, (OUTPUT,)) for p in paths})
                   for at, paths in (("/a", ours), ("/b", theirs)))
    return [(pair.left_path, pair.right_path, pair.is_renumbered) for pair in match(left, right, OUTPUT)]


def test_by_names_without_dates_and_numbers() -> None:
    assert made(["/a/run_20260102/x"], ["/b/run_20260304/x"]) == [("/a/run_20260102/x", "/b/run_20260304/x", False)]
    assert made(["/a/run1/x"], ["/b/run2/x"]) == [("/a/run1/x", "/b/run2/x", True)]
    assert sorted(made(["/a/x1", "/a/x2"], ["/b/x1", "/b/x3"])) == [("/a/x1", "/b/x1", False), ("/a/x2", "/b/x3", True)]
    assert pairs("/a", ["/a/x1"], "/a", ["/a/x2"]) == [("/a/x1", "/a/x1", ""), ("/a/x2", "", "/a/x2")]   # inputs have the user's names


def test_packages_in_other_environments() -> None:
    one, two = "/a/lib/python3.11/site-packages/p/m.py", "/b/lib/python3.12/site-packages/p/m.py"
    assert pairs("/w", [one], "/w", [two]) == [(one, one, two)]
    assert len(pairs("/w", [one, "/c/site-packages/p/m.py"], "/w", [two])) == 3
