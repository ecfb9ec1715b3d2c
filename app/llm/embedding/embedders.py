"""Which embedder reads a space: the one by whose model the space's vectors were made."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from app.errors import CitegraphError, ConfigurationError, InvalidInput
from app.ids import TenantId
from app.llm.answers import MemoryAnswers, Meter
from app.llm.client import ModelClient
from app.llm.embedding import minilm
from app.llm.embedding.embedder import OpenAIEmbedder
from app.llm.embedding.hashed import HashedEmbedder


class Embedder(Protocol):
    """Turns texts into vectors of one fixed length, normalised to 1."""

    model: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector per text, in order: shape (len(texts), dimensions)."""
        ...


class EmbedderMissing(CitegraphError):
    """The space's embedding model is not at hand in this process."""

    status = 503
    code = "embedder_missing"

    def __init__(self, model: str) -> None:
        super().__init__(f"The embedding model {model} is not set up here.")


class ModelNotOffered(InvalidInput):
    """The operator does not offer that embedding model to spaces."""

    code = "model_not_offered"

    def __init__(self, offered: Iterable[str]) -> None:
        super().__init__(
            f"That embedding model is not offered here. There are: {', '.join(sorted(offered))}."
        )


class Embedders:
    """Embedders by the name of their model. Local ones are made once; a server's are made per tenant."""

    def __init__(
        self,
        client: ModelClient | None = None,
        *,
        model: str | None = None,
        dimensions: int = 256,
        offered: Mapping[str, int] | None = None,
    ) -> None:
        """`model` and `dimensions` are those of new spaces; None means hashed n-grams, without a server.

        `offered` are other models of the server that a space may choose, with the length of their vectors.
        Raises ConfigurationError for a model that is neither local nor behind a server.
        """
        hashed = HashedEmbedder()
        self._client = client
        self._making = threading.Lock()
        self._local: dict[str, Embedder] = {hashed.model: hashed}
        self.model = model or hashed.model
        if self.model == minilm.MODEL:
            self._local[minilm.MODEL] = minilm.MiniLMEmbedder()
        local = self._local.get(self.model)
        if local is None and client is None:
            raise ConfigurationError(
                f"CITEGRAPH_EMBEDDING_MODEL={self.model} needs OPENAI_BASE_URL or OPENAI_API_KEY;"
                f" without a server there are {hashed.model} and {minilm.MODEL}."
            )
        self.dimensions = dimensions if local is None else local.dimensions
        self._offered = {} if client is None else dict(offered or {})
        if local is None:
            self._offered[self.model] = dimensions

    @property
    def choices(self) -> list[str]:
        """The models that a space may choose, those that run here among them."""
        return sorted({*self._offered, *self._local, minilm.MODEL})

    def offered(self, model: str) -> int:
        """The length of the vectors of a model that a space may choose: one that runs here or that is listed.

        What spaces have already goes on being read, whatever is offered. Raises ModelNotOffered, and
        EmbedderMissing for a model that could run here and is not installed.
        """
        local = self._local.get(model) or self._made_later(model)
        if local is not None:
            return local.dimensions
        if model not in self._offered:
            raise ModelNotOffered(self.choices)
        return self._offered[model]

    def unpriced(self, model: str) -> str | None:
        """The model, if it is a server's and nobody said what it costs; else None."""
        is_local = model in self._local or runs_here(model)
        return None if is_local or self._client is None else self._client.unpriced(model)

    def _made_later(self, model: str) -> Embedder | None:
        """The local model that not every installation has, once a space wants it. Raises EmbedderMissing."""
        if model != minilm.MODEL:
            return None
        with self._making:
            try:
                return self._local.get(model) or self._local.setdefault(model, minilm.MiniLMEmbedder())
            except ConfigurationError as error:
                raise EmbedderMissing(model) from error

    def named(
        self,
        model: str,
        dimensions: int,
        tenant_id: TenantId,
        *,
        meter: Callable[[], Meter] = MemoryAnswers,
    ) -> Embedder:
        """The embedder of a space whose vectors that model made. Raises EmbedderMissing.

        `meter` is called for a model of the server alone: what runs here costs nothing.
        """
        local = self._local.get(model) or self._made_later(model)
        if local is not None:
            return local
        if self._client is None:
            raise EmbedderMissing(model)
        return OpenAIEmbedder(
            self._client, model=model, dimensions=dimensions, tenant_id=tenant_id, meter=meter()
        )


def runs_here(model: str) -> bool:
    """Return whether that embedding model runs in this process, for nothing."""
    return model in (HashedEmbedder().model, minilm.MODEL)
