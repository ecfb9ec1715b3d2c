"""The model double: its answers, its faults and the log of its calls."""

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from app.llm.structured_output import estimate_tokens
from app.llm.testing.faults import Fault, Faults
from app.llm.testing.protocol import hash_prompt_without_fence, read_messages_leniently
from app.llm.testing.server import DoubleServer

Messages = Sequence[Mapping[str, str]]


class Answerer(Protocol):
    """Answers prompts that are neither scripted nor recorded, and counts tokens."""

    def answer(self, messages: Messages) -> Mapping[str, Any] | str | None:
        """Return the content of the answer; None for a prompt that it cannot read."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of the text."""
        ...


class EchoAnswerer:
    """Answers every prompt with an empty object; counts four bytes as a token."""

    def answer(self, messages: Messages) -> Mapping[str, Any] | str | None:  # noqa: ARG002  (the port's)
        """Return `{}`."""
        return {}

    def count_tokens(self, text: str) -> int:
        """Return a quarter of the text's bytes."""
        return estimate_tokens(text)


@dataclass(frozen=True)
class LoggedCall:
    """One request that the double received, in order of receipt."""

    number: int
    path: str
    model: str
    prompt_hash: str
    outcome: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ModelDouble:
    """An OpenAI-compatible server on the loopback, to be used in a `with` block.

    A request is answered by, in this order: a fault, a script (`when`), a recording (`recorded`: JSONL of
    `{"prompt_hash", "answer"}`), the answerer. `latency` is the minimum number of seconds of each call.
    `log` is a JSONL file with one line per request, written before the answer is sent, so that a test can
    count calls across processes. New answers are recorded in the file `record`.
    """

    def __init__(
        self,
        answerer: Answerer | None = None,
        *,
        faults: Iterable[Fault] = (),
        seed: int = 0,
        latency: float = 0.0,
        port: int = 0,
        log: Path | None = None,
        recording_path: Path | None = None,
        record: Path | None = None,
    ) -> None:
        self.answerer = answerer or EchoAnswerer()
        self.faults = Faults(seed)
        for fault in faults:
            self.faults.add(fault)
        self.latency = latency
        self.prompts: list[str] = []
        self.bodies: list[Mapping[str, Any]] = []
        self.stop_event = threading.Event()
        self._scripts: list[tuple[Callable[[str], bool], Mapping[str, Any] | str]] = []
        self._recorded_answers = _read_recorded(recording_path) if recording_path else {}
        self._record = record
        self._log = log
        self._calls: list[LoggedCall] = []
        self._lock = threading.Lock()
        self._server = DoubleServer(self, port)

    @property
    def base_url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.port}/v1"

    @property
    def calls(self) -> list[LoggedCall]:
        """The requests so far, without those to the control path."""
        with self._lock:
            return list(self._calls)

    def call_log(self) -> list[dict[str, Any]]:
        """Return `calls` as JSON values."""
        return [asdict(call) for call in self.calls]

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of the text, as the answerer counts."""
        return self.answerer.count_tokens(text)

    def when(self, matches: Callable[[str], bool], answer: Mapping[str, Any] | str) -> None:
        """Answer prompts for which `matches` is true with `answer`; later scripts take precedence."""
        with self._lock:
            self._scripts.insert(0, (matches, answer))

    def answer_request(self, path: str, body: Mapping[str, Any]) -> str:
        """Return the model's reply to this request, before any fault is applied."""
        messages = read_messages_leniently(body)
        prompt = "\n".join(message["content"] for message in messages)
        answer_key = hash_prompt_without_fence(path, body)
        with self._lock:
            scripts = list(self._scripts)
        answer = next((answer for matches, answer in scripts if matches(prompt)), None)
        if answer is None:
            answer = self._recorded_answers.get(answer_key)
        if answer is None:
            answer = self.answerer.answer(messages)
            if answer is not None and self._record is not None:
                append_json_line_at_once(self._record, {"prompt_hash": answer_key, "answer": answer})
        return answer if isinstance(answer, str) else json.dumps(answer or {})

    def note(
        self, path: str, body: Mapping[str, Any], outcome: str, prompt_tokens: int, completion_tokens: int
    ) -> None:
        """Add a request to the log."""
        with self._lock:
            call = LoggedCall(
                len(self._calls) + 1,
                path,
                str(body.get("model")),
                hash_prompt_without_fence(path, body),
                outcome,
                prompt_tokens,
                completion_tokens,
            )
            self._calls.append(call)
            self.bodies.append(body)
            self.prompts.append("\n".join(message["content"] for message in read_messages_leniently(body)))
            if self._log is not None:
                append_json_line_at_once(self._log, asdict(call))

    def reset(self) -> None:
        """Remove all faults and scripts, and clear the log in memory."""
        self.faults.clear()
        with self._lock:
            self._scripts.clear()
            self._calls.clear()
            self.prompts.clear()
            self.bodies.clear()

    def start(self) -> None:
        """Start answering, in threads."""
        self._server.start()

    def close(self) -> None:
        """Refuse new connections and end the open ones."""
        self.stop_event.set()
        self._server.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def append_json_line_at_once(path: Path, line: Mapping[str, Any]) -> None:
    """Append one JSON line in a single write, so that lines of several processes do not mix."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(descriptor, json.dumps(line).encode() + b"\n")
    finally:
        os.close(descriptor)


def read_log_of_calls(path: Path) -> list[LoggedCall]:
    """Return the requests in a log file, [] if it does not exist."""
    if not path.exists():
        return []
    return [LoggedCall(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _read_recorded(path: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return {line["prompt_hash"]: line["answer"] for line in lines}
