"""A name of a question is known where a node bears it, be it among titles and other words (10.3)."""

from collections.abc import Callable

import pytest

from app.db.database import Database
from app.graph import service as graph
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

TEXTS = (
    "Edwin J. Pettus founded Kestrel Freight. Kestrel Freight owns Lapland Ferries.",
    "Northern Railways uses Depot Nine. Bank of Ostland is located in New Umber. The spring is wet there.",
)


@pytest.fixture
def unknown(database: Database, settings: Settings, home: Home) -> Callable[[str], tuple[str, ...]]:
    """The unknown names of a question to a small library."""
    ingest_now(database, settings, home, [text(source_text) for source_text in TEXTS])

    def read(question: str) -> tuple[str, ...]:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return graph.find_anchors_in_question(space, question).unknown_names

    return read


@pytest.mark.parametrize(
    "question",
    [
        "What did Senator Pettus found?",
        "What does the Ostlandic Lapland Ferries own?",
        "Who runs Northern Railways Depot Nine?",
        "What does the Umber-based Kestrel Freight own?",
        "What did the Director of Kestrel Freight found?",
        "What did Mr. Pettus found in Q3 2021?",
        "Who owned Kestrel Freight in Spring 2019?",
    ],
)
def test_words_around_a_known_name_make_no_unknown_one(
    unknown: Callable[[str], tuple[str, ...]], question: str
) -> None:
    assert unknown(question) == ()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What did Miriam Pettus found?", "Miriam Pettus"),
        ("Who led the Bank of New Umber?", "Bank of New Umber"),
        ("Who owns Kestrel Bank?", "Kestrel Bank"),
        ("What did Senator Quint found?", "Senator Quint"),
        ("Who runs Northern Railways Depot 9?", "Northern Railways Depot 9"),
    ],
)
def test_a_part_that_is_known_makes_no_name_known(
    unknown: Callable[[str], tuple[str, ...]], question: str, name: str
) -> None:
    assert unknown(question) == (name,)
