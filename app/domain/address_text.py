"""Characters that the names of files may have and addresses do not. Pure."""

import re

INVISIBLE_CHARACTERS = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)
"""Zero-width characters and marks of direction: readers do not see them, but comparisons do."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def replace_control_characters(name: str) -> str:
    """Return the name of a file with replacement characters for control characters and line ends."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", name)
