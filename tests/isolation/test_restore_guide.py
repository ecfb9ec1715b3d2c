"""The guide to backup and restore in docs/operation.md is run as it stands (review B4, requirement 18.4)."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.pool import NullPool

from app.db.engine import convert_to_conninfo
from app.db.policies import get_wall
from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from tests.isolation.conftest import World
from tests.support.pooler import as_app

GUIDE = Path(__file__).parents[2] / "docs" / "operation.md"
RESTORED = "citegraph_restored"


def guide() -> str:
    """The commands of the guide, in their order."""
    section = GUIDE.read_text("utf-8").partition("## Backup and restore\n")[2].partition("\n## ")[0]
    commands = "".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))
    assert {"pg_dump", "createdb", "pg_restore", "citegraph migrate", "citegraph doctor"} <= set(
        re.findall(r"^(?:citegraph \w+|pg_\w+|createdb)", commands, re.MULTILINE)
    )
    return commands


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The folder of pg_dump and its kin."""
    try:
        return EmbeddedPostgres(tmp_path).find_program("pg_dump").parent
    except ConfigurationError:
        pytest.skip("no pg_dump without the embedded server's package")


@pytest.fixture
def restored_url(own_world: World) -> Iterator[URL]:
    """Where the guide puts the restored database; dropped at the end."""
    drop = f"DROP DATABASE IF EXISTS {RESTORED} WITH (FORCE)".encode()
    with psycopg.connect(convert_to_conninfo(own_world.url), autocommit=True) as admin:
        admin.execute(drop)
        yield own_world.url.set(database=RESTORED)
        admin.execute(drop)


def rows_by_space(url: URL, world: World) -> dict[str, dict[object, int]]:
    """Table → space, or tenant, or None where rows have neither → rows."""
    counts: dict[str, dict[object, int]] = {}
    with create_engine(url, poolclass=NullPool).connect() as connection:
        for relation in world.catalogue.tables:
            owner = next(
                (name for name in ("knowledge_space_id", "tenant_id") if relation.has_column(name)), "NULL"
            )
            found = connection.execute(
                text(f"SELECT {owner}::text, count(*) FROM {relation.quoted_name} GROUP BY 1")
            )
            counts[relation.name] = {row[0]: int(row[1]) for row in found}
    return counts


@pytest.mark.soak
@pytest.mark.usefixtures("steady_roles")
@pytest.mark.one_machine("a cluster is backed up node by node: see docs/citus.md")
def test_the_guide_ends_healthy_with_all_rows_and_all_walls(
    own_world: World, programs: Path, restored_url: URL, tmp_path: Path
) -> None:
    before = rows_by_space(own_world.url, own_world)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEGRAPH_")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", guide()],
        cwd=tmp_path,
        env={
            **kept,
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "CITEGRAPH_MIGRATION_DATABASE_URL": convert_to_conninfo(own_world.url),
            "CITEGRAPH_DATABASE_URL": convert_to_conninfo(own_world.app_url),
            "CITEGRAPH_APP_PASSWORD": own_world.app_url.password or "unused where nobody asks for one",
            "RESTORED_MIGRATION_DATABASE_URL": convert_to_conninfo(restored_url),
            "RESTORED_DATABASE_URL": convert_to_conninfo(as_app(restored_url)),
            "CITEGRAPH_REDIS_URL": "redis://127.0.0.1:1/0",
            "CITEGRAPH_HOME": str(tmp_path / "home"),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "Healthy: every check passes." in done.stdout
    assert "✗" not in done.stdout
    assert rows_by_space(restored_url, own_world) == before
    # Without a space the application sees nothing of any.
    with create_engine(as_app(restored_url), poolclass=NullPool).connect() as connection:
        for relation in own_world.catalogue.tables:
            if get_wall(relation) != "none":
                count = connection.execute(text(f"SELECT count(*) FROM {relation.quoted_name}")).scalar_one()
                assert count == 0, relation.name
