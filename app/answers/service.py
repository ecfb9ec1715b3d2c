"""The service that answers questions on the spaces of an installation."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

from app.answers.ask import ask
from app.answers.paid_calls import PaidCalls
from app.answers.shapes import ContextFound, Event, FinalAnswer, Question, RetrievedAnswer
from app.db.database import Database
from app.domain.invisible_breaks import remove_invisible_breaks
from app.ids import SpaceId, TenantId
from app.llm.client import ModelClient
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query


class Answerer:
    """Answers questions. One per process; without a `client`, answers consist of quotes."""

    def __init__(
        self,
        database: Database,
        retriever: Retriever,
        client: ModelClient | None,
        *,
        statement_seconds: float | None = None,
    ) -> None:
        self._database = database
        self._retriever = retriever
        self._client = client
        self._statement_seconds = statement_seconds

    def ask(self, tenant_id: TenantId, space_id: SpaceId, question: Question) -> Generator[Event, None, None]:
        """Yield the events of the answer: see `ask`. Raises the errors of `ask` and of retrieval.

        The recall is recorded when the generator ends, also if it is closed early or raises.
        """
        if self._client is not None:
            # Before the first event: a stream has a status of its own until then.
            PaidCalls(self._database, tenant_id=tenant_id, space_id=space_id).require_tokens_left()
        question = replace(question, text=remove_invisible_breaks(question.text))
        retrieval, final_answer = None, None
        events = ask(
            self._database,
            tenant_id,
            space_id,
            question,
            retrieve=lambda: self._retriever.retrieve_without_recording_recalls(
                tenant_id, space_id, Query(question.text, as_of=question.as_of)
            ),
            client=self._client,
            statement_seconds=self._statement_seconds,
        )
        with closing(events):
            try:
                for event in events:
                    if isinstance(event, ContextFound):
                        retrieval = event.retrieval
                    elif isinstance(event, FinalAnswer):
                        final_answer = event
                    yield event
            finally:
                if retrieval is not None:
                    self._database.record_recall_after_commit(
                        tenant_id, space_id, RetrievedAnswer(retrieval, final_answer)
                    )
