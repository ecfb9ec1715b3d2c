"""The kinds of background work; `workers/handlers.py` has the handler of each.

A kind is a stable string that does not change when code is renamed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

from app.ids import ChunkId

# The newest version of arguments that this code understands; newer jobs are left to newer workers.
SCHEMA_VERSION = 1


class JobKind(Protocol):
    """The interface of every kind: its stable name, and arguments that are ids and flags only."""

    kind: ClassVar[str]

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as they are stored."""
        ...


@dataclass(frozen=True)
class IngestDocuments:
    """Read, chunk and extract the documents whose `job_id` is this job."""

    kind: ClassVar[str] = "ingest.documents"

    def arguments(self) -> dict[str, Any]:
        """Return no arguments: the documents refer to the job."""
        return {}


@dataclass(frozen=True)
class TryExtraction:
    """Extract a sample of chunks with another model or other settings, and store the result beside the graph.

    A `model` of None means that of the space.
    """

    kind: ClassVar[str] = "extraction.try"
    model: str | None
    settings: Mapping[str, Any]
    chunks: int

    def arguments(self) -> dict[str, Any]:
        """Return all fields, so that a retry reads the same sample in the same way."""
        return {"model": self.model, "settings": dict(self.settings), "chunks": self.chunks}


@dataclass(frozen=True)
class RereadDocuments:
    """Read the space's documents again as a trial did, and replace what was read before.

    A `model` of None means that of the space. `gate` is the run of golden questions to compare with: the
    space adopts model and settings only if the documents read in this way answer the questions no worse.
    """

    kind: ClassVar[str] = "extraction.reread"
    model: str | None
    settings: Mapping[str, Any]
    gate: str | None

    def arguments(self) -> dict[str, Any]:
        """Return all fields, so that a later attempt reads in the same way."""
        return {"model": self.model, "settings": dict(self.settings), "gate": self.gate}


@dataclass(frozen=True)
class RereadChunks:
    """Read these chunks again, because names in them no longer belong to the node that they were given to."""

    kind: ClassVar[str] = "chunks.reread"
    chunks: Sequence[ChunkId]

    def arguments(self) -> dict[str, Any]:
        """Return the ids, so that a retry reads the same chunks."""
        return {"chunks": [str(chunk_id) for chunk_id in self.chunks]}


@dataclass(frozen=True)
class AskGolden:
    """Ask the golden questions of the space, with some settings changed, and store the outcomes."""

    kind: ClassVar[str] = "golden.ask"
    settings: Mapping[str, Any]

    def arguments(self) -> dict[str, Any]:
        """Return the settings, so that a retry asks in the same way."""
        return {"settings": dict(self.settings)}


@dataclass(frozen=True)
class BeginClaims:
    """Let the claims hold whose stated beginning has come, and end those whose end has."""

    kind: ClassVar[str] = "claims.begin"

    def arguments(self) -> dict[str, Any]:
        """None: the claims themselves say when they begin and end."""
        return {}


@dataclass(frozen=True)
class DetectCommunities:
    """Find the communities of the space's graph, and report on those that changed."""

    kind: ClassVar[str] = "communities.detect"

    def arguments(self) -> dict[str, Any]:
        """Return no arguments: the space's settings apply."""
        return {}


@dataclass(frozen=True)
class RefreshSummaries:
    """Check the nodes whose facts changed, and rewrite the summaries that the gate selects."""

    kind: ClassVar[str] = "summaries.refresh"

    def arguments(self) -> dict[str, Any]:
        """Return no arguments: the space has the list of changed nodes."""
        return {}


@dataclass(frozen=True)
class EvictChunks:
    """Evict the chunks that the space's policy no longer keeps (requirement 12.2)."""

    kind: ClassVar[str] = "memory.evict"
    including_last_evidence: bool | None = None

    def arguments(self) -> dict[str, Any]:
        """Return whether the last evidence of an edge may go, if that was chosen; otherwise the space's
        settings apply.
        """
        choice = self.including_last_evidence
        return {} if choice is None else {"including_last_evidence": choice}


@dataclass(frozen=True)
class DeleteSpace:
    """Remove the rows of a closed space, batch by batch, and then the space itself."""

    kind: ClassVar[str] = "spaces.delete"

    def arguments(self) -> dict[str, Any]:
        """Return no arguments: the job belongs to the space."""
        return {}


@dataclass(frozen=True)
class ChangeEmbedding:
    """Embed the space with another model into a new vector set, and then switch to it (requirement 9.2)."""

    kind: ClassVar[str] = "embedding.change"
    model: str
    dimensions: int
    vector_set: int

    def arguments(self) -> dict[str, Any]:
        """Return the model, the length of its vectors and the set, so that a retry continues with the same
        set.
        """
        return asdict(self)


@dataclass(frozen=True)
class ClearVectors:
    """Remove vector sets that the space neither uses nor will use."""

    kind: ClassVar[str] = "embedding.clear"

    def arguments(self) -> dict[str, Any]:
        """Return no arguments: the space and its jobs determine which sets are needed."""
        return {}


# Retried until done, whatever happens: nobody can ask again to delete a space that nobody can find.
UNTIL_DONE = frozenset({DeleteSpace.kind})
