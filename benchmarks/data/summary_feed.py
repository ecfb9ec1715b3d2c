"""A feed of small updates about a few nodes, made from a seed, each labelled with what it is: for the summary
gate.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from app.derived.summaries.delta import SummaryFact, compute_delta_of_claims, hash_facts
from app.derived.summaries.gate import Episode, Vector, sum_normalised_vectors
from app.llm.embedding.embedders import Embedder

START = datetime(2026, 1, 1, tzinfo=UTC)
FIRST, REPEAT, REWORDING, RENAMING, CHANGE, CLOSE_CHANGE, CONTRADICTION, LOOK = (
    "first", "repeat", "rewording", "renaming", "change", "close change", "contradiction", "look",
)  # fmt: skip
SHARES = {REPEAT: 57, REWORDING: 28, RENAMING: 3, CHANGE: 5, CLOSE_CHANGE: 3, CONTRADICTION: 4}
REAL = (CHANGE, CLOSE_CHANGE, CONTRADICTION)
_VERBS = ("created", "owns", "uses", "provides", "replaces")
_SYLLABLES = (
    "ba", "cor", "del", "fi", "gan", "hol", "jo", "kar", "lum", "mo", "nel", "pra", "qui", "tes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Labelled:
    """One look of the gate at one node, and what the update before it was."""

    episode: Episode
    label: str


class Vectors:
    """The vectors of claims, each made once, as ingest does it: a name that changes later changes none."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._made: dict[str, Vector] = {}

    def of(self, claims: Sequence[str]) -> list[Vector]:
        """Their vectors, in order."""
        new = [claim for claim in dict.fromkeys(claims) if claim not in self._made]
        self._made.update(zip(new, self._embedder.embed(new), strict=True))
        return [self._made[claim] for claim in claims]


class Feed:
    """Updates of `nodes` nodes: repeats, rewordings, renamings, real changes and contradictions.

    A close change is one whose claim differs from a known one by a number alone ("Acme uses Rocket 2").
    `calm` is the share of updates that come hours after the node's last one, the others come within a minute.
    `told[node]` begins with a first look at so many `facts` and ends with a look at the clock an hour after
    the last update.
    """

    def __init__(
        self, seed: int, vectors: Vectors, *, nodes: int = 40, facts: int = 6, calm: float = 0.8
    ) -> None:
        self._random = random.Random(seed)
        self._at_first, self._calm = facts, calm
        self._vectors = vectors
        self._named = 1
        self._facts: dict[int, list[SummaryFact]] = {node: [] for node in range(nodes)}
        self._clock = dict.fromkeys(range(nodes), START)
        self.told: dict[int, list[Labelled]] = {node: [] for node in range(nodes)}

    def run(self, updates: int) -> "Feed":
        """So many updates, each of a node that the seed draws."""
        for node, facts in self._facts.items():
            facts += [self._new(node) for _ in range(self._at_first)]
            self._note(node, [], FIRST)
        for _ in range(updates):
            self._update(self._random.randrange(len(self._facts)))
        for node, facts in self._facts.items():
            self._clock[node] += timedelta(hours=1)
            self._note(node, facts, LOOK)
        return self

    def _new(self, node: int) -> SummaryFact:
        verb = self._random.choice(_VERBS)
        thing = " ".join("".join(self._random.choices(_SYLLABLES, k=3)).capitalize() for _ in range(2))
        return _fact(f"Node {node}", verb, thing)

    def _update(self, node: int) -> None:
        before = list(self._facts[node])
        calm = self._random.random() < self._calm
        self._clock[node] += timedelta(minutes=self._random.uniform(10, 300) if calm else 1)
        label = self._random.choices(list(SHARES), list(SHARES.values()))[0]
        known = self._random.choice(before)
        if label == REWORDING:
            self._facts[node].append(replace(known, quote=f"As is known, {known.quote}"))
        elif label == RENAMING:
            name = f"{known.target} Ltd"
            self._facts[node] = [
                replace(fact, target=name) if fact.end_ids == known.end_ids else fact for fact in before
            ]
        elif label == CHANGE:
            self._facts[node].append(self._new(node))
        elif label == CLOSE_CHANGE:
            self._named += 1
            thing = f"{known.target} {self._named}"
            self._facts[node].append(_fact(known.source, known.relation_type, thing))
        elif label == CONTRADICTION:
            denied = replace(known, quote=f"{known.source} no longer {known.relation_type} it.")
            self._facts[node].append(denied)
            # What was denied before is not denied anew.
            label = CONTRADICTION if hash_facts(before) != hash_facts(self._facts[node]) else REPEAT
        self._note(node, before, label)

    def _note(self, node: int, before: list[SummaryFact], label: str) -> None:
        facts = self._facts[node]
        claims = sorted({_claim(fact) for fact in facts})
        pooled = sum_normalised_vectors(self._vectors.of(claims))
        assert pooled is not None
        # As it is stored.
        pooled = pooled.astype(np.float16).astype(np.float32)
        delta = compute_delta_of_claims({fact.claim_hash for fact in before}, facts, moment=self._clock[node])
        self.told[node].append(Labelled(Episode(delta, hash_facts(facts), pooled), label))


def _fact(source: str, verb: str, thing: str) -> SummaryFact:
    return SummaryFact(source, verb, thing, f"{source} {verb} {thing}.", end_ids=(source, thing))


def _claim(fact: SummaryFact) -> str:
    """In the words of its first names, of which its vector was made."""
    assert fact.end_ids is not None
    return f"{fact.end_ids[0]} {fact.relation_type} {fact.end_ids[1]}"
