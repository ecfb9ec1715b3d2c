"""Which date a document has of its own: an ISO 8601 day or moment that its submitter or its front matter
gives.
"""

from datetime import UTC, datetime

import pytest

from app.documents.document_dates import DATE_KEY, parse_first_date
from app.documents.parsing import parse_document

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
    assert parse_first_date(texts) == expected


MAIL = "From: Ann Lee <ann@example.com>\nSubject: {}\nDate: {}\n\nWe moved to Oslo.\n"


@pytest.mark.parametrize(
    ("subject", "date", "title", "expected"),
    [
        ("News", "Wed, 1 May 2024 02:00:00 +0200", "News", DAY),
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "1 May 2024 00:00 GMT", "Grüße", DAY),
        ("=?nope?q?a?=", "Wed, 1 May 2024 00:00:00 +0000", "=?nope?q?a?=", DAY),
        ("", "yesterday", None, None),
    ],
)
def test_a_mail_has_its_date_and_its_subject(
    subject: str, date: str, title: str | None, expected: datetime | None
) -> None:
    parsed = parse_document(MAIL.format(subject, date).encode(), "text")
    assert parsed.title == title
    assert parse_first_date([parsed.metadata.get(DATE_KEY)]) == expected
    assert parsed.text == MAIL.format(subject, date)


@pytest.mark.parametrize("mark", ["> ", ">", "> > ", ">>\t"])
def test_quoted_lines_of_a_mail_are_text_on_their_lines(mark: str) -> None:
    lines = ["Acme bought the Tarn", "Foods mill.", "", "It is closed."]
    quoted = "\n".join(mark + line for line in lines)
    parsed = parse_document(MAIL.format("News", "1 May 2024 00:00 GMT").encode() + quoted.encode(), "text")
    assert parsed.text.endswith("\n".join(lines))
    last = parsed.places[-1]
    assert (parsed.text[last.start :], last.name) == ("It is closed.", "line 9")
    notes = parse_document(quoted.encode(), "text")
    assert notes.text.startswith(mark.strip())


def test_lines_with_colons_are_no_mail() -> None:
    notes = "Date: Wed, 1 May 2024 00:00:00 +0000\nPlace: Oslo\n\nWe met."
    parsed = parse_document(notes.encode(), "text")
    assert (parsed.title, dict(parsed.metadata)) == (None, {})
