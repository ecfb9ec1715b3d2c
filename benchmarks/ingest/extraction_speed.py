"""What reading a passage by rules costs: milliseconds of CPU per passage for each step.

Usage: python -m benchmarks.ingest.extraction_speed [passages]

The passages (2,000 unless said, about 400 characters each, 20 to a document) are written from a seed out
of sentence patterns with names of people, companies, cities and programs; every tenth is plain prose. What
a passage costs is the sum of "pass 1", "pass 2, with statements" and "grounding of pass 1".
"""

import argparse
import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.documents.sentences import split_sentences
from app.extraction.chunk_extraction import extract_grounded_statements
from app.extraction.grounding import keep_entities_named_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId
from app.llm.embedding.hashed import HashedEmbedder

SEED = 7
VOCABULARY = replace(DEFAULT_VOCABULARY, statements=True)
FIRST = ["Michael", "Eugene", "Ada", "Grace", "Edgar", "Larry", "Barbara", "Tom", "Linus", "Jim"]
LAST = ["Stonebraker", "Wong", "Lovelace", "Hopper", "Codd", "Ellison", "Liskov", "Lane", "Torvalds", "Gray"]
FIRMS = ["Oracle Corporation", "Sun Microsystems", "IBM", "Informix", "Vertica Systems", "Bell Labs"]
PLACES = ["Berkeley", "San Jose", "New York", "London", "Redwood City", "Boston"]
PROGRAMS = ["Ingres", "PostgreSQL", "System R", "MySQL", "Oracle 7", "DB2", "Vertica"]
PATTERNS = [
    "{person} created {program} at {firm} in {place}.",
    "In 1985, {program} was developed by {person} and {person}, who worked at {firm}.",
    "{firm}, a company based in {place}, acquired {program} for an undisclosed sum.",
    "He later joined {firm} and wrote several papers about query optimisation.",
    "{program} is a relational database written in C++ and is the successor to {program}.",
    "The ideas spread quickly because the source code was given away to many universities.",
    "Although {person} disagreed, the committee kept the language that {firm} had proposed.",
]


def passages(count: int) -> list[ChunkText]:
    source = random.Random(SEED)
    chunks = []
    for number in range(count):
        text = ""
        while len(text) < 360:
            pattern = PATTERNS[5] if number % 10 == 9 else source.choice(PATTERNS)
            while "{" in pattern:
                person = f"{source.choice(FIRST)} {source.choice(LAST)}"
                for slot, value in (
                    ("{person}", person),
                    ("{firm}", source.choice(FIRMS)),
                    ("{place}", source.choice(PLACES)),
                    ("{program}", source.choice(PROGRAMS)),
                ):
                    pattern = pattern.replace(slot, value, 1)
            text += (" " if text else "") + pattern
        document = DocumentId(uuid.UUID(int=number // 20))
        chunks.append(ChunkText(ChunkId(uuid.UUID(int=number)), document, "Databases", text))
    return chunks


def measured(name: str, count: int, step: Callable[[], object]) -> None:
    step()
    began = time.process_time()
    step()
    print(f"{name:34} {(time.process_time() - began) * 1000 / count:.3f} ms per passage")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passages", nargs="?", type=int, default=2_000)
    count: int = parser.parse_args(argv).passages
    chunks = passages(count)
    texts = [chunk.text for chunk in chunks]
    extractor, embedder = RulesExtractor(), HashedEmbedder()
    entities = extractor.extract_entities(chunks, VOCABULARY)
    relations = extractor.extract_relations(chunks, entities, VOCABULARY)
    found = (sum(map(len, entities)), sum(map(len, relations)))
    print(f"{count} passages, {sum(map(len, texts)) / count:.0f} characters on average, seed {SEED}")
    print(f"{found[0]} entities and {found[1]} relations found")
    measured("sentences", count, lambda: [split_sentences(text) for text in texts])
    measured("pass 1, entities", count, lambda: extractor.extract_entities(chunks, VOCABULARY))
    measured(
        "pass 2, claims",
        count,
        lambda: extractor.extract_relations(chunks, entities, replace(VOCABULARY, statements=False)),
    )
    measured(
        "pass 2, with statements, grounded",
        count,
        lambda: [
            extract_grounded_statements((extractor, VOCABULARY), (chunk, named))
            for chunk, named in zip(chunks, entities, strict=True)
        ],
    )
    measured(
        "grounding of pass 1",
        count,
        lambda: [
            keep_entities_named_in_chunk(chunk, named, VOCABULARY)
            for chunk, named in zip(chunks, entities, strict=True)
        ],
    )
    measured(
        "embedding, batches of 64",
        count,
        lambda: [embedder.embed(texts[at : at + 64]) for at in range(0, count, 64)],
    )


if __name__ == "__main__":
    main()
