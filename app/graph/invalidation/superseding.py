"""Claims that a later dated source ends: other values of a single-valued relation (requirement 4).

The outcome depends on which rows stand, not on the order in which they came: it is worked out anew for a
node and a relation whenever a row of theirs is written, and the ledger is brought in line with it.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from app.db.session import SpaceSession
from app.graph.invalidation import repository as invalidation_repository
from app.graph.invalidation.repository import Group
from app.graph.invalidation.shapes import DatedClaim, EndedBy, Ending
from app.ids import EdgeId
from app.scoring.negation import is_negated

RULES = "rules"
REASON = "A later dated source states another value."


def endings(claims: Iterable[DatedClaim], *, now: datetime) -> dict[EdgeId, Ending]:
    """Which of these rows are ended by which other, at its date. Pure; the order of the rows does not matter.

    A row ends at the earliest date, later than its own and not after `now`, of a row of the same node and
    relation that states another value, is at least as confident, denies nothing and was not ended by a
    person. Without a date a row neither ends nor is ended; nor is one that a person ended or spared.
    """
    groups: dict[Group, list[tuple[datetime, DatedClaim]]] = defaultdict(list)
    for claim in claims:
        if claim.dated is not None and claim.kind != EndedBy.PERSON:
            groups[claim.from_node_id, claim.relation_type].append((claim.dated, claim))
    found = {}
    for group in groups.values():
        group.sort(key=lambda each: (each[0], -each[1].confidence, each[1].id))
        sources = [each for each in group if each[0] <= now and not is_negated(each[1].quote or "")]
        for dated, claim in group:
            if claim.spared:
                continue
            for until, source in sources:
                if (
                    until > dated
                    and source.to_node_id != claim.to_node_id
                    and source.confidence >= claim.confidence
                ):
                    found[claim.id] = Ending(claim.id, until, dated, source.id, source.chunk_id)
                    break
    return found


def end_by_date(space: SpaceSession, groups: Iterable[Group]) -> int:
    """Bring the ledger in line with the dates of these nodes' relations; how many rows ended by it.

    Runs under the graph's lock, in the transaction of what changed. Run again it changes nothing.
    """
    claims, now = invalidation_repository.claims_of_groups(space, groups)
    if now is None:
        return 0
    wanted = endings(claims, now=now)
    outdated = []
    missing = []
    for claim in claims:
        ending = wanted.get(claim.id)
        if claim.kind == EndedBy.SOURCE and claim.entry is not None:
            if ending is not None and (ending.source_edge_id, ending.until) == (
                claim.source_edge_id,
                claim.until,
            ):
                continue
            outdated.append(claim.entry)
        if ending is not None:
            missing.append(ending)
    if outdated:
        invalidation_repository.lift_endings(space, outdated, undone_by=RULES, undone_kind=EndedBy.SOURCE)
    if not missing:
        return 0
    return len(
        invalidation_repository.end_edges(
            space, missing, kind=EndedBy.SOURCE, decided_by=RULES, reason=REASON
        )
    )


def lift_of(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> set[Group]:
    """Take back what these edges, which were deleted, ended; the groups that are to be settled anew."""
    entries = invalidation_repository.endings_by_sources(space, sorted(edge_ids))
    if not entries:
        return set()
    lifted = invalidation_repository.lift_endings(space, entries, undone_by=RULES, undone_kind=EndedBy.SOURCE)
    return {group for _, group in lifted}
