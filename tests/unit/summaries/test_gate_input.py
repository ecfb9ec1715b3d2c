"""What the gate is asked about a node, and what a summary is written from (requirement 6.1); no database."""

from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest

from app.derived.summaries.delta import SummaryFact, hash_facts, split_fact_keys
from app.derived.summaries.gate import GateState, Reason, Vector
from app.derived.summaries.gate_input import (
    MAX_FACTS,
    STATED_FACTS,
    evaluate_gate_of_node,
    group_facts_by_claim,
    list_one_edge_of_each_fact,
    sum_vectors_of_facts,
)
from app.derived.summaries.gate_settings import MIN_FACTS, GateSettings
from app.derived.summaries.shapes import FactRow, NodeToEvaluate
from app.ids import EdgeId, NodeId

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ACME = NodeId(UUID(int=1))
GATE = GateSettings()


def edge(number: int) -> EdgeId:
    return EdgeId(UUID(int=1_000 + number))


def row(number: int, target: str, *, relation: str = "owns", weight: float = 1.0, quote: str = "") -> FactRow:
    fact = SummaryFact("Acme", relation, target, quote or f"Acme {relation} {target}.", (str(ACME), target))
    return FactRow(edge(number), fact, weight)


def vectors(*rows: FactRow) -> dict[EdgeId, Vector]:
    return {edge_row.edge_id: np.eye(8, dtype=np.float32)[place % 8] for place, edge_row in enumerate(rows)}


def node(**changes: object) -> NodeToEvaluate:
    return NodeToEvaluate(ACME, UUID(int=9), "Acme", "Organization", **changes)  # type: ignore[arg-type]


class TestClaims:
    def test_rows_of_one_claim_are_one_the_strongest_speaking_for_it(self) -> None:
        told = [
            row(1, "Rocket", weight=0.2, quote="Weakly."),
            row(2, "Rocket", weight=0.9, quote="Strongly."),
        ]
        told += [row(number, "Rocket", weight=0.1) for number in range(3, 6)]
        told.append(row(6, "Base", weight=1.0))
        first, second = group_facts_by_claim(told)
        assert (first.fact.target, first.fact.quote) == ("Rocket", "Strongly.")
        assert first.weight == pytest.approx(1.4)
        assert first.edge_ids == (edge(2), edge(1), edge(3))
        assert second.fact.target == "Base"

    def test_a_claim_and_its_denial_are_two(self) -> None:
        assert (
            len(
                group_facts_by_claim(
                    [row(1, "Rocket"), row(2, "Rocket", quote="Acme does not own the Rocket.")]
                )
            )
            == 2
        )


class TestPooling:
    def test_a_fact_counts_once_however_often_it_is_stated_or_denied(self) -> None:
        told = [
            row(1, "Rocket"),
            row(2, "Rocket"),
            row(3, "Rocket", quote="Acme never owned it."),
            row(4, "Base"),
        ]
        assert list_one_edge_of_each_fact(told) == [edge(4), edge(1)]
        together = sum_vectors_of_facts(told, vectors(*told))
        assert together is not None
        assert sorted(together[together > 0].tolist()) == [1, 1]

    def test_the_same_facts_in_another_order_give_the_same_vector_to_the_last_bit(self) -> None:
        told = [row(number, f"Thing {number}") for number in range(30)]
        random = np.random.default_rng(5)
        given = {fact.edge_id: random.normal(size=256).astype(np.float32) for fact in told}
        one, other = sum_vectors_of_facts(told, given), sum_vectors_of_facts(told[::-1], given)
        assert one is not None
        assert other is not None
        assert one.tobytes() == other.tobytes() == one.astype(np.float16).astype(np.float32).tobytes()

    def test_facts_without_a_vector_are_left_out(self) -> None:
        assert sum_vectors_of_facts([row(1, "Rocket")], {}) is None


class TestLook:
    def test_a_node_of_one_fact_gets_no_summary(self) -> None:
        assert MIN_FACTS == 2
        assert evaluate_gate_of_node(node(), [row(1, "Rocket"), row(2, "Rocket")], {}, GATE, now=NOW) is None
        found = evaluate_gate_of_node(node(), [row(1, "Rocket"), row(2, "Base")], {}, GATE, now=NOW)
        assert found is not None
        assert found.decision.reason is Reason.FIRST

    def test_a_node_that_no_fact_is_left_of_has_nothing_to_decide(self) -> None:
        assert evaluate_gate_of_node(node(episode_count=3), [], {}, GATE, now=NOW) is None

    def test_what_came_and_went_is_told_by_the_keys_of_the_last_look(self) -> None:
        before, after = [row(1, "Rocket"), row(2, "Base")], [row(1, "Rocket"), row(3, "Moon")]
        first = evaluate_gate_of_node(node(), before, vectors(*before), GATE, now=NOW)
        assert first is not None
        state = GateState(
            hash_facts([scored_fact.fact for scored_fact in before]), first.episode.embedding, NOW
        )
        known = node(state=state, seen_keys=split_fact_keys(first.fact_keys), episode_count=1)
        second = evaluate_gate_of_node(known, after, vectors(*after), GATE, now=NOW)
        assert second is not None
        assert (second.episode.delta.has_added_fact, second.episode.delta.has_removed_fact) == (True, True)
        assert second.decision.reason is Reason.INVALIDATED
        assert [fact.target for fact in second.new_facts] == ["Moon"]
        again = evaluate_gate_of_node(known, before[::-1], vectors(*before), GATE, now=NOW)
        assert again is not None
        assert again.episode.delta.is_empty
        assert again.decision.reason is Reason.UNCHANGED
        assert again.drift == pytest.approx(0, abs=1e-6)

    def test_of_a_hub_only_the_strongest_500_facts_a_direction_are_looked_at_and_none_is_said_to_have_gone(
        self,
    ) -> None:
        assert MAX_FACTS == 500
        full = [row(number, f"Thing {number}") for number in range(MAX_FACTS)]
        state = GateState("other", None, NOW)
        known = node(
            state=state, seen_keys=frozenset({row(0, "Outweighed").fact.claim_hash}), episode_count=1
        )
        found = evaluate_gate_of_node(known, full, {}, GATE, now=NOW)
        assert found is not None
        assert not found.episode.delta.has_removed_fact
        short = evaluate_gate_of_node(known, full[:-1], {}, GATE, now=NOW)
        assert short is not None
        assert short.episode.delta.has_removed_fact


class TestMaterial:
    def test_the_strongest_twelve_facts_are_told_and_with_them_what_is_new(self) -> None:
        assert STATED_FACTS == 12
        old = [row(number, f"Old {number}", weight=1 - number / 100) for number in range(20)]
        new = row(99, "New", weight=0.01)
        seen = frozenset(scored_fact.fact.claim_hash for scored_fact in old)
        found = evaluate_gate_of_node(node(seen_keys=seen, episode_count=1), [*old, new], {}, GATE, now=NOW)
        assert found is not None
        assert [claim.fact.target for claim in found.material.claims] == [f"Old {n}" for n in range(11)] + [
            "New"
        ]
