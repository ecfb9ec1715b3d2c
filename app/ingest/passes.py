"""The two passes over what has been read: entities, then relations, grounded and weighed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.graph.names import normalise_name
from app.ids import ChunkId
from app.ingest.graph_writer import EdgeDraft
from app.ingest.grounding import DropCounts, GroundedRelation, ground_entities, ground_relations
from app.ingest.reading import ReadDocument
from app.ingest.shapes import Extractor, FoundEntity, Vocabulary
from app.ingest.weighting import extraction_key, product, weights


@dataclass
class Extracted:
    """What the two passes found in one document, in the order of its chunks."""

    entities: list[list[FoundEntity]] = field(default_factory=list)
    edges: list[EdgeDraft] = field(default_factory=list)


def extract(
    read: Sequence[ReadDocument], extractor: Extractor, vocabulary: Vocabulary, drops: DropCounts
) -> list[Extracted]:
    """Both passes over all documents of the batch at once; the extractor decides how to call its model."""
    chunks = [text for each in read for text in each.chunks]
    entities: list[tuple[FoundEntity, ...]] = []
    for text, found in zip(chunks, extractor.extract_entities(chunks, vocabulary), strict=True):
        kept, dropped = ground_entities(text, found, vocabulary)
        entities.append(tuple(kept) if text.wanted else ())
        drops.by_reason.update(dropped.by_reason)
    # Pass 2 reads only chunks with at least two different entities (requirement 5.2).
    several = [index for index, found in enumerate(entities) if len(found) > 1]
    answers = extractor.extract_relations(
        [chunks[index] for index in several], [entities[index] for index in several], vocabulary
    )
    relations: dict[ChunkId, list[GroundedRelation]] = {}
    for index, found_relations in zip(several, answers, strict=True):
        grounded, dropped = ground_relations(chunks[index], entities[index], found_relations, vocabulary)
        relations[chunks[index].id] = grounded
        drops.by_reason.update(dropped.by_reason)
    results: list[Extracted] = []
    begin = 0
    for each in read:
        found_here = entities[begin : begin + len(each.chunks)]
        begin += len(each.chunks)
        result = Extracted([list(found) for found in found_here])
        result.edges = _weigh(each, found_here, relations, extractor)
        results.append(result)
    return results


def _weigh(
    document: ReadDocument,
    entities: Sequence[Sequence[FoundEntity]],
    relations: dict[ChunkId, list[GroundedRelation]],
    extractor: Extractor,
) -> list[EdgeDraft]:
    """The document's edges; weights are relative to the largest of this ingest (requirement 4.3)."""
    stated = [
        (text, found, relation)
        for text, found in zip(document.chunks, entities, strict=True)
        for relation in relations.get(text.id, ())
    ]
    scaled = weights([product(relation.confidence, relation.times_seen) for _, _, relation in stated])
    edges = []
    for (text, found, relation), weight in zip(stated, scaled, strict=True):
        start, end = found[relation.from_entity], found[relation.to_entity]
        key = extraction_key(
            chunk_hash=document.hashes[text.id],
            prompt_version=extractor.prompt_version,
            model=extractor.model,
            from_name=start.name,
            from_type=start.node_type if extractor.separates_homonyms else "",
            to_name=end.name,
            to_type=end.node_type if extractor.separates_homonyms else "",
            relation_type=relation.relation_type,
        )
        names = normalise_name(start.name), normalise_name(end.name)
        edges.append(
            EdgeDraft(text.id, names[0], start.node_type, names[1], end.node_type, relation, weight, key)
        )
    return edges
