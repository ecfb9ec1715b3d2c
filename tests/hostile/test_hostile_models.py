"""A tenant against the models that all tenants share: names chosen as poison, servers that hang, refusals
that lie.
"""

import time
from collections.abc import Iterator

import pytest

from app.llm.testing import Fault, Mode, ModelDouble
from tests.hostile.harness.attacks import Hammer, attacking
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Beside
from tests.support.http_client import Call, Target, post, send
from tests.support.service import finished, hand_in

pytestmark = [pytest.mark.slow, pytest.mark.soak]

POISON = (
    "temperature dimensions response_format schema json_object json_schema stream_options encoding_format 0"
)


@pytest.fixture(scope="module")
def double() -> Iterator[ModelDouble]:
    """The model server of the installation; prompts are read as the shipped process reads them."""
    with ModelDouble() as started:
        yield started


@pytest.fixture(scope="module")
def chosen(double: ModelDouble) -> dict[str, object]:
    return {
        "openai_base_url": double.base_url,
        "openai_api_key": "unused",
        "llm_model": "double",
        "embedding_model": "double-embedding",
        "embedding_dimensions": 64,
        "llm_prices": {"double": [1.0, 2.0], "double-embedding": [0.1, 0.0]},
        "llm_timeout": 8.0,
    }


def learnt(double: ModelDouble) -> dict[str, set[str]]:
    """Path to the parameters and formats that the service used there."""
    used: dict[str, set[str]] = {}
    for call, body in zip(double.calls, list(double.bodies), strict=False):
        found = used.setdefault(call.path, set())
        found.update(set(body) - {"messages", "input", "model", "stream", "stream_options"})
        wanted = body.get("response_format")
        if isinstance(wanted, dict):
            found.add(str(wanted.get("type")))
    return used


def ingest(target: Target, text: str, *, seconds: float = 30.0) -> dict[str, object]:
    taken = hand_in(target, text)
    assert taken.status == 202, taken.raw
    return finished(target, taken.body["job"]["id"], seconds=seconds)


@pytest.fixture
def parameters(installation: Installation, double: ModelDouble) -> dict[str, set[str]]:
    """What B's ingest uses while nobody has attacked."""
    double.reset()
    assert (
        ingest(installation.neighbour, f"Barbara Liskov designed CLU number {time.monotonic_ns()}.")["state"]
        == "done"
    )
    used = learnt(double)
    assert any("json_schema" in used_parameters for used_parameters in used.values()), used
    assert any("dimensions" in used_parameters for used_parameters in used.values()), used
    double.reset()
    return used


def test_a_model_s_name_is_no_lesson(
    installation: Installation, double: ModelDouble, parameters: dict[str, set[str]], beside: Beside
) -> None:
    """The name that the tenant chose stands in the refusal: its words took features from everybody."""
    target = installation.attacker
    double.faults.add(
        Fault(Mode.STATUS, path="/embeddings", status=404, hint=f"No model `{POISON}`.", times=6)
    )
    for name in (POISON, POISON[:90], "dimensions", "hashed-ngrams-256 dimensions"):
        asked = post(target, f"{target.space}/embedding", {"model": name, "dimensions": 64})
        assert asked.status == 422, asked.raw
        assert asked.body["code"] == "model_not_offered", asked.raw
    double.faults.clear()
    with beside():
        assert ingest(installation.neighbour, "Radia Perlman designed the tree.")["state"] == "done"
        time.sleep(4)
    assert learnt(double) == parameters


@pytest.mark.parametrize("status", [400, 404, 422, 429, 500])
def test_a_refusal_that_repeats_a_document_is_no_lesson(
    installation: Installation, double: ModelDouble, parameters: dict[str, set[str]], status: int
) -> None:
    """A server that puts the prompt into its refusal lets a document speak in it."""
    words = f"unsupported parameter {POISON} is not supported"
    double.faults.add(Fault(Mode.STATUS, status=status, hint=words, containing="Poisonous", times=40))
    taken = hand_in(installation.attacker, f"Poisonous Number{status} says {words}. Ada met Bob.")
    assert taken.status == 202
    finished(installation.attacker, taken.body["job"]["id"], seconds=6)
    double.reset()
    text = f"Frances Allen wrote a compiler number {status}."
    assert ingest(installation.neighbour, text)["state"] == "done"
    assert learnt(double) == parameters


def test_an_embedding_server_that_hangs(
    installation: Installation, double: ModelDouble, beside: Beside
) -> None:
    """`/retrieve` waited for it on the threads that all requests share."""
    double.reset()
    double.faults.add(Fault(Mode.HANG, path="/embeddings", containing="hang on"))
    space = installation.attacker.space
    calls = [
        Call.json("POST", f"{space}/{path}", {name: f"hang on to number {number}"})
        for number in range(200)
        for path, name in (("retrieve", "query"), ("ask", "question"))
    ]
    mine = installation.neighbour
    with beside(), attacking(Hammer(installation.attacker, calls, threads=60, seconds=6)) as outcomes:
        took = []
        for number in range(4):
            reply = post(
                mine, f"{mine.space}/retrieve", {"query": f"Who wrote compiler {number}?"}, timeout=20
            )
            assert reply.status == 200, reply.raw
            took.append(reply.seconds)
    outcomes[0].check()
    double.reset()
    assert max(took) < 5, took


def test_answers_that_are_asked_for_and_never_read(
    installation: Installation, double: ModelDouble, beside: Beside
) -> None:
    """Streams of answers whose client goes at once give back the turn and the model's connection."""
    double.reset()
    double.faults.add(Fault(Mode.HANG, path="/chat/completions", containing="never read"))
    target = installation.attacker
    calls = [
        Call(
            "POST",
            f"{target.space}/ask",
            b'{"question": "Never read number %d, never read"}' % number,
            {"content-type": "application/json", "accept": "text/event-stream"},
        )
        for number in range(100)
    ]
    with beside(), attacking(Hammer(target, calls, threads=40, seconds=5, timeout=0.7)):
        pass
    double.reset()
    mine = send(
        installation.neighbour,
        Call.json("POST", f"{installation.neighbour.space}/ask", {"question": "Who designed CLU?"}),
    )
    assert mine.status == 200, mine.raw
    assert mine.seconds < 10


def test_the_service_lives_after_all_of_it(installation: Installation) -> None:
    assert "Traceback" not in installation.log("serve"), installation.log("serve")[-6_000:]
