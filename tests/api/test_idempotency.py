"""`Idempotency-Key`: the same request under the same key is carried out once, whatever dies in between."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import psycopg
import pytest
from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy import URL

from app.api import sessions
from app.db.engine import convert_to_conninfo
from app.http.idempotency import service as idempotency
from app.main import create_app
from tests.api.conftest import Account, World, make_keys
from tests.api.edge import PROJECT
from tests.api.routes import operator
from tests.support.service import free_port
from workers.sweeper import sweep_and_wake_if_jobs_wait

# Routes that change something in transactions of their own, each with how its answer is kept.
OWN_TRANSACTIONS = {
    "submit_documents": "store_answer_in_session, in the transaction that stores documents and job",
    "import_space": "store_answer_in_session, in the transaction that writes the space",
    "preview_document": "changes nothing: it is worked out again",
    "estimate_documents": "changes nothing: it is worked out again",
    "promote_trial": "a repeat sets the same settings once more",
    "create_tenant": "after its two transactions: a repeat in between finds the name taken",
}


def key() -> dict[str, str]:
    return {"idempotency-key": secrets.token_hex(8)}


def make_space(world: World, account: Account, name: str, headers: dict[str, str]) -> httpx2.Response:
    return world.http.post("/v1/spaces", headers={**account.bearer(), **headers}, json={"name": name})


def spaces_of(world: World, account: Account) -> list[str]:
    found = world.http.get("/v1/spaces", headers=account.bearer()).json()["items"]
    return [space["name"] for space in found]


class TestARepeat:
    def test_gets_the_same_answer_and_changes_nothing(self, world: World, guest: Account) -> None:
        once = key()
        first, second = (make_space(world, guest, "papers", once) for _ in range(2))
        assert (first.status_code, second.status_code) == (201, 201)
        assert first.content == second.content
        assert "idempotent-replayed" not in first.headers
        assert second.headers["idempotent-replayed"] == "true"
        assert spaces_of(world, guest).count("papers") == 1

    def test_of_documents_costs_no_second_job(self, world: World, guest: Account) -> None:
        headers = {**guest.bearer(), **key()}
        sent = [
            world.http.post(f"{guest.space}/documents", headers=headers, json={"text": "Ada knows Eve."})
            for _ in range(2)
        ]
        assert [response.status_code for response in sent] == [202, 202]
        assert sent[0].content == sent[1].content
        assert sent[1].headers["idempotent-replayed"] == "true"

    def test_of_a_form_may_have_another_boundary(self, world: World, guest: Account) -> None:
        headers = {**guest.bearer(), **key()}
        sent = []
        for content in (b"Ada knows Eve. ", b"Ada knows Eve. ", b"Eve knows Ada. "):
            boundary = secrets.token_hex(16)
            part = 'content-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain'
            body = (
                f"--{boundary}\r\n{part}\r\n\r\n".encode() + content * 9_000 + f"\r\n--{boundary}--".encode()
            )
            kind = {"content-type": f"multipart/form-data; boundary={boundary}"}
            sent.append(world.http.post(f"{guest.space}/documents", headers=headers | kind, content=body))
        assert [response.status_code for response in sent] == [202, 202, 409]
        assert sent[0].content == sent[1].content
        assert sent[2].json()["code"] == "idempotency_key_reused"

    def test_of_a_new_key_shows_its_token_again(self, world: World, guest: Account) -> None:
        headers = {**guest.bearer(), **key()}
        body = {"name": "crawler", "scopes": ["read"]}
        made = [world.http.post("/v1/api-keys", headers=headers, json=body).json() for _ in range(2)]
        assert made[0] == made[1]
        assert made[0]["token"].startswith("cg_")

    def test_a_repeat_by_the_operator_is_answered_from_the_store(self, world: World) -> None:
        headers = {**operator(), **key()}
        name = f"once-{secrets.token_hex(4)}"
        made = [world.http.post("/v1/tenants", headers=headers, json={"name": name}) for _ in range(2)]
        assert [response.status_code for response in made] == [201, 201]
        assert made[0].content == made[1].content

    def test_after_a_day_is_a_new_request(self, world: World, guest: Account, superuser: Any) -> None:
        once = key()
        make_space(world, guest, "papers", once)
        superuser.execute(
            "UPDATE idempotent_request SET created_at = now() - interval '25 hours' WHERE tenant_id = %s",
            [guest.tenant_id],
        )
        assert make_space(world, guest, "papers", once).json()["code"] == "name_taken"


class TestAnotherRequest:
    @pytest.mark.parametrize(
        ("path", "body"),
        [("/v1/spaces", {"name": "b"}), ("/v1/spaces?x=1", {"name": "a"}), ("/v1/api-keys", {"name": "a"})],
    )
    def test_under_the_same_key_is_refused(
        self, world: World, guest: Account, path: str, body: dict[str, str]
    ) -> None:
        once = key()
        make_space(world, guest, "a", once)
        answer = world.http.post(path, headers={**guest.bearer(), **once}, json=body)
        assert answer.status_code == (422 if "?" in path else 409)
        assert spaces_of(world, guest).count("b") == 0

    def test_by_another_key_of_the_tenant_or_another_tenant_is_its_own(
        self, world: World, guest: Account
    ) -> None:
        once = key()
        body = {"name": "mine", "scopes": ["read"]}
        guest.keys.update(another=make_keys(world.citegraph.database, guest.home)["full"])
        first = world.http.post("/v1/api-keys", headers={**guest.bearer(), **once}, json=body)
        for headers in (guest.bearer("another"), world.b.bearer()):
            other = world.http.post("/v1/api-keys", headers={**headers, **once}, json=body)
            assert other.status_code == 201
            assert other.json()["token"] != first.json()["token"]

    def test_may_follow_one_that_failed(self, world: World, guest: Account) -> None:
        once = key()
        assert make_space(world, guest, "", once).status_code == 422
        assert make_space(world, guest, "good", once).status_code == 201

    def test_that_reads_is_checked_and_run_again(self, world: World, superuser: Any) -> None:
        headers = {**world.a.bearer(), **key()}
        where = f"{world.a.space}/retrieve"
        sent = [
            world.http.post(where, headers=headers, json={"query": query})
            for query in ("Who created Ingres?", "Who created Ingres?", "Who uses SQL?")
        ]
        assert [response.status_code for response in sent] == [200, 200, 409]
        assert "idempotent-replayed" not in sent[1].headers
        rows = superuser.execute(
            "SELECT answer FROM idempotent_request WHERE idempotency_key = %s", [headers["idempotency-key"]]
        ).fetchall()
        assert rows == [(None,)], "words of documents would outlive them here"


@pytest.mark.parametrize("bad", ["", " ", "x" * 256, "a b", "ä"])
def test_a_key_that_cannot_be_one_is_refused(world: World, guest: Account, bad: str) -> None:
    bearer = (b"authorization", guest.bearer()["authorization"].encode())
    answer = world.http.post(
        "/v1/spaces", headers=[bearer, (b"idempotency-key", bad.encode())], json={"name": "a"}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_idempotency_key")


def test_of_many_at_once_one_is_carried_out(world: World, guest: Account) -> None:
    once = key()
    together = threading.Barrier(4)

    def send() -> httpx2.Response:
        together.wait()
        return make_space(world, guest, "papers", once)

    with ThreadPoolExecutor(4) as pool:
        answers = [future.result() for future in [pool.submit(send) for _ in range(4)]]
    made = [answer for answer in answers if answer.status_code == 201]
    waiting = [answer for answer in answers if answer.status_code == 409]
    assert len(made) >= 1
    assert len(made) + len(waiting) == 4
    assert len({answer.content for answer in made}) == 1
    assert {answer.json()["code"] for answer in waiting} <= {"request_under_way"}
    assert {answer.headers["retry-after"] for answer in waiting} <= {"2"}
    assert spaces_of(world, guest).count("papers") == 1


@pytest.mark.parametrize("ending", ["under way", "killed"])
def test_what_only_reads_is_answered_while_the_first_is_under_way(
    world: World, guest: Account, superuser: Any, ending: str
) -> None:
    """Whoever repeats a question after the server was killed need not wait for the end of its claim."""
    once = key()
    seconds = 30 if ending == "under way" else -1
    superuser.execute(
        "INSERT INTO idempotent_request (principal, idempotency_key, tenant_id, fence, leased_until)"
        " SELECT key_id, %s, tenant_id, gen_random_uuid(), now() + make_interval(secs => %s)"
        " FROM api_key WHERE tenant_id = %s",
        [once["idempotency-key"], seconds, guest.tenant_id],
    )
    headers = {**guest.bearer(), **once}
    for path, body in (("ask", {"question": "Who?"}), ("retrieve", {"query": "Who?"})):
        answer = world.http.post(f"{guest.space}/{path}", headers=headers, json=body)
        assert answer.status_code == (200 if path == "ask" or ending == "under way" else 409), answer.text
    made = make_space(world, guest, "papers", once)
    assert made.status_code == 409
    assert made.json()["code"] == ("request_under_way" if ending == "under way" else "idempotency_key_reused")


@pytest.mark.soak
def test_a_claim_that_another_process_took_over_changes_nothing(
    world: World, guest: Account, superuser: Any
) -> None:
    """Whoever was stopped for longer than the lease must not carry the request out beside the other."""
    superuser.execute(
        "CREATE FUNCTION steal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
        " UPDATE idempotent_request SET fence = gen_random_uuid() WHERE tenant_id = NEW.tenant_id;"
        " RETURN NEW; END $$;"
        " CREATE TRIGGER steal BEFORE INSERT ON knowledge_space FOR EACH ROW"
        " WHEN (NEW.name = 'stolen') EXECUTE FUNCTION steal()"
    )
    try:
        answer = make_space(world, guest, "stolen", key())
    finally:
        superuser.execute("DROP FUNCTION steal CASCADE")
    assert (answer.status_code, answer.json()["code"]) == (409, "request_under_way")
    assert "stolen" not in spaces_of(world, guest)


def test_the_table_holds_neither_words_nor_tokens(world: World, guest: Account, superuser: Any) -> None:
    made = world.http.post(
        "/v1/api-keys", headers={**guest.bearer(), **key()}, json={"name": "CANARY", "scopes": ["read"]}
    ).json()
    rows = superuser.execute("SELECT answer FROM idempotent_request WHERE tenant_id = %s", [guest.tenant_id])
    (answer,) = rows.fetchone()
    assert len(answer) > 100
    assert b"CANARY" not in answer
    assert made["token"].encode() not in answer


def test_old_rows_go_with_the_sweep(world: World, guest: Account, superuser: Any) -> None:
    make_space(world, guest, "papers", key())
    make_space(world, guest, "more", key())
    superuser.execute(
        "UPDATE idempotent_request SET created_at = now() - interval '25 hours' WHERE ctid ="
        " (SELECT min(ctid) FROM idempotent_request WHERE tenant_id = %s)",
        [guest.tenant_id],
    )
    sweep_and_wake_if_jobs_wait(world.citegraph.database)
    rows = superuser.execute("SELECT FROM idempotent_request WHERE tenant_id = %s", [guest.tenant_id])
    assert len(rows.fetchall()) == 1


def api_routes(routes: Sequence[Any]) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif isinstance(included := getattr(route, "original_router", None), APIRouter):
            yield from api_routes(included.routes)


def dependencies(dependant: Dependant) -> Iterator[Any]:
    for dependency in dependant.dependencies:
        yield dependency.call
        yield from dependencies(dependency)


def test_every_post_that_changes_something_keeps_its_answer_with_the_change(world: World) -> None:
    """Derived from the signatures: a new route either has a session of its own there, or says how."""
    writing_sessions = {
        sessions._open_space_for_writing,
        sessions._open_space_for_administering,
        sessions._open_tenant,
        sessions._open_platform,
    }
    loose = set()
    for route in api_routes(create_app(world.citegraph).routes):
        if "POST" not in (route.methods or ()):
            continue
        if not route.path.startswith("/v1"):
            continue
        calls = list(dependencies(route.dependant))
        checks = {getattr(call, "__qualname__", "") for call in calls}
        changes = "_get_operator" in checks or any(
            call.__closure__ and call.__closure__[0].cell_contents in ("write", "admin")
            for call in calls
            if getattr(call, "__qualname__", "").startswith("_require_scope")
        )
        if changes and not writing_sessions & set(calls):
            loose.add(route.name)
    assert loose == set(OWN_TRANSACTIONS)


DYING = """
import os, signal, sys
import uvicorn
from sqlalchemy import event
from app.main import create_app
from app.settings import read_settings
from app.wiring import build_citegraph

parts = build_citegraph(read_settings())
app = create_app(parts)

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

async def dying(scope, receive, send):
    async def cut(message):
        if message["type"] == "http.response.start" and message["status"] in (201, 202):
            die()
        await send(message)
    if sys.argv[1] == "before" and scope["type"] == "http" and scope["method"] == "POST":
        commits = iter(range(9))
        # The first commit is the key's lookup, the second the claim; the third would be the effect.
        event.listen(parts.database.engine, "commit", lambda *_: die() if next(commits) == 2 else None)
    await app(scope, receive, cut)

uvicorn.run(dying, host="127.0.0.1", port=int(sys.argv[2]), lifespan="off", log_level="error")
"""


@pytest.mark.soak
class TestAProcessThatIsKilled:
    """kill -9 between the effect's commit and the answer's first byte, or right before that commit."""

    def send_to_dying(self, world: World, account: Account, when: str, headers: dict[str, str]) -> None:
        port = free_port()
        given = world.citegraph.settings
        environment = {
            **os.environ,
            "CITEGRAPH_DATABASE_URL": str(given.database_url),
            "CITEGRAPH_REDIS_URL": "redis://127.0.0.1:1/0",
        }
        command = [sys.executable, "-c", DYING, when, str(port)]
        process = subprocess.Popen(command, cwd=PROJECT, env=environment)
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
                deadline = time.monotonic() + 90
                while True:
                    try:
                        client.get("/healthz")
                        break
                    except httpx2.TransportError:
                        assert time.monotonic() < deadline
                        time.sleep(0.2)
                headers = {**account.bearer(), **headers}
                with pytest.raises(httpx2.TransportError):
                    client.post("/v1/spaces", headers=headers, json={"name": "papers"})
            assert process.wait(20) == -signal.SIGKILL
        finally:
            process.kill()
            process.wait()

    def test_after_its_write_answers_by_the_next(self, world: World, guest: Account) -> None:
        once = key()
        self.send_to_dying(world, guest, "after", once)
        assert spaces_of(world, guest).count("papers") == 1
        again = make_space(world, guest, "papers", once)
        assert again.status_code == 201
        assert again.headers["idempotent-replayed"] == "true"
        assert again.json()["name"] == "papers"

    @pytest.mark.soak
    def test_a_process_killed_before_its_write_leaves_nothing(
        self, world: World, guest: Account, superuser: Any
    ) -> None:
        once = key()
        self.send_to_dying(world, guest, "before", once)
        assert "papers" not in spaces_of(world, guest)
        waiting = make_space(world, guest, "papers", once)
        assert (waiting.status_code, waiting.headers["retry-after"]) == (409, "2")
        superuser.execute(
            "UPDATE idempotent_request SET leased_until = now() WHERE tenant_id = %s AND leased_until <"
            " now() + make_interval(secs => %s)",
            [guest.tenant_id, idempotency.LEASE_SECONDS],
        )
        again = make_space(world, guest, "papers", once)
        assert again.status_code == 201
        assert "idempotent-replayed" not in again.headers


@pytest.fixture
def superuser(admin_url: URL, api_url: URL) -> Iterator[psycopg.Connection[Any]]:
    """A connection past every wall, for what no application may look at."""
    with psycopg.connect(
        convert_to_conninfo(admin_url.set(database=api_url.database)), autocommit=True
    ) as connection:
        yield connection
