"""Sentences to train on: Universal Dependencies, Universal NER, WikiGold and Re-DocRED, in one form."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

UNKNOWN = "?"
"""A tag that the data does not know: nothing is learned from that word by that head."""
UNKNOWN_KIND = "OTH"
"""The tag of another name in data with names of three types, which is read as `UNKNOWN`."""
NAME_TYPES = ("PER", "ORG", "LOC", "MISC")
NO_NAMES = {
    "CARDINAL",
    "DATE",
    "MONEY",
    "MOVEMENT",
    "ORDINAL",
    "PERCENT",
    "PHONE",
    "QUANTITY",
    "TIME",
    "TITLE_AFFIX",
}
"""Types of Megagon Labs' entities of Japanese that are times, numbers and titles."""
_LISTED_TYPES = {
    "PERSON": "PER",
    "PET_NAME": "PER",
    "ORG": "ORG",
    "GPE": "LOC",
    "LOC": "LOC",
    "FAC": "LOC",
}
_WIKIPEDIA_TYPES = {
    "人名": "PER",
    "法人名": "ORG",
    "政治的組織名": "ORG",
    "その他の組織名": "ORG",
    "地名": "LOC",
    "施設名": "LOC",
}
_GUM_TYPES = {
    "person": "PER",
    "organization": "ORG",
    "place": "LOC",
    "event": "MISC",
    "object": "MISC",
    "abstract": "MISC",
}


@dataclass
class Example:
    """A sentence with what is known of it; lists are as long as `words`, or empty where nothing is known."""

    words: list[str]
    upos: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    """Place of each word's head; its own place where it is the root."""
    labels: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """BIO tags of names, or `UNKNOWN`."""
    text: str = ""
    """The sentence as it was written."""


def _blocks(path: Path) -> Iterator[list[str]]:
    block: list[str] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                block.append(line.rstrip("\n"))
            elif block:
                yield block
                block = []
    if block:
        yield block


def read_treebank(path: Path, *, entities: bool = False, as_written: bool = False) -> list[Example]:
    """The sentences of a CoNLL-U file; with `entities`, names from `Entity=` whose words are proper nouns.

    `as_written`: words that are written as one ("du" for "de le") are one, as a text has them.
    """
    examples = []
    for block in _blocks(path):
        example = Example([])
        misc: list[str] = []
        together: list[tuple[int, int, str]] = []
        for line in block:
            if line.startswith("# text = "):
                example.text = line[9:]
            if line.startswith("#"):
                continue
            cells = line.split("\t")
            if "-" in cells[0]:
                first, _, last = cells[0].partition("-")
                together.append((int(first) - 1, int(last), cells[1]))
            if not cells[0].isdigit():
                continue
            example.words.append(cells[1])
            example.lemmas.append(cells[2])
            example.upos.append(cells[3])
            example.heads.append(int(cells[6]) - 1)
            example.labels.append(cells[7])
            misc.append(cells[9])
        example.heads = [at if head < 0 else head for at, head in enumerate(example.heads)]
        if entities:
            example.names = _gum_names(example, misc)
        examples.append(_as_written(example, together) if as_written else example)
    return examples


def read_contractions(path: Path) -> dict[tuple[str, str], str]:
    """Pairs of words that a treebank mostly writes as one ("de o": "do"), in lower case."""
    together: Counter[tuple[str, str]] = Counter()
    apart: Counter[tuple[str, str]] = Counter()
    forms: dict[tuple[str, str], str] = {}
    for block in _blocks(path):
        rows = [line.lower().split("\t") for line in block if not line.startswith("#")]
        words = {row[0]: row[1] for row in rows if row[0].isdigit()}
        ranges = {row[0]: row[1] for row in rows if "-" in row[0]}
        for number, word in words.items():
            following = words.get(str(int(number) + 1), "")
            form = ranges.get(f"{number}-{int(number) + 1}")
            if form is None:
                apart[word, following] += 1
            else:
                together[word, following] += 1
                forms[word, following] = form
    return {pair: form for pair, form in forms.items() if together[pair] > apart[pair]}


def read_listed_names(path: Path) -> list[Example]:
    """The sentences of a CoNLL-U file with parts of speech, and the names that `NE=` lists."""
    examples = []
    for block in _blocks(path):
        example = Example([], text=next((line[9:] for line in block if line.startswith("# text = ")), ""))
        for cells in (line.split("\t") for line in block if line[0] != "#"):
            place, _, listed = next(
                (cell[3:] for cell in cells[9].split("|") if cell.startswith("NE=")), ""
            ).partition("-")
            example.words.append(cells[1])
            example.upos.append(cells[3])
            kind = _LISTED_TYPES.get(listed, "MISC")
            is_name = listed and listed not in NO_NAMES
            example.names.append(f"{'B' if place in 'BU' else 'I'}-{kind}" if is_name else "O")
        examples.append(example)
    return examples


def _as_written(example: Example, together: list[tuple[int, int, str]]) -> Example:
    """The sentence with each of these runs of words as one: its head is that of the first that leads out."""
    place = list(range(len(example.words)))
    kept: list[tuple[str, int, int]] = []
    runs = {first: (last, form) for first, last, form in together}
    at = 0
    while at < len(example.words):
        last, form = runs.get(at, (at + 1, example.words[at]))
        outside = [word for word in range(at, last) if not at <= example.heads[word] < last]
        roots = [word for word in range(at, last) if example.heads[word] == word]
        place[at:last] = [len(kept)] * (last - at)
        kept.append((form, at, (outside or roots or [at])[0]))
        at = last
    return Example(
        [form for form, _, _ in kept],
        upos=[example.upos[first] for _, first, _ in kept],
        lemmas=[
            example.lemmas[first] if form == example.words[first] else form.lower() for form, first, _ in kept
        ],
        heads=[place[example.heads[head]] for _, _, head in kept],
        labels=[example.labels[head] for _, _, head in kept],
        text=example.text,
    )


def _gum_names(example: Example, misc: list[str]) -> list[str]:
    """Entities of GUM that are names: all their words but articles and links are proper nouns."""
    spans: list[tuple[int, int, str]] = []
    opened: list[tuple[str, str, int]] = []
    for at, cell in enumerate(misc):
        value = next((feature[7:] for feature in cell.split("|") if feature.startswith("Entity=")), "")
        rest = value
        while rest:
            if rest[0] == "(":
                end = next((i for i, c in enumerate(rest[1:], 1) if c in "()"), len(rest))
                parts = rest[1:end].split("-")
                opened.append((parts[0], parts[1] if len(parts) > 1 else "", at))
                if end < len(rest) and rest[end] == ")":
                    number, kind, start = opened.pop()
                    spans.append((start, at + 1, kind))
                    end += 1
                rest = rest[end:]
            else:
                number, _, rest = rest.partition(")")
                for place in range(len(opened) - 1, -1, -1):
                    if opened[place][0] == number:
                        _, kind, start = opened.pop(place)
                        spans.append((start, at + 1, kind))
                        break
    tags = [UNKNOWN if upos == "PROPN" else "O" for upos in example.upos]
    for start, end, kind in sorted(spans, key=lambda span: span[1] - span[0]):
        while start < end and example.upos[start] in ("DET", "PUNCT"):
            start += 1
        inside = example.upos[start:end]
        if not inside or kind not in _GUM_TYPES or inside[0] != "PROPN" or inside[-1] not in ("PROPN", "NUM"):
            continue
        if any(upos not in ("PROPN", "ADP", "DET", "NUM", "CCONJ", "PUNCT", "ADJ") for upos in inside):
            continue
        if any(tag[0] in "BI" for tag in tags[start:end]):
            continue
        tags[start:end] = [f"{'I' if at else 'B'}-{_GUM_TYPES[kind]}" for at in range(end - start)]
    return tags


def read_iob(path: Path, *, column: int, word_column: int, has_misc: bool) -> list[Example]:
    """Sentences with names of a CoNLL file; without MISC in its scheme, other capitals are unknown."""
    examples = []
    for block in _blocks(path):
        example = Example([])
        last = "O"
        for line in block:
            if line.startswith("# text = "):
                example.text = line[9:]
            if line.startswith("# ") and "\t" not in line:
                continue
            cells = line.split("\t") if "\t" in line else line.split(" ")
            if len(cells) <= max(column, word_column):
                continue
            word, tag = cells[word_column], cells[column]
            if tag.removeprefix("B-").removeprefix("I-").startswith(UNKNOWN_KIND):
                tag = UNKNOWN
            if tag[0] == "I" and last[2:] != tag[2:]:
                tag = "B" + tag[1:]
            if tag == "O" and not has_misc and word[:1].isupper() and example.words:
                tag = UNKNOWN
            last = tag
            example.words.append(word)
            example.names.append(tag)
        if example.words:
            examples.append(example)
    return examples


def read_characters(path: Path, kinds: Mapping[str, str]) -> list[Example]:
    """The sentences of a file of characters, spaces among them, with the names of these kinds."""
    examples = []
    for block in _blocks(path):
        cells = [line.split("\t") for line in block if not line.startswith("##") and "\t" in line]
        text = "".join(cell[0] for cell in cells)
        spans = [span for span in name_spans([cell[1].strip() for cell in cells]) if span[2] in kinds]
        examples.append(_of_characters(text, [(start, end, kinds[kind]) for start, end, kind in spans]))
    return examples


def read_wikipedia_names(path: Path) -> list[Example]:
    """The sentences of Stockmark's data with their names."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = json.load(file)
    return [
        _of_characters(
            row["text"],
            [(*entity["span"], _WIKIPEDIA_TYPES.get(entity["type"], "MISC")) for entity in row["entities"]],
        )
        for row in rows
    ]


def _of_characters(text: str, spans: list[tuple[int, int, str]]) -> Example:
    """A sentence with characters for words, and names by the characters that they reach from and to."""
    names = ["O"] * len(text)
    for start, end, kind in spans:
        names[start:end] = [f"{'I' if at else 'B'}-{kind}" for at in range(end - start)]
    return Example(list(text), names=names, text=text)


def read_redocred(path: Path) -> list[Example]:
    """The sentences of Re-DocRED with its names; times and numbers are none."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        docs = json.load(file)["docs"]
    return [example for doc in docs for example in _document_names(doc)]


def _document_names(doc: dict) -> list[Example]:  # type: ignore[type-arg]
    examples = [Example(list(words), names=["O"] * len(words)) for words in doc["tokens"]]
    for entity in doc["entities"]:
        if entity["type"] not in NAME_TYPES:
            continue
        for mention in entity["mentions"]:
            start, end = mention["span"]
            names = examples[mention["sent"]].names
            if all(tag == "O" for tag in names[start:end]):
                names[start:end] = [f"{'I' if at else 'B'}-{entity['type']}" for at in range(end - start)]
    return examples


def written(words: list[str]) -> str:
    """The sentence of these words with spaces where they are usual."""
    text = ""
    for word in words:
        apart = text and word not in {",", ".", ";", ":", "!", "?", ")", "]", "“", "…"}
        text += f" {word}" if apart and text[-1] not in "([„" else word
    return text


def name_spans(tags: list[str]) -> list[tuple[int, int, str]]:
    """The names that BIO tags say, in order: first word, word behind the last, type."""
    spans, start = [], None
    for at, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            spans.append((start, at, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = at
    return spans


def list_word_ranges(example: Example) -> list[tuple[int, int]] | None:
    """Where the words stand in the sentence as it was written; None where one does not."""
    ranges, at = [], 0
    for word in example.words:
        start = example.text.find(word, at)
        if start < 0:
            return None
        at = start + len(word)
        ranges.append((start, at))
    return ranges
