"""A change of the embedding model: a second set of vectors is filled while everything goes on, then compared
with at once.
"""

import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.vectors.indexes import read_vector_indexes
from app.db.vectors.maintenance import maintain_vectors
from app.derived.embedding_change import service as embedding_change
from app.derived.embedding_change.service import EmbeddingUnchanged
from app.errors import Conflict, InvalidInput
from app.ingest import service as ingest
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.states import StopRequested
from app.llm.testing import Fault, Mode, ModelDouble
from app.retrieval import repository
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.embeddings import HASHED, LONGER, OTHER, QUESTION, Changing
from tests.support.ingest import corpus, ingest_now, submit, text
from tests.support.sampling import sampled


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    with ModelDouble(RulesAnswerer()) as running:
        yield running


@pytest.fixture
def changing(
    database: Database, settings: Settings, home: Home, double: ModelDouble, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Changing]:
    """A space with some documents, embedded by hashing; small windows, so that a change takes many steps."""
    monkeypatch.setattr("app.derived.embedding_change.repository.ROWS_PER_QUERY", 40)
    ingest_now(database, settings, home, corpus()[:5])
    made = Changing(database, settings, home, double.base_url)
    yield made
    made.close()


def at(step: str, act: Callable[[], object], *, every: bool = False) -> Callable[[str], None]:
    """A checkpoint that acts at this step, the first time or each time."""
    done: list[str] = []

    def checkpoint(reached: str) -> None:
        if reached == step and (every or not done):
            done.append(reached)
            act()

    return checkpoint


def paid_texts(double: ModelDouble) -> list[str]:
    """All texts that the server gave vectors for, but for the question."""
    made = zip(double.bodies, double.calls, strict=True)
    answered = [body["input"] for body, call in made if call.outcome == "ok"]
    return [text for texts in answered for text in texts if text != QUESTION]


@pytest.mark.soak
def test_all_that_has_a_vector_gets_one_and_the_old_ones_go(changing: Changing, double: ModelDouble) -> None:
    before, rows = changing.sets(), changing.rows()
    assert before == {0: rows}
    (revision,) = changing.sql("SELECT graph_revision FROM knowledge_space")[0]
    job_id = changing.ask()
    changing.runner().drain()
    job = changing.job(job_id)
    assert (job.state, job.progress) == ("done", 100)
    assert {kind: job.counts[f"{kind}s"] for kind in rows} | {"fact": rows["fact"]} == rows
    assert changing.model() == (OTHER, LONGER, 1)
    assert changing.sets() == {0: rows, 1: rows}
    assert changing.sql("SELECT graph_revision FROM knowledge_space")[0] == (revision + 1,)
    # No text twice, and each request in the ledger.
    assert len(paid_texts(double)) == len(set(paid_texts(double))) == job.counts["texts"]
    ledger = changing.sql("SELECT sum(prompt_tokens), count(*) FROM model_call WHERE purpose = 'embedding'")
    assert ledger == [(job.prompt_tokens, len(double.calls))]
    changing.hurry()
    changing.runner().drain()
    assert changing.sets() == {1: rows}
    found = changing.answer()
    assert found.warnings == ()
    assert "Ingres" in found.passages[0].text


@pytest.mark.soak
def test_a_question_is_answered_at_every_step_and_while_it_changes_over(changing: Changing) -> None:
    """In a loop beside the job, and by turns with it: never a warning, never an error, never nothing."""
    changing.ask()
    over, ready = threading.Event(), threading.Event()
    answers: list[Any] = []

    def loop() -> None:
        while not over.is_set():
            try:
                answers.append(changing.answer())
            except Exception as error:
                answers.append(error)
            ready.set()

    asker = threading.Thread(target=loop)
    asker.start()
    assert ready.wait(60)
    changing.runner(lambda _step: answers.append(changing.answer())).drain()
    ready.clear()
    assert ready.wait(60)
    over.set()
    asker.join()
    assert changing.model() == (OTHER, LONGER, 1)
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    assert {answer.warnings for answer in answers} == {()}
    assert min(len(answer.passages) for answer in answers) > 0
    assert len({answer.graph_revision for answer in answers}) == 2


@pytest.mark.soak
def test_the_question_is_embedded_again_where_the_space_changes_over_in_between(
    changing: Changing, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing.ask()
    embed = changing.retriever._embed_question

    def late(*arguments: Any) -> Any:
        vector = embed(*arguments)
        changing.runner().drain()
        return vector

    monkeypatch.setattr(changing.retriever, "_embed_question", late)
    seen: list[int] = []
    nearest = repository.find_nearest_chunks

    def watched(space: Any, vector: Any, *, limit: int) -> Any:
        seen.append(len(vector))
        return nearest(space, vector, limit=limit)

    monkeypatch.setattr(repository, "find_nearest_chunks", watched)
    found = changing.answer()
    assert (found.warnings, seen) == ((), [LONGER])


@pytest.mark.soak
@pytest.mark.parametrize("step", sampled(["looked", "embedded", "stored", "changing over"], every=4))
def test_what_comes_meanwhile_is_in_the_new_set_too(changing: Changing, step: str) -> None:
    """A document of its own job, taken in whole at this step of the change."""
    late = text("Ada Lovelace created Zorbulon in London. Zorbulon depends on Ingres.", title="Zorbulon")

    def take_in() -> None:
        if step == "changing over":
            # Nobody writes vectors now: only what comes before and after can be tried.
            submit(changing.database, changing.home, late)
        else:
            ingest_now(changing.database, changing.settings, changing.home, [late])

    changing.ask()
    changing.runner(at(step, take_in)).drain()
    assert changing.model() == (OTHER, LONGER, 1)
    assert changing.sql("SELECT count(*) FROM graph_node WHERE canonical_name = 'Zorbulon'") == [(1,)]
    assert changing.sets()[1] == changing.rows()


@pytest.mark.soak
@pytest.mark.parametrize("step", sampled(["entered", "chunked", "nodes", "edges"], every=4))
def test_an_ingest_that_began_before_goes_on_with_the_new_model(changing: Changing, step: str) -> None:
    """It gives its job back rather than write vectors of the model of before, and is run again."""
    _, job_id = submit(
        changing.database, changing.home, text("Ada Lovelace created Zorbulon in London.", title="Zorbulon")
    )
    assert job_id is not None

    def change() -> None:
        changing.ask()
        changing.runner().drain()
        assert changing.model() == (OTHER, LONGER, 1)

    changing.runner(at(step, change)).drain()
    job = changing.job(job_id)
    assert (job.state, job.failures) == ("done", 0)
    assert changing.sets()[1] == changing.rows()
    assert {row[0] for row in changing.sql("SELECT state FROM document")} == {"ready"}


@pytest.mark.soak
def test_a_server_that_is_down_is_waited_for_and_nothing_is_paid_twice(
    changing: Changing, double: ModelDouble
) -> None:
    job_id = changing.ask()
    # Once: on a busy machine it would be due again before this process has looked for more work.
    assert changing.runner(at("stored", lambda: double.faults.add(Fault(Mode.SERVER_ERROR)))).run_next_job()
    waiting = changing.job(job_id)
    assert (waiting.state, waiting.error_code) == ("queued", "model_unavailable")
    assert changing.model() == (HASHED, 256, 0)
    found = changing.answer()
    assert (found.warnings, bool(found.passages)) == ((), True)
    paid = changing.sql("SELECT count(*) FROM model_call WHERE outcome = 'ok'")[0][0]
    assert paid > 0
    double.faults.clear()
    changing.close()
    again = Changing(changing.database, changing.settings, changing.home, double.base_url)
    again.hurry()
    again.runner().drain()
    assert again.job(job_id).state == "done"
    assert again.sets()[1] == again.rows()
    assert len(paid_texts(double)) == len(set(paid_texts(double)))
    again.close()


def test_vectors_of_another_length_end_it_and_the_old_ones_serve_on(
    changing: Changing, double: ModelDouble
) -> None:
    double.faults.add(Fault(Mode.WRONG_DIMENSION))
    job_id = changing.ask()
    changing.runner().drain()
    job = changing.job(job_id)
    assert (job.state, job.error_code) == ("failed", "model_dimensions")
    assert job.error_message == f"The embedding model does not give {LONGER} dimensions."
    assert changing.model() == (HASHED, 256, 0)
    assert set(changing.sets()) == {0}
    assert changing.answer().warnings == ()


@pytest.mark.soak
def test_texts_without_a_usable_vector_are_named_and_too_many_end_it(
    changing: Changing, double: ModelDouble
) -> None:
    rows = changing.rows()
    double.faults.add(Fault(Mode.NAN_VECTOR, times=2))
    job_id = changing.ask()
    changing.runner().drain()
    assert changing.job(job_id).state == "done"
    assert changing.sets()[1] == {**rows, "chunk": rows["chunk"] - 1}
    assert changing.sql("SELECT code, count(*), count(chunk_id) FROM job_error GROUP BY 1") == [
        ("bad_vector", 1, 1)
    ]
    double.faults.add(Fault(Mode.ZERO_VECTOR))
    second = changing.ask("another-model", 256)
    changing.sql("UPDATE job SET max_attempts = 1 WHERE state = 'queued'")
    # One of each request is spoilt; of small ones those are many.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("app.derived.embedding_change.repository.ROWS_PER_QUERY", 5)
        changing.runner().drain()
    failed = changing.job(second)
    assert (failed.state, failed.error_code) == ("failed", "too_few_vectors")
    assert changing.model() == (OTHER, LONGER, 1)


@pytest.mark.soak
@pytest.mark.parametrize("running", sampled([True, False], every=2))
def test_a_cancelled_change_leaves_nothing(changing: Changing, running: bool) -> None:
    rows = changing.rows()
    job_id = changing.ask()

    def cancel() -> None:
        with changing.database.open_space(changing.home.tenant_id, changing.home.space_id) as space:
            ingest.cancel_job(space, job_id)

    if running:
        changing.runner(at("stored", cancel)).drain()
    else:
        changing.runner(at("stored", lambda: (_ for _ in ()).throw(StopRequested()))).run_next_job()
        assert set(changing.sets()) == {0, 1}
        cancel()
        changing.runner().drain()
    assert changing.job(job_id).state == "cancelled"
    assert changing.sets() == {0: rows}
    assert changing.model() == (HASHED, 256, 0)
    # It can be asked for again all the same.
    again = changing.ask()
    assert again != job_id
    changing.runner().drain()
    assert changing.model()[:2] == (OTHER, LONGER)
    assert changing.sets()[changing.model()[2]] == rows


@pytest.mark.soak
def test_a_space_deleted_meanwhile_leaves_no_vector(changing: Changing, privileged_url: URL) -> None:
    home = changing.home
    changing.ask()
    changing.runner(
        at(
            "embedded",
            lambda: spaces.delete_space(changing.database, home.tenant_id, home.space_id, actor="t"),
        )
    ).drain()
    with changing.database.engine.connect() as raw:
        raw.exec_driver_sql(f"SET LOCAL app.space_id = '{home.space_id}'")
        for table in ("chunk_vector", "fact_vector", "node_vector", "job"):
            assert raw.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 0


class TestAsking:
    def test_the_same_again_is_the_job_that_is_under_way(self, changing: Changing) -> None:
        assert changing.ask() == changing.ask()

    @pytest.mark.soak
    def test_another_model_has_to_wait(self, changing: Changing) -> None:
        changing.ask()
        with pytest.raises(Conflict) as refused:
            changing.ask("another-model", 256)
        assert refused.value.code == "embedding_change_running"

    def test_the_model_that_it_has_is_nothing_to_do(self, changing: Changing) -> None:
        with pytest.raises(EmbeddingUnchanged, match="nothing to do"):
            changing.ask(HASHED)

    def test_a_model_must_be_offered_and_its_length_right(self, changing: Changing) -> None:
        with pytest.raises(InvalidInput, match="another-model, double-embedding") as unknown:
            changing.ask("a-model-of-my-own", 256)
        assert unknown.value.code == "model_not_offered"
        for model, length in ((HASHED, 300), ("another-model", 200), (OTHER, 256)):
            with pytest.raises(InvalidInput) as wrong:
                changing.ask(model, length)
            assert wrong.value.code == "embedding_dimensions"

    @pytest.mark.soak
    def test_a_failed_change_asked_for_again_goes_on_where_it_stopped(
        self, changing: Changing, double: ModelDouble
    ) -> None:
        first = changing.ask()
        changing.runner(at("stored", lambda: double.faults.add(Fault(Mode.WRONG_DIMENSION)))).drain()
        assert changing.job(first).state == "failed"
        kept = sum(changing.sets()[1].values())
        double.faults.clear()
        second = changing.ask()
        changing.runner().drain()
        assert second != first
        assert changing.model() == (OTHER, LONGER, 1)
        made = sum(changing.job(second).counts.get(kind, 0) for kind in ("chunks", "nodes", "facts"))
        assert 0 < made <= sum(changing.rows().values()) - kept

    @pytest.mark.soak
    def test_an_old_one_tried_again_after_another_change_does_nothing(
        self, changing: Changing, double: ModelDouble
    ) -> None:
        double.faults.add(Fault(Mode.WRONG_DIMENSION))
        old = changing.ask()
        changing.runner().drain()
        double.faults.clear()
        changing.ask("another-model", 256)
        changing.runner().drain()
        with changing.database.open_space(changing.home.tenant_id, changing.home.space_id) as space:
            ingest.retry_job(space, old)
        changing.runner().drain()
        assert (changing.job(old).state, changing.job(old).error_code) == ("failed", "embedding_overtaken")
        assert changing.model() == ("another-model", 256, 2)

    @pytest.mark.soak
    def test_what_it_would_take_is_told_and_is_about_what_it_takes(
        self, changing: Changing, settings: Settings, double: ModelDouble
    ) -> None:
        priced = settings.model_copy(update={"llm_prices": {OTHER: (2.0, 0.0)}})
        with changing.database.open_space(changing.home.tenant_id, changing.home.space_id) as space:
            plan = embedding_change.estimate_embedding_change(
                space, changing.embedders, priced, model=OTHER, dimensions=None
            )
        assert double.calls == []
        rows = changing.rows()
        assert (plan.chunks, plan.facts, plan.nodes) == (rows["chunk"], rows["fact"], rows["node"])
        assert plan.cost_usd == Decimal(plan.tokens) * 2 / 1_000_000
        job_id = changing.ask()
        changing.runner().drain()
        job = changing.job(job_id)
        assert job.counts["texts"] <= plan.texts
        assert 0.5 < plan.tokens / job.prompt_tokens < 2


@pytest.mark.soak
def test_summaries_of_unchanged_facts_stay_and_are_compared_by_the_new_vectors(changing: Changing) -> None:
    changing.hurry()
    changing.runner().drain()
    written = "SELECT node_id, text, summarised_at, refreshed FROM node_summary ORDER BY node_id"
    before = changing.sql(written)
    assert before
    assert changing.sql("SELECT DISTINCT vector_dims(embedding), vector_set FROM node_summary") == [(256, 0)]
    changing.ask()
    changing.runner().drain()
    assert changing.sql(written) == before
    assert changing.sql("SELECT DISTINCT vector_dims(embedding), vector_set FROM node_summary") == [
        (LONGER, 1)
    ]


@pytest.mark.soak
def test_the_index_of_the_old_vectors_is_not_used_for_the_new_ones(
    changing: Changing, privileged_url: URL
) -> None:
    url = privileged_url.render_as_string(hide_password=False)

    def keep() -> list[str]:
        return [str(step).split(":")[0] for step in maintain_vectors(changing.database, url, threshold=20)]

    def found() -> list[Any]:
        with changing.database.open_space(changing.home.tenant_id, changing.home.space_id) as space:
            vector = changing.embedders.get_embedder(*changing.model()[:2], changing.home.tenant_id).embed(
                [QUESTION]
            )[0]
            return repository.find_nearest_chunks(space, vector, limit=20)

    old, new = (
        [
            f"ix_chunk_vector_{changing.home.space_id.hex}_hnsw_{number}",
            f"ix_node_vector_{changing.home.space_id.hex}_hnsw_{number}",
        ]
        for number in (0, 1)
    )
    assert keep() == [f"move to own partitions the vectors of space {changing.home.space_id}"]
    assert [vector_index.name for vector_index in read_vector_indexes(changing.database.engine)] == old
    changing.ask()
    changing.runner().drain()
    exact = found()
    assert len(exact) == 20
    assert keep() == [f"drop {name}" for name in old] + [f"make {name}" for name in new]
    assert [vector_index.name for vector_index in read_vector_indexes(changing.database.engine)] == new
    assert [row[0] for row in found()] == [row[0] for row in exact]
