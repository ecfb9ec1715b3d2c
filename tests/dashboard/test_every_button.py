"""Every button, form and link of every page, pressed in a real browser by each role (review F1).

What there is to press is found on the pages (`tests/support/pressing.py`), so that a new button is tried
without a line here; `-s` prints what was pressed.
"""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from selenium.webdriver.remote.webdriver import WebDriver
from sqlalchemy import URL

from app.documents.shapes import Submission
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.write.curation import service as curation
from app.space_settings import AttributeKind, SpaceSettings
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts import sign_in
from app.tenancy.accounts.roles import Role
from app.tenancy.spaces import service as spaces
from app.wiring import Citegraph
from tests.api.conftest import assembled, detect_communities, serving
from tests.conftest import Home, make_home
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.test_browser import browser, pytestmark
from tests.support.database_copies import copy_database, drop_database
from tests.support.ingest import ingest_now, submit, text
from tests.support.pooler import as_app
from tests.support.pressing import Presser, watch

__all__ = ["pytestmark"]

# Each is read twice, so that the things of which they speak are mentioned in two chunks.
TEXTS = (
    "Ada Lovelace works for Acme Corporation. Acme Corporation is located in London.",
    "Acme Corporation is located in Paris. Charles Babbage works for Acme Corporation.",
    "Paris has 2,100,000 inhabitants. Ada Lovelace created Note G.",
    "Charles Babbage created the Analytical Engine. Charles Babage founded Engine Works.",
    "Michael Stonebraker created Ingres. Postgres uses SQL. Michael Stonebraker founded Vertica.",
)
# What forms ask for by the names of their fields, as somebody who looks at this world would type it.
WORDS = {
    "q": "Who created Ingres?",
    "from": "Ada Lovelace",
    "to": "Acme Corporation",
    "with": "Charles Babbage",
    "tags": "pioneer",
    "sense": "mathematician",
    "text": "Grace Hopper created Flow-Matic.",
}
# Refusals that are right: a split is undone after a merge that followed, and the page says so.
# A trial of what the space does already is refused with a sentence.
EXPECTED = (("/splits/", 409), ("/trials", 422))


@dataclass(frozen=True)
class Pressed:
    """An installation of its own, whose content may go."""

    citegraph: Citegraph
    base: str
    home: Home

    def link(self, role: Role | None) -> str:
        """A link by which a new member of that role signs in; without a role, an operator."""
        email = f"{role.value if role else 'operator'}-{uuid4().hex[:8]}@example.org"
        with self.citegraph.database.open_tenant(self.home.tenant_id) as tenant:
            if role is None:
                token = accounts.create_operator_link_token(tenant, email=email, actor="test")
            else:
                token = accounts.create_invitation_link_token(tenant, email=email, role=role, actor="test")
        return f"/dashboard/links/{token}"


@pytest.fixture(scope="module")
def installation(
    admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pressed]:
    name = f"citegraph_pressed_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    url = as_app(admin_url.set(database=name))
    with assembled(url, tmp_path_factory.mktemp("home")) as citegraph, serving(citegraph) as place:
        pressed = Pressed(citegraph, f"http://{place[0]}:{place[1]}", fill(citegraph))
        # Whom an admin may remove: he is not the only member.
        for role in (Role.VIEWER, Role.EDITOR):
            sign_in.sign_in_or_join_with_link(
                citegraph.database, pressed.link(role).rpartition("/")[2], PASSWORD
            )
        yield pressed
    drop_database(admin_url, name)


def fill(citegraph: Citegraph) -> Home:
    """Make two tenants, of which one has something on every page."""
    database = citegraph.database
    make_home(database, "neighbour")
    home = make_home(database, "pressed")
    settings = SpaceSettings(
        single_valued_relations=["located_in"],
        node_attributes={"Location": {"population": AttributeKind.NUMBER}},
    )
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=settings)
        spaces.create_space(
            tenant, name="empty", embedding_model="hashed-ngrams-256", embedding_dimensions=256, actor="test"
        )
    entries = [
        text(f"{body} Copy {copy}.", title=body[:30], source_uri=f"{number}-{copy}.txt")
        for number, body in enumerate(TEXTS)
        for copy in (1, 2)
    ]
    ingest_now(database, citegraph.settings, home, entries)
    ingest_now(database, citegraph.settings, home, [Submission(b"%PDF-1.7\n%%EOF", "pdf", "Broken")])
    detect_communities(citegraph, home)
    with database.open_space(home.tenant_id, home.space_id) as space:
        nodes = {node.canonical_name: node for node in graph.list_nodes(space, limit=100)}
        curation.keep_nodes_apart(space, nodes["Ada Lovelace"].id, nodes["Ingres"].id, actor="test")
        claim = graph.list_edges(space, node_id=nodes["Ingres"].id)[0]
        invalidation.end_claim_by_person(space, claim.id, reason="superseded", actor="test")
    submit(database, home, text("Grace Hopper created Flow-Matic.", title="Waiting"))
    return home


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    with browser(tmp_path_factory.mktemp("browser"), performance=True) as started:
        watch(started)
        yield started


@pytest.fixture(scope="module")
def done() -> set[tuple[str, str]]:
    """What was pressed by the roles so far."""
    return set()


@pytest.mark.soak
# In this order: who may do least presses first, and what takes most away comes last.
@pytest.mark.parametrize(
    "role",
    [
        # An admin presses what they may press, where they have not; test_walls says what they may not.
        pytest.param(Role.VIEWER, id="viewer"),
        pytest.param(Role.EDITOR, id="editor"),
        pytest.param(Role.ADMIN, id="admin"),
        pytest.param(None, id="operator"),
    ],
)
@pytest.mark.usefixtures("steady_roles")
def test_everything_that_can_be_pressed_works(
    installation: Pressed,
    driver: WebDriver,
    done: set[tuple[str, str]],
    tmp_path: Path,
    role: Role | None,
) -> None:
    file = tmp_path / "pressed.txt"
    file.write_text("Otto Lindqvist leads Saltmarsh Rail.")
    driver.delete_all_cookies()
    presser = Presser(driver, installation.base, file, WORDS, PASSWORD, EXPECTED, done)
    presser.sign_in(installation.link(role))
    began = time.monotonic()
    presser.press_everything()
    print(f"\n{role or 'operator'}: {presser.report()}\nin {time.monotonic() - began:.0f} s")
    assert not presser.faults, "\n".join(presser.faults)
    # A press may take away what another would press; most of it must still have been there.
    assert len(presser.gone) <= 5, presser.gone
