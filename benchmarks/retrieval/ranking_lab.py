"""How well chunks are ranked for multi-hop questions, without a database: channels, the walk, and its parts.

Usage: python -m benchmarks.retrieval.ranking_lab multihop_dev.json.gz [--embedder minilm|hashed]
       [--rules] [--without]

The pack holds closed corpora with questions whose supporting passages are known, and extractions of them.
Each passage goes through the import's own reading (or, with --rules, that of our rules), each question
through a subgraph like the one that SQL fetches, and through `rank` itself. Prints recall@2/5/10 x 100 of
each variant for each set, with the paired difference in recall@5 to the whole walk and its bootstrap 95 %
interval; --without leaves out one part of the walk at a time.
"""

import argparse
import gzip
import json
import math
import random
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.extraction.imported import ImportedExtractor
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.titular_mentions import is_named_by_title, list_normalised_titles
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.names import normalise_name
from app.graph.questions import (
    choose_known_nonoverlapping_mentions,
    is_written_as_name,
    list_content_words,
    list_word_runs_that_may_name_nodes,
)
from app.ids import ChunkId, DocumentId
from app.llm.embedding.hashed import HashedEmbedder
from app.llm.embedding.minilm import MiniLMEmbedder
from app.retrieval import spreading_activation
from app.retrieval.score_fusion import fuse_scores
from app.retrieval.spreading_activation import (
    Subgraph,
    compute_specificity_of_anchors,
    flag_principal_anchors,
    rank_passages,
    subtract_name_vectors,
)
from app.retrieval.subgraph_ranking import find_indices_of_nested_names

KS = (2, 5, 10)
CANDIDATES = 50
Array = np.ndarray[Any, Any]


@dataclass
class Corpus:
    """One set of the pack as a graph: p passages, n nodes, m mentions, e edges, q questions."""

    name: str
    ids: list[str]
    texts: list[str]
    questions: list[dict[str, Any]]
    names: list[str]
    known: dict[str, int]
    mentions: Array  # (m, 3): passage, node, 1 where titular
    edges: Array  # (e, 2)
    evidence: Array  # (e): the passage that states it
    facts: list[str]
    vectors: dict[str, Array]


def read_corpus(part: dict[str, Any], embedder: Any, *, by_rules: bool) -> Corpus:
    """The graph of one set; names that are spelled alike are one node, as they are for the resolver."""
    vocabulary = replace(DEFAULT_VOCABULARY, open_relations=True)
    known: dict[str, int] = {}
    names: list[str] = []
    mentions: dict[tuple[int, int], bool] = {}
    edges: list[tuple[int, int]] = []
    evidence: list[int] = []
    facts: list[str] = []
    for place, passage in enumerate(part["passages"]):
        text = f"{passage['title']}\n{passage['text']}"
        chunk = ChunkText(ChunkId(uuid.uuid4()), DocumentId(uuid.uuid4()), passage["title"], text)
        given = {
            "extractor": part["extractor"],
            "chunks": [{"text": text, **part["extraction"][passage["id"]]}],
        }
        extractor = RulesExtractor() if by_rules else ImportedExtractor(json.dumps(given).encode())
        entities = extractor.extract_entities([chunk], vocabulary)
        relations = extractor.extract_relations([chunk], entities, vocabulary)[0]
        nodes = []
        for entity in entities[0]:
            node = known.setdefault(normalise_name(entity.name), len(names))
            if node == len(names):
                names.append(entity.name)
            for alias in entity.aliases:
                known.setdefault(normalise_name(alias), node)
            titular = is_named_by_title(entity, list_normalised_titles(chunk))
            mentions[place, node] = mentions.get((place, node), False) or titular
            nodes.append(node)
        for relation in relations:
            ends = nodes[relation.from_entity], nodes[relation.to_entity]
            edges.append(ends)
            evidence.append(place)
            facts.append(f"{names[ends[0]]} {relation.relation_type.replace('_', ' ')} {names[ends[1]]}")
    texts = [f"{passage['title']}\n{passage['text']}" for passage in part["passages"]]
    asked = [question["question"] for question in part["questions"]]
    vectors = {
        kind: embedder.embed(group).astype(np.float64)
        for kind, group in (("texts", texts), ("questions", asked), ("facts", facts), ("names", names))
    }
    return Corpus(
        part["name"],
        [passage["id"] for passage in part["passages"]],
        texts,
        part["questions"],
        names,
        known,
        np.array([(*pair, titular) for pair, titular in mentions.items()], np.int64).reshape(-1, 3),
        np.array(edges, np.int64).reshape(-1, 2),
        np.array(evidence, np.int64),
        facts,
        vectors,
    )


class Fetcher:
    """Answers for one corpus what the database would: channels, anchors and the subgraph around both."""

    def __init__(self, corpus: Corpus, *, cosine_share: float) -> None:
        self.corpus = corpus
        self.cosine_share = cosine_share
        self._words = [Counter(_stems(text)) for text in corpus.texts]
        self._holding = Counter(word for words in self._words for word in words)
        self._plain = [f" {normalise_name(text)} " for text in corpus.texts]
        self._count = np.bincount(corpus.mentions[:, 1], minlength=len(corpus.names))
        self._degree = np.bincount(corpus.edges.ravel(), minlength=len(corpus.names))
        self._length = np.array([sum(words.values()) for words in self._words]) / 60
        self._beside = defaultdict(set)
        for begin, end in corpus.edges.tolist():
            self._beside[begin].add(end)
            self._beside[end].add(begin)

    def cosines(self, number: int) -> Array:
        """Cosine of each passage with the question: (p)."""
        cosines: Array = self.corpus.vectors["texts"] @ self.corpus.vectors["questions"][number]
        return cosines

    def lexical(self, number: int) -> Array:
        """BM25 of each passage for the question: (p)."""
        scores = np.zeros(len(self._words))
        norm = 1.2 * (0.25 + 0.75 * self._length / self._length.mean())
        for word in sorted(set(_stems(self.corpus.questions[number]["question"]))):
            held = self._holding[word]
            idf = math.log(1 + (len(scores) - held + 0.5) / (held + 0.5))
            often = np.array([words[word] for words in self._words])
            scores += idf * often * 2.2 / (often + norm)
        return scores

    def subgraph(self, number: int) -> tuple[Subgraph, Array]:
        """What `rank` is given for a question, and the passages (positions in the corpus) it is about."""
        corpus = self.corpus
        cosine, lexical = self.cosines(number), self.lexical(number)
        near, worded = np.argsort(-cosine)[:CANDIDATES], np.argsort(-lexical)[:CANDIDATES]
        seeds = set(near.tolist()) | {place for place in worded.tolist() if lexical[place] > 0}
        found = choose_known_nonoverlapping_mentions(
            list_word_runs_that_may_name_nodes(corpus.questions[number]["question"]), frozenset(corpus.known)
        )
        anchors = [corpus.known[mention.normalised_name] for mention in found]
        hub = max(spreading_activation.HUB_MENTIONS, spreading_activation.HUB_SHARE * len(corpus.ids))
        passage, node, titular = corpus.mentions.T
        nodes = {*anchors, *(other for anchor in anchors for other in self._beside[anchor])}
        nodes |= set(node[np.isin(passage, list(seeds))].tolist())
        led_to = np.isin(node, list(nodes)) & ((self._count[node] <= hub) | (titular == 1))
        wanted = np.array(sorted(seeds | set(passage[led_to].tolist())))
        # The walk passes whatever these passages name and state.
        kept = np.array(sorted(nodes | set(node[np.isin(passage, wanted)].tolist())), np.int64)
        node_place = np.full(len(corpus.names), -1)
        node_place[kept] = np.arange(len(kept))
        place = np.full(len(corpus.ids), -1)
        place[wanted] = np.arange(len(wanted))
        mention = place[passage] >= 0
        edge = np.isin(corpus.evidence, wanted)
        question = corpus.vectors["questions"][number]
        spread = [sum(f" {mention.normalised_name} " in text for text in self._plain) for mention in found]
        written = np.array(
            [is_written_as_name(mention.surface, is_first_word=mention.start == 0) for mention in found], bool
        )
        weights = compute_specificity_of_anchors(
            np.array(spread, np.int64), self._count[np.array(anchors, np.int64)], written
        )
        about = np.array(anchors, np.int64)[flag_principal_anchors(weights)]
        rest = subtract_name_vectors(question, corpus.vectors["names"][about])
        made = Subgraph(
            space_passages=len(corpus.ids),
            node_mentions=self._count[kept],
            node_degree=self._degree[kept],
            passage_cosine=cosine[wanted],
            passage_lexical=np.where(np.isin(wanted, worded), lexical[wanted], 0.0),
            anchor_node=node_place[anchors].astype(np.int64),
            anchor_spread=np.array(spread, np.int64),
            mention_passage=place[passage[mention]],
            mention_node=node_place[node[mention]],
            mention_is_titular=titular[mention] == 1,
            edge_from=node_place[corpus.edges[edge, 0]],
            edge_to=node_place[corpus.edges[edge, 1]],
            edge_cosine=corpus.vectors["facts"][edge] @ question if edge.any() else np.zeros(0),
            passage_residual_cosine=corpus.vectors["texts"][wanted] @ rest,
            cosine_share=self.cosine_share,
            anchor_is_written=written,
            nested_names=find_indices_of_nested_names(
                [normalise_name(corpus.names[node_index]) for node_index in kept]
            ),
        )
        return made, wanted


def _stems(text: str) -> list[str]:
    """Content words without the commonest ending, as often as they stand there: near what Postgres
    indexes.
    """
    (content,) = list_content_words([text])
    words = (word for word in normalise_name(text).split() if word in content)
    return [word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words]


def reciprocal_rank_fusion(cosine: Array, lexical: Array) -> Array:
    """The two channels' first 50 by 1 / (60 + rank)."""
    fused = np.zeros(len(cosine))
    for scores in (cosine, lexical):
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        fused[best] += 1 / (61 + np.arange(len(best)))
    return fused


@contextmanager
def constants(**values: float) -> Any:
    """The ranking's constants set to others for a while."""
    kept = {name: getattr(spreading_activation, name) for name in values}
    for name, value in values.items():
        setattr(spreading_activation, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(spreading_activation, name, value)


Change = Callable[[Subgraph], Subgraph]
# What the walk is without one of its parts: constants set otherwise, or columns left out.
PARTS: dict[str, tuple[dict[str, float], Change]] = {
    "whole walk": ({}, lambda made: made),
    "anchors by node counts": ({}, lambda made: replace(made, anchor_spread=made.anchor_spread * 0)),
    "no anchors": ({}, lambda made: replace(made, anchor_node=made.anchor_node[:0], anchor_spread=made.anchor_spread[:0], anchor_is_written=None)),  # noqa: E501
    "any word a name": ({}, lambda made: replace(made, anchor_is_written=None)),
    "gate by question alone": ({}, lambda made: replace(made, passage_residual_cosine=None)),
    "no gate": ({"GATE_FLOOR": 1.0}, lambda made: made),
    "gate without floor": ({"GATE_FLOOR": 0.0}, lambda made: made),
    "no kin names": ({}, lambda made: replace(made, nested_names=None)),
    "no facts as seeds": ({"FACT_SHARE": 0.0}, lambda made: made),
    "no edges": ({}, lambda made: replace(made, edge_from=made.edge_from[:0], edge_to=made.edge_to[:0], edge_cosine=made.edge_cosine[:0])),  # noqa: E501
    "no titles": ({}, lambda made: replace(made, mention_is_titular=made.mention_is_titular & False)),
    # The measured start: its constants, and none of what was added.
    "prototype F": ({"DAMPING": 0.8, "STEPS": 4, "GATE_FLOOR": 0.0, "GATE_SHARPNESS": 1, "FACT_SHARE": 0.25,
                     "PASSAGE_SHARPNESS": 1, "SPECIFIC": 1e-9},
                    lambda made: replace(made, anchor_spread=made.anchor_spread * 0, anchor_is_written=None, nested_names=None,  # noqa: E501
                                         passage_residual_cosine=None, edge_cosine=made.edge_cosine + 1)),
    "flat passage seeds": ({"PASSAGE_SHARPNESS": 1}, lambda made: made),
}  # fmt: skip


def recall(gold: list[str], found: Sequence[str]) -> list[float]:
    """Share of the gold ids among the first 2, 5 and 10."""
    return [len(set(gold) & set(found[:k])) / len(set(gold)) for k in KS]


def interval(differences: Array) -> tuple[float, float]:
    """The bootstrap's 95 % interval of the mean."""
    chance = random.Random(0)
    means = sorted(
        float(np.mean(chance.choices(differences.tolist(), k=len(differences)))) for _ in range(2000)
    )
    return means[50], means[1949]


def variants(fetcher: Fetcher, *, without: bool) -> dict[str, Array]:
    """Recall (q, 3) of each channel and each form of the walk."""
    corpus, rows = fetcher.corpus, defaultdict(list)
    parts = PARTS if without else {"whole walk": PARTS["whole walk"]}
    for number, question in enumerate(corpus.questions):
        cosine, lexical = fetcher.cosines(number), fetcher.lexical(number)
        fused = reciprocal_rank_fusion(cosine, lexical)
        hybrid = fuse_scores(cosine, lexical, cosine_share=fetcher.cosine_share)
        orders = {"dense": cosine, "BM25": lexical, "RRF": fused, "hybrid": hybrid}
        found = {name: np.argsort(-scores, kind="stable") for name, scores in orders.items()}
        made, wanted = fetcher.subgraph(number)
        for name, (changed, change) in parts.items():
            with constants(**changed):
                found[name] = wanted[rank_passages(change(made)).best_passages]
        for name, order in found.items():
            rows[name].append(recall(question["gold"], [corpus.ids[place] for place in order[:10]]))
    return {name: 100 * np.array(ranks) for name, ranks in rows.items()}


def show(title: str, table: dict[str, Array]) -> None:
    """Print one table of recall."""
    print(f"\n{title}")
    for name, scores in table.items():
        difference = scores[:, 1] - table["whole walk"][:, 1]
        line = f"  {name:24}" + "/".join(f"{mean:5.1f}" for mean in scores.mean(axis=0))
        if difference.any():
            low, high = interval(difference)
            line += f"   R@5 {difference.mean():+5.1f} [{low:+.1f}, {high:+.1f}]"
        print(line, flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pack", type=Path)
    parser.add_argument("--embedder", choices=("minilm", "hashed"), default="minilm")
    parser.add_argument(
        "--rules", action="store_true", help="read passages by our rules, not as the pack has it"
    )
    parser.add_argument("--without", action="store_true", help="also the walk without each of its parts")
    chosen = parser.parse_args(argv)
    embedder: Any = MiniLMEmbedder() if chosen.embedder == "minilm" else HashedEmbedder()
    with gzip.open(chosen.pack, "rt", encoding="utf8") as file:
        pack = json.load(file)
    share = 0.5 if chosen.embedder == "minilm" else 0.15
    tables = []
    for part in pack["sets"]:
        corpus = read_corpus(part, embedder, by_rules=chosen.rules)
        tables.append(variants(Fetcher(corpus, cosine_share=share), without=chosen.without))
        counts = f"{len(corpus.ids)} passages, {len(corpus.names)} nodes, {len(corpus.edges)} edges"
        show(f"{corpus.name}: {len(corpus.questions)} questions, {counts}", tables[-1])
    show("all questions", {name: np.concatenate([table[name] for table in tables]) for name in tables[0]})


if __name__ == "__main__":
    main()
