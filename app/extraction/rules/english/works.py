"""The words by which a sentence says that somebody plays: a part in a film, or for a club."""

from app.domain.scoring.stop_words import word_set

PLAYS = word_set("playing portraying plays played portrays portrayed")
"""Before the name of a part."""
PLAYS_GAME = word_set("plays played")
PART_OF = {
    "as": word_set(
        "role roles part turn appearance performance starred starring stars appeared appears acted"
    ),
    "of": word_set("role part portrayal portrayals performance depiction"),
}
"""Before the name of a part stands "as" or "of", and before that one of these."""
TITLED = word_set("entitled titled")
"""Behind a noun and before what it is called."""
PIECES = word_set("""
    episode season chapter volume part track song single issue edition section installment instalment story
    scene sketch segment act
""")
"""Of a work these are parts, with titles of their own."""
OWN_WORKS = word_set("""
    novel novella book album song poem play memoir autobiography opera symphony single ep mixtape essay
""")
"""Behind "her" these are what she made, and not what she only took part in, as "her first film"."""
