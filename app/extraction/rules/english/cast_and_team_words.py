"""Words that state a part played in a film, or membership in a team."""

from app.domain.scoring.stop_words import split_into_word_set

ROLE_VERBS = split_into_word_set("playing portraying plays played portrays portrayed")
"""Verbs before the name of a role."""
GAME_VERBS = split_into_word_set("plays played")
ROLE_WORDS_BY_PREPOSITION = {
    "as": split_into_word_set(
        "role roles part turn appearance performance starred starring stars appeared appears acted"
    ),
    "of": split_into_word_set("role part portrayal portrayals performance depiction"),
}
"""Words before "as" or "of" and the name of a role."""
TITLE_PARTICIPLES = split_into_word_set("entitled titled")
"""Words between a noun and its title."""
WORK_PARTS = split_into_word_set("""
    episode season chapter volume part track song single issue edition section installment instalment story
    scene sketch segment act
""")
"""Parts of a work that have titles of their own."""
WORK_NOUNS = split_into_word_set("""
    novel novella book album song poem play memoir autobiography opera symphony single ep mixtape essay
""")
"""Nouns after "her" for works that somebody made, not only took part in, as "her first film"."""
