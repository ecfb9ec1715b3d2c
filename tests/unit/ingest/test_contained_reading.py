"""A chunk whose process was killed from outside is read once more; one that ends its process is set aside."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest

from app.extraction.chunk_extraction import ChunkEntities
from app.extraction.shapes import ChunkText
from app.ids import ChunkId, DocumentId, create_id
from app.ingest.contained_reading import ChunkReader
from app.sandbox.process_sandbox import Session
from app.sandbox.shapes import Fault, FaultKind

CRASH = Fault(FaultKind.CRASH)


class Killing:
    """A session in which reading each text ends its process so many times."""

    def __init__(self, **crashes: int) -> None:
        self.crashes = Counter(crashes)
        self.read: list[str] = []

    def map(
        self, _read: Callable[..., Any], _context: Any, items: Sequence[tuple[Any, int]], **_: Any
    ) -> Iterator[Any]:
        for argument, _seconds in items:
            chunks = argument if isinstance(argument[0], ChunkText) else [argument[0]]
            chunks = [chunk for chunk in chunks if isinstance(chunk, ChunkText)]
            words = [chunk.text for chunk in chunks]
            self.read += words
            crashing = [word for word in words if self.crashes[word] > 0]
            self.crashes.subtract(crashing)
            yield CRASH if crashing else ChunkEntities(((),) * len(words), ((),) * len(words), Counter())


def read(document: Sequence[str], **crashes: int) -> tuple[list[str], list[str]]:
    """The codes of the chunks that were set aside, and the texts in the order in which they were read."""
    session = Killing(**crashes)
    document_id = DocumentId(create_id())
    chunks = [ChunkText(ChunkId(create_id()), document_id, "Note", text) for text in document]
    reader = ChunkReader(cast("Session", session), chunk_seconds=3, document_seconds=60)
    (found,) = reader.extract_entities(cast("Any", None), [chunks])
    assert len(found.entities) == len(document)
    text_by_id = {chunk.id: chunk.text for chunk in chunks}
    return [f"{text_by_id[failure.chunk_id]} {failure.code}" for failure in reader.failures], session.read


@pytest.mark.parametrize("document", [["one"], ["one", "two"], ["two", "one"], ["one", "two", "three"]])
@pytest.mark.parametrize("times", [1, 2])
def test_a_killed_process_sets_no_chunk_aside(document: list[str], times: int) -> None:
    # The first time all chunks are read together; the second time this one is read alone.
    assert read(document, one=times)[0] == []


@pytest.mark.parametrize("document", [["one"], ["one", "two"], ["two", "one", "three"]])
def test_a_chunk_that_ends_its_process_each_time_is_set_aside_alone(document: list[str]) -> None:
    failures, texts = read(document, one=99)
    assert failures == ["one chunk_crashed"]
    assert texts.count("one") == 3


def test_two_that_were_killed_are_both_read() -> None:
    assert read(["one", "two", "three"], one=2, three=2)[0] == []
