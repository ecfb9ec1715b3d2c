"""Decide which sentences may be about the things that a question names, so that no other thing's fact
answers; pure.

A source mentions a thing if it contains the name in some form, if its title is a shorter form of the name, or
if a sentence about the thing mentions the source's title or a name in it: the second step of a question.
Pronouns and "the company" refer to names in the passage or the document, so these are searched, not the
sentence alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from app.answers.clause_support import ParsedSentence, parse_question, parse_sentence
from app.answers.shapes import Source
from app.answers.text_matching import does_one_text_have_all_words_of_name, fold_to_spaced_lower_case
from app.documents.language import guess_language
from app.documents.sentences import split_passage_cached
from app.graph.name_forms import inflects_names, is_conjunction, is_interrogative, list_possible_base_forms
from app.graph.names import normalise_name
from app.graph.questions import (
    IN_PARENTHESES,
    Mention,
    capitalises_nouns,
    does_name_continue_after,
    find_capitalised_names_in_question,
    remove_parenthesised_qualifiers,
    strip_titles,
)
from app.retrieval.shapes import RetrievalResult

_MIN_TITLE_WORDS = 2
"""Minimum number of words of a title that is a shorter form of a name: "Igor Grabar" for "Igor Emmanuilovich
Grabar".
"""
_DESCRIBING_RELATIONS = frozenset(("acl", "acl:relcl", "nmod", "nmod:poss"))
_NOUN_TAGS = frozenset(("NOUN", "PROPN"))
_SUBJECT_RELATIONS = frozenset(("nsubj", "nsubj:pass"))
_POSSESSIVE = re.compile(r"['’]s\s+")
_MIN_NAME_LENGTH = 4
"""Minimum length of a name that links one document to another."""


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name in the question, its position, and the forms in which a source may write it.

    Things that are asked about alike ("Is Kestrel or Merlin older?") have the same `group`. `described_noun`
    is the word of the question that the name only describes ("the person who made Kestrel"): another sentence
    than the answer says what that is. None if the question is about the named thing itself.
    """

    surface: str
    start: int
    forms: tuple[str, ...]
    group: int
    described_noun: int | None = None

    def is_mentioned(self, texts: Sequence[str], titles: Sequence[str]) -> bool:
        """Return whether a folded text or title contains a form of the name, or a title is a shorter form of
        it.
        """
        return any(
            does_one_text_have_all_words_of_name(form, [*texts, *titles]) for form in self.forms
        ) or any(
            len(words := title.split()) >= _MIN_TITLE_WORDS
            and set(words) <= set(fold_to_spaced_lower_case(self.surface).split())
            for title in titles
        )


def list_asked_names(retrieval: RetrievalResult) -> list[AskedName]:
    """Return the things that a question names, in order. A name that only describes another ("the American
    politician") is none. Return [] in a script without capitals.
    """
    question = retrieval.query.text
    mentions = _merge_parts_of_known_names(
        remove_parenthesised_qualifiers(_list_question_names(question), question), retrieval
    )
    language = guess_language(question) if mentions else None
    parsed_question = parse_question(question, language)
    adjective_positions = _list_adjective_positions(parsed_question)
    groups = [0]
    for previous_mention, mention in pairwise(mentions):
        is_joined = _joins_both_names(question[previous_mention.end : mention.start]) or (
            parsed_question is not None
            and _are_nouns_of_names_joined(parsed_question, previous_mention, mention)
        )
        groups.append(groups[-1] + (not is_joined))
    return [
        AskedName(
            mention.surface,
            mention.start,
            _list_name_forms(mention, retrieval, language),
            group,
            None if parsed_question is None else _find_noun_that_name_describes(parsed_question, mention),
        )
        for mention, group in zip(mentions, groups, strict=False)
        if not adjective_positions.issuperset(range(mention.start, mention.end))
    ]


def _list_question_names(question: str) -> list[Mention]:
    """Return the names in the question. In languages that capitalise all nouns, only those of several
    adjacent words.
    """
    mentions = find_capitalised_names_in_question(question)
    if not capitalises_nouns(question):
        return mentions
    runs: list[list[Mention]] = []
    for mention in mentions:
        if runs and question[runs[-1][-1].end : mention.start] == " ":
            runs[-1].append(mention)
        else:
            runs.append([mention])
    return [
        Mention(
            " ".join(mention.normalised_name for mention in run),
            question[run[0].start : run[-1].end],
            run[0].start,
            run[-1].end,
        )
        for run in runs
        if len(run) > 1
    ]


def _merge_parts_of_known_names(mentions: Sequence[Mention], retrieval: RetrievalResult) -> list[Mention]:
    """Return the mentions, those within one name that the space knows as one: "Bastien und Bastienne"."""
    question = retrieval.query.text
    known_ranges = [
        match.span()
        for matched_name in dict.fromkeys(anchor.matched for anchor in retrieval.anchors)
        # An anchor found by meaning was matched by the whole question.
        if matched_name != question
        for match in re.finditer(rf"\b{re.escape(matched_name)}\b", question)
    ]
    merged_mentions: list[Mention] = []
    for mention in mentions:
        start, end = next(
            (
                (start, end)
                for start, end in known_ranges
                if merged_mentions and start <= merged_mentions[-1].start and mention.end <= end
            ),
            (mention.start, mention.end),
        )
        if start < mention.start:
            merged_mentions.pop()
            surface = question[start:end]
            mention = Mention(normalise_name(surface), surface, start, end)
        merged_mentions.append(mention)
    return merged_mentions


def _list_adjective_positions(parsed_question: ParsedSentence | None) -> frozenset[int]:
    """Return the positions of characters in adjectives; none if the language has no parser."""
    if parsed_question is None:
        return frozenset()
    return frozenset(
        position
        for (start, end), upos in zip(parsed_question.ranges, parsed_question.parse.upos, strict=True)
        if upos == "ADJ"
        for position in range(start, end)
    )


@lru_cache(maxsize=2_048)
def has_pronoun_subject(sentence: str) -> bool:
    """Return whether the subject of the main clause is a pronoun; False if the language has no parser."""
    parsed_sentence = parse_sentence(sentence, guess_language(sentence))
    if parsed_sentence is None:
        return False
    root_indices = [index for index, head in enumerate(parsed_sentence.parse.heads) if head == index]
    subject_indices = [
        subject_index
        for root_index in root_indices
        for subject_index in parsed_sentence.list_dependents(root_index, _SUBJECT_RELATIONS)
    ]
    return bool(subject_indices) and parsed_sentence.parse.upos[subject_indices[0]] == "PRON"


def _joins_both_names(separator_text: str) -> bool:
    """Return whether the text between two names joins them, so that both are asked about alike."""
    words = IN_PARENTHESES.sub(" ", separator_text).replace(",", " , ").split()
    joining_words = [word for word in words if word == "," or is_conjunction(word)]
    return bool(joining_words) and all(
        word in joining_words or does_name_continue_after(word) for word in words
    )


def _find_noun_that_name_describes(parsed_question: ParsedSentence, name: Mention) -> int | None:
    """Return the common noun that a name describes by a clause or as its possessor ("the person who made
    Kestrel", "the birthplace of Merlin") if that noun is not what is asked for itself; else None.
    """
    return next(
        (
            governor_index
            for word_index, governor_index in pairwise(
                _list_word_indices_from_name_to_root(parsed_question, name)
            )
            if parsed_question.parse.relations[word_index] in _DESCRIBING_RELATIONS
            and parsed_question.parse.upos[governor_index] == "NOUN"
            and not _is_noun_asked_for(parsed_question, governor_index)
        ),
        None,
    )


def _is_noun_asked_for(parsed_question: ParsedSentence, noun_index: int) -> bool:
    """Return whether a noun is the root of a question, or hangs on an interrogative or has one."""
    heads = parsed_question.parse.heads
    neighbor_indices = (
        heads[noun_index],
        *(word_index for word_index, head in enumerate(heads) if head == noun_index),
    )
    return heads[noun_index] == noun_index or any(
        is_interrogative(parsed_question.words[word_index]) for word_index in neighbor_indices
    )


def _are_nouns_of_names_joined(
    parsed_question: ParsedSentence, first_name: Mention, second_name: Mention
) -> bool:
    """Return whether nouns that govern two names are joined, so that both are asked about alike: "the forming
    of Kestrel or the birth of Merlin".
    """
    heads, relations, upos = (
        parsed_question.parse.heads,
        parsed_question.parse.relations,
        parsed_question.parse.upos,
    )
    first_noun_indices, second_noun_indices = (
        list(
            takewhile(
                lambda word_index: upos[word_index] in _NOUN_TAGS,
                _list_word_indices_from_name_to_root(parsed_question, name),
            )
        )
        for name in (first_name, second_name)
    )
    return any(
        relations[word_index] == "conj" and heads[word_index] in first_noun_indices
        for word_index in second_noun_indices
    )


def _list_word_indices_from_name_to_root(parsed_question: ParsedSentence, name: Mention) -> list[int]:
    """Return the first word of a name and the words above it up to the root; [] if the parse lacks it."""
    first_word_indices = [
        word_index for word_index, (_, end) in enumerate(parsed_question.ranges) if end > name.start
    ][:1]
    return [
        word_index
        for first_index in first_word_indices
        for word_index in (first_index, *parsed_question.iterate_ancestors(first_index))
    ]


def _list_name_forms(mention: Mention, retrieval: RetrievalResult, language: str | None) -> tuple[str, ...]:
    """Return the forms of a name: as written, without titles, without a first word at the beginning of the
    question, and as the node that it was resolved to.

    If the language inflects names, each word is a form as well, also in its base form: nothing shows where
    one name ends and the next begins ("der Plan Goldensons").
    """
    untitled_name = strip_titles(mention).surface
    forms = [mention.surface, untitled_name]
    _, space, rest_of_name = mention.surface.partition(" ")
    if space and not any(map(str.isalnum, retrieval.query.text[: mention.start])):
        forms.append(rest_of_name)
    forms += [
        anchor.node.canonical_name
        for anchor in retrieval.anchors
        if anchor.matched in (mention.surface, untitled_name)
    ]
    if inflects_names(language):
        words = [
            word
            for word in fold_to_spaced_lower_case(mention.surface).split()
            if len(word) >= _MIN_NAME_LENGTH
        ]
        forms += [
            form for word in words for form in (word, *sorted(list_possible_base_forms(word, language)))
        ]
    return tuple(dict.fromkeys(forms))


class _NamesOfDocument(NamedTuple):
    """Folded names in a sentence, and the title of its document."""

    document_title: str
    names: set[str]


class _LinkingNames(NamedTuple):
    """Folded names, and the last words of each: one, two, and so on up to the whole name."""

    names: frozenset[str]
    endings: frozenset[str]


class AskedNames:
    """The things that a question names, and which sources mention them."""

    def __init__(self, retrieval: RetrievalResult, sources: Sequence[Source]) -> None:
        self._folded_question = fold_to_spaced_lower_case(retrieval.query.text)
        self._sources = sources
        self._folded_texts = [fold_to_spaced_lower_case(source.text) for source in sources]
        self._folded_titles = [
            fold_to_spaced_lower_case(" ".join((source.document_title, *source.heading_path)))
            for source in sources
        ]
        self._not_mentioned_near_by_source_number: dict[int, list[AskedName]] = {}
        self._texts_by_mentioned_title: dict[str, list[str]] = {}
        self._is_linked_by_source_number: dict[int, bool] = {}
        self._names_in_sentences_by_asked_name: dict[AskedName, list[_NamesOfDocument]] = {}
        self._linking_names_by_asked_names_and_title: dict[
            tuple[tuple[AskedName, ...], str], _LinkingNames
        ] = {}
        self.names = list_asked_names(retrieval)

    @property
    def may_answer_take_two_sentences(self) -> bool:
        """Return whether the question names several things, or a name in it only describes the thing that it
        is about: then the answer may take two sentences.
        """
        return len(self.names) > 1 or any(asked_name.described_noun is not None for asked_name in self.names)

    @cached_property
    def unmentioned_names(self) -> list[AskedName]:
        """The things that no source mentions."""
        return [
            asked_name
            for asked_name in self.names
            if not asked_name.is_mentioned(self._folded_texts, self._folded_titles)
        ]

    def may_sentence_be_about_all_names(self, source: Source, sentence: str) -> bool:
        """Return whether a sentence of a source may be about all things that the question names.

        Of things that are asked about alike, one is enough if each is mentioned somewhere: two sentences
        compare them.
        """
        if not self.names:
            return True
        if source.number not in self._not_mentioned_near_by_source_number:
            self._not_mentioned_near_by_source_number[source.number] = self._list_names_not_mentioned_near(
                source
            )
        names_not_near = self._not_mentioned_near_by_source_number[source.number]
        if not names_not_near and self._precedes_all_mentions(source, sentence):
            names_not_near = self.names
        return not names_not_near or self._is_sentence_linked_by_other_document(
            source, sentence, names_not_near
        )

    def are_all_mentioned_by_passage_or_titles(self, source: Source) -> bool:
        """Return whether the passage of a source, or its titles, mention all things."""
        index = self._sources.index(source)
        return all(
            asked_name.is_mentioned([self._folded_texts[index]], [self._folded_titles[index]])
            for asked_name in self.names
        )

    def _list_names_not_mentioned_near(self, source: Source) -> list[AskedName]:
        """Return the things that are not mentioned near a source.

        A thing is mentioned near it if the passage or its titles mention it, or a text that names its
        document, or another passage of the document that also mentions a thing of the source. Return all
        things if neither the passage nor the texts that name its document mention any.
        """
        passage_texts, document_texts, titles = (
            [*self._list_texts_of_other_documents_mentioning(source.document_title)],
            [],
            [],
        )
        for other_source, text, title in zip(
            self._sources, self._folded_texts, self._folded_titles, strict=True
        ):
            if other_source.number == source.number:
                passage_texts.append(text)
                titles.append(title)
            elif other_source.document_title == source.document_title:
                document_texts.append(text)
        names_in_passage = [
            asked_name for asked_name in self.names if asked_name.is_mentioned(passage_texts, titles)
        ]
        if not names_in_passage:
            return self.names
        # A document has many subjects: two of its passages need not be about the same one.
        related_texts = [
            text
            for text in document_texts
            if any(asked_name.is_mentioned([text], ()) for asked_name in names_in_passage)
        ]
        mentioned_names = [
            asked_name
            for asked_name in self.names
            if asked_name.is_mentioned([*passage_texts, *related_texts], titles)
        ]
        return self._list_names_required_besides(mentioned_names)

    def _list_names_required_besides(self, mentioned_names: Sequence[AskedName]) -> list[AskedName]:
        """Return the things that have to be mentioned near a source too, besides these."""
        groups = {asked_name.group for asked_name in mentioned_names}
        described_nouns = {asked_name.described_noun for asked_name in mentioned_names}
        return [
            asked_name
            for asked_name in self.names
            if asked_name not in mentioned_names
            and (
                asked_name in self.unmentioned_names
                or (
                    asked_name.group not in groups
                    and (
                        asked_name.described_noun is None
                        or asked_name.described_noun in described_nouns
                        or not self._does_one_source_mention_all_names_describing(asked_name.described_noun)
                    )
                )
            )
        ]

    def _does_one_source_mention_all_names_describing(self, described_noun: int) -> bool:
        """Return whether one source mentions all things of a step."""
        names_of_noun = [
            asked_name for asked_name in self.names if asked_name.described_noun == described_noun
        ]
        return any(
            all(asked_name.is_mentioned([text], [title]) for asked_name in names_of_noun)
            for text, title in zip(self._folded_texts, self._folded_titles, strict=True)
        )

    def _list_texts_of_other_documents_mentioning(self, title: str) -> list[str]:
        """Return the texts of other documents that mention the title."""
        if title not in self._texts_by_mentioned_title:
            self._texts_by_mentioned_title[title] = [
                text
                for source, text in zip(self._sources, self._folded_texts, strict=True)
                if source.document_title != title and does_one_text_have_all_words_of_name(title, [text])
            ]
        return self._texts_by_mentioned_title[title]

    def _precedes_all_mentions(self, source: Source, sentence: str) -> bool:
        """Return whether the passage mentions no thing up to the end of the sentence: references point
        backwards.
        """
        if self._is_source_linked_to_asked_name(source):
            return False
        end = source.text.find(sentence) + len(sentence)
        texts = [fold_to_spaced_lower_case(source.text[:end])]
        return end >= len(sentence) and not any(
            asked_name.is_mentioned(texts, ()) for asked_name in self.names
        )

    def _is_source_linked_to_asked_name(self, source: Source) -> bool:
        """Return whether the titles of a source, or a text that mentions its document, mention a thing."""
        if source.number not in self._is_linked_by_source_number:
            texts = self._list_texts_of_other_documents_mentioning(source.document_title)
            titles = [self._folded_titles[self._sources.index(source)]]
            self._is_linked_by_source_number[source.number] = any(
                asked_name.is_mentioned(texts, titles) for asked_name in self.names
            )
        return self._is_linked_by_source_number[source.number]

    def _is_sentence_linked_by_other_document(
        self, source: Source, sentence: str, names_not_near: Sequence[AskedName]
    ) -> bool:
        """Return whether a sentence about one of these things in another document contains a name of this
        sentence or its title that the question does not have. Of two names one may be the end of the other:
        "Mozart" leads to "Wolfgang Amadeus Mozart".
        """
        linking_names, name_endings = self._list_linking_names_in_other_documents(
            tuple(names_not_near), source.document_title
        )
        if not linking_names:
            return False
        own_names = [
            fold_to_spaced_lower_case(name)
            for name in _find_long_capitalised_names(f"{source.document_title}. {sentence}")
            if not does_one_text_have_all_words_of_name(name, [self._folded_question])
        ]
        # "Mozart" ends "Wolfgang Amadeus Mozart"; "Amazon" begins "Amazon Redshift", another thing.
        return any(
            name in name_endings or not linking_names.isdisjoint(_list_word_suffixes_of_name(name))
            for name in own_names
        )

    def _list_linking_names_in_other_documents(
        self, asked_names: tuple[AskedName, ...], title: str
    ) -> _LinkingNames:
        """Return the names in sentences about things in documents with other titles."""
        if (asked_names, title) not in self._linking_names_by_asked_names_and_title:
            names = frozenset(
                name
                for asked_name in asked_names
                for other_title, names in self._list_names_in_sentences_about(asked_name)
                if other_title != title
                for name in names
            )
            endings = frozenset(ending for name in names for ending in _list_word_suffixes_of_name(name))
            self._linking_names_by_asked_names_and_title[asked_names, title] = _LinkingNames(names, endings)
        return self._linking_names_by_asked_names_and_title[asked_names, title]

    def _list_names_in_sentences_about(self, asked_name: AskedName) -> list[_NamesOfDocument]:
        """Return the names in sentences about a thing, an entry for each sentence."""
        if asked_name not in self._names_in_sentences_by_asked_name:
            self._names_in_sentences_by_asked_name[asked_name] = [
                _NamesOfDocument(
                    source.document_title,
                    set(map(fold_to_spaced_lower_case, _find_long_capitalised_names(text))),
                )
                for source, passage_text, title in zip(
                    self._sources, self._folded_texts, self._folded_titles, strict=True
                )
                # If the passage does not mention the thing, no sentence of it does.
                if asked_name.is_mentioned([passage_text], [title])
                for text in (source.text[start:end] for start, _, end in split_passage_cached(source.text))
                if asked_name.is_mentioned([fold_to_spaced_lower_case(text)], [title])
            ]
        return self._names_in_sentences_by_asked_name[asked_name]


def _list_word_suffixes_of_name(name: str) -> list[str]:
    """Return the last word of a folded name, the last two, and so on up to the whole name."""
    words = name.split()
    return [f" {' '.join(words[start:])} " for start in range(len(words))]


def _find_long_capitalised_names(text: str) -> set[str]:
    """Return the capitalised names of four letters or more, also one at the start of the text."""
    # `find_capitalised_names_in_question` skips a lone word at the very start; after the dash it is a name.
    return {
        name
        for mention in find_capitalised_names_in_question(f"- {text}")
        for name in _POSSESSIVE.split(mention.surface)
        if len(name) >= _MIN_NAME_LENGTH
    }
