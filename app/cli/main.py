"""The program `citegraph`: all groups of commands, each imported when it is called."""

import atexit
import gc
import signal
import sys
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from app.cli.lazy import LazyCommand
from app.lazy import import_object

# Name: (reference below app.cli, summary). The summary is the first sentence of the command's help.
COMMANDS = {
    "demo": (
        "demo:run_demo",
        "Ingest the example corpus and print an explained, cited answer; ends by itself.",
    ),
    "up": (
        "servers:run_api_and_worker",
        "Run the API and a worker until Ctrl-C, with embedded servers if no address is set.",
    ),
    "serve": (
        "processes.serve:serve",
        "Serve the API at CITEGRAPH_HOST and CITEGRAPH_PORT until a signal.",
    ),
    "worker": (
        "processes.worker:run_worker",
        "Run jobs until a signal; SIGTERM finishes the current step and returns its job to the queue.",
    ),
    "mcp": (
        "processes.mcp:serve_mcp_tools",
        "Serve the tools of the Model Context Protocol over standard input and output, for a desktop client.",
    ),
    "migrate": (
        "servers:migrate",
        "Migrate the database to the newest schema; report the protections that the host does not allow.",
    ),
    "maintain": (
        "servers:create_vector_partitions_and_purge_audit",
        "Create indexed partitions for the vectors of large spaces, and remove old audit entries.",
    ),
    "doctor": (
        "inspect:examine_isolation",
        "Test the isolation of tenants in this database, table by table; exit with 1 if a check fails.",
    ),
    "distribute": (
        "cluster:distribute",
        "Print the statements that distribute spaces over a Citus cluster, in order; run them with --run.",
    ),
    "cluster": (
        "cluster:cluster_app",
        "Show and change the nodes of a Citus cluster, and move shards.",
    ),
    "psql": (
        "inspect:open_psql",
        "Open psql with a new login that can read only this space and write to no table.",
    ),
    "ingest": ("ingest:ingest", "Submit documents; a running worker reads them."),
    "sync": (
        "sync:sync",
        "Make a space match a folder: new, changed, renamed and removed files.",
    ),
    "explain": (
        "graph:explain",
        "Show how things are connected: paths, and for every step the sentence that states it.",
    ),
    "ask": (
        "ask:ask",
        "Answer a question in sentences, each with the passages that it rests on; "
        "without a model, in quotes.",
    ),
    "retrieve": (
        "ask:retrieve",
        "Show the passages that answer, best first, why each was found, and the facts around the anchors.",
    ),
    "conflicts": (
        "edges:show_conflicts",
        "List contradictions: nodes with several values of a relation that the space declares single-valued.",
    ),
    "neighborhood": (
        "graph:show_neighborhood",
        "Show the neighborhood of a node: its neighbors and every edge among them.",
    ),
    "export": ("graph:export", "Write the space as a file: its graph with all evidence."),
    "import": (
        "space_content.importing:import_space",
        "Import an exported space into an empty one, completely or not at all.",
    ),
    "evict": (
        "memory:evict",
        "Have a worker remove the chunks that the space's policy no longer keeps.",
    ),
    "usage": ("tenants:show_usage", "Show the tenant's usage, by space and day."),
    "audit": ("tenants:show_audit", "Show the tenant's audit log, newest first."),
    "erasures": (
        "erasures:erasure_app",
        "List what was erased, for a file outside the database; erase it again after a restore.",
    ),
    "tenant": ("tenants:tenant_app", "Create, list and erase tenants."),
    "key": ("tenants:key_app", "Create, list and revoke the API keys of a tenant."),
    "webhook": ("webhooks.commands:webhook_app", "Send messages about events of a tenant to your own URLs."),
    "space": ("spaces:space_app", "Create, list, show, re-embed and delete knowledge spaces."),
    "documents": (
        "space_content.documents:document_app",
        "List, read and delete documents; retry what could not be read.",
    ),
    "trials": (
        "trials:trial_app",
        "Read a sample with another model or settings, without changing the graph; promote or drop it.",
    ),
    "golden": (
        "golden:golden_app",
        "Test a space's answers with its own questions, and check changes with them.",
    ),
    "jobs": ("jobs:job_app", "List, show, cancel and retry the jobs of a space."),
    "model": ("models:model_app", "Test the configured model server, and replay recorded calls."),
    "nodes": ("nodes:node_app", "List nodes (`nodes [WORDS] --space NAME`), merge, split, undo."),
    "edges": ("edges:edge_app", "List and show edges; end a claim that does not hold, or restore it."),
    "tags": ("tags:tag_app", "List tags, suggest tags for nodes, and set them."),
    "communities": ("communities:community_app", "Detect communities, list them, show one with its report."),
    "summaries": (
        "summaries:summary_app",
        "Summaries of nodes: list, show, refresh, and what their gate decides.",
    ),
    "eval": ("evaluate:eval_app", "Measure quality on questions with known answers."),
}


class Citegraph(TyperGroup):
    """All commands; listing or completing them imports none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, (reference, summary) in COMMANDS.items():
            self.add_command(LazyCommand(name, f"app.cli.{reference}", summary))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an expected failure prints one sentence on stderr and exits with code 1."""
        with import_object("app.cli.options:print_failures_and_exit")():
            return super().invoke(ctx)


app = typer.Typer(
    name="citegraph",
    help="Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it.",
    cls=Citegraph,
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _show_version(is_requested: bool) -> None:
    """Print the version of the installed program and exit."""
    if is_requested:
        typer.echo(f"citegraph {import_object('importlib.metadata:version')('citegraph')}")
        raise typer.Exit


@app.callback()
def prepare(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and end."),
    ] = False,
) -> None:
    """Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it."""
    settings = import_object("app.settings:read_settings")()
    if "log_level" not in settings.model_fields_set:
        # A command prints its own results; log only warnings.
        settings = settings.model_copy(update={"log_level": "WARNING"})
    import_object("app.observability.logs:configure_logging")(settings)


def _exit_program_on_signal(number: int, _frame: FrameType | None) -> None:
    """Raise SystemExit on SIGTERM, so that context managers stop what the command started."""
    sys.exit(128 + number)


def main() -> None:
    """Run the command line; the exit code is 0 for success, 1 for a failure, 2 for wrong usage."""
    signal.signal(signal.SIGTERM, _exit_program_on_signal)
    # Skip the final garbage collection of imported modules, which costs a worker about a second.
    atexit.register(gc.freeze)
    app(prog_name="citegraph")


if __name__ == "__main__":
    main()
