"""One more than a limit of requests: the answer has the code that docs/limits.md says (requirement 16.3)."""

import string
from typing import Any

import pytest

from app import limits
from app.limits import Limit
from tests.api.conftest import World


def list_over(limit: Limit, item: Any = "x") -> list[Any]:
    return [item] * (limit.maximum + 1)


def text_over(limit: Limit) -> str:
    return "x" * (limit.maximum + 1)


@pytest.fixture(params=["limited_lists", "limited_numbers", "limited_texts"])
def refused_requests(request: pytest.FixtureRequest, world: World) -> list[tuple[Limit, str, str, Any]]:
    """Each limit with a request that exceeds it: method, path and body."""
    node, document = str(world.a.node_id), str(world.a.document_id)
    letters = string.ascii_lowercase
    graph, golden = "graph", "golden/questions"
    question = {"question": "Who?", "answers": ["x"], "sources": []}
    requests: dict[str, list[tuple[Limit, str, str, Any]]] = {
        "limited_lists": [
            (
                limits.DOCUMENTS,
                "POST",
                "documents",
                {"documents": list_over(limits.DOCUMENTS, {"text": "a b"})},
            ),
            (
                limits.DOCUMENTS_CHANGED,
                "POST",
                "documents/move",
                {"documents": list_over(limits.DOCUMENTS_CHANGED, {"id": document, "source_uri": "a"})},
            ),
            (
                limits.DOCUMENTS_CHANGED,
                "POST",
                "documents/preview-removals",
                {"document_ids": list_over(limits.DOCUMENTS_CHANGED, document)},
            ),
            (
                limits.SUBGRAPH_SEEDS,
                "POST",
                f"{graph}/neighbors",
                {"node_ids": list_over(limits.SUBGRAPH_SEEDS, node)},
            ),
            (
                limits.FILTER_TYPES,
                "POST",
                f"{graph}/explain",
                {"question": "x", "filters": {"relation_types": list_over(limits.FILTER_TYPES)}},
            ),
            (
                limits.SPLIT_IDS,
                "POST",
                f"{graph}/nodes/{node}/split",
                {"sense": "x", "chunk_ids": list_over(limits.SPLIT_IDS, document)},
            ),
            (
                limits.TAG_CANDIDATES,
                "PUT",
                f"{graph}/nodes/{node}/tags",
                {"tags": list_over(limits.TAG_CANDIDATES)},
            ),
            (
                limits.TURNS,
                "POST",
                "ask",
                {"question": "x", "history": list_over(limits.TURNS, {"question": "a", "answer": "b"})},
            ),
            (
                limits.GOLDEN_EXPECTED,
                "POST",
                golden,
                {"questions": [{**question, "answers": list_over(limits.GOLDEN_EXPECTED)}]},
            ),
        ],
        "limited_numbers": [
            (limits.PAGE, "GET", f"documents?limit={limits.PAGE.maximum + 1}", None),
            (
                limits.TEXT_PART,
                "GET",
                f"documents/{document}/text?length={limits.TEXT_PART.maximum + 1}",
                None,
            ),
            (limits.HOPS, "POST", f"{graph}/explain", {"question": "x", "max_hops": limits.HOPS.maximum + 1}),
            (limits.FACTS, "POST", f"{graph}/explain", {"question": "x", "limit": limits.FACTS.maximum + 1}),
            (
                limits.NEIGHBORHOOD_DEPTH,
                "GET",
                f"{graph}/neighborhood/{node}?depth={limits.NEIGHBORHOOD_DEPTH.maximum + 1}",
                None,
            ),
            (
                limits.DIMENSIONS,
                "POST",
                "embedding",
                {"model": "hashed-ngrams-256", "dimensions": limits.DIMENSIONS.maximum + 1},
            ),
            (limits.PASSAGES, "POST", "retrieve", {"query": "x", "top_k": limits.PASSAGES.maximum + 1}),
            (
                limits.TRIAL_CHUNKS,
                "POST",
                "trials",
                {"model": "rules", "chunks": limits.TRIAL_CHUNKS.maximum + 1},
            ),
        ],
        "limited_texts": [
            (
                limits.NAME_BYTES,
                "POST",
                "documents",
                {"text": "a b", "title": text_over(limits.NAME_BYTES)},
            ),
            (
                limits.ADDRESS_BYTES,
                "POST",
                "documents",
                {"text": "a b", "source_uri": text_over(limits.ADDRESS_BYTES)},
            ),
            (
                limits.METADATA_BYTES,
                "POST",
                "documents",
                {"text": "a b", "metadata": {"a": text_over(limits.METADATA_BYTES)}},
            ),
            (limits.QUESTION, "POST", "ask", {"question": text_over(limits.QUESTION)}),
            (limits.SEARCH_BYTES, "POST", "retrieve", {"query": text_over(limits.SEARCH_BYTES)}),
            (
                limits.TYPE_NAME_BYTES,
                "GET",
                f"{graph}/edges?relation_type={text_over(limits.TYPE_NAME_BYTES)}",
                None,
            ),
            (
                limits.NODE_NAME,
                "PUT",
                f"{graph}/nodes/{node}/name",
                {"name": text_over(limits.NODE_NAME)},
            ),
            (
                limits.SEARCH_WORDS,
                "GET",
                f"{graph}/nodes?match=any&q={'+'.join(letters[: limits.SEARCH_WORDS.maximum + 1])}",
                None,
            ),
            (
                limits.GOLDEN_QUESTION,
                "POST",
                golden,
                {"questions": [{**question, "question": text_over(limits.GOLDEN_QUESTION)}]},
            ),
            (
                limits.GOLDEN_EXPECTED_TEXT,
                "POST",
                golden,
                {"questions": [{**question, "answers": [text_over(limits.GOLDEN_EXPECTED_TEXT)]}]},
            ),
            (
                limits.WEBHOOK_URL,
                "POST",
                "/v1/webhooks",
                {"url": f"https://example.com/{text_over(limits.WEBHOOK_URL)}", "events": ["job.done"]},
            ),
        ],
    }
    return requests[request.param]


def test_one_more_is_refused_with_the_documented_code(
    world: World, refused_requests: list[tuple[Limit, str, str, Any]]
) -> None:
    wrong_codes = []
    for limit, method, path, body in refused_requests:
        url = path if path.startswith("/") else f"{world.a.space}/{path}"
        answer = world.http.request(method, url, json=body, headers=world.a.bearer())
        if answer.status_code != 422 or answer.json()["code"] != limit.refusal.partition(";")[0]:
            wrong_codes.append((limit.quantity, answer.status_code, answer.json().get("code")))
    assert wrong_codes == []
