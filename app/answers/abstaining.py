"""Why no quote of the sources would answer a question, where none would; pure (10.3)."""

import re
from collections.abc import Sequence

from app.answers.extractive import ASKS_NOTHING, facts_asked_for, values_asked_for
from app.answers.shapes import Source
from app.documents.sentences import sentences_of, with_header
from app.graph.questions import asks_whether, written_names
from app.retrieval.shapes import Retrieved
from app.scoring.keywords import answered_by, stems_of
from app.scoring.namesakes import is_of_namesake
from app.scoring.stop_words import PRONOUNS

KNOWN_SHARE = 0.5
"""Share of the names in a question that some text of the space has to hold, and more."""
NAMED_SHARE = 0.6
"""Share of a name's words by which a source speaks of it."""
_SHORTEST_NAME = 5
# First words of a sentence that goes on about what the one before named.
_GOES_ON = PRONOUNS | {"the", "his", "her", "its", "their"}
_WORD = re.compile(r"[^\W\d_]+")


def reason_to_abstain(retrieved: Retrieved, sources: Sequence[Source]) -> str | None:
    """Return a sentence that says why no quote of these sources would answer; None where one may.

    A question without a written name is only refused by the quotes themselves.
    """
    question = retrieved.query.text
    names = [mention.surface for mention in written_names(question)]
    if not names:
        return None
    if of_unknown := _reason_of_unknown_names(retrieved):
        return of_unknown
    known = [name for name in names if name not in retrieved.unknown_names]
    words, named = stems_of([question, " ".join(names)])
    asked = frozenset(word for word in words - named - ASKS_NOTHING if not word.isdigit())
    stated = any(fact.edge.evidence is not None for fact in facts_asked_for(retrieved))
    stated = stated or bool(values_asked_for(retrieved))
    if not asked or stated or _some_say(asked, known, retrieved, sources):
        return None
    return f"What was found speaks of {_listed(known)}, but none of it says what was asked."


def asks_whether_unknown(retrieved: Retrieved) -> bool:
    """Return whether the question asks for yes or no about what no text speaks of: no model could tell."""
    return asks_whether(retrieved.query.text) and _reason_of_unknown_names(retrieved) is not None


def _reason_of_unknown_names(retrieved: Retrieved) -> str | None:
    """Return a sentence that says which names no text holds, where half of those asked about are such."""
    names = [mention.surface for mention in written_names(retrieved.query.text)]
    unspoken = {*retrieved.unknown_names, *_no_longer_spoken_of(retrieved)}
    unknown = [name for name in names if name in unspoken]
    if not names or len(names) - len(unknown) > KNOWN_SHARE * len(names):
        return None
    return f"Nothing in this space speaks of {_listed(unknown)}, so the question is not answered."


def _no_longer_spoken_of(retrieved: Retrieved) -> set[str]:
    """The names whose texts are gone: their nodes stay, and neither a mention nor a fact of them stands."""
    told = {end for fact in retrieved.facts for end in (fact.edge.from_node_id, fact.edge.to_node_id)}
    spoken = {
        anchor.matched
        for anchor in retrieved.anchors
        if anchor.node.mention_count > 0 or anchor.node.id in told
    }
    return {anchor.matched for anchor in retrieved.anchors} - spoken


def _some_say(
    asked: frozenset[str], known: Sequence[str], retrieved: Retrieved, sources: Sequence[Source]
) -> bool:
    """Return whether a source of a known name, or one that it leads to, has a word of what is asked."""
    read_as = [
        anchor.node.canonical_name
        for anchor in retrieved.anchors
        if any(anchor.matched in name or name in anchor.matched for name in known)
    ]
    titles = [" ".join((source.document_title, *source.heading_path)) for source in sources]
    whole = [f"{title} {source.text}" for title, source in zip(titles, sources, strict=True)]
    found = stems_of([*known, *read_as, *titles, *whole])
    named, of_sources = found[: len(known) + len(read_as)], found[len(known) + len(read_as) :]
    of_titles, of_whole = of_sources[: len(sources)], of_sources[len(sources) :]
    # Whoever asks of two things that are known may compare them.
    if sum(any(_has(words, name) for words in of_whole) for name in named[: len(known)]) > 1:
        return True
    titled = [any(_has(words, name) for name in named) for words in of_titles]
    wanted = asked.union(answered_by(asked))
    return any(wanted & words for words in _about([*known, *read_as], named, sources, titles, titled))


def _about(
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
    ranges = sentences_of([source.text for source in sources])
    placed = [
        (place, with_header(text, source.text) if "|" in text else text)
        for place, source in enumerate(sources)
        for text in (source.text[start:end] for start, _, end in ranges[place])
    ]
    naming: list[tuple[str, frozenset[str]]] = []
    others: list[tuple[str, frozenset[str]]] = []
    before, last = False, -1
    for (place, text), words in zip(placed, stems_of([text for _, text in placed]), strict=True):
        goes_on = before and place == last and text.split(maxsplit=1)[0].casefold() in _GOES_ON
        before, last = titled[place] or goes_on or any(_has(words, name) for name in named), place
        if before:
            naming.append((text, words))
        elif not is_of_namesake(text, names):
            others.append((f"{text} {titles[place]}", words))
    said = {word for text, _ in naming for word in _names_in(text)}
    linked = [words for text, words in others if said.intersection(_names_in(text))]
    return [*(words for _, words in naming), *linked]


def _names_in(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if len(word) >= _SHORTEST_NAME and word[0].isupper()]


def _has(words: frozenset[str], name: frozenset[str]) -> bool:
    return bool(name) and len(name & words) >= NAMED_SHARE * len(name)


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
