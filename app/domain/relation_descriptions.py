"""Relation types in words: a claim as an English clause, and the table of docs/extraction-rules.md."""

import re

from app.domain.relation_types import EXISTS, RELATION_TYPE_BY_NAME, RELATION_TYPES

_END_OF_DEFINITION = re.compile(r"\b[AB]\b")


def describe_claim(relation_type: str, source: str, target: str) -> str:
    """Return a claim as an English clause: the definition of its type with the names of both ends."""
    if relation_type == EXISTS:
        return f"{source} exists"
    entry = RELATION_TYPE_BY_NAME.get(relation_type)
    if entry is None:
        return f"{source} {relation_type.replace('_', ' ')} {target}"
    name_by_letter = {"A": source, "B": target}
    definition = entry.standalone_definition or entry.definition
    return _END_OF_DEFINITION.sub(lambda match: name_by_letter[match[0]], definition)


def render_relation_types_table() -> str:
    """Return a Markdown table of the relation types: their meaning, words, ends and special properties."""
    lines = [
        "| relation type | meaning, between A (from) and B (to) | in a sentence | from | to | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for entry in RELATION_TYPES:
        sentence_words = entry.words_between_names or entry.name.replace("_", " ")
        ends = (
            ", ".join(sorted(kinds)) if kinds else "any" for kinds in (entry.ends.sources, entry.ends.targets)
        )
        marks = (("specific", entry.is_specific), ("both ways", entry.symmetric), ("one way", entry.one_way))
        special_properties = ", ".join(mark for mark, applies in marks if applies)
        cells = (f"`{entry.name}`", entry.definition, sentence_words, *ends, special_properties)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
