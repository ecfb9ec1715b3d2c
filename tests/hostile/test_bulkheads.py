"""One tenant fills what it may (streams, questions, dry runs, requests) while its neighbour reads (issue 9,
point 5).
"""

import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.retrieval import service
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from tests.api.conftest import make_keys, serving
from tests.conftest import Home
from tests.support.sampling import sampled

LATEST = 1.0


class Tenant:
    """One tenant's space behind the server, asked with its keys."""

    def __init__(self, address: str, home: Home, keys: dict[str, str]) -> None:
        self.space = f"{address}/v1/spaces/{home.space_id}"
        self.keys = keys

    def headers(self, key: str = "full") -> dict[str, str]:
        return {"authorization": f"Bearer {self.keys[key]}"}

    def client(self, key: str = "full") -> httpx2.Client:
        return httpx2.Client(trust_env=False, headers=self.headers(key), timeout=30)


@pytest.fixture
def hanging() -> Iterator[str]:
    """The address of a model server that takes every request and answers none."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    listener.settimeout(0.2)
    stop, taken = threading.Event(), []

    def take() -> None:
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                taken.append(listener.accept()[0])

    thread = threading.Thread(target=take)
    thread.start()
    host, port = listener.getsockname()
    yield f"http://{host}:{port}/v1"
    stop.set()
    thread.join()
    for connection in (*taken, listener):
        connection.close()


@pytest.fixture
def citegraph(app_url: URL, hanging: str, settings: Settings) -> Iterator[Citegraph]:
    chosen = settings.model_copy(
        update={
            "database_url": app_url.render_as_string(hide_password=False),
            "redis_url": "redis://127.0.0.1:1/0",
            "openai_base_url": hanging,
            "llm_timeout": 8.0,
            # Places are tried here and no rates, which a fast machine would reach first.
            "key_rate": 0.0,
            "tenant_rate": 0.0,
            # Shorter than the patience for a lock, by which a slow statement is played.
            "read_timeout": 1.5,
        }
    )
    parts = build_citegraph(chosen)
    yield parts
    parts.close()


@pytest.fixture
def both(citegraph: Citegraph, home: Home, twin: Home) -> Iterator[tuple[Tenant, Tenant]]:
    """The attacker and its neighbour."""
    database = citegraph.database
    with serving(citegraph) as (host, port):
        address = f"http://{host}:{port}"
        a, b = (Tenant(address, owner, make_keys(database, owner)) for owner in (home, twin))
        for account in (a, b):
            with account.client() as http:
                made = http.post(
                    f"{account.space}/documents", json={"text": "Ada Lovelace knew Charles Babbage."}
                )
                assert made.status_code == 202
        yield a, b


@contextlib.contextmanager
def reading(tenant: Tenant) -> Iterator[list[float]]:
    """The neighbour's simple reads, twenty a second; each answers, and 99 of 100 within a second."""
    times: list[float] = []
    statuses: Counter[int] = Counter()
    stop = threading.Event()

    def read() -> None:
        with tenant.client("read") as http:
            while not stop.is_set():
                begun = time.monotonic()
                statuses[http.get(f"{tenant.space}/documents").status_code] += 1
                times.append(time.monotonic() - begun)
                stop.wait(0.05)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield times
        time.sleep(1)
    finally:
        stop.set()
        thread.join(30)
    assert set(statuses) == {200}, statuses
    assert sorted(times)[int(0.99 * (len(times) - 1))] < LATEST, max(times)


def refusals(answers: list[httpx2.Response]) -> Counter[tuple[int, str]]:
    refused = [answer for answer in answers if answer.status_code >= 400]
    assert all(int(answer.headers["retry-after"]) > 0 for answer in refused)
    return Counter((answer.status_code, answer.json()["code"]) for answer in refused)


def parallel(threads: int, work: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(threads)))


@pytest.mark.soak
def test_streams_are_bounded_by_tenant_and_cost_no_thread_and_no_connection(
    both: tuple[Tenant, Tenant], citegraph: Citegraph
) -> None:
    a, b = both
    allowed = citegraph.settings.tenant_streams
    with contextlib.ExitStack() as opened, reading(b):
        http = opened.enter_context(httpx2.Client(trust_env=False, headers=a.headers("read"), timeout=30))
        job = http.get(f"{a.space}/jobs").json()["items"][0]["id"]
        before = threading.active_count()
        answers = []
        for _ in range(allowed + 10):
            stream = opened.enter_context(http.stream("GET", f"{a.space}/jobs/{job}/events"))
            if stream.status_code != 200:
                stream.read()
            answers.append(stream)
        assert [answer.status_code for answer in answers] == [200] * allowed + [429] * 10
        assert refusals(answers[allowed:]) == {(429, "too_many_streams"): 10}
        time.sleep(2.5)
        # Reads of both tenants take threads, of which there are a few; the streams take one together.
        assert threading.active_count() - before < 12
        busiest = 0
        for _ in range(20):
            time.sleep(0.02)
            busiest = max(busiest, _checked_out(citegraph))
        assert busiest <= 3
        jobs = http.get(f"{a.space}/jobs")
        assert jobs.status_code == 200


@pytest.mark.soak
@pytest.mark.parametrize(
    "how", sampled(["revoked_at = now()", "expires_at = now()", "scopes = '{write}'"], every=3)
)
def test_a_stream_ends_within_seconds_of_its_key(
    both: tuple[Tenant, Tenant], database: Database, home: Home, how: str
) -> None:
    a, _ = both
    with a.client("read") as http:
        job = http.get(f"{a.space}/jobs").json()["items"][0]["id"]
        with http.stream("GET", f"{a.space}/jobs/{job}/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: job"
            with database.open_tenant(home.tenant_id) as tenant:
                # As another process does it: this one is told nothing.
                tenant.connection.execute(
                    f"UPDATE api_key SET {how} WHERE tenant_id = %s AND name = 'read'".encode(),
                    [home.tenant_id],
                )
            begun = time.monotonic()
            rest = list(lines)
            assert time.monotonic() - begun < 4
    assert "event: end" in rest
    reason = "scope_missing" if "scopes" in how else "key_invalid"
    assert any(f'"reason":"{reason}"' in line.replace(" ", "") for line in rest), rest


@pytest.fixture
def embed_by(database: Database, home: Home) -> Callable[[str], None]:
    """Has the attacker's questions embedded by that model; `remote` is on the server that never answers."""

    def change(model: str) -> None:
        with database.open_tenant(home.tenant_id) as tenant:
            tenant.connection.execute(
                "UPDATE knowledge_space SET embedding_model = %s WHERE tenant_id = %s",
                [model, home.tenant_id],
            )

    return change


@pytest.mark.soak
def test_questions_that_a_model_never_answers_hold_up_their_own_tenant_alone(
    both: tuple[Tenant, Tenant], embed_by: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "EMBEDDING_SECONDS", 4.0)
    a, b = both
    embed_by("remote")
    query: dict[str, Any] = {"json": {"query": "Whom did Ada Lovelace know?"}}
    with a.client() as http, b.client() as other, reading(b), ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(http.post, f"{a.space}/retrieve", **query) for _ in range(12)]
        time.sleep(1)
        assert not any(future.done() for future in asked)
        # The neighbour's own questions have places too.
        begun = time.monotonic()
        assert other.post(f"{b.space}/retrieve", json={"query": "Ada"}).status_code == 200
        assert time.monotonic() - begun < LATEST
        answers = [future.result() for future in asked]
    assert set(refusals(answers)) <= {(429, "too_many_questions")}
    done = [answer for answer in answers if answer.status_code == 200]
    assert len(done) >= 4
    assert "looked for by its words alone" in done[0].text


@pytest.mark.soak
def test_who_hangs_up_gives_the_place_back_at_once(
    both: tuple[Tenant, Tenant], citegraph: Citegraph, embed_by: Callable[[str], None]
) -> None:
    a, _ = both
    embed_by("remote")
    query: dict[str, Any] = {"json": {"query": "Whom did Ada Lovelace know?"}}
    with httpx2.Client(trust_env=False, headers=a.headers(), timeout=1.0) as http:

        def give_up(_: int) -> None:
            with pytest.raises(httpx2.TimeoutException):
                http.post(f"{a.space}/retrieve", **query)

        parallel(citegraph.settings.tenant_questions, give_up)
    embed_by("hashed-ngrams-256")
    begun = time.monotonic()
    with a.client() as http:
        assert http.post(f"{a.space}/retrieve", **query).status_code == 200
    # Each of the calls had seven seconds to go.
    assert time.monotonic() - begun < 3


@pytest.mark.soak
def test_dry_runs_parse_without_a_connection_and_one_of_a_tenant_at_a_time(
    both: tuple[Tenant, Tenant], citegraph: Citegraph
) -> None:
    a, b = both
    page = ("<div>" * 20 + "<p>Ada Lovelace knew Charles Babbage.</p>" + "</div>" * 20) * 3_000
    files = {"file": ("a.html", page.encode(), "text/html")}
    seen: list[int] = []
    with a.client() as http, reading(b), ThreadPoolExecutor(6) as pool:
        runs = [
            pool.submit(http.post, f"{a.space}/documents", params={"dry_run": "true"}, files=files)
            for _ in range(6)
        ]
        while not all(run.done() for run in runs):
            seen.append(_checked_out(citegraph))
            time.sleep(0.02)
    answers = [run.result() for run in runs]
    assert set(refusals(answers)) <= {(429, "too_many_estimates"), (429, "too_many_uploads")}
    assert any(answer.status_code == 200 for answer in answers)
    # What is out now and then is the neighbour's: most of the time nobody holds any.
    assert sorted(seen)[len(seen) // 2] == 0


@pytest.mark.soak
def test_many_requests_at_once_leave_a_place_for_the_neighbour(both: tuple[Tenant, Tenant]) -> None:
    a, b = both
    deadline = time.monotonic() + 4
    answers: list[httpx2.Response] = []

    def flood(_: int) -> None:
        with a.client("read") as http:
            while time.monotonic() < deadline:
                answers.append(http.get(f"{a.space}/graph/nodes"))

    with reading(b):
        parallel(24, flood)
    assert set(refusals(answers)) <= {(429, "too_many_requests")}
    assert any(answer.status_code == 200 for answer in answers)


@pytest.mark.soak
def test_a_read_that_takes_too_long_is_cut_off_and_told_so(
    both: tuple[Tenant, Tenant], privileged_url: URL, citegraph: Citegraph
) -> None:
    a, b = both
    with (
        psycopg.connect(convert_to_conninfo(privileged_url)) as somebody,
        a.client("read") as http,
        reading(b),
    ):
        somebody.execute("LOCK TABLE node_tag IN ACCESS EXCLUSIVE MODE")
        begun = time.monotonic()
        answers = parallel(8, lambda _: http.get(f"{a.space}/graph/tags"))
        assert time.monotonic() - begun < 3 * citegraph.settings.read_timeout + 2
    assert set(refusals(answers)) <= {(503, "too_slow"), (429, "too_many_requests")}
    assert any(answer.json()["code"] == "too_slow" for answer in answers)


def _checked_out(citegraph: Citegraph) -> int:
    return int(citegraph.database.engine.pool.checkedout())  # type: ignore[attr-defined]
