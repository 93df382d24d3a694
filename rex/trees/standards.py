"""Where standard descriptors of a run's processes lead, and whom they are lent to."""

from __future__ import annotations

from rex.trees.facts import Standard


class StandardDescriptors:
    """Takes the births and opens of a log in their order."""

    def __init__(self) -> None:
        self._standard: dict[int, dict[int, Standard]] = {}
        self._is_new: set[tuple[int, int]] = set()            # files opened since the process last had a child
        self._lent: dict[tuple[int, int], Standard] = {}      # what its first child since then has of these

    def begin(self, task: int, parent: int | None) -> None:
        """A process is made; without a parent it has the experiment's own streams."""
        self._standard[task] = ({fd: Standard("stream", str(fd + 1), True, fd > 0) for fd in range(3)} if parent is None else
                                {fd: self._lend(parent, fd, each) for fd, each in self._standard[parent].items()})

    def _lend(self, parent: int, fd: int, each: Standard) -> Standard:
        """What a child has on a descriptor. A file to read is lent to one child only: another one reads on where the first ends."""
        key = (parent, fd)
        lent = Standard(each.kind, each.path, key in self._is_new, each.is_writable, each.is_readable)
        if lent.is_lent:
            self._lent[key] = lent
        elif key in self._lent and not each.is_writable:
            self._lent[key].is_lent = False
        self._is_new.discard(key)
        return lent

    def of(self, task: int) -> list[Standard]:
        """The three of a process."""
        return [self._standard[task].get(fd, Standard("closed")) for fd in range(3)]

    def open(self, task: int, fd: int, standard: Standard) -> None:
        """A process opens something on a descriptor."""
        self._lead(task, fd, standard)
        self._is_new.add((task, fd))
        standard.is_lent = True

    def duplicate(self, task: int, fd: int, standard: Standard, is_opened: bool) -> None:
        """It makes a descriptor lead where another one does. Args: is_opened: a file that was opened just before, for this."""
        if is_opened:
            self.open(task, fd, standard)
            return
        self._lead(task, fd, standard)
        standard.is_lent = standard.is_lent and standard.kind != "file"

    def _lead(self, task: int, fd: int, standard: Standard) -> None:
        self._standard[task][fd] = standard
        self._is_new.discard((task, fd))
        self._lent.pop((task, fd), None)
