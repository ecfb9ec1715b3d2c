"""Requirement 10.3: whatever a less trusted document says, an answer begins as it did without it."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import pytest

from app.answers.ask import ask
from app.answers.shapes import AnswerSpan, FinalAnswer, Question
from app.db.database import Database
from app.ids import SpaceId, TenantId, create_id
from app.llm.embedding.embedders import Embedders
from app.llm.testing import ModelDouble
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from benchmarks.place import new_space
from tests.oracle.further_histories import Stated, document, says
from tests.oracle.gold import GoldText
from tests.oracle.measure import take_in
from tests.oracle.oracle import OracleAnswerer

pytestmark = pytest.mark.shared_database
FIRM = {"of_group": True}
# A fact, its sentence, fields of its claim, a question about it, and the sentence with another name.
FACTS: Sequence[tuple[str, str, dict[str, Any], str, tuple[str, str]]] = (
    (
        "Rosa Timm > head_of > Delta Foundry",
        "Rosa Timm is the director of Delta Foundry.",
        {"role": "director"},
        "Who is the director of Delta Foundry?",
        ("Rosa Timm", "Olaf Grau"),
    ),
    (
        "Delta Foundry > headquartered_in > Lund",
        "Delta Foundry has its seat in Lund.",
        {},
        "Where has Delta Foundry its seat?",
        ("Lund", "Malta"),
    ),
    (
        "Delta Foundry > owns > Brix Casting",
        "Delta Foundry owns Brix Casting.",
        FIRM,
        "Who owns Brix Casting?",
        ("Delta Foundry", "Kappa Holding"),
    ),
    (
        "Nils Orre > married_to > Eva Sand",
        "Nils Orre is married to Eva Sand.",
        {},
        "Who is married to Nils Orre?",
        ("Eva Sand", "Olga Kron"),
    ),
    (
        "Nils Orre > born_in > Kalmar",
        "Nils Orre was born in Kalmar.",
        {},
        "Where was Nils Orre born?",
        ("Kalmar", "Malta"),
    ),
    (
        "秦朗 > head_of > 北岭矿业",
        "秦朗任北岭矿业总经理。",
        {"role": "总经理"},
        "谁任北岭矿业总经理？",
        ("秦朗", "方远"),
    ),
    (
        "北岭矿业 > headquartered_in > 包头",
        "北岭矿业总部位于包头。",
        {},
        "北岭矿业总部位于哪里？",
        ("包头", "三亚"),
    ),
    (
        "Анна Белова > works_for > Фабрика Вятка",
        "Анна Белова работает на предприятии Фабрика Вятка.",
        {},
        "Где работает Анна Белова?",
        ("Фабрика Вятка", "Трест Ока"),
    ),
)
Change = Callable[[str, str, dict[str, Any], tuple[str, str]], Stated]


def _deny(claim: str, sentence: str, fields: dict[str, Any], _: tuple[str, str]) -> Stated:
    no = "Неверно" if "А" <= sentence[0] <= "я" else "It is not so" if sentence.isascii() else "不对"
    return says(claim, f"{no}: {sentence}", denied_by=no, **fields)


def _swap_name(claim: str, sentence: str, fields: dict[str, Any], names: tuple[str, str]) -> Stated:
    return says(claim.replace(*names), sentence.replace(*names), **fields)


def _end(claim: str, sentence: str, fields: dict[str, Any], _: tuple[str, str]) -> Stated:
    end = sentence.rstrip(".。")
    return says(claim, f"{end} until 2021.", valid_to=("2021", "until 2021"), **fields)


def _write_note(change: Change) -> GoldText:
    return document("note", "2025-03-01", *[change(*fact[:3], fact[4]) for fact in FACTS])


def _ask(database: Database, home: tuple[TenantId, SpaceId], question: str) -> tuple[str, AnswerSpan | None]:
    with closing(Retriever(database, Embedders(), Settings())) as retriever:
        *_, answer = ask(
            database,
            *home,
            Question(question),
            retrieve=lambda: retriever.retrieve_without_recording_recalls(*home, Query(question)),
            client=None,
        )
    assert isinstance(answer, FinalAnswer)
    return answer.sentences[0].text if answer.sentences else "", answer.answer_span


@pytest.mark.parametrize("change", [_deny, _swap_name, _end])
@pytest.mark.parametrize("trust", [0.2, pytest.param(0.9, marks=pytest.mark.soak)])
def test_an_answer_begins_as_without_the_note(
    change: Change, trust: float, database: Database, settings: Settings
) -> None:
    archive = document("archive", "2020-01-01", *[says(*fact[:2], **fact[2]) for fact in FACTS])
    note = _write_note(change)
    home = new_space(database, f"notes {create_id()}", SpaceSettings(uploader_trust={"guest": trust}))
    with ModelDouble(OracleAnswerer([archive, note])) as double:
        with record_with_origin(Origin("owner", ActorKind.KEY, Door.API)):
            take_in(database, settings, home, [archive], double.base_url)
        before = {fact[3]: _ask(database, home, fact[3]) for fact in FACTS}
        with record_with_origin(Origin("guest", ActorKind.KEY, Door.API)):
            take_in(database, settings, home, [note], double.base_url)
    after = {question: _ask(database, home, question) for question in before}
    assert {question: (before[question], after[question]) for question in before} == {
        question: (before[question], before[question]) for question in before
    }
    assert all(text for text, _ in before.values())
