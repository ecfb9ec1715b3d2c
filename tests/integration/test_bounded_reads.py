"""Reads of a large space answer in bounded time, and say where they left something off (issue 9, point 5)."""

from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.derived.eviction import policies as eviction_policies
from tests.conftest import Home
from tests.support.evictions import set_policy

pytestmark = pytest.mark.new_database("plans depend on the pages that deleted rows leave")

CHUNKS = 200_000
DOCUMENTS = 200

FILL = """
INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size, state)
SELECT %(space)s, uuidv7(), 'd' || n, 'file', 'text', 'd' || n, 1, 'ready' FROM generate_series(1, %(documents)s) n;
INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end, heading_path,
    token_count, content_hash, created_at)
SELECT %(space)s, uuidv7(), d.id, n, repeat('Ada Lovelace worked for Charles Babbage. ', 15), n, n + 1, '{}', 10,
    md5(d.id::text || n), now() - make_interval(secs => n)
FROM document d, generate_series(1, %(each)s) n WHERE d.knowledge_space_id = %(space)s;
INSERT INTO chunk_recall (knowledge_space_id, chunk_id, recall_count, total_score, last_recalled_at)
SELECT %(space)s, id, 1 + ordinal %% 7, 0.5, now() - make_interval(secs => ordinal)
FROM knowledge_chunk WHERE knowledge_space_id = %(space)s AND ordinal %% 2 = 0;
"""  # noqa: E501


@pytest.fixture
def large(privileged_url: URL, home: Home) -> Home:
    """A space of 200,000 chunks, half of them recalled, written as no API would."""
    with psycopg.connect(convert_to_conninfo(privileged_url)) as connection:
        values = {"space": home.space_id, "documents": DOCUMENTS, "each": CHUNKS // DOCUMENTS}
        psycopg.ClientCursor(connection).execute(FILL.encode(), values)
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE")
    return home


def pages(url: URL) -> int:
    """The pages that were touched in this database so far."""
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        touched = connection.execute(
            "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert touched is not None
    return int(touched[0])


@pytest.mark.soak
def test_a_dry_run_of_eviction_touches_a_few_pages_a_chunk(
    database: Database, large: Home, privileged_url: URL
) -> None:
    """By policy 300,000 to 770,000 for 200,000 chunks; counted, not timed: the same on every machine."""
    policies: list[dict[str, Any]] = [
        {"eviction": "capacity", "eviction_max_chunks": 1_000},
        {"eviction": "ttl", "eviction_ttl_days": 10 / 86_400},
        {"eviction": "ttl", "eviction_ttl_days": 999},
        {"eviction": "hybrid", "eviction_ttl_days": 10 / 86_400, "eviction_max_chunks": 1_000},
        {"eviction": "recall_based", "eviction_min_value": 0.9, "eviction_grace_days": 0},
    ]
    for policy in policies:
        set_policy(database, large, **policy)
        before = pages(privileged_url)
        with database.open_space(large.tenant_id, large.space_id) as space:
            plan = eviction_policies.list_evictable_chunks(space, limit=200)
            space.connection.execute("SELECT pg_stat_force_next_flush()", prepare=False)
        assert pages(privileged_url) - before <= 5 * CHUNKS, policy
        assert plan.chunks == CHUNKS
        if policy.get("eviction_ttl_days") == 999:
            assert (plan.evictable, plan.more) == (0, False)
            continue
        assert plan.evictable == eviction_policies.EXAMINED_CHUNKS
        assert plan.more
        assert len(plan.listed) == 200
