"""Score weights of the pipeline on test splits: python -m benchmarks.reader.score DATA [--language fr]."""

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from app.extraction.reader.network import Network
from app.extraction.reader.pipeline import Pipeline
from benchmarks.reader.data import NAME_TYPES, UNKNOWN, Example, list_word_ranges, name_spans, read_treebank
from benchmarks.reader.languages import RECIPES, UNTYPED

KINDS = (*NAME_TYPES, UNTYPED)


def f1(right: int, said: int, gold: int) -> str:
    """Precision, recall and F1 as one cell."""
    precision, recall = right / max(1, said), right / max(1, gold)
    return f"{precision:.3f} / {recall:.3f} / {2 * precision * recall / max(1e-9, precision + recall):.3f}"


def score_parses(title: str, pipeline: Pipeline, examples: list[Example]) -> None:
    """Print UPOS, UAS, LAS, lemmas (gold tokens; punctuation counts)."""
    count: Counter[str] = Counter()
    began = time.process_time()
    parses = list(pipeline.parse([example.words for example in examples]))
    seconds = time.process_time() - began
    for example, parse in zip(examples, parses, strict=True):
        for at in range(len(example.words)):
            count["all"] += 1
            count["upos"] += parse.upos[at] == example.upos[at]
            count["lemma"] += parse.lemmas[at] == example.lemmas[at]
            if parse.heads[at] == example.heads[at]:
                count["uas"] += 1
                count["las"] += parse.relations[at].split(":")[0] == example.labels[at].split(":")[0]
    total = count["all"]
    figures = ", ".join(f"{name} {count[name] / total:.3f}" for name in ("upos", "uas", "las", "lemma"))
    print(f"{title}: {figures}; {total / seconds:,.0f} words a second of processor time")


def score_confidence(title: str, pipeline: Pipeline, examples: list[Example]) -> None:
    """Print how often a word's head and relation are right, by tenths of how sure the parser is of them."""
    tenths: dict[int, list[tuple[float, bool]]] = {}
    parses = pipeline.parse([example.words for example in examples])
    for example, parse in zip(examples, parses, strict=True):
        for at, sure in enumerate(parse.confidence):
            is_right = (parse.heads[at], parse.relations[at]) == (example.heads[at], example.labels[at])
            tenths.setdefault(min(9, int(sure * 10)), []).append((sure, is_right))
    print(f"{title}: how sure, how often right, arcs")
    for tenth in sorted(tenths):
        sure, right = np.mean(tenths[tenth], axis=0)
        print(f"  {sure:.2f} {right:.2f} {len(tenths[tenth])}")


def score_names(title: str, pipeline: Pipeline, examples: list[Example], kinds: Iterable[str]) -> None:
    """Print how well names are found with and without their type, and types right of those found."""
    wanted = set(kinds)
    gold_count = said = right = placed = 0
    for example, read in zip(
        examples, pipeline.encode_and_tag_names([example.words for example in examples]), strict=True
    ):
        gold = {span for span in name_spans(example.names) if span[2] in wanted}
        unknown = {at for at, tag in enumerate(example.names) if tag == UNKNOWN}
        found = set()
        for name in pipeline.find_names(read):
            types = pipeline.guess_name_types(read, name.first, name.last)
            kind = max(types, key=types.__getitem__)
            if kind in wanted and not unknown & set(range(name.first, name.last)):
                found.add((name.first, name.last, kind))
        gold_count += len(gold)
        said += len(found)
        right += len(gold & found)
        placed += len({span[:2] for span in gold} & {span[:2] for span in found})
    print(f"{title}: typed {f1(right, said, gold_count)}, span {f1(placed, said, gold_count)}")


def score_names_in_text(title: str, pipeline: Pipeline, examples: list[Example]) -> None:
    """Print how well names are found in the sentences as they were written, by their characters."""
    gold_count = said = placed = 0
    readable = [
        (example, ranges) for example in examples if (ranges := list_word_ranges(example)) is not None
    ]
    texts = [example.text for example, _ in readable]
    for (example, ranges), sentences in zip(readable, pipeline.read_sentences(texts), strict=True):
        gold = {(ranges[first][0], ranges[last - 1][1]) for first, last, _ in name_spans(example.names)}
        found = {
            (sentence.starts[name.first], sentence.ends[name.last - 1])
            for sentence in sentences
            for name in pipeline.find_names(sentence.read_words)
        }
        gold_count += len(gold)
        said += len(found)
        placed += len(gold & found)
    print(f"{title}: {f1(placed, said, gold_count)} in {len(readable)} of {len(examples)} sentences")


def score_types(pipeline: Pipeline, path: Path) -> None:
    """Print how often the type is right on the gold spans of Re-DocRED, averaged over its mentions."""
    docs = json.loads(gzip.decompress(path.read_bytes()))["docs"]
    by_mention = by_entity = mentions = 0
    bins: dict[int, list[bool]] = {}
    for doc in docs:
        sentences = list(pipeline.encode_and_tag_names(doc["tokens"]))
        for entity in doc["entities"]:
            if entity["type"] not in NAME_TYPES:
                continue
            together: Counter[str] = Counter()
            for mention in entity["mentions"]:
                first, last = mention["span"]
                types = pipeline.guess_name_types(sentences[mention["sent"]], first, last)
                together.update(types)
                by_mention += max(types, key=types.__getitem__) == entity["type"]
                mentions += 1
            best, share = together.most_common(1)[0]
            by_entity += (best == entity["type"]) * len(entity["mentions"])
            bins.setdefault(int(share / len(entity["mentions"]) * 10), []).append(best == entity["type"])
    print(
        f"Re-DocRED types on {mentions} gold mentions: {by_mention / mentions:.3f} each,"
        f" {by_entity / mentions:.3f} by document"
    )
    for level in sorted(bins):
        print(f"  share {level / 10:.1f}: right {np.mean(bins[level]):.3f} of {len(bins[level])} entities")


def main() -> None:
    """Score the weights of the languages asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ud/ and ner/; for English, eval/ beside it")
    parser.add_argument("--language", action="append", choices=sorted(RECIPES))
    parser.add_argument("--weights", type=Path, default=Path("app/extraction/reader/weights"))
    arguments = parser.parse_args()
    data: Path = arguments.data
    for language in arguments.language or sorted(RECIPES):
        path = arguments.weights / f"{language}.npz"
        if not path.is_file():
            continue
        pipeline = Pipeline(Network(dict(np.load(path))))
        test = RECIPES[language].test(data)
        if all(example.heads for example in test):
            score_parses(f"{language}, syntax", pipeline, test)
        score_names(f"{language}, names", pipeline, test, KINDS)
        if all(example.text for example in test):
            score_names_in_text(f"{language}, names in the text as written", pipeline, test)
        if language == "en":
            dev = read_treebank(data / "ud/en.dev.conllu.gz")
            score_parses("EWT dev", pipeline, dev)
            score_confidence("EWT dev, arcs", pipeline, dev)
            score_parses("EWT test", pipeline, read_treebank(data / "ud/en.test.conllu.gz"))
            gum = read_treebank(data / "ud/en.gum_by.test.conllu.gz", entities=True)
            score_parses("GUM test", pipeline, gum)
            score_names("GUM test, names", pipeline, gum, KINDS)
            score_types(pipeline, data.parent / "eval/redocred_dev100.json.gz")


if __name__ == "__main__":
    main()
