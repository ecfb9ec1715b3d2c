"""Prices, the pool of calls, prompts and their keys: what needs no server."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ALL_COMPLETED, Future
from concurrent.futures import wait as futures_wait
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ConfigurationError
from app.llm import call_pool
from app.llm.call_pool import CallPool
from app.llm.client import ModelClient
from app.llm.errors import Parked
from app.llm.prices import compute_cost_usd
from app.llm.prompts import entities, relations
from app.llm.prompts.fence import fence_passages, generate_fence, mask_fence, parse_fenced_passages
from app.llm.structured_output import parse_chat_response
from app.settings import Settings

SCHEMA = entities.build_prompt(["Person"]).schema
PRICES = {"mini": (0.15, 0.6), "mini-long": (1, 2)}


@pytest.mark.parametrize(
    ("model", "cost"),
    [("mini", "0.75"), ("mini-2026-01-01", "0.75"), ("mini-long-2", "3"), ("minimal", "0"), ("other", "0")],
)
def test_costs_are_exact_and_follow_the_longest_name(model: str, cost: str) -> None:
    assert compute_cost_usd(PRICES, model, prompt_tokens=10**6, completion_tokens=10**6) == Decimal(cost)


def test_small_costs_keep_eight_places() -> None:
    assert compute_cost_usd(PRICES, "mini", prompt_tokens=1, completion_tokens=1) == Decimal("0.00000075")


@pytest.fixture
def pool() -> Iterator[CallPool]:
    made = CallPool(4)
    yield made
    made.close()


def test_the_pool_keeps_order_and_its_bound(pool: CallPool) -> None:
    running, most, lock = [0], [0], threading.Lock()
    together = threading.Barrier(4)

    def work(number: int) -> int:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait(10)
        with lock:
            running[0] -= 1
        return number * 2

    assert pool.map(work, list(range(16))) == [number * 2 for number in range(16)]
    assert most[0] == 4


def test_an_error_stops_what_has_not_begun(pool: CallPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs beside the failed one ends only after the rest was dropped, however slow the machine
    is.
    """
    begun: list[int] = []
    dropped = threading.Event()

    def work(number: int) -> None:
        begun.append(number)
        if number == 0:
            raise ValueError("first")
        dropped.wait(60)

    def wait(futures: Sequence[Future[None]], return_when: str = ALL_COMPLETED) -> None:
        if return_when == ALL_COMPLETED:
            dropped.set()
        futures_wait(futures, return_when=return_when)

    monkeypatch.setattr(call_pool, "wait", wait)
    with pytest.raises(ValueError, match="first"):
        pool.map(work, list(range(1_000)))
    assert len(begun) <= 1 + pool.parallel


def test_one_item_needs_no_thread(pool: CallPool) -> None:
    assert pool.map(lambda _: threading.current_thread(), [1]) == [threading.current_thread()]
    assert pool.map(str, []) == []


@given(
    st.lists(
        st.text(
            alphabet=st.characters(
                exclude_categories=["Cs"], exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
            )
        ),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_passages_hold_they_come_apart_again(passages: list[str]) -> None:
    block = fence_passages(passages, generate_fence(passages))
    assert parse_fenced_passages(block) == passages
    other = fence_passages(passages, generate_fence(passages))
    assert mask_fence(block) == mask_fence(other)


def test_a_fence_never_stands_in_a_passage(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["aaaaaaaa", "bbbbbbbb"])
    monkeypatch.setattr("app.llm.prompts.fence.secrets.token_hex", lambda _: next(drawn))
    assert generate_fence(["#aaaaaaaa end"]) == "bbbbbbbb"


def test_a_key_depends_on_all_that_the_answer_depends_on() -> None:
    prompt, wider = entities.build_prompt(["Person"]), entities.build_prompt(["Person", "Event"])
    keys = [
        made.compute_key(passage, model=model, parameters=parameters)
        for made, passage, model, parameters in (
            (prompt, "a", "m", {"t": 0}),
            (prompt, "b", "m", {"t": 0}),
            (prompt, "a", "n", {"t": 0}),
            (prompt, "a", "m", {"t": 1}),
            (wider, "a", "m", {"t": 0}),
            (relations.build_prompt(["owns"], open_relations=False), "a", "m", {"t": 0}),
        )
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == prompt.compute_key("a", model="m", parameters={"t": 0})


def test_an_open_vocabulary_leaves_the_verb_open() -> None:
    closed = relations.build_prompt(["owns"], open_relations=False)
    opened = relations.build_prompt(["owns"], open_relations=True)
    assert "'relation': {'type': 'string', 'enum': ['owns', 'exists']}" in str(closed.schema)
    assert "'relation': {'type': 'string'}" in str(opened.schema)
    assert "or another English verb" in opened.system
    assert "another English verb" not in closed.system


@pytest.mark.parametrize(
    "part",
    [
        {"id": True, "entities": []},
        {"id": 2, "entities": []},
        {"id": 0, "entities": []},
        {"id": "x", "entities": []},
        {"entities": []},
        [],
        None,
    ],
)
def test_a_part_without_a_number_of_ours_is_missing(part: object) -> None:
    read = entities.build_prompt(["Person"]).parse_answers({"passages": [part]}, 1)
    assert (read.entries, read.faults) == ({}, {1: "Passage 1 is missing."})


def test_a_fault_names_the_place_and_never_the_value() -> None:
    bad = {"id": "1", "entities": [{"name": "fine", "type": "Person"}, {"name": 7, "type": "Ignore all"}]}
    read = entities.build_prompt(["Person"]).parse_answers({"passages": [bad]}, 1)
    assert read.faults == {1: "Passage 1: string_type at entities.1.name."}


@given(st.binary(max_size=200))
def test_any_bytes_are_a_reply_or_a_fault(raw: bytes) -> None:
    reply = parse_chat_response(raw, SCHEMA)
    assert (reply.fault is None) == isinstance(reply.value, dict)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["passages", "id", "entities", "name", "type"]), inner, max_size=4
            )
        ),
        max_leaves=20,
    )
)
def test_any_answer_is_read_or_named(answer: object) -> None:
    read = entities.build_prompt(["Person"]).parse_answers({"passages": answer}, 2)
    assert set(read.entries) | set(read.faults) == {1, 2}
    assert not set(read.entries) & set(read.faults)


def test_settings_take_openais_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "CITEGRAPH_OPENAI_API_KEY",
        "CITEGRAPH_OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError):
        ModelClient.create_for_chat(Settings())
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("CITEGRAPH_LLM_PRICES", '{"gpt-4o-mini": [0.15, 0.6]}')
    made = ModelClient.create_for_chat(Settings())
    assert (made.base_url, made.model) == ("http://127.0.0.1:9/v1", "gpt-4o-mini")
    made.close()


def test_the_cause_is_raised_and_not_its_echo(pool: CallPool) -> None:
    """One call is refused its key, the breaker parks the others: the job must hear of the key."""
    together = threading.Barrier(2)

    def work(number: int) -> None:
        together.wait(10)
        raise Parked("echo", retry_after=1) if number == 0 else ValueError("cause")

    with pytest.raises(ValueError, match="cause"):
        pool.map(work, [0, 1])


@pytest.mark.parametrize(
    "content",
    [
        '{"passages": [{"id": 1}]}',
        'Sure: {"passages": [{"id": 1}]} Anything else?',
        '```json\n{"passages": [{"id": 1}]}\n```',
        '<think>They want {"passages": [...]}, or {"id": 1}.</think>{"passages": [{"id": 1}]}',
        '{"passages": [{"id": 1,},],}',
        '[{"id": 1}]',
        'Here it is: [{"id": 1}]',
    ],
)
def test_an_answer_is_found_in_what_a_model_puts_around_it(content: str) -> None:
    raw = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
    assert parse_chat_response(raw.encode(), SCHEMA).value == {"passages": [{"id": 1}]}


def value_of(content: str) -> Any:
    raw = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
    return parse_chat_response(raw.encode(), SCHEMA).value


@pytest.mark.parametrize(
    "thoughts",
    [
        'A draft: {"passages": [{"id": 1, "entities": ["wrong", "wrong again"]}]}. No.',
        " ".join(f"[{number}] {{so}}" for number in range(60)),
        'A 5" {screen}',
    ],
)
def test_thoughts_are_no_answer(thoughts: str) -> None:
    assert value_of(f'<think>{thoughts}</think>{{"passages": [{{"id": 1,}}]}}') == {"passages": [{"id": 1}]}


@pytest.mark.parametrize(
    "content",
    [
        '{"id": 1}\n{"id": 2}',
        'The first: ```json\n{"id": 1}\n``` and the second: ```json\n{"id": 2}\n```',
        '{"type": "object", "properties": {"passages": {}}}\n{"passages": [{"id": 1}, {"id": 2}]}',
        'A 5" screen: {"passages": [{"id": 1}, {"id": 2},]}',
    ],
)
def test_all_passages_are_read_however_their_answers_are_joined(content: str) -> None:
    assert value_of(content) == {"passages": [{"id": 1}, {"id": 2}]}


def test_the_beginning_of_an_answer_that_was_cut_off_is_none() -> None:
    assert "passages" not in value_of('{"passages": [{"id": 1}, {"id": 2}, {"id"')


def test_a_line_may_end_within_words() -> None:
    assert value_of('{"quote": "Ada\nand Bob"}') == {"quote": "Ada\nand Bob"}


def test_a_reply_of_marks_is_read_in_time_that_grows_with_its_length() -> None:
    started = time.process_time()
    assert value_of('{"' + '\\"' * 200_000) is None
    assert time.process_time() - started < 5


def test_a_comma_within_words_stays() -> None:
    content = '{"quote": "Ada, ] and Bob,}",}'
    raw = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
    assert parse_chat_response(raw.encode(), SCHEMA).value == {"quote": "Ada, ] and Bob,}"}
