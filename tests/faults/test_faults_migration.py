"""The schema moves under running workers (fault matrix 24): N, N+1, half way and back."""

import psycopg
import pytest
from sqlalchemy import URL
from sqlalchemy.exc import OperationalError

from app.db.engine import as_conninfo
from app.db.health import newest_revision
from app.db.migrate import migrate
from app.db.session import Database
from app.settings import Settings
from tests.conftest import Home
from tests.faults.conftest import Asker
from tests.faults.corpora import small_documents
from tests.ingesting import make_runner, picture, submit
from tests.migrations.test_schema_history import described, run_alembic
from tests.workers.conftest import Workers, wait_until

VERSION = "SELECT version_num FROM alembic_version"


@pytest.mark.slow
def test_migrations_up_down_and_half_way_under_running_workers(
    database: Database,
    settings: Settings,
    privileged_url: URL,
    home: Home,
    twin: Home,
    workers: Workers,
    ask: Asker,
) -> None:
    """Row 24: the newest migration goes and comes while documents are taken in; none fails for good."""
    url = privileged_url.render_as_string(hide_password=False)
    documents = small_documents(36)
    for each in documents:
        submit(database, twin, each)
    make_runner(database, settings).drain()
    before = described(privileged_url)
    for each in documents[:18]:
        submit(database, home, each)
    workers.start()
    workers.start()

    def done() -> int:
        return int(
            ask.value("SELECT count(*) FROM job WHERE state = 'done' AND tenant_id = %s", home.tenant_id)
        )

    wait_until(lambda: done() > 0, what="the first job")
    for round_ in range(3):
        run_alembic(privileged_url, "downgrade", "-1")
        assert ask.value(VERSION) != newest_revision()
        for each in documents[18 + round_ * 6 : 24 + round_ * 6]:
            submit(database, home, each)
        standing = done()
        wait_until(lambda standing=standing: done() > standing, what="work on the older schema")
        if round_ == 0:
            # It fails in its last statement: all of it is undone, and the rerun finds the start.
            older = described(privileged_url)
            with psycopg.connect(as_conninfo(privileged_url)) as locker:
                locker.execute("LOCK TABLE alembic_version IN EXCLUSIVE MODE")
                with pytest.raises(OperationalError, match="lock timeout"):
                    migrate(url)
                locker.rollback()
            assert described(privileged_url) == older
        assert migrate(url).missing_walls == ()
        assert ask.value(VERSION) == newest_revision()
    wait_until(lambda: done() == len(documents), what="all jobs")
    assert described(privileged_url) == before
    assert ask.rows("SELECT DISTINCT state FROM job") == [("done",)]
    assert picture(database, home) == picture(database, twin)
    assert "job_error" not in workers.logs()
