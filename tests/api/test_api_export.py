"""A space as a file: whole, in six formats that others read, one page in memory (requirement 17.3)."""

import asyncio
import contextlib
import csv
import io
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import igraph
import pytest
from rdflib import RDF, RDFS, Graph, URIRef

from app.db.session import SpaceSession
from app.ids import create_id
from app.transfer.export import repository, service
from app.transfer.export.format_registry import FORMATS
from app.transfer.export.shapes import ExportFormat, NodeRow, RowKind, SpaceLine
from tests.api.conftest import Account, World


def exported(world: World, account: Account, format: str, status: int = 200) -> str:
    answer = world.http.get(
        f"{account.space}/export", params={"format": format}, headers=account.bearer("read")
    )
    assert answer.status_code == status, answer.text
    return answer.text


def lines(world: World, account: Account) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(world, account, "jsonl").splitlines()]


def by_kind(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["kind"] == kind]


def test_json_lines_hold_the_whole_space_and_nothing_else(world: World) -> None:
    rows = lines(world, world.a)
    assert rows[0]["kind"] == "space"
    assert rows[-1] == {"kind": "end", "changed": False}
    known = {
        kind: {row["id"] for row in by_kind(rows, kind)} for kind in ("document", "chunk", "node", "edge")
    }
    for table, ids in (
        ("document", known["document"]),
        ("knowledge_chunk", known["chunk"]),
        ("graph_node", known["node"]),
        ("graph_edge", known["edge"]),
    ):
        assert ids == stored(world, table), table
    for edge in by_kind(rows, "edge"):
        assert {edge["from_node_id"], edge["to_node_id"]} <= known["node"]
        if edge["evidence_chunk_id"] is not None:
            chunk = next(row for row in by_kind(rows, "chunk") if row["id"] == edge["evidence_chunk_id"])
            meta = edge["metadata"]
            assert chunk["text"][meta["charStart"] : meta["charEnd"]] == meta["quote"]
    assert world.b.canary not in json.dumps(rows)


def stored(world: World, table: str) -> set[str]:
    account = world.a
    with world.citegraph.database.open_space(account.home.tenant_id, account.home.space_id) as space:
        found = space.connection.execute(
            f"SELECT id FROM {table} WHERE knowledge_space_id = %s".encode(), [account.space_id]
        ).fetchall()
    return {str(row[0]) for row in found}


def test_graphml_is_read_by_igraph_with_its_evidence(world: World, tmp_path: Path) -> None:
    file = tmp_path / "graph.graphml"
    file.write_text(exported(world, world.a, "graphml"))
    found = igraph.Graph.Read_GraphML(str(file))
    rows = lines(world, world.a)
    assert found.vcount() == len(by_kind(rows, "node"))
    assert found.ecount() == len(by_kind(rows, "edge"))
    assert "Ingres" in found.vs["name"]
    edge = next(relation for relation in found.es if relation["relation"] == "created")
    assert edge["quote"] in json.dumps(rows)
    assert found.vs[edge.source]["name"]


def test_turtle_is_read_by_rdflib_with_its_evidence(world: World) -> None:
    found = Graph().parse(data=exported(world, world.a, "turtle"), format="turtle")
    rows = lines(world, world.a)
    names = {str(object_) for object_ in found.objects(None, RDFS.label)}
    assert {node["canonical_name"] for node in by_kind(rows, "node")} <= names
    statements = set(found.subjects(RDF.type, RDF.Statement))
    assert len(statements) == len(by_kind(rows, "edge"))
    for edge in by_kind(rows, "edge"):
        ends = [URIRef(f"urn:uuid:{edge[name]}") for name in ("from_node_id", "to_node_id")]
        triple = (ends[0], URIRef(f"urn:citegraph:relation:{edge['relation_type']}"), ends[1])
        assert (triple in found) or edge["invalidated_at"] is not None


def test_tables_are_read_by_csv(world: World) -> None:
    nodes = list(csv.DictReader(io.StringIO(exported(world, world.a, "csv-nodes"))))
    edges = list(csv.DictReader(io.StringIO(exported(world, world.a, "csv-edges"))))
    assert {edge["from_node_id"] for edge in edges} <= {node["id"] for node in nodes}
    assert any(edge["quote"].startswith("Michael Stonebraker created") for edge in edges)


def test_a_quote_has_the_range_that_the_api_gives_it(world: World) -> None:
    # Requirement 17.3: readers of these formats have documents and no chunks.
    exported_edges = list(csv.DictReader(io.StringIO(exported(world, world.a, "csv-edges"))))
    ranges = {
        edge["id"]: (int(edge["char_start"]), int(edge["char_end"]))
        for edge in exported_edges
        if edge["char_start"]
    }
    answer = world.http.get(
        f"{world.a.space}/graph/edges", params={"limit": 200}, headers=world.a.bearer("read")
    )
    evidence = {edge["id"]: edge["evidence"] for edge in answer.json()["items"] if edge["evidence"]}
    assert any(evidence[id]["char_start"] != 0 for id in evidence)
    assert ranges == {id: (found["char_start"], found["char_end"]) for id, found in evidence.items()}
    chunk_starts = {row["id"]: row["char_start"] for row in by_kind(lines(world, world.a), "chunk")}
    assert any(chunk_starts[found["chunk_id"]] > 0 for found in evidence.values())


def test_cypher_has_one_statement_a_line_and_escapes_names(world: World) -> None:
    text = exported(world, world.a, "cypher")
    statements = [line for line in text.splitlines() if not line.startswith("//")]
    assert all(statement.endswith(";") for statement in statements)
    rows = lines(world, world.a)
    assert len(statements) == 1 + len(by_kind(rows, "node")) + len(by_kind(rows, "edge"))


HOSTILE = 'O\'Neil \\ "x" <b>&amp;</b> `;\u0000\u0007\nMATCH (n) DETACH DELETE n; \u202e=cmd'


@pytest.mark.parametrize("format", list(ExportFormat))
def test_hostile_names_stay_names(format: ExportFormat, tmp_path: Path) -> None:
    node = NodeRow.from_columns(
        "node", create_id(), HOSTILE, HOSTILE, [{"name": HOSTILE, "kind": "alias", "normalised": "x"}],
        [{"tag": "t", "origin": "person"}], {}, 1, 0.5, "extraction", datetime.now(UTC), datetime.now(UTC),
    )  # fmt: skip
    writer = FORMATS[format]()
    space = SpaceLine(kind="space", version=1, id=create_id(), name="", description="", graph_revision=1)
    space.name = HOSTILE
    text = (
        writer.format_head(space)
        + writer.format_rows(RowKind.NODE, [node])
        + writer.format_tail(space, space)
    )
    if format is ExportFormat.GRAPHML:
        file = tmp_path / "hostile.graphml"
        file.write_bytes(text)
        name = igraph.Graph.Read_GraphML(str(file)).vs[0]["name"]
        assert name == HOSTILE.replace("\u0000", "\ufffd").replace("\u0007", "\ufffd")
    elif format is ExportFormat.TURTLE:
        labels = {
            str(object_) for object_ in Graph().parse(data=text, format="turtle").objects(None, RDFS.label)
        }
        assert labels == {HOSTILE}
    elif format is ExportFormat.CSV_NODES:
        assert next(csv.DictReader(io.StringIO(text.decode(), newline="")))["name"] == HOSTILE
    elif format is ExportFormat.CYPHER:
        assert len([line for line in text.decode().split("\n") if line]) == 3
        assert "\\'" in text.decode()
    elif format is ExportFormat.JSON_LINES:
        assert json.loads(text.splitlines()[1])["canonical_name"] == HOSTILE


def test_anothers_space_is_not_found_and_an_unknown_format_is_refused(world: World) -> None:
    answer = world.http.get(f"{world.b.space}/export", headers=world.a.bearer("read"))
    assert answer.status_code == 404
    exported(world, world.a, "xls", status=422)


def test_the_audit_says_who_took_the_space_out(world: World) -> None:
    exported(world, world.a, "turtle")
    newest = world.http.get("/v1/audit", params={"action": "space.export"}, headers=world.a.bearer()).json()
    entry = newest["items"][0]
    assert entry["details"] == {"format": "turtle"}
    assert entry["target_id"] == str(world.a.space_id)
    assert entry["actor_kind"] == "key"


def test_small_pages_give_the_same_rows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows are cut into pages, each comes once."""
    whole = exported(world, world.a, "jsonl")
    small = {kind: row_source._replace(page_size=3) for kind, row_source in repository._PAGE_SOURCES.items()}
    monkeypatch.setattr(repository, "_PAGE_SOURCES", small)
    assert exported(world, world.a, "jsonl") == whole


def test_each_piece_takes_one_statement_of_its_own_transaction(world: World) -> None:
    opened = 0

    def read(work: Any) -> Any:
        nonlocal opened
        opened += 1
        with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
            assert isinstance(space, SpaceSession)
            return work(space)

    pieces = list(service.export_space(read, ExportFormat.GRAPHML))
    assert opened == 4  # the space with the audit, a page of nodes, a page of edges, the space again
    assert len(pieces) == 4 == service.estimate_piece_count(read, ExportFormat.GRAPHML)


def test_an_export_comes_back_through_the_api(world: World, guest: Account) -> None:
    raw = exported(world, world.a, "jsonl").encode()
    url = f"{guest.space}/import"

    def send(content: bytes) -> httpx2.Response:
        return world.http.post(url, headers=guest.bearer("write"), files={"file": ("space.jsonl", content)})

    broken = send(raw.replace(b"created Ingres", b"created Ingras", 1))
    assert (broken.status_code, broken.json()["code"]) == (422, "import_bad_line")
    assert send(raw[: len(raw) // 2]).status_code == 422
    assert world.http.get(f"{guest.space}/documents", headers=guest.bearer()).json()["items"] == []
    made = send(raw)
    assert made.status_code == 202, made.text
    assert made.json()["rows"]["node"] == len(by_kind(lines(world, world.a), "node"))
    assert made.json()["job"]["kind"] == "embedding.change"
    assert lines(world, guest)[1:] == lines(world, world.a)[1:]
    again = send(raw)
    assert (again.status_code, again.json()["code"]) == (409, "space_not_empty")
    no_form = world.http.post(url, headers=guest.bearer(), content=raw[:1_000])
    assert no_form.status_code == 415
    foreign = world.http.post(
        f"{world.b.space}/import", headers=guest.bearer(), files={"file": ("space.jsonl", raw)}
    )
    assert foreign.status_code == 404


def test_a_tenant_writes_one_export_at_a_time_and_holds_up_no_neighbour(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Review C8: twenty at once shared the processor with everybody; the next waits, then is refused."""
    limit = world.http.app.state.bulkheads.exports  # type: ignore[attr-defined]
    allowed = world.citegraph.settings.tenant_exports
    monkeypatch.setattr(limit, "_wait_seconds", 0.1)

    async def while_written() -> None:
        async with contextlib.AsyncExitStack() as written:
            for _ in range(allowed):
                await written.enter_async_context(limit.occupy_slot(world.a.home.tenant_id))
            answers = await asyncio.gather(
                *(asyncio.to_thread(export, world.a) for _ in range(20)), asyncio.to_thread(export, world.b)
            )
        assert Counter(answer.status_code for answer in answers[:-1]) == {429: 20}
        assert {answer.json()["code"] for answer in answers[:-1]} == {"too_many_exports"}
        assert all(int(answer.headers["retry-after"]) > 0 for answer in answers[:-1])
        assert answers[-1].status_code == 200

    def export(account: Account) -> httpx2.Response:
        return world.http.get(f"{account.space}/export", headers=account.bearer("read"))

    asyncio.run(while_written())
    assert export(world.a).status_code == 200
