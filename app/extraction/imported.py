"""The extractor for documents of format `extraction`, which contain the output of another extractor."""

from collections import Counter
from collections.abc import Sequence

from app.documents.formats.extraction import ExtractedTriple, read_extraction
from app.documents.sentences import split_sentences
from app.domain.char_range import CharRange
from app.domain.node_types import DEFAULT_TYPE
from app.extraction.grounding import ChunkNames
from app.extraction.shapes import ChunkFailure, ChunkText, FoundEntity, FoundRelation, Vocabulary
from app.extraction.vocabulary import to_node_type
from app.graph.names import clean_name, may_node_have_name, normalise_name

# Confidence of a triple without one: an unknown model chose to state it.
DEFAULT_CONFIDENCE = 0.8
# Without a quote, the shortest run of at most this many sentences that names both ends is quoted.
MAX_RUN_LENGTH = 3


class ImportedExtractor:
    """Returns, for the chunks of one document, the extraction supplied with it.

    A name that its chunk does not contain, a triple whose ends the chunk does not name, and a malformed entry
    are dropped and counted. Entities are identified by name alone: supplied types are not trusted.
    """

    prompt_version = "given"
    separates_homonyms = False
    reads_lone_names = False

    def __init__(self, file_bytes: bytes) -> None:
        """Parse the document. Raises InvalidInput `damaged_document` if the bytes are not in the format."""
        extractor, passages = read_extraction(file_bytes)
        self.model = f"import:{extractor}"
        self.failures: list[ChunkFailure] = []
        self.drop_counts: Counter[str] = Counter()
        # A passage is identified by its text; equal texts have equal extractions.
        self._passage_by_text = {passage.text: passage for passage in passages}

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the supplied entities and the ends of the supplied triples, where the chunk names them."""
        return [
            self._build_entities_and_count_drops(chunk, vocabulary) if chunk.is_wanted else ()
            for chunk in chunks
        ]

    def _build_entities_and_count_drops(
        self, chunk: ChunkText, vocabulary: Vocabulary
    ) -> tuple[FoundEntity, ...]:
        passage = self._passage_by_text[chunk.text]
        self.drop_counts["malformed"] += passage.malformed_count
        supplied_names: dict[str, tuple[str, str | None, tuple[str, ...]]] = {}
        for entity in passage.entities:
            supplied_names.setdefault(
                normalise_name(entity.name), (entity.name, entity.node_type, entity.aliases)
            )
        for triple in passage.triples:
            for end in (triple.subject, triple.object):
                supplied_names.setdefault(normalise_name(end), (end, None, ()))
        entities = []
        chunk_names = ChunkNames(chunk)
        for name, node_type, aliases in supplied_names.values():
            surfaces = chunk_names.find_occurrences(name) if may_node_have_name(name) else ()
            if not surfaces:
                self.drop_counts["not_in_text"] += 1
                continue
            declared_type = to_node_type(node_type, vocabulary) if node_type else None
            entities.append(
                FoundEntity(
                    clean_name(name),
                    declared_type or DEFAULT_TYPE,
                    surfaces,
                    aliases,
                    is_type_certain=declared_type is not None,
                )
            )
        return tuple(entities)

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,  # noqa: ARG002  (grounding reads the verbs)
    ) -> list[tuple[FoundRelation, ...]]:
        """Return the supplied triples between entities of their chunk, each with the quote supplied or
        found.
        """
        return [
            self._build_relations_and_count_drops(chunk, chunk_entities) if chunk.is_wanted else ()
            for chunk, chunk_entities in zip(chunks, entities, strict=True)
        ]

    def _build_relations_and_count_drops(
        self, chunk: ChunkText, entities: tuple[FoundEntity, ...]
    ) -> tuple[FoundRelation, ...]:
        position_by_name = {normalise_name(entity.name): position for position, entity in enumerate(entities)}
        sentences = split_sentences(chunk.text)
        relations = []
        for triple in self._passage_by_text[chunk.text].triples:
            source = position_by_name.get(normalise_name(triple.subject))
            target = position_by_name.get(normalise_name(triple.object))
            if source is None or target is None:
                self.drop_counts["end_not_named"] += 1
                continue
            quote = triple.quote or find_shortest_text_naming_both(
                chunk.text, sentences, entities[source], entities[target]
            )
            if quote is None:
                self.drop_counts["no_quote"] += 1
                continue
            relations.append(FoundRelation(source, target, triple.relation, _read_confidence(triple), quote))
        return tuple(relations)


def find_shortest_text_naming_both(
    text: str, sentences: Sequence[CharRange], source: FoundEntity, target: FoundEntity
) -> str | None:
    """Return the shortest run of at most three sentences that names both ends, else None."""
    shortest_run: str | None = None
    for first_sentence in range(len(sentences)):
        for last_sentence in range(first_sentence, min(first_sentence + MAX_RUN_LENGTH, len(sentences))):
            (start, _), (_, end) = sentences[first_sentence], sentences[last_sentence]
            if all(
                any(start <= surface.start and surface.end <= end for surface in entity.surfaces)
                for entity in (source, target)
            ):
                if shortest_run is None or end - start < len(shortest_run):
                    shortest_run = text[start:end]
                break
    return shortest_run


def _read_confidence(triple: ExtractedTriple) -> float:
    return DEFAULT_CONFIDENCE if triple.confidence is None else triple.confidence
