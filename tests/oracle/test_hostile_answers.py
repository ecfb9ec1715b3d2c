"""Hostile answers: what is wrong is refused for a named reason, and nothing else of the documents is lost."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from app.db.database import Database
from app.extraction.drop_reasons import TEXT_BY_REASON
from app.ids import create_id
from app.settings import Settings
from app.space_settings import SpaceSettings
from benchmarks.place import new_space
from tests.oracle import languages
from tests.oracle.measure import Loss, measure
from tests.oracle.oracle import Entry, OracleAnswerer
from tests.support.sampling import sampled

pytestmark = pytest.mark.shared_database
TEXTS = (languages.ENGLISH, languages.CHINESE, languages.MIXED)
VICTIM = languages.ENGLISH.title
QUOTE = "Iris Falk founded Harbour Works in Bristol."
RIGHT: Entry = {
    "from": "Iris Falk",
    "to": "Harbour Works",
    "relation": "created",
    "quote": QUOTE,
    "polarity": "asserted",
    "valid_from": None,
    "valid_to": None,
    "confidence": 0.9,
}
WRONG: Entry = RIGHT | {"to": "Bristol", "relation": "owns"}
"""A claim that nobody made: each entry below spoils it in a further way, so that none may be kept."""
NESTED: Any = None
for _ in range(200):
    NESTED = [NESTED]


def item(**changes: Any) -> list[Any]:
    return [WRONG | changes]


# The items beside the right ones of the first text, and the reason for which they are refused.
ITEMS: Mapping[str, tuple[list[Any], str]] = {
    "a quote from nowhere": (item(quote="Bristol belongs to Iris Falk."), "ungrounded"),
    "a quote in another script": (item(quote="Айрис Фальк владеет Бристолем."), "ungrounded"),
    "a quote put together from two": (
        item(quote="Iris Falk founded Harbour Works. He lives in Bath."),
        "ungrounded",
    ),
    "an invented relation": (item(relation="zorbles_with"), "unknown_relation"),
    "an end that no text names": (item(to="Atlantis"), "unknown_entity"),
    "a quote without its end": (item(to="Bath"), "end_not_in_quote"),
    "a polarity that does not exist": (item(polarity="probably false"), "unknown_polarity"),
    "a denial that nobody wrote": (item(polarity="denied", denied_by="never"), "denial_not_stated"),
    "a report without a reporter": (item(polarity="reported"), "report_not_stated"),
    "a claim of a thing about itself": (item(to="Iris Falk"), "self_loop"),
    "null everywhere": ([dict.fromkeys(RIGHT)], "malformed"),
    "a list for a name": (item(to=NESTED), "malformed"),
    "an object for a quote": (item(quote={"text": QUOTE}), "malformed"),
    "a confidence in words": (item(confidence="very sure"), "malformed"),
    "a confidence that is no number": (item(confidence=float("nan")), "malformed"),
    "a confidence below zero": (item(confidence=-1), "low_confidence"),
    "a megabyte of quote": (item(quote=QUOTE * 25_000), "over_cap"),
    "five thousand claims": (item(quote="nothing") * 5_000, "over_cap"),
    "strings for claims": (["owns", 7, None, True], "malformed"),
    "control characters": (item(to="Atlan\x00\x07\x1btis\u202e"), "unknown_entity"),
    "halves of surrogate pairs": (item(to="\ud83dBristol\udc00s"), "unknown_entity"),
}
# Each of these is refused by the same code as one that every run plays.
ALIKE = {
    "a quote in another script",
    "a quote put together from two",
    "a list for a name",
    "an object for a quote",
    "a confidence in words",
    "a megabyte of quote",
    "strings for claims",
    "control characters",
}
# What is wrong with the whole answer that holds the first text.
ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any] | str]] = {
    "cut off": lambda answer: json.dumps(answer)[:-40],
    "nested a hundred thousand deep": lambda _: '{"passages":' + "[" * 100_000,
    "a megabyte of words": lambda _: "I am sorry to say that { this " * 35_000,
    "a megabyte of brackets": lambda _: "[{" * 500_000,
    "null for everything": lambda _: {"passages": None},
    "passages of other numbers": lambda _: {"passages": [{"id": 77, "relations": [WRONG]}, {"id": -1}]},
    "a number for the list": lambda _: {"passages": [{"id": 1, "relations": 5}]},
}
# Unusual, but right: nothing may be refused.
FORMS: Mapping[str, Callable[[Entry], Entry]] = {
    "numbers as strings": lambda entry: entry | {"confidence": "0.95"},
    "further fields": lambda entry: entry | {"why": NESTED, "from_id": 9},
    "null for what is empty": lambda entry: {name: part or None for name, part in entry.items()},
}


class HostileOracle(OracleAnswerer):
    """A perfect reader whose answers about the first text are spoilt."""

    def __init__(
        self,
        *,
        items: Sequence[Any] = (),
        form: Callable[[Entry], Entry] = dict,
        whole: Callable[[Mapping[str, Any]], Mapping[str, Any] | str] | None = None,
    ) -> None:
        super().__init__(TEXTS)
        self.items, self.form, self.whole = items, form, whole
        self.spoilt = 0

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """The oracle's answer, with hostile items or as a whole spoilt where it concerns the first text."""
        answered = super().answer(messages)
        concerned = QUOTE in messages[-1]["content"] and '"relations"' in messages[0]["content"]
        if not concerned or not isinstance(answered, Mapping):
            return answered
        self.spoilt += 1
        if self.whole is not None:
            return self.whole(answered)
        # Not the double's own JSON, which has neither NaN nor halves of surrogate pairs.
        return json.dumps(answered)

    def relations_of(self, gold: Any, text: str, label_of: Mapping[int, str]) -> list[Entry]:
        """The right relations in this form, and of the first text the hostile items around them."""
        right = [self.form(entry) for entry in super().relations_of(gold, text, label_of)]
        items = list(self.items)
        return right if gold.title != VICTIM else [*items[:1], *right, *items[1:]]


def read_by(oracle: HostileOracle, database: Database, settings: Settings) -> Loss:
    home = new_space(database, f"hostile {create_id()}", SpaceSettings(specific_relations=True))
    return measure(database, settings, home, oracle)


def losses(loss: Loss) -> Counter[str]:
    return Counter({title: len(lost) for title, lost in loss.examples.items() if lost})


@pytest.mark.parametrize(
    "name",
    sampled([pytest.param(name, marks=pytest.mark.soak if name in ALIKE else ()) for name in ITEMS], every=2),
)
def test_a_hostile_item_is_refused_for_its_reason_and_nothing_else(
    name: str, database: Database, settings: Settings
) -> None:
    items, reason = ITEMS[name]
    oracle = HostileOracle(items=items)
    loss = read_by(oracle, database, settings)
    assert oracle.spoilt >= 1
    assert loss.errors == {}
    assert (loss.kept, loss.extra) == (loss.gold, 0), losses(loss)
    refused = {code: count for code, count in loss.dropped.items() if code != "merged" and count}
    assert refused.get(reason), refused
    assert sum(refused.values()) == len(items)
    assert set(refused) <= set(TEXT_BY_REASON)


@pytest.mark.parametrize("name", sampled(ANSWERS, every=2))
def test_a_hostile_answer_sets_its_passage_aside_and_no_other(
    name: str, database: Database, settings: Settings
) -> None:
    oracle = HostileOracle(whole=ANSWERS[name])
    loss = read_by(oracle, database, settings)
    assert loss.errors == {"malformed_answer": 1}
    others = sum(len(text.relations) for text in TEXTS if text.title != VICTIM)
    assert (loss.kept, loss.extra) == (others, 0)


@pytest.mark.parametrize("name", FORMS)
def test_an_unusual_form_is_read(name: str, database: Database, settings: Settings) -> None:
    loss = read_by(HostileOracle(form=FORMS[name]), database, settings)
    assert (loss.errors, loss.kept, loss.extra) == ({}, loss.gold, 0)
