"""What contradicts what, listed (issue 5, point 5), and readers of facts, who leave out what ended."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.derived.communities import service as communities
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.errors import Conflict
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.invalidation.shapes import ConflictStatus as Status
from app.graph.shapes import GraphFilters
from app.jobs.kinds import DetectCommunities
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.conftest import Home, make_home, under
from tests.support.contradictions import (
    LONDON,
    LONDON_2021,
    PARIS,
    PARIS_2019,
    REASON,
    TakeIn,
    declare,
    edge_of,
    look,
    places,
    says,
    taker,
)
from tests.support.ingest import ingest_now
from workers.runner import Runner


@pytest.fixture
def take_in(database: Database, settings: Settings, home: Home) -> TakeIn:
    return taker(database, settings, home)


class TestListing:
    def test_every_set_says_what_became_of_each_value(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(
            PARIS_2019,
            LONDON_2021,
            says("Globex Corporation is located in Rome."),
            says("Globex Corporation is located in Oslo."),
            says("Initech Corporation is located in Bern."),
            says("Initech Corporation is located in Graz."),
            says("Hooli Corporation is located in Bonn."),
        )
        bern = edge_of(database, home, "Initech Corporation is located in Bern.")
        look(database, home, lambda s: invalidation.end_claim_by_person(s, bern.id, reason=REASON, actor="a"))
        found = look(database, home, invalidation.list_conflicts)
        assert {
            claim.from_name: (claim.status, {value.name: value.status for value in claim.values})
            for claim in found
        } == {
            "Acme Corporation": (
                Status.SUPERSEDED,
                {"London": Status.CURRENT, "Paris": Status.SUPERSEDED},
            ),
            "Globex Corporation": (
                Status.CONTESTED,
                {"Rome": Status.CURRENT, "Oslo": Status.CURRENT},
            ),
            "Initech Corporation": (
                Status.DECIDED,
                {"Graz": Status.CURRENT, "Bern": Status.DECIDED},
            ),
        }
        acme = next(claim for claim in found if claim.from_name == "Acme Corporation")
        ended = acme.values[-1].rows[0]
        assert (ended.edge.quote, ended.decided_by, ended.claim_dated_at) == (
            PARIS,
            "rules",
            datetime(2019, 3, 1, tzinfo=UTC),
        )
        told = look(
            database,
            home,
            lambda space: space.connection.execute(
                "SELECT from_name, to_name, quote, kind, decided_by, source_quote FROM inspect_ended_claims"
                " ORDER BY 1"
            ).fetchall(),
        )
        assert told == [
            ("Acme Corporation", "Paris", PARIS, "source", "rules", LONDON),
            ("Initech Corporation", "Bern", bern.quote, "person", "a", None),
        ]
        contested = look(database, home, lambda s: invalidation.list_conflicts(s, only_contested=True))
        assert [claim.from_name for claim in contested] == ["Globex Corporation"]
        # Page by page the same, and nothing of what is not declared.
        pages, after = [], None
        while page := look(database, home, partial(invalidation.list_conflicts, after=after, limit=1)):
            pages += page
            after = page[-1].cursor
        assert pages == found
        assert look(database, home, lambda s: invalidation.list_conflicts(s, relation_type="owns")) == []

    def test_a_relation_that_is_declared_later_can_be_settled(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        declare(database, home, SpaceSettings())
        take_in(PARIS_2019, LONDON_2021, says("Globex Corporation is located in Rome.", "2019-01-01"))
        take_in(says("Globex Corporation is located in Oslo.", "2020-01-01"))
        declare(database, home)
        assert len(look(database, home, lambda s: invalidation.list_conflicts(s, only_contested=True))) == 2
        ended, after = 0, None
        for _ in range(2):
            count, after = look(
                database,
                home,
                partial(invalidation.end_conflicts_by_date, after=after, limit=1),
            )
            assert count == 1
            ended += count
        assert after is not None
        assert look(database, home, lambda s: invalidation.end_conflicts_by_date(s, after=after)) == (0, None)
        assert look(database, home, invalidation.end_conflicts_by_date) == (0, None)
        assert places(database, home) == {
            "Paris": ["2021-04-01"],
            "London": [None],
            "Rome": ["2020-01-01"],
            "Oslo": [None],
        }
        declare(
            database, home, SpaceSettings(single_valued_relations=["located_in"], supersede_by_date=False)
        )
        with pytest.raises(Conflict) as refused:
            look(database, home, invalidation.end_conflicts_by_date)
        assert refused.value.code == "superseding_off"

    def test_the_twin_tenant_sees_its_own(
        self, database: Database, settings: Settings, home: Home, take_in: TakeIn
    ) -> None:
        twin = make_home(database, "tenant-b")
        declare(database, twin)
        take_in(says(PARIS), says(LONDON))
        ingest_now(database, settings, twin, [says(PARIS)])
        assert look(database, twin, invalidation.list_conflicts) == []
        assert len(look(database, home, invalidation.list_conflicts)) == 1


class TestReaders:
    """Everything that reads facts leaves out what ended; as of an earlier moment it is there, with its
    quote.
    """

    def test_explain_lists_and_counts_leave_it_out_and_as_of_shows_what_was_said_to_hold_then(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021)

        def read(space: SpaceSession) -> None:
            def explained(**given: Any) -> Any:
                return graph.explain_and_record_recall(
                    space,
                    question="Where is Acme Corporation located?",
                    **given,
                )

            today = explained()
            assert {edge.quote for edge in today.edges} == {LONDON}
            assert today.contested == ()
            then = explained(filters=GraphFilters(as_of=datetime(2020, 1, 1, tzinfo=UTC)))
            # Nobody had said London by then.
            assert {edge.quote for edge in then.edges} == {PARIS}
            assert then.contested == ()
            assert {citation.evidence.quote for citation in then.citations} == {PARIS}
            (acme,) = graph.find_nodes(space, "Acme Corporation")
            assert {edge.quote for edge in graph.list_edges(space)} == {LONDON}
            assert {edge.quote for edge in graph.list_edges(space, node_id=acme.id)} == {LONDON}
            assert [
                relation_type_count.edges for relation_type_count in graph.count_relation_types(space)
            ] == [1]
            claims = graph.aggregate_edges_by_claim(space, node_id=acme.id)
            assert [claim.to_name for claim in claims] == ["London"]
            assert {
                edge.quote for edge in graph.fetch_neighborhood_and_record_recall(space, acme.id).edges
            } == {LONDON}

        look(database, home, read)

    def test_retrieval_and_communities_rest_on_what_holds(
        self, database: Database, settings: Settings, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021)
        retriever = Retriever(database, Embedders(), Settings())

        def retrieved(**given: Any) -> set[str | None]:
            query = Query("Where is Acme Corporation located?", **given)
            found = retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, query)
            return {fact.edge.quote for fact in found.facts}

        assert retrieved() == {LONDON}
        assert retrieved(as_of=datetime(2020, 1, 1, tzinfo=UTC)) == {PARIS}
        # The answer that is kept for a minute belongs to the graph of before.
        london = edge_of(database, home, LONDON)
        look(
            database, home, lambda s: invalidation.end_claim_by_person(s, london.id, reason=REASON, actor="a")
        )
        assert retrieved() == set()
        paris = edge_of(database, home, PARIS)
        look(database, home, lambda s: invalidation.undo_ending_decision(s, paris.id, actor="a"))
        assert retrieved() == {PARIS}
        retriever.close()

        look(database, home, enqueue_detection_or_run_waiting_now)
        handlers = {DetectCommunities.kind: detect_communities_and_write_reports}
        Runner(under(database, settings), settings, handlers).drain()
        found = look(database, home, communities.list_communities)
        cited = {edge for community in found for finding in community.findings for edge in finding.edge_ids}
        assert cited == {paris.id}
