"""The dashboard of two tenants with the same names, over the application that the API's tests use."""

import re
from dataclasses import dataclass

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from tests.api.conftest import World, api_url, citegraph, guest, world

__all__ = ["api_url", "citegraph", "guest", "world"]

PASSWORD = "correct horse battery"
BASE = "https://testserver"


@dataclass
class Browser:
    """A client that keeps cookies, and sends the token of the page it saw last with what it changes."""

    http: TestClient
    csrf: str = ""

    def get(self, path: str, *, status: int = 200) -> str:
        """The page, after redirects."""
        answer = self.http.get(path, follow_redirects=True)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        found = re.search(r'name="csrf-token" content="([0-9a-f]*)"', answer.text)
        self.csrf = found[1] if found else self.csrf
        return answer.text

    def post(self, path: str, *, status: int = 303, **fields: str) -> str:
        """The answer to a form."""
        answer = self.http.post(
            path, data={"csrf": self.csrf, **fields}, headers={"origin": BASE}, follow_redirects=False
        )
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        return answer.text


def invite(world: World, tenant: str, email: str, role: Role) -> str:
    """The token of an invitation to the tenant of that letter."""
    account = world.a if tenant == "A" else world.b
    with world.citegraph.database.open_tenant(account.home.tenant_id) as session:
        return accounts.create_invitation_link_token(session, email=email, role=role, actor="test")


def browser_of(world: World) -> Browser:
    """A browser in which nobody is signed in."""
    return Browser(TestClient(create_app(world.citegraph), base_url=BASE))


def join(world: World, tenant: str, email: str, role: Role) -> Browser:
    """A browser in which a new member of the tenant is signed in."""
    token = invite(world, tenant, email, role)
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)
    browser.get("/dashboard")
    return browser


@pytest.fixture(scope="session")
def admin(world: World) -> Browser:
    """An admin of tenant A."""
    return join(world, "A", "ada@a.example", Role.ADMIN)


@pytest.fixture(scope="session")
def viewer(world: World) -> Browser:
    """A viewer of tenant A."""
    return join(world, "A", "vera@a.example", Role.VIEWER)


@pytest.fixture(scope="session")
def stranger(world: World) -> Browser:
    """An admin of tenant B."""
    return join(world, "B", "bob@b.example", Role.ADMIN)
