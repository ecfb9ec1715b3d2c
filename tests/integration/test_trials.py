"""Trials of another reading: what they say beside the graph, and that nothing of them stands in it."""

from collections.abc import Callable
from typing import Any

import pytest

from app.answers.golden.promotion import Promotion
from app.db.database import Database
from app.documents import service as documents
from app.errors import CitegraphError, NotFound
from app.ids import JobId
from app.ingest import service as ingest
from app.ingest.trials import service as trials
from app.jobs import queue
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.contradictions import declare, look, says
from tests.support.ingest import corpus, ingest_now, picture
from tests.support.trials import begin, promote, report, trial_runner

PLAIN = SpaceSettings(statements=False)
TEXT = "Acme Corporation is located in Paris. Acme Corporation was audited by Delta Partners in Rome."


@pytest.fixture
def drain(database: Database, settings: Settings) -> Callable[[], int]:
    return trial_runner(database, settings).drain


@pytest.mark.soak
def test_a_trial_says_what_another_setting_adds_and_writes_nothing_to_the_graph(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    declare(database, home, PLAIN)
    ingest_now(database, settings, home, corpus())
    before = picture(database, home)
    trial = begin(database, settings, home, changes={"statements": True})
    assert drain() == 1
    shown = report(database, home, trial)
    assert shown.trial.state == "done"
    assert shown.chunks == min(50, shown.chunks) > 10
    difference = shown.comparison
    assert (difference.lost, difference.retyped) == ([], [])
    assert difference.same > 20
    assert difference.added
    assert all(claim.quote for claim in difference.added)
    assert shown.trial.counts["added"] == len(difference.added)
    assert shown.seconds > 0
    assert shown.trial.cost_usd == 0
    assert picture(database, home) == before


@pytest.mark.soak
def test_the_same_reading_differs_in_nothing(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    ingest_now(database, settings, home, corpus())
    trial = begin(database, settings, home, model="rules", chunks=500)
    drain()
    difference = report(database, home, trial).comparison
    assert (difference.added, difference.lost, difference.retyped) == ([], [], [])
    assert difference.same > 50


@pytest.mark.soak
def test_a_stricter_setting_loses_claims(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    ingest_now(database, settings, home, corpus())
    trial = begin(database, settings, home, changes={"min_confidence": 0.95})
    drain()
    difference = report(database, home, trial).comparison
    assert difference.lost
    assert difference.added == []
    counts = difference.by_relation.values()
    assert sum(count.lost for count in counts) == len(difference.lost)


def test_a_dropped_trial_leaves_nothing_and_one_under_way_is_cancelled(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    ingest_now(database, settings, home, [says(TEXT)])
    first = begin(database, settings, home, model="rules")
    drain()
    assert rows(database, home) == 1
    drop(database, home, first)
    assert rows(database, home) == 0
    second = begin(database, settings, home, model="rules")
    drop(database, home, second)
    drain()
    assert rows(database, home) == 0
    assert look(database, home, trials.list_trials) == []
    for trial in (first, second):
        with pytest.raises(NotFound), database.open_space(home.tenant_id, home.space_id) as space:
            queue.get_job(space, trial)


def test_what_a_trial_read_goes_with_its_document(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    ingest_now(database, settings, home, [says(TEXT)])
    begin(database, settings, home, model="rules")
    drain()
    (document,) = look(database, home, documents.list_documents)
    look(database, home, lambda space: ingest.delete_document_with_all_its_words(space, document.id))
    assert rows(database, home) == 0


@pytest.mark.soak
def test_a_promoted_trial_becomes_the_space_s_setting_for_what_is_read_from_then_on(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    declare(database, home, PLAIN)
    ingest_now(database, settings, home, corpus())
    before = look(database, home, holding)
    trial = begin(database, settings, home, changes={"min_confidence": 0.8, "statements": True})
    drain()
    assert report(database, home, trial).comparison.lost
    promotion = promote(database, settings, home, trial, reread=False)
    assert promotion == Promotion({"min_confidence": 0.8, "statements": True}, None, is_gated=False)
    drain()
    own = look(database, home, spaces.get_space_settings)
    assert (own.min_confidence, own.statements) == (0.8, True)
    # What stands was read as it was.
    assert look(database, home, holding) == before


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({}, "nothing_to_try"),
        ({"model": "gpt-9"}, "model_not_offered"),
        ({"changes": {"chunk_tokens": 100}}, "not_triable"),
        ({"changes": {"min_confidence": 7}}, "invalid_input"),
        ({"model": "rules", "chunks": 0}, "trial_size"),
    ],
)
def test_what_cannot_be_tried_is_refused(
    database: Database, settings: Settings, home: Home, asked: dict[str, Any], code: str
) -> None:
    with pytest.raises(CitegraphError) as refused:
        begin(database, settings, home, **asked)
    assert refused.value.code == code


def test_one_trial_at_a_time_and_none_is_promoted_before_its_end(
    database: Database, settings: Settings, home: Home
) -> None:
    trial = begin(database, settings, home, model="rules")
    with pytest.raises(CitegraphError) as refused:
        begin(database, settings, home, model="rules")
    assert refused.value.code == "trial_running"
    with pytest.raises(CitegraphError) as early:
        promote(database, settings, home, trial)
    assert early.value.code == "trial_unfinished"


def test_another_space_sees_nothing_of_it(
    database: Database, settings: Settings, home: Home, twin: Home, drain: Callable[[], int]
) -> None:
    for where in (home, twin):
        ingest_now(database, settings, where, [says(TEXT)])
    trial = begin(database, settings, home, model="rules")
    drain()
    assert rows(database, twin) == 0
    assert look(database, twin, trials.list_trials) == []
    for act in (trials.build_trial_report, trials.delete_trial):
        with pytest.raises(NotFound), database.open_space(twin.tenant_id, twin.space_id) as space:
            act(space, trial)
    assert rows(database, home) == 1


def drop(database: Database, home: Home, trial: JobId) -> None:
    look(database, home, lambda space: trials.delete_trial(space, trial))


def rows(database: Database, home: Home) -> int:
    found: int = look(
        database,
        home,
        lambda space: len(space.connection.execute("SELECT 1 FROM trial_reading").fetchall()),
    )
    return found


def holding(space: Any) -> list[tuple[object, ...]]:
    """The claims that hold and have evidence, by their words."""
    return list(
        space.connection.execute(
            "SELECT source.canonical_name, e.relation_type, target.canonical_name, e.polarity,"
            " e.metadata ->> 'quote', round(e.weight::numeric, 4), e.invalidated_at FROM graph_edge e"
            " JOIN graph_node source ON source.knowledge_space_id = e.knowledge_space_id"
            " AND source.id = e.from_node_id JOIN graph_node target"
            " ON target.knowledge_space_id = e.knowledge_space_id AND target.id = e.to_node_id"
            " WHERE e.knowledge_space_id = %s AND e.evidence_chunk_id IS NOT NULL"
            " ORDER BY 1, 2, 3, 4, 5, 6, 7",
            [space.space_id],
        ).fetchall()
    )


def named(space: Any) -> list[tuple[object, ...]]:
    """The nodes that chunks name, and how often."""
    return list(
        space.connection.execute(
            "SELECT canonical_name, node_type, mention_count FROM graph_node"
            " WHERE knowledge_space_id = %s AND mention_count > 0 ORDER BY 1, 2",
            [space.space_id],
        ).fetchall()
    )
