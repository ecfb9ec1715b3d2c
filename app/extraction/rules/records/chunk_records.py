"""The records of a chunk, its own or the rows of its tables and blocks of fields, and their graphs."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from app.domain.node_types import PEOPLE
from app.domain.table_headers import find_table_header_in_headings, remove_table_header_from_headings
from app.extraction.rules.records.grids import read_tables_as_records
from app.extraction.rules.records.lines import Record, read_field_blocks, read_record
from app.extraction.rules.records.record_graph import RecordGraph
from app.extraction.rules.records.row_names import NAME_KEYS, find_row_name
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.graph.names import clean_name, normalise_name


def list_row_names(chunks: Sequence[ChunkText]) -> set[str]:
    """Return the normalised names of all rows among these chunks."""
    row_names = (find_row_name(record) for chunk in chunks for record in _list_records(chunk))
    return {normalise_name(clean_name(value.text)) for value in row_names if value is not None}


def build_record_graphs(
    chunk: ChunkText, row_names: Collection[str], vocabulary: Vocabulary
) -> list[RecordGraph]:
    """Return the graph of a chunk that is a record, or those of the rows of its tables and of its blocks of
    fields.

    A row of a table counts only if its columns state something: many tables name no entities.
    """
    graphs = [RecordGraph(chunk, record, row_names, vocabulary) for record in _list_records(chunk)]
    return [graph for graph in graphs if chunk.is_record or graph.relates_row_to_entity_or_attribute]


def _list_records(chunk: ChunkText) -> list[Record]:
    record = _read_record_of_chunk(chunk)
    if record is not None:
        return [record]
    if chunk.is_record:
        return []
    tables = read_tables_as_records(chunk.text, find_table_header_in_headings(chunk.heading_path))
    blocks = read_field_blocks(chunk.text, chunk.heading_path)
    # The customer of a project does not name the project.
    return [
        *tables,
        *(block for block in blocks if block.title is not None or block.values[0].header in NAME_KEYS),
    ]


def _read_record_of_chunk(chunk: ChunkText) -> Record | None:
    if not chunk.is_record:
        return None
    record = read_record(
        chunk.text, next(iter(remove_table_header_from_headings(chunk.heading_path)[-1:]), None)
    )
    return record if record.end else None


def replace_record_lines_by_spaces(chunk: ChunkText) -> ChunkText:
    """Return the chunk with spaces in place of the lines of its record, which are not sentences; offsets
    stay valid.
    """
    record = _read_record_of_chunk(chunk)
    return chunk if record is None else replace(chunk, text=" " * record.end + chunk.text[record.end :])


def merge_record_and_prose_entities(
    graph: RecordGraph, prose_entities: Sequence[FoundEntity]
) -> tuple[FoundEntity, ...]:
    """Return the entities of a record and those of the prose, merged by name; the record's data has priority.

    The prose decides the type that the record leaves open, but a first name makes no person of a row.
    """
    entity_by_name = {normalise_name(entity.name): entity for entity in graph.list_entities()}
    for entity in prose_entities:
        key = normalise_name(entity.name)
        earlier_entity = entity_by_name.get(key)
        if (
            earlier_entity is not None
            and entity.is_type_certain
            and not earlier_entity.is_type_certain
            and not (entity.node_type in PEOPLE and graph.is_named_by_own_noun(key))
        ):
            earlier_entity = replace(earlier_entity, node_type=entity.node_type, is_type_certain=True)
        if earlier_entity is None:
            entity_by_name[key] = entity
            continue
        surfaces = tuple(
            sorted({*earlier_entity.surfaces, *entity.surfaces}, key=lambda surface: surface.start)
        )
        entity_by_name[key] = replace(
            earlier_entity, surfaces=surfaces, aliases=entity.aliases, short_names=entity.short_names
        )
    return tuple(entity_by_name.values())
