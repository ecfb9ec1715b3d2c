"""Read a model's answer while it is written: text from server-sent events, trusted no more than any reply."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.lazy import import_object
from app.llm.breaker import Breaker
from app.llm.deadline import limit_seconds
from app.llm.errors import MalformedReply
from app.llm.model_features import Features
from app.llm.reasoning_text import ThoughtFilter
from app.llm.retries import translate_and_report_failures
from app.llm.structured_output import parse_token_count

if TYPE_CHECKING:
    from openai import OpenAI


def build_request_body_of_stream(
    messages: Sequence[Mapping[str, str]], model: str, features: Features, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the JSON body of POST /chat/completions for free text in pieces, without tools and format."""
    request_body: dict[str, Any] = {"model": model, "messages": list(messages), "stream": True}
    request_body |= {
        name: value
        for name, value in parameters.items()
        if name != "temperature" or features.takes_temperature
    }
    if features.takes_stream_usage:
        request_body["stream_options"] = {"include_usage": True}
    return request_body


class TextStream:
    """One streamed answer: iterate over its pieces, then read its token counts; always close it.

    `ends_at` is the time of time.monotonic() by which the last byte must have arrived. Another thread than
    the one that opened the stream may read it.
    """

    def __init__(
        self, openai: "OpenAI", body: Mapping[str, Any], *, ends_at: float, breaker: Breaker
    ) -> None:
        """Send the request. Raises TryAgain and final errors (see `translate_and_report_failures`)."""
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.has_begun = False
        self.started_at = time.monotonic()
        self._finish_reason: str | None = None
        self._ends_at = ends_at
        self._breaker = breaker
        remaining_seconds = max(ends_at - self.started_at, 0.001)
        with translate_and_report_failures(breaker), limit_seconds(remaining_seconds):
            self._events = openai.post(
                "/chat/completions",
                cast_to=object,
                body=dict(body),
                # Waiting for a free connection is not covered by the deadline, which applies to sockets.
                options={"timeout": import_object("httpx2").Timeout(remaining_seconds)},
                stream=True,
                stream_cls=import_object("openai").Stream[object],
            )

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text. Raises TryAgain if the stream breaks off, MalformedReply for bad content."""
        has_text = False
        thought_filter = ThoughtFilter()
        while (event := self._read_next_event()) is not None:
            text_piece = thought_filter.strip_thoughts(self._read_text_and_update_state(event))
            if text_piece:
                has_text = True
                yield text_piece
        if remaining_text := thought_filter.get_rest_without_thought():
            has_text = True
            yield remaining_text
        if not self.has_begun:
            raise MalformedReply("The reply was no stream of events.")
        if self._finish_reason is None:
            self._breaker.record_failure("it stops in the middle")
            raise MalformedReply("The answer stopped in the middle.")
        if self._finish_reason == "length":
            raise MalformedReply("The answer was cut off before its end.")
        if self._finish_reason == "content_filter":
            raise MalformedReply("The answer was withheld by a filter.")
        if not has_text:
            raise MalformedReply("The answer was empty.")

    def close(self) -> None:
        """Close the connection; unread text is lost."""
        self._events.close()

    def _read_next_event(self) -> object | None:
        # Set the deadline for each read: the reading thread may change between two reads.
        with translate_and_report_failures(self._breaker), limit_seconds(self._ends_at - time.monotonic()):
            try:
                return next(self._events, None)
            except (ValueError, RecursionError) as error:
                raise MalformedReply("The stream held something that was no event.") from error

    def _read_text_and_update_state(self, event: object) -> str:
        if not isinstance(event, dict):
            return ""
        usage = event.get("usage")
        if isinstance(usage, dict):
            self.prompt_tokens = parse_token_count(usage.get("prompt_tokens"))
            self.completion_tokens = parse_token_count(usage.get("completion_tokens"))
        choices = event.get("choices")
        first_choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(first_choice, dict):
            return ""
        if not self.has_begun:
            self.has_begun = True
            self._breaker.record_answer_and_close()
        finish_reason = first_choice.get("finish_reason")
        if isinstance(finish_reason, str):
            self._finish_reason = finish_reason
        delta = first_choice.get("delta")
        content = delta.get("content") if isinstance(delta, dict) else None
        return content if isinstance(content, str) else ""
