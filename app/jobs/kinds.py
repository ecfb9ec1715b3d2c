"""The kinds of background work. A kind is a stable string that outlives renames in the code."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

# The newest form of arguments that this code understands; it leaves newer jobs to newer workers.
SCHEMA_VERSION = 1


class JobKind(Protocol):
    """The interface of every kind: its stable name, and arguments of ids and flags only."""

    kind: ClassVar[str]

    def arguments(self) -> dict[str, Any]:
        """The arguments as they are stored."""
        ...


@dataclass(frozen=True)
class IngestDocuments:
    """Read, chunk and extract the documents whose `job_id` is this job."""

    kind: ClassVar[str] = "ingest.documents"

    def arguments(self) -> dict[str, Any]:
        """None: the documents point to the job."""
        return {}


@dataclass(frozen=True)
class TryExtraction:
    """Read a sample of chunks by another model, or by other settings, and keep what it says beside the graph.

    `model` None means that of the space.
    """

    kind: ClassVar[str] = "extraction.try"
    model: str | None
    settings: Mapping[str, Any]
    chunks: int

    def arguments(self) -> dict[str, Any]:
        """All of it: whoever tries the job again reads the same sample in the same way."""
        return {"model": self.model, "settings": dict(self.settings), "chunks": self.chunks}


@dataclass(frozen=True)
class RereadDocuments:
    """Read the documents of the space again as a trial did, and put that in the place of what was read.

    `model` None means that of the space. With `gate`, the run of golden questions to compare with, the space
    takes model and settings over only once the questions are answered no worse by documents so read.
    """

    kind: ClassVar[str] = "extraction.reread"
    model: str | None
    settings: Mapping[str, Any]
    gate: str | None

    def arguments(self) -> dict[str, Any]:
        """All of it: whoever goes on reads in the same way."""
        return {"model": self.model, "settings": dict(self.settings), "gate": self.gate}


@dataclass(frozen=True)
class AskGolden:
    """Ask the golden questions of the space, with these of its settings changed, and keep the outcomes."""

    kind: ClassVar[str] = "golden.ask"
    settings: Mapping[str, Any]

    def arguments(self) -> dict[str, Any]:
        """The settings: whoever tries again asks in the same way."""
        return {"settings": dict(self.settings)}


@dataclass(frozen=True)
class DetectCommunities:
    """Find the communities of the space's graph, and report on those that changed."""

    kind: ClassVar[str] = "communities.detect"

    def arguments(self) -> dict[str, Any]:
        """None: the space's settings say how."""
        return {}


@dataclass(frozen=True)
class RefreshSummaries:
    """Look at the nodes whose facts changed, and write the summaries that the gate wants written anew."""

    kind: ClassVar[str] = "summaries.refresh"

    def arguments(self) -> dict[str, Any]:
        """None: the changed nodes are noted in the space."""
        return {}


@dataclass(frozen=True)
class EvictChunks:
    """Give up the chunks that the space's policy no longer keeps (requirement 12.2)."""

    kind: ClassVar[str] = "memory.evict"
    including_last_evidence: bool | None = None

    def arguments(self) -> dict[str, Any]:
        """Say whether the last evidence of an edge may go, where asked; else the space's settings decide."""
        choice = self.including_last_evidence
        return {} if choice is None else {"including_last_evidence": choice}


@dataclass(frozen=True)
class DeleteSpace:
    """Remove what a closed space owns, batch by batch, and then the space itself."""

    kind: ClassVar[str] = "spaces.delete"

    def arguments(self) -> dict[str, Any]:
        """None: the job belongs to the space."""
        return {}


@dataclass(frozen=True)
class ChangeEmbedding:
    """Give the space vectors of another model, in a set of their own, and then change over to it (requirement
    9.2).
    """

    kind: ClassVar[str] = "embedding.change"
    model: str
    dimensions: int
    vector_set: int

    def arguments(self) -> dict[str, Any]:
        """The model, the length of its vectors and the set: whoever tries again goes on with the same one."""
        return asdict(self)


@dataclass(frozen=True)
class ClearVectors:
    """Remove the vectors of sets that the space neither compares with nor will."""

    kind: ClassVar[str] = "embedding.clear"

    def arguments(self) -> dict[str, Any]:
        """None: the space and its jobs say which sets are wanted."""
        return {}


# Tried until they are done, whatever happens: nobody can ask again for what nobody finds.
UNTIL_DONE = frozenset({DeleteSpace.kind})
