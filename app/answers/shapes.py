"""Shapes of the answers domain: questions, answers with their citations, and the events of a stream."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from app.errors import Conflict
from app.ids import ChunkId, DocumentId, EdgeId
from app.llm.prompts.answer import Turn
from app.retrieval.shapes import RetrievalResult

WITHOUT_MODEL = "No model is set up: the answer only quotes."
"""Warning of an answer for which no model is set up."""


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
    """Source `number`: a part of a chunk's text, and its position in the document's text, from 0."""

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
        """The position after its last character."""
        return self.char_start + len(self.text)


@dataclass(frozen=True, slots=True)
class TableCells:
    """A document with rows that answer, and the cells that all of these rows have in common."""

    document_id: DocumentId
    common_cells: tuple[str, ...]


MAX_ENDED_CLAIMS = 10
"""Maximum number of ended claims in the facts of a context."""


@dataclass(frozen=True, slots=True)
class EndedQuote:
    """Source `number` states `quote`, a claim that held until the day `until`; `claim` has it in words.

    `is_ended_by_person` is whether a person ended it, and no text. `standing_relation_types` has the types of
    claims that hold and that the same quote states: "Bob, who led A until 2019, leads B".
    """

    number: int
    claim: str
    quote: str
    until: str
    edge_id: EdgeId | None
    is_ended_by_person: bool = False
    relation_type: str = ""
    standing_relation_types: tuple[str, ...] = ()
    from_name: str = ""
    to_name: str = ""

    def is_only_asked_claim(self, asked_relation_types: Collection[str]) -> bool:
        """Return whether the quote tells a question that may mean these relation types only what has ended.

        If the quote also states what holds, the question must mean none of these types, and that of the ended
        claim, unless a person ended it: the text does not say so.
        """
        return not self.standing_relation_types or (
            (self.is_ended_by_person or self.relation_type in asked_relation_types)
            and not any(name in asked_relation_types for name in self.standing_relation_types)
        )


class EndLine(NamedTuple):
    """A line of the facts that tells that a claim no longer holds: "No longer, since 2024: … [2] [1]".

    `claim` has the claim in words, `since` its end as precise as stated, and `edge_ids` the rows of the line.
    """

    claim: str
    since: str | None
    edge_ids: tuple[EdgeId, ...]
    line: str

    def tells(self, ended_quote: EndedQuote) -> bool:
        """Return whether the line tells the end of this claim."""
        return ended_quote.edge_id in self.edge_ids or (
            ended_quote.claim == self.claim
            and (self.since is None or ended_quote.until.startswith(self.since))
        )


class NumberedQuote(NamedTuple):
    """A quote, and the number of its source in a context."""

    source_number: int
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """Sources numbered from 1, best first, and `facts` in words with these numbers; `truncated` says what was
    left out.

    `contested` has the numbers of sources that contradict each other, one tuple for each
    contradiction. `ended_quotes` has the claims of sources that no longer hold, of which the facts tell the
    first `MAX_ENDED_CLAIMS`; `end_lines` has the lines about denials that tell an end. `later_quotes` has the
    quotes that were stated only after the asked moment.
    """

    sources: tuple[Source, ...]
    facts: str
    format: ContextFormat
    contested: tuple[tuple[int, ...], ...] = ()
    truncated: tuple[str, ...] = ()
    ended_quotes: tuple[EndedQuote, ...] = ()
    later_quotes: tuple[NumberedQuote, ...] = ()
    end_lines: tuple[EndLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question; the `earlier` turns, oldest first, only help to resolve its references.

    With `as_of`, claims that held at that moment are used. Questions with the same `request_key` are
    repetitions of one request, for which a model's answer is paid once.
    """

    text: str
    earlier: tuple[Turn, ...] = ()
    scope: AnswerScope = AnswerScope.LOCAL
    format: ContextFormat = ContextFormat.NARRATIVE
    as_of: datetime | None = None
    request_key: str | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence `index`, from 0, without its marks, and the numbers of its citations.

    `supported` is False if it has no citation left, or if the cited texts do not state it
    (app/answers/support.py). None if this cannot be decided.
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
    """The short answer: `text` is the range `start` to `end` of the text of sentence `sentence`."""

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
    """A citation that was removed from sentence `sentence`; `mark` is its text as written."""

    sentence: int
    mark: str
    reason: RemovalReason


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and costs of an answer's model calls."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """The whole answer (requirement 10.2); the last event of every stream.

    `answer_span` is the short answer in the first sentence, if the question asks for a name, a date or a
    number. `model` is None unless `mode` is MODEL. `complete` is False if the model stopped before the end.
    If it `is_list`, the sentences are similar: rows, claims, members. `warnings` and `truncated` are
    sentences for people.
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
    """The result of retrieval, and the context of the answer; the first event of every stream."""

    retrieval: RetrievalResult
    context: Context


@dataclass(frozen=True, slots=True)
class SentenceWritten:
    """The next sentence of the answer, without citations of sources that the context does not have."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Interruption:
    """The model stopped after some sentences: `code` for programs, `message` for people."""

    code: str
    message: str


Event = ContextFound | SentenceWritten | Interruption | FinalAnswer


@dataclass(frozen=True, slots=True)
class RetrievedAnswer:
    """The result of retrieval and the answer, to be recorded; `final_answer` is None if the answer was not
    finished.
    """

    retrieval: RetrievalResult
    final_answer: FinalAnswer | None
