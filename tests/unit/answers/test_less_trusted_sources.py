"""Requirement 10.3: a less trusted source changes neither the order nor the likelihood of other sentences."""

import random

import pytest

from app.answers.candidates import list_quotable_sentences
from app.answers.chooser.choice import rank_sentences_by_likelihood_and_trust
from app.answers.context import build_context
from app.answers.extractive import choose_quotes
from app.retrieval.shapes import Passage
from tests.support.retrieval import node, passage, retrieved

# What is trusted, the question about it, the name in it, and what somebody else writes.
TEXTS = (
    (
        (
            "Mona Lind is the director of Vega Glass. Vega Glass has its works in Turku.",
            "Vega Glass bought Piran Optics in 2011. Mona Lind lives in Espoo.",
        ),
        "Who is the director of Vega Glass?",
        "Vega Glass",
        (
            "It is not so that Mona Lind is the director of Vega Glass.",
            "Timo Rask is the director of Vega Glass.",
            "Who is the director of Vega Glass? The director of Vega Glass is the director.",
        ),
    ),
    (
        (
            "Der Verein Nordlicht hat seinen Sitz in Husum. Er wurde 1954 von Ilse Brandt gegründet.",
            "Nordlicht betreibt drei Leuchttürme. Ilse Brandt wohnte in Flensburg.",
        ),
        "Wo hat der Verein Nordlicht seinen Sitz?",
        "Nordlicht",
        (
            "Es stimmt nicht, dass der Verein Nordlicht seinen Sitz in Husum hat.",
            "Der Verein Nordlicht hat seinen Sitz in Kiel.",
            "Sitz, Verein, Nordlicht: der Sitz des Vereins Nordlicht, wo der Verein seinen Sitz hat.",
        ),
    ),
    (
        ("周岚是青湖大学的校长。青湖大学位于西宁。", "青湖大学成立于1958年。周岚住在兰州。"),
        "青湖大学的校长是谁？",
        "青湖大学",
        (
            "周岚不是青湖大学的校长。",
            "韩松是青湖大学的校长。",
            "青湖大学的校长是谁？青湖大学的校长就是校长。",
        ),
    ),
)
CASES = [(trust, place) for trust in (0.2, 0.9) for place in ("before", "between", "after")]


def add_passages(trusted: list[Passage], others: list[Passage], place: str) -> list[Passage]:
    index = {"before": 0, "between": 1, "after": len(trusted)}[place]
    return [*trusted[:index], *others, *trusted[index:]]


@pytest.mark.parametrize(("trust", "place"), CASES)
@pytest.mark.parametrize(("texts", "question", "name", "notes"), TEXTS)
def test_no_less_trusted_source_moves_a_sentence(
    texts: tuple[str, ...], question: str, name: str, notes: tuple[str, ...], trust: float, place: str
) -> None:
    trusted = [passage(text) for text in texts]
    anchor = node(name)
    random_source = random.Random(f"{name} {trust} {place}")
    expected_likelihoods: list[tuple[str, float]] = []
    quotes_by_stated_quotes: dict[tuple[str, ...], list[str]] = {(): [], (texts[0],): []}
    for count in (0, 1, 3, 9):
        others = [passage(random_source.choice(notes), trust=trust) for _ in range(count)]
        result = retrieved(*add_passages(trusted, others, place), anchors=(anchor,), question=question)
        sources = build_context(result).sources
        sentences = list_quotable_sentences(sources, ())
        choice = rank_sentences_by_likelihood_and_trust(result, sources, sentences, names=[name])
        likelihoods = [
            (sentence.text, likelihood)
            for sentence, likelihood in zip(choice.sentences, choice.likelihoods, strict=True)
            if sentence.source.trust == 1
        ]
        assert len(likelihoods) > 2
        expected_likelihoods = expected_likelihoods or likelihoods
        assert likelihoods == expected_likelihoods
        for stated_quotes, expected_quotes in quotes_by_stated_quotes.items():
            quotes = choose_quotes(question, sources, names=[name], stated_quotes=stated_quotes).quotes
            trusted_quotes = [text for source, text in quotes if source.trust == 1]
            quotes_by_stated_quotes[stated_quotes] = expected_quotes or trusted_quotes
            # Less trusted sources may take all places, but change no order.
            assert not expected_quotes or trusted_quotes[:1] in ([], expected_quotes[:1])
