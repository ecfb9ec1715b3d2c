"""Edges and names that `rules` reads from passages of a retrieval pack, sampled to be read by a person.

Usage: python -m benchmarks.quality.passages PACK.json.gz [--part PART] [--sample N] [--seed S]
       [--relation TYPE] [--names]

Each passage is a document of its own. PART is `tuning` or `held-out`, as `rules-3` was made, or one of the
parts of `rules-4`: `mending`, six of ten passages, whose faults were read and mended, and `first-count` and
`second-count`, two of ten each, which were read once each; `unread` are those of these two of which no name
was read then (verdicts.json has what was read, and the verdicts); `unasked`, for the edges of
`rules-5`, are those of `unread` that support no question of the pack. All are chosen by the hash of a
passage's text. Prints a seeded sample of the edges with their sentences, or of the names of things with the
words around them (`--names`), and how many edges of each type there are.
"""

import argparse
import gzip
import hashlib
import json
import random
import uuid
from collections import Counter
from functools import cache
from pathlib import Path

from app.extraction.grounding import keep_entities_named_in_chunk, keep_relations_stated_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

SEED = 20
PARTS = {
    "held-out": (0, range(3)),
    "tuning": (0, range(3, 10)),
    "mending": (1, range(6)),
    "first-count": (1, range(6, 8)),
    "second-count": (1, range(8, 10)),
    "unread": (1, range(6, 10)),
    "unasked": (1, range(6, 10)),
}
"""Which byte of a passage's hash decides, and its last digits for the part."""
VERDICTS = Path(__file__).with_name("verdicts.json")
_AROUND = 40


def is_in(text: str, part: str) -> bool:
    """Return whether the passage of this text belongs to the part."""
    byte, digits = PARTS[part]
    digest = hashlib.sha256(text.encode())
    if part in ("unread", "unasked") and digest.hexdigest()[:8] in _read():
        return False
    return digest.digest()[byte] % 10 in digits


@cache
def _read() -> frozenset[str]:
    """The beginnings of the hashes of passages of which a name was read in the first two counts."""
    return frozenset(
        passage for draw in json.loads(VERDICTS.read_text("utf-8")) for passage in draw.get("passages", ())
    )


def passages(path: Path, part: str) -> list[tuple[str, str]]:
    """Title and text of each passage of this part of the pack, once each."""
    pack = json.loads(gzip.decompress(path.read_bytes()))
    found = {set_["text"]: set_["title"] for set_ in pack["sets"] for set_ in set_["passages"]}
    if part == "unasked":
        asked = {gold for set_ in pack["sets"] for question in set_["questions"] for gold in question["gold"]}
        support = {
            passage["text"]
            for given in pack["sets"]
            for passage in given["passages"]
            if passage["id"] in asked
        }
        found = {text: title for text, title in found.items() if text not in support}
    return [(title, text) for text, title in found.items() if is_in(text, part)]


def around(entity: FoundEntity, text: str) -> str:
    """The entity's first mention between the characters on either side of it."""
    first = entity.surfaces[0]
    before, behind = text[max(0, first.start - _AROUND) : first.start], text[first.end :][:_AROUND]
    return " ".join(f"{before}<<{first.text}>>{behind}".split())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("path", type=Path)
    arguments.add_argument("--part", choices=sorted(PARTS), default="tuning")
    arguments.add_argument("--sample", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=SEED)
    arguments.add_argument("--relation")
    arguments.add_argument("--names", action="store_true")
    options = arguments.parse_args()
    extractor = RulesExtractor()
    edges: list[tuple[str, str, str]] = []
    names: list[str] = []
    linked = 0
    texts = passages(options.path, options.part)
    for number, (title, text) in enumerate(texts):
        chunk = ChunkText(ChunkId(uuid.UUID(int=number)), DocumentId(uuid.UUID(int=number)), title, text)
        entities, _ = keep_entities_named_in_chunk(
            chunk, extractor.extract_entities([chunk], DEFAULT_VOCABULARY)[0], DEFAULT_VOCABULARY
        )
        relations = extractor.extract_relations([chunk], [tuple(entities)], DEFAULT_VOCABULARY)[0]
        kept, _ = keep_relations_stated_in_chunk(chunk, entities, relations, DEFAULT_VOCABULARY)
        names.extend(
            f"{entity.name} [{entity.node_type[:4]}] | {title} | {around(entity, text)}"
            for entity in entities
        )
        linked += len({end for relation in kept for end in (relation.from_entity, relation.to_entity)})
        for edge in kept:
            a, b = entities[edge.from_entity], entities[edge.to_entity]
            line = f"{a.name} [{a.node_type[:4]}] --{edge.relation_type} {edge.confidence:.2f}--> "
            line += f"{b.name} [{b.node_type[:4]}] | {title} | {' '.join(edge.quote.split())}"
            edges.append((edge.relation_type, a.node_type, line))
    kinds = Counter(kind for kind, _, _ in edges)
    print(f"{len(texts)} passages, {len(names)} things, {linked} of them linked, {len(edges)} edges")
    print(dict(kinds.most_common()))
    wanted = [line for kind, _, line in edges if options.relation in (None, kind)]
    source = names if options.names else wanted
    for number, line in enumerate(
        random.Random(options.seed).sample(source, min(options.sample, len(source))), 1
    ):
        print(f"{number:3} {line}")


if __name__ == "__main__":
    main()
