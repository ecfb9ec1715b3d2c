"""How well `rules` names things and states relations: scored on 100 documents of Re-DocRED (dev).

Usage: python -m benchmarks.quality.redocred redocred_dev100.json.gz [--show N]

Prints mention precision and recall (exact range, and any overlap), B-cubed F1 over the mentions that
both sides have, pair precision and recall of typed edges, and micro F1 over (head, type, tail) for the
Wikidata properties that the default vocabulary can say. Numbers and dates are no nodes and are left out.
"""

import argparse
import gzip
import json
import uuid
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from app.extraction.grounding import keep_entities_named_in_chunk, keep_relations_stated_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

NO_NODES = {"TIME", "NUM"}
# Wikidata property to (relation type, whether head and tail change places).
PROPERTIES: dict[str, tuple[str, bool]] = {
    **dict.fromkeys(("P131", "P17", "P276", "P30", "P706", "P206"), ("located_in", False)),
    "P159": ("headquartered_in", False),
    "P19": ("born_in", False),
    "P20": ("died_in", False),
    "P551": ("lives_in", False),
    "P27": ("citizen_of", False),
    "P495": ("originates_in", False),
    "P937": ("located_in", False),
    "P150": ("located_in", True),
    "P36": ("capital_of", True),
    "P361": ("part_of", False),
    "P463": ("member_of", False),
    **dict.fromkeys(("P710",), ("took_part_in", True)),
    **dict.fromkeys(("P527",), ("part_of", True)),
    "P1344": ("took_part_in", False),
    "P607": ("took_part_in", False),
    **dict.fromkeys(("P800",), ("created", False)),
    **dict.fromkeys(
        ("P50", "P170", "P178", "P57", "P86", "P112", "P162", "P176", "P175", "P58", "P61"), ("created", True)
    ),
    **dict.fromkeys(("P127", "P749", "P137"), ("owns", True)),
    "P355": ("owns", False),
    **dict.fromkeys(("P108", "P54", "P241", "P102"), ("works_for", False)),
    "P69": ("educated_at", False),
    "P166": ("received_award", False),
    **dict.fromkeys(("P6", "P35", "P488", "P169"), ("head_of", True)),
    "P26": ("married_to", False),
    **dict.fromkeys(("P22", "P25"), ("parent_of", True)),
    "P40": ("parent_of", False),
    "P3373": ("sibling_of", False),
    "P161": ("acted_in", True),
    "P155": ("replaces", False),
    "P156": ("replaces", True),
    "P1365": ("replaces", False),
    "P1366": ("replaces", True),
}
SAME = {"within": "located_in"}
"""A place in a larger one, however it is said, is one property of Wikidata."""
KIND_BY_TYPE = {"PER": "Person", "ORG": "Organization", "LOC": "Location"}
KIND_VERDICTS = ("right", "none", "wrong")
SYMMETRIC = {"married_to", "sibling_of"}
NO_SPACE_BEFORE = set(".,;:!?)]%'") | {"'s", "n't", "’s", "-", "–", "/"}
NO_SPACE_AFTER = {"(", "[", "-", "–", "$", "#", "/"}


def judge_kind(gold_type: str, kind: str | None) -> str:
    """Return whether a name's kind is right; a work or event may have any kind but person, group or place."""
    if kind is None:
        return "none"
    wanted_kind = KIND_BY_TYPE.get(gold_type)
    is_right = kind == wanted_kind if wanted_kind else kind not in KIND_BY_TYPE.values()
    return "right" if is_right else "wrong"


def document_text(tokens: list[list[str]]) -> tuple[str, dict[tuple[int, int], tuple[int, int]]]:
    """The tokens as ordinary prose, and the character range of each token."""
    text, ranges, quoted = "", {}, False
    before = ""
    for number, sentence in enumerate(tokens):
        for position, token in enumerate(sentence):
            glue = token in NO_SPACE_BEFORE or before in NO_SPACE_AFTER or not text
            if token == '"':
                glue = quoted or not text
                quoted = not quoted
            elif before == '"' and quoted:
                glue = True
            text += "" if glue else " "
            ranges[(number, position)] = (len(text), len(text) + len(token))
            text += token
            before = token
    return text, ranges


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def b_cubed(gold: dict[Any, Any], found: dict[Any, Any]) -> float:
    """B-cubed F1 over the mentions that stand in both clusterings."""
    shared = gold.keys() & found.keys()
    gold_of, found_of = defaultdict(set), defaultdict(set)
    for mention in shared:
        gold_of[gold[mention]].add(mention)
        found_of[found[mention]].add(mention)
    precision = recall = 0.0
    for mention in shared:
        a, b = gold_of[gold[mention]], found_of[found[mention]]
        precision += len(a & b) / len(b)
        recall += len(a & b) / len(a)
    return f1(precision / len(shared), recall / len(shared)) if shared else 0.0


def scores(title: str, precision: float, recall: float) -> None:
    """Print a row of the table."""
    print(f"| {title}: P / R / F1 | {precision:.3f} / {recall:.3f} / {f1(precision, recall):.3f} |")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("path", type=Path)
    arguments.add_argument("--show", type=int, default=0)
    options = arguments.parse_args()
    docs = json.loads(gzip.decompress(options.path.read_bytes()))["docs"]
    count: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    per_type: Counter[tuple[str, str]] = Counter()
    b3 = 0.0
    extractor = RulesExtractor()
    for number, doc in enumerate(docs):
        text, ranges = document_text(doc["tokens"])
        chunk = ChunkText(
            ChunkId(uuid.UUID(int=number)), DocumentId(uuid.UUID(int=number)), doc["title"], text
        )
        entities = extractor.extract_entities([chunk], DEFAULT_VOCABULARY)[0]
        kept, _ = keep_entities_named_in_chunk(chunk, entities, DEFAULT_VOCABULARY)
        relations = extractor.extract_relations([chunk], [tuple(kept)], DEFAULT_VOCABULARY)[0]
        edges, drops = keep_relations_stated_in_chunk(chunk, kept, relations, DEFAULT_VOCABULARY)
        count["dropped"] += drops.total
        gold: dict[tuple[int, int], int] = {}
        left_out: list[tuple[int, int]] = []
        for index, entity in enumerate(doc["entities"]):
            for mention in entity["mentions"]:
                first, last = mention["span"]
                place = (ranges[(mention["sent"], first)][0], ranges[(mention["sent"], last - 1)][1])
                if entity["type"] in NO_NODES:
                    left_out.append(place)
                else:
                    gold[place] = index
        found = {
            (surface.start, surface.end): position
            for position, entity in enumerate(kept)
            for surface in entity.surfaces
        }
        found = {
            place: position
            for place, position in found.items()
            if not any(place[0] < end and start < place[1] for start, end in left_out)
        }
        aligned: dict[tuple[int, int], tuple[int, int]] = {}
        for place in found:
            match = next((other for other in gold if place[0] < other[1] and other[0] < place[1]), None)
            if place in gold:
                match = place
            if match is not None:
                aligned[place] = match
        count["exact"] += len(gold.keys() & found.keys())
        count.update(
            judge_kind(doc["entities"][gold[place]]["type"], kept[found[place]].voted_type)
            for place in gold.keys() & found.keys()
        )
        count["overlap"] += len(aligned)
        count["overlap_gold"] += len(set(aligned.values()))
        count["found"] += len(found)
        count["gold"] += len(gold)
        b3 += b_cubed(gold, {match: found[place] for place, match in aligned.items()})
        votes: dict[int, Counter[int]] = defaultdict(Counter)
        for place, match in aligned.items():
            votes[found[place]][gold[match]] += 1
        node_of = {position: counter.most_common(1)[0][0] for position, counter in votes.items()}
        wanted, pairs = set(), set()
        for relation in doc["relations"]:
            if NO_NODES & {doc["entities"][relation["h"]]["type"], doc["entities"][relation["t"]]["type"]}:
                continue
            pairs |= {(relation["h"], relation["t"]), (relation["t"], relation["h"])}
            mapped = PROPERTIES.get(relation["r"])
            if mapped is not None:
                ends = (relation["h"], relation["t"])
                ends = ends[::-1] if mapped[1] else ends
                wanted.add((*(sorted(ends) if mapped[0] in SYMMETRIC else ends), mapped[0]))
        stated = set()
        for edge in edges:
            if edge.from_entity == edge.to_entity:
                continue  # that a thing exists no more joins nothing
            kinds[edge.relation_type] += 1
            ends = (
                node_of.get(edge.from_entity, -1 - edge.from_entity),
                node_of.get(edge.to_entity, -100 - edge.to_entity),
            )
            relation_type = SAME.get(edge.relation_type, edge.relation_type)
            if relation_type in SYMMETRIC:
                ends = (min(ends), max(ends))
            stated.add((*ends, relation_type))
            if options.show and number < options.show:
                mark = "+" if (*ends, relation_type) in wanted else "~" if ends in pairs else "-"
                names = kept[edge.from_entity].name, kept[edge.to_entity].name
                print(
                    mark,
                    names[0],
                    f"--{edge.relation_type} {edge.confidence}->",
                    names[1],
                    "|",
                    edge.quote[:160],
                )
        if options.show and number < options.show:
            print("missed", [text[a:b] for a, b in sorted(gold.keys() - set(aligned.values()))])
            print("extra", [text[a:b] for a, b in sorted(found.keys() - aligned.keys())])
            print(
                "inexact", [(text[a:b], text[c:d]) for (a, b), (c, d) in aligned.items() if (a, b) != (c, d)]
            )
        count["pairs_gold"] += len({frozenset(pair) for pair in pairs})
        typed = {edge for edge in stated if edge[2] != "related_to"}
        found_pairs = {frozenset(edge[:2]) for edge in typed}
        count["pairs_found"] += len(found_pairs)
        count["pairs_right"] += len(found_pairs & {frozenset(pair) for pair in pairs})
        mappable = {edge for edge in typed if edge[2] in {kind for kind, _ in PROPERTIES.values()}}
        count["edges_gold"] += len(wanted)
        count["edges_found"] += len(mappable)
        count["edges_right"] += len(mappable & wanted)
        per_type.update((edge[2], "found") for edge in mappable)
        per_type.update((edge[2], "right") for edge in mappable & wanted)
        per_type.update((edge[2], "gold") for edge in wanted)
    print(f"documents {len(docs)}, edges by type {dict(kinds.most_common())}, dropped {count['dropped']}")
    print(f"| | `{extractor.prompt_version}` |\n| --- | --- |")
    for title, right_gold, right_found in (
        ("mentions, exact range", "exact", "exact"),
        ("mentions, any overlap", "overlap_gold", "overlap"),
    ):
        scores(title, count[right_found] / count["found"], count[right_gold] / count["gold"])
    print(f"| entities, B-cubed F1 | {b3 / len(docs):.3f} |")
    shares = ", ".join(f"{verdict} {count[verdict] / count['exact']:.3f}" for verdict in KIND_VERDICTS)
    print(f"| kinds of names of exact range | {shares} |")
    for title, name in (("typed edges", "edges"), ("pairs", "pairs")):
        scores(
            title,
            count[f"{name}_right"] / max(1, count[f"{name}_found"]),
            count[f"{name}_right"] / count[f"{name}_gold"],
        )
    for kind in sorted({kind for kind, _ in PROPERTIES.values()}):
        print("  ", kind, {what: per_type[(kind, what)] for what in ("gold", "found", "right")})


if __name__ == "__main__":
    main()
