"""Writes what a language's rules of lemmas may cut, and forms that they get wrong, beside its weights.

Usage: python -m benchmarks.reader.lemmas DATA --language es

DATA is the folder of `benchmarks.reader.train`; the weights have to be there. Both come from the sentences to
train on alone. A verb's form goes in with its most frequent lemma, another one where the rules give another
lemma in most places of the part of speech that the reader takes it for. Prints the share of lemmas that are
right in the test split (English: dev), and of those of verbs, nouns and adjectives, before and with it.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.extraction.reader.languages import load_pipeline
from app.extraction.reader.lemmas import Lemmas, compute_lemma_rule, cut_by_rule
from app.extraction.reader.pipeline import Parse, Pipeline
from benchmarks.reader.data import Example, read_treebank

WEIGHTS = Path("app/extraction/reader/weights")
_TRAINING = {"en": ("en.train", "en.gum_by.train")}
_TEST = {"en": "en.dev"}
_OPEN_TO_FORMS = frozenset(("VERB", "AUX", "NOUN", "ADJ", "ADV", "PRON", "DET"))
"""Parts of speech whose forms are listed: names and numbers are without number."""
_VERBS = frozenset(("VERB", "AUX"))
_BATCH = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--language", required=True)
    chosen = parser.parse_args()
    language, folder = chosen.language, chosen.data / "ud"
    pipeline = load_pipeline(language)
    assert pipeline is not None, "There are no weights for this language."
    examples = [
        example
        for part in _TRAINING.get(language, (f"{language}.train",))
        for example in read_treebank(folder / f"{part}.conllu.gz")
        if example.lemmas
    ]
    test = read_treebank(folder / f"{_TEST.get(language, f'{language}.test')}.conllu.gz")
    for lemmas in (Lemmas(), pipeline.lemmas):
        _print_scores("no table" if lemmas == Lemmas() else "as shipped", pipeline, lemmas, test)
    endings = _endings_of(examples)
    learned = Lemmas(endings, _wrong_forms(pipeline, Lemmas(endings), examples))
    _print_scores("made now", pipeline, learned, test)
    written = {
        "endings": {rule: sorted(cut) for rule, cut in sorted(learned.endings_by_rule.items())},
        "forms": dict(sorted(learned.lemma_by_form.items())),
    }
    text = json.dumps(written, ensure_ascii=False, indent=0) + "\n"
    (WEIGHTS / f"{language}.lemmas.json").write_text(text, encoding="utf-8")


def _endings_of(examples: Sequence[Example]) -> dict[str, frozenset[str]]:
    """By rule what it cuts of the words that are made their lemmas by it."""
    endings: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        for word, lemma in zip(example.words, example.lemmas, strict=True):
            rule = compute_lemma_rule(word, lemma)
            if (cut := cut_by_rule(word, rule)) is not None:
                endings[rule].add(cut)
    return {rule: frozenset(cut) for rule, cut in endings.items()}


def _wrong_forms(pipeline: Pipeline, lemmas: Lemmas, examples: Sequence[Example]) -> dict[str, str]:
    """The forms of verbs, and those of which most lemmas are made wrongly, with their parts of speech: their
    lemmas.
    """
    gold: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: Counter[str] = Counter()
    for example, parse in _parsed(pipeline, lemmas, examples):
        for word, upos, lemma, made in zip(
            example.words, parse.upos, example.lemmas, parse.lemmas, strict=True
        ):
            key = Lemmas.build_lookup_key(word, upos)
            gold[key][lemma] += 1
            wrong[key] += made.casefold() != lemma.casefold()
    return {
        key: gold[key].most_common(1)[0][0]
        for key, count in wrong.items()
        if (upos := key.rpartition(" ")[2]) in _VERBS
        or (upos in _OPEN_TO_FORMS and 2 * count > gold[key].total())
    }


def _parsed(
    pipeline: Pipeline, lemmas: Lemmas, examples: Sequence[Example]
) -> Iterator[tuple[Example, Parse]]:
    reader = pipeline.with_lemmas(lemmas)
    for start in range(0, len(examples), _BATCH):
        batch = examples[start : start + _BATCH]
        yield from zip(batch, reader.parse([example.words for example in batch]), strict=True)


def _print_scores(name: str, pipeline: Pipeline, lemmas: Lemmas, examples: Sequence[Example]) -> None:
    right: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for example, parse in _parsed(pipeline, lemmas, examples):
        for upos, lemma, made in zip(example.upos, example.lemmas, parse.lemmas, strict=True):
            for kind in ("all", upos):
                words[kind] += 1
                right[kind] += made.casefold() == lemma.casefold()
    shares = ", ".join(
        f"{kind} {100 * right[kind] / words[kind]:.1f}" for kind in ("all", "VERB", "NOUN", "ADJ")
    )
    print(f"{name}: {shares}", flush=True)


if __name__ == "__main__":
    main()
