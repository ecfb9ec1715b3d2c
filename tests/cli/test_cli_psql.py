"""`citegraph psql --print-url` prints an address that libpq and psql take as it is (review B9)."""

import subprocess
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from app.runtime.postgres import EmbeddedPostgres
from app.settings import Settings
from tests.cli.conftest import Call
from tests.conftest import Home


def test_all_statements_are_run_in_their_order(
    citegraph: Call,
    home: Home,
    privileged_url: URL,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(
        "CITEGRAPH_MIGRATION_DATABASE_URL", privileged_url.render_as_string(hide_password=False)
    )
    done = citegraph("psql", "--space", "library", "-c", "SELECT 'first'", "--command", "SELECT 'second'")
    assert done.exit_code == 0, done.output
    printed = capfd.readouterr().out
    assert 0 < printed.find("first") < printed.find("second")


def test_the_printed_address_opens_that_space(
    citegraph: Call, home: Home, privileged_url: URL, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "CITEGRAPH_MIGRATION_DATABASE_URL", privileged_url.render_as_string(hide_password=False)
    )
    printed = citegraph("psql", "--space", "library", "--print-url")
    assert printed.exit_code == 0, printed.output
    address = printed.stdout.strip()
    with psycopg.connect(address) as connection:
        opened = connection.execute("SELECT current_setting('app.space_id')").fetchone()
    assert opened == (str(home.space_id),)
    psql = EmbeddedPostgres(settings.home or Path()).find_program("psql")
    by_psql = subprocess.run(
        [psql, "-X", "-At", "-c", "SHOW app.space_id", address],
        capture_output=True,
        text=True,
        check=True,
    )
    assert by_psql.stdout.strip() == str(home.space_id)
