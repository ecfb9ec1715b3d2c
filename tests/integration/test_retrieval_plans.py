"""Plans of retrieval on data large enough to matter, as the application's role under row security."""

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.db.session import OpenSession
from app.db.sql import load_numbered_statement, load_statement
from app.llm.embedding.embedders import Embedders
from app.retrieval import repository
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from benchmarks.data.retrieval import PER_DOCUMENT, Filled, Space
from tests.conftest import Home, make_home
from tests.support.citus import PLANS
from tests.support.pooler import as_app

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_machine(PLANS),
    pytest.mark.new_database("plans depend on the pages that deleted rows leave"),
]

CHUNKS = 1_500
# What an index reads of a table of the space, all loops together: far below what a scan of the space would.
MOST_ROWS = {
    "node_mention": 9_000, "graph_edge": 9_000, "graph_node": 2_000, "node_name": 100, "fact_vector": 4_000,
    "node_vector": 10, "knowledge_chunk": 2_000, "chunk_vector": 2_000,
}  # fmt: skip
LARGE = ("node_mention", "graph_edge", "graph_node", "node_name", "fact_vector", "node_vector")


@dataclass(frozen=True)
class Library:
    """A filled space beside a smaller one, the door to it, and a superuser's view."""

    database: Database
    home: Home
    filled: Filled
    url: URL


class Given(Embedders):
    """The same vector for every question."""

    def __init__(self, vector: Any) -> None:
        super().__init__()
        self.vector = vector

    def get_embedder(self, *_: object, **__: object) -> Any:
        return self

    def embed(self, texts: Any) -> Any:
        return np.array([self.vector for _ in texts])


@pytest.fixture(scope="module")
def library(admin_url: URL, template: str) -> Iterator[Library]:
    name = f"citegraph_retrieval_{secrets.token_hex(6)}"
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
    url = admin_url.set(database=name)
    app_url = as_app(url).render_as_string(hide_password=False)
    database = Database(
        create_app_engine(app_url, Settings(database_url=app_url)), Settings(database_url=app_url)
    )
    homes = [make_home(database, tenant) for tenant in ("tenant-a", "tenant-b")]
    filled = []
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for seed, home in enumerate(homes):
            with connection.transaction():
                space = Space(
                    connection, home.tenant_id, home.space_id, chunks=CHUNKS if seed == 0 else 300, seed=seed
                )
                filled.append(space.fill())
        connection.execute("VACUUM ANALYZE")
    yield Library(database, homes[0], filled[0], url)
    database.dispose()
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def asked(library: Library) -> dict[str, dict[str, Any]]:
    """The parameters of every statement of one hybrid question, by its name; it names a hub and an ordinary
    node.
    """
    sent: dict[str, dict[str, Any]] = {}
    send, run_each = OpenSession.send, OpenSession.run_each_statement

    def recorded(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> Any:
        sent[name] = dict(parameters or {})
        return send(self, name, parameters, **options)

    filled = library.filled
    question = f"How does {filled.named[0][0]} relate to {filled.hubs[0]} when {filled.texts[0].split()[5]}?"
    retriever = Retriever(library.database, Given(filled.vectors[0]), Settings())

    def recorded_each(self: OpenSession, name: str, parameters: Any) -> Any:
        sent[name] = dict(parameters)
        return run_each(self, name, parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenSession, "send", recorded)
        patch.setattr(OpenSession, "run_each_statement", recorded_each)
        found = retriever.retrieve_and_record_recalls(
            library.home.tenant_id, library.home.space_id, Query(question)
        )
    assert len(found.anchors) >= 2
    with library.database.open_space(library.home.tenant_id, library.home.space_id) as space:
        assert space.may_use_generic_plans
    return sent


@pytest.fixture(scope="module", params=["for these values", "kept"])
def plans(
    request: pytest.FixtureRequest, library: Library, asked: dict[str, dict[str, Any]]
) -> dict[str, str]:
    """What every statement of that question does, planned for its values and by the one plan that serves
    all.
    """
    # What reads by the same ids elsewhere: edges that are shown, and chunks that an answer kept cites.
    also = {
        "graph.get_edges": {"ids": asked["retrieval.get_fact_details"]["edges"]},
        "answers.get_existing_chunks": {"ids": asked["retrieval.get_passages"]["chunks"]},
        # Every chunk of one document.
        "answers.find_chunks_with_cells": {
            "tables": json.dumps([{"document_id": str(first_document(library)), "cells": ["e"]}]),
            "known": [],
            "most": 1_000,
        },
    }
    shown = {}
    explain = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
    with library.database.open_space(library.home.tenant_id, library.home.space_id) as space:
        client = psycopg.ClientCursor(space.connection)
        for name, parameters in {**asked, **also}.items():
            values = {**parameters, **space._get_scope_parameters()}
            # Of several the one that searches: what stands around it are its settings, and it is planned for
            # its values.
            parts = load_statement(name).split(";\n")
            kept = request.param == "kept" and len(parts) == 1
            if kept:
                text, names = load_numbered_statement(
                    name, frozenset(parameter for parameter in values if values[parameter] is None)
                )
                client.execute("SET LOCAL plan_cache_mode = force_generic_plan")
                client.execute(b"PREPARE kept AS " + text)
                places = ", ".join("%s" for _ in names)
                client.execute(f"{explain} EXECUTE kept({places})".encode(), [values[name] for name in names])
            else:
                client.execute(explain.encode() + parts[len(parts) // 2].encode(), values)
            shown[name] = "\n".join(row[0] for row in client.fetchall())
            if kept:
                client.execute("DEALLOCATE kept")
    return shown


def first_document(library: Library) -> UUID:
    """The document with the lowest id."""
    with library.database.open_space(library.home.tenant_id, library.home.space_id) as space:
        row = space.connection.execute("SELECT min(id::text)::uuid FROM document").fetchone()
        assert row is not None
        return UUID(str(row[0]))


def rows_read(plan: str) -> dict[str, float]:
    """Rows that the scans of each table returned or threw away, all loops together."""
    read: dict[str, float] = {}
    lines = plan.splitlines()
    for place, line in enumerate(lines):
        scan = re.search(r"Scan .*?on (\w+).*\(actual rows=([\d.]+) loops=(\d+)\)", line)
        if scan is None:
            continue
        rows = float(scan[2])
        for after in lines[place + 1 : place + 8]:
            if "->" in after:
                break
            if removed := re.search(r"Rows Removed by Filter: (\d+)", after):
                rows += float(removed[1])
        read[scan[1]] = read.get(scan[1], 0) + rows * float(scan[3])
    return read


def test_no_statement_reads_the_mentions_edges_or_names_of_the_whole_space(
    library: Library, plans: dict[str, str]
) -> None:
    assert library.filled.mentions > 1.3 * MOST_ROWS["node_mention"]
    assert library.filled.edges > 1.3 * MOST_ROWS["graph_edge"]
    assert {
        "retrieval.fetch_subgraph",
        "retrieval.find_chunks_by_words",
        "graph.find_nodes_by_names_or_ids",
    } <= set(plans)
    for name, plan in plans.items():
        if not name.startswith("retrieval."):
            # The graph's own are planned otherwise (tests/graph/test_graph_plans.py).
            continue
        for table in LARGE:
            assert f"Seq Scan on {table}" not in plan, (name, plan)
        for table, rows in rows_read(plan).items():
            assert rows <= MOST_ROWS.get(table, 20_000), (name, table, rows, plan)


def test_a_subgraph_is_fetched_by_probes_in_the_number_of_its_nodes_and_chunks(plans: dict[str, str]) -> None:
    text = plans["retrieval.fetch_subgraph"]
    probes = [int(number) for number in re.findall(r"Index Searches: (\d+)", text)]
    assert probes
    assert max(probes) <= 800 * 50
    for index in ("pk_chunk_vector", "pk_node_mention", "ix_node_mention_node", "pk_graph_node",
                  "ix_graph_edge_from_weight", "ix_graph_edge_evidence", "pk_fact_vector"):  # fmt: skip
        assert re.search(rf"Index (?:Only )?Scan using {index} ", text), (index, text)
    # The key of a mention holds all that is read of it.
    assert "Index Only Scan using pk_node_mention" in text
    # No list is joined to another, which the planner, who knows nothing of their length, would do by loops.
    assert "hashed SubPlan" in text
    assert not re.search(r"(Hash|Merge) (Right |Left |Semi )?Join|Join Filter", text), text


@pytest.mark.parametrize(
    ("name", "given", "tables"),
    [
        ("retrieval.get_fact_details", "edges", ("graph_edge", "knowledge_chunk")),
        ("retrieval.get_passages", "chunks", ("knowledge_chunk",)),
        ("graph.get_edges", "edges", ("graph_edge", "knowledge_chunk")),
        ("answers.get_existing_chunks", "chunks", ("knowledge_chunk",)),
    ],
)
def test_what_is_shown_is_read_by_its_keys_alone(
    asked: dict[str, dict[str, Any]], plans: dict[str, str], name: str, given: str, tables: tuple[str, ...]
) -> None:
    """Joined, the planner read all chunks of a space for the sources of some facts: 10 of 35 ms."""
    wanted = len(asked["retrieval.get_fact_details" if given == "edges" else "retrieval.get_passages"][given])
    assert wanted > 2
    read = rows_read(plans[name])
    assert not re.search(r"(Hash|Merge) ", plans[name]), plans[name]
    for table in tables:
        assert f"Seq Scan on {table}" not in plans[name]
        assert 0 < read[table] <= wanted, (table, plans[name])


def test_further_rows_of_a_table_are_read_of_its_document_alone(plans: dict[str, str]) -> None:
    plan = plans["answers.find_chunks_with_cells"]
    assert "using ix_knowledge_chunk_document" in plan, plan
    assert 0 < rows_read(plan)["knowledge_chunk"] <= PER_DOCUMENT, plan


def test_vectors_are_read_of_the_best_by_words_alone(plans: dict[str, str]) -> None:
    """A join to all vectors of the space, which the planner takes for three, read 95,000 rows for fifty."""
    assert 0 < rows_read(plans["retrieval.find_chunks_by_words"])["chunk_vector"] <= 50


def test_nearest_by_exact_scan_reads_the_space_alone(library: Library, plans: dict[str, str]) -> None:
    read = rows_read(plans["retrieval.nearest_chunks_indexed"])
    assert read["chunk_vector"] == CHUNKS


def test_the_search_for_words_goes_by_their_index_alone(library: Library) -> None:
    """The body of the function as it runs: a plan of the call shows nothing of it."""
    filled = library.filled
    rare = min(filled.texts[0].split(), key=lambda word: sum(word in text for text in filled.texts))
    with psycopg.connect(convert_to_conninfo(library.url)) as connection:
        body, definer = connection.execute(
            "SELECT prosrc, prosecdef FROM pg_proc WHERE proname = 'chunk_matches'"
        ).fetchone() or ("", False)
        assert definer
        values = {"wanted": f"to_tsquery('english', '{rare}')", "scored": f"ARRAY['{rare}']", "bound": "100"}
        for parameter, value in values.items():
            body = re.sub(rf"\b{parameter}\b", value, body)
        connection.execute(f"SET LOCAL app.space_id = '{library.home.space_id}'".encode())
        connection.execute("SET LOCAL ROLE citegraph_search")
        # Few rows are found as fast without an index: what is asked here is whether it can serve.
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = "\n".join(
            row[0]
            for row in connection.execute(
                f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) {body}".encode()
            )
        )
    assert re.findall(r"Index Scan (?:on|using) (\w+)", plan) == ["ix_knowledge_chunk_lexemes"], plan
    assert "BitmapAnd" not in plan


def test_the_words_of_a_question_are_ranked_in_few_chunks(library: Library) -> None:
    """However common its words are, no more than the bound are fetched to be ranked."""
    common = " ".join(sorted(set(" ".join(library.filled.texts[:20]).split()))[:40])
    with library.database.open_space(library.home.tenant_id, library.home.space_id) as space:
        found = repository.find_chunks_by_words(space, common, None, limit=50)
    assert 0 < len(found) <= 50
    lexical_scores = [scores.lexical for scores in found.values()]
    assert lexical_scores == sorted(lexical_scores, reverse=True)
