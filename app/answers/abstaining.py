"""When quotes would not answer: names of the question are unknown, or nothing says what it asks; pure."""

import re
from collections.abc import Sequence

from app.answers.context import Source
from app.answers.related_words import answered_by
from app.graph.questions import relation_hints, written_names
from app.retrieval.shapes import Retrieved
from app.scoring.keywords import stems
from app.scoring.stop_words import word_set

KNOWN_SHARE = 0.5
"""Share of the names in a question that some text of the space has to hold, and more."""
NAMED_SHARE = 0.6
"""Share of a name's words by which a source speaks of it."""
_SHORTEST_NAME = 5
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
    naming = [source for source in sources if any(_holds(source, name) for name in named)]
    wanted = asked.union(answered_by(asked))
    return any(wanted & stems(_whole(source)) for source in _with_linked(naming, sources))


def _states_asked(retrieved: Retrieved) -> bool:
    """Return whether a fact of a named thing is of a relation that the question asks for."""
    anchors = {anchor.node.id for anchor in retrieved.anchors}
    hints = set(relation_hints(retrieved.query.text))
    return any(
        fact.edge.relation_type in hints and anchors & {fact.edge.from_node_id, fact.edge.to_node_id}
        for fact in retrieved.facts
    )


def _whole(source: Source) -> str:
    return " ".join((source.document_title, *source.heading_path, source.text))


def _holds(source: Source, name: frozenset[str]) -> bool:
    return bool(name) and len(name & stems(_whole(source))) >= NAMED_SHARE * len(name)


def _with_linked(naming: Sequence[Source], sources: Sequence[Source]) -> list[Source]:
    """These sources, and those of whose titles they hold a name: the second step of a question of two."""
    said = {word for source in naming for word in _WORD.findall(source.text)}
    linked = [
        source
        for source in sources
        if any(
            len(word) >= _SHORTEST_NAME and word[0].isupper() and word in said
            for word in _WORD.findall(source.document_title)
        )
    ]
    return [*naming, *linked]


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
