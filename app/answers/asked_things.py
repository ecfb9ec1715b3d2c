"""Holds sentences against the things that a question names, so that no other thing's fact answers; pure.

A thing is spoken of where its name stands, in a form of it; where a title is a shorter form of its name; or
where a sentence about it leads to another document by its title or by a name: the second step of a question.
A pronoun or "the company" means what its passage or document names: these are looked at, not the sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from app.answers.chooser.features import fold_text, has_all_words_of_name
from app.answers.shapes import Source
from app.answers.stated import ReadWords, read_one, read_question
from app.documents.language import guess_language
from app.documents.sentences import split_passage
from app.graph.name_forms import citation_forms, inflects_names, is_conjunction
from app.graph.questions import (
    Mention,
    capitalised_names,
    capitalises_nouns,
    name_continues_after,
    strip_titles,
)
from app.retrieval.shapes import Retrieved

_FEWEST_TITLE_WORDS = 2
"""Words from which a title is a name by itself: "Igor Grabar" of "Igor Emmanuilovich Grabar"."""
_SUBJECT_RELATIONS = frozenset(("nsubj", "nsubj:pass"))
_SHORTEST_LINK = 4
"""Characters of a name that leads from one document to another."""


@dataclass(frozen=True, slots=True)
class AskedThing:
    """A name of the question as written, where it begins, and the forms in which a source may write it.

    Things asked about side by side ("Is Kestrel or Merlin older?") have one `group`.
    """

    surface: str
    start: int
    forms: tuple[str, ...]
    group: int

    def is_spoken_of(self, texts: Sequence[str], titles: Sequence[str]) -> bool:
        """Return whether a folded text or title has a form of the name, or a title is a shorter form."""
        return any(has_all_words_of_name(form, [*texts, *titles]) for form in self.forms) or any(
            len(words := title.split()) >= _FEWEST_TITLE_WORDS
            and set(words) <= set(fold_text(self.surface).split())
            for title in titles
        )


def list_asked_things(retrieved: Retrieved) -> list[AskedThing]:
    """The things that a question names in writing, in its order; what only describes another names none
    ("the American politician"). None in a script without capitals.
    """
    question = retrieved.query.text
    mentions = _list_written_things(question)
    language = guess_language(question) if mentions else None
    described = _list_adjective_positions(read_question(question, language))
    groups = [0]
    for before, mention in pairwise(mentions):
        groups.append(groups[-1] + (not _joins_both_names(question[before.end : mention.start])))
    return [
        AskedThing(mention.surface, mention.start, _list_name_forms(mention, retrieved, language), group)
        for mention, group in zip(mentions, groups, strict=False)
        if not described.issuperset(range(mention.start, mention.end))
    ]


def _list_written_things(question: str) -> list[Mention]:
    """The written names; where all nouns are in capitals those of several words side by side alone."""
    mentions = capitalised_names(question)
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
            " ".join(part.normalised for part in run),
            question[run[0].start : run[-1].end],
            run[0].start,
            run[-1].end,
        )
        for run in runs
        if len(run) > 1
    ]


def _list_adjective_positions(question: ReadWords | None) -> frozenset[int]:
    """The positions of a question that stand in adjectives, where its language is read."""
    if question is None:
        return frozenset()
    return frozenset(
        position
        for (start, end), upos in zip(question.ranges, question.parse.upos, strict=True)
        if upos == "ADJ"
        for position in range(start, end)
    )


@lru_cache(maxsize=2_048)
def has_pronoun_subject(sentence: str) -> bool:
    """Return whether the subject of a sentence's main clause is a pronoun, where its language is read."""
    read = read_one(sentence, guess_language(sentence))
    if read is None:
        return False
    roots = [word for word, head in enumerate(read.parse.heads) if head == word]
    subjects = [subject for root in roots for subject in read.dependents(root, _SUBJECT_RELATIONS)]
    return bool(subjects) and read.parse.upos[subjects[0]] == "PRON"


def _joins_both_names(between: str) -> bool:
    """Return whether what stands between two names says that both are asked about alike."""
    words = between.replace(",", " , ").split()
    joining = [word for word in words if word == "," or is_conjunction(word)]
    return bool(joining) and all(word in joining or name_continues_after(word) for word in words)


def _list_name_forms(mention: Mention, retrieved: Retrieved, language: str | None) -> tuple[str, ...]:
    """The name, without titles, without a first word that is in capitals anyhow, and as what it was read.

    In a language of Latin script that inflects names each word of it as well, as it may be listed: nothing
    tells where one name ends and another begins ("der Plan Goldensons").
    """
    plain = strip_titles(mention).surface
    forms = [mention.surface, plain]
    _, blank, behind = mention.surface.partition(" ")
    if blank and not any(map(str.isalnum, retrieved.query.text[: mention.start])):
        forms.append(behind)
    forms += [
        anchor.node.canonical_name
        for anchor in retrieved.anchors
        if anchor.matched in (mention.surface, plain)
    ]
    if inflects_names(language):
        words = [word for word in fold_text(mention.surface).split() if len(word) >= _SHORTEST_LINK]
        forms += [form for word in words for form in (word, *sorted(citation_forms(word, language)))]
    return tuple(dict.fromkeys(forms))


class Subjects:
    """The things that a question names, held against the sources at hand."""

    def __init__(self, retrieved: Retrieved, sources: Sequence[Source]) -> None:
        self._question = fold_text(retrieved.query.text)
        self._sources = sources
        self._texts = [fold_text(source.text) for source in sources]
        self._titles = [
            fold_text(" ".join((source.document_title, *source.heading_path))) for source in sources
        ]
        self._unspoken: dict[int, list[AskedThing]] = {}
        self._leading: dict[str, list[str]] = {}
        self._led_by_title: dict[int, bool] = {}
        self._beside: dict[AskedThing, list[tuple[str, set[str]]]] = {}
        self.things = list_asked_things(retrieved)

    @cached_property
    def nowhere(self) -> list[AskedThing]:
        """The things of which no source speaks."""
        return [thing for thing in self.things if not thing.is_spoken_of(self._texts, self._titles)]

    def may_answer(self, source: Source, sentence: str) -> bool:
        """Return whether a sentence of a source may be about all things that the question names.

        Of those asked about side by side one is enough, where some source speaks of each: two sentences
        compare them.
        """
        if not self.things:
            return True
        if source.number not in self._unspoken:
            self._unspoken[source.number] = self._list_things_unspoken_by(source)
        unspoken = self._unspoken[source.number]
        if not unspoken and self._comes_too_early(source, sentence):
            unspoken = self.things
        return not unspoken or self._is_led_to(source, sentence, unspoken)

    def are_all_spoken_of_by(self, source: Source) -> bool:
        """Return whether the passage of a source, or its titles, speak of all things that are named."""
        index = self._sources.index(source)
        return all(thing.is_spoken_of([self._texts[index]], [self._titles[index]]) for thing in self.things)

    def _list_things_unspoken_by(self, source: Source) -> list[AskedThing]:
        """The things of which neither the passage of a source speaks, nor a source that names its title, nor
        another passage of its document that speaks of one of them too, as far as it is among the sources; all
        where the passage itself and those that name its title speak of none.
        """
        passage, document, titles = [*self._list_texts_leading_to(source.document_title)], [], []
        for other, text, title in zip(self._sources, self._texts, self._titles, strict=True):
            if other.number == source.number:
                passage.append(text)
                titles.append(title)
            elif other.document_title == source.document_title:
                document.append(text)
        here = [thing for thing in self.things if thing.is_spoken_of(passage, titles)]
        if not here:
            return self.things
        # A document speaks of many: what stands in two passages alone has nothing to do with each other yet.
        beside = [text for text in document if any(thing.is_spoken_of([text], ()) for thing in here)]
        spoken = [thing for thing in self.things if thing.is_spoken_of([*passage, *beside], titles)]
        groups = {thing.group for thing in spoken}
        return [
            thing
            for thing in self.things
            if thing not in spoken and (thing.group not in groups or thing in self.nowhere)
        ]

    def _list_texts_leading_to(self, title: str) -> list[str]:
        """The texts of other documents that name this title of one."""
        if title not in self._leading:
            self._leading[title] = [
                text
                for source, text in zip(self._sources, self._texts, strict=True)
                if source.document_title != title and has_all_words_of_name(title, [text])
            ]
        return self._leading[title]

    def _comes_too_early(self, source: Source, sentence: str) -> bool:
        """Return whether a passage speaks of none of the things before a sentence ends: words point back."""
        if self._is_led_to_by_title(source):
            return False
        end = source.text.find(sentence) + len(sentence)
        texts = [fold_text(source.text[:end])]
        return end >= len(sentence) and not any(thing.is_spoken_of(texts, ()) for thing in self.things)

    def _is_led_to_by_title(self, source: Source) -> bool:
        """Return whether the titles of a source, or a text that names its document, speak of a thing."""
        if source.number not in self._led_by_title:
            texts = self._list_texts_leading_to(source.document_title)
            titles = [self._titles[self._sources.index(source)]]
            self._led_by_title[source.number] = any(
                thing.is_spoken_of(texts, titles) for thing in self.things
            )
        return self._led_by_title[source.number]

    def _is_led_to(self, source: Source, sentence: str, unspoken: Sequence[AskedThing]) -> bool:
        """Return whether a sentence of another document, about one of these, has a name of this sentence or
        of its title that the question has not.
        """
        beside = [
            names
            for thing in unspoken
            for title, names in self._list_names_beside(thing)
            if names and title != source.document_title
        ]
        return bool(beside) and any(
            not has_all_words_of_name(name, [self._question])
            for name in _list_written_names(f"{source.document_title}. {sentence}")
            if any(name in names for names in beside)
        )

    def _list_names_beside(self, thing: AskedThing) -> list[tuple[str, set[str]]]:
        """The names that stand in sentences about a thing, by the titles of their documents."""
        if thing not in self._beside:
            self._beside[thing] = [
                (source.document_title, _list_written_names(text))
                for source, whole, title in zip(self._sources, self._texts, self._titles, strict=True)
                # Of what the passage does not speak no sentence of it does.
                if thing.is_spoken_of([whole], [title])
                for text in (source.text[start:end] for start, _, end in split_passage(source.text))
                if thing.is_spoken_of([fold_text(text)], [title])
            ]
        return self._beside[thing]


def _list_written_names(text: str) -> set[str]:
    """The names that a text writes; its first word too."""
    return {name.surface for name in capitalised_names(f"- {text}") if len(name.surface) >= _SHORTEST_LINK}
