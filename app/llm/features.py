"""Which optional parameters a model understands, found out by questions of our own and never from a refusal.

A refusal says nothing that all may rely on: its words repeat the model's name and parts of documents, and
even its structured `param` blames the schema, in which a space's own types stand. So a call that is refused
has the model asked once, by a fixed question, what it understands; that alone is kept (decision 27).
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from app.llm.errors import MalformedReply, ModelRefused

PROBE = "probe"
"""The purpose of such questions in the ledger."""
PROBE_MESSAGES = ({"role": "user", "content": 'Answer with this JSON object and nothing else: {"ok": true}'},)
PROBE_TEXTS = ("ok",)
# All that schemas of ours are made of: an object, a list, a choice and each kind of value.
_PROBE_KINDS: Mapping[str, Any] = {
    "ok": {"type": "boolean"},
    "kind": {"type": "string", "enum": ["good", "bad"]},
    "counts": {"type": "array", "items": {"type": "integer"}},
    "share": {"type": "number"},
}
PROBE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": _PROBE_KINDS,
    "required": list(_PROBE_KINDS),
    "additionalProperties": False,
}
PROBE_EVERY = 600.0
"""Seconds before a model is asked again: whoever has calls refused on purpose causes no more questions than
that.
"""
_FORMATS = ("schema", "object", "plain")
# A parameter is not understood, the content type or method of asking neither. 401, 403, 404, 429 and 5xx
# say nothing about parameters.
_UNSUPPORTED = frozenset({400, 415, 422, 501})


class Kind(StrEnum):
    """The ways in which a model is called, each with parameters of its own."""

    CHAT = "chat"
    STREAM = "stream"
    EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True)
class Features:
    """The optional parameters of a call that a model understands."""

    response_format: str = "schema"
    temperature: bool = True
    dimensions: bool = True
    stream_usage: bool = True

    def list_weaker_formats(self) -> list["Features"]:
        """The same with less said about the form of the answer, strongest first."""
        weaker = _FORMATS[_FORMATS.index(self.response_format) + 1 :]
        return [replace(self, response_format=response_format) for response_format in weaker]


_ALL = Features()
# Tried in this order: what is missed least is given up first.
LADDERS: Mapping[Kind, tuple[Features, ...]] = {
    Kind.CHAT: tuple(
        Features(response_format=response_format, temperature=temperature)
        for response_format in _FORMATS
        for temperature in (True, False)
    ),
    Kind.STREAM: tuple(
        Features(temperature=temperature, stream_usage=usage)
        for temperature in (True, False)
        for usage in (True, False)
    ),
    Kind.EMBEDDING: (_ALL, Features(dimensions=False)),
}


def is_unsupported(refusal: ModelRefused) -> bool:
    """Return whether fewer parameters may help: the status alone says so."""
    return refusal.http_status in _UNSUPPORTED


class FeatureTable:
    """The features that each model of one server understands, for all tenants of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._understood: dict[tuple[Kind, str], Features] = {}
        self._probed_at: dict[tuple[Kind, str], float] = {}
        self._locks: dict[tuple[Kind, str], threading.Lock] = {}
        self._lock = threading.Lock()

    def get_features(self, kind: Kind, model: str) -> Features:
        """Return the known features of the model; all of them until something else was found out."""
        return self._understood.get((kind, model), _ALL)

    def find_out(self, kind: Kind, model: str, probe: Callable[[Features], object]) -> Features | None:
        """Find out the model's features by `probe`: a fixed call that raises ModelRefused if it is refused.

        None where it refuses every one. Of many threads one asks. Raises what else `probe` raises; then
        nothing is kept.
        """
        key = (kind, model)
        with self._lock:
            model_lock = self._locks.setdefault(key, threading.Lock())
        with model_lock:
            probed_at = self._probed_at.get(key)
            if probed_at is not None and self._clock() - probed_at < PROBE_EVERY:
                return self._understood.get(key)
            understood = next(
                (features for features in LADDERS[kind] if _is_understood(probe, features)), None
            )
            self._probed_at[key] = self._clock()
            if understood is not None:
                self._understood[key] = understood
            return understood


def _is_understood(probe: Callable[[Features], object], features: Features) -> bool:
    try:
        probe(features)
    except ModelRefused as refusal:
        if not is_unsupported(refusal):
            raise
        return False
    except MalformedReply:
        # The parameters were taken; a small model may still answer something else.
        return True
    return True
