"""Names that a page divides by invisible characters: one node each, found as seen and as pasted."""

from html import unescape

import pytest

from app.answers.service import Answerer
from app.answers.shapes import FinalAnswer, Question
from app.db.database import Database
from app.documents.shapes import Submission
from app.graph import service as graph
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now

PAGES = [
    ("Donau&shy;hafen GmbH", "Regens&shy;burg", "Anna Schmidt&shy;bauer"),
    ("Power&#8203;Wave Ltd", "Ports&#8203;mouth", "Open&#8203;Grid Wells"),
    ("Zero&#8288;Tech Corp", "New&#8288;castle", "Mark Under&#8288;wood"),
    ("Auf&zwnj;lage GmbH", "Dort&zwnj;mund", "Olaf Pf&zwnj;lug"),
    ("Lumi&shy;&#8203;ère Corp", "Be&shy;san&shy;çon", "Hé&shy;lène Car&shy;pen&shy;tier"),
]


def seen(html: str) -> str:
    for mark in ("&shy;", "&#8203;", "&#8288;", "&zwnj;"):
        html = html.replace(mark, "")
    return html


@pytest.mark.parametrize(("firm", "town", "founder"), PAGES)
def test_a_name_is_one_node_and_found(
    database: Database, settings: Settings, home: Home, firm: str, town: str, founder: str
) -> None:
    page = f"<html><body><p>{firm} is located in {town}. {founder} founded {firm} in 1950.</p></body></html>"
    ingest_now(database, settings, home, [Submission(page.encode(), "html", "Firms")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = graph.explain_and_record_recall(space, from_=seen(founder), to=seen(firm))
    assert len(found.paths) == 1
    retriever = Retriever(database, Embedders(), settings)
    answerer = Answerer(database, retriever, None)
    for name in (seen(firm), unescape(firm)):
        *_, answer = answerer.ask(home.tenant_id, home.space_id, Question(f"Who founded {name}?"))
        assert isinstance(answer, FinalAnswer)
        assert answer.sentences[0].text == f"{seen(founder)} founded {seen(firm)} in 1950."
    retriever.close()
