"""Commands that look into the database: doctor and psql."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import Operator, acting_operator, connected, servers
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import note, say, show_json, show_table
from app.db.doctor.examination import DoctorReport, examine
from app.db.engine import as_conninfo, as_psycopg
from app.db.inspection import make_login
from app.db.scaling.distribute import apply_plan, plan
from app.errors import ConfigurationError
from app.number_words import counted
from app.runtime.data_folder import find_data_folder
from app.runtime.postgres import EmbeddedPostgres
from app.settings import Settings, read_settings

Commands = Annotated[
    list[str] | None,
    typer.Option("--command", "-c", help="Run this SQL and end; given several times, all of it in order."),
]


def doctor(as_json: AsJson = False) -> None:
    """Try the walls between tenants on this database: a verdict per table, exit code 1 when one is down.

    On a Citus cluster also those of each node and shard.
    """
    with acting_operator() as operator:
        report = examine(
            operator.citegraph.database,
            vector_index_chunks=operator.settings.vector_index_chunks,
            trusted=operator.settings.trusted_subjects,
            migration_url=operator.settings.migration_database_url,
        )
    _show(report, as_json)


def distribute(
    run: Annotated[bool, typer.Option("--run", help="Take the steps at CITEGRAPH_CLUSTER_URL.")] = False,
    shards: Annotated[int, typer.Option(min=1, max=1024, help="Shards of each table.")] = 32,
    as_json: AsJson = False,
) -> None:
    """Print the statements that spread spaces over a Citus cluster, in their order; with --run, run them."""
    if run:
        step_count = len(plan(shards=shards))
        applied = apply_plan(
            cluster_url(read_settings()),
            shards=shards,
            tell=lambda number, step: note(f"{number} of {step_count}: {step.sql.splitlines()[0]}"),
        )
        note(f"{counted(len(applied), 'step')} taken; `citegraph doctor` examines what stands now.")
        return
    steps = plan(shards=shards)
    if as_json:
        show_json([{"phase": planned_step.phase, "sql": planned_step.sql} for planned_step in steps])
        return
    before = ""
    for number, step in enumerate(steps, 1):
        if step.phase != before:
            say(f"-- {step.phase}, from step {number} of {len(steps)}")
        before = step.phase
        say(f"{step.sql};")


def cluster_url(settings: Settings) -> str:
    """The coordinator's address. Raises ConfigurationError where none is set."""
    if settings.cluster_url is None:
        raise ConfigurationError("Set CITEGRAPH_CLUSTER_URL to the coordinator of the Citus cluster.")
    return settings.cluster_url


def _show(report: DoctorReport, as_json: bool) -> None:
    if as_json:
        show_json(report.as_dict())
    else:
        show_table(
            ["", "TABLE", "WALL", "VERDICT"],
            (
                [
                    {"ok": "✓", "warning": "!"}.get(verdict.state, "✗"),
                    verdict.subject,
                    verdict.wall,
                    " ".join(verdict.sentences) or "holds",
                ]
                for verdict in report.verdicts
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


def psql(
    space: Space,
    command: Commands = None,
    tenant: Tenant = None,
    hours: Annotated[float, typer.Option(min=0.1, max=168, help="Hours that the login is valid.")] = 8.0,
    print_url: Annotated[
        bool, typer.Option("--print-url", help="Only print the login's address, to hand to somebody.")
    ] = False,
) -> None:
    """Open psql with a login of its own that can read this one space and write to no table.

    Rights hold it, whatever is set in the session. It takes the login of `citegraph migrate`, which makes it.
    """
    settings = read_settings()
    with servers(settings) as ready:
        with connected(ready) as citegraph:
            _, space_id = Operator(citegraph, tenant or settings.tenant).space_id(space)
        url = ready.migration_database_url or ready.database_url
        assert url is not None
        embedded = settings.database_url is None
        login = make_login(url, space_id, hours=hours)
        target = as_psycopg(url).set(username=login.name, password=None)
        if print_url:
            address = target.set(password=login.password).update_query_dict({"options": login.options})
            say(as_conninfo(address))
            return
        line = [
            _program(find_data_folder(settings.home) / "postgres", embedded=embedded),
            as_conninfo(target),
        ]
        for sql in command or ():
            line += ["--command", sql]
        note(f"As {login.name}, for {hours:g} hours; --print-url prints its address with the password.")
        note("Views: inspect_relation_types, inspect_top_nodes, inspect_edges, …; \\dv lists them.")
        environment = {**os.environ, "PGOPTIONS": login.options, "PGPASSWORD": login.password}
        # Ctrl-C is for psql, which ends a statement by it: this process only waits.
        before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            completed = subprocess.run(line, env=environment, check=False)
        finally:
            signal.signal(signal.SIGINT, before)
    if completed.returncode != 0:
        raise typer.Exit(1)


def _program(folder: Path, *, embedded: bool) -> str:
    """The psql to run: the embedded server's own, or the one on PATH. Raises ConfigurationError."""
    if embedded:
        return str(EmbeddedPostgres(folder).binary("psql"))
    program = shutil.which("psql")
    if program is None:
        raise ConfigurationError("There is no psql on PATH; install Postgres' client programs.")
    return program
