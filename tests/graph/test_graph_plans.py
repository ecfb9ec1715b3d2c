"""Plans on data large enough to matter, as the application's role under row security (docs/scaling.md)."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.db.sql import load_numbered_statement
from app.graph import service
from app.settings import Settings
from app.transfer.export import service as exports
from app.transfer.export.shapes import ExportFormat
from tests.conftest import Home, make_home
from tests.graph.conftest import opened
from tests.support.citus import PLANS
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import UNPREPARED, as_app

pytestmark = [pytest.mark.slow, pytest.mark.one_machine(PLANS)]

MIDDLE = "80000000-0000-0000-0000-000000000000"
NODES, EDGES, HUB_EDGES, DECISIONS, STATEMENTS = 10_000, 40_000, 10_000, 2_500, 20_000
# The node numbered 0 is a hub of 10,000 edges each way; all others have four or so.
FILL = f"""
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree)
SELECT %(space)s::uuid, md5(%(space)s::text || 'n' || i)::uuid, 'Node ' || i, 'Concept', 1,
    CASE i WHEN 0 THEN {HUB_EDGES} ELSE 5 END, CASE i WHEN 0 THEN {HUB_EDGES} ELSE 5 END
FROM generate_series(0, {NODES} - 1) AS i;
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)
SELECT knowledge_space_id, lower(canonical_name), id, canonical_name, 'canonical' FROM graph_node
WHERE knowledge_space_id = %(space)s::uuid;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, metadata, extraction_key)
SELECT %(space)s::uuid, md5(%(space)s::text || 'e' || i)::uuid,
    md5(%(space)s::text || 'n' || CASE WHEN i < {HUB_EDGES} THEN 0 ELSE 1 + i * 7919::bigint %% ({NODES} - 1) END)::uuid,
    md5(%(space)s::text || 'n' || CASE WHEN i >= {HUB_EDGES} AND i < 2 * {HUB_EDGES} THEN 0
                                 ELSE 1 + i * 104729::bigint %% ({NODES} - 1) END)::uuid,
    (ARRAY['uses', 'owns', 'causes', 'knows'])[1 + i %% 4], (i * 31 %% 1000) / 1000.0,
    '{{"confidence": 0.9, "quote": "It says so."}}', md5(%(space)s::text || 'k' || i)::uuid
FROM generate_series(0, {EDGES} + {HUB_EDGES} - 1) AS i;
INSERT INTO edge_invalidation (knowledge_space_id, id, decision_id, edge_id, kind, decided_by, reason, invalidated_at,
    graph_revision, undone_at, undone_by, undone_kind)
SELECT %(space)s::uuid, md5(%(space)s::text || 'd' || i)::uuid, md5(%(space)s::text || 'd' || i)::uuid,
    md5(%(space)s::text || 'e' || i)::uuid, 'person', 'test', 'It was not so.', now(), 1, now(), 'test', 'person'
FROM generate_series(0, {DECISIONS} - 1) AS i;
INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size, state)
SELECT %(space)s::uuid, md5(%(space)s::text || 'd' || i)::uuid, 'd' || i, 'file', 'text', md5('h' || i), 1, 'ready'
FROM generate_series(0, {STATEMENTS} / 10 - 1) AS i;
INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end, heading_path,
    token_count, content_hash)
SELECT %(space)s::uuid, md5(%(space)s::text || 'c' || i)::uuid, md5(%(space)s::text || 'd' || i / 10)::uuid, i %% 10,
    'It says so.', 0, 11, '{{}}', 2, md5('c' || i)
FROM generate_series(0, {STATEMENTS} - 1) AS i;
INSERT INTO node_attribute (knowledge_space_id, chunk_id, node_id, name, value, said_of, quote, char_start, char_end, confidence)
SELECT %(space)s::uuid, md5(%(space)s::text || 'c' || i)::uuid, md5(%(space)s::text || 'n' || i %% 4)::uuid, 'opened',
    to_jsonb('branch ' || i), 'node', 'It says so.', 0, 11,
    CASE WHEN i %% 200 < 4 THEN NULL ELSE 0.5 + (i * 31 %% 400) / 1000.0 END
FROM generate_series(0, {STATEMENTS} - 1) AS i;
"""  # noqa: E501
NO_FILTERS = {
    **dict.fromkeys(("relation_types", "node_types", "min_confidence", "as_of", "with_evidence", "layers")),
    "claim_types": "ARRAY['uses', 'owns', 'causes']",
    "statement_weight": 0.5,
}
WALK: dict[str, Any] = {
    "max_hops": 2,
    "fan_out": 10,
    "limit": 30,
    "hints": [],
    "hint_scan": 300,
    **NO_FILTERS,
}


@dataclass(frozen=True)
class Crowd:
    """A filled space, the door to it, and a superuser's view."""

    database: Database
    home: Home
    url: URL


@pytest.fixture(scope="module")
def crowd(admin_url: URL, template: str) -> Iterator[Crowd]:
    """10,000 nodes and 50,000 edges, beside a twin that is as full; these tests only read."""
    name = f"citegraph_plans_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    url = admin_url.set(database=name)
    app_url = as_app(url).render_as_string(hide_password=False)
    database = Database(
        create_app_engine(app_url, Settings(database_url=app_url)), Settings(database_url=app_url)
    )
    homes = [make_home(database, tenant) for tenant in ("tenant-a", "tenant-b")]
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for home in homes:
            for command in FILL.split(";\n")[:-1]:
                connection.execute(command.encode(), {"space": str(home.space_id)})
        connection.execute(
            "VACUUM ANALYZE graph_edge, graph_node, node_name, edge_invalidation, node_attribute,"
            " knowledge_chunk, document"
        )
    yield Crowd(database, homes[0], url)
    database.dispose()
    drop_database(admin_url, name)


def node_ids(home: Home, *numbers: int) -> str:
    return "ARRAY[" + ", ".join(f"md5('{home.space_id}n{number}')::uuid" for number in numbers) + "]"


def plan(
    database: Database,
    home: Home,
    name: str,
    parameters: dict[str, Any],
    *,
    folded: bool = False,
    without: str | None = None,
) -> str:
    """The generic plan as it ran; a value that is text is SQL. `folded` as the door sends it: NULL where None
    is. `without` a kind of join that the planner avoids wherever it can.
    """
    values = {**parameters, "space_id": f"'{home.space_id}'"}
    absent = frozenset(key for key, value in values.items() if value is None) if folded else frozenset()
    body, order = load_numbered_statement(name if "." in name else f"graph.{name}", absent)
    shown = [
        "NULL" if values[key] is None else "'{}'" if values[key] == [] else str(values[key]) for key in order
    ]
    with opened(database, home) as space:
        connection = space.connection
        connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        if without:
            connection.execute(f"SET LOCAL enable_{without} = off".encode())
        connection.execute(b"PREPARE walk AS " + body)
        lines = connection.execute(
            f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE walk({', '.join(shown)})".encode()  # noqa: E501
        ).fetchall()
        connection.execute("DEALLOCATE walk")
        return "\n".join(line[0] for line in lines)


def hop_scans(text: str) -> list[tuple[str, list[str]]]:
    """Each scan of an edge index by weight, with the nodes between it and the LIMIT above it."""
    lines = text.splitlines()
    found = []
    for place, line in enumerate(lines):
        if "_weight on graph_edge" not in line:
            continue
        between, indent = [], line.index("->")
        for above in reversed(lines[:place]):
            if "->" in above and above.index("->") < indent:
                indent = above.index("->")
                if above.strip().startswith("->  Limit"):
                    break
                between.append(above.strip())
        else:
            between.append("no Limit")
        found.append((line.strip(), between))
    return found


class TestTwoHops:
    @pytest.mark.parametrize("filtered", [False, True])
    @pytest.mark.parametrize("anchor", [0, pytest.param(77, marks=pytest.mark.soak)])
    def test_every_hop_reads_its_index_in_order_up_to_its_limit(
        self, crowd: Crowd, anchor: int, filtered: bool
    ) -> None:
        parameters: dict[str, Any] = {**WALK, "anchors": node_ids(crowd.home, anchor)}
        text = plan(
            crowd.database, crowd.home, "fetch_facts_within_two_hops", parameters, folded=not filtered
        )
        scans = hop_scans(text)
        assert len(scans) == 6, text
        for scan, between in scans:
            assert "Index" in scan, text
            assert all(line.startswith(("->  Result", "->  Subquery")) for line in between), (between, text)
            if not filtered:
                assert "Index Only Scan" in scan, text
        assert "Seq Scan" not in text, text

    def test_a_hub_reads_as_few_pages_as_any_node(self, crowd: Crowd) -> None:
        pages = {}
        for anchor in (0, 77):
            text = plan(
                crowd.database,
                crowd.home,
                "fetch_facts_within_two_hops",
                {**WALK, "anchors": node_ids(crowd.home, anchor)},
                folded=True,
            )
            first = re.search(r"Buffers: shared hit=(\d+)(?: read=(\d+))?", text)
            assert first is not None
            pages[anchor] = int(first[1]) + int(first[2] or 0)
        assert pages[0] <= 3 * pages[77]

    @pytest.mark.unpooled(UNPREPARED)
    def test_an_explanation_of_a_hub_never_plans_more_than_once(self, crowd: Crowd, sent: list[str]) -> None:
        with opened(crowd.database, crowd.home) as space:
            for _ in range(3):
                service.explain_and_record_recall(space, question="How does node 0 relate to node 77?")
            kept = space.connection.execute(
                "SELECT generic_plans, custom_plans FROM pg_prepared_statements"
                " WHERE statement ~"
                " '^-- (find_nodes_by_names_or_ids|fetch_facts_within_two_hops|fetch_walks_between)'"
            ).fetchall()
            mode = space.connection.execute("SHOW plan_cache_mode").fetchone()
        assert kept == [(3, 0)] * 3
        assert mode == ("auto",)
        # Per question five statements that read; the rest sets how these are planned.
        read = [text for text in sent if text.startswith("-- ")]
        assert len(read) == 15


def test_names_are_looked_up_by_their_key(crowd: Crowd) -> None:
    text = plan(
        crowd.database,
        crowd.home,
        "find_nodes_by_names_or_ids",
        {"names": "ARRAY['node 0', 'node 77']", "ids": []},
    )
    assert "using pk_node_name on node_name" in text, text
    assert "Seq Scan" not in text, text


def test_the_nodes_of_a_name_are_never_joined(crowd: Crowd) -> None:
    """Beside 10,000 small spaces the planner thought each so large that it read all of its nodes."""
    names = {"names": "ARRAY['node 0', 'node 77']", "ids": node_ids(crowd.home, 5)}
    text = plan(crowd.database, crowd.home, "find_nodes_by_names_or_ids", names, without="nestloop")
    assert "Hash Join" not in text, text
    assert "Merge Join" not in text, text
    assert re.findall(r"Index Scan using pk_graph_node on graph_node.* loops=(\d+)", text) == ["3"], text


class TestPaths:
    @pytest.mark.parametrize("filtered", [False, True])
    def test_a_hub_is_probed_by_the_pair_index_and_never_read(self, crowd: Crowd, filtered: bool) -> None:
        parameters: dict[str, Any] = {
            "lower_degree": node_ids(crowd.home, 77), "higher_degree": node_ids(crowd.home, 0), "max_hops": 2, "limit": 20, "probes": 1000,  # noqa: E501
            "ended": None, **NO_FILTERS,
        }  # fmt: skip
        text = plan(crowd.database, crowd.home, "fetch_walks_between", parameters, folded=not filtered)
        assert text.count("using ix_graph_edge_pair on graph_edge") == 4, text
        assert "Seq Scan" not in text, text
        removed = [int(number) for number in re.findall(r"Rows Removed by Filter: (\d+)", text)]
        assert max(removed, default=0) < 100, text


class TestExport:
    @pytest.mark.parametrize(("kind", "table"), [("nodes", "graph_node"), ("edges", "graph_edge")])
    def test_a_page_is_read_in_the_order_of_its_key(self, crowd: Crowd, kind: str, table: str) -> None:
        """Wherever the page begins; however large the space."""
        text = plan(
            crowd.database,
            crowd.home,
            f"transfer.export.{kind}",
            {"id": f"'{MIDDLE}'", "limit": 1_000, "claim_types": NO_FILTERS["claim_types"]},
        )
        assert f"Index Scan using pk_{table} on {table}" in text, text
        assert "Seq Scan" not in text, text
        page = re.search(rf"Index Scan using pk_{table} on {table} \(actual rows=(\d+)", text)
        assert page is not None, text
        assert int(page[1]) == 1_000

    @pytest.mark.soak
    def test_no_piece_of_100_000_edges_is_more_than_a_page(self, crowd: Crowd) -> None:
        """Requirement 17.3: what is held is a page, a thousand rows of a few hundred bytes."""

        def read(work: Any) -> Any:
            with opened(crowd.database, crowd.home) as space:
                return work(space)

        sizes = [len(block) for block in exports.export_space(read, ExportFormat.GRAPHML)]
        assert len(sizes) >= (NODES + EDGES + HUB_EDGES) / 1_000
        assert max(sizes) < 1_000_000 < sum(sizes)


class TestContradictions:
    def test_a_page_of_conflicts_groups_once_and_reads_only_the_sets_it_shows(self, crowd: Crowd) -> None:
        """One statement: 2 of 20,000 groups conflict, and only their rows are fetched, each by its key."""
        parameters: dict[str, Any] = {
            "relations": "ARRAY['owns']", "contested": "false", "after_relation": None, "after_node": None,
            "limit": 51, "per_set": 101, "lies_in": "ARRAY['located_in', 'part_of']",
        }  # fmt: skip
        text = plan(crowd.database, crowd.home, "list_conflicts", parameters)
        assert "Seq Scan" not in text, text
        found = re.search(r"CTE Scan on found \(actual rows=(\d+)", text)
        assert found is not None, text
        assert 1 <= int(found[1]) <= 51, text
        scans = re.findall(
            r"(Index (?:Only )?Scan|Bitmap \S+ Scan).* on (?:graph_edge\b.*) loops=(\d+)", text
        )
        loops = sorted(int(scan[1]) for scan in scans)
        # The groups, the rows of each set by an index of its node, and each shown row by its key.
        assert loops[0] == 1, text
        assert loops[1] == int(found[1]), text
        assert loops[2] <= int(found[1]) * 101, text

    def test_rows_of_a_node_and_what_was_decided_are_found_by_their_keys(self, crowd: Crowd) -> None:
        given = {
            "from_nodes": node_ids(crowd.home, 5, 7),
            "relations": "ARRAY['owns','uses']",
            "to_nodes": node_ids(crowd.home, 7, 9),
        }
        text = plan(crowd.database, crowd.home, "list_dated_rows_of_claims", given)
        assert "Seq Scan" not in text, text
        assert "using ix_edge_invalidation_edge on edge_invalidation before" in text, text
        edge = f"md5('{crowd.home.space_id}e5')::uuid"
        text = plan(crowd.database, crowd.home, "get_end_dates_of_claim", {"edge": edge})
        assert "using pk_graph_edge" in text, text
        assert "using ix_graph_edge_pair" in text, text


def test_a_neighborhood_of_a_hub_reads_no_table_as_a_whole(crowd: Crowd) -> None:
    with opened(crowd.database, crowd.home) as space:
        hub = service.find_nodes(space, "Node 0")[0]
        found = service.fetch_neighborhood_and_record_recall(space, hub.id, depth=3)
    assert len(found.nodes) == 200
    assert len(found.truncated) >= 2
    # Nothing of the twin, whose nodes have the same names.
    assert {node.node.id for node in found.nodes} <= ids_of(crowd.url, crowd.home)


def ids_of(url: URL, home: Home) -> set[Any]:
    with psycopg.connect(convert_to_conninfo(url)) as connection:
        rows = connection.execute("SELECT id FROM graph_node WHERE knowledge_space_id = %s", (home.space_id,))
        return {row[0] for row in rows}


def test_what_is_drawn_is_read_in_order_of_weight(crowd: Crowd) -> None:
    """The 20,000 edges of a hub are not read for the few that lead to nodes that are drawn."""
    parameters = {"ids": node_ids(crowd.home, *range(300)), "limit": "5000", "scan": "200"}
    text = plan(crowd.database, crowd.home, "graph.layout.list_claims_to_draw", parameters)
    (scan,) = re.findall(r"Index.* using ix_graph_edge_from_weight .*rows=([\d.]+) loops=300", text)
    assert float(scan) < 10
    assert "Seq Scan" not in text


def test_the_days_of_claims_are_read_in_order_of_weight(crowd: Crowd) -> None:
    """Of each of the most mentioned nodes only its strongest edges are read."""
    text = plan(
        crowd.database, crowd.home, "graph.layout.get_days_of_claims", {"nodes": "300", "scan": "200"}
    )
    (scan,) = re.findall(r"Index.* using ix_graph_edge_from_weight .*rows=([\d.]+) loops=300", text)
    assert float(scan) <= 200
    assert "Seq Scan on graph_edge" not in text


def test_edges_of_a_page_of_passages_are_read_by_their_evidence(crowd: Crowd) -> None:
    """One look into the index of evidence for each passage."""
    text = plan(
        crowd.database,
        crowd.home,
        "list_edges_stated_in_chunks",
        {"ids": node_ids(crowd.home, 1, 2), "limit": "9"},
    )
    assert "ix_graph_edge_evidence" in text
    assert "Seq Scan" not in text


def test_statements_of_a_node_are_read_from_the_surest_down_to_the_limit(crowd: Crowd) -> None:
    """Of 10,000 statements about a node those that are shown are read, in the order of the index."""
    asked = {"nodes": node_ids(crowd.home, 0), "as_of": None, "per_node": 200}
    text = plan(crowd.database, crowd.home, "list_statements_of_nodes", asked, folded=True)
    (scan,) = [line for line in text.splitlines() if " on node_attribute" in line]
    assert "Index Scan Backward using ix_node_attribute_confidence" in scan
    assert "rows=200.00 " in scan


def test_attributes_are_read_past_statements_of_their_node(crowd: Crowd) -> None:
    """The 100 attributes of a node among 10,000 statements about it are found by the index."""
    asked = {"nodes": node_ids(crowd.home, 0), "as_of": None, "scan": 500, "per_node": 10, "limit": 100}
    text = plan(crowd.database, crowd.home, "list_stated_values_of_nodes", asked, folded=True)
    (scan,) = [line for line in text.splitlines() if " on node_attribute" in line]
    assert "ix_node_attribute_confidence" in scan
    assert "rows=100.00 " in scan
