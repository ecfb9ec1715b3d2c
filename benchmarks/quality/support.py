"""How often `supported` is true where it should be and where it should not.

Usage: python -m benchmarks.quality.support multihop_dev.json.gz

Sentences of the pack's passages (seed 20, 6 to 40 words), as they stand, turned about, with words left out;
held against a random passage, with "not" after the first auxiliary, and with another year than their own.
Triples that a model read from a passage are sentences in other words. Prints the share that is supported.
"""

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.answers.shapes import Source
from app.answers.support import is_supported
from app.documents.sentences import sentence_ranges
from app.ids import ChunkId, DocumentId, new_id

SENTENCES = 1_000
_AUXILIARY = re.compile(r"\b(is|was|are|were|has|had|will|can|did)\b(?! not)")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")

Pair = tuple[str, Source]


def source_of(passage: dict[str, Any]) -> Source:
    """The passage as the one source of an answer."""
    return Source(
        1, ChunkId(new_id()), DocumentId(new_id()), passage["title"], (), passage["text"], char_start=0
    )


def sentences(passages: Iterable[dict[str, Any]], chance: random.Random) -> list[Pair]:
    """Sentences of 6 to 40 words, each with its passage."""
    found = []
    for passage in passages:
        text = passage["text"]
        for start, end in sentence_ranges(text):
            if 6 <= len(text[start:end].split()) <= 40:
                found.append((text[start:end], source_of(passage)))
    chance.shuffle(found)
    return found[:SENTENCES]


def halves_swapped(sentence: str) -> str:
    """The second half of the words before the first."""
    words = sentence.rstrip(".").split()
    return " ".join(words[len(words) // 2 :] + words[: len(words) // 2]) + "."


def words_left_out(sentence: str) -> str:
    """Without every seventh word."""
    return " ".join(word for place, word in enumerate(sentence.rstrip(".").split()) if place % 7 != 3) + "."


def negated(pairs: Iterable[Pair]) -> list[Pair]:
    """The sentences that have an auxiliary, each with "not" behind the first."""
    return [
        (_AUXILIARY.sub(r"\1 not", text, count=1), source)
        for text, source in pairs
        if _AUXILIARY.search(text)
    ]


def another_year(pairs: Iterable[Pair], chance: random.Random) -> list[Pair]:
    """The sentences that name a year, each with one up to seven years beside its first."""
    found = []
    for text, source in pairs:
        if year := _YEAR.search(text):
            other = int(year[0]) + chance.choice([-7, -3, 2, 5])
            found.append((f"{text[: year.start()]}{other}{text[year.end() :]}", source))
    return found


def triples(part: dict[str, Any], chance: random.Random) -> list[Pair]:
    """What a model said of passages, as sentences."""
    found = [
        (" ".join(triple) + ".", source_of(passage))
        for passage in part["passages"]
        for triple in part["extraction"][passage["id"]]["triples"]
        if len(triple) == 3 and all(isinstance(each, str) for each in triple)
    ]
    chance.shuffle(found)
    return found[:SENTENCES]


def main() -> None:
    """Print a line for each kind of sentence."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pack", type=Path)
    with gzip.open(parser.parse_args().pack, "rt", encoding="utf8") as file:
        pack = json.load(file)
    chance = random.Random(20)
    passages = [passage for part in pack["sets"] for passage in part["passages"]]
    read = sentences(passages, chance)
    kinds = {
        "as they stand": read,
        "halves swapped": [(halves_swapped(text), source) for text, source in read],
        "every seventh word left out": [(words_left_out(text), source) for text, source in read],
        "triples of a model": triples(pack["sets"][0], chance),
        "against a random passage": [(text, source_of(chance.choice(passages))) for text, _ in read],
        "negated": negated(read),
        "another year": another_year(read, chance),
    }
    for name, pairs in kinds.items():
        true = sum(is_supported(text, [source]) for text, source in pairs)
        print(f"{name:30}{len(pairs):6}{100 * true / len(pairs):8.1f} %")


if __name__ == "__main__":
    main()
