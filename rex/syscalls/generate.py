"""Write the C header and the coverage page from the table: python -m rex.syscalls.generate [--check]."""

from __future__ import annotations

import argparse
import enum
import errno
import sys
from collections import Counter
from pathlib import Path

from rex.syscalls.argspec import Arg, Call, Dir, Hook, Key, Op, NO_ARG, Policy, SizeKind, Stop, WORDS
from rex.syscalls.ioctls import INNER, IOCTLS
from rex.syscalls.table import CALLS

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "rex" / "native" / "syscalls" / "generated.h"
PAGE = ROOT / "docs" / "syscalls.md"
NUMBERS = ROOT / "rex" / "syscalls" / "numbers.py"

_STRUCTS = """\
#define REX_NO_ARG 255 /* in size_arg, key_arg and limit_arg */

/* bytes: CONST unit; ARG unit * argument size_arg; DEREF unit * the u32 that argument size_arg
 * points to (outputs: the smaller of before and after the call); RET unit * result, or unit *
 * argument size_arg if that is smaller and not REX_NO_ARG; BITS (argument size_arg + 63) / 64 * 8;
 * IOCTL by rex_ioctls and the request in argument size_arg; STRING up to NUL. IOV, MMSG: argument
 * size_arg counts the elements of unit bytes each. */
struct rex_arg {
    unsigned char word, dir, size_kind, size_arg;
    unsigned unit;
};

/* op: what it does, whichever form it has; limit_arg: how long it may wait, REX_NO_ARG of others; fd_args: bit mask
 * of the arguments that are descriptors; query: only asks and returns at once; nofollow: a link as the last name is meant itself;
 * private: it wakes no other task; reported: the summary says that it was refused; err: positive errno of REX_REFUSE. */
struct rex_call {
    const char *name;
    unsigned char policy, stop, hook, op, key, key_arg, limit_arg, nargs, fd_args, query, nofollow, private, reported;
    short err;
    struct rex_arg arg[6];
};

/* ioctl requests whose number does not tell the size; of others, bits 16 to 29 are the size,
 * bit 30 says that the kernel reads it, bit 31 that it writes it. */
struct rex_ioctl {
    unsigned cmd;
    unsigned short in_bytes, out_bytes;
    unsigned char makes_fd;                  /* its result is a new descriptor */
};

/* Of some, what lies behind the pointer at pointer_at: head bytes, and unit bytes for each of a count
 * (count_bytes 0: there is none). sub: the number that it begins with, 0 = any. */
struct rex_inner {
    unsigned cmd, sub;
    unsigned short pointer_at, head, unit, count_at;
    unsigned char count_bytes, is_count_outside;
};

/* Gaps have name NULL, policy REX_UNKNOWN and stop REX_STOP_ALWAYS. */
extern const struct rex_call rex_calls[REX_CALL_COUNT];
extern const struct rex_ioctl rex_ioctls[REX_IOCTL_COUNT]; /* ascending by cmd */
extern const struct rex_inner rex_inners[REX_INNER_COUNT];
"""

_ENUMS: tuple[tuple[str, str, type[enum.IntEnum]], ...] = (
    ("policy", "REX_", Policy), ("stop", "REX_STOP_", Stop), ("key", "REX_KEY_", Key),
    ("dir", "REX_", Dir), ("size", "REX_SIZE_", SizeKind), ("hook", "REX_HOOK_", Hook), ("op", "REX_OP_", Op))


def header_text() -> str:
    """The C header that the native engine includes."""
    count = max(CALLS) + 1
    parts = ["/* Generated from rex/syscalls/table.py; do not edit. */",
             "#ifndef REX_GENERATED_SYSCALLS_H", "#define REX_GENERATED_SYSCALLS_H", "",
             f"#define REX_CALL_COUNT {count}", f"#define REX_IOCTL_COUNT {len(IOCTLS)}",
             f"#define REX_INNER_COUNT {len(INNER)}", ""]
    parts += [_enum(tag, prefix, list(members.__members__)) for tag, prefix, members in _ENUMS]
    parts += [_enum("word", "REX_WORD_", [word.upper() for word in WORDS]), "", _STRUCTS]
    parts += [f"#define REX_NR_{CALLS[nr].name} {nr}" for nr in sorted(CALLS)]
    parts += ["", "#ifdef REX_CALLS_IMPLEMENTATION", "const struct rex_call rex_calls[REX_CALL_COUNT] = {"]
    parts += [_row(nr, CALLS.get(nr)) for nr in range(count)]
    parts += ["};", "const struct rex_ioctl rex_ioctls[REX_IOCTL_COUNT] = {"]
    parts += [f"    {{{cmd:#010x}, {IOCTLS[cmd].in_bytes}, {IOCTLS[cmd].out_bytes}, {IOCTLS[cmd].makes_fd:d}}}, /* {IOCTLS[cmd].name} */"
              for cmd in sorted(IOCTLS)]
    parts += ["};", "const struct rex_inner rex_inners[REX_INNER_COUNT] = {"]
    parts += [f"    {{{i.cmd:#x}, {i.sub:#x}, {i.pointer_at}, {i.head}, {i.unit}, {i.count_at}, {i.count_bytes}, {i.is_count_outside:d}}},"
              for i in INNER]
    parts += ["};", "#endif", "", "#endif", ""]
    return "\n".join(parts)


def _enum(tag: str, prefix: str, names: list[str]) -> str:
    lines, line = [f"enum rex_{tag} {{"], "   "
    for number, name in enumerate(names):
        item = f" {prefix}{name} = {number},"
        if len(line) + len(item) > 100:
            lines.append(line)
            line = "   "
        line += item
    return "\n".join([*lines, line, "};"])


def _row(nr: int, call: Call | None) -> str:
    if call is None:
        return (f"    [{nr}] = {{0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE, REX_OP_NONE, REX_KEY_NONE, "
                f"{NO_ARG}, {NO_ARG}, 0, 0, 0, 0, 0, 0, 0, {{{{0, 0, 0, {NO_ARG}, 0}}}}}},")
    args = ", ".join(_c_arg(arg) for arg in call.args) or f"{{0, 0, 0, {NO_ARG}, 0}}"
    marks = ", ".join(f"{mark in call.marks:d}" for mark in ("nofollow", "private", "reported"))
    return (f"    [{nr}] = {{\"{call.name}\", REX_{call.policy.name}, REX_STOP_{call.stop.name}, "
            f"REX_HOOK_{call.hook.name}, REX_OP_{call.op.name}, REX_KEY_{call.key.name}, {call.key_arg}, {call.limit_arg}, {len(call.args)}, "
            f"{call.fd_args:#x}, {call.is_query:d}, {marks}, {call.errno}, {{{args}}}}},")


def _c_arg(arg: Arg) -> str:
    return (f"{{REX_WORD_{arg.word.upper()}, REX_{arg.dir.name}, REX_SIZE_{arg.size.kind.name}, "
            f"{arg.size.arg}, {arg.size.unit}}}")


_POLICY_WORDS = {
    Policy.NATIVE: "runs natively, never stops",
    Policy.EMULATE: "recorded; the log answers on replay",
    Policy.CORRECT: "executed and corrected",
    Policy.STREAM: "by descriptor: recorded if external, else native",
    Policy.REFUSE: "refused",
}


def _replayed(call: Call) -> str:
    if call.policy is Policy.REFUSE:
        return f"the filter returns {errno.errorcode[call.errno]}, as in the recording"
    if call.policy is Policy.NATIVE:
        return "executed again, no stop"
    by = {Key.NONE: "in the task's order", Key.PATH: "matched by path", Key.STREAM: "matched by stream",
          Key.ARG: "matched by " + ("receiver" if any(arg.word == "sig" for arg in call.args) else "clock")}[call.key]
    if call.policy is Policy.EMULATE:
        return f"result and outputs from the log, {by}"
    hook = f" (hook `{call.hook.name.lower()}`)" if call.hook is not Hook.NONE else ""
    if call.policy is Policy.CORRECT:
        return f"executed, the logged result put in place{hook}, {by}"
    return f"external streams from the log, {by}; others executed{hook}"


def numbers_text() -> str:
    """The module rex/syscalls/numbers.py: for who needs a number and not the table."""
    lines = ['"""Numbers of system calls by name. Generated from table.py; do not edit."""', "",
             "NUMBERS: dict[str, int] = {"]
    lines += [f'    "{call.name}": {nr},' for nr, call in sorted(CALLS.items())]
    return "\n".join(lines) + "\n}\n"


def page_text() -> str:
    """The coverage page docs/syscalls.md."""
    counts = Counter(call.policy for call in CALLS.values())
    lines = ["# System calls", "",
             "Generated from rex/syscalls/table.py by `python -m rex.syscalls.generate`; do not edit.",
             "How to read the arguments: rex/syscalls/argspec.py. How to add a call: howto-add-a-syscall.md.", "",
             "| policy | meaning | calls |", "|---|---|---|"]
    lines += [f"| {policy.name} | {words} | {counts[policy]} |" for policy, words in _POLICY_WORDS.items()]
    lines += [f"| all | | {len(CALLS)} |", "",
              "A number that is not listed stops the tracee and is an error that prints the number.", "",
              "| number | name | arguments | result | policy | replay |", "|---|---|---|---|---|---|"]
    for nr in sorted(CALLS):
        call = CALLS[nr]
        args = f"`{' '.join(call.text.split())}`" if call.text else ""
        policy = _POLICY_WORDS[call.policy] + (", stops always" if "always" in call.marks else "")
        lines.append(f"| {nr} | {call.name} | {args} | {call.ret} | {policy} | {_replayed(call)} |")
    return "\n".join(lines) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Write the files, or with --check say which are stale; 1 if one is."""
    parser = argparse.ArgumentParser(prog="python -m rex.syscalls.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    check = parser.parse_args(argv).check
    stale = 0
    for path, text in ((HEADER, header_text()), (PAGE, page_text()), (NUMBERS, numbers_text())):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            sys.stderr.write(f"{path.relative_to(ROOT)} is stale; run: python -m rex.syscalls.generate\n")
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
