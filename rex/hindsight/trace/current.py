"""The session of this process: what recording and replaying put here, and modules below them reach."""

from __future__ import annotations

from typing import Any

session: Any = None     # a Session (run/session.py), which this module must not know


def regret(why: str) -> None:
    """The script needs what no checkpoint holds: in a replay it is run again, without skipping."""
    if session is not None:
        session.regret(why)
