"""Free text in pieces from the double: what comes through, what each fault is, and that nothing hangs (row
13).
"""

import threading
import time

import pytest

from app.ids import TenantId
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.errors import MalformedReply, ModelRefused, ModelUnavailable, Parked
from app.llm.structured_output import estimate_tokens
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from tests.llm.conftest import Clock, MakeClient

MESSAGES = [{"role": "user", "content": "Tell me."}]
STORY = "Ada Lovelace wrote the first program [1]. Charles Babbage designed the engine [2]. " * 6


@pytest.fixture(autouse=True)
def _tells(double: ModelDouble) -> None:
    double.when(lambda prompt: "Tell me" in prompt, STORY)


def read(client: ModelClient, tenant: TenantId, calls: list[CallRecord]) -> list[str]:
    return list(client.stream(tenant, "answer", MESSAGES, calls))


def test_a_story_comes_in_pieces_and_is_one_call_with_its_tokens(
    double: ModelDouble, make_client: MakeClient, tenant: TenantId
) -> None:
    client = make_client(double.base_url, prices={"double": (1_000.0, 2_000.0)})
    calls: list[CallRecord] = []
    pieces = read(client, tenant, calls)
    assert "".join(pieces) == STORY
    assert len(pieces) > 5
    assert [(call.outcome, call.purpose) for call in calls] == [("ok", "answer")]
    logged = double.calls[0]
    assert (calls[0].prompt_tokens, calls[0].completion_tokens) == (
        logged.prompt_tokens,
        logged.completion_tokens,
    )
    assert float(calls[0].cost_usd) == (logged.prompt_tokens * 1_000 + logged.completion_tokens * 2_000) / 1e6
    assert "response_format" not in double.bodies[0]
    assert "tools" not in double.bodies[0]


def test_the_first_piece_is_there_before_the_last_is_written(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.SLOW_DRIP, interval=0.03))
    begun = time.monotonic()
    pieces = client.stream(tenant, "answer", MESSAGES, [])
    next(pieces)
    first = time.monotonic() - begun
    assert len(list(pieces)) > 5
    assert time.monotonic() - begun > 2 * first


def test_pieces_may_be_read_by_other_threads(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    """A web server reads each piece wherever a thread is free."""
    pieces = client.stream(tenant, "answer", MESSAGES, [])
    found: list[str] = []
    while True:
        got: list[str | None] = []
        thread = threading.Thread(target=lambda got=got: got.append(next(pieces, None)))
        thread.start()
        thread.join(20)
        if got == [None]:
            break
        found += [sentence for sentence in got if sentence is not None]
    assert "".join(found) == STORY


@pytest.mark.parametrize(
    ("mode", "error", "outcome"),
    [
        (M.CUT_STREAM, MalformedReply, "malformed"),
        (M.GARBLED_STREAM, MalformedReply, "malformed"),
        (M.HALF_ENVELOPE, ModelUnavailable, "connection"),
        (M.CUT_JSON, MalformedReply, "malformed"),
    ],
)
def test_what_breaks_off_has_been_paid_for_and_ends_with_an_error(
    double: ModelDouble, client: ModelClient, tenant: TenantId, mode: M, error: type[Exception], outcome: str
) -> None:
    double.faults.add(Fault(mode))
    calls: list[CallRecord] = []
    pieces: list[str] = []
    with pytest.raises(error):
        pieces.extend(client.stream(tenant, "answer", MESSAGES, calls))
    assert 0 < len("".join(pieces)) <= len(STORY)
    assert [call.outcome for call in calls] == [outcome]
    assert calls[0].prompt_tokens > 0
    assert 0 < calls[0].completion_tokens <= estimate_tokens(STORY)
    assert len(double.calls) == 1


@pytest.mark.parametrize("mode", [M.HTML, M.CHOICES_NULL, M.EMPTY_CHOICES, M.CONTENT_NULL])
def test_what_is_no_answer_is_malformed(
    double: ModelDouble, client: ModelClient, tenant: TenantId, mode: M
) -> None:
    double.faults.add(Fault(mode))
    calls: list[CallRecord] = []
    with pytest.raises(MalformedReply):
        read(client, tenant, calls)
    assert [call.outcome for call in calls] == ["malformed"]


def test_silence_and_drips_end_at_the_wall_clock(
    double: ModelDouble, make_client: MakeClient, tenant: TenantId
) -> None:
    client = make_client(double.base_url, timeout=0.5)
    for mode in (M.HANG, M.SLOW_DRIP):
        double.faults.clear()
        double.faults.add(Fault(mode, interval=0.2))
        begun = time.monotonic()
        calls: list[CallRecord] = []
        with pytest.raises(ModelUnavailable):
            read(client, tenant, calls)
        # A drip every 0.2 s would go on for minutes.
        assert time.monotonic() - begun < 60
        assert {call.outcome for call in calls} == {"timeout"}


def test_a_server_error_is_tried_again_once_before_the_answer_begins(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.SERVER_ERROR, times=1))
    calls: list[CallRecord] = []
    assert "".join(read(client, tenant, calls)) == STORY
    assert [call.outcome for call in calls] == ["server_error", "ok"]
    double.faults.add(Fault(M.SERVER_ERROR))
    with pytest.raises(ModelUnavailable):
        read(client, tenant, calls)
    assert len(double.calls) == 4


def test_nobody_is_kept_waiting_for_a_rate_limit(
    double: ModelDouble, client: ModelClient, clock: Clock, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.RATE_LIMITED, retry_after="7"))
    with pytest.raises(Parked):
        read(client, tenant, [])
    assert clock.waits == []


def test_a_server_that_is_down_is_not_asked_again(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.REFUSED))
    for _ in range(2):
        with pytest.raises((ModelUnavailable, Parked)):
            read(client, tenant, [])
    before = len(double.calls)
    with pytest.raises(Parked):
        read(client, tenant, [])
    assert len(double.calls) == before == 4


def test_a_server_without_usage_in_streams_is_found_out_once(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.STATUS, status=400, parameter="stream_options"))
    calls: list[CallRecord] = []
    assert "".join(read(client, tenant, calls)) == STORY
    assert "".join(read(client, tenant, calls)) == STORY
    assert [(call.purpose, call.outcome) for call in calls] == [
        ("answer", "refused"),
        ("probe", "refused"),
        ("probe", "ok"),
        ("answer", "ok"),
        ("answer", "ok"),
    ]
    assert calls[-1].completion_tokens == estimate_tokens(STORY)
    assert "stream_options" not in double.bodies[-1]


def test_a_refused_key_is_a_refusal(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    double.faults.add(Fault(M.STATUS, status=401))
    with pytest.raises(ModelRefused):
        read(client, tenant, [])


def test_who_stops_reading_pays_for_what_was_written(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.SLOW_DRIP, interval=0.01))
    calls: list[CallRecord] = []
    pieces = client.stream(tenant, "answer", MESSAGES, calls)
    first = next(pieces)
    pieces.close()
    assert [(call.outcome, call.completion_tokens) for call in calls] == [
        ("interrupted", estimate_tokens(first))
    ]
    double.faults.clear()
    assert "".join(read(client, tenant, [])) == STORY


@pytest.mark.parametrize("end", ["</think>\n\n", "</think>"])
def test_what_a_model_thinks_before_its_answer_is_no_part_of_it(
    end: str, double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.when(lambda prompt: "think first" in prompt, f"<think>Ada or <b>Babbage</b>?{end}{STORY}")
    messages = [{"role": "user", "content": "Now think first."}]
    assert "".join(client.stream(tenant, "answer", messages, [])) == STORY


def test_thoughts_without_an_answer_are_no_answer(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.when(lambda prompt: "only think" in prompt, "<think>Hm.")
    with pytest.raises(MalformedReply):
        list(client.stream(tenant, "answer", [{"role": "user", "content": "Please only think."}], []))


def test_an_answer_that_begins_like_a_thought_is_whole(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.when(lambda prompt: "brackets" in prompt, "<th")
    assert "".join(client.stream(tenant, "answer", [{"role": "user", "content": "brackets"}], [])) == "<th"
