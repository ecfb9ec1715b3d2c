"""Ask a model about many passages: cached answers are free, the others are asked several in a call.

Answers are validated and committed before they are used. A passage without a valid answer is asked again
once, with the fault named; if that fails too, only its items that do not fit are dropped, or, if none fits,
only that passage fails (requirement 5.3).
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from app.documents.token_counts import count_tokens
from app.ids import ChunkId, TenantId
from app.jobs.context import JobContext
from app.jobs.states import StopRequested
from app.llm.call_records import Answer, AnswerStore, CallRecord, ChunksByAnswerKey
from app.llm.client import ModelClient
from app.llm.errors import MalformedReply
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.model_calls.malformed_answer_retries import (
    Call,
    CallResult,
    Fault,
    KeyedPassage,
    MalformedAnswerRetries,
)
from app.llm.prompts.examples import ENGLISH
from app.llm.prompts.shapes import Prompt
from app.llm.structured_output import Question, build_schema_format

MAX_PASSAGES = 16
"""Passages in one call. Tokens limit the size of an answer, so many short passages can share a prompt."""
MAX_PASSAGE_TOKENS = 2_400
"""Tokens of passages in one call, so that the answer fits into a model's output limit."""
MAX_ANSWER_RATIO = 2.6
"""Completion tokens for each token of a passage, for reservations and for estimates without measured calls.

An upper bound. Measured over examples/corpus with the model double, which writes every field of a relation:
up to 2.5.
"""
ADDED_ANSWER_TOKENS = 100
"""Additional completion tokens for each passage: names come with types and quotes."""
FIRST_PAUSE, MAX_PAUSE = 0.05, 1.0
"""Seconds between two looks for answers that another asker is asking for."""


class CallSize(NamedTuple):
    """How much one call asks about.

    Up to `passages` passages, within the token limit; with `one_thing`, one passage and relations of one
    name.
    """

    passages: int = MAX_PASSAGES
    one_thing: bool = False

    @property
    def max_passages(self) -> int:
        """Maximum number of passages in one call."""
        return 1 if self.one_thing else self.passages


DEFAULT_CALL_SIZE = CallSize()


@dataclass
class Asker:
    """Asks about passages on behalf of one job.

    One thread at a time may call `ask`; the model calls run in the client's pool, and each commits its own
    answers. If another asker of the space, in any process, is asking about the same passage, it waits for
    that answer.
    """

    client: ModelClient
    answers: AnswerStore
    tenant_id: TenantId
    is_stop_requested: Callable[[], bool] = lambda: False
    max_passages: int = MAX_PASSAGES
    _sources: ChunksByAnswerKey = field(default_factory=dict)
    _retries: MalformedAnswerRetries = field(default_factory=MalformedAnswerRetries)

    def ask(
        self,
        prompt: Prompt,
        passages: Sequence[str],
        *,
        groups: Sequence[Hashable] | None = None,
        chunks: Sequence[ChunkId] | None = None,
        languages: Sequence[str | None] | None = None,
        normalise_answer: Callable[[Mapping[str, Any]], Answer] = dict,
    ) -> list[Answer | Fault]:
        """Return an answer or a fault for each passage, in order; equal passages are asked about once.

        A call holds only passages of the same group in `groups`. `chunks` are the chunks of the passages: an
        answer is kept as long as one of its chunks. Passages of the same language are asked together, and a
        call shows the example in the language of most of its passages. `normalise_answer` shortens a
        validated answer before it is stored. Raises what ModelClient raises, and StopRequested between two
        calls.
        """
        keys = [
            prompt.compute_key(passage, model=self.client.model, parameters=self.client.parameters)
            for passage in passages
        ]
        passage_by_key = dict(zip(keys, passages, strict=True))
        sources: dict[str, set[ChunkId]] = {}
        for key, chunk_id in zip(keys, chunks or (), strict=chunks is not None):
            sources.setdefault(key, set()).add(chunk_id)
        self._sources = sources
        group_by_key = dict(zip(keys, groups or [None] * len(keys), strict=True))
        language_by_key = dict(zip(keys, languages or [None] * len(keys), strict=True))
        answers: dict[str, Answer | Fault] = {}
        unanswered_keys = list(passage_by_key)
        try:
            pause_seconds = FIRST_PAUSE
            while unanswered_keys:
                with self.answers.find_answers_or_lease_keys(
                    unanswered_keys, purpose=prompt.purpose, model=self.client.model, sources=sources
                ) as lease:
                    answers |= lease.answers
                    unanswered_passages = [KeyedPassage(key, passage_by_key[key]) for key in lease.keys]
                    if len({language_by_key[key] for key, _ in unanswered_passages}) > 1 and groups is None:
                        unanswered_passages.sort(
                            key=lambda keyed_passage: language_by_key[keyed_passage.key] or ""
                        )
                    batch_calls = [
                        Call(batch, _find_most_common_language(language_by_key[key] for key, _ in batch))
                        for batch in split_batches(unanswered_passages, group_by_key, self.max_passages)
                    ]
                    for batch_answers in self.client.pool.map(
                        partial(self._retries.ask, partial(self._ask_once, prompt, normalise_answer)),
                        batch_calls,
                    ):
                        answers |= batch_answers
                unanswered_keys = [key for key in unanswered_keys if key not in answers]
                if unanswered_keys:
                    # Others ask about these: they store the answers, or end their leases without.
                    if self.is_stop_requested():
                        raise StopRequested
                    time.sleep(pause_seconds)
                    pause_seconds = min(2 * pause_seconds, MAX_PAUSE)
        finally:
            self.answers.reconcile_cost_counters_of_job()
        return [answers[key] for key in keys]

    def _ask_once(
        self,
        prompt: Prompt,
        normalise_answer: Callable[[Mapping[str, Any]], Answer],
        batch_call: Call,
        fault: str | None,
    ) -> CallResult:
        """Make one call, which names the fault of the answers before if there is one; return what it gave."""
        if self.is_stop_requested():
            raise StopRequested
        call_records: list[CallRecord] = []
        answers: dict[str, Answer] = {}
        keyed_passages = batch_call.passages
        messages = prompt.build_messages(
            [passage for _, passage in keyed_passages], fault=fault, language=batch_call.language
        )
        token_bounds = estimate_token_bounds(prompt, messages, [passage for _, passage in keyed_passages])
        reservation_id = self.answers.reserve_cost(
            self.client.compute_cost_usd(*token_bounds),
            tokens=sum(token_bounds),
            seconds=self.client.longest_call_seconds,
            unpriced_model=self.client.find_unpriced_model(),
        )
        try:
            reply = self.client.ask(
                self.tenant_id, Question(prompt.purpose, messages, prompt.schema), call_records
            )
            # A second answer that does not fit either is used as far as it does.
            parsed_answers = prompt.parse_answers(
                reply,
                len(keyed_passages),
                accepts_partial_answers=prompt.has_independent_items and fault is not None,
            )
            parsed_answers = prompt.reject_incomplete_answers(
                parsed_answers, [passage for _, passage in keyed_passages], accepts_some=fault is not None
            )
            answers = {
                keyed_passages[passage_number - 1].key: normalise_answer(entry)
                for passage_number, entry in sorted(parsed_answers.entries.items())
            }
            if parsed_answers.faults and call_records[-1].outcome == "ok":
                call_records[-1] = _mark_malformed(call_records[-1])
            first_fault = parsed_answers.faults[min(parsed_answers.faults)] if parsed_answers.faults else ""
            return CallResult(answers, first_fault, not answers)
        except MalformedReply as error:
            return CallResult({}, error.fault, True)
        finally:
            passage_tokens = sum(count_tokens(passage) for _, passage in keyed_passages)
            call_records = [replace(record, passage_tokens=passage_tokens) for record in call_records]
            self.answers.store_answers_and_release_reservation(
                answers, call_records, reservation_id=reservation_id, sources=self._sources
            )


def create_asker_of_job(run: JobContext, client: ModelClient) -> Asker:
    """Return an asker for a running job; the answers are stored in the job's space, and paid for once."""
    return Asker(
        client, DatabaseAnswerStore.for_job(run.database, run.lease), run.lease.tenant_id, run.stop_requested
    )


def _find_most_common_language(languages: Iterable[str | None]) -> str:
    count_by_language = Counter(language for language in languages if language)
    return (
        max(sorted(count_by_language), key=lambda language: count_by_language[language])
        if count_by_language
        else ENGLISH
    )


class TokenBounds(NamedTuple):
    """The tokens that a call sends, including its schema, and the maximum that it may receive."""

    sent_tokens: int
    max_received_tokens: int


def estimate_token_bounds(
    prompt: Prompt, messages: Sequence[Mapping[str, str]], passages: Sequence[str]
) -> TokenBounds:
    """Return the token bounds of one call about these passages."""
    sent_tokens = sum(count_tokens(message["content"]) for message in messages)
    sent_tokens += count_tokens(
        json.dumps(build_schema_format(Question(prompt.purpose, messages, prompt.schema)))
    )
    received_tokens = MAX_ANSWER_RATIO * sum(count_tokens(passage) for passage in passages)
    return TokenBounds(sent_tokens, int(received_tokens) + ADDED_ANSWER_TOKENS * len(passages))


def split_batches(
    keyed_passages: Sequence[KeyedPassage], group_by_key: Mapping[str, Hashable], max_passages: int
) -> list[list[KeyedPassage]]:
    """Split passages into calls of at most `max_passages` and MAX_PASSAGE_TOKENS.

    A call holds at least one passage, and only passages whose keys have the same `group_by_key`.
    """
    batches: list[list[KeyedPassage]] = []
    batch_tokens = 0
    for keyed_passage in keyed_passages:
        passage_tokens = count_tokens(keyed_passage.passage)
        is_full = (
            not batches
            or len(batches[-1]) == max_passages
            or batch_tokens + passage_tokens > MAX_PASSAGE_TOKENS
        )
        if is_full or group_by_key[batches[-1][0].key] != group_by_key[keyed_passage.key]:
            batches.append([])
            batch_tokens = 0
        batches[-1].append(keyed_passage)
        batch_tokens += passage_tokens
    return batches


def _mark_malformed(call: CallRecord) -> CallRecord:
    return replace(call, outcome="malformed")
