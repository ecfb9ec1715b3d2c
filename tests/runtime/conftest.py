"""Folders that the server's user can reach, whoever runs the tests."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.runtime.server_directory import read_layout


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose parents everybody may pass, unlike pytest's own."""
    made = Path(tempfile.mkdtemp(prefix="cgt-"))
    made.chmod(0o755)
    yield made / "server"
    shutil.rmtree(made)


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder below one of mode 0700, as in a home directory."""
    made = Path(tempfile.mkdtemp(prefix="cgt-"))
    folder = made / "project" / "server"
    yield folder
    layout = read_layout(folder)
    if layout is not None:
        shutil.rmtree(layout.home)
    shutil.rmtree(made)


@pytest.fixture
def nobodys_folder() -> Iterator[Path]:
    """A folder of the user nobody. Skips where the tests do not run as root."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user; these tests already run as an ordinary one")
    made = Path(tempfile.mkdtemp(prefix="cgt-"))
    os.chown(made, 65534, 65534)
    yield made / "server"
    shutil.rmtree(made)
