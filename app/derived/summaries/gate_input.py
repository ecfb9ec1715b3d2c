"""The gate's input about a node: its current facts, compared with those of the last evaluation. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from app.derived.summaries.delta import (
    SummaryFact,
    compute_delta_of_claims,
    hash_facts,
    join_fact_keys,
    select_unseen_facts,
)
from app.derived.summaries.gate import (
    Decision,
    Episode,
    Vector,
    compute_cosine_distance_or_max,
    compute_time_to_evaluate_deferred_node,
    decide_refresh,
    sum_normalised_vectors,
)
from app.derived.summaries.gate_settings import MIN_FACTS, GateSettings
from app.derived.summaries.shapes import Claim, FactRow, NodeToEvaluate, SummaryMaterial
from app.graph.narrative import format_claim_of_names
from app.ids import EdgeId

MAX_FACTS = 500
"""Maximum number of a node's facts in each direction, the strongest: a limit for hubs."""
STATED_FACTS, MIN_STATED_NEW_FACTS = 12, 4
"""Number of facts in the material of a summary: the strongest, including at least this many new ones."""
MAX_CITED_EDGES = 3


@dataclass(frozen=True, slots=True)
class GateEvaluation:
    """One evaluation of a node: the gate's input, its decision, and the result.

    `fact_keys` are the keys of its current facts, `drift` the distance from the summary's, 0 to 2.
    """

    node: NodeToEvaluate
    episode: Episode
    decision: Decision
    fact_keys: bytes
    new_facts: tuple[SummaryFact, ...]
    drift: float
    due_at: datetime | None
    material: SummaryMaterial


def evaluate_gate_of_node(
    node: NodeToEvaluate,
    rows: Sequence[FactRow],
    vectors: Mapping[EdgeId, Vector],
    settings: GateSettings,
    *,
    now: datetime,
) -> GateEvaluation | None:
    """Return the gate's decision on the node; None if there is none to make: too few facts, or none left.

    `vectors` maps one edge of each fact to its vector.
    """
    facts = [row.fact for row in rows]
    claims = group_facts_by_claim(rows)
    if not claims or (len(claims) < MIN_FACTS and not node.episode_count):
        return None
    new_facts = tuple(select_unseen_facts(node.seen_keys, facts))
    delta = compute_delta_of_claims(
        node.seen_keys, facts, moment=now, is_complete=_are_all_facts_read(node, rows)
    )
    episode = Episode(delta, hash_facts(facts), sum_vectors_of_facts(rows, vectors))
    decision = decide_refresh(node.state, episode, settings)
    return GateEvaluation(
        node,
        episode,
        decision,
        join_fact_keys(facts),
        new_facts,
        compute_cosine_distance_or_max(node.state.embedding, episode.embedding),
        compute_time_to_evaluate_deferred_node(decision.state, settings),
        _build_summary_material(node, claims, new_facts),
    )


def group_facts_by_claim(rows: Sequence[FactRow]) -> list[Claim]:
    """Return the facts of a node, grouped by claim, the strongest first."""
    rows_by_claim: dict[bytes, list[FactRow]] = {}
    for row in rows:
        rows_by_claim.setdefault(row.fact.claim_hash, []).append(row)
    claims = []
    for fact_rows in rows_by_claim.values():
        fact_rows.sort(key=lambda row: (-row.weight, row.fact.quote, row.edge_id))
        edge_ids = tuple(row.edge_id for row in fact_rows[:MAX_CITED_EDGES])
        claims.append(Claim(fact_rows[0].fact, sum(row.weight for row in fact_rows), edge_ids))
    return sorted(claims, key=lambda claim: (-claim.weight, claim.fact.claim_identity))


def list_one_edge_of_each_fact(rows: Sequence[FactRow]) -> list[EdgeId]:
    """Return one edge of each fact: the edges of a claim share a vector."""
    return [row.edge_id for row in _list_one_row_of_each_fact(rows)]


def sum_vectors_of_facts(rows: Sequence[FactRow], vectors: Mapping[EdgeId, Vector]) -> Vector | None:
    """Return the sum of the facts' vectors, each fact once; None if no fact has one.

    Half precision, as stored: replaying a decision from stored values gives the same bits.
    """
    fact_vectors = [
        vectors[row.edge_id] for row in _list_one_row_of_each_fact(rows) if row.edge_id in vectors
    ]
    pooled_vector = sum_normalised_vectors(fact_vectors)
    return None if pooled_vector is None else pooled_vector.astype(np.float16).astype(np.float32)


def format_fact(fact: SummaryFact) -> str:
    """Return the claim in words: "Postgres depends on C"."""
    return format_claim_of_names(fact.source, fact.relation_type, fact.target)


def _list_one_row_of_each_fact(rows: Sequence[FactRow]) -> list[FactRow]:
    """Return one row of each fact, denials separately, in an order independent of ids."""
    row_by_fact: dict[tuple[object, str], FactRow] = {}
    for row in sorted(rows, key=lambda row: row.edge_id):
        row_by_fact.setdefault((row.fact.end_ids, row.fact.relation_type), row)
    return sorted(row_by_fact.values(), key=lambda row: row.fact.claim_identity[:3])


def _are_all_facts_read(node: NodeToEvaluate, rows: Sequence[FactRow]) -> bool:
    node_id = str(node.id)
    outgoing_count = sum(row.fact.end_ids is not None and row.fact.end_ids[0] == node_id for row in rows)
    return outgoing_count < MAX_FACTS and len(rows) - outgoing_count < MAX_FACTS


def _build_summary_material(
    node: NodeToEvaluate, claims: Sequence[Claim], new_facts: Sequence[SummaryFact]
) -> SummaryMaterial:
    new_keys = {fact.claim_hash for fact in new_facts}
    # The facts that caused the refresh must be included, even if they are weaker than known ones.
    selected_claims = [claim for claim in claims if claim.fact.claim_hash in new_keys][:MIN_STATED_NEW_FACTS]
    selected_claims += [claim for claim in claims if claim not in selected_claims][
        : STATED_FACTS - len(selected_claims)
    ]
    selected_keys = {claim.fact.claim_hash for claim in selected_claims}
    return SummaryMaterial(
        node.id,
        node.name,
        node.node_type,
        tuple(claim for claim in claims if claim.fact.claim_hash in selected_keys),
    )
