"""A command starts without importing what it does not need: counted in modules, not in seconds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from app.cli.lazy import LazyCommand
from app.cli.main import COMMANDS, app

PROJECT = Path(__file__).resolve().parents[2]
MARK = "MODULES OF THE PROCESS"
# What takes most of the time, and belongs to some commands alone.
HEAVY = {"alembic", "app.wiring", "celery", "fastapi", "igraph", "numpy", "openai", "pydantic", "sqlalchemy"}


def modules_after(code: str, **environment: str) -> set[str]:
    """All modules that a fresh process has imported once it has run this."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nsys.stderr.write('{MARK}' + ' '.join(sys.modules))"],
        cwd=PROJECT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.partition(MARK)[2].split())


MAIN = """
from app.cli.main import main
sys.argv = ['citegraph', {arguments}]
try:
    main()
except SystemExit:
    pass
"""


@pytest.mark.parametrize("arguments", ["'--help'", ""])
def test_the_list_of_commands_imports_none_of_them(arguments: str) -> None:
    """2.7 seconds of processor with all of them."""
    modules = modules_after(MAIN.format(arguments=arguments))
    assert modules & HEAVY == set()
    assert {each for each in modules if each.startswith("app.")} == {
        "app.cli",
        "app.cli.lazy",
        "app.cli.main",
    }
    assert len(modules) < 300


def test_completing_a_command_s_name_imports_none_of_them() -> None:
    """A key pressed in the shell: it waits for this process."""
    modules = modules_after(
        MAIN.format(arguments=""),
        _CITEGRAPH_COMPLETE="complete_bash",
        _TYPER_COMPLETE_ARGS="citegraph su",
        COMP_WORDS="citegraph su",
        COMP_CWORD="1",
    )
    # The completion itself reads its words with pydantic.
    assert modules & HEAVY <= {"pydantic"}


@pytest.mark.parametrize(
    ("place", "absent"),
    [
        ("app.cli.processes.serve", {"openai", "workers.main"}),
        ("app.cli.processes.worker", {"alembic", "fastapi", "app.main", "openai", "uvicorn"}),
        ("app.cli.servers", {"fastapi", "app.main", "openai", "uvicorn", "workers.main"}),
        ("app.cli.demo", {"fastapi", "app.main", "openai", "uvicorn", "workers.main"}),
        ("app.cli.graph", {"alembic", "fastapi", "app.main", "openai", "uvicorn", "workers.main"}),
    ],
)
def test_a_command_imports_no_other_command_s_libraries(place: str, absent: set[str]) -> None:
    assert modules_after(f"import {place}") & absent == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_in_the_list_is_the_first_sentence_of_the_command_s_own_help(name: str) -> None:
    listed = typer.main.get_group(app).commands[name]
    assert isinstance(listed, LazyCommand)
    command = listed.load()
    assert command.name == name
    assert listed.get_short_help_str(limit=1_000) == command.get_short_help_str(limit=1_000)
