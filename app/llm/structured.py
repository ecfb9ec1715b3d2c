"""Structured answers from any server: a JSON schema, else `json_object`, else plain JSON; and strict reading.

Nothing about a reply is trusted: not that it is JSON, nor that it has choices, content or an end.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.llm.errors import ModelRefused

_FORMATS = ("schema", "object", "plain")
# Words of a refusal that is about one chunk's content and not about how we ask.
_ABOUT_CONTENT = ("context_length", "maximum context", "context length", "content_filter", "content_policy")


@dataclass(frozen=True, slots=True)
class Question:
    """One structured question: `schema` describes the JSON object that is wanted."""

    purpose: str
    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply held: `value` or, in a sentence of ours, the `fault`.

    `ours` is False where not even the envelope was right, as when a gateway answers in place of the model.
    """

    value: Any = None
    fault: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ours: bool = True


@dataclass(frozen=True, slots=True)
class Features:
    """What a server was found to understand; each refusal takes one thing away, a success proves the rest."""

    response_format: str = "schema"
    temperature: bool = True
    dimensions: bool = True
    proven: bool = False
    stream_usage: bool = True

    def less(self, refusal: ModelRefused) -> "Features | None":
        """What to try after this refusal, or None where it is not about features."""
        if refusal.http_status not in (400, 404, 415, 422, 501):
            return None
        hint = refusal.hint
        if self.temperature and "temperature" in hint:
            return replace(self, temperature=False)
        if self.dimensions and "dimensions" in hint:
            return replace(self, dimensions=False)
        about_format = any(word in hint for word in ("response_format", "schema", "json_object", "format"))
        weaker = _FORMATS.index(self.response_format) + 1
        if weaker == len(_FORMATS) or (self.proven and not about_format):
            return None
        # A server may refuse without saying what: until a call has worked, everything is suspect.
        if not about_format and refusal.http_status == 404:
            return None
        return replace(self, response_format=_FORMATS[weaker])

    def less_streaming(self, refusal: ModelRefused) -> "Features | None":
        """The same for an answer in pieces, which has no format that could be given up."""
        if refusal.http_status not in (400, 415, 422, 501):
            return None
        if self.temperature and "temperature" in refusal.hint:
            return replace(self, temperature=False)
        return replace(self, stream_usage=False) if self.stream_usage else None


def is_about_content(hint: str) -> bool:
    """Whether a 400 is about the passages of this call and not about the way of asking."""
    return any(word in hint for word in _ABOUT_CONTENT)


def request_body(
    question: Question, model: str, features: Features, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The JSON body of POST /chat/completions."""
    body: dict[str, Any] = {"model": model, "messages": list(question.messages)}
    body |= {
        name: value for name, value in parameters.items() if name != "temperature" or features.temperature
    }
    if features.response_format == "schema":
        schema = {"name": question.purpose, "strict": True, "schema": dict(question.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif features.response_format == "object":
        body["response_format"] = {"type": "json_object"}
    return body


def read_chat(raw: bytes) -> Reply:
    """The JSON object in the reply's first choice, or what is wrong with it, and the tokens used."""
    envelope = _json(raw)
    if not isinstance(envelope, dict):
        return Reply(fault="The reply was not a JSON object.", ours=False)
    used = envelope.get("usage")
    usage: dict[str, Any] = used if isinstance(used, dict) else {}
    sent, received = tokens(usage.get("prompt_tokens")), tokens(usage.get("completion_tokens"))
    choices = envelope.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return Reply(None, "The reply had no choices.", sent, received, ours=False)
    message = choices[0].get("message")
    content = message.get("content") if isinstance(message, dict) else None
    value, fault = None, None
    if choices[0].get("finish_reason") == "length":
        fault = "The answer was cut off before its end."
    elif choices[0].get("finish_reason") == "content_filter":
        fault = "The answer was withheld by a filter."
    elif not isinstance(content, str) or not content.strip():
        fault = "The answer was empty."
    else:
        value = _object_in(content)
        fault = None if isinstance(value, dict) else "The answer was not one JSON object."
    if not usage and isinstance(content, str):
        received = estimate_tokens(content)
    return Reply(value if fault is None else None, fault, sent, received)


def tokens(given: object) -> int:
    """A count of tokens as a server reports it; 0 for anything that is none."""
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 1 << 31 else 0


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is, where the server does not say: four bytes each."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _object_in(content: str) -> Any:
    value = _json(content)
    if isinstance(value, dict):
        return value
    # Plain mode: some models put their JSON between words or in a code block.
    begin, end = content.find("{"), content.rfind("}")
    return _json(content[begin : end + 1]) if 0 <= begin < end else None
