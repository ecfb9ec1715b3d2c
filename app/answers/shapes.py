"""Shapes of the answers domain: questions, answers with their citations, and the events of a stream."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from app.errors import Conflict
from app.ids import ChunkId, DocumentId, EdgeId
from app.llm.prompts.answer import Turn
from app.retrieval.shapes import Retrieved


class AnswerScope(StrEnum):
    """The scope of a question: things that the graph names, or the space as a whole (requirement 10.4)."""

    LOCAL = "local"
    GLOBAL = "global"


class Mode(StrEnum):
    """Who made the sentences: a model, rules that only quote, or nobody, since nothing was found."""

    MODEL = "model"
    EXTRACTIVE = "extractive"
    NOTHING = "nothing"


class NeedsCommunities(Conflict):
    """A global question is answered over community reports, and the space has none (requirement 10.4)."""

    code = "needs_communities"

    def __init__(self) -> None:
        super().__init__("A global question needs communities, and this space has none yet.")


class ContextFormat(StrEnum):
    """The form of the facts (requirement 10.1): as sections with `predicate: object`, or a line per node."""

    NARRATIVE = "narrative"
    ENTITY_LIST = "entity_list"


@dataclass(frozen=True, slots=True)
class Source:
    """Source `number`: a stretch of a chunk, and where it stands in its document's text, from 0."""

    number: int
    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    heading_path: tuple[str, ...]
    text: str
    char_start: int
    # Where in the file it stands, in words: "page 7".
    place: str | None = None
    # How far its document is trusted, at most 1.
    trust: float = 1.0

    @property
    def char_end(self) -> int:
        """One past its last character."""
        return self.char_start + len(self.text)


@dataclass(frozen=True, slots=True)
class TableCells:
    """A document with rows that answer, and the cells that each of these rows has, as far as they are one."""

    document_id: DocumentId
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """Source `number` says `quote`, a claim that held until `until`, a day; `claim` tells it in words."""

    number: int
    claim: str
    quote: str
    until: str
    edge_id: EdgeId | None


@dataclass(frozen=True, slots=True)
class Context:
    """Sources numbered from 1, best first, and `facts` told with these numbers; `truncated` in sentences.

    `contested` has the numbers of sources that state what cannot all hold, one tuple for each contradiction;
    `ended` what sources state that holds no more, `later` the quotes of what was said only after the moment
    that is asked about.
    """

    sources: tuple[Source, ...]
    facts: str
    format: ContextFormat
    contested: tuple[tuple[int, ...], ...] = ()
    truncated: tuple[str, ...] = ()
    ended: tuple[Ended, ...] = ()
    later: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `earlier` turns, oldest first, only say what it is about.

    With `as_of` the answer goes by what was said to hold at that moment.
    """

    text: str
    earlier: tuple[Turn, ...] = ()
    scope: AnswerScope = AnswerScope.LOCAL
    format: ContextFormat = ContextFormat.NARRATIVE
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence `index`, from 0, without its marks, and the numbers of the citations that it rests on.

    `supported` is False where no citation is left, or the cited texts do not state it: the same things in the
    same roles, as surely, with the same numbers, dates, and yes or no (app/answers/support.py). None where
    nothing tells: they say it in other words, or in a language that is not read.
    """

    index: int
    text: str
    citations: tuple[int, ...]
    supported: bool | None


class SpanKind(StrEnum):
    """The kind of a short answer."""

    NAME = "name"
    DATE = "date"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """The short answer: `text` stands from `start` to `end` in the text of sentence `sentence`, from 0."""

    kind: SpanKind
    text: str
    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """Citation `number`: the chunk, its document, and the range of `quote` in the document's text, from 0."""

    number: int
    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    quote: str
    char_start: int
    char_end: int
    place: str | None = None


class RemovalReason(StrEnum):
    """Why a citation was removed: the context holds no such source, or its text has gone from the space."""

    NOT_IN_CONTEXT = "not_in_context"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class RemovedCitation:
    """A citation that sentence `sentence` carried and that was taken out; `mark` as it was written."""

    sentence: int
    mark: str
    reason: RemovalReason


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and costs of an answer's calls to the model."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer (requirement 10.2); the last event of every stream.

    `answer_span` is the short answer within the first sentence, where the question asks for a name, a date or
    a number. `model` is None unless `mode` is MODEL. `complete` is False where the model stopped in its
    middle. Where it `is_list` its sentences tell several things alike: rows, claims, members.
    `warnings` and `truncated` are sentences for people.
    """

    question: str
    mode: Mode
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    removed: tuple[RemovedCitation, ...]
    context: Context
    graph_revision: int
    model: str | None = None
    complete: bool = True
    usage: Usage = Usage()
    warnings: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    answer_span: AnswerSpan | None = None
    is_list: bool = False

    @property
    def answer(self) -> str:
        """All sentences, each followed by the marks of its citations."""
        return " ".join(
            sentence.text + "".join(f" [{number}]" for number in sentence.citations)
            for sentence in self.sentences
        )


@dataclass(frozen=True, slots=True)
class ContextFound:
    """The retrieved chunks, and those the answer may rest on; the first event of every stream."""

    retrieved: Retrieved
    context: Context


@dataclass(frozen=True, slots=True)
class SentenceWritten:
    """One more sentence of the answer; what the context does not hold is out of it already."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The model stopped after some sentences: `code` for programs, `message` for people."""

    code: str
    message: str


Event = ContextFound | SentenceWritten | Interrupted | Answered


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer as its caller got it, to be recorded: without `answered` it stopped before its end."""

    retrieved: Retrieved
    answered: Answered | None
