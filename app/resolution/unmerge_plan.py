"""The shares of a node whose merge is undone, and of the nodes that stay merged. Pure.

Several nodes may have gone into one winner and be taken out again in any order. A row of the ledger
knows all that its loser had, and of the winner what it had itself of the same: its own names and
mentions. Of the rows that still hold, the earliest knows the winner's own; when that row is undone,
it hands that knowledge on to the next.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self, TypeVar
from uuid import UUID

from app.graph.names import normalise_name
from app.ids import NodeId
from app.resolution.entity_resolver import KnownNode

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class NameRow(NamedTuple):
    """A name of a node as written, and what kind of name it is."""

    name: str
    kind: str


class Mention(NamedTuple):
    """How one chunk names a node: the words at a range, the fullest name, the type and sense shown."""

    surface: str
    start: int
    end: int
    name: str
    node_type: str | None
    # Of rows that were written before these were kept.
    sense: str | None = None
    titular: bool = False

    def order(self) -> tuple[int, str]:
        """Of several mentions in a chunk the first counts, whichever came in first."""
        return (self.start, self.name)


@dataclass(slots=True)
class StandingNode:
    """A node with its names (normalised → row) and keys, as it stands."""

    node: KnownNode
    confidence: float
    first_seen_at: datetime
    last_seen_at: datetime
    names: dict[str, NameRow]
    keys: set[str]


@dataclass(slots=True)
class LedgerRow:
    """One merge with all that undoing it needs."""

    id: UUID
    winner_id: NodeId
    loser_id: NodeId
    loser_name: str
    loser_type: str
    loser: dict[str, Any]
    winner: dict[str, Any]
    names: dict[str, NameRow]
    winner_names: dict[str, NameRow]
    mentions: dict[UUID, Mention]
    winner_mentions: dict[UUID, Mention]
    edges_from: list[UUID]
    edges_to: list[UUID]
    loops: list[dict[str, Any]]
    confirmed_edges: list[UUID]
    created_at: datetime
    undone_at: datetime | None
    graph_revision: int

    def place(self) -> tuple[int, UUID]:
        """Orders merges as they were made."""
        return (self.graph_revision, self.id)

    def chunks(self) -> set[UUID]:
        """The chunks that it refers to."""
        loops = {UUID(str(each["evidence_chunk_id"])) for each in self.loops if each.get("evidence_chunk_id")}
        return {*self.mentions, *self.winner_mentions, *loops}

    @classmethod
    def read(cls, row: Sequence[Any]) -> Self:
        """A row of the table, in the order of its columns."""
        head, tail = list(row[:7]), list(row[11:])
        names: list[dict[str, NameRow]] = [
            {name: NameRow(*rest) for name, *rest in each} for each in row[7:9]
        ]
        mentions: list[dict[UUID, Mention]] = [
            {UUID(chunk): Mention(*rest) for chunk, *rest in each} for each in row[9:11]
        ]
        return cls(*head, *names, *mentions, *tail)


@dataclass(slots=True)
class Parting:
    """The remainder when one loser is taken out of its winner.

    `names` and `mentions` have, for each of the loser's names and chunks, what the winner keeps of it, or
    None; `others` are the rows that still hold, with what they were handed.
    """

    others: list[LedgerRow]
    confidence: float
    first_seen_at: datetime
    last_seen_at: datetime
    names: dict[str, NameRow | None] = field(default_factory=dict)
    mentions: dict[UUID, Mention | None] = field(default_factory=dict)
    loops: list[dict[str, Any]] = field(default_factory=list)
    winner: dict[str, Any] = field(default_factory=dict)


def part(row: LedgerRow, standing: Sequence[LedgerRow], node: StandingNode) -> Parting:
    """Undo `row`; return what is left to the winner `node`. `standing` are all rows of that winner that hold.

    The rows returned in `others` are the given ones, changed.
    """
    others = [each for each in standing if each.id != row.id]
    parting = Parting(others, node.confidence, node.first_seen_at, node.last_seen_at)
    for name in row.names:
        shares = _shares(name, row, others, lambda each: each.names, lambda each: each.winner_names)
        parting.names[name] = _joined_rows(shares) if shares else None
    for chunk in row.mentions:
        found = _shares(chunk, row, others, lambda each: each.mentions, lambda each: each.winner_mentions)
        parting.mentions[chunk] = min(found, key=Mention.order) if found else None
    _part_loops(row, others, parting)
    first = min([row, *others], key=LedgerRow.place)
    parting.winner = first.winner
    if first is row and others:
        others[0].winner = row.winner
    _part_extremes(row, node, parting)
    return parting


def aliases_of(names: Mapping[str, NameRow], canonical_name: str) -> list[str]:
    """The other names that identify the node everywhere, as its metadata lists them."""
    own = normalise_name(canonical_name)
    return sorted(row.name for name, row in names.items() if row.kind != "short" and name != own)


def with_kinds(names: Mapping[str, NameRow], canonical_name: str) -> dict[str, NameRow]:
    """The names, each of the kind that it has beside this canonical name."""
    own = normalise_name(canonical_name)
    return {
        name: row if row.kind == "short" else NameRow(row.name, "canonical" if name == own else "alias")
        for name, row in names.items()
    }


def _shares(
    key: Key,
    row: LedgerRow,
    others: Sequence[LedgerRow],
    of_loser: Callable[[LedgerRow], dict[Key, Value]],
    of_winner: Callable[[LedgerRow], dict[Key, Value]],
) -> list[Value]:
    """Return the winner's shares in this name or chunk: its own, and those of the nodes that stay in it."""
    mine = [each for each in others if key in of_loser(each)]
    first = min([row, *mine], key=LedgerRow.place)
    own = of_winner(first).get(key)
    if first is row and mine:
        of_winner(mine[0]).pop(key, None)
        if own is not None:
            of_winner(mine[0])[key] = own
    return [*([] if own is None else [own]), *(of_loser(each)[key] for each in mine)]


def _joined_rows(rows: Sequence[NameRow]) -> NameRow:
    kinds = {row.kind for row in rows}
    return NameRow(max(row.name for row in rows), "short" if kinds == {"short"} else "alias")


def _part_loops(row: LedgerRow, others: Sequence[LedgerRow], parting: Parting) -> None:
    """Edges inside the winner of which one end was the loser's stand between two nodes again."""
    leaving, entering = set(map(str, row.edges_from)), set(map(str, row.edges_to))
    pool = {str(edge["id"]): edge for each in (row, *others) for edge in each.loops}
    for edge_id in sorted(pool):
        start = row.loser_id if edge_id in leaving else row.winner_id
        end = row.loser_id if edge_id in entering else row.winner_id
        if start != end:
            parting.loops.append({**pool[edge_id], "from_node_id": str(start), "to_node_id": str(end)})
    returned = {str(edge["id"]) for edge in parting.loops}
    for each in others:
        each.loops = [edge for edge in each.loops if str(edge["id"]) not in returned]


def _part_extremes(row: LedgerRow, node: StandingNode, parting: Parting) -> None:
    """The winner's confidence, first and last sight, unless something else than the loser has set them."""
    stays = [each.loser for each in parting.others]
    confidence = max([parting.winner["confidence"], *(each["confidence"] for each in stays)])
    parting.confidence = (
        node.confidence if node.confidence > max(confidence, row.loser["confidence"]) else confidence
    )
    seen = [parting.winner, *stays]
    first = min(datetime.fromisoformat(each["first_seen_at"]) for each in seen)
    since = min(first, datetime.fromisoformat(row.loser["first_seen_at"]))
    parting.first_seen_at = node.first_seen_at if node.first_seen_at < since else first
    # Merges of before did not note when the winner was last seen: there it stays as it is.
    if "last_seen_at" in parting.winner:
        last = max(datetime.fromisoformat(each["last_seen_at"]) for each in seen)
        until = max(last, datetime.fromisoformat(row.loser["last_seen_at"]))
        parting.last_seen_at = node.last_seen_at if node.last_seen_at > until else last
