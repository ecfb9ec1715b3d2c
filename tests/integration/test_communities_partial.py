"""Partial runs of a real space: what triggers note, what is read around it, what is written (requirement
7.2).
"""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from app.db.database import Database
from app.db.models import CommunityRun
from app.derived.communities import service as communities
from app.derived.communities.incremental.run import PartialBounds
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import (
    enqueue_detection_or_run_waiting_now,
    schedule_detection_or_delete_notes,
)
from app.graph import service as graph
from app.graph.write import merges
from app.ids import JobId, NodeId, create_id
from app.jobs import queue
from app.jobs.kinds import DetectCommunities
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.ingest import make_runner, submit, text
from tests.support.sampling import sampled
from tests.support.scripted_extractor import Scripted
from workers.runner import Runner

pytestmark = pytest.mark.shared_database

GROUPS, SIZE = 9, 6
ALWAYS = PartialBounds(min_pairs=0, max_changed_share=1.0, max_changed_share_in_all=1.0, max_read_share=10.0)
Detect = Callable[..., list[str]]


def group(number: int) -> tuple[str, ...]:
    return tuple(f"G{number}M{member}" for member in range(SIZE))


def clique(names: tuple[str, ...]) -> str:
    """Every two of them related, in the notation of `Scripted`."""
    return "\n".join(
        f"[{a}|Person] knows [{b}|Person]." for place, a in enumerate(names) for b in names[:place]
    )


def take_in(database: Database, settings: Settings, home: Home, body: str) -> None:
    submit(database, home, text(body, title=body[:40], source_uri=body[:40]))
    make_runner(database, settings, extractor=Scripted()).drain()


def runner(
    database: Database,
    settings: Settings,
    *,
    bounds: PartialBounds = ALWAYS,
    checkpoint: Callable[[str], None],
) -> Runner:
    """A runner of detections within these bounds."""
    detect = partial(detect_communities_and_write_reports, bounds=bounds)
    return Runner(
        under(database, settings), settings, {DetectCommunities.kind: detect}, checkpoint=checkpoint
    )


@pytest.fixture
def detect(database: Database, settings: Settings) -> Detect:
    """Runs a detection now; the steps that it took."""

    def detect(home: Home, *, bounds: PartialBounds = ALWAYS) -> list[str]:
        steps: list[str] = []
        with database.open_space(home.tenant_id, home.space_id) as space:
            job_id = JobId(enqueue_detection_or_run_waiting_now(space).id)
        runner(database, settings, bounds=bounds, checkpoint=steps.append).drain()
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert queue.get_job(space, job_id).state == "done"
        return steps

    return detect


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home, detect: Detect) -> Home:
    """Groups that know each other, each tied to the next, and their communities."""
    bodies = [clique(group(number)) for number in range(GROUPS)]
    ties = [f"[G{n}M0|Person] knows [G{(n + 1) % GROUPS}M0|Person]." for n in range(GROUPS)]
    take_in(database, settings, home, "\n".join((*bodies, *ties)))
    assert detect(home)[0] == "read"
    return home


def stored(database: Database, home: Home) -> tuple[dict[UUID, tuple[Any, ...]], dict[UUID, UUID]]:
    """What is kept of each community that a run sums up, and where each member is."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT id, level, parent_id, member_count, content_hash, round(weight::numeric, 4),"
            " round(inner_weight::numeric, 4) FROM community WHERE knowledge_space_id = %s",
            [home.space_id],
        ).fetchall()
        members = space.connection.execute(
            "SELECT node_id, community_id FROM community_member WHERE knowledge_space_id = %s",
            [home.space_id],
        ).fetchall()
    return {row[0]: row[1:] for row in rows}, dict(members)


def latest(database: Database, home: Home) -> CommunityRun:
    with database.open_space(home.tenant_id, home.space_id) as space:
        run = communities.find_latest_run(space)
    assert run is not None
    return run


def names_of(database: Database, home: Home) -> list[list[str]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = [community.id for community in communities.list_communities(space, level=0, limit=200)]
        return sorted(
            sorted(member.canonical_name for member in communities.get_community(space, id_).members)
            for id_ in found
        )


def node(database: Database, home: Home, name: str) -> NodeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return NodeId(graph.find_nodes(space, name)[0].id)


def change(database: Database, home: Home, statement: str, *values: object) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        spaces.lock_graph_and_increment_revision(space)
        space.connection.execute(statement.encode(), [home.space_id, *values])


def assert_whole_run_agrees(database: Database, home: Home, detect: Detect) -> None:
    """A whole run sums up the same: it finds nothing to write."""
    before, run = stored(database, home), latest(database, home)
    change(database, home, "UPDATE community_run SET partials = NULL WHERE knowledge_space_id = %s")
    assert detect(home)[0] == "read"
    assert stored(database, home) == before
    after = latest(database, home)
    assert (after.pairs, after.communities) == (run.pairs, run.communities)
    assert (after.weight, after.modularity) == pytest.approx((run.weight, run.modularity))


class TestWhatIsSeen:
    def test_new_nodes_and_edges(
        self, database: Database, settings: Settings, filled: Home, detect: Detect
    ) -> None:
        before, _ = stored(database, filled)
        take_in(database, settings, filled, clique((*group(3)[:5], "Flo", "Gus")))
        take_in(database, settings, filled, clique(("Xia", "Yan", "Zoe")))
        assert detect(filled)[0] == "refreshed"
        after, _ = stored(database, filled)
        assert set(before) < set(after)
        assert ["Xia", "Yan", "Zoe"] in names_of(database, filled)
        assert sorted([*group(3), "Flo", "Gus"]) in names_of(database, filled)
        (event,) = [
            event
            for made in set(after) - set(before)
            for event in communities_history(database, filled, made)
        ]
        assert event == "new"
        assert_whole_run_agrees(database, filled, detect)

    @pytest.mark.parametrize(
        "statement",
        sampled(
            [
                (
                    "DELETE FROM graph_edge WHERE knowledge_space_id = %s"
                    " AND (from_node_id = %s OR to_node_id = %s)"
                ),
                (
                    "UPDATE graph_edge SET deleted_at = now() WHERE knowledge_space_id = %s AND %s IN"
                    " (from_node_id, to_node_id) AND from_node_id <> %s::uuid"
                ),
                (
                    "UPDATE graph_edge SET invalidated_at = now() WHERE knowledge_space_id = %s"
                    " AND (from_node_id = %s OR to_node_id = %s)"
                ),
                (
                    "UPDATE graph_edge SET weight = 0.01 WHERE knowledge_space_id = %s"
                    " AND (from_node_id = %s OR to_node_id = %s)"
                ),
                (
                    "UPDATE graph_edge SET relation_type = 'within', weight = 0.9"
                    " WHERE knowledge_space_id = %s AND (from_node_id = %s OR to_node_id = %s)"
                ),
                "DELETE FROM graph_node WHERE knowledge_space_id = %s AND id IN (%s, %s)",
            ],
            every=2,
        ),
        ids=["removed", "hidden", "ended", "weakened", "addresses now", "node gone"],
    )
    def test_edges_that_are(self, database: Database, filled: Home, detect: Detect, statement: str) -> None:
        """M0 begins no edge but that to the next group; whichever way its edges go, it follows.

        No chunk names it here, beside whose other names it would stay.
        """
        member = node(database, filled, "G5M0")
        change(
            database, filled,
            "DELETE FROM node_mention WHERE knowledge_space_id = %s AND node_id = %s", member,
        )  # fmt: skip
        if "from_node_id <>" in statement:
            change(
                database, filled,
                "UPDATE graph_edge SET deleted_at = now() WHERE knowledge_space_id = %s AND from_node_id = %s", member,  # noqa: E501
            )  # fmt: skip
        change(database, filled, statement, member, member)
        assert detect(filled)[0] == "refreshed"
        assert sorted(group(5)[1:]) in names_of(database, filled)
        _, members = stored(database, filled)
        assert member not in members
        assert_whole_run_agrees(database, filled, detect)

    def test_nodes_that_are_merged_and_parted_again(
        self, database: Database, filled: Home, detect: Detect
    ) -> None:
        before = names_of(database, filled)
        winner, loser = node(database, filled, "G1M1"), node(database, filled, "G7M1")
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            merge = merges.merge_nodes_by_person(space, winner, loser, actor="test")
        assert detect(filled)[0] == "refreshed"
        assert loser not in stored(database, filled)[1]
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            merges.unmerge_nodes_by_person(space, merge.id, actor="test")
        assert detect(filled)[0] == "refreshed"
        assert names_of(database, filled) == before
        assert_whole_run_agrees(database, filled, detect)

    def test_new_nodes_that_are_only_named(
        self, database: Database, settings: Settings, filled: Home, detect: Detect
    ) -> None:
        """With a node that has claims, and among themselves."""
        take_in(database, settings, filled, "[Flo|Person] beside [G3M1|Person].")
        take_in(database, settings, filled, "[Xia|Person], [Yan|Person], [Zoe|Person].")
        assert detect(filled)[0] == "refreshed"
        assert ["Xia", "Yan", "Zoe"] in names_of(database, filled)
        assert sorted([*group(3), "Flo"]) in names_of(database, filled)
        assert latest(database, filled).changed_edges == 4
        assert_whole_run_agrees(database, filled, detect)

    def test_a_named_node_of_which_something_is_claimed_for_the_first_time(
        self, database: Database, settings: Settings, filled: Home, detect: Detect
    ) -> None:
        take_in(database, settings, filled, "[Flo|Person] beside [G3M1|Person].")
        assert detect(filled)[0] == "refreshed"
        change(
            database, filled,
            "INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,"
            " metadata, extraction_key) VALUES (%s, gen_random_uuid(), %s, %s, 'knows', 1,"
            " '{\"confidence\": 1}', gen_random_uuid())",
            node(database, filled, "Flo"), node(database, filled, "G5M2"),
        )  # fmt: skip
        assert detect(filled)[0] == "refreshed"
        assert sorted([*group(5), "Flo"]) in names_of(database, filled)
        assert_whole_run_agrees(database, filled, detect)

    def test_a_change_that_commits_after_the_run_has_read(
        self, database: Database, settings: Settings, filled: Home, detect: Detect
    ) -> None:
        """Its note is no part of the run's snapshot, so the run leaves it to the next one."""
        other = Database(database.engine, settings)
        with other.open_space(filled.tenant_id, filled.space_id) as late:
            row = late.connection.execute(
                "SELECT id FROM graph_edge WHERE knowledge_space_id = %s LIMIT 1", [filled.space_id]
            ).fetchone()
            assert row is not None
            late.connection.execute(
                "INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type,"
                " weight, metadata, extraction_key) SELECT knowledge_space_id, %s::uuid,"
                " from_node_id, to_node_id, 'helps', weight, metadata, %s::uuid FROM graph_edge"
                " WHERE knowledge_space_id = %s AND id = %s",
                [create_id(), create_id(), filled.space_id, row[0]],
            )
            take_in(database, settings, filled, clique(("Xia", "Yan", "Zoe")))
            assert detect(filled)[0] == "refreshed"
            run = latest(database, filled)
        change(database, filled, "UPDATE knowledge_space SET name = name WHERE id = %s")
        assert detect(filled)[0] == "refreshed"
        assert latest(database, filled).changed_edges == run.changed_edges + 1
        assert_whole_run_agrees(database, filled, detect)

    def test_nothing_of_another_space(
        self, database: Database, settings: Settings, filled: Home, twin: Home, detect: Detect
    ) -> None:
        take_in(database, settings, twin, clique(group(3)))
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            notes = space.connection.execute("SELECT count(*) FROM edge_change").fetchone()
        assert notes == (0,)
        before = stored(database, filled)
        detect(twin)
        assert stored(database, filled) == before


def communities_history(database: Database, home: Home, made: UUID) -> list[str]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT change FROM community_event WHERE knowledge_space_id = %s AND community_id = %s",
            [home.space_id, made],
        ).fetchall()
    return [row[0] for row in rows]


class TestWhenAWholeRunIsDue:
    @pytest.mark.parametrize(
        "bounds",
        sampled(
            [
                PartialBounds(),
                PartialBounds(min_pairs=0, max_changed_share=0.0001, max_changed_share_in_all=1.0),
                PartialBounds(min_pairs=0, max_changed_share=1.0, max_changed_share_in_all=0.0001),
                PartialBounds(
                    min_pairs=0, max_changed_share=1.0, max_changed_share_in_all=1.0, max_partial_runs=0
                ),
                PartialBounds(
                    min_pairs=0, max_changed_share=1.0, max_changed_share_in_all=1.0, max_read_share=0.0
                ),
            ],
            every=2,
        ),
        ids=["small graph", "much changed", "much changed in all", "many partial runs", "much to read"],
    )
    def test_bounds(
        self, database: Database, settings: Settings, filled: Home, detect: Detect, bounds: PartialBounds
    ) -> None:
        take_in(database, settings, filled, clique(("Xia", "Yan", "Zoe")))
        assert detect(filled, bounds=bounds)[0] == "read"
        assert latest(database, filled).partials == 0

    def test_partial_runs_are_counted_and_a_whole_one_begins_anew(
        self, database: Database, settings: Settings, filled: Home, detect: Detect
    ) -> None:
        for number in range(2):
            take_in(database, settings, filled, f"[X{number}|Person] knows [Y{number}|Person].")
            detect(filled)
        run = latest(database, filled)
        assert (run.partials, run.changed_edges) == (2, 2)
        take_in(database, settings, filled, "[X9|Person] knows [Y9|Person].")
        assert detect(filled, bounds=PartialBounds())[0] == "read"
        assert latest(database, filled).changed_edges == 0

    def test_where_communities_are_switched_off_notes_do_not_pile_up(
        self, database: Database, settings: Settings, filled: Home, detect: Detect
    ) -> None:
        off = settings.model_copy(update={"communities": False})
        take_in(database, off, filled, clique(("Xia", "Yan", "Zoe")))
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            schedule_detection_or_delete_notes(space, off)
            assert space.connection.execute("SELECT count(*) FROM edge_change").fetchone() == (0,)
        assert detect(filled)[0] == "read"
        assert ["Xia", "Yan", "Zoe"] in names_of(database, filled)


def test_reports_only_of_what_changed(
    database: Database, settings: Settings, filled: Home, detect: Detect
) -> None:
    """Requirement 7.3: of nine communities one is reported on again."""
    with database.open_space(filled.tenant_id, filled.space_id) as space:
        before = {
            community.id: community.reported_at
            for community in communities.list_communities(space, limit=200)
        }
    take_in(database, settings, filled, "[G4M1|Person] uses [G4M2|Person].")
    assert detect(filled)[0] == "refreshed"
    with database.open_space(filled.tenant_id, filled.space_id) as space:
        after = {community.id: community for community in communities.list_communities(space, limit=200)}
    (changed,) = [community for made, community in after.items() if community.reported_at != before[made]]
    with database.open_space(filled.tenant_id, filled.space_id) as space:
        inside = {member.canonical_name for member in communities.get_community(space, changed.id).members}
    assert inside == set(group(4))
    assert not any(community.stale for community in after.values())


def test_a_partial_run_upon_another_one_is_dropped(
    database: Database, settings: Settings, filled: Home, detect: Detect
) -> None:
    """Between its reading and its writing another run came in force: what it found is of no run that
    stands.
    """
    take_in(database, settings, filled, clique(("Xia", "Yan", "Zoe")))
    steps: list[str] = []

    def meanwhile(step: str) -> None:
        steps.append(step)
        if step == "refreshed":
            change(
                database,
                filled,
                f"UPDATE community_run SET id = '{create_id()}' WHERE knowledge_space_id = %s",
            )

    with database.open_space(filled.tenant_id, filled.space_id) as space:
        enqueue_detection_or_run_waiting_now(space)
    runner(database, settings, checkpoint=meanwhile).drain()
    assert steps[0] == "refreshed"
    assert "read" in steps
    assert ["Xia", "Yan", "Zoe"] in names_of(database, filled)


def test_a_partial_run_killed_in_the_middle_leaves_the_old_communities_and_the_notes(
    database: Database, settings: Settings, filled: Home, detect: Detect
) -> None:
    before = stored(database, filled)
    take_in(database, settings, filled, clique((*group(3)[:5], "Flo", "Gus")))

    def die(step: str) -> None:
        if step == "writing":
            raise KeyboardInterrupt

    with database.open_space(filled.tenant_id, filled.space_id) as space:
        enqueue_detection_or_run_waiting_now(space)
    with pytest.raises(KeyboardInterrupt):
        runner(database, settings, checkpoint=die).drain()
    assert stored(database, filled) == before
    with database.open_platform() as platform:
        platform.orm.connection().exec_driver_sql(
            "UPDATE job SET lease_until = now() - interval '1 second' WHERE state = 'running'"
        )
        queue.requeue_jobs_with_expired_leases(platform)
    assert detect(filled)[0] == "refreshed"
    assert sorted([*group(3), "Flo", "Gus"]) in names_of(database, filled)
    assert latest(database, filled).partials == 1
