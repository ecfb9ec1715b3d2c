"""Phrases: the words of a predicate of which a name is the subject, and all that follows them as written.

What stands behind the predicate is not taken apart, so little of the tree has to be right: whose clause it
is, which words are its predicate, and where it ends. What denies, hedges or says who says so is told with it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.extraction.rules.english.grammar import POSSESSIVES
from app.extraction.rules.syntax import (
    ASSERTED,
    KNOWN_ADVERBS,
    LEAST_REFERENCE,
    OF_CIRCUMSTANCES,
    RELATIVE,
    End,
    Tree,
    is_date,
    is_joined,
)

LONGEST_PHRASE = 40
"""Words that follow a predicate, at most."""
LONGEST_PREDICATE = 7

_CONTENT = frozenset(("NOUN", "PROPN", "NUM", "ADJ", "X"))
_OWNED = ("NOUN", "ADJ", "X")
"""What a subject with an owner is to the parser: a noun that it has not seen may be an adjective to it."""
_SUBJECTS = ("nsubj", "nsubj:pass")
_SUPPOSED = (
    "mark", "csubj", "csubj:pass", "expl", "ccomp", "xcomp", "parataxis", "discourse", "advcl", "vocative",
    "dislocated", "reparandum",
)  # fmt: skip
"""In front of a clause these make more of it, or less, than that it holds: "If it rains, Acme sells"."""
_DESCRIBING = frozenset(("det", "flat", "compound", "appos", "punct", "case", "fixed"))
"""Dependents of a name that leave it the same thing."""
_SET_APART = frozenset(("nmod", "acl", "acl:relcl", "nmod:desc"))
"""Dependents of a name that leave it the same thing behind a comma: "Ann Lee, of Acme,"."""
_ENDS = frozenset((",", ".", ";", ":", "!", "–", "—", "-"))
_OF_PREDICATES = frozenset(("aux", "aux:pass", "cop", "advmod"))


class Phrase(NamedTuple):
    """A statement about a name: the places of its predicate's words, and `first` to `last` behind them."""

    subject: End
    word: int
    predicate: tuple[int, ...]
    first: int
    last: int


class _Subject(NamedTuple):
    """Of whom a clause is; `noun` are words of what is its own ("population" of "Oslo's population").

    `behind` is the place of the word behind the subject, None where another clause has it.
    """

    ends: list[End]
    noun: tuple[int, ...]
    behind: int | None


def phrases_of(tree: Tree) -> Iterator[Phrase]:
    """Yield what each clause says of the name that is its subject, or that owns its subject."""
    for word in range(len(tree.words)):
        copulas = [each for each in tree.dependents(word, "cop") if each < word]
        is_verb = tree.parse.upos[word] == "VERB" and word not in tree.units
        if not (is_verb or copulas) or not _is_asserted(tree, word):
            continue
        subject = _subject(tree, word)
        if subject is None or not subject.ends:
            continue
        predicate = _predicate(tree, word, copulas[-1] if copulas else word, subject.behind)
        if not predicate:
            continue
        first = predicate[-1] + 1
        last = _end(tree, word, first)
        if 0 < last - first <= LONGEST_PHRASE and _is_content(tree, first, last):
            for end in subject.ends:
                yield Phrase(end, word, (*subject.noun, *predicate), first, last)


def _is_asserted(tree: Tree, word: int) -> bool:
    """Return whether the clause, and each that it hangs on, is said to hold as it is written."""
    for at in tree.way_up(word):
        if any(child < at for child in tree.dependents(at, *_SUPPOSED)):
            return False
        if tree.is_root(at):
            return True
        relation = tree.parse.relations[at]
        if relation not in ASSERTED and (at == word or relation not in (*_SUBJECTS, "obj", "obl", "appos")):
            return False
    return True


def _subject(tree: Tree, word: int) -> _Subject | None:
    """Whose clause it is: its own subject, that of the verb it is joined to, or what it describes."""
    sure, at = 1.0, word
    while True:
        own = tree.dependents(at, *_SUBJECTS)
        relation = "root" if tree.is_root(at) else tree.parse.relations[at]
        head = tree.parse.heads[at]
        if own:
            if len(own) > 1 or own[0] > at or tree.dependents(own[0], "case"):
                return None
            noun, behind = own[0], max(tree.below(own[0])) + 1 if at == word else None
            sure *= tree.sure(noun)
            if relation != "acl:relcl":
                return _named(tree, noun, sure, behind) if _opens(tree, at, noun) else None
            if tree.words[noun].lower() in RELATIVE:
                return _described(tree, head, noun, sure * tree.sure(at), behind)
            return None
        if relation == "acl" and not tree.words[at].lower().endswith("ing"):
            return _described(tree, head, at, sure * tree.sure(at), at if at == word else None)
        if relation != "conj" or not is_joined(tree, at):
            return None
        sure *= tree.sure(at)
        at = head


def _opens(tree: Tree, verb: int, noun: int) -> bool:
    """Return whether what stands before a subject may be left untold: a date, a place, an adverb."""
    begin = min(tree.below(noun))
    for child in tree.children[verb]:
        relation = tree.parse.relations[child]
        if child >= begin or relation in ("punct", "cc") or is_date(tree, child):
            continue
        cases = {tree.words[case].lower() for case in tree.dependents(child, "case")}
        is_circumstance = relation == "obl" and cases and cases <= OF_CIRCUMSTANCES
        if not is_circumstance and not (relation == "advmod" and tree.words[child].lower() in KNOWN_ADVERBS):
            return False
    return True


def _described(tree: Tree, name: int, opening: int, sure: float, behind: int | None) -> _Subject | None:
    """The name that a clause behind a comma describes; "the fear of Acme, which" is the fear's as well."""
    is_apart = opening > 0 and tree.words[opening - 1] == ","
    if name not in tree.units or not is_apart or tree.parse.relations[name] == "nmod":
        return None
    return _Subject(_ends(tree, name, sure), (), behind)


def _named(tree: Tree, noun: int, sure: float, behind: int | None) -> _Subject | None:
    """The name that is a subject, or the one whose own it is: "Oslo's population", "the gripper of LR-7"."""
    if noun in tree.units:
        return _Subject(_ends(tree, noun, sure), (), behind) if _is_itself(tree, noun) else None
    owners = [each for each in tree.dependents(noun, "nmod:poss", "nmod") if each in tree.units]
    if tree.parse.upos[noun] not in _OWNED or len(owners) != 1 or not _is_owner(tree, owners[0]):
        return None
    own = sorted(tree.below(noun) - tree.below(owners[0]))
    if own and tree.words[own[0]].lower() == "the":
        own = own[1:]
    if not own or own[-1] - own[0] != len(own) - 1 or own[-1] != noun:
        return None
    return _Subject(_ends(tree, owners[0], sure * tree.sure(owners[0])), tuple(own), behind)


def _is_owner(tree: Tree, name: int) -> bool:
    """Return whether a name is the owner of the noun it hangs on: "Oslo's", "her", "of Oslo"."""
    marks = {tree.words[case].lower() for case in tree.dependents(name, "case")}
    is_alone = all(
        tree.parse.relations[child] in ("case", "det", "flat", "compound") for child in tree.children[name]
    )
    is_pronoun = tree.units[name].most < 1
    return is_alone and (is_pronoun or marks == {"of"} or bool(marks and marks <= POSSESSIVES))


def _is_itself(tree: Tree, name: int) -> bool:
    """Return whether a name means its thing, and not a part or a kind of it: "other Cookies", "young Acme".

    A person stays the same one, whatever describes it.
    """
    for child in tree.children[name]:
        relation = tree.parse.relations[child]
        if relation == "det" and tree.words[child].lower() != "the":
            return False
        is_person = tree.units[name].kind in PEOPLE and relation in ("amod", "nmod:poss", "nummod")
        is_apart = relation in _SET_APART and tree.words[min(tree.below(child)) - 1] in (",", "(")
        if relation not in _DESCRIBING and not is_person and not is_apart:
            return False
    return True


def _ends(tree: Tree, word: int, sure: float) -> list[End]:
    """The name as an end; several that "and" joins may do together what none does alone."""
    unit = tree.units[word]
    is_whole = word not in tree.cut and not tree.dependents(word, "nummod", "conj")
    if not is_whole or unit.most < LEAST_REFERENCE or len(unit.entities) != 1:
        return []
    return [End(unit.entities[0], sure * unit.most, word, word)]


def _predicate(tree: Tree, word: int, head: int, behind: int | None) -> tuple[int, ...]:
    """The words from the subject to the verb or "is", and its particle; none where others are among them."""
    parts = tree.dependents(word, *_OF_PREDICATES)
    first = min([head, *(each for each in parts if each < head)])
    if behind is not None:
        first = behind
        while first < head and tree.words[first] in (",", ")"):
            first += 1
    words = list(range(first, head + 1))
    if any(at != head and at not in parts for at in words):
        return ()
    if tree.dependents(word, "compound:prt") == [head + 1]:
        words.append(head + 1)
    is_written = all(any(char.isalpha() for char in tree.words[at]) for at in words)
    return tuple(words) if is_written and len(words) <= LONGEST_PREDICATE else ()


def _end(tree: Tree, word: int, first: int) -> int:
    """One past the last word of the clause, its last mark aside; 0 where it does not end plainly."""
    cut = _next_clause(tree, word, first)
    own = sorted(at for at in tree.below(word) if first <= at < cut)
    last = own[-1] + 1 if own else 0
    if len(own) != last - first:
        return 0
    is_plain = last in (cut, len(tree.words)) or tree.parse.upos[last] in ("PUNCT", "CCONJ")
    # Wherever the parser hangs it, a clause of its own subject behind ", and" is another one.
    joined = [at for at in own if tree.parse.relations[at] == "conj" and tree.dependents(at, *_SUBJECTS)]
    links = [link for at in joined for link in tree.dependents(at, "cc") if tree.words[link - 1] == ","]
    last = min([last, *(link for link in links if link > first)])
    while last > first and tree.words[last - 1] in _ENDS:
        last -= 1
    return last if is_plain else 0


def _next_clause(tree: Tree, word: int, first: int) -> int:
    """The place where another clause begins that hangs on this one; 0 where it may be a part of it."""
    cut = len(tree.words)
    for child in tree.dependents(word, "conj", "parataxis"):
        is_clause = tree.parse.upos[child] in ("VERB", "AUX") or tree.dependents(child, "cop", *_SUBJECTS)
        is_joined_to = tree.parse.relations[child] == "conj"
        if child < first or (is_joined_to and not is_clause):
            continue
        if is_joined_to and not is_joined(tree, child):
            return 0
        # What stands between the verb before and "and" belongs to that verb.
        links = [each for each in tree.dependents(child, "cc") if each > first]
        cut = min(cut, *links) if links else min(cut, min(tree.below(child)))
    return cut


def _is_content(tree: Tree, first: int, last: int) -> bool:
    """Return whether words say something, and go on where the predicate ends."""
    is_opening = tree.parse.upos[first] != "PUNCT" or tree.words[first] in ('"', "“", "‘", "'", "$", "£", "€")
    return is_opening and any(tree.parse.upos[at] in _CONTENT for at in range(first, last))
