"""The command that imports an exported space."""

import os
import stat
from typing import Annotated, BinaryIO

import typer

from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import print_line, show_json
from app.cli.progress_bars import show_read_progress
from app.transfer.space_import import service as imports


def import_space(
    file: Annotated[
        typer.FileBinaryRead, typer.Argument(help="A jsonl file of `citegraph export`; - reads stdin.")
    ],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Import an exported space into an empty one, completely or not at all."""
    with (
        start_servers_and_connect_operator(tenant) as operator,
        operator.open_space(space) as session,
        show_read_progress(file, "read", _measure_size(file)) as lines,
    ):
        receipt = imports.import_space(session, lines, actor=ACTOR)
    if as_json:
        show_json({"rows": dict(receipt.rows), "job": receipt.job_id})
        return
    print_line(", ".join(f"{count:,} {kind}s" for kind, count in receipt.rows.items()) + ".")
    print_line(f"A worker embeds them: job {receipt.job_id}.")


def _measure_size(file: BinaryIO) -> int | None:
    """Return the size of a regular file; None for a pipe."""
    try:
        status = os.fstat(file.fileno())
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
