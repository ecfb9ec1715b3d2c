"""Tags that a node's neighborhood in the graph suggests, by rules: topics, not verbs (requirement 11.1).
Pure.

A topic is the last word of a noun group, or another word of it, in the sentences that state the node's facts.
Its weight grows with the number of these sentences and falls with its frequency in the space (tf-idf).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from math import log

from app.domain.scoring.keywords import INSIGNIFICANT_WORDS
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.grammar import PREPOSITIONS, RELATIVE_PRONOUNS
from app.extraction.rules.english.lexicon import (
    DEMONYMS,
    GIVEN_NAMES,
    KIND_OF,
    PERSON_VERBS,
    SUBJECT_VERBS,
    TECHNOLOGIES,
)
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD, PHRASE_OPENING_NOUNS
from app.extraction.rules.english.verbless_pairs import ROLES_BY_NOUN
from app.graph.names import MONTHS_AND_DAYS
from app.graph.tags.suggestions import SpaceFact, TagFact, TagMaterial
from app.graph.tags.tag_choice import normalise_tag

MAX_CANDIDATES = 24
"""Maximum number of candidates; more than the eight tags of a node, because some turn out to be the same
tag.
"""
MIN_WORD_LENGTH = 3
HEAD_WORD_VOTE, OTHER_WORD_VOTE, DEFINITION_VOTE = 1.0, 0.6, 1.5
"""Votes of a sentence for the last word of a noun group, for another word of it, and for the noun that
defines the node.
"""
NEIGHBOUR_TAG_VOTE = 3.0
"""Votes for a tag that all neighbors have: as much as a word of all sentences and of a twentieth of the
space's.
"""
TYPE_VOTE = 0.5
"""Votes for the node's own type, compared with a topic of one sentence."""
RARE_WORD_WEIGHT = 0.5
"""Weight of a word that one sentence of the whole space has: more often a detail than a topic."""
MIN_TYPE_RARITY = log(5)
"""A neighbor's type counts only if at most every fifth end of the space's facts has it."""

_TOKEN_PATTERN = re.compile(r"[^\W\d_][\w'’+#-]*|[^\w\s]|\d\S*")
_ACRONYM_PATTERN = re.compile(r"[A-Z]{2,5}s?")
# Words that precede a verb: a subject, or an auxiliary.
_WORDS_BEFORE_VERB_FORM = RELATIVE_PRONOUNS | split_into_word_set("it he she")
_WORDS_BEFORE_BASE_FORM = split_into_word_set(
    "they we you i to can could will would may might must should not n't"
)
_DETERMINERS = split_into_word_set(
    "the a an its his her their this these that those one two three some several many all each every any no"
)
_FORMS_OF_BE = split_into_word_set("is was are were be been being became becomes remains remained")
_IRREGULAR_VERB_FORMS = split_into_word_set("""
    ran began came went grew kept left made said saw set sat spent stood told understood thought taught
    brought
    bought caught chose drew fell felt found gave got held knew lay lent lost meant met paid put read rose
    sent
    shut sold sought spoke stole swore threw tore won wore wrote become begin come go grow keep leave make
    say see
    ride rode ridden run take took taken give given
""")
# Nouns that are not topics.
_NON_TOPIC_NOUNS = split_into_word_set("""
    part parts number numbers name names way ways kind kinds type types thing things time times year years
    month
    months week weeks day days decade decades century example examples case cases work works use uses set lot
    end start beginning beginnings back side place places point points line lines form forms people person man
    woman men women child children world piece result results reason reasons idea ideas fact facts word words
    term terms paper papers house home floor member members colleague colleagues student students friend
    friends
    author authors founder founders creator creators co-founder developer developers user users partner
    partners
    chief head president chairman officer executive executives leader others version versions release releases
    successor predecessor successors rest sale letter feature features change changes step steps job jobs role
    roles level levels order page pages need needs help advice money question questions answer answers
    story talk
    dollar dollars price prices kilometre kilometres mile miles percent announcement announcements
    one two three four five six seven eight nine ten twenty thirty dozen hundred hundreds thousand
    thousands million
    billion first second third last next new old young same large small big long short great good better
    best early
    late later former current modern original main major many few several different own half today now
    mean means
    base based able ready kept free full simple common easy important popular possible available similar
    single
    whole known well together alone seldom according along away apart ago thereby per rewrote rewritten
""")
_VERBS = (
    frozenset(
        word for word in PATTERNS_BY_FIRST_WORD if word not in PHRASE_OPENING_NOUNS and word not in KIND_OF
    )
    | SUBJECT_VERBS
    | PERSON_VERBS
    | _IRREGULAR_VERB_FORMS
)
_NON_TAG_WORDS = (
    INSIGNIFICANT_WORDS
    | _VERBS
    | _NON_TOPIC_NOUNS
    | PREPOSITIONS
    | MONTHS_AND_DAYS
    | DEMONYMS
    | GIVEN_NAMES
    | frozenset(ROLES_BY_NOUN)
)
_ADJECTIVE_ENDINGS = ("ous", "ful", "ive", "able", "ible", "less", "est", "ish", "ian")


class TermUsage:
    """Frequencies of words and types in a space, from a sample of its facts."""

    def __init__(self, sampled_facts: Iterable[SpaceFact]) -> None:
        facts = list(sampled_facts)
        quotes = {fact.quote for fact in facts if fact.quote}
        self._count_by_type = Counter(
            normalise_tag(node_type) for fact in facts for node_type in (fact.from_type, fact.to_type)
        )
        self._count_by_head_word: Counter[str] = Counter()
        self._count_by_word: Counter[str] = Counter()
        self._quote_count = len(quotes)
        for quote in quotes:
            noun_groups = list(find_noun_groups(quote))
            self._count_by_head_word.update({noun_group[-1] for noun_group in noun_groups})
            self._count_by_word.update({word for noun_group in noun_groups for word in noun_group})

    def is_topic(self, word: str) -> bool:
        """Return whether a word before the last one of its group is a noun elsewhere, or is formed like
        one.
        """
        return self._count_by_head_word[word] > 0 or word in KIND_OF or word.endswith(("al", "ic"))

    def compute_rarity(self, word: str) -> float:
        """Return the information content of a word, at least 0."""
        word_count = self._count_by_word[word]
        return log(1 + self._quote_count / max(word_count, 1)) * (1.0 if word_count > 1 else RARE_WORD_WEIGHT)

    def compute_rarity_of_type(self, node_type: str) -> float:
        """Return the information content of a node type at an end of a fact, at least 0."""
        return log((self._count_by_type.total() + 1) / (self._count_by_type[node_type] + 1))


def list_tag_candidates(material: TagMaterial, usage: TermUsage) -> list[str]:
    """Return at most 24 tags by relevance, independent of the order of the facts.

    Words of the node's names and of a fact's other end, and relation verbs, are not topics. Equal weights are
    ordered alphabetically; without a topic the node's type remains.
    """
    score_by_tag: dict[str, float] = defaultdict(float)
    for word, weight in _weigh_topics(material, usage).items():
        score_by_tag[word] += weight * usage.compute_rarity(word)
    fact_share = 1 / max(1, len(material.facts))
    for fact in material.facts:
        for tag in fact.other_tags:
            score_by_tag[tag] += NEIGHBOUR_TAG_VOTE * fact_share
        other_type_tag = normalise_tag(fact.other_type)
        if usage.compute_rarity_of_type(other_type_tag) >= MIN_TYPE_RARITY:
            score_by_tag[other_type_tag] += fact_share * usage.compute_rarity_of_type(other_type_tag)
    own_type_tag = normalise_tag(material.node_type)
    score_by_tag[own_type_tag] += TYPE_VOTE * usage.compute_rarity_of_type(own_type_tag)
    score_by_tag.pop("", None)
    for word in _list_words_of_names(material.canonical_name, *material.aliases):
        score_by_tag.pop(word, None)
    # Rounded: floating-point sums in another order differ in their last digit.
    ordered_tags = sorted(score_by_tag, key=lambda word: (-round(score_by_tag[word], 9), word))
    return ordered_tags[:MAX_CANDIDATES] or [own_type_tag]


def _weigh_topics(material: TagMaterial, usage: TermUsage) -> dict[str, float]:
    """Return the weight of each topic of the node; each sentence counts once."""
    own_name_words = _list_words_of_names(material.canonical_name, *material.aliases)
    facts_by_quote: dict[str, list[TagFact]] = defaultdict(list)
    for fact in material.facts:
        if fact.quote:
            facts_by_quote[fact.quote].append(fact)
    weight_by_topic: dict[str, float] = defaultdict(float)
    for quote, facts in sorted(facts_by_quote.items()):
        name_words = own_name_words.union(*(_list_words_of_names(fact.other_name) for fact in facts))
        vote_by_word: dict[str, float] = {}
        for noun_group in find_noun_groups(quote):
            for words_after, word in enumerate(reversed(noun_group)):
                if word not in name_words and (words_after == 0 or usage.is_topic(word)):
                    vote_by_word[word] = max(
                        vote_by_word.get(word, 0.0), OTHER_WORD_VOTE if words_after else HEAD_WORD_VOTE
                    )
        for word in _list_words_of_definition(quote, own_name_words):
            if word in vote_by_word:
                vote_by_word[word] = DEFINITION_VOTE
        for word, vote in vote_by_word.items():
            weight_by_topic[word] += vote
    return weight_by_topic


def find_noun_groups(quote: str) -> Iterator[list[str]]:
    """Yield the noun groups of a sentence, with their adjectives, as tags: lower case, singular."""
    tokens = _TOKEN_PATTERN.findall(quote)
    noun_group: list[str] = []
    token_before_group = ""
    for index, token in enumerate([*tokens, "."]):
        next_token = tokens[index + 1] if index + 1 < len(tokens) else "."
        if _belongs_to_group(
            token, next_token, is_first_of_group=not noun_group, token_before=token_before_group
        ):
            noun_group.append(_singularise(token) if token.islower() else token.casefold())
            continue
        if noun_group:
            yield noun_group
            noun_group = []
        token_before_group = token
    if noun_group:
        yield noun_group


def _belongs_to_group(token: str, next_token: str, *, is_first_of_group: bool, token_before: str) -> bool:
    word = token.casefold()
    if token != word and len(word) >= MIN_WORD_LENGTH:
        return bool(_ACRONYM_PATTERN.fullmatch(token)) or (word in TECHNOLOGIES and word.isalnum())
    if not _may_word_be_topic(word):
        return False
    if word.endswith("ing") and word not in KIND_OF:
        # "indexing of", "query processing", but "is using" and "providing the".
        return token_before.casefold() not in _FORMS_OF_BE and not _is_opening_of_object(next_token)
    if not word.endswith("s") or word.endswith("ss"):
        return not (is_first_of_group and token_before.casefold() in _WORDS_BEFORE_BASE_FORM)
    is_verb_form = is_first_of_group and (
        token_before.casefold() in _WORDS_BEFORE_VERB_FORM or _is_name(token_before)
    )
    return word in KIND_OF or not (is_verb_form or _is_opening_of_object(next_token))


def _may_word_be_topic(word: str) -> bool:
    """Return whether a lower-case word is not by itself a verb, adverb, adjective or stop word."""
    if (
        len(word) < MIN_WORD_LENGTH
        or not word[0].isalpha()
        or word in _NON_TAG_WORDS
        or _singularise(word) in _NON_TOPIC_NOUNS
    ):
        return False
    return word in KIND_OF or not word.endswith(("ly", "n't", "'s", "’s", "ed", *_ADJECTIVE_ENDINGS))


def _is_opening_of_object(token: str) -> bool:
    return token.casefold() in _DETERMINERS or token[:1].isdigit() or _is_name(token)


def _is_name(token: str) -> bool:
    return token[:1].isupper() and token.casefold() not in INSIGNIFICANT_WORDS


def _list_words_of_definition(quote: str, own_name_words: frozenset[str]) -> list[str]:
    """Return the words between the verb and the end of the noun group in "Ingres is a relational database
    that …".
    """
    tokens = _TOKEN_PATTERN.findall(quote)
    for index, token in enumerate(tokens[1:], 1):
        if token in _FORMS_OF_BE and tokens[index - 1].casefold() in own_name_words:
            definition_words: list[str] = []
            for following_token in tokens[index + 1 :]:
                word = following_token.casefold()
                if definition_words and (
                    word in PREPOSITIONS or word in RELATIVE_PRONOUNS or not following_token[0].isalpha()
                ):
                    return definition_words
                definition_words.append(_singularise(word))
            return definition_words
    return []


def _singularise(word: str) -> str:
    if len(word) < 4 or word.endswith(("ss", "us", "is", "ics", "series", "news")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]


def _list_words_of_names(*names: str) -> frozenset[str]:
    words = (token.casefold() for name in names for token in _TOKEN_PATTERN.findall(name))
    return frozenset(form for word in words for form in (word, _singularise(word)))
