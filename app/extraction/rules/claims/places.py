"""Places that a sentence states besides its verbs: of a description, of a superlative, of examples."""

from app.domain.relation_types import LOCATED_IN
from app.extraction.rules.claims.units import Claim, Unit, between, description_until
from app.extraction.rules.english.grammar import ARTICLES, BE, HAVE, RELATIVE
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.places import DIRECTIONS, EDGES, EXAMPLES
from app.extraction.rules.sentences import Sentence

_LARGER, _EXTREME, _EXAMPLE = 0.65, 0.7, 0.7
_OPENS = frozenset(("a", "an", "the", "one"))
_LONGEST_EXTREME = 4
_SETTLED = frozenset({"Organization", "Location", "Event"})


def claims_of_larger_place(
    sentence: Sentence, left: Unit, right: Unit, gap: list[str], subject: Unit | None
) -> list[Claim]:
    """ "Marlow is a city on the shore of Lake Erie in Ohio": the second place is the city's as well."""
    if subject is None or subject is left or not (subject.certain and right.certain):
        return []
    if {subject.kind, left.kind, right.kind} != {"Location"}:
        return []
    words = [word for word in gap if word not in DIRECTIONS]
    described = description_until(sentence, subject, left)
    if words not in (["in"], ["in", "the"]) or not described:
        return []
    if described[1] not in _OPENS or any(_ends_description(word) for word in described[1:]):
        return []
    return between(subject, right, LOCATED_IN.name, _LARGER)


def _ends_description(word: str) -> bool:
    return word in BE or word in HAVE or word in RELATIVE or word in (",", "and")


def claims_of_extreme(sentence: Sentence, left: Unit, right: Unit, gap: list[str]) -> list[Claim]:
    """ "The northernmost point of Iceland is Cape Rifstangi": what is named so lies there."""
    if gap not in (["is"], ["is", "the"], ["was"]) or not (left.certain and left.kind == "Location"):
        return []
    at = _before_articles(sentence, left)
    if at < 1 or sentence.lower[at] not in ("of", "in") or (right.certain and right.kind != "Location"):
        return []
    words = sentence.lower[max(0, at - _LONGEST_EXTREME) : at]
    noun = words[-1]
    if not (noun in EDGES or KIND_OF.get(noun) == "Location"):
        return []
    if not any(word.endswith(("est", "most")) for word in words[:-1]):
        return []
    return between(right, left, LOCATED_IN.name, _EXTREME if right.certain else _EXTREME - 0.1)


def claims_of_examples(sentence: Sentence, left: Unit, right: Unit, gap: list[str]) -> list[Claim]:
    """ "There are museums in Lusaka such as A and B": each of them is in that place."""
    plain = gap[1:] if gap[:1] == [","] else gap
    if tuple(plain) not in EXAMPLES or not (left.certain and left.kind == "Location"):
        return []
    at = _before_articles(sentence, left)
    if at < 1 or sentence.lower[at] != "in" or _kind_of_several(sentence.lower[at - 1]) not in _SETTLED:
        return []
    if right.certain and right.kind not in _SETTLED:
        return []
    return between(right, left, LOCATED_IN.name, _EXAMPLE if right.certain else _EXAMPLE - 0.1)


def _kind_of_several(noun: str) -> str | None:
    """The kind of a noun in the plural: of "museums" and of "universities"."""
    if noun.endswith("ies"):
        return KIND_OF.get(f"{noun[:-3]}y")
    return KIND_OF.get(noun[:-1]) if noun.endswith("s") else None


def _before_articles(sentence: Sentence, unit: Unit) -> int:
    at = unit.first - 1
    while at >= 0 and sentence.lower[at] in ARTICLES:
        at -= 1
    return at
