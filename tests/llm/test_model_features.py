"""What one tenant causes is never learnt for another (requirement 16.4): names, texts and refusals that try
it.
"""

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from app.ids import TenantId, create_id
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.embedding.openai_embedder import OpenAIEmbedder
from app.llm.errors import ModelRefused, Parked
from app.llm.model_features import PROBE_INTERVAL_SECONDS, PROBE_MESSAGES, CallKind, Features, FeatureTable
from app.llm.structured_output import Question
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M

EVIL = "temperature dimensions response_format schema json_object0"
SCHEMA = {"type": "object", "properties": {"kind": {"type": "string", "enum": ["a type of the tenant's"]}}}
REFUSALS = [
    Fault(M.STATUS, status=404, hint=f"The model `{EVIL}` does not exist"),
    Fault(M.STATUS, status=400, hint=f"{EVIL} is not supported"),
    Fault(M.STATUS, status=422, hint=EVIL, blames="response_format"),
    Fault(M.STATUS, status=400, hint=EVIL, blames="temperature"),
    Fault(M.STATUS, status=403, hint=EVIL, blames="model"),
]


@pytest.fixture
def attacker() -> TenantId:
    return TenantId(create_id())


def question(text: str) -> Question:
    return Question("test", [{"role": "user", "content": text}], SCHEMA)


def embed(client: ModelClient, tenant: TenantId, text: str, model: str = "double-embedding") -> None:
    OpenAIEmbedder(client, model=model, dimensions=256, tenant_id=tenant).embed([text])


def assert_asked_with_everything(double: ModelDouble, client: ModelClient, tenant: TenantId) -> None:
    """Another tenant's calls of every kind carry all that they may."""
    begun = len(double.bodies)
    client.ask(tenant, question("An honest text."), [])
    "".join(client.stream(tenant, "answer", [{"role": "user", "content": "An honest text."}], []))
    embed(client, tenant, "An honest text.")
    chat, stream, embedding = double.bodies[begun:]
    assert (chat["response_format"]["type"], chat["temperature"]) == ("json_schema", 0)
    assert (stream["stream_options"], stream["temperature"]) == ({"include_usage": True}, 0)
    assert embedding["dimensions"] == 256


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: f"{refusal.status}-{refusal.blames}")
def test_a_model_name_full_of_our_words_teaches_nothing(
    double: ModelDouble, client: ModelClient, tenant: TenantId, attacker: TenantId, refusal: Fault
) -> None:
    double.faults.add(
        Fault(refusal.mode, model=EVIL, status=refusal.status, hint=refusal.hint, blames=refusal.blames)
    )
    for _ in range(6):
        with pytest.raises((ModelRefused, Parked)):
            embed(client, attacker, "any text", EVIL)
    assert_asked_with_everything(double, client, tenant)
    # Nor does it close its own way to the other models.
    assert_asked_with_everything(double, client, attacker)


@pytest.mark.parametrize("refusal", [refusal for refusal in REFUSALS if refusal.status in (400, 422)])
def test_a_text_that_the_server_refuses_teaches_nothing(
    double: ModelDouble, client: ModelClient, tenant: TenantId, attacker: TenantId, refusal: Fault
) -> None:
    double.faults.add(
        Fault(refusal.mode, containing=EVIL, status=refusal.status, hint=refusal.hint, blames=refusal.blames)
    )
    calls: list[CallRecord] = []
    for _ in range(4):
        with pytest.raises(ModelRefused):
            client.ask(attacker, question(EVIL), calls)
        with pytest.raises(ModelRefused):
            list(client.stream(attacker, "answer", [{"role": "user", "content": EVIL}], calls))
        with pytest.raises(ModelRefused):
            embed(client, attacker, EVIL)
    assert [call.purpose for call in calls].count("probe") == 2
    assert_asked_with_everything(double, client, tenant)


def test_a_schema_that_the_server_refuses_costs_its_own_call_the_schema_alone(
    double: ModelDouble, client: ModelClient, tenant: TenantId, attacker: TenantId
) -> None:
    """A space's own types stand in the schema: a server that cannot compile them blames response_format."""
    double.faults.add(Fault(M.NO_SCHEMA, containing="my own types"))
    client.ask(attacker, question("my own types"), [])
    kinds = [
        body["response_format"]["type"]
        for body, prompt in zip(double.bodies, double.prompts, strict=True)
        if "my own types" in prompt
    ]
    assert kinds == ["json_schema", "json_object"]
    assert_asked_with_everything(double, client, tenant)


def test_what_one_model_lacks_is_not_held_against_another(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.STATUS, status=400, model="small-embedding", parameter="dimensions"))
    double.faults.add(Fault(M.STATUS, status=400, parameter="stream_options"))
    embed(client, tenant, "a text", "small-embedding")
    "".join(client.stream(tenant, "answer", [{"role": "user", "content": "Say it."}], []))
    double.faults.clear()
    begun = len(double.bodies)
    embed(client, tenant, "a text", "small-embedding")
    embed(client, tenant, "a text")
    client.ask(tenant, question("a text"), [])
    small, other, chat = double.bodies[begun:]
    assert ("dimensions" in small, "dimensions" in other) == (False, True)
    assert chat["response_format"]["type"] == "json_schema"


def test_the_question_that_finds_out_holds_nothing_of_the_call(
    double: ModelDouble, client: ModelClient, tenant: TenantId
) -> None:
    double.faults.add(Fault(M.NO_SCHEMA))
    client.ask(tenant, question("a secret of the tenant"), [])
    probes: list[Mapping[str, Any]] = [
        body for body in double.bodies if body["messages"] == list(PROBE_MESSAGES)
    ]
    assert [probe["response_format"]["type"] for probe in probes] == [
        "json_schema",
        "json_schema",
        "json_object",
    ]
    assert "tenant" not in str(probes)


class TestFindingOut:
    def test_many_refused_at_once_ask_once(self) -> None:
        table, asked, found = FeatureTable(), [], []
        both = threading.Barrier(8)

        def probe(features: Features) -> None:
            asked.append(features)
            if features.takes_dimensions:
                raise ModelRefused("no", http_status=400)

        def run() -> None:
            both.wait()
            found.append(table.determine_features_by_probe(CallKind.EMBEDDING, "a", probe))

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(asked) == 2
        assert {features.takes_dimensions for features in found if features} == {False}
        assert table.get_features(CallKind.EMBEDDING, "b").takes_dimensions

    def test_a_server_that_is_down_or_does_not_know_the_model_leaves_nothing(self) -> None:
        table = FeatureTable()

        def refuse(status: int) -> Any:
            def probe(_features: Features) -> None:
                raise ModelRefused("no", http_status=status)

            return probe

        for status in (401, 403, 404):
            with pytest.raises(ModelRefused):
                table.determine_features_by_probe(CallKind.CHAT, "a", refuse(status))
        assert table.get_features(CallKind.CHAT, "a") == Features()
        found = table.determine_features_by_probe(CallKind.CHAT, "a", lambda _features: None)
        assert found == Features()

    def test_a_server_that_changed_is_asked_again_after_a_while(self) -> None:
        now = [0.0]
        table = FeatureTable(clock=lambda: now[0])

        def strict(features: Features) -> None:
            if features.response_format == "schema":
                raise ModelRefused("no", http_status=400)

        assert table.determine_features_by_probe(CallKind.CHAT, "a", lambda _features: None) == Features()
        now[0] = PROBE_INTERVAL_SECONDS - 1
        assert table.determine_features_by_probe(CallKind.CHAT, "a", strict) == Features()
        now[0] = PROBE_INTERVAL_SECONDS + 1
        assert table.determine_features_by_probe(CallKind.CHAT, "a", strict) == Features(
            response_format="object"
        )
