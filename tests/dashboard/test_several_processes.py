"""Three server processes behind one address: whichever answers, a visitor goes on where another left off."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from app.jobs.kinds import IngestDocuments
from app.settings import Settings
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from tests.api.conftest import World
from tests.dashboard.conftest import PASSWORD, invite
from tests.support.service import command, free_port
from tests.support.several_processes import SECONDS, Visitor, children_of, csrf_of

PROCESSES = 3
NOWHERE = "redis://127.0.0.1:1/0"
FORM = "multipart/form-data; boundary=cut"


@pytest.fixture(scope="module")
def visitor(world: World, api_url: URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Somebody whose requests reach each of the three processes, signed in by none of them yet."""
    folder = tmp_path_factory.mktemp("processes")
    settings = Settings(
        database_url=api_url.render_as_string(hide_password=False),
        redis_url=NOWHERE,
        port=free_port(),
        home=folder / "home",
    )
    with command(settings, "serve", folder, f"--workers={PROCESSES}") as parent:
        found = Visitor(settings.port, parent.pid)
        found.processes(PROCESSES)
        yield found
        found.close()
        begun = children_of(parent.pid)
        parent.send_signal(signal.SIGTERM)
        assert parent.wait(60) == 0, (folder / "serve.log").read_text()[-2_000:]
        deadline = time.monotonic() + 20
        while any(Path(f"/proc/{child}").exists() for child in begun):
            assert time.monotonic() < deadline, "a process outlived its parent"
            time.sleep(0.1)


def until_read(world: World, visitor: Visitor, process: int, path: str) -> str:
    """The text of a stream to its end; jobs are run once it has begun."""
    answer = visitor.send(process, "GET", path)
    assert answer.status == 200, answer.read()
    text = ""
    while "event: state" not in text:
        text += answer.read1(65_536).decode()
    assert "event: end" not in text
    world.drain()
    deadline = time.monotonic() + SECONDS
    while part := answer.read1(65_536).decode():
        text += part
        # A stream that goes on says so every few seconds, and would never be too late for its socket.
        assert time.monotonic() < deadline, text
    return text


@pytest.mark.soak
def test_a_visitor_goes_on_in_any_process(world: World, visitor: Visitor) -> None:
    one, two, three = visitor.processes(PROCESSES)
    space = f"/dashboard/spaces/{world.a.space_id}"

    # A link of one process signs in at another, and a third knows who that is.
    link = f"/dashboard/links/{invite(world, 'A', 'three@a.example', Role.ADMIN)}"
    assert "password" in visitor.get(one, link)
    visitor.post(two, link, {"password": PASSWORD})
    token = csrf_of(visitor.get(three, space))
    assert csrf_of(visitor.get(one, space)) == token

    # An upload with the token of another's page; its job is followed at a third.
    body = (
        f'--cut\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n{token}\r\n'
        '--cut\r\ncontent-disposition: form-data; name="files"; filename="three.txt"\r\n'
        "content-type: text/plain\r\n\r\nGrace Hopper created Flow-Matic.\r\n--cut--\r\n"
    )
    origin = f"http://127.0.0.1:{visitor.port}"
    answer = visitor.send(two, "POST", f"{space}/documents", body.encode(), content_type=FORM, origin=origin)
    page = answer.read().decode()
    assert answer.status in (200, 303), page[:500]
    # Others wait for a later time: their streams would go on until then.
    jobs = visitor.get(one, f"{space}/jobs?kind={IngestDocuments.kind}")
    found = re.search(rf"{space}/jobs/([0-9a-f-]{{36}})", jobs)
    assert found
    job = found[1]
    told = until_read(world, visitor, three, f"{space}/jobs/{job}/stream")
    assert "event: end" in told
    assert "done" in told

    # A question is answered as a stream by one, and stands in the history of all.
    question = "Who created Flow-Matic?"
    streamed = visitor.get(one, f"{space}/ask/stream?q=Who+created+Flow-Matic%3F", accept="text/event-stream")
    assert "Grace Hopper" in streamed
    assert question in visitor.get(two, f"{space}/ask")
    assert question in visitor.get(three, f"{space}/ask")


@pytest.mark.soak
def test_a_cursor_of_one_process_leads_on_in_another(world: World, visitor: Visitor) -> None:
    one, two, _ = visitor.processes(PROCESSES)
    key = world.a.bearer("full")["authorization"]
    path = f"/v1/spaces/{world.a.space_id}/graph/nodes?limit=2"
    first = json.loads(visitor.get(one, path, authorization=key))
    rest = json.loads(visitor.get(two, f"{path}&cursor={first['next_cursor']}", authorization=key))
    assert {item["id"] for item in first["items"]}.isdisjoint(item["id"] for item in rest["items"])
    assert rest["items"]


@pytest.mark.soak
def test_a_session_that_ended_is_forgotten_by_every_process(world: World, visitor: Visitor) -> None:
    one, two, _ = visitor.processes(PROCESSES)
    space = f"/dashboard/spaces/{world.a.space_id}"
    visitor.cookie = ""
    link = f"/dashboard/links/{invite(world, 'A', 'leaves@a.example', Role.VIEWER)}"
    visitor.get(one, link)
    visitor.post(one, link, {"password": PASSWORD})
    mine = visitor.cookie
    token = csrf_of(visitor.get(two, space))
    visitor.post(one, "/dashboard/sign-out", {"csrf": token})
    deadline = time.monotonic() + 20
    while (answer := visitor.send(two, "GET", space, cookie=mine)).status == 200:
        answer.read()
        assert time.monotonic() < deadline, "another process still believes the session"
        time.sleep(0.5)
    answer.read()
    assert answer.status == 303


@pytest.mark.soak
def test_the_walls_examined_by_one_process_are_shown_by_all(world: World, visitor: Visitor) -> None:
    one, two, three = visitor.processes(PROCESSES)
    visitor.cookie = ""
    with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
        token = accounts.create_operator_link_token(tenant, email="three-op@a.example", actor="test")
        link = f"/dashboard/links/{token}"
    visitor.get(one, link)
    visitor.post(one, link, {})
    walls = "/dashboard/operator/walls"
    token = csrf_of(visitor.get(one, walls))
    visitor.post(one, f"{walls}/examine", {"csrf": token})
    shown = [
        re.search(r'<p class="note[^"]*" role="status">.*?</p>', visitor.get(process, path), re.S)
        for process in (one, two, three)
        for path in (walls, f"/dashboard/tenants/{world.a.tenant_id}/walls")
    ]
    found = [re.sub(r"<[^>]*>", "", page_texts[0]) for page_texts in shown if page_texts]
    assert len(found) == len(shown)
    assert len({text.split(" things examined")[0] for text in found}) == 1
    assert sum("three-op@a.example" in text for text in found) == PROCESSES


@pytest.mark.soak
def test_a_process_that_dies_is_replaced(visitor: Visitor) -> None:
    one, *others = visitor.processes(PROCESSES)
    os.kill(one, signal.SIGKILL)
    deadline = time.monotonic() + 240
    while one in (now := visitor.serving()) or len(now) < PROCESSES:
        assert time.monotonic() < deadline, "the dead process is not missed"
        # Asked meanwhile: connections on which nothing is asked for long are closed.
        for process in others:
            visitor.get(process, "/healthz")
        time.sleep(1)
    assert set(others) < set(now)
    for process in others:
        visitor.get(process, "/healthz")
