"""Embeddings from a server: base64, batches, and no vector that could spoil a search (bad inputs 44 and
45).
"""

from typing import Any

import numpy as np
import pytest

from app.ids import TenantId
from app.llm.call_records import CallRecord, InProcessAnswerStore
from app.llm.client import ModelClient
from app.llm.embedding.hashed import HashedEmbedder
from app.llm.embedding.openai_embedder import MAX_TEXTS, BadVectors, OpenAIEmbedder, parse_embeddings_response
from app.llm.errors import ModelRefused, Parked
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M


def embedder(client: ModelClient, tenant: TenantId, **options: Any) -> OpenAIEmbedder:
    given: dict[str, Any] = {"model": "double-embedding", "dimensions": 256} | options
    return OpenAIEmbedder(client, tenant_id=tenant, **given)


def test_vectors_are_those_of_the_server(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    texts = ["Acme owns Globex.", "", "Zürich \u2603", "x" * 30_000]
    vectors = embedder(client, tenant).embed(texts)
    assert np.allclose(vectors, HashedEmbedder().embed([texts[0], " ", *texts[2:]]), atol=1e-6)
    assert double.bodies[0]["encoding_format"] == "base64"
    assert vectors.dtype == np.float32


def test_no_text_is_no_call(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    assert embedder(client, tenant).embed([]).shape == (0, 256)
    assert double.calls == []


def test_many_texts_go_in_few_calls_and_come_back_in_order(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    texts = [f"passage number {number}" for number in range(2 * MAX_TEXTS + 3)]
    calls: list[CallRecord] = []
    vectors = embedder(client, tenant, meter=InProcessAnswerStore(calls=calls)).embed(texts)
    assert len(double.calls) == 3
    assert np.allclose(vectors, HashedEmbedder().embed(texts), atol=1e-6)
    assert [call.purpose for call in calls] == ["embedding"] * 3
    assert sum(call.prompt_tokens for call in calls) == sum(call.prompt_tokens for call in double.calls)


def test_a_server_that_cannot_shorten_is_asked_without(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.STATUS, status=400, parameter="dimensions"))
    for _ in range(2):
        assert embedder(client, tenant).embed(["a text"]).shape == (1, 256)
    asked = [body for body in double.bodies if body["input"] == ["a text"]]
    assert ["dimensions" in body for body in asked] == [True, False, False]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(M.NAN_VECTOR, "not_finite"), (M.HUGE_VECTOR, "not_finite"), (M.ZERO_VECTOR, "zero")],
)
def test_a_bad_vector_is_asked_again_and_then_named(
    double: ModelDouble, client: ModelClient, tenant: TenantId, mode: M, reason: str
) -> None:
    double.faults.add(Fault(mode))
    with pytest.raises(BadVectors) as bad:
        embedder(client, tenant).embed(["one text", "two texts"])
    assert bad.value.reason_by_position == {0: reason}
    assert np.allclose(bad.value.vectors[1], HashedEmbedder().embed(["two texts"])[0], atol=1e-6)
    assert not bad.value.vectors[0].any()
    assert len(double.calls) == 2


@pytest.mark.parametrize("mode", [M.NAN_VECTOR, M.ZERO_VECTOR, M.HALF_ENVELOPE, M.HTML])
def test_a_bad_reply_once_costs_one_more_call(
    double: ModelDouble, client: ModelClient, tenant: TenantId, mode: M
) -> None:
    double.faults.add(Fault(mode, times=1))
    assert np.isfinite(embedder(client, tenant).embed(["one text", "two texts"])).all()
    assert len(double.calls) == 2


def test_a_model_of_another_dimension_is_a_wrong_setting(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.WRONG_DIMENSION))
    with pytest.raises(ModelRefused) as refused:
        embedder(client, tenant).embed(["one", "two"])
    assert refused.value.code == "model_dimensions"


def test_a_dead_server_parks(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    double.faults.add(Fault(M.SERVER_ERROR))
    calls: list[CallRecord] = []
    with pytest.raises(Parked):
        embedder(client, tenant, meter=InProcessAnswerStore(calls=calls)).embed(["one"])
    assert [call.outcome for call in calls] == ["server_error"] * 4


@pytest.mark.parametrize(
    "item",
    ['"%%%"', '"AAA"', '"AAAAAAA="', '["a"]', "{}", "null", "[[1], [2, 3]]", "[[1], [2]]", "3"],
)
def test_a_vector_that_is_none_is_missing(item: str) -> None:
    raw = f'{{"data": [{{"index": 0, "embedding": {item}}}]}}'
    value = parse_embeddings_response(raw.encode(), 2).value
    assert value == [None, None]


def test_plain_floats_and_any_order_are_read() -> None:
    raw = b'{"data": [{"index": 1, "embedding": [3, 4e0]}, {"index": 0, "embedding": [1e39, 0]}, 7]}'
    first, second = parse_embeddings_response(raw, 2).value
    assert second.tolist() == [3, 4]
    assert np.isinf(first[0])


@pytest.mark.parametrize("raw", [b"", b"<html>", b"[]", b'{"data": null}', b'{"data": {}}'])
def test_no_envelope_is_a_fault(raw: bytes) -> None:
    assert parse_embeddings_response(raw, 1).fault is not None
