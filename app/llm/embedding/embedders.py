"""Which embedder reads a space: the one by whose model the space's vectors were made."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from app.errors import CitegraphError, ConfigurationError, InvalidInput
from app.ids import TenantId
from app.lazy import imported
from app.llm.call_records import InProcessAnswers, Meter
from app.llm.client import ModelClient
from app.llm.embedding.local_models import HASHED, LOCAL, MINILM

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Turns texts into vectors of one fixed length, normalised to 1."""

    model: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One vector per text, in order: shape (len(texts), dimensions)."""
        ...


class EmbedderMissing(CitegraphError):
    """The space's embedding model is not at hand in this process."""

    code = "embedder_missing"

    def __init__(self, model: str) -> None:
        super().__init__(f"The embedding model {model} is not set up here.")


class ModelNotOffered(InvalidInput):
    """The operator does not offer that embedding model to spaces."""

    code = "model_not_offered"

    def __init__(self, offered_models: Iterable[str]) -> None:
        super().__init__(
            f"That embedding model is not offered here. There are: {', '.join(sorted(offered_models))}."
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
        self._client = client
        self._making = threading.Lock()
        self._local: dict[str, Embedder] = {}
        self.model = model or HASHED.name
        if self.model == MINILM.name:
            self._local[MINILM.name] = cast(Embedder, MINILM.create_embedder())
        local = LOCAL.get(self.model)
        if local is None and client is None:
            raise ConfigurationError(
                f"CITEGRAPH_EMBEDDING_MODEL={self.model} needs CITEGRAPH_EMBEDDING_BASE_URL,"
                " OPENAI_BASE_URL or OPENAI_API_KEY;"
                f" without a server there are {HASHED.name} and {MINILM.name}."
            )
        self.dimensions = dimensions if local is None else local.dimensions
        self._offered = {} if client is None else dict(offered or {})
        if local is None:
            self._offered[self.model] = dimensions

    @property
    def list_models(self) -> list[str]:
        """The models that a space may choose, those that run here among them."""
        return sorted({*self._offered, *self._local, *LOCAL})

    def get_dimensions(self, model: str) -> int:
        """The length of the vectors of a model that a space may choose: one that runs here or that is listed.

        What spaces have already goes on being read, whatever is offered. Raises ModelNotOffered, and
        EmbedderMissing for a model that could run here and is not installed.
        """
        local = self._local.get(model) or self._get_local_embedder(model)
        if local is not None:
            return local.dimensions
        if model not in self._offered:
            raise ModelNotOffered(self.list_models)
        return self._offered[model]

    def find_unpriced(self, model: str) -> str | None:
        """The model, if it is a server's and nobody said what it costs; else None."""
        is_local = model in self._local or is_local_model(model)
        return None if is_local or self._client is None else self._client.find_unpriced(model)

    def _get_local_embedder(self, model: str) -> Embedder | None:
        """The embedder of a model that runs here, made once a space wants it; None for a server's model.

        Raises EmbedderMissing for one that is not installed.
        """
        if model not in LOCAL:
            return None
        with self._making:
            try:
                if model not in self._local:
                    self._local[model] = cast(Embedder, LOCAL[model].create_embedder())
                return self._local[model]
            except ConfigurationError as error:
                raise EmbedderMissing(model) from error

    def get_embedder(
        self,
        model: str,
        dimensions: int,
        tenant_id: TenantId,
        *,
        meter: Callable[[], Meter] = InProcessAnswers,
    ) -> Embedder:
        """The embedder of a space whose vectors that model made. Raises EmbedderMissing.

        `meter` is called for a model of the server alone: what runs here costs nothing.
        """
        local = self._local.get(model) or self._get_local_embedder(model)
        if local is not None:
            return local
        if self._client is None:
            raise EmbedderMissing(model)
        embedder: Embedder = imported("app.llm.embedding.openai_embedder:OpenAIEmbedder")(
            self._client, model=model, dimensions=dimensions, tenant_id=tenant_id, meter=meter()
        )
        return embedder


def is_local_model(model: str) -> bool:
    """Return whether that embedding model runs in this process, for nothing."""
    return model in LOCAL
