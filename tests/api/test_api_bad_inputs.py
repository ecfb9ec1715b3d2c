"""The bad inputs of reliability section 5 that concern HTTP, by their row numbers, and the shape of every
failure.
"""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.conftest import Account, World

DOCUMENTS, NODES, EXPLAIN, KEYS = "/documents", "/graph/nodes", "/graph/explain", "/v1/api-keys"
JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Bad:
    row: str
    statuses: tuple[int, ...]
    method: str = "POST"
    path: str = DOCUMENTS
    raw: bytes | None = None
    body: Any = None
    headers: dict[str, str] | None = None
    code: str | None = None
    files: Any = None


def document(**changes: Any) -> dict[str, Any]:
    return {"text": "Ada Lovelace worked for Charles Babbage.", "title": "t", **changes}


def raw(text: str) -> bytes:
    return b'{"text": "x", ' + text.encode() + b"}"


def nested(levels: int) -> bytes:
    return raw(f'"metadata": {{"k": {"[" * levels}{"]" * levels}}}')


CASES = [
    Bad("1-nul-in-title", (422,), body=document(title="a\x00b"), code="invalid_character"),
    Bad("2-nul-in-metadata-value", (422,), body=document(metadata={"k": "a\x00"}), code="invalid_character"),
    Bad("3-nul-in-metadata-key", (422,), body=document(metadata={"a\x00": 1}), code="invalid_character"),
    Bad("4-nul-in-query", (422,), "GET", f"{NODES}?q=a%00b", code="invalid_character"),
    Bad("4-nul-in-path", (404,), "GET", f"{NODES}/%00"),
    Bad("5-surrogate-in-text", (422,), raw=b'{"text": "a\\ud800b"}', code="invalid_character"),
    Bad("6-surrogate-in-metadata", (422,), raw=raw('"metadata": {"k": "\\udfff"}'), code="invalid_character"),
    Bad("7-surrogate-in-failing-field", (422,), raw=raw('"format": "\\ud800"')),
    Bad("7-surrogate-as-a-name", (422,), raw=raw('"\\ud800": 1')),
    Bad("8-nan", (422,), path=EXPLAIN, raw=b'{"question": "a", "limit": NaN}', code="invalid_number"),
    Bad("9-infinity", (422,), path=EXPLAIN, raw=b'{"question": "a", "limit": 1e999}', code="invalid_number"),
    Bad("9-minus-infinity", (422,), path=EXPLAIN, raw=b'{"question": "a", "limit": -Infinity}'),
    Bad("10-nan-in-metadata", (422,), raw=raw('"metadata": {"k": NaN}'), code="invalid_number"),
    Bad("10-infinity-in-metadata", (422,), raw=raw('"metadata": {"k": 1e999}'), code="invalid_number"),
    Bad("11-invalid-utf-8", (400,), raw=b'{"text": "\xff\xfe\xfa"}'),
    Bad("12-utf-16", (400,), raw='{"text": "x"}'.encode("utf-16")),
    Bad("12-utf-16-without-mark", (400,), raw='{"text": "x"}'.encode("utf-16-le")),
    Bad("12-utf-16-said-so", (415,), raw=b"{}", headers={"content-type": "application/json; charset=utf-16"}),
    Bad("14-more-than-int4", (422,), path=EXPLAIN, body={"question": "a", "limit": 2**31}),
    Bad("14-start-that-one-more-makes-too-large", (422,), "GET", "/documents/DOCUMENT/text?start=2147483647"),
    Bad("15-integer-of-5000-digits", (422,), raw=raw('"metadata": {"k": ' + "9" * 5000 + "}")),
    Bad("16-true-for-a-number", (422,), path=EXPLAIN, body={"question": "a", "limit": True}),
    Bad("16-text-for-a-number", (422,), path=EXPLAIN, body={"question": "a", "limit": "7"}),
    Bad("17-fraction-for-a-number", (422,), path=EXPLAIN, body={"question": "a", "limit": 1.5}),
    Bad("18-unknown-field", (422,), body=document(tenant_id="x")),
    Bad("20-nested-500", (422,), raw=nested(500), code="too_deep"),
    Bad("20-nested-1000", (422,), raw=nested(1_000), code="too_deep"),
    Bad("21-nested-5000", (400, 422), raw=nested(5_000), code="too_deep"),
    Bad("21-nested-80000", (400, 422), raw=nested(80_000), code="too_deep"),
    Bad("23-3000-characters-in-a-name", (422,), body=document(title="aé日" * 1_000), code="too_long"),
    Bad("23-3000-characters-in-an-address", (422,), body=document(source_uri="u" * 3_000), code="too_long"),
    Bad("24-150-kb-of-one-character", (422,), body=document(title="a" * 150_000), code="too_long"),
    Bad("25-empty-name", (422,), body=document(title=""), code="empty_name"),
    Bad("25-white-space-name", (422,), body=document(title=" \t\n "), code="empty_name"),
    Bad("25-zero-width-name", (422,), body=document(title="\u200b\u200d\ufeff"), code="empty_name"),
    Bad("25-empty-text", (422,), body=document(text=" \u200b\n"), code="empty_document"),
    Bad(
        "28-over-the-json-limit", (413,), raw=b'{"text": "' + b"a" * 300_000 + b'"}', code="payload_too_large"
    ),
    Bad("28-over-the-upload-limit", (413,), files={"file": ("a.txt", b"a" * 800_000, "text/plain")}),
    Bad("28-one-file-over-the-limit", (413,), files={"file": ("a.txt", b"a" * 400_001, "text/plain")}),
    Bad("30-no-content-type", (415,), raw=b"{}", headers={}),
    Bad("30-text", (415,), raw=b"{}", headers={"content-type": "text/plain"}),
    Bad(
        "30-form-urlencoded",
        (415,),
        raw=b"a=b",
        headers={"content-type": "application/x-www-form-urlencoded"},
    ),
    Bad("30-explain-as-text", (415,), path=EXPLAIN, raw=b"{}", headers={"content-type": "text/plain"}),
    Bad("30-form-without-boundary", (400,), raw=b"x", headers={"content-type": "multipart/form-data"}),
    Bad("31-empty-body", (415, 422), raw=b""),
    Bad("31-empty-body-explain", (422,), path=EXPLAIN, raw=b""),
    *(
        Bad(f"31-{name}{path}", (422,), path=path, raw=sent)
        for path in (DOCUMENTS, EXPLAIN)
        for name, sent in {
            "null": b"null",
            "list": b"[]",
            "text": b'"x"',
            "cut": b'{"a"',
            "word": b"abc",
        }.items()
    ),
    Bad("31-no-documents", (422,), body={"documents": []}),
    Bad("31-too-many-documents", (422,), body={"documents": [document()] * 101}),
    Bad("32-wrong-method", (405,), "PUT", DOCUMENTS, code="method_not_allowed"),
    Bad("34-q-over-1000", (422,), "GET", f"{NODES}?q={'a' * 1_001}", code="too_long"),
    Bad("34-question-over-1000", (422,), path=EXPLAIN, body={"question": "w " * 600}, code="too_long"),
    Bad("34-empty-question", (422,), path=EXPLAIN, body={"question": ""}),
    Bad("36-limit-minus-1", (422,), "GET", f"{NODES}?limit=-1"),
    Bad("36-limit-0", (422,), "GET", f"{NODES}?limit=0"),
    Bad("36-limit-201", (422,), "GET", f"{NODES}?limit=201"),
    Bad("37-limit-2-63", (422,), "GET", f"{NODES}?limit={2**63}"),
    Bad("38-limit-twice", (422,), "GET", f"{NODES}?limit=1&limit=2", code="duplicate_parameter"),
    *(
        Bad(f"39-id-{name}", (404,), "GET", f"{NODES}/{sent}", code="not_found")
        for name, sent in {
            "word": "not-a-uuid",
            "urn": "urn:uuid:01a1fd7c-372f-73d2-a6ba-6e0223cd03d5",
            "bytes": "%ff",
            "braces": "%7B01a1fd7c-372f-73d2-a6ba-6e0223cd03d5%7D",
            "no-hyphens": "01a1fd7c372f73d2a6ba6e0223cd03d5",
        }.items()
    ),
    Bad("39-id-in-a-body", (422,), path="/graph/neighbors", body={"node_ids": ["x"]}, code="invalid_id"),
    Bad("39-id-in-a-query", (422,), "GET", "/graph/edges?node_id=x", code="invalid_id"),
    *(
        Bad(f"43-max-hops-{hops}", (422,), path=EXPLAIN, body={"question": "a", "max_hops": hops})
        for hops in (3, 0, -1, 10**9)
    ),
    *(
        Bad(f"43-depth-{depth}", (422,), "GET", f"/graph/neighborhood/NODE?depth={depth}")
        for depth in (4, 0, -1)
    ),
    Bad("43-confidence-nan", (422,), "GET", "/graph/edges?min_confidence=nan"),
    Bad("43-confidence-2", (422,), "GET", "/graph/edges?min_confidence=2"),
    Bad("43-no-node-ids", (422,), path="/graph/neighbors", body={"node_ids": []}),
    Bad("43-missing-node-ids", (422,), path="/graph/neighbors", body={}),
    Bad("43-question-and-ends", (422,), path=EXPLAIN, body={"question": "a", "from": "b", "to": "c"}),
    Bad("43-one-end", (422,), path=EXPLAIN, body={"from": "b"}),
    Bad("47-large-value-in-a-failing-field", (422,), body=document(format="x" * 150_000)),
    Bad(
        "49-encrypted-or-empty-zip", (415, 422), files={"file": ("a.docx", b"PK\x05\x06" + b"\0" * 18, None)}
    ),
    Bad("50-truncated-docx", (415, 422), files={"file": ("a.docx", b"PK\x03\x04" + b"\0" * 40, None)}),
    Bad("51-binary-called-text", (415,), files={"file": ("a.txt", bytes(range(256)) * 20, "text/plain")}),
    Bad("51-unknown-format", (415,), files={"file": ("a.exe", b"MZ\x90\x00", "application/x-msdownload")}),
    Bad("51-pdf-called-text", (422,), body=document(text="%PDF-1.7 hello")),
    *(
        Bad(f"59-{name}", (422,), path=KEYS, body={"name": "k", "scopes": ["read"], "expires_at": sent})
        for name, sent in {
            "year-294277": "294277-01-01T00:00:00Z",
            "epoch": 10**18,
            "fraction": 1e18,
            "naive": "2999-01-01T00:00:00",
            "past": "2001-01-01T00:00:00Z",
            "before-year-1": "0001-01-01T00:00:00+23:00",
            "no-such-day": "2999-02-30T00:00:00Z",
        }.items()
    ),
    Bad(
        "59-as-of",
        (422,),
        "GET",
        "/graph/neighborhood/NODE?as_of=294277-01-01T00:00:00Z",
        code="invalid_time",
    ),
    Bad("60-long-header", (431,), "GET", NODES, headers={"x-long": "a" * 100_000}),
    Bad("60-many-headers", (431,), "GET", NODES, headers={f"x-{number}": "a" for number in range(1_000)}),
    Bad(
        "62-many-keys",
        (422,),
        body=document(metadata={str(n): 0 for n in range(1_500)}),
        code="too_many_keys",
    ),
    Bad("62-large-metadata", (422,), body=document(metadata={"k": "v" * 20_000}), code="too_long"),
    Bad("62-many-lists", (413,), raw=raw('"metadata": {"k": [' + "[]," * 90_000 + "1]}")),
    Bad(
        "form-field-twice",
        (422,),
        files=[("file", ("a.txt", b"x", None)), ("title", (None, "a")), ("title", (None, "b"))],
    ),
    Bad("form-without-file", (422,), files=[("title", (None, "a"))], code="no_file"),
    Bad(
        "form-metadata-nul",
        (422,),
        files=[("file", ("a.txt", b"x", None)), ("metadata", (None, '{"a":"\\u0000"}'))],
    ),
    Bad("form-unknown-field", (422,), files=[("file", ("a.txt", b"x", None)), ("tenant_id", (None, "x"))]),
    Bad(
        "form-title-for-two",
        (422,),
        files=[("file", ("a.txt", b"x", None)), ("file", ("b.txt", b"y", None)), ("title", (None, "a"))],
    ),
    Bad(
        "two-of-one-address",
        (422,),
        body={"documents": [document(source_uri="u"), document(source_uri="u", text="y")]},
    ),
    Bad("unknown-scope", (422,), path=KEYS, body={"name": "k", "scopes": ["root"]}),
    Bad("unknown-address", (404,), "GET", "/nothing", code="not_found"),
]


def check_problem(answer: Any, statuses: tuple[int, ...]) -> dict[str, Any]:
    """The one shape of a failure: what it has, and what it never has."""
    assert answer.status_code in statuses, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert set(problem) - {"errors"} == {"type", "title", "status", "code", "detail", "request_id"}
    assert problem["status"] == answer.status_code
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert len(answer.content) <= 1_024
    for word in ("psycopg", "SELECT", "Traceback", "sqlalchemy", "pydantic", "input_value"):
        assert word not in answer.text
    for fault in problem.get("errors", ()):
        assert set(fault) == {"loc", "type", "msg"}
    return problem


def send(world: World, account: Account, bad: Bad) -> Any:
    path = bad.path.replace("NODE", str(account.node_id)).replace("DOCUMENT", str(account.document_id))
    url = path if path.startswith("/v1") else account.space + path
    content = json.dumps(bad.body).encode() if bad.body is not None else bad.raw
    headers = bad.headers if bad.headers is not None else JSON if content is not None else {}
    return world.http.request(
        bad.method, url, headers={**headers, **account.bearer()}, content=content, files=bad.files
    )


@pytest.mark.parametrize("bad", CASES, ids=[case.row for case in CASES])
def test_bad_input(world: World, bad: Bad) -> None:
    before = world.http.get(f"{world.a.space}/documents", headers=world.a.bearer()).json()
    problem = check_problem(send(world, world.a, bad), bad.statuses)
    if bad.code is not None:
        assert problem["code"] == bad.code
    after = world.http.get(f"{world.a.space}/documents", headers=world.a.bearer()).json()
    assert after == before, "a refused request leaves nothing behind"


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        (DOCUMENTS, document(textt="x"), "title, source_uri"),
        (DOCUMENTS, {"documents": [document(uri="x")]}, "title, source_uri"),
        (EXPLAIN, {"query": "Ada"}, "question"),
        ("/ask", {"question": "Who?", "lang": "en"}, "question"),
        ("/retrieve", {"query": "Who?", "k": 3}, "top_k"),
        ("/graph/merges", {"a": "x"}, "winner_id, loser_id"),
    ],
)
def test_an_unknown_field_is_told_which_there_are(
    world: World, path: str, body: dict[str, Any], fields: str
) -> None:
    answer = send(world, world.a, Bad("unknown", (422,), path=path, body=body))
    faults = check_problem(answer, (422,))["errors"]
    (unknown,) = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    assert "Fields: " in unknown["msg"]
    assert fields in unknown["msg"]


class TestTheHandlerOfInvalidInput:
    def test_row_48_a_secret_is_neither_echoed_nor_logged(
        self, world: World, guest: Account, capfd: pytest.CaptureFixture[str]
    ) -> None:
        secret = guest.keys["full"]
        for body in (
            document(format=secret),
            document(language=secret),
            {secret: 1, **document()},
            document(metadata=secret),
            {"documents": [{secret: secret}]},
        ):
            answer = world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json=body)
            check_problem(answer, (422,))
            assert secret not in answer.text
            assert secret.split("_", 3)[3] not in answer.text
        assert secret not in "".join(capfd.readouterr())

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=4)
            ),
            max_leaves=12,
        ),
        st.sampled_from([DOCUMENTS, EXPLAIN, "/graph/neighbors"]),
    )
    def test_no_json_whatever_breaks_it(self, world: World, value: Any, path: str) -> None:
        answer = world.http.post(
            world.a.space + path, headers={**JSON, **world.a.bearer()}, content=json.dumps(value).encode()
        )
        check_problem(answer, (400, 415, 422))
