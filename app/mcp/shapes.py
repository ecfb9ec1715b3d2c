"""Arguments and answers of the tools, kept small because agents pay by the token.

Answers are made of the shapes of `app/views`; those of their own have the API's names for what the API shows
too (tests/api/test_api_mcp.py).
"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, model_validator

from app.answers.shapes import Mode
from app.closed_fields import ClosedFields
from app.domain.layers import Layer
from app.graph.shapes import Direction
from app.graph.validity import Polarity
from app.http.input_text import Id, Moment, Name, SearchText, TypeName, check_question_or_both_ends
from app.limits import TOOL_FACTS, TOOL_NODES, TOOL_PASSAGES
from app.views.answers import AnswerCitationAnswer, AnswerSpanAnswer, SentenceAnswer
from app.views.documents import DocumentBrief, QuarantinedChunkAnswer
from app.views.golden import GoldenQuestionAnswer, GoldenRunAnswer
from app.views.nodes import NodeBrief
from app.views.retrieval import PassageBrief
from app.views.spaces import SpaceBrief
from app.views.view import View

SpaceRef = Annotated[Name, Field(description="The space's name or id, as in list_spaces.")]
AsOf = Annotated[
    Moment | None,
    Field(
        description="Only what held at that time, such as 2024-01-31T00:00:00Z; by default what holds now."
    ),
]
Layers = list[Annotated[Layer, Field(strict=False)]]
PLACE_DESCRIPTION = (
    "Location in the file: page 7; sheet Prices, row 12; slide 3. Null if it has no locations."
)
LAYERS_DESCRIPTION = (
    "claim: a known relation type; statement: the verb as written; named_together: one passage."
)


class Arguments(ClosedFields):
    """The arguments of a tool; unknown ones are refused."""


class NoArguments(Arguments):
    """A tool without arguments."""


class FindNodes(Arguments):
    """Words to look for in the names of nodes."""

    space: SpaceRef
    query: SearchText = Field(description="Words in names and aliases; no wildcards.")
    node_type: TypeName | None = Field(None, description="Only nodes of this type, such as Person.")
    limit: int = Field(10, ge=1, le=TOOL_NODES.maximum)


class AroundNode(Arguments):
    """A node whose surroundings are requested."""

    space: SpaceRef
    node: SearchText = Field(description="The node's name, alias or id.")
    depth: int = Field(1, ge=1, le=2, description="Hops.")
    direction: Direction = Field(Direction.BOTH, strict=False)
    relation_types: list[TypeName] = Field(default_factory=list, max_length=20)
    layers: Layers = Field(default_factory=list, max_length=3, description=LAYERS_DESCRIPTION)
    as_of: AsOf = None
    limit: int = Field(20, ge=1, le=TOOL_FACTS.maximum, description="Maximum number of facts.")


class Explain(Arguments):
    """A question to explain, or two nodes to connect."""

    space: SpaceRef
    question: SearchText | None = Field(None, description="In words. Then leave out `from` and `to`.")
    from_: SearchText | None = Field(None, alias="from", description="A node's name, alias or id.")
    to: SearchText | None = Field(None, description="The other node.")
    layers: Layers = Field(default_factory=list, max_length=3, description=LAYERS_DESCRIPTION)
    as_of: AsOf = None
    limit: int = Field(20, ge=1, le=TOOL_FACTS.maximum, description="Maximum number of facts.")

    @model_validator(mode="after")
    def _check_one_question(self) -> "Explain":
        check_question_or_both_ends(self.question, self.from_, self.to)
        return self


class Retrieve(Arguments):
    """A question, or some words, to find passages for."""

    space: SpaceRef
    query: SearchText
    as_of: AsOf = None
    limit: int = Field(5, ge=1, le=TOOL_PASSAGES.maximum, description="Maximum number of passages.")


class Ask(Arguments):
    """A question to answer."""

    space: SpaceRef
    question: SearchText
    as_of: AsOf = None


class ReadPassage(Arguments):
    """The passage to read."""

    space: SpaceRef
    chunk_id: Id = Field(description="As in citations and passages.")


class ReadDocument(Arguments):
    """The document whose state is requested."""

    space: SpaceRef
    document_id: Id = Field(description="As in citations and passages.")


class ReadGolden(Arguments):
    """The golden questions of a space, and one run of them."""

    space: SpaceRef
    run_id: Id | None = Field(
        None, description="One of `runs`. The default is the newest with the space's own settings."
    )


class SpacesFound(View):
    """The spaces that the key may open, oldest first."""

    items: list[SpaceBrief]
    truncated: list[str]


class NodesFound(View):
    """The nodes found, most mentioned first."""

    items: list[NodeBrief]
    truncated: list[str]


class Edge(View):
    """One claim or statement of the graph: an edge with the names of its ends.

    A claim has a known relation type; a statement has the verb of its sentence. `citation` is the number of
    the quote that states it, null if no document states it any more. `polarity` is `denied` if the quote says
    that it does not hold, `reported` if it only says that somebody claims it.
    """

    id: UUID
    from_name: str
    relation_type: str
    layer: Layer
    to_name: str
    confidence: float
    polarity: Polarity
    valid_from: datetime | None
    invalidated_at: datetime | None
    citation: int | None


class Edges(View):
    """Edges with their quotes. `truncated` and `warnings` are sentences about limits and ambiguous names."""

    edges: list[Edge]
    citations: list[AnswerCitationAnswer]
    truncated: list[str]
    warnings: list[str]


class Statement(View):
    """A statement about a thing in the words of its clause; the quote is the whole sentence."""

    about: str
    subject: str
    predicate: str
    text: str
    confidence: float
    evidence: AnswerCitationAnswer


class Neighborhood(Edges):
    """A node, the edges around it, and what texts say of it in their own words, the most certain first."""

    node: NodeBrief
    statements: list[Statement]


class NamedTogether(View):
    """A verbatim quote that names two nodes, where no edge says how they are related."""

    names: list[str]
    in_sentence: bool
    evidence: AnswerCitationAnswer


class Reported(View):
    """A claim that no source states itself; one source says that somebody, `said_by`, makes it. It is not a
    fact.
    """

    claim: str
    said_by: str
    since: str | None
    evidence: AnswerCitationAnswer | None


class Explanation(Edges):
    """How things are connected: `narrative` describes it, with [n] for citation n, and with values of the
    nodes.

    `paths` name the nodes in order, and at the end the requested value. `contested` has the ids of edges that
    cannot all hold, a list for each contradiction; `reported` has what is only said to be claimed. If nothing
    was found, `why_not` says why, and `named_together` has the passages that name two of the nodes: they are
    not facts, but places to read on. `statements` are what texts say of the nodes in their own words.
    """

    narrative: str
    paths: list[list[str]]
    contested: list[list[UUID]]
    reported: list[Reported]
    named_together: list[NamedTogether]
    statements: list[Statement]
    why_not: list[str]


class PassagesFound(View):
    """Passages, best first."""

    passages: list[PassageBrief]
    truncated: list[str]
    warnings: list[str]


class AnswerFound(View):
    """An answer; `mode` is `model`, `extractive` (quotes only) or `nothing` if no document answers."""

    answer: str
    answer_span: AnswerSpanAnswer | None
    sentences: list[SentenceAnswer]
    citations: list[AnswerCitationAnswer]
    mode: Mode
    truncated: list[str]
    warnings: list[str]


class WholePassage(View):
    """A complete passage, with its position in its document."""

    chunk_id: UUID
    document_id: UUID
    document_title: str
    source_uri: str | None
    place: str | None = Field(description=PLACE_DESCRIPTION)
    heading_path: list[str]
    text: str
    char_start: int
    char_end: int
    quarantine_reason: str | None
    """Why no graph could be extracted from it; null if one was."""


class DocumentState(DocumentBrief):
    """A document: whether it was read, and from which of its passages no graph could be extracted.

    `failure_reason` says why it could not be read at all. `quarantined` has the first hundred of the
    `quarantined_chunks`: they are searched and quoted, but the graph has no facts from them.
    """

    quarantined: list[QuarantinedChunkAnswer]


class GoldenQuestion(GoldenQuestionAnswer):
    """A question with its expected result, and its outcome in the reported run.

    `change` compares it with the previous run; it and the other outcomes are null if the question was not
    asked.
    """

    passed: bool | None = None
    reply: str | None = None
    answer_matched: bool | None = None
    source_cited: bool | None = None
    change: str | None = None


class GoldenFound(View):
    """Golden questions, their outcomes in `run_id`, and the newest runs."""

    run_id: UUID | None
    questions: list[GoldenQuestion]
    runs: list[GoldenRunAnswer]
    truncated: list[str]
