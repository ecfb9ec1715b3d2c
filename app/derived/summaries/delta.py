"""The changes of one ingest to one node, and the hashes that identify its facts. Pure."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from app.domain.scoring.negation import is_negated

KEY_BYTES = 8


ClaimIdentity = tuple[str, str, str, bool]
"""The claim in comparable words, and whether it is a denial."""


@dataclass(frozen=True)
class SummaryFact:
    """An edge of the node rendered as a sentence: names instead of ids, and the quote that states it.

    `end_ids` distinguish nodes of equal names, and do not change when a node is renamed. Derived values are
    cached, since each evaluation needs them several times.
    """

    source: str
    relation_type: str
    target: str
    quote: str = ""
    end_ids: tuple[str, str] | None = None
    is_stored_as_denied: bool = False

    @cached_property
    def is_denied(self) -> bool:
        """Return whether the fact is a denial, by its stored polarity or by the words of its quote."""
        return self.is_stored_as_denied or is_negated(self.quote)

    @cached_property
    def claim_identity(self) -> ClaimIdentity:
        """Return the claim, independent of its wording; a denial is another claim."""
        return (self.source, self.relation_type, self.target, self.is_denied)

    @cached_property
    def claim_hash(self) -> bytes:
        """Return a 64-bit hash of the claim for later comparison; two facts of a node collide once in
        10^13.
        """
        from_id, to_id = self.end_ids or (self.source, self.target)
        claim_text = json.dumps((from_id, self.relation_type, to_id, self.is_denied), ensure_ascii=False)
        return hashlib.blake2b(claim_text.encode(), digest_size=KEY_BYTES).digest()


@dataclass(frozen=True, slots=True)
class NodeDelta:
    """The changes of one ingest, and its time (an episode).

    `has_added_fact`: there is a new fact; `has_added_denial`: a new fact's sentence denies something;
    `has_removed_fact`: a fact was invalidated.
    """

    has_added_fact: bool
    has_added_denial: bool
    has_removed_fact: bool
    at: datetime

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was added or invalidated: not an episode, only a check of the time."""
        return not self.has_added_fact and not self.has_removed_fact


def hash_facts(facts: Iterable[SummaryFact]) -> str:
    """Return the SHA-256 of the active facts, independent of their order, number and quotes."""
    claims = sorted({fact.claim_identity for fact in facts})
    return hashlib.sha256(json.dumps(claims, ensure_ascii=False).encode()).hexdigest()


def join_fact_keys(facts: Iterable[SummaryFact]) -> bytes:
    """Return the keys of these facts, sorted and without duplicates, for storage until the next
    evaluation.
    """
    return b"".join(sorted({fact.claim_hash for fact in facts}))


def split_fact_keys(joined_keys: bytes) -> frozenset[bytes]:
    """Return the keys that `join_fact_keys` joined."""
    return frozenset(
        joined_keys[begin : begin + KEY_BYTES] for begin in range(0, len(joined_keys), KEY_BYTES)
    )


def select_unseen_facts(seen_keys: Collection[bytes], facts: Iterable[SummaryFact]) -> list[SummaryFact]:
    """Return the facts whose keys are not among `seen_keys`; the first of several with one claim."""
    fact_by_key: dict[bytes, SummaryFact] = {}
    for fact in facts:
        key = fact.claim_hash
        if key not in seen_keys:
            fact_by_key.setdefault(key, fact)
    return list(fact_by_key.values())


def compute_delta_of_claims(
    seen_keys: Collection[bytes], facts: Sequence[SummaryFact], *, moment: datetime, is_complete: bool = True
) -> NodeDelta:
    """Return the claims added and removed since the facts with the keys `seen_keys`.

    If not all facts were read (`is_complete` is False), none is reported as removed: a missing fact may only
    have become weaker than others.
    """
    new_facts = select_unseen_facts(seen_keys, facts)
    has_lost_facts = is_complete and bool(set(seen_keys) - {fact.claim_hash for fact in facts})
    return NodeDelta(bool(new_facts), any(fact.is_denied for fact in new_facts), has_lost_facts, moment)
