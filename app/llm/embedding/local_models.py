"""The embedding models that run in this process, by name, known without importing their code."""

from dataclasses import dataclass

from app.lazy import imported


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model's name, the length of its vectors, and the import path of its embedder."""

    name: str
    dimensions: int
    import_path: str

    def create_embedder(self) -> object:
        """Return the embedder. Raises ConfigurationError if its extra is not installed."""
        embedder: object = imported(self.import_path)()
        return embedder


HASHED = LocalModel("hashed-ngrams-256", 256, "app.llm.embedding.hashed:HashedEmbedder")
MINILM = LocalModel("all-minilm-l6-v2-384", 384, "app.llm.embedding.minilm:MiniLMEmbedder")
"""Needs the optional extra `semantic`."""
LOCAL_MODELS = {model.name: model for model in (HASHED, MINILM)}
