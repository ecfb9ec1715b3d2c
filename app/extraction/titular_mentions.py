"""Entities that a chunk is about by its titles; retrieval gives them more weight."""

import re
from html import unescape

from app.domain.node_types import PEOPLE
from app.domain.scoring.stop_words import STOP_WORDS
from app.domain.table_headers import remove_table_header_from_headings
from app.extraction.shapes import ChunkText, FoundEntity
from app.graph.names import normalise_name

# "Mercury (planet)": a final bracket only distinguishes namesakes.
_DISTINGUISHING_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")


def list_normalised_titles(chunk: ChunkText) -> frozenset[str]:
    """Return the normalised names of the chunk's document and innermost heading, with and without a final
    bracket.
    """
    titles = (unescape(chunk.document_title), *remove_table_header_from_headings(chunk.heading_path)[-1:])
    forms = (form for title in titles for form in (title, _DISTINGUISHING_BRACKET.sub("", title)))
    return frozenset(filter(None, map(normalise_name, forms)))


def is_named_by_title(entity: FoundEntity, titles: frozenset[str]) -> bool:
    """Return whether one of these titles is a name of the entity, or a person's full name behind a title or
    label: "Professor Sir John Bell", "Curriculum Vitae: Tom Lane", but not "Transactions and Tom Lane".
    """
    names = [normalise_name(name) for name in (entity.name, *entity.aliases)]
    full_names = [name for name in names if entity.node_type in PEOPLE and " " in name]
    return any(name in titles for name in names) or any(
        title.endswith(f" {name}") and STOP_WORDS.isdisjoint(title.removesuffix(name).split())
        for name in full_names
        for title in titles
    )
