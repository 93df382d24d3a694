"""From a recording's log to the facts of its processes, in one pass."""

from __future__ import annotations

import errno
import hashlib
import stat
import struct
from posixpath import normpath
from signal import SIGPIPE
from typing import TYPE_CHECKING, Callable

from rex import codec
from rex.errors import Damaged
from rex.log import LogReader
from rex.log.directories import Directories
from rex.log.decoded import Stat, stat_in, variables_on
from rex.log.records import ARGV, DUP, EXIT, IN, INHERITED, OUT, PIPE, RANDOM, RESOLVED, SCRIPT, SHARED, STACK, STAT, TASK, Event
from rex.log.uses import ADJUST, MOVED, READ, REMOVE_DIRECTORY, file_uses, is_exclusive, open_flags
from rex.log.uses import REMOVE as REMOVED
from rex.syscalls import CALLS, Op
from rex.trees import answers, calls, facts, inherited, looks
from rex.trees.changed import ChangedNames
from rex.trees.facts import ABSENT, DATED, FILE, KERNEL, LIST, LOOK, NAME, OWN, SET, TIME, WRITE, ProcessFacts, RunFacts, Use
from rex.trees.standards import StandardDescriptors
from rex.trees.times import is_of_run
from rex.workflow.recorded import RecordedReader

if TYPE_CHECKING:
    from rex.archive import Experiment

_LOW = 0xFFFFFFFF
_ACCESS, _SIGNAL = 3, 0x7F
_KERNEL = ("/proc/", "/sys/")
_TERMINAL, _RANDOM_DEVICES = "/dev/tty", ("/dev/random", "/dev/urandom")
_LIBC_DRAW = (8, 1)              # glibc draws as many bytes, with GRND_NONBLOCK, for the heap of every program
_MOST_PRINTED = 1 << 20
_LOCAL = b"\1\0"                 # family of addresses that are names of files


def read_facts(experiment: "Experiment") -> RunFacts:
    """The facts that a finished experiment's log and manifest tell.

    Raises:
        NotFound: it is unfinished or has no log.
        Damaged, TooNew: they cannot be read.
    """
    reader, recorded = _Reader(experiment), RecordedReader(experiment.manifest)
    number = 0
    try:
        with LogReader(experiment.open_log()) as log:
            for number, event in enumerate(log):
                reader.take(number, event)
                recorded.take(event)
        found = reader.finish()
        found.ties = recorded.finish().ties
        return found
    except (LookupError, ValueError, TypeError, OverflowError) as error:   # events that no recorder writes, or in no order of its
        raise Damaged(f"the log of {experiment.name} is damaged", f"event {number} makes no sense: {error!r}", "see: rex check") from error


class _Reader:
    def __init__(self, experiment: "Experiment") -> None:
        self._manifest = experiment.manifest
        self._files = self._manifest.files
        self._found = RunFacts()
        self._environments: dict[str, int] = {}
        self._leaders: dict[int, int] = {}
        self._pids: dict[int, int] = {}                       # as the log's processes were named then
        self._directories = Directories(self._manifest.cwd)
        self._streams: dict[int, tuple[str, list[bytes], int]] = {}     # external: path, what was read, process
        self._standards = StandardDescriptors()
        self._links: dict[str, str] = {}                      # made by the run, with their targets
        self._seen: set[tuple[int, str, str]] = set()
        self._names = ChangedNames()
        self._executed: set[int] = set()
        self._acted: set[int] = set()                         # did more than open files before they executed
        self._given: set[int] = set()                         # streams that the experiment inherited
        self._printed = 0
        self._special: dict[int, Callable[[int, Event, ProcessFacts], None]] = {EXIT: self._end, DUP: self._duplicate, SHARED: self._share}
        for numbers, act in ((calls.OPENS, self._opened), (calls.TREES, self._change), (calls.LOOKS, self._look), (calls.LISTS, self._list),
                             (calls.XATTRS | calls.BARE_XATTRS, self._attribute),
                             (calls.EXECS, self._execute), (calls.KILLS, self._kill), (calls.IPC, self._ipc),
                             (calls.NETWORK, self._talk)):
            self._special.update(dict.fromkeys(numbers, act))

    def take(self, number: int, event: Event) -> None:
        if event.call == TASK:
            self._begin(number, event)
            return
        process = self._found.processes[self._leaders.get(event.task, event.task)]
        self._directories.take(process.task, event)
        act = self._special.get(event.call)
        if act:
            act(number, event, process)
        elif event.call in calls.CLOCKS:
            self._draw(process, facts.CLOCK)
        elif event.call == RANDOM or event.call == calls.GETRANDOM and (event.args[1], event.args[2]) != _LIBC_DRAW:
            self._draw(process, facts.RANDOMNESS)
        elif event.call in calls.MACHINE:
            self._draw(process, facts.MACHINE)
        elif event.call == PIPE:
            self._act(process)
        if event.stream:
            self._move(number, event, process)

    def _act(self, process: ProcessFacts) -> None:
        if process.task not in self._executed:
            self._acted.add(process.task)

    @staticmethod
    def _draw(process: ProcessFacts, source: str) -> None:
        if source not in process.sources:
            process.sources.append(source)

    @staticmethod
    def _object(process: ProcessFacts, why: str) -> None:
        if why not in process.against:
            process.against.append(why)

    def _use(self, number: int, process: ProcessFacts, kind: str, path: str, value: str = "", name: str = "") -> None:
        if kind in facts.GIVEN:
            key = (process.task, kind + looks.sort_of(value) if kind in (ABSENT, LOOK) else kind, name or path)
            if key in self._seen:
                return
            self._seen.add(key)
        else:
            self._names.take(kind, path, value)
        self._found.uses.append(Use(number, process.task, kind, path, value, name))

    # ------------------------------------------------------------------ processes

    def _begin(self, number: int, event: Event) -> None:
        parent, leader = self._leaders.get(event.args[0], event.args[0]), event.args[5]
        self._leaders[event.task] = leader
        if leader != event.task:
            return
        self._pids[event.args[4]] = leader
        self._directories.begin(leader, parent)
        process = self._found.processes[leader] = ProcessFacts(leader, parent if parent in self._found.processes else None, number)
        if process.parent is None:
            pairs = event.data(OUT) or b""
            self._given = {stream for _, stream in struct.iter_unpack("<II", pairs[:len(pairs) & ~7])} - {1, 2, 3}
            self._standards.begin(leader, None)
            return
        before = self._found.processes[parent]
        self._act(before)
        process.program, process.content, process.arguments = before.program, before.content, before.arguments
        process.environment, process.cwd = before.environment, self._directories.cwd(leader)
        self._standards.begin(leader, parent)
        process.standard = self._standards.of(leader)

    def _execute(self, number: int, event: Event, process: ProcessFacts) -> None:
        path = codec.text(event.data(RESOLVED) or b"")
        if event.result < 0:
            self._missed(number, event, process)
            return
        for name, _ in file_uses(event):
            self._read_file(number, process, codec.text(name), _stat(event) if codec.text(name) == path else None)
        if process.task in self._executed:
            return
        self._executed.add(process.task)
        process.begins_at, process.program, process.is_forked = number, path, process.task in self._acted
        process.content = self._content(path, _stat(event))
        process.arguments = [codec.text(each) for each in (event.data(ARGV) or b"").split(b"\0")[:-1]]
        process.scripts = [codec.text(each) for each in event.all_data(SCRIPT)]
        process.environment = self._environment(event)
        process.cwd = self._directories.cwd(process.task)
        process.inherited = inherited.parse(event.data(INHERITED) or b"")
        process.standard = self._standards.of(process.task)

    def _environment(self, event: Event) -> int:
        found: dict[str, str] = {}
        for variable in variables_on(event.data(STACK) or b"", event.args[3]):
            name, _, value = variable.partition(b"=")
            found[codec.text(name)] = codec.text(value)
        text = repr(sorted(found.items()))
        if text not in self._environments:
            self._environments[text] = len(self._found.environments)
            self._found.environments.append(found)
        return self._environments[text]

    def _end(self, number: int, event: Event, process: ProcessFacts) -> None:
        if event.task == process.task:
            process.ends_at = number
            if event.result & _SIGNAL not in (0, SIGPIPE):      # its own write to a pipe that nobody reads any more
                self._object(process, "a signal ended it")

    def _kill(self, number: int, event: Event, process: ProcessFacts) -> None:
        target = self._pids.get(event.args[0] & _LOW)
        if not self._is_own(target, process):
            self._draw(process, facts.OTHERS)
        elif event.result >= 0 and event.args[1] and target != process.task:
            self._object(process, "it sends a signal to another process")

    def _is_own(self, target: int | None, process: ProcessFacts) -> bool:
        """Whether a process is another's descendant, or that itself."""
        while target is not None and target != process.task:
            target = self._found.processes[target].parent
        return target is not None

    def _peek(self, path: str, process: ProcessFacts) -> None:
        """What /proc says about other processes is in no recording."""
        number = path.split("/")[2] if path.startswith("/proc/") else ""
        if number.isdigit() and not self._is_own(self._pids.get(int(number)), process):
            self._draw(process, facts.OTHERS)

    def _ipc(self, number: int, event: Event, process: ProcessFacts) -> None:
        self._object(process, "it uses System V IPC")

    # ------------------------------------------------------------------ names

    def _given_path(self, event: Event, process: ProcessFacts, is_last: bool = False) -> str:
        """The absolute path that a call was given, links not followed; "" if the log does not have it."""
        path = self._directories.given_path(process.task, event, is_last)
        if path is None:
            self._object(process, "it uses names below a directory, and the log does not tell which")
        return path or ""

    def _missed(self, number: int, event: Event, process: ProcessFacts) -> None:
        path = self._given_path(event, process, event.result == -errno.EEXIST)
        if path and not path.startswith(_KERNEL):
            self._use(number, process, ABSENT, path, answers.of_failure(event))

    def _look(self, number: int, event: Event, process: ProcessFacts) -> None:
        path = self._given_path(event, process)
        self._peek(path, process)
        if not path or path.startswith(_KERNEL) or path.startswith("/dev/"):
            return
        if event.result < 0:
            self._missed(number, event, process)
            return
        answer = answers.of_look(event)
        if answer:
            self._use(number, process, LOOK, path, answer)

    def _attribute(self, number: int, event: Event, process: ProcessFacts) -> None:
        path = self._given_path(event, process) if event.call not in calls.BARE_XATTRS else ""
        if event.result > 0:
            self._object(process, "it reads extended attributes")
        elif path and not path.startswith(_KERNEL) and answers.of_attributes(event):
            self._use(number, process, LOOK, path, answers.of_attributes(event))

    def _list(self, number: int, event: Event, process: ProcessFacts) -> None:
        path, names = self._directories.of_descriptor(process.task, event.args[0]), self._directories.listing(process.task, event)
        if not path:
            self._object(process, "it lists a directory, and the log does not tell which")
        if names is not None and path and not path.startswith(_KERNEL):
            self._use(number, process, LIST, path, "/".join(sorted(names)))

    # ------------------------------------------------------------------ files

    def _read_file(self, number: int, process: ProcessFacts, path: str, told: Stat | None, name: str = "") -> None:
        self._use(number, process, FILE, path, self._content(path, told), name if name != path else "")
        entry = self._files.get(path)
        if told is None and entry and entry.initial and not self._names.has(path):
            told = Stat(stat.S_IFREG | entry.initial.mode, 0, entry.initial.mtime_ns)
        self._use(number, process, DATED, path, looks.of_time(told) if told else "")

    def _content(self, path: str, now: Stat | None) -> str:
        """The sha256 of a file as an event found it; "" if the archive lacks that."""
        entry, content = self._files.get(path), None
        # A write by another name is no change of this entry.
        is_same = bool(entry and not entry.is_changed and not (now and now.links > 1))
        for state in (entry.initial, entry.final) if entry else ():
            if state and (is_same or now and (now.size, now.mtime_ns) == (state.size, state.mtime_ns)):
                content = state.content
        return content.sha256 if content else ""

    def _opened(self, number: int, event: Event, process: ProcessFacts) -> None:
        if event.result < 0:
            self._missed(number, event, process)
            return
        path, fd = codec.text(event.data(RESOLVED) or b""), event.result
        told = _stat(event)
        mode = told.mode if told else 0
        if fd <= 2:
            self._standards.open(process.task, fd, facts.standard_of(path, event.stream, open_flags(event) & _ACCESS))
        self._peek(path, process)
        if event.stream:
            self._streams[event.stream] = (path, [], process.task)
            if path in _RANDOM_DEVICES:
                self._draw(process, facts.RANDOMNESS)
            elif path.startswith(_KERNEL):
                self._use(number, process, KERNEL, path)
            elif path != _TERMINAL:            # shells open it, and look no further
                self._draw(process, facts.DEVICE)
        elif stat.S_ISDIR(mode):
            self._use(number, process, LOOK, path, looks.of_directory(mode))
        elif stat.S_ISREG(mode):
            name = self._given_path(event, process)
            if told and told.links > 1:
                self._found.linked.append(path)
            if is_exclusive(open_flags(event)):
                self._use(number, process, ABSENT, path, looks.of_name_itself("ENOENT"))
            for _, kind in file_uses(event):
                if kind == READ and self._names.is_made_by(event, path, self._files.get(path), told.size if told else -1):
                    self._use(number, process, ABSENT, path, "ENOENT")
                    self._use(number, process, WRITE, path)
                elif kind == READ:
                    self._read_file(number, process, path, told, name)
                else:
                    self._through_link(process, name, path)
                    self._use(number, process, WRITE, path)
        elif stat.S_ISFIFO(mode):
            self._object(process, "it opens a pipe by its name")

    def _through_link(self, process: ProcessFacts, name: str, path: str) -> None:
        """A name that led elsewhere when it was written may be a file of its own now."""
        if name and normpath(name) != path:
            self._object(process, "it changes a file through a link")

    def _change(self, number: int, event: Event, process: ProcessFacts) -> None:
        if event.result < 0:
            self._missed(number, event, process)
            return
        call, paths = CALLS[event.call], [codec.text(path) for path in event.all_data(RESOLVED)]
        if call.op in calls.MAKES and paths:
            self._use(number, process, ABSENT, paths[-1], looks.of_name_itself("ENOENT"))
        if call.op is Op.CHOWN and not _gives_itself(event, process):
            self._object(process, "it gives files to others")
        if call.op in (Op.CHMOD, Op.CHOWN, Op.TRUNCATE, Op.UTIME) and paths:
            self._through_link(process, self._given_path(event, process), paths[0])
        if call.op is Op.TRUNCATE:
            self._found.linked += paths              # nobody looked how many names it has
        for name, kind in file_uses(event):
            self._changed(number, event, process, codec.text(name), kind)

    def _changed(self, number: int, event: Event, process: ProcessFacts, path: str, kind: str) -> None:
        if kind in (MOVED, REMOVED):
            self._use(number, process, LOOK, path, "access 0")
        if kind == REMOVE_DIRECTORY:
            self._use(number, process, LIST, path)
        if kind == READ or kind == ADJUST and self._is_file(path) or CALLS[event.call].op is Op.TRUNCATE:
            self._read_file(number, process, path, _stat(event))
        if kind == MOVED and any(other.startswith(f"{path}/") for other in self._files):
            self._object(process, "it moves a directory")
        if kind in (MOVED, REMOVED, REMOVE_DIRECTORY):
            self._use(number, process, facts.REMOVE, path, facts.MOVED if kind == MOVED else "")
        elif kind != READ and not path.startswith("/dev/"):
            self._use(number, process, WRITE, path, self._made(event, path))
            entry = self._files.get(path)
            if entry and entry.final and entry.final.type not in ("file", "dir", "symlink"):
                self._object(process, f"it makes a {entry.final.type}")

    def _made(self, event: Event, path: str) -> str:
        """What else than a file a change made at a path."""
        op = CALLS[event.call].op
        if op is Op.UTIME:
            return _of_times(event)
        if op is Op.SYMLINK:
            self._links[path] = codec.text(event.data(IN, 0) or b"")
        elif op is Op.RENAME and (target := self._links.pop(codec.text(event.all_data(RESOLVED)[0]), None)) is not None:
            self._links[path] = target
        else:
            return {Op.MKDIR: "dir", Op.LINK: f"{NAME} {codec.text(event.all_data(RESOLVED)[0])}", Op.CHOWN: OWN}.get(op, "")
        return f"link {self._links[path]}"

    def _is_file(self, path: str) -> bool:
        """Whether an archived path has been anything but a directory: then its content counts."""
        entry = self._files.get(path)
        return bool(entry and any(state and state.type != "dir" for state in (entry.initial, entry.final)))

    def _share(self, number: int, event: Event, process: ProcessFacts) -> None:
        if event.args[0] in calls.MOVES and event.result > 0:
            path = codec.text(event.data(RESOLVED) or b"")
            self._act(process)
            self._use(number, process, facts.SHARED, path, f"{event.args[4]}+{event.result}")

    # ------------------------------------------------------------------ streams

    def _duplicate(self, number: int, event: Event, process: ProcessFacts) -> None:
        if event.result > 2:
            return
        path = codec.text(event.data(RESOLVED) or b"")
        is_file = any(use.path == path and use.process == process.task for use in reversed(self._found.uses[-12:]))     # opened just before
        self._standards.duplicate(process.task, event.result, facts.standard_of(path, event.stream, event.args[0] & _ACCESS), is_file)

    def _move(self, number: int, event: Event, process: ProcessFacts) -> None:
        """A call on an external stream."""
        if event.stream in (2, 3) and event.call in calls.WRITES and event.result > 0:
            self._print(number, event, process)
        elif event.stream <= 3:
            if event.call in calls.READS and event.stream == 1 and event.result >= 0:
                self._object(process, "it reads standard input")
            elif event.call in calls.MOVES and event.result > 0:
                self._object(process, "it copies to standard output inside the kernel")
        elif event.stream in self._streams:
            path = self._streams[event.stream][0]
            if event.call in calls.READS and event.result > 0 and path.startswith(_KERNEL):
                self._streams[event.stream][1].extend(event.all_data(OUT))
            elif path == _TERMINAL and event.call in calls.READS | calls.WRITES:
                self._draw(process, facts.DEVICE)
        elif event.stream in self._given and event.call in calls.READS | calls.WRITES:
            self._object(process, "it uses a descriptor that the experiment was given")

    def _talk(self, number: int, event: Event, process: ProcessFacts) -> None:
        """What is not answered now may be later."""
        address = b"".join(event.all_data(IN)[:1])
        if event.result == -errno.ENOENT and address[:2] == _LOCAL:      # nobody serves there: as of nscd, which libc looks for
            self._use(number, process, ABSENT, codec.text(address[2:].split(b"\0")[0]), "ENOENT")
        elif event.stream > 3 or event.result < 0:
            self._draw(process, facts.MACHINE if answers.is_of_host_itself(event, address) else facts.NETWORK)

    def _print(self, number: int, event: Event, process: ProcessFacts) -> None:
        data = b"".join(event.all_data(IN))[:event.result]
        self._act(process)
        self._printed += len(data)
        if self._printed > _MOST_PRINTED:
            self._object(process, "it prints too much")
        else:
            process.printed.append((number, event.stream, data.decode("latin-1")))

    def finish(self) -> RunFacts:
        """All of it: what was read of the kernel's files is known only now."""
        read = {(process, path): hashlib.sha256(b"".join(data)).hexdigest() for path, data, process in self._streams.values()}
        for use in self._found.uses:
            if use.kind == KERNEL:
                use.value = read.get((use.process, use.path), "")
        if not any(self._keeps_time(use) for use in self._found.uses):
            self._found.uses = [use for use in self._found.uses if use.kind != DATED or self._names.has(use.path)]
        return self._found

    def _keeps_time(self, use: Use) -> bool:
        """Whether what was changed has a time that was set, or kept from before: then all times count."""
        entry = self._files.get(use.path) if use.kind == WRITE else None
        return bool(entry and entry.final and not is_of_run(entry.final.mtime_ns, self._manifest))


def _stat(event: Event) -> Stat | None:
    """The state of a file in an event."""
    return stat_in(event.data(STAT) or b"")


def _of_times(event: Event) -> str:
    """Which times a call sets: the log has no others than now."""
    return SET if event.args[next(at for at, arg in enumerate(CALLS[event.call].args) if arg.name == "times")] else TIME


def _gives_itself(event: Event, process: ProcessFacts) -> bool:
    """Whether the owner that a file gets is who runs, to whom a new file belongs anyway."""
    first = CALLS[event.call].index_of("uid")
    return inherited.owns(process.inherited, event.args[first] & _LOW, event.args[first + 1] & _LOW)
