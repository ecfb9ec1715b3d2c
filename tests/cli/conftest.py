"""The command line on the test's own database, called in this process."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli.main import app
from app.db.database import Database
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.support.ingest import ingest_now, text

Call = Callable[..., Result]

# No server listens there: wake-ups are lost, and losing them loses nothing.
NO_BROKER = "redis://127.0.0.1:1/0"


@pytest.fixture
def citegraph(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls `citegraph …` as the operator of this database."""
    assert settings.database_url is not None
    monkeypatch.setenv("CITEGRAPH_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("CITEGRAPH_REDIS_URL", NO_BROKER)
    monkeypatch.setenv("CITEGRAPH_HOME", str(settings.home))
    monkeypatch.setenv("CITEGRAPH_TENANT", "tenant-a")

    def call(*arguments: str | Path, input: str | None = None) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)

    return call


def read_json(result: Result) -> Any:
    """What the command printed, which must be JSON and nothing else."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


FACTS = (
    "Ada Lovelace created Analytical Engine Notes. {canary} created Analytical Engine Notes. "
    "Charles Babbage founded Difference Engine Works in London. "
    "{canary} works for Difference Engine Works."
)


@pytest.fixture
def filled(database: Database, settings: Settings) -> tuple[Home, Home]:
    """Tenants A and B with a space of the same name and like facts; each names its own canary."""
    return fill(database, settings)


def fill(database: Database, settings: Settings) -> tuple[Home, Home]:
    """Make them in that database."""
    homes = make_home(database, "tenant-a"), make_home(database, "tenant-b")
    for home, canary in zip(homes, ("Alma Canary", "Bruno Magpie"), strict=True):
        ingest_now(
            database, settings, home, [text(FACTS.format(canary=canary), title="Notes", source_uri="notes")]
        )
    return homes
