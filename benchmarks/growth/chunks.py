"""Figures of one space of so many chunks beside small ones: whole questions, and the search in vectors."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial

import numpy as np

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.vectors.maintenance import maintain_vectors
from app.ids import SpaceId, TenantId
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, Strategy
from app.settings import Settings
from benchmarks.data.retrieval import Filled
from benchmarks.data.spaces import generate
from benchmarks.growth.calls import CallCosts, opened
from benchmarks.growth.figures import Figure
from benchmarks.place import server
from benchmarks.retrieval.latency import Given, questions
from benchmarks.retrieval.vectors import measure

QUESTIONS, SEARCHES, WARM = 80, 200, 20
BESIDE, BESIDE_CHUNKS = 20, 300


def figures_of_chunks(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """The figures at each number of chunks, each on a server of its own, vectors in their partitions."""
    for chunks in sizes:
        with server(None) as url:
            migrate(url)
            filled = generate(
                convert_to_conninfo(convert_to_psycopg_url(url)),
                chunks=chunks,
                small_spaces=BESIDE,
                small_chunks=BESIDE_CHUNKS,
                seed=1,
            ).large
            with opened(url) as database:
                maintain_vectors(database, url, threshold=Settings().vector_index_chunks)
            yield chunks, figures_of_space(url, filled)


def figures_of_space(url: str, filled: Filled) -> list[Figure]:
    """Retrieval by each strategy, then the near chunks of vectors close to chunks."""
    home = TenantId(filled.tenant_id), SpaceId(filled.space_id)
    asked = questions(filled, QUESTIONS + WARM, seed=3)
    with opened(url) as database, closing(CallCosts(url, database, home)) as costs:
        figures: list[Figure] = []
        for strategy in (Strategy.HYBRID, Strategy.KNOWLEDGE_ONLY, Strategy.GRAPH_ONLY):
            retriever = Retriever(database, Given(asked), Settings())
            for question in asked[:WARM]:
                retriever.retrieve_and_record_recalls(*home, Query(question.text, strategy))
            figures += costs.by_itself(
                f"retrieve, {strategy.value}",
                [
                    partial(retriever.retrieve_and_record_recalls, *home, Query(question.text, strategy))
                    for question in asked[WARM:]
                ],
            )
        recall, spent = measure(database, filled, SEARCHES, 1)
    walls, owns, backends = np.array(spent).T
    return [
        *figures,
        *(Figure(f"near vectors: recall@{k}", "", share) for k, share in recall.items()),
        Figure("near vectors: p50", "ms", float(np.median(walls))),
        Figure("near vectors: Python", "ms of processor", float(np.median(owns))),
        Figure("near vectors: Postgres", "ms of processor", float(np.median(backends))),
    ]
