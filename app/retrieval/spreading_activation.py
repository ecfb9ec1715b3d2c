"""Rank the passages of a fetched subgraph by a random walk from what the question names; pure, with numpy.

It is a personalised PageRank over nodes and passages: it starts at the nodes that the question names and at
the facts and passages most similar to it, and ranks by the mass that passes through. The constants are those
of docs/decisions/0009.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.retrieval.score_fusion import fuse_scores, normalize_min_max

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

WALK_STEPS = 20
"""Number of steps of the walk. After few steps it still matters whether their number is odd or even."""
DAMPING = 0.95
"""Share of a step that follows links; the rest restarts at the seeds.

Values of 0.8 to 0.95 are equivalent for a graph built by a model; for one built by the rules 0.95 is better
by 1.6 points of R@5.
"""
TITLE_WEIGHT = 10.0
"""Weight of a titular mention, of the subject of a page, relative to another. 5 to 20 are equivalent."""
MAX_PARALLEL_EDGES = 3
"""Maximum number of parallel edges that strengthen the link of two nodes."""
HUB_MENTIONS, HUB_SHARE = 10, 0.01
"""A node mentioned in more passages than both ("United States") links only through its titular mentions."""
NESTED_NAME_WEIGHT = 0.5
"""Total weight of the links from a name to longer names that contain it ("Prague astronomical clock")."""
GATE_SHARPNESS, GATE_FLOOR = 2, 0.3
"""The gate of a passage is its similarity to the question to this power, scaled to the range 0.3 to 1.

Powers of 1 to 2 and floors of 0 to 0.3 are equivalent with a semantic model. Without a gate R@5 falls by 2;
without a floor, vectors that encode only spelling (app/llm/embedding/hashed.py) exclude passages whose
meaning they miss.
"""
UNWRITTEN_ANCHOR_WEIGHT = 0.3
"""Weight of an anchor that the question does not write as a name ("trucks"), relative to one that it does."""
MIN_PRINCIPAL_WEIGHT = 0.2
"""Minimum weight, relative to the greatest, of an anchor that the question is about; 0.1 to 0.5 are
equivalent.
"""
MAX_SEED_FACTS = 5
FACT_SHARE = 0.1
"""Weight of the seeds by facts, at most five, relative to the named ones, which have weight 1."""
MAX_SEED_PASSAGES = 50
"""Number of passages that the walk starts from directly; 20 and 100 are equivalent."""
TOP_PASSAGES_BY_WORDS = 5
"""Number of top passages by words; a name that none of them contains leads to others."""
PASSAGE_SHARE = 0.1
"""Weight of all these passages if the question names something specific; more outweighs the graph."""
PASSAGE_SHARPNESS = 3
"""Power of their scores: one clearly best passage counts, fifty mediocre ones hardly do."""
SPECIFIC_ANCHOR_WEIGHT = 0.2
"""An anchor whose name occurs in at most 1/0.2 passages is fully trusted; see `_distribute_seed_mass`."""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The data around one question, as columns. Nodes are 0 to n-1, passages 0 to p-1 everywhere.

    All arrays are one-dimensional: (n) has one entry per node, (p) per passage, (a) per anchor, (m) per
    mention, (e) per edge, (k) per pair of nested names. No order is required; mentions and name pairs are
    distinct.
    """

    space_passages: int
    """Number of chunks in the space."""
    node_mentions: Integers
    """(n) number of chunks in the space that mention the node, as far as known."""
    node_degree: Integers
    """(n) number of edges in the space that enter or leave the node, as far as known."""
    passage_cosine: Floats
    """(p) cosine of the chunk's vector with the question's; all 0 without embeddings."""
    passage_lexical: Floats
    """(p) lexical score, at least 0, in any unit; 0 for passages not found by words."""
    anchor_node: Integers
    """(a) nodes that the question names; a node may occur twice."""
    anchor_spread: Integers
    """(a) number of chunks in the space whose text contains the words of the name, whatever they mean."""
    mention_passage: Integers
    """(m) passage that mentions a node."""
    mention_node: Integers
    """(m) mentioned node."""
    mention_is_titular: Flags
    """(m) whether the document's title or the passage's heading is a name of the node."""
    edge_from: Integers
    """(e) source node."""
    edge_to: Integers
    """(e) target node."""
    edge_cosine: Floats
    """(e) cosine of the fact's vector with the question's; 0 or NaN without one."""
    passage_residual_cosine: Floats | None = None
    """(p) cosine of the chunk's vector with the question's without its names (`subtract_name_vectors`)."""
    cosine_share: float = 0.5
    """Weight of cosines relative to words: 0.5 for a semantic model, 0.15 for hashed vectors."""
    anchor_is_written: Flags | None = None
    """(a) whether the question writes it as a name (graph.questions.is_written_as_name); None: all are."""
    nested_names: tuple[Integers, Integers] | None = None
    """(k), (k) nodes whose name is part of another's, and those others (`find_indices_of_nested_names`)."""


@dataclass(frozen=True, slots=True)
class PassageRanking:
    """The final mass of each passage and node; non-negative, at most 1 in total.

    `direct_scores` (p) is the share of a passage as a seed, before any link. `best_passages` has all
    passages, best first: ties are broken by the higher cosine, then the higher lexical score, then the lower
    index.
    """

    passage_mass: Floats
    node_mass: Floats
    direct_scores: Floats
    best_passages: Integers


def rank_passages(subgraph: Subgraph, *, starts_from_passages: bool = True) -> PassageRanking:
    """Rank the passages and nodes of the subgraph by a walk from the question's seeds.

    Without `starts_from_passages` it starts only from named nodes and facts (requirement 9.3, graph_only). It
    takes under 5 ms for 2,000 nodes, 2,000 passages and 10,000 links.
    """
    start_nodes, start_passages = _distribute_seed_mass(subgraph, starts_from_passages)
    if not start_nodes.any():
        # With only passages as seeds, the nodes that they mention would just lead back to them.
        return PassageRanking(
            start_passages, start_nodes, start_passages, _sort_passages(subgraph, start_passages)
        )
    links = _Links.from_subgraph(subgraph)
    # The second passage of an answer may be about what the question asks, without what it names.
    gate = normalize_min_max(subgraph.passage_cosine)
    if subgraph.passage_residual_cosine is not None:
        gate = np.maximum(gate, normalize_min_max(subgraph.passage_residual_cosine))
    gate = GATE_FLOOR + (1 - GATE_FLOOR) * gate**GATE_SHARPNESS
    # A passage receives mass in proportion to its similarity to the question: otherwise the walk spreads to
    # everything that mentions the same nodes.
    damping_factors = DAMPING * np.concatenate([np.ones(links.node_count), gate])
    mass = np.concatenate([start_nodes, start_passages])
    restart_mass = (1 - DAMPING) * mass
    for _ in range(WALK_STEPS):
        mass = damping_factors * links.spread_mass(mass) + restart_mass
    node_mass, passage_mass = mass[: links.node_count], mass[links.node_count :]
    return PassageRanking(passage_mass, node_mass, start_passages, _sort_passages(subgraph, passage_mass))


def _sort_passages(subgraph: Subgraph, scores: Floats) -> Integers:
    """Return all passages, best first."""
    return np.lexsort((-subgraph.passage_lexical, -subgraph.passage_cosine, -scores))


def compute_specificity_of_anchors(
    spread_counts: Integers, mention_counts: Integers, written_flags: Flags | None = None
) -> Floats:
    """Return the specificity of each anchor, above 0 up to 1: (a), from columns (a) as in `Subgraph`.

    "city" may be a node mentioned in one passage, and a word in fifty: the word count is used, or the subject
    of that one passage would dominate every walk.
    """
    anchor_weights: Floats = 1 / np.maximum(np.maximum(spread_counts, mention_counts), 1)
    return (
        anchor_weights
        if written_flags is None
        else np.where(written_flags, anchor_weights, UNWRITTEN_ANCHOR_WEIGHT * anchor_weights)
    )


def flag_principal_anchors(weights: Floats) -> Flags:
    """Return which anchors a question is about: (a). The others ("director", "city") are part of what it
    asks.
    """
    principal_flags: Flags = weights >= MIN_PRINCIPAL_WEIGHT * weights.max(initial=0.0)
    return principal_flags


def subtract_name_vectors(question_vector: Floats, name_vectors: Floats) -> Floats:
    """Return a question's vector (d) without those of the names it is about (a, d), as a unit vector (d).

    The names are those of `flag_principal_anchors`. The result is the question minus its projection on the
    span of the names, or the question itself if nothing else remains or no name is given. It replaces
    embedding the question again without its names.
    """
    unit_vector = question_vector / max(float(np.linalg.norm(question_vector)), 1e-12)
    if not len(name_vectors):
        return unit_vector
    # A basis of the span of the names, without directions that are only rounding errors.
    _, singular_values, directions = np.linalg.svd(name_vectors, full_matrices=False)
    spanned_directions = directions[singular_values > 1e-3 * max(float(singular_values[0]), 1e-12)]
    residual_vector = unit_vector - spanned_directions.T @ (spanned_directions @ unit_vector)
    residual_length = float(np.linalg.norm(residual_vector))
    if residual_length < 1e-3:
        return unit_vector
    result: Floats = residual_vector / residual_length
    return result


class _SeedMass(NamedTuple):
    """The shares of nodes (n) and passages (p) at which the walk begins; together they sum to 1."""

    nodes: Floats
    passages: Floats


def _distribute_seed_mass(subgraph: Subgraph, starts_from_passages: bool) -> _SeedMass:
    """Return where the walk begins: shares of nodes (n) and passages (p) that sum to 1 together."""
    scores = fuse_scores(
        subgraph.passage_cosine, subgraph.passage_lexical, cosine_share=subgraph.cosine_share
    )
    named_shares, anchor_trust = _distribute_weight_over_anchors(
        subgraph, _flag_nodes_leading_to_other_passages(subgraph, scores) if starts_from_passages else None
    )
    fact_end_shares = _distribute_weight_over_fact_ends(subgraph)
    node_shares = named_shares + FACT_SHARE * fact_end_shares
    anchor_trust = max(anchor_trust, float(fact_end_shares.any()))
    is_unwalked = _flag_unwalked_passages(subgraph, has_walk=bool(node_shares.any()))
    passage_shares = (
        _distribute_weight_over_best_passages(subgraph, scores, is_unwalked)
        if starts_from_passages
        else np.zeros(len(is_unwalked))
    )
    if not node_shares.any():
        return _SeedMass(node_shares, passage_shares)
    if not passage_shares.any():
        return _SeedMass(node_shares / node_shares.sum(), passage_shares)
    # Without a specific anchor the passages decide, which is plain hybrid search.
    passage_weight = 1 - (1 - PASSAGE_SHARE) * anchor_trust
    total_weight = 1 + passage_weight
    return _SeedMass(
        node_shares / (node_shares.sum() * total_weight), passage_shares * (passage_weight / total_weight)
    )


def _flag_nodes_leading_to_other_passages(subgraph: Subgraph, scores: Floats) -> Flags:
    """Return the nodes that lead to passages not found by the question's words: (n), given the scores (p).

    They have a claim, a name inside a longer one, a page about them, or a passage not found by words, because
    the question misspells their name or uses another. Other nodes lead only to passages that contain their
    name, whose words are already scored: a walk would put these passages before more informative ones. If
    none of a node's passages is among the first, it leads too: its name got lost in a long question.
    """
    is_leading = subgraph.node_degree > 0
    is_leading[subgraph.mention_node[subgraph.mention_is_titular]] = True
    is_leading[subgraph.mention_node[subgraph.passage_lexical[subgraph.mention_passage] <= 0]] = True
    for ends in (subgraph.edge_from, subgraph.edge_to, *(subgraph.nested_names or ())):
        is_leading[ends] = True
    is_top_passage = np.zeros(len(scores), bool)
    is_top_passage[np.argsort(-scores, kind="stable")[:TOP_PASSAGES_BY_WORDS]] = True
    is_in_top_passages = np.zeros(len(is_leading), bool)
    is_in_top_passages[subgraph.mention_node[is_top_passage[subgraph.mention_passage]]] = True
    informative_flags: Flags = is_leading | ~is_in_top_passages
    return informative_flags


class _AnchorShares(NamedTuple):
    """The shares of the named nodes, and the trust in the most specific of them, 0 to 1."""

    node_shares: Floats
    trust: float


def _distribute_weight_over_anchors(subgraph: Subgraph, leading_nodes: Flags | None) -> _AnchorShares:
    """Return the shares of the named nodes, and the trust in the most specific of them, 0 to 1.

    Only `leading_nodes` nodes (n) count, if given.
    """
    node_weights = np.zeros(len(subgraph.node_mentions))
    mention_counts = subgraph.node_mentions[subgraph.anchor_node]
    anchor_weights = compute_specificity_of_anchors(
        subgraph.anchor_spread, mention_counts, subgraph.anchor_is_written
    )
    if leading_nodes is not None:
        anchor_weights = np.where(leading_nodes[subgraph.anchor_node], anchor_weights, 0.0)
    np.maximum.at(node_weights, subgraph.anchor_node, anchor_weights)
    if not node_weights.any():
        return _AnchorShares(node_weights, 0.0)
    trust = min(1.0, float(node_weights.max()) / SPECIFIC_ANCHOR_WEIGHT)
    return _AnchorShares(node_weights / node_weights.sum(), trust)


def _distribute_weight_over_fact_ends(subgraph: Subgraph) -> Floats:
    """Return the shares of the nodes at the ends of facts more similar to the question than any passage.

    A fact less similar than a passage adds nothing to the passage; without this threshold the poor facts of a
    sparse graph reduced quality.
    """
    node_weights = np.zeros(len(subgraph.node_mentions))
    min_cosine = subgraph.passage_cosine.max(initial=0.0)
    excesses = np.nan_to_num(subgraph.edge_cosine - min_cosine, nan=0.0)
    best_facts = np.lexsort((subgraph.edge_to, subgraph.edge_from, -excesses))[:MAX_SEED_FACTS]
    best_facts = best_facts[excesses[best_facts] > 0]
    for ends in (subgraph.edge_from[best_facts], subgraph.edge_to[best_facts]):
        np.add.at(node_weights, ends, excesses[best_facts] / np.maximum(subgraph.node_mentions[ends], 1))
    return node_weights / node_weights.sum() if len(best_facts) else node_weights


def _flag_unwalked_passages(subgraph: Subgraph, *, has_walk: bool) -> Flags:
    """Return the passages that no walk reaches: (p).

    They are those without a graph; if nothing is walked, also those that contain a name of the question, or
    all if it names nothing.
    """
    is_unwalked = np.ones(len(subgraph.passage_cosine), bool)
    if has_walk or len(subgraph.anchor_node):
        is_unwalked[subgraph.mention_passage] = False
    if not has_walk:
        holds_anchor = np.isin(subgraph.mention_node, subgraph.anchor_node)
        is_unwalked[subgraph.mention_passage[holds_anchor]] = True
    return is_unwalked


def _distribute_weight_over_best_passages(subgraph: Subgraph, scores: Floats, is_unwalked: Flags) -> Floats:
    """Return the shares of the passages most similar to the question by their scores (p); they sum to 1."""
    # Passages found only by words get a share even if their score is the lowest.
    word_shares = subgraph.passage_lexical / max(float(subgraph.passage_lexical.max(initial=0.0)), 1e-12)
    scores = np.where(is_unwalked, np.maximum(scores, (1 - subgraph.cosine_share) * word_shares), scores)
    shares = np.zeros(len(scores))
    best_passages = np.argsort(-scores, kind="stable")[:MAX_SEED_PASSAGES]
    shares[best_passages] = scores[best_passages] ** PASSAGE_SHARPNESS
    return shares / shares.sum() if shares.any() else shares


@dataclass(frozen=True, slots=True)
class _Links:
    """Links between passages and nodes and among nodes, each in both directions: (l).

    The first `node_count` indices are nodes, the others passages. `share` is the part of the giver's mass
    that the link transfers.
    """

    source_index: Integers
    target_index: Integers
    share: Floats
    node_count: int
    index_count: int

    @classmethod
    def from_subgraph(cls, subgraph: Subgraph) -> "_Links":
        node_count, passage_count = len(subgraph.node_mentions), len(subgraph.passage_cosine)
        is_hub = subgraph.node_mentions > max(HUB_MENTIONS, HUB_SHARE * subgraph.space_passages)
        mention_passages, mention_nodes = subgraph.mention_passage, subgraph.mention_node
        mention_weights = np.where(subgraph.mention_is_titular, TITLE_WEIGHT, 0) + ~is_hub[mention_nodes]
        name_links = _link_nested_names(subgraph, is_hub)
        source_indices, target_indices, pair_weights = (
            np.concatenate(columns)
            for columns in zip(_link_node_pairs(subgraph, is_hub), name_links, strict=True)
        )
        # The mass of a node or passage is divided over all its links in the space, including those not
        # fetched: their part leaves the walk, as it would have gone elsewhere.
        title_counts = _sum_values_by_index(
            mention_nodes, subgraph.mention_is_titular.astype(np.float64), node_count
        )
        total_weights = (
            np.where(is_hub, 0, subgraph.node_mentions + subgraph.node_degree) + TITLE_WEIGHT * title_counts
        )
        total_weights += _sum_values_by_index(name_links.source_indices, name_links.weights, node_count)
        passage_mentions = _sum_values_by_index(
            mention_passages, np.where(subgraph.mention_is_titular, 1 + TITLE_WEIGHT, 1), passage_count
        )
        # Stored counts may lag behind the graph; no node may transfer more mass than it has.
        linked_weights = _sum_values_by_index(
            mention_nodes, mention_weights, node_count
        ) + _sum_values_by_index(source_indices, pair_weights, node_count)
        node_totals = np.maximum(np.maximum(total_weights, linked_weights), 1)
        passage_totals = np.maximum(passage_mentions, 1)
        return cls(
            np.concatenate([mention_nodes, target_indices, mention_passages + node_count]),
            np.concatenate([mention_passages + node_count, source_indices, mention_nodes]),
            np.concatenate(
                [
                    mention_weights / node_totals[mention_nodes],
                    pair_weights / node_totals[target_indices],
                    mention_weights / passage_totals[mention_passages],
                ]
            ),
            node_count,
            node_count + passage_count,
        )

    def spread_mass(self, mass: Floats) -> Floats:
        """Return the mass that reaches each index in one step."""
        return _sum_values_by_index(self.target_index, self.share * mass[self.source_index], self.index_count)


def _sum_values_by_index(indices: Integers, values: Floats, count: int) -> Floats:
    """Return the sum of the values at each of `count` indices."""
    # bincount returns integers if there is nothing to sum.
    return np.bincount(indices, values, count).astype(np.float64, copy=False)


class _NodeLinks(NamedTuple):
    """Links among nodes: the nodes at both ends, and the weight of each link."""

    source_indices: Integers
    target_indices: Integers
    weights: Floats


def _link_nested_names(subgraph: Subgraph, is_hub: Flags) -> _NodeLinks:
    """Link nodes with nested names, in both directions; a name shares NESTED_NAME_WEIGHT among those that
    contain it.
    """
    short_name_nodes, long_name_nodes = subgraph.nested_names or (
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
    )
    is_usable = ~(is_hub[short_name_nodes] | is_hub[long_name_nodes])
    short_name_nodes, long_name_nodes = short_name_nodes[is_usable], long_name_nodes[is_usable]
    pair_weights = (
        NESTED_NAME_WEIGHT / np.bincount(short_name_nodes, minlength=len(is_hub))[short_name_nodes]
        if len(short_name_nodes)
        else np.zeros(0)
    )
    return _NodeLinks(
        np.concatenate([short_name_nodes, long_name_nodes]),
        np.concatenate([long_name_nodes, short_name_nodes]),
        np.concatenate([pair_weights, pair_weights]),
    )


def _link_node_pairs(subgraph: Subgraph, is_hub: Flags) -> _NodeLinks:
    """Link nodes by the number of edges between them, at most 3, each pair in both directions."""
    is_usable = ~(is_hub[subgraph.edge_from] | is_hub[subgraph.edge_to]) & (
        subgraph.edge_from != subgraph.edge_to
    )
    ends = subgraph.edge_from[is_usable], subgraph.edge_to[is_usable]
    node_count = max(len(is_hub), 1)
    pair_codes, edge_counts = np.unique(
        np.minimum(*ends) * node_count + np.maximum(*ends), return_counts=True
    )
    lower_nodes, higher_nodes = pair_codes // node_count, pair_codes % node_count
    pair_weights = np.minimum(edge_counts, MAX_PARALLEL_EDGES).astype(np.float64)
    return _NodeLinks(
        np.concatenate([lower_nodes, higher_nodes]),
        np.concatenate([higher_nodes, lower_nodes]),
        np.concatenate([pair_weights, pair_weights]),
    )
