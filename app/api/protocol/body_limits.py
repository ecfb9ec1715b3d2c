"""Limits on the size of a request (rule A4 of docs/reliability.md): headers, bytes as they arrive, and the
shape of JSON.

The bytes are counted as they arrive, because the declared length may be wrong.
"""

import json
import math
import re
from typing import Any, NoReturn

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import InvalidInput, UnsupportedFormat
from app.http import input_text
from app.http.threads import BoundedThreads
from app.limits import BODY_DEPTH, BODY_KEYS, BODY_VALUES, HEADER_BYTES, HEADERS
from app.settings import Settings

# Boundaries, names and text fields of a form, in addition to its documents.
FORM_OVERHEAD_BYTES = 262_144

# A body smaller than this is parsed faster than it could be passed to a thread.
_INLINE_BYTES_LIMIT = 16_384
_JSON_THREADS = 2
_JSON_WAIT_SECONDS = 5.0
# A string, or the beginning of one; possessive, so that no byte is scanned twice.
_STRING_PATTERN = re.compile(rb'"(?>(?:[^"\\]++|\\.)*)"?', re.DOTALL)
_BYTES_EXCEPT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


class BodyLimits:
    """ASGI middleware that refuses oversized headers with 431 and stops reading an oversized body: 413."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._max_json_bytes = settings.max_json_bytes
        self._max_form_bytes = settings.max_upload_bytes + FORM_OVERHEAD_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count the bytes of its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        raw_headers = scope["headers"]
        if (
            len(raw_headers) > HEADERS.maximum
            or sum(len(name) + len(value) for name, value in raw_headers) > HEADER_BYTES.maximum
        ):
            raise HTTPException(431)
        headers = Headers(scope=scope)
        is_form = parse_media_type(headers) == "multipart/form-data"
        max_bytes = self._max_form_bytes if is_form else self._max_json_bytes
        content_length = headers.get("content-length", "")
        if content_length.isdecimal() and int(content_length[:20]) > max_bytes:
            raise HTTPException(413)
        received_bytes = 0

        async def receive_counted() -> Message:
            nonlocal received_bytes
            message = await receive()
            if message["type"] == "http.request":
                received_bytes += len(message.get("body", b""))
                if received_bytes > max_bytes:
                    # FastAPI does not wrap this exception, wherever it reads the body.
                    raise HTTPException(413)
            return message

        await self._app(scope, receive_counted, send)


def parse_media_type(headers: Headers) -> str:
    """Return the content type without its parameters, in lower case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_json_body(request: Request) -> Any:
    """Return the body as JSON, or None if it is empty.

    Raises UnsupportedFormat if the content type is not JSON in UTF-8, and whatever `read_json` raises.
    """
    body = await request.body()
    if not body:
        return None
    media_type = parse_media_type(request.headers)
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise UnsupportedFormat("Send JSON, with the content type application/json.")
    charset = request.headers.get("content-type", "").lower().partition("charset=")[2].strip(' "')
    if charset not in ("", "utf-8", "utf8"):
        raise UnsupportedFormat("Send JSON in UTF-8.")
    if len(body) <= _INLINE_BYTES_LIMIT:
        return read_json(body)
    threads: BoundedThreads = request.app.state.json_threads
    return await threads.run(lambda: read_json(body))


def create_json_threads() -> BoundedThreads:
    """Return the few threads that parse large JSON bodies outside of the event loop."""
    return BoundedThreads(
        _JSON_THREADS,
        wait_seconds=_JSON_WAIT_SECONDS,
        refusal="Too many bodies are being read; try again shortly.",
    )


def read_json(body: bytes) -> Any:
    """Return the parsed JSON: UTF-8, storable text, finite numbers, within the limits of depth, keys and
    values.

    If a key is repeated, its last value counts. Raises HTTPException 400 for bytes that are not UTF-8, and
    InvalidInput for all other errors.
    """
    try:
        json_text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise HTTPException(400) from None
    if "\x00" in json_text:
        # Such bytes are UTF-16 or UTF-32; JSON contains no bare NUL.
        raise HTTPException(400)
    _check_value_count_and_depth(body)
    try:
        document = json.loads(json_text, parse_constant=_refuse_number, parse_float=_parse_finite_float)
    except RecursionError:
        raise _build_depth_error() from None
    except ValueError:
        # Also an integer with more digits than Python converts.
        raise InvalidInput("The body is not valid JSON.", code="malformed_json") from None
    _check_texts_keys_and_depth(document)
    return document


def _check_value_count_and_depth(body: bytes) -> None:
    """Count the values before they are created: each takes a hundred times the memory of its bytes."""
    # Count the strings roughly first, so that removing them is bounded too.
    string_count = (body.count(b'"') - body.count(b'\\"')) // 2
    if string_count > BODY_VALUES.maximum + BODY_KEYS.maximum:
        raise _build_values_error()
    body_outside_strings = _STRING_PATTERN.sub(b"", body)
    bracket_depth = 0
    # A body with more brackets than this has too many values, unless it is too deep before that.
    for bracket in body_outside_strings.translate(None, _BYTES_EXCEPT_BRACKETS)[: 2 * BODY_VALUES.maximum]:
        bracket_depth += 1 if bracket in b"[{" else -1
        if bracket_depth > BODY_DEPTH.maximum:
            raise _build_depth_error()
    if (
        body_outside_strings.count(b",") + body_outside_strings.count(b"[") + body_outside_strings.count(b"{")
        > BODY_VALUES.maximum
    ):
        raise _build_values_error()


def _check_texts_keys_and_depth(document: Any) -> None:
    key_count = 0
    values_at_level = [document]
    for depth in range(BODY_DEPTH.maximum + 1):
        values_at_next_level: list[Any] = []
        for value in values_at_level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                key_count += len(value)
                if key_count > BODY_KEYS.maximum:
                    raise InvalidInput(
                        f"The body has more than {BODY_KEYS.maximum:,} keys.", code="too_many_keys"
                    )
                for key in value:
                    _check_text(key)
                values_at_next_level.extend(value.values())
            elif isinstance(value, list):
                values_at_next_level.extend(value)
        if not values_at_next_level:
            return
        if depth == BODY_DEPTH.maximum:
            raise _build_depth_error()
        values_at_level = values_at_next_level


def _check_text(value: str) -> None:
    if not input_text.is_storable(value):
        raise InvalidInput(
            "The body holds a NUL character or half of a surrogate pair.", code="invalid_character"
        )


def _parse_finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        _refuse_number(digits)
    return value


def _refuse_number(_digits: str) -> NoReturn:
    raise InvalidInput("The body holds a number that is not finite.", code="invalid_number")


def _build_values_error() -> InvalidInput:
    return InvalidInput(f"The body has more than {BODY_VALUES.maximum:,} values.", code="too_many_values")


def _build_depth_error() -> InvalidInput:
    return InvalidInput(f"The body is nested more than {BODY_DEPTH.maximum} levels deep.", code="too_deep")
