"""The supervisor starts what it was asked for, nothing else, and leaves nothing behind."""

from pathlib import Path

import pytest

from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.supervisor import EmbeddedServers

pytestmark = pytest.mark.slow


class TestEmbeddedServers:
    def test_starts_both_twice_in_a_row(self, folder: Path) -> None:
        for _ in range(2):
            with EmbeddedServers(folder) as servers:
                assert servers.database_url().startswith("postgresql+psycopg://postgres@/citegraph?host=/")
                assert servers.redis_url().startswith("unix:///")
                assert servers.celery_url().startswith("redis+socket:///")
                assert servers.postgres.is_running()
                assert servers.valkey.is_running()
            assert not servers.postgres.is_running()
            assert not servers.valkey.is_running()

    def test_starts_only_what_it_was_asked_for(self, folder: Path) -> None:
        with EmbeddedServers(folder, postgres=False) as servers:
            assert servers.valkey.is_running()
            assert not (folder / "postgres").exists()
            with pytest.raises(ConfigurationError, match="No embedded Postgres"):
                servers.database_url()

    def test_asked_for_nothing_it_makes_nothing(self, folder: Path) -> None:
        with EmbeddedServers(folder, postgres=False, valkey=False):
            assert not folder.exists()

    @pytest.mark.soak
    def test_a_server_that_cannot_start_takes_the_others_down(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "valkey").write_text("a file, not a folder")
        with pytest.raises(ConfigurationError, match="cannot be made"):
            EmbeddedServers(folder).start()
        assert EmbeddedPostgres(folder / "postgres").pid() is None


def test_what_is_not_to_be_kept_is_gone_once_the_last_user_stops(folder: Path) -> None:
    """A run of tests or measurements leaves no data, also where the home lies outside of its folder."""
    servers = EmbeddedServers(folder, postgres=False, keeps_data=False)
    with servers, EmbeddedServers(folder, postgres=False, keeps_data=False):
        home = servers.valkey.log.parent
        assert home.is_dir()
    assert not home.exists()
    with EmbeddedServers(folder, postgres=False) as again:
        home = again.valkey.log.parent
    assert home.is_dir()
