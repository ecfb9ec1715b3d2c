"""Claims that end (issue 5, point 5): by a later dated source or a person, by the ledger alone, and undone
exactly.
"""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import Submission
from app.errors import Conflict, InvalidInput, NotFound
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.invalidation.shapes import ConflictStatus, EndedBy, InvalidationScope
from app.graph.resolution.shapes import Merge
from app.graph.write import merges
from app.ids import DocumentId, EdgeId
from app.ingest import service as ingest
from app.ingest.job import begin_and_end_due_claims
from app.jobs.kinds import BeginClaims
from app.jobs.states import StopRequested
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.contradictions import (
    LONDON,
    LONDON_2021,
    PARIS,
    PARIS_2019,
    REASON,
    TakeIn,
    declare,
    edge_of,
    ledger,
    look,
    places,
    says,
    taker,
)
from tests.support.ingest import ingest_now, make_runner, submit
from workers.runner import Runner

pytestmark = pytest.mark.shared_database


@pytest.fixture
def take_in(database: Database, settings: Settings, home: Home) -> TakeIn:
    return taker(database, settings, home)


def other_bytes(sentence: str, front_matter: str) -> Submission:
    """A document of the very same text, which is not the same content."""
    raw = f"---\n{front_matter}\n---\n\n{sentence}\n".encode()
    return Submission(raw, "markdown", "Note", source_uri=front_matter)


class TestALaterDatedSource:
    def test_ends_the_earlier_value_at_its_own_date(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021)
        assert places(database, home) == {"Paris": ["2021-04-01"], "London": [None]}
        (entry,) = look(database, home, invalidation.list_endings)
        source = edge_of(database, home, LONDON)
        assert entry.kind is EndedBy.SOURCE
        assert (entry.source_edge_id, entry.source_chunk_id) == (source.id, source.evidence.chunk_id)  # type: ignore[union-attr]
        assert entry.claim_dated_at == datetime(2019, 3, 1, tzinfo=UTC)
        assert entry.invalidated_at == datetime(2021, 4, 1, tzinfo=UTC)
        assert entry.reason

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
    def test_the_order_of_ingests_does_not_matter(
        self, database: Database, home: Home, take_in: TakeIn, order: tuple[int, ...]
    ) -> None:
        all_three = [PARIS_2019, LONDON_2021, says("Acme Corporation is located in Rome.", "2023-01-01")]
        take_in(*(all_three[place] for place in order))
        found = places(database, home)
        assert {name: rows[0] for name, rows in found.items()} == {
            "Paris": "2021-04-01",
            "London": "2023-01-01",
            "Rome": None,
        }
        holding = [row for row in ledger(database, home) if row[2]]
        assert sorted(holding) == [("London", "source", True), ("Paris", "source", True)]

    def test_undated_nothing_is_ended_and_both_quotes_are_shown(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(says(PARIS), LONDON_2021)
        assert places(database, home) == {"Paris": [None], "London": [None]}
        (found,) = look(database, home, invalidation.list_conflicts)
        assert found.status is ConflictStatus.CONTESTED
        assert {row.edge.quote for value in found.values for row in value.rows} == {PARIS, LONDON}

    def test_a_turn_of_a_conversation_has_the_time_at_which_it_was_said(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        turns = f'[{{"speaker": "Ann", "text": "{LONDON}", "time": "2022-05-05T10:00:00Z"}}]'
        take_in(PARIS_2019, Submission(turns.encode(), "conversation", "talk"))
        assert places(database, home) == {"Paris": ["2022-05-05"], "London": [None]}

    def test_front_matter_dates_a_markdown_document(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        dated = f"---\ndate: 2022-06-07\n---\n\n{LONDON}\n"
        take_in(PARIS_2019, Submission(dated.encode(), "markdown", "note"))
        assert places(database, home) == {"Paris": ["2022-06-07"], "London": [None]}

    def test_only_where_the_space_wants_it(self, database: Database, home: Home, take_in: TakeIn) -> None:
        for number, own in enumerate(
            (
                SpaceSettings(),
                SpaceSettings(single_valued_relations=["located_in"], supersede_by_date=False),
                SpaceSettings(single_valued_relations=["owns"]),
            )
        ):
            declare(database, home, own)
            name = f"Ac{'xyz'[number]} Corporation"
            take_in(
                says(f"{name} is located in Paris.", "2019-03-01"),
                says(f"{name} is located in London.", "2021-04-01"),
            )
        assert places(database, home) == {"Paris": [None] * 3, "London": [None] * 3}
        assert ledger(database, home) == []

    def test_a_retried_job_changes_nothing(
        self, database: Database, settings: Settings, home: Home, take_in: TakeIn
    ) -> None:
        """A worker that is told to stop after each step in turn, and goes on, leaves what one run leaves."""
        take_in(PARIS_2019)
        submit(database, home, LONDON_2021)
        steps = {"entered", "chunked", "nodes", "edges", "finished"}

        def checkpoint(step: str) -> None:
            if step in steps:
                steps.remove(step)
                raise StopRequested

        make_runner(database, settings, checkpoint=checkpoint).drain()
        assert steps == set()
        assert places(database, home) == {"Paris": ["2021-04-01"], "London": [None]}
        assert ledger(database, home) == [("Paris", "source", True)]

    def test_a_pruned_source_gives_back_what_it_ended(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021, says("Acme Corporation is located in Rome.", "2023-01-01"))

        def remove(space: SpaceSession) -> None:
            (london,) = [
                document for document in documents.list_documents(space) if document.source_uri == LONDON
            ]
            ingest.delete_document_with_all_its_words(space, DocumentId(london.id), prune=True)

        look(database, home, remove)
        # Rome is later than Paris too.
        assert places(database, home) == {"Paris": ["2023-01-01"], "Rome": [None]}

    def test_an_edge_that_a_merge_put_away_returns_as_the_ledger_has_it(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        """Acme and Paris were merged by mistake; London's document goes before that is undone."""
        take_in(PARIS_2019, LONDON_2021)

        def merge(space: SpaceSession) -> Merge:
            ends = [graph.find_nodes(space, name)[0].id for name in ("Acme Corporation", "Paris")]
            return merges.merge_nodes_by_person(space, ends[0], ends[1], actor="a")

        def remove(space: SpaceSession) -> None:
            (london,) = [
                document for document in documents.list_documents(space) if document.source_uri == LONDON
            ]
            ingest.delete_document_with_all_its_words(space, DocumentId(london.id), prune=True)

        kept = look(database, home, merge)
        look(database, home, lambda space: merges.unmerge_nodes_by_person(space, kept.id, actor="a"))
        assert places(database, home) == {"Paris": ["2021-04-01"], "London": [None]}
        merged = look(database, home, merge)
        assert places(database, home) == {"London": [None]}
        look(database, home, remove)
        look(database, home, lambda space: merges.unmerge_nodes_by_person(space, merged.id, actor="a"))
        assert places(database, home) == {"Paris": [None]}

    def test_a_source_deleted_without_pruning_gives_back_what_it_ended_too(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        """Its edge stays as a row without evidence, and ends nothing."""
        take_in(PARIS_2019, LONDON_2021)

        def remove(space: SpaceSession) -> None:
            (london,) = [
                document for document in documents.list_documents(space) if document.source_uri == LONDON
            ]
            ingest.delete_document_with_all_its_words(space, DocumentId(london.id))

        look(database, home, remove)
        take_in(says("Acme Corporation is located in Oslo."))
        found = places(database, home)
        assert (found["Paris"], found["Oslo"], "London" in found) == ([None], [None], False)

    def test_the_same_claim_read_again_does_not_return_in_silence(
        self, database: Database, settings: Settings, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021)
        again = says(f"{PARIS}\n", "2019-03-01", address=PARIS)
        ingest_now(database, settings, home, [again])
        assert places(database, home)["Paris"][0] == "2021-04-01"

    def test_a_new_undated_source_of_an_ended_claim_is_contested_not_hidden(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021, says(f"{PARIS} That is all.", address="rumour"))
        assert places(database, home) == {"Paris": ["2021-04-01", None], "London": [None]}
        (found,) = look(database, home, lambda space: invalidation.list_conflicts(space, only_contested=True))
        assert found.status is ConflictStatus.CONTESTED

    def test_the_same_words_of_a_later_date_are_a_claim_of_their_own(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        """Acme moved back, and the note says so in the words of the first one."""
        take_in(PARIS_2019, LONDON_2021, other_bytes(PARIS, "date: 2023-05-01"))
        assert places(database, home) == {"Paris": ["2021-04-01", None], "London": ["2023-05-01"]}

    def test_the_same_words_in_another_document_are_not_hidden_by_what_ended_before(
        self, database: Database, settings: Settings, home: Home, take_in: TakeIn
    ) -> None:
        take_in(says(PARIS), says(LONDON))
        paris = edge_of(database, home, PARIS)
        look(
            database, home, lambda s: invalidation.end_claim_by_person(s, paris.id, reason=REASON, actor="a")
        )
        submit(database, home, other_bytes(PARIS, "by: somebody else"))
        stop = {"edges"}

        def checkpoint(step: str) -> None:
            if step in stop:
                stop.remove(step)
                raise StopRequested

        # Stopped once the edges are written, and begun anew: still one row more.
        make_runner(database, settings, checkpoint=checkpoint).drain()
        found = places(database, home)
        assert [ended is not None for ended in found["Paris"]] == [True, False]
        (conflict,) = look(database, home, invalidation.list_conflicts)
        assert conflict.status is ConflictStatus.CONTESTED
        rows = [row.edge for value in conflict.values for row in value.rows if row.edge.quote == PARIS]
        assert len({row.evidence.document_id for row in rows if row.evidence}) == 2

    def test_a_job_asks_for_all_its_claims_at_once(
        self, database: Database, home: Home, take_in: TakeIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As many statements for twelve subjects as for one, and none where nothing is declared."""
        sent: list[str] = []
        run = SpaceSession.run

        def recorded(self: SpaceSession, name: str, *arguments: Any, **options: Any) -> Any:
            sent.append(name)
            return run(self, name, *arguments, **options)

        monkeypatch.setattr(SpaceSession, "run", recorded)
        names = [f"{first}{last} Corporation" for first in ("Al", "Be", "Cor") for last in "xyzw"]
        for place, date in (("Paris", "2019-03-01"), ("London", "2021-04-01")):
            sentences = " ".join(f"{name} is located in {place}." for name in names)
            sent.clear()
            take_in(says(sentences, date))
            assert sent.count("graph.list_dated_rows_of_claims") == 1
        assert sent.count("graph.end_edges_and_list_newly_ended") == 1
        assert [claim.to_name for claim in look(database, home, invalidation.list_endings)] == [
            "Paris"
        ] * len(names)
        declare(database, home, SpaceSettings())
        sent.clear()
        take_in(says("Zeta Corporation is located in Paris."))
        assert "graph.list_dated_rows_of_claims" not in sent

    def test_the_twin_tenant_is_not_touched(
        self, database: Database, settings: Settings, home: Home, twin: Home, take_in: TakeIn
    ) -> None:
        declare(database, twin)
        ingest_now(database, settings, twin, [PARIS_2019])
        take_in(PARIS_2019, LONDON_2021)
        assert places(database, twin) == {"Paris": [None]}
        theirs = edge_of(database, twin, PARIS)
        for call in (
            lambda space: invalidation.get_edge_with_ledger(space, theirs.id),
            lambda space: invalidation.end_claim_by_person(space, theirs.id, reason=REASON, actor="a"),
            lambda space: invalidation.undo_ending_decision(space, theirs.id, actor="a"),
        ):
            with pytest.raises(NotFound):
                look(database, home, call)
        assert places(database, twin) == {"Paris": [None]}
        assert ledger(database, twin) == []


class TestAPerson:
    @pytest.fixture
    def two_rows(self, take_in: TakeIn) -> None:
        """Two documents that say Paris, one that says London; none dated."""
        take_in(says(PARIS), says(f"It is known that {PARIS}", address="second"), says(LONDON))

    @pytest.mark.usefixtures("two_rows")
    def test_ends_a_claim_with_all_its_rows_and_restores_exactly_these(
        self, database: Database, home: Home
    ) -> None:
        def rows(space: SpaceSession) -> list[Any]:
            return space.connection.execute("SELECT to_jsonb(e) FROM graph_edge e ORDER BY e.id").fetchall()

        before = look(database, home, rows)
        paris = edge_of(database, home, PARIS)
        made = look(
            database,
            home,
            lambda space: invalidation.end_claim_by_person(
                space, paris.id, reason=f" {REASON} ", actor="key-1"
            ),
        )
        assert {(decision.kind, decision.decided_by, decision.reason) for decision in made} == {
            (EndedBy.PERSON, "key-1", REASON)
        }
        assert len(made) == 2
        assert len({decision.decision_id for decision in made}) == 1
        found = places(database, home)
        assert all(found["Paris"])
        assert found["London"] == [None]
        undone = look(
            database,
            home,
            lambda space: invalidation.undo_ending_decision(space, made[1].edge_id, actor="key-2"),
        )
        assert {decision.undone_by for decision in undone} == {"key-2"}
        assert look(database, home, rows) == before

    @pytest.mark.usefixtures("two_rows")
    def test_may_end_one_row_alone(self, database: Database, home: Home) -> None:
        paris = edge_of(database, home, PARIS)
        look(
            database,
            home,
            lambda space: invalidation.end_claim_by_person(
                space, paris.id, reason=REASON, actor="a", scope=InvalidationScope.EDGE
            ),
        )
        assert [ended is not None for ended in places(database, home)["Paris"]] == [True, False]

    @pytest.mark.usefixtures("two_rows")
    def test_restoring_leaves_what_another_decision_ended(self, database: Database, home: Home) -> None:
        """One row was ended alone first: the claim's end, and its undoing, do not touch that one."""
        paris = edge_of(database, home, PARIS)

        def decide(space: SpaceSession) -> None:
            invalidation.end_claim_by_person(
                space, paris.id, reason="first", actor="a", scope=InvalidationScope.EDGE
            )
            other = edge_of(database, home, f"It is known that {PARIS}")
            made = invalidation.end_claim_by_person(space, other.id, reason="second", actor="a")
            assert [decision.edge_id for decision in made] == [other.id]
            invalidation.undo_ending_decision(space, other.id, actor="a")

        look(database, home, decide)
        assert [ended is not None for ended in places(database, home)["Paris"]] == [True, False]

    @pytest.mark.usefixtures("two_rows")
    def test_every_decision_raises_the_revision_and_leaves_an_audit_row(
        self, database: Database, home: Home
    ) -> None:
        paris = edge_of(database, home, PARIS)

        def revision(space: SpaceSession) -> int:
            return spaces.get_open_space_row(space).graph_revision

        seen = [look(database, home, revision)]
        look(
            database, home, lambda s: invalidation.end_claim_by_person(s, paris.id, reason=REASON, actor="a")
        )
        seen.append(look(database, home, revision))
        look(database, home, lambda s: invalidation.undo_ending_decision(s, paris.id, actor="a"))
        seen.append(look(database, home, revision))
        assert seen == sorted(set(seen))
        with database.open_tenant(home.tenant_id) as tenant:
            actions = tenant.connection.execute(
                "SELECT action, target_id, actor FROM audit_event WHERE action LIKE 'edge.%' ORDER BY id"
            ).fetchall()
        assert actions == [("edge.invalidate", paris.id, "a"), ("edge.restore", paris.id, "a")]

    @pytest.mark.usefixtures("two_rows")
    def test_what_cannot_be_decided_is_refused_and_changes_nothing(
        self, database: Database, home: Home
    ) -> None:
        paris = edge_of(database, home, PARIS)

        def end(**given: Any) -> Callable[[SpaceSession], Any]:
            return lambda space: invalidation.end_claim_by_person(
                space, given.pop("edge", paris.id), **{"reason": REASON, "actor": "a", **given}
            )

        refusals: list[tuple[Any, type[Exception], str]] = [
            (end(reason="  "), InvalidInput, "blank"),
            (end(reason="x" * 1_001), InvalidInput, "too_long"),
            (end(ended_at=datetime.now(UTC) + timedelta(days=1)), InvalidInput, "time_to_come"),
            (end(ended_at=datetime(2020, 1, 1)), InvalidInput, "naive_time"),
            (end(edge=EdgeId(uuid4())), NotFound, "not_found"),
            (
                lambda s: invalidation.undo_ending_decision(s, paris.id, actor="a"),
                Conflict,
                "not_invalidated",
            ),
        ]
        for call, kind, code in refusals:
            with pytest.raises(kind) as refused:
                look(database, home, call)
            assert refused.value.code == code  # type: ignore[attr-defined]
        assert ledger(database, home) == []
        look(database, home, end())
        with pytest.raises(Conflict) as twice:
            look(database, home, end())
        assert twice.value.code == "already_invalidated"

    def test_may_say_since_when(self, database: Database, home: Home, take_in: TakeIn) -> None:
        take_in(says(PARIS))
        paris, at = edge_of(database, home, PARIS), datetime(2020, 2, 2, tzinfo=UTC)
        look(
            database,
            home,
            lambda space: invalidation.end_claim_by_person(
                space, paris.id, reason=REASON, actor="a", ended_at=at
            ),
        )
        assert places(database, home) == {"Paris": ["2020-02-02"]}

    def test_what_a_person_took_back_from_a_source_no_source_ends_again(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        take_in(PARIS_2019, LONDON_2021)
        paris = edge_of(database, home, PARIS)
        look(database, home, lambda space: invalidation.undo_ending_decision(space, paris.id, actor="a"))
        take_in(says("Acme Corporation is located in Rome.", "2023-01-01"))
        assert places(database, home) == {"Paris": [None], "London": ["2023-01-01"], "Rome": [None]}

    def test_a_source_does_not_outweigh_a_persons_word(
        self, database: Database, home: Home, take_in: TakeIn
    ) -> None:
        """London was ended by a person: it ends nothing, and the ingest that reads on leaves it so."""
        take_in(says(LONDON, "2021-04-01"))
        london = edge_of(database, home, LONDON)
        look(
            database, home, lambda s: invalidation.end_claim_by_person(s, london.id, reason=REASON, actor="a")
        )
        take_in(PARIS_2019)
        assert places(database, home)["Paris"] == [None]
        assert ledger(database, home) == [("London", "person", True)]

    @pytest.mark.usefixtures("two_rows")
    def test_of_many_who_decide_at_once_one_does(self, database: Database, home: Home) -> None:
        """Two end and two restore, again and again: no row is lost or doubled, whoever comes first."""
        paris = edge_of(database, home, PARIS)
        start = threading.Barrier(4)
        outcomes: list[str] = []
        refused_with: set[str] = set()

        def end(space: SpaceSession) -> None:
            invalidation.end_claim_by_person(space, paris.id, reason=REASON, actor="a")

        def restore(space: SpaceSession) -> None:
            invalidation.undo_ending_decision(space, paris.id, actor="a")

        def work(call: Callable[[SpaceSession], None]) -> None:
            start.wait()
            for _ in range(5):
                try:
                    look(database, home, call)
                    outcomes.append(call.__name__)
                except Conflict as refused:
                    refused_with.add(refused.code)

        threads = [threading.Thread(target=work, args=(action,)) for action in (end, restore, end, restore)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused_with <= {"already_invalidated", "not_invalidated"}
        holding = [row for row in ledger(database, home) if row[2]]
        ends, restores = outcomes.count("end"), outcomes.count("restore")
        assert ends - restores in (0, 1)
        assert ends >= 1
        assert len(holding) == 2 * (ends - restores)
        assert len(ledger(database, home)) == 2 * ends
        assert [ended_at is not None for ended_at in places(database, home)["Paris"]] == [ends > restores] * 2


def standing_claims(database: Database, home: Home) -> list[tuple[bool]]:
    standing = "SELECT invalidated_at IS NULL FROM graph_edge WHERE knowledge_space_id = %s"
    rows: list[tuple[bool]] = look(
        database, home, lambda space: space.connection.execute(standing, [home.space_id]).fetchall()
    )
    return rows


def test_what_begins_later_holds_from_the_day_on(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(
        database, settings, home, [says("Ada Stone works for Acme Corporation since 2095.", "2024-01-01")]
    )
    assert standing_claims(database, home) == [(False,)]
    with database.open_space(home.tenant_id, home.space_id) as space:
        for table, column in (("graph_edge", "valid_from"), ("edge_invalidation", "invalidated_at")):
            space.connection.execute(
                f"UPDATE {table} SET {column} = '2025-01-01' WHERE knowledge_space_id = %s", [home.space_id]
            )
        space.connection.execute(
            "UPDATE job SET run_after = now() WHERE knowledge_space_id = %s AND kind = 'claims.begin'",
            [home.space_id],
        )
    assert Runner(database, settings, {BeginClaims.kind: begin_and_end_due_claims}).drain() == 1
    assert standing_claims(database, home) == [(True,)]
