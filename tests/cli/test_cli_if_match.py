"""`--if-match`: what somebody else changed meanwhile is not overwritten by a command (B10)."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from typer.main import get_command

from app.cli.lazy import LazyCommand
from app.cli.main import app
from app.db.database import Database
from app.http.edit_versions import service as versions
from app.http.edit_versions.shapes import Kind, Resource
from app.jobs.webhooks import service as webhooks
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.contradictions import declare
from tests.support.ingest import ingest_now, text
from tests.support.sampling import sampled

SPACE = ("--space", "library")
ARGUMENTS_OF_THINGS = {"name", "document", "job", "edge", "node", "winner", "webhook_id"}
# They change nothing, or no single thing that has a version.
WITHOUT = {
    *("space create", "space show", "documents show", "documents text", "jobs show", "edges show"),
    *("nodes show", "nodes mentions", "nodes merge-preview", "nodes reconsider"),
    *("webhook test", "webhook deliveries", "webhook replay"),
}
GROUPS = {"space", "documents", "jobs", "edges", "nodes", "webhook"}


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command by its words, with its parameters."""
    group = get_command(app) if group is None else group
    for name, command in group.commands.items():
        loaded = command.load_command() if isinstance(command, LazyCommand) else command
        if hasattr(loaded, "commands"):
            yield from commands(loaded, (*path, name))
        else:
            yield " ".join((*path, name)), loaded


def test_every_command_that_changes_one_thing_takes_it() -> None:
    """A new command of these groups takes it, or stands above with a reason."""
    about_things, taking = set(), set()
    for name, command in commands():
        arguments = {param.name for param in command.params if param.param_type_name == "argument"}
        if name.split()[0] in GROUPS and arguments & ARGUMENTS_OF_THINGS:
            about_things.add(name)
        if "if_match" in {param.name for param in command.params}:
            taking.add(name)
    assert about_things - WITHOUT == taking
    assert len(taking) >= 18


@pytest.fixture
def known(citegraph: Call, database: Database, settings: Settings, home: Home) -> dict[str, str]:
    """One thing of each kind, by the name of its kind."""
    declare(database, home, SpaceSettings(single_valued_relations=["located_in"]))
    ingest_now(
        database,
        settings,
        home,
        [text("Acme Corporation is located in Rome. Acme Corporation was founded in 1990.", title="One")],
    )
    ingest_now(
        database, settings, home, [text("Acme Corporation is located in Oslo. Ada Lovelace knows Bob Ray.")]
    )
    with database.open_tenant(home.tenant_id) as tenant:
        hook = webhooks.add_webhook(
            tenant,
            url="https://example.com/x",
            events=["job.done"],
            actor="t",
            allowed_hosts=frozenset({"example.com"}),
        )
    edges = read_json(citegraph("edges", "list", *SPACE, "--relation-type", "located_in", "--json"))
    documents = read_json(citegraph("documents", "list", *SPACE, "--json"))
    jobs = read_json(citegraph("jobs", "list", *SPACE, "--json"))
    return {
        "edge": edges[0]["id"],
        "document": documents[0]["id"],
        "job": next(job["id"] for job in jobs if job["state"] == "queued"),
        "webhook": str(hook.id),
        "node": "Acme Corporation",
    }


CHANGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "space set": ("space", ("space", "set", "library", "max_tags=3")),
    "space reembed": (
        "space",
        ("space", "reembed", "library", "--model", "hash-64", "--dimensions", "64"),
    ),
    "space delete": ("space", ("space", "delete", "library", "--yes")),
    "documents delete": ("document", ("documents", "delete", "{document}", *SPACE, "--yes")),
    "documents trust": ("document", ("documents", "trust", "{document}", "0.5", *SPACE)),
    "documents retry": ("document", ("documents", "retry", "{document}", *SPACE)),
    "jobs cancel": ("job", ("jobs", "cancel", "{job}", *SPACE)),
    "jobs retry": ("job", ("jobs", "retry", "{job}", *SPACE)),
    "edges invalidate": ("edge", ("edges", "invalidate", "{edge}", *SPACE, "--reason", "No.")),
    "edges uphold": ("edge", ("edges", "uphold", "{edge}", *SPACE, "--reason", "The register.")),
    "edges restore": ("edge", ("edges", "restore", "{edge}", *SPACE)),
    "nodes rename": ("node", ("nodes", "rename", "{node}", "Apex", *SPACE)),
    "nodes restore-name": ("node", ("nodes", "restore-name", "{node}", *SPACE)),
    "nodes merge": ("node", ("nodes", "merge", "{node}", "Rome", *SPACE)),
    "nodes split": ("node", ("nodes", "split", "{node}", "other", *SPACE, "--document", "{document}")),
    "nodes end-value": (
        "node",
        ("nodes", "end-value", "{node}", "founded", "1990", *SPACE, "--reason", "No."),
    ),
    "nodes uphold-value": (
        "node",
        ("nodes", "uphold-value", "{node}", "founded", "1990", *SPACE, "--reason", "So."),
    ),
    "nodes restore-value": ("node", ("nodes", "restore-value", "{node}", "founded", "1990", *SPACE)),
    "webhook enable": ("webhook", ("webhook", "enable", "{webhook}")),
    "webhook disable": ("webhook", ("webhook", "disable", "{webhook}")),
    "webhook remove": ("webhook", ("webhook", "remove", "{webhook}")),
    "webhook rotate": ("webhook", ("webhook", "rotate", "{webhook}")),
}
"""How each command is called, by its words, and of which kind the thing is that it changes."""
HAVE_NOTHING_TO_DO = {
    *("space reembed", "documents retry", "jobs retry", "edges restore"),
    *("nodes restore-name", "nodes end-value", "nodes uphold-value", "nodes restore-value"),
}
"""Commands that are refused here for another reason: nothing failed, ended, or has another name or value."""


def test_the_calls_are_all_commands_that_take_it() -> None:
    assert CHANGES.keys() == {
        name for name, command in commands() if "if_match" in {param.name for param in command.params}
    }


def shown(citegraph: Call, kind: str, thing: str) -> dict[str, Any]:
    """What `--json` shows of the thing."""
    if kind == "webhook":
        (found,) = read_json(citegraph("webhook", "list", "--json"))
    elif kind == "space":
        found = read_json(citegraph("space", "show", "library", "--json"))
    else:
        found = read_json(citegraph(f"{kind}s", "show", thing, *SPACE, "--json"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", sampled(CHANGES, every=9))
def test_what_changed_since_it_was_read_is_left_as_it_is(
    citegraph: Call, known: dict[str, str], name: str
) -> None:
    """A version that is not that of now refuses the command, and nothing of the thing changes."""
    kind, words = CHANGES[name]
    thing = known.get(kind, "library")
    before = shown(citegraph, kind, thing)
    refused = citegraph(*(word.format(**known) for word in words), "--if-match", "0123456789abcdef")
    assert (refused.exit_code, "has changed since you read it" in refused.stderr) == (1, True), refused.stderr
    assert shown(citegraph, kind, thing) == before


@pytest.mark.parametrize("name", sampled(CHANGES, every=9))
def test_what_is_as_it_was_read_is_no_reason_to_refuse(
    citegraph: Call, known: dict[str, str], name: str
) -> None:
    kind, words = CHANGES[name]
    seen = shown(citegraph, kind, known.get(kind, "library"))["if_match"]
    done = citegraph(*(word.format(**known) for word in words), "--if-match", seen)
    assert "has changed since you read it" not in done.stderr
    assert (done.exit_code == 0) is (name not in HAVE_NOTHING_TO_DO), (done.stdout, done.stderr)


def test_two_who_read_the_same_do_not_overwrite_one_another(citegraph: Call, known: dict[str, str]) -> None:
    """The first goes through, also by an ETag; the second is refused, reads again, and goes through."""
    seen = shown(citegraph, "node", known["node"])["if_match"]
    first = citegraph("nodes", "rename", known["node"], "Apex", *SPACE, "--if-match", f'W/"{seen}.abc"')
    assert first.exit_code == 0, first.stderr
    second = citegraph("nodes", "rename", "Apex", "Zenith", *SPACE, "--if-match", seen)
    assert second.exit_code == 1
    again = shown(citegraph, "node", "Apex")["if_match"]
    assert again != seen
    assert citegraph("nodes", "rename", "Apex", "Zenith", *SPACE, "--if-match", again).exit_code == 0
    assert shown(citegraph, "node", "Zenith")["canonical_name"] == "Zenith"


@pytest.mark.parametrize("kind", sampled(["space", "document", "job", "edge", "node", "webhook"], every=2))
def test_the_version_of_each_kind_is_that_of_the_api(
    citegraph: Call, known: dict[str, str], kind: str, database: Database, home: Home
) -> None:
    """It is what the API's `ETag` begins with, and stays while nobody edits the thing."""
    thing = known.get(kind, "library")
    found = shown(citegraph, kind, thing)
    with (
        database.open_tenant(home.tenant_id) as tenant,
        database.open_space(home.tenant_id, home.space_id) as space,
    ):
        session = tenant if kind == "webhook" else space
        version = versions.compute_current_version(session, Resource(Kind(kind), UUID(found["id"])))
    assert found["if_match"] == shown(citegraph, kind, thing)["if_match"] == version
    assert len(version) == 16


def test_it_is_about_one_document(citegraph: Call, home: Home) -> None:
    refused = citegraph("documents", "retry", *SPACE, "--if-match", "0" * 16)
    assert refused.exit_code == 2
