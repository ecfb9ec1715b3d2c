"""Tags that rules suggest (requirement 11.1): lower case, one word, by relevance, the same for the same graph."""

from random import Random
from uuid import uuid4

from app.graph.tag_suggestions import MOST_CANDIDATES, TagFact, TagMaterial, candidates
from app.graph.tags import choose_tags
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


def test_the_type_comes_first_and_a_lone_node_has_that_alone() -> None:
    assert candidates(material()) == ["product"]
    assert candidates(material(fact(kind="Person"), kind="Software Product"))[0] == "software-product"


def test_what_most_neighbours_are_tagged_goes_before_what_one_is() -> None:
    found = candidates(
        material(
            fact(tags=("storage",)),
            fact(other="B", tags=("storage", "rare")),
            fact(other="C", tags=("storage",)),
        )
    )
    assert found.index("storage") < found.index("rare")
    assert found[:2] == ["product", "storage"]


def test_words_of_quotes_count_by_their_share_of_the_facts() -> None:
    found = candidates(
        material(
            fact(quote="A relational database uses Other Thing."),
            fact(quote="The database is fast.", other="Speed"),
        )
    )
    assert found.index("database") < found.index("relational")


def test_names_at_a_facts_ends_are_no_tags_of_either() -> None:
    found = candidates(
        material(fact("created", "Michael Stonebraker", quote="Michael Stonebraker created Ingres in 1974."))
    )
    assert {"michael", "stonebraker", "ingres", "1974"}.isdisjoint(found)
    assert {"created", "concept", "product"} <= set(found)


def test_an_acronym_among_the_aliases_is_offered() -> None:
    assert "cern" in candidates(
        material(name="European Organization", aliases=("CERN", "European Organization for Physics"))
    )


def test_every_candidate_is_one_word_in_lower_case() -> None:
    quote = "Über-GROSSE Wörter, it's 42; tab\tand 日本語 — x y."
    found = candidates(material(fact("DEPENDS_on", quote=quote, kind="Odd Kind")))
    assert all(each == each.casefold() and not any(c.isspace() for c in each) for each in found)
    assert all(len(each) >= 3 for each in found)


def test_neither_the_order_of_facts_nor_a_second_run_changes_them() -> None:
    facts = [
        fact(
            f"verb{number % 3}",
            f"Node{number}",
            quote=f"word{number % 5} thing{number}",
            tags=(f"tag{number % 4}",),
        )
        for number in range(12)
    ]
    expected = candidates(material(*facts))
    assert len(expected) == MOST_CANDIDATES
    for seed in range(10):
        Random(seed).shuffle(facts)
        assert candidates(material(*facts)) == expected


def test_of_all_candidates_eight_stay_and_existing_tags_are_reused_by_prefix() -> None:
    facts = [fact(quote=f"word{number} data") for number in range(20)]
    chosen = choose_tags(candidates(material(*facts)), {"database": 3, "productivity": 1})
    assert len(chosen) == 8
    assert chosen[0] == "productivity"
    assert "database" in chosen
