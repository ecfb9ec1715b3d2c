"""A webhook to a server that really speaks TLS: whose certificate is believed, and whose name is compared."""

import json
import ssl
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.jobs.webhooks.sender import DeliveryResult, post_signed_message

HOST = "hooks.example.com"
SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="  # not one of anybody's
pytestmark = pytest.mark.needs("openssl")


@dataclass
class TlsServer:
    """A server on the loopback with a certificate for `HOST`, of an authority of its own."""

    authority: Path
    port: int = 0
    names: list[str | None] = field(default_factory=list)
    got: list[bytes] = field(default_factory=list)


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    folder = tmp_path_factory.mktemp("tls")
    ca, ca_key = folder / "ca.pem", folder / "ca.key"
    key, request, certificate, names = (folder / name for name in ("a.key", "a.csr", "a.pem", "names"))
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(
        "req", "-x509", *new, "-keyout", str(ca_key), "-out", str(ca), "-days", "2", "-subj", "/CN=test CA"
    )
    openssl("req", *new, "-keyout", str(key), "-out", str(request), "-subj", f"/CN={HOST}")
    names.write_text(f"subjectAltName=DNS:{HOST}\n")
    openssl(
        *("x509", "-req", "-in", str(request), "-CA", str(ca), "-CAkey", str(ca_key), "-CAcreateserial"),
        *("-out", str(certificate), "-days", "2", "-extfile", str(names)),
    )
    found = TlsServer(ca)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.got.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.sni_callback = lambda _socket, name, _context: found.names.append(name)
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # In the thread of the connection: a handshake that fails there is that client's alone.
    listening.socket = context.wrap_socket(listening.socket, server_side=True, do_handshake_on_connect=False)
    listening.handle_error = lambda *_: None  # type: ignore[method-assign]
    found.port = listening.server_port
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    listening.shutdown()
    thread.join()
    listening.server_close()


def resolve(_host: str, _port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def send(server: TlsServer, host: str = HOST) -> DeliveryResult:
    body = json.dumps({"type": "test"}).encode()
    listed = frozenset({f"{host}:{server.port}"})
    url = f"https://{host}:{server.port}/hook"
    return post_signed_message(url, "message", body, [SECRET], allowed_hosts=listed, look_up=resolve)


def test_an_authority_that_the_operator_names_is_believed(
    server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection goes to the checked address; the name is what the certificate is compared with."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server.authority))
    assert send(server) == DeliveryResult(204, None)
    assert server.names[-1] == HOST
    assert server.got[-1] == b'{"type": "test"}'


def test_an_authority_that_nobody_named_is_not(server: TlsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    before = len(server.got)
    assert send(server) == DeliveryResult(None, "tls")
    assert len(server.got) == before, "nothing of the message left"


@pytest.mark.parametrize("host", ["other.example.com", "example.com", "a.hooks.example.com"])
def test_a_certificate_for_another_name_is_refused(
    server: TlsServer, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(server.authority))
    before = len(server.got)
    assert send(server, host) == DeliveryResult(None, "tls")
    assert len(server.got) == before


def test_a_name_that_leads_inside_is_refused_before_any_handshake(
    server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(server.authority))
    before = len(server.names)
    url = f"https://{HOST}:{server.port}/hook"
    assert post_signed_message(url, "m", b"{}", [SECRET], look_up=resolve) == DeliveryResult(
        None, "address_refused"
    )
    assert len(server.names) == before
