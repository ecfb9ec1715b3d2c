"""An answer as API and MCP return it: sentences with their citations, and the context that supports them."""

from uuid import UUID

from pydantic import Field

from app.answers.shapes import ContextFormat, Mode, RemovalReason, SpanKind
from app.views.view import View


class SourceAnswer(View):
    """Source `number` of the context: a part of a chunk; the range counts characters of the document's
    text.
    """

    number: int
    chunk_id: UUID
    document_id: UUID
    document_title: str
    heading_path: list[str]
    text: str
    char_start: int
    char_end: int
    place: str | None = Field(
        None, description="Its location in the file, if the format has locations: page 7."
    )
    trust: float = Field(description="The trust in its document, from 0.01 to 1.")


class ContextAnswer(View):
    """All that the answer may be based on; `facts` states the graph's facts, with [n] for source n.

    `contested` has the numbers of sources that contradict one another, a list for each contradiction.
    """

    format: ContextFormat
    contested: list[list[int]]
    facts: str
    sources: list[SourceAnswer]


class SentenceAnswer(View):
    """A sentence and the numbers of its citations.

    `supported` is true if the cited texts state it, false if they do not or no citation is left, and null if
    that cannot be decided: the texts use other words, or a language that is not supported.
    """

    index: int
    text: str
    citations: list[int]
    supported: bool | None


class AnswerSpanAnswer(View):
    """The short answer: `text` is at `start` to `end` in the text of sentence `sentence`, from 0."""

    kind: SpanKind
    text: str
    sentence: int
    start: int
    end: int


class AnswerCitationAnswer(View):
    """Citation [number]: a chunk of this space, and the position of the quote in its document's text,
    from 0.
    """

    number: int
    chunk_id: UUID
    document_id: UUID
    document_title: str
    quote: str
    char_start: int
    char_end: int
    place: str | None = Field(
        None, description="Its location in the file, if the format has locations: page 7."
    )


class RemovedCitationAnswer(View):
    """A citation that was removed from sentence `sentence`: not_in_context is made up, gone was deleted."""

    sentence: int
    mark: str
    reason: RemovalReason


class AnswerUsageAnswer(View):
    """The sum of the answer's calls to a model."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class AskAnswer(View):
    """An answer in sentences; `answer` is all of them with their marks.

    `mode` says what produced them: model, extractive (quotes only) or nothing. `complete` is false if the
    model stopped early.
    """

    question: str
    mode: Mode
    model: str | None
    answer: str
    answer_span: AnswerSpanAnswer | None = Field(
        description="The short answer in the first sentence, if the question asks for a name, a date or a"
        " number and one can be identified; null otherwise."
    )
    complete: bool
    sentences: list[SentenceAnswer]
    citations: list[AnswerCitationAnswer]
    removed: list[RemovedCitationAnswer]
    context: ContextAnswer
    graph_revision: int = Field(description="The revision of the graph that was read.")
    usage: AnswerUsageAnswer
    warnings: list[str]
    truncated: list[str]
