"""The difference that another extraction of the same chunks would make to the graph; pure.

Claims are compared chunk by chunk, by the nodes of their ends. A claim of one side is retyped if the other
side alone has a different claim about the same two nodes in that chunk: another relation type, the other
direction, or a denial.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from app.graph.validity import SYMMETRIC_RELATIONS
from app.ids import ChunkId

Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A claim of one side; `source` and `target` identify its ends on both sides."""

    chunk_id: ChunkId
    source: str
    from_name: str
    relation_type: str
    target: str
    to_name: str
    polarity: str
    confidence: float
    quote: str

    @property
    def claim_key(self) -> Key:
        """Return the identity of the claim, with sorted ends if the relation has no direction."""
        source, target = self.source, self.target
        if self.relation_type in SYMMETRIC_RELATIONS and target < source:
            source, target = target, source
        return source, self.relation_type, target, self.polarity

    @property
    def end_identities(self) -> frozenset[str]:
        """Return the identifiers of both ends."""
        return frozenset((self.source, self.target))


@dataclass(frozen=True, slots=True)
class RetypedClaim:
    """A claim of the graph, and the trial's different claim about the same two nodes."""

    graph_claim: ReadClaim
    trial_claim: ReadClaim


@dataclass
class RelationCounts:
    """Numbers of claims of one relation type: in the graph, in the trial, and the differences.

    `retyped` counts claims of the graph to which the trial gives another type.
    """

    in_graph: int = 0
    in_trial: int = 0
    same: int = 0
    added: int = 0
    lost: int = 0
    retyped: int = 0


@dataclass
class Comparison:
    """The difference between a trial and the graph in the chunks that both have read."""

    same: int = 0
    added: list[ReadClaim] = field(default_factory=list)
    lost: list[ReadClaim] = field(default_factory=list)
    retyped: list[RetypedClaim] = field(default_factory=list)
    by_relation: dict[str, RelationCounts] = field(default_factory=dict)


def compare_claims(graph_claims: Iterable[ReadClaim], trial_claims: Iterable[ReadClaim]) -> Comparison:
    """Return the difference between the graph's and a trial's claims of some chunks; each claim counts
    once per chunk.
    """
    comparison = Comparison()
    counts: dict[str, RelationCounts] = defaultdict(RelationCounts)
    claims_before, claims_after = _group_claims_by_chunk(graph_claims), _group_claims_by_chunk(trial_claims)
    for chunk_id in dict.fromkeys([*claims_before, *claims_after]):
        old_claims, new_claims = claims_before.get(chunk_id, {}), claims_after.get(chunk_id, {})
        for key, claim in old_claims.items():
            counts[claim.relation_type].in_graph += 1
            if key in new_claims:
                comparison.same += 1
                counts[claim.relation_type].same += 1
        for claim in new_claims.values():
            counts[claim.relation_type].in_trial += 1
        lost_claims = [claim for key, claim in old_claims.items() if key not in new_claims]
        added_claims = [claim for key, claim in new_claims.items() if key not in old_claims]
        for retyped_claim in list(_pair_claims_about_same_nodes(lost_claims, added_claims)):
            comparison.retyped.append(retyped_claim)
            counts[retyped_claim.graph_claim.relation_type].retyped += 1
            lost_claims.remove(retyped_claim.graph_claim)
            added_claims.remove(retyped_claim.trial_claim)
        comparison.lost += lost_claims
        comparison.added += added_claims
    for claim in comparison.lost:
        counts[claim.relation_type].lost += 1
    for claim in comparison.added:
        counts[claim.relation_type].added += 1
    comparison.by_relation = dict(sorted(counts.items(), key=lambda item: (-item[1].in_graph, item[0])))
    return comparison


def _group_claims_by_chunk(claims: Iterable[ReadClaim]) -> dict[ChunkId, dict[Key, ReadClaim]]:
    claims_by_chunk: dict[ChunkId, dict[Key, ReadClaim]] = defaultdict(dict)
    for claim in claims:
        claims_by_chunk[claim.chunk_id].setdefault(claim.claim_key, claim)
    return claims_by_chunk


def _pair_claims_about_same_nodes(
    lost_claims: Sequence[ReadClaim], added_claims: Sequence[ReadClaim]
) -> Iterator[RetypedClaim]:
    """Yield pairs of claims about the same two nodes, each claim in at most one pair; same relation types
    first.
    """
    used_lost_keys: set[Key] = set()
    used_added_keys: set[Key] = set()
    for same_type in (True, False):
        for claim in lost_claims:
            matching_claims = (
                candidate
                for candidate in added_claims
                if candidate.end_identities == claim.end_identities
                and candidate.claim_key not in used_added_keys
                and (candidate.relation_type == claim.relation_type) is same_type
            )
            counterpart = None if claim.claim_key in used_lost_keys else next(matching_claims, None)
            if counterpart is not None:
                used_lost_keys.add(claim.claim_key)
                used_added_keys.add(counterpart.claim_key)
                yield RetypedClaim(claim, counterpart)
