"""Write the sentences of an answer by a model (requirement 10)."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime

from app.answers.answer_draft import AnswerDraft
from app.answers.citations import SentenceReader
from app.answers.denial_sentences import (
    are_denials_whole_answer,
    iterate_denied_sentences,
    list_denials_asked_about,
)
from app.answers.paid_calls import PaidCalls, explain_model_failure
from app.answers.refusal import is_yes_no_about_unknown_names
from app.answers.shapes import Event, Interruption, Mode
from app.documents.token_counts import count_tokens
from app.ids import ChunkId, TenantId
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted, MalformedReply, ModelRefused, ModelUnavailable, Parked
from app.llm.prompts import answer as prompt
from app.llm.prompts.shapes import Message, remove_unstorable_characters
from app.retrieval.shapes import RetrievalResult

MAX_ANSWER_LENGTH = 20_000
"""Length, in characters, at which a model's answer is stopped."""
_ONLY_QUOTES = "The answer only quotes."
MODEL_ERRORS = (BudgetExhausted, MalformedReply, ModelRefused, ModelUnavailable, Parked)


def write_answer_by_model(
    answer_draft: AnswerDraft,
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
        paid_calls.require_money_and_tokens_left(unpriced_model=client.find_unpriced_model())
        with paid_calls.lease_answer_or_wait(
            key,
            purpose=prompt.PURPOSE,
            model=client.model,
            seconds=client.longest_stream_seconds,
            request_key=answer_draft.question.request_key,
        ) as lease:
            answer_text = ""
            leased_answer = lease.answers.get(key)
            with closing(
                _stream_pieces_of_answer_and_record_cost(
                    leased_answer, client, tenant_id, messages, paid_calls
                )
            ) as text_pieces:
                for text_piece in text_pieces:
                    for written_sentence in answer_draft.add_sentences_and_note_unknown_sources(
                        sentence_reader.feed_and_take_sentences(
                            text_piece[: MAX_ANSWER_LENGTH - len(answer_text)]
                        )
                    ):
                        answer_draft.mode, answer_draft.model = Mode.MODEL, client.model
                        yield written_sentence
                    answer_text += text_piece
                    if len(answer_text) >= MAX_ANSWER_LENGTH:
                        raise MalformedReply("The answer has no end.")
            for written_sentence in answer_draft.add_sentences_and_note_unknown_sources(
                sentence_reader.take_remaining_sentences()
            ):
                answer_draft.mode, answer_draft.model = Mode.MODEL, client.model
                yield written_sentence
            if not answer_draft.sentences:
                raise MalformedReply("The answer was empty.")
            if lease.keys:
                lease.shared_answers[key] = {"text": remove_unstorable_characters(answer_text)}
    except MODEL_ERRORS as error:
        if answer_draft.sentences:
            answer_draft.complete = False
            answer_draft.warnings.append("The model stopped before the end of its answer.")
            yield Interruption(error.code, "The model stopped before the end of its answer.")
        else:
            answer_draft.warnings.append(f"{explain_model_failure(error)} {_ONLY_QUOTES}")


def _stream_pieces_of_answer_and_record_cost(
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
        paid_calls.store_answers_and_release_reservation({}, call_records, reservation_id=reservation_id)


def list_denial_notes(answer_draft: AnswerDraft, retrieval: RetrievalResult) -> list[str]:
    """Return notes on denials of what was asked, which the model may have missed."""
    denials = list_denials_asked_about(retrieval)
    is_whole_answer = are_denials_whole_answer(retrieval, denials)
    return [
        f"{denied_sentence.text} [{denied_sentence.source.number}]"
        for denied_sentence in iterate_denied_sentences(
            denials, answer_draft.context.sources, is_whole_answer=is_whole_answer
        )
    ]
