"""A running service, an attacker and a neighbour; each file of attacks has an installation of its own."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from app.settings import Settings
from tests.hostile.harness.installation import Installation, running
from tests.hostile.harness.neighbour import Beside, Report, TooSlow, neighbour
from tests.support.containers import valkey_server
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import as_app
from tests.support.service import OPERATOR_KEY

HERE = Path(__file__).parent
BASELINE_SECONDS = 2.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """An attack that was only too slow is made once more: what a second run confirms is the service's doing,
    what it does not was the machine's, whose cores the suite's other processes use as well.
    """
    again = pytest.mark.flaky(reruns=1, only_rerun=[TooSlow.__name__])
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(again)


@pytest.fixture(scope="module")
def hostile_url(admin_url: URL, template: str) -> Iterator[URL]:
    """A database of this file's own, as a superuser sees it."""
    name = f"citegraph_hostile_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    yield admin_url.set(database=name)
    drop_database(admin_url, name)


@pytest.fixture(scope="module")
def chosen() -> dict[str, Any]:
    """Settings that a file changes; the rest is as it comes."""
    return {}


@pytest.fixture(scope="module")
def installation(
    hostile_url: URL, chosen: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """API and worker as a user starts them, with the times of a neighbour whom nobody attacks."""
    folder = tmp_path_factory.mktemp("hostile")
    app_url = as_app(hostile_url)
    with valkey_server(folder) as redis_url:
        settings = Settings(
            database_url=app_url.render_as_string(hide_password=False),
            redis_url=redis_url,
            home=folder / "home",
            operator_key=OPERATOR_KEY,
            **chosen,
        )
        with running(settings, hostile_url, folder) as started:
            with neighbour(started) as alone:
                time.sleep(BASELINE_SECONDS)
            started.baseline = alone.line()
            print(f"\n{'nobody attacks':60} {started.baseline}")
            yield started


@pytest.fixture
def beside(installation: Installation, request: pytest.FixtureRequest) -> Beside:
    """A block through which the neighbour lives; at its end its report is printed (`-s` shows it) and must be
    good.
    """

    @contextmanager
    def live() -> Iterator[Report]:
        installation.calm()
        with neighbour(installation) as report:
            yield report
        print(f"\n{request.node.name[:60]:60} {report.line()}")
        report.check(installation.baseline)

    return live
