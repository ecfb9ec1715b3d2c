"""The worker as it is shipped, whose extractor does what the first word of a chunk says: BROKEN, REFUSED,
PARKED.
"""

from collections.abc import Sequence

from app.errors import Conflict
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.llm.embedding.hashed import HashedEmbedder
from app.llm.errors import Parked
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from tests.support.ingest import FixedExtractors
from workers.main import run_workers


class Failing(RulesExtractor):
    """Fails where a model is asked, as a bug, a refusal and a server that is down would."""

    def ask_entities(self, chunks: Sequence[ChunkText], _vocabulary: Vocabulary) -> RulesExtractor:
        """The rules, unless a chunk says otherwise."""
        for chunk in chunks:
            match chunk.text.split()[0]:
                case "BROKEN":
                    raise ZeroDivisionError("a bug with sk-verysecretkey123 in its message")
                case "REFUSED":
                    raise Conflict("It was refused.")
                case "PARKED":
                    raise Parked("it sleeps", retry_after=600.0)
        return RulesExtractor()

    def ask_attributes(
        self,
        _chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        _vocabulary: Vocabulary,
    ) -> list[tuple[FoundEntity, ...]]:
        """Nothing more."""
        return list(entities)

    def ask_relations(
        self,
        _chunks: Sequence[ChunkText],
        _entities: Sequence[tuple[FoundEntity, ...]],
        _vocabulary: Vocabulary,
    ) -> RulesExtractor:
        """The rules."""
        return RulesExtractor()


def assemble(settings: Settings) -> Citegraph:
    """The usual parts with the failing extractor."""
    parts = build_citegraph(settings)
    parts.extractors = FixedExtractors(Failing(), HashedEmbedder())
    return parts


if __name__ == "__main__":
    run_workers(Settings(), assemble=assemble)
