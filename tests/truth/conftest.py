"""Two running services for the scenarios, made at their first use: one reads by rules, one asks a model."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import as_conninfo
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.support.containers import valkey_server
from tests.support.database_copies import copy_database
from tests.support.http_client import Target
from tests.support.pooler import as_app
from tests.support.service import OPERATOR_KEY, await_ready, command, free_port, make_tenant
from tests.truth.scenario import read_scenarios
from tests.truth.truthful_model import TruthfulAnswerer


@contextmanager
def _service(url: URL, folder: Path, **chosen: Any) -> Iterator[Target]:
    """API and worker as processes on this database, with one tenant."""
    folder.mkdir(parents=True)
    with valkey_server(folder) as redis_url:
        settings = Settings(
            database_url=as_app(url).render_as_string(hide_password=False),
            redis_url=redis_url,
            home=folder / "home",
            operator_key=OPERATOR_KEY,
            port=free_port(),
            worker_concurrency=1,
            # They would run long after the history has ended.
            communities=False,
            summaries=False,
            **chosen,
        )
        with command(settings, "serve", folder) as api, command(settings, "worker", folder):
            await_ready(settings.port, api, folder)
            yield make_tenant(settings.port, "truth")


@pytest.fixture(scope="session")
def service(
    admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Target]]:
    """The access to the running service of a mode, `rules` or `model`."""
    started: dict[str, Target] = {}
    folder = tmp_path_factory.mktemp("truth")
    with ExitStack() as stack:

        def of(mode: str) -> Target:
            if mode not in started:
                name = f"citegraph_truth_{secrets.token_hex(6)}"
                copy_database(admin_url, name, template=template)
                stack.callback(_drop, admin_url, name)
                chosen: dict[str, Any] = {}
                if mode == "model":
                    claims = [claim for each in read_scenarios() for claim in each.claims]
                    double = stack.enter_context(ModelDouble(TruthfulAnswerer(claims)))
                    chosen = {"openai_api_key": "unused", "openai_base_url": double.base_url}
                url = admin_url.set(database=name)
                started[mode] = stack.enter_context(_service(url, folder / mode, **chosen))
            return started[mode]

        yield of


def _drop(admin_url: URL, name: str) -> None:
    with psycopg.connect(as_conninfo(admin_url), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
