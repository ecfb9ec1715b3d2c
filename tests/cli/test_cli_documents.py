"""`citegraph documents`: list them, say what a removal would take along, and remove one with its words."""

import pytest

from app.db.session import Database
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home, make_home
from tests.support.ingest import ingest_now, text

SPACE = ("--space", "library")
BODY = "Bob Stone works for Acme Corporation."


@pytest.fixture
def one(database: Database, settings: Settings) -> Home:
    """Tenants A and B, both with a document of one claim."""
    for name in ("tenant-b", "tenant-a"):
        home = make_home(database, name)
        ingest_now(database, settings, home, [text(BODY, title="Staff", source_uri="staff.txt")])
    return home


@pytest.mark.usefixtures("one")
def test_a_document_is_listed_previewed_and_removed(citegraph: Call) -> None:
    (listed,) = read_json(citegraph("documents", "list", *SPACE, "--json"))
    assert (listed["source_uri"], listed["state"], listed["chunks"]) == ("staff.txt", "ready", 1)
    remove = ("documents", "delete", listed["id"], *SPACE)
    would = read_json(citegraph(*remove, "--dry-run", "--json"))
    assert (would["dry_run"], would["unlinked_edges"], would["pruned_edges"]) == (True, 1, 0)
    assert "Without evidence: 0 edges." in citegraph(*remove, "--dry-run", "--prune").stdout
    assert len(read_json(citegraph("documents", "list", *SPACE, "--json"))) == 1
    done = read_json(citegraph(*remove, "--yes", "--json"))
    assert done == {**would, "dry_run": False}
    assert citegraph("documents", "list", *SPACE).stdout.strip() == "No document yet."
