"""The embedder that knows meaning: the published model's own numbers, and honest words where it is
missing.
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from app.errors import ConfigurationError
from app.llm.embedding.minilm import MAX_TOKENS, MiniLMEmbedder

installed = pytest.mark.needs("semantic")


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@installed
class TestEmbed:
    def test_agrees_with_the_published_model(self, embedder: MiniLMEmbedder) -> None:
        # The model card's and the library's own examples, as printed there to four places.
        eating, bread, cheetah = embedder.embed(
            [
                "A man is eating food.",
                "A man is eating a piece of bread.",
                "A cheetah is running behind its prey.",
            ]
        )
        assert float(eating @ bread) == pytest.approx(0.7553, abs=1e-4)
        weather, sunny, stadium = embedder.embed(
            ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
        )
        assert float(weather @ sunny) == pytest.approx(0.6660, abs=1e-4)
        assert float(weather @ stadium) == pytest.approx(0.1046, abs=1e-4)
        assert float(sunny @ stadium) == pytest.approx(0.1411, abs=1e-4)
        assert float(eating @ cheetah) < 0.2

    def test_meaning_counts_and_not_the_words(self, embedder: MiniLMEmbedder) -> None:
        question, meant, worded = embedder.embed(
            [
                "Who wrote the novel?",
                "The author of the book is Jane Austen.",
                "The novel coronavirus was first wrote about in 2019.",
            ]
        )
        assert question @ meant > question @ worded

    def test_a_vector_does_not_depend_on_its_batch(self, embedder: MiniLMEmbedder) -> None:
        texts = ["short", "a somewhat longer sentence about databases", "", "x " * 300, "Émile Zola, 東京"]
        together = embedder.embed(texts)
        alone = np.concatenate([embedder.embed([text]) for text in texts])
        np.testing.assert_allclose(together, alone, atol=2e-6)
        assert together.shape == (5, 384)
        assert together.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)

    def test_case_is_nothing_and_what_follows_the_limit_is_not_read(self, embedder: MiniLMEmbedder) -> None:
        # Two of the pieces are the marks at the ends.
        filled = "word " * (MAX_TOKENS - 2)
        pairs = embedder.embed(["PostgreSQL", "postgresql", filled, filled + "entirely different"])
        np.testing.assert_allclose(pairs[0], pairs[1], atol=2e-6)
        np.testing.assert_allclose(pairs[2], pairs[3], atol=2e-6)

    def test_what_is_no_text_has_a_vector_too(self, embedder: MiniLMEmbedder) -> None:
        vectors = embedder.embed(["\ud800", "\x00", "   "])
        assert np.isfinite(vectors).all()
        assert embedder.embed([]).shape == (0, 384)


class TestMissing:
    def test_says_what_to_install(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="make semantic"):
            MiniLMEmbedder(tmp_path)

    @pytest.mark.needs("semantic")
    def test_other_weights_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "model.safetensors").write_bytes(hashlib.sha256(b"other").digest())
        (tmp_path / "tokenizer.json").write_text("{}")
        with pytest.raises(ConfigurationError, match=r"model\.safetensors"):
            MiniLMEmbedder(tmp_path)
