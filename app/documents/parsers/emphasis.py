"""Strong words in a paragraph: a run-in heading is put on a line of its own."""

import re

STRONG, END_STRONG = "\x00(", "\x00)"
"""Marks around strong words while a paragraph is assembled; no text contains NUL at this point."""
_MAX_EMPHASIS_CHARACTERS = 80
_RUN_IN = re.compile(
    rf"(?P<before>\A|[.!?…:;\"”’)\]]|\n)\s*\x00\((?P<heading>[^\x00\n]{{3,{_MAX_EMPHASIS_CHARACTERS}}})\x00\)\s+(?=(?P<next>\w))"
)
_MARK = re.compile(r"\x00[()]")


def strip_marks_and_break_after_run_in_headings(paragraph: str, *, is_heading: bool = False) -> str:
    """Return the paragraph without marks, with run-in headings on lines of their own.

    A run-in heading opens a paragraph or follows a sentence, has no full stop, and a capital letter follows
    it: "… and left. **Early years** She was born in 1950". Scripts without capitals are left unchanged, as
    is a heading.
    """
    return _MARK.sub("", paragraph if is_heading else _RUN_IN.sub(_add_line_break_after_heading, paragraph))


def _add_line_break_after_heading(match: re.Match[str]) -> str:
    heading = match["heading"].strip()
    if not match["next"].isupper() or not (heading[-1:].isalnum() or heading[-1:] in ")?"):
        return match[0]
    sentence_end = match["before"].strip()
    return f"{sentence_end}\n{heading}\n" if sentence_end else f"{match['before']}{heading}\n"
