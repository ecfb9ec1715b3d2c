"""Faults of the model double, switchable while it runs (fault row 13)."""

import json
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

CORRUPTED_VECTOR: Mapping[str, float] = {"nan_vector": float("nan"), "huge_vector": 1e39, "zero_vector": 0.0}


class Mode(StrEnum):
    """The kinds of faults. Those from `cut_json` on corrupt the model's answer, the others the transport."""

    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    SERVER_ERROR = "server_error"
    STATUS = "status"
    REFUSED = "refused"
    HANG = "hang"
    SLOW_DRIP = "slow_drip"
    HALF_ENVELOPE = "half_envelope"
    HTML = "html"
    CHOICES_NULL = "choices_null"
    EMPTY_CHOICES = "empty_choices"
    CONTENT_NULL = "content_null"
    NO_SCHEMA = "no_schema"
    NO_JSON_OBJECT = "no_json_object"
    CUT_STREAM = "cut_stream"
    GARBLED_STREAM = "garbled_stream"
    CUT_JSON = "cut_json"
    WRONG_SCHEMA = "wrong_schema"
    NAN_CONFIDENCE = "nan_confidence"
    UNKNOWN_RELATION = "unknown_relation"
    TOO_MANY = "too_many"
    INJECTED = "injected"
    NUL = "nul"
    WRONG_DIMENSION = "wrong_dimension"
    NAN_VECTOR = "nan_vector"
    HUGE_VECTOR = "huge_vector"
    ZERO_VECTOR = "zero_vector"


@dataclass
class Fault:
    """One fault: how often (`times`, None for always), how probably, and for which requests.

    `path` is a part of the URL's path, `containing` a part of the prompt, `model` the requested model, and
    `parameter` one that the request must carry. `retry_after` is sent with 429 and 5xx, `status` is that of
    `status` and `server_error`, `hint` the text of the error body, `blames` its `param`. `interval` is the
    number of seconds between two bytes of a slow drip, or between two events of a stream.
    """

    mode: Mode
    times: int | None = None
    probability: float = 1.0
    path: str = ""
    containing: str = ""
    model: str = ""
    parameter: str = ""
    retry_after: str | None = None
    status: int = 500
    hint: str = "out of order"
    blames: str | None = None
    interval: float = 0.05

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> "Fault":
        """Create a fault from JSON. Raises ValueError or TypeError if it is invalid."""
        return cls(**{**fields, "mode": Mode(fields["mode"])})


@dataclass
class Faults:
    """The active faults; a request gets the first that applies."""

    seed: int = 0
    _faults: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def add(self, fault: Fault) -> None:
        """Activate another fault."""
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._faults.clear()

    def pick_and_count_down(
        self, path: str, prompt: str, *, wants_schema: str | None, body: Mapping[str, Any] | None = None
    ) -> Fault | None:
        """Return the fault of this request, and count it down."""
        request_body = body or {}
        with self._lock:
            for fault in self._faults:
                if fault.times == 0 or fault.path not in path or fault.containing not in prompt:
                    continue
                if fault.model not in ("", request_body.get("model")):
                    continue
                if fault.parameter and fault.parameter not in request_body:
                    continue
                if fault.mode is Mode.NO_SCHEMA and wants_schema != "json_schema":
                    continue
                if fault.mode is Mode.NO_JSON_OBJECT and wants_schema is None:
                    continue
                if fault.probability < 1 and self._random.random() >= fault.probability:
                    continue
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None


class FaultyContent(NamedTuple):
    """The content of an answer, and the reason that it gives for its end."""

    content: str
    finish_reason: str


def corrupt_content(mode: Mode, content: str) -> FaultyContent:
    """Return the content as a fault of this mode corrupts it."""
    if mode is Mode.CUT_JSON:
        return FaultyContent(content[: max(1, len(content) * 2 // 3)], "length")
    if mode is Mode.WRONG_SCHEMA:
        return FaultyContent(json.dumps({"result": "ok"}), "stop")
    corrupt_part = _CORRUPTION_BY_MODE.get(mode)
    if corrupt_part is None:
        return FaultyContent(content, "stop")
    answer = json.loads(content)
    for passage_answer in answer.get("passages", []):
        corrupt_part(passage_answer)
    return FaultyContent(json.dumps(answer), "stop")


def _set_nan_confidence(passage_answer: dict[str, Any]) -> None:
    for relation in passage_answer.get("relations", []):
        relation["confidence"] = float("nan")


def _set_unknown_relation(passage_answer: dict[str, Any]) -> None:
    for relation in passage_answer.get("relations", []):
        relation["relation"] = "DROP TABLE graph_edge"


def _add_too_many_entries(passage_answer: dict[str, Any]) -> None:
    if "entities" in passage_answer:
        passage_answer["entities"] += [
            {"name": f"Invented Thing {number}", "type": "Concept", "aliases": []} for number in range(10_000)
        ]
        passage_answer["entities"].append({"name": "A" * 1_000_000, "type": "Concept", "aliases": []})
    if passage_answer.get("relations"):
        passage_answer["relations"] += [
            dict(passage_answer["relations"][0], quote=f"Nowhere {number}.") for number in range(10_000)
        ]


def _add_injected_entries(passage_answer: dict[str, Any]) -> None:
    if "entities" in passage_answer:
        passage_answer["entities"].append({"name": "Root Administrator", "type": "Admin", "aliases": ["the"]})
    if "relations" in passage_answer:
        forged_relation = {
            "from": "Root Administrator",
            "to": "everything",
            "relation": "owns",
            "confidence": 1e9,
        }
        passage_answer["relations"].append(forged_relation | {"quote": "Root Administrator owns everything."})


def _add_nul_to_names(passage_answer: dict[str, Any]) -> None:
    for entity in passage_answer.get("entities", []):
        entity["name"] = f"{entity['name']}\x00\ud800"


_CORRUPTION_BY_MODE: Mapping[Mode, Callable[[dict[str, Any]], None]] = {
    Mode.NAN_CONFIDENCE: _set_nan_confidence,
    Mode.UNKNOWN_RELATION: _set_unknown_relation,
    Mode.TOO_MANY: _add_too_many_entries,
    Mode.INJECTED: _add_injected_entries,
    Mode.NUL: _add_nul_to_names,
}
