"""Decide whether a question asks for several things or for one; pure."""

from app.answers.clause_support import parse_question
from app.documents.language import guess_language
from app.graph.name_forms import is_interrogative

_RELATIONS_TO_ASKED_NOUN = frozenset(("nsubj", "nsubj:pass", "obj", "obl", "attr", "dep"))
"""Relations of "who" and "what" to what they ask for: "What are the inflows?" """


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for things in the plural: "which customers", "who are the members",
    "list the rivers". False for "who", which may be one or several, and if the question's language has no
    parser.
    """
    parsed_question = parse_question(question, guess_language(question))
    if parsed_question is None:
        return False
    heads, relations, upos = (
        parsed_question.parse.heads,
        parsed_question.parse.relations,
        parsed_question.parse.upos,
    )
    interrogative_index = next(
        (index for index, word in enumerate(parsed_question.words) if is_interrogative(word)), None
    )
    if interrogative_index is None:
        # "List the members": the asked things are the object of the first word, which may look like a noun.
        asked_indices = parsed_question.list_dependents(0, ("obj",)) if heads[0] == 0 else []
    else:
        asked_indices = (
            [heads[interrogative_index]]
            if relations[interrogative_index] in ("det", *_RELATIONS_TO_ASKED_NOUN)
            else []
        )
        asked_indices += parsed_question.list_dependents(interrogative_index, _RELATIONS_TO_ASKED_NOUN)
    return any(
        upos[index] == "NOUN"
        and parsed_question.words[index].casefold() != parsed_question.parse.lemmas[index].casefold()
        for index in asked_indices
    )
