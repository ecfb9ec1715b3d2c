"""A second look at each passage for entities that pass 1 missed (requirement 5.6); off by default, as it
costs calls.
"""

import json
from collections.abc import Iterable, Sequence

from app.llm.prompts import entities
from app.llm.prompts.shapes import Prompt

VERSION = "gleaning-1"
_FOUND = """\
Each passage begins with a JSON list of names of entities that an earlier look found in it. That look missed some. \
List those alone, and nothing of the list; an empty list where none was missed.
"""  # noqa: E501


def build_prompt(node_types: Iterable[str]) -> Prompt:
    """The prompt of a space that allows these node types: as pass 1 asks, after what was found."""
    first = entities.build_prompt(node_types)
    return Prompt("gleaning", f"{VERSION}+{first.version}", _FOUND + first.system, first.schema, first.entry)


def render_passage(rendered: str, *, known_names: Sequence[str]) -> str:
    """A passage of pass 1 after the names that have been found in it."""
    return f"{json.dumps(list(known_names), ensure_ascii=False)}\n{rendered}"


def is_ours(system: str) -> bool:
    """Return whether a system message is this prompt's, for doubles."""
    return system.startswith(_FOUND)
