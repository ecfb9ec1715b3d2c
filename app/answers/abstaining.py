"""When quotes would not answer: names of the question are unknown, or nothing says what it asks; pure."""

import re
from collections.abc import Sequence

from app.answers.context import Source
from app.answers.related_words import answered_by
from app.documents.sentences import sentence_ranges
from app.errors import CitegraphError
from app.graph.questions import relation_hints, written_names
from app.llm.errors import BudgetExhausted, ModelUnavailable, Parked
from app.retrieval.shapes import Retrieved
from app.scoring.keywords import stems
from app.scoring.stop_words import PRONOUNS, word_set

KNOWN_SHARE = 0.5
"""Share of the names in a question that some text of the space has to hold, and more."""
NAMED_SHARE = 0.6
"""Share of a name's words by which a source speaks of it."""
_SHORTEST_NAME = 5
# First words of a sentence that goes on about what the one before named.
_GOES_ON = PRONOUNS | {"the", "his", "her", "its", "their"}
_WORD = re.compile(r"[^\W\d_]+")
# Words of a question that ask for nothing by themselves.
_ASKS_NOTHING = stems(
    " ".join(
        word_set(
            """
            tell list give show describe explain name know say said mean happen thing kind type sort many much
            person people place please find term called does speak question answer information fact detail
            """
        )
    )
)


def reason_to_abstain(retrieved: Retrieved, sources: Sequence[Source]) -> str | None:
    """Return a sentence that says why no quote of these sources would answer; None where one may.

    A question without a written name is only refused by the quotes themselves.
    """
    question = retrieved.query.text
    names = [mention.surface for mention in written_names(question)]
    if not names:
        return None
    unknown = [name for name in names if name in retrieved.unknown_names]
    if len(names) - len(unknown) <= KNOWN_SHARE * len(names):
        return f"Nothing in this space speaks of {_listed(unknown)}, so the question is not answered."
    known = [name for name in names if name not in unknown]
    asked = frozenset(
        word for word in stems(question) - stems(" ".join(names)) - _ASKS_NOTHING if not word.isdigit()
    )
    if not asked or _states_asked(retrieved) or _some_say(asked, known, retrieved, sources):
        return None
    return f"What was found speaks of {_listed(known)}, but none of it says what was asked."


def _some_say(
    asked: frozenset[str], known: Sequence[str], retrieved: Retrieved, sources: Sequence[Source]
) -> bool:
    """Return whether a source of a known name, or one that it leads to, has a word of what is asked."""
    # Whoever asks of two things that are known may compare them.
    if sum(any(_holds(source, stems(name)) for source in sources) for name in known) > 1:
        return True
    read_as = [
        anchor.node.canonical_name
        for anchor in retrieved.anchors
        if any(anchor.matched in name or name in anchor.matched for name in known)
    ]
    named = [stems(name) for name in (*known, *read_as)]
    wanted = asked.union(answered_by(asked))
    return any(wanted & stems(text) for text in _about(named, sources))


def _about(named: Sequence[frozenset[str]], sources: Sequence[Source]) -> list[str]:
    """The sentences that name one of these, or go on about it, and those that they lead to.

    One leads to another by a name that stands in the other, or in its title: the second step of a question.
    """
    naming: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for source in sources:
        title = " ".join((source.document_title, *source.heading_path))
        titled = any(_has(stems(title), name) for name in named)
        before = False
        for start, end in sentence_ranges(source.text):
            text = source.text[start:end]
            goes_on = before and text.split(maxsplit=1)[0].casefold() in _GOES_ON
            before = titled or goes_on or any(_has(stems(text), name) for name in named)
            (naming if before else others).append((text, title))
    said = {word for text, _ in naming for word in _names_in(text)}
    linked = [text for text, title in others if said.intersection(_names_in(f"{text} {title}"))]
    return [*(text for text, _ in naming), *linked]


def _names_in(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if len(word) >= _SHORTEST_NAME and word[0].isupper()]


def _states_asked(retrieved: Retrieved) -> bool:
    """Return whether a text states of a named thing a relation that the question asks for."""
    anchors = {anchor.node.id for anchor in retrieved.anchors}
    hints = set(relation_hints(retrieved.query.text))
    return any(
        fact.edge.evidence is not None
        and fact.edge.relation_type in hints
        and anchors & {fact.edge.from_node_id, fact.edge.to_node_id}
        for fact in retrieved.facts
    )


def _whole(source: Source) -> str:
    return " ".join((source.document_title, *source.heading_path, source.text))


def _holds(source: Source, name: frozenset[str]) -> bool:
    return _has(stems(_whole(source)), name)


def _has(words: frozenset[str], name: frozenset[str]) -> bool:
    return bool(name) and len(name & words) >= NAMED_SHARE * len(name)


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def reason_without_model(error: CitegraphError) -> str:
    """The reason that no model has written the answer, as a sentence for people."""
    if isinstance(error, BudgetExhausted):
        return "The month's budget for models is used up."
    if isinstance(error, Parked | ModelUnavailable):
        return "The model cannot be reached."
    return error.message
