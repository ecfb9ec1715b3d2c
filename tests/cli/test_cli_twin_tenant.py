"""Tenant B has the same names: nothing of it shows in any command that acts for tenant A."""

import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import create_app_engine
from app.settings import Settings
from app.tenancy.tenants import api_keys
from tests.cli.conftest import Call, fill, read_json
from tests.conftest import Home
from tests.support.pooler import as_app

pytestmark = pytest.mark.shared_database


READING = [
    ["space", "list"],
    ["space", "show", "library"],
    ["key", "list"],
    ["usage"],
    ["jobs", "list", "--space", "library"],
    ["nodes", "--space", "library"],
    ["nodes", "Magpie", "--space", "library"],
    ["nodes", "merges", "--space", "library"],
    ["nodes", "doubtful", "--space", "library"],
    ["edges", "list", "--space", "library"],
    ["edges", "list", "--ended", "--space", "library"],
    ["conflicts", "--space", "library"],
    ["tags", "list", "--space", "library"],
    ["tags", "suggest", "--space", "library"],
    ["neighborhood", "Difference Engine Works", "--space", "library", "--depth", "3"],
    ["explain", "Who works for Difference Engine Works?", "--space", "library"],
    ["ask", "Who works for Difference Engine Works?", "--space", "library"],
    ["retrieve", "Who works for Difference Engine Works?", "--space", "library"],
    ["retrieve", "Magpie", "--space", "library", "--strategy", "knowledge_only"],
    ["summaries", "list", "--space", "library"],
    ["summaries", "gate", "--space", "library"],
    ["summaries", "replay", "--space", "library"],
    ["evict", "--dry-run", "--space", "library"],
    ["explain", "--from", "London", "--to", "Difference Engine Works", "--space", "library"],
]


@pytest.fixture(scope="module")
def filled(module_url: URL, tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Home]:
    """Both tenants with their facts, and a key of each, for all of these tests: none of them writes."""
    settings = Settings(home=tmp_path_factory.mktemp("home"))
    address = as_app(module_url).render_as_string(hide_password=False)
    database = Database(create_app_engine(address, settings), settings)
    homes = fill(database, settings)
    for home, name in zip(homes, ("tenant-a", "tenant-b"), strict=True):
        with database.open_tenant(home.tenant_id) as session:
            api_keys.create_key(session, name=f"key of {name}", scopes=["read"], actor="test")
    database.dispose()
    return homes


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
@pytest.mark.parametrize(
    "form",
    # The table is of the same rows, and shows less of them.
    [pytest.param(["--json"], id="json"), pytest.param([], id="table", marks=pytest.mark.soak)],
)
def test_shows_tenant_a_alone(
    citegraph: Call, filled: tuple[Home, Home], arguments: list[str], form: list[str]
) -> None:
    shown = citegraph(*arguments, *form)
    assert shown.exit_code == 0, shown.stderr
    other = filled[1]
    for trace in ("Bruno", "key of tenant-b", str(other.space_id), str(other.tenant_id)):
        assert trace not in shown.stdout
    if form:
        read_json(shown)


def test_the_canaries_are_there_for_their_own_tenant(citegraph: Call, filled: tuple[Home, Home]) -> None:
    assert "Alma Canary" in citegraph("nodes", "--space", "library").stdout
    assert "Bruno Magpie" in citegraph("nodes", "--space", "library", "--tenant", "tenant-b").stdout


def test_an_id_of_the_other_tenant_names_nothing(citegraph: Call, filled: tuple[Home, Home]) -> None:
    theirs = read_json(citegraph("jobs", "list", "--space", "library", "--tenant", "tenant-b", "--json"))
    node = read_json(citegraph("nodes", "Bruno", "--space", "library", "--tenant", "tenant-b", "--json"))[0]
    for arguments in (
        ["space", "show", str(filled[1].space_id)],
        ["jobs", "show", theirs[0]["id"], "--space", "library"],
        ["neighborhood", node["id"], "--space", "library"],
    ):
        assert citegraph(*arguments).exit_code == 1
