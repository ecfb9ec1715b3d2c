"""The list of erasures as text: one JSON object a line. Pure."""

from collections.abc import Iterable

from pydantic import ValidationError

from app.errors import InvalidInput
from app.transfer.erasures.kinds import ERASURE_KINDS
from app.transfer.erasures.shapes import Erasure


def format_erasures_as_json_lines(erasures: Iterable[Erasure]) -> str:
    """Return the lines of these erasures."""
    return "".join(f"{erasure.model_dump_json(exclude_none=True)}\n" for erasure in erasures)


def parse_erasures_from_json_lines(text: str) -> list[Erasure]:
    """Return the erasures of a list. Raises InvalidInput that names the first line that is not one."""
    return [
        _parse_line(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    ]


def _parse_line(number: int, line: str) -> Erasure:
    try:
        erasure = Erasure.model_validate_json(line)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field_path = ".".join(map(str, fault["loc"]))
        raise InvalidInput(
            f"Line {number} is no erasure: {field_path + ': ' if field_path else ''}{fault['msg']}.",
        ) from None
    if erasure.kind not in ERASURE_KINDS:
        raise InvalidInput(
            f"Line {number} is no erasure: this version knows no kind {erasure.kind!r}.",
        )
    return erasure
