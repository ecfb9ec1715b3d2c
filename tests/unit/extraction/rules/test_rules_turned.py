"""What a sentence says the other way round, "the CEO of Acme is Ann Lee", and what it passes on."""

import pytest

from tests.unit.extraction.rules.test_rules_denials import claims, rows

TURNED = """
The CEO of Acme Labs is Ann Lee. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs
Since 2019 the CEO of Acme Labs has been Ann Lee. | Ann Lee head_of Acme Labs [2019..]; Ann Lee works_for Acme Labs [2019..]
The CEO of Acme Labs was Ann Lee until 2016. | Ann Lee head_of Acme Labs [..2016]; Ann Lee works_for Acme Labs [..2016]
The CEO of Acme Labs is not Ann Lee. | not Ann Lee head_of Acme Labs
The CEO of Acme Labs is no longer Ann Lee. | not Ann Lee head_of Acme Labs
The new owner of Acme Labs is Zeta Group. | Zeta Group owns Acme Labs
Acme Labs's owner is Zeta Group. | Zeta Group owns Acme Labs
A subsidiary of Acme Labs is Zeta Group. | Acme Labs owns Zeta Group
The author of Dune is Ann Lee. | Ann Lee created Dune
The capital of France is Paris. | Paris capital_of France
France's capital is Paris. | Paris capital_of France
He says that the owner of Acme Labs is Zeta Group. | Zeta Group owns Acme Labs
"""  # noqa: E501


@pytest.mark.parametrize(("text", "expected"), rows(TURNED))
def test_what_is_said_the_other_way_round_is_read_as_what_it_means(text: str, expected: str) -> None:
    assert claims(text) == set(expected.split("; "))


@pytest.mark.parametrize(
    "text",
    [
        "The former CEO of Acme Labs is Ann Lee.",
        "The next CEO of Acme Labs is Ann Lee.",
        "The wife of the CEO of Acme Labs is Ann Lee.",
        "The CEO of Acme Labs is Ann Lee's brother.",
        "Acme Labs's CEO is Ann Lee's brother.",
        "The CEO of Acme Labs is a friend of Ann Lee.",
        "If the CEO of Acme Labs is Ann Lee, Zeta Group will sue.",
        "Port Ellery is often said to be the capital of Vandria.",
        "Port Ellery is sometimes mistaken for the capital of Vandria.",
        "Zeta Group is thought to be the owner of Acme Labs.",
    ],
)
def test_who_is_meant_otherwise_and_what_others_say_is_left(text: str) -> None:
    assert claims(text) == set()
