"""Which date a document has of its own: an ISO 8601 day or moment that its submitter or its front matter
gives.
"""

from datetime import UTC, datetime

import pytest

from app.documents.dates import date_of

DAY = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2024-05-01"], DAY),
        ([" 2024-05-01 "], DAY),
        (["2024-05-01T02:00:00+02:00"], DAY),
        (["2024-05-01T00:00Z"], DAY),
        (["2024-05-01 00:00:00"], DAY),
        ([None, "2024-05-01"], DAY),
        (["soon", "2024-05-01"], DAY),
        (["2024-05-01", "2030-01-01"], DAY),
        (["2024-02-30"], None),
        (["0001-01-01T00:00:00+10:00"], None),
        (["May 2024"], None),
        (["now"], None),
        (["20240501"], None),
        ([20240501], None),
        ([], None),
    ],
)
def test_date_of(texts: list[object], expected: datetime | None) -> None:
    assert date_of(texts) == expected
