"""Times retrieval and each of its statements in one large space beside many small ones.

`python -m benchmarks retrieval [--url postgresql://…] [--chunks 100000]`. The URL is a superuser's of an
empty database; without one an embedded server is made and thrown away. The question's vector is given: the
time of embedding it is not in these numbers.
"""

import argparse
import contextlib
import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.session import OpenSession, SpaceSession
from app.db.sql import Pending
from app.db.vectors.maintenance import maintain_vectors
from app.ids import SpaceId, TenantId
from app.llm.embedding.embedders import Embedders
from app.retrieval import repository, seeds, subgraph_ranking
from app.retrieval.seeds import Seeds
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, Strategy
from app.settings import Settings
from app.wiring import open_database
from benchmarks.data.retrieval import Filled, Floats, unit
from benchmarks.data.spaces import generate
from benchmarks.place import server

STRATEGIES = (Strategy.HYBRID, Strategy.KNOWLEDGE_ONLY, Strategy.GRAPH_ONLY)


@dataclass(frozen=True)
class Question:
    """A question, its vector, which lies near that of the chunk it was made from, and whether it names a
    node.
    """

    text: str
    vector: Floats
    names: bool


class Given(Embedders):
    """Embedders that know the vectors of the questions beforehand."""

    def __init__(self, questions: Sequence[Question]) -> None:
        super().__init__()
        self._known = {question.text: question.vector for question in questions}

    def get_embedder(self, *_: object, **__: object) -> Any:
        """Itself, whatever the model."""
        return self

    def embed(self, texts: Sequence[str]) -> Floats:
        """The vectors of these questions."""
        return np.array([self._known[text] for text in texts], np.float32)


def questions(filled: Filled, count: int, seed: int) -> list[Question]:
    """Half name two nodes, a quarter one, an eighth one of the largest hubs, and the rest none."""
    random = np.random.default_rng(seed)
    made = []
    for place, chunk in enumerate(random.integers(0, len(filled.texts), count).tolist()):
        first, second = filled.named[chunk]
        words = [word for word in filled.texts[chunk].split() if word.islower()]
        asked = " ".join(words[number] for number in random.integers(0, len(words), 3))
        kind = place % 8
        if kind < 4:
            text = f"How does {first} relate to {second} when {asked}?"
        elif kind < 6:
            text = f"What {asked} did {first} cause in {place}?"
        elif kind == 6:
            text = f"What {asked} does {filled.hubs[place // 8 % 5]} own in {place}?"
        else:
            text = f"which {asked} were there before {place}?"
        near = filled.vectors[chunk][None] + 0.03 * random.standard_normal((1, filled.vectors.shape[1]))
        made.append(Question(text, unit(near)[0], kind < 7))
    return made


class Meter:
    """Milliseconds that calls take: by the wall, and of the processors of this process and of its backend.

    Where the kernel does not tell of the backend (another machine, another user) its part is missing.
    """

    def __init__(self, space: OpenSession) -> None:
        self._backend = Path(f"/proc/{space.connection.info.backend_pid}/schedstat")

    def now(self) -> tuple[float, float, float]:
        """Wall, own processor time, and the backend's, in milliseconds since some moment."""
        try:
            backend = int(self._backend.read_text().split()[0]) / 1e6
        except OSError:
            backend = float("nan")
        return time.perf_counter() * 1e3, time.process_time() * 1e3, backend

    def of(self, call: Callable[[], object]) -> tuple[float, float, float]:
        """What one call took."""
        before = self.now()
        call()
        return tuple(after - start for after, start in zip(self.now(), before, strict=True))  # type: ignore[return-value]


@contextlib.contextmanager
def listening(spent: dict[str, list[tuple[float, float, float]]]) -> Iterator[None]:
    """Adds what every named statement takes to its list meanwhile; each is waited for before the next is
    sent.
    """
    original, together = OpenSession.send, OpenSession.pipelined

    def send(
        self: OpenSession, statement_name: str, *arguments: Any, **options: Any
    ) -> Pending[list[tuple[Any, ...]]]:
        rows: list[tuple[Any, ...]] = []
        spent.setdefault(statement_name, []).append(
            Meter(self).of(
                lambda: rows.extend(original(self, statement_name, *arguments, **options).result())
            )
        )
        return Pending.completed(rows)

    OpenSession.send = send  # type: ignore[method-assign]
    OpenSession.pipelined = lambda _self: contextlib.nullcontext()  # type: ignore[method-assign,assignment,return-value]
    try:
        yield
    finally:
        OpenSession.send, OpenSession.pipelined = original, together  # type: ignore[method-assign]


def show(label: str, spent: Sequence[tuple[float, float, float]]) -> None:
    """One line: median and 95th percentile by the wall, medians of processor time, and how many calls."""
    walls, owns, backends = np.array(spent).T
    print(f"{label:<44} p50 {np.median(walls):>8.2f} ms  p95 {np.quantile(walls, 0.95):>8.2f}"
          f"   processor: Python {np.median(owns):>6.2f}  Postgres {np.median(backends):>6.2f}"
          f"   p95 of both {np.quantile(owns + backends, 0.95):>6.2f}   {len(spent)} calls", flush=True)  # fmt: skip  # noqa: E501


def measure(database: Database, filled: Filled, label: str, count: int) -> None:
    """Print every number for one space; a quarter of the questions only warms it."""
    # What was generated is this program's and none of the product's: its collector shall not go through it.
    gc.freeze()
    asked = questions(filled, count + count // 4, seed=3)
    warm, timed_questions = asked[: count // 4], asked[count // 4 :]
    home = TenantId(filled.tenant_id), SpaceId(filled.space_id)
    print(f"\n{label}: {len(filled.texts):,} chunks, {filled.nodes:,} nodes, {filled.mentions:,} mentions,"
          f" {filled.edges:,} edges; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")  # fmt: skip
    for strategy in STRATEGIES:
        retriever = Retriever(database, Given(asked), Settings())
        for question in warm:
            retriever.retrieve_and_record_recalls(*home, Query(question.text, strategy))
        statements: dict[str, list[tuple[float, float, float]]] = {}
        with database.open_space(*home) as space:
            # The pool hands out the connection that was given back last: this one.
            meter = Meter(space)
        calls = [
            partial(retriever.retrieve_and_record_recalls, *home, Query(timed_question.text, strategy))
            for timed_question in timed_questions
        ]
        show(f"retrieve, {strategy.value}", [meter.of(call) for call in calls])
        if strategy is Strategy.HYBRID:
            with listening(statements):
                for call in calls:
                    call()
            for name, spent in sorted(statements.items()):
                show(f"    {name}", spent)
    parts(database, filled, timed_questions)


def parts(database: Database, filled: Filled, asked: Sequence[Question]) -> None:
    """Each channel by itself, as its callers call it."""
    home = TenantId(filled.tenant_id), SpaceId(filled.space_id)
    with database.open_space(*home) as space:
        meter = Meter(space)
        ways: dict[str, Callable[[Question], object]] = {
            "anchors by name": lambda question: seeds.find_anchors_with_fallbacks(space, question.text, question.vector),  # noqa: E501
            "words": lambda question: repository.find_chunks_by_words(space, question.text, question.vector, limit=seeds.CANDIDATES_PER_CHANNEL),  # noqa: E501
            "vectors": lambda question: repository.find_nearest_chunks(space, question.vector, limit=seeds.CANDIDATES_PER_CHANNEL),  # noqa: E501
        }  # fmt: skip
        for name, way in ways.items():
            named = [question for question in asked if name != "anchors by name" or question.names]
            show(f"  {name}", [meter.of(partial(way, question)) for question in named])
    known = [question for question in asked if question.names]
    with database.open_space(*home) as space:
        entered = [
            Seeds(seeds.find_anchors_with_fallbacks(space, question.text, question.vector),
                  *seeds.find_seed_chunks(space, question.text, question.vector))
            for question in known
        ]  # fmt: skip
        show("  walk: spread, subgraph, rank", [
            meter.of(partial(walked, space, question, found))
            for question, found in zip(known, entered, strict=True)
        ])  # fmt: skip


def walked(space: SpaceSession, asked: Question, found: Seeds) -> object:
    """The walk from these seeds, its statements sent together as retrieval does."""
    with space.pipelined():
        return subgraph_ranking.fetch_ranked_chunks(
            space, asked.text, asked.vector, found, as_of=None, is_graph_only=False
        ).result()


def main(argv: Sequence[str] | None = None) -> None:
    """Generate, index, measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="superuser URL of an empty database")
    parser.add_argument("--chunks", type=int, default=100_000, help="chunks of the large space")
    parser.add_argument("--small-spaces", type=int, default=100, help="spaces beside it")
    parser.add_argument("--small-chunks", type=int, default=300, help="chunks of each of those")
    parser.add_argument("--questions", type=int, default=200, help="questions asked of each space")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(server(options.url))
        migrate(url)
        started = time.perf_counter()
        made = generate(
            convert_to_conninfo(convert_to_psycopg_url(url)),
            chunks=options.chunks,
            small_spaces=options.small_spaces,
            small_chunks=options.small_chunks,
            seed=options.seed,
        )
        print(f"{1 + len(made.small)} spaces generated in {time.perf_counter() - started:.0f} s")
        # The statements of a question are timed by asking it again.
        settings = Settings(
            database_url=url, statement_timeout=60.0, allow_privileged_login=True, answer_cache_seconds=0
        )
        database = open_database(url, settings)
        stack.callback(database.dispose)
        started = time.perf_counter()
        for step in maintain_vectors(database, url, threshold=Settings().vector_index_chunks):
            print(step)
        print(f"in {time.perf_counter() - started:.0f} s")
        measure(database, made.large, "The large space", options.questions)
        measure(database, made.small[0], "A small space", options.questions)


if __name__ == "__main__":
    main()
