"""Helpers for tests that change a space's embedding model: its parts over a model double, and what vectors
there are.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from app.db.database import Database
from app.db.models import Job
from app.derived.embedding_change import service as embedding_change
from app.derived.embedding_change.job import change_embedding_model, delete_unused_vector_sets
from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.ids import JobId
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs import queue
from app.jobs.context import ignore_step
from app.jobs.kinds import ChangeEmbedding, ClearVectors, IngestDocuments, RefreshSummaries
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, RetrievalResult
from app.settings import Settings
from tests.conftest import Home
from workers.runner import Runner

HASHED, OTHER = "hashed-ngrams-256", "double-embedding"
LONGER = 300
"""Length of the other model's vectors."""
QUESTION = "Who created Ingres?"
SETS = """
SELECT kind, vector_set, count(*), min(vector_dims(embedding)), max(vector_dims(embedding)) FROM (
    SELECT 'chunk' AS kind, vector_set, embedding FROM chunk_vector WHERE knowledge_space_id = %(space)s
    UNION ALL SELECT 'fact', vector_set, embedding FROM fact_vector WHERE knowledge_space_id = %(space)s
    UNION ALL SELECT 'node', vector_set, embedding FROM node_vector WHERE knowledge_space_id = %(space)s
) AS vectors GROUP BY kind, vector_set
"""
ROWS = """
SELECT (SELECT count(*) FROM knowledge_chunk WHERE knowledge_space_id = %(space)s),
    (SELECT count(*) FROM graph_edge WHERE knowledge_space_id = %(space)s),
    (SELECT count(*) FROM graph_node WHERE knowledge_space_id = %(space)s)
"""


class Changing:
    """One installation: runners over a database and a server's models, and questions asked meanwhile."""

    def __init__(self, database: Database, settings: Settings, home: Home, base_url: str) -> None:
        self.database, self.settings, self.home = database, settings, home
        # One attempt and no wait: what a job does about a server that fails is the runner's business.
        self.client = ModelClient(api_key="unused", base_url=base_url, model="double", attempts=1)
        self.embedders = Embedders(
            self.client, model=OTHER, dimensions=LONGER, offered_models={"another-model": 256}
        )
        self.retriever = Retriever(
            database, self.embedders, settings.model_copy(update={"answer_cache_seconds": 0.0})
        )

    def close(self) -> None:
        """End what runs in the background."""
        self.retriever.close()
        self.client.close()

    def runner(self, checkpoint: Callable[[str], None] = ignore_step) -> Runner:
        """A runner of all jobs that concern vectors, as a worker has it."""
        return Runner(
            self.database,
            self.settings,
            {
                ChangeEmbedding.kind: partial(change_embedding_model, embedders=self.embedders),
                ClearVectors.kind: delete_unused_vector_sets,
                IngestDocuments.kind: partial(
                    ingest_documents, extractors=Extractors(self.database, embedders=self.embedders)
                ),
                RefreshSummaries.kind: evaluate_changed_nodes_and_save_summaries,
            },
            checkpoint=checkpoint,
        )

    def ask(self, model: str = OTHER, dimensions: int | None = None, home: Home | None = None) -> JobId:
        """Request the change."""
        where = home or self.home
        with self.database.open_space(where.tenant_id, where.space_id) as space:
            job = embedding_change.enqueue_or_find_embedding_change(
                space, self.embedders, model=model, dimensions=dimensions, actor="test"
            )
            return JobId(job.id)

    def job(self, job_id: JobId) -> Job:
        """The job as it stands."""
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            return queue.get_job(space, job_id)

    def hurry(self) -> None:
        """Let all that waits in the queue for its time be claimed now."""
        self.sql("UPDATE job SET run_after = now() WHERE knowledge_space_id = %(space)s AND state = 'queued'")

    def answer(self) -> RetrievalResult:
        """The question, answered now."""
        return self.retriever.retrieve_and_record_recalls(
            self.home.tenant_id, self.home.space_id, Query(QUESTION)
        )

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """A statement in the space."""
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            done = space.connection.execute(text.encode(), {"space": self.home.space_id})
            return done.fetchall() if done.description else []

    def model(self) -> tuple[str, int, int]:
        """The space's model, the length of its vectors, and its set."""
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            opened = space.opening_state
        return opened.embedding_model, opened.embedding_dimensions, opened.vector_set

    def sets(self) -> dict[int, dict[str, int]]:
        """How many vectors there are of each kind, by set; all of a set must have one length."""
        found: dict[int, dict[str, int]] = {}
        for kind, number, count, shortest, longest in self.sql(SETS):
            assert shortest == longest
            found.setdefault(number, {})[kind] = count
        return found

    def rows(self) -> dict[str, int]:
        """How many rows of each kind there are to have one."""
        return dict(zip(("chunk", "fact", "node"), self.sql(ROWS)[0], strict=True))
