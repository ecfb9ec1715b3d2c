"""A feed of small updates about a few nodes, made from a seed, each labelled with what it is: for the summary gate."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.llm.hashed import HashedEmbedder
from app.summaries.delta import Fact, delta_between, facts_hash
from app.summaries.gate import Episode, pool

START = datetime(2026, 1, 1, tzinfo=UTC)
FIRST, REPEAT, REWORDING, CHANGE, CONTRADICTION, LOOK = (
    "first", "repeat", "rewording", "change", "contradiction", "look",
)  # fmt: skip
SHARES = {REPEAT: 60, REWORDING: 28, CHANGE: 8, CONTRADICTION: 4}
_VERBS = ("created", "owns", "uses", "provides", "replaces")
_SYLLABLES = (
    "ba", "cor", "del", "fi", "gan", "hol", "jo", "kar", "lum", "mo", "nel", "pra", "qui", "tes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Labelled:
    """One look of the gate at one node, and what the update before it was."""

    episode: Episode
    label: str


class Feed:
    """Updates of `nodes` nodes: repeats, rewordings, real changes and contradictions.

    `calm` is the share of updates that come hours after the node's last one, the others come within a minute.
    `told[node]` begins with a first look at so many `facts` and ends with a look at the clock an hour after the
    last update.
    """

    def __init__(self, seed: int, *, nodes: int = 40, facts: int = 6, calm: float = 0.8) -> None:
        self._random = random.Random(seed)
        self._at_first, self._calm = facts, calm
        self._embed = HashedEmbedder().embed
        self._facts: dict[int, list[Fact]] = {node: [] for node in range(nodes)}
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

    def _new(self, node: int) -> Fact:
        verb = self._random.choice(_VERBS)
        thing = " ".join("".join(self._random.choices(_SYLLABLES, k=3)).capitalize() for _ in range(2))
        return Fact(f"Node {node}", verb, thing, f"Node {node} {verb} {thing}.")

    def _update(self, node: int) -> None:
        before = list(self._facts[node])
        calm = self._random.random() < self._calm
        self._clock[node] += timedelta(minutes=self._random.uniform(10, 300) if calm else 1)
        label = self._random.choices(list(SHARES), list(SHARES.values()))[0]
        known = self._random.choice(before)
        if label == REWORDING:
            quote = f"As is known, {known.quote}"
            self._facts[node].append(Fact(known.source, known.relation_type, known.target, quote))
        elif label == CHANGE:
            self._facts[node].append(self._new(node))
        elif label == CONTRADICTION:
            quote = f"{known.source} no longer {known.relation_type} it."
            self._facts[node].append(Fact(known.source, known.relation_type, known.target, quote))
            # What was denied before is not denied anew.
            label = CONTRADICTION if facts_hash(before) != facts_hash(self._facts[node]) else REPEAT
        self._note(node, before, label)

    def _note(self, node: int, before: list[Fact], label: str) -> None:
        facts = self._facts[node]
        worded = sorted({(fact.source, fact.relation_type, fact.target) for fact in facts})
        pooled = pool(list(self._embed([" ".join(each) for each in worded])))
        delta = delta_between({fact.key for fact in before}, facts, at=self._clock[node])
        self.told[node].append(Labelled(Episode(delta, facts_hash(facts), pooled), label))
