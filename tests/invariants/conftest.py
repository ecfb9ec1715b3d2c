"""One installation for the tests of a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.invariants.world import World, open_world


@pytest.fixture(scope="module")
def world(module_url: URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """An installation that reads by rules, in this process."""
    folder: Path = tmp_path_factory.mktemp("invariants")
    with open_world(module_url, folder) as opened:
        yield opened
