"""Documents that are read again as a trial read them: what changes over, what stays, and the gate."""

from collections.abc import Callable
from typing import Any

import pytest

from app.answers.golden import service as golden
from app.db.database import Database
from app.db.session import SpaceSession
from app.errors import CitegraphError
from app.graph.invalidation import service as invalidation
from app.ids import EdgeId, JobId
from app.ingest import service as ingest
from app.ingest.trials import rereading
from app.jobs import queue
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.contradictions import declare, look, says
from tests.support.ingest import corpus, ingest_now
from tests.support.trials import begin, promote, trial_runner

SOME = 5
"""Documents of the example corpus: enough for several batches to matter, few enough to be read often."""
PLAIN = SpaceSettings(statements=False)
WORKS = "Ada Lind works for Borealis Shipping."
PLACE = "Borealis Shipping is located in Tromso."
GOLDEN: list[dict[str, Any]] = [{"question": "Who does Ada Lind work for?", "answers": ["No longer"]}]
"""So it is answered as long as the claim is known that a person ended: else its sentence answers."""


@pytest.fixture
def drain(database: Database, settings: Settings) -> Callable[[], int]:
    return trial_runner(database, settings).drain


def test_documents_read_again_are_as_if_the_space_had_always_read_so(
    database: Database,
    settings: Settings,
    home: Home,
    twin: Home,
    drain: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Fewer than there are documents, so that the job reads several batches.
    monkeypatch.setattr(rereading, "DOCUMENTS_AT_ONCE", 2)
    declare(database, home, PLAIN)
    declare(database, twin, SpaceSettings(statements=True, min_confidence=0.8))
    for where in (home, twin):
        ingest_now(database, settings, where, corpus()[:SOME])
    assert look(database, home, holding) != look(database, twin, holding)
    ids = look(database, home, edge_ids)
    promote(
        database, settings, home, tried(database, settings, home, drain, min_confidence=0.8, statements=True)
    )
    drain()
    assert look(database, home, holding) == look(database, twin, holding)
    assert look(database, home, named) == look(database, twin, named)
    # What both readings state keeps its row; nothing of the job stays behind.
    assert len(ids & look(database, home, edge_ids)) > 5
    assert look(database, home, notes) == 0


def test_what_a_person_ended_stays_ended_also_where_it_is_read_for_the_first_time(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    ingest_now(database, settings, home, [says(WORKS), says(PLACE)])
    edge = end(database, home, "works_for")
    promote(database, settings, home, tried(database, settings, home, drain, min_confidence=0.2))
    drain()
    assert look(database, home, lambda space: edges_of(space, "works_for")) == [edge]
    assert [row[1] for row in look(database, home, holding) if row[6] is None] == ["located_in"]


@pytest.mark.soak
def test_a_job_that_stops_leaves_each_chunk_read_by_the_one_or_the_other_and_goes_on(
    database: Database,
    settings: Settings,
    home: Home,
    twin: Home,
    drain: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    declare(database, home, PLAIN)
    declare(database, twin, SpaceSettings(statements=True))
    for where in (home, twin):
        ingest_now(database, settings, where, corpus()[:SOME])
    before = look(database, home, by_chunk)
    trial = tried(database, settings, home, drain, statements=True)
    job = promote(database, settings, home, trial).job_id
    assert job is not None
    steps: list[str] = []

    def cancel(step: str) -> None:
        if step == "reread" and not steps:
            steps.append(step)
            look(database, home, lambda space: ingest.cancel_job(space, job))

    monkeypatch.setattr(rereading, "DOCUMENTS_AT_ONCE", 2)
    trial_runner(database, settings, checkpoint=cancel).drain()
    assert look(database, home, lambda space: queue.get_job(space, job).state) == "cancelled"
    assert look(database, home, notes) > 0
    half, after = look(database, home, by_chunk), look(database, twin, by_chunk)
    assert half not in (before, after)
    assert all(half[chunk] in (before.get(chunk), after.get(chunk)) for chunk in half)
    look(database, home, lambda space: ingest.retry_job(space, job))
    drain()
    assert look(database, home, holding) == look(database, twin, holding)


def test_what_was_evicted_does_not_come_back(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    ingest_now(database, settings, home, [says(WORKS + "\n\n" + PLACE)])
    trial = tried(database, settings, home, drain, min_confidence=0.2)
    look(
        database,
        home,
        lambda space: space.connection.execute(
            "UPDATE document_body SET raw = raw || E'\\n\\n# More\\n\\nBert Moe works for Kelp Farms.'::bytea"
            " WHERE knowledge_space_id = %s",
            [space.space_id],
        ),
    )
    before = look(database, home, lambda space: [row[:4] for row in holding(space)])
    promote(database, settings, home, trial)
    drain()
    assert look(database, home, lambda space: [row[:4] for row in holding(space)]) == before


def test_the_gate_refuses_a_promotion_by_which_a_golden_question_is_answered_worse(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int]
) -> None:
    declare(database, home, SpaceSettings(golden_gate=True))
    ingest_now(database, settings, home, [says(WORKS), says(PLACE)])
    end(database, home, "works_for")
    look(database, home, lambda space: golden.add_or_replace_questions(space, GOLDEN))
    trial = tried(database, settings, home, drain, min_confidence=1.0)
    with pytest.raises(CitegraphError) as unknown:
        promote(database, settings, home, trial)
    assert unknown.value.code == "not_evaluated"
    look(database, home, golden.queue_golden_run)
    drain()
    with pytest.raises(CitegraphError) as blind:
        promote(database, settings, home, trial, reread=False)
    assert blind.value.code == "not_evaluated"
    before, ids = look(database, home, holding), look(database, home, edge_ids)
    promotion = promote(database, settings, home, trial)
    job_id = promotion.job_id
    assert promotion.is_gated
    assert job_id is not None
    drain()
    job = look(database, home, lambda space: queue.get_job(space, job_id))
    assert (job.state, job.error_code) == ("failed", "worse_answers")
    assert "Who does Ada Lind work for?" in job.error_message
    assert look(database, home, spaces.get_space_settings).min_confidence is None
    assert (look(database, home, holding), look(database, home, edge_ids)) == (before, ids)
    # Who forces it has it, and the audit says so.
    forced = promote(database, settings, home, trial, is_forced=True)
    assert not forced.is_gated
    drain()
    assert look(database, home, spaces.get_space_settings).min_confidence == 1.0
    assert look(database, home, holding) == []
    with database.open_tenant(home.tenant_id) as tenant:
        recorded = audit.list_entries(tenant, AuditFilter(action="trial.promote"), limit=10)
    assert [entry.details["forced"] for entry in recorded] == [True, False]


def tried(
    database: Database, settings: Settings, home: Home, drain: Callable[[], int], **changes: Any
) -> JobId:
    trial = begin(database, settings, home, changes=changes)
    drain()
    return trial


def end(database: Database, home: Home, relation: str) -> EdgeId:
    """End the one claim of that relation, as a person."""
    (edge,) = look(database, home, lambda space: edges_of(space, relation))
    look(
        database,
        home,
        lambda space: invalidation.end_claim_by_person(space, edge, reason="She left.", actor="test"),
    )
    return EdgeId(edge)


def edges_of(space: SpaceSession, relation: str) -> list[EdgeId]:
    rows = space.connection.execute(
        "SELECT id FROM graph_edge WHERE knowledge_space_id = %s AND relation_type = %s",
        [space.space_id, relation],
    )
    return [EdgeId(row[0]) for row in rows.fetchall()]


def edge_ids(space: SpaceSession) -> set[object]:
    rows = space.connection.execute(
        "SELECT id FROM graph_edge WHERE knowledge_space_id = %s AND evidence_chunk_id IS NOT NULL",
        [space.space_id],
    )
    return {row[0] for row in rows.fetchall()}


def notes(space: SpaceSession) -> int:
    jobs = space.connection.execute(
        "SELECT id FROM job WHERE knowledge_space_id = %s AND kind = 'extraction.reread'", [space.space_id]
    )
    rows = space.connection.execute(
        "SELECT count(*) FROM trial_reading WHERE knowledge_space_id = %s AND job_id = ANY(%s)",
        [space.space_id, [job_id for (job_id,) in jobs.fetchall()]],
    )
    return int(rows.fetchall()[0][0])


def by_chunk(space: SpaceSession) -> dict[str, set[tuple[object, ...]]]:
    """What each text states, by its words."""
    rows = space.connection.execute(
        "SELECT chunk.content_hash, source.canonical_name, e.relation_type, target.canonical_name"
        " FROM graph_edge e JOIN graph_node source ON source.knowledge_space_id = e.knowledge_space_id"
        " AND source.id = e.from_node_id JOIN graph_node target"
        " ON target.knowledge_space_id = e.knowledge_space_id AND target.id = e.to_node_id"
        " JOIN knowledge_chunk chunk ON chunk.knowledge_space_id = e.knowledge_space_id"
        " AND chunk.id = e.evidence_chunk_id WHERE e.knowledge_space_id = %s",
        [space.space_id],
    ).fetchall()
    claims: dict[str, set[tuple[object, ...]]] = {}
    for content_hash, *claim in rows:
        claims.setdefault(content_hash, set()).add(tuple(claim))
    return claims


def holding(space: SpaceSession) -> list[tuple[object, ...]]:
    """The claims that have evidence, by their words."""
    return list(
        space.connection.execute(
            "SELECT source.canonical_name, e.relation_type, target.canonical_name, e.polarity,"
            " e.metadata ->> 'quote', e.status, e.invalidated_at FROM graph_edge e"
            " JOIN graph_node source ON source.knowledge_space_id = e.knowledge_space_id"
            " AND source.id = e.from_node_id JOIN graph_node target"
            " ON target.knowledge_space_id = e.knowledge_space_id AND target.id = e.to_node_id"
            " WHERE e.knowledge_space_id = %s AND e.evidence_chunk_id IS NOT NULL"
            " ORDER BY 1, 2, 3, 4, 5, 6, 7",
            [space.space_id],
        ).fetchall()
    )


def named(space: SpaceSession) -> list[tuple[object, ...]]:
    """The nodes that chunks name, and how often."""
    return list(
        space.connection.execute(
            "SELECT canonical_name, node_type, mention_count FROM graph_node"
            " WHERE knowledge_space_id = %s AND mention_count > 0 ORDER BY 1, 2",
            [space.space_id],
        ).fetchall()
    )
