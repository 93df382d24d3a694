"""Replays in the archive: what probes printed and logged, apart from the recorded output."""

from __future__ import annotations

import time
from typing import Any

from rex.archive import Archive, Experiment, Manifest, Recording
from rex.hindsight.capture.tables import encode_table
from rex.hindsight.replay.gathered import content_of
from rex.hindsight.replay.launch import Findings
from rex.hindsight.replay.plan import Plan
from rex.hindsight.replay.saved import Saved, decode_saved
from rex.hindsight.trace.records import ENGINE, FORMAT, Checkpoint, LogWriter, checkpoint_to_json
from rex.version import __version__


class KeptReplay:
    """Writes a replay as an experiment of its own."""

    def __init__(self, archive: Archive, plan: Plan, sources: dict[str, str]) -> None:
        """
        Args:
            sources: text of each module of the run, as it was for this replay, by module.
        """
        self._plan = plan
        self._began_ns = time.time_ns()
        self._command = ("python", plan.script, *plan.run.head["arguments"])
        self._recording: Recording = archive.begin(None, {
            "command": list(self._command), "engine": ENGINE, "kind": "replay",
            "of": plan.experiment.name, "start_ns": self._began_ns})
        self._contents = {}
        self._log = LogWriter(self._recording.log_path)
        self._log.write("replay", format=FORMAT, of=plan.experiment.name,
                        probes=[[probe.line, probe.text] for probe in plan.probes])
        for name, text in sources.items():
            content = self._recording.add_bytes(text.encode())
            self._contents[f"hindsight/source/{name}"] = content
            self._log.write("module", name=name, path="", source=content.to_json())
        self._saved = 0
        self._recording.flush(is_durable=False)
        self._recording.sync()     # now, while the workers begin: at the end the user waits

    @property
    def name(self) -> str:
        """Of the experiment."""
        return self._recording.name

    def add(self, event: dict[str, Any]) -> None:
        """Keep what a probe printed, logged or saved."""
        if event["e"] == "saved":
            self._add_saved(event["name"], decode_saved(content_of(event)))
        elif event["e"] == "value":
            self._log.write("value", name=event["name"], value=event["value"],
                            iteration=event["iteration"])
        else:
            self._log.write("probe", fd=event["fd"], text=event["text"], iteration=event["iteration"])

    def _add_saved(self, name: str, saved: Saved) -> None:
        self._saved += 1
        digests: list[bytes] = []
        memory = self._recording.add_pieces(saved.chunks.values(), digests)
        places = dict(zip(saved.chunks, digests))
        stored = {"structure": self._recording.add_bytes(saved.structure),
                  "table": self._recording.add_bytes(encode_table(saved.buffers, places)), **({"memory": memory} if memory.size else {})}
        self._contents |= {f"hindsight/{self._saved}/{part}": content for part, content in stored.items()}
        self._log.write("checkpoint", **checkpoint_to_json(Checkpoint(
            self._saved, f"={name}.{self._saved}", stored["structure"], stored["table"], saved.opaque, 0.0, memory.size, memory.size)))

    def finish(self, findings: Findings, took_s: float) -> Experiment:
        """Make it a finished experiment."""
        for event in findings.diverged:
            self._log.write("diverged", what=event["what"], position=event["position"],
                            names=event.get("names", []))
        facts = {"kind": "replay", "of": self._plan.experiment.name, "skipped": findings.skipped,
                 "checked": findings.checked, "diverged": len(findings.diverged),
                 "restore_factor": restore_factor(findings)}
        self._log.write("end", **facts)
        self._log.close()
        return self._recording.finish(Manifest(
            command=self._command, cwd=self._plan.run.head["cwd"], engine=ENGINE, rex=__version__,
            start_ns=self._began_ns, duration_s=took_s, exit_status=findings.status,
            attachments=self._contents, extra={"hindsight": facts}))

    def abandon(self) -> None:
        """Leave it unfinished."""
        self._log.close()
        self._recording.abandon()


def restore_factor(findings: Findings) -> float | None:
    """Seconds of a restore per second of the checkpoint it came from; None without restores."""
    if not findings.restored or not findings.pause_s:
        return None
    return round(findings.restore_s / findings.pause_s, 3)
