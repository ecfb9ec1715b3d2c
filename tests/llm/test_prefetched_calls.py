"""Batches read ahead through a model: the same graph, nothing asked twice, no more calls at once, a clean
end.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pytest

from app.db.database import Database
from app.documents.shapes import Submission
from app.extraction.llm.extractor import ModelExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId, JobId, TenantId, create_id
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.jobs.context import ignore_step, never_stop
from app.jobs.kinds import IngestDocuments
from app.llm.call_records import InProcessAnswerStore
from app.llm.client import ModelClient
from app.llm.prompts.fence import parse_fenced_passages
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.conftest import Home, under
from tests.faults.corpora import small_documents
from tests.support.ingest import picture, submit
from workers.runner import Runner

PARALLEL = 4
PRICES = {"double": (1.0, 1.0)}
# More than two batches of 64.
DOCUMENTS = 130


class Watching(RulesAnswerer):
    """Answers as usual, and knows what it was asked and how many were asking at once."""

    def __init__(self, double_latency: float = 0.0) -> None:
        super().__init__()
        self._latency = double_latency
        self._lock = threading.Lock()
        self._now = self.most = 0
        self.asked: list[str] = []

    def answer(self, messages):  # type: ignore[no-untyped-def]
        """As usual."""
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.asked += [part for message in messages for part in parse_fenced_passages(message["content"])]
        threading.Event().wait(self._latency)
        try:
            return super().answer(messages)
        finally:
            with self._lock:
                self._now -= 1


@contextmanager
def running(
    database: Database,
    settings: Settings,
    double: ModelDouble,
    *,
    stop_requested: Callable[[], bool] = never_stop,
    checkpoint: Callable[[str], None] = ignore_step,
) -> Iterator[Runner]:
    """A runner whose jobs read through the double."""
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", prices=PRICES, parallel=PARALLEL
    )
    extractors = Extractors(database, client)
    yield Runner(
        under(database, settings),
        settings,
        {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)},
        stop_requested=stop_requested,
        checkpoint=checkpoint,
    )
    extractors.close()


def notes() -> list[Submission]:
    """Documents of two passages, the second shared word for word by every tenth: pass 2 sees them without
    title.
    """
    return [
        Submission(
            f"# Note\n\n{submission.raw.decode()}\n\n# Notice\n\nDb2 uses Redis {number % 10 or 'as we know'}.".encode(),  # noqa: E501
            "markdown",
            f"Note {number}",
            source_uri=f"note-{number}",
        )
        for number, submission in enumerate(small_documents(DOCUMENTS))
    ]


@pytest.mark.soak
def test_a_job_of_many_batches_gives_the_graph_of_many_jobs_and_asks_for_nothing_twice(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    documents = notes()
    watching = Watching(0.01)
    with ModelDouble(watching) as double, running(database, settings, double) as runner:
        for begin in range(0, DOCUMENTS, 30):
            submit(database, twin, *documents[begin : begin + 30])
        runner.drain()
        watching.asked.clear()
        _, job_id = submit(database, home, *documents)
        runner.drain()
    assert picture(database, home) == picture(database, twin)
    assert len(watching.asked) > 2 * DOCUMENTS
    assert len(watching.asked) == len(set(watching.asked))
    assert 1 < watching.most <= PARALLEL
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        job = queue.get_job(space, job_id)
        ledger = space.connection.execute(
            "SELECT sum(cost_usd), sum(prompt_tokens), sum(completion_tokens) FROM model_call WHERE job_id"
            " = %s",
            [job_id],
        ).fetchone()
    assert (job.state, job.counts["documents"]) == ("done", DOCUMENTS)
    assert ledger == (job.cost_usd, job.prompt_tokens, job.completion_tokens)


@pytest.mark.soak
def test_a_stop_in_the_middle_gives_all_back_and_leaves_no_thread(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    stop = threading.Event()
    documents = notes()

    chunked = iter(range(DOCUMENTS))

    def checkpoint(step: str) -> None:
        # By then the first batch is asking, and the others are still to begin.
        if step == "chunked" and next(chunked) == 1:
            stop.set()

    with ModelDouble(RulesAnswerer(), latency=0.01) as double:
        with running(database, settings, double) as runner:
            submit(database, twin, *documents)
            runner.drain()
            undisturbed = len(double.calls)
        with running(database, settings, double, stop_requested=stop.is_set, checkpoint=checkpoint) as runner:
            _, job_id = submit(database, home, *documents)
            runner.drain()
            assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]
        assert states(database, home, job_id) == ("queued", 0, {"queued"})
        with running(database, settings, double) as runner:
            runner.drain()
        assert len(double.calls) == 2 * undisturbed
    assert states(database, home, job_id) == ("done", 1, {"ready"})
    assert picture(database, home) == picture(database, twin)


def states(database: Database, home: Home, job_id: JobId | None) -> tuple[str, int, set[str]]:
    """The job's state and attempts, and the states of documents."""
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        job = queue.get_job(space, job_id)
        rows = space.connection.execute(
            "SELECT DISTINCT state FROM document WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall()
    return job.state, job.attempt, {row[0] for row in rows}


def test_two_batches_that_hold_the_same_passage_pay_for_it_once(
    make_client: Callable[..., ModelClient], tenant: TenantId
) -> None:
    answers = InProcessAnswerStore()
    chunk = ChunkText(ChunkId(create_id()), DocumentId(create_id()), "Note", "Ada Lovelace created Ingres.")
    with ModelDouble(RulesAnswerer(), latency=0.2) as double:
        client = make_client(double.base_url)
        extractors = [ModelExtractor(client, answers, tenant_id=tenant) for _ in range(2)]
        with ThreadPoolExecutor(2) as threads:
            found = list(
                threads.map(
                    lambda extractor: extractor.extract_entities([chunk], DEFAULT_VOCABULARY), extractors
                )
            )
        assert len(double.calls) == 1
    assert found[0] == found[1]
    assert len(found[0][0]) == 2
