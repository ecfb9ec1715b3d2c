"""Commands that are imported only when they are called: importing all of them takes seconds."""

from typing import Any

import typer
from typer.core import TyperCommand

from app.lazy import import_object


class LazyCommand(TyperCommand):
    """A command or group of commands; only its name and summary are known until it is called."""

    def __init__(self, name: str, reference: str, summary: str) -> None:
        super().__init__(name, help=summary)
        self._reference = reference

    def load_command(self) -> Any:
        """Import the command and return what typer makes of its function or group."""
        loaded_command = import_object(self._reference)
        if isinstance(loaded_command, typer.Typer):
            return typer.main.get_group(loaded_command)
        single_command = typer.Typer(add_completion=False, rich_markup_mode=None)
        single_command.command(self.name)(loaded_command)
        return typer.main.get_command(single_command)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Return the context of the imported command, which is then invoked, completed or explained."""
        return self.load_command().make_context(info_name, args, parent=parent, **extra)
