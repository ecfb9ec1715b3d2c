"""Server-sent events as bytes arrive, and the events of an answer that is being written."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from citegraph_client.errors import StreamBroken
from citegraph_client.generated import answers as a
from citegraph_client.shape import Shape


class Cited(Shape):
    """The citations that stand at the end of an answer, and those that were taken out."""

    citations: list[a.AnswerCitationAnswer]
    removed: list[a.RemovedCitationAnswer]


class Interruption(Shape):
    """Why a model stopped before its end; what came before stands."""

    code: str
    detail: str


@dataclass(frozen=True)
class ContextEvent:
    """All that the answer may rest on; the first event."""

    data: a.ContextAnswer
    type: Literal["context"] = "context"


@dataclass(frozen=True)
class SentenceEvent:
    """One more sentence, its citations looked up."""

    data: a.SentenceAnswer
    type: Literal["sentence"] = "sentence"


@dataclass(frozen=True)
class CitationsEvent:
    """The citations of the whole answer."""

    data: Cited
    type: Literal["citations"] = "citations"


@dataclass(frozen=True)
class InterruptedEvent:
    """The model stopped; an answer of what there is follows."""

    data: Interruption
    type: Literal["error"] = "error"


@dataclass(frozen=True)
class DoneEvent:
    """The whole answer; the last event."""

    data: a.AskAnswer
    type: Literal["done"] = "done"


AskEvent = ContextEvent | SentenceEvent | CitationsEvent | InterruptedEvent | DoneEvent
_JOB: TypeAdapter[a.JobAnswer] = TypeAdapter(a.JobAnswer)


@dataclass
class EventReader:
    """Puts events together from bytes as they arrive. Only line ends count as such: text may hold others."""

    _rest: bytes = b""
    _name: str = "message"
    _data: list[str] = field(default_factory=list)

    def feed(self, arrived: bytes) -> list[tuple[str, str]]:
        """(name, data) of each event that is whole by now."""
        *lines, self._rest = (self._rest + arrived).split(b"\n")
        return [event for line in lines for event in self._line(line.rstrip(b"\r").decode())]

    def _line(self, line: str) -> list[tuple[str, str]]:
        if not line:
            event = (self._name, "\n".join(self._data))
            has_data, self._name, self._data = bool(self._data), "message", []
            return [event] if has_data else []
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        return []


def ask_event(name: str, data: str) -> AskEvent | None:
    """The event of an answer; None for one that this version does not know.

    Raises StreamBroken where the service ends the stream before the answer's end.
    """
    if name == "context":
        return ContextEvent(a.ContextAnswer.model_validate_json(data))
    if name == "sentence":
        return SentenceEvent(a.SentenceAnswer.model_validate_json(data))
    if name == "citations":
        return CitationsEvent(Cited.model_validate_json(data))
    if name == "error":
        return InterruptedEvent(Interruption.model_validate_json(data))
    if name == "done":
        return DoneEvent(a.AskAnswer.model_validate_json(data))
    if name == "end":
        raise broken(data)
    return None


def job_event(name: str, data: str) -> a.JobAnswer | None:
    """The job as an event tells it; None for another event."""
    return _JOB.validate_json(data) if name == "job" else None


def end_reason(data: str) -> str:
    """The reason that an `end` event gives."""
    told: Any = json.loads(data)
    return str(told.get("reason", "")) if isinstance(told, dict) else ""


def broken(data: str) -> StreamBroken:
    """The error for a stream that the service ended."""
    reason = end_reason(data)
    return StreamBroken(f"The service ended the stream: {reason}.", reason)
