"""The command `citegraph`: every family of commands under one roof, each imported when it is called."""

import atexit
import gc
import signal
import sys
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from app.cli.lazy import LazyCommand
from app.lazy import imported

# Name to place below app.cli, and what the list of commands shows: the first sentence of the command's help.
COMMANDS = {
    "demo": ("demo:demo", "Ingest the example corpus and print an explained, cited answer; ends by itself."),
    "up": (
        "servers:up",
        "Run the API and a worker until Ctrl-C, on embedded servers where no address is set.",
    ),
    "serve": (
        "processes.serve:serve",
        "Serve the API until a signal; CITEGRAPH_HOST and CITEGRAPH_PORT say where.",
    ),
    "worker": (
        "processes.worker:worker",
        "Work through jobs until a signal; SIGTERM finishes the step at hand and gives its job back.",
    ),
    "mcp": (
        "processes.mcp:mcp",
        "Serve the tools of the Model Context Protocol over standard input and output, for a desktop client.",
    ),
    "migrate": (
        "servers:migrate",
        "Bring the database to the newest schema; says which walls the host does not allow.",
    ),
    "maintain": (
        "servers:maintain",
        "Give the vectors of large spaces indexed partitions of their own, and end old audit entries.",
    ),
    "doctor": (
        "inspect:doctor",
        "Try the walls between tenants on this database: a verdict per table, exit code 1 when one is down.",
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
        "inspect:psql",
        "Open psql with a login of its own that can read this one space and write to no table.",
    ),
    "ingest": ("ingest:ingest", "Hand documents in; a running worker reads them."),
    "sync": (
        "sync:sync",
        "Make a space hold what a folder holds: new, changed, renamed and removed files.",
    ),
    "explain": (
        "graph:explain",
        "Show how things hang together: paths, and for every step the sentence that states it.",
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
        "edges:conflicts",
        "List what contradicts what: nodes with several values of a relation that "
        "the space declares single-valued.",
    ),
    "neighborhood": (
        "graph:neighborhood",
        "Show what surrounds a node: its neighbours and every edge among them.",
    ),
    "export": ("graph:export", "Write the space as a file: its graph with all evidence."),
    "import": (
        "space_content.importing:import_space",
        "Write an exported space into an empty one: all of the file, or nothing.",
    ),
    "evict": (
        "memory:evict",
        "Give up the chunks that the space's policy no longer keeps, by a running worker.",
    ),
    "usage": ("tenants:usage", "Show what the tenant used, per space and day."),
    "audit": ("tenants:show_audit", "Show who did what in the tenant, newest first."),
    "tenant": ("tenants:tenant_app", "Make, list and erase tenants."),
    "key": ("tenants:key_app", "Make, list and revoke the API keys of a tenant."),
    "webhook": ("webhooks.commands:webhook_app", "Tell addresses of your own what happens in a tenant."),
    "space": ("spaces:space_app", "Make, list, show, re-embed and delete knowledge spaces."),
    "documents": (
        "space_content.documents:document_app",
        "List, read and delete documents; retry what could not be read.",
    ),
    "trials": (
        "trials:trial_app",
        "Read a sample by another model or other settings, beside the graph; promote that or drop it.",
    ),
    "golden": (
        "golden:golden_app",
        "Measure a space's answers by questions of its own, and hold changes to them.",
    ),
    "jobs": ("jobs:job_app", "List, show, cancel and retry the jobs of a space."),
    "model": ("models:model_app", "Test the configured model server, and replay recorded calls."),
    "nodes": ("nodes:node_app", "List nodes (`nodes [WORDS] --space NAME`), merge, split, undo."),
    "edges": ("edges:edge_app", "List and show edges; end a claim that does not hold, or restore it."),
    "tags": ("tags:tag_app", "List tags, have some suggested for nodes, and set those."),
    "communities": ("communities:community_app", "Detect communities, list them, show one with its report."),
    "summaries": (
        "summaries:summary_app",
        "Summaries of nodes: list, show, refresh, and what their gate decides.",
    ),
    "eval": ("evaluate:eval_app", "Measure quality on questions whose answers are known."),
}


class Citegraph(TyperGroup):
    """All commands, none of which is imported to be listed or completed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, (reference, summary) in COMMANDS.items():
            self.add_command(LazyCommand(name, f"app.cli.{reference}", summary))

    def invoke(self, ctx: Any) -> Any:
        """The command's own result; its expected failures are one sentence on stderr and exit code 1."""
        with imported("app.cli.options:report_failures")():
            return super().invoke(ctx)


app = typer.Typer(
    name="citegraph",
    help="Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it.",
    cls=Citegraph,
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _show_version(requested: bool) -> None:
    """Print the version of the installed program and end."""
    if requested:
        typer.echo(f"citegraph {imported('importlib.metadata:version')('citegraph')}")
        raise typer.Exit


@app.callback()
def prepare(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and end."),
    ] = False,
) -> None:
    """Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it."""
    settings = imported("app.settings:read_settings")()
    if "log_level" not in settings.model_fields_set:
        # What a command has to say it prints; its log is for when something is wrong.
        settings = settings.model_copy(update={"log_level": "WARNING"})
    imported("app.observability.logs:configure_logging")(settings)


def _exit_on_signal(number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends a command as an exception would, so that what it started is stopped."""
    sys.exit(128 + number)


def main() -> None:
    """Run the command of this process's arguments; its exit code is 0, 1 for a failure, 2 for wrong usage."""
    signal.signal(signal.SIGTERM, _exit_on_signal)
    # What was imported is no garbage at the end either: to look through it took a worker a second of work.
    atexit.register(gc.freeze)
    app(prog_name="citegraph")


if __name__ == "__main__":
    main()
