"""app/db/policies.py states the row-security policy of each table, and the migrations create just that one.

The expected catalogue describes a migrated database; a test of tests/migrations keeps it up to date.
"""

import pytest

from app.db.doctor.catalogue import Relation
from app.db.doctor.catalogue_comparison import load_expected_catalogue
from app.db.policies import CONDITIONS, get_policy_condition, get_wall

CATALOGUE = load_expected_catalogue()
TABLES = sorted(
    subject for subject, aspects in CATALOGUE.items() if aspects.get("kind", "").startswith(("table", "part"))
)


def relation(table: str) -> Relation:
    columns = [aspect.removeprefix("column ") for aspect in CATALOGUE[table] if aspect.startswith("column ")]
    return Relation(table, table, "r", tuple(columns))


@pytest.mark.parametrize("table", TABLES)
def test_the_policy_of_a_table_is_the_stated_one(table: str) -> None:
    condition = get_policy_condition(relation(table))
    expected = (
        None if condition is None else f"permissive for * to PUBLIC using {condition} with check {condition}"
    )
    assert CATALOGUE[table].get("policy wall") == expected
    assert CATALOGUE[table]["row security"] == ("off" if condition is None else "enabled, forced")


def test_every_wall_is_that_of_a_table() -> None:
    assert {get_wall(relation(table)) for table in TABLES} == {*CONDITIONS, "none"}
