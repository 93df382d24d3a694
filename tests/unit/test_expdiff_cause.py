"""Why an output differs."""

from __future__ import annotations

from rex.expdiff.cause import (CHANCE, FILE, FOLLOWING, VARIABLE, Detective, Story, Suspect, Suspects, names_file,
                               rank_of)
from rex.expdiff.difference import Difference
from rex.expdiff.trace import END, Exec, Task, Trace


def pipeline() -> Trace:
    """A shell (task 0) runs make (1), which writes /db; then tool (2), piped to sort (3), which writes /out."""
    trace = Trace()
    for number, (name, start, end) in enumerate((("sh", 0, END), ("make", 10, 20), ("tool", 30, 60), ("sort", 31, 61))):
        trace.tasks[number] = Task(number, None if number == 0 else 0, max(0, number - 1), number, start, end,
                                   [Exec(start + 1, f"/bin/{name}", (name,), (name,))])
        trace.use(number, f"/bin/{name}", start + 1, False)
    trace.use(1, "/src", 12, False)
    trace.use(1, "/db", 13, True)
    trace.use(2, "/db", 40, False)
    trace.use(3, "/out", 32, True)
    trace.use(1, "/log", 14, True)
    return trace


def why(trace: Trace, output: str, **suspects: object) -> str:
    """The sentence about an output."""
    story = Story(trace, Suspects(**suspects))   # type: ignore[arg-type]
    return Detective(story, story).find(output, (story.writers(output), story.writers(output))).sentence


def file(path: str, component: str = "inputs", rank: int = FILE) -> dict[str, Suspect]:
    return {path: Suspect(f"{path} differs", component, path, rank)}


def test_through_files_and_a_pipe() -> None:
    assert why(pipeline(), "/out", files=file("/src")) == (
        "/out: most probably because /src differs; make (task 1) read it and wrote /db, "
        "tool (task 2) may have piped to sort (task 3), sort (task 3) wrote /out")
    assert why(pipeline(), "/log", files=file("/src")).endswith("; make (task 1) read it and wrote /log")


def test_the_earliest_counts() -> None:
    files = {**file("/src"), **file("/bin/tool", "apparatus"), **file("/bin/make", "apparatus")}
    sentence = why(pipeline(), "/out", files=files)
    assert "because /bin/make differs; make (task 1) ran or loaded it and wrote /db" in sentence


def test_what_came_too_late_or_never_on_the_way() -> None:
    trace = pipeline()
    trace.use(0, "/late", 70, False)
    assert why(trace, "/out", files=file("/late")) == "/out: nothing on the way to it differs in the records"
    assert "nothing" in why(trace, "/log", files=file("/bin/tool"))


def test_files_before_variables_before_chance() -> None:
    trace = pipeline()
    trace.chance[3, "the time"] = [35]
    variable = Suspect("variable A is '1' in the first and '2' in the second", "environment", "A", VARIABLE)
    assert "because /src differs" in why(trace, "/out", files=file("/src"), given=[variable])
    assert "because variable A" in why(trace, "/out", given=[variable])
    assert why(trace, "/out") == ("/out: most probably because sort (task 3) asked for the time; "
                                  "sort (task 3) wrote /out")


def test_the_nearest_chance_counts() -> None:
    trace = pipeline()
    trace.chance.update({(1, "random numbers"): [15], (2, "the time"): [45]})
    assert "because tool (task 2) asked for the time" in why(trace, "/out")
    assert CHANCE > FILE


def test_the_cache_of_the_loader_comes_last() -> None:
    trace = pipeline()
    trace.use(3, "/etc/ld.so.cache", 31, False)
    trace.use(3, "/lib/libc.so", 32, False)
    files = {**file("/etc/ld.so.cache", rank=rank_of("/etc/ld.so.cache")), **file("/lib/libc.so", "apparatus")}
    assert "because /lib/libc.so differs" in why(trace, "/out", files=files)
    assert "because /etc/ld.so.cache differs" in why(trace, "/out", files=file("/etc/ld.so.cache", rank=1))


def test_files_that_a_shell_opened_for_its_children() -> None:
    trace = pipeline()   # sh itself opens /all, and again for a last child, cut: as vfork makes it look
    trace.use(0, "/all", 25, True)
    trace.use(0, "/all", 65, False)
    trace.tasks[4] = Task(4, 0, 3, 4, 66, 70, [Exec(67, "/bin/cut", ("cut",))])
    trace.use(4, "/short", 68, True)
    assert "tool (task 2) ran or loaded it and may have sent data to sh (task 0), sh (task 0) wrote /all" in why(
        trace, "/short", files=file("/bin/tool", "apparatus"))


def test_as_json() -> None:
    story = Story(pipeline(), Suspects(files=file("/src")))
    told = Detective(story, Story(Trace(), Suspects())).find("/log", (story.writers("/log"), [])).as_json()
    assert told["item"] == "/src" and told["event"] == 12 and told["side"] == "left" and told["component"] == "inputs"


def interpreter() -> Trace:
    """An interpreter (task 0) that reads its script (event 20) and writes /out (30)."""
    trace = Trace()
    trace.tasks[0] = Task(0, None, 0, 0, 0, END, [Exec(1, "/bin/py", ("py", "script"), ("py",))])
    trace.use(0, "/w/script", 20, False)
    trace.use(0, "/out", 30, True)
    return trace


def test_what_an_interpreter_asks_for_as_it_starts_comes_last() -> None:
    trace = interpreter()
    trace.chance.update({(0, "random numbers"): [5], (0, "the time"): [10]})
    assert "asked for random numbers" in why(trace, "/out")
    trace.ask(0, "the time", 29)
    assert "asked for the time" in why(trace, "/out")
    trace.ask(0, "random numbers", 28)
    assert "asked for the time" in why(trace, "/out")      # it is nearer
    assert "because /w/script differs" in why(trace, "/out", files=file("/w/script"))


def test_files_that_follow_a_variable() -> None:
    def follows(variable: str, old: str | None, new: str | None, path: str) -> bool:
        return names_file(Difference(variable, left=old, right=new), path)

    assert follows("LC_ALL", None, "en_US.UTF-8", "/etc/locale.alias") and not follows("LC_ALL", None, "C", "/etc/hosts")
    assert follows("PATH", "/a/bin:/usr/bin", "/b:/usr/bin", "/a/bin/tool") and not follows("PATH", "/a", "/b", "/c/tool")
    assert follows("TZ", None, "Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin")
    assert follows("N", "1", "2", "/w/data_2.txt") and not follows("N", "1", "2", "/w/data_12.txt")
    assert not follows("N", "", None, "/w/data") and follows("CONF", "a.conf", None, "/w/a.conf")


def test_a_variable_wins_over_what_follows_it() -> None:
    variable = Suspect("variable V is another one", "environment", "V", VARIABLE)
    assert "because variable V" in why(pipeline(), "/out", files=file("/src", rank=FOLLOWING), given=[variable])
