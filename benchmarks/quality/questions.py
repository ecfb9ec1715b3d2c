"""How many facts that the example questions need does `rules` read, each from the document that states it?

Usage: python -m benchmarks.quality.questions [--edges | --sample N [--seed S] | --types]

A fact [node, relation type, node] counts where an edge of that type was extracted from the named document
between two things of these names; names that the corpus ties together count as one, as they do in the graph.
Prints found/total over the distinct facts, per relation type, and what is missed. `--edges` prints every
edge of the corpus, `--sample N` a seeded N of them to be read by a person, `--types` the kinds of its things.
"""

import argparse
import json
import random
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from app.documents.chunker import split_into_chunks
from app.documents.format_detection import detect_format_or_refuse
from app.documents.parsing import parse_document
from app.extraction.grounding import (
    GroundedRelation,
    keep_entities_named_in_chunk,
    keep_relations_stated_in_chunk,
)
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import (
    Candidate,
    choose_canonical_name,
    choose_node_type,
    group_candidates,
)
from app.graph.validity import SYMMETRIC_RELATIONS
from app.ids import ChunkId, DocumentId

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SEED = 20
Fact = tuple[str, str, str]


@dataclass
class Thing:
    """One node as the graph would have it."""

    name: str
    kind: str
    certain: bool
    names: set[str] = field(default_factory=set)


@dataclass
class Corpus:
    """What `rules` makes of all example documents: things, and (document, from, edge, to)."""

    things: list[Thing]
    edges: list[tuple[str, int, GroundedRelation, int]]


def read_corpus(folder: Path) -> Corpus:
    """Every document parsed, cut, read and resolved as an ingest of all of them would."""
    extractor = RulesExtractor()
    chunks: list[ChunkText] = []
    files: dict[DocumentId, str] = {}
    for number, path in enumerate(sorted(folder.iterdir())):
        raw = path.read_bytes()
        parsed = parse_document(raw, detect_format_or_refuse(path.name, None, raw))
        document = DocumentId(uuid.UUID(int=number))
        files[document] = path.name
        for draft in split_into_chunks(parsed):
            chunks.append(
                ChunkText(
                    ChunkId(uuid.UUID(int=len(chunks))),
                    document,
                    parsed.title or path.name,
                    draft.text,
                    draft.heading_path,
                )
            )
    found = [
        tuple(keep_entities_named_in_chunk(chunk, entities, DEFAULT_VOCABULARY)[0])
        for chunk, entities in zip(
            chunks, extractor.extract_entities(chunks, DEFAULT_VOCABULARY), strict=True
        )
    ]
    relations = extractor.extract_relations(chunks, found, DEFAULT_VOCABULARY)
    flat = [
        Candidate(chunk.id, entity)
        for chunk, entities in zip(chunks, found, strict=True)
        for entity in entities
    ]
    groups = [group.to_resolved_node(flat) for group in group_candidates(flat, [], separates_homonyms=False)]
    group_of = {index: number for number, group in enumerate(groups) for index in group.candidate_indices}
    things = []
    for group in groups:
        members = [flat[index].entity for index in group.candidate_indices]
        kinds = Counter(entity.node_type for entity in members if entity.is_type_certain)
        names = {normalise_name(name) for name in group.full_names} | set(group.short_names)
        things.append(
            Thing(
                choose_canonical_name(Counter(entity.name for entity in members)),
                choose_node_type(kinds),
                bool(kinds),
                names,
            )
        )
    edges: list[tuple[str, int, GroundedRelation, int]] = []
    begin = 0
    for chunk, entities, stated in zip(chunks, found, relations, strict=True):
        for edge in keep_relations_stated_in_chunk(chunk, entities, stated, DEFAULT_VOCABULARY)[0]:
            edges.append(
                (
                    files[chunk.document_id],
                    group_of[begin + edge.from_entity],
                    edge,
                    group_of[begin + edge.to_entity],
                )
            )
        begin += len(entities)
    return Corpus(things, edges)


def stated_facts(corpus: Corpus) -> dict[tuple[str, str], set[tuple[int, int]]]:
    """(document, relation type) → the pairs of things that an edge joins."""
    facts: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for document, source, edge, target in corpus.edges:
        facts[(document, edge.relation_type)].add((source, target))
        if edge.relation_type in SYMMETRIC_RELATIONS:
            facts[(document, edge.relation_type)].add((target, source))
    return facts


def print_questions(corpus: Corpus) -> None:
    """Found and missed facts of questions.jsonl, and how many questions have their whole path."""
    facts = stated_facts(corpus)
    named: dict[str, set[int]] = defaultdict(set)
    for number, thing in enumerate(corpus.things):
        for name in thing.names:
            named[name].add(number)

    def is_found(fact: Fact, document: str) -> bool:
        ends = named[normalise_name(fact[0])], named[normalise_name(fact[2])]
        pairs = facts[(document, fact[1])]
        return any((source, target) in pairs for source in ends[0] for target in ends[1])

    wanted: dict[tuple[Fact, str], bool] = {}
    whole = questions = 0
    for line in (EXAMPLES / "questions.jsonl").read_text().splitlines():
        question = json.loads(line)
        steps = [
            ((step[0], step[1], step[2]), document)
            for step, document in zip(question["path"], question["documents"], strict=True)
        ]
        wanted.update((step, is_found(*step)) for step in steps)
        whole += all(wanted[step] for step in steps)
        questions += 1
    print(f"facts {sum(wanted.values())}/{len(wanted)}, questions with their whole path {whole}/{questions}")
    for relation, total in Counter(fact[1] for fact, _ in wanted).most_common():
        right = sum(found for (fact, _), found in wanted.items() if fact[1] == relation)
        print(f"   {relation:16} {right}/{total}")
    for (fact, document), found in wanted.items():
        if not found:
            print("missed", document, *fact, sep=" | ")


def print_edges(corpus: Corpus, sample: int | None, seed: int) -> None:
    """Edges with their sentences: all of them in the order of the text, or a seeded sample."""
    edges = corpus.edges
    if sample is not None:
        edges = random.Random(seed).sample(edges, min(sample, len(edges)))
    for number, (document, source, edge, target) in enumerate(edges, 1):
        a, b = corpus.things[source], corpus.things[target]
        quote = " ".join(edge.quote.split())
        print(
            f"{number:3} {a.name} [{a.kind[:4]}] --{edge.relation_type} {edge.confidence:.2f}--> "
            f"{b.name} [{b.kind[:4]}] | {document} | {quote}"
        )


def print_types(corpus: Corpus) -> None:
    """How many things are of each kind, and what a thing is whose kind could not be read."""
    print(Counter(thing.kind if thing.certain else "uncertain" for thing in corpus.things).most_common())
    for thing in sorted(corpus.things, key=lambda thing_: (thing_.certain, thing_.kind, thing_.name)):
        print(thing.kind if thing.certain else "?", "|", thing.name, "|", ", ".join(sorted(thing.names)))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--edges", action="store_true")
    arguments.add_argument("--sample", type=int)
    arguments.add_argument("--seed", type=int, default=SEED)
    arguments.add_argument("--types", action="store_true")
    options = arguments.parse_args()
    corpus = read_corpus(EXAMPLES / "corpus")
    if options.edges or options.sample is not None:
        print_edges(corpus, options.sample, options.seed)
    elif options.types:
        print_types(corpus)
    else:
        kinds = Counter(edge.relation_type for _, _, edge, _ in corpus.edges)
        unsure = sum(not thing.certain for thing in corpus.things)
        print(
            f"{len(corpus.things)} things, {unsure} of no sure kind; {len(corpus.edges)} edges: {dict(kinds)}"
        )
        print_questions(corpus)


if __name__ == "__main__":
    main()
