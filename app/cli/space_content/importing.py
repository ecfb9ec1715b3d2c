"""The command that brings an exported space back."""

from typing import Annotated

import typer

from app.cli.context import ACTOR, operator
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import say, show_json
from app.space_import import service as imports


def import_space(
    file: Annotated[
        typer.FileBinaryRead, typer.Argument(help="The jsonl of `citegraph export`; - reads stdin.")
    ],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Write an exported space into an empty one: all of the file, or nothing."""
    with operator(tenant) as me, me.space(space) as session:
        made = imports.import_space(session, file, actor=ACTOR)
    if as_json:
        show_json({"rows": dict(made.rows), "job": made.job_id})
        return
    say(", ".join(f"{count:,} {kind}s" for kind, count in made.rows.items()) + ".")
    say(f"A worker gives them vectors: job {made.job_id}.")
