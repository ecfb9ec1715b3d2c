"""Tags that rules suggest (requirement 11.1): topics in lower case, by relevance, the same for the same
graph."""

from random import Random
from uuid import uuid4

import pytest

from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.tags import MAX_CANDIDATES, TermUsage, find_noun_groups, list_tag_candidates
from app.graph.tags.suggestions import SpaceFact, TagFact, TagMaterial
from app.graph.tags.tag_choice import choose_tags
from app.ids import NodeId


def fact(
    relation: str = "uses",
    other: str = "Other Thing",
    *,
    kind: str = "Concept",
    quote: str = "",
    tags: tuple[str, ...] = (),
) -> TagFact:
    return TagFact(relation, True, other, kind, quote, tags)


def material(
    *facts: TagFact, name: str = "Ingres", kind: str = "Product", aliases: tuple[str, ...] = ()
) -> TagMaterial:
    return TagMaterial(NodeId(uuid4()), name, kind, aliases, facts, ())


def suggested(*facts: TagFact, space: tuple[str, ...] = (), **node: str) -> list[str]:
    """What is suggested where the space says these facts' sentences and some others."""
    said = [*(summary_fact.quote for summary_fact in facts), *space]
    usage = TermUsage(SpaceFact(quote, "Product", "Concept") for quote in said)
    return list_tag_candidates(material(*facts, **node), usage)  # type: ignore[arg-type]


def test_a_lone_node_has_its_type_alone() -> None:
    assert list_tag_candidates(material(), TermUsage(())) == ["product"]
    assert list_tag_candidates(material(kind="Software Product"), TermUsage(())) == ["software-product"]


def test_what_most_neighbours_are_tagged_goes_before_what_one_is() -> None:
    found = suggested(
        fact(tags=("storage",)), fact(other="B", tags=("storage", "rare")), fact(other="C", tags=("storage",))
    )
    assert found.index("storage") < found.index("rare")


def test_what_is_said_of_the_node_and_seldom_of_others_goes_first() -> None:
    """A word of every sentence tells nothing; one that this node's have and no other's tells most."""
    elsewhere = tuple(f"Thing{number} is a database with a table number{number}." for number in range(30))
    found = suggested(
        fact(quote="Ingres stores a vector in the database."),
        fact(other="B", quote="An index of the vector is part of the database."),
        space=elsewhere,
    )
    assert found[0] == "vector"
    assert found.index("index") < found.index("database")


def test_a_detail_of_one_sentence_goes_behind_what_others_say_too() -> None:
    quotes = (
        "Ingres has an optimizer and a moustache.",
        "An optimizer is dear.",
        *(f"It is table {number}." for number in range(9)),
    )
    found = suggested(fact(quote=quotes[0]), space=quotes[1:])
    assert found.index("optimizer") < found.index("moustache")


def test_what_a_sentence_says_that_the_node_is_goes_first() -> None:
    found = suggested(fact(quote="Ingres is a compiler with a parser for a grammar."))
    assert found[0] == "compiler"


@pytest.mark.parametrize(
    ("sentence", "groups"),
    [
        ("Ingres uses a query optimizer.", [["query", "optimizer"]]),
        ("It was created at Berkeley by two students.", []),
        ("PostGIS adds geometry to databases.", [["geometry"], ["database"]]),
        ("Acme wants to store the rows of tables quickly.", [["row"], ["table"]]),
        (
            "Acme, which sells licences, is providing the storage engine.",
            [["licence"], ["storage", "engine"]],
        ),
        ("They moved to California in March 1984.", []),
        ("It speaks SQL and is an extension of PostgreSQL.", [["sql"], ["extension"], ["postgresql"]]),
        ("The boundaries of classes are series of boxes.", [["boundary"], ["class"], ["series"], ["box"]]),
    ],
)
def test_groups_of_nouns(sentence: str, groups: list[list[str]]) -> None:
    assert list(find_noun_groups(sentence)) == groups


def test_no_relation_verb_is_ever_a_tag() -> None:
    verbs = (
        "created",
        "uses",
        "depends",
        "integrates",
        "founded",
        "works",
        "joined",
        "located",
        "acquired",
        "owns",
    )
    assert set(verbs) <= set(PATTERNS_BY_FIRST_WORD) | {"located"}
    found = suggested(
        *(
            fact(verb, f"Thing {number}", quote=f"Ingres {verb} Thing {number} and {verb} the vector.")
            for number, verb in enumerate(verbs)
        )
    )
    assert set(found).isdisjoint(verbs)
    assert "vector" in found


def test_names_of_the_node_and_at_a_facts_other_end_are_no_tags_of_it() -> None:
    quote = "Michael Stonebraker created the Ingres database in 1974, a university database."
    found = suggested(
        fact("created", "Michael Stonebraker", quote=quote),
        fact("part_of", "University Database", quote="The university has the Ingres system."),
        name="Ingres System",
    )
    assert {"michael", "stonebraker", "ingres", "system", "1974"}.isdisjoint(found)
    aliased = list_tag_candidates(
        material(fact(quote="The CERN accelerator is in a tunnel."), name="European Lab", aliases=("CERN",)),
        TermUsage(()),
    )
    assert {"accelerator", "tunnel"} <= set(aliased)
    assert "cern" not in aliased


def test_a_neighbours_type_counts_where_few_of_the_space_are_of_it() -> None:
    facts = (fact(kind="Person"), fact(other="B", kind="Event"))
    usage = TermUsage([SpaceFact(None, "Person", "Person")] * 20 + [SpaceFact(None, "Event", "Product")])
    found = list_tag_candidates(material(*facts), usage)
    assert "event" in found
    assert "person" not in found


def test_every_candidate_is_one_word_in_lower_case() -> None:
    quote = "Über-GROSSE Wörter, it's 42; tab\tand 日本語 — x y, C++ or an index's keys."
    found = suggested(fact("DEPENDS_on", quote=quote, kind="Odd Kind"))
    assert found
    assert all(tag == tag.casefold() and not any(c.isspace() for c in tag) for tag in found)
    assert all(len(tag) >= 3 for tag in found)


def test_neither_the_order_of_facts_nor_a_second_run_changes_them() -> None:
    facts = [
        fact(
            f"verb{number % 3}",
            f"Node{number}",
            quote=f"It has the {'abcdefghijkl'[number]}word of the {'abcd'[number % 4]}thing.",
            tags=(f"tag{number % 12}",),
        )
        for number in range(12)
    ]
    usage = TermUsage(
        SpaceFact(summary_fact.quote, "Product", summary_fact.other_type) for summary_fact in facts
    )
    expected = list_tag_candidates(material(*facts), usage)
    assert len(expected) == MAX_CANDIDATES
    for seed in range(10):
        Random(seed).shuffle(facts)
        shuffled = TermUsage(
            SpaceFact(summary_fact.quote, "Product", summary_fact.other_type) for summary_fact in facts
        )
        assert list_tag_candidates(material(*facts), shuffled) == expected


def test_of_all_candidates_eight_stay_and_existing_tags_are_reused_by_prefix() -> None:
    facts = [fact(quote=f"It has the data of the {letter}word.") for letter in "abcdefghijklmnop"]
    chosen = choose_tags(suggested(*facts), {"database": 3, "awordy": 1})
    assert len(chosen) == 8
    assert "awordy" in chosen
