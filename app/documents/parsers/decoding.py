"""From bytes to characters."""

from app.errors import UnsupportedFormat


def decode(raw: bytes) -> str:
    """The bytes as UTF-8 with or without a byte order mark; raises UnsupportedFormat otherwise."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnsupportedFormat("The document is not UTF-8 text; save it as UTF-8.") from None
