"""Claims of two names without a verb: adjacent, by a role, or in an address."""

from dataclasses import replace
from typing import NamedTuple

from app.domain.node_types import GROUPS, PEOPLE
from app.domain.relation_type import RelationType, Role, VerblessPair
from app.domain.relation_types import (
    CONTAINMENT_RELATIONS,
    CREATED,
    HEAD_OF,
    LOCATED_IN,
    RELATED_TO,
    WITHIN,
    WORKS_FOR,
)
from app.extraction.rules.claims.gaps import remove_trailing_articles
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    compute_kind_misfit,
    does_name_only_state_possessor,
    is_governed_by_preposition,
    is_quoted_title,
    is_verb,
)
from app.extraction.rules.claims.verb_subjects import is_neutral_word
from app.extraction.rules.english.gazetteers import FIRST_LEVEL_REGIONS
from app.extraction.rules.english.grammar import (
    ARTICLES,
    BE,
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.lexicon import DEMONYMS, KIND_OF, PLACES
from app.extraction.rules.english.nations import CONTINENTS, COUNTRIES, LAST_WORDS_OF_SMALL_PLACES, REGIONS
from app.extraction.rules.english.verbless_pairs import (
    EPONYM_VERBS,
    POST_NOUNS,
    ROLES_BY_NOUN,
    VERBLESS_PAIRS,
    WORDS_BEFORE_POST,
    WORKS_OF_DIRECTORS,
)
from app.extraction.rules.english.words.change_forms import DEPUTY_WORDS
from app.extraction.rules.english.words.families import PLURAL_KIN
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

# A comma between two places means that one is in the other; more than this number of them is a list.
_MAX_ADDRESS_LENGTH = 3
_POSTAL_CODE_LENGTH = 2
_NOUNS_OF_REGIONS = frozenset(
    word
    for pair in WITHIN.verbless_pairs
    for gap in pair.gaps
    for word in gap.split()
    if KIND_OF.get(word) == "Location"
)
"""Nouns for places within others, and for what contains them: "county", "province"."""
# Maximum length of "is the deputy head of human resources and legal affairs at".
_MAX_POST_WORDS = 12
_POST_CONFIDENCE = 0.8
_HEADS_OR_MAKERS = {noun for role in HEAD_OF.roles for noun in role.nouns.split()} & {
    word for header in CREATED.headers for word in header.header_words.split()
}
"""Nouns for who heads a body or makes a work: "director"."""
# "His second wife is Ann Lee", "her elder sister, Eva Lee".
_IGNORED_WORDS_BESIDE_ROLE = BE | {
    "and",
    ",",
    "the",
    "first",
    "second",
    "third",
    "elder",
    "eldest",
    "younger",
    "youngest",
}
_ROLE_COMPLEMENTS = frozenset(
    ("emeritus", "designate", "elect", "named", "called", "heir", "sir", "dr", "dr.")
)
_PREPOSITIONS_OF_EMPLOYER = frozenset(("at", "with", "for"))


def _are_joined_places_an_address(sentence: Sentence, units: list[Unit], index: int) -> bool:
    """Return whether the places joined by commas are few enough to be an address, each in the next one,
    and not a list.
    """
    left_name, right_name = (
        " ".join(sentence.lower[unit.first : unit.last]) for unit in (units[index], units[index + 1])
    )
    # "Baptistery of Saint John, Italy": the place is part of a longer name.
    of_index = units[index].first - 1
    if word_at(sentence.lower, of_index) == "of" and word_at(sentence.words, of_index - 1)[:1].isupper():
        return False
    # "To Moroccans, Tunisia": a people is no place.
    # "Brussels, Copenhagen": two cities are a list, and only smaller places are in a country.
    if (
        left_name in COUNTRIES
        or left_name.removesuffix("s") in DEMONYMS
        or (right_name in PLACES and right_name not in REGIONS)
    ):
        return False
    next_index = units[index + 1].last
    # "From Syria and Lebanon, Israel's war": a new noun phrase begins with the owner.
    if word_at(sentence.lower, next_index) in POSSESSIVES:
        return False
    # "Angat in Bulacan, La Mesa in Quezon City": the next pair begins.
    word_before, next_word = (
        word_at(sentence.lower, units[index].first - 1),
        word_at(sentence.lower, next_index),
    )
    if next_word in PREPOSITIONS and word_before == next_word and _is_capital(sentence, next_index + 1):
        return False
    if _is_before_last_of_list(sentence, units, index + 1, is_region=right_name in REGIONS):
        return False
    first_place, last_place = _find_row_of_names(sentence, units, index)
    is_long = last_place - first_place >= _MAX_ADDRESS_LENGTH
    # "From Iberia, Anatolia, Georgia, and those": after two commas "and" ends a list, if not all are regions.
    next_words = sentence.lower[units[last_place].last : units[last_place].last + 2]
    are_regions = all(
        " ".join(sentence.lower[unit.first : unit.last]) in REGIONS
        for unit in units[first_place + 1 : last_place + 1]
    )
    is_list = last_place - first_place > 1 and next_words in ([",", "and"], [",", "or"]) and not are_regions
    return not (is_long or is_list) and _is_address_of_region(sentence, units[first_place : last_place + 1])


def _is_address_of_region(sentence: Sentence, row: list[Unit]) -> bool:
    """Return whether a row of places is in a region that it names; one of other kinds of things before its
    first place is a list.
    """
    is_in_list = not row[0].is_certain and word_at(sentence.lower, row[0].first - 1) == ","
    return not is_in_list and any(_is_region(sentence, unit) for unit in row[1:])


def _is_region(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a place is surely one that contains others: a known region, "Kut Province", or the two
    capitals of a state. "Palo Alto, San Francisco" and "Opera House, City Hall" are lists as well as
    addresses.
    """
    words = sentence.words[unit.first : unit.last]
    name = " ".join(words).lower()
    is_postal_code = (
        len(words) == 1 and len(name) == _POSTAL_CODE_LENGTH and name.isalpha() and name != words[0]
    )
    return unit.is_certain and (
        name in REGIONS
        or name in FIRST_LEVEL_REGIONS
        or (is_postal_code and words[0].isupper())
        or (len(words) > 1 and not _NOUNS_OF_REGIONS.isdisjoint((words[0].lower(), words[-1].lower())))
    )


def _is_capital(sentence: Sentence, index: int) -> bool:
    return word_at(sentence.words, index)[:1].isupper()


def _is_before_last_of_list(sentence: Sentence, units: list[Unit], index: int, *, is_region: bool) -> bool:
    """Return whether "and" or "or" after a place joins it to the last member of a list: "Harbour Bridge,
    Victoria Park and the hills" is a list, "Nassau, Bahamas, and a ship" is not.
    """
    next_index = units[index].last
    is_before_conjunction = word_at(sentence.lower, next_index) in ("and", "or")
    if is_before_conjunction and index + 1 < len(units) and units[index + 1].first <= next_index + 2:
        return True
    conjunction_index = next_index + (word_at(sentence.lower, next_index) == ",")
    return word_at(sentence.lower, conjunction_index) in ("and", "or") and not is_region


class _EndsOfRow(NamedTuple):
    """The indexes of the first and the last unit of a row."""

    first_index: int
    last_index: int


def _find_row_of_names(sentence: Sentence, units: list[Unit], index: int) -> _EndsOfRow:
    """Return the indexes of the first and last of the names around these two that only commas separate."""
    first_index, last_index = index, index + 1
    for direction in (-1, 1):
        outermost_index = index if direction < 0 else index + 1
        while (
            0 <= outermost_index + direction < len(units) and last_index - first_index < _MAX_ADDRESS_LENGTH
        ):
            left_index, right_index = sorted((outermost_index, outermost_index + direction))
            if sentence.lower[units[left_index].last : units[right_index].first] != [","]:
                break
            outermost_index += direction
            first_index, last_index = min(first_index, outermost_index), max(last_index, outermost_index)
    return _EndsOfRow(first_index, last_index)


def _do_nouns_state_no_role(
    sentence: Sentence, left_unit: Unit, gap: list[str], nouns: list[str], *, is_possessive: bool
) -> bool:
    """Return whether the nouns between two names state no role: "“Tides” director Ann Lee" leads no firm,
    and "Acme fired director Ann Lee" says that it did.
    """
    is_title = is_quoted_title(sentence, left_unit) and not left_unit.is_certain
    is_object = not is_possessive and nouns[0].endswith("ed") and is_verb(nouns[0])
    # "The film Tides, which director Ann Lee was making"
    is_in_relative_clause = not RELATIVE_PRONOUNS.isdisjoint(nouns)
    # Only the kind of the name tells whether it is what a director makes or what a director heads.
    is_work_or_body = (
        len(nouns) == 1
        and not _HEADS_OR_MAKERS.isdisjoint(nouns)
        and not is_possessive
        and not left_unit.is_certain
    )
    return is_title or is_object or is_in_relative_clause or is_work_or_body or _begins_list_member(gap)


def _claim_by_role(nouns: list[str], left_unit: Unit, right_unit: Unit) -> list[Claim]:
    """Return the claims of a role: "Oracle's founder Larry Ellison"."""
    # "Karl's wife's brother Ben" and "Karl—and brother Ben" state no role of Karl; "Quebec film director Ann
    # Lee" does not head Quebec.
    if not POSSESSIVES.isdisjoint(nouns) or not all(noun[0].isalpha() for noun in nouns):
        return []
    if "of" in nouns or not PREPOSITIONS.isdisjoint(nouns) or not WORKS_OF_DIRECTORS.isdisjoint(nouns):
        return []
    # "The Acme director Ann Lee, Bob Ray and Eva Berg": only the first one has the role.
    first_unit = replace(right_unit, entities=right_unit.entities[:1])
    return [
        claim
        for index, noun in enumerate(nouns)
        # "Eva's father met Ben": Ben is not the father.
        if all(
            word in ROLES_BY_NOUN or word in POST_NOUNS or word in _ROLE_COMPLEMENTS
            for word in nouns[index + 1 :]
        )
        for relation_type, role in ROLES_BY_NOUN.get(noun, ())
        for claim in _claim_role(
            left_unit,
            right_unit if noun.endswith("s") or noun in PLURAL_KIN else first_unit,
            relation_type,
            role,
        )
    ]


def _claim_role(left_unit: Unit, right_unit: Unit, relation_type: RelationType, role: Role) -> list[Claim]:
    """Return the claims of one role between the two, with those that the role implies."""
    targets = relation_type.ends.targets
    if targets is not None and not role.is_reversed and left_unit.kind == "Person" and not targets & PEOPLE:
        return []
    source_unit, target_unit = (left_unit, right_unit) if role.is_reversed else (right_unit, left_unit)
    claims = claim_between_units(source_unit, target_unit, relation_type.name, role.confidence)
    if claims and relation_type.implies is not None and target_unit.kind in relation_type.implies.targets:
        claims += claim_between_units(
            source_unit, target_unit, relation_type.implies.relation_type, role.confidence
        )
    return claims


def _claim_office(sentence: Sentence, left_unit: Unit, right_unit: Unit) -> list[Claim]:
    """Return the claims of an office of the first name held by the second: "The president of France, Ann
    Lee".
    """
    index = left_unit.first - 1
    while index > 0 and sentence.lower[index] in DETERMINERS:
        index -= 1
    if index < 1 or sentence.lower[index] != "of":
        return []
    if word_at(sentence.lower, index - 2) in DEPUTY_WORDS:
        # A deputy leads no body, but works there.
        is_employer = left_unit.kind in GROUPS and sentence.lower[index - 1] in POST_NOUNS
        return claim_between_units(right_unit, left_unit, WORKS_FOR.name, _POST_CONFIDENCE) * is_employer
    return [
        claim
        for relation_type, role in ROLES_BY_NOUN.get(sentence.lower[index - 1], ())
        if relation_type is HEAD_OF
        for claim in _claim_role(left_unit, right_unit, relation_type, role)
    ]


def claim_eponym(sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]) -> list[Claim] | None:
    """Return the claims of an eponym, "The name comes from the river Oss"; None if the gap is not about a
    name.
    """
    if word_at(sentence.lower, left_unit.last - 1) != "name":
        return None
    words = [word for word in gap if word not in QUOTES and word not in ARTICLES]
    is_eponym = words[-1:] == ["from"] and not EPONYM_VERBS.isdisjoint(words)
    return claim_between_units(left_unit, right_unit, RELATED_TO.name, 0.65) if is_eponym else []


def _begins_list_member(gap: list[str]) -> bool:
    """Return whether "and" separates a name from the nouns before it, "the Acme chief, and Ann Lee", or both
    from the other name, "the Acme Council and President Ann Lee".
    """
    if gap[:1] == ["and"]:
        return True
    end = len(gap)
    while end and gap[end - 1] in _ROLE_COMPLEMENTS:
        end -= 1
    return gap[end - 1 : end] == ["and"]


def _is_likely_location(sentence: Sentence, left_unit: Unit, right_unit: Unit) -> bool:
    """Return whether a name of uncertain kind is a location: "at the Kalmar Abbey in Norway"."""
    index_before = left_unit.first - 1
    while index_before > 0 and sentence.lower[index_before] in ARTICLES:
        index_before -= 1
    return (
        not left_unit.is_certain
        and right_unit.is_certain
        and right_unit.kind == "Location"
        and index_before >= 0
        and (sentence.lower[index_before] in ("at", "near") or sentence.lower[index_before] in BE)
    )


def claim_employer_of_post(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]
) -> list[Claim]:
    """Return the claims of an employer: "Ann Lee is Head of Finance at Acme", "Bob Ray, an accountant with
    Zeta".
    """
    words = remove_trailing_articles(gap)
    misfit = max(compute_kind_misfit(left_unit, PEOPLE), compute_kind_misfit(right_unit, GROUPS))
    if (
        not _do_words_describe_post(words)
        or misfit >= 1.0
        or is_governed_by_preposition(sentence, left_unit)
        or does_name_only_state_possessor(sentence, left_unit)
    ):
        return []
    # "A consultant for Falcon" may work on a product.
    if words[-1] != "at" and not (right_unit.is_certain and right_unit.kind == "Organization"):
        return []
    return claim_between_units(left_unit, right_unit, WORKS_FOR.name, _POST_CONFIDENCE - misfit)


def _do_words_describe_post(words: list[str]) -> bool:
    """Return whether words describe a post at the next name: "is the Head of Finance at"."""
    if not 2 < len(words) <= _MAX_POST_WORDS or words[-1] not in _PREPOSITIONS_OF_EMPLOYER:
        return False
    opens_post = words[0] in BE or words[0] in WORDS_BEFORE_POST or words[0] == ","
    post_words = [word for word in words[1:-1] if word not in DETERMINERS and not is_neutral_word(word)]
    if not opens_post or not all(word[0].isalpha() or word in ("&", "/") for word in post_words):
        return False
    title_words = post_words[: post_words.index("of")] if "of" in post_words else post_words
    return PREPOSITIONS.isdisjoint(post_words[1:]) and not POST_NOUNS.isdisjoint(title_words)


def claim_by_nouns(sentence: Sentence, units: list[Unit], index: int, gap: list[str]) -> list[Claim]:
    """Return claims without a verb: "Oracle's founder Larry Ellison", "Paris, France", "Wong at Berkeley"."""
    left_unit, right_unit = units[index], units[index + 1]
    is_possessive = gap[:1] != [] and gap[0] in POSSESSIVES
    if right_unit.kind == "Person":
        nouns = [
            word for word in (gap[1:] if is_possessive else gap) if word not in _IGNORED_WORDS_BESIDE_ROLE
        ]
        if 0 < len(nouns) <= (4 if is_possessive else 2):
            has_no_role = _do_nouns_state_no_role(
                sentence, left_unit, gap, nouns, is_possessive=is_possessive
            )
            return [] if has_no_role else _claim_by_role(nouns, left_unit, right_unit)
        office_claims = _claim_office(sentence, left_unit, right_unit) if gap in ([], [","]) else []
        if office_claims:
            return office_claims
    # Not "France's occupation of Morocco".
    if is_possessive and len(gap) <= 5 and PREPOSITIONS.isdisjoint(gap) and not {",", "of"} & set(gap):
        # "Ann Lee's Tides" may be a book of hers, one about her, or one in which she acts.
        if left_unit.kind == "Person" and KIND_OF.get(gap[-1]) != right_unit.kind:
            return []
        gap = ["'s"]  # "Oracle's new database Cobalt"
    if gap in (["in"], ["in", "the"]) and _is_likely_location(sentence, left_unit, right_unit):
        return claim_between_units(left_unit, right_unit, LOCATED_IN.name, 0.6)
    return _claim_by_verbless_pair(sentence, units, index, gap)


def _claim_by_verbless_pair(
    sentence: Sentence, units: list[Unit], left_index: int, words_between: list[str]
) -> list[Claim]:
    """Return the claims of the first pair that matches the gap and the kinds."""
    left_unit, right_unit = units[left_index], units[left_index + 1]
    matching_pairs = (
        (relation_type, pair)
        for relation_type, pair in VERBLESS_PAIRS.get(tuple(words_between), ())
        if _do_kinds_fit_verbless_pair(pair, left_unit, right_unit)
    )
    relation_type, pair = next(matching_pairs, (None, None))
    if (
        relation_type is None
        or pair is None
        or (pair.only_in_address and not _are_joined_places_an_address(sentence, units, left_index))
    ):
        return []
    if (
        not pair.is_reversed
        and len(words_between) > 1
        and _does_noun_after_region_name_next(sentence, left_unit, words_between)
    ):
        return []
    source_unit, target_unit = (right_unit, left_unit) if pair.is_reversed else (left_unit, right_unit)
    if relation_type.name in CONTAINMENT_RELATIONS and not may_place_contain_other(
        sentence, target_unit, source_unit
    ):
        return []
    if words_between[:1] == ["of"] and _are_one_name(sentence, left_unit, right_unit):
        return []
    # "The city of Beersheba": the description "the city" is not a place of its own here.
    if relation_type.is_derived_from_address and (
        left_unit.is_reference or _is_small_place(sentence, target_unit)
    ):
        return []
    return claim_between_units(source_unit, target_unit, relation_type.name, pair.confidence)


def _does_noun_after_region_name_next(sentence: Sentence, unit: Unit, words_after: list[str]) -> bool:
    """Return whether a noun after a region is about the next name: "the Badakhshan Region district of Vandj",
    other than "the Arakan region of Myanmar".
    """
    return words_after[0] in _NOUNS_OF_REGIONS and words_after[-1] == "of" and _is_region(sentence, unit)


def _are_one_name(sentence: Sentence, left_unit: Unit, right_unit: Unit) -> bool:
    """Return whether "of" joins two names to one, "the Free City of Lund"; "the Eastern Region of Uganda" is
    a place in a country.
    """
    last_word = word_at(sentence.lower, left_unit.last - 1)
    right_name = " ".join(sentence.lower[right_unit.first : right_unit.last])
    return not left_unit.is_reference and KIND_OF.get(last_word) == "Location" and right_name not in REGIONS


def may_place_contain_other(sentence: Sentence, outer_unit: Unit, inner_unit: Unit) -> bool:
    """Return whether one place may be in another: no country is in a country or a town, and no continent in
    anything.
    """
    outer_name, inner_name = (
        " ".join(sentence.lower[unit.first : unit.last]) for unit in (outer_unit, inner_unit)
    )
    return inner_name not in CONTINENTS and (inner_name not in COUNTRIES or outer_name in CONTINENTS)


def _is_small_place(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a place cannot contain another one: an airport, a river, room 14 of a building."""
    last_word = word_at(sentence.lower, unit.last - 1)
    return last_word in LAST_WORDS_OF_SMALL_PLACES or (unit.last - unit.first > 1 and last_word.isdigit())


def _do_kinds_fit_verbless_pair(pair: VerblessPair, left_unit: Unit, right_unit: Unit) -> bool:
    return (
        left_unit.kind in pair.left_kinds
        and right_unit.kind in pair.right_kinds
        and (right_unit.is_certain or not pair.needs_certain_kind)
    )
