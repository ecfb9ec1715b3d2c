"""Denials in the ledger: documents that say that something is so, and later that it is not (issue 11)."""

from collections.abc import Callable
from itertools import permutations

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.graph import service as graph
from app.graph.resolution.shapes import Merge
from app.graph.write import merges
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.support.contradictions import look, says
from tests.support.ingest import ingest_now
from tests.support.sampling import sampled

WORKS = "Bob Stone works for Acme Corporation."
LEFT = "Bob Stone no longer works for Acme Corporation."
State = dict[str, list[str]]


@pytest.fixture
def take_in(database: Database, settings: Settings, home: Home) -> Callable[..., None]:
    def take(*sentences: tuple[str, str | None]) -> None:
        for sentence, date in sentences:
            address = f"{sentence} {date}"
            ingest_now(database, settings, home, [says(sentence, date, address=address)])

    return take


def state(database: Database, home: Home) -> State:
    """Quote → for each of its rows: `stands`, `denies`, or the day on which it ended."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT metadata ->> 'quote', CASE WHEN polarity = 'denied' THEN 'denies'"
            " ELSE coalesce(to_char(invalidated_at, 'YYYY-MM-DD'), 'stands') END FROM graph_edge"
            " WHERE relation_type = 'works_for' ORDER BY 1, 2"
        ).fetchall(),
    )
    found: State = {}
    for quote, standing in rows:
        found.setdefault(quote, []).append(standing)
    return found


def remove(database: Database, home: Home, sentence: str, *, prune: bool = False) -> None:
    def work(space: SpaceSession) -> None:
        (found,) = [
            document
            for document in documents.list_documents(space)
            if str(document.source_uri).startswith(sentence)
        ]
        ingest.delete_document_with_all_its_words(space, DocumentId(found.id), prune=prune)

    look(database, home, work)


class TestALaterDenial:
    @pytest.mark.parametrize("order", sampled(permutations(range(3)), every=3))
    def test_ends_the_claim_whatever_came_first(
        self, database: Database, home: Home, take_in: Callable[..., None], order: tuple[int, ...]
    ) -> None:
        said = [(WORKS, "2020-03-01"), (LEFT, "2024-05-01"), (WORKS, "2025-02-01")]
        take_in(*(said[place] for place in order))
        assert state(database, home) == {WORKS: ["2024-05-01", "stands"], LEFT: ["denies"]}

    def test_is_no_fact_for_whoever_reads_facts(
        self, database: Database, home: Home, take_in: Callable[..., None]
    ) -> None:
        take_in((LEFT, "2024-05-01"))

        def read(space: SpaceSession) -> None:
            (bob,) = graph.find_nodes(space, "Bob Stone")
            assert graph.list_edges(space) == []
            assert graph.fetch_neighborhood_and_record_recall(space, bob.id).edges == ()
            assert graph.count_relation_types(space) == []
            assert (
                graph.explain_and_record_recall(space, from_="Bob Stone", to="Acme Corporation").edges == ()
            )

        look(database, home, read)

    @pytest.mark.parametrize("prune", [False, True])
    def test_deleted_gives_back_what_it_ended(
        self, database: Database, home: Home, take_in: Callable[..., None], prune: bool
    ) -> None:
        take_in((WORKS, "2020-03-01"), (LEFT, "2024-05-01"))
        remove(database, home, LEFT, prune=prune)
        assert state(database, home)[WORKS] == ["stands"]
        take_in((LEFT, "2024-05-01"))
        assert state(database, home) == {WORKS: ["2024-05-01"], LEFT: ["denies"]}

    def test_replaced_gives_back_what_it_ended(
        self, database: Database, settings: Settings, home: Home, take_in: Callable[..., None]
    ) -> None:
        take_in((WORKS, "2020-03-01"))
        ingest_now(database, settings, home, [says(LEFT, "2024-05-01", address="hr/note")])
        assert state(database, home)[WORKS] == ["2024-05-01"]
        other = "Ann Lee works for Zeta Corporation."
        ingest_now(database, settings, home, [says(other, "2024-06-01", address="hr/note")])
        assert state(database, home)[WORKS] == ["stands"]

    def test_of_two_that_deny_the_other_goes_on(
        self, database: Database, home: Home, take_in: Callable[..., None]
    ) -> None:
        quit_ = "Bob Stone quit Acme Corporation."
        take_in((WORKS, "2020-03-01"), (LEFT, "2024-05-01"), (quit_, "2023-01-01"))
        assert state(database, home)[WORKS] == ["2023-01-01"]
        remove(database, home, quit_)
        assert state(database, home)[WORKS] == ["2024-05-01"]

    def test_read_again_changes_nothing(
        self, database: Database, settings: Settings, home: Home, take_in: Callable[..., None]
    ) -> None:
        take_in((WORKS, "2020-03-01"), (LEFT, "2024-05-01"))
        before = state(database, home)
        again = says(LEFT, "2024-05-01", address=f"{LEFT} 2024-05-01")
        ingest_now(database, settings, home, [again])
        assert state(database, home) == before

    def test_without_a_date_both_stand(
        self, database: Database, home: Home, take_in: Callable[..., None]
    ) -> None:
        take_in((WORKS, None), (LEFT, None))
        assert state(database, home) == {WORKS: ["stands"], LEFT: ["denies"]}

    def test_the_twin_tenant_is_not_touched(
        self, database: Database, settings: Settings, home: Home, twin: Home, take_in: Callable[..., None]
    ) -> None:
        ingest_now(database, settings, twin, [says(WORKS, "2020-03-01")])
        take_in((WORKS, "2020-03-01"), (LEFT, "2024-05-01"))
        assert state(database, twin) == {WORKS: ["stands"]}


class TestAMerge:
    def test_lets_a_denial_meet_what_it_denies_and_its_undoing_parts_them(
        self, database: Database, home: Home, take_in: Callable[..., None]
    ) -> None:
        elsewhere = "Robert Stone no longer works for Acme Corporation."
        take_in((WORKS, "2020-03-01"), (elsewhere, "2024-05-01"))
        assert state(database, home)[WORKS] == ["stands"]

        def merge(space: SpaceSession) -> Merge:
            ends = [graph.find_nodes(space, name)[0].id for name in ("Bob Stone", "Robert Stone")]
            return merges.merge_nodes_by_person(space, ends[0], ends[1], actor="a")

        made = look(database, home, merge)
        assert state(database, home)[WORKS] == ["2024-05-01"]
        look(database, home, lambda space: merges.unmerge_nodes_by_person(space, made.id, actor="a"))
        assert state(database, home) == {WORKS: ["stands"], elsewhere: ["denies"]}


def test_a_stated_span_ends_by_itself_and_is_kept_as_stated(
    database: Database, home: Home, take_in: Callable[..., None]
) -> None:
    span = "Bob Stone worked for Acme Corporation from 2010 to 2014."
    take_in((span, "2020-01-01"), (WORKS, "2012-06-01"))
    assert state(database, home) == {span: ["2015-01-01"], WORKS: ["2015-01-01"]}
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT to_char(valid_from, 'YYYY-MM-DD'), valid_from_precision, valid_from_basis,"
            " to_char(valid_to, 'YYYY-MM-DD'), valid_to_precision FROM graph_edge ORDER BY valid_from"
        ).fetchall(),
    )
    assert rows == [
        ("2010-01-01", "year", "sentence", "2014-01-01", "year"),
        ("2012-06-01", "day", "document", None, None),
    ]
    remove(database, home, span)
    assert state(database, home)[WORKS] == ["stands"]
