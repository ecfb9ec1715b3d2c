"""Page cursors: opaque, and signed together with the list that they belong to (rule A8 of
docs/reliability.md). Pure.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Sequence

from app.errors import InvalidInput

Position = Sequence[str | int | float]

_MAC_BYTES = 16
_MAX_LENGTH = 512


def encode_cursor(secret: bytes, scope: Sequence[object], position: Position) -> str:
    """Return the cursor of the page after `position` in the list that `scope` identifies by kind, owner and
    filters.
    """
    payload = json.dumps(list(position), separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_sign_cursor(secret, scope, payload) + payload).rstrip(b"=").decode()


def decode_cursor(secret: bytes, scope: Sequence[object], cursor: str) -> list[str | int | float]:
    """Return the position in the cursor. Raises InvalidInput if it is truncated, forged or belongs to another
    list.
    """
    if len(cursor) > _MAX_LENGTH:
        raise _build_cursor_error()
    try:
        signed_payload = base64.b64decode(
            cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True
        )
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise _build_cursor_error() from None
    signature, payload = signed_payload[:_MAC_BYTES], signed_payload[_MAC_BYTES:]
    if not hmac.compare_digest(signature, _sign_cursor(secret, scope, payload)):
        raise _build_cursor_error()
    # The signature is valid, so the payload was written by `encode_cursor`.
    position: list[str | int | float] = json.loads(payload)
    return position


def _sign_cursor(secret: bytes, scope: Sequence[object], payload: bytes) -> bytes:
    scope_bytes = json.dumps([str(scope_part) for scope_part in scope]).encode()
    message = len(scope_bytes).to_bytes(4, "big") + scope_bytes + payload
    return hmac.new(secret, message, hashlib.sha256).digest()[:_MAC_BYTES]


def _build_cursor_error() -> InvalidInput:
    return InvalidInput("The cursor is not one that this list gave out.", code="invalid_cursor")
