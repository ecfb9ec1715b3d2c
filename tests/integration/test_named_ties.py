"""Nodes that nothing is claimed of are in the communities of those that they are named together with."""

from typing import Any

import numpy as np
import psycopg
import pytest

from app.db.database import Database
from app.db.sql import load_statement
from app.derived.communities import repository
from app.graph import mention_repository as mentions
from app.graph.cooccurrence import MAX_NAMES
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.graph.conftest import drawing, opened
from tests.support.citus import PLANS
from tests.support.communities import detect_now, listed, members, take_in

FIRST, SECOND = (
    "[Ann|Person], [Bob|Person] and [Cyd|Person].",
    "[Oslo|Place], [Bergen|Place] and [Moss|Place].",
)


# By themselves in a chunk, each, and others besides: what is named in half of all chunks ties nobody.
APART = {
    name: f"[{name}|Person]."
    for name in ("Ann", "Bob", "Cyd", "Dan", "Eve", "Flo", "Gus", "Hal", "Ivo", "Jan")
}


def tied(database: Database, home: Home) -> int:
    with database.open_space(home.tenant_id, home.space_id, by_index=True, snapshot=True) as space:
        return len(repository.read_graph(space).ties)


def test_names_without_claims_are_in_communities(database: Database, settings: Settings, home: Home) -> None:
    take_in(database, settings, home, people=FIRST, places=SECOND)
    detect_now(database, settings, home)
    assert sorted(map(sorted, members(database, home).values())) == [
        ["Ann", "Bob", "Cyd"],
        ["Bergen", "Moss", "Oslo"],
    ]


def test_two_that_have_claims_are_not_tied(database: Database, settings: Settings, home: Home) -> None:
    """Their chunk names them beside one another, and claims something of each."""
    claims = "[Ann|Person] knows [Bob|Person].\n[Cyd|Person] knows [Dan|Person]."
    take_in(database, settings, home, people=claims)
    assert tied(database, home) == 0
    detect_now(database, settings, home)
    assert sorted(map(sorted, members(database, home).values())) == [["Ann", "Bob"], ["Cyd", "Dan"]]


def test_a_document_that_goes_takes_its_ties_with_it(
    database: Database, settings: Settings, home: Home
) -> None:
    """Each of the names stands in another document, too, by itself."""
    take_in(database, settings, home, people=FIRST, **APART)
    detect_now(database, settings, home)
    assert [community.member_count for community in listed(database, home)] == [3]
    with database.open_space(home.tenant_id, home.space_id) as space:
        row = space.connection.execute(
            "SELECT id FROM document WHERE knowledge_space_id = %s AND title = 'people'", [home.space_id]
        ).fetchone()
        assert row is not None
        ingest.delete_document_with_all_its_words(space, DocumentId(row[0]))
    assert tied(database, home) == 0
    detect_now(database, settings, home)
    assert listed(database, home) == []


def test_what_another_space_names_ties_nobody_here(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    take_in(database, settings, home, **APART)
    take_in(database, settings, twin, people=FIRST, **APART)
    assert (tied(database, home), tied(database, twin)) == (0, 3)


@pytest.mark.one_machine(PLANS)
def test_a_node_of_many_chunks_costs_a_bounded_number_of_mentions(
    database: Database, settings: Settings, home: Home
) -> None:
    """Of its newest five hundred chunks the names are read by the key; the other chunks are not touched."""
    chunks, names = 1_500, 8
    with drawing(database, home) as drawn:
        nodes = [drawn.node(f"N{number}", mentions=chunks) for number in range(names)]
        drawn.space.connection.execute(
            b"INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start,"
            b" char_end, heading_path, token_count, content_hash, lexemes, created_at)"
            b" SELECT %s, gen_random_uuid(), %s, n, 'Hub', 0, 9, '{}', 2, md5(n::text), '', now()"
            b" FROM generate_series(1, %s) n",
            [home.space_id, drawn.document.id, chunks],
        )
        drawn.space.connection.execute(
            b"INSERT INTO node_mention (knowledge_space_id, chunk_id, node_id, surface_form, name,"
            b" char_start, char_end)"
            b" SELECT %s, chunk.id, node.id, 'Hub', 'Hub', node.place * 4, node.place * 4 + 3"
            b" FROM knowledge_chunk AS chunk, unnest(%s::uuid[]) WITH ORDINALITY AS node(id, place)"
            b" WHERE chunk.knowledge_space_id = %s",
            [home.space_id, nodes, home.space_id],
        )
    node = np.frombuffer(nodes[0].bytes, ">u8").astype(np.uint64).reshape(1, 2)
    parameters = {
        "space_id": home.space_id,
        "nodes": [nodes[0]],
        "chunks": mentions.MAX_CHUNKS,
        "names": MAX_NAMES + 1,
    }
    with opened(database, home) as space:
        space.connection.execute("ANALYZE node_mention")
        read, named, _ = mentions.list_mentions_in_chunks_naming(space, node)
        plan = psycopg.ClientCursor(space.connection).execute(
            b"EXPLAIN (ANALYZE, FORMAT JSON) "
            + load_statement("graph.list_mentions_in_chunks_naming").encode(),
            parameters,
        )
        row = plan.fetchone()
    assert row is not None
    assert len(np.unique(read, axis=0)) == mentions.MAX_CHUNKS
    assert len(named) == mentions.MAX_CHUNKS * names
    touched = sum(
        plan_node["Actual Rows"] * plan_node["Actual Loops"]
        for plan_node in _nodes(row[0][0]["Plan"])
        if plan_node.get("Relation Name") == "node_mention"
    )
    assert 0 < touched <= mentions.MAX_CHUNKS * (names + 1)


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", ()) for node in _nodes(child))]
