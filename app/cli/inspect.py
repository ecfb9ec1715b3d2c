"""The commands `examine_isolation` and `open_psql`."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import Operator, open_citegraph, start_servers, start_servers_and_connect_operator
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import print_line, print_note, show_json, show_table
from app.db.doctor.examination import DoctorReport, examine_database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.inspection import create_psql_login_and_drop_expired
from app.errors import ConfigurationError
from app.runtime.data_folder import find_data_folder
from app.runtime.postgres import EmbeddedPostgres
from app.settings import read_settings

Commands = Annotated[
    list[str] | None,
    typer.Option("--command", "-c", help="Run this SQL and end; may be repeated, to run in order."),
]


def examine_isolation(as_json: AsJson = False) -> None:
    """Test the isolation of tenants in this database, table by table; exit with 1 if a check fails.

    On a Citus cluster, test every node and shard too.
    """
    with start_servers_and_connect_operator() as operator:
        report = examine_database(
            operator.citegraph.database,
            vector_index_chunks=operator.settings.vector_index_chunks,
            trusted_objects=operator.settings.trusted_subjects,
            migration_url=operator.settings.migration_database_url,
        )
    _show_doctor_report(report, as_json)


def _show_doctor_report(report: DoctorReport, as_json: bool) -> None:
    if as_json:
        show_json({"healthy": report.is_healthy, "verdicts": report.verdicts})
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
        print_line()
        print_line(
            "Healthy: every check passes."
            if report.is_healthy
            else "NOT healthy: the lines marked ✗ say what to fix."
        )
    if not report.is_healthy:
        raise typer.Exit(1)


def open_psql(
    space: Space,
    command: Commands = None,
    tenant: Tenant = None,
    hours: Annotated[float, typer.Option(min=0.1, max=168, help="Hours that the login is valid.")] = 8.0,
    print_url: Annotated[
        bool, typer.Option("--print-url", help="Only print the login's URL, to pass to somebody else.")
    ] = False,
) -> None:
    """Open psql with a new login that can read only this space and write to no table.

    Database privileges enforce this, whatever the session sets. Creating the login takes the credentials of
    `citegraph migrate`.
    """
    settings = read_settings()
    with start_servers(settings) as ready_settings:
        with open_citegraph(ready_settings) as citegraph:
            _, space_id = Operator(citegraph, tenant or settings.tenant).find_space(space)
        url = ready_settings.migration_database_url or ready_settings.database_url
        assert url is not None
        uses_embedded_server = settings.database_url is None
        login = create_psql_login_and_drop_expired(url, space_id, hours=hours)
        database_url = convert_to_psycopg_url(url).set(username=login.name, password=None)
        if print_url:
            login_url = database_url.set(password=login.password).update_query_dict(
                {"options": login.options}
            )
            print_line(convert_to_conninfo(login_url))
            return
        psql_command = [
            _find_psql(find_data_folder(settings.home) / "postgres", is_embedded=uses_embedded_server),
            convert_to_conninfo(database_url),
        ]
        for sql in command or ():
            psql_command += ["--command", sql]
        print_note(f"As {login.name}, for {hours:g} hours; --print-url prints its URL with the password.")
        print_note("Views: inspect_relation_types, inspect_top_nodes, inspect_edges, …; \\dv lists them.")
        environment = {**os.environ, "PGOPTIONS": login.options, "PGPASSWORD": login.password}
        # psql handles Ctrl-C itself, to cancel a statement; this process only waits.
        earlier_handler = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            completed_process = subprocess.run(psql_command, env=environment, check=False)
        finally:
            signal.signal(signal.SIGINT, earlier_handler)
    if completed_process.returncode != 0:
        raise typer.Exit(1)


def _find_psql(folder: Path, *, is_embedded: bool) -> str:
    """Return the psql to run: the embedded server's own, or the one on PATH. Raises ConfigurationError."""
    if is_embedded:
        return str(EmbeddedPostgres(folder).find_program("psql"))
    program_path = shutil.which("psql")
    if program_path is None:
        raise ConfigurationError("There is no psql on PATH; install the Postgres client programs.")
    return program_path
