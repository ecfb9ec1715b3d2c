"""Scenarios as data: a history of documents, one question, and what the answer must and must not hold.

scenarios/README.md describes the format.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "scenarios"
MODES = ("rules", "model")
SUBJECTS = frozenset(
    [
        "abstain",
        "answer",
        "conflict",
        "correction",
        "dates",
        "delete",
        "denial",
        "duplicate",
        "ending",
        "homonym",
        "language",
        "names",
        "table",
        "typo",
    ]
)
EXPECTATIONS = frozenset(
    [
        "says",
        "says_any",
        "never_says",
        "quotes",
        "never_quotes",
        "abstains",
        "edges",
        "no_edges",
        "nodes",
        "no_nodes",
        "separate",
    ]
)
QUESTIONS = frozenset({"ask", "explain", "retrieve", "neighborhood"})
_STEP = {
    "put": frozenset({"put", "text", "content", "date", "format", "title", "metadata"}),
    "delete": frozenset({"delete", "prune"}),
}


@dataclass(frozen=True)
class Claim:
    """What a truthful model reads in a sentence: `source` and `target` as (name, type), and the quote."""

    source: tuple[str, str]
    relation: str
    target: tuple[str, str]
    quote: str
    more: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, row: list[Any]) -> "Claim":
        """The claim of a row [name, type, relation, name, type, quote, more?]."""
        name, kind, relation, other, other_kind, quote, *more = row
        return cls((name, kind), relation, (other, other_kind), quote, *more)


@dataclass(frozen=True)
class Scenario:
    """One history with one question; `about` is one of SUBJECTS."""

    name: str
    about: str
    history: tuple[dict[str, Any], ...]
    question: dict[str, Any]
    expect: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    modes: tuple[str, ...] = MODES
    claims: tuple[Claim, ...] = ()
    known_failure: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> "Scenario":
        """The scenario of a JSON object. Raises ValueError for a key or a value that nobody would check."""
        made = cls(
            **{
                **raw,
                "history": tuple(raw["history"]),
                "modes": tuple(raw.get("modes", MODES)),
                "claims": tuple(Claim.of(row) for row in raw.get("claims", ())),
            }
        )
        faults = [
            *({made.about} - SUBJECTS),
            *(set(made.modes) - set(MODES)),
            *(set(made.known_failure) - set(MODES)),
            *(set(made.expect) - EXPECTATIONS),
            *(key for step in made.history for key in _unknown(step)),
        ]
        if faults or len(QUESTIONS & set(made.question)) != 1 or not made.expect or not made.history:
            raise ValueError(f"{made.name}: {faults or 'no question, expectation or history'}")
        return made


def _unknown(step: dict[str, Any]) -> set[str]:
    kind = next((step_kind for step_kind in _STEP if step_kind in step), None)
    return set(step) if kind is None else set(step) - _STEP[kind]


def read_scenarios() -> Iterator[Scenario]:
    """Every scenario of the folder, by file and place."""
    for path in sorted(FOLDER.glob("*.json")):
        for raw in json.loads(path.read_text("utf-8")):
            yield Scenario.of(raw)
