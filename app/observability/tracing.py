"""Traces across request, job and model call for an OpenTelemetry receiver; disabled if none is configured.

A span has routes, ids, kinds and numbers: no text of a document, no question, and only the type of an
exception. The package comes with the extra `otel` and is imported only if a receiver is configured.
"""

import importlib
import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from app.errors import ConfigurationError
from app.optional_packages import install_command

TRACE_PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
"""A W3C traceparent; values of another form are ignored."""
_SEND_SECONDS = 5.0


class Span:
    """A span that is not recorded; `_Recorded` is one that is."""

    def __enter__(self) -> "Span":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        return

    def set_name(self, name: str) -> None:
        """Set the name, if it was not known at the start."""

    def set_attributes(self, **attributes: object) -> None:
        """Add attributes; those that are None are left out."""


_NO_SPAN = Span()


class _RecordedSpan(Span):
    def __init__(self, span_manager: AbstractContextManager[Any]) -> None:
        self._span_manager = span_manager

    def __enter__(self) -> Span:
        self._span = self._span_manager.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            self._span.set_attribute("error.type", kind.__name__)
        # The exception is not passed on, because its message may repeat the input.
        self._span_manager.__exit__(None, None, None)

    def set_name(self, name: str) -> None:
        self._span.update_name(name)

    def set_attributes(self, **attributes: object) -> None:
        self._span.set_attributes(_rename_attributes(attributes))


class _Recorder:
    """The span recorder of one process; created after a fork."""

    def __init__(self, endpoint: str, service: str) -> None:
        try:
            self.trace = importlib.import_module("opentelemetry.trace")
            sdk = importlib.import_module("opentelemetry.sdk.trace")
            export = importlib.import_module("opentelemetry.sdk.trace.export")
            resources = importlib.import_module("opentelemetry.sdk.resources")
            otlp = importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        except ImportError:
            raise ConfigurationError(
                f"OTEL_EXPORTER_OTLP_ENDPOINT is set: run `{install_command('otel')}`, or unset it."
            ) from None
        exporter = otlp.OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=_SEND_SECONDS)
        # Not the package's global provider: spans of other libraries may contain text.
        self._provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": service}))
        self._provider.add_span_processor(export.BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
        self.tracer = self._provider.get_tracer("citegraph")

    def build_context(self, parent: str | None) -> Any:
        """Return the context of a traceparent, or None (the current context) if it is missing or
        malformed.
        """
        match = TRACE_PARENT.fullmatch(parent or "")
        if match is None:
            return None
        trace_flags = self.trace.TraceFlags(int(match[3], 16))
        span_context = self.trace.SpanContext(
            int(match[1], 16), int(match[2], 16), is_remote=True, trace_flags=trace_flags
        )
        return self.trace.set_span_in_context(self.trace.NonRecordingSpan(span_context))

    def close(self) -> None:
        self._provider.shutdown()


_recorder: _Recorder | None = None


def start_tracing(endpoint: str | None, service: str) -> None:
    """Start to record spans in this process. Raises ConfigurationError if the package is missing."""
    global _recorder
    if endpoint and _recorder is None:
        _recorder = _Recorder(endpoint, service)


def stop_tracing() -> None:
    """Send the remaining spans, and stop recording."""
    global _recorder
    if _recorder is not None:
        ended_recorder, _recorder = _recorder, None
        ended_recorder.close()


@contextmanager
def record_spans_within(endpoint: str | None, service: str) -> Iterator[None]:
    """Record spans during the block; the remaining ones are sent at its end, also after an error."""
    start_tracing(endpoint, service)
    try:
        yield
    finally:
        stop_tracing()


def is_tracing() -> bool:
    """Return whether spans are recorded."""
    return _recorder is not None


def start_span(name: str, *, parent: str | None = None, **attributes: object) -> Span:
    """Return a span for a block; its parent is the traceparent `parent`, or else the current span."""
    if _recorder is None:
        return _NO_SPAN
    span_manager = _recorder.tracer.start_as_current_span(
        name,
        context=_recorder.build_context(parent),
        attributes=_rename_attributes(attributes),
        record_exception=False,
        set_status_on_exception=False,
    )
    return _RecordedSpan(span_manager)


def record_span(name: str, *, seconds: float, **attributes: object) -> None:
    """Record a span that ends now and took `seconds`, as a child of the current span."""
    if _recorder is None:
        return
    ended_at = time.time_ns()
    new_span = _recorder.tracer.start_span(
        name, attributes=_rename_attributes(attributes), start_time=ended_at - round(seconds * 1_000_000_000)
    )
    new_span.end(ended_at)


def get_trace_parent() -> str | None:
    """Return the traceparent of the current span, to continue the trace elsewhere; None outside of a span."""
    if _recorder is None:
        return None
    span_context = _recorder.trace.get_current_span().get_span_context()
    return (
        f"00-{span_context.trace_id:032x}-{span_context.span_id:016x}-{span_context.trace_flags:02x}"
        if span_context.is_valid
        else None
    )


def add_trace_id(_logger: object, _method: str, event: Any) -> Any:
    """Add the trace's id to a log line that is written within a span."""
    if _recorder is not None and (trace_parent := get_trace_parent()) is not None:
        event["trace_id"] = trace_parent.split("-")[1]
    return event


def _rename_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes that are not None, under their OpenTelemetry names."""
    return {key.replace("__", "."): value for key, value in attributes.items() if value is not None}
