"""Who signs in to the dashboard, how often, and what ends it (issue 12, requirements 1.1 and 14)."""

import secrets
from contextlib import ExitStack
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from app.errors import Conflict
from app.http.security_headers import SECURITY_HEADERS
from app.ids import TenantId
from app.tenancy.accounts import passwords, sign_in
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.accounts.sign_in_delays import MAX_FAILURES_WITHOUT_DELAY
from app.tenancy.tenants import api_keys
from app.tenancy.tenants import service as tenants
from tests.api.conftest import World
from tests.dashboard.conftest import BASE, PASSWORD, Browser, browser_of, invite, join


def an_address() -> str:
    return f"{secrets.token_hex(6)}@a.example"


def test_nobody_is_led_to_the_form_and_back(world: World) -> None:
    browser = browser_of(world)
    page = browser.get(f"/dashboard/spaces/{world.a.space_id}")
    assert "Sign in" in page
    assert f'value="/dashboard/spaces/{world.a.space_id}"' in page


def test_who_changes_something_too_late_comes_back_to_the_form(world: World) -> None:
    form = f"/dashboard/spaces/{world.a.space_id}/settings"
    for headers, expected in (
        ({"referer": f"{BASE}{form}?a=1"}, f"{form}?a=1"),
        ({"referer": f"{BASE}{form}", "hx-request": "true"}, form),
        # Elsewhere nothing is led back to: then what was asked for itself.
        ({"referer": f"https://evil.example{form}"}, f"{form}/name"),
    ):
        answer = browser_of(world).http.post(
            f"{form}/name", headers={"origin": BASE, **headers}, follow_redirects=False
        )
        led = answer.headers.get("hx-redirect") or answer.headers["location"]
        assert unquote(led) == f"/dashboard/sign-in?next={expected}"


@pytest.mark.parametrize(
    "place",
    ["https://evil.example", "//evil.example", "/v1/spaces", "\\\\evil", "///dashboard", "//dashboard"],
)
def test_the_way_back_stays_on_our_pages(world: World, place: str) -> None:
    page = browser_of(world).get(f"/dashboard/sign-in?next={place}")
    assert 'name="next" value="/dashboard"' in page


def test_a_password_signs_in_and_sign_out_ends_it_at_once(world: World) -> None:
    email = an_address()
    join(world, "A", email, Role.VIEWER)
    browser = browser_of(world)
    browser.post("/dashboard/sign-in", email=email.upper(), password=PASSWORD)
    cookie = next(
        stored_cookie
        for stored_cookie in browser.http.cookies.jar
        if stored_cookie.name == "citegraph_session"
    )
    assert cookie.secure
    assert cookie.path == "/dashboard"
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert "Sign out" in browser.get("/dashboard?all=1")
    kept = cookie.value
    browser.post("/dashboard/sign-out")
    assert kept is not None
    browser.http.cookies.set("citegraph_session", kept, path="/dashboard")
    assert "Sign in" in browser.get("/dashboard")


def test_an_api_key_signs_in_with_its_own_rights(world: World) -> None:
    browser = browser_of(world)
    browser.post("/dashboard/sign-in", api_key=world.a.keys["read"])
    assert world.a.canary not in browser.get(f"/dashboard/spaces/{world.b.space_id}", status=404)
    browser.get(f"/dashboard/spaces/{world.a.space_id}")
    assert "did not" in browser_of(world).post("/dashboard/sign-in", status=401, api_key="cg_live_no")


def test_a_key_that_is_revoked_ends_its_sessions(world: World) -> None:
    database = world.citegraph.database
    with database.open_tenant(world.a.home.tenant_id) as tenant:
        key, token = api_keys.create_key(tenant, name="short", scopes=["read"], actor="test")
    browser = browser_of(world)
    browser.post("/dashboard/sign-in", api_key=token.token)
    with database.open_tenant(world.a.home.tenant_id) as tenant:
        api_keys.revoke_key(tenant, key.id, actor="test")  # type: ignore[arg-type]
    assert "Sign in" in browser.get("/dashboard")


def test_a_stranger_who_guesses_delays_only_himself(world: World) -> None:
    """Review C5: however often somebody guesses, the owner signs in from elsewhere."""
    email = an_address()
    join(world, "A", email, Role.VIEWER)
    with TestClient(browser_of(world).http.app, base_url=BASE, client=("203.0.113.9", 1)) as http:
        stranger = Browser(http)
        for _ in range(MAX_FAILURES_WITHOUT_DELAY):
            stranger.post("/dashboard/sign-in", status=401, email=email, password="wrong password")
        answer = http.post("/dashboard/sign-in", data={"email": email, "password": PASSWORD})
        assert answer.status_code == 429, "also for the right one, which tells him nothing"
        assert int(answer.headers["retry-after"]) >= 1
        assert "Too many wrong passwords from here" in answer.text
    browser_of(world).post("/dashboard/sign-in", email=email, password=PASSWORD)


def test_an_account_that_does_not_exist_is_delayed_alike(world: World) -> None:
    email = an_address()
    browser = browser_of(world)
    for _ in range(MAX_FAILURES_WITHOUT_DELAY):
        browser.post("/dashboard/sign-in", status=401, email=email, password="wrong password")
    refusal = browser.post("/dashboard/sign-in", status=429, email=email, password="wrong password")
    assert "Too many wrong passwords from here" in refusal


def test_a_hash_of_other_parameters_signs_in_and_is_made_anew(world: World) -> None:
    """Review C5: hashes of four lanes go on working."""
    email = an_address()
    join(world, "A", email, Role.VIEWER)
    old = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=4).hash(PASSWORD)
    with world.citegraph.database.open_platform() as platform:
        platform.connection.execute("UPDATE account SET password_hash = %s WHERE email = %s", [old, email])
    for _ in range(2):
        browser_of(world).post("/dashboard/sign-in", email=email, password=PASSWORD)
        with world.citegraph.database.open_platform() as platform:
            (stored,) = platform.connection.execute(
                "SELECT password_hash FROM account WHERE email = %s", [email]
            ).fetchone() or ("",)
        assert "p=1$" in stored


@pytest.mark.soak
def test_beyond_the_passwords_compared_at_once_who_signs_in_is_told_to_wait(world: World) -> None:
    """Review C5: a flood holds no more processors than half."""
    email = an_address()
    join(world, "A", email, Role.VIEWER)
    with ExitStack() as held:
        for _ in range(passwords.MAX_PARALLEL_HASHES):
            held.enter_context(passwords.occupy_password_check_slot())
        answer = browser_of(world).http.post(
            "/dashboard/sign-in", data={"email": email, "password": PASSWORD}
        )
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    browser_of(world).post("/dashboard/sign-in", email=email, password=PASSWORD)


def test_every_answer_of_a_page_has_the_policy_also_one_that_leads_on(world: World) -> None:
    """Review C6."""
    viewer = join(world, "A", an_address(), Role.VIEWER)
    for browser, path in (
        (viewer, "/dashboard/sign-in"),
        (viewer, "/dashboard"),
        (browser_of(world), "/dashboard"),
        (browser_of(world), "/"),
        (browser_of(world), "/dashboard/no-such-page"),
    ):
        answer = browser.http.get(path, follow_redirects=False)
        for name, value in SECURITY_HEADERS.items():
            assert answer.headers[name] == value, (path, name)


def test_the_address_that_is_printed_answers(world: World) -> None:
    """Review C6."""
    answer = browser_of(world).http.get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard")


def test_a_link_signs_in_once_and_looking_at_it_uses_nothing_up(world: World) -> None:
    token = invite(world, "A", an_address(), Role.EDITOR)
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", status=422, password="short")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)
    assert "has ended" in browser_of(world).get(f"/dashboard/links/{token}", status=404)
    assert "has ended" in browser_of(world).post(f"/dashboard/links/{token}", status=404, password=PASSWORD)


def test_the_first_link_makes_an_operator(world: World) -> None:
    with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
        token = accounts.create_operator_link_token(tenant, email=an_address(), actor="test")
    browser = browser_of(world)
    browser.post(f"/dashboard/links/{token}")
    assert "Operator" in browser.get("/dashboard?all=1")


def test_a_link_works_also_where_somebody_is_signed_in(world: World) -> None:
    token = invite(world, "A", an_address(), Role.EDITOR)
    browser = join(world, "A", an_address(), Role.VIEWER)
    page = browser.get(f"/dashboard/links/{token}")
    assert f'name="csrf" value="{browser.csrf}"' in page
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)


def test_who_mistyped_the_password_goes_on_there(world: World) -> None:
    page = browser_of(world).post("/dashboard/sign-in", status=401, email="eva@a.example", password="x")
    fields = {name: page.partition(f'name="{name}"')[2].partition(">")[0] for name in ("email", "password")}
    assert "autofocus" in fields["password"]
    assert "autofocus" not in fields["email"]


class TestForgedRequests:
    def test_a_change_needs_the_token_of_the_session(self, world: World) -> None:
        browser = join(world, "A", an_address(), Role.VIEWER)
        browser.csrf = "0" * 64
        browser.post("/dashboard/sign-out", status=403)
        assert "Sign out" in browser.get("/dashboard?all=1")

    @pytest.mark.parametrize(
        "headers",
        [{"origin": "https://evil.example"}, {"origin": BASE, "sec-fetch-site": "cross-site"}],
        ids=["origin", "site"],
    )
    def test_a_change_comes_from_our_own_pages(
        self, world: World, viewer: Browser, headers: dict[str, str]
    ) -> None:
        answer = viewer.http.post("/dashboard/sign-out", data={"csrf": viewer.csrf}, headers=headers)
        assert answer.status_code == 403
        # Also before anybody is signed in: else others could sign a visitor in as somebody else.
        stranger = browser_of(world).http.post("/dashboard/sign-in", data={"email": "x"}, headers=headers)
        assert stranger.status_code == 403


class TestMembers:
    def test_the_last_admin_stays(self, world: World) -> None:
        with world.citegraph.database.open_platform() as platform:
            tenant = tenants.create_tenant(platform, name=secrets.token_hex(6), actor="test")
        with world.citegraph.database.open_tenant(TenantId(tenant.id)) as session:
            token = accounts.create_invitation_link_token(
                session, email="only@x.example", role=Role.ADMIN, actor="test"
            )
        sign_in.sign_in_or_join_with_link(world.citegraph.database, token, PASSWORD)
        with world.citegraph.database.open_tenant(TenantId(tenant.id)) as session:
            (only,) = accounts.list_members(session)
            with pytest.raises(Conflict):
                accounts.change_role_or_remove_member(session, only.account_id, Role.VIEWER, actor="test")
            with pytest.raises(Conflict):
                accounts.change_role_or_remove_member(session, only.account_id, None, actor="test")
            assert accounts.list_members(session) == [only]

    def test_who_is_taken_out_is_signed_out(self, world: World) -> None:
        email = an_address()
        browser = join(world, "A", email, Role.VIEWER)
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as session:
            member = next(member for member in accounts.list_members(session) if member.email == email)
            accounts.change_role_or_remove_member(session, member.account_id, None, actor="test")
        browser.http.app.state.sessions.expire_cached_identities()  # type: ignore[attr-defined]
        assert "Sign in" in browser.get("/dashboard")


def test_pages_run_and_load_nothing_from_elsewhere(viewer: Browser) -> None:
    answer = viewer.http.get("/dashboard?all=1")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "http://" not in answer.text.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_invitations_end(world: World) -> None:
    token = invite(world, "A", an_address(), Role.VIEWER)
    with world.citegraph.database.open_tenant(world.a.home.tenant_id) as session:
        found = accounts.list_invitations(session)
        assert all(invitation.expires_at > datetime.now(UTC) for invitation in found)
        accounts.withdraw_invitation(session, found[0].id, actor="test")
    assert "has ended" in browser_of(world).get(f"/dashboard/links/{token}", status=404)
