"""An upper bound, before an ingest begins, for the reports and summaries written once it has ended.

Reports on communities and summaries of nodes depend on what is found, which nobody knows before it is read.
So this is a bound, not a guess: half as much again as the space's newest chunks gave; for a space that has
read little, the densest reading known, gpt-3.5's of 772 MuSiQue passages without a vocabulary, which found 92
facts for every 1,000 tokens. Through the double examples/corpus gives 28, and passages of encyclopedias 8.
"""

from dataclasses import dataclass
from math import ceil

from app.db.session import SpaceSession
from app.derived.summaries import service as summaries
from app.documents.tokens import count_tokens
from app.llm.model_calls.batching import MAX_PASSAGE_TOKENS, MAX_PASSAGES
from app.llm.prompts import community_report, node_summary, tags
from app.llm.prompts.shapes import Prompt
from app.space_settings import TagsAtIngest

# Of each token that is read, where it is read so densely: facts; to each, nodes with a fact at all, and such
# with several, which are worth a summary (of examples/corpus; 0.32 with gpt-3.5).
DENSEST = 0.092
TOLD_NODES, SUMMARISED_NODES = 1.0, 0.46
MARGIN = 1.5
# What a space must have read for its own density to count, and how much of it is looked at.
ENOUGH_TOKENS, NEWEST_CHUNKS = 2_000, 500
# Communities of three nodes and more, of all levels together, to nodes with a fact: with the double 0.24 on
# examples/corpus, 0.09 to 0.15 elsewhere.
REPORTS_A_NODE = 0.25


@dataclass(frozen=True, slots=True)
class _Size:
    """Tokens of one question and of its answer."""

    question: int
    answer: int

    @property
    def questions_per_call(self) -> int:
        """Questions that share a call, where none is longer than this."""
        return min(MAX_PASSAGES, MAX_PASSAGE_TOKENS // self.question)


# A question about something new had at most 201 and 330 tokens with the double, on average, some 45 of them a
# fact; a community that stood before may have its full twelve facts and members. An answer is three sentences
# as JSON; or a title, a summary and five findings.
NEW_SUMMARY, FACT_TOKENS = _Size(210, 150), 45
NEW_REPORT, OLD_REPORT = _Size(400, 350), _Size(750, 350)


@dataclass(frozen=True, slots=True)
class DownstreamEstimate:
    """Calls and tokens at most."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def estimate_downstream(space: SpaceSession, *, tokens: int) -> DownstreamEstimate:
    """Bound the work on reports and summaries where so many tokens are read and a model writes them.

    For one look at the graph, once it rests: of an ingest that goes on for long, what keeps changing is
    written anew now and then. Nothing for what the space or the platform does not want.
    """
    settings = space.settings
    facts = _facts_per_token(space) * tokens
    touched = ceil(TOLD_NODES * facts)
    levels = settings.community_levels
    # Each node that is met again lies in a community of each level, and there are so many communities at
    # most.
    node_limit = ceil(levels * touched / REPORTS_A_NODE)
    node_count, fact_count = (
        summaries.count_nodes_and_facts_to_summarise(space, most=node_limit) if touched else (0, 0)
    )
    # What is new about a node that stands comes to what is known of it.
    old = _Size(
        NEW_SUMMARY.question + FACT_TOKENS * ceil(fact_count / max(node_count, 1)), NEW_SUMMARY.answer
    )
    planned_calls: list[tuple[Prompt, int, _Size]] = []
    if settings.summaries:
        planned_calls.append((node_summary.PROMPT, ceil(SUMMARISED_NODES * facts), NEW_SUMMARY))
        planned_calls.append((node_summary.PROMPT, min(node_count, touched), old))
    if settings.communities:
        planned_calls.append((community_report.PROMPT, ceil(REPORTS_A_NODE * touched), NEW_REPORT))
        planned_calls.append(
            (community_report.PROMPT, min(ceil(REPORTS_A_NODE * node_count), levels * touched), OLD_REPORT)
        )
    if settings.tags_at_ingest is TagsAtIngest.MODEL:
        # What is said of a node to tag it is what is said of one to summarise it, and a few words come back.
        planned_calls.append((tags.PROMPT, touched, NEW_SUMMARY))
    calls = [ceil(count / size.questions_per_call) for _, count, size in planned_calls]
    return DownstreamEstimate(
        sum(calls),
        sum(
            call_count * count_tokens(prompt.build_messages([])[0]["content"]) + count * size.question
            for call_count, (prompt, count, size) in zip(calls, planned_calls, strict=True)
        ),
        sum(count * size.answer for _, count, size in planned_calls),
    )


def _facts_per_token(space: SpaceSession) -> float:
    """Facts of a token at most, as far as the space's own documents tell."""
    tokens, edges = summaries.count_tokens_and_edges(space, chunks=NEWEST_CHUNKS)
    return min(DENSEST, MARGIN * edges / tokens) if tokens >= ENOUGH_TOKENS else DENSEST
