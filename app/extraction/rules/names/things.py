"""The things of a document under their names, and which name is another one of the same thing."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.extraction.rules.aliases import same_person
from app.extraction.rules.english.lexicon import COMPANIES, GIVEN_NAMES, HONORIFICS, LEGAL_TAILS, PLACES
from app.extraction.rules.english.names import NOBILITY
from app.extraction.rules.types import Votes, decide, is_written_as_person
from app.graph.names import is_roman_numeral, normalise_name

# How much support of another kind keeps a lone word from being taken for somebody's surname.
_CLEARLY_ELSE = 3.0
# Votes for a person of a first name that shares another one's surname.
_SURNAMED = 3.0


@dataclass(slots=True, eq=False)
class Thing:
    """One name of the document. The names of one thing form a tree, whose root is the name it goes by.

    `join` is the only way to tie two names, and it hangs one root below another one: whatever the text says,
    and in whatever order, there is no circle.
    """

    key: str
    name: str
    words: list[str]
    written: list[str]
    votes: Votes
    strong: bool = False
    in_prose: bool = False
    order: int = 0
    # Whether this name means the thing everywhere, and not in this document alone.
    identifies: bool = False
    _parent: "Thing | None" = None

    @property
    def is_own(self) -> bool:
        """Return whether the name is no other name of something else: the root of its tree."""
        return self._parent is None

    def root(self) -> "Thing":
        """The name that the thing of this name goes by."""
        thing = self
        while thing._parent is not None:
            # Every second step is cut out, so that no later look-up is long.
            thing._parent = thing._parent._parent or thing._parent
            thing = thing._parent
        return thing

    def join(self, owner: "Thing") -> None:
        """Make this name's thing the same as the owner's, under the owner's name."""
        below, above = self.root(), owner.root()
        if below is not above:
            below._parent = above
            above.strong = above.strong or below.strong
            above.in_prose = above.in_prose or below.in_prose


Join = Callable[[Thing, Thing], None]
"""Make one thing of two whose names identify them everywhere."""


def clash(a: Votes, b: Votes) -> bool:
    """Return whether two names are surely of different kinds,
    so that neither can be another name of the other."""
    kinds = {decide(a), decide(b)}
    if len(kinds) < 2 or not all(certain for _, certain in kinds):
        return False
    names = {kind for kind, _ in kinds}
    return not names.isdisjoint(("Person", "Location")) or (
        "Organization" in names
        and not names.isdisjoint(("Technology", "Product", "Document"))
        and min(max(a.values()), max(b.values())) >= _CLEARLY_ELSE
    )


def _person_words(thing: Thing) -> list[str]:
    """The words of a person's full name without "Jr." or "III"; none where the thing is no such name."""
    words = thing.words
    if "," in words and not NOBILITY.isdisjoint(words):
        return []  # "Friedrich, Duke of Oss" and "Friedrich Wilhelm, Duke of Oss" are two
    if not thing.is_own or len(words) < 2 or decide(thing.votes)[0] != "Person":
        return []
    return words[:-1] if words[-1].rstrip(".") in ("jr", "sr") or is_roman_numeral(words[-1]) else words


def _may_be_short_for_a_person(thing: Thing) -> bool:
    """Return whether one word may be somebody's surname or first name:
    not where it is clearly something else."""
    if not thing.is_own or len(thing.words) != 1 or thing.key in PLACES or thing.key in COMPANIES:
        return False
    return sum(strength for kind, strength in thing.votes.items() if kind != "Person") < _CLEARLY_ELSE


def _is_titled(words: Sequence[str]) -> bool:
    """Return whether the words are an honorific and a surname: "Mr Haddad"."""
    return len(words) == 2 and words[0].rstrip(".") in HONORIFICS


def join_people(things: Sequence[Thing], join: Join, title_key: str, opening: Thing | None) -> None:
    """Join full names of one person, and give surnames and "Mr Haddad" to the one who bears them.

    A short name identifies nobody outside the document, so the things of other documents stay apart. A title
    of one word is the surname of nobody but who opens the text: a publisher may bear its founder's.
    """
    people: dict[str, list[Thing]] = {}
    given: dict[str, list[Thing]] = {}
    titled = _by_full_names(things, join, people, given)
    _give_titled(titled, people, _unsure_surnames(things), title_key)
    topic = _person_of(things, title_key)
    for thing in things:
        if topic is not None and thing.is_own and _is_without_title(thing, topic):
            shorten(thing, topic)
        elif _may_be_short_for_a_person(thing):
            word = thing.words[0]
            owner = _only(people.get(word, ()), title_key)
            if owner is None and word in GIVEN_NAMES:
                owner = _only(given.get(word, ()), title_key)
            # "Wong" in a text about Wong Kar-wai.
            owner = owner or (topic if topic is not None and _first_name(topic) == word else None)
            if owner is not None and (thing.key != title_key or _opens(opening, owner)):
                shorten(thing, owner)


def _by_full_names(
    things: Sequence[Thing], join: Join, people: dict[str, list[Thing]], given: dict[str, list[Thing]]
) -> list[Thing]:
    """Join what is written in several ways; the people by their surnames and first names, and "Mr Haddad"."""
    titled: list[Thing] = []
    for thing in things:
        words = _person_words(thing)
        if len(words) < 2:
            continue
        if _is_titled(words):
            titled.append(thing)
            continue
        bucket = people.setdefault(words[-1], [])
        # A handful of namesakes is a family; more would be a list, and comparing all is quadratic.
        twin = next((other for other in bucket[:8] if same_person(words, other.words)), None)
        if twin is None:
            bucket.append(thing)
            if words[0] not in HONORIFICS:
                given.setdefault(words[0], []).append(thing)
            continue
        join(twin, thing)
        if not twin.is_own:
            bucket[bucket.index(twin)] = thing
    return titled


def give_surname(things: dict[str, Thing], first: Thing, full: Thing) -> None:
    """Make "Tom" of "Tom and Eva Becker" Tom Becker, unless he is somebody else in the document."""
    if not first.is_own or decide(full.votes)[0] != "Person":
        return
    surname = full.written[-1]
    name = f"{first.name} {surname}"
    key = normalise_name(name)
    whole = things.get(key)
    if whole is None:
        words = name.lower().split()
        whole = Thing(key, name, words, name.split(), {"Person": _SURNAMED}, order=len(things))
        things[key] = whole
    if whole.root() is not first:
        shorten(first, whole.root())


def _opens(opening: Thing | None, owner: Thing) -> bool:
    """Return whether the text opens with this thing."""
    return opening is not None and opening.root() is owner


def _person_of(things: Sequence[Thing], title_key: str) -> Thing | None:
    """The person whom the document is about, by a name of several words."""
    topic = next((thing.root() for thing in things if thing.key == title_key), None)
    several = topic is not None and len(topic.words) > 1
    return topic if several and topic is not None and decide(topic.votes)[0] == "Person" else None


def _is_without_title(thing: Thing, topic: Thing) -> bool:
    """Return whether a name is the topic's without what follows it: "Emperor Gaozong" of Emperor Gaozong of
    Tang, "Otto Karl" of Otto Karl, Duke of Oss.
    """
    return topic.key.startswith(f"{thing.key} of ") or topic.words[: len(thing.words) + 1] == [
        *thing.words,
        ",",
    ]


def _first_name(person: Thing) -> str:
    """The first word of a person's name behind honorifics: of "Princess Adelheid of Oss"."""
    return next((word for word in person.words if word not in HONORIFICS), "")


def shorten(thing: Thing, owner: Thing) -> None:
    """Make a name one of another thing in this document alone."""
    thing.join(owner)
    owner.root().strong = True


def _unsure_surnames(things: Iterable[Thing]) -> set[str]:
    """The last words of names that may be people's though nothing says so."""
    return {
        thing.words[-1]
        for thing in things
        if len(thing.words) > 1 and not decide(thing.votes)[1] and is_written_as_person(thing.name)
    }


def _give_titled(
    titled: Sequence[Thing], people: dict[str, list[Thing]], unsure: set[str], title_key: str
) -> None:
    """Give "Mr Haddad" to the only Haddad whom the document names in full."""
    first: dict[str, Thing] = {}
    namesakes = Counter(thing.words[-1] for thing in titled)
    for thing in titled:
        surname = thing.words[-1]
        owner = _only(people.get(surname, ()), title_key) if surname not in unsure else None
        if owner is not None:
            shorten(thing, owner)
        elif surname not in people and surname not in unsure:
            # "Mr Haddad" and "Dr Haddad" may be two; the lone surname behind one of them is his.
            first.setdefault(surname, thing)
    for surname, thing in first.items():
        if namesakes[surname] == 1:
            people[surname] = [thing]


def _only(candidates: Sequence[Thing], title_key: str) -> Thing | None:
    """The only candidate, or the one that the document is about."""
    roots = {id(thing.root()): thing.root() for thing in candidates[:8]}
    if len(roots) == 1:
        return next(iter(roots.values()))
    return next((thing for thing in roots.values() if thing.key == title_key), None)


def join_companies(things: dict[str, Thing], join: Join) -> None:
    """Join a company to its name without "Ltd.", and give it the first word of its name if that is plain.

    "Kestrel" is Kestrel Freight Ltd. in a document that names nothing else by this word.
    """
    words_of = {thing.key: _words_of_company(thing) for thing in things.values() if len(thing.words) > 1}
    openings = Counter(words[0] for words in words_of.values() if words)
    for thing in list(things.values()):
        words = words_of.get(thing.key, [])
        if not thing.is_own or not words or words[-1] not in LEGAL_TAILS:
            continue
        short = things.get(normalise_name(" ".join(words[:-1])))
        if short is not None and short is not thing and _may_be_company(short):
            join(thing, short)
        first = things.get(words[0])
        if first is not None and first is not thing and openings[words[0]] == 1 and _may_be_company(first):
            shorten(first, thing)


def _words_of_company(thing: Thing) -> list[str]:
    """The words of a name as companies are compared: "acme", "inc" of "Acme, Inc."."""
    return [word.rstrip(".") for word in thing.words if word != ","]


def _may_be_company(thing: Thing) -> bool:
    """Return whether a name may be a company's short one.

    The maker of a program may bear its name: they stay two where the text shows the program.
    """
    return thing.is_own and decide(thing.votes) in (("Organization", True), ("Concept", False))
