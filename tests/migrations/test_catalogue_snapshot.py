"""The catalogue that `citegraph doctor` expects is the one that the migrations make."""

from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.support.catalogue import CLUSTER_FILE, FILE, described, described_distribution
from tests.support.citus import AS_DISTRIBUTED
from tests.support.own_server import TEMPLATE, migrated_server


@pytest.mark.one_machine(AS_DISTRIBUTED)
def test_the_expected_catalogue_is_that_of_a_fresh_migration(privileged_url: URL) -> None:
    found = described(privileged_url)
    assert found == FILE.read_text("utf-8"), (
        "app/db/doctor/catalogue.json is not what the migrations make: run `make catalogue` and commit the"
        " file"
    )


def test_the_catalogue_of_a_cluster_is_what_distribute_makes(tmp_path: Path) -> None:
    """Roles are changed, so no other test's server."""
    with migrated_server(tmp_path) as server:
        assert described_distribution(server.set(database=TEMPLATE)) == CLUSTER_FILE.read_text("utf-8"), (
            "app/db/doctor/cluster_catalogue.json is not what `citegraph distribute` makes: run"
            " `make catalogue` and commit the file"
        )
