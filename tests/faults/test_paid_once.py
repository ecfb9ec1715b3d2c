"""Two server processes, one question: its check is paid once, whichever dies, with a broker or without. An
answer that was written before the server died is not paid again by who repeats the request.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from app.db.database import Database
from app.llm.testing import ModelDouble
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from tests.conftest import Home
from tests.faults.conftest import Api, Asker, Reply
from tests.llm.test_answer_leases import HeldAnswerer, held
from tests.support.ingest import ingest_now, text
from tests.support.questions import ENGINE, QUESTION, WORKS
from tests.workers.conftest import wait_until

__all__ = ["held"]

pytestmark = pytest.mark.soak
PATIENCE = 240.0


@pytest.fixture
def two(
    database: Database,
    settings: Settings,
    home: Home,
    held: tuple[HeldAnswerer, ModelDouble],
    start_api: Callable[..., Api],
) -> tuple[Api, Api]:
    """Two servers over one space, whose answers a model writes and checks."""
    ingest_now(
        database,
        settings,
        home,
        [text(ENGINE, title="Engine"), text(WORKS, title="Works", source_uri="works")],
    )
    model = {"openai_base_url": held[1].base_url, "llm_model": "double"}
    return start_api(**model), start_api(**model)


def is_supported(reply: Future[Reply]) -> bool:
    """Whether the answer came with the verdict of a check."""
    answer = reply.result(PATIENCE)
    assert answer.status == 200, answer.body
    return bool(answer.body["sentences"][0]["supported"])


def waits_for_the_check(ask: Asker) -> Callable[[], bool]:
    """Whether somebody has the lease of a check; written answers that were passed on are leased no more."""
    return lambda: bool(ask.value("SELECT count(*) FROM model_answer_lease WHERE answer IS NULL"))


@pytest.mark.parametrize("killed", ["nobody", "the broker", "the payer"])
def test_the_same_question_of_two_servers_is_checked_once(
    killed: str,
    two: tuple[Api, Api],
    held: tuple[HeldAnswerer, ModelDouble],
    home: Home,
    valkey: EmbeddedValkey,
    ask: Asker,
) -> None:
    answerer, double = held
    path = f"/v1/spaces/{home.space_id}/ask"
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(two[0].call, "POST", path, {"question": QUESTION}, timeout=PATIENCE)
        wait_until(lambda: answerer.asked == 1, seconds=PATIENCE, what="the first server's check")
        answers_before = len(double.calls)
        second = pool.submit(two[1].call, "POST", path, {"question": QUESTION}, timeout=PATIENCE)
        # The second server writes its own answer, and waits for the other's check.
        wait_until(lambda: len(double.calls) > answers_before, seconds=PATIENCE, what="the second's answer")
        assert waits_for_the_check(ask)()
        if killed == "the broker":
            valkey.stop()
        if killed == "the payer":
            two[0].process.kill()
            wait_until(lambda: answerer.asked == 2, seconds=PATIENCE, what="the check by the other server")
            answerer.may.set()
            assert is_supported(second)
            assert first.exception(PATIENCE) is not None
        else:
            answerer.may.set()
            assert is_supported(first)
            assert is_supported(second)
            assert answerer.asked == 1
    wait_until(lambda: not waits_for_the_check(ask)(), seconds=PATIENCE, what="the end of the leases")
    # Once paid, it is not paid again.
    again = two[1].call("POST", path, {"question": QUESTION}, timeout=PATIENCE)
    assert again.status == 200
    assert again.body["sentences"][0]["supported"] is True
    assert answerer.asked == (2 if killed == "the payer" else 1)


def test_a_repeated_request_pays_for_no_call_that_ended_before_the_server_was_killed(
    two: tuple[Api, Api],
    held: tuple[HeldAnswerer, ModelDouble],
    home: Home,
    ask: Asker,
) -> None:
    answerer, double = held
    first_server, other_server = two
    other_server.key = first_server.key
    path, body = f"/v1/spaces/{home.space_id}/ask", {"question": QUESTION}
    headers = {"idempotency-key": "asked-once"}

    def count_answers() -> int:
        return len(double.calls) - answerer.asked

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(first_server.call, "POST", path, body, timeout=PATIENCE, headers=headers)
        wait_until(lambda: answerer.asked == 1, seconds=PATIENCE, what="the check after the answer")
        first_server.process.kill()
        assert first.exception(PATIENCE) is not None
    answerer.may.set()
    wait_until(lambda: count_answers() == 1, what="the end of the call that the killed server had made")
    # Who repeats it does so once the claim of the killed server has ended.
    ask.rows("UPDATE idempotent_request SET leased_until = now() - interval '1 second'")
    again = other_server.call("POST", path, body, timeout=PATIENCE, headers=headers)
    assert again.status == 200, again.body
    assert (again.body["mode"], again.body["sentences"][0]["supported"]) == ("model", True)
    # The check had not ended: it alone is asked for again.
    assert (count_answers(), answerer.asked) == (1, 2)
    assert again.body["usage"]["calls"] == 1
    # The response itself may get lost.
    lost = other_server.call("POST", path, body, timeout=PATIENCE, headers=headers)
    assert lost.body["sentences"] == again.body["sentences"]
    assert lost.body["usage"]["calls"] == 0
    # Another request is another answer.
    other = other_server.call(
        "POST", path, body, timeout=PATIENCE, headers={"idempotency-key": "asked-twice"}
    )
    assert other.body["usage"]["calls"] == 1
    assert other_server.call("POST", path, body, timeout=PATIENCE).body["usage"]["calls"] == 1
