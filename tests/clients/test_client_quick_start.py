"""The README's quick start, in a fresh environment that has the client and nothing of the service."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import Service

PROJECT = Path(__file__).resolve().parents[2]
CLIENT = PROJECT / "clients" / "python"


def quick_start() -> str:
    """The one Python example of the README."""
    (code,) = re.findall(r"```python\n(.*?)```", (CLIENT / "README.md").read_text("utf-8"), re.DOTALL)
    return str(code)


@pytest.fixture(scope="module")
def fresh_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment with the client, at the versions of the lock."""
    folder = tmp_path_factory.mktemp("fresh")
    # A build leaves files beside the source.
    shutil.copytree(CLIENT, folder / "client", ignore=shutil.ignore_patterns("generator", "__pycache__"))
    python = folder / "venv" / "bin" / "python"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    locked = ["--python", str(python), "--constraint", str(PROJECT / "requirements.lock")]
    for arguments in (
        ["venv", "--python", sys.executable, str(folder / "venv")],
        ["pip", "install", *locked, "setuptools"],
        ["pip", "install", *locked, "--no-build-isolation", str(folder / "client")],
    ):
        done = subprocess.run([*uv, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return python


def run(python: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-I", "-W", "error", "-c", code],
        cwd=python.parent,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_it_has_fifteen_lines_at_most() -> None:
    assert len([line for line in quick_start().splitlines() if line.strip()]) <= 15


@pytest.mark.soak
def test_nothing_of_the_service_is_there(fresh_python: Path) -> None:
    for module in ("app", "fastapi", "sqlalchemy", "celery"):
        assert "ModuleNotFoundError" in run(fresh_python, f"import {module}").stderr


@pytest.mark.soak
def test_types_come_with_it(fresh_python: Path) -> None:
    code = (
        "import citegraph_client, pathlib;"
        "print((pathlib.Path(citegraph_client.__file__).parent / 'py.typed').is_file())"
    )
    assert run(fresh_python, code).stdout.strip() == "True"


@pytest.mark.soak
@pytest.mark.slow
def test_the_quick_start_works(fresh_python: Path, service: Service) -> None:
    done = run(
        fresh_python,
        quick_start(),
        CITEGRAPH_URL=service.url,
        CITEGRAPH_API_KEY=service.tenant("quick"),
    )
    assert done.returncode == 0, done.stderr
    assert "Michael Stonebraker Person" in done.stdout
    assert "[1] Ingres: 'Michael Stonebraker created Ingres.'" in done.stdout
