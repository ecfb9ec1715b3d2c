"""Cells that are clauses, "Sign the contract with Acme": they name nothing."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.reader.languages import load_parser
from app.extraction.rules.syntax import ENGLISH, NAME_PLACEHOLDER, SUBJECT_RELATIONS

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Pipeline

_MIN_HEAD_PROBABILITY = 0.5
"""Minimum probability that the parser gives the main word of a clause."""
_MAX_WORDS = 40
_NAME = re.compile(r"(?<=\s)[^\W\d_a-z]\w*(?:[ &-]+[^\W\d_a-z]\w*)*")
_COMPLEMENTS = ("obj", "iobj", "obl", "xcomp", "ccomp", "compound:prt")


@lru_cache(maxsize=8_192)
def is_clause(text: str) -> bool:
    """Return whether an English text is a clause with a finite verb, or an imperative with a complement.

    A text whose small words are all stop words ("Meet the Parents") is a name or a title. The parser has to
    agree with itself on the text with and without a final mark: of 70 written clauses 59 are recognised, of
    98 names in lower case two are taken for clauses.
    """
    words = text.split()
    small_words = [word for word in words if word.isalpha() and word.islower()]
    if len(words) < 2 or STOP_WORDS.issuperset(small_words):
        return False
    pipeline = load_parser(ENGLISH)
    if pipeline is None:
        return False
    written_clause = _NAME.sub(NAME_PLACEHOLDER, text)
    return _is_parsed_as_clause(written_clause, pipeline) and _is_parsed_as_clause(
        f"{written_clause}.", pipeline
    )


def _is_parsed_as_clause(text: str, pipeline: "Pipeline") -> bool:
    tokens = [text[start:end] for start, end in pipeline.split_into_tokens(text, 0, len(text))]
    if not 1 < len(tokens) <= _MAX_WORDS:
        return False
    (parse,) = pipeline.parse([tokens])
    root = next(index for index, head in enumerate(parse.heads) if head == index)
    if parse.confidence[root] < _MIN_HEAD_PROBABILITY:
        return False
    relations = {parse.relations[index] for index, head in enumerate(parse.heads) if head == root != index}
    is_verb = parse.upos[root] in ("VERB", "AUX")
    is_finite = not relations.isdisjoint(SUBJECT_RELATIONS) and (is_verb or "cop" in relations)
    is_base_form = tokens[root].lower() == parse.lemmas[root].lower()
    is_command = is_verb and is_base_form and not relations.isdisjoint(_COMPLEMENTS)
    return is_finite or is_command
