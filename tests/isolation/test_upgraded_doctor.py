"""The doctor is green after an upgrade of a database that holds data (requirement 18.4)."""

import pytest
from alembic.config import Config
from sqlalchemy import text

from alembic import command
from app.db.doctor.examination import examine_database
from app.db.migrate import migrate, run_migration_step_with_retries
from app.db.scaling.distribute import distribute_database
from app.shipped_files import PROJECT
from tests.isolation.conftest import World
from tests.support.citus import SHARDS

NO_WAY_BACK = pytest.mark.one_machine("what those migrations put back has another form on a cluster")
COUNTED = ("tenant", "knowledge_space", "document", "knowledge_chunk", "graph_node", "graph_edge", "job")


def counts(world: World) -> dict[str, int]:
    with world.privileged.connect() as connection:
        return {
            table: int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
            for table in COUNTED
        }


@pytest.mark.slow
@pytest.mark.usefixtures("steady_roles")
@pytest.mark.soak
@pytest.mark.parametrize(
    "revision", [*(pytest.param(early, marks=NO_WAY_BACK) for early in ("0030", "0040")), "0050"]
)
def test_an_older_database_with_data_is_healthy_once_it_is_migrated(own_world: World, revision: str) -> None:
    before = counts(own_world)
    assert min(before.values()) >= 2
    address = own_world.url.render_as_string(hide_password=False)
    config = Config(PROJECT / "alembic.ini")
    run_migration_step_with_retries(address, config, lambda: command.downgrade(config, revision))
    (told,) = [
        verdict for verdict in examine_database(own_world.database).verdicts if verdict.state == "problem"
    ]
    assert f"is at migration {revision}" in told.sentences[0]
    migrate(address)
    if own_world.is_clustered:
        # New tables of content are distributed by it.
        distribute_database(address, shard_count=SHARDS)
    complaints = [
        (verdict.subject, verdict.sentences)
        for verdict in examine_database(own_world.database).verdicts
        if verdict.state == "problem"
    ]
    assert complaints == []
    assert counts(own_world) == before
