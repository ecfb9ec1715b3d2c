"""Entities that a chunk is about by its titles; retrieval gives them more weight."""

import re
from html import unescape

from app.domain.table_headers import headings_without_table_header
from app.extraction.shapes import ChunkText, FoundEntity
from app.graph.names import normalise_name

# "Mercury (planet)": a final bracket only distinguishes namesakes.
_TELLING_APART = re.compile(r"\s*\([^()]*\)\s*$")


def list_titles(chunk: ChunkText) -> frozenset[str]:
    """Return the normalised names of the chunk's document and innermost heading, with and without a final
    bracket.
    """
    titles = (unescape(chunk.document_title), *headings_without_table_header(chunk.heading_path)[-1:])
    forms = (form for title in titles for form in (title, _TELLING_APART.sub("", title)))
    return frozenset(filter(None, map(normalise_name, forms)))


def is_titular(entity: FoundEntity, titles: frozenset[str]) -> bool:
    """Return whether one of these titles is a name of the entity."""
    return any(normalise_name(name) in titles for name in (entity.name, *entity.aliases))
