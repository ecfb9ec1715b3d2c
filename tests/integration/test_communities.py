"""Communities of a real space: found, written, traced and reported by the job (requirement 7)."""

from typing import Any

import psycopg
import pytest

from app.db.database import Database
from app.db.sql import load_statement
from app.derived.communities import report_repository
from app.derived.communities import service as communities
from app.derived.communities.job import REPORTS_AT_ONCE
from app.derived.communities.scheduling import (
    MAX_DELAYS,
    enqueue_detection_or_run_waiting_now,
    schedule_detection_or_delete_notes,
)
from app.documents import service as documents
from app.errors import NotFound
from app.graph import service as graph
from app.graph.write import merges
from app.ids import DocumentId, NodeId, create_id
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.kinds import DetectCommunities
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.communities import detail, detect_now, detector, listed, members, take_in

FRIENDS = ("Ada", "Bea", "Cid", "Dov", "Eva")
TOOLS = ("Saw", "Axe", "Awl", "Rasp", "Plane")


def clique(names: tuple[str, ...], kind: str) -> str:
    """Every two of them related, in the notation of `Scripted`."""
    return "\n".join(
        f"[{a}|{kind}] knows [{b}|{kind}]." for place, a in enumerate(names) for b in names[:place]
    )


def list_plan_nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for part in plan.get("Plans", ()) for node in list_plan_nodes(part))]


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home) -> Home:
    take_in(database, settings, home, friends=clique(FRIENDS, "Person"), tools=clique(TOOLS, "Product"))
    return home


class TestDetection:
    def test_it_finds_who_hangs_together(self, database: Database, settings: Settings, filled: Home) -> None:
        job = detect_now(database, settings, filled)
        assert (job.state, job.error_code) == ("done", None)
        assert sorted(map(sorted, members(database, filled).values())) == [sorted(FRIENDS), sorted(TOOLS)]
        assert [community.level for community in listed(database, filled)] == [0, 0]

    def test_it_never_leaves_the_space(
        self, database: Database, settings: Settings, filled: Home, twin: Home
    ) -> None:
        detect_now(database, settings, filled)
        take_in(database, settings, twin, other=clique(("Xia", "Yan", "Zoe"), "Person"))
        detect_now(database, settings, twin)
        assert [community.member_count for community in listed(database, twin)] == [3]
        (own,) = listed(database, twin)
        with pytest.raises(NotFound):
            detail(database, filled, own.id)

    def test_an_unchanged_graph_is_not_read_again(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        detect_now(database, settings, filled)
        steps: list[str] = []
        job = detect_now(database, settings, filled, checkpoint=steps.append)
        assert (job.counts["runs"], job.counts["reports"], steps) == (0, 0, [])

    def test_two_runs_with_one_seed_give_the_same_ids(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        detect_now(database, settings, filled)
        before = members(database, filled)
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            space.connection.execute(
                "DELETE FROM community_run WHERE knowledge_space_id = %s", [filled.space_id]
            )
            space.connection.execute("DELETE FROM community WHERE knowledge_space_id = %s", [filled.space_id])
        assert listed(database, filled) == []
        detect_now(database, settings, filled)
        assert members(database, filled) == before

    def test_a_run_killed_in_the_middle_leaves_the_old_communities_whole(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        detect_now(database, settings, filled)
        before = members(database, filled)
        take_in(database, settings, filled, more=clique(("Ada", "Saw", "Gus", "Hal", "Ivo"), "Person"))

        def die(step: str) -> None:
            if step == "writing":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            detect_now(database, settings, filled, checkpoint=die)
        assert members(database, filled) == before
        with database.open_platform() as platform:
            platform.orm.connection().exec_driver_sql(
                "UPDATE job SET lease_until = now() - interval '1 second' WHERE state = 'running'"
            )
            queue.requeue_jobs_with_expired_leases(platform)
        detector(database, settings).drain()
        assert "Gus" in set().union(*members(database, filled).values())

    def test_community_min_weight_of_a_space(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        """Requirement 7.1: each edge here weighs 1, so pairs of less than 1.5 are none."""
        with database.open_tenant(filled.tenant_id) as tenant:
            spaces.update_space_row(
                tenant, filled.space_id, actor="test", settings=SpaceSettings(community_min_weight=1.5)
            )
        detect_now(database, settings, filled)
        assert listed(database, filled) == []

    def test_an_empty_space(self, database: Database, settings: Settings, home: Home) -> None:
        assert detect_now(database, settings, home).state == "done"
        assert listed(database, home) == []


class TestLevels:
    def test_a_community_knows_its_parent_which_holds_its_members(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 7.1: rings of four tight groups each, far from one another."""
        lines = []
        for ring in range(8):
            groups = [[f"R{ring}G{group}M{member}" for member in range(5)] for group in range(4)]
            for place, group in enumerate(groups):
                lines.append(clique(tuple(group), "Person"))
                following = groups[(place + 1) % 4]
                lines += [
                    f"[{a}|Person] uses [{b}|Person]." for a, b in zip(group[:2], following[:2], strict=True)
                ]
        take_in(database, settings, home, rings="\n".join(lines))
        detect_now(database, settings, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            tops = communities.list_communities(space, level=0, limit=200)
            finer = communities.list_communities(space, level=1, limit=200)
        assert len(finer) > len(tops) > 1
        by_id = {community.id: community for community in tops}
        assert {community.parent_id for community in finer} <= set(by_id)
        divided = next(
            community for community in tops if any(part.parent_id == community.id for part in finer)
        )
        shown = detail(database, home, divided.id)
        assert {part.parent_id for part in shown.parts} == {divided.id}
        held = {member.node_id for member in shown.members}
        assert len(held) == divided.member_count
        for part in shown.parts:
            inside = {member.node_id for member in detail(database, home, part.id).members}
            assert len(inside) == part.member_count
            assert inside < held


class TestLineage:
    def test_a_community_keeps_its_id_and_title_while_most_members_stay(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        detect_now(database, settings, filled)
        before = {frozenset(names): made for made, names in members(database, filled).items()}
        titles = {community.id: community.title for community in listed(database, filled)}
        take_in(database, settings, filled, more=clique((*FRIENDS, "Flo", "Gus"), "Person"))
        detect_now(database, settings, filled)
        after = members(database, filled)
        grown = before[frozenset(FRIENDS)]
        assert after[grown] == {*FRIENDS, "Flo", "Gus"}
        assert {community.id: community.title for community in listed(database, filled)} == titles

    def test_a_merged_community_says_into_which(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        detect_now(database, settings, filled)
        old = set(members(database, filled))
        # With these everybody is tied to everybody alike.
        every = "\n".join(f"[{a}|Person] uses [{b}|Product]." for a in FRIENDS for b in TOOLS)
        take_in(database, settings, filled, all=every)
        job = detect_now(database, settings, filled)
        (left,) = members(database, filled)
        assert job.counts["merged"] == 1
        (gone,) = old - {left}
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            rows = space.connection.execute(
                "SELECT change, other_ids, title <> '' FROM community_event"
                " WHERE knowledge_space_id = %s AND community_id = %s",
                [filled.space_id, gone],
            ).fetchall()
        assert rows == [("merged", [left], True)]

    def test_a_new_community_says_so(self, database: Database, settings: Settings, filled: Home) -> None:
        detect_now(database, settings, filled)
        take_in(database, settings, filled, more=clique(("Xia", "Yan", "Zoe"), "Person"))
        detect_now(database, settings, filled)
        (new,) = [community for community in listed(database, filled) if community.member_count == 3]
        assert [event.change for event in detail(database, filled, new.id).history] == ["new"]


class TestReports:
    def test_each_has_a_title_and_a_report_whose_findings_cite_edges(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        """Requirement 7.3, without a model."""
        detect_now(database, settings, filled)
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            edges = {edge.id for edge in graph.list_edges(space, limit=200)}
        for community in listed(database, filled):
            assert community.reported_by == "rules"
            assert not community.stale
            assert any(name in community.title for name in (*FRIENDS, *TOOLS))
            assert community.summary.startswith("5 nodes around ")
            assert len(community.findings) == 5
            for finding in community.findings:
                assert set(finding.edge_ids) <= edges
                assert finding.edge_ids

    def test_it_says_which_documents_name_most_of_its_nodes(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        take_in(database, settings, filled, some=clique(FRIENDS[:3], "Person"))
        detect_now(database, settings, filled)
        summaries = " ".join(community.summary for community in listed(database, filled))
        assert "Of these 5 are named in “friends” and 3 in “some”." in summaries
        assert "Of these 5 are named in “tools”." in summaries

    @pytest.mark.parametrize("prune", [False, True])
    def test_the_title_of_a_deleted_document_is_in_no_report(
        self, database: Database, settings: Settings, filled: Home, prune: bool
    ) -> None:
        """Requirement 7.3: what derives from a document ends with it, before the next run."""
        take_in(database, settings, filled, secret=clique(("Ada", "Saw"), "Person"))
        detect_now(database, settings, filled)
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            (friends,) = (row.id for row in documents.list_documents(space) if row.title == "friends")
            ingest.delete_document_with_all_its_words(space, DocumentId(friends), prune=prune)
        assert all("friends" not in community.summary for community in listed(database, filled))

    def test_the_mentions_that_it_reads_are_bounded(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        """A node that 2,000 chunks name is read as one that 100 do."""
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            (node,) = graph.find_nodes(space, "Ada")
            space.connection.execute(
                "INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start,"
                " char_end, heading_path, token_count, content_hash, lexemes, created_at)"
                " SELECT %s, gen_random_uuid(), id, n + 10, 'Ada', 0, 3, '{}', 1, md5(n::text), '', now()"
                " FROM document, generate_series(1, 2000) n"
                " WHERE knowledge_space_id = %s AND title = 'friends'",
                [filled.space_id, filled.space_id],
            )
            space.connection.execute(
                "INSERT INTO node_mention (knowledge_space_id, chunk_id, node_id, surface_form, name,"
                " char_start, char_end) SELECT %s, id, %s, 'Ada', 'Ada', 0, 3 FROM knowledge_chunk"
                " WHERE knowledge_space_id = %s AND ordinal > 10",
                [filled.space_id, node.id, filled.space_id],
            )
            space.connection.execute("ANALYZE node_mention")
            row = (
                psycopg.ClientCursor(space.connection)
                .execute(
                    b"EXPLAIN (ANALYZE, FORMAT JSON) "
                    + load_statement("derived.communities.list_documents_of_communities").encode(),
                    {
                        "space_id": filled.space_id,
                        "communities": [node.id],
                        "nodes": [node.id],
                        "per_node": report_repository.MENTIONS_PER_NODE,
                        "limit": report_repository.MAX_DOCUMENTS,
                    },
                )
                .fetchone()
            )
        assert row is not None
        read = [
            part["Actual Rows"] * part["Actual Loops"]
            for part in list_plan_nodes(row[0][0]["Plan"])
            if part.get("Relation Name") in ("node_mention", "knowledge_chunk")
        ]
        assert len(read) == 2
        assert max(read) <= report_repository.MENTIONS_PER_NODE

    def test_refreshed_only_when_members_or_facts_changed(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        """Requirement 7.3: a document that says the same of the friends changes nothing, a new tool does."""
        detect_now(database, settings, filled)
        before = {community.id: community for community in listed(database, filled)}
        take_in(
            database, settings, filled,
            again=clique(FRIENDS, "Person") + "\n", more=clique((*TOOLS, "Gimlet"), "Product"),
        )  # fmt: skip
        job = detect_now(database, settings, filled)
        assert job.counts["reports"] == 1
        for community in listed(database, filled):
            changed = community.reported_at != before[community.id].reported_at
            assert changed == (community.member_count == 6)

    def test_a_report_goes_with_a_claim_between_two_that_are_merged(
        self, database: Database, settings: Settings, filled: Home
    ) -> None:
        detect_now(database, settings, filled)
        before = {community.id: community.findings for community in listed(database, filled)}
        assert all(before.values())
        (finding, *_) = next(findings for findings in before.values())
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            (edge,) = (edge for edge in graph.list_edges(space) if edge.id == finding.edge_ids[0])
            merges.merge_nodes_by_person(space, edge.from_node_id, edge.to_node_id, actor="test")
            edges = {edge.id for edge in graph.list_edges(space)}
        after = {community.id: community.findings for community in listed(database, filled)}
        assert sum(after[community] == before[community] for community in before) == 1
        assert {
            id_ for findings in after.values() for finding in findings for id_ in finding.edge_ids
        } <= edges

    def test_reports_come_in_batches_and_go_on_where_they_stopped(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        pairs = "\n".join(f"[Left{n}|Person] knows [Right{n}|Person]." for n in range(REPORTS_AT_ONCE + 3))
        take_in(database, settings, home, pairs=pairs)

        def die(step: str) -> None:
            if step == "reported":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            detect_now(database, settings, home, checkpoint=die)
        with database.open_space(home.tenant_id, home.space_id) as space:
            found = communities.list_communities(space, limit=200)
        assert sum(community.stale for community in found) == 3
        assert detect_now(database, settings, home).counts["reports"] == 3


class TestScheduling:
    def test_debounced_after_ingests(self, database: Database, settings: Settings, home: Home) -> None:
        """Requirement 7.2: many ingests, one job that waits until they rest."""
        for number in range(3):
            take_in(database, settings, home, **{f"note{number}": clique(FRIENDS[: number + 2], "Person")})
        with database.open_space(home.tenant_id, home.space_id) as space:
            waiting = [job for job in queue.list_jobs(space) if job.kind == DetectCommunities.kind]
        (job,) = waiting
        assert job.state == "queued"
        rest = (job.run_after - job.created_at).total_seconds()
        assert settings.community_delay <= rest <= MAX_DELAYS * settings.community_delay
        assert detector(database, settings).drain() == 0

    def test_a_space_that_never_rests_is_detected_all_the_same(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        short = settings.model_copy(update={"community_delay": 0.001})
        with database.open_space(home.tenant_id, home.space_id) as space:
            schedule_detection_or_delete_notes(space, short)
            space.connection.execute("UPDATE job SET created_at = created_at - interval '1 hour'")
            schedule_detection_or_delete_notes(space, short)
            (job,) = queue.list_jobs(space)
        assert (job.run_after - job.created_at).total_seconds() == pytest.approx(MAX_DELAYS * 0.001)

    def test_asking_takes_a_waiting_job_forward(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            schedule_detection_or_delete_notes(space, settings)
            job = enqueue_detection_or_run_waiting_now(space)
            assert len(queue.list_jobs(space)) == 1
            assert job.run_after == job.created_at

    @pytest.mark.parametrize("whose", ["platform", "space"])
    def test_switched_off(self, database: Database, settings: Settings, home: Home, whose: str) -> None:
        if whose == "space":
            with database.open_tenant(home.tenant_id) as tenant:
                spaces.update_space_row(
                    tenant, home.space_id, actor="test", settings=SpaceSettings(communities=False)
                )
        else:
            settings = settings.model_copy(update={"communities": False})
        take_in(database, settings, home, friends=clique(FRIENDS, "Person"))
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert DetectCommunities.kind not in [job.kind for job in queue.list_jobs(space)]


def test_communities_of_nodes(database: Database, settings: Settings, filled: Home) -> None:
    detect_now(database, settings, filled)
    with database.open_space(filled.tenant_id, filled.space_id) as space:
        ada, saw = (graph.find_nodes(space, name)[0] for name in ("Ada", "Saw"))
        unknown = NodeId(create_id())
        found = communities.list_communities_of_nodes(space, [ada.id, saw.id, unknown])
        run = communities.find_latest_run(space)
    assert [level for _, level, _ in found[ada.id]] == [0]
    assert found[ada.id] != found[saw.id]
    assert found[unknown] == []
    assert run is not None
    assert (run.nodes, run.communities) == (10, 2)
