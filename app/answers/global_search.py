"""Answers about a whole space: its community reports, down to the sentences that bear them out (10.4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.answers.shapes import Context, ContextFormat, NeedsCommunities, Source
from app.db.session import SpaceSession
from app.derived.communities import service as communities
from app.derived.communities.shapes import Community
from app.documents.token_counts import count_tokens
from app.domain.scoring.keywords import stems
from app.graph import service as graph
from app.graph.shapes import Edge
from app.ids import EdgeId
from app.retrieval.shapes import Query, Retrieved
from app.tenancy.spaces import service as spaces

FEWEST, MOST = 3, 200
"""Reports from which a level says enough of a space, and reports that one answer reads at most."""
FINDINGS = 3
"""Findings of a report that are read: those that say most of the question's words, of equals the
strongest.
"""
TITLE, SUMMARY = 3, 2
"""What a word of the question counts for in a report's title and summary; in all of its findings it counts
1.
"""
THEMES = 5
"""Reports that an answer without a model tells."""
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a community; each finding with the edges that bear it out and have a quote."""

    title: str
    summary: str
    member_count: int
    findings: tuple[tuple[str, tuple[Edge, ...]], ...]


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports of the fitting level that can be cited, most to the point first; `community_count` is how
    many communities it has of which something is claimed, or no report is written yet.
    """

    level: int
    community_count: int
    citable: tuple[Report, ...]
    graph_revision: int


@dataclass(frozen=True, slots=True)
class Theme:
    """The sentences drawn from one report, each with the numbers of the sources it rests on."""

    title: str
    summary: str
    findings: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """The answer of the reports to a question, most to the point first, and its sources as a context."""

    themes: tuple[Theme, ...]
    context: Context
    graph_revision: int
    truncated: tuple[str, ...]

    def as_retrieved(self, question: str) -> Retrieved:
        """The same as what retrieval gives: no passage and no fact of its own beside the context."""
        return Retrieved(
            query=Query(question),
            anchors=(),
            passages=(),
            facts=(),
            nodes=(),
            explanation=None,
            graph_revision=self.graph_revision,
            truncated=self.truncated,
        )


def find_reports(space: SpaceSession, question: str) -> Reports:
    """The reports of the fitting level, ranked by the question and their size: the coarsest that has three.

    Raises NeedsCommunities where there is none.
    """
    level, level_communities = _find_fitting_level(space)
    if not level_communities:
        raise NeedsCommunities
    ranked = _rank_communities(question, level_communities)[:MOST]
    edges = _get_edges_of_communities(space, ranked)
    reports = (
        Report(
            community.title,
            community.summary,
            community.member_count,
            tuple(
                (text, stated_edges)
                for text, stated_edges in _list_findings(community, edges)
                if stated_edges
            ),
        )
        for community in ranked
    )
    return Reports(
        level,
        sum(not _says_nothing(community) for community in level_communities),
        tuple(report for report in reports if report.findings),
        spaces.describe(space).graph_revision,
    )


def build_overview_of_reports(reports: Reports, *, budget: int, format: ContextFormat) -> Overview:
    """As many reports as `budget` tokens hold, each with its sources; pure. `truncated` says what is left
    out.
    """
    filling = _Filling(budget)
    for report in reports.citable:
        filling.add(
            report,
            report.findings,
            heading=f"## {report.title} ({report.member_count} nodes)\n{report.summary}\n",
        )
    return filling.overview(reports, format, notes=_list_left_out(reports, len(filling.themes)))


def build_overview_of_points(
    reports: Reports,
    points: Sequence[tuple[Report, str, tuple[Edge, ...]]],
    *,
    unread: int,
    budget: int,
    format: ContextFormat,
) -> Overview:
    """As many of what reports say to the question, most helpful first, as `budget` tokens hold; pure.

    `unread` reports were asked about in vain.
    """
    filling = _Filling(budget)
    fits = [filling.add(report, [(text, edges)], heading="") for report, text, edges in points]
    notes = _list_left_out(reports, len(reports.citable) - unread)
    if not all(fits):
        notes.append(f"Of {len(fits)} points that the reports make, {sum(fits)} fit into {budget:,} tokens.")
    return filling.overview(reports, format, notes=notes)


def _list_left_out(reports: Reports, read: int) -> list[str]:
    if read == reports.community_count:
        return []
    return [f"Of {reports.community_count} communities at level {reports.level}, {read} were read."]


class _Filling:
    """A context that is being filled with what reports say, and its sources, within a budget of tokens."""

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._sources: list[Source] = []
        self._lines: list[str] = []
        self.themes: dict[int, Theme] = {}

    def add(self, report: Report, findings: Sequence[tuple[str, tuple[Edge, ...]]], *, heading: str) -> bool:
        """Tell these findings of the report; False, and nothing changed, where they do not fit."""
        begun = len(self._sources)
        cited = tuple((text, _cite_edges(self._sources, edges)) for text, edges in findings)
        # Without a heading each says itself what it is about: a question about themes asks for just that.
        prefix = "" if heading else f"{report.title}: "
        block = heading + "\n".join(
            f"- {prefix}{text}{''.join(f' [{number}]' for number in numbers)}" for text, numbers in cited
        )
        cost = count_tokens(block) + sum(count_tokens(source.text) for source in self._sources[begun:])
        if cost > self._left:
            del self._sources[begun:]
            return False
        self._left -= cost
        self._lines.append(block)
        before = self.themes.get(id(report))
        self.themes[id(report)] = Theme(
            report.title, report.summary, (*(before.findings if before else ()), *cited)
        )
        return True

    def overview(self, reports: Reports, format: ContextFormat, *, notes: Sequence[str]) -> Overview:
        """The overview of the themes added so far."""
        separator = "\n\n" if any(line.startswith("#") for line in self._lines) else "\n"
        context = Context(tuple(self._sources), separator.join(self._lines), format)
        return Overview(tuple(self.themes.values()), context, reports.graph_revision, tuple(notes))


def _list_findings(
    community: Community, edges: Mapping[EdgeId, Edge]
) -> Iterator[tuple[str, tuple[Edge, ...]]]:
    for finding in community.findings[:FINDINGS]:
        stated_edges = [edges[EdgeId(edge)] for edge in finding.edge_ids if EdgeId(edge) in edges]
        yield finding.text, tuple(edge for edge in stated_edges if edge.evidence and edge.evidence.quote)


def _says_nothing(community: Community) -> bool:
    """Return whether its report holds no claim: its nodes are tied by being named together alone."""
    return community.reported_at is not None and not community.findings


def _find_fitting_level(space: SpaceSession) -> tuple[int, list[Community]]:
    """The coarsest level with enough communities, else the one that has most; all of its communities."""
    level, best = 0, (0, list[Community]())
    while listed := _list_communities_at_level(space, level):
        if len(listed) >= FEWEST:
            return level, listed
        best = max(best, (level, listed), key=lambda candidate: len(candidate[1]))
        level += 1
    return best


def _list_communities_at_level(space: SpaceSession, level: int) -> list[Community]:
    listed: list[Community] = []
    after = None
    while page := communities.list_communities(space, level=level, after=after, limit=_PAGE):
        listed += page
        after = (level, page[-1].member_count, page[-1].id)
    return listed


def _rank_communities(question: str, listed: Sequence[Community]) -> list[Community]:
    """Those first that say more of the question's words, in the title above the summary above findings
    (requirement 9.4), then the larger ones; the findings of each that say most of them first."""
    question_words = stems(question)

    def said(text: str) -> int:
        return len(question_words & stems(text))

    def score(community: Community) -> float:
        findings = [said(finding.text) for finding in community.findings]
        share = sum(findings) / len(findings) if findings else 0.0
        return TITLE * said(community.title) + SUMMARY * said(community.summary) + share

    ordered = sorted(listed, key=lambda community: (-score(community), -community.member_count, community.id))
    return [
        replace(
            community, findings=tuple(sorted(community.findings, key=lambda finding: -said(finding.text)))
        )
        for community in ordered
    ]


def _get_edges_of_communities(space: SpaceSession, ranked: Sequence[Community]) -> dict[EdgeId, Edge]:
    edge_ids = {
        EdgeId(edge)
        for community in ranked
        for finding in community.findings[:FINDINGS]
        for edge in finding.edge_ids
    }
    # A report may be older than the end of a claim that it tells.
    return {edge.id: edge for edge in graph.get_edges(space, sorted(edge_ids)) if edge.holds()}


def _cite_edges(sources: list[Source], edges: Sequence[Edge]) -> tuple[int, ...]:
    """The numbers of the sentences that state these edges; new ones are added to the sources."""
    numbers = []
    for edge in edges:
        evidence = edge.evidence
        if evidence is None or not evidence.quote:
            continue
        location = (evidence.chunk_id, evidence.char_start, evidence.quote)
        number = next(
            (
                source.number
                for source in sources
                if (source.chunk_id, source.char_start, source.text) == location
            ),
            None,
        )
        if number is None:
            number = len(sources) + 1
            sources.append(
                Source(
                    number,
                    evidence.chunk_id,
                    evidence.document_id,
                    evidence.document_title,
                    (),
                    evidence.quote,
                    evidence.char_start,
                    evidence.place,
                )
            )
        numbers.append(number)
    return tuple(dict.fromkeys(numbers))
