"""Ask a model again if its answers are malformed: with the fault named, then about one passage at a time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.llm.call_records import Answer

# Batches without any readable answer after which passages are no longer asked one by one.
_MAX_BARREN_BATCHES = 2


class KeyedPassage(NamedTuple):
    """A passage to ask about, and the key of its answer."""

    key: str
    passage: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a passage has no answer; the message contains no text of the document or the model."""

    code: str
    message: str


class CallResult(NamedTuple):
    """The answers of a call by key, its first fault, and whether nothing could be read."""

    answers: dict[str, Answer]
    first_fault: str
    is_unreadable: bool


class Call(NamedTuple):
    """The passages that are asked about in one call, and the language of most of them."""

    passages: Sequence[KeyedPassage]
    language: str


class MalformedAnswerRetries:
    """Asks about the passages of a batch, and again about those whose answers are malformed.

    The second call names the fault. If it gives no readable answer, the passages are asked about one by one,
    since one may spoil the answers for the others. After `_MAX_BARREN_BATCHES` batches in a row where that
    gave nothing, it is no longer tried.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._barren_batch_count = 0

    def ask(
        self, ask_once: Callable[[Call, str | None], CallResult], call: Call
    ) -> dict[str, Answer | Fault]:
        """Return an answer or a fault for each passage of the call, by key.

        `ask_once` makes one call, which names the fault of the answers before, None in the first call.
        """
        answers: dict[str, Answer | Fault] = {}
        first_result = ask_once(call, None)
        answers |= first_result.answers
        unanswered_passages = _list_unanswered(call.passages, answers)
        if not unanswered_passages:
            return answers
        second_result = ask_once(call._replace(passages=unanswered_passages), first_result.first_fault)
        answers |= second_result.answers
        fault = second_result.first_fault
        unanswered_passages = _list_unanswered(unanswered_passages, answers)
        if (
            second_result.is_unreadable
            and len(unanswered_passages) > 1
            and self._barren_batch_count < _MAX_BARREN_BATCHES
        ):
            answer_count_before = len(answers)
            for keyed_passage in unanswered_passages:
                answers |= ask_once(call._replace(passages=[keyed_passage]), fault).answers
            with self._lock:
                self._barren_batch_count = (
                    0 if len(answers) > answer_count_before else self._barren_batch_count + 1
                )
        for key, _ in unanswered_passages:
            answers.setdefault(
                key, Fault("malformed_answer", f"The model's answer could not be used: {fault}")
            )
        return answers


def _list_unanswered(
    keyed_passages: Sequence[KeyedPassage], answers: Mapping[str, Answer | Fault]
) -> list[KeyedPassage]:
    return [keyed_passage for keyed_passage in keyed_passages if keyed_passage.key not in answers]
