"""What a replay gave otherwise than it was recorded, compared by meaning."""

from __future__ import annotations

import os
import tempfile
from typing import IO, TYPE_CHECKING, Mapping

from rex import codec
from rex.archive import Archive, Manifest
from rex.contents.client import Comparer
from rex.contents.rules import Rules
from rex.expdiff import output
from rex.log import LogReader
from rex.longnames import reachable

if TYPE_CHECKING:
    from rex.archive import Experiment

_STREAMS = {output.STDOUT: "stdout", output.STDERR: "stderr"}
Why = dict[str, str]


def judge_files(archive: Archive, manifest: Manifest, outdir: str, differing: Mapping[str, str], rules: Rules) -> tuple[Why, Why]:
    """Output files that are not as recorded, by path: those that count and why, and those that the rules allow and the verdict on them.

    Args:
        outdir: where the replay's outputs are.
        differing: what the bytes say, as `rex.replayer.compare_outputs` found it.
    """
    counted, within = dict(differing), Why()
    with Comparer(rules) as comparer, tempfile.TemporaryDirectory(prefix="rex-") as folder:
        recorded = os.path.join(folder, "recorded")
        for path, why in differing.items():
            final = manifest.files[path].final
            with reachable(os.fsencode(outdir) + codec.raw(path)) as name:
                if not final or not final.content or os.path.islink(name) or not os.path.isfile(name) or final.size > comparer.limit_bytes:
                    continue
                archive.extract(final.content, recorded)
                verdict = comparer.compare(path, recorded, os.fsdecode(name))
            os.unlink(recorded)
            if verdict.is_same and rules.is_set:
                within[path] = verdict.sentence
                del counted[path]
            elif verdict.sentence:
                counted[path] = f"{why} ({verdict.sentence})"
    return counted, within


def judge_streams(experiment: "Experiment", given: Mapping[int, IO[bytes]], rules: Rules) -> tuple[bool, Why]:
    """Whether the rules allow all that a replay printed otherwise, and the verdicts by name of the stream.

    Args:
        given: what it printed, by the stream's number in the log.
    """
    if any(event.stream not in (0, *_STREAMS) for event in _writes(experiment)):
        return False, {}     # of what went to others nobody has kept what the replay wrote
    said = Why()
    with Comparer(rules) as comparer, tempfile.TemporaryDirectory(prefix="rex-") as folder:
        for stream, file in given.items():
            paths = [os.path.join(folder, side) for side in ("recorded", "replayed")]
            with open(paths[0], "wb") as recorded, open(paths[1], "wb") as replayed:
                for number, data in output.output_pieces(experiment):
                    if number == stream:
                        recorded.write(data)
                file.seek(0)
                while block := file.read(1 << 20):
                    replayed.write(block)
            if _is_equal(*paths):
                continue
            verdict = comparer.compare(_STREAMS[stream], *paths)
            if not verdict.is_same:
                return False, {_STREAMS[stream]: verdict.sentence}
            said[_STREAMS[stream]] = verdict.sentence
    return True, said


def _writes(experiment: "Experiment"):   # type: ignore[no-untyped-def]
    with LogReader(experiment.open_log()) as reader:
        yield from reader.select(output.WRITES)


def _is_equal(left: str, right: str) -> bool:
    import filecmp
    return filecmp.cmp(left, right, shallow=False)
