"""The HTTP server of the model double: threads on the loopback that answer or apply a fault."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from app.llm.testing.faults import CORRUPTED_VECTOR, Fault, Faults, Mode, corrupt_content
from app.llm.testing.protocol import (
    build_completion,
    build_corrupt_stream,
    build_embeddings,
    build_error,
    build_stream,
    build_usage,
    read_messages_leniently,
)

_CHAT, _EMBEDDINGS, _MODELS = "/v1/chat/completions", "/v1/embeddings", "/v1/models"
_CONTROL = "/control"
_HTML = b"<!doctype html><title>Welcome</title><p>Your gateway is being set up."
_ANSWER_FAULTS = frozenset(Mode) - {
    Mode.RATE_LIMITED,
    Mode.QUOTA,
    Mode.SERVER_ERROR,
    Mode.STATUS,
    Mode.REFUSED,
    Mode.HANG,
    Mode.HTML,
    Mode.NO_SCHEMA,
    Mode.NO_JSON_OBJECT,
}


class AnsweringDouble(Protocol):
    """The methods of ModelDouble that the server calls."""

    faults: Faults
    latency: float
    stop_event: threading.Event

    def count_tokens(self, text: str) -> int: ...

    def answer_request(self, path: str, body: Mapping[str, Any]) -> str: ...

    def note(self, path: str, body: Mapping[str, Any], outcome: str, sent: int, received: int) -> None: ...

    def call_log(self) -> list[dict[str, Any]]: ...

    def when(self, matches: Callable[[str], bool], answer: Mapping[str, Any] | str) -> None: ...

    def reset(self) -> None: ...


class DoubleServer:
    """Listens on the loopback; closing it ends its connections."""

    def __init__(self, double: AnsweringDouble, port: int) -> None:
        self._http = _Server(("127.0.0.1", port), _Handler)
        self._http.double = double
        self.port: int = self._http.server_address[1]
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="model-double"
        )

    def start(self) -> None:
        """Start answering, in threads."""
        self._thread.start()

    def close(self) -> None:
        """Refuse new connections, end the open ones, and wait for their threads."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.end_connections()
        self._http.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128
    double: AnsweringDouble

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open_sockets: set[socket.socket] = set()
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open_sockets.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open_sockets.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        with self._lock:
            for connection in self._open_sockets:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write per answer: two small writes would wait for an acknowledgement, 40 ms.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    server: _Server
    _due_at = 0.0

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing here: the double has its own call log."""

    def do_GET(self) -> None:
        """Serve the list of models, and the call log at /control/calls."""
        if self.path == _MODELS:
            models = [
                {"id": name, "object": "model", "owned_by": "double"}
                for name in ("double", "double-embedding")
            ]
            self._send_json(200, {"object": "list", "data": models})
        elif self.path == f"{_CONTROL}/calls":
            self._send_json(200, {"calls": self.server.double.call_log()})
        else:
            self._send_json(404, build_error("No such path."))

    def do_DELETE(self) -> None:
        """DELETE /control: remove faults and scripts, clear the log."""
        self.server.double.reset()
        self._send_json(200, {})

    def do_POST(self) -> None:
        """Answer a model call or a control request."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
            if not isinstance(body, dict):
                raise ValueError("not an object")
            if self.path.startswith(_CONTROL):
                self._handle_control(body)
                return
        except (ValueError, TypeError, KeyError) as problem:
            self._send_json(400, build_error(f"The request cannot be read: {type(problem).__name__}."))
            return
        if self.path not in (_CHAT, _EMBEDDINGS):
            self._send_json(404, build_error("No such path."))
            return
        self._answer_model_call(body)

    def _handle_control(self, body: dict[str, Any]) -> None:
        model_double = self.server.double
        if self.path == f"{_CONTROL}/faults":
            model_double.faults.add(Fault.from_fields(body))
        elif self.path == f"{_CONTROL}/latency":
            model_double.latency = float(body["seconds"])
        elif self.path == f"{_CONTROL}/scripts":
            containing_text = str(body["containing"])
            model_double.when(lambda prompt: containing_text in prompt, body["answer"])
        else:
            self._send_json(404, build_error("No such path."))
            return
        self._send_json(200, {})

    def _answer_model_call(self, body: dict[str, Any]) -> None:
        model_double = self.server.double
        # Time that the double takes to compute an answer counts towards the latency.
        self._due_at = time.monotonic() + model_double.latency
        prompt = json.dumps(body.get("input") or "")
        if self.path == _CHAT:
            prompt = "\n".join(message["content"] for message in read_messages_leniently(body))
        response_format = body.get("response_format")
        response_format_type = response_format.get("type") if isinstance(response_format, dict) else None
        fault = model_double.faults.pick_and_count_down(
            self.path, prompt, wants_schema=response_format_type, body=body
        )
        if fault is not None and fault.mode not in _ANSWER_FAULTS:
            model_double.note(self.path, body, fault.mode, 0, 0)
            self._apply_fault(fault)
        elif self.path == _EMBEDDINGS:
            self._answer_embedding_call(body, fault)
        else:
            self._handle_chat(body, prompt, response_format, fault)

    def _answer_embedding_call(self, body: dict[str, Any], fault: Fault | None) -> None:
        model_double = self.server.double
        inputs = body.get("input")
        texts = [inputs] if isinstance(inputs, str) else [str(text) for text in inputs or []]
        sent_tokens = sum(map(model_double.count_tokens, texts))
        model_double.note(self.path, body, fault.mode if fault else "ok", sent_tokens, 0)
        answer = build_embeddings(
            str(body.get("model")), texts, body, fault.mode if fault else None, sent_tokens
        )
        if fault is not None and fault.mode not in (*CORRUPTED_VECTOR, Mode.WRONG_DIMENSION):
            self._send_spoilt(fault, answer)
        else:
            self._send_json(200, answer)

    def _handle_chat(
        self, body: dict[str, Any], prompt: str, response_format: Any, fault: Fault | None
    ) -> None:
        model_double = self.server.double
        content, finish_reason = model_double.answer_request(self.path, body), "stop"
        if fault is not None:
            content, finish_reason = corrupt_content(fault.mode, content)
        count = model_double.count_tokens
        # A real server includes the schema in the prompt, so its tokens are counted.
        sent_tokens, received_tokens = (
            count(prompt) + (count(json.dumps(response_format)) if response_format else 0),
            count(content),
        )
        model_double.note(self.path, body, fault.mode if fault else "ok", sent_tokens, received_tokens)
        model = str(body.get("model"))
        if body.get("stream"):
            options = body.get("stream_options")
            include_usage = isinstance(options, dict) and options.get("include_usage")
            token_usage = build_usage(sent_tokens, received_tokens) if include_usage else None
            if fault is not None and fault.mode is Mode.CONTENT_NULL:
                content = ""
            self._send_stream(build_stream(model, content, finish_reason, token_usage), fault)
            return
        answer = build_completion(model, content, finish_reason, sent_tokens, received_tokens)
        if fault is None:
            self._send_json(200, answer)
        else:
            self._send_spoilt(fault, answer)

    def _send_stream(self, raw: bytes, fault: Fault | None) -> None:
        self._wait_for_latency()
        body_parts, promised_length = build_corrupt_stream(raw, fault.mode if fault else None)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(promised_length))
        self.end_headers()
        for part in body_parts:
            self.wfile.write(part)
            self.wfile.flush()
            if (
                len(body_parts) > 1
                and fault is not None
                and self.server.double.stop_event.wait(fault.interval)
            ):
                break
        self.close_connection = fault is not None

    def _send_spoilt(self, fault: Fault, answer: dict[str, Any]) -> None:
        if fault.mode is Mode.HALF_ENVELOPE:
            raw = json.dumps(answer).encode()
            self._send_raw_response(200, raw[: len(raw) // 2])
        elif fault.mode is Mode.SLOW_DRIP:
            self._send_slowly(json.dumps(answer).encode(), fault.interval)
        else:
            if fault.mode is Mode.CHOICES_NULL:
                answer = {**answer, "choices": None}
            elif fault.mode is Mode.EMPTY_CHOICES:
                answer = {**answer, "choices": []}
            elif fault.mode is Mode.CONTENT_NULL:
                answer["choices"][0]["message"]["content"] = None
            self._send_json(200, answer)

    def _wait_for_latency(self) -> None:
        seconds_left = self._due_at - time.monotonic()
        if seconds_left > 0:
            self.server.double.stop_event.wait(seconds_left)

    def _apply_fault(self, fault: Fault) -> None:
        mode = fault.mode
        self._wait_for_latency()
        if mode is Mode.HTML:
            self._send_raw_response(200, _HTML, "text/html")
        elif mode is Mode.REFUSED:
            # A TCP reset, as from a port on which nobody listens any more.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
        elif mode is Mode.HANG:
            self.server.double.stop_event.wait(3_600)
            self.close_connection = True
        elif mode in (Mode.NO_SCHEMA, Mode.NO_JSON_OBJECT):
            self._send_json(400, build_error("This response_format is not supported."))
        elif mode is Mode.QUOTA:
            self._send_json(429, build_error("You exceeded your quota.", "insufficient_quota"))
        else:
            status = 429 if mode is Mode.RATE_LIMITED else fault.status
            headers = {} if fault.retry_after is None else {"Retry-After": fault.retry_after}
            self._send_raw_response(
                status, json.dumps(build_error(fault.hint, param=fault.blames)).encode(), headers=headers
            )

    def _send_slowly(self, raw: bytes, interval: float) -> None:
        self._wait_for_latency()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        for byte in raw:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.double.stop_event.wait(interval):
                break
        self.close_connection = True

    def _send_json(self, status: int, body: dict[str, Any]) -> None:
        self._send_raw_response(status, json.dumps(body).encode())

    def _send_raw_response(
        self,
        status: int,
        raw: bytes,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        self._wait_for_latency()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()
