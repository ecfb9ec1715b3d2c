"""Traces at a receiver that really speaks OTLP over HTTP: request, job and model call are one trace."""

import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app.db.database import Database
from app.errors import ConfigurationError
from app.ids import JobId
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.observability import tracing
from app.wiring import assemble_citegraph
from tests.api.conftest import Account, World
from tests.conftest import under
from workers.handlers import build_handlers_by_kind
from workers.runner import Runner

CANARY = "canaryXYZZY"
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Receiver:
    """An OTLP receiver: the raw requests, and the spans in them."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.paths: list[str] = []

    def spans(self) -> list[dict[str, Any]]:
        found = []
        for line in self.raw:
            request = ExportTraceServiceRequest.FromString(line)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        values = {
                            pair.key: pair.value.string_value or pair.value.int_value
                            for pair in span.attributes
                        }
                        found.append(
                            {
                                "name": span.name,
                                "trace": span.trace_id.hex(),
                                "id": span.span_id.hex(),
                                "parent": span.parent_span_id.hex(),
                                "seconds": (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                                "events": len(span.events),
                                **values,
                            }
                        )
        return found


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.raw.append(self.rfile.read(int(self.headers["content-length"])))
            found.paths.append(self.path)
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    tracing.start_tracing(f"http://127.0.0.1:{server.server_port}/", "citegraph-test")
    yield found
    tracing.stop_tracing()
    server.shutdown()
    thread.join()
    server.server_close()


def trace_parent_of(database: Database, account: Account, job_id: str) -> str | None:
    with database.open_space(account.home.tenant_id, account.home.space_id) as space:
        return queue.get_job(space, JobId(job_id)).trace_parent  # type: ignore[arg-type]


def test_request_job_and_model_call_are_one_trace(world: World, guest: Account, receiver: Receiver) -> None:
    own = world.citegraph
    sent = {**guest.bearer(), "traceparent": f"00-{TRACE}-{CALLER}-01"}
    with ModelDouble(RulesAnswerer()) as double:
        made = world.http.post(
            f"{guest.space}/documents",
            headers=sent,
            json={"text": f"Ada {CANARY} knows Eve. Eve uses Kafka."},
        ).json()["job"]["id"]
        client = ModelClient(api_key="unused", base_url=double.base_url, model="double")
        parts = assemble_citegraph(own.settings, under(own.database, own.settings), own.broker, client)
        Runner(parts.database, parts.settings, build_handlers_by_kind(parts)).drain()
        parts.extractors.close()
        client.close()
    tracing.stop_tracing()
    spans = receiver.spans()
    assert set(receiver.paths) == {"/v1/traces"}
    (request,) = [span for span in spans if span["name"] == "POST /v1/spaces/{space_id}/documents"]
    assert (request["trace"], request["parent"]) == (TRACE, CALLER)
    assert request["http.response.status_code"] == 202
    assert request["space"] == str(guest.space_id)
    (job,) = [span for span in spans if span.get("job") == made and span["name"] == "job ingest.documents"]
    assert (job["trace"], job["parent"]) == (TRACE, request["id"])
    assert (job["outcome"], job["tenant"]) == ("done", str(guest.tenant_id))
    calls = [span for span in spans if span["name"] == "model call" and span["parent"] == job["id"]]
    assert {call["trace"] for call in calls} == {TRACE}
    assert {call["purpose"] for call in calls} >= {"entities"}
    assert all(call["outcome"] == "ok" and 0 < call["seconds"] <= job["seconds"] for call in calls)
    assert trace_parent_of(own.database, guest, made) == f"00-{TRACE}-{request['id']}-01"
    assert CANARY.encode() not in b"".join(receiver.raw)
    assert guest.keys["full"].encode() not in b"".join(receiver.raw)


def test_a_failure_is_told_by_its_kind_and_never_by_its_words(receiver: Receiver) -> None:
    with pytest.raises(ZeroDivisionError), tracing.start_span("outer"), tracing.start_span("inner"):
        raise ZeroDivisionError(CANARY)
    tracing.stop_tracing()
    inner, outer = receiver.spans()
    assert inner["parent"] == outer["id"]
    assert (inner["error.type"], inner["events"]) == ("ZeroDivisionError", 0)
    assert CANARY.encode() not in b"".join(receiver.raw)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "garbage",
        f"00-{'0' * 32}-{CALLER}-01",
        f"00-{TRACE}-{CALLER}",
        f"ff-{TRACE}-{CALLER}-01",
        "x" * 9_000,
    ],
)
def test_what_is_no_position_in_a_trace_begins_one(
    world: World, guest: Account, receiver: Receiver, said: str
) -> None:
    answer = world.http.get(f"{guest.space}/graph/nodes", headers={**guest.bearer(), "traceparent": said})
    assert answer.status_code == 200
    tracing.stop_tracing()
    (request,) = receiver.spans()
    assert request["trace"] != TRACE
    assert request["parent"] == ""


class TestOff:
    def test_nothing_is_kept_with_the_job(self, world: World, guest: Account) -> None:
        assert not tracing.is_tracing()
        sent = {**guest.bearer(), "traceparent": f"00-{TRACE}-{CALLER}-01"}
        made = world.http.post(f"{guest.space}/documents", headers=sent, json={"text": "Ada knows Eve."})
        assert trace_parent_of(world.citegraph.database, guest, made.json()["job"]["id"]) is None
        world.drain()

    def test_it_costs_next_to_nothing(self) -> None:
        assert tracing.start_span("a", kind="b") is tracing.start_span("c")
        begun = time.process_time()
        for _ in range(100_000):
            with tracing.start_span("request", request_id="x"):
                tracing.record_span("model call", seconds=1.0)
                tracing.get_trace_parent()
        assert time.process_time() - begun < 1.0

    def test_without_the_extra_a_sentence_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
        with pytest.raises(ConfigurationError, match=r"pip install .*opentelemetry-sdk"):
            tracing.start_tracing("http://127.0.0.1:1", "test")
        assert not tracing.is_tracing()
