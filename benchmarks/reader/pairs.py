"""Pairs of names of one sentence, with features of its words and syntax and whether the sentence says so."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.reader.network import Floats
from app.extraction.reader.pipeline import Pipeline
from app.extraction.rules.english.lexicon import KIND_OF_HEAD
from app.extraction.rules.english.past.former_states import PAST_ADVERBS
from app.extraction.rules.joined_names import ASSERTED_CLAUSE_RELATIONS
from app.extraction.rules.parsed_chunks import ParsedSentence, parse_chunk
from app.extraction.rules.statements import read_statements_and_resolve_pronouns
from app.extraction.rules.syntax import MIN_REFERENCE_CONFIDENCE, NAME_PLACEHOLDER, Tree
from app.extraction.shapes import ChunkText, FoundEntity

BUCKETS = 1 << 14
"""Rows of the table of weights: a feature is its hash."""
MOST_NAMES = 20
"""Names of a sentence, at most; one with more is a list."""
LONGEST_PATH = 8
"""Arcs between two names, at most."""
_LONGEST_GAP, _WHOLE_GAP = 12, 4
"""Words between two names, at most, of which each is a feature, and that are one together."""
_HELD = frozenset(
    (
        *("nsubj", "nsubj:pass", "obj", "obl", "obl:agent", "nmod", "appos", "advcl", "compound", "flat"),
        *("nmod:poss", "nmod:desc", "nmod:unmarked", "amod"),
    )
)
"""Relations of a phrase or clause that holds where what it hangs on does."""
_OF_TIME = split_into_word_set("after before when while since as because although though where")
"""Conjunctions of clauses that hold: "after she joined Acme"."""
_PAST_AUXILIARIES = frozenset(("was", "were", "had", "did"))
_OVER = split_into_word_set(
    "former ex onetime late retired then until till left ceased resigned"
) | frozenset(PAST_ADVERBS)
"""Words of a sentence with which a state that can end may be over."""


class Path(NamedTuple):
    """The words up from the first name, the one where the ways of both meet, and those up from the second."""

    up: list[int]
    top: int
    down: list[int]

    @property
    def words(self) -> list[int]:
        """All words of the path, from the first name to the second."""
        return [*self.up, self.top, *reversed(self.down)]


class Pair(NamedTuple):
    """Two names at these words of a tree, in their order; `start` is where the first begins in the text.

    `rows` are features that it has, as rows of a table; `states` those of the network. `is_said` is False
    where the sentence denies, plans, supposes or reports it, `is_past` True where what can end may be over.
    """

    tree: Tree
    first: int
    second: int
    start: int
    rows: Floats
    states: Floats
    is_said: bool
    is_past: bool


def pairs_of_chunk(chunk: ChunkText, entities: Sequence[FoundEntity], pipeline: Pipeline) -> Iterator[Pair]:
    """The pairs of names of the chunk's sentences that lie near each other in a tree."""
    parsed_chunk = parse_chunk(chunk, entities, pipeline)
    for read in read_statements_and_resolve_pronouns(parsed_chunk).resolved_sentences:
        for pair in _pairs_of(read, pipeline):
            is_quoted = any(start < pair.start < end for start, end in parsed_chunk.quotations)
            yield pair._replace(is_said=pair.is_said and not is_quoted and not read.sentence.is_doubted)


def _pairs_of(read: ParsedSentence, pipeline: Pipeline) -> Iterator[Pair]:
    tree = read.unnamed_tree
    named = [
        word for word, unit in sorted(tree.units.items()) if unit.max_confidence >= MIN_REFERENCE_CONFIDENCE
    ]
    if not 1 < len(named) <= MOST_NAMES:
        return
    kinds = {word: _kind(tree, word) for word in named}
    sentence = _Sentence(tree, kinds, read.sentence.topic_entity)
    words = [
        NAME_PLACEHOLDER if word in tree.units and not tree.units[word].is_reference else form
        for word, form in enumerate(tree.words)
    ]
    states = next(pipeline.encode_and_tag_names([words])).states
    for first, second in combinations(named, 2):
        path = _path(tree, first, second)
        is_same = not set(tree.units[first].entities).isdisjoint(tree.units[second].entities)
        if path is None or is_same:
            continue
        between = [word for word in path.words if word not in (first, second)]
        middle = states[between].mean(axis=0) if between else np.zeros_like(states[0])
        yield Pair(
            tree,
            first,
            second,
            read.sentence.short_sentence.starts[first],
            np.array(sentence.rows(first, second, path)),
            np.concatenate((states[first], states[second], middle, states[path.top])),
            _is_said(tree, path),
            _is_past(tree, path),
        )


def _kind(tree: Tree, word: int) -> str:
    """The type of a name, with marks where it is a guess, and where the name may belong to a longer one."""
    unit = tree.units[word]
    kind = unit.kind if unit.is_certain else f"{unit.kind}?{unit.is_person_name:d}"
    return f"{kind}~" if word in tree.cut_positions else kind


def _path(tree: Tree, first: int, second: int) -> Path | None:
    """The arcs between two words, None where they are more than `LONGEST_PATH`."""
    up, down = list(tree.ancestors(first)), list(tree.ancestors(second))
    top = next((word for word in up if word in down), None)
    if top is None:
        return None
    path = Path(up[: up.index(top)], top, down[: down.index(top)])
    return path if len(path.words) <= LONGEST_PATH + 1 else None


class _Sentence:
    """A sentence whose pairs are described: of a name by its type alone, so that wordings are learned."""

    def __init__(self, tree: Tree, kinds: dict[int, str], topic: int | None) -> None:
        self._tree, self._kinds, self._topic = tree, kinds, topic
        self._lemmas = [
            f"@{kinds[word]}"
            if word in kinds
            else "0"
            if form[0].isdigit()
            else tree.parse.lemmas[word].lower()
            for word, form in enumerate(tree.words)
        ]

    def rows(self, first: int, second: int, path: Path) -> list[int]:
        """The rows of a pair: of each feature, and of it together with the types of both."""
        kinds = f"{self._kinds[first]}|{self._kinds[second]}"
        features = list(self._features(first, second, path))
        return sorted(
            {
                crc32(text.encode()) % BUCKETS
                for feature in features
                for text in (feature, f"{kinds} {feature}")
            }
        )

    def _features(self, first: int, second: int, path: Path) -> Iterator[str]:
        yield "bias"
        yield from self._of_ends(first, second)
        yield from self._of_path(first, second, path)
        yield from self._of_gap(first, second)

    def _of_ends(self, first: int, second: int) -> Iterator[str]:
        tree, lemmas = self._tree, self._lemmas
        heads, marks = [], []
        for side, end in enumerate((first, second)):
            form, unit = tree.words[end].lower(), tree.units[end]
            heads.append(form if form in KIND_OF_HEAD else "")
            marks.append(f"{unit.is_reference:d}{self._topic in unit.entities:d}")
            yield f"head{side} {heads[-1]}"
            for child in tree.dependents(end, "amod", "compound", "appos", "acl", "nmod:poss"):
                yield f"own{side} {tree.parse.relations[child]} {lemmas[child]}"
        yield f"heads {heads}"
        yield f"marks {marks}"

    def _of_path(self, first: int, second: int, path: Path) -> Iterator[str]:
        tree, lemmas, relations = self._tree, self._lemmas, self._tree.parse.relations
        up, down = [relations[word] for word in path.up], [relations[word] for word in reversed(path.down)]
        arcs = f"{'<'.join(up)}^{'>'.join(down)}"
        inner = [word for word in path.words if word not in (first, second)]
        top = lemmas[path.top]
        yield f"arcs {arcs}"
        yield f"path {arcs} {' '.join(lemmas[word] for word in inner)}"
        yield from (f"on {lemmas[word]}" for word in inner)
        if inner:
            yield f"opens {lemmas[inner[0]]} {up[:1]}"
            yield f"closes {lemmas[inner[-1]]} {down[-1:]}"
        if path.top in inner:
            yield f"top {top}"
            yield f"top {top} {arcs}"
        for side, end in enumerate((first, second)):
            cases = " ".join(lemmas[child] for child in tree.dependents(end, "case", "mark"))
            yield f"case{side} {cases}"
            yield f"case{side} {cases} {top}"
        for child in tree.dependents(path.top, "aux:pass", "nsubj:pass", "obl:agent", "compound:prt", "cop"):
            yield f"voice {relations[child]}"
        for child in tree.dependents(path.top, "obj", "xcomp"):
            if child not in (first, second):
                yield f"object {top} {lemmas[child]}"

    def _of_gap(self, first: int, second: int) -> Iterator[str]:
        lemmas = self._lemmas
        gap = lemmas[first + 1 : second]
        names = sum(first < word < second for word in self._kinds)
        yield f"far {min(len(gap), 10) // 2} {min(names, 3)}"
        if len(gap) <= _WHOLE_GAP:
            yield f"gap {' '.join(gap)}"
        if len(gap) <= _LONGEST_GAP:
            yield from (f"between {lemma}" for lemma in gap)
            yield from (f"between {left} {right}" for left, right in pairwise(gap))
        for place, words in (
            ("first", gap[:1]),
            ("last", gap[-1:]),
            ("last", gap[-2:]),
            ("before", lemmas[max(0, first - 1) : first]),
            ("before", lemmas[max(0, first - 2) : first]),
            ("behind", lemmas[second + 1 : second + 2]),
            ("behind", lemmas[second + 1 : second + 3]),
        ):
            yield f"{place} {' '.join(words)}"


def _is_said(tree: Tree, path: Path) -> bool:
    """Return whether nothing on the path, or above it, is denied, planned, supposed or reported."""
    words = {*path.words, *tree.ancestors(path.top)}
    return all(
        not tree.is_doubted(word)
        and all(tree.words[mark].lower() in _OF_TIME for mark in tree.dependents(word, "mark"))
        and (tree.is_root(word) or tree.parse.relations[word] in ASSERTED_CLAUSE_RELATIONS | _HELD)
        for word in words
    )


def _is_past(tree: Tree, path: Path) -> bool:
    """Return whether what can end may be over, by the words of its sentence or the tense of its path."""
    if not _OVER.isdisjoint(word.lower() for word in tree.words):
        return True
    for word in path.words:
        auxiliaries = {tree.words[child].lower() for child in tree.dependents(word, "aux", "aux:pass", "cop")}
        form = tree.words[word].lower()
        is_finite = (
            tree.parse.upos[word] == "VERB" and not auxiliaries and tree.parse.relations[word] != "acl"
        )
        is_past_form = form != tree.parse.lemmas[word] and not form.endswith(("s", "ing"))
        if word not in tree.units and (
            not auxiliaries.isdisjoint(_PAST_AUXILIARIES) or (is_finite and is_past_form)
        ):
            return True
    return False
