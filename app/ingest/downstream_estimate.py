"""An upper bound, before an ingest begins, for the cost of reports and summaries written after it.

Reports on communities and summaries of nodes depend on the extracted graph, which is unknown in advance. The
bound is one and a half times the density of the space's newest chunks; for a space with few documents, the
highest known density: gpt-3.5's on 772 MuSiQue passages without a vocabulary, 92 facts for every 1,000
tokens. The double on examples/corpus gives 28, passages of encyclopedias 8.
"""

from dataclasses import dataclass
from math import ceil

from app.db.session import SpaceSession
from app.derived.summaries import service as summaries
from app.documents.token_counts import count_tokens
from app.llm.model_calls.asker import MAX_PASSAGE_TOKENS, MAX_PASSAGES
from app.llm.prompts import community_report, node_summary, tags
from app.llm.prompts.shapes import Prompt
from app.space_settings import TagsAtIngest

# At the highest density: facts per token; nodes with a fact, per fact; and nodes with several facts, which
# get a summary, per fact (of examples/corpus; 0.32 with gpt-3.5).
MAX_EDGES_PER_TOKEN = 0.092
NODES_PER_FACT, SUMMARISED_NODES_PER_FACT = 1.0, 0.46
DENSITY_MARGIN = 1.5
# Minimum tokens of a space for its own density to be used, and the number of its newest chunks that are
# sampled.
MIN_SAMPLED_TOKENS, SAMPLED_CHUNKS = 2_000, 500
# Communities of three or more nodes, on all levels together, per node with a fact: with the double 0.24 on
# examples/corpus, 0.09 to 0.15 elsewhere.
REPORTS_PER_NODE = 0.25


@dataclass(frozen=True, slots=True)
class _TokensPerQuestion:
    """Tokens of one question and of its answer."""

    question_tokens: int
    answer_tokens: int

    @property
    def questions_per_call(self) -> int:
        """Return the number of questions of this size that share a call."""
        return min(MAX_PASSAGES, MAX_PASSAGE_TOKENS // self.question_tokens)


# With the double, a question about a new node or community had at most 201 and 330 tokens on average, some 45
# per fact; an existing community may have its full twelve facts and members. An answer is three sentences as
# JSON; or a title, a summary and five findings.
NEW_SUMMARY, FACT_TOKENS = _TokensPerQuestion(210, 150), 45
NEW_REPORT, OLD_REPORT = _TokensPerQuestion(400, 350), _TokensPerQuestion(750, 350)


@dataclass(frozen=True, slots=True)
class DownstreamEstimate:
    """Maximum numbers of calls and tokens."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def estimate_max_downstream_calls(space: SpaceSession, *, ingested_tokens: int) -> DownstreamEstimate:
    """Bound the model calls for reports and summaries after an ingest of `ingested_tokens` tokens.

    The bound is for one run after the ingest; during a long ingest, changed texts are rewritten repeatedly.
    Texts that the space or the platform disables count nothing.
    """
    settings = space.settings
    max_fact_count = _compute_max_facts_per_token(space) * ingested_tokens
    touched_node_count = ceil(NODES_PER_FACT * max_fact_count)
    level_count = settings.community_levels
    # Each known node is in one community per level, and there are at most this many communities.
    node_limit = ceil(level_count * touched_node_count / REPORTS_PER_NODE)
    node_count, fact_count = (
        summaries.count_nodes_and_facts_to_summarise(space, limit=node_limit)
        if touched_node_count
        else (0, 0)
    )
    # The new facts of a known node are added to its known facts.
    old_size = _TokensPerQuestion(
        NEW_SUMMARY.question_tokens + FACT_TOKENS * ceil(fact_count / max(node_count, 1)),
        NEW_SUMMARY.answer_tokens,
    )
    planned_calls: list[tuple[Prompt, int, _TokensPerQuestion]] = []
    if settings.summaries:
        planned_calls.append(
            (node_summary.PROMPT, ceil(SUMMARISED_NODES_PER_FACT * max_fact_count), NEW_SUMMARY)
        )
        planned_calls.append((node_summary.PROMPT, min(node_count, touched_node_count), old_size))
    if settings.communities:
        planned_calls.append(
            (community_report.PROMPT, ceil(REPORTS_PER_NODE * touched_node_count), NEW_REPORT)
        )
        planned_calls.append(
            (
                community_report.PROMPT,
                min(ceil(REPORTS_PER_NODE * node_count), level_count * touched_node_count),
                OLD_REPORT,
            )
        )
    if settings.tags_at_ingest is TagsAtIngest.MODEL:
        # A tagging question contains the facts of a summary question; its answer is a few words.
        planned_calls.append((tags.PROMPT, touched_node_count, NEW_SUMMARY))
    call_counts = [
        ceil(question_count / call_size.questions_per_call) for _, question_count, call_size in planned_calls
    ]
    return DownstreamEstimate(
        sum(call_counts),
        sum(
            call_count * count_tokens(prompt.build_messages([])[0]["content"])
            + question_count * call_size.question_tokens
            for call_count, (prompt, question_count, call_size) in zip(
                call_counts, planned_calls, strict=True
            )
        ),
        sum(question_count * call_size.answer_tokens for _, question_count, call_size in planned_calls),
    )


def _compute_max_facts_per_token(space: SpaceSession) -> float:
    """Return the maximum number of facts per token, from the space's own documents if it has enough."""
    token_count, edge_count = summaries.count_tokens_and_edges_of_newest_chunks(
        space, chunk_count=SAMPLED_CHUNKS
    )
    return (
        min(MAX_EDGES_PER_TOKEN, DENSITY_MARGIN * edge_count / token_count)
        if token_count >= MIN_SAMPLED_TOKENS
        else MAX_EDGES_PER_TOKEN
    )
