"""Answer questions about a whole space from its community reports, with the sentences that support them
(requirement 10.4).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from app.answers.shapes import Context, ContextFormat, NeedsCommunities, Source
from app.db.session import SpaceSession
from app.derived.communities import service as communities
from app.derived.communities.shapes import Community
from app.documents import service as documents
from app.documents.token_counts import count_tokens
from app.domain.scoring.keywords import list_stems
from app.graph import service as graph
from app.graph.shapes import Edge
from app.ids import DocumentId, EdgeId
from app.retrieval.shapes import Query, RetrievalResult
from app.tenancy.spaces import service as spaces

MIN_REPORTS, MAX_REPORTS = 3, 200
"""Minimum number of reports of a level, and maximum number of reports that one answer reads."""
FINDINGS_PER_REPORT = 3
"""Number of findings of a report that are read: those with most of the question's words, then the strongest.
"""
TITLE_WEIGHT, SUMMARY_WEIGHT = 3, 2
"""Weights of a word of the question in a report's title and summary; in the findings it weighs 1."""
QUOTED_REPORTS = 5
"""Number of reports in an answer without a model."""
_PAGE_SIZE = 200


class Finding(NamedTuple):
    """A sentence of a report, and the edges that state it."""

    text: str
    edges: tuple[Edge, ...]


class CitedFinding(NamedTuple):
    """A sentence of a report, and the numbers of the sources that state it."""

    text: str
    source_numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a community; each finding has the edges that support it and have a quote."""

    title: str
    summary: str
    member_count: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports of one level that can be cited, most relevant first.

    `community_count` is the number of the level's communities that have a claim or have no report yet.
    `trust` has the documents of their evidence that are trusted less than 1.
    """

    level: int
    community_count: int
    citable_reports: tuple[Report, ...]
    graph_revision: int
    trust: Mapping[DocumentId, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Theme:
    """The sentences taken from one report, each with the numbers of its sources."""

    title: str
    summary: str
    findings: tuple[CitedFinding, ...]


@dataclass(frozen=True, slots=True)
class ReportsOverview:
    """The themes that answer a question, most relevant first, and their sources as a context."""

    themes: tuple[Theme, ...]
    context: Context
    graph_revision: int
    truncated: tuple[str, ...]

    def to_retrieval_result(self, question: str) -> RetrievalResult:
        """Return an empty result of retrieval for the question: all sources are in the context."""
        return RetrievalResult(
            query=Query(question),
            anchors=(),
            passages=(),
            facts=(),
            nodes=(),
            explanation=None,
            graph_revision=self.graph_revision,
            truncated=self.truncated,
        )


def find_reports_ranked_by_question(space: SpaceSession, question: str) -> Reports:
    """Return the reports of the coarsest level with at least three, ranked by the question and by size.

    Raises NeedsCommunities if there is none.
    """
    level, level_communities = _get_communities_of_coarsest_fitting_level(space)
    if not level_communities:
        raise NeedsCommunities
    ranked_communities = _rank_communities(question, level_communities)[:MAX_REPORTS]
    edge_by_id = _get_current_edges_of_communities(space, ranked_communities)
    reports = (
        Report(
            community.title,
            community.summary,
            community.member_count,
            tuple(finding for finding in _list_findings(community, edge_by_id) if finding.edges),
        )
        for community in ranked_communities
    )
    return Reports(
        level,
        sum(not _has_report_without_claims(community) for community in level_communities),
        tuple(report for report in reports if report.findings),
        spaces.get_open_space_row(space).graph_revision,
        documents.fetch_trust_below_one(
            space, {edge.evidence.document_id for edge in edge_by_id.values() if edge.evidence is not None}
        ).result(),
    )


def build_overview_of_reports(reports: Reports, *, budget: int, format: ContextFormat) -> ReportsOverview:
    """Return the reports that fit into `budget` tokens, with their sources; pure. `truncated` says how many
    were left out.
    """
    context_builder = _ContextBuilder(budget, reports.trust)
    for report in reports.citable_reports:
        context_builder.add_report_if_it_fits(
            report,
            report.findings,
            heading=f"## {report.title} ({report.member_count} nodes)\n{report.summary}\n",
        )
    return context_builder.build_overview(
        reports, format, notes=_list_truncation_notes(reports, len(context_builder.themes))
    )


@dataclass(frozen=True, slots=True)
class ReportPoint:
    """A sentence of a report that helps to answer the question, its helpfulness (1 to 100), and the edges
    that state it.
    """

    report: Report
    text: str
    helpfulness: int
    edges: tuple[Edge, ...]


def build_overview_of_points(
    reports: Reports,
    points: Sequence[ReportPoint],
    *,
    unread_count: int,
    budget: int,
    format: ContextFormat,
) -> ReportsOverview:
    """Return the points of reports that fit into `budget` tokens, most helpful first; pure.

    `unread_count` is the number of reports for which the model gave no answer.
    """
    context_builder = _ContextBuilder(budget, reports.trust)
    added_flags = [
        context_builder.add_report_if_it_fits(point.report, [Finding(point.text, point.edges)], heading="")
        for point in points
    ]
    notes = _list_truncation_notes(reports, len(reports.citable_reports) - unread_count)
    if not all(added_flags):
        notes.append(
            f"Of {len(points)} points that the reports make, {sum(added_flags)} fit into {budget:,} tokens."
        )
    return context_builder.build_overview(reports, format, notes=notes)


def _list_truncation_notes(reports: Reports, read_count: int) -> list[str]:
    if read_count == reports.community_count:
        return []
    return [f"Of {reports.community_count} communities at level {reports.level}, {read_count} were read."]


class _ContextBuilder:
    """A context that is filled with findings of reports and their sources, within a budget of tokens."""

    def __init__(self, budget: int, trust: Mapping[DocumentId, float]) -> None:
        self._remaining_tokens = budget
        self._trust = trust
        self._sources: list[Source] = []
        self._blocks: list[str] = []
        self.themes: dict[int, Theme] = {}

    def add_report_if_it_fits(self, report: Report, findings: Sequence[Finding], *, heading: str) -> bool:
        """Add findings of the report. Return False, and change nothing, if they do not fit."""
        source_count = len(self._sources)
        cited_findings = tuple(
            CitedFinding(text, _cite_edges_and_append_sources(self._sources, edges, self._trust))
            for text, edges in findings
        )
        # Without a heading, each finding begins with the title of its report, as no other line names the
        # subject.
        prefix = "" if heading else f"{report.title}: "
        block = heading + "\n".join(
            f"- {prefix}{text}{''.join(f' [{number}]' for number in source_numbers)}"
            for text, source_numbers in cited_findings
        )
        token_cost = count_tokens(block) + sum(
            count_tokens(source.text) for source in self._sources[source_count:]
        )
        if token_cost > self._remaining_tokens:
            del self._sources[source_count:]
            return False
        self._remaining_tokens -= token_cost
        self._blocks.append(block)
        earlier_theme = self.themes.get(id(report))
        self.themes[id(report)] = Theme(
            report.title,
            report.summary,
            (*(earlier_theme.findings if earlier_theme else ()), *cited_findings),
        )
        return True

    def build_overview(
        self, reports: Reports, format: ContextFormat, *, notes: Sequence[str]
    ) -> ReportsOverview:
        """Return the overview of the themes added so far."""
        separator = "\n\n" if any(block.startswith("#") for block in self._blocks) else "\n"
        context = Context(tuple(self._sources), separator.join(self._blocks), format)
        return ReportsOverview(tuple(self.themes.values()), context, reports.graph_revision, tuple(notes))


def _list_findings(community: Community, edge_by_id: Mapping[EdgeId, Edge]) -> Iterator[Finding]:
    for finding in community.findings[:FINDINGS_PER_REPORT]:
        stated_edges = [
            edge_by_id[EdgeId(edge_id)] for edge_id in finding.edge_ids if EdgeId(edge_id) in edge_by_id
        ]
        yield Finding(
            finding.text, tuple(edge for edge in stated_edges if edge.evidence and edge.evidence.quote)
        )


def _has_report_without_claims(community: Community) -> bool:
    """Return whether a report contains no claim: its nodes only occur together in chunks."""
    return community.reported_at is not None and not community.findings


class _CommunitiesOfLevel(NamedTuple):
    """All communities of a level, of which 0 is the coarsest."""

    level: int
    communities: list[Community]


def _get_communities_of_coarsest_fitting_level(space: SpaceSession) -> _CommunitiesOfLevel:
    """Return the coarsest level with enough communities, else that with most, and all its communities."""
    level, largest_level, most_communities = 0, 0, list[Community]()
    while level_communities := _list_communities_at_level(space, level):
        if len(level_communities) >= MIN_REPORTS:
            return _CommunitiesOfLevel(level, level_communities)
        if len(level_communities) > len(most_communities):
            largest_level, most_communities = level, level_communities
        level += 1
    return _CommunitiesOfLevel(largest_level, most_communities)


def _list_communities_at_level(space: SpaceSession, level: int) -> list[Community]:
    listed_communities: list[Community] = []
    last_key = None
    while page := communities.list_communities(space, level=level, after=last_key, limit=_PAGE_SIZE):
        listed_communities += page
        last_key = (level, page[-1].member_count, page[-1].id)
    return listed_communities


def _rank_communities(question: str, level_communities: Sequence[Community]) -> list[Community]:
    """Return the communities ranked by the question's words in title, summary and findings (requirement 9.4),
    then by size. The findings of each are ranked by the question's words.
    """
    question_words = list_stems(question)

    def count_said_words(text: str) -> int:
        return len(question_words & list_stems(text))

    def score(community: Community) -> float:
        said_counts = [count_said_words(finding.text) for finding in community.findings]
        mean_count = sum(said_counts) / len(said_counts) if said_counts else 0.0
        return (
            TITLE_WEIGHT * count_said_words(community.title)
            + SUMMARY_WEIGHT * count_said_words(community.summary)
            + mean_count
        )

    ordered_communities = sorted(
        level_communities, key=lambda community: (-score(community), -community.member_count, community.id)
    )
    return [
        replace(
            community,
            findings=tuple(sorted(community.findings, key=lambda finding: -count_said_words(finding.text))),
        )
        for community in ordered_communities
    ]


def _get_current_edges_of_communities(
    space: SpaceSession, ranked_communities: Sequence[Community]
) -> dict[EdgeId, Edge]:
    edge_ids = {
        EdgeId(edge_id)
        for community in ranked_communities
        for finding in community.findings[:FINDINGS_PER_REPORT]
        for edge_id in finding.edge_ids
    }
    # A report may be older than the end of a claim that it tells.
    return {edge.id: edge for edge in graph.get_edges(space, sorted(edge_ids)) if edge.holds()}


def _cite_edges_and_append_sources(
    sources: list[Source], edges: Sequence[Edge], trust: Mapping[DocumentId, float]
) -> tuple[int, ...]:
    """Return the numbers of the sources that state these edges; new sources are appended.

    `trust` has the documents that are trusted less than 1.
    """
    source_numbers = []
    for edge in edges:
        evidence = edge.evidence
        if evidence is None or not evidence.quote:
            continue
        location = (evidence.chunk_id, evidence.char_start, evidence.quote)
        source_number = next(
            (
                source.number
                for source in sources
                if (source.chunk_id, source.char_start, source.text) == location
            ),
            None,
        )
        if source_number is None:
            source_number = len(sources) + 1
            sources.append(
                Source(
                    source_number,
                    evidence.chunk_id,
                    evidence.document_id,
                    evidence.document_title,
                    (),
                    evidence.quote,
                    evidence.char_start,
                    evidence.place,
                    trust.get(evidence.document_id, 1.0),
                )
            )
        source_numbers.append(source_number)
    return tuple(dict.fromkeys(source_numbers))
