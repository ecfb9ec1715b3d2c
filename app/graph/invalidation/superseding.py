"""Keep the ledger of ended claims up to date: what ends by other sources is recomputed for a claim, or a node
and a relation, whenever a row is written.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.relation_types import CHANGES_SOURCE, CHANGES_TARGET, CONTAINMENT_RELATIONS, EXISTS
from app.graph import repository
from app.graph.invalidation import repository as invalidation_repository
from app.graph.invalidation.endings import (
    NOT_YET_REASON,
    OTHER_SOURCE_REASON,
    OTHER_VALUE_REASON,
    compute_endings,
    expand_to_claims_ending_together,
    list_begin_and_end_moments,
)
from app.graph.invalidation.repository import ClaimKey
from app.graph.invalidation.shapes import DatedClaim, EndedBy, Ending
from app.graph.validity import (
    FOREVER,
    Polarity,
)
from app.ids import EdgeId, NodeId
from app.tenancy.spaces import service as spaces

RULES_ACTOR = "rules"


def recompute_endings_after_writes_and_count_ended(
    space: SpaceSession, claim_keys: Iterable[ClaimKey], *, denied_or_ended: Collection[ClaimKey]
) -> int:
    """Update the ledger after rows of these claims were written; return how many rows it ended.

    `denied_or_ended` are those of them that the rows deny or end. Runs under the graph's lock, in the
    transaction that wrote the rows.
    """
    single_valued_relations = _list_relations_ended_by_later_value(space)
    exclusive_relations = {*single_valued_relations, *_list_relations_ended_by_later_source(space)}
    claim_keys = set(claim_keys)
    exclusive_claims = {claim_key for claim_key in claim_keys if claim_key[1] in exclusive_relations}
    # Which value lies in which decides whether they exclude each other, and may be stated after them.
    location_ids = {
        node_id
        for claim_key in claim_keys
        if claim_key[1] in CONTAINMENT_RELATIONS
        for node_id in (claim_key[0], claim_key[2])
        if node_id is not None
    }
    exclusive_claims |= invalidation_repository.list_claims_of_targets(
        space,
        {(location_id, relation) for location_id in location_ids for relation in single_valued_relations},
    )
    stored_denied_or_ended = invalidation_repository.find_denied_or_ended_claims(
        space, expand_to_claims_ending_together(claim_keys)
    )
    return recompute_endings_by_date_and_count_ended(
        space, {*exclusive_claims, *denied_or_ended, *stored_denied_or_ended}
    )


def recompute_due_endings_and_schedule_next(space: SpaceSession, *, includes_later: bool = False) -> None:
    """Restore claims that begin by now, end those that end by now, and mark when the next begins or
    ends.

    With `includes_later`, also compute when claims will end whose dates are ahead. It reads all claims of the
    space with dates, so it is for jobs.
    """
    seconds_by_claim = invalidation_repository.get_seconds_until_claims_begin_or_end(space, NOT_YET_REASON)
    due_claims = {claim for claim, seconds in seconds_by_claim.items() if includes_later or seconds <= 0}
    if due_claims:
        spaces.lock_graph_and_increment_revision(space)
        recompute_endings_after_writes_and_count_ended(space, due_claims, denied_or_ended=due_claims)
    if future_delays := [seconds for seconds in seconds_by_claim.values() if seconds > 0]:
        space.mark_earliest_claim_change(min(future_delays))


def recompute_endings_after_merge_or_split(space: SpaceSession, node_ids: Iterable[NodeId]) -> None:
    """Update the ledger after nodes were merged or split, which joins or separates denials and
    their claims.
    """
    recompute_endings_by_date_and_count_ended(
        space, invalidation_repository.find_denied_or_ended_claims_of_nodes(space, node_ids)
    )


def recompute_endings_after_lost_evidence(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> None:
    """Update the ledger after these edges lost their evidence: a denial without evidence denies nothing."""
    recompute_endings_by_date_and_count_ended(
        space, invalidation_repository.list_claims_denied_by_edges(space, edge_ids)
    )


def _list_relations_ended_by_later_value(space: SpaceSession) -> Collection[str]:
    """Return the relation types in which a later value ends an earlier one."""
    settings = space.settings
    return settings.single_valued_relations if settings.supersede_by_date else ()


def _list_relations_ended_by_later_source(space: SpaceSession) -> Collection[str]:
    """Return the relation types in which a later source of a target ends an earlier one."""
    settings = space.settings
    return settings.single_source_relations if settings.supersede_by_date else ()


def _expand_to_claims_about_same_targets(
    space: SpaceSession, claim_keys: Iterable[ClaimKey], single_source_relations: Collection[str]
) -> set[ClaimKey]:
    """Return these claims and, for relations with one source at a time, all claims about the same targets."""
    claims = set(claim_keys)
    targets = {
        (value, relation)
        for _, relation, value in claims
        if relation in single_source_relations and value is not None
    }
    return claims | invalidation_repository.list_claims_of_targets(space, targets)


def recompute_endings_by_date_and_count_ended(space: SpaceSession, claim_keys: Iterable[ClaimKey]) -> int:
    """Update the ledger according to the dates of these claims; return how many rows it ended.

    A claim without a target stands for all values of its node and relation. Runs under the graph's lock, in
    the transaction of the change. It is idempotent.
    """
    single_valued_relations, single_source_relations = (
        _list_relations_ended_by_later_value(space),
        _list_relations_ended_by_later_source(space),
    )
    relations_read_with_all_values = {*single_valued_relations, *CHANGES_TARGET}
    claims = invalidation_repository.list_dated_rows_of_claims(
        space,
        _list_claims_to_read(
            space, claim_keys, relations_read_with_all_values, {*single_source_relations, *CHANGES_SOURCE}
        ),
    )
    if not claims:
        return 0
    now = space.transaction_time
    if later_moments := [
        moment for claim in claims for moment in list_begin_and_end_moments(claim) if moment > now
    ]:
        space.mark_earliest_claim_change((min(later_moments) - now).total_seconds())
    value_ids = {
        claim.to_node_id for claim in claims if claim.relation_type in relations_read_with_all_values
    }
    compute_endings_at = partial(
        compute_endings,
        claims,
        single_valued_relations=single_valued_relations,
        single_source_relations=single_source_relations,
        nested_pairs=repository.find_nested_node_pairs(space, value_ids),
        supersede_by_date=space.settings.supersede_by_date,
    )
    ended_count = _update_ledger_and_count_added(
        space,
        claims,
        compute_endings_at(now=now),
        exclusive_relations_by_reason={
            OTHER_VALUE_REASON: single_valued_relations,
            OTHER_SOURCE_REASON: single_source_relations,
        },
    )
    if later_moments or any(claim.ends_ahead is not None for claim in claims):
        invalidation_repository.set_future_ends(
            space, _list_ends_ahead(claims, compute_endings_at(now=FOREVER), now=now)
        )
    return ended_count


def _update_ledger_and_count_added(
    space: SpaceSession,
    claims: Iterable[DatedClaim],
    due_endings: Mapping[EdgeId, Ending],
    *,
    exclusive_relations_by_reason: Mapping[str | None, Collection[str]],
) -> int:
    """Undo the endings of the ledger that no longer hold, add those it lacks; return how many it added."""
    difference = _compare_endings_with_ledger(
        claims, due_endings, exclusive_relations_by_reason=exclusive_relations_by_reason
    )
    if difference.outdated_entry_ids:
        invalidation_repository.undo_endings_and_list_restored_edges(
            space, difference.outdated_entry_ids, undone_by=RULES_ACTOR, undone_kind=EndedBy.SOURCE
        )
    return sum(
        len(
            invalidation_repository.end_edges_and_list_newly_ended(
                space, endings, kind=EndedBy.SOURCE, decided_by=RULES_ACTOR, reason=reason
            )
        )
        for reason, endings in sorted(difference.missing_endings_by_reason.items())
    )


def _list_ends_ahead(
    claims: Iterable[DatedClaim], endings_by_edge: Mapping[EdgeId, Ending], *, now: datetime
) -> dict[EdgeId, datetime | None]:
    """Return when rows will end after `now`; None for rows that no longer have such an end.

    A row that begins later ends some day. `endings_by_edge` are the endings once all dates have come.
    """
    ends_by_edge: dict[EdgeId, datetime | None] = {}
    for claim in claims:
        ending = endings_by_edge.get(claim.id)
        begins_later = claim.begins is not None and claim.begins > now
        future_end = FOREVER if begins_later and claim.polarity == Polarity.ASSERTED else None
        if ending is not None and (ending.until > now or begins_later):
            future_end = ending.until
        if claim.kind == EndedBy.PERSON:
            future_end = None
        if future_end is not None or claim.ends_ahead is not None:
            ends_by_edge[claim.id] = future_end
    return ends_by_edge


def _list_claims_to_read(
    space: SpaceSession,
    claim_keys: Iterable[ClaimKey],
    relations_read_with_all_values: Collection[str],
    single_source_relations: Collection[str],
) -> set[ClaimKey]:
    """Return these claims and all that may end together with them, or that they may end.

    Of a relation in `relations_read_with_all_values` all values of a node are read: one value ends another.
    """
    claim_keys = _expand_to_claims_about_same_targets(space, claim_keys, single_source_relations)
    ended_node_ids = {node for node, relation, _ in claim_keys if relation == EXISTS}
    if ended_node_ids:
        claim_keys |= invalidation_repository.find_claims_ending_with_nodes(space, ended_node_ids)
    return {
        (node, relation, None if relation in relations_read_with_all_values else value)
        for node, relation, value in expand_to_claims_ending_together(claim_keys)
    }


class _LedgerDifference(NamedTuple):
    """The ledger entries that no longer hold, and the endings that the ledger lacks."""

    outdated_entry_ids: list[UUID]
    missing_endings_by_reason: dict[str, list[Ending]]


def _compare_endings_with_ledger(
    claims: Iterable[DatedClaim],
    due_endings: Mapping[EdgeId, Ending],
    *,
    exclusive_relations_by_reason: Mapping[str | None, Collection[str]],
) -> _LedgerDifference:
    """Return the ledger entries that no longer hold, and the endings that it lacks, by reason.

    `exclusive_relations_by_reason` maps a reason to the relations that the space declares so. An entry that
    was written while a relation was exclusive stays.
    """
    outdated_entry_ids = []
    missing_endings_by_reason: dict[str, list[Ending]] = defaultdict(list)
    for claim in claims:
        if claim.chunk_id is None:
            # Without evidence it stays as it is, unless its cause is removed.
            continue
        ending = due_endings.get(claim.id)
        if claim.kind == EndedBy.SOURCE and claim.entry is not None:
            if ending is not None and (ending.source_edge_id, ending.until) == (
                claim.source_edge_id,
                claim.until,
            ):
                continue
            if (
                claim.reason in exclusive_relations_by_reason
                and claim.relation_type not in exclusive_relations_by_reason[claim.reason]
            ):
                continue
            outdated_entry_ids.append(claim.entry)
        if ending is not None:
            missing_endings_by_reason[ending.reason].append(ending)
    return _LedgerDifference(outdated_entry_ids, missing_endings_by_reason)


def undo_endings_and_list_claims_to_recompute(
    space: SpaceSession, edge_ids: Iterable[EdgeId]
) -> set[ClaimKey]:
    """Undo the endings caused by these edges, which were deleted; return the claims to recompute."""
    entry_ids = invalidation_repository.list_ids_of_endings_caused_by_edges(space, sorted(edge_ids))
    if not entry_ids:
        return set()
    restored_edges = invalidation_repository.undo_endings_and_list_restored_edges(
        space, entry_ids, undone_by=RULES_ACTOR, undone_kind=EndedBy.SOURCE
    )
    return {restored_edge.claim_key for restored_edge in restored_edges}
