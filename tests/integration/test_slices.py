"""Between two looks for a neighbour's job lies bounded work, whatever the text (review A7)."""

import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from app.db.database import Database
from app.documents.shapes import Submission
from app.ingest.job import ingest_documents
from app.ingest.parts import SLICE_CHARACTERS
from app.jobs import queue
from app.jobs.context import JobContext, Signals
from app.jobs.kinds import IngestDocuments
from app.llm.embedding.hashed import HashedEmbedder
from app.sandbox.process_sandbox import ProcessSandbox
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.culprit_rules import SilentExtractor
from tests.support.ingest import FixedExtractors, submit
from tests.support.reading import get_fork_server

# Two seconds are the bound; a machine may be half as fast as one that keeps it easily.
MOST_SECONDS = 2.0


class Weighing(HashedEmbedder):
    """The usual embedder, which notes how many characters it was given at once."""

    def __init__(self) -> None:
        super().__init__()
        self.characters: list[int] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As always."""
        self.characters.append(sum(map(len, texts)))
        return super().embed(texts)


@pytest.mark.soak
def test_long_chunks_are_stored_in_slices_of_bounded_size(
    database: Database, settings: Settings, home: Home
) -> None:
    """Two megabytes with `chunk_tokens: 2000` were embedded and written in one step of several seconds."""
    spaces.update_space(
        database, home.tenant_id, home.space_id, actor="test", setting_changes={"chunk_tokens": 2_000}
    )
    lines = [f"The harbour of {at} has {at * 7} berths and a crane of {at} tons." for at in range(36_000)]
    body = "\n\n".join(" ".join(lines[at : at + 8]) for at in range(0, len(lines), 8)).encode()
    assert len(body) > 2_000_000
    submit(database, home, Submission(body, "text", "Harbours"))
    with database.open_platform() as platform:
        lease = queue.claim_next_job(
            platform, kinds=[IngestDocuments.kind], worker="test", lease_seconds=3_600
        )
    assert lease is not None
    embedder = Weighing()
    # Processor time of this thread, and steps of embedding, at each look for others.
    looks: list[tuple[float, int]] = []

    def look() -> None:
        looks.append((time.thread_time(), len(embedder.characters)))

    sandbox = ProcessSandbox(memory_bytes=1 << 29, fork_server=get_fork_server())
    run = JobContext(database, lease, settings, Signals(run_waiting_job_of_other_tenant=look))
    look()
    ingest_documents(run, FixedExtractors(SilentExtractor(), embedder, sandbox))
    look()
    assert max(embedder.characters) <= SLICE_CHARACTERS
    assert len(embedder.characters) >= len(body) // SLICE_CHARACTERS
    pairs = list(pairwise(looks))
    assert max(after - before for (_, before), (_, after) in pairs) == 1
    assert max(after - before for (before, _), (after, _) in pairs) < MOST_SECONDS
