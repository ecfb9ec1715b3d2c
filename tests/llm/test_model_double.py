"""The double is a server that the openai package believes: what it speaks, records, logs and is told."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import OpenAI

from app.documents.token_counts import count_tokens
from app.llm.embedding.hashed import HashedEmbedder
from app.llm.prompts import entities
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.llm.testing.double import read_log_of_calls
from tests.llm.test_model_extractor import TEXTS

PROMPT = entities.build_prompt(["Organization", "Product"])
PASSAGES = [entities.render_passage(TEXTS[0], title="Note")]


def said() -> Any:
    """The prompt, as messages of a chat."""
    return PROMPT.build_messages(PASSAGES)


def ask(double: ModelDouble, messages: Any = None, **options: Any) -> Any:
    with OpenAI(api_key="unused", base_url=double.base_url, max_retries=0) as package:
        return package.chat.completions.create(
            model="double",
            messages=messages or said(),
            **options,
        )


def test_the_package_reads_an_answer_and_its_tokens(double: ModelDouble) -> None:
    messages = PROMPT.build_messages(PASSAGES)
    answer = ask(double, messages)
    found = json.loads(answer.choices[0].message.content)["passages"][0]["entities"]
    assert [entity["name"] for entity in found] == ["Acme Corporation", "Rocketry", "Thrust"]
    assert answer.usage.prompt_tokens == count_tokens("\n".join(message["content"] for message in messages))
    assert answer.choices[0].finish_reason == "stop"


def test_a_schema_is_paid_for(double: ModelDouble) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": dict(PROMPT.schema)}}
    assert ask(double, response_format=form).usage.prompt_tokens > ask(double).usage.prompt_tokens + 50


def test_it_streams(double: ModelDouble) -> None:
    whole = ask(double).choices[0].message.content
    events = list(ask(double, stream=True, stream_options={"include_usage": True}))
    pieces = [event.choices[0].delta.content or "" for event in events if event.choices]
    assert "".join(pieces) == whole
    assert len(pieces) > 3
    assert events[-1].usage.completion_tokens == count_tokens(whole)


def test_models_and_embeddings(double: ModelDouble) -> None:
    with OpenAI(api_key="unused", base_url=double.base_url, max_retries=0) as package:
        assert [model.id for model in package.models.list()] == ["double", "double-embedding"]
        made = [
            package.embeddings.create(
                model="e", input=["one text", "another"], encoding_format=form, dimensions=8
            )
            for form in ("float", "base64")
        ]
        longer = package.embeddings.create(model="e", input="one text", dimensions=300)
    assert made[0].data[1].embedding == pytest.approx(HashedEmbedder().embed(["another"])[0][:8].tolist())
    assert isinstance(made[1].data[0].embedding, str)
    assert len(longer.data[0].embedding) == 300


def test_scripts_come_before_recordings_and_rules(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    with ModelDouble(record=record) as double:
        double.when(lambda prompt: "Rocketry" in prompt, {"a": 1})
        assert ask(double).choices[0].message.content == '{"a": 1}'
        double.reset()
        assert ask(double).choices[0].message.content == "{}"
    line = json.loads(record.read_text())
    record.write_text(json.dumps(line | {"answer": {"b": 2}}) + "\n")
    with ModelDouble(recording_path=record) as double:
        assert ask(double).choices[0].message.content == '{"b": 2}'
        double.when(lambda _: True, "scripted")
        assert ask(double).choices[0].message.content == "scripted"


def test_a_prompt_has_one_hash_whatever_its_fence(double: ModelDouble) -> None:
    ask(double)
    ask(double)
    ask(double, PROMPT.build_messages([entities.render_passage(TEXTS[1], title="Note")]))
    hashes = [call.prompt_hash for call in double.calls]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.soak
def test_probable_faults_repeat_with_their_seed() -> None:
    seen = []
    for seed in (1, 1, 2):
        with ModelDouble(faults=[Fault(M.CUT_JSON, probability=0.5)], seed=seed) as double:
            for _ in range(20):
                ask(double)
            seen.append([call.outcome for call in double.calls])
    assert seen[0] == seen[1] != seen[2]
    assert 2 < seen[0].count("cut_json") < 18


def test_faults_are_switched_while_it_runs(double: ModelDouble) -> None:
    control = double.base_url.removesuffix("/v1") + "/control"
    with httpx2.Client() as http:
        told = http.post(f"{control}/faults", json={"mode": "choices_null", "times": 1})
        assert (told.status_code, ask(double).choices) == (200, None)
        assert ask(double).choices
        http.post(f"{control}/scripts", json={"containing": "Acme", "answer": "hello"})
        assert ask(double).choices[0].message.content == "hello"
        outcomes = [call["outcome"] for call in http.get(f"{control}/calls").json()["calls"]]
        assert outcomes == ["choices_null", "ok", "ok"]
        http.delete(control)
        assert double.calls == []
        for path, body in (("faults", {"mode": "x"}), ("faults", {}), ("latency", {}), ("faults", [])):
            assert http.post(f"{control}/{path}", json=body).status_code == 400
        assert http.post(f"{control}/nothing", json={}).status_code == 404
        assert http.get(f"{control}/nothing").status_code == 404


def test_as_a_process_it_says_where_it_is_and_ends_when_told(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    command = [sys.executable, "-m", "app.llm.testing", "--log", str(log), "--latency-ms", "1"]
    with subprocess.Popen(
        [*command, "--fault", '{"mode": "content_null", "times": 1}'],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with OpenAI(api_key="unused", base_url=address, max_retries=0) as package:
            contents = [
                package.chat.completions.create(model="double", messages=said()).choices[0].message.content
                for _ in range(2)
            ]
        assert contents[0] is None
        assert "Rocketry" in str(contents[1])
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    assert [(call.number, call.outcome) for call in read_log_of_calls(log)] == [
        (1, "content_null"),
        (2, "ok"),
    ]
