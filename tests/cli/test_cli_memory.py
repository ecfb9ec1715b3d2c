"""`citegraph evict` on one tenant's space, and recalls of commands, which are written before they end."""

from typing import Any

from app.db.database import Database
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.evictions import evictor, set_policy, titles
from tests.support.ingest import ingest_now, text


def counted(database: Database, home: Home) -> tuple[Any, ...]:
    """(chunks, edges, queries) that were recorded."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        row = space.connection.execute(
            "SELECT (SELECT count(*) FROM chunk_recall WHERE knowledge_space_id = %(space)s),"
            " (SELECT count(*) FROM edge_recall WHERE knowledge_space_id = %(space)s),"
            " (SELECT coalesce(sum(queries), 0) FROM usage_daily WHERE knowledge_space_id = %(space)s)",
            {"space": home.space_id},
        ).fetchone()
    assert row is not None
    return row


def test_commands_record_what_they_showed_before_they_end(
    citegraph: Call, database: Database, filled: tuple[Home, Home]
) -> None:
    a, b = filled
    question = "What did Ada Lovelace create?"
    for number, command in enumerate((["retrieve", question], ["explain", question], ["ask", question]), 1):
        assert citegraph(*command, "--space", "library").exit_code == 0
        chunks, edges, queries = counted(database, a)
        assert chunks >= 1
        assert edges >= 1
        assert queries == number
    assert citegraph("ask", question, "--space", "library", "--json").exit_code == 0
    assert citegraph("neighborhood", "Ada Lovelace", "--space", "library").exit_code == 0
    assert counted(database, a)[2] == 5
    assert counted(database, b) == (0, 0, 0)


def test_evict_lists_then_runs(
    citegraph: Call, database: Database, settings: Settings, filled: tuple[Home, Home]
) -> None:
    a, b = filled
    ingest_now(database, settings, a, [text("There is nothing to say.", title="Idle", source_uri="idle")])
    none = citegraph("evict", "--dry-run", "--space", "library")
    assert "no eviction policy" in none.stdout
    refused = citegraph("evict", "--space", "library")
    assert refused.exit_code == 1
    assert "no eviction policy" in refused.stderr
    set_policy(database, a, eviction="ttl", eviction_ttl_days=1e-9)
    plan = read_json(citegraph("evict", "--dry-run", "--space", "library", "--json"))
    assert [(passage["document_title"], passage["reason"]) for passage in plan["items"]] == [
        ("Idle", "expired")
    ]
    assert (plan["evictable"], plan["protected"], plan["chunks"]) == (1, 1, 2)
    told = citegraph("evict", "--dry-run", "--space", "library")
    assert "Idle" in told.stdout
    assert "1 of 2 chunks would be removed by ttl" in " ".join(told.stderr.split())
    assert set(titles(database, a)) == {"Notes", "Idle"}
    job = read_json(citegraph("evict", "--space", "library", "--json"))
    assert (job["kind"], job["state"]) == ("memory.evict", "queued")
    assert evictor(database, settings).drain() == 1
    assert set(titles(database, a)) == {"Notes"}
    asked = read_json(
        citegraph("evict", "--dry-run", "--including-last-evidence", "--space", "library", "--json")
    )
    assert asked["evictable"] == 1
    assert set(titles(database, b)) == {"Notes"}
