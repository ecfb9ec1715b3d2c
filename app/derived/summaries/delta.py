"""The difference that one ingest made to one node, and the hashes by which its facts are known. Pure."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from app.domain.scoring.negation import is_negated

KEY_BYTES = 8


@dataclass(frozen=True)
class SummaryFact:
    """An edge of the node rendered as a sentence: names instead of ids, and the quote that states it.

    `ends` tell nodes apart where the names do not, and stay when a node is called otherwise. What is worked
    out of it is kept, for each look asks several times.
    """

    source: str
    relation_type: str
    target: str
    quote: str = ""
    ends: tuple[str, str] | None = None
    denied: bool = False

    @cached_property
    def is_denied(self) -> bool:
        """True where its sentence denies it: as it was read, or by its words where nobody read for it."""
        return self.denied or is_negated(self.quote)

    @cached_property
    def claim_identity(self) -> tuple[str, str, str, bool]:
        """The claim, in whichever words; a sentence that denies states another."""
        return (self.source, self.relation_type, self.target, self.is_denied)

    @cached_property
    def claim_hash(self) -> bytes:
        """64 bits by which the claim is known at the next look: two of a node's facts share them once in
        10^13.
        """
        start, end = self.ends or (self.source, self.target)
        claim_text = json.dumps((start, self.relation_type, end, self.is_denied), ensure_ascii=False)
        return hashlib.blake2b(claim_text.encode(), digest_size=KEY_BYTES).digest()


@dataclass(frozen=True, slots=True)
class NodeDelta:
    """The difference that one ingest made, and when it was (an episode).

    `came` says that a fact is new, `negates` that the sentence of a new one denies something, `went` that a
    fact was invalidated.
    """

    came: bool
    negates: bool
    went: bool
    at: datetime

    @property
    def is_empty(self) -> bool:
        """True where nothing came and nothing went: a look at the clock, no episode."""
        return not self.came and not self.went


def facts_hash(facts: Iterable[SummaryFact]) -> str:
    """SHA-256 of the active facts: their order, their number and the wording of their quotes do not count."""
    claims = sorted({fact.claim_identity for fact in facts})
    return hashlib.sha256(json.dumps(claims, ensure_ascii=False).encode()).hexdigest()


def join_fact_keys(facts: Iterable[SummaryFact]) -> bytes:
    """The keys of these facts, each once and in order: what is kept of them for the next look."""
    return b"".join(sorted({fact.claim_hash for fact in facts}))


def split_fact_keys(joined_keys: bytes) -> frozenset[bytes]:
    """The keys that `join_fact_keys` put together."""
    return frozenset(
        joined_keys[begin : begin + KEY_BYTES] for begin in range(0, len(joined_keys), KEY_BYTES)
    )


def facts_not_seen(seen_keys: Collection[bytes], facts: Iterable[SummaryFact]) -> list[SummaryFact]:
    """Those of the facts whose keys are not among `seen_keys`; of several of one claim the first."""
    fact_by_key: dict[bytes, SummaryFact] = {}
    for fact in facts:
        key = fact.claim_hash
        if key not in seen_keys:
            fact_by_key.setdefault(key, fact)
    return list(fact_by_key.values())


def delta_between(
    seen_keys: Collection[bytes], facts: Sequence[SummaryFact], *, moment: datetime, complete: bool = True
) -> NodeDelta:
    """Return the claims that came and went since the facts with the keys `seen_keys`.

    Of a node with more facts than are looked at (`complete` is false) nothing is said to have gone: what is
    not there may only have been outweighed.
    """
    came = facts_not_seen(seen_keys, facts)
    went = complete and bool(set(seen_keys) - {fact.claim_hash for fact in facts})
    return NodeDelta(bool(came), any(fact.is_denied for fact in came), went, moment)
