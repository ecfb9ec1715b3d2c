"""Find out which optional parameters a model understands, from fixed probes and never from a refusal.

A refusal is not safe evidence for other calls: its text repeats the model's name and parts of documents, and
even its structured `param` may name the schema, which contains a space's own types. When a call is refused,
the model is probed once with a fixed question, and only the result of that is remembered (decision 27).
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from app.llm.errors import MalformedReply, ModelRefused

PROBE_PURPOSE = "probe"
"""The purpose of probes in the ledger."""
PROBE_MESSAGES = ({"role": "user", "content": 'Answer with this JSON object and nothing else: {"ok": true}'},)
PROBE_TEXTS = ("ok",)
# Everything that our schemas consist of: an object, a list, an enumeration and each kind of value.
_PROBE_PROPERTIES: Mapping[str, Any] = {
    "ok": {"type": "boolean"},
    "kind": {"type": "string", "enum": ["good", "bad"]},
    "counts": {"type": "array", "items": {"type": "integer"}},
    "share": {"type": "number"},
}
PROBE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": _PROBE_PROPERTIES,
    "required": list(_PROBE_PROPERTIES),
    "additionalProperties": False,
}
PROBE_INTERVAL_SECONDS = 600.0
"""Seconds before a model is probed again, which limits the probes that a caller can cause on purpose."""
_RESPONSE_FORMATS = ("schema", "object", "plain")
# A parameter, the content type or the method is not supported. 401, 403, 404, 429 and 5xx say nothing about
# parameters.
_UNSUPPORTED_STATUSES = frozenset({400, 415, 422, 501})


class CallKind(StrEnum):
    """The ways to call a model; each has its own parameters."""

    CHAT = "chat"
    STREAM = "stream"
    EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True)
class Features:
    """The optional parameters that a model understands."""

    response_format: str = "schema"
    takes_temperature: bool = True
    takes_dimensions: bool = True
    takes_stream_usage: bool = True

    def list_weaker_formats(self) -> list["Features"]:
        """Return these features with each weaker response format, strongest first."""
        weaker_formats = _RESPONSE_FORMATS[_RESPONSE_FORMATS.index(self.response_format) + 1 :]
        return [replace(self, response_format=response_format) for response_format in weaker_formats]


_ALL_FEATURES = Features()
# Tried in this order: the least important parameter is given up first.
FEATURE_LADDERS: Mapping[CallKind, tuple[Features, ...]] = {
    CallKind.CHAT: tuple(
        Features(response_format=response_format, takes_temperature=temperature)
        for response_format in _RESPONSE_FORMATS
        for temperature in (True, False)
    ),
    CallKind.STREAM: tuple(
        Features(takes_temperature=temperature, takes_stream_usage=usage)
        for temperature in (True, False)
        for usage in (True, False)
    ),
    CallKind.EMBEDDING: (_ALL_FEATURES, Features(takes_dimensions=False)),
}


def may_be_unsupported_parameter(refusal: ModelRefused) -> bool:
    """Return whether fewer parameters may help, judged only by the status."""
    return refusal.http_status in _UNSUPPORTED_STATUSES


class FeatureTable:
    """The features that each model of a server understands, shared by all tenants of the process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._features_by_model: dict[tuple[CallKind, str], Features] = {}
        self._probed_at: dict[tuple[CallKind, str], float] = {}
        self._lock_by_model: dict[tuple[CallKind, str], threading.Lock] = {}
        self._lock = threading.Lock()
        self._unanswered_at: dict[tuple[str, str], float] = {}

    def mark_unanswered(self, model: str, purpose: str) -> None:
        """Remember that the model gave no answer to a fixed question of this purpose."""
        self._unanswered_at[model, purpose] = self._clock()

    def may_be_asked(self, model: str, purpose: str) -> bool:
        """Return whether a fixed question may be asked: not for PROBE_INTERVAL_SECONDS after no answer."""
        unanswered_at = self._unanswered_at.get((model, purpose))
        return unanswered_at is None or self._clock() - unanswered_at >= PROBE_INTERVAL_SECONDS

    def get_features(self, kind: CallKind, model: str) -> Features:
        """Return the known features of the model; all features until something else was found out."""
        return self._features_by_model.get((kind, model), _ALL_FEATURES)

    def determine_features_by_probe(
        self, kind: CallKind, model: str, probe: Callable[[Features], object]
    ) -> Features | None:
        """Find out the model's features with `probe`, a fixed call that raises ModelRefused if it is refused.

        Returns None if every set of features is refused. Only one thread probes at a time. If `probe` raises
        something else, it is raised and nothing is remembered.
        """
        key = (kind, model)
        with self._lock:
            model_lock = self._lock_by_model.setdefault(key, threading.Lock())
        with model_lock:
            probed_at = self._probed_at.get(key)
            if probed_at is not None and self._clock() - probed_at < PROBE_INTERVAL_SECONDS:
                return self._features_by_model.get(key)
            understood_features = next(
                (features for features in FEATURE_LADDERS[kind] if _is_understood(probe, features)), None
            )
            self._probed_at[key] = self._clock()
            if understood_features is not None:
                self._features_by_model[key] = understood_features
            return understood_features


def _is_understood(probe: Callable[[Features], object], features: Features) -> bool:
    try:
        probe(features)
    except ModelRefused as refusal:
        if not may_be_unsupported_parameter(refusal):
            raise
        return False
    except MalformedReply:
        # The parameters were accepted; a small model may still answer something else.
        return True
    return True
