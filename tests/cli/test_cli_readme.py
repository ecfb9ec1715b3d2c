"""Documents tell of every setting and every command, as the code has them now."""

import re
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
import yaml
from typer.core import TyperGroup

from app.cli.lazy import LazyCommand
from app.cli.main import app
from app.cli.nodes import Nodes
from app.settings import Settings
from tests.support.generated_docs import COMPOSE_SETS, PARTS, PROJECT, variables_of, with_generated

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.parametrize(("file", "begin", "make", "end"), PARTS, ids=[part[0] for part in PARTS])
def test_what_is_generated_is_what_the_code_has(
    file: str, begin: str, make: Callable[[], str], end: str
) -> None:
    """Review B6 and B8: settings in documents and in Docker Compose are those that there are."""
    text = (PROJECT / file).read_text("utf-8")
    assert with_generated(text, begin, make(), end) == text, "Run `make docs`."


def test_every_setting_has_its_row_and_reaches_the_containers() -> None:
    told = (PROJECT / "docs" / "settings.md").read_text("utf-8")
    assert all(f"`CITEGRAPH_{name.upper()}`" in told for name in Settings.model_fields)
    services = yaml.safe_load((PROJECT / "docker-compose.yml").read_text("utf-8"))["services"]
    for name in ("migrate", "api", "worker", "maintain"):
        passed = set(services[name]["environment"])
        handed_on = {field_name for field_name in Settings.model_fields if field_name not in COMPOSE_SETS}
        assert {line for line in handed_on if passed.isdisjoint(variables_of(line))} == set(), name
    assert set(Settings.model_fields) >= COMPOSE_SETS


def test_the_changelog_says_nothing_twice() -> None:
    """Review B6."""
    unreleased = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    entries = re.findall(r"^- (.+?)(?=^- |^#|\Z)", unreleased, re.MULTILINE | re.DOTALL)
    assert [entry for entry, times in Counter(entries).items() if times > 1] == []


def test_links_between_documents_lead_somewhere() -> None:
    """Review B6: a link to a file that is gone."""
    documents = [
        *PROJECT.glob("*.md"),
        *(PROJECT / "docs").rglob("*.md"),
        *(PROJECT / "examples").glob("*.md"),
    ]
    assert len(documents) > 50
    broken = [
        f"{document.relative_to(PROJECT)}: {link}"
        for document in documents
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", document.read_text("utf-8"))
        if ":" not in link and not (document.parent / link).exists()
    ]
    assert broken == []


# The file of a project that ours is compared with.
OF_OTHERS = {"docs/LightRAG-API-Server.md"}


def test_files_that_documents_name_are_there() -> None:
    """Review B6: a file in backticks that is gone. Decisions and the changelog tell of what was."""
    documents = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *(PROJECT / "docs").glob("*.md")]
    named = re.compile(
        r"`((?:app|workers|tests|docs|benchmarks|examples|alembic|clients)/[\w./-]+\.[a-z]{2,5})`"
    )
    gone = [
        f"{document.name}: {path}"
        for document in documents
        for path in named.findall(document.read_text("utf-8"))
        if path not in OF_OTHERS and not (PROJECT / path).exists()
    ]
    assert gone == []


def test_readme_names_no_path_of_one_machine() -> None:
    text = README.read_text()
    assert not re.search(r"(?<![\w.])/(home|Users|tmp|srv)/", text)


@pytest.mark.parametrize(("file", "least"), [("README.md", 10), ("docs/cli.md", 25)])
def test_each_command_that_is_shown_exists_with_its_options(file: str, least: int) -> None:
    shown = (PROJECT / file).read_text("utf-8")
    lines = re.findall(r"^(?:\$ )?citegraph (.+?)(?:  +#.*)?$", shown, re.MULTILINE)
    assert len(lines) >= least
    for line in lines:
        words = shlex.split(line)
        listed = typer.main.get_group(app).commands[words.pop(0)]
        assert isinstance(listed, LazyCommand)
        command = listed.load_command()
        while isinstance(command, TyperGroup):
            # `nodes WORDS` is short for `nodes list WORDS`.
            short = isinstance(command, Nodes) and words[0] not in command.commands
            command = command.commands["list" if short else words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, line
