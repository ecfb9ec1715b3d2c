"""Migration 0073: the database compares names by sound with the base letters of the application."""

import sys
import unicodedata

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.domain.scoring.letters import replace_by_base_letters
from app.graph.names import normalise_name
from tests.conftest import Home
from tests.migrations.test_schema_history import run_alembic

LATIN = [
    letter
    for letter in map(chr, range(0xC0, sys.maxunicode))
    if unicodedata.name(letter, "").startswith("LATIN ") and unicodedata.category(letter)[0] == "L"
]
NAMES = {"sokołowsko": "Sokolowsko", "bjørn": "Bjorn", "zürich": "Zurich", "acme": "Acme"}


def test_every_letter_sounds_as_its_base_letter(privileged_url: URL) -> None:
    """At the beginning of a word and within it, as the application normalises names."""
    names = [normalise_name(name) for letter in LATIN for name in (f"{letter}ba", f"ba{letter}ba")]
    folded_names = [normalise_name(replace_by_base_letters(name)) for name in names]
    assert len(names) > 2_000
    assert sum(map(str.__ne__, names, folded_names)) > 1_000
    with psycopg.connect(convert_to_conninfo(privileged_url)) as admin:
        rows = admin.execute(
            "SELECT name, spelling_key(name), folded, spelling_key(folded)"
            " FROM unnest(%s::text[], %s::text[]) AS t (name, folded)",
            [names, folded_names],
        ).fetchall()
    assert [row for row in rows if row[1] != row[3]] == []


@pytest.mark.parametrize("text", ["مُحَمَّد", "שָׁלוֹם", "क्षमा", "がくせい", "ด้วย", "Ёлка"])
def test_marks_of_other_scripts_go_or_stay_as_in_the_application(privileged_url: URL, text: str) -> None:
    with psycopg.connect(convert_to_conninfo(privileged_url)) as admin:
        row = admin.execute(
            "SELECT spelling_key(%s), spelling_key(%s)", [text, replace_by_base_letters(text)]
        ).fetchone()
    assert row is not None
    assert row[0] == row[1]


def test_keys_of_before_are_renewed(privileged_url: URL, home: Home) -> None:
    run_alembic(privileged_url, "downgrade", "0072")
    keys = "SELECT normalised_name, spelling_key FROM node_name WHERE knowledge_space_id = %s"
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        for name in NAMES:
            admin.execute(
                "WITH node AS (INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type)"
                " VALUES (%(space)s, gen_random_uuid(), %(name)s, 'Concept') RETURNING id)"
                " INSERT INTO node_name"
                " (knowledge_space_id, normalised_name, node_id, name, kind, spelling_key)"
                " SELECT %(space)s, %(name)s, id, %(name)s, 'canonical', spelling_key(%(name)s) FROM node",
                {"space": home.space_id, "name": name},
            )
        keys_before: dict[str, str] = dict(admin.execute(keys, [home.space_id]).fetchall())
        run_alembic(privileged_url, "upgrade", "head")
        keys_after: dict[str, str] = dict(admin.execute(keys, [home.space_id]).fetchall())
        for name, plain_name in NAMES.items():
            row = admin.execute("SELECT spelling_key(lower(%s))", [plain_name]).fetchone()
            assert row == (keys_after[name],)
    changed_names = {name for name in NAMES if keys_before[name] != keys_after[name]}
    assert changed_names == {"sokołowsko", "bjørn"}
