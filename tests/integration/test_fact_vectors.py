"""Facts are embedded once, right after extraction, and reused everywhere (requirement 6.3)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from app.db.database import Database
from app.derived.summaries.gate import sum_normalised_vectors
from app.derived.summaries.repository import parse_vector
from app.llm.embedding.embedders import Embedders
from app.llm.embedding.hashed import HashedEmbedder
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import make_runner, submit, text
from tests.support.scripted_extractor import Scripted
from tests.support.summaries import refresh_now, rows

FIRST = "[Acme|Organization] created [Rocket|Product].\n[Acme|Organization] owns [Base|Product]."
AGAIN = "[Acme|Organization] created [Rocket|Product].\n[Acme|Organization] uses [Steel|Product]."
FACTS = ("Acme created Rocket", "Acme owns Base", "Acme uses Steel")


class Counting(HashedEmbedder):
    """Knows what it was asked for, and how often."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: Counter[str] = Counter()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.texts.update(texts)
        return super().embed(texts)


@pytest.fixture
def embedder() -> Counting:
    return Counting()


def take_in(database: Database, settings: Settings, home: Home, embedder: Counting, *bodies: str) -> None:
    """One job for all of the bodies."""
    submit(database, home, *(text(body, title=body[:40], source_uri=body) for body in bodies))
    make_runner(database, settings, extractor=Scripted(), embedder=embedder).drain()


def test_6_3_a_fact_is_embedded_once_by_the_job_that_extracts_it(
    database: Database, settings: Settings, home: Home, embedder: Counting
) -> None:
    """Stated by two documents of a job, and by later ones again: of one claim there is one text, paid
    once.
    """
    take_in(database, settings, home, embedder, FIRST, "As is known.\n" + FIRST)
    assert [embedder.texts[fact] for fact in FACTS] == [1, 1, 0]
    take_in(database, settings, home, embedder, AGAIN)
    assert [embedder.texts[fact] for fact in FACTS] == [1, 1, 1]
    edges = rows(
        database, home,
        "SELECT e.relation_type, v.embedding::text FROM graph_edge e LEFT JOIN fact_vector v"
        " ON v.knowledge_space_id = e.knowledge_space_id AND v.edge_id = e.id WHERE e.knowledge_space_id = %s",  # noqa: E501
    )  # fmt: skip
    assert Counter(relation for relation, _ in edges) == {"created": 3, "owns": 2, "uses": 1}
    # Every row of one claim has the one vector of that claim.
    assert len({vector for _, vector in edges}) == 3
    assert None not in {vector for _, vector in edges}


def test_6_3_a_further_document_of_a_known_fact_embeds_no_fact(
    database: Database, settings: Settings, home: Home, embedder: Counting
) -> None:
    take_in(database, settings, home, embedder, FIRST)
    before = embedder.texts.copy()
    again = "Once more.\n" + FIRST
    take_in(database, settings, home, embedder, again)
    assert set(embedder.texts - before) == {again}


def test_6_3_the_gate_and_retrieval_read_the_vectors_of_ingest(
    database: Database, settings: Settings, home: Home, embedder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refresh has no embedder at all, and pools what stands; a question embeds itself and nothing else."""
    take_in(database, settings, home, embedder, FIRST)
    refresh_now(database, settings, home)
    stored = rows(database, home, "SELECT embedding::text FROM fact_vector WHERE knowledge_space_id = %s")
    kept = rows(database, home, "SELECT embedding::text FROM node_summary WHERE knowledge_space_id = %s")
    mean = sum_normalised_vectors(
        [vector for (stored_vector,) in stored if (vector := parse_vector(stored_vector)) is not None]
    )
    pooled = parse_vector(kept[0][0])
    assert mean is not None
    assert pooled is not None
    assert pooled == pytest.approx(mean, abs=1e-3)
    asked: list[str] = []
    original = HashedEmbedder.embed

    def embed(self: HashedEmbedder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        asked.extend(texts)
        return original(self, texts)

    monkeypatch.setattr(HashedEmbedder, "embed", embed)
    retriever = Retriever(database, Embedders(), Settings())
    found = retriever.retrieve_and_record_recalls(
        home.tenant_id, home.space_id, Query("What did Acme create?")
    )
    retriever.close()
    assert len(found.facts) == 2
    assert len(asked) == 1
