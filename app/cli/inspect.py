"""Commands that look into the database: doctor and psql."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import Operator, connected, operator, servers
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import note, say, show_json, show_table
from app.db.doctor.examination import examine
from app.db.engine import as_conninfo, as_psycopg
from app.db.roles import INSPECT
from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from app.settings import read_settings

Command = Annotated[str | None, typer.Option("--command", "-c", help="Run this SQL and end.")]


def doctor(as_json: AsJson = False) -> None:
    """Try the walls between tenants on this database: a verdict per table, exit code 1 when one is down."""
    with operator() as me:
        report = examine(
            me.citegraph.database,
            vector_index_chunks=me.settings.vector_index_chunks,
            trusted=me.settings.trusted_subjects,
            migration_url=me.settings.migration_database_url,
        )
    if as_json:
        show_json(report.as_dict())
    else:
        show_table(
            ["", "TABLE", "WALL", "VERDICT"],
            (
                [
                    {"ok": "✓", "warning": "!"}.get(each.state, "✗"),
                    each.subject,
                    each.wall,
                    " ".join(each.sentences) or "holds",
                ]
                for each in report.verdicts
            ),
        )
        say()
        say(
            "Healthy: every wall holds."
            if report.healthy
            else "NOT healthy: the lines marked ✗ say what to mend."
        )
    if not report.healthy:
        raise typer.Exit(1)


def psql(space: Space, command: Command = None, tenant: Tenant = None) -> None:
    """Open psql as citegraph_inspect, who can read one space and change nothing."""
    settings = read_settings()
    with servers(settings) as ready:
        with connected(ready) as citegraph:
            tenant_id, space_id = Operator(citegraph, tenant or settings.tenant).space_id(space)
        assert ready.database_url is not None
        embedded = settings.database_url is None
        url = as_psycopg(ready.database_url)
        # One's own server knows the password of citegraph_inspect, and so does ~/.pgpass; we do not.
        target = as_conninfo(url.set(username=INSPECT, password=None))
        options = f"-c app.tenant_id={tenant_id} -c app.space_id={space_id}"
        line = [_program(settings.home / "postgres", embedded=embedded), target]
        if command is not None:
            line += ["--command", command]
        note(f"PGOPTIONS='{options}' psql '{target}'")
        note("Views: inspect_relation_types, inspect_top_nodes, inspect_edges, …; \\dv lists them.")
        # Ctrl-C is for psql, which ends a statement by it: this process only waits.
        before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            done = subprocess.run(line, env={**os.environ, "PGOPTIONS": options}, check=False)
        finally:
            signal.signal(signal.SIGINT, before)
    if done.returncode != 0:
        raise typer.Exit(1)


def _program(folder: Path, *, embedded: bool) -> str:
    """The psql to run: the embedded server's own, or the one on PATH. Raises ConfigurationError."""
    if embedded:
        return str(EmbeddedPostgres(folder).binary("psql"))
    found = shutil.which("psql")
    if found is None:
        raise ConfigurationError("There is no psql on PATH; install Postgres' client programs.")
    return found
