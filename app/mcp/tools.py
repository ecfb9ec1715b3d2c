"""The tools: each reads one of the caller's spaces through the same services as the API."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from app.answers.golden import service as golden
from app.answers.shapes import FinalAnswer, Question
from app.db.session import SpaceSession
from app.documents import service as documents
from app.errors import NotFound, ScopeMissing
from app.graph import service as graph
from app.graph.narrative import format_attribute
from app.graph.shapes import (
    Citation,
    Edge,
    Evidence,
    Explanation,
    GraphFilters,
    Node,
    NodeFilters,
    NodeStatement,
    Path,
)
from app.ids import ChunkId, DocumentId, JobId, NodeId, SpaceId
from app.limits import TOOL_GOLDEN, TOOL_GOLDEN_RUNS, TOOL_SPACES
from app.mcp import shapes
from app.retrieval.shapes import Query
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants.api_keys import Caller
from app.views.answers import AnswerCitationAnswer
from app.views.golden import GoldenRunAnswer, build_golden_report
from app.views.nodes import NodeBrief
from app.views.retrieval import PassageBrief
from app.views.spaces import SpaceBrief
from app.wiring import Citegraph

Value = TypeVar("Value")


@dataclass(frozen=True)
class CallerAccess:
    """A caller with its permissions, and the components that read for it."""

    caller: Caller
    citegraph: Citegraph

    def find_space(self, name_or_id: str) -> SpaceId:
        """Return the space of that name or id, if the caller may open it. Raises NotFound."""
        with self.citegraph.database.open_tenant(
            self.caller.tenant_id,
            may_use_replica=True,
            statement_timeout_seconds=self.citegraph.settings.read_timeout,
        ) as tenant:
            space_id = SpaceId(spaces.get_space(tenant, name_or_id).id)
        if not self.caller.may_open_space(space_id):
            raise NotFound("space")
        return space_id

    def run_in_space(self, name_or_id: str, work: Callable[[SpaceSession], Value]) -> Value:
        """Return the result of `work` on that space, in one short transaction. Raises NotFound."""
        space_key = self.caller.tenant_id, self.find_space(name_or_id)
        with self.citegraph.database.open_space(
            *space_key, may_use_replica=True, statement_timeout_seconds=self.citegraph.settings.read_timeout
        ) as space:
            return work(space)


@dataclass(frozen=True)
class Tool:
    """A tool as an agent sees it: `answer` takes `input_model` and returns an instance of `output_model`.

    If `waits_for_model` is true, it may wait for a model, so it takes one of its tenant's slots for
    questions.
    """

    name: str
    title: str
    description: str
    input_model: type[BaseModel]
    output_model: type[BaseModel]
    answer: Callable[[CallerAccess, Any], BaseModel]
    waits_for_model: bool = False


def call_tool(tool: Tool, access: CallerAccess, arguments: BaseModel) -> BaseModel:
    """Return the tool's answer. Raises ScopeMissing if the key lacks the scope read, and what the services
    raise.
    """
    if "read" not in access.caller.scopes:
        raise ScopeMissing("This call needs a key with the scope read.")
    return tool.answer(access, arguments)


def _list_spaces(access: CallerAccess, _arguments: shapes.NoArguments) -> shapes.SpacesFound:
    with access.citegraph.database.open_tenant(
        access.caller.tenant_id,
        may_use_replica=True,
        statement_timeout_seconds=access.citegraph.settings.read_timeout,
    ) as tenant:
        visible_spaces = spaces.list_spaces(
            tenant, space_ids=access.caller.space_ids, limit=TOOL_SPACES.maximum + 1
        )
        return shapes.SpacesFound(
            items=[SpaceBrief.model_validate(space) for space in visible_spaces[: TOOL_SPACES.maximum]],
            truncated=_describe_truncation(TOOL_SPACES.maximum, len(visible_spaces), "spaces"),
        )


def _find_nodes(access: CallerAccess, find_nodes: shapes.FindNodes) -> shapes.NodesFound:
    def build_answer(space: SpaceSession) -> shapes.NodesFound:
        nodes = graph.list_nodes(
            space,
            search_text=find_nodes.query,
            filters=NodeFilters(node_type=find_nodes.node_type),
            limit=find_nodes.limit + 1,
        )
        return shapes.NodesFound(
            items=[NodeBrief.model_validate(node) for node in nodes[: find_nodes.limit]],
            truncated=_describe_truncation(find_nodes.limit, len(nodes), "nodes"),
        )

    return access.run_in_space(find_nodes.space, build_answer)


def _read_neighborhood(access: CallerAccess, around_node: shapes.AroundNode) -> shapes.Neighborhood:
    def build_answer(space: SpaceSession) -> shapes.Neighborhood:
        matching_nodes = graph.find_nodes(space, around_node.node)
        if not matching_nodes:
            raise NotFound("node")
        node = matching_nodes[0]
        filters = GraphFilters(
            relation_types=tuple(around_node.relation_types),
            as_of=around_node.as_of,
            layers=tuple(around_node.layers),
        )
        neighborhood = graph.fetch_neighborhood_and_record_recall(
            space, NodeId(node.id), depth=around_node.depth, direction=around_node.direction, filters=filters
        )
        # Facts about the node itself come before those among its neighbours, each group by strength.
        edges = sorted(
            neighborhood.edges, key=lambda edge: node.id not in (edge.from_node_id, edge.to_node_id)
        )
        truncated, warnings = list(neighborhood.truncated), []
        if len(edges) > around_node.limit:
            truncated.append(f"The first {around_node.limit} of {len(edges)} edges are shown.")
        if len(matching_nodes) > 1:
            other_names = ", ".join(
                f"{namesake.canonical_name} ({namesake.node_type}, {namesake.id})"
                for namesake in matching_nodes[1:]
            )
            warnings.append(f"Others go by that name too: {other_names}.")
        shown_edges = _show_edges(
            edges[: around_node.limit], [neighbour.node for neighbour in neighborhood.nodes]
        )
        node_statements = graph.list_statements_of_node(space, NodeId(node.id), filters)[: around_node.limit]
        statements = _show_statements(
            node_statements, {NodeId(node.id): node.canonical_name}, len(shown_edges["citations"]) + 1
        )
        return shapes.Neighborhood(
            node=NodeBrief.model_validate(node),
            **shown_edges,
            statements=statements,
            truncated=truncated,
            warnings=warnings,
        )

    return access.run_in_space(around_node.space, build_answer)


def _explain(access: CallerAccess, explain: shapes.Explain) -> shapes.Explanation:
    def build_answer(space: SpaceSession) -> shapes.Explanation:
        explanation = graph.explain_and_record_recall(
            space,
            question=explain.question,
            from_=explain.from_,
            to=explain.to,
            limit=explain.limit,
            filters=GraphFilters(as_of=explain.as_of, layers=tuple(explain.layers)),
        )
        shown_edges = _show_edges(explanation.edges, explanation.nodes, explanation.citations)
        anchor_names = {anchor.node.id: anchor.node.canonical_name for anchor in explanation.anchors}
        next_number = len(shown_edges["citations"]) + 1
        return shapes.Explanation(
            narrative=explanation.narrative,
            paths=[_list_path_names(path) for path in explanation.paths],
            contested=[list(conflict.edge_ids) for conflict in explanation.contested],
            reported=_show_reported_claims(explanation),
            named_together=_show_cooccurrences(explanation, anchor_names, next_number),
            statements=_show_statements(
                explanation.statements, anchor_names, next_number + len(explanation.named_together)
            ),
            **shown_edges,
            truncated=list(explanation.truncated),
            warnings=list(explanation.warnings),
            why_not=list(explanation.why_not),
        )

    return access.run_in_space(explain.space, build_answer)


def _show_cooccurrences(
    explanation: Explanation, name_by_node: Mapping[NodeId, str], first_number: int
) -> list[shapes.NamedTogether]:
    """Return the passages that name two anchors, their quotes numbered from `first_number`."""
    return [
        shapes.NamedTogether(
            names=[name_by_node[cooccurrence.from_node_id], name_by_node[cooccurrence.to_node_id]],
            in_sentence=cooccurrence.in_sentence,
            evidence=_build_citation(cooccurrence.evidence, number),
        )
        for number, cooccurrence in enumerate(explanation.named_together, first_number)
    ]


def _show_statements(
    node_statements: Sequence[NodeStatement], name_by_node: Mapping[NodeId, str], first_number: int
) -> list[shapes.Statement]:
    """Return the statements about nodes in the words of texts, their quotes numbered from `first_number`."""
    return [
        shapes.Statement.from_value(
            statement,
            about=name_by_node[statement.node_id],
            subject=statement.subject or name_by_node[statement.node_id],
            evidence=_build_citation(statement.evidence, number),
        )
        for number, statement in enumerate(node_statements, first_number)
    ]


def _list_path_names(path: Path) -> list[str]:
    """Return the names along a path, and the value at its end."""
    names = [node.canonical_name for node in path.nodes]
    return names if path.attribute is None else [*names, format_attribute(path.attribute)]


def _retrieve(access: CallerAccess, retrieve: shapes.Retrieve) -> shapes.PassagesFound:
    query = Query(retrieve.query, top_k=retrieve.limit, as_of=retrieve.as_of)
    retrieval = access.citegraph.retriever.retrieve_and_record_recalls(
        access.caller.tenant_id, access.find_space(retrieve.space), query
    )
    return shapes.PassagesFound(
        passages=[PassageBrief.model_validate(passage) for passage in retrieval.passages],
        truncated=list(retrieval.truncated),
        warnings=list(retrieval.warnings),
    )


def _ask(access: CallerAccess, ask: shapes.Ask) -> shapes.AnswerFound:
    question = Question(ask.question, as_of=ask.as_of)
    space_id = access.find_space(ask.space)
    *_, final_event = access.citegraph.answerer.ask(access.caller.tenant_id, space_id, question)
    assert isinstance(final_event, FinalAnswer)
    return shapes.AnswerFound.model_validate(final_event)


def _read_passage(access: CallerAccess, read_passage: shapes.ReadPassage) -> shapes.WholePassage:
    def build_answer(space: SpaceSession) -> shapes.WholePassage:
        chunk = documents.get_chunk(space, ChunkId(read_passage.chunk_id))
        document = documents.get_document(space, DocumentId(chunk.document_id))
        return shapes.WholePassage.from_value(
            chunk, chunk_id=chunk.id, document_title=document.title, source_uri=document.source_uri
        )

    return access.run_in_space(read_passage.space, build_answer)


def _read_document(access: CallerAccess, read_document: shapes.ReadDocument) -> shapes.DocumentState:
    def build_answer(space: SpaceSession) -> shapes.DocumentState:
        document = documents.get_document(space, DocumentId(read_document.document_id))
        quarantined_chunks = documents.list_first_quarantined_chunks(space, document)
        return shapes.DocumentState.from_value(document, quarantined=quarantined_chunks)

    return access.run_in_space(read_document.space, build_answer)


def _read_golden_questions_and_runs(
    access: CallerAccess, read_golden: shapes.ReadGolden
) -> shapes.GoldenFound:
    def build_answer(space: SpaceSession) -> shapes.GoldenFound:
        questions = golden.list_questions(space)
        runs = golden.list_newest_golden_runs(space)
        run_id = None if read_golden.run_id is None else JobId(read_golden.run_id)
        if (
            run_id is None
            and (newest_run := golden.find_newest_finished_run_with_own_settings(space)) is not None
        ):
            run_id = newest_run.id
        outcomes = (
            [] if run_id is None else build_golden_report(golden.build_run_report(space, run_id)).outcomes
        )
        outcome_by_question = {outcome.question_id: outcome for outcome in outcomes}
        return shapes.GoldenFound(
            run_id=run_id,
            questions=[
                shapes.GoldenQuestion.from_value(question, **dict(outcome_by_question.get(question.id, ())))
                for question in questions[: TOOL_GOLDEN.maximum]
            ],
            runs=[GoldenRunAnswer.model_validate(run) for run in runs[: TOOL_GOLDEN_RUNS.maximum]],
            truncated=[
                *_describe_truncation(TOOL_GOLDEN.maximum, len(questions), "questions"),
                *_describe_truncation(TOOL_GOLDEN_RUNS.maximum, len(runs), "runs"),
            ],
        )

    return access.run_in_space(read_golden.space, build_answer)


def _show_reported_claims(explanation: Explanation) -> list[shapes.Reported]:
    citation_by_edge = {
        edge_id: citation for citation in explanation.citations for edge_id in citation.edge_ids
    }
    return [
        shapes.Reported.from_value(
            report,
            evidence=_build_citation(citation.evidence, citation.number)
            if (citation := citation_by_edge.get(report.edge.id)) is not None
            else None,
        )
        for report in explanation.reported
    ]


def _show_edges(
    edges: Sequence[Edge], nodes: Iterable[Node], citations: Sequence[Citation] = ()
) -> dict[str, Any]:
    """Return the edges with the names of their ends, and their quotes, numbered like the citations; further
    quotes follow them.
    """
    node_names = {node.id: node.canonical_name for node in nodes}
    citation_by_number = {
        citation.number: _build_citation(citation.evidence, citation.number) for citation in citations
    }
    number_by_edge = {edge_id: citation.number for citation in citations for edge_id in citation.edge_ids}
    number_by_quote: dict[tuple[ChunkId, str | None], int] = {}
    named_edges = []
    for edge in edges:
        number = number_by_edge.get(edge.id)
        if number is None and edge.evidence is not None:
            quote_key = (edge.evidence.chunk_id, edge.evidence.quote)
            number = number_by_quote.setdefault(quote_key, max(citation_by_number, default=0) + 1)
            citation_by_number.setdefault(number, _build_citation(edge.evidence, number))
        named_edges.append(
            shapes.Edge.from_value(
                edge,
                from_name=node_names.get(edge.from_node_id, str(edge.from_node_id)),
                to_name=node_names.get(edge.to_node_id, str(edge.to_node_id)),
                citation=number,
            )
        )
    return {
        "edges": named_edges,
        "citations": [citation_by_number[number] for number in sorted(citation_by_number)],
    }


def _build_citation(evidence: Evidence, number: int) -> AnswerCitationAnswer:
    return AnswerCitationAnswer.from_value(evidence, number=number, quote=evidence.quote or "")


def _describe_truncation(limit: int, count: int, noun: str) -> list[str]:
    """Return the sentence for `truncated` if only the first `limit` of `count` things are shown."""
    return [f"Only the first {limit} {noun} are shown."] if count > limit else []


TOOLS = (
    Tool(
        "list_spaces",
        "List knowledge spaces",
        "The knowledge spaces that this key may open. Begin here: every other tool needs one of them.",
        shapes.NoArguments,
        shapes.SpacesFound,
        _list_spaces,
    ),
    Tool(
        "ask",
        "Ask a question",
        "An answer in sentences, each with the verbatim quotes that support it; it says so if the"
        " documents say nothing. For one question with one answer.",
        shapes.Ask,
        shapes.AnswerFound,
        _ask,
        waits_for_model=True,
    ),
    Tool(
        "retrieve",
        "Find passages",
        "The passages that answer a question best, found by words, meaning and the graph together. For"
        " reading the documents' own text.",
        shapes.Retrieve,
        shapes.PassagesFound,
        _retrieve,
        waits_for_model=True,
    ),
    Tool(
        "explain",
        "Explain a connection",
        "How the graph answers a question, or how two nodes are connected in at most two hops: paths,"
        " facts with their quotes, contradictions, and why nothing was found.",
        shapes.Explain,
        shapes.Explanation,
        _explain,
    ),
    Tool(
        "find_nodes",
        "Find nodes",
        "People, organisations, products and other nodes whose names contain these words.",
        shapes.FindNodes,
        shapes.NodesFound,
        _find_nodes,
    ),
    Tool(
        "neighborhood",
        "Look around a node",
        "What the documents say about one thing: the facts about a node, with their quotes.",
        shapes.AroundNode,
        shapes.Neighborhood,
        _read_neighborhood,
    ),
    Tool(
        "read_passage",
        "Read a passage",
        "A complete passage, to read the text around a quote.",
        shapes.ReadPassage,
        shapes.WholePassage,
        _read_passage,
    ),
    Tool(
        "read_document",
        "Read a document's state",
        "Whether a document was read, and from which of its passages no graph could be extracted, and why.",
        shapes.ReadDocument,
        shapes.DocumentState,
        _read_document,
    ),
    Tool(
        "golden_questions",
        "Read golden questions",
        "The space's own questions with the expected answers, whether the last run gave them, and"
        " what got worse. Use it to judge how far the space's answers can be trusted.",
        shapes.ReadGolden,
        shapes.GoldenFound,
        _read_golden_questions_and_runs,
    ),
)
