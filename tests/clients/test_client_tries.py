"""How the client tries again, and which error it raises: against answers that are scripted."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from citegraph_client import (
    ApiError,
    AsyncCitegraph,
    Citegraph,
    Conflict,
    ConnectionFailed,
    InvalidInput,
    QuotaExceeded,
    StreamBroken,
    Unavailable,
)
from citegraph_client.events import EventReader
from citegraph_client.options import Options, Wait, wait_before_next

SPACE = "01890000-0000-7000-8000-000000000001"
Answer = httpx2.Response | Exception


class Script:
    """Answers one after the other, and keeps what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **options: Any) -> Citegraph:
        return Citegraph(
            "http://service/", "cg_x", http=httpx2.Client(transport=httpx2.MockTransport(self)), **options
        )


def problem(status: int, code: str, retry_after: str | None = "0", **more: Any) -> httpx2.Response:
    document = {"status": status, "code": code, "detail": "A sentence.", "request_id": "r1", **more}
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return httpx2.Response(status, headers=headers, json=document)


def space(name: str = "papers") -> httpx2.Response:
    moment = "2026-01-01T00:00:00Z"
    return httpx2.Response(
        201,
        json={
            "id": SPACE,
            "name": name,
            "description": "",
            "settings": {},
            "embedding_model": "m",
            "embedding_dimensions": 3,
            "graph_revision": 0,
            "created_at": moment,
            "updated_at": moment,
            "of_a_newer_service": 7,
        },
    )


class TestTries:
    def test_a_change_keeps_its_key(self) -> None:
        script = Script(problem(503, "busy"), httpx2.ReadError("gone"), problem(429, "too_many"), space())
        made = script.client().create_space("papers")
        assert made.name == "papers"
        assert len({request.headers["idempotency-key"] for request in script.asked}) == 1
        assert len(script.asked) == 4

    def test_two_changes_have_two_keys(self) -> None:
        script = Script(space(), space())
        client = script.client()
        for _ in range(2):
            client.create_space("papers")
        assert len({request.headers["idempotency-key"] for request in script.asked}) == 2

    def test_a_given_key_is_kept(self) -> None:
        script = Script(space())
        script.client().create_space("papers", idempotency_key="mine")
        assert script.asked[0].headers["idempotency-key"] == "mine"

    def test_questions_have_none(self) -> None:
        script = Script(problem(404, "not_found"))
        with pytest.raises(ApiError):
            script.client().spaces(SPACE).retrieve("Who?")
        assert "idempotency-key" not in script.asked[0].headers

    def test_a_question_keeps_its_key_so_that_its_model_is_paid_once(self) -> None:
        script = Script(httpx2.ReadError("gone"), problem(409, "request_under_way"), problem(422, "blank"))
        with pytest.raises(InvalidInput):
            script.client().spaces(SPACE).ask("Who?")
        assert len({request.headers["idempotency-key"] for request in script.asked}) == 1

    def test_a_first_request_under_way_is_waited_for(self) -> None:
        script = Script(problem(409, "request_under_way"), space())
        assert script.client().create_space("papers").id

    def test_another_conflict_is_not(self) -> None:
        script = Script(problem(409, "name_taken", None))
        with pytest.raises(Conflict) as caught:
            script.client().create_space("papers")
        assert (caught.value.code, caught.value.request_id) == ("name_taken", "r1")
        assert len(script.asked) == 1

    def test_a_long_wait_is_raised_at_once(self) -> None:
        script = Script(problem(429, "quota_exceeded", "3600", quota="documents", used=5, limit=5))
        with pytest.raises(QuotaExceeded) as caught:
            script.client().spaces(SPACE).add_text("Ada.")
        found = caught.value
        assert (found.quota, found.used, found.limit, found.retry_after) == ("documents", 5, 5, 3600)

    def test_it_ends(self) -> None:
        script = Script(*(problem(503, "busy") for _ in range(3)))
        with pytest.raises(Unavailable):
            script.client(max_retries=2).create_space("papers")
        assert script.answers == []

    def test_it_goes_on_for_the_seconds_given(self) -> None:
        """A busy service asks for short pauses: their number says nothing of the time."""
        waits: list[Wait] = []
        script = Script(*(problem(503, "busy") for _ in range(6)), space())
        script.client(max_retries=0, retry_seconds=60, on_wait=waits.append).create_space("papers")
        assert [(wait.tried, wait.seconds) for wait in waits] == [(tried, 0) for tried in range(1, 7)]
        assert {wait.reason[:8] for wait in waits} == {"503 busy"}
        assert len({request.headers["idempotency-key"] for request in script.asked}) == 1

    def test_an_address_of_no_protocol_is_not_tried_again(self) -> None:
        client = Citegraph("127.0.0.1:8080", "cg_x", max_retries=0, retry_seconds=60)
        with pytest.raises(ConnectionFailed, match="protocol"):
            client.create_space("papers")

    def test_no_answer_is_no_api_error(self) -> None:
        script = Script(httpx2.ConnectError("refused"))
        with pytest.raises(ConnectionFailed):
            script.client(max_retries=0).create_space("papers")

    def test_asynchronous_too(self) -> None:
        script = Script(problem(503, "busy"), space())

        async def handle(request: httpx2.Request) -> httpx2.Response:
            return script(request)

        async def run() -> str:
            http = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
            async with AsyncCitegraph("http://service", "cg_x", http=http) as client:
                return (await client.create_space("papers")).name

        assert asyncio.run(run()) == "papers"
        assert len({request.headers["idempotency-key"] for request in script.asked}) == 1


class TestWaits:
    @pytest.mark.parametrize(
        ("status", "headers", "expected"),
        [
            (429, {"retry-after": "7"}, 7.0),
            (503, {"retry-after": "61"}, None),
            (422, {"retry-after": "1"}, None),
            (500, {}, None),
            (503, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ],
    )
    def test_what_the_service_says(
        self, status: int, headers: dict[str, str], expected: float | None
    ) -> None:
        assert wait_before_next(Options("", ""), 1, status, headers, elapsed=0) == expected

    def test_pauses_grow_where_it_says_nothing(self) -> None:
        options = Options("", "", max_retries=9)
        first = [wait_before_next(options, 1, None, {}, elapsed=0) or 0 for _ in range(50)]
        later = [wait_before_next(options, 4, 502, {}, elapsed=0) or 0 for _ in range(50)]
        assert 0.25 <= min(first) <= max(first) <= 0.5
        assert 2.0 <= min(later) <= max(later) <= 4.0


class TestErrors:
    def test_refused_values_are_named(self) -> None:
        faults = [{"loc": "body.name", "type": "too_long", "msg": "Too long."}]
        script = Script(problem(422, "invalid_input", None, errors=faults))
        with pytest.raises(InvalidInput, match="A sentence") as caught:
            script.client().create_space("x" * 300)
        assert caught.value.errors == faults

    def test_an_answer_that_is_no_problem_document(self) -> None:
        script = Script(httpx2.Response(418, content=b"<h1>A proxy\xff</h1>"))
        with pytest.raises(ApiError) as caught:
            script.client().create_space("papers")
        assert (caught.value.status, caught.value.code) == (418, "unknown")

    def test_a_redirect_is_no_answer(self) -> None:
        script = Script(httpx2.Response(302, headers={"location": "http://elsewhere/"}))
        with pytest.raises(ApiError):
            script.client().create_space("papers")
        assert len(script.asked) == 1


class TestSending:
    def test_what_is_left_out_is_not_sent_and_none_is_null(self) -> None:
        script = Script(space())
        script.client().spaces(SPACE).update_space(description=None)
        assert json.loads(script.asked[0].content) == {"description": None}

    def test_lists_and_moments_in_the_query(self) -> None:
        script = Script(problem(404, "not_found", None))
        with pytest.raises(ApiError):
            script.client().spaces(SPACE).read_neighborhood(SPACE, relation_type=["uses", "a b"], depth=2)
        assert script.asked[0].url.query == b"depth=2&relation_type=uses&relation_type=a+b" or (
            script.asked[0].url.params.get_list("relation_type") == ["uses", "a b"]
        )

    def test_a_newer_services_fields_can_be_read(self) -> None:
        made = Script(space()).client().create_space("papers")
        assert made.model_extra == {"of_a_newer_service": 7}


class TestEvents:
    @pytest.mark.parametrize("size", [1, 2, 7, 1_000])
    def test_events_whichever_way_bytes_arrive(self, size: int) -> None:
        """A line separator of Unicode inside a text ends no line."""
        sent = 'event: a\ndata: {"x": "\u2028é"}\n\n: ping\n\ndata: 1\r\ndata: 2\r\n\r\n'.encode()
        reader = EventReader()
        found = [
            event for start in range(0, len(sent), size) for event in reader.feed(sent[start : start + size])
        ]
        assert found == [("a", '{"x": "\u2028é"}'), ("message", "1\n2")]

    @pytest.mark.parametrize(
        "events",
        ['event: end\ndata: {"reason": "key_invalid"}\n\n', ""],
        ids=["the key ended", "the connection ended"],
    )
    def test_an_answer_without_its_end_is_an_error(self, events: str) -> None:
        script = Script(httpx2.Response(200, content=events.encode()))
        with pytest.raises(StreamBroken):
            list(script.client().spaces(SPACE).ask_stream("Who?"))
