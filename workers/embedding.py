"""The embedding family of jobs: which handler runs which kind."""

from collections.abc import Callable

from app.embedding_change.job import ReembedTools, change_embedding, clear_vectors
from app.jobs.kinds import ChangeEmbedding, ClearVectors
from app.jobs.queue import JobRun
from app.llm.embedding.embedders import Embedders
from app.settings import Settings


def handlers(
    settings: Settings,
    embedders: Embedders,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = ReembedTools(settings, embedders, stop_requested, checkpoint)
    return {
        ChangeEmbedding.kind: lambda run: change_embedding(run, tools),
        ClearVectors.kind: lambda run: clear_vectors(run, tools),
    }
