"""The OpenAI protocol of the model double: response bodies, and the hash of a prompt."""

import base64
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from app.llm.embedding.hashed import HashedEmbedder
from app.llm.prompts.fence import mask_fence
from app.llm.testing.faults import CORRUPTED_VECTOR, Mode

Json = dict[str, Any]
_PIECE_CHARACTERS = 40


def read_messages_leniently(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the messages of a request with their contents as text."""
    messages = body.get("messages")
    well_formed_messages = (
        [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    )
    return [
        {"role": str(message.get("role")), "content": str(message.get("content") or "")}
        for message in well_formed_messages
    ]


def hash_prompt_without_fence(path: str, body: Mapping[str, Any]) -> str:
    """Return sixteen hexadecimal digits that are equal for requests that differ only in their fences."""
    inputs: Any = body.get("input")
    if inputs is None:
        inputs = [
            [message["role"], mask_fence(message["content"])] for message in read_messages_leniently(body)
        ]
    return hashlib.sha256(json.dumps([path, body.get("model"), inputs]).encode()).hexdigest()[:16]


def build_completion(
    model: str, content: str | None, finish_reason: str, prompt_tokens: int, completion_tokens: int
) -> Json:
    """Return the body of a chat completion."""
    return {
        "id": "chatcmpl-double",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": content}}
        ],
        "usage": build_usage(prompt_tokens, completion_tokens),
    }


def build_usage(prompt_tokens: int, completion_tokens: int) -> Json:
    """Return the usage part of a body."""
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }


def build_stream(model: str, content: str, finish_reason: str, token_usage: Json | None) -> bytes:
    """Return a chat completion as server-sent events, with `token_usage` if it is not None."""
    events: list[Json] = []
    pieces = [
        content[piece_start : piece_start + _PIECE_CHARACTERS]
        for piece_start in range(0, len(content), _PIECE_CHARACTERS)
    ]
    deltas: list[tuple[Json, str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": piece}, None) for piece in pieces] + [({}, finish_reason)]
    for delta, delta_finish_reason in deltas:
        choices = [{"index": 0, "delta": delta, "finish_reason": delta_finish_reason}]
        events.append(
            {"id": "chatcmpl-double", "object": "chat.completion.chunk", "model": model, "choices": choices}
        )
    if token_usage is not None:
        events.append({**events[-1], "choices": [], "usage": token_usage})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


class CorruptStream(NamedTuple):
    """The parts in which a corrupted stream is sent, and the Content-Length to announce."""

    parts: list[bytes]
    content_length: int


def build_corrupt_stream(raw: bytes, mode: Mode | None) -> CorruptStream:
    """Return the parts in which a corrupted stream is sent, and the Content-Length to announce."""
    events = [event + b"\n\n" for event in raw.split(b"\n\n") if event]
    middle = len(events) // 2
    if mode is Mode.CUT_STREAM:
        events = events[:middle]
    elif mode is Mode.HALF_ENVELOPE:
        return CorruptStream([raw[: len(raw) // 2]], len(raw))
    elif mode is Mode.GARBLED_STREAM:
        events.insert(middle, b'data: {"choices": [{"delta": {"con\n\n')
    elif mode in (Mode.CHOICES_NULL, Mode.EMPTY_CHOICES):
        chunk_without_choices: Json = {"choices": None if mode is Mode.CHOICES_NULL else []}
        events = [f"data: {json.dumps(chunk_without_choices)}\n\n".encode()] * middle
    if mode is not Mode.SLOW_DRIP:
        events = [b"".join(events)]
    return CorruptStream(events, sum(map(len, events)))


def build_embeddings(
    model: str, texts: Sequence[str], body: Mapping[str, Any], fault: Mode | None, prompt_tokens: int
) -> Json:
    """Return hashed vectors: texts that share words are similar, so that searches are meaningful.

    They have 256 dimensions, or are cut or padded with a small constant to the request's `dimensions`.
    """
    vectors = HashedEmbedder().embed(list(texts))
    dimensions = int(body.get("dimensions") or vectors.shape[1])
    if fault is Mode.WRONG_DIMENSION:
        dimensions += 1
    missing_dimensions = max(0, dimensions - vectors.shape[1])
    vectors = np.pad(vectors, ((0, 0), (0, missing_dimensions)), constant_values=1e-4)[:, :dimensions]
    if fault is not None and fault in CORRUPTED_VECTOR and len(vectors):
        value = CORRUPTED_VECTOR[fault]
        with np.errstate(over="ignore"):
            vectors[0] = np.float64(value)
    is_base64 = body.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if is_base64
            else vector.astype(float).tolist(),
        }
        for index, vector in enumerate(vectors)
    ]
    return {
        "object": "list",
        "model": model,
        "data": data,
        "usage": {"prompt_tokens": prompt_tokens, "total_tokens": prompt_tokens},
    }


def build_error(message: str, code: str | None = None, *, param: str | None = None) -> Json:
    """Return the body of an HTTP error."""
    return {"error": {"message": message, "type": "double", "param": param, "code": code}}
