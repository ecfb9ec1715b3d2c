"""Options shared by several commands, and groups that print an error as one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer
from typer.core import TyperGroup

from app.cli.output import print_error
from app.db.errors import DATABASE_ERRORS, describe_error, get_sqlstate, is_busy, is_unreachable
from app.errors import CitegraphError, NotFound

Tenant = Annotated[
    str | None,
    typer.Option("--tenant", help="Tenant to act for, by name or id (else CITEGRAPH_TENANT, else demo)."),
]
Space = Annotated[str, typer.Option("--space", "-s", help="Knowledge space, by name or id.")]
SpaceName = Annotated[str, typer.Argument(help="Name or id.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of rows to list.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

TIME_FORMATS = [
    "%Y-%m-%d",
    *(f"%Y-%m-%dT%H:%M{seconds}{zone}" for seconds in ("", ":%S", ":%S.%f") for zone in ("", "%z")),
]
"""Accepted formats of a time; among them that in which the program prints times."""

AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", formats=TIME_FORMATS, help="Claims that held then, in UTC unless it has a zone."),
]

_NOT_MIGRATED = frozenset({"42P01", "42703"})
_WHERE_THE_ADDRESS_IS_SET = (
    "The address is CITEGRAPH_DATABASE_URL; `citegraph migrate` and `citegraph maintain` use"
    " CITEGRAPH_MIGRATION_DATABASE_URL if it is set."
)


def parse_id(text: str, kind: str) -> UUID:
    """Parse an id. Raises NotFound for any other text, since it names nothing."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(f"{kind}: {text}") from None


def convert_to_utc(time: datetime | None) -> datetime | None:
    """Return the time with UTC as its zone if it has none."""
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time


class Group(TyperGroup):
    """A group of commands whose expected failures print one sentence on stderr and exit with code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command inside `print_failures_and_exit`."""
        with print_failures_and_exit():
            return super().invoke(ctx)


@contextmanager
def print_failures_and_exit() -> Iterator[None]:
    """Turn expected exceptions into a sentence on stderr and typer.Exit."""
    try:
        yield
    except CitegraphError as error:
        print_error(error.message)
        raise typer.Exit(1) from None
    except DATABASE_ERRORS as error:
        print_error(_describe_database_error(error))
        raise typer.Exit(1) from None
    except BrokenPipeError:
        raise typer.Exit(1) from None
    except OSError as error:
        reason = error.strerror or str(error)
        print_error(f"{error.filename}: {reason}." if error.filename else f"{reason}.")
        raise typer.Exit(1) from None


def _describe_database_error(error: Exception) -> str:
    sqlstate = get_sqlstate(error)
    if sqlstate in _NOT_MIGRATED:
        return "The database is not set up for this version: run `citegraph migrate`."
    if is_unreachable(error):
        cause = describe_error(error)["cause"] or type(error).__name__
        hint = _WHERE_THE_ADDRESS_IS_SET
        if "does not exist" in cause:
            hint = "Create the database if it is missing; `citegraph migrate` creates the login."
        return f"The database cannot be reached: {cause.rstrip('.')}. {hint}"
    if is_busy(error):
        return f"The database had no time or room for this; try again (SQLSTATE {sqlstate})."
    return f"The database refused the command (SQLSTATE {sqlstate})."


def make_group(name: str, help: str) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(name=name, help=help, cls=Group, no_args_is_help=True, rich_markup_mode=None)
