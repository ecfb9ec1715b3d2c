"""Kinship as data: the nouns, the relation of each, and the sentence forms.

In a form `{x}` is the person whose kin is named, `{y}` that kin, `{p}` people who are kin of each other; KIN
is any noun of `KIN_RELATION_BY_NOUN`.
"""

import re

from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.stop_words import split_into_word_set

KIN_RELATION_BY_NOUN: dict[str, tuple[str, bool]] = {
    noun: (relation_type.name, row.is_reversed)
    for relation_type in RELATION_TYPES
    for row in relation_type.kin
    for noun in row.nouns.split()
}
"""The relation of each noun, and whether its bearer is the source: a father is the parent, a son is the
child.
"""
KIN_RELATIONS = frozenset(relation_type.name for relation_type in RELATION_TYPES if relation_type.kin)
PLURAL_KIN = frozenset(noun for noun in KIN_RELATION_BY_NOUN if noun.endswith(("s", "children", "wives")))
COUPLING_WORDS = split_into_word_set(
    "and & married wed met with divorced separated dating engaged marrying meeting meets"
)
"""Words between two people who act together."""
PAIR_NOUNS = split_into_word_set("couple two pair duo spouses siblings brothers sisters twins")
"""Nouns for two people just mentioned: "the couple"."""

_ADJECTIVES = """only first second third fourth fifth elder eldest older oldest younger youngest little big
    baby twin late beloved biological adoptive adopted former ex current present own then estranged maternal
    paternal identical surviving infant illegitimate legitimate natural two three four five six seven eight
    nine ten several other sole one young grown-up onetime one-time erstwhile"""
_ADJ = rf"(?P<adj>(?:(?:{'|'.join(_ADJECTIVES.split())}|\w+-year-old) ){{0,3}})"
_NOUNS = "|".join(sorted(map(re.escape, KIN_RELATION_BY_NOUN), key=len, reverse=True))
_KIN = rf"(?P<kin>(?:ex-)?(?:{_NOUNS}))"
_POSSESSIVE_GROUP = r"(?P<own>(?:'s|’s|'|’) |, whose |whose )?"
_BE = "(?:is|was|are|were)"
_NEGATION_GROUP = "(?P<not>not |no longer |never )?"
_LINK = (
    rf"(?P<link> {_BE}(?: (?:named|called))?| ,(?: (?:named|called))?| (?:named|called|include|includes)| :)?"
)
_COUNT = "(?:a|an|another|one|two|three|four|five|six|seven|eight|nine|ten|several)"
_END_OF_FORM = r"(?= (?:[.,;:)!]|and |who |from |by |in @|born )|\s*$)"
RELATION_BY_MUTUAL_NOUN: dict[str, str] = {
    words.strip(): relation_type.name
    for relation_type in RELATION_TYPES
    if relation_type.mutual_words
    for words in relation_type.mutual_words.split("|")
}
"""Relations of plural nouns that apply to people mutually."""
_MUTUAL_GROUP = "(?P<mutual>" + "|".join(sorted(RELATION_BY_MUTUAL_NOUN, key=len, reverse=True)) + ")"


def _compile_form(template: str) -> re.Pattern[str]:
    form = template
    for mark, meaning in (
        ("KIN", _KIN),
        ("ADJ", _ADJ),
        ("OWN", _POSSESSIVE_GROUP),
        ("NOT", _NEGATION_GROUP),
        ("LINK", _LINK),
        ("COUNT", _COUNT),
        ("CLOSED", _END_OF_FORM),
        ("MUTUALLY", _MUTUAL_GROUP),
        ("IS", _BE),
    ):
        form = form.replace(mark, meaning)
    return re.compile(re.sub(r"\{([a-z]+)\}", r"@(?P<\1>\\d+)", form))


KINSHIP_FORMS: tuple[re.Pattern[str], ...] = tuple(
    map(
        _compile_form,
        (
            # "Karl's only son is Max", "his father, Ben", "whose parents are Karl and Mary".
            r"{x} OWNADJKINLINK {y}",
            # "Karl is Eva's father", "Karl, her brother,".
            r"{y} (?P<link>IS|became|,) NOT(?:also |now |still )?{x} OWNADJKINCLOSED",
            r"(?:^|[,;] |and )the ADJKIN of {x} IS NOT?{y}",
            r"{x} (?:also |later )?(?:has|had|have|leaves|left|left behind|(?:is|was|are) survived by)"
            r" (?:COUNT )?ADJKIN(?: (?:with|by) {z})?LINK {y}(?:(?: ,)? (?:with|by) {w})?",
        ),
    )
)
"""Forms of a claim of two people by a noun."""
CONTINUATION_FORM = _compile_form(r"(?: ,| and| , and| &) (?:(?:the|COUNT) )?ADJKINLINK {y}")
"""Continuations of such a form with more kin of the same person, "and two daughters, Ann and Eva"."""
MUTUAL_KINSHIP_FORMS: tuple[re.Pattern[str], ...] = tuple(
    map(
        _compile_form,
        (
            r"{p} (?:IS|became) NOT(?:both |all |also |now )?(?:a |the )?ADJMUTUALLYCLOSED",
            r"(?:^|(?<=the )|(?<=by )|(?<=with )|(?<=, )|(?<=twin ))MUTUALLY {p}",
        ),
    )
)
"""Forms of a claim of people who are kin of each other."""
PAIR_KINSHIP_FORM = re.compile(rf"@(?P<p>\d+) {_BE} (?P<one>{_NOUNS}) and (?P<other>{_NOUNS}){_END_OF_FORM}")
""" "Karl and Max are father and son": the first is the first noun for the other."""
BIRTH_FORM = _compile_form(
    r"{x} (?:has |had |have )?(?:gave birth to|given birth to|fathered|sired|begot|begat)"
    r" (?:(?:the|his|her|their|twins|COUNT|@\d+) )?(?:ADJKIN )?(?:(?:,|named|called) )*{y}"
)
CHILD_OF_BOTH = re.compile(
    r"(?:(?:son|daughter|child)(?:s|ren)? of|born to) @(?P<x>\d+) (?:first |second |third )?(?:wife|husband)"
    r" (?:, )?@(?P<y>\d+)"
)
""" "The son of Karl and his wife Mary": Karl's child is Mary's too."""
WEDDING_WORDS = split_into_word_set("married wed marries weds marriage wedding since")
"""Without one of these words a date beside "his wife" is not that of the marriage: "lost his wife in
2010".
"""
FICTION_WORDS = split_into_word_set(
    "film movie novel series show play book episode story game sitcom musical opera"
)
"""Words of sentences about fiction, in which actors' names are not the characters."""
SIGNS_OF_KIN = (
    KIN_RELATION_BY_NOUN.keys()
    | {f"ex-{noun}" for noun in KIN_RELATION_BY_NOUN}
    | split_into_word_set("birth fathered sired begot begat couple")
)
"""Every sentence about kin contains one of these."""
