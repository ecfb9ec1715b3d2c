"""Answer a question: build the context, write sentences by a model or by quotes, and check the citations
(requirement 10).

No transaction is open during a model call: `retrieve` opens its own transactions, the model writes outside
any transaction, and a short transaction rereads the cited chunks.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from app.answers import repository
from app.answers.answer_draft import AnswerDraft
from app.answers.citations import build_citation, update_position_of_citation
from app.answers.context import (
    build_context,
    build_context_with_ended_claims,
    build_context_with_later_statements,
    build_context_with_other_sentences_of_ended_claims,
)
from app.answers.further_rows import build_context_with_further_table_chunks
from app.answers.global_search import (
    Reports,
    ReportsOverview,
    Theme,
    build_overview_of_points,
    build_overview_of_reports,
    find_reports_ranked_by_question,
)
from app.answers.global_search_points import ask_model_for_points
from app.answers.paid_calls import PaidCalls
from app.answers.refusal import NO_ANSWER_REASON
from app.answers.shapes import (
    WITHOUT_MODEL,
    AnswerScope,
    Context,
    ContextFound,
    Event,
    Mode,
    Question,
    TableCells,
)
from app.answers.support_by_model import verify_sentences
from app.answers.written_by_model import MODEL_ERRORS, list_denial_notes, write_answer_by_model
from app.answers.written_by_quotes import write_answer_by_community_findings, write_answer_by_quotes
from app.db.database import Database
from app.db.session import SpaceSession
from app.errors import InvalidInput
from app.graph.input_checks import is_blank
from app.graph.invalidation import service as invalidation
from app.graph.invalidation.shapes import EndedClaim
from app.graph.questions import get_moment_or_start_of_year_asked_about
from app.ids import ChunkId, SpaceId, TenantId
from app.limits import QUESTION, TURN, TURNS
from app.llm.client import ModelClient
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.retrieval.shapes import RetrievalResult


def ask(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    question: Question,
    *,
    retrieve: Callable[[], RetrievalResult],
    client: ModelClient | None,
    statement_seconds: float | None = None,
) -> Generator[Event, None, None]:
    """Yield ContextFound, a SentenceWritten for each sentence, at most one Interrupted, then Answered.

    `retrieve` searches the space in transactions of its own. The space's `context_tokens` limit the context,
    and `statement_seconds` each statement of this function. If the model is down, refuses, writes nothing or
    is over the budget, the answer consists of quotes and `warnings` says why; nothing is raised. Raises
    InvalidInput, TokensRefused, NeedsCommunities and the errors of `retrieve` before the first event, and
    NotFound later if the space is deleted. Close the generator to stop the model.
    """
    _require_question_within_limits(question)
    paid_calls = None if client is None else PaidCalls(database, tenant_id=tenant_id, space_id=space_id)
    themes: tuple[Theme, ...] = ()
    date_by_chunk_id: Mapping[ChunkId, datetime] = {}
    if question.scope is AnswerScope.GLOBAL:
        with database.open_space(
            tenant_id, space_id, may_use_replica=True, statement_timeout_seconds=statement_seconds
        ) as space:
            reports = find_reports_ranked_by_question(space, question.text)
            token_budget = space.settings.context_tokens
        reports_overview = _build_overview_of_fitting_reports_or_model_points(
            reports, question, token_budget, client, tenant_id, paid_calls
        )
        retrieval, context, themes = (
            reports_overview.to_retrieval_result(question.text),
            reports_overview.context,
            reports_overview.themes,
        )
    else:
        retrieval = retrieve()
        with database.open_space(
            tenant_id, space_id, may_use_replica=True, statement_timeout_seconds=statement_seconds
        ) as space:
            context, ended_claims = _build_context(space, retrieval, question)
            if client is not None:
                date_by_chunk_id = repository.get_dates_of_chunks(
                    space, {source.chunk_id for source in context.sources}
                )
        context = build_context_with_other_sentences_of_ended_claims(context, ended_claims, retrieval.facts)
    yield ContextFound(retrieval, context)
    answer_draft = AnswerDraft(
        question, context, _list_retrieval_warnings_and_name_readings(retrieval), themes
    )
    if not context.sources:
        answer_draft.mode = Mode.NOTHING
        answer_draft.warnings.append(NO_ANSWER_REASON)
    elif client is None or paid_calls is None:
        answer_draft.warnings.append(WITHOUT_MODEL)
    else:
        yield from write_answer_by_model(
            answer_draft, client, tenant_id, paid_calls, retrieval, date_by_chunk_id
        )
        if answer_draft.sentences:
            answer_draft.warnings += list_denial_notes(answer_draft, retrieval)
    if context.sources and not answer_draft.sentences:

        def read_tables(tables: Sequence[TableCells]) -> Context:
            with database.open_space(
                tenant_id, space_id, may_use_replica=True, statement_timeout_seconds=statement_seconds
            ) as space:
                moment = get_moment_or_start_of_year_asked_about(question.text, moment=question.as_of)
                return build_context_with_further_table_chunks(
                    space, context, retrieval, tables, moment=moment, as_of=question.as_of
                )

        yield from (
            write_answer_by_community_findings(answer_draft)
            if themes
            else write_answer_by_quotes(answer_draft, retrieval, read_tables=read_tables)
        )
    with database.open_space(
        tenant_id, space_id, statement_timeout_seconds=statement_seconds
    ) as space:  # On the primary, to read the current chunks.
        existing_chunks = repository.get_existing_chunks(
            space,
            {source.chunk_id for source in answer_draft.list_cited_sources()},
        )
        verifies_sentences = space.settings.verify_sentences
    unchecked_citations = [
        build_citation(source, answer_draft.texts_by_source_number[source.number])
        for source in answer_draft.list_cited_sources()
    ]
    citations = {
        citation.number: confirmed_citation
        for citation in unchecked_citations
        if (confirmed_citation := update_position_of_citation(citation, existing_chunks)) is not None
    }
    sentences_to_verify = (
        answer_draft.list_model_sentences_without_titles_of_communities() if verifies_sentences else ()
    )
    if sentences_to_verify:
        answer_draft.verdict_by_index, verification_warnings = verify_sentences(
            client, paid_calls, tenant_id, sentences_to_verify, citations
        )
        answer_draft.warnings += verification_warnings
    yield answer_draft.finish_answer_without_invalid_citations(
        citations, retrieval, [] if paid_calls is None else paid_calls.call_records
    )


class _ContextWithEndedClaims(NamedTuple):
    """A context, and the claims of its sources that have ended."""

    context: Context
    ended_claims: list[EndedClaim]


def _build_context(
    space: SpaceSession, retrieval: RetrievalResult, question: Question
) -> _ContextWithEndedClaims:
    """Build the context of the passages, claims in them that ended, and statements made after `as_of`."""
    context = build_context(retrieval, budget=space.settings.context_tokens, format=question.format)
    chunk_ids = sorted({source.chunk_id for source in context.sources})
    moment = get_moment_or_start_of_year_asked_about(question.text, moment=question.as_of)
    ended_claims = invalidation.list_ended_claims_in_chunks(space, chunk_ids, as_of=moment)
    context = build_context_with_ended_claims(context, ended_claims)
    if question.as_of is not None:
        context = build_context_with_later_statements(
            context, invalidation.list_sentences_stated_later(space, chunk_ids, as_of=question.as_of)
        )
    return _ContextWithEndedClaims(context, ended_claims)


def _list_retrieval_warnings_and_name_readings(retrieval: RetrievalResult) -> list[str]:
    """Return the warnings of retrieval, without those of the graph search, and the readings of misspelled
    names.
    """
    graph_warnings = retrieval.explanation.warnings if retrieval.explanation else ()
    return [
        *(warning for warning in retrieval.warnings if warning not in graph_warnings),
        *retrieval.readings,
    ]


def _require_question_within_limits(question: Question) -> None:
    if is_blank(question.text):
        raise InvalidInput("question must not be blank.", code="blank")
    if len(question.text) > QUESTION.maximum:
        raise InvalidInput(f"question may have at most {QUESTION.maximum:,} characters.", code="too_long")
    if len(question.earlier) > TURNS.maximum:
        raise InvalidInput(f"At most {TURNS.maximum} earlier turns are read.", code="too_many_turns")
    if any(len(turn.text) > TURN.maximum for turn in question.earlier):
        raise InvalidInput(f"A turn may have at most {TURN.maximum:,} characters.", code="too_long")


def _build_overview_of_fitting_reports_or_model_points(
    reports: Reports,
    question: Question,
    token_budget: int,
    client: ModelClient | None,
    tenant_id: TenantId,
    stored_answers: DatabaseAnswerStore | None,
) -> ReportsOverview:
    """Return all reports if they fit; else the points that the model finds in each, or without a model the
    reports that fit.
    """
    reports_overview = build_overview_of_reports(reports, budget=token_budget, format=question.format)
    if (
        client is None
        or stored_answers is None
        or len(reports_overview.themes) == len(reports.citable_reports)
    ):
        return reports_overview
    try:
        stored_answers.require_money_and_tokens_left(unpriced_model=client.find_unpriced_model())
        points, unread_count = ask_model_for_points(
            Asker(client, stored_answers, tenant_id), question.text, reports.citable_reports
        )
    except MODEL_ERRORS:
        # The model is called again for the answer itself; that call's failure becomes a warning.
        return reports_overview
    if not points:
        return reports_overview
    return build_overview_of_points(
        reports,
        points,
        unread_count=unread_count,
        budget=token_budget,
        format=question.format,
    )
