"""Retrieval on real rows (requirement 9): channels, scores, reasons, fall-backs, and the walls around all of
it.
"""

import secrets
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.db.session import OpenSession
from app.errors import InvalidInput, NotFound
from app.ids import SpaceId, TenantId, create_id
from app.llm.embedding.embedders import Embedders
from app.llm.embedding.hashed import HashedEmbedder
from app.llm.errors import ModelUnavailable
from app.retrieval import seeds
from app.retrieval.cache import AnswerCache
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, RetrievalResult, Scoring, Strategy
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.support.citus import table_locked
from tests.support.database_copies import copy_database, drop_database
from tests.support.ingest import corpus, ingest_now, text
from tests.support.pooler import as_app
from tests.workers.conftest import wait_until

pytestmark = pytest.mark.shared_database

QUESTION = "Who created PostGIS, and what does it depend on?"


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


class Down(Embedders):
    """A platform whose embedding server is down."""

    def get_embedder(self, *_: object, **__: object) -> Any:
        raise ModelUnavailable("down")


@pytest.fixture(scope="module")
def filled(
    admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Home]]:
    """A database in which the example corpus has been read by rules, and whose it is."""
    name = f"citegraph_corpus_{secrets.token_hex(4)}"
    copy_database(admin_url, name, template=template)
    url = admin_url.set(database=name)
    database = Database(
        create_app_engine(as_app(url).render_as_string(hide_password=False), Settings()), Settings()
    )
    home = make_home(database, "tenant-of-the-corpus")
    ingest_now(database, Settings(home=tmp_path_factory.mktemp("home")), home, corpus())
    database.dispose()
    yield name, home
    drop_database(admin_url, name)


@pytest.fixture
def privileged_url(request: pytest.FixtureRequest, admin_url: URL, filled: tuple[str, Home]) -> Iterator[URL]:
    """That template instead of an empty database; a copy of it where a test changes the library."""
    if request.node.get_closest_marker("new_database") is None:
        yield admin_url.set(database=filled[0])
        return
    name = f"citegraph_test_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=filled[0])
    yield admin_url.set(database=name)
    drop_database(admin_url, name)


@pytest.fixture
def library(filled: tuple[str, Home]) -> Home:
    """The space of the example corpus."""
    return filled[1]


@pytest.fixture
def retriever(database: Database) -> Retriever:
    """One with an empty cache."""
    return Retriever(database, Embedders(), Settings())


@pytest.fixture
def ask(retriever: Retriever, library: Home) -> Callable[..., RetrievalResult]:
    """Put a question to the example corpus."""

    def ask(question: str = QUESTION, **options: Any) -> RetrievalResult:
        return retriever.retrieve_and_record_recalls(
            library.tenant_id, library.space_id, Query(question, **options)
        )

    return ask


@pytest.fixture
def sent() -> Iterator[list[str]]:
    """The names of all statements that are sent."""
    recorded: list[str] = []
    original = OpenSession.send

    def send(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> Any:
        recorded.append(name)
        return original(self, name, parameters, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenSession, "send", send)
        yield recorded


class TestStrategies:
    """Requirement 9.3."""

    def test_hybrid_finds_the_passages_facts_and_paths_of_a_question(
        self, ask: Callable[..., RetrievalResult]
    ) -> None:
        found = ask()
        assert "PostGIS" in {anchor.node.canonical_name for anchor in found.anchors}
        assert found.passages[0].document_title == "postgis" or "PostGIS" in found.passages[0].text
        assert len(found.passages) == 10
        assert found.facts
        assert {fact.hop for fact in found.facts} <= {1, 2}
        assert found.explanation is not None
        assert found.explanation.paths
        assert found.warnings == ()

    def test_knowledge_only_asks_nothing_of_the_graph(
        self, ask: Callable[..., RetrievalResult], sent: list[str]
    ) -> None:
        found = ask(strategy=Strategy.KNOWLEDGE_ONLY)
        assert len(found.passages) == 10
        assert not found.facts
        assert found.explanation is None
        assert not {name for name in sent if name.startswith("graph.")}

    def test_graph_only_searches_neither_words_nor_vectors(
        self, ask: Callable[..., RetrievalResult], sent: list[str]
    ) -> None:
        found = ask(strategy=Strategy.GRAPH_ONLY)
        assert found.passages
        assert found.facts
        assert not {"retrieval.nearest_chunks", "retrieval.find_chunks_by_words"} & set(sent)

    def test_results_are_best_first_at_most_top_k_and_not_below_min_score(
        self, ask: Callable[..., RetrievalResult]
    ) -> None:
        found = ask(top_k=4, min_score=0.2)
        assert 1 <= len(found.passages) <= 4
        assert all(a.score >= b.score for a, b in pairwise(found.passages))
        assert all(0.2 <= passage.score <= 1 for passage in found.passages)


class TestScores:
    """Requirement 9.4."""

    @pytest.mark.parametrize("scoring", list(Scoring))
    def test_each_score_orders_and_is_in_the_breakdown(
        self, ask: Callable[..., RetrievalResult], scoring: Scoring
    ) -> None:
        found = ask(scoring=scoring)
        for passage in found.passages:
            assert passage.breakdown[scoring.value] == passage.score
            assert set(passage.breakdown) == {
                "walk", "text_overlap", "graph_distance", "temporal", "reference", "hybrid",
            }  # fmt: skip
        assert all(a.score >= b.score for a, b in pairwise(found.passages))

    def test_every_result_says_why_it_is_there(self, ask: Callable[..., RetrievalResult]) -> None:
        found = ask()
        assert all(passage.why for passage in found.passages)
        stating = [passage for passage in found.passages if passage.facts]
        edges = {fact.edge.id: fact.edge for fact in found.facts}
        for passage in stating:
            for edge_id in passage.facts:
                evidence = edges[edge_id].evidence
                assert evidence is not None
                assert evidence.chunk_id == passage.chunk_id
        assert any("It states:" in sentence for passage in stating for sentence in passage.why)

    def test_facts_are_scored_by_confidence_source_age_use_and_status(
        self, ask: Callable[..., RetrievalResult]
    ) -> None:
        for fact in ask().facts:
            assert set(fact.breakdown) == {"confidence", "source", "decay", "usage", "status"}
            assert fact.score == pytest.approx(np.prod(list(fact.breakdown.values())))
            assert fact.breakdown["source"] == 1.5  # files


class TestAnchors:
    """Requirements 9.1 and 9.2."""

    def test_a_name_like_the_question_is_taken_where_it_names_none(
        self, database: Database, library: Home
    ) -> None:
        question = "Michael R. Stonebrakerson"
        vector = HashedEmbedder().embed([question])[0]
        with database.open_space(library.tenant_id, library.space_id) as space:
            found = seeds.find_anchors_with_fallbacks(space, question, vector)
        assert any("Stonebraker" in anchor.node.canonical_name for anchor in found.anchors)
        assert len(found.anchors) <= 3
        assert found.warnings

    def test_without_vectors_a_word_that_begins_a_name_leads_there(
        self, database: Database, library: Home
    ) -> None:
        with database.open_space(library.tenant_id, library.space_id) as space:
            found = seeds.find_anchors_with_fallbacks(space, "which stonebraker said so", None)
        assert all(anchor.matched in ("stonebraker", "said") for anchor in found.anchors)


class TestFallBacks:
    """Requirement 9.2: always an answer, with a warning."""

    def test_without_embedding_words_and_the_graph_answer(self, database: Database, library: Home) -> None:
        found = Retriever(database, Down(), Settings()).retrieve_and_record_recalls(
            library.tenant_id, library.space_id, Query(QUESTION)
        )
        assert any("PostGIS" in passage.text for passage in found.passages[:3])
        assert any("could not be embedded" in sentence for sentence in found.warnings)

    def test_without_the_graph_plain_search_answers(
        self, retriever: Retriever, library: Home, privileged_url: URL
    ) -> None:
        """Somebody holds the mentions for longer than the graph may take."""
        with table_locked(privileged_url, "node_mention"):
            found = retriever.retrieve_and_record_recalls(
                library.tenant_id, library.space_id, Query(QUESTION, top_k=5)
            )
        assert any("PostGIS" in passage.text for passage in found.passages)
        assert any("The graph did not answer" in sentence for sentence in found.warnings)

    @pytest.mark.parametrize(
        "question", ["of the and", "a & | b ' or 1=1 --", "zzz qqq", "\\", "%_", "'" * 50]
    )
    def test_words_that_say_nothing_get_an_answer(
        self, ask: Callable[..., RetrievalResult], question: str
    ) -> None:
        assert ask(question).graph_revision > 0

    def test_an_empty_space_has_no_answer_and_no_fault(self, retriever: Retriever, home: Home) -> None:
        found = retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, Query(QUESTION))
        assert found.passages == ()
        assert found.facts == ()

    @pytest.mark.parametrize(
        ("query", "code"),
        [
            (Query(" "), "blank"),
            (Query("\u200b"), "blank"),
            (Query("x" * 1_001), "too_long"),
            (Query("a\x00b"), "invalid_characters"),
            (Query("a", top_k=0), "top_k_out_of_range"),
            (Query("a", top_k=101), "top_k_out_of_range"),
            (Query("a", min_score=float("nan")), "min_score_out_of_range"),
            (Query("a", as_of=datetime(2020, 1, 1)), "naive_time"),
        ],
    )
    def test_what_cannot_be_asked_is_refused(
        self, retriever: Retriever, home: Home, query: Query, code: str
    ) -> None:
        with pytest.raises(InvalidInput) as refused:
            retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, query)
        assert refused.value.code == code


class TestCache:
    """Requirement 9.6."""

    @pytest.mark.new_database("the test changes the library")
    def test_a_like_query_is_answered_from_the_cache_until_the_graph_changes(
        self, database: Database, settings: Settings, library: Home
    ) -> None:
        clock = [0.0]
        retriever = Retriever(database, Embedders(), settings, cache=AnswerCache(clock=lambda: clock[0]))

        def ask(question: str) -> RetrievalResult:
            return retriever.retrieve_and_record_recalls(library.tenant_id, library.space_id, Query(question))

        first = ask(QUESTION)
        again = ask(f"  {QUESTION} ")
        assert not first.cached
        assert again.cached
        assert again.passages == first.passages
        # Capitals tell names: in another case it may be answered otherwise, whatever was asked before.
        assert not ask(QUESTION.upper()).cached
        ingest_now(database, settings, library, [text("Refractions Research created PostGIS in Victoria.")])
        changed = ask(QUESTION)
        assert not changed.cached
        assert changed.graph_revision > first.graph_revision
        assert ask(QUESTION).cached
        clock[0] = 61.0
        assert not ask(QUESTION).cached

    @pytest.mark.new_database("the test changes the library")
    def test_what_is_often_asked_is_answered_anew_before_somebody_asks(
        self, database: Database, settings: Settings, retriever: Retriever, library: Home
    ) -> None:
        def ask(question: str) -> RetrievalResult:
            return retriever.retrieve_and_record_recalls(library.tenant_id, library.space_id, Query(question))

        for question in (QUESTION, QUESTION, QUESTION, "Who wrote System R?"):
            ask(question)
        ingest_now(database, settings, library, [text("Refractions Research created PostGIS in Victoria.")])
        assert not ask("What is Ingres?").cached
        # The same query comes from the cache once the thread has answered it; a rare one does not.
        wait_until(lambda: any(name.startswith("warming") for name in threads()), what="the thread")
        retriever.close()
        assert ask(QUESTION).cached
        assert not ask("Who wrote System R?").cached

    def test_another_space_never_gets_it(self, retriever: Retriever, library: Home, twin: Home) -> None:
        retriever.retrieve_and_record_recalls(library.tenant_id, library.space_id, Query(QUESTION))
        assert not retriever.retrieve_and_record_recalls(
            twin.tenant_id, twin.space_id, Query(QUESTION)
        ).cached


class TestWalls:
    """Section 6, item 12 of reliability.md."""

    def test_the_nearest_passage_of_another_space_never_appears(
        self, database: Database, settings: Settings, retriever: Retriever, library: Home, twin: Home
    ) -> None:
        """The twin's passage is the question itself, so nothing can be nearer."""
        ingest_now(database, settings, twin, [text(f"CANARY {QUESTION} PostGIS depends on CANARY.")])
        with database.open_space(library.tenant_id, library.space_id) as space:
            own = {row[0] for row in space.connection.execute("SELECT id FROM knowledge_chunk")}
        for strategy in Strategy:
            query = Query(QUESTION, strategy=strategy, top_k=20)
            found = retriever.retrieve_and_record_recalls(library.tenant_id, library.space_id, query)
            assert found.passages
            assert {passage.chunk_id for passage in found.passages} <= own
            assert "CANARY" not in str(found)

    def test_a_foreign_space_is_not_found(self, retriever: Retriever, library: Home, twin: Home) -> None:
        for tenant, space in ((twin.tenant_id, library.space_id), (library.tenant_id, SpaceId(create_id()))):
            with pytest.raises(NotFound):
                retriever.retrieve_and_record_recalls(TenantId(tenant), space, Query(QUESTION))

    def test_the_search_for_words_sees_the_open_space_alone(
        self, database: Database, library: Home, twin: Home, privileged_url: URL
    ) -> None:
        """It runs as a role that row security does not hold: what it is asked must not widen it."""
        widened = f"'space:{library.space_id}' | 'postgi'"
        # As the searches do: on a cluster the anchor is what sends it to a shard.
        query = (
            "SELECT count(*) FROM space_anchor, chunk_matches(%s::tsquery, '{}', 1000)"
            " WHERE knowledge_space_id = %s"
        )
        with database.open_space(twin.tenant_id, twin.space_id) as space:
            assert space.connection.execute(query, [widened, twin.space_id]).fetchone() == (0,)
        with database.open_space(library.tenant_id, library.space_id) as space:
            row = space.connection.execute(query, ["'postgi'", library.space_id]).fetchone()
            assert row is not None
            assert row[0] > 0
        with database.open_tenant(library.tenant_id) as tenant:
            assert tenant.connection.execute(query, [widened, library.space_id]).fetchone() == (0,)
        with psycopg.connect(convert_to_conninfo(privileged_url)) as connection:
            owner, definer = connection.execute(
                "SELECT pg_get_userbyid(proowner), prosecdef FROM pg_proc WHERE proname = 'chunk_matches'"
            ).fetchone() or (None, None)
            assert (owner, definer) == ("citegraph_search", True)
            may = connection.execute(
                "SELECT array_agg(table_name::text || ' ' || privilege_type) FROM"
                " information_schema.role_table_grants WHERE grantee = 'citegraph_search'"
            ).fetchone()
            assert may == (["knowledge_chunk SELECT"],)


class TestTime:
    """`as_of` sees the claims that held then."""

    def test_an_ended_claim_is_seen_at_its_time_only(
        self, database: Database, settings: Settings, retriever: Retriever, home: Home
    ) -> None:
        ingest_now(database, settings, home, [text("Kestrel depends on Postgres.")])
        ended = datetime(2020, 1, 1, tzinfo=UTC)
        with database.open_space(home.tenant_id, home.space_id) as space:
            space.connection.execute("UPDATE graph_edge SET invalidated_at = %s", [ended])

        def facts(as_of: datetime | None) -> int:
            query = Query("What does Kestrel depend on?", as_of=as_of)
            return len(retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, query).facts)

        assert facts(None) == 0
        assert facts(datetime(2019, 1, 1, tzinfo=UTC)) == 1
        assert facts(datetime(2021, 1, 1, tzinfo=UTC)) == 0


def test_the_number_of_statements_does_not_grow_with_the_answer(
    database: Database, settings: Settings, retriever: Retriever, library: Home, sent: list[str]
) -> None:
    """One for the subgraph, where the issue allows two; in all a fixed number, however much is found."""
    small = make_home(database, "tenant-small")
    ingest_now(
        database, settings, small, [text("Refractions Research created PostGIS. PostGIS depends on GEOS.")]
    )
    counted = []
    for home in (small, library):
        sent.clear()
        retriever.retrieve_and_record_recalls(
            home.tenant_id, home.space_id, Query("Who created PostGIS?", top_k=50)
        )
        counted.append(list(sent))
    assert counted[0] == counted[1]
    assert sent.count("retrieval.fetch_subgraph") == 1
    # Nothing of the explanation waits behind it: the one is put together while Postgres is at the other.
    assert set(sent[sent.index("retrieval.fetch_subgraph") + 1 :]) <= {
        "retrieval.get_fact_details",
        "retrieval.get_passages",
        "retrieval.find_summaries_of_named_anchors",
    }
    assert len(sent) <= 13
