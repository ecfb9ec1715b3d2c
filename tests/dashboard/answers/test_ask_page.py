"""Asking on the dashboard: the streamed answer, what stands beside it, and the questions that are kept."""

import json
import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.tenancy.accounts import questions
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from tests.api.conftest import Account, World
from tests.dashboard.conftest import PASSWORD, Browser, browser_of, join
from tests.support.ingest import ingest_now, text

QUESTION = "What did Michael Stonebraker create"
HOSTILE = '"><img src=x onerror=alert(1)>'


def asked(world: World, browser: Browser, question: str, **values: str) -> str:
    """The page with the whole answer, as it is without scripts."""
    query = "&".join(f"{name}={value}" for name, value in values.items())
    return browser.get(f"{spot(world)}/ask?whole=1&q={question.replace(' ', '+')}&{query}")


def spot(world: World) -> str:
    return f"/dashboard/spaces/{world.a.space_id}"


def events(world: World, browser: Browser, question: str, **values: str) -> list[tuple[str, str]]:
    """The events of a streamed answer, each with its fragment."""
    answer = browser.http.get(f"{spot(world)}/ask/stream", params={"q": question, **values})
    assert answer.status_code == 200, answer.text[:300]
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = re.findall(r"event: (\w+)\r?\ndata: (.*?)\r?\n\r?\n", answer.text)
    return [(name, json.loads(data)) for name, data in found]


def test_an_answer_cites_its_sources(world: World, viewer: Browser) -> None:
    page = asked(world, viewer, QUESTION)
    assert 'class="cite"' in page
    assert "No model wrote this" in page
    assert re.search(r"<mark>[^<]*Ingres", page)
    assert "Why this passage" in page
    assert "The part of the graph that was used" in page


def test_the_page_of_a_link_streams_what_the_link_asks(world: World, viewer: Browser) -> None:
    page = viewer.get(f"{spot(world)}/ask?q=Who+%26+why&scope=global&as_of=2020-05-04")
    assert 'data-stream="' in page
    assert "ask/stream?q=Who+%26+why&amp;scope=global&amp;as_of=2020-05-04" in page
    assert "whole=1" in page


def test_the_stream_tells_sources_then_sentences_then_the_whole(world: World, viewer: Browser) -> None:
    told = events(world, viewer, QUESTION)
    names = [name for name, _ in told]
    assert names[0] == "context"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"sentence"}
    whole = told[-1][1]
    assert all(fragment.strip() in whole for name, fragment in told if name == "sentence")
    assert "Found" in whole
    assert "$0.00" in whole


def test_what_the_space_does_not_say_is_said_in_a_sentence(world: World, viewer: Browser) -> None:
    page = asked(world, viewer, "Who is Zebulon Quark")
    assert "This space does not answer that." in page
    assert "Zebulon Quark" in page
    assert 'id="s0"' not in page


def test_a_question_that_cannot_be_asked_is_refused_in_words(world: World, viewer: Browser) -> None:
    answer = viewer.http.get(
        f"{spot(world)}/ask/stream", params={"q": "x" * 1_001}, headers={"hx-request": "true"}
    )
    assert answer.status_code == 422
    assert "1,000 characters" in answer.text
    assert "1,000 characters" in asked(world, viewer, "x" * 1_001)


def test_a_global_question_without_communities_is_refused_in_words(world: World, guest: Account) -> None:
    with world.citegraph.database.open_tenant(guest.home.tenant_id) as tenant:
        token = accounts.create_invitation_link_token(
            tenant, email="g@g.example", role=Role.VIEWER, actor="test"
        )
    browser = _joined(world, token)
    page = browser.get(f"/dashboard/spaces/{guest.space_id}/ask?q=themes&scope=global&whole=1")
    assert "needs communities" in page


def _joined(world: World, token: str) -> Browser:
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)
    return browser


def test_a_contradiction_and_an_ended_claim_are_named(world: World, guest: Account) -> None:
    database, settings = world.citegraph.database, world.citegraph.settings
    entries = [
        text("Ada Moss works for Borealis Labs.", title="Staff", source_uri="staff.txt"),
        text("Ada Moss founded Cirrus Works.", title="Founders", source_uri="founders.txt"),
    ]
    ingest_now(database, settings, guest.home, entries)
    with database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
        edge = next(edge for edge in graph.list_edges(space) if edge.relation_type == "works_for")
        invalidation.end_claim_by_person(
            space, edge.id, reason="left", actor="test", ended_at=datetime(2024, 1, 1, tzinfo=UTC)
        )
    with database.open_tenant(guest.home.tenant_id) as tenant:
        token = accounts.create_invitation_link_token(
            tenant, email="h@g.example", role=Role.VIEWER, actor="test"
        )
    browser = _joined(world, token)
    base = f"/dashboard/spaces/{guest.space_id}"
    ask = f"{base}/ask?whole=1&q=Who+does+Ada+Moss+work+for"
    assert "No longer so since 2024-01-01" in browser.get(ask)
    explain = f"{base}/explain?from=Ada+Moss&to=Borealis+Labs"
    assert "No path leads from" in browser.get(explain)
    assert "ended 2024-01-01" in browser.get(f"{explain}&as_of=2023-06-01")


def test_hostile_text_cannot_run_in_an_answer(world: World, viewer: Browser) -> None:
    entry = text(
        f"Vera Lund created {HOSTILE} Orrery. Vera Lund created Orrery Desk.",
        title=HOSTILE * 8,
        source_uri=f"{uuid4().hex}.txt",
    )
    ingest_now(world.citegraph.database, world.citegraph.settings, world.a.home, [entry])
    question = f"What did Vera Lund create {HOSTILE}"
    told = [fragment for _, fragment in events(world, viewer, question)]
    for page in (*told, viewer.get(f"{spot(world)}/ask?whole=1&q={question}")):
        assert "<img" not in page
    assert any("&lt;img" in page for page in told)


class TestQuestionsKept:
    @pytest.fixture
    def asker(self, world: World) -> Browser:
        return join(world, "A", f"{uuid4().hex}@a.example", Role.VIEWER)

    def test_a_question_is_listed_once_and_its_link_asks_again(self, world: World, asker: Browser) -> None:
        events(world, asker, QUESTION, as_of="2020-05-04")
        events(world, asker, "Another question")
        events(world, asker, QUESTION)
        page = asker.get(f"{spot(world)}/ask")
        assert page.count(f">{QUESTION}</a>") == 1
        assert page.index(QUESTION) < page.index("Another question")
        assert "/ask?q=What+did+Michael+Stonebraker+create" in page

    def test_nobody_else_sees_it(self, world: World, asker: Browser, admin: Browser) -> None:
        secret = f"Where is {uuid4().hex}"
        events(world, asker, secret)
        assert secret in asker.get(f"{spot(world)}/ask")
        assert secret not in admin.get(f"{spot(world)}/ask")

    def test_it_is_forgotten_when_they_say_so(self, world: World, asker: Browser) -> None:
        events(world, asker, QUESTION)
        asker.get(f"{spot(world)}/ask")
        asker.post(f"{spot(world)}/ask/forget")
        assert "Your last questions" not in asker.get(f"{spot(world)}/ask")

    def test_it_goes_with_the_account(self, world: World) -> None:
        email = f"{uuid4().hex}@a.example"
        browser = join(world, "A", email, Role.VIEWER)
        events(world, browser, f"Who wrote {email}")
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
            assert kept(tenant, email) == 1
            member = next(member for member in accounts.list_members(tenant) if member.email == email)
            accounts.change_role_or_remove_member(tenant, member.account_id, None, actor="test")
            assert kept(tenant, email) == 0

    def test_only_the_newest_are_kept(self, world: World, asker: Browser) -> None:
        mark = uuid4().hex
        events(world, asker, f"first {mark}")
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
            session = tenant.connection.execute(
                "SELECT s.id FROM dashboard_session s JOIN asked_question q ON q.account_id = s.account_id"
                " WHERE q.question = %s",
                [f"first {mark}"],
            ).fetchone()
            assert session is not None
            for number in range(questions.MAX_KEPT_QUESTIONS):
                questions.record_question_and_prune_history(
                    tenant,
                    session[0],
                    world.a.home.space_id,
                    question=f"{number} {mark}",
                    scope="local",
                    as_of=None,
                )
            assert kept(tenant, mark) == questions.MAX_KEPT_QUESTIONS
            assert kept(tenant, f"first {mark}") == 0


def kept(tenant: object, words: str) -> int:
    """How many questions with these words the tenant has."""
    row = tenant.connection.execute(  # type: ignore[attr-defined]
        "SELECT count(*) FROM asked_question WHERE question LIKE '%%' || %s", [words]
    ).fetchone()
    return int(row[0])
