"""Deleting a space: small ones go at once, large ones are closed at once and emptied by a job."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import URL, create_engine, text

from app.db.base import Base, SpaceOwned
from app.db.database import Database
from app.db.engine import convert_to_psycopg_url
from app.errors import NotFound
from app.ids import create_id
from app.jobs import queue
from app.jobs.context import ignore_step
from app.jobs.kinds import DeleteSpace, IngestDocuments
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import job as deletion
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces.shapes import DeletionState
from app.tenancy.tenants import quotas
from app.wiring import open_database
from tests.conftest import Home, under
from tests.support.communities import detector, take_in
from tests.support.ingest import corpus, ingest_now, picture
from workers.runner import Runner

TABLES = sorted(
    str(mapper.local_table) for mapper in Base.registry.mappers if issubclass(mapper.class_, SpaceOwned)
)
COUNTS = " UNION ALL ".join(
    f"SELECT '{table}', count(*) FROM {table} WHERE {key} = :id"
    for table, key in [*((table, "knowledge_space_id") for table in TABLES), ("knowledge_space", "id")]
)


@pytest.fixture
def looks(privileged_url: URL) -> Iterator[Callable[..., Any]]:
    """Looks at the tables as nobody's tenant, past all walls."""
    engine = create_engine(convert_to_psycopg_url(privileged_url.render_as_string(hide_password=False)))

    def look(statement: str, **values: Any) -> list[Any]:
        with engine.begin() as connection:
            found = connection.execute(text(statement), values)
            return list(found) if found.returns_rows else []

    yield look
    engine.dispose()


@pytest.fixture
def left(looks: Callable[..., Any]) -> Callable[[Home], dict[str, int]]:
    """The rows that a space has in each table, of those where it has any."""

    def count(home: Home) -> dict[str, int]:
        return {table: rows for table, rows in looks(COUNTS, id=home.space_id) if rows}

    return count


@pytest.fixture
def large(database: Database, settings: Settings, home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A space with something in most tables, which counts as large."""
    ingest_now(database, settings, home, corpus())
    take_in(database, settings, home, note="[Ada|Person] knows [Bob|Person]. [Bob|Person] knows [Cy|Person].")
    detector(database, settings).drain()
    monkeypatch.setattr(spaces, "MAX_ROWS_OF_SMALL_SPACE", 10)
    return home


def remover(
    database: Database, settings: Settings, *, checkpoint: Callable[[str], None] = ignore_step
) -> Runner:
    return Runner(
        under(database, settings),
        settings,
        {DeleteSpace.kind: deletion.delete_space_in_steps},
        checkpoint=checkpoint,
    )


def delete(database: Database, home: Home) -> None:
    spaces.delete_space(database, home.tenant_id, home.space_id, actor="test")


def receipts_of(database: Database, home: Home) -> list[tuple[str, dict[str, int]]]:
    """(action, details) of what the audit says of the space's end, the newest first."""
    with database.open_tenant(home.tenant_id) as tenant:
        found = audit.list_entries(tenant, AuditFilter(object_id=home.space_id))
    return [
        (entry.action, entry.details) for entry in found if entry.action in ("space.delete", "space.erase")
    ]


def test_a_small_space_goes_at_once(
    database: Database, settings: Settings, home: Home, left: Callable[[Home], dict[str, int]]
) -> None:
    take_in(database, settings, home, note="[Ada|Person] knows [Bob|Person].")
    before = left(home)
    receipt = spaces.delete_space(database, home.tenant_id, home.space_id, actor="test")
    assert left(home) == {}
    assert receipt.state is DeletionState.DONE
    assert {table: receipt.rows.get(table) for table in before} == before
    assert receipts_of(database, home) == [("space.delete", dict(receipt.rows))]


class TestAnyNumberOfRows:
    """Requirement 1.4, whatever a table holds and whatever its statistics say."""

    CHANGES = """INSERT INTO edge_change (knowledge_space_id, id, revision)
        SELECT :space, gen_random_uuid(), 1 FROM generate_series(1, 8000)"""

    @pytest.mark.one_machine("reads the statistics of one server: a cluster's are those of the shards")
    def test_is_deleted_in_batches_by_a_table_that_looks_empty(
        self,
        database: Database,
        settings: Settings,
        home: Home,
        left: Callable[[Home], dict[str, int]],
        looks: Callable[..., Any],
    ) -> None:
        """Changes of edges are noted after a community detection cleared the table and it was analysed."""
        looks(self.CHANGES, space=home.space_id)
        looks("DELETE FROM edge_change WHERE knowledge_space_id = :space", space=home.space_id)
        looks("ANALYZE edge_change")
        (statistics,) = looks("SELECT reltuples, relpages > 0 FROM pg_class WHERE relname = 'edge_change'")
        assert tuple(statistics) == (0, True)
        looks(self.CHANGES, space=home.space_id)
        delete(database, home)
        hasty_settings = settings.model_copy(update={"statement_timeout": 1.0})
        assert settings.database_url is not None
        hasty_database = open_database(settings.database_url, hasty_settings)
        progress: list[tuple[DeletionState, int]] = []

        def look(_step: str) -> None:
            deletion_so_far = spaces.get_receipt_of_space_deletion(database, home.tenant_id, home.space_id)
            progress.append((deletion_so_far.state, deletion_so_far.rows["edge_change"]))

        try:
            remover(hasty_database, hasty_settings, checkpoint=look).drain()
        finally:
            hasty_database.dispose()
        assert left(home) == {}
        assert progress == [(DeletionState.DELETING, rows) for rows in (2000, 4000, 6000, 8000)]
        receipt = spaces.get_receipt_of_space_deletion(database, home.tenant_id, home.space_id)
        assert (receipt.state, receipt.rows["edge_change"]) == (DeletionState.DONE, 8000)
        ((erased, counts), _) = receipts_of(database, home)
        assert (erased, counts["edge_change"]) == ("space.erase", 8000)

    def test_is_left_to_the_job_if_one_table_has_many(
        self, database: Database, home: Home, looks: Callable[..., Any]
    ) -> None:
        looks(self.CHANGES, space=home.space_id)
        with pytest.raises(NotFound):
            spaces.get_receipt_of_space_deletion(database, home.tenant_id, home.space_id)
        receipt = spaces.delete_space(database, home.tenant_id, home.space_id, actor="test")
        assert receipt.state is DeletionState.DELETING


@pytest.mark.soak
class TestALargeSpace:
    @pytest.mark.soak
    def test_is_not_found_from_the_commit_on(self, database: Database, large: Home) -> None:
        with database.open_tenant(large.tenant_id) as tenant:
            name = spaces.get_space(tenant, large.space_id).name
            before = quotas.get_quota_usage(tenant).used["spaces"]
        delete(database, large)
        with pytest.raises(NotFound), database.open_space(large.tenant_id, large.space_id):
            pass
        with database.open_tenant(large.tenant_id) as tenant:
            for wanted in (large.space_id, name):
                with pytest.raises(NotFound):
                    spaces.get_space(tenant, wanted)
            with pytest.raises(NotFound):
                spaces.update_space_row(tenant, large.space_id, actor="test", description="again")
            assert large.space_id not in [space.id for space in spaces.list_spaces(tenant)]
            assert quotas.get_quota_usage(tenant).used["spaces"] == before - 1
            again = spaces.create_space(
                tenant, name=name, actor="test", embedding_model="hashed-ngrams-256", embedding_dimensions=256
            )
            assert again.name == name
        with pytest.raises(NotFound):
            delete(database, large)

    def test_is_emptied_by_a_job_and_nobody_else_loses_a_row(
        self,
        database: Database,
        settings: Settings,
        large: Home,
        twin: Home,
        left: Callable[[Home], dict[str, int]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        ingest_now(database, settings, twin, corpus()[:3])
        before, rows = picture(database, twin), left(twin)
        assert len(left(large)) > 12
        monkeypatch.setattr(deletion, "BATCH_ROWS", 50)
        delete(database, large)
        steps: list[str] = []
        assert remover(database, settings, checkpoint=steps.append).drain() == 1
        assert left(large) == {}
        assert len(steps) > 20
        assert (picture(database, twin), left(twin)) == (before, rows)

    @pytest.mark.soak
    def test_a_batch_is_bounded(
        self,
        database: Database,
        settings: Settings,
        large: Home,
        left: Callable[[Home], dict[str, int]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """No statement may take the two minutes that a transaction is given, whatever the space holds."""
        monkeypatch.setattr(deletion, "BATCH_ROWS", 25)
        delete(database, large)
        sizes = [sum(left(large).values())]

        def look(_step: str) -> None:
            sizes.append(sum(left(large).values()))

        remover(database, settings, checkpoint=look).drain()
        # Some more go by cascade or are noted by triggers; never by the hundred.
        assert max(abs(one - other) for one, other in pairwise(sizes)) < 100

    @pytest.mark.soak
    def test_a_run_that_died_is_gone_on_with(
        self,
        database: Database,
        settings: Settings,
        large: Home,
        left: Callable[[Home], dict[str, int]],
        looks: Callable[..., Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(deletion, "BATCH_ROWS", 50)
        delete(database, large)
        steps: list[str] = []

        def die(step: str) -> None:
            steps.append(step)
            if len(steps) == 5:
                raise KeyboardInterrupt

        before = left(large)
        whole = sum(before.values())
        with pytest.raises(KeyboardInterrupt):
            remover(database, settings, checkpoint=die).drain()
        assert 0 < sum(left(large).values()) < whole
        looks("UPDATE job SET lease_until = now() - interval '1 s' WHERE state = 'running'")
        with database.open_platform() as platform:
            assert len(queue.requeue_jobs_with_expired_leases(platform)) == 1
        remover(database, settings).drain()
        assert left(large) == {}
        erased, asked = receipts_of(database, large)
        assert asked == ("space.delete", {})
        # One receipt of both runs. Triggers note what goes, so some tables lose more than they had.
        assert erased[0] == "space.erase"
        assert {table for table, rows in before.items() if erased[1].get(table, 0) < rows} == set()

    @pytest.mark.soak
    def test_what_came_in_as_it_was_closed_goes_with_it(
        self,
        database: Database,
        settings: Settings,
        large: Home,
        left: Callable[[Home], dict[str, int]],
        looks: Callable[..., Any],
    ) -> None:
        """A job that was submitted in between finds no space; it does not keep the row either."""
        delete(database, large)
        looks(
            "INSERT INTO job (knowledge_space_id, id, tenant_id, kind) VALUES (:space, :id, :tenant, :kind)",
            space=large.space_id,
            id=create_id(),
            tenant=large.tenant_id,
            kind=IngestDocuments.kind,
        )
        remover(database, settings).drain()
        assert left(large) == {}

    @pytest.mark.soak
    def test_no_failure_is_the_last(
        self,
        database: Database,
        settings: Settings,
        large: Home,
        left: Callable[[Home], dict[str, int]],
        looks: Callable[..., Any],
    ) -> None:
        """Nobody can ask again for a space that nobody finds."""
        delete(database, large)

        def fail(_step: str) -> None:
            raise ZeroDivisionError

        looks("UPDATE job SET failures = 7, crash_count = 9")
        remover(database, settings, checkpoint=fail).drain()
        (found,) = looks("SELECT state, failures FROM job WHERE kind = :kind", kind=DeleteSpace.kind)
        assert tuple(found) == ("queued", 8)
        looks("UPDATE job SET run_after = now()")
        remover(database, settings).drain()
        assert left(large) == {}
