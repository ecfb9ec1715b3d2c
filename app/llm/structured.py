"""Structured answers from any server: a JSON schema, else `json_object`, else plain JSON; and strict reading.

Nothing about a reply is trusted: not that it is JSON, nor that it has choices, content or an end.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.llm.features import Features
from app.llm.thoughts import Thoughts

# Words of a refusal that is about one chunk's content. Whoever puts them into a text gets that chunk set
# aside.
_ABOUT_CONTENT = ("context_length", "maximum context", "context length", "content_filter", "content_policy")


@dataclass(frozen=True, slots=True)
class Question:
    """One structured question: `schema` describes the JSON object that is wanted."""

    purpose: str
    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a reply: `value` or, in a sentence of ours, the `fault`.

    `ours` is False where not even the envelope was right, as when a gateway answers in place of the model.
    """

    value: Any = None
    fault: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ours: bool = True


def is_about_content(hint: str) -> bool:
    """Return whether a 400 is about the passages of this call and not about the way of asking."""
    return any(word in hint for word in _ABOUT_CONTENT)


def build_request_body(
    question: Question, model: str, features: Features, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The JSON body of POST /chat/completions."""
    body: dict[str, Any] = {"model": model, "messages": list(question.messages)}
    body |= {
        name: value for name, value in parameters.items() if name != "temperature" or features.temperature
    }
    if features.response_format == "schema":
        body["response_format"] = build_schema_format(question)
    elif features.response_format == "object":
        body["response_format"] = {"type": "json_object"}
    return body


def build_schema_format(question: Question) -> dict[str, Any]:
    """The part of such a body that asks for an answer of the question's schema; it is paid for as well."""
    schema = {"name": question.purpose, "strict": True, "schema": dict(question.schema)}
    return {"type": "json_schema", "json_schema": schema}


def read_chat(raw: bytes, schema: Mapping[str, Any]) -> Reply:
    """The JSON object in the reply's first choice, or what is wrong with it, and the tokens used.

    A bare list is read as the object of the schema, where that has nothing but one list.
    """
    envelope = _parse_json(raw)
    if not isinstance(envelope, dict):
        return Reply(fault="The reply was not a JSON object.", ours=False)
    token_usage = envelope.get("usage")
    usage: dict[str, Any] = token_usage if isinstance(token_usage, dict) else {}
    sent, received = (
        parse_token_count(usage.get("prompt_tokens")),
        parse_token_count(usage.get("completion_tokens")),
    )
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
        value = _find_object(content, _find_only_list(schema))
        fault = None if isinstance(value, dict) else "The answer was not one JSON object."
    if not usage and isinstance(content, str):
        received = estimate_tokens(content)
    return Reply(value if fault is None else None, fault, sent, received)


def parse_token_count(count: object) -> int:
    """A count of tokens as a server reports it; 0 for anything that is none."""
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 31 else 0


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is, where the server does not say: four bytes each."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _find_only_list(schema: Mapping[str, Any]) -> str | None:
    properties = schema.get("properties") or {}
    name, *others = properties or [None]
    return name if name and not others and properties[name].get("type") == "array" else None


def _parse_json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# A string, which is left alone, or a comma before the end of an object or list. A string that does not end
# goes to the end of the text: no part of it is looked at twice.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*"?)|,(?=\s*[}\]])', re.DOTALL)
_BEGINNING = re.compile(r"[{\[]")
_MOST_STARTS = 40
"""Places at which JSON is looked for in a reply that holds more than that."""


class _Written(NamedTuple):
    """A value as it stands in a text."""

    start: int
    length: int
    value: Any


def _find_object(content: str, list_name: str | None) -> Any:
    """The JSON object of a reply, or the largest within its words and Markdown; else None.

    Thoughts in front of it and commas before an end do not count. A list, or one object after another, stands
    for the object that has it as `list_name`.
    """
    value = _parse_json(content)
    if value is None:
        values = _find_values(Thoughts().strip_thoughts(content) or content)
        value = _answer_among(values, list_name) if values else None
    if isinstance(value, list) and list_name is not None:
        value = {list_name: value}
    return value if isinstance(value, dict) else None


def _answer_among(values: Sequence[_Written], list_name: str | None) -> Any:
    """The largest value; where that lacks the list one that has it, else all objects, if nothing is broken.

    Where the first bracket begins no value, objects are parts of one that was cut off.
    """
    by_size = sorted(values, key=lambda written: -written.length)
    largest = by_size[0].value
    if list_name is None or not isinstance(largest, dict) or list_name in largest:
        return largest
    objects = [written.value for written in values if isinstance(written.value, dict)]
    alone = largest if len(objects) == 1 or values[0].start > 0 else objects
    return next((written.value for written in by_size if list_name in written.value), alone)


def _find_values(content: str) -> list[_Written]:
    """The JSON objects and lists that stand in the text from its first bracket on, in order."""
    beginning = _BEGINNING.search(content)
    if beginning is None:
        return []
    # Not of the words before: a mark in them would turn inside out what is a string.
    text = _TRAILING_COMMA.sub(lambda match: match[1] or "", content[beginning.start() :])
    decoder = json.JSONDecoder(strict=False)
    values: list[_Written] = []
    position = 0
    for _ in range(_MOST_STARTS):
        match = _BEGINNING.search(text, position)
        if match is None:
            break
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
        else:
            values.append(_Written(match.start(), position - match.start(), value))
    return values
