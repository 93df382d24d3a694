"""Which rule answered each event of a replay, what the event waited for, and for how long."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field

LONGEST = 5


@dataclass(frozen=True)
class Hold:
    """An event that waited.

    Attributes:
        event, task: numbers in the log.
        rule: the row of match_rules that found the event.
        gate: the gate that held it last.
        seconds: from the first hold until the event happened.
    """

    event: int
    task: int
    rule: str
    gate: str
    seconds: float


@dataclass
class Explanation:
    """What the rules of a replay did.

    Attributes:
        rules: by row of match_rules, how many events it found.
        gates: by gate, how many events it held last.
        seconds: by gate, for how long these were held together.
        longest: the events that waited longest, the longest first.
        rows: by row of any table, how often it acted; of a gate, how often it held an event.
    """

    rules: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    longest: list[Hold] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, hold: Hold) -> None:
        """Count one event that has happened."""
        self.rules[hold.rule] += 1
        if hold.gate == "-":
            return
        self.gates[hold.gate] += 1
        self.seconds[hold.gate] += hold.seconds
        self.longest = sorted([*self.longest, hold], key=lambda h: -h.seconds)[:LONGEST]

    def lines(self, where: str) -> list[str]:
        """The explanation in words; where: `ARCHIVE:EXP`, for the hints."""
        total = sum(self.rules.values())
        found = ", ".join(f"{name} {n:,}" for name, n in self.rules.most_common() if name != "-")
        lines = [f"{total:,} events happened" + (f"; found by: {found}" if found else "")]
        lines += [f"{n:,} events waited for {gate}, {self.seconds[gate]:.3f} s together" for gate, n in self.gates.most_common()]
        lines += [f"event {h.event} of task {h.task} waited {h.seconds:.3f} s for {h.gate}; see: rex log {where} --around {h.event}"
                  for h in self.longest]
        if self.rows:
            lines.append("rows that acted: " + ", ".join(f"{name} {n:,}" for name, n in self.rows.most_common()))
        return lines

    def as_json(self) -> dict[str, object]:
        """The explanation for machines; seconds as numbers."""
        return {"rules": dict(self.rules), "gates": {gate: {"events": n, "seconds": self.seconds[gate]} for gate, n in self.gates.items()},
                "longest": [vars(hold) for hold in self.longest], "rows": dict(self.rows)}


def read(path: str) -> Explanation:
    """Read what the engine wrote, see rex/native/replay/rules/explain.c; empty where it wrote nothing."""
    explanation = Explanation()
    if not os.path.exists(path):
        return explanation
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.rstrip("\n").split("\t")
            if len(words) == 2:
                explanation.rows[words[0]] += int(words[1])
                continue
            event, task, rule, gate, held_ns = words
            explanation.add(Hold(int(event), int(task), rule, gate, int(held_ns) / 1e9))
    return explanation
