"""README tells of every setting and every command, as the code has them now."""

import re
import shlex
from pathlib import Path

import typer
from typer.core import TyperGroup

from app.cli.lazy import LazyCommand
from app.cli.main import app
from app.cli.nodes import Nodes
from app.cli.settings_table import settings_table
from app.settings import Settings

README = Path(__file__).resolve().parents[2] / "README.md"


def test_every_setting_stands_in_readme_with_default_and_description() -> None:
    text = README.read_text()
    for line in settings_table().splitlines():
        assert line in text, "Run `python -m app.cli.settings_table` and put its table into README.md."
    assert all(f"`CITEGRAPH_{name.upper()}`" in text for name in Settings.model_fields)


def test_readme_names_no_path_of_one_machine() -> None:
    text = README.read_text()
    assert not re.search(r"(?<![\w.])/(home|Users|tmp|srv)/", text)


def test_each_command_of_readme_exists_with_the_options_that_it_shows() -> None:
    lines = re.findall(r"^(?:\$ )?citegraph (.+?)(?:  +#.*)?$", README.read_text(), re.MULTILINE)
    assert len(lines) > 10
    for line in lines:
        words = shlex.split(line)
        listed = typer.main.get_group(app).commands[words.pop(0)]
        assert isinstance(listed, LazyCommand)
        command = listed.load()
        while isinstance(command, TyperGroup):
            # `nodes WORDS` is short for `nodes list WORDS`.
            short = isinstance(command, Nodes) and words[0] not in command.commands
            command = command.commands["list" if short else words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, line
