"""Answer a question: build the context, write sentences by a model or by quotes, and check the citations
(requirement 10).

No transaction is open during a model call: `retrieve` opens its own transactions, the model writes outside
any transaction, and a short transaction rereads the cited chunks.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal

from app.answers import repository
from app.answers.chooser.model import Chooser
from app.answers.citations import (
    CitedSentence,
    SentenceReader,
    build_citation,
    list_notes_on_citations,
    relocate_citation,
)
from app.answers.context import add_ended_claims, add_later_statements, build_context
from app.answers.denial_sentences import (
    DeniedSentence,
    is_answered_by_denials,
    list_asked_denials,
    write_denials,
)
from app.answers.ended_answers import is_stated_or_sure, list_ended_answers
from app.answers.extractive import choose_quotes_for_retrieved
from app.answers.further_rows import add_further_chunks, remove_uncited_sources
from app.answers.global_search import (
    QUOTED_REPORTS,
    Reports,
    ReportsOverview,
    Theme,
    build_overview_of_points,
    build_overview_of_reports,
    find_reports,
)
from app.answers.paid_calls import PaidCalls, explain_model_failure
from app.answers.plurals import asks_for_several
from app.answers.quotes import MIN_SHARE_OF_WHOLE_QUESTION, Quotes
from app.answers.refusal import NO_ANSWER_REASON, choose_quotes_or_refuse, is_yes_no_about_unknown_names
from app.answers.report_points import ask_model_for_points
from app.answers.shapes import (
    AnswerScope,
    AnswerSpan,
    Citation,
    Context,
    ContextFound,
    Event,
    FinalAnswer,
    Interruption,
    Mode,
    Question,
    RemovalReason,
    RemovedCitation,
    Sentence,
    SentenceWritten,
    Source,
    SpanKind,
    TableCells,
    Usage,
)
from app.answers.short_answers import find_short_answer
from app.answers.support import is_supported
from app.answers.support_by_model import verify_sentences
from app.db.session import Database, SpaceSession
from app.documents.sentences import (
    join_quote_lines_except_list_items,
    label_table_cells_or_return_unchanged,
    split_row_or_record_into_cells,
)
from app.documents.token_counts import count_tokens
from app.errors import InvalidInput
from app.graph.input_checks import is_blank
from app.graph.invalidation import service as invalidation
from app.graph.questions import get_moment_or_start_of_year_asked_about
from app.ids import ChunkId, SpaceId, TenantId
from app.limits import QUESTION, TURN, TURNS
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted, MalformedReply, ModelRefused, ModelUnavailable, Parked
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.prompts import answer as prompt
from app.llm.prompts.shapes import Message, remove_unstorable_characters
from app.retrieval.shapes import RetrievalResult

MAX_ANSWER_LENGTH = 20_000
"""Length, in characters, at which a model's answer is stopped."""
WITHOUT_MODEL = "No model is set up: the answer only quotes."
_ONLY_QUOTES = "The answer only quotes."
_MODEL_ERRORS = (BudgetExhausted, MalformedReply, ModelRefused, ModelUnavailable, Parked)


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
    _check_question(question)
    paid_calls = None if client is None else PaidCalls(database, tenant_id=tenant_id, space_id=space_id)
    themes: tuple[Theme, ...] = ()
    date_by_chunk_id: Mapping[ChunkId, datetime] = {}
    if question.scope is AnswerScope.GLOBAL:
        with database.open_space(
            tenant_id, space_id, may_use_replica=True, statement_timeout_seconds=statement_seconds
        ) as space:
            reports = find_reports(space, question.text)
            token_budget = space.settings.context_tokens
        reports_overview = _fit_or_condense_reports(
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
            context = _build_context(space, retrieval, question)
            if client is not None:
                date_by_chunk_id = repository.get_dates_of_chunks(
                    space, {source.chunk_id for source in context.sources}
                )
    yield ContextFound(retrieval, context)
    answer_draft = _AnswerDraft(question, context, _list_notes_for_reader(retrieval), themes)
    if not context.sources:
        answer_draft.mode = Mode.NOTHING
        answer_draft.warnings.append(NO_ANSWER_REASON)
    elif client is None or paid_calls is None:
        answer_draft.warnings.append(WITHOUT_MODEL)
    else:
        yield from _write_by_model(answer_draft, client, tenant_id, paid_calls, retrieval, date_by_chunk_id)
        if answer_draft.sentences:
            answer_draft.warnings += _list_denial_notes(answer_draft, retrieval)
    if context.sources and not answer_draft.sentences:

        def read_tables(tables: Sequence[TableCells]) -> Context:
            with database.open_space(
                tenant_id, space_id, may_use_replica=True, statement_timeout_seconds=statement_seconds
            ) as space:
                moment = get_moment_or_start_of_year_asked_about(question.text, moment=question.as_of)
                return add_further_chunks(
                    space, context, retrieval, tables, moment=moment, as_of=question.as_of
                )

        yield from (
            _write_by_themes(answer_draft)
            if themes
            else _write_by_quotes(answer_draft, retrieval, read_tables=read_tables)
        )
    with database.open_space(
        tenant_id, space_id, statement_timeout_seconds=statement_seconds
    ) as space:  # On the primary, to read the current chunks.
        existing_chunks = repository.get_existing_chunks(
            space,
            {
                source.chunk_id
                for source in answer_draft.context.sources
                if source.number in answer_draft.texts_by_source_number
            },
        )
        verifies_sentences = space.settings.verify_sentences
    unchecked_citations = [
        build_citation(source, answer_draft.texts_by_source_number[source.number])
        for source in answer_draft.context.sources
        if source.number in answer_draft.texts_by_source_number
    ]
    citations = {
        citation.number: confirmed_citation
        for citation in unchecked_citations
        if (confirmed_citation := relocate_citation(citation, existing_chunks)) is not None
    }
    if sentences_to_verify := answer_draft.list_sentences_to_verify(verifies_sentences):
        answer_draft.verdict_by_index, verification_warnings = verify_sentences(
            client, paid_calls, tenant_id, sentences_to_verify, citations
        )
        answer_draft.warnings += verification_warnings
    yield answer_draft.finish_answer(
        citations, retrieval, [] if paid_calls is None else paid_calls.call_records
    )


def _build_context(space: SpaceSession, retrieval: RetrievalResult, question: Question) -> Context:
    """Build the context of the passages, claims in them that ended, and statements made after `as_of`."""
    context = build_context(retrieval, budget=space.settings.context_tokens, format=question.format)
    chunk_ids = sorted({source.chunk_id for source in context.sources})
    moment = get_moment_or_start_of_year_asked_about(question.text, moment=question.as_of)
    context = add_ended_claims(
        context, invalidation.list_ended_claims_in_chunks(space, chunk_ids, as_of=moment)
    )
    if question.as_of is None:
        return context
    return add_later_statements(
        context, invalidation.list_sentences_stated_later(space, chunk_ids, as_of=question.as_of)
    )


def _list_notes_for_reader(retrieval: RetrievalResult) -> list[str]:
    """Return the warnings of retrieval, without those of the graph search, and the readings of misspelled
    names.
    """
    graph_warnings = retrieval.explanation.warnings if retrieval.explanation else ()
    return [
        *(warning for warning in retrieval.warnings if warning not in graph_warnings),
        *retrieval.readings,
    ]


def _check_question(question: Question) -> None:
    if is_blank(question.text):
        raise InvalidInput("question must not be blank.", code="blank")
    if len(question.text) > QUESTION.maximum:
        raise InvalidInput(f"question may have at most {QUESTION.maximum:,} characters.", code="too_long")
    if len(question.earlier) > TURNS.maximum:
        raise InvalidInput(f"At most {TURNS.maximum} earlier turns are read.", code="too_many_turns")
    if any(len(turn.text) > TURN.maximum for turn in question.earlier):
        raise InvalidInput(f"A turn may have at most {TURN.maximum:,} characters.", code="too_long")


def _fit_or_condense_reports(
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
        stored_answers.require_budget(unpriced_model=client.find_unpriced_model())
        points, unread_count = ask_model_for_points(
            Asker(client, stored_answers, tenant_id), question.text, reports.citable_reports
        )
    except _MODEL_ERRORS:
        # The model is called again for the answer itself; that call's failure becomes a warning.
        return reports_overview
    if not points:
        return reports_overview
    return build_overview_of_points(
        reports,
        [(point.report, point.text, point.edges) for point in points],
        unread_count=unread_count,
        budget=token_budget,
        format=question.format,
    )


@dataclass
class _AnswerDraft:
    """The state of an answer while it is being written.

    `texts_by_source_number` has the sentences that cite each source, and `verdict_by_index` the model's
    verdict on the support of each sentence, by index. `is_denied` is True if the sources deny what was asked,
    `is_list` if several similar sentences are listed. `begins_with_row` is True if the first sentence is a
    table row, and `asked_cell` its cell that is asked for, if known.
    """

    question: Question
    context: Context
    warnings: list[str]
    themes: Sequence[Theme] = ()
    mode: Mode = Mode.EXTRACTIVE
    model: str | None = None
    complete: bool = True
    sentences: list[Sentence] = field(default_factory=list)
    removed_citations: list[RemovedCitation] = field(default_factory=list)
    texts_by_source_number: dict[int, list[str]] = field(default_factory=dict)
    verdict_by_index: Mapping[int, bool] = field(default_factory=dict)
    is_denied: bool = False
    is_list: bool = False
    begins_with_row: bool = False
    asked_cell: tuple[SpanKind, str] | None = None

    def add_sentence(
        self, text: str, source_numbers: Sequence[int], *, supported: bool = False, quote: str | None = None
    ) -> SentenceWritten:
        """Add a sentence; `quote` is its wording in the source if known."""
        cited_sources = [source for source in self.context.sources if source.number in source_numbers]
        has_support = (
            True
            if supported
            else is_supported(self._remove_community_title(text, source_numbers), cited_sources)
        )
        sentence = Sentence(len(self.sentences), text, tuple(source_numbers), has_support)
        self.sentences.append(sentence)
        for number in source_numbers:
            self.texts_by_source_number.setdefault(number, []).append(quote or text)
        return SentenceWritten(sentence)

    def _remove_community_title(self, text: str, source_numbers: Sequence[int]) -> str:
        """Remove the title of a community from the sentence, if the community's findings cite all these
        sources.

        The title sums up the community; no single source has to contain all of its names.
        """
        for theme in self.themes:
            theme_numbers = {number for _, cited_numbers in theme.findings for number in cited_numbers}
            if text.startswith(f"{theme.title}: ") and theme_numbers.issuperset(source_numbers):
                return text.removeprefix(f"{theme.title}: ")
        return text

    def add_cited_sentences(self, sentences: Sequence[CitedSentence]) -> Iterator[SentenceWritten]:
        for sentence in sentences:
            index = len(self.sentences) - (0 if sentence.text else 1)
            self.removed_citations += [
                RemovedCitation(max(index, 0), mark, RemovalReason.NOT_IN_CONTEXT)
                for mark in sentence.unknown_marks
            ]
            if sentence.text:
                yield self.add_sentence(sentence.text, sentence.numbers)

    def list_sentences_to_verify(self, verify: bool) -> Sequence[Sentence]:
        """Return the sentences for the model to verify, without titles of communities; none if a model did
        not write them or `verify` is False.
        """
        if not verify or self.mode is not Mode.MODEL:
            return ()
        return [
            replace(sentence, text=self._remove_community_title(sentence.text, sentence.citations))
            for sentence in self.sentences
        ]

    def finish_answer(
        self, citations: dict[int, Citation], retrieval: RetrievalResult, call_records: Sequence[CallRecord]
    ) -> FinalAnswer:
        """Return the answer with the citations that are still valid; remove and report the others."""
        sentences = []
        for drafted_sentence in self.sentences:
            removed_numbers = [number for number in drafted_sentence.citations if number not in citations]
            self.removed_citations += [
                RemovedCitation(drafted_sentence.index, f"[{number}]", RemovalReason.GONE)
                for number in removed_numbers
            ]
            valid_numbers = tuple(number for number in drafted_sentence.citations if number in citations)
            support = (
                self.verdict_by_index.get(drafted_sentence.index, drafted_sentence.supported)
                if valid_numbers
                else False
            )
            sentences.append(Sentence(drafted_sentence.index, drafted_sentence.text, valid_numbers, support))
        if self.removed_citations:
            self.warnings.append("Citations that this space does not hold were removed; see removed.")
        self.warnings += list_notes_on_citations(citations, self.context)
        if any(sentence.supported is False for sentence in sentences):
            self.warnings.append("Some sentences rest on no source; their supported is false.")
        if any(sentence.supported is None for sentence in sentences):
            self.warnings.append(
                "Nothing tells whether the sources state some sentences; their supported is null."
            )
        return FinalAnswer(
            question=self.question.text,
            mode=self.mode,
            sentences=tuple(sentences),
            citations=tuple(citations.values()),
            removed=tuple(sorted(self.removed_citations, key=lambda removal: removal.sentence)),
            context=self.context,
            graph_revision=retrieval.graph_revision,
            model=self.model,
            complete=self.complete,
            usage=_sum_usage(call_records),
            warnings=tuple(dict.fromkeys(self.warnings)),
            truncated=(*retrieval.truncated, *self.context.truncated),
            answer_span=self._find_answer_span(sentences),
            is_list=self.is_list and len(sentences) > 1,
        )

    def _find_answer_span(self, sentences: Sequence[Sentence]) -> AnswerSpan | None:
        """Return the short answer in the first sentence; None if the sentence is unsupported, something is
        denied, or the question asks for none. Of a list, only what all rows have in the column asked for.
        """
        if self.is_denied or self.themes or not sentences or sentences[0].supported is False:
            return None
        if self.asked_cell is not None:
            kind, cell_text = self.asked_cell
            start = sentences[0].text.find(cell_text)
            return AnswerSpan(kind, cell_text, 0, start, start + len(cell_text)) if start >= 0 else None
        if self.begins_with_row or self.is_list:
            return None
        return find_short_answer(self.question.text, sentences[0].text, sentences[0].index)


def _write_by_model(
    answer_draft: _AnswerDraft,
    client: ModelClient,
    tenant_id: TenantId,
    paid_calls: PaidCalls,
    retrieval: RetrievalResult,
    date_by_chunk_id: Mapping[ChunkId, datetime],
) -> Generator[Event, None, None]:
    """Yield the sentences that the model writes. If it fails, add a warning; the sentences before remain.

    `date_by_chunk_id` has the dates of the sources' chunks, which the model is shown.
    """
    if is_yes_no_about_unknown_names(retrieval):
        return
    sentence_reader = SentenceReader([source.number for source in answer_draft.context.sources])
    messages = prompt.build_messages(
        answer_draft.question.text,
        [
            prompt.render_passage(
                source.text,
                title=source.document_title,
                heading_path=source.heading_path,
                said_at=date_by_chunk_id.get(source.chunk_id),
                trust=source.trust,
            )
            for source in answer_draft.context.sources
        ],
        facts=answer_draft.context.facts,
        earlier_turns=answer_draft.question.earlier,
        readings=retrieval.readings,
        today=datetime.now(UTC).date(),
        as_of=answer_draft.question.as_of,
    )
    key = prompt.compute_key(messages, model=client.model, parameters=client.parameters)
    try:
        paid_calls.require_budget(unpriced_model=client.find_unpriced_model())
        with paid_calls.lease_text(
            key, purpose=prompt.PURPOSE, model=client.model, seconds=client.longest_stream_seconds
        ) as lease:
            answer_text = ""
            leased_answer = lease.answers.get(key)
            with closing(_read_pieces(leased_answer, client, tenant_id, messages, paid_calls)) as text_pieces:
                for text_piece in text_pieces:
                    for written_sentence in answer_draft.add_cited_sentences(
                        sentence_reader.feed(text_piece[: MAX_ANSWER_LENGTH - len(answer_text)])
                    ):
                        answer_draft.mode, answer_draft.model = Mode.MODEL, client.model
                        yield written_sentence
                    answer_text += text_piece
                    if len(answer_text) >= MAX_ANSWER_LENGTH:
                        raise MalformedReply("The answer has no end.")
            for written_sentence in answer_draft.add_cited_sentences(
                sentence_reader.read_remaining_sentences()
            ):
                answer_draft.mode, answer_draft.model = Mode.MODEL, client.model
                yield written_sentence
            if not answer_draft.sentences:
                raise MalformedReply("The answer was empty.")
            if lease.keys:
                lease.shared_answers[key] = {"text": remove_unstorable_characters(answer_text)}
    except _MODEL_ERRORS as error:
        if answer_draft.sentences:
            answer_draft.complete = False
            answer_draft.warnings.append("The model stopped before the end of its answer.")
            yield Interruption(error.code, "The model stopped before the end of its answer.")
        else:
            answer_draft.warnings.append(f"{explain_model_failure(error)} {_ONLY_QUOTES}")


def _read_pieces(
    leased_answer: Mapping[str, str] | None,
    client: ModelClient,
    tenant_id: TenantId,
    messages: Sequence[Message],
    paid_calls: PaidCalls,
) -> Generator[str, None, None]:
    """Yield the text that was passed on, else the pieces of the model's answer; record what the call cost.

    Raises the errors of the call and of the reservation.
    """
    if leased_answer is not None:
        yield leased_answer["text"]
        return
    call_records: list[CallRecord] = []
    prompt_tokens = sum(count_tokens(message["content"]) for message in messages)
    reservation_id = paid_calls.reserve_cost_of_answer(client, prompt_tokens)
    try:
        with closing(client.stream(tenant_id, prompt.PURPOSE, messages, call_records)) as text_pieces:
            yield from text_pieces
    finally:
        paid_calls.store_answers_and_costs({}, call_records, reservation_id=reservation_id)


def _list_denial_notes(answer_draft: _AnswerDraft, retrieval: RetrievalResult) -> list[str]:
    """Return notes on denials of what was asked, which the model may have missed."""
    denials = list_asked_denials(retrieval)
    is_whole_answer = is_answered_by_denials(retrieval, denials)
    return [
        f"{denied_sentence.text} [{denied_sentence.source.number}]"
        for denied_sentence in write_denials(
            denials, answer_draft.context.sources, is_whole_answer=is_whole_answer
        )
    ]


def _write_by_quotes(
    answer_draft: _AnswerDraft,
    retrieval: RetrievalResult,
    chooser: Chooser | None = None,
    read_tables: Callable[[Sequence[TableCells]], Context] | None = None,
) -> Iterator[Event]:
    """Yield the denials of what was asked, then the best quotes with citations; claims that have ended, if
    only these answer. If the question is refused, yield nothing and add the reason to the warnings.

    If table rows answer, `read_tables` adds the other stored rows of their tables.
    """
    denials = list_asked_denials(retrieval)
    is_whole_answer = is_answered_by_denials(retrieval, denials)
    denied_sentences = list(
        write_denials(denials, answer_draft.context.sources, is_whole_answer=is_whole_answer)
    )
    if denied_sentences:
        answer_draft.is_denied = not all(
            denied_sentence.is_upheld or denied_sentence.is_less_trusted
            for denied_sentence in denied_sentences
        )
        return (
            yield from _write_denials(
                answer_draft, retrieval, denied_sentences, is_whole_answer=is_whole_answer, chooser=chooser
            )
        )
    quotes = choose_quotes_or_refuse(retrieval, answer_draft.context, chooser)
    if ended_sentences := list_ended_answers(retrieval, answer_draft.context, quotes, chooser):
        answer_draft.is_denied = True
        for ended_sentence in ended_sentences:
            sentence_text = _write_quote(ended_sentence.source, ended_sentence.quote)
            yield answer_draft.add_sentence(
                f"{ended_sentence.opening}: {sentence_text}",
                (ended_sentence.source.number,),
                supported=True,
                quote=ended_sentence.quote,
            )
        return
    if not quotes.quotes:
        answer_draft.mode = Mode.NOTHING
        # Which names are unknown the reason says itself, and nothing is quoted.
        omitted_warnings = (WITHOUT_MODEL, *(retrieval.readings if retrieval.unknown_names else ()))
        answer_draft.warnings = [
            warning for warning in answer_draft.warnings if warning not in omitted_warnings
        ]
        answer_draft.warnings.append(quotes.reason or NO_ANSWER_REASON)
        return
    if quotes.tables and read_tables is not None:
        quotes = _add_further_rows(answer_draft, retrieval, quotes, read_tables(quotes.tables))
    if quotes.is_unsure:
        answer_draft.warnings.append("It is not sure that the quotes answer the question.")
    answer_draft.is_list = quotes.is_list or asks_for_several(answer_draft.question.text)
    if quotes.omitted_count:
        answer_draft.warnings.append(
            f"{quotes.omitted_count} more say the same of others and are not quoted."
        )
    yield from _write_quotes(answer_draft, quotes)


def _write_denials(
    answer_draft: _AnswerDraft,
    retrieval: RetrievalResult,
    denied_sentences: Sequence[DeniedSentence],
    *,
    is_whole_answer: bool,
    chooser: Chooser | None,
) -> Iterator[Event]:
    """Yield the denied sentences, and the best quotes before them if these say who or what it is, else after
    them. If the denials alone are the answer, nothing else is quoted; nor is a sentence that is merely near
    to what has ended.
    """
    # What only a less trusted source denies is quoted as if it did not.
    earlier_quotes = [
        (denied_sentence.source.number, denied_sentence.quote)
        for denied_sentence in denied_sentences
        if not denied_sentence.is_upheld
    ]
    other_quotes = (
        Quotes()
        if is_whole_answer
        else choose_quotes_for_retrieved(
            retrieval, answer_draft.context, earlier_quotes=earlier_quotes, chooser=chooser
        )
    )
    if all(denied_sentence.is_about_end for denied_sentence in denied_sentences) and not is_stated_or_sure(
        other_quotes, chooser
    ):
        other_quotes = Quotes()
    # The answer to "who" says first who it is, then who it is not.
    are_quotes_first = other_quotes.coverage >= MIN_SHARE_OF_WHOLE_QUESTION or any(
        denied_sentence.is_upheld for denied_sentence in denied_sentences
    )
    if are_quotes_first:
        yield from _write_quotes(answer_draft, other_quotes)
    quoted_keys = (
        {(source.number, text) for source, text in other_quotes.quotes} if are_quotes_first else set()
    )
    for denied_sentence in denied_sentences:
        if denied_sentence.is_upheld and (denied_sentence.source.number, denied_sentence.text) in quoted_keys:
            continue
        # "Since 2024" may be the date of the document: the quote itself says what is claimed.
        yield answer_draft.add_sentence(
            denied_sentence.text, (denied_sentence.source.number,), supported=True
        )
    if not are_quotes_first:
        yield from _write_quotes(answer_draft, other_quotes)


def _add_further_rows(
    answer_draft: _AnswerDraft,
    retrieval: RetrievalResult,
    quotes: Quotes,
    extended_context: Context,
) -> Quotes:
    """Return the answering rows of an extended context, and add the sources that they cite to the answer.
    Return the quotes unchanged if no row is added.
    """
    if len(extended_context.sources) == len(answer_draft.context.sources):
        return quotes
    all_quotes = choose_quotes_for_retrieved(retrieval, extended_context)
    if not all_quotes.tables:
        return quotes
    cited_numbers = {source.number for source, _ in all_quotes.quotes}
    answer_draft.context = remove_uncited_sources(extended_context, answer_draft.context, cited_numbers)
    return all_quotes


def answer_by_quotes(
    question: Question, retrieval: RetrievalResult, context: Context, *, chooser: Chooser | None = None
) -> list[Sentence]:
    """Return the sentences of an answer without a model; [] if the question is refused. `chooser` is the
    trained one by default.
    """
    answer_draft = _AnswerDraft(question, context, [])
    if context.sources:
        list(_write_by_quotes(answer_draft, retrieval, chooser))
    return answer_draft.sentences


def _write_quotes(answer_draft: _AnswerDraft, quotes: Quotes) -> Iterator[Event]:
    if quotes.quotes and not answer_draft.sentences:
        source, text = quotes.quotes[0]
        answer_draft.begins_with_row = bool(
            split_row_or_record_into_cells(text, source.text, source.heading_path)
        )
        answer_draft.asked_cell = quotes.asked_cell
    for source, text in quotes.quotes:
        yield answer_draft.add_sentence(
            _write_quote(source, text), (source.number,), supported=True, quote=text
        )


def _write_quote(source: Source, text: str) -> str:
    """Return a quote as a sentence of the answer: cells and values with their names, lines joined."""
    labelled_text = (
        label_table_cells_or_return_unchanged(text, source.text, source.heading_path) if "|" in text else text
    )
    return join_quote_lines_except_list_items(labelled_text)


def _write_by_themes(answer_draft: _AnswerDraft) -> Iterator[Event]:
    """Yield a sentence for each of the first communities: its title and its strongest finding."""
    if len(answer_draft.themes) > QUOTED_REPORTS:
        read_count = len(answer_draft.themes)
        answer_draft.warnings.append(
            f"Of {read_count} communities that were read, the {QUOTED_REPORTS} most relevant are quoted."
        )
    for theme in answer_draft.themes[:QUOTED_REPORTS]:
        text, source_numbers = theme.findings[0]
        yield answer_draft.add_sentence(
            f"{theme.title}: {text}",
            source_numbers,
            supported=_ends_with_quote_of_sources(text, answer_draft, source_numbers),
        )


def _ends_with_quote_of_sources(text: str, answer_draft: _AnswerDraft, source_numbers: Sequence[int]) -> bool:
    """Return whether a finding is a claim of the graph, which ends with a quote of its evidence."""
    _, opening_quote, quote = text.rpartition("“")
    cited_texts = [source.text for source in answer_draft.context.sources if source.number in source_numbers]
    return (
        bool(opening_quote)
        and text.endswith("”")
        and any(quote[:-1] in source_text for source_text in cited_texts)
    )


def _sum_usage(call_records: Sequence[CallRecord]) -> Usage:
    return Usage(
        len(call_records),
        sum(call.prompt_tokens for call in call_records),
        sum(call.completion_tokens for call in call_records),
        sum((call.cost_usd for call in call_records), Decimal(0)),
    )
