"""The subject of a verb, as a table: the words between a name and the verb, and the resulting subject."""

from app.extraction.rules.rule_tables import Cue, SubjectRow, VerbSubject

NAME, CLAUSE, NOBODY = VerbSubject.NAME, VerbSubject.CLAUSE, VerbSubject.NOBODY

SUBJECT_ROWS: tuple[SubjectRow, ...] = (
    SubjectRow(Cue.CLAUSE_END, 0, NOBODY),
    # "who", "which" and "that" right before the verb.
    SubjectRow(Cue.PREDICATE, Cue.OBLIQUE, NAME, 0.05),  # "Ann Lee is a journalist who founded X"
    SubjectRow(Cue.RELATIVE | Cue.MANY_WORDS, 0, NOBODY),  # "at many universities that used X"
    SubjectRow(Cue.RELATIVE | Cue.OBLIQUE | Cue.ONLY_THAT, 0, NOBODY),  # "a ship of X that used Y"
    SubjectRow(Cue.RELATIVE, Cue.WHO, NAME),
    # "a committer of X who worked at Y" is about the committer.
    SubjectRow(Cue.RELATIVE | Cue.NO_PERSON | Cue.CLAUSE_OF_PERSON, 0, CLAUSE, 0.05),
    SubjectRow(Cue.RELATIVE | Cue.NO_PERSON, 0, NOBODY),
    SubjectRow(Cue.RELATIVE | Cue.OBLIQUE | Cue.OTHER_CLAUSE | Cue.CLAUSE_OF_PERSON, 0, CLAUSE, 0.1),
    SubjectRow(Cue.RELATIVE | Cue.OBLIQUE | Cue.OTHER_CLAUSE, 0, NOBODY),
    SubjectRow(Cue.RELATIVE, 0, NAME),
    SubjectRow(Cue.INNER_RELATIVE, 0, NOBODY),  # "dropped the cockpit that had been a feature of X"
    SubjectRow(Cue.POSSESSIVE, 0, NOBODY),
    SubjectRow(Cue.OWN_SUBJECT, 0, NOBODY),  # "X liked it, and many banks used Y"
    # Only adverbs are between the name and the verb.
    SubjectRow(Cue.ADJACENT | Cue.OBLIQUE | Cue.IN_CLAUSE, 0, CLAUSE, 0.05),
    SubjectRow(Cue.ADJACENT, 0, NAME),
    # "a film directed by A, written by B", "starring A, and released by B": of the film.
    SubjectRow(
        Cue.JOINED | Cue.PASSIVE | Cue.OBLIQUE | Cue.BY_WORD | Cue.OTHER_CLAUSE,
        Cue.WITH_FORM_OF_BE,
        CLAUSE,
        0.05,
    ),
    SubjectRow(
        Cue.JOINED | Cue.PASSIVE | Cue.PERSON | Cue.WITH_AND | Cue.OTHER_CLAUSE,
        Cue.WITH_FORM_OF_BE,
        CLAUSE,
        0.05,
    ),
    # "X is a sequel to Y, directed by A": of X.
    SubjectRow(
        Cue.JOINED | Cue.PASSIVE | Cue.DESCRIBED | Cue.OTHER_CLAUSE, Cue.WITH_FORM_OF_BE, CLAUSE, 0.05
    ),
    # "X, owned by A until 2018, is owned by B": a finite verb, of the clause and not of the name before it.
    SubjectRow(Cue.ENDS_ASIDE | Cue.PASSIVE, 0, CLAUSE),
    SubjectRow(Cue.COMMA | Cue.PASSIVE | Cue.OBLIQUE | Cue.BY_WORD, 0, NOBODY),  # "designed by A, built by B"
    SubjectRow(Cue.COMMA | Cue.PASSIVE, 0, NAME),
    SubjectRow(Cue.COMMA | Cue.APPOSITION, 0, NAME),
    SubjectRow(Cue.JOINED | Cue.OBLIQUE, Cue.IN_CLAUSE, NOBODY),  # "Published by X and based on Y, the game"
    # "… and bought", "…, bought": a further verb of the clause.
    SubjectRow(Cue.JOINED | Cue.WITH_FORM_OF_BE | Cue.IN_CLAUSE, 0, CLAUSE),
    SubjectRow(Cue.JOINED | Cue.WITH_FORM_OF_BE, 0, NAME, 0.1),
    SubjectRow(Cue.JOINED | Cue.IN_CLAUSE, Cue.PASSIVE, CLAUSE),
    SubjectRow(Cue.JOINED, Cue.PASSIVE, NAME, 0.1),
    # "designed textiles released by Y": Y released the textiles.
    SubjectRow(Cue.PASSIVE, Cue.WITH_FORM_OF_BE, NOBODY),
    SubjectRow(Cue.OTHER_CLAUSE | Cue.OBLIQUE, 0, CLAUSE, 0.1),
    SubjectRow(Cue.WITH_FORM_OF_BE, 0, NAME),
    SubjectRow(Cue.COMMA, 0, NAME),
    SubjectRow(0, 0, NAME, 0.1),
)
"""The first row applies whose required cues are all present and whose excluded cues are all absent."""
