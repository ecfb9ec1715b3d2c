"""Find sentences that say of another thing what a question asks of one, by comparing grammatical roles; pure.

"Carl Scheele discovered oxygen in 1773" does not answer when Martin Luther discovered it, even if its passage
mentions both. Only a name in the same role of the same verb is another thing: a pronoun or "the chemist" may
refer to the asked one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.answers.asked_names import AskedName
from app.answers.chooser.features import fold_text
from app.answers.clause_support import CORE_ROLES, ParsedSentence, parse_question, parse_sentences
from app.documents.language import guess_language
from app.domain.scoring.keywords import stems
from app.extraction.reader.languages import load_parser
from app.graph.name_forms import is_interrogative

_BESIDE_NAMES = frozenset(("compound", "flat", "appos"))
"""Relations under which a name belongs to its head: "the Plowshares organization"."""
_ARTICLES = frozenset(("det",))
_OWNERS = frozenset(("nmod:poss",))
_MIN_WORD_LENGTH = 3
MIN_PARSED_SENTENCES = 3
"""Number of the likeliest sentences that are always parsed: the verb may have another form than in the
question.
"""


@dataclass(frozen=True, slots=True)
class _AskedRole:
    """The role of a thing under a verb of the question, the forms of that verb, the words of the name, and
    the forms of nouns that the question asks for: "which medal".
    """

    role: str
    verb: frozenset[str]
    names: frozenset[str]
    asked_nouns: frozenset[str]


class AskedRoles:
    """The things of a question, each with its role under a verb: "Martin Luther" is the subject of
    "discover".
    """

    def __init__(self, question: str, asked_names: Sequence[AskedName]) -> None:
        self._language = guess_language(question) if asked_names else None
        parsed_question = parse_question(question, self._language)
        self._asked_roles = [
            asked_role
            for asked_name in asked_names
            if parsed_question is not None
            and (asked_role := _find_asked_role(parsed_question, asked_name)) is not None
        ]

    def find_sentences_about_others(self, sentences: Sequence[str]) -> list[bool]:
        """Return for each sentence, the likeliest answers first, whether it says what is asked of other
        things only.

        After the first `LEADING`, only sentences with a word of the question's verbs in the same spelling are
        parsed.
        """
        verdicts = [False] * len(sentences)
        verbs = frozenset[str]().union(*(asked_role.verb for asked_role in self._asked_roles))
        indices = [
            index
            for index, text in enumerate(sentences)
            if verbs and (index < MIN_PARSED_SENTENCES or not verbs.isdisjoint(stems(text)))
        ]
        pipeline = load_parser(self._language) if self._language and indices else None
        if pipeline is not None:
            parsed_sentences = parse_sentences([sentences[index] for index in indices], pipeline)
            for index, parsed_sentence in zip(indices, parsed_sentences, strict=True):
                verdicts[index] = any(
                    _is_role_of_other_name(parsed_sentence, asked_role) for asked_role in self._asked_roles
                )
        return verdicts


def _find_asked_role(question: ParsedSentence, asked_name: AskedName) -> _AskedRole | None:
    """Return the role of a thing in a question; None if it is neither subject nor object of a verb."""
    end = asked_name.start + len(asked_name.surface)
    words = [
        word
        for word, (range_start, range_end) in enumerate(question.ranges)
        if range_start < end and range_end > asked_name.start
    ]
    heads, relations = question.parse.heads, question.parse.relations
    # Of "Civil Disobedience organization" each word of the name hangs on what it names.
    head = next((word for word in reversed(words) if heads[word] not in words or heads[word] == word), None)
    while head is not None and relations[head] in _BESIDE_NAMES and heads[head] != head:
        head = heads[head]
    if head is None or question.get_role(head) not in CORE_ROLES or heads[head] == head:
        return None
    verb = heads[head]
    if question.parse.upos[verb] != "VERB":
        return None
    names = frozenset(
        word for form in asked_name.forms for word in fold_text(form).split() if len(word) >= _MIN_WORD_LENGTH
    )
    asked_nouns = frozenset[str]().union(
        *(question.forms[word] for word in range(len(question.words)) if _is_asked_noun(question, word))
    )
    return _AskedRole(question.get_role(head), question.forms[verb], names, asked_nouns)


def _is_asked_noun(question: ParsedSentence, word: int) -> bool:
    """Return whether a word is a noun with an interrogative as its dependent or before it: "which medal"."""
    return question.parse.upos[word] == "NOUN" and any(
        (head == word != index or index == word - 1) and is_interrogative(question.words[index])
        for index, head in enumerate(question.parse.heads)
    )


def _is_role_of_other_name(sentence: ParsedSentence, asked_role: _AskedRole) -> bool:
    """Return whether the verb occurs in the sentence, always with another name in the thing's role."""
    words_in_role = [
        word
        for word, head in enumerate(sentence.parse.heads)
        if word != head and sentence.get_role(word) == asked_role.role
    ]
    role_fillers = [
        word
        for word in words_in_role
        if not asked_role.verb.isdisjoint(sentence.forms[sentence.parse.heads[word]])
        # "The medal Lyell" is what is asked for.
        and asked_role.asked_nouns.isdisjoint(sentence.forms[word])
    ]
    return (
        bool(role_fillers)
        and all(_is_proper_name(sentence, word) for word in role_fillers)
        and not any(_is_word_of_names(sentence, word, asked_role.names) for word in words_in_role)
    )


def _is_proper_name(sentence: ParsedSentence, word: int) -> bool:
    """Return whether a word is a name without an article, or has one as apposition: "the Queen" may be the
    asked thing.
    """
    upos = sentence.parse.upos
    if upos[word] == "PROPN":
        return not sentence.list_dependents(word, _ARTICLES)
    return any(upos[dependent] == "PROPN" for dependent in sentence.list_dependents(word, _BESIDE_NAMES))


def _is_word_of_names(sentence: ParsedSentence, word: int, names: Collection[str]) -> bool:
    """Return whether a word or its dependents contain a word of a name, or its short form. Possessors do not
    count: "Globex's rival Initech" is not Globex.
    """
    owner_words = {
        dependent
        for owner in sentence.list_dependents(word, _OWNERS)
        for dependent in sentence.list_descendants(owner)
    }
    words = [
        sentence.words[dependent]
        for dependent in sentence.list_descendants(word)
        if dependent not in owner_words
    ]
    text = fold_text(" ".join(words))
    initials = "".join(word[0] for word in words if word[0].isupper()).casefold()
    return any(name in text or name == initials for name in names)
