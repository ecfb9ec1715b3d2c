"""Statements that `rules` reads in pages where a space keeps any verb, a sample of them to judge.

Usage: python -m benchmarks.quality.statements PACK.json.gz … [--pages N] [--sample N] [--seed N]

A pack has `documents`, each with a title and a text in Markdown; of each the first N are read.
"""

import argparse
import gzip
import json
import random
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from app.domain.layers import Layer, get_layer_of_relation
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from tests.support.rules_reading import read_by_rules

OPEN = replace(DEFAULT_VOCABULARY, statements=True)


def main() -> None:
    """Print how many statements there are, and the sample with its quotes."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("paths", type=Path, nargs="+")
    arguments.add_argument("--pages", type=int, default=25)
    arguments.add_argument("--sample", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    statements: list[str] = []
    pages = claims = 0
    begun = time.process_time()
    for path in options.paths:
        for document in islice(json.loads(gzip.decompress(path.read_bytes()))["documents"], options.pages):
            reading = read_by_rules(document["text"].encode(), "markdown", document["title"], vocabulary=OPEN)
            pages += 1
            for entities, relations in zip(reading.entities, reading.relations, strict=True):
                for relation in relations:
                    if get_layer_of_relation(relation.relation_type, ()) is Layer.CLAIM:
                        claims += 1
                        continue
                    ends = entities[relation.from_entity].name, entities[relation.to_entity].name
                    statements.append(
                        f"{relation.confidence:.2f} {ends[0]} | {relation.relation_type} | {ends[1]}\n"
                        f"     {' '.join(relation.quote.split())}"
                    )
            statements += [
                f"{said.confidence:.2f} {entity.name} | {said.subject} {said.name} | {said.value}\n"
                f"     {' '.join(said.quote.text.split())}"
                for entities in reading.entities
                for entity in entities
                for said in entity.attributes
                if not said.is_asked
            ]
    seconds = time.process_time() - begun
    print(f"{pages} pages, {seconds:.1f} s of processor: {claims} claims, {len(statements)} statements")
    chosen = random.Random(options.seed).sample(statements, min(options.sample, len(statements)))
    print("\n".join(chosen))


if __name__ == "__main__":
    main()
