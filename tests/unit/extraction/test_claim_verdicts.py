"""Which claims are asked about again, and what remains of them after the verdicts."""

from datetime import UTC, datetime

from app.extraction.grounding import GroundedRelation
from app.extraction.llm.claim_check import (
    ClaimQuestion,
    keep_confirmed_claims,
    list_claim_questions,
    parse_verdicts_by_claim,
)
from app.graph.validity import DatePoint, Polarity, Precision
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts.claim_check import ClaimVerdict
from app.space_settings import ClaimCheck

YEAR = DatePoint(datetime(2020, 1, 1, tzinfo=UTC), Precision.YEAR)
NAMES = ["Ada", "Acme", "Bath"]


def claim(
    source: int,
    relation_type: str,
    target: int,
    polarity: Polarity = Polarity.ASSERTED,
    *,
    valid_from: DatePoint | None = None,
    valid_to: DatePoint | None = None,
    said_by: str | None = None,
    is_change: bool = False,
) -> GroundedRelation:
    return GroundedRelation(
        source,
        target,
        relation_type,
        0.9,
        "the quote",
        0,
        9,
        polarity=polarity,
        valid_from=valid_from,
        valid_to=valid_to,
        said_by=said_by,
        is_change=is_change,
    )


WORKS = claim(0, "works_for", 1, valid_from=YEAR)
LEFT = claim(0, "works_for", 1, Polarity.DENIED)
SAID = claim(1, "owns", 2, Polarity.REPORTED, said_by="the Post")
LIVES = claim(0, "lives_in", 2)
MOVED = claim(0, "lives_in", 0, Polarity.DENIED, is_change=True)
CLAIMS = [WORKS, LEFT, SAID, LIVES, MOVED]


def test_every_claim_is_asked_about_or_those_that_end_others() -> None:
    """Requirement 5.2."""
    assert list_claim_questions(CLAIMS, NAMES, ClaimCheck.ALL) == [
        ClaimQuestion(0, "Ada works, plays or serves for Acme (from 2020)"),
        ClaimQuestion(1, "not, or no longer: Ada works, plays or serves for Acme"),
        ClaimQuestion(2, 'said by "the Post": Bath is Acme\'s property or subsidiary'),
        ClaimQuestion(3, "Ada's home is in the place Bath"),
        ClaimQuestion(4, "now, in place of an earlier one: Ada's home is in the place Bath"),
    ]
    endings = list_claim_questions(CLAIMS, NAMES, ClaimCheck.ENDINGS)
    assert [question.position for question in endings] == [1, 4]
    assert list_claim_questions(CLAIMS, NAMES, ClaimCheck.OFF) == []


def test_what_is_not_confirmed_is_refused_and_counted() -> None:
    checked = keep_confirmed_claims(
        CLAIMS, {0: ClaimVerdict.STATED, 1: ClaimVerdict.NOT_STATED, 2: None, 3: ClaimVerdict.STATED}
    )
    assert checked.claims == (WORKS, LIVES, MOVED)
    assert checked.drop_counts == {"not_confirmed": 1, "unchecked": 1}


def test_a_change_goes_with_the_claim_that_states_it() -> None:
    checked = keep_confirmed_claims(CLAIMS, {3: ClaimVerdict.NOT_STATED, 4: ClaimVerdict.STATED})
    assert checked.claims == (WORKS, LEFT, SAID)
    assert checked.drop_counts == {"not_confirmed": 2}
    # And not the claim with the change.
    assert LIVES in keep_confirmed_claims(CLAIMS, {4: ClaimVerdict.NOT_STATED}).claims


def test_other_dates_take_the_date_but_an_end_takes_the_claim() -> None:
    """Without its end a claim would hold today."""
    ended = claim(0, "works_for", 1, valid_to=YEAR)
    verdicts = dict.fromkeys(range(2), ClaimVerdict.OTHER_DATES)
    checked = keep_confirmed_claims([WORKS, ended], verdicts)
    assert checked.claims == (claim(0, "works_for", 1),)
    assert checked.drop_counts == {"date_not_stated": 1, "not_confirmed": 1}


def test_verdicts_belong_to_the_numbers_of_their_questions() -> None:
    questions = list_claim_questions(CLAIMS, NAMES, ClaimCheck.ENDINGS)
    answer = {"claims": [{"claim": 2, "verdict": "stated"}, {"claim": 2, "verdict": "not stated"}]}
    assert dict(parse_verdicts_by_claim(questions, answer)) == {1: None, 4: ClaimVerdict.STATED}
    assert dict(parse_verdicts_by_claim(questions, Fault("malformed_answer", ""))) == {1: None, 4: None}
