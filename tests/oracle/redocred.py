"""Documents of Re-DocRED as gold texts, where the machine has them; nothing of them is kept in the project.

The annotation lists everything that follows from a document. A gold relation is one that some run of at most
three sentences states with both ends named; the others are counted as inferred.
"""

import gzip
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.quality.redocred import NO_NODES, PROPERTIES, document_text
from tests.oracle.gold import GoldEntity, GoldRelation, GoldText

ENVIRONMENT = "CITEGRAPH_EVAL_DATA"
"""Names the folder of evaluation data; unset, it is the folder `eval` beside the project's."""
FILE = "redocred_dev100.json.gz"
LONGEST_RUN = 3
TYPES = {"PER": "Person", "ORG": "Organization", "LOC": "Location", "MISC": "Concept"}


def path_of_data() -> Path:
    """Where the file is looked for."""
    folder = os.environ.get(ENVIRONMENT)
    beside = Path(__file__).resolve().parents[2].parent / "eval"
    return (Path(folder) if folder else beside) / FILE


def read_redocred(path: Path, count: int | None = None) -> list[GoldText]:
    """The first `count` documents of the file, or all of them."""
    documents = json.loads(gzip.decompress(path.read_bytes()))["docs"]
    return [_gold_text(document) for document in documents[:count]]


def _gold_text(document: dict[str, Any]) -> GoldText:
    text, ranges = document_text(document["tokens"])
    bounds = [ranges[(number, 0)][0] for number in range(len(document["tokens"]))] + [len(text)]
    sentences = [(begin, begin + len(text[begin:end].rstrip())) for begin, end in pairwise(bounds)]
    entities: list[GoldEntity] = []
    position_of: dict[int, int] = {}
    sentences_of: dict[int, set[int]] = {}
    for index, entity in enumerate(document["entities"]):
        if entity["type"] in NO_NODES:
            continue
        names = {
            text[
                ranges[(mention["sent"], mention["span"][0])][0] : ranges[
                    (mention["sent"], mention["span"][1] - 1)
                ][1]
            ]
            for mention in entity["mentions"]
        }
        first, *others = sorted(names, key=lambda name: (-len(name.split()), -len(name), name))
        position_of[index] = len(entities)
        sentences_of[index] = {mention["sent"] for mention in entity["mentions"]}
        entities.append(GoldEntity(first, TYPES[entity["type"]], tuple(others)))
    relations: dict[tuple[int, str, int], GoldRelation] = {}
    inferred: set[tuple[int, str, int]] = set()
    for relation in document["relations"]:
        known = PROPERTIES.get(relation["r"])
        if known is None or relation["h"] not in position_of or relation["t"] not in position_of:
            continue
        head, tail = (relation["t"], relation["h"]) if known[1] else (relation["h"], relation["t"])
        claim = (position_of[head], known[0], position_of[tail])
        runs = _runs(sentences_of[head], sentences_of[tail], len(sentences))
        quotes = tuple(text[sentences[first][0] : sentences[last][1]] for first, last in runs)
        if quotes:
            relations[claim] = GoldRelation(*claim, quotes)
        else:
            inferred.add(claim)
    return GoldText(
        document["title"], text, tuple(entities), tuple(relations.values()), None, "en", len(inferred)
    )


def _runs(one: set[int], other: set[int], count: int) -> list[tuple[int, int]]:
    """The runs of at most three sentences in which both stand, the shortest first."""
    return [
        (first, first + length)
        for length in range(LONGEST_RUN)
        for first in range(count - length)
        if one & set(range(first, first + length + 1)) and other & set(range(first, first + length + 1))
    ]
