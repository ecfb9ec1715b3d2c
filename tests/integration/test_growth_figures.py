"""The measurements of the growth report, each at a size that takes seconds: that they run, not how fast."""

import re
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.ids import SpaceId, TenantId
from benchmarks.data.graph import generate
from benchmarks.data.retrieval import Space
from benchmarks.data.spaces import add_space
from benchmarks.data.spaces import generate as generate_chunks
from benchmarks.graph import communities
from benchmarks.growth import chunks, doors, graphs, neighbors
from benchmarks.growth.calls import opened
from benchmarks.growth.targets import TARGETS

pytestmark = pytest.mark.slow


def shown(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def wanted(group: str) -> set[str]:
    """The figures that targets of the group are about."""
    return {target.figure for target in TARGETS if target.group == group}


@pytest.mark.parametrize(
    ("nodes", "partial"), [(1_000, "No partial run"), (10_000, "edges changed")], ids=["small", "partial"]
)
@pytest.mark.soak
def test_communities_of_any_size_are_measured(
    privileged_url: URL, capsys: pytest.CaptureFixture[str], nodes: int, partial: str
) -> None:
    communities.main(["--url", shown(privileged_url), "--nodes", str(nodes), "--partials", "1"])
    printed = capsys.readouterr().out
    assert partial in printed
    first, again = re.findall(r"([\d,]+) members written", printed)[:2]
    assert (int(first.replace(",", "")) > nodes // 2, again) == (True, "0")


FOUND = "chunk_matches('!no-such-word'::tsquery, '{}', 1000)"
"""The chunks whose words hold the open space."""


@pytest.mark.soak
def test_a_graph_gives_all_figures(privileged_url: URL) -> None:
    made = generate(convert_to_conninfo(privileged_url), nodes=400, small_spaces=1, seed=1)
    figures = {
        figure.name: figure.value for figure in graphs.figures_of_graph(shown(privileged_url), made.space_id)
    }
    assert wanted("graph") <= set(figures)
    assert figures["explain, two hops: pages"] > 10
    assert 0 < figures["communities: modularity"] < 1


@pytest.mark.soak
def test_chunks_give_all_figures(privileged_url: URL) -> None:
    made = generate_chunks(
        convert_to_conninfo(privileged_url), chunks=100, small_spaces=1, small_chunks=30, seed=1
    )
    figures = {
        figure.name: figure.value for figure in chunks.figures_of_space(shown(privileged_url), made.large)
    }
    assert wanted("chunks") <= set(figures)
    assert figures["near vectors: recall@10"] > 0.98


@pytest.mark.soak
def test_copied_spaces_hold_the_same_rows_each_by_itself(privileged_url: URL) -> None:
    tenant_id = uuid4()
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        admin.execute("SET session_replication_role = replica")
        admin.execute("INSERT INTO tenant (id, name) VALUES (%s, 'growth')", (tenant_id,))
        space_id = add_space(admin, tenant_id, "measured")
        with admin.transaction():
            filled = Space(admin, tenant_id, space_id, chunks=20, seed=1).fill()
        neighbors.copy_space(admin, tenant_id, space_id, 3)
        spaces = admin.execute("SELECT id FROM knowledge_space WHERE tenant_id = %s", [tenant_id]).fetchall()
    counted = set()
    with opened(shown(privileged_url)) as database:
        for (listed_id,) in spaces:
            with database.open_space(TenantId(tenant_id), SpaceId(listed_id)) as space:
                counted.add(
                    tuple(
                        space.connection.execute(f"SELECT count(*) FROM {source}".encode()).fetchone()
                        for source in ("knowledge_chunk", "graph_node", "graph_edge", "chunk_vector", FOUND)
                    )
                )
    assert counted == {((20,), (filled.nodes,), (filled.edges,), (20,), (20,))}
    figures = {
        figure.name: figure.value for figure in neighbors.figures_of_space(shown(privileged_url), filled)
    }
    assert wanted("spaces") <= set(figures)


@pytest.mark.soak
def test_explain_over_http_gives_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "REQUESTS", 40)
    ((documents, figures),) = doors.figures_of_http([21])
    named = {figure.name: figure.value for figure in figures}
    assert documents == 21
    assert wanted("http") <= set(named)
    assert named["a question: both"] > named["a question: Postgres"] > 0


@pytest.mark.soak
def test_starts_give_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "STARTS", 1)
    ((_, figures),) = doors.figures_of_starts([1])
    named = {figure.name: figure.value for figure in figures}
    assert wanted("starts") <= set(named)
    assert 0 < named["citegraph --help"] < named["citegraph space list"]
