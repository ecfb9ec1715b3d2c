"""Issue 13.7: the OpenAPI document as a product, and its page."""

import re
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.api.reference import page
from app.api.reference.description import TAGS
from app.api.reference.examples import CHUNK_ID, DOCUMENT_ID, EXAMPLES, NODE_ID, OTHER_NODE_ID
from tests.api.conftest import OPERATOR_KEY, Account, World, open_account

# Of a platform without a model server, or of a thing that the example's account has not.
REFUSED = {
    # No server of models is set up here, so its model cannot be had.
    "change_embedding": 422,
    # The account's edges are of relations that may have several values (test_api_graph_routes upholds one).
    "uphold_edge": 409,
    # Its space asks for no attributes, so that nothing has a value (test_api_values decides on some).
    "end_value": 404,
    "uphold_value": 404,
    "restore_value": 404,
    # The account's space has a trial under way (tests/integration/test_trials.py begins others).
    "begin_trial": 409,
}


@pytest.fixture(scope="module")
def document(world: World) -> dict[str, Any]:
    answer = world.http.get("/openapi.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture(scope="module")
def reader(world: World) -> Account:
    """A tenant of its own for whoever tries the examples: with a policy, and one name in two documents."""
    account = open_account(world.citegraph, world.http, "R")
    policy = {"settings": {"eviction": "ttl", "eviction_ttl_days": 30}}
    changed = world.http.patch(account.space, headers=account.bearer(), json=policy)
    assert changed.status_code == 200, changed.text
    taken = world.http.post(
        f"{account.space}/documents", headers=account.bearer(), json=EXAMPLES["submit_documents"]
    )
    assert taken.status_code == 202, taken.text
    world.drain()
    return account


@pytest.mark.soak
def test_the_document_is_valid(document: dict[str, Any]) -> None:
    """Review B7: by OpenAPI 3.1 as it names itself, streams of events included."""
    assert document["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []
    stream = document["paths"]["/v1/spaces/{space_id}/jobs/{job_id}/events"]["get"]["responses"]["200"]
    assert stream["content"]["text/event-stream"]["x-item-schema"]


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def test_operations_have_names_of_their_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)


def test_shapes_have_names_of_their_own(document: dict[str, Any]) -> None:
    """Two classes of one name would come out as modules, or as "-Input" and "-Output"."""
    names = document["components"]["schemas"]
    assert [name for name in names if not re.fullmatch(r"[A-Za-z]+(_[A-Za-z]+_)?", name)] == []


def test_every_chapter_has_a_sentence_and_every_operation_a_chapter(document: dict[str, Any]) -> None:
    used = {tag for _, _, operation in operations(document) for tag in operation["tags"]}
    assert used == {tag["name"] for tag in TAGS}
    assert all(operation["description"] for _, _, operation in operations(document))


def test_every_body_has_an_example_and_no_example_is_left_over(document: dict[str, Any]) -> None:
    taking = {
        operation["operationId"]
        for _, _, operation in operations(document)
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    assert taking == set(EXAMPLES)


def test_every_answer_tells_its_headers(document: dict[str, Any]) -> None:
    """The generated attack compares them with the answers."""
    for method, path, operation in operations(document):
        for status, answer in operation["responses"].items():
            told = set(answer.get("headers", ()))
            if path.startswith("/v1"):
                assert "X-Request-Id" in told, (method, path, status)
                assert ("Retry-After" in told) == (status in ("429", "503"))
                assert ("ETag" in told) == (method == "get" and status == "200")
            assert told <= set(document["components"]["headers"])


# In their own order: what one makes another needs.
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_does_what_it_shows(
    document: dict[str, Any], world: World, reader: Account, name: str
) -> None:
    method, path, operation = next(
        operation for operation in operations(document) if operation[2]["operationId"] == name
    )
    shown = operation["requestBody"]["content"]["application/json"]["example"]
    assert shown == EXAMPLES[name]
    others = world.http.get(f"{reader.space}/graph/nodes?q=DuckDB", headers=reader.bearer()).json()["items"]
    ids = {
        NODE_ID: str(reader.node_id),
        OTHER_NODE_ID: str(others[0]["id"]) if others else "",
        CHUNK_ID: str(reader.chunk_id),
        DOCUMENT_ID: str(reader.document_id),
    }
    for parameter in re.findall(r"{(\w+)}", path):
        path = path.replace(f"{{{parameter}}}", str(getattr(reader, parameter)))
    bearer = reader.bearer()
    if path.startswith("/v1/tenants"):
        bearer = {"authorization": f"Bearer {OPERATOR_KEY}"}
    answer = world.http.request(method, path, headers=bearer, json=_with_ids(shown, ids))
    expected = REFUSED.get(name)
    if expected is None:
        assert answer.status_code < 300, answer.text
    else:
        assert answer.status_code == expected, answer.text
    assert str(answer.status_code) in operation["responses"]


def _with_ids(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _with_ids(inner_value, ids) for name, inner_value in value.items()}
    if isinstance(value, list):
        return [_with_ids(inner_value, ids) for inner_value in value]
    return ids.get(value, value) if isinstance(value, str) else value


class TestPage:
    def test_loads_everything_from_here_and_runs_nothing_else(self, world: World) -> None:
        answer = world.http.get("/docs")
        assert answer.status_code == 200
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        loaded = re.findall(r'(?:src|href)="([^"]+)"', answer.text)
        assert loaded
        for address in loaded:
            assert address.startswith(("/", "data:")), address
            if address.startswith("/"):
                assert world.http.get(address).status_code == 200, address

    def test_without_its_scripts_says_how_to_have_them(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(page, "SCRIPT_FILE", page.STATIC_FOLDER / "none.js")
        text = world.http.get("/docs").text
        assert "make assets" in text
        assert "<script" not in text
