"""The command `citegraph`: every family of commands under one roof."""

import signal
import sys
from types import FrameType

from app.cli import (
    ask,
    communities,
    demo,
    edges,
    evaluate,
    graph,
    ingest,
    inspect,
    jobs,
    memory,
    models,
    nodes,
    servers,
    space_settings,
    spaces,
    summaries,
    tags,
    tenants,
)
from app.cli.options import make_group
from app.cli.space_content import documents, node_decisions
from app.settings import read_settings
from app.telemetry import configure_logging

app = make_group(
    "citegraph", "Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it."
)


@app.callback()
def prepare() -> None:
    """Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it."""
    settings = read_settings()
    if "log_level" not in settings.model_fields_set:
        # What a command has to say it prints; its log is for when something is wrong.
        settings = settings.model_copy(update={"log_level": "WARNING"})
    configure_logging(settings)


app.command("demo")(demo.demo)
app.command("up")(servers.up)
app.command("serve")(servers.serve)
app.command("worker")(servers.worker)
app.command("mcp")(servers.mcp)
app.command("migrate")(servers.migrate)
app.command("maintain")(servers.maintain)
app.command("doctor")(inspect.doctor)
app.command("psql")(inspect.psql)
app.add_typer(tenants.tenant_app)
app.add_typer(tenants.key_app)
spaces.space_app.command("set")(space_settings.set_settings)
app.add_typer(spaces.space_app)
app.command("ingest")(ingest.ingest)
app.add_typer(documents.document_app)
app.add_typer(jobs.job_app)
app.add_typer(models.model_app)
app.command("explain")(graph.explain)
app.command("ask")(ask.ask)
app.command("retrieve")(ask.retrieve)
for _name, _command in node_decisions.COMMANDS.items():
    nodes.node_app.command(_name)(_command)
app.add_typer(nodes.node_app)
app.add_typer(edges.edge_app)
app.command("conflicts")(edges.conflicts)
app.add_typer(tags.tag_app)
app.command("neighborhood")(graph.neighborhood)
app.command("export")(graph.export)
app.add_typer(communities.community_app)
app.add_typer(summaries.summary_app)
app.command("evict")(memory.evict)
app.command("usage")(tenants.usage)
app.command("audit")(tenants.show_audit)
app.add_typer(evaluate.eval_app)


def _terminate(number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends a command as an exception would, so that what it started is stopped."""
    sys.exit(128 + number)


def main() -> None:
    """Run the command of this process's arguments; its exit code is 0, 1 for a failure, 2 for wrong usage."""
    signal.signal(signal.SIGTERM, _terminate)
    app(prog_name="citegraph")


if __name__ == "__main__":
    main()
