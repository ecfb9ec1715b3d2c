"""Ask golden questions as a user would, with the space's settings or others, and judge the answers."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

from app.answers.ask import ask
from app.answers.golden import repository
from app.answers.golden.scoring import GoldenQuestion, Outcome, Reply, judge_answer
from app.answers.shapes import FinalAnswer, Question
from app.db.database import Database
from app.errors import CitegraphError
from app.ids import DocumentId, SpaceId, TenantId
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings


class GoldenAsker:
    """Asks golden questions in any space. Its reads do not count as recalls. One per process."""

    def __init__(
        self, database: Database, embedders: Embedders, settings: Settings, client: ModelClient | None
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._settings = settings
        self._client = client

    def find_documents_retrieved_for_questions(
        self, tenant_id: TenantId, space_id: SpaceId, questions: Sequence[GoldenQuestion]
    ) -> list[DocumentId]:
        """Return the ids of the documents whose passages are found for these questions, sorted.

        A question whose search fails is left out. Raises NotFound for the space.
        """
        document_ids: set[DocumentId] = set()
        with closing(Retriever(self._database, self._embedders, self._settings)) as retriever:
            for question in questions:
                try:
                    retrieval = retriever.retrieve_without_recording_recalls(
                        tenant_id, space_id, Query(question.question)
                    )
                except CitegraphError:
                    # The run asks it later and records the failure then.
                    continue
                document_ids.update(passage.document_id for passage in retrieval.passages)
        return sorted(document_ids)

    def ask_questions_with_changed_settings(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        questions: Sequence[GoldenQuestion],
        setting_changes: Mapping[str, Any],
    ) -> Iterator[Outcome]:
        """Yield the outcome of each question, in order, with these settings of the space changed.

        A question that raises an error has the outcome FAILED; the next ones are still asked. Raises NotFound
        for the space.
        """
        database = self._database.with_trial_settings(setting_changes)
        with closing(Retriever(database, self._embedders, self._settings)) as retriever:
            for question in questions:
                started_at = time.monotonic()
                retrieve = partial(
                    retriever.retrieve_without_recording_recalls,
                    tenant_id,
                    space_id,
                    Query(question.question),
                )
                try:
                    events = ask(
                        database,
                        tenant_id,
                        space_id,
                        Question(question.question),
                        retrieve=retrieve,
                        client=self._client,
                        statement_seconds=self._settings.answer_timeout,
                    )
                    *_, final_answer = events
                except CitegraphError:
                    yield _build_failed_outcome(question, time.monotonic() - started_at)
                    continue
                assert isinstance(final_answer, FinalAnswer)
                document_ids = sorted(
                    {DocumentId(citation.document_id) for citation in final_answer.citations}
                )
                with database.open_space(tenant_id, space_id, may_use_replica=True) as space:
                    address_by_document_id = repository.get_addresses_of_documents(space, document_ids)
                yield judge_answer(
                    question, final_answer, address_by_document_id, time.monotonic() - started_at
                )


def _build_failed_outcome(question: GoldenQuestion, seconds: float) -> Outcome:
    failed_outcome = Outcome(question.id, Reply.FAILED, None, None, seconds, 0.0)
    return replace(
        failed_outcome,
        answer_matched=False if question.answers else None,
        source_cited=False if question.sources else None,
    )
