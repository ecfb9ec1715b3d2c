"""How far a reader goes to follow a request: files of this project that it crosses, and moves between them.

    python -m benchmarks paths [--show]

A move is a call of a function in another file; coming back from it is none. Libraries are looked through:
what SQLAlchemy calls back counts as called by whoever called SQLAlchemy. Counted in the second of two
questions, when what is imported and kept at the first is there.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

from app.answers.shapes import Answered, Question
from app.db.migrate import migrate
from app.documents import service as documents
from app.documents.shapes import DocumentFormat, Submission
from app.graph import service as graph
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.wiring import connect
from benchmarks.place import new_space
from workers.kinds import handlers
from workers.runner import Runner

PROJECT = Path(__file__).resolve().parents[1]
CORPUS = PROJECT / "examples" / "corpus"
OURS = str(PROJECT / "app") + "/"
TARGETS = {"ask without a model": (45, 500), "explain": (20, 220)}
FIRST = "Which founder of Sybase had worked on Ingres?"
SECOND = "Who created the language on which QUEL was based?"


@dataclass
class Followed:
    """The files that a call went through, and the moves from one to another."""

    files: set[str] = field(default_factory=set)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)

    def enter(self, frame: FrameType) -> None:
        """Note that the frame's function was called."""
        here = place(frame.f_code)
        if here is None:
            return
        self.files.add(here)
        caller = frame.f_back
        while caller is not None and place(caller.f_code) is None:
            caller = caller.f_back
        there = None if caller is None else place(caller.f_code)
        if there is not None and there != here:
            self.moves[there, here] += 1


def place(code: CodeType) -> str | None:
    """The file of the project that holds the code; None for a library's."""
    return code.co_filename.removeprefix(OURS) if code.co_filename.startswith(OURS) else None


@contextmanager
def following() -> Iterator[Followed]:
    """Follow what this thread calls."""
    followed = Followed()

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            followed.enter(frame)

    sys.setprofile(profile)
    try:
        yield followed
    finally:
        sys.setprofile(None)


def corpus() -> list[Submission]:
    """The example corpus, as `citegraph ingest` hands it in."""
    formats = {".md": DocumentFormat.MARKDOWN, ".html": DocumentFormat.HTML, ".txt": DocumentFormat.TEXT}
    return [
        Submission(path.read_bytes(), formats[path.suffix], path.name)
        for path in sorted(CORPUS.iterdir())
        if path.suffix in formats
    ]


def follow(settings: Settings) -> dict[str, Followed]:
    """For each request of TARGETS what its second question crosses, in a space with the example corpus."""
    parts = connect(settings)
    where = new_space(parts.database, "paths")
    with parts.database.open_space(*where) as space:
        documents.submit(space, corpus())
    Runner(parts.database, settings, handlers(parts)).drain()

    def ask(text: str) -> None:
        *_, last = parts.answerer.ask(*where, Question(text))
        assert isinstance(last, Answered)

    def explain(text: str) -> None:
        with parts.database.open_space(*where) as space:
            graph.explain(space, question=text)

    found = {}
    for label, request in zip(TARGETS, (ask, explain), strict=True):
        request(FIRST)
        with following() as found[label]:
            request(SECOND)
    parts.close()
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Take the example corpus in by rules, then ask and explain."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks paths",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--show", action="store_true", help="print every move, the most frequent first")
    options = parser.parse_args(argv)
    with (
        TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=False, keep=False) as servers,
    ):
        migrate(servers.postgres.url())
        found = follow(
            Settings(
                database_url=servers.postgres.url(user="citegraph_app"),
                redis_url="redis://127.0.0.1:1",
                home=Path(home),
            )
        )
    for label, (files, moves) in TARGETS.items():
        followed = found[label]
        print(
            f"{label}: {len(followed.files)} files (target {files}),"
            f" {followed.moves.total()} moves between files (target {moves})"
        )
        if options.show:
            print("  " + " ".join(sorted(followed.files)))
            for (start, end), count in followed.moves.most_common():
                print(f"  {count:4} {start} → {end}")
