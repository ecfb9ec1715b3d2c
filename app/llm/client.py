"""The client of model servers: the openai package against any compatible server.

Replies are not trusted and every call has a deadline. The package's own retries are off: only `exchange`
and `stream` retry (rule J7 of docs/reliability.md).
"""

import copy
import json
import os
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from app.errors import ConfigurationError
from app.ids import TenantId
from app.lazy import import_object
from app.llm.breaker import Breaker, Breakers
from app.llm.call_pool import CallPool
from app.llm.call_records import CallRecord
from app.llm.deadline import limit_seconds
from app.llm.errors import MalformedReply, ModelRefused, ModelUnavailable, Parked, name_model_in_errors
from app.llm.model_features import (
    PROBE_MESSAGES,
    PROBE_PURPOSE,
    PROBE_SCHEMA,
    PROBE_TEXTS,
    CallKind,
    Features,
    FeatureTable,
    may_be_unsupported_parameter,
)
from app.llm.prices import PriceTable, build_price_table, compute_cost_usd, has_price
from app.llm.retries import ATTEMPTS, MAX_WAIT, TryAgain, call_with_retries, translate_and_report_failures
from app.llm.servers import NO_KEY, ModelServer, get_chat_model, get_chat_server, get_embedding_server
from app.llm.streaming import TextStream, build_request_body_of_stream
from app.llm.structured_output import (
    Question,
    Reply,
    build_request_body,
    estimate_tokens,
    parse_chat_response,
)
from app.observability import tracing
from app.settings import Settings

if TYPE_CHECKING:
    from openai import OpenAI

CONNECT_TIMEOUT = 5.0
RECOVERY_SECONDS = 6.0
"""Deadline in seconds of the small request that tests whether a failed server has recovered."""
# Limits while a person waits: attempts, and the longest wait in seconds that a server may ask for.
MAX_STREAM_ATTEMPTS, MAX_STREAM_WAIT = 2, 2.0
REQUEST_PARAMETERS: Mapping[str, Any] = {"temperature": 0}

Result = TypeVar("Result")


class ModelClient:
    """A client for one server and one chat model, shared by all jobs and tenants of a process.

    Create it after a fork. `timeout` limits the wall time of one attempt in seconds, including slow replies;
    `sleep` waits between attempts. Every request is appended to the caller's list of records, even if an
    error is raised.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        model: str,
        timeout: float = 60.0,
        parallel: int = 8,
        prices: PriceTable | None = None,
        attempts: int = ATTEMPTS,
        breakers: Breakers | None = None,
        sleep: Callable[[float], None] = time.sleep,
        record: Path | None = None,
        replay: Path | None = None,
    ) -> None:
        """`record` is a folder to record requests in; `replay` is a recording to answer from.

        Raises ConfigurationError for an unusable folder.
        """
        self.model = model
        self.base_url = base_url
        self.parameters = REQUEST_PARAMETERS
        self.features = FeatureTable()
        # More threads than slots for calls: while calls are under way, other threads store the answers.
        self.pool = CallPool(parallel + parallel // 2)
        self._call_slots = threading.BoundedSemaphore(parallel)
        self.parallel = parallel
        self._timeout = timeout
        self._prices = prices or {}
        self._attempts = attempts
        self._breakers = breakers or Breakers(time.monotonic)
        self._sleep = sleep
        # Models that were called for vectors: a probe must call them in the same way.
        self._embedding_models: set[str] = set()
        self._pid = os.getpid()
        httpx = import_object("httpx2")
        self._openai: OpenAI = import_object("openai").OpenAI(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            http_client=httpx.Client(
                transport=_make_transport(
                    2 * parallel, base_url=base_url, api_key=api_key, record=record, replay=replay
                ),
                timeout=httpx.Timeout(timeout, connect=min(CONNECT_TIMEOUT, timeout)),
            ),
        )

    @classmethod
    def create_for_chat(cls, settings: Settings, *, attempts: int = ATTEMPTS) -> Self:
        """Return the client of the configured chat model. Raises ConfigurationError if there is none."""
        server, model = get_chat_server(settings), get_chat_model(settings)
        if server is None or model is None:
            raise ConfigurationError(
                "No chat model is configured: set OPENAI_API_KEY, OPENAI_BASE_URL or both, and"
                " CITEGRAPH_LLM_MODEL."
            )
        return cls._record_settings_and_create_for_server(server, model, settings, attempts)

    @classmethod
    def create_for_embeddings(cls, settings: Settings, *, attempts: int = ATTEMPTS) -> Self:
        """Return the client of the embedding server. Raises ConfigurationError if none is configured."""
        server = get_embedding_server(settings)
        if server is None:
            raise ConfigurationError("No embedding server is configured: set CITEGRAPH_EMBEDDING_BASE_URL.")
        return cls._record_settings_and_create_for_server(
            server, settings.embedding_model or "", settings, attempts
        )

    @classmethod
    def _record_settings_and_create_for_server(
        cls, server: ModelServer, model: str, settings: Settings, attempts: int
    ) -> Self:
        if settings.llm_record is not None:
            _store_recorded_settings(settings.llm_record, settings)
        return cls(
            api_key=server.api_key,
            base_url=server.base_url,
            model=model,
            timeout=settings.llm_timeout,
            parallel=settings.llm_parallel,
            prices=build_price_table(settings),
            attempts=attempts,
            record=settings.llm_record,
            replay=settings.llm_replay,
        )

    def with_model(self, model: str) -> Self:
        """Return this client for another model of the same server.

        Threads, connections and breakers are shared; they are closed with this client.
        """
        client = copy.copy(self)
        client.model = model
        return client

    def create_for_probe(self) -> Self:
        """Return this client for a question whose failure says nothing about the server.

        It makes one attempt, and no breaker of other calls counts the failure.
        """
        client = copy.copy(self)
        client._attempts = 1
        client._breakers = Breakers(time.monotonic)
        return client

    def compute_cost_usd(
        self, prompt_tokens: int, completion_tokens: int, *, model: str | None = None
    ) -> Decimal:
        """Return the US dollars that a call of that size costs; `model` is by default the chat model."""
        return compute_cost_usd(
            self._prices,
            model or self.model,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
        )

    @property
    def longest_call_seconds(self) -> float:
        """Maximum seconds of a call, including all attempts and the waits between them."""
        return self._attempts * 2 * (self._timeout + MAX_WAIT)

    @property
    def longest_stream_seconds(self) -> float:
        """Maximum seconds of an answer in pieces, including all attempts and waits."""
        return self._timeout

    def find_unpriced_model(self, model: str | None = None) -> str | None:
        """Return the model (by default the chat model) if its price is unknown, else None."""
        model_name = model or self.model
        return None if has_price(self._prices, model_name) else model_name

    def probe_and_close_recovered_breakers(self) -> bool:
        """Send a small request to each model whose breaker is open; return whether one has recovered.

        All breakers of a recovered model are closed. A provider that named a time is not called before it.
        The request counts for no job and no budget, and its answer is a few tokens.
        """
        has_recovered = False
        breaker_by_key = self._breakers.list_retryable_breakers()
        for model in {key[-1] for key in breaker_by_key if isinstance(key, tuple)}:
            if self._answers_probe(model):
                has_recovered = True
                for key, breaker in breaker_by_key.items():
                    if isinstance(key, tuple) and key[-1] == model:
                        breaker.record_answer_and_close()
        return has_recovered

    def _answers_probe(self, model: str) -> bool:
        """Return whether the model answers a small request now."""
        if model not in self._embedding_models:
            question = Question(PROBE_PURPOSE, PROBE_MESSAGES, PROBE_SCHEMA)
            features = self.features.get_features(CallKind.CHAT, model)
            path, request_body = (
                "/chat/completions",
                build_request_body(question, model, features, self.parameters),
            )
        else:
            path, request_body = "/embeddings", {"model": model, "input": list(PROBE_TEXTS)}
        try:
            with limit_seconds(RECOVERY_SECONDS):
                # A breaker of its own, so that the result of this request opens no tenant's breaker.
                answer = json.loads(self._post_json(path, request_body, Breaker(time.monotonic)))
        except ModelRefused as refusal:
            return refusal.http_status not in (401, 402, 403)
        except MalformedReply:
            return True
        except (TryAgain, Parked, ValueError):
            return False
        return isinstance(answer, dict) and bool(answer.get("choices") or answer.get("data"))

    def close(self) -> None:
        """Close threads and connections."""
        self.pool.close()
        self._openai.close()

    def ask(self, tenant_id: TenantId, question: Question, calls: list[CallRecord]) -> dict[str, Any]:
        """Return the JSON object that the model answered; the caller must validate its content.

        Raises MalformedReply, ModelRefused, ModelUnavailable or Parked.
        """

        def exchange(sent_question: Question, features: Features) -> Reply:
            return self.request_reply(
                tenant_id,
                sent_question.purpose,
                self.model,
                "/chat/completions",
                build_request_body(sent_question, self.model, features, self.parameters),
                partial(parse_chat_response, schema=sent_question.schema),
                estimate_tokens("".join(message["content"] for message in sent_question.messages)),
                calls,
            )

        reply = self.call_with_features(
            CallKind.CHAT,
            self.model,
            partial(exchange, question),
            probe=partial(exchange, Question(PROBE_PURPOSE, PROBE_MESSAGES, PROBE_SCHEMA)),
        )
        assert isinstance(reply.value, dict)
        return reply.value

    def stream(
        self,
        tenant_id: TenantId,
        purpose: str,
        messages: Sequence[Mapping[str, str]],
        calls: list[CallRecord],
    ) -> Generator[str, None, None]:
        """Yield the model's answer as free text, in pieces as they arrive.

        The whole answer, including attempts and waits, takes at most the timeout of one call. Nothing is
        retried once the answer has begun. Its cost is added to `calls` when the iterator ends, fails or is
        closed. Raises what `ask` raises, possibly in the middle of the answer.
        """
        breaker = self._get_breaker(tenant_id, self.model)
        ends_at = time.monotonic() + self.longest_stream_seconds
        estimated_tokens = estimate_tokens("".join(message["content"] for message in messages))
        stream = self._open_stream(breaker, purpose, messages, ends_at, calls)
        received_texts: list[str] = []
        outcome = "interrupted"
        try:
            for text_piece in stream:
                received_texts.append(text_piece)
                yield text_piece
            outcome = "ok"
        except TryAgain as error:
            outcome = error.outcome
            with name_model_in_errors(self.model, self.base_url):
                raise ModelUnavailable(error.reason) from error
        except MalformedReply:
            outcome = "malformed"
            if not stream.has_begun:
                breaker.record_failure("it answers with something else")
            raise
        finally:
            stream.close()
            if outcome == "interrupted" and not stream.has_begun:
                breaker.allow_another_probe()
            prompt_tokens, completion_tokens = 0, 0
            if stream.has_begun:
                # A stream that ends early does not report its usage: estimate it.
                prompt_tokens = stream.prompt_tokens or estimated_tokens
                completion_tokens = stream.completion_tokens or estimate_tokens("".join(received_texts))
            elapsed_ms = round((time.monotonic() - stream.started_at) * 1000)
            cost = self.compute_cost_usd(prompt_tokens, completion_tokens)
            _record_call(
                calls,
                CallRecord(purpose, self.model, prompt_tokens, completion_tokens, cost, elapsed_ms, outcome),
            )

    def _open_stream(
        self,
        breaker: Breaker,
        purpose: str,
        messages: Sequence[Mapping[str, str]],
        ends_at: float,
        calls: list[CallRecord],
    ) -> TextStream:
        """Return a stream that the server has begun, with the features that the model understands."""

        def open_with_retries(
            sent_messages: Sequence[Mapping[str, str]], sent_purpose: str, features: Features
        ) -> TextStream:
            return call_with_retries(
                partial(open_once, sent_messages, sent_purpose, features),
                attempts=min(self._attempts, MAX_STREAM_ATTEMPTS),
                sleep=self._sleep,
                purpose=sent_purpose,
                breaker=breaker,
                max_requested_wait=min(MAX_STREAM_WAIT, ends_at - time.monotonic()),
            )

        def open_once(
            sent_messages: Sequence[Mapping[str, str]], sent_purpose: str, features: Features
        ) -> TextStream:
            breaker.admit_call()
            started_at, outcome = time.monotonic(), "interrupted"
            try:
                request_body = build_request_body_of_stream(
                    sent_messages, self.model, features, self.parameters
                )
                stream = TextStream(self._openai, request_body, ends_at=ends_at, breaker=breaker)
                outcome = "ok"
                return stream
            except TryAgain as error:
                outcome = error.outcome
                raise
            except (ModelRefused, MalformedReply):
                outcome = "refused"
                raise
            finally:
                if outcome == "interrupted":
                    breaker.allow_another_probe()
                # The cost of an answer is recorded at its end. A probe is not read to its end; its few tokens
                # are not counted.
                if outcome != "ok" or sent_purpose == PROBE_PURPOSE:
                    elapsed_ms = round((time.monotonic() - started_at) * 1000)
                    _record_call(
                        calls,
                        CallRecord(sent_purpose, self.model, latency_ms=elapsed_ms, outcome=outcome),
                    )

        def probe(features: Features) -> None:
            open_with_retries(PROBE_MESSAGES, PROBE_PURPOSE, features).close()
            breaker.allow_another_probe()

        return self.call_with_features(
            CallKind.STREAM, self.model, partial(open_with_retries, messages, purpose), probe=probe
        )

    def call_with_features(
        self,
        kind: CallKind,
        model: str,
        call: Callable[[Features], Result],
        *,
        probe: Callable[[Features], object],
    ) -> Result:
        """Return the result of a call made with the features that the model understands.

        If the call is refused, `probe` finds out what the model understands, for all callers. A refusal that
        this does not explain concerns only this call: it is retried with weaker formats, and nothing is
        remembered.
        """
        with name_model_in_errors(model, self.base_url):
            return self._negotiate_features(kind, model, call, probe=probe)

    def _negotiate_features(
        self,
        kind: CallKind,
        model: str,
        call: Callable[[Features], Result],
        *,
        probe: Callable[[Features], object],
    ) -> Result:
        features = self.features.get_features(kind, model)
        try:
            return call(features)
        except ModelRefused as refusal:
            if not may_be_unsupported_parameter(refusal):
                raise
            last_refusal = refusal
        understood_features = self.features.determine_features_by_probe(kind, model, probe)
        untried_features = (
            [understood_features]
            if understood_features is not None and understood_features != features
            else []
        )
        if understood_features is not None and kind is CallKind.CHAT:
            untried_features += understood_features.list_weaker_formats()
        for weaker_features in untried_features:
            try:
                return call(weaker_features)
            except ModelRefused as refusal:
                if not may_be_unsupported_parameter(refusal):
                    raise
                last_refusal = refusal
        raise last_refusal

    def request_reply(
        self,
        tenant_id: TenantId,
        purpose: str,
        model: str,
        path: str,
        request_body: Mapping[str, Any],
        parse_response: Callable[[bytes], Reply],
        estimated_tokens: int,
        calls: list[CallRecord],
    ) -> Reply:
        """Return a reply without a fault, after at most `attempts` requests. Raises what `ask` raises."""
        breaker = self._get_breaker(tenant_id, model)
        if path == "/embeddings":
            self._embedding_models.add(model)

        def send_and_record_request() -> Reply:
            breaker.admit_call()
            started_at = time.monotonic()
            reply, outcome = Reply(), "interrupted"
            try:
                response_bytes = self._post_json(path, request_body, breaker)
                reply = parse_response(response_bytes)
                outcome = "ok" if reply.fault is None else "malformed"
                if reply.is_our_schema:
                    breaker.record_answer_and_close()
                else:
                    breaker.record_failure("it answers with something else")
            except TryAgain as error:
                outcome = error.outcome
                raise
            except (ModelRefused, MalformedReply):
                outcome = "refused"
                raise
            finally:
                if outcome == "interrupted":
                    breaker.allow_another_probe()
                is_paid = outcome == "ok" or (outcome == "malformed" and reply.is_our_schema)
                sent_tokens = (reply.prompt_tokens or estimated_tokens) if is_paid else 0
                cost = compute_cost_usd(
                    self._prices, model, prompt_tokens=sent_tokens, completion_tokens=reply.completion_tokens
                )
                elapsed_ms = round((time.monotonic() - started_at) * 1000)
                received_tokens = reply.completion_tokens
                _record_call(
                    calls, CallRecord(purpose, model, sent_tokens, received_tokens, cost, elapsed_ms, outcome)
                )
            if reply.fault is not None:
                raise MalformedReply(reply.fault)
            return reply

        def send_in_call_slot() -> Reply:
            with self._call_slots:
                return send_and_record_request()

        return call_with_retries(
            send_in_call_slot, attempts=self._attempts, sleep=self._sleep, purpose=purpose, breaker=breaker
        )

    def _get_breaker(self, tenant_id: TenantId, model: str) -> Breaker:
        if os.getpid() != self._pid:
            raise RuntimeError("A model client does not survive a fork: make one per process.")
        # One breaker per model: a key without access to one model may still use the others.
        return self._breakers.get_breaker((tenant_id, self.base_url, model))

    def _post_json(self, path: str, request_body: Mapping[str, Any], breaker: Breaker) -> bytes:
        with translate_and_report_failures(breaker), limit_seconds(self._timeout):
            response = self._openai.post(
                path, cast_to=import_object("httpx2").Response, body=dict(request_body)
            )
            return bytes(response.content)


def _make_transport(
    max_connections: int, *, base_url: str, api_key: str, record: Path | None, replay: Path | None
) -> Any:
    """Return the transport: network connections, optionally recorded, or the replay of a recording."""
    if replay is not None:
        if record is not None:
            raise ConfigurationError("CITEGRAPH_LLM_RECORD and CITEGRAPH_LLM_REPLAY cannot both be set.")
        recording = import_object("app.llm.conversations:Recording")(replay)
        return import_object("app.llm.conversation_transports:ReplayingTransport")(
            recording, base_url=base_url
        )
    sender = import_object("app.llm.deadline_transport:DeadlineTransport")(max_connections=max_connections)
    if record is None:
        return sender
    folder = import_object("app.llm.conversations:ConversationFolder")(record)
    return import_object("app.llm.conversation_transports:RecordingTransport")(
        sender, folder, base_url=base_url, secret=None if api_key == NO_KEY else api_key
    )


def _store_recorded_settings(record: Path, settings: Settings) -> None:
    try:
        import_object("app.llm.conversations:ConversationFolder")(record).store_settings(settings)
    except OSError as error:
        raise ConfigurationError(f"CITEGRAPH_LLM_RECORD: {record}: {error.strerror}.") from error


def _record_call(call_records: list[CallRecord], call_record: CallRecord) -> None:
    call_records.append(call_record)
    tracing.record_span(
        "model call",
        seconds=call_record.latency_ms / 1000,
        purpose=call_record.purpose,
        model=call_record.model,
        outcome=call_record.outcome,
        tokens__sent=call_record.prompt_tokens,
        tokens__received=call_record.completion_tokens,
    )
