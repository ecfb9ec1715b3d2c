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
from app.wiring import Citegraph, connect
from tests.support.ingest import FixedExtractors
from workers.main import run


class Failing(RulesExtractor):
    """Fails as a bug, a refusal and a model that is down would."""

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """As the rules do, unless a chunk says otherwise."""
        for chunk in chunks:
            match chunk.text.split()[0]:
                case "BROKEN":
                    raise ZeroDivisionError("a bug with sk-verysecretkey123 in its message")
                case "REFUSED":
                    raise Conflict("It was refused.", code="refused_here")
                case "PARKED":
                    raise Parked("it sleeps", retry_after=600.0)
        return super().extract_entities(chunks, vocabulary)


def assemble(settings: Settings) -> Citegraph:
    """The usual parts with the failing extractor."""
    parts = connect(settings)
    parts.extractors = FixedExtractors(Failing(), HashedEmbedder())
    return parts


if __name__ == "__main__":
    run(Settings(), assemble=assemble)
