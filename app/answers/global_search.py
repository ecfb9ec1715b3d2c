"""What a space says as a whole: the reports of its communities, down to the sentences that bear them out (10.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.answers.context import Context, ContextFormat, Source
from app.answers.shapes import NeedsCommunities
from app.answers.wording import stems
from app.communities import service as communities
from app.communities.shapes import Community
from app.db.session import SpaceSession
from app.documents.tokens import count_tokens
from app.graph import service as graph
from app.graph.shapes import Edge
from app.ids import EdgeId
from app.retrieval.shapes import Query, Retrieved
from app.spaces import service as spaces

FEWEST, MOST = 3, 24
"""Reports from which a level says enough of a space, and reports that one answer reads at most."""
FINDINGS = 3
"""Findings of a report that are read; its first ones are its strongest."""
THEMES = 5
"""Reports that an answer without a model tells."""
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Theme:
    """One report of the overview: its finding sentences, each with the numbers of the sources it rests on."""

    title: str
    summary: str
    findings: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """The reports that say most about a question, most to the point first, and their sources as a context."""

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


def overview(space: SpaceSession, question: str, *, budget: int, format: ContextFormat) -> Overview:
    """The reports of the fitting level, ranked by the question and their size, within `budget` tokens.

    The fitting level is the coarsest that has at least three. Raises NeedsCommunities where there is none.
    """
    level, listed = _fitting_level(space)
    if not listed:
        raise NeedsCommunities
    ranked = _ranked(question, listed)[:MOST]
    edges = _edges_of(space, ranked)
    sources: list[Source] = []
    themes: list[Theme] = []
    lines: list[str] = []
    left = budget
    for each in ranked:
        begun = len(sources)
        findings = []
        for finding in each.findings[:FINDINGS]:
            numbers = _cited(
                sources, [edges[EdgeId(edge)] for edge in finding.edge_ids if EdgeId(edge) in edges]
            )
            if numbers:
                findings.append((finding.text, numbers))
        told = _as_text(each, findings)
        cost = count_tokens(told) + sum(count_tokens(source.text) for source in sources[begun:])
        if not findings or cost > left:
            del sources[begun:]
            continue
        left -= cost
        lines.append(told)
        themes.append(Theme(each.title, each.summary, tuple(findings)))
    truncated = []
    if len(themes) < len(listed):
        truncated.append(f"Of {len(listed)} communities at level {level}, {len(themes)} were read.")
    return Overview(
        tuple(themes),
        Context(tuple(sources), "\n\n".join(lines), format),
        spaces.describe(space).graph_revision,
        tuple(truncated),
    )


def _fitting_level(space: SpaceSession) -> tuple[int, list[Community]]:
    """The coarsest level with enough communities, else the one that has most; all of its communities."""
    level, best = 0, (0, list[Community]())
    while listed := _communities_at(space, level):
        if len(listed) >= FEWEST:
            return level, listed
        best = max(best, (level, listed), key=lambda each: len(each[1]))
        level += 1
    return best


def _communities_at(space: SpaceSession, level: int) -> list[Community]:
    listed: list[Community] = []
    after = None
    while page := communities.list_communities(space, level=level, after=after, limit=_PAGE):
        listed += page
        after = (level, page[-1].member_count, page[-1].id)
    return listed


def _ranked(question: str, listed: Sequence[Community]) -> list[Community]:
    """Those first whose reports share more words with the question, then the larger ones."""
    asked = stems(question)

    def shared(each: Community) -> int:
        report = " ".join((each.title, each.summary, *(finding.text for finding in each.findings)))
        return len(asked & stems(report))

    return sorted(listed, key=lambda each: (-shared(each), -each.member_count, each.id))


def _edges_of(space: SpaceSession, ranked: Sequence[Community]) -> dict[EdgeId, Edge]:
    wanted = {
        EdgeId(edge) for each in ranked for finding in each.findings[:FINDINGS] for edge in finding.edge_ids
    }
    return {edge.id: edge for edge in graph.get_edges(space, sorted(wanted))}


def _cited(sources: list[Source], edges: Sequence[Edge]) -> tuple[int, ...]:
    """The numbers of the sentences that state these edges; new ones are added to the sources."""
    numbers = []
    for edge in edges:
        evidence = edge.evidence
        if evidence is None or not evidence.quote:
            continue
        place = (evidence.chunk_id, evidence.char_start, evidence.quote)
        number = next(
            (each.number for each in sources if (each.chunk_id, each.char_start, each.text) == place), None
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
                )
            )
        numbers.append(number)
    return tuple(dict.fromkeys(numbers))


def _as_text(each: Community, findings: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    lines = [f"## {each.title} ({each.member_count} nodes)", each.summary]
    lines += [f"- {text}{''.join(f' [{number}]' for number in numbers)}" for text, numbers in findings]
    return "\n".join(lines)
