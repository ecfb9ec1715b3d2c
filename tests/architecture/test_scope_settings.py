"""No statement and no module but the door says which space is open (plan item 7)."""

import re

from app.db.sql import list_statement_files, load_statement
from tests.architecture.tree import program

SETTINGS = re.compile(r"app\.(space_id|tenant_id|platform)\b")
# The door sets them; the command line hands one to psql.
NAMES_SETTINGS = ("app/db/", "app/cli/inspect.py")


def statements() -> dict[str, str]:
    """The text of every `app/<domain>/sql/<query>.sql`, fragments included, by its name `domain.query`."""
    return {name: load_statement(name) for name in list_statement_files()}


def test_the_settings_behind_row_security_are_the_doors_alone() -> None:
    """A plain SET would stay on the pooled connection and show one tenant to the next (fact 3)."""
    wrong = [name for name, sql in statements().items() if SETTINGS.search(sql)]
    wrong += [
        source.place
        for source in program()
        if SETTINGS.search(source.text) and not source.place.startswith(NAMES_SETTINGS)
    ]
    assert wrong == []
