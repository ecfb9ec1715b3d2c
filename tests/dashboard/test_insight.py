"""Communities and summaries on pages: maps, reports with their evidence, lineage, decisions (issue 12.8)."""

import re
import secrets
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import numpy as np
import pytest

from app.dashboard.insight.community_map import draw_community_map
from app.dashboard.insight.summaries import SENTENCE_BY_REASON, split_at_citations
from app.dashboard.insight.treemap import Rect, compute_treemap_rectangles
from app.derived.communities import service as communities
from app.derived.communities.shapes import Block, Community, CommunityId
from app.derived.summaries import service as summaries
from app.derived.summaries.gate import Reason, Vector
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.history import KeptEpisode, build_decisions_with_drift
from app.derived.summaries.shapes import Citation, Summary
from app.ids import EdgeId, NodeId, SpaceId
from app.llm.call_records import CallRecord
from app.llm.model_calls import service as llm
from app.spreadsheet import escape_formula
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import api_keys, budgets, usage
from app.tenancy.tenants.service import add_to_daily_usage
from tests.api.conftest import World, detect_communities
from tests.conftest import Home, make_home
from tests.dashboard.conftest import PASSWORD, Browser, browser_of
from tests.support.ingest import ingest_now, text
from tests.support.sent_statements import sent_statements
from tests.support.summaries import NOON, Clock, refresh_now

MOST_STATEMENTS = 20
"""Of one page: the door's own, and one for each thing that it shows."""


class TestTreemap:
    @pytest.mark.parametrize("sizes", [[1], [5, 3, 2], [100, 1, 1, 1, 1], [7] * 30])
    def test_areas_are_in_proportion_and_fill_the_place(self, sizes: list[int]) -> None:
        place = Rect(10, 20, 300, 200)
        found = compute_treemap_rectangles(sizes, place)
        for size, rect in zip(sizes, found, strict=True):
            assert rect.width * rect.height == pytest.approx(size / sum(sizes) * 60_000)
            assert rect.x >= 10 - 1e-6
            assert rect.y >= 20 - 1e-6
            assert rect.x + rect.width <= 310 + 1e-6
            assert rect.y + rect.height <= 220 + 1e-6

    def test_equal_sizes_are_nearly_squares(self) -> None:
        for rect in compute_treemap_rectangles([1] * 12, Rect(0, 0, 400, 300)):
            assert 0.5 <= rect.width / rect.height <= 2

    @pytest.mark.parametrize("place", [Rect(0, 0, 0, 10), Rect(0, 0, 10, 0)])
    def test_no_room_is_no_error(self, place: Rect) -> None:
        assert [rect.width * rect.height for rect in compute_treemap_rectangles([1, 2], place)] == [0, 0]
        assert compute_treemap_rectangles([], place) == []


def community(members: int, title: str = "Title") -> Community:
    return Community(CommunityId(uuid4()), 0, None, members, title, "", (), None, None, True, NOON, NOON)


class TestPicture:
    def test_members_in_no_part_are_drawn_as_others(self) -> None:
        block = Block(community(100), (community(40), community(10)))
        (drawn,) = draw_community_map("wide", [block], width=600, height=400).blocks
        assert [part.members for part in drawn.parts] == [40, 10, 50]
        assert drawn.parts[-1].community is None

    def test_what_does_not_fit_has_no_label(self) -> None:
        blocks = [Block(community(1_000, "x" * 300), ()), Block(community(1, "tiny"), ())]
        large, tiny = draw_community_map("wide", blocks, width=300, height=100).blocks
        assert large.cell.label == "x" * 300
        assert tiny.cell.label == ""


class TestSentences:
    def test_nothing_of_the_text_is_lost(self) -> None:
        one, other = EdgeId(uuid4()), EdgeId(uuid4())
        summary = Summary("abcdefgh", (Citation(1, 3, (one,)), Citation(2, 6, (other,))), "rules")
        spans = split_at_citations(summary)
        assert "".join(span.text for span in spans) == "abcdefgh"
        assert [span.edge_ids for span in spans] == [(), (one,), (other,), ()]

    def test_every_reason_has_its_sentence(self) -> None:
        assert set(SENTENCE_BY_REASON) == set(Reason)


def _own_space(world: World, name: str) -> Home:
    """Another space of the first tenant: whoever finds communities anew may end those that all tests know."""
    with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
        made = spaces.create_space(
            tenant,
            name=f"{name}-{secrets.token_hex(4)}",
            embedding_model="hashed-ngrams-256",
            embedding_dimensions=256,
            actor="a",
        )
    return Home(world.a.home.tenant_id, SpaceId(made.id))


class TestCommunities:
    def test_the_map_and_the_tree_lead_to_every_community(self, world: World, viewer: Browser) -> None:
        page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/communities")
        with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
            coarsest = communities.list_communities(space, level=0)
        for parent in coarsest:
            path = f"/dashboard/spaces/{world.a.space_id}/communities/{parent.id}"
            # Once in the map for wide windows, once in that for narrow ones, and once in the tree.
            assert page.count(f'href="{path}"') == 3
        assert "Detect now" not in page

    def test_one_shows_its_report_with_the_evidence_of_each_finding(
        self, world: World, viewer: Browser
    ) -> None:
        base = f"/dashboard/spaces/{world.a.space_id}"
        page = viewer.get(f"{base}/communities/{world.a.community_id}")
        cites = re.findall(r'class="cite" href="([^"]+)"', page)
        assert cites
        assert "<mark>" in viewer.get(cites[0])
        assert "Most central" in page
        assert "Lineage" in page

    def test_runs_say_what_they_changed(self, world: World, viewer: Browser) -> None:
        database, settings = world.citegraph.database, world.citegraph.settings
        home = _own_space(world, "runs")
        detect_communities(world.citegraph, home)
        name = "Ivar Holm"
        body = f"{name} founded Saltmarsh Yard. {name} created Heron Engine."
        ingest_now(database, settings, home, [text(body, title=body)])
        detect_communities(world.citegraph, home)
        base = f"/dashboard/spaces/{home.space_id}/communities"
        run = re.search(rf'href="({base}/runs/[0-9a-f-]+)"', viewer.get(f"{base}/runs"))
        assert run is not None
        page = viewer.get(run[1])
        assert "<span>new</span>" in page
        found = re.search(rf'href="({base}/[0-9a-f-]+)"', page)
        assert found is not None
        assert "Found for the first time" in viewer.get(found[1])
        viewer.get(f"{base}/runs/{uuid4()}", status=404)

    def test_a_page_goes_on_where_the_one_before_ended(self, world: World, viewer: Browser) -> None:
        base = f"/dashboard/spaces/{world.a.space_id}/communities"
        with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
            first = communities.list_communities(space, level=0)[0]
        page = viewer.get(f"{base}?after=0.{first.member_count}.{first.id}")
        assert f"{base}/{first.id}" not in page
        viewer.get(f"{base}?after=nonsense", status=404)

    def test_an_editor_starts_a_detection(self, world: World, admin: Browser) -> None:
        base = f"/dashboard/spaces/{_own_space(world, 'detection').space_id}"
        assert "Detect now" in admin.get(f"{base}/communities")
        answer = admin.http.post(
            f"{base}/communities/detect", data={"csrf": admin.csrf}, follow_redirects=False
        )
        assert answer.headers["location"].startswith(f"{base}/jobs/")
        world.drain()

    def test_statements_do_not_grow_with_communities(self, world: World, viewer: Browser) -> None:
        base = f"/dashboard/spaces/{world.a.space_id}"
        viewer.get(f"{base}/communities")
        with sent_statements() as sent:
            viewer.get(f"{base}/communities")
        assert [statement for statement in sent if "FROM community" in statement]
        assert len(sent) <= MOST_STATEMENTS
        with sent_statements() as sent:
            viewer.get(f"{base}/communities/{world.a.community_id}")
        assert len(sent) <= MOST_STATEMENTS


class TestSummaries:
    def test_each_has_its_decisions_with_what_they_weighed(self, world: World, viewer: Browser) -> None:
        database, settings = world.citegraph.database, world.citegraph.settings
        clock = Clock()
        name = "Orla Dunmore"
        for body in (f"{name} founded Brightwater Mills.", f"{name} joined Harbour Press."):
            ingest_now(database, settings, world.a.home, [text(body, title=body)])
            refresh_now(database, settings, world.a.home, now=clock)
            clock.move(hours=1)
        base = f"/dashboard/spaces/{world.a.space_id}/summaries"
        node_id = _summarised(world, world.a.home, name)
        with database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
            decisions = summaries.list_gate_decisions_about_node(space, node_id)
        assert [decision.episode.number for decision in decisions] == list(range(len(decisions)))
        assert decisions[0].drift is None
        page = viewer.get(f"{base}/{node_id}")
        assert name in page
        assert "The node had no summary yet." in page
        assert 'class="cite"' in page
        listed = viewer.get(base)
        assert "Decisions of the gate" in listed
        assert "Check all now" not in listed

    def test_drift_is_from_the_summary_that_stood(self) -> None:
        node, one, other = NodeId(uuid4()), np.array([1, 0], np.float32), np.array([0, 1], np.float32)

        def episode(number: int, vector: Vector | None, reason: Reason, *, refreshed: bool) -> KeptEpisode:
            at = NOON + timedelta(hours=number)
            return KeptEpisode(node, number, at, "", True, False, False, vector, number, refreshed, reason)

        found = build_decisions_with_drift(
            [
                episode(0, one, Reason.FIRST, refreshed=True),
                episode(1, other, Reason.BURST, refreshed=False),
                episode(2, other, Reason.DRIFTED, refreshed=True),
                episode(3, other, Reason.UNCHANGED, refreshed=False),
                episode(4, None, Reason.WITHIN_DRIFT, refreshed=False),
            ],
            GateSettings(),
        )
        assert [decision.drift for decision in found] == [None, 1.0, 1.0, 0.0, None]
        assert {decision.threshold for decision in found} == {GateSettings().drift_threshold}

    def test_a_node_without_one_is_not_found(self, world: World, viewer: Browser) -> None:
        page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/summaries/{uuid4()}", status=404)
        assert "No such summary." in page


def _summarised(world: World, home: Home, name: str) -> NodeId:
    """The node of that name, which has a summary."""
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        listed = summaries.list_summaries(space, limit=200)
        return next(summary.node_id for summary in listed if summary.canonical_name == name)


class TestUsage:
    def test_the_table_the_sums_and_the_csv_have_the_same_numbers(self, world: World) -> None:
        database = world.citegraph.database
        home = make_home(database, f"usage-{uuid4().hex[:8]}")
        with database.open_space(home.tenant_id, home.space_id) as space:
            add_to_daily_usage(
                space, space_id=home.space_id, model_calls=3, prompt_tokens=700, cost_usd=1.25, queries=8
            )
            calls = [
                CallRecord(
                    "entities", "=model", prompt_tokens=700, cost_usd=Decimal("1.25"), latency_ms=1_500
                ),
                CallRecord("entities", "=model", cached=True),
            ]
            llm.store_answers_and_call_records(space, {}, calls)
        with database.open_tenant(home.tenant_id) as tenant:
            token = accounts.create_invitation_link_token(
                tenant, email="u@x.example", role=Role.ADMIN, actor="test"
            )
        browser = enter(world, token)
        page = browser.get(f"/dashboard/spaces/{home.space_id}/usage?days=7")
        assert page.count("$1.25") >= 4
        assert 'data-value="700"' in page
        assert "=model" in page
        assert "2 s" in page
        lines = browser.get(f"/dashboard/spaces/{home.space_id}/usage.csv?days=7").splitlines()
        assert len(lines) == 8
        assert lines[0].startswith("day,cost_usd,model_calls")
        assert lines[-1].split(",")[1:4] == ["1.25000000", "3", "700"]
        page = browser.get(f"/dashboard/tenants/{home.tenant_id}/usage")
        assert page.count("$1.25") >= 4
        by_space = browser.get(f"/dashboard/tenants/{home.tenant_id}/usage.csv?by=space").splitlines()
        assert by_space[1].startswith(f"{home.space_id},")

    def test_the_budget_is_beside_what_was_spent(self, world: World) -> None:
        database = world.citegraph.database
        home = make_home(database, f"budget-{uuid4().hex[:8]}")
        with database.open_platform() as platform:
            budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, 4, actor="test")
        with database.open_space(home.tenant_id, home.space_id) as space:
            add_to_daily_usage(space, space_id=home.space_id, cost_usd=3)
            of_tenant, of_space = usage.get_budgets(space, home.space_id)
        assert (of_tenant.limit, of_tenant.spent) == (Decimal(4), Decimal(3))
        assert of_space.limit is None
        assert of_space.spent == 3
        with database.open_tenant(home.tenant_id) as tenant:
            token = accounts.create_invitation_link_token(
                tenant, email="b@x.example", role=Role.ADMIN, actor="test"
            )
        page = enter(world, token).get(f"/dashboard/tenants/{home.tenant_id}/usage")
        assert "75% used, $1.00 left" in page

    def test_a_key_for_one_space_learns_nothing_of_the_tenants_spending(self, world: World) -> None:
        database = world.citegraph.database
        with database.open_tenant(world.a.home.tenant_id) as tenant:
            _, token = api_keys.create_key(
                tenant, name="one", scopes=["read"], actor="test", space_ids=[world.a.home.space_id]
            )
        browser = browser_of(world)
        browser.post("/dashboard/sign-in", api_key=token.token)
        page = browser.get(f"/dashboard/spaces/{world.a.space_id}/usage")
        assert "This space, this month" in page
        assert "The whole tenant" not in page
        browser.get(f"/dashboard/tenants/{world.a.tenant_id}/usage", status=403)

    @pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\tx"])
    def test_a_spreadsheet_computes_no_name(self, name: str) -> None:
        assert escape_formula(name) == f"'{name}"
        assert escape_formula("Library") == "Library"


def enter(world: World, token: str) -> Browser:
    """A browser in which whoever was invited by that link is signed in."""
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)
    browser.get("/dashboard?all=1")
    return browser
