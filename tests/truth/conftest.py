"""The services of the scenarios, made at their first use: one reads by rules, one asks a model."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from app.llm.testing import ModelDouble
from tests.truth.scenario import read_scenarios
from tests.truth.services import Service, in_process, in_processes
from tests.truth.truthful_model import TruthfulAnswerer

ServiceOf = Callable[[str], Service]
"""The service of a mode, `rules` or `model`."""
Start = Callable[..., AbstractContextManager[Service]]
"""Starts a service in a folder, with further settings."""


class _Services:
    """One service for each mode, started when a test first asks for it."""

    def __init__(self, stack: ExitStack, start: Start, folder: Path) -> None:
        self._stack = stack
        self._start = start
        self._folder = folder
        self._started: dict[str, Service] = {}

    def __call__(self, mode: str) -> Service:
        """Return the service of the mode."""
        if mode not in self._started:
            chosen: dict[str, Any] = {}
            if mode == "model":
                claims = [claim for scenario in read_scenarios() for claim in scenario.claims]
                double = self._stack.enter_context(ModelDouble(TruthfulAnswerer(claims)))
                chosen = {"openai_api_key": "unused", "openai_base_url": double.base_url}
            self._started[mode] = self._stack.enter_context(self._start(self._folder / mode, **chosen))
        return self._started[mode]


@pytest.fixture(scope="session")
def service_in_process(
    admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceOf]:
    """The services in this process."""
    with ExitStack() as stack:
        start = partial(in_process, admin_url, template)
        yield _Services(stack, start, tmp_path_factory.mktemp("truth"))


@pytest.fixture(scope="session")
def service_by_http(
    admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceOf]:
    """The services as processes."""
    with ExitStack() as stack:
        start = partial(in_processes, admin_url, template)
        yield _Services(stack, start, tmp_path_factory.mktemp("truth-by-http"))
