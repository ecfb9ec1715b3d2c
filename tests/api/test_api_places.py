"""Wherever an answer cites a passage of a file with pages, it says on which page the words stand."""

import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pypdf import PdfReader

from app.documents.shapes import Submission
from tests.api.conftest import World, address
from tests.api.test_api_mcp import call, space_of, url
from tests.support.document_samples import pdf_of
from tests.support.ingest import submit

__all__ = ["address", "url"]

PAGES = [
    ["Quiet pages open this chronicle of the coast."],
    ["Wilma Stark founded Cormorant Shipping."],
    ["Cormorant Shipping is located in Narvik.", "Wilma Stark was born in Harstad."],
    ["Wilma Stark and Narvik were seen in one picture."],
]
RAW = pdf_of(*PAGES)
ON_PAGE = {
    f"page {number}": page.extract_text()
    for number, page in enumerate(PdfReader(io.BytesIO(RAW)).pages, start=1)
}


@pytest.fixture
def document_id(world: World) -> str:
    """A PDF of four pages in tenant A's space."""
    submission = Submission(RAW, "pdf", "Coast", source_uri="coast-of-four-pages.pdf")
    results, _ = submit(world.citegraph.database, world.a.home, submission)
    world.drain()
    return str(results[0].document.id)


def citations(answer: Any, document_id: str) -> Iterator[dict[str, Any]]:
    """All that an answer says to stand somewhere in the document."""
    if isinstance(answer, dict):
        if str(answer.get("document_id")) == document_id and "char_start" in answer:
            yield answer
        for value in answer.values():
            yield from citations(value, document_id)
    elif isinstance(answer, list):
        for value in answer:
            yield from citations(value, document_id)


def assert_placed(answer: Any, document_id: str) -> None:
    """Each citation says the pages of its quote, or of the text of the passage."""
    found = list(citations(answer, document_id))
    assert found
    for cited in found:
        words = cited.get("quote") or cited.get("surface_form") or cited["text"]
        first, _, last = re.sub("pages? ", "", cited["place"]).partition(" to ")
        assert words.split("\n")[0] in ON_PAGE[f"page {first}"], cited
        assert words.split("\n")[-1] in ON_PAGE[f"page {last or first}"], cited


def test_in_the_answers_of_the_api(world: World, document_id: str) -> None:
    account = world.a

    def get(path: str) -> Any:
        answer = world.http.get(account.space + path, headers=account.bearer("read"))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(path: str, **body: object) -> Any:
        answer = world.http.post(account.space + path, headers=account.bearer("read"), json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    nodes = get("/graph/nodes?q=Wilma+Stark&limit=5")["items"]
    node = nodes[0]["id"]
    assert_placed(get(f"/graph/nodes/{node}"), document_id)
    assert_placed(get(f"/graph/nodes/{node}/mentions"), document_id)
    assert_placed(get(f"/graph/edges?node_id={node}"), document_id)
    assert_placed(get(f"/graph/neighborhood/{node}"), document_id)
    assert_placed(post("/graph/explain", **{"from": "Wilma Stark", "to": "Cormorant Shipping"}), document_id)
    assert_placed(post("/graph/explain", **{"from": "Wilma Stark", "to": "Narvik"}), document_id)
    assert_placed(post("/retrieve", query="Who founded Cormorant Shipping?"), document_id)
    assert_placed(post("/ask", question="Who founded Cormorant Shipping?"), document_id)


def test_in_the_answers_of_tools(url: str, world: World, document_id: str) -> None:
    key, space = world.a.keys["read"], space_of(world.a)
    found = call(url, key, "explain", space=space, **{"from": "Wilma Stark", "to": "Cormorant Shipping"})
    assert_placed(found, document_id)
    assert_placed(call(url, key, "neighborhood", space=space, node="Wilma Stark"), document_id)
    assert_placed(call(url, key, "ask", space=space, question="Who founded Cormorant Shipping?"), document_id)
    passages = call(url, key, "retrieve", space=space, query="Who founded Cormorant Shipping?")["passages"]
    places = {passage["place"] for passage in passages if passage["document_id"] == document_id}
    assert places == {"pages 1 to 4"}
    chunk_id = found["citations"][0]["chunk_id"]
    assert call(url, key, "read_passage", space=space, chunk_id=chunk_id)["place"] == "pages 1 to 4"
