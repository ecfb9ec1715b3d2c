"""Names before a noun: whether a clause is about the name or about the noun that it describes.

"The Taliban authorities carried out an execution in Khost" is about authorities, and "a Thor poster featuring
Korg" about a poster. "The Falcon database" is Falcon itself.
"""

from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.syntax import Tree

_MODIFIER_RELATIONS = frozenset(("compound", "amod", "nmod", "nmod:desc", "nummod"))


def relates_names_themselves(tree: Tree, source: Unit, target: Unit) -> bool:
    """Return whether no clause between two names, and no place, is about a noun that a name describes."""
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None or source_word == target_word:
        return True
    if _is_place_of_governing_noun(tree, source_word, target_word) or _are_places_of_list(
        tree, source_word, target_word
    ):
        return False
    return not any(
        _is_related_by_noun(tree, word, other_word) or _is_in_description_of_noun(tree, word, other_word)
        for word, other_word in ((source_word, target_word), (target_word, source_word))
    )


def _is_related_by_noun(tree: Tree, word: int, other_word: int) -> bool:
    """Return whether a name describes a noun that a clause relates to the other name."""
    noun = _find_described_noun(tree, word)
    if noun is None:
        return False
    words_below, common_ancestor = tree.find_path(noun, other_word)
    words_between = {*words_below, common_ancestor} - {noun}
    if other_word != common_ancestor:
        words_between.discard(other_word)
    return any(map(tree.is_predicate, words_between))


def _find_described_noun(tree: Tree, word: int) -> int | None:
    """Return the noun after a name that it describes; None without one, or if the noun says what the name is.

    A place describes where the thing is, "the Lisbon office", so a clause about the noun tells of the place.
    """
    noun = tree.parse.heads[word]
    if tree.is_root(word) or noun in tree.units or tree.parse.upos[noun] != "NOUN":
        return None
    if tree.parse.relations[word] not in _MODIFIER_RELATIONS:
        return None
    unit = tree.units[word]
    # "The film stars Ann Lee": the network may take the verb for a noun.
    if (
        unit.is_reference
        or unit.kind == "Location"
        or noun < word
        or (noun == word + 1 and tree.parse.lemmas[noun].lower() in KIND_OF)
    ):
        return None
    return noun


def _is_place_of_governing_noun(tree: Tree, word: int, place_word: int) -> bool:
    """Return whether a place belongs to the noun that governs both names: "a march of Christians in Fatima".

    A noun that says what a name is has the name's place: "the church of Saint Mary in Lund".
    """
    noun = tree.parse.heads[word]
    if tree.units[place_word].kind != "Location" or noun != tree.parse.heads[place_word]:
        return False
    if {tree.parse.relations[word], tree.parse.relations[place_word]} != {"nmod"} or noun > word:
        return False
    kind = KIND_OF.get(tree.parse.lemmas[noun].lower())
    is_noun = tree.parse.upos[noun] == "NOUN" and noun not in tree.units
    return is_noun and (kind is None or kind == "Person") and tree.units[word].kind != "Location"


def _are_places_of_list(tree: Tree, word: int, place_word: int) -> bool:
    """Return whether two places are members of one list, "Visayas, Mindanao and Caraga": neither is in the
    other.
    """
    if any(tree.units[end].kind != "Location" for end in (word, place_word)):
        return False
    first_words = [_find_first_member(tree, end) for end in (word, place_word)]
    members = tree.dependents(first_words[0], "conj")
    return first_words[0] == first_words[1] and any(tree.dependents(member, "cc") for member in members)


def _find_first_member(tree: Tree, word: int) -> int:
    """Return the first member of the list that a word is in, or the word."""
    while tree.parse.relations[word] == "conj" and not tree.is_root(word):
        word = tree.parse.heads[word]
    return word


def _is_in_description_of_noun(tree: Tree, word: int, other_word: int) -> bool:
    """Return whether the participle clause around a name describes a noun, and not the other name: "a poster
    featuring Korg".
    """
    clause = next((above for above in tree.ancestors(word) if tree.parse.relations[above] == "acl"), None)
    if clause is None or other_word in tree.descendants(clause):
        return False
    noun = tree.parse.heads[clause]
    if tree.parse.upos[noun] != "NOUN" or noun in tree.units or tree.parse.lemmas[noun].lower() in KIND_OF:
        return False
    return noun != tree.parse.heads[other_word] and other_word != tree.parse.heads[noun]
