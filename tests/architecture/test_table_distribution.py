"""Every table has its distribution on a Citus cluster, with a reason."""

import pytest

from app.db.base import Base, Operational, SpaceOwned
from app.db.table_distribution import DISTRIBUTED, DISTRIBUTIONS, LOCAL_TABLES, SPACE_ID, list_distributions


def test_every_table_has_one_class_and_a_reason() -> None:
    assert {distribution.table for distribution in DISTRIBUTIONS} == {
        *Base.metadata.tables,
        "alembic_version",
    }
    assert DISTRIBUTED.isdisjoint(LOCAL_TABLES)
    assert all(distribution.reason for distribution in DISTRIBUTIONS)


def test_a_table_that_nobody_classed_is_refused() -> None:
    with pytest.raises(LookupError, match="price_list has no distribution"):
        list_distributions(["tenant", "price_list"])


def test_all_content_is_distributed_and_the_queue_is_not() -> None:
    content = {
        str(mapper.local_table.description)
        for mapper in Base.registry.mappers
        if issubclass(mapper.class_, SpaceOwned) and not issubclass(mapper.class_, Operational)
    } - {"job_error"}
    # A space's shard is what its own partition is on one machine.
    content -= {f"dedicated_{kind}_vector" for kind in ("chunk", "fact", "node")}
    assert content | {"space_size"} == DISTRIBUTED
    assert {"job", "job_error"} <= LOCAL_TABLES


@pytest.mark.parametrize("name", sorted(DISTRIBUTED))
def test_every_key_of_a_distributed_table_holds_its_space(name: str) -> None:
    """Citus keeps no unique constraint, and no key to another table, without the column of distribution."""
    table = Base.metadata.tables[name]
    assert table.primary_key.columns.keys()[0] == SPACE_ID
    for constraint in table.constraints:
        columns = [column.name for column in getattr(constraint, "columns", ())]
        if type(constraint).__name__ in ("UniqueConstraint", "PrimaryKeyConstraint"):
            assert SPACE_ID in columns, constraint.name
    for key in table.foreign_key_constraints:
        assert SPACE_ID in key.column_keys, key.name
    for index in table.indexes:
        if index.unique:
            assert SPACE_ID in [column.name for column in index.columns], index.name
