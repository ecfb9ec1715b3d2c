"""Choose the embedder of a space: that of the model that made the space's vectors."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from app.errors import CitegraphError, ConfigurationError, InvalidInput
from app.ids import TenantId
from app.lazy import import_object
from app.llm.call_records import InProcessAnswerStore, Meter
from app.llm.client import ModelClient
from app.llm.embedding.local_models import HASHED, LOCAL_MODELS, MINILM

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Turns texts into vectors of fixed length with norm 1."""

    model: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """Return one vector per text, in order: shape (len(texts), dimensions)."""
        ...


class EmbedderMissing(CitegraphError):
    """The space's embedding model is not available in this process."""

    code = "embedder_missing"

    def __init__(self, model: str) -> None:
        super().__init__(f"The embedding model {model} is not available here.")


class ModelNotOffered(InvalidInput):
    """The operator does not offer this embedding model."""

    code = "model_not_offered"

    def __init__(self, offered_models: Iterable[str]) -> None:
        super().__init__(
            f"This embedding model is not offered here. Available are: {', '.join(sorted(offered_models))}."
        )


class Embedders:
    """Embedders by model name. Local ones are created once; those of a server, per tenant."""

    def __init__(
        self,
        client: ModelClient | None = None,
        *,
        model: str | None = None,
        dimensions: int = 256,
        offered_models: Mapping[str, int] | None = None,
    ) -> None:
        """`model` and `dimensions` are those of new spaces; None means hashed n-grams, without a server.

        `offered_models` maps other models of the server that a space may choose to the length of their
        vectors. Raises ConfigurationError for a model that is not local if there is no server.
        """
        self._client = client
        self._creation_lock = threading.Lock()
        self._local_embedders: dict[str, Embedder] = {}
        self.model = model or HASHED.name
        if self.model == MINILM.name:
            self._local_embedders[MINILM.name] = cast(Embedder, MINILM.create_embedder())
        local_model = LOCAL_MODELS.get(self.model)
        if local_model is None and client is None:
            raise ConfigurationError(
                f"CITEGRAPH_EMBEDDING_MODEL={self.model} needs CITEGRAPH_EMBEDDING_BASE_URL,"
                " OPENAI_BASE_URL or OPENAI_API_KEY;"
                f" without a server there are {HASHED.name} and {MINILM.name}."
            )
        self.dimensions = dimensions if local_model is None else local_model.dimensions
        self._offered_models = {} if client is None else dict(offered_models or {})
        if local_model is None:
            self._offered_models[self.model] = dimensions

    @property
    def available_models(self) -> list[str]:
        """The models that a space may choose, including local ones, sorted."""
        return sorted({*self._offered_models, *self._local_embedders, *LOCAL_MODELS})

    def get_dimensions(self, model: str) -> int:
        """Return the length of the vectors of a model that a space may choose.

        Spaces that already use a model can be read even if it is no longer offered. Raises ModelNotOffered,
        and EmbedderMissing for a local model that is not installed.
        """
        local_embedder = self._local_embedders.get(model) or self._get_local_embedder(model)
        if local_embedder is not None:
            return local_embedder.dimensions
        if model not in self._offered_models:
            raise ModelNotOffered(self.available_models)
        return self._offered_models[model]

    def find_unpriced_model(self, model: str) -> str | None:
        """Return the model if it is a server's and its price is unknown; else None."""
        is_local = model in self._local_embedders or is_local_model(model)
        return None if is_local or self._client is None else self._client.find_unpriced_model(model)

    def _get_local_embedder(self, model: str) -> Embedder | None:
        """Return the embedder of a local model, created at its first use; None for a server's model.

        Raises EmbedderMissing for one that is not installed.
        """
        if model not in LOCAL_MODELS:
            return None
        with self._creation_lock:
            try:
                if model not in self._local_embedders:
                    self._local_embedders[model] = cast(Embedder, LOCAL_MODELS[model].create_embedder())
                return self._local_embedders[model]
            except ConfigurationError as error:
                raise EmbedderMissing(model) from error

    def get_embedder(
        self,
        model: str,
        dimensions: int,
        tenant_id: TenantId,
        *,
        meter: Callable[[], Meter] = InProcessAnswerStore,
    ) -> Embedder:
        """Return the embedder of a space whose vectors were made by `model`. Raises EmbedderMissing.

        `meter` is called only for a server's model: local models cost nothing.
        """
        local_embedder = self._local_embedders.get(model) or self._get_local_embedder(model)
        if local_embedder is not None:
            return local_embedder
        if self._client is None:
            raise EmbedderMissing(model)
        embedder: Embedder = import_object("app.llm.embedding.openai_embedder:OpenAIEmbedder")(
            self._client, model=model, dimensions=dimensions, tenant_id=tenant_id, meter=meter()
        )
        return embedder


def is_local_model(model: str) -> bool:
    """Return whether the embedding model runs in this process, at no cost."""
    return model in LOCAL_MODELS
