"""The options that select a space, on this machine or on a server, and the target that they open."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from app import wiring
from app.cli.context import start_servers_and_connect_operator
from app.cli.files import FileReader
from app.cli.output import print_note
from app.cli.targets.database import DatabaseTarget
from app.cli.targets.shapes import FileTarget
from app.errors import ConfigurationError
from app.lazy import import_object
from app.settings import read_settings

Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        envvar="CITEGRAPH_URL",
        show_envvar=True,
        help="Address of a server that has the space; by default this machine's database.",
    ),
]
ApiKey = Annotated[
    str | None,
    typer.Option(
        "--api-key",
        envvar="CITEGRAPH_API_KEY",
        show_envvar=True,
        help="Key for that server. Prefer the variable: process lists show command lines.",
    ),
]


@contextmanager
def open_file_target(
    space: str, tenant: str | None, server: str | None, api_key: str | None, *, by_model: bool = True
) -> Iterator[FileTarget]:
    """Yield the space with that name or id, from the database or the server. Raises CitegraphError."""
    if not server:
        with start_servers_and_connect_operator(tenant) as operator:
            yield DatabaseTarget(operator.citegraph, operator.find_space(space), by_model=by_model)
        return
    if tenant is not None:
        raise typer.BadParameter(
            "--tenant applies to this machine's database; a server takes it from the key."
        )
    if not api_key:
        raise ConfigurationError(f"Set CITEGRAPH_API_KEY or --api-key to a key of {server}.")
    settings = read_settings()
    sandbox = wiring.make_sandbox(settings)
    try:
        reader = FileReader(settings.max_upload_bytes, lambda: sandbox)
        with import_object("app.cli.targets.server:open_server_target")(
            server, api_key, space, reader
        ) as target:
            print_note(f"The space {space} of {server}.")
            yield target
    finally:
        sandbox.close()
