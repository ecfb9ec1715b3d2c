"""The date of a document: its submitter's, else that of its front matter or mail header. Pure."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

DATE_KEY = "date"
"""The key of the date in a document's metadata and in Markdown front matter."""
# Dates and times only; other forms that fromisoformat accepts (20260131, 2026-W05) are easily mistaken.
_ISO_DATE_OR_TIME = re.compile(
    r"\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:?\d\d)?)?", re.ASCII
)


def parse_first_date(texts: Iterable[object]) -> datetime | None:
    """Return the first of these that is an ISO 8601 date or time, in UTC; None if none is.

    A date stands for its beginning. The time of submission says nothing about when a document was written,
    and a date in a title may be its subject: neither is used.
    """
    for text in texts:
        if isinstance(text, str) and _ISO_DATE_OR_TIME.fullmatch(text.strip()):
            try:
                moment = datetime.fromisoformat(text.strip().upper())
                return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
            except (ValueError, OverflowError):
                continue
    return None
