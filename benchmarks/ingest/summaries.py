"""What the summary gate saves, and what it misses: a labelled feed of small updates through the gate itself.

`python -m benchmarks summaries`: 1,000 updates of 40 nodes, made from a seed, with the vectors that ingest
makes without a model, or with those of `--vectors minilm`. No database and no model take part: the gate is a
pure function. Nodes of few facts and of many, of which one more says less, and feeds whose updates come in
bursts.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.derived.summaries.gate import replay_decisions
from app.derived.summaries.gate_settings import GateSettings
from app.llm.embedding.embedders import Embedder
from app.llm.embedding.hashed import HashedEmbedder
from app.llm.embedding.minilm import MiniLMEmbedder
from benchmarks.data.summary_feed import FIRST, LOOK, REAL, Feed, Vectors

TARGET = 0.8
FEEDS: dict[str, dict[str, float]] = {
    "3 facts": {"facts": 3},
    "10 facts": {"facts": 10},
    "40 facts": {"facts": 40},
    "120 facts": {"facts": 120},
    "in bursts": {"facts": 10, "calm": 0.0},
}
EMBEDDERS: dict[str, Callable[[], Embedder]] = {"hashed": HashedEmbedder, "minilm": MiniLMEmbedder}


@dataclass
class Measured:
    """What came of the updates; `missed` are real changes after which no summary was written any more."""

    updates: int = 0
    skipped: int = 0
    changes: int = 0
    missed: int = 0
    late: int = 0
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Share of the updates that asked no model, 0 to 1."""
        return self.skipped / self.updates if self.updates else 0.0


def measure(feed: Feed, settings: GateSettings) -> Measured:
    """Decide the whole feed, node by node."""
    found = Measured()
    for told in feed.told.values():
        decisions, _ = replay_decisions([decision.episode for decision in told], settings)
        for place, (label_case, decision) in enumerate(zip(told, decisions, strict=True)):
            if label_case.label in (FIRST, LOOK):
                continue
            found.updates += 1
            found.skipped += not decision.is_refresh
            found.reasons[label_case.label, decision.reason.value] += 1
            if label_case.label in REAL:
                found.changes += 1
                later = [after.is_refresh for after in decisions[place:]]
                found.missed += not any(later)
                found.late += any(later) and not decision.is_refresh
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Print shares and misses for some seeds of each feed, and the reasons of each feed's first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks summaries", description=__doc__)
    parser.add_argument("--updates", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, default=5, help="how many feeds of each kind")
    parser.add_argument("--vectors", choices=EMBEDDERS, default="hashed", help="what facts are embedded by")
    given = parser.parse_args(argv)
    vectors = Vectors(EMBEDDERS[given.vectors]())
    print(f"target, whatever the number of facts: {TARGET:.0%} of calls skipped, no real change missed\n")
    print("feed       seed  updates  skipped  real changes  missed  told later")
    reasons: dict[str, Counter[tuple[str, str]]] = {}
    for name, options in FEEDS.items():
        for seed in range(1, given.seeds + 1):
            feed = Feed(seed, vectors, facts=int(options["facts"]), calm=options.get("calm", 0.8))
            found = measure(feed.run(given.updates), GateSettings())
            reasons.setdefault(name, found.reasons)
            print(
                f"{name:<10} {seed:>4}  {found.updates:>7}  {found.share:>7.1%}  {found.changes:>12}"
                f"  {found.missed:>6}  {found.late:>10}"
            )
    for name, counted in reasons.items():
        print(f"\n{name}, seed 1, by what the update was:")
        for (label, reason), count in sorted(counted.items()):
            print(f"  {label:<14} {reason:<13} {count:>5}")


if __name__ == "__main__":
    main()
