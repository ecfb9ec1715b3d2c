"""Compute what a winner keeps when one of the merges into it is undone. Pure.

Several nodes may have been merged into one winner, and merges may be undone in any order. A ledger row
records everything the loser had, and the winner's own share of the same names and mentions. Among the rows in
force, the earliest records the winner's own share; when that row is undone, the next one takes it over.
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
    """A name of a node as written, and its kind."""

    name: str
    kind: str


class Mention(NamedTuple):
    """A chunk's mention of a node: the words and their range, the fullest name, the type and sense shown."""

    surface: str
    start: int
    end: int
    name: str
    node_type: str | None
    # Missing in older rows.
    sense: str | None = None
    titular: bool = False

    def sort_key(self) -> tuple[int, str]:
        """Sort key: the first mention in a chunk counts, independent of insertion order."""
        return (self.start, self.name)


@dataclass(slots=True)
class NodeWithNames:
    """An existing node with its names (normalised → row) and keys."""

    node: KnownNode
    confidence: float
    first_seen_at: datetime
    last_seen_at: datetime
    names: dict[str, NameRow]
    keys: set[str]


@dataclass(slots=True)
class LedgerRow:
    """A merge, with everything needed to undo it."""

    id: UUID
    winner_id: NodeId
    loser_id: NodeId
    loser_name: str
    loser_type: str
    loser_record: dict[str, Any]
    winner_record: dict[str, Any]
    loser_names: dict[str, NameRow]
    winner_names: dict[str, NameRow]
    loser_mentions: dict[UUID, Mention]
    winner_mentions: dict[UUID, Mention]
    edges_from: list[UUID]
    edges_to: list[UUID]
    loops: list[dict[str, Any]]
    confirmed_edges: list[UUID]
    created_at: datetime
    undone_at: datetime | None
    graph_revision: int

    def merge_order_key(self) -> tuple[int, UUID]:
        """Sort key: merges in the order in which they were made."""
        return (self.graph_revision, self.id)

    def referenced_chunks(self) -> set[UUID]:
        """Return the chunks that the row refers to."""
        loops = {UUID(str(loop["evidence_chunk_id"])) for loop in self.loops if loop.get("evidence_chunk_id")}
        return {*self.loser_mentions, *self.winner_mentions, *loops}

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Build from a row of the table, in the order of its columns."""
        leading_fields, trailing_fields = list(row[:7]), list(row[11:])
        names: list[dict[str, NameRow]] = [
            {name: NameRow(*fields) for name, *fields in column} for column in row[7:9]
        ]
        mentions: list[dict[UUID, Mention]] = [
            {UUID(chunk): Mention(*fields) for chunk, *fields in column} for column in row[9:11]
        ]
        return cls(*leading_fields, *names, *mentions, *trailing_fields)


@dataclass(slots=True)
class UnmergePlan:
    """The remainder when one loser is taken out of its winner.

    `winner_names` and `winner_mentions` map each of the loser's names and chunks to the winner's share, or
    None. `other_rows` are the other rows in force, with the shares that they took over.
    """

    other_rows: list[LedgerRow]
    confidence: float
    first_seen_at: datetime
    last_seen_at: datetime
    winner_names: dict[str, NameRow | None] = field(default_factory=dict)
    winner_mentions: dict[UUID, Mention | None] = field(default_factory=dict)
    loops: list[dict[str, Any]] = field(default_factory=list)
    winner_record: dict[str, Any] = field(default_factory=dict)


def plan_unmerge_and_update_other_rows(
    row: LedgerRow, ledger_rows: Sequence[LedgerRow], node: NodeWithNames
) -> UnmergePlan:
    """Undo `row` and return what remains for the winner `node`.

    `ledger_rows` are all rows in force of that winner; those returned in `other_rows` are the same objects,
    modified.
    """
    other_rows = [ledger_row for ledger_row in ledger_rows if ledger_row.id != row.id]
    plan = UnmergePlan(other_rows, node.confidence, node.first_seen_at, node.last_seen_at)
    for name in row.loser_names:
        shares = _hand_over_and_list_shares_of_winner(
            name,
            row,
            other_rows,
            lambda ledger_row: ledger_row.loser_names,
            lambda ledger_row: ledger_row.winner_names,
        )
        plan.winner_names[name] = _join_name_rows(shares) if shares else None
    for chunk_id in row.loser_mentions:
        mention_shares = _hand_over_and_list_shares_of_winner(
            chunk_id,
            row,
            other_rows,
            lambda ledger_row: ledger_row.loser_mentions,
            lambda ledger_row: ledger_row.winner_mentions,
        )
        plan.winner_mentions[chunk_id] = min(mention_shares, key=Mention.sort_key) if mention_shares else None
    _restore_loops(row, other_rows, plan)
    first_row = min([row, *other_rows], key=LedgerRow.merge_order_key)
    plan.winner_record = first_row.winner_record
    _restore_confidence_and_dates_of_winner(row, node, plan)
    if first_row is row and other_rows:
        recorded_extremes = {
            key: other_rows[0].winner_record[key] for key in _EXTREMES if key in other_rows[0].winner_record
        }
        other_rows[0].winner_record = {**row.winner_record, **recorded_extremes}
    return plan


def list_aliases(names: Mapping[str, NameRow], canonical_name: str) -> list[str]:
    """Return the other names that identify the node everywhere, as its metadata lists them."""
    own_name = normalise_name(canonical_name)
    return sorted(row.name for name, row in names.items() if row.kind != "short" and name != own_name)


def build_names_with_kinds(names: Mapping[str, NameRow], canonical_name: str) -> dict[str, NameRow]:
    """Return the names with the kinds that they have under this canonical name."""
    own_name = normalise_name(canonical_name)
    return {
        name: row if row.kind == "short" else NameRow(row.name, "canonical" if name == own_name else "alias")
        for name, row in names.items()
    }


def _hand_over_and_list_shares_of_winner(
    key: Key,
    row: LedgerRow,
    other_rows: Sequence[LedgerRow],
    get_loser_part: Callable[[LedgerRow], dict[Key, Value]],
    get_winner_part: Callable[[LedgerRow], dict[Key, Value]],
) -> list[Value]:
    """Return the winner's shares in this name or chunk: its own, and those of the nodes that stay merged."""
    rows_with_key = [other_row for other_row in other_rows if key in get_loser_part(other_row)]
    first_row = min([row, *rows_with_key], key=LedgerRow.merge_order_key)
    own_share = get_winner_part(first_row).get(key)
    if first_row is row and rows_with_key:
        get_winner_part(rows_with_key[0]).pop(key, None)
        if own_share is not None:
            get_winner_part(rows_with_key[0])[key] = own_share
    return [
        *([] if own_share is None else [own_share]),
        *(get_loser_part(other_row)[key] for other_row in rows_with_key),
    ]


def _join_name_rows(rows: Sequence[NameRow]) -> NameRow:
    kinds = {row.kind for row in rows}
    return NameRow(max(row.name for row in rows), "short" if kinds == {"short"} else "alias")


def _restore_loops(row: LedgerRow, other_rows: Sequence[LedgerRow], plan: UnmergePlan) -> None:
    """Restore edges that were loops in the winner and have the loser at one end."""
    edges_from, edges_to = set(map(str, row.edges_from)), set(map(str, row.edges_to))
    edges_by_id = {str(edge["id"]): edge for ledger_row in (row, *other_rows) for edge in ledger_row.loops}
    for edge_id in sorted(edges_by_id):
        from_node_id = row.loser_id if edge_id in edges_from else row.winner_id
        to_node_id = row.loser_id if edge_id in edges_to else row.winner_id
        if from_node_id != to_node_id:
            plan.loops.append(
                {**edges_by_id[edge_id], "from_node_id": str(from_node_id), "to_node_id": str(to_node_id)}
            )
    returned_edge_ids = {str(edge["id"]) for edge in plan.loops}
    for other_row in other_rows:
        other_row.loops = [edge for edge in other_row.loops if str(edge["id"]) not in returned_edge_ids]


def _restore_confidence_and_dates_of_winner(row: LedgerRow, node: NodeWithNames, plan: UnmergePlan) -> None:
    """Set the winner's confidence and first and last dates to their values without the loser."""
    rows = sorted([row, *plan.other_rows], key=LedgerRow.merge_order_key)
    plan.confidence = _restore_extreme_and_update_later_rows(rows, row, node.confidence, _CONFIDENCE)
    plan.first_seen_at = _restore_extreme_and_update_later_rows(rows, row, node.first_seen_at, _FIRST_SEEN)
    # Older merges did not record when the winner was last seen: then the date stays.
    if all(_LAST_SEEN.key in ledger_row.winner_record for ledger_row in rows):
        plan.last_seen_at = _restore_extreme_and_update_later_rows(rows, row, node.last_seen_at, _LAST_SEEN)


@dataclass(frozen=True, slots=True)
class _Extreme(Generic[Value]):
    """A value of which a merge keeps the maximum or minimum of both nodes, and its form in the ledger."""

    key: str
    choose_best: Callable[[Value, Value], Value]
    read: Callable[[Any], Value]
    serialize: Callable[[Value], Any]


_CONFIDENCE: _Extreme[float] = _Extreme("confidence", max, float, float)
_FIRST_SEEN: _Extreme[datetime] = _Extreme("first_seen_at", min, datetime.fromisoformat, datetime.isoformat)
_LAST_SEEN: _Extreme[datetime] = _Extreme("last_seen_at", max, datetime.fromisoformat, datetime.isoformat)
_EXTREMES = (_CONFIDENCE.key, _FIRST_SEEN.key, _LAST_SEEN.key)


def _restore_extreme_and_update_later_rows(
    rows: Sequence[LedgerRow], row: LedgerRow, node_value: Value, extreme: _Extreme[Value]
) -> Value:
    """Return the winner's value once `row` is undone, and update what later rows recorded about the winner.

    A row records the winner's value before the merge. If that exceeds what the winner and the earlier losers
    had, the winner gained it in between, and keeps it.
    """
    choose_best = extreme.choose_best
    own_value = best_value = extreme.read(rows[0].winner_record[extreme.key])
    remaining_value: Value | None = None
    for ledger_row in rows:
        value_before = extreme.read(ledger_row.winner_record[extreme.key])
        if choose_best(value_before, best_value) != best_value:
            own_value = best_value = value_before
        if ledger_row is not row:
            recorded_value = own_value if remaining_value is None else choose_best(own_value, remaining_value)
            ledger_row.winner_record = {
                **ledger_row.winner_record,
                extreme.key: extreme.serialize(recorded_value),
            }
        loser_value = extreme.read(ledger_row.loser_record[extreme.key])
        best_value = choose_best(best_value, loser_value)
        if ledger_row is not row:
            remaining_value = (
                loser_value if remaining_value is None else choose_best(remaining_value, loser_value)
            )
    if choose_best(node_value, best_value) != best_value:
        own_value = node_value
    return own_value if remaining_value is None else choose_best(own_value, remaining_value)
