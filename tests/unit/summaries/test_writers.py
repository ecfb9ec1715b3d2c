"""Summaries by rules: one or two plain sentences out of the strongest facts, each cited; no model, no
database.
"""

from uuid import UUID

from app.derived.summaries.delta import SummaryFact
from app.derived.summaries.shapes import Claim, Summary, SummaryMaterial
from app.derived.summaries.writers import FACTS_PER_SENTENCE, RulesWriter
from app.ids import EdgeId, NodeId

ACME = NodeId(UUID(int=1))


def claim(number: int, source: str, relation: str, target: str, quote: str = "") -> Claim:
    ends = (str(ACME), "x") if source == "Acme" else ("x", str(ACME))
    return Claim(SummaryFact(source, relation, target, quote, ends), 1.0, (EdgeId(UUID(int=100 + number)),))


def write(*claims: Claim) -> Summary:
    (summary,) = RulesWriter().write_summaries([SummaryMaterial(ACME, "Acme", "Organization", claims)])
    return summary


def told(summary: Summary) -> list[tuple[str, int]]:
    return [
        (summary.text[citation.char_start : citation.char_end], len(citation.edge_ids))
        for citation in summary.citations
    ]


def test_what_it_does_and_what_others_do_with_it_are_a_sentence_each() -> None:
    summary = write(
        claim(1, "Acme", "owns", "Rocket"),
        claim(2, "Acme", "owns", "Base"),
        claim(3, "Bob", "works_for", "Acme"),
        claim(4, "Eve", "works_for", "Acme"),
        claim(5, "Acme", "located_in", "Paris"),
    )
    assert (
        summary.text
        == "Acme owns Rocket and Base and is located in Paris. Bob works for Acme and Eve works for Acme."
    )
    assert told(summary) == [
        ("Acme owns Rocket and Base and is located in Paris.", 3),
        ("Bob works for Acme and Eve works for Acme.", 2),
    ]
    assert summary.written_by == "rules"


def test_a_sentence_tells_three_facts_at_most() -> None:
    assert FACTS_PER_SENTENCE == 3
    summary = write(*(claim(number, "Acme", "owns", f"Thing{number}") for number in range(9)))
    assert told(summary) == [("Acme owns Thing0, Thing1 and Thing2.", 3)]


def test_what_is_denied_is_quoted() -> None:
    summary = write(
        claim(1, "Acme", "owns", "Rocket"),
        claim(2, "Acme", "owns", "Rocket", "Acme no longer  owns the Rocket."),
    )
    assert summary.text == "Acme owns Rocket. It is also said: “Acme no longer owns the Rocket.”"
    assert [count for _, count in told(summary)] == [1, 1]


def test_a_node_of_which_everything_is_denied() -> None:
    assert write(claim(1, "Acme", "owns", "Rocket", "Acme never owned it.")).text.startswith(
        "It is also said"
    )
