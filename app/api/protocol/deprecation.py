"""Deprecation of routes: their answers say since when, until when, and which route replaces them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any

_SINCE, _UNTIL, _SUCCESSOR = "x-deprecated-since", "x-sunset", "x-successor"


def mark_deprecated(*, since: date, until: date, successor: str) -> dict[str, Any]:
    """Return the arguments for the decorator of a deprecated route: `@router.get("/old",
    **mark_deprecated(…))`.
    """
    extensions = {_SINCE: since.isoformat(), _UNTIL: until.isoformat(), _SUCCESSOR: successor}
    return {"deprecated": True, "openapi_extra": extensions}


def build_deprecation_headers(extensions: Mapping[str, Any] | None) -> dict[str, str]:
    """Return `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the successor; none for other
    routes.
    """
    if not extensions or _SINCE not in extensions:
        return {}
    return {
        "deprecation": f"@{int(_parse_midnight(extensions[_SINCE]).timestamp())}",
        "sunset": format_datetime(_parse_midnight(extensions[_UNTIL]), usegmt=True),
        "link": f'<{extensions[_SUCCESSOR]}>; rel="successor-version"',
    }


def _parse_midnight(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), time(), UTC)
