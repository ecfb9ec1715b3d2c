"""The prompt of a second pass for entities that pass 1 missed (requirement 5.6).

Off by default, because it costs further calls.
"""

import json
from collections.abc import Iterable, Sequence

from app.llm.prompts import entities
from app.llm.prompts.shapes import Prompt

VERSION = "gleaning-2"
_FOUND_NAMES_INSTRUCTION = """\
Each passage begins with a JSON list of names of entities that an earlier look found in it. List those \
alone that it missed, or an empty list: often it missed none.
"""


def build_prompt(node_types: Iterable[str]) -> Prompt:
    """Return the prompt of a space that allows these node types: that of pass 1 with the known names."""
    first_prompt = entities.build_prompt(node_types)
    return Prompt(
        "gleaning",
        f"{VERSION}+{first_prompt.version}",
        _FOUND_NAMES_INSTRUCTION + first_prompt.system,
        first_prompt.schema,
        first_prompt.entry_model,
        has_independent_items=True,
    )


def render_passage(rendered_passage: str, *, known_names: Sequence[str]) -> str:
    """Return a rendered passage of pass 1 preceded by the names already found in it."""
    return f"{json.dumps(list(known_names), ensure_ascii=False)}\n{rendered_passage}"


def is_system_message_of_prompt(system: str) -> bool:
    """Return whether a system message is this prompt's, for model doubles."""
    return system.startswith(_FOUND_NAMES_INSTRUCTION)
