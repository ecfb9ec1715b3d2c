"""Whatever a text says, reading it by rules ends and raises nothing (requirements 18.1 and 18.5)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.rules.english.lexicon import LEGAL_TAILS
from app.extraction.rules.names.named_entities import NamedEntity
from tests.support.rules_reading import TooManySteps, assert_whole, at_most, read_by_rules

STEPS = 400_000
"""Lines of Python for two or three sentences: ten times what the dearest of them takes."""


def read_bounded(text: str, title: str = "", format: str = "text") -> set[str]:
    """The names of a short text, read within a bounded number of steps."""
    read_by_rules("Ann Lee works for “Zürich”.".encode(), "text")  # tables and caches fill
    with at_most(STEPS):
        reading = read_by_rules(text.encode(), format, title)
    assert_whole(reading)
    return {entity.name for entities in reading.entities for entity in entities}


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("PLATIT", "Platit AG is a Swiss company.", "PLATIT"),
        ("Apple", "Apple Inc. is a company.", "Apple"),
        ("Siemens", "Siemens AG is a German company.", "Siemens"),
        ("Acme", "Acme GmbH is a firm. Acme sells saws.", "Acme"),
        ("Acme Labs", "Acme Labs Ltd. was founded by Ann Acme. Labs of Acme, Inc. are in Oslo.", "Acme Labs"),
    ],
)  # fmt: skip
def test_a_title_that_is_a_firm_without_its_legal_form_ends(title: str, text: str, name: str) -> None:
    """Review A1: two names became each other's owner, and who followed them never came to an end."""
    assert name in read_bounded(text, title)


@pytest.mark.parametrize(
    "text",
    [
        "He worked for the New York Times:",
        "The CEO of Acme Labs:",
        "She plays in Star Trek:",
    ],
)
def test_a_sentence_may_end_with_a_colon_behind_a_name(text: str) -> None:
    """Review A2: a subtitle was looked for behind the end of the sentence."""
    assert read_bounded(text)


@pytest.mark.parametrize("short", ["Mt", "St", "Co", "Dr", "Ft"])
def test_a_firm_may_begin_with_an_abbreviation(short: str) -> None:
    """Review A3: the first word was counted with its stop, and looked up without it."""
    assert read_bounded(f"{short}. Fuji Inc. owns Beta. {short} founded Gamma.")


@pytest.mark.parametrize("text", ["See p. (", 'He bought no. "', "It is on fig. —", "As in vol. “"])
def test_a_text_may_end_behind_an_abbreviation_and_a_mark_that_opens(text: str) -> None:
    """Review A4: a number was looked for behind the end of the text."""
    read_bounded(text)
    read_bounded(f"{text}\n\nAnn Lee met Bob Ray.")


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("In 2010 Karl Berg and his wife Mary Berg", "text"),
        ("The site was root@9 acquired Acme Labs in 2010 from Bob Ray.", "text"),
        ('A" "B is a person. Ann Lee works for A" "B.', "text"),
        (json.dumps({"name": "Acme Suite", "note": "so:\nFoo\tBar integration: yes"}), "json"),
        (json.dumps({"name": "Acme", "state": "planned", "Integrates with X1": "no"}), "json"),
    ],
)  # fmt: skip
def test_siblings_of_the_reviews_findings(text: str, format: str) -> None:
    """Review A2, A3: further places that looked behind the end, or for words spelt otherwise."""
    read_bounded(text, format=format)


_WORDS = (
    "Acme Platit Apple Siemens Mt. St. Berg & Sons Ann Lee of the O'Neil Co Inc AG Jr. III New York “Zen” 3M"
)
_NAMES = st.sampled_from(_WORDS.split())
_PHRASES = st.lists(_NAMES, min_size=1, max_size=4).map(" ".join)
_FORMS = st.sampled_from(["", *sorted(LEGAL_TAILS), "Inc.", "AG", "GmbH & Co. KG", "S.A.", "Ltd.:", ", Inc."])
_SAID = st.sampled_from(
    ["is a company.", "owns Beta.", "founded it:", "(the firm) was sold to", ", also known as", ""]
)


@settings(max_examples=60, deadline=None)
@given(title=_PHRASES, cut=st.integers(0, 3), form=_FORMS, said=_SAID, other=_PHRASES)
def test_names_and_legal_forms_are_read_within_bounded_steps(
    title: str, cut: int, form: str, said: str, other: str
) -> None:
    """Review A1, A3, as a property: a title, and a text about it with whatever form behind its name."""
    words = title.split()
    short = " ".join(words[: len(words) - cut] or words)
    text = f"{short} {form} {said} {other} {form}. {words[0]} met {other}. {title} left {words[-1]} {form}"
    try:
        read_bounded(text, title)
    except TooManySteps as error:
        raise AssertionError((title, text)) from error


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40))
def test_names_joined_in_any_order_form_no_circle(pairs: list[tuple[int, int]]) -> None:
    """Review A1: joined names have one root, whatever is joined to what, and however often."""
    things = [NamedEntity(str(number), str(number), [str(number)], [str(number)], {}) for number in range(8)]
    joined = {number: {number} for number in range(8)}
    for left, right in pairs:
        with at_most(2_000):
            things[left].join(things[right])
        together = joined[left] | joined[right]
        joined |= dict.fromkeys(together, together)
    for left in range(8):
        with at_most(2_000):
            roots = {things[right].root() for right in joined[left]}
        assert len(roots) == 1
        assert sum(things[right].is_root for right in joined[left]) == 1
