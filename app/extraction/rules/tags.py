"""The tags that a node's place in the graph suggests, by rules: topics, not verbs (requirement 11.1).
Pure.

A topic is a word that heads a group of nouns, or stands in one, in the sentences that state the node's
facts. It counts by how many of these say it and how few others of the space do (tf-idf).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from math import log

from app.domain.scoring.keywords import SAYS_NOTHING
from app.domain.scoring.stop_words import word_set
from app.extraction.rules.english.grammar import PREPOSITIONS, RELATIVE
from app.extraction.rules.english.lexicon import (
    DEMONYMS,
    GIVEN_NAMES,
    KIND_OF,
    PERSON_VERBS,
    SUBJECT_VERBS,
    TECHNOLOGIES,
)
from app.extraction.rules.english.pairs import ROLE_OF
from app.extraction.rules.english.phrase_patterns import NOMINAL, TRIE
from app.graph.names import MONTHS_AND_DAYS
from app.graph.tags.suggestions import Said, TagFact, TagMaterial
from app.graph.tags.words import normalise_tag

MOST_CANDIDATES = 24
"""Past the eight that a node may have: some will turn out to be the same tag."""
SHORTEST_WORD = 3
OF_HEADS, OF_OTHERS, OF_DEFINITIONS = 1.0, 0.6, 1.5
"""A sentence's votes for the last word of a group of nouns, for another of the group,
for what it says the node is."""
OF_NEIGHBOURS_TAGS = 3.0
"""The votes for a tag that all neighbours have:
as a word that all sentences say and a twentieth of the space's."""
OF_TYPE = 0.5
"""The votes for the node's own type, beside a topic that one sentence says."""
OF_RARE = 0.5
"""A word of one sentence in the whole space is a detail more often than a topic."""
RARE_TYPE = log(5)
"""A neighbour's type says nothing where more than every fifth end of the space's facts is of it."""

_TOKEN = re.compile(r"[^\W\d_][\w'’+#-]*|[^\w\s]|\d\S*")
_ACRONYM = re.compile(r"[A-Z]{2,5}s?")
# What stands before a verb: who does it, or what makes it one.
_BEFORE_FORMS = RELATIVE | word_set("it he she")
_BEFORE_STEMS = word_set("they we you i to can could will would may might must should not n't")
_DETERMINERS = word_set(
    "the a an its his her their this these that those one two three some several many all each every any no"
)
_BE = word_set("is was are were be been being became becomes remains remained")
_IRREGULAR = word_set("""
    ran began came went grew kept left made said saw set sat spent stood told understood thought taught
    brought
    bought caught chose drew fell felt found gave got held knew lay lent lost meant met paid put read rose
    sent
    shut sold sought spoke stole swore threw tore won wore wrote become begin come go grow keep leave make
    say see
    ride rode ridden run take took taken give given
""")
# Nouns that say nothing of what something is about.
_PLAIN = word_set("""
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
    frozenset(word for word in TRIE if word not in NOMINAL and word not in KIND_OF)
    | SUBJECT_VERBS
    | PERSON_VERBS
    | _IRREGULAR
)
_NEVER = (
    SAYS_NOTHING
    | _VERBS
    | _PLAIN
    | PREPOSITIONS
    | MONTHS_AND_DAYS
    | DEMONYMS
    | GIVEN_NAMES
    | frozenset(ROLE_OF)
)
_ADJECTIVES = ("ous", "ful", "ive", "able", "ible", "less", "est", "ish", "ian")


class Usage:
    """How common words and types are in a space, by a sample of its facts."""

    def __init__(self, sample: Iterable[Said]) -> None:
        facts = list(sample)
        quotes = {fact.quote for fact in facts if fact.quote}
        self._types = Counter(
            normalise_tag(node_type) for fact in facts for node_type in (fact.from_type, fact.to_type)
        )
        self._heads: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        self._quotes = len(quotes)
        for quote in quotes:
            groups = list(find_noun_groups(quote))
            self._heads.update({group[-1] for group in groups})
            self._words.update({word for group in groups for word in group})

    def is_topic(self, word: str) -> bool:
        """Return whether a word before the last of its group is a noun elsewhere,
        or looks like what belongs to one."""
        return self._heads[word] > 0 or word in KIND_OF or word.endswith(("al", "ic"))

    def rarity(self, word: str) -> float:
        """How much it tells that a sentence has the word, 0 and more."""
        count = self._words[word]
        return log(1 + self._quotes / max(count, 1)) * (1.0 if count > 1 else OF_RARE)

    def rarity_of_type(self, node_type: str) -> float:
        """How much it tells that an end of a fact is of the type, 0 and more."""
        return log((self._types.total() + 1) / (self._types[node_type] + 1))


def list_tag_candidates(material: TagMaterial, usage: Usage) -> list[str]:
    """At most 24 tags by relevance, the same for the same material in whatever order its facts come.

    Words of the node's names and of a fact's other end say nothing about either, and relation verbs are
    no topics. Of equals the alphabetically first goes before; where there is no topic the node's type
    remains.
    """
    scores: dict[str, float] = defaultdict(float)
    for word, weight in _weigh_topics(material, usage).items():
        scores[word] += weight * usage.rarity(word)
    share = 1 / max(1, len(material.facts))
    for fact in material.facts:
        for tag in fact.other_tags:
            scores[tag] += OF_NEIGHBOURS_TAGS * share
        kind = normalise_tag(fact.other_type)
        if usage.rarity_of_type(kind) >= RARE_TYPE:
            scores[kind] += share * usage.rarity_of_type(kind)
    own_type = normalise_tag(material.node_type)
    scores[own_type] += OF_TYPE * usage.rarity_of_type(own_type)
    scores.pop("", None)
    for word in _words_of_names(material.canonical_name, *material.aliases):
        scores.pop(word, None)
    # Rounded: sums of shares in another order differ in their last digit.
    ordered = sorted(scores, key=lambda word: (-round(scores[word], 9), word))
    return ordered[:MOST_CANDIDATES] or [own_type]


def _weigh_topics(material: TagMaterial, usage: Usage) -> dict[str, float]:
    """How much each topic is said of the node, each sentence once."""
    own_names = _words_of_names(material.canonical_name, *material.aliases)
    by_quote: dict[str, list[TagFact]] = defaultdict(list)
    for fact in material.facts:
        if fact.quote:
            by_quote[fact.quote].append(fact)
    weights: dict[str, float] = defaultdict(float)
    for quote, facts in sorted(by_quote.items()):
        names = own_names.union(*(_words_of_names(fact.other_name) for fact in facts))
        topic_weights: dict[str, float] = {}
        for group in find_noun_groups(quote):
            for distance, word in enumerate(reversed(group)):
                if word not in names and (distance == 0 or usage.is_topic(word)):
                    topic_weights[word] = max(
                        topic_weights.get(word, 0.0), OF_OTHERS if distance else OF_HEADS
                    )
        for word in _list_words_of_definition(quote, own_names):
            if word in topic_weights:
                topic_weights[word] = OF_DEFINITIONS
        for word, weight in topic_weights.items():
            weights[word] += weight
    return weights


def find_noun_groups(quote: str) -> Iterator[list[str]]:
    """The groups of nouns of a sentence, with the adjectives in them, as tags: lower case,
    in the singular."""
    tokens = _TOKEN.findall(quote)
    group: list[str] = []
    opened = ""
    for index, token in enumerate([*tokens, "."]):
        after = tokens[index + 1] if index + 1 < len(tokens) else "."
        if _belongs_to_group(token, after, first=not group, before=opened):
            group.append(_singular_form(token) if token.islower() else token.casefold())
            continue
        if group:
            yield group
            group = []
        opened = token
    if group:
        yield group


def _belongs_to_group(token: str, after: str, *, first: bool, before: str) -> bool:
    word = token.casefold()
    if token != word and len(word) >= SHORTEST_WORD:
        return bool(_ACRONYM.fullmatch(token)) or (word in TECHNOLOGIES and word.isalnum())
    if not _may_be_a_topic(word):
        return False
    if word.endswith("ing") and word not in KIND_OF:
        # "indexing of", "query processing", but "is using" and "providing the".
        return before.casefold() not in _BE and not _is_opening_of_object(after)
    if not word.endswith("s") or word.endswith("ss"):
        return not (first and before.casefold() in _BEFORE_STEMS)
    verb = first and (before.casefold() in _BEFORE_FORMS or _is_name(before))
    return word in KIND_OF or not (verb or _is_opening_of_object(after))


def _may_be_a_topic(word: str) -> bool:
    """Return whether a word of lower case is by itself no verb, adverb,
    adjective or word that says nothing."""
    if len(word) < SHORTEST_WORD or not word[0].isalpha() or word in _NEVER or _singular_form(word) in _PLAIN:
        return False
    return word in KIND_OF or not word.endswith(("ly", "n't", "'s", "’s", "ed", *_ADJECTIVES))


def _is_opening_of_object(token: str) -> bool:
    return token.casefold() in _DETERMINERS or token[:1].isdigit() or _is_name(token)


def _is_name(token: str) -> bool:
    return token[:1].isupper() and token.casefold() not in SAYS_NOTHING


def _list_words_of_definition(quote: str, own_names: frozenset[str]) -> list[str]:
    """Of "Ingres is a relational database that …" the words between the verb and what ends the group."""
    tokens = _TOKEN.findall(quote)
    for index, token in enumerate(tokens[1:], 1):
        if token in _BE and tokens[index - 1].casefold() in own_names:
            words: list[str] = []
            for following_token in tokens[index + 1 :]:
                word = following_token.casefold()
                if words and (word in PREPOSITIONS or word in RELATIVE or not following_token[0].isalpha()):
                    return words
                words.append(_singular_form(word))
            return words
    return []


def _singular_form(word: str) -> str:
    if len(word) < 4 or word.endswith(("ss", "us", "is", "ics", "series", "news")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]


def _words_of_names(*names: str) -> frozenset[str]:
    words = (token.casefold() for name in names for token in _TOKEN.findall(name))
    return frozenset(form for word in words for form in (word, _singular_form(word)))
