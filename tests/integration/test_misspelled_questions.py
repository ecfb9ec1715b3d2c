"""Requirement 9.1: a misspelled name finds its node, says so, and costs one bounded statement."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import OpenSession
from app.db.sql import load_numbered_statement
from app.graph import service as graph
from app.graph import traversal
from app.graph.anchors import QuestionAnchors
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

TEXTS = (
    "Michael Stonebraker created Postgres. Michael Jordan plays for the Chicago Bulls.",
    "Slovakia is a country. Bratislava is located in Slovakia. José Gómez works for Kestrel Freight.",
    "Karin Sandberg founded Larkspur. Karen Sandberg founded Meadowlark.",
)
NAMES = 50_000


@pytest.fixture
def named(database: Database, settings: Settings, home: Home) -> Callable[[str], QuestionAnchors]:
    """Read a question in a small library."""
    ingest_now(database, settings, home, [text(source_text) for source_text in TEXTS])

    def read(question: str) -> QuestionAnchors:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return graph.find_anchors_in_question(space, question)

    return read


def names(found: QuestionAnchors) -> set[str]:
    return {anchor.node.canonical_name for anchor in found.anchors}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is Micheal Stonbraker?", "Michael Stonebraker"),
        ("what did micheal stonbraker create", "Michael Stonebraker"),
        ("Who made Postgers?", "Postgres"),
        ("Who works for Kestral Freight?", "Kestrel Freight"),
    ],
)
def test_a_misspelled_name_is_read_and_the_answer_says_so(
    named: Callable[[str], QuestionAnchors], question: str, name: str
) -> None:
    found = named(question)
    assert name in names(found)
    assert any(f"it was read as “{name}”" in sentence for sentence in found.reading_notes)
    assert found.unknown_names == ()


def test_a_name_without_its_accents_is_found_and_nothing_needs_saying(
    named: Callable[[str], QuestionAnchors],
) -> None:
    found = named("Where does Jose Gomez work?")
    assert "José Gómez" in names(found)
    assert found.warnings == ()


def test_of_two_likely_readings_both_are_said(named: Callable[[str], QuestionAnchors]) -> None:
    (said,) = named("What did Karon Sandberg found?").reading_notes
    assert said.startswith("“Karon Sandberg” is not known here. Did you mean “Kar")
    assert "“Karin Sandberg”" in said
    assert "“Karen Sandberg”" in said
    assert said.count("It was read as") == 1


def test_another_name_is_not_read_as_a_slip(named: Callable[[str], QuestionAnchors]) -> None:
    found = named("What is the capital of Slovenia?")
    assert found.unknown_names == ("Slovenia",)
    assert "Slovakia" not in names(found)
    assert "No text of this space holds “Slovenia”." in found.reading_notes


def test_a_name_of_the_texts_that_is_no_node_is_known(named: Callable[[str], QuestionAnchors]) -> None:
    assert named("Is Slovakia a Country?").unknown_names == ()


def test_names_of_another_space_are_never_read(
    named: Callable[[str], QuestionAnchors], database: Database, settings: Settings, twin: Home
) -> None:
    ingest_now(database, settings, twin, [text("Zebulon Quackenbush founded Umbrage Works.")])
    found = named("Who is Zebulon Quackenbosh?")
    assert found.unknown_names == ("Zebulon Quackenbosh",)
    assert "Quackenbush" not in str(found)


def test_a_question_whose_names_are_known_sends_nothing_more(
    named: Callable[[str], QuestionAnchors], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    original = OpenSession.send

    def send(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> Any:
        sent.append(name)
        return original(self, name, parameters, **options)

    monkeypatch.setattr(OpenSession, "send", send)
    named("Who is Michael Stonebraker?")
    assert "graph.find_similar_names" not in sent
    named("Who are Micheal Stonbraker, Kestral Freight and Postgers?")
    assert sent.count("graph.find_similar_names") == 1


@pytest.mark.soak
@pytest.mark.slow
def test_each_sound_is_a_probe_of_the_index_among_many_names(
    named: Callable[[str], QuestionAnchors], database: Database, home: Home, privileged_url: URL
) -> None:
    """Under a generic plan, as prepared statements get it, and row security on."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        admin.execute(
            "INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type)"
            " SELECT %(space)s, md5('n' || i)::uuid, 'Thing ' || md5(i::text), 'Concept'"
            f" FROM generate_series(1, {NAMES}) AS i",
            {"space": home.space_id},
        )
        admin.execute(
            "INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind, spelling_key)"
            " SELECT knowledge_space_id, lower(canonical_name), id, canonical_name, 'canonical',"
            " spelling_key(lower(canonical_name)) FROM graph_node"
            " WHERE knowledge_space_id = %(space)s AND canonical_name LIKE 'Thing %%'",
            {"space": home.space_id},
        )
        admin.execute("ANALYZE node_name, graph_node")
    body, order = load_numbered_statement("graph.find_similar_names")
    given = {
        "surfaces": "ARRAY['Micheal Stonbraker', 'Kestral Freight']",
        "names": "ARRAY['micheal stonbraker', 'kestral freight']",
        "sounds": str(traversal.MAX_SOUNDS),
        "per_key": str(traversal.NAMES_PER_SOUND),
        "most": str(traversal.MAX_SIMILAR_NAMES),
        "space_id": f"'{home.space_id}'",
    }
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        space.connection.execute(b"PREPARE asked AS " + body)
        shown = f"EXPLAIN (ANALYZE, BUFFERS) EXECUTE asked ({', '.join(given[name] for name in order)})"
        plan = "\n".join(row[0] for row in space.connection.execute(shown.encode()))
        space.connection.execute("DEALLOCATE asked")
    assert "ix_node_name_spelling" in plan, plan
    assert "Seq Scan on node_name" not in plan, plan
    assert "Seq Scan on graph_node" not in plan, plan


def test_merged_names_keep_their_sound(
    named: Callable[[str], QuestionAnchors], database: Database, privileged_url: URL
) -> None:
    named("Who is Michael Stonebraker?")
    with psycopg.connect(convert_to_conninfo(privileged_url)) as admin:
        missing = admin.execute("SELECT count(*) FROM node_name WHERE spelling_key IS NULL").fetchone()
    assert missing == (0,)
