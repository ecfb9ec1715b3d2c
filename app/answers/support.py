"""Checks that cited text says what a sentence says: words, numbers, dates, and yes or no; pure (10.2).

And why no quote of the sources would answer a question, where none would (10.3).

It reads words, not meaning: a sentence that passes may still be wrong, one that says another year, the
opposite, or something else altogether does not pass.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from app.answers.chooser.features import fold_text, has_all_words_of_name
from app.answers.extractive import ASKS_NOTHING
from app.answers.premises import join_quoted, reason_of_words_nothing_says
from app.answers.shapes import Source
from app.answers.stated import is_each_clause_stated, read_each
from app.answers.subjects import Subjects
from app.documents.language import guess_language
from app.documents.sentences import append_table_header, split_sentences, split_sentences_of_texts
from app.domain.scoring.keywords import asked_stem_of_related_stems, stems, stems_of
from app.domain.scoring.negation import is_negated
from app.domain.scoring.stop_words import PRONOUNS, word_set
from app.errors import CitegraphError
from app.extraction.reader.languages import load_parser
from app.graph.names import texts_naming_namesakes
from app.graph.questions import capitalised_names, capitalises_nouns, is_yes_no_question
from app.llm.errors import BudgetExhausted, ModelUnavailable, Parked
from app.retrieval.shapes import Retrieved

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Pipeline

LEAST_SHARE = 0.6
"""Share of a sentence's words that the cited text has to hold."""
SAME_SENTENCE = 0.5
"""Share of the words that the likest sentence has in common, from which another is about the same."""
_LIKEST = 6
"""Sentences of the sources that a sentence of an answer is held against."""
KNOWN_SHARE = 0.5
"""Share of the names in a question that some text of the space has to hold, and more."""
NAMED_SHARE = 0.6
"""Share of a name's words by which a source speaks of it."""
_SHORTEST_NAME = 5
# First words of a sentence that goes on about what the one before named.
_GOES_ON = PRONOUNS | {"the", "his", "her", "its", "their"}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(
    r"[,;:()–—]|\b(?:but|although|though|while|whereas|however|and|which|who"
    # "data that do not fit", and not "he denied that it fits".
    r"|that(?=\s+(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would)\b))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no(?!\.)|none|nobody|nothing|hardly|fail(?:s|ed)? to|refus(?:es|ed) to|den(?:y|ies|ied))\b",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\bnot (?:only|just|least)\b|\bno(?:t)? (?:doubt|later than)\b", re.IGNORECASE)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
# Words as often as months, unless a number stands beside them.
_ALSO_WORDS = word_set("may march")
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
_IN_WORDS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 2)}


def is_supported(text: str, cited: Sequence[Source]) -> bool | None:
    """Return whether the cited sources together state what the sentence says; None where nothing tells.

    They do where they have it word for word. Else they hold 60 % of its words, all its numbers and months;
    each of its clauses is as much denied or affirmed as the clause of theirs that is most like it; and, as
    the reader of the language reads both, says the same of the same things, as surely (`stated.states`).
    Nothing tells where they have it in other words, or in a language that is not read.
    """
    if not cited:
        return False
    sentences = [source.text[start:end] for source in cited for start, end in split_sentences(source.text)]
    plain = _fold_plain(text)
    if any(plain in _fold_plain(source.text) for source in cited) and _is_whole(plain, cited, sentences):
        return True
    pipeline = _find_common_pipeline(text, cited)
    if pipeline is None:
        return None
    said_words = frozenset(word for word in stems(text) if word.isalpha() and word not in _MONTHS)
    titles = [" ".join((source.document_title, *source.heading_path)) for source in cited]
    words = frozenset[str]().union(*map(stems, (*titles, *(source.text for source in cited))))
    if not (
        len(said_words & words) >= LEAST_SHARE * len(said_words)
        and _are_figures_stated(text, said_words, cited)
        and _agree(text, [source.text for source in cited])
    ):
        return False
    return _is_stated(text, said_words, sentences, titles, pipeline)


def _is_whole(plain: str, cited: Sequence[Source], sentences: Iterable[str]) -> bool:
    """Return whether a folded text is whole sentences, or a whole source: of a part the rest may deny it."""
    wholes = [_fold_plain(source.text) for source in cited]
    ends = tuple(map(_fold_plain, sentences))
    return plain in wholes or (plain.startswith(ends) and plain.endswith(ends))


def _find_common_pipeline(text: str, cited: Sequence[Source]) -> "Pipeline | None":
    """The reader of the language of a sentence and its sources; None where it is none of one language."""
    source_language = guess_language(" ".join(source.text for source in cited))
    text_language = guess_language(text, source_language)
    return (
        load_parser(text_language)
        if text_language is not None and text_language == (source_language or text_language)
        else None
    )


def _is_stated(
    text: str,
    said_words: Collection[str],
    sentences: Sequence[str],
    titles: Sequence[str],
    pipeline: "Pipeline",
) -> bool | None:
    """Return what `states` says of the sentences that are most like the text."""
    shared = [len(stems(sentence).intersection(said_words)) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda index: -shared[index])
    likest = [index for index in order if shared[index]][:_LIKEST]
    read = read_each([text, *(sentences[index] for index in likest)], pipeline)
    before = (sentences[index - 1] for index in likest if index)
    return is_each_clause_stated(read[0], read[1:], frozenset[str]().union(*map(stems, (*titles, *before))))


def _are_figures_stated(text: str, said_words: Collection[str], cited: Sequence[Source]) -> bool:
    """Return whether each number and month stands in a title, or in a sentence much like the text.

    Another year of another sentence is no proof: of the passages that were looked at, one in 25 had it.
    """
    claimed_figures = list_figures(text)
    if not claimed_figures:
        return True
    sentences = [source.text[start:end] for source in cited for start, end in split_sentences(source.text)]
    shared = [len(stems(sentence).intersection(said_words)) for sentence in sentences]
    least_shared = SAME_SENTENCE * max(shared, default=0)
    similar_sentences = [
        sentence for sentence, count in zip(sentences, shared, strict=True) if count and count >= least_shared
    ]
    titles = [" ".join((source.document_title, *source.heading_path)) for source in cited]
    return claimed_figures <= frozenset[str]().union(*map(list_figures, (*similar_sentences, *titles)))


def list_figures(text: str) -> frozenset[str]:
    """The numbers and months of a text, each in one form: "1,843" and "1843", "2 May" and "05-02"."""
    normalised: set[str] = set()

    def dated(date: re.Match[str]) -> str:
        normalised.update((date[1], _format_month(int(date[2])), str(int(date[3]))))
        return " "

    undated = _ISO_DATE.sub(dated, text)
    normalised.update(_format_number(match[0]) for match in _NUMBER.finditer(undated))
    for word in _WORD.finditer(undated):
        key = word[0].casefold()
        if key in _IN_WORDS:
            normalised.add(_IN_WORDS[key])
        elif key in _MONTHS and (
            key not in _ALSO_WORDS or _is_beside_number(undated, word.start(), word.end())
        ):
            normalised.add(_format_month(_MONTHS[key]))
    return frozenset(normalised)


def _format_month(number: int) -> str:
    return f"month {number}"


def _format_number(written: str) -> str:
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", written).replace(",", ".")
    return plain.lstrip("0") or "0"


def _is_beside_number(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 4) : start], text[end : end + 4]
    return re.search(r"\d\W*\Z", before) is not None or re.match(r"\W*\d", after) is not None


def _fold_plain(text: str) -> str:
    return " ".join(text.casefold().split())


def is_denial(clause: str) -> bool:
    """Return whether a clause says that something is not, or no more."""
    plain = _NOT_ONLY.sub(" ", clause)
    return is_negated(plain) or _NO.search(plain) is not None


def _agree(text: str, evidence: Iterable[str]) -> bool:
    """Return whether no clause of the text says the opposite of what the evidence says in the same words."""
    source_clauses = [
        (stems(clause), is_denial(clause))
        for source_text in evidence
        for start, end in split_sentences(source_text)
        for clause in _split_clauses(source_text[start:end])
    ]
    return all(_agrees(stems(clause), is_denial(clause), source_clauses) for clause in _split_clauses(text))


def _agrees(
    said_words: Collection[str], denied: bool, source_clauses: Sequence[tuple[frozenset[str], bool]]
) -> bool:
    if not said_words:
        return True
    shared = [len(words.intersection(said_words)) for words, _ in source_clauses]
    most = max(shared, default=0)
    if not most:
        return not denied
    return any(
        opposite == denied
        for count, (_, opposite) in zip(shared, source_clauses, strict=True)
        if count == most
    )


def _split_clauses(sentence: str) -> list[str]:
    return [part for part in _CLAUSE_END.split(sentence) if part.strip()]


def reason_of_unsaid(retrieved: Retrieved, sources: Sequence[Source]) -> str | None:
    """Return a sentence that says which words of the question no source says, or else of which names they
    speak without what was asked; None where the question names nothing.
    """
    question = retrieved.query.text
    names = [mention.surface for mention in capitalised_names(question)]
    known_names = [name for name in names if name not in retrieved.unknown_names]
    texts = [text for source in sources for text in (source.document_title, source.text)]
    return reason_of_words_nothing_says(question, texts, known_names) or (
        f"What was found speaks of {join_quoted(known_names)}, but none of it says what was asked."
        if known_names
        else None
    )


def reason_of_unspoken_things(retrieved: Retrieved, sources: Sequence[Source]) -> str | None:
    """Return a sentence that says of which of the things asked about no source speaks; None where they speak
    of all.
    """
    nowhere = [thing.surface for thing in Subjects(retrieved, sources).nowhere]
    return (
        f"Nothing that was found speaks of {join_quoted(nowhere)}, so the question is not answered."
        if nowhere
        else None
    )


def is_said_by_none(retrieved: Retrieved, sources: Sequence[Source]) -> bool:
    """Return whether no source of a thing that the question names, or one that it leads to, has a word of
    what is asked of it.
    """
    question = retrieved.query.text
    names = [mention.surface for mention in capitalised_names(question)]
    known_names = [name for name in names if name not in retrieved.unknown_names]
    words, named = stems_of([question, " ".join(names)])
    asked_words = frozenset(word for word in words - named - ASKS_NOTHING if not word.isdigit())
    return bool(known_names and asked_words) and not _is_said_by_some(
        asked_words, known_names, retrieved, sources
    )


def is_yes_no_about_unknown(retrieved: Retrieved) -> bool:
    """Return whether the question asks for yes or no about what no text speaks of: no model could tell."""
    return is_yes_no_question(retrieved.query.text) and reason_of_unknown_names(retrieved) is not None


def reason_of_unknown_names(retrieved: Retrieved) -> str | None:
    """Return a sentence that says which names no text holds, where half of those asked about are such.

    More than half, where nouns are among them: a question says some in other words than its answer.
    """
    question = retrieved.query.text
    names = [mention.surface for mention in capitalised_names(question)]
    unspoken = {*retrieved.unknown_names, *_list_names_no_longer_spoken_of(retrieved)}
    unknown = [name for name in names if name in unspoken]
    if unknown:
        # A word of Latin script may go on, one of another stand in another form: the index holds neither.
        texts = [fold_text(f"{passage.document_title} {passage.text}") for passage in retrieved.passages]
        gone_names = unspoken - set(retrieved.unknown_names)
        unknown = [name for name in unknown if name in gone_names or not has_all_words_of_name(name, texts)]
    known_count, threshold = len(names) - len(unknown), KNOWN_SHARE * len(names)
    if not names or known_count > threshold or (known_count == threshold and capitalises_nouns(question)):
        return None
    return f"Nothing in this space speaks of {join_quoted(unknown)}, so the question is not answered."


def _list_names_no_longer_spoken_of(retrieved: Retrieved) -> set[str]:
    """The names whose texts are gone: their nodes stay, and neither a mention nor a fact of them stands."""
    fact_ends = {end for fact in retrieved.facts for end in (fact.edge.from_node_id, fact.edge.to_node_id)}
    spoken = {
        anchor.matched
        for anchor in retrieved.anchors
        if anchor.node.mention_count > 0 or anchor.node.id in fact_ends
    }
    return {anchor.matched for anchor in retrieved.anchors} - spoken


def _is_said_by_some(
    asked_words: frozenset[str], known_names: Sequence[str], retrieved: Retrieved, sources: Sequence[Source]
) -> bool:
    """Return whether a source of a known name, or one that it leads to, has a word of what is asked."""
    read_as = [
        anchor.node.canonical_name
        for anchor in retrieved.anchors
        if any(anchor.matched in name or name in anchor.matched for name in known_names)
    ]
    titles = [" ".join((source.document_title, *source.heading_path)) for source in sources]
    titled_texts = [f"{title} {source.text}" for title, source in zip(titles, sources, strict=True)]
    stemmed = stems_of([*known_names, *read_as, *titles, *titled_texts])
    named, of_sources = stemmed[: len(known_names) + len(read_as)], stemmed[len(known_names) + len(read_as) :]
    of_titles, of_whole = of_sources[: len(sources)], of_sources[len(sources) :]
    # Whoever asks of two things that are known may compare them.
    if sum(any(_has(words, name) for words in of_whole) for name in named[: len(known_names)]) > 1:
        return True
    titled = [any(_has(words, name) for name in named) for words in of_titles]
    answering = asked_words.union(asked_stem_of_related_stems(asked_words))
    return any(
        answering & words
        for words in _list_words_about([*known_names, *read_as], named, sources, titles, titled)
    )


def _list_words_about(
    names: Sequence[str],
    named: Sequence[frozenset[str]],
    sources: Sequence[Source],
    titles: Sequence[str],
    titled: Sequence[bool],
) -> list[frozenset[str]]:
    """The words of the sentences that name one of these, or go on about it, and of those that they lead to.

    `named` has the stems of the names, `titled` says of which sources the title names one. A sentence leads
    to another by a name that stands in the other, or in its title: the second step of a question. It leads
    to none about a namesake.
    """
    placed = _list_sentences_with_place(sources)
    naming: list[tuple[str, frozenset[str]]] = []
    others: list[tuple[str, frozenset[str]]] = []
    namesakes = texts_naming_namesakes([text for _, text in placed], names)
    before, last = False, -1
    stemmed = stems_of([text for _, text in placed])
    for (index, text), words, is_namesake in zip(placed, stemmed, namesakes, strict=True):
        goes_on = before and index == last and text.split(maxsplit=1)[0].casefold() in _GOES_ON
        before, last = titled[index] or goes_on or any(_has(words, name) for name in named), index
        if before:
            naming.append((text, words))
        elif not is_namesake:
            others.append((f"{text} {titles[index]}", words))
    linked_names = {word for text, _ in naming for word in _list_names_in_text(text)}
    linked = [words for text, words in others if linked_names.intersection(_list_names_in_text(text))]
    return [*(words for _, words in naming), *linked]


def _list_sentences_with_place(sources: Sequence[Source]) -> list[tuple[int, str]]:
    """The sentences of the sources, each with the place of its source; a row with the head of its table."""
    ranges = split_sentences_of_texts([source.text for source in sources])
    return [
        (index, append_table_header(text, source.text, source.heading_path) if "|" in text else text)
        for index, source in enumerate(sources)
        for text in (source.text[start:end] for start, _, end in ranges[index])
    ]


def _list_names_in_text(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if len(word) >= _SHORTEST_NAME and word[0].isupper()]


def _has(words: frozenset[str], name: frozenset[str]) -> bool:
    return bool(name) and len(name & words) >= NAMED_SHARE * len(name)


def reason_without_model(error: CitegraphError) -> str:
    """The reason that no model has written the answer, as a sentence for people."""
    if isinstance(error, BudgetExhausted):
        return "The month's budget for models is used up."
    if isinstance(error, Parked | ModelUnavailable):
        return "The model cannot be reached."
    return error.message
