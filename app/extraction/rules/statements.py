"""Statements of a chunk: clauses that join two of its names, in the words that join them.

A clause is read in Universal Dependencies: who does what to whom, in the active or the passive voice, or what
is what of whom. What is denied, asked, supposed, wished, told by somebody or not understood gives nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.extraction.rules.claims.suppositions import taken_back
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.grammar import ADVERBS, DOUBTS, MANNERS, UNSURE
from app.extraction.rules.pronouns.references import units_by_sentence
from app.extraction.rules.relations import is_doubtful
from app.extraction.rules.sentences import Sentence
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline

LEAST_PARSED = 0.3
"""How sure the parser must be of all arcs that a statement rests on, together (p below)."""
CERTAINTY = (0.5, 0.4)
"""A statement is right with 0.5 + 0.4 p: a line through two samples that were judged (record 93)."""
LONGEST_SENTENCE = 40
"""Words of a sentence; in longer ones too many arcs are wrong."""
LONGEST_PREDICATE = 7
"""Words that join two names; with more of them they are a clause of their own."""

_ASSERTED = frozenset(("root", "conj", "acl:relcl", "acl"))
"""Relations under which a clause says that it holds."""
_PHRASES = frozenset(("nsubj", "nsubj:pass", "obj", "obl", "obl:agent", "nmod", "appos"))
"""Relations of a phrase within a clause, which holds where its clause does."""
_OPENS_DOUBT = frozenset(("mark", "csubj", "csubj:pass", "expl", "ccomp", "xcomp", "parataxis", "discourse"))
"""Dependents of a predicate that make more of it, or less, than that it holds."""
_RELATIVE = frozenset(("who", "which", "that"))
_JOINED = frozenset(("and", "&"))
_ADVERBS = ADVERBS | MANNERS
"""Adverbs that leave as it is what they depend on."""
_DOUBTS = DOUBTS | UNSURE | {"n't", "n’t", "ca", "wo", "'ll", "’ll", "'d", "’d"}
"""Words that deny or hedge what they depend on; clitics as the tokens have them."""


class _End(NamedTuple):
    """An entity at an end of a statement, and how sure the arcs are that lead to it."""

    entity: int
    confidence: float


class _Joined(NamedTuple):
    """A name that a predicate leads to, with the words between them."""

    end: _End
    words: list[int]


@dataclass(frozen=True, slots=True)
class _Tree:
    """A sentence's syntax, with which unit stands at which word."""

    words: Sequence[str]
    parse: "Parse"
    children: Sequence[Sequence[int]]
    units: Mapping[int, Unit]

    @classmethod
    def of(cls, words: Sequence[str], parse: "Parse", units: Mapping[int, Unit]) -> "_Tree":
        """The tree of a parse, with the dependents of each word."""
        children: list[list[int]] = [[] for _ in words]
        for word, head in enumerate(parse.heads):
            if word != head:
                children[head].append(word)
        return cls(words, parse, children, units)

    def dependents(self, word: int, *relations: str) -> list[int]:
        """The word's dependents of these relations, in order."""
        return [child for child in self.children[word] if self.parse.relations[child] in relations]

    def sure(self, *words: int) -> float:
        """How sure the parser is of the arcs of all these words together."""
        sure = 1.0
        for word in words:
            sure *= self.parse.confidence[word]
        return sure

    def is_root(self, word: int) -> bool:
        """Return whether the word is the root of its tree, whatever relation the network gives it."""
        return self.parse.heads[word] == word

    def way_up(self, word: int) -> Iterator[int]:
        """The word, its head, the head of that, and so on to the root: a tree has no cycle."""
        yield word
        while not self.is_root(word):
            word = self.parse.heads[word]
            yield word

    def is_doubted(self, word: int) -> bool:
        """Return whether a dependent of the word denies or hedges it, says who says so, or is an adverb of
        which nothing says what it does to it.
        """
        return any(
            self.words[child].lower() in _DOUBTS
            or any(self.words[case].lower() == "according" for case in self.dependents(child, "case"))
            or (self.parse.relations[child] == "advmod" and self.words[child].lower() not in _ADVERBS)
            for child in self.children[word]
        )


def statements_of_chunk(
    chunk: ChunkText, entities: Sequence[FoundEntity], pipeline: "Pipeline"
) -> tuple[FoundRelation, ...]:
    """Statements of the chunk's clauses between its entities; each quote is the whole sentence.

    The confidence of each is `CERTAINTY` of how sure the parser is of its arcs.
    """
    sentences = [
        (sentence, units, quote.text)
        for sentence, units, _, quote in units_by_sentence(chunk, entities)
        if not sentence.outside
        and len(units) > 1
        and len(sentence.words) <= LONGEST_SENTENCE
        and taken_back(sentence.lower) is None
        and not is_doubtful(sentence, units[0].first)
    ]
    shortened = [_shortened(chunk.text, sentence, units, pipeline) for sentence, units, _ in sentences]
    parses = pipeline.parse(list(pipeline.read_words([words for words, _ in shortened])))
    found: dict[tuple[int, int, str], FoundRelation] = {}
    for (words, places), (_, _, quote), parse in zip(shortened, sentences, parses, strict=True):
        for source, target, verb in _statements(_Tree.of(words, parse, places)):
            key = (source.entity, target.entity, verb)
            if source.entity == target.entity or target.confidence < LEAST_PARSED:
                continue
            confidence = round(CERTAINTY[0] + CERTAINTY[1] * target.confidence, 2)
            standing = found.get(key)
            if standing is None or standing.confidence < confidence:
                found[key] = FoundRelation(source.entity, target.entity, verb, confidence, quote)
    return tuple(found.values())


def _shortened(
    text: str, sentence: Sentence, units: Sequence[Unit], pipeline: "Pipeline"
) -> tuple[list[str], dict[int, Unit]]:
    """The words of a sentence with each name as one, its last, and which unit stands where.

    That a name is one thing is known already: a parser that has to find it out again errs more often.
    """
    words: list[str] = []
    places: dict[int, Unit] = {}
    ends = [sentence.ends[unit.last - 1] for unit in units]
    following = 0
    for start, end in pipeline.tokens(text, sentence.start, sentence.end):
        while following < len(units) and ends[following] <= start:
            following += 1
        inside = following < len(units) and sentence.starts[units[following].first] <= start
        if inside and places.get(len(words) - 1) is units[following]:
            if text[start].isalnum():
                words[-1] = text[start:end]
            continue
        if inside:
            places[len(words)] = units[following]
        words.append(text[start:end])
    return words, places


def _statements(tree: _Tree) -> Iterator[tuple[_End, _End, str]]:
    """Source, target and predicate of what the sentence's clauses say."""
    for word, relation in enumerate(tree.parse.relations):
        if relation not in _ASSERTED or word in tree.units or not _holds(tree, word):
            continue
        is_verb = tree.parse.upos[word] == "VERB"
        if not is_verb and not tree.dependents(word, "cop"):
            continue
        is_passive = is_verb and _is_passive(tree, word)
        for subject in _subjects(tree, word, "nsubj:pass" if is_passive else "nsubj"):
            joined = _verb_targets(tree, word) if is_verb else _noun_targets(tree, word)
            for end, words in joined:
                predicate = _text(tree, words)
                if predicate:
                    yield subject, end._replace(confidence=subject.confidence * end.confidence), predicate


def _holds(tree: _Tree, word: int) -> bool:
    """Return whether this clause is said to hold, and each that it hangs on."""
    for at in tree.way_up(word):
        if tree.is_doubted(at):
            return False
        if (at == word or tree.is_root(at)) and tree.dependents(at, *_OPENS_DOUBT):
            return False
        relation = tree.parse.relations[at]
        if relation not in _ASSERTED and (at == word or relation not in _PHRASES):
            return False
    return True


def _is_passive(tree: _Tree, verb: int) -> bool:
    if tree.dependents(verb, "aux:pass", "nsubj:pass"):
        return True
    # "Acme, founded by Ann Lee": behind its noun a participle is passive where it does not end in -ing.
    return tree.parse.relations[verb] == "acl" and not tree.words[verb].lower().endswith("ing")


def _subjects(tree: _Tree, word: int, wanted: str) -> list[_End]:
    """Who does it: the clause's own subject, that of the verb it is joined to, or what it describes."""
    sure = 1.0
    for at in tree.way_up(word):
        own = tree.dependents(at, "nsubj", "nsubj:pass")
        relation, head = tree.parse.relations[at], tree.parse.heads[at]
        if own:
            if len(own) > 1 or tree.parse.relations[own[0]] != wanted:
                return []
            sure *= tree.sure(own[0])
            if relation != "acl:relcl":
                return list(_ends(tree, own[0], sure))
            # "What he regarded as": the noun is the object of another's doing.
            is_noun = tree.words[own[0]].lower() in _RELATIVE
            return list(_ends(tree, head, sure * tree.sure(at))) if is_noun else []
        if relation == "acl":
            return list(_ends(tree, head, sure * tree.sure(at)))
        if relation != "conj":
            return []
        sure *= tree.sure(at)
    return []


def _ends(tree: _Tree, word: int, sure: float) -> Iterator[_End]:
    """The name at this word, and those that are joined to it by "and"."""
    others = tree.dependents(word, "conj")
    links = {tree.words[link].lower() for other in others for link in tree.dependents(other, "cc")}
    # Of "A or B", and "A but not B", nothing is said of the one without the other.
    if tree.is_doubted(word) or not links <= _JOINED:
        return
    if word in tree.units:
        unit = tree.units[word]
        for entity in unit.entities:
            yield _End(entity, sure * unit.most)
    for other in others:
        yield from _ends(tree, other, sure * tree.sure(other))


def _verb_targets(tree: _Tree, verb: int) -> Iterator[_Joined]:
    """Names that a verb leads to: its object, or what stands behind a preposition."""
    particles = tree.dependents(verb, "compound:prt")
    words = [*_auxiliaries(tree, verb, "aux:pass"), verb, *particles]
    sure = tree.sure(*particles)
    objects = tree.dependents(verb, "obj", "iobj")
    if len(objects) > 1:
        return
    for child in objects:
        arcs = sure * tree.sure(child)
        for end in _ends(tree, child, arcs):
            yield _Joined(end, words)
        if not _is_common(tree, child):
            # What stands behind a preposition is then a circumstance of both.
            return
        noun = _described(tree, child)
        for end, between in _behind_preposition(tree, child, arcs):
            yield _Joined(end, [*words, *noun, *between])
        words, sure = [*words, *noun], arcs
    for end, between in _behind_preposition(tree, verb, sure):
        yield _Joined(end, [*words, *between])


def _noun_targets(tree: _Tree, noun: int) -> Iterator[_Joined]:
    """ "X is the capital of Y": the noun with what describes it, and its preposition."""
    if tree.parse.upos[noun] in ("NOUN", "ADJ"):
        words = [*_auxiliaries(tree, noun, "cop"), *_described(tree, noun)]
        for end, between in _behind_preposition(tree, noun, 1.0):
            yield _Joined(end, [*words, *between])


def _behind_preposition(tree: _Tree, word: int, sure: float) -> Iterator[_Joined]:
    """Names that depend on a word by a preposition, or on a noun that does, with the words between."""
    for child in tree.dependents(word, "obl", "obl:agent", "nmod"):
        cases = tree.dependents(child, "case")
        # In front of its clause it is a circumstance: "After four years with X, Y was sold". A preposition of
        # several words may turn the meaning: "instead of".
        if len(cases) != 1 or child < word or tree.children[cases[0]] or tree.parse.upos[cases[0]] != "ADP":
            continue
        arcs = sure * tree.sure(child, *cases)
        for end in _ends(tree, child, arcs):
            yield _Joined(end, cases)
        if _is_common(tree, child):
            noun = _described(tree, child)
            for end, between in _behind_preposition(tree, child, arcs):
                yield _Joined(end, [*cases, *noun, *between])


def _is_common(tree: _Tree, word: int) -> bool:
    return word not in tree.units and tree.parse.upos[word] == "NOUN" and not tree.is_doubted(word)


def _auxiliaries(tree: _Tree, word: int, relation: str) -> list[int]:
    """Its "is" or "was"; "’s" is left out, which may be "has"."""
    return [each for each in tree.dependents(word, relation) if tree.words[each].isalpha()]


def _described(tree: _Tree, noun: int) -> list[int]:
    return [*tree.dependents(noun, "amod", "compound"), noun]


def _text(tree: _Tree, words: list[int]) -> str:
    """The words of a predicate in the order of the text; "" where they are too many, or a name's."""
    if len(words) > LONGEST_PREDICATE or not tree.units.keys().isdisjoint(words):
        return ""
    return " ".join(tree.words[word].lower() for word in sorted(set(words)))
