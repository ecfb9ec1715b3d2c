"""Request bodies of questions."""

from typing import Literal

from pydantic import Field

from app.answers.shapes import AnswerScope, ContextFormat, Question
from app.api.shapes import Body
from app.http.input_text import Moment, Remark, SearchText
from app.limits import TURNS
from app.llm.prompts.answer import Turn


class TurnBody(Body):
    """One earlier turn of a conversation."""

    speaker: Literal["user", "assistant"]
    text: Remark


class AskBody(Body):
    """A question; `history`, oldest first, is used only to resolve what the question refers to."""

    question: SearchText
    scope: AnswerScope = Field(
        AnswerScope.LOCAL,
        strict=False,
        description="local: nodes that the question names; global: the space as a whole.",
    )
    history: list[TurnBody] = Field(default_factory=list, max_length=TURNS.maximum)
    context_format: ContextFormat = Field(
        ContextFormat.NARRATIVE, strict=False, description="The form in which the context states its facts."
    )
    as_of: Moment | None = Field(None, description="Only claims that held at that time.")

    def to_question(self, request_key: str | None = None) -> Question:
        """Return the question as a value of the answers room; repetitions have the same `request_key`."""
        earlier_turns = tuple(Turn(turn.speaker, turn.text) for turn in self.history)
        return Question(
            self.question, earlier_turns, self.scope, self.context_format, self.as_of, request_key
        )
