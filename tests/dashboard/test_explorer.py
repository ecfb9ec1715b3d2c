"""The graph page: what it is sent, its panels, and that it shows one tenant alone (issue 12, point 5)."""

import gzip
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.dashboard.explorer.panels import build_shown_edge, choose_shortest_then_strongest_path
from app.graph.layout import service as graph_view
from app.graph.shapes import Edge, Path
from app.graph.validity import FOREVER, Polarity
from app.ids import EdgeId, NodeId
from app.tenancy.accounts.roles import Role
from tests.api.conftest import World
from tests.dashboard.conftest import Browser, join
from tests.graph.conftest import statements
from tests.support.ingest import ingest_now, text

__all__ = ["statements"]

HOSTILE = '"><img src=x onerror=alert(1)>'


def graph_of(world: World, browser: Browser, path: str = "data") -> Any:
    return json.loads(browser.get(f"/dashboard/spaces/{world.a.space_id}/graph/{path}"))


def node_called(world: World, browser: Browser, name: str) -> str:
    nodes = graph_of(world, browser)["nodes"]
    return str(nodes["id"][nodes["name"].index(name)])


def test_what_is_drawn_has_names_places_and_claims(world: World, viewer: Browser) -> None:
    found = graph_of(world, viewer)
    nodes, claims = found["nodes"], found["claims"]
    assert {"Ingres", "Michael Stonebraker"} <= set(nodes["name"])
    assert all(0 <= coordinate <= 1000 for coordinate in (*nodes["x"], *nodes["y"]))
    assert len({len(column) for column in nodes.values()}) == 1
    assert len({len(column) for column in claims.values()}) == 1
    said = {
        (nodes["name"][source], found["relations"][relation], nodes["name"][target])
        for source, relation, target in zip(claims["from"], claims["relation"], claims["to"], strict=True)
    }
    assert ("Michael Stonebraker", "created", "Ingres") in said
    assert graph_of(world, viewer) == found


def test_it_is_sent_compressed_to_whoever_takes_that(world: World, viewer: Browser) -> None:
    path = f"/dashboard/spaces/{world.a.space_id}/graph/data"
    with viewer.http.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    plain = viewer.http.get(path, headers={"accept-encoding": "identity"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(raw) == plain.content
    assert len(raw) < len(plain.content) / 2


@pytest.mark.parametrize(
    "query",
    ["as_of=soon", "confidence=2", "open=nobody", "&".join(f"open={uuid4()}" for _ in range(41)), "show=x"],
)
def test_what_cannot_be_asked_for_is_no_page(world: World, viewer: Browser, query: str) -> None:
    answer = viewer.http.get(f"/dashboard/spaces/{world.a.space_id}/graph/data?{query}")
    assert answer.status_code == 404


def test_the_search_finds_by_a_part_of_the_name(world: World, viewer: Browser) -> None:
    found = graph_of(world, viewer, "find?q=stoneb")
    assert [node["name"] for node in found["nodes"]] == ["Michael Stonebraker"]
    assert found["nodes"][0]["chain"]
    assert graph_of(world, viewer, "find?q=") == {"nodes": []}
    assert graph_of(world, viewer, "find?q=%25") == {"nodes": []}


def test_what_is_around_a_node(world: World, viewer: Browser) -> None:
    found = graph_of(world, viewer, f"around/{world.a.node_id}")
    assert UUID(world.a.node_id.hex).hex in found["nodes"]
    assert len(found["nodes"]) > 1


def test_a_claim_s_panel_shows_the_words_and_marks_them(world: World, viewer: Browser) -> None:
    one, other = (node_called(world, viewer, name) for name in ("Michael Stonebraker", "Ingres"))
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/graph/between/{one}/{other}?relation=created")
    assert "<mark>Michael Stonebraker created Ingres.</mark>" in page
    fragment = viewer.http.get(
        f"/dashboard/spaces/{world.a.space_id}/graph/between/{one}/{other}", headers={"hx-request": "true"}
    )
    assert "<mark>" in fragment.text
    assert "<html" not in fragment.text


def test_two_nodes_are_explained_by_the_shortest_way(world: World, viewer: Browser) -> None:
    one, other = (node_called(world, viewer, name) for name in ("Ingres", "Postgres"))
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/graph/explain?from={one}&to={other}")
    assert "The shortest way: 2 claims" in page
    assert page.count("<li><p><a") >= 2
    assert f"&#34;{one}&#34;" in page


def test_where_no_way_leads_a_sentence_says_why(world: World, viewer: Browser) -> None:
    one, other = (node_called(world, viewer, name) for name in ("Ingres", "Charles Babbage"))
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/graph/explain?from={one}&to={other}")
    assert "Nothing that holds now leads from one to the other" in page
    assert 'class="why-not"' in page


def test_an_explanation_of_the_past_shows_what_held_and_what_ended(world: World) -> None:
    browser = join(world, "A", f"{uuid4().hex}@a.example", Role.EDITOR)
    entries = [
        replace(
            text(body, title=f"Staff {year}", source_uri=f"s{year}.txt"), metadata={"date": f"{year}-01-01"}
        )
        for year, body in (
            (2019, "Bob Stone works for Acme."),
            (2023, "Bob Stone no longer works for Acme."),
        )
    ]
    ingest_now(world.citegraph.database, world.citegraph.settings, world.a.home, entries)
    one, other = (node_called(world, browser, name) for name in ("Bob Stone", "Acme"))
    address = f"/dashboard/spaces/{world.a.space_id}/graph/explain?from={one}&to={other}"
    now, then = browser.get(address), browser.get(f"{address}&as_of=2020-06-01")
    assert "Nothing that holds now" in now
    assert "Between the two, but no longer" in now
    assert "No longer" in now
    assert "The shortest way: 1 claim" in then
    assert "ended 2023-01-01" in then
    panel = browser.get(
        f"/dashboard/spaces/{world.a.space_id}/graph/between/{one}/{other}?relation=works_for"
    )
    assert "Denied or ended" in panel


def test_an_edge_shows_the_words_that_state_it(world: World, viewer: Browser) -> None:
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/graph/edges/{world.a.edge_id}")
    assert "<mark>" in page
    assert "The words that state it" in page


def test_a_community_shows_its_report_and_nodes(world: World, viewer: Browser) -> None:
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/graph/communities/{world.a.community_id}")
    assert "Most central" in page
    assert "Michael Stonebraker" in page


def test_the_table_needs_no_script_and_goes_on_page_by_page(world: World, viewer: Browser) -> None:
    base = f"/dashboard/spaces/{world.a.space_id}/graph/table"
    assert "Michael Stonebraker" in viewer.get(base)
    filtered = viewer.get(f"{base}?q=ingres")
    assert "Ingres" in filtered
    assert "Michael Stonebraker" not in filtered
    assert "No node is like that." in viewer.get(f"{base}?q=nobody-is-called-so")


def test_names_of_things_cannot_run_in_the_panels(world: World) -> None:
    browser = join(world, "A", f"{uuid4().hex}@a.example", Role.EDITOR)
    entry = text(f"Wanda {HOSTILE} Krol created Teasel.", title=HOSTILE, source_uri="hostile-panel.txt")
    ingest_now(world.citegraph.database, world.citegraph.settings, world.a.home, [entry])
    found = graph_of(world, browser, "find?q=teasel")["nodes"]
    assert found
    for node in graph_of(world, browser, f"around/{found[0]['id']}")["nodes"]:
        assert "<img" not in browser.get(f"/dashboard/spaces/{world.a.space_id}/graph/nodes/{node}")


def test_ids_of_another_tenant_draw_nothing(world: World, admin: Browser) -> None:
    asked = f"data?open={world.b.community_id}&show={world.b.node_id}"
    assert world.b.node_id.hex not in graph_of(world, admin, asked)["nodes"]["id"]
    own = f"/dashboard/spaces/{world.a.space_id}/graph"
    for path in (
        f"around/{world.b.node_id}",
        f"nodes/{world.b.node_id}",
        f"communities/{world.b.community_id}",
        f"between/{world.a.node_id}/{world.b.node_id}",
        f"explain?from={world.a.node_id}&to={world.b.node_id}",
    ):
        admin.get(f"{own}/{path}", status=404)


def test_a_page_of_the_graph_sends_few_statements(world: World, statements: list[str]) -> None:
    with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
        graph_view.build_graph_view(space)
        statements.clear()
        graph_view.build_graph_view(space)
    assert len(statements) <= 6


LATER = {
    "valid_from": datetime(2090, 1, 1, tzinfo=UTC),
    "invalidated_at": datetime(2090, 1, 1, tzinfo=UTC),
    "ends_at": FOREVER,
}


class TestEdgesAtAMoment:
    def edge(self, **changes: Any) -> Edge:
        made = Edge(EdgeId(uuid4()), NodeId(uuid4()), NodeId(uuid4()), "uses", 1.0, 1.0, "staged", None)
        return made._replace(**changes)

    @pytest.mark.parametrize(
        ("changes", "moment", "state"),
        [
            ({}, None, "holds"),
            ({"invalidated_at": datetime(2024, 1, 1, tzinfo=UTC)}, None, "ended"),
            ({"invalidated_at": datetime(2024, 1, 1, tzinfo=UTC)}, datetime(2023, 1, 1, tzinfo=UTC), "holds"),
            ({"valid_from": datetime(2024, 1, 1, tzinfo=UTC)}, datetime(2023, 1, 1, tzinfo=UTC), "later"),
            ({"polarity": Polarity.DENIED}, None, "denied"),
            ({"ends_at": datetime(2090, 1, 1, tzinfo=UTC)}, None, "holds"),
            ({"ends_at": datetime(2090, 1, 1, tzinfo=UTC)}, datetime(2090, 1, 1, tzinfo=UTC), "ended"),
            (LATER, None, "later"),
            (LATER, datetime(2090, 1, 1, tzinfo=UTC), "holds"),
        ],
    )
    def test_it_stands_as_it_did_then(
        self, changes: dict[str, Any], moment: datetime | None, state: str
    ) -> None:
        assert build_shown_edge(self.edge(**changes), moment).state == state

    def test_the_shortest_path_is_the_one_of_fewest_hops_then_the_strongest(self) -> None:
        paths = [Path((), (), 2, 0.9), Path((), (), 1, 0.1), Path((), (), 1, 0.3)]
        assert choose_shortest_then_strongest_path(paths) is paths[2]
        assert choose_shortest_then_strongest_path([]) is None


def test_each_piece_of_evidence_says_who_read_it_and_when(world: World, viewer: Browser) -> None:
    one, other = (node_called(world, viewer, name) for name in ("Michael Stonebraker", "Ingres"))
    base = f"/dashboard/spaces/{world.a.space_id}"
    pair = viewer.get(f"{base}/graph/between/{one}/{other}?relation=created")
    edge = re.search(r"/curation/edges/([0-9a-f-]{36})", pair)
    assert edge is not None
    explained = viewer.get(f"{base}/graph/explain?from={one}&to={other}")
    for page in (
        pair,
        explained,
        viewer.get(f"{base}/graph/edges/{edge[1]}"),
        viewer.get(f"{base}/curation/edges/{edge[1]}"),
    ):
        assert re.search(
            r'read by <span class="extractor"[^>]*>[^<]*rules[^<]*</span> <time datetime="\d{4}-', page
        )
