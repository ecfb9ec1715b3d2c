"""The date that a document gives itself: what its submitter says, else its front matter or a mail's. Pure."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

KEY = "date"
"""The key of a document's metadata, and of Markdown front matter, that holds it."""
# A day alone, or a moment; forms that fromisoformat reads besides (20260131, 2026-W05) are too easily
# something else.
_FORM = re.compile(r"\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:?\d\d)?)?", re.ASCII)


def parse_first_date(texts: Iterable[object]) -> datetime | None:
    """The first of these that is an ISO 8601 day or moment, in UTC; a day is its beginning. None where none
    is.

    When a document was handed in says nothing about when it was written, and a date in a title may be what
    the document is about: neither counts.
    """
    for text in texts:
        if isinstance(text, str) and _FORM.fullmatch(text.strip()):
            try:
                moment = datetime.fromisoformat(text.strip().upper())
                return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
            except (ValueError, OverflowError):
                continue
    return None
