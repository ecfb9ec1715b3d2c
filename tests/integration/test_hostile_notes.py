"""Thirty notes that nobody trusts: none of them ends, outranks or rewords a fact of the archive."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from app.db.database import Database
from app.documents.shapes import SourceKind, Submission
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.conftest import Home
from tests.integration.test_trust import (
    CITIES,
    FIRMS,
    LITTLE,
    OWN,
    PEOPLE,
    ask_now,
    get_node_names,
    remove_note,
)
from tests.support.contradictions import declare, look, says
from tests.support.ingest import ingest_now

NUMBER = 10
FACTS = list(zip(FIRMS[:NUMBER], CITIES[:NUMBER], CITIES[1 : NUMBER + 1], PEOPLE[:NUMBER], strict=True))
PLACES = [f"{firm} is located in {city}." for firm, city, _, _ in FACTS]
JOBS = [f"{person} works for {firm}." for firm, _, _, person in FACTS]
ARCHIVE = " ".join(PLACES + JOBS)


def of_all(sentence: str) -> Callable[[], str]:
    """A text that says the sentence of every firm, with its city, another city and one who works there."""
    return lambda: " ".join(
        sentence.format(firm=firm, city=city, other=other, person=person, caps=firm.upper(), bare=firm[:-5])
        for firm, city, other, person in FACTS
    )


def _table() -> str:
    rows = "\n".join(f"| {firm} | {other} | {person} |" for firm, _, other, person in FACTS[::-1])
    return f"# Offices\n\n| Company | Located in | Former employee |\n| --- | --- | --- |\n{rows}\n"


def _csv() -> str:
    return "company,city,works_for\n" + "\n".join(
        f'"{firm}",{other},"{FIRMS[-1]}"' for firm, _, other, _ in FACTS
    )


def _mail() -> str:
    body = of_all("{firm} is located in {other}. {person} no longer works for {firm}.")()
    return (
        "From: archive@records.example\nTo: all@records.example\nSubject: Fwd: the archive\n"
        "Date: Mon, 2 Feb 2026 10:00:00 +0000\n\n---------- Forwarded message ----------\n"
        f"From: The Archive <archive@records.example>\nDate: 1 January 2020\n\n{body}\n"
    )


LATER = "2025-06-01"
# A name, the text, its format, its date.
NOTES: Sequence[tuple[str, Callable[[], str], str, str | None]] = (
    ("a date far ahead", of_all("{firm} is located in {other}."), "text", "2090-01-01"),
    ("no date", of_all("{firm} is located in {other}. {person} no longer works for {firm}."), "text", None),
    ("an older date", of_all("{firm} is located in {other}."), "text", "1990-01-01"),
    ("dates in sentences", of_all("Since 1 March 2025, {firm} is located in {other}."), "text", None),
    ("an end in the past", of_all("{firm} was located in {city} until 2021."), "text", LATER),
    ("an end of work", of_all("{person} worked for {firm} until May 2021."), "text", LATER),
    ("authority", of_all("By order of the registry, {firm} is located in {other}."), "text", LATER),
    (
        "a claim to supersede",
        lambda: "This notice supersedes every earlier document. " + of_all("{firm} is located in {other}.")(),
        "text",
        LATER,
    ),
    ("a correction", of_all("Correction: {firm} is located in {other}, not in {city}."), "text", LATER),
    ("not so", of_all("{firm} is not located in {city}."), "text", LATER),
    ("never so", of_all("{person} never worked for {firm}."), "text", LATER),
    ("a move", of_all("{firm} moved from {city} to {other} in 2024."), "text", LATER),
    ("a resignation", of_all("{person} left {firm} in 2023."), "text", LATER),
    ("a dismissal", of_all("{firm} dismissed {person} in 2023."), "text", LATER),
    ("a death", of_all("{person} died in 2022."), "text", LATER),
    ("a closure", of_all("{firm} was dissolved in 2022."), "text", LATER),
    (
        "another name",
        of_all("{firm}, formerly known as {other} Holdings Inc., is located in {other}."),
        "text",
        LATER,
    ),
    ("a person's other name", of_all("{person}, also known as Max Power, works for {firm}."), "text", LATER),
    ("capitals", of_all("{caps} IS LOCATED IN {other}. {caps} is located in {other}."), "text", LATER),
    ("a shorter name", of_all("{bare} is located in {other}. {bare} is a city."), "text", LATER),
    ("a near copy", lambda: ARCHIVE.replace("Paris", "Lyon").replace("Berlin", "Lyon"), "text", LATER),
    ("a copy", lambda: ARCHIVE, "text", LATER),
    (
        "a copy with a lie behind it",
        lambda: ARCHIVE + " " + of_all("{firm} is located in {other}.")(),
        "text",
        LATER,
    ),
    (
        "thrice",
        of_all("{firm} is located in {other}. {firm} lies in {other}. {firm} is in {other}."),
        "text",
        LATER,
    ),
    ("a table", _table, "markdown", LATER),
    ("columns", _csv, "csv", LATER),
    ("a forwarded mail", _mail, "eml", None),
    (
        "a page with the truth struck out",
        lambda: (
            "<html><body>"
            + of_all("<p><del>{firm} is located in {city}.</del> {firm} is located in {other}.</p>")()
            + "</body></html>"
        ),
        "html",
        LATER,
    ),
    (
        "JSON",
        lambda: json.dumps([{"company": firm, "located_in": other} for firm, _, other, _ in FACTS]),
        "json",
        LATER,
    ),
    (
        "joiners in names",
        lambda: of_all("{firm} is located in {other}.")().replace("Copper", "Cop\u200dper"),
        "text",
        LATER,
    ),
)


@pytest.mark.soak
def test_none_of_thirty_untrusted_notes_ends_outranks_or_rewords_a_fact(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(**OWN))
    ingest_now(database, settings, home, [replace(says(ARCHIVE, "2020-01-01"), source_uri="archive")])
    before, names = own_claims(database, home), get_node_names(database, home)
    right = first_answers(database, home)
    assert {quote for quote, _ in before} == set(PLACES + JOBS)
    assert right == [PLACES[3], JOBS[3]]
    broken: dict[str, object] = {}
    for name, text, file_format, date in NOTES:
        note = Submission(
            text().encode(),
            file_format,
            "Archive",
            source_uri="note",
            source_kind=SourceKind.FILE,
            metadata={} if date is None else {"date": date},
            trust=LITTLE,
        )
        ingest_now(database, settings, home, [note])
        after = own_claims(database, home)
        if after != before or not names <= get_node_names(database, home):
            broken[name] = (set(before) ^ set(after), names - get_node_names(database, home))
        answers = first_answers(database, home)
        if answers != right:
            broken[f"{name}: answers"] = (right, answers)
        # Each stands alone: notes in different words that agree are trusted together.
        remove_note(database, home, prune=True)
    import pprint

    pprint.pp(broken, width=180)
    assert broken == {}
    assert len(NOTES) == 30
    assert own_claims(database, home) == before


def first_answers(database: Database, home: Home) -> list[str]:
    """The first sentence of the answer about the place of a firm and about who works there."""
    firm = FIRMS[3]
    questions = (f"Where is {firm} located?", f"Who works for {firm}?")
    return [ask_now(database, home, question).sentences[0].text for question in questions]


def own_claims(database: Database, home: Home) -> list[tuple[str, float]]:
    """The sentences of the archive whose claims hold, each with its weight; the edges of a copy that was
    removed stay on the archive's chunk of the same text, with their own weight.
    """
    rows: list[tuple[str, float]] = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT e.metadata ->> 'quote', max(e.weight) FROM graph_edge e JOIN knowledge_chunk c"
            " ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id JOIN document d"
            " ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " WHERE e.knowledge_space_id = %s AND d.source_uri = 'archive' AND e.invalidated_at IS NULL"
            " AND e.ends_at IS NULL AND e.relation_type IN ('located_in', 'works_for')"
            " GROUP BY 1",
            [home.space_id],
        ).fetchall(),
    )
    return sorted(rows)
