"""What stays after an erasure, and what a backup holds (requirement 1.4; plan items 10 and 14; fact 12)."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.pool import NullPool

from app.db.doctor.table_verdicts import examine_foreign_keys_for_orphans
from app.db.engine import convert_to_conninfo
from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from app.tenancy.spaces import tenant_deletion
from tests.isolation.conftest import CANARY_A, CANARY_B, World
from tests.support.schema.catalogue import Catalogue
from tests.support.schema.lint import lint


def counts(url: URL, catalogue: Catalogue) -> dict[str, int]:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return {
            table.name: connection.execute(text(f"SELECT count(*) FROM {table.quoted_name}")).scalar_one()
            for table in catalogue.tables
        }


class TestErase:
    def test_no_column_of_any_table_keeps_the_tenant(self, own_world: World) -> None:
        """Plan item 10: every row as text, from the catalogue; one audit row without a tenant stays."""
        gone = (own_world.a.tenant_id, own_world.a.space_id)
        tenant_deletion.delete_tenant(own_world.database, own_world.a.tenant_id, actor="test")
        traces = {}
        with own_world.privileged.connect() as connection:
            for relation in own_world.catalogue.tables:
                found = connection.execute(
                    text(
                        f"SELECT count(*) FROM {relation.quoted_name} AS each"
                        " WHERE each::text LIKE ANY(ARRAY[:tenant, :space, :canary])"
                    ),
                    {"tenant": f"%{gone[0]}%", "space": f"%{gone[1]}%", "canary": f"%{CANARY_A}%"},
                )
                traces[relation.name] = found.scalar_one()
        assert {name: count for name, count in traces.items() if count} == {"audit_event": 1}


class TestDump:
    @pytest.fixture
    def programs(self, tmp_path: Path) -> EmbeddedPostgres:
        embedded = EmbeddedPostgres(tmp_path)
        try:
            embedded.find_program("pg_dump")
        except ConfigurationError:
            pytest.skip("no pg_dump without the embedded server's package")
        return embedded

    @pytest.fixture
    def restored_url(self, own_world: World) -> Iterator[URL]:
        """An empty database beside the dumped one."""
        name = f"{own_world.url.database}_restored"
        with psycopg.connect(convert_to_conninfo(own_world.url), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}".encode())
            yield own_world.url.set(database=name)
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def dump(
        self, programs: EmbeddedPostgres, world: World, *options: str, role: str = "citegraph_backup"
    ) -> str:
        done = subprocess.run(
            [programs.find_program("pg_dump"), f"--role={role}", *options, convert_to_conninfo(world.url)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PGCONNECT_TIMEOUT": "5"},
        )
        return done.stdout

    def test_holds_every_tenant_until_one_is_erased(
        self, own_world: World, programs: EmbeddedPostgres
    ) -> None:
        whole = self.dump(programs, own_world)
        assert CANARY_A in whole
        assert CANARY_B in whole
        tenant_deletion.delete_tenant(own_world.database, own_world.a.tenant_id, actor="test")
        after = self.dump(programs, own_world)
        assert CANARY_A not in after
        assert str(own_world.a.space_id) not in after
        assert CANARY_B in after

    @pytest.mark.soak
    def test_fails_loudly_for_a_role_under_row_security(
        self, own_world: World, programs: EmbeddedPostgres
    ) -> None:
        """Fact 12: an error is good, an empty backup would not be."""
        with pytest.raises(subprocess.CalledProcessError) as caught:
            self.dump(programs, own_world, role="citegraph_inspect")
        assert "row-level security" in caught.value.stderr or "permission denied" in caught.value.stderr

    @pytest.mark.soak
    @pytest.mark.one_machine("a cluster is backed up node by node: a dump has no rows of its workers")
    def test_a_restored_dump_has_the_same_rows_and_walls(
        self, own_world: World, programs: EmbeddedPostgres, restored_url: URL
    ) -> None:
        before = counts(own_world.url, own_world.catalogue)
        done = subprocess.run(
            [
                programs.find_program("psql"),
                "--no-psqlrc",
                "--quiet",
                "--set=ON_ERROR_STOP=1",
                convert_to_conninfo(restored_url),
            ],
            input=self.dump(programs, own_world),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert counts(restored_url, own_world.catalogue) == before
        assert min(before.values()) >= 1
        with create_engine(restored_url, poolclass=NullPool).connect() as connection:
            verdicts = [*lint(connection), *examine_foreign_keys_for_orphans(connection)]
            assert [verdict for verdict in verdicts if verdict.problems] == []
            forced = connection.execute(
                text("SELECT count(*) FROM pg_class WHERE relrowsecurity AND relforcerowsecurity")
            ).scalar_one()
        assert forced == sum(table.forced for table in own_world.catalogue.tables)
