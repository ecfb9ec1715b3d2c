"""Commands that are imported when they are called: all of them together take seconds of processor."""

from typing import Any

import typer
from typer.core import TyperCommand

from app.lazy import imported


class LazyCommand(TyperCommand):
    """A command or a family of commands, of which only name and summary are known until it is called."""

    def __init__(self, name: str, reference: str, summary: str) -> None:
        super().__init__(name, help=summary)
        self._reference = reference

    def load_command(self) -> Any:
        """The command itself, as typer makes it of the function or the group at its place."""
        loaded = imported(self._reference)
        if isinstance(loaded, typer.Typer):
            return typer.main.get_group(loaded)
        single_command = typer.Typer(add_completion=False, rich_markup_mode=None)
        single_command.command(self.name)(loaded)
        return typer.main.get_command(single_command)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the command itself, which is what will be invoked, completed or explained."""
        return self.load_command().make_context(info_name, args, parent=parent, **extra)
