"""Remove the thoughts that a reasoning model writes before its answer."""


class ThoughtFilter:
    """Removes the thoughts from one answer that arrives in pieces."""

    BEGIN, END = "<think>", "</think>"

    def __init__(self) -> None:
        self._unread_text = ""
        self._are_thoughts_over = False

    def strip_thoughts(self, piece: str) -> str:
        """Return the part of the answer in this piece and in earlier pieces that were held back."""
        if self._are_thoughts_over:
            return piece
        self._unread_text += piece
        stripped_text = self._unread_text.lstrip()
        if stripped_text.startswith(self.BEGIN):
            _, end_mark, answer = stripped_text.partition(self.END)
            if not end_mark:
                return ""
            self._are_thoughts_over = bool(answer.lstrip())
            self._unread_text = f"{self.BEGIN}{self.END}"
            return answer.lstrip()
        if self.BEGIN.startswith(stripped_text):
            return ""
        self._are_thoughts_over = True
        return self._unread_text

    def get_rest_without_thought(self) -> str:
        """Return text that was held back at the end of the stream and is not a thought."""
        return (
            ""
            if self._are_thoughts_over or self._unread_text.lstrip().startswith(self.BEGIN)
            else self._unread_text
        )
