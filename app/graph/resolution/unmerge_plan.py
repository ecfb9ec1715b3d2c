"""The shares of a node whose merge is undone, and of the nodes that stay merged. Pure.

Several nodes may have gone into one winner and be taken out again in any order. A row of the ledger
knows all that its loser had, and of the winner what it had itself of the same: its own names and
mentions. Of the rows that still hold, the earliest knows the winner's own; when that row is undone,
it hands that knowledge on to the next.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NamedTuple, Self, TypeVar
from uuid import UUID

from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import KnownNode
from app.ids import NodeId

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
        loops = {UUID(str(loop["evidence_chunk_id"])) for loop in self.loops if loop.get("evidence_chunk_id")}
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


def part(row: LedgerRow, ledger_rows: Sequence[LedgerRow], node: StandingNode) -> Parting:
    """Undo `row`; return what is left to the winner `node`. `standing` are all rows of that winner that hold.

    The rows returned in `others` are the given ones, changed.
    """
    others = [each for each in ledger_rows if each.id != row.id]
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
    _part_extremes(row, node, parting)
    if first is row and others:
        noted = {key: others[0].winner[key] for key in _EXTREMES if key in others[0].winner}
        others[0].winner = {**row.winner, **noted}
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
    """The winner's confidence, first and last sight, without what the loser alone gave to them."""
    rows = sorted([row, *parting.others], key=LedgerRow.place)
    parting.confidence = _part_extreme(rows, row, node.confidence, _CONFIDENCE)
    parting.first_seen_at = _part_extreme(rows, row, node.first_seen_at, _FIRST_SEEN)
    # Merges of before did not note when the winner was last seen: there it stays as it is.
    if all(_LAST_SEEN.key in each.winner for each in rows):
        parting.last_seen_at = _part_extreme(rows, row, node.last_seen_at, _LAST_SEEN)


@dataclass(frozen=True, slots=True)
class _Extreme(Generic[Value]):
    """A value of which a merge keeps the greatest (or least) of both nodes, and how the ledger writes it."""

    key: str
    best: Callable[[Value, Value], Value]
    read: Callable[[Any], Value]
    write: Callable[[Value], Any]


_CONFIDENCE: _Extreme[float] = _Extreme("confidence", max, float, float)
_FIRST_SEEN: _Extreme[datetime] = _Extreme("first_seen_at", min, datetime.fromisoformat, datetime.isoformat)
_LAST_SEEN: _Extreme[datetime] = _Extreme("last_seen_at", max, datetime.fromisoformat, datetime.isoformat)
_EXTREMES = (_CONFIDENCE.key, _FIRST_SEEN.key, _LAST_SEEN.key)


def _part_extreme(
    rows: Sequence[LedgerRow], row: LedgerRow, standing: Value, extreme: _Extreme[Value]
) -> Value:
    """Return the winner's value once `row` is undone; what later rows noted of the winner changes likewise.

    A row notes how the winner stood before it. Where that is beyond what it had by itself and by the losers
    before, it came to it by itself in between, and keeps it.
    """
    best = extreme.best
    own = with_losers = extreme.read(rows[0].winner[extreme.key])
    without: Value | None = None
    for each in rows:
        stood = extreme.read(each.winner[extreme.key])
        if best(stood, with_losers) != with_losers:
            own = with_losers = stood
        if each is not row:
            noted = own if without is None else best(own, without)
            each.winner = {**each.winner, extreme.key: extreme.write(noted)}
        loser = extreme.read(each.loser[extreme.key])
        with_losers = best(with_losers, loser)
        if each is not row:
            without = loser if without is None else best(without, loser)
    if best(standing, with_losers) != with_losers:
        own = standing
    return own if without is None else best(own, without)
