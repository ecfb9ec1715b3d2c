"""How far a classifier of relations gets on evidence sentences: python -m benchmarks.reader.relations DATA.

DATA is `redocred_train.json.gz`. Documents whose number ends in KEPT teach nothing and decide nothing. Of the
others each fold is scored by a classifier trained on the other folds; these scores are calibrated, and say
from which probability on each label is right by LEAST_RIGHT. It prints the learning curve, and what becomes
of the relations of the kept documents. Seeds are fixed; numpy is enough. Decision 119 says what it is worth.
"""

import argparse
import gzip
import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.domain.possible_ends import can_have_ends
from app.extraction.grounding import keep_entities_named_in_chunk
from app.extraction.reader.languages import load_pipeline
from app.extraction.rules.english.past.former_states import RELATIONS_THAT_CAN_END
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId
from benchmarks.quality.redocred import NO_NODES, PROPERTIES, SYMMETRIC, document_text
from benchmarks.reader.pairs import BUCKETS, Pair, pairs_of_chunk

SEED = 23
FOLDS = 5
KEPT = 7, 3
EPOCHS, BATCH, RATE, PENALTY = 8, 64, 0.1, 2e-4
SCALE, STATE_PENALTY = 0.3, 2e-3
"""Of the network's states, beside features that are 0 or 1."""
LEAST_RIGHT = 0.8
STATED, RELATED, NONE = 1, -1, 0
"""A sentence is marked as evidence of a relation; others are, or none; the relation does not hold."""
Numbers = NDArray[np.float32]
Flags = NDArray[np.bool_]
Relation = tuple[int, int, str]
"""Two entities of a document's data, from source to target, and a relation type."""


class Label(NamedTuple):
    """What may be said of a pair: a relation type, and whether the second name is its source."""

    relation_type: str
    is_turned: bool

    def relation(self, first: int, second: int) -> Relation:
        """The relation that it says of two entities."""
        return (second, first, self.relation_type) if self.is_turned else (first, second, self.relation_type)


LABELS = sorted(
    Label(name, turned)
    for name in {name for name, _ in PROPERTIES.values()}
    for turned in ((False,) if name in SYMMETRIC else (False, True))
)


class Examples(NamedTuple):
    """Pairs of names: document, entities, features, and for each label what holds and what may be claimed."""

    documents: NDArray[np.int64]
    entities: NDArray[np.int64]
    rows: list[NDArray[np.int64]]
    states: Numbers
    targets: NDArray[np.int8]
    claimable: Flags

    def where(self, chosen: Flags) -> "Examples":
        """The examples of this mask."""
        rows = [row for row, is_chosen in zip(self.rows, chosen, strict=True) if is_chosen]
        return Examples(
            self.documents[chosen],
            self.entities[chosen],
            rows,
            self.states[chosen],
            self.targets[chosen],
            self.claimable[chosen],
        )


class Document:
    """A document of the data with the relations that it states."""

    def __init__(self, number: int, data: Mapping[str, Any]) -> None:
        self.entities = data["entities"]
        text, self._ranges = document_text(data["tokens"])
        identity = uuid.UUID(int=number)
        self.chunk = ChunkText(ChunkId(identity), DocumentId(identity), data["title"], text)
        self._starts = [self._ranges[sentence, 0][0] for sentence in range(len(data["tokens"]))]
        self.evidence: dict[Relation, set[int]] = defaultdict(set)
        """The sentences that somebody marked as evidence of each relation: none of many."""
        for relation in data["relations"]:
            ends = relation["h"], relation["t"]
            if relation["r"] not in PROPERTIES or not self._are_nodes(*ends):
                continue
            name, turned = PROPERTIES[relation["r"]]
            source, target = ends[::-1] if turned else ends
            self.evidence[source, target, name].update(relation["evidence"])
            if name in SYMMETRIC:
                self.evidence[target, source, name].update(relation["evidence"])

    def _are_nodes(self, *entities: int) -> bool:
        return NO_NODES.isdisjoint(self.entities[entity]["type"] for entity in entities)

    def sentence_at(self, offset: int) -> int:
        """The number of the sentence in which a place of the text lies."""
        return sum(start <= offset for start in self._starts) - 1

    def in_one_sentence(self) -> set[Relation]:
        """The relations of which one sentence names both ends."""
        sentences = [{mention["sent"] for mention in entity["mentions"]} for entity in self.entities]
        return {key for key in self.evidence if not sentences[key[0]].isdisjoint(sentences[key[1]])}

    def nodes_of(self, extracted: Sequence[FoundEntity]) -> dict[int, int]:
        """The entity that most surfaces of each extracted entity overlap with, where it is a node."""
        spans = {
            (self._ranges[mention["sent"], first][0], self._ranges[mention["sent"], last - 1][1]): index
            for index, entity in enumerate(self.entities)
            for mention in entity["mentions"]
            for first, last in [mention["span"]]
        }
        votes: dict[int, Counter[int]] = defaultdict(Counter)
        for position, entity in enumerate(extracted):
            for surface in entity.surfaces:
                span = (surface.start, surface.end)
                if span not in spans:
                    span = next((other for other in spans if span[0] < other[1] and other[0] < span[1]), span)
                if span in spans:
                    votes[position][spans[span]] += 1
        nodes = {position: counter.most_common(1)[0][0] for position, counter in votes.items()}
        return {position: node for position, node in nodes.items() if self._are_nodes(node)}


def read(documents: Sequence[Document]) -> Examples:
    """The pairs of names of all sentences, as extraction reads them."""
    pipeline, extractor = load_pipeline("en"), RulesExtractor()
    if pipeline is None:
        raise SystemExit("The weights of the English reader are missing.")
    columns: list[list[Any]] = [[], [], [], [], [], []]
    for number, document in enumerate(documents):
        (extracted,) = extractor.extract_entities([document.chunk], DEFAULT_VOCABULARY)
        entities, _ = keep_entities_named_in_chunk(document.chunk, extracted, DEFAULT_VOCABULARY)
        nodes = document.nodes_of(entities)
        for pair in pairs_of_chunk(document.chunk, entities, pipeline):
            ends = [pair.tree.units[word].entities for word in (pair.first, pair.second)]
            first, second = (nodes.get(end[0]) if len(end) == 1 else None for end in ends)
            if first is None or second is None or first == second:
                continue
            sentence = document.sentence_at(pair.start)
            targets = [
                _target(document.evidence.get(label.relation(first, second)), sentence) for label in LABELS
            ]
            claimable = [_is_claimable(pair, label) for label in LABELS]
            row = number, (first, second), pair.rows, pair.states, targets, claimable
            for column, value in zip(columns, row, strict=True):
                column.append(value)
    numbers, ends_of_pairs, rows, states, targets_of_pairs, claimable_of_pairs = columns
    return Examples(
        np.array(numbers),
        np.array(ends_of_pairs),
        rows,
        np.array(states),
        np.array(targets_of_pairs, np.int8),
        np.array(claimable_of_pairs),
    )


def _target(evidence: set[int] | None, sentence: int) -> int:
    return NONE if evidence is None else STATED if sentence in evidence else RELATED


def _is_claimable(pair: Pair, label: Label) -> bool:
    """Return whether the sentence says it as a fact, the kinds of the names allow it, and it is not over."""
    units = pair.tree.units[pair.first], pair.tree.units[pair.second]
    source, target = units[::-1] if label.is_turned else units
    is_over = label.relation_type in RELATIONS_THAT_CAN_END and pair.is_past
    is_possible = can_have_ends(label.relation_type, source.known_kind, target.known_kind)
    return pair.is_said and not is_over and is_possible


def fitted(examples: Examples) -> Numbers:
    """Weights of one logistic regression a label, by AdaGrad; what is only related teaches nothing."""
    source = np.random.default_rng(SEED)
    width = examples.states.shape[1]
    weights = np.zeros((BUCKETS + width, len(LABELS)), np.float32)
    squares = np.full_like(weights, 1e-2)
    dense = np.arange(BUCKETS, BUCKETS + width)
    stated = (examples.targets == STATED).astype(np.float32)
    counts = (examples.targets != RELATED).astype(np.float32)
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        order = source.permutation(len(examples.rows))
        for begin in range(0, len(order), BATCH):
            batch = order[begin : begin + BATCH]
            rows = [examples.rows[index] for index in batch]
            hashed, places = np.unique(np.concatenate(rows), return_inverse=True)
            used = np.concatenate((hashed, dense))
            features = np.zeros((len(used), len(batch)), np.float32)
            features[places, np.repeat(np.arange(len(batch)), list(map(len, rows)))] = 1
            features[len(hashed) :] = SCALE * examples.states[batch].T
            guesses = 1 / (1 + np.exp(-(features.T @ weights[used])))
            gradient = features @ ((guesses - stated[batch]) * counts[batch])
            gradient[: len(hashed)] += PENALTY * len(batch) * weights[hashed]
            gradient[len(hashed) :] += STATE_PENALTY * len(batch) * weights[dense]
            squares[used] += gradient**2
            weights[used] -= rate * gradient / np.sqrt(squares[used])
    return weights


def scores_of(weights: Numbers, examples: Examples) -> Numbers:
    """The score of each label for each pair."""
    bounds = np.cumsum([0, *map(len, examples.rows)])[:-1]
    hashed = np.add.reduceat(weights[np.concatenate(examples.rows)], bounds, axis=0)
    return (hashed + SCALE * examples.states @ weights[BUCKETS:]).astype(np.float32)


def folded(examples: Examples) -> Numbers:
    """Scores of each pair by weights that no pair of its fold was trained on."""
    scores = np.zeros(examples.targets.shape, np.float32)
    folds = examples.documents % FOLDS
    for fold in range(FOLDS):
        weights = fitted(examples.where(folds != fold))
        scores[folds == fold] = scores_of(weights, examples.where(folds == fold))
    return scores


class Calibration(NamedTuple):
    """Log-odds of a label are `slope` times its score, and its offset; from `least` on it is claimed."""

    slope: float
    offsets: Numbers
    least: Numbers

    @classmethod
    def of(cls, scores: Numbers, examples: Examples) -> "Calibration":
        """Fitted on scores of pairs that were not trained on; a rare label's offset is near the mean."""
        known = examples.claimable & (examples.targets != RELATED)
        stated = examples.targets == STATED
        slope, offsets = 1.0, np.zeros(scores.shape[1], np.float32)
        for _ in range(400):
            errors = np.where(known, 1 / (1 + np.exp(-(slope * scores + offsets))) - stated, 0.0)
            slope -= 0.5 * float((errors * scores).sum()) / float((known * np.minimum(scores**2, 25)).sum())
            pull = 0.5 * (offsets - offsets.mean())
            offsets -= (0.5 * (errors.sum(axis=0) + pull) / (stated.sum(axis=0) * 0.25 + 2)).astype(
                np.float32
            )
        unbounded = cls(slope, offsets, np.full(scores.shape[1], 2.0, np.float32))
        return unbounded._replace(least=_least(unbounded.probabilities(scores), known, stated))

    def probabilities(self, scores: Numbers) -> Numbers:
        """How likely each label is."""
        probabilities: Numbers = 1 / (1 + np.exp(-(self.slope * scores + self.offsets)))
        return probabilities

    def claims(self, scores: Numbers, examples: Examples) -> Flags:
        """Which labels are claimed of which pairs."""
        return (self.probabilities(scores) >= self.least) & examples.claimable


def _least(probabilities: Numbers, known: Flags, stated: Flags) -> Numbers:
    """From which probability on each label is right by LEAST_RIGHT, and 2 where it is so nowhere."""
    least = np.full(probabilities.shape[1], 2.0, np.float32)
    for label in range(len(least)):
        column, is_right = probabilities[known[:, label], label], stated[known[:, label], label]
        order = np.argsort(-column)
        order = order[column[order] >= LEAST_RIGHT]
        # One right and one wrong more than there were: of two that are right nothing is known.
        shares = (np.cumsum(is_right[order]) + 1) / (np.arange(len(order)) + 2)
        enough = np.flatnonzero(shares >= LEAST_RIGHT)
        if len(enough):
            least[label] = column[order[enough[-1]]]
    return least


def report(title: str, claimed: Flags, examples: Examples) -> None:
    """Print how many labels are claimed, and how many of these are stated."""
    stated, related, none = (
        int((claimed & (examples.targets == value)).sum()) for value in (STATED, RELATED, NONE)
    )
    recall = stated / int((examples.targets == STATED).sum())
    print(
        f"| {title} | {stated} | {related} | {none} | {stated / max(1, stated + none):.3f} | {recall:.3f} |"
    )


def relations_where(mask: Flags, examples: Examples) -> set[tuple[int, Relation]]:
    """The relations, each with its document, that the mask says of pairs."""
    return {
        (int(examples.documents[pair]), LABELS[label].relation(*map(int, examples.entities[pair])))
        for pair, label in zip(*mask.nonzero(), strict=True)
    }


def steps(
    documents: Mapping[int, Document], claimed: Flags, examples: Examples
) -> Iterator[tuple[str, set[tuple[int, Relation]]]]:
    """What becomes of the relations of documents, step by step."""
    yield "all", {(number, key) for number, document in documents.items() for key in document.evidence}
    yield (
        "both ends in one sentence",
        {(number, key) for number, document in documents.items() for key in document.in_one_sentence()},
    )
    stated = examples.targets == STATED
    yield "a pair of extracted names", relations_where(examples.targets != NONE, examples)
    yield "its sentence is marked as evidence", relations_where(stated, examples)
    yield "and says it as a fact that holds", relations_where(stated & examples.claimable, examples)
    yield "claimed, whatever is marked", relations_where(claimed & (examples.targets != NONE), examples)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    data = json.loads(gzip.decompress(arguments.parse_args().data.read_bytes()))["docs"]
    documents = [Document(number, document) for number, document in enumerate(data)]
    examples = read(documents)
    is_kept = np.isin(examples.documents % 10, KEPT)
    learned, unseen = examples.where(~is_kept), examples.where(is_kept)
    print(f"{len(learned.rows)} pairs, {len(unseen.rows)} kept\n")
    print("| documents | stated | related | neither | precision | recall |\n|---|---|---|---|---|---|")
    for part in (4, 2, 1):
        share = learned.where(learned.documents // 10 % part == 0)
        scores = folded(share)
        calibration = Calibration.of(scores, share)
        report(f"1/{part}, out of fold", calibration.claims(scores, share), share)
        claimed = calibration.claims(scores_of(fitted(share), unseen), unseen)
        report(f"1/{part}, kept", claimed, unseen)
    print("\n| relations of the kept documents | | not located_in |\n| --- | --- | --- |")
    of_kept = {number: document for number, document in enumerate(documents) if number % 10 in KEPT}
    for title, relations in steps(of_kept, claimed, unseen):
        print(f"| {title} | {len(relations)} | {sum(key[2] != 'located_in' for _, key in relations)} |")


if __name__ == "__main__":
    main()
