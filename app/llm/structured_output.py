"""Structured answers from any server: JSON schema, else `json_object`, else plain JSON; validated strictly.

Nothing about a reply is trusted: it may not be JSON, nor have choices, content or an end.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.llm.model_features import Features
from app.llm.reasoning_text import ThoughtFilter

# Words in a refusal that concern the content of one chunk. A document that provokes them only gets its own
# chunk quarantined.
_WORDS_ABOUT_CONTENT = (
    "context_length",
    "maximum context",
    "context length",
    "content_filter",
    "content_policy",
)


@dataclass(frozen=True, slots=True)
class Question:
    """One structured question; `schema` describes the JSON object wanted."""

    purpose: str
    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a reply: a `value`, or a `fault` in a sentence of ours.

    `is_our_schema` is False if the envelope was wrong too, for example if a gateway answered instead of the
    model.
    """

    value: Any = None
    fault: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    is_our_schema: bool = True


def does_error_concern_content(error_words: str) -> bool:
    """Return whether a 400 refers to the passages of the call, not to its parameters."""
    return any(word in error_words for word in _WORDS_ABOUT_CONTENT)


def build_request_body(
    question: Question, model: str, features: Features, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the JSON body of POST /chat/completions."""
    request_body: dict[str, Any] = {"model": model, "messages": list(question.messages)}
    request_body |= {
        name: value
        for name, value in parameters.items()
        if name != "temperature" or features.takes_temperature
    }
    if features.response_format == "schema":
        request_body["response_format"] = build_schema_format(question)
    elif features.response_format == "object":
        request_body["response_format"] = {"type": "json_object"}
    return request_body


def build_schema_format(question: Question) -> dict[str, Any]:
    """Return the part of the body that asks for the question's schema; its tokens are paid for too."""
    schema = {"name": question.purpose, "strict": True, "schema": dict(question.schema)}
    return {"type": "json_schema", "json_schema": schema}


def parse_chat_response(response_bytes: bytes, schema: Mapping[str, Any]) -> Reply:
    """Return the JSON object in the reply's first choice, or what is wrong with it, and the tokens used.

    A bare list counts as the object, if the schema has exactly one property and that is a list.
    """
    envelope = _parse_json(response_bytes)
    if not isinstance(envelope, dict):
        return Reply(fault="The reply was not a JSON object.", is_our_schema=False)
    token_usage = envelope.get("usage")
    usage: dict[str, Any] = token_usage if isinstance(token_usage, dict) else {}
    sent_tokens, received_tokens = (
        parse_token_count(usage.get("prompt_tokens")),
        parse_token_count(usage.get("completion_tokens")),
    )
    choices = envelope.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return Reply(None, "The reply had no choices.", sent_tokens, received_tokens, is_our_schema=False)
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
        value = _find_json_object(content, _get_name_of_only_list(schema))
        fault = None if isinstance(value, dict) else "The answer was not one JSON object."
    if not usage and isinstance(content, str):
        received_tokens = estimate_tokens(content)
    return Reply(value if fault is None else None, fault, sent_tokens, received_tokens)


def parse_token_count(count: object) -> int:
    """Return a token count as a server reports it; 0 for any invalid value."""
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 31 else 0


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text if the server does not report them: four bytes each."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _get_name_of_only_list(schema: Mapping[str, Any]) -> str | None:
    properties = schema.get("properties") or {}
    name, *other_properties = properties or [None]
    return name if name and not other_properties and properties[name].get("type") == "array" else None


def _parse_json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# A string, which is kept, or a comma before the end of an object or list. An unterminated string extends to
# the end of the text, so that no part is scanned twice.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*"?)|,(?=\s*[}\]])', re.DOTALL)
_JSON_START = re.compile(r"[{\[]")
_MAX_STARTS = 40
"""Maximum number of positions at which JSON is searched in a reply that contains other text."""


class _JsonValue(NamedTuple):
    """A JSON value and its position in a text."""

    start: int
    length: int
    value: Any


def _find_json_object(content: str, list_name: str | None) -> Any:
    """Return the JSON object of a reply, or the largest one inside text and Markdown; else None.

    Thoughts before it and trailing commas are ignored. A list, or a sequence of objects, counts as the object
    that has it as `list_name`.
    """
    value = _parse_json(content)
    if value is None:
        json_values = _find_json_values(ThoughtFilter().strip_thoughts(content) or content)
        value = _choose_json_value_with_list(json_values, list_name) if json_values else None
    if isinstance(value, list) and list_name is not None:
        value = {list_name: value}
    return value if isinstance(value, dict) else None


def _choose_json_value_with_list(json_values: Sequence[_JsonValue], list_name: str | None) -> Any:
    """Choose among values: one with the list, else the largest or all objects.

    If the largest lacks the list, the largest value with it is chosen; if there is none, all objects. If no
    value begins at the first bracket, the objects may be parts of one that was cut off: then the largest.
    """
    values_by_size = sorted(json_values, key=lambda json_value: -json_value.length)
    largest_answer = values_by_size[0].value
    if list_name is None or not isinstance(largest_answer, dict) or list_name in largest_answer:
        return largest_answer
    objects = [json_value.value for json_value in json_values if isinstance(json_value.value, dict)]
    fallback_answer = largest_answer if len(objects) == 1 or json_values[0].start > 0 else objects
    return next(
        (json_value.value for json_value in values_by_size if list_name in json_value.value), fallback_answer
    )


def _find_json_values(content: str) -> list[_JsonValue]:
    """Return the JSON objects and lists in the text from its first bracket on, in order."""
    json_start = _JSON_START.search(content)
    if json_start is None:
        return []
    # Ignore the text before: a quotation mark in it would invert what counts as a string.
    text = _TRAILING_COMMA.sub(lambda match: match[1] or "", content[json_start.start() :])
    decoder = json.JSONDecoder(strict=False)
    values: list[_JsonValue] = []
    position = 0
    for _ in range(_MAX_STARTS):
        match = _JSON_START.search(text, position)
        if match is None:
            break
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
        else:
            values.append(_JsonValue(match.start(), position - match.start(), value))
    return values
