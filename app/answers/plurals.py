"""Decide whether a question asks for several things or for one; pure."""

from app.answers.stated import read_question
from app.documents.language import guess_language
from app.graph.name_forms import is_interrogative

_ASKED = frozenset(("nsubj", "nsubj:pass", "obj", "obl", "attr", "dep"))
"""Relations of "who" and "what" to what they ask for: "What are the inflows?" """


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for things in the plural: "which customers", "who are the members",
    "list the rivers". False for "who", which may be one or several, and if the question's language has no
    parser.
    """
    read = read_question(question, guess_language(question))
    if read is None:
        return False
    heads, relations, upos = read.parse.heads, read.parse.relations, read.parse.upos
    asking = next((index for index, word in enumerate(read.words) if is_interrogative(word)), None)
    if asking is None:
        # "List the members": what is to be told hangs on the word that tells to, which may look like a noun.
        asked = read.dependents(0, ("obj",)) if heads[0] == 0 else []
    else:
        asked = [heads[asking]] if relations[asking] in ("det", *_ASKED) else []
        asked += read.dependents(asking, _ASKED)
    return any(
        upos[word] == "NOUN" and read.words[word].casefold() != read.parse.lemmas[word].casefold()
        for word in asked
    )
