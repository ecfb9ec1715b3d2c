"""Sends one request to a customer's server: to a checked address, with a time limit, following no
redirects.
"""

import base64
import hashlib
import hmac
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.jobs.webhooks.addresses import (
    RefusedAddress,
    Resolve,
    WebhookTarget,
    check_public_ip_address,
    is_host_allowed,
    parse_and_check_webhook_url,
    resolve_host,
    resolve_to_public_addresses,
)

EXCHANGE_SECONDS = 10.0
"""Time limit for the whole exchange, except for the name lookup."""
MAX_HEAD_BYTES = 16_384
"""Maximum number of bytes read of a response; only its status counts."""


@dataclass(frozen=True)
class DeliveryResult:
    """The outcome: the status of the response, or a code of what went wrong."""

    status: int | None
    error: str | None

    @property
    def is_delivered(self) -> bool:
        """Return whether the server accepted the message."""
        return self.status is not None and 200 <= self.status < 300


def sign_message(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over id, time and body."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed_bytes = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed_bytes, hashlib.sha256).digest()).decode()


def post_signed_message(
    url: str,
    message_id: str,
    body: bytes,
    secrets: Sequence[str],
    *,
    allowed_hosts: frozenset[str] = frozenset(),
    look_up: Resolve = resolve_host,
) -> DeliveryResult:
    """Send the message once. Any failure is returned as its code, and nothing is raised."""
    try:
        target = parse_and_check_webhook_url(url, allowed_hosts)
        addresses = resolve_to_public_addresses(target, allowed_hosts, look_up)
        timestamp = int(time.time())
        headers = {
            "Host": target.host_header,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "User-Agent": "citegraph-webhooks/1",
            "Connection": "close",
            "Webhook-Id": message_id,
            "Webhook-Timestamp": str(timestamp),
            "Webhook-Signature": " ".join(
                sign_message(secret, message_id, timestamp, body) for secret in secrets
            ),
        }
        head_text = f"POST {target.path} HTTP/1.1\r\n" + "".join(
            f"{header_name}: {header_value}\r\n" for header_name, header_value in headers.items()
        )
        deadline = time.monotonic() + EXCHANGE_SECONDS
        with _connect_to_target(target, addresses, deadline, allowed_hosts) as connection:
            connection.sendall(head_text.encode("ascii") + b"\r\n" + body)
            return _read_delivery_result(connection, deadline)
    except RefusedAddress:
        return DeliveryResult(None, "address_refused")
    except TimeoutError:
        return DeliveryResult(None, "timeout")
    except ssl.SSLError:
        return DeliveryResult(None, "tls")
    except socket.gaierror:
        return DeliveryResult(None, "unknown_host")
    except OSError:
        return DeliveryResult(None, "unreachable")


def _connect_to_target(
    target: WebhookTarget,
    addresses: Sequence[str],
    deadline: float,
    allowed_hosts: frozenset[str],
) -> socket.socket:
    """Return a connection to one of the checked addresses only: the name is not resolved again."""
    if not addresses:
        raise socket.gaierror
    connection = socket.create_connection((addresses[0], target.port), _compute_seconds_left(deadline))
    try:
        if not is_host_allowed(target, allowed_hosts):
            # The address actually connected to, whatever was requested.
            check_public_ip_address(str(connection.getpeername()[0]))
        if target.scheme == "https":
            connection.settimeout(_compute_seconds_left(deadline))
            return ssl.create_default_context().wrap_socket(connection, server_hostname=target.host)
    except BaseException:
        connection.close()
        raise
    return connection


def _read_delivery_result(connection: socket.socket, deadline: float) -> DeliveryResult:
    """Return the status from the first line of the response; the rest is not read."""
    head_bytes = b""
    while b"\n" not in head_bytes and len(head_bytes) < MAX_HEAD_BYTES:
        connection.settimeout(_compute_seconds_left(deadline))
        piece = connection.recv(4_096)
        if not piece:
            break
        head_bytes += piece
    status_words = head_bytes.split(b"\n")[0].split()
    if len(status_words) < 2 or not status_words[0].startswith(b"HTTP/1.") or not status_words[1].isdigit():
        return DeliveryResult(None, "no_http")
    status = int(status_words[1][:3])
    return DeliveryResult(status, None if 200 <= status < 300 else "refused")


def _compute_seconds_left(deadline: float) -> float:
    remaining_seconds = deadline - time.monotonic()
    if remaining_seconds <= 0:
        raise TimeoutError
    return remaining_seconds
