"""Golden questions: asked in runs as a user would ask, compared over time, and a gate before changes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from app.answers.golden import service as golden
from app.answers.golden.evaluator import GoldenAsker
from app.answers.golden.job import ask_golden_questions
from app.answers.golden.scoring import GoldenComparison, Outcome, Reply, compare_runs
from app.answers.golden.service import NotEvaluated, RunReport, WorseAnswers
from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.errors import InvalidInput, NotFound
from app.ids import DocumentId, GoldenQuestionId, JobId, create_id
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.kinds import AskGolden
from app.limits import GOLDEN_QUESTIONS
from app.llm.embedding.embedders import Embedders
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.conftest import Home
from tests.support.contradictions import declare, look, says
from tests.support.ingest import ingest_now
from tests.support.sampling import sampled
from workers.runner import Runner

WORKS = "Ada Lind works for Borealis Shipping."
PLACE = "Borealis Shipping is located in Tromso."
GOLDEN: list[dict[str, Any]] = [
    {"question": "Who does Ada Lind work for?", "answers": ["Borealis Shipping"], "sources": [WORKS]},
    {"question": "Where is Borealis Shipping located?", "answers": ["Tromso", "Tromsø"]},
    {"question": "When did Quentin Marsh retire?"},
]


@pytest.fixture
def space_home(database: Database, settings: Settings, home: Home) -> Home:
    ingest_now(database, settings, home, [says(WORKS), says(PLACE)])
    look(database, home, lambda space: golden.add_or_replace_questions(space, GOLDEN))
    return home


@pytest.fixture
def run(database: Database, settings: Settings) -> Callable[..., JobId]:
    """Has the questions asked, with settings changed; what failed is this run's."""

    def asked(home: Home, changes: Mapping[str, Any] | None = None) -> JobId:
        job = look(database, home, lambda space: golden.queue_golden_run(space, changes).id)
        asker = GoldenAsker(database, Embedders(), settings, None)
        Runner(database, settings, {AskGolden.kind: partial(ask_golden_questions, asker=asker)}).drain()
        return JobId(job)

    return asked


def report(database: Database, home: Home, run_id: JobId) -> RunReport:
    found: RunReport = look(database, home, lambda space: golden.build_run_report(space, run_id))
    return found


def change(database: Database, home: Home, *, forced: bool = False, **settings: Any) -> None:
    golden.update_space_if_gate_passes(
        database,
        home.tenant_id,
        home.space_id,
        actor="test",
        reading_models=(),
        setting_changes=settings,
        is_forced=forced,
    )


def state_of(database: Database, home: Home, run_id: JobId) -> dict[str, tuple[bool, str]]:
    found = report(database, home, run_id)
    return {
        question.question: (found.outcomes[question.id].passed, found.outcomes[question.id].reply.value)
        for question in found.questions
    }


def test_a_run_says_of_each_question_whether_what_is_expected_came(
    database: Database, space_home: Home, run: Callable[..., JobId]
) -> None:
    wrong = {"question": "Where is Ada Lind?", "answers": ["Lisbon"], "sources": ["nothing.txt"]}
    look(database, space_home, lambda space: golden.add_or_replace_questions(space, [wrong]))
    assert state_of(database, space_home, run(space_home)) == {
        "Who does Ada Lind work for?": (True, "answered"),
        "Where is Borealis Shipping located?": (True, "answered"),
        "When did Quentin Marsh retire?": (True, "refused"),
        "Where is Ada Lind?": (False, "answered"),
    }


def test_runs_are_compared_over_time(database: Database, space_home: Home, run: Callable[..., JobId]) -> None:
    first = run(space_home)

    def forget_the_place(space: SpaceSession) -> None:
        (found,) = [document for document in documents.list_documents(space) if document.source_uri == PLACE]
        ingest.delete_document_with_all_its_words(space, DocumentId(found.id), prune=True)

    look(database, space_home, forget_the_place)
    second = run(space_home)
    found = report(database, space_home, second)
    assert found.baseline_run is not None
    assert found.baseline_run.id == first
    assert found.comparison is not None
    questions = {question.id: question.question for question in found.questions}
    assert [questions[question_id] for question_id in found.comparison.worse_question_ids] == [
        "Where is Borealis Shipping located?"
    ]
    assert (found.comparison.better_question_ids, found.comparison.same) == ((), 2)
    runs = look(database, space_home, golden.list_newest_golden_runs)
    assert [(other_run.id, other_run.counts["passed"]) for other_run in runs] == [(second, 2), (first, 3)]


def test_a_run_leaves_no_recall_and_tries_settings_for_itself_alone(
    database: Database, space_home: Home, run: Callable[..., JobId]
) -> None:
    run(space_home, {"context_tokens": 200})
    with database.open_space(space_home.tenant_id, space_home.space_id) as space:
        assert space.settings.context_tokens == 4_000
        assert space.connection.execute("SELECT count(*) FROM chunk_recall").fetchall() == [(0,)]


class TestGate:
    @pytest.fixture
    def gated(self, database: Database, space_home: Home) -> Home:
        declare(database, space_home, SpaceSettings(golden_gate=True))
        return space_home

    def test_a_change_that_nobody_tried_is_refused(
        self, database: Database, gated: Home, run: Callable[..., JobId]
    ) -> None:
        with pytest.raises(NotEvaluated):
            change(database, gated, max_facts=5)
        run(gated)
        with pytest.raises(NotEvaluated):
            change(database, gated, max_facts=5)
        run(gated, {"max_facts": 5})
        change(database, gated, max_facts=5)
        assert look(database, gated, lambda space: space.settings.max_facts) == 5

    def test_a_change_that_makes_an_answer_worse_is_refused_with_what_gets_worse(
        self, database: Database, gated: Home, run: Callable[..., JobId]
    ) -> None:
        run(gated)
        tried = run(gated, {"max_facts": 5})
        with database.open_space(gated.tenant_id, gated.space_id) as space:
            space.connection.execute(
                "UPDATE golden_outcome SET reply = 'refused', answer_held = false WHERE job_id = %s"
                " AND question_id = (SELECT id FROM golden_question WHERE question LIKE 'Who does%%')",
                [tried],
            )
        with pytest.raises(WorseAnswers, match=r"1 of 3 .* Who does Ada Lind work for\?"):
            change(database, gated, max_facts=5)
        change(database, gated, max_facts=5, forced=True)
        assert look(database, gated, lambda space: space.settings.max_facts) == 5

    def test_questions_that_came_later_have_to_be_asked_first(
        self, database: Database, gated: Home, run: Callable[..., JobId]
    ) -> None:
        run(gated)
        run(gated, {"max_facts": 5})
        look(
            database,
            gated,
            lambda space: golden.add_or_replace_questions(space, [{"question": "Who is Bo Lunde?"}]),
        )
        with pytest.raises(NotEvaluated):
            change(database, gated, max_facts=5)

    @pytest.mark.parametrize(
        ("tried", "changes"),
        sampled(
            [
                pytest.param({"hybrid_weights": [1, 1, 1, 0]}, {"hybrid_weights": [1.0, 1.0, 1.0, 0.0]}),
                pytest.param({"anchor_similarity": 1}, {"anchor_similarity": 1.0}),
                pytest.param({"max_facts": 30}, {"max_facts": None}),
                pytest.param({"max_facts": None}, {"max_facts": 30}),
                pytest.param({"fan_out": 7, "max_facts": 20}, {"fan_out": 7}),
                pytest.param({"fan_out": 7}, {"fan_out": 7, "max_facts": 20, "communities": False}),
            ],
            every=3,
        ),
    )
    def test_a_change_was_tried_where_the_same_would_hold(
        self,
        database: Database,
        space_home: Home,
        run: Callable[..., JobId],
        tried: dict[str, Any],
        changes: dict[str, Any],
    ) -> None:
        declare(database, space_home, SpaceSettings(golden_gate=True, max_facts=20))
        run(space_home)
        run(space_home, tried)
        change(database, space_home, **changes)
        with pytest.raises(NotEvaluated):
            change(database, space_home, fan_out=8)

    def test_what_decides_about_no_answer_passes(self, database: Database, gated: Home) -> None:
        change(database, gated, communities=False, max_facts=30)
        assert look(database, gated, lambda space: space.settings.communities) is False


def test_the_schedule_asks_again(database: Database, space_home: Home, run: Callable[..., JobId]) -> None:
    change(database, space_home, golden_every_hours=24)

    def waiting(space: SpaceSession) -> list[str]:
        return [job.state for job in queue.list_jobs_of_kind(space, AskGolden.kind)]

    assert look(database, space_home, waiting) == ["queued"]
    run(space_home)
    assert look(database, space_home, waiting) == ["queued", "done"]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"question": " "}, "bad_golden_question"),
        ({"question": "x" * 1_001}, "bad_golden_question"),
        ({"question": "Who?", "answers": [7]}, "bad_golden_question"),
        (
            {"question": "Who?", "sources": ["x"] * 10 + [str(number) for number in range(30)]},
            "bad_golden_question",
        ),
        ({"question": 7}, "bad_golden_question"),
        ({"question": ["Who?"]}, "bad_golden_question"),
        ({"question": "\u200b"}, "bad_golden_question"),
        ({"question": "Who\x00?"}, "invalid_characters"),
        ({"question": "Who\ud800?"}, "invalid_characters"),
        ({"question": "Who?", "answers": ["\udfff"]}, "invalid_characters"),
        ({"question": "Who?", "sources": ["a\x00.txt"]}, "invalid_characters"),
    ],
)
def test_a_bad_question_is_refused(database: Database, home: Home, entry: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        look(database, home, lambda space: golden.add_or_replace_questions(space, [entry]))
    assert refused.value.code == code


def test_only_settings_about_answers_are_tried(database: Database, space_home: Home, home: Home) -> None:
    with pytest.raises(InvalidInput) as refused:
        look(database, space_home, lambda space: golden.queue_golden_run(space, {"gleanings": 1}))
    assert refused.value.code == "not_tried_by_questions"
    with pytest.raises(InvalidInput):
        look(database, space_home, lambda space: golden.queue_golden_run(space, {"max_facts": 0}))


def test_a_question_in_the_same_words_is_expected_anew_and_goes_with_its_outcomes(
    database: Database, space_home: Home, run: Callable[..., JobId]
) -> None:
    again = {"question": GOLDEN[0]["question"], "answers": ["Nobody"]}
    assert look(database, space_home, lambda space: golden.add_or_replace_questions(space, [again])) == (0, 1)
    run_id = run(space_home)
    (question, *_) = look(database, space_home, golden.list_questions)
    assert question.answers == ("Nobody",)
    look(database, space_home, lambda space: golden.remove_question(space, question.id))
    assert len(report(database, space_home, run_id).outcomes) == 2
    with pytest.raises(NotFound):
        look(database, space_home, lambda space: golden.remove_question(space, question.id))


def test_a_full_space_takes_what_is_expected_anew_and_no_further_question(
    database: Database, home: Home
) -> None:
    full = [{"question": f"Who is number {number}?"} for number in range(GOLDEN_QUESTIONS.maximum)]
    assert look(database, home, lambda space: golden.add_or_replace_questions(space, full)) == (len(full), 0)
    assert look(database, home, lambda space: golden.add_or_replace_questions(space, full)) == (0, len(full))
    with pytest.raises(InvalidInput) as refused:
        look(
            database, home, lambda space: golden.add_or_replace_questions(space, [{"question": "Who else?"}])
        )
    assert refused.value.code == "too_many_golden_questions"


def test_the_twin_sees_none_of_it(
    database: Database, space_home: Home, twin: Home, run: Callable[..., JobId]
) -> None:
    run_id = run(space_home)
    assert look(database, twin, golden.list_questions) == []
    with pytest.raises(NotFound):
        report(database, twin, run_id)
    with pytest.raises(InvalidInput):
        look(database, twin, lambda space: golden.queue_golden_run(space))


def test_two_runs_at_once_are_one(database: Database, space_home: Home) -> None:
    first = look(database, space_home, lambda space: golden.queue_golden_run(space).id)
    assert look(database, space_home, lambda space: golden.queue_golden_run(space).id) == first


def outcome(question: int, passed: bool) -> Outcome:
    return Outcome(GoldenQuestionId(IDS[question]), Reply.ANSWERED, passed, None, 0.1, 0.0)


IDS = [create_id() for _ in range(4)]


def test_what_only_one_run_was_asked_is_neither_worse_nor_better() -> None:
    before = [outcome(0, True), outcome(1, False), outcome(2, True)]
    after = [outcome(0, False), outcome(1, True), outcome(2, True), outcome(3, False)]
    assert compare_runs(before, after) == GoldenComparison(
        (GoldenQuestionId(IDS[0]),), (GoldenQuestionId(IDS[1]),), 1
    )
