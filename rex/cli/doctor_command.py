"""rex doctor"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import struct
import sys
from dataclasses import asdict, dataclass
from typing import Callable

import click

from rex.cli.table import clean, guarded, print_json, quietable
from rex.errors import NotPermitted, RexError
from rex.extras import EXTRAS, install_line, lacking

_OLDEST_KERNEL = (5, 3)   # PTRACE_GET_SYSCALL_INFO
_PROBE_S = 10

# From the kernel's headers, which Python does not carry.
_PTRACE_SEIZE, _PTRACE_OPTIONS = 0x4206, 0x100000 | 0x80 | 0x1   # EXITKILL, TRACESECCOMP, TRACESYSGOOD
_PR_SET_SECCOMP, _PR_SET_TSC, _PR_SET_NO_NEW_PRIVS = 22, 26, 38
_FILTER_MODE, _TSC_SIGSEGV, _NO_RANDOMIZE = 2, 2, 0x0040000
_NEWUSER, _NEWNS, _NEWNET = 0x10000000, 0x00020000, 0x40000000
_GETPGID, _REFUSED = 121, 42


@dataclass(frozen=True)
class Finding:
    """One fact about this machine.

    Attributes:
        is_needed: nothing can be recorded without it.
        advice: what to do where it is not fine.
    """

    name: str
    is_fine: bool
    is_needed: bool
    found: str
    advice: str = ""


def _must(name: str, *args: int | ctypes.Array[ctypes.c_char]) -> int:
    """Call a function of the C library; its failure is an OSError."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.restype = ctypes.c_long
    ctypes.set_errno(0)
    result = int(function(*[ctypes.c_ulong(a) if isinstance(a, int) else a for a in args]))
    if result == -1:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def why_not(probe: Callable[[], None]) -> str:
    """Why a probe fails, tried in a child process that it may ruin; "" if it does not."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        text = ""
        try:
            signal.alarm(_PROBE_S)
            probe()
        except BaseException as error:
            text = (error.strerror if isinstance(error, OSError) else None) or repr(error)
        finally:
            os.write(writer, text.encode())
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        text = file.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return text or ("" if status == 0 else f"the child ended with {status}")


def trace_child() -> None:
    """Take hold of a child of ours as the engines do."""
    tracee = os.fork()
    if tracee == 0:
        signal.alarm(_PROBE_S)
        signal.pause()
        os._exit(0)
    try:
        _must("ptrace", _PTRACE_SEIZE, tracee, 0, _PTRACE_OPTIONS)
    finally:
        os.kill(tracee, signal.SIGKILL)
        os.waitpid(tracee, 0)


def filter_calls() -> None:
    """Install a filter that refuses getpgid, and see it refused."""
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, _GETPGID),               # load the number; is it getpgid?
            (0x06, 0, 0, 0x00050000 | _REFUSED), (0x06, 0, 0, 0x7FFF0000)]   # errno; allow
    program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in code))
    header = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(program)))
    _must("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _must("prctl", _PR_SET_SECCOMP, _FILTER_MODE, header)
    try:
        _must("syscall", _GETPGID, 0)
    except OSError as error:
        if error.errno == _REFUSED:
            return
        raise
    raise OSError(0, "a filter was installed but is not obeyed")


def fix_addresses() -> None:
    """Switch the randomisation of addresses off."""
    _must("personality", _NO_RANDOMIZE)


def trap_counter() -> None:
    """Make rdtsc stop the program instead of answering."""
    _must("prctl", _PR_SET_TSC, _TSC_SIGSEGV, 0, 0, 0)


def enter_namespaces() -> None:
    """Enter a user namespace of our own, then mount and network namespaces in it."""
    uid, gid = os.getuid(), os.getgid()
    _must("unshare", _NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    _must("unshare", _NEWNS | _NEWNET)


def check_engine() -> Finding:
    """Which engine runs, and why."""
    from rex.tracer import describe_engines
    try:
        text = describe_engines()
    except RexError as error:
        return Finding("engine", False, True, str(error), error.advice)
    why = "REX_ENGINE asks for it" if os.environ.get("REX_ENGINE") else "it was built at installation"
    if text.startswith("reference"):
        has_binding = importlib.util.find_spec("ptrace") is not None
        return Finding("engine", has_binding, True, text,
                       "" if has_binding else "install python-ptrace: pip install python-ptrace")
    return Finding("engine", True, True, f"{text} ({why})")


def check_system() -> list[Finding]:
    """Kernel and processor."""
    info = os.uname()
    numbers = tuple(int(part) for part in info.release.replace("-", ".").split(".")[:2] if part.isdigit())
    is_linux = info.sysname == "Linux"
    return [Finding("system", is_linux and numbers >= _OLDEST_KERNEL, True, f"{info.sysname} {info.release}",
                    "use Linux 5.3 or newer"),
            Finding("processor", info.machine == "x86_64", True, info.machine,
                    "Rex records x86-64 programs only: use such a machine")]


def check_kernel_features() -> list[Finding]:
    """What the kernel lets a child of ours do, tried for real."""
    wanted: list[tuple[str, bool, Callable[[], None], str]] = [
        ("ptrace", True, trace_child, ptrace_advice()),
        ("seccomp filters", True, filter_calls,
         "use a kernel with CONFIG_SECCOMP_FILTER; in a container allow seccomp(2) and prctl(2)"),
        ("fixed addresses", False, fix_addresses,
         "in a container allow personality(2); programs that print addresses may differ on replay"),
        ("time stamp counter", False, trap_counter,
         "programs that read the processor's counter may differ on replay"),
        ("user namespaces", False, enter_namespaces,
         "needed by replay --sandbox only; ask root for sysctl kernel.unprivileged_userns_clone=1 or "
         "kernel.apparmor_restrict_unprivileged_userns=0")]
    found = []
    for name, is_needed, probe, advice in wanted:
        why = why_not(probe)
        found.append(Finding(name, not why, is_needed, why or "works", advice if why else ""))
    return found


def ptrace_advice() -> str:
    """What stands in the way of tracing, as far as one can see."""
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as file:
            scope = int(file.read())
    except (OSError, ValueError):
        scope = 0
    if scope >= 2:
        return f"kernel.yama.ptrace_scope is {scope}; ask root for: sysctl kernel.yama.ptrace_scope=1"
    return "in a container run it with --cap-add=SYS_PTRACE or another seccomp profile; end debuggers around it"


def check_cache() -> Finding:
    """The cache that replays unpack into and start programs from."""
    from rex.cacheplace import ADVICE, cache_root, why_unusable
    path = cache_root()
    why = why_unusable(path)
    return Finding("cache", not why, False, f"{path}: {why}" if why else path, ADVICE if why else "")


def check_temporary() -> Finding:
    """A place for temporary files."""
    import tempfile
    try:
        path = tempfile.gettempdir()
        os.rmdir(tempfile.mkdtemp(prefix="rex-doctor-"))
    except OSError as error:
        return Finding("temporary files", False, False, error.strerror or str(error), "set TMPDIR")
    return Finding("temporary files", True, False, path)


def check_working_directory() -> Finding:
    """The directory that recorded programs start in."""
    try:
        return Finding("working directory", True, True, os.getcwd())
    except OSError as error:
        return Finding("working directory", False, True, error.strerror or str(error), "cd to a directory that is there")


def check_locale() -> Finding:
    """Whether every name can be shown."""
    encoding = (sys.stdout and sys.stdout.encoding) or "none"
    is_fine = encoding.lower().replace("-", "").startswith("utf8")
    return Finding("characters", is_fine, False, encoding,
                   "" if is_fine else "Rex escapes what they cannot show; to see all names set LC_ALL=C.UTF-8")


def check_compiler() -> Finding:
    """The compiler that would build the native engine."""
    compiler = next((c for c in (os.environ.get("CC", ""), "cc", "gcc", "clang") if c and shutil.which(c)), "")
    return Finding("compiler", bool(compiler), False, compiler or "none",
                   "" if compiler else "install gcc before Rex, for the native engine: it is fast, and runs programs with threads")


@dataclass(frozen=True)
class Tool:
    """What an extra is for, and whether it is usable.

    Attributes:
        install: the line that makes it usable; "" if it is.
    """

    extra: str
    use: str
    is_usable: bool
    lacking: list[str]
    install: str


def check_tools() -> list[Tool]:
    """The tools that need more than the base installation."""
    found = []
    for name, extra in EXTRAS.items():
        modules = lacking(name)
        found.append(Tool(name, extra.use, not modules, modules, install_line(name) if modules else ""))
    return found


def print_tools(tools: list[Tool]) -> None:
    """One line for each tool, and below it how to get it."""
    width = max(len(each.extra) for each in tools)
    for each in tools:
        mark = click.style("ok  ", "green") if each.is_usable else click.style("none", "yellow")
        click.echo(f"{mark}  {each.extra.ljust(width)}  {each.use}")
        if each.install:
            click.echo(f"      {' ' * width}  -> {each.install}")


def examine() -> list[Finding]:
    """Everything that decides whether Rex works here."""
    return [check_engine(), *check_system(), *check_kernel_features(), check_cache(), check_temporary(),
            check_working_directory(), check_locale(), check_compiler()]


@click.command("doctor", epilog="Example: rex doctor   Exit: 0 recording works, 22 it cannot work here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@guarded
def command(as_json: bool) -> int:
    """Say which engine is in use and why, whether the kernel allows what
    recording needs (each tried in a child process), which tools are usable,
    and what to do or install if not."""
    findings = examine()
    can_record = all(each.is_fine for each in findings if each.is_needed)
    if as_json:
        print_json({"can_record": can_record, "findings": [asdict(each) for each in findings],
                    "tools": [asdict(each) for each in check_tools()]})
        return 0 if can_record else NotPermitted.code
    width = max(len(each.name) for each in findings)
    for each in findings:
        mark = "ok  " if each.is_fine else "FAIL" if each.is_needed else "warn"
        colour = {"ok  ": "green", "FAIL": "red", "warn": "yellow"}[mark]
        click.echo(f"{click.style(mark, colour)}  {each.name.ljust(width)}  {clean(each.found)}")
        if not each.is_fine and each.advice:
            click.echo(f"      {' ' * width}  -> {each.advice}")
    click.echo("\ntools, by extra:")
    print_tools(check_tools())
    click.echo("\nrecording works here" if can_record else
               "recording cannot work here; ls, show, log, expdiff, check can")
    return 0 if can_record else NotPermitted.code
