"""Ranks the passages of a fetched subgraph by a walk from what the question names; pure, over numpy arrays.

The walk is a personalised PageRank between nodes and passages: it starts at the nodes that the question
names, at the facts and passages most like it, and what it passes through most is the answer. Constants are
those of docs/decisions/0009; each says what it is for.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.retrieval.score_fusion import fuse_scores, normalize_min_max

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

STEPS = 20
"""Steps of the walk. After few of them it still matters whether their number is odd or even."""
DAMPING = 0.95
"""Share of a step that comes over links; the rest comes from the seeds. 0.8 to 0.95 are
alike with a graph by a model; with one by our rules 0.95 is ahead by 1.6 points of R@5.
"""
TITLE_WEIGHT = 10.0
"""What a titular mention, of the thing that a page is about, weighs more than another. 5 to 20 are alike."""
MOST_ROWS = 3
"""More parallel edge rows than this make a pair of nodes no closer."""
HUB_MENTIONS, HUB_SHARE = 10, 0.01
"""A node that more passages name than both ("United States") ties nothing together but by its titles."""
KIN_WEIGHT = 0.5
"""What the longer names together weigh for one that they hold ("Prague", "Prague astronomical clock")."""
GATE_SHARPNESS, GATE_FLOOR = 2, 0.3
"""The gate is this power of a passage's likeness to the question, from 0.3 up to 1.

Powers of 1 to 2 and floors of 0 to 0.3 are alike with a model of meaning. Without a gate R@5 falls by 2, and
without a floor vectors that know spelling alone (app/llm/embedding/hashed.py) shut out what they do not
understand.
"""
UNWRITTEN = 0.3
"""Weight of an anchor that the question does not write as a name ("trucks"), beside one that it does."""
PRINCIPAL = 0.2
"""Weight of an anchor, beside the greatest, from which on the question is about it; 0.1 to 0.5 are alike."""
FACTS = 5
FACT_SHARE = 0.1
"""Weight of the seeds by facts, of which there are at most five, beside the named ones, which weigh 1."""
PASSAGES = 50
"""Passages that the walk starts from directly; 20 and 100 are alike."""
FIRST = 5
"""The first passages by the words: a name that none of them holds leads on."""
PASSAGE_SHARE = 0.1
"""Weight of all these passages where the question names something specific: more drowns the graph."""
PASSAGE_SHARPNESS = 3
"""Power of their scores: one passage that is plainly the best counts, fifty middling ones hardly."""
SPECIFIC = 0.2
"""An anchor whose name stands in no more than 1/0.2 passages is trusted fully; see `_distribute_start`."""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The data around one question, as columns. Nodes are 0 to n-1, passages 0 to p-1 everywhere.

    Each array is of one dimension: (n) is one entry per node, (p) per passage, (a) per anchor, (m) per
    mention, (e) per edge row, (k) per pair of kin names. Nothing needs to be sorted; no mention and no kin
    pair is repeated.
    """

    space_passages: int
    """How many chunks the whole space has."""
    node_mentions: Integers
    """(n) chunks of the whole space that name the node, as far as that is known."""
    node_degree: Integers
    """(n) edge rows of the whole space that enter or leave it, as far as that is known."""
    passage_cosine: Floats
    """(p) cosine of the chunk's vector with the question's; all 0 without embeddings."""
    passage_lexical: Floats
    """(p) lexical score, at least 0, of any unit; 0 where the words did not bring the passage in."""
    anchor_node: Integers
    """(a) nodes that the question names; a node may be named twice."""
    anchor_spread: Integers
    """(a) chunks of the space whose text holds the words of that name, whatever they mean there."""
    mention_passage: Integers
    """(m) passage that names a node."""
    mention_node: Integers
    """(m) node that it names."""
    mention_titular: Flags
    """(m) whether the document's title or the passage's heading is a name of the node."""
    edge_from: Integers
    """(e) node that the row leaves."""
    edge_to: Integers
    """(e) node that it enters."""
    edge_cosine: Floats
    """(e) cosine of the fact's vector with the question's; 0 or NaN where it has none."""
    passage_rest_cosine: Floats | None = None
    """(p) cosine of the chunk's vector with what the question asks besides names (`subtract_names`)."""
    cosine_share: float = 0.5
    """How far cosines count beside words: 0.5 for a model of meaning, 0.15 for hashed vectors."""
    anchor_written: Flags | None = None
    """(a) whether the question writes it as a name (graph.questions.is_written_as_name); None: all are."""
    kin: tuple[Integers, Integers] | None = None
    """(k), (k) nodes whose name is part of another's, and those others (`find_nested_names`)."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How much of the walk each passage and node held at its end; never negative, together at most 1.

    `direct` is what a passage had as a seed, before any link: (p). `order` are all passages, best first:
    ties go to the higher cosine, then the higher lexical score, then the lower position.
    """

    passages: Floats
    nodes: Floats
    direct: Floats
    order: Integers


def rank_passages(subgraph: Subgraph, *, from_passages: bool = True) -> Ranking:
    """The passages and nodes of the subgraph by what a walk from the question's seeds finds.

    Without `from_passages` it starts from named nodes and facts alone (requirement 9.3, graph_only). It
    takes under 5 ms for 2,000 nodes, 2,000 passages and 10,000 links.
    """
    start_nodes, start_passages = _distribute_start(subgraph, from_passages)
    if not start_nodes.any():
        # Nothing to walk from but passages: what they name would only lead back to them.
        return Ranking(start_passages, start_nodes, start_passages, _sort_passages(subgraph, start_passages))
    links = _Links.of(subgraph)
    # The second passage of an answer need not speak of what the question names, but of what it asks.
    gate = normalize_min_max(subgraph.passage_cosine)
    if subgraph.passage_rest_cosine is not None:
        gate = np.maximum(gate, normalize_min_max(subgraph.passage_rest_cosine))
    gate = GATE_FLOOR + (1 - GATE_FLOOR) * gate**GATE_SHARPNESS
    # A passage takes in what reaches it only as far as it is like the question: else the walk is lost in
    # whatever else names the same nodes.
    damped = DAMPING * np.concatenate([np.ones(links.nodes), gate])
    mass = np.concatenate([start_nodes, start_passages])
    returned = (1 - DAMPING) * mass
    for _ in range(STEPS):
        mass = damped * links.spread_mass(mass) + returned
    nodes, passages = mass[: links.nodes], mass[links.nodes :]
    return Ranking(passages, nodes, start_passages, _sort_passages(subgraph, passages))


def _sort_passages(subgraph: Subgraph, scores: Floats) -> Integers:
    """All passages, best first."""
    return np.lexsort((-subgraph.passage_lexical, -subgraph.passage_cosine, -scores))


def compute_anchor_weights(spread: Integers, mentions: Integers, written: Flags | None = None) -> Floats:
    """How much each anchor says, above 0 up to 1: (a), from columns (a) as `Subgraph` has them.

    "city" may be a node that one passage names, and a word of fifty passages: the words count, or whatever
    that one passage is about would lead every walk.
    """
    weights: Floats = 1 / np.maximum(np.maximum(spread, mentions), 1)
    return weights if written is None else np.where(written, weights, UNWRITTEN * weights)


def find_principal_anchors(weights: Floats) -> Flags:
    """Which anchors a question is about: (a). The others ("director", "city") are part of what it asks."""
    principal: Flags = weights >= PRINCIPAL * weights.max(initial=0.0)
    return principal


def subtract_names(question: Floats, names: Floats) -> Floats:
    """Return a question's vector (d) without those of the names it is about (a, d): a unit vector (d).

    The names are those of `find_principal_anchors`. The result is the question less its projection on what
    the names span; the question itself where nothing else is left or no name is given. It takes the place of
    embedding the question anew without its names.
    """
    unit = question / max(float(np.linalg.norm(question)), 1e-12)
    if not len(names):
        return unit
    # The directions that the names span; what one name adds to another by rounding alone is no direction.
    _, sizes, directions = np.linalg.svd(names, full_matrices=False)
    spanned = directions[sizes > 1e-3 * max(float(sizes[0]), 1e-12)]
    remainder = unit - spanned.T @ (spanned @ unit)
    size = float(np.linalg.norm(remainder))
    if size < 1e-3:
        return unit
    result: Floats = remainder / size
    return result


def _distribute_start(subgraph: Subgraph, from_passages: bool) -> tuple[Floats, Floats]:
    """Where the walk begins: shares of nodes (n) and passages (p) that sum to 1 together."""
    scores = fuse_scores(
        subgraph.passage_cosine, subgraph.passage_lexical, cosine_share=subgraph.cosine_share
    )
    named, trust = _share_anchors(subgraph, _find_leading_nodes(subgraph, scores) if from_passages else None)
    facts = _share_fact_ends(subgraph)
    nodes = named + FACT_SHARE * facts
    trust = max(trust, float(facts.any()))
    found_by_words = _find_unwalked_passages(subgraph, walks=bool(nodes.any()))
    passages = (
        _share_best_passages(subgraph, scores, found_by_words)
        if from_passages
        else np.zeros(len(found_by_words))
    )
    if not nodes.any():
        return nodes, passages
    if not passages.any():
        return nodes / nodes.sum(), passages
    # With nothing specific to start from the passages decide, which is plain hybrid search.
    share = 1 - (1 - PASSAGE_SHARE) * trust
    total = 1 + share
    return nodes / (nodes.sum() * total), passages * (share / total)


def _find_leading_nodes(subgraph: Subgraph, scores: Floats) -> Flags:
    """Nodes that lead to what the question's words do not bring: (n), with the passages' scores (p).

    They have a claim, a name within a longer one, a page about them, or a passage that the words did not
    bring: the question misspells its name, or has another. Others lead only to passages that hold their
    name, whose words have been weighed already: a walk would put these passages before what says more.
    Where none of these is among the first, the words of the name went under in a long question.
    """
    leads = subgraph.node_degree > 0
    leads[subgraph.mention_node[subgraph.mention_titular]] = True
    leads[subgraph.mention_node[subgraph.passage_lexical[subgraph.mention_passage] <= 0]] = True
    for ends in (subgraph.edge_from, subgraph.edge_to, *(subgraph.kin or ())):
        leads[ends] = True
    is_first = np.zeros(len(scores), bool)
    is_first[np.argsort(-scores, kind="stable")[:FIRST]] = True
    is_brought = np.zeros(len(leads), bool)
    is_brought[subgraph.mention_node[is_first[subgraph.mention_passage]]] = True
    flags: Flags = leads | ~is_brought
    return flags


def _share_anchors(subgraph: Subgraph, leading: Flags | None) -> tuple[Floats, float]:
    """Shares of the named nodes, and from 0 to 1 how far the most specific of them is to be trusted.

    Only those that are `leading` (n) count, where that is given.
    """
    weights = np.zeros(len(subgraph.node_mentions))
    mentions = subgraph.node_mentions[subgraph.anchor_node]
    seed_weights = compute_anchor_weights(subgraph.anchor_spread, mentions, subgraph.anchor_written)
    if leading is not None:
        seed_weights = np.where(leading[subgraph.anchor_node], seed_weights, 0.0)
    np.maximum.at(weights, subgraph.anchor_node, seed_weights)
    if not weights.any():
        return weights, 0.0
    return weights / weights.sum(), min(1.0, float(weights.max()) / SPECIFIC)


def _share_fact_ends(subgraph: Subgraph) -> Floats:
    """Shares of the nodes at the ends of the facts that are more like the question than any passage is.

    A fact less like it than a passage says nothing that the passage does not; without this bar the
    poor facts of a sparse graph did harm.
    """
    weights = np.zeros(len(subgraph.node_mentions))
    bar = subgraph.passage_cosine.max(initial=0.0)
    excess = np.nan_to_num(subgraph.edge_cosine - bar, nan=0.0)
    best = np.lexsort((subgraph.edge_to, subgraph.edge_from, -excess))[:FACTS]
    best = best[excess[best] > 0]
    for ends in (subgraph.edge_from[best], subgraph.edge_to[best]):
        np.add.at(weights, ends, excess[best] / np.maximum(subgraph.node_mentions[ends], 1))
    return weights / weights.sum() if len(best) else weights


def _find_unwalked_passages(subgraph: Subgraph, *, walks: bool) -> Flags:
    """Passages that no walk comes to: (p).

    Those of which no graph was drawn; where nothing is walked also those that hold a name of the question,
    or all, if it names nothing.
    """
    flags = np.ones(len(subgraph.passage_cosine), bool)
    if walks or len(subgraph.anchor_node):
        flags[subgraph.mention_passage] = False
    if not walks:
        holds_anchor = np.isin(subgraph.mention_node, subgraph.anchor_node)
        flags[subgraph.mention_passage[holds_anchor]] = True
    return flags


def _share_best_passages(subgraph: Subgraph, scores: Floats, found_by_words: Flags) -> Floats:
    """Shares of the passages that are most like the question by their scores (p); they sum to 1."""
    # Of what is found by its words alone the least of several has some share too.
    shared = subgraph.passage_lexical / max(float(subgraph.passage_lexical.max(initial=0.0)), 1e-12)
    scores = np.where(found_by_words, np.maximum(scores, (1 - subgraph.cosine_share) * shared), scores)
    shares = np.zeros(len(scores))
    best = np.argsort(-scores, kind="stable")[:PASSAGES]
    shares[best] = scores[best] ** PASSAGE_SHARPNESS
    return shares / shares.sum() if shares.any() else shares


@dataclass(frozen=True, slots=True)
class _Links:
    """Ties of passages and nodes and of nodes, each in both directions: (l) links between places.

    The first `nodes` places are those of nodes, the others of passages. `share` is what of its giver's part
    goes over the link.
    """

    giver: Integers
    taker: Integers
    share: Floats
    nodes: int
    size: int

    @classmethod
    def of(cls, subgraph: Subgraph) -> "_Links":
        count, passages = len(subgraph.node_mentions), len(subgraph.passage_cosine)
        hub = subgraph.node_mentions > max(HUB_MENTIONS, HUB_SHARE * subgraph.space_passages)
        passage, node = subgraph.mention_passage, subgraph.mention_node
        tie = np.where(subgraph.mention_titular, TITLE_WEIGHT, 0) + ~hub[node]
        kin = _link_kin_names(subgraph, hub)
        first, second, bond = (
            np.concatenate(columns) for columns in zip(_link_node_pairs(subgraph, hub), kin, strict=True)
        )
        # What a node or passage hands on is divided over all its links in the space, also those that were
        # not fetched: the part of these leaves the walk, as it would have gone elsewhere.
        titles = _sum_by_index(node, subgraph.mention_titular.astype(np.float64), count)
        counted = np.where(hub, 0, subgraph.node_mentions + subgraph.node_degree) + TITLE_WEIGHT * titles
        counted += _sum_by_index(kin[0], kin[2], count)
        passage_mentions = _sum_by_index(
            passage, np.where(subgraph.mention_titular, 1 + TITLE_WEIGHT, 1), passages
        )
        # Counts kept beside the graph may lag behind it; nothing may hand on more than it has.
        linked = _sum_by_index(node, tie, count) + _sum_by_index(first, bond, count)
        node_total = np.maximum(np.maximum(counted, linked), 1)
        passage_total = np.maximum(passage_mentions, 1)
        return cls(
            np.concatenate([node, second, passage + count]),
            np.concatenate([passage + count, first, node]),
            np.concatenate([tie / node_total[node], bond / node_total[second], tie / passage_total[passage]]),
            count,
            count + passages,
        )

    def spread_mass(self, mass: Floats) -> Floats:
        """Return how much reaches each place in one step."""
        return _sum_by_index(self.taker, self.share * mass[self.giver], self.size)


def _sum_by_index(indices: Integers, values: Floats, count: int) -> Floats:
    """The sum of the values at each of `count` places."""
    # With nothing to sum bincount answers in integers.
    return np.bincount(indices, values, count).astype(np.float64, copy=False)


def _link_kin_names(subgraph: Subgraph, hub: Flags) -> tuple[Integers, Integers, Floats]:
    """Nodes of kin names, each pair in both directions; a name shares KIN_WEIGHT among those that hold it."""
    short, long = subgraph.kin or (np.zeros(0, np.int64), np.zeros(0, np.int64))
    usable = ~(hub[short] | hub[long])
    short, long = short[usable], long[usable]
    bond = KIN_WEIGHT / np.bincount(short, minlength=len(hub))[short] if len(short) else np.zeros(0)
    return np.concatenate([short, long]), np.concatenate([long, short]), np.concatenate([bond, bond])


def _link_node_pairs(subgraph: Subgraph, hub: Flags) -> tuple[Integers, Integers, Floats]:
    """Linked nodes, each pair in both directions, with the number of edge rows between them, at most 3."""
    usable = ~(hub[subgraph.edge_from] | hub[subgraph.edge_to]) & (subgraph.edge_from != subgraph.edge_to)
    ends = subgraph.edge_from[usable], subgraph.edge_to[usable]
    size = max(len(hub), 1)
    keys, rows = np.unique(np.minimum(*ends) * size + np.maximum(*ends), return_counts=True)
    low, high = keys // size, keys % size
    bond = np.minimum(rows, MOST_ROWS).astype(np.float64)
    return np.concatenate([low, high]), np.concatenate([high, low]), np.concatenate([bond, bond])
