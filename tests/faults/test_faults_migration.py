"""The schema moves under running workers (fault matrix 24): N, N+1, half way and back."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from sqlalchemy import URL
from sqlalchemy.exc import OperationalError

from alembic import command
from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.health import find_newest_migration_number
from app.db.migrate import run_migration_step_with_retries
from app.documents.shapes import Submission
from app.settings import Settings
from app.shipped_files import PROJECT
from tests.conftest import Home
from tests.faults.conftest import Asker
from tests.faults.corpora import small_documents
from tests.migrations.test_schema_history import described
from tests.support.ingest import make_runner, picture, submit
from tests.workers.conftest import Workers, wait_until

VERSION = "SELECT version_num FROM alembic_version"
# The next version as expand and contract has it: more, and nothing that running code would miss.
NEXT = """
from alembic import op

revision, down_revision, branch_labels, depends_on = "next", "{head}", None, None


def upgrade():
    for table in ("job", "document", "graph_node", "graph_edge"):
        op.execute(f"ALTER TABLE {{table}} ADD COLUMN added text DEFAULT 'x'")
    op.execute("CREATE INDEX ix_added ON graph_edge (knowledge_space_id, added)")


def downgrade():
    for table in ("graph_edge", "graph_node", "document", "job"):
        op.execute(f"ALTER TABLE {{table}} DROP COLUMN added")
"""


@pytest.fixture
def run_next(tmp_path: Path, privileged_url: URL) -> Callable[..., None]:
    """Runs Alembic with one migration more than there is."""
    versions = tmp_path / "versions"
    versions.mkdir()
    (versions / "next.py").write_text(NEXT.format(head=find_newest_migration_number()))
    config = Config(PROJECT / "alembic.ini")
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", f"{PROJECT / 'alembic' / 'versions'}\n{versions}")

    def run(verb: str, revision: str, attempts: int = 8) -> None:
        url = privileged_url.render_as_string(hide_password=False)
        run_migration_step_with_retries(
            url, config, lambda: getattr(command, verb)(config, revision), attempts=attempts
        )

    return run


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.one_machine("API and workers are stopped before a cluster is migrated (docs/citus.md)")
def test_migrations_up_down_and_half_way_under_running_workers(
    database: Database,
    settings: Settings,
    privileged_url: URL,
    run_next: Callable[..., None],
    home: Home,
    twin: Home,
    workers: Workers,
    ask: Asker,
    rounds: int,
) -> None:
    """Row 24: the next version's migration comes and goes while today's workers run; none of their jobs
    fails.
    """
    documents = small_documents(18 + 6 * rounds)
    for document in documents:
        submit(database, twin, document)
    make_runner(database, settings).drain()
    before = described(privileged_url)
    for document in documents[:18]:
        submit(database, home, document)
    workers.start()
    workers.start()

    def done() -> int:
        query = "SELECT count(*) FROM job WHERE state = 'done' AND tenant_id = %s"
        return int(ask.value(query, home.tenant_id))

    def hand_in(some: Sequence[Submission]) -> None:
        standing = done()
        for submission in some:
            submit(database, home, submission)
        wait_until(lambda: done() > standing, what="more work done")

    wait_until(lambda: done() > 0, what="the first job")
    # It fails in its last statement: all of it is undone, and the rerun finds the start.
    with psycopg.connect(convert_to_conninfo(privileged_url)) as locker:
        locker.execute("LOCK TABLE alembic_version IN EXCLUSIVE MODE")
        with pytest.raises(OperationalError, match="lock timeout"):
            run_next("upgrade", "next", attempts=1)
        locker.rollback()
    assert described(privileged_url) == before
    for round_ in range(rounds):
        run_next("upgrade", "next")
        assert ask.value(VERSION) == "next"
        hand_in(documents[18 + round_ * 6 : 21 + round_ * 6])
        run_next("downgrade", "-1")
        assert ask.value(VERSION) == find_newest_migration_number()
        hand_in(documents[21 + round_ * 6 : 24 + round_ * 6])
    run_next("upgrade", "next")
    wait_until(lambda: done() == len(documents), what="all jobs")
    run_next("downgrade", "-1")
    assert described(privileged_url) == before
    assert ask.rows("SELECT DISTINCT state FROM job") == [("done",)]
    assert picture(database, home) == picture(database, twin)
    assert "job_error" not in workers.logs()


@pytest.mark.soak
def test_a_migration_that_loses_a_lock_is_tried_again(
    privileged_url: URL, run_next: Callable[..., None], ask: Asker
) -> None:
    """Row 24: a table held for longer than the migration waits delays it, and does not fail it."""
    locker = psycopg.connect(convert_to_conninfo(privileged_url))
    locker.execute("LOCK TABLE graph_edge IN ACCESS SHARE MODE")
    # Longer than one lock_timeout (4 s), so that the first attempt is lost.
    timer = threading.Timer(5.0, locker.close)
    timer.start()
    try:
        run_next("upgrade", "next")
    finally:
        timer.join()
    assert ask.value(VERSION) == "next"
    run_next("downgrade", "-1")
