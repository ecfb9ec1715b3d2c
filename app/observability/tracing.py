"""Traces through request, job and model call, for a receiver of OpenTelemetry; nothing while none is set.

A span holds routes, ids, kinds and numbers: no text of a document, no question, and of an exception its kind
alone. The package comes with the extra `otel`, and is imported only where a receiver is named.
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
"""A position in a trace as W3C writes it; what does not look like one is not believed."""
_SEND_SECONDS = 5.0


class Span:
    """A span that nobody records; the one that does is `_Recorded`."""

    def __enter__(self) -> "Span":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        return

    def set_name(self, name: str) -> None:
        """Give it the name that is known only now."""

    def set_attributes(self, **attributes: object) -> None:
        """Add attributes; those that are None are left out."""


_NOBODY = Span()


class _Recorded(Span):
    def __init__(self, opened: AbstractContextManager[Any]) -> None:
        self._opened = opened

    def __enter__(self) -> Span:
        self._span = self._opened.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            self._span.set_attribute("error.type", kind.__name__)
        # Its own words may repeat what was sent.
        self._opened.__exit__(None, None, None)

    def set_name(self, name: str) -> None:
        self._span.update_name(name)

    def set_attributes(self, **attributes: object) -> None:
        self._span.set_attributes(_rename_attributes(attributes))


class _Recorder:
    """The recorder of one process; made after a fork."""

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
        # Not the package's global one: what other libraries record may hold texts.
        self._provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": service}))
        self._provider.add_span_processor(export.BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
        self.tracer = self._provider.get_tracer("citegraph")

    def build_context(self, parent: str | None) -> Any:
        """The context of a position in a trace; that of the moment where none is given."""
        match = TRACE_PARENT.fullmatch(parent or "")
        if match is None:
            return None
        flags = self.trace.TraceFlags(int(match[3], 16))
        span_context = self.trace.SpanContext(
            int(match[1], 16), int(match[2], 16), is_remote=True, trace_flags=flags
        )
        return self.trace.set_span_in_context(self.trace.NonRecordingSpan(span_context))

    def close(self) -> None:
        self._provider.shutdown()


_recorder: _Recorder | None = None


def start_tracing(endpoint: str | None, service: str) -> None:
    """Record spans from now on, in this process. Raises ConfigurationError without the package."""
    global _recorder
    if endpoint and _recorder is None:
        _recorder = _Recorder(endpoint, service)


def stop_tracing() -> None:
    """Send what is left, and record no more."""
    global _recorder
    if _recorder is not None:
        ended, _recorder = _recorder, None
        ended.close()


@contextmanager
def record_spans(endpoint: str | None, service: str) -> Iterator[None]:
    """Record spans meanwhile; what is left is sent at the end, whatever that is."""
    start_tracing(endpoint, service)
    try:
        yield
    finally:
        stop_tracing()


def is_tracing() -> bool:
    """Tell whether spans are recorded."""
    return _recorder is not None


def start_span(name: str, *, parent: str | None = None, **attributes: object) -> Span:
    """A span around the block; below `parent`, a position in a trace, else below that of the moment."""
    if _recorder is None:
        return _NOBODY
    opened = _recorder.tracer.start_as_current_span(
        name,
        context=_recorder.build_context(parent),
        attributes=_rename_attributes(attributes),
        record_exception=False,
        set_status_on_exception=False,
    )
    return _Recorded(opened)


def record_span(name: str, *, seconds: float, **attributes: object) -> None:
    """A span that ends now and took so long, below that of the moment."""
    if _recorder is None:
        return
    ended_at = time.time_ns()
    new_span = _recorder.tracer.start_span(
        name, attributes=_rename_attributes(attributes), start_time=ended_at - round(seconds * 1_000_000_000)
    )
    new_span.end(ended_at)


def get_trace_parent() -> str | None:
    """The position of the moment in its trace, to be gone on from elsewhere; None outside of one."""
    if _recorder is None:
        return None
    span_context = _recorder.trace.get_current_span().get_span_context()
    return (
        f"00-{span_context.trace_id:032x}-{span_context.span_id:016x}-{span_context.trace_flags:02x}"
        if span_context.is_valid
        else None
    )


def add_trace_id(_logger: object, _method: str, event: Any) -> Any:
    """Add the id of the trace to a line of the log that is written within one."""
    if _recorder is not None and (position := get_trace_parent()) is not None:
        event["trace_id"] = position.split("-")[1]
    return event


def _rename_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes that are known, by the names that OpenTelemetry gives them."""
    return {key.replace("__", "."): value for key, value in attributes.items() if value is not None}
