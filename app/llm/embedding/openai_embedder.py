"""Embeddings from an OpenAI-compatible server: base64 transfer, batches across documents, checked vectors."""

import base64
import binascii
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from app.ids import TenantId
from app.llm.call_records import CallRecord, InProcessAnswerStore, Meter
from app.llm.client import ModelClient
from app.llm.errors import MalformedReply, ModelRefused
from app.llm.model_features import PROBE_PURPOSE, PROBE_TEXTS, CallKind, Features
from app.llm.structured_output import Reply, estimate_tokens, parse_token_count

# Texts and estimated tokens in one request; servers refuse more than 2,048 texts or about 300,000 tokens.
MAX_TEXTS, MAX_TOKENS = 256, 100_000

Vectors = npt.NDArray[np.float32]


class BadVectors(MalformedReply):
    """Some texts got no usable vector, even in a second request (docs/reliability.md, bad inputs 44 and 45).

    `reason_by_position` maps each of them to a reason; `vectors` holds the other vectors in their rows, and
    zeros in these.
    """

    code = "bad_vector"

    def __init__(self, reason_by_position: dict[int, str], vectors: Vectors) -> None:
        super().__init__(f"{len(reason_by_position)} texts got no usable vector.")
        self.reason_by_position = reason_by_position
        self.vectors = vectors


class OpenAIEmbedder:
    """An embedding model on the client's server, for one tenant.

    `meter` is asked for a reservation before each round of requests and receives their records, even if they
    fail.
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        model: str,
        dimensions: int,
        tenant_id: TenantId,
        meter: Meter | None = None,
    ) -> None:
        self.model = model
        self.dimensions = dimensions
        self._client = client
        self._tenant_id = tenant_id
        self._meter = meter or InProcessAnswerStore()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order: shape (len(texts), dimensions).

        Raises BadVectors, ModelRefused if every vector has another dimension, and what ModelClient raises.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        fault_by_position = self._embed_pay_and_list_faults(vectors, texts, range(len(texts)))
        if fault_by_position:
            fault_by_position = self._embed_pay_and_list_faults(vectors, texts, list(fault_by_position))
        if (
            len(texts) > 0
            and len(fault_by_position) == len(texts)
            and set(fault_by_position.values()) == {"dimension"}
        ):
            raise ModelRefused(
                f"The embedding model does not give {self.dimensions} dimensions.",
                code="model_dimensions",
            )
        if fault_by_position:
            raise BadVectors(fault_by_position, vectors)
        return vectors

    def _embed_pay_and_list_faults(
        self, vectors: Vectors, texts: Sequence[str], positions: Sequence[int]
    ) -> dict[int, str]:
        calls: list[CallRecord] = []
        batches = _split_batches(texts, positions)
        sent_tokens = sum(estimate_tokens(texts[position]) for position in positions)
        # Batches run in rounds of `parallel`: reserve for as long as all rounds may take.
        round_count = -(-len(batches) // self._client.parallel)
        reservation_id = self._meter.reserve_cost(
            self._client.compute_cost_usd(sent_tokens, 0, model=self.model),
            tokens=sent_tokens,
            seconds=round_count * self._client.longest_call_seconds,
            unpriced_model=self._client.find_unpriced_model(self.model),
        )
        try:
            return self._fill_vectors_and_list_faults(vectors, texts, batches, calls)
        finally:
            self._meter.store_answers_and_release_reservation({}, calls, reservation_id=reservation_id)

    def _fill_vectors_and_list_faults(
        self, vectors: Vectors, texts: Sequence[str], batches: Sequence[list[int]], calls: list[CallRecord]
    ) -> dict[int, str]:
        fault_by_position: dict[int, str] = {}
        replies = self._client.pool.map(
            lambda batch: self._request_vectors([texts[position] for position in batch], calls), batches
        )
        for batch, batch_vectors in zip(batches, replies, strict=True):
            for position, vector in zip(batch, batch_vectors, strict=True):
                checked_vector = self._normalise_vector_or_name_fault(vector)
                if isinstance(checked_vector, str):
                    fault_by_position[position] = checked_vector
                else:
                    vectors[position] = checked_vector
        return fault_by_position

    def _request_vectors(self, texts: list[str], calls: list[CallRecord]) -> list[Vectors | None]:
        def body(inputs: Sequence[str], features: Features) -> dict[str, Any]:
            # Most servers refuse an empty text.
            fields = {
                "model": self.model,
                "input": [text or " " for text in inputs],
                "encoding_format": "base64",
            }
            return fields | ({"dimensions": self.dimensions} if features.takes_dimensions else {})

        def call(inputs: Sequence[str], purpose: str, features: Features) -> Reply:
            return self._client.request_reply(
                self._tenant_id,
                purpose,
                self.model,
                "/embeddings",
                body(inputs, features),
                lambda response_bytes: parse_embeddings_response(response_bytes, len(inputs)),
                sum(map(estimate_tokens, inputs)),
                calls,
            )

        try:
            reply = self._client.call_with_features(
                CallKind.EMBEDDING,
                self.model,
                partial(call, texts, "embedding"),
                probe=partial(call, PROBE_TEXTS, PROBE_PURPOSE),
            )
            vectors: list[Vectors | None] = reply.value
        except MalformedReply:
            return [None] * len(texts)
        return vectors

    def _normalise_vector_or_name_fault(self, vector: Vectors | None) -> Vectors | str:
        if vector is None:
            return "missing"
        if len(vector) != self.dimensions:
            return "dimension"
        # 1e39 is infinite in single precision; a zero vector has no cosine.
        norm = float(np.linalg.norm(vector.astype(np.float64)))
        if not np.isfinite(norm) or norm > 1e18:
            return "not_finite"
        return "zero" if norm < 1e-12 else (vector / norm).astype(np.float32)


def parse_embeddings_response(response_bytes: bytes, vector_count: int) -> Reply:
    """Return a reply with `vector_count` vectors in the order of the request; None for one that cannot be
    read.
    """
    try:
        envelope = json.loads(response_bytes)
    except (ValueError, RecursionError):
        envelope = None
    data = envelope.get("data") if isinstance(envelope, dict) else None
    if not isinstance(envelope, dict) or not isinstance(data, list):
        return Reply(fault="The reply had no vectors.", is_our_schema=False)
    vectors: list[Vectors | None] = [None] * vector_count
    for position, embedding_entry in enumerate(data):
        index = embedding_entry.get("index", position) if isinstance(embedding_entry, dict) else None
        if isinstance(index, int) and 0 <= index < vector_count:
            vectors[index] = _decode_vector(embedding_entry.get("embedding"))
    usage = envelope.get("usage")
    return Reply(
        vectors, prompt_tokens=parse_token_count(usage.get("prompt_tokens")) if isinstance(usage, dict) else 0
    )


def _decode_vector(encoded_vector: object) -> Vectors | None:
    try:
        if isinstance(encoded_vector, str):
            # Copy into native byte order; the buffer itself is read-only.
            return np.frombuffer(base64.b64decode(encoded_vector, validate=True), dtype="<f4").astype(
                np.float32
            )
        if isinstance(encoded_vector, list):
            with np.errstate(over="ignore"):
                components = np.array(encoded_vector, dtype=np.float64).astype(np.float32)
            return components if components.ndim == 1 else None
    except (ValueError, TypeError, OverflowError, binascii.Error):
        return None
    return None


def _split_batches(texts: Sequence[str], positions: Sequence[int]) -> list[list[int]]:
    batches: list[list[int]] = []
    batch_tokens = 0
    for position in positions:
        text_tokens = estimate_tokens(texts[position])
        if not batches or len(batches[-1]) == MAX_TEXTS or batch_tokens + text_tokens > MAX_TOKENS:
            batches.append([])
            batch_tokens = 0
        batches[-1].append(position)
        batch_tokens += text_tokens
    return batches
