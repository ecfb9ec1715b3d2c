"""Deprecation of routes: their answers say since when, until when, and which route replaces them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any

_DEPRECATED_SINCE_KEY, _SUNSET_KEY, _SUCCESSOR_KEY = "x-deprecated-since", "x-sunset", "x-successor"


def mark_deprecated(*, deprecation_date: date, sunset_date: date, successor: str) -> dict[str, Any]:
    """Return the arguments for the decorator of a deprecated route: `@router.get("/old",
    **mark_deprecated(…))`.
    """
    extensions = {
        _DEPRECATED_SINCE_KEY: deprecation_date.isoformat(),
        _SUNSET_KEY: sunset_date.isoformat(),
        _SUCCESSOR_KEY: successor,
    }
    return {"deprecated": True, "openapi_extra": extensions}


def build_deprecation_headers(extensions: Mapping[str, Any] | None) -> dict[str, str]:
    """Return `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the successor; none for other
    routes.
    """
    if not extensions or _DEPRECATED_SINCE_KEY not in extensions:
        return {}
    return {
        "deprecation": f"@{int(_parse_midnight(extensions[_DEPRECATED_SINCE_KEY]).timestamp())}",
        "sunset": format_datetime(_parse_midnight(extensions[_SUNSET_KEY]), usegmt=True),
        "link": f'<{extensions[_SUCCESSOR_KEY]}>; rel="successor-version"',
    }


def _parse_midnight(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), time(), UTC)
