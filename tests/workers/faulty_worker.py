"""The worker as it is shipped, with two ways to die: at a named step once, and on reading a poison document.

FAIL_AT names the step; FAIL_FILE arms it: who removes the file kills itself, so that it happens once.
"""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.llm.embedding.hashed import HashedEmbedder
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from tests.support.ingest import FixedExtractors
from workers.main import run_workers


class Deadly(RulesExtractor):
    """Kills its process on a chunk that begins with POISON, as a bug in a parser might."""

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """As the rules do, unless one chunk is poison."""
        if any(chunk.text.startswith("POISON") for chunk in chunks):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().extract_entities(chunks, vocabulary)


def checkpoint(step: str) -> None:
    """Die here if this is the step and the file is still there."""
    if step == os.environ["FAIL_AT"]:
        try:
            Path(os.environ["FAIL_FILE"]).unlink()
        except FileNotFoundError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


def assemble(settings: Settings) -> Citegraph:
    """The usual parts with the deadly extractor."""
    parts = build_citegraph(settings)
    parts.extractors = FixedExtractors(Deadly(), HashedEmbedder())
    return parts


if __name__ == "__main__":
    run_workers(Settings(), assemble=assemble, checkpoint=checkpoint)
