"""Fault row 13: every way a model server fails has its class, its deadline and its bounded number of
calls.
"""

import socket
import time
from collections.abc import Mapping
from typing import Any

import pytest

from app.ids import TenantId, create_id
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.errors import MalformedReply, ModelRefused, ModelUnavailable, Parked
from app.llm.model_features import FEATURE_LADDERS, CallKind
from app.llm.structured_output import Question
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from tests.llm.conftest import Clock, MakeClient

QUESTION = Question("test", [{"role": "user", "content": "Say yes as JSON."}], {"type": "object"})
YES = {"answer": "yes"}


@pytest.fixture(autouse=True)
def _says_yes(double: ModelDouble) -> None:
    double.when(lambda prompt: "Say yes" in prompt, YES)


def ask(client: ModelClient, tenant: TenantId, calls: list[CallRecord] | None = None) -> dict[str, Any]:
    return client.ask(tenant, QUESTION, [] if calls is None else calls)


def outcomes(calls: list[CallRecord]) -> list[str]:
    return [call.outcome for call in calls]


def test_a_good_answer_is_one_call_with_its_tokens(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    calls: list[CallRecord] = []
    assert ask(client, tenant, calls) == YES
    assert outcomes(calls) == ["ok"]
    assert (calls[0].prompt_tokens, calls[0].completion_tokens) == (
        double.calls[0].prompt_tokens,
        double.calls[0].completion_tokens,
    )
    assert calls[0].prompt_tokens > 0


def test_a_rate_limit_is_waited_out_as_long_as_it_asks(
    double: ModelDouble, client: ModelClient, clock: Clock, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.RATE_LIMITED, times=2, retry_after="7"))
    calls: list[CallRecord] = []
    assert ask(client, tenant, calls) == YES
    assert outcomes(calls) == ["rate_limited", "rate_limited", "ok"]
    assert all(7 <= wait <= 9 for wait in clock.waits)


def test_a_long_wish_parks_at_once(
    double: ModelDouble, client: ModelClient, clock: Clock, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.RATE_LIMITED, retry_after="900"))
    with pytest.raises(Parked) as parked:
        ask(client, tenant)
    assert (parked.value.retry_after, len(double.calls), clock.waits) == (900, 1, [])
    with pytest.raises(Parked):
        ask(client, tenant)
    assert len(double.calls) == 1


@pytest.mark.parametrize("wish", ["nan", "-5", "inf", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_wish_that_makes_no_sense_is_none(
    double: ModelDouble, client: ModelClient, clock: Clock, tenant: TenantId, wish: str
) -> None:
    double.faults.add(Fault(M.RATE_LIMITED, times=1, retry_after=wish))
    if wish == "inf":
        with pytest.raises(Parked) as parked:
            ask(client, tenant)
        assert parked.value.retry_after == 3_600
    else:
        assert ask(client, tenant) == YES
        assert clock.waits[0] <= 0.5


def test_an_endless_rate_limit_parks_after_four_calls(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.RATE_LIMITED))
    with pytest.raises(Parked):
        ask(client, tenant)
    assert len(double.calls) == 4


def test_a_used_up_quota_parks_for_long(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    double.faults.add(Fault(M.QUOTA))
    with pytest.raises(Parked) as parked:
        ask(client, tenant)
    assert parked.value.retry_after == 600
    assert len(double.calls) == 1


@pytest.mark.parametrize(("status", "times"), [(500, 1), (502, 3), (503, 2), (529, 3)])
def test_server_errors_are_tried_again(
    double: ModelDouble, client: ModelClient, tenant: TenantId, status: int, times: int
) -> None:
    double.faults.add(Fault(M.SERVER_ERROR, times=times, status=status))
    assert ask(client, tenant) == YES
    assert len(double.calls) == times + 1


def test_waits_grow_and_are_jittered(
    double: ModelDouble, client: ModelClient, clock: Clock, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.SERVER_ERROR, times=3))
    ask(client, tenant)
    assert len(clock.waits) == 3
    assert all(0 <= wait <= ceiling for wait, ceiling in zip(clock.waits, (0.5, 1, 2), strict=True))


def test_a_dead_server_parks_the_first_job_and_is_left_alone(
    double: ModelDouble, client: ModelClient, clock: Clock, tenant: TenantId
) -> None:
    """Row 14: no attempts are burned, and the next call makes no request."""
    double.faults.add(Fault(M.SERVER_ERROR))
    with pytest.raises(Parked) as parked:
        ask(client, tenant)
    assert len(double.calls) == 4
    assert parked.value.retry_after == pytest.approx(30)
    with pytest.raises(Parked):
        ask(client, tenant)
    assert len(double.calls) == 4
    clock.now += 31
    with pytest.raises(Parked):
        ask(client, tenant)
    assert len(double.calls) == 5
    double.faults.clear()
    clock.now += 61
    assert ask(client, tenant) == YES


def test_another_tenant_is_not_held_up(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    double.faults.add(Fault(M.SERVER_ERROR, times=4))
    with pytest.raises(Parked):
        ask(client, tenant)
    other = TenantId(create_id())
    assert ask(client, other) == YES


def test_one_call_that_fails_among_others_is_the_jobs_own_trouble(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    """The provider is there: the attempt counts, so that a request that crashes it does not go on for
    ever.
    """
    client._breakers.threshold = 100
    double.faults.add(Fault(M.SERVER_ERROR))
    with pytest.raises(ModelUnavailable):
        ask(client, tenant)
    assert len(double.calls) == 4


def test_a_connection_reset_is_tried_again(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.REFUSED, times=2))
    calls: list[CallRecord] = []
    assert ask(client, tenant, calls) == YES
    assert outcomes(calls) == ["connection", "connection", "ok"]


def test_nobody_listens(make_client: MakeClient, tenant: TenantId) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    calls: list[CallRecord] = []
    with pytest.raises(Parked):
        ask(make_client(f"http://127.0.0.1:{port}/v1"), tenant, calls)
    assert outcomes(calls) == ["connection"] * 4


@pytest.mark.parametrize("fault", [Fault(M.HANG, times=1), Fault(M.SLOW_DRIP, times=1, interval=0.3)])
def test_a_deadline_holds_whatever_trickles_in(
    double: ModelDouble, make_client: MakeClient, tenant: TenantId, fault: Fault
) -> None:
    double.faults.add(fault)
    calls: list[CallRecord] = []
    assert ask(make_client(double.base_url, timeout=0.4), tenant, calls) == YES
    assert outcomes(calls) == ["timeout", "ok"]
    assert 390 <= calls[0].latency_ms < 60_000


def test_the_deadline_is_one_for_the_whole_call(
    double: ModelDouble, make_client: MakeClient, tenant: TenantId
) -> None:
    """`timeout=2` of the package did not stop a reply of 10.5 s: it is per read."""
    double.faults.add(Fault(M.SLOW_DRIP, interval=0.3))
    started = time.monotonic()
    with pytest.raises(Parked):
        ask(make_client(double.base_url, timeout=0.25), tenant)
    # Four replies of a byte every 0.3 s would go on for minutes.
    assert time.monotonic() - started < 60
    assert len(double.calls) == 4


@pytest.mark.parametrize("mode", [M.HALF_ENVELOPE, M.HTML, M.CHOICES_NULL, M.EMPTY_CHOICES])
def test_no_envelope_is_malformed_and_counts_against_the_provider(
    double: ModelDouble, client: ModelClient, tenant: TenantId, mode: M
) -> None:
    double.faults.add(Fault(mode))
    for number in range(1, 5):
        calls: list[CallRecord] = []
        with pytest.raises(MalformedReply):
            ask(client, tenant, calls)
        assert (outcomes(calls), len(double.calls)) == (["malformed"], number)
    with pytest.raises(Parked):
        ask(client, tenant)


@pytest.mark.parametrize("mode", [M.CONTENT_NULL, M.CUT_JSON])
def test_a_useless_answer_is_malformed_and_says_so(
    double: ModelDouble, client: ModelClient, tenant: TenantId, mode: M
) -> None:
    double.faults.add(Fault(mode))
    for _ in range(6):
        with pytest.raises(MalformedReply) as malformed:
            ask(client, tenant)
        assert malformed.value.status == 502
    assert len(double.calls) == 6
    assert malformed.value.fault.startswith("The answer was ")


@pytest.mark.parametrize("content", ["", "yes", "[1]", "null", "3", '{"a": ', "[" * 100_000, '"' + "x" * 99])
def test_an_answer_that_is_no_object_is_malformed(
    double: ModelDouble, client: ModelClient, tenant: TenantId, content: str
) -> None:
    double.when(lambda _: True, content)
    with pytest.raises(MalformedReply):
        ask(client, tenant)
    assert len(double.calls) == 1


@pytest.mark.parametrize("content", ['```json\n{"answer": "yes"}\n```', 'Sure: {"answer": "yes"}. Done.'])
def test_json_between_words_is_read(
    double: ModelDouble, client: ModelClient, tenant: TenantId, content: str
) -> None:
    double.when(lambda _: True, content)
    assert ask(client, tenant) == YES


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "model_key_refused"), (403, "model_key_refused"), (404, "model_unknown")],
)
def test_what_no_retry_can_help_fails_at_once(
    double: ModelDouble, client: ModelClient, tenant: TenantId, status: int, code: str
) -> None:
    double.faults.add(Fault(M.STATUS, status=status, hint="sk-secret of Alice"))
    calls: list[CallRecord] = []
    with pytest.raises(ModelRefused) as refused:
        ask(client, tenant, calls)
    assert (refused.value.code, outcomes(calls)) == (code, ["refused"])
    assert refused.value.status < 500
    assert "Alice" not in refused.value.message


def test_a_wrong_key_parks_the_tenants_other_jobs(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.STATUS, status=401))
    with pytest.raises(ModelRefused):
        ask(client, tenant)
    with pytest.raises(Parked):
        ask(client, tenant)
    assert len(double.calls) == 1


def test_a_bad_request_is_looked_into_once_and_fails(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.STATUS, status=400, hint="no"))
    for number in (1 + len(FEATURE_LADDERS[CallKind.CHAT]), 2 + len(FEATURE_LADDERS[CallKind.CHAT])):
        with pytest.raises(ModelRefused):
            ask(client, tenant)
        assert len(double.calls) == number


@pytest.mark.parametrize("hint", ["maximum context length is 8192", "content_filter"])
def test_passages_that_are_refused_are_their_own_fault(
    double: ModelDouble, client: ModelClient, tenant: TenantId, hint: str
) -> None:
    double.faults.add(Fault(M.STATUS, status=400, hint=hint))
    with pytest.raises(MalformedReply):
        ask(client, tenant)
    assert len(double.calls) == 1


def ours(double: ModelDouble) -> list[Mapping[str, Any]]:
    """The bodies of our questions, without those that only find out what the model understands."""
    return [
        body
        for body, prompt in zip(double.bodies, double.prompts, strict=True)
        if "Say yes" in prompt or "stream" in body
    ]


def kinds_of(double: ModelDouble) -> list[str | None]:
    return [body.get("response_format", {}).get("type") for body in ours(double)]


def test_a_server_without_schemas_is_asked_for_an_object_ever_after(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.NO_SCHEMA))
    assert [ask(client, tenant), ask(client, tenant)] == [YES, YES]
    assert kinds_of(double) == ["json_schema", "json_object", "json_object"]


def test_a_server_without_any_format_is_asked_plainly(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.NO_JSON_OBJECT))
    assert [ask(client, tenant), ask(client, tenant)] == [YES, YES]
    assert kinds_of(double) == ["json_schema", None, None]


def test_a_model_without_temperature_is_asked_without(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.STATUS, status=400, parameter="temperature", hint="no"))
    assert [ask(client, tenant), ask(client, tenant)] == [YES, YES]
    assert [("temperature" in body) for body in ours(double)] == [True, False, False]
    assert kinds_of(double) == ["json_schema"] * 3


def test_what_works_is_not_given_up_for_one_refusal(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    """The call that is refused is asked for less; the next begins with everything again."""
    ask(client, tenant)
    double.faults.add(Fault(M.STATUS, status=400, times=1, containing="Say yes", hint="no"))
    assert ask(client, tenant) == YES
    ask(client, tenant)
    assert kinds_of(double) == ["json_schema", "json_schema", "json_object", "json_schema"]


def test_a_forked_child_may_not_use_the_client(client: ModelClient, tenant: TenantId) -> None:
    client._pid += 1
    with pytest.raises(RuntimeError, match="fork"):
        ask(client, tenant)
