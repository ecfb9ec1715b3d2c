"""An extractor that reads a small notation, so that a test says exactly which names and types a text shows.

`[Acme Inc.|Organization] created [Rocket].` has two entities and one relation; without `|type` the type is
a guess; `[IBM=International Business Machines|Organization]` has an alias. A line is a sentence.
"""

import re
from collections import Counter
from collections.abc import Sequence

from app.extraction.shapes import ChunkFailure, ChunkText, FoundEntity, FoundRelation, Surface, Vocabulary

_NAME = re.compile(r"\[([^\]|=]+)((?:=[^\]|=]+)*)(?:\|([A-Za-z]+))?\]")
_VERB = re.compile(r"\] ([a-z_]+) \[")


class Scripted:
    """Reads the notation; `separates_homonyms` as a model would have it, or not."""

    model = "scripted"
    prompt_version = "scripted-1"

    def __init__(self, *, separates_homonyms: bool = False) -> None:
        self.separates_homonyms = separates_homonyms
        self.reads_lone_names = False
        self.failures: list[ChunkFailure] = []
        self.drop_counts: Counter[str] = Counter()

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Every name in brackets."""
        return [tuple(_entities(chunk.text)) for chunk in chunks]

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundRelation, ...]]:
        """Every line that has a verb between two brackets."""
        return [tuple(_relations(chunk.text, found)) for chunk, found in zip(chunks, entities, strict=True)]


def _entities(text: str) -> list[FoundEntity]:
    found: dict[tuple[str, str | None], FoundEntity] = {}
    for match in _NAME.finditer(text):
        name, aliases, node_type = match[1], tuple(match[2].split("=")[1:]), match[3]
        surface = Surface(name, match.start(1), match.end(1))
        standing = found.get((name, node_type))
        found[name, node_type] = FoundEntity(
            name,
            node_type or "Concept",
            (*(standing.surfaces if standing else ()), surface),
            tuple({*(standing.aliases if standing else ()), *aliases}),
            is_type_certain=node_type is not None,
        )
    return list(found.values())


def _relations(text: str, found: Sequence[FoundEntity]) -> list[FoundRelation]:
    def place(name: str, node_type: str | None) -> int:
        return next(
            index
            for index, entity in enumerate(found)
            if entity.name == name
            and entity.is_type_certain == (node_type is not None)
            and node_type in (None, entity.node_type)
        )

    relations = []
    for line in text.splitlines():
        verb, names = _VERB.search(line), list(_NAME.finditer(line))
        if verb and len(names) == 2:
            ends = [place(match[1], match[3]) for match in names]
            relations.append(FoundRelation(ends[0], ends[1], verb[1], 0.9, line))
    return relations
