"""Requirement 6: whatever is merged and undone in whichever order, a node was last seen when it was seen."""

import uuid
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.unmerge_plan import LedgerRow, NodeWithNames, plan_unmerge_and_update_other_rows
from app.ids import NodeId

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WINNER = NodeId(uuid.UUID(int=1))


def _moment(day: int) -> datetime:
    return BEGIN + timedelta(days=day)


class _Node:
    """A winner as the database keeps it, and beside it what is true of its own."""

    def __init__(self) -> None:
        self.first = self.last = _moment(100)
        self.confidence = 0.7
        self.own_first, self.own_last, self.own_confidence = self.first, self.last, self.confidence
        self.rows: list[LedgerRow] = []

    def see(self, day: int) -> None:
        """An ingest mentions it: now is later than all that was."""
        self.last = self.own_last = _moment(day)

    def merge(self, number: int, first: int, last: int, confidence: float) -> None:
        loser = {
            "confidence": confidence,
            "first_seen_at": _moment(first).isoformat(),
            "last_seen_at": _moment(last).isoformat(),
        }
        winner = {
            "canonical_name": "W",
            "node_type": "Concept",
            "confidence": self.confidence,
            "first_seen_at": self.first.isoformat(),
            "last_seen_at": self.last.isoformat(),
        }
        self.rows.append(
            LedgerRow(
                id=uuid.UUID(int=number),
                winner_id=WINNER,
                loser_id=NodeId(uuid.UUID(int=1_000 + number)),
                loser_name="L",
                loser_type="Concept",
                loser_record=loser,
                winner_record=winner,
                loser_names={},
                winner_names={},
                loser_mentions={},
                winner_mentions={},
                edges_from=[],
                edges_to=[],
                loops=[],
                confirmed_edges=[],
                created_at=BEGIN,
                undone_at=None,
                graph_revision=number,
            )
        )
        self.confidence = max(self.confidence, confidence)
        self.first, self.last = min(self.first, _moment(first)), max(self.last, _moment(last))

    def undo(self, number: int) -> None:
        row = self.rows[number % len(self.rows)]
        known = KnownNode(WINNER, "W", "Concept", 1, {})
        node = NodeWithNames(known, self.confidence, self.first, self.last, {}, set())
        parting = plan_unmerge_and_update_other_rows(row, self.rows, node)
        self.rows = parting.other_rows
        self.confidence, self.first, self.last = (
            parting.confidence,
            parting.first_seen_at,
            parting.last_seen_at,
        )

    def true(self) -> tuple[float, datetime, datetime]:
        """What its own sights and the losers that stay make."""
        losers = [row.loser_record for row in self.rows]
        return (
            max([self.own_confidence, *(loser["confidence"] for loser in losers)]),
            min([self.own_first, *(datetime.fromisoformat(loser["first_seen_at"]) for loser in losers)]),
            max([self.own_last, *(datetime.fromisoformat(loser["last_seen_at"]) for loser in losers)]),
        )


@settings(max_examples=400)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("see", "merge", "undo")),
            st.integers(0, 99),
            st.integers(0, 9),
            st.sampled_from((0.5, 0.7, 0.95)),
        ),
        max_size=14,
    )
)
def test_what_a_loser_gave_goes_with_it_and_nothing_else(
    acts: list[tuple[str, int, int, float]],
) -> None:
    node = _Node()
    for at, (act, number, before, confidence) in enumerate(acts):
        day = 101 + at * 10
        if act == "see":
            node.see(day)
        elif act == "merge":
            # It was seen some days ago, before or after the winner was.
            node.merge(at + 1, number, day - before * 3, confidence)
        elif node.rows:
            node.undo(number)

        assert (node.confidence, node.first, node.last) == node.true()
