"""Names whose extent an acronym in brackets decides (issue 23, items 4 and 6)."""

import pytest

from tests.unit.extraction.rules.test_rules_entities import names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "The Organization for Tides and Harbours in Norway (OTHN) objected.",
            "Organization for Tides and Harbours in Norway",
        ),
        ("Ann Lee joined the Osmark Network for Open Data (ONOD).", "Osmark Network for Open Data"),
        ("The Institute on Sand in Deserts (ISD, Cairo) closed.", "Institute on Sand in Deserts"),
    ],
)
def test_an_acronym_in_brackets_spells_the_whole_name(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "The Organization for Tides in Norway (SMHI) objected.",
        "The Organization for Tides in Norway (ON) objected.",
        "The Organization for Tides, Harbours in Norway (OTHN) objected.",
    ],
)
def test_other_brackets_leave_the_name_as_it_is(text: str) -> None:
    assert not [name for name in names(text) if name.startswith("Organization") and name.endswith("Norway")]
