"""Pass 1 ends here: which entities of many chunks, and which nodes that exist, are one thing. Pure.

Two entities are one when they share a name that identifies them everywhere: the name or an alias,
never a short name. Being one is the connected component of that relation, and the canonical name
and type are what most mentions say, so that the graph does not depend on the order in which chunks
and workers came (issue: 8 workers give the same graph as one).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from app.graph.names import fuller_name, normalise_name
from app.ids import ChunkId, NodeId
from app.ingest.shapes import FoundEntity

DEFAULT_TYPE = "Concept"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One grounded entity of one chunk."""

    chunk_id: ChunkId
    entity: FoundEntity

    def full_names(self) -> dict[str, str]:
        """The names that identify it everywhere: normalised → as written."""
        names: dict[str, str] = {}
        for name in (self.entity.name, *self.entity.aliases):
            _keep_larger(names, normalise_name(name), name)
        return names

    def short_names(self) -> dict[str, str]:
        """The names that mean it in its document only: normalised → as written."""
        names: dict[str, str] = {}
        for name in self.entity.short_names:
            _keep_larger(names, normalise_name(name), name)
        return names


@dataclass(frozen=True, slots=True)
class KnownNode:
    """A node that the space has, as far as resolution needs it."""

    id: NodeId
    canonical_name: str
    node_type: str
    mention_count: int
    metadata: dict[str, Any]


@dataclass(slots=True)
class ResolvedNode:
    """One thing: the candidates and known nodes that are it. `known` None means that it is new."""

    candidates: list[int] = field(default_factory=list)
    known: KnownNode | None = None
    merged: list[KnownNode] = field(default_factory=list)
    full_names: dict[str, str] = field(default_factory=dict)
    short_names: dict[str, str] = field(default_factory=dict)


def resolve(
    candidates: Sequence[Candidate],
    known_names: Iterable[tuple[str, KnownNode]],
    *,
    separates_homonyms: bool,
) -> list[ResolvedNode]:
    """The things that the candidates name, each with its candidates and the nodes that it already is.

    `known_names` are (normalised full name, node) rows of the space for the candidates' names.
    With `separates_homonyms` a name identifies only together with the type.
    """
    parents: dict[Hashable, Hashable] = {}

    def find(key: Hashable) -> Hashable:
        parents.setdefault(key, key)
        while parents[key] != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    def name_key(name: str, node_type: str) -> Hashable:
        return (name, node_type) if separates_homonyms else name

    full_names = [candidate.full_names() for candidate in candidates]
    for index, candidate in enumerate(candidates):
        for name in full_names[index]:
            parents[find(("candidate", index))] = find(name_key(name, candidate.entity.node_type))
    by_name: dict[Hashable, KnownNode] = {}
    nodes: dict[NodeId, KnownNode] = {}
    for name, node in known_names:
        key = name_key(name, node.node_type)
        # A homonym of a type that nobody here names is none of theirs.
        if key not in parents:
            continue
        best = by_name.get(key)
        if best is None or _precedence(node) < _precedence(best):
            by_name[key] = node
    for key, node in by_name.items():
        nodes[node.id] = node
        parents[find(("node", node.id))] = find(key)

    groups: dict[Hashable, ResolvedNode] = {}
    for index, candidate in enumerate(candidates):
        group = groups.setdefault(find(("candidate", index)), ResolvedNode())
        group.candidates.append(index)
        for normalised, written in full_names[index].items():
            _keep_larger(group.full_names, normalised, written)
        for normalised, written in candidate.short_names().items():
            _keep_larger(group.short_names, normalised, written)
    for node in sorted(nodes.values(), key=lambda each: each.id):
        group = groups[find(("node", node.id))]
        if group.known is None:
            group.known = node
        else:
            group.merged.append(node)
    return list(groups.values())


def choose_name(votes: Counter[str]) -> str:
    """The canonical name: what most chunks call it, the fuller name where they are even."""
    most = max(votes.values())
    return reduce(fuller_name, sorted(name for name, count in votes.items() if count == most))


def choose_type(votes: Counter[str]) -> str:
    """The node type that most chunks show; the default where none shows any."""
    if not votes:
        return DEFAULT_TYPE
    most = max(votes.values())
    return min(name for name, count in votes.items() if count == most)


def _precedence(node: KnownNode) -> tuple[int, str]:
    return (-node.mention_count, str(node.id))


def _keep_larger(names: dict[str, str], normalised: str, written: str) -> None:
    """One spelling per normalised name, the same whichever came first."""
    names[normalised] = max(names.get(normalised, ""), written)
