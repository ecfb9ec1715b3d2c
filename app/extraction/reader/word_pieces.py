"""Word pieces of a fixed vocabulary with known vectors: the longest that match, in order."""

import re
import unicodedata
from collections.abc import Sequence

_CONTINUATION_PREFIX = "##"
"""Prefix of a piece inside a word."""
_RUN = re.compile(r"[^\W_]+|[\W_]")
_MAX_WORD_LENGTH = 100


class Pieces:
    """The pieces of a vocabulary, by their index in it."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._row_by_piece = {piece: row for row, piece in enumerate(pieces)}
        self._max_length = max(map(len, pieces), default=0)

    def is_single_piece(self, word: str) -> bool:
        """Return whether a word in lower case is one piece: it is frequent in English."""
        return word in self._row_by_piece

    def list_piece_rows(self, word: str) -> tuple[int, ...]:
        """Return the indexes of a word's pieces, in order; parts without matching pieces are skipped.

        Case and accents are ignored, and each punctuation mark is a separate part.
        """
        decomposed_word = unicodedata.normalize("NFD", word[:_MAX_WORD_LENGTH].lower())
        unaccented_word = "".join(
            character for character in decomposed_word if unicodedata.category(character) != "Mn"
        )
        return tuple(row for run in _RUN.findall(unaccented_word) for row in self._list_pieces_of_run(run))

    def _list_pieces_of_run(self, run: str) -> list[int]:
        rows: list[int] = []
        start = 0
        while start < len(run):
            prefix = _CONTINUATION_PREFIX if start else ""
            for end in range(min(len(run), start + self._max_length), start, -1):
                row = self._row_by_piece.get(prefix + run[start:end])
                if row is not None:
                    break
            else:
                return []
            rows.append(row)
            start = end
        return rows
