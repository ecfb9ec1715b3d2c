"""Statements in files: each says what it answers and names the space it is about (plan item 7)."""

import re

from app.db.base import Base, SpaceOwned
from tests.architecture.tree import PROJECT, program

# Work of the platform across spaces, on rows without content (rule I4).
ACROSS_SPACES = {"jobs.claim_tenant", "jobs.count_ready"}
SETTINGS = re.compile(r"app\.(space_id|tenant_id|platform)\b")
# The door sets them; the command line hands one to psql.
NAMES_SETTINGS = ("app/db/", "app/cli/inspect.py")


def statements() -> dict[str, str]:
    """The text of every `app/<domain>/sql/<query>.sql` by its name `domain.query`."""
    paths = (PROJECT / "app").glob("*/sql/*.sql")
    return {f"{path.parts[-3]}.{path.stem}": path.read_text("utf-8") for path in paths}


def test_every_statement_begins_with_its_name_and_a_sentence() -> None:
    """Who meets it in a plan or in pg_stat_statements must find out what it is for."""
    wrong = [name for name, sql in statements().items() if not sql.startswith(f"-- {name.split('.')[1]}: ")]
    assert wrong == []


def test_every_statement_on_content_names_the_space() -> None:
    """Row security would hide the rest, at half as much cost again; and two walls must not be one."""
    owned = [
        str(mapper.local_table.description)
        for mapper in Base.registry.mappers
        if issubclass(mapper.class_, SpaceOwned)
    ]
    touches = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE)\s+(ONLY\s+)?({'|'.join(owned)})\b", re.IGNORECASE)
    found = {name for name, sql in statements().items() if touches.search(sql)}
    wrong = {name for name in found if "knowledge_space_id" not in statements()[name]}
    assert len(found) > 5
    assert wrong - ACROSS_SPACES == set()


def test_the_settings_behind_row_security_are_the_doors_alone() -> None:
    """A plain SET would stay on the pooled connection and show one tenant to the next (fact 3)."""
    wrong = [name for name, sql in statements().items() if SETTINGS.search(sql)]
    wrong += [
        source.place
        for source in program()
        if SETTINGS.search(source.text) and not source.place.startswith(NAMES_SETTINGS)
    ]
    assert wrong == []
