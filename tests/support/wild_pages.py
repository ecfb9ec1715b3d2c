"""Reads pages and conversations of packs by rules, one by one, and says what each took.

    python -m tests.support.wild_pages PACK.json.gz [PACK.json.gz …]

A pack has `documents`, each with a title and a text in Markdown, or `sets` of `passages`: turns of one
conversation, read as a conversation and as one page. Tests take the paths from CITEGRAPH_WILD_PAGES, parted
as those of PATH are. Nothing of a pack is kept.
"""

import gzip
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.extraction.vocabulary import DEFAULT_VOCABULARY
from tests.support.rules_reading import assert_whole, processor_seconds, read_by_rules

PACKS = "CITEGRAPH_WILD_PAGES"
LONGEST_SECONDS = 5.0
"""What one page may take of a processor (requirement 18.1)."""
_HANGS = 60


@dataclass(frozen=True)
class Page:
    """One document of a pack."""

    id: str
    title: str
    text: str
    format: str


@dataclass(frozen=True)
class PageTime:
    """What reading one page took, and the trace of what it raised."""

    page: Page
    seconds: float
    chunks: int = 0
    names: int = 0
    relations: int = 0
    error: str = ""

    def line(self) -> str:
        """The numbers of the page in one line."""
        return (
            f"{self.seconds:7.2f} s {len(self.page.text):9,} characters {self.chunks:5} chunks"
            f" {self.names:6} names {self.relations:5} relations  {self.page.id} ({self.page.format})"
        )


def given_packs() -> list[Path]:
    """The packs that the environment names."""
    return [Path(name) for name in os.environ.get(PACKS, "").split(os.pathsep) if name]


def pages_of(path: Path) -> Iterator[Page]:
    """The pages of a pack, and of each of its conversations two forms."""
    pack: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    for document in pack.get("documents", ()):
        yield Page(document["id"], document["title"], document["text"], "markdown")
    for conversation in pack.get("sets", ()):
        turns = conversation.get("passages") or conversation["documents"]
        name = conversation.get("name") or conversation["language"]
        spoken = json.dumps({"turns": [{"text": turn["text"]} for turn in turns]})
        written = "\n\n".join(f"## {turn['title']}\n\n{turn['text']}" for turn in turns)
        yield Page(f"{name} spoken", name, spoken, "conversation")
        yield Page(f"{name} written", name, written, "markdown")


def read_page(page: Page) -> PageTime:
    """Read one page and look at the result; whatever goes wrong is noted with its trace."""
    begun = time.process_time()
    try:
        with processor_seconds(_HANGS):
            reading = read_by_rules(
                page.text.encode(), page.format, page.title, vocabulary=DEFAULT_VOCABULARY
            )
        seconds = time.process_time() - begun
        assert_whole(reading)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return PageTime(page, time.process_time() - begun, error=traceback.format_exc())
    return PageTime(
        page,
        seconds,
        len(reading.drafts),
        sum(map(len, reading.entities)),
        sum(map(len, reading.relations)),
    )


def report(times: Sequence[PageTime]) -> str:
    """How many pages were read, what they took, the slowest, and what went wrong."""
    if not times:
        return "no pages"
    seconds = sorted(reading.seconds for reading in times)
    shares = {
        share: seconds[min(len(seconds) - 1, len(seconds) * share // 100)] for share in (50, 90, 99, 100)
    }
    characters = sum(len(reading.page.text) for reading in times)
    failed = [reading for reading in times if reading.error]
    slow = sum(duration > LONGEST_SECONDS for duration in seconds)
    return "\n".join(
        [
            f"{len(times):,} pages of {characters:,} characters in {sum(seconds):.1f} s of processor, "
            f"{len(failed)} failed, {slow} over {LONGEST_SECONDS:.0f} s",
            ", ".join(f"p{share} {value:.3f} s" for share, value in shares.items()),
            *(reading.line() for reading in sorted(times, key=lambda reading: -reading.seconds)[:10]),
            *(f"{reading.page.id}\n{reading.error}" for reading in failed),
        ]
    )


def main(paths: Sequence[str]) -> None:
    times: list[PageTime] = []
    for path in map(Path, paths):
        own = [read_page(page) for page in pages_of(path)]
        print(f"== {path.name}\n{report(own)}", flush=True)
        times += own
    print(f"== all\n{report(times)}")
    sys.exit(any(reading.error or reading.seconds > LONGEST_SECONDS for reading in times))


if __name__ == "__main__":
    main(sys.argv[1:])
