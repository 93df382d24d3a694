"""Defaults that users set: REX_ARCHIVE, a project's `.rex.toml`, and their own `rex/config.toml` (docs/config.md)."""

from __future__ import annotations

import os

from rex.errors import UsageError
from rex.hints import Any
from rex.values import dataclass

ARCHIVE = "__default"
VARIABLE, PROJECT_FILE = "REX_ARCHIVE", ".rex.toml"
# A stranger's project must not make us keep credentials.
_OF_USERS_ONLY = (("record", "keep-env"),)


@dataclass(frozen=True)
class Setting:
    """One default.

    Attributes:
        command: the command whose option it is; "" for all.
        option: the long name of the option, without dashes.
        source: the variable or file that sets it; "" for a default of Rex's own.
    """

    command: str
    option: str
    value: Any
    source: str


def user_file() -> str:
    """Where the user's own file is, or would be."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(home, "rex", "config.toml")


def project_file() -> str | None:
    """The `.rex.toml` of the current directory, or the nearest one above; of others than the user and root none counts."""
    try:
        folder = os.getcwd()
    except OSError:              # it was removed
        return None
    while True:
        path = os.path.join(folder, PROJECT_FILE)
        try:
            if os.stat(path).st_uid in (os.getuid(), 0):
                return path
        except OSError:
            pass
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)


def files() -> list[str]:
    """The files that count, the more important one last."""
    own, project = user_file(), project_file()
    return [*([own] if os.path.exists(own) else []), *([project] if project else [])]


def read(path: str) -> list[Setting]:
    """The settings of a file; relative archives are relative to it.

    Raises:
        UsageError: it is no TOML, or something in it makes no sense.
    """
    import tomllib   # few have such a file
    try:
        with open(path, "rb") as file:
            told = tomllib.load(file)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}", str(error), "mend it or remove it") from error
    found = []
    for name, value in told.items():
        options = value if isinstance(value, dict) else {name: value}
        command = name if isinstance(value, dict) else ""
        if not command and name != "archive":
            raise UsageError(f"{path} sets {name}", "only archive stands by itself", "write it below [COMMAND]; see: rex help config")
        for option, default in options.items():
            if option == "archive" and isinstance(default, str):
                default = os.path.normpath(os.path.join(os.path.dirname(path), os.path.expanduser(default)))
            if (command, option) in _OF_USERS_ONLY and path != user_file():
                raise UsageError(f"{path} sets {option} of rex {command}", "a project's file cannot ask to keep credentials",
                                 f"write it into {user_file()}")
            found.append(Setting(command, option, default, path))
    return found


def settings() -> list[Setting]:
    """What holds, each option once."""
    holds: dict[tuple[str, str], Setting] = {("", "archive"): Setting("", "archive", ARCHIVE, "")}
    for path in files():
        holds.update({(each.command, each.option): each for each in read(path)})
    if named := os.environ.get(VARIABLE):
        holds["", "archive"] = Setting("", "archive", named, VARIABLE)
    return sorted(holds.values(), key=lambda each: (each.command, each.option))


def default_archive() -> str:
    """The archive that is meant where none is named."""
    return str(next(each.value for each in settings() if (each.command, each.option) == ("", "archive")))
