"""Find pairs of nodes that may be one entity under two spellings, have them judged, and store the verdicts.

Names are never all compared with each other: only pairs that share a spelling key are compared, with a limit
of nodes per key and of pairs per batch. Without a judge, doubtful pairs stay apart.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from app.db.session import SpaceSession
from app.graph.resolution.name_similarity import (
    MIN_DOUBTFUL_SCORE,
    MIN_SCORE_WITH_VECTORS,
    compute_best_name_similarity,
)
from app.graph.resolution.shapes import (
    DoubtfulPair,
    MergeOrder,
    PairJudge,
    PairSide,
    StoredVerdict,
    Verdict,
    sort_pair,
)
from app.graph.resolution.verdicts import NameSet, Verdicts, normalise_names_for_verdicts
from app.graph.write import merge_repository, merges
from app.graph.write.merge_repository import NodeIdPair, delete_stored_doubtful_pairs
from app.ids import ChunkId, NodeId
from app.llm.embedding.embedders import Embedder
from app.tenancy.spaces import service as spaces

__all__ = ["delete_stored_doubtful_pairs"]

MAX_NODES_PER_KEY = 20
"""Maximum number of nodes with one key that are compared."""
MAX_COMPARED_PAIRS = 5_000
"""Maximum number of pairs whose names are compared at a time; pairs with the rarest key come first."""
MAX_JUDGED_PAIRS = 500
"""Maximum number of pairs per batch that the judge is asked about; others come up again with their names."""
NEAR_COSINE = 0.85
"""Cosine similarity from which the vectors of two names agree."""
MAX_STORED_PAIRS, MAX_LISTED_PAIRS = 1_000, 100
"""Maximum number of pairs stored for a space, and compared at a time when pairs are listed."""
QUICK_SECONDS, REST_FACTOR = 0.5, 20.0
"""If comparing took longer than `QUICK_SECONDS`, it is not repeated for `REST_FACTOR` times the excess.
Otherwise every page would compare names again during a long ingest.
"""
CONTEXT_CHARACTERS = 160
"""Characters on each side of the name in a passage for the judge."""


@dataclass
class NearDuplicates:
    """Pairs to ask about, and pairs that an earlier verdict declared to be one entity."""

    doubtful_pairs: list[DoubtfulPair] = field(default_factory=list)
    agreed_pairs: list[DoubtfulPair] = field(default_factory=list)


def list_doubtful_pairs(space: SpaceSession, *, limit: int = 100) -> list[DoubtfulPair]:
    """Return the undecided pairs of the space whose names are similarly spelled, most similar first.

    Names are compared once per graph revision, for all processes, and at most `MAX_STORED_PAIRS` pairs are
    stored. Stored pairs are scored again when listed, so deleted nodes, new names and decisions count at
    once; only a new pair of a large graph may be missing until names are compared again.
    """
    doubtful_pairs: list[DoubtfulPair] = []
    id_pairs = _load_or_compare_and_store_doubtful_pairs(space)
    for slice_start in range(0, len(id_pairs), MAX_LISTED_PAIRS):
        if len(doubtful_pairs) >= limit:
            break
        near_duplicates = _find_doubtful_and_agreed_pairs(
            space, id_pairs[slice_start : slice_start + MAX_LISTED_PAIRS]
        )
        doubtful_pairs += [
            pair for pair in near_duplicates.doubtful_pairs if pair.similarity >= MIN_DOUBTFUL_SCORE
        ]
    return sorted(doubtful_pairs, key=_sort_key_by_similarity)[:limit]


def _load_or_compare_and_store_doubtful_pairs(space: SpaceSession) -> list[NodeIdPair]:
    """Return the undecided pairs, most similar first, as stored or newly computed."""
    stored_pairs = merge_repository.get_last_stored_doubtful_pairs(space)
    if stored_pairs is not None:
        graph_revision, computing_seconds, age_seconds, pairs = stored_pairs
        pause_seconds = (computing_seconds - QUICK_SECONDS) * REST_FACTOR
        if graph_revision == space.opening_state.graph_revision or age_seconds < pause_seconds:
            return pairs
    started_at = time.monotonic()
    candidate_pairs = merge_repository.list_node_pairs_with_common_spelling_key(
        space, None, max_nodes_per_key=MAX_NODES_PER_KEY, limit=MAX_COMPARED_PAIRS
    )
    doubtful_pairs = [
        pair
        for pair in _find_doubtful_and_agreed_pairs(space, candidate_pairs).doubtful_pairs
        if pair.similarity >= MIN_DOUBTFUL_SCORE
    ]
    most_similar_pairs = [
        (pair.a.node_id, pair.b.node_id)
        for pair in sorted(doubtful_pairs, key=_sort_key_by_similarity)[:MAX_STORED_PAIRS]
    ]
    merge_repository.store_doubtful_pairs(
        space,
        most_similar_pairs,
        graph_revision=space.opening_state.graph_revision,
        computing_seconds=time.monotonic() - started_at,
    )
    return most_similar_pairs


def judge_and_merge_near_duplicates(
    open_space: Callable[[], AbstractContextManager[SpaceSession]],
    chunk_ids: Sequence[ChunkId],
    embedder: Embedder,
    judge: PairJudge | None,
) -> Counter[str]:
    """Have the judge decide on doubtful pairs around these chunks; return counts of judged pairs and merges.

    No transaction is open while the embedder or the judge works. Their errors propagate.
    """
    counts: Counter[str] = Counter()
    if judge is None or not chunk_ids:
        return counts
    with open_space() as space:
        candidate_pairs = merge_repository.list_node_pairs_with_common_spelling_key(
            space, chunk_ids, max_nodes_per_key=MAX_NODES_PER_KEY, limit=MAX_COMPARED_PAIRS
        )
        near_duplicates = _find_doubtful_and_agreed_pairs(space, candidate_pairs)
        near_duplicates.doubtful_pairs = sorted(near_duplicates.doubtful_pairs, key=_sort_key_by_similarity)[
            :MAX_JUDGED_PAIRS
        ]
        side_node_ids = {side.node_id for pair in near_duplicates.doubtful_pairs for side in (pair.a, pair.b)}
        passages = (
            merge_repository.get_passages_around_names(space, side_node_ids, margin=CONTEXT_CHARACTERS)
            if side_node_ids
            else {}
        )
    pairs_to_judge = filter_pairs_by_vectors(
        [_build_pair_with_passages(pair, passages) for pair in near_duplicates.doubtful_pairs], embedder
    )
    verdicts = judge.judge_pairs(pairs_to_judge) if pairs_to_judge else []
    judged_pairs = [
        (pair, verdict) for pair, verdict in zip(pairs_to_judge, verdicts, strict=True) if verdict is not None
    ]
    if not judged_pairs and not near_duplicates.agreed_pairs:
        return counts
    with open_space() as space:
        spaces.lock_graph_and_increment_revision(space)
        _store_verdicts(space, judged_pairs, decided_by=judge.name)
        same_pairs = [(pair, verdict.confidence) for pair, verdict in judged_pairs if verdict.same]
        same_pairs += [(pair, 1.0) for pair in near_duplicates.agreed_pairs]
        merge_count = _merge_same_pairs(space, same_pairs, decided_by=judge.name)
    return Counter({"judged_pairs": len(judged_pairs), "merges": merge_count})


def filter_pairs_by_vectors(pairs: Sequence[DoubtfulPair], embedder: Embedder) -> list[DoubtfulPair]:
    """Return the pairs that are doubtful by spelling, or almost and with similar vectors.

    All names are embedded in one call.
    """
    unlike_pairs = [pair for pair in pairs if pair.similarity < MIN_DOUBTFUL_SCORE]
    names = sorted({side.name for pair in unlike_pairs for side in (pair.a, pair.b)})
    vectors = dict(zip(names, embedder.embed(names), strict=True)) if names else {}
    doubtful_pairs = []
    for pair in pairs:
        if pair.similarity >= MIN_DOUBTFUL_SCORE:
            doubtful_pairs.append(pair)
            continue
        cosine = float(vectors[pair.a.name] @ vectors[pair.b.name])
        if cosine >= NEAR_COSINE:
            doubtful_pairs.append(replace(pair, similarity=min(1.0, cosine), why="embedding"))
    return doubtful_pairs


def _find_doubtful_and_agreed_pairs(space: SpaceSession, pairs: Sequence[NodeIdPair]) -> NearDuplicates:
    """Return the pairs that are similar, undecided, and of one type or an uncertain one."""
    near_duplicates = NearDuplicates()
    if not pairs:
        return near_duplicates
    side_by_node_id, normalised_names = merge_repository.get_names_to_compare(
        space, [node for pair in pairs for node in pair]
    )
    verdicts = (
        Verdicts(merge_repository.list_verdicts_on_names(space, normalised_names))
        if normalised_names
        else Verdicts()
    )
    for first_id, second_id in pairs:
        if first_id not in side_by_node_id or second_id not in side_by_node_id:
            continue
        a, b = sorted(
            (side_by_node_id[first_id], side_by_node_id[second_id]),
            key=lambda side: (side.name, side.node_type),
        )
        if a.types and b.types and a.types.isdisjoint(b.types):
            continue
        score, reason = compute_best_name_similarity(a.names, b.names)
        if score < MIN_SCORE_WITH_VECTORS:
            continue
        verdict = verdicts.find_verdict(_normalise_names_of_side(a), _normalise_names_of_side(b))
        if verdict is not False:
            (near_duplicates.doubtful_pairs if verdict is None else near_duplicates.agreed_pairs).append(
                DoubtfulPair(a, b, score, reason)
            )
    return near_duplicates


def _sort_key_by_similarity(pair: DoubtfulPair) -> tuple[float, str, str]:
    return (-pair.similarity, pair.a.name, pair.b.name)


def _normalise_names_of_side(side: PairSide) -> NameSet:
    return normalise_names_for_verdicts(side.node_type, *side.names)


def _build_pair_with_passages(pair: DoubtfulPair, passages: dict[NodeId, str]) -> DoubtfulPair:
    a, b = (replace(side, passage=passages.get(side.node_id, "")) for side in (pair.a, pair.b))
    return replace(pair, a=a, b=b)


JudgedPair = tuple[DoubtfulPair, Verdict]
ConfidentPair = tuple[DoubtfulPair, float]
"""A pair that is one thing, with the confidence of the verdict."""


def _store_verdicts(space: SpaceSession, judged_pairs: Sequence[JudgedPair], *, decided_by: str) -> None:
    rows = []
    for pair, verdict in judged_pairs:
        names_of_pair = (
            next(iter(normalise_names_for_verdicts(side.node_type, side.name))) for side in (pair.a, pair.b)
        )
        rows.append(
            merge_repository.DecidedVerdict(
                StoredVerdict(*sort_pair(*names_of_pair), verdict.same),
                decided_by,
                verdict.reason,
                verdict.confidence,
            )
        )
    if rows:
        merge_repository.store_verdicts(space, rows)


def _merge_same_pairs(space: SpaceSession, same_pairs: Sequence[ConfidentPair], *, decided_by: str) -> int:
    """Merge the pairs judged the same unless that joins nodes that must stay apart; return the
    merge count.
    """
    if not same_pairs:
        return 0
    side_by_node_id, normalised_names = merge_repository.get_names_to_compare(
        space, [side.node_id for pair, _ in same_pairs for side in (pair.a, pair.b)]
    )
    verdicts = Verdicts(merge_repository.list_verdicts_on_names(space, normalised_names))
    group_by_node: dict[NodeId, list[NodeId]] = {node_id: [node_id] for node_id in side_by_node_id}
    confidence_by_node: dict[NodeId, float] = {}
    for pair, confidence in sorted(
        same_pairs,
        key=lambda weighed_pair: (-weighed_pair[1], weighed_pair[0].a.name, weighed_pair[0].b.name),
    ):
        if pair.a.node_id not in side_by_node_id or pair.b.node_id not in side_by_node_id:
            continue
        group, other_group = group_by_node[pair.a.node_id], group_by_node[pair.b.node_id]
        if group is other_group or _must_groups_stay_apart(group, other_group, side_by_node_id, verdicts):
            continue
        group += other_group
        for node_id in other_group:
            group_by_node[node_id] = group
        confidence_by_node |= dict.fromkeys((pair.a.node_id, pair.b.node_id), confidence)
    merge_orders = []
    for group in {id(group): group for group in group_by_node.values()}.values():
        winner, *losers = sorted(
            group, key=lambda node_id: (-side_by_node_id[node_id].mention_count, str(node_id))
        )
        merge_orders += [
            MergeOrder(loser, winner, "model", decided_by, confidence_by_node[loser]) for loser in losers
        ]
    merges.merge_and_rename_winners(space, merge_orders)
    return len(merge_orders)


def _must_groups_stay_apart(
    node_ids: Sequence[NodeId],
    other_ids: Sequence[NodeId],
    side_by_node_id: dict[NodeId, PairSide],
    verdicts: Verdicts,
) -> bool:
    return any(
        verdicts.must_stay_apart(
            _normalise_names_of_side(side_by_node_id[first_id]),
            _normalise_names_of_side(side_by_node_id[second_id]),
        )
        for first_id in node_ids
        for second_id in other_ids
    )
