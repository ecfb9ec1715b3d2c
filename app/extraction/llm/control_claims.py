"""Claims whose verdicts are known, by which a model shows that it can check claims.

A model that confirms whatever it is asked, or answers this question in no form that can be read, would
believe every wrong claim or lose every right one. Before `auto` lets a model check claims, the model judges
the claims of one invented text; it must judge all of them rightly (requirement 5.2).
"""

from collections.abc import Sequence
from typing import NamedTuple

from app.domain.relation_descriptions import describe_claim
from app.domain.relation_types import CREATED, PART_OF, USES, WORKS_FOR
from app.extraction.llm.claim_check import ClaimQuestion, limit_answer_size, parse_verdicts_by_claim
from app.ids import TenantId
from app.llm.call_records import Answer, CallRecord, InProcessAnswerStore
from app.llm.client import ModelClient
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import claim_check as prompt
from app.llm.prompts.claim_check import ClaimVerdict
from app.llm.prompts.relations import render_located_text

CONTROL_TEXT = (
    "Mira Olsen founded Tarvek and worked there until 2019. Tarvek runs its machines with Lumo, a program by"
    " Ardent Systems. Olsen has never worked for Ardent Systems."
)
"""A text about invented things, so that no model knows them from elsewhere."""


class ControlClaim(NamedTuple):
    """A claim about the control text, and the only right verdict on it."""

    sentence: str
    verdict: ClaimVerdict


_STATED, _NOT_STATED = ClaimVerdict.STATED, ClaimVerdict.NOT_STATED
CONTROL_CLAIMS = (
    ControlClaim(describe_claim(CREATED.name, "Mira Olsen", "Tarvek"), _STATED),
    ControlClaim(describe_claim(CREATED.name, "Tarvek", "Lumo"), _NOT_STATED),
    ControlClaim(describe_claim(USES.name, "Lumo", "Tarvek"), _NOT_STATED),
    ControlClaim(describe_claim(USES.name, "Tarvek", "Lumo"), _STATED),
    ControlClaim(
        prompt.render_claim(describe_claim(WORKS_FOR.name, "Mira Olsen", "Ardent Systems"), is_denied=True),
        _STATED,
    ),
    ControlClaim(describe_claim(WORKS_FOR.name, "Mira Olsen", "Ardent Systems"), _NOT_STATED),
    ControlClaim(
        prompt.render_claim(describe_claim(USES.name, "Tarvek", "Lumo"), is_denied=True), _NOT_STATED
    ),
    ControlClaim(describe_claim(PART_OF.name, "Tarvek", "Ardent Systems"), _NOT_STATED),
)
"""An invented relation, another type, exchanged ends and a wrong denial, among claims that are right."""


def list_control_questions(*, one_thing: bool) -> list[Sequence[ClaimQuestion]]:
    """Return the control claims as questions, those of one passage together; one by one with `one_thing`."""
    questions = [ClaimQuestion(position, claim.sentence) for position, claim in enumerate(CONTROL_CLAIMS)]
    return [[question] for question in questions] if one_thing else [questions]


def render_control_passage(questions: Sequence[ClaimQuestion]) -> str:
    """Return the passage that asks about these of the control claims."""
    located_text = render_located_text(CONTROL_TEXT, title="Tarvek")
    return prompt.render_passage([question.sentence for question in questions], located_text)


def are_control_claims_judged_rightly(
    questions: Sequence[Sequence[ClaimQuestion]], answers: Sequence[Answer | Fault]
) -> bool:
    """Return whether these answers to the questions hold the right verdict on every control claim."""
    return not _count_wrong_verdicts(questions, answers)


def ask_control_claims_and_describe_result(
    client: ModelClient, tenant_id: TenantId, calls: list[CallRecord]
) -> str:
    """Ask the model about the control claims, and return in a sentence what follows; nothing is stored.

    Raises what ModelClient raises.
    """
    questions = list_control_questions(one_thing=False)
    answers = Asker(client, InProcessAnswerStore(calls=calls), tenant_id).ask(
        prompt.PROMPT, list(map(render_control_passage, questions)), normalise_answer=limit_answer_size
    )
    wrong_count = _count_wrong_verdicts(questions, answers)
    if not wrong_count:
        return "It judges the control claims rightly: by default it checks its claims."
    return (
        f"It misjudges {wrong_count} of {len(CONTROL_CLAIMS)} control claims: by default it checks no claims."
    )


def _count_wrong_verdicts(
    questions: Sequence[Sequence[ClaimQuestion]], answers: Sequence[Answer | Fault]
) -> int:
    verdicts: dict[int, ClaimVerdict | None] = {}
    for passage_questions, answer in zip(questions, answers, strict=True):
        verdicts.update(parse_verdicts_by_claim(passage_questions, answer))
    return sum(verdicts.get(position) is not claim.verdict for position, claim in enumerate(CONTROL_CLAIMS))
