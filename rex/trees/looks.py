"""What a program learns of a name by asking about it: how that is written down, and whether it would learn the same now.

Forms of an answer, all in words:
    MODE OWNER LINKS SIZE MTIME BLOCKS    + for a time since the run began, - for what it did not ask for, or what does not count; LINKS with = behind it: other names that it had before the run; MODE in octal, with l behind it
                                   where a link was not followed
    link TARGET, access MODE, noxattr, lnoxattr
"""

from __future__ import annotations

import stat
import time

from rex import codec
from rex.log.decoded import Stat
from rex.trees.files import Files

NO_XATTR = "noxattr"
_NOT_FOLLOWED, _UNKNOWN, _OF_THE_RUN, _BEFORE = "l", "-", "+", "="
OF_THE_RUN = f"- - - - {_OF_THE_RUN} -"        # of a file: nothing but that its time is within the run
_TICK_NS = 10**7                    # the clock of files may be as late
_WORDS = ("mode", "owner", "links", "size", "mtime", "blocks")
# Bits of the mask of statx; a plain stat asks for all.
ALL = 0xFFF
_LINKS, _OWNER, _MTIME, _SIZE, _BLOCKS = 0x4, 0x18, 0x40, 0x200, 0x400


def of_stat(told: Stat, follows: bool, asked: int | None) -> str:
    """The answer that a recorded stat gave.

    Args:
        asked: the mask of statx; None: of another call. Of directories, which change whenever a file is made, links, size and
            time count only where statx asked for the time: other programs get them unasked. Size and blocks also count of one that
            is asked about as by programs that walk through trees, which do not follow links (du).
    """
    mask = ALL if asked is None else asked
    counts = ALL if not stat.S_ISDIR(told.mode) or asked is not None and asked & _MTIME else 0 if follows else _SIZE | _BLOCKS
    if follows and asked is None:
        counts &= ~_BLOCKS
    rest = ((told.links, _LINKS), (told.size, _SIZE), (told.mtime_ns, _MTIME), (told.blocks, _BLOCKS))
    return " ".join((f"{told.mode:o}{'' if follows else _NOT_FOLLOWED}", f"{told.uid}:{told.gid}" if mask & _OWNER else _UNKNOWN,
                     *(str(value) if mask & counts & bit else _UNKNOWN for value, bit in rest)))


def of_name_itself(error: str) -> str:
    """An error that a link at the name would have changed, wherever it leads."""
    return _NOT_FOLLOWED + error


def of_time(told: Stat) -> str:
    """Mode and time of what is no link."""
    return of_stat(told, False, _MTIME)


def has_time(value: str, mtime_ns: int) -> bool:
    """Whether an answer has a time."""
    return value.split(" ")[4:5] == [str(mtime_ns)]


def of_directory(mode: int) -> str:
    """That a directory could be opened."""
    return " ".join((f"{mode:o}", *(_UNKNOWN for _ in _WORDS[1:])))


def sort_of(value: str) -> str:
    """Answers of different sorts about one name all count; of one sort the first does."""
    words = value.split(" ")
    if len(words) != len(_WORDS) or not value[:1].isdigit():
        return words[0]
    return words[0][-1:] * words[0].endswith(_NOT_FOLLOWED) + "".join(str(int(word != _UNKNOWN)) for word in words[1:])


def without_time(value: str) -> str:
    """Of a file only mode and size, of a directory only the mode; other answers as they are."""
    words = value.split(" ")
    if len(words) != len(_WORDS) or not value[:1].isdigit():
        return value
    return " ".join((words[0], _UNKNOWN, _UNKNOWN, _UNKNOWN if is_directory(value) else words[3], _UNKNOWN, _UNKNOWN))


def is_within(mtime_ns: int, began_ns: int, ended_ns: int) -> bool:
    """Whether a time is of a run, by the clock of files."""
    return began_ns - _TICK_NS <= mtime_ns <= ended_ns + _TICK_NS


def of_made(value: str, began_ns: int, ended_ns: int) -> str:
    """Of what the run itself made or changed: a time within the run is as good as any other; one that was set counts."""
    words = value.split(" ")
    if len(words) != len(_WORDS) or not value[:1].isdigit() or not words[4].isdigit():
        return value
    return " ".join((*words[:4], _OF_THE_RUN, words[5])) if is_within(int(words[4]), began_ns, ended_ns) else value


def of_rewritten(value: str) -> str:
    """Of a file that was there and has been written: what a write does not change."""
    words = value.split(" ")
    return " ".join((*words[:3], *(_UNKNOWN for _ in words[3:]))) if len(words) == len(_WORDS) else value


def without_blocks(value: str) -> str:
    """Less what the file system decides."""
    words = value.split(" ")
    return " ".join((*words[:5], _UNKNOWN)) if len(words) == len(_WORDS) else value


def with_names_before(value: str) -> str:
    """Of a file that no run gave another name: the number of its names is of the machine, and no archive keeps that."""
    words = value.split(" ")
    is_several = len(words) == len(_WORDS) and words[2].isdigit() and words[2] != "1" and not is_directory(value)
    return " ".join((*words[:2], words[2] + _BEFORE, *words[3:])) if is_several else value


def without_place(value: str) -> str:
    """Of a directory whose names were not read: less the room that it takes."""
    words = value.split(" ")
    if len(words) != len(_WORDS) or not is_directory(value) or words[4] != _UNKNOWN:
        return value
    return " ".join((*words[:3], *(_UNKNOWN for _ in words[3:])))


def of_opened(value: str) -> str:
    """Of a file that was opened too: less time and number of names, unless it was asked for as archivers ask, who do not follow links."""
    words = value.split(" ")
    if len(words) != len(_WORDS) or not value[:1].isdigit() or words[0].endswith(_NOT_FOLLOWED):
        return value
    return " ".join((*words[:2], _UNKNOWN, words[3], _UNKNOWN, words[5]))


def is_directory(value: str) -> bool:
    """Whether an answer is about a directory."""
    mode = value.partition(" ")[0].removesuffix(_NOT_FOLLOWED)
    return mode.isdigit() and stat.S_ISDIR(int(mode, 8))


def follows(value: str) -> bool:
    """Whether a link at the end of the name was followed for an answer, or before an error."""
    word = value.partition(" ")[0]
    return word not in ("link", "EEXIST", "EINVAL") and not word.startswith(_NOT_FOLLOWED) and not word.endswith(_NOT_FOLLOWED)


def is_answered_so(files: Files, name: bytes, value: str, began_ns: int) -> bool:
    """Whether a program would get an answer now, in a run that began then; raises OSError."""
    word, _, rest = value.partition(" ")
    if word == "link":
        return codec.text(files.link(name)) == rest
    if word == "access":
        return files.may(name, int(rest))
    is_followed = follows(value)
    if word.endswith(NO_XATTR):
        return not files.has_attributes(name, is_followed)
    info = files.stat(name, is_followed)
    told = Stat(info.st_mode, info.st_size, info.st_mtime_ns, info.st_nlink, info.st_uid, info.st_gid, info.st_blocks)
    now = of_stat(told, is_followed, ALL)
    words = value.split(" ")
    if len(words) != len(_WORDS):            # nobody knows what it was
        return False
    if words[2].endswith(_BEFORE):
        words[2] = "1" if files.is_archived and info.st_nlink == 1 else words[2].removesuffix(_BEFORE)
    return any(all(was in (_UNKNOWN, found) for was, found in zip(words, each.split(" "))) for each in (now, of_made(now, began_ns, time.time_ns())))


def of_xattr(follows: bool) -> str:
    """The answer that there is no extended attribute."""
    return NO_XATTR if follows else _NOT_FOLLOWED + NO_XATTR
