"""The pass that asks a model whether each text states the claims of pass 2, if the space wants it.

Grounding shows that the words of a claim are in the text. Whether they state the relation only a reader can
say, so the model reads each text a second time, beside the claims, and judges them one by one. What it does
not confirm is refused.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from app.domain.relation_descriptions import describe_claim
from app.extraction.grounding import GroundedRelation
from app.graph.validity import DatePoint, Polarity, format_date
from app.llm.call_records import Answer
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import claim_check as prompt
from app.llm.prompts.claim_check import ClaimVerdict
from app.space_settings import ClaimCheck

_MAX_WORDS = 400
_MAX_VERDICTS = 400


class ClaimQuestion(NamedTuple):
    """A claim to ask about, in words, and its position among the claims of its chunk."""

    position: int
    sentence: str


@dataclass(frozen=True)
class CheckedClaims:
    """The claims of a chunk that remain after its verdicts, and the numbers of refused ones by reason."""

    claims: tuple[GroundedRelation, ...]
    drop_counts: Counter[str]


def list_claim_questions(
    claims: Sequence[GroundedRelation], labels: Sequence[str], scope: ClaimCheck
) -> list[ClaimQuestion]:
    """Return the claims to ask about; `labels` are the names of the entities as pass 2 lists them."""
    return [
        ClaimQuestion(position, _format_claim(claim, claims, labels))
        for position, claim in enumerate(claims)
        if scope in (ClaimCheck.ALL, ClaimCheck.AUTO)
        or (scope is ClaimCheck.ENDINGS and claim.polarity is Polarity.DENIED)
    ]


class VerdictOnClaim(NamedTuple):
    """The position of a claim, and the verdict on it; None if it cannot be read."""

    position: int
    verdict: ClaimVerdict | None


def parse_verdicts_by_claim(
    questions: Sequence[ClaimQuestion], answer: Answer | Fault
) -> Iterator[VerdictOnClaim]:
    """Return the verdict on each claim by its position; None if the model gave none that can be read."""
    verdict_by_number: dict[int, ClaimVerdict] = {}
    if not isinstance(answer, Fault):
        for entry in answer["claims"]:
            verdict_by_number.setdefault(entry["claim"], ClaimVerdict(entry["verdict"]))
    for number, question in enumerate(questions, 1):
        yield VerdictOnClaim(question.position, verdict_by_number.get(number))


def keep_confirmed_claims(
    claims: Sequence[GroundedRelation], verdicts: Mapping[int, ClaimVerdict | None]
) -> CheckedClaims:
    """Return the claims that were confirmed or not asked about; a change goes with the claim that states it.

    A claim without a verdict is refused too: silence confirms nothing.
    """
    drop_counts: Counter[str] = Counter()
    remaining_claims: dict[int, GroundedRelation] = {}
    for position, claim in enumerate(claims):
        verdict = verdicts.get(position, ClaimVerdict.STATED)
        if verdict is None:
            drop_counts["unchecked"] += 1
        elif verdict is ClaimVerdict.STATED:
            remaining_claims[position] = claim
        elif verdict is ClaimVerdict.OTHER_DATES and claim.valid_to is None:
            # Without its end a claim would hold today, so only one without an end is kept undated.
            drop_counts["date_not_stated"] += claim.valid_from is not None
            remaining_claims[position] = replace(claim, valid_from=None)
        else:
            drop_counts["not_confirmed"] += 1
    for position, claim in list(remaining_claims.items()):
        bases = _list_changed_claims(claim, claims)
        if claim.is_change and not any(base in remaining_claims for base in bases):
            drop_counts["not_confirmed"] += 1
            del remaining_claims[position]
    return CheckedClaims(tuple(remaining_claims.values()), drop_counts)


def limit_answer_size(answer: Mapping[str, Any]) -> Answer:
    """Return the part of an answer to store: a bounded number of verdicts, with bounded words."""
    return {
        "claims": [
            {**entry, "words": entry["words"][:_MAX_WORDS], "verdict": str(entry["verdict"])}
            for entry in answer["claims"][:_MAX_VERDICTS]
        ]
    }


def _format_claim(claim: GroundedRelation, claims: Sequence[GroundedRelation], labels: Sequence[str]) -> str:
    stated_claim = claim
    if claim.is_change:
        stated_claim = next((claims[base] for base in _list_changed_claims(claim, claims)), claim)
    return prompt.render_claim(
        describe_claim(claim.relation_type, labels[stated_claim.from_entity], labels[stated_claim.to_entity]),
        is_denied=claim.polarity is Polarity.DENIED,
        is_change=claim.is_change,
        reporter=(claim.said_by or "") if claim.polarity is Polarity.REPORTED else None,
        start_date=_format_date(claim.valid_from),
        end_date=_format_date(claim.valid_to),
    )


def _list_changed_claims(change: GroundedRelation, claims: Sequence[GroundedRelation]) -> list[int]:
    """Return the positions of the claims whose quote states this change."""
    return [
        position
        for position, claim in enumerate(claims)
        if not claim.is_change
        and claim.relation_type == change.relation_type
        and claim.quote_start == change.quote_start
        and change.from_entity in (claim.from_entity, claim.to_entity)
    ]


def _format_date(date: DatePoint | None) -> str | None:
    return None if date is None else format_date(*date)
