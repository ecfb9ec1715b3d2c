"""The verbs and phrases of wholes: what one owns, what it is a part of, and who is a member."""

from app.extraction.rules.english.ends import EMPLOYER, PEOPLE, WORKS
from app.extraction.rules.english.words.named_by import LEAGUES
from app.extraction.rules.tables import Pattern, named, phrases, verbs

MEMBERED = frozenset({"Organization", "Concept", "Event", "Project"})

OF_WHOLES: tuple[tuple[str, Pattern], ...] = (
    *verbs("owns", 0.9, "acquired acquires owns owned bought buys purchased"),
    *verbs("part_of", 0.7, "contains includes comprises", turned=True),
    *phrases("owns", 0.85, "owner of|parent company of|sold by"),
    *phrases("owns", 0.85, "parent of", subjects=EMPLOYER, objects=EMPLOYER),
    *phrases(
        "owns",
        0.85,
        "subsidiary of|wholly owned subsidiary of|sold to|division of",
        turned=True,
    ),
    *phrases("owns", 0.85, "taken over by", turned=True, subjects=EMPLOYER),
    *phrases(
        "part_of",
        0.8,
        "part of|component of|module of|subset of|included in|belongs to"
        "|belonged to|belonging to|branch of|feature of|extension of|extension for|unit of"
        "|department of|arm of|affiliated with|merged into|incorporated into",
    ),
    *phrases(
        "part_of",
        0.75,
        "episode of|season of|installment in|installment of|instalment in|instalment of|entry in|chapter of"
        "|episode in",
        subjects=WORKS | {"Event"},
        objects=WORKS | {"Location"},
    ),
    *phrases(
        "member_of",
        0.8,
        "member of|members of|member in|founding members of"
        "|member of the board of|on the board of|board member of",
        objects=MEMBERED,
    ),
    *phrases(
        "member_of",
        0.75,
        "guitarist of|vocalist of|drummer of|bassist of|singer of|frontman of|keyboardist of|guitarist for"
        "|drummer for|bassist for|singer for|vocalist for",
        subjects=PEOPLE,
        objects=MEMBERED,
    ),
    *named(
        LEAGUES, phrases("member_of", 0.75, "played in|plays in|playing in|compete in", subjects=EMPLOYER)
    ),
    *phrases(
        "member_of",
        0.8,
        "consisting of|consists of|consisted of|composed of|comprised of|comprising",
        turned=True,
        subjects=PEOPLE,
        objects=EMPLOYER,
    ),
    *phrases("part_of", 0.75, "consists of|consisted of|composed of|comprised of|made up of", turned=True),
)
