"""Members, keys, limits and settings on pages: what admins do there, and what each page says (issue 12.8)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from app.dashboard.tenant.setting_fields import (
    Kind,
    SettingGroup,
    describe_setting_error,
    format_value,
    list_setting_fields,
    parse_setting_changes,
)
from app.errors import InvalidInput
from app.ids import SpaceId
from app.ingest.extractor_choice import MODEL_SETTINGS
from app.space_settings import EffectiveSettings, SpaceDefaults, SpaceOnly, effective_settings
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import api_keys
from tests.api.conftest import World
from tests.conftest import Home, make_home
from tests.dashboard.conftest import PASSWORD, Browser, browser_of

HOSTILE = '"><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def own(world: World) -> Home:
    """A tenant of these tests' own."""
    return make_home(world.citegraph.database, f"pages-{uuid4().hex[:8]}")


@pytest.fixture(scope="module")
def many(world: World) -> Home:
    """A tenant with four spaces."""
    home = make_home(world.citegraph.database, f"many-{uuid4().hex[:8]}")
    with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
        for name in ("second", "third", "fourth"):
            spaces.create_space(
                tenant, name=name, embedding_model="hashed-ngrams-256", embedding_dimensions=256, actor="test"
            )
    return home


def enter(world: World, home: Home, email: str, role: Role) -> Browser:
    """A browser in which a new member of that tenant is signed in."""
    with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
        token = accounts.create_invitation_link_token(tenant, email=email, role=role, actor="test")
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)
    browser.get("/dashboard?all=1")
    return browser


@pytest.fixture(scope="module")
def admin(world: World, own: Home) -> Browser:
    return enter(world, own, "ada@own.example", Role.ADMIN)


def account_of(world: World, home: Home, email: str) -> Any:
    with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
        return next(member for member in accounts.list_members(tenant) if member.email == email)


class TestMembers:
    def test_an_invitation_is_shown_once_and_joins(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/members"
        admin.get(base)
        page = admin.post(f"{base}/invite", status=200, email="new@own.example", role="editor")
        link = re.search(r'value="https://testserver(/dashboard/links/[\w-]+)"', page)
        assert link is not None
        assert link[1] not in admin.get(base)
        browser = browser_of(world)
        browser.get(link[1])
        browser.post(link[1], password=PASSWORD)
        assert account_of(world, own, "new@own.example").role is Role.EDITOR

    def test_an_invitation_is_withdrawn(self, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/members"
        page = admin.post(f"{base}/invite", status=200, email="gone@own.example", role="viewer")
        link = re.search(r"(/dashboard/links/[\w-]+)", page)
        withdrawal = re.search(rf'action="({base}/invitations/[0-9a-f-]+/withdraw)"', page)
        assert link is not None
        assert withdrawal is not None
        admin.post(withdrawal[1])
        assert "gone@own.example" not in admin.get(base)
        admin.get(link[1], status=404)

    def test_a_role_changes_and_a_member_goes(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/members"
        member = enter(world, own, "vic@own.example", Role.VIEWER)
        id = account_of(world, own, "vic@own.example").account_id
        admin.get(base)
        admin.post(f"{base}/{id}/role", role="editor")
        assert account_of(world, own, "vic@own.example").role is Role.EDITOR
        admin.post(f"{base}/{id}/remove")
        member.http.app.state.sessions.expire_cached_identities()  # type: ignore[attr-defined]
        assert "Sign in" in member.get("/dashboard")

    def test_the_last_admin_stays_and_the_page_says_so(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/members"
        id = account_of(world, own, "ada@own.example").account_id
        admin.get(base)
        assert "at least one admin" in admin.post(f"{base}/{id}/role", status=409, role="viewer")
        assert account_of(world, own, "ada@own.example").role is Role.ADMIN

    def test_no_invitation_takes_the_last_admin_away(self, world: World) -> None:
        # Requirement 1.1: a link gives a member its role, and keeps the rule of the members' list.
        home = make_home(world.citegraph.database, f"pages-{uuid4().hex[:8]}")
        enter(world, home, "sole@own.example", Role.ADMIN)
        with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
            token = accounts.create_invitation_link_token(
                tenant, email="sole@own.example", role=Role.VIEWER, actor="test"
            )
        browser, link = browser_of(world), f"/dashboard/links/{token}"
        browser.get(link)
        assert "at least one admin" in browser.post(link, status=409, password=PASSWORD)
        assert account_of(world, home, "sole@own.example").role is Role.ADMIN
        # Nothing was used up: with a second admin the same link works.
        enter(world, home, "second@own.example", Role.ADMIN)
        browser.get(link)
        browser.post(link, password=PASSWORD)
        assert account_of(world, home, "sole@own.example").role is Role.VIEWER

    def test_what_is_no_address_is_refused_in_words(self, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/members"
        admin.get(base)
        page = admin.post(f"{base}/invite", status=422, email=HOSTILE, role="viewer")
        assert "no e-mail address" in page
        assert "<img" not in page


class TestKeys:
    def test_a_key_is_shown_once_works_and_is_revoked(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/keys"
        admin.get(base)
        page = admin.post(
            base, status=200, name=HOSTILE, scopes="read", space_ids=str(own.space_id), days="30"
        )
        assert "<img" not in page
        token = re.search(r'value="(cg_live_[\w-]+)"', page)
        assert token is not None
        bearer = {"authorization": f"Bearer {token[1]}"}
        listed = world.http.get("/v1/spaces", headers=bearer)
        assert [space["id"] for space in listed.json()["items"]] == [str(own.space_id)]
        page = admin.get(base)
        assert token[1] not in page
        revoke = re.search(rf'action="({base}/[0-9a-f-]+/revoke)"', page)
        assert revoke is not None
        admin.post(revoke[1])
        world.http.app.state.keyring.expire_cached_identities()  # type: ignore[attr-defined]
        assert world.http.get("/v1/spaces", headers=bearer).status_code == 401

    def test_a_key_outlives_the_session_in_which_it_was_made(
        self, world: World, own: Home, admin: Browser
    ) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/keys"
        admin.get(base)
        admin.post(base, status=200, name="a year", scopes="read", days="365")
        with world.citegraph.database.open_tenant(own.tenant_id) as tenant:
            key = next(key for key in api_keys.list_keys(tenant) if key.name == "a year")
        assert key.expires_at is not None
        assert key.expires_at > datetime.now(UTC) + timedelta(days=360)

    def test_a_key_of_another_tenants_space_is_refused(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/keys"
        admin.get(base)
        page = admin.post(base, status=404, name="x", scopes="read", space_ids=str(world.b.space_id))
        assert "No such space." in page

    def test_a_refused_form_keeps_what_was_typed(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/keys"
        admin.get(base)
        typed = {"name": 'x "y" <z>', "days": "365"}
        page = admin.post(base, status=404, scopes="write", space_ids=str(world.b.space_id), **typed)
        assert 'name="name" required maxlength="200"' in page
        assert 'value="x &quot;y&quot; &lt;z&gt;"' in page
        assert '<option value="365" selected>' in page
        assert '<option value="90">' in page
        assert '<input type="checkbox" name="scopes" value="write" checked>' in page
        assert '<input type="checkbox" name="scopes" value="read">' in page

    def test_an_error_page_shows_what_was_typed(self, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}/keys"
        admin.get(base)
        page = admin.post(base, status=422, name="for the <b>nightly</b> import", days="7")
        assert "What the form sent cannot be accepted." in page
        assert "for the &lt;b&gt;nightly&lt;/b&gt; import" in page
        assert page.count(admin.csrf) <= 1, "the token is no text that was typed"

    def test_a_key_makes_no_key_that_may_more(self, world: World, own: Home) -> None:
        with world.citegraph.database.open_tenant(own.tenant_id) as tenant:
            _, token = api_keys.create_key(tenant, name="only admin", scopes=["admin"], actor="test")
        browser = browser_of(world)
        browser.post("/dashboard/sign-in", api_key=token.token)
        base = f"/dashboard/tenants/{own.tenant_id}/keys"
        browser.get(base)
        assert "lacks write" in browser.post(base, status=403, name="more", scopes="write")


class TestManySpaces:
    """Every space is reached and named, however many there are (requirement 14)."""

    def test_the_list_of_spaces_has_pages(
        self, world: World, many: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("app.dashboard.home.PAGE_SIZE", 3)
        viewer = enter(world, many, "vera@own.example", Role.VIEWER)
        first = viewer.get("/dashboard")
        assert "third" in first
        assert "fourth" not in first
        following = re.search(r'href="(\?after=[0-9a-f-]+)">Newer', first)
        assert following is not None
        # The last page holds one space, which is no reason to open it at once.
        last = viewer.get(f"/dashboard{following[1]}")
        assert "fourth" in last
        assert "third" not in last
        assert "Oldest" in last

    def test_a_key_and_an_entry_name_a_space_that_no_list_offers(
        self, world: World, many: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("app.dashboard.tenant.space_choices.MAX_OFFERED_SPACES", 1)
        with world.citegraph.database.open_tenant(many.tenant_id) as tenant:
            last = spaces.get_space(tenant, "fourth")
            api_keys.create_key(
                tenant, name="crawler", scopes=["read"], actor="test", space_ids=[SpaceId(last.id)]
            )
        admin = enter(world, many, "ada@own.example", Role.ADMIN)
        for page in ("keys", "audit"):
            shown = admin.get(f"/dashboard/tenants/{many.tenant_id}/{page}")
            assert "fourth" in shown
            assert "a space that is gone" not in shown


class TestLimits:
    def test_bars_and_a_new_space(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/tenants/{own.tenant_id}"
        page = admin.get(base)
        assert page.count("<meter") >= 6
        admin.post(f"{base}/spaces", name="Second")
        assert "exists" in admin.post(f"{base}/spaces", status=409, name="Second")
        with world.citegraph.database.open_tenant(own.tenant_id) as tenant:
            assert "Second" in [space.name for space in spaces.list_spaces(tenant)]


def groups(own: dict[str, Any] | None = None) -> list[SettingGroup]:
    platform = SpaceDefaults(max_facts=12)
    return list_setting_fields(
        platform, own or {}, effective_settings(platform, own or {}), ["small", "large", "rules"]
    )


class TestSettingFields:
    def test_every_setting_has_its_field_with_help(self) -> None:
        fields = [field for _, group in groups() for field in group]
        assert {field.name for field in fields} == set(EffectiveSettings.model_fields)
        assert len(fields) == len(SpaceDefaults.model_fields) + len(SpaceOnly.model_fields)
        assert all(field.description for field in fields)
        assert all(group for _, group in groups())

    def test_the_three_values_are_told_apart(self) -> None:
        (field,) = (
            setting_field
            for _, group in groups({"max_facts": 7})
            for setting_field in group
            if setting_field.name == "max_facts"
        )
        assert (field.default, field.platform_value, field.own_value, field.effective_value) == (30, 12, 7, 7)
        assert field.bounds == "1 to 500"

    def test_a_refused_value_is_told_by_the_setting_s_name_and_bounds(self) -> None:
        said = describe_setting_error("max_facts: Input should be less than or equal to 500.", groups())
        assert said == "Max facts: 1 to 500."
        assert describe_setting_error("The name is taken.", groups()) == "The name is taken."

    def test_a_space_chooses_among_the_models_that_are_offered(self) -> None:
        """Rules read documents, but check no claims; an own model that is no longer offered is shown."""
        by_name = {field.name: field for _, group in groups({"extraction_model": "gone"}) for field in group}
        assert by_name["extraction_model"].choices == ("small", "large", "rules", "gone")
        assert by_name["claim_check_model"].choices == ("small", "large")
        assert {name for name, field in by_name.items() if field.kind is Kind.MODEL} == set(MODEL_SETTINGS)

    def test_a_bound_that_nobody_reaches_is_not_told(self) -> None:
        (field,) = (
            setting_field
            for _, group in groups()
            for setting_field in group
            if setting_field.name == "budget_usd"
        )
        assert field.bounds == "0 or more"

    @pytest.mark.parametrize(
        ("name", "text", "value"),
        [
            ("max_facts", "9", 9),
            ("fact_decay", "0.5", 0.5),
            ("communities", "false", False),
            ("eviction", "ttl", "ttl"),
            ("extra_node_types", "Ship\r\n\r\n Harbour ", ["Ship", "Harbour"]),
            ("hybrid_weights", "[1, 2, 3, 4]", [1, 2, 3, 4]),
            ("max_facts", "", None),
        ],
    )
    def test_fields_are_read_as_they_were_typed(self, name: str, text: str, value: object) -> None:
        held = {"max_facts": 7} if text == "" else {}
        assert parse_setting_changes(groups(held), {name: text}) == {name: value}

    def test_what_was_not_changed_is_no_change(self) -> None:
        own = {
            "max_facts": 7,
            "extra_node_types": ["Ship"],
            "communities": False,
            "hybrid_weights": [1, 0, 0, 0],
        }
        fields = groups(own)
        typed = {field.name: field.form_text for _, group in fields for field in group}
        assert parse_setting_changes(fields, typed) == {}

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("max_facts", "nine"),
            ("fact_decay", "x"),
            ("hybrid_weights", "[1,"),
            ("hybrid_weights", "[" * 9_000),
            ("communities", "perhaps"),
            ("extra_node_types", "a\x00b"),
            ("extra_node_types", "x" * 30_000),
        ],
    )
    def test_what_cannot_be_read_is_named(self, name: str, text: str) -> None:
        with pytest.raises(InvalidInput, match=name):
            parse_setting_changes(groups(), {name: text})

    def test_values_are_shown_in_words(self) -> None:
        values: list[object] = [None, [], True, False, 1_000, 0.5]
        assert [format_value(value) for value in values] == ["none", "none", "yes", "no", "1,000", "0.5"]


class TestSettings:
    def test_an_admin_changes_and_resets(self, world: World, own: Home, admin: Browser) -> None:
        base = f"/dashboard/spaces/{own.space_id}/settings"
        admin.get(base)
        admin.post(base, max_facts="9", eviction="ttl", eviction_ttl_days="40")
        assert stored(world, own) == {"max_facts": 9, "eviction": "ttl", "eviction_ttl_days": 40}
        assert "its own" in admin.get(base)
        admin.post(base, extraction_model="rules")
        assert stored(world, own)["extraction_model"] == "rules"
        assert '<option value="rules" selected>rules</option>' in admin.get(base)
        admin.post(base, extraction_model="")
        admin.post(f"{base}/reset", name="max_facts")
        assert stored(world, own) == {"eviction": "ttl", "eviction_ttl_days": 40}
        admin.post(base, eviction="", eviction_ttl_days="")
        assert stored(world, own) == {}

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"max_facts": "0"}, "Max facts: 1 to 500."),
            ({"eviction": "ttl"}, "eviction_ttl_days"),
            ({"extraction_model": "unknown"}, "is not offered here"),
            ({"claim_check_model": "rules"}, "is not offered here"),
            ({"extra_node_types": HOSTILE + "\x01"}, "Extra node types: "),
        ],
    )
    def test_what_is_refused_is_said_and_nothing_changes(
        self, world: World, own: Home, admin: Browser, fields: dict[str, str], sentence: str
    ) -> None:
        base = f"/dashboard/spaces/{own.space_id}/settings"
        admin.get(base)
        page = admin.post(base, status=422, **fields)
        assert sentence in page.split('role="alert"')[1][:400]
        assert "<img" not in page
        assert stored(world, own) == {}

    def test_what_golden_questions_refuse_is_reset_at_the_second_press(
        self, world: World, own: Home, admin: Browser
    ) -> None:
        base = f"/dashboard/spaces/{own.space_id}"
        admin.get(f"{base}/settings")
        admin.post(f"{base}/settings", max_facts="9")
        admin.get(f"{base}/golden")
        admin.post(f"{base}/golden/questions", question="Who wrote it?", answers="Ada", sources="")
        admin.post(f"{base}/golden/settings", hours="", gate="on")
        admin.get(f"{base}/settings")
        page = admin.post(f"{base}/settings/reset", status=409, name="max_facts")
        assert "Reset it once more" in page.split('role="alert"')[1][:400]
        assert stored(world, own)["max_facts"] == 9
        (reset_form,) = re.findall(r'<form[^>]*id="reset">.*?</form>', page, re.DOTALL)
        forced = re.findall(r'name="(force)" value="(max_facts)"', reset_form)
        admin.post(f"{base}/settings/reset", status=409, name="max_facts", force="min_confidence")
        admin.post(f"{base}/settings/reset", name="max_facts", **dict(forced))
        assert "max_facts" not in stored(world, own)
        admin.get(f"{base}/golden")
        admin.post(f"{base}/golden/settings", hours="")

    def test_a_viewer_reads_values_and_no_form(self, world: World, own: Home) -> None:
        page = enter(world, own, f"{uuid4().hex}@own.example", Role.VIEWER).get(
            f"/dashboard/spaces/{own.space_id}/settings"
        )
        assert "Chunk tokens" in page
        assert f'action="/dashboard/spaces/{own.space_id}' not in page

    def test_another_model_says_what_it_takes(self, own: Home, admin: Browser) -> None:
        base = f"/dashboard/spaces/{own.space_id}/settings"
        page = admin.get(f"{base}?model=hashed-ngrams-256")
        assert "embeds every passage" in page
        assert "has that model already" in page
        assert "not offered" in admin.get(f"{base}?model=nonsense", status=422)
        assert "nothing to do" in admin.post(f"{base}/embedding", status=409, model="hashed-ngrams-256")

    def test_a_space_is_renamed_and_deleted_by_its_name(
        self, world: World, own: Home, admin: Browser
    ) -> None:
        admin.get(f"/dashboard/tenants/{own.tenant_id}")
        name = f"Third {uuid4().hex[:6]}"
        admin.post(f"/dashboard/tenants/{own.tenant_id}/spaces", name=name)
        with world.citegraph.database.open_tenant(own.tenant_id) as tenant:
            base = f"/dashboard/spaces/{spaces.get_space(tenant, name).id}/settings"
        admin.get(base)
        admin.post(f"{base}/name", name=f"{name} renamed", description="About ships")
        assert "About ships" in admin.get(base)
        assert "nothing was deleted" in admin.post(f"{base}/delete", status=422, confirm=name)
        admin.post(f"{base}/delete", confirm=f"{name} renamed")
        admin.get(base, status=404)


def stored(world: World, home: Home) -> dict[str, Any]:
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        return dict(spaces.get_open_space_row(space).settings)
