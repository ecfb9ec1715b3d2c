"""Denials and dates of a model, against the words of its quote."""

import uuid
from datetime import UTC, datetime

import pytest

from app.extraction.grounding import GroundedRelation, keep_relations_stated_in_chunk
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation, StatingWords, Surface
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.validity import Polarity, format_date, parse_stated_date
from app.ids import ChunkId, DocumentId

NO_WORDS = StatingWords()
MAY_2024 = datetime(2024, 5, 6, tzinfo=UTC)


def grounded(text: str, **given: object) -> tuple[list[GroundedRelation], dict[str, int]]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    ends = [
        FoundEntity(name, "Organization", (Surface(name, text.index(name), text.index(name) + len(name)),))
        for name in ("Bob", "Acme")
    ]
    claim = FoundRelation(0, 1, "works_for", 0.9, text, **given)  # type: ignore[arg-type]
    kept, drops = keep_relations_stated_in_chunk(chunk, ends, [claim], DEFAULT_VOCABULARY)
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
    assert [claim.polarity for claim in found] == ([Polarity.DENIED] if kept else [])
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
        valid_from=parse_stated_date(since),
        valid_to=parse_stated_date(until),
    )
    told = tuple(
        stated_date and format_date(*stated_date) for stated_date in (found.valid_from, found.valid_to)
    )
    assert told == expected
    assert ("date_not_stated" in drops) is (expected != (since, until))


@pytest.mark.parametrize(
    ("since", "kept", "reason"),
    [
        ("2024", "2024", None),
        ("2023-07", "2023-07", None),
        ("1445", None, "date_of_other_calendar"),
        ("2019", None, "date_not_stated"),
    ],
)
def test_a_year_of_the_islamic_calendar_is_kept_where_it_was_converted(
    since: str, kept: str | None, reason: str | None
) -> None:
    (found,), drops = grounded("Bob يعمل في Acme منذ عام ١٤٤٥ هـ", valid_from=parse_stated_date(since))
    assert (found.valid_from and format_date(*found.valid_from)) == kept
    assert drops == ({} if reason is None else {reason: 1})


@pytest.mark.parametrize(
    "text", [None, "", "soon", "2019-13", "2019-02-30", "19", "2019-1", "20190101", "x" * 99]
)
def test_what_is_no_date_is_none(text: str | None) -> None:
    assert parse_stated_date(text) is None


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
    kept, drops = keep_relations_stated_in_chunk(chunk, ends, claims, DEFAULT_VOCABULARY)
    assert [claim.polarity for claim in kept] == [Polarity.DENIED, Polarity.ASSERTED]
    assert drops.by_reason["merged"] == 1


def claimed_by_model(
    text: str,
    *,
    quote: str | None = None,
    dated_at: datetime | None = None,
    stating_words: StatingWords = NO_WORDS,
    **given: object,
) -> tuple[list[GroundedRelation], dict[str, int]]:
    """What is left of a model's claim that Bob works for Acme, with the words that it points at."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text, dated_at=dated_at)
    entities = [
        FoundEntity(name, "Organization", (Surface(name, text.index(name), text.index(name) + len(name)),))
        for name in ("Bob", "Acme", "Rita")
        if name in text
    ]
    claim = FoundRelation(0, 1, "works_for", 0.9, quote or text, stating_words=stating_words, **given)  # type: ignore[arg-type]
    kept, drops = keep_relations_stated_in_chunk(chunk, entities, [claim], DEFAULT_VOCABULARY)
    return kept, dict(drops.by_reason)


@pytest.mark.parametrize(
    ("denial", "kept"),
    [("suspended", True), ("SUSPENDED", True), ("", False), ("terminated", False), ("Acme", False)],
)
def test_a_model_points_at_the_words_that_deny(denial: str, kept: bool) -> None:
    """No list knows "suspended": the words have to stand in the quote, and to be no name."""
    found, drops = claimed_by_model(
        "The council suspended Bob from the works of Acme in the north.",
        polarity=Polarity.DENIED,
        stating_words=StatingWords(denial=denial),
    )
    assert (len(found), drops) == ((1, {}) if kept else (0, {"denial_not_stated": 1}))


@pytest.mark.parametrize(
    ("types", "relation", "is_kept"),
    [
        (("Person", "Organization"), "works_for", True),
        (("Organization", "Person"), "works_for", False),
        (("Organization", "Person"), "employer_of", True),
        (("Location", "Organization"), "headquartered_in", False),
        # Neither way fits, so that the types show nothing about the direction.
        (("Location", "Person"), "acted_in", True),
        (("Organization", "Organization"), "owns", True),
        # Things of no other kind have the default type.
        (("Concept", "Person"), "works_for", True),
    ],
)
def test_the_ends_of_a_model_are_not_exchanged(
    types: tuple[str, str], relation: str, *, is_kept: bool
) -> None:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", "Bo and Ada met.")
    entities = [
        FoundEntity(name, kind, (Surface(name, start, start + len(name)),), is_type_certain=True)
        for (name, start), kind in zip((("Bo", 0), ("Ada", 7)), types, strict=True)
    ]
    for words, reasons in ((NO_WORDS, {"ends_reversed": 1}), (None, {})):
        claim = FoundRelation(0, 1, relation, 0.9, "Bo and Ada met.", stating_words=words)
        kept, drops = keep_relations_stated_in_chunk(chunk, entities, [claim], DEFAULT_VOCABULARY)
        assert dict(drops.by_reason) == ({} if is_kept else reasons)
        assert bool(kept) is (is_kept or words is None)


@pytest.mark.parametrize(
    ("quote", "words", "kept"),
    [
        ("He joined Acme.", StatingWords(source="He"), True),
        ("He joined it.", StatingWords(source="He", target="it"), True),
        ("Bob came. He joined Acme.", NO_WORDS, True),
        ("He joined Acme.", NO_WORDS, False),
        ("He joined Acme.", StatingWords(source="She"), False),
        ("Rita knows Acme.", StatingWords(source="Rita"), False),
        ("He joined it.", StatingWords(source="He"), False),
    ],
)
def test_the_quote_of_a_model_has_both_ends(quote: str, words: StatingWords, kept: bool) -> None:
    """By name, or by words that stand for one and are nobody else's name."""
    text = "Bob came. He joined Acme. He joined it. Rita knows Acme."
    found, drops = claimed_by_model(text, quote=quote, stating_words=words)
    assert (len(found), drops) == ((1, {}) if kept else (0, {"end_not_in_quote": 1}))


@pytest.mark.parametrize(
    ("dated_at", "date", "words", "kept"),
    [
        (MAY_2024, "2023", "last year", True),
        (MAY_2024, "1973", "last year", False),
        (MAY_2024, "2023", "", False),
        (MAY_2024, "2023", "this year", False),
        (None, "2023", "last year", False),
    ],
)
def test_a_date_may_be_told_by_that_of_the_document(
    dated_at: datetime | None, date: str, words: str, kept: bool
) -> None:
    (found,), drops = claimed_by_model(
        "Bob joined Acme last year.",
        dated_at=dated_at,
        valid_from=parse_stated_date(date),
        stating_words=StatingWords(dates=words),
    )
    assert (found.valid_from is not None) is kept
    assert drops == ({} if kept else {"date_not_stated": 1})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Bob انضم إلى Acme قبل 3 سنوات.", "قبل 3 سنوات"),
        ("Bob ۳ سال پیش به Acme پیوست.", "۳ سال پیش"),
        ("Bob เข้าร่วม Acme เมื่อ 3 ปีที่แล้ว", "3 ปีที่แล้ว"),
    ],
)
def test_a_number_of_years_ago_is_no_year_of_another_calendar(text: str, words: str) -> None:
    (found,), drops = claimed_by_model(
        text, dated_at=MAY_2024, valid_from=parse_stated_date("2021"), stating_words=StatingWords(dates=words)
    )
    assert found.valid_from is not None
    assert drops == {}


class TestChanges:
    """A claim that takes the place of an earlier one, by the words to which a model points."""

    TEXT = "Bob has moved to Acme."

    def relations(self, relation_type: str, words: StatingWords | None, **other: object) -> list[str]:
        chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", self.TEXT)
        ends = [
            FoundEntity(
                name, kind, (Surface(name, self.TEXT.index(name), self.TEXT.index(name) + len(name)),)
            )
            for name, kind in (("Bob", "Organization"), ("Acme", "Location"))
        ]
        claim = FoundRelation(
            0,
            1,
            relation_type,
            0.9,
            self.TEXT,
            stating_words=words,
            replaces_earlier=True,
            **other,  # type: ignore[arg-type]
        )
        kept, drops = keep_relations_stated_in_chunk(chunk, ends, [claim], DEFAULT_VOCABULARY)
        return [
            *(f"{edge.from_entity} {edge.relation_type} {edge.to_entity} {edge.polarity}" for edge in kept),
            *drops.by_reason,
        ]

    def test_what_was_before_is_denied_of_the_end_that_stays(self) -> None:
        moved = StatingWords(change="moved to")
        stated = "0 headquartered_in 1 asserted"
        assert self.relations("headquartered_in", moved) == [stated, "0 headquartered_in 0 denied"]
        assert self.relations("owns", moved) == ["0 owns 1 asserted", "1 owns 1 denied"]
        assert self.relations("owned_by", moved) == ["1 owns 0 asserted", "0 owns 0 denied"]

    def test_other_relations_and_what_is_only_reported_change_nothing(self) -> None:
        assert self.relations("uses", StatingWords(change="moved to")) == ["0 uses 1 asserted"]
        reported = StatingWords(change="moved to", reporter="has")
        assert self.relations("owns", reported, polarity=Polarity.REPORTED) == ["0 owns 1 reported"]

    @pytest.mark.parametrize("words", ["bought", "Acme", ""])
    def test_words_that_the_quote_lacks_or_that_are_a_name_change_nothing(self, words: str) -> None:
        kept = self.relations("headquartered_in", StatingWords(change=words))
        assert kept == ["0 headquartered_in 1 asserted", "change_not_stated"]
