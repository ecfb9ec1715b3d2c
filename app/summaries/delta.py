"""What one ingest changed about one node, and how its facts are known by a hash."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

_NEGATION = re.compile(
    r"\b(?:not|no longer|never|neither|nor|cannot|without|ceased|ended|stopped|former(?:ly)?|\w+n['’]t)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """An edge of the node rendered as a sentence: names instead of ids, and the quote that states it."""

    source: str
    relation_type: str
    target: str
    quote: str = ""

    @property
    def claim(self) -> tuple[str, str, str, bool]:
        """What it says, whatever the words; a sentence that denies says something else."""
        return (self.source, self.relation_type, self.target, is_negated(self.quote))


@dataclass(frozen=True, slots=True)
class NodeDelta:
    """The difference that one ingest made: facts gained and invalidated, and when it was (an episode)."""

    new_facts: tuple[Fact, ...]
    invalidated_facts: tuple[Fact, ...]
    at: datetime

    @property
    def negates(self) -> bool:
        """Whether a new fact's sentence denies something."""
        return any(is_negated(fact.quote) for fact in self.new_facts)

    @property
    def is_empty(self) -> bool:
        """Whether nothing came and nothing went: a look at the clock, no episode."""
        return not self.new_facts and not self.invalidated_facts


def is_negated(sentence: str) -> bool:
    """Whether an English sentence holds a word of denial or of ending."""
    return _NEGATION.search(sentence) is not None


def facts_hash(facts: Iterable[Fact]) -> str:
    """SHA-256 of the active facts: their order, their number and the wording of their quotes do not count."""
    claims = sorted({fact.claim for fact in facts})
    return hashlib.sha256(json.dumps(claims, ensure_ascii=False).encode()).hexdigest()


def delta_between(before: Sequence[Fact], after: Sequence[Fact], *, at: datetime) -> NodeDelta:
    """What came and what went, by claim."""
    old, new = {fact.claim for fact in before}, {fact.claim for fact in after}
    return NodeDelta(
        tuple(fact for fact in after if fact.claim not in old),
        tuple(fact for fact in before if fact.claim not in new),
        at,
    )
