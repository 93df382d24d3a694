"""Files that added statements wrote, gathered from the workers below one folder."""

from __future__ import annotations

import base64
import os
import shutil
from typing import Any, Iterable


def with_content(event: dict[str, Any]) -> dict[str, Any]:
    """An event with the file that it names, for another machine."""
    if "at" not in event or os.path.islink(event["at"]):
        return event
    with open(event["at"], "rb") as file:
        return {**event, "content": base64.b64encode(file.read()).decode("ascii")}


def content_of(event: dict[str, Any]) -> bytes:
    """What is in the file that an event names."""
    if "content" in event:
        return base64.b64decode(event["content"])
    with open(event["at"], "rb") as file:
        return file.read()


def gather(events: Iterable[dict[str, Any]], outdir: str) -> list[str]:
    """Put files, as the workers report them in the order of the run, each at its absolute path below a folder.

    Returns:
        The paths below that folder, each once. Of a file that workers wrote in turn, each has written its part.
    """
    found: dict[str, None] = {}
    for event in events:
        place = outdir + event["path"]
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if not os.path.realpath(os.path.dirname(place)).startswith(os.path.realpath(outdir)):
            continue    # below a link that another worker's statements made
        is_more = event["after"] >= 0 and place in found
        if not is_more and os.path.lexists(place):
            os.remove(place)
        if os.path.islink(event["at"]):
            os.symlink(os.readlink(event["at"]), place)
        else:
            _add(event, place, event["after"] if is_more else 0)
        found[place] = None
    return list(found)


def _add(event: dict[str, Any], place: str, begin: int) -> None:
    with open(place, "ab") as file:
        if "content" in event:
            file.write(base64.b64decode(event["content"])[begin:])
            return
        with open(event["at"], "rb") as source:
            source.seek(begin)
            shutil.copyfileobj(source, file)
