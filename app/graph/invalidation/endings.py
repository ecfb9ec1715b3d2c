"""Which claims end by a later value of a single-valued relation, a denial or a stated end; pure.

The outcome depends on the existing rows, not on their order of arrival.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from app.domain.office_succession import RoleStatement, may_have_succeeded
from app.domain.relation_types import CHANGES_SOURCE, CHANGES_TARGET, EXISTS
from app.domain.scoring.negation import is_negated
from app.graph.invalidation.repository import ClaimKey
from app.graph.invalidation.shapes import DatedClaim, EndedBy, Ending
from app.graph.validity import (
    ENDING_RELATIONS_BY_RELATION,
    IMPLYING_RELATION_BY_RELATION,
    RELATIONS_ENDING_WITH_SOURCE,
    RELATIONS_ENDING_WITH_TARGET,
    SYMMETRIC_RELATIONS,
    Polarity,
    Precision,
    compute_end_of_period,
)
from app.ids import ChunkId, EdgeId, NodeId

OTHER_VALUE_REASON = "A later dated source states another value."
OTHER_SOURCE_REASON = "A later dated source states it of another."
DENIAL_REASON = "A later dated source denies it."
CHANGE_REASON = "A later dated source states that it changed."
STATED_END_REASON = "A source says until when it held."
NOT_YET_REASON = "It begins later."
"""The reason of an ending at the moment of the beginning, which is in the future."""
_TRUST_TOLERANCE = 1e-6
_MIN_OVERLAP_OF_COPIES = 0.5
"""Overlap of two sentences from which they count as one source: a sentence with a word prepended is not a
second source.
"""


def compute_endings(
    claims: Iterable[DatedClaim],
    *,
    now: datetime,
    single_valued_relations: Collection[str] | None = None,
    single_source_relations: Collection[str] = (),
    nested_pairs: Collection[frozenset[NodeId]] = (),
    supersede_by_date: bool = True,
) -> dict[EdgeId, Ending]:
    """Return which of these rows are ended, and by which row and date. Pure; the order of the rows is
    irrelevant.

    A row ends at the earliest moment, after its own date and not after `now`, at which another row denies it
    or states its end, or that it changed; at which another row states, with at least its confidence, another
    value of a single-valued relation, or another source of a relation with one source at a time; and at its
    own stated end. Rows without a date neither end others nor are ended by them; only rows with evidence end
    others. A source does not end a claim with more trust, unless several independent ones do so together
    (`_find_first_trusted_ending`). Rows that a person ended or spared are unchanged. A row whose own sentence
    states a beginning after `now` is ended until then. Without `supersede_by_date` only stated ends count;
    `single_valued_relations` None means all relation types. Values of which one lies in the other,
    `nested_pairs`, do not end each other.
    """
    sorted_claims = sorted(claims, key=lambda row: row.id)
    sources = _collect_ending_sources(
        sorted_claims,
        now=now,
        single_valued_relations=single_valued_relations if supersede_by_date else (),
        single_source_relations=single_source_relations if supersede_by_date else (),
    )
    implied_claim_ids = _find_ids_of_claims_implied_in_same_sentence(sorted_claims)
    new_node_pairs_by_change_id = _map_changes_to_new_node_pairs(sorted_claims)
    endings_by_edge = {}
    for claim in sorted_claims:
        if claim.is_spared or claim.kind == EndedBy.PERSON or claim.polarity == Polarity.DENIED:
            continue
        candidate_endings = [stated_end] if (stated_end := _find_ending_by_own_period(claim, now=now)) else []
        if claim.date is not None and supersede_by_date:
            node_and_relation, value_id = (claim.from_node_id, claim.relation_type), claim.to_node_id
            denial_endings = [
                _EndingBySource(ending, source)
                for ended_claim in _list_claims_whose_denial_ends_claim(
                    *node_and_relation, value_id, ends_with_implying_claim=claim.id in implied_claim_ids
                )
                for source in sources.denials_by_claim[ended_claim]
                if not _does_change_leave_claim(claim, new_node_pairs_by_change_id[source.id], nested_pairs)
                and (ending := _find_ending_by_denial(claim, source)) is not None
            ]
            denial_endings.sort(key=lambda denial: (denial.ending.until, denial.ending.source_edge_id))
            # Sorted by date: the first that fits is the earliest.
            other_value_endings = (
                _EndingBySource(ending, source)
                for source in sources.claims_by_from_node[node_and_relation]
                if (ending := _find_ending_by_later_value(claim, source, nested_pairs)) is not None
            )
            other_source_endings = (
                _EndingBySource(ending, source)
                for source in sources.claims_by_to_node[value_id, claim.relation_type]
                if (ending := _find_ending_by_later_source(claim, source)) is not None
            )
            candidate_endings += filter(
                None,
                (
                    _find_first_trusted_ending(claim, endings)
                    for endings in (denial_endings, other_value_endings, other_source_endings)
                ),
            )
        if candidate_endings:
            endings_by_edge[claim.id] = min(
                candidate_endings,
                key=lambda candidate_ending: (candidate_ending.until, candidate_ending.source_edge_id),
            )
    return endings_by_edge


class _EndingBySource(NamedTuple):
    """A possible ending of a claim, and the row that would end it."""

    ending: Ending
    source: DatedClaim


def _find_first_trusted_ending(
    claim: DatedClaim, possible_endings: Iterable[_EndingBySource]
) -> Ending | None:
    """Return the first of these sorted endings that has enough trust to end the claim.

    Either its source has at least the claim's trust, or independent sources up to it that state the same have
    it together. Of sources that are not independent only the most trusted counts.
    """
    sources_by_node_pair: dict[frozenset[NodeId], list[DatedClaim]] = defaultdict(list)
    for ending, source in possible_endings:
        if source.trust >= claim.trust:
            return ending
        node_pair = frozenset((source.from_node_id, source.to_node_id))
        counted_sources = sources_by_node_pair[node_pair] = _add_source_or_replace_dependent_ones(
            sources_by_node_pair[node_pair], source
        )
        if sum(counted_source.trust for counted_source in counted_sources) >= claim.trust - _TRUST_TOLERANCE:
            return ending
    return None


def _add_source_or_replace_dependent_ones(
    counted_sources: list[DatedClaim], source: DatedClaim
) -> list[DatedClaim]:
    """Return the sources whose trust is added up, with this one instead of those from which it is not
    independent if it is trusted more than they are together.
    """
    independent_sources = [
        counted_source
        for counted_source in counted_sources
        if _are_known_to_be_independent(source, counted_source)
    ]
    replaced_trust = sum(counted_source.trust for counted_source in counted_sources) - sum(
        counted_source.trust for counted_source in independent_sources
    )
    return (
        [*independent_sources, source]
        if source.trust > replaced_trust + _TRUST_TOLERANCE
        else counted_sources
    )


def _are_known_to_be_independent(source: DatedClaim, other_source: DatedClaim) -> bool:
    """Return whether two sources have known and different uploaders, other content, and another quote."""
    if source.uploader is None or other_source.uploader is None or source.uploader == other_source.uploader:
        return False
    return not _do_sources_have_same_content_or_quote(source, other_source)


def _do_sources_have_same_content_or_quote(source: DatedClaim, other_source: DatedClaim) -> bool:
    """Return whether two sources have the same document content, or nearly the same quote."""
    if source.origin is not None and source.origin == other_source.origin:
        return True
    trigrams, other_trigrams = (
        _list_trigrams_of_quote(source.quote or ""),
        _list_trigrams_of_quote(other_source.quote or ""),
    )
    return len(trigrams & other_trigrams) >= _MIN_OVERLAP_OF_COPIES * len(trigrams | other_trigrams)


@lru_cache(maxsize=4_096)
def _list_trigrams_of_quote(quote: str) -> frozenset[str]:
    """Return the trigrams of a quote's letters, which work for every script."""
    letters = "".join(character for character in quote.casefold() if character.isalnum())
    return frozenset(letters[start : start + 3] for start in range(max(1, len(letters) - 2)))


def _find_ids_of_claims_implied_in_same_sentence(rows: Iterable[DatedClaim]) -> set[EdgeId]:
    """Return the rows whose sentence also states the claim that implies them
    (`IMPLYING_RELATION_BY_RELATION`).
    """
    stated_claims = {
        (row.from_node_id, row.relation_type, row.to_node_id, row.chunk_id, row.quote) for row in rows
    }
    return {
        row.id
        for row in rows
        if (
            row.from_node_id,
            IMPLYING_RELATION_BY_RELATION.get(row.relation_type),
            row.to_node_id,
            row.chunk_id,
            row.quote,
        )
        in stated_claims
    }


_ClaimEnds = tuple[NodeId, NodeId]
"""The source and the target of a claim."""


def _map_changes_to_new_node_pairs(rows: Iterable[DatedClaim]) -> Mapping[EdgeId, set[_ClaimEnds]]:
    """Return for each change the ends of the claims that its own sentence states instead."""
    node_pairs_by_sentence: dict[tuple[str, ChunkId | None, str | None], set[_ClaimEnds]] = defaultdict(set)
    changes = []
    for row in rows:
        if row.polarity == Polarity.ASSERTED:
            node_pairs_by_sentence[row.relation_type, row.chunk_id, row.quote].add(
                (row.from_node_id, row.to_node_id)
            )
        elif row.from_node_id == row.to_node_id:
            changes.append(row)
    return defaultdict(
        set, {row.id: node_pairs_by_sentence[row.relation_type, row.chunk_id, row.quote] for row in changes}
    )


def _does_change_leave_claim(
    claim: DatedClaim,
    new_node_pairs: Collection[_ClaimEnds],
    nested_pairs: Collection[frozenset[NodeId]],
) -> bool:
    """Return whether a change does not end the claim, which is what it changed to, or names a place in which
    that lies.
    """
    return any(
        (new_from_id, new_to_id) == (claim.from_node_id, claim.to_node_id)
        or frozenset((new_to_id, claim.to_node_id)) in nested_pairs
        for new_from_id, new_to_id in new_node_pairs
    )


_DeniedClaim = tuple[NodeId, str, NodeId]
"""The source, the relation type and the target of a claim whose denial ends others."""


def _list_claims_whose_denial_ends_claim(
    node: NodeId, relation: str, value: NodeId, *, ends_with_implying_claim: bool
) -> list[_DeniedClaim]:
    """Return the claims whose end also ends this one.

    They are the claim itself, those of `ENDING_RELATIONS_BY_RELATION`, their inverses for symmetric
    relations, denials of existence, and changes; with `ends_with_implying_claim`, also the claim that implies
    it.
    """
    antecedent_relations = (IMPLYING_RELATION_BY_RELATION[relation],) if ends_with_implying_claim else ()
    ended_claims = [
        (node, relation_type, value)
        for relation_type in (
            relation,
            *antecedent_relations,
            *ENDING_RELATIONS_BY_RELATION.get(relation, ()),
        )
    ]
    reverse_claims = (
        (value, relation_type, node)
        for _, relation_type, _ in ended_claims
        if relation_type in SYMMETRIC_RELATIONS
    )
    return [*ended_claims, *reverse_claims, *_list_self_denials_ending_claim(node, relation, value)]


def _list_self_denials_ending_claim(node: NodeId, relation: str, value: NodeId | None) -> list[_DeniedClaim]:
    """Return the denials of a node with itself that end a claim: that its source or target exists, and all
    that was before a change.
    """
    denials = [(node, EXISTS, node)] if relation in RELATIONS_ENDING_WITH_SOURCE else []
    if relation in CHANGES_TARGET:
        denials.append((node, relation, node))
    if value is not None and relation in RELATIONS_ENDING_WITH_TARGET:
        denials.append((value, EXISTS, value))
    if value is not None and relation in CHANGES_SOURCE:
        denials.append((value, relation, value))
    return denials


@lru_cache
def _find_relations_ending_together(relation: str) -> frozenset[str]:
    """Return the relations connected with this one by `ENDING_RELATIONS_BY_RELATION`, transitively."""
    related_relations = {relation}
    while (
        new_relations := {
            candidate
            for ended_relation, ending_relations in ENDING_RELATIONS_BY_RELATION.items()
            if not related_relations.isdisjoint((ended_relation, *ending_relations))
            for candidate in (ended_relation, *ending_relations)
        }
        - related_relations
    ):
        related_relations |= new_relations
    return frozenset(related_relations)


def expand_to_claims_ending_together(claim_keys: Iterable[ClaimKey]) -> set[ClaimKey]:
    """Return these claims and the claims between the same nodes that end together with them."""
    related_claims = {
        (node, related_relation, value)
        for node, relation, value in claim_keys
        for related_relation in ([relation] if value is None else _find_relations_ending_together(relation))
    }
    reverse_claims = {
        (value, relation, node)
        for node, relation, value in related_claims
        if value is not None and relation in SYMMETRIC_RELATIONS
    }
    return (
        related_claims
        | reverse_claims
        | {denial for claim in related_claims for denial in _list_self_denials_ending_claim(*claim)}
    )


class _EndingSources:
    """The rows that can end others: by (node, relation), by (target, relation), and denials by claim."""

    def __init__(self) -> None:
        self.claims_by_from_node: dict[tuple[NodeId, str], list[DatedClaim]] = defaultdict(list)
        self.claims_by_to_node: dict[tuple[NodeId, str], list[DatedClaim]] = defaultdict(list)
        self.denials_by_claim: dict[_DeniedClaim, list[DatedClaim]] = defaultdict(list)


def _collect_ending_sources(
    rows: Iterable[DatedClaim],
    *,
    now: datetime,
    single_valued_relations: Collection[str] | None,
    single_source_relations: Collection[str],
) -> _EndingSources:
    sources = _EndingSources()
    for row in rows:
        if row.kind == EndedBy.PERSON or row.chunk_id is None:
            continue
        node_and_relation = (row.from_node_id, row.relation_type)
        if row.polarity == Polarity.DENIED or row.valid_to is not None:
            sources.denials_by_claim[*node_and_relation, row.to_node_id].append(row)
        if _may_end_other_claims(row, now):
            if single_valued_relations is None or row.relation_type in single_valued_relations:
                sources.claims_by_from_node[node_and_relation].append(row)
            if row.relation_type in single_source_relations:
                sources.claims_by_to_node[row.to_node_id, row.relation_type].append(row)
    for claims in (
        *sources.claims_by_from_node.values(),
        *sources.claims_by_to_node.values(),
    ):
        # Of several at one moment, the one with the highest confidence is recorded, then the oldest.
        claims.sort(key=lambda statement: (statement.date or now, -statement.confidence, statement.id))
    for denials in sources.denials_by_claim.values():
        denials.sort(key=lambda denial: (_get_moment_of_denial_or_stated_end(denial) or now, denial.id))
        denials[:] = [
            denial
            for denial in denials
            if (moment := _get_moment_of_denial_or_stated_end(denial)) is not None and moment <= now
        ]
    return sources


def _may_end_other_claims(row: DatedClaim, now: datetime) -> bool:
    """Return whether a row asserts a claim, since a date that has passed, that may end another."""
    return (
        row.polarity == Polarity.ASSERTED
        and row.date is not None
        and row.date <= now
        and not is_negated(row.quote or "")
    )


def _get_moment_of_denial_or_stated_end(row: DatedClaim) -> datetime | None:
    """Return when the denial begins, or the stated end: for "until 2019" the end of the year."""
    return row.date if row.valid_to is None else _get_stated_end(row)


def _get_stated_end(row: DatedClaim) -> datetime | None:
    if row.valid_to is None:
        return None
    end_date = compute_end_of_period(row.valid_to, Precision(row.valid_to_precision or Precision.DAY))
    return (
        row.stated_at if row.stated_at is not None and row.valid_to < row.stated_at < end_date else end_date
    )


def list_begin_and_end_moments(row: DatedClaim) -> list[datetime]:
    """Return when a row's own dates begin and end what it states."""
    moments = (
        (row.begins, _get_stated_end(row))
        if row.polarity != Polarity.DENIED
        else (_get_moment_of_denial_or_stated_end(row),)
    )
    return [moment for moment in moments if moment is not None]


def _find_ending_by_own_period(claim: DatedClaim, *, now: datetime) -> Ending | None:
    """Return the ending of a claim whose stated period is over, or has not begun yet; else None."""
    if claim.begins is not None and claim.begins > now:
        return Ending(claim.id, claim.begins, claim.date, claim.id, claim.chunk_id, NOT_YET_REASON)
    end_date = _get_stated_end(claim)
    if end_date is None or end_date > now:
        return None
    return Ending(claim.id, end_date, claim.date, claim.id, claim.chunk_id, STATED_END_REASON)


def _find_ending_by_denial(claim: DatedClaim, source: DatedClaim) -> Ending | None:
    """Return the ending of a claim by a denial or by a row with its end; None if that is not later."""
    assert claim.date is not None
    ended_at = _get_moment_of_denial_or_stated_end(source)
    if ended_at is None or source.id == claim.id:
        return None
    if source.valid_to is None and ended_at <= claim.date and source.precision in ("year", "month"):
        # "Left in 2019" is later than a claim dated May of that year.
        last_moment = compute_end_of_period(ended_at, Precision(source.precision))
        if source.stated_at is not None and ended_at < source.stated_at < last_moment:
            last_moment = source.stated_at
        ended_at = last_moment
    if ended_at <= claim.date:
        return None
    if source.polarity != Polarity.DENIED:
        reason = STATED_END_REASON
    else:
        is_change = source.from_node_id == source.to_node_id and source.relation_type != EXISTS
        reason = CHANGE_REASON if is_change else DENIAL_REASON
    return Ending(claim.id, ended_at, claim.date, source.id, source.chunk_id, reason)


def _find_ending_by_later_value(
    claim: DatedClaim, source: DatedClaim, nested_pairs: Collection[frozenset[NodeId]]
) -> Ending | None:
    """Return the ending of a claim by another value of its relation.

    None if the other is not later or has less confidence, or if one value lies in the other.
    """
    values = frozenset((claim.to_node_id, source.to_node_id))
    if len(values) == 1 or values in nested_pairs:
        return None
    return _find_ending_by_later_claim(claim, source, OTHER_VALUE_REASON)


def _find_ending_by_later_source(claim: DatedClaim, source: DatedClaim) -> Ending | None:
    """Return the ending of a claim by a later one of another source about the same target; None if both may
    hold.
    """
    if source.from_node_id == claim.from_node_id or not may_have_succeeded(
        claim.relation_type,
        RoleStatement(source.quote or "", source.role),
        RoleStatement(claim.quote or "", claim.role),
    ):
        return None
    return _find_ending_by_later_claim(claim, source, OTHER_SOURCE_REASON)


def _find_ending_by_later_claim(claim: DatedClaim, source: DatedClaim, reason: str) -> Ending | None:
    """Return the ending of a claim at the date of a later one with at least its confidence, else None."""
    assert claim.date is not None
    assert source.date is not None
    if source.date <= claim.date or source.confidence < claim.confidence:
        return None
    return Ending(claim.id, source.date, claim.date, source.id, source.chunk_id, reason)
