"""Pages that take a day show for a day ahead of today what will hold then, as every other door does."""

import json
from datetime import UTC, datetime

import pytest

from app.graph.service import list_nodes
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from tests.api.conftest import Account, World
from tests.api.test_due_claims import HISTORY
from tests.dashboard.conftest import PASSWORD, Browser, browser_of
from tests.oracle.measure import play
from tests.oracle.oracle import OracleAnswerer

DANA, ELI, MONA = "Dana Fox", "Eli Roth", "Mona Vale"
# The day, who has a part on it, and what is said beside it.
DAYS = [
    ("", {DANA: "until 2095-03-01", MONA: "until 2091-01-01"}),
    ("2090-12-31", {DANA: "until 2095-03-01", MONA: "until 2091-01-01"}),
    ("2091-01-01", {DANA: "until 2095-03-01"}),
    ("2095-03-01", {ELI: ""}),
    ("2150-01-01", {ELI: ""}),
]


@pytest.fixture
def browser(world: World, guest: Account) -> Browser:
    """A member of a tenant with claims that begin or end later."""
    database, settings = world.citegraph.database, world.citegraph.settings
    home = (guest.home.tenant_id, guest.home.space_id)
    play(database, settings, home, [HISTORY], OracleAnswerer(HISTORY.documents))
    with database.open_tenant(guest.home.tenant_id) as tenant:
        token = accounts.create_invitation_link_token(
            tenant, email=f"{home[1]}@a.example", role=Role.ADMIN, actor="test"
        )
    member = browser_of(world)
    member.get(f"/dashboard/links/{token}")
    member.post(f"/dashboard/links/{token}", password=PASSWORD)
    return member


def test_a_day_ahead_shows_what_holds_then(world: World, guest: Account, browser: Browser) -> None:
    pages = f"/dashboard/spaces/{guest.space_id}"
    with world.citegraph.database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
        ids = {node.canonical_name: node.id.hex for node in list_nodes(space, limit=20)}
    for day, validity in DAYS:
        for name in (DANA, ELI, MONA):
            page = browser.get(f"{pages}/explain?from={name}&to=Gorse+Rail&as_of={day}")
            query = f"?as_of={day}" if day else ""
            pair = browser.get(f"{pages}/graph/between/{ids[name]}/{ids['Gorse Rail']}{query}")
            state = pair.partition("The words that")[0]
            if name in validity:
                assert "No path leads" not in page, (day, name)
                assert "drawn-line drawn-ended" not in page, (day, name)
                assert "ended 2" not in page + state, (day, name)
                for shown in (page, state):
                    assert validity[name] in shown, (day, name)
            elif day:
                assert "No path leads" in page, (day, name)
                assert ("only from 2095-03-01" if name == ELI else "ended 209") in state, (day, name)
            else:
                assert "yet: what will begins later" in page
                assert "drawn-line drawn-ended" in page
                assert "only from 2095-03-01" in page
                assert "only from 2095-03-01" in state


def test_the_drawing_by_days_has_the_days_ahead(guest: Account, browser: Browser) -> None:
    drawn = json.loads(browser.get(f"/dashboard/spaces/{guest.space_id}/graph/data"))
    claims, relations = drawn["claims"], drawn["relations"]
    spans = {
        drawn["nodes"]["name"][source]: (since, until, bool(flags & 8))
        for source, relation, since, until, flags in zip(
            *(claims[name] for name in ("from", "relation", "since", "until", "flags")), strict=True
        )
        if relations[relation] in ("head_of", "works_for")
    }
    begins, leaves, never = (
        datetime(*date, tzinfo=UTC).timestamp() / 86400
        for date in ((2095, 3, 1), (2091, 1, 1), (9999, 12, 31))
    )
    assert {name: span[1:] for name, span in spans.items()} == {
        DANA: (begins, True),
        MONA: (leaves, True),
        ELI: (never, False),
    }
    assert spans[ELI][0] == begins
    assert drawn["lastDay"] == begins
