"""Gold paths in the graph by rules: is the answer of a question joined to a name that the question has?

Usage: python -m benchmarks.quality.paths PACK.json.gz [--part PART] [--stored] [--show]

Each passage of the pack is a document of its own, read by rules; entities that share a name are one node, as
in a space. A question has its gold path where edges lead from a node that the question names to one that is
called like its answer, one edge from each supporting passage, each with a sentence of that passage as its
verified quote. What lies between the two must be what the question leads over: called like the title of a
supporting passage or like an answer on the way, and not named in the question. Where the answer is a value,
the path may end in an attribute (node, name, value, quote) that the last passage states of the node reached,
or of a node that the question leads over or names, one edge of that passage further: a date as exact as the
answer, an equal number, or a text that is the answer or ends in it. The space of this measurement asks for
the attributes of ASKED. `before` counts as `rules-6` was counted: of attributes four dates alone, of which
the year has to agree, and never one edge further. Left out are questions whose answer is yes
or no, those that compare two things, and those whose answer stands in no supporting passage.

PART is `read` or `held` for the half of the questions that a byte of their hash gives: `rules-6` was made
with the misses of `read` in sight. `--stored` takes the pack's own triples in place of the rules. For each
miss is counted what is missing first; `--show` prints what each supporting passage gave.
"""

import argparse
import gzip
import hashlib
import json
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any

from app.extraction.attributes import keep_attributes_stated_in_chunk
from app.extraction.grounding import keep_entities_named_in_chunk, keep_relations_stated_in_chunk
from app.extraction.rules.claims.time_spans import parse_written_date
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.names import normalise_name
from app.graph.questions import choose_known_nonoverlapping_mentions, list_word_runs_that_may_name_nodes
from app.graph.resolution.entity_resolver import Candidate, group_candidates
from app.graph.validity import Precision
from app.ids import ChunkId, DocumentId
from app.space_settings import AttributeKind


def asked_for(dates: str, numbers: str, texts: str) -> dict[str, AttributeKind]:
    """The attributes of one type of node, as a space's settings name them."""
    kinds = (AttributeKind.DATE, dates), (AttributeKind.NUMBER, numbers), (AttributeKind.TEXT, texts)
    return {name: kind for kind, names in kinds for name in names.split()}


WORKS = ("Document", "Product", "Technology")
COMPARING = ("comparison", "bridge_comparison")
DATES = {"born", "died", "founded", "released"}
_PLACE = (
    "area elevation length height depth capacity snowfall rainfall temperature currency official_language"
)
_WORK = "length duration budget gross height genre"
ASKED = {
    "Person": asked_for("born died", "", "description position height nickname religion"),
    "Location": asked_for("founded opened built", "population", f"description {_PLACE} motto"),
    "Organization": asked_for(
        "founded dissolved opened",
        "employees members enrollment",
        "description capacity budget motto nickname",
    ),
    "Event": asked_for("founded began ended", "attendance", "description length budget"),
    "Concept": asked_for(
        "founded introduced released recorded built", "population", "description length height currency genre"
    ),
    **{kind: asked_for("released recorded aired introduced", "", f"description {_WORK}") for kind in WORKS},
}
"""What a space about people, places, groups and works may ask of its nodes (`node_attributes`)."""
VOCABULARY = replace(DEFAULT_VOCABULARY, attributes=ASKED)
_BRACKET = re.compile(r"\s*\([^()]*\)$")
_YEAR = re.compile(r"\b\d{4}\b")
_PLAIN_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Step:
    """An edge of one passage, in words."""

    source: int
    target: int
    relation: str
    quote: str


@dataclass(frozen=True, slots=True)
class Value:
    """An attribute of a node as one passage states it."""

    node: int
    name: str
    value: str | float | bool


@dataclass(slots=True)
class Graph:
    """One set of the pack as a space: names of nodes, steps by passage, and attributes by passage."""

    names: list[set[str]]
    labels: list[str]
    named: Mapping[str, set[int]]
    nodes: Mapping[str, set[int]]
    steps: Mapping[str, list[Step]]
    values: Mapping[str, list[Value]]


def read_graph(part: Mapping[str, Any]) -> Graph:
    """The graph of all passages of one set."""
    extractor = RulesExtractor()
    flat: list[Candidate] = []
    own: dict[str, list[int]] = {}
    edges: list[tuple[str, int, int, str, str]] = []
    values: list[tuple[str, int, FoundAttribute]] = []
    for number, passage in enumerate(part["passages"]):
        identity = uuid.UUID(int=number)
        chunk = ChunkText(ChunkId(identity), DocumentId(identity), passage["title"], passage["text"])
        found = extractor.extract_entities([chunk], VOCABULARY)[0]
        entities: Sequence[FoundEntity] = keep_entities_named_in_chunk(chunk, found, VOCABULARY)[0]
        relations = extractor.extract_relations([chunk], [tuple(entities)], VOCABULARY)[0]
        begin = len(flat)
        own[passage["id"]] = list(range(begin, begin + len(entities)))
        flat.extend(Candidate(chunk.id, entity) for entity in entities)
        for edge in keep_relations_stated_in_chunk(chunk, entities, relations, VOCABULARY)[0]:
            if edge.from_entity == edge.to_entity:
                continue  # that a thing exists no more joins nothing
            ends = begin + edge.from_entity, begin + edge.to_entity
            edges.append((passage["id"], *ends, edge.relation_type, edge.quote))
        for at, entity in enumerate(keep_attributes_stated_in_chunk(chunk, entities, ASKED, Counter())):
            values.extend((passage["id"], begin + at, attribute) for attribute in entity.attributes)
    groups = [group.to_resolved_node(flat) for group in group_candidates(flat, [], separates_homonyms=False)]
    node = {index: number for number, group in enumerate(groups) for index in group.candidate_indices}
    names = [set(group.full_names) | set(group.short_names) for group in groups]
    named: dict[str, set[int]] = defaultdict(set)
    for number, ordinal_name in enumerate(names):
        for name in ordinal_name:
            named[name].add(number)
    steps: dict[str, list[Step]] = defaultdict(list)
    for passage_id, source, target, relation, quote in edges:
        steps[passage_id].append(Step(node[source], node[target], relation, quote))
    stated: dict[str, list[Value]] = defaultdict(list)
    for passage_id, index, attribute in values:
        stated[passage_id].append(Value(node[index], attribute.name, attribute.value))
    nodes = {passage_id: {node[index] for index in indexes} for passage_id, indexes in own.items()}
    labels = [flat[group.candidate_indices[0]].entity.name for group in groups]
    return Graph(names, labels, named, nodes, steps, stated)


def read_stored(part: Mapping[str, Any]) -> Graph:
    """The graph of the pack's own triples: ends of one normalised name are one node."""
    named: dict[str, set[int]] = {}
    labels: list[str] = []
    steps: dict[str, list[Step]] = defaultdict(list)
    nodes: dict[str, set[int]] = defaultdict(set)

    def node(passage: str, written: str) -> int | None:
        name = normalise_name(written)
        if name and name not in named:
            named[name] = {len(labels)}
            labels.append(written)
        nodes[passage] |= named.get(name, set())
        return min(named[name]) if name else None

    for passage, extracted in part["extraction"].items():
        for triple in extracted["triples"]:
            if len(triple) == 3 and all(isinstance(part, str) for part in triple):
                source, target = node(passage, triple[0]), node(passage, triple[2])
                if source is not None and target is not None:
                    steps[passage].append(Step(source, target, triple[1], ""))
    return Graph([{normalise_name(label)} for label in labels], labels, named, nodes, steps, {})


def missing(graph: Graph, part: Mapping[str, Any], question: Mapping[str, Any]) -> str:
    """What a question without its path lacks first, from the answer back to its names."""
    gold = question["gold"]
    here = {passage: graph.nodes.get(passage, set()) for passage in gold}
    anywhere: set[int] = set().union(*here.values())
    goal, begin = called(graph, answers(question)), named_in(graph, question)
    if not goal & anywhere and not any(
        is_answer(value, question) for passage in gold for value in graph.values.get(passage, ())
    ):
        return "the answer is no node and no value of one"
    if not begin & anywhere:
        return "no name of the question is a node of a supporting passage"
    between = on_the_way(graph, part, question) | begin
    if not any(sum(node_name in nodes for nodes in here.values()) > 1 for node_name in between):
        return "what joins two passages is no node of both"
    lone = [
        passage
        for passage in gold
        if not any(
            {step.source, step.target} <= between | goal and step.source != step.target
            for step in graph.steps.get(passage, ())
        )
    ]
    return f"{len(lone)} of {len(gold)} passages lack an edge" if lone else "the edges make no path"


def answers(question: Mapping[str, Any]) -> set[str]:
    """The names of the answer, and of a place its first name: "Montreal" of "Montreal, Quebec"."""
    given = {question["answer"], *question.get("answer_aliases", ())}
    given |= {name.partition(", ")[0] for name in given}
    return {name for raw_name in given if (name := normalise_name(raw_name).removeprefix("the "))}


def named_in(graph: Graph, question: Mapping[str, Any]) -> set[int]:
    """The nodes whose name stands in the question, without those of the answer.

    Of names within each other the longest counts, as for an anchor: "Ann Lee" names nobody called Lee.
    """
    mentions = choose_known_nonoverlapping_mentions(
        list_word_runs_that_may_name_nodes(question["question"]), frozenset(graph.named)
    )
    found = {node for mention in mentions for node in graph.named[mention.normalised_name]}
    return found - called(graph, answers(question))


def on_the_way(graph: Graph, part: Mapping[str, Any], question: Mapping[str, Any]) -> set[int]:
    """The nodes that the question leads over without naming them."""
    titles = (passage["title"] for passage in part["passages"] if passage["id"] in question["gold"])
    stated = (end_name for triple in question.get("evidences") or () for end_name in (triple[0], triple[2]))
    steps = (step["a"] for step in question.get("decomposition") or ())
    names = {
        normalise_name(_BRACKET.sub("", title)).removeprefix("the ") for title in (*titles, *stated, *steps)
    }
    return called(graph, names) - named_in(graph, question)


def called(graph: Graph, names: set[str]) -> set[int]:
    """The nodes of one of these names, with or without its article."""
    return {node for name in names for form in (name, f"the {name}") for node in graph.named.get(form, ())}


def gold_path(
    graph: Graph, part: Mapping[str, Any], question: Mapping[str, Any], *, before: bool = False
) -> list[str] | None:
    """The steps of the path, in order; None where there is none. `before`: as `rules-6` was counted.

    Where the question names both ends ("who acted in A and belongs to B"), the answer is where two chains
    meet.
    """
    for order in permutations(question["gold"]):
        for cut in range(len(order)):
            first = _chain(graph, part, question, order[cut:], before=before)
            second = (
                _chain(graph, part, question, order[:cut], before=before)
                if cut
                else {node: [] for node in first}
            )
            met = sorted(set(first) & set(second))
            if met:
                return [*first[met[0]], *second[met[0]]]
    return None


def _chain(
    graph: Graph, part: Mapping[str, Any], question: Mapping[str, Any], order: Sequence[str], *, before: bool
) -> dict[int, list[str]]:
    """The nodes of the answer, or that have it as a value, that these passages lead to in this order."""
    goal, between = called(graph, answers(question)), on_the_way(graph, part, question)
    named = named_in(graph, question)
    reached: dict[int, list[str]] = {node: [] for node in named}
    for place, passage in enumerate(order):
        last = place == len(order) - 1
        following: dict[int, list[str]] = {}
        beside: dict[int, list[str]] = {} if before else dict(reached)
        for step in graph.steps.get(passage, ()):
            for begin, end in ((step.source, step.target), (step.target, step.source)):
                line = f"{graph.labels[begin]} ~{step.relation}~ {graph.labels[end]}"
                if begin in reached and end in (goal if last else between):
                    following.setdefault(end, [*reached[begin], line])
                if begin in reached and end in named | between and not before:
                    beside.setdefault(end, [*reached[begin], line])
        for value in graph.values.get(passage, ()) if last else ():
            holders, fits = (reached, is_year) if before else (beside, is_answer)
            if value.node in holders and fits(value, question):
                line = f"{graph.labels[value.node]}: {value.name} {value.value}"
                following.setdefault(value.node, [*holders[value.node], line])
        reached = following
    return reached


def is_year(value: Value, question: Mapping[str, Any]) -> bool:
    """Return whether this is one of four dates, and the answer of its year, as `rules-6` was counted."""
    years = _YEAR.findall(question["answer"])
    short = len(question["answer"]) <= len("September 30, 1999")
    return value.name in DATES and bool(years) and str(value.value).startswith(years[0]) and short


def is_answer(value: Value, question: Mapping[str, Any]) -> bool:
    """Return whether the value is the answer: as exact a date, an equal number, or a text that ends in it."""
    for given in (question["answer"], *question.get("answer_aliases", ())):
        written = given.removeprefix("the ").strip()
        point = parse_written_date(written.lower())
        if point is not None:
            exact = {Precision.YEAR: "%Y", Precision.MONTH: "%Y-%m", Precision.DAY: "%Y-%m-%d"}
            if str(value.value).startswith(point.at.strftime(exact[point.precision])):
                return True
        elif isinstance(value.value, int | float):
            if _PLAIN_NUMBER.fullmatch(written) and float(written.replace(",", "")) == value.value:
                return True
        elif f" {normalise_name(str(value.value))}".endswith(f" {normalise_name(written)}"):
            return True
    return False


def asked(part: Mapping[str, Any], within: str | None) -> Iterator[Mapping[str, Any]]:
    """The questions of a set that have a path to find, of this part or all of them."""
    texts = {passage["id"]: passage["text"] for passage in part["passages"]}
    for question in part["questions"]:
        if question["type"] in COMPARING or question["answer"].lower() in ("yes", "no"):
            continue
        gold = [texts[text_index] for text_index in question["gold"]]
        if within is not None and (within == "read") != (_hashed(question["question"]) % 2 == 0):
            continue
        plain = [f" {normalise_name(text)} " for text in gold]
        if any(f" {name} " in text for text in plain for name in answers(question)):
            yield question


def _hashed(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[0]


def show(graph: Graph, part: Mapping[str, Any], question: Mapping[str, Any]) -> None:
    """Print what each supporting passage gave."""
    texts = {passage["id"]: passage for passage in part["passages"]}
    goal, begin = called(graph, answers(question)), named_in(graph, question)
    print("   named:", *(graph.labels[node] for node in sorted(begin)), sep=" | ")
    print("   evidence:", question.get("evidences") or question.get("decomposition"))
    for passage in question["gold"]:
        print("  ", texts[passage]["title"], "|", " ".join(texts[passage]["text"].split()))
        here = [graph.labels[node] for node in sorted(graph.nodes[passage])]
        print("      nodes:", *here, sep=" | ")
        print(
            "      is answer:",
            *(graph.labels[node] for node in sorted(goal & graph.nodes[passage])),
            sep=" | ",
        )
        for step in graph.steps.get(passage, ()):
            print(f"      {graph.labels[step.source]} --{step.relation}--> {graph.labels[step.target]}")
        for value in graph.values.get(passage, ()):
            print(f"      {graph.labels[value.node]}: {value.name} {value.value}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pack", type=Path)
    arguments.add_argument("--part", choices=("read", "held"))
    arguments.add_argument("--stored", action="store_true")
    arguments.add_argument("--show", action="store_true")
    options = arguments.parse_args()
    pack = json.loads(gzip.decompress(options.pack.read_bytes()))
    total: Counter[str] = Counter()
    why: Counter[str] = Counter()
    for part in pack["sets"]:
        graph = read_stored(part) if options.stored else read_graph(part)
        found = wanted = 0
        for question in asked(part, options.part):
            path = gold_path(graph, part, question)
            wanted += 1
            found += path is not None
            print("+" if path is not None else "-", question["question"], "|", question["answer"])
            two = len(question["gold"]) == 2
            total.update(two=two, two_found=two and path is not None)
            total["before"] += gold_path(graph, part, question, before=True) is not None
            if path is not None:
                print("  ", *path, sep="  ")
            else:
                why[missing(graph, part, question)] += 1
            if options.show and path is None:
                show(graph, part, question)
        print(f"{part['name']}: the gold path of {found} of {wanted}\n")
        total.update(found=found, wanted=wanted)
    print(f"all: the gold path of {total['found']} of {total['wanted']}")
    print(f"as before, by edges and the years of four dates: {total['before']} of {total['wanted']}")
    print(f"of two passages: {total['two_found']} of {total['two']}")
    for reason, count in why.most_common():
        print(f"  {count} missed: {reason}")


if __name__ == "__main__":
    main()
