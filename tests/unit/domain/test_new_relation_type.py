"""The recipe for a relation type, performed: one entry in a copy of the program makes all of it know."""

from typing import Any

import pytest

from tests.support.program_copy import PROJECT, copy_program, replace_once, run_in_copy

REGISTRY = "app/domain/relation_types.py"
OPENING = "RELATION_TYPES: Final[tuple[RelationType, ...]] = (\n"
ENTRY = """    RelationType(
        "patron_of",
        definition="A pays for the upkeep of B",
        example="A sponsors B",
        words_between_names="is a patron of",
        question="Who is a patron of {end}?",
        ends=Ends(never_sources=PLACE_TYPES),
        one_way=True,
        ends_with_source=True,
        undated_past_ends_it=True,
        synonyms="sponsor_of",
        inverses="sponsored_by",
        wordings=(
            build_verb_wording(0.85, "sponsors sponsored sponsoring"),
            build_noun_wording(0.85, "patron of"),
        ),
        headers=(Header(None, "Organization", "patron patrons", is_reversed=True),),
    ),
"""
PROGRAM = """
import json
from uuid import UUID

from app.dashboard.answers.suggestions import suggest_questions
from app.dashboard.rendering import format_code
from app.domain.layers import get_layer_of_relation
from app.domain.relation_descriptions import render_relation_types_table
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY, find_meaning_of_verb
from app.graph.contested import ONE_WAY_RELATIONS
from app.graph.narrative import format_claim_of_names
from app.graph.questions import guess_relation_types
from app.graph.shapes import AggregatedRelation
from app.graph.validity import RELATIONS_ENDING_WITH_SOURCE
from app.llm.prompts import relations

TYPES = DEFAULT_VOCABULARY.relation_types


def stated(text, is_record=False):
    chunk = ChunkText(UUID(int=1), UUID(int=2), "", text, is_record=is_record)
    rules = RulesExtractor()
    entities = rules.extract_entities([chunk], DEFAULT_VOCABULARY)
    (found,) = rules.extract_relations([chunk], entities, DEFAULT_VOCABULARY)
    names = [entity.name for entity in entities[0]]
    return [
        [names[relation.from_entity], relation.relation_type, names[relation.to_entity], relation.polarity]
        for relation in found
    ]


print(json.dumps({
    "verb": stated("Globex Corporation sponsored the Harbour Festival."),
    "passive": stated("The Harbour Festival is sponsored by Globex Corporation."),
    "noun": stated("Ann Lee is a patron of Acme Museum."),
    "denied": stated("Globex Corporation no longer sponsors the Harbour Festival."),
    "row": stated("project: Falcon Nine\\npatron: Globex Corporation", is_record=True),
    "read": [str(part) for part in find_meaning_of_verb("sponsored by", DEFAULT_VOCABULARY)],
    "in_vocabulary": "patron_of" in TYPES,
    "in_prompt": "patron_of: A pays for the upkeep of B (A sponsors B)" in str(
        relations.build_prompt(TYPES, open_relations=False)
    ),
    "meant": "patron_of" in guess_relation_types("Who is a patron of Acme Museum?"),
    "narrated": format_claim_of_names("Ann Lee", "patron_of", "Acme Museum"),
    "label": format_code("patron_of"),
    "layer": get_layer_of_relation("patron_of", ()),
    "suggested": suggest_questions([[AggregatedRelation(
        UUID(int=1), "Ann Lee", UUID(int=2), "Acme Museum", "patron_of",
        get_layer_of_relation("patron_of", ()), 1.0, 1, None,
    )]]),
    "documented": "`patron_of` | A pays for the upkeep of B |" in render_relation_types_table(),
    "contradicts": "patron_of" in ONE_WAY_RELATIONS,
    "ends": "patron_of" in RELATIONS_ENDING_WITH_SOURCE,
}))
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that a copy of the program with one entry more says of the new type."""
    copy = copy_program(tmp_path_factory.mktemp("copy"))
    replace_once(copy / REGISTRY, OPENING, OPENING + ENTRY)
    return run_in_copy(copy, PROGRAM)


def test_the_program_does_not_know_it_yet() -> None:
    assert "patron" not in (PROJECT / REGISTRY).read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("verb", [["Globex Corporation", "patron_of", "Harbour Festival", "asserted"]]),
        ("passive", [["Globex Corporation", "patron_of", "Harbour Festival", "asserted"]]),
        ("noun", [["Ann Lee", "patron_of", "Acme Museum", "asserted"]]),
        ("denied", [["Globex Corporation", "patron_of", "Harbour Festival", "denied"]]),
        ("row", [["Globex Corporation", "patron_of", "Falcon Nine", "asserted"]]),
    ],
)
def test_it_is_extracted(known: dict[str, Any], text: str, claims: list[list[str]]) -> None:
    assert known[text] == claims


def test_a_model_is_told_it_and_its_verbs_are_read(known: dict[str, Any]) -> None:
    assert known["in_vocabulary"]
    assert known["in_prompt"]
    assert known["read"] == ["patron_of", "Direction.REVERSED"]


def test_it_is_asked_about(known: dict[str, Any]) -> None:
    assert known["meant"]
    assert known["suggested"] == ["Who is a patron of Acme Museum?"]


def test_it_is_narrated_labelled_and_documented(known: dict[str, Any]) -> None:
    assert known["narrated"] == "Ann Lee is a patron of Acme Museum"
    assert known["label"] == "patron of"
    assert known["layer"] == "claim"
    assert known["documented"]


def test_what_contradicts_and_ends_it_is_known(known: dict[str, Any]) -> None:
    assert known["contradicts"]
    assert known["ends"]
