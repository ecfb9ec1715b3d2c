"""The thoughts of a reasoning model before its answer, where the server sends them as text: left out."""


class Thoughts:
    """Leaves the thoughts out of one answer that comes in pieces."""

    BEGIN, END = "<think>", "</think>"

    def __init__(self) -> None:
        self._unread = ""
        self._is_past = False

    def strip_thoughts(self, piece: str) -> str:
        """The part of this piece, and of those held back before it, that is the answer."""
        if self._is_past:
            return piece
        self._unread += piece
        begun = self._unread.lstrip()
        if begun.startswith(self.BEGIN):
            _, end, answer = begun.partition(self.END)
            if not end:
                return ""
            self._is_past = bool(answer.lstrip())
            self._unread = f"{self.BEGIN}{self.END}"
            return answer.lstrip()
        if self.BEGIN.startswith(begun):
            return ""
        self._is_past = True
        return self._unread

    def take_remaining(self) -> str:
        """The text that was held back and was no thought, at the end of the stream."""
        return "" if self._is_past or self._unread.lstrip().startswith(self.BEGIN) else self._unread
