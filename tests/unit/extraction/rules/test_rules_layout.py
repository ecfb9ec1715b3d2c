"""Tables, lists, addresses, code, columns and navigation make no nodes (issue 11, B7)."""

import uuid

import pytest

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.rules.line_layout import Layout, classify_line
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId


def names(text: str) -> set[str]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    return {entity.name for entity in RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)[0]}


@pytest.mark.parametrize(
    "line",
    [
        "$ docker run --rm -it Postgres",
        "ann@Kestrel:~/src$ ls Documents",
        "PS C:\\Users\\Ann> Get-ChildItem",
        ">>> from Kestrel import Depot",
        "-v, --verbose   Say more about London",
        "    --host NAME",
        "NAME       STATUS    ROLES    AGE",
        "ls          List the Directory",
        "2024-05-01 12:00:01 INFO Kestrel Started",
        "public class Depot extends Kestrel {",
        "SELECT Name FROM Kestrel WHERE City = 'Oslo'",
        "const depot = new Kestrel(Oslo);",
        "<div class='London'>Paris</div>",
        "if (Kestrel == null) { return Oslo; }",
    ],
)
def test_text_for_a_machine_is_code(line: str) -> None:
    assert classify_line(line) is Layout.CODE
    assert names(f"It is so.\n\n{line}\n\nIt is done.") == set()


@pytest.mark.parametrize(
    "line",
    [
        "Ann Lee | Kestrel Freight | Oslo",
        "Home > Products > Kestrel Freight > Oslo",
        "Home · About Kestrel · Contact Ann Lee",
        "- Kestrel Freight, Oslo",
        "1. Ann Lee, Bob Stone",
        "* Globex Corporation.",
        "12 Harbour Street, Oslo",
    ],
)
def test_entries_without_a_verb_make_no_node(line: str) -> None:
    assert classify_line(line) is Layout.ENTRIES
    assert names(f"It is so.\n\n{line}\n\nIt is done.") == set()


@pytest.mark.parametrize(
    "line",
    [
        "Ann Lee works for Kestrel Freight in Oslo.",
        "- Ann Lee works for Kestrel Freight.",
        "1. Kestrel Freight bought Bar Labs.",
        "The price rose to $5 (or £4) in 1990; nobody paid it.",
        "He lives at 12 Harbour Street, Oslo.",
        "C++ and C# are languages of Microsoft (Redmond) and others (1999).",
        "It costs 3 < 4 dollars = little, said Ann Lee of Kestrel Freight.",
    ],
)
def test_sentences_are_prose(line: str) -> None:
    assert classify_line(line) is Layout.PROSE


def test_a_name_that_prose_states_is_found_in_tables_too() -> None:
    text = "Ann Lee works for Kestrel Freight.\n\nAnn Lee | Globex Corporation\nBob Stone | Kestrel Freight"
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    [found] = RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)
    assert {entity.name: len(entity.surfaces) for entity in found} == {"Ann Lee": 2, "Kestrel Freight": 2}


def test_a_list_in_one_line_makes_no_nodes() -> None:
    entries = ("Home", "Weather of Oslo for Ann Lee", "About the Kestrel Observatory", "News from Lund")
    assert names(f"Services * {' * '.join(entries)} * Contact") == set()
    assert names(f"Services: {', '.join(entries)}.") != set()


def test_the_box_beside_an_article_makes_no_nodes() -> None:
    box = "Promotional Poster Starring Krysten Ritter Mike Colter Rachael Taylor Wil Traval Erin Moriarty"
    assert names(box) == set()


def test_rows_of_a_table_run_together_make_no_nodes() -> None:
    rows = (
        "Film Year Title Role Notes 2006 Family in Hiding Matt Peterson TV movie 2006 The Secrets of Comfort"
        " House Bradley TV movie 2007 Seventeen and Missing Kevin Janzen TV movie 2010 Meteor Storm Jason TV"
        " movie 2011 Ghost Storm Rob TV movie 2011 Mega Cyclone Will Newmar TV movie."
    )
    assert names(f"{rows} Ann Lee lives in Oslo.") == {"Ann Lee", "Oslo"}


def test_a_long_list_of_names_in_a_sentence_makes_nodes() -> None:
    people = (
        "Ann Stone",
        "Bob Hill",
        "Carl Marsh",
        "David Brook",
        "Emma Field",
        "Frank Rivers",
        "Grace Moor",
    )
    others = [person.replace(" ", " Lee ") + "s" for person in people]
    assert len(names(f"The film stars {', '.join([*people, *others])} and Helen Wood.")) == 15
