"""The commands `run_api_and_worker`, `migrate` and `create_vector_partitions_and_purge_audit`."""

import http.client
import json
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import TERMINAL_ORIGIN, Operator, open_citegraph, start_embedded_servers, start_servers
from app.cli.database_maintenance import (
    maintain_database_in_background,
    maintain_database_periodically,
    open_database_as_owner,
)
from app.cli.output import create_console, print_error, print_line, print_note
from app.cli.processes.children import ChildProcess, run_children
from app.cli.processes.supervision import supervise
from app.cli.setup import (
    create_sign_in_link_token,
    describe_missing_schema_parts,
    ensure_stored_key,
    list_missing_parts_of_migrated_database,
    migrate_database,
)
from app.db.errors import DATABASE_ERRORS
from app.db.vectors import maintenance
from app.errors import ConfigurationError
from app.number_words import pluralise
from app.observability.logs import configure_logging
from app.runtime.data_folder import find_data_folder, lock_data_folder
from app.settings import Settings, read_settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.origin import record_with_origin

_POLL_SECONDS = 0.2
# A busy machine takes minutes to start Python, and a child that ends by itself is noticed at once.
_READY_SECONDS = 600.0
_NOTE_SECONDS = 30.0


def run_api_and_worker() -> None:
    """Run the API and a worker until Ctrl-C, with embedded servers if no address is set."""
    settings = read_settings()
    configure_logging(settings)
    settings = settings.model_copy(update={"port": _find_free_port(settings)})
    print_note("Starting …")
    with ExitStack() as stack:
        if settings.database_url is None:
            stack.enter_context(lock_data_folder(find_data_folder(settings.home)))
        ready_settings, embedded_servers = stack.enter_context(start_embedded_servers(settings))
        print_missing_protections(migrate_database(ready_settings).missing_protections)
        with open_citegraph(ready_settings) as citegraph, record_with_origin(TERMINAL_ORIGIN):
            key, key_path = ensure_stored_key(Operator(citegraph, settings.tenant))
        try:
            with (
                maintain_database_in_background(ready_settings),
                run_children(ready_settings, ("worker", None), ("serve", None)) as children,
            ):
                _wait_until_api_is_ready(ready_settings, children)
                with record_with_origin(TERMINAL_ORIGIN):
                    link = create_sign_in_link_token(Operator(citegraph, settings.tenant))
                data_location = (
                    f"in {find_data_folder(ready_settings.home)}"
                    if settings.database_url is None
                    else "in your database"
                )
                _print_address(ready_settings, key, key_path, link, data_location)
                supervise(embedded_servers, children)
        except KeyboardInterrupt:
            print_note("Stopped.")


def migrate() -> None:
    """Migrate the database to the newest schema; report the protections that the host does not allow.

    Fails if parts of the schema are missing, as after a dump was restored in part.
    """
    settings = read_settings()
    with ExitStack() as stack:
        if settings.migration_database_url is None and settings.database_url is None:
            settings = stack.enter_context(start_servers(settings))
        missing_protections = migrate_database(settings).missing_protections
        missing_parts = list_missing_parts_of_migrated_database(settings)
    if missing_parts:
        print_error(describe_missing_schema_parts(missing_parts))
        raise typer.Exit(1)
    print_line("The database has the newest schema.")
    print_missing_protections(missing_protections)


def create_vector_partitions_and_purge_audit(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be done.")] = False,
    every: Annotated[
        float | None,
        typer.Option(min=1.0, help="Repeat after this many seconds, until a signal."),
    ] = None,
) -> None:
    """Create indexed partitions for the vectors of large spaces, and remove old audit entries.

    `citegraph up` does this by itself. Elsewhere run it periodically, or with --every, with the login that
    migrates.
    """
    settings = read_settings()
    if every is not None and not dry_run:
        configure_logging(settings)
        with start_servers(settings) as ready_settings:
            maintain_database_periodically(ready_settings, threading.Event(), seconds=every)
    with (
        start_servers(settings) as ready_settings,
        open_citegraph(ready_settings) as citegraph,
        record_with_origin(TERMINAL_ORIGIN),
    ):
        url = ready_settings.migration_database_url or ready_settings.database_url
        assert url is not None
        steps = maintenance.maintain_vectors(
            citegraph.database,
            url,
            threshold=ready_settings.vector_index_chunks,
            dry_run=dry_run,
            pooler=ready_settings.pooler,
            report_step=lambda step: print_line(f"{'Would ' if dry_run else ''}{step} …"),
        )
        removed_count = 0
        if not dry_run:
            try:
                with open_database_as_owner(ready_settings, url) as owner_session:
                    removed_count = audit.delete_old_entries_and_record_count(
                        owner_session, days=ready_settings.audit_days
                    )
            except (ConfigurationError, *DATABASE_ERRORS):
                # A login that may only create indexes still gets them created.
                print_note(
                    "Old audit entries were not removed: that takes the login that migrates,"
                    " CITEGRAPH_MIGRATION_DATABASE_URL."
                )
    if removed_count:
        entry_count_text = pluralise(removed_count, "entry", "entries")
        print_line(
            f"Removed {entry_count_text} of the audit log older than {ready_settings.audit_days} days."
        )
    print_line(
        "Nothing to do." if not steps and not removed_count else "Nothing was done." if dry_run else "Done."
    )


def print_missing_protections(missing_protections: tuple[str, ...]) -> None:
    """Print a line for each protection that the database's host refused; nothing if there is none."""
    if not missing_protections:
        return
    console = create_console(stderr=True)
    console.rule("PROTECTIONS MISSING", characters="!", style="bold red")
    for sentence in missing_protections:
        print_note(f"! {sentence}")
    print_note("! `citegraph doctor` shows which protections are in place.")
    console.rule(characters="!", style="bold red")


def _find_free_port(settings: Settings) -> int:
    """Return the configured port, or a free one for 0. Raises ConfigurationError if it is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise ConfigurationError(
                f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
                "Choose another with CITEGRAPH_PORT (0 means any free port)."
            ) from error
        return int(probe.getsockname()[1])


def _wait_until_api_is_ready(settings: Settings, children: list[ChildProcess]) -> None:
    """Wait until the API is ready, with a note every half minute about what it waits for.

    Raises ConfigurationError if a child has ended, or if the API is not ready after ten minutes.
    """
    started_at = noted_at = time.monotonic()
    while True:
        for child in children:
            if (exit_code := child.exit_code()) is not None:
                raise ConfigurationError(
                    f"`citegraph {child.name}` ended by itself with exit code {exit_code};"
                    " the rest was stopped."
                )
        obstacle = _explain_why_not_ready(settings)
        if obstacle is None:
            return
        now = time.monotonic()
        if now - started_at > _READY_SECONDS:
            raise ConfigurationError(
                f"The API was not ready within {_READY_SECONDS / 60:.0f} minutes: {obstacle}"
            )
        if now - noted_at > _NOTE_SECONDS:
            noted_at = now
            print_note(f"Still starting after {now - started_at:.0f} seconds: {obstacle}")
        time.sleep(_POLL_SECONDS)


def _explain_why_not_ready(settings: Settings) -> str | None:
    """Return why the API is not ready yet; None if it is."""
    connection = http.client.HTTPConnection(get_host_for_own_requests(settings), settings.port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        if response.status == 200:
            return None
        return str(json.loads(response.read())["detail"])
    except (OSError, http.client.HTTPException, ValueError, LookupError):
        return "its process runs and does not answer yet, as on a busy machine."
    finally:
        connection.close()


def get_host_for_own_requests(settings: Settings) -> str:
    """Return a host at which this machine reaches a server that listens on the configured one."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104


def has_dashboard_scripts() -> bool:
    """Return whether the dashboard's scripts and icons are installed: in a wheel, or after `make assets`."""
    return (Path(__file__).parents[1] / "dashboard" / "static" / "vendor" / "icons.svg").is_file()


def _print_address(settings: Settings, key: str, key_path: Path, link: str, data_location: str) -> None:
    host = get_host_for_own_requests(settings)
    address = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    print_line()
    print_line("Citegraph is ready.")
    print_line(f"  Address   {address}")
    print_line(f"  Dashboard {address}/dashboard/links/{link}")
    print_line("            signs you in once, within an hour")
    if not has_dashboard_scripts():
        print_line("            has no icons and no graph yet: `make assets` fetches them")
    print_line(f"  API       {address}/docs")
    print_line(f"  Data      {data_location}")
    print_line(f"  Tenant    {settings.tenant}")
    print_line(f"  Key       {key}")
    print_line(f"            stored in {key_path}")
    print_line()
    print_line(f"  curl -H 'Authorization: Bearer {key}' {address}/v1/spaces")
    print_line()
    print_line("Ctrl-C stops everything.")
