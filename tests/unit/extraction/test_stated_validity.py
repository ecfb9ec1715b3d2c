"""Denials and dates of a model, against the words of its quote."""

import uuid

import pytest

from app.extraction.grounding import GroundedRelation, ground_relations
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation, Surface
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.validity import Polarity, date_in_words, stated_date
from app.ids import ChunkId, DocumentId


def grounded(text: str, **given: object) -> tuple[list[GroundedRelation], dict[str, int]]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    ends = [
        FoundEntity(name, "Organization", (Surface(name, text.index(name), text.index(name) + len(name)),))
        for name in ("Bob", "Acme")
    ]
    claim = FoundRelation(0, 1, "works_for", 0.9, text, **given)  # type: ignore[arg-type]
    kept, drops = ground_relations(chunk, ends, [claim], DEFAULT_VOCABULARY)
    return kept, dict(drops.by_reason)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Bob no longer works for Acme.", True),
        ("Bob arbeitet nicht mehr für Acme am Hafen in Bremen.", True),
        ("Bob war bis 2019 bei Acme am Institut in Bremen.", True),
        ("Bob ne travaille plus pour Acme, on a vendu la maison.", True),
        ("Bob and the firm Acme parted ways.", True),
        ("Bob works for the company Acme and is glad.", False),
        ("Bob arbeitet nicht mehr bei Acme.", True),
    ],
)
def test_a_denial_is_kept_where_its_quote_denies(text: str, kept: bool) -> None:
    found, drops = grounded(text, polarity=Polarity.DENIED)
    assert [each.polarity for each in found] == ([Polarity.DENIED] if kept else [])
    assert drops == ({} if kept else {"denial_not_stated": 1})


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2010", "2014", ("2010", "2014")),
        ("2009", "2014", (None, "2014")),
        (None, "2015", (None, None)),
        ("2014", "2010", (None, None)),
        ("2010-05", None, ("2010-05", None)),
    ],
)
def test_a_date_is_kept_where_its_quote_writes_the_year(
    since: str | None, until: str | None, expected: tuple[str | None, str | None]
) -> None:
    (found,), drops = grounded(
        "Bob worked for Acme from May 2010 to 2014.",
        valid_from=stated_date(since),
        valid_to=stated_date(until),
    )
    told = tuple(each and date_in_words(*each) for each in (found.valid_from, found.valid_to))
    assert told == expected
    assert ("date_not_stated" in drops) is (expected != (since, until))


@pytest.mark.parametrize(
    "text", [None, "", "soon", "2019-13", "2019-02-30", "19", "2019-1", "20190101", "x" * 99]
)
def test_what_is_no_date_is_none(text: str | None) -> None:
    assert stated_date(text) is None


def test_a_claim_and_its_denial_are_two() -> None:
    text = "Bob no longer works for Acme."
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    ends = [
        FoundEntity(name, "Organization", (Surface(name, text.index(name), text.index(name) + len(name)),))
        for name in ("Bob", "Acme")
    ]
    claims = [
        FoundRelation(0, 1, "works_for", 0.9, text, polarity=polarity)
        for polarity in (Polarity.DENIED, Polarity.ASSERTED, Polarity.DENIED)
    ]
    kept, drops = ground_relations(chunk, ends, claims, DEFAULT_VOCABULARY)
    assert [each.polarity for each in kept] == [Polarity.DENIED, Polarity.ASSERTED]
    assert drops.by_reason["merged"] == 1
