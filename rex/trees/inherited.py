"""What a program inherits besides descriptors 0 to 2, variables and directory, as the recorder tells it (rex/native/record/inherited.c)."""

from __future__ import annotations

from rex import codec

PROCESSORS = "cpus"            # counts only for steps that look at the machine
_UMASK = "umask"
_ANY = 0xFFFFFFFF
_SIGNALS, _OF_LIBC = ("ignored", "blocked"), 3 << 31       # 32 and 33, which programs cannot use themselves

Inherited = dict[str, str]


def parse(data: bytes) -> Inherited:
    """Values by name; of names that come again all values."""
    found: Inherited = {}
    for line in codec.text(data).splitlines():
        name, equals, value = line.partition("=")
        if name in _SIGNALS:
            value = f"{int(value, 16) & ~_OF_LIBC:x}"
        if equals:
            found[name] = f"{found[name]}; {value}" if name in found else value
    return found


def owns(own: Inherited, owner: int, group: int) -> bool:
    """Whether files of a user and a group are the program's own; -1 in 32 bits: of any."""
    return all(wanted == _ANY or own.get(name, "").split()[1:2] == [str(wanted)] for name, wanted in (("uid", owner), ("gid", group)))


def difference(one: Inherited, two: Inherited) -> str:
    """The name of what may make a program run otherwise with the other; "" if nothing does. What nobody recorded equals nothing."""
    return next((name for name in sorted({*one, *two}) if name != PROCESSORS and one.get(name) != two.get(name)), "" if one else "state, which was not recorded")


def altered(own: Inherited, first: Inherited) -> Inherited:
    """What the run itself has made different from what its first program inherited; and the umask, which shows in every new file."""
    return {name: value for name, value in own.items() if name == _UMASK or first.get(name) != value}
