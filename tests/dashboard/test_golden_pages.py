"""Golden questions on pages: added, kept from an answer, asked, held to changes, removed."""

import re

import pytest

from tests.api.conftest import World
from tests.dashboard.conftest import Browser

QUESTION = "Who wrote the golden sonata?"


@pytest.fixture(scope="module")
def base(world: World) -> str:
    return f"/dashboard/spaces/{world.a.space_id}"


def test_an_admin_adds_asks_and_removes_a_question(world: World, admin: Browser, base: str) -> None:
    admin.get(f"{base}/golden")
    admin.post(f"{base}/golden/questions", question=QUESTION, answers="Ada\nAda Lind", sources="")
    page = admin.get(f"{base}/golden")
    assert "Ada / Ada Lind" in page
    admin.post(f"{base}/golden/runs", setting="max_facts", value="7")
    found = re.search(r"golden/runs/([0-9a-f-]{36})", admin.get(f"{base}/golden"))
    assert found is not None
    assert "max_facts = 7" in admin.get(f"{base}/golden/runs/{found[1]}")
    refused = admin.post(f"{base}/golden/runs", status=422, setting="max_facts", value="many")
    assert "max_facts" in refused
    removed = re.search(
        rf"questions/([0-9a-f-]{{36}})/remove[^>]*>(?:(?!</form>).)*{re.escape(QUESTION)}", page
    )
    assert removed is not None
    admin.post(f"{base}/golden/questions/{removed[1]}/remove")
    assert QUESTION not in admin.get(f"{base}/golden")


def test_schedule_and_gate_are_set_on_the_page(world: World, admin: Browser, base: str) -> None:
    admin.get(f"{base}/golden")
    admin.post(f"{base}/golden/settings", hours="24", gate="on")
    page = admin.get(f"{base}/golden")
    assert 'value="24.0"' in page
    assert re.search(r'name="gate" checked', page)
    assert "golden_every_hours" in admin.post(f"{base}/golden/settings", status=422, hours="0.1")
    admin.post(f"{base}/golden/settings", hours="")
    assert not re.search(r'name="gate" checked', admin.get(f"{base}/golden"))


def test_an_answer_is_kept_as_a_golden_question_with_its_sources(
    world: World, admin: Browser, viewer: Browser, base: str
) -> None:
    address = f"{base}/ask?q=What+did+SecretACorp+create%3F&whole=1"
    page = admin.get(address)
    kept = re.search(r'name="sources" value="([^"]*)"', page)
    assert kept is not None
    assert "Keep as golden question" not in viewer.get(address)
    admin.post(f"{base}/golden/questions", question="What did SecretACorp create?", sources=kept[1])
    assert kept[1].split("\n")[0] in admin.get(f"{base}/golden")


def test_a_viewer_sees_them_and_changes_nothing(viewer: Browser, base: str) -> None:
    page = viewer.get(f"{base}/golden")
    assert "<form" not in page.split("<main", 1)[1].split("</main>", 1)[0]
    viewer.post(f"{base}/golden/questions", status=403, question=QUESTION)
