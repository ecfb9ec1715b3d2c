"""Kinds by the trained classifier, where the rules leave them open (requirement 5.1)."""

import numpy as np
import pytest

from app.extraction.reader.languages import load_kind_classifier
from app.extraction.reader.names_in_documents import NameInDocument, NameUse
from app.extraction.shapes import FoundEntity
from tests.unit.extraction.rules.test_rules_entities import read


def find(text: str, name: str, title: str = "") -> FoundEntity:
    return next(entity for entity in read(text, title) if entity.name == name)


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("The ceramicist Tamaz Gelovani catalogued 2,300 sherds.", "Tamaz Gelovani", "Person"),
        (
            "It was bought by Hewlett-Packard Enterprise and then by Micro Focus.",
            "Micro Focus",
            "Organization",
        ),
        (
            "The single from Otto Renn's second album, The Long Shore, sold well.",
            "The Long Shore",
            "Document",
        ),
        ("Ferrant visited the village twice, and Ferrant's wife agreed.", "Ferrant", "Person"),
    ],
)
def test_a_likely_kind_is_the_type_of_the_node_alone(text: str, name: str, kind: str) -> None:
    entity = find(text, name)
    assert (entity.node_type, entity.is_type_certain) == ("Concept", False)
    assert entity.likely_type == entity.voted_type == kind


@pytest.mark.parametrize("name", ["Kestrel", "Heron", "Zeta", "Larkspur"])
def test_one_word_is_no_person_where_a_document_names_programs(name: str) -> None:
    """Firms and programs have names of one word, of which the classifier has seen few."""
    text = f"{name} replaced MySQL in 2019. The team moved from {name} to PostgreSQL in 2021."
    entity = find(text, name)
    assert entity.likely_type == ""
    assert entity.node_type != "Person"


def test_probabilities_do_not_depend_on_the_batch() -> None:
    classifier = load_kind_classifier()
    assert classifier is not None
    names = [
        NameInDocument(words, [], False, votes, uses)
        for words, votes, uses in (
            (["Hala", "Nasser"], {}, [NameUse(["by"], ["in", "1987"], [])]),
            (["Poznan"], {"Location": 0.6}, [NameUse(["plant", "in"], ["opened"], [])]),
            (["Zork"], {}, []),
        )
    ]
    together = classifier.compute_probabilities(names)
    alone = [classifier.compute_probabilities([name])[0] for name in names]
    for batch_result, single_result in zip(together, alone, strict=True):
        assert sum(batch_result.values()) == pytest.approx(1.0)
        assert batch_result == pytest.approx(single_result, abs=1e-5)
    assert classifier.compute_probabilities([]) == []
    assert np.isfinite([probability for result in together for probability in result.values()]).all()


@pytest.mark.parametrize(
    "places", [["Tudela", "Opol"], ["Paris", "Rome"], ["Norland", "Vega"], ["Bonn", "Renn"]]
)
def test_a_number_makes_no_product_of_a_name(places: list[str]) -> None:
    """It may be a count, a row's value or a version."""
    text = f"We counted losses in Gitagum 8, {places[0]} 12, {places[1]} 3 and Murcia 1."
    assert all(entity.node_type != "Product" or not entity.is_type_certain for entity in read(text))


@pytest.mark.parametrize("program", ["Python", "Ruby", "Red Hat Linux", "Redis"])
def test_a_number_after_a_program_is_its_version(program: str) -> None:
    entity = find(f"Zork runs on {program} 3 since May.", f"{program} 3")
    assert (entity.node_type, entity.is_type_certain) == ("Product", True)


@pytest.mark.parametrize("quantity", ["50 %", "30 €", "7 $", "12 °", "5 ‰"])
def test_a_number_with_a_sign_of_a_unit_is_no_part_of_a_name(quantity: str) -> None:
    assert find(f"They say that Maria Renn {quantity} more got.", "Maria Renn")


@pytest.mark.parametrize(
    "head",
    [
        "The CEO of",
        "A friend of",
        "The talks between Vega and",
        "The trial of",
        "Talks of Vega or",
        "The head of software maker",
        "The CEO of the giant",
        "The founder of both Vega and",
        "A deal between Vega, Otto Renn and",
        "A deal with",
    ],
)
@pytest.mark.parametrize(
    ("clause", "kind"),
    [
        ("was a lawyer", "Person"),
        ("is a festival", "Event"),
        ("was a database", "Technology"),
        ("told us so", "Person"),
    ],
)
def test_what_a_clause_says_of_its_subject_is_not_said_of_a_name_within_it(
    head: str, clause: str, kind: str
) -> None:
    entity = find(f"{head} Zorkin {clause}.", "Zorkin")
    assert not (entity.is_type_certain and entity.node_type == kind)
    subject = find(f"Yesterday Zorkin {clause}.", "Zorkin")
    assert (subject.node_type, subject.is_type_certain) == (kind, True)


@pytest.mark.parametrize("noun", ["imam", "abbot", "caretaker", "muezzin", "prior", "benefactor"])
@pytest.mark.parametrize("house", ["mosque", "monastery", "village", "company", "city"])
def test_an_unknown_noun_is_not_what_it_belongs_to(noun: str, house: str) -> None:
    entity = find(f"Zorkin, the {noun} of the old {house}, arrived.", "Zorkin")
    assert not (entity.is_type_certain and entity.node_type in ("Location", "Organization"))
