"""Files of several parts (pages, mails, sheets): a broken part is named, and the others are read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly
from app.errors import CitegraphError
from app.number_words import pluralise

_MAX_NAMED_PARTS = 50
_CODES_OF_BROKEN_PARTS = frozenset({"damaged_document", "invalid_character", "empty_document"})
"""Codes of refusals that concern one part; others, such as limits, refuse the file."""


class BrokenParts:
    """Counts the parts of a file that could be read, and names those that could not."""

    def __init__(self, noun: str, *, reraised_errors: tuple[type[Exception], ...] = ()) -> None:
        self._noun = noun
        self._reraised_errors = reraised_errors
        self._read_count = 0
        self._broken_count = 0
        self._broken_names: list[str] = []

    @contextmanager
    def tolerate_failure_of_part(self, name: str, *, counts: bool = True) -> Iterator[None]:
        """Read one part; where that fails, keep its name and go on.

        Refusals that concern the whole file, and `reraised_errors`, are raised. With `counts` false the
        part is not a page, mail or sheet of its own.
        """
        try:
            yield
        except Exception as error:
            # Libraries raise whatever the broken part provokes; their texts quote the file.
            if isinstance(
                error, (RecursionError, *self._reraised_errors)
            ) or parse_errors.is_out_of_memory_error(error):
                raise
            if isinstance(error, CitegraphError) and error.code not in _CODES_OF_BROKEN_PARTS:
                raise
        else:
            self._read_count += counts
            return
        self._broken_count += counts
        self._broken_names.append(name)

    def raise_if_most_are_broken(self) -> None:
        """Raise InvalidInput `damaged_document` if more parts are broken than could be read."""
        if self._broken_count > self._read_count:
            part_total = pluralise(self._broken_count + self._read_count, self._noun)
            raise parse_errors.build_damaged_document_error(
                f"{self._broken_count:,} of its {part_total} cannot be read, since they are damaged"
            )

    def note_failures_on_document(self, assembly: Assembly) -> None:
        """Name the broken parts on the document."""
        if self._broken_names:
            assembly.note_omission(describe_broken_parts(self._broken_names))


def describe_broken_parts(broken_names: Sequence[str]) -> str:
    """Return the sentence that names the first 50 of these parts, and counts the others."""
    named_parts = broken_names[:_MAX_NAMED_PARTS]
    further_count = len(broken_names) - len(named_parts)
    further_parts_note = f" and {pluralise(further_count, 'further part')}" if further_count else ""
    return f"Damaged and not read: {', '.join(named_parts)}{further_parts_note}."
