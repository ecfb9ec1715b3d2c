"""`citegraph space set`: what a space sets for itself, shown and changed as a whole (requirement 5)."""

import pytest

from app.cli.space_settings import parse_assignments
from app.errors import InvalidInput
from app.space_settings import SpaceSettings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home


def test_every_setting_is_shown_with_what_it_does(citegraph: Call, filled: tuple[Home, Home]) -> None:
    shown = " ".join(citegraph("space", "set", "library").stdout.split())
    assert all(name in shown for name in SpaceSettings.model_fields)
    assert all(field.description for field in SpaceSettings.model_fields.values())


def test_settings_are_changed_one_by_one_and_go_back_to_the_default(
    citegraph: Call, filled: tuple[Home, Home]
) -> None:
    wanted = '{"Person": {"born_on": "date"}}'
    done = citegraph("space", "set", "library", "gleanings=2", f"node_attributes={wanted}")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f'Set: {{"gleanings": 2, "node_attributes": {wanted}}}\n'
    stored = read_json(citegraph("space", "set", "library", "gleanings=", "--json"))
    assert (stored["gleanings"], stored["node_attributes"]) == (0, {"Person": {"born_on": "date"}})
    assert read_json(citegraph("space", "show", "library", "--json"))["settings"] == {
        "node_attributes": {"Person": {"born_on": "date"}}
    }


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("gleanings", "does not assign a space setting"),
        ("no_such=1", "does not assign a space setting"),
        ("gleanings=9", "gleanings: "),
        ("gleanings=many", "gleanings: "),
        ("hybrid_weights=[0, 0, 0, 0]", "hybrid_weights: one weight at least must be above 0"),
        (
            'fact_source_weights={"file": 1}',
            "a weight is needed for each of user_edit, file, system, conversation",
        ),
        ("eviction=ttl", "eviction ttl needs eviction_ttl_days"),
        ('node_attributes={"Person": {"Born On": "date"}}', "node_attributes.Person.Born On"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_changes(
    citegraph: Call, filled: tuple[Home, Home], assignment: str, told: str
) -> None:
    refused = citegraph("space", "set", "library", "min_confidence=0.7", assignment)
    assert refused.exit_code == 1
    assert told in refused.stderr
    assert read_json(citegraph("space", "show", "library", "--json"))["settings"] == {}


def test_plain_words_need_no_quotes() -> None:
    own = parse_assignments(["eviction=ttl", "eviction_ttl_days=30", "budget_usd="])
    assert own == {"eviction": "ttl", "eviction_ttl_days": 30, "budget_usd": None}
    with pytest.raises(InvalidInput, match="The settings are: "):
        parse_assignments(["=1"])
