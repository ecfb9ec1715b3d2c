"""The gate's input about a node: its facts as they stand, against those of the last look. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from app.derived.summaries.delta import SummaryFact, delta_between, facts_hash, facts_not_seen, join_fact_keys
from app.derived.summaries.gate import (
    Decision,
    Episode,
    Vector,
    cosine_drift,
    decide_refresh,
    next_look_at,
    pool_vectors,
)
from app.derived.summaries.gate_settings import LEAST_FACTS, GateSettings
from app.derived.summaries.shapes import Claim, FactRow, Material, NodeToLookAt
from app.graph.narrative import claim_of_names_in_words
from app.ids import EdgeId

MOST_FACTS = 500
"""Facts of a node that are looked at in each direction, the strongest: a bound for hubs."""
FACTS_TOLD, NEW_FACTS_TOLD = 12, 4
"""What a summary is written from: the strongest facts, and of the new ones these at least."""
EDGES_CITED = 3


@dataclass(frozen=True, slots=True)
class Look:
    """One node looked at: what the gate was asked, what it decided, and what came of it.

    `seen` are the keys of its facts as they stand, `drift` the distance from the summary's, 0 to 2.
    """

    node: NodeToLookAt
    episode: Episode
    decision: Decision
    seen: bytes
    new_facts: tuple[SummaryFact, ...]
    drift: float
    due_at: datetime | None
    material: Material


def evaluate_gate(
    node: NodeToLookAt,
    rows: Sequence[FactRow],
    vectors: Mapping[EdgeId, Vector],
    settings: GateSettings,
    *,
    now: datetime,
) -> Look | None:
    """Return the gate's decision on the node; None where there is none to make: too few facts, or none left.

    `vectors` has the vector of one edge of each fact.
    """
    facts = [row.fact for row in rows]
    claims = claims_of(rows)
    if not claims or (len(claims) < LEAST_FACTS and not node.episodes):
        return None
    came = tuple(facts_not_seen(node.seen, facts))
    delta = delta_between(node.seen, facts, moment=now, complete=_are_all_facts_read(node, rows))
    episode = Episode(delta, facts_hash(facts), pool_vectors_of_facts(rows, vectors))
    decision = decide_refresh(node.state, episode, settings)
    return Look(
        node,
        episode,
        decision,
        join_fact_keys(facts),
        came,
        cosine_drift(node.state.embedding, episode.embedding),
        next_look_at(decision.state, settings),
        _summary_material(node, claims, came),
    )


def claims_of(rows: Sequence[FactRow]) -> list[Claim]:
    """The facts of a node, those of one claim taken together, the strongest first."""
    grouped: dict[bytes, list[FactRow]] = {}
    for row in rows:
        grouped.setdefault(row.fact.claim_hash, []).append(row)
    claims = []
    for fact_rows in grouped.values():
        fact_rows.sort(key=lambda row: (-row.weight, row.fact.quote, row.edge_id))
        edges = tuple(row.edge_id for row in fact_rows[:EDGES_CITED])
        claims.append(Claim(fact_rows[0].fact, sum(row.weight for row in fact_rows), edges))
    return sorted(claims, key=lambda claim: (-claim.weight, claim.fact.claim_identity))


def one_edge_of_each_fact(rows: Sequence[FactRow]) -> list[EdgeId]:
    """One edge of each fact: those of one claim have one vector."""
    return [row.edge_id for row in _one_row_of_each_fact(rows)]


def pool_vectors_of_facts(rows: Sequence[FactRow], vectors: Mapping[EdgeId, Vector]) -> Vector | None:
    """The sum of the facts' vectors, each fact once; None where none has one.

    In half precision, as it is stored: a decision made again from what is stored is the same to the last bit.
    """
    fact_vectors = [vectors[row.edge_id] for row in _one_row_of_each_fact(rows) if row.edge_id in vectors]
    together = pool_vectors(fact_vectors)
    return None if together is None else together.astype(np.float16).astype(np.float32)


def fact_in_words(fact: SummaryFact) -> str:
    """The claim as words: "Postgres depends on C"."""
    return claim_of_names_in_words(fact.source, fact.relation_type, fact.target)


def _one_row_of_each_fact(rows: Sequence[FactRow]) -> list[FactRow]:
    """A row of each fact, whether its sentence denies it or not, in an order that no id decides."""
    row_by_fact: dict[tuple[object, str], FactRow] = {}
    for row in sorted(rows, key=lambda row: row.edge_id):
        row_by_fact.setdefault((row.fact.ends, row.fact.relation_type), row)
    return sorted(row_by_fact.values(), key=lambda row: row.fact.claim_identity[:3])


def _are_all_facts_read(node: NodeToLookAt, rows: Sequence[FactRow]) -> bool:
    node_id = str(node.id)
    leaving = sum(row.fact.ends is not None and row.fact.ends[0] == node_id for row in rows)
    return leaving < MOST_FACTS and len(rows) - leaving < MOST_FACTS


def _summary_material(node: NodeToLookAt, claims: Sequence[Claim], came: Sequence[SummaryFact]) -> Material:
    new_keys = {fact.claim_hash for fact in came}
    # What made the summary worth a refresh must be told, however weak it is beside what is known.
    told_claims = [claim for claim in claims if claim.fact.claim_hash in new_keys][:NEW_FACTS_TOLD]
    told_claims += [claim for claim in claims if claim not in told_claims][: FACTS_TOLD - len(told_claims)]
    chosen = {claim.fact.claim_hash for claim in told_claims}
    return Material(
        node.id,
        node.name,
        node.node_type,
        tuple(claim for claim in claims if claim.fact.claim_hash in chosen),
    )
