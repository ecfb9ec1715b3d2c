"""Test the configured model servers: free text, answers by a JSON schema, vectors."""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from types import MappingProxyType

from app.errors import CitegraphError
from app.ids import TenantId, create_id
from app.llm.call_records import CallRecord, InProcessAnswerStore
from app.llm.client import ModelClient
from app.llm.embedding.embedders import is_local_model
from app.llm.embedding.openai_embedder import BadVectors, OpenAIEmbedder
from app.llm.model_features import PROBE_MESSAGES, PROBE_SCHEMA, CallKind
from app.llm.prices import build_price_table, get_publication_date_of_price, has_price
from app.llm.servers import get_chat_model
from app.llm.structured_output import Question
from app.settings import Settings

PURPOSE = "check"
_SAMPLE_TEXTS = ("The planet closest to the Sun.", "Der sonnennächste Planet.", "A recipe for bread.")
_SENTENCE_BY_FORMAT = {
    "schema": "It takes a JSON schema",
    "object": "It takes no JSON schema, but answers in JSON",
    "plain": "It takes no format at all; answers are read as they come",
}


@dataclass(frozen=True, slots=True)
class CapabilityTest:
    """The result of one test: whether it works, its duration, tokens and price, and a sentence about it."""

    what: str
    model: str
    works: bool
    seconds: float
    detail: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = None


ChatTest = Callable[[ModelClient, TenantId, list[CallRecord]], str]
"""Tests the chat model and returns a sentence about it; records its calls. Raises CitegraphError."""


def try_configured_model_servers(
    settings: Settings, chat_tests: Mapping[str, ChatTest] = MappingProxyType({})
) -> list[CapabilityTest]:
    """Test the configured model servers: chat, then JSON schema if chat works, and remote embeddings.

    `chat_tests` are further tests of a chat model that works. Nothing is stored, and no space is read. Raises
    ConfigurationError if no server is configured.
    """
    tenant_id = TenantId(create_id())
    capability_tests = []
    embedding_model = settings.embedding_model
    embeds_on_server = embedding_model is not None and not is_local_model(embedding_model)
    if get_chat_model(settings) is not None or not embeds_on_server:
        with closing(ModelClient.create_for_chat(settings, attempts=1)) as client:
            capability_tests.append(
                _try_capability("chat", client.model, settings, partial(_try_chat, client, tenant_id))
            )
            if capability_tests[0].works:
                capability_tests += [
                    _try_capability(capability, client.model, settings, partial(chat_test, client, tenant_id))
                    for capability, chat_test in {"JSON schema": _try_schema, **chat_tests}.items()
                ]
    if embedding_model is not None and embeds_on_server:
        with closing(ModelClient.create_for_embeddings(settings, attempts=1)) as client:
            try_embedding = partial(
                _try_embedding, client, embedding_model, settings.embedding_dimensions, tenant_id
            )
            capability_tests.append(_try_capability("embeddings", embedding_model, settings, try_embedding))
    return capability_tests


def describe_price(settings: Settings, model: str) -> str:
    """Return a sentence about the model's price and its source."""
    prices = build_price_table(settings)
    if not has_price(prices, model):
        return "its price is unknown: set it in CITEGRAPH_LLM_PRICES, [0, 0] for a model of your own"
    publication_date = get_publication_date_of_price(settings, model)
    source = "CITEGRAPH_LLM_PRICES" if publication_date is None else f"published in {publication_date:%Y-%m}"
    return f"its price is from {source}"


def _try_capability(
    capability: str, model: str, settings: Settings, attempt: Callable[[list[CallRecord]], str]
) -> CapabilityTest:
    calls: list[CallRecord] = []
    started_at = time.monotonic()
    try:
        detail, does_work = attempt(calls), True
    except BadVectors as error:
        detail, does_work = f"It answers, but without usable vectors: {error.message}", False
    except CitegraphError as error:
        detail, does_work = error.message, False
    has_known_price = has_price(build_price_table(settings), model)
    return CapabilityTest(
        capability,
        model,
        does_work,
        time.monotonic() - started_at,
        detail,
        sum(call.prompt_tokens for call in calls),
        sum(call.completion_tokens for call in calls),
        sum((call.cost_usd for call in calls), Decimal(0)) if has_known_price else None,
    )


def _try_chat(client: ModelClient, tenant_id: TenantId, calls: list[CallRecord]) -> str:
    messages: list[Mapping[str, str]] = [{"role": "user", "content": "Answer with one word: ready?"}]
    text = "".join(client.stream(tenant_id, PURPOSE, messages, calls)).strip()
    return "It streams text." if text else "It answered nothing."


def _try_schema(client: ModelClient, tenant_id: TenantId, calls: list[CallRecord]) -> str:
    answer = client.ask(tenant_id, Question(PURPOSE, PROBE_MESSAGES, PROBE_SCHEMA), calls)
    features = client.features.get_features(CallKind.CHAT, client.model)
    extra_fields_remark = (
        "" if set(answer) <= set(PROBE_SCHEMA["properties"]) else "; it adds fields of its own"
    )
    return f"{_SENTENCE_BY_FORMAT[features.response_format]}{extra_fields_remark}."


def _try_embedding(
    client: ModelClient, model: str, dimensions: int, tenant_id: TenantId, calls: list[CallRecord]
) -> str:
    meter = InProcessAnswerStore(calls=calls)
    embedder = OpenAIEmbedder(client, model=model, dimensions=dimensions, tenant_id=tenant_id, meter=meter)
    planet_vector, german_vector, bread_vector = embedder.embed(_SAMPLE_TEXTS)
    similarity_in_topic, similarity_across_topics = (
        float(planet_vector @ german_vector),
        float(planet_vector @ bread_vector),
    )
    remark = (
        ""
        if similarity_in_topic > similarity_across_topics
        else " A translation is less similar than another topic: the model may not suit several languages."
    )
    return f"Vectors of {embedder.dimensions} numbers.{remark}"
