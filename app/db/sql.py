"""Named SQL: an algorithm in SQL is a file `sql/<name>.sql` of its domain, first line a sentence."""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """The text of `app/<domain>/sql/<query>.sql` for a name such as `graph.two_hops`.

    Parameters stand in it as `%(name)s`. Raises FileNotFoundError for an unknown name.
    """
    domain, query = name.split(".")
    return files(f"app.{domain}").joinpath("sql", f"{query}.sql").read_text("utf-8")
