"""How often `supported` is true where it should be and where it should not.

Usage: python -m benchmarks.quality.support PACK.json.gz [--language en] [--half 0] [--show KIND]
       python -m benchmarks.quality.support FILE.conllu.gz --language fr

Sentences of the pack's passages (seed 20, 6 to 40 words) as they stand, their main clauses alone and with
their time or place in front are true; made false by another name, role, number, year, opposite word, verb,
modality or a "not", or held against a random passage, they are not. Triples that a model read from a passage
are true in other words, where the pack has any. Of a language that is not read, words, numbers and years are
exchanged alone. Prints the shares that are supported, and of which nothing tells.
"""

import argparse
import gzip
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from app.answers.clause_support import ParsedSentence, parse_sentences
from app.answers.shapes import Source
from app.answers.support import judge_support
from app.documents.sentences import split_sentences
from app.domain.scoring.keywords import count_unspaced_characters
from app.extraction.reader.languages import load_parser
from app.extraction.reader.pipeline import Pipeline
from app.ids import ChunkId, DocumentId, create_id
from benchmarks.chooser.replay import half_of

SENTENCES = 1_000
_AUXILIARY = re.compile(r"\b(is|was|are|were|has|had|will|can|did)\b(?! not)")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_NUMBER = re.compile(r"\b(?!(?:1[5-9]|20)\d\d\b)\d[\d,]*\b")
_WORD = re.compile(r"[A-Za-z]+")
_LAST_CIRCUMSTANCE = re.compile(r" ((?:in|on|at|from|during) [^,]{3,40})\.\Z")
_PASSAGE = 5
"""Sentences of a treebank that make a passage."""
_PLANS = {"en": "plans to {}", "es": "planea {}", "fr": "prévoit de {}"}
_MAY_BE = {"en": "may be", "es": "podría ser", "fr": "pourrait être"}
_DOERS, _SUFFERERS = ("nsubj",), ("obj", "obl:agent")
_NOMINAL = frozenset(("NOUN", "PROPN"))
_SUBORDINATE = frozenset(("advcl", "acl:relcl", "parataxis", "appos"))
_OPPOSITES = """
    first/last before/after won/lost north/south northern/southern largest/smallest born/died
    male/female old/young early/late mother/father brother/sister east/west eastern/western
    upper/lower major/minor opened/closed high/low more/less began/ended son/daughter wife/husband
    many/few large/small increased/decreased best/worst public/private joined/left married/divorced
    highest/lowest older/younger above/below inside/outside founded/dissolved long/short
    arrived/departed oldest/youngest longest/shortest professional/amateur lead/supporting
    top/bottom
"""
OPPOSITE = {
    one: other for pair in _OPPOSITES.split() for one, other in (pair.split("/"), reversed(pair.split("/")))
}
"""Words for making sentences false: the product knows no such list."""

Pair = tuple[str, Source]


class Maker:
    """Makes sentences of others, true and false ones; none where a sentence does not lend itself to it."""

    def __init__(self, pipeline: Pipeline, language: str, chance: random.Random) -> None:
        self._pipeline = pipeline
        self._language = language
        self._chance = chance
        self.all_names: list[str] = []
        self.all_verbs: list[str] = []

    def read(self, text: str) -> ParsedSentence:
        """The words of a sentence with their places and their syntax."""
        return parse_sentences([text], self._pipeline)[0]

    def names(self, text: str) -> list[tuple[int, int]]:
        """Where the names of a sentence begin and end."""
        words = self._pipeline.split_into_tokens(text, 0, len(text))
        read = next(self._pipeline.encode_and_tag_names([[text[start:end] for start, end in words]]))
        return [(words[name.first][0], words[name.last - 1][1]) for name in self._pipeline.find_names(read)]

    def main_clause(self, text: str) -> str | None:
        """Without relative and adverbial clauses, appositions and asides."""
        read = self.read(text)
        cut = {
            at
            for at, relation in enumerate(read.parse.relations)
            if relation in _SUBORDINATE and read.parse.heads[at] != at
        }
        rest = [
            at for at in range(len(read.words)) if not cut.intersection((at, *read.iterate_ancestors(at)))
        ]
        if not cut or len(rest) < 4 or len(rest) == len(read.words):
            return None
        # As it was written, "l'eau", and with a space where something was left out.
        spaces = [
            text[read.ranges[at][1] : read.ranges[after][0]] if after == at + 1 else " "
            for at, after in pairwise(rest)
        ]
        joined = "".join(f"{read.words[at]}{space}" for at, space in zip(rest, [*spaces, ""], strict=True))
        return re.sub(r"\s+([,.])", r"\1", re.sub(r",\s*(?=[,.])", "", joined))

    def circumstance_first(self, text: str) -> str | None:
        """With the last time or place in front, where it is the predicate's."""
        last = _LAST_CIRCUMSTANCE.search(text)
        if last is None or not re.search(r"\A[^,(]*\Z", text):
            return None
        read = self.read(text)
        own = [at for at, (start, _) in enumerate(read.ranges) if start >= last.start(1)]
        root = next(at for at, head in enumerate(read.parse.heads) if head == at)
        top = [at for at in own if read.parse.heads[at] not in own]
        if any(
            read.parse.heads[at] != root or read.parse.relations[at] not in ("obl", "punct") for at in top
        ):
            return None
        begin = (
            text[: last.start()]
            if read.parse.upos[0] == "PROPN"
            else text[0].lower() + text[1 : last.start()]
        )
        return f"{last[1][0].upper()}{last[1][1:]}, {begin}."

    def names_swapped(self, text: str) -> str | None:
        """With its first and its last name in each other's place."""
        own = {text[start:end]: (start, end) for start, end in reversed(self.names(text))}
        whole = [
            places
            for name, places in own.items()
            if not any(name != other and (name in other or other in name) for other in own)
        ]
        if len(whole) < 2:
            return None
        (start, end), (begin, stop) = min(whole), max(whole)
        return text[:start] + text[begin:stop] + text[end:begin] + text[start:end] + text[stop:]

    def roles_swapped(self, text: str) -> str | None:
        """With who does it and to whom it is done, as nouns with all that hangs on them, exchanged."""
        read = self.read(text)
        root = next(at for at, head in enumerate(read.parse.heads) if head == at)
        doers, sufferers = read.list_dependents(root, _DOERS), read.list_dependents(root, _SUFFERERS)
        if read.parse.upos[root] != "VERB" or len(doers) != 1 or len(sufferers) != 1:
            return None
        if any(read.parse.upos[word] not in _NOMINAL for word in (*doers, *sufferers)):
            return None
        first, second = sorted((read.list_descendants(doers[0]), read.list_descendants(sufferers[0])))
        if any(words != list(range(words[0], words[-1] + 1)) for words in (first, second)):
            return None
        (start, end), (begin, stop) = (
            (read.ranges[words[0]][0], read.ranges[words[-1]][1]) for words in (first, second)
        )
        if "," in text[start:end] + text[begin:stop]:
            return None
        return text[:start] + text[begin:stop] + text[end:begin] + text[start:end] + text[stop:]

    def verb_of(self, text: str) -> tuple[int, int] | None:
        """Where the main verb of a sentence stands, if it has one."""
        read = self.read(text)
        root = next(at for at, head in enumerate(read.parse.heads) if head == at)
        return read.ranges[root] if read.parse.upos[root] == "VERB" else None

    def another_verb(self, text: str, source: Source) -> str | None:
        """With another main verb of the same ending, which its passage has not."""
        place = self.verb_of(text)
        if place is None:
            return None
        start, end = place
        others = [
            verb
            for verb in self.all_verbs
            if verb[-3:] == text[start:end][-3:] and verb.casefold() not in source.text.casefold()
        ]
        return f"{text[:start]}{self._chance.choice(others)}{text[end:]}" if others else None

    def foreign_name(self, text: str, source: Source) -> str | None:
        """With a name in place of one of its own that its passage has not."""
        own = self.names(text)
        if not own:
            return None
        start, end = self._chance.choice(own)
        others = [name for name in self.all_names if name not in f"{source.text} {source.document_title}"]
        return text[:start] + self._chance.choice(others) + text[end:]

    def opposite_word(self, text: str) -> str | None:
        """With the opposite of the first word that has one."""
        for word in _WORD.finditer(text):
            if word[0] in OPPOSITE:
                return text[: word.start()] + OPPOSITE[word[0]] + text[word.end() :]
        return None

    def only_planned(self, text: str) -> str | None:
        """With "plans to" before its verb, or "may be" in the passive voice."""
        read = self.read(text)
        root = next(at for at, head in enumerate(read.parse.heads) if head == at)
        helping = read.list_dependents(root, ("aux", "aux:pass"))
        if read.parse.upos[root] != "VERB":
            return None
        if not helping and read.words[root].lower() != read.parse.lemmas[root].lower():
            start, end = read.ranges[root]
            return f"{text[:start]}{_PLANS[self._language].format(read.parse.lemmas[root])}{text[end:]}"
        if len(helping) == 1 and read.parse.relations[helping[0]] == "aux:pass":
            start, end = read.ranges[helping[0]]
            return f"{text[:start]}{_MAY_BE[self._language]}{text[end:]}"
        return None

    def denied(self, text: str) -> str | None:
        """With "no" or "ne … pas" at its main verb."""
        if self._language == "en":
            return negated(text)
        read = self.read(text)
        root = next(at for at, head in enumerate(read.parse.heads) if head == at)
        helping = read.list_dependents(root, ("aux", "aux:pass", "aux:tense", "cop"))
        finite = min((*helping, root)) if read.parse.upos[root] == "VERB" or helping else None
        if finite is None:
            return None
        before = finite
        while before and read.parse.upos[before - 1] == "PRON" and read.parse.heads[before - 1] == root:
            if read.parse.relations[before - 1] in ("nsubj", "nsubj:pass"):
                break
            before -= 1
        start, (_, end) = read.ranges[before][0], read.ranges[finite]
        if self._language == "es":
            return f"{text[:start]}no {text[start:]}"
        return f"{text[:start]}ne {text[start:end]} pas{text[end:]}"


def another_number(text: str, chance: random.Random) -> str | None:
    """With another first number, which is no year."""
    number = _NUMBER.search(text)
    if number is None:
        return None
    other = int(number[0].replace(",", "")) + chance.choice([1, 2, 3, 7])
    return f"{text[: number.start()]}{other}{text[number.end() :]}"


def another_year(text: str, chance: random.Random) -> str | None:
    """With a year up to seven years beside its first."""
    year = _YEAR.search(text)
    if year is None:
        return None
    other = int(year[0]) + chance.choice([-7, -3, 2, 5])
    return f"{text[: year.start()]}{other}{text[year.end() :]}"


def negated(text: str) -> str | None:
    """With "not" behind its first auxiliary."""
    return _AUXILIARY.sub(r"\1 not", text, count=1) if _AUXILIARY.search(text) else None


def made_of_source(pairs: Iterable[Pair], make: Callable[[str, Source], str | None]) -> list[Pair]:
    """As `made`, of what is made with a look at the source."""
    return [(text, source) for own, source in pairs if (text := make(own, source)) is not None]


def made(pairs: Iterable[Pair], make: Callable[[str], str | None]) -> list[Pair]:
    """The sentences that can be made of others, with their sources."""
    return [(text, source) for own, source in pairs if (text := make(own)) is not None]


def source_of(passage: dict[str, Any]) -> Source:
    """The passage as the one source of an answer."""
    return Source(
        1, ChunkId(create_id()), DocumentId(create_id()), passage["title"], (), passage["text"], char_start=0
    )


def sentences(passages: Iterable[dict[str, Any]], chance: random.Random) -> list[Pair]:
    """Sentences of 6 to 40 words that end with a full stop, each with its passage."""
    found = []
    for passage in passages:
        text = passage["text"]
        for start, end in split_sentences(text):
            sentence = text[start:end].strip()
            length = len(sentence.split()) + count_unspaced_characters(sentence) // 2
            if 6 <= length <= 40 and sentence.endswith((".", "。")):
                found.append((sentence, source_of(passage)))
    chance.shuffle(found)
    return found[:SENTENCES]


def triples(parts: Sequence[dict[str, Any]], chance: random.Random) -> list[Pair]:
    """What a model said of passages of the first set, as sentences."""
    found = [
        (" ".join(triple) + ".", source_of(passage))
        for part in parts[:1]
        for passage in part.get("passages", ())
        for triple in part["extraction"][passage["id"]]["triples"]
        if len(triple) == 3 and all(isinstance(part, str) for part in triple)
    ]
    chance.shuffle(found)
    return found[:SENTENCES]


def words_swapped(text: str) -> str | None:
    """With two different words, or characters of a script without spaces, in each other's place."""
    parts = list(text) if count_unspaced_characters(text) else text.split(" ")
    first, second = len(parts) // 4, 3 * len(parts) // 4
    if parts[first] == parts[second]:
        return None
    parts[first], parts[second] = parts[second], parts[first]
    return ("" if count_unspaced_characters(text) else " ").join(parts)


def kinds_of(
    passages: Sequence[dict[str, Any]], parts: Sequence[dict[str, Any]], language: str, count: int
) -> Iterator[tuple[str, list[Pair]]]:
    """The kinds of sentences, each with its sentences."""
    pipeline = load_parser(language)
    chance = random.Random(20)
    read = sentences(passages, chance)[:count]
    yield "true: as they stand", read
    if pipeline is None:
        yield "words swapped", made(read, words_swapped)
    else:
        maker = Maker(pipeline, language, chance)
        maker.all_names = sorted({text[start:end] for text, _ in read for start, end in maker.names(text)})
        maker.all_verbs = sorted(
            {text[slice(*place)] for text, _ in read if (place := maker.verb_of(text)) is not None}
        )
        yield "true: main clause", made(read, maker.main_clause)
        if language == "en":
            yield "true: time or place first", made(read, maker.circumstance_first)
        yield "true: triples of a model", triples(parts, chance)[:count]
        yield "names swapped", made(read, maker.names_swapped)
        yield "roles swapped", made(read, maker.roles_swapped)
        yield "foreign name", made_of_source(read, maker.foreign_name)
        yield "another verb", made_of_source(read, maker.another_verb)
        if language == "en":
            yield "opposite word", made(read, maker.opposite_word)
        yield "only planned", made(read, maker.only_planned)
        yield "negated", made(read, maker.denied)
    yield "another number", made(read, lambda text: another_number(text, chance))
    yield "another year", made(read, lambda text: another_year(text, chance))
    others = [
        chance.choice([passage for passage in passages if passage["text"] != source.text])
        for _, source in read
    ]
    yield (
        "of a random passage",
        [(text, source_of(other)) for (text, _), other in zip(read, others, strict=True)],
    )


def passages_of(path: Path, language: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The passages of a pack in a language, with its sets; of a treebank each few sentences are one."""
    with gzip.open(path, "rt", encoding="utf8") as file:
        if ".conllu" in path.name:
            texts = [line.partition("= ")[2].strip() for line in file if line.startswith("# text = ")]
            starts = range(0, len(texts), _PASSAGE)
            return [
                {"title": str(start), "text": " ".join(texts[start : start + _PASSAGE])} for start in starts
            ], []
        pack = json.load(file)
    parts = [part for part in pack.get("sets") or [pack] if part.get("language", language) == language]
    return [passage for part in parts for passage in part.get("passages") or part["documents"]], parts


def main() -> None:
    """Print a line for each kind of sentence."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pack", type=Path)
    parser.add_argument("--language", default="en", help="of the sets of a pack in several languages")
    parser.add_argument("--half", type=int, choices=(0, 1), help="of the articles: 0 to choose by")
    parser.add_argument("--count", type=int, default=SENTENCES)
    parser.add_argument("--show", help="print the sentences of this kind that were judged wrongly")
    chosen = parser.parse_args()
    passages, parts = passages_of(chosen.pack, chosen.language)
    passages = [passage for passage in passages if chosen.half in (None, half_of(passage["title"]))]
    for name, pairs in kinds_of(passages, parts, chosen.language, chosen.count):
        verdicts = [judge_support(text, [source]) for text, source in pairs]
        true, unknown = (100 * verdicts.count(verdict) / max(len(pairs), 1) for verdict in (True, None))
        print(f"{name:28}{len(pairs):6}{true:8.1f} %{unknown:8.1f} % null", flush=True)
        for (text, _), verdict in zip(pairs, verdicts, strict=True) if name == chosen.show else ():
            if (verdict is True) != name.startswith("true"):
                print(f"    {text}")


if __name__ == "__main__":
    main()
