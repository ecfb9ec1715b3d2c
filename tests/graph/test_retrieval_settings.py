"""The numbers of requirements 3.3 and 9: defaults of the platform, overridden by the platform's or the
space's own.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from app.db.database import Database
from app.documents.shapes import SourceKind
from app.domain.scoring.relevance import FactWeights
from app.llm.embedding.embedders import Embedders
from app.llm.embedding.hashed import HashedEmbedder
from app.retrieval import seeds
from app.retrieval.cache import AnswerCache
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, RetrievalResult
from app.settings import Settings
from app.space_settings import SOURCE_KINDS, EffectiveSettings, SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.graph.conftest import opened
from tests.support.summaries import take_in

pytestmark = pytest.mark.shared_database

SOURCES = {"user_edit": 2.0, "file": 1.5, "system": 1.2, "conversation": 1.0}
DEFAULTS: dict[str, Any] = {
    "promotion_threshold": 3,
    "fan_out": 10,
    "max_tags": 8,
    "max_facts": 30,
    "similar_anchors": 3,
    "anchor_similarity": 0.55,
    "hybrid_weights": [0.5, 0.2, 0.1, 0.2],
    "fact_source_weights": SOURCES,
    "fact_decay": 0.05,
    "fact_grace_days": 7,
    "fact_usage_boost": 0.5,
    "fact_confirmed_weight": 1.2,
    "answer_cache_seconds": 60,
}
OTHERS: dict[str, Any] = {
    "promotion_threshold": 2,
    "fan_out": 4,
    "max_tags": 6,
    "max_facts": 5,
    "similar_anchors": 1,
    "anchor_similarity": 0.8,
    "hybrid_weights": [1.0, 0.0, 0.0, 3.0],
    "fact_source_weights": {"user_edit": 1.0, "file": 0.5, "system": 0.0, "conversation": 4.0},
    "fact_decay": 0.5,
    "fact_grace_days": 0.0,
    "fact_usage_boost": 2.0,
    "fact_confirmed_weight": 3.0,
    "answer_cache_seconds": 5.0,
}


def numbers_of(settings: EffectiveSettings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in DEFAULTS}


WRONG: list[dict[str, Any]] = [
    {"promotion_threshold": 0},
    {"fan_out": 0},
    {"max_tags": 0},
    {"max_tags": 9},
    {"max_facts": 501},
    {"similar_anchors": 0},
    {"anchor_similarity": 1.1},
    {"anchor_similarity": float("nan")},
    {"hybrid_weights": [0.5, 0.2, 0.1]},
    {"hybrid_weights": [0.5, 0.2, 0.1, -0.2]},
    {"hybrid_weights": [0.5, 0.2, 0.1, float("inf")]},
    {"hybrid_weights": [0.0, 0.0, 0.0, 0.0]},
    {"fact_source_weights": {"file": 1.5}},
    {"fact_source_weights": {**SOURCES, "rumour": 1.0}},
    {"fact_source_weights": {**SOURCES, "file": float("nan")}},
    {"fact_source_weights": dict.fromkeys(SOURCES, 0.0)},
    {"fact_decay": 1.5},
    {"fact_grace_days": -1.0},
    {"fact_usage_boost": -0.5},
    {"fact_confirmed_weight": float("inf")},
    {"answer_cache_seconds": -1.0},
]
FACTS = (
    "[Wheel|Product] uses [Gear|Product].\n[Wheel|Product] uses [Axle|Product].\n[Gear|Product] uses"
    " [Tooth|Product]."
)
QUESTION = "What does the Wheel use?"


def settle(database: Database, home: Home, **own: Any) -> None:
    """Give the space these settings and no others."""
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=SpaceSettings(**own))


@pytest.fixture
def drawn(database: Database, settings: Settings, home: Home, twin: Home) -> tuple[Home, Home]:
    """Two like spaces of a passage with three facts, the strongest confirmed and recalled nine times a year
    ago.
    """
    for where in (home, twin):
        take_in(database, settings, where, FACTS)
        with opened(database, where) as space:
            space.connection.execute(
                "UPDATE graph_edge e SET weight = 1.0 - n.place / 10.0,"
                " status = CASE WHEN n.place = 1 THEN 'confirmed' ELSE 'staged' END"
                " FROM (SELECT id, CASE WHEN canonical_name = 'Gear' THEN 1 WHEN canonical_name = 'Axle'"
                " THEN 2 ELSE 3 END AS place FROM graph_node) AS n WHERE n.id = e.to_node_id"
            )
            space.connection.execute(
                "INSERT INTO edge_recall (knowledge_space_id, edge_id, recall_count, total_score,"
                " last_recalled_at) SELECT knowledge_space_id, id, 9, 9, now() - interval '364 days' FROM"
                " graph_edge WHERE status = 'confirmed'"
            )
    return home, twin


@pytest.fixture
def ask(database: Database) -> Iterator[Callable[[Home], RetrievalResult]]:
    """Put the question to a space, past the cache."""
    platform = Settings(answer_cache_seconds=0)
    retriever = Retriever(under(database, platform), Embedders(), platform)
    yield lambda home: retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, Query(QUESTION))
    retriever.close()


class TestEachLevel:
    def test_the_defaults_are_the_numbers_of_the_requirements(self, database: Database, home: Home) -> None:
        with opened(database, home) as space:
            assert numbers_of(space.settings) == DEFAULTS
        assert FactWeights() == FactWeights(
            sources=SOURCES, decay=0.05, grace=timedelta(weeks=1), usage=0.5, confirmed=1.2
        )
        assert tuple(SourceKind) == SOURCE_KINDS

    def test_each_is_a_setting_of_the_platform_and_of_a_space(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        with opened(under(database, Settings(**OTHERS)), home) as space:
            assert numbers_of(space.settings) == OTHERS
        settle(database, home, **OTHERS)
        with opened(database, home) as space:
            assert numbers_of(space.settings) == OTHERS
        with opened(database, twin) as space:
            assert numbers_of(space.settings) == DEFAULTS

    def test_a_space_goes_before_the_platform(self, database: Database, home: Home) -> None:
        own = {"fan_out": 7, "fact_source_weights": SOURCES, "answer_cache_seconds": 0}
        settle(database, home, **own)
        with opened(under(database, Settings(**OTHERS)), home) as space:
            assert numbers_of(space.settings) == OTHERS | own

    @pytest.mark.parametrize("wrong", WRONG, ids=str)
    @pytest.mark.parametrize("whose", [Settings, SpaceSettings])
    def test_what_makes_no_sense_is_refused(
        self, whose: type[Settings | SpaceSettings], wrong: dict[str, Any]
    ) -> None:
        with pytest.raises(ValidationError) as refused:
            whose(**wrong)
        assert refused.value.errors()[0]["loc"][0] in wrong


class TestOutcome:
    """Each in one of two like spaces; the other one answers as ever."""

    def test_3_3_established_by_the_spaces_own_threshold(
        self, database: Database, drawn: tuple[Home, Home], ask: Callable[[Home], RetrievalResult]
    ) -> None:
        settle(database, drawn[0], promotion_threshold=1)
        assert {node.established for node in ask(drawn[0]).nodes} == {True}
        assert {node.established for node in ask(drawn[1]).nodes} == {False}

    def test_3_3_the_threshold_is_a_factor_of_ranking(
        self, database: Database, drawn: tuple[Home, Home], ask: Callable[[Home], RetrievalResult]
    ) -> None:
        """Three references count for three quarters where one mention makes a node established, else for
        half.
        """
        settle(database, drawn[0], promotion_threshold=1)
        shares = [max(passage.breakdown["reference"] for passage in ask(home).passages) for home in drawn]
        assert shares == pytest.approx([3 / 4, 1 / 2])

    @pytest.mark.parametrize(
        ("own", "facts"),
        [({"fan_out": 1}, {"Gear", "Tooth"}), ({"max_facts": 1}, {"Gear"})],
    )
    def test_9_1_facts_of_a_node_and_of_an_answer(
        self,
        database: Database,
        drawn: tuple[Home, Home],
        ask: Callable[[Home], RetrievalResult],
        own: dict[str, int],
        facts: set[str],
    ) -> None:
        settle(database, drawn[0], **own)

        def ends(home: Home) -> set[str]:
            found = ask(home)
            names = {node.id: node.canonical_name for node in found.nodes}
            return {names[fact.edge.to_node_id] for fact in found.facts}

        assert ends(drawn[0]) == facts
        assert ends(drawn[1]) == {"Gear", "Axle", "Tooth"}

    def test_9_4_hybrid_weights(
        self, database: Database, drawn: tuple[Home, Home], ask: Callable[[Home], RetrievalResult]
    ) -> None:
        settle(database, drawn[0], hybrid_weights=[0, 3, 0, 1])
        assert [len(ask(home).passages) for home in drawn] == [1, 1]
        for passage in ask(drawn[0]).passages:
            parts = passage.breakdown
            assert parts["hybrid"] == pytest.approx(
                0.75 * parts["graph_distance"] + 0.25 * parts["reference"]
            )
        for passage in ask(drawn[1]).passages:
            values = [
                passage.breakdown[part]
                for part in ("text_overlap", "graph_distance", "temporal", "reference")
            ]
            assert passage.breakdown["hybrid"] == pytest.approx(np.dot([0.5, 0.2, 0.1, 0.2], values))

    def test_9_4_the_factors_of_a_fact(
        self, database: Database, drawn: tuple[Home, Home], ask: Callable[[Home], RetrievalResult]
    ) -> None:
        settle(
            database, drawn[0],
            fact_source_weights={**SOURCES, "file": 0.5}, fact_decay=0.1, fact_grace_days=14,
            fact_usage_boost=2, fact_confirmed_weight=3,
        )  # fmt: skip
        own, other = (
            next(fact.breakdown for fact in ask(home).facts if fact.edge.status == "confirmed")
            for home in drawn
        )
        assert own == pytest.approx(
            {"confidence": own["confidence"], "source": 0.5, "decay": 0.9**50, "usage": 3, "status": 3},
            rel=1e-3,
        )
        assert other == pytest.approx(
            {
                "confidence": other["confidence"],
                "source": 1.5,
                "decay": 0.95**51,
                "usage": 1.5,
                "status": 1.2,
            },
            rel=1e-3,
        )

    def test_9_1_how_many_names_how_like_the_question(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, "[Michael Stonebraker|Person] knows [Michael Stonebricker|Person].")

        def anchors(question: str, **own: Any) -> int:
            settle(database, home, **own)
            vector = HashedEmbedder().embed([question])[0]
            with opened(database, home) as space:
                found = seeds.find_anchors_with_fallbacks(space, question, vector)
            return sum(anchor.matched == question for anchor in found.anchors)

        other = "Michael Stonebridge"
        assert anchors(other) == 2
        assert anchors(other, similar_anchors=1) == 1
        assert anchors(other, anchor_similarity=1.0) == 0
        # A slip of typing is read as one name, and no likeness is asked for.
        slip = "Michael Stonebracker"
        assert anchors(slip) == 1
        assert anchors(slip, anchor_similarity=1.0) == 1


class TestKeptAnswers:
    """Requirement 9.6."""

    @pytest.fixture
    def clock(self) -> list[float]:
        return [0.0]

    @pytest.fixture
    def cached(
        self, database: Database, drawn: tuple[Home, Home], clock: list[float]
    ) -> Iterator[Callable[[Home], bool]]:
        """Put the question to a space; whether its answer came from the cache."""
        retriever = Retriever(database, Embedders(), Settings(), cache=AnswerCache(clock=lambda: clock[0]))
        yield (
            lambda home: (
                retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, Query(QUESTION)).cached
            )
        )
        retriever.close()

    def test_as_long_as_the_space_says(
        self,
        database: Database,
        drawn: tuple[Home, Home],
        clock: list[float],
        cached: Callable[[Home], bool],
    ) -> None:
        settle(database, drawn[0], answer_cache_seconds=10)
        assert [cached(home) for home in (*drawn, *drawn)] == [False, False, True, True]
        clock[0] = 10.5
        assert [cached(home) for home in drawn] == [False, True]
        settle(database, drawn[0], answer_cache_seconds=0)
        assert [cached(drawn[0]) for _ in range(2)] == [False, False]

    def test_other_settings_are_not_answered_by_those_of_before(
        self, database: Database, drawn: tuple[Home, Home]
    ) -> None:
        retriever = Retriever(database, Embedders(), Settings())

        def facts(home: Home) -> int:
            return len(
                retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, Query(QUESTION)).facts
            )

        assert [facts(home) for home in drawn] == [3, 3]
        settle(database, drawn[0], max_facts=1)
        assert [facts(home) for home in drawn] == [1, 3]
        retriever.close()
