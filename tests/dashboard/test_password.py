"""The page on which people change their own password."""

import secrets

from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.accounts.sign_in_delays import MAX_FAILURES_WITHOUT_DELAY
from tests.api.conftest import World
from tests.dashboard.conftest import BASE, PASSWORD, browser_of, join

PAGE = "/dashboard/password"
NEW_PASSWORD = "another-password-of-mine"


def _an_address() -> str:
    return f"{secrets.token_hex(6)}@a.example"


def test_a_new_password_signs_out_everywhere_and_alone_signs_in(world: World) -> None:
    email = _an_address()
    browser = join(world, "A", email, Role.VIEWER)
    other_browser = browser_of(world)
    other_browser.get("/dashboard/sign-in")
    other_browser.post("/dashboard/sign-in", email=email, password=PASSWORD)
    assert f'href="{PAGE}"' in browser.get("/dashboard?all=1")
    assert "Current password" in browser.get(PAGE)
    browser.post(PAGE, current_password=PASSWORD, new_password=NEW_PASSWORD, repeated_password=NEW_PASSWORD)
    assert "Your password was changed" in browser.get("/dashboard/sign-in?password_changed=true")
    other_browser.http.app.state.sessions.expire_cached_identities()  # type: ignore[attr-defined]
    assert "Sign in" in other_browser.get("/dashboard")
    browser.post("/dashboard/sign-in", status=401, email=email, password=PASSWORD)
    browser.post("/dashboard/sign-in", email=email, password=NEW_PASSWORD)
    assert "Sign out" in browser.get("/dashboard?all=1")


def test_what_is_wrong_is_said_and_nothing_is_changed(world: World) -> None:
    email = _an_address()
    browser = join(world, "A", email, Role.VIEWER)
    for current, new, repeated, message in (
        ("not-my-password", NEW_PASSWORD, NEW_PASSWORD, "The current password is not right."),
        (PASSWORD, NEW_PASSWORD, NEW_PASSWORD + "!", "The new password was typed in two ways."),
        (PASSWORD, "short", "short", "12"),
    ):
        page = browser.post(
            PAGE, status=422, current_password=current, new_password=new, repeated_password=repeated
        )
        assert message in page
    browser.post("/dashboard/sign-in", email=email, password=PASSWORD)


def test_guesses_of_the_current_password_have_to_wait(world: World) -> None:
    browser = join(world, "A", _an_address(), Role.VIEWER)
    fields = {"new_password": NEW_PASSWORD, "repeated_password": NEW_PASSWORD}
    for _ in range(MAX_FAILURES_WITHOUT_DELAY):
        browser.post(PAGE, status=422, current_password="a-guess-that-is-wrong", **fields)
    page = browser.post(PAGE, status=429, current_password=PASSWORD, **fields)
    assert "Too many wrong passwords from here" in page


def test_a_visitor_with_an_api_key_has_no_password(world: World) -> None:
    browser = browser_of(world)
    browser.get("/dashboard/sign-in")
    browser.post("/dashboard/sign-in", api_key=world.a.keys["read"])
    assert f'href="{PAGE}"' not in browser.get("/dashboard?all=1")
    browser.get(PAGE, status=404)


def test_who_is_not_signed_in_or_sends_no_token_of_the_session_changes_nothing(world: World) -> None:
    email = _an_address()
    browser = join(world, "A", email, Role.VIEWER)
    fields = {"current_password": PASSWORD, "new_password": NEW_PASSWORD, "repeated_password": NEW_PASSWORD}
    for visitor, status in ((browser_of(world), 303), (browser, 403)):
        answer = visitor.http.post(PAGE, data=fields, headers={"origin": BASE}, follow_redirects=False)
        assert answer.status_code == status
    assert browser_of(world).http.get(PAGE, follow_redirects=False).status_code == 303
    browser.post("/dashboard/sign-in", email=email, password=PASSWORD)


def test_an_operator_without_a_password_chooses_one(world: World) -> None:
    with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
        token = accounts.create_operator_link_token(tenant, email=_an_address(), actor="test")
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}")
    page = browser.get(PAGE)
    assert "Choose a password" in page
    assert "Current password" not in page
    browser.post(PAGE, new_password=NEW_PASSWORD, repeated_password=NEW_PASSWORD)
