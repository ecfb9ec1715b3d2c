"""Answers about quotas (issue 13.2): a header from four fifths on, a problem for programs at the end."""

import re
from functools import partial

import pytest
from starlette.testclient import TestClient

from app.ingest.job import ingest_documents
from app.jobs.kinds import IngestDocuments
from app.llm.testing import ModelDouble
from app.tenancy.tenants import quotas
from app.tenancy.tenants import service as tenants
from app.tenant_quotas import QUOTAS
from app.wiring import Citegraph
from tests.api import routes
from tests.api.conftest import Account
from tests.api.test_api_models import double, embedded_by, http, ingest_now, parts
from workers.runner import Runner

__all__ = ["double", "http", "parts"]

HEADER = "citegraph-quota"


def allow(parts: Citegraph, account: Account, **limits: int | None) -> None:
    with parts.database.open_platform() as platform:
        quotas.change_quotas_and_unpark_jobs(platform, account.home.tenant_id, limits, actor="test")


def spend(parts: Citegraph, account: Account, amount: int) -> None:
    home = account.home
    with parts.database.open_space(home.tenant_id, home.space_id) as space:
        tenants.add_to_daily_usage(space, space_id=home.space_id, prompt_tokens=amount)


def told(header: str | None) -> dict[str, tuple[int, int]]:
    """The header, read as a program does."""
    found = re.findall(r'"(\w+)";used=(\d+);limit=(\d+)', header or "")
    return {name: (int(used), int(limit)) for name, used, limit in found}


def test_documents_and_bytes_are_told_from_four_fifths_on(
    parts: Citegraph, http: TestClient, guest: Account
) -> None:
    allow(parts, guest, documents=5)
    seen = []
    for number in range(5):
        answer = http.post(
            f"{guest.space}/documents", headers=guest.bearer(), json={"text": f"Note {number}."}
        )
        assert answer.status_code == 202, answer.text
        seen.append(told(answer.headers.get(HEADER)))
    assert seen == [{}, {}, {}, {"documents": (4, 5)}, {"documents": (5, 5)}]
    refused = http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "One more."})
    assert refused.status_code == 429
    body = refused.json()
    assert (body["code"], body["quota"], body["used"], body["limit"]) == ("quota_exceeded", "documents", 5, 5)
    assert int(refused.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("allowed", "asked", "sentence"),
    [
        (2, 3, "may have 2 documents and has 0: there is room for 2 more, and 3 were asked for."),
        (1, 2, "may have 1 document and has 0: there is room for 1 more, and 2 were asked for."),
        (0, 1, "may have 0 documents and has 0: there is no room for more, and 1 was asked for."),
        (4, 20, "may have 4 documents and has 0: there is room for 4 more, and 20 were asked for."),
        (9, 10, "may have 9 documents and has 0: there is room for 9 more, and 10 were asked for."),
    ],
)
def test_a_refused_batch_is_told_what_it_asked_for_and_what_there_is_room_for(
    parts: Citegraph, http: TestClient, guest: Account, allowed: int, asked: int, sentence: str
) -> None:
    allow(parts, guest, documents=allowed)
    refused = http.post(
        f"{guest.space}/documents",
        headers=guest.bearer(),
        json={"documents": [{"text": f"Note {number}."} for number in range(asked)]},
    )
    assert refused.status_code == 429
    body = refused.json()
    assert sentence in body["detail"]
    assert (body["remaining"], body["added"]) == (allowed, asked)


def test_a_byte_quota_is_refused_with_its_numbers(parts: Citegraph, http: TestClient, guest: Account) -> None:
    allow(parts, guest, bytes=100)
    answer = http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "x" * 90})
    assert told(answer.headers.get(HEADER)) == {"bytes": (90, 100)}
    refused = http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "y" * 20})
    assert (refused.status_code, refused.json()["quota"]) == (429, "bytes")


def test_a_space_quota_is_refused_with_its_numbers(
    parts: Citegraph, http: TestClient, guest: Account
) -> None:
    allow(parts, guest, spaces=3)
    answers = [
        http.post("/v1/spaces", headers=guest.bearer("admin"), json={"name": f"space {number}"})
        for number in range(3)
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert [told(answer.headers.get(HEADER)) for answer in answers[:2]] == [{}, {"spaces": (3, 3)}]
    assert answers[2].json()["quota"] == "spaces"


def test_tokens_at_the_end_refuse_the_question_before_a_model_is_asked(
    parts: Citegraph, http: TestClient, guest: Account, double: ModelDouble
) -> None:
    assert ingest_now(parts, http, guest, "Michael Stonebraker created Ingres.") == "done"
    question = {"question": "Who created Ingres?"}
    allow(parts, guest, tokens=100_000)
    spend(parts, guest, 85_000)
    answer = http.post(f"{guest.space}/ask", headers=guest.bearer(), json=question)
    assert answer.status_code == 200, answer.text
    used, limit = told(answer.headers.get(HEADER))["tokens"]
    assert 85_000 <= used < limit == 100_000
    spend(parts, guest, 20_000)
    asked = len(double.calls)
    for accept in ("application/json", "text/event-stream"):
        refused = http.post(f"{guest.space}/ask", headers={**guest.bearer(), "accept": accept}, json=question)
        body = refused.json()
        assert (refused.status_code, body["code"], body["quota"]) == (429, "quota_exceeded", "tokens")
        assert body["used"] >= 105_000
        assert body["limit"] == 100_000
        assert 0 < int(refused.headers["retry-after"]) <= 3_600
    assert len(double.calls) == asked
    listed = {quota["quota"]: quota for quota in http.get("/v1/quotas", headers=guest.bearer()).json()}
    assert tuple(listed) == QUOTAS
    assert listed["tokens"]["used"] >= 105_000
    allow(parts, guest, tokens=None)
    answer = http.post(f"{guest.space}/ask", headers=guest.bearer(), json=question)
    assert (answer.status_code, HEADER in answer.headers) == (200, False)


def test_a_job_without_tokens_waits_and_says_so(
    parts: Citegraph, http: TestClient, guest: Account, double: ModelDouble
) -> None:
    allow(parts, guest, tokens=0)
    calls_of_earlier_tests = list(double.calls)
    assert ingest_now(parts, http, guest, "Ada Lovelace wrote notes.") == "queued"
    job = http.get(f"{guest.space}/jobs", headers=guest.bearer()).json()["items"][0]
    assert (job["stage"], job["error_code"]) == ("parked", "quota_exceeded")
    assert "tokens" in job["error_message"]
    assert double.calls == calls_of_earlier_tests
    raised = http.patch(
        f"/v1/tenants/{guest.home.tenant_id}",
        headers=routes.operator(),
        json={"quotas": {"tokens": 10_000_000}},
    )
    assert (raised.status_code, raised.json()["quotas"]) == (200, {"tokens": 10_000_000})
    handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=parts.extractors)}
    Runner(parts.database, parts.settings, handlers).drain()
    job = http.get(f"{guest.space}/jobs/{job['id']}", headers=guest.bearer()).json()
    assert job["state"] == "done"


@pytest.mark.parametrize("path", ["retrieve", "ask"])
def test_the_answer_to_a_question_returns_its_tokens(
    parts: Citegraph, http: TestClient, guest: Account, path: str
) -> None:
    embedded_by(parts, guest, "double-embedding")
    allow(parts, guest, tokens=1_000)
    spend(parts, guest, 801)
    body = {"query": "Ingres"} if path == "retrieve" else {"question": "Ingres?"}
    answer = http.post(f"{guest.space}/{path}", headers=guest.bearer(), json=body)
    assert told(answer.headers[HEADER]) == {"tokens": (801, 1_000)}
