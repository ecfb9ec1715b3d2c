"""Find sentences that say of another thing what a question asks of one, by comparing grammatical roles; pure.

"Carl Scheele discovered oxygen in 1773" does not answer when Martin Luther discovered it, even if its passage
mentions both. Only a name in the same role of the same verb is another thing: a pronoun or "the chemist" may
refer to the asked one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.answers.asked_names import AskedName
from app.answers.clause_support import CORE_ROLES, ParsedSentence, parse_question, parse_sentences
from app.answers.text_matching import fold_to_spaced_lower_case
from app.documents.language import guess_language
from app.domain.scoring.keywords import list_stems
from app.extraction.reader.languages import load_parser
from app.graph.name_forms import is_interrogative

_RELATIONS_BESIDE_NAMES = frozenset(("compound", "flat", "appos"))
"""Relations under which a name belongs to its head: "the Plowshares organization"."""
_ARTICLE_RELATIONS = frozenset(("det",))
_POSSESSOR_RELATIONS = frozenset(("nmod:poss",))
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
    verb_forms: frozenset[str]
    name_words: frozenset[str]
    asked_noun_forms: frozenset[str]


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

    def flag_sentences_about_others(self, sentences: Sequence[str]) -> list[bool]:
        """Return for each sentence, the likeliest answers first, whether it says what is asked of other
        things only.

        After the first `MIN_PARSED_SENTENCES`, only sentences with a word of the question's verbs in the same
        spelling are parsed.
        """
        are_about_others = [False] * len(sentences)
        verb_forms = frozenset[str]().union(*(asked_role.verb_forms for asked_role in self._asked_roles))
        parsed_indices = [
            index
            for index, sentence in enumerate(sentences)
            if verb_forms
            and (index < MIN_PARSED_SENTENCES or not verb_forms.isdisjoint(list_stems(sentence)))
        ]
        pipeline = load_parser(self._language) if self._language and parsed_indices else None
        if pipeline is not None:
            parsed_sentences = parse_sentences([sentences[index] for index in parsed_indices], pipeline)
            for index, parsed_sentence in zip(parsed_indices, parsed_sentences, strict=True):
                are_about_others[index] = any(
                    _does_verb_have_only_other_names_in_role(parsed_sentence, asked_role)
                    for asked_role in self._asked_roles
                )
        return are_about_others


def _find_asked_role(parsed_question: ParsedSentence, asked_name: AskedName) -> _AskedRole | None:
    """Return the role of a thing in a question; None if it is neither subject nor object of a verb."""
    end = asked_name.start + len(asked_name.surface)
    name_indices = [
        word_index
        for word_index, (range_start, range_end) in enumerate(parsed_question.ranges)
        if range_start < end and range_end > asked_name.start
    ]
    heads, relations = parsed_question.parse.heads, parsed_question.parse.relations
    # Of "Civil Disobedience organization" each word of the name hangs on what it names.
    head_index = next(
        (
            word_index
            for word_index in reversed(name_indices)
            if heads[word_index] not in name_indices or heads[word_index] == word_index
        ),
        None,
    )
    while (
        head_index is not None
        and relations[head_index] in _RELATIONS_BESIDE_NAMES
        and heads[head_index] != head_index
    ):
        head_index = heads[head_index]
    if (
        head_index is None
        or parsed_question.get_syntactic_role(head_index) not in CORE_ROLES
        or heads[head_index] == head_index
    ):
        return None
    verb_index = heads[head_index]
    if parsed_question.parse.upos[verb_index] != "VERB":
        return None
    name_words = frozenset(
        word
        for form in asked_name.forms
        for word in fold_to_spaced_lower_case(form).split()
        if len(word) >= _MIN_WORD_LENGTH
    )
    asked_noun_forms = frozenset[str]().union(
        *(
            parsed_question.forms[word_index]
            for word_index in range(len(parsed_question.words))
            if _does_noun_have_interrogative(parsed_question, word_index)
        )
    )
    return _AskedRole(
        parsed_question.get_syntactic_role(head_index),
        parsed_question.forms[verb_index],
        name_words,
        asked_noun_forms,
    )


def _does_noun_have_interrogative(parsed_question: ParsedSentence, word_index: int) -> bool:
    """Return whether a word is a noun with an interrogative as its dependent or before it: "which medal"."""
    return parsed_question.parse.upos[word_index] == "NOUN" and any(
        (head_index == word_index != index or index == word_index - 1)
        and is_interrogative(parsed_question.words[index])
        for index, head_index in enumerate(parsed_question.parse.heads)
    )


def _does_verb_have_only_other_names_in_role(parsed_sentence: ParsedSentence, asked_role: _AskedRole) -> bool:
    """Return whether the verb occurs in the sentence, always with another name in the thing's role."""
    indices_in_role = [
        word_index
        for word_index, head_index in enumerate(parsed_sentence.parse.heads)
        if word_index != head_index and parsed_sentence.get_syntactic_role(word_index) == asked_role.role
    ]
    indices_under_verb = [
        word_index
        for word_index in indices_in_role
        if not asked_role.verb_forms.isdisjoint(
            parsed_sentence.forms[parsed_sentence.parse.heads[word_index]]
        )
        # "The medal Lyell" is what is asked for.
        and asked_role.asked_noun_forms.isdisjoint(parsed_sentence.forms[word_index])
    ]
    return (
        bool(indices_under_verb)
        and all(
            _is_name_without_article_or_apposed_to_one(parsed_sentence, word_index)
            for word_index in indices_under_verb
        )
        and not any(
            _does_word_or_dependent_belong_to_names(parsed_sentence, word_index, asked_role.name_words)
            for word_index in indices_in_role
        )
    )


def _is_name_without_article_or_apposed_to_one(parsed_sentence: ParsedSentence, word_index: int) -> bool:
    """Return whether a word is a name without an article, or has one as apposition: "the Queen" may be the
    asked thing.
    """
    upos = parsed_sentence.parse.upos
    if upos[word_index] == "PROPN":
        return not parsed_sentence.list_dependents(word_index, _ARTICLE_RELATIONS)
    return any(
        upos[dependent_index] == "PROPN"
        for dependent_index in parsed_sentence.list_dependents(word_index, _RELATIONS_BESIDE_NAMES)
    )


def _does_word_or_dependent_belong_to_names(
    parsed_sentence: ParsedSentence, word_index: int, name_words: Collection[str]
) -> bool:
    """Return whether a word or its dependents contain a word of a name, or its short form. Possessors do not
    count: "Globex's rival Initech" is not Globex.
    """
    possessor_indices = {
        dependent_index
        for possessor_index in parsed_sentence.list_dependents(word_index, _POSSESSOR_RELATIONS)
        for dependent_index in parsed_sentence.list_descendants(possessor_index)
    }
    words = [
        parsed_sentence.words[dependent_index]
        for dependent_index in parsed_sentence.list_descendants(word_index)
        if dependent_index not in possessor_indices
    ]
    folded_text = fold_to_spaced_lower_case(" ".join(words))
    initials = "".join(word[0] for word in words if word[0].isupper()).casefold()
    return any(name_word in folded_text or name_word == initials for name_word in name_words)
