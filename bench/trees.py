"""Execution trees from a seed: those of the CHEX paper's Table 2, and larger and wilder ones of ours.

`grow_published` follows Manne et al., CHEX, PVLDB 15(6), 2022, Table 2, with the ranges of the authors' published scripts. The other
shapes are ours: more versions, and costs and sizes that vary much more, so that plans are harder.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from rex.multiversion.tree import ExecutionTree, Node

MB = 10**6

# (seconds, bytes) of a cell, from the random source and its depth.
Draw = Callable[[random.Random, int], tuple[float, int]]


def draw_ci(rng: random.Random, _depth: int) -> tuple[float, int]:
    """Compute-intensive: minutes, states of similar and modest size."""
    return rng.uniform(60, 600), int(rng.uniform(50, 100) * MB)


def draw_di(rng: random.Random, _depth: int) -> tuple[float, int]:
    """Data-intensive: seconds, states from small to very large."""
    return rng.uniform(1, 10), int(rng.uniform(100, 2000) * MB)


def draw_an(rng: random.Random, depth: int) -> tuple[float, int]:
    """Analysis: both vary; the state grows as the notebook goes on."""
    return rng.expovariate(1 / 60), int(rng.uniform(0.5, 1.5) * (depth + 1) * 100 * MB)


MIB = 1 << 20


def draw_published_ci(rng: random.Random, depth: int) -> tuple[float, int]:
    """Compute-intensive: each level takes 100 s more, all states take 500 MiB."""
    return rng.randint(100 * max(1, depth) - 10, 100 * max(1, depth) + 10), 500 * MIB


def draw_published_di(rng: random.Random, depth: int) -> tuple[float, int]:
    """Data-intensive: all levels take 100 s, states grow by 100 MiB a level."""
    return rng.randint(90, 110), 100 * MIB * max(1, depth)


def draw_published_an(rng: random.Random, depth: int) -> tuple[float, int]:
    """Analysis: both grow with the level."""
    return rng.randint(100 * max(1, depth) - 10, 100 * max(1, depth) + 10), 100 * MIB * max(1, depth)


PUBLISHED: dict[str, Draw] = {"CI": draw_published_ci, "DI": draw_published_di, "AN": draw_published_an}


def grow_published(kind: str, versions: int = 20, seed: int = 0, branching: int = 4, height: int = 6) -> ExecutionTree:
    """Level by level, each cell has up to four children, each with probability 50 %, until there are enough versions.

    A tree that dies out before is grown again.
    """
    rng = random.Random(f"published {kind} {versions} {seed}")
    while True:
        nodes = [Node("n0", None, *PUBLISHED[kind](rng, 0))]
        queue, leaves = [(0, 0)], 1
        while queue and leaves < versions:
            number, depth = queue.pop(0)
            is_leaf = True
            for _ in range(branching if depth < height else 0):
                if leaves < versions and rng.random() < 0.5:
                    leaves += not is_leaf
                    is_leaf = False
                    queue.append((len(nodes), depth + 1))
                    nodes.append(Node(f"n{len(nodes)}", f"n{number}", *PUBLISHED[kind](rng, depth + 1)))
        if leaves == versions:
            return ExecutionTree(nodes)


DRAWS: dict[str, Draw] = {"CI": draw_ci, "DI": draw_di, "AN": draw_an}


def grow_bushy(kind: str, versions: int, seed: int) -> ExecutionTree:
    """Level by level, two to four children per cell, until there are enough versions."""
    rng = random.Random(f"bushy {kind} {versions} {seed}")
    draw = DRAWS[kind]
    nodes = [Node("n0", None, *draw(rng, 0))]
    queue, leaves = [(0, 0)], 1
    while leaves < versions:
        number, depth = queue.pop(0)
        fan = min(rng.randint(2, 4), versions - leaves + 1)
        leaves += fan - 1
        for _ in range(fan):
            queue.append((len(nodes), depth + 1))
            nodes.append(Node(f"n{len(nodes)}", f"n{number}", *draw(rng, depth + 1)))
    return ExecutionTree(nodes)


def grow_edits(kind: str, versions: int, seed: int, cells: int = 15) -> ExecutionTree:
    """Each version edits one cell of an earlier one, so what follows is new."""
    rng = random.Random(f"edits {kind} {versions} {seed}")
    draw = DRAWS[kind]
    nodes: list[Node] = []
    paths: list[list[str]] = []
    for _ in range(versions):
        path = list(rng.choice(paths)[:rng.randrange(1, cells)]) if paths else []
        while len(path) < cells:
            name = f"n{len(nodes)}"
            nodes.append(Node(name, path[-1] if path else None, *draw(rng, len(path))))
            path.append(name)
        paths.append(path)
    return ExecutionTree(nodes)


def grow_caterpillar(height: int, seed: int) -> ExecutionTree:
    """One leaf and one child per cell: the shape on which published PC explodes."""
    rng = random.Random(f"caterpillar {height} {seed}")
    nodes = [Node("s0", None, *draw_an(rng, 0))]
    for level in range(1, height):
        nodes.append(Node(f"s{level}", f"s{level - 1}", *draw_an(rng, 3)))
        nodes.append(Node(f"v{level}", f"s{level - 1}", *draw_an(rng, 3)))
    return ExecutionTree(nodes)
