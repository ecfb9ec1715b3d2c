"""A death, or the end of a group, in the ledger: told of one name, it ends what ends with it."""

from collections.abc import Callable
from itertools import permutations

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.domain.relation_types import EXISTS
from app.graph import service as graph
from app.graph.layout import repository as graph_view
from app.graph.resolution.shapes import Merge
from app.graph.write import merges
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.integration.test_space_import import bring, exported
from tests.support.contradictions import look, says
from tests.support.ingest import ingest_now
from tests.support.sampling import sampled

WORKS = "Bob Stone works for Acme Corporation."
MADE = "Bob Stone created Falcon Engine."
DIED = "Bob Stone died on 3 May 2019."
GONE = "Acme Corporation was dissolved in 2021."
State = dict[str, str]


@pytest.fixture
def take_in(database: Database, settings: Settings, home: Home) -> Callable[..., None]:
    def take(*sentences: tuple[str, str | None]) -> None:
        for sentence, date in sentences:
            ingest_now(database, settings, home, [says(sentence, date)])

    return take


def state(database: Database, home: Home) -> State:
    """Quote → `stands`, `denies`, or the day on which its claim ended."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT DISTINCT metadata ->> 'quote', CASE WHEN polarity = 'denied' THEN 'denies'"
            " ELSE coalesce(to_char(invalidated_at, 'YYYY-MM-DD'), 'stands') END FROM graph_edge"
        ).fetchall(),
    )
    return dict(rows)


def remove(database: Database, home: Home, sentence: str) -> None:
    def work(space: SpaceSession) -> None:
        (found,) = [
            document for document in documents.list_documents(space) if document.source_uri == sentence
        ]
        ingest.delete_document_with_all_its_words(space, DocumentId(found.id))

    look(database, home, work)


@pytest.mark.parametrize("order", sampled(permutations(range(3)), every=3))
def test_a_death_ends_the_job_and_not_the_work_whatever_came_first(
    database: Database, home: Home, take_in: Callable[..., None], order: tuple[int, ...]
) -> None:
    said = [(WORKS, "2010-01-01"), (MADE, "2011-01-01"), (DIED, "2019-06-01")]
    take_in(*(said[place] for place in order))
    assert state(database, home) == {WORKS: "2019-05-03", MADE: "stands", DIED: "denies"}


def test_the_end_of_a_group_ends_what_others_are_to_it(
    database: Database, home: Home, take_in: Callable[..., None]
) -> None:
    owned = "Zeta Corporation owns Acme Corporation."
    take_in((GONE, "2022-01-01"), (WORKS, "2010-01-01"), (owned, "2011-01-01"), (MADE, "2012-01-01"))
    assert state(database, home) == {GONE: "denies", WORKS: "2021-01-01", owned: "2021-01-01", MADE: "stands"}


def test_what_is_said_later_than_the_death_stands(
    database: Database, home: Home, take_in: Callable[..., None]
) -> None:
    take_in((DIED, "2019-06-01"), (WORKS, "2023-01-01"))
    assert state(database, home) == {DIED: "denies", WORKS: "stands"}


def test_deleted_it_gives_back_what_it_ended(
    database: Database, home: Home, take_in: Callable[..., None]
) -> None:
    take_in((WORKS, "2010-01-01"), (DIED, "2019-06-01"))
    remove(database, home, DIED)
    assert state(database, home)[WORKS] == "stands"


def test_a_merge_takes_it_along_and_its_undoing_gives_it_back(
    database: Database, home: Home, take_in: Callable[..., None]
) -> None:
    elsewhere = "Robert Stone died on 3 May 2019."
    take_in((WORKS, "2010-01-01"), (elsewhere, "2019-06-01"))
    assert state(database, home)[WORKS] == "stands"

    def merge(space: SpaceSession) -> Merge:
        ends = [graph.find_nodes(space, name)[0].id for name in ("Bob Stone", "Robert Stone")]
        return merges.merge_nodes_by_person(space, ends[0], ends[1], actor="a")

    made = look(database, home, merge)
    assert state(database, home) == {WORKS: "2019-05-03", elsewhere: "denies"}
    look(database, home, lambda space: merges.unmerge_nodes_by_person(space, made.id, actor="a"))
    assert state(database, home) == {WORKS: "stands", elsewhere: "denies"}


def test_the_dead_of_a_merge_stay_so(database: Database, home: Home, take_in: Callable[..., None]) -> None:
    other = "Robert Stone created Falcon Engine."
    take_in((WORKS, "2010-01-01"), (DIED, "2019-06-01"), (other, "2012-01-01"))

    def merge(space: SpaceSession) -> None:
        ends = [graph.find_nodes(space, name)[0].id for name in ("Bob Stone", "Robert Stone")]
        merges.merge_nodes_by_person(space, ends[0], ends[1], actor="a")

    look(database, home, merge)
    assert state(database, home) == {WORKS: "2019-05-03", DIED: "denies", other: "stands"}


def test_it_is_shown_as_no_relation(database: Database, home: Home, take_in: Callable[..., None]) -> None:
    take_in((WORKS, "2010-01-01"), (DIED, "2019-06-01"))

    def read(space: SpaceSession) -> None:
        (bob,) = graph.find_nodes(space, "Bob Stone")
        (acme,) = graph.find_nodes(space, "Acme Corporation")
        assert graph.list_edges(space) == []
        assert graph.fetch_neighborhood_and_record_recall(space, bob.id).edges == ()
        drawn = graph_view.list_claims_to_draw(space, [bob.id, acme.id], limit=10)
        assert EXISTS not in {claim.relation_type for claim in drawn}
        told = graph.explain_and_record_recall(space, from_="Bob Stone", to="Acme Corporation").denials
        assert EXISTS not in {denial.edge.relation_type for denial in told}

    look(database, home, read)


def test_an_export_brings_it_back(
    database: Database, home: Home, twin: Home, take_in: Callable[..., None]
) -> None:
    take_in((WORKS, "2010-01-01"), (DIED, "2019-06-01"))
    bring(database, twin, exported(database, home))
    assert state(database, twin) == {WORKS: "2019-05-03", DIED: "denies"}
