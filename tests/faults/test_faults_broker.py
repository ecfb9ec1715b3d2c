"""A broker that hangs or dies must cost nobody a request and no job its run (fault matrix 6, 7)."""

import os
import signal
from collections.abc import Callable

import pytest
from kombu.message import Message as BrokerMessage

from app.runtime.valkey import EmbeddedValkey
from tests.conftest import Home
from tests.faults.conftest import Api, Asker, frozen
from tests.workers.conftest import Workers, wait_until
from workers.celery_app import make_celery
from workers.main import WakeUpRequest

DONE = "SELECT count(*) FROM job WHERE state = 'done'"


def _pid(valkey: EmbeddedValkey) -> int:
    pid = valkey.pid()
    assert pid is not None
    return pid


@pytest.mark.soak
@pytest.mark.slow
def test_a_hung_broker_holds_up_no_request_and_loses_no_job(
    start_api: Callable[..., Api], home: Home, valkey: EmbeddedValkey, workers: Workers, ask: Asker
) -> None:
    """Row 7: fifty documents while Valkey takes connections and never answers, and a worker that waits for
    it.
    """
    api = start_api()
    workers.start()
    assert api.post(home, "Db2 uses Kafka.").status == 202
    wait_until(lambda: ask.value(DONE) == 1, what="the worker")
    with frozen(_pid(valkey)):
        replies = [api.post(home, f"Redis uses Kafka. Note {number}.") for number in range(50)]
        ready = api.call("GET", "/readyz")
    assert [reply.status for reply in replies] == [202] * 50
    # Of fifty the largest is the 99th percentile.
    assert max(reply.seconds for reply in replies) < 2.5
    # Once it is known to be silent nobody waits for it.
    assert sorted(reply.seconds for reply in replies)[25] < 0.5
    assert (ready.status, ready.body["broker"]) == (200, "silent")
    assert ready.seconds < 2.5
    assert ask.value("SELECT count(*) FROM job") == 51
    wait_until(lambda: ask.value(DONE) == 51, what="all jobs")
    assert ask.value("SELECT count(*) FROM document WHERE state = 'ready'") == 51


@pytest.mark.soak
def test_a_dead_broker_is_no_concern_of_who_hands_in_and_work_goes_on_without_it(
    start_api: Callable[..., Api], home: Home, valkey: EmbeddedValkey, workers: Workers, ask: Asker
) -> None:
    """Row 6: killed, gone for ten documents that are read all the same, back with nothing in it."""
    api = start_api()
    workers.start()
    assert api.post(home, "Db2 uses Kafka.").status == 202
    wait_until(lambda: ask.value(DONE) == 1, what="the worker")
    os.kill(_pid(valkey), signal.SIGKILL)
    replies = [api.post(home, f"Redis uses Kafka. Note {number}.") for number in range(10)]
    assert [reply.status for reply in replies] == [202] * 10
    assert max(reply.seconds for reply in replies) < 2.5
    wait_until(lambda: ask.value(DONE) == 11, what="jobs that no message tells of")
    valkey.start()
    assert api.post(home, "Redis uses Db2.").status == 202
    wait_until(lambda: ask.value(DONE) == 12, what="the job after it is back")
    assert ask.rows("SELECT DISTINCT attempt FROM job") == [(1,)]


def test_a_wake_up_that_cannot_be_acknowledged_is_an_error_of_the_connection() -> None:
    """Celery logs it and counts the message as unacknowledged for ever: with a prefetch of one, the last."""

    class Hung:
        no_ack_consumers = None

        def basic_ack(self, _tag: object, *, multiple: bool) -> None:
            raise TimeoutError(f"multiple={multiple}")

    celery = make_celery("redis://localhost:1")

    def nothing() -> None:
        return

    task = celery.task(nothing, name="test.nothing")
    sent = BrokerMessage(
        body="[[], {}, null]",
        channel=Hung(),
        delivery_tag="1",
        content_type="application/json",
        content_encoding="utf-8",
        headers={"id": "1", "task": "test.nothing", "ignore_result": True},
    )
    arrived = WakeUpRequest(
        sent, on_ack=sent.ack_log_error, task=task, app=celery, connection_errors=(TimeoutError,)
    )
    with pytest.raises(TimeoutError):
        arrived.acknowledge()
