"""Claims in words, and answers that leave some of them out."""

from collections.abc import Mapping

import pytest

from app.domain.relation_descriptions import describe_claim
from app.domain.relation_types import EXISTS, RELATION_TYPES
from app.llm.prompts.claim_check import PROMPT, parse_claims, render_claim, render_passage
from app.llm.prompts.shapes import ReadAnswers

PASSAGE = render_passage(["A founded B", 'said by "x": C owns D'], "[Title]\nThe text.")


@pytest.mark.parametrize(
    ("relation_type", "sentence"),
    [
        ("created", "Ada made or started B-Side A"),
        ("born_in", "the place B-Side A is Ada's birthplace"),
        ("related_to", "Ada has to do with B-Side A"),
        ("relative_of", "Ada and B-Side A are relatives"),
        ("ships_to", "Ada ships to B-Side A"),
        (EXISTS, "Ada exists"),
    ],
)
def test_a_claim_is_the_definition_of_its_type_with_both_names(relation_type: str, sentence: str) -> None:
    """Letters within the names are left alone: a name may contain "A" or "B"."""
    assert describe_claim(relation_type, "Ada", "B-Side A") == sentence


def test_every_type_names_both_ends_and_no_other_type() -> None:
    for entry in RELATION_TYPES:
        sentence = describe_claim(entry.name, "«one»", "«two»")
        assert ("«one»" in sentence, "«two»" in sentence) == (True, True), entry.name
        assert "these ways" not in sentence
        assert "another way" not in sentence


def test_polarity_and_dates_are_part_of_the_claim() -> None:
    assert render_claim("A owns B") == "A owns B"
    assert (
        render_claim("A owns B", start_date="2019", end_date="2021-05") == "A owns B (from 2019 to 2021-05)"
    )
    assert render_claim("A owns B", is_denied=True, start_date="2022") == (
        "not, or no longer: A owns B (from 2022)"
    )
    assert render_claim("A owns B", reporter='the "Post"') == 'said by "the \\"Post\\"": A owns B'
    changed = render_claim("A owns B", is_denied=True, is_change=True)
    assert changed == "now, in place of an earlier one: A owns B"


def test_a_passage_returns_its_claims() -> None:
    assert parse_claims(PASSAGE) == ["A founded B", 'said by "x": C owns D']


def read(*claims: Mapping[str, object], accepts_some: bool = False) -> ReadAnswers:
    answer = {"passages": [{"id": 1, "claims": list(claims)}]}
    parsed = PROMPT.parse_answers(answer, 1, accepts_partial_answers=accepts_some)
    return PROMPT.reject_incomplete_answers(parsed, [PASSAGE], accepts_some=accepts_some)


def test_an_answer_that_leaves_claims_out_is_a_fault_until_the_second_time() -> None:
    first = {"claim": "1", "words": "founded", "verdict": "STATED"}
    assert read(first).faults == {1: "Passage 1: claims 2 have no verdict."}
    assert read(first, accepts_some=True).entries[1]["claims"][0]["verdict"] == "stated"
    second = {"claim": 2, "words": None, "verdict": "Not_Stated"}
    assert read(first, second).faults == {}
    # An answer without any verdict of use is never stored.
    assert read(accepts_some=True).faults
    assert read({"claim": 7, "words": "", "verdict": "stated"}, accepts_some=True).faults
    assert read({"claim": 1, "verdict": "maybe"}, accepts_some=True).faults
